/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The operations of the parcels. The kernels count them, the parcel types charge them, the closed
 * form evaluates them. A transform of n points is 5 n log2 n flop.
 *
 * On a SPELL flop are counted, on a DPIM also the words that are read and written.
 */
#ifndef HTMT_APPS_SAR_COUNTS_H
#define HTMT_APPS_SAR_COUNTS_H

#include "apps/sar/decomposition.h"

#include <math.h>

/* exp(j 2 pi t): to the nearest quarter turn 5, sine 15, cosine 16, and the square that both use.
 */
#define HTMT__SAR_PHASOR_FLOP 37
/* A product of complex numbers. */
#define HTMT__SAR_PRODUCT_FLOP 6
/* Terms of the series of I0: the error is 0.5 ulp up to an argument of 4. */
#define HTMT__SAR_I0_TERMS 16
/* A weight of the interpolator: its window 7 and 3 a term, sinc 5 and a sine, their product, sum
 * and scale 3. */
#define HTMT__SAR_WEIGHT_FLOP (15 + 3 * HTMT__SAR_I0_TERMS + HTMT__SAR_PHASOR_FLOP)

static inline uint64_t htmt__sar_fft_flop(uint64_t n)
{
    double x = (double)n;
    return (uint64_t)llround(5 * x * log2(x));
}

static inline struct htmt_ops htmt__sar_flop(uint64_t n)
{
    return (struct htmt_ops){.n = {[HTMT_FLOP] = n}};
}

/* c.n linear + c.n_log_n padded log2 padded: the rule of a cost file. */
static inline struct htmt_ops htmt__sar_charge(struct htmt__sar_coefficients c, uint64_t linear,
                                               uint64_t padded)
{
    double x = (double)padded;
    return htmt__sar_flop(c.n * linear + (uint64_t)llround((double)c.n_log_n * x * log2(x)));
}

/* For each point 2 conversions, 2 differences, 2 products; the words read and written. */
static inline struct htmt_ops htmt__sar_read_ops(const struct htmt__sar_decomposition *c,
                                                 uint64_t lines)
{
    uint64_t points = lines * c->plan.radar.samples;
    if (c->charges.from_file)
        return (struct htmt_ops){.n = {[HTMT_CYCLE] = c->charges.read_cycles * points}};
    return (struct htmt_ops){
        .n = {[HTMT_FLOP] = 6 * points,
              [HTMT_LOAD] = (htmt__sar_raw_bytes(c, lines) + HTMT_WORD - 1) / HTMT_WORD,
              [HTMT_STORE] = htmt__sar_words(c, points)}};
}

static inline struct htmt_ops htmt__sar_write_ops(const struct htmt__sar_decomposition *c,
                                                  uint64_t lines)
{
    uint64_t points = lines * c->plan.samples;
    if (c->charges.from_file)
        return (struct htmt_ops){.n = {[HTMT_CYCLE] = c->charges.write_cycles * points}};
    uint64_t words = htmt__sar_words(c, points);
    return (struct htmt_ops){.n = {[HTMT_LOAD] = words, [HTMT_STORE] = words}};
}

/* The pulse, 4 and a phasor a sample; its transform; for each frequency secondary range
 * compression, 4 and a phasor, times the conjugate, scaled: 2. */
static inline struct htmt_ops htmt__sar_range_reference_ops(const struct htmt__sar_decomposition *c)
{
    uint64_t n = c->plan.range_length, phasor = 4 + HTMT__SAR_PHASOR_FLOP;
    if (c->charges.from_file)
        return htmt__sar_charge(c->charges.range_reference, c->plan.radar.samples, n);
    return htmt__sar_flop(c->plan.pulse * phasor + htmt__sar_fft_flop(n) +
                          n * (phasor + HTMT__SAR_PRODUCT_FLOP + 2));
}

static inline struct htmt_ops htmt__sar_range_ops(const struct htmt__sar_decomposition *c)
{
    uint64_t n = c->plan.range_length;
    if (c->charges.from_file)
        return htmt__sar_charge(c->charges.range_line, n, n);
    return htmt__sar_flop(2 * htmt__sar_fft_flop(n) + HTMT__SAR_PRODUCT_FLOP * n);
}

