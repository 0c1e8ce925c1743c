/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The serial ray caster: ray by ray, sample by sample, over the whole volume.
 *
 * It shares no code with the parcels' kernels, so that one can find an error in the other. Both
 * skip samples in blocks of 8 x 8 x 8 cells whose voxels are all invisible: such samples have alpha
 * 0 and add nothing, so the image is the same to the last bit. How many samples lie in a block is
 * guessed by division, and confirmed by where the last of them really lies. A guess that fails is
 * halved, which leads away from the face, and the next look goes on from there.
 */
#include "apps/volume/reference.h"

#include "apps/lib/host_parts.h"

#include <math.h>
#include <stdlib.h>

#define INLINE static inline __attribute__((always_inline))

/* Cells a side of the blocks that are left out if they are invisible. */
#define BLOCK 8

struct scene {
    const struct htmt__volume *volume;
    const struct htmt__volume_transfer_table *table;
    const struct htmt__volume_casting *casting;
    size_t row, plane;     /* voxels */
    uint32_t blocks[3];    /* per axis */
    uint8_t *empty;        /* per block; NULL: none is left out */
    float per[3], unit[3]; /* ray.h */
};

struct pixel {
    double through, colour[3]; /* T, C */
    uint32_t taken, skipped, saved;
};

/* ---- values --------------------------------------------------------------------------------- */

INLINE float mix(float u, float v, float f)
{
    return u + f * (v - u);
}

/* The corners of a cell, as offsets of voxels along each axis. */
struct corners {
    size_t x[2], y[2], z[2];
};

INLINE float value(const void *at, enum htmt__volume_voxel type, const struct corners *c,
                   const float f[3])
{
    float along[2][2];
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 2; y++) {
            size_t line = c->y[y] + c->z[z];
            along[z][y] = mix(htmt__volume_voxel_at(at, type, line + c->x[0]),
                              htmt__volume_voxel_at(at, type, line + c->x[1]), f[0]);
        }
    return mix(mix(along[0][0], along[0][1], f[1]), mix(along[1][0], along[1][1], f[1]), f[2]);
}

/* ---- shading -------------------------------------------------------------------------------- */

/* Offsets of the voxels of cell c of an axis, clamped to the volume. */
INLINE void hold(int64_t c, uint32_t dim, size_t stride, size_t pair[2])
{
    int64_t last = (int64_t)dim - 1;
    for (int i = 0; i < 2; i++) {
        int64_t n = c + i;
        pair[i] = (size_t)(n < 0 ? 0 : n > last ? last : n) * stride;
    }
}

INLINE float difference(const struct scene *s, enum htmt__volume_voxel type, const int32_t cell[3],
                        const float f[3], int axis)
{
    const size_t stride[3] = {1, s->row, s->plane};
    float side[2];
    for (int i = 0; i < 2; i++) {
        size_t pair[3][2];
        for (int a = 0; a < 3; a++)
            hold(cell[a] + (a == axis ? 2 * i - 1 : 0), s->volume->dims[a], stride[a], pair[a]);
        struct corners c = {
            {pair[0][0], pair[0][1]}, {pair[1][0], pair[1][1]}, {pair[2][0], pair[2][1]}};
        side[i] = value(s->volume->at, type, &c, f);
    }
    return (side[1] - side[0]) * s->per[axis];
}

INLINE float cosine(const struct scene *s, enum htmt__volume_voxel type,
                    const struct htmt__volume_ray *ray, const int32_t cell[3], const float f[3])
{
    float g[3], l[3];
    for (int a = 0; a < 3; a++) {
        g[a] = difference(s, type, cell, f, a);
        l[a] = ray->step[a] * s->unit[a];
    }
    float q = (g[0] * g[0] + g[1] * g[1]) + g[2] * g[2];
    float d = fabsf((g[0] * l[0] + g[1] * l[1]) + g[2] * l[2]);
    float c = q > 0 ? d / sqrtf(q) : 0;
    return c < 1 ? c : 1;
}

