/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading volumes, plane by plane.
 *
 * A header of any kind (NIfTI, NRRD, or what the user says of raw bytes) becomes the same struct:
 * where the voxels begin, their type, and what they mean. Before any memory is allocated, the
 * length of the file is compared with what the header promises. Then planes of z come in order, so
 * that a process of several needs the whole volume at no time; all of a volume is all of its
 * planes. Types that are not kept are converted in pieces while they are read.
 *
 * NaN. Maps of statistics and resampled images have NaN where there is no value, outside the head
 * or the field of view. Such a voxel is empty: it becomes the least of all values, which the
 * functions show as nothing. The least value is known only when all planes have been read. A whole
 * volume is therefore read with its NaN, which are replaced afterwards. Whoever takes planes looks
 * through them once for the least value, and gives it to the second pass.
 */
#include "apps/volume/io/volume_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct htmt__volume_planes {
    struct htmt__volume volume; /* with voxels: planes are copies */
    char *path;                 /* NULL: of no file */
    struct htmt__volume_header header;
    struct htmt__volume_byte_stream *stream;
    uint32_t taken;  /* planes */
    float fill;      /* stands for NaN; NaN itself: it stays */
    uint64_t behind; /* bytes of the volumes of a series that follow */
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

/* A number as its file has it. */
static int refuse_voxel(const struct htmt__volume_planes *p, uint64_t n,
                        enum htmt__volume_stored type, const void *number, const char *expected,
                        struct htmt_fault *fault)
{
    const uint32_t *dims = p->volume.dims;
    char found[32];
    if (type == HTMT__STORED_INT64)
        snprintf(found, sizeof found, "%" PRId64, *(const int64_t *)number);
    else if (type == HTMT__STORED_UINT64)
        snprintf(found, sizeof found, "%" PRIu64, *(const uint64_t *)number);
    else
        snprintf(found, sizeof found, "%g",
                 type == HTMT__STORED_FLOAT64 ? *(const double *)number
                                              : (double)*(const float *)number);
    return htmt_fault_set(
        fault, HTMT_EFORMAT,
        "%s: found %s at voxel (%" PRIu64 ", %" PRIu64 ", %" PRIu64 "), expected %s", data_of(p),
        found, n % dims[0], n / dims[0] % dims[1], n / dims[0] / dims[1], expected);
}

/* Voxels of a type that is not kept come in pieces of 512, which fit the first cache: read, swapped
 * and converted there, they go through memory once. */
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
            return refuse_voxel(p, first + n + good, h->type, &piece[good],
                                h->type == HTMT__STORED_FLOAT64 ? "numbers that float32 can hold"
                                                                : "integers up to 2^53",
                                fault);
    }
    return 0;
}

/* Voxels that are the last bytes, with all volumes of a series: how many precede them. How much
 * comes of gzip only its end tells, so it is unpacked twice. */
static int find_start(const struct htmt__volume_planes *p, uint64_t *before,
                      struct htmt_fault *fault)
{
    const struct htmt__volume_header *h = &p->header;
    const uint64_t bytes =
        h->skip + p->behind + htmt__volume_voxels(&p->volume) * htmt__volume_stored_bytes(h->type);
    struct htmt__volume_byte_stream *whole = NULL;
    uint64_t all = htmt__volume_byte_stream_most(p->stream);
    int rc = 0;
    if (htmt__volume_byte_stream_packed(p->stream)) {
        rc = htmt__volume_byte_stream_open(data_of(p), h->offset, h->coding, &whole, fault);
        if (!rc)
            rc = htmt__volume_byte_stream_finish(whole, &all, fault);
        htmt__volume_byte_stream_close(&whole);
    }
    if (!rc && all < bytes)
        rc = htmt_fault_set(fault, HTMT_EFORMAT,
                            "%s: truncated: found %" PRIu64 " bytes of voxels, expected %" PRIu64,
                            data_of(p), all, bytes);
    *before = all - bytes + h->skip;
    return rc;
}

