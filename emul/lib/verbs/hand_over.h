/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program with recorded kernels takes the place of htmt in this process.
 */
#ifndef HTMT_EMUL_LIB_VERBS_HAND_OVER_H
#define HTMT_EMUL_LIB_VERBS_HAND_OVER_H

#include "emul/lib/verbs/verb.h"

/* `words`: the command line from the verb on, up to NULL; `app`: the application's word in it, may
 * be NULL; `tape`: "O2", "O3". Returns only where the program has kernels for that tape itself, or
 * the application is somebody else's plug-in (0), or there is no such tape or program:
 * HTMT_EUSAGE, with a line. */
int htmt__hand_over(const struct htmt__command *program, const char *app, const char *tape,
                    char **words, struct htmt_fault *fault);

#endif
