/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What an expression computes, touches and counts.
 *
 * The walk runs a function once, with values that are not numbers but polynomials in parameters and
 * loop variables. That is all a nest file needs: how often a body runs, and which element an access
 * touches in iteration (i, j), are affine in most loops worth reading. An operand is
 *   WHOLE     a polynomial, such as "nx*j + i - 1"; a number is one without symbols,
 *   CONSTANT  a real number that the compiler knows: arithmetic of such costs nothing,
 *   POINTER   a location and how many elements behind it,
 *   FRESH     new memory, DATA a number that becomes a parameter once it is read,
 *   UNKNOWN   all else: a real number, or a whole one that data decide.
 * Whatever passes 64 bits, the highest degree or the forms above is UNKNOWN, never a guess. An
 * unknown number refuses the loop only where it is a bound or a subscript.
 *
 * By hand, with m and n parameters of the function and i a loop variable:
 *     int k = 2 * n;                k is WHOLE 2*n; nothing is counted, as loops do not repeat it
 *     const double *p = u + k * m;  p is POINTER: u, 2*m*n elements on; k * m notes m as a hint
 *     s += 0.5 * p[i - 1];          reads u[2*m*n+i-1]; one multiplication and one addition count,
 *                                   and the variable s is loaded and stored
 *
 * A whole number whose value is known costs nothing, since a loop's own arithmetic is what nest
 * files leave to the machine; one that is not counts as an operation of class IOP. A hint is a
 * factor that may be the distance between two rows: "i + nx*(j + ny*k)" leaves nx and ny behind,
 * and layout.c tries them where subscripts alone do not tell the axes apart.
 */
#include "emul/tools/analyze/domain.h"
#include "emul/tools/analyze/memory.h"
#include "emul/tools/analyze/prove.h"
#include "emul/tools/analyze/walk.h"

#include <string.h>

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
    if (d->is_parameter || htmt__names_find(&w->names, root, strlen(root))) {
        struct htmt__declaration *later = htmt__source_alloc(sizeof *later);
        *later = (struct htmt__declaration){.name = d->name, .is_local = true};
        root = htmt__note_root(w, later);
    }
    return parameter(w, root);
}

/* "*n" of a pointer to a variable. */
static bool is_variable(const struct htmt__location *at)
{
    int64_t behind;
    return at->root->type == HTMT__TYPE_WHOLE && !at->root->is_array && !at->is_member &&
           at->dimensions == 1 && htmt__value_is_whole(at->subscript[0], &behind) && !behind;
}

void htmt__walk_changed(const struct htmt__walk *w, const struct htmt__location *at)
{
    at->root->elements = NULL;
    if (at->root->type == HTMT__TYPE_WHOLE && !at->root->is_array && !at->is_member)
        at->root->value = w->loop->kind == HTMT__LOOP_ROOT ? &data : &unknown;
}

/* ---- places ---------------------------------------------------------------------------------- */

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
    if (!sum)
        return htmt__walk_refuse(w, &s->place, "a subscript of '%s' passes 64 bits", out->path);
    if (!htmt__names_affine(&w->names, sum))
        return not_affine(w, s, out->path);
    if (out->dimensions == HTMT__DIMENSIONS_MAX)
        return htmt__walk_refuse(w, &s->place, "found more than %d subscripts of '%s'",
                                 HTMT__DIMENSIONS_MAX, out->path);
    out->subscript[out->dimensions++] = sum;
    return 0;
}

/* A struct in a struct adds what is before it. Structs in an array of a struct would need two
 * distances, and a pointer in an array of structs leads to as many arrays: neither is known. */
static void place_member(const struct htmt__syntax *s, struct htmt__location *at)
{
    const struct htmt__member before = at->member;
    /* bytes: also of one that is not known; then what is in it is not, either */
    at->member = (struct htmt__member){.of = NULL, .bytes = at->dimensions > 0};
    if (!s->record || !at->dimensions ||
        (before.of ? before.subscripts != at->dimensions : before.bytes))
        return;
    at->member = before.of ? before : (struct htmt__member){at->path, s->record, 0, at->dimensions};
    at->member.before += (uint32_t)s->whole;
}

