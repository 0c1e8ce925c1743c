/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts to the neighbour in a grid, as every slice makes them for itself.
 */
#include "parcels/message/grid.h"
#include "parcels/message/message.h"
#include "parcels/walk/context.h"
#include "parcels/walk/permit.h"

static const char call[] = "htmt_put_neighbour()";

/* Slices at an edge would do something else than slice 0. */
static int check_folded(const struct htmt_emulator *e, const struct htmt_grid *grid,
                        const int step[3])
{
    for (int i = 0; i < 3 && e->options.symmetry == HTMT_FOLDED; i++)
        if (step[i] && !grid->wrap[i] && htmt__grid_extent(grid, i) > 1)
            return HTMT_ESYMMETRY;
    return 0;
}

static int check_grid(struct htmt_context *c, const struct htmt_grid *grid, const int step[3])
{
    int rc = htmt__permit(c, call) ? 0 : HTMT_EINVAL;
    rc = rc ? rc : htmt__grid_check(c->e, grid, call);
    rc = rc ? rc : htmt__given(c->e, step, call, "step");
    if (!rc && check_folded(c->e, grid, step))
        rc = htmt__refuse(c->e, HTMT_ESYMMETRY,
                          "%s along an axis that does not wrap: slices at its edges do something "
                          "else than slice 0, which stands for all",
                          call);
    return rc;
}

static int check_put(struct htmt_context *c, const struct htmt_put *put)
{
    const struct htmt_object *dst = put->dst.object;
    if (dst && dst->emulator && dst->emulator != c->e->whole)
        return htmt__refuse(c->e, HTMT_EINVAL, "%s to %s, which belongs to another emulator", call,
                            dst->name);
    if (!dst || !dst->frame || dst->slice != c->p->slice)
        return htmt__refuse(c->e, HTMT_EINVAL,
                            "%s to %s, expected an address in the part of a frame that lies in "
                            "slice %u: the neighbour's part is found from it",
                            call, dst ? dst->name : "nowhere", c->p->slice);
    if (!htmt_ref_none(put->on_arrived.owner) &&
        htmt_ref_slice(put->on_arrived.owner) != c->p->slice)
        return htmt__refuse(c->e, HTMT_EINVAL,
                            "%s with a slot of another slice, expected one of slice %u: the "
                            "neighbour's twin is found from it",
                            call, c->p->slice);
    return 0;
}

static int send(struct htmt_context *c, const struct htmt_put *put, uint32_t to)
{
    struct htmt_put there = *put;
    there.dst = htmt_at(put->dst.object->frame, to, put->dst.offset);
    there.on_arrived = htmt_slot_in(put->on_arrived, to);
    return htmt_put(c, &there);
}

/* As if something had arrived. */
static void tell(struct htmt_context *c, const struct htmt_put *put)
{
    struct htmt_slot too = put->on_arrived;
    too.fiber = put->on_arrived_too;
    htmt_signal(c, put->on_arrived);
    if (too.fiber)
        htmt_signal(c, too);
}

int htmt_put_neighbour(struct htmt_context *c, const struct htmt_grid *grid, const int step[3],
                       const struct htmt_put *put)
{
    struct htmt_put whole;
    uint32_t to;
    int rc = check_grid(c, grid, step);
    rc = rc ? rc : htmt__given(c->e, put, call, "description");
    rc = rc ? rc : htmt__put_whole(c->e, put, &whole, call);
    rc = rc ? rc : check_put(c, &whole);
    if (rc)
        return rc;
    if (htmt__grid_towards(grid, c->p->slice, step, 1, &to))
        rc = send(c, &whole, to);
    else
        htmt_signal(c, whole.on_sent);
    if (!htmt__grid_towards(grid, c->p->slice, step, -1, NULL))
        tell(c, &whole);
    return rc ? rc : c->e->fault.code;
}
