/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Volumes in memory: types of voxels, life, orientation, range, and the phantom from a formula.
 *
 * Types. The casters read four types of voxels. Small integers keep theirs, since a parcel carries
 * the bytes of its voxels and a byte is a quarter of a float. All others become float32, which
 * holds every integer up to 2^24 and rounds the rest; the largest difference is kept for a warning.
 * An integer beyond 2^53 would be rounded twice, once on its way through double, and the difference
 * of the first rounding would go unseen: it is refused.
 *
 * Orientation. A header gives, for each axis of the file, the step from one voxel to the next in
 * the body's space: to the right, to the front, to the head. The axis is called after the direction
 * that it is nearest to, and the angle between both is its tilt. For example, steps of (-0.9, 0,
 * 0.1), (0, 0.9, 0) and (0, 0, 1.5) are the axes L, A and S; the first one has a length of 0.906
 * and a tilt of 6.3 degrees. Turning a volume to RAS flips and exchanges axes, and leaves tilts as
 * they are: it moves voxels and computes none.
 */
#include "apps/lib/host_parts.h"
#include "apps/volume/io/volume_file.h"
#include "runtime/base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <nifti2_io.h>
#include <stdlib.h>
#include <string.h>

#define SPACING_LEAST 1e-6
#define SPACING_MOST  1e6

/* ---- types of voxels ------------------------------------------------------------------------ */

static const struct {
    const char *name;
    size_t bytes;
    enum htmt__volume_voxel held;
} types[] = {[HTMT__STORED_UINT8] = {"uint8", 1, HTMT__UINT8},
             [HTMT__STORED_INT16] = {"int16", 2, HTMT__INT16},
             [HTMT__STORED_UINT16] = {"uint16", 2, HTMT__UINT16},
             [HTMT__STORED_FLOAT32] = {"float32", 4, HTMT__FLOAT32},
             [HTMT__STORED_INT8] = {"int8", 1, HTMT__INT16},
             [HTMT__STORED_INT32] = {"int32", 4, HTMT__FLOAT32},
             [HTMT__STORED_UINT32] = {"uint32", 4, HTMT__FLOAT32},
             [HTMT__STORED_FLOAT64] = {"float64", 8, HTMT__FLOAT32},
             [HTMT__STORED_INT64] = {"int64", 8, HTMT__FLOAT32},
             [HTMT__STORED_UINT64] = {"uint64", 8, HTMT__FLOAT32}};

const char *htmt__volume_stored_name(enum htmt__volume_stored type)
{
    return types[type].name;
}

size_t htmt__volume_stored_bytes(enum htmt__volume_stored type)
{
    return types[type].bytes;
}

enum htmt__volume_voxel htmt__volume_stored_held(enum htmt__volume_stored type)
{
    return types[type].held;
}

int htmt__volume_stored_of_name(const char *name, enum htmt__volume_stored *type)
{
    for (size_t i = 0; i < HTMT__STORED_TYPES; i++)
        if (!strcmp(name, types[i].name)) {
            *type = (enum htmt__volume_stored)i;
            return 0;
        }
    return HTMT_EINVAL;
}

size_t htmt__volume_stored_convert(const void *from, enum htmt__volume_stored type, size_t count,
                                   void *to, double *rounding)
{
    for (size_t n = 0; n < count; n++) {
        if (type == HTMT__STORED_INT8) {
            ((int16_t *)to)[n] = ((const int8_t *)from)[n];
            continue;
        }
        double value;
        switch (type) {
        case HTMT__STORED_INT32:
            value = ((const int32_t *)from)[n];
            break;
        case HTMT__STORED_UINT32:
            value = ((const uint32_t *)from)[n];
            break;
        case HTMT__STORED_INT64:
            if (((const int64_t *)from)[n] > HTMT__STORED_INTEGER_MOST ||
                ((const int64_t *)from)[n] < -HTMT__STORED_INTEGER_MOST)
                return n;
            value = (double)((const int64_t *)from)[n];
            break;
        case HTMT__STORED_UINT64:
            if (((const uint64_t *)from)[n] > HTMT__STORED_INTEGER_MOST)
                return n;
            value = (double)((const uint64_t *)from)[n];
            break;
        default:
            value = ((const double *)from)[n];
        }
        float real = (float)value;
        ((float *)to)[n] = real;
        if (isfinite(value) && isinf(real))
            return n;
        *rounding = fmax(*rounding, fabs(value - (double)real));
    }
    return count;
}

