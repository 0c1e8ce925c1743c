/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Percolation deadlock: who waits for what, who holds it or was to signal it, and the cycle.
 *
 * The graph: an entity that waits for words of a memory waits for every parcel that holds some
 * there; an activation whose fiber waits for a slot waits for those who would signal it when they
 * are done; one at a gate, for nobody we can know (whoever was to make the call).
 */
#include "parcels/timing/entity.h"
#include "parcels/timing/mailbox.h"
#include "parcels/timing/message.h"
#include "parcels/timing/move_cost.h"

#include <stdlib.h>
#include <string.h>

struct survey {
    const struct htmt_emulator *e;
    struct htmt__entity **all;
    size_t count;
    uint8_t *mark; /* 0 new, 1 on the path, 2 done */
    size_t *path;  /* of the search */
    size_t depth;
    size_t cycle_at; /* where on the path the cycle begins; SIZE_MAX: none */
};

/* ---- naming ---------------------------------------------------------------------------------- */

static const char *memory_of(const struct htmt_emulator *e, uint32_t layer)
{
    return e->machine->layer[layer].memory.name;
}

static const char *name_of(const struct htmt__entity *p)
{
    if (p->kind == HTMT__MESSAGE)
        return p->message->mailbox ? "a send" : "a put";
    return p->type ? p->type->code.name : "?";
}

static void print_who(const struct htmt__entity *p, FILE *out)
{
    fprintf(out, "%s #%llu (slice %u)", name_of(p),
            (unsigned long long)(p->serial & (((uint64_t)1 << 40) - 1)), p->slice);
}

/* ---- who holds what -------------------------------------------------------------------------- */

static uint64_t holds(const struct htmt__entity *p, uint32_t layer)
{
    if (p->kind != HTMT__PARCEL || !(p->held >> layer & 1) ||
        (p->state == HTMT__FOR_SPACE && p->step->layer == layer))
        return 0;
    return p->cost->size[layer].space;
}

static bool slot_waits(const struct htmt__entity *p, uint32_t i)
{
    return p->kind == HTMT__PARCEL && p->body->slot[i].count;
}

static bool waits_for(const struct htmt__entity *a, const struct htmt__entity *b)
{
    if (a->state == HTMT__FOR_SPACE)
        return a->slice == b->slice && a != b && holds(b, a->step->layer);
    if (a->kind != HTMT__PARCEL || b->kind != HTMT__PARCEL)
        return false;
    struct htmt_slot done = b->body->on_done;
    if (done.owner.serial != a->serial)
        return false;
    return done.fiber && slot_waits(a, done.fiber - 1);
}

/* ---- the survey ------------------------------------------------------------------------------ */

static void collect_of(struct survey *s, uint32_t slice, uint32_t first, uint32_t count, int pass)
{
    for (uint32_t k = 0; k < count; k++) {
        struct htmt__entity *p = htmt__entity_at(s->e, htmt__entity_key(slice, first + k));
        if (!p->serial)
            continue;
        if (pass)
            s->all[s->count] = p;
        s->count++;
    }
}

static int by_birth(const void *a, const void *b)
{
    uint64_t x = (*(struct htmt__entity *const *)a)->serial;
    uint64_t y = (*(struct htmt__entity *const *)b)->serial;
    return (x > y) - (x < y);
}

/* All that is alive, by slice and birth, wherever it is kept. */
static int collect(struct survey *s)
{
    const struct htmt_emulator *e = s->e;
    for (int pass = 0; pass < 2; pass++) {
        s->count = 0;
        for (uint32_t i = 0; i < e->played; i++) {
            collect_of(s, i, 0, htmt__slice_at(e, i)->fresh, pass);
            collect_of(s, i, HTMT__BETWEEN, e->post ? e->post[i].fresh : 0, pass);
        }
        if (!pass) {
            s->all = calloc(s->count + 1, sizeof *s->all);
            s->mark = calloc(s->count + 1, 1);
            s->path = calloc(s->count + 1, sizeof *s->path);
            if (!s->all || !s->mark || !s->path)
                return HTMT_ENOMEM;
        }
    }
    qsort(s->all, s->count, sizeof *s->all, by_birth);
    return 0;
}

/* Depth first with the path kept: a step back onto the path closes a cycle. */
static size_t next_on(const struct survey *s, size_t from, size_t after)
{
    for (size_t j = after; j < s->count; j++)
        if (s->mark[j] != 2 && waits_for(s->all[from], s->all[j]))
            return j;
    return SIZE_MAX;
}

static bool search_from(struct survey *s, size_t root, size_t *seen)
{
    s->depth = 0;
    s->path[s->depth++] = root;
    s->mark[root] = 1;
    seen[root] = 0;
    while (s->depth) {
        size_t at = s->path[s->depth - 1], next = next_on(s, at, seen[at]);
        if (next == SIZE_MAX) {
            s->mark[at] = 2;
            s->depth--;
            continue;
        }
        seen[at] = next + 1;
        if (s->mark[next] == 1) {
            for (s->cycle_at = 0; s->path[s->cycle_at] != next;)
                s->cycle_at++;
            return true;
        }
        s->mark[next] = 1;
        seen[next] = 0;
        s->path[s->depth++] = next;
    }
    return false;
}

