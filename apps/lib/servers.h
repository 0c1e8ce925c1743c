/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Services of a term tree (apps/lib/term_tree.h): moves between the layers of a machine, and
 * cycles and flop of processors. Their user begins with a struct htmt_servers.
 */
#ifndef HTMT_APPS_LIB_SERVERS_H
#define HTMT_APPS_LIB_SERVERS_H

#include "apps/lib/move.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Between the three innermost layers, and from the outer of them to other slices; processors. */
enum htmt_server {
    HTMT_SERVE_D_TO_S,
    HTMT_SERVE_S_TO_C,
    HTMT_SERVE_C_TO_S,
    HTMT_SERVE_S_TO_D,
    HTMT_SERVE_ACROSS,
    HTMT_SERVE_DPIM,
    HTMT_SERVE_SPIM,
    HTMT_SERVE_SPELL,
    HTMT_SERVERS
};

struct htmt_servers {
    const struct htmt_machine *m;
    struct htmt_move_path path[HTMT_SERVERS]; /* of a processor: from its layer */
};

/* The networks are those that htmt_machine_route() finds; of `across` in the layer `across`. */
struct htmt_servers htmt_servers(const struct htmt_machine *m, uint32_t outer, uint32_t middle,
                                 uint32_t inner, uint32_t across);

/* One network between outer and middle layer, and one between middle and inner, both ways. */
void htmt_servers_chain(struct htmt_servers *s, uint32_t down, uint32_t up);

/* Words over a path; without a network they take no time. */
struct htmt_move htmt_servers_move(const struct htmt_servers *s, unsigned server, uint64_t words);

/* The longer of both ends, with latency and without it; the sending channel; from one move to the
 * next over all channels, those of the end with fewer. */
htmt_time htmt_move_length(const void *servers, unsigned server, uint64_t words);
htmt_time htmt_move_busy(const void *servers, unsigned server, uint64_t words);
htmt_time htmt_move_out(const void *servers, unsigned server, uint64_t words);
htmt_time htmt_move_apart(const void *servers, unsigned server, uint64_t words);

/* So many cycles, or flop, of the processor that the server is; fs, -1: it overflows. */
htmt_time htmt_serve_cycles(const void *servers, unsigned server, uint64_t cycles);
htmt_time htmt_serve_flop(const void *servers, unsigned server, uint64_t flop);

#ifdef __cplusplus
}
#endif

#endif
