/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fourier transforms without a library: those of kernels whose operations are recorded, as a
 * library has no hooks (docs/recording-kernels.md). Several times slower than FFTW.
 */
#ifndef HTMT_APPS_FFT_OWN_H
#define HTMT_APPS_FFT_OWN_H

#include "apps/fft/fft.h"

#define HTMT__FFT_OWN_MOST   (1u << 17) /* points: 4 MiB of the 8 MiB of a host thread */
#define HTMT__FFT_OWN_PASSES 17

struct htmt__fft_own {
    struct htmt__fft_shape shape;
    uint32_t passes, radix[HTMT__FFT_OWN_PASSES];
    _Alignas(16) unsigned char root[]; /* of 1: exp(-+2 pi i k / length), complex */
};

/* Bytes of one for that shape; nothing in it is 0 but `single` and `backward`. */
size_t htmt__fft_own_bytes(const struct htmt__fft_shape *shape);
/* Fills as many. */
void htmt__fft_own_make(const struct htmt__fft_shape *shape, struct htmt__fft_own *own);
/* As htmt__fft_run(), with two transforms of room on the stack, whose addresses a tape knows. */
void htmt__fft_own_run(const struct htmt__fft_own *own, void *elements);

#endif
