/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/lib/servers.h"

#include "apps/lib/exact.h"

#include <stdbool.h>

#define NO_NETWORK UINT32_MAX

static struct htmt__move_path route(const struct htmt_machine *m, uint32_t from, uint32_t to,
                                    bool across)
{
    int network = htmt_machine_route(m, from, to, across);
    return (struct htmt__move_path){network < 0 ? NO_NETWORK : (uint32_t)network, from, to, 1, 1};
}

struct htmt__servers htmt__servers(const struct htmt_machine *m, uint32_t outer, uint32_t middle,
                                   uint32_t inner, uint32_t across)
{
    return (struct htmt__servers){m,
                                  {[HTMT__D_TO_S] = route(m, outer, middle, false),
                                   [HTMT__S_TO_C] = route(m, middle, inner, false),
                                   [HTMT__C_TO_S] = route(m, inner, middle, false),
                                   [HTMT__S_TO_D] = route(m, middle, outer, false),
                                   [HTMT__ACROSS] = route(m, across, across, true),
                                   [HTMT__DPIM] = {.from = outer},
                                   [HTMT__SPIM] = {.from = middle},
                                   [HTMT__SPELL] = {.from = inner}}};
}

struct htmt__move htmt__servers_move(const struct htmt__servers *s, unsigned server, uint64_t words)
{
    struct htmt__move move = {.out_channels = 1, .in_channels = 1};
    if (s->path[server].network != NO_NETWORK)
        htmt__move(s->m, s->path[server], words, &move);
    return move;
}

htmt_time htmt__move_length(const void *servers, unsigned server, uint64_t words)
{
    return htmt__servers_move(servers, server, words).length;
}

htmt_time htmt__move_busy(const void *servers, unsigned server, uint64_t words)
{
    return htmt__servers_move(servers, server, words).busy;
}

htmt_time htmt__move_out(const void *servers, unsigned server, uint64_t words)
{
    return htmt__servers_move(servers, server, words).out;
}

void htmt__servers_chain(struct htmt__servers *s, uint32_t down, uint32_t up)
{
    s->path[HTMT__D_TO_S].network = s->path[HTMT__S_TO_D].network = down;
    s->path[HTMT__S_TO_C].network = s->path[HTMT__C_TO_S].network = up;
}

static htmt_time share(htmt_time time, uint32_t among)
{
    return (htmt_time)htmt__exact_round((struct htmt__exact){time, among});
}

htmt_time htmt__move_apart(const void *servers, unsigned server, uint64_t words)
{
    struct htmt__move move = htmt__servers_move(servers, server, words);
    htmt_time out = share(move.out, move.out_channels), in = share(move.in, move.in_channels);
    return move.busy < 0 ? -1 : out > in ? out : in;
}

static htmt_time work(const struct htmt__servers *s, unsigned server, enum htmt_op op, uint64_t n)
{
    struct htmt_ops ops = {.n = {0}};
    ops.n[op] = n;
    return htmt_machine_work(s->m, s->path[server].from, &ops);
}

htmt_time htmt__serve_cycles(const void *servers, unsigned server, uint64_t cycles)
{
    return work(servers, server, HTMT_CYCLE, cycles);
}

htmt_time htmt__serve_flop(const void *servers, unsigned server, uint64_t flop)
{
    return work(servers, server, HTMT_FLOP, flop);
}
