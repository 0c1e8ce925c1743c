/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: what only a machine has whose slices are banks with processors of many
 * threads, joined by a controller (layers/bank/controller.h), which the public API calls the host:
 * its place, and its queue of commands (parcels/host.h).
 *
 * The controller is a place of its own, numbered `slices`; when folded it is 1, and slice 0 stands
 * for all slices. Its layer exists there alone, and the slices' layers do not exist there.
 */
#ifndef HTMT_PARCELS_WALK_CONTROLLER_H
#define HTMT_PARCELS_WALK_CONTROLLER_H

#include "layers/bank/controller.h"
#include "parcels/clock/engine.h"
#include "parcels/host.h"

struct htmt__issuing;       /* of a slice: issue.h */
struct htmt__command_queue; /* of the controller: controller.c */
struct htmt__bus_command;

struct htmt__banked {
    const struct htmt__bank_machine *machine;
    struct htmt__issuing **issuing; /* of each played slice; NULL: of the controller's place */
    struct htmt__command_queue *queue;
    uint64_t code_words; /* of the types that execute where threads are */
};

/* ---- places ---------------------------------------------------------------------------------- */

/* Whether the layer exists at that place. */
static inline bool htmt__is_place(const struct htmt_emulator *e, uint32_t slice, uint32_t layer)
{
    if (__builtin_expect(e->banked != NULL, 0) && layer == e->banked->machine->controller)
        return slice == e->controller;
    return slice < e->slices;
}
/* It plays itself: no other slice stands for it. */
static inline bool htmt__is_played(const struct htmt_emulator *e, uint32_t slice, uint32_t layer)
{
    if (__builtin_expect(e->banked != NULL, 0) && layer != e->banked->machine->controller &&
        e->options.symmetry == HTMT_FOLDED)
        return slice == 0;
    return slice < e->played;
}
/* It is the controller's or its bus: there is one, however many slices there are. */
static inline bool htmt__is_once(const struct htmt_emulator *e, uint32_t resource)
{
    if (!e->banked)
        return false;
    return resource < e->layers
               ? resource == e->banked->machine->controller
               : (resource / e->layers - 1) % e->networks == e->banked->machine->bus;
}
/* Of how many a layer of a played place is an account; the same of a resource. */
static inline uint32_t htmt__stands_for_layer(const struct htmt_emulator *e, uint32_t layer)
{
    return e->banked && layer == e->banked->machine->controller ? 1 : htmt__stands_for(e);
}
static inline uint32_t htmt__stands_for_resource(const struct htmt_emulator *e, uint32_t resource)
{
    return htmt__is_once(e, resource) ? 1 : htmt__stands_for(e);
}
/* e->banked, where the machine has a controller; later what each slice has of it. Errors:
 * HTMT_ENOMEM. */
int htmt__banked_create(struct htmt_emulator *e);
int htmt__banked_slices(struct htmt_emulator *e);
void htmt__banked_destroy(struct htmt_emulator *e);

/* ---- commands -------------------------------------------------------------------------------- */

/* Lines of logs take effect: a command is given; the one under way is over; the program of the
 * slice has ended. */
void htmt__controller_command(struct htmt_emulator *e, struct htmt__bus_command *command);
void htmt__controller_over(struct htmt_emulator *e, struct htmt__bus_command *command);
void htmt__controller_ended(struct htmt_emulator *e, uint32_t slice);
/* What the queue has counted, in the process that plays the controller's place; zero in others. Not
 * NULL where the machine has a controller. */
struct htmt_host_commands *htmt__controller_sums(const struct htmt_emulator *e);
/* Messages arrive: in a slice; in the controller's place. */
void htmt__launch_arrives(struct htmt_emulator *e, struct htmt__entity *p);
void htmt__ended_arrives(struct htmt_emulator *e, struct htmt__entity *p);
/* The word that asks for a slice's bytes has arrived there: they go to the controller. */
void htmt__pull_arrives(struct htmt_emulator *e, struct htmt__entity *p);
/* No message between controller and slices takes less. */
htmt_time htmt__controller_ahead(const struct htmt_emulator *e);

#endif
