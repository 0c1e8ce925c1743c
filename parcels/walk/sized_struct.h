/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: public structs that begin with their size. The caller's header may be older
 * than this library: what its struct lacks counts as zero. It may not be newer.
 */
#ifndef HTMT_PARCELS_WALK_SIZED_STRUCT_H
#define HTMT_PARCELS_WALK_SIZED_STRUCT_H

#include "parcels/clock/engine.h"

#include <stddef.h>

/* A struct as this library knows it. `first`: bytes of the layout that a size of 0 stands for;
 * `least`: up to the last member that no caller can do without. */
struct htmt__sized {
    const char *name;
    size_t known, first, least;
};

/* What the caller says of its struct; 0: not a size of any version, with the line in *fault. */
size_t htmt__sized_bytes(const struct htmt__sized *s, size_t size, struct htmt_fault *fault);
/* The caller's struct as the library knows it. Returns 0, or HTMT_EINVAL with the line. */
int htmt__sized_copy(const struct htmt__sized *s, const void *given, void *whole,
                     struct htmt_fault *fault);
/* The same for a call that refuses it. */
int htmt__sized_take(struct htmt_emulator *e, const struct htmt__sized *s, const void *given,
                     void *whole, const char *call);
/* It needs no copy. */
static inline bool htmt__sized_whole(const struct htmt__sized *s, size_t size)
{
    if (__builtin_expect(!size, 1))
        return s->first == s->known;
    return size == s->known;
}

#endif
