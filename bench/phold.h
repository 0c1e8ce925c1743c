/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PHOLD: every place has a generator; who comes to a place stays there for a random delay and then
 * goes on, mostly to the same place, else to a random one (Fujimoto 1990; a quarter and the mean
 * delay of ten lookaheads as in the PHOLD of ROSS). Three numbers are drawn each time. It ends at a
 * given time.
 */
#ifndef BENCH_PHOLD_H
#define BENCH_PHOLD_H

#include "bench/clock.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define BENCH_PHOLD_LEAST  INT64_C(100000000) /* fs of a delay */
#define BENCH_PHOLD_MEAN   1000000000.0       /* fs beyond the least */
#define BENCH_PHOLD_ACROSS INT64_C(85000001)  /* fs to another place: latency, one word */
#define BENCH_PHOLD_ELSE   0.25               /* to a random place */

struct bench_phold {
    const char *group;
    uint32_t places, each; /* who is at each place in the beginning */
    int64_t end;           /* fs */
};

static const struct bench_phold bench_phold[] = {
    {"phold-1e3", 1024, 1, INT64_C(1000000000000)},
    {"phold-1e5", 4096, 24, INT64_C(11000000000)},
    {"phold-1e6", 65536, 16, INT64_C(1200000000)},
};

#define BENCH_PHOLDS (sizeof bench_phold / sizeof *bench_phold)

struct bench_place {
    uint64_t random, holds;
};

struct bench_hold {
    int64_t delay; /* fs */
    uint32_t to;   /* place */
};

static inline double bench_phold_unit(struct bench_place *p)
{
    p->random ^= p->random << 13;
    p->random ^= p->random >> 7;
    p->random ^= p->random << 17;
    return (double)(p->random >> 11) * 0x1p-53;
}

static inline struct bench_hold bench_phold_draw(struct bench_place *p, uint32_t self,
                                                 uint32_t places)
{
    double delay = -BENCH_PHOLD_MEAN * log(1 - bench_phold_unit(p));
    bool other = bench_phold_unit(p) < BENCH_PHOLD_ELSE;
    uint32_t to = (uint32_t)(bench_phold_unit(p) * places);
    p->holds++;
    return (struct bench_hold){BENCH_PHOLD_LEAST + (int64_t)delay, other ? to : self};
}

static inline void bench_phold_begin(struct bench_place *p, uint32_t places)
{
    for (uint32_t i = 0; i < places; i++)
        p[i] = (struct bench_place){(i + 1) * UINT64_C(0x9e3779b97f4a7c15), 0};
}

/* Prints the line of a case; its work is a hash of what each place drew, and how often. */
static inline void bench_phold_report(const struct bench_phold *l, const char *name,
                                      const struct bench_place *p, double seconds)
{
    uint64_t holds = 0, work = 0;
    for (uint32_t i = 0; i < l->places; i++) {
        holds += p[i].holds;
        work = (work ^ p[i].random ^ p[i].holds) * UINT64_C(0x9e3779b97f4a7c15);
    }
    bench_report(l->group, name, (double)holds / seconds, "1/s", work);
}

#endif
