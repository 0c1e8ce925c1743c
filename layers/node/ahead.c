/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/node/ahead.h"

void htmt__ahead_start(struct htmt__node_ahead *a, uint32_t streams, uint32_t lines)
{
    a->streams = streams;
    a->lines = lines;
    a->uses = 0;
    for (uint32_t i = 0; i < streams; i++)
        a->stream[i] = (struct htmt__node_stream){.next = UINT64_MAX, .end = UINT64_MAX};
}

struct htmt__node_stream *htmt__ahead_find(struct htmt__node_ahead *a, uint64_t line)
{
    for (uint32_t i = 0; i < a->streams; i++)
        if (a->stream[i].next == line) {
            a->stream[i].used = ++a->uses;
            return &a->stream[i];
        }
    return NULL;
}

struct htmt__node_stream *htmt__ahead_begin(struct htmt__node_ahead *a, uint64_t line)
{
    struct htmt__node_stream *oldest = &a->stream[0];
    for (uint32_t i = 1; i < a->streams; i++)
        if (a->stream[i].used < oldest->used)
            oldest = &a->stream[i];
    *oldest = (struct htmt__node_stream){.next = line + 1, .end = line + 1, .used = ++a->uses};
    return oldest;
}

htmt_time htmt__ahead_ready(const struct htmt__node_ahead *a, uint64_t line)
{
    htmt_time ready = 0;
    for (uint32_t i = 0; i < a->streams; i++) {
        const struct htmt__node_stream *s = &a->stream[i];
        if (s->end != UINT64_MAX && line < s->end && line + HTMT__AHEAD_LINES >= s->end &&
            s->ready[line % HTMT__AHEAD_LINES] > ready)
            ready = s->ready[line % HTMT__AHEAD_LINES];
    }
    return ready;
}
