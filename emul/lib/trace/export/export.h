/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Traces in the formats of other tools; docs/trace-exports.md describes what stands where.
 *
 * A file appears whole or not at all. Names out of the trace are escaped: control characters and
 * bytes that are no UTF-8 become "\xNN", further characters as the format wants.
 * Errors: HTMT_ENOMEM, those of htmt_trace_block_read() and of runtime/base/whole_file.h.
 */
#ifndef HTMT_EMUL_LIB_TRACE_EXPORT_EXPORT_H
#define HTMT_EMUL_LIB_TRACE_EXPORT_EXPORT_H

#include "emul/trace/htmt_trace.h"

enum htmt__export_unit {
    HTMT__EXPORT_FS, /* exact */
    HTMT__EXPORT_PS  /* each instant rounded to the nearest; halves go up */
};

static inline htmt_time htmt__export_time(enum htmt__export_unit unit, htmt_time fs)
{
    return unit == HTMT__EXPORT_FS ? fs : fs / 1000 + (fs % 1000 >= 500);
}

/* Of Perfetto: TrackEvents, each unit written as 1 ns. */
int htmt__export_perfetto(struct htmt_trace *t, const char *path, enum htmt__export_unit unit,
                          struct htmt_fault *fault);
/* Of ViTE and pajeng; dates are counts of the unit. */
int htmt__export_paje(struct htmt_trace *t, const char *path, enum htmt__export_unit unit,
                      struct htmt_fault *fault);
/* A row an interval, in the order of the file. */
int htmt__export_csv(struct htmt_trace *t, const char *path, enum htmt__export_unit unit,
                     struct htmt_fault *fault);

#endif
