/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The desk of a slice, in DRAM: frames begin and end. Slice 0 tells the others where the eye is.
 */
#include "apps/volume/theatre.h"

#include <string.h>

struct desk {
    htmt__theatre *t;
    uint32_t frame; /* the one that is shown */
};

static void show_kernel(struct htmt_kernel *k)
{
    memcpy(htmt_used(k, 1), htmt_used(k, 0), sizeof(struct htmt__camera));
}

static void show(struct htmt_context *c)
{
    const struct desk *d = htmt_args(c);
    const htmt__theatre *t = d->t;
    uint64_t bytes = sizeof(struct htmt__camera);
    htmt_use(c, htmt_in(t->cameras, d->frame * bytes), bytes, HTMT_READ);
    htmt_use(c, htmt_at(t->view, 0, 0), bytes, HTMT_WRITE);
    htmt_work(c);
    htmt_broadcast(c, t->announce, t->lit);
}

static void lit(struct htmt_context *c)
{
    const struct desk *d = htmt_args(c);
    d->t->next[htmt_slice(c)] = 0;
    for (uint32_t n = 0; n < d->t->lanes; n++)
        htmt_signal(c, htmt__volume_lane(d->t, htmt_slice(c), n, HTMT__FRAME));
}

static bool is_last(struct desk *d)
{
    return d->frame + 1 == d->t->frames;
}

static void dark(struct htmt_context *c)
{
    struct desk *d = htmt_args(c);
    htmt_signal(c, htmt__volume_desk(d->t, 0, HTMT__CURTAIN));
    if (htmt_slice(c) == 0)
        return;
    if (is_last(d))
        htmt_retire(c, htmt_self(c));
    d->frame++;
}

static void curtain(struct htmt_context *c)
{
    struct desk *d = htmt_args(c);
    if (is_last(d))
        htmt_retire(c, htmt_self(c));
    else
        htmt_signal(c, htmt_slot(c, HTMT__SHOW));
    d->frame++;
}

static void start(struct htmt_context *c)
{
    const struct desk *d = htmt_args(c);
    htmt_slot_set(c, HTMT__DARK, d->t->lanes, d->t->lanes);
    htmt_slot_set(c, HTMT__CURTAIN, d->t->slices, d->t->slices);
    if (htmt_slice(c) == 0)
        htmt_signal(c, htmt_slot(c, HTMT__SHOW));
}

int htmt__volume_desk_type(htmt__theatre *t)
{
    const struct htmt_stage fibers[HTMT__DESK_FIBERS] = {
        [HTMT__SHOW - 1] = {.kernel = show_kernel, .control = show, .count = 1, .reset = 1},
        [HTMT__LIT - 1] = {.control = lit, .count = 1, .reset = 1},
        [HTMT__DARK - 1] = {.control = dark},
        [HTMT__CURTAIN - 1] = {.control = curtain},
    };
    const char *outer = htmt_emulator_machine(t->e)->layer[t->plan.outer].name;
    struct htmt_type_desc d = {.name = "Desk",
                               .home = outer,
                               .exec = outer,
                               .execute = {.control = start},
                               .footprint = HTMT_RESIDENT,
                               .fibers = fibers,
                               .fiber_count = HTMT__DESK_FIBERS,
                               .gates = HTMT_GATE(HTMT_RETIRE),
                               .args_bytes = sizeof(struct desk)};
    return htmt_type_create(t->e, &d, &t->desk);
}

int htmt__volume_desk_start(htmt__theatre *t, uint32_t slice)
{
    struct desk d = {.t = t};
    return htmt_assemble(htmt_root(t->e),
                         &(struct htmt_parcel_desc){.type = t->desk, .slice = slice, .args = &d},
                         &t->desks[slice]);
}
