/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every type of voxel in NIfTI-1, NIfTI-2, NRRD and raw files, against bytes written by hand; the
 * orientation of files.
 */
#include "tests/volume/files.h"

#include <math.h>

TestSuite(stored, .init = enter, .fini = leave);

/* ---- types ---------------------------------------------------------------------------------- */

static const struct kind {
    const char *name, *nrrd;
    int code, bits;
    double least, most; /* numbers in the file */
} kinds[] = {
    [HTMT__STORED_UINT8] = {"uint8", "uchar", 2, 8, 0, 255},
    [HTMT__STORED_INT16] = {"int16", "short", 4, 16, -32768, 32767},
    [HTMT__STORED_UINT16] = {"uint16", "uint16", 512, 16, 0, 65535},
    [HTMT__STORED_FLOAT32] = {"float32", "float", 16, 32, -1e30, 1.5},
    [HTMT__STORED_INT8] = {"int8", "signed char", 256, 8, -128, 127},
    [HTMT__STORED_INT32] = {"int32", "int", 8, 32, -2147483648.0, 2147483647},
    [HTMT__STORED_UINT32] = {"uint32", "unsigned int", 768, 32, 0, 4294967295},
    [HTMT__STORED_FLOAT64] = {"float64", "double", 64, 64, -1e30, 0.1},
    [HTMT__STORED_INT64] = {"int64", "long long int", 1024, 64, -0x1p53, 0x1p53},
    [HTMT__STORED_UINT64] = {"uint64", "UInt64_t", 1280, 64, 0, 0x1p53},
};

/* Voxel 0 is the least number, voxel 1 the greatest, the others are small. */
static double number(int type, int n)
{
    return n == 0 ? kinds[type].least : n == 1 ? kinds[type].most : 3 * n;
}

static void put_number(unsigned char *at, int type, double value, bool big)
{
    uint64_t bits = (uint64_t)(int64_t)(fabs(value) < 1e16 ? value : 0);
    float single = (float)value;
    const void *from = type == HTMT__STORED_FLOAT32   ? (const void *)&single
                       : type == HTMT__STORED_FLOAT64 ? (const void *)&value
                                                      : (const void *)&bits;
    put(at, from, (size_t)kinds[type].bits / 8, big);
}

static size_t put_numbers(unsigned char *at, int type, bool big)
{
    size_t bytes = (size_t)kinds[type].bits / 8;
    for (int n = 0; n < 24; n++)
        put_number(at + bytes * (size_t)n, type, number(type, n), big);
    return 24 * bytes;
}

/* As NIfTI-2 describes it, for 4 x 3 x 2 voxels at distances of 0.5, 1, 1.5. */
static void nifti_2(unsigned char h[544], int type, bool big)
{
    const int64_t dim[8] = {3, 4, 3, 2, 1, 1, 1, 1};
    memset(h, 0, 544);
    put(h, &(int32_t){540}, 4, big);
    memcpy(h + 4, "n+2\0\r\n\032\n", 8);
    put16(h + 12, kinds[type].code, big);
    put16(h + 14, kinds[type].bits, big);
    for (int i = 0; i < 8; i++) {
        put(h + 16 + 8 * i, &dim[i], 8, big);
        put(h + 104 + 8 * i, &(double){i / 2.0}, 8, big);
    }
    put(h + 168, &(int64_t){544}, 8, big);
}

static struct htmt__volume read_file(const char *name, const struct htmt__volume_raw *raw)
{
    struct htmt__volume v;
    struct htmt_fault fault = {0};
    cr_assert_eq(
        htmt__volume_read(file(name), (struct htmt__volume_choice){.raw = raw}, &v, &fault), 0,
        "%s", fault.text);
    return v;
}

static void expect_numbers(const char *name, const struct htmt__volume_raw *raw, int type)
{
    struct htmt__volume v = read_file(name, raw);
    cr_expect_eq(v.source.stored, (enum htmt__volume_stored)type, "%s", name);
    for (int n = 0; n < 24; n++)
        cr_expect_eq(htmt__volume_voxel_at(v.at, v.type, (size_t)n), (float)number(type, n),
                     "%s, %s: voxel %d", name, kinds[type].name, n);
    htmt__volume_destroy(&v);
}

