/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/io/parameters.h"

#include "layers/file/parameters.h"
#include "runtime/base/input.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINES_MOST   1e8
#define SAMPLES_MOST 1e7
#define BYTES_MOST   1e9
/* Default bandwidth as a share of the prf. */
#define BANDWIDTH_SHARE 0.8

/* In the order of enum htmt__sar_format. */
static const char *const formats[] = {"u8", "i8", "i16", "c64", NULL};
static const char *const orders[] = {"little", "big", NULL};

static const struct htmt_schema_row replica_rows[] = {
    {.key = "bytes", .kind = HTMT_SCHEMA_WHOLE, .least = 1, .most = BYTES_MOST},
    {.key = "every", .kind = HTMT_SCHEMA_WHOLE, .least = 1, .most = LINES_MOST},
    {.key = "first", .kind = HTMT_SCHEMA_WHOLE, .least = 0, .most = LINES_MOST},
    {.key = NULL}};

static const struct htmt_schema_row attenuation_rows[] = {
    {.key = "byte", .kind = HTMT_SCHEMA_WHOLE, .least = 0, .most = BYTES_MOST},
    {.key = "mask", .kind = HTMT_SCHEMA_WHOLE, .least = 1, .most = 255, .fallback = "255"},
    {.key = "above", .kind = HTMT_SCHEMA_WHOLE, .least = 0, .most = 255, .optional = true},
    {.key = "subtract", .kind = HTMT_SCHEMA_WHOLE, .least = 1, .most = 255, .optional = true},
    {.key = NULL}};

#define FIELD(most_bytes, usual)                                                                   \
    {.key = "byte", .kind = HTMT_SCHEMA_WHOLE, .least = 0, .most = BYTES_MOST},                    \
        {.key = "bytes",                                                                           \
         .kind = HTMT_SCHEMA_WHOLE,                                                                \
         .least = 1,                                                                               \
         .most = (most_bytes),                                                                     \
         .fallback = (usual)},                                                                     \
    {                                                                                              \
        .key = "byte_order", .kind = HTMT_SCHEMA_CHOICE, .words = orders, .fallback = "big"        \
    }

static const struct htmt_schema_row field_rows[] = {FIELD(8, "4"), {.key = NULL}};
static const struct htmt_schema_row start_rows[] = {
    FIELD(8, "2"),
    {.key = "step", .kind = HTMT_UNIT_SECONDS, .above_least = true, .most = 1},
    {.key = NULL}};

static const struct htmt_schema_row window_rows[] = {
    {.key = "line", .kind = HTMT_SCHEMA_WHOLE, .least = 0, .most = LINES_MOST, .fallback = "0"},
    {.key = "lines", .kind = HTMT_SCHEMA_WHOLE, .least = 1, .most = LINES_MOST, .optional = true},
    {.key = "sample", .kind = HTMT_SCHEMA_WHOLE, .least = 0, .most = SAMPLES_MOST, .fallback = "0"},
    {.key = "samples",
     .kind = HTMT_SCHEMA_WHOLE,
     .least = 1,
     .most = SAMPLES_MOST,
     .optional = true},
    {.key = NULL}};

