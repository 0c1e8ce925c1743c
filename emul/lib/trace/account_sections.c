/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The trace is read twice: a section may begin in the middle of an interval that ends later, so the
 * changes of all slices come first. parcels/observe/section.c splits times in the same way.
 */
#include "emul/lib/trace/account_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From that instant on. */
struct change {
    htmt_time at;
    uint32_t section;
};

struct changes {
    struct change *list; /* in order; before the first: section 0 */
    uint32_t count, room;
};

enum column { TIME, BUSY, WAITED, STALLED, COLUMNS };

struct section {
    const char *name;
    htmt_time first; /* when some slice first came to it */
    htmt_wide sum[COLUMNS];
};

struct sections {
    struct htmt_trace *t;
    const struct htmt_trace_info *info;
    struct changes *changes; /* of each slice that was played */
    struct section *section;
};

/* ---- changes --------------------------------------------------------------------------------- */

static int make_room(struct changes *c)
{
    if (c->count < c->room)
        return 0;
    uint32_t room = c->room ? 2 * c->room : 4;
    struct change *more = realloc(c->list, room * sizeof *more);
    if (!more)
        return HTMT_ENOMEM;
    c->list = more;
    c->room = room;
    return 0;
}

/* Of two at one instant the later one holds. */
static int add_change(struct sections *s, uint32_t slice, htmt_time at, uint64_t section)
{
    struct changes *c = &s->changes[slice];
    uint32_t i = c->count;
    if (section >= s->info->sections)
        return 0;
    while (i && c->list[i - 1].at > at)
        i--;
    if (at < s->section[section].first)
        s->section[section].first = at;
    if (i && c->list[i - 1].at == at) {
        c->list[i - 1].section = (uint32_t)section;
        return 0;
    }
    if (make_room(c))
        return HTMT_ENOMEM;
    memmove(&c->list[i + 1], &c->list[i], (c->count - i) * sizeof *c->list);
    c->list[i] = (struct change){at, (uint32_t)section};
    c->count++;
    return 0;
}

static int take_changes(struct sections *s, const struct htmt_trace_block *b)
{
    int rc = 0;
    for (uint32_t n = 0; n < b->count && !rc; n++) {
        const struct htmt_trace_interval *i = &b->interval[n];
        if (s->info->step[i->step].place == HTMT_TRACE_SECTION)
            rc = add_change(s, b->slice, i->end, i->serial);
    }
    return rc;
}

/* ---- times ----------------------------------------------------------------------------------- */

/* Gives each section its part of the time from `from` to `to`. */
static void split(struct sections *s, uint32_t slice, enum column column, htmt_time from,
                  htmt_time to)
{
    const struct changes *c = &s->changes[slice];
    uint32_t i = c->count;
    while (to > from) {
        while (i && c->list[i - 1].at >= to)
            i--;
        htmt_time begin = i && c->list[i - 1].at > from ? c->list[i - 1].at : from;
        s->section[i ? c->list[i - 1].section : 0].sum[column] += to - begin;
        to = begin;
    }
}

/* Of a service that the end of the run interrupted only the wait counts. */
static int take_times(struct sections *s, const struct htmt_trace_block *b)
{
    for (uint32_t n = 0; n < b->count; n++) {
        const struct htmt_trace_interval *i = &b->interval[n];
        enum htmt_trace_place place = s->info->step[i->step].place;
        htmt_time start = i->end - i->service;
        bool used = place <= HTMT_TRACE_RECEIVED;
        if (used && !i->open)
            split(s, b->slice, BUSY, start, i->end);
        if (used || place == HTMT_TRACE_STALLED)
            split(s, b->slice, used ? WAITED : STALLED, start - i->wait, start);
    }
    return 0;
}

static int each_block(struct sections *s,
                      int (*take)(struct sections *s, const struct htmt_trace_block *b),
                      struct htmt_fault *fault)
{
    struct htmt_trace_block b = {0};
    int rc = 0;
    for (uint64_t i = 0; i < s->info->blocks && !rc; i++) {
        rc = htmt_trace_block_read(s->t, i, &b, fault);
        if (!rc && take(s, &b))
            rc = htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the sections of the trace");
    }
    htmt_trace_block_clear(&b);
    return rc;
}

/* ---- results --------------------------------------------------------------------------------- */

static double seconds(const struct sections *s, htmt_wide sum)
{
    return (double)(sum * s->info->stands_for) / (double)HTMT_SECOND;
}

/* That before the first one only if time was spent there. */
static void take_section(const struct sections *s, const struct section *from,
                         struct htmt__results *r)
{
    double all = (double)r->predicted * r->slices;
    if (!*from->name && !from->sum[TIME] && !from->sum[BUSY] && !from->sum[WAITED] &&
        !from->sum[STALLED])
        return;
    struct htmt__section_time *to = &r->section[r->section_count++];
    snprintf(to->name, sizeof to->name, "%s", from->name);
    to->time_s = seconds(s, from->sum[TIME]);
    to->share = all > 0 ? (double)(from->sum[TIME] * s->info->stands_for) / all : 0;
    to->busy_s = seconds(s, from->sum[BUSY]);
    to->wait_s = seconds(s, from->sum[WAITED]);
    to->stall_s = seconds(s, from->sum[STALLED]);
}

/* As they began; of those that began at one instant, by name. */
static int by_first(const void *a, const void *b)
{
    const struct section *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int sum_up(struct sections *s, struct htmt_fault *fault)
{
    for (uint32_t i = 0; i < s->info->sections; i++)
        s->section[i] =
            (struct section){.name = s->info->section[i], .first = i ? HTMT_TIME_MAX : -1};
    int rc = each_block(s, take_changes, fault);
    if (!rc)
        rc = each_block(s, take_times, fault);
    for (uint32_t i = 0; i < s->info->played && !rc; i++)
        split(s, i, TIME, 0, s->info->end);
    return rc;
}

int htmt__account_sections(struct htmt_trace *t, struct htmt__results *r, struct htmt_fault *fault)
{
    const struct htmt_trace_info *info = htmt_trace_info(t);
    struct sections s = {.t = t, .info = info};
    if (!info->sections)
        return 0;
    s.changes = calloc(info->places, sizeof *s.changes);
    s.section = calloc(info->sections, sizeof *s.section);
    int rc = s.changes && s.section
                 ? sum_up(&s, fault)
                 : htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the sections of the trace");
    if (!rc) {
        qsort(s.section, info->sections, sizeof *s.section, by_first);
        for (uint32_t i = 0; i < info->sections; i++)
            take_section(&s, &s.section[i], r);
    }
    for (uint32_t i = 0; i < info->places && s.changes; i++)
        free(s.changes[i].list);
    free(s.changes);
    free(s.section);
    return rc;
}
