/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The serial ray caster against closed forms.
 */
#include "apps/volume/reference.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char soft[] = "opacity: [[0, 0], [40, 0], [80, 0.02], [255, 0.2]]\n"
                           "grey: [[0, 0], [255, 1]]\n";

/* One image of a volume that a function of the place fills. */
struct shot {
    unsigned threads; /* beside one */
    struct htmt__volume volume;
    struct htmt__volume_transfer_table table;
    struct htmt__volume_view view;
    struct htmt__volume_casting casting;
    bool all; /* empty blocks, too */
    float *image;
    struct htmt__volume_cast_counts counts;
};

static void set(struct htmt__volume *v, uint64_t n, double stored)
{
    switch (v->type) {
    case HTMT__UINT8:
        ((uint8_t *)v->at)[n] = (uint8_t)lround(stored);
        break;
    case HTMT__INT16:
        ((int16_t *)v->at)[n] = (int16_t)lround(stored);
        break;
    case HTMT__UINT16:
        ((uint16_t *)v->at)[n] = (uint16_t)lround(stored);
        break;
    case HTMT__FLOAT32:
        ((float *)v->at)[n] = (float)stored;
    }
}

static void fill(struct shot *s, enum htmt__volume_voxel type, const uint32_t dims[3],
                 double (*at)(double x, double y, double z))
{
    cr_assert_eq(htmt__volume_create(&s->volume, dims, type, NULL), 0);
    for (uint64_t n = 0; n < htmt__volume_voxels(&s->volume); n++)
        set(&s->volume, n,
            at((double)(n % dims[0]), (double)(n / dims[0] % dims[1]),
               (double)(n / dims[0] / dims[1])));
}

/* Along +x through the middle, parallel, 4 x 4 pixels of a unit square. */
static struct shot along_x(double step)
{
    return (struct shot){.view = {.eye = {-10, 4.5, 4.5},
                                  .focal = {0, 4.5, 4.5},
                                  .up = {0, 0, 1},
                                  .half_height = 0.5,
                                  .angle = 30,
                                  .width = 4,
                                  .height = 4},
                         .casting = {.step = step, .spacing = {1, 1, 1}, .limit = -1}};
}

static void take(struct shot *s, const char *text)
{
    struct htmt__volume_transfer t;
    struct htmt__volume_camera camera;
    struct htmt_fault fault = {0};
    size_t pixels = (size_t)s->view.width * s->view.height;
    cr_assert_eq(htmt__volume_transfer_parse("t.yaml", text, strlen(text), &t, &fault), 0, "%s",
                 fault.text);
    cr_assert_eq(htmt__volume_transfer_table_create(
                     &t, &s->volume, &(struct htmt__volume_window){0}, s->casting.step,
                     HTMT__TRANSFER_TABLE_BYTES, &s->table, &fault),
                 0);
    cr_assert_eq(htmt__volume_camera_create(&s->view, &camera, &fault), 0, "%s", fault.text);
    s->image = calloc(pixels * t.channels, sizeof *s->image);
    cr_assert_eq(htmt__volume_reference_image_on(s->threads + 1, &s->volume, &s->table, &camera,
                                                 &s->casting, !s->all, s->image, &s->counts,
                                                 &fault),
                 0);
    htmt__volume_transfer_destroy(&t);
}

/* The volume stays. */
static void drop(struct shot *s)
{
    htmt__volume_transfer_table_destroy(&s->table);
    free(s->image);
    s->image = NULL;
}

static void clear(struct shot *s)
{
    drop(s);
    htmt__volume_destroy(&s->volume);
}

/* ---- closed forms --------------------------------------------------------------------------- */

static double hundred(double x, double y, double z)
{
    (void)x, (void)y, (void)z;
    return 100;
}

static const uint32_t bar[3] = {49, 10, 10};
static const enum htmt__volume_voxel types[] = {HTMT__UINT8, HTMT__INT16, HTMT__UINT16,
                                                HTMT__FLOAT32};

/* v/255 (1 - (1-a)^L) */
Test(reference, a_constant_volume_meets_its_closed_form_for_any_type_and_step)
{
    double a = 0.02 + 0.18 * 20 / 175, expected = 100.0 / 255 * (1 - pow(1 - a, 48));
    for (int type = 0; type < 4; type++)
        for (int n = 1; n <= 480; n = 2 * n + n % 7) {
            struct shot s = along_x(48.0 / n);
            fill(&s, types[type], bar, hundred);
            take(&s, soft);
            for (int i = 0; i < 16; i++)
                cr_expect_float_eq((double)s.image[i], expected, 1.5e-7, "%d samples: %.9g", n,
                                   (double)s.image[i] - expected);
            clear(&s);
        }
}

