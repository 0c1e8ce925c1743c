/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The four applications whose kernels are recorded, on a measured host: `--kernels apps`.
 */
#ifndef HTMT_EMUL_COMMAND_HOST_APPLICATIONS_H
#define HTMT_EMUL_COMMAND_HOST_APPLICATIONS_H

#include "emul/validate/against_clock.h"

/* Whether "mermaid,apps" has the word apps; `rest` gets the words without it. */
bool htmt__host_applications_asked(const char *sets, char *rest, size_t room);

/* Adds a row for each application and its first `sizes` sizes, of two, to what `against` has.
 * `name`: the machine's as it was given. Errors: HTMT_EUSAGE (the programs are missing, the machine
 * is not of this host, or an application refuses it, with its line), HTMT_ESYSTEM. */
int htmt__host_applications(const struct htmt_machine *machine, const char *name, unsigned sizes,
                            htmt__against_progress_fn *progress, void *user,
                            struct htmt__against_clock *against, struct htmt_fault *fault);

#endif
