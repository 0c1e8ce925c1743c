/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Nests out of the tree of loops.
 *
 * A nest is a chain of loops over space around a body. Each loop over space with work of its own
 * makes one, so loops that have others beside their statements make several: the statements before
 * an inner loop are a nest of less depth. A loop of constant length, such as one over three
 * components, is not space if its variable only numbers words of a cell: its body is multiplied
 * out, and a reference gets a range.
 *
 *     for (j = 1; j < ny - 1; j++)                    nest f: loops j, i
 *         for (i = 1; i < nx - 1; i++)                   ops: add 5, mul 5
 *             for (c = 0; c < 5; c++)                    read v:0..4[j, i-1] x1
 *                 u[c][j][i] += a * v[c][j][i - 1];      update u:0..4[j, i] x1
 *
 * c is multiplied out as it moves both arrays by single words along an axis that no other loop
 * moves. If it moved along the fastest axis, or were the only loop that moves an array, the array
 * would be read along it: then it is a loop of the nest. What no loop over space moves is state of
 * the nest: a variable, or a few words that stay while it runs.
 */
#include "emul/tools/analyze/nests.h"

#include "emul/tools/analyze/memory.h"

#include <stddef.h>
#include <string.h>

enum {
    BUCKETS = 1 << 14,
    DEEPEST = 8,
    TABLE_MOST = 64,     /* words of a table that is state */
    COMPONENTS_MOST = 64 /* iterations of a loop over components, where they are known */
};

htmt__value htmt__nests_trip(const struct htmt__loop *loop)
{
    return htmt__value_add(htmt__value_sub(loop->upper[0], loop->lower[0]), htmt__value_whole(1));
}

/* ---- loops that are multiplied out ----------------------------------------------------------- */

/* How the loop moves references. */
struct moving {
    unsigned tables; /* those that no other loop moves */
    bool written;    /* some of these, that is */
    unsigned others; /* those that others move, too, along other axes */
    bool mixed;      /* along an axis with another loop, several axes, by more than a word, or along
                      * the fastest axis that any loop moves */
};

static bool is_loop(const struct htmt__loop *loop)
{
    return loop->kind == HTMT__LOOP_SPACE || loop->kind == HTMT__LOOP_INNER;
}

static void add_moving(struct moving *m, const struct htmt__access *a,
                       const struct htmt__loop *loop)
{
    unsigned axes = a->index ? a->array->layout->axes : 0, moved = 0;
    bool last = false, others = false;
    m->mixed |= !a->index;
    for (unsigned i = 0; i < axes; i++) {
        int64_t by = 0;
        bool own = htmt__value_has(a->index[i], loop->variable), together = false;
        for (const struct htmt__loop *l = a->loop; l; l = l->parent)
            together |= is_loop(l) && l->variable != loop->variable &&
                        htmt__value_has(a->index[i], l->variable);
        others |= together;
        last = own || (last && !together);
        moved += own;
        if (own)
            m->mixed |=
                together ||
                !htmt__value_is_whole(htmt__value_coefficient(a->index[i], loop->variable), &by) ||
                by != 1;
    }
    m->mixed |= moved > 1 || (last && others);
    m->tables += moved && !others;
    m->written |= moved && !others && a->kind != HTMT__READ;
    m->others += moved && others;
}

static void find_moving(struct moving *m, const struct htmt__loop *in,
                        const struct htmt__loop *loop)
{
    for (const struct htmt__work *work = &in->work; work; work = work->next)
        for (const struct htmt__access *a = work->accesses; a; a = a->next)
            add_moving(m, a, loop);
    for (const struct htmt__item *i = in->items; i; i = i->next) {
        m->mixed |= !i->loop;
        if (i->loop)
            find_moving(m, i->loop, loop);
    }
}

/* Whether a loop over space around is as long as a parameter says that tells this one's length. */
static bool is_as_long_as_space(const struct htmt__loop *loop)
{
    const htmt__value own = htmt__nests_trip(loop);
    for (const struct htmt__loop *l = loop->parent; l; l = l->parent) {
        const htmt__value trip = l->kind == HTMT__LOOP_SPACE && l->lowers == 1 && l->uppers == 1
                                     ? htmt__nests_trip(l)
                                     : NULL;
        for (unsigned i = 0; trip && own && i < own->count; i++)
            for (unsigned f = 0; f < HTMT__DEGREE_MAX && own->term[i].factor[f]; f++)
                if (htmt__value_has(trip, own->term[i].factor[f]))
                    return true;
    }
    return false;
}

