/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Create and destroy volumes, and make the phantom from a formula.
 */
#include "apps/volume/io/volume_file.h"
#include "runtime/base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- range ---------------------------------------------------------------------------------- */

void htmt__volume_range(const struct htmt__volume *v, double range[2])
{
    double low = (double)htmt__volume_voxel_at(v->at, v->type, 0), high = low;
    for (uint64_t n = 1; n < htmt__volume_voxels(v); n++) {
        double value = (double)htmt__volume_voxel_at(v->at, v->type, n);
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    range[0] = fmin(low * v->slope, high * v->slope) + v->intercept;
    range[1] = fmax(low * v->slope, high * v->slope) + v->intercept;
}

/* ---- phantom -------------------------------------------------------------------------------- */

/* An ellipsoid of the phantom: its value, half axes, centre, rotation about z in degrees. */
struct ellipsoid {
    double adds, axis[3], centre[3], turn;
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

/* The share of a voxel of that side at p inside the ellipsoid. 1 - q is the difference to the
 * surface q = 1, and |grad q| is its slope. */
static double share(const struct ellipsoid *e, const double p[3], double side)
{
    double c = cos(e->turn * M_PI / 180), s = sin(e->turn * M_PI / 180);
    double x = p[0] - e->centre[0], y = p[1] - e->centre[1], z = p[2] - e->centre[2];
    double u = (c * x + s * y) / e->axis[0], v = (c * y - s * x) / e->axis[1], w = z / e->axis[2];
    double q = u * u + v * v + w * w;
    double slope = 2 * hypot(u / e->axis[0], hypot(v / e->axis[1], w / e->axis[2]));
    return fmin(fmax(0.5 + (1 - q) / fmax(slope * side, 1e-9), 0), 1);
}

static uint8_t head_at(const double p[3], double side)
{
    double density = 0;
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        density += head[i].adds * share(&head[i], p, side);
    return (uint8_t)lround(255 * fmin(fmax(density, 0), 1));
}

void htmt__volume_phantom_planes(uint32_t side, uint64_t first, uint64_t count, uint8_t *at)
{
    const uint64_t plane = (uint64_t)side * side;
    for (uint64_t n = first * plane; n < (first + count) * plane; n++) {
        uint64_t index[] = {n % side, n / side % side, n / side / side};
        double p[3];
        for (int a = 0; a < 3; a++)
            p[a] = 2.0 * (double)index[a] / (side - 1) - 1;
        *at++ = head_at(p, 2.0 / (side - 1));
    }
}

int htmt__volume_phantom(uint32_t side, struct htmt__volume *v, struct htmt_fault *fault)
{
    int rc = htmt__volume_create(v, (uint32_t[]){side, side, side}, HTMT__UINT8, fault);
    if (!rc)
        htmt__volume_phantom_planes(side, 0, side, v->at);
    return rc;
}
