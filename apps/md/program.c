/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Set-up, and the coordinator of each slice.
 *
 * A step. Forces are computed for the places of step n: halos go to 26 slices, blocks are packed
 * and compute (parcels.c), a DPIM of each block ends step n and drifts to step n + 1, the records
 * of blocks are added, and an all-reduce makes them those of all slices. Then every slice knows
 * whether two atoms may have come nearer by the skin, from the largest displacement of any atom: if
 * so, cells are built anew before halos go (migrate.c).
 *
 *     BEGIN -> pack, force -> GO -> move -> SUM -> NEXT -> DECIDE -> halos -> BEGIN
 *                                                             \-> leave -> PASSED -> settle ->
 * halos
 *
 * Why no put overwrites what a parcel still reads. A slice sends halos of step n + 1 when the
 * all-reduce of step n is over. This slice has joined that when its own parcels of step n were
 * done. Why no mail is lost. Messages come while a slice may still search its own atoms; they lie
 * in mailboxes until the barrier behind all messages of all slices has passed.
 *
 * By hand, slices A and B. A is through with step 4 and waits for the record. B joins; both know
 * that the farthest atom has gone 0.16, more than half of the skin 0.3. A sends three movers to B
 * and B none to A. When A's message has arrived A enters the barrier, B at once. Both settle.
 */
#include "apps/lib/gather.h"
#include "apps/lib/iterations.h"
#include "apps/md/program_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORD sizeof(struct htmt__md_record)

struct lead {
    const htmt__md *p;
    uint32_t step; /* whose record is here */
};

/* What decides how the run goes on. */
struct known {
    double farthest2, temperature;
};

/* ---- phases ---------------------------------------------------------------------------------- */

static void make(struct htmt_context *c, const htmt__md *p, uint32_t index)
{
    const struct htmt__md_site *s = htmt__md_site(c, p);
    htmt_next_item(c, (uint64_t)s->step * p->plan.block_count * htmt__md_strips(&p->plan) + index);
    if (s->phase == HTMT__MD_PACK)
        htmt__md_make_pack(c, p, index);
    else if (s->phase == HTMT__MD_MOVE)
        htmt__md_make_move(c, p, index);
    else if (s->phase == HTMT__MD_LEAVE)
        htmt__md_make_leave(c, p, index, 0, 0);
    else
        htmt__md_make_settle(c, p, index);
}

/* All messages of this slice have arrived, and no parcel makes more. */
static void conclude(struct htmt_context *c, const htmt__md *p)
{
    struct htmt__md_site *s = htmt__md_site(c, p);
    if (s->phase != HTMT__MD_LEAVE || s->open || s->arrived < s->sent)
        return;
    s->sent = s->arrived = 0;
    htmt_barrier(c, p->barrier, (struct htmt_slot){s->lead, HTMT__MD_PASSED});
}

/* All blocks are packed and moved and search for movers by themselves, of settling a layer does.
 * A window keeps what is under way within SRAM, and within what DPIMs can work at. */
static void advance(struct htmt_context *c, const htmt__md *p)
{
    struct htmt__md_site *s = htmt__md_site(c, p);
    const uint32_t window =
        s->phase == HTMT__MD_PACK
            ? p->plan.window
            : 2 * htmt_machine_servers(htmt_emulator_machine(p->e), p->plan.outer);
    while (s->begun < s->total && s->begun + s->extra - s->ended < window)
        make(c, p, s->begun++);
    if (!s->open || s->ended < s->total + s->extra)
        return;
    s->open = false;
    if (s->phase == HTMT__MD_PACK)
        htmt_signal(c, (struct htmt_slot){s->lead, HTMT__MD_GO});
    else if (s->phase == HTMT__MD_MOVE)
        htmt_signal(c, (struct htmt_slot){s->lead, HTMT__MD_SUM});
    else if (s->phase == HTMT__MD_LEAVE)
        conclude(c, p);
}