static inline struct htmt_ops htmt__sar_interpolator_ops(void)
{
    return htmt__sar_flop((HTMT__SAR_TAPS * HTMT__SAR_WEIGHT_FLOP) << HTMT__SAR_PHASE_BITS);
}

/* For each bin: its frequency 2, s 1, D 3, the phase of a metre 4, and the phase of the remaining
 * coupling 6. */
static inline struct htmt_ops
htmt__sar_azimuth_reference_ops(const struct htmt__sar_decomposition *c)
{
    uint64_t n = c->plan.azimuth_length;
    if (c->charges.from_file)
        return htmt__sar_charge(c->charges.azimuth_reference, n, n);
    return htmt__sar_flop(16 * (uint64_t)c->plan.band);
}

/* For each bin of the band the filter, 1 and a phasor, its scale 2, and the product. */
static inline uint64_t htmt__sar_filter_flop(const struct htmt__sar_decomposition *c)
{
    return c->plan.band * (uint64_t)(3 + HTMT__SAR_PHASOR_FLOP + HTMT__SAR_PRODUCT_FLOP);
}

static inline struct htmt_ops htmt__sar_azimuth_ops(const struct htmt__sar_decomposition *c)
{
    uint64_t n = c->plan.azimuth_length;
    if (c->charges.from_file)
        return htmt__sar_charge(c->charges.azimuth_line, n, n);
    return htmt__sar_flop(2 * htmt__sar_fft_flop(n) + htmt__sar_filter_flop(c));
}

/* No cost file counts these three, because the paper's processing has no migration. */
static inline struct htmt_ops htmt__sar_transform_ops(const struct htmt__sar_decomposition *c)
{
    return htmt__sar_flop(htmt__sar_fft_flop(c->plan.azimuth_length));
}

/* A real weight times a complex point, added up: 4 a tap. */
static inline struct htmt_ops htmt__sar_migration_ops(uint64_t points)
{
    return htmt__sar_flop(4 * HTMT__SAR_TAPS * points);
}

static inline struct htmt_ops htmt__sar_focus_ops(const struct htmt__sar_decomposition *c)
{
    return htmt__sar_flop(htmt__sar_fft_flop(c->plan.azimuth_length) + htmt__sar_filter_flop(c));
}

/* Of parcel `index` of a stage, for that patch of the plan. */
static inline struct htmt_ops htmt__sar_ops(const struct htmt__sar_decomposition *c,
                                            enum htmt__sar_stage stage, uint32_t patch,
                                            uint32_t index)
{
    uint32_t lines = stage == HTMT__SAR_WRITE ? htmt__sar_plan_patch(&c->plan, patch).lines
                                              : c->plan.patch_lines;
    struct htmt__sar_strip s;
    struct htmt__sar_tile tile;
    switch (stage) {
    case HTMT__SAR_READ:
    case HTMT__SAR_WRITE:
        s = htmt__sar_strip(lines, htmt__sar_parcels(c, stage, patch), index);
        return stage == HTMT__SAR_READ ? htmt__sar_read_ops(c, s.end - s.first)
                                       : htmt__sar_write_ops(c, s.end - s.first);
    case HTMT__SAR_RANGE_REFERENCE:
        return htmt__sar_range_reference_ops(c);
    case HTMT__SAR_RANGE:
        return htmt__sar_range_ops(c);
    case HTMT__SAR_INTERPOLATOR:
        return htmt__sar_interpolator_ops();
    case HTMT__SAR_AZIMUTH_REFERENCE:
        return htmt__sar_azimuth_reference_ops(c);
    case HTMT__SAR_AZIMUTH:
        return htmt__sar_azimuth_ops(c);
    case HTMT__SAR_TRANSFORM:
        return htmt__sar_transform_ops(c);
    case HTMT__SAR_MIGRATION:
        tile = htmt__sar_tile(c, index);
        return htmt__sar_migration_ops((uint64_t)tile.bins * tile.columns);
    case HTMT__SAR_FOCUS:
        return htmt__sar_focus_ops(c);
    case HTMT__SAR_STAGES:
        break;
    }
    return (struct htmt_ops){0};
}

#endif
