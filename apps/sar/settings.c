/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The options of SAR focusing, its cost files, and what follows from both. Options override the
 * cost file; with a cost file the defaults are those of the paper's processing: no migration,
 * lengths that are powers of two, edges kept.
 */
#include "apps/sar/settings.h"

#include "apps/lib/execution.h"

#include "apps/lib/request.h"
#include "apps/sar/io/scene.h"
#include "layers/file/costs.h"
#include "runtime/base/whole_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE_MOST    (1u << 24)
#define PATCHES_MOST (1u << 24)

const struct htmt_app_option htmt__sar_options[] = {
    {"params", "FILE", NULL,
     "parameter file of the radar and the raw file, YAML; default: a scene made in memory"},
    {"raw", "FILE", NULL, "raw data; default: the file that the parameter file names"},
    {"lines", "N", NULL, "lines of the scene made in memory; default: 512, or the cost file's"},
    {"samples", "N", NULL,
     "complex samples in a line of that scene; default: 1024, or the cost file's"},
    {"patches", "N", NULL, "number of patches in model and predict; default: the data's"},
    {"patch-lines", "N", NULL,
     "data lines of a patch; default: all if there are up to 4096, otherwise 4096 or the lines "
     "that the aperture needs"},
    {"rcmc", "WHEN", NULL,
     "correct range migration: auto (if it exceeds half a cell), on or off; default: auto, with a "
     "cost file off"},
    {"precision", "KIND", "double", "precision of points and kernels: double or single"},
    {"lengths", "KIND", NULL,
     "lengths of transforms: fast or power-of-two; default: fast, with a cost file power-of-two"},
    {"edges", "WHAT", NULL,
     "drop: only pixels in full exposure; keep: all; default: drop, with a cost file keep"},
    {"out", "FILE", NULL, "write the complex image to this file, .npy"},
    {"png", "FILE", NULL, "write a picture of the image to this file: log magnitude"},
    {"looks", "AxR", "1x1", "pixels averaged in the picture, azimuth x range"},
    {"incidence", "DEG", NULL,
     "incidence angle: the picture's pixels are as wide as high on the ground; looks give A alone"},
    {"flip", "WHAT", "none",
     "turn the picture: lines (last above), columns (far range at left), both or none"},
    {"dynamic-range", "DB", "40", "range of the picture from black to white"},
    {"check", "KIND", "full", "full: compare every pixel with the serial program; or none"},
    HTMT_EXECUTION_OPTION,
    {NULL, NULL, NULL, NULL},
};

/* ---- cost files ----------------------------------------------------------------------------- */

/* Times the points of any patch, below 2^63. */
#define MOST (UINT64_C(1) << 20)

static const struct htmt_schema_row keys[] = {
    {"problem.samples", HTMT_UNIT_COUNT, .least = 1, .most = MOST},
    {"problem.lines", HTMT_UNIT_COUNT, .least = 1, .most = MOST},
    {"range-reference.n", HTMT_UNIT_OPERATIONS, .least = 0, .most = MOST},
    {"range-reference.n-log-n", HTMT_UNIT_OPERATIONS, .least = 0, .most = MOST},
    {"range-line.n", HTMT_UNIT_OPERATIONS, .least = 0, .most = MOST},
    {"range-line.n-log-n", HTMT_UNIT_OPERATIONS, .least = 0, .most = MOST},
    {"azimuth-reference.n", HTMT_UNIT_OPERATIONS, .least = 0, .most = MOST},
    {"azimuth-reference.n-log-n", HTMT_UNIT_OPERATIONS, .least = 0, .most = MOST},
    {"azimuth-line.n", HTMT_UNIT_OPERATIONS, .least = 0, .most = MOST},
    {"azimuth-line.n-log-n", HTMT_UNIT_OPERATIONS, .least = 0, .most = MOST},
    {"read-patch.cycles", HTMT_UNIT_CYCLES, .least = 0, .most = MOST},
    {"write-patch.cycles", HTMT_UNIT_CYCLES, .least = 0, .most = MOST},
    {"point.raw-bytes", HTMT_UNIT_COUNT, .least = 0, .most = MOST},
    {"point.words", HTMT_UNIT_SIZE, .least = 0, .most = MOST},
    {"point.channel-words", HTMT_UNIT_SIZE, .least = 0, .most = MOST},
    {.key = "hram.share", .kind = HTMT_UNIT_SHARE},
    {.key = NULL},
};

