/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Scenes of point targets: raw data by the signal model of radar.h. Every echo has its exact delay.
 * The beam lights a target while the target's Doppler frequency is within half the processed
 * bandwidth of the centroid. A squinted beam sees it long before or after its closest approach.
 */
#ifndef HTMT_APPS_SAR_IO_SCENE_H
#define HTMT_APPS_SAR_IO_SCENE_H

#include "apps/sar/io/radar.h"
#include "apps/sar/io/raw.h"

struct htmt__sar_target {
    double line;      /* of the data, not necessarily whole, in which the beam's centre passes it */
    double sample;    /* column of its range of closest approach, not necessarily whole */
    double amplitude; /* 1: unit echo */
    double phase;     /* rad, added to every echo */
};

/* The true position of a target. */
struct htmt__sar_truth {
    double range;        /* of closest approach, m */
    double zero_doppler; /* line (slow time times prf) of closest approach; may lie far outside
                            the data */
    double first, last;  /* lines between which the beam lights it */
};

struct htmt__sar_scene {
    struct htmt__sar_radar radar;
    uint32_t target_count;
    struct htmt__sar_target *targets;
    double noise;          /* root mean square of the complex noise in every sample */
    unsigned bits;         /* of I and of Q: 0 gives C64, else 1 to 8 in unsigned bytes */
    double level;          /* quantiser steps of a unit amplitude; 0: chosen by the loading */
    double bias_i, bias_q; /* added to I and Q before quantising, in steps (C64: in amplitude) */
    double agc; /* dB by which the receiver's gain falls from block to block of lines; 0: none */
    uint64_t seed;
    unsigned threads; /* of the host that make it, to the same bits; 0: 1 */
};

/* Middle of the quantiser's codes: (2^bits - 1) / 2; 0 for bits = 0. */
double htmt__sar_scene_middle(unsigned bits);

void htmt__sar_target_truth(const struct htmt__sar_radar *radar,
                            const struct htmt__sar_target *target, struct htmt__sar_truth *truth);

/* Make the raw data: u8 with mean_i, mean_q = middle + bias, or C64. gain[] undoes the AGC and the
 * quantiser's level, so that conversion gives unit amplitudes back. The caller destroys *raw.
 * Errors: HTMT_ERANGE, HTMT_EHOSTFIT, HTMT_ENOMEM. */
int htmt__sar_scene_make(const struct htmt__sar_scene *scene, struct htmt__sar_raw *raw,
                         struct htmt_fault *fault);

/* The shipped radars: "ers", "radarsat", "small". Errors: HTMT_ENOENT. */
int htmt__sar_radar_named(const char *name, struct htmt__sar_radar *radar,
                          struct htmt_fault *fault);

/* Five targets for that radar at near, mid and far range, on the grid and off it. They are far
 * enough from the edges of the data for full exposure, or in the middle where the data is too
 * short. */
void htmt__sar_five_targets(const struct htmt__sar_radar *radar,
                            struct htmt__sar_target targets[5]);

/* Random points with random phases and amplitudes of up to 1. They are spread evenly over all lines
 * and samples in which any part of their echo falls. */
void htmt__sar_scatter(const struct htmt__sar_radar *radar, uint64_t seed, uint32_t count,
                       struct htmt__sar_target *targets);

#endif
