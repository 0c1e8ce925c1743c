/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Proofs by isl, which decides sets of whole numbers that linear constraints describe.
 *
 * "0 <= value in every iteration of the loop" is asked as: is the set of iterations with value <=
 * -1 empty? The set has a constraint for each bound of the loops around, for each assumption, and
 * the negation. isl knows linear terms alone, so a product such as nx*ny is an unknown of its own,
 * v_nx_by_ny: what is proved for any number in its place holds for the product. The other way is
 * not true, which is why "nx*ny <= n" can be an assumption: it speaks of that same unknown.
 *
 *     loop 1 <= i <= nx-2, is i + 1 <= nx - 1?
 *     [v_i_3, v_nx] -> { [] : 0 + 1 v_i_3 >= 0 + 1 and 0 + 1 v_i_3 <= 0 + 1 v_nx + -2
 *                             and 0 + 1 v_nx + -1 v_i_3 + -2 <= -1 }           is empty: yes
 *
 * Loop variables carry their number, as two loops may both call theirs i. Sets are handed over as
 * text, the form in which one can read and check them; proofs are some per access, and answers are
 * kept. isl may take exponential time, so each question has a budget, and an answer that does not
 * come is "no".
 */
#include "emul/tools/analyze/prove.h"

#include "emul/tools/analyze/layout.h"
#include "emul/tools/analyze/memory.h"

#include <ctype.h>
#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/val.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1 << 12, WORK_MAX = 1000000 };

/* The unknowns of a question; a product is an unknown of its own. */
struct unknowns {
    unsigned count;
    const char *name[200];
    htmt__value value[200];
};

struct answer {
    const struct htmt__loop *loop;
    htmt__value value;
    bool holds;
    struct answer *next;
};

struct htmt__prover {
    isl_ctx *ctx;
    const struct htmt__names *names;
    const char *assumed;   /* constraints joined by "and"; "": none */
    struct unknowns known; /* in them */
    const struct htmt__supposed *supposed;
    struct answer *bucket[BUCKETS];
};

int htmt__prover_open(const struct htmt__names *names, struct htmt__prover **p)
{
    struct htmt__prover *new = htmt__source_alloc(sizeof *new);
    new->ctx = isl_ctx_alloc();
    if (!new->ctx)
        return HTMT_ENOMEM;
    isl_options_set_on_error(new->ctx, ISL_ON_ERROR_CONTINUE);
    new->names = names;
    new->assumed = "";
    *p = new;
    return 0;
}