/* Never less than none where parameters are 1 at least, or by the loops around. */
static bool has_length(const struct htmt__walk *w, const struct htmt__loop *loop)
{
    const htmt__value trip = htmt__nests_trip(loop);
    int64_t sum = 0;
    for (unsigned i = 0; trip && i < trip->count; i++)
        sum += trip->term[i].num;
    return sum >= 0 || htmt__prover_holds(w->prover, loop->parent, trip);
}

static bool is_constant(const struct htmt__walk *w, const struct htmt__loop *loop)
{
    bool constant = loop->lowers == 1 && loop->uppers == 1 && loop->step == 1 &&
                    htmt__names_fixed(&w->names, loop->lower[0]) &&
                    htmt__names_fixed(&w->names, loop->upper[0]) && has_length(w, loop);
    for (const struct htmt__loop *c = loop->copies; c && constant; c = c->next_copy)
        constant = is_constant(w, c);
    return constant;
}

/* No loop in it stays one; its views are it. */
static bool has_inner_alone(const struct htmt__loop *loop)
{
    bool alone = true;
    for (const struct htmt__item *i = loop->items; i && alone; i = i->next)
        alone = i->loop && (i->loop->kind == HTMT__LOOP_INNER ||
                            (i->loop->variable == loop->variable && has_inner_alone(i->loop)));
    return alone;
}

/* A loop of constant length in others over space, with none but such loops in it, whose variable
 * numbers components; a longer one runs over space. Words that it alone moves are a table, which
 * becomes state of the nest, without traffic: right of coefficients w[c] of a few components, which
 * the nearest memory keeps. Without any components, or with a larger table, it is a loop over
 * space. In c[i] += a[i][j] * b[i] with i inside, b and c come again in each iteration of j from
 * wherever n words of both fit. Of a length that only a parameter tells, a table is small if it is
 * only read; a loop as long as one over space, by the same parameter, is one itself. */
static bool is_inner(const struct htmt__walk *w, const struct htmt__loop *loop)
{
    struct moving m = {.tables = 0};
    if (loop->kind != HTMT__LOOP_SPACE || loop->parent->kind != HTMT__LOOP_SPACE ||
        !is_constant(w, loop) || !has_inner_alone(loop))
        return false;
    find_moving(&m, loop, loop);
    int64_t words = 0;
    const bool told = htmt__value_is_whole(htmt__nests_trip(loop), &words);
    const bool few = told ? words <= TABLE_MOST : !m.written;
    if (told ? words > COMPONENTS_MOST : is_as_long_as_space(loop))
        return false;
    return !m.mixed && (!m.tables || (m.others && few));
}

/* Parameters, variables of loops around and words of nest files have their names already. */
static void name_variable(struct htmt__walk *w, const struct htmt__loop *loop)
{
    const struct htmt__names *names = &w->names;
    const char *own = htmt__names_text(names, loop->variable), *name = own;
    for (unsigned n = 2;; n++) {
        bool taken = htmt__known_word(name) || htmt__names_find(names, name, strlen(name));
        for (const struct htmt__loop *l = loop->parent; l && !taken; l = l->parent)
            taken = is_loop(l) && strcmp(htmt__names_text(names, l->variable), name) == 0;
        if (!taken)
            break;
        name = htmt__source_print("%s_%u", own, n);
    }
    htmt__names_rename(&w->names, loop->variable, name);
}

/* A loop and all views of it. */
static void multiply_out(struct htmt__loop *loop)
{
    loop->kind = HTMT__LOOP_INNER;
    for (struct htmt__loop *c = loop->copies; c; c = c->next_copy)
        multiply_out(c);
}

static void classify(struct htmt__walk *w, struct htmt__loop *loop)
{
    if (is_loop(loop) && !loop->of)
        name_variable(w, loop);
    for (const struct htmt__item *i = loop->items; i; i = i->next)
        if (i->loop)
            classify(w, i->loop);
    if (!loop->of && is_inner(w, loop))
        multiply_out(loop);
}

