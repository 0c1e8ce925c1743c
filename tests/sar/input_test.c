/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/input.h"
#include "apps/sar/io/scene_file.h"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct place here;

static char *file(const char *ending)
{
    static char path[sizeof here.path + 8];
    snprintf(path, sizeof path, "%s%s", here.path, ending);
    return path;
}

static void set_up(void)
{
    here = place("a 'scene'");
}

static void clear(void)
{
    static const char *const endings[] = {".raw", ".yaml", ".gain", ".targets"};
    for (int k = 0; k < 4; k++)
        unlink(file(endings[k]));
    place_clear(&here);
}

TestSuite(input, .init = set_up, .fini = clear);

static struct htmt__sar_scene scene_of(unsigned bits, double agc, struct htmt__sar_target *five)
{
    struct htmt__sar_scene s = {
        .targets = five, .target_count = 5, .bits = bits, .agc = agc, .noise = 0.1, .seed = 3};
    cr_assert_eq(htmt__sar_radar_named("small", &s.radar, NULL), 0);
    s.radar.lines = 300;
    s.radar.samples = 500;
    htmt__sar_five_targets(&s.radar, five);
    return s;
}

static struct htmt__sar_input read_back(void)
{
    struct htmt__sar_input in = {0};
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__sar_input_read(file(".yaml"), NULL, &in, &fault), 0, "%s", fault.text);
    return in;
}

static void expect_same(const struct htmt__sar_scene *s)
{
    struct htmt__sar_raw raw = {0};
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__sar_scene_make(s, &raw, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__sar_scene_write(here.path, s, &raw, &fault), 0, "%s", fault.text);
    struct htmt__sar_input in = read_back();
    cr_expect_eq(memcmp(&in.radar, &s->radar, sizeof s->radar), 0);
    cr_expect_eq(in.raw.format, raw.format);
    cr_expect_eq(in.raw.mean_i, raw.mean_i);
    cr_expect_eq(
        memcmp(in.raw.bytes, raw.bytes, raw.lines * raw.samples * htmt__sar_pair_bytes(raw.format)),
        0);
    for (uint32_t n = 0; n < raw.lines; n++)
        cr_assert_float_eq(in.raw.gain[n] / raw.gain[n], 1, 1e-13);
    htmt__sar_input_destroy(&in);
    htmt__sar_raw_destroy(&raw);
}

Test(input, a_scene_comes_back_from_its_files_as_it_was)
{
    struct htmt__sar_target five[5];
    struct htmt__sar_scene s = scene_of(8, 0, five);
    expect_same(&s);
    s = scene_of(0, 0, five);
    expect_same(&s);
    s = scene_of(4, 2, five);
    s.bias_i = 0.1;
    expect_same(&s);
}

/* The parameter file again, without means and with an estimated centroid. */
static void forget(const char *centroid)
{
    char text[4000] = "", line[200];
    FILE *f = fopen(file(".yaml"), "r");
    while (fgets(line, sizeof line, f))
        if (strncmp(line, "mean_", 5) && strncmp(line, "centroid", 8) &&
            strncmp(line, "ambiguity", 9))
            strcat(text, line);
    fclose(f);
    f = fopen(file(".yaml"), "w");
    fprintf(f, "%s%s\n", text, centroid);
    fclose(f);
}

Test(input, what_is_not_given_is_measured)
{
    struct htmt__sar_target five[5];
    struct htmt__sar_scene s = scene_of(4, 2, five);
    struct htmt_fault fault = {0};
    s.bias_i = 0.5;
    s.bias_q = -1;
    expect_same(&s);
    forget("centroid: estimate\nambiguity: 2");
    struct htmt__sar_input in = read_back();
    cr_expect_float_eq(in.raw.mean_i, 8, 0.1, "%g", in.raw.mean_i);
    cr_expect_float_eq(in.raw.mean_q, 6.5, 0.1, "%g", in.raw.mean_q);
    cr_expect_float_eq(in.radar.centroid, 3600, 60, "%g", in.radar.centroid);
    cr_expect_not_null(strstr(in.note, "ambiguity 2 given"), "%s", in.note);
    struct htmt__sar_input described;
    cr_assert_eq(htmt__sar_input_describe(file(".yaml"), NULL, &described, &fault), 0);
    cr_expect_eq(described.radar.centroid, in.radar.centroid, "estimated without a run, too");
    cr_expect(!described.raw.bytes && !described.raw.gain);
    htmt__sar_input_destroy(&described);
    htmt__sar_input_destroy(&in);
}

