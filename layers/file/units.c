/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A quantity is a decimal number and a unit; a unit is a prefix and a name of the dimension's own
 * table. Numbers never pass through floating point.
 */
#include "layers/file/units.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define EXPONENT_MAX 40 /* beyond it nothing fits 64 bits */
#define FS_PER_S     HTMT_SECOND
#define WORD_BYTES   8

enum prefixes { NO_PREFIX, PARTS, MULTIPLES, SIZES };

struct prefix {
    const char *text;
    int exponent10, exponent2;
    bool parts, multiples; /* of which sets it is a member; binary ones belong to SIZES alone */
};

static const struct prefix prefix_table[] = {
    {"f", -15, 0, true, false},  {"p", -12, 0, true, false},  {"n", -9, 0, true, false},
    {"u", -6, 0, true, false},   {"m", -3, 0, true, false},   {"k", 3, 0, false, true},
    {"M", 6, 0, false, true},    {"G", 9, 0, false, true},    {"T", 12, 0, false, true},
    {"P", 15, 0, false, true},   {"Ki", 0, 10, false, false}, {"Mi", 0, 20, false, false},
    {"Gi", 0, 30, false, false}, {"Ti", 0, 40, false, false}};

struct unit {
    enum htmt__dimension dimension;
    const char *name; /* '#' stands for the operation's noun, or "op" */
    enum prefixes prefixes;
    struct htmt_ratio factor; /* to the unit of the dimension */
    bool inverse;             /* the dimension counts factor / value */
    enum htmt__basis basis;
};

static const struct unit unit_table[] = {
    {HTMT__COUNT, "", NO_PREFIX, {1, 1}, false, HTMT__PER_ITEM},
    {HTMT__SHARE, "", NO_PREFIX, {1, 1}, false, HTMT__PER_ITEM},
    {HTMT__SHARE, "%", NO_PREFIX, {1, 100}, false, HTMT__PER_ITEM},
    {HTMT__FREQUENCY, "Hz", MULTIPLES, {1, 1}, false, HTMT__PER_ITEM},
    {HTMT__SIZE, "word", SIZES, {1, 1}, false, HTMT__PER_ITEM},
    {HTMT__SIZE, "words", SIZES, {1, 1}, false, HTMT__PER_ITEM},
    {HTMT__SIZE, "B", SIZES, {1, WORD_BYTES}, false, HTMT__PER_ITEM},
    {HTMT__SIZE, "byte", NO_PREFIX, {1, WORD_BYTES}, false, HTMT__PER_ITEM},
    {HTMT__SIZE, "bytes", NO_PREFIX, {1, WORD_BYTES}, false, HTMT__PER_ITEM},
    {HTMT__RATE, "word/s", SIZES, {FS_PER_S, 1}, true, HTMT__PER_ITEM},
    {HTMT__RATE, "words/s", SIZES, {FS_PER_S, 1}, true, HTMT__PER_ITEM},
    {HTMT__RATE, "B/s", SIZES, {FS_PER_S * WORD_BYTES, 1}, true, HTMT__PER_ITEM},
    {HTMT__RATE, "bytes/s", NO_PREFIX, {FS_PER_S * WORD_BYTES, 1}, true, HTMT__PER_ITEM},
    {HTMT__TIME, "s", PARTS, {FS_PER_S, 1}, false, HTMT__PER_ITEM},
    {HTMT__ACCESS, "s/word", PARTS, {FS_PER_S, 1}, false, HTMT__PER_WORD},
    {HTMT__ACCESS, "s/access", PARTS, {FS_PER_S, 1}, false, HTMT__PER_ITEM},
    {HTMT__OPERATION, "s", PARTS, {FS_PER_S, 1}, false, HTMT__PER_ITEM},
    {HTMT__OPERATION, "s/#", PARTS, {FS_PER_S, 1}, false, HTMT__PER_ITEM},
    {HTMT__OPERATION, "cycle", NO_PREFIX, {1, 1}, false, HTMT__IN_CYCLES},
    {HTMT__OPERATION, "cycles", NO_PREFIX, {1, 1}, false, HTMT__IN_CYCLES},
    {HTMT__OPERATION, "cycle/#", NO_PREFIX, {1, 1}, false, HTMT__IN_CYCLES},
    {HTMT__OPERATION, "cycles/#", NO_PREFIX, {1, 1}, false, HTMT__IN_CYCLES},
    {HTMT__OPERATION, "#/cycle", NO_PREFIX, {1, 1}, true, HTMT__IN_CYCLES},
    {HTMT__CYCLES, "cycle", NO_PREFIX, {1, 1}, false, HTMT__IN_CYCLES},
    {HTMT__CYCLES, "cycles", NO_PREFIX, {1, 1}, false, HTMT__IN_CYCLES},
    {HTMT__OPERATIONS, "#", NO_PREFIX, {1, 1}, false, HTMT__PER_ITEM}};

