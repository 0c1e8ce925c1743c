/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading volume files.
 */
#include "tests/volume/files.h"

#include <math.h>

TestSuite(volume, .init = enter, .fini = leave);

static void expect_read(const char *name, const struct htmt__volume_raw *raw,
                        enum htmt__volume_voxel type)
{
    struct htmt__volume v;
    struct htmt_fault fault = {0};
    cr_assert_eq(
        htmt__volume_read(file(name), (struct htmt__volume_choice){.raw = raw}, &v, &fault), 0,
        "%s", fault.text);
    cr_expect(v.dims[0] == 4 && v.dims[1] == 3 && v.dims[2] == 2 && v.type == type, "%s", name);
    bool is_signed = type == HTMT__INT16 || type == HTMT__FLOAT32;
    for (int n = 0; n < 24; n++)
        cr_expect_eq(htmt__volume_voxel_at(v.at, v.type, (size_t)n),
                     (float)(7 * n + (is_signed ? -20 : 3)), "%s: voxel %d", name, n);
    htmt__volume_destroy(&v);
}

static void refuse(const char *name, const struct htmt__volume_raw *raw, int code, const char *text)
{
    struct htmt__volume v;
    struct htmt_fault fault = {0};
    cr_expect_eq(
        htmt__volume_read(file(name), (struct htmt__volume_choice){.raw = raw}, &v, &fault), code,
        "%s: %s", name, fault.text);
    cr_expect(strstr(fault.text, text), "'%s' is not in '%s'", text, fault.text);
    cr_expect(strstr(fault.text, name), "'%s' is not in '%s'", name, fault.text);
}

/* ---- NIfTI-1 -------------------------------------------------------------------------------- */

Test(volume, nifti_tells_spacing_slope_and_offset)
{
    unsigned char bytes[512];
    struct htmt__volume v;
    double range[2];
    nifti(bytes, 2, 8, false);
    put_float(bytes + 112, -0.5f, false);
    put_float(bytes + 116, 10, false);
    put_float(bytes + 108, 360, false);
    voxels(bytes + 360, HTMT__UINT8, false);
    save("a.nii", bytes, 384);
    expect_read("a.nii", NULL, HTMT__UINT8);
    cr_assert_eq(htmt__volume_read(file("a.nii"), (struct htmt__volume_choice){0}, &v, NULL), 0);
    cr_expect(v.spacing[0] == 0.5 && v.spacing[1] == 1 && v.spacing[2] == 1.5);
    htmt__volume_range(&v, range);
    cr_expect(range[0] == 10 - 0.5 * 164 && range[1] == 10 - 0.5 * 3, "%g %g", range[0], range[1]);
    htmt__volume_destroy(&v);
}

static void refuse_nifti(int offset, int value, int code, const char *text)
{
    unsigned char bytes[512];
    nifti_of_bytes(bytes);
    put16(bytes + offset, value, false);
    save("bad.nii", bytes, 376);
    refuse("bad.nii", NULL, code, text);
}

Test(volume, what_is_wrong_in_a_nifti_header_is_named)
{
    refuse_nifti(42, 0, HTMT_ERANGE, "dimensions 0 x 3 x 2");
    refuse_nifti(42, -4, HTMT_ERANGE, "dimensions -4 x 3 x 2");
    refuse_nifti(46, 1, HTMT_ERANGE, "dimensions 4 x 3 x 1");
    refuse_nifti(42, 32767, HTMT_EFORMAT, "truncated");
    refuse_nifti(40, 2, HTMT_EFORMAT, "found 2 dimensions");
    refuse_nifti(40, 9, HTMT_EFORMAT, "found 9 dimensions");
    refuse_nifti(70, 64, HTMT_EFORMAT, "8 bits a voxel of type FLOAT64, expected 64");
    refuse_nifti(70, 1536, HTMT_EFORMAT, "type 1536 (FLOAT128)");
    refuse_nifti(70, 128, HTMT_EFORMAT, "type 128 (RGB24)");
    refuse_nifti(72, 16, HTMT_EFORMAT, "16 bits a voxel of type UINT8");
    refuse_nifti(344, 'x' | '+' << 8, HTMT_EFORMAT, "no NIfTI magic \"n+1\" at byte 344");
    refuse_nifti(0, 540, HTMT_EFORMAT, "truncated: found 28 bytes of the rest of the header");
    refuse_nifti(0, 0, HTMT_EFORMAT, "neither a NIfTI nor an NRRD file");
    unsigned char bytes[512];
    nifti(bytes, 2, 8, false);
    put16(bytes + 40, 5, false);
    put16(bytes + 50, 3, false);
    save("bad.nii", bytes, 400);
    refuse("bad.nii", NULL, HTMT_EFORMAT, "length 3 of dimension 5");
    put16(bytes + 50, 1, false);
    put16(bytes + 48, -2, false);
    save("bad.nii", bytes, 400);
    refuse("bad.nii", NULL, HTMT_EFORMAT, "length -2 of dimension 4");
    nifti(bytes, 2, 8, false);
    put_float(bytes + 108, 100, false);
    save("bad.nii", bytes, 400);
    refuse("bad.nii", NULL, HTMT_EFORMAT, "offset 100");
    nifti(bytes, 2, 8, false);
    put_float(bytes + 112, INFINITY, false);
    save("bad.nii", bytes, 400);
    refuse("bad.nii", NULL, HTMT_EFORMAT, "slope inf");
    memcpy(bytes + 344, "ni1", 4);
    save("bad.nii", bytes, 400);
    refuse("bad.nii", NULL, HTMT_EFORMAT, "a name that ends in .hdr or .img");
}

