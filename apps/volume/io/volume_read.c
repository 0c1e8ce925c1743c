/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading a volume of any kind: find its header, then its voxels.
 */
#include "apps/volume/io/volume_file.h"

#include <stdlib.h>
#include <string.h>

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

int htmt__volume_header_read(const char *path, const struct htmt__volume_raw *raw,
                             struct htmt__volume_header *h, struct htmt_fault *fault)
{
    return raw ? header_of_raw(raw, h) : header_of_file(path, h, fault);
}

/* ---- whole ---------------------------------------------------------------------------------- */

static int create(const char *path, const struct htmt__volume *like, struct htmt__volume *v,
                  struct htmt_fault *fault)
{
    struct htmt_fault why = {0};
    int rc = htmt__volume_create(v, like->dims, like->type, &why);
    return rc ? htmt_fault_set(fault, rc, "%s: %s", path, why.text) : 0;
}

static int take_all(struct htmt__volume_planes *planes, struct htmt__volume *v,
                    struct htmt_fault *fault)
{
    void *at = v->at;
    int rc = htmt__volume_planes_take(planes, v->dims[2], at, fault);
    if (!rc)
        rc = htmt__volume_planes_end(planes, fault);
    *v = *htmt__volume_planes_volume(planes);
    v->at = at;
    return rc;
}

int htmt__volume_read(const char *path, const struct htmt__volume_raw *raw, struct htmt__volume *v,
                      struct htmt_fault *fault)
{
    struct htmt__volume_planes *planes = NULL;
    struct htmt__volume made = {.at = NULL};
    int rc = htmt__volume_planes_open(path, raw, &planes, fault);
    if (!rc)
        rc = create(path, htmt__volume_planes_volume(planes), &made, fault);
    if (!rc)
        rc = take_all(planes, &made, fault);
    htmt__volume_planes_close(&planes);
    if (rc)
        htmt__volume_destroy(&made);
    else
        *v = made;
    return rc;
}
