/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One phase of a step: its parcels, so many of them under way at once.
 */
#include "apps/pic/coordinator.h"

static void advance(struct htmt_context *c, const htmt__pic *p, struct htmt__pic_site *s)
{
    const struct htmt__pic_phase *phase = s->phase;
    while (s->begun < s->total && s->begun + s->extra - s->ended < p->window)
        if (!phase->make(c, p, s->begun++))
            s->ended++;
    if (s->ended == s->total + s->extra) {
        s->phase = NULL;
        phase->sequel(c, p);
    }
}

void htmt__pic_begin(struct htmt_context *c, const htmt__pic *p,
                     const struct htmt__pic_phase *phase)
{
    struct htmt__pic_site *s = htmt__pic_site(c, p);
    s->phase = phase;
    s->begun = s->ended = s->extra = 0;
    s->total = phase->count(p, s);
    advance(c, p, s);
}

void htmt__pic_flow(struct htmt_context *c)
{
    const htmt__pic *p = htmt__pic_of(c);
    struct htmt__pic_site *s = htmt__pic_site(c, p);
    s->ended++;
    advance(c, p, s);
}

void htmt__pic_assemble(struct htmt_context *c, enum htmt__pic_kind kind,
                        const struct htmt__pic_work *work, const struct htmt_region *regions,
                        uint32_t count)
{
    uint32_t slice = htmt_slice(c);
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){
                      .type = work->p->type[kind],
                      .slice = slice,
                      .regions = regions,
                      .region_count = count,
                      .args = work,
                      .on_done = htmt__pic_coordinator(work->p, slice, HTMT__PIC_FLOW)},
                  NULL);
}

void htmt__pic_use_all(struct htmt_context *c, const struct htmt_frame *frame, enum htmt_use use)
{
    struct htmt_addr all = htmt_at(frame, htmt_slice(c), 0);
    htmt_use(c, all, htmt_object_size(all.object), use);
}
