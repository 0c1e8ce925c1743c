/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading a volume of any kind: find its header, then its voxels.
 */
#include "apps/volume/io/volume_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- voxels --------------------------------------------------------------------------------- */

/* `count` numbers of `bytes` each. */
static void swap_bytes(void *at, size_t bytes, uint64_t count)
{
    uint16_t *two = at;
    uint32_t *four = at;
    uint64_t *eight = at;
    for (uint64_t i = 0; bytes == 2 && i < count; i++)
        two[i] = __builtin_bswap16(two[i]);
    for (uint64_t i = 0; bytes == 4 && i < count; i++)
        four[i] = __builtin_bswap32(four[i]);
    for (uint64_t i = 0; bytes == 8 && i < count; i++)
        eight[i] = __builtin_bswap64(eight[i]);
}

static bool is_swapped(const struct htmt__volume_header *h)
{
    return h->big_endian == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
}

static int refuse_voxel(const char *path, const struct htmt__volume *v, uint64_t n, double value,
                        const char *expected, struct htmt_fault *fault)
{
    return htmt_fault_set(
        fault, HTMT_EFORMAT,
        "%s: found %g at voxel (%" PRIu64 ", %" PRIu64 ", %" PRIu64 "), expected %s", path, value,
        n % v->dims[0], n / v->dims[0] % v->dims[1], n / v->dims[0] / v->dims[1], expected);
}

static int check_finite(const char *path, const struct htmt__volume *v, struct htmt_fault *fault)
{
    const float *at = v->at;
    if (v->type != HTMT__FLOAT32)
        return 0;
    for (uint64_t n = 0; n < htmt__volume_voxels(v); n++)
        if (!isfinite(at[n]))
            return refuse_voxel(path, v, n, (double)at[n], "finite numbers", fault);
    return 0;
}

/* Check before any memory is allocated, so that a header that promises too much costs nothing. */
static int check_length(const char *path, const struct htmt__volume_byte_stream *stream,
                        const struct htmt__volume_header *h, uint64_t bytes,
                        struct htmt_fault *fault)
{
    uint64_t most = htmt__volume_byte_stream_most(stream),
             voxels = most > h->skip ? most - h->skip : 0;
    if (voxels >= bytes)
        return 0;
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "%s: truncated: found at most %" PRIu64
                          " bytes of voxels, expected %" PRIu64 " (%" PRId64 " x %" PRId64
                          " x %" PRId64 " x %zu)",
                          path, voxels, bytes, h->dims[0], h->dims[1], h->dims[2],
                          htmt__volume_stored_bytes(h->type));
}

static int check_end(const char *path, struct htmt__volume_byte_stream *stream,
                     const struct htmt__volume_header *h, struct htmt_fault *fault)
{
    uint64_t rest = 0;
    int rc = htmt__volume_byte_stream_finish(stream, &rest, fault);
    if (rc || !rest || h->loose)
        return rc;
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "%s: too long: found %" PRIu64 " bytes behind the voxels, expected none "
                          "(%" PRId64 " x %" PRId64 " x %" PRId64 " x %zu)",
                          path, rest, h->dims[0], h->dims[1], h->dims[2],
                          htmt__volume_stored_bytes(h->type));
}

static int check_sides(const char *path, const struct htmt__volume_header *h, uint32_t dims[3],
                       struct htmt_fault *fault)
{
    for (int a = 0; a < 3; a++) {
        if (h->dims[a] < 2 || h->dims[a] > HTMT__VOLUME_SIDE_MOST)
            return htmt_fault_set(fault, HTMT_ERANGE,
                                  "%s: found dimensions %" PRId64 " x %" PRId64 " x %" PRId64
                                  ", expected 2 to %d a side",
                                  path, h->dims[0], h->dims[1], h->dims[2], HTMT__VOLUME_SIDE_MOST);
        dims[a] = (uint32_t)h->dims[a];
    }
    return 0;
}

static int create(const char *path, const struct htmt__volume_header *h, const uint32_t dims[3],
                  struct htmt__volume *v, struct htmt_fault *fault)
{
    struct htmt_fault why = {0};
    int rc = htmt__volume_create(v, dims, htmt__volume_stored_held(h->type), &why);
    if (rc)
        return htmt_fault_set(fault, rc, "%s: %s", path, why.text);
    v->slope = h->slope;
    v->intercept = h->intercept;
    memcpy(v->spacing, h->spacing, sizeof v->spacing);
    v->source = h->source;
    v->source.stored = h->type;
    return 0;
}

static int take_kept(const char *path, struct htmt__volume_byte_stream *stream,
                     const struct htmt__volume_header *h, struct htmt__volume *v,
                     struct htmt_fault *fault)
{
    uint64_t count = htmt__volume_voxels(v);
    size_t bytes = htmt__volume_stored_bytes(h->type);
    int rc = htmt__volume_byte_stream_take(stream, v->at, count * bytes, "voxels", fault);
    if (!rc && is_swapped(h))
        swap_bytes(v->at, bytes, count);
    return rc ? rc : check_finite(path, v, fault);
}

