/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/volume/framing.h"

#include <math.h>

static const double directions[][3] = {
    [HTMT__FRONT] = {0, 1, 0},         [HTMT__BACK] = {0, -1, 0}, [HTMT__LEFT] = {-1, 0, 0},
    [HTMT__RIGHT] = {1, 0, 0},         [HTMT__ABOVE] = {0, 0, 1}, [HTMT__BELOW] = {0, 0, -1},
    [HTMT__OBLIQUE] = {0.4, 0.6, 0.3},
};

/* ---- reach ---------------------------------------------------------------------------------- */

/* A corner of the box, relative to the focal point: right, up and forward in the image. */
static void corner_of(const struct htmt__volume_camera *c, const double extent[3], int corner,
                      double place[3])
{
    place[0] = place[1] = place[2] = 0;
    for (int a = 0; a < 3; a++) {
        double d = (corner >> a & 1 ? extent[a] : 0) - c->view.focal[a];
        place[0] += d * c->right[a];
        place[1] += d * c->up[a];
        place[2] += d * c->forward[a];
    }
}

/* Parallel: half the height of the image that holds the box. Perspective: the distance from which
 * the image holds it; `slope` is that of its upper edge. */
static double reach(const struct htmt__volume_camera *c, const double extent[3], double slope)
{
    double wide = (double)c->view.height / (double)c->view.width, most = 0;
    for (int corner = 0; corner < 8; corner++) {
        double at[3];
        corner_of(c, extent, corner, at);
        double half = fmax(fabs(at[1]), fabs(at[0]) * wide);
        most = fmax(most, c->view.perspective ? half / slope - at[2] : half);
    }
    return most;
}

/* The largest of all frames, so that an orbit has one scale. A view without a camera is refused
 * when its camera is made. */
static double reach_of_orbit(const struct htmt__volume_view *first, uint32_t frames,
                             const double extent[3])
{
    double slope = tan(fmin(fmax(first->angle, 1), 179) * M_PI / 360), most = 0;
    for (uint32_t n = 0; n < frames; n++) {
        struct htmt__volume_view view;
        struct htmt__volume_camera camera;
        htmt__volume_view_orbit(first, n, frames, &view);
        if (htmt__volume_camera_create(&view, &camera, NULL))
            return 1;
        most = fmax(most, reach(&camera, extent, slope));
    }
    return most;
}

/* ---- view ----------------------------------------------------------------------------------- */

/* Far enough to be outside the box. */
static double parallel_distance(const double extent[3], const struct htmt__volume_view *v)
{
    double diagonal = hypot(extent[0], hypot(extent[1], extent[2]));
    return diagonal * fmax(1, (double)v->height / (double)v->width);
}

static void place_eye(enum htmt__volume_side from, double away, struct htmt__volume_view *v)
{
    const double *d = directions[from];
    double length = hypot(d[0], hypot(d[1], d[2]));
    for (int a = 0; a < 3; a++)
        v->eye[a] = v->focal[a] + away * d[a] / length;
}

void htmt__volume_frame(const struct htmt__volume_settings *s, const double extent[3],
                        struct htmt__volume_view *v)
{
    bool along_z = s->from == HTMT__ABOVE || s->from == HTMT__BELOW;
    *v = s->view;
    for (int a = 0; a < 3; a++) {
        if (!s->has_focal)
            v->focal[a] = extent[a] / 2;
        if (!s->has_up)
            v->up[a] = a == (along_z && !s->has_eye ? 1 : 2);
    }
    if (!s->has_eye)
        place_eye(s->from, parallel_distance(extent, v), v);
    if (!s->has_half_height)
        v->half_height = 1;
    double most = reach_of_orbit(v, s->frames, extent);
    if (v->perspective && !s->has_eye)
        place_eye(s->from, most, v);
    if (!v->perspective && !s->has_half_height)
        v->half_height = most;
}
