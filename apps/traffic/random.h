/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random numbers as functions of a seed and counters, in any order (SplitMix64's finalizer).
 */
#ifndef HTMT_APPS_TRAFFIC_RANDOM_H
#define HTMT_APPS_TRAFFIC_RANDOM_H

#include <stdint.h>

static inline uint64_t htmt__traffic_mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static inline uint64_t htmt__traffic_random(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t x = htmt__traffic_mix(seed);
    x = htmt__traffic_mix(x ^ a);
    x = htmt__traffic_mix(x ^ b);
    return htmt__traffic_mix(x ^ c);
}

/* Below `bound`, each as likely as the others but for 2^-64. */
static inline uint64_t htmt__traffic_below(uint64_t random, uint64_t bound)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)random * bound >> 64);
}

/* In (0, 1]. */
static inline double htmt__traffic_share(uint64_t random)
{
    return (double)((random >> 11) + 1) * 0x1p-53;
}

#endif
