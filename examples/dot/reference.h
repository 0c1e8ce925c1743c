/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The serial program that the parcel program is checked against.
 */
#ifndef HTMT_EXAMPLES_DOT_REFERENCE_H
#define HTMT_EXAMPLES_DOT_REFERENCE_H

#include <stdint.h>

/* The dot product; *bound: what rounding may add to it in any order of the sums. */
double htmt__dot_reference(const double *x, const double *y, uint64_t size, double *bound);

#endif
