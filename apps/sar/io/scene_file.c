/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/io/scene_file.h"

#include "layers/file/parameters.h"
#include "runtime/base/output.h"
#include "runtime/base/printable.h"
#include "runtime/base/whole_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TARGETS_MOST 1e6

/* ---- targets -------------------------------------------------------------------------------- */

static const struct htmt_schema_row target_rows[] = {
    {.key = "line", .kind = HTMT_UNIT_NUMBER, .least = -1e9, .most = 1e9},
    {.key = "sample", .kind = HTMT_UNIT_NUMBER, .least = -1e9, .most = 1e9},
    {.key = "amplitude", .kind = HTMT_UNIT_NUMBER, .least = 0, .most = 1e9, .fallback = "1"},
    {.key = "phase", .kind = HTMT_UNIT_RADIANS, .least = -1e3, .most = 1e3, .fallback = "0 rad"},
    {.key = NULL}};

static const struct htmt_schema_row rows[] = {{.key = "targets",
                                               .kind = HTMT_SCHEMA_GROUPS,
                                               .rows = target_rows,
                                               .least = 1,
                                               .most = TARGETS_MOST},
                                              {.key = NULL}};

int htmt__sar_targets_read(const char *path, struct htmt__sar_target **targets, uint32_t *count,
                           struct htmt_fault *fault)
{
    struct htmt_parameters *p = NULL;
    int rc = htmt_parameters_read(path, "a list of targets", rows, &p, fault);
    if (rc)
        return rc;
    unsigned n = htmt_parameter_count(p, "targets");
    struct htmt__sar_target *list = calloc(n, sizeof *list);
    for (unsigned k = 0; list && k < n; k++) {
        const struct htmt_parameters *t = htmt_parameter_group(p, "targets", k);
        list[k] = (struct htmt__sar_target){.line = htmt_parameter_number(t, "line"),
                                            .sample = htmt_parameter_number(t, "sample"),
                                            .amplitude = htmt_parameter_number(t, "amplitude"),
                                            .phase = htmt_parameter_number(t, "phase")};
    }
    htmt_parameters_destroy(&p);
    if (!list)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for its targets", path);
    *targets = list;
    *count = n;
    return 0;
}

enum part { RAW, GAIN, YAML, PARTS };

static const char *const endings[PARTS] = {".raw", ".gain", ".yaml"};

/* ---- parameters ----------------------------------------------------------------------------- */

/* "key: value unit". Whole numbers have no point; other numbers have the fewest digits that read
 * back exactly. */
static void write_quantity(FILE *out, const char *key, double value, const char *unit)
{
    char text[40];
    int digits = 1;
    if (value == floor(value) && fabs(value) < 1e15)
        digits = 15;
    do
        snprintf(text, sizeof text, "%.*g", digits, value);
    while (strtod(text, NULL) != value && digits++ < 17);
    fprintf(out, "%s: %s%s%s\n", key, text, *unit ? " " : "", unit);
}

/* Write a string between quotes. A quote inside is written twice. */
static void write_name(FILE *out, const char *key, const char *base, const char *ending)
{
    fprintf(out, "%s: '", key);
    for (; *base; base++)
        fprintf(out, *base == '\'' ? "''" : "%c", *base);
    fprintf(out, "%s'\n", ending);
}

static void write_parameters(FILE *out, const char *name, const struct htmt__sar_scene *s,
                             const struct htmt__sar_raw *raw)
{
    const struct htmt__sar_radar *r = &s->radar;
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    fprintf(out, "# A scene of %" PRIu32 " points: htmt scene sar\n", s->target_count);
    write_name(out, "raw", base, endings[RAW]);
    fprintf(out, "lines: %" PRIu32 "\nsamples: %" PRIu32 "\nformat: %s\n", raw->lines, raw->samples,
            s->bits ? "u8" : "c64");
    write_quantity(out, "carrier", r->carrier, "Hz");
    write_quantity(out, "sampling", r->sampling, "Hz");
    write_quantity(out, "chirp_rate", r->chirp_rate, "Hz/s");
    write_quantity(out, "pulse", r->pulse, "s");
    write_quantity(out, "prf", r->prf, "Hz");
    write_quantity(out, "velocity", r->velocity, "m/s");
    write_quantity(out, "range", r->near_range, "m");
    write_quantity(out, "centroid", r->centroid, "Hz");
    write_quantity(out, "bandwidth", r->bandwidth, "Hz");
    write_quantity(out, "mean_i", raw->mean_i, "");
    write_quantity(out, "mean_q", raw->mean_q, "");
    if (s->agc != 0)
        write_name(out, "gain_file", base, endings[GAIN]);
    else
        fprintf(out, "gain: [%.15g]\n", 20 * log10(raw->gain[0]));
}

/* ---- files ---------------------------------------------------------------------------------- */

/* The caller frees *path. */
static int path_of(const char *name, enum part part, char **path, struct htmt_fault *fault)
{
    size_t room = strlen(name) + 8;
    *path = malloc(room);
    if (!*path)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for a file name", name);
    snprintf(*path, room, "%s%s", name, endings[part]);
    return 0;
}

int htmt__sar_scene_write(const char *name, const struct htmt__sar_scene *s,
                          const struct htmt__sar_raw *raw, struct htmt_fault *fault)
{
    int rc = 0;
    for (enum part part = 0; part < PARTS && !rc; part++) {
        struct htmt_whole_file *file = NULL;
        char *path = NULL;
        if (part == GAIN && s->agc == 0)
            continue;
        rc = path_of(name, part, &path, fault);
        if (!rc)
            rc = htmt_whole_file_open(path, &file, fault);
        free(path);
        if (rc)
            return rc;
        FILE *out = htmt_whole_file_stream(file);
        if (part == RAW)
            fwrite(raw->bytes, 1,
                   (size_t)raw->lines * raw->samples * htmt__sar_pair_bytes(raw->format), out);
        for (uint32_t n = 0; part == GAIN && n < raw->lines; n++)
            fprintf(out, "%.15g\n", 20 * log10(raw->gain[n]));
        if (part == YAML)
            write_parameters(out, name, s, raw);
        rc = htmt_whole_file_commit(&file, fault);
    }
    return rc;
}

int htmt__sar_scene_claim(const char *name, struct htmt_fault *fault)
{
    /* the parameter file, which is text, repeats the name */
    size_t room = HTMT_PRINTABLE_WIDEST * strlen(name) + 1;
    char *plain = malloc(room);
    if (!plain)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for a file name", name);
    htmt_printable(name, plain, room);
    int rc =
        !strcmp(name, plain)
            ? 0
            : htmt_fault_set(fault, HTMT_EUSAGE,
                             "--out: found '%s', expected a name without control characters", name);
    free(plain);
    for (enum part part = 0; part < PARTS && !rc; part++) {
        char *path = NULL;
        rc = path_of(name, part, &path, fault);
        if (!rc)
            rc = htmt_output_claim("--out", path, fault);
        free(path);
    }
    return rc;
}
