/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Four significant digits: 1.234, 12.34, 123.4 with a prefix, so that columns of a table are alike
 * and nobody reads noise as figures. A value whose digits round up to 1000 takes the next prefix:
 * 999.96 us is 1.000 ms. Units other than the second have no prefixes below 1, since nobody counts
 * milliwords.
 */
#include "emul/lib/text/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char prefixes[][2] = {"f", "p", "n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
enum { SMALLEST = -5, LARGEST = 6 }; /* powers of 1000 */

/* A value that rounds to 1000 with four digits takes the next prefix. */
static int power_of(double magnitude)
{
    int power = (int)floor(log10(magnitude) / 3);
    double scaled = magnitude / pow(1000, power);
    if (scaled >= 999.95)
        power++;
    return scaled < 0.99995 ? power - 1 : power;
}

struct htmt__number htmt__format_si(double value, const char *unit)
{
    struct htmt__number out;
    double magnitude = fabs(value);
    int power = magnitude > 0 && isfinite(value) ? power_of(magnitude) : 0;
    if (!isfinite(value)) {
        snprintf(out.s, sizeof out.s, "-");
    } else if (power < 0 && strcmp(unit, "s") != 0) { /* "0.5 words", not "500 mwords" */
        snprintf(out.s, sizeof out.s, "%.4g %s", value, unit);
    } else if (power < SMALLEST || power > LARGEST) {
        snprintf(out.s, sizeof out.s, "%.3e %s", value, unit);
    } else if (power == 0 && value == floor(value)) {
        snprintf(out.s, sizeof out.s, "%.0f %s", value, unit);
    } else {
        double scaled = value / pow(1000, power); /* in [1, 1000), four significant digits */
        int behind = fabs(scaled) < 9.9995 ? 3 : fabs(scaled) < 99.995 ? 2 : 1;
        snprintf(out.s, sizeof out.s, "%.*f %s%s", behind, scaled, prefixes[power - SMALLEST],
                 unit);
    }
    size_t length = strlen(out.s);
    if (length && out.s[length - 1] == ' ')
        out.s[length - 1] = '\0';
    return out;
}

struct htmt__number htmt__format_fs(htmt_wide fs)
{
    return htmt__format_si((double)fs / (double)HTMT_SECOND, "s");
}

struct htmt__number htmt__format_count(uint64_t n)
{
    struct htmt__number out;
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, n);
    char *to = out.s;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return out;
}

struct htmt__number htmt__format_share(double share)
{
    struct htmt__number out;
    bool tiny = share > 0 && share < 0.0005;
    if (!isfinite(share))
        snprintf(out.s, sizeof out.s, "-");
    else
        snprintf(out.s, sizeof out.s, tiny ? "<0.1 %%" : "%.1f %%", 100 * share);
    return out;
}

struct htmt__number htmt__format_hash(uint64_t hash)
{
    struct htmt__number out;
    snprintf(out.s, sizeof out.s, "%016" PRIx64, hash);
    return out;
}
