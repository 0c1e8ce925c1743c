/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parcel program of Cannon's multiply (Amaral et al., section 4) on an s x s grid of slices,
 * slice i s + j for the SPELL (i, j).
 *
 *   Transform A, B  DPIM: the slice's subblocks out of rows of blocks, one after another in DRAM
 *   Bundle Up       DRAM to SRAM, (t b_c)^2 words each of A and B
 *   Subblock Pair   SRAM to CRAM, b_c^2 words each
 *   Block Multiply  a long-lived activation in CRAM: s steps a block product, in each one subblock
 *                   product while A moves on to the left and B upward; after t products the
 *                   subblock of C goes to SRAM
 *   Bundle Down     SRAM to DRAM, (t b_c)^2 words
 *   Transform C     DPIM: back into the rows of C
 *
 * With q > 1 a product multiplies one of q^2 blocks of A by one of B; q products that belong to one
 * block of C follow each other, and C comes back to CRAM to be added to. The transforms of a
 * product hide behind the product before.
 *
 * On a grid that is not square, of g_m x g_n slices, a block product takes s steps for s the least
 * common multiple of g_m and g_n, and in each step the slices that own its panels of A and B send
 * them along their rows and columns (panels.c). All else is the same.
 *
 * Call: create on a fresh emulator, htmt_emulator_run(), destroy.
 */
#ifndef HTMT_APPS_CANNON_PROGRAM_H
#define HTMT_APPS_CANNON_PROGRAM_H

#include "apps/cannon/closed_form.h"
#include "apps/cannon/io/spread.h"
#include "parcels/htmt.h"

struct htmt__cannon_program;

/* The spread of a matrix of rows x cols over the grid of a plan, to be created. */
struct htmt__cannon_spread htmt__cannon_program_spread(const struct htmt__cannon_plan *plan,
                                                       enum htmt__cannon_operand which);

/* A, B and C, as the slices have them; NULL in a model run. C may hold anything; all of it is
 * written. */
struct htmt__cannon_data {
    const struct htmt__cannon_spread *matrix; /* HTMT__MATRICES of them */
    bool named;                               /* block products are sections of the run */
};

/* Objects, types and first parcels. The emulator has the slices of the plan's grid,
 * and of one that is not square the schedule is HTMT__CANNON_OVERLAPPED. Program and data must
 * stay until the run is over. Errors: HTMT_EINVAL (number of slices), HTMT_ENOMEM, and those of the
 * emulator, whose line is copied into *fault. */
int htmt__cannon_program_create(struct htmt_emulator *e, const struct htmt__cannon_plan *plan,
                                enum htmt__cannon_schedule schedule,
                                const struct htmt__cannon_data *data,
                                struct htmt__cannon_program **program, struct htmt_fault *fault);
void htmt__cannon_program_destroy(struct htmt__cannon_program **program); /* NULL accepted */

/* After a run, in all its processes alike: rows of C, from `row` on, which are a multiple of b_c,
 * as many as it has up to b_c, with its columns, row after row. They are written where the rows are
 * wanted, and by rank 0 only (htmt_per_slice_fetch()); NULL: they are not wanted here. Errors:
 * HTMT_ENOMEM, HTMT_ESYSTEM. */
int htmt__cannon_program_rows(const struct htmt__cannon_program *p, uint64_t row, double *rows);

#endif
