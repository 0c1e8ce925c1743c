/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random programs by the public API alone. A plan is a number's machine and its choices; a program
 * is a plan that is set up on an emulator, once for each way in which it is played. Whatever is
 * drawn later is drawn from the arguments of parcels, so a program does not depend on the way.
 */
#ifndef HTMT_TESTS_RANDOM_PROGRAM_H
#define HTMT_TESTS_RANDOM_PROGRAM_H

#include "parcels/htmt.h"
#include "tests/random/tally.h"

enum group {
    MIXED, /* anything */
    ALIKE, /* every slice does the same, so that slice 0 can stand for all */
    APART, /* slices send each other nothing */
    GROUPS
};

struct plan {
    uint64_t number, seed;
    enum group group;
    bool known; /* every stage has a cost function and no control looks at results: a model run has
                   the same history */
    bool even, tight;
    bool posts, answers; /* it posts; and finds out by answers that all is quiet */
    bool gathers;        /* posts wait for others to their slice, as types or layers say */
    uint32_t slices, layers;
    struct htmt_machine *machine;
    struct tally tally; /* of the machine and the plan */
};

#define PORTS_FROM (UINT64_C(1) << 40) /* programs from here on: networks have ports inside */
/* From here on: processors route, or blocked packets start again at their senders. */
#define ROUTERS_FROM (UINT64_C(1) << 41)
void plan_draw(struct plan *plan, uint64_t number);
void plan_clear(struct plan *plan);

/* `options` says the way; the machine is the plan's. Ends the process where set-up is refused. */
struct program;
struct program *program_open(const struct plan *plan, struct htmt_options options);
void program_close(struct program **program);
struct htmt_emulator *program_emulator(const struct program *p);
/* Of all that a run left in objects; 0 of a model run. */
uint64_t program_bytes(const struct program *p);
/* Of what slices keep and posts counted; collective among ranks; 0: another rank has it. */
uint64_t program_kept(const struct program *p);
/* Adds what its controls and its set-up did. */
void program_count(const struct program *p, struct tally *sum);

#endif
