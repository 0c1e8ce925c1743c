/* SPDX-License-Identifier: BSD-3-Clause
 *
 * With htmt_options.carry: what a service finds in the innermost memory though it did not come with
 * it. Percolation would have brought it down after its last use and would bring it up again now. So
 * the service's control runs when the service is asked for, to tell what it uses; these words go
 * down and up, taking their turns; then the service asks for its server.
 */
#include "parcels/timing/what_if.h"
#include "parcels/observe/departure.h"
#include "parcels/timing/context.h"
#include "parcels/timing/entity.h"
#include "parcels/timing/message.h"
#include "parcels/timing/service.h"

static void send(struct htmt_emulator *e, struct htmt_parcel *carrier, bool down, uint64_t words)
{
    uint32_t in = htmt__innermost(e), slice = carrier->slice;
    struct htmt__leg way = {.from = down ? in : in - 1,
                            .to = down ? in - 1 : in,
                            .source = slice,
                            .target = slice,
                            .words = words};
    if (!htmt__carrier_route(e, carrier, way, 1, 1))
        htmt__carrier_start(e, carrier);
}

bool htmt__state_fetch(struct htmt_emulator *e, struct htmt_parcel *p)
{
    struct htmt_context c = {.down = 0};
    if (!htmt__innermost(e) || p->step->layer != htmt__innermost(e))
        return false;
    if (!(p->brought = htmt__carry_create(e, HTMT__CARRY_STATE)))
        return true;
    htmt__control(e, p, &p->brought->ops, &c);
    bool uses = e->options.carry & HTMT_DEPARTS_RESIDENT;
    bool frame = p->kind == HTMT__FIBER && (e->options.carry & HTMT_DEPARTS_OPEN);
    uint64_t down = (uses ? c.down : 0) + (frame ? htmt__frame_down(p) : 0);
    uint64_t up = (uses ? c.up : 0) + (frame ? htmt__frame_up(p) : 0);
    if (!up || e->fault.code)
        return e->fault.code != 0;
    struct htmt_parcel *carrier = htmt__carrier_create(e, p->slice, HTMT__CARRY_STATE);
    if (!carrier)
        return true;
    carrier->carry->whose = p;
    carrier->carry->up = up;
    p->state = HTMT__FOR_STATE;
    send(e, carrier, down != 0, down ? down : up);
    return true;
}

void htmt__state_arrives(struct htmt_emulator *e, struct htmt_parcel *carrier)
{
    const struct htmt__carry *c = carrier->carry;
    struct htmt_parcel *p = c->whose;
    if (c->leg.to != htmt__innermost(e)) {
        send(e, carrier, false, c->up);
        return;
    }
    htmt__carrier_free(e, carrier);
    htmt__request(e, p);
}
