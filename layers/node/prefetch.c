/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A prefetcher has a few streams, each of which follows a row of lines. A miss that is no stream's
 * next line begins a new one in the place of the one that was used least recently. The next miss
 * tells its direction: behind line 7, line 8 makes it go up and line 6 down; then it asks for
 * `lines` lines beyond, and one more at each use, so that it stays that far ahead. Stream buffers
 * go up alone, and hold the lines themselves.
 */
#include "layers/node/prefetch.h"

#include <stddef.h>

#define NO_LINE UINT64_MAX

void htmt__prefetch_start(struct htmt__prefetch *a, uint32_t streams, uint32_t lines)
{
    a->streams = streams;
    a->lines = lines;
    a->uses = 0;
    for (uint32_t i = 0; i < streams; i++)
        a->stream[i] = (struct htmt__prefetch_stream){.next = NO_LINE};
}

struct htmt__prefetch_stream *htmt__prefetch_find(struct htmt__prefetch *a, uint64_t line)
{
    for (uint32_t i = 0; i < a->streams; i++)
        if (a->stream[i].next == line) {
            a->stream[i].used = ++a->uses;
            return &a->stream[i];
        }
    return NULL;
}

struct htmt__prefetch_stream *htmt__prefetch_begin(struct htmt__prefetch *a, uint64_t line)
{
    struct htmt__prefetch_stream *oldest = &a->stream[0];
    for (uint32_t i = 1; i < a->streams; i++)
        if (a->stream[i].used < oldest->used)
            oldest = &a->stream[i];
    *oldest = (struct htmt__prefetch_stream){.next = line + 1, .used = ++a->uses, .both = true};
    return oldest;
}

struct htmt__prefetch_stream *htmt__prefetch_touch(struct htmt__prefetch *a, uint64_t line)
{
    for (uint32_t i = 0; i < a->streams; i++) {
        struct htmt__prefetch_stream *s = &a->stream[i];
        const uint64_t last = s->down ? s->next + 1 : s->next - 1;
        const bool turns = s->both && line + 1 == last; /* it turns out to go downward */
        if (s->next == NO_LINE || (line != s->next && line != last && !turns))
            continue;
        s->used = ++a->uses;
        if (line == last && line != s->next)
            return NULL;
        s->ahead -= s->ahead > 0;
        s->down = s->down || (turns && line != s->next);
        s->both = false;
        s->next = s->down ? line - 1 : line + 1;
        return s;
    }
    htmt__prefetch_begin(a, line);
    return NULL;
}

htmt_time htmt__prefetch_ready(const struct htmt__prefetch *a, uint64_t line)
{
    htmt_time ready = 0;
    for (uint32_t i = 0; i < a->streams; i++) {
        const struct htmt__prefetch_stream *s = &a->stream[i];
        const uint64_t far = s->down ? s->next - line : line - s->next;
        if (s->next != NO_LINE && far < s->ahead && s->ready[line % HTMT__PREFETCH_LINES] > ready)
            ready = s->ready[line % HTMT__PREFETCH_LINES];
    }
    return ready;
}