INLINE void shade(const struct htmt__volume_shading *h, float c, unsigned channels, float alpha,
                  float light[3])
{
    float power = c, matt = h->ambient + h->diffuse * c;
    for (unsigned i = 0; i < h->gloss; i++)
        power *= power;
    float shine = alpha * (h->specular * power);
    for (unsigned i = 0; i < channels; i++)
        light[i] = light[i] * matt + shine;
}

/* ---- empty blocks --------------------------------------------------------------------------- */

/* The block that has that cell as its first. */
static bool invisible(const struct scene *s, const uint32_t first[3])
{
    const struct htmt__volume *v = s->volume;
    float low = HUGE_VALF, high = -HUGE_VALF;
    uint32_t end[3];
    for (int a = 0; a < 3; a++)
        end[a] = first[a] + BLOCK < v->dims[a] - 1 ? first[a] + BLOCK : v->dims[a] - 1;
    for (size_t z = first[2]; z <= end[2]; z++)
        for (size_t y = first[1]; y <= end[1]; y++)
            for (size_t x = first[0]; x <= end[0]; x++) {
                float u = htmt__volume_voxel_at(v->at, v->type, x + y * s->row + z * s->plane);
                low = u < low ? u : low;
                high = u > high ? u : high;
            }
    return htmt__volume_transfer_table_invisible(s->table, low, high);
}

static int find_empty(struct scene *s, struct htmt_fault *fault)
{
    for (int a = 0; a < 3; a++)
        s->blocks[a] = (s->volume->dims[a] - 1 + BLOCK - 1) / BLOCK;
    s->empty = malloc((size_t)s->blocks[0] * s->blocks[1] * s->blocks[2]);
    if (!s->empty)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the empty blocks of a volume");
    uint8_t *block = s->empty;
    for (uint32_t z = 0; z < s->blocks[2]; z++)
        for (uint32_t y = 0; y < s->blocks[1]; y++)
            for (uint32_t x = 0; x < s->blocks[0]; x++)
                *block++ = invisible(s, (uint32_t[]){x * BLOCK, y * BLOCK, z * BLOCK});
    return 0;
}

INLINE bool is_empty(const struct scene *s, const int32_t cell[3])
{
    size_t x = (size_t)cell[0] / BLOCK, y = (size_t)cell[1] / BLOCK, z = (size_t)cell[2] / BLOCK;
    return s->empty[x + s->blocks[0] * (y + s->blocks[1] * z)];
}

/* ---- rays ----------------------------------------------------------------------------------- */

INLINE void locate(const struct scene *s, const struct htmt__volume_ray *ray, uint32_t k,
                   float p[3], int32_t cell[3])
{
    float u = (float)k + 0.5f;
    for (int a = 0; a < 3; a++) {
        p[a] = ray->at[a] + u * ray->step[a];
        int32_t c = (int32_t)p[a], last = (int32_t)s->volume->dims[a] - 2;
        cell[a] = c < last ? c : last;
    }
}

INLINE float look_up(const struct htmt__volume_transfer_table *l, unsigned channels, float v,
                     float light[3])
{
    float x = v * l->gain + l->bias, last = (float)l->last;
    x = x > 0 ? x : 0;
    x = x < last ? x : last;
    int32_t n = (int32_t)x;
    float f = x - (float)n;
    const float *level = l->row + (size_t)n * 2 * (1 + channels), *delta = level + 1 + channels;
    for (unsigned i = 0; i < channels; i++)
        light[i] = level[1 + i] + f * delta[1 + i];
    return level[0] + f * delta[0];
}

/* ---- empty blocks of a ray ------------------------------------------------------------------ */

/* Number of steps to the nearest face of the block. */
INLINE float steps_to_face(const struct htmt__volume_ray *ray, const float p[3],
                           const int32_t cell[3])
{
    float steps = 1e6f;
    for (int a = 0; a < 3; a++) {
        float face = (float)(cell[a] / BLOCK * BLOCK + (ray->step[a] > 0 ? BLOCK : 0));
        float n = (face - p[a]) / ray->step[a];
        if (ray->step[a] != 0 && n < steps)
            steps = n;
    }
    return steps > 0 ? steps : 0;
}

