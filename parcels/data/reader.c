/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The list of a storage is linked both ways, through the regions themselves: to join, to leave and
 * to find that there is nobody cost a few instructions and no memory. Who is about to write looks
 * for readers whose extent meets its own; there are seldom more than a few.
 */
#include "parcels/data/reader.h"

void htmt__reader_join(struct htmt__region *region, struct htmt__storage *storage,
                       struct htmt__extent extent)
{
    struct htmt__reader **head = (struct htmt__reader **)htmt__storage_tag(storage);
    struct htmt__reader *r = &region->reader;
    region->source = storage;
    r->extent = extent;
    r->next = *head;
    r->at = head;
    if (r->next)
        r->next->at = &r->next;
    *head = r;
}

void htmt__reader_forget(struct htmt__closure *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        struct htmt__reader *r = &c->region[i].reader;
        if (!r->at)
            continue;
        *r->at = r->next;
        if (r->next)
            r->next->at = r->at;
        r->at = NULL;
    }
    c->fused = false;
}

struct htmt__reader *htmt__reader_of(struct htmt__storage *storage,
                                     const struct htmt__extent *extent)
{
    struct htmt__reader *r = *(struct htmt__reader **)htmt__storage_tag(storage);
    while (r && !htmt__extents_meet(&r->extent, extent))
        r = r->next;
    return r;
}
