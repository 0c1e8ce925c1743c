/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Services of a term tree (apps/lib/term_tree.h): moves between the layers of a machine, and
 * cycles and flop of processors. Their user begins with a struct htmt__servers.
 */
#ifndef HTMT_APPS_LIB_SERVERS_H
#define HTMT_APPS_LIB_SERVERS_H

#include "apps/lib/move.h"

/* Between the three innermost layers, and from the outer of them to other slices; processors. */
enum htmt__server {
    HTMT__D_TO_S,
    HTMT__S_TO_C,
    HTMT__C_TO_S,
    HTMT__S_TO_D,
    HTMT__ACROSS,
    HTMT__DPIM,
    HTMT__SPIM,
    HTMT__SPELL,
    HTMT__SERVERS
};

struct htmt__servers {
    const struct htmt_machine *m;
    struct htmt__move_path path[HTMT__SERVERS]; /* of a processor: from its layer */
};

/* The networks are those that htmt_machine_route() finds; of `across` in the layer `across`. */
struct htmt__servers htmt__servers(const struct htmt_machine *m, uint32_t outer, uint32_t middle,
                                   uint32_t inner, uint32_t across);

/* One network between outer and middle layer, and one between middle and inner, both ways. */
void htmt__servers_chain(struct htmt__servers *s, uint32_t down, uint32_t up);

/* Words over a path; without a network they take no time. */
struct htmt__move htmt__servers_move(const struct htmt__servers *s, unsigned server,
                                     uint64_t words);

/* The longer of both ends, with latency and without it; the sending channel; from one move to the
 * next over all channels, those of the end with fewer. */
htmt_time htmt__move_length(const void *servers, unsigned server, uint64_t words);
htmt_time htmt__move_busy(const void *servers, unsigned server, uint64_t words);
htmt_time htmt__move_out(const void *servers, unsigned server, uint64_t words);
htmt_time htmt__move_apart(const void *servers, unsigned server, uint64_t words);

htmt_time htmt__serve_cycles(const void *servers, unsigned server, uint64_t cycles);
htmt_time htmt__serve_flop(const void *servers, unsigned server, uint64_t flop);

#endif
