/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Golden tables are read whole: a table keeps the text of its file, and its rows point into it, cut
 * at commas. A line is checked as it is read, so whoever uses a row may convert its numbers without
 * asking again. What a row allows depends on how its paper prints: by hand, a value printed as 4.4
 * and recomputed as 4.412 with tolerance "0.05abs" allows 4.35 to 4.45; with "1e-3" it allows 4.412
 * times 0.999 to 1.001; with "0" half a unit of the seventh digit of 4.412, 0.0000005.
 */
#include "emul/validate/golden.h"

#include "emul/validate/csv.h"
#include "layers/file/search.h"
#include "runtime/base/array.h"
#include "runtime/base/input.h"
#include "runtime/base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX ".csv"
#define DIGITS 7 /* significant digits of a recomputed value */

#define FILE_COLUMNS 16

enum column {
    ID,
    QUANTITY,
    VALUE,
    RECOMPUTED,
    UNIT,
    USE,
    MACHINE,
    TOLERANCE,
    NOTE,
    NEEDED,
    INPUTS = NEEDED,
    COLUMNS
};

static const char head[] = "id,quantity,value,recomputed,unit,use,machine,tolerance,note";
static const char *const names[COLUMNS] = {"id",  "quantity", "value",     "recomputed", "unit",
                                           "use", "machine",  "tolerance", "note",       "inputs"};
static const char *const uses[HTMT__USES] = {
    [HTMT__PREDICT] = "predict",   [HTMT__MODEL] = "model",
    [HTMT__INPUT] = "input",       [HTMT__ARITHMETIC] = "arithmetic",
    [HTMT__MISPRINT] = "misprint", [HTMT__REFERENCE] = "reference"};
static const struct htmt_search search = {"golden table", "golden", "HTMT_GOLDEN_PATH"};

const char *htmt__golden_use_name(enum htmt__golden_use use)
{
    return uses[use];
}

/* ---- one line ------------------------------------------------------------------------------- */

static bool is_number(const char *text, const char *suffixes)
{
    char *end;
    if (!*text)
        return false;
    strtod(text, &end);
    return !*end || (*suffixes && strstr(suffixes, end));
}

/* Where the columns of a file are; others than ours may stand between them. */
struct layout {
    int columns, at[COLUMNS]; /* -1: the file has none */
};

/* The line of names; needed ones must all be there. */
static bool read_head(char *line, struct layout *layout)
{
    char *c[FILE_COLUMNS];
    layout->columns = htmt__csv_cut(line, c, FILE_COLUMNS, false);
    if (layout->columns > FILE_COLUMNS)
        return false;
    for (int k = 0; k < COLUMNS; k++) {
        layout->at[k] = -1;
        for (int i = 0; i < layout->columns; i++)
            if (!strcmp(c[i], names[k]))
                layout->at[k] = i;
        if (k < NEEDED && layout->at[k] < 0)
            return false;
    }
    return true;
}

static int read_row(const struct htmt__csv_place *p, const struct layout *layout, char *line,
                    struct htmt__golden_row *r)
{
    char *cell[FILE_COLUMNS], *c[COLUMNS];
    char expects[40];
    const char *found = line, *expected = NULL;
    snprintf(expects, sizeof expects, layout->columns == NEEDED ? "nine columns" : "%d columns",
             layout->columns);
    if (htmt__csv_cut(line, cell, layout->columns, true) != layout->columns)
        return htmt__csv_refuse(p, HTMT_EFORMAT, line, expects);
    for (int k = 0; k < COLUMNS; k++)
        c[k] = layout->at[k] < 0 ? line + strlen(line) : cell[layout->at[k]];
    int use = 0;
    while (use < HTMT__USES && strcmp(uses[use], c[USE]) != 0)
        use++;
    if (use == HTMT__USES)
        return htmt__csv_refuse(p, HTMT_EFORMAT, c[USE],
                                "predict, model, input, arithmetic, misprint or reference");
    *r = (struct htmt__golden_row){
        c[ID],      c[QUANTITY],  c[VALUE], c[RECOMPUTED], c[UNIT],
        c[MACHINE], c[TOLERANCE], c[NOTE],  c[INPUTS],     (enum htmt__golden_use)use};
    bool judged = r->use == HTMT__PREDICT || r->use == HTMT__MODEL;
    if (!*r->id)
        found = "", expected = "an id";
    else if (*r->value && !is_number(r->value, ""))
        found = r->value, expected = "a number as the value";
    else if (*r->recomputed && !is_number(r->recomputed, ""))
        found = r->recomputed, expected = "a number as the recomputed value";
    else if (judged && !strcmp(r->machine, "-"))
        found = r->machine, expected = "the machine of a figure to be predicted";
    else if (judged && !is_number(r->tolerance, "abs pp"))
        found = r->tolerance, expected = "a tolerance such as 1e-3, 0.05abs or 1pp";
    return expected ? htmt__csv_refuse(p, HTMT_EFORMAT, found, expected) : 0;
}

