/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the bars of a pipeline. A parcel of a slice is served there, but a move that it asks for
 * has its channel out in the slice of its source. So the trace is read twice: the blocks of the
 * slice tell which parcels are the first, then all blocks give what these did. Serials count the
 * parcels of a slice as they are made, so the first parcels are those with the lowest serials,
 * whichever of them ended first; blocks are in the order of ends.
 */
#include "emul/view/picture/pipeline.h"

#include "runtime/base/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPES_MAX 64 /* that a suggestion looks at */

/* Which steps of the trace count: the row of each, or -1. */
struct reading {
    struct htmt__pipeline *p;
    struct htmt_trace *trace;
    struct htmt_trace_block block;
    int *row_of;
    uint32_t wanted; /* parcels */
    bool *seen;      /* of the bars, before they are moved together */
};

/* ---- rows: the stages of a type, named as Figure 4 of Hereld et al. names them --------------- */

/* Stages that every parcel passes at most once. */
static bool has_row(const struct htmt_trace_step *s)
{
    return *s->type && s->stage <= HTMT_PLACE && s->place <= HTMT_TRACE_ROOM;
}

/* The type that was asked for; without a name that of the slice with the most stages, of these the
 * first. `used`: steps that intervals of the slice belong to. */
static int choose_type(struct htmt__pipeline *p, const char *type, const bool *used,
                       struct htmt_fault *fault)
{
    const struct htmt_trace_info *info = p->info;
    const char *known[TYPES_MAX];
    char hint[400];
    unsigned count = 0;
    int most = 0;
    for (uint32_t i = 0; i < info->steps; i++) {
        const char *name = info->step[i].type;
        unsigned stages = 0;
        bool listed = false;
        if (!has_row(&info->step[i]))
            continue;
        for (uint32_t k = 0; k < info->steps; k++)
            if (has_row(&info->step[k]) && !strcmp(info->step[k].type, name))
                stages |= 1u << info->step[k].stage;
        for (unsigned k = 0; k < count && !listed; k++)
            listed = !strcmp(known[k], name);
        if (!listed && count < TYPES_MAX)
            known[count++] = name;
        if (type ? !strcmp(name, type) : used[i] && __builtin_popcount(stages) > most) {
            p->type = name;
            most = __builtin_popcount(stages);
        }
    }
    if (p->type)
        return 0;
    if (!type)
        return count
                   ? htmt_fault_set(fault, HTMT_EUSAGE,
                                    "slice %u has no parcels of any type, expected some", p->slice)
                   : htmt_fault_set(fault, HTMT_EUSAGE, "the trace has no parcels, expected some");
    htmt__suggest(type, known, count, hint, sizeof hint);
    return htmt_fault_set(fault, HTMT_EUSAGE, "--type: found '%s', %s", type, hint);
}

/* ---- names ---------------------------------------------------------------------------------- */

/* The first step of the stage in that place; NULL: none. */
static const struct htmt_trace_step *
find_step(const struct htmt__pipeline *p, enum htmt_stage_id stage, enum htmt_trace_place place)
{
    for (uint32_t i = 0; i < p->info->steps; i++) {
        const struct htmt_trace_step *s = &p->info->step[i];
        if (s->stage == stage && s->place == place && s->resource < p->info->resources &&
            !strcmp(s->type, p->type))
            return s;
    }
    return NULL;
}

static const char *memory_of(const struct htmt_trace_info *info, uint32_t layer)
{
    return layer < info->layers ? info->layer[layer].memory : "?";
}

/* "SRAM to CRAM (rti)", "Execution (SPELL)", or the stage alone. Where no channel in is modelled,
 * words go one layer inwards, or come back outwards. */
