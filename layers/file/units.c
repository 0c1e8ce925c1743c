/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A quantity is a decimal number and a unit; a unit is a prefix and a name of the dimension's own
 * rows. The text is taken apart in one way; exact quantities never pass through floating point.
 *
 * "10 Gword/s" as HTMT_UNIT_RATE: the digits are the ratio 10 / 1; the unit's row says that the
 * dimension counts 1e15 / value, since a rate is held as fs a word; the prefix makes the value
 * 1e10. So the quantity is 1e15 / 1e10 = 1e5 fs. "3 Gword/s" is 1e6 / 3 fs, which no binary
 * fraction holds.
 */
#include "layers/file/units.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(table) (sizeof(table) / sizeof(table)[0])
#define FS_PER_S        HTMT_SECOND
#define WORD_BYTES      8
#define EXPONENT_MOST   40    /* of an exact number: beyond it nothing fits 64 bits */
#define EXPONENT_CAP    10000 /* beyond it nothing is a double */
#define DIGITS_MOST     80    /* characters of the digits of a double */

/* ---- units ---------------------------------------------------------------------------------- */

struct prefix {
    const char *text;
    int exponent10, exponent2;
};

static const struct prefix prefix_table[] = {
    {"f", -15, 0}, {"p", -12, 0}, {"n", -9, 0},  {"u", -6, 0},  {"m", -3, 0},
    {"c", -2, 0},  {"k", 3, 0},   {"M", 6, 0},   {"G", 9, 0},   {"T", 12, 0},
    {"P", 15, 0},  {"Ki", 0, 10}, {"Mi", 0, 20}, {"Gi", 0, 30}, {"Ti", 0, 40}};

#define NONE      ""
#define PARTS     "fpnum"
#define MULTIPLES "kMGTP"
#define SIZES     "kMGTPi" /* i: and the binary ones */
#define PHYSICAL  "kMGT"

struct unit {
    enum htmt_dimension dimension;
    const char *name;         /* '#' stands for the operation's noun, or "op" */
    const char *prefixes;     /* what may stand before it */
    struct htmt_ratio factor; /* of an exact one: to the unit of the dimension */
    bool inverse;             /* the dimension counts factor / value */
    enum htmt_basis basis;
    int exponent10; /* of a double: to the unit of the dimension */
    bool degrees;
};

