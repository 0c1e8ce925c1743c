/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks: what each has, and whether all have set up the same.
 */
#include "parcels/timing/rank.h"
#include "parcels/timing/collective.h"
#include "parcels/timing/mailbox.h"
#include "parcels/timing/rank_turn.h"
#include "parcels/timing/type.h"
#include "runtime/base/fnv.h"

#include <stdlib.h>
#include <string.h>

/* ---- by number ------------------------------------------------------------------------------- */

static int number_objects(struct htmt_emulator *e, struct htmt__rank *r)
{
    r->object = calloc((size_t)e->objects_made + 1, sizeof(struct htmt_object *));
    for (struct htmt_object *o = e->objects; r->object && o; o = o->next)
        r->object[o->number] = o;
    return r->object ? 0 : HTMT_ENOMEM;
}

static int number_mailboxes(struct htmt_emulator *e, struct htmt__rank *r)
{
    uint32_t count = e->mailboxes ? htmt__mailbox_number(e->mailboxes) + 1 : 0;
    r->mailbox = calloc(count + 1, sizeof(struct htmt_mailbox *));
    const struct htmt_mailbox *next = e->mailboxes;
    for (; r->mailbox && next; next = htmt__mailbox_next(next))
        r->mailbox[htmt__mailbox_number(next)] = (struct htmt_mailbox *)next;
    return r->mailbox ? 0 : HTMT_ENOMEM;
}

static int number_collectives(struct htmt_emulator *e, struct htmt__rank *r)
{
    uint32_t count = e->collectives ? e->collectives->number + 1 : 0;
    r->collective = calloc(count + 1, sizeof(struct htmt__collective *));
    for (struct htmt__collective *t = e->collectives; r->collective && t; t = t->next)
        r->collective[t->number] = t;
    return r->collective ? 0 : HTMT_ENOMEM;
}

/* ---- life ------------------------------------------------------------------------------------ */

static int make(struct htmt_emulator *e, struct htmt__rank *r)
{
    uint32_t count = r->ranks->count;
    r->out = calloc(count, sizeof *r->out);
    r->to = calloc(count, sizeof *r->to);
    r->from = calloc(count, sizeof *r->from);
    r->word = calloc(count, sizeof *r->word);
    bool enough = r->out && r->to && r->from && r->word;
    return enough && !number_objects(e, r) && !number_mailboxes(e, r) && !number_collectives(e, r)
               ? 0
               : HTMT_ENOMEM;
}

int htmt__rank_create(struct htmt_emulator *e)
{
    struct htmt__rank *r = calloc(1, sizeof *r);
    if (r) {
        r->ranks = e->options.ranks;
        r->parcels = e->parcels;
        memcpy(r->stock, e->stock, sizeof r->stock);
        e->windows->rank = r;
    }
    return r && !make(e, r) ? 0 : htmt__fail(e, HTMT_ENOMEM, "no host memory for a rank");
}

void htmt__rank_destroy(struct htmt__rank *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; r->out && i < r->ranks->count; i++)
        htmt__buffer_fini(&r->out[i]);
    free(r->out);
    free(r->to);
    free(r->from);
    free(r->word);
    htmt__buffer_fini(&r->fetched);
    free(r->object);
    free(r->mailbox);
    free(r->collective);
    free(r);
}

/* ---- set-ups --------------------------------------------------------------------------------- */

static void hash_text(uint64_t *hash, const char *text)
{
    htmt__hash_bytes(hash, text, strlen(text) + 1);
}

static void hash_types(uint64_t *hash, const struct htmt_emulator *e)
{
    for (const struct htmt_type *t = e->types; t; t = t->next) {
        hash_text(hash, t->code.name);
        htmt__hash_u64(hash, t->home);
        htmt__hash_u64(hash, t->code.exec);
        htmt__hash_u64(hash, t->steps);
        htmt__hash_u64(hash, t->fiber_count);
        htmt__hash_u64(hash, t->code.args_bytes);
    }
}

static void hash_objects(uint64_t *hash, const struct htmt_emulator *e)
{
    for (const struct htmt_object *o = e->objects; o; o = o->next) {
        htmt__hash_u64(hash, (uint64_t)o->slice << 32 | o->layer);
        htmt__hash_u64(hash, o->bytes);
    }
}

static void hash_mail(uint64_t *hash, const struct htmt_emulator *e)
{
    for (const struct htmt_mailbox *m = e->mailboxes; m; m = htmt__mailbox_next(m)) {
        hash_text(hash, htmt__mailbox_name(m));
        htmt__hash_u64(hash, htmt__mailbox_slice(m));
    }
    for (const struct htmt__collective *t = e->collectives; t; t = t->next) {
        hash_text(hash, t->name);
        htmt__hash_u64(hash, t->bytes);
    }
}

static void hash_roots(uint64_t *hash, const struct htmt_emulator *e)
{
    for (const struct htmt__entity *p = e->ready.head; p; p = p->queue) {
        htmt__hash_u64(hash, p->serial);
        htmt__hash_u64(hash, p->type->number);
    }
}

static uint64_t digest(const struct htmt_emulator *e)
{
    uint64_t hash = HTMT__HASH_BASIS;
    htmt__hash_u64(&hash, (uint64_t)e->slices << 32 | e->windows->partitions);
    htmt__hash_u64(&hash, (uint64_t)e->lookahead);
    hash_text(&hash, e->machine->name);
    htmt__hash_u64(&hash, e->options.symmetry);
    htmt__hash_bytes(&hash, e->windows->partition_of, e->played * sizeof(uint32_t));
    hash_types(&hash, e);
    hash_objects(&hash, e);
    hash_mail(&hash, e);
    hash_roots(&hash, e);
    return hash;
}

int htmt__rank_compare(struct htmt_emulator *e)
{
    const struct htmt__rank *r = e->windows->rank;
    struct htmt__rank_word own = {.next = HTMT_TIME_MAX, .setup = digest(e)};
    int rc = htmt__rank_turn(e, &own, NULL, (struct htmt__failure){0, 0});
    for (uint32_t i = 1; i < r->ranks->count && !rc; i++)
        if (r->word[i].setup != r->word[0].setup)
            rc = htmt__fail(e, HTMT_EINVAL,
                            "rank %u has set up something else than rank 0: expected the same "
                            "types, objects, mailboxes, collectives and root parcels, made in the "
                            "same order",
                            i);
    return rc;
}
