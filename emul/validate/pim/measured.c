/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/validate/pim/measured.h"

#include "layers/file/folders.h"
#include "layers/file/search.h"
#include "runtime/base/input.h"
#include "runtime/base/utf8.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX  ".csv"
#define SHORT   "id,value"
#define LONG    "id,quantity,value,unit,source,note"
#define COUNTED "measured"
#define SHIPPED "share/htmt/measured"

enum { ID, QUANTITY, VALUE, UNIT, SOURCE, NOTE, COLUMNS };

static const struct htmt_search search = {"measured table", "measured", "HTMT_MEASURED_PATH"};

struct place {
    struct htmt__measured *all;
    const char *file;
    int line;
    bool is_short, is_open; /* open: the head has come */
    char *unit;             /* of a file with ids and values */
    struct htmt_fault *fault;
};

static int refuse(const struct place *p, int code, const char *found, const char *expected)
{
    return htmt_fault_set(p->fault, code, "%s:%d: found '%.60s', expected %s", p->file, p->line,
                          found, expected);
}

/* ---- one row -------------------------------------------------------------------------------- */

/* Seconds of a unit; 0: not a unit of time. */
static double size_of(const char *unit)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"ps", 1e-12}, {"fs", 1e-15}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(units[i].unit, unit))
            return units[i].seconds;
    return 0;
}

/* Whole number; 0 when the text is none. */
static uint64_t whole(const char *text)
{
    char *end;
    unsigned long long n = strtoull(text, &end, 10);
    return *text && !*end && *text != '-' ? n : 0;
}

static bool is_one_of(const char *text, const char *const *list)
{
    while (*list && strcmp(*list, text) != 0)
        list++;
    return *list;
}

static bool read_copy(char *part[6], struct htmt__measured_row *r)
{
    static const char *const levels[] = {"wram", "mram", NULL};
    r->kind = HTMT__MEASURED_COPY;
    snprintf(r->part, sizeof r->part, "%s", part[1]);
    r->dpus = (uint32_t)whole(part[2]);
    r->tasklets = (uint32_t)whole(part[3]);
    r->words = whole(part[4]);
    r->repetitions = whole(part[5]);
    return is_one_of(part[1], levels) && r->dpus && r->tasklets && r->words && r->repetitions;
}

static bool read_host(char *part[6], struct htmt__measured_row *r)
{
    static const char *const levels[] = {"wram", "mram", NULL};
    static const char *const ways[] = {"to-dpu", "from-dpu", "broadcast", NULL};
    r->kind = HTMT__MEASURED_HOST;
    snprintf(r->part, sizeof r->part, "%s", part[2]);
    snprintf(r->way, sizeof r->way, "%s", part[3]);
    r->dpus = (uint32_t)whole(part[4]);
    r->words = whole(part[5]);
    return is_one_of(part[2], levels) && is_one_of(part[3], ways) && r->dpus && r->words;
}

static bool read_program(char *part[6], struct htmt__measured_row *r)
{
    static const char *const parts[] = {"kernel", "cpu-to-dpu", "dpu-to-cpu", "inter-dpu", NULL};
    r->kind = HTMT__MEASURED_PROGRAM;
    snprintf(r->server, sizeof r->server, "%s", part[0]);
    snprintf(r->program, sizeof r->program, "%s", part[1]);
    r->dpus = (uint32_t)whole(part[2]);
    r->words = whole(part[3]);
    snprintf(r->part, sizeof r->part, "%s", part[4]);
    return is_one_of(part[4], parts) && r->dpus && r->words;
}

static void read_id(struct htmt__measured_row *r)
{
    char text[120], *rest = text, *part[6] = {NULL}, *word;
    unsigned parts = 0;
    bool known = snprintf(text, sizeof text, "%s", r->id) < (int)sizeof text;
    for (; known && (word = strsep(&rest, ".")); parts++)
        if (parts < 6)
            part[parts] = word;
    if (known && parts == 6 && !strcmp(part[0], "N"))
        known = !strcmp(part[1], "host") ? read_host(part, r) : read_copy(part, r);
    else
        known = known && parts == 5 && read_program(part, r);
    if (!known)
        r->kind = HTMT__MEASURED_UNKNOWN;
}

