/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parcel program on a machine: its image, its steering, its repeatability.
 */
#include "apps/volume/program.h"
#include "apps/volume/reference.h"
#include "tests/ranks/threads.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define OK(call)                                                                                   \
    do {                                                                                           \
        struct htmt_fault fault = {0};                                                             \
        cr_assert_eq((call), 0, "%s", fault.text);                                                 \
    } while (0)

struct job {
    const char *machine, *dram; /* dram: its capacity; else the machine's */
    uint32_t slices, threads, edge, side, frames, lanes;
    bool double_buffer, rays_in_dram, model, shaded, checked;
    bool solid; /* a ball otherwise */
    uint64_t delays;
    double density; /* opacity of the brightest */
    double limit;   /* of T */
    uint32_t clock_threads;
    const struct htmt_ranks *ranks;
};

struct outcome {
    htmt_time predicted;
    uint64_t history;
    struct htmt__volume_tally tally;
    struct htmt__volume_plan plan;
    float *image, *serial;
    size_t floats;
    struct htmt__volume_cast_counts counts; /* of the serial image */
};

static const struct htmt__volume_view oblique = {
    true, {90, 80, 60}, {19, 17, 18}, {0, 0, 1}, 30, 0, 72, 60};

static void fill(struct htmt__volume *v, bool solid)
{
    uint8_t *at = v->at;
    for (uint32_t z = 0; z < v->dims[2]; z++)
        for (uint32_t y = 0; y < v->dims[1]; y++)
            for (uint32_t x = 0; x < v->dims[0]; x++, at++) {
                int dx = (int)x - 19, dy = (int)y - 17, dz = (int)z - 18;
                int r = dx * dx + dy * dy + dz * dz;
                *at = (uint8_t)(solid || r < 15 * 15 ? 60 + (x * 7 + y * 3 + z * 5) % 64 : 0);
            }
}

static void emulate(const struct job *j, const struct htmt_machine *m,
                    const struct htmt__volume_work *work, struct outcome *out)
{
    struct htmt_options options = {.machine = m,
                                   .mode = j->model ? HTMT_MODEL : HTMT_RUN,
                                   .threads = j->threads,
                                   .checked = j->checked,
                                   .delay_seed = j->delays,
                                   .clock_threads = j->clock_threads,
                                   .ranks = j->ranks};
    struct htmt_emulator *e = NULL;
    struct htmt__volume_program *program = NULL;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt_emulator_create(&e, &options, NULL), 0);
    cr_assert_eq(htmt__volume_program_create(e, work, &program, &fault), 0, "%s", fault.text);
    int rc = htmt_emulator_run(e);
    if (rc == HTMT_EDEADLOCK)
        htmt_deadlock_print(e, stderr);
    cr_assert_eq(rc, 0, "%s", htmt_emulator_fault(e)->text);
    cr_assert_eq(htmt_audit(e, &fault), 0, "%s", fault.text);
    out->predicted = htmt_predicted(e);
    out->history = htmt_history_hash(e);
    cr_assert_eq(htmt__volume_program_tally(program, &out->tally), 0);
    cr_assert(j->model || !htmt__volume_program_image(program));
    htmt_emulator_destroy(&e);
    htmt__volume_program_destroy(&program);
}

static const uint32_t dims[3] = {38, 35, 37};

static struct htmt_machine *machine_of(const struct job *j)
{
    char slices[40], dram[80];
    struct htmt_machine *m = NULL;
    snprintf(slices, sizeof slices, "slices=%u", j->slices);
    snprintf(dram, sizeof dram, "layers.dram.memory.capacity=%s", j->dram ? j->dram : "");
    OK(htmt_machine_load(j->machine, (const char *[]){slices, dram}, j->dram ? 2 : 1, &m, &fault));
    return m;
}

static void look(const struct job *j, const struct htmt__volume *v, double step,
                 struct htmt__volume_transfer_table *table)
{
    char text[200];
    struct htmt__volume_transfer transfer;
    snprintf(text, sizeof text, "opacity: [[0, 0], [40, 0], [130, %g]]\n", j->density);
    OK(htmt__volume_transfer_parse("test", text, strlen(text), &transfer, &fault));
    OK(htmt__volume_transfer_table_create(&transfer, v, &(struct htmt__volume_window){0}, step,
                                          HTMT__TRANSFER_TABLE_BYTES, table, &fault));
    htmt__volume_transfer_destroy(&transfer);
}

