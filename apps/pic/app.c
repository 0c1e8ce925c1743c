/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plasma as an application: input, set-up, emulation, check, output.
 */
#include "apps/fft/fft.h"
#include "apps/lib/execution.h"
#include "apps/lib/request.h"
#include "apps/lib/steps.h"
#include "apps/pic/diagnostics.h"
#include "apps/pic/io/by_key.h"
#include "apps/pic/io/output.h"
#include "apps/pic/kernels.h"
#include "apps/pic/mpp.h"
#include "apps/pic/program.h"
#include "apps/pic/reference.h"
#include "apps/pic/settings.h"
#include "apps/pic/snapshots.h"
#include "runtime/base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct work {
    struct htmt_task *task;
    enum htmt_execution execution;
    struct htmt__pic_settings set;
    struct htmt__pic_prediction closed;
    struct htmt__pic_mpp_prediction messages; /* of nodes that pass them, instead */
    struct htmt__pic_mpp *nodes;              /* and instead of program */
    uint32_t here;                            /* slices that this process plays */
    struct htmt__pic_particles particles;     /* rank 0: of the end, where all are brought there */
    struct htmt__pic_record *record;
    struct htmt__pic_series series; /* of the run */
    struct htmt__pic_fields fields; /* rank 0: of the end */
    struct htmt__pic_program *program;
    struct htmt__pic_snapshots *snapshots;
};

static bool passes_messages(const struct work *w)
{
    return w->execution == HTMT_EXECUTION_MPP;
}

static double particle_bytes(const struct work *w)
{
    return (double)htmt__pic_deck_particles(&w->set.deck) * sizeof(struct htmt__pic_particle);
}

/* Whether other ranks play some of the slices. */
static bool is_part(const struct work *w)
{
    return w->here < w->closed.plan.slices;
}

static bool is_rank_0(const struct work *w)
{
    const struct htmt_ranks *r = htmt_emulator_options(htmt_task_emulator(w->task))->ranks;
    return !r || r->rank == 0;
}

/* Whether this process has nothing to do with results: rank 0 has all of them, too. */
static bool is_spare(const struct work *w)
{
    return !is_part(w) && !is_rank_0(w);
}

static unsigned threads_of(const struct work *w)
{
    return htmt_request_threads(htmt_task_request(w->task));
}

/* ---- plan ----------------------------------------------------------------------------------- */

/* Cells that a Debye length reaches at least. Particles feel the field of the grid, which knows no
 * wave shorter than two cells: shorter waves of the particles appear as long ones. Where the Debye
 * length is far below a cell they carry energy from the grid to the particles, until it is about a
 * third of a cell; a plasma of 0.02 cells gains 42 % in 200 / omega_p, one of 0.5 cells 0.5 %. */
#define DEBYE_LEAST (1.0 / 3)

static void doubt_deck(struct htmt_task *task, const struct htmt__pic_deck *deck)
{
    uint32_t species = 0;
    int axis = 0;
    const double debye = htmt__pic_deck_debye(deck, &species, &axis);
    if (debye < DEBYE_LEAST)
        htmt_warn(htmt_task_warnings(task), "debye",
                  "species %s: a cell is %.3g Debye lengths long along %c, expected at most 3: the "
                  "grid heats the plasma; expected a thermal velocity of %.3g or more",
                  deck->species[species].name, 1 / debye, "xyz"[axis],
                  DEBYE_LEAST / debye * deck->species[species].thermal[axis]);
}

#define OFFERS                                                                                     \
    (HTMT_EXECUTION_FORM(HTMT_EXECUTION_SERIAL) | HTMT_EXECUTION_FORM(HTMT_EXECUTION_MPP) |        \
     HTMT_EXECUTION_CLOCK(HTMT_EXECUTION_MPP))

/* What nodes have no use for, or do not offer. */
static int check_options(const struct work *w)
{
    static const char *const others[] = {"ng", "double-buffer", "parcels", "every"};
    struct htmt_task *t = w->task;
    if (w->set.phases != HTMT__PIC_ALL)
        return htmt_task_refuse(t, HTMT_EUSAGE, "--phases with --execution mpp: expected all");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (htmt_task_value(t, others[i]))
            return htmt_task_refuse(t, HTMT_EUSAGE, "--%s: expected without --execution mpp",
                                    others[i]);
    if (htmt_request_ranks(htmt_task_request(t)) > 1)
        return htmt_task_refuse(t, HTMT_EUSAGE,
                                "--execution mpp: found %" PRIu32 " processes, expected one",
                                htmt_request_ranks(htmt_task_request(t)));
    return 0;
}

