/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which rows figures were fitted to.
 *
 * A prediction of a row that a figure was fitted to is no prediction, and must not count. Nobody
 * keeps a list: the source of a fitted figure in a machine or cost file names its rows, or patterns
 * of them
 * ("N.mram.*.1.*.*"), and these words are read out of the sources. A point of a curve of the bus is
 * a row without being named, if it has the row's DPUs, bytes and time. So that no figure is fitted
 * in silence, every constant must name two kernels of its program; every figure of a machine whose
 * source speaks of rows, of a median or of a fit must name rows; latencies and launches of the
 * copies' machine must, whatever their source says; and a row that a source names must be one that
 * was measured.
 */
#include "emul/validate/pim/judge.h"

#include "layers/file/figures.h"
#include "runtime/base/array.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID_ROOM 64
#define WORD    4 /* bytes */

/* The next word of a source that looks like a row's id or a pattern of ids: capitals, digits and
 * '-', a dot, then more with three dots at least. */
static const char *next_id(const char *at, char id[ID_ROOM])
{
    for (;;) {
        at += strcspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        size_t length = strcspn(at, " ,;:()");
        unsigned dots = 0;
        if (length == 0)
            return NULL;
        for (size_t i = 0; i < length; i++)
            dots += at[i] == '.';
        if (dots >= 4 && length < ID_ROOM) {
            memcpy(id, at, length);
            id[length] = '\0';
            return at + length;
        }
        at += length;
    }
}

/* ---- what sources name ---------------------------------------------------------------------- */

struct patterns {
    unsigned count;
    size_t room;
    char (*id)[ID_ROOM];
};

/* Adds each id and pattern in the sources of figures, once. */
static int collect(struct patterns *p, const struct htmt_figure *figure, uint32_t count,
                   struct htmt_fault *fault)
{
    for (uint32_t i = 0; i < count; i++) {
        char id[ID_ROOM];
        const char *at = figure[i].source;
        while ((at = next_id(at, id))) {
            unsigned k = 0;
            while (k < p->count && strcmp(p->id[k], id) != 0)
                k++;
            if (k < p->count)
                continue;
            if (!htmt__array_fits(&p->id, &p->room, p->count + 1, sizeof *p->id))
                return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
            memcpy(p->id[p->count++], id, strlen(id) + 1);
        }
    }
    return 0;
}

static bool matches(const struct patterns *p, const char *id)
{
    for (unsigned i = 0; i < p->count; i++)
        if (fnmatch(p->id[i], id, 0) == 0)
            return true;
    return false;
}

/* ---- what sources must name ----------------------------------------------------------------- */

/* Figures of the copies' machine that were fitted to copies. */
static const char *const fitted_keys[] = {"networks.dma.latency.*", "networks.bus.launch",
                                          "networks.bus.launch.value.*"};

/* Points of a curve are the rows of their values. */
#define POINTS "networks.bus.*.time.value.*"

/* Whether a source says that measurements were used. */
static bool speaks_of_rows(const struct htmt_figure *f)
{
    static const char *const words[] = {"the rows", "fitted", "median"};
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        found = found || strstr(f->source, words[i]);
    return found && htmt__figure_modelled(f) && fnmatch(POINTS, f->key, 0) != 0;
}

/* Rows that are judged, and those that are shipped. */
struct known {
    const struct htmt__measured *data;
    struct htmt__measured shipped;
};

/* Row number i of both, each once; NULL behind the last. *i moves on. */
static const struct htmt__measured_row *next_row(const struct known *k, unsigned *i)
{
    const unsigned at = (*i)++;
    if (at < k->data->count)
        return &k->data->row[at];
    if (at - k->data->count >= k->shipped.count)
        return NULL;
    const struct htmt__measured_row *row = &k->shipped.row[at - k->data->count];
    return htmt__measured_find(k->data, row->id) ? next_row(k, i) : row;
}

/* `constant`: its source must name two kernels of its program. `fitted`: it must name a row. Ids
 * that were never measured are refused if they belong to a family, which is how ids of known rows
 * begin: "N.", "U.". Other words that look like ids are none. */
static int check_figure(const struct known *k, const struct htmt_figure *f, bool constant,
                        bool fitted, struct htmt_fault *fault)
{
    struct patterns ids = {0};
    const struct htmt__measured_row *row;
    unsigned kernels = 0;
    int rc = collect(&ids, f, 1, fault);
    for (unsigned n = 0; n < ids.count && !rc; n++) {
        const size_t length = strcspn(ids.id[n], ".") + 1;
        bool family = false, measured = false;
        for (unsigned i = 0; !measured && (row = next_row(k, &i));) {
            measured = fnmatch(ids.id[n], row->id, 0) == 0;
            family = family || strncmp(ids.id[n], row->id, length) == 0;
        }
        if (family && !measured)
            rc = htmt_fault_set(fault, HTMT_EFORMAT,
                                "%s:%d: %s: found row '%s' in the source, which was never "
                                "measured",
                                f->file, f->line, f->key, ids.id[n]);
    }
    for (unsigned i = 0; !rc && constant && (row = next_row(k, &i));) {
        const int program = htmt__pim_program(row->program);
        const char *key = program < 0 ? "" : htmt__pim_key(program);
        const size_t length = strlen(key);
        kernels += length && strncmp(f->key, key, length) == 0 && f->key[length] == '.' &&
                   strcmp(row->part, "kernel") == 0 && matches(&ids, row->id);
    }
    if (!rc && constant && kernels < 2)
        rc = htmt_fault_set(fault, HTMT_EFORMAT,
                            "%s:%d: %s: found %u kernels of its program in the source, expected "
                            "the two rows that it was fitted to (they are not to be counted)",
                            f->file, f->line, f->key, kernels);
    else if (!rc && !constant && fitted && ids.count == 0)
        rc = htmt__figure_refuse(f, HTMT_EFORMAT, fault,
                                 "found a source without rows, expected the ids that it was fitted "
                                 "to (they are not to be counted)");
    free(ids.id);
    return rc;
}

