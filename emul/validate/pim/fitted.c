/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/validate/pim/fitted.h"

#include "layers/file/figures.h"

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
    unsigned count, room;
    char (*id)[ID_ROOM];
};

static bool has(const struct patterns *p, const char *id)
{
    for (unsigned i = 0; i < p->count; i++)
        if (!strcmp(p->id[i], id))
            return true;
    return false;
}

static int put(struct patterns *p, const char *id, struct htmt_fault *fault)
{
    if (has(p, id))
        return 0;
    if (p->count == p->room) {
        unsigned room = p->room ? 2 * p->room : 64;
        char(*more)[ID_ROOM] = reallocarray(p->id, room, sizeof *more);
        if (!more)
            return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
        p->id = more;
        p->room = room;
    }
    memcpy(p->id[p->count++], id, strlen(id) + 1);
    return 0;
}

static int collect(struct patterns *p, const struct htmt_figure *figure, uint32_t count,
                   struct htmt_fault *fault)
{
    int rc = 0;
    for (uint32_t i = 0; i < count; i++) {
        char id[ID_ROOM];
        const char *at = figure[i].source;
        while (!rc && (at = next_id(at, id)))
            rc = put(p, id, fault);
    }
    return rc;
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
                                          "networks.bus.launch.value.*", NULL};

static bool is_fitted_key(const char *key)
{
    const char *const *at = fitted_keys;
    while (*at && fnmatch(*at, key, 0) != 0)
        at++;
    return *at;
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

/* Ids of a family begin as those of known rows do: "N.", "U.". */
static bool is_unknown(const struct known *k, const char *id)
{
    const size_t length = strcspn(id, ".") + 1;
    const struct htmt__measured_row *row;
    bool family = false;
    for (unsigned i = 0; (row = next_row(k, &i));) {
        if (fnmatch(id, row->id, 0) == 0)
            return false;
        family = family || strncmp(id, row->id, length) == 0;
    }
    return family;
}

static int check_ids(const struct known *k, const struct htmt_figure *f, const struct patterns *ids,
                     struct htmt_fault *fault)
{
    for (unsigned i = 0; i < ids->count; i++)
        if (is_unknown(k, ids->id[i]))
            return htmt_fault_set(fault, HTMT_EFORMAT,
                                  "%s:%d: %s: found row '%s' in the source, which was never "
                                  "measured",
                                  f->file, f->line, f->key, ids->id[i]);
    return 0;
}

/* The kernels of a constant's program among the rows of its source. */
static int check_constant(const struct known *k, const struct htmt_figure *f,
                          const struct patterns *ids, struct htmt_fault *fault)
{
    const struct htmt__measured_row *row;
    unsigned kernels = 0;
    for (unsigned i = 0; (row = next_row(k, &i));) {
        const int program = htmt__pim_program(row->program);
        const char *key = program < 0 ? "" : htmt__pim_key(program);
        const size_t length = strlen(key);
        kernels += length && strncmp(f->key, key, length) == 0 && f->key[length] == '.' &&
                   strcmp(row->part, "kernel") == 0 && matches(ids, row->id);
    }
    return kernels >= 2 ? 0
                        : htmt_fault_set(fault, HTMT_EFORMAT,
                                         "%s:%d: %s: found %u kernels of its program in the "
                                         "source, expected the two rows that it was fitted to "
                                         "(they are not to be counted)",
                                         f->file, f->line, f->key, kernels);
}

static int check_figure(const struct known *k, const struct htmt_figure *f, bool constant,
                        bool fitted, struct htmt_fault *fault)
{
    struct patterns ids = {0};
    int rc = collect(&ids, f, 1, fault);
    rc = rc ? rc : check_ids(k, f, &ids, fault);
    if (!rc && constant)
        rc = check_constant(k, f, &ids, fault);
    else if (!rc && fitted && ids.count == 0)
        rc = htmt__figure_refuse(f, HTMT_EFORMAT, fault,
                                 "found a source without rows, expected the ids that it was fitted "
                                 "to (they are not to be counted)");
    free(ids.id);
    return rc;
}

static int check_machine(const struct known *k, const struct htmt_machine *m, bool fitted,
                         struct htmt_fault *fault)
{
    int rc = 0;
    for (uint32_t i = 0; i < m->figure_count && !rc; i++) {
        const struct htmt_figure *f = &m->figure[i];
        rc = check_figure(k, f, false, fitted && htmt__figure_modelled(f) && is_fitted_key(f->key),
                          fault);
    }
    return rc;
}

int htmt__fitted_check(const struct htmt__pim_judgement *j, struct htmt_fault *fault)
{
    struct known k = {.data = &j->measured};
    struct htmt_fault none = {0};
    (void)htmt__measured_shipped(&k.shipped, &none);
    int rc = check_machine(&k, j->copies, true, fault);
    rc = rc ? rc : check_machine(&k, j->programs, false, fault);
    for (unsigned i = 0; i < j->costs->count && !rc; i++)
        rc = check_figure(&k, &j->costs->figure[i], true, false, fault);
    htmt__measured_clear(&k.shipped);
    return rc;
}

/* ---- points of curves ----------------------------------------------------------------------- */

/* Whether the value of a point is that of the row: an end that was continued is not. */
static bool is_value(struct htmt_ratio value, double seconds)
{
    double fs = htmt_ratio_value(value), measured = seconds * (double)HTMT_SECOND;
    double off = fs > measured ? fs - measured : measured - fs;
    return off <= 1e-9 * measured;
}

static bool is_point(const struct htmt_curve *c, const struct htmt__measured_row *r)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (c->point[i].x == r->dpus && c->point[i].y == r->words * WORD &&
            is_value(c->point[i].value, r->seconds))
            return true;
    return false;
}

static bool is_point_of_bus(const struct htmt__bus *bus, const struct htmt__measured_row *r)
{
    if (r->kind != HTMT__MEASURED_HOST)
        return false;
    const struct htmt__bus_transfer *t = &bus->transfer[0][0][0];
    for (size_t i = 0; i < sizeof bus->transfer / sizeof *t; i++)
        if (is_point(&t[i].time, r))
            return true;
    return false;
}

/* ---- rows ----------------------------------------------------------------------------------- */

int htmt__fitted_mark(struct htmt__pim_judgement *j, struct htmt_fault *fault)
{
    struct patterns p = {0};
    const struct htmt__bus *bus = &htmt__machine_bank_host(j->copies)->figures;
    int rc = collect(&p, j->copies->figure, j->copies->figure_count, fault);
    if (!rc)
        rc = collect(&p, j->programs->figure, j->programs->figure_count, fault);
    if (!rc)
        rc = collect(&p, j->costs->figure, j->costs->count, fault);
    for (unsigned i = 0; i < j->count && !rc; i++)
        j->finding[i].fitted =
            is_point_of_bus(bus, j->finding[i].row) || matches(&p, j->finding[i].row->id);
    free(p.id);
    return rc;
}
