/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Dependences and counts that offsets do not tell.
 *
 * Where each axis moves with one loop by steps of one, as in u[j-1, i], the reader of the nest file
 * takes distances and boxes from the offsets. Two forms need more. Subscripts that are coupled or
 * strided (u[i + j], u[2*i]) touch words that no product of ranges counts: isl makes the set of
 * words, and if it is a box, of intervals or of every n-th word along each axis, the file says how
 * many. And an array that two nests in a row walk through in different ways (u[j, i] then u[i, j])
 * has no constant offset: isl composes the relation of one nest with the inverse of the other's,
 *     iterations of the first -> words -> iterations of the second,
 * and the difference of both ends gives the distance along each loop, or "any" where it varies.
 */
#include "emul/tools/analyze/relations.h"

#include "emul/tools/analyze/memory.h"

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>
#include <stddef.h>
#include <stdlib.h>

/* ---- what offsets tell ----------------------------------------------------------------------- */

static const struct htmt__loop *space_above(const struct htmt__loop *loop)
{
    while (loop && loop->kind != HTMT__LOOP_SPACE)
        loop = loop->parent;
    return loop;
}

static unsigned depth_of(const struct htmt__loop *loop)
{
    unsigned depth = 0;
    for (loop = space_above(loop); loop; loop = space_above(loop->parent))
        depth++;
    return depth;
}

/* The place from the outside of the one loop that moves the axis by steps of one word; 0: none
 * moves it; -1: it is another form. */
static int mover_of(const struct htmt__access *a, unsigned axis)
{
    int mover = 0, level = (int)depth_of(a->loop);
    for (const struct htmt__loop *l = space_above(a->loop); l;
         l = space_above(l->parent), level--) {
        int64_t whole;
        if (!htmt__value_has(a->index[axis], l->variable))
            continue;
        if (mover || l->step != 1 ||
            !htmt__value_is_whole(htmt__value_coefficient(a->index[axis], l->variable), &whole) ||
            whole != 1)
            return -1;
        mover = level;
    }
    return mover;
}

/* Each axis moves with a loop of its own. */
static bool is_plain(const struct htmt__access *a)
{
    unsigned seen = 0;
    for (unsigned i = 0; i < a->array->layout->axes; i++) {
        int mover = mover_of(a, i);
        if (mover < 0 || (mover && seen & 1U << mover))
            return false;
        seen |= mover ? 1U << mover : 0;
    }
    return true;
}

/* Both move with the same loops. */
static bool move_alike(const struct htmt__access *a, const struct htmt__access *b)
{
    for (unsigned i = 0; i < a->array->layout->axes; i++)
        if (mover_of(a, i) < 0 || mover_of(a, i) != mover_of(b, i))
            return false;
    return true;
}

/* ---- unions ---------------------------------------------------------------------------------- */

/* What a reference touches is asked for each pair of nests and each kind of dependence, and isl
 * reads it from a text: it is kept. */
static isl_map *places_of(struct htmt__prover *p, struct htmt__nest_reference *r)
{
    if (!r->places)
        r->places = htmt__prover_places(p, r->access);
    if (r->places)
        isl_ctx_reset_operations(isl_map_get_ctx(r->places));
    return isl_map_copy(r->places);
}