static int load_costs(const struct htmt_request *r, struct htmt_costs **c, struct htmt_fault *fault)
{
    unsigned count;
    const char *const *set = htmt_request_cost_set(r, &count);
    return htmt_costs_load(htmt_request_costs(r), "sar", keys, set, count, c, fault);
}

static int check_share(const struct htmt_costs *costs, struct htmt_fault *fault)
{
    struct htmt_ratio share = htmt_costs_ratio(costs, "hram.share");
    return share.num > share.den ? htmt_costs_refuse(costs, "hram.share", "at most 100 %", fault)
                                 : 0;
}

static struct htmt__sar_coefficients coefficients(const struct htmt_costs *c, const char *n,
                                                  const char *n_log_n)
{
    return (struct htmt__sar_coefficients){htmt_costs_whole(c, n), htmt_costs_whole(c, n_log_n)};
}

int htmt__sar_costs_read(const struct htmt_request *r, bool single, enum htmt__sar_format format,
                         struct htmt__sar_costs *out, struct htmt_fault *fault)
{
    const uint64_t pair = htmt__sar_pair_bytes(format), words = single ? 1 : 2;
    struct htmt_costs *c = NULL;
    char expected[80];
    int rc = load_costs(r, &c, fault);
    if (!rc && htmt_costs_whole(c, "point.raw-bytes") != pair) {
        snprintf(expected, sizeof expected, "%" PRIu64 ", which the raw data has", pair);
        rc = htmt_costs_refuse(c, "point.raw-bytes", expected, fault);
    } else if (!rc && htmt_costs_whole(c, "point.words") != words) {
        snprintf(expected, sizeof expected, "%" PRIu64 " words, as --precision %s has", words,
                 single ? "single" : "double");
        rc = htmt_costs_refuse(c, "point.words", expected, fault);
    }
    if (!rc)
        rc = check_share(c, fault);
    if (!rc)
        *out = (struct htmt__sar_costs){
            .charges = {.from_file = true,
                        .range_reference =
                            coefficients(c, "range-reference.n", "range-reference.n-log-n"),
                        .range_line = coefficients(c, "range-line.n", "range-line.n-log-n"),
                        .azimuth_reference =
                            coefficients(c, "azimuth-reference.n", "azimuth-reference.n-log-n"),
                        .azimuth_line = coefficients(c, "azimuth-line.n", "azimuth-line.n-log-n"),
                        .read_cycles = htmt_costs_whole(c, "read-patch.cycles"),
                        .write_cycles = htmt_costs_whole(c, "write-patch.cycles"),
                        .channel_words = htmt_costs_whole(c, "point.channel-words")},
            .hram_share = htmt_costs_ratio(c, "hram.share")};
    htmt_costs_destroy(&c);
    return rc;
}

/* The size of the scene made in memory: options override the patch of the cost file, which
 * overrides defaults. */
