/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/tools/analyze/memory.h"
#include "emul/tools/analyze/walk.h"

static int pointer(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__operand *out);

static const struct htmt__operand unknown = {.kind = HTMT__OPERAND_UNKNOWN},
                                  data = {.kind = HTMT__OPERAND_DATA};

struct htmt__operand htmt__operand_whole(htmt__value value)
{
    return value ? (struct htmt__operand){.kind = HTMT__OPERAND_WHOLE, .whole = value} : unknown;
}

bool htmt__operand_is_constant(const struct htmt__operand *o)
{
    int64_t whole;
    return o->kind == HTMT__OPERAND_CONSTANT ||
           (o->kind == HTMT__OPERAND_WHOLE && htmt__value_is_whole(o->whole, &whole));
}

void htmt__walk_set(struct htmt__declaration *d, const struct htmt__operand *value)
{
    struct htmt__operand *own = htmt__source_alloc(sizeof *own);
    *own = *value;
    if (d->type == HTMT__TYPE_REAL && !d->is_constant)
        *own = unknown;
    d->value = own;
}

static struct htmt__operand parameter(struct htmt__walk *w, const char *name)
{
    htmt__symbol symbol = htmt__names_parameter(&w->names, name);
    return symbol ? htmt__operand_whole(htmt__value_symbol(symbol)) : unknown;
}

/* The name of a formal parameter, and one that has a meaning already, is its own. */
struct htmt__operand htmt__walk_given(struct htmt__walk *w, struct htmt__declaration *d)
{
    const char *root = htmt__note_root(w, d);
    if (d->is_parameter || htmt__names_known(&w->names, root)) {
        struct htmt__declaration *later = htmt__source_alloc(sizeof *later);
        *later = (struct htmt__declaration){.name = d->name, .is_local = true};
        root = htmt__note_root(w, later);
    }
    return parameter(w, root);
}

void htmt__walk_changed(const struct htmt__walk *w, const struct htmt__location *at)
{
    if (at->root->type == HTMT__TYPE_WHOLE && !at->root->is_array && !at->is_member)
        at->root->value = w->loop->kind == HTMT__LOOP_ROOT ? &data : &unknown;
}

/* ---- places ---------------------------------------------------------------------------------- */

static int push(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__location *at,
                htmt__value subscript)
{
    if (at->dimensions == HTMT__DIMENSIONS_MAX)
        return htmt__walk_refuse(w, &s->place, "found more than %d subscripts of '%s'",
                                 HTMT__DIMENSIONS_MAX, at->path);
    at->subscript[at->dimensions++] = subscript;
    return 0;
}

static int not_affine(struct htmt__walk *w, const struct htmt__syntax *s, const char *path)
{
    return path ? htmt__walk_refuse(w, &s->place, "found a subscript of '%s' that is not affine",
                                    path)
                : htmt__walk_refuse(w, &s->place, "found a subscript that is not affine");
}

/* Where the pointer leads, `index` elements on. */
static int follow(struct htmt__walk *w, const struct htmt__syntax *s, const struct htmt__operand *p,
                  htmt__value index, struct htmt__location *out)
{
    if (p->kind != HTMT__OPERAND_POINTER || !p->whole)
        return htmt__walk_refuse(w, &s->place,
                                 "found a pointer that moves, or whose array is not known");
    *out = p->at;
    htmt__value sum = htmt__value_add(p->whole, index);
    if (sum && !htmt__names_affine(&w->names, sum))
        return not_affine(w, s, out->path);
    return sum ? push(w, s, out, sum)
               : htmt__walk_refuse(w, &s->place, "a subscript of '%s' passes 64 bits", out->path);
}

static int subscript(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__location *out)
{
    struct htmt__operand base, index;
    int rc = pointer(w, s->child, &base);
    if (!rc)
        rc = htmt__walk_expression(w, htmt__syntax_second(s), &index);
    if (rc)
        return rc;
    if (index.kind != HTMT__OPERAND_WHOLE)
        return not_affine(w, htmt__syntax_second(s), base.at.path);
    return follow(w, s, &base, index.whole, out);
}

