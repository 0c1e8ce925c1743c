/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Profiles in memory, and written as files (docs/profiles.md says what a file holds).
 */
#include "layers/node/profile.h"

#include "layers/node/distance.h"
#include "layers/node/profile_code.h"

#include <inttypes.h>
#include <stdlib.h>

void htmt__profile_free(struct htmt__profile *profile)
{
    if (!profile)
        return;
    for (uint32_t b = 0; b < profile->blocks; b++) {
        struct htmt__profile_block *block = &profile->block[b];
        for (uint32_t i = 0; i < block->accesses; i++)
            htmt__pattern_fini(&block->access[i].strides);
        free(block->access);
        htmt__pattern_fini(&block->next);
        htmt__pattern_fini(&block->taken);
    }
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

unsigned htmt__profile_class(uint64_t distance)
{
    if (distance == HTMT__DISTANCE_COLD)
        return 0;
    const unsigned class = distance ? 65 - (unsigned)__builtin_clzll(distance) : 1;
    return class < HTMT__PROFILE_CLASSES ? class : HTMT__PROFILE_CLASSES - 1;
}

/* ---- as a file ------------------------------------------------------------------------------- */

static void write_pattern(const char *before, const struct htmt__pattern *p, FILE *out)
{
    if (!p->top.n)
        return;
    fprintf(out, "%s\"", before);
    htmt__pattern_write(p, out);
    fputc('"', out);
}

static void write_block(const struct htmt__profile *p, uint32_t number, FILE *out)
{
    const struct htmt__profile_block *b = &p->block[number];
    bool first = true;
    fprintf(out, "  - runs: %" PRIu64 " # block %" PRIu32 "\n", htmt__pattern_length(&b->next),
            number);
    if (!b->annotated)
        fprintf(out, "    number: %" PRIu32 "\n", b->number);
    if (b->annotated && b->code != HTMT__TAPE_ADDRESS)
        fprintf(out, "    at: %" PRIu64 "\n", b->code);
    if (b->annotated && b->instructions)
        fprintf(out, "    instructions: %u\n", b->instructions);
    if (b->annotated && b->fetches)
        fprintf(out, "    fetch: %u\n", b->fetches);
    fputs(b->annotated ? "    operations: \"" : "", out);
    for (unsigned o = 0; b->annotated && o < HTMT_OPERATIONS; o++)
        for (unsigned t = 0; t < HTMT_OPERAND_TYPES; t++)
            if (b->count[o][t]) {
                htmt__operation_write(out, first, o, t, b->count[o][t]);
                first = false;
            }
    fputs(b->annotated ? "\"\n" : "", out);
    if (b->annotated && b->branch != HTMT__TAPE_ADDRESS)
        fprintf(out, "    branch: %" PRIu64 "\n", b->branch);
    write_pattern("    next: ", &b->next, out);
    write_pattern("\n    taken: ", &b->taken, out);
    fputs(b->accesses ? "\n    accesses:\n" : "\n", out);
    for (uint32_t i = 0; i < b->accesses; i++) {
        const struct htmt__profile_access *a = &b->access[i];
        fprintf(out, "      - {%s: %u, region: \"%s\"", a->store ? "store" : "load", a->width,
                p->region[a->region].name);
        if (a->beside >= 0)
            fprintf(out, ", beside: %d", a->beside);
        else
            fprintf(out, ", from: %" PRIu64 ", low: %" PRIu64 ", bytes: %" PRIu64, a->from, a->low,
                    a->bytes);
        write_pattern(", strides: ", &a->strides, out);
        fputs("}\n", out);
    }
}

void htmt__profile_write(const struct htmt__profile *p, FILE *out)
{
    fprintf(out, "htmt-profile: 1\nkernel: \"%s\"\nservices: %" PRIu64 "\n", p->kernel,
            p->services);
    if (p->counts)
        fprintf(out, "counts: %" PRIu64 "\n", p->counts);
    fprintf(out, "first: %" PRIu32 "\n", p->first);
    fputs(p->regions ? "# distances: first touches, then 0, 1, 2 to 3, 4 to 7 ... other lines of "
                       "64 bytes between\nregions:\n"
                     : "",
          out);
    for (uint32_t i = 0; i < p->regions; i++) {
        const struct htmt__profile_region *r = &p->region[i];
        int last = HTMT__PROFILE_CLASSES - 1;
        if (!r->sets) /* nothing touched it */
            continue;
        while (last > 0 && !r->distances[last])
            last--;
        fprintf(out,
                "  - {name: \"%s\", at: %" PRIu64 ", bytes: %" PRIu64 ", sets: %" PRIu32
                ", distances: [",
                r->name, r->at, r->bytes, r->sets);
        for (int c = 0; c <= last; c++)
            fprintf(out, "%s%" PRIu64, c ? ", " : "", r->distances[c]);
        fputs("]}\n", out);
    }
    htmt__profile_code_write(p, out);
    fputs("blocks:\n", out);
    for (uint32_t i = 0; i < p->blocks; i++)
        write_block(p, i, out);
}
