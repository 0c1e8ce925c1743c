/* SPDX-License-Identifier: BSD-3-Clause */
#include "examples/dot/reference.h"

#include <float.h>
#include <math.h>

/* From the end, in long double. Each of `size` products and sums rounds once. */
double htmt__dot_reference(const double *x, const double *y, uint64_t size, double *bound)
{
    long double sum = 0, all = 0;
    for (uint64_t i = size; i-- > 0;) {
        long double product = (long double)x[i] * y[i];
        sum += product;
        all += fabsl(product);
    }
    *bound = (double)((long double)size * DBL_EPSILON * all);
    return (double)sum;
}
