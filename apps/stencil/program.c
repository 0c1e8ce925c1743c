/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parcel program.
 *
 * Fields. A slice has three of them in DRAM, tiles with a margin of four cells all around: U^n,
 * what stage 1 makes and what stage 2 makes. Stage 1 reads the first and writes the second, stage 2
 * reads the second and writes the third, stage 3 reads the third and writes the first. Stages 2 and
 * 3 also need U^n, of the block alone, so stage 3 may write a block of the first field while other
 * parcels read other blocks of it.
 *
 * Parcels. A parcel brings a block with its margins, as rows of a box of the tile, and in stages 2
 * and 3 the block of U^n; it takes a block to the next field. What the loops need between them is
 * one object of the SPELL, which parcels use in turn: one that has executed opens the gate of the
 * next one. Three parcels of a slice are under way, of which CRAM holds two: while one executes the
 * next one is injected, and the third one comes to SRAM. Parcel i that leaves CRAM lets i + 2 in
 * and i + 3 begin. So i + 1 is under way whenever i executes: what let i in has assembled it.
 *
 * Margins. Before a stage a slice puts the outer cells of the field to its neighbours: six faces,
 * twelve edges, four cells deep. Corners stay as they are: no loop's result depends on them. Where
 * the grid has one place along an axis the neighbour is the slice itself, and its DPIMs copy the
 * words, each a part of a margin (a parcel that executes in DRAM). A stage begins when its margins
 * are there and the stage before is over in this slice.
 *
 * Why no put overwrites what a parcel still reads. A neighbour puts into the margins of field f at
 * the end of its stage f - 1 (of the step before: f = 1). It has gone through the stages before
 * that, the last two of which needed margins of fields f - 1 and f - 2 from this slice, which it
 * puts when its own stage is over. So this slice has begun stage f - 1 or is about to, and margins
 * of field f are read in stage f alone, which was over two stages ago. For the same reason each
 * field has its own slot: arrivals of two steps cannot mix in it, while those of two stages may.
 *
 * By hand, two slices A and B. A is through with stage 1 and puts margins of field 2 into B, which
 * still computes stage 1 on field 1. B counts them at the slot of stage 2, and waits for nothing
 * else there when its own stage 1 is over.
 *
 * The time step. In stage 1 the slice's largest (c + |u|) / h goes from parcel to parcel in words
 * of the scratch that are dead between them, say the first ones of the gradient along y: three, one
 * for each parcel under way, so that no kernel waits for the one before it. When the stage is over
 * a parcel takes them to DRAM, and an all-reduce makes them those of all slices while the other
 * stages go on; it is over before the next step begins. A step beyond the limit ends the run.
 */
#include "apps/stencil/program_parts.h"

#include "apps/lib/gather.h"
#include "apps/lib/iterations.h"

#include <stdlib.h>
#include <string.h>

#define MARGIN HTMT__STENCIL_MARGIN
#define CELL   HTMT__STENCIL_CELL
#define STAGES HTMT__STENCIL_STAGES
#define SPEEDS (HTMT__STENCIL_WINDOW * sizeof(double)) /* bytes */

enum fiber {
    START,
    BEGIN,                 /* three: a stage may begin */
    OVER = BEGIN + STAGES, /* all parcels of a stage are done */
    JOIN,                  /* the slice's largest speed joins the all-reduce */
    LARGEST,               /* that of all is here */
    FIBERS
};

typedef struct htmt__stencil_program program;

/* Of a coordinator. */
struct lead {
    const program *p;
    uint32_t step, stage;         /* under way, or about to begin */
    uint32_t known;               /* steps whose largest speed is known */
    uint32_t compared;            /* the step whose largest speed the kernel looks at */
    enum htmt__stencil_loop loop; /* of order loops */
    bool over;                    /* all steps are */
};

/* Of a part of a margin that a DPIM copies. */
struct copy {
    const program *p;
    struct htmt_ref lead;
    uint32_t stage, way, part;
};

/* ---- parcels -------------------------------------------------------------------------------- */

