/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks: one run in several processes.
 *
 * The idea. Every rank makes the whole set-up: all types, objects, mailboxes, collectives and root
 * parcels of all slices. Then it plays the partitions that are its own and leaves the others alone.
 * So a rank never has to be told what a slot or a mailbox is: objects, mailboxes and collectives
 * have numbers in the order in which they were made, and those are the same everywhere. Messages
 * between ranks carry these numbers where messages between partitions carry pointers.
 *
 * Why the result is that of one process. A window is no wider than the lookahead (window.c), so
 * what one rank sends in a window is due in a later one. All ranks exchange once between two
 * windows, in step: each tells when its next event is, and the next window begins with the least of
 * all. No rank ever plays an event that something still under way could come before.
 *
 * What it costs. One exchange per window, and the set-up in each process. The memory of objects is
 * touched only where they are played.
 *
 * By hand: 2 ranks, 4 partitions, of which rank 0 plays 0 and 1. In the window [0, 100) partition 1
 * puts down a message for slice 7, which partition 3 plays, due at 130. Rank 0 writes it behind its
 * word, which says "next event: 120". Rank 1 says "next event: 140", and finds the message. Both
 * compute min(120, 140) = 120, the begin of the next window, for the word counts messages that were
 * sent (p->sent), not only those that are left.
 *
 * A program that sets up different things in two ranks would go wrong in strange ways. So before
 * the first window the ranks compare hashes of all parts of the set-up.
 */
#include "parcels/clock/rank.h"
#include "parcels/message/collective.h"
#include "parcels/message/mailbox.h"
#include "parcels/walk/profile_services.h"
#include "parcels/walk/type.h"
#include "runtime/base/array.h"
#include "runtime/base/fnv.h"
#include "runtime/host/monotonic.h"

#include <stdlib.h>
#include <string.h>

/* ---- bytes ----------------------------------------------------------------------------------- */

void htmt__buffer_add(struct htmt__buffer *b, const void *bytes, size_t size)
{
    b->lacking |= !htmt__array_fits(&b->at, &b->room, b->size + size, 1);
    if (b->lacking || !size)
        return;
    memcpy(b->at + b->size, bytes, size);
    b->size += size;
}

void htmt__cursor_take(struct htmt__cursor *c, void *bytes, size_t size)
{
    c->broken |= (size_t)(c->end - c->at) < size;
    if (c->broken) {
        memset(bytes, 0, size);
        return;
    }
    memcpy(bytes, c->at, size);
    c->at += size;
}

void htmt__buffer_fini(struct htmt__buffer *b)
{
    free(b->at);
}

/* ---- one exchange ---------------------------------------------------------------------------- */

void htmt__rank_turn_begin(struct htmt__rank *r, const struct htmt__rank_word *own,
                           const struct htmt_fault *fault, struct htmt__failure failure)
{
    for (uint32_t i = 0; i < r->ranks->count; i++) {
        struct htmt__buffer *b = &r->out[i];
        b->size = 0;
        htmt__buffer_add(b, own, sizeof *own);
        if (!own->failed)
            continue;
        htmt__buffer_add(b, fault, sizeof *fault);
        htmt__buffer_add(b, &failure, sizeof failure);
    }
}

static int lose(struct htmt_emulator *e)
{
    e->windows->rank->lost = true;
    return htmt__fail(e, HTMT_ESYSTEM, "rank %u has lost the other ranks of the run",
                      e->windows->rank->ranks->rank);
}

/* Of all failures the first one counts. Only failures outside of any turn are equal; of those the
 * one of the first rank counts. */
