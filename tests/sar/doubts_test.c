/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Raw data that went wrong on the way, made here from good data or from nothing.
 */
#include "apps/lib/task_parts.h"
#include "apps/sar/io/scene.h"
#include "apps/sar/survey.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct htmt__sar_raw raw;
static struct htmt_warnings warnings;
static struct htmt__sar_radar radar;

static void drop(void)
{
    htmt__sar_raw_destroy(&raw);
}

static uint8_t *bytes(void)
{
    return raw.bytes;
}

static size_t count(void)
{
    return 2 * (size_t)raw.lines * raw.samples;
}

/* Five points, quantised. */
static void make_scene(unsigned bits)
{
    struct htmt__sar_target five[5];
    struct htmt__sar_scene s = {
        .targets = five, .target_count = 5, .bits = bits, .noise = 0.7, .seed = 3};
    cr_assert_eq(htmt__sar_radar_named("small", &s.radar, NULL), 0);
    htmt__sar_five_targets(&s.radar, five);
    cr_assert_eq(htmt__sar_scene_make(&s, &raw, NULL), 0);
    radar = s.radar;
}

/* Everything that can be said of the data; the centroid was given. */
static void look(unsigned bits)
{
    struct htmt__sar_doppler d;
    warnings.count = 0;
    htmt__sar_raw_measure_mean(&raw, &raw.mean_i, &raw.mean_q);
    cr_assert_eq(htmt__sar_doppler_measure(&raw, radar.prf, &d, NULL), 0);
    if (htmt__sar_doubt_codes(&raw, bits, &warnings))
        htmt__sar_doubt_centroid(&radar, &d, true, &warnings);
    cr_assert_eq(htmt__sar_doubt_chirp(&raw, &radar, &warnings, NULL), 0);
}

static const char *text_of(const char *name)
{
    for (unsigned k = 0; k < warnings.count; k++)
        if (!strcmp(warnings.item[k].name, name))
            return warnings.item[k].text;
    return "";
}

static void expect(const char *name, const char *text)
{
    cr_expect_not_null(strstr(text_of(name), text), "%s: %s", name, text_of(name));
}

static void expect_nothing(const char *of)
{
    cr_expect_eq(warnings.count, 0, "%s: %s", of, warnings.item[0].text);
}

Test(doubts, good_data_of_any_quantiser_have_none, .fini = drop)
{
    for (unsigned bits = 2; bits <= 8; bits++) {
        make_scene(bits);
        look(8);
        expect_nothing("unsigned");
        for (size_t k = 0; k < count(); k++)
            bytes()[k] = (uint8_t)(bytes()[k] - (1 << (bits - 1)));
        raw.format = HTMT__SAR_I8;
        look(bits);
        expect_nothing("two's complement");
        drop();
    }
    make_scene(0);
    look(8);
    expect_nothing("floats");
}

Test(doubts, q_before_i_is_found, .fini = drop)
{
    for (unsigned bits = 4; bits <= 8; bits += 4) {
        drop();
        make_scene(bits);
        for (size_t k = 0; k < count(); k += 2) {
            uint8_t i = bytes()[k];
            bytes()[k] = bytes()[k + 1];
            bytes()[k + 1] = i;
        }
        look(8);
        expect("iq-order", "Q stands before I");
    }
}

Test(doubts, a_wrong_sign_of_the_chirp_is_found, .fini = drop)
{
    make_scene(8);
    radar.chirp_rate = -radar.chirp_rate;
    look(8);
    expect("iq-order", "chirp_rate has the wrong sign");
}

Test(doubts, offset_binary_read_as_twos_complement_is_found, .fini = drop)
{
    make_scene(8);
    raw.format = HTMT__SAR_I8;
    look(8);
    expect("codes", "look like offset binary, but are read as two's complement");
    drop();
    make_scene(4);
    raw.format = HTMT__SAR_I8;
    for (size_t k = 0; k < count(); k++)
        bytes()[k] = (uint8_t)(bytes()[k] < 8 ? bytes()[k] : bytes()[k] - 16);
    look(4);
    expect("codes", "look like offset binary");
}

