/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What statements hold and change, before they are walked.
 *
 * The walk sees a loop's body once, so what the body changes must be known first: its values are
 * forgotten for all iterations but what their symbols say. The searches go through the calls of
 * functions as well, each function once: the mark is_scanned stops recursion, and clear() takes it
 * away again. A place is changed by an assignment, by ++ and --, and by whatever gets its address,
 * unless that is a parameter through which nothing is written.
 */
#include "emul/tools/analyze/walk.h"

#include <stddef.h>
#include <string.h>

static const struct htmt__operand unknown = {.kind = HTMT__OPERAND_UNKNOWN},
                                  data = {.kind = HTMT__OPERAND_DATA};

/* ---- what stands in them -----------------------------------------------------------------------
 */

/* What is printed between nests is not read; elements that a loop prints are. */
static bool names(const struct htmt__syntax *s, const struct htmt__declaration *counter,
                  bool in_loop, bool printed)
{
    if (s->declaration == counter && !printed)
        return true;
    in_loop |= s->kind == HTMT__SYNTAX_FOR;
    printed |= s->kind == HTMT__SYNTAX_CALL && htmt__known_silent(s->name);
    printed &= !(in_loop && s->kind == HTMT__SYNTAX_SUBSCRIPT);
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        if (names(c, counter, in_loop, printed))
            return true;
    return false;
}

bool htmt__scan_names(const struct htmt__syntax *s, const struct htmt__declaration *counter)
{
    return names(s, counter, false, false);
}

/* A condition between nests may name the counter: what it decides is judged by itself. */
bool htmt__scan_steers(const struct htmt__syntax *s, const struct htmt__declaration *counter)
{
    const bool block = s->kind == HTMT__SYNTAX_BLOCK, branch = s->kind == HTMT__SYNTAX_IF;
    if (!block && !branch)
        return htmt__scan_names(s, counter);
    for (const struct htmt__syntax *c = branch ? s->child->next : s->child; c; c = c->next)
        if (htmt__scan_steers(c, counter))
            return true;
    return false;
}

/* Elements of arrays; characters and pointers, such as those of a command line, are none. */
static bool has_accesses(const struct htmt__syntax *s)
{
    bool place = s->kind == HTMT__SYNTAX_SUBSCRIPT ||
                 (s->kind == HTMT__SYNTAX_UNARY && s->op == HTMT__OP_DEREFERENCE);
    if (place && s->type != HTMT__TYPE_POINTER && !(s->type == HTMT__TYPE_WHOLE && s->bytes == 1))
        return true;
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        if (has_accesses(c))
            return true;
    return false;
}

bool htmt__scan_leaves(const struct htmt__syntax *s)
{
    if (s->kind == HTMT__SYNTAX_JUMP || s->kind == HTMT__SYNTAX_RETURN ||
        s->kind == HTMT__SYNTAX_LABEL)
        return true;
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        if (htmt__scan_leaves(c))
            return true;
    return false;
}

unsigned htmt__scan_changes(const struct htmt__syntax *s, const struct htmt__declaration *d)
{
    const bool changes =
        s->kind == HTMT__SYNTAX_ASSIGN || s->kind == HTMT__SYNTAX_DECLARE ||
        (s->kind == HTMT__SYNTAX_UNARY &&
         (s->op == HTMT__OP_INCREMENT || s->op == HTMT__OP_DECREMENT || s->op == HTMT__OP_ADDRESS));
    const struct htmt__syntax *place = s->kind == HTMT__SYNTAX_DECLARE ? s : s->child;
    unsigned count = changes && place && place->declaration == d;
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        count += htmt__scan_changes(c, d);
    return count;
}

static bool has_goto(const struct htmt__syntax *s)
{
    if (s->kind == HTMT__SYNTAX_JUMP && strcmp(s->name, "goto") == 0)
        return true;
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        if (has_goto(c))
            return true;
    return false;
}

/* From the label on: a goto back to it, or loops that a goto may pass over. */
static bool label_repeats(const struct htmt__syntax *label)
{
    bool back = false, accesses = false, loops = htmt__scan_has_loops(label->child);
    for (const struct htmt__syntax *s = label; s && !loops; s = s->next) {
        loops = s != label && htmt__scan_has_loops(s);
        back |= has_goto(s);
        accesses |= has_accesses(s);
    }
    return loops || (back && accesses);
}

bool htmt__scan_has_loops(const struct htmt__syntax *s)
{
    struct htmt__declaration *f = s->kind == HTMT__SYNTAX_CALL ? s->declaration : NULL;
    if (s->kind == HTMT__SYNTAX_FOR || (s->kind == HTMT__SYNTAX_LABEL && label_repeats(s)))
        return true;
    if ((s->kind == HTMT__SYNTAX_PASSES || s->kind == HTMT__SYNTAX_OTHER) && has_accesses(s))
        return true;
    /* Of a function once; while it is asked, one that calls itself has none. */
    if (f && f->is_function && f->body && !f->is_asked) {
        f->is_asked = true;
        f->has_loops = htmt__scan_has_loops(f->body);
    }
    if (f && f->has_loops)
        return true;
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        if (htmt__scan_has_loops(c))
            return true;
    return false;
}

/* ---- searches -------------------------------------------------------------------------------- */

/* The node `by` changes the place. */
typedef bool wanted(const void *context, const struct htmt__syntax *by,
                    const struct htmt__syntax *place);

/* A whole number or a struct may change behind its address. NULL: the node changes nothing. */
static const struct htmt__syntax *changed_by(const struct htmt__syntax *s)
{
    bool steps = s->op == HTMT__OP_INCREMENT || s->op == HTMT__OP_DECREMENT,
         address = s->op == HTMT__OP_ADDRESS && s->child->type != HTMT__TYPE_POINTER;
    return s->kind == HTMT__SYNTAX_ASSIGN || (s->kind == HTMT__SYNTAX_UNARY && (steps || address))
               ? s->child
               : NULL;
}

