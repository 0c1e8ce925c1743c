/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Percolation deadlock: who waits for what, who holds it or was to signal it, and the cycle.
 *
 * The graph. An entity that waits for words of a memory waits for every parcel that holds some
 * there; an activation whose fiber waits for a slot waits for those who would signal it when they
 * are done; one at a gate, for nobody we can know (whoever was to make the call). With n entities
 * that wait for a memory which m others hold that would be n * m edges; so each memory of a slice
 * is a node of its own between those who wait and those who hold, and there are no more edges than
 * entities and the memories that each of them holds. The run of 10^6 entities is reported in a
 * second.
 *
 * The cycle. A search in depth keeps the path that it is on. A step to a node of the path closes a
 * cycle: the part of the path from that node on. A node that was left is done, for no cycle leads
 * through it. So every edge is followed once. Not every deadlock has a cycle: somebody outside may
 * have been meant to act.
 *
 * Example. Parcels A and B of slice 0 hold all words of DRAM and wait for words of SRAM, which C
 * and D hold, who wait for words of DRAM to go home. Edges: A, B -> SRAM -> C, D -> DRAM -> A, B.
 * From A: the path A, SRAM, C, DRAM, and DRAM leads to A. The report names the cycle without the
 * memories: A -> C -> A.
 *
 * The report. A run of 4096 slices may end with 30,000 entities that wait, most of them alike. What
 * a reader needs comes first: the cycle, then who holds most of the words that others wait for;
 * then some of the waiters in full, and the others as counts of a type and what they wait for.
 */
#include "parcels/clock/ending.h"
#include "parcels/message/cell_clock.h"
#include "parcels/message/mailbox.h"
#include "parcels/message/packet_network.h"
#include "parcels/observe/stuck.h"

#include <stdlib.h>
#include <string.h>

#define HOLDERS_NAMED 12u
#define CYCLE_NAMED   12u
#define WAITERS_NAMED 20u /* one by one; the others are counted */
#define KINDS_NAMED   12u

struct survey {
    const struct htmt_emulator *e;
    struct htmt__stuck_list list;
    const struct htmt__stuck **all; /* of it; nodes: they, then memories by slice and layer */
    size_t count, nodes;
    size_t *start, *next; /* node n waits for next[start[n]] up to next[start[n + 1]] */
    uint8_t *mark;        /* 0 new, 1 on the path, 2 done */
    size_t *seen;         /* of each node: edges that were followed */
    size_t *path;         /* of the search */
    size_t depth;
    size_t cycle_at; /* where on the path the cycle begins; SIZE_MAX: none */
};

/* ---- naming ---------------------------------------------------------------------------------- */

static const struct htmt_type *type_of(const struct survey *s, const struct htmt__stuck *p)
{
    const struct htmt_type *t = s->e->types;
    while (t && t->number != p->type)
        t = t->next;
    return t;
}

static void print_who(const struct survey *s, const struct htmt__stuck *p, FILE *out)
{
    const struct htmt_type *t = type_of(s, p);
    const char *name = p->kind != HTMT__MESSAGE         ? t ? t->code.name : "?"
                       : p->mailbox != HTMT__STUCK_NONE ? "a send"
                                                        : "a put";
    fprintf(out, "%s #%llu (slice %u)", name,
            (unsigned long long)(p->serial & (((uint64_t)1 << 40) - 1)), p->slice);
}

/* ---- the graph ------------------------------------------------------------------------------- */

static size_t memory_node(const struct survey *s, uint32_t slice, uint32_t layer)
{
    return s->count + (size_t)slice * s->e->layers + layer;
}

