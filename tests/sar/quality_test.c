/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Point targets against the theory of the unweighted matched filter, in the images of both
 * programs. The sinc has a -3 dB width of 0.8859 cells (a cell is 1 / bandwidth), first sidelobes
 * of -13.26 dB, and within 10 cells -10.16 dB of its energy outside the main lobe.
 *
 * Three targets stand at the near edge, in the middle and at the far edge of every window, one of
 * them on the grid. With HTMT_LONG the windows are whole scenes.
 */
#include "apps/sar/geometry.h"
#include "apps/sar/io/scene.h"
#include "tests/runtime/share.h"
#include "tests/sar/focus.h"
#include "tests/sar/quality.h"

enum { TARGETS = 3 };

struct window {
    const char *radar;
    double from; /* m beyond the radar's near range */
    uint32_t lines, samples, patch_lines;
    double centroid; /* 0: the radar's */
    unsigned bits;
    double noise; /* dB above a unit echo; below -99: none */
    double bias, agc;
    bool single;
};

/* Widths are relative, sidelobes in dB, positions in pixels, phases in degrees. */
static const struct tolerance {
    double range_width, azimuth_width, pslr, islr, position, phase;
} fine = {0.015, 0.02, 0.2, 0.2, 0.06, 1}, coarse = {0.015, 0.02, 0.5, 0.4, 0.06, 1};

#define NO_NOISE (-100.0)

static struct htmt__sar_radar radar_of(const struct window *w)
{
    struct htmt__sar_radar r;
    cr_assert_eq(htmt__sar_radar_named(w->radar, &r, NULL), 0);
    r.near_range += w->from;
    r.lines = w->lines ? w->lines : r.lines;
    r.samples = w->samples ? w->samples : r.samples;
    r.centroid = w->centroid != 0 ? w->centroid : r.centroid;
    return r;
}

/* Both kinds come up. */
static enum htmt__sar_lengths lengths_of(const struct window *w)
{
    return w->single ? HTMT__FAST_LENGTH : HTMT__POWER_OF_TWO;
}

static struct htmt__sar_plan plan_of(const struct window *w)
{
    struct htmt__sar_problem q = {
        .radar = radar_of(w), .patch_lines = w->patch_lines, .lengths = lengths_of(w)};
    struct htmt_fault fault = {0};
    struct htmt__sar_plan plan;
    cr_assert_eq(htmt__sar_plan(&q, &plan, &fault), 0, "%s", fault.text);
    return plan;
}

/* The target that is imaged at that place. */
static struct htmt__sar_target target_at(const struct htmt__sar_plan *p, double line, double column)
{
    const struct htmt__sar_radar *r = &p->radar;
    double range = p->first_range + column * htmt__sar_spacing(r);
    return (struct htmt__sar_target){.line = (double)p->first_line + line +
                                             htmt__sar_exposure(r, range, r->centroid),
                                     .sample = (range - r->near_range) / htmt__sar_spacing(r),
                                     .amplitude = 1};
}

static void place(const struct htmt__sar_plan *p, struct htmt__sar_target targets[TARGETS])
{
    targets[0] = target_at(p, 0.7 * p->lines + 0.5, T_CHIP / 2 + 1.37);
    targets[1] = target_at(p, floor(0.5 * p->lines), floor(0.5 * p->samples));
    targets[2] = target_at(p, 0.3 * p->lines + 0.81, (double)p->samples - T_CHIP / 2 - 1.5);
}

static struct htmt__sar_input input_of(const struct window *w, const struct htmt__sar_plan *p,
                                       struct htmt__sar_target targets[TARGETS])
{
    struct htmt__sar_input in = {.radar = p->radar};
    struct htmt_fault fault = {0};
    struct htmt__sar_scene scene = {.radar = p->radar,
                                    .target_count = TARGETS,
                                    .targets = targets,
                                    .noise = w->noise > -99 ? pow(10, w->noise / 20) : 0,
                                    .bits = w->bits,
                                    .bias_i = w->bias,
                                    .bias_q = -w->bias / 2,
                                    .agc = w->agc,
                                    .seed = 7};
    cr_assert_eq(htmt__sar_scene_make(&scene, &in.raw, &fault), 0, "%s", fault.text);
    return in;
}

