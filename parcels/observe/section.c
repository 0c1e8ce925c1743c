/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sections: to which the time of each slice belongs.
 *
 * Each slice has the list of its changes: from that instant on it is in that section. An interval
 * of virtual time that is over is split at the changes of its slice. A service from 10 to 30 in a
 * slice that changed to section 2 at 25 gives 15 to the section before and 5 to section 2.
 *
 * Three things make this harder than it sounds.
 *
 * Time that lies ahead. A channel is occupied for times that are known beforehand, while the slice
 * may still change. Such spans wait in a list until the slice has been played up to their end.
 * Services, waits in lines and stalls are told when they end, so they can be split at once.
 *
 * Time that was told before. There is nothing of all this until a program declares its first
 * section, and then the run may be in full swing. What was counted so far is given to section 0;
 * but of channels it was counted when they were occupied, up to times that lie ahead. These parts
 * are looked up in links and messages, taken back from section 0 and put down as spans.
 *
 * Memory. A slice may change as often as it likes. Before a list of changes grows beyond 64, those
 * are forgotten before which nothing that is still to be told can have begun; their times are in
 * the sums then.
 *
 * Partitions count their own slices, with numbers of sections of their own; sections get numbers of
 * the whole by name, in the order of the turns that declared them. A partition that came to no
 * section counted none, so the whole has section 0 by subtraction from the totals.
 */
#include "parcels/observe/section.h"
#include "parcels/clock/page_guard.h"
#include "parcels/clock/partition.h"
#include "parcels/clock/probe.h"
#include "parcels/clock/statistics.h"
#include "parcels/message/inlet.h"
#include "parcels/message/message.h"
#include "parcels/message/packet_network.h"
#include "parcels/observe/probes.h"
#include "parcels/observe/section_sums.h"
#include "parcels/walk/context.h"
#include "parcels/walk/permit.h"
#include "runtime/base/array.h"

#include <stdlib.h>
#include <string.h>

#define NONE          UINT32_MAX
#define CHANGES_LEAST 64u /* of a slice, before any are forgotten */

/* From that instant on. */
struct change {
    htmt_time at;
    uint32_t section;
};

struct htmt__changes {
    struct change *list; /* in order; before the first: section 0 */
    uint32_t count;
    size_t room;
    htmt_time settled; /* those up to there are forgotten: sections have the time before */
    htmt_time now;     /* the slice has been played so far: no change before it is still to come */
};

/* A part of a slice's time. Columns of the sums: busy by resource, waited by resource, stalled by
 * layer. */
struct htmt__slice_time {
    uint32_t slice, column;
    htmt_time from, to;
};

/* Those that the emulator, or copy of it, plays. */
static uint32_t own_slices(const struct htmt_emulator *e)
{
    return e->partition ? e->partition->slices : e->played;
}

static uint32_t own_slice(const struct htmt_emulator *e, uint32_t i)
{
    return e->partition ? e->partition->slice[i] : i;
}

/* ---- who spent it ---------------------------------------------------------------------------- */

static void split(struct htmt__sections *s, struct htmt__slice_time part)
{
    const struct htmt__changes *c = &s->changes[part.slice];
    uint32_t i = c->count;
    while (part.to > part.from) {
        while (i && c->list[i - 1].at >= part.to)
            i--;
        htmt_time begin = i && c->list[i - 1].at > part.from ? c->list[i - 1].at : part.from;
        uint32_t section = i ? c->list[i - 1].section : 0;
        s->sum[section * s->columns + part.column] += part.to - begin;
        part.to = begin;
    }
}

static bool is_over(const struct htmt__sections *s, const struct htmt__slice_time *part)
{
    return part->to <= s->changes[part->slice].now;
}