static void name_row(const struct htmt__pipeline *p, struct htmt__pipeline_row *row)
{
    static const char *const noun[HTMT_STAGES] = {[HTMT_ASSEMBLE] = "Assembly",
                                                  [HTMT_DISPATCH] = "Dispatch",
                                                  [HTMT_EXECUTE] = "Execution",
                                                  [HTMT_RETIRE] = "Retirement",
                                                  [HTMT_PLACE] = "Placement"};
    const struct htmt_trace_info *info = p->info;
    const struct htmt_trace_step *sent = find_step(p, row->stage, HTMT_TRACE_SENT);
    const struct htmt_trace_step *in = find_step(p, row->stage, HTMT_TRACE_RECEIVED);
    const struct htmt_trace_step *served = find_step(p, row->stage, HTMT_TRACE_SERVED);
    const char *name = noun[row->stage] ? noun[row->stage] : htmt_stage_name(row->stage);
    if (sent) {
        const struct htmt_trace_resource *out = &info->resource[sent->resource];
        const bool inwards = row->stage == HTMT_GATHER || row->stage == HTMT_INJECT;
        const uint32_t beside = inwards ? out->layer + 1 : out->layer - 1;
        row->moves = true;
        snprintf(row->name, sizeof row->name, "%.30s to %.30s (%.28s)", memory_of(info, out->layer),
                 memory_of(info, in ? info->resource[in->resource].layer : beside),
                 out->network < info->networks ? info->network[out->network] : "?");
    } else if (served) {
        snprintf(row->name, sizeof row->name, "%s (%.60s)", name,
                 info->resource[served->resource].name);
    } else {
        snprintf(row->name, sizeof row->name, "%s", htmt_stage_name(row->stage));
    }
}

/* Sets p->type, p->row and p->rows; row_of gets the row of each step of the trace, or -1. Errors:
 * HTMT_EUSAGE (no such type, or the trace has none). */
static int find_rows(struct htmt__pipeline *p, const char *type, const bool *used, int *row_of,
                     struct htmt_fault *fault)
{
    int rc = choose_type(p, type, used, fault);
    for (uint32_t i = 0; i < p->info->steps; i++)
        row_of[i] = -1;
    for (int stage = 0; !rc && stage <= (int)HTMT_PLACE; stage++) {
        bool any = false;
        for (uint32_t i = 0; i < p->info->steps; i++) {
            const struct htmt_trace_step *s = &p->info->step[i];
            if ((int)s->stage != stage || !has_row(s) || strcmp(s->type, p->type) != 0)
                continue;
            row_of[i] = (int)p->rows;
            any = true;
        }
        if (!any)
            continue;
        p->row[p->rows] = (struct htmt__pipeline_row){.stage = (enum htmt_stage_id)stage};
        name_row(p, &p->row[p->rows++]);
    }
    return rc;
}

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

/* Marks the steps that intervals of the slice belong to: only these can give a type its parcels. */
static int find_used(struct reading *r, bool *used, struct htmt_fault *fault)
{
    int rc = 0;
    for (uint64_t i = 0; i < r->p->info->blocks && !rc; i++) {
        rc = htmt_trace_block_at(r->trace, i, &r->block);
        if (rc || r->block.slice != r->p->slice)
            continue;
        rc = htmt_trace_block_read(r->trace, i, &r->block, fault);
        for (uint32_t n = 0; !rc && n < r->block.count; n++)
            used[r->block.interval[n].step] = true;
    }
    return rc;
}

/* Keeps the lowest serials of the slice, sorted: one that comes later and is lower moves the others
 * on, and the highest one out. */
static int find_parcels(struct reading *r, struct htmt_fault *fault)
{
    struct htmt__pipeline *p = r->p;
    int rc = 0;
    for (uint64_t i = 0; i < p->info->blocks && !rc; i++) {
        rc = htmt_trace_block_at(r->trace, i, &r->block);
        if (rc || r->block.slice != p->slice)
            continue;
        rc = htmt_trace_block_read(r->trace, i, &r->block, fault);
        for (uint32_t n = 0; !rc && n < r->block.count; n++) {
            const uint64_t serial = r->block.interval[n].serial;
            const uint32_t place = place_of(p, serial);
            if (r->row_of[r->block.interval[n].step] < 0 || place == r->wanted ||
                is_at(p, place, serial))
                continue;
            p->parcels -= p->parcels == r->wanted;
            memmove(p->serial + place + 1, p->serial + place,
                    (p->parcels - place) * sizeof *p->serial);
            p->serial[place] = serial;
            p->parcels++;
        }
    }
    if (!rc && !p->parcels)
        rc = htmt_fault_set(fault, HTMT_EUSAGE,
                            "slice %u has no interval of the type '%s', expected some", p->slice,
                            p->type);
    return rc;
}

