/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A counting sort of numbers of particles, window by window of cells.
 */
#include "apps/pic/roster.h"

#include "apps/pic/plan.h"

#include <string.h>

static uint32_t window(const struct htmt__pic_roster *r)
{
    uint32_t left = r->cells - r->from;
    return left < HTMT__PIC_WINDOW ? left : HTMT__PIC_WINDOW;
}

static uint32_t whole_vectors(uint32_t count)
{
    return (count + HTMT__PIC_LANES_MOST - 1) / HTMT__PIC_LANES_MOST * HTMT__PIC_LANES_MOST;
}

/* last[] counts, then says where the next of a cell goes. */
static void list(struct htmt__pic_roster *r)
{
    const uint32_t cells = window(r);
    memset(r->last, 0, cells * sizeof *r->last);
    for (uint32_t i = 0; i < r->count; i++)
        if (r->cell[i] - r->from < cells)
            r->last[r->cell[i] - r->from]++;
    for (uint32_t c = 0, at = 0; c < cells; c++) {
        uint32_t count = r->last[c];
        r->first[c] = r->last[c] = (uint16_t)at;
        at += whole_vectors(count);
    }
    for (uint32_t i = 0; i < r->count; i++)
        if (r->cell[i] - r->from < cells)
            r->who[r->last[r->cell[i] - r->from]++] = HTMT__PIC_PARTICLE_WORDS * i;
    r->next = 0;
}

void htmt__pic_roster_begin(struct htmt__pic_roster *r)
{
    r->from = 0;
    list(r);
}

static void fill_up(uint32_t *who, uint32_t count)
{
    for (uint32_t i = count; i % HTMT__PIC_LANES_MOST; i++)
        who[i] = who[count - 1];
}

bool htmt__pic_roster_next(struct htmt__pic_roster *r, struct htmt__pic_crew *crew)
{
    for (;;) {
        for (; r->next < window(r); r->next++) {
            uint32_t first = r->first[r->next], count = r->last[r->next] - first;
            if (!count)
                continue;
            fill_up(r->who + first, count);
            *crew = (struct htmt__pic_crew){r->from + r->next++, count, r->who + first};
            return true;
        }
        if (r->cells - r->from <= HTMT__PIC_WINDOW)
            return false;
        r->from += HTMT__PIC_WINDOW;
        list(r);
    }
}
