/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The four applications in little: parcel programs that docs/api.md quotes, on toy data.
 *
 * Each function sets one emulator up, runs it and copies the result out; the emulator's machine
 * has the layers hram, dram, sram and cram. Returns 0 or a code of runtime/base/error.h. In a model
 * run results are left alone.
 */
#ifndef HTMT_TESTS_SKETCH_H
#define HTMT_TESTS_SKETCH_H

#include "apps/fft/complex.h"
#include "parcels/htmt.h"

#define SKETCH_SLICES 16

/* c = a b, row-major squares of edge s t b, on s * s slices; s >= 2, t even. */
struct cannon_problem {
    uint32_t s, t, b;
    double *a, *bm, *c;
};
int cannon_sketch(struct htmt_emulator *e, const struct cannon_problem *problem);

/* Every slice focuses a patch of its own: raw is slices * lines * samples pairs of bytes (I, Q,
 * each + 128). image and picture are slices * lines * samples. */
struct sar_problem {
    uint32_t lines, samples, padded; /* padded: samples of a line in CRAM */
    double range_rate, azimuth_rate; /* cycles a sample^2, a line^2 */
    uint8_t *raw;
    double complex *image;
    uint8_t *picture;
};
int sar_sketch(struct htmt_emulator *e, const struct sar_problem *problem);

/* Particles on an nx * ny periodic grid of unit cells; slices own ny / slices rows. nx is a
 * multiple of the slices; no particle crosses more than one slice's rows in a step. The particles
 * come back in any order; energy is kinetic, after the last step. */
struct pic_particle {
    double x, y, vx, vy;
    uint64_t id;
};
struct pic_problem {
    uint32_t nx, ny, steps;
    double dt;
    uint64_t count;
    struct pic_particle *particle;
    double energy;
};
int pic_sketch(struct htmt_emulator *e, struct pic_problem *problem);

/* Opacities of slices * nz * rays voxels, one ray a voxel column; rays go along +z or -z as the
 * view says and end at `limit`. brightness is slices * rays. */
struct volume_problem {
    uint32_t rays, nz, slab; /* slab divides nz */
    int32_t view;            /* +1, -1 */
    float limit;
    float *voxel;
    float *brightness;
};
int volume_sketch(struct htmt_emulator *e, const struct volume_problem *problem);

#endif
