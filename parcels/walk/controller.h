/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the host's queue of commands (parcels/host.h). One command is under way at a
 * time, but for launches that nobody waits for. A transfer is booked at the host by one event; each
 * slice gets its arrival as a message. Nothing but messages passes between host and slices.
 */
#ifndef HTMT_PARCELS_WALK_CONTROLLER_H
#define HTMT_PARCELS_WALK_CONTROLLER_H

#include "parcels/message/message.h"
#include "parcels/walk/banked.h"

struct htmt__bus_command;

/* Lines of logs take effect: a command is given; the one under way is over; the program of the
 * slice has ended. */
void htmt__host_command(struct htmt_emulator *e, struct htmt__bus_command *command);
void htmt__host_over(struct htmt_emulator *e, struct htmt__bus_command *command);
void htmt__host_ended(struct htmt_emulator *e, uint32_t slice);
/* Messages arrive: in a slice; in the host's place. */
void htmt__launch_arrives(struct htmt_emulator *e, struct htmt__entity *p);
void htmt__ended_arrives(struct htmt_emulator *e, struct htmt__entity *p);
/* The word that asks for a slice's bytes has arrived there: they go to the host. */
void htmt__pull_arrives(struct htmt_emulator *e, struct htmt__entity *p);

/* No message between host and slices takes less. */
htmt_time htmt__host_ahead(const struct htmt_emulator *e);
/* Errors: HTMT_ENOMEM. */
int htmt__hosting_create(struct htmt_emulator *e);
void htmt__hosting_destroy(struct htmt_emulator *e);

#endif