#define COUNT_OF(table) (sizeof(table) / sizeof(table)[0])

static const char *const expected[] = {
    [HTMT__COUNT] = "a whole number without a unit such as '128'",
    [HTMT__SHARE] = "a number such as '0.88' or '88 %'",
    [HTMT__FREQUENCY] = "a rate such as '256 GHz'",
    [HTMT__SIZE] = "a size such as '1 MiB' or '32 Mword'",
    [HTMT__RATE] = "a rate such as '10 Gword/s' or '512 GB/s'",
    [HTMT__TIME] = "a time such as '85 ns'",
    [HTMT__ACCESS] = "an access time such as '0.97 ns/word' or '7 cycles at 450 MHz'",
    [HTMT__OPERATION] = "a time an operation such as '3 ps', '2 cycles' or '1 op/cycle'",
    [HTMT__CYCLES] = "a number of cycles such as '140500 cycles'",
    [HTMT__OPERATIONS] = "a number of operations such as '200 flop'"};

struct request {
    const char *text;
    enum htmt__dimension dimension;
    const char *noun;
    char *why;
    size_t room;
};

static int refuse(const struct request *q, int code)
{
    snprintf(q->why, q->room, "found '%.60s', expected %s", q->text, expected[q->dimension]);
    return code;
}

static int refuse_value(const struct request *q, const char *what)
{
    snprintf(q->why, q->room, "found '%.60s', %s", q->text, what);
    return HTMT_ERANGE;
}

struct number {
    uint64_t mantissa;
    int exponent10;
    int digits;
    bool overflow;
};

static void take_digit(struct number *n, char digit, bool fraction)
{
    n->digits++;
    if (__builtin_mul_overflow(n->mantissa, 10, &n->mantissa) ||
        __builtin_add_overflow(n->mantissa, (uint64_t)(digit - '0'), &n->mantissa))
        n->overflow = true;
    n->exponent10 -= fraction;
}

static const char *take_digits(const char *at, struct number *n, bool fraction)
{
    for (; isdigit((unsigned char)*at); at++)
        take_digit(n, *at, fraction);
    return at;
}

/* "e9", "E-3"; a letter that no digit follows is left for the unit. */
static const char *take_exponent(const char *at, struct number *n)
{
    const char *digits = at + 1;
    if (*at != 'e' && *at != 'E')
        return at;
    bool negative = *digits == '-';
    digits += *digits == '-' || *digits == '+';
    if (!isdigit((unsigned char)*digits))
        return at;
    int exponent = 0;
    for (; isdigit((unsigned char)*digits); digits++)
        exponent = exponent < 10000 ? exponent * 10 + (*digits - '0') : exponent;
    n->exponent10 += negative ? -exponent : exponent;
    return digits;
}

/* The number at *at; *at then stands on the unit. */
static int take_number(const struct request *q, const char **at, struct htmt_ratio *value)
{
    struct number n = {0};
    const char *p = *at;
    bool negative = *p == '-';
    p = take_digits(p + negative, &n, false);
    if (*p == '.')
        p = take_digits(p + 1, &n, true);
    if (n.digits == 0)
        return refuse(q, HTMT_EFORMAT);
    p = take_exponent(p, &n);
    if (negative)
        return refuse_value(q, "expected no negative value");
    bool far = n.exponent10 > EXPONENT_MAX || n.exponent10 < -EXPONENT_MAX;
    if (n.overflow || (n.mantissa && far) ||
        htmt_ratio_decimal(n.mantissa, n.mantissa ? n.exponent10 : 0, value))
        return refuse_value(q, "which is too large or has too many digits");
    while (*p == ' ')
        p++;
    *at = p;
    return 0;
}

static bool prefix_fits(const struct prefix *prefix, enum prefixes set)
{
    return (set == PARTS && prefix->parts) || (set == MULTIPLES && prefix->multiples) ||
           (set == SIZES && !prefix->parts);
}

/* The unit's name with its noun in place; false when the unit needs a noun and there is none. */
static bool spell(const char *name, const char *noun, char *text, size_t room)
{
    const char *mark = strchr(name, '#');
    if (mark && !noun)
        return false;
    int before = mark ? (int)(mark - name) : (int)strlen(name);
    int length =
        snprintf(text, room, "%.*s%s%s", before, name, mark ? noun : "", mark ? mark + 1 : "");
    return length >= 0 && (size_t)length < room;
}

