/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who sends what to whom: nodes, each with operations in order, which it repeats in every
 * iteration. A file, a pattern or a profile fills a table; then it is completed, and constant.
 *
 * A message that no receive of its target names is taken by the target's operation ALL, which waits
 * for all such messages of an iteration, or, where it has none, when it comes.
 */
#ifndef HTMT_APPS_TRAFFIC_IO_TABLE_H
#define HTMT_APPS_TRAFFIC_IO_TABLE_H

#include "runtime/base/error.h"
#include "runtime/base/ratio.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTMT__TRAFFIC_BYTES_MOST (UINT64_C(1) << 30) /* of a message */
#define HTMT__TRAFFIC_NODES_MOST (UINT32_C(1) << 20)
#define HTMT__TRAFFIC_NONE       UINT32_MAX

enum htmt__traffic_kind {
    HTMT__TRAFFIC_ASEND,   /* goes on at once */
    HTMT__TRAFFIC_SEND,    /* returns when it was received */
    HTMT__TRAFFIC_RCV,     /* waits for the next message of a source */
    HTMT__TRAFFIC_ARECV,   /* takes it when it comes, without a wait */
    HTMT__TRAFFIC_COMPUTE, /* so much time of a processor */
    HTMT__TRAFFIC_PAUSE,   /* so long until the next arrival; of no file */
    HTMT__TRAFFIC_ALL      /* waits for all messages of the iteration */
};

struct htmt__traffic_op {
    enum htmt__traffic_kind kind;
    uint32_t peer;    /* target or source */
    uint32_t message; /* number in the table; of a receive from its completion on */
    htmt_time time;   /* of COMPUTE, PAUSE */
    int line;         /* of the file; 0: none */
};

struct htmt__traffic_message {
    uint32_t source, target;
    uint64_t bytes;
    uint32_t index;          /* at the target; NONE until the completion: the next free one */
    uint32_t place;          /* among the messages of its source, in order */
    uint32_t route, ports;   /* the first of its port numbers in the table; how many. 0: none */
    uint64_t from, to;       /* offsets in the areas of the source and the target */
    bool synchronous, named; /* named: a receive takes it */
    int line;
};

struct htmt__traffic_node {
    char name[32];                 /* may be empty */
    uint32_t first, count;         /* operations */
    uint32_t sends, hears;         /* messages of an iteration */
    uint32_t first_in;             /* in table->in: its messages by index */
    htmt_time period;              /* of a source; 0: as fast as its messages leave */
    bool receives;                 /* it has receives: each message to it must have one */
    uint32_t first_listed, listed; /* in table->listed: bytes of its blocks by index; 0: no list */
    uint64_t out_bytes, in_bytes;
    int line;
};

struct htmt__traffic_table {
    char name[64], about[160];
    const char *file; /* for messages; belongs to the caller; NULL: none */
    uint32_t nodes, ops, messages, ports, sizes;
    struct htmt__traffic_node *node;
    struct htmt__traffic_op *op; /* of the nodes one after another */
    struct htmt__traffic_message *message;
    uint16_t *port;
    uint64_t *listed;
    uint32_t *in;
    uint32_t op_room, message_room, port_room, node_room, listed_room;
};

/* Adds a node; operations that follow are the node's. Errors of all that adds: HTMT_ENOMEM,
 * HTMT_ERANGE (too many). */
int htmt__traffic_node_add(struct htmt__traffic_table *t, const char *name,
                           struct htmt_fault *fault);
int htmt__traffic_op_add(struct htmt__traffic_table *t, const struct htmt__traffic_op *op,
                         struct htmt_fault *fault);
/* SEND or ASEND of a message of the last node; *m without source and offsets. */
int htmt__traffic_send_add(struct htmt__traffic_table *t, enum htmt__traffic_kind kind,
                           const struct htmt__traffic_message *m, struct htmt_fault *fault);
/* A port number more of the message that is added next. */
int htmt__traffic_port_add(struct htmt__traffic_table *t, uint16_t port, struct htmt_fault *fault);

/* The size of a block more that the last node expects. */
int htmt__traffic_listed_add(struct htmt__traffic_table *t, uint64_t bytes,
                             struct htmt_fault *fault);

/* Matches receives with sends, numbers what has no index, finds the offsets. Errors: HTMT_EFORMAT
 * (a line that says what does not fit: a target that is not there or the node itself, no bytes or
 * too many, an index used twice, a receive without a send, a send without a receive), HTMT_ENOMEM.
 */
int htmt__traffic_complete(struct htmt__traffic_table *t, struct htmt_fault *fault);

/* Frees all; {0} is accepted. */
void htmt__traffic_clear(struct htmt__traffic_table *t);

/* The first operation of a node waits for no message: it begins an iteration by itself. */
bool htmt__traffic_begins(const struct htmt__traffic_table *t, uint32_t node);
/* Whether a node waits for anything in an iteration. */
bool htmt__traffic_waits(const struct htmt__traffic_table *t, uint32_t node);

/* Bytes of all messages of an iteration. */
uint64_t htmt__traffic_bytes(const struct htmt__traffic_table *t);
/* Most messages that a node hears in an iteration. */
uint32_t htmt__traffic_most_heard(const struct htmt__traffic_table *t);

#endif
