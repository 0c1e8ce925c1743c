/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * The parcel programs of docs/api.md compute what a plain loop computes, take the same virtual time
 * whatever the host does, and stand in that page as they are here.
 */
#include "tests/files/place.h"
#include "tests/sketches/sketch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct outcome {
    htmt_time predicted;
    uint64_t hash, parcels, events;
};

/* One run of a problem on small-htmt (four slices); every run's accounts must balance. */
static struct outcome emulate(int (*program)(struct htmt_emulator *e, void *problem), void *problem,
                              struct htmt_options options)
{
    struct htmt_fault fault = {0};
    struct htmt_machine *machine = NULL;
    struct htmt_emulator *e = NULL;
    cr_assert_eq(htmt_machine_load("small-htmt", NULL, 0, &machine, &fault), 0, "%s", fault.text);
    options.machine = machine;
    cr_assert_eq(htmt_emulator_create(&e, &options, NULL), 0);
    int rc = program(e, problem);
    if (rc == HTMT_EDEADLOCK)
        htmt_deadlock_print(e, stderr);
    cr_assert_eq(rc, 0, "%s: %s", htmt_err_name(rc), htmt_emulator_fault(e)->text);
    cr_assert_eq(htmt_audit(e, &fault), 0, "%s", fault.text);
    struct outcome o = {htmt_predicted(e), htmt_history_hash(e), htmt_parcel_count(e),
                        htmt_event_count(e)};
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&machine);
    return o;
}

static void same_history(struct outcome a, struct outcome b)
{
    cr_assert_eq(a.predicted, b.predicted);
    cr_assert_eq(a.hash, b.hash);
    cr_assert_eq(a.events, b.events);
}

/* A small generator of the test's own: the same numbers every time. */
static uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* ---- Cannon --------------------------------------------------------------------------------- */

struct matrices {
    struct cannon_problem problem;
    uint32_t edge;
};

static int cannon(struct htmt_emulator *e, void *problem)
{
    return cannon_sketch(e, problem);
}

static struct matrices integers(uint32_t t, uint32_t b)
{
    struct matrices m = {{.s = 2, .t = t, .b = b}, 2 * t * b};
    size_t words = (size_t)m.edge * m.edge;
    uint32_t state = 7;
    m.problem.a = calloc(words, sizeof(double));
    m.problem.bm = calloc(words, sizeof(double));
    m.problem.c = calloc(words, sizeof(double));
    cr_assert(m.problem.a && m.problem.bm && m.problem.c);
    for (size_t i = 0; i < words; i++) {
        m.problem.a[i] = (double)(draw(&state) % 17) - 8;
        m.problem.bm[i] = (double)(draw(&state) % 17) - 8;
    }
    return m;
}

static void release(struct matrices *m)
{
    free(m->problem.a);
    free(m->problem.bm);
    free(m->problem.c);
}

/* Small integers: every order of summation gives the same bits. */
static void expect_product(const struct matrices *m)
{
    for (uint32_t i = 0; i < m->edge; i++)
        for (uint32_t j = 0; j < m->edge; j++) {
            double sum = 0;
            for (uint32_t k = 0; k < m->edge; k++)
                sum += m->problem.a[i * m->edge + k] * m->problem.bm[k * m->edge + j];
            cr_assert_eq(m->problem.c[i * m->edge + j], sum, "c[%u][%u]", i, j);
        }
}

Test(cannon, product_is_bit_equal_to_the_plain_loop)
{
    for (uint32_t t = 2; t <= 4; t += 2) {
        struct matrices m = integers(t, 3);
        emulate(cannon, &m.problem, (struct htmt_options){0});
        expect_product(&m);
        release(&m);
    }
}

Test(cannon, model_run_has_the_history_of_the_real_one)
{
    struct matrices m = integers(2, 4);
    struct outcome run = emulate(cannon, &m.problem, (struct htmt_options){0});
    struct outcome model = emulate(cannon, &m.problem, (struct htmt_options){.mode = HTMT_MODEL});
    same_history(run, model);
    release(&m);
}

Test(cannon, history_does_not_depend_on_host_threads_or_delays)
{
    struct matrices m = integers(2, 4);
    struct outcome one = emulate(cannon, &m.problem, (struct htmt_options){.threads = 1});
    for (uint32_t threads = 2; threads <= 3; threads++) {
        memset(m.problem.c, 0, sizeof(double) * m.edge * m.edge);
        same_history(one,
                     emulate(cannon, &m.problem,
                             (struct htmt_options){.threads = threads, .delay_seed = threads}));
        expect_product(&m);
    }
    release(&m);
}

/* ---- SAR ------------------------------------------------------------------------------------ */

