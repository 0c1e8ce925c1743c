/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the phases share: a window of their parcels under way, how a parcel is assembled, and its
 * type. coordinator.c has the order of the phases.
 */
#include "apps/pic/coordinator.h"

/* Assemble what the window allows, and go on after the last parcel. Parcels of sort assemble
 * further parcels, `extra`, which take places of the window, too. */
static void advance(struct htmt_context *c, const htmt__pic *p, struct htmt__pic_site *s)
{
    const struct htmt__pic_phase *phase = s->phase;
    while (s->begun < s->total && s->begun + s->extra - s->ended < p->window)
        if (!phase->make(c, p, s, s->begun++))
            s->ended++;
    if (s->ended == s->total + s->extra) {
        s->phase = NULL;
        const struct htmt__pic_phase *next = phase->sequel ? phase->sequel(c, p) : phase->next;
        if (next)
            htmt__pic_begin(c, p, next);
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

void htmt__pic_assemble(struct htmt_context *c, const struct htmt__pic_site *s,
                        enum htmt__pic_kind kind, const struct htmt__pic_work *work,
                        const struct htmt_region *regions, uint32_t count)
{
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){.type = work->p->type[kind],
                                             .slice = s->slice,
                                             .regions = regions,
                                             .region_count = count,
                                             .args = work,
                                             .on_done = {s->coordinator, HTMT__PIC_FLOW}},
                  NULL);
}

uint64_t htmt__pic_bundle_count(const htmt__pic *p, const struct htmt__pic_site *s)
{
    return s->spread ? htmt__pic_all_bundles(&p->plan) : htmt__pic_usual_bundles(&p->plan);
}

void htmt__pic_use_all(struct htmt_context *c, const struct htmt_frame *frame, enum htmt_use use)
{
    struct htmt_addr all = htmt_at(frame, htmt_slice(c), 0);
    htmt_use(c, all, htmt_object_size(all.object), use);
}

int htmt__pic_type(htmt__pic *p, enum htmt__pic_kind kind, bool percolates, struct htmt_type_desc d)
{
    const struct htmt_machine *m = htmt_emulator_machine(p->e);
    d.size = sizeof d;
    d.home = m->layer[p->plan.outer].name;
    d.exec = m->layer[percolates ? p->plan.inner : p->plan.outer].name;
    d.in_place = percolates;
    d.footprint = percolates ? HTMT_CLOSURE : HTMT_RESIDENT;
    d.args_bytes = sizeof(struct htmt__pic_work);
    return htmt_type_create(p->e, &d, &p->type[kind]);
}