static int locate(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__location *out);

/* "s->x": what s leads to, without a subscript if it has none. */
static int structure(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__location *out)
{
    struct htmt__operand p;
    int64_t whole;
    if (s->type != HTMT__TYPE_POINTER)
        return locate(w, s, out);
    int rc = pointer(w, s, &p);
    if (!rc && p.kind == HTMT__OPERAND_POINTER && htmt__value_is_whole(p.whole, &whole) && !whole)
        *out = p.at;
    else if (!rc)
        rc = follow(w, s, &p, htmt__value_whole(0), out);
    return rc;
}

static int member(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__location *out)
{
    int rc = structure(w, s->child, out);
    if (rc)
        return rc;
    out->path = htmt__source_print("%s.%s", out->path, s->name);
    out->is_member = true;
    return 0;
}

static int dereference(struct htmt__walk *w, const struct htmt__syntax *s,
                       struct htmt__location *out)
{
    struct htmt__operand p;
    int rc = pointer(w, s->child, &p);
    return rc ? rc : follow(w, s, &p, htmt__value_whole(0), out);
}

static int locate(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__location *out)
{
    switch (s->kind) {
    case HTMT__SYNTAX_NAME:
        *out = (struct htmt__location){.path = htmt__note_root(w, s->declaration),
                                       .root = s->declaration};
        /* A struct that is handed over. */
        if (s->declaration->type == HTMT__TYPE_OTHER && s->declaration->value)
            *out = s->declaration->value->at;
        return out->path ? 0 : htmt__walk_refuse(w, &s->place, "found a struct that is not known");
    case HTMT__SYNTAX_SUBSCRIPT:
        return subscript(w, s, out);
    case HTMT__SYNTAX_MEMBER:
        return member(w, s, out);
    case HTMT__SYNTAX_UNARY:
        if (s->op == HTMT__OP_DEREFERENCE)
            return dereference(w, s, out);
        break;
    case HTMT__SYNTAX_OTHER:
        return htmt__walk_refuse(w, &s->place, "found %s", s->name);
    default:
        break;
    }
    return htmt__walk_refuse(w, &s->place, "found a place in memory that has no name");
}

/* ---- pointers -------------------------------------------------------------------------------- */

static struct htmt__operand leads_to(const struct htmt__location *at)
{
    return (struct htmt__operand){HTMT__OPERAND_POINTER, htmt__value_whole(0), *at};
}

static int named_pointer(struct htmt__walk *w, const struct htmt__syntax *s,
                         struct htmt__operand *out)
{
    struct htmt__location at;
    struct htmt__declaration *d = s->declaration;
    int rc = 0;
    if (d->value)
        *out = *d->value;
    else if (!(rc = locate(w, s, &at)))
        *out = leads_to(&at);
    return rc;
}

static int stored_pointer(struct htmt__walk *w, const struct htmt__syntax *s,
                          struct htmt__operand *out)
{
    struct htmt__location at;
    int rc = locate(w, s, &at);
    if (!rc)
        *out = leads_to(&at);
    return rc;
}

/* The address of an element is a pointer to the first one, and so many elements. */
static int address(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__operand *out)
{
    struct htmt__location at;
    int rc = locate(w, s->child, &at);
    if (rc)
        return rc;
    htmt__value behind = at.dimensions ? at.subscript[--at.dimensions] : htmt__value_whole(0);
    *out = (struct htmt__operand){HTMT__OPERAND_POINTER, behind, at};
    return 0;
}

static int moved(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__operand *out)
{
    const struct htmt__syntax *first = s->child, *second = htmt__syntax_second(s);
    bool swapped = first->type != HTMT__TYPE_POINTER;
    struct htmt__operand by;
    int rc = pointer(w, swapped ? second : first, out);
    if (!rc)
        rc = htmt__walk_expression(w, swapped ? first : second, &by);
    if (rc || out->kind != HTMT__OPERAND_POINTER)
        return rc;
    htmt__value whole = by.kind == HTMT__OPERAND_WHOLE ? by.whole : NULL;
    out->whole = s->op == HTMT__OP_ADD ? htmt__value_add(out->whole, whole)
                                       : htmt__value_sub(out->whole, whole);
    return 0;
}

