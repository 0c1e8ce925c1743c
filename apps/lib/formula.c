/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A descent over the grammar, a function for each rank:
 *
 *     sum      product { + or - product }
 *     product  factor { * or / factor }
 *     factor   number, name, ( sum ), max( sum, .. ), min( sum, .. ), ceil( sum )
 *
 * Names may have blanks and hyphens inside, where a letter or digit follows at once: "loads per
 * sample", but "a - b" is a difference.
 */
#include "apps/lib/formula.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct htmt_exact exact;

struct parser {
    const char *text, *at;
    htmt__formula_reader *read;
    void *user;
    struct htmt_fault *fault;
};

static int sum(struct parser *p, exact *out);

/* ---- errors --------------------------------------------------------------------------------- */

static int expected(struct parser *p, const char *what)
{
    return htmt_fault_set(p->fault, HTMT_EFORMAT, "'%s': found '%s', expected %s", p->text, p->at,
                          what);
}

static int apply(struct parser *p, char op, exact a, exact b, exact *out)
{
    int rc = htmt_exact_apply(op, a, b, out);
    if (rc)
        htmt_fault_set(p->fault, rc, "'%s': %s", p->text,
                       rc == HTMT_ERANGE ? "division by zero"
                                         : "an intermediate value takes more than 128 bits");
    return rc;
}

/* ---- words ---------------------------------------------------------------------------------- */

static void skip_blanks(struct parser *p)
{
    while (*p->at == ' ')
        p->at++;
}

static bool take(struct parser *p, char c)
{
    skip_blanks(p);
    bool found = *p->at == c;
    p->at += found;
    return found;
}

static bool of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '[' || c == ']';
}

static int take_name(struct parser *p, char name[HTMT__FORMULA_NAME])
{
    bool quoted = take(p, '\'');
    const char *at = p->at;
    size_t n = quoted ? strcspn(at, "'") : isalpha((unsigned char)*at) || *at == '_';
    while (n && !quoted &&
           (of_name(at[n]) || ((at[n] == ' ' || at[n] == '-') && of_name(at[n + 1]))))
        n++;
    if (!n || n >= HTMT__FORMULA_NAME || (quoted && !p->at[n]))
        return expected(p, "a name of up to 63 bytes, and the quote behind a quoted one");
    memcpy(name, p->at, n);
    name[n] = '\0';
    p->at += n + quoted;
    return 0;
}

/* 12, 0.5 */
static int take_number(struct parser *p, exact *out)
{
    exact digit, ten = {10, 1}, scale = {1, 1}, n = {0, 1};
    int rc = 0;
    for (bool point = false; !rc && (isdigit((unsigned char)*p->at) || (*p->at == '.' && !point));
         p->at++) {
        if (*p->at == '.') {
            point = true;
            continue;
        }
        digit = htmt_exact_whole(*p->at - '0');
        rc = apply(p, '*', n, ten, &n);
        if (!rc)
            rc = apply(p, '+', n, digit, &n);
        if (!rc && point)
            rc = apply(p, '*', scale, ten, &scale);
    }
    return rc ? rc : apply(p, '/', n, scale, out);
}

/* ---- max, min, ceil ------------------------------------------------------------------------- */

static int call(struct parser *p, const char *function, exact *out)
{
    const bool ceil = !strcmp(function, "ceil"), most = !strcmp(function, "max");
    exact next;
    if (!ceil && !most && strcmp(function, "min") != 0)
        return expected(p, "max, min or ceil before '('");
    int rc = sum(p, out);
    while (!rc && !ceil && take(p, ',')) {
        rc = sum(p, &next);
        if (!rc && (most ? 1 : -1) * htmt_exact_compare(next, *out) > 0)
            *out = next;
    }
    if (rc)
        return rc;
    if (ceil)
        *out = htmt_exact_whole(htmt_exact_ceil(*out));
    return take(p, ')') ? 0 : expected(p, ceil ? "')'" : "',' or ')'");
}

/* ---- grammar -------------------------------------------------------------------------------- */

static int factor(struct parser *p, exact *out)
{
    char name[HTMT__FORMULA_NAME];
    int rc;
    skip_blanks(p);
    if (isdigit((unsigned char)*p->at))
        return take_number(p, out);
    if (take(p, '(')) {
        rc = sum(p, out);
        return rc || take(p, ')') ? rc : expected(p, "')'");
    }
    rc = take_name(p, name);
    if (rc)
        return rc;
    return take(p, '(') ? call(p, name, out) : p->read(p->user, name, out, p->fault);
}

/* Operands of one rank, joined by either of two operators. */
static int chain(struct parser *p, const char operators[2],
                 int (*operand)(struct parser *p, exact *out), exact *out)
{
    exact next;
    int rc = operand(p, out);
    for (;;) {
        char op = operators[0];
        if (rc || (!take(p, op) && !take(p, op = operators[1])))
            return rc;
        rc = operand(p, &next);
        if (!rc)
            rc = apply(p, op, *out, next, out);
    }
}

static int product(struct parser *p, exact *out)
{
    return chain(p, "*/", factor, out);
}

static int sum(struct parser *p, exact *out)
{
    return chain(p, "+-", product, out);
}

int htmt__formula(const char *text, htmt__formula_reader *read, void *user, exact *value,
                  struct htmt_fault *fault)
{
    struct parser p = {text, text, read, user, fault};
    exact found;
    int rc = sum(&p, &found);
    if (!rc && *p.at)
        rc = expected(&p, "an operator");
    if (!rc)
        *value = found;
    return rc;
}
