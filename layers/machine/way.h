/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The ways of messages inside networks, for closed forms: which channels a message takes, how long
 * it needs alone. All slices of the machine take part. Questions about what is not there are
 * answered by -1, times, or 0, counts.
 */
#ifndef HTMT_LAYERS_MACHINE_WAY_H
#define HTMT_LAYERS_MACHINE_WAY_H

#include "layers/machine/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Channels inside the network, of all planes; 0: it has no ports inside, or the machine has other
 * numbers of slices than its network was made for. */
uint32_t htmt_machine_channels(const struct htmt_machine *m, uint32_t network);
/* Equal copies of them, among which packets are dealt; at least 1. */
uint32_t htmt_machine_planes(const struct htmt_machine *m, uint32_t network);
/* Whether a message that meets nobody leaves its processors in time: packets that follow each other
 * ask no more of the processors that route them (inside.router) than links take. */
bool htmt_machine_routes_in_time(const struct htmt_machine *m, uint32_t network);

/* Channels on the way between two slices, by their numbers in a plane: how many, of which the first
 * `room` go to `channel`. `ports`: a route that was checked; NULL: the machine's routing. */
uint32_t htmt_machine_way(const struct htmt_machine *m, uint32_t network, uint32_t source,
                          uint32_t target, const uint16_t *ports, uint32_t *channel, uint32_t room);

/* Whether the ports, one for each switch, lead from a slice to another one. Errors: HTMT_EFORMAT (a
 * line that says where not: a missing link, another end, a circle), HTMT_EINVAL (no such network or
 * slices). */
int htmt_machine_route_check(const struct htmt_machine *m, uint32_t network, uint32_t source,
                             uint32_t target, const uint16_t *ports, uint32_t count,
                             struct htmt_fault *fault);

/* Time that one of them needs for so many bytes, without headers. */
htmt_time htmt_machine_channel_time(const struct htmt_machine *m, uint32_t network,
                                    uint32_t channel, uint64_t bytes);

/* Time from port to port of a message of so many bytes that meets nobody; without ports inside, as
 * htmt_machine_crossing(). */
htmt_time htmt_machine_alone(const struct htmt_machine *m, uint32_t network, uint32_t source,
                             uint32_t target, uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