static const struct htmt_schema_row rows[] = {
    /* the radar */
    {.key = "carrier", .kind = HTMT_UNIT_HERTZ, .least = 1e6, .most = 1e12},
    {.key = "sampling", .kind = HTMT_UNIT_HERTZ, .least = 1, .most = 1e11},
    {.key = "chirp_rate", .kind = HTMT_UNIT_HERTZ_PER_SECOND, .least = -1e18, .most = 1e18},
    {.key = "pulse", .kind = HTMT_UNIT_SECONDS, .above_least = true, .most = 1},
    {.key = "prf", .kind = HTMT_UNIT_HERTZ, .above_least = true, .most = 1e6},
    {.key = "velocity", .kind = HTMT_UNIT_METRES_PER_SECOND, .above_least = true, .most = 1e5},
    {.key = "range", .kind = HTMT_UNIT_METRES, .above_least = true, .most = 1e9},
    {.key = "centroid", .kind = HTMT_SCHEMA_TEXT},
    {.key = "ambiguity", .kind = HTMT_SCHEMA_TEXT, .optional = true},
    {.key = "bandwidth",
     .kind = HTMT_UNIT_HERTZ,
     .above_least = true,
     .most = 1e6,
     .optional = true},
    /* the file */
    {.key = "raw", .kind = HTMT_SCHEMA_TEXT, .optional = true},
    {.key = "lines", .kind = HTMT_SCHEMA_WHOLE, .least = 1, .most = LINES_MOST},
    {.key = "samples", .kind = HTMT_SCHEMA_WHOLE, .least = 1, .most = SAMPLES_MOST},
    {.key = "format", .kind = HTMT_SCHEMA_CHOICE, .words = formats, .fallback = "u8"},
    {.key = "bits", .kind = HTMT_SCHEMA_WHOLE, .least = 2, .most = 8, .fallback = "8"},
    {.key = "byte_order", .kind = HTMT_SCHEMA_CHOICE, .words = orders, .fallback = "little"},
    {.key = "file_header", .kind = HTMT_SCHEMA_WHOLE, .most = 1e15, .fallback = "0"},
    {.key = "line_header", .kind = HTMT_SCHEMA_WHOLE, .most = BYTES_MOST, .fallback = "0"},
    {.key = "line_trailer", .kind = HTMT_SCHEMA_WHOLE, .most = BYTES_MOST, .fallback = "0"},
    {.key = "replica", .kind = HTMT_SCHEMA_GROUP, .rows = replica_rows, .optional = true},
    {.key = "attenuation", .kind = HTMT_SCHEMA_GROUP, .rows = attenuation_rows, .optional = true},
    {.key = "line_number", .kind = HTMT_SCHEMA_GROUP, .rows = field_rows, .optional = true},
    {.key = "window_start", .kind = HTMT_SCHEMA_GROUP, .rows = start_rows, .optional = true},
    {.key = "prf_code", .kind = HTMT_SCHEMA_GROUP, .rows = field_rows, .optional = true},
    /* conversion and window */
    {.key = "mean_i", .kind = HTMT_UNIT_NUMBER, .least = -1e9, .most = 1e9, .optional = true},
    {.key = "mean_q", .kind = HTMT_UNIT_NUMBER, .least = -1e9, .most = 1e9, .optional = true},
    {.key = "gain", .kind = HTMT_SCHEMA_LIST, .least = -200, .most = 200, .optional = true},
    {.key = "gain_file", .kind = HTMT_SCHEMA_TEXT, .optional = true},
    {.key = "window", .kind = HTMT_SCHEMA_GROUP, .rows = window_rows, .optional = true},
    {.key = NULL}};

static uint32_t count_of(const struct htmt_parameters *from, const char *key)
{
    return (uint32_t)htmt_parameter_whole(from, key);
}

static uint64_t bytes_of(const struct htmt_parameters *from, const char *key)
{
    return (uint64_t)htmt_parameter_whole(from, key);
}

/* ---- where the numbers stand ---------------------------------------------------------------- */

/* The gain of a line from a byte of its header: attenuation in dB, or a code. Above one code the
 * codes count from another: with above 9 and subtract 6, code 12 is 6 dB. */
static int read_attenuation(const struct htmt_parameters *from, struct htmt__sar_layout *l,
                            struct htmt_fault *fault)
{
    if (!htmt_parameter_given(from, "attenuation"))
        return 0;
    const struct htmt_parameters *a = htmt_parameter_group(from, "attenuation", 0);
    l->gain_byte = bytes_of(a, "byte");
    l->gain_mask = (uint8_t)htmt_parameter_whole(a, "mask");
    if (l->gain_byte >= l->line_header)
        return htmt_parameter_refuse(a, "byte", HTMT_ERANGE, fault,
                                     "found %" PRIu64
                                     ", expected a byte of the line header, 0 to %lld",
                                     l->gain_byte, (long long)l->line_header - 1);
    bool above = htmt_parameter_given(a, "above"), subtract = htmt_parameter_given(a, "subtract");
    if (above != subtract)
        return htmt_parameter_refuse(a, above ? "above" : "subtract", HTMT_EFORMAT, fault,
                                     "found without '%s', expected both or none",
                                     above ? "subtract" : "above");
    if (!above)
        return 0;
    l->gain_above = (uint8_t)htmt_parameter_whole(a, "above");
    l->gain_subtract = (uint8_t)htmt_parameter_whole(a, "subtract");
    if (l->gain_subtract <= l->gain_above + 1)
        return 0;
    return htmt_parameter_refuse(a, "subtract", HTMT_ERANGE, fault,
                                 "found %u, expected at most 1 more than 'above', %u",
                                 l->gain_subtract, l->gain_above + 1u);
}

