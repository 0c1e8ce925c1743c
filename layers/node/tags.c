/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A set's tags stand in the order of their use, so that lru is a move to the front and the last one
 * is the one to go; with fifo only a line that comes in moves. The lines that a loop uses are then
 * among the first tags of their sets, which parts.h looks at in line. With random replacement tags
 * stay where they are, and the way is drawn by a generator of its own (xorshift64*), whose numbers
 * are part of what a machine with a seed predicts.
 *
 * Caches beyond the first are asked by addresses of memory, where the system has put pages as they
 * came. So lines keep their place in a page, and pages have theirs by lot. By hand, 2048 sets of 16
 * and pages of 64 lines: 32 places for pages, 512 pages fill all of them evenly, 16 each, but by
 * lot some have 20 and others 12, so of a set of 2 MiB that is read again and again nearly half
 * misses.
 */
#include "layers/node/parts.h"

#include "runtime/base/error.h"

#include <stdlib.h>
#include <string.h>

#define LINE_OF (~(HTMT__TAG_DIRTY | HTMT__TAG_PENDING))

int htmt__tags_open(struct htmt__node_tags *tags, const struct htmt__node_cache *figures)
{
    bool cache = figures->kind == HTMT__NODE_CACHE;
    *tags = (struct htmt__node_tags){
        .sets = cache ? figures->size / (figures->line * figures->ways) : 1,
        .ways = cache ? figures->ways : 1,
        .spread = cache && figures->fewest ? figures->ways - figures->fewest + 1 : 0,
        .shift = cache ? (uint32_t)__builtin_ctzll(figures->line) : 6,
        .replace = figures->replace,
        .near = cache && figures->replace == HTMT__NODE_LRU ? figures->ways : 1,
        .seed = figures->seed * 2 + 1};
    tags->set_mask = tags->sets - 1;
    tags->line_mask = (UINT64_C(1) << tags->shift) - 1;
    tags->tag = malloc(tags->sets * tags->ways * sizeof *tags->tag);
    tags->used_most = (uint32_t)(tags->sets / 4);
    tags->used = malloc((tags->used_most + 1) * sizeof *tags->used);
    tags->used_count = tags->used_most; /* not known */
    if (!tags->tag || !tags->used)
        return HTMT_ENOMEM;
    htmt__tags_clear(tags);
    return 0;
}

void htmt__tags_close(struct htmt__node_tags *tags)
{
    free(tags->tag);
    free(tags->used);
    tags->tag = NULL;
    tags->used = NULL;
}

/* Of a large cache most sets are empty after a short service. */
void htmt__tags_clear(struct htmt__node_tags *tags)
{
    const size_t set = tags->ways * sizeof *tags->tag;
    if (tags->used_count == tags->used_most)
        memset(tags->tag, 0xff, tags->sets * set);
    else
        for (uint32_t i = 0; i < tags->used_count; i++)
            memset(tags->tag + (size_t)tags->used[i] * tags->ways, 0xff, set);
    tags->used_count = 0;
    tags->random = tags->seed;
}

void htmt__tags_set_index(struct htmt__node_tags *tags, enum htmt__tags_index index, uint64_t page)
{
    tags->index = index;
    tags->bits = index == HTMT__TAGS_HASHED ? (uint32_t)__builtin_ctzll(tags->sets)
                                            : (uint32_t)__builtin_ctzll(page) - tags->shift;
}