Test(doubts, twos_complement_read_as_offset_binary_is_found, .fini = drop)
{
    for (unsigned bits = 4; bits <= 8; bits += 4)
        for (int extended = 0; extended < 2; extended++) {
            drop();
            make_scene(bits);
            for (size_t k = 0; k < count(); k++)
                bytes()[k] = (uint8_t)((bytes()[k] - (1 << (bits - 1))) &
                                       (extended ? 0xff : (1 << bits) - 1));
            look(8);
            expect("codes", "look like two's complement, but are read as offset binary");
        }
}

Test(doubts, sixteen_bits_have_a_sign_bit_too, .fini = drop)
{
    make_scene(8);
    uint16_t *wide = malloc(count() * sizeof *wide);
    for (size_t k = 0; k < count(); k++)
        wide[k] = (uint16_t)(bytes()[k] << 8);
    free(raw.bytes);
    raw.bytes = wide;
    raw.format = HTMT__SAR_I16;
    look(8);
    expect("codes", "look like offset binary");
    for (size_t k = 0; k < count(); k++)
        wide[k] ^= 0x8000;
    look(8);
    expect_nothing("two's complement");
}

Test(doubts, constant_data_are_found, .fini = drop)
{
    make_scene(8);
    for (size_t k = 0; k < count(); k++)
        bytes()[k] = k % 2 ? 78 : 77;
    look(8);
    expect("constant", "every I is 77 and every Q is 78");
    cr_expect_str_eq(text_of("correlation"), "");
    cr_expect_str_eq(text_of("centroid"), "");
}

static void fill(uint64_t state, unsigned summands)
{
    for (size_t k = 0; k < count(); k++) {
        unsigned sum = 0;
        for (unsigned n = 0; n < summands; n++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            sum += (unsigned)(state >> 56);
        }
        bytes()[k] = (uint8_t)(sum / summands);
    }
}

Test(doubts, random_bytes_are_found, .fini = drop)
{
    make_scene(8);
    fill(1, 1);
    look(8);
    expect("random", "all 256 codes are equally frequent");
    expect("correlation", "neighbouring lines do not correlate");
}

Test(doubts, noise_of_a_receiver_alone_is_found, .fini = drop)
{
    make_scene(8);
    fill(2, 6);
    look(8);
    expect("correlation", "neighbouring lines do not correlate");
    cr_expect_eq(warnings.count, 1);
}

/* 3600 Hz is 240.2 Hz beside twice the prf. */
Test(doubts, a_given_centroid_must_be_within_a_tenth_of_the_prf, .fini = drop)
{
    make_scene(8);
    radar.centroid = 3600 - 5 * radar.prf + 0.08 * radar.prf;
    look(8);
    expect_nothing("0.08 prf away");
    radar.centroid += 0.1 * radar.prf;
    look(8);
    expect("centroid", "0.18 prf away from the data's: their fraction is 24");
}

Test(doubts, a_centroid_that_changes_over_the_range_is_found)
{
    struct htmt__sar_doppler d = {
        .fraction = 0, .significance = 20, .error = 1, .rise = -200, .rise_known = true};
    cr_assert_eq(htmt__sar_radar_named("ers", &radar, NULL), 0);
    warnings.count = 0;
    htmt__sar_doubt_centroid(&radar, &d, false, &warnings);
    expect("rise", "the far half has 200 Hz less than the near half");
    d.rise_known = false;
    warnings.count = 0;
    htmt__sar_doubt_centroid(&radar, &d, false, &warnings);
    expect_nothing("noise");
}

Test(doubts, migration_that_is_left_in_is_found)
{
    struct htmt__sar_problem problem = {.rcmc = HTMT__RCMC_OFF, .lengths = HTMT__FAST_LENGTH};
    struct htmt__sar_plan plan;
    for (int on = 0; on < 2; on++) {
        cr_assert_eq(htmt__sar_radar_named("radarsat", &problem.radar, NULL), 0);
        problem.rcmc = on ? HTMT__RCMC_ON : HTMT__RCMC_OFF;
        cr_assert_eq(htmt__sar_plan(&problem, &plan, NULL), 0);
        warnings.count = 0;
        htmt__sar_doubt_migration(&plan, &warnings);
        cr_expect_eq(warnings.count, !on);
        if (!on)
            expect("migration", "range migration of 72.2 to 97.4 cells is left in");
    }
}
