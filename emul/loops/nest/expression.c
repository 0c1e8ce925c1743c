/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Expressions of nest files, read once and evaluated at many parameters.
 *
 * Reading is by recursive descent, a function for each level of the grammar: sum, product, power,
 * atom. Terms lie in one array, operands before the term that joins them, so a value is found in
 * one pass without recursion: 2*n - i is [2] [n] [0*1] [i] [2-3], the root last.
 *
 * A value is linear in the loop variables: a constant and a factor for each loop, all exact ratios.
 * A product needs a constant side, and functions need constant arguments; what is not so is refused
 * as not affine. Whoever asks then wants a number, a whole number, or whole factors. For n = 10 the
 * five values of 2*n - i are 2, 10, 20, 1 i and 20 - 1 i.
 *
 * Values are ratios until the end, and what they must be is asked of the root alone. So (n-1)/2 is
 * 9/2 for n = 10, which no bound of a loop may be; but 2*((n-1)/2) is 9 again, and
 * floor((n-1)/2) is 4. With integers that are rounded at each step the second would be 8. Numerator
 * and denominator have 128 bits, and what passes them is refused: a count is exact or none at all.
 *
 * A term costs one operation on ratios for each loop and one for the constant. A file is read once
 * and evaluated for each run of a nest and each point of a curve, so evaluation takes no memory of
 * the heap up to FEW terms.
 */
#include "emul/loops/nest/expression.h"

#include "runtime/base/array.h"
#include "runtime/base/suggest.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST   100 /* parentheses in each other */
#define TERMS_MAX 4096
#define WORD_MAX  64

enum kind {
    NUMBER,
    PARAMETER,
    VARIABLE,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    FLOOR,
    CEIL,
    MIN,
    MAX,
    MOD
};

struct htmt__nest_term {
    enum kind kind;
    unsigned index;       /* PARAMETER, VARIABLE */
    unsigned left, right; /* operands stand before their term; right is 0 where there is one */
    struct htmt__nest_number number;
};

/* A text that is being read. */
struct reading {
    const char *at;
    const struct htmt__nest_names *names;
    const struct htmt__nest_place *place;
    struct htmt__nest_expression *into;
    size_t room;
    unsigned deep;
};

static const struct {
    const char *word;
    enum kind kind;
    unsigned least, most; /* arguments */
} functions[] = {{"floor", FLOOR, 1, 1},
                 {"ceil", CEIL, 1, 1},
                 {"min", MIN, 2, 64},
                 {"max", MAX, 2, 64},
                 {"mod", MOD, 2, 2}};

int htmt__nest_refuse(const struct htmt__nest_place *place, int code, const char *format, ...)
{
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return htmt_fault_set(place->fault, code, "%s:%d: %s: %s", place->file, place->line,
                          place->what, text);
}

static int refuse_overflow(const struct htmt__nest_place *place, int rc)
{
    if (rc == HTMT_ERANGE)
        return htmt__nest_refuse(place, HTMT_ERANGE, "division by zero");
    return rc ? htmt__nest_refuse(place, HTMT_ERANGE, "a number passes 128 bits") : 0;
}

/* ---- reading -----------------------------------------------------------------------------------
 */

static void skip(struct reading *r)
{
    while (*r->at == ' ')
        r->at++;
}

static bool take(struct reading *r, char wanted)
{
    skip(r);
    if (*r->at != wanted)
        return false;
    r->at++;
    return true;
}

static int found_instead(struct reading *r, const char *expected)
{
    skip(r);
    return htmt__nest_refuse(r->place, HTMT_EFORMAT, "found '%.40s', expected %s",
                             *r->at ? r->at : "the end", expected);
}

static int put(struct reading *r, struct htmt__nest_term term, unsigned *index)
{
    struct htmt__nest_expression *e = r->into;
    if (e->count == TERMS_MAX)
        return htmt__nest_refuse(r->place, HTMT_EFORMAT, "more than %d terms", TERMS_MAX);
    if (!htmt__array_fits(&e->term, &r->room, (size_t)e->count + 1, sizeof *e->term))
        return htmt__nest_refuse(r->place, HTMT_ENOMEM, "out of memory");
    *index = e->count;
    e->term[e->count++] = term;
    return 0;
}

