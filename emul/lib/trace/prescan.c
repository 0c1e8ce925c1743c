/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/trace/prescan.h"

#include <stdlib.h>
#include <string.h>

static void note_serial(struct htmt__survey *s, uint32_t slice, uint64_t serial)
{
    uint64_t counter = htmt_trace_ref_number(serial);
    if (htmt_trace_ref_slice(serial) == slice && counter >= s->serials)
        s->serials = counter + 1;
}

static int note(struct htmt__survey *s, const struct htmt_trace_block *b, htmt_time *begin)
{
    int rc = 0;
    for (uint32_t n = 0; n < b->count && !rc; n++) {
        const struct htmt_trace_interval *i = &b->interval[n];
        enum htmt_trace_place place = s->info->step[i->step].place;
        uint32_t row = s->rows->of_step[i->step];
        htmt_time from = htmt__lane_begin(i, place), start = i->end - i->service;
        begin[row] = from < begin[row] ? from : begin[row];
        if (place < HTMT_TRACE_STALLED && i->wait)
            rc = htmt__segments_add(&s->waits[row], start - i->wait, start);
        if (place != HTMT_TRACE_SECTION)
            note_serial(s, b->slice, i->serial);
    }
    return rc;
}

static int allocate(struct htmt__survey *s)
{
    size_t cells = (s->blocks + 1) * s->rows->count;
    s->waits = calloc(s->rows->count, sizeof *s->waits);
    s->begin = malloc(cells * sizeof *s->begin);
    if (!s->waits || !s->begin)
        return HTMT_ENOMEM;
    for (size_t i = 0; i < cells; i++)
        s->begin[i] = INT64_MAX;
    return 0;
}

/* What later blocks have counts for each block. */
static void look_ahead(struct htmt__survey *s)
{
    uint32_t rows = s->rows->count;
    for (uint64_t i = s->blocks * rows; i-- > 0;)
        if (s->begin[i + rows] < s->begin[i])
            s->begin[i] = s->begin[i + rows];
}

int htmt__survey_make(struct htmt_trace *t, const struct htmt__rows *rows,
                      const struct htmt__trace_slice *slice, struct htmt__survey *s,
                      struct htmt_fault *fault)
{
    struct htmt_trace_block b = {0};
    *s = (struct htmt__survey){.info = htmt_trace_info(t), .rows = rows, .blocks = slice->blocks};
    int rc = allocate(s);
    for (uint64_t i = 0; i < s->blocks && !rc; i++) {
        rc = htmt__trace_read_sorted(t, slice->place + i, &b, fault);
        rc = rc ? rc : note(s, &b, &s->begin[i * rows->count]);
    }
    htmt_trace_block_clear(&b);
    if (!rc)
        look_ahead(s);
    return rc;
}

void htmt__survey_clear(struct htmt__survey *s)
{
    for (uint32_t i = 0; s->waits && i < s->rows->count; i++)
        htmt__segments_clear(&s->waits[i]);
    free(s->waits);
    free(s->begin);
    memset(s, 0, sizeof *s);
}
