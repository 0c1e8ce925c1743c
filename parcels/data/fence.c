/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fences are hashes of bytes, taken before a kernel and after it: of 256 bytes in front of each
 * thing that it sees, of 256 behind it, and of the thing itself. A byte that the kernel may write,
 * as a part of something that it sees, does not count.
 *
 * Neighbours share what lies between them: it is the fence behind the first and in front of the
 * second, so each fence ends where the next thing begins. Where a thing has its storage for itself,
 * the bytes around it are set to 0xa5 before, for a kernel that writes too far mostly writes zeros;
 * elsewhere they are what they are, and a byte that is written as it was is not found.
 *
 * Cost: each byte around is hashed twice a kernel, so fences are there in checked runs alone.
 */
#include "parcels/data/fence.h"
#include "runtime/base/fnv.h"

#include <stdio.h>
#include <string.h>

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

/* Around them count bytes that it does not see; what it sees but may not write has its own hash. No
 * write comes so far in a storage that the host protects, unless the kernel may write in it. */
static uint64_t side(const struct htmt__fence *fence, uint32_t count, const struct htmt__fence *f,
                     enum side side)
{
    const char *const edge[SIDES + 1] = {f->low, f->at, f->end, f->high};
    bool open = !f->shut;
    for (uint32_t i = 0; i < count; i++)
        open |= fence[i].writable && fence[i].home == f->home;
    return open ? hash(fence, count, edge[side], edge[side + 1], side != INSIDE) : 0;
}

/* Between two neighbours there is room for both fences. */
void htmt__fences_fill(const struct htmt__fence *fence, uint32_t count)
{
    for (const struct htmt__fence *f = fence; f < fence + count; f++)
        if (f->own) {
            memset((char *)(uintptr_t)f->low, HTMT__FENCE_BYTE, (size_t)(f->at - f->low));
            memset((char *)(uintptr_t)f->end, HTMT__FENCE_BYTE, (size_t)(f->high - f->end));
        }
}

/* What lies behind the next one is that one's. */
void htmt__fences_close(struct htmt__fence *fence, uint32_t count)
{
    for (struct htmt__fence *f = fence; f < fence + count; f++)
        for (const struct htmt__fence *g = fence; g < fence + count; g++) {
            if (g->end <= f->at && g->end > f->low)
                f->low = g->end;
            if (g->at >= f->end && g->at < f->high)
                f->high = g->at;
        }
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