/* Boxes that a node does not hold are a warning where nothing runs. */
static int plan_messages(struct work *w)
{
    const struct htmt_machine *m = htmt_task_machine(w->task);
    struct htmt_fault *fault = htmt_task_fault(w->task);
    struct htmt__pic_mpp_plan plan;
    int rc = check_options(w);
    rc = rc ? rc : htmt__pic_mpp_plan(m, &w->set.problem, &w->set.deck, &plan, fault);
    if (!rc)
        rc = htmt_task_is_prediction(w->task)
                 ? htmt_execution_fits(w->task, m->layer[plan.place.layer].memory.name, "data",
                                       plan.words, htmt_machine_room(m, plan.place.layer))
                 : htmt__pic_mpp_fits(m, &plan, fault);
    if (rc == HTMT_ECAPACITY && !htmt_task_is_prediction(w->task))
        rc = fault->code = HTMT_ERANGE; /* known before the run: the user's deck and machine */
    if (!rc && !htmt_task_is_model(w->task))
        doubt_deck(w->task, &w->set.deck);
    w->closed.plan.slices = m->slices;
    return rc ? rc : htmt__pic_mpp_predict(m, &plan, &w->messages, fault);
}

static int plan(struct htmt_task *task, void *work)
{
    struct work *w = work;
    struct htmt_fault *fault = htmt_task_fault(task);
    int rc;
    w->task = task;
    rc = htmt__pic_settings_read(htmt_task_request(task), &w->set, fault);
    rc = rc ? rc : htmt_execution_read(task, OFFERS, &w->execution);
    if (!rc && !htmt_task_is_model(task) && w->set.phases != HTMT__PIC_ALL)
        return htmt_fault_set(
            fault, HTMT_EUSAGE,
            "--phases: found push parcels alone, expected all: a run goes through "
            "whole steps; `htmt model` and `htmt predict` know parts");
    if (rc || w->execution != HTMT_EXECUTION_HTMT)
        return rc || !passes_messages(w) ? rc : plan_messages(w);
    if (!rc)
        rc = htmt__pic_settings_plan(htmt_task_machine(task), &w->set, &w->closed, fault);
    if (!rc && !htmt_task_is_model(task)) /* which has positions */
        doubt_deck(task, &w->set.deck);
    if (rc == HTMT_ECAPACITY &&
        !htmt_task_is_prediction(task)) /* known before the run: the user's deck and machine */
        rc = fault->code = HTMT_ERANGE;
    return rc;
}

static void name_problem(const struct work *w)
{
    char text[400];
    if (passes_messages(w))
        htmt__pic_mpp_describe(&w->set.deck, &w->messages.plan, text, sizeof text);
    else
        htmt__pic_describe(&w->set, &w->closed.plan, text, sizeof text);
    htmt_task_problem(w->task, "%s", text);
}

static int tell(struct htmt_task *task, void *work, struct htmt_prediction *out)
{
    struct work *w = work;
    if (w->execution == HTMT_EXECUTION_SERIAL)
        return htmt__pic_serial(task, &w->set.problem, w->set.steps, out);
    if (passes_messages(w)) {
        name_problem(w);
        return htmt__pic_mpp_tell(htmt_task_machine(task), &w->messages, out,
                                  htmt_task_fault(task));
    }
    htmt_prediction_total_fs(out, w->closed.total);
    htmt_prediction_flops(out, w->closed.flops);
    name_problem(w);
    return htmt__pic_tell(htmt_task_machine(task), &w->closed, out, htmt_task_fault(task));
}

