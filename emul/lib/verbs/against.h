/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt run APP --timing operations --against-clock`: the same kernels without hooks, timed here.
 */
#ifndef HTMT_EMUL_LIB_VERBS_AGAINST_H
#define HTMT_EMUL_LIB_VERBS_AGAINST_H

#include "emul/lib/options/options.h"
#include "emul/lib/questions/walls.h"
#include "emul/lib/verbs/verb.h"
#include "layers/file/search.h"

#define HTMT__AGAINST_WORDS 128

/* What is run beside the prediction. It points into itself and the options. */
struct htmt__against {
    char program[HTMT_PATH_MAX + 32], plugin[HTMT_PATH_MAX + 32];
    const char *word[2 * HTMT__AGAINST_WORDS + 4];
    char option[HTMT__AGAINST_WORDS][HTMT_NAME_MAX + 4];
    struct htmt__walls_host host;
};

/* Whether such a command line can be timed: `word` is the application's. Errors: HTMT_EUSAGE. */
int htmt__against_prepare(const struct htmt__command *program, const char *word,
                          const struct htmt__options *options, const struct htmt_request *request,
                          struct htmt__against *against, struct htmt_fault *fault);

#endif