/* ---- files ----------------------------------------------------------------------------------- */

struct reading {
    struct htmt__golden_table *table;
    struct htmt__csv_place place;
    struct layout layout;
    int head; /* line of names; 0: not seen yet */
};

static int read_line(void *context, char *line)
{
    struct reading *r = context;
    struct htmt__golden_table *t = r->table;
    const struct htmt__csv_place *p = &r->place;
    if (p->line == 1 && !strncmp(line, "# ", 2)) {
        t->title = line + 2;
        return 0;
    }
    if (p->line == 1 && strncmp(line, "id,", 3) != 0)
        return htmt__csv_refuse(p, HTMT_EFORMAT, line, "a title '# ...'");
    if (!r->head) {
        char copy[sizeof head + 200];
        snprintf(copy, sizeof copy, "%s", line);
        r->head = p->line;
        return read_head(copy, &r->layout) ? 0 : htmt__csv_refuse(p, HTMT_EFORMAT, line, head);
    }
    if (!*line)
        return 0;
    if (!htmt__array_fits(&t->row, &t->room, t->count + 1, sizeof *t->row))
        return htmt_fault_set(p->fault, HTMT_ENOMEM, "%s: out of memory", p->file);
    int rc = read_row(p, &r->layout, line, &t->row[t->count]);
    t->count += !rc;
    return rc;
}

static int read_table(void *context, const char *folder, const char *name, struct htmt_fault *fault)
{
    struct htmt__golden *g = context;
    char path[HTMT_PATH_MAX + 8];
    size_t length;
    snprintf(path, sizeof path, "%s/any", folder);
    if (!g->count && !htmt_search_shipped(&search, path))
        snprintf(g->folder, sizeof g->folder, "%s", folder);
    if (!htmt__array_fits(&g->table, &g->room, g->count + 1, sizeof *g->table))
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory", folder);
    struct htmt__golden_table *t = &g->table[g->count++];
    struct reading r = {.table = t, .place = {path, 0, fault}};
    *t = (struct htmt__golden_table){.text = NULL};
    snprintf(t->name, sizeof t->name, "%.*s", (int)(strlen(name) - strlen(SUFFIX)), name);
    htmt__utf8_repair(t->name);
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= HTMT_PATH_MAX)
        return htmt_fault_set(fault, HTMT_ENOENT, "the path of the golden table is too long");
    int rc = htmt_input_read(path, HTMT_INPUT_TEXT, &t->text, &length, fault);
    rc = rc ? rc : htmt__csv_lines(t->text, &r.place, read_line, &r);
    if (rc || t->count)
        return rc;
    r.place.line = r.head ? r.head : 1;
    return htmt__csv_refuse(&r.place, HTMT_EFORMAT, "no row behind it", "at least one");
}

int htmt__golden_load(struct htmt__golden *golden, const char *folder, struct htmt_fault *fault)
{
    struct htmt__csv_search s = {.take = read_table, .context = golden, .fault = fault};
    *golden = (struct htmt__golden){0};
    bool found =
        folder ? htmt__csv_folder(folder, &s) : htmt_search_folders(&search, htmt__csv_folder, &s);
    if (!found && !s.rc)
        s.rc = htmt_fault_set(fault, HTMT_ENOENT, "no golden tables (no *.csv in %s)", s.tried);
    for (unsigned i = 0; i < golden->count; i++)
        if (!golden->table[i].title)
            golden->table[i].title = golden->table[i].name;
    /* An id is unique over all tables. */
    for (unsigned i = 0; i < golden->count && !s.rc; i++)
        for (unsigned k = 0; k < golden->table[i].count && !s.rc; k++) {
            const struct htmt__golden_row *row = &golden->table[i].row[k];
            if (htmt__golden_find(golden, row->id) != row)
                s.rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s.csv: id '%s' is there twice",
                                      golden->table[i].name, row->id);
        }
    if (s.rc)
        htmt__golden_clear(golden);
    return s.rc;
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

double htmt__golden_target(const struct htmt__golden_row *row)
{
    bool about_print = strstr(row->tolerance, "abs") || !*row->recomputed;
    return number(about_print ? row->value : row->recomputed);
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