/* A number in the headers of lines. */
static int read_field(const struct htmt_parameters *from, const char *key,
                      const struct htmt__sar_layout *l, struct htmt__sar_field *field,
                      struct htmt_fault *fault)
{
    if (!htmt_parameter_given(from, key))
        return 0;
    const struct htmt_parameters *f = htmt_parameter_group(from, key, 0);
    *field = (struct htmt__sar_field){.byte = bytes_of(f, "byte"),
                                      .bytes = count_of(f, "bytes"),
                                      .little_endian = htmt_parameter_choice(f, "byte_order") == 0};
    if (field->byte + field->bytes <= l->line_header)
        return 0;
    return htmt_parameter_refuse(f, "byte", HTMT_ERANGE, fault,
                                 "found %" PRIu64 " with %u bytes, expected bytes of the line "
                                 "header, which has %" PRIu64,
                                 field->byte, field->bytes, l->line_header);
}

/* One side of the window: `count` from `first` on, out of `all`. */
static int read_side(const struct htmt_parameters *w, const char *first_key, const char *count_key,
                     uint32_t all, uint32_t *first, uint32_t *count, struct htmt_fault *fault)
{
    *first = count_of(w, first_key);
    if (*first >= all)
        return htmt_parameter_refuse(w, first_key, HTMT_ERANGE, fault,
                                     "found %" PRIu32 ", expected 0 to %" PRIu32, *first, all - 1);
    *count = htmt_parameter_known(w, count_key) ? count_of(w, count_key) : all - *first;
    if (*count <= all - *first)
        return 0;
    return htmt_parameter_refuse(w, count_key, HTMT_ERANGE, fault,
                                 "found %" PRIu32 ", expected at most %" PRIu32
                                 ": the file has %" PRIu32,
                                 *count, all - *first, all);
}

static int read_layout(const struct htmt_parameters *from, struct htmt__sar_layout *l,
                       struct htmt_fault *fault)
{
    *l = (struct htmt__sar_layout){.lines = count_of(from, "lines"),
                                   .samples = count_of(from, "samples"),
                                   .format =
                                       (enum htmt__sar_format)htmt_parameter_choice(from, "format"),
                                   .bits = count_of(from, "bits"),
                                   .big_endian = htmt_parameter_choice(from, "byte_order") == 1,
                                   .file_header = bytes_of(from, "file_header"),
                                   .line_header = bytes_of(from, "line_header"),
                                   .line_trailer = bytes_of(from, "line_trailer")};
    if (l->bits < 8 && l->format != HTMT__SAR_I8)
        return htmt_parameter_refuse(from, "bits", HTMT_EFORMAT, fault,
                                     "found %u, expected with 'format: i8' only", l->bits);
    if (htmt_parameter_given(from, "replica")) {
        const struct htmt_parameters *r = htmt_parameter_group(from, "replica", 0);
        l->replica_bytes = bytes_of(r, "bytes");
        l->replica_every = count_of(r, "every");
        l->replica_first = count_of(r, "first");
    }
    int rc = read_attenuation(from, l, fault);
    if (!rc)
        rc = read_field(from, "line_number", l, &l->number, fault);
    if (!rc)
        rc = read_field(from, "window_start", l, &l->start, fault);
    if (!rc)
        rc = read_field(from, "prf_code", l, &l->prf, fault);
    if (!rc && l->start.bytes)
        l->start_step =
            htmt_parameter_number(htmt_parameter_group(from, "window_start", 0), "step") *
            htmt_parameter_number(from, "sampling");
    l->window.lines = l->lines;
    l->window.samples = l->samples;
    if (rc || !htmt_parameter_given(from, "window"))
        return rc;
    const struct htmt_parameters *w = htmt_parameter_group(from, "window", 0);
    rc = read_side(w, "line", "lines", l->lines, &l->window.line, &l->window.lines, fault);
    if (!rc)
        rc = read_side(w, "sample", "samples", l->samples, &l->window.sample, &l->window.samples,
                       fault);
    return rc;
}

/* ---- the radar ------------------------------------------------------------------------------ */

/* The centroid is "-7000 Hz", or "estimate". An estimate finds the fraction of the prf only; the
 * whole part, the ambiguity number, is "-6" or "search". */