static void describe(struct htmt_task *task, void *work)
{
    struct work *w = work;
    htmt_wide causes[HTMT_PATH_CAUSES] = {0};
    htmt_task_precision(task, "double");
    if (passes_messages(w)) {
        htmt_task_flops(task, w->messages.flops);
        htmt_task_closed_form(task, w->messages.total, "messages, sum of phases");
        for (int i = 0; i < HTMT__PIC_MPP_PHASES; i++)
            causes[HTMT_PATH_WORK] += (htmt_wide)w->set.deck.steps * w->messages.work[i];
        causes[HTMT_PATH_OVERHEAD] = w->messages.total - causes[HTMT_PATH_WORK];
    } else {
        htmt_task_flops(task, w->closed.flops);
        htmt_task_closed_form(task, w->closed.total,
                              w->set.phases == HTMT__PIC_ALL ? "sum of phases" : "pipeline");
        htmt__pic_causes(&w->closed, causes);
    }
    htmt_task_closed_form_causes(task, causes);
    name_problem(w);
    if (!htmt_task_is_model(task)) {
        char fft[32], name[64];
        htmt__fft_name(fft, sizeof fft);
        snprintf(name, sizeof name, "%s, %s", htmt__pic_kernel_set(), fft);
        htmt_task_kernel_set(task, name);
    }
}

/* Slices that only push parcels are independent and alike, so they need not all be played. */
static int prepare(struct htmt_task *task, void *work, struct htmt_options *options)
{
    const struct work *w = work;
    bool all = w->set.phases == HTMT__PIC_ALL;
    if (passes_messages(w))
        return options->symmetry != HTMT_FOLDED
                   ? 0
                   : htmt_task_refuse(task, HTMT_EUSAGE,
                                      "--fold: expected without --execution mpp");
    if (!all && options->symmetry == HTMT_NO_SYMMETRY)
        options->symmetry = HTMT_INDEPENDENT;
    return all && options->symmetry == HTMT_FOLDED
               ? htmt__pic_plan_alike(&w->closed.plan, htmt_task_fault(task))
               : 0;
}

/* ---- start ---------------------------------------------------------------------------------- */

/* Refuse what this host cannot hold. Copies of the particles at once: in bundles; in the serial
 * program with its lists, about which several ranks ask when they come to it; for the plot. A
 * snapshot is put together and written; of several ranks each keeps its parts of all. Beside them
 * the slices that are here have the points of DRAM. */
static int check_host(const struct work *w)
{
    const struct htmt__pic_settings *s = &w->set;
    const struct htmt__pic_plan *p = &w->closed.plan;
    if (passes_messages(w)) {
        const double copies = s->check ? 3 : 1, start = particle_bytes(w) * copies,
                     nodes = (double)w->messages.plan.words * HTMT_WORD * p->slices;
        return htmt_task_fits(w->task, start + nodes,
                              "%.0f copies of the particles %.2f GiB + data of %" PRIu32
                              " nodes %.2f GiB",
                              copies, start / HTMT_GIB, p->slices, nodes / HTMT_GIB);
    }
    double kept = is_part(w) && s->every ? (double)(s->deck.steps / s->every) : 0;
    double copies = 1 + (s->check && !is_part(w) ? 2 : 0) + (s->plot_phase_space ? 1 : 0) +
                    (s->every ? 2 : 0) + kept;
    double particles = particle_bytes(w) * copies * w->here / p->slices;
    double reserved =
        (double)p->teams * HTMT__PIC_PARTICLE_WORDS *
        ((double)(p->bundles + p->spares) * (double)p->room + (double)p->mail * p->problem.species);
    double others = ((double)p->outer_words - reserved) * HTMT_WORD * w->here;
    return htmt_task_fits(w->task, particles + others,
                          "%.0f copies of the particles %.2f GiB + fields and tiles of %" PRIu32
                          " slices %.2f GiB",
                          copies, particles / HTMT_GIB, w->here, others / HTMT_GIB);
}