/* Number of samples behind sample k in its block. The last of them confirms the guess: cells along
 * a ray are monotone. */
INLINE uint32_t samples_in_block(const struct scene *s, const struct htmt__volume_ray *ray,
                                 uint32_t k, const float p[3], const int32_t cell[3])
{
    uint32_t more = (uint32_t)steps_to_face(ray, p, cell), rest = ray->samples - k - 1;
    more = more < rest ? more : rest;
    float last_p[3];
    int32_t last[3];
    locate(s, ray, k + more, last_p, last);
    for (int a = 0; a < 3; a++)
        if (last[a] / BLOCK != cell[a] / BLOCK)
            return more / 2;
    return more;
}

/* ---- samples -------------------------------------------------------------------------------- */

/* One sample: 7 mixes, a row of the table, T and C. */
INLINE void take(const struct scene *s, enum htmt__volume_voxel type, unsigned channels,
                 bool shaded, const struct htmt__volume_ray *ray, const float p[3],
                 const int32_t cell[3], struct pixel *pixel)
{
    float f[3], light[3];
    for (int a = 0; a < 3; a++)
        f[a] = p[a] - (float)cell[a];
    size_t x = (size_t)cell[0], y = (size_t)cell[1] * s->row, z = (size_t)cell[2] * s->plane;
    struct corners c = {{x, x + 1}, {y, y + s->row}, {z, z + s->plane}};
    float alpha = look_up(s->table, channels, value(s->volume->at, type, &c, f), light);
    if (shaded && alpha > 0)
        shade(&s->casting->shading, cosine(s, type, ray, cell, f), channels, alpha, light);
    for (unsigned i = 0; i < channels; i++)
        pixel->colour[i] += pixel->through * (double)light[i];
    pixel->through -= pixel->through * (double)alpha;
}

INLINE void cast(const struct scene *s, enum htmt__volume_voxel type, unsigned channels,
                 bool shaded, const struct htmt__volume_ray *ray, struct pixel *pixel)
{
    struct pixel at = {.through = 1};
    const double limit = s->casting->limit;
    uint32_t k = 0;
    while (k < ray->samples && at.through > limit) {
        float p[3];
        int32_t cell[3];
        locate(s, ray, k, p, cell);
        if (s->empty && is_empty(s, cell)) {
            uint32_t more = samples_in_block(s, ray, k, p, cell);
            at.skipped += 1 + more;
            k += 1 + more;
        } else {
            take(s, type, channels, shaded, ray, p, cell, &at);
            k++;
        }
    }
    at.saved = ray->samples - k;
    at.taken = k - at.skipped;
    *pixel = at;
}

INLINE void cast_as(const struct scene *s, enum htmt__volume_voxel type,
                    const struct htmt__volume_ray *ray, struct pixel *pixel)
{
    bool shaded = s->casting->shading.on;
    if (s->table->channels == 1 && !shaded)
        cast(s, type, 1, false, ray, pixel);
    else if (s->table->channels == 1)
        cast(s, type, 1, true, ray, pixel);
    else if (!shaded)
        cast(s, type, 3, false, ray, pixel);
    else
        cast(s, type, 3, true, ray, pixel);
}

static void cast_any(const struct scene *s, const struct htmt__volume_ray *ray, struct pixel *pixel)
{
    switch (s->volume->type) {
    case HTMT__UINT8:
        cast_as(s, HTMT__UINT8, ray, pixel);
        break;
    case HTMT__INT16:
        cast_as(s, HTMT__INT16, ray, pixel);
        break;
    case HTMT__UINT16:
        cast_as(s, HTMT__UINT16, ray, pixel);
        break;
    case HTMT__FLOAT32:
        cast_as(s, HTMT__FLOAT32, ray, pixel);
        break;
    }
}