static inline uint64_t lot_of(uint64_t page)
{
    const uint64_t drawn = page * UINT64_C(0x9e3779b97f4a7c15);
    return (drawn ^ drawn >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 32;
}

static inline uint64_t number_of(const struct htmt__node_tags *tags, uint64_t line)
{
    if (tags->index == HTMT__TAGS_HASHED)
        line ^= line >> tags->bits;
    else if (tags->index == HTMT__TAGS_PAGED)
        line ^= lot_of(line >> tags->bits) << tags->bits;
    return line & tags->set_mask;
}

static inline uint64_t *set_of(const struct htmt__node_tags *tags, uint64_t line)
{
    return tags->tag + number_of(tags, line) * tags->ways;
}

/* A line comes into this set, whose first tag is that. */
static inline void use_set(struct htmt__node_tags *tags, uint64_t line, uint64_t first)
{
    if (first == HTMT__TAG_NONE && tags->used_count < tags->used_most)
        tags->used[tags->used_count++] = (uint32_t)number_of(tags, line);
}

/* Others that use the cache leave some sets more ways than others: which ones is drawn by the
 * set's number. */
static inline uint32_t ways_of(const struct htmt__node_tags *tags, uint64_t line)
{
    if (!tags->spread)
        return tags->ways;
    const uint64_t lot = number_of(tags, line) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    return tags->ways - (uint32_t)(lot * tags->spread >> 32);
}

static uint32_t place_of(const struct htmt__node_tags *tags, const uint64_t *set, uint64_t line)
{
    const uint32_t ways = ways_of(tags, line);
#pragma GCC unroll 4
    for (uint32_t way = 0; way < ways; way++)
        if ((set[way] & LINE_OF) == line << 1)
            return way;
    return tags->ways;
}

/* No line has the tag HTMT__TAG_NONE: an address has 52 bits. The tag comes to the front, those
 * before it move back. */
static void to_front(uint64_t *set, uint32_t way, uint64_t tag)
{
    for (; way > 0; way--)
        set[way] = set[way - 1];
    set[0] = tag;
}

uint64_t *htmt__tags_find(struct htmt__node_tags *tags, uint64_t line)
{
    uint64_t *set = set_of(tags, line);
    uint32_t way = place_of(tags, set, line);
    if (way == tags->ways)
        return NULL;
    if (tags->replace != HTMT__NODE_LRU)
        return set + way;
    to_front(set, way, set[way]);
    return set;
}

bool htmt__tags_have(const struct htmt__node_tags *tags, uint64_t line)
{
    return place_of(tags, set_of(tags, line), line) < tags->ways;
}

bool htmt__tags_had(const struct htmt__node_tags *tags, uint64_t line)
{
    const uint64_t *set = set_of(tags, line);
    uint32_t way = place_of(tags, set, line);
    return way < tags->ways && !(set[way] & HTMT__TAG_PENDING);
}

/* An empty way, else one by lot. */
static uint64_t put_random(struct htmt__node_tags *tags, uint64_t *set, uint64_t tag)
{
    uint32_t way = 0;
    while (way < tags->ways && set[way] != HTMT__TAG_NONE)
        way++;
    if (way == tags->ways) {
        uint64_t x = tags->random;
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        tags->random = x;
        const uint64_t drawn = (x * UINT64_C(0x2545f4914f6cdd1d)) >> 32;
        way = (uint32_t)(drawn * tags->ways >> 32);
    }
    uint64_t old = set[way];
    set[way] = tag;
    return old;
}

uint64_t htmt__tags_put(struct htmt__node_tags *tags, uint64_t line, uint64_t bits)
{
    uint64_t *set = set_of(tags, line);
    const uint32_t ways = ways_of(tags, line);
    uint64_t old = set[ways - 1];
    use_set(tags, line, *set);
    if (tags->replace == HTMT__NODE_RANDOM)
        return put_random(tags, set, line << 1 | bits);
    to_front(set, ways - 1, line << 1 | bits);
    return old;
}

/* With lru in one pass: each tag before the line's moves back, and where the line is not among
 * them the last one goes. */
uint64_t *htmt__tags_use(struct htmt__node_tags *tags, uint64_t line, uint64_t bits, uint64_t *old)
{
    if (tags->replace != HTMT__NODE_LRU) {
        uint64_t *tag = htmt__tags_find(tags, line);
        if (!tag)
            *old = htmt__tags_put(tags, line, bits);
        return tag;
    }
    uint64_t *set = set_of(tags, line), *end = set + ways_of(tags, line), last = *set;
    const uint64_t first = last;
    if ((last & LINE_OF) == line << 1)
        return set;
    for (uint64_t *way = set + 1; way < end; way++) {
        uint64_t tag = *way;
        *way = last;
        if ((tag & LINE_OF) == line << 1) {
            *set = tag;
            return set;
        }
        last = tag;
    }
    use_set(tags, line, first);
    *set = line << 1 | bits;
    *old = last;
    return NULL;
}
