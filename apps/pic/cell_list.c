/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A counting sort of places of particles, window by window of cells.
 *
 * The kernels want the particles of a cell side by side, without moving particles of 48 bytes. So
 * the places of particles are sorted: count the particles of each cell, turn counts into first
 * places, write the place of each particle behind those of its cell. The list of one stretch of
 * particles stays in the second-level cache and is read once.
 *
 * A block may have more cells than a window. Then each window costs one more pass over the cell
 * numbers. Behind the places of each cell are some to spare, which repeat its last particle: a
 * vector that reaches beyond the cell reads particles that exist, and its kernel masks them.
 *
 * Example: three particles in cells 2, 0 and 2 of a window of three cells. The counts are 1, 0 and
 * 2. With 8 places to spare behind each cell the firsts are 0, 9 and 17. Particle 1 comes to place
 * 0, particles 0 and 2 to places 17 and 18; as offsets in words these are 6, 0 and 12.
 */
#include "apps/pic/cell_list.h"

#include "apps/pic/plan.h"

#include <string.h>

static uint32_t window(const struct htmt__pic_cell_list *r)
{
    uint32_t left = r->n[0] * r->n[1] * r->n[2] - r->from;
    return left < HTMT__PIC_WINDOW ? left : HTMT__PIC_WINDOW;
}

/* end[] counts, then says where the next of a cell goes. */
static void list(struct htmt__pic_cell_list *r)
{
    const uint32_t cells = window(r), count = r->count, from = r->from;
    memset(r->end, 0, cells * sizeof *r->end);
    for (uint32_t i = 0; i < count; i++)
        if (r->cell[i] - from < cells)
            r->end[r->cell[i] - from]++;
    for (uint32_t c = 0, at = 0; c < cells; c++) {
        uint32_t next = at + r->end[c] + HTMT__PIC_LANES_MOST;
        r->first[c] = r->end[c] = at;
        at = next;
    }
    for (uint32_t i = 0; i < count; i++)
        if (r->cell[i] - from < cells)
            r->who[r->end[r->cell[i] - from]++] = HTMT__PIC_PARTICLE_WORDS * i;
    r->next = 0;
}

void htmt__pic_cell_list_begin(struct htmt__pic_cell_list *r)
{
    r->from = 0;
    memset(r->place, 0, sizeof r->place);
    list(r);
}

static void repeat_last(uint32_t *who)
{
    for (int i = 0; i < HTMT__PIC_LANES_MOST; i++)
        who[i] = who[-1];
}

static void step(struct htmt__pic_cell_list *r)
{
    r->next++;
    for (int a = 0; a < 2; a++) {
        if (++r->place[a] < r->n[a])
            return;
        r->place[a] = 0;
    }
    r->place[2]++;
}

bool htmt__pic_cell_list_next(struct htmt__pic_cell_list *r, struct htmt__pic_cell_batch *batch)
{
    for (;;) {
        const uint32_t cells = window(r);
        while (r->next < cells && r->first[r->next] == r->end[r->next])
            step(r);
        if (r->next < cells)
            break;
        if (!cells || r->next < HTMT__PIC_WINDOW)
            return false;
        r->from += HTMT__PIC_WINDOW;
        list(r);
    }
    const uint32_t first = r->first[r->next], end = r->end[r->next];
    repeat_last(r->who + end);
    *batch = (struct htmt__pic_cell_batch){
        {r->place[0], r->place[1], r->place[2]}, end - first, r->who + first};
    step(r);
    return true;
}