/* The plasma after so many steps, in files that have the number in their names. */
static int write_snapshot(void *work, uint64_t steps, const struct htmt__pic_fields *fields,
                          const struct htmt__pic_particles *particles, struct htmt_fault *fault)
{
    const struct htmt__pic_settings *s = &((const struct work *)work)->set;
    char path[HTMT__PIC_PATH_MAX];
    int rc = 0;
    if (s->out_fields && !(rc = htmt__pic_snapshot_path(s->out_fields, &s->deck, steps, path)))
        rc = htmt__pic_write_fields(path, fields, fault);
    if (!rc && s->out_particles &&
        !(rc = htmt__pic_snapshot_path(s->out_particles, &s->deck, steps, path)))
        rc = htmt__pic_write_particles(path, particles, fault);
    if (!rc && s->plot_phase_space &&
        !(rc = htmt__pic_snapshot_path(s->plot_phase_space, &s->deck, steps, path)))
        rc = htmt__pic_plot_phase_space(path, &s->deck, steps, particles, fault);
    return rc && fault && !fault->code
               ? htmt_fault_set(fault, rc, "the name of a file is too long for a snapshot")
               : rc;
}

static int create_nodes(struct work *w, struct htmt_emulator *e, bool model)
{
    const struct htmt_request *r = htmt_task_request(w->task);
    struct htmt_fault *fault = htmt_task_fault(w->task);
    const struct htmt__pic_deck *deck = &w->set.deck;
    struct htmt__pic_particles start = {0};
    int rc = model ? 0 : htmt__pic_start(deck, htmt_request_seed(r), &start, fault);
    if (!rc)
        rc = htmt__pic_mpp_create(e, &w->messages.plan, deck, model ? NULL : &start,
                                  htmt_request_sections(r), &w->nodes, fault);
    htmt__pic_particles_destroy(&start);
    return rc;
}

static int create(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    struct work *w = work;
    struct htmt_fault *fault = htmt_task_fault(task);
    const struct htmt__pic_settings *s = &w->set;
    const bool model = htmt_task_is_model(task);
    for (uint32_t i = 0; i < w->closed.plan.slices; i++)
        w->here += htmt_slice_here(e, i);
    int rc = model ? 0 : check_host(w);
    if (!rc && !model && !(w->record = calloc(s->deck.steps, sizeof *w->record)))
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the records of the steps");
    if (!rc && passes_messages(w))
        return create_nodes(w, e, model);
    if (!rc && model)
        rc = htmt__pic_program_create(e, &w->closed.plan,
                                      s->phases == HTMT__PIC_ALL ? &s->deck : NULL, NULL,
                                      &w->program, fault);
    else if (!rc)
        rc = htmt__pic_program_begin(e, &w->closed.plan, &s->deck,
                                     htmt_request_seed(htmt_task_request(task)), threads_of(w),
                                     &w->program, fault);
    if (!rc && htmt_request_sections(htmt_task_request(task)))
        htmt__pic_program_name_steps(w->program);
    if (rc || !s->every)
        return rc;
    const struct htmt__pic_snapshots_desc d = {.e = e,
                                               .deck = &s->deck,
                                               .plan = &w->closed.plan,
                                               .every = s->every,
                                               .fields = s->out_fields != NULL,
                                               .particles = s->out_particles || s->plot_phase_space,
                                               .write = write_snapshot,
                                               .user = w};
    rc = htmt__pic_snapshots_create(&d, &w->snapshots, fault);
    if (!rc)
        htmt__pic_program_watch(w->program, w->snapshots);
    return rc;
}

/* ---- after the clock ------------------------------------------------------------------------ */

static void note_traffic(struct work *w)
{
    struct htmt__pic_traffic t = {0};
    if (!passes_messages(w))
        t = htmt__pic_program_traffic(w->program);
    if (w->set.phases != HTMT__PIC_ALL)
        return;
    if (passes_messages(w))
        htmt_task_note_at(w->task, 0, "%" PRIu64 " times a particle went to another node%s",
                          htmt__pic_mpp_migrated(w->nodes),
                          htmt_task_is_model(w->task) &&
                                  !htmt_is_captured(htmt_task_emulator(w->task))
                              ? ", as the deck lets expect"
                              : "");
    else if (htmt_task_is_model(w->task) && !htmt_is_captured(htmt_task_emulator(w->task)))
        htmt_task_note_at(
            w->task, 0,
            "a model run has no positions: every block has the mean number of particles, and as "
            "many leave it as the deck's velocities let expect");
    else
        htmt_task_note_at(w->task, 0,
                          "%" PRIu64 " times a particle went to another block; %" PRIu64
                          " times a block spilled into a second parcel",
                          t.migrated, t.spilled);
}

