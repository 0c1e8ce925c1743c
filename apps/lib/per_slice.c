/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a slice left behind lies in the process that played it; rank 0 reports. All ranks call for
 * it together. In a first exchange the owner tells everybody its size, and so who it is; then it
 * hands pieces of 16 MiB to rank 0, the others give nothing. Every rank knows from the size how
 * many exchanges follow, so none is left waiting, also where rank 0 has no memory for the whole.
 */
#include "apps/lib/per_slice.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that ranks hand over at once. */
#define PIECE ((size_t)16 << 20)

void *htmt_per_slice_create(uint32_t slices, size_t bytes)
{
    void *at = aligned_alloc(HTMT_PER_SLICE_BYTES, slices * bytes);
    if (at)
        memset(at, 0, slices * bytes);
    return at;
}

/* ---- what a slice left behind ---------------------------------------------------------------- */

struct fetch {
    const struct htmt_ranks *ranks;
    struct htmt_bytes *to, *from; /* of each rank */
    uint32_t owner;               /* the rank that plays the slice */
    uint64_t size;
};

static int exchange(const struct fetch *f)
{
    return f->ranks->exchange(f->ranks->self, f->to, f->from) ? HTMT_ESYSTEM : 0;
}

/* The rank that plays the slice tells all ranks how much it has. */
static int announce(struct fetch *f, bool own, const uint64_t *size)
{
    for (uint32_t i = 0; i < f->ranks->count && own; i++)
        f->to[i] = (struct htmt_bytes){size, sizeof *size};
    int rc = exchange(f);
    f->owner = f->ranks->count;
    for (uint32_t i = 0; i < f->ranks->count && !rc; i++)
        if (f->from[i].size == sizeof f->size) {
            f->owner = i;
            memcpy(&f->size, f->from[i].at, sizeof f->size);
        }
    return rc || f->owner == f->ranks->count ? HTMT_ESYSTEM : 0;
}

/* Rank 0 puts the pieces together in `whole`; without memory it takes part, and leaves them. */
static int hand_over(struct fetch *f, const char *own, char *whole)
{
    int rc = 0;
    memset(f->to, 0, f->ranks->count * sizeof *f->to);
    for (uint64_t at = 0; at < f->size && !rc; at += PIECE) {
        size_t piece = f->size - at < PIECE ? (size_t)(f->size - at) : PIECE;
        if (f->ranks->rank == f->owner)
            f->to[0] = (struct htmt_bytes){own + at, piece};
        rc = exchange(f);
        if (!rc && whole && f->from[f->owner].size != piece)
            rc = HTMT_ESYSTEM;
        if (!rc && whole)
            memcpy(whole + at, f->from[f->owner].at, piece);
    }
    return rc;
}

/* Rank 0 ends up with the bytes, all others without. */
static int bring(struct fetch *f, bool own, void **at, size_t *size)
{
    const uint64_t given = *size;
    int rc = announce(f, own, &given);
    if (rc || (f->owner == 0 && own))
        return rc;
    char *whole = f->ranks->rank == 0 ? malloc(f->size + 1) : NULL;
    if (f->owner != 0)
        rc = hand_over(f, *at, whole);
    free(*at);
    *at = whole;
    *size = whole ? f->size : 0;
    return !rc && f->ranks->rank == 0 && !whole ? HTMT_ENOMEM : rc;
}

int htmt_per_slice_fetch(struct htmt_emulator *e, uint32_t slice, void **at, size_t *size)
{
    struct fetch f = {.ranks = htmt_emulator_options(e)->ranks};
    struct htmt_clock_report clock;
    htmt_clock_report(e, &clock);
    if (clock.ranks < 2)
        return 0;
    f.to = calloc(f.ranks->count, sizeof *f.to);
    f.from = calloc(f.ranks->count, sizeof *f.from);
    int rc = f.to && f.from ? bring(&f, htmt_slice_here(e, slice), at, size) : HTMT_ENOMEM;
    free(f.to);
    free(f.from);
    return rc;
}
