/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where moves follow one another over several channels, the next one begins when any channel is
 * free: with k channels of a time t, one after t / k. The end with fewer channels decides.
 */
#include "apps/lib/servers.h"

#include "apps/lib/exact.h"

#include <stdbool.h>

#define NO_NETWORK UINT32_MAX

static struct htmt_move_path route(const struct htmt_machine *m, uint32_t from, uint32_t to,
                                   bool across)
{
    int network = htmt_machine_route(m, from, to, across);
    return (struct htmt_move_path){network < 0 ? NO_NETWORK : (uint32_t)network, from, to, 1, 1};
}

struct htmt_servers htmt_servers(const struct htmt_machine *m, uint32_t outer, uint32_t middle,
                                 uint32_t inner, uint32_t across)
{
    return (struct htmt_servers){m,
                                 {[HTMT_SERVE_D_TO_S] = route(m, outer, middle, false),
                                  [HTMT_SERVE_S_TO_C] = route(m, middle, inner, false),
                                  [HTMT_SERVE_C_TO_S] = route(m, inner, middle, false),
                                  [HTMT_SERVE_S_TO_D] = route(m, middle, outer, false),
                                  [HTMT_SERVE_ACROSS] = route(m, across, across, true),
                                  [HTMT_SERVE_DPIM] = {.from = outer},
                                  [HTMT_SERVE_SPIM] = {.from = middle},
                                  [HTMT_SERVE_SPELL] = {.from = inner}}};
}

struct htmt_move htmt_servers_move(const struct htmt_servers *s, unsigned server, uint64_t words)
{
    struct htmt_move move = {.out_channels = 1, .in_channels = 1};
    if (s->path[server].network != NO_NETWORK)
        htmt_move(s->m, s->path[server], words, &move);
    return move;
}

htmt_time htmt_move_length(const void *servers, unsigned server, uint64_t words)
{
    return htmt_servers_move(servers, server, words).length;
}

htmt_time htmt_move_busy(const void *servers, unsigned server, uint64_t words)
{
    return htmt_servers_move(servers, server, words).busy;
}

htmt_time htmt_move_out(const void *servers, unsigned server, uint64_t words)
{
    return htmt_servers_move(servers, server, words).out;
}

void htmt_servers_chain(struct htmt_servers *s, uint32_t down, uint32_t up)
{
    s->path[HTMT_SERVE_D_TO_S].network = s->path[HTMT_SERVE_S_TO_D].network = down;
    s->path[HTMT_SERVE_S_TO_C].network = s->path[HTMT_SERVE_C_TO_S].network = up;
}

static htmt_time share(htmt_time time, uint32_t among)
{
    return (htmt_time)htmt_exact_round((struct htmt_exact){time, among});
}

htmt_time htmt_move_apart(const void *servers, unsigned server, uint64_t words)
{
    struct htmt_move move = htmt_servers_move(servers, server, words);
    htmt_time out = share(move.out, move.out_channels), in = share(move.in, move.in_channels);
    return move.busy < 0 ? -1 : out > in ? out : in;
}

static htmt_time work(const struct htmt_servers *s, unsigned server, enum htmt_op op, uint64_t n)
{
    struct htmt_ops ops = {.n = {0}};
    ops.n[op] = n;
    return htmt_machine_work(s->m, s->path[server].from, &ops);
}

htmt_time htmt_serve_cycles(const void *servers, unsigned server, uint64_t cycles)
{
    return work(servers, server, HTMT_CYCLE, cycles);
}

htmt_time htmt_serve_flop(const void *servers, unsigned server, uint64_t flop)
{
    return work(servers, server, HTMT_FLOP, flop);
}