/* The five points of this scene migrate by less than a cell. */
Test(input, an_ambiguity_is_found_or_refused)
{
    struct htmt__sar_target five[5];
    struct htmt__sar_scene s = scene_of(8, 0, five);
    struct htmt_fault fault = {0};
    struct htmt__sar_input in;
    s.noise = 0;
    s.radar.lines = 500;
    htmt__sar_five_targets(&s.radar, five);
    expect_same(&s);
    forget("centroid: estimate\nambiguity: search");
    in = read_back();
    cr_expect_float_eq(in.radar.centroid, 3600, 60, "%g", in.radar.centroid);
    cr_expect_not_null(strstr(in.note, "ambiguity 2 found by trial images"), "%s", in.note);
    htmt__sar_input_destroy(&in);
    s.noise = 30;
    expect_same(&s);
    forget("centroid: estimate\nambiguity: search");
    cr_expect_eq(htmt__sar_input_read(file(".yaml"), NULL, &in, &fault), HTMT_EFORMAT);
    cr_expect_not_null(strstr(fault.text, "give its number"), "%s", fault.text);
}

/* Records as on RADARSAT-1's tapes: 192 + 50 bytes, the last with the attenuation; in the 7th of
 * every 8 a pulse of 2880 bytes; numbers in two's complement of four bits. */
static void write_tape(const struct htmt__sar_raw *raw, double agc)
{
    static uint8_t header[16252], replica[2880];
    const uint8_t *code = raw->bytes;
    FILE *f = fopen(file(".raw"), "w");
    memset(replica, 0x77, sizeof replica);
    fwrite(header, 1, sizeof header, f);
    for (uint32_t n = 0; n < raw->lines; n++) {
        fwrite(header, 1, 241, f);
        int decibels = (int)(agc * (n / 64 % 4));
        fputc(0x40 | (decibels < 8 ? decibels : decibels + 24), f);
        if (n % 8 == 6)
            fwrite(replica, 1, sizeof replica, f);
        for (uint32_t k = 0; k < 2 * raw->samples; k++)
            fputc((*code++ - 8) & 0xf, f);
    }
    fclose(f);
}

Test(input, a_tape_is_the_scene_that_was_put_on_it)
{
    struct htmt__sar_target five[5];
    struct htmt__sar_scene s = scene_of(4, 4, five);
    struct htmt__sar_raw raw = {0};
    cr_assert_eq(htmt__sar_scene_make(&s, &raw, NULL), 0);
    write_tape(&raw, s.agc);
    place_put(
        &here, "a 'scene'.yaml",
        "raw: \"a 'scene'.raw\"\nlines: 300\nsamples: 500\nformat: i8\nbits: 4\nfile_header: "
        "16252\n"
        "line_header: 242\nreplica: {bytes: 2880, every: 8, first: 6}\n"
        "attenuation: {byte: 241, mask: 63, above: 31, subtract: 24}\nmean_i: -0.5\nmean_q: -0.5\n"
        "window: {line: 50, lines: 200, sample: 100, samples: 300}\n"
        "carrier: 5.3 GHz\nsampling: 18.962468 MHz\nchirp_rate: 1.944e12 Hz/s\npulse: 8 us\n"
        "prf: 1679.902 Hz\nvelocity: 7098.0194 m/s\nrange: 150 km\ncentroid: 3600 Hz\n");
    struct htmt__sar_input in = read_back();
    for (uint32_t n = 0; n < 200; n++)
        cr_assert_float_eq(in.raw.gain[n] * raw.gain[0] / raw.gain[n + 50], 1, 1e-12);
    for (uint32_t n = 0; n < 200; n++)
        for (uint32_t j = 0; j < 300; j++) {
            double tape[2], made[2];
            htmt__sar_pair(&in.raw, n, j, &tape[0], &tape[1]);
            htmt__sar_pair(&raw, n + 50, j + 100, &made[0], &made[1]);
            for (int c = 0; c < 2; c++)
                cr_assert_eq(tape[c] + 0.5, made[c] - 7.5);
        }
    cr_expect_float_eq(in.radar.near_range, 150e3 + 100 * htmt__sar_spacing(&in.radar), 1e-9);
    htmt__sar_input_destroy(&in);
    htmt__sar_raw_destroy(&raw);
}

