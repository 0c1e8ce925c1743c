/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Molecular dynamics of atoms with the potential of Lennard and Jones on parcels (docs/md.md).
 */
#include "apps/lib/gather.h"
#include "apps/md/program.h"
#include "apps/md/reference.h"
#include "apps/md/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define CHECKED_TIME 1.0   /* trajectories are compared so long */
#define PASSED       1.0   /* a way within a step, in diameters of an atom */
#define TOLERANCE    1e-10 /* of what they differ by then */

struct work {
    struct htmt__md_plan plan;
    struct htmt__md_atoms atoms;
    struct htmt__md_prediction closed;
    struct htmt__md_program *program;
    struct htmt__md_record *series; /* after a run, in the rank that gathers */
    struct htmt__md_atoms last;     /* the same */
    bool unchecked;
};

static bool gathers(const struct htmt_task *task)
{
    return !htmt_task_is_model(task) && htmt_gathers(htmt_task_emulator(task));
}

static int plan(struct htmt_task *task, void *work)
{
    static const char *const checks[] = {"full", "none", NULL};
    struct work *w = work;
    unsigned kind = 0;
    int rc =
        htmt_request_choice(htmt_task_request(task), "check", checks, &kind, htmt_task_fault(task));
    w->unchecked = kind == 1;
    rc = rc ? rc : htmt__md_plan(task, &w->plan, &w->atoms);
    rc = rc ? rc : htmt__md_choose_blocks(task, &w->plan);
    if (!rc && !htmt_task_is_model(task))
        rc = htmt__md_results_check(task, &w->plan);
    return rc ? rc
              : htmt__md_predict(htmt_task_machine(task), &w->plan, &w->closed, NULL,
                                 htmt_task_fault(task));
}

static void name_problem(struct htmt_task *task, const struct htmt__md_plan *p)
{
    const struct htmt__md_block b = htmt__md_block(p, p->block_count - 1);
    htmt_task_problem(task,
                      "%" PRIu64 " atom%s, density %.5g, r_c %.4g, skin %.4g; %u step%s of %.4g; "
                      "%u x %u x %u slices of %u x %u x %u cells, blocks of %u x %u x %u",
                      p->atoms, p->atoms == 1 ? "" : "s", p->density, p->cut, p->skin, p->steps,
                      p->steps == 1 ? "" : "s", p->dt, p->grid.extent[0], p->grid.extent[1],
                      p->grid.extent[2], p->tile[0], p->tile[1], p->tile[2], b.n[0], b.n[1],
                      b.n[2]);
}

static int tell(struct htmt_task *task, void *work, struct htmt_prediction *out)
{
    struct work *w = work;
    name_problem(task, &w->plan);
    htmt_prediction_flops(out, w->closed.flop);
    return htmt__md_predict(htmt_task_machine(task), &w->plan, &w->closed, out,
                            htmt_task_fault(task));
}

/* Tiles, and for the check atoms of three programs. */
static int input(struct htmt_task *task, void *work)
{
    struct work *w = work;
    const struct htmt__md_plan *p = &w->plan;
    const double cells = (double)htmt__md_cells(p->cells) * p->room,
                 tiles = 8 * cells * (2 * 3 + HTMT__MD_STATE_WORDS + 3 + HTMT__MD_MOVE_WORDS),
                 atoms = 8 * (double)p->atoms * (w->unchecked ? 12 : 12 + 16);
    int rc = htmt_task_fits(task, tiles + atoms, "cells of %.2f GiB + atoms of %.2f GiB",
                            tiles / HTMT_GIB, atoms / HTMT_GIB);
    if (!rc && !w->atoms.count) {
        uint32_t cubes[3];
        const double a = cbrt(4 / p->density);
        for (unsigned i = 0; i < 3; i++)
            cubes[i] = (uint32_t)lround(p->box[i] / a);
        rc = htmt__md_lattice(cubes, a, &w->atoms);
    }
    if (rc == HTMT_ENOMEM)
        return htmt_task_refuse(task, rc, "no host memory for the atoms");
    if (!rc && (!w->atoms.moving || htmt_task_value(task, "temperature")))
        htmt__md_heat(&w->atoms, p->temperature, htmt_request_seed(htmt_task_request(task)));
    if (!rc && w->atoms.outside)
        htmt_task_note(task,
                       "%" PRIu64 " of %" PRIu64 " atoms of %s lay outside the box: they "
                       "came into it by its edges",
                       w->atoms.outside, w->atoms.count, htmt_task_value(task, "in"));
    return rc;
}

static void describe(struct htmt_task *task, void *work)
{
    const struct work *w = work;
    const struct htmt__md_prediction *c = &w->closed;
    htmt_task_precision(task, "double");
    htmt_task_flops(task, c->flop);
    htmt_task_closed_form(task, c->total, "trains of blocks, at a uniform density");
    htmt_task_closed_form_train(task, c->total, c->work, c->fill, c->drain);
    name_problem(task, &w->plan);
}

static int create(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    struct work *w = work;
    return htmt__md_program_create(e, &w->plan, htmt_task_is_model(task) ? NULL : &w->atoms,
                                   htmt_request_sections(htmt_task_request(task)), &w->program);
}

static int explain(struct htmt_task *task, void *work, int rc)
{
    struct work *w = work;
    return w->program ? htmt__md_program_explain(w->program, rc, htmt_task_fault(task)) : rc;
}

