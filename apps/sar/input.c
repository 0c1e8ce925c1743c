/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The input of a run, in this order: the parameter file, the raw file, its mean (measured where the
 * file gives none), the centroid's fraction and ambiguity where the file asks for them, and doubts
 * about all that. Estimates need the mean and the gains; doubts need the centroid.
 */
#include "apps/sar/input.h"

#include "apps/sar/io/parameters.h"
#include "apps/sar/io/scene.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- files ---------------------------------------------------------------------------------- */

/* Estimate the centroid, with the line of the report about it. */
static int estimate(const struct htmt__sar_parameters *p, struct htmt__sar_input *in,
                    struct htmt_fault *fault)
{
    int rc = 0;
    in->ambiguity.number = (int)p->ambiguity;
    if (!(in->doppler.significance > 0))
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "the lines do not correlate: no Doppler centroid can be estimated");
    if (p->search && in->doppler.significance < HTMT__SAR_SIGNIFICANT)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "the Doppler ambiguity cannot be found from this data: neighbouring "
                              "lines do not correlate (%.1f standard deviations, expected %g); "
                              "give its number",
                              in->doppler.significance, HTMT__SAR_SIGNIFICANT);
    if (p->search)
        rc = htmt__sar_ambiguity(&in->raw, &in->radar, in->doppler.fraction, &in->ambiguity, fault);
    if (rc)
        return rc;
    in->radar.centroid = in->doppler.fraction + in->ambiguity.number * in->radar.prf;
    const struct htmt__sar_ambiguity *a = &in->ambiguity;
    char how[80] = "given";
    if (a->searched)
        snprintf(how, sizeof how, "found by trial images: %d has %.2f nats more entropy", a->next,
                 a->margin);
    snprintf(in->note, sizeof in->note,
             "Doppler centroid %.1f Hz: fraction %.1f Hz (+- %.1f Hz) estimated, ambiguity %d %s",
             in->radar.centroid, in->doppler.fraction, in->doppler.error, a->number, how);
    return htmt__sar_radar_check(&in->radar, fault);
}

/* What the data say of themselves. */
static int survey(unsigned bits, bool given, struct htmt__sar_input *in, struct htmt_fault *fault)
{
    in->measured = true;
    htmt__sar_raw_measure_mean(&in->raw, &in->mean_i, &in->mean_q);
    if (htmt__sar_doubt_codes(&in->raw, bits, in->warnings))
        htmt__sar_doubt_centroid(&in->radar, &in->doppler, given, in->warnings);
    return htmt__sar_doubt_chirp(&in->raw, &in->radar, in->warnings, fault);
}

/* What was repaired by the headers of lines. */
static void tell_headers(struct htmt__sar_input *in)
{
    const struct htmt__sar_raw *raw = &in->raw;
    uint32_t first = 0, longest = 0;
    for (uint32_t n = 0, run = 0; raw->gaps && n < raw->lines; n++) {
        run = raw->of_file[n] == HTMT__SAR_MISSING ? run + 1 : 0;
        first = run == 1 && !first ? n : first;
        longest = run > longest ? run : longest;
    }
    if (raw->missing)
        htmt_warn(in->warnings, "missing-lines",
                  "%" PRIu32 " lines are missing by their numbers, in %" PRIu32
                  " gap%s of at most %" PRIu32 ", the first behind line %" PRIu32
                  " of the file: filled with zeros",
                  raw->missing, raw->gaps, raw->gaps > 1 ? "s" : "", longest,
                  raw->of_file[first - 1]);
    if (raw->shift_least || raw->shift_most)
        snprintf(in->moved, sizeof in->moved,
                 "lines whose window starts %+" PRId64 " to %+" PRId64
                 " samples from that of line 0 are moved to its columns",
                 raw->shift_least, raw->shift_most);
}

