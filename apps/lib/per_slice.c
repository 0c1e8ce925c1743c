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

/* Everybody's part of an exchange: to[i] goes to rank i, from[i] is what came from it. */
struct exchange {
    const struct htmt_ranks *ranks;
    struct htmt_bytes *to, *from;
};

static int exchange(const struct exchange *x)
{
    return x->ranks->exchange(x->ranks->self, x->to, x->from) ? HTMT_ESYSTEM : 0;
}

/* `own`: this rank played the slice, and *at and *size are what it left. Afterwards rank 0 has it,
 * and all others have nothing. */
static int bring(const struct exchange *x, bool own, void **at, size_t *size)
{
    const uint32_t count = x->ranks->count;
    const uint64_t given = *size;
    uint64_t all = 0;
    uint32_t owner = count;
    for (uint32_t i = 0; i < count && own; i++)
        x->to[i] = (struct htmt_bytes){&given, sizeof given};
    int rc = exchange(x);
    for (uint32_t i = 0; i < count && !rc; i++)
        if (x->from[i].size == sizeof all) {
            owner = i;
            memcpy(&all, x->from[i].at, sizeof all);
        }
    if (rc || owner == count)
        return HTMT_ESYSTEM;
    if (owner == 0 && own)
        return 0;

    char *whole = x->ranks->rank == 0 ? malloc(all + 1) : NULL;
    memset(x->to, 0, count * sizeof *x->to);
    for (uint64_t done = 0; owner != 0 && done < all && !rc; done += PIECE) {
        const size_t piece = all - done < PIECE ? (size_t)(all - done) : PIECE;
        if (x->ranks->rank == owner)
            x->to[0] = (struct htmt_bytes){(const char *)*at + done, piece};
        rc = exchange(x);
        if (!rc && whole && x->from[owner].size != piece)
            rc = HTMT_ESYSTEM;
        if (!rc && whole)
            memcpy(whole + done, x->from[owner].at, piece);
    }
    free(*at);
    *at = whole;
    *size = whole ? all : 0;
    return !rc && x->ranks->rank == 0 && !whole ? HTMT_ENOMEM : rc;
}

int htmt_per_slice_fetch(struct htmt_emulator *e, uint32_t slice, void **at, size_t *size)
{
    struct exchange x = {.ranks = htmt_emulator_options(e)->ranks};
    struct htmt_clock_report clock;
    htmt_clock_report(e, &clock);
    if (clock.ranks < 2)
        return 0;
    x.to = calloc(x.ranks->count, sizeof *x.to);
    x.from = calloc(x.ranks->count, sizeof *x.from);
    int rc = x.to && x.from ? bring(&x, htmt_slice_here(e, slice), at, size) : HTMT_ENOMEM;
    free(x.to);
    free(x.from);
    return rc;
}
