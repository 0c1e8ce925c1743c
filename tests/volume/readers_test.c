/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the readers of the field take, niftilib, nibabel and teem, is read, and headers whose voxels
 * are no numbers in space are refused by name.
 */
#include "apps/volume/io/transfer.h"
#include "tests/volume/asked.h"
#include "tests/volume/files.h"

#include <math.h>

TestSuite(readers, .init = enter, .fini = leave);

static struct htmt__volume read_frame(const char *name, const uint32_t *frame)
{
    struct htmt__volume v;
    struct htmt_fault fault = {0};
    cr_assert_eq(
        htmt__volume_read(file(name), (struct htmt__volume_choice){.frame = frame}, &v, &fault), 0,
        "%s", fault.text);
    return v;
}

/* Voxel n of a file that files.h made. */
static void expect_bytes(const char *name)
{
    struct htmt__volume v = read_frame(name, NULL);
    for (int n = 0; n < 24; n++)
        cr_expect_eq(((const uint8_t *)v.at)[n], 7 * n + 3, "%s: voxel %d", name, n);
    cr_expect(v.slope == 1 && v.intercept == 0, "%s: slope %g", name, v.slope);
    htmt__volume_destroy(&v);
}

static void refuse(const char *name, const uint32_t *frame, int code, const char *text)
{
    struct htmt__volume v;
    struct htmt_fault fault = {0};
    cr_expect_eq(
        htmt__volume_read(file(name), (struct htmt__volume_choice){.frame = frame}, &v, &fault),
        code, "%s: %s", name, fault.text);
    cr_expect(strstr(fault.text, text), "'%s' is not in '%s'", text, fault.text);
}

/* ---- NRRD ----------------------------------------------------------------------------------- */

/* An attached file of 4 x 3 x 2 bytes, with those lines in its header. */
static void save_nrrd(const char *lines)
{
    char bytes[1024];
    int n = sprintf(bytes, "NRRD0004\ndimension: 3\nsizes: 4 3 2\n%s\n", lines);
    save("a.nrrd", bytes, (size_t)n + voxels((unsigned char *)bytes + n, HTMT__UINT8, false));
}

Test(readers, an_axis_of_nrrd_that_is_not_one_of_space_is_refused_by_its_kind)
{
    static const char *const kinds[] = {"RGB-color", "3-color", "vector", "complex", "list",
                                        "2-vector",  "scalar",  "TIME",   "volume"};
    char lines[200], found[100];
    for (size_t n = 0; n < sizeof kinds / sizeof *kinds; n++)
        for (int axis = 1; axis <= 3; axis++) {
            snprintf(lines, sizeof lines, "type: uint8\nencoding: raw\nkinds: %s %s %s\n",
                     axis == 1 ? kinds[n] : "domain", axis == 2 ? kinds[n] : "space",
                     axis == 3 ? kinds[n] : "none");
            snprintf(found, sizeof found,
                     "a.nrrd:6: found kinds of axis %d '%s', expected domain or space", axis,
                     kinds[n]);
            save_nrrd(lines);
            refuse("a.nrrd", NULL, HTMT_EFORMAT, found);
        }
    save_nrrd("type: uint8\nencoding: raw\nkinds: Domain SPACE ?\?\?\n");
    expect_bytes("a.nrrd");
    save_nrrd("type: uint8\nencoding: raw\nkinds: domain domain\n");
    refuse("a.nrrd", NULL, HTMT_EFORMAT, "a word for each of three axes");
    save_nrrd("type: uint8\nencoding: raw\nspace: right-anterior-superior-time\n");
    refuse("a.nrrd", NULL, HTMT_EFORMAT, "expected one of three dimensions");
}

/* A series of 3 volumes of 4 x 3 x 2: byte i of volume v is 50 v + i. */
static void save_series(const char *head, unsigned bytes, unsigned before)
{
    char text[600];
    const int n = snprintf(text, sizeof text, "NRRD0004\ntype: uint8\ndimension: 4\n%s\n", head);
    for (unsigned i = 0; i < before + bytes; i++)
        text[n + (int)i] = (char)(i < before ? 255 : 50 * ((i - before) / 24) + (i - before) % 24);
    save("s.nrrd", text, (size_t)n + before + bytes);
}

#define SERIES "sizes: 4 3 2 3\nencoding: raw\n"

