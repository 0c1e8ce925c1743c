/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Headers of NIfTI-1 and NIfTI-2 files (nifti1.h, nifti2.h): 348 or 540 bytes in either byte order,
 * gzip or not.
 *
 * Both versions have the same fields in other places and sizes, so a header of version 1 is first
 * rewritten as one of version 2, field by field as far as they are read. A file may give an
 * orientation in two forms: a matrix (sform), and a quaternion with the distances of grid points
 * (qform). The standard advises the matrix if both are there. The offset of the voxels, a
 * floating-point number in version 1, is kept as one until it is known to be whole.
 */
#include "apps/volume/io/volume_file.h"

#include <inttypes.h>
#include <math.h>
#include <nifti2_io.h>
#include <string.h>

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

/* ---- version -------------------------------------------------------------------------------- */

static int check_magic(const char *path, const char *magic, const char *expected, const char *pair,
                       int at, struct htmt_fault *fault)
{
    if (!memcmp(magic, pair, 4))
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: found one of two files (.hdr and .img), expected a .nii file",
                              path);
    if (memcmp(magic, expected, 4))
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: found no NIfTI magic \"%s\" at byte %d of the header", path,
                              expected, at);
    return 0;
}

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

static int take_header(const char *path, union raw *h, struct htmt_fault *fault)
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
    if (is_of(h, NIFTI_2))
        return check_magic(path, h->two.magic, "n+2", "ni2", 4, fault);
    if (is_of(h, NIFTI_1))
        return check_magic(path, h->one.magic, "n+1", "ni1", 344, fault);
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "%s: found neither a NIfTI nor an NRRD file; raw voxels need --dims "
                          "and --type",
                          path);
}

/* ---- fields --------------------------------------------------------------------------------- */

static int take_dims(const char *path, const nifti_2_header *h, struct htmt__volume_header *out,
                     struct htmt_fault *fault)
{
    if (h->dim[0] < 3 || h->dim[0] > 7)
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s: found %" PRId64 " dimensions, expected 3",
                              path, h->dim[0]);
    for (int a = 3; a < h->dim[0]; a++)
        if (h->dim[a + 1] != 1)
            return htmt_fault_set(fault, HTMT_EFORMAT,
                                  "%s: found %" PRId64
                                  " volumes along dimension %d, expected one volume",
                                  path, h->dim[a + 1], a + 1);
    for (int a = 0; a < 3; a++) {
        out->dims[a] = h->dim[a + 1];
        htmt__volume_header_space(out, a, h->pixdim[a + 1]);
    }
    return 0;
}

static int take_type(const char *path, const nifti_2_header *h, struct htmt__volume_header *out,
                     struct htmt_fault *fault)
{
    static const int codes[] = {
        [HTMT__STORED_UINT8] = DT_UINT8,   [HTMT__STORED_INT16] = DT_INT16,
        [HTMT__STORED_UINT16] = DT_UINT16, [HTMT__STORED_FLOAT32] = DT_FLOAT32,
        [HTMT__STORED_INT8] = DT_INT8,     [HTMT__STORED_INT32] = DT_INT32,
        [HTMT__STORED_UINT32] = DT_UINT32, [HTMT__STORED_FLOAT64] = DT_FLOAT64};
    unsigned type = 0;
    while (type < HTMT__STORED_TYPES && codes[type] != h->datatype)
        type++;
    if (type == HTMT__STORED_TYPES)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: found voxels of type %d (%s), expected integers of 8, 16 or 32 "
                              "bits, FLOAT32 or FLOAT64",
                              path, h->datatype, nifti_datatype_string(h->datatype));
    out->type = (enum htmt__volume_stored)type;
    size_t bits = 8 * htmt__volume_stored_bytes(out->type);
    if (h->bitpix != (int)bits)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: found %d bits a voxel of type %s, expected %zu", path, h->bitpix,
                              nifti_datatype_string(h->datatype), bits);
    return 0;
}

/* Where the voxels begin and what their numbers mean. A slope of 0 says that the stored numbers are
 * the values. */
static int take_place_and_scale(const char *path, const nifti_2_header *h, double at,
                                struct htmt__volume_header *out, struct htmt_fault *fault)
{
    int least = h->sizeof_hdr + BEFORE_VOXELS;
    bool scaled = h->scl_slope != 0;
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

/* The sform if there is one, else the qform, as the standard advises. */
static void take_orientation(const nifti_2_header *h, struct htmt__volume_header *out)
{
    const double *rows[] = {h->srow_x, h->srow_y, h->srow_z};
    nifti_dmat44 q =
        nifti_quatern_to_dmat44(h->quatern_b, h->quatern_c, h->quatern_d, 0, 0, 0, out->spacing[0],
                                out->spacing[1], out->spacing[2], h->pixdim[0] < 0 ? -1 : 1);
    double direction[3][3];
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++)
            direction[a][i] = h->sform_code > 0 ? rows[i][a] : q.m[i][a];
    if (h->sform_code > 0 || h->qform_code > 0)
        htmt__volume_header_orient(out, direction);
}

int htmt__volume_header_nifti(const char *path, struct htmt__volume_header *out,
                              struct htmt_fault *fault)
{
    struct htmt__volume_header found = {.coding = HTMT__PLAIN_OR_GZIP, .loose = true};
    union raw raw;
    int rc = take_header(path, &raw, fault);
    if (rc)
        return rc;
    int version = is_of(&raw, NIFTI_2) ? 2 : 1;
    bool swap = !(raw.one.sizeof_hdr == NIFTI_1 || raw.one.sizeof_hdr == NIFTI_2);
    if (swap)
        swap_nifti_header(&raw, version);
    nifti_2_header h = version == 2 ? raw.two : upgrade(&raw.one);
    found.big_endian = swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    rc = take_dims(path, &h, &found, fault);
    if (!rc)
        rc = take_type(path, &h, &found, fault);
    if (!rc)
        rc = take_place_and_scale(path, &h,
                                  version == 2 ? (double)h.vox_offset : (double)raw.one.vox_offset,
                                  &found, fault);
    if (rc)
        return rc;
    take_orientation(&h, &found);
    *out = found;
    return 0;
}