static int put_number(struct reading *r, struct htmt__nest_number number, unsigned *index)
{
    return put(r, (struct htmt__nest_term){.kind = NUMBER, .number = number}, index);
}

static int join(struct reading *r, enum kind kind, unsigned left, unsigned right, unsigned *index)
{
    return put(r, (struct htmt__nest_term){.kind = kind, .left = left, .right = right}, index);
}

static int read_sum(struct reading *r, unsigned *index);

static int read_digits(struct reading *r, struct htmt__nest_number *number)
{
    bool fraction = false;
    *number = htmt__nest_whole(0);
    for (; isdigit((unsigned char)*r->at) ||
           (*r->at == '.' && isdigit((unsigned char)r->at[1]) && !fraction);
         r->at++) {
        if (*r->at == '.') {
            fraction = true;
            continue;
        }
        if (__builtin_mul_overflow(number->num, 10, &number->num) ||
            __builtin_add_overflow(number->num, *r->at - '0', &number->num) ||
            (fraction && __builtin_mul_overflow(number->den, 10, &number->den)))
            return refuse_overflow(r->place, HTMT_EOVERFLOW);
    }
    return htmt__nest_divide(htmt__nest_whole(number->num), htmt__nest_whole(number->den), number);
}

/* A loop variable or a parameter; variables hide no parameters, as they may not have their names.
 */
static int put_name(struct reading *r, const char *word, unsigned *index)
{
    char hint[200];
    const char *known[HTMT__NEST_DEPTH + 256];
    unsigned count = 0;
    for (unsigned i = 0; i < r->names->depth; i++)
        if (!strcmp(word, r->names->variable[i]))
            return put(r, (struct htmt__nest_term){.kind = VARIABLE, .index = i}, index);
    for (unsigned i = 0; i < r->names->count; i++)
        if (!strcmp(word, r->names->name[i]))
            return put(r, (struct htmt__nest_term){.kind = PARAMETER, .index = i}, index);
    for (unsigned i = 0; i < r->names->depth; i++)
        known[count++] = r->names->variable[i];
    for (unsigned i = 0; i < r->names->count && i < 256; i++)
        known[count++] = r->names->name[i];
    htmt__suggest(word, known, count, hint, sizeof hint);
    return htmt__nest_refuse(r->place, HTMT_EFORMAT, "unknown name '%s', %s", word, hint);
}

/* Arguments two by two: min(a, b, c) is min(min(a, b), c). */
static int read_arguments(struct reading *r, size_t f, unsigned *index)
{
    const enum kind kind = functions[f].kind;
    unsigned count = 1, next;
    int rc = read_sum(r, index);
    for (; !rc && count < functions[f].most && take(r, ','); count++) {
        rc = read_sum(r, &next);
        if (!rc)
            rc = join(r, kind, *index, next, index);
    }
    if (rc)
        return rc;
    if (!take(r, ')') || count < functions[f].least)
        return found_instead(r, count < functions[f].least ? "another argument" : "')'");
    return functions[f].least > 1 ? 0 : join(r, kind, *index, *index, index);
}

/* A number, a name, a function of arguments, or a sum in parentheses. */
static int read_atom(struct reading *r, unsigned *index)
{
    struct htmt__nest_number number;
    char word[WORD_MAX];
    size_t length = 0;
    int rc;
    skip(r);
    if (isdigit((unsigned char)*r->at)) {
        rc = read_digits(r, &number);
        return rc ? rc : put_number(r, number, index);
    }
    if (!isalpha((unsigned char)*r->at) && *r->at != '_') {
        if (!take(r, '('))
            return found_instead(r, "a number, a name or '('");
        rc = read_sum(r, index);
        return rc || take(r, ')') ? rc : found_instead(r, "')'");
    }
    while (isalnum((unsigned char)r->at[length]) || r->at[length] == '_')
        length++;
    if (length >= sizeof word)
        return found_instead(r, "a shorter name");
    memcpy(word, r->at, length);
    word[length] = '\0';
    r->at += length;
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        if (!strcmp(word, functions[f].word))
            return take(r, '(') ? read_arguments(r, f, index) : found_instead(r, "'('");
    return put_name(r, word, index);
}

