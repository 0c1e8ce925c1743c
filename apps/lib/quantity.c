/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Physical quantities of parameter files. layers/file/units.h is exact and knows what a machine is
 * made of; these are signed doubles of what physics is made of. A decimal prefix moves the exponent
 * of the text before it becomes a double, so that "18.962468 MHz" is the double nearest to
 * 18962468.
 */
#include "apps/lib/parameters.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX   80   /* characters of a number */
#define EXPONENT_MAX 1000 /* beyond it nothing is a double */

struct unit {
    enum htmt__parameter_kind kind;
    const char *name;
    int exponent10;
    bool degrees;
};

static const struct unit units[] = {
    {HTMT__NUMBER, "", 0, false},
    {HTMT__HERTZ, "Hz", 0, false},
    {HTMT__HERTZ, "kHz", 3, false},
    {HTMT__HERTZ, "MHz", 6, false},
    {HTMT__HERTZ, "GHz", 9, false},
    {HTMT__HERTZ, "THz", 12, false},
    {HTMT__HERTZ_PER_SECOND, "Hz/s", 0, false},
    {HTMT__HERTZ_PER_SECOND, "kHz/s", 3, false},
    {HTMT__HERTZ_PER_SECOND, "MHz/s", 6, false},
    {HTMT__HERTZ_PER_SECOND, "GHz/s", 9, false},
    {HTMT__HERTZ_PER_SECOND, "THz/s", 12, false},
    {HTMT__HERTZ_PER_SECOND, "MHz/us", 12, false},
    {HTMT__SECONDS, "s", 0, false},
    {HTMT__SECONDS, "ms", -3, false},
    {HTMT__SECONDS, "us", -6, false},
    {HTMT__SECONDS, "ns", -9, false},
    {HTMT__SECONDS, "ps", -12, false},
    {HTMT__SECONDS, "fs", -15, false},
    {HTMT__METRES, "m", 0, false},
    {HTMT__METRES, "km", 3, false},
    {HTMT__METRES, "cm", -2, false},
    {HTMT__METRES, "mm", -3, false},
    {HTMT__METRES, "um", -6, false},
    {HTMT__METRES_PER_SECOND, "m/s", 0, false},
    {HTMT__METRES_PER_SECOND, "km/s", 3, false},
    {HTMT__RADIANS, "rad", 0, false},
    {HTMT__RADIANS, "mrad", -3, false},
    {HTMT__RADIANS, "deg", 0, true},
};

static const char *const expected[] = {
    [HTMT__NUMBER] = "a number such as '0.88'",
    [HTMT__HERTZ] = "a frequency such as '5.3 GHz'",
    [HTMT__HERTZ_PER_SECOND] = "a chirp rate such as '-7.2e11 Hz/s'",
    [HTMT__SECONDS] = "a time such as '41.75 us'",
    [HTMT__METRES] = "a length such as '988.6 km'",
    [HTMT__METRES_PER_SECOND] = "a speed such as '7062 m/s'",
    [HTMT__RADIANS] = "an angle such as '90 deg'",
};

const char *htmt__parameter_unit(enum htmt__parameter_kind kind)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (units[i].kind == kind)
            return units[i].name;
    return "";
}

static const char *skip_digits(const char *at)
{
    while (isdigit((unsigned char)*at))
        at++;
    return at;
}

/* The mantissa "-12.5" at the start of text: where it ends; NULL: there is none. */
static const char *skip_mantissa(const char *text)
{
    const char *first = text + (*text == '-' || *text == '+'), *at = skip_digits(first);
    ptrdiff_t digits = at - first;
    if (*at == '.') {
        const char *fraction = at + 1;
        at = skip_digits(fraction);
        digits += at - fraction;
    }
    return digits ? at : NULL;
}

/* "e9", "E-3" at `at`; a letter that no digit follows is left for the unit. */
static const char *take_exponent(const char *at, int *exponent)
{
    *exponent = 0;
    if (*at != 'e' && *at != 'E')
        return at;
    const char *sign = at + 1, *digits = sign + (*sign == '-' || *sign == '+');
    const char *end = skip_digits(digits);
    if (end == digits)
        return at;
    for (const char *p = digits; p < end && *exponent < EXPONENT_MAX; p++)
        *exponent = 10 * *exponent + (*p - '0');
    if (*sign == '-')
        *exponent = -*exponent;
    return end;
}

static const struct unit *find_unit(enum htmt__parameter_kind kind, const char *name)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (units[i].kind == kind && strcmp(units[i].name, name) == 0)
            return &units[i];
    return NULL;
}

static int refuse(int code, const char *text, enum htmt__parameter_kind kind, char *why,
                  size_t room)
{
    snprintf(why, room, "found '%.60s', expected %s", text, expected[kind]);
    return code;
}

/* mantissa x 10^exponent, rounded once. */
static double scale(const char *text, size_t mantissa, int exponent)
{
    char number[NUMBER_MAX + 16];
    snprintf(number, sizeof number, "%.*se%d", (int)mantissa, text, exponent);
    return strtod(number, NULL);
}

int htmt__parameter_quantity(const char *text, enum htmt__parameter_kind kind, double *value,
                             char *why, size_t room)
{
    int exponent;
    const char *end = skip_mantissa(text);
    if (!end || end - text > NUMBER_MAX)
        return refuse(HTMT_EFORMAT, text, kind, why, room);
    const char *name = take_exponent(end, &exponent);
    while (*name == ' ')
        name++;
    const struct unit *unit = find_unit(kind, name);
    if (!unit)
        return refuse(HTMT_EUNIT, text, kind, why, room);
    double x = scale(text, (size_t)(end - text), exponent + unit->exponent10);
    if (!isfinite(x)) {
        snprintf(why, room, "found '%.60s', which is too large", text);
        return HTMT_ERANGE;
    }
    *value = unit->degrees ? x * (M_PI / 180) : x;
    return 0;
}