static void begin_phase(struct htmt_context *c, const htmt__md *p, enum htmt__md_kind kind)
{
    struct htmt__md_site *s = htmt__md_site(c, p);
    s->phase = kind;
    s->begun = s->ended = s->extra = 0;
    s->total = kind == HTMT__MD_SETTLE ? p->plan.blocks[2]
               : kind == HTMT__MD_MOVE ? p->plan.block_count * htmt__md_strips(&p->plan)
                                       : p->plan.block_count;
    s->open = true;
    advance(c, p);
}

static const htmt__md *program_of(struct htmt_context *c)
{
    return ((const struct lead *)htmt_args(c))->p;
}

static void exchange(struct htmt_context *c);

static void flow(struct htmt_context *c)
{
    const htmt__md *p = program_of(c);
    struct htmt__md_site *s = htmt__md_site(c, p);
    s->ended++;
    advance(c, p);
    if (s->phase == HTMT__MD_SETTLE && !s->open)
        exchange(c);
}

/* ---- halos ----------------------------------------------------------------------------------- */

static void way_of(unsigned i, int way[3])
{
    i += i >= HTMT__MD_WAYS / 2; /* no halo goes nowhere */
    way[0] = (int)(i % 3) - 1;
    way[1] = (int)(i / 3 % 3) - 1;
    way[2] = (int)(i / 9) - 1;
}

static void send_halo(struct htmt_context *c)
{
    const htmt__md *p = program_of(c);
    const struct htmt__md_plan *plan = &p->plan;
    const uint32_t slice = htmt_slice(c);
    int way[3];
    int64_t from[3], to[3];
    uint64_t extent[3];
    uint32_t neighbour = slice;
    struct htmt_put put = htmt_put_init();
    way_of(htmt_fiber(c) - HTMT__MD_SEND, way);
    put.bytes = htmt__md_cell_bytes(plan);
    for (unsigned a = 0; a < 3; a++) {
        from[a] = way[a] > 0 ? (int64_t)plan->tile[a] - 1 : 0;
        to[a] = way[a] > 0 ? -1 : way[a] < 0 ? (int64_t)plan->tile[a] : 0;
        extent[a] = way[a] ? 1 : plan->tile[a];
        put.bytes *= extent[a];
    }
    put.src = htmt_at(p->cell, slice, htmt__md_cell_offset(plan, from));
    put.dst = htmt_at(p->cell, slice, htmt__md_cell_offset(plan, to));
    put.src_pieces = put.dst_pieces = htmt__md_box(plan, extent);
    put.on_arrived = htmt_slot(c, HTMT__MD_BEGIN);
    put.on_sent = htmt_slot(c, HTMT__MD_GO);
    put.name = "halo";
    htmt_grid_neighbour(&plan->grid, slice, way, &neighbour);
    if (neighbour == slice) {
        htmt_charge(c, HTMT_LOAD, put.bytes / HTMT_WORD);
        htmt_charge(c, HTMT_STORE, put.bytes / HTMT_WORD);
    }
    htmt_put_neighbour(c, &plan->grid, way, &put);
}

/* The cells of this slice are complete. */
static void exchange(struct htmt_context *c)
{
    const htmt__md *p = program_of(c);
    for (unsigned i = 0; i < HTMT__MD_WAYS && p->plan.halo; i++)
        htmt_signal(c, htmt_slot(c, HTMT__MD_SEND + i));
    htmt_signal(c, htmt_slot(c, HTMT__MD_BEGIN));
}

static void begin(struct htmt_context *c)
{
    const htmt__md *p = program_of(c);
    const struct htmt__md_site *s = htmt__md_site(c, p);
    if (p->named)
        htmt__iteration(c, "step", s->step, (uint64_t)p->plan.steps + 1);
    begin_phase(c, p, HTMT__MD_PACK);
}

/* ---- records --------------------------------------------------------------------------------- */

/* Sums, and the largest displacement: the last number. */
static void add_records(void *into, const void *from, uint64_t bytes)
{
    struct htmt__md_record *r = into;
    const struct htmt__md_record *other = from;
    double *to = into;
    const double farthest2 = r->farthest2;
    for (uint64_t i = 0; i + 1 < bytes / sizeof *to; i++)
        to[i] += ((const double *)from)[i];
    r->farthest2 = other->farthest2 <= farthest2 ? farthest2 : other->farthest2;
}

