/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/clock/partition.h"
#include "parcels/clock/outbox.h"
#include "parcels/clock/partition_planes.h"
#include "parcels/clock/probe.h"
#include "parcels/clock/statistics.h"
#include "parcels/message/capture.h"
#include "parcels/message/message.h"
#include "parcels/message/packet.h"
#include "parcels/message/route.h"
#include "parcels/walk/context.h"
#include "runtime/base/pages.h"

#include <stdlib.h>
#include <string.h>

/* ---- the copy -------------------------------------------------------------------------------- */

/* What the whole has once, of setups, does not belong to the copy; what is counted begins at 0. */
static void clear(struct htmt_emulator *e)
{
    e->stats = NULL;
    e->stats_tail = &e->stats;
    e->entries = NULL;
    e->messages = NULL;
    e->lane = NULL;
    e->ready = (struct htmt__list){0};
    e->kernels = NULL;
    e->kernel_room = e->kernel_count = 0;
    e->explain = NULL;
    e->probes = NULL;
    e->recorder = NULL;
    e->parcels = e->host_parcels = e->uses = 0;
    e->followed_at = e->phased_at = -1;
    for (uint32_t l = 0; l < e->layers; l++) {
        e->store_class[l].tally = (struct htmt__tally){0};
        e->store_class[l].taken = e->store_class[l].given = 0;
    }
    memset(e->way, 0, sizeof e->way);
    htmt__routes_init(e);
    htmt__pending_init(&e->pending);
    e->packets = NULL;
}

static int make_contexts(struct htmt_emulator *e)
{
    e->root = calloc(2, sizeof *e->root);
    if (!e->root)
        return HTMT_ENOMEM;
    e->control = e->root + 1;
    e->root->e = e->control->e = e;
    return 0;
}

static int make_sums(struct htmt_emulator *e)
{
    e->tally = calloc(htmt__resource_count(e), sizeof *e->tally);
    e->message_stats =
        calloc(htmt__message_stats_places(e) + 1, sizeof(struct htmt__stage_stats *));
    return e->tally && e->message_stats ? 0 : HTMT_ENOMEM;
}

/* ---- statistics and types -------------------------------------------------------------------- */

static int copy_account(struct htmt_emulator *e, const struct htmt__stage_stats *s,
                        struct htmt__stage_stats **copy)
{
    *copy = htmt__stage_stats_create(e, s->type, s->stage, s->resource, s->in_resource);
    if (!*copy)
        return HTMT_ENOMEM;
    for (const struct htmt__alike *a = s->alike.next; a; a = a->next)
        if (!htmt__stage_stats_step(*copy))
            return HTMT_ENOMEM;
    return 0;
}

static int copy_accounts(struct htmt_emulator *e, const struct htmt_emulator *whole,
                         struct htmt__stage_stats **copies)
{
    int rc = 0;
    for (const struct htmt__stage_stats *s = whole->stats; s && !rc; s = s->next)
        rc = copy_account(e, s, &copies[s->number]);
    return rc;
}

static int copy_types(struct htmt_emulator *e, struct htmt__stage_stats *const *stats)
{
    for (const struct htmt_type *t = e->types; t; t = t->next) {
        e->own_type[t->number] = htmt__type_copy(t, stats);
        if (!e->own_type[t->number])
            return HTMT_ENOMEM;
    }
    return 0;
}

static uint32_t type_count(const struct htmt_emulator *e)
{
    return e->types ? e->types->number + 1 : 0;
}

static size_t account_count(const struct htmt_emulator *e)
{
    size_t count = 0;
    for (const struct htmt__stage_stats *s = e->stats; s; s = s->next)
        count++;
    return count;
}

static int make_types(struct htmt_emulator *e, const struct htmt_emulator *whole)
{
    struct htmt__stage_stats **copies =
        calloc(account_count(whole) + 1, sizeof(struct htmt__stage_stats *));
    e->own_type = calloc(type_count(e) + 1, sizeof(struct htmt_type *));
    int rc = copies && e->own_type ? 0 : HTMT_ENOMEM;
    rc = rc ? rc : copy_accounts(e, whole, copies);
    rc = rc ? rc : copy_types(e, copies);
    free(copies);
    return rc;
}

/* ---- life ------------------------------------------------------------------------------------ */

static int make(struct htmt_emulator *e, const struct htmt_emulator *whole)
{
    int rc = make_contexts(e);
    rc = rc ? rc : make_sums(e);
    rc = rc ? rc : make_types(e, whole);
    rc = rc ? rc : htmt__plane_create(e, whole);
    rc = rc ? rc : htmt__packet_clock_create(e);
    return rc || e->guard ? rc : htmt__lane_create(e);
}

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
    p->unbooked = calloc(p->slices + 1, sizeof *p->unbooked);
    struct htmt_emulator *e = htmt__record_alloc(sizeof *e);
    if (e) {
        *e = *whole;
        e->partition = p;
        p->e = e;
        e->root = NULL;
        e->tally = NULL;
        e->message_stats = NULL;
        e->data = NULL;
        e->diagnostics = NULL;
        clear(e);
    }
    bool enough = e && p->unbooked && !make(e, whole);
    if (enough && htmt__explained(whole))
        whole->explain->part(whole, e);
    if (e)
        htmt__aside_find(e);
    enough = enough && !e->fault.code;
    return enough ? 0 : htmt__fail(whole, HTMT_ENOMEM, "no host memory for a copy of the emulator");
}

static void types_fini(struct htmt_emulator *e)
{
    for (uint32_t i = 0; e->own_type && i < type_count(e); i++)
        htmt__type_copy_free(e->own_type[i]);
    free(e->own_type);
}

static void copy_free(struct htmt_emulator *e)
{
    types_fini(e);
    htmt__statistics_destroy(e);
    htmt__messages_free(e);
    htmt__entries_free(e);
    htmt__lane_destroy(e);
    htmt__pending_fini(&e->pending);
    htmt__packet_clock_destroy(e);
    htmt__captures_fini(e);
    htmt__plane_destroy(e);
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
    htmt__observed_fini(&p->observed);
    free(p->unbooked);
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

static void merge_accounts(struct htmt_emulator *whole, const struct htmt_emulator *e)
{
    const struct htmt__stage_stats *part = e->stats;
    for (struct htmt__stage_stats *s = whole->stats; s && !s->use.number && part; s = s->next) {
        htmt__stage_stats_merge(s, part);
        part = part->next;
    }
    for (struct htmt_type *t = whole->types; t; t = t->next)
        htmt__half_merge(&t->half, &e->own_type[t->number]->half,
                         e->options.symmetry != HTMT_INDEPENDENT);
    for (uint32_t i = 0; i < htmt__resource_count(whole); i++)
        htmt__tally_merge(&whole->tally[i], &e->tally[i]);
    for (uint32_t l = 0; l < whole->layers; l++)
        htmt__store_class_merge(&whole->store_class[l], &e->store_class[l]);
    whole->parcels += e->parcels;
    whole->host_parcels += e->host_parcels;
}

int htmt__partition_merge(struct htmt_emulator *whole, struct htmt__partition *p)
{
    merge_accounts(whole, p->e);
    return htmt__message_stats_merge(whole, p->e);
}