int htmt__rank_turn_end(struct htmt_emulator *e, struct htmt__cursor *cursor)
{
    struct htmt__rank *r = e->windows->rank;
    bool lacking = false;
    if (r->lost)
        return HTMT_ESYSTEM;
    for (uint32_t i = 0; i < r->ranks->count; i++) {
        r->to[i] = (struct htmt_bytes){r->out[i].at, r->out[i].size};
        lacking |= r->out[i].lacking;
    }
    r->lost = lacking;
    if (lacking)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for what goes to other ranks");
    int64_t begin = htmt__monotonic_ns();
    int rc = r->ranks->exchange(r->ranks->self, r->to, r->from);
    e->windows->awaited += htmt__monotonic_ns() - begin;
    if (rc)
        return lose(e);
    for (uint32_t i = 0; i < r->ranks->count; i++) {
        struct htmt__cursor c = {r->from[i].at, (const char *)r->from[i].at + r->from[i].size,
                                 false};
        htmt__cursor_take(&c, &r->word[i], sizeof r->word[i]);
        if (r->word[i].failed) {
            struct htmt_fault fault;
            struct htmt__failure failure;
            htmt__cursor_take(&c, &fault, sizeof fault);
            htmt__cursor_take(&c, &failure, sizeof failure);
            if (!r->fault.code || htmt__fails_before(failure, r->failure)) {
                r->fault = fault;
                r->failure = failure;
            }
        }
        if (c.broken)
            return lose(e);
        cursor[i] = c;
    }
    return 0;
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Tables of what messages name by number; each list has the last made first. */
static bool number_all(struct htmt_emulator *e, struct htmt__rank *r)
{
    uint32_t mailboxes = e->mailboxes ? htmt__mailbox_number(e->mailboxes) + 1 : 0;
    uint32_t collectives = e->collectives ? e->collectives->number + 1 : 0;
    r->object = calloc((size_t)e->objects_made + 1, sizeof(struct htmt_object *));
    r->mailbox = calloc((size_t)mailboxes + 1, sizeof(struct htmt_mailbox *));
    r->collective = calloc((size_t)collectives + 1, sizeof(struct htmt__collective *));
    if (!r->object || !r->mailbox || !r->collective)
        return false;
    for (struct htmt_object *o = e->objects; o; o = o->next)
        r->object[o->number] = o;
    for (const struct htmt_mailbox *m = e->mailboxes; m; m = htmt__mailbox_next(m))
        r->mailbox[htmt__mailbox_number(m)] = (struct htmt_mailbox *)m;
    for (struct htmt__collective *t = e->collectives; t; t = t->next)
        r->collective[t->number] = t;
    return true;
}

int htmt__rank_create(struct htmt_emulator *e)
{
    struct htmt__rank *r = calloc(1, sizeof *r);
    if (!r)
        goto no_memory;
    r->ranks = e->options.ranks;
    r->parcels = e->parcels;
    memcpy(r->store_class, e->store_class, sizeof r->store_class);
    e->windows->rank = r;
    r->out = calloc(r->ranks->count, sizeof *r->out);
    r->to = calloc(r->ranks->count, sizeof *r->to);
    r->from = calloc(r->ranks->count, sizeof *r->from);
    r->word = calloc(r->ranks->count, sizeof *r->word);
    if (r->out && r->to && r->from && r->word && number_all(e, r))
        return 0;
no_memory: /* what there is goes with the emulator */
    return htmt__fail(e, HTMT_ENOMEM, "no host memory for a rank");
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

/* Functions lie elsewhere in every process: whether there is one counts. */
static void hash_stage(uint64_t *hash, const struct htmt_stage *s)
{
    bool has[] = {s->kernel != NULL, s->cost != NULL, s->control != NULL, s->steered};
    htmt__hash_bytes(hash, has, sizeof(has));
    htmt__hash_u64(hash, s->parts);
    htmt__hash_u64(hash, (uint64_t)s->count << 32 | s->reset);
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
    for (uint32_t i = 0; i < t->steps; i++) {
        const struct htmt__step *s = &t->step[i];
        int field[] = {s->op, s->stage, s->layer, s->to, s->network, s->inward};
        htmt__hash_bytes(hash, field, sizeof(field));
        for (const struct htmt__profiled *p = s->profiled; p; p = p->larger) {
            htmt__hash_u64(hash, p->counts);
            htmt__hash_bytes(hash, p->length, sizeof(p->length));
        }
    }
    /* The words of its parcels so far. */
    for (const struct htmt__move_cost *c = t->cost; c; c = c->next)
        htmt__hash_bytes(hash, c->size, e->layers * sizeof *c->size);
}

static struct setup setup_of(const struct htmt_emulator *e)
{
    struct setup s;
    for (int i = 0; i < PARTS; i++)
        s.hash[i] = HTMT__HASH_BASIS;
    hash_text(&s.hash[MACHINE], e->machine->name);
    htmt__hash_u64(&s.hash[MACHINE], e->machine->hash); /* covers its figures */
    htmt__hash_u64(&s.hash[SLICES], (uint64_t)e->slices << 32 | e->windows->partitions);
    htmt__hash_u64(&s.hash[SLICES], (uint64_t)e->lookahead);
    htmt__hash_u64(&s.hash[SLICES], e->options.symmetry);
    htmt__hash_bytes(&s.hash[SLICES], e->windows->partition_of, e->played * sizeof(uint32_t));
    for (const struct htmt_type *t = e->types; t; t = t->next)
        hash_type(&s.hash[TYPES], e, t);
    for (const struct htmt_object *o = e->objects; o; o = o->next) {
        htmt__hash_u64(&s.hash[OBJECTS], (uint64_t)o->slice << 32 | o->layer);
        htmt__hash_u64(&s.hash[OBJECTS], o->kept_bytes ? o->kept_bytes : o->bytes);
    }
    for (const struct htmt_mailbox *m = e->mailboxes; m; m = htmt__mailbox_next(m)) {
        hash_text(&s.hash[MAIL], htmt__mailbox_name(m));
        htmt__hash_u64(&s.hash[MAIL], htmt__mailbox_slice(m));
    }
    for (const struct htmt__collective *t = e->collectives; t; t = t->next) {
        hash_text(&s.hash[MAIL], t->name);
        htmt__hash_u64(&s.hash[MAIL], t->bytes);
    }
    for (const struct htmt__entity *p = e->ready.head; p; p = p->queue) {
        const struct htmt_slot *slot[] = {&p->body->on_ready, &p->body->on_done};
        htmt__hash_u64(&s.hash[ROOTS], p->serial);
        htmt__hash_u64(&s.hash[ROOTS], p->type->number);
        if (p->cost)
            htmt__hash_bytes(&s.hash[ROOTS], p->cost->size, e->layers * sizeof *p->cost->size);
        for (int i = 0; i < 2; i++) {
            htmt__hash_u64(&s.hash[ROOTS], slot[i]->owner.serial);
            htmt__hash_u64(&s.hash[ROOTS], slot[i]->fiber);
        }
    }
    return s;
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

int htmt__rank_compare(struct htmt_emulator *e)
{
    struct htmt__rank *r = e->windows->rank;
    struct htmt__cursor *cursor = calloc(r->ranks->count, sizeof *cursor);
    const struct htmt__rank_word own = {.next = HTMT_TIME_MAX};
    struct setup setup, first;
    r->lost = !cursor;
    if (!cursor)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for what other ranks tell");
    setup = setup_of(e);
    htmt__rank_turn_begin(r, &own, NULL, (struct htmt__failure){0, 0});
    for (uint32_t i = 0; i < r->ranks->count; i++)
        htmt__buffer_add(&r->out[i], &setup, sizeof setup);
    int rc = htmt__rank_turn_end(e, cursor);
    if (!rc)
        htmt__cursor_take(&cursor[0], &first, sizeof first);
    for (uint32_t i = 1; i < r->ranks->count && !rc; i++)
        rc = compare(e, i, &first, &cursor[i]);
    free(cursor);
    return rc;
}
