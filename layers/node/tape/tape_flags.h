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

/* A level of a tape. Below -O3 loops are not made vectors, and have as many turns as in the source.
 */
struct htmt__tape_level {
    bool vectors;
    unsigned flags;
    const char *flag[4];
};

/* Of "O2": what clang is given behind the user's flags; it looks at the last level alone. false:
 * clang has no such level. */
#define HTMT__TAPE_LEVELS "-O0 to -O3, -Ofast, -Og, -Os or -Oz"
static inline bool htmt__tape_level_of(const char *name, struct htmt__tape_level *level)
{
    static const struct htmt__tape_level fast = {true, 2, {"-O3", "-ffast-math"}};
    static const struct {
        const char *name, *flag;
    } all[] = {{"O0", "-O0"}, {"O1", "-O1"}, {"O", "-O1"},  {"O2", "-O2"},
               {"O3", "-O3"}, {"Og", "-Og"}, {"Os", "-Os"}, {"Oz", "-Oz"}};
    *level = fast;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(name, all[i].name) == 0) {
            *level = (struct htmt__tape_level){
                false,
                4,
                {all[i].flag, "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops"}};
            level->vectors = strcmp(name, "O3") == 0;
            level->flags = level->vectors ? 1 : 4;
            return true;
        }
    return strcmp(name, "Ofast") == 0;
}

/* Whether it is no level of optimization, or one that clang has. */
static inline bool htmt__tape_level_known(const char *flag)
{
    struct htmt__tape_level level;
    return strncmp(flag, "-O", 2) != 0 || htmt__tape_level_of(flag + 1, &level);
}

#endif
