/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/loops/nest/reuse_parts.h"

#include "runtime/base/fnv.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

void htmt__nest_links_clear(struct htmt__nest_links *links)
{
    for (unsigned i = 0; i < links->count; i++)
        free(links->at[i].reads);
    free(links->at);
    free(links->slot);
    *links = (struct htmt__nest_links){0};
}

/* Links that differ in `less` alone have one hash. */
static uint64_t hash_of(const struct htmt__nest_link *link)
{
    uint64_t hash = HTMT__HASH_BASIS ^ link->first ^ (uint64_t)link->end << 8;
    hash = (hash ^ (uint32_t)link->place) * HTMT__HASH_PRIME;
    for (unsigned l = link->first; l < HTMT__NEST_DEPTH; l++)
        hash = (hash ^ (uint32_t)link->back[l]) * HTMT__HASH_PRIME;
    return hash ^ hash >> 32;
}

static bool is_alike(const struct htmt__nest_link *a, const struct htmt__nest_link *b)
{
    return a->first == b->first && a->end == b->end && a->place == b->place &&
           !memcmp(a->back, b->back, sizeof a->back);
}

/* The slot of the link, or the free one that it would take. */
static unsigned slot_of(const struct htmt__nest_links *links, const struct htmt__nest_link *link,
                        unsigned *alike)
{
    unsigned slot = (unsigned)(hash_of(link) % links->slots);
    *alike = NONE;
    for (; links->slot[slot]; slot = slot + 1 == links->slots ? 0 : slot + 1) {
        const struct htmt__nest_found *f = &links->at[links->slot[slot] - 1];
        if (!is_alike(&f->link, link))
            continue;
        *alike = f->alike;
        if (f->link.less == link->less)
            break;
    }
    return slot;
}

static int grow(struct htmt__nest_links *links)
{
    unsigned room = links->room ? 2 * links->room : 64, alike;
    struct htmt__nest_found *at = reallocarray(links->at, room, sizeof *at);
    if (!at)
        return HTMT_ENOMEM;
    links->at = at;
    links->room = room;
    free(links->slot);
    links->slots = 2 * room + 1;
    links->slot = calloc(links->slots, sizeof *links->slot);
    for (unsigned i = 0; links->slot && i < links->count; i++)
        links->slot[slot_of(links, &at[i].link, &alike)] = i + 1;
    return links->slot ? 0 : HTMT_ENOMEM;
}

int htmt__nest_links_find(struct htmt__nest_links *links, const struct htmt__nest_link *link,
                          size_t factors, unsigned *index)
{
    int rc = links->count == links->room ? grow(links) : 0;
    if (rc)
        return rc;
    unsigned alike, slot = slot_of(links, link, &alike);
    if (links->slot[slot]) {
        *index = links->slot[slot] - 1;
        return 0;
    }
    htmt_wide *all = calloc((2 + HTMT__NEST_TILTS) * factors, sizeof *all);
    if (!all)
        return HTMT_ENOMEM;
    *index = links->count++;
    links->slot[slot] = links->count;
    struct htmt__nest_found *f = &links->at[*index];
    *f = (struct htmt__nest_found){.link = *link,
                                   .alike = alike == NONE ? *index : alike,
                                   .reads = all,
                                   .writes = all + factors};
    for (unsigned t = 0; t < HTMT__NEST_TILTS; t++)
        f->words[t] = all + (2 + t) * factors;
    return 0;
}