static void sum_kernel(struct htmt_kernel *k)
{
    const htmt__md *p = ((const struct lead *)htmt_kernel_args(k))->p;
    htmt_constants(k, p, sizeof *p);
    const struct htmt__md_record *strip = htmt_used(k, 0);
    struct htmt__md_record all = {0};
    for (uint32_t i = 0; i < p->plan.block_count * htmt__md_strips(&p->plan); i++)
        add_records(&all, &strip[i], RECORD);
    *(struct htmt__md_record *)htmt_used(k, 1) = all;
}

static void sum_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct htmt__md_plan *p = &((const struct lead *)args)->p->plan;
    (void)user;
    *ops = htmt__md_record_ops((uint64_t)p->block_count * htmt__md_strips(p));
}

static void sum(struct htmt_context *c)
{
    const htmt__md *p = program_of(c);
    htmt__md_use(c, p->strip_record, RECORD, 0,
                 (uint64_t)p->plan.block_count * htmt__md_strips(&p->plan), HTMT_READ);
    htmt__md_use(c, p->record, RECORD, 0, 1, HTMT_WRITE);
    htmt_work(c);
    htmt_allreduce(c, p->sum, htmt_slot(c, HTMT__MD_NEXT));
}

static void next_kernel(struct htmt_kernel *k)
{
    const htmt__md *p = ((const struct lead *)htmt_kernel_args(k))->p;
    htmt_constants(k, p, sizeof *p);
    const struct htmt__md_record *all = htmt_used(k, 0);
    memcpy(htmt_used(k, 1), all, RECORD);
    *(struct known *)htmt_kernel_result(k) =
        (struct known){all->farthest2, htmt__md_temperature(&p->plan, all->kinetic)};
}

static void next_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args;
    (void)user;
    *ops = htmt__md_record_ops(1);
}

/* Every slice keeps the records of all steps. */
static void next(struct htmt_context *c)
{
    const htmt__md *p = program_of(c);
    htmt__md_use(c, p->record, RECORD, 0, 1, HTMT_READ);
    htmt__md_use(c, p->series, RECORD, htmt__md_site(c, p)->step, 1, HTMT_WRITE);
    htmt_work(c);
    htmt_signal(c, htmt_slot(c, HTMT__MD_DECIDE));
}

/* ---- the next step --------------------------------------------------------------------------- */

/* Velocities take the factor at the beginning of the next move, by the temperature of this one. */
static void decide(struct htmt_context *c)
{
    const htmt__md *p = program_of(c);
    const struct htmt__md_plan *plan = &p->plan;
    struct htmt__md_site *s = htmt__md_site(c, p);
    bool rebuild;
    if (s->step == plan->steps) {
        htmt_retire(c, htmt_self(c));
        return;
    }
    s->step++;
    s->scale = 1;
    if (htmt_is_model(c)) {
        rebuild = s->step % plan->every == 0;
    } else {
        const struct known *k = htmt_result(c);
        rebuild = 2 * sqrt(k->farthest2) > plan->skin;
        if (s->step <= plan->scale_steps && k->temperature > 0)
            s->scale = sqrt(plan->scale_to / k->temperature);
    }
    if (plan->whole || !rebuild) {
        exchange(c);
        return;
    }
    s->counts.rebuilds++;
    s->flights.count = 0;
    begin_phase(c, p, HTMT__MD_LEAVE);
}

static void sent(struct htmt_context *c)
{
    const htmt__md *p = program_of(c);
    htmt__md_site(c, p)->arrived++;
    conclude(c, p);
}

static void go(struct htmt_context *c)
{
    begin_phase(c, program_of(c), HTMT__MD_MOVE);
}

static void passed(struct htmt_context *c)
{
    begin_phase(c, program_of(c), HTMT__MD_SETTLE);
}

/* ---- set-up ---------------------------------------------------------------------------------- */