/* Those that are over are split; the others stay, in their order. */
static void split_past(struct htmt__sections *s)
{
    size_t left = 0;
    for (size_t i = 0; i < s->spans; i++)
        if (is_over(s, &s->span[i]))
            split(s, s->span[i]);
        else
            s->span[left++] = s->span[i];
    s->spans = left;
}

/* The part is over, or will be split when it is. Spans that have become over make room first. */
static void spend(struct htmt_emulator *e, struct htmt__slice_time part)
{
    struct htmt__sections *s = e->sections;
    if (is_over(s, &part)) {
        split(s, part);
        return;
    }
    if (s->spans == s->room) {
        split_past(s);
        if (s->spans >= s->room / 2 &&
            !htmt__array_fits(&s->span, &s->room, s->room + 1, sizeof *s->span)) {
            htmt__fail(e, HTMT_ENOMEM, "no host memory for sections");
            return;
        }
    }
    s->span[s->spans++] = part;
}

/* A message waits from `asked` on for a channel of the slice that plays, and occupies it from
 * `start` on. */
static void occupy(struct htmt_emulator *e, uint32_t slice, uint32_t resource, htmt_time asked,
                   htmt_time start, htmt_time service)
{
    struct htmt__sections *s = e->sections;
    s->changes[slice].now = e->now;
    if (start > asked)
        spend(e, (struct htmt__slice_time){slice, s->resources + resource, asked, start});
    spend(e, (struct htmt__slice_time){slice, resource, start, start + service});
}

static void stop_waiting(struct htmt_emulator *e, uint32_t slice, uint32_t column,
                         const struct htmt__waiter *w)
{
    split(e->sections, (struct htmt__slice_time){slice, column, w->since, e->now});
}

/* ---- changes --------------------------------------------------------------------------------- */

static bool is_served(const struct htmt__entity *p)
{
    bool servable = p->kind == HTMT__PARCEL || p->kind == HTMT__FIBER;
    return servable && p->state == HTMT__PENDING && p->step->op == HTMT__SERVE;
}

/* No interval of the slice that is still to be told began before. Messages may be in other
 * partitions, and wait for nothing that is told. */
static htmt_time open_since(const struct htmt_emulator *e, uint32_t slice)
{
    const struct htmt__sections *s = e->sections;
    htmt_time open = htmt__inlets_since(e, slice);
    for (uint32_t i = 0; i < htmt__slice_at(e, slice)->fresh; i++) {
        const struct htmt__entity *p = htmt__entity_at(e, htmt__entity_key(slice, i));
        htmt_time since = e->now;
        if (p->kind == HTMT__MESSAGE && e->partition)
            continue;
        if (p->state == HTMT__IN_LINE || p->state == HTMT__FOR_SPACE)
            since = p->waiter.since;
        else if (is_served(p)) /* ends now or later */
            since = e->now - p->service;
        open = since < open ? since : open;
    }
    for (size_t i = 0; i < s->spans; i++)
        if (s->span[i].slice == slice && s->span[i].from < open)
            open = s->span[i].from;
    return open;
}

/* All but the change that was in force then, and those behind it. */
static void forget_before(struct htmt__sections *s, struct htmt__changes *c, htmt_time open)
{
    uint32_t gone = 0;
    while (gone + 1 < c->count && c->list[gone + 1].at <= open)
        gone++;
    if (!gone)
        return;
    s->section[0].time += c->list[0].at - c->settled;
    for (uint32_t i = 0; i < gone; i++)
        s->section[c->list[i].section].time += c->list[i + 1].at - c->list[i].at;
    c->settled = c->list[gone].at;
    c->count -= gone;
    memmove(c->list, &c->list[gone], c->count * sizeof *c->list);
}

/* How many are at that instant or before. */
static uint32_t changes_until(const struct htmt__changes *c, htmt_time at)
{
    uint32_t i = c->count;
    while (i && c->list[i - 1].at > at)
        i--;
    return i;
}

/* Changes that lie ahead may come in any order. One to the section that is on already is none, if
 * nothing can come between. */
