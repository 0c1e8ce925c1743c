/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/input.h"

#include "apps/sar/scene.h"

#include <stdio.h>

/* ---- the scene of a run without files ------------------------------------------------------- */

int htmt__sar_input_default(uint32_t lines, uint32_t samples, uint64_t seed,
                            struct htmt__sar_input *input, struct htmt_fault *fault)
{
    struct htmt__sar_target targets[5];
    struct htmt__sar_scene scene = {
        .targets = targets, .target_count = 5, .noise = 1, .bits = 8, .seed = seed};
    struct htmt__sar_input in = {.name = "scene of 5 points"};
    int rc = htmt__sar_radar_named("small", &scene.radar, fault);
    if (rc)
        return rc;
    if (lines)
        scene.radar.lines = lines;
    if (samples)
        scene.radar.samples = samples;
    in.radar = scene.radar;
    htmt__sar_five_targets(&scene.radar, targets);
    htmt__sar_radar_note(&in.radar, in.notes[0], sizeof in.notes[0]);
    if ((rc = htmt__sar_scene_make(&scene, &in.raw, fault)))
        return rc;
    *input = in;
    return 0;
}

void htmt__sar_input_destroy(struct htmt__sar_input *input)
{
    htmt__sar_raw_destroy(&input->raw);
}