static int add(struct place *p, char *const column[COLUMNS])
{
    struct htmt__measured *m = p->all;
    if (m->count == m->room) {
        unsigned room = m->room ? 2 * m->room : 1024;
        struct htmt__measured_row *row = reallocarray(m->row, room, sizeof *row);
        if (!row)
            return htmt_fault_set(p->fault, HTMT_ENOMEM, "%s: out of memory", p->file);
        m->row = row;
        m->room = room;
    }
    char *end;
    struct htmt__measured_row *r = &m->row[m->count];
    *r = (struct htmt__measured_row){.id = column[ID],
                                     .file = p->file,
                                     .line = p->line,
                                     .value = column[VALUE],
                                     .unit = column[UNIT]};
    read_id(r);
    if (!*column[ID])
        return refuse(p, HTMT_EFORMAT, "", "an id");
    m->count += r->kind == HTMT__MEASURED_UNKNOWN;
    if (r->kind == HTMT__MEASURED_UNKNOWN)
        return 0;
    r->seconds = strtod(column[VALUE], &end) * size_of(column[UNIT]);
    if (!(size_of(column[UNIT]) > 0))
        return refuse(p, HTMT_EUNIT, column[UNIT], "a unit of time: s, ms, us, ns, ps or fs");
    if (*end || end == column[VALUE] || !(r->seconds > 0) || r->seconds > 1e9)
        return refuse(p, HTMT_EFORMAT, column[VALUE], "a time above zero");
    m->count++;
    return 0;
}

/* ---- one file ------------------------------------------------------------------------------- */

static int read_row(struct place *p, char *line)
{
    char *column[COLUMNS] = {NULL}, *rest = line, *word;
    int columns = 0;
    while ((word = strsep(&rest, ",")) && columns < COLUMNS)
        column[columns++] = word;
    if (columns != (p->is_short ? 2 : COLUMNS) || word)
        return refuse(p, HTMT_EFORMAT, column[ID], p->is_short ? "two columns" : "six columns");
    if (p->is_short) {
        column[VALUE] = column[1];
        column[UNIT] = p->unit;
        return add(p, column);
    }
    return strcmp(column[NOTE], COUNTED) != 0 ? 0 : add(p, column);
}

static int read_head(struct place *p, char *line)
{
    if (!strncmp(line, "# unit: ", 8))
        p->unit = line + 8;
    if (*line == '#')
        return 0;
    p->is_open = true;
    p->is_short = !strcmp(line, SHORT);
    if (p->is_short && !p->unit)
        return refuse(p, HTMT_EUNIT, line, "a line '# unit: ns' before it");
    return p->is_short || !strcmp(line, LONG)
               ? 0
               : refuse(p, HTMT_EFORMAT, line, "'" SHORT "' or '" LONG "'");
}

static int read_lines(struct place *p, char *text)
{
    char *rest = text, *line;
    int rc = 0;
    for (p->line = 1; !rc && (line = strsep(&rest, "\n")); p->line++) {
        line[strcspn(line, "\r")] = '\0';
        if (!htmt__utf8_valid(line))
            rc = refuse(p, HTMT_EFORMAT, line, "UTF-8");
        else if (*line)
            rc = p->is_open ? read_row(p, line) : read_head(p, line);
    }
    return rc;
}

static int read_file(struct htmt__measured *m, const char *folder, const char *name,
                     struct htmt_fault *fault)
{
    char path[HTMT_PATH_MAX];
    size_t length;
    struct place p = {.all = m, .fault = fault};
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return htmt_fault_set(fault, HTMT_ENOENT, "the path of a measured table is too long");
    p.file = m->name[m->files] = strdup(path);
    if (!p.file)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory", path);
    m->files++;
    int rc = htmt_input_read(path, HTMT_INPUT_TEXT, &m->text[m->files - 1], &length, fault);
    return rc ? rc : read_lines(&p, m->text[m->files - 1]);
}

