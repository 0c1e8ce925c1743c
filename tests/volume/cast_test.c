/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Casting bundles subcube by subcube, in the order of their itineraries, gives the serial image to
 * the last bit.
 */
#include "apps/volume/reference.h"
#include "apps/volume/visit_list.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char grey[] = "opacity: [[0, 0], [60, 0], [90, 0.05], [255, 0.4]]\n";
static const char colour[] = "opacity: [[0, 0], [60, 0], [90, 0.05], [255, 0.4]]\n"
                             "colour: [[0, 0, 0, 0], [128, 1, 0.2, 0], [255, 1, 1, 0.5]]\n";

struct scene {
    struct htmt__volume volume;
    struct htmt__transfer transfer;
    struct htmt__lookup lookup;
    struct htmt__camera camera;
    struct htmt__casting casting;
    struct htmt__subcubes subcubes;
    struct htmt__tiling tiling;
    uint64_t stride;
    char *store;
    uint8_t *invisible;
};

#define OK(call)                                                                                   \
    do {                                                                                           \
        struct htmt_fault fault = {0};                                                             \
        cr_assert_eq((call), 0, "%s", fault.text);                                                 \
    } while (0)

/* Values that no symmetry hides. */
static void fill(struct htmt__volume *v)
{
    uint32_t bits = 1;
    for (uint64_t n = 0; n < htmt__volume_voxels(v); n++) {
        bits = bits * 1664525 + 1013904223;
        uint64_t x = n % v->dims[0], y = n / v->dims[0] % v->dims[1];
        double value = (double)(x * 3 + y * 5) + (double)(bits >> 27);
        value = value < 80 ? 0 : value;
        switch (v->type) {
        case HTMT__UINT8:
            ((uint8_t *)v->at)[n] = (uint8_t)value;
            break;
        case HTMT__INT16:
            ((int16_t *)v->at)[n] = (int16_t)value;
            break;
        case HTMT__UINT16:
            ((uint16_t *)v->at)[n] = (uint16_t)value;
            break;
        case HTMT__FLOAT32:
            ((float *)v->at)[n] = (float)value;
            break;
        }
    }
}

static void build(struct scene *s, enum htmt__voxel type, const char *function,
                  const struct htmt__view *view, bool shaded, uint32_t edge)
{
    const uint32_t dims[3] = {29, 23, 31};
    OK(htmt__volume_create(&s->volume, dims, type, &fault));
    fill(&s->volume);
    OK(htmt__transfer_parse("test", function, strlen(function), &s->transfer, &fault));
    s->casting = (struct htmt__casting){
        .step = 0.7, .spacing = {1, 1, 1}, .limit = 0.05, .shading = {shaded, 0.3f, 0.6f, 0.2f, 3}};
    OK(htmt__lookup_create(&s->transfer, &s->volume, &(struct htmt__window){0}, s->casting.step,
                           HTMT__LOOKUP_BYTES, &s->lookup, &fault));
    OK(htmt__camera_create(view, &s->camera, &fault));
    OK(htmt__subcubes_plan(dims, edge, shaded, (uint32_t)htmt__voxel_bytes(type), &s->subcubes,
                           &fault));
    s->tiling = (struct htmt__tiling){view->width, view->height, 13};
    s->stride = htmt__subcube_stride(&s->subcubes);
    s->store = calloc(s->subcubes.all, s->stride);
    s->invisible = calloc(s->subcubes.all, 1);
    for (uint32_t n = 0; n < s->subcubes.all; n++)
        s->invisible[n] =
            !htmt__subcube_store(&s->subcubes, &s->volume, &s->lookup, n, s->store + n * s->stride);
}

static void destroy(struct scene *s)
{
    free(s->store);
    free(s->invisible);
    htmt__lookup_destroy(&s->lookup);
    htmt__transfer_destroy(&s->transfer);
    htmt__volume_destroy(&s->volume);
}