static const struct {
    const char *name;
    size_t bytes;
} voxels[] = {[HTMT__UINT8] = {"uint8", 1},
              [HTMT__INT16] = {"int16", 2},
              [HTMT__UINT16] = {"uint16", 2},
              [HTMT__FLOAT32] = {"float32", 4}};

size_t htmt__volume_voxel_bytes(enum htmt__volume_voxel type)
{
    return voxels[type].bytes;
}

const char *htmt__volume_voxel_name(enum htmt__volume_voxel type)
{
    return voxels[type].name;
}

/* ---- life ----------------------------------------------------------------------------------- */

uint64_t htmt__volume_voxels(const struct htmt__volume *v)
{
    return (uint64_t)v->dims[0] * v->dims[1] * v->dims[2];
}

int htmt__volume_check_sides(const uint32_t dims[3], struct htmt_fault *fault)
{
    for (int a = 0; a < 3; a++)
        if (dims[a] < 2 || dims[a] > HTMT__VOLUME_SIDE_MOST)
            return htmt_fault_set(fault, HTMT_ERANGE,
                                  "found dimensions %u x %u x %u, expected 2 to %d a side", dims[0],
                                  dims[1], dims[2], HTMT__VOLUME_SIDE_MOST);
    return 0;
}

/* Fewer than 2^45 voxels: no product overflows. */
int htmt__volume_create(struct htmt__volume *v, const uint32_t dims[3],
                        enum htmt__volume_voxel type, struct htmt_fault *fault)
{
    struct htmt__volume made = {
        .dims = {dims[0], dims[1], dims[2]}, .type = type, .slope = 1, .spacing = {1, 1, 1}};
    int rc = htmt__volume_check_sides(dims, fault);
    if (rc)
        return rc;
    uint64_t bytes = htmt__volume_voxels(&made) * htmt__volume_voxel_bytes(type);
    char left[HTMT_MEMORY_TEXT];
    if (!htmt_memory_holds((double)bytes, left))
        return htmt_fault_set(fault, HTMT_EHOSTFIT,
                              "a volume of %u x %u x %u voxels takes %" PRIu64 " bytes, %s",
                              dims[0], dims[1], dims[2], bytes, left);
    made.at = calloc(htmt__volume_voxels(&made), htmt__volume_voxel_bytes(type));
    if (!made.at)
        return htmt_fault_set(fault, HTMT_ENOMEM,
                              "no host memory for a volume of %u x %u x %u voxels", dims[0],
                              dims[1], dims[2]);
    *v = made;
    return 0;
}

void htmt__volume_destroy(struct htmt__volume *v)
{
    free(v->at);
    *v = (struct htmt__volume){.at = NULL};
}

/* ---- distances and directions of a header --------------------------------------------------- */

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