static int pointer(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__operand *out)
{
    *out = unknown;
    if (s->kind == HTMT__SYNTAX_NAME && !s->declaration->is_function)
        return named_pointer(w, s, out);
    if (s->kind == HTMT__SYNTAX_SUBSCRIPT || s->kind == HTMT__SYNTAX_MEMBER ||
        (s->kind == HTMT__SYNTAX_UNARY && s->op == HTMT__OP_DEREFERENCE))
        return stored_pointer(w, s, out);
    if (s->kind == HTMT__SYNTAX_UNARY && s->op == HTMT__OP_ADDRESS)
        return address(w, s, out);
    if (s->kind == HTMT__SYNTAX_BINARY && (s->op == HTMT__OP_ADD || s->op == HTMT__OP_SUB))
        return moved(w, s, out);
    if (s->kind == HTMT__SYNTAX_CALL)
        return w->call(w, s, out);
    return 0;
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* What is declared of an array's size. */
static void measure(struct htmt__walk *w, struct htmt__array *a)
{
    const struct htmt__declaration *d = a->declaration;
    a->measured = true;
    for (unsigned i = 0; d && i < d->extents && i < HTMT__DIMENSIONS_MAX; i++, a->dimensions = i)
        if (d->extent[i] && htmt__walk_whole(w, d->extent[i], &a->extent[i]))
            a->extent[i] = NULL;
}

static int note(struct htmt__walk *w, enum htmt__access_kind kind, const struct htmt__location *at,
                const struct htmt__syntax *s)
{
    if (s->type == HTMT__TYPE_OTHER && !htmt__walk_between(w))
        return htmt__walk_refuse(w, &s->place,
                                 "found a value of '%s' that is neither whole nor real, expected "
                                 "each member of a struct by itself",
                                 at->path);
    struct htmt__array *a = htmt__note_access(w, kind, at, s);
    if (a && !a->measured)
        measure(w, a);
    return 0;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* A whole number that is handed over: only what the function does not write is one. */
static bool is_given(const struct htmt__location *at)
{
    if (at->root->is_local && !at->root->is_parameter && at->root->type != HTMT__TYPE_POINTER)
        return at->is_member;
    return !(at->root->is_local && at->root->is_array);
}

static struct htmt__operand given(struct htmt__walk *w, const struct htmt__location *at)
{
    const char *name = at->path;
    for (unsigned i = 0; i < at->dimensions; i++) {
        int64_t whole;
        if (!htmt__value_is_whole(at->subscript[i], &whole))
            return unknown;
        if (at->dimensions > 1 || whole || !at->is_member)
            name = htmt__source_print("%s.%lld", name, (long long)whole);
    }
    return is_given(at) ? parameter(w, name) : unknown;
}

static int load(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__operand *out)
{
    struct htmt__location at;
    int rc = locate(w, s, &at);
    if (rc)
        return rc;
    *out = s->type == HTMT__TYPE_WHOLE ? given(w, &at) : unknown;
    if (at.dimensions && out->kind == HTMT__OPERAND_UNKNOWN)
        rc = note(w, HTMT__READ, &at, s);
    else
        htmt__note_state(w, at.path, s->type, HTMT__READ);
    return rc;
}

/* A constant has the value of what it starts with. */
static int constant(struct htmt__walk *w, const struct htmt__declaration *d,
                    struct htmt__operand *out)
{
    bool quiet = w->quiet;
    w->quiet = true;
    int rc = htmt__walk_expression(w, d->starts, out);
    w->quiet = quiet;
    if (!rc && !htmt__operand_is_constant(out))
        *out = unknown;
    return rc;
}

static int named_value(struct htmt__walk *w, const struct htmt__syntax *s,
                       struct htmt__operand *out)
{
    struct htmt__declaration *d = s->declaration;
    int rc = 0;
    if (d->is_function || d->type == HTMT__TYPE_OTHER)
        return 0;
    if (!d->is_counter)
        htmt__note_state(w, htmt__note_root(w, d), d->type, HTMT__READ);
    if (d->value && d->value->kind == HTMT__OPERAND_DATA) {
        const struct htmt__operand own = htmt__walk_given(w, d);
        htmt__walk_set(d, &own);
    }
    if (d->value)
        *out = *d->value;
    else if (d->starts)
        rc = constant(w, d, out);
    else if (d->type == HTMT__TYPE_WHOLE && (d->is_parameter || !d->is_local))
        *out = parameter(w, htmt__note_root(w, d));
    return rc;
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static enum htmt__op_class class_of(enum htmt__syntax_op op)
{
    return op == HTMT__OP_MUL   ? HTMT__CLASS_MUL
           : op == HTMT__OP_DIV ? HTMT__CLASS_DIV
                                : HTMT__CLASS_ADD;
}

static bool compares(enum htmt__syntax_op op)
{
    return op >= HTMT__OP_LT && op <= HTMT__OP_LOGIC;
}

/* A factor without loop variables, of a number or of what has some, could be a stride. */
static void keep_hint(struct htmt__walk *w, htmt__value a)
{
    if (!htmt__value_degree(a) || !htmt__names_fixed(&w->names, a))
        return;
    for (unsigned i = 0; i < w->hints; i++)
        if (htmt__value_same(w->hint[i], a))
            return;
    if (w->hints < sizeof w->hint / sizeof *w->hint)
        w->hint[w->hints++] = a;
}

static htmt__value multiply(struct htmt__walk *w, htmt__value a, htmt__value b)
{
    if (!htmt__value_degree(a) || !htmt__names_fixed(&w->names, a))
        keep_hint(w, b);
    if (!htmt__value_degree(b) || !htmt__names_fixed(&w->names, b))
        keep_hint(w, a);
    return htmt__value_mul(a, b);
}

static int64_t compare(enum htmt__syntax_op op, int64_t a, int64_t b)
{
    switch (op) {
    case HTMT__OP_LT:
        return a < b;
    case HTMT__OP_LE:
        return a <= b;
    case HTMT__OP_GT:
        return a > b;
    case HTMT__OP_GE:
        return a >= b;
    default:
        return (a == b) == (op == HTMT__OP_EQ);
    }
}

/* Of two numbers. */
static htmt__value compute(enum htmt__syntax_op op, int64_t a, int64_t b)
{
    if ((op == HTMT__OP_DIV || op == HTMT__OP_REM) && b && !(b == -1 && a == INT64_MIN))
        return htmt__value_whole(op == HTMT__OP_DIV ? a / b : a % b);
    if (op == HTMT__OP_SHL && a >= 0 && b >= 0 && b < 62 && a < (INT64_C(1) << (62 - b)))
        return htmt__value_whole(a << b);
    if (op == HTMT__OP_SHR && a >= 0 && b >= 0 && b < 63)
        return htmt__value_whole(a >> b);
    return op >= HTMT__OP_LT && op <= HTMT__OP_EQ ? htmt__value_whole(compare(op, a, b)) : NULL;
}

/* NULL: no polynomial. */
static htmt__value combine(struct htmt__walk *w, enum htmt__syntax_op op, htmt__value a,
                           htmt__value b)
{
    int64_t x, y;
    switch (op) {
    case HTMT__OP_ADD:
        return htmt__value_add(a, b);
    case HTMT__OP_SUB:
        return htmt__value_sub(a, b);
    case HTMT__OP_MUL:
        return multiply(w, a, b);
    default:
        break;
    }
    if (htmt__value_is_whole(a, &x) && htmt__value_is_whole(b, &y))
        return compute(op, x, y);
    if (op == HTMT__OP_DIV && htmt__value_is_whole(b, &y) && y > 0 &&
        htmt__value_content(a) % y == 0)
        return htmt__value_quotient(a, b);
    return op == HTMT__OP_SHL && htmt__value_is_whole(b, &y) && y >= 0 && y < 62
               ? htmt__value_mul(a, htmt__value_whole(INT64_C(1) << y))
               : NULL;
}

/* A parameter stands for what only parameters decide, as n / 2 does. */
static htmt__value derived(struct htmt__walk *w, enum htmt__syntax_op op, htmt__value a,
                           htmt__value b)
{
    static const char *const forms[] = {[HTMT__OP_DIV] = "floor", [HTMT__OP_REM] = "mod"};
    int64_t y;
    if ((op != HTMT__OP_DIV && op != HTMT__OP_REM) || !htmt__names_fixed(&w->names, a) ||
        !htmt__value_is_whole(b, &y) || y <= 0)
        return NULL;
    const char *text = htmt__names_print(&w->names, a);
    text = op == HTMT__OP_DIV ? htmt__source_print("%s((%s)/%lld)", forms[op], text, (long long)y)
                              : htmt__source_print("%s(%s,%lld)", forms[op], text, (long long)y);
    htmt__symbol symbol = htmt__names_parameter(&w->names, text);
    return symbol ? htmt__value_symbol(symbol) : NULL;
}

static struct htmt__operand whole_result(struct htmt__walk *w, enum htmt__syntax_op op,
                                         const struct htmt__operand *a,
                                         const struct htmt__operand *b)
{
    htmt__value value = NULL;
    if (a->kind == HTMT__OPERAND_WHOLE && b->kind == HTMT__OPERAND_WHOLE) {
        value = combine(w, op, a->whole, b->whole);
        value = value ? value : derived(w, op, a->whole, b->whole);
    }
    if (!value && !compares(op))
        htmt__note_op(w, HTMT__CLASS_IOP);
    return htmt__operand_whole(value);
}

/* Counted unless it is folded. `right`: the second operand, NULL: 1. */
static int result(struct htmt__walk *w, const struct htmt__syntax *s, enum htmt__syntax_op op,
                  const struct htmt__syntax *right, const struct htmt__operand *a,
                  const struct htmt__operand *b, struct htmt__operand *out)
{
    enum htmt__syntax_type type = right ? right->type : HTMT__TYPE_WHOLE;
    bool real = s->child->type == HTMT__TYPE_REAL || type == HTMT__TYPE_REAL;
    *out = unknown;
    if (s->type == HTMT__TYPE_OTHER || s->child->type == HTMT__TYPE_OTHER ||
        type == HTMT__TYPE_OTHER)
        return htmt__walk_refuse(w, &s->place,
                                 "found numbers that are neither whole nor real, such as complex");
    if (!real && s->type == HTMT__TYPE_WHOLE)
        *out = whole_result(w, op, a, b);
    else if (htmt__operand_is_constant(a) && htmt__operand_is_constant(b))
        out->kind = HTMT__OPERAND_CONSTANT;
    else if (s->type == HTMT__TYPE_REAL && !compares(op))
        htmt__note_op(w, class_of(op));
    return 0;
}

static int binary(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__operand *out)
{
    struct htmt__operand a, b;
    const struct htmt__syntax *second = htmt__syntax_second(s);
    if (s->type == HTMT__TYPE_POINTER && s->op != HTMT__OP_COMMA)
        return pointer(w, s, out);
    int rc = htmt__walk_expression(w, s->child, &a);
    if (!rc)
        rc = htmt__walk_expression(w, second, &b);
    if (!rc && s->op == HTMT__OP_COMMA)
        *out = b;
    else if (!rc)
        rc = result(w, s, s->op, second, &a, &b, out);
    return rc;
}

/* ---- changes --------------------------------------------------------------------------------- */

/* Where the value goes: noted as a write or an update. */
static int store(struct htmt__walk *w, const struct htmt__syntax *s, bool update,
                 const struct htmt__operand *value)
{
    struct htmt__location at;
    enum htmt__access_kind kind = update ? HTMT__UPDATE : HTMT__WRITE;
    if (s->kind == HTMT__SYNTAX_NAME) {
        htmt__walk_set(s->declaration, value);
        if (s->type == HTMT__TYPE_POINTER && value->kind != HTMT__OPERAND_POINTER &&
            htmt__walk_between(w))
            s->declaration->value = NULL; /* memory of its own */
        htmt__note_state(w, htmt__note_root(w, s->declaration), s->type, kind);
        return 0;
    }
    int rc = locate(w, s, &at);
    if (rc)
        return rc;
    htmt__walk_changed(w, &at);
    if (at.dimensions)
        rc = note(w, kind, &at, s);
    else
        htmt__note_state(w, at.path, s->type, kind);
    return rc;
}

/* What a variable holds before an update. */
static struct htmt__operand held(struct htmt__walk *w, const struct htmt__syntax *s)
{
    struct htmt__operand out = unknown;
    bool quiet = w->quiet;
    w->quiet = true;
    if (s->kind == HTMT__SYNTAX_NAME && htmt__walk_expression(w, s, &out))
        out = unknown;
    w->quiet = quiet;
    return out;
}

static struct htmt__operand moved_by(const struct htmt__operand *p, enum htmt__syntax_op op,
                                     const struct htmt__operand *by)
{
    struct htmt__operand out = *p;
    htmt__value whole = by->kind == HTMT__OPERAND_WHOLE ? by->whole : NULL;
    if (p->kind != HTMT__OPERAND_POINTER)
        return unknown;
    out.whole =
        op == HTMT__OP_ADD ? htmt__value_add(p->whole, whole) : htmt__value_sub(p->whole, whole);
    return out;
}

/* Outside of loops a whole number that is not known is a parameter. */
static void name_unknown(struct htmt__walk *w, const struct htmt__syntax *s,
                         struct htmt__operand *value)
{
    if (w->loop->kind != HTMT__LOOP_ROOT || s->kind != HTMT__SYNTAX_NAME || w->quiet ||
        s->type != HTMT__TYPE_WHOLE || value->kind == HTMT__OPERAND_WHOLE)
        return;
    *value = htmt__walk_given(w, s->declaration);
}

static int assign(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__operand *out)
{
    const struct htmt__syntax *right = htmt__syntax_second(s);
    struct htmt__operand b;
    int rc = htmt__walk_expression(w, right, &b);
    if (rc)
        return rc;
    if (s->op != HTMT__OP_NONE) {
        struct htmt__operand a = held(w, s->child), by = b;
        if (s->type == HTMT__TYPE_POINTER)
            b = moved_by(&a, s->op, &by);
        else
            rc = result(w, s, s->op, right, &a, &by, &b);
    }
    if (rc)
        return rc;
    name_unknown(w, s->child, &b);
    *out = b;
    return store(w, s->child, s->op != HTMT__OP_NONE, &b);
}

static int step(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__operand *out)
{
    enum htmt__syntax_op op = s->op == HTMT__OP_INCREMENT ? HTMT__OP_ADD : HTMT__OP_SUB;
    const struct htmt__operand one = htmt__operand_whole(htmt__value_whole(1));
    struct htmt__operand a = held(w, s->child);
    int rc = 0;
    if (s->type == HTMT__TYPE_POINTER)
        *out = moved_by(&a, op, &one);
    else
        rc = result(w, s, op, NULL, &a, &one, out);
    return rc ? rc : store(w, s->child, true, out);
}

static struct htmt__operand negated(const struct htmt__operand *o)
{
    if (o->kind == HTMT__OPERAND_WHOLE)
        return htmt__operand_whole(htmt__value_sub(htmt__value_whole(0), o->whole));
    return o->kind == HTMT__OPERAND_CONSTANT ? *o : unknown;
}

static int unary(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__operand *out)
{
    int64_t whole;
    if (s->op == HTMT__OP_INCREMENT || s->op == HTMT__OP_DECREMENT)
        return step(w, s, out);
    if (s->op == HTMT__OP_ADDRESS)
        return pointer(w, s, out);
    if (s->op == HTMT__OP_DEREFERENCE)
        return s->type == HTMT__TYPE_POINTER ? pointer(w, s, out) : load(w, s, out);
    int rc = htmt__walk_expression(w, s->child, out);
    if (!rc && s->op == HTMT__OP_MINUS)
        *out = negated(out);
    else if (!rc && s->op == HTMT__OP_NOT)
        *out = htmt__value_is_whole(out->kind == HTMT__OPERAND_WHOLE ? out->whole : NULL, &whole)
                   ? htmt__operand_whole(htmt__value_whole(!whole))
                   : unknown;
    return rc;
}

/* ---- branches -------------------------------------------------------------------------------- */

struct choice {
    struct htmt__walk *walk;
    const struct htmt__syntax *value[2];
    struct htmt__operand result[2];
};

static int choose(void *context, unsigned side)
{
    struct choice *c = context;
    return htmt__walk_expression(c->walk, c->value[side], &c->result[side]);
}

static int conditional(struct htmt__walk *w, const struct htmt__syntax *s,
                       struct htmt__operand *out)
{
    struct htmt__operand condition;
    const struct htmt__syntax *first = htmt__syntax_second(s);
    struct choice c = {.walk = w, .value = {first, first->next}};
    int rc = htmt__walk_expression(w, s->child, &condition);
    if (htmt__walk_between(w) && htmt__branch_side(&condition) < 0 && !htmt__scan_has_loops(s)) {
        htmt__forget(w->loop, s, true);
        return rc;
    }
    if (!rc)
        rc = htmt__branch(w, &s->place, &condition, choose, &c);
    int side = htmt__branch_side(&condition);
    if (!rc && side >= 0)
        *out = c.result[side];
    else if (!rc && c.result[0].kind == HTMT__OPERAND_WHOLE &&
             c.result[1].kind == HTMT__OPERAND_WHOLE &&
             htmt__value_same(c.result[0].whole, c.result[1].whole))
        *out = c.result[0];
    return rc;
}

static int list(struct htmt__walk *w, const struct htmt__syntax *s)
{
    struct htmt__operand each;
    int rc = 0;
    for (const struct htmt__syntax *c = s->child; c && !rc; c = c->next)
        rc = htmt__walk_expression(w, c, &each);
    return rc;
}

int htmt__walk_expression(struct htmt__walk *w, const struct htmt__syntax *s,
                          struct htmt__operand *out)
{
    *out = unknown;
    switch (s->kind) {
    case HTMT__SYNTAX_WHOLE:
        *out = htmt__operand_whole(htmt__value_whole(s->whole));
        return 0;
    case HTMT__SYNTAX_REAL:
        out->kind = HTMT__OPERAND_CONSTANT;
        return 0;
    case HTMT__SYNTAX_NAME:
        return s->type == HTMT__TYPE_POINTER ? pointer(w, s, out) : named_value(w, s, out);
    case HTMT__SYNTAX_SUBSCRIPT:
    case HTMT__SYNTAX_MEMBER:
        return s->type == HTMT__TYPE_POINTER ? pointer(w, s, out) : load(w, s, out);
    case HTMT__SYNTAX_UNARY:
        return unary(w, s, out);
    case HTMT__SYNTAX_BINARY:
        return binary(w, s, out);
    case HTMT__SYNTAX_ASSIGN:
        return assign(w, s, out);
    case HTMT__SYNTAX_CONDITIONAL:
        return conditional(w, s, out);
    case HTMT__SYNTAX_CALL:
        return w->call(w, s, out);
    case HTMT__SYNTAX_CAST: {
        int rc = htmt__walk_expression(w, s->child, out);
        if (out->kind != HTMT__OPERAND_WHOLE)
            *out = unknown;
        return rc;
    }
    case HTMT__SYNTAX_LIST:
        return list(w, s);
    default:
        return htmt__walk_refuse(w, &s->place, "found %s", s->name ? s->name : "no expression");
    }
}

int htmt__walk_whole(struct htmt__walk *w, const struct htmt__syntax *s, htmt__value *out)
{
    struct htmt__operand o;
    bool quiet = w->quiet;
    w->quiet = true;
    int rc = htmt__walk_expression(w, s, &o);
    w->quiet = quiet;
    *out = !rc && o.kind == HTMT__OPERAND_WHOLE ? o.whole : NULL;
    return rc;
}
