/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Headers of NIfTI-1 files (nifti1.h): 348 bytes in either byte order, gzip or not.
 */
#include "apps/volume/io/volume_file.h"

#include <math.h>
#include <nifti1_io.h>
#include <string.h>

#define NIFTI_1    348
#define NIFTI_2    540
#define DATA_LEAST 352

static int32_t swapped(int32_t n)
{
    return (int32_t)__builtin_bswap32((uint32_t)n);
}

static int check_kind(const char *path, const nifti_1_header *h, struct htmt_fault *fault)
{
    if (h->sizeof_hdr == NIFTI_2 || h->sizeof_hdr == swapped(NIFTI_2))
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s: found NIfTI-2, expected NIfTI-1", path);
    if (h->sizeof_hdr != NIFTI_1 && h->sizeof_hdr != swapped(NIFTI_1))
        return htmt_fault_set(
            fault, HTMT_EFORMAT,
            "%s: found neither a NIfTI-1 nor an NRRD file; raw voxels need --dims "
            "and --type",
            path);
    if (!memcmp(h->magic, "ni1", 4))
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: found one of two files (.hdr and .img), expected a .nii file",
                              path);
    if (memcmp(h->magic, "n+1", 4))
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: found no NIfTI-1 magic \"n+1\" at byte 344 of the header", path);
    return 0;
}

static int take_dims(const char *path, const nifti_1_header *h, struct htmt__volume_header *out,
                     struct htmt_fault *fault)
{
    if (h->dim[0] < 3 || h->dim[0] > 7)
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s: found %d dimensions, expected 3", path,
                              h->dim[0]);
    for (int a = 3; a < h->dim[0]; a++)
        if (h->dim[a + 1] != 1)
            return htmt_fault_set(fault, HTMT_EFORMAT,
                                  "%s: found %d volumes along dimension %d, expected one volume",
                                  path, h->dim[a + 1], a + 1);
    for (int a = 0; a < 3; a++) {
        double distance = fabs((double)h->pixdim[a + 1]);
        out->dims[a] = h->dim[a + 1];
        out->spacing[a] = isfinite(distance) && distance > 0 ? distance : 1;
    }
    return 0;
}

static int take_type(const char *path, const nifti_1_header *h, struct htmt__volume_header *out,
                     struct htmt_fault *fault)
{
    static const struct {
        int code, bits;
        enum htmt__volume_voxel type;
    } known[] = {{DT_UINT8, 8, HTMT__UINT8},
                 {DT_INT16, 16, HTMT__INT16},
                 {DT_UINT16, 16, HTMT__UINT16},
                 {DT_FLOAT32, 32, HTMT__FLOAT32}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (h->datatype != known[i].code)
            continue;
        if (h->bitpix != known[i].bits)
            return htmt_fault_set(fault, HTMT_EFORMAT,
                                  "%s: found %d bits a voxel of type %s, expected %d", path,
                                  h->bitpix, nifti_datatype_string(h->datatype), known[i].bits);
        out->type = known[i].type;
        return 0;
    }
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "%s: found voxels of type %d (%s), expected UINT8, INT16, UINT16 or "
                          "FLOAT32",
                          path, h->datatype, nifti_datatype_string(h->datatype));
}

static int take_place(const char *path, const nifti_1_header *h, struct htmt__volume_header *out,
                      struct htmt_fault *fault)
{
    double at = (double)h->vox_offset;
    if (!(at >= DATA_LEAST && at < 1e9 && at == floor(at)))
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: found voxels at offset %g, expected a whole number from %d on",
                              path, at, DATA_LEAST);
    out->skip = (uint64_t)at;
    return 0;
}

/* A slope of 0 says that the stored numbers are the values. */
static int take_scale(const char *path, const nifti_1_header *h, struct htmt__volume_header *out,
                      struct htmt_fault *fault)
{
    bool scaled = h->scl_slope != 0;
    out->slope = scaled ? (double)h->scl_slope : 1;
    out->intercept = scaled ? (double)h->scl_inter : 0;
    if (isfinite(out->slope) && isfinite(out->intercept))
        return 0;
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "%s: found slope %g and intercept %g, expected finite numbers", path,
                          out->slope, out->intercept);
}

int htmt__volume_header_nifti(const char *path, struct htmt__volume_header *out,
                              struct htmt_fault *fault)
{
    struct htmt__volume_header found = {.coding = HTMT__PLAIN_OR_GZIP, .loose = true};
    struct htmt__volume_byte_stream *stream = NULL;
    nifti_1_header h;
    int rc = htmt__volume_byte_stream_open(path, 0, HTMT__PLAIN_OR_GZIP, &stream, fault);
    if (!rc)
        rc = htmt__volume_byte_stream_take(stream, &h, NIFTI_1, "the header", fault);
    htmt__volume_byte_stream_close(&stream);
    if (!rc)
        rc = check_kind(path, &h, fault);
    if (rc)
        return rc;
    bool swap = h.sizeof_hdr != NIFTI_1;
    if (swap)
        swap_nifti_header(&h, 1);
    found.big_endian = swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    rc = take_dims(path, &h, &found, fault);
    if (!rc)
        rc = take_type(path, &h, &found, fault);
    if (!rc)
        rc = take_place(path, &h, &found, fault);
    if (!rc)
        rc = take_scale(path, &h, &found, fault);
    if (!rc)
        *out = found;
    return rc;
}
