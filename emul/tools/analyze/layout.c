/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From subscripts as the source has them to axes.
 *
 * A nest file needs an index for each axis of an array, since two accesses are apart by so many
 * cells along each. C programs write "u[i + nx*(j + ny*k)]": one subscript, and nothing says that
 * nx is the length of a row. Two things give it away: the coefficients of the loop variables in all
 * accesses of the array (here 1, nx, nx*ny), and factors that the source multiplied with (the hints
 * of expression.c). Each stride must divide the next. Division of the subscript by the strides,
 * largest first, then gives the indices: k, j, i. They are right only if each stays within its axis
 * in every iteration, so isl has to prove 0 <= i < nx and 0 <= j < ny from the loops' bounds and
 * --assume; the slowest axis needs no proof.
 *
 * By hand: u[i + nx*j] in loops 1 <= i <= nx-2, 1 <= j <= ny-2, and u[i + nx*j - nx], u[i + nx*j +
 * 1]: strides 1 and nx; [j, i], [j-1, i], [j, i+1]; i and i+1 are within 0..nx-1, which is proved.
 * Had the inner loop run to nx, [j, i+1] could lie in the next row: the access is refused, with the
 * range that was not proved in the message.
 *
 * Strides that are numbers may be steps instead: "2*i" of an array through which i moves by two.
 * They are tried as axes first, and taken as steps where that is not proved. An axis along which no
 * loop over space moves has components: several words of each cell.
 *
 * Division can take a row too many: (m + 4)*k + m + i is row k and place m + i, or, as m is one row
 * less 4, row k + 1 and place i - 4. Both are the same word; the one is right whose place is proved
 * to lie in the row, and if none is, the first one whose range can be assumed.
 *
 * buffer[start + i + n*j] says nothing of how start lies to n. A parameter that all accesses add,
 * and that no loop around and no stride knows, is where the array begins in memory: it is left off.
 * What they subtract is the index of a first cell, which has to do with the loops.
 */
#include "emul/tools/analyze/layout.h"

#include "emul/tools/analyze/memory.h"

#include <stddef.h>
#include <string.h>

enum { STRIDES_MAX = 8 };

/* Strides of the last subscript, from 1 up; each divides the next. */
struct strides {
    unsigned count;
    htmt__value stride[STRIDES_MAX];
    bool whole;        /* all are numbers: what is not proved stays as it is */
    htmt__value start; /* what all subscripts add */
};

/* ---- strides --------------------------------------------------------------------------------- */

static bool add_stride(struct strides *s, htmt__value stride)
{
    for (unsigned i = 0; i < s->count; i++)
        if (htmt__value_same(s->stride[i], stride))
            return true;
    if (s->count == STRIDES_MAX)
        return false;
    s->stride[s->count++] = stride;
    return true;
}

/* The last subscript of an access: what its loop variables are multiplied with. */
static bool take_strides(const struct htmt__access *a, struct strides *s, bool numbers)
{
    htmt__value last = a->subscript[a->dimensions - 1];
    for (const struct htmt__loop *l = a->loop; l; l = l->parent) {
        int64_t whole;
        if (l->kind != HTMT__LOOP_SPACE && l->kind != HTMT__LOOP_INNER)
            continue;
        htmt__value c = htmt__value_coefficient(last, l->variable);
        if (!c)
            return false;
        if (c->count && c->term[0].num < 0)
            c = htmt__value_sub(htmt__value_whole(0), c);
        bool number = htmt__value_is_whole(c, &whole);
        if ((!number || (numbers && whole > 1)) && !add_stride(s, c))
            return false;
    }
    return true;
}

