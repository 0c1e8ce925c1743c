/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Percolation deadlock: who waits for what, who holds it or was to signal it, and the cycle.
 *
 * The graph: an entity that waits for words of a memory waits for every parcel that holds some
 * there; an activation whose fiber waits for a slot waits for those who would signal it when they
 * are done; one at a gate, for nobody we can know (whoever was to make the call).
 *
 * Each memory of a slice is a node of its own between those who wait and those who hold, so there
 * are no more edges than entities and the memories that each of them holds.
 */
#include "parcels/clock/round.h"
#include "parcels/message/mailbox.h"
#include "parcels/message/network_setup.h"
#include "parcels/observe/stuck.h"

#include <stdlib.h>
#include <string.h>

#define HOLDERS_NAMED 12u

/* Members of each of some groups, one behind another. */
struct groups {
    size_t *start; /* of each group, and the end of the last */
    size_t *member;
};

struct survey {
    const struct htmt_emulator *e;
    struct htmt__stuck_list list;
    const struct htmt__stuck **all; /* of it; nodes: they, then memories by slice and layer */
    size_t count, nodes;
    struct groups next; /* of each node: whom it waits for */
    uint8_t *mark;      /* 0 new, 1 on the path, 2 done */
    size_t *seen;       /* of each node: edges that were followed */
    size_t *path;       /* of the search */
    size_t depth;
    size_t cycle_at; /* where on the path the cycle begins; SIZE_MAX: none */
};

/* ---- naming ---------------------------------------------------------------------------------- */

static const char *memory_of(const struct htmt_emulator *e, uint32_t layer)
{
    return e->machine->layer[layer].memory.name;
}

static const char *type_name(const struct htmt_emulator *e, uint32_t number)
{
    const struct htmt_type *t = e->types;
    while (t && t->number != number)
        t = t->next;
    return t ? t->code.name : "?";
}

static const char *mailbox_name(const struct htmt_emulator *e, uint32_t number)
{
    const struct htmt_mailbox *m = e->mailboxes;
    while (m && htmt__mailbox_number(m) != number)
        m = htmt__mailbox_next(m);
    return m ? htmt__mailbox_name(m) : "?";
}

static const char *name_of(const struct survey *s, const struct htmt__stuck *p)
{
    if (p->kind == HTMT__MESSAGE)
        return p->mailbox != HTMT__STUCK_NONE ? "a send" : "a put";
    return type_name(s->e, p->type);
}

static void print_who(const struct survey *s, const struct htmt__stuck *p, FILE *out)
{
    fprintf(out, "%s #%llu (slice %u)", name_of(s, p),
            (unsigned long long)(p->serial & (((uint64_t)1 << 40) - 1)), p->slice);
}

/* ---- who holds what -------------------------------------------------------------------------- */

static size_t memory_node(const struct survey *s, uint32_t slice, uint32_t layer)
{
    return s->count + (size_t)slice * s->e->layers + layer;
}

/* ---- the survey ------------------------------------------------------------------------------ */

static int collect(struct survey *s)
{
    int rc = htmt__stuck_collect(s->e, &s->list);
    s->all = s->list.all;
    s->count = s->list.count;
    s->nodes = memory_node(s, s->e->played, 0);
    return rc;
}

/* The entity with that serial, SIZE_MAX: none. */
static size_t find(const struct survey *s, uint64_t serial)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (s->all[mid]->serial < serial)
            low = mid + 1;
        else
            high = mid;
    }
    return low < s->count && s->all[low]->serial == serial ? low : SIZE_MAX;
}

/* ---- the graph ------------------------------------------------------------------------------- */

/* The activation with a slot that waits for p to be done, SIZE_MAX: none does. */
static size_t waits_for(const struct survey *s, const struct htmt__stuck *p)
{
    size_t at = htmt_ref_none(p->done.owner) ? SIZE_MAX : find(s, p->done.owner.serial);
    bool waits =
        at != SIZE_MAX && p->done.fiber && htmt__stuck_lacks(s->e, s->all[at], p->done.fiber - 1);
    return waits ? at : SIZE_MAX;
}

static void edge(struct groups *g, size_t from, size_t to, int pass)
{
    if (pass)
        g->member[g->start[from]] = to;
    g->start[from]++;
}

