/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The nest file (docs/loops.md) as text.
 *
 * The file lists the parameters that something in it names, and no other: each is one that a user
 * has to give. They stand at its top, so all values are marked first (use...) and printed then. A
 * derived parameter, such as "floor((n)/2)", marks the names in it; only these are listed. What a
 * formal parameter of a procedure stands for is the caller's matter: it is none of the file's.
 *
 * An example: for (i = 0; i < n; i++) y[i] += a * x[i]; becomes
 *
 *     parameters:
 *       n: needed
 *     arrays:
 *       x: {box: ["0..n-1"], live: entry}
 *       y: {box: ["0..n-1"], live: both}
 *     nests:
 *       f:
 *         file: "f.c"
 *         line: 1
 *         loops:
 *           i: "0..n-1"
 *         ops: {add: "1", mul: "1"}
 *         accesses:
 *           - "read x[i]"
 *           - "update y[i]"
 *         state:
 *           a: {kind: fp, loads: "1", stores: "0"}
 */
#include "emul/tools/analyze/write.h"

#include "emul/tools/analyze/domain.h"
#include "emul/tools/analyze/memory.h"
#include "runtime/base/printable.h"

#include <inttypes.h>
#include <string.h>

/* The arrays and parameters that stand in the file, in the order of the walk. */
struct contents {
    const struct htmt__writing *of;
    FILE *out;
    bool *used; /* parameters, by symbol */
};

/* ---- parameters ------------------------------------------------------------------------------ */

static void use_words(const struct contents *c, const char *text);

static void use_symbol(const struct contents *c, htmt__symbol symbol)
{
    const struct htmt__names *n = &c->of->walk->names;
    if (!htmt__names_is_parameter(n, symbol) || c->used[symbol])
        return;
    c->used[symbol] = true;
    if (strchr(htmt__names_text(n, symbol), '('))
        use_words(c, htmt__names_text(n, symbol));
}

/* Names in a derived parameter, such as "floor((n)/2)". */
static void use_words(const struct contents *c, const char *text)
{
    const struct htmt__names *n = &c->of->walk->names;
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    while (*text) {
        size_t length = strspn(text, letters);
        for (unsigned i = 1; i <= n->count && length; i++) {
            const char *name = htmt__names_text(n, (htmt__symbol)i);
            if (strlen(name) == length && strncmp(name, text, length) == 0)
                use_symbol(c, (htmt__symbol)i);
        }
        text += length ? length : 1;
    }
}

/* Formal parameters of the routine stay its own. */
static void use(const struct contents *c, const struct htmt__declaration *f, htmt__value value)
{
    for (unsigned i = 0; value && i < value->count; i++)
        for (unsigned k = 0; k < HTMT__DEGREE_MAX && value->term[i].factor[k]; k++) {
            htmt__symbol s = value->term[i].factor[k];
            bool formal = false;
            for (unsigned n = 0; f && f->is_procedure && n < f->parameters; n++) {
                const struct htmt__declaration *d = f->parameter[n];
                formal |= d->root && d->type == HTMT__TYPE_WHOLE &&
                          htmt__names_parameter(&c->of->walk->names, d->root) == s;
            }
            if (!formal)
                use_symbol(c, s);
        }
}