static void assemble(struct htmt_context *c, const struct htmt__stencil_order *o)
{
    const program *p = o->p;
    const uint32_t slice = htmt_slice(c);
    struct htmt_region r[HTMT__STENCIL_ACCESSES];
    const struct htmt_parcel_desc d = {
        .type = p->plan.loops ? p->loop[o->loop]
                : o->stage    ? p->block
                              : p->first_block,
        .slice = slice,
        .regions = r,
        .region_count = p->plan.loops ? htmt__stencil_loop_regions(p, o, slice, r)
                                      : htmt__stencil_block_regions(p, o, slice, r),
        .args = o,
        .on_done = htmt_slot_of(o->lead, OVER)};
    htmt_assemble(c, &d, &p->mine[slice].parcel[o->index % HTMT__STENCIL_WINDOW]);
}

/* Another parcel of the same stage and slice, which is under way. */
static struct htmt_ref parcel_at(struct htmt_context *c, const program *p, uint32_t index)
{
    return p->mine[htmt_slice(c)].parcel[index % HTMT__STENCIL_WINDOW];
}

/* The scratch is free for the next parcel. Those of a slice execute in their order, and so are
 * their sums added, where they are asked for. */
static void executed(struct htmt_context *c)
{
    const struct htmt__stencil_order *o = htmt_args(c);
    struct htmt__stencil_mine *mine = &o->p->mine[htmt_slice(c)];
    const bool summed = htmt__stencil_sums_up(o) && !htmt_is_model(c);
    const struct htmt__stencil_found *found = summed ? htmt_result(c) : NULL;
    for (unsigned i = 0; found && i < HTMT__STENCIL_SUMS; i++)
        mine->sums[(size_t)o->step * HTMT__STENCIL_SUMS + i] += found->sums[i];
    if (o->index + 1 < htmt__stencil_parcels(&o->p->plan, o->loop))
        htmt_execute(c, parcel_at(c, o->p, o->index + 1));
}

/* A parcel has left CRAM: the next but one may come there, and another one to SRAM. */
static void follow(struct htmt_context *c)
{
    struct htmt__stencil_order o = *(const struct htmt__stencil_order *)htmt_args(c);
    const program *p = o.p;
    const uint32_t all = htmt__stencil_parcels(&p->plan, o.loop),
                   next = o.index + HTMT__STENCIL_IN_CRAM;
    if (next < all)
        htmt_dispatch(c, parcel_at(c, p, next));
    o.index += HTMT__STENCIL_WINDOW;
    if (o.index < all)
        assemble(c, &o);
}

/* ---- coordinators --------------------------------------------------------------------------- */

/* A margin, or a part of it, to the neighbour that way. */
static void put_margin(struct htmt_context *c, const program *p, uint32_t stage, unsigned way,
                       uint32_t part, struct htmt_slot arrived)
{
    const struct htmt__stencil_plan *plan = &p->plan;
    const uint32_t slice = htmt_slice(c);
    uint64_t first[3], extent[3];
    int64_t from[3], to[3];
    struct htmt_put put = htmt_put_init();
    put.bytes = htmt__stencil_margin(plan, way, part, first, extent) * CELL;
    for (unsigned a = 0; a < 3; a++) {
        const int step = htmt__stencil_ways[way][a];
        from[a] = (int64_t)first[a] + (step > 0 ? (int64_t)plan->tile[a] - MARGIN : 0);
        to[a] = (int64_t)first[a] + (step > 0 ? -MARGIN : step < 0 ? (int64_t)plan->tile[a] : 0);
    }
    put.src = htmt_at(p->field[stage], slice, htmt__stencil_cell_at(plan, from) * CELL);
    put.dst = htmt_at(p->field[stage], slice, htmt__stencil_cell_at(plan, to) * CELL);
    put.src_pieces = put.dst_pieces = htmt__stencil_box(plan, extent, CELL);
    put.on_arrived = arrived;
    put.name = "margin";
    htmt_put_neighbour(c, &plan->grid, htmt__stencil_ways[way], &put);
}

static void copy_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct copy *o = args;
    uint64_t first[3], extent[3];
    ops->n[HTMT_LOAD] = ops->n[HTMT_STORE] =
        HTMT__STENCIL_FIELDS * htmt__stencil_margin(user, o->way, o->part, first, extent);
}

static void copy(struct htmt_context *c)
{
    const struct copy *o = htmt_args(c);
    put_margin(c, o->p, o->stage, o->way, o->part, htmt_slot_of(o->lead, BEGIN + o->stage));
}

