/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where arrays have elements, and what procedures touch of them.
 *
 * An array's box is as large as it is declared; an axis whose extent is not known reaches as far as
 * the nests do. The end of an index over all iterations follows from the innermost loop out: its
 * variable is replaced by its lower or upper bound, whichever gives the lower or higher value, then
 * that of the loop around, until only parameters are left. [j-1, i] in 1 <= j <= ny-2, 1 <= i <=
 * nx-2 touches 0..ny-3 and 1..nx-2. Ends that differ by a number keep the farther one; others stay
 * side by side, as min() and max().
 *
 * A procedure's box is that of its formal array, with the values of the call in the place of its
 * parameters; all calls that hand an array over join their boxes with that of the nests. Of an
 * array that the procedure knows by itself, the ends get the values of every call, from caller to
 * caller.
 */
#include "emul/tools/analyze/boxes.h"

#include "emul/tools/analyze/memory.h"

#include <stddef.h>
#include <string.h>

enum { CALLS_DEEPEST = 16 };

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

/* ---- what procedures touch ------------------------------------------------------------------- */

struct binding {
    struct htmt__walk *walk;
    struct htmt__actual *first, **end;
};

/* What the formal parameters of the call stand for. */
static htmt__value put(struct htmt__walk *w, const struct htmt__loop_call *call, htmt__value value)
{
    for (const struct htmt__argument *a = call->arguments; a && value; a = a->next)
        if (a->value && a->formal)
            value =
                htmt__value_put(value, htmt__names_parameter(&w->names, a->formal->root), a->value);
    return value;
}

/* The procedure around a loop; NULL: parameters there are those of the file. */
static const struct htmt__declaration *procedure_around(const struct htmt__walk *w,
                                                        const struct htmt__loop *loop)
{
    const struct htmt__routine *r = w->routines;
    while (loop->parent || loop->of)
        loop = loop->parent ? loop->parent : loop->of;
    while (r && r->root != loop)
        r = r->next;
    return r && r->function->is_procedure ? r->function : NULL;
}

static bool has_formals(struct htmt__walk *w, const struct htmt__declaration *f, htmt__value value)
{
    bool has = false;
    for (unsigned i = 0; f && value && i < f->parameters; i++)
        has |= f->parameter[i]->type == HTMT__TYPE_WHOLE && f->parameter[i]->root &&
               htmt__value_has(value, htmt__names_parameter(&w->names, f->parameter[i]->root));
    return has;
}

static void add_outside(struct htmt__walk *w, const struct htmt__declaration *f,
                        struct htmt__box_ends *e, htmt__value value, bool high, unsigned deep);

/* The end, as each call of the procedure makes it. */
static bool add_calls(struct htmt__walk *w, const struct htmt__declaration *f,
                      const struct htmt__loop *in, struct htmt__box_ends *e, htmt__value value,
                      bool high, unsigned deep)
{
    bool any = false;
    for (const struct htmt__item *i = in->items; i; i = i->next) {
        if (i->loop)
            any |= add_calls(w, f, i->loop, e, value, high, deep);
        if (!i->call || i->call->function != f)
            continue;
        add_outside(w, procedure_around(w, in), e, put(w, i->call, value), high, deep);
        any = true;
    }
    return any;
}

/* An end of an array that the procedure does not get handed over: formal parameters mean nothing
 * outside, so it is as far as the calls say. `init(n); init(2*n)` of a loop to its parameter k
 * reach n-1 and 2*n-1. */
static void add_outside(struct htmt__walk *w, const struct htmt__declaration *f,
                        struct htmt__box_ends *e, htmt__value value, bool high, unsigned deep)
{
    bool any = false;
    if (deep < CALLS_DEEPEST && has_formals(w, f, value))
        for (const struct htmt__routine *r = w->routines; r; r = r->next)
            any |= add_calls(w, f, r->root, e, value, high, deep + 1);
    if (!any)
        add_end(e, value, high);
}