static double ramp(double x, double y, double z)
{
    (void)y, (void)z;
    return 3 * x + 50;
}

/* Sample k has the grey g0 + k d and weight alpha b^k with b = 1 - alpha: an arithmetico-geometric
 * series. */
Test(reference, a_linear_ramp_meets_its_closed_form)
{
    for (int n = 24; n <= 480; n *= 2) {
        struct shot s = along_x(48.0 / n);
        fill(&s, HTMT__UINT8, bar, ramp);
        take(&s, "opacity: [[0, 0.03]]\ngrey: [[0, 0], [255, 1]]\n");
        double h = 48.0 / n, b = pow(0.97, h), d = 3 * h / 255, g0 = (50 + 1.5 * h) / 255;
        double tail = pow(b, n), sum = b * (1 - tail) / (1 - b) - n * tail;
        for (int i = 0; i < 16; i++)
            cr_expect_float_eq((double)s.image[i], g0 * (1 - tail) + d * sum, 1.5e-7);
        clear(&s);
    }
}

Test(reference, colours_are_three_greys)
{
    struct shot s = along_x(0.5);
    fill(&s, HTMT__UINT8, bar, hundred);
    take(&s, "opacity: [[0, 0.01]]\ncolour: [[0, 1, 0.5, 0], [200, 0, 0.5, 1]]\n");
    double seen = 1 - pow(0.99, 48), expected[3] = {0.5 * seen, 0.5 * seen, 0.5 * seen};
    for (int i = 0; i < 48; i++)
        cr_expect_float_eq((double)s.image[i], expected[i % 3], 1e-7);
    clear(&s);
    fill(&s, HTMT__UINT8, bar, hundred);
    take(&s, "opacity: [[0, 0.01]]\ncolour: [[0, 1, 0.5, 0.25]]\n");
    for (int i = 0; i < 48; i++)
        cr_expect_float_eq((double)s.image[i],
                           (i % 3 == 0   ? 1
                            : i % 3 == 1 ? 0.5
                                         : 0.25) *
                               seen,
                           1e-7);
    clear(&s);
}

/* The field's gradient is the same everywhere, so is the cosine. */
Test(reference, a_shaded_ramp_meets_its_closed_form_on_any_grid)
{
    const double spacing[2][3] = {{1, 1, 1}, {1, 2, 0.5}};
    for (int n = 0; n < 2; n++) {
        struct shot s = along_x(0.5);
        memcpy(s.casting.spacing, spacing[n], sizeof spacing[n]);
        s.casting.shading = (struct htmt__volume_shading){true, 0.25f, 0.5f, 0.125f, 3};
        s.view.eye[1] = s.view.focal[1] = 4.5 * spacing[n][1];
        s.view.eye[2] = s.view.focal[2] = 4.5 * spacing[n][2];
        fill(&s, HTMT__FLOAT32, bar, ramp);
        for (uint64_t i = 0; i < htmt__volume_voxels(&s.volume); i++)
            ((float *)s.volume.at)[i] += 2 * (float)(i / 49 % 10);
        take(&s, "opacity: [[0, 0.01]]\ngrey: [[0, 0.75]]\n");
        double across = 2 / spacing[n][1], c = 3 / sqrt(9 + across * across);
        double level = 0.75 * (0.25 + 0.5 * c) + 0.125 * pow(c, 8);
        /* the faces' cells have one-sided differences: half the gradient along x */
        double ends = 3.0 / 2 / sqrt(2.25 + across * across);
        double end = 0.75 * (0.25 + 0.5 * ends) + 0.125 * pow(ends, 8);
        double inner = level * (pow(0.99, 1) - pow(0.99, 47));
        double least = inner + fmin(end, level) * (1 - 0.99 + pow(0.99, 47) - pow(0.99, 48));
        double most = inner + fmax(end, level) * (1 - 0.99 + pow(0.99, 47) - pow(0.99, 48));
        for (int i = 0; i < 16; i++)
            cr_expect((double)s.image[i] > least - 1e-6 && (double)s.image[i] < most + 1e-6,
                      "%.8g is not in %.8g to %.8g", (double)s.image[i], least, most);
        clear(&s);
    }
}

