/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a file's axes lie in space: distances and directions of its header, and the volume turned.
 */
#include "apps/volume/io/volume_file.h"

#include <math.h>
#include <nifti2_io.h>
#include <string.h>

#define SPACING_LEAST 1e-6
#define SPACING_MOST  1e6

/* ---- headers -------------------------------------------------------------------------------- */

static bool usable(double distance)
{
    return distance >= SPACING_LEAST && distance <= SPACING_MOST;
}

void htmt__volume_header_space(struct htmt__volume_header *h, int axis, double distance)
{
    h->source.has_distance[axis] = true;
    h->source.distance[axis] = distance;
    h->source.spaced[axis] = usable(fabs(distance));
    h->spacing[axis] = h->source.spaced[axis] ? fabs(distance) : 1;
}

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The nearest directions of the body: codes NIFTI_L2R to NIFTI_S2I, or 0. */
static void nearest(double direction[3][3], int code[3])
{
    nifti_dmat44 m = {.m = {{0}}};
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++)
            m.m[i][a] = direction[a][i];
    nifti_dmat44_to_orientation(m, &code[0], &code[1], &code[2]);
}

static bool sound(double direction[3][3])
{
    for (int a = 0; a < 3; a++)
        if (!usable(length_of(direction[a])))
            return false;
    return true;
}

void htmt__volume_header_orient(struct htmt__volume_header *h, double direction[3][3])
{
    static const char letters[] = "?RLAPSI"; /* where an axis of each code runs to */
    struct htmt__volume_source *s = &h->source;
    int code[3] = {0};
    if (!sound(direction))
        return;
    nearest(direction, code);
    if (!code[0] || !code[1] || !code[2])
        return;
    for (int a = 0; a < 3; a++) {
        double length = length_of(direction[a]);
        double along = fabs(direction[a][(code[a] - 1) / 2]) / length;
        s->axes[a] = letters[code[a]];
        s->column[a] = length;
        s->tilt = fmax(s->tilt, acos(fmin(along, 1)) * 180 / M_PI);
        if (!s->spaced[a])
            h->spacing[a] = length;
    }
}

/* ---- turning -------------------------------------------------------------------------------- */

/* For each axis of the turned volume: the axis of the file, and whether it runs the other way. */
struct turn {
    int from[3];
    bool back[3];
};

static struct turn turn_of(const char axes[4])
{
    static const char *const ends = "RLAPSI";
    struct turn t = {.from = {0, 1, 2}};
    for (int a = 0; a < 3; a++) {
        int end = (int)(strchr(ends, axes[a]) - ends);
        t.from[end / 2] = a;
        t.back[end / 2] = end % 2;
    }
    return t;
}

/* Steps in voxels of the file's volume along each axis of the turned one, from `start`. */
static size_t strides(const struct htmt__volume *v, const struct turn *t, ptrdiff_t stride[3])
{
    const ptrdiff_t file[3] = {1, v->dims[0], (ptrdiff_t)v->dims[0] * v->dims[1]};
    ptrdiff_t start = 0;
    for (int a = 0; a < 3; a++) {
        stride[a] = t->back[a] ? -file[t->from[a]] : file[t->from[a]];
        start += t->back[a] ? (ptrdiff_t)(v->dims[t->from[a]] - 1) * file[t->from[a]] : 0;
    }
    return (size_t)start;
}

static void copy_row(const struct htmt__volume *v, const char *from, ptrdiff_t stride,
                     uint32_t count, char *to)
{
    size_t bytes = htmt__volume_voxel_bytes(v->type);
    for (uint32_t x = 0; x < count; x++)
        memcpy(to + x * bytes, from + (ptrdiff_t)x * stride * (ptrdiff_t)bytes, bytes);
}

static void copy_turned(const struct htmt__volume *v, const struct turn *t,
                        struct htmt__volume *turned)
{
    ptrdiff_t stride[3], bytes = (ptrdiff_t)htmt__volume_voxel_bytes(v->type);
    const char *from = (const char *)v->at + (ptrdiff_t)strides(v, t, stride) * bytes;
    char *to = turned->at;
    for (uint32_t z = 0; z < turned->dims[2]; z++)
        for (uint32_t y = 0; y < turned->dims[1]; y++) {
            copy_row(v, from + (z * stride[2] + y * stride[1]) * bytes, stride[0], turned->dims[0],
                     to);
            to += turned->dims[0] * (size_t)bytes;
        }
}

bool htmt__volume_lies_right(const struct htmt__volume *v)
{
    return !v->source.axes[0] || strcmp(v->source.axes, "RAS") == 0;
}

int htmt__volume_turn(struct htmt__volume *v, struct htmt_fault *fault)
{
    struct htmt__volume made;
    if (htmt__volume_lies_right(v))
        return 0;
    struct turn t = turn_of(v->source.axes);
    uint32_t dims[3] = {v->dims[t.from[0]], v->dims[t.from[1]], v->dims[t.from[2]]};
    int rc = htmt__volume_create(&made, dims, v->type, fault);
    if (rc)
        return rc;
    copy_turned(v, &t, &made);
    made.slope = v->slope;
    made.intercept = v->intercept;
    made.source = v->source;
    for (int a = 0; a < 3; a++)
        made.spacing[a] = v->spacing[t.from[a]];
    htmt__volume_destroy(v);
    *v = made;
    return 0;
}