Test(readers, a_series_of_nrrd_gives_the_volume_that_is_asked_for)
{
    static const struct {
        const char *head;
        unsigned before;
    } good[] = {{SERIES "kinds: space space space time\n", 0},
                {SERIES "kinds: domain domain domain LIST\ncenters: cell cell cell ?\?\?\n", 0},
                {SERIES "space directions: (1,0,0) (0,1,0) (0,0,1) none\n"
                        "kinds: domain domain domain list\nspacings: 1 2 3 nan\n",
                 0},
                {SERIES "byte skip: 7\nkinds: domain domain domain list\n", 7},
                {SERIES "byte skip: -1\nkinds: domain domain domain list\n", 5}};
    for (size_t n = 0; n < sizeof good / sizeof *good; n++)
        for (uint32_t frame = 0; frame < 3; frame++) {
            save_series(good[n].head, 72, good[n].before);
            struct htmt__volume v = read_frame("s.nrrd", &frame);
            for (unsigned i = 0; i < 24; i++)
                cr_expect_eq(((const uint8_t *)v.at)[i], 50 * frame + i, "%zu, volume %u: voxel %u",
                             n, frame, i);
            htmt__volume_destroy(&v);
        }
    const uint32_t none = 0, last = 2, beyond = 3;
    save_series(good[0].head, 72, 0);
    refuse("s.nrrd", NULL, HTMT_EFORMAT,
           "s.nrrd: found a series of 3 volumes, expected one; --frame takes one of them, 0 to 2");
    refuse("s.nrrd", &beyond, HTMT_ERANGE, "--frame: found 3, expected at most 2, the last one of");
    save_series(good[0].head, 73, 0);
    refuse("s.nrrd", &none, HTMT_EFORMAT, "too long: found 1 bytes behind the voxels");
    save_series(good[0].head, 71, 0);
    refuse("s.nrrd", &none, HTMT_EFORMAT, "found 47 bytes of the volumes that follow, expected 48");
    refuse("s.nrrd", &last, HTMT_EFORMAT, "truncated: found at most 23 bytes of voxels");
}

Test(readers, a_fourth_axis_of_nrrd_that_is_no_series_is_refused)
{
    static const struct {
        const char *head, *text;
    } bad[] = {
        {SERIES "kinds: domain domain domain RGB-color\n",
         "found kinds of axis 4 'RGB-color', expected time or list: a series of volumes"},
        {SERIES "kinds: domain domain domain domain\n", "found kinds of axis 4 'domain'"},
        {SERIES "kinds: list domain domain time\n",
         "axis 1 'list', expected domain or space; a series of volumes is the last axis"},
        {SERIES, "found a dimension of 4 without kinds"},
        {SERIES "kinds: domain domain time\n", "a word for each of four axes"},
        {"sizes: 4 3 2\nencoding: raw\n", "expected four whole numbers"},
        {"sizes: 4 3 2 0\nencoding: raw\n", "expected four whole numbers"},
        {SERIES "spacings: 1 2 3\n", "expected four numbers"},
        {SERIES "space directions: (1,0,0) (0,1,0) (0,0,1)\n", "three vectors (x,y,z) and none"},
    };
    const uint32_t first = 0;
    for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
        save_series(bad[n].head, 72, 0);
        refuse("s.nrrd", &first, HTMT_EFORMAT, bad[n].text);
    }
    save("s.nrrd", "NRRD0004\ndimension: 5\n", 22);
    refuse("s.nrrd", &first, HTMT_EFORMAT, "found dimension '5', expected 3, or 4 of a series");
}

Test(readers, nrrd_is_read_in_the_spellings_that_teem_reads)
{
    static const char *const headers[] = {
        "Type: uint8\nENCODING: raw\n",
        "type: UINT8\nencoding: RAW\n",
        "type: UChar\nencoding: Raw\nendian: LITTLE\n",
        "type: uint8\nencoding: raw\nscan:site:=A\n",
        "type: uint8\nencoding: raw\nscan: site:=A: B\n",
        "type: uint8\nencoding: raw\nContent:\nLabels: \"a\" \"b\" \"c\"\n",
    };
    for (size_t n = 0; n < sizeof headers / sizeof *headers; n++) {
        save_nrrd(headers[n]);
        expect_bytes("a.nrrd");
    }
    unsigned char body[100];
    static const char head[] = "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 4 3 2\n"
                               "encoding: gzip\nbyte skip: -1\ndata file: tail.gz\n";
    save("a.nhdr", head, sizeof head - 1);
    save_gzip("tail.gz", "wb", body, 5 + (unsigned)voxels(body + 5, HTMT__UINT8, false));
    expect_bytes("a.nhdr");
    save_gzip("tail.gz", "wb", body, 20);
    refuse("a.nhdr", NULL, HTMT_EFORMAT, "truncated: found 20 bytes of voxels, expected 24");
}

