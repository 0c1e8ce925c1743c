/* SPDX-License-Identifier: BSD-3-Clause
 *
 * After a run in several ranks: each tells the others what its slices have counted, and what lies
 * in their objects.
 *
 * A rank counts only what its own slices do. What it counts is of two kinds.
 *
 * - Over all slices: the history, tallies of resources, accounts of stages and messages, words of
 * memories. Each is a sum, a least or a greatest value, so the order in which ranks are added up
 * does not matter, and each ends with the same report as one process would.
 *
 * - Of one slice: what is alive there, for how long its servers, channels and memories were in use
 * and waited for. The one rank that plays the slice tells it; the others, for whom it is zero, take
 * it as it is. So the busiest slice of a report is the busiest of all ranks.
 *
 * All ranks run the whole set-up, so what it has counted stands in every rank and must enter once.
 * It is subtracted from what the others tell. By hand: the set-up puts objects of 100 words into a
 * memory of slice 0 and of slice 1; so `taken` is 200 in either of two ranks. In the run slice 0,
 * of rank 0, takes 30 more, slice 1 takes 50. Rank 0 has 230 and hears 250, of which 200 are the
 * set-up's: 280. Rank 1 has 250 and hears 230: 280 as well, which is what one process counts.
 *
 * Who still waits when the run is over is in no sum yet: a wait is added when it ends. So the
 * teller adds what those in lines of its own slices have waited until now (htmt__line_rest()), and
 * where it hears, those lines are empty and add nothing a second time.
 *
 * tell() and hear() are two halves of one format: what one writes the other reads in the same
 * order, with the same conditions. The lists that they follow (resources, types, collectives,
 * mailboxes) are of the set-up, and thus the same in all ranks. A rank that ends too early leaves a
 * cursor that is broken: it gives zeros, and the gathering ends with HTMT_ESYSTEM.
 *
 * Each rank tells all others, once a run: 32 bytes a slice and resource, and some hundred a stage.
 * With 4096 slices and 20 resources that is 2.6 MB to each.
 */
#include "parcels/clock/partition.h"
#include "parcels/clock/rank.h"
#include "parcels/clock/statistics.h"
#include "parcels/message/cell_clock.h"
#include "parcels/message/collective.h"
#include "parcels/message/mailbox.h"
#include "parcels/message/packet_network.h"
#include "parcels/message/packet_router.h"
#include "parcels/message/post.h"
#include "parcels/walk/controller.h"
#include "parcels/walk/permit.h"

#include <stdlib.h>

/* What a report, or the check of the end, asks of a slice. */
struct slice_sums {
    uint32_t slice;
    uint64_t live;
};

bool htmt_slice_here(const struct htmt_emulator *e, uint32_t slice)
{
    return e && htmt__rank_plays(e, slice);
}

/* ---- told ------------------------------------------------------------------------------------ */

static void tell_account(struct htmt__buffer *b, const struct htmt__stage_stats *s)
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

/* Those that wait to the end in lines of this rank's slices have waited up to now. */
static void tell_sums(struct htmt__buffer *b, const struct htmt_emulator *e)
{
    htmt__buffer_add(b, &e->history, sizeof e->history);
    htmt__buffer_add(b, &e->parcels, sizeof e->parcels);
    htmt__buffer_add(b, &e->steered, sizeof e->steered);
    for (uint32_t i = 0; i < htmt__resource_count(e); i++) {
        struct htmt__tally tally = e->tally[i];
        for (uint32_t slice = 0; i < e->layers && slice < e->played; slice++)
            if (htmt__rank_plays(e, slice))
                htmt__line_rest(&htmt__bank_at(e, slice, i)->line, e->now, &tally.waited,
                                &tally.integral);
        htmt__buffer_add(b, &tally, sizeof tally);
    }
    for (uint32_t l = 0; l < e->layers; l++) {
        struct htmt__store_class class = e->store_class[l];
        for (uint32_t slice = 0; slice < e->played; slice++)
            if (htmt__rank_plays(e, slice))
                htmt__line_rest(&htmt__store_at(e, slice, l)->line, e->now, &class.tally.waited,
                                &class.tally.integral);
        htmt__buffer_add(b, &class, sizeof class);
    }
    for (const struct htmt__stage_stats *s = e->stats; s && !s->use.number; s = s->next)
        tell_account(b, s);
    for (const struct htmt_type *t = e->types; t; t = t->next) {
        htmt__buffer_add(b, &t->half, sizeof t->half);
        htmt__buffer_add(b, &t->posts, sizeof t->posts);
    }
    for (size_t i = 0; i < htmt__message_stats_places(e); i++) {
        bool used = e->message_stats[i] != NULL;
        htmt__buffer_add(b, &used, sizeof used);
        if (used)
            tell_account(b, e->message_stats[i]);
    }
    if (e->banked)
        htmt__buffer_add(b, htmt__controller_sums(e), sizeof(struct htmt_host_commands));
}

