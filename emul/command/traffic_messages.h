/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The messages between slices that a run is heard to send, and the table that they make: each slice
 * is a node whose program computes between its messages, and sends them without a wait.
 */
#ifndef HTMT_EMUL_COMMAND_TRAFFIC_MESSAGES_H
#define HTMT_EMUL_COMMAND_TRAFFIC_MESSAGES_H

#include "parcels/emulator.h"

#include <stdbool.h>
#include <stddef.h>

struct htmt__sent_message {
    htmt_time at; /* it came; later: it was sent */
    uint64_t words, number;
    uint32_t source, target, resource;
};

struct htmt__sent_messages {
    struct htmt__sent_message *at;
    size_t count, room;
    bool failed; /* no memory */
};

/* Keeps a message to another slice; an event of another kind is none. */
void htmt__sent_messages_hear(struct htmt__sent_messages *m, const struct htmt_event *event);
void htmt__sent_messages_clear(struct htmt__sent_messages *m);

/* Writes those that went over the network, over any if it is UINT32_MAX. *written: how many.
 * Errors: HTMT_ENOMEM, those of a file. */
int htmt__sent_messages_write(struct htmt__sent_messages *m, const struct htmt_emulator *e,
                              uint32_t network, const char *about, const char *path,
                              uint64_t *written, struct htmt_fault *fault);

#endif
