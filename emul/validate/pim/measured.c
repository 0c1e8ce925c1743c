/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measured rows: what the parts of an id say, the two forms of files, and a table sorted by id, so
 * that a row is found quickly and reports do not depend on the order of files.
 *
 *     # unit: ns                                id,quantity,value,unit,source,note
 *     id,value                                  U.VA.64.2621440.kernel,time,4.1,ms,paper,measured
 *     N.wram.64.16.1024.10,48213
 *
 * The left form is what a benchmark prints: one unit for the file. The right one is a collection
 * out of papers, where each row says its unit, where it comes from, and by its note whether it was
 * measured. Only such rows count; the others are kept by note with their number, so that the report
 * can say what was left out and why. A row is never dropped in silence: it is used, or counted as
 * left out, or of an id that no model has, which the report lists, or the file is refused with its
 * line.
 */
#include "emul/validate/pim/measured.h"

#include "emul/validate/csv.h"
#include "layers/file/folders.h"
#include "layers/file/search.h"
#include "runtime/base/array.h"
#include "runtime/base/input.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHORT   "id,value"
#define LONG    "id,quantity,value,unit,source,note"
#define COUNTED "measured"
#define SHIPPED "share/htmt/measured"

enum { ID, QUANTITY, VALUE, UNIT, SOURCE, NOTE, COLUMNS };

static const struct htmt_search search = {"measured table", "measured", "HTMT_MEASURED_PATH"};

struct reading {
    struct htmt__measured *all;
    struct htmt__csv_place place;
    bool is_short, is_open; /* open: the head has come */
    char *unit;             /* of a file with ids and values */
};

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

/* "measured", or that word and more, unless "reference only": "measured; second server". */
static bool is_counted(const char *note)
{
    const size_t length = strlen(COUNTED);
    return !strncmp(note, COUNTED, length) && !isalnum((unsigned char)note[length]) &&
           !strstr(note, "reference only");
}

static int leave_out(struct reading *p, const char *note)
{
    struct htmt__measured *m = p->all;
    unsigned i = 0;
    while (i < m->notes && strcmp(m->note[i].note, note) != 0)
        i++;
    if (i == m->notes) {
        if (!htmt__array_fits(&m->note, &m->note_room, m->notes + 1, sizeof *m->note))
            return htmt_fault_set(p->place.fault, HTMT_ENOMEM, "%s: out of memory", p->place.file);
        m->note[m->notes++] = (struct htmt__measured_note){.note = note};
    }
    m->note[i].rows++;
    return 0;
}

/* What the parts of an id say, between dots: of a copy in a DPU
 * "N.LEVEL.DPUS.TASKLETS.WORDS.TIMES", of a transfer "N.host.LEVEL.WAY.DPUS.WORDS", of a program
 * "SERVER.PROGRAM.DPUS.WORDS.PART". Ids of no kind are kept; the report lists them. */
static void read_id(struct htmt__measured_row *r)
{
    static const char *const levels[] = {"wram", "mram", NULL};
    static const char *const ways[] = {"to-dpu", "from-dpu", "broadcast", NULL};
    static const char *const times[] = {"kernel", "cpu-to-dpu", "dpu-to-cpu", "inter-dpu", NULL};
    char text[120], *rest = text, *part[6] = {NULL}, *word;
    unsigned parts = 0;
    bool known = snprintf(text, sizeof text, "%s", r->id) < (int)sizeof text;
    for (; known && (word = strsep(&rest, ".")); parts++)
        if (parts < 6)
            part[parts] = word;
    if (known && parts == 6 && !strcmp(part[0], "N") && strcmp(part[1], "host") != 0) {
        r->kind = HTMT__MEASURED_COPY;
        snprintf(r->part, sizeof r->part, "%s", part[1]);
        r->dpus = (uint32_t)whole(part[2]);
        r->tasklets = (uint32_t)whole(part[3]);
        r->words = whole(part[4]);
        r->repetitions = whole(part[5]);
        known = is_one_of(part[1], levels) && r->tasklets && r->repetitions;
    } else if (known && parts == 6 && !strcmp(part[0], "N")) {
        r->kind = HTMT__MEASURED_HOST;
        snprintf(r->part, sizeof r->part, "%s", part[2]);
        snprintf(r->way, sizeof r->way, "%s", part[3]);
        r->dpus = (uint32_t)whole(part[4]);
        r->words = whole(part[5]);
        known = is_one_of(part[2], levels) && is_one_of(part[3], ways);
    } else if (known && parts == 5) {
        r->kind = HTMT__MEASURED_PROGRAM;
        snprintf(r->server, sizeof r->server, "%s", part[0]);
        snprintf(r->program, sizeof r->program, "%s", part[1]);
        r->dpus = (uint32_t)whole(part[2]);
        r->words = whole(part[3]);
        snprintf(r->part, sizeof r->part, "%s", part[4]);
        known = is_one_of(part[4], times);
    } else {
        known = false;
    }
    if (!known || !r->dpus || !r->words)
        r->kind = HTMT__MEASURED_UNKNOWN;
}