static int read_size(const struct htmt_request *r, struct htmt__sar_settings *s,
                     struct htmt_fault *fault)
{
    struct htmt_costs *c = NULL;
    if (!htmt_request_costs(r) || s->params)
        return 0;
    int rc = load_costs(r, &c, fault);
    if (!rc)
        rc = check_share(c, fault);
    if (!rc) {
        s->lines = s->lines ? s->lines : (uint32_t)htmt_costs_whole(c, "problem.lines");
        s->samples = s->samples ? s->samples : (uint32_t)htmt_costs_whole(c, "problem.samples");
    }
    htmt_costs_destroy(&c);
    return rc;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* With a cost file the defaults are those of the paper's processing. */
static int read_choices(const struct htmt_request *r, struct htmt__sar_settings *s,
                        struct htmt_fault *fault)
{
    static const char *const when[] = {"auto", "on", "off", NULL};
    static const char *const precisions[] = {"double", "single", NULL};
    static const char *const lengths[] = {"power-of-two", "fast", NULL};
    static const char *const edges[] = {"drop", "keep", NULL};
    static const char *const checks[] = {"none", "full", NULL};
    bool paper = htmt_request_costs(r) != NULL;
    unsigned rcmc = paper ? HTMT__RCMC_OFF : HTMT__RCMC_AUTO, precision = 0;
    unsigned length = paper ? HTMT__POWER_OF_TWO : HTMT__FAST_LENGTH, edge = paper, check = 1;
    int rc = htmt_request_choice(r, "rcmc", when, &rcmc, fault);
    if (!rc)
        rc = htmt_request_choice(r, "precision", precisions, &precision, fault);
    if (!rc)
        rc = htmt_request_choice(r, "lengths", lengths, &length, fault);
    if (!rc)
        rc = htmt_request_choice(r, "edges", edges, &edge, fault);
    if (!rc)
        rc = htmt_request_choice(r, "check", checks, &check, fault);
    s->rcmc = (enum htmt__sar_rcmc)rcmc;
    s->single = precision;
    s->lengths = (enum htmt__sar_lengths)length;
    s->keep_edges = edge;
    s->check = check;
    return rc;
}

/* Columns of a pixel follow from the angle of incidence: on the ground they are spacing /
 * sin(angle) wide. */
static int read_looks(const struct htmt_request *r, struct htmt__sar_settings *s,
                      struct htmt_fault *fault)
{
    static const char *const flips[] = {"none", "lines", "columns", "both", NULL};
    struct htmt__sar_looks *looks = &s->looks;
    unsigned flip = 0;
    double degrees = 0;
    int rc = htmt__sar_looks_read(htmt_request_value(r, "looks"), looks, fault);
    if (!rc)
        rc = htmt_request_real(r, "dynamic-range", 1, 200, &looks->dynamic_range, fault);
    if (!rc)
        rc = htmt_request_choice(r, "flip", flips, &flip, fault);
    looks->flip_lines = flip & 1;
    looks->flip_columns = flip & 2;
    if (!rc)
        rc = htmt_request_real(r, "incidence", 1, 90, &degrees, fault);
    s->incidence = degrees * M_PI / 180;
    if (rc || degrees == 0 || looks->range == 1)
        return rc;
    return htmt_fault_set(fault, HTMT_EUSAGE,
                          "--looks: found %ux%u with --incidence, which gives the columns of a "
                          "pixel; expected %u",
                          looks->azimuth, looks->range, looks->azimuth);
}

int htmt__sar_settings_read(const struct htmt_request *r, struct htmt__sar_settings *out,
                            struct htmt_fault *fault)
{
    struct htmt__sar_settings s = {.params = htmt_request_value(r, "params"),
                                   .raw = htmt_request_value(r, "raw"),
                                   .out = htmt_request_value(r, "out"),
                                   .png = htmt_request_value(r, "png")};
    int rc = htmt_request_whole32(r, "lines", 1, SIDE_MOST, &s.lines, fault);
    if (!rc)
        rc = htmt_request_whole32(r, "samples", 1, SIDE_MOST, &s.samples, fault);
    if (!rc)
        rc = htmt_request_whole32(r, "patches", 1, PATCHES_MOST, &s.patches, fault);
    if (!rc)
        rc = htmt_request_whole32(r, "patch-lines", 1, SIDE_MOST, &s.patch_lines, fault);
    if (!rc)
        rc = read_choices(r, &s, fault);
    if (!rc)
        rc = read_looks(r, &s, fault);
    if (!rc && s.raw && !s.params)
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "--raw without --params");
    if (!rc && s.params && (s.lines || s.samples))
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "--%s with --params: the file tells its sizes",
                            s.lines ? "lines" : "samples");
    if (!rc && s.patches && htmt_request_mode(r) == HTMT_RUN)
        rc = htmt_fault_set(fault, HTMT_EUSAGE,
                            "--patches: of a run the data tells; --patch-lines cuts it");
    if (!rc)
        rc = read_size(r, &s, fault);
    if (!rc)
        rc = htmt_request_suffix(r, "out", ".npy", fault);
    if (!rc)
        rc = htmt_request_suffix(r, "png", ".png", fault);
    if (!rc && s.out)
        rc = htmt_whole_file_check(s.out, fault);
    if (!rc && s.png)
        rc = htmt_whole_file_check(s.png, fault);
    if (!rc)
        *out = s;
    return rc;
}

/* ---- what follows --------------------------------------------------------------------------- */