void htmt__prover_close(struct htmt__prover **p)
{
    if (*p)
        isl_ctx_free((*p)->ctx);
    *p = NULL;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static const char *unknown_name(struct unknowns *u, const char *name, htmt__value value)
{
    char *text = htmt__source_print("v_%s", name);
    for (char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    for (unsigned i = 0; i < u->count; i++)
        if (strcmp(u->name[i], text) == 0)
            return u->name[i];
    if (u->count < sizeof u->name / sizeof *u->name) {
        u->value[u->count] = value;
        u->name[u->count++] = text;
    }
    return text;
}

/* The value as isl reads it, its unknowns added to those of the question. */
static const char *linear(const struct htmt__prover *p, struct unknowns *u, htmt__value value)
{
    const char *text = "0";
    for (unsigned i = 0; i < value->count; i++) {
        const struct htmt__source_term *t = &value->term[i];
        const char *name = "";
        htmt__value product = htmt__value_whole(1);
        for (unsigned f = 0; f < HTMT__DEGREE_MAX && t->factor[f]; f++) {
            name = htmt__source_print("%s%s%s", name, f ? "_by_" : "",
                                      htmt__names_text(p->names, t->factor[f]));
            if (!htmt__names_is_parameter(p->names, t->factor[f]))
                name = htmt__source_print("%s_%u", name, (unsigned)t->factor[f]);
            product = htmt__value_mul(product, htmt__value_symbol(t->factor[f]));
        }
        text = *name ? htmt__source_print("%s + %lld %s", text, (long long)t->num,
                                          unknown_name(u, name, product))
                     : htmt__source_print("%s + %lld", text, (long long)t->num);
    }
    return text;
}

static const char *join(const char *a, const char *b)
{
    return *a ? htmt__source_print("%s and %s", a, b) : b;
}

static const char *constraint(const struct htmt__prover *p, struct unknowns *u,
                              const struct htmt__constraint *c)
{
    const char *value = linear(p, u, c->value);
    if (!c->modulus)
        return htmt__source_print("%s >= 0", value);
    return htmt__names_fixed(p->names, c->value) && c->remainder
               ? htmt__source_print("(%s) mod %lld >= 1", value, (long long)c->modulus)
               : htmt__source_print("(%s) mod %lld = %lld", value, (long long)c->modulus,
                                    (long long)c->remainder);
}

/* What is known of parameters that stand for expressions, in all that the question names. */
static const char *derived(const struct htmt__prover *p, struct unknowns *u, const char *text)
{
    bool used[sizeof u->name / sizeof *u->name] = {false};
    for (bool any = true; any;) {
        any = false;
        for (const struct htmt__derived *d = p->names->derived; d; d = d->next) {
            const htmt__value symbol = htmt__value_symbol(d->symbol);
            unsigned i = 0;
            while (i < u->count && (!u->value[i] || !htmt__value_same(u->value[i], symbol)))
                i++;
            if (i == u->count || used[i])
                continue;
            any = used[i] = true;
            const long long by = d->by;
            const char *own = linear(p, u,
                                     d->kind == HTMT__DERIVED_MOD
                                         ? symbol
                                         : htmt__value_mul(symbol, htmt__value_whole(d->by))),
                       *of = d->kind == HTMT__DERIVED_MOD ? "" : linear(p, u, d->value);
            if (d->kind == HTMT__DERIVED_MOD)
                text = join(text, htmt__source_print("%s >= 0 and %s <= %lld", own, own, by - 1));
            else
                text =
                    join(text, htmt__source_print("%s <= %s + %lld and %s >= %s - %lld", own, of,
                                                  d->kind == HTMT__DERIVED_CEIL ? by - 1 : 0, own,
                                                  of, d->kind == HTMT__DERIVED_CEIL ? 0 : by - 1));
        }
    }
    return text;
}

/* Where an iteration of the loop takes place. */
static const char *domain(const struct htmt__prover *p, struct unknowns *u,
                          const struct htmt__loop *loop)
{
    const char *text = p->assumed;
    for (; loop; loop = loop->parent) {
        for (const struct htmt__constraint *c = loop->where; c; c = c->next)
            text = join(text, constraint(p, u, c));
        if (loop->kind == HTMT__LOOP_ROOT || !loop->variable)
            continue;
        const char *own = linear(p, u, htmt__value_symbol(loop->variable));
        for (unsigned i = 0; i < loop->lowers; i++)
            text = join(text, htmt__source_print("%s >= %s", own, linear(p, u, loop->lower[i])));
        const htmt__value phase = loop->phase ? loop->phase : loop->lower[0];
        if (loop->step != 1 && (loop->lowers == 1 || loop->phase))
            text = join(text, htmt__source_print("(%s - (%s)) mod %lld = 0", own,
                                                 linear(p, u, phase), (long long)loop->step));
        for (unsigned i = 0; i < loop->uppers; i++)
            text = join(text, htmt__source_print("%s <= %s", own, linear(p, u, loop->upper[i])));
    }
    return text;
}

static const char *list(const struct unknowns *u)
{
    const char *text = "";
    for (unsigned i = 0; i < u->count; i++)
        text = htmt__source_print("%s%s%s", text, i ? ", " : "", u->name[i]);
    return text;
}

/* ---- answers --------------------------------------------------------------------------------- */

static bool is_empty(struct htmt__prover *p, struct unknowns *u, const char *where)
{
    where = derived(p, u, where);
    isl_ctx_reset_operations(p->ctx);
    isl_ctx_set_max_operations(p->ctx, WORK_MAX);
    isl_set *set =
        isl_set_read_from_str(p->ctx, htmt__source_print("[%s] -> { [] : %s }", list(u), where));
    const bool empty = set && isl_set_is_empty(set) == isl_bool_true;
    isl_set_free(set);
    return empty;
}

int htmt__prover_divides(struct htmt__prover *p, const struct htmt__loop *loop, htmt__value value,
                         int64_t m)
{
    const struct htmt__source_mark mark = htmt__source_mark();
    struct unknowns u = p->known, other = p->known;
    int divides = -1;
    const char *rest = htmt__source_print("(%s) mod %lld", linear(p, &u, value), (long long)m);
    if (is_empty(p, &u, join(domain(p, &u, loop), htmt__source_print("%s >= 1", rest))))
        divides = 1;
    rest = htmt__source_print("(%s) mod %lld", linear(p, &other, value), (long long)m);
    if (divides < 0 &&
        is_empty(p, &other, join(domain(p, &other, loop), htmt__source_print("%s = 0", rest))))
        divides = 0;
    htmt__source_rewind(mark);
    return divides;
}

bool htmt__prover_empty(struct htmt__prover *p, const struct htmt__loop *loop)
{
    const struct htmt__source_mark mark = htmt__source_mark();
    struct unknowns u = p->known;
    const char *where = domain(p, &u, loop);
    const bool empty = *where && is_empty(p, &u, where);
    htmt__source_rewind(mark);
    return empty;
}

bool htmt__prover_holds(struct htmt__prover *p, const struct htmt__loop *loop, htmt__value value)
{
    int64_t whole;
    if (!value)
        return false;
    if (htmt__value_is_whole(value, &whole))
        return whole >= 0;
    uint64_t hash = (uintptr_t)loop;
    for (unsigned i = 0; i < value->count; i++)
        hash = hash * 31 + (uint64_t)value->term[i].num * 7 + value->term[i].factor[0];
    struct answer **bucket = &p->bucket[(hash ^ hash >> 20) % BUCKETS];
    for (struct answer *a = *bucket; a; a = a->next)
        if (a->loop == loop && htmt__value_same(a->value, value))
            return a->holds;
    const struct htmt__source_mark mark = htmt__source_mark();
    struct unknowns u = p->known;
    const char *negative = htmt__source_print("%s <= -1", linear(p, &u, value));
    const bool holds = is_empty(p, &u, join(domain(p, &u, loop), negative));
    htmt__source_rewind(mark);
    struct answer *a = htmt__source_alloc(sizeof *a);
    *a = (struct answer){loop, value, holds, *bucket};
    *bucket = a;
    return holds;
}

static htmt__value whole_of(isl_val *v)
{
    htmt__value value =
        v && isl_val_is_int(v) == isl_bool_true ? htmt__value_whole(isl_val_get_num_si(v)) : NULL;
    isl_val_free(v);
    return value;
}

/* ---- what is taken to hold -------------------------------------------------------------------
 *
 * u[(xmax + 5) * (k - ymin + 2) + j - xmin + 2] with xmin <= j <= xmax is [k - ymin + 2, j - xmin +
 * 2] if j - xmin + 2 <= xmax + 4 always, which is so where xmin >= -2. Nothing in the source says
 * that, but who wrote it meant it: an index from -2 on would leave the row. isl subtracts the
 * parameters with which an iteration breaks the range from those with which the loop runs at all,
 * and if what is left is a few linear inequalities of parameters, that is assumed; the nest file
 * says so, and bounds are refused where it does not hold. Halos of a width that is a parameter,
 * xmin
 * - d <= j <= xmax + d, give relations: 2 >= d and xmin >= d - 1.
 *
 * The price of an assumption that is wrong is a refusal by `bound`, so it must be what a caller can
 * hold: an equality would tie two sizes that the source keeps apart, and a product, n*m <= n, says
 * that the row was guessed wrongly. Neither is assumed, nor what no sizes from 0 on satisfy, such
 * as n + d <= -1. What contradicts the loops or an earlier assumption leaves no parameters at all,
 * and the access stays unread. */

struct supposing {
    const struct htmt__prover *prover;
    const struct unknowns *u;
    unsigned count;
    bool good;
    struct htmt__supposed of[4];
};

/* The parameter that an unknown is; NULL: a product, or what stands for an expression. */
static htmt__value single(const struct supposing *s, const char *unknown)
{
    const htmt__symbol symbol =
        htmt__names_find(s->prover->names, unknown + 2, strlen(unknown + 2));
    for (unsigned i = 0; i < s->u->count; i++)
        if (strcmp(s->u->name[i], unknown) == 0 && s->u->value[i])
            return htmt__value_degree(s->u->value[i]) == 1 &&
                           !strchr(htmt__names_print(s->prover->names, s->u->value[i]), '(')
                       ? s->u->value[i]
                       : NULL;
    return symbol ? htmt__value_symbol(symbol) : NULL;
}

/* "2*a - b + c >= 0". */
static isl_stat take_constraint(isl_constraint *c, void *user)
{
    struct supposing *s = user;
    const isl_size count = isl_constraint_dim(c, isl_dim_param);
    htmt__value sum = whole_of(isl_constraint_get_constant_val(c));
    for (isl_size i = 0; i < count && sum; i++) {
        htmt__value by = whole_of(isl_constraint_get_coefficient_val(c, isl_dim_param, i));
        const char *name = isl_constraint_get_dim_name(c, isl_dim_param, (unsigned)i);
        if (!by || by->count)
            sum = htmt__value_add(sum, htmt__value_mul(by, name ? single(s, name) : NULL));
    }
    s->good = s->good && sum && isl_constraint_is_equality(c) == isl_bool_false &&
              s->count < sizeof s->of / sizeof *s->of;
    if (s->good)
        s->of[s->count++].value = sum;
    isl_constraint_free(c);
    return isl_stat_ok;
}

/* Whether parameters that are all 0 or more are in the set. */
static bool some_natural(isl_basic_set *of)
{
    isl_set *set = isl_set_from_basic_set(isl_basic_set_copy(of));
    const isl_size count = isl_set_dim(set, isl_dim_param);
    for (isl_size i = 0; i < count; i++)
        set = isl_set_lower_bound_si(set, isl_dim_param, (unsigned)i, 0);
    const bool some = isl_set_is_empty(set) == isl_bool_false;
    isl_set_free(set);
    return some;
}

/* isl may give corner cases of their own, "n >= 0, or n = -1 and d = 1": the first part that can be
 * assumed is enough. */
static isl_stat take_basic(isl_basic_set *set, void *user)
{
    struct supposing *s = user;
    if (!s->good) {
        s->count = 0;
        s->good = isl_basic_set_dim(set, isl_dim_div) == 0 && some_natural(set);
        isl_basic_set_foreach_constraint(set, take_constraint, s);
    }
    isl_basic_set_free(set);
    return isl_stat_ok;
}

/* Parameters of the question for which an iteration does as `where` says. */
static isl_set *parameters_where(struct htmt__prover *p, const struct unknowns *u,
                                 const char *where)
{
    const char *variables = "", *parameters = "";
    for (unsigned i = 0; i < u->count; i++) {
        const bool fixed = !u->value[i] || htmt__names_fixed(p->names, u->value[i]);
        const char **to = fixed ? &parameters : &variables;
        *to = htmt__source_print("%s%s%s", *to, **to ? ", " : "", u->name[i]);
    }
    if (*variables)
        where = htmt__source_print("exists (%s : %s)", variables, where);
    isl_ctx_reset_operations(p->ctx);
    isl_ctx_set_max_operations(p->ctx, WORK_MAX);
    return isl_set_read_from_str(p->ctx,
                                 htmt__source_print("[%s] -> { [] : %s }", parameters, where));
}

static void suppose(struct htmt__prover *p, const struct htmt__supposed *of)
{
    struct htmt__supposed *own = htmt__source_alloc(sizeof *own);
    *own = *of;
    own->next = p->supposed;
    own->before = p->assumed;
    p->supposed = own;
    p->assumed = join(p->assumed, htmt__source_print("%s >= 0", linear(p, &p->known, of->value)));
    memset(p->bucket, 0, sizeof p->bucket);
}

/* Parameters with which the loop runs and the value is never negative, told apart from those with
 * which the loop runs; NULL: none. */
static isl_set *condition_for(struct htmt__prover *p, struct unknowns *u,
                              const struct htmt__loop *loop, htmt__value value)
{
    const char *negative = htmt__source_print("%s <= -1", linear(p, u, value));
    const char *where = derived(p, u, domain(p, u, loop));
    isl_set *runs = parameters_where(p, u, *where ? where : "1 = 1"),
            *breaks = parameters_where(p, u, join(where, negative));
    isl_set *left = isl_set_coalesce(isl_set_subtract(isl_set_copy(runs), breaks));
    if (left && isl_set_is_empty(left) == isl_bool_false)
        return isl_set_coalesce(isl_set_gist(left, runs));
    isl_set_free(left);
    isl_set_free(runs);
    return NULL;
}

/* A condition reads best, and does not hang on the order of accesses, without what was assumed
 * before; but some are linear with it alone. */
bool htmt__prover_suppose(struct htmt__prover *p, const struct htmt__loop *loop, htmt__value value)
{
    if (htmt__prover_holds(p, loop, value))
        return true;
    if (!value || !loop)
        return false;
    struct unknowns u = p->known;
    struct supposing s = {.prover = p, .u = &u};
    const char *assumed = p->assumed;
    isl_set *with = condition_for(p, &u, loop, value), *without = NULL;
    p->assumed = "";
    if (with && *assumed)
        without = condition_for(p, &u, loop, value);
    p->assumed = assumed;
    if (without && isl_set_n_basic_set(without) == 1)
        isl_set_foreach_basic_set(without, take_basic, &s);
    if (with)
        isl_set_foreach_basic_set(with, take_basic, &s);
    isl_set_free(without);
    isl_set_free(with);
    for (unsigned i = 0; i < s.count && s.good; i++)
        suppose(p, &s.of[i]);
    return s.good && htmt__prover_holds(p, loop, value);
}

const struct htmt__supposed *htmt__prover_supposed(const struct htmt__prover *p)
{
    return p->supposed;
}

void htmt__prover_forget(struct htmt__prover *p, const struct htmt__supposed *since)
{
    if (p->supposed == since)
        return;
    while (p->supposed != since) {
        p->assumed = p->supposed->before;
        p->supposed = p->supposed->next;
    }
    memset(p->bucket, 0, sizeof p->bucket);
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Loop variables of one kind, outermost first. */
static const char *variables(const struct htmt__prover *p, struct unknowns *u,
                             const struct htmt__loop *loop, enum htmt__loop_kind kind)
{
    const char *text = "";
    for (; loop; loop = loop->parent)
        if (loop->kind == kind)
            text =
                htmt__source_print("%s%s%s", linear(p, u, htmt__value_symbol(loop->variable)) + 6,
                                   *text ? ", " : "", text);
    return text;
}

struct isl_map *htmt__prover_places(struct htmt__prover *p, const struct htmt__access *a)
{
    struct unknowns u = p->known;
    const char *over = variables(p, &u, a->loop, HTMT__LOOP_SPACE),
               *inner = variables(p, &u, a->loop, HTMT__LOOP_INNER), *to = "", *parameters = "";
    for (unsigned i = 0; i < a->array->layout->axes; i++)
        to = htmt__source_print("%s%s%s", to, i ? ", " : "", linear(p, &u, a->index[i]));
    const char *where = derived(p, &u, domain(p, &u, a->loop));
    if (*inner)
        where = htmt__source_print("exists (%s : %s)", inner, where);
    /* All unknowns but loop variables. */
    for (unsigned i = 0; i < u.count; i++)
        if (!u.value[i] || htmt__names_fixed(p->names, u.value[i]))
            parameters =
                htmt__source_print("%s%s%s", parameters, *parameters ? ", " : "", u.name[i]);
    isl_ctx_reset_operations(p->ctx);
    isl_ctx_set_max_operations(p->ctx, WORK_MAX);
    return isl_map_read_from_str(
        p->ctx, htmt__source_print("[%s] -> { [%s] -> [%s] : %s }", parameters, over, to, where));
}

/* ---- values ---------------------------------------------------------------------------------- */

/* "v_nx" is the parameter nx; a product is none. */
static htmt__value value_of(const struct htmt__prover *p, isl_aff *a)
{
    htmt__value sum = whole_of(isl_aff_get_constant_val(a));
    isl_size count = isl_aff_dim(a, isl_dim_param);
    for (isl_size i = 0; i < count && sum; i++) {
        htmt__value c = whole_of(isl_aff_get_coefficient_val(a, isl_dim_param, i));
        const char *name = isl_aff_get_dim_name(a, isl_dim_param, (unsigned)i);
        htmt__symbol symbol = name ? htmt__names_find(p->names, name + 2, strlen(name + 2)) : 0;
        if (!c || c->count)
            sum = htmt__value_add(sum,
                                  htmt__value_mul(c, symbol ? htmt__value_symbol(symbol) : NULL));
    }
    return isl_aff_dim(a, isl_dim_div) == 0 ? sum : NULL;
}

struct found {
    const struct htmt__prover *prover;
    htmt__value value;
    unsigned pieces;
};

static isl_stat take_piece(isl_set *where, isl_aff *a, void *user)
{
    struct found *f = user;
    f->pieces++;
    f->value = value_of(f->prover, a);
    isl_set_free(where);
    isl_aff_free(a);
    return isl_stat_ok;
}

htmt__value htmt__prover_value(const struct htmt__prover *p, struct isl_pw_aff *of)
{
    struct found f = {.prover = p};
    if (of)
        isl_pw_aff_foreach_piece(of, take_piece, &f);
    return f.pieces == 1 ? f.value : NULL;
}

/* ---- assumptions ----------------------------------------------------------------------------- */

/* Names get the form of unknowns, as in "nx*ny <= n": a product is one. */
static const char *rewritten(const char *text, struct unknowns *u)
{
    char word[400], *out = htmt__source_alloc(8 * strlen(text) + 8), *to = out;
    while (*text) {
        size_t n = 0;
        while (isalnum((unsigned char)text[n]) || (n && strchr("_.*", text[n]) && text[n]) ||
               text[n] == '_')
            n++;
        bool name = n && n < sizeof word / 4 && !isdigit((unsigned char)*text);
        if (!name || (n == 3 && strncmp(text, "and", 3) == 0)) {
            n = n ? n : 1;
            memcpy(to, text, n);
            to += n;
            text += n;
            continue;
        }
        size_t used = 0;
        for (size_t i = 0; i < n; i++)
            used += (size_t)snprintf(word + used, 5, text[i] == '*' ? "_by_" : "%c", text[i]);
        to = stpcpy(to, unknown_name(u, word, NULL));
        text += n;
    }
    return out;
}

int htmt__prover_assume(struct htmt__prover *p, const char *text, struct htmt_fault *fault)
{
    struct unknowns u = p->known;
    const char *own = rewritten(text, &u);
    char *form = htmt__source_print("[%s] -> { [] : %s }", list(&u), own);
    isl_set *set = isl_set_read_from_str(p->ctx, form);
    /* isl orders sets by <<, and reads a=1,b=2 as the chain a = (1, b) = 2. */
    bool good = set && !strstr(text, "<<") && !strstr(text, ">>") && !strchr(text, ',');
    isl_set_free(set);
    if (!good)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--assume: found '%s', expected comparisons of parameters, such as "
                              "nx<=n",
                              text);
    /* From what never holds, all follows. */
    const char *all = join(p->assumed, own);
    set = isl_set_read_from_str(p->ctx, htmt__source_print("[%s] -> { [] : %s }", list(&u), all));
    good = isl_set_is_empty(set) != isl_bool_true;
    isl_set_free(set);
    if (!good)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--assume: found '%s', expected what holds for some parameters%s",
                              text, *p->assumed ? ", with what was assumed before" : "");
    p->assumed = all;
    p->known = u;
    return 0;
}

int htmt__prover_check(const struct htmt__prover *p, struct htmt_fault *fault)
{
    for (unsigned i = 0; i < p->known.count; i++) {
        /* "v_nx", or one of the factors of "v_nx_by_ny". */
        const char *name = p->known.name[i] + 2, *by = strstr(name, "_by_");
        for (; name; name = by ? by + 4 : NULL, by = name ? strstr(name, "_by_") : NULL) {
            size_t length = by ? (size_t)(by - name) : strlen(name);
            if (!htmt__names_find(p->names, name, length))
                return htmt_fault_set(fault, HTMT_EUSAGE,
                                      "--assume: found '%.*s', expected parameters of the sources",
                                      (int)length, name);
        }
    }
    return 0;
}