/* a^3 is a * a * a. */
static int read_power(struct reading *r, unsigned *index)
{
    struct htmt__nest_number exponent;
    int rc = read_atom(r, index);
    if (rc || !take(r, '^'))
        return rc;
    skip(r);
    if (!isdigit((unsigned char)*r->at))
        return found_instead(r, "a whole exponent");
    rc = read_digits(r, &exponent);
    if (!rc && (exponent.den != 1 || exponent.num > 64))
        rc = htmt__nest_refuse(r->place, HTMT_ERANGE, "an exponent is no whole number up to 64");
    unsigned base = *index;
    if (!rc && !exponent.num)
        return put_number(r, htmt__nest_whole(1), index);
    for (htmt_wide i = 1; i < exponent.num && !rc; i++)
        rc = join(r, MULTIPLY, *index, base, index);
    return rc;
}

static int read_product(struct reading *r, unsigned *index)
{
    unsigned right;
    int rc = read_power(r, index);
    for (;;) {
        bool times = !rc && take(r, '*');
        if (rc || (!times && !take(r, '/')))
            return rc;
        rc = read_power(r, &right);
        if (!rc)
            rc = join(r, times ? MULTIPLY : DIVIDE, *index, right, index);
    }
}

/* Products with + and - between them; a sign in front is 0 minus the first. */
static int read_sum(struct reading *r, unsigned *index)
{
    unsigned right;
    int rc;
    if (++r->deep > DEEPEST)
        return htmt__nest_refuse(r->place, HTMT_EFORMAT, "more than %d parentheses in each other",
                                 DEEPEST);
    if (take(r, '-')) {
        rc = put_number(r, htmt__nest_whole(0), index);
        if (!rc)
            rc = read_product(r, &right);
        if (!rc)
            rc = join(r, SUBTRACT, *index, right, index);
    } else {
        rc = read_product(r, index);
    }
    while (!rc) {
        bool plus = take(r, '+');
        if (!plus && !take(r, '-'))
            break;
        rc = read_product(r, &right);
        if (!rc)
            rc = join(r, plus ? ADD : SUBTRACT, *index, right, index);
    }
    r->deep--;
    return rc;
}

int htmt__nest_expression_read(const char **text, const struct htmt__nest_names *names,
                               const struct htmt__nest_place *place,
                               struct htmt__nest_expression *expression)
{
    struct htmt__nest_expression read = {0};
    struct reading r = {*text, names, place, &read, 0, 0};
    unsigned root;
    int rc = read_sum(&r, &root);
    if (rc) {
        htmt__nest_expression_clear(&read);
        return rc;
    }
    skip(&r);
    *text = r.at;
    *expression = read;
    return 0;
}

void htmt__nest_expression_clear(struct htmt__nest_expression *expression)
{
    free(expression->term);
    *expression = (struct htmt__nest_expression){0};
}

/* ---- evaluation --------------------------------------------------------------------------------
 */

/* A value that may hold loop variables. */
struct linear {
    struct htmt__nest_number constant, factor[HTMT__NEST_DEPTH];
};

static bool is_constant(const struct linear *a)
{
    for (unsigned l = 0; l < HTMT__NEST_DEPTH; l++)
        if (a->factor[l].num)
            return false;
    return true;
}

typedef int operation(struct htmt__nest_number, struct htmt__nest_number,
                      struct htmt__nest_number *);

static int scale(const struct linear *a, struct htmt__nest_number by, operation *with,
                 struct linear *out)
{
    int rc = with(a->constant, by, &out->constant);
    for (unsigned l = 0; l < HTMT__NEST_DEPTH && !rc; l++)
        rc = with(a->factor[l], by, &out->factor[l]);
    return rc;
}

/* Sums of affine values, their products and quotients with numbers, functions of numbers; a mod b
 * has the sign of b: a - floor(a / b) * b. HTMT_EFORMAT: not affine. */
