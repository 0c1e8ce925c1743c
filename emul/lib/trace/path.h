/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path of a trace: the chain of causes from the end of the run back to its begin.
 *
 * A piece of the path began where the one before it ended, so the pieces add up to the end of the
 * run, exactly. parcels/path.h defines the causes of the time on it; here they come from the
 * intervals of a trace.
 *
 * An interval that waited is preceded by the one that it waited for; any other one by its cause.
 * Between the end of a cause and the begin of what it caused lies a way: a latency, or the part of
 * a service up to the moment in which something was set off.
 */
#ifndef HTMT_EMUL_LIB_TRACE_PATH_H
#define HTMT_EMUL_LIB_TRACE_PATH_H

#include "emul/trace/htmt_trace.h"
#include "parcels/path.h"

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

enum htmt__path_why {
    HTMT__PATH_CAME,   /* its parcel came */
    HTMT__PATH_CALLED, /* another parcel, fiber or message set it off */
    HTMT__PATH_LINE,   /* a server or channel of the resource `of` became free */
    HTMT__PATH_SPACE,  /* words of the layer `of` became free */
};

/* From the end of the run to its begin. {0} is an empty path. */
struct htmt__trace_path {
    struct htmt__path_piece *piece;
    uint64_t count, room;
    htmt_time total; /* of all pieces: the end of the run */
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
 * it right after the run, and what is spent with no service as in flight; `inside` is NULL. The
 * caller gives it to htmt_path_clear(). Errors: HTMT_ENOMEM. */
int htmt__trace_path_explain(const struct htmt_trace_info *info,
                             const struct htmt__trace_path *path, struct htmt_path *explained);

#endif
