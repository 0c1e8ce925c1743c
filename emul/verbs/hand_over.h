/* SPDX-License-Identifier: BSD-3-Clause
 *
 * htmt-rec, which has the recorded kernels, takes the place of htmt in this process.
 */
#ifndef HTMT_EMUL_VERBS_HAND_OVER_H
#define HTMT_EMUL_VERBS_HAND_OVER_H

#include "emul/verbs/verb.h"

/* `words`: the command line from the verb on, up to NULL. Returns only where the program has
 * recorded kernels itself (0), or there is no htmt-rec: HTMT_EUSAGE, with a line. */
int htmt__hand_over(const struct htmt__command *program, char **words, struct htmt_fault *fault);

#endif