/* The activation with a slot that waits for p to be done, SIZE_MAX: none does. */
static size_t waits_for(const struct survey *s, const struct htmt__stuck *p)
{
    const uint64_t serial = p->done.owner.serial;
    size_t low = 0, high = htmt_ref_none(p->done.owner) ? 0 : s->count;
    while (low < high) { /* entities are sorted by serial */
        size_t mid = (low + high) / 2;
        if (s->all[mid]->serial < serial)
            low = mid + 1;
        else
            high = mid;
    }
    bool waits = low < s->count && s->all[low]->serial == serial && !htmt_ref_none(p->done.owner) &&
                 p->done.fiber && htmt__stuck_lacks(s->e, s->all[low], p->done.fiber - 1);
    return waits ? low : SIZE_MAX;
}

static void edge(struct survey *s, size_t from, size_t to)
{
    if (s->next)
        s->next[s->start[from]] = to;
    s->start[from]++;
}

/* The edges of all entities, in the order of birth. */
static void add_edges(struct survey *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct htmt__stuck *p = s->all[i];
        size_t told = waits_for(s, p);
        if (p->state == HTMT__FOR_SPACE)
            edge(s, i, memory_node(s, p->slice, p->layer));
        for (uint32_t l = 0; l < s->e->layers; l++)
            if (p->holds[l])
                edge(s, memory_node(s, p->slice, l), i);
        if (told != SIZE_MAX)
            edge(s, told, i);
    }
}

/* First the edges of each node are counted, then written behind those of the nodes before. */
static int draw_graph(struct survey *s)
{
    size_t sum = 0;
    s->start = calloc(s->nodes + 2, sizeof *s->start);
    if (!s->start)
        return HTMT_ENOMEM;
    add_edges(s);
    for (size_t i = 0; i <= s->nodes; i++) {
        size_t n = s->start[i];
        s->start[i] = sum;
        sum += n;
    }
    s->next = calloc(sum + 1, sizeof *s->next);
    if (!s->next)
        return HTMT_ENOMEM;
    add_edges(s);
    memmove(s->start + 1, s->start, s->nodes * sizeof *s->start); /* each is at its node's end */
    s->start[0] = 0;
    return 0;
}

/* ---- the cycle ------------------------------------------------------------------------------- */

/* The next node that a node waits for and that is not done, SIZE_MAX: none. Who waits for words
 * waits for nothing else. */
static size_t next_on(struct survey *s, size_t from)
{
    const bool for_space = from < s->count && s->all[from]->state == HTMT__FOR_SPACE;
    while (s->start[from] + s->seen[from] < s->start[from + 1]) {
        size_t to = s->next[s->start[from] + s->seen[from]++];
        if (s->mark[to] != 2 && (!for_space || to >= s->count))
            return to;
    }
    return SIZE_MAX;
}

static bool search_from(struct survey *s, size_t root)
{
    s->depth = 0;
    for (size_t next = root;;) {
        s->mark[next] = 1;
        s->path[s->depth++] = next;
        while ((next = next_on(s, s->path[s->depth - 1])) == SIZE_MAX) {
            s->mark[s->path[--s->depth]] = 2;
            if (!s->depth)
                return false;
        }
        if (s->mark[next] == 1) {
            for (s->cycle_at = 0; s->path[s->cycle_at] != next;)
                s->cycle_at++;
            return true;
        }
    }
}

/* ---- printing -------------------------------------------------------------------------------- */

static void print_holders(const struct survey *s, const struct htmt__stuck *p, FILE *out)
{
    size_t node = memory_node(s, p->slice, p->layer), end = s->start[node + 1];
    uint64_t capacity = s->e->store_class[p->layer].capacity, rest = p->used - p->resident;
    fprintf(out, "    %llu of %llu words are free; objects hold %llu",
            (unsigned long long)(capacity - p->used), (unsigned long long)capacity,
            (unsigned long long)p->resident);
    for (size_t i = s->start[node], named = 0; i < end; i++) {
        const struct htmt__stuck *holder = s->all[s->next[i]];
        if (named++ == HOLDERS_NAMED) {
            fprintf(out, "\n    held by %zu others: %llu words", end - i, (unsigned long long)rest);
            break;
        }
        fprintf(out, "\n    held by ");
        print_who(s, holder, out);
        fprintf(out, ": %llu words", (unsigned long long)holder->holds[p->layer]);
        rest -= holder->holds[p->layer];
    }
    fputc('\n', out);
}