/* An axis that is declared from 0 has its extent, another one both ends. */
static void set_declared(struct htmt__box_axis *axis, htmt__value lower, htmt__value extent)
{
    int64_t first = 0;
    bool from_zero = !lower || (htmt__value_is_whole(lower, &first) && !first);
    axis->extent = from_zero ? extent : NULL;
    axis->is_declared = !from_zero && extent;
    if (!axis->is_declared)
        return;
    htmt__value less = htmt__value_sub(extent, htmt__value_whole(1));
    add_end(&axis->low, lower, false);
    add_end(&axis->high, htmt__value_add(lower, less), true);
}

bool htmt__box_make(struct htmt__walk *w, const struct htmt__array *array,
                    struct htmt__array_box *box)
{
    const struct htmt__layout *l = array->layout;
    htmt__value components = htmt__value_whole(1);
    bool any = false;
    if (!l)
        return false;
    *box = (struct htmt__array_box){.axes = 0};
    for (unsigned i = 0; i < l->axes; i++) {
        if (!l->component[i]) {
            set_declared(&box->axis[box->axes++], l->lower[i], l->extent[i]);
            continue;
        }
        box->has_components = true;
        components = components && l->extent[i] ? htmt__value_mul(components, l->extent[i]) : NULL;
    }
    box->component.extent = box->has_components ? components : NULL;
    for (const struct htmt__access *a = array->accesses; a; a = a->next_of_array) {
        const struct htmt__declaration *f = procedure_around(w, a->loop);
        unsigned axis = 0;
        if (!a->is_listed)
            continue;
        any = true;
        for (unsigned i = 0; f && i < f->parameters; i++)
            if (f->parameter[i] == a->root)
                f = NULL; /* the calls hand it over, with values of their own */
        for (unsigned i = 0; i <= l->axes; i++) {
            bool last = i == l->axes;
            if (last ? !box->has_components : l->component[i])
                continue;
            struct htmt__box_axis *to = last ? &box->component : &box->axis[axis++];
            htmt__value index = last ? htmt__layout_component(a) : a->index[i];
            if (has_formals(w, f, to->extent))
                to->extent = NULL;
            bool foreign = false;
            for (unsigned k = 0; to->is_declared && k < to->low.count && k < to->high.count; k++)
                foreign |=
                    has_formals(w, f, to->low.value[k]) || has_formals(w, f, to->high.value[k]);
            if (to->is_declared && !foreign)
                continue;
            if (foreign)
                *to = (struct htmt__box_axis){.extent = NULL};
            add_outside(w, f, &to->low, end_of(a, index, false), false, 0);
            add_outside(w, f, &to->high, end_of(a, index, true), true, 0);
        }
    }
    return any;
}

static bool same_axes(const struct htmt__array_box *a, const struct htmt__array_box *b)
{
    return a->axes == b->axes && a->has_components == b->has_components;
}

/* Both together, where they have the same axes. */
static void join(struct htmt__array_box *box, const struct htmt__array_box *with)
{
    for (unsigned i = 0; i <= box->axes; i++) {
        bool last = i == box->axes;
        struct htmt__box_axis *axis = last ? &box->component : &box->axis[i];
        const struct htmt__box_axis *other = last ? &with->component : &with->axis[i];
        if ((last && !box->has_components) ||
            (axis->extent && htmt__value_same(axis->extent, other->extent)))
            continue;
        axis->extent = NULL;
        for (unsigned k = 0; k < other->low.count; k++)
            add_end(&axis->low, other->low.value[k], false);
        for (unsigned k = 0; k < other->high.count; k++)
            add_end(&axis->high, other->high.value[k], true);
    }
}
const struct htmt__array *htmt__calls_array(const struct htmt__walk *w, const char *path,
                                            const struct htmt__declaration *root)
{
    const struct htmt__array *a = w->arrays;
    while (a && (a->root != root || strcmp(a->path, path)))
        a = a->next;
    if (a && a->joined)
        a = a->joined;
    return a && a->accesses ? a : NULL;
}

const char *htmt__calls_formal(struct htmt__walk *w, struct htmt__declaration *formal)
{
    const char *root = htmt__note_root(w, formal);
    const struct htmt__array *a = htmt__calls_array(w, root, formal);
    return a ? a->name : root;
}

