/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A body, and the sums over bodies that a step finds.
 */
#ifndef HTMT_APPS_NBODY_BODY_H
#define HTMT_APPS_NBODY_BODY_H

#include <stdint.h>

/* Ten words; the first four are what pulls others. */
struct htmt__nbody_body {
    double m, x[3];
    uint64_t key; /* of its place along the curve (tree.h) */
    double v[3];
    uint64_t id;
    double work; /* flop of the last forces on it */
};
#define HTMT__NBODY_BODY_WORDS   10
#define HTMT__NBODY_SOURCE_WORDS 4 /* m, x */
#define HTMT__NBODY_PULL_WORDS   4 /* acceleration, potential */

/* Of a slice, then of all. Those before HTMT__NBODY_ADDED are added, of the others the largest
 * counts. */
enum htmt__nbody_sum {
    HTMT__NBODY_KINETIC,
    HTMT__NBODY_POTENTIAL,
    HTMT__NBODY_MOMENTUM,
    HTMT__NBODY_SPIN = HTMT__NBODY_MOMENTUM + 3, /* angular momentum */
    HTMT__NBODY_WORK = HTMT__NBODY_SPIN + 3,     /* flop of the forces */
    HTMT__NBODY_ENTRIES,                         /* of the lists of all bodies */
    HTMT__NBODY_ADDED,
    HTMT__NBODY_FAR = HTMT__NBODY_ADDED, /* the largest coordinate */
    HTMT__NBODY_WORST,                   /* work of the slice that has most */
    HTMT__NBODY_SUMS
};

#endif