/* ---- images --------------------------------------------------------------------------------- */

#define ROWS 16u /* that a thread takes at a time */

struct casting_image {
    const struct scene *s;
    const struct htmt__volume_camera *camera;
    float *image;
    struct htmt__volume_cast_counts *counts; /* of each ROWS rows */
};

static void cast_rows(void *user, uint32_t part)
{
    const struct casting_image *w = user;
    const struct scene *s = w->s;
    const uint32_t width = w->camera->view.width, height = w->camera->view.height;
    const uint32_t end = height - part * ROWS < ROWS ? height : (part + 1) * ROWS;
    float *image = w->image + (size_t)part * ROWS * width * s->table->channels;
    struct htmt__volume_cast_counts counts = {0};
    for (uint32_t j = part * ROWS; j < end; j++)
        for (uint32_t i = 0; i < width; i++) {
            struct htmt__volume_ray ray;
            struct pixel pixel;
            htmt__volume_ray_of_pixel(w->camera, s->volume->dims, s->casting, i, j, &ray);
            cast_any(s, &ray, &pixel);
            for (unsigned c = 0; c < s->table->channels; c++)
                *image++ = (float)pixel.colour[c];
            counts.rays++;
            counts.inside += ray.samples > 0;
            counts.ended += pixel.through <= s->casting->limit;
            counts.taken += pixel.taken;
            counts.skipped += pixel.skipped;
            counts.saved += pixel.saved;
        }
    w->counts[part] = counts;
}

static int cast_image(const struct scene *s, unsigned threads,
                      const struct htmt__volume_camera *camera, float *image,
                      struct htmt__volume_cast_counts *all, struct htmt_fault *fault)
{
    const uint32_t parts = (camera->view.height + ROWS - 1) / ROWS;
    struct casting_image w = {s, camera, image, calloc(parts, sizeof *w.counts)};
    if (!w.counts)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the serial program");
    htmt_host_parts(threads, parts, cast_rows, &w);
    for (uint32_t i = 0; i < parts; i++) {
        all->rays += w.counts[i].rays;
        all->inside += w.counts[i].inside;
        all->ended += w.counts[i].ended;
        all->taken += w.counts[i].taken;
        all->skipped += w.counts[i].skipped;
        all->saved += w.counts[i].saved;
    }
    free(w.counts);
    return 0;
}

int htmt__volume_reference_image_on(unsigned threads, const struct htmt__volume *v,
                                    const struct htmt__volume_transfer_table *table,
                                    const struct htmt__volume_camera *camera,
                                    const struct htmt__volume_casting *casting, bool skip_empty,
                                    float *image, struct htmt__volume_cast_counts *counts,
                                    struct htmt_fault *fault)
{
    struct htmt__volume_cast_counts all = {0};
    struct scene s = {.volume = v,
                      .table = table,
                      .casting = casting,
                      .row = v->dims[0],
                      .plane = (size_t)v->dims[0] * v->dims[1]};
    for (int a = 0; a < 3; a++) {
        s.per[a] = (float)(1 / casting->spacing[a]);
        s.unit[a] = (float)(casting->spacing[a] / casting->step);
    }
    int rc = skip_empty ? find_empty(&s, fault) : 0;
    if (rc)
        return rc;
    rc = cast_image(&s, threads, camera, image, &all, fault);
    free(s.empty);
    if (counts)
        *counts = all;
    return rc;
}

int htmt__volume_reference_image(const struct htmt__volume *v,
                                 const struct htmt__volume_transfer_table *table,
                                 const struct htmt__volume_camera *camera,
                                 const struct htmt__volume_casting *casting, bool skip_empty,
                                 float *image, struct htmt__volume_cast_counts *counts,
                                 struct htmt_fault *fault)
{
    return htmt__volume_reference_image_on(1, v, table, camera, casting, skip_empty, image, counts,
                                           fault);
}
