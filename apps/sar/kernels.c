/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernels of the parcels. parcels.c has the numbers of the regions. N is the length of the
 * range transform, M of the azimuth transform. A point is a complex number of the chosen precision.
 *
 * Precision. A filter's phase is up to 1e5 rad and must be right to a small part of one, so phases
 * are computed in double whatever the points are, and counted in turns: the nearest quarter turn is
 * an exact difference, and what is left fits a short series. Only the filter's values are rounded.
 * Azimuth Reference keeps the turns for a metre of range, one number for each bin; a column
 * multiplies them by its range. So CRAM holds one line of references for all columns.
 *
 * Speed. Filters are made for BLOCK points at a time, which stay in the nearest cache between the
 * passes that make, round and multiply them. Each inner loop (loops.h) is compiled for several
 * widths of vectors. Wider processors also fuse products and sums, so the last bits of an image
 * depend on the host; htmt__sar_kernel_set() names what decides them.
 */
#include "apps/sar/coordinator.h"
#include "apps/sar/counts.h"
#include "apps/sar/geometry.h"
#include "apps/sar/reference.h"
#include "parcels/kernel.h"

#include <string.h>

const char *htmt__sar_vectors(void)
{
#if HTMT_HAS_CLONES
    return __builtin_cpu_supports("x86-64-v4")   ? "AVX-512"
           : __builtin_cpu_supports("x86-64-v3") ? "AVX2"
                                                 : "SSE2";
#else
    return "plain";
#endif
}

#define EACH_WIDTH HTMT_CLONES("default", "arch=x86-64-v3", "arch=x86-64-v4")
#define BLOCK      256 /* points whose filters are made in one go: they stay in the nearest cache */

/* ---- numbers -------------------------------------------------------------------------------- */

/* exp(j 2 pi t), |t| < 2^49. The nearest quarter turn is subtracted. The rest, at most an eighth,
 * goes into Taylor series of 2 pi t, whose first missing terms are below 2^-54. */
__attribute__((always_inline)) static inline void phasor(double *restrict z, double t)
{
    const double shift = 0x1.8p52, c = 2 * M_PI;
    const double c2 = c * c, c4 = c2 * c2, c6 = c4 * c2, c8 = c4 * c4, c10 = c8 * c2;
    const double c12 = c8 * c4, c14 = c8 * c6, c16 = c8 * c8;
    double shifted = 4 * t + shift;
    double r = t - 0.25 * (shifted - shift), u = r * r;
    double s =
        r * c *
        (1 + u * (-c2 / 6 + u * (c4 / 120 + u * (-c6 / 5040 +
                                                 u * (c8 / 362880 +
                                                      u * (-c10 / 39916800 +
                                                           u * (c12 / 6227020800. +
                                                                u * (-c14 / 1307674368000.))))))));
    double k =
        1 +
        u * (-c2 / 2 +
             u * (c4 / 24 + u * (-c6 / 720 + u * (c8 / 40320 +
                                                  u * (-c10 / 3628800 +
                                                       u * (c12 / 479001600. +
                                                            u * (-c14 / 87178291200. +
                                                                 u * (c16 / 20922789888000.))))))));
    uint64_t quarter;
    memcpy(&quarter, &shifted, sizeof quarter);
    bool turned = quarter & 1, back = quarter & 2;
    double re = turned ? -s : k, im = turned ? k : s;
    z[0] = back ? -re : re;
    z[1] = back ? -im : im;
}

/* scale exp(j 2 pi range turns[i]). */
EACH_WIDTH static void filters(double *restrict z, const double *restrict turns, uint64_t n,
                               double range, double scale)
{
    for (uint64_t i = 0; i < n; i++) {
        double one[2];
        phasor(one, range * turns[i]);
        z[2 * i] = scale * one[0];
        z[2 * i + 1] = scale * one[1];
    }
}

/* Modified Bessel function of order 0 by its series, the sum of ((x / 2)^k / k!)^2. */
static double bessel(double x)
{
    double y = x * x / 4, term = 1, sum = 1;
    for (unsigned k = 1; k <= HTMT__SAR_I0_TERMS; k++)
        sum += term *= y / (k * k);
    return sum;
}

