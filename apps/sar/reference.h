/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The serial program: range-Doppler focusing without parcels, the oracle for correctness and the
 * base line for speed. It shares numbers with the parcel program (plan.h, geometry.h), not code.
 *
 * Both programs compute the following for each patch of the plan. Let N = range_length,
 * M = azimuth_length, x a patch's lines, FFT forward exp(-j...), IFFT without a factor.
 *
 *  convert    z = gain[line] ((I - mean_i) + j (Q - mean_q)), zeros up to N.
 *  range      x[line] = IFFT(FFT(z) H), cells 0 to compressed - 1 of it, with
 *                 H[k] = conj(FFT(r)[k]) exp(j src_phase(src_range, g_k)) / (N pulse),
 *                 r[n] = exp(j pulse_phase(n)) for n < pulse, zeros up to N,
 *                 g_k = k sampling / N for 2 k < N, otherwise (k - N) sampling / N.
 *  azimuth    X[cell] = FFT of x[.][cell], zeros up to M; bin q is in row q mod M.
 *  migration  Y[c][q] = sum of w[phase][t] X[cell - 7 + t][q], t = 0 to 15, for the bins of the
 *             band and the columns of the image, cell and phase from the bin's track;
 *                 w[p][t] ~ sinc(u) I0(beta sqrt(1 - (u/8)^2)), u = t - 7 - p / 1024, beta = 2.5,
 *             scaled to a sum of 1 for each p. Without RCMC Y[c][q] = X[c][q].
 *  focus      the image's column c is IFFT(Y[c][q] exp(j azimuth_phase(R_c, f_q)) / M), zero
 *             outside the band; its line i is row (row + i) mod M.
 *
 * Phases are computed in double for either precision and are large (1e5 rad); only the values of
 * the filters are rounded to single. An echo of amplitude A has height A after range focusing, and
 * A sqrt(bandwidth aperture time) in the image.
 */
#ifndef HTMT_APPS_SAR_REFERENCE_H
#define HTMT_APPS_SAR_REFERENCE_H

#include "apps/sar/io/raw.h"
#include "apps/sar/plan.h"

/* Window of the interpolator. */
#define HTMT__SAR_BETA 2.5

/* Focus all patches into `image`, plan->lines x plan->samples complex numbers, of float if
 * `single`. This needs the memory of one more patch. Errors: HTMT_EINVAL (raw data of another size
 * than the plan's), HTMT_ENOMEM. */
int htmt__sar_reference(const struct htmt__sar_plan *plan, const struct htmt__sar_raw *raw,
                        bool single, void *image, struct htmt_fault *fault);

/* The same of some patches: image[n] has room for the lines of the image that patch n gives, or is
 * NULL. Only the raw data of these patches are read. On several threads of the host, to the same
 * bits. */
int htmt__sar_reference_patches(const struct htmt__sar_plan *plan, const struct htmt__sar_raw *raw,
                                bool single, unsigned threads, void *const *image,
                                struct htmt_fault *fault);

/* The same, with its largest memory given by the caller: htmt__sar_reference_bytes() of any
 * content. This measures the work without the time in which the host makes pages. */
size_t htmt__sar_reference_bytes(const struct htmt__sar_plan *plan, bool single);
int htmt__sar_reference_in(const struct htmt__sar_plan *plan, const struct htmt__sar_raw *raw,
                           bool single, unsigned threads, void *work, void *const *image,
                           struct htmt_fault *fault);

/* Where the lines of each patch lie in a whole image; to be freed. NULL: no host memory. */
void **htmt__sar_reference_places(const struct htmt__sar_plan *plan, bool single, void *image);

#endif