/* Each divides the next; false: two strides of which none divides the other. */
static bool order_strides(struct strides *s)
{
    for (unsigned i = 1; i < s->count; i++)
        for (unsigned j = i; j && !htmt__value_quotient(s->stride[j], s->stride[j - 1]); j--) {
            htmt__value swap = s->stride[j];
            s->stride[j] = s->stride[j - 1];
            s->stride[j - 1] = swap;
        }
    for (unsigned i = 1; i < s->count; i++)
        if (!htmt__value_quotient(s->stride[i], s->stride[i - 1]))
            return false;
    return true;
}

/* The part of the longer of two coefficients that the other one leaves, where it is a sum of both:
 * 1 of n + 1 and n. NULL: it is none. Of n + 3 and n + 2, which are as long, the sum is what
 * leaves something positive. */
static htmt__value left_of_sum(htmt__value sum, htmt__value stride)
{
    htmt__value rest, many = htmt__value_divide(sum, stride, &rest);
    int64_t whole;
    if (!htmt__value_degree(stride) || sum->count < stride->count || !many ||
        !htmt__value_is_whole(many, &whole) || whole < 1 || !rest->count)
        return NULL;
    const bool negative = rest->term[0].num < 0;
    if (negative && sum->count == stride->count)
        return NULL;
    return negative ? htmt__value_sub(htmt__value_whole(0), rest) : rest;
}

/* A loop variable that moves along two axes has a sum of strides as its coefficient, n + 1 in
 * a[i * n + i], the diagonal of what others see as a[i * n + j]. What one of the others leaves of
 * it takes its place. */
static void part_sums(struct strides *s)
{
    for (unsigned i = 0; i < s->count; i++)
        for (unsigned j = 0; j < s->count; j++) {
            htmt__value rest = i == j ? NULL : left_of_sum(s->stride[i], s->stride[j]);
            if (!rest)
                continue;
            s->stride[i] = s->stride[--s->count];
            if (htmt__value_degree(rest))
                add_stride(s, rest);
            i = 0, j = s->count; /* anew: this one may have been a part of others */
        }
}

/* The part of the last subscript that the slowest stride counts is a number of blocks, and a place
 * in one of them that is proved to be none below it. */
static bool is_block(struct htmt__prover *p, const struct htmt__access *a, htmt__value top,
                     htmt__value extent)
{
    htmt__value rest, last = a->subscript[a->dimensions - 1];
    htmt__value many = htmt__value_divide(last, top, &rest);
    htmt__value blocks = htmt__value_divide(many, extent, &rest);
    int64_t whole;
    return htmt__value_is_whole(blocks, &whole) && whole > 0 &&
           htmt__prover_holds(p, a->loop, rest);
}

/* Components behind each other: a factor of the source is their distance, or it is that in units of
 * the slowest stride. */
static bool take_hint(const struct htmt__walk *w, struct htmt__prover *p,
                      const struct htmt__access *a, struct strides *s)
{
    htmt__value top = s->stride[s->count - 1];
    for (unsigned i = 0; i < w->hints; i++) {
        htmt__value extent = htmt__value_quotient(w->hint[i], top);
        if (extent && htmt__value_degree(extent) && is_block(p, a, top, extent))
            return add_stride(s, w->hint[i]);
        if (is_block(p, a, top, w->hint[i]))
            return add_stride(s, htmt__value_mul(top, w->hint[i]));
    }
    return false;
}

static bool bounds_have(const struct htmt__loop *l, htmt__symbol symbol)
{
    bool has = false;
    for (; l && !has; l = l->parent) {
        for (unsigned i = 0; i < l->lowers; i++)
            has |= htmt__value_has(l->lower[i], symbol);
        for (unsigned i = 0; i < l->uppers; i++)
            has |= htmt__value_has(l->upper[i], symbol);
        for (const struct htmt__constraint *c = l->where; c; c = c->next)
            has |= htmt__value_has(c->value, symbol);
    }
    return has;
}