static int apply(enum kind kind, const struct linear *a, const struct linear *b, struct linear *out)
{
    if (kind == ADD || kind == SUBTRACT) {
        operation *with = kind == ADD ? htmt__nest_add : htmt__nest_subtract;
        int rc = with(a->constant, b->constant, &out->constant);
        for (unsigned l = 0; l < HTMT__NEST_DEPTH && !rc; l++)
            rc = with(a->factor[l], b->factor[l], &out->factor[l]);
        return rc;
    }
    if (kind == DIVIDE && is_constant(b))
        return scale(a, b->constant, htmt__nest_divide, out);
    if (kind == MULTIPLY && is_constant(b))
        return scale(a, b->constant, htmt__nest_multiply, out);
    if (kind == MULTIPLY && is_constant(a))
        return scale(b, a->constant, htmt__nest_multiply, out);
    if (kind == MULTIPLY || kind == DIVIDE || !is_constant(a) || !is_constant(b))
        return HTMT_EFORMAT;
    const struct htmt__nest_number x = a->constant, y = b->constant;
    struct htmt__nest_number times;
    int sign, rc;
    if (kind == FLOOR || kind == CEIL) {
        out->constant = htmt__nest_whole(htmt__nest_floor(x) + (kind == CEIL && x.den != 1));
        return 0;
    }
    if (kind == MOD) {
        rc = htmt__nest_divide(x, y, &times);
        if (!rc)
            rc = htmt__nest_multiply(htmt__nest_whole(htmt__nest_floor(times)), y, &times);
        return rc ? rc : htmt__nest_subtract(x, times, &out->constant);
    }
    rc = htmt__nest_compare(x, y, &sign);
    if (!rc)
        out->constant = (kind == MIN) == (sign < 0) ? x : y;
    return rc;
}

/* The value of one term, those of its operands being in `all`. */
static int settle(const struct htmt__nest_term *t, struct linear *all,
                  const struct htmt__nest_values *values, const struct htmt__nest_place *place,
                  struct linear *out)
{
    out->constant = htmt__nest_whole(0);
    for (unsigned l = 0; l < HTMT__NEST_DEPTH; l++)
        out->factor[l] = htmt__nest_whole(0);
    switch (t->kind) {
    case NUMBER:
        out->constant = t->number;
        return 0;
    case VARIABLE:
        out->factor[t->index] = htmt__nest_whole(1);
        return 0;
    case PARAMETER:
        if (!values->known[t->index])
            return htmt__nest_refuse(place, HTMT_EINVAL,
                                     "parameter '%s' has no value (--param %s=N)",
                                     values->name[t->index], values->name[t->index]);
        out->constant = htmt__nest_whole(values->value[t->index]);
        return 0;
    default:
        break;
    }
    int rc = apply(t->kind, &all[t->left], &all[t->right], out);
    if (rc == HTMT_EFORMAT)
        return htmt__nest_refuse(place, rc, "not affine in the loop variables");
    return refuse_overflow(place, rc);
}

#define FEW 24 /* terms on the stack */

/* Values of all terms, in the order of the array; those of `skipped` are left out. */
static int evaluate_all(const struct htmt__nest_expression *e, const bool *skipped,
                        const struct htmt__nest_values *values,
                        const struct htmt__nest_place *place, struct linear *all)
{
    int rc = 0;
    for (unsigned i = 0; i < e->count && !rc; i++)
        if (!skipped || !skipped[i])
            rc = settle(&e->term[i], all, values, place, &all[i]);
    return rc;
}

static int evaluate(const struct htmt__nest_expression *e, const struct htmt__nest_values *values,
                    const struct htmt__nest_place *place, struct linear *out)
{
    struct linear few[FEW], *all = e->count <= FEW ? few : calloc(e->count, sizeof *all);
    int rc = all ? evaluate_all(e, NULL, values, place, all)
                 : htmt__nest_refuse(place, HTMT_ENOMEM, "out of memory");
    if (!rc)
        *out = all[e->count - 1];
    if (all != few)
        free(all);
    return rc;
}

