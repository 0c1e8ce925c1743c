/* SPDX-License-Identifier: BSD-3-Clause
 *
 * As `htmt analyze` reads them in loops.c; a test compares the words with those of `htmt bound
 * --rule exasat`. By hand, momentum_x in blocks of 8^3: a component of q with cells on both sides
 * along three axes, 512 + 3 * 8 * 64 = 2048 words; two components of gradients with cells along x,
 * 1024 each; a component of d, 512: 4608 words, 9 a cell.
 */
#include "apps/stencil/accesses.h"

#define X    1u
#define Y    2u
#define Z    4u
#define R    HTMT__STENCIL_READ
#define W    HTMT__STENCIL_WRITE
#define U    HTMT__STENCIL_U
#define NEXT HTMT__STENCIL_NEXT
#define Q    HTMT__STENCIL_Q
#define GX   HTMT__STENCIL_GX
#define GY   HTMT__STENCIL_GY
#define GZ   HTMT__STENCIL_GZ
#define F    HTMT__STENCIL_F
#define D    HTMT__STENCIL_D

const struct htmt__stencil_access
    htmt__stencil_accesses[HTMT__STENCIL_LOOPS][HTMT__STENCIL_ACCESSES] = {
        [HTMT__STENCIL_PRIMITIVE] = {{U, 5, 0, R}, {Q, 6, 0, W}},
        [HTMT__STENCIL_COURANT] = {{Q, 5, 0, R}},
        [HTMT__STENCIL_NO_DENSITY] = {{D, 1, 0, W}},
        [HTMT__STENCIL_GRADIENT_X] = {{Q, 3, X, R}, {GX, 3, 0, W}},
        [HTMT__STENCIL_GRADIENT_Y] = {{Q, 3, Y, R}, {GY, 3, 0, W}},
        [HTMT__STENCIL_GRADIENT_Z] = {{Q, 3, Z, R}, {GZ, 3, 0, W}},
        [HTMT__STENCIL_MOMENTUM_X] = {{Q, 1, X | Y | Z, R},
                                      {GY, 1, X, R},
                                      {GZ, 1, X, R},
                                      {D + 1, 1, 0, W}},
        [HTMT__STENCIL_MOMENTUM_Y] = {{Q, 1, X | Y | Z, R},
                                      {GX, 1, Y, R},
                                      {GZ, 1, Y, R},
                                      {D + 2, 1, 0, W}},
        [HTMT__STENCIL_MOMENTUM_Z] = {{Q, 1, X | Y | Z, R},
                                      {GX, 1, Z, R},
                                      {GY, 1, Z, R},
                                      {D + 3, 1, 0, W}},
        [HTMT__STENCIL_ENERGY] = {{Q, 1, X | Y | Z, R},
                                  {Q, 3, 0, R},
                                  {GX, 3, 0, R},
                                  {GY, 3, 0, R},
                                  {GZ, 3, 0, R},
                                  {D + 1, 1, 0, R},
                                  {D + 2, 1, 0, R},
                                  {D + 3, 1, 0, R},
                                  {D + 4, 1, 0, W}},
        [HTMT__STENCIL_FLUX_X] = {{U, 4, X, R}, {Q, 2, X, R}, {F, 5, 0, W}},
        [HTMT__STENCIL_FLUX_Y] = {{U, 4, Y, R}, {Q, 2, Y, R}, {F, 5, 0, R | W}},
        [HTMT__STENCIL_FLUX_Z] = {{U, 4, Z, R}, {Q, 2, Z, R}, {F, 5, 0, R | W}},
        [HTMT__STENCIL_UPDATE] = {{U, 5, 0, R},
                                  {D, 1, 0, R},
                                  {D + 1, 1, 0, R},
                                  {D + 2, 1, 0, R},
                                  {D + 3, 1, 0, R},
                                  {D + 4, 1, 0, R},
                                  {F, 5, 0, R},
                                  {NEXT, 5, 0, R | W}},
};

unsigned htmt__stencil_cell_words(unsigned array)
{
    return array >= D                   ? 1
           : array == Q                 ? HTMT__STENCIL_STATES
           : array >= GX && array <= GZ ? 3
                                        : HTMT__STENCIL_FIELDS;
}

uint64_t htmt__stencil_words_read(const struct htmt__stencil_access *a, uint64_t b, unsigned stage)
{
    uint64_t cells = b * b * b;
    if (!(a->use & R) || (a->array == NEXT && stage == 0))
        return 0;
    for (unsigned axis = 0; axis < 3; axis++)
        if (a->ghosts >> axis & 1)
            cells += 2 * HTMT__STENCIL_MARGIN * b * b;
    return a->words * cells;
}

uint64_t htmt__stencil_words_written(const struct htmt__stencil_access *a, uint64_t b)
{
    return a->use & W ? a->words * b * b * b : 0;
}

uint64_t htmt__stencil_rows(const struct htmt__stencil_access *a, uint64_t b)
{
    const uint64_t y = b + (a->ghosts & Y ? 2 * HTMT__STENCIL_MARGIN : 0),
                   z = b + (a->ghosts & Z ? 2 * HTMT__STENCIL_MARGIN : 0);
    return y * z;
}

unsigned htmt__stencil_loop_margins(enum htmt__stencil_loop loop)
{
    return loop == HTMT__STENCIL_PRIMITIVE    ? X | Y | Z
           : loop == HTMT__STENCIL_GRADIENT_X ? Y | Z
           : loop == HTMT__STENCIL_GRADIENT_Y ? X | Z
           : loop == HTMT__STENCIL_GRADIENT_Z ? X | Y
                                              : 0;
}

/* ---- tiles ---------------------------------------------------------------------------------- */

/* Cells of a tile from one row to the next, from one plane to the next. */
static uint64_t row(const struct htmt__stencil_plan *p)
{
    return p->tile[0] + 2 * HTMT__STENCIL_MARGIN;
}

static uint64_t plane(const struct htmt__stencil_plan *p)
{
    return row(p) * (p->tile[1] + 2 * HTMT__STENCIL_MARGIN);
}

uint64_t htmt__stencil_cell_at(const struct htmt__stencil_plan *p, const int64_t cell[3])
{
    return (uint64_t)(cell[2] + HTMT__STENCIL_MARGIN) * plane(p) +
           (uint64_t)(cell[1] + HTMT__STENCIL_MARGIN) * row(p) +
           (uint64_t)(cell[0] + HTMT__STENCIL_MARGIN);
}

struct htmt_pieces htmt__stencil_box(const struct htmt__stencil_plan *p, const uint64_t extent[3],
                                     uint64_t bytes)
{
    return (struct htmt_pieces){.bytes = extent[0] * bytes,
                                .count = extent[1],
                                .stride = (int64_t)(row(p) * bytes),
                                .planes = extent[2],
                                .plane_stride = (int64_t)(plane(p) * bytes)};
}
