/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/validate/golden.h"

#include "layers/file/search.h"
#include "runtime/base/input.h"
#include "runtime/base/utf8.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX ".csv"
#define DIGITS 7 /* significant digits of a recomputed value */

enum column { ID, QUANTITY, VALUE, RECOMPUTED, UNIT, USE, MACHINE, TOLERANCE, NOTE, COLUMNS };

static const char head[] = "id,quantity,value,recomputed,unit,use,machine,tolerance,note";
static const char *const uses[HTMT__USES] = {
    [HTMT__PREDICT] = "predict",   [HTMT__MODEL] = "model",
    [HTMT__INPUT] = "input",       [HTMT__ARITHMETIC] = "arithmetic",
    [HTMT__MISPRINT] = "misprint", [HTMT__REFERENCE] = "reference"};
static const struct htmt_search search = {"golden table", "golden", "HTMT_GOLDEN_PATH"};

/* A line of a file that is being read. */
struct line_place {
    const char *file;
    int line;
    struct htmt_fault *fault;
};

const char *htmt__golden_use_name(enum htmt__golden_use use)
{
    return uses[use];
}

/* ---- one line ------------------------------------------------------------------------------- */

/* Splits a line into columns; quotes enclose a column with a comma. False: the number of columns is
 * not COLUMNS. */
static bool cut(char *line, char *column[COLUMNS])
{
    char *at = line;
    for (int k = 0; k < COLUMNS; k++) {
        bool quoted = *at == '"';
        column[k] = at += quoted;
        at = quoted ? strchr(at, '"') : at + strcspn(at, ",");
        if (!at || at[quoted] != (k < COLUMNS - 1 ? ',' : '\0'))
            return false;
        bool more = k < COLUMNS - 1;
        *at = '\0';
        at += quoted + more;
    }
    return true;
}

static int find_use(const char *name)
{
    for (int i = 0; i < HTMT__USES; i++)
        if (!strcmp(uses[i], name))
            return i;
    return -1;
}

static bool is_number(const char *text, const char *suffixes)
{
    char *end;
    if (!*text)
        return false;
    strtod(text, &end);
    return !*end || (*suffixes && strstr(suffixes, end));
}

static int refuse(const struct line_place *p, const char *found, const char *expected)
{
    return htmt_fault_set(p->fault, HTMT_EFORMAT, "%s:%d: found '%.60s', expected %s", p->file,
                          p->line, found, expected);
}

static int check_row(const struct htmt__golden_row *r, const struct line_place *p)
{
    bool judged = r->use == HTMT__PREDICT || r->use == HTMT__MODEL;
    if (!*r->id)
        return refuse(p, "", "an id");
    if (*r->value && !is_number(r->value, ""))
        return refuse(p, r->value, "a number as the value");
    if (*r->recomputed && !is_number(r->recomputed, ""))
        return refuse(p, r->recomputed, "a number as the recomputed value");
    if (judged && !strcmp(r->machine, "-"))
        return refuse(p, r->machine, "the machine of a figure to be predicted");
    if (judged && !is_number(r->tolerance, "abs pp"))
        return refuse(p, r->tolerance, "a tolerance such as 1e-3, 0.05abs or 1pp");
    return 0;
}

static int read_row(char *line, struct htmt__golden_row *row, const struct line_place *p)
{
    char *c[COLUMNS];
    if (!cut(line, c))
        return refuse(p, line, "nine columns");
    int use = find_use(c[USE]);
    if (use < 0)
        return refuse(p, c[USE], "predict, model, input, arithmetic, misprint or reference");
    *row = (struct htmt__golden_row){c[ID],         c[QUANTITY], c[VALUE],
                                     c[RECOMPUTED], c[UNIT],     c[MACHINE],
                                     c[TOLERANCE],  c[NOTE],     (enum htmt__golden_use)use};
    return check_row(row, p);
}

/* ---- one file ------------------------------------------------------------------------------- */

static int add_row(struct htmt__golden_table *t, char *line, const struct line_place *p)
{
    if (t->count == t->room) {
        unsigned room = t->room ? 2 * t->room : 64;
        struct htmt__golden_row *row = reallocarray(t->row, room, sizeof *row);
        if (!row)
            return htmt_fault_set(p->fault, HTMT_ENOMEM, "%s: out of memory", p->file);
        t->row = row;
        t->room = room;
    }
    int rc = read_row(line, &t->row[t->count], p);
    t->count += !rc;
    return rc;
}

static int read_lines(struct htmt__golden_table *t, struct line_place *p)
{
    char *rest = t->text, *line;
    int rc = 0;
    for (p->line = 1; !rc && (line = strsep(&rest, "\n")); p->line++) {
        if (!htmt__utf8_valid(line))
            rc = refuse(p, line, "UTF-8");
        else if (p->line == 1 && strncmp(line, "# ", 2) != 0)
            rc = refuse(p, line, "a title '# ...'");
        else if (p->line == 1)
            t->title = line + 2;
        else if (p->line == 2 && strcmp(line, head) != 0)
            rc = refuse(p, line, head);
        else if (p->line > 2 && *line)
            rc = add_row(t, line, p);
    }
    if (rc || t->count)
        return rc;
    p->line = 2;
    return refuse(p, "no row behind it", "at least one");
}

