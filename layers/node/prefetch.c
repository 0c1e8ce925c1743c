/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/node/prefetch.h"

#include <stddef.h>

#define NO_LINE UINT64_MAX

void htmt__ahead_start(struct htmt__node_ahead *a, uint32_t streams, uint32_t lines)
{
    a->streams = streams;
    a->lines = lines;
    a->uses = 0;
    for (uint32_t i = 0; i < streams; i++)
        a->stream[i] = (struct htmt__node_stream){.next = NO_LINE};
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
    *oldest = (struct htmt__node_stream){.next = line + 1, .used = ++a->uses, .both = true};
    return oldest;
}

static uint64_t last_of(const struct htmt__node_stream *s)
{
    return s->down ? s->next + 1 : s->next - 1;
}

/* 1: the line is the next one, -1: it turns out to be the next one downward, 0: it is the last one;
 * else it is none of the stream's. */
static int place_in(const struct htmt__node_stream *s, uint64_t line)
{
    if (s->next == NO_LINE)
        return 2;
    return line == s->next                     ? 1
           : line == last_of(s)                ? 0
           : s->both && line + 1 == last_of(s) ? -1
                                               : 2;
}

static struct htmt__node_stream *go_on(struct htmt__node_stream *s, uint64_t line, bool down)
{
    s->ahead -= s->ahead > 0;
    s->down = down;
    s->both = false;
    s->next = down ? line - 1 : line + 1;
    return s;
}

struct htmt__node_stream *htmt__ahead_touch(struct htmt__node_ahead *a, uint64_t line)
{
    for (uint32_t i = 0; i < a->streams; i++) {
        struct htmt__node_stream *s = &a->stream[i];
        int place = place_in(s, line);
        if (place == 2)
            continue;
        s->used = ++a->uses;
        return place == 0 ? NULL : go_on(s, line, place == -1 || s->down);
    }
    htmt__ahead_begin(a, line);
    return NULL;
}

static bool asked_for(const struct htmt__node_stream *s, uint64_t line)
{
    uint64_t far = s->down ? s->next - line : line - s->next;
    return s->next != NO_LINE && far < s->ahead;
}

htmt_time htmt__ahead_ready(const struct htmt__node_ahead *a, uint64_t line)
{
    htmt_time ready = 0;
    for (uint32_t i = 0; i < a->streams; i++) {
        const struct htmt__node_stream *s = &a->stream[i];
        if (asked_for(s, line) && s->ready[line % HTMT__AHEAD_LINES] > ready)
            ready = s->ready[line % HTMT__AHEAD_LINES];
    }
    return ready;
}