static void change(struct htmt_emulator *e, uint32_t slice, uint32_t section, htmt_time at)
{
    struct htmt__sections *s = e->sections;
    struct htmt__changes *c = &s->changes[slice];
    if (at < 0)
        return;
    if (at < s->section[section].first)
        s->section[section].first = at;
    uint32_t i = changes_until(c, at);
    if (i && c->list[i - 1].at == at) {
        c->list[i - 1].section = section;
        return;
    }
    if (at <= e->now && section == (i ? c->list[i - 1].section : 0))
        return;
    if (c->count == c->room) {
        if (c->room >= CHANGES_LEAST)
            forget_before(s, c, open_since(e, slice));
        if (c->count >= c->room / 2 &&
            !htmt__array_fits(&c->list, &c->room, c->room + 1, sizeof *c->list)) {
            htmt__fail(e, HTMT_ENOMEM, "no host memory for sections");
            return;
        }
        i = changes_until(c, at);
    }
    memmove(&c->list[i + 1], &c->list[i], (c->count - i) * sizeof *c->list);
    c->list[i] = (struct change){at, section};
    c->count++;
}

/* ---- what the clock tells -------------------------------------------------------------------- */

static void turn(struct htmt_emulator *e, const struct htmt__entity *p)
{
    if (is_served(p))
        split(e->sections,
              (struct htmt__slice_time){p->slice, p->step->stats->resource, e->now - p->service,
                                        e->now - htmt__paused(p)});
}

static void woken(struct htmt_emulator *e, const struct htmt__entity *p, enum htmt__why why,
                  uint32_t of)
{
    if (why == HTMT__SPACE)
        stop_waiting(e, p->slice, 2 * e->sections->resources + of, &p->waiter);
}

static void served(struct htmt_emulator *e, const struct htmt__entity *p, uint32_t resource)
{
    (void)resource;
    stop_waiting(e, p->slice, e->sections->resources + p->step->stats->resource, &p->waiter);
}

static void out(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
                htmt_time start, htmt_time head)
{
    (void)p, (void)head;
    occupy(e, htmt__played(e, g->source), g->stats->resource, e->now, start, g->out_time);
}

/* A channel that is held: what it was waited for, then, up to now, how long. */
static void begun(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
                  htmt_time asked)
{
    (void)p;
    occupy(e, htmt__played(e, g->source), g->stats->resource, asked, e->now, 0);
}

static void held(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
                 htmt_time asked, htmt_time start)
{
    (void)p, (void)asked;
    occupy(e, htmt__played(e, g->source), g->stats->resource, start, start, e->now - start);
}

static void in(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
               htmt_time head, htmt_time start, htmt_time last)
{
    (void)p, (void)last;
    occupy(e, htmt__played(e, g->target), g->stats->in_resource, head, start, g->in_time);
}

static void stood(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
                  htmt_time since)
{
    (void)p;
    occupy(e, htmt__played(e, g->target), g->stats->in_resource, since, e->now, 0);
}

static void cell_served(struct htmt_emulator *e, uint32_t slice, struct htmt__stage_stats *stats,
                        uint64_t serial, htmt_time begin, htmt_time length)
{
    (void)serial;
    split(e->sections, (struct htmt__slice_time){slice, stats->resource, begin, begin + length});
}

/* ---- the end of the run ---------------------------------------------------------------------- */

static void stop_line(struct htmt_emulator *e, uint32_t slice, uint32_t column,
                      const struct htmt__line *line)
{
    for (const struct htmt__waiter *w = line->head; w; w = w->next)
        stop_waiting(e, slice, column, w);
}

