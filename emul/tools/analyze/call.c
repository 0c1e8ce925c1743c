/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls. One of four things happens:
 *
 * - A function of libm is an operation of its own, or some additions and multiplications.
 *
 * - A body that is seen is walked where the call stands, its parameters bound to what is handed
 * over, as if the compiler had inlined it: a subscript may pass through it.
 *
 * - Between nests, a body with loops stays a procedure of the nest file, if each argument is one
 * word of that file (a value of parameters, or a whole array). Otherwise it is walked in place,
 * too.
 *
 * - A body that is not seen refuses a nest; between nests the arrays that it gets count as read and
 * written.
 */
#include "emul/tools/analyze/memory.h"
#include "emul/tools/analyze/walk.h"

#include <stddef.h>

enum { CALLS_MAX = 64, PARAMETERS_MAX = 64 };

static const struct htmt__operand unknown = {.kind = HTMT__OPERAND_UNKNOWN};

static int arguments_of(struct htmt__walk *w, const struct htmt__syntax *s, unsigned count,
                        struct htmt__operand *out)
{
    int rc = 0;
    unsigned i = 0;
    for (const struct htmt__syntax *c = s->child; c && !rc; c = c->next, i++) {
        struct htmt__operand o;
        rc = htmt__walk_expression(w, c, &o);
        if (i < count)
            out[i] = o;
    }
    return rc;
}

/* ---- the table ------------------------------------------------------------------------------- */

static int known(struct htmt__walk *w, const struct htmt__syntax *s,
                 const struct htmt__known_function *f, struct htmt__operand *out)
{
    struct htmt__operand argument[3] = {unknown, unknown, unknown};
    unsigned count = 0;
    bool constant = true;
    int rc = arguments_of(w, s, 3, argument);
    for (const struct htmt__syntax *c = s->child; c && count < 3; c = c->next)
        constant &= htmt__operand_is_constant(&argument[count++]);
    *out = unknown;
    if (rc || constant) {
        out->kind = constant ? HTMT__OPERAND_CONSTANT : HTMT__OPERAND_UNKNOWN;
        return rc;
    }
    if (f->name)
        htmt__note_function(w, f->name);
    for (unsigned i = 0; i < f->add; i++)
        htmt__note_op(w, HTMT__CLASS_ADD);
    for (unsigned i = 0; i < f->mul; i++)
        htmt__note_op(w, HTMT__CLASS_MUL);
    return 0;
}

/* ---- inlined --------------------------------------------------------------------------------- */

/* The values of the parameters. A struct stands for the place where it is; what is made for the
 * call has the name of the parameter. */
static int bind(struct htmt__walk *w, const struct htmt__syntax *s,
                const struct htmt__declaration *f, struct htmt__operand *value)
{
    const struct htmt__syntax *c = s->child;
    int rc = 0;
    for (unsigned i = 0; i < f->parameters && !rc; i++, c = c->next) {
        if (!c)
            return htmt__walk_refuse(w, &s->place, "found too few arguments of '%s'", f->name);
        if (f->parameter[i]->type != HTMT__TYPE_OTHER || c->kind != HTMT__SYNTAX_NAME) {
            rc = htmt__walk_expression(w, c, &value[i]);
            continue;
        }
        value[i] = (struct htmt__operand){
            .kind = HTMT__OPERAND_POINTER,
            .whole = htmt__value_whole(0),
            .at = {.path = htmt__note_root(w, c->declaration), .root = c->declaration}};
        if (c->declaration->value)
            value[i] = *c->declaration->value;
    }
    return rc;
}

/* Between nests a pointer or struct that is not known is one of its own. */
static int walk_body(struct htmt__walk *w, struct htmt__declaration *f,
                     const struct htmt__operand *value, struct htmt__operand *out)
{
    const struct htmt__operand *before[PARAMETERS_MAX];
    for (unsigned i = 0; i < f->parameters; i++) {
        struct htmt__declaration *d = f->parameter[i];
        before[i] = d->value;
        htmt__walk_set(d, &value[i]);
        if (value[i].kind != HTMT__OPERAND_POINTER &&
            (d->type == HTMT__TYPE_OTHER ||
             (d->type == HTMT__TYPE_POINTER && htmt__walk_between(w))))
            d->value = NULL;
    }
    const struct htmt__syntax *body = w->body;
    f->is_walked = true;
    w->depth++;
    w->returned = false;
    w->result = unknown;
    w->body = f->body;
    int rc = w->statement(w, f->body);
    w->jumps = false;
    w->body = body;
    *out = w->result;
    w->returned = false;
    w->depth--;
    f->is_walked = false;
    for (unsigned i = 0; i < f->parameters; i++)
        f->parameter[i]->value = before[i];
    return rc;
}

static int inlined(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__operand *out)
{
    struct htmt__declaration *f = s->declaration;
    if (f->is_walked || w->depth == CALLS_MAX || f->parameters > PARAMETERS_MAX)
        return htmt__walk_refuse(w, &s->place, "found a call of '%s' within itself, or too deep",
                                 s->name);
    struct htmt__operand value[PARAMETERS_MAX] = {unknown};
    int rc = bind(w, s, f, value);
    return rc ? rc : walk_body(w, f, value, out);
}

/* ---- procedures ------------------------------------------------------------------------------ */