/* Pass 0 counts the edges of each node, pass 1 writes them, in the order of birth. */
static void edges_of(struct survey *s, size_t i, int pass)
{
    const struct htmt__stuck *p = s->all[i];
    size_t told = waits_for(s, p);
    if (p->state == HTMT__FOR_SPACE)
        edge(&s->next, i, memory_node(s, p->slice, p->layer), pass);
    for (uint32_t l = 0; l < s->e->layers; l++)
        if (p->holds[l])
            edge(&s->next, memory_node(s, p->slice, l), i, pass);
    if (told != SIZE_MAX)
        edge(&s->next, told, i, pass);
}

/* Counts become starts. Returns their sum. */
static size_t sum_up(size_t *start, size_t count)
{
    size_t sum = 0;
    for (size_t i = 0; i <= count; i++) {
        size_t n = start[i];
        start[i] = sum;
        sum += n;
    }
    return sum;
}

static int draw_graph(struct survey *s)
{
    struct groups *g = &s->next;
    g->start = calloc(s->nodes + 2, sizeof *g->start);
    if (!g->start)
        return HTMT_ENOMEM;
    for (size_t i = 0; i < s->count; i++)
        edges_of(s, i, 0);
    g->member = calloc(sum_up(g->start, s->nodes) + 1, sizeof *g->member);
    if (!g->member)
        return HTMT_ENOMEM;
    for (size_t i = 0; i < s->count; i++)
        edges_of(s, i, 1);
    memmove(g->start + 1, g->start, s->nodes * sizeof *g->start); /* each is at its group's end */
    g->start[0] = 0;
    return 0;
}

/* ---- collectives ----------------------------------------------------------------------------- */

/* Whose round under way will signal the slot; NULL: none. */
static const struct htmt__collective *collective_for(const struct survey *s,
                                                     const struct htmt__stuck *p, uint32_t fiber)
{
    const struct htmt__awaited key = {.slot = {{.serial = p->serial}, fiber}}, *at = &key;
    const struct htmt__awaited **found =
        bsearch(&at, s->list.awaited, s->list.awaited_count, sizeof at, htmt__awaited_by_slot);
    const struct htmt__collective *t = s->e->collectives;
    while (found && t && t->number != (*found)->by)
        t = t->next;
    return found ? t : NULL;
}

/* ---- the cycle ------------------------------------------------------------------------------- */

/* Who waits for words waits for nothing else. */
static bool follows(const struct survey *s, size_t from, size_t to)
{
    bool for_space = from < s->count && s->all[from]->state == HTMT__FOR_SPACE;
    return s->mark[to] != 2 && (!for_space || to >= s->count);
}

/* The next node that a node waits for and that is not done, SIZE_MAX: none. */
static size_t next_on(struct survey *s, size_t from)
{
    const struct groups *g = &s->next;
    while (g->start[from] + s->seen[from] < g->start[from + 1]) {
        size_t to = g->member[g->start[from] + s->seen[from]++];
        if (follows(s, from, to))
            return to;
    }
    return SIZE_MAX;
}

static void step_to(struct survey *s, size_t node)
{
    s->mark[node] = 1;
    s->path[s->depth++] = node;
}

/* Depth first with the path kept: a step back onto the path closes a cycle. */
static bool search_from(struct survey *s, size_t root)
{
    s->depth = 0;
    step_to(s, root);
    while (s->depth) {
        size_t at = s->path[s->depth - 1], next = next_on(s, at);
        if (next == SIZE_MAX) {
            s->mark[at] = 2;
            s->depth--;
        } else if (s->mark[next] == 1) {
            for (s->cycle_at = 0; s->path[s->cycle_at] != next;)
                s->cycle_at++;
            return true;
        } else {
            step_to(s, next);
        }
    }
    return false;
}