/* Those that wait to the end stop, and what lies between changes becomes time of sections. */
static void close_own(struct htmt_emulator *e)
{
    struct htmt__sections *s = e->sections;
    for (uint32_t i = 0; i < own_slices(e); i++)
        s->changes[own_slice(e, i)].now = HTMT_TIME_MAX;
    split_past(s);
    for (uint32_t i = 0; i < own_slices(e); i++) {
        const uint32_t slice = own_slice(e, i);
        const struct htmt__changes *c = &s->changes[slice];
        htmt_time end = e->now;
        for (uint32_t l = 0; l < e->layers; l++) {
            stop_line(e, slice, s->resources + l, &htmt__bank_at(e, slice, l)->line);
            stop_line(e, slice, 2 * s->resources + l, &htmt__store_at(e, slice, l)->line);
        }
        for (uint32_t k = c->count; k; k--)
            if (c->list[k - 1].at < end) {
                s->section[c->list[k - 1].section].time += end - c->list[k - 1].at;
                end = c->list[k - 1].at;
            }
        s->section[0].time += end - c->settled;
    }
}

/* ---- the sections of partitions -------------------------------------------------------------- */

static int begin(struct htmt_emulator *e);
static uint32_t number_of(struct htmt_emulator *e, const char *name);

static void add_section(struct htmt_emulator *whole, const struct htmt__section_sum *part,
                        const htmt_wide *sum)
{
    struct htmt__sections *s = whole->sections;
    uint32_t at = number_of(whole, part->name);
    if (at == NONE)
        return;
    s->section[at].time += part->time;
    if (part->first < s->section[at].first)
        s->section[at].first = part->first;
    for (uint32_t k = 0; k < s->columns; k++)
        s->sum[at * s->columns + k] += sum[k];
}

static void merge(struct htmt_emulator *whole, const struct htmt_emulator *part)
{
    const struct htmt__sections *s = part->sections;
    if (!whole->sections && begin(whole))
        return;
    for (uint32_t i = 1; i < s->count; i++)
        add_section(whole, &s->section[i], &s->sum[i * s->columns]);
}

/* Each time the section that was declared first, of those that the whole does not have yet. */
void htmt__sections_join(struct htmt_emulator *whole)
{
    const struct htmt__windows *w = whole->windows;
    for (;;) {
        struct htmt__sections *part = NULL;
        const struct htmt__section_sum *first = NULL;
        for (uint32_t i = w->first; i < w->end; i++) {
            struct htmt__sections *s = w->partition[i].e->sections;
            if (s && s->joined < s->count &&
                (!first || htmt__fails_before(s->section[s->joined].declared, first->declared))) {
                part = s;
                first = &s->section[s->joined];
            }
        }
        if (!part || (!whole->sections && begin(whole)))
            return;
        number_of(whole, first->name);
        part->joined++;
    }
}

static void tell(const struct htmt_emulator *e, struct htmt__buffer *b)
{
    const struct htmt__sections *s = e->sections;
    uint32_t count = s ? s->count : 0;
    htmt__buffer_add(b, &count, sizeof count);
    for (uint32_t i = 1; i < count; i++) {
        htmt__buffer_add(b, &s->section[i], sizeof s->section[i]);
        htmt__buffer_add(b, &s->sum[i * s->columns], s->columns * sizeof *s->sum);
    }
}

static int hear(struct htmt_emulator *e, struct htmt__cursor *c)
{
    struct htmt__section_sum section;
    uint32_t count;
    htmt__cursor_take(c, &count, sizeof count);
    if (count && !e->sections && begin(e))
        return HTMT_ENOMEM;
    size_t bytes = count ? e->sections->columns * sizeof(htmt_wide) : 0;
    htmt_wide *sum = malloc(bytes + 1);
    for (uint32_t i = 1; sum && i < count && !c->broken; i++) {
        htmt__cursor_take(c, &section, sizeof section);
        htmt__cursor_take(c, sum, bytes);
        add_section(e, &section, sum);
    }
    free(sum);
    return sum ? 0 : HTMT_ENOMEM;
}

const struct htmt__section_operations htmt__section_operations = {tell, hear};