/* 4, 3 and 2 voxels from 0 to 2, 1.5 and -4: cells, unless they are called nodes. */
Test(readers, ends_of_axes_give_distances_where_nothing_else_does)
{
    static const struct {
        const char *lines;
        double distance[3];
    } rows[] = {{"centers: cell cell cell\n", {0.5, 0.5, 2}},
                {"", {0.5, 0.5, 2}},
                {"centerings: node cell NODE\n", {2.0 / 3, 0.5, 4}},
                {"spacings: 1 2 3\n", {1, 2, 3}}};
    char lines[200];
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        snprintf(lines, sizeof lines,
                 "type: uint8\nencoding: raw\naxis mins: 0 0 0\naxis maxs: 2 1.5 -4\n%s",
                 rows[n].lines);
        save_nrrd(lines);
        struct htmt__volume v = read_frame("a.nrrd", NULL);
        for (int a = 0; a < 3; a++) {
            cr_expect_eq(v.spacing[a], rows[n].distance[a], "%s: %g", rows[n].lines, v.spacing[a]);
            cr_expect(v.source.spaced[a]);
        }
        htmt__volume_destroy(&v);
    }
}

/* ---- NIfTI ---------------------------------------------------------------------------------- */

Test(readers, a_slope_of_nan_and_a_length_of_0_are_as_if_they_were_not_there)
{
    unsigned char bytes[512];
    size_t length = nifti_of_bytes(bytes);
    put_float(bytes + 112, NAN, false);
    put_float(bytes + 116, NAN, false);
    put16(bytes + 40, 4, false);
    put16(bytes + 48, 0, false);
    save("a.nii", bytes, length);
    expect_bytes("a.nii");
}

/* Voxel n of volume f is n + 30 f. */
Test(readers, a_volume_of_a_series_is_taken_by_its_number)
{
    unsigned char bytes[512];
    nifti_of_bytes(bytes);
    put16(bytes + 40, 4, false);
    put16(bytes + 48, 5, false);
    for (int n = 0; n < 5 * 24; n++)
        bytes[352 + n] = (unsigned char)(n % 24 + 30 * (n / 24));
    save("a.nii", bytes, 352 + 5 * 24);
    save_gzip("a.nii.gz", "wb", bytes, 352 + 5 * 24);
    for (uint32_t f = 0; f < 5; f++)
        for (int packed = 0; packed < 2; packed++) {
            struct htmt__volume v = read_frame(packed ? "a.nii.gz" : "a.nii", &f);
            for (uint32_t n = 0; n < 24; n++)
                cr_expect_eq(((const uint8_t *)v.at)[n], n + 30 * f);
            htmt__volume_destroy(&v);
        }
    refuse("a.nii", NULL, HTMT_EFORMAT,
           "a series of 5 volumes, expected one; --frame takes one of");
    refuse("a.nii", &(uint32_t){5}, HTMT_ERANGE, "--frame: found 5, expected at most 4");
    save("a.nii", bytes, 352 + 5 * 24 - 1);
    refuse("a.nii", &(uint32_t){4}, HTMT_EFORMAT, "truncated: found at most 23 bytes of voxels");
    refuse("a.nii", &(uint32_t){UINT32_MAX}, HTMT_ERANGE, "--frame: found 4294967295");
}

/* The voxels of a pair begin where the header says, from 0 on. */
Test(readers, either_file_of_a_pair_names_both)
{
    static const struct {
        const char *header, *image;
    } pairs[] = {{"a.hdr", "a.img"}, {"b.hdr", "b.img.gz"}, {"c.hdr.gz", "c.img.gz"},
                 {"D.HDR", "D.IMG"}, {"e.hdr.gz", "e.img"}, {"f.HDR", "f.img"}};
    unsigned char bytes[512];
    nifti_of_bytes(bytes);
    memcpy(bytes + 344, "ni1", 4);
    put_float(bytes + 108, 3, false);
    for (size_t n = 0; n < sizeof pairs / sizeof *pairs; n++) {
        const char *const names[] = {pairs[n].header, pairs[n].image};
        for (int i = 0; i < 2; i++) {
            const unsigned char *from = i ? bytes + 352 - 3 : bytes;
            const unsigned length = i ? 24 + 3 : 348;
            if (strstr(names[i], ".gz"))
                save_gzip(names[i], "wb", from, length);
            else
                save(names[i], from, length);
        }
        expect_bytes(pairs[n].header);
        expect_bytes(pairs[n].image);
    }
    save("alone.hdr", bytes, 348);
    refuse("alone.hdr", NULL, HTMT_ENOENT, "alone.img");
    save("alone.img", bytes, 20);
    refuse("alone.hdr", NULL, HTMT_EFORMAT, "alone.img: truncated: found at most 17 bytes");
}

