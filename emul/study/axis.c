/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/study/axis.h"

#include "layers/file/units.h"
#include "runtime/base/array.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUES_MOST 100000u
#define VALUE_TEXT  96

static int refuse(const char *where, const struct htmt__axis *a, const char *found,
                  const char *expected, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_EUSAGE, "%s %s: found '%.60s', expected %s", where, a->name,
                          found, expected);
}

static int add_value(struct htmt__axis *a, size_t *room, size_t *number_room, const char *text)
{
    char *end;
    if (!htmt__array_fits(&a->text, room, a->count + 1u, sizeof *a->text) ||
        !htmt__array_fits(&a->number, number_room, a->count + 1u, sizeof *a->number))
        return HTMT_ENOMEM;
    if (!(a->text[a->count] = strdup(text)))
        return HTMT_ENOMEM;
    const double x = strtod(text, &end);
    a->number[a->count++] = end == text ? (double)NAN : x;
    return 0;
}

static bool is_factor(const char *text)
{
    char *end;
    (void)strtod(text, &end);
    return end != text && strcmp(end, "x") == 0;
}

/* One end of a range: a number, and what stands behind it without the blanks between. */
static bool read_end(const char *text, size_t length, double *x, char unit[32])
{
    char copy[VALUE_TEXT], *end;
    if (!length || length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    *x = strtod(copy, &end);
    while (isspace((unsigned char)*end))
        end++;
    snprintf(unit, 32, "%s", end);
    return end != copy && isfinite(*x);
}

/* "1 ps..10 ps:log5", "0.5x..2x:5", "1024..8192:4", or without the number of values. Both ends have
 * one unit. Factors have equal quotients, so that half and twice are as far from 1. What is whole
 * at both ends, and has no unit, is whole between them. */
static int read_range(const char *where, const char *text, const char *dots, struct htmt__axis *a,
                      struct htmt_fault *fault)
{
    static const char form[] = "a range such as 1 ps..10 ps:5, 1 ps..10 ps:log5 or 0.5x..2x:5";
    const char *colon = strchr(dots, ':'), *count = colon ? colon + 1 : NULL;
    char unit[32], other[32], value[VALUE_TEXT], *end;
    size_t room = 0, number_room = 0;
    unsigned long n = 0;
    int rc = 0;
    if (!read_end(text, (size_t)(dots - text), &a->least, unit) ||
        !read_end(dots + 2, colon ? (size_t)(colon - dots - 2) : strlen(dots + 2), &a->most, other))
        return refuse(where, a, text, form, fault);
    if (strcmp(unit, other) != 0)
        return refuse(where, a, text, "one unit at both ends", fault);
    a->factors = strcmp(unit, "x") == 0;
    a->logarithmic = a->factors || (count && strncmp(count, "log", 3) == 0);
    if (a->least >= a->most || (a->logarithmic && a->least <= 0))
        return refuse(where, a, text,
                      a->logarithmic ? "an end that is above 0, then a larger one"
                                     : "the smaller end first",
                      fault);
    if (!count) {
        a->sampled = true;
        return a->factors ? 0 : refuse(where, a, text, form, fault);
    }
    count += strncmp(count, "log", 3) == 0 ? 3 : 0;
    n = isdigit((unsigned char)*count) ? strtoul(count, &end, 10) : 0;
    if (!n || *end || n < 2 || n > VALUES_MOST)
        return refuse(where, a, text, "a number of values from 2 to 100000 behind the colon",
                      fault);
    const bool whole = !*unit && a->least == floor(a->least) && a->most == floor(a->most);
    for (unsigned long i = 0; i < n && !rc; i++) {
        const double share = (double)i / (double)(n - 1);
        double x = a->logarithmic ? a->least * pow(a->most / a->least, share)
                                  : a->least + (a->most - a->least) * share;
        x = i == 0 ? a->least : i == n - 1 ? a->most : whole ? floor(x + 0.5) : x;
        snprintf(value, sizeof value, "%.9g%s%s", x, *unit && !a->factors ? " " : "", unit);
        rc = add_value(a, &room, &number_room, value);
    }
    return rc ? htmt_fault_set(fault, rc, "out of memory for an axis") : 0;
}

/* A number that nothing stands behind. */
static bool is_bare(const char *text)
{
    char *end;
    (void)strtod(text, &end);
    return end != text && !*end;
}

/* "13,26,52": all of them are factors, or none; all numbers have a unit, or none. */
static int read_list(const char *where, char *text, struct htmt__axis *a, struct htmt_fault *fault)
{
    size_t room = 0, number_room = 0;
    unsigned factors = 0, bare = 0, numbers = 0;
    for (char *rest = text, *word; (word = strsep(&rest, ","));) {
        while (isspace((unsigned char)*word))
            word++;
        if (!*word)
            return refuse(where, a, text, "values with commas between them, none of them empty",
                          fault);
        for (unsigned i = 0; i < a->count; i++)
            if (strcmp(a->text[i], word) == 0)
                return refuse(where, a, word, "each value once", fault);
        if (a->count == VALUES_MOST)
            return refuse(where, a, word, "at most 100000 values", fault);
        if (add_value(a, &room, &number_room, word))
            return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for an axis");
        factors += is_factor(word);
    }
    a->factors = a->kind == HTMT__AXIS_FIGURE && factors;
    if (a->kind == HTMT__AXIS_COSTS && factors)
        return refuse(where, a, text, "values: only figures of the machine have factors", fault);
    if (a->factors && factors < a->count)
        return refuse(where, a, a->text[factors], "factors such as 0.5x alone, or none", fault);
    for (unsigned i = 0; i < a->count && a->factors; i++)
        if (a->number[i] <= 0)
            return refuse(where, a, a->text[i], "a factor above 0", fault);
    for (unsigned i = 0; i < a->count; i++) {
        numbers += isnan(a->number[i]) ? 0 : 1;
        bare += is_bare(a->text[i]);
    }
    for (unsigned i = 0; i < a->count && a->kind == HTMT__AXIS_FIGURE && bare < numbers; i++)
        if (is_bare(a->text[i]))
            return refuse(where, a, a->text[i], "a unit, which other values have", fault);
    return 0;
}

int htmt__axis_read(const char *where, const char *given, struct htmt__axis *a,
                    struct htmt_fault *fault)
{
    static const struct {
        const char *prefix;
        enum htmt__axis_kind kind;
        bool each;
    } prefixes[] = {{"costs:", HTMT__AXIS_COSTS, false},
                    {"opt:", HTMT__AXIS_OPTION, false},
                    {"each:", HTMT__AXIS_FIGURE, true}};
    const bool machines = strncmp(given, "machine:", 8) == 0;
    const char *equals = strchr(given, machines ? ':' : '='), *dots;
    *a = (struct htmt__axis){.kind = machines ? HTMT__AXIS_MACHINE : HTMT__AXIS_FIGURE};
    if (!equals || equals == given || !equals[1])
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "%s: found '%.80s', expected KEY=VALUES or machine:NAME,..", where,
                              given);
    if ((size_t)(equals - given) >= sizeof a->name)
        return htmt_fault_set(fault, HTMT_EUSAGE, "%s: the key of '%.80s' is too long", where,
                              given);
    memcpy(a->name, given, (size_t)(equals - given));
    for (unsigned i = 0; i < sizeof prefixes / sizeof *prefixes && !machines; i++)
        if (strncmp(a->name, prefixes[i].prefix, strlen(prefixes[i].prefix)) == 0) {
            a->kind = prefixes[i].kind;
            a->each = prefixes[i].each;
            a->key_at = strlen(prefixes[i].prefix);
        }
    if (!*htmt__axis_key(a))
        return htmt_fault_set(fault, HTMT_EUSAGE, "%s: found '%.80s', expected a key behind '%s'",
                              where, given, a->name);
    char *text = strdup(equals + 1);
    if (!text)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for an axis");
    dots = machines ? NULL : strstr(text, "..");
    int rc = dots && (isdigit((unsigned char)*text) || *text == '-')
                 ? read_range(where, text, dots, a, fault)
                 : read_list(where, text, a, fault);
    free(text);
    if (!rc && a->factors && a->kind != HTMT__AXIS_FIGURE)
        rc =
            refuse(where, a, equals + 1, "values: only figures of the machine have factors", fault);
    if (!rc && a->each && !a->factors)
        rc =
            refuse(where, a, equals + 1, "factors such as 0.5x for each of several figures", fault);
    return rc;
}