static void tell_slices(struct htmt__buffer *b, const struct htmt_emulator *e)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < e->played; i++)
        count += htmt__rank_plays(e, i);
    htmt__buffer_add(b, &count, sizeof count);
    for (uint32_t i = 0; i < e->played; i++) {
        const struct htmt__slice *s = htmt__slice_at(e, i);
        struct slice_sums sums = {i, s->live};
        if (!htmt__rank_plays(e, i))
            continue;
        htmt__buffer_add(b, &sums, sizeof sums);
        for (uint32_t r = 0; r < htmt__resource_count(e); r++) {
            struct htmt__slice_use use = {0};
            htmt__slice_use_of(e, r, i, &use);
            htmt__buffer_add(b, &use, sizeof use);
        }
        for (uint32_t l = 0; l < e->layers; l++) {
            htmt_wide stall = htmt__slice_stall_of(e, l, i);
            htmt__buffer_add(b, &stall, sizeof stall);
        }
        for (const struct htmt__collective *t = e->collectives; t; t = t->next) {
            struct htmt__part part = t->operations->part(t, i);
            htmt__buffer_add(b, &part.joined, sizeof part.joined);
        }
    }
    for (const struct htmt_mailbox *m = e->mailboxes; m; m = htmt__mailbox_next(m)) {
        uint64_t records =
            htmt__rank_plays(e, htmt__mailbox_slice(m)) ? htmt__mailbox_records(m) : 0;
        htmt__buffer_add(b, &records, sizeof records);
    }
}

/* What ports and routers of its slices did; those of others' are zeros here. */
/* Who waits for full queues, for the circle of a deadlock. */
static void tell_posts(struct htmt__buffer *b, const struct htmt_emulator *e)
{
    struct htmt__post_wait *waits = e->posts ? calloc(e->played, sizeof *waits) : NULL;
    for (uint32_t l = 0; e->posts && l < e->layers; l++) {
        if (!e->posts->layer[l].box || !e->posts->layer[l].limited)
            continue;
        if (waits)
            htmt__posts_waits(e, l, waits);
        else
            b->lacking = true;
        htmt__buffer_add(b, waits, e->played * sizeof *waits);
    }
    free(waits);
}

static void tell_networks(struct htmt__buffer *b, const struct htmt_emulator *e)
{
    const uint32_t end = UINT32_MAX; /* of the ports that had packets */
    for (uint32_t n = 0; n < e->networks; n++) {
        const struct htmt__fabric_net *net = e->net[n].fabric;
        if (!net || !net->account)
            continue;
        htmt__buffer_add(b, net->count, net->places * sizeof *net->count);
        for (uint32_t i = 0; (i = htmt__port_used(net, i)) < htmt__fabric_ports(net); i++) {
            htmt__buffer_add(b, &i, sizeof i);
            htmt__buffer_add(b, &net->account[i], sizeof net->account[i]);
        }
        htmt__buffer_add(b, &end, sizeof end);
        htmt__buffer_add(b, &net->edges.count, sizeof net->edges.count);
        htmt__buffer_add(b, net->edges.at, net->edges.count * sizeof *net->edges.at);
    }
    if (e->cell_net)
        htmt__buffer_add(b, e->cell_net, sizeof *e->cell_net);
    if (e->cell_net && e->cell_net->places)
        htmt__buffer_add(b, e->cell_net->waits, e->cell_net->places * sizeof *e->cell_net->waits);
    if (e->cell_net && e->cell_net->series)
        htmt__buffer_add(b, e->cell_net->series, sizeof *e->cell_net->series);
    for (uint32_t l = 0; e->routers && l < e->layers; l++)
        if (e->routers->layer[l].at)
            htmt__buffer_add(b, e->routers->layer[l].count,
                             e->played * sizeof *e->routers->layer[l].count);
}