static int read_centroid(const struct htmt_parameters *from, struct htmt__sar_parameters *p,
                         struct htmt_fault *fault)
{
    const char *text = htmt_parameter_text(from, "centroid");
    const bool numbered = htmt_parameter_given(from, "ambiguity");
    char why[200], *end;
    p->estimate = !strcmp(text, "estimate");
    if (!p->estimate) {
        if (numbered)
            return htmt_parameter_refuse(from, "ambiguity", HTMT_EFORMAT, fault,
                                         "expected with 'centroid: estimate' only");
        int rc = htmt_quantity_double(text, HTMT_UNIT_HERTZ, &p->radar.centroid, why, sizeof why);
        return rc ? htmt_parameter_refuse(from, "centroid", rc, fault, "%s, or 'estimate'", why)
                  : 0;
    }
    if (!numbered)
        return htmt_parameter_refuse(from, "centroid", HTMT_EFORMAT, fault,
                                     "found 'estimate' without 'ambiguity', expected its number "
                                     "or 'search'");
    text = htmt_parameter_text(from, "ambiguity");
    p->search = !strcmp(text, "search");
    p->ambiguity = p->search ? 0 : strtoll(text, &end, 10);
    if (!p->search && (!*text || *end || llabs(p->ambiguity) > 1000))
        return htmt_parameter_refuse(from, "ambiguity", HTMT_EFORMAT, fault,
                                     "found '%s', expected a whole number from -1000 to 1000 or "
                                     "'search'",
                                     text);
    p->radar.centroid = (double)p->ambiguity * p->radar.prf;
    return 0;
}

static int read_radar(const struct htmt_parameters *from, struct htmt__sar_parameters *p,
                      struct htmt_fault *fault)
{
    struct htmt__sar_radar *r = &p->radar;
    *r = (struct htmt__sar_radar){.lines = p->layout.window.lines,
                                  .samples = p->layout.window.samples,
                                  .carrier = htmt_parameter_number(from, "carrier"),
                                  .sampling = htmt_parameter_number(from, "sampling"),
                                  .chirp_rate = htmt_parameter_number(from, "chirp_rate"),
                                  .pulse = htmt_parameter_number(from, "pulse"),
                                  .prf = htmt_parameter_number(from, "prf"),
                                  .velocity = htmt_parameter_number(from, "velocity"),
                                  .near_range = htmt_parameter_number(from, "range")};
    r->near_range += p->layout.window.sample * htmt__sar_spacing(r);
    r->bandwidth = htmt_parameter_given(from, "bandwidth")
                       ? htmt_parameter_number(from, "bandwidth")
                       : BANDWIDTH_SHARE * r->prf;
    int rc = read_centroid(from, p, fault);
    if (rc)
        return rc;
    /* report the check's message at the line of its key */
    struct htmt_fault found = {0};
    rc = htmt__sar_radar_check(r, &found);
    char *colon = rc ? strchr(found.text, ':') : NULL;
    if (!colon)
        return rc;
    *colon = '\0';
    return htmt_parameter_refuse(from, found.text, rc, fault, "%s", colon + 2);
}

/* ---- gains ---------------------------------------------------------------------------------- */

#define BLANKS " \t\r\n"

/* One number for each of `lines` lines out of a text, which is cut into words. A line of the text
 * has one word or none; "#" begins a comment. */
static int read_numbers(const char *path, char *rest, uint32_t lines, double *decibels,
                        struct htmt_fault *fault)
{
    uint32_t count = 0;
    for (uint32_t number = 1; rest; number++) {
        char *word = strsep(&rest, "\n"), *end;
        word[strcspn(word, "#")] = '\0';
        word += strspn(word, BLANKS);
        for (size_t n = strlen(word); n && strchr(BLANKS, word[n - 1]);)
            word[--n] = '\0';
        if (!*word)
            continue;
        double value = strtod(word, &end);
        if (end == word || *end || !(fabs(value) <= 200))
            return htmt_fault_set(fault, HTMT_EFORMAT,
                                  "%s:%" PRIu32
                                  ": found '%.40s', expected a gain in dB, -200 to 200",
                                  path, number, word);
        if (count == lines)
            return htmt_fault_set(fault, HTMT_EFORMAT,
                                  "%s:%" PRIu32 ": found more than %" PRIu32
                                  " gains, expected one a line of data",
                                  path, number, lines);
        decibels[count++] = value;
    }
    if (count == lines)
        return 0;
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "%s: found %" PRIu32 " gains, expected %" PRIu32 ", one a line of data",
                          path, count, lines);
}

