/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The coordinator: phases of a step, one after another, and the record of all slices at its end.
 */
#include "apps/pic/coordinator.h"

#include <string.h>

/* ---- fibers that begin phases --------------------------------------------------------------- */

static void start(struct htmt_context *c)
{
    const htmt__pic *p = htmt__pic_of(c);
    htmt__pic_begin(c, p, p->plan.problem.n[0] ? &htmt__pic_deposit_phase : &htmt__pic_alone_phase);
}

static void columns_of_y(struct htmt_context *c)
{
    htmt__pic_begin(c, htmt__pic_of(c), &htmt__pic_y_phase);
}

static void solve(struct htmt_context *c)
{
    htmt__pic_begin(c, htmt__pic_of(c), &htmt__pic_solve_phase);
}

static void columns_back(struct htmt_context *c)
{
    htmt__pic_begin(c, htmt__pic_of(c), &htmt__pic_y_back_phase);
}

static void rows_back(struct htmt_context *c)
{
    htmt__pic_begin(c, htmt__pic_of(c), &htmt__pic_x_back_phase);
}

static void cut(struct htmt_context *c)
{
    htmt__pic_begin(c, htmt__pic_of(c), &htmt__pic_cut_phase);
}

/* ---- the record of a step ------------------------------------------------------------------- */

static const htmt__pic *program_of(const struct htmt_kernel *k)
{
    return ((const struct htmt__pic_args *)htmt_kernel_args(k))->p;
}

static void add_pushed(struct htmt__pic_record *r, const struct htmt__pic_pushed *q, double mass)
{
    for (int a = 0; a < 3; a++) {
        r->kinetic += mass / 2 * q->square[a];
        r->momentum[a] += mass * q->velocity[a];
    }
    r->particles += (double)q->count;
}

static void add_record(struct htmt__pic_record *r, const struct htmt__pic_record *other)
{
    double *into = &r->field;
    const double *from = &other->field;
    for (size_t i = 0; i < sizeof *r / sizeof *into; i++)
        into[i] += from[i];
}

/* Add the field's part from the blocks and the particles' part from the bundles, in their order. */
static void record_kernel(struct htmt_kernel *k)
{
    const htmt__pic *p = program_of(k);
    const struct htmt__pic_bundle *bundle = htmt_used(k, 0);
    const struct htmt__pic_pushed *pushed = htmt_used(k, 1);
    const struct htmt__pic_record *block = htmt_used(k, 2);
    struct htmt__pic_record *record = htmt_used(k, 3);
    *record = (struct htmt__pic_record){0};
    for (uint64_t i = 0; i < p->site[htmt_kernel_slice(k)].blocks; i++)
        add_record(record, &block[i]);
    for (uint64_t i = 0; i < htmt__pic_all_bundles(&p->plan); i++)
        if (bundle[i].count)
            add_pushed(record, &pushed[i], p->mass[bundle[i].species]);
}

static void record_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)user;
    *ops = htmt__pic_record_ops(&((const struct htmt__pic_args *)args)->p->plan);
}

/* The cost above has the usual bundles. */
static void charge_spares(struct htmt_context *c, uint32_t spares)
{
    struct htmt_ops ops = htmt__pic_reports_ops(spares);
    htmt_charge(c, HTMT_FLOP, ops.n[HTMT_FLOP]);
    htmt_charge(c, HTMT_LOAD, ops.n[HTMT_LOAD]);
}

static void record(struct htmt_context *c)
{
    const htmt__pic *p = htmt__pic_of(c);
    htmt__pic_use_all(c, p->table, HTMT_READ);
    htmt__pic_use_all(c, p->pushed, HTMT_READ);
    htmt__pic_use_all(c, p->block_record, HTMT_READ);
    htmt__pic_use_all(c, p->record, HTMT_WRITE);
    htmt_work(c);
    charge_spares(c, htmt__pic_site(c, p)->spread);
    htmt_allreduce(c, p->sum, htmt_slot(c, HTMT__PIC_NEXT));
}

