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

/* Moves behind the part that was. */
static void advance(struct htmt__block_part *p)
{
    for (uint32_t i = 0; i < p->b.samples; i++)
        p->level[p->b.sample[i].layer] = p->b.sample[i].words;
    p->b.first += p->b.count;
    p->b.interval += p->b.count;
    p->b.sample += p->b.samples;
    p->b.level = p->level;
}

static void include(struct htmt_trace_block *b, htmt_time from, htmt_time to)
{
    b->from = from < b->from ? from : b->from;
    b->to = to > b->to ? to : b->to;
}

/* From when to when the intervals and samples of the part are. */
static void measure(struct htmt_trace_block *b)
{
    b->from = HTMT_TIME_MAX;
    b->to = 0;
    for (uint32_t i = 0; i < b->count; i++)
        include(b, b->interval[i].end - b->interval[i].service - b->interval[i].wait,
                b->interval[i].end);
    for (uint32_t i = 0; i < b->samples; i++)
        include(b, b->sample[i].at, b->sample[i].at);
}

bool htmt__part_next(const struct htmt_trace_block *whole, uint32_t most,
                     struct htmt__block_part *p)
{
    advance(p);
    uint64_t left = whole->first + whole->count - p->b.first;
    uint64_t samples = (uint64_t)(whole->sample + whole->samples - p->b.sample);
    p->b.count = left < most ? (uint32_t)left : most;
    p->b.samples = (uint32_t)samples;
    if (!left)
        return false;
    htmt_time end = p->b.interval[p->b.count - 1].end;
    if (left > p->b.count)
        for (p->b.samples = 0; p->b.samples < samples && p->b.sample[p->b.samples].at <= end;)
            p->b.samples++;
    measure(&p->b);
    return true;
}