/* ---- empty voxels --------------------------------------------------------------------------- */

/* Stored numbers -20, -13, .. and NaN at three places, with that slope. */
static void save_holes(float slope)
{
    unsigned char bytes[512];
    nifti(bytes, 16, 32, false);
    size_t length = 352 + voxels(bytes + 352, HTMT__FLOAT32, false);
    put_float(bytes + 112, slope, false);
    for (int n = 0; n < 24; n += 8)
        put_float(bytes + 352 + 4 * n, NAN, false);
    save("a.nii", bytes, length);
}

/* Of the numbers that are left the least is that of voxel 1, the greatest that of voxel 23. */
Test(readers, voxels_that_are_nan_count_as_the_least_value_whole_and_by_planes)
{
    for (int back = 0; back < 2; back++) {
        struct htmt__volume_settings s;
        save_holes(back ? -2 : 2);
        struct htmt__volume_input whole = ask_input(true, GIVEN("volume", file("a.nii")), &s),
                                  range;
        struct htmt__volume_planes *planes = NULL;
        float least = back ? 7 * 23 - 20 : 7 * 1 - 20, taken[24];
        cr_assert_eq(htmt__volume_input_read(&small_machine, &s, HTMT__RANGE_ALONE, &range, NULL),
                     0);
        cr_expect(whole.volume.source.empty == 3 && range.volume.source.empty == 3);
        cr_expect_arr_eq(range.range, whole.range, sizeof whole.range);
        cr_expect_eq(whole.range[0], back ? -2 * (7 * 23 - 20) : 2 * (7 - 20));
        cr_assert_eq(htmt__volume_input_planes(&s, &planes, NULL), 0);
        htmt__volume_planes_fill(planes, range.least);
        cr_assert_eq(htmt__volume_planes_take(planes, 2, taken, NULL), 0);
        for (int n = 0; n < 24; n++) {
            cr_expect_eq(taken[n], n % 8 ? (float)(7 * n - 20) : least, "voxel %d", n);
            cr_expect_eq(((const float *)whole.volume.at)[n], taken[n], "voxel %d", n);
        }
        htmt__volume_planes_close(&planes);
        htmt__volume_input_destroy(&whole);
        htmt__volume_input_destroy(&range);
    }
    unsigned char bytes[512];
    nifti(bytes, 16, 32, false);
    for (int n = 0; n < 24; n++)
        put_float(bytes + 352 + 4 * n, NAN, false);
    save("a.nii", bytes, 352 + 96);
    refuse("a.nii", NULL, HTMT_EFORMAT, "found NaN in every voxel");
}

/* ---- masks ---------------------------------------------------------------------------------- */

/* The shipped functions show values from 40 on at the earliest. */
Test(readers, the_values_and_not_their_type_choose_the_automatic_window)
{
    static const struct {
        enum htmt__volume_voxel type;
        double range[2];
        bool given;
    } rows[] = {
        {HTMT__UINT8, {0, 1}, true},     {HTMT__INT16, {0, 1}, true},
        {HTMT__UINT8, {0, 30}, true},    {HTMT__UINT8, {0, 254}, false},
        {HTMT__UINT8, {90, 100}, false}, {HTMT__INT16, {0, 254}, true},
        {HTMT__UINT8, {5, 5}, false},
    };
    static const char *const names[] = {"soft", "dense", "tissue"};
    for (size_t n = 0; n < 3; n++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            const struct htmt__volume v = {.type = rows[i].type, .slope = 1};
            struct htmt__volume_window w;
            struct htmt__volume_transfer t;
            cr_assert_eq(htmt__volume_transfer_read(names[n], &t, NULL), 0);
            htmt__volume_transfer_window(&t, &v, rows[i].range, &w);
            cr_expect_eq(w.given, rows[i].given, "%s, row %zu", names[n], i);
            cr_expect(!w.given || (w.from == rows[i].range[0] && w.to == rows[i].range[1]));
            htmt__volume_transfer_destroy(&t);
        }
}