int htmt__axis_range(const char *where, const char *key, const char *range, struct htmt__axis *a,
                     struct htmt_fault *fault)
{
    char given[320];
    snprintf(given, sizeof given, "%s=%s", key, range);
    int rc = htmt__axis_read(where, given, a, fault);
    return rc || a->sampled ? rc : refuse(where, a, range, "a range such as 0.8x..1.5x", fault);
}

int htmt__axis_copy(const struct htmt__axis *axis, const char *key, struct htmt__axis *copy)
{
    size_t room = 0, number_room = 0;
    int rc = 0;
    *copy = *axis;
    copy->each = false;
    copy->count = 0;
    copy->text = NULL;
    copy->number = NULL;
    snprintf(copy->name, sizeof copy->name, "%s", key);
    copy->key_at = 0;
    for (unsigned i = 0; i < axis->count && !rc; i++)
        rc = add_value(copy, &room, &number_room, axis->text[i]);
    return rc;
}

void htmt__axis_fini(struct htmt__axis *a)
{
    for (unsigned i = 0; i < a->count; i++)
        free(a->text[i]);
    free(a->text);
    free(a->number);
    *a = (struct htmt__axis){.count = 0};
}

/* Some quantities are whole: femtoseconds, words, bytes, cycles. */
static const struct {
    enum htmt_dimension kind;
    const char *name;
} wholes[] = {{HTMT_UNIT_TIME, "fs"},
              {HTMT_UNIT_SIZE, "words"},
              {HTMT_UNIT_BYTES, "B"},
              {HTMT_UNIT_CYCLES, "cycles"}};