/* Who was to signal fiber i of an activation that waits: entities when they are done, or the round
 * of a collective that is under way. False: nobody known. */
static bool print_signallers(const struct survey *s, size_t at, uint32_t i, FILE *out)
{
    const struct htmt__stuck *p = s->all[at];
    const struct htmt__awaited key = {.slot = {{.serial = p->serial}, i + 1}}, *key_at = &key;
    const struct htmt__awaited **found = bsearch(&key_at, s->list.awaited, s->list.awaited_count,
                                                 sizeof key_at, htmt__awaited_by_slot);
    const struct htmt__collective *by = found ? s->e->collectives : NULL;
    const char *const first = "; to come from ", *before = first;
    while (by && by->number != (*found)->by)
        by = by->next;
    for (size_t k = s->start[at]; k < s->start[at + 1]; k++) {
        size_t q = s->next[k];
        if (q >= s->count || s->all[q]->done.fiber != i + 1)
            continue;
        if (out) {
            fprintf(out, "%s", before);
            print_who(s, s->all[q], out);
        }
        before = ", ";
    }
    if (by && out)
        fprintf(out, "%s%s %s", before, by->kind, by->name);
    return by || before != first;
}

/* Fibers that wait, those of which nobody is known who would signal them in one line. */
static void print_slots(const struct survey *s, size_t at, FILE *out)
{
    const struct htmt__stuck *p = s->all[at];
    const struct htmt_type *t = type_of(s, p);
    static const struct htmt__code unnamed;
    const struct htmt__code *code = t ? &t->code : &unnamed;
    char fiber[HTMT__STAGE_TEXT];
    uint32_t first = 0, count = 0;
    for (uint32_t i = 0; i < p->fibers; i++) {
        const uint64_t lacks = htmt__stuck_lacks(s->e, p, i);
        if (!lacks)
            continue;
        if (!print_signallers(s, at, i, NULL)) {
            first = count++ ? first : i + 1;
            continue;
        }
        fprintf(out, "    its %s waits for %llu more signal%s",
                htmt__stage_text(code, HTMT_FIBER, i + 1, fiber), (unsigned long long)lacks,
                lacks == 1 ? "" : "s");
        print_signallers(s, at, i, out);
        fputc('\n', out);
    }
    if (count)
        fprintf(out,
                "    its %s waits for %llu more signal%s; nobody is under way who would "
                "signal it",
                htmt__stage_text(code, HTMT_FIBER, first, fiber),
                (unsigned long long)htmt__stuck_lacks(s->e, p, first - 1),
                htmt__stuck_lacks(s->e, p, first - 1) == 1 ? "" : "s");
    if (count > 1)
        fprintf(out, "; so do %u more fibers", count - 1);
    fputs(count ? "\n" : "", out);
}

/* Of one that waits for room; NULL: an inbox of a reduction. */
static const char *mailbox_of(const struct survey *s, const struct htmt__stuck *p)
{
    const struct htmt_mailbox *m = s->e->mailboxes;
    if (p->mailbox == HTMT__STUCK_NONE)
        return NULL;
    while (m && htmt__mailbox_number(m) != p->mailbox)
        m = htmt__mailbox_next(m);
    return m ? htmt__mailbox_name(m) : "?";
}

/* What an entity waits for, without its amount; two that print the same are counted as alike. */
static void name_wait(const struct survey *s, const struct htmt__stuck *p, char text[120])
{
    switch ((enum htmt__state)p->state) {
    case HTMT__FOR_SPACE:
        snprintf(text, 120, "for words of %s", s->e->machine->layer[p->layer].memory.name);
        break;
    case HTMT__FOR_CALL:
        snprintf(text, 120, "for htmt_%s()", htmt_stage_name((enum htmt_stage_id)p->stage));
        break;
    case HTMT__FOR_ROOM:
        if (mailbox_of(s, p))
            snprintf(text, 120, "for room in mailbox %s", mailbox_of(s, p));
        else
            snprintf(text, 120, "for an inbox of a reduction");
        break;
    case HTMT__FOR_PORT:
        snprintf(text, 120, "for a port, to send its next message");
        break;
    case HTMT__FOR_QUEUE:
        snprintf(text, 120, "for room in a queue of posts");
        break;
    default:
        snprintf(text, 120, "on its way");
    }
}

