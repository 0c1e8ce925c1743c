/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops of other forms as the one that is read, "for (i = A; i < B; i += C)":
 *
 *     for (; i < n; i++) S                 for (i = i; i < n; i++) S
 *     while (i < n) { S; i += 2; }         for (i = i; i < n; i += 2) { S }
 *     do { S; i++; } while (i < n);        the same, where it runs at least once
 *     while (i-- > 0) S                    for (i = i - 1; i + 1 > 0; i--) S
 *     for (i = n; i-- > 0;) S              for (i = n - 1; i + 1 > 0; i--) S
 *
 * A condition that steps is asked with the number that the body will not see: the body has it one
 * step on, so the start is a step on, and the condition is asked with the step taken back. In
 * while (--i > 0) it is asked with the number of the body.
 *
 * A while is a for if the last statement of its body steps a whole number that nothing else in it
 * changes, and which the condition compares. Where it is left early or goes on early, it stays what
 * it is.
 */
#include "emul/tools/analyze/memory.h"
#include "emul/tools/analyze/walk.h"

#include <stddef.h>
#include <string.h>

static struct htmt__syntax *make(enum htmt__syntax_kind kind, enum htmt__syntax_op op,
                                 const struct htmt__syntax *like, struct htmt__syntax *first,
                                 struct htmt__syntax *second)
{
    struct htmt__syntax *own = htmt__source_alloc(sizeof *own);
    *own = (struct htmt__syntax){.kind = kind,
                                 .op = op,
                                 .type = HTMT__TYPE_WHOLE,
                                 .bytes = like->bytes,
                                 .place = like->place,
                                 .child = first};
    if (first)
        first->next = second;
    if (second)
        second->next = NULL;
    return own;
}

static struct htmt__syntax *name_of(struct htmt__declaration *d, const struct htmt__syntax *like)
{
    struct htmt__syntax *own = make(HTMT__SYNTAX_NAME, HTMT__OP_NONE, like, NULL, NULL);
    own->declaration = d;
    return own;
}

/* "i++", "i += 2", "i = i + 2" of a whole number; NULL: it is none. */
static struct htmt__declaration *stepped_by(const struct htmt__syntax *s)
{
    const bool one = s->kind == HTMT__SYNTAX_UNARY &&
                     (s->op == HTMT__OP_INCREMENT || s->op == HTMT__OP_DECREMENT),
               set = s->kind == HTMT__SYNTAX_ASSIGN && s->child->kind == HTMT__SYNTAX_NAME,
               by = set && (s->op == HTMT__OP_ADD || s->op == HTMT__OP_SUB),
               anew = set && s->op == HTMT__OP_NONE &&
                      s->child->next->kind == HTMT__SYNTAX_BINARY &&
                      (s->child->next->op == HTMT__OP_ADD || s->child->next->op == HTMT__OP_SUB) &&
                      htmt__scan_names(s->child->next, s->child->declaration);
    if (!(one || by || anew) || s->child->kind != HTMT__SYNTAX_NAME ||
        s->child->type != HTMT__TYPE_WHOLE)
        return NULL;
    return s->child->declaration;
}

static bool has_element(const struct htmt__syntax *s)
{
    bool has = s->kind == HTMT__SYNTAX_SUBSCRIPT;
    for (const struct htmt__syntax *c = s->child; c && !has; c = c->next)
        has = has_element(c);
    return has;
}

/* Two numbers that no data decide. */
static bool compares(const struct htmt__syntax *s)
{
    return s->kind == HTMT__SYNTAX_BINARY && s->op >= HTMT__OP_LT && s->op <= HTMT__OP_NE &&
           !has_element(s);
}

/* The counter that a condition steps; NULL: it steps none. */
static struct htmt__syntax *stepping(struct htmt__syntax *condition)
{
    if (!compares(condition))
        return NULL;
    for (struct htmt__syntax *c = condition->child; c; c = c->next)
        if (c->kind == HTMT__SYNTAX_UNARY && stepped_by(c))
            return c;
    return NULL;
}