/* What is not is rounded to one. */
static bool round_to_whole(double y, const char *unit, char *out, size_t room)
{
    char text[64], why[200];
    struct htmt_quantity one, q;
    for (unsigned i = 0; i < sizeof wholes / sizeof *wholes; i++) {
        snprintf(text, sizeof text, "1%s", unit);
        if (htmt_quantity_read(text, wholes[i].kind, NULL, &one, why, sizeof why) ||
            one.value.den != 1 || one.basis != HTMT_PER_ITEM)
            continue;
        snprintf(text, sizeof text, "%.9g%s", y, unit);
        if (htmt_quantity_read(text, wholes[i].kind, NULL, &q, why, sizeof why) != HTMT_ERANGE)
            return false;
        snprintf(out, room, "%.0f %s", fmax(1, round(y * (double)one.value.num)), wholes[i].name);
        return true;
    }
    return false;
}

bool htmt__axis_scaled(const char *value, double factor, char *out, size_t room)
{
    char *unit;
    const double x = strtod(value, &unit);
    if (unit == value || !(x > 0) || !isfinite(x))
        return false;
    double y = x * factor;
    if (!*unit && x == floor(x) && x < 1e15)
        y = fmax(1, floor(y + 0.5));
    if (*unit && round_to_whole(y, unit, out, room))
        return true;
    const int n = snprintf(out, room, "%.9g%s", y, unit);
    return n > 0 && (size_t)n < room;
}

double htmt__axis_quotient(const char *scaled, const char *value)
{
    char *unit, *other, why[200];
    struct htmt_quantity a, b;
    const double x = strtod(scaled, &unit), y = strtod(value, &other);
    for (unsigned i = 0; i < sizeof wholes / sizeof *wholes && strcmp(unit, other) != 0; i++)
        if (!htmt_quantity_read(scaled, wholes[i].kind, NULL, &a, why, sizeof why) &&
            !htmt_quantity_read(value, wholes[i].kind, NULL, &b, why, sizeof why))
            return htmt_ratio_value(a.value) / htmt_ratio_value(b.value);
    return x / y;
}
