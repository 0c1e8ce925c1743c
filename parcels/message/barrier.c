/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A barrier is an all-reduce of a word that nobody reads: a struct htmt_barrier is a struct
 * htmt_allreduce.
 */
#include "parcels/message/allreduce.h"
#include "parcels/walk/permit.h"

static void combine_nothing(void *into, const void *from, uint64_t bytes)
{
    (void)into;
    (void)from;
    (void)bytes;
}

int htmt_barrier_create(struct htmt_emulator *e, uint32_t layer, const char *name,
                        struct htmt_barrier **barrier)
{
    static const char call[] = "htmt_barrier_create()";
    struct htmt_frame *frame;
    struct htmt_allreduce *a;
    int rc = htmt__permit_setup(e, call);
    rc = rc ? rc : htmt__given(e, name, call, "name");
    rc = rc ? rc : htmt__given(e, barrier, call, "place for the barrier");
    rc = rc ? rc : htmt_frame_create(e, layer, HTMT_WORD, name, &frame);
    if (rc)
        return rc;
    struct htmt_tree_desc d = {
        .frame = frame, .bytes = HTMT_WORD, .combine = combine_nothing, .name = name};
    rc = htmt__allreduce_create(e, &d, "barrier", &a);
    if (!rc)
        *barrier = (struct htmt_barrier *)a;
    return rc;
}

int htmt_barrier(struct htmt_context *c, struct htmt_barrier *barrier, struct htmt_slot passed)
{
    return htmt__allreduce_call(c, (struct htmt_allreduce *)barrier, passed, "htmt_barrier()");
}
