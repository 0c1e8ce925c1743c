/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading volumes, plane by plane.
 *
 * A header of any kind (NIfTI, NRRD, or what the user says of raw bytes) becomes the same struct:
 * where the voxels begin, their type, and what they mean. Before any memory is allocated, the
 * length of the file is compared with what the header promises. Then planes of z come in order, so
 * that a process of several needs the whole volume at no time; all of a volume is all of its
 * planes. Types that are not kept are converted in pieces while they are read.
 */
#include "apps/volume/io/volume_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct htmt__volume_planes {
    struct htmt__volume volume; /* with voxels: planes are copies */
    char *path;                 /* NULL: of no file */
    struct htmt__volume_header header;
    struct htmt__volume_byte_stream *stream;
    uint32_t taken; /* planes */
};

/* The file of the voxels. */
static const char *data_of(const struct htmt__volume_planes *p)
{
    return p->header.data ? p->header.data : p->path;
}

static uint64_t plane_of(const struct htmt__volume *v)
{
    return (uint64_t)v->dims[0] * v->dims[1];
}

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

static int take_converted(struct htmt__volume_planes *p, uint64_t first, uint64_t count, void *to,
                          struct htmt_fault *fault)
{
    const struct htmt__volume_header *h = &p->header;
    double piece[512];
    uint64_t most;
    size_t bytes = htmt__volume_stored_bytes(h->type);
    size_t held = htmt__volume_voxel_bytes(p->volume.type);
    for (uint64_t n = 0; n < count; n += most) {
        most = count - n < 512 ? count - n : 512;
        int rc = htmt__volume_byte_stream_take(p->stream, piece, most * bytes, "voxels", fault);
        if (rc)
            return rc;
        if (is_swapped(h))
            swap_bytes(piece, bytes, most);
        size_t good = htmt__volume_stored_convert(piece, h->type, most, (char *)to + n * held,
                                                  &p->volume.source.rounding);
        if (good < most)
            return refuse_voxel(data_of(p), &p->volume, first + n + good, piece[good],
                                "numbers that float32 can hold", fault);
    }
    return 0;
}

/* The next planes of a file. */
static int take_stream(struct htmt__volume_planes *p, uint32_t count, void *to,
                       struct htmt_fault *fault)
{
    const struct htmt__volume_header *h = &p->header;
    const size_t bytes = htmt__volume_stored_bytes(h->type);
    const uint64_t first = p->taken * plane_of(&p->volume), voxels = count * plane_of(&p->volume);
    int rc = 0;
    if (!p->taken) {
        uint64_t most = htmt__volume_byte_stream_most(p->stream);
        uint64_t before = h->from_end ? most - htmt__volume_voxels(&p->volume) * bytes : h->skip;
        rc = htmt__volume_byte_stream_skip(p->stream, before, "what precedes the voxels", fault);
    }
    if (!rc && !htmt__volume_stored_kept(h->type))
        rc = take_converted(p, first, voxels, to, fault);
    else if (!rc)
        rc = htmt__volume_byte_stream_take(p->stream, to, voxels * bytes, "voxels", fault);
    if (!rc && htmt__volume_stored_kept(h->type) && is_swapped(h))
        swap_bytes(to, bytes, voxels);
    for (uint64_t n = 0; !rc && p->volume.type == HTMT__FLOAT32 && n < voxels; n++)
        if (!isfinite(((const float *)to)[n]))
            rc = refuse_voxel(data_of(p), &p->volume, first + n, (double)((const float *)to)[n],
                              "finite numbers", fault);
    return rc;
}

