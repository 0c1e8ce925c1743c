/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the file of a trace: blocks, each deflated, an index of them, a footer.
 */
#ifndef HTMT_PARCELS_OBSERVE_RECORD_FILE_H
#define HTMT_PARCELS_OBSERVE_RECORD_FILE_H

#include "runtime/base/error.h"
#include "runtime/base/ratio.h"

#include <stddef.h>
#include <stdint.h>

/* ---- a packer deflates one block at a time ----------------------------------------------------
 */

/* The same bytes become the same bytes, whatever was deflated before. */
struct htmt__record_packer;

struct htmt__record_packed {
    uint8_t *at;
    size_t bytes, raw_bytes;
    uint32_t crc; /* of these bytes, as the file has it */
};

/* Of blocks of at most so many bytes. Errors: HTMT_ENOMEM. */
int htmt__record_packer_create(struct htmt__record_packer **packer, size_t most);
void htmt__record_packer_destroy(struct htmt__record_packer **packer); /* NULL accepted */

/* Where a block is to be laid. */
uint8_t *htmt__record_packer_buffer(struct htmt__record_packer *p);
/* The block that was laid there; valid until the next call. */
struct htmt__record_packed htmt__record_pack(struct htmt__record_packer *p, size_t bytes);
/* Other bytes, into room for htmt__record_packed_most() of them. */
size_t htmt__record_pack_bytes(struct htmt__record_packer *p, const void *from, size_t bytes,
                               uint8_t *into);
size_t htmt__record_packed_most(size_t bytes);
uint32_t htmt__record_crc(const void *bytes, size_t count);

/* ---- the file -------------------------------------------------------------------------------- */

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
