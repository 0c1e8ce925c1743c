/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parts of slices, and what is in them.
 */
#include "apps/prim/program.h"

#include <string.h>

/* ---- parts ----------------------------------------------------------------------------------- */

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

bool htmt__prim_even(const struct htmt__prim_plan *p)
{
    return p->each * p->slices == p->size;
}

/* ---- input ----------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Of sel every second number is even; of uni two neighbours are equal, and no others: so programs
 * know how many they keep. */
uint64_t htmt__prim_value(const struct htmt__prim_plan *p, unsigned array, uint64_t i)
{
    const char *name = p->program->name;
    if (strcmp(name, "sel") == 0)
        return mix(p->seed ^ i) << 1 | (i & 1);
    if (strcmp(name, "uni") == 0)
        return (i / 2) * 2654435761u + p->seed;
    return mix(p->seed + array * UINT64_C(0x9e3779b97f4a7c15) + i);
}

void htmt__prim_fill(const struct htmt__prim_plan *p, unsigned array, void *bytes)
{
    uint64_t count = array && p->program->rows ? p->columns : p->size * p->columns;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t value = htmt__prim_value(p, array, i);
        if (p->program->bytes == 8)
            ((uint64_t *)bytes)[i] = value;
        else
            ((uint32_t *)bytes)[i] = (uint32_t)value;
    }
}

/* ---- of kernels ------------------------------------------------------------------------------ */

unsigned char *htmt__prim_area(const struct htmt__prim_plan *p, struct htmt_kernel *k,
                               uint32_t tasklet)
{
    return (unsigned char *)htmt_used(k, 0) + tasklet * p->at.scratch_bytes;
}

int64_t *htmt__prim_shared(struct htmt_kernel *k)
{
    return htmt_used(k, 1);
}