static inline uint64_t phase_of(int64_t position)
{
    return (uint64_t)(position >> (HTMT__SAR_FRACTION_BITS - HTMT__SAR_PHASE_BITS)) &
           ((UINT64_C(1) << HTMT__SAR_PHASE_BITS) - 1);
}

typedef double lanes_double __attribute__((vector_size(4 * sizeof(double))));
typedef float lanes_float __attribute__((vector_size(4 * sizeof(float))));

#define REAL       double
#define LANES      lanes_double
#define NAME(name) name##_double
#include "apps/sar/loops.h"

#define REAL       float
#define LANES      lanes_float
#define NAME(name) name##_float
#include "apps/sar/loops.h"

/* ---- what kernels are given ----------------------------------------------------------------- */

/* With what a kernel reads beside its closure. */
static const struct htmt__sar_order *order_of(struct htmt_kernel *k)
{
    const struct htmt__sar_order *o = htmt_kernel_args(k);
    const struct htmt__sar_program *p = o->p;
    htmt_constants(k, p, sizeof *p);
    htmt_constants(k, p->raw, sizeof *p->raw);
    htmt_constants(k, p->raw->gain, p->raw->lines * sizeof *p->raw->gain);
    htmt_constants(k, p->track, p->decomposition.plan.band * sizeof *p->track);
    for (int i = 0; i < 2; i++) {
        htmt_constants(k, p->range[i], p->range_bytes);
        htmt_constants(k, p->azimuth[i], p->azimuth_bytes);
    }
    htmt_constants(k, p->reference, p->reference_bytes);
    return o;
}

static void count(struct htmt_kernel *k, struct htmt_ops ops)
{
    for (unsigned i = 0; i < HTMT_OP_CLASSES; i++)
        if (ops.n[i])
            htmt_count(k, (enum htmt_op)i, ops.n[i]);
}

/* Transforms are aligned to 64 bytes in every buffer, so this cannot fail. */
static void transform(const struct htmt__fft *fft, void *points)
{
    (void)htmt__fft_run(fft, points);
}

static struct htmt__sar_strip strip_of(const struct htmt__sar_order *o, uint32_t lines)
{
    uint32_t patch = htmt__sar_patch_of(&o->p->decomposition, o->patch);
    return htmt__sar_strip(lines, htmt__sar_parcels(&o->p->decomposition, o->stage, patch),
                           o->index);
}

static void *point_at(const struct htmt__sar_decomposition *c, void *points, uint64_t i)
{
    return (char *)points + i * c->point;
}

/* ---- DPIM ----------------------------------------------------------------------------------- */

/* Region 0: pairs of raw numbers, region 1: rows of the frame. Line by line
 * z = gain[line] ((I - mean_i) + j (Q - mean_q)). 6 flop a point. */
static void read_patch(struct htmt_kernel *k)
{
    const struct htmt__sar_order *o = order_of(k);
    const struct htmt__sar_decomposition *c = &o->p->decomposition;
    const struct htmt__sar_raw *raw = o->p->raw;
    struct htmt__sar_strip s = strip_of(o, c->plan.patch_lines);
    uint32_t first = htmt__sar_plan_patch(&c->plan, htmt__sar_patch_of(c, o->patch)).first;
    for (uint32_t i = s.first; i < s.end; i++) {
        uint64_t row = i - s.first;
        const void *pairs = (char *)htmt_bytes(k, 0) + htmt__sar_raw_bytes(c, row);
        void *z = point_at(c, htmt_bytes(k, 1), row * c->cells);
        double gain = raw->gain ? raw->gain[first + i] : 1;
        (c->single ? convert_float : convert_double)(z, pairs, c->format, c->plan.radar.samples,
                                                     raw->mean_i, raw->mean_q, gain);
    }
    count(k, htmt__sar_read_ops(c, s.end - s.first));
}

/* Region 0: rows of the frame, region 1: lines of the image. */
static void write_patch(struct htmt_kernel *k)
{
    const struct htmt__sar_order *o = order_of(k);
    const struct htmt__sar_decomposition *c = &o->p->decomposition;
    uint32_t patch = htmt__sar_patch_of(c, o->patch);
    struct htmt__sar_strip s = strip_of(o, htmt__sar_plan_patch(&c->plan, patch).lines);
    for (uint64_t i = 0; i < s.end - s.first; i++)
        memcpy(point_at(c, htmt_bytes(k, 1), i * c->plan.samples),
               point_at(c, htmt_bytes(k, 0), i * c->cells), (size_t)c->plan.samples * c->point);
    count(k, htmt__sar_write_ops(c, s.end - s.first));
}