static int collect(struct htmt_task *task, void *work)
{
    struct work *w = work;
    const uint64_t n = w->plan.atoms;
    if (htmt_task_is_model(task))
        return 0;
    w->last = (struct htmt__md_atoms){
        .count = n, .x = calloc(n, 3 * sizeof(double)), .v = calloc(n, 3 * sizeof(double))};
    w->series = calloc((size_t)w->plan.steps + 1, sizeof *w->series);
    int rc = w->last.x && w->last.v && w->series ? 0 : HTMT_ENOMEM;
    rc = rc ? rc : htmt__md_program_gather(w->program, w->last.x, w->last.v);
    return rc ? rc : htmt__md_program_series(w->program, w->series);
}

/* ---- check ----------------------------------------------------------------------------------- */

static double larger(double a, double b)
{
    return b <= a ? a : b; /* what is no number stays */
}

/* Of numbers beyond 1 as a part of them: atoms that are near have energies of many digits. */
static double part(double is, double wanted)
{
    return fabs(is - wanted) / fmax(1, fabs(wanted));
}

/* Energies and virials of each step over N; places and velocities, where the serial program comes
 * to the end. */
static double difference(const struct work *w, struct htmt__md_reference *r, uint32_t steps,
                         const struct htmt__md_record *wanted)
{
    const double n = (double)w->plan.atoms;
    double off = 0;
    for (uint32_t i = 0; i <= steps; i++) {
        off = larger(off, part(w->series[i].potential / n, wanted[i].potential / n));
        off = larger(off, part(w->series[i].kinetic / n, wanted[i].kinetic / n));
        off = larger(off, part(w->series[i].virial / n, wanted[i].virial / n));
        off = larger(off, fabs(w->series[i].within - wanted[i].within));
    }
    if (steps < w->plan.steps)
        return off;
    const double *x = htmt__md_reference_places(r), *v = htmt__md_reference_velocities(r);
    for (size_t i = 0; i < 3 * w->plan.atoms; i++) {
        const double d = fabs(x[i] - w->last.x[i]), box = w->plan.box[i % 3];
        off = larger(off, d > box / 2 ? box - d : d);
        off = larger(off, part(w->last.v[i], v[i]));
    }
    return off;
}

/* Atoms that collide part exponentially, so two programs that round otherwise agree for a time, and
 * no longer once an atom has passed others within a step. */
static uint32_t checked_steps(const struct work *w)
{
    const double most = ceil(CHECKED_TIME / w->plan.dt);
    const uint32_t steps = most < w->plan.steps ? (uint32_t)most : w->plan.steps;
    double before = 0;
    for (uint32_t i = 0; i < steps; i++) {
        const double far = sqrt(w->series[i].farthest2);
        if (far - before > PASSED)
            return i;
        before = far;
    }
    return steps;
}

static int check(struct htmt_task *task, void *work)
{
    struct work *w = work;
    struct htmt__md_reference *r = NULL;
    char name[64] = "difference from the serial program";
    if (w->unchecked || !gathers(task)) {
        htmt_task_unchecked(task, w->unchecked ? "--check none" : "rank 0 checks");
        return 0;
    }
    const uint32_t steps = checked_steps(w);
    struct htmt__md_record *wanted = calloc((size_t)steps + 1, sizeof *wanted);
    int rc = wanted ? htmt__md_reference_create(&w->plan, &w->atoms, &r, htmt_task_fault(task))
                    : HTMT_ENOMEM;
    if (!rc) {
        htmt__md_reference_run(r, steps, wanted);
        const double off = difference(w, r, steps, wanted);
        if (steps < w->plan.steps)
            snprintf(name, sizeof name, "difference from the serial program, %u steps", steps);
        htmt_task_checked(task, name, off, TOLERANCE, off <= TOLERANCE);
    }
    free(wanted);
    htmt__md_reference_destroy(&r);
    return rc;
}

static int write_results(struct htmt_task *task, void *work)
{
    const struct work *w = work;
    return gathers(task) ? htmt__md_results_write(task, &w->plan, &w->last, w->series) : 0;
}

static int conclude(struct htmt_task *task, void *work)
{
    const struct work *w = work;
    struct htmt__md_counts counts;
    int rc = htmt__md_program_counts(w->program, &counts);
    if (!rc && gathers(task))
        rc = htmt__md_results_found(task, &w->plan, w->series);
    if (!rc) {
        htmt_task_found(task, "rebuilds", (double)counts.rebuilds, "1");
        htmt_task_found(task, "changed_cells", (double)counts.moved, "1");
        htmt_task_found(task, "largest_parcel", (double)counts.fullest, "words");
    }
    return rc;
}

static void destroy(struct htmt_task *task, void *work)
{
    struct work *w = work;
    (void)task;
    htmt__md_program_destroy(&w->program);
    htmt__md_atoms_destroy(&w->atoms);
    htmt__md_atoms_destroy(&w->last);
    free(w->series);
}

static const char *const outputs[] = {"out", "plot-gr", "plot-energies", NULL};

const struct htmt_app htmt_app = {
    HTMT_APP_BEGIN,
    .name = "md",
    .summary = "molecular dynamics of atoms with Lennard-Jones forces, in blocks of cells",
    .options = htmt__md_options,
    .work_bytes = sizeof(struct work),
    .plan = plan,
    .tell = tell,
    .input = input,
    .describe = describe,
    .create = create,
    .explain = explain,
    .collect = collect,
    .check = check,
    .write = write_results,
    .conclude = conclude,
    .destroy = destroy,
    .outputs = outputs,
    .folds = true,
    .ranks = true,
    .reads_costs = true,
    .sizes = htmt__md_sizes,
    .slices = htmt__md_slices,
    .slices_why = "each has at least three cells along each edge, or all is one block",
};