Test(reference, without_a_gradient_only_ambient_light_is_left)
{
    struct shot s = along_x(0.5);
    s.casting.shading = (struct htmt__volume_shading){true, 0.25f, 0.5f, 0.125f, 3};
    fill(&s, HTMT__UINT8, bar, hundred);
    take(&s, "opacity: [[0, 0.01]]\ngrey: [[0, 0.75]]\n");
    for (int i = 0; i < 16; i++)
        cr_expect_float_eq((double)s.image[i], 0.25 * 0.75 * (1 - pow(0.99, 48)), 1e-7);
    clear(&s);
}

/* ---- views ---------------------------------------------------------------------------------- */

Test(reference, an_eye_inside_sees_what_lies_ahead)
{
    struct shot s = along_x(0.5);
    s.view.eye[0] = 20;
    s.view.focal[0] = 21;
    fill(&s, HTMT__UINT8, bar, hundred);
    take(&s, "opacity: [[0, 0.03]]\ngrey: [[0, 0.5]]\n");
    cr_expect_float_eq((double)s.image[0], 0.5 * (1 - pow(0.97, 28)), 1e-7);
    clear(&s);
    s.view.focal[0] = 19;
    fill(&s, HTMT__UINT8, bar, hundred);
    take(&s, "opacity: [[0, 0.03]]\ngrey: [[0, 0.5]]\n");
    cr_expect_float_eq((double)s.image[0], 0.5 * (1 - pow(0.97, 20)), 1e-7);
    clear(&s);
}

Test(reference, a_volume_behind_the_eye_is_not_seen)
{
    struct shot s = along_x(0.5);
    s.view.focal[0] = -20;
    fill(&s, HTMT__UINT8, bar, hundred);
    take(&s, soft);
    for (int i = 0; i < 16; i++)
        cr_expect_eq(s.image[i], 0);
    cr_expect_eq(s.counts.inside, 0);
    clear(&s);
}

/* ---- a head --------------------------------------------------------------------------------- */

static struct shot head(enum htmt__volume_voxel type)
{
    struct shot s = {.view = {.perspective = true,
                              .eye = {90, 70, 60},
                              .focal = {23.5, 23.5, 23.5},
                              .up = {0, 0, 1},
                              .angle = 30,
                              .width = 80,
                              .height = 64},
                     .casting = {.step = 0.5, .spacing = {1, 1, 1}, .limit = -1}};
    struct htmt__volume phantom;
    cr_assert_eq(htmt__volume_phantom(48, 1, &phantom, NULL), 0);
    cr_assert_eq(htmt__volume_create(&s.volume, phantom.dims, type, NULL), 0);
    for (uint64_t n = 0; n < htmt__volume_voxels(&phantom); n++)
        set(&s.volume, n, ((uint8_t *)phantom.at)[n]);
    htmt__volume_destroy(&phantom);
    return s;
}

static const char clear_skull[] = "opacity: [[0, 0], [20, 0], [60, 0.05], [255, 0.3]]\n"
                                  "grey: [[0, 0], [255, 1]]\n";

Test(reference, empty_blocks_change_no_bit_and_no_sum_of_samples)
{
    for (int shaded = 0; shaded < 2; shaded++)
        for (int limit = -1; limit <= 0; limit++) {
            struct shot skipping = head(HTMT__UINT8), all = head(HTMT__UINT8);
            skipping.casting.shading = (struct htmt__volume_shading){shaded, 0.2f, 0.7f, 0.1f, 4};
            skipping.casting.limit = limit < 0 ? -1 : 0.01;
            all.casting = skipping.casting;
            all.all = true;
            take(&skipping, clear_skull);
            take(&all, clear_skull);
            cr_expect_eq(memcmp(skipping.image, all.image, 80 * 64 * sizeof(float)), 0);
            cr_expect(skipping.counts.skipped > 0 && all.counts.skipped == 0);
            cr_expect_eq(skipping.counts.taken + skipping.counts.skipped + skipping.counts.saved,
                         all.counts.taken + all.counts.saved);
            clear(&skipping);
            clear(&all);
        }
}

