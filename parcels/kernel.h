/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a kernel may call, on the host thread that runs it and on threads that it starts and joins
 * (one at a time may count). It calls nothing of the other headers but htmt_at(), htmt_in() and
 * htmt_object_size().
 *
 * A pointer to what the kernel does not have (a region or use beyond its last, arguments or a
 * result of a type without) ends the run with HTMT_EINVAL; the kernel is given zeros that it may
 * write. A size is 0 then, so it can be asked first.
 */
#ifndef HTMT_PARCELS_KERNEL_H
#define HTMT_PARCELS_KERNEL_H

#include "parcels/parcel.h"

#ifdef __cplusplus
extern "C" {
#endif

void *htmt_bytes(const struct htmt_kernel *k, uint32_t region); /* NULL: the region is empty */
uint64_t htmt_size(const struct htmt_kernel *k, uint32_t region);
void *htmt_used(const struct htmt_kernel *k, uint32_t use); /* in the order of htmt_use() */
uint64_t htmt_used_size(const struct htmt_kernel *k, uint32_t use);
const void *htmt_kernel_args(const struct htmt_kernel *k); /* a copy, which it may only read */
/* As the type gave it, which may be NULL. Kernels of other threads may read what it points to at
 * the same time, so none writes it. */
const void *htmt_kernel_user(const struct htmt_kernel *k);
uint32_t htmt_kernel_slice(const struct htmt_kernel *k);
uint32_t htmt_kernel_fiber(const struct htmt_kernel *k);
uint32_t htmt_kernel_part(const struct htmt_kernel *k); /* from 0 */
void *htmt_kernel_result(struct htmt_kernel *k); /* type->result_bytes of the parcel, shared by its
                                                    kernels; cleared when it was assembled */
/* What it did. With a cost function the two must agree, or the run ends with HTMT_ECOST; a kernel
 * that counts nothing leaves it to the cost function. Errors: HTMT_EINVAL (no such class),
 * HTMT_EOVERFLOW (the sum passes 2^64 - 1). */
void htmt_count(struct htmt_kernel *k, enum htmt_op op, uint64_t n);

/* Constants of the program that the kernel reads beside its closure: parameters, tables. They lie
 * beside the code, so nobody moves or charges them. A kernel that is timed by its own operations
 * (htmt_options.operations) says so before it reads them; else the call does nothing. */
void htmt_constants(struct htmt_kernel *k, const void *at, uint64_t bytes);

/* The kernel cannot go on: the run ends with this error and this line, which says type, slice and
 * stage. The kernel may return at once: what it wrote and counted does not matter.
 * The kernel fails at its virtual start, whenever it runs on the host. If several errors would end
 * the run, the earliest one in virtual order is reported (of slices that are played one by one, in
 * the order of play); of one kernel, the first call in the lowest part. A kernel whose turn never
 * comes does not fail the run. Code and line of such a run are determined, its times and events are
 * not. `code`: of runtime/base/error.h, not 0 (HTMT_EINVAL). `format` NULL: the code's own message.
 * Returns the code. */
int htmt_kernel_fail(struct htmt_kernel *k, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* HTMT_CLONES(TARGETS...) before a function that kernels call: a copy for each target ("avx2",
 * "default"), of which the loader picks the best that the processor can run. Plain code in builds
 * with a sanitizer, which cannot start before that choice, and by Clang, whose clones other files
 * cannot call. HTMT_HAS_CLONES tells which. */
#if defined __x86_64__ && !defined __clang__ && !defined __SANITIZE_ADDRESS__ &&                   \
    !defined __SANITIZE_THREAD__
#define HTMT_HAS_CLONES  1
#define HTMT_CLONES(...) __attribute__((target_clones(__VA_ARGS__)))
#else
#define HTMT_HAS_CLONES 0
#define HTMT_CLONES(...)
#endif

#ifdef __cplusplus
}
#endif

#endif
