/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parcels are made.
 */
#include "parcels/walk/assemble.h"
#include "parcels/clock/partition.h"
#include "parcels/clock/rank.h"
#include "parcels/walk/banked.h"
#include "parcels/walk/log.h"
#include "parcels/walk/move_cost.h"
#include "parcels/walk/permit.h"
#include "parcels/walk/residency.h"
#include "parcels/walk/sized_struct.h"

#include <stdlib.h>
#include <string.h>

/* 0: nothing is wrong but the size of the regions. */
static int refuse_desc(struct htmt_emulator *e, const struct htmt_parcel_desc *d)
{
    int rc = htmt__given(e, d, "htmt_assemble()", "description");
    if (!rc)
        rc = htmt__given(e, d->type, "htmt_assemble()", "type");
    if (rc)
        return rc;
    const char *name = d->type->code.name;
    if (d->type->emulator != e->whole)
        return htmt__refuse(e, HTMT_EINVAL,
                            "htmt_assemble() of type %s, which belongs to another emulator", name);
    if (!htmt__is_place(e, d->slice, d->type->home))
        return htmt__refuse(e, HTMT_EINVAL,
                            "htmt_assemble() of type %s in slice %u, expected one of 0 to %u", name,
                            d->slice, e->slices - 1);
    if (!d->regions)
        return htmt__refuse(e, HTMT_EINVAL,
                            "htmt_assemble() of type %s with %u regions: found no array (NULL)",
                            name, d->region_count);
    return 0;
}

/* ---- regions of another size ----------------------------------------------------------------- */

static const struct htmt__sized sized = {.name = "htmt_region",
                                         .known = sizeof(struct htmt_region),
                                         .first = sizeof(struct htmt_region),
                                         .least = offsetof(struct htmt_region, from_pieces)};

/* The regions lie one behind another, each as long as the first says. */
static int resize(struct htmt_emulator *e, const struct htmt_parcel_desc *d,
                  struct htmt_region *regions)
{
    static const char call[] = "htmt_assemble()";
    size_t step = d->regions->size, size;
    for (uint32_t i = 0; i < d->region_count; i++) {
        const char *at = (const char *)d->regions + i * step;
        memcpy(&size, at, sizeof size);
        if (size != step)
            return htmt__refuse(e, HTMT_EINVAL,
                                "%s: region %u has a size of %zu bytes, expected %zu as region 0",
                                call, i, size, step);
        int rc = htmt__sized_take(e, &sized, at, &regions[i], call);
        if (rc)
            return rc;
    }
    return 0;
}

__attribute__((cold, noinline)) static int
assemble_resized(struct htmt_context *c, const struct htmt_parcel_desc *desc, struct htmt_ref *ref)
{
    int rc = refuse_desc(c->e, desc);
    if (rc)
        return rc;
    struct htmt_parcel_desc d = *desc;
    struct htmt_region *regions = calloc(d.region_count, sizeof *regions);
    if (!regions)
        return htmt__fail(c->e, HTMT_ENOMEM, "no host memory for the regions of a parcel");
    rc = resize(c->e, desc, regions);
    d.regions = regions;
    rc = rc ? rc : htmt__assemble(c, &d, ref);
    free(regions);
    return rc;
}

/* All that htmt__assemble() needs is there, in structs as they are here. */
static inline bool is_plain(const struct htmt_emulator *e, const struct htmt_parcel_desc *d)
{
    return d && d->type && d->type->emulator == e->whole &&
           htmt__is_place(e, d->slice, d->type->home) &&
           (!d->region_count || (d->regions && htmt__sized_whole(&sized, d->regions->size)));
}

static int check_slice(struct htmt_context *c, const struct htmt_parcel_desc *d)
{
    if (c->p && d->slice != c->p->slice)
        return htmt__fail(c->e, HTMT_EROUTE,
                          "htmt_assemble() of a %s in another slice: signal a fiber there",
                          d->type->code.name);
    return 0;
}

/* Of a slice that this process plays. */
static int give_bytes(struct htmt_emulator *e, struct htmt__entity *p,
                      const struct htmt_parcel_desc *d)
{
    if (!e->partition && !htmt__rank_plays(e, htmt__played(e, p->slice)))
        return 0;
    p->closure = htmt__data_closure(e->data, &p->type->code, p->slice, p->serial, htmt__args(p), d);
    if (!p->closure)
        return HTMT_ENOMEM;
    p->ways = htmt__data_ways(p->closure);
    return 0;
}

