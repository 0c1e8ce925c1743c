/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shares of a matrix. Slice (i, j) of a square grid has, of A, the subblocks (I, J) with I = i and
 * J = i + j (mod s); of B those with I = i + j and J = j; of C those with I = i and J = j. So at
 * the first step of a block product it finds A(i, i + j) and B(i + j, j) in its own shares. With s
 * = 2 and 4 x 4 subblocks, slice (1, 0) has of A the subblocks (1, 1), (1, 3), (3, 1) and (3, 3).
 *
 * Within a share subblocks keep their order, and a share has whole rows, so that its rows can be
 * read, multiplied and written as those of a matrix.
 */
#include "apps/cannon/io/spread.h"

#include "parcels/emulator.h"

#include <inttypes.h>
#include <stdlib.h>

static bool is_here(const struct htmt_emulator *e, uint32_t slice)
{
    return !e || htmt_slice_here(e, slice);
}

int htmt__cannon_spread_create(struct htmt__cannon_spread *m, const struct htmt_emulator *e,
                               struct htmt_fault *fault)
{
    m->across = m->across ? m->across : m->s;
    uint32_t slices = (uint32_t)(m->s * m->across), here = 0;
    m->width = m->width ? m->width : m->b;
    m->pitch = m->pitch ? m->pitch : m->side;
    for (uint32_t i = 0; i < slices; i++)
        here += is_here(e, i);
    m->share = calloc(slices, sizeof *m->share);
    m->room = calloc((here ? here : 1) * m->side, m->pitch * sizeof *m->room);
    if (!m->share || !m->room) {
        htmt__cannon_spread_destroy(m);
        return htmt_fault_set(fault, HTMT_ENOMEM,
                              "no host memory for shares of a matrix of %" PRIu64 " x %" PRIu64
                              " elements",
                              m->rows, m->cols);
    }
    double *at = m->room;
    for (uint32_t i = 0; i < slices; i++)
        if (is_here(e, i)) {
            m->share[i] = at;
            at += m->side * m->pitch;
        }
    return 0;
}

void htmt__cannon_spread_destroy(struct htmt__cannon_spread *m)
{
    free(m->share);
    free(m->room);
    m->share = NULL;
    m->room = NULL;
}

struct htmt__cannon_spread htmt__cannon_spread_whole(struct htmt__cannon_matrix *m)
{
    return (struct htmt__cannon_spread){.which = HTMT__C,
                                        .rows = m->rows,
                                        .cols = m->cols,
                                        .s = 1,
                                        .across = 1,
                                        .b = m->rows,
                                        .width = m->cols,
                                        .side = m->rows,
                                        .pitch = m->cols,
                                        .share = &m->at};
}

void htmt__cannon_spread_generate(struct htmt__cannon_spread *m, enum htmt__cannon_entries kind,
                                  uint64_t seed, uint64_t which)
{
    struct htmt__cannon_stretch to;
    for (uint64_t i = 0; i < m->rows; i++)
        for (uint64_t j = 0; j < m->cols; j += to.count) {
            to = htmt__cannon_spread_at(m, i, j);
            for (uint64_t k = 0; to.at && k < to.count; k++)
                to.at[k] = htmt__cannon_matrix_entry(kind, seed, which, i, j + k);
        }
}
