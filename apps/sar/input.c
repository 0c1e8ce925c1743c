/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/input.h"

#include "apps/sar/doppler.h"
#include "apps/sar/io/parameters.h"
#include "apps/sar/io/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- files ---------------------------------------------------------------------------------- */

/* Share of the prf: the report warns when the centroid changes by more over the range. */
#define RISE_TOLD 0.1

/* The line of the report about an estimate. */
static void note_centroid(const struct htmt__sar_parameters *p, double fraction, double rise,
                          struct htmt__sar_input *in)
{
    char more[80] = "";
    if (fabs(rise) > RISE_TOLD * in->radar.prf)
        snprintf(more, sizeof more, "; far range has %.0f Hz %s than near", fabs(rise),
                 rise > 0 ? "more" : "less");
    snprintf(in->notes[1], sizeof in->notes[1],
             "Doppler centroid %.1f Hz: fraction %.1f Hz estimated, ambiguity %lld %s%s",
             in->radar.centroid, fraction, llround((in->radar.centroid - fraction) / in->radar.prf),
             p->search ? "searched" : "given", more);
}

static int estimate(const struct htmt__sar_parameters *p, struct htmt__sar_input *in,
                    struct htmt_fault *fault)
{
    double fraction = 0, rise = 0, ambiguity = (double)p->ambiguity;
    int rc = htmt__sar_doppler_fraction(&in->raw, in->radar.prf, &fraction, &rise, fault);
    if (!rc && p->search)
        rc = htmt__sar_doppler_ambiguity(&in->raw, &in->radar, fraction, &ambiguity, fault);
    if (rc)
        return rc;
    in->radar.centroid = fraction + ambiguity * in->radar.prf;
    note_centroid(p, fraction, rise, in);
    return htmt__sar_radar_check(&in->radar, fault);
}

/* Move the mean and the gains to the raw data. The estimates that need them follow. */
static int prepare(struct htmt__sar_parameters *p, struct htmt__sar_input *in,
                   struct htmt_fault *fault)
{
    in->raw.mean_i = p->mean_i;
    in->raw.mean_q = p->mean_q;
    if (p->measure)
        htmt__sar_raw_measure_mean(&in->raw, &in->raw.mean_i, &in->raw.mean_q);
    if (p->gain) {
        in->raw.gain = p->gain;
        p->gain = NULL;
    }
    return p->estimate ? estimate(p, in, fault) : 0;
}

static int read_raw(const char *parameters, const char *raw, struct htmt__sar_parameters *p,
                    struct htmt__sar_input *in, struct htmt_fault *fault)
{
    const char *path = raw ? raw : p->raw;
    if (!path)
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "%s: names no raw file ('raw'), and none is given", parameters);
    int rc = htmt__sar_raw_read(path, &p->layout, &in->raw, fault);
    return rc ? rc : prepare(p, in, fault);
}

static void describe(struct htmt__sar_input *in)
{
    in->raw.lines = in->radar.lines;
    in->raw.samples = in->radar.samples;
    free(in->raw.gain);
    free(in->raw.bytes);
    in->raw.gain = NULL;
    in->raw.bytes = NULL;
}

static int read_files(const char *parameters, const char *raw, bool data,
                      struct htmt__sar_input *input, struct htmt_fault *fault)
{
    const char *slash = strrchr(parameters, '/');
    struct htmt__sar_input in = {0};
    struct htmt__sar_parameters p;
    int rc = htmt__sar_parameters_read(parameters, &p, fault);
    if (rc)
        return rc;
    in.radar = p.radar;
    in.raw.format = p.layout.format;
    snprintf(in.name, sizeof in.name, "%s", slash ? slash + 1 : parameters);
    if (data || p.estimate)
        rc = read_raw(parameters, raw, &p, &in, fault);
    htmt__sar_parameters_destroy(&p);
    htmt__sar_radar_note(&in.radar, in.notes[0], sizeof in.notes[0]);
    if (!data)
        describe(&in);
    if (rc)
        htmt__sar_input_destroy(&in);
    else
        *input = in;
    return rc;
}

int htmt__sar_input_read(const char *parameters, const char *raw, struct htmt__sar_input *input,
                         struct htmt_fault *fault)
{
    return read_files(parameters, raw, true, input, fault);
}

int htmt__sar_input_describe(const char *parameters, const char *raw, struct htmt__sar_input *input,
                             struct htmt_fault *fault)
{
    return read_files(parameters, raw, false, input, fault);
}

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
