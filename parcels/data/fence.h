/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the data plane: in a checked run, what a kernel must leave as it is: bytes around what it
 * sees, and what it may only read.
 */
#ifndef HTMT_PARCELS_DATA_FENCE_H
#define HTMT_PARCELS_DATA_FENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTMT__FENCE 256u /* bytes on each side, or fewer where its storage ends */

enum htmt__fenced { HTMT__REGION, HTMT__USED, HTMT__ARGUMENTS, HTMT__RESULT };

/* Around one of the things that a kernel sees. */
struct htmt__fence {
    const char *at, *end;   /* it */
    const char *low, *high; /* it and what lies around it */
    const void *home;       /* the storage */
    enum htmt__fenced kind;
    uint32_t number; /* of a region or use */
    bool writable;
    bool shut; /* the host protects the storage, unless the kernel may write elsewhere in it */
    uint64_t hash[3]; /* in front, inside and behind; before the kernel */
};

/* `size` bytes at `at`, of `room` bytes at `home`; writable and not shut. */
struct htmt__fence htmt__fence_around(const void *home, uint64_t room, const void *at,
                                      uint64_t size);
/* To be called right before the kernel. */
void htmt__fences_close(struct htmt__fence *fence, uint32_t count);
/* Right after it: whether it kept them; if not, `text` says what it wrote. */
bool htmt__fences_kept(const struct htmt__fence *fence, uint32_t count, char *text, size_t room);

#endif