Test(reference, threads_change_no_bit_and_no_sum_of_samples)
{
    struct shot one = head(HTMT__UINT8);
    one.view.height = 37; /* the last rows are fewer */
    take(&one, clear_skull);
    for (unsigned more = 1; more <= 3; more++) {
        struct shot several = head(HTMT__UINT8);
        several.view.height = 37;
        several.threads = more;
        take(&several, clear_skull);
        cr_expect_eq(memcmp(one.image, several.image, 80 * 37 * sizeof(float)), 0);
        cr_expect_eq(memcmp(&one.counts, &several.counts, sizeof one.counts), 0);
        cr_expect_eq(one.counts.rays, 80u * 37u);
        clear(&several);
    }
    clear(&one);
}

Test(reference, stored_types_of_equal_values_give_equal_bits)
{
    struct shot first = head(HTMT__UINT8);
    take(&first, clear_skull);
    for (int type = 1; type < 4; type++) {
        struct shot s = head(types[type]);
        take(&s, clear_skull);
        cr_expect_eq(memcmp(first.image, s.image, 80 * 64 * sizeof(float)), 0);
        clear(&s);
    }
    clear(&first);
}

static const char bony[] = "opacity: [[0, 0], [20, 0], [60, 0.1], [255, 0.9]]\n";

/* What a ray has not yet seen is at most its transparency times the brightest grey. */
Test(reference, early_termination_keeps_its_bound_and_saves_samples)
{
    const double threshold[] = {0.5, 0.9, 0.99, 0.999};
    struct shot whole = head(HTMT__UINT8);
    take(&whole, bony);
    uint64_t saved = UINT64_MAX;
    for (int n = 0; n < 4; n++) {
        struct shot s = head(HTMT__UINT8);
        s.casting.limit = 1 - threshold[n];
        take(&s, bony);
        for (int i = 0; i < 80 * 64; i++)
            cr_expect(s.image[i] <= whole.image[i] &&
                      (double)(whole.image[i] - s.image[i]) <= s.casting.limit + 1e-7);
        cr_expect(s.counts.ended > 0 && s.counts.saved > 0 && s.counts.saved < saved);
        saved = s.counts.saved;
        clear(&s);
    }
    cr_expect_eq(whole.counts.saved, 0);
    clear(&whole);
}

static double hill(double x, double y, double z)
{
    return 250 * exp(-0.01 * ((x - 24) * (x - 24) + (y - 24) * (y - 24) + (z - 24) * (z - 24)));
}

static double distance(const struct shot *a, const struct shot *b)
{
    double sum = 0;
    for (uint32_t i = 0; i < a->view.width * a->view.height; i++)
        sum += fabs((double)(a->image[i] - b->image[i]));
    return sum;
}

/* Samples in the middle of their steps: halving the step quarters the error. */
Test(reference, the_step_converges_in_second_order)
{
    struct shot s[4];
    for (int n = 0; n < 4; n++) {
        s[n] = head(HTMT__FLOAT32);
        htmt__volume_destroy(&s[n].volume);
        fill(&s[n], HTMT__FLOAT32, (uint32_t[]){49, 49, 49}, hill);
        s[n].casting.step = n == 3 ? 0.03125 : 2.0 / (1 << n);
        take(&s[n], "opacity: [[0, 0], [250, 0.2]]\n");
    }
    for (int n = 0; n < 2; n++) {
        double ratio = distance(&s[n], &s[3]) / distance(&s[n + 1], &s[3]);
        cr_expect(ratio > 3 && ratio < 5, "%g", ratio);
    }
    for (int n = 0; n < 4; n++)
        clear(&s[n]);
}

/* The head looked at along x shows what the head with its axes exchanged shows along y. */
Test(reference, axes_are_alike)
{
    struct shot s = head(HTMT__FLOAT32), turned = head(HTMT__FLOAT32);
    const float *from = s.volume.at;
    float *to = turned.volume.at;
    for (size_t z = 0; z < 48; z++)
        for (size_t y = 0; y < 48; y++)
            for (size_t x = 0; x < 48; x++)
                to[y + 48 * (x + 48 * z)] = from[x + 48 * (y + 48 * z)];
    s.view.eye[0] = 120, s.view.eye[1] = s.view.eye[2] = 23.5;
    turned.view.eye[1] = 120, turned.view.eye[0] = turned.view.eye[2] = 23.5;
    take(&s, clear_skull);
    take(&turned, clear_skull);
    /* exchanged axes are a mirror: columns from the other side */
    for (int j = 0; j < 64; j++)
        for (int i = 0; i < 80; i++)
            cr_expect_float_eq((double)s.image[j * 80 + i], (double)turned.image[j * 80 + 79 - i],
                               2e-5);
    clear(&s);
    clear(&turned);
}
