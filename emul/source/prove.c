/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/source/prove.h"

#include "emul/source/memory.h"

#include <ctype.h>
#include <isl/ctx.h>
#include <isl/options.h>
#include <isl/set.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1 << 12, WORK_MAX = 1000000 };

/* The unknowns of a question; a product is an unknown of its own. */
struct unknowns {
    unsigned count;
    const char *name[200];
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

static const char *unknown_name(struct unknowns *u, const char *name)
{
    char *text = htmt__source_print("v_%s", name);
    for (char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    for (unsigned i = 0; i < u->count; i++)
        if (strcmp(u->name[i], text) == 0)
            return u->name[i];
    if (u->count < sizeof u->name / sizeof *u->name)
        u->name[u->count++] = text;
    return text;
}

static const char *product_name(const struct htmt__prover *p, struct unknowns *u,
                                const struct htmt__term *t)
{
    const char *name = "";
    for (unsigned f = 0; f < HTMT__DEGREE_MAX && t->factor[f]; f++) {
        const char *factor = htmt__names_text(p->names, t->factor[f]);
        bool own = !htmt__names_is_parameter(p->names, t->factor[f]);
        name = htmt__source_print("%s%s%s", name, f ? "_by_" : "", factor);
        if (own)
            name = htmt__source_print("%s_%u", name, (unsigned)t->factor[f]);
    }
    return unknown_name(u, name);
}

static const char *linear(const struct htmt__prover *p, struct unknowns *u, htmt__value value)
{
    const char *text = "0";
    for (unsigned i = 0; i < value->count; i++) {
        const struct htmt__term *t = &value->term[i];
        text = t->factor[0] ? htmt__source_print("%s + %lld %s", text, (long long)t->num,
                                                 product_name(p, u, t))
                            : htmt__source_print("%s + %lld", text, (long long)t->num);
    }
    return text;
}

static const char *join(const char *a, const char *b)
{
    return *a ? htmt__source_print("%s and %s", a, b) : b;
}

/* Where an iteration of the loop takes place. */
static const char *domain(const struct htmt__prover *p, struct unknowns *u,
                          const struct htmt__loop *loop)
{
    const char *text = p->assumed;
    for (; loop; loop = loop->parent) {
        if (loop->kind != HTMT__LOOP_SPACE && loop->kind != HTMT__LOOP_INNER)
            continue;
        const char *own = linear(p, u, htmt__value_symbol(loop->variable));
        for (unsigned i = 0; i < loop->lowers; i++)
            text = join(text, htmt__source_print("%s >= %s", own, linear(p, u, loop->lower[i])));
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

static bool is_empty(const struct htmt__prover *p, const char *text)
{
    isl_ctx_reset_operations(p->ctx);
    isl_ctx_set_max_operations(p->ctx, WORK_MAX);
    isl_set *set = isl_set_read_from_str(p->ctx, text);
    isl_bool empty = set ? isl_set_is_empty(set) : isl_bool_false;
    isl_set_free(set);
    return empty == isl_bool_true;
}

static struct answer **bucket_of(struct htmt__prover *p, const struct htmt__loop *loop,
                                 htmt__value value)
{
    uint64_t hash = (uintptr_t)loop;
    for (unsigned i = 0; i < value->count; i++)
        hash = hash * 31 + (uint64_t)value->term[i].num * 7 + value->term[i].factor[0];
    return &p->bucket[(hash ^ hash >> 20) % BUCKETS];
}

static bool ask(const struct htmt__prover *p, const struct htmt__loop *loop, htmt__value value)
{
    struct unknowns u = p->known;
    const char *negative = htmt__source_print("%s <= -1", linear(p, &u, value));
    const char *where = join(domain(p, &u, loop), negative);
    return is_empty(p, htmt__source_print("[%s] -> { [] : %s }", list(&u), where));
}

bool htmt__prover_holds(struct htmt__prover *p, const struct htmt__loop *loop, htmt__value value)
{
    int64_t whole;
    if (!value)
        return false;
    if (htmt__value_is_whole(value, &whole))
        return whole >= 0;
    struct answer **bucket = bucket_of(p, loop, value);
    for (struct answer *a = *bucket; a; a = a->next)
        if (a->loop == loop && htmt__value_same(a->value, value))
            return a->holds;
    struct answer *a = htmt__source_alloc(sizeof *a);
    *a = (struct answer){loop, value, ask(p, loop, value), *bucket};
    *bucket = a;
    return a->holds;
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
        to = stpcpy(to, unknown_name(u, word));
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
    bool good = set != NULL;
    isl_set_free(set);
    if (!good)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--assume: found '%s', expected comparisons of parameters, such as "
                              "nx<=n",
                              text);
    p->assumed = join(p->assumed, own);
    p->known = u;
    return 0;
}