/* Lines with headers of 8 bytes: number (4, big), window start in units of 2 samples (2, little),
 * prf code (1), a spare one. Lines 100 to 139 and 200 are lost; from line 150 on the window starts
 * `later` units later; lines from `other_prf` on have another prf. */
static void write_numbered(const struct htmt__sar_raw *raw, uint32_t first_number, int later,
                           uint32_t other_prf)
{
    const uint8_t *code = raw->bytes;
    FILE *f = fopen(file(".raw"), "w");
    for (uint32_t n = 0; n < raw->lines; n++) {
        const int32_t move = n < 150 ? 0 : 2 * later, samples = (int32_t)raw->samples;
        const uint32_t number = first_number + n, start = 700 + (uint32_t)(move / 2);
        if ((n >= 100 && n < 140) || n == 200)
            continue;
        const uint8_t header[8] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16),
                                   (uint8_t)(number >> 8),  (uint8_t)number,
                                   (uint8_t)start,          (uint8_t)(start >> 8),
                                   n < other_prf ? 3 : 4,   0};
        fwrite(header, 1, 8, f);
        for (int32_t j = move; j < samples + move; j++) {
            const int32_t from = j < 0 ? 0 : j < samples ? j : samples - 1;
            fwrite(code + 2 * (n * raw->samples + (uint32_t)from), 1, 2, f);
        }
    }
    fclose(f);
    f = fopen(file(".yaml"), "w");
    fputs("raw: \"a 'scene'.raw\"\nlines: 259\nsamples: 500\nline_header: 8\n"
          "line_number: {byte: 0}\nprf_code: {byte: 6, bytes: 1}\n"
          "window_start: {byte: 4, byte_order: little, step: 0.10547145255 us}\n"
          "carrier: 5.3 GHz\nsampling: 18.962468 MHz\nchirp_rate: 1.944e12 Hz/s\npulse: 8 us\n"
          "prf: 1679.902 Hz\nvelocity: 7098.0194 m/s\nrange: 150 km\ncentroid: 3600 Hz\n",
          f);
    fclose(f);
}

/* Every sample that is left stands where it was; what is lost is nothing, to half a step. */
static void expect_repaired(const struct htmt__sar_raw *raw, uint32_t first_number, int later)
{
    write_numbered(raw, first_number, later, UINT32_MAX);
    struct htmt__sar_input in = read_back();
    cr_assert(in.raw.lines == 300 && in.radar.lines == 300);
    cr_expect(in.raw.missing == 41 && in.raw.gaps == 2);
    cr_expect_eq(later > 0 ? in.raw.shift_most : -in.raw.shift_least, 2 * abs(later));
    cr_expect_eq(htmt_warnings_count(in.warnings), 1);
    cr_expect_not_null(strstr(htmt_warnings_text(in.warnings, 0),
                              "41 lines are missing by their numbers, in 2 gaps of at most 40, the "
                              "first behind line 99"));
    for (uint32_t n = 0; n < 300; n++) {
        const bool lost = (n >= 100 && n < 140) || n == 200;
        const int64_t move = n < 150 ? 0 : 2 * later;
        cr_assert_eq(in.raw.gain[n], lost ? 0 : 1);
        for (uint32_t j = 0; j < 500 && !lost; j++) {
            double found[2], made[2];
            htmt__sar_pair(&in.raw, n, j, &found[0], &found[1]);
            htmt__sar_pair(raw, n, j, &made[0], &made[1]);
            for (int c = 0; c < 2; c++)
                if (j >= move && j < 500 + move)
                    cr_assert_eq(found[c], made[c], "line %u, sample %u", n, j);
                else
                    cr_assert_leq(fabs(found[c] - (c ? in.raw.mean_q : in.raw.mean_i)), 0.6);
        }
    }
    struct htmt__sar_input described;
    cr_assert_eq(htmt__sar_input_describe(file(".yaml"), NULL, &described, NULL), 0);
    cr_expect_eq(described.radar.lines, 300, "a model has the lines of a run");
    htmt__sar_input_destroy(&described);
    htmt__sar_input_destroy(&in);
}

static void expect_refusal(const char *text)
{
    struct htmt__sar_input in;
    struct htmt_fault fault = {0};
    cr_expect_neq(htmt__sar_input_read(file(".yaml"), NULL, &in, &fault), 0);
    cr_expect_eq(htmt_exit_status(fault.code), 2);
    cr_expect_not_null(strstr(fault.text, text), "%s", fault.text);
}

