/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/observe/digits.h"

#include <string.h>

struct htmt__digits htmt__digits(htmt_wide sum)
{
    struct htmt__digits d = {{0}};
    char *at = d.s + sizeof d.s - 1;
    /* The negative of the least number fits the unsigned type alone. */
    htmt_uwide rest = sum < 0 ? -(htmt_uwide)sum : (htmt_uwide)sum;
    do
        *--at = (char)('0' + (int)(rest % 10));
    while (rest /= 10);
    if (sum < 0)
        *--at = '-';
    memmove(d.s, at, strlen(at) + 1);
    return d;
}
