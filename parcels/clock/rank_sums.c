/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The end of a run in several ranks: each tells the others what its slices have counted.
 */
#include "parcels/clock/partition.h"
#include "parcels/clock/rank_turn.h"
#include "parcels/clock/statistics.h"
#include "parcels/message/collective.h"
#include "parcels/message/mailbox.h"
#include "parcels/message/packet_network.h"
#include "parcels/message/packet_router.h"

#include <stdlib.h>

/* What a report, or the check of the end, asks of a slice. */
struct slice_sums {
    uint32_t slice;
    uint64_t history, live;
};

bool htmt_slice_here(const struct htmt_emulator *e, uint32_t slice)
{
    return e && htmt__rank_plays(e, slice);
}

/* ---- told ------------------------------------------------------------------------------------ */

static void add_account(struct htmt__buffer *b, const struct htmt__stage_stats *s)
{
    struct htmt__stage_stats sum = htmt__stage_stats_sum(s);
    const bool played = s->played != NULL;
    sum.played = NULL;
    sum.next = NULL;
    sum.alike = (struct htmt__alike){.time = -1};
    htmt__buffer_add(b, &sum, sizeof sum);
    htmt__buffer_add(b, &played, sizeof played);
    if (played)
        htmt__buffer_add(b, s->played, sizeof *s->played);
}

static void add_messages(struct htmt__buffer *b, const struct htmt_emulator *e)
{
    for (size_t i = 0; i < htmt__message_stats_places(e); i++) {
        bool used = e->message_stats[i] != NULL;
        htmt__buffer_add(b, &used, sizeof used);
        if (used)
            add_account(b, e->message_stats[i]);
    }
}

/* With those of its slices that wait to the end. */
static void add_tallies(struct htmt__buffer *b, const struct htmt_emulator *e)
{
    for (uint32_t i = 0; i < htmt__resource_count(e); i++) {
        struct htmt__tally tally = e->tally[i];
        for (uint32_t slice = 0; i < e->layers && slice < e->played; slice++)
            if (htmt__rank_plays(e, slice))
                htmt__line_rest(&htmt__bank_at(e, slice, i)->line, e->now, &tally.waited,
                                &tally.integral);
        htmt__buffer_add(b, &tally, sizeof tally);
    }
}

static void add_stocks(struct htmt__buffer *b, const struct htmt_emulator *e)
{
    for (uint32_t l = 0; l < e->layers; l++) {
        struct htmt__store_class store_class = e->store_class[l];
        for (uint32_t slice = 0; slice < e->played; slice++)
            if (htmt__rank_plays(e, slice))
                htmt__line_rest(&htmt__store_at(e, slice, l)->line, e->now,
                                &store_class.tally.waited, &store_class.tally.integral);
        htmt__buffer_add(b, &store_class, sizeof store_class);
    }
}

static void add_sums(struct htmt__buffer *b, const struct htmt_emulator *e)
{
    htmt__buffer_add(b, &e->parcels, sizeof e->parcels);
    add_tallies(b, e);
    add_stocks(b, e);
    for (const struct htmt__stage_stats *s = e->stats; s && !s->use.number; s = s->next)
        add_account(b, s);
    for (const struct htmt_type *t = e->types; t; t = t->next)
        htmt__buffer_add(b, &t->half, sizeof t->half);
    add_messages(b, e);
}

static void add_slice(struct htmt__buffer *b, const struct htmt_emulator *e, uint32_t slice)
{
    const struct htmt__slice *s = htmt__slice_at(e, slice);
    struct slice_sums sums = {slice, s->history, s->live};
    htmt__buffer_add(b, &sums, sizeof sums);
    for (const struct htmt__collective *t = e->collectives; t; t = t->next) {
        struct htmt__part part = t->ways->part(t, slice);
        htmt__buffer_add(b, &part.joined, sizeof part.joined);
    }
}

static void add_slices(struct htmt__buffer *b, const struct htmt_emulator *e)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < e->played; i++)
        count += htmt__rank_plays(e, i);
    htmt__buffer_add(b, &count, sizeof count);
    for (uint32_t i = 0; i < e->played; i++)
        if (htmt__rank_plays(e, i))
            add_slice(b, e, i);
}

