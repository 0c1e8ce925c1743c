/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The particles of a block, listed by cell. The particles stay in place; the list holds their
 * places. A kernel can therefore take several particles that share their 27 points as the lanes of
 * one vector.
 *
 * Call: fill in count (at most HTMT__PIC_STRETCH), the block's cells along each axis and the cell
 * number of each particle, x fastest; then begin; then next until it returns false.
 */
#ifndef HTMT_APPS_PIC_CELL_LIST_H
#define HTMT_APPS_PIC_CELL_LIST_H

#include <stdbool.h>
#include <stdint.h>

enum {
    HTMT__PIC_STRETCH = 16384, /* particles listed at once; a multiple of 64 */
    HTMT__PIC_WINDOW = 4096,   /* cells listed at once */
    HTMT__PIC_LANES_MOST = 8
};

struct htmt__pic_cell_list {
    uint32_t count, n[3];
    uint32_t from;     /* first cell of the window */
    uint32_t next;     /* in the window, */
    uint32_t place[3]; /* and along the axes */
    uint32_t cell[HTMT__PIC_STRETCH + HTMT__PIC_LANES_MOST];
    uint32_t first[HTMT__PIC_WINDOW]; /* for each cell of the window, its first place in who */
    uint32_t end[HTMT__PIC_WINDOW];
    uint32_t who[HTMT__PIC_STRETCH + HTMT__PIC_WINDOW * HTMT__PIC_LANES_MOST];
};

/* A cell that is not empty, and its particles: their offsets in words from the first particle. The
 * last offset is repeated HTMT__PIC_LANES_MOST times behind the end. */
struct htmt__pic_cell_batch {
    uint32_t place[3], count;
    const uint32_t *who;
};

void htmt__pic_cell_list_begin(struct htmt__pic_cell_list *r);
bool htmt__pic_cell_list_next(struct htmt__pic_cell_list *r, struct htmt__pic_cell_batch *batch);

#endif