/* The field of a stage is complete in this slice. What goes to others goes first: it need not wait
 * for a DPIM that copies. */
static void exchange(struct htmt_context *c)
{
    const struct lead *l = htmt_args(c);
    const uint32_t *copies = l->p->plan.copies;
    struct copy o = {.p = l->p, .lead = htmt_self(c), .stage = l->stage};
    for (unsigned i = 0; i < HTMT__STENCIL_NEIGHBOURS; i++)
        if (copies[i] == 0)
            put_margin(c, l->p, l->stage, i, 0, htmt_slot(c, BEGIN + l->stage));
    for (; o.way < HTMT__STENCIL_NEIGHBOURS; o.way++)
        for (o.part = 0; o.part < copies[o.way]; o.part++)
            htmt_assemble(
                c,
                &(struct htmt_parcel_desc){.type = l->p->copy, .slice = htmt_slice(c), .args = &o},
                NULL);
    htmt_signal(c, htmt_slot(c, BEGIN + l->stage));
}

/* A stage, or of order loops a loop of it. */
static void begin(struct htmt_context *c)
{
    const struct lead *l = htmt_args(c);
    const program *p = l->p;
    struct htmt__stencil_order o = {
        .p = p, .lead = htmt_self(c), .stage = l->stage, .step = l->step, .loop = l->loop};
    const uint32_t all = htmt__stencil_parcels(&p->plan, l->loop);
    htmt_slot_set(c, OVER, all, 0);
    for (; o.index < HTMT__STENCIL_WINDOW && o.index < all; o.index++) {
        assemble(c, &o);
        if (o.index < HTMT__STENCIL_IN_CRAM)
            htmt_dispatch(c, parcel_at(c, p, o.index));
    }
    htmt_execute(c, parcel_at(c, p, 0));
}

static void begin_stage(struct htmt_context *c)
{
    const struct lead *l = htmt_args(c);
    if (l->p->named && l->stage == 0)
        htmt__iteration(c, "step", l->step, l->p->plan.steps);
    begin(c);
}

static void end(struct htmt_context *c)
{
    const struct lead *l = htmt_args(c);
    if (l->over && l->known == l->p->plan.steps)
        htmt_retire(c, htmt_self(c));
}

/* The slice's largest speeds go to DRAM. */
static void take_largest(struct htmt_context *c, const program *p)
{
    const struct htmt_region r = {.into = htmt_in(p->mine[htmt_slice(c)].scratch, 0),
                                  .to = htmt_at(p->speed, htmt_slice(c), 0),
                                  .bytes = SPEEDS,
                                  .read_only = true};
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){.type = p->leave,
                                             .slice = htmt_slice(c),
                                             .regions = &r,
                                             .region_count = 1,
                                             .on_done = htmt_slot(c, JOIN)},
                  NULL);
}

/* All parcels of a stage, or of a loop, are done. */
static void over(struct htmt_context *c)
{
    struct lead *l = htmt_args(c);
    const bool loops = l->p->plan.loops;
    if (l->stage == 0 && (!loops || l->loop == HTMT__STENCIL_COURANT))
        take_largest(c, l->p);
    if (loops) {
        l->loop = (l->loop + 1) % HTMT__STENCIL_LOOPS;
        l->loop += l->loop == HTMT__STENCIL_COURANT && l->stage > 0;
        if (l->loop) {
            begin(c);
            return;
        }
    }
    l->stage = (l->stage + 1) % STAGES;
    l->step += l->stage == 0;
    l->over = l->step == l->p->plan.steps;
    if (l->over)
        end(c);
    else
        exchange(c);
}

static void join(struct htmt_context *c)
{
    const struct lead *l = htmt_args(c);
    htmt_allreduce(c, l->p->largest, htmt_slot(c, LARGEST));
    htmt_signal(c, htmt_slot(c, BEGIN + 1)); /* whose parcels write the scratch again */
}

static double largest_of(const double speeds[HTMT__STENCIL_WINDOW])
{
    double most = speeds[0];
    for (unsigned i = 1; i < HTMT__STENCIL_WINDOW; i++)
        most = speeds[i] > most ? speeds[i] : most;
    return most;
}

