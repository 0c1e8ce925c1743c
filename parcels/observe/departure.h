/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: where a program departs from percolation, which is told with
 * htmt_options.lint and charged with htmt_options.carry.
 */
#ifndef HTMT_PARCELS_OBSERVE_DEPARTURE_H
#define HTMT_PARCELS_OBSERVE_DEPARTURE_H

#include "parcels/timing/engine.h"
#include "parcels/timing/message.h"

static inline bool htmt__departures_matter(const struct htmt_emulator *e)
{
    return __builtin_expect(e->options.lint || e->options.carry, 0);
}
static inline uint32_t htmt__innermost(const struct htmt_emulator *e)
{
    return e->layers - 1;
}
/* From SPELL to SPELL. */
static inline bool htmt__exchanges(const struct htmt_emulator *e, const struct htmt__leg *way)
{
    return way->from == htmt__innermost(e) && way->to == way->from && way->source != way->target;
}
/* Only when they matter: */
void htmt__departs_regions(struct htmt_emulator *e, const struct htmt_parcel_desc *d);
void htmt__departs_use(struct htmt_context *c, struct htmt_object *o, uint64_t bytes,
                       enum htmt_use use);
void htmt__departs_fiber(struct htmt_emulator *e, const struct htmt_parcel *fiber);
void htmt__departs_message(const struct htmt_emulator *e, struct htmt_type *type,
                           const struct htmt__leg *way);
/* Something has come into the object. */
void htmt__delivered(struct htmt_emulator *e, struct htmt_object *o);
/* Words of a later fiber's frame that percolation would bring down, and up again. */
uint64_t htmt__frame_down(const struct htmt_parcel *fiber);
uint64_t htmt__frame_up(const struct htmt_parcel *fiber);

#endif