Test(stored, every_type_is_read_from_every_format_in_both_byte_orders)
{
    unsigned char bytes[1024];
    for (int n = 0; n < 2 * HTMT__STORED_TYPES; n++) {
        int type = n / 2;
        bool big = n % 2;
        nifti(bytes, kinds[type].code, kinds[type].bits, big);
        size_t length = 352 + put_numbers(bytes + 352, type, big);
        save("one.nii", bytes, length);
        expect_numbers("one.nii", NULL, type);
        save_gzip("one.nii.gz", "wb", bytes, (unsigned)length);
        expect_numbers("one.nii.gz", NULL, type);
        nifti_2(bytes, type, big);
        length = 544 + put_numbers(bytes + 544, type, big);
        save("two.nii", bytes, length);
        expect_numbers("two.nii", NULL, type);
        save_gzip("two.nii.gz", "wb", bytes, (unsigned)length);
        expect_numbers("two.nii.gz", NULL, type);
        int head = sprintf((char *)bytes,
                           "NRRD0004\ntype: %s\ndimension: 3\nsizes: 4 3 2\nendian: %s\n"
                           "encoding: raw\n\n",
                           kinds[type].nrrd, big ? "big" : "little");
        save("a.nrrd", bytes, (size_t)head + put_numbers(bytes + head, type, big));
        expect_numbers("a.nrrd", NULL, type);
        struct htmt__volume_raw raw = {.dims = {4, 3, 2}, .big_endian = big};
        cr_assert_eq(htmt__volume_stored_of_name(kinds[type].name, &raw.type), 0);
        length = put_numbers(bytes, type, big);
        save("a.raw", bytes, length);
        expect_numbers("a.raw", &raw, type);
        save_gzip("a.raw.gz", "wb", bytes, (unsigned)length);
        expect_numbers("a.raw.gz", &raw, type);
    }
}

Test(stored, small_integers_stay_and_the_others_become_float32)
{
    cr_expect_eq(htmt__volume_stored_held(HTMT__STORED_UINT16), HTMT__UINT16);
    cr_expect_eq(htmt__volume_stored_held(HTMT__STORED_INT8), HTMT__INT16);
    cr_expect_eq(htmt__volume_stored_held(HTMT__STORED_INT32), HTMT__FLOAT32);
    cr_expect_eq(htmt__volume_stored_held(HTMT__STORED_UINT32), HTMT__FLOAT32);
    cr_expect_eq(htmt__volume_stored_held(HTMT__STORED_FLOAT64), HTMT__FLOAT32);
}

/* 2^31 - 1 lies 1 below a float, 0.1 lies 1.49e-9 off its float. */
Test(stored, the_largest_rounding_is_known)
{
    unsigned char bytes[1024];
    static const double expected[] = {[HTMT__STORED_INT32] = 1,
                                      [HTMT__STORED_UINT32] = 1,
                                      [HTMT__STORED_INT8] = 0,
                                      [HTMT__STORED_INT16] = 0};
    static const int types[] = {HTMT__STORED_INT32, HTMT__STORED_UINT32, HTMT__STORED_INT8,
                                HTMT__STORED_INT16};
    for (int n = 0; n < 4; n++) {
        nifti_2(bytes, types[n], false);
        save("two.nii", bytes, 544 + put_numbers(bytes + 544, types[n], false));
        struct htmt__volume v = read_file("two.nii", NULL);
        cr_expect_eq(v.source.rounding, expected[types[n]], "%s: %g", kinds[types[n]].name,
                     v.source.rounding);
        htmt__volume_destroy(&v);
    }
}

static void refuse_number(int type, const void *number, const char *text)
{
    unsigned char bytes[1024];
    struct htmt__volume v;
    struct htmt_fault fault = {0};
    nifti_2(bytes, type, false);
    size_t length = 544 + put_numbers(bytes + 544, type, false);
    put(bytes + 544 + 8 * 17, number, 8, false);
    save("two.nii", bytes, length);
    cr_expect_eq(htmt__volume_read(file("two.nii"), (struct htmt__volume_choice){0}, &v, &fault),
                 HTMT_EFORMAT);
    cr_expect(strstr(fault.text, text), "%s", fault.text);
}

Test(stored, what_float32_cannot_hold_is_refused_with_its_place)
{
    refuse_number(HTMT__STORED_FLOAT64, &(double){1e300},
                  "found 1e+300 at voxel (1, 1, 1), expected numbers that float32 can hold");
    refuse_number(HTMT__STORED_FLOAT64, &(double){-INFINITY},
                  "found -inf at voxel (1, 1, 1), expected finite numbers or NaN");
    refuse_number(HTMT__STORED_INT64, &(int64_t){-9007199254740993},
                  "found -9007199254740993 at voxel (1, 1, 1), expected integers up to 2^53");
    refuse_number(HTMT__STORED_UINT64, &(uint64_t){UINT64_MAX},
                  "found 18446744073709551615 at voxel (1, 1, 1), expected integers up to 2^53");
}

