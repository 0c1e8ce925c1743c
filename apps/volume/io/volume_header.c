/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The header of a volume of any kind.
 */
#include "apps/volume/io/volume_file.h"

#include <string.h>

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