static int create_lead_type(htmt__md *p)
{
    static htmt_control_fn *const controls[HTMT__MD_SEND] = {
        [HTMT__MD_BEGIN] = begin, [HTMT__MD_FLOW] = flow,     [HTMT__MD_GO] = go,
        [HTMT__MD_SUM] = sum,     [HTMT__MD_NEXT] = next,     [HTMT__MD_DECIDE] = decide,
        [HTMT__MD_SENT] = sent,   [HTMT__MD_PASSED] = passed,
    };
    struct htmt_stage fibers[HTMT__MD_FIBERS];
    for (unsigned i = 1; i <= HTMT__MD_FIBERS; i++) {
        const bool waits = (i == HTMT__MD_BEGIN || i == HTMT__MD_GO) && p->plan.halo;
        const uint32_t count = waits ? HTMT__MD_WAYS + 1 : 1;
        fibers[i - 1] = (struct htmt_stage){
            .control = i < HTMT__MD_SEND ? controls[i] : send_halo, .count = count, .reset = count};
    }
    fibers[HTMT__MD_SUM - 1].kernel = sum_kernel;
    fibers[HTMT__MD_SUM - 1].cost = sum_cost;
    fibers[HTMT__MD_NEXT - 1].kernel = next_kernel;
    fibers[HTMT__MD_NEXT - 1].cost = next_cost;
    fibers[HTMT__MD_DECIDE - 1].steered = true;
    struct htmt_type_desc d = htmt_type_desc_init();
    d.name = "Lead";
    d.home = d.exec = htmt_emulator_machine(p->e)->layer[p->plan.outer].name;
    d.execute.control = exchange;
    d.fibers = fibers;
    d.fiber_count = HTMT__MD_FIBERS;
    d.gates = HTMT_GATE(HTMT_RETIRE);
    d.args_bytes = sizeof(struct lead);
    d.result_bytes = sizeof(struct known);
    return htmt_type_create(p->e, &d, &p->coordinator);
}

static int create_mail(htmt__md *p)
{
    const struct htmt__md_plan *plan = &p->plan;
    const uint64_t room = (uint64_t)plan->moves * htmt__md_layer_blocks(plan);
    int rc = 0;
    for (uint32_t i = 0; i < htmt_emulator_slices(p->e) && !rc; i++) {
        struct htmt__md_site *s = &p->site[i];
        s->mail = calloc(plan->blocks[2], sizeof(struct htmt_mailbox *));
        for (uint32_t b = 0; b < plan->blocks[2] && s->mail && !rc; b++)
            rc = htmt_mailbox_create(p->e, i, plan->outer, sizeof(struct htmt__md_mover), room,
                                     "movers", &s->mail[b]);
        rc = s->mail ? rc : HTMT_ENOMEM;
        s->scale = 1;
        for (s->left = 0; s->left < plan->window; s->left++)
            s->free[s->left] = s->left;
    }
    return rc;
}

static int create_objects(htmt__md *p)
{
    const struct htmt__md_plan *plan = &p->plan;
    const uint64_t all = htmt__md_cells(plan->tile) * plan->room;
    const struct {
        uint32_t layer;
        uint64_t bytes;
        const char *name;
        struct htmt_frame **frame;
    } frames[] = {
        {plan->outer, htmt__md_cells_around(plan, plan->tile) * htmt__md_cell_bytes(plan), "cells",
         &p->cell},
        {plan->outer, all * sizeof(struct htmt__md_state), "velocities", &p->state},
        {plan->outer, all * 3 * sizeof(double), "forces", &p->force},
        {plan->outer, plan->block_count * HTMT__MD_SUM_WORDS * sizeof(double), "sums", &p->sums},
        {plan->outer, htmt__md_cells(plan->tile) * sizeof(uint32_t), "atoms in front", &p->first},
        {plan->outer, (uint64_t)plan->block_count * plan->moves * sizeof(struct htmt__md_mover),
         "leaving", &p->movers},
        {plan->outer, (uint64_t)plan->block_count * htmt__md_strips(plan) * RECORD,
         "records of strips", &p->strip_record},
        {plan->outer, RECORD, "record", &p->record},
        {plan->outer, ((uint64_t)plan->steps + 1) * RECORD, "series", &p->series},
        {plan->middle, plan->window * htmt__md_buffer_bytes(plan), "packed blocks", &p->buffer},
    };
    int rc = 0;
    for (size_t i = 0; i < sizeof frames / sizeof *frames && !rc; i++)
        rc = htmt_frame_create(p->e, frames[i].layer, frames[i].bytes, frames[i].name,
                               frames[i].frame);
    const struct htmt_allreduce_desc d = {.frame = p->record,
                                          .bytes = RECORD,
                                          .combine = add_records,
                                          .ops = htmt__md_record_ops(2),
                                          .name = "record"};
    rc = rc ? rc : htmt_allreduce_create(p->e, &d, &p->sum);
    rc = rc ? rc : htmt_barrier_create(p->e, plan->outer, "movers", &p->barrier);
    return rc ? rc : create_mail(p);
}