void htmt__nests_classify(struct htmt__walk *w)
{
    /* formal names of procedures are parameters, which a file tells before any loop, used or not */
    for (const struct htmt__routine *r = w->routines; r; r = r->next)
        for (unsigned i = 0;
             r->function && r->function->is_procedure && i < r->function->parameters; i++)
            if (r->function->parameter[i]->type == HTMT__TYPE_WHOLE)
                (void)htmt__names_parameter(&w->names,
                                            htmt__note_root(w, r->function->parameter[i]));
    for (const struct htmt__routine *r = w->routines; r; r = r->next)
        classify(w, r->root);
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* Iterations of a loop that is multiplied out, never less than none. */
static htmt__value trip_of(struct htmt__walk *w, const struct htmt__loop *loop)
{
    int64_t number;
    const htmt__value trip = htmt__nests_trip(loop);
    if (htmt__value_is_whole(trip, &number))
        return htmt__value_whole(number < 0 ? 0 : number);
    if (!htmt__value_can_sink(trip))
        return trip;
    const htmt__symbol symbol = htmt__names_parameter(
        &w->names, htmt__source_print("max(0,%s)", htmt__names_print(&w->names, trip)));
    return symbol ? htmt__value_symbol(symbol) : NULL;
}

static htmt__value times_of(struct htmt__weight weight, htmt__value times)
{
    return htmt__value_mul(htmt__value_ratio(weight.num, weight.den ? weight.den : 1), times);
}

static unsigned hash_of(const char *text)
{
    unsigned hash = 5381;
    for (; *text; text++)
        hash = hash * 33 + (unsigned char)*text;
    return hash % BUCKETS;
}

static struct htmt__nest_state_row *state_of(struct htmt__nest_list *list,
                                             struct htmt__nest_body *b, const char *name,
                                             enum htmt__syntax_type type)
{
    struct htmt__nest_state_row **bucket = &list->state_bucket[hash_of(name)], *s = *bucket;
    htmt__value none = htmt__value_whole(0);
    while (s && (s->body != b || strcmp(s->name, name)))
        s = s->same_bucket;
    if (s)
        return s;
    s = htmt__source_alloc(sizeof *s);
    *s = (struct htmt__nest_state_row){name, type, none, none, none, NULL, *bucket, b};
    *bucket = s;
    *(b->last_state ? b->last_state : &b->states) = s;
    b->last_state = &s->next;
    return s;
}

/* ---- references ------------------------------------------------------------------------------ */

/* An index as the file has it: a range where a loop that is multiplied out moves it. */
static const char *range_text(const struct htmt__walk *w, const struct htmt__access *a,
                              htmt__value index)
{
    const struct htmt__loop *inner = a->loop;
    while (inner && (inner->kind != HTMT__LOOP_INNER || !htmt__value_has(index, inner->variable)))
        inner = inner->parent;
    if (!inner)
        return htmt__names_print(&w->names, index);
    htmt__value low = htmt__value_put(index, inner->variable, inner->lower[0]),
                high = htmt__value_put(index, inner->variable, inner->upper[0]);
    return htmt__source_print("%s..%s", htmt__names_print(&w->names, low),
                              htmt__names_print(&w->names, high));
}

static const char *reference_text(const struct htmt__walk *w, const struct htmt__access *a)
{
    const struct htmt__layout *l = a->array->layout;
    htmt__value component = htmt__layout_component(a);
    const char *text = component ? htmt__source_print(":%s[", range_text(w, a, component)) : "[";
    bool first = true;
    for (unsigned n = 0; n < l->axes; n++) {
        unsigned i = w->is_fortran ? l->axes - 1 - n : n; /* the fastest axis first */
        if (l->component[i])
            continue;
        text = htmt__source_print("%s%s%s", text, first ? "" : ", ", range_text(w, a, a->index[i]));
        first = false;
    }
    return htmt__source_print("%s]", text);
}

static bool moves(const struct htmt__access *a)
{
    for (const struct htmt__loop *l = a->loop; l; l = l->parent)
        for (unsigned i = 0; i < a->array->layout->axes && l->kind == HTMT__LOOP_SPACE; i++)
            if (htmt__value_has(a->index[i], l->variable))
                return true;
    return false;
}

/* The entry that counts it; *new: it is the first of its form. */
static struct htmt__nest_reference *add_reference(struct htmt__nest_list *list,
                                                  struct htmt__nest_body *b, struct htmt__access *a,
                                                  const char *text, htmt__value times, bool *new)
{
    struct htmt__nest_reference **bucket = &list->bucket[hash_of(text)], *r = *bucket;
    while (r &&
           (r->body != b || r->array != a->array || r->kind != a->kind || strcmp(r->text, text)))
        r = r->same_bucket;
    *new = !r;
    if (r) {
        r->times = htmt__value_add(r->times, times);
        return r;
    }
    r = htmt__source_alloc(sizeof *r);
    *r =
        (struct htmt__nest_reference){a->kind, a->array, text, times, 0, NULL, *bucket, b, a, NULL};
    *bucket = r;
    if (!moves(a))
        return r; /* of state: only whether it is new */
    const struct htmt__declaration *f = b->routine->function;
    bool formal = false;
    for (unsigned i = 0; i < f->parameters; i++)
        formal |= f->is_procedure && f->parameter[i] == a->root;
    a->is_listed = true;
    a->array->is_outer |= !formal;
    r->number = ++b->count;
    *(b->last_reference ? b->last_reference : &b->references) = r;
    b->last_reference = &r->next;
    return r;
}

static void add_access(struct htmt__walk *w, struct htmt__nest_list *list,
                       struct htmt__nest_body *b, struct htmt__access *a)
{
    /* Loops that are multiplied out: how many places its ranges have, and how often each is named.
     */
    htmt__value times = htmt__value_whole(1), places = times, none = htmt__value_whole(0);
    for (const struct htmt__loop *l = a->loop; l; l = l->parent) {
        bool ranges = false;
        if (l->kind != HTMT__LOOP_INNER)
            continue;
        for (unsigned i = 0; i < a->array->layout->axes; i++)
            ranges |= htmt__value_has(a->index[i], l->variable);
        htmt__value *factor = ranges ? &places : &times;
        *factor = htmt__value_mul(*factor, trip_of(w, l));
    }
    bool new;
    times = times_of(a->times, times);
    if (moves(a)) {
        a->reference = add_reference(list, b, a, reference_text(w, a), times, &new);
        return;
    }
    struct htmt__access any = *a;
    any.kind = HTMT__READ;
    add_reference(list, b, &any, reference_text(w, a), times, &new);
    htmt__value all = htmt__value_mul(times, places);
    struct htmt__nest_state_row *s = state_of(list, b, a->array->name, a->array->element);
    s->loads = htmt__value_add(s->loads, a->kind == HTMT__WRITE ? none : all);
    s->stores = htmt__value_add(s->stores, a->kind == HTMT__READ ? none : all);
    if (new)
        s->words = htmt__value_add(s->words, places);
}

/* ---- nests ----------------------------------------------------------------------------------- */

static const struct htmt__loop *space_of(const struct htmt__loop *loop)
{
    while (loop && loop->kind != HTMT__LOOP_SPACE)
        loop = loop->parent;
    return loop;
}

/* How often a body runs in an iteration of the loop over space around. */
static htmt__value times_within(struct htmt__walk *w, const struct htmt__loop *loop)
{
    htmt__value times = htmt__value_whole(1);
    for (; loop->kind == HTMT__LOOP_INNER; loop = loop->parent)
        times = htmt__value_mul(times, trip_of(w, loop));
    return times;
}

static struct htmt__nest_touch *add_touch(struct htmt__nest_touch ***last,
                                          struct htmt__nest_touch **first)
{
    struct htmt__nest_touch *touch = htmt__source_alloc(sizeof *touch);
    *(*last ? *last : first) = touch;
    *last = &touch->next;
    return touch;
}

/* What is done between two loops of this one. `group`: touches of a loop that is multiplied out;
 * NULL: of none. */
static void add_work(struct htmt__walk *w, struct htmt__nest_list *list, struct htmt__nest_body *b,
                     const struct htmt__loop *loop, const struct htmt__work *work,
                     struct htmt__nest_touch *group)
{
    const htmt__value times = times_within(w, loop);
    for (unsigned i = 0; i < HTMT__CLASSES; i++)
        b->op[i] = htmt__value_add(b->op[i], times_of(work->op[i], times));
    for (const struct htmt__function_count *of = work->functions; of; of = of->next) {
        struct htmt__nest_function **f = &b->functions;
        while (*f && strcmp((*f)->name, of->name))
            f = &(*f)->next;
        if (!*f) {
            *f = htmt__source_alloc(sizeof **f);
            **f = (struct htmt__nest_function){of->name, htmt__value_whole(0), NULL};
        }
        (*f)->calls = htmt__value_add((*f)->calls, times_of(of->calls, times));
    }
    for (struct htmt__access *a = work->accesses; a; a = a->next)
        if (a->index)
            add_access(w, list, b, a);
    for (const struct htmt__touch *t = work->touches; t; t = t->next) {
        if (!t->access->reference)
            continue;
        struct htmt__nest_touch *own =
            group ? add_touch(&group->last, &group->turns) : add_touch(&b->last_touch, &b->touches);
        own->reference = t->access->reference;
    }
    for (const struct htmt__loop_state *of = work->states; of; of = of->next) {
        struct htmt__nest_state_row *s = state_of(list, b, of->name, of->type);
        s->loads = htmt__value_add(s->loads, times_of(of->loads, times));
        s->stores = htmt__value_add(s->stores, times_of(of->stores, times));
    }
}

/* Whether the loop in this one is multiplied out in the same iterations. */
static bool is_within(const struct htmt__loop *in, const struct htmt__loop *space)
{
    return in && in->kind == HTMT__LOOP_INNER && space_of(in) == space;
}

/* Where the loop moves the reference, among the ranges of its text; -1: nowhere. */
static int range_of(const struct htmt__walk *w, const struct htmt__access *a,
                    const struct htmt__loop *loop)
{
    const struct htmt__layout *l = a->array->layout;
    for (unsigned n = 0; n < l->axes; n++) {
        const unsigned i = w->is_fortran ? l->axes - 1 - n : n;
        if (htmt__value_has(a->index[i], loop->variable))
            return l->component[i] ? 0 : (int)n + 1;
    }
    return -1;
}

/* The loop in this one that does all its work, if both together take the words of each reference in
 * the order of its text: turns of one loop then serve for both. NULL: there is none. */
static const struct htmt__loop *alone_in(const struct htmt__walk *w, const struct htmt__loop *loop)
{
    const struct htmt__loop *in = loop->items && !loop->items->next ? loop->items->loop : NULL;
    bool alone = in && in->kind == HTMT__LOOP_INNER && !in->of && !in->items;
    for (const struct htmt__work *work = &loop->work; work && alone; work = work->next)
        alone = !work->touches;
    for (const struct htmt__work *work = in ? &in->work : NULL; work && alone; work = work->next)
        for (const struct htmt__touch *t = work->touches; t && alone; t = t->next) {
            const int outer = t->access->index ? range_of(w, t->access, loop) : -1;
            alone = outer >= 0 && range_of(w, t->access, in) > outer;
        }
    return alone ? in : NULL;
}

/* A loop that is multiplied out; those in it take their turns in its own. */
static void add_inner(struct htmt__walk *w, struct htmt__nest_list *list, struct htmt__nest_body *b,
                      const struct htmt__loop *loop, struct htmt__nest_touch *group)
{
    const struct htmt__loop *in = group ? NULL : alone_in(w, loop);
    struct htmt__nest_touch *own = group;
    if (!own) {
        own = add_touch(&b->last_touch, &b->touches);
        own->times = trip_of(w, loop);
        if (in)
            own->times = htmt__value_mul(own->times, trip_of(w, in));
    }
    const struct htmt__work *work = &loop->work;
    struct htmt__item *const *at = NULL;
    for (struct htmt__item *i = loop->items;; i = i->next) {
        for (; work && work->behind == at; work = work->next)
            add_work(w, list, b, loop, work, own);
        if (!i)
            break;
        if (is_within(i->loop, b->loop))
            add_inner(w, list, b, i->loop, own);
        at = &i->next;
    }
}

static bool work_is_empty(const struct htmt__work *work)
{
    bool any = work->functions != NULL;
    for (const struct htmt__access *a = work->accesses; a; a = a->next)
        any |= a->index != NULL;
    for (unsigned i = 0; i < HTMT__CLASSES; i++)
        any |= work->op[i].num != 0;
    return !any;
}

bool htmt__nests_has_work(const struct htmt__loop *loop)
{
    bool any = false;
    for (const struct htmt__work *work = &loop->work; work && !any; work = work->next)
        any = !work_is_empty(work);
    for (const struct htmt__item *i = loop->items; i; i = i->next)
        any |= i->loop && is_within(i->loop, space_of(loop)) && htmt__nests_has_work(i->loop);
    return any;
}

/* Accesses that have no place among the axes of their arrays are left out of the body. */
static void list_lost(struct htmt__walk *w, const struct htmt__loop *loop)
{
    for (const struct htmt__work *work = &loop->work; work; work = work->next)
        for (const struct htmt__access *a = work->accesses; a; a = a->next) {
            if (a->index)
                continue;
            w->where = a->place;
            w->loop = a->loop;
            w->why = a->why ? a->why
                            : htmt__source_print("found subscripts of '%s' whose strides do not "
                                                 "divide each other",
                                                 a->array->name);
            htmt__walk_lose(w);
        }
    for (const struct htmt__item *i = loop->items; i; i = i->next)
        if (i->loop && i->loop->kind == HTMT__LOOP_INNER)
            list_lost(w, i->loop);
}

/* Whether the outer loop moves a bound by more than a step of this one. */
static bool moves_by_tiles(const htmt__value *bound, unsigned count, const struct htmt__loop *outer)
{
    for (unsigned i = 0; i < count; i++) {
        int64_t by = 0;
        bool whole = htmt__value_is_whole(htmt__value_coefficient(bound[i], outer->variable), &by);
        if (whole && by && (by > 1 || by < -1 || outer->step > 1))
            return true;
    }
    return false;
}

/* One iteration, as a condition j == i leaves, or what conditions leave of a loop and no tile. */
static bool is_single(const struct htmt__loop *loop, const struct htmt__loop *outer)
{
    bool view = loop->of || outer->of, longer = view;
    int64_t length;
    for (unsigned i = 0; i < loop->lowers; i++)
        for (unsigned k = 0; k < loop->uppers; k++) {
            htmt__value more = htmt__value_sub(loop->upper[k], loop->lower[i]);
            const bool whole = htmt__value_is_whole(more, &length);
            if (whole && !length)
                return true;
            longer &= !whole || length < 0 || length >= outer->step;
        }
    return longer;
}

/* The loop around whose variable moves both ends by whole tiles; NULL: none. */
static const struct htmt__loop *tiles_of(const struct htmt__loop *loop)
{
    for (const struct htmt__loop *outer = loop->parent; outer; outer = outer->parent)
        if (outer->kind == HTMT__LOOP_SPACE && !is_single(loop, outer) &&
            moves_by_tiles(loop->lower, loop->lowers, outer) &&
            moves_by_tiles(loop->upper, loop->uppers, outer))
            return outer;
    return NULL;
}

/* Whether the loop can be a nest; else it is listed with the reason. */
static bool is_good(struct htmt__walk *w, const struct htmt__loop *loop)
{
    unsigned depth = 0;
    for (const struct htmt__loop *l = loop; l; l = l->parent) {
        const struct htmt__loop *tiles = l->kind == HTMT__LOOP_SPACE ? tiles_of(l) : NULL;
        depth += l->kind == HTMT__LOOP_SPACE;
        if (!tiles)
            continue;
        htmt__walk_list(w, &l->place,
                        htmt__source_print("found a loop over a tile of '%s', expected the loop "
                                           "without tiles: htmt bound --block cuts it",
                                           htmt__names_text(&w->names, tiles->variable)));
        return false;
    }
    if (depth > DEEPEST)
        htmt__walk_list(w, &loop->place, "found more than 8 loops within each other");
    return depth <= DEEPEST;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Whether something in the loop is a nest beside the one of `space`. */
static bool holds_nests(const struct htmt__loop *loop, const struct htmt__loop *space)
{
    if (space_of(loop) != space && htmt__nests_has_work(loop))
        return true;
    for (const struct htmt__item *i = loop->items; i; i = i->next)
        if (i->loop && holds_nests(i->loop, space))
            return true;
    return false;
}

/* The first reference to an array that loops move, in the order of the body; NULL: there is none.
 */
static const struct htmt__access *reference_in(const struct htmt__loop *loop,
                                               const struct htmt__work *work)
{
    for (const struct htmt__access *a = work->accesses; a; a = a->next)
        if (a->index && moves(a))
            return a;
    for (const struct htmt__item *i = loop ? loop->items : NULL; i; i = i->next)
        if (is_within(i->loop, space_of(loop))) {
            const struct htmt__access *a = reference_in(i->loop, &i->loop->work);
            if (a)
                return a;
        }
    for (work = loop ? work->next : NULL; work; work = work->next) {
        const struct htmt__access *a = reference_in(NULL, work);
        if (a)
            return a;
    }
    return NULL;
}

/* The bodies of a loop, while its statements are gone through. Those before an inner nest and those
 * behind it are two nests, so that the program runs them where they stand. Statements without
 * references to arrays, such as w = 0 before the loop that sums, have no place of their own: they
 * count with the body before them, or else the one behind. */
struct bodies {
    struct htmt__walk *walk;
    struct htmt__nest_list *list;
    const struct htmt__routine *routine;
    const struct htmt__loop *item;
    struct htmt__nest_body *open; /* NULL: none yet */
    bool referenced, apart;       /* it has references; a nest stands behind them */
};

static void open_body(struct bodies *of, struct htmt__item **behind, const struct htmt__access *a)
{
    struct htmt__nest_body *b = of->open;
    if (!b || (a && of->referenced && of->apart)) {
        b = htmt__source_alloc(sizeof *b);
        b->loop = space_of(of->item);
        b->item = of->item;
        b->routine = of->routine;
        b->place = of->open ? a->place : of->item->place;
        for (unsigned i = 0; i < HTMT__CLASSES; i++)
            b->op[i] = htmt__value_whole(0);
        *(of->list->last ? of->list->last : &of->list->nests) = b;
        of->list->last = &b->next;
        of->list->count++;
        of->open = b;
        of->referenced = false;
    }
    if (a && !of->referenced)
        b->behind = behind;
    of->apart = of->apart && !a;
    of->referenced = of->referenced || a;
}

static void make_bodies(struct bodies *of)
{
    const struct htmt__loop *loop = of->item, *space = space_of(loop);
    const struct htmt__work *work = &loop->work;
    struct htmt__item **at = NULL;
    for (struct htmt__item *i = loop->items;; i = i->next) {
        for (; work && work->behind == at; work = work->next) {
            if (work_is_empty(work) && !work->states)
                continue;
            open_body(of, at, reference_in(NULL, work));
            add_work(of->walk, of->list, of->open, loop, work, NULL);
        }
        if (!i)
            break;
        if (is_within(i->loop, space) && htmt__nests_has_work(i->loop)) {
            open_body(of, at, reference_in(i->loop, &i->loop->work));
            add_inner(of->walk, of->list, of->open, i->loop, NULL);
        }
        of->apart = of->apart || (i->loop && holds_nests(i->loop, space));
        at = &i->next;
    }
}

/* A loop over space is a nest, and so is a view of one that is multiplied out in the iterations of
 * a view of the loops around. */
static void make_nests(struct htmt__walk *w, struct htmt__nest_list *list,
                       const struct htmt__routine *routine, const struct htmt__loop *loop,
                       const struct htmt__loop *around)
{
    const struct htmt__loop *space = space_of(loop);
    const bool own = space && space != around;
    if (own)
        list_lost(w, loop);
    if (own && htmt__nests_has_work(loop) && is_good(w, space))
        make_bodies(&(struct bodies){w, list, routine, loop, NULL, false, false});
    for (const struct htmt__item *i = loop->items; i; i = i->next)
        if (i->loop)
            make_nests(w, list, routine, i->loop, space);
}

void htmt__nests_make(struct htmt__walk *w, struct htmt__nest_list *list)
{
    list->bucket = htmt__source_alloc(BUCKETS * sizeof(struct htmt__nest_reference *));
    list->state_bucket = htmt__source_alloc(BUCKETS * sizeof(struct htmt__nest_state_row *));
    for (const struct htmt__routine *r = w->routines; r; r = r->next)
        make_nests(w, list, r, r->root, NULL);
    /* "hyp" where the function has one nest, else "hyp.418" by the line. */
    for (struct htmt__nest_body *b = list->nests; b; b = b->next) {
        unsigned same = 0, before = 0;
        for (const struct htmt__nest_body *o = list->nests; o; o = o->next) {
            same += o->routine == b->routine;
            before +=
                o != b && o->name && o->routine == b->routine && o->place.line == b->place.line;
        }
        const char *name = b->routine->function->name;
        if (same > 1)
            name = htmt__source_print("%s.%u", name, b->place.line);
        b->name = before ? htmt__source_print("%s.%u", name, before + 1) : name;
    }
}

const struct htmt__nest_body *htmt__nests_of(const struct htmt__nest_list *list,
                                             const struct htmt__loop *loop)
{
    const struct htmt__nest_body *b = list->nests;
    while (b && b->item != loop)
        b = b->next;
    return b;
}