static void print_waiter(const struct survey *s, size_t at, FILE *out)
{
    const struct htmt__stuck *p = s->all[at];
    const char *stage = htmt_stage_name((enum htmt_stage_id)p->stage);
    fprintf(out, "  ");
    print_who(s, p, out);
    switch ((enum htmt__state)p->state) {
    case HTMT__FOR_SPACE:
        fprintf(out, " waits before %s for %llu words of %s since %.9g s\n", stage,
                (unsigned long long)p->amount, s->e->machine->layer[p->layer].memory.name,
                (double)p->since * 1e-15);
        print_holders(s, p, out);
        break;
    case HTMT__FOR_CALL:
        fprintf(out, " waits for htmt_%s()\n", stage);
        break;
    case HTMT__FOR_ROOM:
        if (mailbox_of(s, p))
            fprintf(out, " waits for room for %llu records in mailbox %s\n",
                    (unsigned long long)p->amount, mailbox_of(s, p));
        else
            fprintf(out, " of a reduction waits for an inbox\n");
        break;
    case HTMT__FOR_PORT:
        fprintf(out, " waits for a port, to send its next message\n");
        break;
    case HTMT__FOR_QUEUE:
        fprintf(out, " waits for room in a queue of posts\n");
        break;
    default:
        fprintf(out, " is on its way\n");
    }
    print_slots(s, at, out);
}

/* Entities behind the first ones, as counts of those that are of one type and wait for the same. */
static void print_others(const struct survey *s, FILE *out)
{
    struct kind {
        uint32_t type, kind;
        char wait[120];
        size_t count;
    } of[KINDS_NAMED];
    size_t kinds = 0, rest = 0;
    for (size_t i = WAITERS_NAMED; i < s->count; i++) {
        const struct htmt__stuck *p = s->all[i];
        struct kind this = {p->type, p->kind, "", 0};
        size_t k = 0;
        name_wait(s, p, this.wait);
        while (k < kinds && (of[k].type != this.type || of[k].kind != this.kind ||
                             strcmp(of[k].wait, this.wait) != 0))
            k++;
        if (k == KINDS_NAMED) {
            rest++;
            continue;
        }
        if (k == kinds)
            of[kinds++] = this;
        of[k].count++;
    }
    if (kinds)
        fprintf(out, "  and %zu others:\n", s->count - WAITERS_NAMED);
    for (size_t k = 0; k < kinds; k++) {
        const struct htmt_type *t = s->e->types;
        while (t && t->number != of[k].type)
            t = t->next;
        fprintf(out, "    %zu %s %s\n", of[k].count, t ? t->code.name : "messages", of[k].wait);
    }
    if (rest)
        fprintf(out, "    %zu more of other types and waits\n", rest);
}

/* Who holds most words of memories that others wait for. */
static void print_most(const struct survey *s, FILE *out)
{
    const uint32_t layers = s->e->layers;
    size_t *waiters = calloc((size_t)s->e->played * layers + 1, sizeof *waiters), most_at = 0;
    uint64_t most = 0;
    uint32_t most_layer = 0;
    for (size_t i = 0; waiters && i < s->count; i++)
        if (s->all[i]->state == HTMT__FOR_SPACE)
            waiters[(size_t)s->all[i]->slice * layers + s->all[i]->layer]++;
    for (size_t i = 0; waiters && i < s->count; i++) {
        const struct htmt__stuck *p = s->all[i];
        for (uint32_t l = 0; l < layers; l++) {
            const bool waits = p->state == HTMT__FOR_SPACE && p->layer == l;
            if (waiters[(size_t)p->slice * layers + l] > waits && p->holds[l] > most) {
                most = p->holds[l];
                most_at = i;
                most_layer = l;
            }
        }
    }
    if (most) {
        const size_t others = waiters[(size_t)s->all[most_at]->slice * layers + most_layer];
        fprintf(out, "most of what others wait for is held by ");
        print_who(s, s->all[most_at], out);
        fprintf(out, ": %llu words of %s, for which %zu wait%s\n", (unsigned long long)most,
                s->e->machine->layer[most_layer].memory.name, others, others == 1 ? "s" : "");
    }
    free(waiters);
}

