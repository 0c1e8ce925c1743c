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

/* Each list has room for all words. Text belongs to argv, or to `own`. */
struct htmt__source_words {
    const char *nests, *database; /* NULL: not given */
    const char **file, **assume, **taken, **function;
    const char **compiler; /* "-DN=4", "-Ifolder", "-include", "file.h" */
    char **own;
    unsigned files, assumes, takens, functions, compilers, owns;
    bool strict;
};

/* argv[0] is the verb. On success the caller clears them. Errors: HTMT_EUSAGE, HTMT_ENOMEM. */
int htmt__source_words_read(struct htmt__source_words *w, int argc, char *const *argv,
                            struct htmt_fault *fault);
void htmt__source_words_clear(struct htmt__source_words *w);

/* What a compiler is told, word by word: what a source says depends on some of it, the rest (-O2,
 * -Wall, -o FILE) is passed over. "-I dir" becomes "-Idir". */
enum htmt__source_flag {
    HTMT__FLAG_NONE,   /* it is no flag of a compiler that is known here */
    HTMT__FLAG_WORD,   /* one that is kept */
    HTMT__FLAG_JOINED, /* kept, with its value, in one word */
    HTMT__FLAG_PAIR,   /* kept, its value in a word of its own */
    HTMT__FLAG_LEFT,   /* passed over */
    HTMT__FLAG_LEFT_PAIR
};
/* *value: what stands in the word behind the flag; NULL: nothing, its value is in the next word. */
enum htmt__source_flag htmt__source_flag(const char *word, const char **flag, const char **value);

#endif