int htmt__volume_planes_take(struct htmt__volume_planes *p, uint32_t count, void *to,
                             struct htmt_fault *fault)
{
    const struct htmt__volume *v = &p->volume;
    const uint64_t bytes = plane_of(v) * htmt__volume_voxel_bytes(v->type);
    int rc = 0;
    if (count > v->dims[2] - p->taken)
        return htmt_fault_set(fault, HTMT_EINVAL, "found %u planes more, expected at most %u",
                              count, v->dims[2] - p->taken);
    if (p->stream)
        rc = take_stream(p, count, to, fault);
    else if (v->at)
        memcpy(to, (const char *)v->at + p->taken * bytes, count * bytes);
    else
        htmt__volume_phantom_planes(v->dims[0], p->taken, count, to);
    p->taken += count;
    return rc;
}

int htmt__volume_planes_end(struct htmt__volume_planes *p, struct htmt_fault *fault)
{
    const struct htmt__volume_header *h = &p->header;
    uint64_t rest = 0;
    int rc = p->stream ? htmt__volume_byte_stream_finish(p->stream, &rest, fault) : 0;
    if (rc || !rest || h->loose)
        return rc;
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "%s: too long: found %" PRIu64 " bytes behind the voxels, expected none "
                          "(%" PRId64 " x %" PRId64 " x %" PRId64 " x %zu)",
                          data_of(p), rest, h->dims[0], h->dims[1], h->dims[2],
                          htmt__volume_stored_bytes(h->type));
}

/* ---- life ----------------------------------------------------------------------------------- */

/* Raw bytes have no header; NRRD is recognized by its first bytes; all else should be NIfTI. */
static int read_header(const char *path, const struct htmt__volume_raw *raw,
                       struct htmt__volume_header *h, struct htmt_fault *fault)
{
    char start[sizeof HTMT__NRRD_MAGIC - 1] = {0};
    struct htmt__volume_byte_stream *stream = NULL;
    if (raw) {
        *h = (struct htmt__volume_header){.type = raw->type,
                                          .big_endian = raw->big_endian,
                                          .slope = 1,
                                          .spacing = {1, 1, 1},
                                          .coding = HTMT__PLAIN_OR_GZIP};
        for (int a = 0; a < 3; a++)
            h->dims[a] = raw->dims[a] > INT64_MAX ? INT64_MAX : (int64_t)raw->dims[a];
        return 0;
    }
    int rc = htmt__volume_byte_stream_open(path, 0, HTMT__PLAIN, &stream, fault);
    if (!rc && htmt__volume_byte_stream_most(stream) >= sizeof start)
        rc = htmt__volume_byte_stream_take(stream, start, sizeof start, "the header", fault);
    htmt__volume_byte_stream_close(&stream);
    if (rc)
        return rc;
    return memcmp(start, HTMT__NRRD_MAGIC, sizeof start) ? htmt__volume_header_nifti(path, h, fault)
                                                         : htmt__volume_header_nrrd(path, h, fault);
}

static int open_file(struct htmt__volume_planes *p, const struct htmt__volume_raw *raw,
                     struct htmt_fault *fault)
{
    struct htmt__volume_header *h = &p->header;
    struct htmt__volume *v = &p->volume;
    int rc = read_header(p->path, raw, h, fault);
    for (int a = 0; a < 3 && !rc; a++) {
        v->dims[a] = (uint32_t)h->dims[a];
        if (h->dims[a] < 2 || h->dims[a] > HTMT__VOLUME_SIDE_MOST)
            rc =
                htmt_fault_set(fault, HTMT_ERANGE,
                               "%s: found dimensions %" PRId64 " x %" PRId64 " x %" PRId64
                               ", expected 2 to %d a side",
                               p->path, h->dims[0], h->dims[1], h->dims[2], HTMT__VOLUME_SIDE_MOST);
    }
    if (!rc)
        rc = htmt__volume_byte_stream_open(data_of(p), h->offset, h->coding, &p->stream, fault);
    if (rc)
        return rc;
    /* Before any memory is allocated, so that a header that promises too much costs nothing. */
    uint64_t bytes = htmt__volume_voxels(v) * htmt__volume_stored_bytes(h->type);
    uint64_t most = htmt__volume_byte_stream_most(p->stream);
    uint64_t voxels = most > h->skip ? most - h->skip : 0;
    if (voxels < bytes)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: truncated: found at most %" PRIu64
                              " bytes of voxels, expected %" PRIu64 " (%" PRId64 " x %" PRId64
                              " x %" PRId64 " x %zu)",
                              data_of(p), voxels, bytes, h->dims[0], h->dims[1], h->dims[2],
                              htmt__volume_stored_bytes(h->type));
    v->type = htmt__volume_stored_held(h->type);
    v->slope = h->slope;
    v->intercept = h->intercept;
    memcpy(v->spacing, h->spacing, sizeof v->spacing);
    v->source = h->source;
    v->source.stored = h->type;
    return 0;
}

