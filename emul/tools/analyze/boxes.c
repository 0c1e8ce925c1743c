/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/tools/analyze/boxes.h"

#include <stddef.h>

/* The end of an index over all iterations, from the innermost loop out: of several bounds the one
 * without loop variables, else the first. */
static htmt__value bound_of(const struct htmt__loop *loop, bool upper)
{
    const htmt__value *bound = upper ? loop->upper : loop->lower;
    unsigned count = upper ? loop->uppers : loop->lowers;
    for (unsigned i = 0; i < count; i++) {
        bool fixed = true;
        for (const struct htmt__loop *l = loop->parent; l; l = l->parent)
            fixed &= !l->variable || !htmt__value_has(bound[i], l->variable);
        if (fixed)
            return bound[i];
    }
    return bound[0];
}

static htmt__value end_of(const struct htmt__access *a, htmt__value index, bool high)
{
    for (const struct htmt__loop *l = a->loop; l && index; l = l->parent) {
        if (!l->variable || !htmt__value_has(index, l->variable))
            continue;
        htmt__value c = htmt__value_coefficient(index, l->variable);
        bool falls = c && c->count && c->term[0].num < 0;
        index = htmt__value_put(index, l->variable, bound_of(l, high != falls));
    }
    return index;
}

/* Keeps what no other end makes needless. */
static void add_end(struct htmt__box_ends *e, htmt__value value, bool high)
{
    for (unsigned i = 0; i < e->count; i++) {
        int64_t more;
        if (!htmt__value_is_whole(htmt__value_sub(value, e->value[i]), &more))
            continue;
        if (high ? more > 0 : more < 0)
            e->value[i] = value;
        return;
    }
    if (value && e->count < sizeof e->value / sizeof *e->value)
        e->value[e->count++] = value;
}

static void add_index(struct htmt__box_axis *axis, const struct htmt__access *a, htmt__value index)
{
    add_end(&axis->low, end_of(a, index, false), false);
    add_end(&axis->high, end_of(a, index, true), true);
}

static htmt__value product_of(htmt__value a, htmt__value b)
{
    return a && b ? htmt__value_mul(a, b) : NULL;
}

/* The number of all components where it is declared. */
static htmt__value components_of(const struct htmt__layout *l)
{
    htmt__value all = htmt__value_whole(1);
    for (unsigned i = 0; i < l->axes; i++)
        if (l->component[i])
            all = product_of(all, l->extent[i]);
    return all;
}

static htmt__value component_of(const struct htmt__access *a)
{
    const struct htmt__layout *l = a->array->layout;
    htmt__value sum = NULL;
    for (unsigned i = 0; i < l->axes; i++)
        if (l->component[i])
            sum = sum ? htmt__value_add(htmt__value_mul(sum, l->extent[i]), a->index[i])
                      : a->index[i];
    return sum;
}

static void add_access(struct htmt__array_box *box, const struct htmt__access *a)
{
    const struct htmt__layout *l = a->array->layout;
    unsigned axis = 0;
    for (unsigned i = 0; i < l->axes; i++)
        if (!l->component[i])
            add_index(&box->axis[axis++], a, a->index[i]);
    if (box->has_components)
        add_index(&box->component, a, component_of(a));
}

static void begin(struct htmt__array_box *box, const struct htmt__layout *l)
{
    *box = (struct htmt__array_box){.axes = 0};
    for (unsigned i = 0; i < l->axes; i++)
        if (l->component[i])
            box->has_components = true;
        else
            box->axis[box->axes++].extent = l->extent[i];
    box->component.extent = box->has_components ? components_of(l) : NULL;
}

bool htmt__box_make(const struct htmt__array *array, struct htmt__array_box *box)
{
    bool any = false;
    if (!array->layout)
        return false;
    begin(box, array->layout);
    for (const struct htmt__access *a = array->accesses; a; a = a->next_of_array)
        if (a->is_listed) {
            add_access(box, a);
            any = true;
        }
    return any;
}

static void join_axis(struct htmt__box_axis *axis, const struct htmt__box_axis *other)
{
    if (axis->extent && htmt__value_same(axis->extent, other->extent))
        return;
    axis->extent = NULL;
    for (unsigned i = 0; i < other->low.count; i++)
        add_end(&axis->low, other->low.value[i], false);
    for (unsigned i = 0; i < other->high.count; i++)
        add_end(&axis->high, other->high.value[i], true);
}

void htmt__box_join(struct htmt__array_box *box, const struct htmt__array_box *other)
{
    for (unsigned i = 0; i < box->axes && box->axes == other->axes; i++)
        join_axis(&box->axis[i], &other->axis[i]);
    if (box->has_components && other->has_components)
        join_axis(&box->component, &other->component);
}