static int take_converted(const char *path, struct htmt__volume_byte_stream *stream,
                          const struct htmt__volume_header *h, struct htmt__volume *v,
                          struct htmt_fault *fault)
{
    double piece[512];
    uint64_t count = htmt__volume_voxels(v), most;
    size_t bytes = htmt__volume_stored_bytes(h->type), held = htmt__volume_voxel_bytes(v->type);
    for (uint64_t n = 0; n < count; n += most) {
        most = count - n < 512 ? count - n : 512;
        int rc = htmt__volume_byte_stream_take(stream, piece, most * bytes, "voxels", fault);
        if (rc)
            return rc;
        if (is_swapped(h))
            swap_bytes(piece, bytes, most);
        size_t good = htmt__volume_stored_convert(piece, h->type, most, (char *)v->at + n * held,
                                                  &v->source.rounding);
        if (good < most)
            return refuse_voxel(path, v, n + good, piece[good], "numbers that float32 can hold",
                                fault);
    }
    return check_finite(path, v, fault);
}

static int take_voxels(const char *path, struct htmt__volume_byte_stream *stream,
                       const struct htmt__volume_header *h, struct htmt__volume *v,
                       struct htmt_fault *fault)
{
    uint64_t bytes = htmt__volume_voxels(v) * htmt__volume_stored_bytes(h->type);
    uint64_t skip = h->from_end ? htmt__volume_byte_stream_most(stream) - bytes : h->skip;
    int rc = htmt__volume_byte_stream_skip(stream, skip, "what precedes the voxels", fault);
    if (!rc)
        rc = htmt__volume_stored_kept(h->type) ? take_kept(path, stream, h, v, fault)
                                               : take_converted(path, stream, h, v, fault);
    return rc ? rc : check_end(path, stream, h, fault);
}

static int load(const char *path, const struct htmt__volume_header *h, struct htmt__volume *v,
                struct htmt_fault *fault)
{
    const char *data = h->data ? h->data : path;
    struct htmt__volume_byte_stream *stream = NULL;
    struct htmt__volume made = {.at = NULL};
    uint32_t dims[3];
    int rc = check_sides(path, h, dims, fault);
    if (!rc)
        rc = htmt__volume_byte_stream_open(data, h->offset, h->coding, &stream, fault);
    if (!rc)
        rc = check_length(
            data, stream, h,
            (uint64_t)dims[0] * dims[1] * dims[2] * htmt__volume_stored_bytes(h->type), fault);
    if (!rc)
        rc = create(path, h, dims, &made, fault);
    if (!rc)
        rc = take_voxels(data, stream, h, &made, fault);
    htmt__volume_byte_stream_close(&stream);
    if (rc)
        htmt__volume_destroy(&made);
    else
        *v = made;
    return rc;
}

/* ---- headers -------------------------------------------------------------------------------- */

static int header_of_raw(const struct htmt__volume_raw *raw, struct htmt__volume_header *h)
{
    *h = (struct htmt__volume_header){.type = raw->type,
                                      .big_endian = raw->big_endian,
                                      .slope = 1,
                                      .spacing = {1, 1, 1},
                                      .coding = HTMT__PLAIN_OR_GZIP};
    for (int a = 0; a < 3; a++)
        h->dims[a] = raw->dims[a] > INT64_MAX ? INT64_MAX : (int64_t)raw->dims[a];
    return 0;
}

static int is_nrrd(const char *path, bool *nrrd, struct htmt_fault *fault)
{
    char start[sizeof HTMT__NRRD_MAGIC - 1] = {0};
    struct htmt__volume_byte_stream *stream = NULL;
    int rc = htmt__volume_byte_stream_open(path, 0, HTMT__PLAIN, &stream, fault);
    if (!rc && htmt__volume_byte_stream_most(stream) >= sizeof start)
        rc = htmt__volume_byte_stream_take(stream, start, sizeof start, "the header", fault);
    htmt__volume_byte_stream_close(&stream);
    *nrrd = !memcmp(start, HTMT__NRRD_MAGIC, sizeof start);
    return rc;
}

static int header_of_file(const char *path, struct htmt__volume_header *h, struct htmt_fault *fault)
{
    bool nrrd = false;
    int rc = is_nrrd(path, &nrrd, fault);
    if (rc)
        return rc;
    return nrrd ? htmt__volume_header_nrrd(path, h, fault)
                : htmt__volume_header_nifti(path, h, fault);
}

int htmt__volume_read(const char *path, const struct htmt__volume_raw *raw, struct htmt__volume *v,
                      struct htmt_fault *fault)
{
    struct htmt__volume_header h = {.data = NULL};
    int rc = raw ? header_of_raw(raw, &h) : header_of_file(path, &h, fault);
    if (!rc)
        rc = load(path, &h, v, fault);
    free(h.data);
    return rc;
}
