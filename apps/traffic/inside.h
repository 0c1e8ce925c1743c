/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures of the inside of a network that traffic asks a machine for.
 */
#ifndef HTMT_APPS_TRAFFIC_INSIDE_H
#define HTMT_APPS_TRAFFIC_INSIDE_H

#include "layers/machine/machine.h"

/* Whether there are ports inside the network, so that messages take routes. */
bool htmt__traffic_has_ports(const struct htmt_machine *m, uint32_t network);

/* The same, or slots of a Data Vortex: a message's time depends on its two ends. */
bool htmt__traffic_has_ways(const struct htmt_machine *m, uint32_t network);

/* Time from an end to its memory of so many bytes, by the network's local-rate; -1: overflow. */
htmt_time htmt__traffic_local(const struct htmt_machine *m, uint32_t network, uint64_t bytes);

/* Time of a word at the port of a slice, all its channels together: of the port, or of the channel
 * that leads into the network if that is slower. fs; 0: neither is modelled. */
double htmt__traffic_word(const struct htmt_machine *m, uint32_t network, uint32_t layer);

/* By how much the start-up of a message after the first is shorter (startup-next). */
htmt_time htmt__traffic_saved(const struct htmt_machine *m, uint32_t network);

#endif