/* ---- heard ----------------------------------------------------------------------------------- */

/* What another rank has counted of a stage. */
struct account {
    struct htmt__stage_stats sum;
    struct htmt__played played;
};

static void hear_account(struct htmt__cursor *c, struct account *a)
{
    bool played = false;
    htmt__cursor_take(c, &a->sum, sizeof a->sum);
    htmt__cursor_take(c, &played, sizeof played);
    if (!played)
        return;
    htmt__cursor_take(c, &a->played, sizeof a->played);
    a->sum.played = &a->played;
}

/* One rank alone has the controller's place; the sums of all others are zero. */
static void hear_commands(struct htmt__cursor *c, struct htmt_host_commands *sums)
{
    struct htmt_host_commands more = {0};
    htmt__cursor_take(c, &more, sizeof more);
    sums->pushes += more.pushes;
    sums->pulls += more.pulls;
    sums->launches += more.launches;
    sums->pushed += more.pushed;
    sums->pulled += more.pulled;
    sums->push += more.push;
    sums->pull += more.pull;
    sums->launch += more.launch;
    sums->held |= more.held;
}

static int hear_sums(struct htmt__cursor *c, struct htmt_emulator *e)
{
    const struct htmt__rank *r = e->windows->rank;
    struct account account;
    htmt_uwide history;
    uint64_t parcels;
    int rc = 0;
    htmt__cursor_take(c, &history, sizeof history);
    e->history += history;
    htmt__cursor_take(c, &parcels, sizeof parcels);
    e->parcels += parcels - r->parcels;
    bool steered = false;
    htmt__cursor_take(c, &steered, sizeof steered);
    e->steered |= steered;
    for (uint32_t i = 0; i < htmt__resource_count(e); i++) {
        struct htmt__tally tally;
        htmt__cursor_take(c, &tally, sizeof tally);
        htmt__tally_merge(&e->tally[i], &tally);
    }
    for (uint32_t l = 0; l < e->layers; l++) {
        struct htmt__store_class class;
        htmt__cursor_take(c, &class, sizeof class);
        class.taken -= r->store_class[l].taken; /* every rank's set-up has taken it */
        class.given -= r->store_class[l].given;
        htmt__store_class_merge(&e->store_class[l], &class);
    }
    for (struct htmt__stage_stats *s = e->stats; s && !s->use.number; s = s->next) {
        hear_account(c, &account);
        if (!c->broken)
            htmt__stage_stats_merge(s, &account.sum);
    }
    for (struct htmt_type *t = e->types; t; t = t->next) {
        struct htmt__half half;
        htmt__cursor_take(c, &half, sizeof half);
        htmt__half_merge(&t->half, &half, e->options.symmetry != HTMT_INDEPENDENT);
        struct htmt__post_sums posts;
        htmt__cursor_take(c, &posts, sizeof posts);
        htmt__post_sums_merge(&t->posts, &posts);
    }
    for (size_t i = 0; i < htmt__message_stats_places(e) && !rc && !c->broken; i++) {
        bool used;
        htmt__cursor_take(c, &used, sizeof used);
        if (!used)
            continue;
        hear_account(c, &account);
        rc = htmt__message_stats_add(e, i, &account.sum);
    }
    if (e->banked && !rc)
        hear_commands(c, htmt__controller_sums(e));
    return rc;
}