/* The place in memory that the expression names. */
static int locate(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__location *out)
{
    struct htmt__operand base, index;
    const struct htmt__syntax *inside = s->child;
    const bool addresses = w->addresses;
    int64_t behind;
    int rc = 0;
    switch (s->kind) {
    case HTMT__SYNTAX_NAME:
        *out = (struct htmt__location){.path = htmt__note_root(w, s->declaration),
                                       .root = s->declaration};
        /* A struct that is handed over. */
        if (s->declaration->type == HTMT__TYPE_OTHER && s->declaration->value)
            *out = s->declaration->value->at;
        return out->path ? 0 : htmt__walk_refuse(w, &s->place, "found a struct that is not known");
    case HTMT__SYNTAX_SUBSCRIPT:
        rc = pointer(w, inside, &base);
        w->addresses = true;
        if (!rc)
            rc = htmt__walk_expression(w, inside->next, &index);
        w->addresses = addresses;
        if (rc)
            return rc;
        return index.kind == HTMT__OPERAND_WHOLE ? follow(w, s, &base, index.whole, out)
                                                 : not_affine(w, inside->next, base.at.path);
    case HTMT__SYNTAX_MEMBER:
        /* "s->x" is "s.x": what s leads to has no subscript unless s was moved. */
        if (inside->type != HTMT__TYPE_POINTER)
            rc = locate(w, inside, out);
        else if (!(rc = pointer(w, inside, &base))) {
            if (base.kind == HTMT__OPERAND_POINTER && htmt__value_is_whole(base.whole, &behind) &&
                !behind)
                *out = base.at;
            else
                rc = follow(w, inside, &base, htmt__value_whole(0), out);
        }
        if (rc)
            return rc;
        place_member(s, out);
        out->path = htmt__source_print("%s.%s", out->path, s->name);
        out->is_member = true;
        return 0;
    case HTMT__SYNTAX_UNARY:
        if (s->op != HTMT__OP_DEREFERENCE)
            break;
        rc = pointer(w, inside, &base);
        return rc ? rc : follow(w, s, &base, htmt__value_whole(0), out);
    case HTMT__SYNTAX_OTHER:
        return htmt__walk_refuse(w, &s->place, "found %s", s->name);
    default:
        break;
    }
    return htmt__walk_refuse(w, &s->place, "found a place in memory that has no name");
}

/* ---- pointers -------------------------------------------------------------------------------- */

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

/* "p + n", "n + p" or "p - n". */
static int moved(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__operand *out)
{
    const struct htmt__syntax *first = s->child, *second = htmt__syntax_second(s);
    bool swapped = first->type != HTMT__TYPE_POINTER;
    struct htmt__operand by;
    int rc = pointer(w, swapped ? second : first, out);
    if (!rc)
        rc = htmt__walk_expression(w, swapped ? first : second, &by);
    if (!rc && out->kind == HTMT__OPERAND_POINTER)
        *out = moved_by(out, s->op, &by);
    return rc;
}

/* A pointer to rows that begins within an array of numbers: a section, such as a level of many that
 * lie in one array. Rows of its own length begin there, so it is an array of its own. */
static void take_section(struct htmt__walk *w, const struct htmt__declaration *d,
                         struct htmt__operand *p)
{
    int64_t behind;
    if (p->kind != HTMT__OPERAND_POINTER || !p->at.path || p->at.is_member || d->extents < 2 ||
        d->extents + p->at.dimensions <= p->at.root->extents ||
        !htmt__value_is_whole(p->whole, &behind) || !behind)
        return;
    /* A call of a procedure hands over whole arrays: this one is walked where it is called. */
    for (unsigned i = 0; w->function->is_procedure && i < w->function->parameters; i++)
        w->function->has_other_axes |= w->function->parameter[i] == p->at.root;
    p->at.path = htmt__source_print("%s.%lld", p->at.path, (long long)behind);
    p->whole = htmt__value_whole(0);
}

