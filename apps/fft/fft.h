/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fourier transforms by FFTW, or in recorded kernels by own code, in place, not normalized: forward
 * has exp(-2 pi i j k / n), backward exp(+2 pi i j k / n); one after the other multiplies by n.
 *
 * The same shape gives the same algorithm, and the same input the same bits, in any thread, process
 * or order of calls, wherever the elements lie: plans are estimated, never measured, each from a
 * planner that has forgotten all others, and for elements on multiples of 16 bytes. FFTW's planner
 * belongs to the process; its lock (runtime/base/process.h) guards it.
 */
#ifndef HTMT_APPS_FFT_FFT_H
#define HTMT_APPS_FFT_FFT_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct htmt__fft_shape {
    uint32_t length;   /* of one transform; any, products of 2, 3, 5, 7 are fast */
    uint32_t count;    /* transforms in one run; 0: 1 */
    uint64_t stride;   /* elements from one to the next of a transform; 0: 1 */
    uint64_t distance; /* elements from one transform to the next; 0: length x stride */
    bool backward;
    bool single; /* float complex; else double complex */
};

struct htmt__fft;

/* On success the caller owns *fft. A column transform of a rows x cols array has length rows,
 * stride cols, distance 1. Errors: HTMT_ERANGE (no length, or beyond 2^31 - 1), HTMT_ENOMEM. */
int htmt__fft_create(const struct htmt__fft_shape *shape, struct htmt__fft **fft,
                     struct htmt_fault *fault);
/* NULL and cleared pointers are accepted. */
void htmt__fft_destroy(struct htmt__fft **fft);

/* Bytes behind the pointer that a run reads: a recorded kernel names them as constants. */
size_t htmt__fft_bytes(const struct htmt__fft *fft);

/* Transform in place, from any thread, several at once with one plan. Elements that lie on a
 * multiple of 16 bytes are transformed where they are; others are copied to and fro.
 * Errors: HTMT_ENOMEM (only for those copies). */
int htmt__fft_run(const struct htmt__fft *fft, void *elements);

/* The shortest length >= least that is a product of 2, 3, 5 and 7; 0: there is none below 2^31. */
uint32_t htmt__fft_fast_length(uint32_t least);

/* For struct htmt_outcome's kernel_set: "FFTW 3.3.10". */
void htmt__fft_name(char *text, size_t room);

/* ---- real data in three dimensions, double -------------------------------------------------- */

/* real[z][y][x] <-> complex[z][y][x], x of the spectrum from 0 to n_x / 2; out of place. Neither
 * direction is normalized; backward destroys the spectrum. */
struct htmt__fft_cube;

/* size is {n_z, n_y, n_x}. Errors and ownership: as htmt__fft_create(). */
int htmt__fft_cube_create(const uint32_t size[static 3], struct htmt__fft_cube **cube,
                          struct htmt_fault *fault);
void htmt__fft_cube_destroy(struct htmt__fft_cube **cube);
/* Memory for either array; the caller gives it to free(). NULL: there is none. malloc() does not
 * serve: jemalloc's blocks of 8 bytes lie on multiples of 8. */
void *htmt__fft_alloc(size_t bytes);
/* Both arrays lie on multiples of 16 bytes. */
void htmt__fft_cube_forward(const struct htmt__fft_cube *cube, double *real,
                            double _Complex *spectrum);
void htmt__fft_cube_backward(const struct htmt__fft_cube *cube, double _Complex *spectrum,
                             double *real);

#endif