/* All that the nest reads or writes of the array; NULL: nothing, or isl gave up. */
static isl_map *places(struct htmt__prover *p, const struct htmt__nest_body *b,
                       const struct htmt__array *array, bool write)
{
    isl_map *all = NULL;
    for (struct htmt__nest_reference *r = b->references; r; r = r->next) {
        bool side = r->kind == HTMT__UPDATE || (r->kind == HTMT__WRITE) == write;
        if (r->array != array || !side)
            continue;
        isl_map *one = places_of(p, r);
        if (!one) {
            isl_map_free(all);
            return NULL;
        }
        all = all ? isl_map_union(all, one) : one;
    }
    return all ? isl_map_coalesce(all) : NULL;
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* Values along an axis, if they are all of an interval, or every n-th. */
static htmt__value length_of(struct htmt__prover *p, isl_set *axis)
{
    htmt__value length = NULL;
    isl_val *stride = isl_set_get_stride(axis, 0);
    isl_set *hull = isl_set_from_basic_set(isl_set_convex_hull(isl_set_copy(axis)));
    bool all = isl_set_is_equal(hull, axis) == isl_bool_true;
    isl_set *of = all ? hull : axis;
    isl_pw_aff *low = isl_set_dim_min(isl_set_copy(of), 0),
               *high = isl_set_dim_max(isl_set_copy(of), 0);
    htmt__value from = htmt__prover_value(p, low), to = htmt__prover_value(p, high), rest = NULL;
    if (stride && (all || isl_set_n_basic_set(axis) == 1) && from && to)
        length = htmt__value_divide(htmt__value_sub(to, from),
                                    htmt__value_whole(isl_val_get_num_si(stride)), &rest);
    isl_val_free(stride);
    isl_set_free(hull);
    isl_pw_aff_free(low);
    isl_pw_aff_free(high);
    return rest && !rest->count ? htmt__value_add(length, htmt__value_whole(1)) : NULL;
}

static isl_set *axis_of(isl_set *set, unsigned axis, unsigned axes)
{
    isl_set *one = isl_set_project_out(isl_set_copy(set), isl_dim_set, axis + 1, axes - axis - 1);
    return isl_set_coalesce(isl_set_project_out(one, isl_dim_set, 0, axis));
}

/* The axes of a box that is nothing but the product of them. */
static bool is_product(isl_set *set, unsigned axes)
{
    isl_set *all = isl_set_universe(isl_set_get_space(set));
    for (unsigned i = 0; i < axes; i++) {
        isl_set *one = axis_of(set, i, axes);
        one = isl_set_insert_dims(one, isl_dim_set, 0, i);
        all = isl_set_intersect(all, isl_set_insert_dims(one, isl_dim_set, i + 1, axes - i - 1));
    }
    bool same = isl_set_is_equal(all, set) == isl_bool_true;
    isl_set_free(all);
    return same;
}

/* The number of words; NULL: they are no box. */
static htmt__value count(struct htmt__prover *p, isl_map *map, unsigned axes)
{
    if (!map)
        return NULL;
    isl_set *set = isl_set_reset_tuple_id(isl_set_coalesce(isl_map_range(map)));
    htmt__value product = set && is_product(set, axes) ? htmt__value_whole(1) : NULL;
    for (unsigned i = 0; i < axes && product; i++) {
        isl_set *axis = axis_of(set, i, axes);
        product = axis ? htmt__value_mul(product, length_of(p, axis)) : NULL;
        isl_set_free(axis);
    }
    isl_set_free(set);
    return product;
}

/* ---- distances ------------------------------------------------------------------------------- */

/* From the words of one nest to those of the other. */
static void relate(struct htmt__prover *p, const struct htmt__relation *of,
                   struct htmt__relations *r)
{
    isl_map *from = places(p, of->from, of->array, of->kind != HTMT__ANTI),
            *to = places(p, of->to, of->array, of->kind != HTMT__FLOW);
    if (!from || !to) {
        isl_map_free(from);
        isl_map_free(to);
        return;
    }
    isl_set *deltas = isl_map_deltas(isl_map_apply_range(from, isl_map_reverse(to)));
    if (deltas && isl_set_is_empty(deltas) == isl_bool_false) {
        struct htmt__relation *own = htmt__source_alloc(sizeof *own);
        *own = *of;
        for (unsigned i = 0; i < own->depth; i++) {
            isl_pw_aff *low = isl_set_dim_min(axis_of(deltas, i, own->depth), 0);
            own->any[i] = !htmt__value_is_whole(htmt__prover_value(p, low), &own->distance[i]);
            isl_pw_aff_free(low);
        }
        *(r->last_distance ? r->last_distance : &r->distances) = own;
        r->last_distance = &own->next;
    }
    isl_set_free(deltas);
}

/* Whether a reference of the nest moves through the array in another way. */
static bool moves_unlike(const struct htmt__nest_body *b, const struct htmt__access *a)
{
    const struct htmt__nest_reference *r = b->references;
    while (r && (r->array != a->array || move_alike(a, r->access)))
        r = r->next;
    return r != NULL;
}

/* Once for each array that moves in several ways. */
static void find_distances(struct htmt__prover *p, const struct htmt__nest_body *from,
                           const struct htmt__nest_body *to, unsigned pair,
                           struct htmt__relations *r)
{
    struct htmt__relation of = {.from = from, .to = to, .depth = depth_of(to->loop)};
    for (const struct htmt__nest_reference *x = from->references; x; x = x->next) {
        of.array = x->array;
        if (x->array->pair == pair)
            continue;
        x->array->pair = pair;
        if (!moves_unlike(to, x->access) && !moves_unlike(from, x->access))
            continue;
        for (of.kind = HTMT__FLOW; of.kind <= HTMT__OUTPUT; of.kind++)
            relate(p, &of, r);
    }
}

/* ---- nests ----------------------------------------------------------------------------------- */

/* Once for each array of the nest. */
static void find_touched(struct htmt__prover *p, const struct htmt__nest_body *b,
                         struct htmt__relations *r)
{
    for (const struct htmt__nest_reference *x = b->references; x; x = x->next) {
        const struct htmt__touched *known = r->touched;
        unsigned axes = x->array->layout->axes;
        if (is_plain(x->access))
            continue;
        while (known && (known->nest != b || known->array != x->array))
            known = known->next;
        if (known)
            continue;
        struct htmt__touched *own = htmt__source_alloc(sizeof *own);
        *own = (struct htmt__touched){.array = x->array, .nest = b};
        own->read = count(p, places(p, b, x->array, false), axes);
        own->written = count(p, places(p, b, x->array, true), axes);
        *(r->last_touched ? r->last_touched : &r->touched) = own;
        r->last_touched = &own->next;
    }
}

void htmt__relations_find(struct htmt__prover *p, const struct htmt__nest_list *nests,
                          struct htmt__relations *r)
{
    unsigned pair = 0;
    for (const struct htmt__nest_body *b = nests->nests; b; b = b->next) {
        const struct htmt__nest_body *next = b->next;
        find_touched(p, b, r);
        if (next && next->routine == b->routine && depth_of(b->loop) == depth_of(next->loop))
            find_distances(p, b, next, ++pair, r);
    }
    for (const struct htmt__nest_body *b = nests->nests; b; b = b->next)
        for (struct htmt__nest_reference *x = b->references; x; x = x->next)
            x->places = isl_map_free(x->places);
}
