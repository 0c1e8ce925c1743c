/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/volume/ray.h"

#include <math.h>

/* Narrow [*enter, *leave] to the part where origin + t direction is in [0, end]. */
static void clip(double origin, double direction, double end, double *enter, double *leave)
{
    if (direction == 0) {
        if (origin < 0 || origin > end)
            *leave = -1;
        return;
    }
    double first = (0 - origin) / direction, second = (end - origin) / direction;
    *enter = fmax(*enter, fmin(first, second));
    *leave = fmin(*leave, fmax(first, second));
}

void htmt__volume_ray_of_pixel(const struct htmt__volume_camera *camera, const uint32_t dims[3],
                               const struct htmt__volume_casting *casting, uint32_t i, uint32_t j,
                               struct htmt__volume_ray *ray)
{
    double origin[3], direction[3], enter = 0, leave = HUGE_VAL;
    htmt__volume_camera_ray(camera, i, j, origin, direction);
    for (int a = 0; a < 3; a++) {
        origin[a] /= casting->spacing[a];
        direction[a] /= casting->spacing[a];
        clip(origin[a], direction[a], dims[a] - 1.0, &enter, &leave);
    }
    *ray = (struct htmt__volume_ray){.samples = 0};
    if (!(leave > enter))
        return;
    ray->samples = (uint32_t)floor((leave - enter) / casting->step + 0.5);
    for (int a = 0; a < 3; a++) {
        ray->at[a] = (float)(origin[a] + enter * direction[a]);
        ray->step[a] = (float)(casting->step * direction[a]);
    }
}