/* All accesses add `num` times the parameter, of which nothing else is known. */
static bool is_start(const struct htmt__names *n, const struct htmt__array *array,
                     const struct strides *s, htmt__symbol symbol, int64_t num)
{
    bool good = symbol && htmt__names_is_parameter(n, symbol);
    for (unsigned i = 0; i < s->count; i++)
        good &= !htmt__value_has(s->stride[i], symbol);
    for (const struct htmt__access *a = array->accesses; a && good; a = a->next_of_array) {
        int64_t whole;
        htmt__value c = htmt__value_coefficient(a->subscript[a->dimensions - 1], symbol);
        good =
            c && htmt__value_is_whole(c, &whole) && whole == num && !bounds_have(a->loop, symbol);
    }
    return good;
}

static htmt__value start_of(const struct htmt__names *n, const struct htmt__array *array,
                            const struct strides *s)
{
    const struct htmt__access *a = array->accesses;
    htmt__value last = a->subscript[a->dimensions - 1], start = htmt__value_whole(0);
    for (unsigned i = 0; i < last->count; i++) {
        const struct htmt__source_term *t = &last->term[i];
        if (t->den == 1 && t->num > 0 && !t->factor[1] &&
            is_start(n, array, s, t->factor[0], t->num))
            start = htmt__value_add(start, htmt__value_mul(htmt__value_whole(t->num),
                                                           htmt__value_symbol(t->factor[0])));
    }
    return start;
}

static bool find_strides(const struct htmt__walk *w, struct htmt__prover *p,
                         const struct htmt__array *array, struct strides *s, bool numbers)
{
    *s = (struct strides){.count = 1, .stride = {htmt__value_whole(1)}};
    for (const struct htmt__access *a = array->accesses; a; a = a->next_of_array)
        if (a->dimensions != array->accesses->dimensions || !take_strides(a, s, numbers))
            return false;
    if (!order_strides(s)) {
        part_sums(s);
        if (!order_strides(s))
            return false;
    }
    for (const struct htmt__access *a = array->accesses; a; a = a->next_of_array)
        if (take_hint(w, p, a, s) && !order_strides(s))
            return false;
    s->whole = htmt__value_degree(s->stride[s->count - 1]) == 0;
    s->start = s->whole ? htmt__value_whole(0) : start_of(&w->names, array, s);
    return true;
}

/* ---- axes ------------------------------------------------------------------------------------ */

/* Whether 0 <= part <= last, supposing what must hold of parameters if that is wanted. */
static bool is_within(struct htmt__prover *p, const struct htmt__loop *loop, htmt__value part,
                      htmt__value last, bool supposing)
{
    const struct htmt__supposed *before = htmt__prover_supposed(p);
    htmt__value room = htmt__value_sub(last, part);
    if (!supposing)
        return htmt__prover_holds(p, loop, part) && htmt__prover_holds(p, loop, room);
    if (htmt__prover_suppose(p, loop, part) && htmt__prover_suppose(p, loop, room))
        return true;
    htmt__prover_forget(p, before);
    return false;
}

/* Whether `rest` lies in a row; where it does not, a row less in `rows`, which may be NULL, or one
 * more may help. */
static bool fit(struct htmt__prover *p, const struct htmt__loop *loop, htmt__value extent,
                htmt__value *rows, htmt__value *rest)
{
    static const int by[] = {0, -1, 1};
    /* Strides that are numbers may be steps: nothing is supposed for them. */
    const bool numbers = htmt__value_degree(extent) == 0;
    const htmt__value last = htmt__value_sub(extent, htmt__value_whole(1));
    const unsigned ways = numbers || !rows ? 1 : sizeof by / sizeof *by;
    for (unsigned i = 0; i < (numbers ? 1 : 2 * ways); i++) {
        const htmt__value row = htmt__value_whole(by[i % ways]);
        const htmt__value place = htmt__value_sub(*rest, htmt__value_mul(row, extent));
        if (!is_within(p, loop, place, last, i >= ways))
            continue;
        *rest = place;
        if (rows)
            *rows = htmt__value_add(*rows, row);
        return true;
    }
    return false;
}

