/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures are shown as the machine file writes them, with a number for their source, as in a paper:
 * "500 MHz [1]". A source gets its number when it is first shown, so the list below the picture has
 * no source that is not used. Measuring how many lines a box needs must not count; it is done on a
 * copy.
 */
#include "emul/lib/picture/figures.h"

#include "emul/lib/text/format.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NOT_MODELLED "not-modelled"
#define EXACT        1024 /* larger counts of a unit are rounded to a larger unit */

struct htmt__phrase htmt__phrase(const char *format, ...)
{
    struct htmt__phrase out;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out.s, sizeof out.s, format, arguments);
    va_end(arguments);
    return out;
}

struct htmt__phrase htmt__figure(struct htmt__cited *f, const char *format, ...)
{
    const struct htmt_machine *m = f->machine;
    char key[sizeof((struct htmt_figure *)0)->key];
    unsigned i = 0, number = 0;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(key, sizeof key, format, arguments);
    va_end(arguments);
    while (i < m->figure_count && strcmp(m->figure[i].key, key) != 0)
        i++;
    const struct htmt_figure *figure = i < m->figure_count ? &m->figure[i] : NULL;
    if (!figure || !strcmp(figure->value, NOT_MODELLED) || !strcmp(figure->value, "none"))
        return (struct htmt__phrase){""};
    while (number < f->sources && strcmp(f->source[number], figure->source) != 0)
        number++;
    if (!*figure->source || number == HTMT__SOURCES_MAX)
        return htmt__phrase("%s", figure->value);
    if (number == f->sources)
        f->source[f->sources++] = figure->source;
    return htmt__phrase("%s [%u]", figure->value, number + 1);
}

/* ---- sums of figures ------------------------------------------------------------------------ */

/* "40.00 Gword/s" to "40 Gword/s". */
static void drop_zeros(char *text)
{
    char *point = strchr(text, '.'), *space = strchr(text, ' ');
    if (!point || !space)
        return;
    char *end = space;
    while (end[-1] == '0')
        end--;
    end -= end[-1] == '.';
    memmove(end, space, strlen(space) + 1);
}

static unsigned power_in(htmt_uwide *n, unsigned base, unsigned most)
{
    unsigned power = 0;
    while (power < most && *n && *n % base == 0) {
        *n /= base;
        power++;
    }
    return power;
}

struct htmt__phrase htmt__words_phrase(htmt_uwide words)
{
    static const char *const decimal[] = {"", "k", "M", "G", "T", "P", "E"};
    static const char *const binary[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    htmt_uwide tens = words, twos = words * HTMT_WORD;
    unsigned k = power_in(&tens, 1000, 6), ki = power_in(&twos, 1024, 6);
    struct htmt__phrase out;
    if (twos < EXACT && (ki > k || tens >= EXACT))
        return htmt__phrase("%llu %sB", (unsigned long long)twos, binary[ki]);
    if (tens < EXACT)
        return htmt__phrase("%llu %sword", (unsigned long long)tens, decimal[k]);
    out = htmt__phrase("%s", htmt__format_si((double)words, "word").s);
    drop_zeros(out.s);
    return out;
}

struct htmt__phrase htmt__rate_phrase(uint64_t channels, struct htmt_ratio word)
{
    struct htmt__phrase out = {""};
    if (!channels || !word.num)
        return out;
    double rate = (double)channels * (double)HTMT_SECOND / htmt_ratio_value(word);
    out = htmt__phrase("%s", htmt__format_si(rate, "word/s").s);
    drop_zeros(out.s);
    return out;
}
