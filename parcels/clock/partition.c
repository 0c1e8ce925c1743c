/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Partitions: who plays which slices.
 *
 * The idea. All code of an event has one `struct htmt_emulator *e`. A partition plays with a copy
 * of the emulator, in which some fields point to what the whole has and some to what is its own. So
 * the code that plays a slice is the same with and without partitions, and asks in a few places
 * only whether another slice is elsewhere (htmt__elsewhere).
 *
 * Shared: the machine, which does not change, and the arrays in which slices have their banks,
 * stores, links, entities, objects and mailboxes. Of these a partition touches what
 * belongs to its slices. The copy's own: the present instant, pending events, the ready list, free
 * lists, contexts of controls, the fault, all sums, and the types, since their steps lead to sums.
 *
 * Why it is right. Two partitions write no word in common, so they may run side by side in a
 * window. All that is summed is a sum, a least or a greatest value: merging in any order gives the
 * figures of one clock.
 *
 * Cost. A copy of the emulator is some 100 kB, mostly the table of routes; the types are copied
 * with their steps. A run of few slices and many types pays for that with its set-up.
 */
#include "parcels/clock/partition.h"
#include "parcels/clock/outbox.h"
#include "parcels/clock/probe.h"
#include "parcels/clock/statistics.h"
#include "parcels/message/capture.h"
#include "parcels/message/cell_clock.h"
#include "parcels/message/message.h"
#include "parcels/message/route.h"
#include "parcels/walk/context.h"
#include "runtime/base/pages.h"

#include <stdlib.h>
#include <string.h>

/* ---- the copy -------------------------------------------------------------------------------- */

/* What the whole has once, of set-ups, does not belong to the copy; what is counted begins at 0. */
static struct htmt_emulator *copy_of(struct htmt_emulator *whole, struct htmt__partition *p)
{
    struct htmt_emulator *e = htmt__record_alloc(sizeof *e);
    if (!e)
        return NULL;
    *e = *whole;
    e->partition = p;
    e->root = NULL;
    e->tally = NULL;
    e->message_stats = NULL;
    e->data = NULL;
    e->diagnostics = NULL;
    e->stats = NULL;
    e->stats_tail = &e->stats;
    e->entries = NULL;
    e->messages = NULL;
    e->post_chunks = NULL;
    e->post_runner = NULL;
    e->gather = NULL;
    e->came = false;
    e->lane = NULL;
    e->packets = NULL;
    e->history = 0;
    e->cells = NULL;
    e->ready = (struct htmt__list){0};
    e->kernels = NULL;
    e->kernel_room = e->kernel_count = 0;
    e->explain = NULL;
    e->probes = NULL;
    e->recorder = NULL;
    e->parcels = e->controller_parcels = e->uses = 0;
    e->followed_at = e->phased_at = -1;
    for (uint32_t l = 0; l < e->layers; l++) {
        e->store_class[l].tally = (struct htmt__tally){0};
        e->store_class[l].taken = e->store_class[l].given = 0;
    }
    memset(e->way, 0, sizeof e->way);
    htmt__routes_init(e);
    htmt__pending_init(&e->pending);
    return e;
}

static uint32_t type_count(const struct htmt_emulator *e)
{
    return e->types ? e->types->number + 1 : 0;
}

/* Each stage's account, with as many steps as the whole has; then the types, whose steps lead to
 * these accounts: `copies` has them by number. */
static int make_types(struct htmt_emulator *e, const struct htmt_emulator *whole)
{
    size_t accounts = 1;
    for (const struct htmt__stage_stats *s = whole->stats; s; s = s->next)
        accounts++;
    struct htmt__stage_stats **copies = calloc(accounts, sizeof(struct htmt__stage_stats *));
    e->own_type = calloc(type_count(e) + 1, sizeof(struct htmt_type *));
    if (!copies || !e->own_type)
        goto no_memory;
    for (const struct htmt__stage_stats *s = whole->stats; s; s = s->next) {
        struct htmt__stage_stats *copy =
            htmt__stage_stats_create(e, s->type, s->stage, s->resource, s->in_resource);
        if (!copy)
            goto no_memory;
        copies[s->number] = copy;
        for (const struct htmt__alike *a = s->alike.next; a; a = a->next)
            if (!htmt__stage_stats_step(copy))
                goto no_memory;
    }
    for (const struct htmt_type *t = e->types; t; t = t->next)
        if (!(e->own_type[t->number] = htmt__type_copy(e, t, copies)))
            goto no_memory;
    free(copies);
    return 0;
no_memory:
    free(copies);
    return HTMT_ENOMEM;
}

/* In a run it has a data plane for its slices, with diagnostics of its own. */
static int make(struct htmt_emulator *e, const struct htmt_emulator *whole)
{
    e->root = calloc(2, sizeof *e->root);
    if (!e->root)
        return HTMT_ENOMEM;
    e->control = e->root + 1;
    e->root->e = e->control->e = e;
    e->tally = calloc(htmt__resource_count(e), sizeof *e->tally);
    e->message_stats =
        calloc(htmt__message_stats_places(e) + 1, sizeof(struct htmt__stage_stats *));
    int rc = e->tally && e->message_stats ? 0 : HTMT_ENOMEM;
    rc = rc ? rc : make_types(e, whole);
    if (!rc && whole->data) {
        const struct htmt__windows *w = whole->windows;
        e->diagnostics = htmt__diagnostics_create();
        rc = !e->diagnostics
                 ? HTMT_ENOMEM
                 : htmt__data_create_beside(&e->data, whole->data, e->played, w->end - w->first,
                                            &e->fault, e->diagnostics);
    }
    rc = rc ? rc : htmt__packet_clock_create(e);
    rc = rc ? rc : htmt__cell_clock_create(e);
    return rc || e->guard ? rc : htmt__lane_create(e);
}

