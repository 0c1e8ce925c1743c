/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels of the field on lines of the grid: the solve, for whoever has whole lines of an axis in
 * one memory, and the record of a row. Parcels carry some lines (field.c, push.c), nodes that pass
 * messages have all of theirs (mpp_program.c).
 */
#ifndef HTMT_APPS_PIC_LINES_H
#define HTMT_APPS_PIC_LINES_H

#include "apps/fft/complex.h"
#include "apps/fft/fft.h"
#include "apps/pic/io/record.h"

#include <math.h>

/* A transform of `width` lines at once. There are few: slices differ by one mode along an axis, so
 * columns of y come in two numbers and columns of z in four, a parcel has the usual number of them
 * or what is left, and each transform goes there and back: 2 (1 + (1 + 2) + (1 + 4)) with those of
 * x. */
#define HTMT__PIC_LINES 18

struct htmt__pic_line {
    uint32_t length, width;
    bool backward;
    struct htmt__fft *fft;
    size_t bytes; /* of it: htmt__fft_bytes() */
};

struct htmt__pic_lines {
    uint32_t count;
    struct htmt__pic_line of[HTMT__PIC_LINES];
};

/* The transform that was added; NULL: none was. */
static inline const struct htmt__pic_line *
htmt__pic_line(const struct htmt__pic_lines *l, uint32_t length, uint32_t width, bool backward)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (l->of[i].length == length && l->of[i].width == width && l->of[i].backward == backward)
            return &l->of[i];
    return NULL;
}

/* field.c. No columns, and a transform that is there, need nothing. Errors: of
 * htmt__fft_create(). */
int htmt__pic_line_add(struct htmt__pic_lines *l, uint32_t length, uint32_t width, bool backward,
                       struct htmt_fault *fault);
void htmt__pic_line_destroy(struct htmt__pic_lines *l);

/* Transform `width` neighbouring columns at once; a row is width 1. */
static inline void htmt__pic_transform(const struct htmt__pic_lines *l, uint32_t length,
                                       uint32_t width, bool backward, double complex *at)
{
    htmt__fft_run(htmt__pic_line(l, length, width, backward)->fft, at);
}

/* Rows of rho become rows of modes, nx / 2 + 1 each; `pair` has room for a row. Two real rows a and
 * b are one complex row a + i b with the spectrum Z, from which
 *     A_k = (Z_k + conj Z_-k) / 2,   B_k = (Z_k - conj Z_-k) / (2 i). */
static inline void htmt__pic_rows_forward(const struct htmt__pic_lines *l, uint32_t nx,
                                          uint64_t count, const double *rho, double complex *a,
                                          double complex *pair)
{
    const uint32_t modes = nx / 2 + 1;
    for (uint64_t i = 0; i < count; i += 2, a += 2 * modes) {
        bool two = i + 1 < count;
        for (uint32_t x = 0; x < nx; x++)
            pair[x] = CMPLX(rho[i * nx + x], two ? rho[(i + 1) * nx + x] : 0);
        htmt__pic_transform(l, nx, 1, false, pair);
        for (uint32_t m = 0; m < modes; m++) {
            double complex there = pair[m], back = conj(pair[m ? nx - m : 0]);
            a[m] = 0.5 * (there + back);
            if (two)
                a[modes + m] =
                    CMPLX(0.5 * (cimag(there) - cimag(back)), 0.5 * (creal(back) - creal(there)));
        }
    }
}

/* And back: Z_k = A_k + i B_k, with A and B continued as spectra of real rows. */
static inline void htmt__pic_rows_backward(const struct htmt__pic_lines *l, uint32_t nx,
                                           uint64_t count, const double complex *a, double *field,
                                           double complex *pair)
{
    const uint32_t modes = nx / 2 + 1;
    for (uint64_t i = 0; i < count; i += 2, a += 2 * modes) {
        bool two = i + 1 < count;
        for (uint32_t m = 0; m < modes; m++) {
            double complex b = two ? a[modes + m] : 0;
            pair[m] = CMPLX(creal(a[m]) - cimag(b), cimag(a[m]) + creal(b));
            if (m && nx - m > m)
                pair[nx - m] = CMPLX(creal(a[m]) + cimag(b), creal(b) - cimag(a[m]));
        }
        htmt__pic_transform(l, nx, 1, true, pair);
        for (uint32_t x = 0; x < nx; x++)
            field[i * nx + x] = creal(pair[x]);
        for (uint32_t x = 0; x < nx && two; x++)
            field[(i + 1) * nx + x] = cimag(pair[x]);
    }
}

