/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/validate/pim/fitted.h"

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

int htmt__fitted_check(const struct htmt_costs *costs, struct htmt_fault *fault)
{
    for (unsigned i = 0; i < costs->count; i++) {
        const struct htmt_figure *f = &costs->figure[i];
        char id[ID_ROOM];
        if (f->line == 0 || next_id(f->source, id))
            continue;
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s:%d: %s: found a source without rows, expected the ids that it "
                              "was fitted to (they are not to be counted)",
                              f->file, f->line, f->key);
    }
    return 0;
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

static bool matches(const struct patterns *p, const char *id)
{
    for (unsigned i = 0; i < p->count; i++)
        if (fnmatch(p->id[i], id, 0) == 0)
            return true;
    return false;
}

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
