/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums of times as decimal digits.
 */
#ifndef HTMT_PARCELS_OBSERVE_DIGITS_H
#define HTMT_PARCELS_OBSERVE_DIGITS_H

#include "runtime/base/ratio.h"

/* By value: htmt__digits(sum).s lives to the end of the full expression. */
struct htmt__digits {
    char s[48];
};

struct htmt__digits htmt__digits(htmt_wide sum);

#endif