/* The four children of a for, those that the source leaves out as empty statements. */
static void fill(struct htmt__syntax *s)
{
    struct htmt__syntax *part[4] = {NULL}, *c = s->child, *next;
    for (; c && c->next; c = next) {
        next = c->next;
        const bool start = c->kind == HTMT__SYNTAX_BLOCK || c->kind == HTMT__SYNTAX_DECLARE ||
                           c->kind == HTMT__SYNTAX_ASSIGN || c->op == HTMT__OP_COMMA,
                   step = stepped_by(c) || c->kind == HTMT__SYNTAX_ASSIGN ||
                          c->op == HTMT__OP_COMMA || c->op == HTMT__OP_INCREMENT ||
                          c->op == HTMT__OP_DECREMENT || c->kind == HTMT__SYNTAX_CALL;
        const unsigned at = part[1] || (step && (part[0] || !next->next)) ? 2
                            : start && !part[0]                           ? 0
                                                                          : 1;
        part[at] = c;
    }
    part[3] = c;
    for (unsigned i = 4; i--;) {
        if (!part[i])
            part[i] = make(HTMT__SYNTAX_EMPTY, HTMT__OP_NONE, s, NULL, NULL);
        part[i]->next = i == 3 ? NULL : part[i + 1];
    }
    s->child = part[0];
}

/* "do S while (c)" and "while (c) S" as a for without a start; false: it is none. */
static bool count(struct htmt__syntax *s)
{
    struct htmt__syntax *condition = s->child, *body = condition ? condition->next : NULL;
    if (!body || body->next)
        return false;
    if (strcmp(s->name, "do") == 0) {
        body = s->child;
        condition = body->next;
    }
    struct htmt__syntax *step = body->kind == HTMT__SYNTAX_BLOCK ? body->child : NULL, *last = NULL;
    for (; step && step->next; step = step->next)
        last = step;
    struct htmt__declaration *d = step ? stepped_by(step) : NULL;
    const bool steps = compares(condition) && stepping(condition) && body == condition->next,
               ends = last && d && compares(condition) && htmt__scan_names(condition, d) &&
                      htmt__scan_changes(body, d) == 1 && !htmt__scan_leaves(body);
    if (!steps && !ends)
        return false;
    if (!steps)
        last->next = NULL;
    struct htmt__syntax *none = make(HTMT__SYNTAX_EMPTY, HTMT__OP_NONE, s, NULL, NULL);
    struct htmt__syntax *third =
        steps ? make(HTMT__SYNTAX_EMPTY, HTMT__OP_NONE, s, NULL, NULL) : step;
    none->next = condition;
    condition->next = third;
    third->next = body;
    body->next = NULL;
    s->kind = HTMT__SYNTAX_FOR;
    s->name = NULL;
    s->child = none;
    return true;
}

/* The condition's step goes to the third part, and the start a step on. */
static void take_step(struct htmt__syntax *s)
{
    struct htmt__syntax *start = s->child, *condition = start->next, *third = condition->next,
                        *body = third->next, *by = stepping(condition);
    if (!by || third->kind != HTMT__SYNTAX_EMPTY)
        return;
    struct htmt__declaration *d = stepped_by(by);
    const bool up = by->op == HTMT__OP_INCREMENT;
    struct htmt__syntax *one = make(HTMT__SYNTAX_WHOLE, HTMT__OP_NONE, by, NULL, NULL), *back = one;
    one->whole = 1;
    third = make(HTMT__SYNTAX_UNARY, by->op, by, name_of(d, by), NULL);
    if (start->kind == HTMT__SYNTAX_EMPTY)
        start = make(HTMT__SYNTAX_ASSIGN, HTMT__OP_NONE, by, name_of(d, by), name_of(d, by));
    /* "int i = n" or "i = n" */
    struct htmt__syntax *of = start->kind == HTMT__SYNTAX_BLOCK ? start->child : start;
    if (!of || (of->kind != HTMT__SYNTAX_DECLARE && of->kind != HTMT__SYNTAX_ASSIGN) || !of->child)
        return;
    struct htmt__syntax **value = of->kind == HTMT__SYNTAX_DECLARE ? &of->child : &of->child->next;
    if (!*value)
        return;
    *value = make(HTMT__SYNTAX_BINARY, up ? HTMT__OP_ADD : HTMT__OP_SUB, by, *value, one);
    struct htmt__syntax *next = by->next;
    if (by->is_post) {
        back = make(HTMT__SYNTAX_WHOLE, HTMT__OP_NONE, by, NULL, NULL);
        back->whole = 1;
        *by =
            *make(HTMT__SYNTAX_BINARY, up ? HTMT__OP_SUB : HTMT__OP_ADD, by, name_of(d, by), back);
    } else {
        *by = *name_of(d, by);
    }
    by->next = next;
    start->next = condition;
    condition->next = third;
    third->next = body;
    s->child = start;
}

/* ---- switch ---------------------------------------------------------------------------------- */

static bool is_named(const struct htmt__syntax *s, const char *name)
{
    return s->kind == HTMT__SYNTAX_OTHER && s->name && strcmp(s->name, name) == 0;
}