/* In the order of their numbers, so that the atoms of a cell lie in it. */
static void fill(const htmt__md *p, const struct htmt__md_atoms *atoms)
{
    const struct htmt__md_plan *plan = &p->plan;
    for (uint64_t i = 0; i < atoms->count; i++) {
        double x[3];
        uint32_t at[3];
        int64_t in[3];
        memcpy(x, atoms->x + 3 * i, sizeof x);
        for (unsigned a = 0; a < 3; a++) {
            at[a] = htmt__md_cell_along(plan, a, &x[a]);
            in[a] = at[a] % plan->tile[a];
        }
        const struct htmt__md_home home = htmt__md_home(plan, at);
        char *cells = htmt_object_bytes(htmt_at(p->cell, home.slice, 0).object);
        struct htmt__md_state *state = htmt_object_bytes(htmt_at(p->state, home.slice, 0).object);
        if (!cells) /* another rank's */
            continue;
        const struct htmt__md_block b = htmt__md_block(plan, home.block);
        struct htmt__md_cell *cell =
            (struct htmt__md_cell *)(void *)(cells + htmt__md_cell_offset(plan, in));
        state += (htmt__md_cells_before(plan, &b) + home.cell) * plan->room + cell->count;
        *state = (struct htmt__md_state){.number = i};
        memcpy(state->v, atoms->v + 3 * i, sizeof state->v);
        memcpy(cell->x[cell->count++], x, sizeof x);
    }
    for (uint32_t i = 0; i < htmt_emulator_slices(p->e); i++) {
        char *cells = htmt_object_bytes(htmt_at(p->cell, i, 0).object);
        if (cells)
            htmt__md_count_first(plan, 0, plan->block_count,
                                 cells + htmt__md_cell_offset(plan, (int64_t[]){0, 0, 0}),
                                 htmt_object_bytes(htmt_at(p->first, i, 0).object));
    }
}

int htmt__md_program_create(struct htmt_emulator *e, const struct htmt__md_plan *plan,
                            const struct htmt__md_atoms *atoms, bool named,
                            struct htmt__md_program **out)
{
    htmt__md *p = calloc(1, sizeof *p);
    if (!p)
        return HTMT_ENOMEM;
    p->e = e;
    p->plan = *plan;
    p->named = named;
    p->site = htmt_per_slice_create(htmt_emulator_slices(e), sizeof *p->site);
    *out = p;
    int rc = p->site ? create_objects(p) : HTMT_ENOMEM;
    rc = rc ? rc : htmt__md_parcel_types(p);
    rc = rc ? rc : htmt__md_migrate_types(p);
    rc = rc ? rc : create_lead_type(p);
    if (!rc && atoms)
        fill(p, atoms);
    const struct lead l = {.p = p};
    for (uint32_t i = 0; !rc && i < htmt_emulator_slices(e); i++)
        rc = htmt_assemble(
            htmt_root(e),
            &(struct htmt_parcel_desc){.type = p->coordinator, .slice = i, .args = &l},
            &p->site[i].lead);
    return rc;
}

void htmt__md_program_destroy(struct htmt__md_program **out)
{
    htmt__md *p = *out;
    if (!p)
        return;
    for (uint32_t i = 0; p->site && i < htmt_emulator_slices(p->e); i++) {
        free(p->site[i].mail);
        free(p->site[i].flights.flight);
    }
    free(p->site);
    free(p);
    *out = NULL;
}