static void near(double found, double wanted, double tolerance, const char *what, int target,
                 const struct window *w)
{
    cr_expect(fabs(found - wanted) <= tolerance,
              "%s, %u bits, target %d: %s %.4f, expected %.4f +- %.4f", w->radar, w->bits, target,
              what, found, wanted, tolerance);
}

static void is_sharp(const struct window *w, const struct t_picture *image, int number,
                     const struct htmt__sar_target *target, const struct tolerance *t)
{
    const struct htmt__sar_radar *r = image->radar;
    struct htmt__sar_truth truth;
    htmt__sar_target_truth(r, target, &truth);
    struct t_quality q = t_measure(image, truth.range, truth.zero_doppler);
    double range = 0.8859 * r->sampling / htmt__sar_chirp_bandwidth(r);
    double azimuth = 0.8859 * r->prf / r->bandwidth;
    near(q.range.width, range, t->range_width * range, "range width", number, w);
    near(q.range.pslr, -13.26, t->pslr, "range PSLR", number, w);
    near(q.range.islr, -10.16, t->islr, "range ISLR", number, w);
    near(q.range.offset, 0, t->position, "range offset", number, w);
    near(q.azimuth.width, azimuth, t->azimuth_width * azimuth, "azimuth width", number, w);
    near(q.azimuth.pslr, -13.26, t->pslr, "azimuth PSLR", number, w);
    near(q.azimuth.offset, 0, t->position, "azimuth offset", number, w);
    near(q.phase, -45, t->phase, "phase", number, w);
}

static void are_sharp(const struct window *w, const struct htmt__sar_plan *p, const void *image,
                      const struct htmt__sar_target targets[TARGETS], const struct tolerance *t)
{
    struct t_picture picture = {&p->radar,      p->lines,  p->samples, p->first_line,
                                p->first_range, w->single, image};
    for (int i = 0; i < TARGETS; i++)
        is_sharp(w, &picture, i, &targets[i], t);
}

enum { SERIAL = 1, PARCELS = 2 }; /* whose image */

static void focuses(unsigned programs, const struct window *w, const struct tolerance *t)
{
    struct htmt__sar_plan p = plan_of(w);
    struct htmt__sar_target targets[TARGETS];
    place(&p, targets);
    struct htmt__sar_input in = input_of(w, &p, targets);
    if (programs & SERIAL) {
        void *image = malloc((size_t)p.lines * p.samples * (w->single ? 8 : 16));
        cr_assert_not_null(image);
        cr_assert_eq(htmt__sar_reference(&p, &in.raw, w->single, image, NULL), 0);
        are_sharp(w, &p, image, targets, t);
        free(image);
    }
    if (programs & PARCELS) {
        struct focus f = {.patch_lines = w->patch_lines,
                          .threads = 2,
                          .lengths = lengths_of(w),
                          .single = w->single};
        struct focused out = focus(&f, &in);
        are_sharp(w, &p, out.image, targets, t);
        focus_free(&out);
    }
    htmt__sar_input_destroy(&in);
}

/* ---- windows -------------------------------------------------------------------------------- */

#define ERS_NEAR .radar = "ers", .lines = 1400, .samples = 1100
#define ERS_FAR  ERS_NEAR, .from = 38e3
#define R1_NEAR  .radar = "radarsat", .lines = 1100, .samples = 1700
#define R1_FAR   R1_NEAR, .from = 35e3

/* Floats, and bits so many dB below noise, in near and far range. The last is what a RADARSAT-1
 * tape has: a down-chirp, squint by six ambiguities, 4 bits, a mean, a gain that follows the echo.
 */
