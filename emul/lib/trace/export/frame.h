/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the folder: the frame of all exports. It opens and commits the file; timelines it plays
 * event by event, and remembers of which slice, row and lane something has been declared.
 */
#ifndef HTMT_EMUL_LIB_TRACE_EXPORT_FRAME_H
#define HTMT_EMUL_LIB_TRACE_EXPORT_FRAME_H

#include "emul/lib/trace/export/export.h"
#include "emul/lib/trace/export/order.h"

#include <stdio.h>

/* What a format has declared of a row, which it does when it first uses it. */
struct htmt__declared {
    uint32_t lanes[2]; /* of services and of waits */
    bool row, hand_offs, counter;
};

struct htmt__export;

/* How a format writes a timeline. */
struct htmt__export_format {
    void (*head)(struct htmt__export *x);
    int (*begin)(struct htmt__export *x, const struct htmt__order_event *e,
                 struct htmt_fault *fault);
    void (*end)(struct htmt__export *x, const struct htmt__order_event *e);
    void (*fill)(struct htmt__export *x, const struct htmt__order_event *e);
    void (*tail)(struct htmt__export *x); /* or NULL */
    const char *no_memory;
};

struct htmt__export {
    const struct htmt__export_format *format; /* of a timeline; NULL: it is none */
    struct htmt_trace *trace;
    const struct htmt_trace_info *info;
    enum htmt__export_unit unit;
    FILE *out;
    /* Of a timeline. */
    struct htmt__order *order;
    const struct htmt__rows *rows;
    struct htmt__trace_cache *cache;
    struct htmt__declared *declared; /* of each slice and row */
    bool *slice;                     /* it is declared */
    htmt_time last;                  /* the format's own */
};

/* Writes a file with write(), whole or not at all. */
int htmt__export_file(struct htmt_trace *t, const char *path, enum htmt__export_unit unit,
                      int (*write)(struct htmt__export *x, struct htmt_fault *fault),
                      struct htmt_fault *fault);

/* Writes a file of that format: all events of the trace, in the order of time. */
int htmt__export_timeline(struct htmt_trace *t, const char *path, enum htmt__export_unit unit,
                          const struct htmt__export_format *format, struct htmt_fault *fault);

static inline struct htmt__declared *htmt__export_row(const struct htmt__export *x, uint32_t slice,
                                                      uint32_t row)
{
    return &x->declared[(size_t)slice * x->rows->count + row];
}

/* The service is one of a channel: the row counts those in use. */
static inline bool htmt__export_counts(const struct htmt__export *x,
                                       const struct htmt__order_event *e)
{
    enum htmt__row_kind kind = x->rows->row[e->row].kind;
    return e->kind == HTMT__SPAN_SERVICE && (kind == HTMT__ROW_OUT || kind == HTMT__ROW_IN);
}

/* *is: another entity set this off, and *cause is its interval. */
int htmt__export_hand_off(struct htmt__export *x, const struct htmt__order_event *e,
                          struct htmt_trace_interval *cause, bool *is, struct htmt_fault *fault);

/* ---- texts, printable and UTF-8 -------------------------------------------------------------- */

struct htmt__label {
    char s[400];
};

/* Any text of a trace. */
struct htmt__label htmt__label_of(const char *text);

/* "tile inject"; waiting: "tile inject waits for rti dram out", "tile inject waits for CRAM". */
struct htmt__label htmt__label_step(const struct htmt_trace_info *info, uint32_t step,
                                    bool waiting);

/* "slice 3"; of a folded trace "slice 0, stands for 4096". */
struct htmt__label htmt__label_slice(const struct htmt_trace_info *info, uint32_t slice);

#endif
