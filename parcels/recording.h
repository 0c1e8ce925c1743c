/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a run records of itself: a trace file of every interval of virtual time in which something
 * was served, sent, received, or waited. docs/trace-format.md describes the file.
 *
 *     struct htmt_recording recording = htmt_recording_init();
 *     recording.path = "run.trace";
 *     options.recording = &recording;
 *
 * The file appears when htmt_emulator_run() ends, whole or not at all. After a deadlock, a
 * cancelled run and any other failure but that of writing the file it is marked incomplete and
 * tells what was open then. When the file cannot be written, the run ends with HTMT_EIO and there
 * is no file. Nothing that is timed depends on a recording. Its bytes do not depend on how the
 * clock goes; but when a slice fails in windows, what was open is told of that slice alone.
 */
#ifndef HTMT_PARCELS_RECORDING_H
#define HTMT_PARCELS_RECORDING_H

#include "runtime/base/ratio.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

struct htmt_slice_range {
    uint32_t first, last;
};

struct htmt_recording {
    size_t size;       /* htmt_recording_init(), or 0 */
    const char *path;  /* of the trace file */
    const char *about; /* a JSON object that goes into it as it is; NULL: none */
    /* What is recorded; by default all. An interval that is left out has no number, and what refers
     * to it refers to nothing. */
    const struct htmt_slice_range *slices;
    uint32_t slice_ranges;    /* 0: all slices */
    uint32_t layers;          /* bit of each whose processors, memories and links count; 0: all */
    const char *const *types; /* of parcels, or of messages: "(put)", ... */
    uint32_t type_count;      /* 0: all types */
    htmt_time from, to;       /* intervals that lie partly within; to 0: no end */
};

/* Zeros and the size. */
static inline struct htmt_recording htmt_recording_init(void)
{
    struct htmt_recording d;
    memset(&d, 0, sizeof d);
    d.size = sizeof d;
    return d;
}

#ifdef __cplusplus
}
#endif

#endif