/* Move the mean and the gains to the raw data. The estimates that need them follow. */
static int prepare(struct htmt__sar_parameters *p, struct htmt__sar_input *in,
                   struct htmt_fault *fault)
{
    in->raw.mean_i = p->mean_i;
    in->raw.mean_q = p->mean_q;
    if (p->measure)
        htmt__sar_raw_measure_mean(&in->raw, &in->raw.mean_i, &in->raw.mean_q);
    if (p->gain && !in->raw.gaps) {
        free(in->raw.gain);
        in->raw.gain = p->gain;
        p->gain = NULL;
    }
    for (uint32_t n = 0; p->gain && n < in->raw.lines; n++) /* missing lines keep 0 */
        if (in->raw.of_file[n] != HTMT__SAR_MISSING)
            in->raw.gain[n] = p->gain[in->raw.of_file[n] - p->layout.window.line];
    tell_headers(in);
    int rc = htmt__sar_doppler_measure(&in->raw, in->radar.prf, &in->doppler, fault);
    if (!rc && p->estimate)
        rc = estimate(p, in, fault);
    return rc ? rc : survey(p->layout.bits, !p->estimate, in, fault);
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
    rc = htmt_warnings_create(&in.warnings, fault);
    in.radar = p.radar;
    in.raw.format = p.layout.format;
    in.first_line = p.layout.window.line;
    in.first_sample = p.layout.window.sample;
    snprintf(in.name, sizeof in.name, "%s", slash ? slash + 1 : parameters);
    const char *path = raw ? raw : p.raw;
    const bool whole = data || p.estimate, reads = whole || p.layout.number.bytes;
    if (!rc && reads && !path)
        rc = htmt_fault_set(fault, HTMT_EINVAL, "%s: names no raw file ('raw'), and none is given",
                            parameters);
    if (!rc && whole)
        rc = htmt__sar_raw_read(path, &p.layout, &in.raw, fault);
    if (!rc && reads && !whole)
        rc = htmt__sar_raw_count(path, &p.layout, &in.raw.lines, fault);
    if (!rc && reads) /* missing lines are among them */
        in.radar.lines = in.raw.lines;
    if (!rc && whole)
        rc = prepare(&p, &in, fault);
    htmt__sar_parameters_destroy(&p);
    htmt__sar_radar_doubt(&in.radar, in.warnings);
    if (!data) { /* its sizes alone */
        in.raw.lines = in.radar.lines;
        in.raw.samples = in.radar.samples;
        free(in.raw.gain);
        free(in.raw.bytes);
        free(in.raw.of_file);
        in.raw.gain = NULL;
        in.raw.bytes = NULL;
        in.raw.of_file = NULL;
    }
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

int htmt__sar_input_default(uint32_t lines, uint32_t samples, uint64_t seed, unsigned threads,
                            struct htmt__sar_input *input, struct htmt_fault *fault)
{
    struct htmt__sar_target targets[5];
    struct htmt__sar_scene scene = {.targets = targets,
                                    .target_count = 5,
                                    .noise = 1,
                                    .bits = 8,
                                    .seed = seed,
                                    .threads = threads};
    struct htmt__sar_input in = {.name = "scene of 5 points"};
    int rc = htmt__sar_radar_named("small", &scene.radar, fault);
    if (!rc)
        rc = htmt_warnings_create(&in.warnings, fault);
    if (rc)
        return rc;
    if (lines)
        scene.radar.lines = lines;
    if (samples)
        scene.radar.samples = samples;
    in.radar = scene.radar;
    htmt__sar_five_targets(&scene.radar, targets);
    htmt__sar_radar_doubt(&in.radar, in.warnings);
    rc = htmt__sar_scene_make(&scene, &in.raw, fault);
    if (!rc)
        rc = htmt__sar_doppler_measure(&in.raw, in.radar.prf, &in.doppler, fault);
    if (!rc)
        rc = survey(8, true, &in, fault);
    if (rc)
        htmt__sar_input_destroy(&in);
    else
        *input = in;
    return rc;
}

void htmt__sar_input_destroy(struct htmt__sar_input *input)
{
    htmt__sar_raw_destroy(&input->raw);
    htmt_warnings_destroy(&input->warnings);
}