int htmt__nest_evaluate(const struct htmt__nest_expression *expression,
                        const struct htmt__nest_values *values,
                        const struct htmt__nest_place *place, struct htmt__nest_number *out)
{
    struct linear found;
    int rc = evaluate(expression, values, place, &found);
    if (!rc && !is_constant(&found))
        rc = htmt__nest_refuse(place, HTMT_EFORMAT, "a loop variable may not stand here");
    if (!rc)
        *out = found.constant;
    return rc;
}

int htmt__nest_evaluate_whole(const struct htmt__nest_expression *expression,
                              const struct htmt__nest_values *values,
                              const struct htmt__nest_place *place, htmt_wide *out)
{
    struct htmt__nest_number found;
    int rc = htmt__nest_evaluate(expression, values, place, &found);
    if (!rc && found.den != 1)
        rc = htmt__nest_refuse(place, HTMT_ERANGE, "the value is no whole number");
    if (!rc)
        *out = found.num;
    return rc;
}

static int make_affine(const struct linear *found, const struct htmt__nest_place *place,
                       struct htmt__nest_affine *out)
{
    bool whole = found->constant.den == 1;
    out->constant = found->constant.num;
    for (unsigned l = 0; l < HTMT__NEST_DEPTH; l++) {
        whole = whole && found->factor[l].den == 1;
        out->factor[l] = found->factor[l].num;
    }
    return whole ? 0 : htmt__nest_refuse(place, HTMT_ERANGE, "a factor is no whole number");
}

int htmt__nest_evaluate_affine(const struct htmt__nest_expression *expression,
                               const struct htmt__nest_values *values,
                               const struct htmt__nest_place *place, struct htmt__nest_affine *out)
{
    struct linear found;
    int rc = evaluate(expression, values, place, &found);
    return rc ? rc : make_affine(&found, place, out);
}

/* A bound such as max(0, j-8) is no affine value, but it is what a loop over a band has, and a set
 * of affine ones says the same: i >= 0 and i >= j-8. So the outermost maximum is taken apart into
 * its pieces, each of which must be affine; the same with the minimum of an upper bound.
 *
 * In max(max(a, b), c) two terms join three pieces. From the root down: a term joins if it is the
 * root or an operand of one that joins, and is of that kind; what is reached but does not join is a
 * piece. Operands stand before the term that joins them, so one walk from the end of the array sees
 * each term after all that could reach it. Terms that join have no value and are skipped.
 *
 * By hand, max(0, j-8, i-2) has the terms
 *
 *     0: 0   1: j   2: 8   3: [1]-[2]   4: max [0] [3]   5: i   6: 2   7: [5]-[6]   8: max [4] [7]
 *
 * The root 8 joins and reaches 4 and 7. 7 is a difference, hence a piece; 4 is a maximum and
 * reaches 0 and 3, which are pieces: 0, j-8 and i-2. A minimum inside is a piece, too, and is
 * refused as not affine unless it holds numbers alone. */
int htmt__nest_evaluate_pieces(const struct htmt__nest_expression *expression, bool largest,
                               const struct htmt__nest_values *values,
                               const struct htmt__nest_place *place,
                               struct htmt__nest_affine out[HTMT__NEST_PIECES], unsigned *count)
{
    const struct htmt__nest_expression *e = expression;
    struct linear *all = calloc(e->count, sizeof *all);
    bool *joins = calloc(e->count, sizeof *joins), *piece = calloc(e->count, sizeof *piece);
    int rc = all && joins && piece ? 0 : htmt__nest_refuse(place, HTMT_ENOMEM, "out of memory");
    for (unsigned i = e->count; !rc && i-- > 0;) {
        const bool reached = i == e->count - 1 || piece[i];
        joins[i] = reached && e->term[i].kind == (largest ? MAX : MIN);
        piece[i] = reached && !joins[i];
        if (joins[i])
            piece[e->term[i].left] = piece[e->term[i].right] = true;
    }
    if (!rc)
        rc = evaluate_all(e, joins, values, place, all);
    *count = 0;
    for (unsigned i = 0; i < e->count && !rc; i++) {
        if (!piece[i])
            continue;
        if (*count == HTMT__NEST_PIECES)
            rc = htmt__nest_refuse(place, HTMT_EFORMAT, "more than %d pieces", HTMT__NEST_PIECES);
        else
            rc = make_affine(&all[i], place, &out[(*count)++]);
    }
    free(all);
    free(joins);
    free(piece);
    return rc;
}

