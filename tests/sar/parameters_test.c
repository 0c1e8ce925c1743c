/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/io/parameters.h"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct place here;

/* Lines 1 to 9 of every file here; what a test adds begins with line 10. */
#define RADAR                                                                                      \
    "carrier: 5.3 GHz\nsampling: 32.317 MHz\nchirp_rate: -7.2135e11 Hz/s\npulse: 41.75 us\n"       \
    "prf: 1256.98 Hz\nvelocity: 7062 m/s\nrange: 988.647 km\nlines: 100\nsamples: 2000\n"

static void set_up(void)
{
    here = place("a.yaml");
}

static void clear(void)
{
    place_remove(&here);
}

static struct htmt__sar_parameters read_text(const char *text)
{
    struct htmt__sar_parameters p = {0};
    struct htmt_fault fault = {0};
    place_put(&here, "a.yaml", text);
    cr_assert_eq(htmt__sar_parameters_read(here.path, &p, &fault), 0, "%s", fault.text);
    return p;
}

static void refuse(const char *text, const char *where, const char *what)
{
    struct htmt__sar_parameters p = {.ambiguity = 99};
    struct htmt_fault fault = {0};
    place_put(&here, "a.yaml", text);
    cr_expect_neq(htmt__sar_parameters_read(here.path, &p, &fault), 0, "%s", text);
    cr_expect_eq(htmt_exit_status(fault.code), 2, "%s", fault.text);
    cr_expect_not_null(strstr(fault.text, where), "'%s' not in: %s", where, fault.text);
    cr_expect_not_null(strstr(fault.text, what), "'%s' not in: %s", what, fault.text);
    cr_expect_eq(p.ambiguity, 99);
}

TestSuite(parameters, .init = set_up, .fini = clear);

Test(parameters, units_become_si_and_defaults_are_filled_in)
{
    struct htmt__sar_parameters p = read_text(RADAR "centroid: -7 kHz\n");
    const struct htmt__sar_radar *r = &p.radar;
    cr_expect_float_eq(r->carrier, 5.3e9, 1);
    cr_expect_float_eq(r->sampling, 32.317e6, 1e-6);
    cr_expect_float_eq(r->chirp_rate, -7.2135e11, 1e-3);
    cr_expect_float_eq(r->pulse, 41.75e-6, 1e-18);
    cr_expect_float_eq(r->near_range, 988647, 1e-8);
    cr_expect_float_eq(r->centroid, -7000, 1e-9);
    cr_expect_float_eq(r->bandwidth, 0.8 * 1256.98, 1e-9);
    cr_expect(p.measure && !p.estimate && !p.gain && !p.raw);
    cr_expect_eq(p.layout.format, HTMT__SAR_U8);
    cr_expect_eq(htmt__sar_file_bytes(&p.layout), 100 * 4000);
    htmt__sar_parameters_destroy(&p);
}

/* A tape of RADARSAT-1: 19,432 lines, a pulse recorded in every eighth. */
Test(parameters, a_radarsat_tape_is_described_to_the_byte)
{
    struct htmt__sar_parameters p = read_text(
        "carrier: 5.3 GHz\nsampling: 32.317 MHz\nchirp_rate: -0.72135 THz/s\npulse: 41.75 us\n"
        "prf: 1256.98 Hz\nvelocity: 7062 m/s\nrange: 988.647 km\ncentroid: estimate\n"
        "ambiguity: -6\nlines: 19432\nsamples: 9288\nformat: i8\nbits: 4\nfile_header: 16252\n"
        "line_header: 242\nreplica: {bytes: 2880, every: 8, first: 6}\n"
        "attenuation: {byte: 241, mask: 63, above: 31, subtract: 24}\n"
        "window: {line: 7656, lines: 1536, sample: 1849, samples: 2048}\nraw: dat_01.001\n");
    cr_expect_eq(htmt__sar_file_bytes(&p.layout), 16252 + 2429ull * (8 * 18818 + 2880));
    cr_expect_eq(p.layout.window.line, 7656);
    cr_expect_eq(p.radar.lines, 1536);
    cr_expect_eq(p.radar.samples, 2048);
    cr_expect_float_eq(p.radar.near_range, 988647 + 1849 * 299792458.0 / 2 / 32.317e6, 1e-6);
    cr_expect_float_eq(p.radar.centroid, -6 * 1256.98, 1e-9);
    cr_expect(p.estimate && !p.search);
    cr_expect(p.layout.gain_above == 31 && p.layout.gain_subtract == 24);
    char raw[80];
    snprintf(raw, sizeof raw, "%s/dat_01.001", here.folder);
    cr_expect_str_eq(p.raw, raw, "beside the parameter file");
    htmt__sar_parameters_destroy(&p);
}

