/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who is in which cell: against looking at every particle.
 */
#include "apps/pic/cell_list.h"

#include "apps/pic/plan.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static uint32_t dice(uint64_t *state, uint32_t faces)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*state >> 33) % faces);
}

/* Scattered over the cells, or all in the last one. */
static struct htmt__pic_cell_list *list(const uint32_t n[3], uint32_t count, bool crowded)
{
    struct htmt__pic_cell_list *r = malloc(sizeof *r);
    uint64_t state = count;
    uint32_t cells = n[0] * n[1] * n[2];
    cr_assert_not_null(r);
    r->count = count;
    for (int a = 0; a < 3; a++)
        r->n[a] = n[a];
    for (uint32_t i = 0; i < count; i++)
        r->cell[i] = crowded ? cells - 1 : dice(&state, cells);
    htmt__pic_cell_list_begin(r);
    return r;
}

/* Marks those of a batch; false: not where they say they are, or somebody twice. */
static bool check_batch(const struct htmt__pic_cell_list *r,
                        const struct htmt__pic_cell_batch *batch, bool *seen)
{
    uint32_t cell = (batch->place[2] * r->n[1] + batch->place[1]) * r->n[0] + batch->place[0];
    for (uint32_t k = 0; k < batch->count; k++) {
        uint32_t i = batch->who[k] / HTMT__PIC_PARTICLE_WORDS;
        if (i >= r->count || batch->who[k] % HTMT__PIC_PARTICLE_WORDS || seen[i] ||
            r->cell[i] != cell)
            return false;
        seen[i] = true;
    }
    for (uint32_t k = 0; k < HTMT__PIC_LANES_MOST; k++)
        if (batch->who[batch->count + k] != batch->who[batch->count - 1])
            return false;
    return batch->count > 0;
}

/* One cell; few; just as many as a window has, one more, and several windows. */
static const uint32_t boxes[][3] = {{1, 1, 1}, {8, 5, 5}, {16, 16, 16}, {17, 241, 1}, {20, 30, 17}};

Test(list, calls_everybody_up_once_with_all_others_of_the_cell)
{
    const uint32_t counts[] = {1, 7, 1000, HTMT__PIC_STRETCH};
    for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++)
        for (size_t c = 0; c < 8; c++) {
            struct htmt__pic_cell_list *r = list(boxes[b], counts[c / 2], c % 2);
            bool *seen = calloc(r->count, sizeof *seen);
            struct htmt__pic_cell_batch batch;
            uint32_t called = 0;
            int64_t last = -1;
            while (htmt__pic_cell_list_next(r, &batch)) {
                int64_t cell =
                    ((int64_t)batch.place[2] * boxes[b][1] + batch.place[1]) * boxes[b][0] +
                    batch.place[0];
                cr_assert(check_batch(r, &batch, seen), "box %zu, %u particles", b, r->count);
                cr_assert_gt(cell, last, "a cell comes once, in order");
                last = cell;
                called += batch.count;
            }
            cr_expect_eq(called, r->count, "box %zu: %u of %u", b, called, r->count);
            free(seen);
            free(r);
        }
}
