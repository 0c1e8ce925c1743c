/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bytes of a file in order, as they are or out of gzip.
 */
#ifndef HTMT_APPS_VOLUME_IO_BYTE_STREAM_H
#define HTMT_APPS_VOLUME_IO_BYTE_STREAM_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stdint.h>

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

#endif
