/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the phases share: how a parcel is assembled and which objects it uses.
 */
#include "apps/pic/coordinator.h"

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
