/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A table of traffic as a parcel program.
 *
 * Each node is one activation of its slice, and each message one put. The activation has a fiber
 * STEP that performs the node's operations until one of them has to wait, and a fiber IN + i for
 * each message that it hears. Whatever a node waits for ends in one more signal to STEP:
 *
 *     operation   STEP goes on when
 *     asend       at once
 *     send        the target has received the message (below)
 *     rcv         the message has come
 *     arecv       at once; it is taken when it comes
 *     compute     its time is over
 *     all         all messages of the iteration that no receive names are in memory
 *
 * Iterations overlap: a source may send its third message before the second was taken. Nothing is
 * queued, only counted: for each index how often the message has come (arrived), a receive took it
 * (taken), and its sender was told (told). Message i of an index belongs to iteration i, so one
 * that is an iteration ahead completes no other. A receive may go on if arrived >= taken after it
 * has counted itself. A synchronous sender is told min(arrived, taken) times, or `arrived` times if
 * no receive names the message. For example, "send 1" of node 0 and "compute 5 us, rcv 0" of node
 * 1: the message comes (1, 0, 0), nobody is told; node 1 receives it 5 us later (1, 1, 0), so node
 * 0 gets its signal and told becomes 1.
 *
 * ALL waits in two stages. `complete` counts iterations all of whose unnamed messages have come;
 * `missing` is how many of them the next one still lacks. Then the blocks move from the end of the
 * network to memory, one iteration after another, which `moved` counts.
 *
 * A node that sends and waits for nothing would begin all iterations at once. Without a period it
 * therefore begins the next one when the last message of the one before has left (LEFT).
 *
 * In a run the fiber of a message checks its bytes, which are a function of source, target, index
 * and position.
 */
#include "apps/traffic/program.h"

#include "apps/lib/iterations.h"
#include "apps/lib/per_slice.h"
#include "apps/lib/random.h"
#include "apps/traffic/inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fibers of a node: its operations go on; its messages have left; its blocks go to memory; they are
 * there; a message has come, one fiber for each index. */
enum { STEP = 1, LEFT, MOVE, MOVED, IN };

#define CLASSES 27 /* of types: by the power of two of messages heard */

/* What a node's operations wait for. */
enum wait { FOR_NOTHING, FOR_MESSAGE /* `awaited` */, FOR_ALL, FOR_LEFT };

/* Of a slice; its controls alone write it. Counts are of iterations. */
struct state {
    HTMT_PER_SLICE uint32_t pc; /* the next operation of the node */
    uint32_t awaited;
    enum wait wait;
    bool moving, done, retired;
    uint64_t iteration, left, arrivals;
    uint64_t complete, moved;         /* as above */
    uint32_t missing;                 /* of `complete` */
    uint64_t *arrived, *taken, *told; /* by index */
    htmt_time *times;                 /* begins, ends, messages sent, messages that came */
};

struct htmt__traffic_program {
    struct htmt__traffic_program_desc desc;
    const struct htmt__traffic_table *table;
    struct htmt_emulator *e;
    struct htmt_type *type[CLASSES];
    uint32_t *route; /* of each message; 0: the machine's routing. NULL: of all */
    struct htmt_frame *verdict;
    struct htmt_object **out, **in; /* of each slice; NULL: it sends, hears nothing */
    struct htmt_ref *ref;
    bool *leaves; /* the node begins again when its messages have left */
    struct state *state;
};

typedef struct htmt__traffic_program program;
typedef struct htmt__traffic_message message;

static const program *program_of(struct htmt_context *c)
{
    return *(const program *const *)htmt_args(c);
}

static const message *heard(const program *p, uint32_t node, uint32_t index)
{
    const struct htmt__traffic_table *t = p->table;
    return &t->message[t->in[t->node[node].first_in + index]];
}

/* Places in `times`. */
static uint64_t sent_at(const program *p, const message *m, uint64_t i)
{
    return 2 * p->desc.iterations + i * p->table->node[m->source].sends + m->place;
}