enum { LINES = 12, SAMPLES = 20, PATCHES = 4, POINTS = LINES * SAMPLES };

struct radar {
    struct sar_problem problem;
    uint8_t raw[PATCHES * POINTS * 2], picture[PATCHES * POINTS];
    double complex image[PATCHES * POINTS];
};

static int sar(struct htmt_emulator *e, void *problem)
{
    return sar_sketch(e, problem);
}

static uint32_t target_line(uint32_t patch)
{
    return 2 + patch;
}

static uint32_t target_sample(uint32_t patch)
{
    return 3 + 2 * patch;
}

/* A point target in every patch: a chirp from its sample on, another one from its line on. */
static struct radar *point_targets(void)
{
    struct radar *r = calloc(1, sizeof *r);
    cr_assert(r);
    r->problem = (struct sar_problem){LINES, SAMPLES, 32, 0.03, 0.04, r->raw, r->image, r->picture};
    for (uint32_t i = 0; i < PATCHES * POINTS; i++) {
        uint32_t patch = i / POINTS, line = i % POINTS / SAMPLES, sample = i % SAMPLES;
        double n = sample - (double)target_sample(patch), l = line - (double)target_line(patch);
        double complex echo = n < 0 || l < 0 ? 0 : cexp(I * M_PI * (0.03 * n * n + 0.04 * l * l));
        r->raw[2 * i] = (uint8_t)(128 + lround(100 * creal(echo)));
        r->raw[2 * i + 1] = (uint8_t)(128 + lround(100 * cimag(echo)));
    }
    return r;
}

/* The value of one pixel straight from the raw bytes, by one sum over everything it sees. */
static double complex pixel(const struct radar *r, uint32_t patch, uint32_t line, uint32_t sample)
{
    double complex sum = 0;
    uint32_t first = sample ? sample - 1 : 0, last = sample + 1 < SAMPLES ? sample + 1 : sample;
    for (uint32_t l = line; l < LINES; l++)
        for (uint32_t s = first; s <= last; s++)
            for (uint32_t n = s; n < SAMPLES; n++) {
                const uint8_t *raw = r->raw + 2 * (patch * POINTS + l * SAMPLES + n);
                double dn = n - s, dl = l - line;
                sum += CMPLX(raw[0] - 128, raw[1] - 128) *
                       cexp(-I * M_PI * (0.03 * dn * dn + 0.04 * dl * dl));
            }
    return sum / (last - first + 1);
}

Test(sar, image_equals_the_definition_and_peaks_at_the_target)
{
    struct radar *r = point_targets();
    emulate(sar, &r->problem, (struct htmt_options){0});
    for (uint32_t patch = 0; patch < PATCHES; patch++) {
        uint32_t peak = 0;
        for (uint32_t i = 0; i < POINTS; i++) {
            double complex found = r->image[patch * POINTS + i];
            double complex wanted = pixel(r, patch, i / SAMPLES, i % SAMPLES);
            cr_assert_lt(cabs(found - wanted), 1e-8, "patch %u pixel %u: %g %g, not %g %g", patch,
                         i, creal(found), cimag(found), creal(wanted), cimag(wanted));
            cr_assert_leq(fabs(r->picture[patch * POINTS + i] - fmin(255, cabs(wanted) / LINES)),
                          1);
            if (cabs(found) > cabs(r->image[patch * POINTS + peak]))
                peak = i;
        }
        cr_assert_eq(peak / SAMPLES, target_line(patch));
        cr_assert_leq(abs((int)(peak % SAMPLES) - (int)target_sample(patch)), 1);
    }
    free(r);
}

Test(sar, history_does_not_depend_on_host_threads_or_delays)
{
    struct radar *r = point_targets();
    struct outcome one = emulate(sar, &r->problem, (struct htmt_options){.threads = 1});
    same_history(one,
                 emulate(sar, &r->problem, (struct htmt_options){.threads = 3, .delay_seed = 5}));
    free(r);
}

/* ---- PIC ------------------------------------------------------------------------------------ */

enum { NX = 8, NY = 16, PARTICLES = 60, STEPS = 5 };

struct plasma {
    struct pic_problem problem;
    struct pic_particle particle[PARTICLES];
};

static int pic(struct htmt_emulator *e, void *problem)
{
    return pic_sketch(e, problem);
}

static void scatter_particles(struct plasma *p)
{
    uint32_t state = 3;
    p->problem = (struct pic_problem){NX, NY, STEPS, 0.5, PARTICLES, p->particle, 0};
    for (uint64_t i = 0; i < PARTICLES; i++) {
        double u[4];
        for (int n = 0; n < 4; n++)
            u[n] = draw(&state) % 4096 / 4096.0;
        p->particle[i] = (struct pic_particle){u[0] * NX, u[1] * NY, 2 * u[2] - 1, 4 * u[3] - 2, i};
    }
}

