/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Headers of NIfTI-1 and NIfTI-2 files (nifti1.h, nifti2.h): 348 or 540 bytes in either byte order,
 * gzip or not, in front of the voxels (.nii) or in a file of their own (.hdr) beside them (.img).
 *
 * Both versions have the same fields in other places and sizes, so a header of version 1 is first
 * rewritten as one of version 2, field by field as far as they are read. A file may give an
 * orientation in two forms: a matrix (sform), and a quaternion with the distances of grid points
 * (qform). The standard advises the matrix if both are there. The offset of the voxels, a
 * floating-point number in version 1, is kept as one until it is known to be whole.
 *
 * What is left open is read as niftilib and nibabel read it: a length of 0 of the fourth to seventh
 * dimension is 1, and a slope of 0 or NaN says that the stored numbers are the values. A fourth
 * dimension is a series of volumes in the order of the file.
 */
#include "apps/volume/io/volume_file.h"

#include <inttypes.h>
#include <math.h>
#include <nifti2_io.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define NIFTI_1 348
#define NIFTI_2 540
/* Fewest bytes before the voxels: the header and the four bytes behind it. */
#define BEFORE_VOXELS 4

/* A header of either version. */
union raw {
    nifti_1_header one;
    nifti_2_header two;
};

/* A header begins with its own length, which tells version and byte order. */
static bool is_of(const union raw *h, int32_t bytes)
{
    return h->one.sizeof_hdr == bytes ||
           h->one.sizeof_hdr == (int32_t)__builtin_bswap32((uint32_t)bytes);
}

/* ---- files ---------------------------------------------------------------------------------- */

/* The length of a name without `ending` and .gz, in either case; 0: it does not end so. */
static size_t stem_of(const char *path, const char *ending)
{
    size_t n = strlen(path), e = strlen(ending);
    n -= n > 3 && !strcasecmp(path + n - 3, ".gz") ? 3 : 0;
    return n > e && !strncasecmp(path + n - e, ending, e) ? n - e : 0;
}

/* The name of a header or of an image, to a room of stem + 8 bytes. */
static void name_file(char *name, const char *path, size_t stem, bool header, bool upper,
                      bool packed)
{
    static const char *const endings[2][2] = {{".img", ".IMG"}, {".hdr", ".HDR"}};
    snprintf(name, stem + sizeof ".img.gz", "%.*s%s%s", (int)stem, path, endings[header][upper],
             packed ? ".gz" : "");
}

/* The other file of a pair, to be freed; NULL: no memory. Its name is in the same letters and
 * packed alike, or differs in one of both or in both: the first that is there. "a/x.IMG.gz" has the
 * header a/x.HDR.gz, a/x.HDR, a/x.hdr.gz or a/x.hdr. If none is there, the first is to be missed.
 */
static char *partner_of(const char *path, size_t stem, bool header)
{
    const bool upper = path[stem + 1] >= 'A' && path[stem + 1] <= 'Z', packed = path[stem + 4];
    char *name = malloc(stem + sizeof ".img.gz");
    for (int n = 0; name && n < 4; n++) {
        name_file(name, path, stem, header, upper != (n / 2 > 0), packed != (n % 2 > 0));
        if (!access(name, F_OK))
            return name;
    }
    if (name)
        name_file(name, path, stem, header, upper, packed);
    return name;
}

/* ---- version -------------------------------------------------------------------------------- */

/* The fields that are read, as NIfTI-2 has them. */
static nifti_2_header upgrade(const nifti_1_header *h)
{
    nifti_2_header n = {.sizeof_hdr = NIFTI_1,
                        .datatype = h->datatype,
                        .bitpix = h->bitpix,
                        .scl_slope = (double)h->scl_slope,
                        .scl_inter = (double)h->scl_inter,
                        .qform_code = h->qform_code,
                        .sform_code = h->sform_code,
                        .quatern_b = (double)h->quatern_b,
                        .quatern_c = (double)h->quatern_c,
                        .quatern_d = (double)h->quatern_d};
    for (int i = 0; i < 8; i++) {
        n.dim[i] = h->dim[i];
        n.pixdim[i] = (double)h->pixdim[i];
    }
    for (int i = 0; i < 4; i++) {
        n.srow_x[i] = (double)h->srow_x[i];
        n.srow_y[i] = (double)h->srow_y[i];
        n.srow_z[i] = (double)h->srow_z[i];
    }
    return n;
}

/* The header as it lies in its file. *paired: the voxels lie in another one. */
static int take_header(const char *path, union raw *h, bool *paired, struct htmt_fault *fault)
{
    struct htmt__volume_byte_stream *stream = NULL;
    int rc = htmt__volume_byte_stream_open(path, 0, HTMT__PLAIN_OR_GZIP, &stream, fault);
    if (!rc)
        rc = htmt__volume_byte_stream_take(stream, h, NIFTI_1, "the header", fault);
    if (!rc && is_of(h, NIFTI_2))
        rc = htmt__volume_byte_stream_take(stream, (char *)h + NIFTI_1, NIFTI_2 - NIFTI_1,
                                           "the rest of the header", fault);
    htmt__volume_byte_stream_close(&stream);
    if (rc)
        return rc;
    const bool two = is_of(h, NIFTI_2);
    const char *magic = two ? h->two.magic : h->one.magic, *expected = two ? "n+2" : "n+1";
    if (!two && !is_of(h, NIFTI_1))
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: found neither a NIfTI nor an NRRD file; raw voxels need --dims "
                              "and --type",
                              path);
    *paired = !memcmp(magic, two ? "ni2" : "ni1", 4);
    if (*paired || !memcmp(magic, expected, 4))
        return 0;
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "%s: found no NIfTI magic \"%s\" at byte %d of the header", path,
                          expected, two ? 4 : 344);
}

