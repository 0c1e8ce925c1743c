/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lengths of lists in a file: .npy, 32-bit integers, a row for each group, in the order of slices
 * and of the curve: slice, bodies of the group, bodies and cells of its list. A slice without rows
 * has no bodies.
 */
#include "apps/nbody/list_file.h"

#include "apps/formats/npy.h"

#include <inttypes.h>
#include <stdlib.h>

#define COLUMNS 4

static int check_row(const char *path, const struct htmt__nbody_plan *p, const int32_t *row,
                     int32_t before, uint64_t i, struct htmt_fault *fault)
{
    if (row[0] < before || (uint32_t)row[0] >= p->slices)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: row %" PRIu64 ", column 0: found slice %d, expected %d to %u",
                              path, i, row[0], before, p->slices - 1);
    if (row[1] < 1 || (uint32_t)row[1] > p->group)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: row %" PRIu64 ", column 1: found a group of %d bodies, expected "
                              "1 to %u",
                              path, i, row[1], p->group);
    for (unsigned c = 2; c < COLUMNS; c++)
        if (row[c] < 0)
            return htmt_fault_set(fault, HTMT_EFORMAT,
                                  "%s: row %" PRIu64 ", column %u: found %d entries, expected 0 or "
                                  "more",
                                  path, i, c, row[c]);
    return 0;
}

int htmt__nbody_lists_read(const char *path, const struct htmt__nbody_plan *p,
                           struct htmt__nbody_lengths **out, uint64_t *count,
                           struct htmt_fault *fault)
{
    struct htmt__npy_shape shape;
    void *elements = NULL;
    uint64_t bodies = 0, of_slice = 0;
    int32_t before = 0;
    int rc = htmt__npy_read(path, 1u << HTMT__NPY_I4, 2, &shape, &elements, fault);
    if (!rc && shape.size[1] != COLUMNS)
        rc = htmt_fault_set(fault, HTMT_EFORMAT,
                            "%s: found rows of %" PRIu64 " columns, expected %d: slice, bodies of "
                            "a group, bodies and cells of its list",
                            path, shape.size[1], COLUMNS);
    for (uint64_t i = 0; !rc && i < shape.size[0]; i++) {
        const int32_t *row = (const int32_t *)elements + COLUMNS * i;
        rc = check_row(path, p, row, before, i, fault);
        of_slice = (uint64_t)row[1] + (row[0] == before ? of_slice : 0);
        before = row[0];
        bodies += (uint64_t)row[1];
        if (!rc && of_slice > p->most)
            rc = htmt_fault_set(fault, HTMT_EFORMAT,
                                "%s: row %" PRIu64 ": found %" PRIu64 " bodies of slice %d, "
                                "expected at most %" PRIu64,
                                path, i, of_slice, before, p->most);
    }
    if (!rc && bodies != p->bodies)
        rc = htmt_fault_set(fault, HTMT_EFORMAT,
                            "%s: found groups of %" PRIu64 " bodies, expected %" PRIu64, path,
                            bodies, p->bodies);
    if (rc) {
        free(elements);
        return rc;
    }
    *out = elements;
    *count = shape.size[0];
    return 0;
}

int htmt__nbody_lists_write(const char *path, const struct htmt__nbody_lengths *lists,
                            uint64_t count, struct htmt_fault *fault)
{
    const struct htmt__npy_shape shape = {HTMT__NPY_I4, 2, {count, COLUMNS}};
    return htmt__npy_write(path, &shape, lists, fault);
}