/* The last subscript in parts, slowest first; false: a part may pass the extent of its axis, and
 * nothing is supposed for the others. */
static bool split(const struct htmt__names *n, struct htmt__prover *p, struct htmt__access *a,
                  const struct strides *s, htmt__value *index)
{
    const struct htmt__supposed *before = htmt__prover_supposed(p);
    htmt__value left = a->subscript[a->dimensions - 1],
                lower = a->dimensions == a->array->dimensions ? a->array->lower[a->dimensions - 1]
                                                              : NULL;
    if (lower && s->count > 1)
        left = htmt__value_sub(left, lower);
    left = htmt__value_sub(left, s->start);
    for (unsigned i = s->count; i--;) {
        htmt__value rest = htmt__value_whole(0), part = left;
        if (i)
            part = htmt__value_divide(left, s->stride[i], &rest);
        left = rest;
        if (!part) {
            htmt__prover_forget(p, before);
            return false;
        }
        index[s->count - 1 - i] = part;
        if (i + 1 == s->count)
            continue;
        htmt__value extent = htmt__value_quotient(s->stride[i + 1], s->stride[i]);
        htmt__value last = htmt__value_sub(extent, htmt__value_whole(1));
        htmt__value *rows = i + 2 == s->count ? index : NULL; /* the others have ranges, too */
        if (fit(p, a->loop, extent, rows, &index[s->count - 1 - i]))
            continue;
        a->why = htmt__source_print("found %s in a subscript of '%s', where 0..%s is not proved; "
                                    "expected --assume with what proves it",
                                    htmt__names_print(n, part), a->array->name,
                                    htmt__names_print(n, last));
        htmt__prover_forget(p, before);
        return false;
    }
    return true;
}

/* Indices of all accesses; false: one has none. */
static bool set_indices(const struct htmt__names *n, struct htmt__prover *p,
                        struct htmt__array *array, const struct strides *s)
{
    bool good = true;
    for (struct htmt__access *a = array->accesses; a; a = a->next_of_array) {
        unsigned before = a->dimensions - 1;
        a->index = htmt__source_alloc((before + s->count) * sizeof(htmt__value));
        memcpy(a->index, a->subscript, before * sizeof(htmt__value));
        if (split(n, p, a, s, a->index + before))
            continue;
        a->index = NULL;
        good = false;
    }
    return good;
}

static void make(struct htmt__walk *w, struct htmt__prover *p, struct htmt__array *array)
{
    struct strides s;
    bool numbers = find_strides(w, p, array, &s, true) && s.count > 1 &&
                   array->accesses->dimensions - 1 + s.count <= HTMT__AXES_MAX &&
                   set_indices(&w->names, p, array, &s);
    struct htmt__layout *l = array->layout = htmt__source_alloc(sizeof *l);
    if (!numbers && find_strides(w, p, array, &s, false))
        set_indices(&w->names, p, array, &s);
    else if (!numbers)
        return;
    /* What is declared, and for the axes of the last subscript what the strides say. */
    unsigned before = array->accesses->dimensions - 1;
    l->axes = before + s.count;
    for (unsigned i = 0; i <= before && array->dimensions == before + 1; i++)
        l->extent[i] = array->extent[i], l->lower[i] = array->lower[i];
    if (s.count > 1)
        l->lower[before] = NULL;
    if (s.count > 1 && l->extent[before])
        l->extent[before] = htmt__value_quotient(l->extent[before], s.stride[s.count - 1]);
    for (unsigned i = 0; i + 1 < s.count; i++)
        l->extent[l->axes - 1 - i] = htmt__value_quotient(s.stride[i + 1], s.stride[i]);
}

/* ---- components ------------------------------------------------------------------------------ */

/* Several axes of components can be numbered through if their sizes are known, and only the last
 * one has ranges. */