/* ---- calls of procedures ---------------------------------------------------------------------
 *
 * From the innermost procedure out: what a procedure hands on has a box once its own calls are
 * bound, and that box is a part of the one of its caller. outer(u) { inner(u) } gives the u of
 * outer the box of inner's, with the values of the call, and main's array that of outer's u. */

static struct htmt__actual *find(const struct binding *b, const char *path,
                                 const struct htmt__declaration *root)
{
    struct htmt__actual *a = b->first;
    while (a && (a->root != root || strcmp(a->path, path)))
        a = a->next;
    return a;
}

static struct htmt__actual *find_own(const struct binding *b, const struct htmt__array *own)
{
    struct htmt__actual *a = b->first;
    while (a && a->own != own)
        a = a->next;
    return a;
}

static bool is_formal(const struct htmt__walk *w, const struct htmt__declaration *root)
{
    for (const struct htmt__routine *r = w->routines; r && root->is_parameter; r = r->next)
        for (unsigned i = 0; r->function->is_procedure && i < r->function->parameters; i++)
            if (r->function->parameter[i] == root)
                return true;
    return false;
}

/* The box of what the procedure calls by the formal name; false: nothing touches it. */
static bool formal_box(const struct binding *b, const struct htmt__declaration *formal,
                       struct htmt__array_box *box, const struct htmt__array **as)
{
    const struct htmt__actual *on = formal->root ? find(b, formal->root, formal) : NULL;
    *as = formal->root ? htmt__calls_array(b->walk, formal->root, formal) : NULL;
    if (*as && htmt__box_make(b->walk, *as, box)) {
        const struct htmt__actual *own = find_own(b, *as);
        if (own && same_axes(&own->box, box))
            *box = own->box;
        return true;
    }
    if (on) {
        *box = on->box;
        *as = on->as;
    }
    return on != NULL;
}

/* False: the procedure sees the array with other axes. */
static bool bind_array(struct binding *b, const struct htmt__loop_call *call,
                       const struct htmt__argument *a)
{
    struct htmt__array_box box, own;
    const struct htmt__array *as, *actual = htmt__calls_array(b->walk, a->path, a->root);
    if (!formal_box(b, a->formal, &box, &as))
        return true;
    for (unsigned i = 0; i <= box.axes; i++) {
        struct htmt__box_axis *axis = i < box.axes ? &box.axis[i] : &box.component;
        axis->extent = put(b->walk, call, axis->extent);
        for (unsigned k = 0; k < axis->low.count; k++)
            axis->low.value[k] = put(b->walk, call, axis->low.value[k]);
        for (unsigned k = 0; k < axis->high.count; k++)
            axis->high.value[k] = put(b->walk, call, axis->high.value[k]);
    }
    bool named = actual && htmt__box_make(b->walk, actual, &own);
    if (named && !same_axes(&own, &box))
        return false;
    struct htmt__actual *other = named ? find_own(b, actual) : find(b, a->path, a->root);
    if (!other) {
        other = htmt__source_alloc(sizeof *other);
        *other = (struct htmt__actual){.name = a->path,
                                       .path = a->path,
                                       .root = a->root,
                                       .as = as,
                                       .own = named ? actual : NULL,
                                       .box = named ? own : box,
                                       .is_formal = is_formal(b->walk, a->root)};
        *b->end = other;
        b->end = &other->next;
    }
    if (!same_axes(&other->box, &box))
        return false;
    join(&other->box, &box);
    return true;
}

static void bind_routine(struct binding *b, const struct htmt__routine *r);

