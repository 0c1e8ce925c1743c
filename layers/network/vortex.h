/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The Data Vortex: a network of nodes that hold one packet each and deflect what finds no place
 * (docs/networks.md). The fabric asks here where a topology is one.
 *
 * Elements of the topology: end h, and the column of height h, which has the nodes (c, h, a) of all
 * cylinders and angles. An end has a channel for each angle, where packets enter. A node has two,
 * in the order of c and a: around, and inward or, of the innermost cylinder, out.
 */
#ifndef HTMT_LAYERS_NETWORK_VORTEX_H
#define HTMT_LAYERS_NETWORK_VORTEX_H

#include "layers/network/fabric.h"

struct htmt__vortex;       /* constant, shared by threads */
struct htmt__vortex_place; /* the columns of one slice */

/* ---- numbers --------------------------------------------------------------------------------- */

static inline uint32_t htmt__vortex_heights(const struct htmt__inside *in)
{
    return in->shape[0];
}
static inline uint32_t htmt__vortex_angles(const struct htmt__inside *in)
{
    return in->shape[1];
}
static inline uint32_t htmt__vortex_cylinders(const struct htmt__inside *in)
{
    return (uint32_t)__builtin_ctz(in->shape[0]) + 1;
}

/* What a channel is: of an end's, cylinder is UINT32_MAX. */
struct htmt__vortex_channel {
    uint32_t cylinder, height, angle;
    bool inward;
};
struct htmt__vortex_channel htmt__vortex_channel(const struct htmt__inside *in, uint32_t channel);
uint32_t htmt__vortex_channel_of(const struct htmt__inside *in, struct htmt__vortex_channel c);

/* ---- play, as layers/network/fabric.h has it ------------------------------------------------- */

/* Errors: HTMT_ENOMEM. */
int htmt__vortex_create(const struct htmt__topology *t, struct htmt__vortex **v);
void htmt__vortex_destroy(struct htmt__vortex **v);
/* NULL: out of memory. */
struct htmt__vortex_place *htmt__vortex_place_create(const struct htmt__vortex *v, uint32_t slice);
void htmt__vortex_place_destroy(struct htmt__vortex_place **p);
htmt_time htmt__vortex_lookahead(const struct htmt__vortex *v);
void htmt__vortex_inject(const struct htmt__vortex *v, struct htmt__vortex_place *p,
                         const struct htmt__packet *packet, htmt_time now, htmt_time tail,
                         const struct htmt__fabric_sink *sink);
bool htmt__vortex_play(const struct htmt__vortex *v, struct htmt__vortex_place *p,
                       struct htmt__fabric_event *event, const struct htmt__fabric_sink *sink);
/* `contentions` of a way around are deflections; of an end's, packets that waited, and `queued` is
 * how long. */
bool htmt__vortex_account(const struct htmt__vortex *v, const struct htmt__vortex_place *p,
                          uint32_t channel, htmt_time now, struct htmt__port_account *account);

/* Least time from port to port of a message of so many packets between two ends: nobody deflects
 * it, it enters at once, and it comes round at the angle that it wants. */
htmt_time htmt__vortex_alone(const struct htmt__inside *in, uint32_t source, uint32_t target,
                             uint64_t packets);

#endif
