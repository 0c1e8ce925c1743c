/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the file of a trace: blocks, each deflated, an index of them, a footer.
 */
#ifndef HTMT_PARCELS_OBSERVE_RECORD_FILE_H
#define HTMT_PARCELS_OBSERVE_RECORD_FILE_H

#include "parcels/observe/record_packer.h"
#include "runtime/base/error.h"
#include "runtime/base/ratio.h"

#include <stddef.h>
#include <stdint.h>

struct htmt__record_file;

/* What the index tells of a block beside its place. */
struct htmt__record_entry {
    uint32_t slice, intervals, samples;
    uint64_t first; /* number */
    htmt_time from, to;
};

/* Of that version of the format. Blocks have at most `most` bytes. Errors: those of
 * htmt_whole_file_open(), and HTMT_ENOMEM. */
int htmt__record_file_open(struct htmt__record_file **file, const char *path, uint8_t version,
                           size_t most, struct htmt_fault *fault);
/* For blocks that are packed one after another. */
struct htmt__record_packer *htmt__record_file_packer(const struct htmt__record_file *f);
/* The next block. Errors: HTMT_EIO, HTMT_ENOMEM. */
int htmt__record_file_add(struct htmt__record_file *f, struct htmt__record_entry entry,
                          const struct htmt__record_packed *packed, struct htmt_fault *fault);
/* Behind the last block: bytes of which the footer tells. Errors: HTMT_EIO. */
int htmt__record_file_append(struct htmt__record_file *f, const void *bytes, size_t count,
                             struct htmt_fault *fault);
/* Bytes so far. */
uint64_t htmt__record_file_size(const struct htmt__record_file *f);
uint64_t htmt__record_file_intervals(const struct htmt__record_file *f);
/* The file is in its place; clears *file whatever comes of it. Errors: as above. */
int htmt__record_file_commit(struct htmt__record_file **file, const char *footer,
                             struct htmt_fault *fault);
/* There is no file; clears *file; NULL accepted. */
void htmt__record_file_abandon(struct htmt__record_file **file);

#endif