/* (1 2 1) / 4 along n periodic values. */
static void smooth_line(double *line, uint32_t n, uint32_t stride)
{
    double old[NX + NY];
    for (uint32_t i = 0; i < n; i++)
        old[i] = line[i * stride];
    for (uint32_t i = 0; i < n; i++)
        line[i * stride] = (old[(i + n - 1) % n] + 2 * old[i] + old[(i + 1) % n]) / 4;
}

static double plain_step(struct pic_particle *particle)
{
    double field[NY][NX] = {{0}}, energy = 0;
    for (uint32_t i = 0; i < PARTICLES; i++) {
        uint32_t x = (uint32_t)particle[i].x, y = (uint32_t)particle[i].y;
        field[y][x] += 1 - (particle[i].y - y);
        field[(y + 1) % NY][x] += particle[i].y - y;
    }
    for (uint32_t y = 0; y < NY; y++)
        smooth_line(field[y], NX, 1);
    for (uint32_t x = 0; x < NX; x++)
        smooth_line(&field[0][x], NY, NX);
    for (uint32_t i = 0; i < PARTICLES; i++) {
        struct pic_particle *q = &particle[i];
        uint32_t x = (uint32_t)q->x, y = (uint32_t)q->y;
        q->vy += 0.5 * (field[(y + 1) % NY][x] - field[y][x]);
        q->x = fmod(q->x + 0.5 * q->vx + NX, NX);
        q->y = fmod(q->y + 0.5 * q->vy + NY, NY);
        energy += (q->vx * q->vx + q->vy * q->vy) / 2;
    }
    return energy;
}

Test(pic, every_particle_ends_where_the_plain_loop_takes_it)
{
    struct plasma *p = calloc(1, sizeof *p), *plain = calloc(1, sizeof *plain);
    bool seen[PARTICLES] = {false};
    double energy = 0;
    cr_assert(p && plain);
    scatter_particles(p);
    scatter_particles(plain);
    emulate(pic, &p->problem, (struct htmt_options){0});
    for (int step = 0; step < STEPS; step++)
        energy = plain_step(plain->particle);
    cr_assert_eq(p->problem.count, PARTICLES);
    for (uint32_t i = 0; i < PARTICLES; i++) {
        const struct pic_particle *q = &p->particle[i];
        cr_assert_lt(q->id, PARTICLES);
        cr_assert_not(seen[q->id], "particle %u twice", (unsigned)q->id);
        seen[q->id] = true;
        cr_assert_float_eq(q->x, plain->particle[q->id].x, 1e-10);
        cr_assert_float_eq(q->y, plain->particle[q->id].y, 1e-10);
        cr_assert_float_eq(q->vy, plain->particle[q->id].vy, 1e-10);
    }
    cr_assert_float_eq(p->problem.energy, energy, 1e-9);
    free(p);
    free(plain);
}

Test(pic, same_bits_whatever_the_host_threads_and_delays)
{
    struct plasma *one = calloc(1, sizeof *one), *many = calloc(1, sizeof *many);
    cr_assert(one && many);
    scatter_particles(one);
    scatter_particles(many);
    struct outcome a = emulate(pic, &one->problem, (struct htmt_options){.threads = 1});
    same_history(
        a, emulate(pic, &many->problem, (struct htmt_options){.threads = 3, .delay_seed = 9}));
    cr_assert_eq(memcmp(one->particle, many->particle, sizeof one->particle), 0);
    cr_assert_eq(one->problem.energy, many->problem.energy);
    free(one);
    free(many);
}

/* ---- volume --------------------------------------------------------------------------------- */

enum { RAYS = 6, NZ = 24, SLAB = 4, VIEWS = 4 };

struct scene {
    struct volume_problem problem;
    float voxel[VIEWS * NZ * RAYS], brightness[VIEWS * RAYS];
};

static int volume(struct htmt_emulator *e, void *problem)
{
    return volume_sketch(e, problem);
}

static struct scene *cloud(float densest, int32_t view)
{
    struct scene *s = calloc(1, sizeof *s);
    uint32_t state = 11;
    cr_assert(s);
    s->problem = (struct volume_problem){RAYS, NZ, SLAB, view, 0.95f, s->voxel, s->brightness};
    for (uint32_t i = 0; i < VIEWS * NZ * RAYS; i++)
        s->voxel[i] = densest * (float)(draw(&state) % 1000) / 1000;
    return s;
}