Test(volume, truncated_and_corrupt_files_are_refused)
{
    unsigned char bytes[512], packed[512];
    nifti(bytes, 16, 32, false);
    size_t n = 352 + voxels(bytes + 352, HTMT__FLOAT32, false);
    save("a.nii", bytes, n - 1);
    refuse("a.nii", NULL, HTMT_EFORMAT, "truncated: found at most 95 bytes of voxels, expected 96");
    save("a.nii", bytes, 200);
    refuse("a.nii", NULL, HTMT_EFORMAT, "truncated: found 200 bytes of the header, expected 348");
    save("a.nii", bytes, 0);
    refuse("a.nii", NULL, HTMT_EFORMAT, "truncated");
    save_gzip("a.nii.gz", "wb9", bytes, (unsigned)n);
    FILE *f = fopen(file("a.nii.gz"), "rb");
    size_t m = fread(packed, 1, sizeof packed, f);
    fclose(f);
    save("cut.nii.gz", packed, m - 20);
    refuse("cut.nii.gz", NULL, HTMT_EFORMAT, "truncated: the gzip data end in the middle");
    save("cut.nii.gz", packed, m - 3);
    refuse("cut.nii.gz", NULL, HTMT_EFORMAT, "truncated: the gzip data end in the middle");
    packed[m - 6] ^= 1; /* the check sum */
    save("bent.nii.gz", packed, m);
    refuse("bent.nii.gz", NULL, HTMT_EFORMAT, "corrupt gzip data");
    memset(packed + 12, 0xff, 30);
    save("bent.nii.gz", packed, m);
    refuse("bent.nii.gz", NULL, HTMT_EFORMAT, "corrupt gzip data");
    save_gzip("short.nii.gz", "wb9", bytes, (unsigned)n - 4);
    refuse("short.nii.gz", NULL, HTMT_EFORMAT, "truncated: found 92 bytes of voxels, expected 96");
}

Test(volume, numbers_that_are_none_are_refused_with_their_place)
{
    unsigned char bytes[512];
    nifti(bytes, 16, 32, true);
    size_t n = 352 + voxels(bytes + 352, HTMT__FLOAT32, true);
    put_float(bytes + 352 + 4 * 17, INFINITY, true);
    save("a.nii", bytes, n);
    refuse("a.nii", NULL, HTMT_EFORMAT, "found inf at voxel (1, 1, 1)");
}

/* ---- NRRD ----------------------------------------------------------------------------------- */

static size_t nrrd(char *bytes, const char *fields, enum htmt__volume_voxel type, bool big)
{
    int n = sprintf(bytes, "NRRD0004\n# made by a test\n%s\n", fields);
    return (size_t)n + voxels((unsigned char *)bytes + n, type, big);
}

#define SHAPE "dimension: 3\nsizes: 4 3 2\n"

Test(volume, nrrd_attached_in_raw_and_gzip)
{
    char bytes[1024], head[512];
    unsigned char body[200];
    save("a.nrrd", bytes,
         nrrd(bytes, "type: uchar\n" SHAPE "encoding: raw\nkey:=value: x\n", HTMT__UINT8, false));
    expect_read("a.nrrd", NULL, HTMT__UINT8);
    save("a.nrrd", bytes,
         nrrd(bytes, "type: signed short\n" SHAPE "encoding: raw\nendian: big\n", HTMT__INT16,
              true));
    expect_read("a.nrrd", NULL, HTMT__INT16);
    int n =
        snprintf(head, sizeof head, "%s",
                 "NRRD0005\r\ntype: float\r\n" SHAPE "encoding: gzip\r\nendian: little\r\n\r\n");
    save("b.nrrd", head, (size_t)n);
    save_gzip("b.nrrd", "ab", body, (unsigned)voxels(body, HTMT__FLOAT32, false));
    expect_read("b.nrrd", NULL, HTMT__FLOAT32);
}

