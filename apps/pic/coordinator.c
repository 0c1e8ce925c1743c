/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The coordinator of a slice: an activation in its DRAM that leads the slice through the phases of
 * a step.
 *
 * How it works. A phase is a number of parcels of one type (apps/pic/program.h lists the phases).
 * The coordinator keeps a window of them under way. The window has room for one parcel in work and
 * one that waits on each DPIM, and for as many parcels as SRAM holds, so that SRAM limits the flow
 * and not the coordinator. A parcel that ends signals the slot FLOW, whose fiber assembles the next
 * parcel. After the last one, the next phase begins at once, or the phase's sequel sends what the
 * slice has computed to other slices. In the second case the next phase begins by another fiber,
 * whose slot counts what must arrive. With py x pz slices the slots count, in the order of a step:
 *
 *     FOLD       9        eight neighbours' charge at this slice's border, and the own sum
 *     Y          py       one tile of the spectrum from each slice of the row
 *     SOLVE      pz       one tile from each slice of the column
 *     Y_BACK     3 pz     three components back
 *     X_BACK     3 py     three components back
 *     CUT        9        eight neighbours' field at this slice's border, and the own field
 *     SENT       1        each message with particles, when it has arrived
 *     RECORD     1        the last of them
 *     NEXT       1        the all-reduce of the record
 *
 * Why it is right. A slot takes its count again when its fiber is enabled, so one coordinator
 * serves all steps. Signals of two steps cannot mix: a slice sends nothing of step n + 1 before the
 * all-reduce of step n, which needs the record of every slice, and a slice gives its record after
 * the last signal that it awaits in step n. For the same reason the mailboxes can be emptied after
 * the all-reduce: every slice has then seen all its messages arrive.
 *
 * What it costs. Within a step a slice waits for its neighbours and its row and column only; the
 * record is the one barrier of all slices.
 *
 * Example. 2 x 2 slices, py = pz = 2. Slice 0 sums its rho and sends eight rows, of which some go
 * to itself around the periodic grid. Its slot FOLD reaches 9 of 9 and the fiber adds the rows and
 * begins X. When the last X parcel ends, the sequel puts one tile to slice 1 and one to slice 0. Y
 * begins when the slot Y has 2 of 2: the own tile, and that of slice 1.
 */
#include "apps/pic/coordinator.h"

#include "apps/lib/iterations.h"

#include <string.h>

/* ---- phases --------------------------------------------------------------------------------- */

static void start(struct htmt_context *c)
{
    const htmt__pic *p = htmt__pic_of(c);
    if (p->named)
        htmt__iteration(c, "step", 0, p->deck.steps);
    htmt__pic_begin(c, p, p->plan.problem.n[0] ? &htmt__pic_deposit_phase : &htmt__pic_alone_phase);
}

/* The fibers that begin a phase and do nothing else. */
static void begin_awaited(struct htmt_context *c)
{
    static const struct htmt__pic_phase *const awaited[] = {
        [HTMT__PIC_Y] = &htmt__pic_y_phase,           [HTMT__PIC_SOLVE] = &htmt__pic_solve_phase,
        [HTMT__PIC_Y_BACK] = &htmt__pic_y_back_phase, [HTMT__PIC_X_BACK] = &htmt__pic_x_back_phase,
        [HTMT__PIC_CUT] = &htmt__pic_cut_phase,
    };
    htmt__pic_begin(c, htmt__pic_of(c), awaited[htmt_fiber(c)]);
}

/* Fiber FOLD: add the charge that the neighbours sent, then begin the transforms. */
static void fold(struct htmt_context *c)
{
    const htmt__pic *p = htmt__pic_of(c);
    htmt__pic_use_all(c, p->guard, HTMT_READ);
    htmt__pic_use_own(c, p); /* the guard rows are still on their way to the neighbours */
    htmt_work(c);
    htmt__pic_begin(c, p, &htmt__pic_x_phase);
}

/* ---- the record of a step ------------------------------------------------------------------- */

/* Sum what the blocks have of the field and the bundles of the particles, in the order of their
 * numbers, so that the sum does not depend on the order in which parcels ended. */
static void record_kernel(struct htmt_kernel *k)
{
    const htmt__pic *p = ((const struct htmt__pic_args *)htmt_kernel_args(k))->p;
    const struct htmt__pic_bundle *bundle = htmt_used(k, 0);
    const struct htmt__pic_pushed *pushed = htmt_used(k, 1);
    const struct htmt__pic_record *block = htmt_used(k, 2);
    struct htmt__pic_record *record = htmt_used(k, 3);
    *record = (struct htmt__pic_record){0};
    for (uint64_t i = 0; i < p->site[htmt_kernel_slice(k)].blocks; i++) {
        double *into = &record->field; /* all members are sums */
        const double *from = &block[i].field;
        for (size_t n = 0; n < sizeof *record / sizeof *into; n++)
            into[n] += from[n];
    }
    for (uint64_t i = 0; i < htmt__pic_all_bundles(&p->plan); i++) {
        if (!bundle[i].count)
            continue;
        double mass = p->mass[bundle[i].species];
        for (int a = 0; a < 3; a++) {
            record->kinetic += mass / 2 * pushed[i].square[a];
            record->momentum[a] += mass * pushed[i].velocity[a];
        }
        record->particles += (double)pushed[i].count;
    }
}