Test(parameters, gains_are_taken_from_the_window)
{
    char text[1000] = "# dB\n";
    for (int n = 0; n < 100; n++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d # %d\n", n / 10, n);
    place_put(&here, "a.gain", text);
    struct htmt__sar_parameters p =
        read_text(RADAR "centroid: 0 Hz\ngain_file: a.gain\nwindow: {line: 35, lines: 20}\n");
    for (int n = 0; n < 20; n++)
        cr_expect_float_eq(p.gain[n], pow(10, (n + 35) / 10 / 20.0), 1e-12);
    htmt__sar_parameters_destroy(&p);
    p = read_text(RADAR "centroid: 0 Hz\ngain: [-20]\n");
    cr_expect_float_eq(p.gain[99], 0.1, 1e-15);
    htmt__sar_parameters_destroy(&p);
}

Test(parameters, absurd_numbers_are_refused_where_they_stand)
{
    refuse(RADAR "centroid: nan\n", "a.yaml:10: ", "found 'nan'");
    refuse(RADAR "centroid: 300\n", "a.yaml:10: ", "found '300'");
    refuse(RADAR "centroid: 300 m\n", "a.yaml:10: ", "found '300 m'");
    refuse(RADAR "centroid: 300 kHz\n", "a.yaml:10: ", "found 300000 Hz, expected less than 2 vel");
    refuse(RADAR "centroid: 0 Hz\nbandwidth: 1300 Hz\n", "a.yaml:11: ", "at most the prf of 1256");
    refuse(RADAR "centroid: 0 Hz\nwindow: {samples: 1300}\n",
           "a.yaml:4: ", "found 41.75 us = 1349 samples, longer than the line of 1300");
    refuse(RADAR "centroid: 0 Hz\nwindow: {line: 100}\n", "a.yaml:11: ", "expected 0 to 99");
    refuse(RADAR "centroid: 0 Hz\nwindow: {line: 50, lines: 51}\n",
           "a.yaml:11: ", "found 51, expected at most 50: the file has 100");
}

static void replace(const char *from, const char *to, const char *where, const char *what)
{
    char text[1000];
    const char *at = strstr(RADAR, from);
    cr_assert_not_null(at);
    snprintf(text, sizeof text, "%.*s%s%scentroid: 0 Hz\n", (int)(at - RADAR), RADAR, to,
             at + strlen(from));
    refuse(text, where, what);
}

Test(parameters, no_radar_without_its_numbers)
{
    replace("prf: 1256.98 Hz", "prf: 0 Hz", "a.yaml:5: ", "found");
    replace("velocity: 7062", "velocity: -7062", "a.yaml:6: ", "found");
    replace("pulse: 41.75 us", "pulse: 0 us", "a.yaml:4: ", "found");
    replace("chirp_rate: -7.2135e11", "chirp_rate: 0", "a.yaml:3: ", "other than 0");
    replace("chirp_rate: -7.2135e11", "chirp_rate: 9e11", "a.yaml:2: ", "at least the chirp's");
    replace("lines: 100\n", "lines: 0\n", "a.yaml:8: ", "found");
    replace("lines: 100\n", "lines: 1.5\n", "a.yaml:8: ", "found");
    replace("lines: 100\n", "", "a.yaml:", "lines");
    replace("lines: 100", "lnies: 100", "a.yaml:8: ", "did you mean 'lines'");
    replace("carrier: 5.3 GHz", "carrier: inf GHz", "a.yaml:1: ", "found");
}

Test(parameters, contradictions_are_refused)
{
    refuse(RADAR "centroid: estimate\n", "a.yaml:10: ", "without 'ambiguity'");
    refuse(RADAR "centroid: estimate\nambiguity: many\n", "a.yaml:11: ", "found 'many'");
    refuse(RADAR "centroid: 0 Hz\nambiguity: 1\n", "a.yaml:11: ", "'centroid: estimate' only");
    refuse(RADAR "centroid: 0 Hz\nmean_i: 15.5\n", "a.yaml:11: ", "without 'mean_q'");
    refuse(RADAR "centroid: 0 Hz\nbits: 4\n", "a.yaml:11: ", "'format: i8' only");
    refuse(RADAR "centroid: 0 Hz\ngain: [1, 2]\n", "a.yaml:11: ", "found 2 numbers, expected 1 or");
    refuse(RADAR "centroid: 0 Hz\ngain: [1]\ngain_file: b\n", "a.yaml:11: ", "expected one of");
    refuse(RADAR "centroid: 0 Hz\nattenuation: {byte: 0}\n", "a.yaml:11: ", "line header");
    refuse(RADAR "centroid: 0 Hz\nline_header: 2\nattenuation: {byte: 0, above: 31}\n",
           "a.yaml:12: ", "without 'subtract'");
    refuse(RADAR "centroid: 0 Hz\nline_header: 2\nattenuation: {byte: 0, subtract: 1}\n",
           "a.yaml:12: ", "without 'above'");
    refuse(RADAR "centroid: 0 Hz\nline_header: 2\nattenuation: {byte: 0, above: 7, subtract: 9}\n",
           "a.yaml:12: ", "found 9, expected at most 1 more than 'above', 8");
    refuse(RADAR "centroid: 0 Hz\nline_header: 6\nline_number: {byte: 3}\n",
           "a.yaml:12: ", "found 3 with 4 bytes, expected bytes of the line header, which has 6");
    refuse(RADAR "centroid: 0 Hz\nline_header: 6\nwindow_start: {byte: 3}\n",
           "a.yaml:12: ", "step");
}

Test(parameters, gain_files_are_read_to_the_last_line)
{
    const char *text = RADAR "centroid: 0 Hz\ngain_file: a.gain\n";
    refuse(text, "a.gain", "cannot open");
    place_put(&here, "a.gain", "1\n2\n3 dB\n");
    refuse(text, "a.gain:3: ", "found '3 dB', expected a gain in dB");
    place_put(&here, "a.gain", "1\n2\n");
    refuse(text, "a.gain: ", "found 2 gains, expected 100");
    char many[400] = "";
    for (int n = 0; n < 101; n++)
        strcat(many, "0\n");
    place_put(&here, "a.gain", many);
    refuse(text, "a.gain:101: ", "more than 100 gains");
    refuse(RADAR "centroid: 0 Hz\ngain_file: /dev/zero\n", "/dev/zero: found a device",
           "expected a file");
}
