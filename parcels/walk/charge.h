/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: what a service or a move is charged, in words and in time that cannot
 * overflow unseen.
 */
#ifndef HTMT_PARCELS_WALK_CHARGE_H
#define HTMT_PARCELS_WALK_CHARGE_H

#include "parcels/parcel.h"

/* Of one service or move: so that a few of them add up without overflow. */
static inline bool htmt__too_long(htmt_time t)
{
    return t < 0 || t > HTMT_TIME_MAX / 4;
}
/* t + d, or -1 when that passes HTMT_TIME_MAX: htmt__schedule() refuses it. */
static inline htmt_time htmt__later(htmt_time t, htmt_time d)
{
    htmt_time sum;
    return __builtin_add_overflow(t, d, &sum) ? -1 : sum;
}
/* When an end comes that nobody knew of before `now`; one that was put off is asked for again. */
static inline htmt_time htmt__not_before(htmt_time now, htmt_time t)
{
    return t >= 0 && t < now ? now : t;
}
static inline uint64_t htmt__words(uint64_t bytes)
{
    return bytes / HTMT_WORD + (bytes % HTMT_WORD != 0);
}

#endif
