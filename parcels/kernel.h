/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a kernel may call, on any host thread.
 */
#ifndef HTMT_PARCELS_KERNEL_H
#define HTMT_PARCELS_KERNEL_H

#include "parcels/parcel.h"

#ifdef __cplusplus
extern "C" {
#endif

void *htmt_bytes(const struct htmt_kernel *k, uint32_t region);
uint64_t htmt_size(const struct htmt_kernel *k, uint32_t region);
void *htmt_used(const struct htmt_kernel *k, uint32_t use); /* in the order of htmt_use() */
uint64_t htmt_used_size(const struct htmt_kernel *k, uint32_t use);
const void *htmt_kernel_args(const struct htmt_kernel *k); /* a copy, which it may only read */
uint32_t htmt_kernel_slice(const struct htmt_kernel *k);
uint32_t htmt_kernel_fiber(const struct htmt_kernel *k);
uint32_t htmt_kernel_part(const struct htmt_kernel *k); /* from 0 */
void *htmt_kernel_result(struct htmt_kernel *k); /* type->result_bytes of the parcel, shared by its
                                                    kernels; cleared when it was assembled */
/* What it did. With a cost function the two must agree, or the run ends with HTMT_ECOST; a kernel
 * that counts nothing leaves it to the cost function. */
void htmt_count(struct htmt_kernel *k, enum htmt_op op, uint64_t n);

#ifdef __cplusplus
}
#endif

#endif
