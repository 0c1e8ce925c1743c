/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The operations and words of one parcel of each phase. The parcel program charges them and the
 * closed form evaluates them.
 */
#ifndef HTMT_APPS_PIC_COUNTS_H
#define HTMT_APPS_PIC_COUNTS_H

#include "apps/pic/io/record.h"
#include "apps/pic/kernels.h"
#include "apps/pic/plan.h"

#include <math.h>

/* Words of the field of a block, with the charged points beyond its cells. */
static inline uint64_t htmt__pic_field_words(const struct htmt__pic_charges *c, uint64_t nx,
                                             uint64_t ny, uint64_t nz)
{
    return HTMT__PIC_FIELD_WORDS * (nx + c->guard) * (ny + c->guard) * (nz + c->guard);
}

/* ---- particles ------------------------------------------------------------------------------ */

static inline struct htmt_ops htmt__pic_push_ops(const struct htmt__pic_charges *c, uint64_t count)
{
    struct htmt_ops ops = {.n = {[HTMT_LOAD] = HTMT__PIC_PUSH_LOADS * count,
                                 [HTMT_STORE] = HTMT__PIC_PUSH_STORES * count}};
    if (!c->from_file)
        ops.n[HTMT_FLOP] = c->flop * count;
    else /* all of the SPELL's cycles, of which the useful ones are flops */
        ops = (struct htmt_ops){
            .n = {[HTMT_CYCLE] =
                      (uint64_t)(((htmt_uwide)c->flop * count * c->useful.den + c->useful.num / 2) /
                                 c->useful.num)}};
    return ops;
}

static inline struct htmt_ops htmt__pic_deposit_ops(uint64_t count)
{
    return (struct htmt_ops){.n = {[HTMT_FLOP] = HTMT__PIC_DEPOSIT_FLOP * count,
                                   [HTMT_LOAD] = HTMT__PIC_DEPOSIT_LOADS * count,
                                   [HTMT_STORE] = HTMT__PIC_DEPOSIT_STORES * count}};
}

static inline struct htmt_ops htmt__pic_assembly_ops(const struct htmt__pic_charges *c)
{
    return (struct htmt_ops){.n = {[HTMT_CYCLE] = c->assembly}};
}

static inline struct htmt_ops htmt__pic_dispatch_ops(const struct htmt__pic_charges *c)
{
    return (struct htmt_ops){.n = {[HTMT_CYCLE] = c->dispatch}};
}

/* ---- points --------------------------------------------------------------------------------- */

/* Add points to other points: both are read, one is written. */
static inline struct htmt_ops htmt__pic_add_ops(uint64_t points)
{
    return (struct htmt_ops){
        .n = {[HTMT_FLOP] = points, [HTMT_LOAD] = 2 * points, [HTMT_STORE] = points}};
}

/* Cutting a block's field out of its slice's, and summing over its own cells E^2 (6 flop), E along
 * k (5) times a phase (6 to turn it, 4), rho (1). */
static inline struct htmt_ops htmt__pic_cut_ops(uint64_t points, uint64_t cells)
{
    return (struct htmt_ops){.n = {[HTMT_FLOP] = 22 * cells,
                                   [HTMT_LOAD] = HTMT__PIC_FIELD_WORDS * points + cells,
                                   [HTMT_STORE] = HTMT__PIC_FIELD_WORDS * points}};
}

/* ---- the record of a step ------------------------------------------------------------------- */

#define HTMT__PIC_RECORD_WORDS (sizeof(struct htmt__pic_record) / HTMT_WORD)

/* Adding the reports of pushed bundles. */
static inline struct htmt_ops htmt__pic_reports_ops(uint64_t bundles)
{
    return (struct htmt_ops){
        .n = {[HTMT_FLOP] = 15 * bundles, [HTMT_LOAD] = HTMT__PIC_REPORT_WORDS * bundles}};
}

/* Of a slice: what its blocks have of the field, and its usual bundles of their particles. */
static inline struct htmt_ops htmt__pic_record_ops(const struct htmt__pic_plan *p)
{
    struct htmt_ops ops = htmt__pic_reports_ops(htmt__pic_usual_bundles(p));
    ops.n[HTMT_FLOP] += p->blocks * HTMT__PIC_RECORD_WORDS;
    ops.n[HTMT_LOAD] += p->blocks * HTMT__PIC_RECORD_WORDS;
    return ops;
}

static inline struct htmt_ops htmt__pic_series_ops(void)
{
    return (struct htmt_ops){
        .n = {[HTMT_LOAD] = HTMT__PIC_RECORD_WORDS, [HTMT_STORE] = HTMT__PIC_RECORD_WORDS}};
}

/* ---- transforms ----------------------------------------------------------------------------- */

/* A complex transform: 5 n log2 n flop. */
static inline uint64_t htmt__pic_fft_flop(uint64_t n)
{
    return (uint64_t)(5 * (double)n * log2((double)n) + 0.5);
}

static inline struct htmt_ops htmt__pic_transform_ops(uint64_t n, uint64_t transforms,
                                                      uint64_t other_flop)
{
    return (struct htmt_ops){.n = {[HTMT_FLOP] = transforms * htmt__pic_fft_flop(n) + other_flop,
                                   [HTMT_LOAD] = 2 * transforms * n,
                                   [HTMT_STORE] = 2 * transforms * n}};
}

/* Rows of x: two real rows are one complex transform; taking them apart costs 8 flop a mode,
 * putting them together 4. */
static inline struct htmt_ops htmt__pic_x_ops(uint64_t n, uint64_t rows, bool back)
{
    uint64_t pairs = (rows + 1) / 2;
    return htmt__pic_transform_ops(n, pairs, (back ? 4 : 8) * pairs * (n / 2 + 1));
}

static inline struct htmt_ops htmt__pic_y_ops(uint64_t n, uint64_t columns)
{
    return htmt__pic_transform_ops(n, columns, 0);
}

/* Columns of z, there and three times back; between, for each mode: k^2 (1), its inverse with the
 * norm (2), phi (2), three components of -i k phi (6). */
static inline struct htmt_ops htmt__pic_solve_ops(uint64_t n, uint64_t columns)
{
    return htmt__pic_transform_ops(n, 4 * columns, 11 * columns * n);
}

/* ---- migration ------------------------------------------------------------------------------ */

/* Finding out where a particle belongs (3 loads), and putting it into its place among those that
 * leave: to the sorting room and back. */
static inline struct htmt_ops htmt__pic_sort_ops(uint64_t leaving)
{
    return (struct htmt_ops){
        .n = {[HTMT_LOAD] = (HTMT__PIC_POSITION_WORDS + 2 * HTMT__PIC_PARTICLE_WORDS) * leaving,
              [HTMT_STORE] = 2 * HTMT__PIC_PARTICLE_WORDS * leaving}};
}

static inline struct htmt_ops htmt__pic_settle_ops(uint64_t arrived)
{
    return (struct htmt_ops){.n = {[HTMT_LOAD] = HTMT__PIC_PARTICLE_WORDS * arrived,
                                   [HTMT_STORE] = HTMT__PIC_PARTICLE_WORDS * arrived}};
}

#endif
