/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks: what each has, and whether all have set up the same.
 */
#include "parcels/clock/rank.h"
#include "parcels/clock/rank_turn.h"
#include "parcels/message/collective.h"
#include "parcels/message/mailbox.h"
#include "parcels/walk/profile_services.h"
#include "parcels/walk/type.h"
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
        memcpy(r->store_class, e->store_class, sizeof r->store_class);
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
    htmt__buffer_fini(&r->stuck);
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

/* What all ranks must have alike; a figure of the machine is told before what follows from it. */
enum part { MACHINE, SLICES, TYPES, OBJECTS, MAIL, ROOTS, PARTS };

static const char *const name_of[PARTS] = {
    [MACHINE] = "machine", [SLICES] = "slices, symmetry or partitions", [TYPES] = "types",
    [OBJECTS] = "objects", [MAIL] = "mailboxes or collectives",         [ROOTS] = "root parcels",
};

struct setup {
    uint64_t hash[PARTS];
};

static void hash_text(uint64_t *hash, const char *text)
{
    htmt__hash_bytes(hash, text, strlen(text) + 1);
}

/* The machine's own hash covers its figures. */
static void hash_machine(uint64_t *hash, const struct htmt_emulator *e)
{
    hash_text(hash, e->machine->name);
    htmt__hash_u64(hash, e->machine->hash);
}

static void hash_slices(uint64_t *hash, const struct htmt_emulator *e)
{
    htmt__hash_u64(hash, (uint64_t)e->slices << 32 | e->windows->partitions);
    htmt__hash_u64(hash, (uint64_t)e->lookahead);
    htmt__hash_u64(hash, e->options.symmetry);
    htmt__hash_bytes(hash, e->windows->partition_of, e->played * sizeof(uint32_t));
}

/* Functions lie elsewhere in every process. */
static void hash_stage(uint64_t *hash, const struct htmt_stage *s)
{
    bool has[] = {s->kernel != NULL, s->cost != NULL, s->control != NULL, s->steered};
    htmt__hash_bytes(hash, has, sizeof(has));
    htmt__hash_u64(hash, s->parts);
    htmt__hash_u64(hash, (uint64_t)s->count << 32 | s->reset);
}

static void hash_steps(uint64_t *hash, const struct htmt_type *t)
{
    for (uint32_t i = 0; i < t->steps; i++) {
        const struct htmt__step *s = &t->step[i];
        int field[] = {s->op, s->stage, s->layer, s->to, s->network, s->inward};
        htmt__hash_bytes(hash, field, sizeof(field));
        for (const struct htmt__profiled *p = s->profiled; p; p = p->larger) {
            htmt__hash_u64(hash, p->counts);
            htmt__hash_bytes(hash, p->length, sizeof(p->length));
        }
    }
}

/* Of the parcels so far. */
static void hash_words(uint64_t *hash, const struct htmt_emulator *e, const struct htmt_type *t)
{
    for (const struct htmt__move_cost *c = t->cost; c; c = c->next)
        htmt__hash_bytes(hash, c->size, e->layers * sizeof *c->size);
}

static void hash_type(uint64_t *hash, const struct htmt_emulator *e, const struct htmt_type *t)
{
    const uint64_t figures[] = {
        t->home,           t->code.exec,  t->gates,           t->code_words,
        t->header_words,   t->image,      t->code.args_bytes, t->code.result_bytes,
        t->code.footprint, t->fiber_count};
    hash_text(hash, t->code.name);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        htmt__hash_u64(hash, figures[i]);
    for (uint32_t i = 0; i < HTMT_STAGES; i++)
        hash_stage(hash, &t->code.stage[i]);
    for (uint32_t i = 0; i < t->fiber_count; i++)
        hash_stage(hash, &t->code.fiber[i]);
    hash_steps(hash, t);
    hash_words(hash, e, t);
}

static void hash_types(uint64_t *hash, const struct htmt_emulator *e)
{
    for (const struct htmt_type *t = e->types; t; t = t->next)
        hash_type(hash, e, t);
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

static void hash_slot(uint64_t *hash, struct htmt_slot slot)
{
    htmt__hash_u64(hash, slot.owner.serial);
    htmt__hash_u64(hash, slot.fiber);
}

static void hash_roots(uint64_t *hash, const struct htmt_emulator *e)
{
    for (const struct htmt__entity *p = e->ready.head; p; p = p->queue) {
        htmt__hash_u64(hash, p->serial);
        htmt__hash_u64(hash, p->type->number);
        htmt__hash_bytes(hash, p->cost->size, e->layers * sizeof *p->cost->size);
        hash_slot(hash, p->body->on_ready);
        hash_slot(hash, p->body->on_done);
    }
}

static struct setup setup_of(const struct htmt_emulator *e)
{
    struct setup setup;
    for (int i = 0; i < PARTS; i++)
        setup.hash[i] = HTMT__HASH_BASIS;
    hash_machine(&setup.hash[MACHINE], e);
    hash_slices(&setup.hash[SLICES], e);
    hash_types(&setup.hash[TYPES], e);
    hash_objects(&setup.hash[OBJECTS], e);
    hash_mail(&setup.hash[MAIL], e);
    hash_roots(&setup.hash[ROOTS], e);
    return setup;
}

static int compare(struct htmt_emulator *e, uint32_t rank, const struct setup *first,
                   struct htmt__cursor *told)
{
    struct setup setup;
    htmt__cursor_take(told, &setup, sizeof setup);
    for (int i = 0; i < PARTS; i++)
        if (setup.hash[i] != first->hash[i])
            return htmt__fail(e, HTMT_EINVAL,
                              "rank %u has set up something else than rank 0: found other %s, "
                              "expected the same machine, types, objects, mailboxes, collectives "
                              "and root parcels, made in the same order",
                              rank, name_of[i]);
    return 0;
}

static int exchange_setups(struct htmt_emulator *e, struct htmt__cursor *cursor)
{
    struct htmt__rank *r = e->windows->rank;
    const struct htmt__rank_word own = {.next = HTMT_TIME_MAX};
    const struct setup setup = setup_of(e);
    htmt__rank_turn_begin(r, &own, NULL, (struct htmt__failure){0, 0});
    for (uint32_t i = 0; i < r->ranks->count; i++)
        htmt__buffer_add(&r->out[i], &setup, sizeof setup);
    return htmt__rank_turn_end(e, cursor);
}

int htmt__rank_compare(struct htmt_emulator *e)
{
    struct htmt__rank *r = e->windows->rank;
    struct htmt__cursor *cursor = calloc(r->ranks->count, sizeof *cursor);
    struct setup first;
    r->lost = !cursor;
    int rc = cursor ? exchange_setups(e, cursor)
                    : htmt__fail(e, HTMT_ENOMEM, "no host memory for what other ranks tell");
    if (!rc)
        htmt__cursor_take(&cursor[0], &first, sizeof first);
    for (uint32_t i = 1; i < r->ranks->count && !rc; i++)
        rc = compare(e, i, &first, &cursor[i]);
    free(cursor);
    return rc;
}
