/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random machines: two to four layers, networks that join neighbours, some of them across slices.
 */
#ifndef HTMT_TESTS_RANDOM_MACHINE_H
#define HTMT_TESTS_RANDOM_MACHINE_H

#include "layers/machine/machine.h"
#include "tests/random/tally.h"

enum { RANDOM_LAYERS_MAX = 4 };

struct machine_wish {
    uint32_t slices, layers;
    bool joined;       /* some network joins the slices */
    bool hub;          /* a network may have a hub inside */
    bool inside, free; /* wide networks have ports inside; which never block */
    bool routers;      /* these route by processors, or block their sources */
    bool even;         /* equal figures, so that much happens at one instant */
    uint64_t queues;   /* processors have queues of posts, drawn from this; 0: none of their own */
    uint64_t gathers;  /* processors say how posts leave together, drawn from this; 0: none does */
    uint64_t words[RANDOM_LAYERS_MAX]; /* of each memory, outermost first */
};

/* Writes what the machine is to *tally. Ends the program where the machine is refused. */
struct htmt_machine *machine_draw(const struct machine_wish *wish, uint64_t *seed,
                                  struct tally *tally);

#endif