static int pointer(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__operand *out)
{
    bool variable = s->kind == HTMT__SYNTAX_NAME && !s->declaration->is_function,
         stored = s->kind == HTMT__SYNTAX_SUBSCRIPT || s->kind == HTMT__SYNTAX_MEMBER ||
                  (s->kind == HTMT__SYNTAX_UNARY && s->op == HTMT__OP_DEREFERENCE),
         address = s->kind == HTMT__SYNTAX_UNARY && s->op == HTMT__OP_ADDRESS;
    *out = unknown;
    if (variable && s->declaration->value) {
        *out = *s->declaration->value;
        return take_section(w, s->declaration, out), 0;
    }
    if (variable || stored || address) {
        /* The address of an element is a pointer to the first one, and so many elements. */
        struct htmt__location at;
        int rc = locate(w, address ? s->child : s, &at);
        if (rc)
            return rc;
        htmt__value behind =
            address && at.dimensions ? at.subscript[--at.dimensions] : htmt__value_whole(0);
        *out = (struct htmt__operand){.kind = HTMT__OPERAND_POINTER, .whole = behind, .at = at};
        return 0;
    }
    if (s->kind == HTMT__SYNTAX_BINARY && (s->op == HTMT__OP_ADD || s->op == HTMT__OP_SUB))
        return moved(w, s, out);
    /* "*p++" */
    const bool steps = s->kind == HTMT__SYNTAX_ASSIGN ||
                       (s->kind == HTMT__SYNTAX_UNARY &&
                        (s->op == HTMT__OP_INCREMENT || s->op == HTMT__OP_DECREMENT));
    if (steps)
        return htmt__walk_expression(w, s, out);
    return s->kind == HTMT__SYNTAX_CALL ? w->call(w, s, out) : 0;
}

/* The first access of an array also reads what is declared of its size. */
static int note(struct htmt__walk *w, enum htmt__access_kind kind, const struct htmt__location *at,
                const struct htmt__syntax *s)
{
    if (s->type == HTMT__TYPE_OTHER && !htmt__walk_between(w))
        return htmt__walk_refuse(w, &s->place,
                                 "found a value of '%s' that is neither whole nor real, expected "
                                 "each member of a struct by itself",
                                 at->path);
    struct htmt__array *a = htmt__note_access(w, kind, at, s);
    if (!a || a->measured)
        return 0;
    const struct htmt__declaration *d = a->declaration;
    a->measured = true;
    if (!d && at->member.of && at->member.of == at->root->root &&
        at->member.subscripts == at->root->extents)
        d = at->root; /* of its structs */
    for (unsigned i = 0; d && i < d->extents && i < HTMT__DIMENSIONS_MAX; i++, a->dimensions = i) {
        if (d->extent[i] && htmt__walk_whole(w, d->extent[i], &a->extent[i]))
            a->extent[i] = NULL;
        if (d->lower && d->lower[i] && htmt__walk_whole(w, d->lower[i], &a->lower[i]))
            a->lower[i] = NULL;
        w->pieces = 0;
    }
    if (d && !a->declaration)
        a->dimensions = at->dimensions;
    return 0;
}

/* ---- accesses and values --------------------------------------------------------------------- */

/* A whole number in memory is a parameter with the name of its place, as "grid.nx" or "shape.2", if
 * the function only gets it: not if the place is a variable of its own, or depends on a loop. */
