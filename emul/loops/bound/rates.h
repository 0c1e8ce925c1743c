/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folder emul/loops/bound: bounds of loops on a machine, and their reports; of emul it includes
 * report and below.
 *
 * What a machine file says that bounds need: the innermost processors of a slice, the memories from
 * theirs outwards, and the network that joins slices.
 */
#ifndef HTMT_EMUL_LOOPS_BOUND_RATES_H
#define HTMT_EMUL_LOOPS_BOUND_RATES_H

#include "emul/loops/nest/number.h"
#include "layers/machine/machine.h"

#define HTMT__BOUND_LINKS (HTMT_LAYERS_MAX + 3) /* three caches inside the processors */

/* Words between a memory and the one outside it. */
struct htmt__bound_link {
    const char *inner, *outer;         /* layers, or caches inside the processors */
    htmt_wide capacity;                /* words of the inner memory */
    struct htmt_ratio inward, outward; /* fs a word, over all channels; zero: not modelled */
    bool duplex;                       /* words go out while others come in */
};

/* What hides what: the longer the shorter as far as the machine says (lambda); all of processors
 * and links each other; processors and the sum of the links; nothing. */
enum htmt__bound_hiding {
    HTMT__BOUND_HIDES_LAMBDA,
    HTMT__BOUND_HIDES_ALL,
    HTMT__BOUND_HIDES_OPERATIONS,
    HTMT__BOUND_HIDES_NONE
};

struct htmt__bound_rates {
    const struct htmt_machine *machine;
    const char *layer; /* whose processors compute */
    uint32_t processors;
    struct htmt_ratio flop;        /* fs, of one processor, with vectors */
    uint64_t vector;               /* numbers that one of its operations works on; 1: none */
    struct htmt_ratio load, store; /* fs a word of the innermost memory, of one processor with
                                    * vectors; zero: not modelled */
    struct htmt_ratio lambda;
    uint64_t divide, function, line;
    unsigned links;
    struct htmt__bound_link link[HTMT__BOUND_LINKS]; /* 0: of the innermost memory */
    bool network;                                    /* joins slices */
    const char *network_name;
    struct htmt_ratio message_word; /* fs a word; zero: not modelled */
    htmt_time message_latency;
};

/* Whether the file says what words between the memories of a link cost, and messages between
 * slices. */
static inline bool htmt__bound_times_link(const struct htmt__bound_link *link)
{
    return link->inward.num || link->outward.num;
}

/* Whether it says what the processors take to read and write their own memory. */
static inline bool htmt__bound_times_references(const struct htmt__bound_rates *rates)
{
    return rates->load.num || rates->store.num;
}

static inline bool htmt__bound_times_messages(const struct htmt__bound_rates *rates)
{
    return rates->message_word.num;
}

/* Errors: HTMT_EINVAL (no processors, flop not modelled, no way between layers). */
int htmt__bound_rates_read(const struct htmt_machine *machine, struct htmt__bound_rates *rates,
                           struct htmt_fault *fault);

/* n / each, rounded half up; errors: HTMT_EOVERFLOW. */
int htmt__bound_time(struct htmt__nest_number n, struct htmt_ratio each, uint64_t shared,
                     htmt_wide *fs);

/* All of one loop: max + (1 - lambda) (sum - max), or as `hiding` has it; the first is that of the
 * processors. */
htmt_wide htmt__bound_overlap(const struct htmt__bound_rates *rates, enum htmt__bound_hiding hiding,
                              const htmt_wide *time, unsigned times);

#endif