/* The next planes of a file. */
static int take_stream(struct htmt__volume_planes *p, uint32_t count, void *to,
                       struct htmt_fault *fault)
{
    const struct htmt__volume_header *h = &p->header;
    const size_t bytes = htmt__volume_stored_bytes(h->type);
    const uint64_t first = p->taken * plane_of(&p->volume), voxels = count * plane_of(&p->volume);
    float *real = p->volume.type == HTMT__FLOAT32 ? to : NULL;
    uint64_t before = h->skip;
    int rc = 0;
    if (!p->taken && h->from_end)
        rc = find_start(p, &before, fault);
    if (!rc && !p->taken)
        rc = htmt__volume_byte_stream_skip(p->stream, before, "what precedes the voxels", fault);
    if (!rc && !htmt__volume_stored_kept(h->type))
        rc = take_converted(p, first, voxels, to, fault);
    else if (!rc)
        rc = htmt__volume_byte_stream_take(p->stream, to, voxels * bytes, "voxels", fault);
    if (!rc && htmt__volume_stored_kept(h->type) && is_swapped(h))
        swap_bytes(to, bytes, voxels);
    for (uint64_t n = 0; !rc && real && n < voxels; n++) {
        if (isinf(real[n]))
            rc = refuse_voxel(p, first + n, HTMT__STORED_FLOAT32, &real[n], "finite numbers or NaN",
                              fault);
        if (!isnan(real[n]))
            continue;
        p->volume.source.empty++;
        real[n] = p->fill;
    }
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
        htmt__volume_phantom_planes(v->dims[0], p->taken, count, 1, to);
    p->taken += count;
    return rc;
}

int htmt__volume_planes_end(struct htmt__volume_planes *p, struct htmt_fault *fault)
{
    const struct htmt__volume_header *h = &p->header;
    uint64_t rest = 0;
    int rc = p->stream ? htmt__volume_byte_stream_finish(p->stream, &rest, fault) : 0;
    if (rc || rest == p->behind || h->loose)
        return rc;
    if (rest < p->behind)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: truncated: found %" PRIu64 " bytes of the volumes that follow, "
                              "expected %" PRIu64,
                              data_of(p), rest, p->behind);
    rest -= p->behind;
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

static int open_file(struct htmt__volume_planes *p, struct htmt__volume_choice choice,
                     struct htmt_fault *fault)
{
    struct htmt__volume_header *h = &p->header;
    struct htmt__volume *v = &p->volume;
    int rc = read_header(p->path, choice.raw, h, fault);
    const int64_t frames = h->frames > 1 ? h->frames : 1;
    if (!rc && frames > 1 && !choice.frame)
        rc = htmt_fault_set(fault, HTMT_EFORMAT,
                            "%s: found a series of %" PRId64
                            " volumes, expected one; --frame takes one of them, 0 to %" PRId64,
                            p->path, frames, frames - 1);
    else if (!rc && choice.frame && *choice.frame >= frames)
        rc = htmt_fault_set(fault, HTMT_ERANGE,
                            "--frame: found %u, expected at most %" PRId64 ", the last one of %s",
                            *choice.frame, frames - 1, p->path);
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
    uint64_t before = 0; /* of the series; one that no file can hold is truncated */
    const uint64_t number = choice.frame ? *choice.frame : 0;
    if (__builtin_mul_overflow(bytes, number, &before) ||
        __builtin_add_overflow(h->skip, before, &h->skip) ||
        __builtin_mul_overflow(bytes, (uint64_t)frames - number, &p->behind) ||
        __builtin_add_overflow(h->skip, p->behind, &before))
        h->skip = UINT64_MAX;
    p->behind -= bytes;
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
    if (p)
        p->fill = NAN;
    return p;
}

static int no_memory(struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to read a volume");
}

int htmt__volume_planes_open(const char *path, struct htmt__volume_choice choice,
                             struct htmt__volume_planes **out, struct htmt_fault *fault)
{
    struct htmt__volume_planes *p = create(path);
    if (!p)
        return no_memory(fault);
    int rc = open_file(p, choice, fault);
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

void htmt__volume_planes_fill(struct htmt__volume_planes *p, float stored)
{
    p->fill = stored;
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

int htmt__volume_read(const char *path, struct htmt__volume_choice choice, struct htmt__volume *v,
                      struct htmt_fault *fault)
{
    struct htmt__volume_planes *planes = NULL;
    struct htmt__volume made = {.at = NULL};
    struct htmt_fault why = {0};
    float stored[2];
    int rc = htmt__volume_planes_open(path, choice, &planes, fault);
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
    if (!rc && made.source.empty) {
        float *real = made.at; /* no other type has NaN */
        if (!htmt__volume_extremes(&made, stored))
            rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s: found NaN in every voxel", path);
        for (uint64_t n = 0; n < htmt__volume_voxels(&made) && !rc; n++)
            if (isnan(real[n]))
                real[n] = htmt__volume_least(&made, stored);
    }
    htmt__volume_planes_close(&planes);
    if (rc)
        htmt__volume_destroy(&made);
    else
        *v = made;
    return rc;
}
