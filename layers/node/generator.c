/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From a profile back to operations. Block follows block as the patterns `next` say, and each
 * access has the address that its strides say. Where a stride is `far`, the address is drawn so
 * that the stack distances of the region come out again: a class of distances by its frequency, a
 * distance in the class, and then the line that stands that deep in the region's own stack, which
 * the generator keeps as it goes (distance.h). A cold distance, or one deeper than the stack, is a
 * line that was not touched yet. So a cache of any size misses about as often as with the kernel
 * itself, although no address is the same.
 *
 * All draws follow from the seed alone.
 */
#include "layers/node/generator.h"

#include "layers/node/distance.h"

#include <stdlib.h>

#define TRIES 16 /* to find a line that was not touched */

struct access {
    struct htmt__player strides;
    uint64_t last;
    bool met;
};

struct block {
    struct access *access;
    struct htmt__player next, taken;
};

struct htmt__generator {
    const struct htmt__profile *profile;
    struct block *block;
    struct htmt__distance **distance; /* of regions with far accesses, else NULL */
    uint64_t seed;
    uint64_t most; /* blocks of all services */
};

/* ---- addresses ------------------------------------------------------------------------------- */

/* By the distances of the region; somewhere in the line. Where no line stands that deep it is one
 * that was not touched, if there is one in some tries, in a set that the region uses. */
static uint64_t far_address(struct htmt__generator *g, uint32_t region, unsigned width)
{
    const struct htmt__distance *d = g->distance[region];
    const struct htmt__profile_region *r = &g->profile->region[region];
    uint64_t sum = 0, address = r->at;
    unsigned class = 0;
    for (int i = 0; i < HTMT__PROFILE_CLASSES; i++)
        sum += r->distances[i];
    if (sum) {
        uint64_t card = htmt__random_below(htmt__random_next(&g->seed), sum);
        while (card >= r->distances[class])
            card -= r->distances[class ++];
    }
    const uint64_t low = class < 2 ? 0 : UINT64_C(1) << (class - 2);
    const uint64_t depth = low + (low ? htmt__random_below(htmt__random_next(&g->seed), low) : 0);
    const bool stands = class && depth < htmt__distance_lines(d);
    const uint64_t lines = (r->bytes + HTMT__PROFILE_LINE - 1) / HTMT__PROFILE_LINE;
    if (stands)
        address = htmt__distance_at(d, depth);
    for (int i = 0; i < TRIES && !stands; i++) {
        uint64_t line = htmt__random_below(htmt__random_next(&g->seed), lines);
        line = line - line % HTMT__PROFILE_SETS + line % HTMT__PROFILE_SETS % r->sets;
        address = r->at + line * HTMT__PROFILE_LINE;
        if (!htmt__distance_has(d, address))
            break;
    }
    const uint64_t places = width && width < HTMT__PROFILE_LINE ? HTMT__PROFILE_LINE / width : 1;
    return address + htmt__random_below(htmt__random_next(&g->seed), places) * width;
}

/* Access number n of a block, whose addresses up to there are in `at`. Strides that lead beyond the
 * reach of an access begin it again, from the other side. */