/* ---- fields --------------------------------------------------------------------------------- */

/* Lengths, distances and type. */
static int take_shape(const char *path, const nifti_2_header *h, struct htmt__volume_header *out,
                      struct htmt_fault *fault)
{
    static const int codes[] = {
        [HTMT__STORED_UINT8] = DT_UINT8,   [HTMT__STORED_INT16] = DT_INT16,
        [HTMT__STORED_UINT16] = DT_UINT16, [HTMT__STORED_FLOAT32] = DT_FLOAT32,
        [HTMT__STORED_INT8] = DT_INT8,     [HTMT__STORED_INT32] = DT_INT32,
        [HTMT__STORED_UINT32] = DT_UINT32, [HTMT__STORED_FLOAT64] = DT_FLOAT64,
        [HTMT__STORED_INT64] = DT_INT64,   [HTMT__STORED_UINT64] = DT_UINT64};
    unsigned type = 0;
    if (h->dim[0] < 3 || h->dim[0] > 7)
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s: found %" PRId64 " dimensions, expected 3",
                              path, h->dim[0]);
    out->frames = h->dim[0] > 3 && h->dim[4] ? h->dim[4] : 1;
    for (int a = 4; a <= h->dim[0]; a++)
        if (h->dim[a] < 0 || (a > 4 && h->dim[a] > 1))
            return htmt_fault_set(fault, HTMT_EFORMAT,
                                  "%s: found length %" PRId64
                                  " of dimension %d, expected one volume or a series of them",
                                  path, h->dim[a], a);
    for (int a = 0; a < 3; a++) {
        out->dims[a] = h->dim[a + 1];
        htmt__volume_header_space(out, a, h->pixdim[a + 1]);
    }
    while (type < HTMT__STORED_TYPES && codes[type] != h->datatype)
        type++;
    if (type == HTMT__STORED_TYPES)
        return htmt_fault_set(
            fault, HTMT_EFORMAT,
            "%s: found voxels of type %d (%s), expected integers of 8 to 64 bits, "
            "FLOAT32 or FLOAT64",
            path, h->datatype, nifti_datatype_string(h->datatype));
    out->type = (enum htmt__volume_stored)type;
    size_t bits = 8 * htmt__volume_stored_bytes(out->type);
    if (h->bitpix != (int)bits)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: found %d bits a voxel of type %s, expected %zu", path, h->bitpix,
                              nifti_datatype_string(h->datatype), bits);
    return 0;
}

/* Where the voxels begin, at least `least` bytes from the start of their file, and what their
 * numbers mean. */
static int take_place_and_scale(const char *path, const nifti_2_header *h, double at, int least,
                                struct htmt__volume_header *out, struct htmt_fault *fault)
{
    const bool scaled = h->scl_slope != 0 && !isnan(h->scl_slope);
    if (!(at >= least && at < 1e9 && at == floor(at)))
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: found voxels at offset %g, expected a whole number from %d on",
                              path, at, least);
    out->skip = (uint64_t)at;
    out->slope = scaled ? h->scl_slope : 1;
    out->intercept = scaled ? h->scl_inter : 0;
    if (isfinite(out->slope) && isfinite(out->intercept))
        return 0;
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "%s: found slope %g and intercept %g, expected finite numbers", path,
                          out->slope, out->intercept);
}

/* Of a pair either file may be named. */
int htmt__volume_header_nifti(const char *path, struct htmt__volume_header *out,
                              struct htmt_fault *fault)
{
    struct htmt__volume_header found = {.coding = HTMT__PLAIN_OR_GZIP, .loose = true};
    const size_t image = stem_of(path, ".img"), head = stem_of(path, ".hdr");
    char *header = image ? partner_of(path, image, true) : NULL;
    bool paired = false;
    union raw raw;
    int rc = image && !header
                 ? htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for a file name", path)
                 : take_header(header ? header : path, &raw, &paired, fault);
    free(header);
    if (rc)
        return rc;
    if (paired && !image && !head)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: found the header of two files, expected a name that ends in "
                              ".hdr or .img",
                              path);
    int version = is_of(&raw, NIFTI_2) ? 2 : 1;
    bool swap = !(raw.one.sizeof_hdr == NIFTI_1 || raw.one.sizeof_hdr == NIFTI_2);
    if (swap)
        swap_nifti_header(&raw, version);
    nifti_2_header h = version == 2 ? raw.two : upgrade(&raw.one);
    found.big_endian = swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    rc = take_shape(path, &h, &found, fault);
    if (!rc)
        rc = take_place_and_scale(path, &h,
                                  version == 2 ? (double)h.vox_offset : (double)raw.one.vox_offset,
                                  paired ? 0 : h.sizeof_hdr + BEFORE_VOXELS, &found, fault);
    if (rc)
        return rc;
    /* The sform if there is one, else the qform, as the standard advises. */
    const double *rows[] = {h.srow_x, h.srow_y, h.srow_z};
    nifti_dmat44 q =
        nifti_quatern_to_dmat44(h.quatern_b, h.quatern_c, h.quatern_d, 0, 0, 0, found.spacing[0],
                                found.spacing[1], found.spacing[2], h.pixdim[0] < 0 ? -1 : 1);
    double direction[3][3];
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++)
            direction[a][i] = h.sform_code > 0 ? rows[i][a] : q.m[i][a];
    if (h.sform_code > 0 || h.qform_code > 0)
        htmt__volume_header_orient(&found, direction);
    if (paired && head && !(found.data = partner_of(path, head, false)))
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for a file name", path);
    *out = found;
    return 0;
}