/* What all slices waited at a bank or for words, with those who wait to the end. */
static htmt_wide waited(const struct htmt_emulator *e, const struct htmt__tally *t, uint32_t layer,
                        bool bank)
{
    htmt_wide all = t->waited, integral = 0;
    for (uint32_t i = 0; i < e->played; i++)
        htmt__line_rest(bank ? &htmt__bank_at(e, i, layer)->line
                             : &htmt__store_at(e, i, layer)->line,
                        e->now, &all, &integral);
    return all;
}

static htmt_wide total(const struct htmt_emulator *e, uint32_t column)
{
    const uint32_t resources = e->sections->resources;
    if (column < resources)
        return e->tally[column].busy;
    column -= resources;
    if (column < e->layers)
        return waited(e, &e->tally[column], column, true);
    if (column < resources)
        return e->tally[column].waited;
    column -= resources;
    return waited(e, &e->store_class[column].tally, column, false);
}

/* In the whole of a run with windows, what the partitions' sections leave belongs to section 0: a
 * partition that came to no section counted none. */
static void close_all(struct htmt_emulator *e)
{
    struct htmt__sections *s = e->sections;
    if (!e->windows || e->partition) {
        close_own(e);
        return;
    }
    s->section[0].time = (htmt_wide)e->now * e->played;
    for (uint32_t k = 0; k < s->columns; k++)
        s->sum[k] = total(e, k);
    for (uint32_t i = 1; i < s->count; i++) {
        s->section[0].time -= s->section[i].time;
        for (uint32_t k = 0; k < s->columns; k++)
            s->sum[k] -= s->sum[i * s->columns + k];
    }
}

static const struct htmt__explain_probe probe = {
    .close = close_all,
    .merge = merge,
    .section = change,
    .turn = turn,
    .woken = woken,
    .served = served,
    .out = out,
    .in = in,
    .stood = stood,
    .cell_served = cell_served,
    .begun = begun,
    .held = held,
};

/* ---- what was before the first section ------------------------------------------------------- */

/* Part of what section 0 has been given: it is not over yet. */
static void take_back(struct htmt_emulator *e, struct htmt__slice_time part)
{
    htmt_time now = e->sections->changes[part.slice].now;
    if (part.from < now)
        part.from = now;
    if (part.to <= part.from)
        return;
    e->sections->sum[part.column] -= part.to - part.from;
    spend(e, part);
}

/* At the source those that wait follow each other without a gap. */
static void take_back_out(struct htmt_emulator *e, uint32_t slice, uint32_t network, uint32_t layer)
{
    if (!e->machine->network[network].port[layer].out)
        return;
    uint32_t resource = htmt__out_resource(e, network, layer);
    const struct htmt__link *l = htmt__port_at(e, slice, false, network, layer);
    take_back(e, (struct htmt__slice_time){slice, resource, 0, l->free});
    for (uint32_t i = 0; i + 1 < l->channels; i++)
        take_back(e, (struct htmt__slice_time){slice, resource, 0, l->more[i]});
    for (uint32_t i = 0; i < l->length; i++)
        take_back(e, (struct htmt__slice_time){slice, e->sections->resources + resource, 0,
                                               l->start[(l->head + i) & (l->room - 1)]});
}

/* What p's move occupies at its target. Its head may be still to come, where its times are known
 * beforehand. */
