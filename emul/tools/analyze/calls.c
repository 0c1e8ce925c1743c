/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/tools/analyze/calls.h"

#include "emul/tools/analyze/memory.h"

#include <stddef.h>
#include <string.h>

struct binding {
    struct htmt__walk *walk;
    struct htmt__actual *first, **end;
};

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

/* ---- boxes ----------------------------------------------------------------------------------- */

/* What the formal parameters of the call stand for. */
static htmt__value put(const struct binding *b, const struct htmt__loop_call *call,
                       htmt__value value)
{
    for (const struct htmt__argument *a = call->arguments; a && value; a = a->next)
        if (a->value && a->formal)
            value = htmt__value_put(value, htmt__names_parameter(&b->walk->names, a->formal->root),
                                    a->value);
    return value;
}

static void put_axis(const struct binding *b, const struct htmt__loop_call *call,
                     struct htmt__box_axis *axis)
{
    axis->extent = put(b, call, axis->extent);
    for (unsigned i = 0; i < axis->low.count; i++)
        axis->low.value[i] = put(b, call, axis->low.value[i]);
    for (unsigned i = 0; i < axis->high.count; i++)
        axis->high.value[i] = put(b, call, axis->high.value[i]);
}

static bool make_box(const struct binding *b, const struct htmt__loop_call *call,
                     const struct htmt__array *formal, struct htmt__array_box *box)
{
    if (!formal || !htmt__box_make(formal, box))
        return false;
    for (unsigned i = 0; i < box->axes; i++)
        put_axis(b, call, &box->axis[i]);
    put_axis(b, call, &box->component);
    return true;
}

/* ---- binding --------------------------------------------------------------------------------- */

static struct htmt__actual *find(const struct binding *b, const struct htmt__array *own,
                                 const char *name)
{
    struct htmt__actual *a = b->first;
    while (a && (a->own != own || (!own && strcmp(a->name, name))))
        a = a->next;
    return a;
}

static struct htmt__actual *add(struct binding *b, const struct htmt__argument *from,
                                const struct htmt__array *as, const struct htmt__array *own,
                                const struct htmt__array_box *box)
{
    struct htmt__actual *a = htmt__source_alloc(sizeof *a);
    *a = (struct htmt__actual){from->path, from->root, as, own, *box, NULL};
    *b->end = a;
    b->end = &a->next;
    return a;
}

static bool same_axes(const struct htmt__array_box *a, const struct htmt__array_box *b)
{
    return a->axes == b->axes && a->has_components == b->has_components;
}

/* False: the procedure sees the array with other axes. */
static bool bind_array(struct binding *b, const struct htmt__loop_call *call,
                       const struct htmt__argument *a)
{
    struct htmt__array_box box, own;
    const char *root = a->formal->root;
    const struct htmt__array *formal = htmt__calls_array(b->walk, root, a->formal),
                             *actual = htmt__calls_array(b->walk, a->path, a->root);
    if (!make_box(b, call, formal, &box))
        return true;
    bool named = actual && htmt__box_make(actual, &own);
    if (named && !same_axes(&own, &box))
        return false;
    struct htmt__actual *other = find(b, named ? actual : NULL, a->path);
    if (!other)
        other = add(b, a, formal, named ? actual : NULL, named ? &own : &box);
    if (!same_axes(&other->box, &box))
        return false;
    htmt__box_join(&other->box, &box);
    return true;
}

static void leave_out(struct binding *b, struct htmt__loop_call *call, const char *array)
{
    const char *why = htmt__source_print("found a call of '%s' that sees '%s' with other axes than "
                                         "the nests do",
                                         call->name, array);
    htmt__walk_list(b->walk, &call->place, why);
    call->is_left_out = true;
}

static void bind_call(struct binding *b, struct htmt__loop_call *call)
{
    for (const struct htmt__argument *a = call->arguments; a && !call->is_left_out; a = a->next)
        if (a->path && a->formal && !bind_array(b, call, a))
            leave_out(b, call, a->path);
}

/* A body that is not seen gets the arrays that the nests name. */
static void bind_unseen(const struct binding *b, struct htmt__loop_call *call)
{
    struct htmt__argument **a = &call->arguments;
    while (*a) {
        bool named =
            htmt__calls_array(b->walk, (*a)->path, (*a)->root) || find(b, NULL, (*a)->path);
        if (named)
            a = &(*a)->next;
        else
            *a = (*a)->next;
    }
    call->is_left_out = !call->arguments;
}

static void bind_all(struct binding *b, const struct htmt__loop *loop, bool seen)
{
    for (const struct htmt__item *i = loop->items; i; i = i->next) {
        if (i->loop)
            bind_all(b, i->loop, seen);
        else if (seen == (i->call->function && i->call->function->body))
            (seen ? bind_call(b, i->call) : bind_unseen(b, i->call));
    }
}

struct htmt__actual *htmt__calls_bind(struct htmt__walk *w)
{
    struct binding b = {.walk = w};
    b.end = &b.first;
    for (const struct htmt__routine *r = w->routines; r; r = r->next)
        bind_all(&b, r->root, true);
    for (const struct htmt__routine *r = w->routines; r; r = r->next)
        bind_all(&b, r->root, false);
    return b.first;
}
