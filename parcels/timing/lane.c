/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/timing/lane.h"
#include "runtime/base/pages.h"

#include <stdlib.h>

int htmt__delay_grow(struct htmt__delay *line)
{
    struct htmt__head *ring =
        htmt__fault_injected() ? NULL : malloc(2 * (size_t)line->room * sizeof *ring);
    if (!ring)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < line->count; i++)
        ring[i] = *htmt__delay_at(line, i);
    if (line->ring != line->least)
        free(line->ring);
    line->ring = ring;
    line->room *= 2;
    line->first = 0;
    return 0;
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Nobody is in the lane. */
static void init(struct htmt__lane *l, struct htmt__delay *lines, size_t count)
{
    l->line = lines;
    l->front[0] = (struct htmt__head){HTMT_TIME_MAX, NULL};
    for (size_t i = 0; i < count; i++) {
        lines[i].ring = lines[i].least;
        lines[i].room = HTMT__RING_LEAST;
    }
}

static void fini(struct htmt__lane *l, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (l->line[i].ring != l->line[i].least)
            free(l->line[i].ring);
}

int htmt__lane_create(struct htmt_emulator *e)
{
    size_t count = htmt__line_count(e);
    if (count > HTMT__LINES_MAX)
        return 0;
    e->lane = htmt__record_alloc(sizeof *e->lane + count * sizeof(struct htmt__delay));
    if (!e->lane)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for the lines of %zu steps", count);
    init(e->lane, (struct htmt__delay *)(e->lane + 1), count);
    return 0;
}

void htmt__lane_clear(struct htmt_emulator *e)
{
    e->lane->count = 0;
    e->lane->front[0] = (struct htmt__head){HTMT_TIME_MAX, NULL};
    for (size_t i = 0; i < htmt__line_count(e); i++)
        e->lane->line[i].first = e->lane->line[i].count = 0;
}

void htmt__lane_destroy(struct htmt_emulator *e)
{
    if (e->lane)
        fini(e->lane, htmt__line_count(e));
    free(e->lane);
    e->lane = NULL;
}