static int find_cycle(struct survey *s)
{
    s->mark = calloc(s->nodes + 1, sizeof *s->mark);
    s->seen = calloc(s->nodes + 1, sizeof *s->seen);
    s->path = calloc(s->nodes + 1, sizeof *s->path);
    s->cycle_at = SIZE_MAX;
    if (!s->mark || !s->seen || !s->path)
        return HTMT_ENOMEM;
    for (size_t i = 0; i < s->count; i++)
        if (!s->mark[i] && search_from(s, i))
            break;
    return 0;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void print_holders(const struct survey *s, const struct htmt__stuck *p, FILE *out)
{
    size_t node = memory_node(s, p->slice, p->layer), end = s->next.start[node + 1];
    uint64_t capacity = s->e->store_class[p->layer].capacity, rest = p->used - p->resident;
    fprintf(out, "    %llu of %llu words are free; objects hold %llu",
            (unsigned long long)(capacity - p->used), (unsigned long long)capacity,
            (unsigned long long)p->resident);
    for (size_t i = s->next.start[node], named = 0; i < end; i++) {
        const struct htmt__stuck *holder = s->all[s->next.member[i]];
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

static void print_slot(const struct survey *s, size_t at, uint32_t i, FILE *out)
{
    const struct htmt__stuck *p = s->all[at];
    const struct htmt__collective *by = collective_for(s, p, i + 1);
    const uint64_t lacks = htmt__stuck_lacks(s->e, p, i);
    const char *before = "; to come from ";
    fprintf(out, "    its fiber %u waits for %llu more signal%s", i + 1, (unsigned long long)lacks,
            lacks == 1 ? "" : "s");
    for (size_t k = s->next.start[at]; k < s->next.start[at + 1]; k++) {
        size_t q = s->next.member[k];
        if (q >= s->count || s->all[q]->done.fiber != i + 1)
            continue;
        fprintf(out, "%s", before);
        print_who(s, s->all[q], out);
        before = ", ";
    }
    if (by)
        fprintf(out, "%s%s %s", before, by->kind, by->name);
    fprintf(out, "%s\n", by || *before == ',' ? "" : "; nobody is under way who would signal it");
}

static void print_state(const struct survey *s, const struct htmt__stuck *p, FILE *out)
{
    switch ((enum htmt__state)p->state) {
    case HTMT__FOR_SPACE:
        fprintf(out, " waits before %s for %llu words of %s since %.9g s\n",
                htmt_stage_name((enum htmt_stage_id)p->stage), (unsigned long long)p->amount,
                memory_of(s->e, p->layer), (double)p->since * 1e-15);
        print_holders(s, p, out);
        break;
    case HTMT__FOR_CALL:
        fprintf(out, " waits for htmt_%s()\n", htmt_stage_name((enum htmt_stage_id)p->stage));
        break;
    case HTMT__FOR_ROOM:
        if (p->mailbox != HTMT__STUCK_NONE)
            fprintf(out, " waits for room for %llu records in mailbox %s\n",
                    (unsigned long long)p->amount, mailbox_name(s->e, p->mailbox));
        else
            fprintf(out, " of a reduction waits for an inbox\n");
        break;
    default:
        fprintf(out, " is on its way\n");
    }
}

static void print_waiter(const struct survey *s, size_t at, FILE *out)
{
    const struct htmt__stuck *p = s->all[at];
    fprintf(out, "  ");
    print_who(s, p, out);
    print_state(s, p, out);
    for (uint32_t i = 0; i < p->fibers; i++)
        if (htmt__stuck_lacks(s->e, p, i))
            print_slot(s, at, i, out);
}

static void print_absent(const struct survey *s, FILE *out)
{
    for (const struct htmt__collective *t = s->e->collectives; t; t = t->next) {
        char text[300] = "";
        htmt__round_absent(t, text, sizeof text);
        if (text[0])
            fprintf(out, "  %s\n", text);
    }
}

/* Without the memories on it. */
static void print_cycle(const struct survey *s, FILE *out)
{
    size_t first = s->cycle_at;
    char packets[440];
    if (first == SIZE_MAX && htmt__fabric_stuck_text(s->e, packets, sizeof packets)) {
        fprintf(out, "cycle of packets: %s\n", packets);
        return;
    }
    if (first == SIZE_MAX) {
        fprintf(out, "no cycle among those who hold: somebody outside was to act\n");
        return;
    }
    first += s->path[first] >= s->count;
    fprintf(out, "cycle: ");
    for (size_t i = first; i < s->depth; i++) {
        if (s->path[i] >= s->count)
            continue;
        print_who(s, s->all[s->path[i]], out);
        fprintf(out, " -> ");
    }
    print_who(s, s->all[s->path[first]], out);
    fputc('\n', out);
}

static int make_survey(struct survey *s)
{
    int rc = collect(s);
    if (!rc)
        rc = draw_graph(s);
    return rc ? rc : find_cycle(s);
}

static void clear_survey(struct survey *s)
{
    free(s->path);
    free(s->seen);
    free(s->mark);
    free(s->next.member);
    free(s->next.start);
    htmt__stuck_fini(&s->list);
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
    int rc = make_survey(&s);
    if (!rc) {
        fprintf(out, "percolation deadlock at %.9g s virtual time: %zu wait\n",
                (double)e->now * 1e-15, s.count);
        for (size_t i = 0; i < s.count; i++)
            print_waiter(&s, i, out);
        print_absent(&s, out);
        print_cycle(&s, out);
        if (ferror(out))
            rc = HTMT_EIO;
    }
    clear_survey(&s);
    return rc;
}
