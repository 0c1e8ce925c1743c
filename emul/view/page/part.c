/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/view/page/part.h"

#include <string.h>

void htmt__part_begin(const struct htmt_trace_block *whole, uint32_t layers,
                      struct htmt__block_part *p)
{
    *p = (struct htmt__block_part){.b = *whole, .layers = layers};
    p->b.count = p->b.samples = 0;
    memcpy(p->level, whole->level, layers * sizeof *p->level);
}

static void include(struct htmt_trace_block *b, htmt_time from, htmt_time to)
{
    b->from = from < b->from ? from : b->from;
    b->to = to > b->to ? to : b->to;
}

bool htmt__part_next(const struct htmt_trace_block *whole, uint32_t most,
                     struct htmt__block_part *p)
{
    struct htmt_trace_block *b = &p->b;
    /* Behind the part that was: its samples say what the memories hold now. */
    for (uint32_t i = 0; i < b->samples; i++)
        p->level[b->sample[i].layer] = b->sample[i].words;
    b->first += b->count;
    b->interval += b->count;
    b->sample += b->samples;
    b->level = p->level;
    uint64_t left = whole->first + whole->count - b->first;
    uint64_t samples = (uint64_t)(whole->sample + whole->samples - b->sample);
    b->count = left < most ? (uint32_t)left : most;
    b->samples = (uint32_t)samples;
    if (!left)
        return false;
    htmt_time end = b->interval[b->count - 1].end;
    if (left > b->count)
        for (b->samples = 0; b->samples < samples && b->sample[b->samples].at <= end;)
            b->samples++;
    b->from = HTMT_TIME_MAX;
    b->to = 0;
    for (uint32_t i = 0; i < b->count; i++)
        include(b, b->interval[i].end - b->interval[i].service - b->interval[i].wait,
                b->interval[i].end);
    for (uint32_t i = 0; i < b->samples; i++)
        include(b, b->sample[i].at, b->sample[i].at);
    return true;
}