int htmt__sar_settings_input(const struct htmt_request *r, const struct htmt__sar_settings *s,
                             bool data, struct htmt__sar_input *in, struct htmt_fault *fault)
{
    *in = (struct htmt__sar_input){0};
    if (s->params)
        return (data ? htmt__sar_input_read : htmt__sar_input_describe)(s->params, s->raw, in,
                                                                        fault);
    if (data)
        return htmt__sar_input_default(s->lines, s->samples, htmt_request_seed(r),
                                       htmt_request_threads(r), in, fault);
    int rc = htmt__sar_radar_named("small", &in->radar, fault);
    in->radar.lines = s->lines ? s->lines : in->radar.lines;
    in->radar.samples = s->samples ? s->samples : in->radar.samples;
    snprintf(in->name, sizeof in->name, "no data");
    return rc;
}

static struct htmt__sar_problem problem_of(const struct htmt__sar_settings *s,
                                           const struct htmt__sar_input *in)
{
    return (struct htmt__sar_problem){.radar = in->radar,
                                      .patch_lines = s->patch_lines,
                                      .rcmc = s->rcmc,
                                      .lengths = s->lengths,
                                      .keep_edges = s->keep_edges};
}

/* One slice for each patch. All of the machine's if the request is wrong, which is told later. */
uint32_t htmt__sar_slices(const struct htmt_request *r)
{
    const uint32_t most = htmt_request_machine(r)->slices;
    const enum htmt_execution execution = htmt_execution_asked(r);
    if (execution != HTMT_EXECUTION_HTMT)
        return execution == HTMT_EXECUTION_SERIAL ? 1 : most;
    struct htmt__sar_settings s;
    struct htmt__sar_input in;
    struct htmt__sar_plan plan = {.patches = 0};
    if (htmt__sar_settings_read(r, &s, NULL))
        return most;
    plan.patches = s.patches;
    if (!s.patches && !htmt__sar_settings_input(r, &s, false, &in, NULL)) {
        struct htmt__sar_problem problem = problem_of(&s, &in);
        (void)htmt__sar_plan(&problem, &plan, NULL);
        htmt__sar_input_destroy(&in);
    }
    return plan.patches && plan.patches < most ? plan.patches : most;
}

int htmt__sar_settings_decompose(const struct htmt_request *r, const struct htmt_machine *m,
                                 const struct htmt__sar_settings *s,
                                 const struct htmt__sar_input *in,
                                 struct htmt__sar_decomposition *decomposition,
                                 struct htmt__sar_costs *costs, struct htmt_fault *fault)
{
    struct htmt__sar_problem problem = problem_of(s, in);
    struct htmt__sar_plan plan;
    *costs = (struct htmt__sar_costs){0};
    int rc = htmt_request_costs(r)
                 ? htmt__sar_costs_read(r, s->single, in->raw.format, costs, fault)
                 : 0;
    if (!rc)
        rc = htmt__sar_plan(&problem, &plan, fault);
    if (!rc && !m)
        *decomposition =
            htmt__sar_undivided(&plan, s->single, in->raw.format, &costs->charges, s->patches);
    return rc || !m ? rc
                    : htmt__sar_decomposition(m, &plan, s->single, in->raw.format, &costs->charges,
                                              s->patches, decomposition, fault);
}

void htmt__sar_settings_looks(const struct htmt__sar_radar *r, struct htmt__sar_settings *s)
{
    double line = r->velocity / r->prf, column = htmt__sar_spacing(r) / sin(s->incidence);
    if (s->incidence > 0)
        s->looks.columns = s->looks.azimuth * line / column;
}

void htmt__sar_describe(const struct htmt__sar_decomposition *decomposition,
                        const struct htmt__sar_input *in, char *text, size_t room)
{
    const struct htmt__sar_plan *p = &decomposition->plan;
    snprintf(text, room,
             "%" PRIu32 " lines x %" PRIu32 " samples (%s), %" PRIu32 " patch%s of %" PRIu32
             " lines; image %" PRIu32 " x %" PRIu32 "; transforms %" PRIu32 ", %" PRIu32
             "; migration %s",
             p->radar.lines, p->radar.samples, in->name, decomposition->patches,
             decomposition->patches > 1 ? "es" : "", p->patch_lines, p->lines, p->samples,
             p->range_length, p->azimuth_length, p->rcmc ? "corrected" : "left");
}
