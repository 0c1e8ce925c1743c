/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The sender's channel and the receiver's work at the same time, piece after piece, so that a move
 * occupies the network for as long as the slower one; its first word comes a latency later.
 */
#include "apps/lib/move.h"

int htmt_move(const struct htmt_machine *m, struct htmt_move_path path, uint64_t words,
              struct htmt_move *move)
{
    const struct htmt_network *n = &m->network[path.network];
    uint32_t out = n->port[path.from].out, in = n->port[path.to].in;
    struct htmt_move r = {.out_channels = out ? out : 1, .in_channels = in ? in : 1};
    *move = r;
    if (!words)
        return 0;
    r.out = htmt_machine_out_time(m, path.network, path.from, path.to, words, path.from_pieces,
                                  path.to_pieces);
    r.in = htmt_machine_in_time(m, path.network, path.to, words, path.to_pieces);
    r.busy = r.out > r.in ? r.out : r.in;
    r.latency = htmt_machine_crossing(m, path.network, words);
    if (r.out < 0 || r.in < 0 || r.latency < 0 ||
        __builtin_add_overflow(r.busy, r.latency, &r.length)) {
        r.out = r.in = r.busy = r.latency = r.length = -1;
        *move = r;
        return HTMT_EOVERFLOW;
    }
    *move = r;
    return 0;
}