static bool is_numbered(const struct htmt__array *array)
{
    const struct htmt__layout *l = array->layout;
    unsigned last = 0, count = 0;
    for (unsigned i = 0; i < l->axes; i++)
        if (l->component[i]) {
            last = i;
            if (count++ && !l->extent[i])
                return false;
        }
    for (const struct htmt__access *a = array->accesses; a && count > 1; a = a->next_of_array)
        for (const struct htmt__loop *o = a->loop; o && a->index; o = o->parent)
            for (unsigned i = 0; i < last && o->kind == HTMT__LOOP_INNER; i++)
                if (htmt__value_has(a->index[i], o->variable))
                    return false;
    return true;
}

void htmt__layout_components(struct htmt__walk *w)
{
    for (struct htmt__array *array = w->arrays; array; array = array->next) {
        struct htmt__layout *l = array->layout;
        for (unsigned i = 0; l && i < l->axes; i++) {
            l->component[i] = true;
            for (const struct htmt__access *a = array->accesses; a; a = a->next_of_array)
                for (const struct htmt__loop *o = a->loop; o && a->index; o = o->parent)
                    l->component[i] &=
                        o->kind != HTMT__LOOP_SPACE || !htmt__value_has(a->index[i], o->variable);
        }
        if (l && !is_numbered(array))
            memset(l->component, 0, sizeof l->component);
    }
}

htmt__value htmt__layout_component(const struct htmt__access *a)
{
    const struct htmt__layout *l = a->array->layout;
    htmt__value sum = NULL;
    for (unsigned i = 0; i < l->axes; i++)
        if (l->component[i]) {
            htmt__value own = a->index[i];
            own = l->lower[i] ? htmt__value_sub(own, l->lower[i]) : own;
            sum = sum ? htmt__value_add(htmt__value_mul(sum, l->extent[i]), own) : own;
        }
    return sum;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static void collect(const struct htmt__loop *loop)
{
    for (const struct htmt__work *work = &loop->work; work; work = work->next)
        for (struct htmt__access *a = work->accesses; a; a = a->next) {
            struct htmt__array *array = a->array;
            *(array->last ? array->last : &array->accesses) = a;
            array->last = &a->next_of_array;
        }
    for (const struct htmt__item *i = loop->items; i; i = i->next)
        if (i->loop)
            collect(i->loop);
}

/* What functions get under one name is one array if it has one layout. Arrays before it follow in
 * its bucket. */
static void join_named(struct htmt__array *array)
{
    struct htmt__layout *own = array->layout;
    unsigned others = 1;
    for (struct htmt__array *a = array->same_bucket; a; a = a->same_bucket) {
        struct htmt__layout *l = a->layout;
        if (!a->accesses || strcmp(a->path, array->path))
            continue;
        bool alike = l && own && l->axes == own->axes && a->element_bytes == array->element_bytes;
        for (unsigned i = 1; alike && i < l->axes; i++)
            alike =
                l->extent[i] == own->extent[i] || htmt__value_same(l->extent[i], own->extent[i]);
        if (!alike) {
            others++;
            continue;
        }
        for (struct htmt__access *x = array->accesses; x; x = x->next_of_array)
            x->array = a;
        *a->last = array->accesses;
        a->last = array->last;
        if (!htmt__value_same(l->extent[0], own->extent[0]))
            l->extent[0] = NULL;
        array->accesses = NULL;
        array->joined = a;
        return;
    }
    if (others > 1)
        array->name = htmt__source_print("%s.f%u", array->path, others);
}

void htmt__layout_make(struct htmt__walk *w, struct htmt__prover *p)
{
    for (const struct htmt__routine *r = w->routines; r; r = r->next)
        collect(r->root);
    for (struct htmt__array *a = w->arrays; a; a = a->next)
        if (a->accesses)
            make(w, p, a);
    for (struct htmt__array *a = w->arrays; a; a = a->next)
        if (a->accesses)
            join_named(a);
}