/* ---- range ---------------------------------------------------------------------------------- */

/* Region 0: a workspace of N complex doubles, region 1: N points, H. The matched filter with
 * secondary range compression, in double for either precision. Flop: pulse (4 + phasor) + 5 N log2
 * N + N (12 + phasor). */
static void range_reference(struct htmt_kernel *k)
{
    const struct htmt__sar_order *o = order_of(k);
    const struct htmt__sar_plan *p = &o->p->decomposition.plan;
    const struct htmt__sar_radar *r = &p->radar;
    const uint32_t n = p->range_length;
    double *z = htmt_bytes(k, 0);
    /* exp(j pulse_phase(i)) = exp(j 2 pi (K / 2) (i / sampling - pulse / 2)^2), zeros up to N */
    for (uint32_t i = 0; i < p->pulse; i++) {
        double t = i / r->sampling - r->pulse / 2;
        phasor(z + 2 * i, r->chirp_rate / 2 * t * t);
    }
    memset(z + 2 * p->pulse, 0, 2 * sizeof *z * (n - p->pulse));
    transform(o->p->reference, z);
    /* z[i] = conj(z[i]) exp(-j 2 pi g^2 / (2 K_src)) / (N pulse), g the range frequency of i */
    double step = r->sampling / n, scale = 1 / ((double)n * p->pulse);
    double half = htmt__sar_src(r, p->src_range) / 2;
    for (uint32_t i = 0; i < n; i++) {
        double g = step * (2 * (uint64_t)i < n ? (double)i : (double)i - n), h[2];
        phasor(h, -half * g * g);
        double re = z[2 * i] * scale, im = -z[2 * i + 1] * scale;
        z[2 * i] = re * h[0] - im * h[1];
        z[2 * i + 1] = re * h[1] + im * h[0];
    }
    if (o->p->decomposition.single)
        round_to_float(htmt_bytes(k, 1), z, 2 * (uint64_t)n);
    else
        memcpy(htmt_bytes(k, 1), z, 2 * sizeof *z * n);
    count(k, htmt__sar_range_reference_ops(&o->p->decomposition));
}

/* Region 0: a line, zeros up to N points, region 1: H. z = IFFT(FFT(z) H). Flop: 10 N log2 N
 * + 6 N. */
static void range_line(struct htmt_kernel *k)
{
    const struct htmt__sar_order *o = order_of(k);
    const struct htmt__sar_decomposition *c = &o->p->decomposition;
    void *z = htmt_bytes(k, 0);
    transform(o->p->range[0], z);
    if (c->single)
        multiply_float(z, htmt_bytes(k, 1), c->plan.range_length);
    else
        multiply_double(z, htmt_bytes(k, 1), c->plan.range_length);
    transform(o->p->range[1], z);
    count(k, htmt__sar_range_ops(c));
}

/* ---- migration ------------------------------------------------------------------------------ */

/* w[t] = sinc(u) I0(beta sqrt(1 - (u / 8)^2)), u = t - before - phase / phases; sum 1. */
static void make_weights(double *w, uint32_t phase)
{
    double fraction = ldexp(phase, -HTMT__SAR_PHASE_BITS), sum = 0;
    for (unsigned t = 0; t < HTMT__SAR_TAPS; t++) {
        double u = t - (double)HTMT__SAR_BEFORE - fraction, z[2];
        double end = u / (HTMT__SAR_TAPS / 2.0), turn = M_PI * u;
        phasor(z, u / 2);
        double sinc = turn == 0 ? 1 : z[1] / turn;
        w[t] = sinc * bessel(HTMT__SAR_BETA * sqrt(1 - end * end));
        sum += w[t];
    }
    for (unsigned t = 0; t < HTMT__SAR_TAPS; t++)
        w[t] /= sum;
}

