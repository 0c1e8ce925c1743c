/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A byte stream: the bytes of a file in order, plain or unpacked from gzip.
 */
#ifndef HTMT_APPS_VOLUME_BYTE_STREAM_H
#define HTMT_APPS_VOLUME_BYTE_STREAM_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct htmt__source;

enum htmt__coding { HTMT__PLAIN, HTMT__GZIP, HTMT__PLAIN_OR_GZIP /* decided by the first bytes */ };

/* Open the file at byte `offset`. `path` must outlive the stream. Errors: HTMT_ENOENT, HTMT_EFORMAT
 * (not a regular file; not gzip where gzip is required), HTMT_EIO, HTMT_ENOMEM. */
int htmt__source_open(const char *path, uint64_t offset, enum htmt__coding coding,
                      struct htmt__source **source, struct htmt_fault *fault);
/* NULL accepted. */
void htmt__source_close(struct htmt__source **source);

/* An upper bound of the bytes that can come, for any compression. */
uint64_t htmt__source_most(const struct htmt__source *source);

/* Read exactly `count` bytes of `what`. Errors: HTMT_EFORMAT (truncated, or corrupt gzip),
 * HTMT_EIO. */
int htmt__source_take(struct htmt__source *source, void *bytes, uint64_t count, const char *what,
                      struct htmt_fault *fault);
/* Read and discard `count` bytes. Errors: as above. */
int htmt__source_skip(struct htmt__source *source, uint64_t count, const char *what,
                      struct htmt_fault *fault);

/* Read to the end, so that gzip's check sum is tested. *rest: the number of these bytes. */
int htmt__source_finish(struct htmt__source *source, uint64_t *rest, struct htmt_fault *fault);

#endif
