/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is fetched ahead of misses: streams that a prefetcher follows, or stream buffers beyond the
 * first cache.
 */
#ifndef HTMT_LAYERS_NODE_PREFETCH_H
#define HTMT_LAYERS_NODE_PREFETCH_H

#include "layers/node/figures.h"

#define HTMT__PREFETCH_LINES 32 /* of a stream buffer */

/* `ahead` lines from `next` on were asked for; ready[line % HTMT__PREFETCH_LINES] of each. A
 * prefetcher's `next` is the line after the last that was touched, up or down. */
struct htmt__prefetch_stream {
    uint64_t next, used; /* `used`: when, in uses of all streams */
    uint32_t ahead;
    bool down, both; /* both: the direction is not known yet */
    htmt_time ready[HTMT__PREFETCH_LINES];
};

struct htmt__prefetch {
    uint32_t streams, lines;
    uint64_t uses;
    struct htmt__prefetch_stream stream[HTMT__NODE_STREAMS_MOST];
};

void htmt__prefetch_start(struct htmt__prefetch *ahead, uint32_t streams, uint32_t lines);
/* The stream whose next line this is; NULL: none. It counts as used. */
struct htmt__prefetch_stream *htmt__prefetch_find(struct htmt__prefetch *ahead, uint64_t line);
/* The stream that was not used for longest begins anew behind this line. */
struct htmt__prefetch_stream *htmt__prefetch_begin(struct htmt__prefetch *ahead, uint64_t line);
/* A prefetcher's: the stream that goes on with this line, or NULL: a new one began there, or the
 * line was its last one too. */
struct htmt__prefetch_stream *htmt__prefetch_touch(struct htmt__prefetch *ahead, uint64_t line);
/* When a line is there that one of the streams has asked for; 0: long ago. */
htmt_time htmt__prefetch_ready(const struct htmt__prefetch *ahead, uint64_t line);

#endif
