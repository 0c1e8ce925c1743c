/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A loop over the blocks of objects as parcels: one parcel for each block.
 */
#ifndef HTMT_PARCELS_BLOCKS_H
#define HTMT_PARCELS_BLOCKS_H

#include "parcels/control.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of an object that come in blocks; region i of each parcel is of blocked[i]. */
struct htmt_blocked {
    struct htmt_addr at; /* of block 0 */
    uint64_t bytes;      /* of all blocks; 0: up to the end of the object */
    uint64_t block;      /* bytes of a block, of which the last one may have fewer. 0: each parcel
                            has all bytes; then only HTMT_READ */
    uint64_t beyond;     /* HTMT_READ: so many bytes that follow its block come with each one, which
                            are not in `bytes` if that is given: rows that neighbours share */
    enum htmt_use use;   /* READ: comes in. WRITE: goes back. UPDATE: both */
    bool filled;         /* WRITE: the kernel writes all of it (struct htmt_region) */
};

struct htmt_blocks_desc {
    size_t size; /* htmt_blocks_desc_init(), or 0 */
    const struct htmt_type *type;
    const struct htmt_blocked *blocked;
    uint32_t blocked_count;
    const void *args;                                           /* of each parcel; NULL: zeros */
    void (*each)(void *args, uint32_t block, const void *user); /* changes them; may be NULL */
    const void *user;
    struct htmt_slot on_done; /* signalled at the end of each parcel's life */
};
static inline struct htmt_blocks_desc htmt_blocks_desc_init(void)
{
    struct htmt_blocks_desc d;
    memset(&d, 0, sizeof d);
    d.size = sizeof d;
    return d;
}

/* Assemble a parcel for each block, block 0 first, in the slice of the first object. All that has
 * blocks must have the same number of them, which is given in *count (may be NULL), as the number
 * of signals that on_done will get. A control may set that slot after the call. What is charged is
 * what htmt_assemble() of those parcels charges.
 * From: a control, or the host before the run with htmt_root(). Errors: those of htmt_assemble();
 * HTMT_EINVAL (no blocks, numbers that differ, arguments for a type without), HTMT_EOVERFLOW (more
 * than 2^32 - 1 blocks). */
int htmt_blocks(struct htmt_context *c, const struct htmt_blocks_desc *desc, uint32_t *count);
/* That number, for a slot that is declared with its type. Callable anywhere. 0: htmt_blocks() will
 * refuse it. */
uint32_t htmt_block_count(const struct htmt_blocks_desc *desc);

#ifdef __cplusplus
}
#endif

#endif
