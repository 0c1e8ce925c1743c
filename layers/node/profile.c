/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/node/profile_parts.h"

#include "layers/node/tape/tape_tables.h"

#include <stdlib.h>

static void free_block(struct htmt__profile_block *b)
{
    for (uint32_t i = 0; i < b->accesses; i++)
        htmt__pattern_fini(&b->access[i].strides);
    free(b->access);
    htmt__pattern_fini(&b->next);
    htmt__pattern_fini(&b->taken);
}

void htmt__profile_free(struct htmt__profile *profile)
{
    if (!profile)
        return;
    for (uint32_t i = 0; i < profile->blocks; i++)
        free_block(&profile->block[i]);
    free(profile->block);
    free(profile->region);
    free(profile->program);
    free(profile->file);
    free(profile);
}

static bool pattern_varies(const struct htmt__pattern *p)
{
    return p->mixed || htmt__pattern_count(p, HTMT__PATTERN_FAR);
}

bool htmt__profile_varies(const struct htmt__profile *profile)
{
    bool varies = false;
    for (uint32_t i = 0; i < profile->blocks && !varies; i++) {
        const struct htmt__profile_block *b = &profile->block[i];
        varies = pattern_varies(&b->next) || pattern_varies(&b->taken);
        for (uint32_t k = 0; k < b->accesses; k++)
            varies = varies || pattern_varies(&b->access[k].strides);
    }
    return varies;
}

int htmt__profile_copy_program(struct htmt__profile *profile,
                               const struct htmt__tape_program *program)
{
    const struct htmt__tape_counts n = htmt__tape_count(program);
    uint32_t *words = calloc(htmt__tape_words(&n) + 1, sizeof *words);
    char *text = calloc(n.text + 1, 1);
    if (words && text) {
        htmt__tape_pack(program, words, text);
        profile->program = htmt__tape_unpack(&n, words, text);
    }
    free(words);
    free(text);
    return profile->program ? 0 : HTMT_ENOMEM;
}

unsigned htmt__profile_class(uint64_t distance)
{
    if (distance == HTMT__DISTANCE_COLD)
        return 0;
    const unsigned class = distance ? 65 - (unsigned)__builtin_clzll(distance) : 1;
    return class < HTMT__PROFILE_CLASSES ? class : HTMT__PROFILE_CLASSES - 1;
}
