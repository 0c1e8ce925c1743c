/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The shared data of the readers of volume files. A header gives the place and the meaning of the
 * voxels.
 */
#ifndef HTMT_APPS_VOLUME_IO_VOLUME_FILE_H
#define HTMT_APPS_VOLUME_IO_VOLUME_FILE_H

#include "apps/volume/io/volume.h"

/* ---- bytes of a file in order, as they are or out of gzip ------------------------------------ */

struct htmt__volume_byte_stream;

enum htmt__volume_coding {
    HTMT__PLAIN,
    HTMT__GZIP,
    HTMT__PLAIN_OR_GZIP /* recognized by the first bytes */
};

/* From that byte of the file on. `path` must outlive the stream. Errors: HTMT_ENOENT, HTMT_EFORMAT
 * (no regular file; no gzip where it must be), HTMT_EIO, HTMT_ENOMEM. */
int htmt__volume_byte_stream_open(const char *path, uint64_t offset,
                                  enum htmt__volume_coding coding,
                                  struct htmt__volume_byte_stream **stream,
                                  struct htmt_fault *fault);
/* NULL accepted. */
void htmt__volume_byte_stream_close(struct htmt__volume_byte_stream **stream);

/* Whether it unpacks gzip. */
bool htmt__volume_byte_stream_packed(const struct htmt__volume_byte_stream *stream);

/* No more bytes than that can come, however well they are packed. */
uint64_t htmt__volume_byte_stream_most(const struct htmt__volume_byte_stream *stream);

/* Exactly so many bytes of `what`, or HTMT_EFORMAT: truncated, or corrupt gzip. HTMT_EIO. */
int htmt__volume_byte_stream_take(struct htmt__volume_byte_stream *stream, void *bytes,
                                  uint64_t count, const char *what, struct htmt_fault *fault);
/* The same, thrown away. */
int htmt__volume_byte_stream_skip(struct htmt__volume_byte_stream *stream, uint64_t count,
                                  const char *what, struct htmt_fault *fault);

/* Read to the end, so that gzip's check sum is tested. *rest: how many bytes that were. */
int htmt__volume_byte_stream_finish(struct htmt__volume_byte_stream *stream, uint64_t *rest,
                                    struct htmt_fault *fault);

/* ---- headers --------------------------------------------------------------------------------- */

#define HTMT__NRRD_MAGIC "NRRD000"

struct htmt__volume_header {
    int64_t dims[3]; /* as written: not yet checked */
    enum htmt__volume_stored type;
    bool big_endian;
    double slope, intercept, spacing[3];
    struct htmt__volume_source source; /* but for `stored` and `rounding` */
    char *data;                        /* path of the voxels; NULL: the file itself. To be freed. */
    uint64_t offset;                   /* of what `coding` speaks of... */
    enum htmt__volume_coding coding;
    uint64_t skip;  /* ...and of the voxels in it, unpacked */
    bool from_end;  /* the voxels are the file's last bytes */
    bool loose;     /* bytes may follow */
    int64_t frames; /* volumes one after another, of which one is read; 0 or 1: a single one */
};

/* Take the distance of grid points along an axis, if it is usable. */
void htmt__volume_header_space(struct htmt__volume_header *h, int axis, double distance);
/* Take the orientation: direction[a] is the step from voxel to voxel along axis a, to the right, to
 * the front and to the head. One that is not finite or singular stays unknown. */
void htmt__volume_header_orient(struct htmt__volume_header *h, double direction[3][3]);

/* Errors: HTMT_ERANGE. */
int htmt__volume_check_sides(const uint32_t dims[3], struct htmt_fault *fault);
/* Planes of z of the phantom, on so many threads. */
void htmt__volume_phantom_planes(uint32_t side, uint32_t first, uint32_t count, unsigned threads,
                                 uint8_t *at);

/* The header of a file; h->data is to be freed whatever comes of it. */
int htmt__volume_header_nifti(const char *path, struct htmt__volume_header *h,
                              struct htmt_fault *fault);
int htmt__volume_header_nrrd(const char *path, struct htmt__volume_header *h,
                             struct htmt_fault *fault);

#endif