static void add_mail(struct htmt__buffer *b, const struct htmt_emulator *e)
{
    for (const struct htmt_mailbox *m = e->mailboxes; m; m = htmt__mailbox_next(m)) {
        uint64_t records =
            htmt__rank_plays(e, htmt__mailbox_slice(m)) ? htmt__mailbox_records(m) : 0;
        htmt__buffer_add(b, &records, sizeof records);
    }
}

/* What the ports of its slices did; those of others' are zeros here. */
static void add_ports(struct htmt__buffer *b, const struct htmt_emulator *e)
{
    for (uint32_t n = 0; n < e->networks; n++) {
        const struct htmt__fabric_net *net = e->net[n].fabric;
        if (!net || !net->account)
            continue;
        htmt__buffer_add(b, net->count, net->places * sizeof *net->count);
        htmt__buffer_add(b, net->account, htmt__fabric_ports(net) * sizeof *net->account);
        htmt__buffer_add(b, &net->ties.count, sizeof net->ties.count);
        htmt__buffer_add(b, net->ties.at, net->ties.count * sizeof *net->ties.at);
    }
}

static void add_routers(struct htmt__buffer *b, const struct htmt_emulator *e)
{
    for (uint32_t l = 0; e->routers && l < e->layers; l++)
        if (e->routers->layer[l].at)
            htmt__buffer_add(b, e->routers->layer[l].count,
                             e->played * sizeof *e->routers->layer[l].count);
}

/* ---- heard ----------------------------------------------------------------------------------- */

/* What another rank has counted of a stage. */
struct heard {
    struct htmt__stage_stats sum;
    struct htmt__played played;
};

static void take_account(struct htmt__cursor *c, struct heard *h)
{
    bool played = false;
    htmt__cursor_take(c, &h->sum, sizeof h->sum);
    htmt__cursor_take(c, &played, sizeof played);
    if (!played)
        return;
    htmt__cursor_take(c, &h->played, sizeof h->played);
    h->sum.played = &h->played;
}

static void hear_account(struct htmt__cursor *c, struct htmt__stage_stats *s)
{
    struct heard h;
    take_account(c, &h);
    if (!c->broken)
        htmt__stage_stats_merge(s, &h.sum);
}

static int hear_messages(struct htmt__cursor *c, struct htmt_emulator *e)
{
    struct heard h;
    int rc = 0;
    for (size_t i = 0; i < htmt__message_stats_places(e) && !rc && !c->broken; i++) {
        bool used;
        htmt__cursor_take(c, &used, sizeof used);
        if (!used)
            continue;
        take_account(c, &h);
        rc = htmt__message_stats_add(e, i, &h.sum);
    }
    return rc;
}

/* The set-up has taken memory, too, in every rank. */
static void hear_store_class(struct htmt__cursor *c, struct htmt__store_class *k,
                             const struct htmt__store_class *setup)
{
    struct htmt__store_class heard;
    htmt__cursor_take(c, &heard, sizeof heard);
    heard.taken -= setup->taken;
    heard.given -= setup->given;
    htmt__store_class_merge(k, &heard);
}

static int hear_sums(struct htmt__cursor *c, struct htmt_emulator *e)
{
    const struct htmt__rank *r = e->windows->rank;
    struct htmt__tally tally;
    struct htmt__half half;
    uint64_t parcels;
    htmt__cursor_take(c, &parcels, sizeof parcels);
    e->parcels += parcels - r->parcels;
    for (uint32_t i = 0; i < htmt__resource_count(e); i++) {
        htmt__cursor_take(c, &tally, sizeof tally);
        htmt__tally_merge(&e->tally[i], &tally);
    }
    for (uint32_t l = 0; l < e->layers; l++)
        hear_store_class(c, &e->store_class[l], &r->store_class[l]);
    for (struct htmt__stage_stats *s = e->stats; s && !s->use.number; s = s->next)
        hear_account(c, s);
    for (struct htmt_type *t = e->types; t; t = t->next) {
        htmt__cursor_take(c, &half, sizeof half);
        htmt__half_merge(&t->half, &half, e->options.symmetry != HTMT_INDEPENDENT);
    }
    return hear_messages(c, e);
}

