/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The viewpoint: the user's view, the camera made from it, and the ray of a pixel.
 *
 * Coordinates are index space times the spacing in use. The ray of pixel (i, j), column i from the
 * left, row j from the top, goes through ((i + 0.5) / width, (j + 0.5) / height) of the image
 * plane. The direction to the right is forward x up.
 */
#ifndef HTMT_APPS_VOLUME_VIEW_H
#define HTMT_APPS_VOLUME_VIEW_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stdint.h>

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
                             struct htmt__volume_view *turned);

#endif
