/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Queues of what a layer's processors serve (posts, parcels/post.h), in the order in which they are
 * served. A file need not have any; then they are in neither the dump nor the hash:
 *
 *     processor:
 *       queues:
 *         action: {room: {value: 2048, source: ...}, own: {value: 22, source: ...}}
 *         diffuse: {room: {value: 4096, source: ...}}
 *         stage: {value: 1 ns, source: ...}
 *         overlap: true
 *       aggregate:
 *         bytes: {value: 256 B, source: ...}
 *         wait: {value: 1 us, source: ...}
 */
#ifndef HTMT_LAYERS_MACHINE_QUEUES_H
#define HTMT_LAYERS_MACHINE_QUEUES_H

#include "layers/machine/builder.h"

#define HTMT__QUEUES_MOST 8u

struct htmt__layer_queues {
    uint32_t count; /* 0: one queue without limit, and no name */
    struct htmt__layer_queue {
        char name[HTMT_NAME_MAX];
        uint32_t room; /* posts; UINT32_MAX: no limit */
        uint32_t own;  /* room beyond that for posts of the own slice */
    } at[HTMT__QUEUES_MOST];
    htmt_time stage; /* fs, of each message of a generator */
    bool overlap;    /* other controls run while a generator waits */
};

/* Of a machine that is built. */
struct htmt__layer_queues htmt__layer_queues(const struct htmt_machine *machine, uint32_t layer);

/* Posts of the layer leave together (parcels/post.h: struct htmt_aggregate). */
#define HTMT__AGGREGATE_MOST (UINT64_C(1) << 20) /* bytes */
struct htmt__layer_aggregate {
    uint64_t bytes; /* 0: each leaves by itself */
    htmt_time wait; /* fs */
};
extern const struct htmt_schema_row htmt__aggregate_rows[];
/* Of a machine that is built. */
struct htmt__layer_aggregate htmt__layer_aggregate(const struct htmt_machine *machine,
                                                   uint32_t layer);

/* The mapping under `queues`, as a row of layers/file/schema.h reads it. */
int htmt__queues_read(struct htmt__figures *figures, const struct htmt_yaml *node, const char *key,
                      const struct htmt_schema_row *rows, struct htmt_fault *fault);
/* Their figures, and those of `aggregate`, into the machine; `processor`: "layers.NAME.processor".
 * Errors: those of htmt__build_row(). */
int htmt__queues_build(struct htmt__builder *b, const char *processor);

#endif