/* The prefix before `name` in `text`: 0 none, i > 0 entry i - 1 of the table, -1 no match. */
static int match_prefix(const char *text, const char *name, enum prefixes set)
{
    if (strcmp(text, name) == 0)
        return 0;
    for (size_t i = 0; i < COUNT_OF(prefix_table); i++) {
        size_t length = strlen(prefix_table[i].text);
        if (prefix_fits(&prefix_table[i], set) &&
            strncmp(text, prefix_table[i].text, length) == 0 && strcmp(text + length, name) == 0)
            return (int)i + 1;
    }
    return -1;
}

static int match_unit(const struct unit *unit, const char *noun, const char *text)
{
    const char *const noun_list[] = {noun, noun ? "op" : NULL};
    for (size_t i = 0; i < COUNT_OF(noun_list); i++) {
        char name[40];
        if (!spell(unit->name, noun_list[i], name, sizeof name))
            continue;
        int prefix = match_prefix(text, name, unit->prefixes);
        if (prefix >= 0)
            return prefix;
    }
    return -1;
}

static int apply_prefix(int prefix, struct htmt_ratio *value)
{
    if (prefix == 0)
        return 0;
    const struct prefix *p = &prefix_table[prefix - 1];
    struct htmt_ratio factor = {UINT64_C(1) << p->exponent2, 1};
    int rc = p->exponent2 ? 0 : htmt_ratio_decimal(1, p->exponent10, &factor);
    return rc ? rc : htmt_ratio_mul(*value, factor, value);
}

static int apply_unit(const struct request *q, const struct unit *unit, int prefix,
                      struct htmt_ratio value, struct htmt__quantity *out)
{
    out->basis = unit->basis;
    if (value.num == 0) {
        out->value = value;
        return 0;
    }
    struct htmt_ratio factor = unit->factor;
    int rc = apply_prefix(prefix, unit->inverse ? &value : &factor);
    if (!rc)
        rc = unit->inverse ? htmt_ratio_div(factor, value, &out->value)
                           : htmt_ratio_mul(value, factor, &out->value);
    return rc ? refuse_value(q, "which is too large or too fine to be held exactly") : 0;
}

static int read_simple(const struct request *q, struct htmt__quantity *out)
{
    const char *at = q->text;
    struct htmt_ratio value;
    int rc = take_number(q, &at, &value);
    if (rc)
        return rc;
    for (size_t i = 0; i < COUNT_OF(unit_table); i++) {
        if (unit_table[i].dimension != q->dimension)
            continue;
        int prefix = match_unit(&unit_table[i], q->noun, at);
        if (prefix >= 0)
            return apply_unit(q, &unit_table[i], prefix, value, out);
    }
    return refuse(q, HTMT_EUNIT);
}

/* "7 cycles at 450 MHz": fs of one access. */
static int read_clocked(const struct request *q, const char *clock_text, struct htmt__quantity *out)
{
    struct htmt__quantity clock;
    struct request part = *q;
    part.text = clock_text;
    part.dimension = HTMT__FREQUENCY;
    int rc = read_simple(&part, &clock);
    if (rc)
        return refuse(q, rc);
    const char *at = q->text;
    struct htmt_ratio time;
    rc = take_number(q, &at, &time);
    if (rc)
        return rc;
    if (strncmp(at, "cycles at ", 10) != 0 && strncmp(at, "cycle at ", 9) != 0)
        return refuse(q, HTMT_EUNIT);
    rc = htmt_ratio_mul(time, (struct htmt_ratio){FS_PER_S, 1}, &time);
    if (!rc)
        rc = htmt_ratio_div(time, clock.value, &time);
    if (rc)
        return refuse_value(q, "which is too large or too fine to be held exactly");
    *out = (struct htmt__quantity){time, HTMT__PER_ITEM};
    return 0;
}

static int check_whole(const struct request *q, const struct htmt__quantity *quantity)
{
    if (quantity->value.den == 1)
        return 0;
    switch (q->dimension) {
    case HTMT__COUNT:
    case HTMT__OPERATIONS:
        return refuse_value(q, "expected a whole number");
    case HTMT__SIZE:
        return refuse_value(q, "expected a whole number of 8-byte words");
    case HTMT__TIME:
        return refuse_value(q, "expected a whole number of femtoseconds");
    default:
        return 0;
    }
}

int htmt__quantity_read(const char *text, enum htmt__dimension dimension, const char *noun,
                        struct htmt__quantity *out, char *why, size_t room)
{
    struct request q = {text, dimension, noun, why, room};
    struct htmt__quantity quantity;
    const char *clock = dimension == HTMT__ACCESS ? strstr(text, " at ") : NULL;
    int rc = clock ? read_clocked(&q, clock + 4, &quantity) : read_simple(&q, &quantity);
    if (!rc)
        rc = check_whole(&q, &quantity);
    if (!rc)
        *out = quantity;
    return rc;
}
