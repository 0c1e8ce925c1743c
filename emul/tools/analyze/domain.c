/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Conditions that loop variables and parameters decide.
 *
 * In for (i...) for (j...) if (j < i) S, the statement S runs in a part of the iterations, and
 * which ones is known when the source is read. So the iterations are split: S becomes a nest of its
 * own, of the loops around with tighter bounds, here j from its lower bound to i - 1. Such a loop
 * is a *view* of the one that the source has: the same variable in fewer iterations. What is walked
 * in a view has the view's bounds around it, so subscripts in it are proved with the condition: a[i
 * - 1] behind i > 0 is within the array.
 *
 * The split happens on demand. A condition is asked in the iterations around: isl proves that it
 * always holds or never does, or the walk is refused with two views, one in which it holds and one
 * in which it does not; the statement, or all of the block from it on if it sets a number that
 * later subscripts use, is then walked once in each. In each view the question has an answer. That
 * serves && and ||, else, c ? a : b, and (i + 1) % n, whose value is i + 1 where that is below n
 * and i + 1 - n where it is not; j = 1 + (i + c) % 2 is 1 in one view and 2 in the other. By hand:
 *
 *     for (i = 0; i < n; i++)                     b[i] = a[(i + 1) % n]; splits at i + 1 >= n:
 *         b[i] = a[(i + 1) % n];                     i: n-1..n-1   read a[i+1-n], write b[i]
 *                                                    i: 0..n-2     read a[i+1],   write b[i]
 *
 * Views say what bounds of nest files can say. A constraint value >= 0 is a bound of its innermost
 * variable v, if v has the factor 1 or -1 there; one without variables multiplies the length of the
 * outermost loop by 0 or 1. A remainder, (i + j) % 2 == 0, is a step: all variables but the
 * innermost one are split by their own remainders first, and then v starts at the first place from
 * its lower bound on that has the right one and goes on in steps of 2. What no bound can say stays
 * a branch that data decide.
 */
#include "emul/tools/analyze/domain.h"

#include "emul/tools/analyze/memory.h"
#include "emul/tools/analyze/prove.h"

#include <inttypes.h>
#include <string.h>

enum { VIEWS_MAX = 4096, REMAINDERS_MAX = 32 };

/* ---- views ----------------------------------------------------------------------------------- */

static bool is_real(const struct htmt__loop *loop)
{
    return loop->kind != HTMT__LOOP_ASIDE && loop->kind != HTMT__LOOP_BRANCH;
}

static const struct htmt__loop *real(const struct htmt__loop *loop)
{
    while (!is_real(loop))
        loop = loop->parent;
    return loop;
}

/* The innermost loop around that moves the value; NULL: parameters alone decide it. */
static const struct htmt__loop *mover_of(const struct htmt__loop *loop, htmt__value value)
{
    for (; loop; loop = loop->parent)
        if (loop->variable && htmt__value_has(value, loop->variable))
            return loop;
    return NULL;
}

/* Copies of the loops from this one out to `last`; *changed is that of `last`. */
static struct htmt__loop *copy_chain(const struct htmt__loop *loop, const struct htmt__loop *last,
                                     struct htmt__loop **changed)
{
    struct htmt__loop *own = htmt__source_alloc(sizeof *own);
    *own = *loop;
    own->work = (struct htmt__work){.functions = NULL};
    own->last_work = NULL;
    own->items = NULL;
    own->last_item = NULL;
    own->copies = NULL;
    own->of = loop;
    own->next_copy = loop->copies;
    ((struct htmt__loop *)loop)->copies = own;
    if (loop == last || !loop->parent)
        *changed = own;
    else
        own->parent = copy_chain(loop->parent, last, changed);
    return own;
}

/* A parameter that stands for an expression of parameters. */
static htmt__value derived(struct htmt__walk *w, const char *text)
{
    htmt__symbol symbol = htmt__names_parameter(&w->names, text);
    return symbol ? htmt__value_symbol(symbol) : NULL;
}

