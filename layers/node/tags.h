/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tags of a cache: which lines it holds, and which of them are dirty. No contents.
 */
#ifndef HTMT_LAYERS_NODE_TAGS_H
#define HTMT_LAYERS_NODE_TAGS_H

#include "layers/node/figures.h"

#include <stddef.h>

#define HTMT__TAG_DIRTY   UINT64_C(1)
#define HTMT__TAG_PENDING (UINT64_C(1) << 63) /* fetched ahead, not yet asked for */
#define HTMT__TAG_NONE    UINT64_MAX

/* A tag is line << 1 and the bits above. With lru and fifo the ways of a set stand in the order of
 * replacement, the last one goes first. */
struct htmt__node_tags {
    uint64_t *tag; /* of all sets, one after the other */
    uint64_t sets; /* a power of two */
    uint64_t set_mask, line_mask;
    uint32_t ways, shift;
    uint32_t replace; /* enum htmt__node_replace */
    uint32_t near;    /* ways that htmt__tags_near() looks at */
    uint64_t seed, random;
};

/* Errors: HTMT_ENOMEM. Figures without a cache get one set with one tag that no line has. */
int htmt__tags_open(struct htmt__node_tags *tags, const struct htmt__node_cache *figures);
void htmt__tags_close(struct htmt__node_tags *tags);
/* Empty, and the seed anew. */
void htmt__tags_clear(struct htmt__node_tags *tags);

static inline uint64_t *htmt__tags_set(const struct htmt__node_tags *tags, uint64_t line)
{
    return tags->tag + (line & tags->set_mask) * tags->ways;
}

/* The tag of the line where it is the set's first; NULL: it is not. No order changes. */
static inline uint64_t *htmt__tags_first(const struct htmt__node_tags *tags, uint64_t line)
{
    uint64_t *set = htmt__tags_set(tags, line);
    return (*set & ~HTMT__TAG_DIRTY) == line << 1 ? set : NULL;
}

/* The same among the first three, of which a loop over as many arrays needs one after the other. It
 * becomes the newest. Lines that were fetched ahead are not found. */
static inline uint64_t *htmt__tags_near(const struct htmt__node_tags *tags, uint64_t line)
{
    uint64_t *set = htmt__tags_set(tags, line), first = set[0];
    if ((first & ~HTMT__TAG_DIRTY) == line << 1)
        return set;
    if (tags->near < 3)
        return NULL;
    uint64_t second = set[1], third = set[2];
    if ((second & ~HTMT__TAG_DIRTY) == line << 1) {
        set[0] = second;
        set[1] = first;
        return set;
    }
    if ((third & ~HTMT__TAG_DIRTY) != line << 1)
        return NULL;
    set[0] = third;
    set[1] = first;
    set[2] = second;
    return set;
}

/* The tag of the line, as the newest of its set where order is by use; NULL: a miss. */
uint64_t *htmt__tags_find(struct htmt__node_tags *tags, uint64_t line);
/* htmt__tags_find(), and where that misses htmt__tags_put(): *old is the tag that went. */
uint64_t *htmt__tags_use(struct htmt__node_tags *tags, uint64_t line, uint64_t bits, uint64_t *old);
/* Whether the line is there; nothing changes. */
bool htmt__tags_have(const struct htmt__node_tags *tags, uint64_t line);
/* Whether it is there, and was asked for before. */
bool htmt__tags_had(const struct htmt__node_tags *tags, uint64_t line);
/* The line comes in with these bits; returns the tag that went, or HTMT__TAG_NONE. */
uint64_t htmt__tags_put(struct htmt__node_tags *tags, uint64_t line, uint64_t bits);

#endif
