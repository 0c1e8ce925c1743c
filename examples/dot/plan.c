/* SPDX-License-Identifier: BSD-3-Clause */
#include "examples/dot/plan.h"

#include "apps/lib/chain.h"

#include <inttypes.h>

#define WHO     "a dot product"
#define IN_TURN 3 /* parcels in CRAM: one comes, one is multiplied, one leaves */

static int find_chain(const struct htmt_machine *m, struct htmt__dot_plan *p,
                      struct htmt_fault *fault)
{
    uint32_t network;
    int rc = htmt_chain_layers(m, WHO, &p->outer, &p->middle, &p->inner, fault);
    return rc ? rc : htmt_chain_network(m, WHO, p->outer, p->outer, true, &network, fault);
}

static int divide(struct htmt__dot_plan *p, struct htmt_fault *fault)
{
    uint64_t row = p->block * p->slices;
    if (p->slices & (p->slices - 1))
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "found %" PRIu32 " slices, " WHO " needs a power of two", p->slices);
    if (p->size % row)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "--size: found %" PRIu64 ", expected a multiple of %" PRIu64
                              ", one block of %" PRIu64 " elements in each of %" PRIu32 " slices",
                              p->size, row, p->block, p->slices);
    p->blocks = p->size / row;
    while (p->slices >> (p->rounds + 1))
        p->rounds++;
    return 0;
}

static int fit(const struct htmt_machine *m, const struct htmt__dot_plan *p,
               struct htmt_fault *fault)
{
    uint64_t parcel = 2 * p->block + 1, room = htmt_machine_room(m, p->inner);
    if (IN_TURN * parcel <= room)
        return 0;
    return htmt_fault_set(fault, HTMT_ECAPACITY,
                          "%d parcels of %" PRIu64 " words = %" PRIu64 " words, %s has %" PRIu64,
                          IN_TURN, parcel, IN_TURN * parcel, m->layer[p->inner].memory.name, room);
}

int htmt__dot_plan(const struct htmt_machine *m, uint64_t size, uint64_t block,
                   struct htmt__dot_plan *plan, struct htmt_fault *fault)
{
    struct htmt__dot_plan p = {.size = size, .block = block, .slices = m->slices};
    int rc = find_chain(m, &p, fault);
    if (!rc)
        rc = divide(&p, fault);
    if (!rc)
        rc = fit(m, &p, fault);
    if (!rc)
        *plan = p;
    return rc;
}