/* Region 0: 1024 x 16 weights. */
static void interpolator(struct htmt_kernel *k)
{
    const struct htmt__sar_order *o = order_of(k);
    bool single = o->p->decomposition.single;
    for (uint32_t phase = 0; phase < 1u << HTMT__SAR_PHASE_BITS; phase++) {
        double w[HTMT__SAR_TAPS];
        make_weights(w, phase);
        if (single)
            round_to_float((float *)htmt_bytes(k, 0) + phase * HTMT__SAR_TAPS, w, HTMT__SAR_TAPS);
        else
            memcpy((double *)htmt_bytes(k, 0) + phase * HTMT__SAR_TAPS, w, sizeof w);
    }
    count(k, htmt__sar_interpolator_ops());
}

/* Region 0: bins x columns of straightened points, region 1: weights, then for each bin that needs
 * any the cells that its columns need, gathered from the bin's track on. Each point is the weighted
 * sum of 16 cells: 64 flop. */
static void migration(struct htmt_kernel *k)
{
    const struct htmt__sar_order *o = order_of(k);
    const struct htmt__sar_decomposition *c = &o->p->decomposition;
    struct htmt__sar_tile tile = htmt__sar_tile(c, o->index);
    uint32_t region = 2;
    for (uint32_t b = 0; b < tile.bins; b++) {
        struct htmt__sar_track at = o->p->track[tile.bin + b];
        struct htmt__sar_cells cells = htmt__sar_cells(c, &at, tile.column, tile.columns);
        const void *x = cells.first < cells.end ? htmt_bytes(k, region++) : NULL;
        void *out = point_at(c, htmt_bytes(k, 0), (uint64_t)b * tile.columns);
        at.start += tile.column * at.step;
        if (c->single)
            straighten_float(out, x, htmt_bytes(k, 1), tile.columns, at, cells.first, cells.end);
        else
            straighten_double(out, x, htmt_bytes(k, 1), tile.columns, at, cells.first, cells.end);
    }
    count(k, htmt__sar_migration_ops((uint64_t)tile.bins * tile.columns));
}

/* ---- azimuth -------------------------------------------------------------------------------- */

/* Region 0: for each bin of the band the turns of the filter's phase for a metre of range,
 * 2 (D - 1) carrier / c - B^2 / 24 (1 / K_src(f) - 1 / K_src(centroid)) of a metre. 16 flop. */
static void azimuth_reference(struct htmt_kernel *k)
{
    const struct htmt__sar_order *o = order_of(k);
    const struct htmt__sar_plan *p = &o->p->decomposition.plan;
    double *turns = htmt_bytes(k, 0);
    for (uint32_t b = 0; b < p->band; b++) {
        double f = htmt__sar_plan_frequency(p, htmt__sar_bin(p, b));
        turns[b] = htmt__sar_azimuth_phase(&p->radar, 1, f) / (2 * M_PI);
    }
    count(k, htmt__sar_azimuth_reference_ops(&o->p->decomposition));
}

/* Copy points from one place of two columns to another. */
static void copy_points(const struct htmt__sar_decomposition *c, void *to, uint64_t at, void *from,
                        uint64_t first, uint64_t n)
{
    memmove(point_at(c, to, at), point_at(c, from, first), n * c->point);
}

/* Zero on all rows outside the band. */
static void clear_outside(const struct htmt__sar_decomposition *c, void *z)
{
    struct htmt__sar_band b = htmt__sar_band(&c->plan);
    uint64_t end = (uint64_t)b.first + b.high;
    memset(point_at(c, z, b.low), 0, (uint64_t)(b.first - b.low) * c->point);
    memset(point_at(c, z, end), 0, (c->plan.azimuth_length - end) * c->point);
}

static void filter(const struct htmt__sar_decomposition *c, void *z, uint64_t row,
                   const double *turns, uint64_t n, double range)
{
    double scale = 1.0 / c->plan.azimuth_length;
    if (c->single)
        filter_float(point_at(c, z, row), turns, n, range, scale);
    else
        filter_double(point_at(c, z, row), turns, n, range, scale);
}

