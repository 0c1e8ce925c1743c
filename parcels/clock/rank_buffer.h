/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: bytes that go to another process, and those that came. All processes of a run
 * are the same program on the same kind of processor, so structures go as they are, without their
 * pointers.
 */
#ifndef HTMT_PARCELS_CLOCK_RANK_BUFFER_H
#define HTMT_PARCELS_CLOCK_RANK_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

struct htmt__buffer {
    char *at;
    size_t size, room;
    bool lacking; /* no host memory for some of them */
};

struct htmt__cursor {
    const char *at, *end;
    bool broken; /* more was asked for than is there */
};

void htmt__buffer_add(struct htmt__buffer *b, const void *bytes, size_t size);
/* 0 where there is no more. */
void htmt__cursor_take(struct htmt__cursor *c, void *bytes, size_t size);
void htmt__buffer_fini(struct htmt__buffer *b);

#endif
