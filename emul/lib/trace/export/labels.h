/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The texts that exports give to steps and rows of a trace, printable and UTF-8.
 */
#ifndef HTMT_EMUL_LIB_TRACE_EXPORT_LABELS_H
#define HTMT_EMUL_LIB_TRACE_EXPORT_LABELS_H

#include "emul/lib/trace/rows.h"

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