static const struct unit unit_table[] = {
    {HTMT_UNIT_COUNT, "", NONE, .factor = {1, 1}},
    {HTMT_UNIT_SHARE, "", NONE, .factor = {1, 1}},
    {HTMT_UNIT_SHARE, "%", NONE, .factor = {1, 100}},
    {HTMT_UNIT_FREQUENCY, "Hz", MULTIPLES, .factor = {1, 1}},
    {HTMT_UNIT_SIZE, "word", SIZES, .factor = {1, 1}},
    {HTMT_UNIT_SIZE, "words", SIZES, .factor = {1, 1}},
    {HTMT_UNIT_SIZE, "B", SIZES, .factor = {1, WORD_BYTES}},
    {HTMT_UNIT_SIZE, "byte", NONE, .factor = {1, WORD_BYTES}},
    {HTMT_UNIT_SIZE, "bytes", NONE, .factor = {1, WORD_BYTES}},
    {HTMT_UNIT_RATE, "word/s", SIZES, .factor = {FS_PER_S, 1}, .inverse = true},
    {HTMT_UNIT_RATE, "words/s", SIZES, .factor = {FS_PER_S, 1}, .inverse = true},
    {HTMT_UNIT_RATE, "B/s", SIZES, .factor = {FS_PER_S * WORD_BYTES, 1}, .inverse = true},
    {HTMT_UNIT_RATE, "bytes/s", NONE, .factor = {FS_PER_S * WORD_BYTES, 1}, .inverse = true},
    {HTMT_UNIT_TIME, "s", PARTS, .factor = {FS_PER_S, 1}},
    {HTMT_UNIT_ACCESS, "s/word", PARTS, .factor = {FS_PER_S, 1}, .basis = HTMT_PER_WORD},
    {HTMT_UNIT_ACCESS, "s/access", PARTS, .factor = {FS_PER_S, 1}},
    {HTMT_UNIT_OPERATION, "s", PARTS, .factor = {FS_PER_S, 1}},
    {HTMT_UNIT_OPERATION, "s/#", PARTS, .factor = {FS_PER_S, 1}},
    {HTMT_UNIT_OPERATION, "cycle", NONE, .factor = {1, 1}, .basis = HTMT_IN_CYCLES},
    {HTMT_UNIT_OPERATION, "cycles", NONE, .factor = {1, 1}, .basis = HTMT_IN_CYCLES},
    {HTMT_UNIT_OPERATION, "cycle/#", NONE, .factor = {1, 1}, .basis = HTMT_IN_CYCLES},
    {HTMT_UNIT_OPERATION, "cycles/#", NONE, .factor = {1, 1}, .basis = HTMT_IN_CYCLES},
    {HTMT_UNIT_OPERATION, "#/cycle", NONE, {1, 1}, .inverse = true, .basis = HTMT_IN_CYCLES},
    {HTMT_UNIT_CYCLES, "cycle", NONE, .factor = {1, 1}, .basis = HTMT_IN_CYCLES},
    {HTMT_UNIT_CYCLES, "cycles", NONE, .factor = {1, 1}, .basis = HTMT_IN_CYCLES},
    {HTMT_UNIT_OPERATIONS, "#", NONE, .factor = {1, 1}},
    {HTMT_UNIT_BYTES, "B", SIZES, .factor = {1, 1}},
    {HTMT_UNIT_BYTES, "byte", NONE, .factor = {1, 1}},
    {HTMT_UNIT_BYTES, "bytes", NONE, .factor = {1, 1}},
    {HTMT_UNIT_BYTES, "word", SIZES, .factor = {WORD_BYTES, 1}},
    {HTMT_UNIT_BYTES, "words", SIZES, .factor = {WORD_BYTES, 1}},
    {HTMT_UNIT_BUFFER, "B", SIZES, .factor = {1, 1}},
    {HTMT_UNIT_BUFFER, "byte", NONE, .factor = {1, 1}},
    {HTMT_UNIT_BUFFER, "bytes", NONE, .factor = {1, 1}},
    {HTMT_UNIT_BUFFER, "word", SIZES, .factor = {WORD_BYTES, 1}},
    {HTMT_UNIT_BUFFER, "words", SIZES, .factor = {WORD_BYTES, 1}},
    {HTMT_UNIT_BUFFER, "packet", NONE, .factor = {1, 1}, .basis = HTMT_IN_PACKETS},
    {HTMT_UNIT_BUFFER, "packets", NONE, .factor = {1, 1}, .basis = HTMT_IN_PACKETS},
    {HTMT_UNIT_BYTE_RATE, "B/s", SIZES, .factor = {FS_PER_S, 1}, .inverse = true},
    {HTMT_UNIT_BYTE_RATE, "bytes/s", NONE, .factor = {FS_PER_S, 1}, .inverse = true},
    {HTMT_UNIT_BYTE_RATE, "word/s", SIZES, {FS_PER_S / WORD_BYTES, 1}, .inverse = true},
    {HTMT_UNIT_BYTE_RATE, "words/s", SIZES, {FS_PER_S / WORD_BYTES, 1}, .inverse = true},
    {HTMT_UNIT_BYTE_RATE, "s/B", PARTS, .factor = {FS_PER_S, 1}},
    {HTMT_UNIT_BYTE_RATE, "s/word", PARTS, .factor = {FS_PER_S / WORD_BYTES, 1}},
    {HTMT_UNIT_BYTE_TIME, "s/B", PARTS, .factor = {FS_PER_S, 1}},
    {HTMT_UNIT_BYTE_TIME, "s/word", PARTS, .factor = {FS_PER_S / WORD_BYTES, 1}},
    {HTMT_UNIT_BYTE_CYCLES, "B/cycle", NONE, {1, 1}, .inverse = true, .basis = HTMT_IN_CYCLES},
    {HTMT_UNIT_BYTE_CYCLES, "B/s", SIZES, .factor = {FS_PER_S, 1}, .inverse = true},
    {HTMT_UNIT_BANDWIDTH, "B/s", SIZES, .factor = {1, 1}},
    {HTMT_UNIT_NUMBER, "", NONE, .exponent10 = 0},
    {HTMT_UNIT_HERTZ, "Hz", PHYSICAL, .exponent10 = 0},
    {HTMT_UNIT_HERTZ_PER_SECOND, "Hz/s", PHYSICAL, .exponent10 = 0},
    {HTMT_UNIT_HERTZ_PER_SECOND, "MHz/us", NONE, .exponent10 = 12},
    {HTMT_UNIT_SECONDS, "s", PARTS, .exponent10 = 0},
    {HTMT_UNIT_METRES, "m", "kcmu", .exponent10 = 0},
    {HTMT_UNIT_METRES_PER_SECOND, "m/s", "k", .exponent10 = 0},
    {HTMT_UNIT_RADIANS, "rad", "m", .exponent10 = 0},
    {HTMT_UNIT_RADIANS, "deg", NONE, .degrees = true}};