/* ---- conditions --------------------------------------------------------------------------------
 */

#define COMPARISONS_MAX 32

enum relation { EQUAL, UNEQUAL, AT_MOST, AT_LEAST, LESS, MORE };

struct htmt__nest_condition {
    unsigned count;
    struct {
        struct htmt__nest_expression left, right;
        enum relation relation;
    } at[COMPARISONS_MAX];
};

static int read_comparison(struct htmt__nest_condition *c, const char **text,
                           const struct htmt__nest_names *names,
                           const struct htmt__nest_place *place)
{
    static const char *const words[] = {[EQUAL] = "=",     [UNEQUAL] = "!=", [AT_MOST] = "<=",
                                        [AT_LEAST] = ">=", [LESS] = "<",     [MORE] = ">"};
    unsigned i = 0;
    if (c->count == COMPARISONS_MAX)
        return htmt__nest_refuse(place, HTMT_EFORMAT, "more than %d comparisons", COMPARISONS_MAX);
    int rc = htmt__nest_expression_read(text, names, place, &c->at[c->count].left);
    if (rc)
        return rc;
    c->count++;
    while (i < sizeof words / sizeof *words && strncmp(*text, words[i], strlen(words[i])) != 0)
        i++;
    if (i == sizeof words / sizeof *words)
        return htmt__nest_refuse(place, HTMT_EFORMAT,
                                 "found '%.40s', expected = != < <= > or >=", *text);
    *text += strlen(words[i]);
    c->at[c->count - 1].relation = (enum relation)i;
    return htmt__nest_expression_read(text, names, place, &c->at[c->count - 1].right);
}

int htmt__nest_condition_read(const char *text, const struct htmt__nest_names *names,
                              const struct htmt__nest_place *place,
                              struct htmt__nest_condition **condition)
{
    struct htmt__nest_condition *c = calloc(1, sizeof *c);
    if (!c)
        return htmt__nest_refuse(place, HTMT_ENOMEM, "out of memory");
    int rc = read_comparison(c, &text, names, place);
    while (!rc && !strncmp(text, "and ", 4)) {
        text += 4;
        rc = read_comparison(c, &text, names, place);
    }
    if (!rc && *text)
        rc = htmt__nest_refuse(place, HTMT_EFORMAT, "found '%.40s', expected 'and'", text);
    if (rc)
        htmt__nest_condition_destroy(&c);
    else
        *condition = c;
    return rc;
}

void htmt__nest_condition_destroy(struct htmt__nest_condition **condition)
{
    for (unsigned i = 0; *condition && i < (*condition)->count; i++) {
        htmt__nest_expression_clear(&(*condition)->at[i].left);
        htmt__nest_expression_clear(&(*condition)->at[i].right);
    }
    free(*condition);
    *condition = NULL;
}

int htmt__nest_condition_holds(const struct htmt__nest_condition *condition,
                               const struct htmt__nest_values *values,
                               const struct htmt__nest_place *place, bool *holds)
{
    struct htmt__nest_number left, right;
    int sign = 0, rc = 0;
    *holds = true;
    for (unsigned i = 0; i < condition->count && *holds && !rc; i++) {
        rc = htmt__nest_evaluate(&condition->at[i].left, values, place, &left);
        if (!rc)
            rc = htmt__nest_evaluate(&condition->at[i].right, values, place, &right);
        if (!rc)
            rc = refuse_overflow(place, htmt__nest_compare(left, right, &sign));
        switch (condition->at[i].relation) {
        case EQUAL:
            *holds = sign == 0;
            break;
        case UNEQUAL:
            *holds = sign != 0;
            break;
        case AT_MOST:
            *holds = sign <= 0;
            break;
        case AT_LEAST:
            *holds = sign >= 0;
            break;
        case LESS:
            *holds = sign < 0;
            break;
        default:
            *holds = sign > 0;
        }
    }
    return rc;
}
