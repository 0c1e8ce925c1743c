/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pipeline of parcels, as Figure 4 of Hereld et al. has it: for each stage of a type a row, in
 * it the first parcels of a slice over virtual time, out of a trace.
 *
 * A stage of a parcel becomes one bar. It asks when it first waits or is served; it stalls while it
 * waits for words of a memory, and waits in the lines of processors and channels; it starts with
 * its first service and ends with its last one. Fibers and the moves that they ask for have no bar.
 */
#ifndef HTMT_EMUL_VIEW_PICTURE_PIPELINE_H
#define HTMT_EMUL_VIEW_PICTURE_PIPELINE_H

#include "emul/lib/picture/sheet.h"
#include "emul/trace/htmt_trace.h"

#define HTMT__PIPELINE_PARCELS_MAX 10000

struct htmt__pipeline_request {
    const char *type; /* NULL: of those that the slice has the one with the most stages */
    uint32_t slice, parcels;
};

struct htmt__pipeline_row {
    enum htmt_stage_id stage;
    bool moves;    /* words on channels; else it is served */
    char name[96]; /* "SRAM to CRAM (rti)" */
};

struct htmt__pipeline_bar {
    uint32_t parcel, row; /* from 0 */
    htmt_time asked, start, end;
    htmt_time wait, stall; /* sums: in lines, for words */
    htmt_time line;        /* of the wait, what lies just before the start */
    bool open;             /* it had not ended when the run did */
};

struct htmt__pipeline {
    const struct htmt_trace_info *info; /* of the trace, which stays open */
    const char *type;
    uint32_t slice, parcels, rows;
    uint64_t *serial; /* of each parcel, in their order */
    struct htmt__pipeline_row row[HTMT_STAGES];
    struct htmt__pipeline_bar *bar; /* by parcel, then row */
    size_t bars;
};

/* On success the caller gives *p to htmt__pipeline_clear(). Errors: HTMT_EUSAGE (no such type,
 * slice or parcel), HTMT_ENOMEM, those of htmt_trace_block_read(). */
int htmt__pipeline_read(struct htmt_trace *t, const struct htmt__pipeline_request *request,
                        struct htmt__pipeline *p, struct htmt_fault *fault);
void htmt__pipeline_clear(struct htmt__pipeline *p);

/* A line for each bar, in femtoseconds. Errors: those of runtime/base/whole_file.h. */
int htmt__pipeline_csv(const struct htmt__pipeline *p, const char *path, struct htmt_fault *fault);
/* For people. Errors: HTMT_ENOMEM. */
int htmt__pipeline_print(const struct htmt__pipeline *p, FILE *out);
/* The sheet is empty. Errors: HTMT_ENOMEM. */
int htmt__pipeline_draw(const struct htmt__pipeline *p, struct htmt__sheet *sheet);

#endif