static uint64_t came_at(const program *p, const message *m, uint64_t i)
{
    const struct htmt__traffic_node *n = &p->table->node[m->target];
    return 2 * p->desc.iterations + p->desc.kept * n->sends + i * n->hears + m->index;
}

/* Where the message of iteration i lies at its target. */
static struct htmt_addr place_of(const program *p, const message *m, uint64_t i)
{
    return htmt_in(p->in[m->target],
                   i % p->desc.buffers * p->table->node[m->target].in_bytes + m->to);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* The number of bytes that are not what they should be; with `fills` they become it. */
static uint64_t compare_bytes(const message *m, unsigned char *bytes, bool fills)
{
    uint64_t word = 0, wrong = 0;
    for (uint64_t i = 0; i < m->bytes; i++) {
        if (i % 8 == 0)
            word = htmt__random_at(m->source, m->target, m->index, i / 8);
        unsigned char byte = (unsigned char)(word >> 8 * (i % 8));
        wrong += bytes[i] != byte;
        if (fills)
            bytes[i] = byte;
    }
    return wrong;
}

static void check_kernel(struct htmt_kernel *k)
{
    const program *p = htmt_kernel_user(k);
    struct htmt__traffic_checked *verdict = htmt_used(k, 1);
    uint64_t wrong = compare_bytes(heard(p, htmt_kernel_slice(k), htmt_kernel_fiber(k) - IN),
                                   htmt_used(k, 0), false);
    verdict->blocks++;
    verdict->wrong_blocks += wrong > 0;
    verdict->wrong_bytes += wrong;
}

static void no_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args;
    (void)user;
    (void)ops;
}

/* ---- what sending and receiving have in common ----------------------------------------------- */

/* The sender of a synchronous message learns of each time that it was received. */
static void tell_sender(struct htmt_context *c, const program *p, struct state *s, uint32_t index)
{
    const message *m = heard(p, htmt_slice(c), index);
    uint64_t received = s->arrived[index];
    if (!m->synchronous)
        return;
    if (m->named && s->taken[index] < received)
        received = s->taken[index];
    for (; s->told[index] < received; s->told[index]++)
        htmt_signal(c, htmt_slot_of(p->ref[m->source], STEP));
}

/* The node ends if nothing more happens to it. */
static void retire_if_done(struct htmt_context *c, const program *p, struct state *s)
{
    const struct htmt__traffic_node *n = &p->table->node[htmt_slice(c)];
    if (!s->done || s->retired || s->arrivals < n->hears * p->desc.iterations || s->moving)
        return;
    s->retired = true;
    htmt_retire(c, htmt_self(c));
}

/* The node goes on when it has computed for so long, or waited for its next arrival. */
static void go_on_after(struct htmt_context *c, htmt_time time, bool works)
{
    (works ? htmt_delay : htmt_pause)(c, time);
    htmt_signal(c, htmt_slot(c, STEP));
}

/* ---- operations ------------------------------------------------------------------------------ */

/* False: the next operation has to wait. */
static bool perform(struct htmt_context *c, const program *p, struct state *s,
                    const struct htmt__traffic_op *op)
{
    const uint32_t slice = htmt_slice(c);
    const struct htmt__traffic_node *n = &p->table->node[slice];
    const message *m = op->message == HTMT__TRAFFIC_NONE ? NULL : &p->table->message[op->message];
    struct htmt_put put;
    switch (op->kind) {
    case HTMT__TRAFFIC_ASEND:
    case HTMT__TRAFFIC_SEND:
        put = htmt_put_init();
        put.src = htmt_in(p->out[slice], m->from);
        put.dst = place_of(p, m, s->iteration);
        put.bytes = m->bytes;
        put.on_arrived = htmt_slot_of(p->ref[m->target], IN + m->index);
        if (p->leaves[slice] && m->place + 1 == n->sends)
            put.on_sent = htmt_slot(c, LEFT);
        if (p->route)
            put.route = p->route[op->message];
        if (s->iteration < p->desc.kept)
            s->times[sent_at(p, m, s->iteration)] = htmt_began(c);
        htmt_put(c, &put);
        return op->kind == HTMT__TRAFFIC_ASEND;
    case HTMT__TRAFFIC_RCV:
    case HTMT__TRAFFIC_ARECV:
        s->taken[m->index]++;
        tell_sender(c, p, s, m->index);
        if (op->kind == HTMT__TRAFFIC_ARECV || s->arrived[m->index] >= s->taken[m->index])
            return true;
        s->awaited = m->index;
        s->wait = FOR_MESSAGE;
        return false;
    case HTMT__TRAFFIC_ALL:
        if (!n->hears || s->moved > s->iteration)
            return true;
        s->wait = FOR_ALL;
        return false;
    default:
        go_on_after(c, op->time, op->kind == HTMT__TRAFFIC_COMPUTE);
        return false;
    }
}

