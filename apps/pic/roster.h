/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who is in which cell of a block: particles stay where they lie, their numbers are listed cell by
 * cell. So a kernel can take several that share their 27 points as the lanes of one vector.
 *
 * Call: fill in count (at most HTMT__PIC_STRETCH), the cells of the block and each particle's cell;
 * begin; next until it says false.
 */
#ifndef HTMT_APPS_PIC_ROSTER_H
#define HTMT_APPS_PIC_ROSTER_H

#include <stdbool.h>
#include <stdint.h>

enum {
    HTMT__PIC_STRETCH = 16384, /* particles listed at once; a multiple of 64 */
    HTMT__PIC_WINDOW = 4096,   /* cells listed at once */
    HTMT__PIC_LANES_MOST = 8
};

struct htmt__pic_roster {
    uint32_t count, cells;
    uint32_t from, next; /* first cell of the window; in it, the one that comes next */
    uint32_t cell[HTMT__PIC_STRETCH + HTMT__PIC_LANES_MOST];
    uint16_t first[HTMT__PIC_WINDOW + 2]; /* of each cell of the window in who */
    uint16_t last[HTMT__PIC_WINDOW];
    uint32_t who[HTMT__PIC_STRETCH + HTMT__PIC_WINDOW * (HTMT__PIC_LANES_MOST - 1)];
};

/* A cell that is not empty. Behind the last of its particles that one's number is repeated, up to
 * the next multiple of HTMT__PIC_LANES_MOST. */
struct htmt__pic_crew {
    uint32_t cell, count;
    const uint32_t *who;
};

void htmt__pic_roster_begin(struct htmt__pic_roster *r);
bool htmt__pic_roster_next(struct htmt__pic_roster *r, struct htmt__pic_crew *crew);

#endif