static void add_call(struct htmt__walk *w, const struct htmt__syntax *s,
                     struct htmt__argument *first)
{
    struct htmt__loop_call *call = htmt__source_alloc(sizeof *call);
    struct htmt__item *item = htmt__source_alloc(sizeof *item);
    *call = (struct htmt__loop_call){
        s->declaration, s->declaration ? s->declaration->name : s->name, s->place, first, false};
    item->call = call;
    *(w->loop->last_item ? w->loop->last_item : &w->loop->items) = item;
    w->loop->last_item = &item->next;
}

/* The words that the nest file binds; false: one has no such form. Real numbers change nothing that
 * a nest file says. */
static bool make_arguments(struct htmt__walk *w, const struct htmt__declaration *f,
                           const struct htmt__operand *value, struct htmt__argument **end)
{
    for (unsigned i = 0; i < f->parameters; i++) {
        const struct htmt__operand *v = &value[i];
        struct htmt__declaration *formal = f->parameter[i];
        struct htmt__argument *a = htmt__source_alloc(sizeof *a);
        int64_t behind;
        if (formal->type == HTMT__TYPE_REAL)
            continue;
        a->formal = formal;
        if (v->kind == HTMT__OPERAND_WHOLE && formal->type == HTMT__TYPE_WHOLE) {
            a->value = v->whole;
            if (!htmt__names_fixed(&w->names, a->value))
                return false;
        } else {
            bool array = v->kind == HTMT__OPERAND_POINTER && v->at.path && !v->at.dimensions &&
                         htmt__value_is_whole(v->whole, &behind) && !behind;
            if (!array || formal->type != HTMT__TYPE_POINTER || formal->element == HTMT__TYPE_OTHER)
                return false;
            a->path = v->at.path;
            a->root = v->at.root;
        }
        *end = a;
        end = &a->next;
    }
    return true;
}

/* Of a function with loops, where the call stands between nests. */
static int procedure(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__operand *out)
{
    struct htmt__declaration *f = s->declaration;
    struct htmt__operand value[PARAMETERS_MAX] = {unknown};
    struct htmt__argument *arguments = NULL;
    if (f->parameters > PARAMETERS_MAX || f->is_walked)
        return inlined(w, s, out);
    int rc = bind(w, s, f, value);
    if (rc)
        return rc;
    if (!make_arguments(w, f, value, &arguments))
        return walk_body(w, f, value, out);
    for (unsigned i = 0; i < f->parameters; i++)
        if (value[i].kind == HTMT__OPERAND_POINTER && value[i].at.path &&
            !f->parameter[i]->points_to_constant)
            htmt__walk_changed(w, &value[i].at);
    f->is_procedure = true;
    add_call(w, s, arguments);
    return 0;
}

/* A body that is not seen: all that is handed over counts as read and written. */
static int unseen(struct htmt__walk *w, const struct htmt__syntax *s)
{
    struct htmt__argument *first = NULL, **end = &first;
    unsigned count = 0;
    for (const struct htmt__syntax *c = s->child; c; c = c->next) {
        struct htmt__operand value;
        int rc = htmt__walk_expression(w, c, &value);
        if (rc)
            return rc;
        if (value.kind == HTMT__OPERAND_POINTER && value.at.path)
            htmt__walk_changed(w, &value.at);
        if (value.kind != HTMT__OPERAND_POINTER || !value.at.path || value.at.is_member ||
            value.at.root->element == HTMT__TYPE_OTHER)
            continue;
        *end = htmt__source_alloc(sizeof **end);
        **end = (struct htmt__argument){.path = value.at.path, .root = value.at.root};
        count++;
        end = &(*end)->next;
    }
    if (count)
        add_call(w, s, first);
    return 0;
}

/* "printf("%g", norm(u))" between nests: the loops of what it calls. */
static int loops_of(struct htmt__walk *w, const struct htmt__syntax *s)
{
    int rc = 0;
    for (const struct htmt__syntax *c = s->child; c && !rc; c = c->next) {
        struct htmt__operand value;
        if (htmt__scan_has_loops(c))
            rc = htmt__walk_expression(w, c, &value);
    }
    return rc;
}

/* ---- any of them ----------------------------------------------------------------------------- */

int htmt__walk_call(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__operand *out)
{
    const struct htmt__known_function *f = htmt__known_function(s->name);
    *out = unknown;
    if (s->declaration && s->declaration->body) {
        s->declaration->is_entered = true;
        bool apart = htmt__walk_between(w) && !w->quiet && !w->in_line &&
                     !s->declaration->is_inlined && htmt__scan_has_loops(s) &&
                     !htmt__table_maker(w, s->declaration);
        return apart ? procedure(w, s, out) : inlined(w, s, out);
    }
    if (f)
        return known(w, s, f, out);
    if (s->is_counted && !htmt__walk_between(w))
        return known(w, s, &(struct htmt__known_function){.name = s->name}, out);
    if (htmt__known_memory(s->name)) {
        out->kind = HTMT__OPERAND_FRESH;
        return 0;
    }
    if (htmt__known_silent(s->name)) {
        /* What is printed in a nest is read; on one side of a branch it reports what went wrong. */
        const struct htmt__loop *in = w->loop;
        while (in->kind == HTMT__LOOP_ASIDE)
            in = in->parent;
        if (in->kind == HTMT__LOOP_BRANCH)
            return 0;
        if (htmt__walk_between(w))
            return loops_of(w, s);
        return htmt__known_reader(s->name)
                   ? htmt__walk_refuse(w, &s->place, "found a call of '%s'", s->name)
                   : arguments_of(w, s, 0, NULL);
    }
    if (htmt__walk_between(w))
        return unseen(w, s);
    return htmt__walk_refuse(w, &s->place, "found a call of '%s', whose body is not seen", s->name);
}