static void hear_slices(struct htmt__cursor *c, struct htmt_emulator *e)
{
    uint32_t count;
    htmt__cursor_take(c, &count, sizeof count);
    for (uint32_t i = 0; i < count && !c->broken; i++) {
        struct slice_sums sums;
        uint64_t joined;
        htmt__cursor_take(c, &sums, sizeof sums);
        if (c->broken || sums.slice >= e->played)
            continue;
        htmt__slice_at(e, sums.slice)->live = sums.live;
        for (uint32_t r = 0; r < htmt__resource_count(e) && !c->broken; r++) {
            struct htmt__slice_use use = {0};
            htmt__cursor_take(c, &use, sizeof use);
            htmt__slice_use_set(e, r, sums.slice, &use);
        }
        for (uint32_t l = 0; l < e->layers && !c->broken; l++) {
            htmt_wide stall = 0;
            htmt__cursor_take(c, &stall, sizeof stall);
            htmt__store_at(e, sums.slice, l)->line.waited = stall;
        }
        for (struct htmt__collective *t = e->collectives; t; t = t->next) {
            htmt__cursor_take(c, &joined, sizeof joined);
            t->operations->joined(t, sums.slice, joined);
        }
    }
    for (const struct htmt_mailbox *m = e->mailboxes; m; m = htmt__mailbox_next(m)) {
        uint64_t records;
        htmt__cursor_take(c, &records, sizeof records);
        if (records)
            htmt__mailbox_records_set(e->windows->rank->mailbox[htmt__mailbox_number(m)], records);
    }
}

static int hear_ports(struct htmt__cursor *c, struct htmt_emulator *e)
{
    int rc = 0;
    for (uint32_t n = 0; n < e->networks && !rc; n++) {
        struct htmt__fabric_net *net = e->net[n].fabric;
        uint32_t edges = 0;
        if (!net || !net->account)
            continue;
        for (uint32_t i = 0; i < net->places && !c->broken; i++) {
            struct htmt__packet_count count;
            htmt__cursor_take(c, &count, sizeof count);
            htmt__packet_count_add(&net->count[i], &count);
        }
        for (uint32_t i = 0; htmt__cursor_take(c, &i, sizeof i), i < htmt__fabric_ports(net);) {
            struct htmt__port_account account;
            htmt__cursor_take(c, &account, sizeof account);
            htmt__fabric_know(net->fabric, i % net->topology->channels);
            htmt__port_account_add(&net->account[i], &account);
            if (c->broken)
                break;
        }
        htmt__cursor_take(c, &edges, sizeof edges);
        for (uint32_t i = 0; i < edges && !c->broken && !rc; i++) {
            struct htmt__blocked_edge edge;
            htmt__cursor_take(c, &edge, sizeof edge);
            rc = htmt__blocked_edges_add(&net->edges, &edge);
        }
    }
    return rc;
}

/* Where its cells are stuck, who of them waits for whom. */
static int hear_waits(struct htmt__cursor *c, struct htmt_emulator *e, uint32_t places)
{
    if (!places || c->broken)
        return 0;
    uint32_t *waits = calloc(places, sizeof *waits);
    if (!waits)
        return HTMT_ENOMEM;
    htmt__cursor_take(c, waits, places * sizeof *waits);
    c->broken |= !c->broken && !htmt__cell_net_add_waits(e, waits, places);
    free(waits);
    return 0;
}

static int hear_posts(struct htmt__cursor *c, struct htmt_emulator *e)
{
    int rc = 0;
    struct htmt__post_wait *waits = e->posts ? calloc(e->played, sizeof *waits) : NULL;
    if (e->posts && !waits)
        return HTMT_ENOMEM;
    for (uint32_t l = 0; e->posts && l < e->layers && !rc; l++) {
        if (!e->posts->layer[l].box || !e->posts->layer[l].limited)
            continue;
        htmt__cursor_take(c, waits, e->played * sizeof *waits);
        rc = c->broken ? HTMT_ESYSTEM : htmt__posts_hear_waits(e, l, waits);
    }
    free(waits);
    return rc;
}