static int explain(struct htmt_task *task, void *work, int rc)
{
    struct work *w = work;
    return passes_messages(w) ? rc
                              : htmt__pic_program_explain(w->program, rc, htmt_task_fault(task));
}

static int collect_series(struct work *w)
{
    uint64_t steps;
    int rc = 0;
    if (passes_messages(w))
        htmt__pic_mpp_records(w->nodes, w->record, &steps);
    else
        rc = htmt__pic_program_records(w->program, w->record, &steps, htmt_task_fault(w->task));
    if (!rc)
        w->series = (struct htmt__pic_series){&w->set.deck, w->record, steps};
    return rc;
}

static int collect(struct htmt_task *task, void *work)
{
    struct work *w = work;
    struct htmt_fault *fault = htmt_task_fault(task);
    int rc = htmt_task_is_model(task) || passes_messages(w)
                 ? 0
                 : htmt__pic_program_share(w->program, fault);
    if (rc)
        return rc;
    note_traffic(w);
    if (htmt_task_is_model(task))
        return 0;
    rc = htmt__pic_snapshots_gather(w->snapshots, fault);
    if (!rc)
        rc = htmt__pic_snapshots_destroy(&w->snapshots, fault);
    if (!rc)
        rc = collect_series(w);
    if (rc)
        return rc;
    htmt__pic_diagnostics(&w->series, task);
    return passes_messages(w) ? htmt__pic_mpp_audit(w->nodes, fault)
                              : htmt__pic_program_audit(w->program, fault);
}

/* ---- check ---------------------------------------------------------------------------------- */

/* All particles of the end come to rank 0, once. */
static int gather_particles(struct work *w)
{
    struct htmt__pic_particles *p = &w->particles;
    struct htmt_fault *fault = htmt_task_fault(w->task);
    if (p->species)
        return 0;
    p->species = w->set.deck.species_count;
    for (uint32_t s = 0; s < p->species && is_rank_0(w); s++) {
        uint64_t count = htmt__pic_deck_count(&w->set.deck, s);
        if (!(p->of[s].at = malloc((count + 1) * sizeof *p->of[s].at)))
            return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for %" PRIu64 " particles",
                                  count);
    }
    return passes_messages(w) ? htmt__pic_mpp_particles(w->nodes, p, fault)
                              : htmt__pic_program_particles(w->program, p, fault);
}

/* So do the fields. */
static int gather_fields(struct work *w)
{
    struct htmt_fault *fault = htmt_task_fault(w->task);
    if (w->fields.at)
        return 0;
    int rc = is_rank_0(w) ? htmt__pic_fields_create(&w->fields, w->set.deck.n, fault) : 0;
    if (rc || !passes_messages(w))
        return rc ? rc : htmt__pic_program_fields(w->program, &w->fields, fault);
    htmt__pic_mpp_fields(w->nodes, &w->fields);
    return 0;
}

/* Whether the check reads the particles of the end where they lie. */
static bool lie_here(const struct work *w)
{
    return !is_part(w) && !passes_messages(w);
}

/* Fields of the end, and particles, in rank 0. */
static int gather_results(struct work *w)
{
    int rc = gather_fields(w);
    return rc || lie_here(w) ? rc : gather_particles(w);
}

/* Rank 0 has all particles and fields, and as many of the serial program, which has lists of its
 * particles; their comparison takes less. */
static double check_bytes(const struct work *w)
{
    return 2.5 * particle_bytes(w) +
           2 * HTMT__PIC_FIELDS * sizeof(double) * (double)htmt__pic_deck_cells(&w->set.deck);
}

static void note_serial(const struct work *w, const struct htmt__pic_clock *c)
{
    double pushed = (double)htmt__pic_deck_particles(&w->set.deck) * (double)w->set.deck.steps;
    double steps = c->deposit_s + c->solve_s + c->push_s + c->sort_s;
    char on[40] = "";
    if (threads_of(w) > 1)
        snprintf(on, sizeof on, " on up to %u threads", threads_of(w));
    htmt_task_note_at(
        w->task, 1,
        "the serial program took %.4g s (host clock) for its steps%s: %.3g million particles a "
        "second, of the push alone %.3g",
        steps, on, 1e-6 * pushed / steps, 1e-6 * pushed / c->push_s);
}