Test(volume, nrrd_detached_lies_beside_its_header)
{
    char head[512];
    unsigned char body[200];
    size_t n = voxels(body + 5, HTMT__UINT16, true);
    const char *fields = "NRRD0004\ntype: uint16\n" SHAPE "endian: big\nspacings: 1 nan 2.5\n";
    save("v.raw", body, n + 5);
    int m =
        snprintf(head, sizeof head, "%sencoding: raw\nbyte skip: 5\ndata file: v.raw\n", fields);
    save("v.nhdr", head, (size_t)m);
    expect_read("v.nhdr", NULL, HTMT__UINT16);
    m = snprintf(head, sizeof head, "%sencoding: raw\nbyte skip: -1\ndata file: v.raw\n", fields);
    save("v.nhdr", head, (size_t)m);
    expect_read("v.nhdr", NULL, HTMT__UINT16);
    save_gzip("v.raw.gz", "wb", body + 5, (unsigned)n);
    m = snprintf(head, sizeof head, "%sencoding: gzip\ndata file: v.raw.gz\n", fields);
    save("v.nhdr", head, (size_t)m);
    expect_read("v.nhdr", NULL, HTMT__UINT16);
    struct htmt__volume v;
    cr_assert_eq(htmt__volume_read(file("v.nhdr"), (struct htmt__volume_choice){0}, &v, NULL), 0);
    cr_expect(v.spacing[0] == 1 && v.spacing[1] == 1 && v.spacing[2] == 2.5);
    htmt__volume_destroy(&v);
}

Test(volume, nrrd_directions_have_lengths)
{
    char bytes[1024];
    struct htmt__volume v;
    save("a.nrrd", bytes,
         nrrd(bytes,
              "type: uint8\n" SHAPE "space: left-posterior-superior\n"
              "space directions: (0,0,-2) (0.6,0.8,0) (0, 3,4)\nspace origin: (0,0,0)\n"
              "kinds: domain domain domain\nencoding: raw\n",
              HTMT__UINT8, false));
    cr_assert_eq(htmt__volume_read(file("a.nrrd"), (struct htmt__volume_choice){0}, &v, NULL), 0);
    cr_expect_float_eq(v.spacing[0], 2, 1e-15);
    cr_expect_float_eq(v.spacing[1], 1, 1e-15);
    cr_expect_float_eq(v.spacing[2], 5, 1e-15);
    htmt__volume_destroy(&v);
}

static void refuse_nrrd(const char *fields, int code, const char *text)
{
    char bytes[1024];
    save("bad.nrrd", bytes, nrrd(bytes, fields, HTMT__UINT8, false));
    refuse("bad.nrrd", NULL, code, text);
}

Test(volume, what_is_wrong_in_an_nrrd_header_is_named_with_its_line)
{
    refuse_nrrd("type: block\n" SHAPE "encoding: raw\n", HTMT_EFORMAT,
                "bad.nrrd:3: found type 'block'");
    refuse_nrrd("type: double\n" SHAPE "encoding: raw\n", HTMT_EFORMAT, "no field 'endian'");
    refuse_nrrd("type: uint8\ndimension: 2\n", HTMT_EFORMAT, "bad.nrrd:4: found dimension '2'");
    refuse_nrrd("type: uint8\ndimension: 3\nsizes: 4 3\n", HTMT_EFORMAT, "found sizes '4 3'");
    refuse_nrrd("type: uint8\ndimension: 3\nsizes: 4 3 2.5\nencoding: raw\n", HTMT_EFORMAT,
                "found sizes '4 3 2.5'");
    refuse_nrrd("type: uint8\ndimension: 3\nsizes: 4 3 -2\nencoding: raw\n", HTMT_ERANGE,
                "4 x 3 x -2");
    refuse_nrrd("type: uint8\ndimension: 3\nsizes: 4 3 99999999999\nencoding: raw\n", HTMT_ERANGE,
                "4 x 3 x 99999999999");
    refuse_nrrd("type: uint8\n" SHAPE "encoding: bzip2\n", HTMT_EFORMAT, "found encoding 'bzip2'");
    refuse_nrrd("type: uint8\n" SHAPE "encoding: gzip\n", HTMT_EFORMAT, "expected gzip (1f 8b)");
    refuse_nrrd("type: short\n" SHAPE "encoding: raw\n", HTMT_EFORMAT, "no field 'endian'");
    refuse_nrrd("type: uint8\n" SHAPE, HTMT_EFORMAT, "no field 'encoding'");
    refuse_nrrd("type: uint8\n" SHAPE "encoding: raw\nline skip: 2\n", HTMT_EFORMAT,
                "line skip '2'");
    refuse_nrrd("type: uint8\n" SHAPE "encoding: raw\ncolour: red\n", HTMT_EFORMAT,
                "bad.nrrd:7: found field 'colour'");
    refuse_nrrd("type uint8\n" SHAPE, HTMT_EFORMAT, "bad.nrrd:3: found a line 'type uint8'");
    refuse_nrrd("type: uint8\n" SHAPE "encoding: raw\ndata file: LIST\n", HTMT_EFORMAT, "'LIST'");
    refuse_nrrd("type: uint8\ndimension: 3\nsizes: 4 3 3\nencoding: raw\n", HTMT_EFORMAT,
                "truncated: found at most 24 bytes of voxels, expected 36");
    refuse_nrrd("type: uint8\ndimension: 3\nsizes: 4 2 2\nencoding: raw\n", HTMT_EFORMAT,
                "too long: found 8 bytes behind the voxels");
}