static void larger(void *into, const void *from, uint64_t bytes)
{
    double *a = into;
    const double *b = from;
    for (uint64_t i = 0; i < bytes / sizeof *a; i++)
        a[i] = b[i] > a[i] ? b[i] : a[i];
}

/* Each word is read and compared. */
static void largest_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args;
    (void)user;
    ops->n[HTMT_LOAD] = ops->n[HTMT_FLOP] = HTMT__STENCIL_WINDOW;
}

static void largest_kernel(struct htmt_kernel *k)
{
    const struct lead *l = htmt_kernel_args(k);
    const program *p = l->p;
    htmt_constants(k, p, sizeof *p);
    const double most = largest_of(htmt_used(k, 0)), dt = p->plan.dt, h = p->plan.gas.h;
    if (!(most * dt <= htmt__stencil_advection_limit()))
        htmt_kernel_fail(k, HTMT_ERANGE,
                         "step %u: dt = %g is beyond the limit %g of advection, 3 * 1.7306 (c + "
                         "|u|) dt / h <= sqrt 3 with h = %g, c + |u| = %g",
                         l->compared, dt, htmt__stencil_advection_limit() / most, h, most * h);
}

/* That of all slices. */
static void largest(struct htmt_context *c)
{
    struct lead *l = htmt_args(c);
    l->compared = l->known++; /* the kernel sees arguments as the control leaves them */
    htmt_use(c, htmt_at(l->p->speed, htmt_slice(c), 0), SPEEDS, HTMT_READ);
    htmt_work(c);
    if (l->known < l->p->plan.steps)
        htmt_signal(c, htmt_slot(c, BEGIN));
    end(c);
}

/* ---- set-up --------------------------------------------------------------------------------- */

static void block_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    *ops = htmt__stencil_ops(user, ((const struct htmt__stencil_order *)args)->stage);
}

static void loop_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    *ops = htmt__stencil_loop_ops(user, ((const struct htmt__stencil_order *)args)->loop);
}

/* To the control of its parcels, which waits for them. */
static void leaves_sums(struct htmt_type_desc *d)
{
    d->execute.steered = true;
    d->result_bytes = sizeof(struct htmt__stencil_found);
}

/* Of parcels that execute one after another on the SPELL. */
static struct htmt_type_desc parcel_type(const program *p, htmt_kernel_fn *kernel,
                                         htmt_cost_fn *cost)
{
    const struct htmt_machine *m = htmt_emulator_machine(p->e);
    struct htmt_type_desc d = htmt_type_desc_init();
    d.home = m->layer[p->plan.dram].name;
    d.exec = m->layer[p->plan.cram].name;
    d.execute =
        (struct htmt_stage){.kernel = kernel, .cost = cost, .control = executed, .constant = true};
    d.gates = HTMT_GATE(HTMT_DISPATCH) | HTMT_GATE(HTMT_EXECUTE);
    d.footprint = HTMT_RESIDENT;
    d.retire.control = follow;
    d.in_place = true;
    d.departures = HTMT_DEPARTS_RESIDENT;
    d.args_bytes = sizeof(struct htmt__stencil_order);
    d.user = &p->plan;
    d.sends = HTMT_SENDS_NOWHERE;
    return d;
}

static int create_loop_types(program *p)
{
    struct htmt_type_desc d = parcel_type(p, htmt__stencil_loop_kernel, loop_cost);
    int rc = 0;
    for (unsigned i = 0; !rc && i < HTMT__STENCIL_LOOPS; i++) {
        d.name = htmt__stencil_loop_words[i];
        d.departures = i == HTMT__STENCIL_COURANT ? HTMT_DEPARTS_RESIDENT : 0;
        if (p->with_sums && i == HTMT__STENCIL_UPDATE)
            leaves_sums(&d);
        rc = htmt_type_create(p->e, &d, &p->loop[i]);
    }
    return rc;
}

static int create_block_types(program *p)
{
    struct htmt_type_desc d = parcel_type(p, htmt__stencil_block_kernel, block_cost);
    d.name = "Block";
    int rc = htmt_type_create(p->e, &d, &p->block);
    d.name = "First Block";
    if (p->with_sums)
        leaves_sums(&d);
    return rc ? rc : htmt_type_create(p->e, &d, &p->first_block);
}