/* False: the node waits for its last message to leave, or this was the last iteration. */
static bool end_iteration(struct htmt_context *c, const program *p, struct state *s, uint32_t slice)
{
    s->times[p->desc.iterations + s->iteration] = htmt_began(c);
    if (p->leaves[slice] && s->left <= s->iteration) {
        s->wait = FOR_LEFT;
        return false;
    }
    s->pc = 0;
    if (++s->iteration < p->desc.iterations)
        return true;
    s->done = true;
    retire_if_done(c, p, s);
    return false;
}

/* The node's operations, until one has to wait. A source begins each iteration when its time has
 * come: until then it waits at its operation 0. A node without operations has iterations all the
 * same, which begin and end at once. */
static void step(struct htmt_context *c)
{
    const program *p = program_of(c);
    const uint32_t slice = htmt_slice(c);
    const struct htmt__traffic_node *n = &p->table->node[slice];
    struct state *s = &p->state[slice];
    s->wait = FOR_NOTHING;
    for (bool more = true; more;) {
        if (s->pc == n->count && n->count) {
            more = end_iteration(c, p, s, slice);
            continue;
        }
        if (s->pc == 0) {
            htmt_time now = htmt_began(c), due;
            if (__builtin_mul_overflow((htmt_time)s->iteration, n->period, &due)) {
                htmt_fail(c, HTMT_EOVERFLOW, "the periods of a source pass 2.56 hours");
                return;
            }
            if (due > now) {
                go_on_after(c, due - now, false);
                return;
            }
            s->times[s->iteration] = now;
            if (p->desc.named)
                htmt__iteration(c, "iteration", s->iteration, p->desc.iterations);
        }
        more = n->count ? perform(c, p, s, &p->table->op[n->first + s->pc++])
                        : end_iteration(c, p, s, slice);
    }
}

/* Fibers wait for the end of the activation's first one, so that one takes no time. */
static void begin(struct htmt_context *c)
{
    htmt_signal(c, htmt_slot(c, STEP));
}

/* The last message of an iteration has left. */
static void left(struct htmt_context *c)
{
    const program *p = program_of(c);
    struct state *s = &p->state[htmt_slice(c)];
    s->left++;
    if (s->wait == FOR_LEFT)
        step(c);
}

/* ---- arrivals -------------------------------------------------------------------------------- */

/* Whether ALL need wait no longer. */
static bool has_all(struct state *s)
{
    if (s->wait != FOR_ALL || s->moved <= s->iteration)
        return false;
    s->wait = FOR_NOTHING;
    return true;
}

static htmt_time time_to_memory(const program *p, uint32_t slice)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < p->table->node[slice].hears; i++) {
        const message *m = heard(p, slice, i);
        bytes += m->named ? 0 : m->bytes;
    }
    return htmt__traffic_local(htmt_emulator_machine(p->e), p->desc.network, bytes);
}

static void move(struct htmt_context *c)
{
    htmt_delay(c, time_to_memory(program_of(c), htmt_slice(c)));
    htmt_signal(c, htmt_slot(c, MOVED));
}