static bool is_break(const struct htmt__syntax *s)
{
    return s->kind == HTMT__SYNTAX_JUMP && strcmp(s->name, "break") == 0;
}

/* A break that leaves the switch, and stands not at the end of a case. */
static bool breaks(const struct htmt__syntax *s)
{
    if (is_break(s) || is_named(s, "case") || is_named(s, "default"))
        return true;
    if (s->kind == HTMT__SYNTAX_FOR || s->kind == HTMT__SYNTAX_PASSES || is_named(s, "switch"))
        return false;
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        if (breaks(c))
            return true;
    return false;
}

static struct htmt__syntax *copy_of(const struct htmt__syntax *s)
{
    struct htmt__syntax *own = htmt__source_alloc(sizeof *own);
    *own = *s;
    return own;
}

/* "a || what == value"; a may be NULL. */
static struct htmt__syntax *or_is(struct htmt__syntax *a, const struct htmt__syntax *what,
                                  struct htmt__syntax *value)
{
    struct htmt__syntax *own = copy_of(what);
    own = make(HTMT__SYNTAX_BINARY, HTMT__OP_EQ, value, own, value);
    return a ? make(HTMT__SYNTAX_BINARY, HTMT__OP_OR, value, a, own) : own;
}

static bool is_label(const struct htmt__syntax *s)
{
    return is_named(s, "case") || is_named(s, "default");
}

/* The statement behind a label, which is its last child; NULL: ranges of values. */
static struct htmt__syntax *labelled(const struct htmt__syntax *s)
{
    struct htmt__syntax *c = s->child;
    c = is_named(s, "case") && c ? c->next : c;
    return c && !c->next ? c : NULL;
}

/* Labels, then statements up to a break, again and again; none of the cases goes on in the next. */
static bool is_chain(const struct htmt__syntax *c)
{
    bool open = false;
    for (; c; c = c->next) {
        const struct htmt__syntax *s = c;
        if (is_label(c) == open)
            return false;
        while (s && is_label(s))
            s = labelled(s);
        open = s && !is_break(s);
        if (!s || (open && breaks(s)))
            return false;
        while (open && c->next && !is_label(c->next)) {
            c = c->next;
            open = !is_break(c);
            if (open && breaks(c))
                return false;
        }
        if (open && c->next)
            return false;
    }
    return true;
}

/* One if of a chain for each case. */
static void chain(struct htmt__syntax *s)
{
    struct htmt__syntax *what = s->child, *c = what->next->child, *next = s->next;
    struct htmt__syntax *first = NULL, **end = &first, *rest = NULL;
    while (c) {
        struct htmt__syntax *is = NULL, *label = c, *block;
        bool all = false;
        c = c->next;
        for (; is_label(label); label = labelled(label)) {
            all |= is_named(label, "default");
            is = is_named(label, "case") ? or_is(is, what, copy_of(label->child)) : is;
        }
        block = make(HTMT__SYNTAX_BLOCK, HTMT__OP_NONE, s, NULL, NULL);
        struct htmt__syntax **last = &block->child;
        for (struct htmt__syntax *own = label; own && !is_break(own);
             own = c, c = c ? c->next : c) {
            *last = own;
            last = &own->next;
            if (!c || is_label(c))
                break;
        }
        *last = NULL;
        if (all) {
            rest = block;
            continue;
        }
        *end = make(HTMT__SYNTAX_IF, HTMT__OP_NONE, s, is, block);
        end = &block->next;
    }
    *end = rest;
    if (first) {
        *s = *first;
        s->next = next;
    }
}

void htmt__form(struct htmt__syntax *s)
{
    if (is_named(s, "switch")) {
        const struct htmt__syntax *body = s->child ? s->child->next : NULL;
        if (body && body->kind == HTMT__SYNTAX_BLOCK && !body->next && is_chain(body->child))
            chain(s);
        return;
    }
    if (s->kind == HTMT__SYNTAX_FOR && !s->name)
        fill(s);
    else if (s->kind != HTMT__SYNTAX_PASSES || !count(s))
        return;
    take_step(s);
    struct htmt__syntax *start = s->child, *condition = start->next, *third = condition->next;
    struct htmt__declaration *d = stepped_by(third);
    if (start->kind != HTMT__SYNTAX_EMPTY || !d || !compares(condition))
        return;
    start = make(HTMT__SYNTAX_ASSIGN, HTMT__OP_NONE, third, name_of(d, third), name_of(d, third));
    start->next = condition;
    s->child = start;
}