static void use_nest(const struct contents *c, const struct htmt__nest_body *b)
{
    const struct htmt__declaration *f = b->routine->function;
    for (unsigned i = 0; i < HTMT__CLASSES; i++)
        use(c, f, b->op[i]);
    for (const struct htmt__nest_function *n = b->functions; n; n = n->next)
        use(c, f, n->calls);
    for (const struct htmt__loop *l = b->loop; l; l = l->parent)
        for (unsigned i = 0; i < HTMT__BOUNDS_MAX; i++) {
            use(c, f, i < l->lowers ? l->lower[i] : NULL);
            use(c, f, i < l->uppers ? l->upper[i] : NULL);
        }
    for (const struct htmt__nest_reference *r = b->references; r; r = r->next) {
        use(c, f, r->times);
        for (unsigned i = 0; i < r->array->layout->axes; i++)
            use(c, f, r->access->index[i]);
    }
    for (const struct htmt__nest_state_row *s = b->states; s; s = s->next) {
        use(c, f, s->loads);
        use(c, f, s->stores);
        use(c, f, s->words);
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

static const char *text_of(const struct contents *c, htmt__value value)
{
    return htmt__names_print(&c->of->walk->names, value);
}

static void print_quoted(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putc('\\', out);
        putc(*text, out);
    }
    putc('"', out);
}

static void print_ends(const struct contents *c, const struct htmt__box_ends *e, const char *word)
{
    fprintf(c->out, "%s", e->count > 1 ? word : "");
    for (unsigned i = 0; i < e->count; i++)
        fprintf(c->out, "%s%s", i ? ", " : "", text_of(c, e->value[i]));
    fprintf(c->out, "%s", e->count > 1 ? ")" : e->count ? "" : "0");
}

static void print_bounds(const struct contents *c, const htmt__value *bound, unsigned count,
                         const char *word)
{
    struct htmt__box_ends e = {.count = count};
    memcpy(e.value, bound, count * sizeof *bound);
    print_ends(c, &e, word);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* Where components lie among the subscripts, if they lie together, and members in their structs. A
 * procedure's "v.x" of v is the caller's "p.x" of p. */
static void print_place(const struct contents *c, const char *name, const struct htmt__array *a,
                        const struct htmt__array_box *box)
{
    const struct htmt__layout *l = a->layout;
    unsigned first = 0, last = 0, count = 0;
    for (unsigned i = 0; i < l->axes && box->has_components; i++)
        if (l->component[i]) {
            first = count++ ? first : i;
            last = i;
        }
    const bool together = !count || last - first + 1 == count;
    if (count && together)
        fprintf(c->out, ", component-axis: %u",
                c->of->walk->is_fortran ? l->axes - count - first : first);
    const size_t all = strlen(name),
                 behind = a->member.of ? strlen(a->path + strlen(a->member.of)) : 0;
    if (!behind || !together || behind >= all)
        return;
    fprintf(c->out, ", record: {of: %.*s, size: %" PRIu32 " B, at: %" PRIu32 " B",
            (int)(all - behind), name, a->member.bytes, a->member.before);
    unsigned axes = a->member.subscripts;
    if (count && first < axes)
        axes -= (count < axes - first ? count : axes - first) - 1;
    if (a->accesses && a->member.subscripts < a->accesses->dimensions)
        fprintf(c->out, ", axes: %u", axes);
    putc('}', c->out);
}

/* What a function gets from outside holds data before it if its first access reads, and is needed
 * after it if it is written. */
static void print_array(const struct contents *c, const char *name, const struct htmt__array *a,
                        const struct htmt__declaration *root, const struct htmt__array_box *box)
{
    fprintf(c->out, "  %s: {box: [", name);
    for (unsigned i = 0; i < box->axes; i++) {
        const bool turned = c->of->walk->is_fortran;
        const struct htmt__box_axis *axis = &box->axis[turned ? box->axes - 1 - i : i];
        fputs(i ? ", \"" : "\"", c->out);
        if (axis->extent) {
            fputs(text_of(c, axis->extent), c->out);
        } else {
            print_ends(c, &axis->low, "min(");
            fputs("..", c->out);
            print_ends(c, &axis->high, "max(");
        }
        putc('"', c->out);
    }
    putc(']', c->out);
    if (box->has_components) {
        /* Their number: one more than the last one. */
        struct htmt__box_ends e = box->component.high;
        for (unsigned i = 0; i < e.count; i++)
            e.value[i] = htmt__value_add(e.value[i], htmt__value_whole(1));
        fputs(", components: \"", c->out);
        if (box->component.extent)
            fputs(text_of(c, box->component.extent), c->out);
        else
            print_ends(c, &e, "max(");
        putc('"', c->out);
    }
    print_place(c, name, a, box);
    if (a->element_bytes != 8)
        fprintf(c->out, ", word: %u B", a->element_bytes);
    bool read = a->accesses && a->accesses->kind != HTMT__WRITE, written = false;
    for (const struct htmt__access *x = a->accesses; x; x = x->next_of_array)
        written |= x->kind != HTMT__READ;
    if (!root || root->is_parameter || !root->is_local)
        fprintf(c->out, ", live: %s", read && written ? "both" : read ? "entry" : "exit");
    fputs("}\n", c->out);
}

static void use_box(const struct contents *c, const struct htmt__array_box *box)
{
    for (unsigned i = 0; i <= box->axes; i++) {
        const struct htmt__box_axis *axis = i < box->axes ? &box->axis[i] : &box->component;
        use(c, NULL, axis->extent);
        for (unsigned k = 0; !axis->extent && k < axis->low.count; k++)
            use(c, NULL, axis->low.value[k]);
        for (unsigned k = 0; !axis->extent && k < axis->high.count; k++)
            use(c, NULL, axis->high.value[k]);
    }
}

/* ---- sections -------------------------------------------------------------------------------- */

/* Those of nests, then those that only procedures touch. */
static void print_arrays(const struct contents *c, bool print)
{
    struct htmt__array_box own;
    if (print)
        fputs("\narrays:\n", c->out);
    for (const struct htmt__array *a = c->of->walk->arrays; a; a = a->next) {
        const struct htmt__actual *actual = c->of->actuals;
        while (actual && actual->own != a)
            actual = actual->next;
        if (!a->is_outer || (!actual && !htmt__box_make(c->of->walk, a, &own)))
            continue;
        /* What procedures touch belongs to it. */
        const struct htmt__array_box *box = actual ? &actual->box : &own;
        use_box(c, box);
        if (print)
            print_array(c, a->name, a, a->declaration, box);
    }
    for (const struct htmt__actual *a = c->of->actuals; a; a = a->next) {
        if (a->own || a->is_formal || a->same)
            continue;
        use_box(c, &a->box);
        if (print)
            print_array(c, a->name, a->as, a->root, &a->box);
    }
}

/* From the outside in: the tree is linked the other way. */
static void print_loops(const struct contents *c, const struct htmt__nest_body *b)
{
    const struct htmt__loop *chain[HTMT__DIMENSIONS_MAX];
    unsigned count = 0;
    for (const struct htmt__loop *l = b->loop; l; l = l->parent)
        if (l->kind == HTMT__LOOP_SPACE && count < HTMT__DIMENSIONS_MAX)
            chain[count++] = l;
    fputs("    loops:\n", c->out);
    while (count) {
        const struct htmt__loop *l = chain[--count];
        fprintf(c->out, "      %s: \"", htmt__names_text(&c->of->walk->names, l->variable));
        print_bounds(c, l->lower, l->lowers, "max(");
        fputs("..", c->out);
        print_bounds(c, l->upper, l->uppers, "min(");
        if (l->step != 1 || l->down)
            fprintf(c->out, " step %" PRId64, l->down ? -l->step : l->step);
        fputs("\"\n", c->out);
    }
}

static void print_ops(const struct contents *c, const struct htmt__nest_body *b)
{
    static const char *const names[] = {"add", "mul", "div", "iop"};
    const char *before = "    ops: {";
    for (unsigned i = 0; i < HTMT__CLASSES; i++) {
        if (!b->op[i] || !b->op[i]->count)
            continue;
        fprintf(c->out, "%s%s: \"%s\"", before, names[i], text_of(c, b->op[i]));
        before = ", ";
    }
    if (b->functions) {
        fprintf(c->out, "%sfunctions: {", before);
        for (const struct htmt__nest_function *f = b->functions; f; f = f->next)
            fprintf(c->out, "%s: \"%s\"%s", f->name, text_of(c, f->calls), f->next ? ", " : "}");
        before = ", ";
    }
    fputs(*before == ',' ? "}\n" : "", c->out);
}

static void print_references(const struct contents *c, const struct htmt__nest_body *b)
{
    static const char *const kinds[] = {"read", "write", "update"};
    if (b->references)
        fputs("    accesses:\n", c->out);
    for (const struct htmt__nest_reference *r = b->references; r; r = r->next) {
        int64_t times;
        fprintf(c->out, "      - \"%s %s%s", kinds[r->kind], r->array->name, r->text);
        if (!htmt__value_is_whole(r->times, &times) || times != 1)
            fprintf(c->out, " x%s", text_of(c, r->times));
        fputs("\"\n", c->out);
    }
}

/* The only reference in the turns of a loop that is multiplied out, which needs none, as its words
 * follow each other; NULL: there are several. */
static const struct htmt__nest_reference *only(const struct htmt__nest_touch *t)
{
    const struct htmt__nest_reference *one = t->reference ? t->reference
                                             : t->turns   ? t->turns->reference
                                                          : NULL;
    for (const struct htmt__nest_touch *in = t->turns; in; in = in->next)
        if (in->reference != one)
            return NULL;
    return one;
}

/* Numbers of references that follow each other, as text: "1..3, 2". One that stands twice in a row
 * is named once. Goes on behind them. */
static const char *numbers_text(const struct htmt__nest_touch **touch)
{
    const struct htmt__nest_touch *t = *touch;
    const char *text = "";
    for (const struct htmt__nest_reference *r; t && (r = only(t));) {
        unsigned last = r->number;
        for (t = t->next; t && only(t) && (only(t)->number == last || only(t)->number == last + 1);
             t = t->next)
            last = only(t)->number;
        const char *before = *text ? htmt__source_print("%s, ", text) : "";
        text = last == r->number ? htmt__source_print("%s%u", before, last)
                                 : htmt__source_print("%s%u..%u", before, r->number, last);
    }
    *touch = t;
    return text;
}

/* The order of touches, where it is not that of the list. */
static void print_order(const struct contents *c, const struct htmt__nest_body *b)
{
    const struct htmt__nest_touch *t = b->touches;
    const char *listed = b->count > 1 ? htmt__source_print("1..%u", b->count) : "1";
    bool any = false;
    const char *text = numbers_text(&t);
    if (!t && (!b->count || strcmp(text, listed) == 0))
        return;
    fputs("    order: [", c->out);
    for (;; text = numbers_text(&t)) {
        fprintf(c->out, "%s%s", any && *text ? ", " : "", text);
        any |= *text;
        if (!t)
            break;
        if (t->turns) {
            const struct htmt__nest_touch *in = t->turns;
            fprintf(c->out, "%s{times: \"%s\", do: [%s]}", any ? ", " : "", text_of(c, t->times),
                    numbers_text(&in));
            any = true;
        }
        t = t->next;
    }
    fputs("]\n", c->out);
}

static void print_nest(const struct contents *c, const struct htmt__nest_body *b)
{
    fprintf(c->out, "  %s:\n    file: ", b->name);
    print_quoted(c->out, b->place.file);
    fprintf(c->out, "\n    line: %u\n", b->place.line);
    print_loops(c, b);
    print_ops(c, b);
    print_references(c, b);
    print_order(c, b);
    if (b->states)
        fputs("    state:\n", c->out);
    for (const struct htmt__nest_state_row *s = b->states; s; s = s->next) {
        fprintf(c->out, "      %s: {kind: %s, loads: \"%s\", stores: \"%s\"", s->name,
                s->type == HTMT__TYPE_WHOLE ? "int" : "fp", text_of(c, s->loads),
                text_of(c, s->stores));
        if (s->words->count)
            fprintf(c->out, ", words: \"%s\"", text_of(c, s->words));
        fputs("}\n", c->out);
    }
    bool any = false;
    for (const struct htmt__touched *t = c->of->relations->touched; t; t = t->next) {
        if (t->nest != b || (!t->read && !t->written))
            continue;
        fprintf(c->out, "%s      %s: {", any ? "" : "    touched:\n", t->array->name);
        if (t->read)
            fprintf(c->out, "read: \"%s\"%s", text_of(c, t->read), t->written ? ", " : "");
        if (t->written)
            fprintf(c->out, "write: \"%s\"", text_of(c, t->written));
        fputs("}\n", c->out);
        any = true;
    }
}

static void print_relations(const struct contents *c)
{
    static const char *const kinds[] = {"flow", "anti", "output"};
    const struct htmt__relation *r = c->of->relations->distances;
    if (r)
        fputs("\ndependences:\n", c->out);
    for (; r; r = r->next) {
        fprintf(c->out, "  - {from: %s, to: %s, array: %s, kind: %s, distance: [", r->from->name,
                r->to->name, r->array->name, kinds[r->kind]);
        for (unsigned i = 0; i < r->depth; i++) {
            fputs(i ? ", " : "", c->out);
            if (r->any[i])
                fputs("any", c->out);
            else
                fprintf(c->out, "%" PRId64, r->distance[i]);
        }
        fputs("]}\n", c->out);
    }
}

/* Parameters have no dots. */
static const char *formal_text(const struct contents *c, struct htmt__declaration *formal)
{
    struct htmt__names *n = &c->of->walk->names;
    const char *name = htmt__calls_formal(c->of->walk, formal);
    return formal->type == HTMT__TYPE_WHOLE ? htmt__names_text(n, htmt__names_parameter(n, name))
                                            : name;
}

/* ---- program --------------------------------------------------------------------------------- */

static bool has_nests(const struct contents *c, const struct htmt__loop *loop)
{
    if (htmt__nests_of(c->of->nests, loop))
        return true;
    for (const struct htmt__item *i = loop->items; i; i = i->next)
        if (i->call ? !i->call->is_left_out : has_nests(c, i->loop))
            return true;
    return false;
}

/* A nest of the procedure, or of what it calls, names the array. */
static bool is_named(const struct contents *c, const struct htmt__declaration *formal)
{
    const struct htmt__actual *a = c->of->actuals;
    while (a && a->root != formal)
        a = a->next;
    const struct htmt__array *own = htmt__calls_array(c->of->walk, formal->root, formal);
    const struct htmt__access *x = own ? own->accesses : NULL;
    while (x && !x->is_listed)
        x = x->next_of_array; /* of state: no array of the file */
    return a || x;
}

static void print_call(const struct contents *c, const struct htmt__loop_call *call,
                       unsigned indent)
{
    unsigned number = 0;
    fprintf(c->out, "%*s- call: %s\n", (int)indent, "", call->name);
    for (const struct htmt__argument *a = call->arguments; a; a = a->next) {
        if (a->path && a->formal && !is_named(c, a->formal))
            continue;
        if (number++)
            fputs(", ", c->out);
        else
            fprintf(c->out, "%*s  with: {", (int)indent, "");
        if (a->formal)
            fputs(formal_text(c, (struct htmt__declaration *)a->formal), c->out);
        else
            fprintf(c->out, "a%u", number);
        fprintf(c->out, ": \"%s\"",
                a->path ? htmt__calls_name(c->of->walk, c->of->actuals, a->path, a->root)
                        : text_of(c, a->value));
    }
    fputs(number ? "}\n" : "", c->out);
}

/* Nests of a loop and of those in it, at most two. */
static unsigned count_nests(const struct contents *c, const struct htmt__loop *loop)
{
    const struct htmt__nest_body *own = htmt__nests_of(c->of->nests, loop);
    unsigned nests = 0;
    for (; own && own->item == loop; own = own->next)
        nests++;
    for (const struct htmt__item *i = loop->items; i && nests < 2; i = i->next)
        nests += i->loop ? count_nests(c, i->loop) : !i->call->is_left_out;
    return nests < 2 ? nests : 2;
}

static void print_steps(const struct contents *c, const struct htmt__loop *loop, unsigned indent,
                        bool views);

/* What a repeat does in its turns, or in those of which a view tells. */
struct turns {
    const char *number; /* of them */
    bool views;
};

static void print_turns(const struct contents *c, const struct htmt__loop *loop,
                        const struct turns *t, unsigned indent)
{
    fprintf(c->out, "%*s- repeat: \"%s\"\n%*s  do:\n", (int)indent, "", t->number, (int)indent, "");
    print_steps(c, loop, indent + 4, t->views);
}

static const char *bounds_text(const struct contents *c, const htmt__value *bound, unsigned count,
                               const char *word)
{
    const char *text = count > 1 ? word : "";
    for (unsigned i = 0; i < count; i++)
        text = htmt__source_print("%s%s%s", text, i ? ", " : "", text_of(c, bound[i]));
    return htmt__source_print("%s%s", text, count > 1 ? ")" : "");
}

/* Iterations of a loop around nests, never less than none. */
static const char *trip_text(const struct contents *c, const struct htmt__loop *l)
{
    int64_t number;
    const htmt__value trip =
        l->lowers == 1 && l->uppers == 1 && l->step == 1 ? htmt__nests_trip(l) : NULL;
    if (htmt__value_is_whole(trip, &number))
        return text_of(c, htmt__value_whole(number < 0 ? 0 : number));
    if (trip)
        return l->of || htmt__value_can_sink(trip)
                   ? htmt__source_print("max(0, %s)", text_of(c, trip))
                   : text_of(c, trip);
    return htmt__source_print("max(0, floor((%s-(%s))/%" PRId64 ")+1)",
                              bounds_text(c, l->upper, l->uppers, "min("),
                              bounds_text(c, l->lower, l->lowers, "max("), l->step);
}

/* Parts of a repeat that run in some of its turns. */
struct parts {
    const struct htmt__loop *view[64];
    unsigned count;
    bool alike; /* all in the same ones */
};

/* Whether a condition picks turns of the repeat, and not only parameters. */
static bool picks(const struct htmt__loop *repeat, const struct htmt__loop *view)
{
    for (const struct htmt__constraint *k = view->where; k; k = k->next)
        if (htmt__value_has(k->value, repeat->variable))
            return true;
    return view->of != repeat && picks(repeat, view->of);
}

/* Views of the repeat that have something of their own, beside views of theirs. */
static void find_views(const struct contents *c, const struct htmt__loop *l,
                       const struct htmt__loop *in, struct parts *p)
{
    bool own = false;
    for (const struct htmt__item *i = in->items; i; i = i->next)
        if (i->loop && i->loop->of && picks(l, i->loop))
            find_views(c, l, i->loop, p);
        else
            own |= i->call ? !i->call->is_left_out : has_nests(c, i->loop);
    if (in == l || !own)
        return;
    const struct htmt__loop *some = p->count ? p->view[0] : in;
    p->alike = p->alike && in->lowers == 1 && some->uppers == in->uppers &&
               some->step == in->step && htmt__value_same(some->lower[0], in->lower[0]);
    for (unsigned i = 0; i < in->uppers && p->alike; i++)
        p->alike = htmt__value_same(some->upper[i], in->upper[i]);
    if (p->count < sizeof p->view / sizeof *p->view)
        p->view[p->count++] = in;
}

/* A repeat in which a part runs in some of the turns. If all of that runs in the same turns, from
 * one on in steps of s, its turns are told in their order: those before the first; all but the last
 * of them, each with s - 1 others behind it; the last; and what is left. Else the parts follow the
 * repeat, as often as they run. By hand: t = 0..199, t % 20 == 0: 9 times one turn with it and 19
 * without, one with it, 19 without. */
static void print_repeat(const struct contents *c, const struct htmt__loop *l, unsigned indent)
{
    struct parts p = {.alike = l->lowers == 1 && l->uppers == 1 && l->step == 1};
    find_views(c, l, l, &p);
    const struct htmt__loop *some = p.count ? p.view[0] : NULL;
    if (!some) {
        print_turns(c, l, &(struct turns){trip_text(c, l), true}, indent);
        return;
    }
    if (!p.alike) {
        print_turns(c, l, &(struct turns){trip_text(c, l), false}, indent);
        for (unsigned i = 0; i < p.count; i++)
            print_turns(c, p.view[i], &(struct turns){trip_text(c, p.view[i]), false}, indent);
        return;
    }
    const htmt__value before = htmt__value_sub(some->lower[0], l->lower[0]);
    const char *turns = trip_text(c, some), *first = text_of(c, before),
               *step = htmt__source_print("%" PRId64, some->step);
    int64_t all, number, ahead;
    htmt__value length = htmt__nests_trip(some);
    if (some->uppers == 1 && htmt__value_is_whole(length, &all) &&
        htmt__value_is_whole(htmt__nests_trip(l), &number) &&
        htmt__value_is_whole(before, &ahead)) {
        /* Numbers: what runs not at all is left out. */
        const int64_t with = all > 0 ? (all - 1) / some->step + 1 : 0;
        const int64_t rest = with ? number - ahead - (with - 1) * some->step - 1 : number - ahead;
        if (ahead)
            print_turns(c, l, &(struct turns){first, false}, indent);
        if (with > 1) {
            fprintf(c->out, "%*s- repeat: \"%" PRId64 "\"\n%*s  do:\n", (int)indent, "",
                    with - (rest > 0 || some->step > 1), (int)indent, "");
            print_steps(c, l, indent + 4, true);
            if (some->step > 1)
                print_turns(c, l,
                            &(struct turns){htmt__source_print("%" PRId64, some->step - 1), false},
                            indent + 4);
        }
        if (with == 1 || (with && (rest > 0 || some->step > 1)))
            print_turns(c, l, &(struct turns){"1", true}, indent);
        if (rest)
            print_turns(c, l, &(struct turns){htmt__source_print("%" PRId64, rest), false}, indent);
        return;
    }
    const char *total = trip_text(c, l);
    first = htmt__source_print("min(%s, max(0, %s))", total, first);
    print_turns(c, l, &(struct turns){first, false}, indent);
    fprintf(c->out, "%*s- repeat: \"max(0, %s-1)\"\n%*s  do:\n", (int)indent, "", turns,
            (int)indent, "");
    print_steps(c, l, indent + 4, true);
    if (some->step > 1)
        print_turns(c, l, &(struct turns){htmt__source_print("%" PRId64, some->step - 1), false},
                    indent + 4);
    print_turns(c, l, &(struct turns){htmt__source_print("min(1, %s)", turns), true}, indent);
    print_turns(c, l,
                &(struct turns){htmt__source_print("max(0, %s-%s-max(0, (%s-1)*%s)-min(1, %s))",
                                                   total, first, turns, step, turns),
                                false},
                indent);
}

/* Something beside views of it, which tell their conditions and those of the loop. */
static bool has_own(const struct contents *c, const struct htmt__loop *loop)
{
    bool own = false;
    for (const struct htmt__item *i = loop->items; i && !own; i = i->next)
        own = i->call ? !i->call->is_left_out : !i->loop->of && has_nests(c, i->loop);
    return own || htmt__nests_of(c->of->nests, loop);
}

/* Nests of the loop that stand behind these of its items. */
static void print_bodies(const struct contents *c, const struct htmt__loop *loop,
                         struct htmt__item *const *behind, const struct htmt__nest_body **b,
                         unsigned indent)
{
    for (; *b && (*b)->item == loop && (*b)->behind == behind; *b = (*b)->next)
        fprintf(c->out, "%*s- nest: %s\n", (int)indent, "", (*b)->name);
}

/* A loop over space with several nests runs them one after the other in each iteration. `views`:
 * with what runs in some turns of a repeat. */
static void print_steps(const struct contents *c, const struct htmt__loop *loop, unsigned indent,
                        bool views)
{
    const struct htmt__nest_body *own = htmt__nests_of(c->of->nests, loop);
    bool any = false;
    if (loop->kind == HTMT__LOOP_SPACE && !loop->of && count_nests(c, loop) > 1) {
        fprintf(c->out, "%*s- loop: %s\n%*s  do:\n", (int)indent, "",
                htmt__names_text(&c->of->walk->names, loop->variable), (int)indent, "");
        indent += 4;
    }
    const bool alone = !own;
    print_bodies(c, loop, NULL, &own, indent);
    for (struct htmt__item *i = loop->items; i;
         print_bodies(c, loop, &i->next, &own, indent), i = i->next) {
        const struct htmt__loop *l = i->loop;
        if (i->call && !i->call->is_left_out)
            print_call(c, i->call, indent);
        any |= i->call && !i->call->is_left_out;
        if (!l || !has_nests(c, l))
            continue;
        if (l->of && loop->kind == HTMT__LOOP_REPEAT && picks(loop, l) && !views)
            continue;
        any = true;
        const char *is = l->of && (l->kind == HTMT__LOOP_REPEAT || l->kind == HTMT__LOOP_ROOT)
                             ? htmt__domain_indicator(c->of->walk, l)
                             : "";
        if (l->kind == HTMT__LOOP_REPEAT && !l->of)
            print_repeat(c, l, indent);
        else if (*is && has_own(c, l))
            print_turns(c, l, &(struct turns){is, true}, indent);
        else
            print_steps(c, l, indent, true);
    }
    if (!any && alone && loop->kind == HTMT__LOOP_REPEAT)
        fprintf(c->out, "%*s- repeat: 0\n%*s  do: []\n", (int)indent, "", (int)indent, "");
}

static void use_program(const struct contents *c, const struct htmt__routine *r,
                        const struct htmt__loop *loop)
{
    for (const struct htmt__item *i = loop->items; i; i = i->next) {
        for (const struct htmt__argument *a = i->call ? i->call->arguments : NULL; a; a = a->next)
            use(c, r->function, a->value);
        for (unsigned k = 0; i->loop && k < HTMT__BOUNDS_MAX; k++) {
            use(c, r->function, k < i->loop->lowers ? i->loop->lower[k] : NULL);
            use(c, r->function, k < i->loop->uppers ? i->loop->upper[k] : NULL);
        }
        for (const struct htmt__constraint *k = i->loop ? i->loop->where : NULL; k; k = k->next)
            use(c, r->function, k->value);
        if (i->loop)
            use_program(c, r, i->loop);
    }
}

static void print_formals(const struct contents *c, const struct htmt__declaration *f, bool arrays)
{
    bool any = false;
    fprintf(c->out, "    %s: [", arrays ? "arrays" : "parameters");
    for (unsigned i = 0; i < f->parameters; i++) {
        struct htmt__declaration *p = f->parameter[i];
        if (p->type != (arrays ? HTMT__TYPE_POINTER : HTMT__TYPE_WHOLE) ||
            (arrays && !is_named(c, p)))
            continue;
        fprintf(c->out, "%s%s", any ? ", " : "", formal_text(c, p));
        any = true;
    }
    fputs("]\n", c->out);
}

/* Procedures whose bodies are not seen: once each, with as many arrays as a call hands over. */
static void print_unseen(const struct contents *c, const struct htmt__loop *loop, const char **seen,
                         unsigned *count)
{
    for (const struct htmt__item *i = loop->items; i; i = i->next) {
        bool known = !i->call || i->call->is_left_out ||
                     (i->call->function && i->call->function->body) || *count == 200;
        if (i->loop)
            print_unseen(c, i->loop, seen, count);
        for (unsigned k = 0; k < *count && !known; k++)
            known = strcmp(seen[k], i->call->name) == 0;
        if (known)
            continue;
        seen[(*count)++] = i->call->name;
        fprintf(c->out, "  %s: {parameters: [], arrays: [", i->call->name);
        unsigned number = 0;
        for (const struct htmt__argument *a = i->call->arguments; a; a = a->next)
            fprintf(c->out, "a%u%s", ++number, a->next ? ", " : "");
        fputs("], unknown: true}\n", c->out);
    }
}

static bool has_calls(const struct htmt__loop *loop)
{
    for (const struct htmt__item *i = loop->items; i; i = i->next)
        if (i->call ? !i->call->is_left_out : has_calls(i->loop))
            return true;
    return false;
}

static void print_procedures(const struct contents *c)
{
    const char *seen[200];
    unsigned count = 0;
    bool any = false;
    for (const struct htmt__routine *r = c->of->walk->routines; r; r = r->next)
        any |= has_calls(r->root);
    fputs(any ? "\nprocedures:\n" : "", c->out);
    for (const struct htmt__routine *r = c->of->walk->routines; r; r = r->next) {
        print_unseen(c, r->root, seen, &count);
        if (!r->function->is_procedure)
            continue;
        fprintf(c->out, "  %s:\n", r->function->name);
        print_formals(c, r->function, false);
        print_formals(c, r->function, true);
        fputs(has_nests(c, r->root) ? "    program:\n" : "    program: []\n", c->out);
        print_steps(c, r->root, 6, true);
    }
}

/* Whether a name of the value is one of the file. */
static bool uses(const struct contents *c, htmt__value value)
{
    for (unsigned i = 0; i < value->count; i++)
        for (unsigned f = 0; f < HTMT__DEGREE_MAX && value->term[i].factor[f]; f++)
            if (c->used[value->term[i].factor[f]])
                return true;
    return false;
}

/* "value >= 0" as one would write it: "n >= 3", "d <= 2", "xmin >= d - 1". */
static const char *inequality(const struct contents *c, htmt__value value)
{
    const struct htmt__names *n = &c->of->walk->names;
    htmt__value more = htmt__value_whole(0), less = more, number = more;
    for (unsigned i = 0; i < value->count; i++) {
        htmt__value own = htmt__value_whole(value->term[i].num);
        const htmt__symbol symbol = value->term[i].factor[0];
        if (!symbol)
            number = own;
        else if (value->term[i].num > 0)
            more = htmt__value_add(more, htmt__value_mul(own, htmt__value_symbol(symbol)));
        else
            less = htmt__value_sub(less, htmt__value_mul(own, htmt__value_symbol(symbol)));
    }
    if (!more->count)
        return htmt__source_print("%s <= %s", htmt__names_print(n, less),
                                  htmt__names_print(n, number));
    return htmt__source_print("%s >= %s", htmt__names_print(n, more),
                              htmt__names_print(n, htmt__value_sub(less, number)));
}

void htmt__write_nests(const struct htmt__writing *w, FILE *out)
{
    unsigned names = w->walk->names.count + 1;
    struct contents c = {w, out, htmt__source_alloc(names * sizeof(bool))};
    bool any = false;
    for (const struct htmt__nest_body *b = w->nests->nests; b; b = b->next)
        use_nest(&c, b);
    for (const struct htmt__routine *r = w->walk->routines; r; r = r->next)
        use_program(&c, r, r->root);
    for (const struct htmt__supposed *u = htmt__prover_supposed(w->walk->prover); u; u = u->next)
        if (uses(&c, u->value))
            use(&c, NULL, u->value);
    print_arrays(&c, false);
    fputs("htmt-nests: 1\nabout: \"loops of", out);
    for (const char *const *s = w->source; *s; s++)
        fprintf(out, " %s", *s);
    fputs(", read by htmt analyze\"\n", out);
    for (const struct htmt__skipped *s = w->walk->told; s; s = s->next) {
        char line[2000];
        htmt_printable(htmt__source_print("%s:%u: %s", s->place.file, s->place.line, s->why), line,
                       sizeof line);
        fprintf(out, "# %s\n", line);
    }
    if (w->guessed)
        fprintf(out, "# %s\n", w->guessed);
    fputs("source: ", out);
    print_quoted(out, *w->source);
    fputs(w->walk->is_fortran ? "\nunit-stride: first\n" : "\nunit-stride: last\n", out);
    for (unsigned i = 1; i <= w->walk->names.count; i++) {
        const char *name = htmt__names_text(&w->walk->names, (htmt__symbol)i);
        if (!c.used[i] || strchr(name, '('))
            continue;
        fprintf(out, "%s  %s: needed\n", any ? "" : "\nparameters:\n", name);
        any = true;
    }
    any = false;
    for (const struct htmt__supposed *u = htmt__prover_supposed(w->walk->prover); u; u = u->next)
        if (uses(&c, u->value)) {
            fprintf(out, "%s  - \"%s\"\n", any ? "" : "\nassume:\n", inequality(&c, u->value));
            any = true;
        }
    print_arrays(&c, true);
    fputs("\nnests:\n", out);
    for (const struct htmt__nest_body *b = w->nests->nests; b; b = b->next)
        print_nest(&c, b);
    print_relations(&c);
    print_procedures(&c);
    fputs("\nprogram:\n", out);
    for (const struct htmt__routine *r = w->walk->routines; r; r = r->next)
        if (!r->function->is_procedure)
            print_steps(&c, r->root, 2, true);
    if (w->walk->skipped)
        fputs("\nskipped:\n", out);
    for (const struct htmt__skipped *s = w->walk->skipped; s; s = s->next) {
        fputs("  - {file: ", out);
        print_quoted(out, s->place.file);
        fprintf(out, ", line: %u, column: %u, why: ", s->place.line, s->place.column);
        print_quoted(out, htmt__source_print("%.240s", s->why)); /* `bound` reads up to 255 */
        fputs("}\n", out);
    }
}
