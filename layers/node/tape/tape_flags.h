/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How clang optimizes code that is recorded, by the name of the tape: what htmt-cc gives it, and
 * what a clock of the same code does.
 */
#ifndef HTMT_LAYERS_NODE_TAPE_TAPE_FLAGS_H
#define HTMT_LAYERS_NODE_TAPE_TAPE_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#ifndef HTMT_CLANG
#define HTMT_CLANG "clang-14"
#endif

/* Words of an array, without NULL. */
#define HTMT__TAPE_FLAGS_O2 "-O2", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops"
#define HTMT__TAPE_FLAGS_O3 "-O3"

/* Whether it is no level of optimization, or one that clang has. Clang looks at the last level
 * alone, and that is ours. */
#define HTMT__TAPE_LEVELS "-O0 to -O3, -Ofast, -Og, -Os or -Oz"
static inline bool htmt__tape_level_known(const char *flag)
{
    static const char *const levels[] = {"-O",  "-O0", "-O1", "-O2",   "-O3",
                                         "-Og", "-Os", "-Oz", "-Ofast"};
    bool known = strncmp(flag, "-O", 2) != 0;
    for (size_t i = 0; i < sizeof levels / sizeof *levels && !known; i++)
        known = strcmp(flag, levels[i]) == 0;
    return known;
}

#endif
