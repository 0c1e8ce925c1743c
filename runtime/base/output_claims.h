/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The claims of outputs (runtime/base/output.h) for the command and for readers of inputs.
 */
#ifndef HTMT_RUNTIME_BASE_OUTPUT_CLAIMS_H
#define HTMT_RUNTIME_BASE_OUTPUT_CLAIMS_H

#include "runtime/base/error.h"

/* Claims standard output and standard error, if they are files. Errors: HTMT_ENOMEM. */
int htmt__output_claim_streams(struct htmt_fault *fault);

/* Refuses an input, open as `fd`, that is a claimed output; keeps it from claims that come later.
 * Errors: HTMT_EUSAGE, HTMT_ENOMEM. */
int htmt__output_spares(const char *input, int fd, struct htmt_fault *fault);

/* Forgets all claims. */
void htmt__outputs_forget(void);

#endif