static htmt__value negative(htmt__value value)
{
    return htmt__value_sub(htmt__value_whole(0), value);
}

static int64_t common(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Whether the variable has one remainder by m in all iterations. */
static bool keeps_remainder(const struct htmt__loop *loop, int64_t m)
{
    return loop->step % m == 0 && (loop->lowers == 1 || loop->phase);
}

/* The remainder of a value by m in the loop, as an expression of parameters: variables have the
 * remainders that their steps keep. NULL: not known. */
static htmt__value remainder_of(const struct htmt__loop *loop, htmt__value value, int64_t m,
                                const struct htmt__names *names)
{
    for (const struct htmt__loop *l = loop; l && value; l = l->parent) {
        int64_t factor;
        if (!l->variable || !htmt__value_has(value, l->variable))
            continue;
        htmt__value of = htmt__value_coefficient(value, l->variable);
        if (htmt__value_is_whole(of, &factor) && factor % m == 0)
            value = htmt__value_put(value, l->variable, htmt__value_whole(0));
        else if (keeps_remainder(l, m))
            value = htmt__value_put(value, l->variable, l->phase ? l->phase : l->lower[0]);
        else
            return NULL;
    }
    return value && htmt__names_fixed(names, value) ? value : NULL;
}

/* The value's remainder by m as a number from 0 on, or what computes it. */
static htmt__value shift_of(struct htmt__walk *w, htmt__value value, int64_t m)
{
    int64_t number;
    return htmt__value_is_whole(value, &number)
               ? htmt__value_whole((number % m + m) % m)
               : htmt__names_derived(&w->names, HTMT__DERIVED_MOD, value, m);
}

/* One more bound, unless others say as much. False: no room. */
static bool add_bound(struct htmt__walk *w, struct htmt__loop *loop, htmt__value bound, bool upper)
{
    htmt__value *at = upper ? loop->upper : loop->lower;
    unsigned *count = upper ? &loop->uppers : &loop->lowers, kept = 0;
    for (unsigned i = 0; i < *count; i++) {
        htmt__value more = upper ? htmt__value_sub(bound, at[i]) : htmt__value_sub(at[i], bound);
        if (htmt__prover_holds(w->prover, loop->parent, more))
            return true; /* it is looser */
    }
    for (unsigned i = 0; i < *count; i++) {
        htmt__value more = upper ? htmt__value_sub(at[i], bound) : htmt__value_sub(bound, at[i]);
        if (!htmt__prover_holds(w->prover, loop->parent, more))
            at[kept++] = at[i];
    }
    if (kept == HTMT__BOUNDS_MAX)
        return false;
    at[kept] = bound;
    *count = kept + 1;
    return true;
}

/* value >= 0 where the loop's variable has a whole factor. */
static bool tighten(struct htmt__walk *w, struct htmt__loop *loop, htmt__value value)
{
    int64_t factor, number;
    htmt__value of = htmt__value_coefficient(value, loop->variable);
    if (!htmt__value_is_whole(of, &factor) || !factor)
        return false;
    htmt__value rest = htmt__value_put(value, loop->variable, htmt__value_whole(0));
    const bool upper = factor < 0;
    htmt__value bound = upper ? rest : negative(rest);
    const int64_t by = upper ? -factor : factor;
    /* v >= ceil(a / by), v <= floor(a / by) */
    if (by != 1 && htmt__value_is_whole(bound, &number))
        bound =
            htmt__value_whole(upper ? (number >= 0 ? number / by : -((by - 1 - number) / by))
                                    : -(-number >= 0 ? -number / by : -((by - 1 + number) / by)));
    else if (by != 1 && bound && htmt__names_fixed(&w->names, bound))
        bound = htmt__names_derived(&w->names, upper ? HTMT__DERIVED_FLOOR : HTMT__DERIVED_CEIL,
                                    bound, by);
    else if (by != 1)
        return false;
    if (!bound)
        return false;
    /* Steps go on from where they did: from the first one of them behind the bound. */
    if (!upper && loop->step != 1) {
        const htmt__value phase = loop->phase ? loop->phase : loop->lower[0];
        htmt__value start = remainder_of(loop->parent, phase, loop->step, &w->names),
                    own = remainder_of(loop->parent, bound, loop->step, &w->names);
        if (!start || !own || (loop->lowers != 1 && !loop->phase))
            return false;
        bound = htmt__value_add(bound, shift_of(w, htmt__value_sub(start, own), loop->step));
        loop->phase = phase;
        if (!bound)
            return false;
    }
    return add_bound(w, loop, bound, upper);
}

/* Both steps at once, of a loop that begins at a number. */
static bool step_both(struct htmt__loop *loop, int64_t wanted, int64_t m)
{
    int64_t low;
    const int64_t all = loop->step / common(loop->step, m) * m;
    if (!htmt__value_is_whole(loop->lower[0], &low) || loop->lowers != 1)
        return false;
    for (int64_t at = 0; at < all; at += loop->step)
        if (((low + at - wanted) % m + m) % m == 0) {
            loop->lower[0] = htmt__value_whole(low + at);
            loop->step = all;
            loop->phase = NULL;
            return true;
        }
    loop->upper[0] = htmt__value_whole(low - 1); /* none */
    loop->uppers = 1;
    return true;
}

/* The variable's value has that remainder by m: c v + rest = r. From each lower bound on it begins
 * at the first place that has it. */
static bool step_along(struct htmt__walk *w, struct htmt__loop *loop, htmt__value value, int64_t m,
                       int64_t r)
{
    int64_t factor, number;
    if (!htmt__value_is_whole(htmt__value_coefficient(value, loop->variable), &factor) ||
        common(factor < 0 ? -factor : factor, m) != 1)
        return false;
    htmt__value rest = htmt__value_put(value, loop->variable, htmt__value_whole(0));
    rest = remainder_of(loop->parent, htmt__value_sub(htmt__value_whole(r), rest), m, &w->names);
    /* v = rest / c, by the inverse of c */
    int64_t inverse = 1;
    while (((factor % m + m) * inverse) % m != 1 % m)
        inverse++;
    const htmt__value wanted = htmt__value_mul(rest, htmt__value_whole(inverse));
    if (loop->step != 1)
        return htmt__value_is_whole(wanted, &number) && step_both(loop, number, m);
    for (unsigned i = 0; i < loop->lowers; i++) {
        htmt__value start = remainder_of(loop->parent, loop->lower[i], m, &w->names);
        if (!start || !wanted)
            return false;
        loop->lower[i] =
            htmt__value_add(loop->lower[i], shift_of(w, htmt__value_sub(wanted, start), m));
        if (!loop->lower[i])
            return false;
    }
    loop->phase = loop->lowers > 1 ? loop->lower[0] : NULL;
    loop->step = m;
    return true;
}

/* 1 where the constraint of parameters holds, else 0. */
static const char *indicator(struct htmt__walk *w, const struct htmt__constraint *c)
{
    const char *text = htmt__names_print(&w->names, c->value);
    return c->modulus ? htmt__source_print("%smin(1,mod(%s,%" PRId64 "))", c->remainder ? "" : "1-",
                                           text, c->modulus)
                      : htmt__source_print("min(1,max(0,%s+1))", text);
}

const char *htmt__domain_indicator(struct htmt__walk *w, const struct htmt__loop *loop)
{
    const char *text = "";
    for (const struct htmt__constraint *c = loop->where; c; c = c->next)
        if (htmt__names_fixed(&w->names, c->value))
            text = htmt__source_print("%s%s(%s)", text, *text ? "*" : "", indicator(w, c));
    return text;
}

/* A constraint of parameters alone: all or nothing of the outermost loop over space. */
static bool switch_off(struct htmt__walk *w, struct htmt__loop *loop,
                       const struct htmt__constraint *c)
{
    if (loop->kind == HTMT__LOOP_ROOT || loop->kind == HTMT__LOOP_REPEAT)
        return true; /* the program says it */
    /* Beside the bound that is there, which proofs go on to use. */
    htmt__value is = derived(w, htmt__source_print("(%s)", indicator(w, c)));
    htmt__value low = loop->lower[0], before = htmt__value_sub(low, htmt__value_whole(1));
    htmt__value bound =
        htmt__value_add(before, htmt__value_mul(is, htmt__value_sub(loop->upper[0], before)));
    if (!bound || loop->uppers == HTMT__BOUNDS_MAX)
        return false;
    loop->upper[loop->uppers++] = bound;
    return true;
}

/* NULL: bounds cannot say it. */
static struct htmt__loop *view(struct htmt__walk *w, const struct htmt__constraint *c)
{
    const struct htmt__loop *loop = real(w->loop), *last = mover_of(loop, c->value), *outer = loop;
    struct htmt__loop *changed = NULL;
    while (outer->parent && outer->parent->kind == HTMT__LOOP_SPACE)
        outer = outer->parent;
    if (++w->views > VIEWS_MAX)
        return NULL;
    struct htmt__loop *own = copy_chain(loop, last ? last : outer, &changed);
    bool said = !last        ? switch_off(w, changed, c)
                : c->modulus ? step_along(w, changed, c->value, c->modulus, c->remainder)
                             : tighten(w, changed, c->value);
    struct htmt__constraint *known = htmt__source_alloc(sizeof *known);
    *known = *c;
    known->next = changed->where;
    changed->where = known;
    return said ? own : NULL;
}

/* ---- questions ------------------------------------------------------------------------------- */

static int split(struct htmt__walk *w, const struct htmt__syntax *s)
{
    w->split_at = s->place;
    return htmt__walk_refuse(w, &s->place, "found a condition that splits its loop too often");
}

/* The outermost loop that moves the value and whose variable has no known remainder; NULL: none. */
static const struct htmt__loop *unknown_of(const struct htmt__loop *loop, htmt__value value,
                                           int64_t m)
{
    const struct htmt__loop *found = NULL;
    int64_t factor;
    for (const struct htmt__loop *l = loop; l; l = l->parent) {
        const htmt__value of = l->variable ? htmt__value_coefficient(value, l->variable) : NULL;
        if (of && of->count && !(htmt__value_is_whole(of, &factor) && factor % m == 0) &&
            !keeps_remainder(l, m))
            found = l;
    }
    return found;
}

/* Is the remainder of the value by m zero? */
static int ask_remainder(struct htmt__walk *w, const struct htmt__syntax *s, htmt__value value,
                         int64_t m, int *truth)
{
    const struct htmt__loop *loop = real(w->loop), *inner = mover_of(loop, value);
    *truth = htmt__prover_divides(w->prover, loop, value, m);
    if (*truth >= 0 || m > REMAINDERS_MAX || !htmt__names_affine(&w->names, value))
        return 0;
    /* Variables outside of the innermost one come first, in the value and in where it begins. */
    for (const struct htmt__loop *other = inner; other;) {
        other = inner ? unknown_of(inner->parent, value, m) : NULL;
        for (unsigned i = 0; !other && inner && i < inner->lowers; i++)
            other = unknown_of(inner->parent, inner->lower[i], m);
        if (other) {
            value = htmt__value_symbol(other->variable);
            inner = other;
        }
    }
    unsigned count = 0;
    for (int64_t r = 0; r < m; r++) {
        if (!inner && r > 1)
            break; /* of parameters: it is zero, or it is not */
        const struct htmt__constraint is = {.value = value, .modulus = m, .remainder = r};
        struct htmt__loop *own = view(w, &is);
        if (!own)
            return 0;
        if (!htmt__prover_empty(w->prover, own))
            w->piece[count++] = own;
    }
    w->pieces = count;
    return count ? split(w, s) : 0;
}

/* A view says so itself. */
static bool is_known(const struct htmt__loop *loop, htmt__value value)
{
    for (; loop; loop = loop->parent)
        for (const struct htmt__constraint *c = loop->where; c; c = c->next)
            if (!c->modulus && htmt__value_same(c->value, value))
                return true;
    return false;
}

/* value >= 0? *truth: 1, 0, or -1 if bounds cannot say it. HTMT_EFORMAT: the walk goes on in the
 * views of w. */
static int ask(struct htmt__walk *w, const struct htmt__syntax *s, htmt__value value, int *truth)
{
    int64_t number;
    *truth = -1;
    if (htmt__value_is_whole(value, &number)) {
        *truth = number >= 0;
        return 0;
    }
    htmt__value not = htmt__value_sub(negative(value), htmt__value_whole(1));
    const struct htmt__loop *loop = real(w->loop);
    if (!value || !not || !htmt__names_affine(&w->names, value))
        return 0;
    if (is_known(loop, value) || htmt__prover_holds(w->prover, loop, value))
        *truth = 1;
    else if (is_known(loop, not ) || htmt__prover_holds(w->prover, loop, not ))
        *truth = 0;
    else {
        /* A bound of a loop in steps needs the remainders of what it names. */
        const struct htmt__loop *in = mover_of(loop, value);
        int other;
        const struct htmt__loop *outer =
            in && in->step > 1 ? unknown_of(in->parent, value, in->step) : NULL;
        if (outer)
            return ask_remainder(w, s, htmt__value_symbol(outer->variable), in->step, &other);
        const struct htmt__constraint is = {.value = value}, is_not = {.value = not };
        struct htmt__loop *first = view(w, &is), *second = view(w, &is_not);
        if (!first || !second)
            return 0;
        /* In the order of the iterations. */
        int64_t factor = 0;
        const bool later =
            in && htmt__value_is_whole(htmt__value_coefficient(value, in->variable), &factor) &&
            factor > 0;
        w->pieces = 2;
        w->piece[later] = first;
        w->piece[!later] = second;
        return split(w, s);
    }
    return 0;
}

/* "e % m" with a number m. */
static bool is_remainder(struct htmt__walk *w, const struct htmt__syntax *s, htmt__value *of,
                         int64_t *m)
{
    htmt__value by;
    return s->kind == HTMT__SYNTAX_BINARY && s->op == HTMT__OP_REM && !w->whole(w, s->child, of) &&
           *of && !w->whole(w, s->child->next, &by) && htmt__value_is_whole(by, m) && *m > 0 &&
           !htmt__names_fixed(&w->names, *of);
}

static int compare(struct htmt__walk *w, const struct htmt__syntax *s, int *truth)
{
    const struct htmt__syntax *left = s->child, *right = htmt__syntax_second(s);
    htmt__value a, b, of;
    int64_t m, number;
    int rc;
    *truth = -1;
    if (left->type != HTMT__TYPE_WHOLE || right->type != HTMT__TYPE_WHOLE)
        return 0;
    const bool equal = s->op == HTMT__OP_EQ || s->op == HTMT__OP_NE;
    const bool remainder = equal && is_remainder(w, left, &of, &m);
    if (remainder && (rc = w->whole(w, right, &b)))
        return w->pieces ? rc : 0;
    if (remainder && htmt__value_is_whole(b, &number)) {
        /* C's remainder has the sign of what is divided; zero has none. */
        if (number && !htmt__prover_suppose(w->prover, real(w->loop), of))
            return 0;
        rc = number < 0 || number >= m ? (*truth = 0)
                                       : ask_remainder(w, s, htmt__value_sub(of, b), m, truth);
    } else {
        if ((rc = w->whole(w, left, &a)) || (rc = w->whole(w, right, &b)))
            return w->pieces ? rc : 0;
        if (!a || !b)
            return 0;
        const htmt__value one = htmt__value_whole(1), less = htmt__value_sub(b, a),
                          more = htmt__value_sub(a, b);
        if (equal) {
            rc = ask(w, s, less, truth);
            if (!rc && *truth == 1)
                rc = ask(w, s, more, truth);
        } else if (s->op == HTMT__OP_LT || s->op == HTMT__OP_LE) {
            rc = ask(w, s, s->op == HTMT__OP_LE ? less : htmt__value_sub(less, one), truth);
        } else {
            rc = ask(w, s, s->op == HTMT__OP_GE ? more : htmt__value_sub(more, one), truth);
        }
    }
    if (!rc && s->op == HTMT__OP_NE && *truth >= 0)
        *truth = !*truth;
    return rc;
}

int htmt__domain_decide(struct htmt__walk *w, const struct htmt__syntax *s, int *truth)
{
    int second = -1, rc;
    htmt__value value;
    *truth = -1;
    if (s->kind == HTMT__SYNTAX_UNARY && s->op == HTMT__OP_NOT && s->child) {
        rc = htmt__domain_decide(w, s->child, truth);
        *truth = *truth < 0 ? -1 : !*truth;
        return rc;
    }
    if (s->kind == HTMT__SYNTAX_BINARY && (s->op == HTMT__OP_AND || s->op == HTMT__OP_OR)) {
        const int settled = s->op == HTMT__OP_OR; /* what one side alone decides */
        rc = htmt__domain_decide(w, s->child, truth);
        if (rc || *truth == settled)
            return rc;
        rc = htmt__domain_decide(w, s->child->next, &second);
        if (rc || second == settled || *truth >= 0)
            *truth = second;
        return rc;
    }
    if (s->kind == HTMT__SYNTAX_BINARY && s->op >= HTMT__OP_LT && s->op <= HTMT__OP_EQ)
        return compare(w, s, truth);
    if (s->type != HTMT__TYPE_WHOLE || s->kind == HTMT__SYNTAX_CALL)
        return 0;
    /* A number is true if it is not zero. */
    int64_t m;
    if (is_remainder(w, s, &value, &m)) {
        rc = ask_remainder(w, s, value, m, truth);
    } else {
        rc = w->whole(w, s, &value);
        if (rc || !value)
            return w->pieces ? rc : 0;
        rc = ask(w, s, value, truth);
        if (!rc && *truth == 1)
            rc = ask(w, s, negative(value), truth);
    }
    *truth = *truth < 0 ? -1 : !*truth;
    return rc;
}

/* The remainder by a number, where it decides a place, a bound or a condition: in each view it is
 * one number. */
static int split_remainder(struct htmt__walk *w, const struct htmt__syntax *s, htmt__value a,
                           int64_t m, htmt__value *out)
{
    int truth = 0, rc = 0;
    if (!(w->quiet || w->addresses) || m < 1 || m > REMAINDERS_MAX ||
        !htmt__prover_suppose(w->prover, real(w->loop), a))
        return 0;
    for (int64_t r = 0; r < m && !rc && !truth; r++) {
        rc = ask_remainder(w, s, htmt__value_sub(a, htmt__value_whole(r)), m, &truth);
        if (!rc && truth == 1)
            *out = htmt__value_whole(r);
    }
    return rc;
}

int htmt__domain_remainder(struct htmt__walk *w, const struct htmt__syntax *s, htmt__value a,
                           htmt__value b, htmt__value *out)
{
    const struct htmt__loop *loop = real(w->loop);
    htmt__value less = htmt__value_sub(a, b), one = htmt__value_whole(1);
    int64_t number;
    int truth;
    *out = NULL;
    if (!a || !b || !htmt__names_fixed(&w->names, b) || htmt__names_fixed(&w->names, a) ||
        !htmt__names_affine(&w->names, a))
        return 0;
    if (!htmt__prover_holds(w->prover, loop, a) ||
        !htmt__prover_holds(w->prover, loop, htmt__value_sub(htmt__value_sub(b, one), less)))
        return htmt__value_is_whole(b, &number) ? split_remainder(w, s, a, number, out) : 0;
    int rc = ask(w, s, less, &truth);
    *out = rc || truth < 0 ? NULL : truth ? less : a;
    return rc;
}
