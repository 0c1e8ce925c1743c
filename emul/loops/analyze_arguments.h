/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The command line of `htmt analyze`, which the verb checks and htmt-analyze reads again. This file
 * knows neither libclang nor isl.
 */
#ifndef HTMT_EMUL_LOOPS_ANALYZE_ARGUMENTS_H
#define HTMT_EMUL_LOOPS_ANALYZE_ARGUMENTS_H

#include "apps/lib/app.h"
#include "runtime/base/error.h"

extern const struct htmt_app_option htmt__source_rows[];

/* Each list has room for all words. Text belongs to argv. */
struct htmt__source_words {
    const char *nests;
    const char **file, **assume, **taken;
    const char **compiler; /* "-DN=4", "-Ifolder" */
    unsigned files, assumes, takens, compilers;
};

/* argv[0] is the verb. On success the caller clears them. Errors: HTMT_EUSAGE, HTMT_ENOMEM. */
int htmt__source_words_read(struct htmt__source_words *w, int argc, char *const *argv,
                            struct htmt_fault *fault);
void htmt__source_words_clear(struct htmt__source_words *w);

#endif
