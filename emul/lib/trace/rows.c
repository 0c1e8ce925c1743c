/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows of a slice, from top to bottom, and the row that each step is drawn in. Layers come as
 * the machine has them, the outer one first, and in each layer its processors, its memory, and what
 * leaves and comes: the way of a parcel goes from the top to the bottom and back. Page, pictures
 * and exports take their rows from here, so that one name stands for one row in all of them.
 */
#include "emul/lib/trace/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *htmt__row_kind_name(enum htmt__row_kind kind)
{
    static const char *const names[HTMT__ROW_KINDS] = {"sections", "bank", "memory", "out", "in"};
    return kind < HTMT__ROW_KINDS ? names[kind] : "?";
}

static void add(struct htmt__rows *rows, enum htmt__row_kind kind, uint32_t resource,
                uint32_t layer, const char *name)
{
    struct htmt__trace_row *r = &rows->row[rows->count++];
    *r = (struct htmt__trace_row){.kind = kind, .resource = resource, .layer = layer};
    snprintf(r->name, sizeof r->name, "%s", name);
}

/* A resource without servers or channels is not there. */
static void add_resources(const struct htmt_trace_info *info, struct htmt__rows *rows,
                          enum htmt__row_kind row, enum htmt_resource_kind kind, uint32_t layer)
{
    for (uint32_t i = 0; i < info->resources; i++) {
        const struct htmt_trace_resource *r = &info->resource[i];
        if (r->kind == kind && r->layer == layer && r->count)
            add(rows, row, i, layer, r->name);
    }
}

int htmt__rows_make(const struct htmt_trace_info *info, struct htmt__rows *rows)
{
    struct htmt__rows made = {0};
    bool gates = false;
    made.row = calloc((size_t)1 + info->layers + info->resources, sizeof *made.row);
    made.of_step = calloc((size_t)info->steps + 1, sizeof *made.of_step);
    if (!made.row || !made.of_step) {
        htmt__rows_clear(&made);
        return HTMT_ENOMEM;
    }
    for (uint32_t i = 0; i < info->steps; i++)
        gates = gates || info->step[i].place == HTMT_TRACE_GATE;
    add(&made, HTMT__ROW_SECTIONS, UINT32_MAX, UINT32_MAX,
        gates && !info->sections ? "gates" : "sections");
    for (uint32_t l = 0; l < info->layers; l++) {
        add_resources(info, &made, HTMT__ROW_BANK, HTMT_BANK, l);
        add(&made, HTMT__ROW_MEMORY, UINT32_MAX, l, info->layer[l].memory);
        add_resources(info, &made, HTMT__ROW_OUT, HTMT_LINK_OUT, l);
        add_resources(info, &made, HTMT__ROW_IN, HTMT_LINK_IN, l);
    }
    /* Steps of no resource or memory stay with the sections. */
    for (uint32_t i = 0; i < info->steps; i++) {
        const struct htmt_trace_step *s = &info->step[i];
        for (uint32_t k = made.count; k-- && s->place != HTMT_TRACE_SECTION;) {
            const struct htmt__trace_row *r = &made.row[k];
            bool mine = s->place < HTMT_TRACE_STALLED || s->place == HTMT_TRACE_PAUSED
                            ? r->resource == s->resource && s->resource != UINT32_MAX
                            : r->kind == HTMT__ROW_MEMORY && r->layer == s->layer;
            made.of_step[i] = mine ? k : made.of_step[i];
        }
    }
    *rows = made;
    return 0;
}

void htmt__rows_clear(struct htmt__rows *rows)
{
    free(rows->row);
    free(rows->of_step);
    memset(rows, 0, sizeof *rows);
}