static void hear_slice(struct htmt__cursor *c, struct htmt_emulator *e)
{
    struct slice_sums sums;
    uint64_t joined;
    htmt__cursor_take(c, &sums, sizeof sums);
    if (c->broken || sums.slice >= e->played)
        return;
    htmt__slice_at(e, sums.slice)->history = sums.history;
    htmt__slice_at(e, sums.slice)->live = sums.live;
    for (struct htmt__collective *t = e->collectives; t; t = t->next) {
        htmt__cursor_take(c, &joined, sizeof joined);
        t->ways->joined(t, sums.slice, joined);
    }
}

static void hear_slices(struct htmt__cursor *c, struct htmt_emulator *e)
{
    uint32_t count;
    htmt__cursor_take(c, &count, sizeof count);
    for (uint32_t i = 0; i < count && !c->broken; i++)
        hear_slice(c, e);
}

static void hear_mail(struct htmt__cursor *c, struct htmt_emulator *e)
{
    const struct htmt_mailbox *m = e->mailboxes;
    for (; m; m = htmt__mailbox_next(m)) {
        uint64_t records;
        htmt__cursor_take(c, &records, sizeof records);
        if (records)
            htmt__mailbox_records_set(e->windows->rank->mailbox[htmt__mailbox_number(m)], records);
    }
}

static int hear_ties(struct htmt__cursor *c, struct htmt__fabric_ties *ties)
{
    struct htmt__fabric_tie tie;
    uint32_t count = 0;
    int rc = 0;
    htmt__cursor_take(c, &count, sizeof count);
    for (uint32_t i = 0; i < count && !c->broken && !rc; i++) {
        htmt__cursor_take(c, &tie, sizeof tie);
        rc = htmt__fabric_ties_add(ties, &tie);
    }
    return rc;
}

static int hear_ports(struct htmt__cursor *c, struct htmt_emulator *e)
{
    struct htmt__packet_count count;
    struct htmt__port_account account;
    int rc = 0;
    for (uint32_t n = 0; n < e->networks && !rc; n++) {
        struct htmt__fabric_net *net = e->net[n].fabric;
        if (!net || !net->account)
            continue;
        for (uint32_t i = 0; i < net->places && !c->broken; i++) {
            htmt__cursor_take(c, &count, sizeof count);
            htmt__packet_count_add(&net->count[i], &count);
        }
        for (uint32_t i = 0; i < htmt__fabric_ports(net) && !c->broken; i++) {
            htmt__cursor_take(c, &account, sizeof account);
            htmt__port_account_add(&net->account[i], &account);
        }
        rc = hear_ties(c, &net->ties);
    }
    return rc;
}

static void hear_routers(struct htmt__cursor *c, struct htmt_emulator *e)
{
    struct htmt__router_count count;
    for (uint32_t l = 0; e->routers && l < e->layers; l++)
        for (uint32_t i = 0; e->routers->layer[l].at && i < e->played && !c->broken; i++) {
            htmt__cursor_take(c, &count, sizeof count);
            htmt__router_count_add(&e->routers->layer[l].count[i], &count);
        }
}

static int hear(struct htmt__cursor *c, struct htmt_emulator *e)
{
    int rc = hear_sums(c, e);
    hear_slices(c, e);
    hear_mail(c, e);
    rc = rc ? rc : hear_ports(c, e);
    hear_routers(c, e);
    rc = rc ? rc : e->section_ways->hear(e, c);
    return rc || !c->broken ? rc : HTMT_ESYSTEM;
}

/* ---- both ------------------------------------------------------------------------------------ */

int htmt__rank_gather(struct htmt_emulator *e)
{
    struct htmt__rank *r = e->windows->rank;
    struct htmt__rank_word own = {.next = HTMT_TIME_MAX};
    struct htmt__cursor *cursor = calloc(r->ranks->count, sizeof *cursor);
    int rc = cursor ? 0 : HTMT_ENOMEM;
    r->fault.code = 0;
    own.failed =
        e->fault.code != 0; /* by a kernel, too, whose turn came before the clock's failure */
    htmt__rank_turn_begin(r, &own, &e->fault, e->failure);
    for (uint32_t i = 0; i < r->ranks->count; i++)
        if (i != r->ranks->rank) {
            add_sums(&r->out[i], e);
            add_slices(&r->out[i], e);
            add_mail(&r->out[i], e);
            add_ports(&r->out[i], e);
            add_routers(&r->out[i], e);
            e->section_ways->tell(e, &r->out[i]);
        }
    rc = rc ? rc : htmt__rank_turn_end(e, cursor);
    for (uint32_t i = 0; i < r->ranks->count && !rc; i++)
        if (i != r->ranks->rank)
            rc = hear(&cursor[i], e);
    free(cursor);
    r->lost |= rc != 0;
    if (rc)
        return htmt__fail(e, rc, "what other ranks have counted is not whole, or has no room");
    e->fault = r->fault;
    return 0;
}