static const char *const expected[] = {
    [HTMT_UNIT_COUNT] = "a whole number without a unit such as '128'",
    [HTMT_UNIT_SHARE] = "a number such as '0.88' or '88 %'",
    [HTMT_UNIT_FREQUENCY] = "a rate such as '256 GHz'",
    [HTMT_UNIT_SIZE] = "a size such as '1 MiB' or '32 Mword'",
    [HTMT_UNIT_RATE] = "a rate such as '10 Gword/s' or '512 GB/s'",
    [HTMT_UNIT_TIME] = "a time such as '85 ns'",
    [HTMT_UNIT_ACCESS] = "an access time such as '0.97 ns/word' or '7 cycles at 450 MHz'",
    [HTMT_UNIT_OPERATION] = "a time an operation such as '3 ps', '2 cycles' or '1 op/cycle'",
    [HTMT_UNIT_CYCLES] = "a number of cycles such as '140500 cycles'",
    [HTMT_UNIT_OPERATIONS] = "a number of operations such as '200 flop'",
    [HTMT_UNIT_NUMBER] = "a number such as '0.88'",
    [HTMT_UNIT_HERTZ] = "a frequency such as '5.3 GHz'",
    [HTMT_UNIT_HERTZ_PER_SECOND] = "a chirp rate such as '-7.2e11 Hz/s'",
    [HTMT_UNIT_SECONDS] = "a time such as '41.75 us'",
    [HTMT_UNIT_METRES] = "a length such as '988.6 km'",
    [HTMT_UNIT_METRES_PER_SECOND] = "a speed such as '7062 m/s'",
    [HTMT_UNIT_RADIANS] = "an angle such as '90 deg'",
    [HTMT_UNIT_BYTES] = "a size such as '120 B' or '2 KiB'",
    [HTMT_UNIT_BUFFER] = "a size such as '2 KiB' or '2 packet'",
    [HTMT_UNIT_BYTE_RATE] = "a rate such as '160 MB/s'",
    [HTMT_UNIT_BYTE_TIME] = "a time a byte such as '0.1 us/B'",
    [HTMT_UNIT_BYTE_CYCLES] = "a rate such as '2 B/cycle' or '700 MB/s'",
    [HTMT_UNIT_BANDWIDTH] = "a rate such as '6.68 GB/s'"};

const char *htmt_unit_name(enum htmt_dimension dimension)
{
    for (size_t i = 0; i < COUNT_OF(unit_table); i++)
        if (unit_table[i].dimension == dimension)
            return unit_table[i].name;
    return "";
}

