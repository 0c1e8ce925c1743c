/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Direct sum: targets stay, sources stream.
 *
 * A slice brings some of its bodies into CRAM as targets, and all N sources come by: first its own,
 * then those of its left neighbour, and so on around the ring. When the last block has gone by the
 * pulls leave, and the next targets come: a pass. In each round a slice puts the block that it has
 * on to its right neighbour, and its parcels take the block to CRAM in parts.
 *
 * Room. A slice has three buffers for blocks that visit it; block g, counted over all passes, goes
 * to buffer g mod 3. A slice may send block g when its neighbour is through with block g - 3, which
 * tells it by a word, a credit. Rounds with own blocks use no buffer, but count alike: so a credit
 * is for one round, whatever the round is, and two credits are there at the beginning. By hand, two
 * slices, rounds own, visit, own, visit: slice 0 sends round 1 by the first credit, spends one on
 * round 2 and one on round 3, for which it must wait until slice 1 is through with round 0.
 *
 * Why sums have one order. A parcel that has executed opens the gate of the next one of its slice,
 * in the order in which they were assembled, which is that of rounds and of sources.
 *
 * Time. While t targets meet a source, 4 words of the next one must come: the SPELL and the channel
 * of htmt-oct98 are even at t = 4 * 2.56e11 / (20 * 1e10) = 5.12 targets.
 */
#include "apps/nbody/forces.h"
#include "apps/nbody/parts.h"

#include <stdlib.h>
#include <string.h>

#define BUFFERS HTMT__NBODY_BUFFERS

enum fiber {
    LOADED = HTMT__NBODY_RING, /* targets are in CRAM */
    ARRIVED,                   /* a block */
    CREDIT,                    /* room for one at the neighbour's */
    LEFT,                      /* pulls are in DRAM */
    OVER,                      /* three: a round, in its buffer: parcels and the put are done */
};

typedef struct htmt__nbody_program program;
typedef struct htmt__nbody_lead lead;

/* Of a parcel. */
struct order {
    const program *p;
    uint32_t targets, count; /* of the pass; sources */
    int64_t self;            /* source that is target 0; the parcel's first one is 0 */
    bool first;              /* of a pass */
};

/* ---- parcels -------------------------------------------------------------------------------- */

static void force_kernel(struct htmt_kernel *k)
{
    const struct order *o = htmt_kernel_args(k);
    const double *source = htmt_bytes(k, 0), eps2 = o->p->plan.eps * o->p->plan.eps;
    double *x = htmt_bytes(k, 1), *pull = x + HTMT__NBODY_SOURCE_WORDS * o->p->plan.targets;
    struct htmt__nbody_targets t;
    memset(&t, 0, sizeof t);
    htmt_constants(k, o->p, sizeof *o->p);
    if (o->first)
        memset(pull, 0, o->targets * HTMT__NBODY_PULL_BYTES);
    for (uint32_t i = 0; i < o->targets; i += HTMT__NBODY_LANES) {
        const unsigned n = (unsigned)htmt_least(HTMT__NBODY_LANES, o->targets - i);
        htmt__nbody_targets_load(&t, n, x + (size_t)HTMT__NBODY_SOURCE_WORDS * i,
                                 pull + (size_t)HTMT__NBODY_PULL_WORDS * i);
        htmt__nbody_pull(&t, n, source, o->count, o->self + i, eps2);
        htmt__nbody_targets_store(&t, n, pull + (size_t)HTMT__NBODY_PULL_WORDS * i);
    }
}

static void force_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct order *o = args;
    const struct htmt__nbody_plan *plan = user;
    ops->n[HTMT_FLOP] = htmt__nbody_times(plan->costs.body_flop, (uint64_t)o->targets * o->count);
}

/* Targets of a pass: slices with a body less than others may have one that is none. */
static uint64_t targets_of(const lead *l, uint64_t first)
{
    const uint64_t rest = l->count > first ? l->count - first : 1;
    return htmt_least(l->p->plan.targets, rest);
}

/* The targets are free for the next parcel of the slice; if none is under way, the lead knows when
 * this one's round is over. */
static void executed(struct htmt_context *c)
{
    const struct order *o = htmt_args(c);
    struct htmt__nbody_mine *mine = &o->p->mine[htmt_slice(c)];
    mine->idle = ++mine->executed == mine->assembled;
    if (!mine->idle)
        htmt_execute(c, mine->parcel[mine->executed % o->p->parcels]);
}

/* All parcels that executed are known to be done. */
static void wake(struct htmt_context *c, const lead *l)
{
    struct htmt__nbody_mine *mine = &l->p->mine[htmt_slice(c)];
    if (!mine->idle || mine->executed == mine->assembled)
        return;
    mine->idle = false;
    htmt_execute(c, mine->parcel[mine->executed % l->p->parcels]);
}