static struct htmt__operand given(struct htmt__walk *w, const struct htmt__location *at)
{
    const struct htmt__declaration *root = at->root;
    const char *name = at->path;
    const htmt__value known = htmt__table_get(w, at);
    if (known)
        return htmt__operand_whole(known);
    if (is_variable(at) && root->value && root->value->kind == HTMT__OPERAND_WHOLE)
        return *root->value;
    for (unsigned i = 0; i < at->dimensions; i++) {
        int64_t whole;
        if (!htmt__value_is_whole(at->subscript[i], &whole))
            return unknown;
        if (at->dimensions > 1 || whole || !at->is_member)
            name = htmt__source_print("%s.%lld", name, (long long)whole);
    }
    bool own = root->is_local && !root->is_parameter && root->type != HTMT__TYPE_POINTER
                   ? !at->is_member
                   : root->is_local && root->is_array;
    return own ? unknown : parameter(w, name);
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
    if (d->value && d->value->kind == HTMT__OPERAND_LEFT) {
        const struct htmt__loop *loop = w->loop;
        while (loop->kind == HTMT__LOOP_ASIDE || loop->kind == HTMT__LOOP_BRANCH)
            loop = loop->parent;
        const struct htmt__operand own = htmt__prover_suppose(w->prover, loop, d->value->holds)
                                             ? htmt__operand_whole(d->value->whole)
                                             : unknown;
        htmt__walk_set(d, &own);
    }
    if (d->value) {
        *out = *d->value;
    } else if (d->starts) { /* a constant */
        bool quiet = w->quiet;
        w->quiet = true;
        rc = htmt__walk_expression(w, d->starts, out);
        w->quiet = quiet;
        if (!rc && !htmt__operand_is_constant(out))
            *out = unknown;
    } else if (d->type == HTMT__TYPE_WHOLE && (d->is_parameter || !d->is_local)) {
        *out = parameter(w, htmt__note_root(w, d));
    }
    return rc;
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static bool compares(enum htmt__syntax_op op)
{
    return op >= HTMT__OP_LT && op <= HTMT__OP_OR;
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

/* Of two numbers; NULL: C has no value for it, or it passes 64 bits. */
static htmt__value compute(enum htmt__syntax_op op, int64_t a, int64_t b)
{
    switch (op) {
    case HTMT__OP_DIV:
    case HTMT__OP_REM:
        return b && !(b == -1 && a == INT64_MIN)
                   ? htmt__value_whole(op == HTMT__OP_DIV ? a / b : a % b)
                   : NULL;
    case HTMT__OP_SHL:
        return a >= 0 && b >= 0 && b < 62 && a < (INT64_C(1) << (62 - b))
                   ? htmt__value_whole(a << b)
                   : NULL;
    case HTMT__OP_SHR:
        return a >= 0 && b >= 0 && b < 63 ? htmt__value_whole(a >> b) : NULL;
    case HTMT__OP_LT:
        return htmt__value_whole(a < b);
    case HTMT__OP_LE:
        return htmt__value_whole(a <= b);
    case HTMT__OP_GT:
        return htmt__value_whole(a > b);
    case HTMT__OP_GE:
        return htmt__value_whole(a >= b);
    case HTMT__OP_NE:
        return htmt__value_whole(a != b);
    case HTMT__OP_EQ:
        return htmt__value_whole(a == b);
    default:
        return NULL;
    }
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
        if (!htmt__value_degree(a) || !htmt__names_fixed(&w->names, a))
            keep_hint(w, b);
        if (!htmt__value_degree(b) || !htmt__names_fixed(&w->names, b))
            keep_hint(w, a);
        return htmt__value_mul(a, b);
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

/* A parameter stands for a quotient or rest that only parameters decide: n / 2 becomes the
 * parameter "floor((n)/2)", which nest files compute. */
static struct htmt__operand whole_result(struct htmt__walk *w, enum htmt__syntax_op op,
                                         const struct htmt__operand *a,
                                         const struct htmt__operand *b)
{
    htmt__value value = NULL;
    if (a->kind == HTMT__OPERAND_WHOLE && b->kind == HTMT__OPERAND_WHOLE) {
        int64_t by;
        value = combine(w, op, a->whole, b->whole);
        if (!value && (op == HTMT__OP_DIV || op == HTMT__OP_REM) &&
            htmt__names_fixed(&w->names, a->whole) && htmt__value_is_whole(b->whole, &by) &&
            by > 0) {
            value = htmt__names_derived(
                &w->names, op == HTMT__OP_DIV ? HTMT__DERIVED_FLOOR : HTMT__DERIVED_MOD, a->whole,
                by);
        }
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
    htmt__value rest = NULL;
    if (op == HTMT__OP_REM && a->kind == HTMT__OPERAND_WHOLE && b->kind == HTMT__OPERAND_WHOLE) {
        int rc = htmt__domain_remainder(w, s, a->whole, b->whole, &rest);
        if (rc)
            return rc;
    }
    if (rest)
        *out = htmt__operand_whole(rest);
    else if (!real && s->type == HTMT__TYPE_WHOLE)
        *out = whole_result(w, op, a, b);
    else if (htmt__operand_is_constant(a) && htmt__operand_is_constant(b))
        out->kind = HTMT__OPERAND_CONSTANT;
    else if (s->type == HTMT__TYPE_REAL && !compares(op))
        htmt__note_op(w, op == HTMT__OP_MUL   ? HTMT__CLASS_MUL
                         : op == HTMT__OP_DIV ? HTMT__CLASS_DIV
                                              : HTMT__CLASS_ADD);
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
    if (at.root->type == HTMT__TYPE_POINTER)
        htmt__table_set(w, &at, value);
    else if (is_variable(&at) && value->kind == HTMT__OPERAND_WHOLE && htmt__walk_between(w))
        htmt__walk_set(at.root, value);
    else
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
    w->pieces = 0;
    w->quiet = quiet;
    return out;
}

/* "lo = lwb(get_box(u, n))" in each procedure of a solver: the same call, by the names in it, gives
 * one value to variables of one name, as what procedures get under one name is one array. So such a
 * file has one parameter lo_1, not one for each place where it is asked for. */
struct htmt__handed {
    const char *text; /* of the variable and the call */
    struct htmt__operand value;
    struct htmt__handed *next;
};

static struct htmt__operand handed_to(struct htmt__walk *w, struct htmt__declaration *to,
                                      const struct htmt__syntax *call)
{
    struct htmt__handed *known = w->handed;
    if (!call->asked)
        return htmt__walk_given(w, to);
    const char *text = htmt__source_print("%s=%s", to->name, call->asked);
    while (known && strcmp(known->text, text))
        known = known->next;
    if (!known) {
        known = htmt__source_alloc(sizeof *known);
        *known = (struct htmt__handed){text, htmt__walk_given(w, to), w->handed};
        w->handed = known;
    }
    return known->value;
}

static int assign(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__operand *out)
{
    const struct htmt__syntax *left = s->child, *right = htmt__syntax_second(s);
    struct htmt__operand b;
    int rc = htmt__walk_expression(w, right, &b);
    if (rc)
        return rc;
    if (s->op != HTMT__OP_NONE) {
        struct htmt__operand a = held(w, left), by = b;
        if (s->type == HTMT__TYPE_POINTER)
            b = moved_by(&a, s->op, &by);
        else
            rc = result(w, s, s->op, right, &a, &by, &b);
    }
    if (rc)
        return rc;
    /* Outside of loops a whole number that is not known is a parameter; also between nests, if a
     * procedure that is not seen gives bounds in Fortran. */
    const struct htmt__syntax *from = right->kind == HTMT__SYNTAX_CAST ? right->child : right;
    bool handed = w->is_fortran && w->loop->kind == HTMT__LOOP_REPEAT &&
                  from->kind == HTMT__SYNTAX_CALL && !from->declaration;
    if ((w->loop->kind == HTMT__LOOP_ROOT || handed) && left->kind == HTMT__SYNTAX_NAME &&
        !w->quiet && left->type == HTMT__TYPE_WHOLE && b.kind != HTMT__OPERAND_WHOLE)
        b = handed || (w->is_fortran && from->kind == HTMT__SYNTAX_CALL && !from->declaration)
                ? handed_to(w, left->declaration, from)
                : htmt__walk_given(w, left->declaration);
    *out = b;
    return store(w, left, s->op != HTMT__OP_NONE, &b);
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
    const struct htmt__operand after = *out;
    *out = s->is_post ? a : after;
    return rc ? rc : store(w, s->child, true, &after);
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
    bool known = out->kind == HTMT__OPERAND_WHOLE;
    if (rc)
        return rc;
    if (s->op == HTMT__OP_MINUS && known)
        *out = htmt__operand_whole(htmt__value_sub(htmt__value_whole(0), out->whole));
    else if (s->op == HTMT__OP_MINUS && out->kind != HTMT__OPERAND_CONSTANT)
        *out = unknown;
    else if (s->op == HTMT__OP_NOT)
        *out = known && htmt__value_is_whole(out->whole, &whole)
                   ? htmt__operand_whole(htmt__value_whole(!whole))
                   : unknown;
    return 0;
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
    int truth = -1, rc = 0;
    if (!htmt__walk_between(w) || w->quiet)
        rc = htmt__domain_decide(w, s->child, &truth);
    if (rc || truth >= 0)
        return rc ? rc : htmt__walk_expression(w, truth ? first : first->next, out);
    rc = htmt__walk_expression(w, s->child, &condition);
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

int htmt__walk_expression(struct htmt__walk *w, const struct htmt__syntax *s,
                          struct htmt__operand *out)
{
    int rc = 0;
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
    case HTMT__SYNTAX_CAST:
        rc = htmt__walk_expression(w, s->child, out);
        if (out->kind != HTMT__OPERAND_WHOLE)
            *out = unknown;
        return rc;
    case HTMT__SYNTAX_LIST:
        for (const struct htmt__syntax *c = s->child; c && !rc; c = c->next) {
            struct htmt__operand each;
            rc = htmt__walk_expression(w, c, &each);
        }
        return rc;
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