/* One iteration's blocks are in memory. */
static void moved(struct htmt_context *c)
{
    const program *p = program_of(c);
    struct state *s = &p->state[htmt_slice(c)];
    s->moved++;
    s->moving = s->moved < s->complete;
    if (s->moving)
        htmt_signal(c, htmt_slot(c, MOVE));
    if (has_all(s))
        htmt_signal(c, htmt_slot(c, STEP));
    retire_if_done(c, p, s);
}

/* A message has come. If no receive names it, it is gathered: with the last one of an iteration the
 * iteration's blocks go to memory. */
static void arrive(struct htmt_context *c)
{
    const program *p = program_of(c);
    uint32_t slice = htmt_slice(c);
    struct state *s = &p->state[slice];
    const message *m = heard(p, slice, htmt_fiber(c) - IN);
    htmt_use(c, place_of(p, m, s->arrived[m->index]), m->bytes, HTMT_READ);
    htmt_use(c, htmt_at(p->verdict, slice, 0), sizeof(struct htmt__traffic_checked), HTMT_COMMUTE);
    htmt_work(c);
    uint64_t i = s->arrived[m->index]++;
    s->arrivals++;
    if (i < p->desc.kept)
        s->times[came_at(p, m, i)] = htmt_enabled(c);
    tell_sender(c, p, s, m->index);
    if (!m->named && i == s->complete && !--s->missing) {
        s->complete++;
        for (uint32_t k = 0; k < p->table->node[slice].hears; k++)
            s->missing += !heard(p, slice, k)->named && s->arrived[k] <= s->complete;
        if (!time_to_memory(p, slice)) {
            s->moved = s->complete;
        } else if (!s->moving) {
            s->moving = true;
            htmt_signal(c, htmt_slot(c, MOVE));
        }
    }
    bool awaited = s->wait == FOR_MESSAGE && s->awaited == m->index;
    if (awaited)
        s->wait = FOR_NOTHING;
    if (awaited || has_all(s))
        htmt_signal(c, htmt_slot(c, STEP));
    retire_if_done(c, p, s);
}

/* ---- set-up ---------------------------------------------------------------------------------- */

/* Types differ in the messages that a node hears, up to a power of two. */
static unsigned class_of(uint32_t hears)
{
    unsigned found = 0;
    while (UINT32_C(1) << found < hears)
        found++;
    return found;
}

static int create_type(program *p, unsigned of_class)
{
    uint32_t hears = UINT32_C(1) << of_class, fibers = IN - 1 + hears;
    htmt_control_fn *const controls[] = {step, left, move, moved};
    static const char *const names[] = {"step", "left", "move", "moved"};
    const char **name_of = calloc(fibers, sizeof *name_of); /* those that hear have numbers */
    struct htmt_stage *fiber = calloc(fibers, sizeof *fiber);
    struct htmt_type_desc d = htmt_type_desc_init();
    char name[32];
    int rc = fiber && name_of ? 0 : HTMT_ENOMEM;
    if (!rc)
        memcpy(name_of, names, sizeof names);
    for (uint32_t i = 0; i < fibers && !rc; i++)
        fiber[i] = i < IN - 1 ? (struct htmt_stage){.control = controls[i], .count = 1, .reset = 1}
                              : (struct htmt_stage){.kernel = check_kernel,
                                                    .cost = no_cost,
                                                    .control = arrive,
                                                    .count = 1,
                                                    .reset = 1};
    snprintf(name, sizeof name, "Node %" PRIu32, hears);
    d.name = name;
    d.home = d.exec = htmt_emulator_machine(p->e)->layer[p->desc.layer].name;
    d.execute.control = begin;
    d.footprint = HTMT_RESIDENT;
    d.fibers = fiber;
    d.fiber_count = fibers;
    d.fiber_names = name_of;
    d.gates = HTMT_GATE(HTMT_RETIRE);
    d.args_bytes = sizeof p;
    d.user = p;
    rc = rc ? rc : htmt_type_create(p->e, &d, &p->type[of_class]);
    free(fiber);
    free(name_of);
    return rc;
}