static void refuse_two(int offset, int64_t value, size_t size, const char *text)
{
    unsigned char bytes[1024];
    struct htmt__volume v;
    struct htmt_fault fault = {0};
    nifti_2(bytes, HTMT__STORED_UINT8, false);
    put(bytes + offset, &value, size, false);
    save("two.nii", bytes, 544 + put_numbers(bytes + 544, HTMT__STORED_UINT8, false));
    cr_expect_neq(htmt__volume_read(file("two.nii"), (struct htmt__volume_choice){0}, &v, &fault),
                  0, "%s", text);
    cr_expect(strstr(fault.text, text), "'%s' is not in '%s'", text, fault.text);
}

Test(stored, what_is_wrong_in_a_nifti_2_header_is_named)
{
    refuse_two(16, 2, 8, "found 2 dimensions");
    refuse_two(16, INT64_MAX, 8, "found 9223372036854775807 dimensions");
    refuse_two(24, INT64_C(1) << 40, 8, "found dimensions 1099511627776 x 3 x 2");
    refuse_two(24, INT64_MIN, 8, "found dimensions -9223372036854775808 x 3 x 2");
    refuse_two(12, 128, 2, "type 128 (RGB24)");
    refuse_two(168, 352, 8, "offset 352, expected a whole number from 544 on");
    refuse_two(168, INT64_MAX, 8, "offset 9.22337e+18");
    refuse_two(4, 'n' | 'i' << 8 | '2' << 16, 4, ".hdr or .img");
    refuse_two(4, 0, 4, "no NIfTI magic \"n+2\" at byte 4");
}

/* ---- orientation ---------------------------------------------------------------------------- */

/* The sform of NIfTI-1: the row of each direction of the body. */
static void put_sform(unsigned char *h, double direction[3][3], bool use)
{
    put16(h + 254, use, false);
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < 3; a++)
            put_float(h + 280 + 16 * i + 4 * a, (float)direction[a][i], false);
}

/* File axis a runs along the body's axis order[a], backwards where a bit of `back` says so. */
static void direction_of(const int order[3], int back, double direction[3][3])
{
    memset(direction, 0, 9 * sizeof(double));
    for (int a = 0; a < 3; a++)
        direction[a][order[a]] = (back >> a & 1 ? -1 : 1) * (a + 1) / 2.0;
}

/* After the turn the voxel (x, y, z) from the right, front and head is the file's own. */
static void expect_turned(const struct htmt__volume *v, const int order[3], int back)
{
    static const uint32_t dims[3] = {4, 3, 2};
    for (uint32_t n = 0; n < 24; n++) {
        const uint32_t at[3] = {n % 4, n / 4 % 3, n / 12};
        uint32_t body[3];
        for (int a = 0; a < 3; a++)
            body[order[a]] = back >> a & 1 ? dims[a] - 1 - at[a] : at[a];
        size_t place = body[0] + v->dims[0] * (body[1] + v->dims[1] * (size_t)body[2]);
        cr_expect_eq(((const uint8_t *)v->at)[place], 7 * n + 3, "%s: voxel %u", v->source.axes, n);
    }
    for (int a = 0; a < 3; a++) {
        cr_expect_eq(v->dims[order[a]], dims[a], "%s", v->source.axes);
        cr_expect_eq(v->spacing[order[a]], (a + 1) / 2.0, "%s", v->source.axes);
    }
}

static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

Test(stored, each_of_the_48_orientations_is_turned_to_right_front_and_head)
{
    unsigned char bytes[512];
    double direction[3][3];
    for (int n = 0; n < 48; n++) {
        nifti_of_bytes(bytes);
        direction_of(orders[n / 8], n % 8, direction);
        put_sform(bytes, direction, true);
        save("a.nii", bytes, 376);
        struct htmt__volume v = read_file("a.nii", NULL);
        char axes[4] = {0};
        for (int a = 0; a < 3; a++)
            axes[a] = "RLAPSI"[2 * orders[n / 8][a] + (n >> a & 1)];
        cr_expect_str_eq(v.source.axes, axes);
        cr_expect_eq(v.source.tilt, 0);
        cr_assert_eq(htmt__volume_reorient(&v, NULL), 0);
        expect_turned(&v, orders[n / 8], n % 8);
        htmt__volume_destroy(&v);
    }
}

