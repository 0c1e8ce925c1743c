/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --capture and --captured: the file, and what a captured run was of.
 */
#ifndef HTMT_EMUL_LIB_OPTIONS_CAPTURED_H
#define HTMT_EMUL_LIB_OPTIONS_CAPTURED_H

#include "emul/lib/options/provenance.h"

struct htmt__captured {
    struct htmt_replies replies;
    char *about;
};

/* Of the verb; request->emulator.replies points into `made` then. Errors: HTMT_EUSAGE (the verb
 * has no kernels, or has them), HTMT_ENOMEM, those of the cost file. */
int htmt__captured_make(const char *verb, const struct htmt__options *options,
                        struct htmt_request *request, struct htmt__captured *made,
                        struct htmt_fault *fault);
void htmt__captured_clear(struct htmt__captured *made);

#endif