/* The round's block, in parts. */
static void begin_round(struct htmt_context *c, const lead *l, uint64_t round)
{
    const program *p = l->p;
    const struct htmt__nbody_plan *plan = &p->plan;
    struct htmt__nbody_mine *mine = &p->mine[htmt_slice(c)];
    const uint32_t me = htmt_slice(c), turn = (uint32_t)(round % p->plan.slices),
                   from = (me + plan->slices - turn) % plan->slices,
                   buffer = (uint32_t)(round % BUFFERS);
    const uint64_t first = round / plan->slices * plan->targets,
                   count = htmt__nbody_share(plan, from);
    struct order o = {.p = p, .targets = (uint32_t)targets_of(l, first)};
    htmt_slot_set(c, OVER + buffer, (uint32_t)htmt_ceil_div(count, plan->sources) + 1, 0);
    for (uint64_t at = 0; at < count; at += plan->sources) {
        o.count = (uint32_t)htmt_least(plan->sources, count - at);
        o.self = turn ? INT64_MIN / 2 : (int64_t)first - (int64_t)at;
        o.first = turn == 0 && at == 0;
        const struct htmt_region r[] = {
            {.from =
                 turn ? htmt_at(p->visit, me, (buffer * plan->most + at) * HTMT__NBODY_SOURCE_BYTES)
                      : htmt_at(p->own, me, at * HTMT__NBODY_SOURCE_BYTES),
             .bytes = o.count * HTMT__NBODY_SOURCE_BYTES,
             .read_only = true},
            {.into = htmt_at(p->targets, me, 0),
             .bytes = plan->targets * (HTMT__NBODY_SOURCE_BYTES + HTMT__NBODY_PULL_BYTES)}};
        htmt_assemble(c,
                      &(struct htmt_parcel_desc){.type = p->force,
                                                 .slice = me,
                                                 .regions = r,
                                                 .region_count = 2,
                                                 .args = &o,
                                                 .on_done = htmt_slot(c, OVER + buffer)},
                      &mine->parcel[mine->assembled++ % p->parcels]);
    }
    if (l->over == round)
        wake(c, l);
}

/* ---- the ring ------------------------------------------------------------------------------- */

/* A round's block goes on; that of the last round of a pass has been everywhere. */
static void send(struct htmt_context *c, const lead *l, uint64_t round)
{
    const program *p = l->p;
    const struct htmt__nbody_plan *plan = &p->plan;
    const uint32_t me = htmt_slice(c), turn = (uint32_t)(round % plan->slices),
                   buffer = (uint32_t)(round % BUFFERS),
                   from = (me + plan->slices - turn) % plan->slices;
    if (turn + 1 == plan->slices) {
        htmt_signal(c, htmt_slot(c, OVER + buffer));
        return;
    }
    struct htmt_put put = htmt_put_init();
    put.src = turn ? htmt_at(p->visit, me, buffer * plan->most * HTMT__NBODY_SOURCE_BYTES)
                   : htmt_at(p->own, me, 0);
    put.dst = htmt_at(p->visit, me, (round + 1) % BUFFERS * plan->most * HTMT__NBODY_SOURCE_BYTES);
    put.bytes = htmt__nbody_share(plan, from) * HTMT__NBODY_SOURCE_BYTES;
    put.on_sent = htmt_slot(c, OVER + buffer);
    put.on_arrived = htmt_slot(c, ARRIVED);
    put.name = "sources";
    htmt_put_neighbour(c, &p->ring, (int[3]){1, 0, 0}, &put);
}

/* Whatever may go on. */
static void go_on(struct htmt_context *c)
{
    lead *l = htmt_args(c);
    const uint64_t slices = l->p->plan.slices;
    for (;;) {
        const uint64_t pass = l->begun / slices, turn = l->begun % slices;
        if (turn ? l->arrivals < pass * (slices - 1) + turn : l->loaded <= pass)
            break;
        begin_round(c, l, l->begun++);
    }
    for (; l->sent < l->begun && l->credits; l->credits--)
        send(c, l, l->sent++);
}

static uint64_t passes(const lead *l)
{
    return htmt_ceil_div(l->p->plan.most, l->p->plan.targets);
}

static void load(struct htmt_context *c)
{
    const lead *l = htmt_args(c);
    const program *p = l->p;
    const uint32_t me = htmt_slice(c);
    const uint64_t first = (uint64_t)l->loaded * p->plan.targets;
    const struct htmt_region r = {.from = htmt_at(p->own, me, first * HTMT__NBODY_SOURCE_BYTES),
                                  .into = htmt_at(p->targets, me, 0),
                                  .bytes = targets_of(l, first) * HTMT__NBODY_SOURCE_BYTES,
                                  .read_only = true};
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){.type = p->load,
                                             .slice = me,
                                             .regions = &r,
                                             .region_count = 1,
                                             .on_done = htmt_slot(c, LOADED)},
                  NULL);
}

void htmt__nbody_direct_begin(struct htmt_context *c)
{
    lead *l = htmt_args(c);
    l->loaded = l->left = 0;
    l->begun = l->sent = l->over = l->arrivals = 0;
    l->credits = BUFFERS - 1;
    load(c);
}

