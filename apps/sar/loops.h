/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The inner loops of the kernels in one precision. kernels.c includes this text once for each: REAL
 * is the type of a number, LANES a vector of two complex points of it, and NAME(name) the name of a
 * function in this precision. Complex points are pairs of numbers, so that compilers see only
 * products and sums.
 */

/* z = gain (pair - mean) for n pairs of raw numbers. */
#define HTMT__SAR_CONVERT(name, type)                                                              \
    EACH_WIDTH static void NAME(name)(REAL * z, const type *raw, uint64_t n, double mean_i,        \
                                      double mean_q, double gain)                                  \
    {                                                                                              \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            z[2 * i] = (REAL)(gain * ((double)raw[2 * i] - mean_i));                               \
            z[2 * i + 1] = (REAL)(gain * ((double)raw[2 * i + 1] - mean_q));                       \
        }                                                                                          \
    }
HTMT__SAR_CONVERT(convert_u8, uint8_t)
HTMT__SAR_CONVERT(convert_i8, int8_t)
HTMT__SAR_CONVERT(convert_i16, int16_t)
HTMT__SAR_CONVERT(convert_c64, float)
#undef HTMT__SAR_CONVERT

static void NAME(convert)(void *z, const void *raw, enum htmt__sar_format format, uint64_t n,
                          double mean_i, double mean_q, double gain)
{
    switch (format) {
    case HTMT__SAR_U8:
        NAME(convert_u8)(z, raw, n, mean_i, mean_q, gain);
        break;
    case HTMT__SAR_I8:
        NAME(convert_i8)(z, raw, n, mean_i, mean_q, gain);
        break;
    case HTMT__SAR_I16:
        NAME(convert_i16)(z, raw, n, mean_i, mean_q, gain);
        break;
    case HTMT__SAR_C64:
        NAME(convert_c64)(z, raw, n, mean_i, mean_q, gain);
        break;
    }
}

/* z *= h, n points. */
EACH_WIDTH static void NAME(multiply)(REAL *restrict z, const REAL *restrict h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        REAL re = z[2 * i] * h[2 * i] - z[2 * i + 1] * h[2 * i + 1];
        REAL im = z[2 * i] * h[2 * i + 1] + z[2 * i + 1] * h[2 * i];
        z[2 * i] = re;
        z[2 * i + 1] = im;
    }
}

EACH_WIDTH static void NAME(round_to)(REAL *restrict to, const double *restrict from, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        to[i] = (REAL)from[i];
}

/* z *= scale exp(j 2 pi range turns[i]). */
static void NAME(filter)(REAL *z, const double *turns, uint64_t n, double range, double scale)
{
    double filter[2 * BLOCK];
    REAL rounded[2 * BLOCK];
    for (uint64_t at = 0; at < n; at += BLOCK) {
        uint64_t count = n - at < BLOCK ? n - at : BLOCK;
        filters(filter, turns + at, count, range, scale);
        NAME(round_to)(rounded, filter, 2 * count);
        NAME(multiply)(z + 2 * at, rounded, count);
    }
}

/* Sum of 16 weighted points: four sums of every fourth point, added as (0 + 2) + (1 + 3), for a
 * pair of points at once. The order does not depend on the position of the points. */
__attribute__((always_inline)) static inline void
NAME(interpolate)(REAL *restrict out, const REAL *restrict x, const REAL *restrict w)
{
    LANES even = {0}, odd = {0};
    for (unsigned t = 0; t < HTMT__SAR_TAPS; t += 4) {
        LANES a, b;
        memcpy(&a, x + 2 * t, sizeof a);
        memcpy(&b, x + 2 * t + 4, sizeof b);
        even += a * (LANES){w[t], w[t], w[t + 1], w[t + 1]};
        odd += b * (LANES){w[t + 2], w[t + 2], w[t + 3], w[t + 3]};
    }
    even += odd;
    out[0] = even[0] + even[2];
    out[1] = even[1] + even[3];
}

/* The same where cells are missing and count as zero. x is cell `first`. */
static void NAME(interpolate_edge)(REAL *out, const REAL *x, const REAL *w, int64_t from,
                                   int64_t first, int64_t end)
{
    REAL cells[2 * HTMT__SAR_TAPS] = {0};
    for (int64_t t = 0; t < HTMT__SAR_TAPS; t++)
        if (from + t >= first && from + t < end)
            memcpy(cells + 2 * t, x + 2 * (from + t - first), 2 * sizeof(REAL));
    NAME(interpolate)(out, cells, w);
}

/* Columns of one bin: column k is at position + k step of the data cells. x has the cells `first`
 * to end - 1. */
EACH_WIDTH static void NAME(straighten)(REAL *restrict out, const REAL *restrict x,
                                        const REAL *restrict weights, uint64_t columns,
                                        struct htmt__sar_track at, int64_t first, int64_t end)
{
    for (uint64_t k = 0; k < columns; k++, at.start += at.step) {
        int64_t from = (at.start >> HTMT__SAR_FRACTION_BITS) - HTMT__SAR_BEFORE;
        const REAL *w = weights + HTMT__SAR_TAPS * phase_of(at.start);
        if (from >= first && from + HTMT__SAR_TAPS <= end)
            NAME(interpolate)(out + 2 * k, x + 2 * (from - first), w);
        else
            NAME(interpolate_edge)(out + 2 * k, x, w, from, first, end);
    }
}

#undef REAL
#undef LANES
#undef NAME
