/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Annotations: a kernel says, one by one, which operations it does, for machines that no compiler
 * here writes code for (docs/nodes.md). The calls follow the control flow of the kernel, beside the
 * statements that compute:
 *
 *     for (uint64_t i = 0; i < n; i++) {
 *         htmt_at_code(k, 0, 8);
 *         htmt_touch(k, HTMT_LOAD, HTMT_F64, 0, 8 * i);
 *         htmt_touch(k, HTMT_LOAD, HTMT_F64, 1, 8 * i);
 *         htmt_op(k, HTMT_MUL, HTMT_F64);
 *         htmt_op(k, HTMT_ADD, HTMT_F64);
 *         sum += x[i] * y[i];
 *         htmt_branch(k, 7, i + 1 < n);
 *     }
 *
 * The same source compiles for execution and for a tape. A file that defines HTMT_ANNOTATED before
 * it includes anything is compiled for a tape; in any other the calls are empty and cost nothing.
 * An annotated kernel writes while `htmt run --timing operations` records it, and computes in every
 * run.
 */
#ifndef HTMT_PARCELS_OPERATION_H
#define HTMT_PARCELS_OPERATION_H

#include "parcels/kernel.h"
#include "runtime/base/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a variable of the kernel is: in a register, in a slot of 8 bytes of the stack, or in a slot
 * of the arguments. The kernel may write `where` and `slot` at any time, as a compiler that gives a
 * register to another variable would. */
enum htmt_place { HTMT_REGISTER, HTMT_STACK, HTMT_ARGUMENT };

struct htmt_variable {
    enum htmt_place where;
    uint32_t slot; /* number of the register or slot */
    enum htmt_type_of_operand type;
};

/* What the calls below do in a file for a tape. A kernel that is not recorded writes nothing. */
void htmt_annotate_op(struct htmt_kernel *k, enum htmt_operation operation,
                      enum htmt_type_of_operand type, uint64_t count);
void htmt_annotate_touch(struct htmt_kernel *k, enum htmt_op access, enum htmt_type_of_operand type,
                         uint32_t region, uint64_t offset);
void htmt_annotate_code(struct htmt_kernel *k, uint32_t label, unsigned instructions);
void htmt_annotate_branch(struct htmt_kernel *k, uint32_t label, bool taken);
void htmt_annotate_variable(struct htmt_kernel *k, enum htmt_op access,
                            const struct htmt_variable *variable);

#ifdef HTMT_ANNOTATED
#define HTMT_ANNOTATE(call) call
#else
#define HTMT_ANNOTATE(call) (void)0
#endif

/* One operation, or `count`, on registers. Loads and stores are touches. */
#define htmt_op(k, operation, type) HTMT_ANNOTATE(htmt_annotate_op(k, operation, type, 1))
#define htmt_op_times(k, operation, type, count)                                                   \
    HTMT_ANNOTATE(htmt_annotate_op(k, operation, type, count))

/* A load (HTMT_LOAD) or store (HTMT_STORE) of a value of this type, at an offset in bytes of a
 * region; uses follow the regions in their numbers. Beyond its end the run ends with HTMT_EBOUNDS.
 */
#define htmt_touch(k, access, type, region, offset)                                                \
    HTMT_ANNOTATE(htmt_annotate_touch(k, access, type, region, offset))

/* The processor fetches so many instructions (at most 255) of four bytes, from number `label` of
 * the kernel's own on. */
#define htmt_at_code(k, label, instructions)                                                       \
    HTMT_ANNOTATE(htmt_annotate_code(k, label, instructions))
/* The instruction `label` is a branch, and was taken or not. */
#define htmt_branch(k, label, taken) HTMT_ANNOTATE(htmt_annotate_branch(k, label, taken))

/* A variable is read or written. In a register that is free; in a slot of the stack or of the
 * arguments it is a load or a store there. A target of loads and stores computes on registers
 * alone: each operand that is not in one is read before the operation, and a result that is not is
 * written behind it. */
#define htmt_get(k, variable) HTMT_ANNOTATE(htmt_annotate_variable(k, HTMT_LOAD, variable))
#define htmt_set(k, variable) HTMT_ANNOTATE(htmt_annotate_variable(k, HTMT_STORE, variable))

#ifdef HTMT_ANNOTATED
/* `result` = `a` operation `b`, of variables, by those rules; `b` NULL: of one operand. */
static inline void htmt_compute(struct htmt_kernel *k, enum htmt_operation operation,
                                const struct htmt_variable *result, const struct htmt_variable *a,
                                const struct htmt_variable *b)
{
    htmt_annotate_variable(k, HTMT_LOAD, a);
    if (b)
        htmt_annotate_variable(k, HTMT_LOAD, b);
    htmt_annotate_op(k, operation, result->type, 1);
    htmt_annotate_variable(k, HTMT_STORE, result);
}
#else
#define htmt_compute(k, operation, result, a, b) (void)0
#endif

#ifdef __cplusplus
}
#endif

#endif
