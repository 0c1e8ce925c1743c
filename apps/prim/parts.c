/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parts of slices, and whether they are alike, as folding needs them.
 */
#include "apps/prim/plan.h"

uint64_t htmt__prim_elements(const struct htmt__prim_plan *p, uint32_t slice)
{
    uint64_t first = slice * p->each;
    return first >= p->size ? 0 : p->size - first < p->each ? p->size - first : p->each;
}

/* Of a matrix whole pairs of rows, of which the last row may not be there. */
uint64_t htmt__prim_blocks(const struct htmt__prim_plan *p, uint32_t slice)
{
    uint64_t n = htmt__prim_elements(p, slice);
    if (!p->program->rows)
        return (n + p->in_block - 1) / p->in_block;
    const uint64_t word = HTMT_WORD / p->program->bytes;
    return (n + word - 1) / word * p->in_group;
}

/* ---- folding --------------------------------------------------------------------------------- */

bool htmt__prim_even(const struct htmt__prim_plan *p)
{
    return p->each * p->slices == p->size;
}

/* What programs keep repeats with every second element, and so with every second slice: slices 0
 * and 1 stand for all. */
bool htmt__prim_alike(const struct htmt__prim_plan *p)
{
    const bool kept = p->program->kept && p->slices > 1;
    bool alike = true;
    for (uint64_t i = 0; kept && i < p->each && alike; i += p->in_block) {
        uint64_t end = p->each - i < p->in_block ? p->each : i + p->in_block;
        alike = p->program->kept(p, 0, i, end) == p->program->kept(p, 1, i, end);
    }
    return alike;
}
