/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bounds of a program of nests on a machine: what each nest does, moves and needs, and the least
 * time that takes.
 */
#ifndef HTMT_EMUL_LOOPS_BOUND_BOUND_H
#define HTMT_EMUL_LOOPS_BOUND_BOUND_H

#include "emul/loops/bound/rates.h"
#include "emul/loops/nest/program.h"
#include "emul/loops/nest/reuse.h"
#include "emul/loops/nest/stream.h"
#include "emul/loops/nest/working.h"

enum htmt__bound_order { HTMT__BOUND_LOOPS, HTMT__BOUND_BLOCKS };

/* What a program moves through memories of several capacities, played beforehand. */
struct htmt__bound_played {
    unsigned capacities;
    const htmt_wide *capacity;        /* words */
    struct htmt__stream_moved *moved; /* [run][capacity]; NULL: it was not played */
};

/* What is asked beside nests and machine. */
struct htmt__bound_request {
    int64_t block[HTMT__NEST_DEPTH]; /* of the loop that moves fastest first; 0: not cut */
    htmt_wide capacity;              /* words of the innermost memory; -1: as the machine has it */
    enum htmt__bound_order order;
    struct htmt__nest_keeping keeping;
    bool local_store;           /* the innermost memory is managed by the program */
    bool alone;                 /* each loop and each block begins with an empty memory */
    uint64_t vector, registers; /* 0: not asked */
    enum htmt__bound_hiding hiding;
    const struct htmt__bound_played *played; /* with all capacities of links; NULL: none */
};

/* Traffic of one link. Turns of a repeat differ where words stay from one to the next. */
struct htmt__bound_traffic {
    htmt_wide read, written; /* units of the nest, all its iterations; the mean of all turns */
    htmt_wide bytes, fs;
    htmt_wide total, most; /* bytes of all turns: at least, at most */
};

struct htmt__bound_loop {
    const struct htmt__nest_run *run;
    struct htmt__nest_plan *lined; /* its plan, as the innermost memory sees it with lines */
    int64_t extent[HTMT__NEST_DEPTH], block[HTMT__NEST_DEPTH]; /* of loops, outermost first */
    htmt_wide cells;                /* iterations, ghosts that are computed again included */
    struct htmt__nest_number flops; /* of a cell, weighted */
    struct htmt__nest_number work;  /* flop of all */
    struct htmt__nest_working working;
    htmt_wide full; /* units from which on nothing is read twice */
    unsigned links;
    struct htmt__bound_traffic traffic[HTMT__BOUND_LINKS];
    htmt_wide compute_fs, references_fs, fs;         /* of one run */
    uint64_t integers, reals;                        /* state variables */
    struct htmt__nest_number hits, spills, streamed; /* references of a cell */
};

struct htmt__bound_ghosts {
    htmt_wide bytes, messages, fs;
};

struct htmt__bounds {
    const struct htmt__nest_program *program;
    const struct htmt__bound_rates *rates;
    struct htmt__bound_request request;
    unsigned loops; /* runs with a plan */
    struct htmt__bound_loop *loop;
    htmt_wide fs, bytes, largest; /* sums with repeats; largest working set in bytes */
    htmt_wide most;               /* bytes, where only two ends are known: not more than these */
    struct htmt__nest_number work;
    struct htmt__bound_ghosts ghosts;
    htmt_wide arrays, buffers; /* bytes */
    bool whole;                /* traffic is that of the whole program, not of each loop alone */
    bool together;             /* order blocks: all arrays of a block fit */
    htmt_wide resident;        /* order blocks: bytes of a block's arrays */
};

/* On success the caller clears *bound. Plans keep what they learn of their reuse:
 * `request->keeping` must be the same for all bounds of a program. Errors: HTMT_EUSAGE (block
 * larger than the box), HTMT_EOVERFLOW, HTMT_ENOMEM. */
int htmt__bound_make(struct htmt__nest_program *program, const struct htmt__bound_rates *rates,
                     const struct htmt__bound_request *request, struct htmt__bounds *bound,
                     struct htmt_fault *fault);
void htmt__bound_clear(struct htmt__bounds *bound);

/* Order `blocks` (together.c), for htmt__bound_make(): changes the loops of a bound that was made
 * loop by loop: cells, work, traffic of the innermost link, all with times. Errors: HTMT_EUSAGE
 * (nests that are no box of the same loops), HTMT_EOVERFLOW, HTMT_ENOMEM. */
int htmt__bound_together(struct htmt__bounds *bound, struct htmt_fault *fault);

/* What stays from one loop to the next (whole.c), for htmt__bound_make(): plays the program and
 * replaces the traffic of the loops, which were bounded one by one. Without effect (b->whole stays
 * false) where that is not asked or would take too long. Errors: HTMT_EOVERFLOW, HTMT_ENOMEM. */
int htmt__bound_whole(struct htmt__bounds *bound);

/* Bytes that a number of the plan takes of a vector, of 8: in vectors there is room for two of 4.
 */
uint64_t htmt__bound_number(const struct htmt__bounds *bound, const struct htmt__nest_plan *plan);
/* Work of the loop's cells, and what it and its references take. Errors: HTMT_EOVERFLOW. */
int htmt__bound_work(const struct htmt__bounds *bound, struct htmt__bound_loop *loop);
/* What bytes in and out take on a link. Errors: HTMT_EOVERFLOW. */
int htmt__bound_pass_time(const struct htmt__bound_link *link, struct htmt__nest_number read,
                          struct htmt__nest_number written, htmt_wide *fs);
/* Bytes and time of the words, of so many bytes, that `traffic` says pass the link. Errors:
 * HTMT_EOVERFLOW. */
int htmt__bound_pass(const struct htmt__bound_link *link, htmt_wide unit,
                     struct htmt__bound_traffic *traffic);

/* Plays a program for all bounds that differ in the capacity alone, once for some capacities
 * together. Leaves played->moved NULL where bounds need not be played; the caller frees it. Errors:
 * HTMT_ENOMEM. */
int htmt__bound_play(const struct htmt__nest_program *program,
                     const struct htmt__bound_request *request, struct htmt__bound_played *played);

/* Bytes of memory a flop needs; of all loops or of one. */
double htmt__bound_ratio(htmt_wide bytes, struct htmt__nest_number work);

/* Traffic of one run at the innermost link. */
htmt_wide htmt__bound_units(const struct htmt__bound_loop *loop);

/* The name of what a nest uses again: "cell", "pencil", "plane" or "box of N loops". */
const char *htmt__bound_level(const struct htmt__bound_loop *loop);

#endif
