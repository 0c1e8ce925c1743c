/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cameras, and the rays of their pixels.
 *
 * The image is a rectangle around the line of sight, half[0] to the right and half[1] up from its
 * middle. In a parallel view all rays have the direction of the line of sight and begin on the
 * rectangle. In a perspective view all begin at the eye and go through the rectangle at distance 1,
 * so half[1] is the tangent of half the angle. For example, of 4 pixels a row the columns lie at
 * -3/4, -1/4, 1/4 and 3/4 of half[0].
 */
#include "apps/volume/ray.h"

#include <math.h>

/* Sine of the smallest angle between up and the view that still defines the direction up. */
#define ANGLE_LEAST 1e-9

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double product[3])
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        product[i] = a[j] * b[k] - a[k] * b[j];
    }
}

/* Scale first, so that no square overflows. 0: the vector has no direction. */
static double normalise(double v[3])
{
    double most = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    if (most == 0)
        return 0;
    for (int a = 0; a < 3; a++)
        v[a] /= most;
    double length = sqrt(dot(v, v));
    for (int a = 0; a < 3; a++)
        v[a] /= length;
    return most * length;
}

/* ---- camera --------------------------------------------------------------------------------- */

static int check_view(const struct htmt__volume_view *view, struct htmt_fault *fault)
{
    const double *const vectors[] = {view->eye, view->focal, view->up};
    static const char *const names[] = {"eye", "focal point", "up vector"};
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < 3; a++)
            if (!isfinite(vectors[i][a]) || fabs(vectors[i][a]) > 1e9)
                return htmt_fault_set(fault, HTMT_ERANGE,
                                      "view: found %g %g %g for the %s, expected numbers of at "
                                      "most 1e9",
                                      vectors[i][0], vectors[i][1], vectors[i][2], names[i]);
    if (view->perspective && !(view->angle > 0 && view->angle < 180))
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "view: found an angle of %g degrees, expected more than 0 and less "
                              "than 180",
                              view->angle);
    if (!view->perspective && !(view->half_height > 0 && view->half_height <= 1e9))
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "view: found a half height of %g, expected more than 0 and at most "
                              "1e9",
                              view->half_height);
    if (!view->width || !view->height || view->width > HTMT__IMAGE_SIDE_MOST ||
        view->height > HTMT__IMAGE_SIDE_MOST)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "view: found an image of %u x %u, expected 1 to %d a side",
                              view->width, view->height, HTMT__IMAGE_SIDE_MOST);
    return 0;
}

static int orient(struct htmt__volume_camera *c, struct htmt_fault *fault)
{
    const struct htmt__volume_view *v = &c->view;
    double up[3] = {v->up[0], v->up[1], v->up[2]};
    for (int a = 0; a < 3; a++)
        c->forward[a] = v->focal[a] - v->eye[a];
    if (normalise(c->forward) == 0)
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "view: found the eye at the focal point (%g %g %g), expected two "
                              "different points",
                              v->eye[0], v->eye[1], v->eye[2]);
    if (normalise(up) == 0)
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "view: found an up vector of length 0, expected a direction");
    cross(c->forward, up, c->right);
    if (sqrt(dot(c->right, c->right)) < ANGLE_LEAST)
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "view: found up (%g %g %g) along the line of sight, expected it to "
                              "point aside",
                              v->up[0], v->up[1], v->up[2]);
    normalise(c->right);
    cross(c->right, c->forward, c->up);
    return 0;
}

int htmt__volume_camera_create(const struct htmt__volume_view *view,
                               struct htmt__volume_camera *camera, struct htmt_fault *fault)
{
    struct htmt__volume_camera c = {.view = *view};
    int rc = check_view(view, fault);
    if (!rc)
        rc = orient(&c, fault);
    if (rc)
        return rc;
    c.half[1] = view->perspective ? tan(view->angle * M_PI / 360) : view->half_height;
    c.half[0] = c.half[1] * (double)view->width / (double)view->height;
    *camera = c;
    return 0;
}

void htmt__volume_camera_ray(const struct htmt__volume_camera *c, uint32_t i, uint32_t j,
                             double origin[3], double direction[3])
{
    double x = c->half[0] * (2 * ((double)i + 0.5) / (double)c->view.width - 1);
    double y = c->half[1] * (1 - 2 * ((double)j + 0.5) / (double)c->view.height);
    for (int a = 0; a < 3; a++) {
        double aside = x * c->right[a] + y * c->up[a];
        origin[a] = c->view.eye[a] + (c->view.perspective ? 0 : aside);
        direction[a] = c->forward[a] + (c->view.perspective ? aside : 0);
    }
    normalise(direction);
}

/* ---- orbits --------------------------------------------------------------------------------- */

/* The arm from the focal point to the eye is rotated by Rodrigues' formula about the unit vector
 * along up. Quarters of a turn are exact, so a view along an axis stays along an axis. */
void htmt__volume_view_orbit(const struct htmt__volume_view *view, uint32_t frame, uint32_t frames,
                             struct htmt__volume_view *moved)
{
    static const double quarter[] = {0, 1, 0, -1, 0};
    uint64_t quarters = 4 * (uint64_t)frame / frames % 4;
    bool exact = 4 * (uint64_t)frame % frames == 0;
    double angle = 2 * M_PI * frame / frames;
    double sine = exact ? quarter[quarters] : sin(angle);
    double cosine = exact ? quarter[quarters + 1] : cos(angle);
    double axis[3] = {view->up[0], view->up[1], view->up[2]}, arm[3], across[3];
    *moved = *view;
    if (frame == 0 || normalise(axis) == 0)
        return;
    for (int a = 0; a < 3; a++)
        arm[a] = view->eye[a] - view->focal[a];
    double along = dot(axis, arm);
    cross(axis, arm, across);
    for (int a = 0; a < 3; a++) {
        double at = arm[a] * cosine + across[a] * sine + axis[a] * along * (1 - cosine);
        moved->eye[a] = view->focal[a] + at;
    }
}

/* ---- rays ----------------------------------------------------------------------------------- */

/* Along each axis the ray is between the faces of the volume from one t to another; it is inside
 * from the last of the entries to the first of the exits. */
void htmt__volume_ray_of_pixel(const struct htmt__volume_camera *camera, const uint32_t dims[3],
                               const struct htmt__volume_casting *casting, uint32_t i, uint32_t j,
                               struct htmt__volume_ray *ray)
{
    double origin[3], direction[3], enter = 0, leave = HUGE_VAL;
    htmt__volume_camera_ray(camera, i, j, origin, direction);
    for (int a = 0; a < 3; a++) {
        const double end = dims[a] - 1.0;
        origin[a] /= casting->spacing[a];
        direction[a] /= casting->spacing[a];
        if (direction[a] == 0) {
            if (origin[a] < 0 || origin[a] > end)
                leave = -1;
            continue;
        }
        double first = (0 - origin[a]) / direction[a], second = (end - origin[a]) / direction[a];
        enter = fmax(enter, fmin(first, second));
        leave = fmin(leave, fmax(first, second));
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