/* Wave number of mode i of n. With `derive` it is that of the derivative, which has no Nyquist
 * component. */
static inline double htmt__pic_wave_number(uint32_t i, uint32_t n, bool derive)
{
    double mode = 2 * i > n ? (double)i - n : i;
    return derive && 2 * i == n ? 0 : 2 * M_PI * mode / n;
}

/* Columns of z, of which the first is number `from` among those of modes first_x and so on along x,
 * modes_x of them, and of modes first_y and so on along y. */
struct htmt__pic_columns {
    uint32_t width;
    uint64_t from;
    uint32_t first_x, modes_x, first_y;
};

/* E = -ik rho / k^2, and 1 / cells, which the transforms leave out. e[0] holds rho at first. */
static inline void htmt__pic_solve(const struct htmt__pic_lines *l, const uint32_t n[3],
                                   const struct htmt__pic_columns *s, double complex *e[3])
{
    const double cells = (double)n[0] * n[1] * n[2];
    const uint32_t width = s->width;
    htmt__pic_transform(l, n[2], width, false, e[0]);
    for (uint32_t column = 0; column < width; column++) {
        uint64_t in_slice = s->from + column;
        uint32_t x = s->first_x + (uint32_t)(in_slice % s->modes_x);
        uint32_t y = s->first_y + (uint32_t)(in_slice / s->modes_x);
        double kx = htmt__pic_wave_number(x, n[0], false),
               ky = htmt__pic_wave_number(y, n[1], false);
        double dx = htmt__pic_wave_number(x, n[0], true), dy = htmt__pic_wave_number(y, n[1], true);
        double across = kx * kx + ky * ky;
        for (uint32_t z = 0; z < n[2]; z++) {
            uint64_t i = (uint64_t)z * width + column;
            double kz = htmt__pic_wave_number(z, n[2], false), square = across + kz * kz;
            double scale = square > 0 ? 1 / (square * cells) : 0;
            double complex phi = e[0][i] * scale;
            double complex turned = CMPLX(cimag(phi), -creal(phi)); /* -i phi */
            e[0][i] = dx * turned;
            e[1][i] = dy * turned;
            e[2][i] = htmt__pic_wave_number(z, n[2], true) * turned;
        }
    }
    for (int i = 0; i < 3; i++)
        htmt__pic_transform(l, n[2], width, true, e[i]);
}

/* ---- the record ----------------------------------------------------------------------------- */

/* The wave that the deck watches: k, k / |k|. */
struct htmt__pic_mode {
    double wave[3], along[3];
};

static inline struct htmt__pic_mode htmt__pic_mode(const struct htmt__pic_deck *deck)
{
    struct htmt__pic_mode m;
    double square = 0;
    for (int a = 0; a < 3; a++) {
        m.wave[a] = 2 * M_PI * deck->mode[a] / deck->n[a];
        square += m.wave[a] * m.wave[a];
    }
    for (int a = 0; a < 3; a++)
        m.along[a] = square > 0 ? m.wave[a] / sqrt(square) : 0;
    return m;
}

/* A row of nx points from cell `at` on: each of the three components, and rho. The amplitude of the
 * wave lacks the factor 2 / cells. Along a row the phase turns by the same angle from point to
 * point. */
static inline double complex htmt__pic_turn(double angle)
{
    return CMPLX(cos(angle), sin(angle));
}

static inline void htmt__pic_measure_row(struct htmt__pic_record *r, const double *const of[3],
                                         const double *rho, uint32_t nx, const uint32_t at[3],
                                         const struct htmt__pic_mode *m)
{
    const double complex turn = htmt__pic_turn(m->wave[0]);
    double angle =
        m->wave[0] * (at[0] + 0.5) + m->wave[1] * (at[1] + 0.5) + m->wave[2] * (at[2] + 0.5);
    double complex phase = htmt__pic_turn(angle);
    for (uint32_t x = 0; x < nx; x++) {
        double e[3] = {of[0][x], of[1][x], of[2][x]};
        double along = e[0] * m->along[0] + e[1] * m->along[1] + e[2] * m->along[2];
        r->field += (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]) / 2;
        r->charge += rho[x];
        r->wave[0] += along * creal(phase);
        r->wave[1] += along * cimag(phase);
        phase = CMPLX(creal(phase) * creal(turn) - cimag(phase) * cimag(turn),
                      creal(phase) * cimag(turn) + cimag(phase) * creal(turn));
    }
}

#endif