/* Run the serial program and compare. The parcels' particles lie in their bundles, or have been
 * brought here. */
static int check_serial(struct work *w, struct htmt__pic_record *record)
{
    struct htmt_fault *fault = htmt_task_fault(w->task);
    const struct htmt__pic_deck *deck = &w->set.deck;
    uint64_t seed = htmt_request_seed(htmt_task_request(w->task));
    struct htmt__pic_particles particles = {0};
    struct htmt__pic_fields fields = {0};
    struct htmt__pic_runs runs = {0};
    struct htmt__pic_clock c;
    struct htmt__pic_check check;
    if (lie_here(w))
        htmt__pic_program_release(w->program);
    int rc = htmt__pic_start_by_cell(deck, seed, threads_of(w), &particles, fault);
    if (!rc)
        rc = htmt__pic_fields_create(&fields, deck->n, fault);
    if (!rc)
        rc = htmt__pic_reference_on(threads_of(w), deck, &particles, record, &fields, &c, fault);
    if (!rc && !is_part(w)) /* now, when the serial program has no lists left */
        rc = gather_results(w);
    if (!rc)
        rc = lie_here(w) ? htmt__pic_program_runs(w->program, &runs, fault)
                         : htmt__pic_runs_of(&w->particles, &runs, fault);
    if (!rc) {
        note_serial(w, &c);
        struct htmt__pic_result serial = {&particles, record, &fields};
        struct htmt__pic_result parcels = {NULL, w->record, &w->fields};
        rc = htmt__pic_check_on(threads_of(w), deck, &serial, &parcels, &runs, &check, fault);
    }
    if (!rc)
        htmt_task_checked(w->task, check.name, check.value, check.tolerance, check.pass);
    free(runs.run);
    htmt__pic_particles_destroy(&particles);
    htmt__pic_fields_destroy(&fields);
    return rc;
}

static int check_run(struct htmt_task *task, void *work)
{
    struct work *w = work;
    struct htmt_fault *fault = htmt_task_fault(task);
    char left[HTMT_MEMORY_TEXT] = "";
    if (!w->set.check || is_spare(w))
        return 0;
    /* Whether all ranks have the memory, so that all find the same. One process has been asked
     * before the run. */
    bool holds = !is_part(w) || htmt_memory_holds(check_bytes(w), left);
    int rc = 0;
    if (is_part(w)) {
        const uint32_t slices = w->closed.plan.slices;
        bool *each = malloc(slices * sizeof *each);
        rc = each ? 0 : HTMT_ENOMEM;
        if (each)
            memset(each, holds, slices * sizeof *each);
        if (each)
            rc = htmt_slices_share(htmt_task_emulator(task), each, sizeof *each, sizeof *each);
        for (uint32_t i = 0; i < slices && !rc; i++)
            holds &= each[i];
        free(each);
    }
    if (rc)
        return htmt_fault_set(fault, rc, "the ranks' memory: %s", htmt_strerror(rc));
    if (!holds) {
        htmt_task_unchecked(task, "the serial program takes %.2f GiB in one process, %s",
                            check_bytes(w) / HTMT_GIB, *left ? left : "not all hosts have it");
        return 0;
    }
    if (is_part(w))
        rc = gather_results(w);
    if (rc || !is_rank_0(w))
        return rc;
    struct htmt__pic_record *record = calloc(w->set.deck.steps, sizeof *record);
    rc = record ? check_serial(w, record)
                : htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the records of the steps");
    free(record);
    return rc;
}

/* ---- output --------------------------------------------------------------------------------- */

static int write_series(const struct work *w)
{
    const struct htmt__pic_settings *s = &w->set;
    int rc = 0;
    if (s->out_records)
        rc = htmt__pic_write_records(s->out_records, &w->series, htmt_task_fault(w->task));
    if (!rc && s->plot_energies)
        rc = htmt__pic_plot_energies(s->plot_energies, &w->series, htmt_task_fault(w->task));
    return rc;
}