static struct outcome render(const struct job *j)
{
    struct htmt__volume v;
    struct htmt__volume_transfer_table table;
    struct htmt__volume_camera *camera = calloc(j->frames, sizeof *camera);
    struct htmt__volume_casting casting = {.step = 0.5,
                                           .spacing = {1, 1, 1},
                                           .limit = j->limit,
                                           .shading = {j->shaded, 0.3f, 0.6f, 0.2f, 3}};
    struct htmt_machine *m = machine_of(j);
    struct outcome out = {.floats = (size_t)j->frames * oblique.width * oblique.height};
    for (uint32_t i = 0; i < j->frames; i++) {
        struct htmt__volume_view view;
        htmt__volume_view_orbit(&oblique, i, j->frames, &view);
        OK(htmt__volume_camera_create(&view, &camera[i], &fault));
    }
    OK(htmt__volume_create(&v, dims, HTMT__UINT8, &fault));
    fill(&v, j->solid);
    look(j, &v, casting.step, &table);
    struct htmt__volume_problem problem = {.dims = {dims[0], dims[1], dims[2]},
                                           .width = oblique.width,
                                           .height = oblique.height,
                                           .frames = j->frames,
                                           .edge = j->edge,
                                           .side = j->side,
                                           .lanes = j->lanes,
                                           .voxel = 1,
                                           .channels = 1,
                                           .table_rows = table.last + 1,
                                           .shaded = j->shaded,
                                           .double_buffer = j->double_buffer,
                                           .rays_in_dram = j->rays_in_dram};
    const struct htmt__volume_charges own = {0};
    OK(htmt__volume_plan(m, &problem, &own, &out.plan, &fault));
    struct htmt__volume_work work = {.plan = &out.plan,
                                     .table = &table,
                                     .casting = &casting,
                                     .camera = camera,
                                     .type = HTMT__UINT8,
                                     .alpha = {0, 1}};
    if (!j->model) {
        work.stored = htmt__volume_shares_create(&out.plan, NULL);
        work.invisible = calloc(out.plan.subcubes.all, 1);
        work.image = out.image = calloc(out.floats, sizeof(float));
        out.serial = calloc(out.floats, sizeof(float));
        htmt__volume_store(&out.plan, &v, &table, work.stored, work.invisible);
        for (uint32_t i = 0; i < j->frames; i++)
            OK(htmt__volume_reference_image(&v, &table, &camera[i], &casting, false,
                                            out.serial + i * out.floats / j->frames, &out.counts,
                                            &fault));
    }
    emulate(j, m, &work, &out);
    free(work.stored);
    free(work.invisible);
    free(camera);
    htmt__volume_transfer_table_destroy(&table);
    htmt__volume_destroy(&v);
    htmt_machine_destroy(&m);
    return out;
}

static void release(struct outcome *o)
{
    free(o->image);
    free(o->serial);
}

static const struct job plain = {.machine = "htmt-oct98",
                                 .slices = 1,
                                 .threads = 1,
                                 .edge = 14,
                                 .side = 24,
                                 .frames = 1,
                                 .density = 0.2,
                                 .limit = 0.01};

static void meets_the_serial_image(const struct job *j)
{
    struct outcome o = render(j);
    cr_expect_arr_eq(o.image, o.serial, o.floats * sizeof(float),
                     "edge %u, side %u, %u slices: the images differ", j->edge, j->side, j->slices);
    cr_expect_leq(o.tally.dispatched, o.tally.visits);
    cr_expect_leq(o.tally.taken + o.tally.skipped + o.tally.saved, o.tally.samples);
    release(&o);
}

Test(program, the_image_is_the_serial_one_whatever_the_subcubes)
{
    const uint32_t edges[] = {5, 9, 14, 40}, sides[] = {8, 20, 72};
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 3; k++) {
            struct job j = plain;
            j.edge = edges[i];
            j.side = sides[k];
            meets_the_serial_image(&j);
        }
}

Test(program, the_image_is_the_serial_one_on_any_number_of_slices)
{
    for (uint32_t slices = 2; slices <= 9; slices += 3) {
        struct job j = plain;
        j.slices = slices;
        j.threads = 2;
        meets_the_serial_image(&j);
        j.rays_in_dram = j.shaded = j.double_buffer = true;
        meets_the_serial_image(&j);
    }
}

/* ---- steering ------------------------------------------------------------------------------- */

Test(program, a_dense_volume_needs_fewer_subcubes_and_less_time)
{
    struct job dense = plain, through = plain;
    dense.density = through.density = 0.95;
    dense.solid = through.solid = true;
    through.limit = -1;
    struct outcome d = render(&dense), t = render(&through);
    cr_expect_eq(t.tally.ended, 0);
    cr_expect_eq(t.tally.dispatched, t.tally.visits);
    cr_expect_eq(d.tally.visits, t.tally.visits);
    cr_expect_gt(d.tally.ended, d.tally.inside / 2);
    cr_expect_lt(10 * d.tally.dispatched, 8 * t.tally.dispatched);
    cr_expect_lt(10 * d.predicted, 9 * t.predicted);
    release(&d);
    release(&t);
}