/* Without the memories on it; of a long one its beginning. */
static void print_cycle(const struct survey *s, FILE *out)
{
    size_t first = s->cycle_at, named = 0, length = 0;
    char packets[440];
    if (first == SIZE_MAX && htmt__fabric_stuck_text(s->e, packets, sizeof packets)) {
        fprintf(out, "cycle of packets: %s\n", packets);
        return;
    }
    if (first == SIZE_MAX && htmt__cell_net_circle(s->e, packets, sizeof packets)) {
        fprintf(out, "cycle of cells: %s\n", packets);
        return;
    }
    if (first == SIZE_MAX) {
        fprintf(out, "no cycle among those who hold: somebody outside was to act, or programs wait "
                     "for each other's signals\n");
        return;
    }
    first += s->path[first] >= s->count;
    fprintf(out, "cycle: ");
    for (size_t i = first; i < s->depth; i++) {
        length += s->path[i] < s->count;
        if (s->path[i] >= s->count || named == CYCLE_NAMED)
            continue;
        named++;
        print_who(s, s->all[s->path[i]], out);
        fprintf(out, " -> ");
    }
    if (length > named)
        fprintf(out, "%zu more -> ", length - named);
    print_who(s, s->all[s->path[first]], out);
    fputc('\n', out);
}

int htmt_deadlock_print(const struct htmt_emulator *e, FILE *out)
{
    struct survey s = {.e = e, .cycle_at = SIZE_MAX};
    if (!e || !out || e->fault.code != HTMT_EDEADLOCK)
        return HTMT_EINVAL;
    if (e->windows && e->windows->rank && e->windows->rank->lost) {
        fprintf(out, "who waits for whom is lost with the other ranks of the run\n");
        return ferror(out) ? HTMT_EIO : 0;
    }
    int rc = htmt__stuck_collect(e, &s.list);
    s.all = s.list.all;
    s.count = s.list.count;
    s.nodes = memory_node(&s, e->played, 0);
    if (!rc)
        rc = draw_graph(&s);
    if (rc)
        goto clear;
    s.mark = calloc(s.nodes + 1, sizeof *s.mark);
    s.seen = calloc(s.nodes + 1, sizeof *s.seen);
    s.path = calloc(s.nodes + 1, sizeof *s.path);
    if (!s.mark || !s.seen || !s.path) {
        rc = HTMT_ENOMEM;
        goto clear;
    }
    for (size_t i = 0; i < s.count; i++)
        if (!s.mark[i] && search_from(&s, i))
            break;
    fprintf(out, "percolation deadlock at %.9g s virtual time: %zu wait\n", (double)e->now * 1e-15,
            s.count);
    print_cycle(&s, out);
    print_most(&s, out);
    for (size_t i = 0; i < s.count && i < WAITERS_NAMED; i++)
        print_waiter(&s, i, out);
    print_others(&s, out);
    for (const struct htmt__collective *t = e->collectives; t; t = t->next) {
        char text[300] = "";
        htmt__round_absent(t, text, sizeof text);
        if (text[0])
            fprintf(out, "  %s\n", text);
    }
    rc = ferror(out) ? HTMT_EIO : 0;
clear:
    free(s.path);
    free(s.seen);
    free(s.mark);
    free(s.next);
    free(s.start);
    htmt__stuck_fini(&s.list);
    return rc;
}
