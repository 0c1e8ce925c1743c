/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What annotated kernels say goes to the tape of the service, if there is one.
 *
 * A kernel that htmt-cc does not compile may tell its operations itself, with the macros of
 * parcels/operation.h. Each becomes the entry that a hook of htmt-cc would write, so the same
 * processor plays both. Addresses are the model's from the beginning: of a region or use the one of
 * its view, of a label 4 bytes an instruction in the image, of a variable 8 bytes a slot, on the
 * stack or among the arguments; one in a register has no access.
 */
#include "parcels/operation.h"

#include "layers/node/tape/tape.h"
#include "parcels/data/kernel.h"
#include "runtime/base/error.h"

#include <inttypes.h>

#define INSTRUCTION 4 /* bytes */
#define SLOT        8

static unsigned bytes_of(enum htmt_type_of_operand type)
{
    const enum htmt_type_of_operand lane = htmt_operand_lane(type);
    return (lane == HTMT_I32 || lane == HTMT_F32 ? 4 : 8) * htmt_operand_lanes(type);
}

static bool records(const struct htmt_kernel *k)
{
    return k && k->tape;
}

static void access_at(struct htmt_kernel *k, enum htmt_op access, enum htmt_type_of_operand type,
                      uint64_t address)
{
    enum htmt__tape_kind kind = access == HTMT_STORE ? HTMT__TAPE_STORE : HTMT__TAPE_LOAD;
    htmt__tape_put(k->tape, htmt__tape_entry(kind, bytes_of(type), address));
}

void htmt_annotate_op(struct htmt_kernel *k, enum htmt_operation operation,
                      enum htmt_type_of_operand type, uint64_t count)
{
    if (records(k))
        htmt__tape_put(k->tape, htmt__tape_entry(HTMT__TAPE_OP, operation, type | count << 8));
}

void htmt_annotate_touch(struct htmt_kernel *k, enum htmt_op access, enum htmt_type_of_operand type,
                         uint32_t region, uint64_t offset)
{
    if (!records(k))
        return;
    uint32_t views = k->regions + k->uses;
    if (region < views && offset < k->view[region].size &&
        bytes_of(type) <= k->view[region].size - offset)
        access_at(k, access, type, k->view[region].model + offset);
    else
        htmt_kernel_fail(k, HTMT_EBOUNDS,
                         "htmt_touch: found byte %" PRIu64 " of region %" PRIu32
                         ", expected one of its %" PRIu64 " bytes",
                         offset, region, region < views ? k->view[region].size : 0);
}

void htmt_annotate_code(struct htmt_kernel *k, uint32_t label, unsigned instructions)
{
    if (records(k))
        htmt__tape_put(k->tape, htmt__tape_entry(HTMT__TAPE_CODE, instructions,
                                                 HTMT__TAPE_IMAGE + (uint64_t)label * INSTRUCTION));
}

void htmt_annotate_branch(struct htmt_kernel *k, uint32_t label, bool taken)
{
    if (records(k))
        htmt__tape_put(k->tape, htmt__tape_entry(HTMT__TAPE_BRANCH, taken,
                                                 HTMT__TAPE_IMAGE + (uint64_t)label * INSTRUCTION));
}

void htmt_annotate_variable(struct htmt_kernel *k, enum htmt_op access,
                            const struct htmt_variable *v)
{
    if (!records(k) || v->where == HTMT_REGISTER)
        return;
    uint64_t base = v->where == HTMT_STACK ? HTMT__TAPE_STACK : HTMT__TAPE_ARGUMENTS;
    access_at(k, access, v->type, base + (uint64_t)v->slot * SLOT);
}
