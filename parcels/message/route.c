/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chains of networks from memory to memory. A message crosses one network; a signal, or a message
 * that goes round by the outer memories, may need several. For each target layer the fewest
 * networks are found from all layers of the same and of another slice at once, by relaxing until
 * nothing gets shorter (Bellman and Ford; there are few layers). Of equal chains the first found
 * stays, so the result does not depend on anything but the machine.
 */
#include "parcels/message/route.h"

#include "parcels/clock/engine.h"
#include "parcels/walk/memory.h"

#include <string.h>

struct chains {
    const struct htmt_machine *machine;
    const struct htmt__net *net;
    struct htmt__way (*way)[HTMT_LAYERS_MAX][HTMT_LAYERS_MAX]; /* of a word, by across, from, to */
    uint32_t to;
    bool round; /* nothing crosses from `to` to `to` */
    uint8_t far[2][HTMT_LAYERS_MAX];
    struct htmt__hop hop[2][HTMT_LAYERS_MAX];
};

static bool relax(struct chains *s, bool across, uint32_t from, uint32_t next, bool cross)
{
    uint8_t rest = s->far[across && !cross][next];
    int network = htmt_machine_route(s->machine, from, next, cross);
    if (rest == UINT8_MAX || network < 0 || s->net[network].bus ||
        rest + 1 >= s->far[across][from] || (s->round && cross && from == s->to && next == s->to))
        return false;
    s->far[across][from] = (uint8_t)(rest + 1);
    s->hop[across][from] = (struct htmt__hop){
        .way = &s->way[cross][from][next], .next = (uint8_t)next, .across = cross};
    return true;
}

static struct chains chains_to(struct htmt_emulator *e, uint32_t to, bool round)
{
    struct chains s = {
        .machine = e->machine, .net = e->net, .way = e->way[1], .to = to, .round = round};
    memset(s.far, UINT8_MAX, sizeof s.far);
    s.far[0][to] = 0;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t from = 0; from < e->layers; from++)
            for (uint32_t next = 0; next < e->layers; next++) {
                if (from != next) {
                    more |= relax(&s, false, from, next, false);
                    more |= relax(&s, true, from, next, false);
                }
                more |= relax(&s, true, from, next, true);
            }
    }
    return s;
}

void htmt__routes_init(struct htmt_emulator *e)
{
    struct chains s = chains_to(e, htmt__innermost(e), true);
    memcpy(e->detour, s.hop, sizeof e->detour);
    for (uint32_t to = 0; to < e->layers; to++) {
        s = chains_to(e, to, false);
        for (uint32_t from = 0; from < e->layers; from++)
            for (unsigned across = 0; across < 2; across++) {
                bool moves = across ? e->options.symmetry != HTMT_INDEPENDENT : from != to;
                int n = moves ? htmt_machine_route(e->machine, from, to, across) : -1;
                uint32_t network = n < 0 || e->net[n].bus ? HTMT__NO_NETWORK : (uint32_t)n;
                e->hop[across][from][to] = s.hop[across][from];
                e->way[0][across][from][to].network = network;
                e->way[0][across][from][to].words = UINT64_MAX;
                e->way[1][across][from][to].network = network;
            }
    }
}

bool htmt__detour_next(const struct htmt_emulator *e, uint32_t target, uint32_t *slice,
                       uint32_t *layer)
{
    struct htmt__hop hop = e->detour[*slice != target][*layer];
    *layer = hop.next;
    if (hop.across)
        *slice = target;
    return hop.way != NULL;
}
