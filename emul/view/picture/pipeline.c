/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the bars of a pipeline: first the parcels, out of the slice's blocks, then their stages,
 * out of all blocks, since a move has its channel out in the source's slice.
 */
#include "emul/view/picture/pipeline.h"

#include "emul/view/picture/pipeline_rows.h"

#include <stdlib.h>
#include <string.h>

/* Which steps of the trace count: the row of each, or -1. */
struct reading {
    struct htmt__pipeline *p;
    struct htmt_trace *trace;
    struct htmt_trace_block block;
    int *row_of;
    uint32_t wanted; /* parcels */
    bool *seen;      /* of the bars, before they are moved together */
};

/* ---- parcels: the lowest serials ------------------------------------------------------------ */

/* Where the serial is, or would be. */
static uint32_t place_of(const struct htmt__pipeline *p, uint64_t serial)
{
    uint32_t low = 0, high = p->parcels;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->serial[middle] < serial)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const struct htmt__pipeline *p, uint32_t place, uint64_t serial)
{
    return place < p->parcels && p->serial[place] == serial;
}

static void take_parcel(struct reading *r, uint64_t serial)
{
    struct htmt__pipeline *p = r->p;
    uint32_t place = place_of(p, serial);
    if (place == r->wanted || is_at(p, place, serial))
        return;
    p->parcels -= p->parcels == r->wanted;
    memmove(p->serial + place + 1, p->serial + place, (p->parcels - place) * sizeof *p->serial);
    p->serial[place] = serial;
    p->parcels++;
}

static int find_parcels(struct reading *r, struct htmt_fault *fault)
{
    int rc = 0;
    for (uint64_t i = 0; i < r->p->info->blocks && !rc; i++) {
        rc = htmt_trace_block_at(r->trace, i, &r->block);
        if (rc || r->block.slice != r->p->slice)
            continue;
        rc = htmt_trace_block_read(r->trace, i, &r->block, fault);
        for (uint32_t n = 0; !rc && n < r->block.count; n++)
            if (r->row_of[r->block.interval[n].step] >= 0)
                take_parcel(r, r->block.interval[n].serial);
    }
    if (!rc && !r->p->parcels)
        rc = htmt_fault_set(fault, HTMT_EUSAGE,
                            "slice %u has no interval of the type '%s', expected some", r->p->slice,
                            r->p->type);
    return rc;
}

/* ---- bars ----------------------------------------------------------------------------------- */

static bool is_for_words(enum htmt_trace_place place)
{
    return place == HTMT_TRACE_STALLED || place == HTMT_TRACE_ROOM;
}

static htmt_time least(htmt_time a, htmt_time b)
{
    return a < b ? a : b;
}

static htmt_time most(htmt_time a, htmt_time b)
{
    return a > b ? a : b;
}

/* The service that begins first says where the bar starts, and what it waited just before. */
static void add_service(struct htmt__pipeline_bar *b, const struct htmt_trace_interval *i)
{
    htmt_time start = i->end - i->service;
    b->wait += i->wait;
    if (start >= b->start)
        return;
    b->start = start;
    b->line = i->wait;
}

static void add_interval(struct reading *r, uint32_t parcel, const struct htmt_trace_interval *i)
{
    uint32_t row = (uint32_t)r->row_of[i->step];
    size_t index = (size_t)parcel * r->p->rows + row;
    struct htmt__pipeline_bar *b = &r->p->bar[index];
    if (!r->seen[index])
        *b = (struct htmt__pipeline_bar){
            .parcel = parcel, .row = row, .asked = HTMT_TIME_MAX, .start = HTMT_TIME_MAX};
    r->seen[index] = true;
    b->asked = least(b->asked, i->end - i->service - i->wait);
    b->end = most(b->end, i->end);
    b->open |= i->open;
    if (is_for_words(r->p->info->step[i->step].place))
        b->stall += i->wait;
    else
        add_service(b, i);
}

static int read_bars(struct reading *r, struct htmt_fault *fault)
{
    int rc = 0;
    for (uint64_t i = 0; i < r->p->info->blocks && !rc; i++) {
        rc = htmt_trace_block_read(r->trace, i, &r->block, fault);
        for (uint32_t n = 0; !rc && n < r->block.count; n++) {
            const struct htmt_trace_interval *at = &r->block.interval[n];
            uint32_t parcel = r->row_of[at->step] < 0 ? 0 : place_of(r->p, at->serial);
            if (r->row_of[at->step] >= 0 && is_at(r->p, parcel, at->serial))
                add_interval(r, parcel, at);
        }
    }
    return rc;
}

/* What was never served ends where its wait does. */
static void gather_bars(struct reading *r)
{
    struct htmt__pipeline *p = r->p;
    for (size_t i = 0; i < (size_t)p->parcels * p->rows; i++) {
        if (!r->seen[i])
            continue;
        p->bar[p->bars] = p->bar[i];
        p->bar[p->bars].start = least(p->bar[i].start, p->bar[i].end);
        p->bars++;
    }
}

/* ---- the whole ------------------------------------------------------------------------------ */

static int make_room(struct reading *r)
{
    size_t bars = (size_t)r->wanted * r->p->rows;
    r->p->serial = calloc(r->wanted, sizeof *r->p->serial);
    r->p->bar = calloc(bars, sizeof *r->p->bar);
    r->seen = calloc(bars, sizeof *r->seen);
    return r->p->serial && r->p->bar && r->seen ? 0 : HTMT_ENOMEM;
}

static int read_all(struct reading *r, struct htmt_fault *fault)
{
    int rc = make_room(r);
    if (!rc)
        rc = find_parcels(r, fault);
    if (!rc)
        rc = read_bars(r, fault);
    if (!rc)
        gather_bars(r);
    htmt_trace_block_clear(&r->block);
    free(r->seen);
    return rc;
}

static int check_slice(const struct htmt__pipeline *p, struct htmt_fault *fault)
{
    if (p->slice < p->info->played)
        return 0;
    return htmt_fault_set(fault, HTMT_EUSAGE, "found slice %u, expected one of the trace, below %u",
                          p->slice, p->info->played);
}

int htmt__pipeline_read(struct htmt_trace *t, const struct htmt__pipeline_request *request,
                        struct htmt__pipeline *p, struct htmt_fault *fault)
{
    struct reading r = {.p = p, .trace = t, .wanted = request->parcels};
    *p = (struct htmt__pipeline){.info = htmt_trace_info(t), .slice = request->slice};
    r.row_of = calloc((size_t)p->info->steps + 1, sizeof *r.row_of);
    int rc = r.row_of ? check_slice(p, fault) : HTMT_ENOMEM;
    if (!rc)
        rc = htmt__pipeline_rows_find(p, request->type, r.row_of, fault);
    if (!rc)
        rc = read_all(&r, fault);
    free(r.row_of);
    if (rc)
        htmt__pipeline_clear(p);
    return rc;
}

void htmt__pipeline_clear(struct htmt__pipeline *p)
{
    free(p->serial);
    free(p->bar);
    *p = (struct htmt__pipeline){0};
}
