/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/io/raw.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[] = "/tmp/htmt-raw-XXXXXX";

static void file_of(const void *bytes, size_t n)
{
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, bytes, n), (ssize_t)n);
    close(fd);
}

static void drop(void)
{
    unlink(path);
}

static struct htmt__sar_layout whole(uint32_t lines, uint32_t samples, enum htmt__sar_format format)
{
    return (struct htmt__sar_layout){.lines = lines,
                                     .samples = samples,
                                     .format = format,
                                     .bits = 8,
                                     .window = {0, lines, 0, samples}};
}

static struct htmt__sar_raw read_back(const struct htmt__sar_layout *l)
{
    struct htmt__sar_raw raw = {0};
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__sar_raw_read(path, l, &raw, &fault), 0, "%s", fault.text);
    return raw;
}

static void expect_pair(const struct htmt__sar_raw *raw, uint32_t line, uint32_t sample, double i,
                        double q)
{
    double found[2];
    htmt__sar_pair(raw, line, sample, &found[0], &found[1]);
    cr_expect_eq(found[0], i, "line %u, sample %u: %g, not %g", line, sample, found[0], i);
    cr_expect_eq(found[1], q, "line %u, sample %u: %g, not %g", line, sample, found[1], q);
}

Test(raw, every_format_has_its_numbers, .fini = drop)
{
    static const uint8_t bytes[] = {0, 255, 128, 127};
    file_of(bytes, 4);
    struct htmt__sar_layout l = whole(1, 2, HTMT__SAR_U8);
    struct htmt__sar_raw raw = read_back(&l);
    expect_pair(&raw, 0, 1, 128, 127);
    htmt__sar_raw_destroy(&raw);
    l.format = HTMT__SAR_I8;
    raw = read_back(&l);
    expect_pair(&raw, 0, 0, 0, -1);
    expect_pair(&raw, 0, 1, -128, 127);
    htmt__sar_raw_destroy(&raw);
    l = whole(1, 1, HTMT__SAR_I16);
    raw = read_back(&l);
    expect_pair(&raw, 0, 0, -256, 32640);
    htmt__sar_raw_destroy(&raw);
    l.big_endian = true;
    raw = read_back(&l);
    expect_pair(&raw, 0, 0, 255, -32641);
    htmt__sar_raw_destroy(&raw);
}

Test(raw, floats_of_either_byte_order_are_read, .fini = drop)
{
    static const uint8_t bytes[] = {0x3f, 0x80, 0, 0, 0xc0, 0x20, 0, 0}; /* 1, -2.5 */
    file_of(bytes, 8);
    struct htmt__sar_layout l = whole(1, 1, HTMT__SAR_C64);
    l.big_endian = true;
    struct htmt__sar_raw raw = read_back(&l);
    expect_pair(&raw, 0, 0, 1, -2.5);
    htmt__sar_raw_destroy(&raw);
}

/* Byte b of the file holds b; every pair must come from the offset that is counted here by hand. */
Test(raw, headers_trailers_and_the_window_are_where_the_layout_says, .fini = drop)
{
    uint8_t bytes[7 + 4 * (3 + 2 * 5 + 2)];
    for (size_t b = 0; b < sizeof bytes; b++)
        bytes[b] = (uint8_t)b;
    file_of(bytes, sizeof bytes);
    struct htmt__sar_layout l = whole(4, 5, HTMT__SAR_U8);
    l.file_header = 7;
    l.line_header = 3;
    l.line_trailer = 2;
    l.window.line = 1;
    l.window.lines = 2;
    l.window.sample = 3;
    l.window.samples = 2;
    cr_expect_eq(htmt__sar_file_bytes(&l), sizeof bytes);
    struct htmt__sar_raw raw = read_back(&l);
    cr_expect_eq(raw.lines, 2);
    cr_expect_eq(raw.samples, 2);
    expect_pair(&raw, 0, 0, 7 + 15 + 3 + 6, 7 + 15 + 3 + 7);
    expect_pair(&raw, 1, 1, 7 + 30 + 3 + 8, 7 + 30 + 3 + 9);
    htmt__sar_raw_destroy(&raw);
}

/* As on tapes of RADARSAT-1: four bits in two's complement, the attenuation in six bits of the
 * header's last byte, and a recorded pulse before the samples of every third line here. */