static int add(struct reading *p, char *const column[COLUMNS])
{
    struct htmt__measured *m = p->all;
    const struct htmt__csv_place *at = &p->place;
    char *end;
    if (!htmt__array_fits(&m->row, &m->room, m->count + 1, sizeof *m->row))
        return htmt_fault_set(at->fault, HTMT_ENOMEM, "%s: out of memory", at->file);
    struct htmt__measured_row *r = &m->row[m->count];
    *r = (struct htmt__measured_row){.id = column[ID],
                                     .file = at->file,
                                     .line = at->line,
                                     .value = column[VALUE],
                                     .unit = column[UNIT]};
    read_id(r);
    if (!*column[ID])
        return htmt__csv_refuse(at, HTMT_EFORMAT, "", "an id");
    m->count += r->kind == HTMT__MEASURED_UNKNOWN;
    if (r->kind == HTMT__MEASURED_UNKNOWN)
        return 0;
    r->seconds = strtod(column[VALUE], &end) * size_of(column[UNIT]);
    if (!(size_of(column[UNIT]) > 0))
        return htmt__csv_refuse(at, HTMT_EUNIT, column[UNIT],
                                "a unit of time: s, ms, us, ns, ps or fs");
    if (*end || end == column[VALUE] || !(r->seconds > 0) || r->seconds > 1e9)
        return htmt__csv_refuse(at, HTMT_EFORMAT, column[VALUE], "a time above zero");
    m->count++;
    return 0;
}

/* ---- one file ------------------------------------------------------------------------------- */

static int read_line(void *context, char *line)
{
    struct reading *p = context;
    char *column[COLUMNS] = {NULL};
    line[strcspn(line, "\r")] = '\0';
    if (!*line)
        return 0;
    if (p->is_open) {
        const int columns = htmt__csv_cut(line, column, COLUMNS, false);
        if (columns != (p->is_short ? 2 : COLUMNS))
            return htmt__csv_refuse(&p->place, HTMT_EFORMAT, column[ID],
                                    p->is_short ? "two columns" : "six columns");
        if (!p->is_short)
            return is_counted(column[NOTE]) ? add(p, column) : leave_out(p, column[NOTE]);
        column[VALUE] = column[1];
        column[UNIT] = p->unit;
        return add(p, column);
    }
    if (!strncmp(line, "# unit: ", 8))
        p->unit = line + 8;
    if (*line == '#')
        return 0;
    p->is_open = true;
    p->is_short = !strcmp(line, SHORT);
    if (p->is_short && !p->unit)
        return htmt__csv_refuse(&p->place, HTMT_EUNIT, line, "a line '# unit: ns' before it");
    return p->is_short || !strcmp(line, LONG)
               ? 0
               : htmt__csv_refuse(&p->place, HTMT_EFORMAT, line, "'" SHORT "' or '" LONG "'");
}

static int read_file(void *context, const char *folder, const char *name, struct htmt_fault *fault)
{
    struct htmt__measured *m = context;
    char path[HTMT_PATH_MAX];
    size_t length;
    struct reading p = {.all = m, .place.fault = fault};
    if (!htmt__array_fits(&m->text, &m->text_room, m->files + 1, sizeof *m->text) ||
        !htmt__array_fits(&m->name, &m->name_room, m->files + 1, sizeof *m->name))
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory", folder);
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return htmt_fault_set(fault, HTMT_ENOENT, "the path of a measured table is too long");
    m->text[m->files] = NULL;
    p.place.file = m->name[m->files] = strdup(path);
    if (!p.place.file)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory", path);
    m->files++;
    int rc = htmt_input_read(path, HTMT_INPUT_TEXT, &m->text[m->files - 1], &length, fault);
    return rc ? rc : htmt__csv_lines(m->text[m->files - 1], &p.place, read_line, &p);
}

/* ---- folders --------------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct htmt__measured_row *)a)->id,
                  ((const struct htmt__measured_row *)b)->id);
}

/* `folder` is for messages. */
static int finish(struct htmt__csv_search *s, bool found, const char *folder)
{
    struct htmt__measured *m = s->context;
    if (!found && !s->rc)
        s->rc = htmt_fault_set(s->fault, HTMT_ENOENT, "%s: no measured tables (*.csv)", folder);
    if (!s->rc && !m->count)
        s->rc = htmt_fault_set(s->fault, HTMT_EFORMAT,
                               "%s: found no row in its measured tables, "
                               "expected one with the note '" COUNTED "'",
                               folder);
    if (!s->rc)
        qsort(m->row, m->count, sizeof *m->row, by_id);
    for (unsigned i = 1; i < m->count && !s->rc; i++)
        if (!strcmp(m->row[i - 1].id, m->row[i].id))
            s->rc = htmt_fault_set(s->fault, HTMT_EFORMAT, "%s:%d: id '%.60s' is there twice",
                                   m->row[i].file, m->row[i].line, m->row[i].id);
    if (s->rc)
        htmt__measured_clear(m);
    return s->rc;
}

int htmt__measured_load(const char *folder, struct htmt__measured *measured,
                        struct htmt_fault *fault)
{
    struct htmt__csv_search s = {.take = read_file, .context = measured, .fault = fault};
    *measured = (struct htmt__measured){0};
    if (folder && !htmt__folder_exists(folder))
        return htmt_fault_set(fault, HTMT_ENOENT, "%s: there is no such folder", folder);
    bool found =
        folder ? htmt__csv_folder(folder, &s) : htmt_search_folders(&search, htmt__csv_folder, &s);
    return finish(&s, found, folder ? folder : SHIPPED);
}

int htmt__measured_shipped(struct htmt__measured *measured, struct htmt_fault *fault)
{
    struct htmt__csv_search s = {.take = read_file, .context = measured, .fault = fault};
    *measured = (struct htmt__measured){0};
    bool found = htmt__search_shipped_folders(&search, htmt__csv_folder, &s);
    return finish(&s, found, SHIPPED);
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
    free(m->note);
    *m = (struct htmt__measured){0};
}

const struct htmt__measured_row *htmt__measured_find(const struct htmt__measured *m, const char *id)
{
    const struct htmt__measured_row key = {.id = id};
    return m->count ? bsearch(&key, m->row, m->count, sizeof key, by_id) : NULL;
}
