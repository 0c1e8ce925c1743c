/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files of a plasma run, read back.
 */
#include "apps/formats/npy.h"
#include "apps/lib/task_parts.h"
#include "apps/pic/diagnostics.h"
#include "apps/pic/io/output.h"
#include "apps/pic/reference.h"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEPS   30
#define COLUMNS 11

struct run {
    struct place at;
    char path[100];
    struct htmt__pic_deck deck;
    struct htmt__pic_particles particles;
    struct htmt__pic_record record[STEPS];
    struct htmt__pic_series series;
    struct htmt__pic_fields fields;
};

static struct run r;
static struct htmt_fault fault;

static void run(const char *deck)
{
    r.at = place("");
    cr_assert_eq(htmt__pic_deck_read(deck, &r.deck, &fault), 0, "%s", fault.text);
    r.deck.steps = STEPS;
    r.deck.n[1] = 3;
    r.series = (struct htmt__pic_series){&r.deck, r.record, STEPS};
    cr_assert_eq(htmt__pic_fields_create(&r.fields, r.deck.n, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__pic_start(&r.deck, 1, &r.particles, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__pic_reference(&r.deck, &r.particles, r.record, &r.fields, NULL, &fault), 0);
}

static const char *file(const char *name)
{
    snprintf(r.path, sizeof r.path, "%s/%s", r.at.folder, name);
    return r.path;
}

static void done(void)
{
    unlink(r.path);
    cr_expect_eq(rmdir(r.at.folder), 0, "something was left in %s", r.at.folder);
    htmt__pic_particles_destroy(&r.particles);
    htmt__pic_fields_destroy(&r.fields);
}

TestSuite(output, .fini = done);

/* The columns of docs/pic.md. */
static void expect_row(uint64_t n, const double *row)
{
    const struct htmt__pic_record *s = &r.record[n];
    const double expected[COLUMNS] = {(double)n * r.deck.dt,
                                      s->field,
                                      s->kinetic,
                                      s->field + s->kinetic,
                                      s->momentum[0],
                                      s->momentum[1],
                                      s->momentum[2],
                                      s->charge,
                                      s->wave[0],
                                      s->wave[1],
                                      s->particles};
    for (int i = 0; i < COLUMNS; i++)
        cr_expect_eq(row[i], expected[i], "step %zu column %d: %.17g is not %.17g", n, i, row[i],
                     expected[i]);
}

/* A run that ended early says so behind the rows, in a line that numpy.loadtxt() and others skip.
 */
Test(output, csv_has_a_line_of_each_step_to_the_last_bit)
{
    char line[400];
    run("two-stream");
    for (int early = 0; early < 2; early++) {
        r.series.steps = early ? 7 : STEPS;
        cr_assert_eq(htmt__pic_write_records(file("run.csv"), &r.series, &fault), 0, "%s",
                     fault.text);
        FILE *in = fopen(r.path, "r");
        cr_assert(in && fgets(line, sizeof line, in));
        cr_expect_str_eq(line,
                         "t,field,kinetic,total,px,py,pz,charge,wave_cos,wave_sin,particles\n");
        for (uint64_t n = 0; n < r.series.steps; n++) {
            double row[COLUMNS];
            cr_assert(fgets(line, sizeof line, in));
            char *at = line;
            for (int i = 0; i < COLUMNS; i++)
                row[i] = strtod(at + (i > 0), &at);
            expect_row(n, row);
        }
        if (r.series.steps < STEPS) {
            cr_assert(fgets(line, sizeof line, in));
            cr_expect_str_eq(line, "# incomplete: 7 of 30 steps\n");
        }
        cr_expect(!fgets(line, sizeof line, in));
        fclose(in);
    }
}

static double *read_back(const char *path, unsigned rank, struct htmt__npy_shape *shape)
{
    void *at = NULL;
    cr_assert_eq(htmt__npy_read(path, 1u << HTMT__NPY_F8, rank, shape, &at, &fault), 0, "%s",
                 fault.text);
    return at;
}

Test(output, npy_records_are_steps_by_columns_fewer_of_a_run_that_ended_early)
{
    run("thermal");
    for (int early = 0; early < 2; early++) {
        r.series.steps = early ? 7 : STEPS;
        struct htmt__npy_shape shape;
        cr_assert_eq(htmt__pic_write_records(file("run.npy"), &r.series, &fault), 0);
        double *row = read_back(r.path, 2, &shape);
        cr_assert(shape.size[0] == r.series.steps && shape.size[1] == COLUMNS);
        for (uint64_t n = 0; n < r.series.steps; n++)
            expect_row(n, row + n * COLUMNS);
        free(row);
    }
}

Test(output, npy_fields_are_z_y_x_of_charge_and_field)
{
    struct htmt__npy_shape shape;
    run("thermal");
    cr_assert_eq(htmt__pic_write_fields(file("fields.npy"), &r.fields, &fault), 0);
    double *at = read_back(r.path, 4, &shape);
    cr_assert(shape.size[0] == 4 && shape.size[1] == 16 && shape.size[2] == 3 &&
              shape.size[3] == 16);
    cr_expect_eq(memcmp(at, r.fields.at, 4 * 16 * 3 * 16 * sizeof *at), 0);
    free(at);
}

Test(output, npy_particles_have_their_species)
{
    struct htmt__npy_shape shape;
    run("two-stream");
    cr_assert_eq(htmt__pic_write_particles(file("particles.npy"), &r.particles, &fault), 0);
    double *at = read_back(r.path, 2, &shape);
    uint64_t half = r.particles.of[0].count;
    cr_assert(shape.size[0] == 2 * half && shape.size[1] == 7);
    cr_expect(at[0] == 0 && at[7 * half] == 1);
    cr_expect_eq(memcmp(at + 7 * half + 1, r.particles.of[1].at, 6 * sizeof *at), 0);
    free(at);
}

Test(output, pictures_are_png_and_the_same_for_the_same_run)
{
    run("two-stream");
    for (int phase = 0; phase < 2; phase++) {
        char *picture[2];
        size_t count[2];
        for (int i = 0; i < 2; i++) {
            const char *path = file(phase ? "phase.png" : "energy.png");
            int rc = phase ? htmt__pic_plot_phase_space(path, &r.deck, STEPS, &r.particles, &fault)
                           : htmt__pic_plot_energies(path, &r.series, &fault);
            cr_assert_eq(rc, 0, "%s", fault.text);
            picture[i] = file_content(path, &count[i]);
            unlink(path);
        }
        cr_expect(count[0] > 5000 && count[0] == count[1]);
        cr_expect_eq(memcmp(picture[0], "\x89PNG", 4), 0);
        cr_expect_eq(memcmp(picture[0], picture[1], count[0]), 0);
        free(picture[0]);
        free(picture[1]);
    }
}

Test(output, the_title_of_a_picture_tells_of_a_run_that_ended_early)
{
    static const uint64_t steps[] = {1, 7, STEPS};
    run("langmuir");
    for (int i = 0; i < 3; i++) {
        char *picture[2];
        size_t count[2];
        r.series.steps = steps[i];
        for (int early = 0; early < 2; early++) {
            r.deck.steps = steps[i] + (uint64_t)early;
            const char *path = file("energy.png");
            cr_assert_eq(htmt__pic_plot_energies(path, &r.series, &fault), 0, "%s", fault.text);
            picture[early] = file_content(path, &count[early]);
            unlink(path);
        }
        cr_expect(count[0] != count[1] || memcmp(picture[0], picture[1], count[0]));
        free(picture[0]);
        free(picture[1]);
    }
}

Test(output, energies_without_a_field_are_plotted)
{
    run("langmuir");
    for (int n = 0; n < STEPS; n++)
        r.record[n].field = 0;
    cr_expect_eq(htmt__pic_plot_energies(file("energy.png"), &r.series, &fault), 0, "%s",
                 fault.text);
    r.deck.species[0].amplitude = 0;
    cr_expect_eq(htmt__pic_plot_energies(r.path, &r.series, &fault), 0, "%s", fault.text);
}

static double found(const struct htmt_outcome *o, const char *name)
{
    for (unsigned i = 0; i < o->found_count; i++)
        if (!strcmp(o->found[i].name, name))
            return o->found[i].value;
    cr_assert_fail("no figure %s", name);
    return 0;
}

Test(output, diagnostics_tell_how_far_a_run_strayed)
{
    struct htmt_outcome o = {0};
    struct htmt_task task = {.out = &o, .warnings = &o.warnings};
    run("two-stream");
    r.record[3].momentum[1] = r.record[0].momentum[1] + 5;
    r.record[4].charge = -1e-3;
    r.record[5].kinetic *= 0.9;
    htmt__pic_diagnostics(&r.series, &task);
    double cells = 32 * 3 * 4, speed = r.deck.species[0].drift[0],
           energy = cells * speed * speed / 2;
    cr_expect_float_eq(found(&o, "energy_swing"), 0.1, 1e-6);
    cr_expect_float_eq(found(&o, "momentum_drift"), 5 / sqrt(2 * cells * energy), 1e-6);
    cr_expect_float_eq(found(&o, "charge_worst"), 1e-3 / cells, 1e-12);
    cr_expect_float_eq(found(&o, "theory_gamma"), 0.352, 1e-3);
    cr_expect_eq(found(&o, "field_energy"), r.record[STEPS - 1].field);
    cr_expect_eq(found(&o, "steps"), STEPS);
    file("nothing");
}

Test(output, is_whole_or_not_there)
{
    run("thermal");
    cr_expect_neq(htmt__pic_write_records("/dev/full", &r.series, &fault), 0);
    fault = (struct htmt_fault){0};
    cr_expect_eq(htmt__pic_write_fields(file("nowhere/f.npy"), &r.fields, &fault), HTMT_ENOENT);
}
