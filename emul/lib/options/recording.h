/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --trace and what belongs to it: what a run records of itself.
 */
#ifndef HTMT_EMUL_LIB_OPTIONS_RECORDING_H
#define HTMT_EMUL_LIB_OPTIONS_RECORDING_H

#include "emul/lib/options/options.h"
#include "emul/lib/options/ranges.h"
#include "parcels/recording.h"

/* A recording, and what it points to. */
struct htmt__recording {
    struct htmt_recording recording; /* path NULL: none is asked for */
    struct htmt_slice_range range[HTMT__RANGES_MAX];
    const char *type[HTMT__RANGES_MAX];
    char names[1024];
};

/* `request` has its machine and slices. *made points into itself and into the options.
 * Errors: HTMT_EUSAGE, HTMT_ERANGE, HTMT_EUNIT, HTMT_EFORMAT. */
int htmt__recording_make(const struct htmt__options *options, const struct htmt_request *request,
                         struct htmt__recording *made, struct htmt_fault *fault);

/* Whether an option asks for nothing that is computed or timed: it tells how the host works, and
 * where results go. */
bool htmt__recording_leaves_out(const char *option);

#endif