static void series_kernel(struct htmt_kernel *k)
{
    memcpy(htmt_used(k, 1), htmt_used(k, 0), sizeof(struct htmt__pic_record));
}

static void series_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args;
    (void)user;
    *ops = htmt__pic_series_ops();
}

/* Every slice keeps the records of all steps and goes on: all its particles have arrived. */
static void next(struct htmt_context *c)
{
    const htmt__pic *p = htmt__pic_of(c);
    const uint64_t bytes = sizeof(struct htmt__pic_record);
    htmt__pic_use_all(c, p->record, HTMT_READ);
    htmt_use(c, htmt_at(p->series, htmt_slice(c), htmt__pic_site(c, p)->step * bytes), bytes,
             HTMT_WRITE);
    htmt_work(c);
    htmt__pic_site(c, p)->flights = 0;
    htmt__pic_begin(c, p, &htmt__pic_settle_phase);
}

/* The charge that the neighbours sent is added; then the transforms begin. */
static void fold(struct htmt_context *c)
{
    const htmt__pic *p = htmt__pic_of(c);
    htmt__pic_use_all(c, p->guard, HTMT_READ);
    htmt__pic_use_all(c, p->rho, HTMT_UPDATE);
    htmt_work(c);
    htmt__pic_begin(c, p, &htmt__pic_x_phase);
}

/* ---- set-up --------------------------------------------------------------------------------- */

int htmt__pic_coordinator_type(htmt__pic *p)
{
    const uint32_t py = p->plan.py, pz = p->plan.pz;
    const struct htmt_stage fibers[HTMT__PIC_FIBERS] = {
        [HTMT__PIC_FLOW - 1] = {.control = htmt__pic_flow, .count = 1, .reset = 1},
        [HTMT__PIC_FOLD - 1] = {.kernel = htmt__pic_fold_kernel,
                                .cost = htmt__pic_fold_cost,
                                .control = fold,
                                .count = 9,
                                .reset = 9},
        [HTMT__PIC_Y - 1] = {.control = columns_of_y, .count = py, .reset = py},
        [HTMT__PIC_SOLVE - 1] = {.control = solve, .count = pz, .reset = pz},
        [HTMT__PIC_Y_BACK - 1] = {.control = columns_back, .count = 3 * pz, .reset = 3 * pz},
        [HTMT__PIC_X_BACK - 1] = {.control = rows_back, .count = 3 * py, .reset = 3 * py},
        [HTMT__PIC_CUT - 1] = {.control = cut, .count = 9, .reset = 9},
        [HTMT__PIC_SENT - 1] = {.control = htmt__pic_sent, .count = 1, .reset = 1},
        [HTMT__PIC_RECORD - 1] = {.kernel = record_kernel,
                                  .cost = record_cost,
                                  .control = record,
                                  .count = 1,
                                  .reset = 1},
        [HTMT__PIC_NEXT - 1] =
            {.kernel = series_kernel, .cost = series_cost, .control = next, .count = 1, .reset = 1},
    };
    const char *outer = htmt_emulator_machine(p->e)->layer[p->plan.outer].name;
    struct htmt_type_desc d = {.name = "Desk",
                               .home = outer,
                               .exec = outer,
                               .execute = {.control = start},
                               .footprint = HTMT_RESIDENT,
                               .fibers = fibers,
                               .fiber_count = HTMT__PIC_FIBERS,
                               .args_bytes = sizeof(struct htmt__pic_args)};
    return htmt_type_create(p->e, &d, &p->coordinator);
}

int htmt__pic_coordinator_start(htmt__pic *p, uint32_t slice)
{
    struct htmt__pic_args args = {p};
    return htmt_assemble(
        htmt_root(p->e),
        &(struct htmt_parcel_desc){.type = p->coordinator, .slice = slice, .args = &args},
        &p->site[slice].coordinator);
}