/* A network without ports inside takes no routes. */
static int create_routes(program *p)
{
    const struct htmt__traffic_table *t = p->table;
    int rc = 0;
    if (!t->ports || !htmt__traffic_has_ports(htmt_emulator_machine(p->e), p->desc.network))
        return 0;
    p->route = calloc(t->messages, sizeof *p->route);
    if (!p->route)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < t->messages && !rc; i++)
        if (t->message[i].ports)
            rc = htmt_route_create(p->e, p->desc.network, &t->port[t->message[i].route],
                                   t->message[i].ports, &p->route[i]);
    return rc;
}

static uint64_t times_of(const program *p, uint32_t slice)
{
    const struct htmt__traffic_node *n = &p->table->node[slice];
    return 2 * p->desc.iterations + p->desc.kept * (n->sends + n->hears);
}

/* Objects of the node, and where its slice is played here its state and the bytes that it sends. */
static int create_node(program *p, uint32_t slice)
{
    const struct htmt__traffic_node *n = &p->table->node[slice];
    const program *args = p;
    struct state *s = &p->state[slice];
    const uint64_t times = times_of(p, slice);
    const bool here = htmt_slice_here(p->e, slice);
    int rc = 0;
    if (n->out_bytes)
        rc = htmt_object_create(p->e, slice, p->desc.layer, n->out_bytes, "out", &p->out[slice]);
    if (!rc && n->in_bytes)
        rc = htmt_object_create(p->e, slice, p->desc.layer, n->in_bytes * p->desc.buffers, "in",
                                &p->in[slice]);
    if (rc)
        return rc;
    if (here) {
        s->arrived = calloc(3 * (size_t)n->hears + 1, sizeof *s->arrived);
        s->times = malloc(times * sizeof *s->times);
        if (!s->arrived || !s->times)
            return HTMT_ENOMEM;
        s->taken = s->arrived + n->hears;
        s->told = s->taken + n->hears;
        memset(s->times, 0xff, times * sizeof *s->times);
        for (uint32_t i = 0; i < n->hears; i++)
            s->missing += !heard(p, slice, i)->named;
        if (!s->missing) /* nothing is gathered: ALL has nothing to wait for */
            s->moved = UINT64_MAX;
    }
    unsigned char *bytes = here && p->out[slice] ? htmt_object_bytes(p->out[slice]) : NULL;
    for (uint32_t i = n->first; i < n->first + n->count && bytes; i++) {
        const struct htmt__traffic_op *op = &p->table->op[i];
        if (op->kind != HTMT__TRAFFIC_SEND && op->kind != HTMT__TRAFFIC_ASEND)
            continue;
        const message *m = &p->table->message[op->message];
        compare_bytes(m, bytes + m->from, true);
    }
    p->leaves[slice] =
        p->desc.iterations > 1 && !n->period && n->sends && !htmt__traffic_waits(p->table, slice);
    return htmt_assemble(htmt_root(p->e),
                         &(struct htmt_parcel_desc){
                             .type = p->type[class_of(n->hears)], .slice = slice, .args = &args},
                         &p->ref[slice]);
}

static int fill(program *p)
{
    uint32_t n = p->table->nodes;
    p->out = calloc(n, sizeof *p->out);
    p->in = calloc(n, sizeof *p->in);
    p->ref = calloc(n, sizeof *p->ref);
    p->leaves = calloc(n, sizeof *p->leaves);
    p->state = htmt_per_slice_create(n, sizeof *p->state);
    int rc = p->out && p->in && p->ref && p->leaves && p->state ? 0 : HTMT_ENOMEM;
    for (uint32_t i = 0; i < n && !rc; i++)
        if (!p->type[class_of(p->table->node[i].hears)])
            rc = create_type(p, class_of(p->table->node[i].hears));
    if (!rc)
        rc = htmt_frame_create(p->e, p->desc.layer, sizeof(struct htmt__traffic_checked), "verdict",
                               &p->verdict);
    if (!rc)
        rc = create_routes(p);
    for (uint32_t i = 0; i < n && !rc; i++)
        rc = create_node(p, i);
    return rc;
}