static void take_back_target(struct htmt_emulator *e, const struct htmt__entity *p)
{
    const struct htmt__step *s = p->step;
    struct htmt__leg g;
    if (p->kind == HTMT__MESSAGE) {
        g = p->message->leg;
    } else if (p->kind == HTMT__PARCEL && s->op == HTMT__MOVE) {
        g = (struct htmt__leg){
            .network = (uint32_t)s->network, .target = p->slice, .stats = s->stats};
        g.in_time = p->cost->passage[s->passage].in_time;
    } else {
        return;
    }
    if (g.network == HTMT__NO_NETWORK || g.stats->in_resource == UINT32_MAX)
        return;
    const uint32_t target = htmt__played(e, g.target), resource = g.stats->in_resource;
    htmt_time head = 0;
    if (e->net[g.network].one_source && !e->net[g.network].modelled && !e->net[g.network].fabric)
        head = p->tail - p->service + e->machine->network[g.network].startup;
    take_back(e,
              (struct htmt__slice_time){target, e->sections->resources + resource, head, p->start});
    take_back(e, (struct htmt__slice_time){target, resource, p->start, p->start + g.in_time});
}

static void take_back_in(struct htmt_emulator *e, const struct htmt__entity *p)
{
    if (p->state == HTMT__PENDING && !p->head)
        take_back_target(e, p);
}

static void take_back_in_line(void *emulator, struct htmt__head event)
{
    take_back_in(emulator, event.p);
}

/* In a run a message may have another event, at its source. */
static void take_back_pending(void *emulator, struct htmt__event event)
{
    struct htmt_emulator *e = emulator;
    const struct htmt__entity *p = htmt__entity_at(e, event.key);
    if (!p->leaving || p->message->sent_at != event.time)
        take_back_in(e, p);
}

/* What is under way over channels at the targets. Where others may play the slices that sent it, it
 * is found by its event: its next one is the end there. Else messages may have two events in a run,
 * so it is found by its place, and nothing is met twice. */
static void take_back_moves(struct htmt_emulator *e, const struct htmt__entity *p)
{
    if (e->partition) {
        if (e->lane)
            htmt__lane_each(e->lane, take_back_in_line, e);
        htmt__pending_each(&e->pending, take_back_pending, e);
    }
    /* Heads are there, and the rest is under way as packets. */
    for (uint32_t i = 0; e->packets && i < e->packets->landings; i++)
        if (e->packets->landing[i].p)
            take_back_target(e, e->packets->landing[i].p);
    for (uint32_t slice = 0; !e->partition && slice < e->played; slice++) {
        if (p && e->alone && slice != p->slice)
            continue;
        for (uint32_t i = 0; i < htmt__slice_at(e, slice)->fresh; i++)
            take_back_in(e, htmt__entity_at(e, htmt__entity_key(slice, i)));
        for (uint32_t i = 0; e->post && i < e->post[slice].fresh; i++)
            take_back_in(e, htmt__entity_at(e, htmt__entity_key(slice, HTMT__BETWEEN + i)));
    }
}

/* All that was counted so far belongs to section 0, but what lies ahead. Of slices that are played
 * one by one only one is on. */
static void begin_counting(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct htmt__sections *s = e->sections;
    for (uint32_t r = 0; r < s->resources; r++) {
        s->sum[r] = e->tally[r].busy;
        s->sum[s->resources + r] = e->tally[r].waited;
    }
    for (uint32_t l = 0; l < e->layers; l++)
        s->sum[2 * s->resources + l] = e->store_class[l].tally.waited;
    if (e->guard)
        htmt__guard_open(e->guard);
    for (uint32_t i = 0; i < own_slices(e); i++)
        s->changes[own_slice(e, i)].now = e->now;
    for (uint32_t i = 0; i < own_slices(e); i++) {
        if (p && e->alone && own_slice(e, i) != p->slice)
            continue;
        for (uint32_t n = 0; n < e->networks; n++)
            for (uint32_t l = 0; l < e->layers; l++)
                take_back_out(e, own_slice(e, i), n, l);
    }
    take_back_moves(e, p);
    if (e->guard && p)
        htmt__guard_enter(e->guard, p->slice);
}

/* ---- declared -------------------------------------------------------------------------------- */