void htmt__volume_header_orient(struct htmt__volume_header *h, double direction[3][3])
{
    static const char letters[] = "?RLAPSI"; /* where an axis of each code runs to */
    struct htmt__volume_source *s = &h->source;
    nifti_dmat44 m = {.m = {{0}}};
    int code[3] = {0}; /* the nearest direction of the body: NIFTI_L2R to NIFTI_S2I, or 0 */
    for (int a = 0; a < 3; a++) {
        if (!usable(length_of(direction[a])))
            return;
        for (int i = 0; i < 3; i++)
            m.m[i][a] = direction[a][i];
    }
    nifti_dmat44_to_orientation(m, &code[0], &code[1], &code[2]);
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

/* ---- reorientation -------------------------------------------------------------------------- */

bool htmt__volume_lies_right(const struct htmt__volume *v)
{
    return !v->source.axes[0] || strcmp(v->source.axes, "RAS") == 0;
}

/* Axis a of the new volume is axis from[a] of the file's, and runs the other way if back[a]. A step
 * along it is stride[a] voxels of the file's volume, from the voxel `start` on, which is the new
 * volume's first. For example, "LPS" has from = 0, 1, 2, and x and y run back: strides -1, -dims[0]
 * and dims[0] dims[1], from the last voxel of the last row of the first plane. */
int htmt__volume_reorient(struct htmt__volume *v, struct htmt_fault *fault)
{
    static const char *const ends = "RLAPSI";
    const ptrdiff_t file[3] = {1, v->dims[0], (ptrdiff_t)v->dims[0] * v->dims[1]};
    const ptrdiff_t bytes = (ptrdiff_t)htmt__volume_voxel_bytes(v->type);
    int from[3] = {0, 1, 2};
    bool back[3] = {false};
    ptrdiff_t stride[3], start = 0;
    struct htmt__volume made;
    if (htmt__volume_lies_right(v))
        return 0;
    for (int a = 0; a < 3; a++) {
        int end = (int)(strchr(ends, v->source.axes[a]) - ends);
        from[end / 2] = a;
        back[end / 2] = end % 2;
    }
    for (int a = 0; a < 3; a++) {
        stride[a] = back[a] ? -file[from[a]] : file[from[a]];
        start += back[a] ? (ptrdiff_t)(v->dims[from[a]] - 1) * file[from[a]] : 0;
    }
    uint32_t dims[3] = {v->dims[from[0]], v->dims[from[1]], v->dims[from[2]]};
    int rc = htmt__volume_create(&made, dims, v->type, fault);
    if (rc)
        return rc;
    char *to = made.at;
    for (uint32_t z = 0; z < dims[2]; z++)
        for (uint32_t y = 0; y < dims[1]; y++)
            for (uint32_t x = 0; x < dims[0]; x++, to += bytes) {
                ptrdiff_t at = start + x * stride[0] + y * stride[1] + z * stride[2];
                memcpy(to, (const char *)v->at + at * bytes, (size_t)bytes);
            }
    made.slope = v->slope;
    made.intercept = v->intercept;
    made.source = v->source;
    for (int a = 0; a < 3; a++)
        made.spacing[a] = v->spacing[from[a]];
    htmt__volume_destroy(v);
    *v = made;
    return 0;
}

/* ---- range ---------------------------------------------------------------------------------- */

/* The range is one of stored numbers first, and of values behind them: with a negative slope the
 * greatest number has the least value. */

/* A comparison with NaN is false, so it changes neither end. */
bool htmt__volume_extremes(const struct htmt__volume *v, float stored[2])
{
    stored[0] = INFINITY;
    stored[1] = -INFINITY;
    for (uint64_t n = 0; n < htmt__volume_voxels(v); n++) {
        float value = htmt__volume_voxel_at(v->at, v->type, n);
        stored[0] = value < stored[0] ? value : stored[0];
        stored[1] = value > stored[1] ? value : stored[1];
    }
    return stored[0] <= stored[1];
}

void htmt__volume_values(const struct htmt__volume *v, const float stored[2], double range[2])
{
    double low = (double)stored[0] * v->slope, high = (double)stored[1] * v->slope;
    range[0] = fmin(low, high) + v->intercept;
    range[1] = fmax(low, high) + v->intercept;
}

float htmt__volume_least(const struct htmt__volume *v, const float stored[2])
{
    return stored[v->slope < 0];
}

void htmt__volume_range(const struct htmt__volume *v, double range[2])
{
    float stored[2];
    htmt__volume_extremes(v, stored);
    htmt__volume_values(v, stored, range);
}

/* ---- phantom -------------------------------------------------------------------------------- */

/* An ellipsoid of the phantom: its value, half axes, centre, rotation about z in degrees. */
struct ellipsoid {
    double adds, axis[3], centre[3], angle;
};

static const struct ellipsoid head[] = {
    {1.00, {0.69, 0.92, 0.90}, {0, 0, 0}, 0},
    {-0.80, {0.6624, 0.874, 0.88}, {0, 0, 0}, 0},
    {-0.20, {0.41, 0.16, 0.21}, {-0.22, 0, -0.25}, 108},
    {-0.20, {0.31, 0.11, 0.22}, {0.22, 0, -0.25}, 72},
    {0.20, {0.21, 0.25, 0.50}, {0, 0.35, -0.25}, 0},
    {0.20, {0.046, 0.046, 0.046}, {0, 0.1, -0.25}, 0},
    {0.10, {0.046, 0.023, 0.02}, {-0.08, -0.65, -0.25}, 0},
    {0.10, {0.046, 0.023, 0.02}, {0.06, -0.65, -0.25}, 90},
    {0.20, {0.056, 0.04, 0.10}, {0.06, -0.105, 0.625}, 90},
    {-0.20, {0.056, 0.056, 0.10}, {0, 0.1, 0.625}, 0},
};

/* The share of a voxel that lies inside an ellipsoid is taken from the distance of its centre p to
 * the surface q = 1: 1 - q over the slope |grad q| is that distance, and over the side of the voxel
 * it goes from -1/2 (outside) to 1/2 (inside). So borders are smooth.
 *
 * Most voxels are far from the surface and need no slope: it is at most 2 sqrt(q) / a, with a the
 * shortest half axis, so the share is 0 or 1 where |1 - q| >= sqrt(q) voxel / a. A thousandth is
 * left for rounding, so that the rule gives what the slope would give. The more q exceeds 1, the
 * more it exceeds that: where z alone is too far away, so is the whole plane. */
struct border {
    double cosine, sine, near; /* near: (voxel / a)^2 */
};

static bool is_far(double q, double near)
{
    return fabs(1 - q) > 1e-6 && (1 - q) * (1 - q) >= 1.001 * near * q;
}

static double share_inside(const struct ellipsoid *e, double voxel, double u, double v, double w,
                           double q)
{
    double slope = 2 * hypot(u / e->axis[0], hypot(v / e->axis[1], w / e->axis[2]));
    return fmin(fmax(0.5 + (1 - q) / fmax(slope * voxel, 1e-9), 0), 1);
}

#define ELLIPSOIDS (sizeof head / sizeof *head)

/* The ellipsoids that plane z meets, by their numbers: how many. */
static unsigned meets(const struct border border[ELLIPSOIDS], double z, unsigned met[ELLIPSOIDS])
{
    unsigned count = 0;
    for (unsigned i = 0; i < ELLIPSOIDS; i++) {
        const double w = (z - head[i].centre[2]) / head[i].axis[2];
        if (w * w <= 1 || !is_far(w * w, border[i].near))
            met[count++] = i;
    }
    return count;
}

static void phantom_plane(uint32_t side, uint32_t number, const struct border border[ELLIPSOIDS],
                          uint8_t *at)
{
    const double voxel = 2.0 / (side - 1), z = 2.0 * number / (side - 1) - 1;
    unsigned met[ELLIPSOIDS];
    const unsigned count = meets(border, z, met);
    for (uint32_t n = 0; n < side * side; n++) {
        const double px = 2.0 * (n % side) / (side - 1) - 1, py = 2.0 * (n / side) / (side - 1) - 1;
        double density = 0;
        for (unsigned i = 0; i < count; i++) {
            const struct ellipsoid *e = &head[met[i]];
            const struct border *b = &border[met[i]];
            double x = px - e->centre[0], y = py - e->centre[1];
            double u = (b->cosine * x + b->sine * y) / e->axis[0],
                   v = (b->cosine * y - b->sine * x) / e->axis[1],
                   w = (z - e->centre[2]) / e->axis[2];
            double q = u * u + v * v + w * w;
            if (!is_far(q, b->near))
                density += e->adds * share_inside(e, voxel, u, v, w, q);
            else if (q < 1)
                density += e->adds;
        }
        at[n] = (uint8_t)lround(255 * fmin(fmax(density, 0), 1));
    }
}

struct phantom {
    uint32_t side, first;
    struct border border[ELLIPSOIDS];
    uint8_t *at;
};

static void make_plane(void *user, uint32_t number)
{
    const struct phantom *p = user;
    phantom_plane(p->side, p->first + number, p->border,
                  p->at + (size_t)number * p->side * p->side);
}

void htmt__volume_phantom_planes(uint32_t side, uint32_t first, uint32_t count, unsigned threads,
                                 uint8_t *at)
{
    struct phantom p = {.side = side, .first = first, .at = at};
    for (size_t i = 0; i < ELLIPSOIDS; i++) {
        const struct ellipsoid *e = &head[i];
        const double least = fmin(e->axis[0], fmin(e->axis[1], e->axis[2]));
        p.border[i] = (struct border){.cosine = cos(e->angle * M_PI / 180),
                                      .sine = sin(e->angle * M_PI / 180),
                                      .near = 4.0 / (side - 1) / (side - 1) / (least * least)};
    }
    htmt_host_parts(threads, count, make_plane, &p);
}

int htmt__volume_phantom(uint32_t side, unsigned threads, struct htmt__volume *v,
                         struct htmt_fault *fault)
{
    int rc = htmt__volume_create(v, (uint32_t[]){side, side, side}, HTMT__UINT8, fault);
    if (!rc)
        htmt__volume_phantom_planes(side, 0, side, threads, v->at);
    return rc;
}