static struct htmt__volume_planes *create(const char *path)
{
    struct htmt__volume_planes *p = calloc(1, sizeof *p);
    if (p && path && !(p->path = strdup(path))) {
        free(p);
        p = NULL;
    }
    return p;
}

static int no_memory(struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to read a volume");
}

int htmt__volume_planes_open(const char *path, const struct htmt__volume_raw *raw,
                             struct htmt__volume_planes **out, struct htmt_fault *fault)
{
    struct htmt__volume_planes *p = create(path);
    if (!p)
        return no_memory(fault);
    int rc = open_file(p, raw, fault);
    if (rc)
        htmt__volume_planes_close(&p);
    else
        *out = p;
    return rc;
}

int htmt__volume_planes_phantom(uint32_t side, struct htmt__volume_planes **out,
                                struct htmt_fault *fault)
{
    const struct htmt__volume v = {
        .dims = {side, side, side}, .type = HTMT__UINT8, .slope = 1, .spacing = {1, 1, 1}};
    int rc = htmt__volume_check_sides(v.dims, fault);
    struct htmt__volume_planes *p = rc ? NULL : create(NULL);
    if (!p)
        return rc ? rc : no_memory(fault);
    p->volume = v;
    *out = p;
    return 0;
}

int htmt__volume_planes_of(struct htmt__volume *v, struct htmt__volume_planes **out,
                           struct htmt_fault *fault)
{
    struct htmt__volume_planes *p = create(NULL);
    if (!p)
        return no_memory(fault);
    p->volume = *v;
    v->at = NULL;
    *out = p;
    return 0;
}

const struct htmt__volume *htmt__volume_planes_volume(const struct htmt__volume_planes *p)
{
    return &p->volume;
}

void htmt__volume_planes_close(struct htmt__volume_planes **planes)
{
    struct htmt__volume_planes *p = *planes;
    *planes = NULL;
    if (!p)
        return;
    htmt__volume_byte_stream_close(&p->stream);
    htmt__volume_destroy(&p->volume);
    free(p->header.data);
    free(p->path);
    free(p);
}

/* ---- all of a volume ------------------------------------------------------------------------ */

int htmt__volume_read(const char *path, const struct htmt__volume_raw *raw, struct htmt__volume *v,
                      struct htmt_fault *fault)
{
    struct htmt__volume_planes *planes = NULL;
    struct htmt__volume made = {.at = NULL};
    struct htmt_fault why = {0};
    int rc = htmt__volume_planes_open(path, raw, &planes, fault);
    if (!rc)
        rc = htmt__volume_create(&made, planes->volume.dims, planes->volume.type, &why);
    if (why.code)
        htmt_fault_set(fault, rc, "%s: %s", path, why.text);
    if (!rc)
        rc = htmt__volume_planes_take(planes, made.dims[2], made.at, fault);
    if (!rc)
        rc = htmt__volume_planes_end(planes, fault);
    if (!rc) {
        void *at = made.at;
        made = planes->volume; /* with what rounding did */
        made.at = at;
    }
    htmt__volume_planes_close(&planes);
    if (rc)
        htmt__volume_destroy(&made);
    else
        *v = made;
    return rc;
}