/* Calls of procedures whose bodies are seen. */
static void bind_calls(struct binding *b, const struct htmt__loop *loop)
{
    for (const struct htmt__item *i = loop->items; i; i = i->next) {
        struct htmt__loop_call *call = i->call;
        const struct htmt__routine *r = b->walk->routines;
        if (i->loop)
            bind_calls(b, i->loop);
        while (call && r && r->function != call->function)
            r = r->next;
        if (!call || !r)
            continue;
        bind_routine(b, r);
        for (const struct htmt__argument *a = call->arguments; a; a = a->next) {
            if (!a->path || !a->formal || bind_array(b, call, a))
                continue;
            htmt__walk_list(b->walk, &call->place,
                            htmt__source_print("found a call of '%s' that sees '%s' with other "
                                               "axes than the nests do",
                                               call->name, a->path));
            call->is_left_out = r->function->has_other_axes = true;
            break;
        }
    }
}

static void bind_routine(struct binding *b, const struct htmt__routine *r)
{
    if (r->function->is_bound)
        return;
    r->function->is_bound = true;
    bind_calls(b, r->root);
}

/* A body that is not seen gets the arrays that the nests name. */
static void bind_unseen(struct binding *b, const struct htmt__loop *loop)
{
    for (const struct htmt__item *i = loop->items; i; i = i->next) {
        struct htmt__loop_call *call = i->call;
        if (i->loop)
            bind_unseen(b, i->loop);
        if (!call || (call->function && call->function->body))
            continue;
        for (struct htmt__argument **a = &call->arguments; *a;) {
            bool named = htmt__calls_array(b->walk, (*a)->path, (*a)->root) ||
                         find(b, (*a)->path, (*a)->root);
            if (named)
                a = &(*a)->next;
            else
                *a = (*a)->next;
        }
        call->is_left_out = !call->arguments;
    }
}

/* Where the name stands for another array already. */
static bool is_taken(const struct binding *b, const struct htmt__actual *of)
{
    for (const struct htmt__array *a = b->walk->arrays; a; a = a->next)
        if (a->is_outer && strcmp(a->name, of->name) == 0)
            return true;
    for (const struct htmt__actual *a = b->first; a != of; a = a->next)
        if (!a->is_formal && !a->same && strcmp(a->name, of->name) == 0)
            return true;
    return false;
}

/* What functions hand over under one name is one array if it has the same axes. */
static void name_actual(struct binding *b, struct htmt__actual *of)
{
    struct htmt__array_box own;
    for (const struct htmt__array *a = b->walk->arrays; a && of->root->is_parameter; a = a->next) {
        if (!a->is_outer || !a->root->is_parameter || strcmp(a->name, of->name) ||
            !htmt__box_make(b->walk, a, &own) || !same_axes(&own, &of->box))
            continue;
        struct htmt__actual *with = find_own(b, a);
        of->own = with ? NULL : a;
        of->same = with;
        join(&own, &of->box);
        if (with)
            join(&with->box, &of->box);
        else
            of->box = own;
        return;
    }
    for (struct htmt__actual *a = b->first; a != of && of->root->is_parameter; a = a->next) {
        if (a->is_formal || a->own || a->same || !a->root->is_parameter ||
            strcmp(a->name, of->name) || !same_axes(&a->box, &of->box))
            continue;
        of->same = a;
        join(&a->box, &of->box);
        return;
    }
    for (unsigned n = 2; is_taken(b, of); n++)
        of->name = htmt__source_print("%s.f%u", of->path, n);
}

struct htmt__actual *htmt__calls_bind(struct htmt__walk *w)
{
    struct binding b = {.walk = w};
    b.end = &b.first;
    for (const struct htmt__routine *r = w->routines; r; r = r->next)
        bind_routine(&b, r);
    for (const struct htmt__routine *r = w->routines; r; r = r->next)
        bind_unseen(&b, r->root);
    for (struct htmt__actual *a = b.first; a; a = a->next)
        if (!a->own && !a->is_formal)
            name_actual(&b, a);
    return b.first;
}

const char *htmt__calls_name(const struct htmt__walk *w, const struct htmt__actual *actuals,
                             const char *path, const struct htmt__declaration *root)
{
    const struct htmt__array *array = htmt__calls_array(w, path, root);
    const struct htmt__actual *a = actuals;
    while (a && (a->root != root || strcmp(a->path, path)))
        a = a->next;
    return array ? array->name : a ? a->name : path;
}