static void loaded(struct htmt_context *c)
{
    lead *l = htmt_args(c);
    l->loaded++;
    go_on(c);
}

static void arrived(struct htmt_context *c)
{
    lead *l = htmt_args(c);
    l->arrivals++;
    go_on(c);
}

static void credit(struct htmt_context *c)
{
    lead *l = htmt_args(c);
    l->credits++;
    go_on(c);
}

/* A round is over: its buffer is free, and behind the last one of a pass the pulls leave. */
static void over(struct htmt_context *c)
{
    lead *l = htmt_args(c);
    const program *p = l->p;
    const struct htmt__nbody_plan *plan = &p->plan;
    const uint32_t me = htmt_slice(c);
    const uint64_t first = (uint64_t)l->left * plan->targets;
    if (++l->over + BUFFERS <= passes(l) * plan->slices + 1) {
        struct htmt_put put = htmt_put_init();
        put.src = htmt_at(p->room, me, 0);
        put.dst = htmt_at(p->room, me, HTMT_WORD);
        put.bytes = HTMT_WORD;
        put.on_arrived = htmt_slot(c, CREDIT);
        put.name = "credit";
        htmt_put_neighbour(c, &p->ring, (int[3]){-1, 0, 0}, &put);
    }
    wake(c, l);
    if (l->over % plan->slices)
        return;
    const struct htmt_region r = {
        .into = htmt_at(p->targets, me, plan->targets * HTMT__NBODY_SOURCE_BYTES),
        .to = htmt_at(p->pull, me, first * HTMT__NBODY_PULL_BYTES),
        .bytes = targets_of(l, first) * HTMT__NBODY_PULL_BYTES,
        .read_only = true};
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){.type = p->leave,
                                             .slice = me,
                                             .regions = &r,
                                             .region_count = 1,
                                             .on_done = htmt_slot(c, LEFT)},
                  NULL);
}

static void left(struct htmt_context *c)
{
    lead *l = htmt_args(c);
    if (++l->left < passes(l))
        load(c);
    else
        l->p->done(c);
}

/* ---- set-up --------------------------------------------------------------------------------- */

void htmt__nbody_direct_fibers(struct htmt_stage *fibers)
{
    htmt_control_fn *const controls[] = {loaded, arrived, credit, left, over, over, over};
    for (unsigned i = 0; i < sizeof controls / sizeof *controls; i++)
        fibers[LOADED - 1 + i] =
            (struct htmt_stage){.control = controls[i], .count = i < 4, .reset = i < 4};
}

/* Parcels of all visitors may be under way at once. */
static int create_refs(program *p)
{
    p->parcels = BUFFERS * (uint32_t)htmt_ceil_div(p->plan.most, p->plan.sources);
    for (uint32_t i = 0; i < htmt_emulator_slices(p->e); i++)
        if (!(p->mine[i].parcel = calloc(p->parcels, sizeof *p->mine[i].parcel)))
            return HTMT_ENOMEM;
        else
            p->mine[i].idle = true;
    return 0;
}

int htmt__nbody_direct_create(program *p)
{
    const struct htmt_machine *m = htmt_emulator_machine(p->e);
    const uint64_t block = p->plan.most * HTMT__NBODY_SOURCE_BYTES,
                   targets = p->plan.targets * (HTMT__NBODY_SOURCE_BYTES + HTMT__NBODY_PULL_BYTES);
    p->ring = (struct htmt_grid){.extent = {p->plan.slices, 1, 1}, .wrap = {true, true, true}};
    int rc = htmt_frame_create(p->e, p->plan.dram, BUFFERS * block, "visitors", &p->visit);
    rc = rc ? rc : htmt_frame_create(p->e, p->plan.dram, 2 * HTMT_WORD, "credit", &p->room);
    rc = rc ? rc : htmt_frame_create(p->e, p->plan.cram, targets, "targets", &p->targets);
    rc = rc ? rc : create_refs(p);
    struct htmt_type_desc d = htmt_type_desc_init();
    d.home = m->layer[p->plan.dram].name;
    d.exec = m->layer[p->plan.cram].name;
    d.in_place = true;
    d.departures = HTMT_DEPARTS_RESIDENT;
    d.sends = HTMT_SENDS_NOWHERE;
    d.name = "Targets";
    rc = rc ? rc : htmt_type_create(p->e, &d, &p->load);
    d.name = "Pulls";
    rc = rc ? rc : htmt_type_create(p->e, &d, &p->leave);
    d.name = "Force";
    d.execute =
        (struct htmt_stage){.kernel = force_kernel, .cost = force_cost, .control = executed};
    d.gates = HTMT_GATE(HTMT_EXECUTE);
    d.footprint = HTMT_RESIDENT;
    d.args_bytes = sizeof(struct order);
    d.user = &p->plan;
    return rc ? rc : htmt_type_create(p->e, &d, &p->force);
}