static int hear(struct htmt__cursor *c, struct htmt_emulator *e)
{
    int rc = hear_sums(c, e);
    hear_slices(c, e);
    rc = rc ? rc : hear_ports(c, e);
    if (e->cell_net && !rc) {
        struct htmt__cell_net others;
        htmt__cursor_take(c, &others, sizeof others);
        htmt__cell_net_add(e->cell_net, &others);
        rc = hear_waits(c, e, others.places);
    }
    if (e->cell_net && e->cell_net->series && !rc) {
        struct htmt__cells_series others;
        htmt__cursor_take(c, &others, sizeof others);
        c->broken |= !htmt__cells_series_known(&others);
        if (!c->broken)
            htmt__cells_series_add(e->cell_net->series, &others);
    }
    for (uint32_t l = 0; e->routers && l < e->layers; l++)
        for (uint32_t i = 0; e->routers->layer[l].at && i < e->played && !c->broken; i++) {
            struct htmt__router_count count;
            htmt__cursor_take(c, &count, sizeof count);
            htmt__router_count_add(&e->routers->layer[l].count[i], &count);
        }
    rc = rc ? rc : hear_posts(c, e);
    rc = rc ? rc : e->section_operations->hear(e, c);
    return rc || !c->broken ? rc : HTMT_ESYSTEM;
}

/* A kernel whose turn came before the clock's failure may have failed, too: the failure that is
 * told is that of e->fault now, not that of the last window. */
