/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The serial program in one precision. reference_double.c and reference_single.c include this text
 * with
 *     REAL      the type of a real number,
 *     PROGRAM   the name of the program.
 *
 * A patch lies in `work`: a row for each line, and later for each bin of the band, as long as the
 * interpolator reaches beyond the cells. Azimuth processing takes COLUMNS columns at a time: they
 * are transposed into `block`, a row for each column, which stays in the second-level cache.
 *
 * Threads. Lines are independent before the transposition and blocks of columns after it, so each
 * step is cut into parts, every one with a line and a block of its own, and any number of threads
 * gives the same bits.
 */
#include "apps/fft/fft.h"
#include "apps/lib/host_parts.h"
#include "apps/sar/geometry.h"
#include "apps/sar/reference.h"
#include "apps/sar/reference_tables.h"
#include "parcels/kernel.h"

#include <complex.h>
#include <string.h>

#define COLUMNS 32 /* 512 bytes of a row in double; transposed, 2 MiB of 4096 lines */
#define PARTS   64 /* of a step, at most: each has a block */
#define AHEAD   16 /* rows that are prefetched: they lie in different pages */

#define WIDE HTMT_CLONES("arch=x86-64-v4", "arch=x86-64-v3", "default")

typedef REAL complex point;
/* Four points, two, one; the compiler maps them to the processor's vectors. */
typedef REAL lanes __attribute__((vector_size(8 * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));
typedef REAL pair __attribute__((vector_size(4 * sizeof(REAL))));
typedef REAL one __attribute__((vector_size(2 * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));

struct focus {
    const struct htmt__sar_plan *plan;
    const struct htmt__sar_raw *raw;
    uint64_t left, stride; /* of work: zeros before the cells, length of a row */
    uint64_t pitch, reach; /* of block; of line */
    uint32_t parts;        /* of a step, for several threads */
    point *line, *matched; /* of each part; range_length */
    point *work, *block;   /* rows x stride; of each part, COLUMNS x pitch */
    point *turn;           /* [band][COLUMNS]: the filter of a column over that of its
                              block's first */
    REAL *weights;         /* [phase][tap][2], the same for real and imaginary part */
    struct htmt__fft *range[2], *azimuth[2]; /* forward, back */
};

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Transformed data lies on multiples of 16 bytes, so this cannot fail. */
static void transform(const struct htmt__fft *fft, point *at)
{
    (void)htmt__fft_run(fft, at);
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* What a step works on: the patch, and where its lines of the image go. */
struct step {
    const struct focus *f;
    const struct htmt__sar_patch *patch;
    point *lines;
};

/* The first of `count` things of a part, which has those up to the first one of the next part. */
static uint32_t first_of(const struct focus *f, uint32_t count, uint32_t part)
{
    return (uint32_t)((uint64_t)count * part / f->parts);
}

static uint32_t blocks_of(uint32_t columns)
{
    return (columns + COLUMNS - 1) / COLUMNS;
}

/* ---- range ---------------------------------------------------------------------------------- */

WIDE static void numbers(const struct htmt__sar_raw *raw, uint32_t line, REAL *restrict to)
{
    uint64_t n = 2 * (uint64_t)raw->samples, first = line * n;
    const uint8_t *u8 = (const uint8_t *)raw->bytes + first;
    const int8_t *i8 = (const int8_t *)raw->bytes + first;
    const int16_t *i16 = (const int16_t *)raw->bytes + first;
    const float *c64 = (const float *)raw->bytes + first;
    switch (raw->format) {
    case HTMT__SAR_U8:
        for (uint64_t j = 0; j < n; j++)
            to[j] = (REAL)u8[j];
        break;
    case HTMT__SAR_I8:
        for (uint64_t j = 0; j < n; j++)
            to[j] = (REAL)i8[j];
        break;
    case HTMT__SAR_I16:
        for (uint64_t j = 0; j < n; j++)
            to[j] = (REAL)i16[j];
        break;
    case HTMT__SAR_C64:
        for (uint64_t j = 0; j < n; j++)
            to[j] = (REAL)c64[j];
        break;
    }
}

/* z = gain ((I - mean_i) + j (Q - mean_q)). */
WIDE static void centre(REAL *restrict z, uint32_t n, REAL gain, REAL mean_i, REAL mean_q)
{
    for (uint32_t j = 0; j < n; j++) {
        z[2 * j] = gain * (z[2 * j] - mean_i);
        z[2 * j + 1] = gain * (z[2 * j + 1] - mean_q);
    }
}

/* a *= b. */
WIDE static void multiply(REAL *restrict a, const REAL *restrict b, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        REAL re = a[2 * k], im = a[2 * k + 1];
        a[2 * k] = re * b[2 * k] - im * b[2 * k + 1];
        a[2 * k + 1] = re * b[2 * k + 1] + im * b[2 * k];
    }
}

static void focus_range(void *step, uint32_t part)
{
    const struct step *s = step;
    const struct focus *f = s->f;
    const struct htmt__sar_plan *p = f->plan;
    const struct htmt__sar_raw *raw = f->raw;
    point *own = f->line + part * f->reach;
    for (uint32_t i = first_of(f, p->patch_lines, part); i < first_of(f, p->patch_lines, part + 1);
         i++) {
        uint32_t line = s->patch->first + i, n = raw->samples;
        numbers(raw, line, (REAL *)own);
        centre((REAL *)own, n, raw->gain ? (REAL)raw->gain[line] : 1, (REAL)raw->mean_i,
               (REAL)raw->mean_q);
        memset(own + n, 0, (p->range_length - n) * sizeof *own);
        transform(f->range[0], own);
        multiply((REAL *)own, (const REAL *)f->matched, p->range_length);
        transform(f->range[1], own);
        memcpy(f->work + f->left + i * f->stride, own, p->compressed * sizeof *own);
    }
}

/* ---- azimuth: spectra ----------------------------------------------------------------------- */

/* Columns become spectra. A block of columns is transposed, so that a transform runs along memory,
 * with zeros behind its lines; then its bins of the band go back, bin band_first + j to row j. */
static void make_spectra(void *step, uint32_t part)
{
    const struct focus *f = ((const struct step *)step)->f;
    const struct htmt__sar_plan *p = f->plan;
    const uint32_t blocks = blocks_of(p->compressed), end = first_of(f, blocks, part + 1);
    point *block = f->block + part * COLUMNS * f->pitch;
    for (uint32_t b = first_of(f, blocks, part); b < end; b++) {
        const uint32_t first = b * COLUMNS, n = least(COLUMNS, p->compressed - first);
        point *at = f->work + f->left + first;
        for (uint32_t i = 0; i < p->patch_lines; i++, at += f->stride) {
            for (uint32_t c = 0; c < n; c += 64 / sizeof(point))
                __builtin_prefetch(at + AHEAD * f->stride + c);
            for (uint32_t c = 0; c < n; c++)
                block[c * f->pitch + i] = at[c];
        }
        for (point *c = block; c < block + n * f->pitch; c += f->pitch) {
            memset(c + p->patch_lines, 0, (p->azimuth_length - p->patch_lines) * sizeof *c);
            transform(f->azimuth[0], c);
        }
        uint32_t row = htmt__sar_plan_bin_row(p, p->band_first);
        at = f->work + f->left + first;
        for (uint32_t j = 0; j < p->band; j++, at += f->stride) {
            for (uint32_t c = 0; c < n; c += 64 / sizeof(point))
                __builtin_prefetch(at + AHEAD * f->stride + c, 1);
            for (uint32_t c = 0; c < n; c++)
                at[c] = block[c * f->pitch + row];
            row = row + 1 < p->azimuth_length ? row + 1 : 0;
        }
    }
}

/* ---- azimuth: migration and focus ----------------------------------------------------------- */

/* y[c] = sum of w[t] x[cell - 7 + t]. */
WIDE static void straighten(const point *x, const REAL *weights, struct htmt__sar_track track,
                            uint32_t n, REAL *restrict y)
{
    for (uint32_t c = 0; c < n; c++, track.start += track.step) {
        const lanes *z = (const lanes *)(x + htmt__sar_cell(track.start) - HTMT__SAR_BEFORE);
        const lanes *w =
            (const lanes *)(weights + 2 * HTMT__SAR_TAPS * htmt__sar_phase(track.start));
        lanes sum = (z[0] * w[0] + z[1] * w[1]) + (z[2] * w[2] + z[3] * w[3]);
        pair half = __builtin_shufflevector(sum, sum, 0, 1, 2, 3) +
                    __builtin_shufflevector(sum, sum, 4, 5, 6, 7);
        *(one *)(y + 2 * c) =
            __builtin_shufflevector(half, half, 0, 1) + __builtin_shufflevector(half, half, 2, 3);
    }
}

/* y *= anchor turn. */
WIDE static void turn(REAL *restrict y, const REAL *restrict by, REAL a, REAL b, uint32_t n)
{
    for (uint32_t c = 0; c < n; c++) {
        REAL u = a * by[2 * c] - b * by[2 * c + 1], v = a * by[2 * c + 1] + b * by[2 * c];
        REAL re = y[2 * c], im = y[2 * c + 1];
        y[2 * c] = re * u - im * v;
        y[2 * c + 1] = re * v + im * u;
    }
}

/* Row j of the band for n columns, straightened and filtered. */
static void focus_bin(const struct focus *f, uint32_t j, uint32_t first, uint32_t n, point *y)
{
    const struct htmt__sar_plan *p = f->plan;
    const point *x = f->work + j * f->stride + f->left;
    for (uint32_t c = 0; c < n + HTMT__SAR_TAPS; c += 64 / sizeof(point))
        __builtin_prefetch(x + AHEAD * f->stride + first + c);
    int64_t bin = p->band_first + j;
    double phase = htmt__sar_azimuth_phase(&p->radar, htmt__sar_plan_range(p, first),
                                           htmt__sar_plan_frequency(p, bin));
    if (p->rcmc) {
        struct htmt__sar_track track = htmt__sar_plan_track(p, bin);
        track.start += first * track.step;
        straighten(x, f->weights, track, n, (REAL *)y);
    } else
        memcpy(y, x + first, n * sizeof *y);
    turn((REAL *)y, (const REAL *)(f->turn + j * COLUMNS), (REAL)(cos(phase) / p->azimuth_length),
         (REAL)(sin(phase) / p->azimuth_length), n);
}

/* Filtered columns become lines of the image. The band of a block of columns is transposed, with
 * zeros outside it; after the transforms the lines that the patch delivers go to the image. */
static void focus_azimuth(void *step, uint32_t part)
{
    const struct step *s = step;
    const struct focus *f = s->f;
    const struct htmt__sar_plan *p = f->plan;
    const uint32_t blocks = blocks_of(p->samples), end = first_of(f, blocks, part + 1);
    point *block = f->block + part * COLUMNS * f->pitch;
    for (uint32_t b = first_of(f, blocks, part); b < end; b++) {
        const uint32_t first = b * COLUMNS, n = least(COLUMNS, p->samples - first);
        uint32_t row = htmt__sar_plan_bin_row(p, p->band_first);
        point y[COLUMNS], *to = s->lines + first;
        memset(block, 0, n * f->pitch * sizeof *block);
        for (uint32_t j = 0; j < p->band; j++) {
            focus_bin(f, j, first, n, y);
            for (uint32_t c = 0; c < n; c++)
                block[c * f->pitch + row] = y[c];
            row = row + 1 < p->azimuth_length ? row + 1 : 0;
        }
        for (point *c = block; c < block + n * f->pitch; c += f->pitch)
            transform(f->azimuth[1], c);
        row = s->patch->row;
        for (uint32_t i = 0; i < s->patch->lines; i++, to += p->samples) {
            for (uint32_t c = 0; c < n; c += 64 / sizeof(point))
                __builtin_prefetch(to + AHEAD * p->samples + c, 1);
            for (uint32_t c = 0; c < n; c++)
                to[c] = block[c * f->pitch + row];
            row = row + 1 < p->azimuth_length ? row + 1 : 0;
        }
    }
}

/* ---- set-up --------------------------------------------------------------------------------- */

static void fill_tables(struct focus *f, const struct htmt__sar_tables *tables)
{
    const struct htmt__sar_plan *p = f->plan;
    for (uint64_t k = 0; k < 2 * (uint64_t)p->range_length; k++)
        ((REAL *)f->matched)[k] = (REAL)tables->matched[k];
    for (uint64_t k = 0; k < HTMT__SAR_TAPS << HTMT__SAR_PHASE_BITS; k++)
        f->weights[2 * k] = f->weights[2 * k + 1] = (REAL)tables->weights[k];
    for (uint32_t j = 0; j < p->band; j++)
        for (uint32_t c = 0; c < COLUMNS; c++) {
            double angle = htmt__sar_azimuth_phase(&p->radar, c * htmt__sar_spacing(&p->radar),
                                                   htmt__sar_plan_frequency(p, p->band_first + j));
            REAL *to = (REAL *)(f->turn + j * COLUMNS + c);
            to[0] = (REAL)cos(angle);
            to[1] = (REAL)sin(angle);
        }
}

static int create(struct focus *f, struct htmt_fault *fault)
{
    const struct htmt__sar_plan *p = f->plan;
    uint64_t weights = 2 * HTMT__SAR_TAPS << HTMT__SAR_PHASE_BITS;
    f->pitch = p->azimuth_length + 64 / sizeof(point); /* off a power of two */
    f->reach = (p->range_length + 64 / sizeof(point)) / 2 * 2;
    f->line = malloc(f->parts * f->reach * sizeof(point));
    f->matched = malloc(p->range_length * sizeof(point));
    f->block = malloc(f->parts * COLUMNS * f->pitch * sizeof(point));
    f->turn = malloc(COLUMNS * (uint64_t)p->band * sizeof(point));
    f->weights = malloc(weights * sizeof *f->weights);
    if (!f->line || !f->matched || !f->block || !f->turn || !f->weights)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the serial program");
    int rc = 0;
    for (unsigned i = 0; i < 2 && !rc; i++) {
        struct htmt__fft_shape shape = {.backward = i == 1,
                                        .single = sizeof(REAL) == sizeof(float)};
        shape.length = p->range_length;
        rc = htmt__fft_create(&shape, &f->range[i], fault);
        shape.length = p->azimuth_length;
        rc = rc ? rc : htmt__fft_create(&shape, &f->azimuth[i], fault);
    }
    return rc;
}

/* Two for each thread. Together their blocks have hardly more columns than a patch. */
static uint32_t parts_of(const struct htmt__sar_plan *plan, unsigned threads)
{
    return threads > 1 ? least(2 * least(threads, PARTS / 2), blocks_of(plan->compressed)) : 1;
}

int PROGRAM(const struct htmt__sar_plan *plan, const struct htmt__sar_raw *raw,
            const struct htmt__sar_tables *tables, unsigned threads, void *work, void *const *image,
            struct htmt_fault *fault)
{
    struct focus f = {.plan = plan,
                      .raw = raw,
                      .left = tables->left,
                      .stride = tables->stride,
                      .parts = parts_of(plan, threads),
                      .work = work};
    int rc = create(&f, fault);
    if (rc)
        goto out;
    fill_tables(&f, tables);
    for (uint32_t j = 0; j < plan->band; j++) {
        const uint64_t behind = f.left + plan->compressed;
        point *row = f.work + j * f.stride;
        memset(row, 0, f.left * sizeof *row);
        memset(row + behind, 0, (f.stride - behind) * sizeof *row);
    }
    for (uint32_t i = 0; i < plan->patches; i++) {
        struct htmt__sar_patch patch = htmt__sar_plan_patch(plan, i);
        if (!image[i])
            continue;
        struct step step = {&f, &patch, image[i]};
        htmt_host_parts(threads, f.parts, focus_range, &step);
        htmt_host_parts(threads, f.parts, make_spectra, &step);
        htmt_host_parts(threads, f.parts, focus_azimuth, &step);
    }
out:
    for (unsigned i = 0; i < 2; i++) {
        htmt__fft_destroy(&f.range[i]);
        htmt__fft_destroy(&f.azimuth[i]);
    }
    free(f.line);
    free(f.matched);
    free(f.block);
    free(f.turn);
    free(f.weights);
    return rc;
}