/* z = Y exp(j 2 pi R turns) / M on the rows of the band, R the column's range. */
static void filter_band(const struct htmt__sar_order *o, void *z, const double *turns)
{
    const struct htmt__sar_decomposition *c = &o->p->decomposition;
    struct htmt__sar_band b = htmt__sar_band(&c->plan);
    double range = htmt__sar_plan_range(&c->plan, o->index);
    filter(c, z, 0, turns, b.low, range);
    filter(c, z, b.first, turns + b.low, b.high, range);
}

/* Line i of the patch's share of the image is row (row + i) mod M. */
static void focus_lines(const struct htmt__sar_order *o, void *z, void *lines)
{
    const struct htmt__sar_decomposition *c = &o->p->decomposition;
    struct htmt__sar_patch patch = htmt__sar_plan_patch(&c->plan, htmt__sar_patch_of(c, o->patch));
    uint32_t here = c->plan.azimuth_length - patch.row;
    if (here > patch.lines)
        here = patch.lines;
    transform(o->p->azimuth[1], z);
    copy_points(c, lines, 0, z, patch.row, here);
    copy_points(c, lines, here, z, 0, patch.lines - here);
}

/* Region 0: a column, zeros up to M points, region 1: the lines of the image, region 2: turns.
 * Flop: 10 M log2 M + bins of the band (9 + phasor). */
static void azimuth_line(struct htmt_kernel *k)
{
    const struct htmt__sar_order *o = order_of(k);
    void *z = htmt_bytes(k, 0);
    transform(o->p->azimuth[0], z);
    clear_outside(&o->p->decomposition, z);
    filter_band(o, z, htmt_bytes(k, 2));
    focus_lines(o, z, htmt_bytes(k, 1));
    count(k, htmt__sar_azimuth_ops(&o->p->decomposition));
}

/* Region 0: a column, zeros up to M points, region 1: its band. Flop: 5 M log2 M. */
static void azimuth_transform(struct htmt_kernel *k)
{
    const struct htmt__sar_order *o = order_of(k);
    const struct htmt__sar_decomposition *c = &o->p->decomposition;
    struct htmt__sar_band b = htmt__sar_band(&c->plan);
    void *z = htmt_bytes(k, 0);
    transform(o->p->azimuth[0], z);
    copy_points(c, htmt_bytes(k, 1), 0, z, 0, b.low);
    copy_points(c, htmt_bytes(k, 1), b.low, z, b.first, b.high);
    count(k, htmt__sar_transform_ops(c));
}

/* Region 0: the band of a straightened column with room for M points, region 1: the lines of the
 * image, region 2: turns. Flop: 5 M log2 M + bins (9 + phasor). */
static void azimuth_focus(struct htmt_kernel *k)
{
    const struct htmt__sar_order *o = order_of(k);
    const struct htmt__sar_decomposition *c = &o->p->decomposition;
    struct htmt__sar_band b = htmt__sar_band(&c->plan);
    void *z = htmt_bytes(k, 0);
    /* the band's points lie without gaps from row 0 on; move each to its own row */
    copy_points(c, z, b.first, z, b.low, b.high);
    clear_outside(c, z);
    filter_band(o, z, htmt_bytes(k, 2));
    focus_lines(o, z, htmt_bytes(k, 1));
    count(k, htmt__sar_focus_ops(c));
}

/* ---- what the types need -------------------------------------------------------------------- */

htmt_kernel_fn *const htmt__sar_kernels[HTMT__SAR_STAGES] = {
    [HTMT__SAR_READ] = read_patch,
    [HTMT__SAR_RANGE_REFERENCE] = range_reference,
    [HTMT__SAR_RANGE] = range_line,
    [HTMT__SAR_INTERPOLATOR] = interpolator,
    [HTMT__SAR_AZIMUTH_REFERENCE] = azimuth_reference,
    [HTMT__SAR_AZIMUTH] = azimuth_line,
    [HTMT__SAR_TRANSFORM] = azimuth_transform,
    [HTMT__SAR_MIGRATION] = migration,
    [HTMT__SAR_FOCUS] = azimuth_focus,
    [HTMT__SAR_WRITE] = write_patch,
};

void htmt__sar_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct htmt__sar_order *o = args;
    const struct htmt__sar_decomposition *c = &o->p->decomposition;
    (void)user;
    *ops = htmt__sar_ops(c, o->stage, htmt__sar_patch_of(c, o->patch), o->index);
}