static float plain_ray(const struct scene *s, uint32_t slice, uint32_t ray)
{
    float brightness = 0, through = 1;
    for (uint32_t n = 0; n < NZ && 1 - through < 0.95f; n++) {
        uint32_t z = s->problem.view > 0 ? n : NZ - 1 - n;
        float seen = through * s->voxel[(slice * NZ + z) * RAYS + ray];
        brightness += seen * seen;
        through -= seen;
    }
    return brightness;
}

Test(volume, rays_equal_the_plain_ray_caster_from_both_sides)
{
    for (int32_t view = -1; view <= 1; view += 2) {
        struct scene *s = cloud(0.2f, view);
        emulate(volume, &s->problem, (struct htmt_options){0});
        for (uint32_t i = 0; i < VIEWS * RAYS; i++)
            cr_assert_float_eq(s->brightness[i], plain_ray(s, i / RAYS, i % RAYS), 1e-5);
        free(s);
    }
}

Test(volume, rays_that_end_early_save_parcels_and_time)
{
    struct scene *thin = cloud(0.05f, 1), *dense = cloud(0.9f, 1);
    struct outcome long_way = emulate(volume, &thin->problem, (struct htmt_options){0});
    struct outcome short_way = emulate(volume, &dense->problem, (struct htmt_options){0});
    cr_assert_lt(short_way.parcels, long_way.parcels);
    cr_assert_lt(short_way.predicted, long_way.predicted);
    for (uint32_t i = 0; i < VIEWS * RAYS; i++)
        cr_assert_float_eq(dense->brightness[i], plain_ray(dense, i / RAYS, i % RAYS), 1e-5);
    free(thin);
    free(dense);
}

Test(volume, history_does_not_depend_on_host_threads_or_delays)
{
    struct scene *s = cloud(0.3f, 1);
    struct outcome one = emulate(volume, &s->problem, (struct htmt_options){.threads = 1});
    memset(s->brightness, 0, sizeof s->brightness);
    same_history(
        one, emulate(volume, &s->problem, (struct htmt_options){.threads = 3, .delay_seed = 2}));
    free(s);
}

Test(all, kernels_touch_only_what_was_declared)
{
    const struct htmt_options checked = {.checked = true};
    struct matrices m = integers(2, 4);
    struct radar *r = point_targets();
    struct plasma *p = calloc(1, sizeof *p);
    struct scene *s = cloud(0.3f, 1);
    cr_assert(p);
    scatter_particles(p);
    emulate(cannon, &m.problem, checked);
    emulate(sar, &r->problem, checked);
    emulate(pic, &p->problem, checked);
    emulate(volume, &s->problem, checked);
    expect_product(&m);
    release(&m);
    free(r);
    free(p);
    free(s);
}

Test(all, model_runs_make_the_parcels_of_real_ones)
{
    const struct htmt_options run = {0}, model = {.mode = HTMT_MODEL};
    struct radar *r = point_targets();
    struct plasma *p = calloc(1, sizeof *p);
    struct scene *thin = cloud(0.01f, 1);
    cr_assert(p);
    scatter_particles(p);
    cr_assert_eq(emulate(sar, &r->problem, run).parcels, emulate(sar, &r->problem, model).parcels);
    cr_assert_eq(emulate(volume, &thin->problem, run).parcels,
                 emulate(volume, &thin->problem, model).parcels);
    cr_assert_eq(emulate(pic, &p->problem, model).parcels, emulate(pic, &p->problem, run).parcels);
    free(r);
    free(p);
    free(thin);
}

/* ---- the page ------------------------------------------------------------------------------- */

/* A quotation: "<!-- quote FILE -->" on a line, then a fenced block that stands in FILE. */
static void expect_quotations(const char *path, unsigned least)
{
    static const char mark[] = "<!-- quote ", open[] = " -->\n```", close[] = "\n```";
    char *page = file_content(path, NULL);
    unsigned quotations = 0;
    for (char *at = strstr(page, mark); at; at = strstr(at, mark)) {
        char *name = at + strlen(mark), *end = strstr(name, open);
        cr_assert(end && end - name < 100, "%s: after quotation %u", path, quotations);
        char *text = strchr(end + strlen(open), '\n') + 1, *stop = strstr(text, close);
        cr_assert(stop);
        *end = stop[1] = '\0';
        char *file = file_content(name, NULL);
        cr_assert(strstr(file, text), "%s: %s no longer has:\n%s", path, name, text);
        free(file);
        at = stop + 2;
        quotations++;
    }
    cr_assert_geq(quotations, least);
    free(page);
}

Test(page, every_quotation_of_the_api_stands_word_for_word_in_its_file)
{
    expect_quotations("docs/api.md", 5);
}

Test(page, every_quotation_of_extending_stands_word_for_word_in_its_file)
{
    expect_quotations("docs/extending.md", 15);
}