/* Of nodes that pass messages all is in this process. */
static int write_gathered(struct work *w)
{
    const struct htmt__pic_settings *s = &w->set;
    struct htmt_fault *fault = htmt_task_fault(w->task);
    int rc = s->out_fields ? gather_fields(w) : 0;
    if (!rc && s->out_fields)
        rc = htmt__pic_write_fields(s->out_fields, &w->fields, fault);
    if (!rc && (s->out_particles || s->plot_phase_space))
        rc = gather_particles(w);
    if (!rc && s->out_particles)
        rc = htmt__pic_write_particles(s->out_particles, &w->particles, fault);
    if (!rc && s->plot_phase_space)
        rc = htmt__pic_plot_phase_space(s->plot_phase_space, &s->deck, s->deck.steps, &w->particles,
                                        fault);
    return rc;
}

static int write_files(struct htmt_task *task, void *work)
{
    struct work *w = work;
    const struct htmt__pic_settings *s = &w->set;
    struct htmt_fault *fault = htmt_task_fault(task);
    int rc = write_series(w);
    if (!rc && passes_messages(w))
        return write_gathered(w);
    if (!rc && s->out_fields)
        rc = htmt__pic_stream_fields(w->program, s->out_fields, fault);
    if (!rc && s->out_particles)
        rc = htmt__pic_stream_particles(w->program, s->out_particles, fault);
    if (rc || !s->plot_phase_space)
        return rc;
    rc = is_spare(w) ? 0 : gather_particles(w);
    if (rc || !is_rank_0(w))
        return rc;
    return htmt__pic_plot_phase_space(s->plot_phase_space, &s->deck, s->deck.steps, &w->particles,
                                      fault);
}

/* Where a run ended early: the records up to there, in files that say so. Fields and particles are
 * of no one time. */
static int salvage(struct htmt_task *task, void *work)
{
    struct work *w = work;
    int rc = passes_messages(w) ? 0 : htmt__pic_program_share(w->program, htmt_task_fault(task));
    note_traffic(w);
    if (!rc)
        rc = collect_series(w);
    if (rc || !w->series.steps)
        return rc;
    htmt__pic_diagnostics(&w->series, task);
    rc = write_series(w);
    if (rc)
        htmt_task_note_at(task, 3, "the records are lost: %.150s", htmt_task_fault(task)->text);
    else
        htmt_task_note_at(
            task, 3, "%" PRIu64 " of %" PRIu64 " steps ended%s", w->series.steps, w->set.deck.steps,
            w->set.out_records || w->set.plot_energies ? "; their records are kept" : "");
    return rc;
}

/* ---- all ------------------------------------------------------------------------------------ */

static void destroy(struct htmt_task *task, void *work)
{
    struct work *w = work;
    (void)task;
    (void)htmt__pic_snapshots_destroy(&w->snapshots, NULL);
    htmt__pic_program_destroy(&w->program);
    htmt__pic_mpp_destroy(&w->nodes);
    htmt__pic_particles_destroy(&w->particles);
    htmt__pic_fields_destroy(&w->fields);
    free(w->record);
}

static const struct htmt_app_size sizes[] = {
    {"cells", "%,%,%", "cells a side of the box", 8, 1 << 13, 4},
    {"parcels", "%", "push parcels a slice", 1, UINT64_C(1) << 40, 1},
    {NULL, NULL, NULL, 0, 0, 0},
};

const struct htmt_app htmt_app = {
    HTMT_APP_BEGIN,
    .name = "pic",
    .summary = "simulation of a plasma by particles in cells",
    .options = htmt__pic_options,
    .work_bytes = sizeof(struct work),
    .plan = plan,
    .tell = tell,
    .describe = describe,
    .prepare = prepare,
    .create = create,
    .explain = explain,
    .salvage = salvage,
    .collect = collect,
    .check = check_run,
    .write = write_files,
    .destroy = destroy,
    .folds = true,
    .ranks = true,
    .reads_costs = true,
    .paper_figures = htmt__pic_paper_figures,
    .sizes = sizes,
    .outputs = (const char *const[]){"out-records", "out-fields", "out-particles", "plot-energies",
                                     "plot-phase-space", NULL},
    .slices = htmt__pic_slices,
    .slices_why = HTMT__PIC_SLICES_WHY,
};