/* ---- raw ------------------------------------------------------------------------------------ */

Test(volume, raw_voxels_fill_the_file)
{
    unsigned char bytes[200];
    size_t n = voxels(bytes, HTMT__FLOAT32, true);
    save("v.raw", bytes, n);
    save_gzip("v.raw.gz", "wb", bytes, (unsigned)n);
    struct htmt__volume_raw raw = {{4, 3, 3}, HTMT__STORED_FLOAT32, false};
    refuse("v.raw", &raw, HTMT_EFORMAT, "found at most 96 bytes of voxels, expected 144");
    raw.dims[2] = 2;
    raw.type = HTMT__STORED_INT16;
    refuse("v.raw", &raw, HTMT_EFORMAT, "too long: found 48 bytes behind");
    refuse("v.raw.gz", &raw, HTMT_EFORMAT, "too long: found 48 bytes behind");
    raw.dims[0] = UINT64_MAX;
    refuse("v.raw", &raw, HTMT_ERANGE, "found dimensions");
    refuse("none.raw", &raw, HTMT_ERANGE, "found dimensions");
    raw.dims[0] = 4;
    refuse("none.raw", &raw, HTMT_ENOENT, "cannot open");
    cr_expect_eq(htmt__volume_read(here.folder, (struct htmt__volume_choice){0},
                                   &(struct htmt__volume){0}, NULL),
                 HTMT_EFORMAT);
}

/* ---- phantom -------------------------------------------------------------------------------- */

/* Its sum is that of its ellipsoids: what each adds times 4/3 pi a b c. */
Test(volume, the_phantom_has_the_mass_of_its_ellipsoids)
{
    struct htmt__volume v;
    double sum = 0, side = 96;
    cr_assert_eq(htmt__volume_phantom(96, 1, &v, NULL), 0);
    for (uint64_t n = 0; n < htmt__volume_voxels(&v); n++)
        sum += ((const uint8_t *)v.at)[n];
    double abc = 0.69 * 0.92 * 0.9 - 0.8 * 0.6624 * 0.874 * 0.88 - 0.2 * 0.41 * 0.16 * 0.21 -
                 0.2 * 0.31 * 0.11 * 0.22 + 0.2 * 0.21 * 0.25 * 0.5 + 0.2 * 0.046 * 0.046 * 0.046 +
                 2 * 0.1 * 0.046 * 0.023 * 0.02 + 0.2 * 0.056 * 0.04 * 0.1 -
                 0.2 * 0.056 * 0.056 * 0.1;
    double expected = 255 * 4.0 / 3 * M_PI * abc * pow((side - 1) / 2, 3);
    cr_expect_float_eq(sum / expected, 1, 0.005, "%g", sum / expected);
    htmt__volume_destroy(&v);
    cr_expect_eq(htmt__volume_phantom(1, 1, &v, NULL), HTMT_ERANGE);
}

/* The share of a voxel in an ellipsoid by its distance from the surface, without the rule that
 * spares most voxels the slope: head[] is Kak and Slaney's table. */