/* Half a turn about the vertical: b = c = 0, d = 1. A negative qfac turns z over. */
Test(stored, a_qform_counts_where_there_is_no_sform)
{
    unsigned char bytes[512];
    double direction[3][3];
    nifti_of_bytes(bytes);
    direction_of(orders[0], 0, direction);
    put_sform(bytes, direction, false);
    put16(bytes + 252, 1, false);
    put_float(bytes + 264, 1, false);
    put_float(bytes + 76, -1, false);
    save("a.nii", bytes, 376);
    struct htmt__volume v = read_file("a.nii", NULL);
    cr_expect_str_eq(v.source.axes, "LPI");
    htmt__volume_destroy(&v);
    put_sform(bytes, direction, true);
    save("a.nii", bytes, 376);
    v = read_file("a.nii", NULL);
    cr_expect_str_eq(v.source.axes, "RAS");
    htmt__volume_destroy(&v);
}

Test(stored, a_file_without_orientation_stays_as_it_is)
{
    unsigned char bytes[512];
    nifti_of_bytes(bytes);
    for (int bad = 0; bad < 3; bad++) {
        double direction[3][3] = {{bad == 1 ? NAN : 0}};
        direction[1][1] = direction[2][1] = bad == 2; /* singular */
        put_sform(bytes, direction, bad > 0);
        save("a.nii", bytes, 376);
        struct htmt__volume v = read_file("a.nii", NULL);
        cr_expect_str_eq(v.source.axes, "");
        cr_assert_eq(htmt__volume_reorient(&v, NULL), 0);
        expect_turned(&v, orders[0], 0);
        htmt__volume_destroy(&v);
    }
}

Test(stored, an_oblique_scan_takes_the_nearest_axes_and_the_angle_is_known)
{
    unsigned char bytes[512];
    double turn = 20 * M_PI / 180;
    double direction[3][3] = {{-cos(turn), -sin(turn), 0}, {-sin(turn), cos(turn), 0}, {0, 0, 3}};
    nifti_of_bytes(bytes);
    put_sform(bytes, direction, true);
    save("a.nii", bytes, 376);
    struct htmt__volume v = read_file("a.nii", NULL);
    cr_expect_str_eq(v.source.axes, "LAS");
    cr_expect_float_eq(v.source.tilt, 20, 1e-4, "%g", v.source.tilt);
    htmt__volume_destroy(&v);
}

static void expect_nrrd_axes(const char *space, const char *axes)
{
    char bytes[1024];
    int n = sprintf(bytes,
                    "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 4 3 2\n"
                    "space directions: (0.5,0,0) (0,1,0) (0,0,1.5)\n%s"
                    "encoding: raw\n\n",
                    space);
    save("a.nrrd", bytes, (size_t)n + voxels((unsigned char *)bytes + n, HTMT__UINT8, false));
    struct htmt__volume v = read_file("a.nrrd", NULL);
    cr_expect_str_eq(v.source.axes, axes, "%s", space);
    cr_expect(v.spacing[0] == 0.5 && v.spacing[2] == 1.5);
    htmt__volume_destroy(&v);
}

Test(stored, directions_of_nrrd_follow_their_space)
{
    expect_nrrd_axes("", "");
    expect_nrrd_axes("space: RAS\n", "RAS");
    expect_nrrd_axes("space: left-anterior-superior\n", "LAS");
    expect_nrrd_axes("space: left-posterior-superior\n", "LPS");
    expect_nrrd_axes("space: scanner-xyz\n", "");
}

/* ---- spacing -------------------------------------------------------------------------------- */

Test(stored, a_distance_that_is_none_is_taken_from_the_sform_or_is_1)
{
    static const float bad[] = {0, NAN, INFINITY, 1e20f};
    unsigned char bytes[512];
    double direction[3][3];
    direction_of(orders[0], 0, direction);
    for (int n = 0; n < 8; n++) {
        nifti_of_bytes(bytes);
        put_float(bytes + 88, bad[n / 2], false);
        put_sform(bytes, direction, n % 2);
        save("a.nii", bytes, 376);
        struct htmt__volume v = read_file("a.nii", NULL);
        cr_expect(v.source.spaced[0] && v.source.spaced[1] && !v.source.spaced[2]);
        cr_expect_eq(v.spacing[2], n % 2 ? 1.5 : 1, "%g: %g", (double)bad[n / 2], v.spacing[2]);
        htmt__volume_destroy(&v);
    }
}