void htmt__sections_destroy(struct htmt_emulator *e)
{
    struct htmt__sections *s = e->sections;
    if (!s)
        return;
    for (uint32_t i = 0; s->changes && i < e->played; i++)
        free(s->changes[i].list);
    free(s->changes);
    free(s->sum);
    free(s->span);
    free(s);
    e->sections = NULL;
}

static int begin(struct htmt_emulator *e)
{
    struct htmt__sections *s = e->sections = calloc(1, sizeof *s);
    int rc = HTMT_ENOMEM;
    if (s) {
        s->resources = htmt__resource_count(e);
        s->columns = 2 * s->resources + e->layers;
        s->count = s->joined = 1;
        s->section[0].first = -1;
        s->changes = calloc(e->played, sizeof *s->changes);
        s->sum = calloc(s->columns, sizeof *s->sum);
        if (s->changes && s->sum)
            rc = htmt__probes_add(e, &probe);
        else
            htmt__sections_destroy(e);
    }
    return rc ? htmt__fail(e, rc, "no host memory for sections") : 0;
}

static uint32_t find(const struct htmt__sections *s, const char *name)
{
    uint32_t i = 0;
    while (i < s->count && strcmp(s->section[i].name, name) != 0)
        i++;
    return i;
}

/* A new one if there is none of that name. NONE: it cannot be. */
static uint32_t number_of(struct htmt_emulator *e, const char *name)
{
    struct htmt__sections *s = e->sections;
    const uint32_t section = find(s, name);
    if (section < s->count)
        return section;
    if (s->count == HTMT__SECTIONS_MAX) {
        htmt__refuse(e, HTMT_EINVAL, "htmt_section() of a %uth name, expected at most %u",
                     HTMT__SECTIONS_MAX, HTMT__SECTIONS_MAX - 1);
        return NONE;
    }
    htmt_wide *more = realloc(s->sum, (s->count + 1) * s->columns * sizeof *more);
    if (!more) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for sections");
        return NONE;
    }
    s->sum = more;
    memset(&more[s->count * s->columns], 0, s->columns * sizeof *more);
    s->section[s->count] =
        (struct htmt__section_sum){.first = HTMT_TIME_MAX, .declared = {e->now, htmt__order(e)}};
    strcpy(s->section[s->count++].name, name);
    return section;
}

void htmt_section(struct htmt_context *c, const char *name)
{
    if (!htmt__permit_start(c, "htmt_section()") ||
        htmt__given(c->e, name, "htmt_section()", "name"))
        return;
    struct htmt_emulator *e = c->e;
    if (strlen(name) >= sizeof e->sections->section->name) {
        htmt__refuse(e, HTMT_EINVAL, "htmt_section() of a name of %zu bytes, expected at most 63",
                     strlen(name));
        return;
    }
    if (!e->sections) {
        if (begin(e))
            return;
        begin_counting(e, c->p);
    }
    uint32_t section = number_of(e, name);
    if (section == NONE)
        return;
    for (uint32_t i = 0; !c->p && i < e->played; i++)
        change(e, i, section, 0);
    struct htmt__entry *entry = c->p ? htmt__entry_create(e, HTMT__SECTION) : NULL;
    if (!entry)
        return;
    entry->amount = section;
    htmt__log_write(c, entry);
}

/* ---- asked by other observers ---------------------------------------------------------------- */

const char *htmt__section_name(const struct htmt_emulator *e, uint32_t number)
{
    return e->sections && number < e->sections->count ? e->sections->section[number].name : NULL;
}

uint32_t htmt__section_number(const struct htmt_emulator *whole, const struct htmt_emulator *part,
                              uint32_t number)
{
    const char *name = htmt__section_name(part, number);
    return name && whole->sections ? find(whole->sections, name) : 0;
}

uint32_t htmt__section_of(const struct htmt_emulator *e, uint32_t slice)
{
    const struct htmt__changes *c = e->sections ? &e->sections->changes[slice] : NULL;
    return c && c->count ? c->list[c->count - 1].section : 0;
}
