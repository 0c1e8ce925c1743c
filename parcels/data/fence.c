/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fences are hashes of bytes, taken before a kernel and after it. A byte that the kernel may write,
 * as a part of something that it sees, does not count.
 */
#include "parcels/data/fence.h"
#include "runtime/base/fnv.h"

#include <stdio.h>

enum side { BEFORE, INSIDE, BEHIND, SIDES };

struct htmt__fence htmt__fence_around(const void *home, uint64_t room, const void *at,
                                      uint64_t size)
{
    const char *first = home, *here = at;
    uint64_t before = (uint64_t)(here - first), behind = room - before - size;
    return (struct htmt__fence){
        .at = here,
        .end = here + size,
        .low = here - (before < HTMT__FENCE ? before : HTMT__FENCE),
        .high = here + size + (behind < HTMT__FENCE ? behind : HTMT__FENCE),
        .writable = true,
        .home = home,
    };
}

/* The end of what it sees there, or may write there; p itself: nothing. */
static const char *beyond(const struct htmt__fence *fence, uint32_t count, const char *p, bool seen)
{
    for (uint32_t i = 0; i < count; i++)
        if ((seen || fence[i].writable) && p >= fence[i].at && p < fence[i].end)
            return fence[i].end;
    return p;
}

static uint64_t hash(const struct htmt__fence *fence, uint32_t count, const char *p,
                     const char *end, bool seen)
{
    uint64_t h = HTMT__HASH_BASIS;
    while (p < end) {
        const char *next = beyond(fence, count, p, seen);
        if (next == p)
            htmt__hash_bytes(&h, next++, 1);
        p = next;
    }
    return h;
}

/* Of those that the host protects, no write comes this far. */
static bool matters(const struct htmt__fence *fence, uint32_t count, const struct htmt__fence *f)
{
    bool open = !f->shut;
    for (uint32_t i = 0; i < count; i++)
        open |= fence[i].writable && fence[i].home == f->home;
    return open;
}

/* Around them count bytes that it does not see; what it sees but may not write has its own hash. */
static uint64_t side(const struct htmt__fence *fence, uint32_t count, const struct htmt__fence *f,
                     enum side side)
{
    const char *const edge[SIDES + 1] = {f->low, f->at, f->end, f->high};
    if (!matters(fence, count, f))
        return 0;
    return hash(fence, count, edge[side], edge[side + 1], side != INSIDE);
}

/* What lies behind the next one is that one's. */
static void end_at_neighbours(const struct htmt__fence *fence, uint32_t count,
                              struct htmt__fence *f)
{
    for (const struct htmt__fence *g = fence; g < fence + count; g++) {
        if (g->end <= f->at && g->end > f->low)
            f->low = g->end;
        if (g->at >= f->end && g->at < f->high)
            f->high = g->at;
    }
}

void htmt__fences_close(struct htmt__fence *fence, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        end_at_neighbours(fence, count, &fence[i]);
    for (uint32_t i = 0; i < count; i++)
        for (enum side s = BEFORE; s < SIDES; s++)
            fence[i].hash[s] = side(fence, count, &fence[i], s);
}

static const struct {
    const char *name, *promise, *size;
} kinds[] = {
    [HTMT__REGION] = {"region %u", "is read_only", "(see htmt_size())"},
    [HTMT__USED] = {"use %u", "was given to be read (HTMT_READ)", "(see htmt_used_size())"},
    [HTMT__ARGUMENTS] = {"its arguments", "only a control may change", "(args_bytes of the type)"},
    [HTMT__RESULT] = {"its result", "", "(result_bytes of the type)"},
};

static void tell(const struct htmt__fence *f, enum side s, char *text, size_t room)
{
    char name[32];
    snprintf(name, sizeof name, kinds[f->kind].name, f->number);
    if (s == INSIDE)
        snprintf(text, room, "the kernel wrote %s, which %s", name, kinds[f->kind].promise);
    else
        snprintf(text, room, "the kernel wrote %s %s, which has %llu bytes %s",
                 s == BEHIND ? "behind" : "in front of", name, (unsigned long long)(f->end - f->at),
                 kinds[f->kind].size);
}

bool htmt__fences_kept(const struct htmt__fence *fence, uint32_t count, char *text, size_t room)
{
    for (uint32_t i = 0; i < count; i++)
        for (enum side s = BEFORE; s < SIDES; s++)
            if (side(fence, count, &fence[i], s) != fence[i].hash[s]) {
                tell(&fence[i], s, text, room);
                return false;
            }
    return true;
}