/* ---- life ------------------------------------------------------------------------------------ */

int htmt__partition_mail(struct htmt_emulator *whole, struct htmt__partition *p)
{
    const uint32_t words = (whole->windows->partitions + 63) / 64;
    p->next = p->sent = HTMT_TIME_MAX;
    for (int i = 0; i < 2 && !whole->alone; i++)
        if (!(p->mail[i] = calloc(words, sizeof *p->mail[i])))
            return htmt__fail(whole, HTMT_ENOMEM, "no host memory for what comes to a partition");
    return 0;
}

int htmt__partition_init(struct htmt_emulator *whole, struct htmt__partition *p)
{
    struct htmt_emulator *e = p->e = copy_of(whole, p);
    bool enough = e && !make(e, whole);
    if (enough && htmt__explained(whole))
        whole->explain->part(whole, e);
    if (e)
        htmt__aside_find(e);
    enough = enough && !e->fault.code;
    return enough ? 0 : htmt__fail(whole, HTMT_ENOMEM, "no host memory for a copy of the emulator");
}

static void copy_free(struct htmt_emulator *e)
{
    for (uint32_t i = 0; e->own_type && i < type_count(e); i++)
        htmt__type_copy_free(e->own_type[i]);
    free(e->own_type);
    htmt__statistics_destroy(e);
    htmt__messages_free(e);
    htmt__post_chunks_free(e);
    htmt__gather_destroy(e);
    free(e->post_runner);
    htmt__entries_free(e);
    htmt__lane_destroy(e);
    htmt__pending_fini(&e->pending);
    htmt__packet_clock_destroy(e);
    htmt__cell_clock_destroy(e);
    htmt__captures_fini(e);
    htmt__data_destroy(&e->data);
    htmt__diagnostics_destroy(e->diagnostics);
    free(e->kernels);
    free(e->root);
    free(e->tally);
    free(e->message_stats);
    free(e);
}

void htmt__partition_fini(struct htmt__partition *p)
{
    for (uint32_t i = 0; i < 2; i++) {
        htmt__outboxes_fini(&p->outbox[i]);
        free(p->mail[i]);
    }
    if (p->e)
        copy_free(p->e);
    free(p->observed.at);
}

void htmt__partition_rest(struct htmt_emulator *e)
{
    for (uint32_t i = 0; i < type_count(e); i++)
        htmt__type_spares_free(e->own_type[i]);
    htmt__messages_free(e);
    htmt__entries_free(e);
    htmt__lane_destroy(e);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Statistics of types come first in both lists, in the same order; those of messages behind them
 * have a number of their first use. */
int htmt__partition_merge(struct htmt_emulator *whole, struct htmt__partition *p)
{
    const struct htmt_emulator *e = p->e;
    htmt__cell_clock_settle(whole, p->e);
    const struct htmt__stage_stats *part = e->stats;
    for (struct htmt__stage_stats *s = whole->stats; s && !s->use.number && part; s = s->next) {
        htmt__stage_stats_merge(s, part);
        part = part->next;
    }
    for (struct htmt_type *t = whole->types; t; t = t->next) {
        htmt__half_merge(&t->half, &e->own_type[t->number]->half,
                         e->options.symmetry != HTMT_INDEPENDENT);
        htmt__post_sums_merge(&t->posts, &e->own_type[t->number]->posts);
    }
    for (uint32_t i = 0; i < htmt__resource_count(whole); i++)
        htmt__tally_merge(&whole->tally[i], &e->tally[i]);
    for (uint32_t l = 0; l < whole->layers; l++)
        htmt__store_class_merge(&whole->store_class[l], &e->store_class[l]);
    whole->steered |= e->steered;
    whole->history += e->history;
    whole->parcels += e->parcels;
    whole->controller_parcels += e->controller_parcels;
    return htmt__message_stats_merge(whole, e);
}

/* ---- data planes ----------------------------------------------------------------------------- */

/* The whole's is number 0, those of the partitions that are played here follow. */
static uint32_t planes(const struct htmt_emulator *e)
{
    const struct htmt__windows *w = e->windows;
    return w && w->partition ? 1 + w->end - w->first : 1;
}

static struct htmt__data *plane_at(const struct htmt_emulator *e, uint32_t i)
{
    const struct htmt_emulator *of = i ? e->windows->partition[e->windows->first + i - 1].e : e;
    return of ? of->data : NULL;
}

void htmt__planes_drain(const struct htmt_emulator *e)
{
    for (uint32_t i = 0; i < planes(e); i++)
        if (plane_at(e, i))
            htmt__data_drain(plane_at(e, i));
}

void htmt__planes_check(struct htmt_emulator *e)
{
    for (uint32_t i = 0; i < planes(e); i++)
        if (plane_at(e, i))
            htmt__data_check(plane_at(e, i), &e->fault);
}

void htmt__planes_report(const struct htmt_emulator *e, struct htmt_host_report *report)
{
    for (uint32_t i = 0; i < planes(e); i++)
        if (plane_at(e, i))
            htmt__data_report(plane_at(e, i), e->layers, report);
}