struct request {
    const char *text;
    enum htmt_dimension dimension;
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

/* Whether `text` is the name, in which `noun` stands for '#'. */
static bool is_name(const char *name, const char *noun, const char *text)
{
    const size_t before = strcspn(name, "#");
    if (strncmp(text, name, before) != 0)
        return false;
    if (!name[before])
        return !text[before];
    const size_t length = strlen(noun);
    return strncmp(text + before, noun, length) == 0 &&
           strcmp(text + before + length, name + before + 1) == 0;
}

/* Whether `text` is the unit, behind one of its prefixes or behind none. "s/#" has the noun in the
 * place of '#', or "op"; a unit that needs a noun does not fit without one. */
static bool match_unit(const struct unit *unit, const char *noun, const char *text,
                       struct prefix *prefix)
{
    const char *const noun_list[] = {noun ? noun : "", noun ? "op" : NULL};
    const bool needs_noun = strchr(unit->name, '#') != NULL;
    for (size_t i = 0; i < (needs_noun ? COUNT_OF(noun_list) : 1); i++) {
        if (needs_noun && !noun)
            break;
        *prefix = (struct prefix){"", 0, 0};
        if (is_name(unit->name, noun_list[i], text))
            return true;
        for (size_t p = 0; *unit->prefixes && p < COUNT_OF(prefix_table); p++) {
            *prefix = prefix_table[p];
            const size_t head = strlen(prefix->text);
            if (strncmp(text, prefix->text, head) == 0 &&
                strchr(unit->prefixes, prefix->exponent2 ? 'i' : prefix->text[0]) &&
                is_name(unit->name, noun_list[i], text + head))
                return true;
        }
    }
    return false;
}

static const struct unit *find_unit(const struct request *q, const char *text,
                                    struct prefix *prefix)
{
    for (size_t i = 0; i < COUNT_OF(unit_table); i++)
        if (unit_table[i].dimension == q->dimension &&
            match_unit(&unit_table[i], q->noun, text, prefix))
            return &unit_table[i];
    return NULL;
}

/* ---- numbers -------------------------------------------------------------------------------- */

/* "-12.5e3 GHz": sign, digits and exponent as written, and where the unit begins. */
struct number {
    char sign; /* '-', '+' or 0 */
    unsigned digits, fraction;
    uint64_t mantissa;
    bool overflow; /* of the mantissa */
    int exponent;
    const char *end; /* of the digits */
    const char *unit;
};

static const char *take_digits(const char *at, struct number *n, bool fraction)
{
    for (; isdigit((unsigned char)*at); at++) {
        n->digits++;
        n->fraction += fraction;
        if (__builtin_mul_overflow(n->mantissa, 10, &n->mantissa) ||
            __builtin_add_overflow(n->mantissa, (uint64_t)(*at - '0'), &n->mantissa))
            n->overflow = true;
    }
    return at;
}

/* false: the text does not begin with a number. An 'e' that no digit follows is left for the unit.
 */
static bool take_number(const char *text, struct number *n)
{
    *n = (struct number){.sign = *text == '-' || *text == '+' ? *text : 0};
    n->end = take_digits(text + (n->sign != 0), n, false);
    if (*n->end == '.')
        n->end = take_digits(n->end + 1, n, true);
    if (!n->digits)
        return false;
    n->unit = n->end;
    const bool letter = *n->end == 'e' || *n->end == 'E';
    const char sign = letter ? n->end[1] : 0;
    const char *power = n->end + 1 + (sign == '-' || sign == '+');
    if (letter && isdigit((unsigned char)*power)) {
        for (; isdigit((unsigned char)*power); power++)
            n->exponent =
                n->exponent < EXPONENT_CAP ? n->exponent * 10 + (*power - '0') : n->exponent;
        n->exponent = sign == '-' ? -n->exponent : n->exponent;
        n->unit = power;
    }
    while (*n->unit == ' ')
        n->unit++;
    return true;
}

/* ---- exact ---------------------------------------------------------------------------------- */

/* The number at the start of the text; *unit then stands on the unit. */
static int take_exact(const struct request *q, const char **unit, struct htmt_ratio *value)
{
    struct number n;
    if (!take_number(q->text, &n) || n.sign == '+')
        return refuse(q, HTMT_EFORMAT);
    if (n.sign)
        return refuse_value(q, "expected no negative value");
    long exponent = (long)n.exponent - (long)n.fraction;
    bool far = exponent > EXPONENT_MOST || exponent < -EXPONENT_MOST;
    if (n.overflow || (n.mantissa && far) ||
        htmt_ratio_decimal(n.mantissa, n.mantissa ? (int)exponent : 0, value))
        return refuse_value(q, "which is too large or has too many digits");
    *unit = n.unit;
    return 0;
}

/* A number and a unit. The dimension counts value * factor, or factor / value of an inverse unit: 2
 * GB/s is 8e15 / 2e9 = 4e6 fs a word. A prefix makes the value of an inverse unit greater, else the
 * factor. Zero stays zero in either. */
static int read_simple(const struct request *q, struct htmt_quantity *out)
{
    const char *name;
    struct prefix prefix;
    struct htmt_ratio value, scale = {1, 1};
    int rc = take_exact(q, &name, &value);
    if (rc)
        return rc;
    const struct unit *unit = find_unit(q, name, &prefix);
    if (!unit)
        return refuse(q, HTMT_EUNIT);
    *out = (struct htmt_quantity){value, unit->basis};
    if (value.num == 0)
        return 0;
    struct htmt_ratio factor = unit->factor, *scaled = unit->inverse ? &value : &factor;
    if (prefix.exponent2)
        scale.num = UINT64_C(1) << prefix.exponent2;
    else
        rc = htmt_ratio_decimal(1, prefix.exponent10, &scale);
    if (!rc)
        rc = htmt_ratio_mul(*scaled, scale, scaled);
    if (!rc)
        rc = unit->inverse ? htmt_ratio_div(factor, value, &out->value)
                           : htmt_ratio_mul(value, factor, &out->value);
    return rc ? refuse_value(q, "which is too large or too fine to be held exactly") : 0;
}

/* "7 cycles at 450 MHz": fs of one access. */
static int read_clocked(const struct request *q, const char *clock_text, struct htmt_quantity *out)
{
    struct htmt_quantity clock;
    struct request part = *q;
    part.text = clock_text;
    part.dimension = HTMT_UNIT_FREQUENCY;
    int rc = read_simple(&part, &clock);
    if (rc)
        return refuse(q, rc);
    const char *at;
    struct htmt_ratio time;
    rc = take_exact(q, &at, &time);
    if (rc)
        return rc;
    if (strncmp(at, "cycles at ", 10) != 0 && strncmp(at, "cycle at ", 9) != 0)
        return refuse(q, HTMT_EUNIT);
    rc = htmt_ratio_mul(time, (struct htmt_ratio){FS_PER_S, 1}, &time);
    if (!rc)
        rc = htmt_ratio_div(time, clock.value, &time);
    if (rc)
        return refuse_value(q, "which is too large or too fine to be held exactly");
    *out = (struct htmt_quantity){time, HTMT_PER_ITEM};
    return 0;
}

static int check_whole(const struct request *q, const struct htmt_quantity *quantity)
{
    if (quantity->value.den == 1)
        return 0;
    switch (q->dimension) {
    case HTMT_UNIT_COUNT:
    case HTMT_UNIT_OPERATIONS:
        return refuse_value(q, "expected a whole number");
    case HTMT_UNIT_BYTES:
    case HTMT_UNIT_BUFFER:
        return refuse_value(q, "expected a whole number of bytes");
    case HTMT_UNIT_SIZE:
        return refuse_value(q, "expected a whole number of 8-byte words");
    case HTMT_UNIT_TIME:
        return refuse_value(q, "expected a whole number of femtoseconds");
    default:
        return 0;
    }
}

int htmt_quantity_read(const char *text, enum htmt_dimension dimension, const char *noun,
                       struct htmt_quantity *out, char *why, size_t room)
{
    struct request q = {text, dimension, noun, why, room};
    struct htmt_quantity quantity;
    const char *clock = dimension == HTMT_UNIT_ACCESS ? strstr(text, " at ") : NULL;
    int rc = clock ? read_clocked(&q, clock + 4, &quantity) : read_simple(&q, &quantity);
    if (!rc)
        rc = check_whole(&q, &quantity);
    if (!rc)
        *out = quantity;
    return rc;
}

/* ---- doubles -------------------------------------------------------------------------------- */

int htmt_quantity_double(const char *text, enum htmt_dimension dimension, double *out, char *why,
                         size_t room)
{
    struct request q = {text, dimension, NULL, why, room};
    struct number n;
    struct prefix prefix;
    char digits[DIGITS_MOST + 16];
    if (!take_number(text, &n) || n.end - text > DIGITS_MOST)
        return refuse(&q, HTMT_EFORMAT);
    const struct unit *unit = find_unit(&q, n.unit, &prefix);
    if (!unit)
        return refuse(&q, HTMT_EUNIT);
    /* One decimal number, so that it is rounded once. */
    snprintf(digits, sizeof digits, "%.*se%d", (int)(n.end - text), text,
             n.exponent + prefix.exponent10 + unit->exponent10);
    double x = strtod(digits, NULL);
    if (!isfinite(x))
        return refuse_value(&q, "which is too large");
    *out = unit->degrees ? x * (M_PI / 180) : x;
    return 0;
}