/* A bundle, all of its rays through all of its subcubes. */
static void render_bundle(const struct scene *s, uint32_t bundle, float *image, uint64_t *taken)
{
    const struct htmt__itinerary it = {&s->subcubes, &s->camera,   &s->casting,
                                       &s->tiling,   s->invisible, s->lookup.channels};
    struct htmt__tile tile = htmt__tiling_at(&s->tiling, bundle);
    size_t rays = (size_t)s->tiling.side * s->tiling.side;
    size_t bytes = htmt__state_bytes(s->lookup.channels);
    struct htmt__path *path = calloc(rays, sizeof *path);
    char *state = calloc(rays, bytes);
    bool *alive = calloc(rays, 1);
    uint64_t *patches = calloc(s->subcubes.all, sizeof *patches);
    uint32_t most = htmt__itinerary_most(&it);
    struct htmt__list *list = malloc(sizeof *list + most * sizeof *list->visit);
    struct htmt__itinerary_work way;
    struct htmt__cast_work work;
    htmt__itinerary_make(&it, &tile, 0, tile.height, path, state, patches, list, &way);
    cr_assert_leq(list->count, most);
    for (uint64_t n = 0; n < list->count; n++) {
        struct htmt__cast cast = {&s->subcubes,
                                  htmt__subcube_at(&s->subcubes, list->visit[n].subcube),
                                  s->store + list->visit[n].subcube * s->stride,
                                  s->volume.type,
                                  &s->lookup,
                                  &s->casting};
        htmt__cast_rays(&cast, path, state, rays, alive, &work);
        *taken += work.taken;
    }
    for (uint32_t y = 0; y < tile.height; y++)
        for (uint32_t x = 0; x < tile.width; x++) {
            const struct htmt__state *ray =
                (const void *)(state + (y * s->tiling.side + x) * bytes);
            for (unsigned c = 0; c < s->lookup.channels; c++)
                image[((tile.y + y) * s->tiling.width + tile.x + x) * s->lookup.channels + c] =
                    (float)ray->colour[c];
        }
    free(path);
    free(state);
    free(alive);
    free(patches);
    free(list);
}

static void compare(const struct scene *s)
{
    size_t floats = (size_t)s->tiling.width * s->tiling.height * s->lookup.channels;
    float *image = calloc(floats, sizeof *image), *serial = calloc(floats, sizeof *serial);
    struct htmt__cast_counts counts;
    uint64_t taken = 0;
    double light = 0;
    OK(htmt__reference_image(&s->volume, &s->lookup, &s->camera, &s->casting, false, serial,
                             &counts, &fault));
    for (uint32_t n = 0; n < htmt__tiling_count(&s->tiling); n++)
        render_bundle(s, n, image, &taken);
    for (size_t n = 0; n < floats; n++)
        light += (double)serial[n];
    cr_expect_gt(light, 0);
    cr_expect_leq(taken, counts.taken);
    cr_expect_arr_eq(image, serial, floats * sizeof *image, "edge %u: the images differ",
                     s->subcubes.edge);
    free(image);
    free(serial);
}

static const struct htmt__view front = {false, {14, 400, 15}, {14, 11, 15}, {0, 0, 1}, 30, 18, 41,
                                        37};
static const struct htmt__view oblique = {true, {50, 60, 45}, {14, 11, 15}, {0, 0, 1}, 35, 0, 41,
                                          37};
static const struct htmt__view inside = {true, {10, 8, 16}, {20, 11, 15}, {0, 1, 1},
                                         120,  0,           41,           37};

static void try_all(enum htmt__voxel type, const char *function, bool shaded)
{
    const struct htmt__view *const views[] = {&front, &oblique, &inside};
    const uint32_t edges[] = {5, 8, 12, 40};
    for (size_t v = 0; v < 3; v++)
        for (size_t e = 0; e < 4; e++) {
            struct scene s = {0};
            build(&s, type, function, views[v], shaded, edges[e]);
            compare(&s);
            destroy(&s);
        }
}

Test(cast, subcubes_of_any_size_give_the_serial_image_from_any_view)
{
    try_all(HTMT__UINT8, grey, false);
}

Test(cast, shading_and_colour_show_no_seam)
{
    try_all(HTMT__UINT8, grey, true);
    try_all(HTMT__UINT8, colour, true);
}

Test(cast, every_type_of_voxel_and_colour_agrees)
{
    try_all(HTMT__INT16, colour, false);
    try_all(HTMT__UINT16, grey, true);
    try_all(HTMT__FLOAT32, grey, false);
}
