/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What joins the processes of one run. Who starts the run makes it, not the emulator, which calls
 * exchange() and nothing else:
 *
 *     struct htmt_ranks ranks = htmt_ranks_init();
 *     ranks.rank = 0, ranks.count = 2, ranks.self = &wires, ranks.exchange = exchange;
 *     options.ranks = &ranks;
 *
 * One run after another may use it, one at a time. The command makes it of MPI under a launcher
 * (docs/hosts.md).
 */
#ifndef HTMT_PARCELS_RANKS_H
#define HTMT_PARCELS_RANKS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

struct htmt_bytes {
    const void *at; /* of no bytes: anything, also NULL */
    size_t size;
};

struct htmt_ranks {
    size_t size;          /* htmt_ranks_init(), or 0 */
    uint32_t rank, count; /* this process, from 0; how many there are */
    void *self;           /* the first argument of exchange() */
    /* All ranks call it, as often, each from one thread at a time. It hands to[i] to rank i, and
     * sets from[i] to what rank i handed to this one, to[rank] included; both have `count`
     * elements. What is handed over may be changed once the call is over; what came is valid until
     * the next call. A run calls it once a window of its clock, so a few microseconds matter.
     * Errors: HTMT_ESYSTEM; then it is not called again. A rank that fails alone calls it no more,
     * so whoever makes the ranks ends the exchanges of the others then. All ranks must have the
     * same machine and options. */
    int (*exchange)(void *self, const struct htmt_bytes *to, struct htmt_bytes *from);
};

/* Zeros and the size. */
static inline struct htmt_ranks htmt_ranks_init(void)
{
    struct htmt_ranks d;
    memset(&d, 0, sizeof d);
    d.size = sizeof d;
    return d;
}

#ifdef __cplusplus
}
#endif

#endif