/* ---- one folder ----------------------------------------------------------------------------- */

struct visit {
    struct htmt__measured *all;
    struct htmt_fault *fault;
    int rc;
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

static int read_files(struct visit *v, const char *folder, struct dirent **entry, int count)
{
    v->all->text = calloc((size_t)count, sizeof *v->all->text);
    v->all->name = calloc((size_t)count, sizeof *v->all->name);
    if (!v->all->text || !v->all->name)
        return htmt_fault_set(v->fault, HTMT_ENOMEM, "%s: out of memory", folder);
    int rc = 0;
    for (int i = 0; i < count && !rc; i++)
        rc = read_file(v->all, folder, entry[i]->d_name, v->fault);
    return rc;
}

static int visit_folder(const char *folder, void *context)
{
    struct visit *v = context;
    struct dirent **entry = NULL;
    int count = scandir(folder, &entry, is_table, by_name);
    if (count < 0 && errno != ENOENT && errno != ENOTDIR)
        return v->rc = htmt_input_failed(folder, "list it", errno, v->fault);
    if (count > 0)
        v->rc = read_files(v, folder, entry, count);
    for (int i = 0; i < count; i++)
        free(entry[i]);
    free(entry);
    return count > 0;
}

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct htmt__measured_row *)a)->id,
                  ((const struct htmt__measured_row *)b)->id);
}

/* Sorted by id, so that a row is found quickly and reports do not depend on the order of files. */
static int sort(struct htmt__measured *m, struct htmt_fault *fault)
{
    if (m->count)
        qsort(m->row, m->count, sizeof *m->row, by_id);
    for (unsigned i = 1; i < m->count; i++)
        if (!strcmp(m->row[i - 1].id, m->row[i].id))
            return htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: id '%.60s' is there twice",
                                  m->row[i].file, m->row[i].line, m->row[i].id);
    return 0;
}

/* `folder` is for messages. */
static int finish(struct visit *v, bool found, const char *folder)
{
    if (!found && !v->rc)
        v->rc = htmt_fault_set(v->fault, HTMT_ENOENT, "%s: no measured tables (*.csv)", folder);
    if (!v->rc && !v->all->count)
        v->rc = htmt_fault_set(v->fault, HTMT_EFORMAT,
                               "%s: found no row in its measured tables, "
                               "expected one with the note '" COUNTED "'",
                               folder);
    if (!v->rc)
        v->rc = sort(v->all, v->fault);
    if (v->rc)
        htmt__measured_clear(v->all);
    return v->rc;
}

int htmt__measured_load(const char *folder, struct htmt__measured *measured,
                        struct htmt_fault *fault)
{
    struct visit v = {measured, fault, 0};
    *measured = (struct htmt__measured){0};
    if (folder && !htmt__folder_exists(folder))
        return htmt_fault_set(fault, HTMT_ENOENT, "%s: there is no such folder", folder);
    bool found = folder ? visit_folder(folder, &v) : htmt_search_folders(&search, visit_folder, &v);
    return finish(&v, found, folder ? folder : SHIPPED);
}

int htmt__measured_shipped(struct htmt__measured *measured, struct htmt_fault *fault)
{
    struct visit v = {measured, fault, 0};
    *measured = (struct htmt__measured){0};
    bool found = htmt__search_shipped_folders(&search, visit_folder, &v);
    return finish(&v, found, SHIPPED);
}

void htmt__measured_clear(struct htmt__measured *m)
{
    for (unsigned i = 0; i < m->files; i++) {
        free(m->text[i]);
        free(m->name[i]);
    }
    free(m->text);
    free(m->name);
    free(m->row);
    *m = (struct htmt__measured){0};
}

const struct htmt__measured_row *htmt__measured_find(const struct htmt__measured *m, const char *id)
{
    const struct htmt__measured_row key = {.id = id};
    return m->count ? bsearch(&key, m->row, m->count, sizeof key, by_id) : NULL;
}
