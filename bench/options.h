/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The options of the benchmark programs; each reads those that mean something to it.
 */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct bench_options {
    size_t size, block; /* matrix and subblock: rows and columns; block divides size */
    unsigned threads;
    bool counter; /* --split counter: threads draw work from one; else each has its share */
    bool copies;  /* --copies frame: operands are copied before each product; none: in place */
    unsigned items, stages; /* chains of empty tasks */
    unsigned endpoints, rounds;
    bool plain_links; /* --links plain: latency and rate as given; tcp: SimGrid's corrections */
    bool inputs;      /* --inputs none: ports have no in channels */
    unsigned slices, each, generations; /* one load of stages; slices 0: the usual ones */
    bool model, run;                    /* --mode: one of them; without it, both */
    bool check;                         /* --check none: a base line is not compared */
};

/* Defaults: Cannon at 4096 on 16 slices. A mistake ends the program with status 2. */
struct bench_options bench_options(int argc, char **argv);

#endif