Test(input, lost_lines_and_moved_windows_are_repaired_by_the_headers_and_another_prf_is_refused)
{
    struct htmt__sar_target five[5];
    struct htmt__sar_scene s = scene_of(8, 0, five);
    struct htmt__sar_raw raw = {0};
    cr_assert_eq(htmt__sar_scene_make(&s, &raw, NULL), 0);
    expect_repaired(&raw, 7, 19);
    expect_repaired(&raw, UINT32_MAX - 120, -25); /* the counter begins anew in between */
    write_numbered(&raw, 7, 0, 260);
    expect_refusal("found prf code 4 in line 219, expected 3 as in line 0");
    write_numbered(&raw, 7, 300, UINT32_MAX);
    expect_refusal("in line 110, 600 samples from that of line 0, expected less than the 500");
    write_numbered(&raw, 7, 0, UINT32_MAX);
    forget("centroid: 3600 Hz\nwindow: {line: 90, lines: 20}");
    expect_refusal(
        "found number 147 in line 100 behind 106, expected at most as many missing lines");
    htmt__sar_raw_destroy(&raw);
}

Test(input, a_raw_file_can_be_given_apart_but_must_be_known)
{
    struct htmt__sar_target five[5];
    struct htmt__sar_scene s = scene_of(8, 0, five);
    struct htmt__sar_input in = {.radar.lines = 99};
    struct htmt_fault fault = {0};
    expect_same(&s);
    cr_assert_eq(htmt__sar_input_read(file(".yaml"), "/nowhere/x.raw", &in, &fault), HTMT_ENOENT);
    cr_expect_not_null(strstr(fault.text, "/nowhere/x.raw: cannot open"), "%s", fault.text);
    place_put(&here, "a 'scene'.yaml",
              "lines: 300\nsamples: 500\ncarrier: 5 GHz\nsampling: 18 MHz\nchirp_rate: 1e12 Hz/s\n"
              "pulse: 8 us\nprf: 1700 Hz\nvelocity: 7000 m/s\nrange: 800 km\ncentroid: 0 Hz\n");
    fault = (struct htmt_fault){0};
    cr_expect_eq(htmt__sar_input_read(file(".yaml"), NULL, &in, &fault), HTMT_EINVAL);
    cr_expect_not_null(strstr(fault.text, "names no raw file"), "%s", fault.text);
    cr_expect_eq(in.radar.lines, 99);
    cr_expect_eq(htmt__sar_input_describe(file(".yaml"), NULL, &in, NULL), 0);
    cr_expect_eq(in.radar.samples, 500);
    cr_expect(!in.raw.bytes && in.raw.format == HTMT__SAR_U8 && in.raw.lines == 300);
    htmt__sar_input_destroy(&in);
}

Test(input, targets_are_read_with_their_defaults)
{
    struct htmt__sar_target *t = NULL;
    struct htmt_fault fault = {0};
    uint32_t count = 0;
    place_put(&here, "a 'scene'.targets",
              "targets:\n  - {line: 10, sample: 20.5}\n"
              "  - {line: -3, sample: 7, amplitude: 0.5, phase: 90 deg}\n");
    cr_assert_eq(htmt__sar_targets_read(file(".targets"), &t, &count, &fault), 0, "%s", fault.text);
    cr_assert_eq(count, 2);
    cr_expect_eq(t[0].sample, 20.5);
    cr_expect_eq(t[0].amplitude, 1);
    cr_expect_eq(t[1].line, -3);
    cr_expect_float_eq(t[1].phase, M_PI / 2, 1e-15);
    free(t);
}

Test(input, default_scene_has_the_sizes_that_are_asked_for)
{
    struct htmt__sar_input in;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__sar_input_default(0, 0, 1, 1, &in, NULL), 0);
    cr_expect_eq(in.raw.lines, 512);
    cr_expect_eq(in.radar.samples, 1024);
    htmt__sar_input_destroy(&in);
    cr_assert_eq(htmt__sar_input_default(300, 401, 1, 1, &in, NULL), 0);
    cr_expect_eq(in.radar.lines, 300);
    cr_expect_eq(in.raw.samples, 401);
    htmt__sar_input_destroy(&in);
    cr_expect_eq(htmt__sar_input_default(300, 100, 1, 1, &in, &fault), HTMT_ERANGE);
    cr_expect_not_null(strstr(fault.text, "longer than the line of 100"), "%s", fault.text);
}