int htmt__sar_gains_read(const char *path, uint32_t lines, double **decibels,
                         struct htmt_fault *fault)
{
    char *text = NULL;
    size_t length = 0;
    int rc = htmt_input_read(path, HTMT_INPUT_LIST, &text, &length, fault);
    if (rc)
        return rc;
    double *list = calloc(lines, sizeof *list);
    if (!list)
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for its gains", path);
    else if (memchr(text, '\0', length))
        rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s: found a zero byte, expected text", path);
    else
        rc = read_numbers(path, text, lines, list, fault);
    free(text);
    if (rc)
        free(list);
    else
        *decibels = list;
    return rc;
}

/* Factors 10^(dB / 20) of the lines of the window: of a list for all lines of the file, or of one
 * number for all. */
static int make_gains(const double *decibels, bool each, struct htmt__sar_parameters *p,
                      struct htmt_fault *fault)
{
    const uint32_t first = p->layout.window.line, count = p->layout.window.lines;
    double *gain = calloc(count, sizeof *gain);
    if (!gain)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the gains of lines");
    for (uint32_t n = 0; n < count; n++)
        gain[n] = pow(10, decibels[each ? first + n : 0] / 20);
    p->gain = gain;
    return 0;
}

/* A name in the parameter file at `path`, relative to the folder of that file. */
static int beside(const char *path, const char *name, char **full, struct htmt_fault *fault)
{
    const char *slash = name[0] == '/' ? NULL : strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0, n = strlen(name);
    *full = malloc(folder + n + 1);
    if (!*full)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for a file name", path);
    memcpy(*full, path, folder);
    memcpy(*full + folder, name, n + 1);
    return 0;
}

/* One number for all lines of the file, or one for each, here or in a file. */
static int read_gains(const char *path, const struct htmt_parameters *from,
                      struct htmt__sar_parameters *p, struct htmt_fault *fault)
{
    const bool given = htmt_parameter_given(from, "gain");
    const bool file = htmt_parameter_given(from, "gain_file");
    if (given + file + (p->layout.gain_mask != 0) > 1)
        return htmt_parameter_refuse(from, given ? "gain" : "gain_file", HTMT_EFORMAT, fault,
                                     "expected one of 'gain', 'gain_file' and 'attenuation'");
    if (given) {
        unsigned count;
        const double *list = htmt_parameter_list(from, "gain", &count);
        if (count != 1 && count != p->layout.lines)
            return htmt_parameter_refuse(from, "gain", HTMT_EFORMAT, fault,
                                         "found %u numbers, expected 1 or one for each of %" PRIu32
                                         " lines",
                                         count, p->layout.lines);
        return make_gains(list, count > 1, p, fault);
    }
    if (!file)
        return 0;
    char *name = NULL;
    double *list = NULL;
    int rc = beside(path, htmt_parameter_text(from, "gain_file"), &name, fault);
    if (!rc)
        rc = htmt__sar_gains_read(name, p->layout.lines, &list, fault);
    if (!rc)
        rc = make_gains(list, true, p, fault);
    free(list);
    free(name);
    return rc;
}

/* ---- all ------------------------------------------------------------------------------------ */

int htmt__sar_parameters_read(const char *path, struct htmt__sar_parameters *p,
                              struct htmt_fault *fault)
{
    struct htmt__sar_parameters found = {0};
    struct htmt_parameters *from = NULL;
    int rc = htmt_parameters_read(path, "a SAR parameter file", rows, &from, fault);
    if (rc)
        return rc;
    const bool i = htmt_parameter_given(from, "mean_i"), q = htmt_parameter_given(from, "mean_q");
    rc = read_layout(from, &found.layout, fault);
    if (!rc)
        rc = read_radar(from, &found, fault);
    if (!rc && i != q)
        rc = htmt_parameter_refuse(from, i ? "mean_i" : "mean_q", HTMT_EFORMAT, fault,
                                   "found without '%s', expected both or none",
                                   i ? "mean_q" : "mean_i");
    if (!rc)
        rc = read_gains(path, from, &found, fault);
    if (!rc && htmt_parameter_given(from, "raw"))
        rc = beside(path, htmt_parameter_text(from, "raw"), &found.raw, fault);
    found.measure = !i;
    if (i && q) {
        found.mean_i = htmt_parameter_number(from, "mean_i");
        found.mean_q = htmt_parameter_number(from, "mean_q");
    }
    htmt_parameters_destroy(&from);
    if (rc)
        htmt__sar_parameters_destroy(&found);
    else
        *p = found;
    return rc;
}

void htmt__sar_parameters_destroy(struct htmt__sar_parameters *p)
{
    free(p->gain);
    free(p->raw);
    *p = (struct htmt__sar_parameters){0};
}