/* Of parcels that move words and compute nothing. */
static int create_movers(program *p)
{
    const struct htmt_machine *m = htmt_emulator_machine(p->e);
    struct htmt_type_desc d = htmt_type_desc_init();
    d.name = "Largest";
    d.home = m->layer[p->plan.dram].name;
    d.exec = m->layer[p->plan.cram].name;
    d.in_place = true;
    d.departures = HTMT_DEPARTS_RESIDENT;
    d.sends = HTMT_SENDS_NOWHERE;
    int rc = htmt_type_create(p->e, &d, &p->leave);
    d.name = "Margin copy";
    d.exec = d.home;
    d.execute = (struct htmt_stage){.cost = copy_cost, .control = copy};
    d.departures = 0;
    d.args_bytes = sizeof(struct copy);
    d.user = &p->plan;
    return rc ? rc : htmt_type_create(p->e, &d, &p->copy);
}

static int create_lead_type(program *p)
{
    const char *const dram = htmt_emulator_machine(p->e)->layer[p->plan.dram].name;
    struct htmt_stage fibers[FIBERS - 1];
    for (unsigned i = START + 1; i < FIBERS; i++) {
        struct htmt_stage *s = &fibers[i - 1];
        *s = (struct htmt_stage){.control = i < OVER    ? begin_stage
                                            : i == OVER ? over
                                            : i == JOIN ? join
                                                        : largest,
                                 .count = 1,
                                 .reset = 1};
        /* the margins and the stage before; stage 1 also waits for the largest speed of the step
         * before, stage 2 for the parcel that takes it out of the scratch */
        if (i < OVER)
            s->count = s->reset = htmt__stencil_arrivals(&p->plan) + 1;
        if (i == BEGIN)
            s->reset++;
        if (i == BEGIN + 1)
            s->count = ++s->reset;
        if (i == OVER) /* begin() sets it */
            s->count = s->reset = 0;
    }
    fibers[LARGEST - 1].kernel = largest_kernel;
    fibers[LARGEST - 1].cost = largest_cost;
    struct htmt_type_desc d = htmt_type_desc_init();
    d.name = "Lead";
    d.home = d.exec = dram;
    d.execute.control = exchange;
    d.fibers = fibers;
    d.fiber_count = FIBERS - 1;
    d.gates = HTMT_GATE(HTMT_RETIRE);
    d.args_bytes = sizeof(struct lead);
    return htmt_type_create(p->e, &d, &p->lead);
}

static int create_objects(program *p)
{
    const uint64_t tile = htmt__stencil_words_of_tile(&p->plan) * HTMT_WORD;
    static const char *const names[STAGES] = {"U", "U of stage 1", "U of stage 2"};
    int rc = 0;
    for (unsigned i = 0; !rc && i < STAGES; i++)
        rc = htmt_frame_create(p->e, p->plan.dram, tile, names[i], &p->field[i]);
    for (unsigned i = HTMT__STENCIL_Q; !rc && p->plan.loops && i < HTMT__STENCIL_ARRAYS; i++)
        rc = htmt_frame_create(p->e, p->plan.dram,
                               tile / HTMT__STENCIL_FIELDS * htmt__stencil_cell_words(i),
                               "temporary", &p->temporary[i]);
    if (!rc)
        rc = htmt_frame_create(p->e, p->plan.dram, SPEEDS, "largest speeds", &p->speed);
    for (uint32_t i = 0; !rc && i < htmt_emulator_slices(p->e); i++)
        rc = htmt_object_wrap(p->e, i, p->plan.cram, p->mine[i].most, sizeof p->mine[i].most,
                              p->plan.loops ? HTMT__STENCIL_WINDOW
                                            : htmt__stencil_words_of_scratch(p->plan.b),
                              "scratch", &p->mine[i].scratch);
    const struct htmt_allreduce_desc largest = {.frame = p->speed,
                                                .bytes = SPEEDS,
                                                .combine = larger,
                                                .ops = {.n = {[HTMT_FLOP] = HTMT__STENCIL_WINDOW}},
                                                .name = "largest speed"};
    return rc ? rc : htmt_allreduce_create(p->e, &largest, &p->largest);
}