int htmt__md_program_explain(struct htmt__md_program *p, int rc, struct htmt_fault *fault)
{
    const uint64_t room = (uint64_t)p->plan.moves * htmt__md_layer_blocks(&p->plan);
    struct htmt__run to;
    uint64_t bound;
    if ((rc != HTMT_EDEADLOCK && rc != HTMT_ECAPACITY) ||
        !htmt__flights_overfull(p->e, &p->site->flights, sizeof *p->site, p->plan.blocks[2], room,
                                &to, &bound))
        return rc;
    *fault = (struct htmt_fault){0};
    return htmt_fault_set(fault, HTMT_ECAPACITY,
                          "found %" PRIu64 " atoms or more that go to layer %" PRIu32
                          " of slice %" PRIu32 ", expected at most %" PRIu64
                          ", which its mailbox holds; --moving 1 has room for more",
                          bound, to.box, to.slice, room);
}

/* ---- results --------------------------------------------------------------------------------- */

static void take_slice(const struct htmt__md_plan *p, const char *cells,
                       const struct htmt__md_state *state, double *x, double *v)
{
    for (uint32_t block = 0; block < p->block_count; block++) {
        const struct htmt__md_block b = htmt__md_block(p, block);
        for (uint32_t i = 0; i < htmt__md_cells(b.n); i++, state += p->room) {
            const int64_t in[3] = {b.first[0] + i % b.n[0], b.first[1] + i / b.n[0] % b.n[1],
                                   b.first[2] + i / b.n[0] / b.n[1]};
            const struct htmt__md_cell *cell =
                (const struct htmt__md_cell *)(const void *)(cells + htmt__md_cell_offset(p, in));
            for (uint64_t n = 0; n < cell->count; n++) {
                memcpy(x + 3 * state[n].number, cell->x[n], 3 * sizeof *x);
                memcpy(v + 3 * state[n].number, state[n].v, 3 * sizeof *v);
            }
        }
    }
}

/* Cells are copied before the next object is fetched: its bytes last until then. */
int htmt__md_program_gather(const struct htmt__md_program *p, double *x, double *v)
{
    const uint64_t bytes =
        htmt__md_cells_around(&p->plan, p->plan.tile) * htmt__md_cell_bytes(&p->plan);
    char *cells = malloc(bytes);
    int rc = cells ? 0 : HTMT_ENOMEM;
    for (uint32_t i = 0; i < htmt_emulator_slices(p->e) && !rc; i++) {
        const void *at = NULL;
        rc = htmt_object_fetch(htmt_at(p->cell, i, 0).object, &at);
        if (!rc && at)
            memcpy(cells, at, bytes);
        rc = rc ? rc : htmt_object_fetch(htmt_at(p->state, i, 0).object, &at);
        if (!rc && at)
            take_slice(&p->plan, cells, at, x, v);
    }
    for (uint64_t i = 0; i < p->plan.atoms && !rc; i++)
        for (unsigned a = 0; a < 3; a++)
            (void)htmt__md_cell_along(&p->plan, a, &x[3 * i + a]);
    free(cells);
    return rc;
}

int htmt__md_program_series(const struct htmt__md_program *p, struct htmt__md_record *series)
{
    const void *bytes = NULL;
    int rc = htmt_object_fetch(htmt_at(p->series, 0, 0).object, &bytes);
    if (!rc && bytes)
        memcpy(series, bytes, ((size_t)p->plan.steps + 1) * RECORD);
    return rc;
}

int htmt__md_program_counts(const struct htmt__md_program *p, struct htmt__md_counts *counts)
{
    const uint32_t slices = htmt_emulator_played(p->e);
    int rc = htmt_slices_share(p->e, &p->site->counts, sizeof p->site->counts, sizeof *p->site);
    *counts = (struct htmt__md_counts){0};
    for (uint32_t i = 0; i < slices && !rc; i++) {
        const struct htmt__md_counts *of = &p->site[i].counts;
        counts->rebuilds = of->rebuilds;
        counts->moved += of->moved;
        counts->fullest = of->fullest > counts->fullest ? of->fullest : counts->fullest;
    }
    return rc;
}
