/* SPDX-License-Identifier: BSD-3-Clause
 *
 * C's complex numbers with CMPLX, which glibc's header offers to GCC alone.
 */
#ifndef HTMT_APPS_FFT_COMPLEX_H
#define HTMT_APPS_FFT_COMPLEX_H

#include <complex.h>

#ifndef CMPLX
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#endif

#endif
