/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/formats/picture.h"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <png.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

enum { WIDTH = 37, HEIGHT = 11 };

static uint16_t sample(unsigned y, unsigned i)
{
    return (uint16_t)(y * 5003 + i * 1009);
}

static void fill_row(void *context, uint32_t y, void *samples)
{
    const struct htmt__picture *p = context;
    uint8_t *narrow = samples;
    uint16_t *wide = samples;
    for (unsigned i = 0; i < p->width * p->channels; i++)
        if (p->bits == 8)
            narrow[i] = (uint8_t)sample(y, i);
        else
            wide[i] = sample(y, i);
}

/* libpng's simple reader gives 8-bit samples as they are; the others are read row by row. */
static void expect_samples(const char *path, const struct htmt__picture *want)
{
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_byte row[WIDTH * 3 * 2];
    FILE *in = fopen(path, "rb");
    cr_assert(in && png && info);
    png_init_io(png, in);
    png_read_info(png, info);
    cr_assert_eq(png_get_image_width(png, info), want->width);
    cr_assert_eq(png_get_image_height(png, info), want->height);
    cr_assert_eq(png_get_channels(png, info), want->channels);
    cr_assert_eq(png_get_bit_depth(png, info), want->bits);
    cr_assert_not(png_get_valid(png, info, PNG_INFO_tIME));
    for (unsigned y = 0; y < want->height; y++) {
        png_read_row(png, row, NULL);
        for (unsigned i = 0; i < want->width * want->channels; i++) {
            unsigned v = want->bits == 8 ? row[i] : row[2 * i] * 256u + row[2 * i + 1];
            cr_assert_eq(v, want->bits == 8 ? (uint8_t)sample(y, i) : sample(y, i));
        }
    }
    png_destroy_read_struct(&png, &info, NULL);
    fclose(in);
}

Test(picture, every_kind_reads_back_sample_for_sample)
{
    for (unsigned channels = 1; channels <= 3; channels += 2)
        for (unsigned bits = 8; bits <= 16; bits += 8) {
            struct htmt__picture p = {WIDTH, HEIGHT, channels, bits};
            struct place at = place("a.png");
            struct htmt_fault fault = {0};
            cr_assert_eq(htmt__picture_write_rows(at.path, &p, fill_row, &p, &fault), 0, "%s",
                         fault.text);
            expect_samples(at.path, &p);
            place_clear(&at);
        }
}

Test(picture, an_array_and_its_rows_give_the_same_bytes_each_time)
{
    struct htmt__picture p = {WIDTH, HEIGHT, 3, 16};
    struct place a = place("a.png"), b = place("b.png");
    uint16_t array[HEIGHT][WIDTH * 3];
    size_t n, m;
    for (unsigned y = 0; y < HEIGHT; y++)
        fill_row(&p, y, array[y]);
    cr_assert_eq(htmt__picture_write(a.path, &p, array, NULL), 0);
    cr_assert_eq(htmt__picture_write_rows(b.path, &p, fill_row, &p, NULL), 0);
    char *x = file_content(a.path, &n), *y = file_content(b.path, &m);
    cr_expect(n == m && memcmp(x, y, n) == 0);
    free(x);
    free(y);
    place_clear(&a);
    place_clear(&b);
}

Test(picture, a_full_disk_and_impossible_pictures_leave_no_file)
{
    static uint8_t noise[300 * 300];
    struct place at = place("a.png");
    struct htmt_fault fault = {0}, size = {0};
    for (unsigned i = 0; i < sizeof noise; i++)
        noise[i] = (uint8_t)(i * i * 2654435761u >> 13);
    struct htmt__picture good = {300, 300, 1, 8}, none = {0, 5, 1, 8}, two = {5, 5, 2, 8};
    cr_expect_eq(htmt__picture_write(at.path, &none, noise, &size), HTMT_EINVAL);
    cr_expect(strstr(size.text, "0 x 5"), "%s", size.text);
    cr_expect_eq(htmt__picture_write(at.path, &two, noise, NULL), HTMT_EINVAL);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){5000, 5000}), 0);
    cr_expect_eq(htmt__picture_write(at.path, &good, noise, &fault), HTMT_EIO);
    cr_expect(strstr(fault.text, at.path) && strstr(fault.text, ": cannot write: File too large"),
              "%s", fault.text);
    place_clear(&at);
}

Test(picture, a_picture_with_nowhere_to_go_is_one_line)
{
    struct htmt_fault fault = {0};
    struct htmt__picture p = {WIDTH, HEIGHT, 1, 8};
    cr_expect_eq(htmt__picture_write_rows("/tmp/no/such/a.png", &p, fill_row, &p, &fault),
                 HTMT_ENOENT);
    cr_expect(strstr(fault.text, "there is no folder"), "%s", fault.text);
}