int htmt__fitted_check(const struct htmt__pim_judgement *j, struct htmt_fault *fault)
{
    const struct htmt_machine *m = j->copies;
    struct known k = {.data = &j->measured};
    struct htmt_fault none = {0};
    int rc = 0;
    (void)htmt__measured_shipped(&k.shipped, &none);
    for (uint32_t i = 0; i < m->figure_count && !rc; i++) {
        const struct htmt_figure *f = &m->figure[i];
        bool fitted = speaks_of_rows(f);
        for (size_t n = 0; n < sizeof fitted_keys / sizeof *fitted_keys; n++)
            fitted |= fnmatch(fitted_keys[n], f->key, 0) == 0;
        rc = check_figure(&k, f, false, fitted && htmt__figure_modelled(f), fault);
    }
    m = j->programs;
    for (uint32_t i = 0; i < m->figure_count && !rc; i++)
        rc = check_figure(&k, &m->figure[i], false, speaks_of_rows(&m->figure[i]), fault);
    for (unsigned i = 0; i < j->costs->count && !rc; i++)
        rc = check_figure(&k, &j->costs->figure[i], true, false, fault);
    htmt__measured_clear(&k.shipped);
    return rc;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Whether the row is a point of a curve of the bus: one with its value, as an end that was
 * continued is none. */
static bool is_point(const struct htmt__bus *bus, const struct htmt__measured_row *r)
{
    const struct htmt__bus_transfer *t = &bus->transfer[0][0][0];
    const double measured = r->seconds * (double)HTMT_SECOND;
    if (r->kind != HTMT__MEASURED_HOST)
        return false;
    for (size_t n = 0; n < sizeof bus->transfer / sizeof *t; n++)
        for (uint32_t i = 0; i < t[n].time.count; i++) {
            const struct htmt_curve *c = &t[n].time;
            const double fs = htmt_ratio_value(c->point[i].value);
            const double off = fs > measured ? fs - measured : measured - fs;
            if (c->point[i].x == r->dpus && c->point[i].y == r->words * WORD &&
                off <= 1e-9 * measured)
                return true;
        }
    return false;
}

int htmt__fitted_mark(struct htmt__pim_judgement *j, struct htmt_fault *fault)
{
    struct patterns p = {0};
    const struct htmt__bus *bus = &htmt__bank_machine_of(j->copies)->figures;
    int rc = collect(&p, j->copies->figure, j->copies->figure_count, fault);
    if (!rc)
        rc = collect(&p, j->programs->figure, j->programs->figure_count, fault);
    if (!rc)
        rc = collect(&p, j->costs->figure, j->costs->count, fault);
    for (unsigned i = 0; i < j->count && !rc; i++)
        j->finding[i].fitted =
            is_point(bus, j->finding[i].row) || matches(&p, j->finding[i].row->id);
    free(p.id);
    return rc;
}

/* ---- straight lines -------------------------------------------------------------------------- */

static double work_of(const struct htmt__measured_row *r)
{
    return (double)r->words / r->dpus;
}

/* Two kernels of the program among the rows that its constant names, of different work. */
static bool find_two(const struct known *k, const struct patterns *ids, int program,
                     const struct htmt__measured_row *two[2])
{
    const struct htmt__measured_row *row;
    two[0] = two[1] = NULL;
    for (unsigned i = 0; (row = next_row(k, &i));)
        if (htmt__pim_program(row->program) == program && !strcmp(row->part, "kernel") &&
            matches(ids, row->id) && (!two[0] || work_of(two[0]) != work_of(row)))
            two[two[0] != NULL] = row;
    return two[1];
}

int htmt__fitted_lines(struct htmt__pim_judgement *j, struct htmt_fault *fault)
{
    struct known k = {.data = &j->measured};
    struct htmt_fault none = {0};
    int rc = 0;
    (void)htmt__measured_shipped(&k.shipped, &none);
    for (unsigned c = 0; c < j->costs->count && !rc; c++) {
        const struct htmt_figure *f = &j->costs->figure[c];
        const struct htmt__measured_row *two[2];
        struct patterns ids = {0};
        int program = 0;
        char key[sizeof f->key];
        for (; htmt__pim_program_name(program); program++) {
            snprintf(key, sizeof key, "%s.instructions", htmt__pim_key(program));
            if (!strcmp(key, f->key))
                break;
        }
        if (!htmt__pim_program_name(program))
            continue;
        rc = collect(&ids, f, 1, fault);
        const bool has_line = !rc && find_two(&k, &ids, program, two);
        for (unsigned i = 0; has_line && i < j->count; i++) {
            const struct htmt__measured_row *r = j->finding[i].row;
            const double share =
                (work_of(r) - work_of(two[0])) / (work_of(two[1]) - work_of(two[0]));
            if (htmt__pim_program(r->program) == program && !strcmp(r->part, "kernel"))
                j->finding[i].line_error =
                    (two[0]->seconds + share * (two[1]->seconds - two[0]->seconds)) / r->seconds -
                    1;
        }
        free(ids.id);
    }
    htmt__measured_clear(&k.shipped);
    return rc;
}
