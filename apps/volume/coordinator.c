/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The coordinator of a slice, in DRAM. It begins and ends frames. Idle slices agree on the next
 * camera by an all-reduce: slice 0 contributes the camera, the others contribute zeros, combined by
 * or.
 */
#include "apps/volume/shared.h"

#include <string.h>

struct coordinator {
    const htmt__volume_shared *t;
    uint32_t frame; /* the next one */
};

static void idle(struct htmt_context *c)
{
    const struct coordinator *d = htmt_args(c);
    if (d->frame == d->t->frames)
        htmt_retire(c, htmt_self(c));
    else
        htmt_signal(c, htmt_slot(c, HTMT__AGREE));
}

static void agree_kernel(struct htmt_kernel *k)
{
    if (htmt_kernel_slice(k) == 0)
        memcpy(htmt_used(k, 0), htmt_used(k, 1), sizeof(struct htmt__volume_camera));
    else
        memset(htmt_used(k, 0), 0, sizeof(struct htmt__volume_camera));
}

static void agree(struct htmt_context *c)
{
    struct coordinator *d = htmt_args(c);
    const htmt__volume_shared *t = d->t;
    uint64_t bytes = sizeof(struct htmt__volume_camera), at = d->frame++ * bytes;
    uint32_t slice = htmt_slice(c);
    htmt_use(c, htmt_at(t->view, slice, 0), bytes, HTMT_WRITE);
    if (slice == 0)
        htmt_use(c, htmt_in(t->cameras, at), bytes, HTMT_READ);
    htmt_work(c);
    htmt_allreduce(c, t->agree, htmt_slot(c, HTMT__READY));
}

static void ready(struct htmt_context *c)
{
    const struct coordinator *d = htmt_args(c);
    htmt__volume_slice(c, d->t)->next = 0;
    for (uint32_t n = 0; n < d->t->lanes; n++)
        htmt_signal(c, htmt__volume_lane(d->t, htmt_slice(c), n, HTMT__FRAME));
}

static void start(struct htmt_context *c)
{
    const struct coordinator *d = htmt_args(c);
    htmt_slot_set(c, HTMT__IDLE, 1, d->t->lanes);
    htmt_signal(c, htmt_slot(c, HTMT__IDLE));
}

int htmt__volume_coordinator_type(htmt__volume_shared *t)
{
    const struct htmt_stage fibers[HTMT__COORDINATOR_FIBERS] = {
        [HTMT__IDLE - 1] = {.control = idle},
        [HTMT__AGREE - 1] = {.kernel = agree_kernel, .control = agree, .count = 1, .reset = 1},
        [HTMT__READY - 1] = {.control = ready, .count = 1, .reset = 1},
    };
    const char *outer = htmt_emulator_machine(t->e)->layer[t->plan.outer].name;
    struct htmt_type_desc d = {.name = "Desk",
                               .home = outer,
                               .exec = outer,
                               .execute = {.control = start},
                               .footprint = HTMT_RESIDENT,
                               .fibers = fibers,
                               .fiber_count = HTMT__COORDINATOR_FIBERS,
                               .gates = HTMT_GATE(HTMT_RETIRE),
                               .args_bytes = sizeof(struct coordinator)};
    return htmt_type_create(t->e, &d, &t->coordinator);
}

int htmt__volume_coordinator_start(htmt__volume_shared *t, uint32_t slice)
{
    struct coordinator d = {.t = t};
    return htmt_assemble(
        htmt_root(t->e),
        &(struct htmt_parcel_desc){.type = t->coordinator, .slice = slice, .args = &d},
        &t->coordinators[slice]);
}