static int give_parts(struct htmt_emulator *e, struct htmt__entity *p,
                      const struct htmt_parcel_desc *d)
{
    struct htmt_type *t = p->type;
    p->body = htmt__body_create(e, t, p->slice);
    if (!p->body)
        return HTMT_ENOMEM;
    p->body->on_ready = d->on_ready;
    p->body->on_done = d->on_done;
    if (d->args)
        memcpy(htmt__args(p), d->args, t->code.args_bytes);
    else
        memset(htmt__args(p), 0, t->code.args_bytes);
    return e->data ? give_bytes(e, p, d) : 0;
}

static struct htmt__entity *make(struct htmt_emulator *e, const struct htmt_parcel_desc *d,
                                 const struct htmt__move_cost *cost)
{
    struct htmt_type *t = htmt__type_here(e, d->type);
    struct htmt__entity *p = htmt__entity_create(e, d->slice, HTMT__PARCEL);
    if (!p)
        return NULL;
    p->type = t;
    p->step = t->step;
    p->cost = cost;
    e->parcels++;
    e->host_parcels += d->slice == e->host;
    if (htmt__residency_matters(e))
        htmt__residency_regions(e, d);
    if (give_parts(e, p, d)) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for a parcel %s", t->code.name);
        return NULL;
    }
    return p;
}

/* A root parcel of a slice that slice 0 stands for: its twin, which was made before. */
static int find_twin(struct htmt_emulator *e, const struct htmt_parcel_desc *d,
                     const struct htmt__move_cost *cost, struct htmt_ref *ref)
{
    uint32_t number = e->roots[d->slice]++;
    struct htmt__entity *twin =
        number < e->roots[0] ? htmt__entity_at(e, htmt__entity_key(0, number)) : NULL;
    if (!twin || twin->type != d->type || twin->cost != cost)
        return htmt__fail(e, HTMT_ESYMMETRY, "root parcel %u of slice %u, a %s, is %s", number + 1,
                          d->slice, d->type->code.name,
                          twin ? "another than that of slice 0" : "none that slice 0 has");
    if (ref)
        *ref = (struct htmt_ref){(uint64_t)d->slice << HTMT__SERIAL_BITS | twin->serial,
                                 twin->index, twin->type->code.exec};
    return 0;
}

/* The run needs them, so they may not be destroyed before it. */
static void await_objects(const struct htmt_parcel_desc *d)
{
    for (uint32_t i = 0; i < d->region_count; i++) {
        const struct htmt_region *r = &d->regions[i];
        struct htmt_object *const o[] = {r->from.object, r->to.object, r->into.object};
        for (int k = 0; k < 3; k++)
            if (o[k])
                o[k]->awaited = true;
    }
}

/* ---- the call -------------------------------------------------------------------------------- */

int htmt__assemble(struct htmt_context *c, const struct htmt_parcel_desc *desc,
                   struct htmt_ref *ref)
{
    if (__builtin_expect(!is_plain(c->e, desc), 0))
        return assemble_resized(c, desc, ref);
    int rc = check_slice(c, desc);
    if (rc)
        return rc;
    const struct htmt__move_cost *cost =
        htmt__move_cost_of(c->e, htmt__type_here(c->e, desc->type), desc);
    if (cost && !c->p)
        await_objects(desc);
    if (cost && !htmt__is_played(c->e, desc->slice, desc->type->home))
        return find_twin(c->e, desc, cost, ref);
    if (!c->p && c->e->roots && desc->slice != c->e->host)
        c->e->roots[0]++;
    struct htmt__entity *p = cost ? make(c->e, desc, cost) : NULL;
    if (!p || htmt__log_start(c, p))
        return c->e->fault.code;
    if (ref)
        *ref = htmt__ref(p);
    return 0;
}

int htmt_assemble(struct htmt_context *c, const struct htmt_parcel_desc *desc, struct htmt_ref *ref)
{
    if (!htmt__permit_start(c, "htmt_assemble()"))
        return HTMT_EINVAL;
    return htmt__assemble(c, desc, ref);
}