/* The function only reads what it gets the address of. */
static bool only_reads(const struct htmt__syntax *call, unsigned argument)
{
    const struct htmt__declaration *f = call->declaration;
    return f && argument < f->parameters && f->parameter[argument]->points_to_constant;
}

/* What changes a place that is wanted, in the statements or in what they call. */
static const struct htmt__syntax *search(const struct htmt__syntax *s, wanted *is,
                                         const void *context)
{
    const struct htmt__syntax *place = changed_by(s), *found = NULL;
    bool call = s->kind == HTMT__SYNTAX_CALL;
    unsigned argument = 0;
    if (place && is(context, s, place))
        return s;
    for (const struct htmt__syntax *c = s->child; c && !found; c = c->next, argument++)
        if (!call || c->op != HTMT__OP_ADDRESS || !only_reads(s, argument))
            found = search(c, is, context);
    struct htmt__declaration *f = call ? s->declaration : NULL;
    if (found || !f || !f->body || f->is_scanned)
        return found;
    f->is_scanned = true;
    return search(f->body, is, context);
}

static void clear(const struct htmt__syntax *s)
{
    struct htmt__declaration *f = s->kind == HTMT__SYNTAX_CALL ? s->declaration : NULL;
    if (f && f->is_scanned) {
        f->is_scanned = false;
        clear(f->body);
    }
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        clear(c);
}

static const struct htmt__syntax *find(const struct htmt__syntax *s, wanted *is,
                                       const void *context)
{
    const struct htmt__syntax *found = search(s, is, context);
    clear(s);
    return found;
}

/* ---- bounds ---------------------------------------------------------------------------------- */

static const struct htmt__syntax *base_of(const struct htmt__syntax *s)
{
    while (s->kind == HTMT__SYNTAX_SUBSCRIPT)
        s = s->child;
    return s;
}

/* A variable, an element of it, or a member: a struct may have another name in a function. */
static bool is_place(const void *context, const struct htmt__syntax *by,
                     const struct htmt__syntax *place)
{
    const struct htmt__syntax *of = context;
    (void)by;
    if (place->kind != of->kind)
        return false;
    if (of->kind == HTMT__SYNTAX_MEMBER)
        return place->child->kind == of->child->kind && strcmp(place->name, of->name) == 0;
    return base_of(place)->kind == HTMT__SYNTAX_NAME &&
           base_of(place)->declaration == base_of(of)->declaration;
}

const struct htmt__syntax *htmt__scan_changed(const struct htmt__syntax *of,
                                              const struct htmt__syntax *statements)
{
    bool place = of->kind == HTMT__SYNTAX_NAME || of->kind == HTMT__SYNTAX_MEMBER ||
                 of->kind == HTMT__SYNTAX_SUBSCRIPT;
    const struct htmt__syntax *found = place && find(statements, is_place, of) ? of : NULL;
    for (const struct htmt__syntax *c = of->child; c && !found; c = c->next)
        found = htmt__scan_changed(c, statements);
    return found;
}

/* ---- pointers -------------------------------------------------------------------------------- */

/* It gets a value that does not depend on its own. */
static bool starts_anew(const struct htmt__syntax *s, const struct htmt__declaration *d)
{
    return s->kind == HTMT__SYNTAX_ASSIGN && s->op == HTMT__OP_NONE &&
           s->child->kind == HTMT__SYNTAX_NAME && s->child->declaration == d &&
           !htmt__scan_names(s->child->next, d);
}

bool htmt__scan_declares(const struct htmt__syntax *s, const struct htmt__declaration *d)
{
    if (s->kind == HTMT__SYNTAX_DECLARE && s->declaration == d)
        return true;
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        if (htmt__scan_declares(c, d))
            return true;
    return false;
}

/* "p++", "p += n", "p = p + n", of a pointer of outside that no statement gives another start. */
static bool moves(const void *context, const struct htmt__syntax *by,
                  const struct htmt__syntax *place)
{
    const struct htmt__syntax *statements = context;
    const struct htmt__declaration *d = place->declaration;
    if (place->kind != HTMT__SYNTAX_NAME || d->type != HTMT__TYPE_POINTER || starts_anew(by, d))
        return false;
    if (d->is_local && (!htmt__scan_names(statements, d) || htmt__scan_declares(statements, d)))
        return false;
    for (const struct htmt__syntax *c = statements->child; c; c = c->next)
        if (starts_anew(c, d))
            return false;
    return true;
}

const struct htmt__syntax *htmt__scan_moved(const struct htmt__syntax *statements)
{
    return find(statements, moves, statements);
}

/* ---- values ---------------------------------------------------------------------------------- */

void htmt__forget(const struct htmt__loop *root, const struct htmt__syntax *s, bool pointers)
{
    const struct htmt__syntax *place = changed_by(s);
    if (place && place->kind == HTMT__SYNTAX_SUBSCRIPT && base_of(place)->kind == HTMT__SYNTAX_NAME)
        base_of(place)->declaration->elements = NULL;
    if (place && place->kind == HTMT__SYNTAX_NAME) {
        struct htmt__declaration *d = place->declaration;
        bool whole = d->type == HTMT__TYPE_WHOLE;
        if (whole || (d->type == HTMT__TYPE_POINTER ? pointers : s->op != HTMT__OP_ADDRESS))
            d->value = whole && root && root->kind == HTMT__LOOP_ROOT ? &data : &unknown;
    }
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        htmt__forget(root, c, pointers);
}