/* The usual bundles; fiber RECORD charges the spare ones. */
static void record_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)user;
    *ops = htmt__pic_record_ops(&((const struct htmt__pic_args *)args)->p->plan);
}

/* Fiber RECORD. */
static void record(struct htmt_context *c)
{
    const htmt__pic *p = htmt__pic_of(c);
    htmt__pic_use_all(c, p->table, HTMT_READ);
    htmt__pic_use_all(c, p->pushed, HTMT_READ);
    htmt__pic_use_all(c, p->block_record, HTMT_READ);
    htmt__pic_use_all(c, p->record, HTMT_WRITE);
    htmt_work(c);
    struct htmt_ops spares = htmt__pic_reports_ops(htmt__pic_site(c, p)->spread);
    htmt_charge(c, HTMT_FLOP, spares.n[HTMT_FLOP]);
    htmt_charge(c, HTMT_LOAD, spares.n[HTMT_LOAD]);
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

/* Fiber NEXT: every slice keeps the records of all steps, and puts its arrivals into bundles. */
static void next(struct htmt_context *c)
{
    const htmt__pic *p = htmt__pic_of(c);
    const uint64_t bytes = sizeof(struct htmt__pic_record);
    htmt__pic_use_all(c, p->record, HTMT_READ);
    htmt_use(c, htmt_at(p->series, htmt_slice(c), htmt__pic_site(c, p)->step * bytes), bytes,
             HTMT_WRITE);
    htmt_work(c);
    htmt__pic_site(c, p)->flights.count = 0;
    htmt__pic_begin(c, p, &htmt__pic_settle_phase);
}

/* ---- set-up --------------------------------------------------------------------------------- */

int htmt__pic_coordinator_type(htmt__pic *p)
{
    const uint32_t py = p->plan.py, pz = p->plan.pz;
    const uint32_t counts[HTMT__PIC_FIBERS + 1] = {
        [HTMT__PIC_FLOW] = 1,   [HTMT__PIC_FOLD] = 9,        [HTMT__PIC_Y] = py,
        [HTMT__PIC_SOLVE] = pz, [HTMT__PIC_Y_BACK] = 3 * pz, [HTMT__PIC_X_BACK] = 3 * py,
        [HTMT__PIC_CUT] = 9,    [HTMT__PIC_SENT] = 1,        [HTMT__PIC_RECORD] = 1,
        [HTMT__PIC_NEXT] = 1,
    };
    struct htmt_stage fiber[HTMT__PIC_FIBERS];
    for (uint32_t i = 0; i < HTMT__PIC_FIBERS; i++)
        fiber[i] = (struct htmt_stage){
            .control = begin_awaited, .count = counts[i + 1], .reset = counts[i + 1]};
    fiber[HTMT__PIC_FLOW - 1].control = htmt__pic_flow;
    fiber[HTMT__PIC_FOLD - 1].control = fold;
    fiber[HTMT__PIC_FOLD - 1].kernel = htmt__pic_fold_kernel;
    fiber[HTMT__PIC_FOLD - 1].cost = htmt__pic_fold_cost;
    fiber[HTMT__PIC_SENT - 1].control = htmt__pic_sent;
    fiber[HTMT__PIC_RECORD - 1].control = record;
    fiber[HTMT__PIC_RECORD - 1].kernel = record_kernel;
    fiber[HTMT__PIC_RECORD - 1].cost = record_cost;
    fiber[HTMT__PIC_NEXT - 1].control = next;
    fiber[HTMT__PIC_NEXT - 1].kernel = series_kernel;
    fiber[HTMT__PIC_NEXT - 1].cost = series_cost;
    const char *outer = htmt_emulator_machine(p->e)->layer[p->plan.outer].name;
    static const char *const names[HTMT__PIC_FIBERS] = {
        [HTMT__PIC_FLOW - 1] = "flow",     [HTMT__PIC_FOLD - 1] = "fold",
        [HTMT__PIC_Y - 1] = "y",           [HTMT__PIC_SOLVE - 1] = "solve",
        [HTMT__PIC_Y_BACK - 1] = "y back", [HTMT__PIC_X_BACK - 1] = "x back",
        [HTMT__PIC_CUT - 1] = "cut",       [HTMT__PIC_SENT - 1] = "sent",
        [HTMT__PIC_RECORD - 1] = "record", [HTMT__PIC_NEXT - 1] = "next"};
    struct htmt_type_desc d = {.size = sizeof d,
                               .name = "Desk",
                               .home = outer,
                               .exec = outer,
                               .execute = {.control = start},
                               .footprint = HTMT_RESIDENT,
                               .fibers = fiber,
                               .fiber_count = HTMT__PIC_FIBERS,
                               .fiber_names = names,
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