Test(raw, four_bit_lines_with_replica_and_attenuation_are_read, .fini = drop)
{
    static const uint8_t bytes[] = {
        0xee, 0xc2, 0x07, 0x08, 0xf1, 0x0f,             /* line 0: 2 dB, (7, -8), (1, -1) */
        0xee, 0x14, 9,    9,    9,    0x00, 0x01, 2, 3, /* line 1: replica, 20 dB */
        0xee, 0x00, 4,    5,    6,    7,                /* line 2 */
        0xee, 0x00, 0x0c, 0x0d, 0x0e, 0x0f,             /* line 3: (-4, -3), (-2, -1) */
        0xee, 0x28, 9,    9,    9,    1,    2,    3, 4, /* line 4: replica, 40 dB */
    };
    file_of(bytes, sizeof bytes);
    struct htmt__sar_layout l = whole(5, 2, HTMT__SAR_I8);
    l.bits = 4;
    l.line_header = 2;
    l.replica_bytes = 3;
    l.replica_every = 3;
    l.replica_first = 1;
    l.gain_byte = 1;
    l.gain_mask = 0x3f;
    struct htmt__sar_raw raw = read_back(&l);
    expect_pair(&raw, 0, 0, 7, -8);
    expect_pair(&raw, 0, 1, 1, -1);
    expect_pair(&raw, 1, 0, 0, 1);
    expect_pair(&raw, 2, 1, 6, 7);
    expect_pair(&raw, 3, 0, -4, -3);
    expect_pair(&raw, 4, 1, 3, 4);
    static const double gain[] = {0.1, 1, 0, 0, 2}, less[] = {0.1, 1, 0, 0, 0.8};
    for (int n = 0; n < 5; n++)
        cr_expect_float_eq(log10(raw.gain[n]), gain[n], 1e-14);
    htmt__sar_raw_destroy(&raw);
    l.gain_above = 31; /* 24 off the code of 40 */
    l.gain_subtract = 24;
    raw = read_back(&l);
    for (int n = 0; n < 5; n++)
        cr_expect_float_eq(log10(raw.gain[n]), less[n], 1e-14);
    htmt__sar_raw_destroy(&raw);
}

static void expect_refusal(const struct htmt__sar_layout *l, int code, const char *text)
{
    struct htmt__sar_raw raw = {.lines = 99};
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt__sar_raw_read(path, l, &raw, &fault), code);
    cr_expect_not_null(strstr(fault.text, text), "%s", fault.text);
    cr_expect_eq(raw.lines, 99);
}

Test(raw, a_file_of_another_size_is_refused_with_both_numbers, .fini = drop)
{
    file_of("0123456789", 10);
    struct htmt__sar_layout l = whole(2, 2, HTMT__SAR_I8);
    l.line_header = 2;
    expect_refusal(&l, HTMT_EFORMAT, "found 10 bytes, expected 12: header 0 + 2 lines x (2 + 2 ");
    l.line_header = 0;
    expect_refusal(&l, HTMT_EFORMAT, "found 10 bytes, expected 8:");
}

Test(raw, numbers_that_are_not_finite_are_refused, .fini = drop)
{
    static const float pairs[] = {1, 2, 3, 4, 5, NAN, 7, 8};
    file_of(pairs, sizeof pairs);
    struct htmt__sar_layout l = whole(2, 2, HTMT__SAR_C64);
    expect_refusal(&l, HTMT_EFORMAT, "found nan in line 1, sample 0");
}

Test(raw, what_is_no_file_is_refused, .fini = drop)
{
    struct htmt__sar_raw raw;
    struct htmt_fault fault = {0};
    struct htmt__sar_layout l = whole(1, 1, HTMT__SAR_U8);
    cr_expect_eq(htmt__sar_raw_read("/nowhere/at all", &l, &raw, &fault), HTMT_ENOENT);
    fault = (struct htmt_fault){0};
    cr_expect_eq(htmt__sar_raw_read("/tmp", &l, &raw, &fault), HTMT_EFORMAT, "%s", fault.text);
    fault = (struct htmt_fault){0};
    close(mkstemp(path));
    unlink(path);
    cr_assert_eq(mkfifo(path, 0600), 0);
    cr_expect_eq(htmt__sar_raw_read(path, &l, &raw, &fault), HTMT_EFORMAT, "%s", fault.text);
}

Test(raw, more_than_the_host_has_is_refused)
{
    struct htmt__sar_raw raw;
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt__sar_raw_create(&raw, UINT32_MAX, UINT32_MAX, HTMT__SAR_C64, &fault),
                 HTMT_EHOSTFIT, "%s", fault.text);
}

Test(raw, mean_is_that_of_each_channel)
{
    struct htmt__sar_raw raw = {0};
    double i, q;
    cr_assert_eq(htmt__sar_raw_create(&raw, 3, 2, HTMT__SAR_U8, NULL), 0);
    for (int k = 0; k < 12; k++)
        ((uint8_t *)raw.bytes)[k] = (uint8_t)(k % 2 ? 10 : k);
    htmt__sar_raw_measure_mean(&raw, &i, &q);
    cr_expect_eq(i, 5);
    cr_expect_eq(q, 10);
    htmt__sar_raw_destroy(&raw);
}
