/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a dot product lies on a machine: every slice has an equal part of x and y in DRAM, cut into
 * blocks; a parcel takes one block of both to CRAM.
 */
#ifndef HTMT_EXAMPLES_DOT_PLAN_H
#define HTMT_EXAMPLES_DOT_PLAN_H

#include "layers/machine/machine.h"

#include <stdint.h>

struct htmt__dot_plan {
    uint64_t size, block;          /* elements of a vector, of a parcel */
    uint64_t blocks;               /* of a slice */
    uint32_t slices, rounds;       /* 2^rounds slices */
    uint32_t outer, middle, inner; /* layers: DRAM, SRAM, CRAM */
};

/* Errors: HTMT_EINVAL (the machine lacks a layer or network; the slices are no power of two),
 * HTMT_ERANGE (the blocks do not fill the slices equally), HTMT_ECAPACITY. */
int htmt__dot_plan(const struct htmt_machine *m, uint64_t size, uint64_t block,
                   struct htmt__dot_plan *plan, struct htmt_fault *fault);

#endif