/* The reference takes the samples of the whole volume one by one. */
Test(program, what_is_taken_skipped_and_saved_are_the_samples_of_all_rays)
{
    struct job j = plain;
    struct outcome o = render(&j);
    cr_expect_eq(o.tally.inside, o.counts.inside);
    cr_expect_eq(o.tally.ended, o.counts.ended);
    cr_expect_eq(o.tally.saved, o.counts.saved);
    cr_expect_eq(o.tally.samples, o.counts.taken + o.counts.saved);
    cr_expect_leq(o.tally.taken, o.counts.taken);
    cr_expect_eq(o.tally.bundles, o.plan.bundles);
    release(&o);
}

/* ---- repeatability -------------------------------------------------------------------------- */

Test(program, neither_threads_nor_delays_change_image_or_history)
{
    struct job j = plain;
    j.slices = 3;
    j.frames = 2;
    j.double_buffer = true;
    struct outcome once = render(&j);
    for (uint32_t threads = 1; threads <= 4; threads++) {
        j.threads = threads;
        j.delays = threads - 1;
        struct outcome again = render(&j);
        cr_expect_eq(again.predicted, once.predicted);
        cr_expect_eq(again.history, once.history);
        cr_expect_arr_eq(again.image, once.image, once.floats * sizeof(float));
        release(&again);
    }
    cr_expect_arr_eq(once.image, once.serial, once.floats * sizeof(float));
    release(&once);
}

Test(program, kernels_touch_what_they_declare)
{
    struct job j = plain;
    j.slices = 2;
    j.checked = true;
    meets_the_serial_image(&j);
    j.rays_in_dram = true;
    meets_the_serial_image(&j);
}

/* ---- models --------------------------------------------------------------------------------- */

/* Where nothing is invisible, no ray ends and alpha is not assumed, a model run knows all. */
Test(program, a_model_run_moves_the_words_and_takes_the_time_of_a_run_that_steers_nothing)
{
    for (uint32_t slices = 1; slices <= 3; slices += 2)
        for (int dram = 0; dram < 2; dram++) {
            struct job j = plain;
            j.slices = slices;
            j.rays_in_dram = dram;
            j.solid = true;
            j.limit = -1;
            struct outcome run = render(&j);
            j.model = true;
            struct outcome model = render(&j);
            cr_expect_eq(model.predicted, run.predicted);
            cr_expect_eq(model.history, run.history);
            cr_expect_eq(model.tally.dispatched, run.tally.dispatched);
            release(&run);
            release(&model);
        }
}

/* What is staged of six bundles takes 318,745 words with voxels and image; 3,255 are left, for four
 * who go through 810 subcubes, while six visit lists wait for eight strips each. */
Test(program, visit_lists_that_wait_for_dram_keep_none_from_their_strips)
{
    struct job j = plain;
    j.edge = 5;
    j.lanes = 6;
    struct outcome ample = render(&j);
    j.dram = "322000 words";
    meets_the_serial_image(&j);
    struct outcome tight = render(&j);
    cr_expect_arr_eq(tight.image, ample.image, ample.floats * sizeof(float));
    cr_expect_gt(tight.predicted, ample.predicted);
    release(&ample);
    release(&tight);
}

/* Figures of parallelism: with several bundles at once the SPELL has work while others retire. */
Test(program, more_lanes_take_less_time)
{
    struct job j = plain;
    j.model = true;
    j.lanes = 1;
    struct outcome one = render(&j);
    j.lanes = 4;
    struct outcome four = render(&j);
    cr_expect_lt(2 * four.predicted, one.predicted);
}

/* ---- ranks ----------------------------------------------------------------------------------- */

#define RANKS_MOST 4u

struct party {
    struct job job;
    struct outcome of[RANKS_MOST];
};

static int play_rank(const struct htmt_ranks *rank, void *user)
{
    struct party *p = user;
    struct job j = p->job;
    j.ranks = rank;
    p->of[rank->rank] = render(&j);
    return 0;
}

/* Rank 0 gathers, bit for bit; every rank knows what all have counted. */
Test(program, ranks_end_with_the_image_of_one_process)
{
    struct party p = {.job = plain};
    p.job.slices = 5;
    p.job.frames = 2;
    struct outcome one = render(&p.job);
    for (uint32_t count = 2; count <= RANKS_MOST; count++) {
        int rc[RANKS_MOST];
        p.job.clock_threads = 1 + count % 2;
        p.job.threads = 2;
        cr_assert_eq(ranks_threads_play(count, play_rank, &p, rc), 0);
        cr_expect_arr_eq(p.of[0].image, one.image, one.floats * sizeof(float));
        for (uint32_t i = 0; i < count; i++) {
            cr_expect_eq(rc[i], 0);
            cr_expect_eq(p.of[i].history, one.history);
            cr_expect_eq(p.of[i].predicted, one.predicted);
            cr_expect_arr_eq(&p.of[i].tally, &one.tally, sizeof one.tally);
            release(&p.of[i]);
        }
    }
    release(&one);
}
