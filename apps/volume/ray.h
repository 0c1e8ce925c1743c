/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Views, the rays of their pixels, and the contract of ray casting.
 *
 * Coordinates are index space times the spacing in use. The ray of pixel (i, j), column i from the
 * left, row j from the top, goes through ((i + 0.5) / width, (j + 0.5) / height) of the image
 * plane. The direction to the right is forward x up.
 *
 * The contract. The serial reference and the parcels' kernels follow it, each with
 * its own code. Every operation on samples is one IEEE operation in the named type, in the written
 * order, not contracted (this folder is compiled with -ffp-contract=off). The images are therefore
 * the same to the last bit for either code, any subcube size and any processor.
 *
 * Samples (float). Sample k = 0 ... samples-1 of a ray lies, in index space, for each axis a at
 *     p_a = at_a + ((float)k + 0.5f) * step_a
 * counted from the point where the ray enters the volume, or from the eye inside the volume: no
 * subcube moves a sample. Its cell and its place in the cell are
 *     c_a = min((int)p_a, dims_a - 2)
 *     f_a = p_a - (float)c_a
 * The cell determines the subcube that owns the sample: cells [n B, (n+1) B) of an axis belong to
 * subcube n of side B, which needs their voxels [n B, (n+1) B] (shading: one more on either side).
 * p_a is monotone in k, so a ray's samples in a subcube follow each other.
 *
 * Value (float): stored voxels, interpolated along x, then y, then z, each by u + f * (v - u):
 *     s(y, z) = s(c_x, y, z) + f_x * (s(c_x+1, y, z) - s(c_x, y, z)), ...
 *
 * Appearance (float): alpha and light by htmt__volume_transfer_table (transfer.h). A sample with
 * alpha == 0 adds nothing: the image is the same whether the sample is taken or skipped.
 *
 * Shading (float), if enabled and alpha > 0, with a light at the eye. V(c) is the value at the
 * same f in cell c, with voxel numbers clamped to [0, dims-1]. per_a = 1 / spacing_a. unit_a =
 * spacing_a / step, which makes l a unit vector.
 *     g_a    = (V(c + e_a) - V(c - e_a)) * per_a
 *     l_a    = step_a * unit_a
 *     q      = (g_x * g_x + g_y * g_y) + g_z * g_z
 *     d      = |(g_x * l_x + g_y * l_y) + g_z * l_z|
 *     cosine = q > 0 ? min(d / sqrtf(q), 1) : 0
 *     light  = light * (ambient + diffuse * cosine) + alpha * (specular * cosine^(2^gloss))
 * The power is computed by squaring `gloss` times; each channel is computed the same way.
 *
 * Accumulation (double): colour C = 0 and transparency T = 1 before the first sample, then
 *     C += T * (double)light,   T -= T * (double)alpha
 * in ascending k. The ray has ended when T <= limit: 1 - threshold, or -1 when termination is off.
 * A pixel is C, as float, over a black background.
 */
#ifndef HTMT_APPS_VOLUME_RAY_H
#define HTMT_APPS_VOLUME_RAY_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- views ---------------------------------------------------------------------------------- */

#define HTMT__IMAGE_SIDE_MOST 32768

struct htmt__volume_view {
    bool perspective;
    double eye[3], focal[3], up[3];
    double angle;       /* perspective: whole vertical angle in degrees, above 0, below 180 */
    double half_height; /* parallel: half the image's height in space */
    uint32_t width, height;
};

struct htmt__volume_camera {
    struct htmt__volume_view view;
    double forward[3], right[3], up[3]; /* unit vectors */
    double half[2];                     /* half width and height: parallel in space, perspective at
                                           distance 1 */
};

/* Errors: HTMT_EINVAL (eye at the focal point; up zero or along the view), HTMT_ERANGE (angle, half
 * height, size, or a number that is not finite). */
int htmt__volume_camera_create(const struct htmt__volume_view *view,
                               struct htmt__volume_camera *camera, struct htmt_fault *fault);

/* The start of the ray and its direction, a unit vector. */
void htmt__volume_camera_ray(const struct htmt__volume_camera *camera, uint32_t i, uint32_t j,
                             double origin[3], double direction[3]);

/* Frame number `frame` of `frames` of an orbit: turn the eye about the axis through the focal point
 * along up, by frame / frames of a full turn (counter-clockwise seen from above). */
void htmt__volume_view_orbit(const struct htmt__volume_view *view, uint32_t frame, uint32_t frames,
                             struct htmt__volume_view *moved);

/* ---- rays ----------------------------------------------------------------------------------- */

struct htmt__volume_shading {
    bool on;
    float ambient, diffuse, specular;
    unsigned gloss; /* squarings of the cosine */
};

/* The parameters of both ray casters for an image, beside volume and transfer table. */
struct htmt__volume_casting {
    double step;       /* length between samples */
    double spacing[3]; /* in use: 1, 1, 1 is index space */
    double limit;      /* of T */
    struct htmt__volume_shading shading;
};

struct htmt__volume_ray {
    float at[3], step[3]; /* index space */
    uint32_t samples;     /* none if the ray misses the volume or the volume lies behind the eye */
};

/* The ray of a pixel. From t0 = max(0, entry) to the exit t1 it has floor((t1 - t0) / step + 0.5)
 * samples, each in the middle of its step. For a step that divides the length, the steps fill the
 * length. */
void htmt__volume_ray_of_pixel(const struct htmt__volume_camera *camera, const uint32_t dims[3],
                               const struct htmt__volume_casting *casting, uint32_t i, uint32_t j,
                               struct htmt__volume_ray *ray);

#endif
