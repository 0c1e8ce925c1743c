/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: deflates the blocks of a trace, one at a time, and its footer. The same bytes
 * become the same bytes, whatever was deflated before.
 */
#ifndef HTMT_PARCELS_OBSERVE_RECORD_PACKER_H
#define HTMT_PARCELS_OBSERVE_RECORD_PACKER_H

#include <stddef.h>
#include <stdint.h>

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

#endif
