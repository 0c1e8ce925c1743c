/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/clock/rank_buffer.h"
#include "runtime/base/pages.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST ((size_t)4096)

static bool has_room(struct htmt__buffer *b, size_t size)
{
    size_t room = b->room ? b->room : ROOM_LEAST;
    while (room - b->size < size)
        room *= 2;
    if (room == b->room)
        return true;
    char *more = htmt__fault_injected() ? NULL : realloc(b->at, room);
    if (!more)
        return false;
    b->at = more;
    b->room = room;
    return true;
}

void htmt__buffer_add(struct htmt__buffer *b, const void *bytes, size_t size)
{
    b->lacking |= size && !has_room(b, size);
    if (b->lacking || !size)
        return;
    memcpy(b->at + b->size, bytes, size);
    b->size += size;
}

void htmt__cursor_take(struct htmt__cursor *c, void *bytes, size_t size)
{
    c->broken |= (size_t)(c->end - c->at) < size;
    if (c->broken) {
        memset(bytes, 0, size);
        return;
    }
    memcpy(bytes, c->at, size);
    c->at += size;
}

void htmt__buffer_fini(struct htmt__buffer *b)
{
    free(b->at);
}