int htmt__traffic_program_create(struct htmt_emulator *e,
                                 const struct htmt__traffic_program_desc *desc,
                                 struct htmt__traffic_program **out, struct htmt_fault *fault)
{
    program *p = calloc(1, sizeof *p);
    if (!p)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the program");
    p->desc = *desc;
    p->table = desc->table;
    p->e = e;
    int rc = fill(p);
    *out = p;
    if (!rc)
        return 0;
    const struct htmt_fault *why = htmt_emulator_fault(e);
    htmt_fault_set(fault, rc, "%s", why->code ? why->text : htmt_strerror(rc));
    htmt__traffic_program_destroy(out);
    return rc;
}

void htmt__traffic_program_destroy(struct htmt__traffic_program **out)
{
    program *p = *out;
    if (!p)
        return;
    for (uint32_t i = 0; p->state && i < p->table->nodes; i++) {
        free(p->state[i].arrived);
        free(p->state[i].times);
    }
    free(p->route);
    free(p->out);
    free(p->in);
    free(p->ref);
    free(p->leaves);
    free(p->state);
    free(p);
    *out = NULL;
}

/* ---- results --------------------------------------------------------------------------------- */

int htmt__traffic_program_checked(const struct htmt__traffic_program *p,
                                  struct htmt__traffic_checked *checked)
{
    struct htmt__traffic_checked *of = calloc(p->table->nodes, sizeof *of);
    int rc = of ? htmt_frame_gather(p->verdict, of, sizeof *of) : HTMT_ENOMEM;
    *checked = (struct htmt__traffic_checked){.blocks = 0};
    for (uint32_t i = 0; i < p->table->nodes && !rc; i++) {
        checked->blocks += of[i].blocks;
        checked->wrong_blocks += of[i].wrong_blocks;
        checked->wrong_bytes += of[i].wrong_bytes;
    }
    free(of);
    return rc;
}

int htmt__traffic_program_places(const struct htmt__traffic_program *p,
                                 struct htmt__traffic_place **places)
{
    struct htmt__traffic_place *of = calloc(p->table->nodes + 1, sizeof *of);
    for (uint32_t i = 0; of && i < p->table->nodes; i++)
        of[i] = (struct htmt__traffic_place){
            .iteration = p->state[i].iteration, .next = p->state[i].pc, .ended = p->state[i].done};
    int rc = of ? htmt_slices_share(p->e, of, sizeof *of, sizeof *of) : HTMT_ENOMEM;
    if (rc)
        free(of);
    else
        *places = of;
    return rc;
}

int htmt__traffic_program_gather(struct htmt__traffic_program *p)
{
    int rc = 0;
    for (uint32_t i = 0; i < p->table->nodes && !rc; i++) {
        void *at = p->state[i].times;
        size_t size = at ? times_of(p, i) * sizeof *p->state[i].times : 0;
        rc = htmt_per_slice_fetch(p->e, i, &at, &size);
        p->state[i].times = at;
    }
    return rc;
}

/* -1 also in a process that has no times. */
static htmt_time time_at(const program *p, uint32_t slice, uint64_t place)
{
    return p->state[slice].times ? p->state[slice].times[place] : -1;
}

htmt_time htmt__traffic_began(const struct htmt__traffic_program *p, uint32_t node, uint64_t i)
{
    return time_at(p, node, i);
}

htmt_time htmt__traffic_ended(const struct htmt__traffic_program *p, uint32_t node, uint64_t i)
{
    return time_at(p, node, p->desc.iterations + i);
}

htmt_time htmt__traffic_sent(const struct htmt__traffic_program *p, uint32_t number, uint64_t i)
{
    const message *m = &p->table->message[number];
    return time_at(p, m->source, sent_at(p, m, i));
}

htmt_time htmt__traffic_came(const struct htmt__traffic_program *p, uint32_t number, uint64_t i)
{
    const message *m = &p->table->message[number];
    return time_at(p, m->target, came_at(p, m, i));
}
