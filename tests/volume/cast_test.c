/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Casting bundles subcube by subcube, in the order of their visit lists, gives the serial image to
 * the last bit.
 */
#include "apps/volume/reference.h"
#include "apps/volume/visit_list.h"
#include "tests/runtime/share.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char grey[] = "opacity: [[0, 0], [60, 0], [90, 0.05], [255, 0.4]]\n";
static const char colour[] = "opacity: [[0, 0], [60, 0], [90, 0.05], [255, 0.4]]\n"
                             "colour: [[0, 0, 0, 0], [128, 1, 0.2, 0], [255, 1, 1, 0.5]]\n";

struct scene {
    struct htmt__volume volume;
    struct htmt__volume_transfer transfer;
    struct htmt__volume_transfer_table table;
    struct htmt__volume_camera camera;
    struct htmt__volume_casting casting;
    struct htmt__volume_subcubes subcubes;
    struct htmt__volume_tiling tiling;
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

static void build(struct scene *s, enum htmt__volume_voxel type, const char *function,
                  const struct htmt__volume_view *view, bool shaded, uint32_t edge)
{
    const uint32_t dims[3] = {29, 23, 31};
    OK(htmt__volume_create(&s->volume, dims, type, &fault));
    fill(&s->volume);
    OK(htmt__volume_transfer_parse("test", function, strlen(function), &s->transfer, &fault));
    s->casting = (struct htmt__volume_casting){
        .step = 0.7, .spacing = {1, 1, 1}, .limit = 0.05, .shading = {shaded, 0.3f, 0.6f, 0.2f, 3}};
    OK(htmt__volume_transfer_table_create(&s->transfer, &s->volume,
                                          &(struct htmt__volume_window){0}, s->casting.step,
                                          HTMT__TRANSFER_TABLE_BYTES, &s->table, &fault));
    OK(htmt__volume_camera_create(view, &s->camera, &fault));
    OK(htmt__volume_subcubes_plan(dims, edge, shaded, (uint32_t)htmt__volume_voxel_bytes(type),
                                  &s->subcubes, &fault));
    s->tiling = (struct htmt__volume_tiling){view->width, view->height, 13};
    s->stride = htmt__volume_subcube_stride(&s->subcubes);
    s->store = calloc(s->subcubes.all, s->stride);
    s->invisible = calloc(s->subcubes.all, 1);
    for (uint32_t n = 0; n < s->subcubes.all; n++)
        s->invisible[n] = !htmt__volume_subcube_store(&s->subcubes, &s->volume, &s->table, n,
                                                      s->store + n * s->stride);
}

static void destroy(struct scene *s)
{
    free(s->store);
    free(s->invisible);
    htmt__volume_transfer_table_destroy(&s->table);
    htmt__volume_transfer_destroy(&s->transfer);
    htmt__volume_destroy(&s->volume);
}

/* A bundle, all of its rays through all of its subcubes. */
static void render_bundle(const struct scene *s, uint32_t bundle, float *image, uint64_t *taken)
{
    const struct htmt__volume_bundle_setup it = {&s->subcubes, &s->camera,   &s->casting,
                                                 &s->tiling,   s->invisible, s->table.channels};
    struct htmt__volume_tile tile = htmt__volume_tiling_at(&s->tiling, bundle);
    size_t rays = (size_t)s->tiling.side * s->tiling.side;
    size_t bytes = htmt__volume_state_bytes(s->table.channels);
    struct htmt__volume_path *path = calloc(rays, sizeof *path);
    char *state = calloc(rays, bytes);
    bool *alive = calloc(rays, 1);
    uint64_t *patches = calloc(s->subcubes.all, sizeof *patches);
    uint32_t most = htmt__volume_visit_list_most(&it);
    struct htmt__volume_visit_list *list = malloc(sizeof *list + most * sizeof *list->visit);
    struct htmt__volume_visit_work way;
    struct htmt__volume_cast_work work;
    htmt__volume_visit_list_make(&it, &tile, 0, tile.height, path, state, patches, list, &way);
    cr_assert_leq(list->count, most);
    for (uint64_t n = 0; n < list->count; n++) {
        struct htmt__volume_cast cast = {
            &s->subcubes,
            htmt__volume_subcube_at(&s->subcubes, list->visit[n].subcube),
            s->store + list->visit[n].subcube * s->stride,
            s->volume.type,
            &s->table,
            &s->casting};
        htmt__volume_cast_rays(&cast, path, state, rays, alive, &work);
        *taken += work.taken;
    }
    for (uint32_t y = 0; y < tile.height; y++)
        for (uint32_t x = 0; x < tile.width; x++) {
            const struct htmt__volume_state *ray =
                (const void *)(state + (y * s->tiling.side + x) * bytes);
            for (unsigned c = 0; c < s->table.channels; c++)
                image[((tile.y + y) * s->tiling.width + tile.x + x) * s->table.channels + c] =
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
    size_t floats = (size_t)s->tiling.width * s->tiling.height * s->table.channels;
    float *image = calloc(floats, sizeof *image), *serial = calloc(floats, sizeof *serial);
    struct htmt__volume_cast_counts counts;
    uint64_t taken = 0;
    double light = 0;
    OK(htmt__volume_reference_image(&s->volume, &s->table, &s->camera, &s->casting, false, serial,
                                    &counts, &fault));
    for (uint32_t n = 0; n < htmt__volume_tiling_count(&s->tiling); n++)
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

static const struct htmt__volume_view front = {
    false, {14, 400, 15}, {14, 11, 15}, {0, 0, 1}, 30, 18, 41, 37};
static const struct htmt__volume_view oblique = {
    true, {50, 60, 45}, {14, 11, 15}, {0, 0, 1}, 35, 0, 41, 37};
static const struct htmt__volume_view inside = {true, {10, 8, 16}, {20, 11, 15}, {0, 1, 1},
                                                120,  0,           41,           37};

static void try_all(enum htmt__volume_voxel type, const char *function, bool shaded)
{
    const struct htmt__volume_view *const views[] = {&front, &oblique, &inside};
    const uint32_t edges[] = {5, 8, 12, 40};
    for (size_t v = 0; v < 3; v++)
        for (size_t e = 0; e < 4; e += only_memory() ? 2 : 1) {
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