/* The case, into the tiles that are here. */
static void fill(const program *p)
{
    const struct htmt__stencil_plan *plan = &p->plan;
    const uint32_t *n = plan->tile;
    for (uint32_t slice = 0; slice < htmt_emulator_slices(p->e); slice++) {
        char *bytes = htmt_object_bytes(htmt_at(p->field[0], slice, 0).object);
        uint32_t place[3] = {0};
        htmt_grid_place(&plan->grid, slice, place);
        for (uint32_t i = 0; bytes && i < n[0] * n[1] * n[2]; i++) {
            const uint32_t in[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]},
                           cell[3] = {place[0] * n[0] + in[0], place[1] * n[1] + in[1],
                                      place[2] * n[2] + in[2]};
            const int64_t at[3] = {in[0], in[1], in[2]};
            htmt__stencil_case_at(plan->which, &plan->gas, plan->cells, cell, 0, 1,
                                  (double *)(bytes + htmt__stencil_cell_at(plan, at) * CELL));
        }
    }
}

static int create_mine(program *p)
{
    const uint32_t slices = htmt_emulator_slices(p->e);
    p->mine = htmt_per_slice_create(slices, sizeof *p->mine);
    for (uint32_t i = 0; p->mine && p->with_sums && i < slices; i++)
        if (htmt_slice_here(p->e, i) &&
            !(p->mine[i].sums = calloc(p->plan.steps, HTMT__STENCIL_SUMS * sizeof(double))))
            return HTMT_ENOMEM;
    return p->mine ? 0 : HTMT_ENOMEM;
}

int htmt__stencil_program_create(struct htmt_emulator *e, const struct htmt__stencil_plan *plan,
                                 bool sums, bool named, struct htmt__stencil_program **out)
{
    program *p = calloc(1, sizeof *p);
    if (!p)
        return HTMT_ENOMEM;
    p->e = e;
    p->plan = *plan;
    p->with_sums = sums;
    p->named = named;
    *out = p;
    int rc = create_mine(p);
    rc = rc ? rc : create_objects(p);
    rc = rc ? rc : plan->loops ? create_loop_types(p) : create_block_types(p);
    rc = rc ? rc : create_movers(p);
    rc = rc ? rc : create_lead_type(p);
    if (rc)
        return rc;
    fill(p);
    const struct lead l = {.p = p};
    for (uint32_t i = 0; !rc && i < htmt_emulator_slices(e); i++)
        rc = htmt_assemble(htmt_root(e),
                           &(struct htmt_parcel_desc){.type = p->lead, .slice = i, .args = &l},
                           NULL);
    return rc;
}

void htmt__stencil_program_destroy(struct htmt__stencil_program **out)
{
    program *p = *out;
    if (!p)
        return;
    for (uint32_t i = 0; p->mine && i < htmt_emulator_slices(p->e); i++)
        free(p->mine[i].sums);
    free(p->mine);
    free(p);
    *out = NULL;
}

/* ---- results -------------------------------------------------------------------------------- */

int htmt__stencil_program_gather(const struct htmt__stencil_program *p, double *fields)
{
    struct htmt_tile tile = {.bytes = CELL};
    for (unsigned a = 0; a < 3; a++) {
        tile.extent[a] = p->plan.tile[a];
        tile.margin[a] = MARGIN;
    }
    return htmt_frame_gather_tiles(p->field[0], &p->plan.grid, &tile, fields);
}

int htmt__stencil_program_largest(const struct htmt__stencil_program *p, double *most)
{
    const void *bytes = NULL;
    int rc = htmt_object_fetch(htmt_at(p->speed, 0, 0).object, &bytes);
    if (!rc && bytes)
        *most = largest_of(bytes);
    return rc;
}

int htmt__stencil_program_sums(const struct htmt__stencil_program *p, double *sums)
{
    const size_t count = (size_t)p->plan.steps * HTMT__STENCIL_SUMS;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < htmt_emulator_slices(p->e); i++) {
        void *at = p->mine[i].sums;
        size_t size = at ? count * sizeof(double) : 0;
        p->mine[i].sums = NULL;
        rc = htmt_per_slice_fetch(p->e, i, &at, &size);
        for (size_t k = 0; !rc && at && k < count; k++)
            sums[k] += ((double *)at)[k];
        free(at);
    }
    return rc;
}