static uint8_t voxel_by_slope(double side, const double at[3])
{
    static const double head[10][8] = {
        {1.00, 0.69, 0.92, 0.90, 0, 0, 0, 0},
        {-0.80, 0.6624, 0.874, 0.88, 0, 0, 0, 0},
        {-0.20, 0.41, 0.16, 0.21, -0.22, 0, -0.25, 108},
        {-0.20, 0.31, 0.11, 0.22, 0.22, 0, -0.25, 72},
        {0.20, 0.21, 0.25, 0.50, 0, 0.35, -0.25, 0},
        {0.20, 0.046, 0.046, 0.046, 0, 0.1, -0.25, 0},
        {0.10, 0.046, 0.023, 0.02, -0.08, -0.65, -0.25, 0},
        {0.10, 0.046, 0.023, 0.02, 0.06, -0.65, -0.25, 90},
        {0.20, 0.056, 0.04, 0.10, 0.06, -0.105, 0.625, 90},
        {-0.20, 0.056, 0.056, 0.10, 0, 0.1, 0.625, 0},
    };
    double density = 0;
    for (int i = 0; i < 10; i++) {
        const double *e = head[i], c = cos(e[7] * M_PI / 180), s = sin(e[7] * M_PI / 180);
        const double x = 2 * at[0] / (side - 1) - 1 - e[4], y = 2 * at[1] / (side - 1) - 1 - e[5];
        const double u = (c * x + s * y) / e[1], v = (c * y - s * x) / e[2];
        const double w = (2 * at[2] / (side - 1) - 1 - e[6]) / e[3], q = u * u + v * v + w * w;
        const double slope = 2 * hypot(u / e[1], hypot(v / e[2], w / e[3]));
        const double share = 0.5 + (1 - q) / fmax(slope * 2 / (side - 1), 1e-9);
        density += e[0] * fmin(fmax(share, 0), 1);
    }
    return (uint8_t)lround(255 * fmin(fmax(density, 0), 1));
}

Test(volume, the_phantom_is_that_of_the_slopes_on_any_number_of_threads)
{
    for (uint32_t side = 2; side <= 50; side += 6)
        for (unsigned threads = 1; threads <= 3; threads++) {
            struct htmt__volume v;
            cr_assert_eq(htmt__volume_phantom(side, threads, &v, NULL), 0);
            for (uint32_t n = 0; n < side * side * side; n++) {
                const double at[] = {n % side, n / side % side, n / side / side};
                cr_assert_eq(((const uint8_t *)v.at)[n], voxel_by_slope(side, at),
                             "voxel %u of %u^3, %u threads", n, side, threads);
            }
            htmt__volume_destroy(&v);
        }
}

/* ---- planes --------------------------------------------------------------------------------- */

/* Two planes, then the rest. */
static void expect_planes(struct htmt__volume_planes *planes, const struct htmt__volume *v)
{
    const struct htmt__volume *p = htmt__volume_planes_volume(planes);
    size_t plane = (size_t)v->dims[0] * v->dims[1] * htmt__volume_voxel_bytes(v->type);
    char *at = malloc(v->dims[2] * plane);
    cr_expect_arr_eq(p->dims, v->dims, sizeof v->dims);
    cr_expect_eq(p->type, v->type);
    cr_expect_eq(htmt__volume_planes_take(planes, 2, at, NULL), 0);
    cr_expect_eq(htmt__volume_planes_take(planes, v->dims[2] - 1, at, NULL), HTMT_EINVAL);
    cr_expect_eq(htmt__volume_planes_take(planes, v->dims[2] - 2, at + 2 * plane, NULL), 0);
    cr_expect_eq(htmt__volume_planes_end(planes, NULL), 0);
    cr_expect_arr_eq(at, v->at, v->dims[2] * plane);
    free(at);
    htmt__volume_planes_close(&planes);
}

Test(volume, planes_are_those_of_the_whole)
{
    unsigned char bytes[512];
    struct htmt__volume v;
    struct htmt__volume_planes *planes;
    cr_assert_eq(htmt__volume_phantom(12, 1, &v, NULL), 0);
    cr_assert_eq(htmt__volume_planes_phantom(12, &planes, NULL), 0);
    expect_planes(planes, &v);
    cr_assert_eq(htmt__volume_planes_of(&v, &planes, NULL), 0);
    cr_expect_null(v.at, "taken");
    cr_assert_eq(htmt__volume_phantom(12, 1, &v, NULL), 0);
    expect_planes(planes, &v);
    htmt__volume_destroy(&v);
    nifti(bytes, 16, 32, true);
    save("a.nii", bytes, 352 + voxels(bytes + 352, HTMT__FLOAT32, true));
    cr_assert_eq(htmt__volume_read(file("a.nii"), (struct htmt__volume_choice){0}, &v, NULL), 0);
    cr_assert_eq(
        htmt__volume_planes_open(file("a.nii"), (struct htmt__volume_choice){0}, &planes, NULL), 0);
    expect_planes(planes, &v);
    htmt__volume_destroy(&v);
}