int htmt__rank_gather(struct htmt_emulator *e)
{
    struct htmt__rank *r = e->windows->rank;
    const struct htmt__rank_word own = {.next = HTMT_TIME_MAX, .failed = e->fault.code != 0};
    struct htmt__cursor *cursor = calloc(r->ranks->count, sizeof *cursor);
    int rc = cursor ? 0 : HTMT_ENOMEM;
    r->fault.code = 0;
    htmt__rank_turn_begin(r, &own, &e->fault, e->failure);
    for (uint32_t i = 0; i < r->ranks->count; i++) {
        if (i == r->ranks->rank)
            continue;
        tell_sums(&r->out[i], e);
        tell_slices(&r->out[i], e);
        tell_networks(&r->out[i], e);
        tell_posts(&r->out[i], e);
        e->section_operations->tell(e, &r->out[i]);
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

/* ---- more exchanges after the run ------------------------------------------------------------ */

/* A run that cannot go on: what all tell of who waits is joined in the order of ranks. */
void htmt__rank_gather_stuck(struct htmt_emulator *e)
{
    struct htmt__rank *r = e->windows->rank;
    struct htmt__rank_word own = {.next = HTMT_TIME_MAX};
    struct htmt__cursor *cursor = calloc(r->ranks->count, sizeof *cursor);
    e->stuck_operations->tell(e, &r->stuck);
    r->lost |= !cursor || r->stuck.lacking;
    htmt__rank_turn_begin(r, &own, NULL, (struct htmt__failure){0, 0});
    for (uint32_t i = 0; i < r->ranks->count; i++)
        if (i != r->ranks->rank)
            htmt__buffer_add(&r->out[i], r->stuck.at, r->stuck.size);
    if (!htmt__rank_turn_end(e, cursor))
        for (uint32_t i = 0; i < r->ranks->count; i++)
            htmt__buffer_add(&r->stuck, cursor[i].at, (size_t)(cursor[i].end - cursor[i].at));
    free(cursor);
}

/* Who has the bytes puts them down for those who want them. They come to r->fetched, which is
 * aligned for any type. */
static int fetch(struct htmt_emulator *e, struct htmt_object *o, bool for_all, const void **bytes,
                 struct htmt__cursor *cursor)
{
    struct htmt__rank *r = e->windows->rank;
    struct htmt__rank_word own = {.next = HTMT_TIME_MAX};
    const uint32_t owner = htmt__rank_of(e->windows, e->windows->partition_of[o->slice]);
    const void *here = owner == r->ranks->rank ? htmt_object_bytes(o) : NULL;
    htmt__rank_turn_begin(r, &own, NULL, (struct htmt__failure){0, 0});
    for (uint32_t to = 0; here && to < (for_all ? r->ranks->count : 1); to++)
        if (to != r->ranks->rank)
            htmt__buffer_add(&r->out[to], here, htmt__object_size(o));
    int rc = htmt__rank_turn_end(e, cursor);
    if (rc || (!for_all && r->ranks->rank))
        return rc;
    if (owner == r->ranks->rank) {
        *bytes = here;
        return 0;
    }
    const struct htmt__cursor *c = &cursor[owner];
    if ((uint64_t)(c->end - c->at) != htmt__object_size(o))
        return HTMT_ESYSTEM;
    r->fetched.size = 0;
    htmt__buffer_add(&r->fetched, c->at, htmt__object_size(o));
    *bytes = r->fetched.at;
    return r->fetched.lacking ? HTMT_ENOMEM : 0;
}

int htmt__rank_fetch(struct htmt_emulator *e, struct htmt_object *o, bool for_all,
                     const void **bytes)
{
    struct htmt__rank *r = e->windows ? e->windows->rank : NULL;
    *bytes = NULL;
    if (!o->kept_bytes && (!e->data || !o->bytes))
        return 0;
    if (!r) {
        *bytes = htmt_object_bytes(o);
        return 0;
    }
    if (r->lost || !e->windows->played)
        return HTMT_ESYSTEM;
    struct htmt__cursor *cursor = calloc(r->ranks->count, sizeof *cursor);
    int rc = cursor ? fetch(e, o, for_all, bytes, cursor) : HTMT_ENOMEM;
    free(cursor);
    r->lost |= rc != 0;
    return rc;
}

int htmt_object_fetch(struct htmt_object *object, const void **bytes)
{
    struct htmt_emulator *e = object ? object->emulator : NULL;
    int rc = htmt__given(e, object, "htmt_object_fetch()", "object");
    rc = rc ? rc : htmt__given(e, bytes, "htmt_object_fetch()", "place for the address");
    rc = rc ? rc : htmt__permit_host(e, "htmt_object_fetch()");
    if (!rc && atomic_load(&e->state) != HTMT__ENDED)
        rc = htmt__refuse(e, HTMT_EINVAL, "htmt_object_fetch() before the end of the run");
    return rc ? rc : htmt__rank_fetch(e, object, false, bytes);
}

/* Records of the program, one for each slice, `stride` bytes apart: each rank gives those of its
 * slices. Of a rank nothing is written here unless all of it has come. */
static int share(struct htmt_emulator *e, char *first, size_t bytes, size_t stride,
                 struct htmt__cursor *cursor)
{
    const struct htmt__windows *w = e->windows;
    struct htmt__rank *r = w->rank;
    struct htmt__rank_word own = {.next = HTMT_TIME_MAX};
    htmt__rank_turn_begin(r, &own, NULL, (struct htmt__failure){0, 0});
    for (uint32_t to = 0; to < r->ranks->count; to++)
        for (uint32_t i = 0; i < e->played && to != r->ranks->rank; i++)
            if (htmt__rank_plays(e, i))
                htmt__buffer_add(&r->out[to], first + i * stride, bytes);
    int rc = htmt__rank_turn_end(e, cursor);
    for (uint32_t rank = 0; rank < r->ranks->count && !rc; rank++) {
        struct htmt__cursor *c = &cursor[rank];
        size_t slices = 0;
        for (uint32_t i = 0; i < e->played; i++)
            slices += htmt__rank_of(w, w->partition_of[i]) == rank;
        if (rank == r->ranks->rank)
            continue;
        if ((size_t)(c->end - c->at) != slices * bytes)
            rc = HTMT_ESYSTEM;
        for (uint32_t i = 0; i < e->played && !rc; i++)
            if (htmt__rank_of(w, w->partition_of[i]) == rank)
                htmt__cursor_take(c, first + i * stride, bytes);
    }
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
