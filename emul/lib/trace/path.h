/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path of a trace: the chain of causes from the end of the run back to its begin.
 */
#ifndef HTMT_EMUL_LIB_TRACE_PATH_H
#define HTMT_EMUL_LIB_TRACE_PATH_H

#include "emul/trace/htmt_trace.h"
#include "parcels/observe/path_sums.h"

/* What a piece of the path was spent with. */
enum htmt__path_spent {
    HTMT__PATH_IN_SERVICE, /* in a bank, or on a channel out or in */
    HTMT__PATH_ON_WAY,     /* from the cause to the begin of the interval: a latency, a moment */
    HTMT__PATH_WAITING,    /* the interval waited, and the trace does not say for whom */
    HTMT__PATH_AT_END,     /* after the last interval */
};

struct htmt__path_piece {
    htmt_trace_ref interval; /* HTMT__PATH_AT_END of an empty trace: HTMT_TRACE_NONE */
    htmt_time from, to;      /* from < to */
    uint32_t step;           /* of the interval, index into info->step; UINT32_MAX: none */
    uint32_t of;             /* why: the resource or layer; UINT32_MAX: none */
    uint8_t spent;           /* enum htmt__path_spent */
    uint8_t place;           /* enum htmt_path_place */
    uint8_t why;             /* enum htmt__path_why: why it began when it did */
};

/* A head on the path queued for the port of this channel; of several, who had it in the longest. */
struct htmt__path_port {
    htmt_time begin, end; /* of the longest wait */
    uint32_t port, source, target;
};

/* From the end of the run to its begin. {0} is an empty path. */
struct htmt__trace_path {
    struct htmt__path_piece *piece;
    uint64_t count;
    size_t room;
    htmt_time total;              /* of all pieces: the end of the run */
    struct htmt__path_port *port; /* `of` of HTMT__PATH_BLOCKED */
    uint32_t ports;
    size_t port_room;
    const struct htmt_trace *trace;
};

/* Finds the path. It starts at info->last; without that, at the interval that ends last, of several
 * at the one with the greatest (slice, number). It keeps at most 3 * 2^20 intervals of the trace in
 * memory, 180 MB, beside the pieces of 40 bytes each. The caller gives the path to
 * htmt__trace_path_clear(), after an error, too. Errors: HTMT_ENOMEM, HTMT_EFORMAT (causes in a
 * circle), those of htmt_trace_block_read(). */
int htmt__trace_path_find(struct htmt_trace *t, struct htmt__trace_path *path,
                          struct htmt_fault *fault);
void htmt__trace_path_clear(struct htmt__trace_path *path);

/* The path by cause, resource or layer, type and stage, as htmt_path_find() (parcels/path.h) gives
 * it right after the run, and what is spent with no service as in flight; `inside` is the network's
 * name, of a port NULL. The name of a port ends with the slices of the packet that had it. The
 * trace is still open. The caller gives it to htmt_path_clear(). Errors: HTMT_ENOMEM. */
int htmt__trace_path_explain(const struct htmt_trace_info *info,
                             const struct htmt__trace_path *path, struct htmt_path *explained);

/* "myrinet x1y5.1": of path->port[index]. */
void htmt__trace_path_port_name(const struct htmt_trace_info *info,
                                const struct htmt__trace_path *path, uint32_t index, char *name,
                                size_t room);

/* Names of an explained path: of a resource, or "in flight"; what the cause of a part is of: a
 * resource, a memory, a port, or "". */
const char *htmt__trace_resource_name(const struct htmt_trace_info *info, uint32_t resource);
const char *htmt__trace_cause_of(const struct htmt_trace_info *info, const struct htmt_path *path,
                                 const struct htmt_path_part *part);

#endif