/* ---- bars ----------------------------------------------------------------------------------- */

static htmt_time least(htmt_time a, htmt_time b)
{
    return a < b ? a : b;
}

/* An interval of a parcel's stage. The service that begins first says where the bar starts, and
 * what it waited just before. */
static void add_interval(struct reading *r, uint32_t parcel, const struct htmt_trace_interval *i)
{
    uint32_t row = (uint32_t)r->row_of[i->step];
    size_t index = (size_t)parcel * r->p->rows + row;
    struct htmt__pipeline_bar *b = &r->p->bar[index];
    const htmt_time start = i->end - i->service;
    if (!r->seen[index])
        *b = (struct htmt__pipeline_bar){
            .parcel = parcel, .row = row, .asked = HTMT_TIME_MAX, .start = HTMT_TIME_MAX};
    r->seen[index] = true;
    b->asked = least(b->asked, start - i->wait);
    b->end = b->end > i->end ? b->end : i->end;
    b->open |= i->open;
    const enum htmt_trace_place place = r->p->info->step[i->step].place;
    if (place == HTMT_TRACE_STALLED || place == HTMT_TRACE_ROOM) { /* for words of a memory */
        b->stall += i->wait;
        return;
    }
    b->wait += i->wait;
    if (start < b->start) {
        b->start = start;
        b->line = i->wait;
    }
}

/* A bar for each parcel and row, of which those that no interval belongs to are left out. */
static int read_bars(struct reading *r, struct htmt_fault *fault)
{
    struct htmt__pipeline *p = r->p;
    const size_t bars = (size_t)p->parcels * p->rows;
    int rc = 0;
    for (uint64_t i = 0; i < p->info->blocks && !rc; i++) {
        rc = htmt_trace_block_read(r->trace, i, &r->block, fault);
        for (uint32_t n = 0; !rc && n < r->block.count; n++) {
            const struct htmt_trace_interval *at = &r->block.interval[n];
            uint32_t parcel = r->row_of[at->step] < 0 ? 0 : place_of(p, at->serial);
            if (r->row_of[at->step] >= 0 && is_at(p, parcel, at->serial))
                add_interval(r, parcel, at);
        }
    }
    for (size_t i = 0; i < bars && !rc; i++) {
        if (!r->seen[i])
            continue;
        p->bar[p->bars] = p->bar[i];
        /* What was never served ends where its wait does. */
        p->bar[p->bars].start = least(p->bar[i].start, p->bar[i].end);
        p->bars++;
    }
    return rc;
}

int htmt__pipeline_read(struct htmt_trace *t, const struct htmt__pipeline_request *request,
                        struct htmt__pipeline *p, struct htmt_fault *fault)
{
    struct reading r = {.p = p, .trace = t, .wanted = request->parcels};
    *p = (struct htmt__pipeline){.info = htmt_trace_info(t), .slice = request->slice};
    r.row_of = calloc((size_t)p->info->steps + 1, sizeof *r.row_of);
    bool *used = calloc((size_t)p->info->steps + 1, sizeof *used);
    int rc = r.row_of && used ? 0 : HTMT_ENOMEM;
    if (!rc && p->slice >= p->info->played)
        rc = htmt_fault_set(fault, HTMT_EUSAGE,
                            "found slice %u, expected one of the trace, below %u", p->slice,
                            p->info->played);
    if (!rc && !request->type)
        rc = find_used(&r, used, fault);
    if (!rc)
        rc = find_rows(p, request->type, used, r.row_of, fault);
    free(used);
    if (!rc) {
        size_t bars = (size_t)r.wanted * p->rows;
        p->serial = calloc(r.wanted, sizeof *p->serial);
        p->bar = calloc(bars, sizeof *p->bar);
        r.seen = calloc(bars, sizeof *r.seen);
        rc = p->serial && p->bar && r.seen ? find_parcels(&r, fault) : HTMT_ENOMEM;
    }
    if (!rc)
        rc = read_bars(&r, fault);
    htmt_trace_block_clear(&r.block);
    free(r.seen);
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