static int find_cycle(struct survey *s)
{
    size_t *seen = calloc(s->count + 1, sizeof *seen);
    if (!seen)
        return HTMT_ENOMEM;
    s->cycle_at = SIZE_MAX;
    for (size_t i = 0; i < s->count; i++)
        if (!s->mark[i] && search_from(s, i, seen))
            break;
    free(seen);
    return 0;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void print_holders(const struct survey *s, const struct htmt__entity *p, FILE *out)
{
    uint32_t layer = p->step->layer;
    const struct htmt__store *store = htmt__store_at(s->e, p->slice, layer);
    uint64_t capacity = s->e->stock[layer].capacity;
    fprintf(out, "    %llu of %llu words are free; objects hold %llu",
            (unsigned long long)(capacity - store->used), (unsigned long long)capacity,
            (unsigned long long)store->resident);
    for (size_t i = 0; i < s->count; i++) {
        uint64_t words = s->all[i]->slice == p->slice ? holds(s->all[i], layer) : 0;
        if (!words)
            continue;
        fprintf(out, "\n    held by ");
        print_who(s->all[i], out);
        fprintf(out, ": %llu words", (unsigned long long)words);
    }
    fputc('\n', out);
}

static void print_slot(const struct survey *s, const struct htmt__entity *p, uint32_t i, FILE *out)
{
    bool named = false;
    fprintf(out, "    its fiber %u waits for %u more signal%s", i + 1, p->body->slot[i].count,
            p->body->slot[i].count == 1 ? "" : "s");
    for (size_t k = 0; k < s->count; k++) {
        const struct htmt__entity *q = s->all[k];
        if (q->kind != HTMT__PARCEL || q->body->on_done.owner.serial != p->serial ||
            q->body->on_done.fiber != i + 1)
            continue;
        fprintf(out, "%s", named ? ", " : "; to come from ");
        print_who(q, out);
        named = true;
    }
    fprintf(out, "%s\n", named ? "" : "; nobody is under way who would signal it");
}

static void print_waiter(const struct survey *s, const struct htmt__entity *p, FILE *out)
{
    fprintf(out, "  ");
    print_who(p, out);
    switch ((enum htmt__state)p->state) {
    case HTMT__FOR_SPACE:
        fprintf(out, " waits before %s for %llu words of %s since %.9g s\n",
                htmt_stage_name((enum htmt_stage_id)p->step->stage),
                (unsigned long long)p->waiter.amount, memory_of(s->e, p->step->layer),
                (double)p->waiter.since * 1e-15);
        print_holders(s, p, out);
        break;
    case HTMT__FOR_CALL:
        fprintf(out, " waits for htmt_%s()\n", htmt_stage_name((enum htmt_stage_id)p->step->stage));
        break;
    case HTMT__FOR_ROOM:
        if (p->message->mailbox)
            fprintf(out, " waits for room for %llu records in mailbox %s\n",
                    (unsigned long long)p->message->records,
                    htmt__mailbox_name(p->message->mailbox));
        else
            fprintf(out, " of a reduction waits for an inbox\n");
        break;
    default:
        fprintf(out, " is on its way\n");
    }
    for (uint32_t i = 0; p->kind == HTMT__PARCEL && i < p->type->fiber_count; i++)
        if (slot_waits(p, i))
            print_slot(s, p, i, out);
}

static void print_cycle(const struct survey *s, FILE *out)
{
    if (s->cycle_at == SIZE_MAX) {
        fprintf(out, "no cycle among those who hold: somebody outside was to act\n");
        return;
    }
    fprintf(out, "cycle: ");
    for (size_t i = s->cycle_at; i < s->depth; i++) {
        print_who(s->all[s->path[i]], out);
        fprintf(out, " -> ");
    }
    print_who(s->all[s->path[s->cycle_at]], out);
    fputc('\n', out);
}

int htmt_deadlock_print(const struct htmt_emulator *e, FILE *out)
{
    struct survey s = {.e = e, .cycle_at = SIZE_MAX};
    if (!e || !out || e->fault.code != HTMT_EDEADLOCK)
        return HTMT_EINVAL;
    int rc = collect(&s);
    if (!rc)
        rc = find_cycle(&s);
    if (!rc) {
        fprintf(out, "percolation deadlock at %.9g s virtual time: %zu wait\n",
                (double)e->now * 1e-15, s.count);
        for (size_t i = 0; i < s.count; i++)
            print_waiter(&s, s.all[i], out);
        print_cycle(&s, out);
        if (ferror(out))
            rc = HTMT_EIO;
    }
    free(s.path);
    free(s.mark);
    free(s.all);
    return rc;
}
