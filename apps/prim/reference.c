/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The input, and the plain serial program of each PrIM program, from its definition: no parcels,
 * none of the kernels' code.
 */
#include "apps/lib/random.h"
#include "apps/prim/plan.h"

#include <string.h>

/* Element i depends on the seed and i alone, so that any slice could make its own. Of sel every
 * second number is even; of uni two neighbours are equal, and no others: so the plan can count what
 * these programs keep before they run. */
void htmt__prim_fill(const struct htmt__prim_plan *p, unsigned array, void *bytes)
{
    const bool sel = strcmp(p->program->name, "sel") == 0,
               uni = strcmp(p->program->name, "uni") == 0;
    uint64_t count = array && p->program->rows ? p->columns : p->size * p->columns;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t value = sel   ? htmt__random_mix(p->seed ^ i) << 1 | (i & 1)
                               : uni ? (i / 2) * 2654435761u + p->seed
                                     : htmt__random_mix(p->seed + array * HTMT__RANDOM_STEP + i);
        if (p->program->bytes == 8)
            ((uint64_t *)bytes)[i] = value;
        else
            ((uint32_t *)bytes)[i] = (uint32_t)value;
    }
}

static uint64_t sum_vectors(uint64_t n, const uint32_t *a, const uint32_t *b, uint32_t *c)
{
    for (uint64_t i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    return n;
}

static uint64_t matrix_vector(uint64_t rows, uint64_t columns, const uint32_t *m, const uint32_t *x,
                              uint32_t *y)
{
    for (uint64_t i = 0; i < rows; i++) {
        y[i] = 0;
        for (uint64_t k = columns; k-- > 0;)
            y[i] += m[i * columns + k] * x[k];
    }
    return rows;
}

static uint64_t total(uint64_t n, const uint64_t *a, uint64_t *sum)
{
    *sum = 0;
    while (n-- > 0)
        *sum += a[n];
    return 1;
}

static uint64_t evens(uint64_t n, const uint64_t *a, uint64_t *out)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < n; i++)
        if (!(a[i] & 1))
            out[kept++] = a[i];
    return kept;
}

static uint64_t runs(uint64_t n, const uint64_t *a, uint64_t *out)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < n; i++)
        if (!kept || out[kept - 1] != a[i])
            out[kept++] = a[i];
    return kept;
}

static uint64_t prefix_sums(uint64_t n, const uint64_t *a, uint64_t *out)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        out[i] = sum += a[i];
    return n;
}

static uint64_t histogram(uint64_t n, const uint32_t *a, uint32_t *bin)
{
    memset(bin, 0, HTMT__PRIM_BINS * sizeof *bin);
    for (uint64_t i = 0; i < n; i++)
        bin[a[i] / (UINT32_MAX / HTMT__PRIM_BINS + 1)]++;
    return HTMT__PRIM_BINS;
}

uint64_t htmt__prim_result_bytes(const struct htmt__prim_plan *p)
{
    uint64_t bytes = p->size * p->program->bytes;
    return bytes < HTMT__PRIM_BLOCK ? HTMT__PRIM_BLOCK : bytes;
}

uint64_t htmt__prim_reference(const struct htmt__prim_plan *p, const void *first,
                              const void *second, void *result)
{
    const char *name = p->program->name;
    if (strcmp(name, "va") == 0)
        return sum_vectors(p->size, first, second, result);
    if (strcmp(name, "gemv") == 0)
        return matrix_vector(p->size, p->columns, first, second, result);
    if (strcmp(name, "red") == 0)
        return total(p->size, first, result);
    if (strcmp(name, "sel") == 0)
        return evens(p->size, first, result);
    if (strcmp(name, "uni") == 0)
        return runs(p->size, first, result);
    if (strcmp(name, "hst-s") == 0)
        return histogram(p->size, first, result);
    return prefix_sums(p->size, first, result);
}
