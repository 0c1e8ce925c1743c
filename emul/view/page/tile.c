/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A tile holds its intervals column by column, as differences to what is likely near: the end to
 * the end before, service and wait to those of the same step before. Intervals of one step take the
 * same time mostly, so most bytes are 0 and pack well: a column of services 40, 40, 40 ns becomes
 * 40, 0, 0. Only the interval's own slice is near: a cause or a line there is how many intervals
 * back it lies, one in another slice is written in full in a column of its own.
 */
#include "emul/view/page/tile.h"

#include "emul/lib/trace/lanes.h"

#include <stdlib.h>
#include <string.h>

enum column { STEP, END, SERVICE, WAIT, SERIAL, CAUSE, LINE, FOREIGN, WHEN, WORDS, MARK };

/* Of the interval of the same step before. */
struct previous {
    htmt_time service, wait;
};

struct htmt__tile_encoder {
    uint32_t steps, layers;
    struct previous *previous; /* of each step */
    uint64_t *level;           /* of each layer */
    struct htmt__bytes column[HTMT__TILE_COLUMNS];
};

struct htmt__tile_encoder *htmt__tile_encoder_create(const struct htmt_trace_info *info)
{
    struct htmt__tile_encoder *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->steps = info->steps;
    e->layers = info->layers;
    e->previous = calloc((size_t)e->steps + 1, sizeof *e->previous);
    e->level = calloc((size_t)e->layers + 1, sizeof *e->level);
    if (!e->previous || !e->level)
        htmt__tile_encoder_destroy(&e);
    return e;
}

void htmt__tile_encoder_destroy(struct htmt__tile_encoder **e)
{
    for (int i = 0; *e && i < HTMT__TILE_COLUMNS; i++)
        htmt__bytes_clear(&(*e)->column[i]);
    if (*e) {
        free((*e)->previous);
        free((*e)->level);
    }
    free(*e);
    *e = NULL;
}

/* 0: none; 2 d: d intervals before in this slice; 1: the next one of the foreign references. */
static void encode_reference(struct htmt__tile_encoder *e, enum column column, htmt_trace_ref of,
                             htmt_trace_ref own)
{
    if (of == HTMT_TRACE_NONE) {
        htmt__bytes_number(&e->column[column], 0);
    } else if (htmt_trace_ref_slice(of) == htmt_trace_ref_slice(own) && of < own) {
        htmt__bytes_number(&e->column[column], 2 * (own - of));
    } else {
        htmt__bytes_number(&e->column[column], 1);
        htmt__bytes_number(&e->column[FOREIGN], htmt_trace_ref_slice(of));
        htmt__bytes_number(&e->column[FOREIGN], htmt_trace_ref_number(of));
    }
}

static void encode_intervals(struct htmt__tile_encoder *e, const struct htmt_trace_block *b,
                             const struct htmt__lane_layout *marks)
{
    struct htmt__bytes *column = e->column;
    htmt_time end = b->from;
    uint64_t serial = 0;
    for (uint32_t n = 0; n < b->count; n++) {
        const struct htmt_trace_interval *i = &b->interval[n];
        const htmt_trace_ref own = htmt_trace_ref_of(b->slice, b->first + n);
        const uint16_t lane = marks->lane[b->first + n];
        const uint8_t state = marks->state[b->first + n];
        const bool deeper = lane >= HTMT__LANES_SHOWN;
        const uint8_t mark =
            (uint8_t)((deeper ? HTMT__TILE_DEEPER | (HTMT__LANES_SHOWN - 1) : lane) |
                      (state & HTMT__LANE_BLOCKS ? HTMT__TILE_BLOCKS : 0) |
                      (state & HTMT__LANE_HOLDS ? HTMT__TILE_HOLDS : 0));
        struct previous *p = &e->previous[i->step];
        htmt__bytes_number(&column[STEP], 2 * (uint64_t)i->step + i->open);
        htmt__bytes_signed(&column[SERVICE], i->service - p->service);
        htmt__bytes_signed(&column[WAIT], i->wait - p->wait);
        *p = (struct previous){i->service, i->wait};
        encode_reference(e, CAUSE, i->cause, own);
        if (i->wait > 0)
            encode_reference(e, LINE, i->line, own);
        htmt__bytes_signed(&column[END], i->end - end);
        htmt__bytes_signed(&column[SERIAL], (int64_t)(i->serial - serial));
        htmt__bytes_append(&column[MARK], &mark, 1);
        end = i->end;
        serial = i->serial;
    }
}

/* A sample is the words taken or given back since the one before in its layer. */
static void encode_samples(struct htmt__tile_encoder *e, const struct htmt_trace_block *b)
{
    htmt_time when = b->from;
    for (uint32_t i = 0; i < e->layers; i++) {
        e->level[i] = b->level[i];
        htmt__bytes_number(&e->column[WORDS], e->level[i]);
    }
    for (uint32_t n = 0; n < b->samples; n++) {
        const struct htmt_trace_sample *s = &b->sample[n];
        bool less = s->words < e->level[s->layer];
        htmt__bytes_signed(&e->column[WHEN], s->at - when);
        htmt__bytes_number(&e->column[WORDS], 2 * (uint64_t)s->layer + less);
        htmt__bytes_number(&e->column[WORDS],
                           less ? e->level[s->layer] - s->words : s->words - e->level[s->layer]);
        e->level[s->layer] = s->words;
        when = s->at;
    }
}

void htmt__tile_encode(struct htmt__tile_encoder *e, const struct htmt_trace_block *b,
                       const struct htmt__lane_layout *marks, struct htmt__bytes *out)
{
    memset(e->previous, 0, e->steps * sizeof *e->previous);
    for (int i = 0; i < HTMT__TILE_COLUMNS; i++)
        htmt__bytes_reset(&e->column[i]);
    encode_intervals(e, b, marks);
    encode_samples(e, b);
    for (int i = 0; i < HTMT__TILE_COLUMNS; i++)
        htmt__bytes_part(out, &e->column[i]);
}

/* ---- parts of a block ------------------------------------------------------------------------
 *
 * A block of a long run has 65,536 intervals over milliseconds; a window of microseconds wants a
 * few of them in full. A part begins where the one before ended: its intervals and samples are
 * those of the block, further on, and its levels are what the samples of the parts before have
 * left. So each part is decoded by itself, and all of them together have what the block has.
 */

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