/* ---- a run that cannot go on ----------------------------------------------------------------- */

static void hear_stuck(struct htmt__buffer *all, const struct htmt__cursor *c)
{
    htmt__buffer_add(all, c->at, (size_t)(c->end - c->at));
}

void htmt__rank_gather_stuck(struct htmt_emulator *e)
{
    struct htmt__rank *r = e->windows->rank;
    struct htmt__rank_word own = {.next = HTMT_TIME_MAX};
    struct htmt__cursor *cursor = calloc(r->ranks->count, sizeof *cursor);
    e->stuck_ways->tell(e, &r->stuck);
    r->lost |= !cursor || r->stuck.lacking;
    htmt__rank_turn_begin(r, &own, NULL, (struct htmt__failure){0, 0});
    for (uint32_t i = 0; i < r->ranks->count; i++)
        if (i != r->ranks->rank)
            htmt__buffer_add(&r->out[i], r->stuck.at, r->stuck.size);
    if (!htmt__rank_turn_end(e, cursor))
        for (uint32_t i = 0; i < r->ranks->count; i++)
            hear_stuck(&r->stuck, &cursor[i]);
    free(cursor);
}

/* ---- what the program has counted ------------------------------------------------------------ */

/* Nothing is written unless all is there. */
static int hear_records(struct htmt__cursor *c, const struct htmt_emulator *e, uint32_t rank,
                        char *first, size_t bytes, size_t stride)
{
    const struct htmt__windows *w = e->windows;
    size_t slices = 0;
    for (uint32_t i = 0; i < e->played; i++)
        slices += htmt__rank_of(w, w->partition_of[i]) == rank;
    if ((size_t)(c->end - c->at) != slices * bytes)
        return HTMT_ESYSTEM;
    for (uint32_t i = 0; i < e->played; i++)
        if (htmt__rank_of(w, w->partition_of[i]) == rank)
            htmt__cursor_take(c, first + i * stride, bytes);
    return 0;
}

static int share(struct htmt_emulator *e, char *first, size_t bytes, size_t stride,
                 struct htmt__cursor *cursor)
{
    struct htmt__rank *r = e->windows->rank;
    struct htmt__rank_word own = {.next = HTMT_TIME_MAX};
    htmt__rank_turn_begin(r, &own, NULL, (struct htmt__failure){0, 0});
    for (uint32_t to = 0; to < r->ranks->count; to++)
        for (uint32_t i = 0; i < e->played && to != r->ranks->rank; i++)
            if (htmt__rank_plays(e, i))
                htmt__buffer_add(&r->out[to], first + i * stride, bytes);
    int rc = htmt__rank_turn_end(e, cursor);
    for (uint32_t i = 0; i < r->ranks->count && !rc; i++)
        if (i != r->ranks->rank)
            rc = hear_records(&cursor[i], e, i, first, bytes, stride);
    r->lost |= rc != 0;
    return rc;
}

int htmt_slices_share(struct htmt_emulator *e, void *first, size_t bytes, size_t stride)
{
    if (!e || !first || atomic_load(&e->state) != HTMT__ENDED)
        return HTMT_EINVAL;
    struct htmt__rank *r = e->windows ? e->windows->rank : NULL;
    if (!r)
        return 0;
    if (r->lost || !e->windows->played)
        return HTMT_ESYSTEM;
    struct htmt__cursor *cursor = calloc(r->ranks->count, sizeof *cursor);
    r->lost = !cursor;
    int rc = cursor ? share(e, first, bytes, stride, cursor) : HTMT_ENOMEM;
    free(cursor);
    return rc;
}
