/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt scene sar`: a scene of points as a raw file and its parameter file.
 */
#include "apps/sar/settings.h"

#include "apps/lib/request.h"
#include "apps/sar/io/scene_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MOST    1000000
#define SCATTER_MOST 100000

static const struct htmt_app_option options[] = {
    {"out", "NAME", NULL, "write NAME.raw and NAME.yaml (and NAME.gain); required"},
    {"radar", "NAME", "small", "ers, radarsat, or small: like ers but low, with short pulses"},
    {"params", "FILE", NULL, "take the radar of this parameter file instead"},
    {"lines", "N", NULL, "lines of the data; default: the radar's"},
    {"samples", "N", NULL, "samples of a line; default: the radar's"},
    {"targets", "FILE", NULL, "YAML list of points; default: five from near to far range"},
    {"scatter", "N", "0", "number of additional random points, all over the scene"},
    {"snr", "DB", NULL, "signal-to-noise ratio of a unit echo in a sample; default: no noise"},
    {"bits", "N", "8", "bits of I and of Q: 1 to 8, in bytes; 0: complex64"},
    {"bias", "STEPS", "0", "bias that the receiver adds to I and subtracts from Q"},
    {"agc", "DB", "0", "drop of the receiver's gain after every 64 lines, up to three times"},
    {"seed", "N", "1", "seed of the noise and of the random points"},
    {NULL, NULL, NULL, NULL},
};

/* ---- options -------------------------------------------------------------------------------- */

static int read_radar(const struct htmt_request *r, struct htmt__sar_radar *radar,
                      struct htmt_fault *fault)
{
    const char *file = htmt_request_value(r, "params");
    struct htmt__sar_input in = {.warnings = NULL};
    int rc = file ? htmt__sar_input_describe(file, NULL, &in, fault)
                  : htmt__sar_radar_named(htmt_request_value(r, "radar"), radar, fault);
    if (!rc && file)
        *radar = in.radar;
    htmt__sar_input_destroy(&in);
    if (!rc)
        rc = htmt_request_whole32(r, "lines", 1, SIZE_MOST, &radar->lines, fault);
    if (!rc)
        rc = htmt_request_whole32(r, "samples", 1, SIZE_MOST, &radar->samples, fault);
    return rc ? rc : htmt__sar_radar_check(radar, fault);
}

static int read_receiver(const struct htmt_request *r, struct htmt__sar_scene *s,
                         struct htmt_fault *fault)
{
    double snr = INFINITY;
    uint32_t bits = 8;
    int rc = htmt_request_real(r, "snr", -100, 200, &snr, fault);
    if (!rc)
        rc = htmt_request_whole32(r, "bits", 0, 8, &bits, fault);
    if (!rc)
        rc = htmt_request_real(r, "bias", -1000, 1000, &s->bias_i, fault);
    if (!rc)
        rc = htmt_request_real(r, "agc", 0, 40, &s->agc, fault);
    s->noise = pow(10, -snr / 20);
    s->bits = bits;
    s->bias_q = -s->bias_i;
    s->seed = htmt_request_seed(r);
    return rc;
}

/* Read and make the targets: the listed ones, or the five default ones, then random ones. *listed:
 * the number of targets that are not random. */
static int read_targets(const struct htmt_request *r, struct htmt__sar_scene *s, uint32_t *listed,
                        struct htmt_fault *fault)
{
    const char *file = htmt_request_value(r, "targets");
    uint32_t more = 0;
    int rc = htmt_request_whole32(r, "scatter", 0, SCATTER_MOST, &more, fault);
    *listed = 5;
    if (!rc && file)
        rc = htmt__sar_targets_read(file, &s->targets, listed, fault);
    if (rc)
        return rc;
    struct htmt__sar_target *all = realloc(s->targets, (*listed + (size_t)more) * sizeof *all);
    if (!all)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for %" PRIu32 " points", more);
    if (!file)
        htmt__sar_five_targets(&s->radar, all);
    htmt__sar_scatter(&s->radar, s->seed, more, all + *listed);
    s->targets = all;
    s->target_count = *listed + more;
    return 0;
}

/* ---- the verb ------------------------------------------------------------------------------- */

static int tell(FILE *out, const char *name, const struct htmt__sar_scene *s, uint32_t listed,
                struct htmt_fault *fault)
{
    struct htmt_warnings *w = NULL;
    int rc = htmt_warnings_create(&w, fault);
    if (rc)
        return rc;
    htmt__sar_radar_doubt(&s->radar, w);
    fprintf(out, "%s.raw: %" PRIu32 " lines x %" PRIu32 " samples, %" PRIu32 " points\n", name,
            s->radar.lines, s->radar.samples, s->target_count);
    fprintf(out, "%10s %10s %12s %14s %10s %10s\n", "line", "sample", "range, km", "zero Doppler",
            "lit from", "to line");
    for (uint32_t k = 0; k < listed; k++) {
        struct htmt__sar_truth t;
        htmt__sar_target_truth(&s->radar, &s->targets[k], &t);
        fprintf(out, "%10.2f %10.2f %12.4f %14.3f %10.1f %10.1f\n", s->targets[k].line,
                s->targets[k].sample, t.range / 1000, t.zero_doppler, t.first, t.last);
    }
    for (unsigned k = 0; k < htmt_warnings_count(w); k++)
        fprintf(out, "warning: %s\n", htmt_warnings_text(w, k));
    htmt_warnings_destroy(&w);
    return 0;
}

static int scene(const struct htmt_request *r, FILE *out, struct htmt_fault *fault)
{
    struct htmt__sar_scene s = {.threads = htmt_request_threads(r)};
    struct htmt__sar_raw raw = {0};
    uint32_t listed = 0;
    const char *name = htmt_request_value(r, "out");
    if (!name)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--out NAME is missing: where to write the scene");
    int rc = htmt__sar_scene_claim(name, fault);
    if (!rc)
        rc = read_radar(r, &s.radar, fault);
    if (!rc)
        rc = read_receiver(r, &s, fault);
    if (!rc)
        rc = read_targets(r, &s, &listed, fault);
    if (!rc)
        rc = htmt__sar_scene_make(&s, &raw, fault);
    if (!rc)
        rc = htmt__sar_scene_write(name, &s, &raw, fault);
    if (!rc)
        rc = tell(out, name, &s, listed, fault);
    htmt__sar_raw_destroy(&raw);
    free(s.targets);
    return rc;
}

const struct htmt_app_verb htmt__sar_verbs[] = {
    {.name = "scene",
     .summary = "raw data and parameters of a radar that sees a few points",
     .options = options,
     .run = scene},
    {.name = NULL},
};