static int put_access(struct htmt__generator *g, uint32_t block, uint32_t n, uint64_t *at,
                      struct htmt__tape_writer *out)
{
    const struct htmt__profile_access *p = &g->profile->block[block].access[n];
    struct access *a = &g->block[block].access[n];
    const bool first = !a->met && p->beside < 0;
    const int64_t stride = p->strides.top.n && !first ? htmt__player_next(&a->strides) : 0;
    uint64_t found;
    if (stride == HTMT__PATTERN_FAR)
        at[n] = far_address(g, p->region, p->width);
    else if (first)
        at[n] = g->profile->region[p->region].at + p->from;
    else if (p->beside >= 0)
        at[n] = at[p->beside] + (uint64_t)stride;
    else {
        const uint64_t low = g->profile->region[p->region].at + p->low;
        uint64_t offset = a->last + (uint64_t)stride - low;
        if (offset >= p->bytes)
            offset =
                offset < UINT64_C(1) << 63 ? offset % p->bytes : p->bytes - 1 - ~offset % p->bytes;
        at[n] = low + offset;
    }
    a->met = true;
    a->last = at[n];
    htmt__tape_put(
        out, htmt__tape_entry(p->store ? HTMT__TAPE_STORE : HTMT__TAPE_LOAD, p->width, at[n]));
    if (!g->distance[p->region])
        return 0;
    return htmt__distance_touch(g->distance[p->region], at[n], &found);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* One run of a block: what it counts, its accesses, its branch. */
static int put_block(struct htmt__generator *g, uint32_t number, struct htmt__tape_writer *out)
{
    const struct htmt__profile_block *b = &g->profile->block[number];
    uint64_t at[HTMT__PROFILE_ACCESSES];
    int rc = 0;
    if (!b->annotated)
        htmt__tape_put(out, htmt__tape_entry(HTMT__TAPE_BLOCK, 0, b->number));
    else if (b->fetches)
        htmt__tape_put(out, htmt__tape_entry(HTMT__TAPE_FETCH, b->fetches, b->code));
    else if (b->code != HTMT__TAPE_ADDRESS)
        htmt__tape_put(out, htmt__tape_entry(HTMT__TAPE_CODE, b->instructions, b->code));
    for (unsigned o = 0; b->annotated && o < HTMT_OPERATIONS; o++)
        for (unsigned t = 0; t < HTMT_OPERAND_TYPES; t++)
            if (b->count[o][t])
                htmt__tape_put(out, htmt__tape_entry(HTMT__TAPE_OP, o, t | b->count[o][t] << 8));
    for (uint32_t i = 0; i < b->accesses && !rc; i++)
        rc = put_access(g, number, i, at, out);
    if (b->branch != HTMT__TAPE_ADDRESS) {
        const bool taken = b->taken.top.n && htmt__player_next(&g->block[number].taken) == 1;
        htmt__tape_put(out, htmt__tape_entry(HTMT__TAPE_BRANCH, taken, b->branch));
    }
    return rc ? rc : out->code;
}

int htmt__generator_service(struct htmt__generator *g, struct htmt__tape_writer *out)
{
    int64_t block = g->profile->first;
    int rc = 0;
    for (uint32_t i = 0; i < g->profile->regions; i++)
        if (g->distance[i])
            htmt__distance_start(g->distance[i]);
    for (uint64_t n = 0; n < g->most && block >= 0 && !rc; n++) {
        rc = put_block(g, (uint32_t)block, out);
        block = htmt__player_next(&g->block[block].next);
    }
    return rc;
}

/* ---- life ------------------------------------------------------------------------------------ */

static int prepare_player(struct htmt__generator *g, struct htmt__player *player,
                          const struct htmt__pattern *pattern)
{
    const uint64_t seed = htmt__random_next(&g->seed);
    return pattern->top.n ? htmt__player_init(player, pattern, seed) : 0;
}

/* A region gets the stack of its lines where an access of it is far. Each pattern has a seed of its
 * own, drawn in the order of the profile, so that one more number of a pattern does not move all
 * others. */
int htmt__generator_new(struct htmt__generator **generator, const struct htmt__profile *profile,
                        uint64_t seed)
{
    const struct htmt__profile *p = profile;
    struct htmt__generator *g = calloc(1, sizeof *g);
    int rc = 0;
    if (!g)
        return HTMT_ENOMEM;
    g->profile = profile;
    g->seed = seed;
    g->block = calloc(p->blocks + 1, sizeof *g->block);
    g->distance = calloc(p->regions + 1, sizeof(struct htmt__distance *));
    if (!g->block || !g->distance)
        rc = HTMT_ENOMEM;
    for (uint32_t b = 0; b < p->blocks && !rc; b++)
        for (uint32_t i = 0; i < p->block[b].accesses && !rc; i++) {
            const struct htmt__profile_access *a = &p->block[b].access[i];
            if (!g->distance[a->region] && htmt__pattern_count(&a->strides, HTMT__PATTERN_FAR))
                rc = htmt__distance_new(&g->distance[a->region], HTMT__PROFILE_LINE);
        }
    for (uint32_t i = 0; i < p->blocks && !rc; i++) {
        const struct htmt__profile_block *from = &p->block[i];
        struct block *b = &g->block[i];
        b->access = calloc(from->accesses + 1, sizeof *b->access);
        rc = b->access ? prepare_player(g, &b->next, &from->next) : HTMT_ENOMEM;
        if (!rc)
            rc = prepare_player(g, &b->taken, &from->taken);
        for (uint32_t k = 0; k < from->accesses && !rc; k++)
            rc = prepare_player(g, &b->access[k].strides, &from->access[k].strides);
        if (__builtin_add_overflow(g->most, htmt__pattern_length(&from->next), &g->most))
            g->most = UINT64_MAX;
    }
    if (rc)
        htmt__generator_free(g);
    else
        *generator = g;
    return rc;
}

void htmt__generator_free(struct htmt__generator *g)
{
    if (!g)
        return;
    for (uint32_t b = 0; g->block && b < g->profile->blocks; b++) {
        struct block *block = &g->block[b];
        htmt__player_fini(&block->next);
        htmt__player_fini(&block->taken);
        for (uint32_t i = 0; block->access && i < g->profile->block[b].accesses; i++)
            htmt__player_fini(&block->access[i].strides);
        free(block->access);
    }
    for (uint32_t i = 0; g->distance && i < g->profile->regions; i++)
        htmt__distance_free(g->distance[i]);
    free(g->block);
    free(g->distance);
    free(g);
}