static int read_table(const char *folder, const char *name, struct htmt__golden_table *t,
                      struct htmt_fault *fault)
{
    char path[HTMT_PATH_MAX];
    size_t length;
    struct line_place p = {path, 0, fault};
    snprintf(t->name, sizeof t->name, "%.*s", (int)(strlen(name) - strlen(SUFFIX)), name);
    htmt__utf8_repair(t->name);
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return htmt_fault_set(fault, HTMT_ENOENT, "the path of the golden table is too long");
    int rc = htmt_input_read(path, HTMT_INPUT_TEXT, &t->text, &length, fault);
    return rc ? rc : read_lines(t, &p);
}

/* ---- one folder ----------------------------------------------------------------------------- */

struct visit {
    struct htmt__golden *golden;
    struct htmt_fault *fault;
    int rc;
    char tried[500];
};

static int is_table(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > strlen(SUFFIX) && !strcmp(entry->d_name + length - strlen(SUFFIX), SUFFIX);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void note_folder(struct htmt__golden *g, const char *folder)
{
    char within[HTMT_PATH_MAX + 8];
    snprintf(within, sizeof within, "%s/any", folder);
    if (!htmt_search_shipped(&search, within))
        snprintf(g->folder, sizeof g->folder, "%s", folder);
}

static void read_folder(struct visit *v, const char *folder, struct dirent **entry, int count)
{
    note_folder(v->golden, folder);
    v->golden->table = calloc((size_t)count, sizeof *v->golden->table);
    if (!v->golden->table)
        v->rc = htmt_fault_set(v->fault, HTMT_ENOMEM, "%s: out of memory", folder);
    for (int i = 0; i < count && !v->rc; i++)
        v->rc =
            read_table(folder, entry[i]->d_name, &v->golden->table[v->golden->count++], v->fault);
}

static int visit_folder(const char *folder, void *context)
{
    struct visit *v = context;
    struct dirent **entry = NULL;
    size_t used = strlen(v->tried);
    snprintf(v->tried + used, sizeof v->tried - used, "%s%s", used ? ", " : "", folder);
    int count = scandir(folder, &entry, is_table, by_name);
    if (count < 0 && errno != ENOENT && errno != ENOTDIR)
        return v->rc = htmt_input_failed(folder, "list it", errno, v->fault);
    if (count > 0)
        read_folder(v, folder, entry, count);
    for (int i = 0; i < count; i++)
        free(entry[i]);
    free(entry);
    return count > 0;
}

/* An id is unique over all tables. */
static int check_ids(const struct htmt__golden *g, struct htmt_fault *fault)
{
    for (unsigned i = 0; i < g->count; i++)
        for (unsigned k = 0; k < g->table[i].count; k++) {
            const struct htmt__golden_row *row = &g->table[i].row[k];
            if (htmt__golden_find(g, row->id) != row)
                return htmt_fault_set(fault, HTMT_EFORMAT, "%s.csv: id '%s' is there twice",
                                      g->table[i].name, row->id);
        }
    return 0;
}

int htmt__golden_load(struct htmt__golden *golden, struct htmt_fault *fault)
{
    struct visit v = {.golden = golden, .fault = fault};
    *golden = (struct htmt__golden){0};
    if (!htmt_search_folders(&search, visit_folder, &v))
        v.rc = htmt_fault_set(fault, HTMT_ENOENT, "no golden tables (no *.csv in %s)", v.tried);
    if (!v.rc)
        v.rc = check_ids(golden, fault);
    if (v.rc)
        htmt__golden_clear(golden);
    return v.rc;
}

void htmt__golden_clear(struct htmt__golden *golden)
{
    for (unsigned i = 0; i < golden->count; i++) {
        free(golden->table[i].text);
        free(golden->table[i].row);
    }
    free(golden->table);
    *golden = (struct htmt__golden){0};
}

/* ---- looking -------------------------------------------------------------------------------- */

const struct htmt__golden_row *htmt__golden_find(const struct htmt__golden *golden, const char *id)
{
    for (unsigned i = 0; i < golden->count; i++)
        for (unsigned k = 0; k < golden->table[i].count; k++)
            if (!strcmp(golden->table[i].row[k].id, id))
                return &golden->table[i].row[k];
    return NULL;
}

static double number(const char *text)
{
    return *text ? strtod(text, NULL) : (double)NAN;
}

double htmt__golden_value(const struct htmt__golden_row *row)
{
    return number(*row->value ? row->value : row->recomputed);
}

static bool about_print(const struct htmt__golden_row *row)
{
    return strstr(row->tolerance, "abs") || !*row->recomputed;
}

double htmt__golden_target(const struct htmt__golden_row *row)
{
    return number(about_print(row) ? row->value : row->recomputed);
}

double htmt__golden_allowed(const struct htmt__golden_row *row)
{
    char *kind;
    double allowed = strtod(row->tolerance, &kind), target = fabs(htmt__golden_target(row));
    if (*kind == 'a' || *kind == 'p')
        return allowed;
    if (allowed > 0 || target == 0)
        return allowed * target;
    return 0.5 * pow(10, floor(log10(target)) + 1 - DIGITS);
}