Test(quality, points_of_floats_and_of_noisy_bits_are_focused_as_theory_says)
{
    static const struct {
        unsigned programs;
        struct window w;
        const struct tolerance *t;
    } cases[] = {
        {SERIAL, {ERS_NEAR, .noise = NO_NOISE}, &fine},
        {SERIAL, {ERS_FAR, .bits = 8, .noise = 3, .single = true}, &fine},
        {SERIAL, {R1_FAR, .bits = 8, .noise = 3}, &fine},
        {SERIAL, {ERS_NEAR, .bits = 5, .noise = 13.5, .single = true}, &coarse},
        {SERIAL, {R1_NEAR, .bits = 5, .noise = 13.5, .single = true}, &coarse},
        {PARCELS, {ERS_FAR, .noise = NO_NOISE}, &fine},
        {PARCELS, {R1_FAR, .noise = NO_NOISE, .single = true}, &fine},
        {PARCELS, {ERS_NEAR, .bits = 5, .noise = 13.5}, &coarse},
        {SERIAL | PARCELS,
         {R1_NEAR, .bits = 4, .noise = 6, .bias = 0.4, .agc = 3, .single = true},
         &coarse},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += only_memory() ? 4 : 1)
        focuses(cases[i].programs, &cases[i].w, cases[i].t);
}

Test(quality, a_centroid_anywhere_between_ambiguities_is_as_good)
{
    const double centroid[] = {310, -800, 2600};
    for (int i = 0; i < 3; i++)
        focuses(
            SERIAL,
            &(struct window){ERS_NEAR, .centroid = centroid[i], .noise = NO_NOISE, .single = true},
            &fine);
}

/* Targets on and beside each seam of a strip. */
Test(quality, targets_at_the_seams_of_patches_are_as_good_as_elsewhere)
{
    struct window w = {.radar = "small", .lines = 1300, .samples = 360, .patch_lines = 512};
    struct htmt__sar_plan p = plan_of(&w);
    struct htmt__sar_target targets[TARGETS];
    w.noise = NO_NOISE;
    cr_assert_geq(p.patches, 3);
    for (int i = 0; i < TARGETS; i++) {
        double seam = htmt__sar_plan_patch(&p, i < 2 ? 1 : 2).image_line;
        targets[i] = target_at(&p, seam - 0.4 + 0.7 * i, p.samples / 2.0 + 36 * (i - 1) + 0.3 * i);
    }
    struct htmt__sar_input in = input_of(&w, &p, targets);
    double complex *image = malloc((size_t)p.lines * p.samples * sizeof *image);
    cr_assert_not_null(image);
    cr_assert_eq(htmt__sar_reference(&p, &in.raw, false, image, NULL), 0);
    struct t_picture picture = {&p.radar,      p.lines, p.samples, p.first_line,
                                p.first_range, false,   image};
    for (int i = 0; i < TARGETS; i++) {
        struct htmt__sar_truth truth;
        htmt__sar_target_truth(&p.radar, &targets[i], &truth);
        struct t_quality q = t_measure(&picture, truth.range, truth.zero_doppler);
        near(q.range.offset, 0, 0.06, "range offset", i, &w);
        near(q.azimuth.offset, 0, 0.06, "azimuth offset", i, &w);
        near(q.azimuth.pslr, -13.26, 0.5, "azimuth PSLR", i, &w);
        near(q.phase, -45, 3, "phase", i, &w);
    }
    free(image);
    htmt__sar_input_destroy(&in);
}

/* ---- whole scenes --------------------------------------------------------------------------- */

/* Five targets of every scene, all kinds of numbers, both precisions, both programs. */
Test(quality, whole_scenes_meet_every_tolerance)
{
    if (!getenv("HTMT_LONG"))
        cr_skip_test("whole scenes: HTMT_LONG=1");
    const char *radars[] = {"ers", "radarsat"};
    const struct {
        unsigned bits;
        double noise;
        const struct tolerance *t;
    } kind[] = {{0, NO_NOISE, &fine}, {8, 3, &fine}, {5, 13.5, &coarse}};
    for (int r = 0; r < 2; r++)
        for (int k = 0; k < 3; k++)
            for (int single = 0; single < 2; single++) {
                struct window w = {radars[r], .bits = kind[k].bits, .noise = kind[k].noise,
                                   .single = single};
                focuses(SERIAL | PARCELS, &w, kind[k].t);
            }
}
