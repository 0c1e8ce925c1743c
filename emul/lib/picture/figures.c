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

static const struct htmt_figure *find(const struct htmt_machine *m, const char *key)
{
    for (uint32_t i = 0; i < m->figure_count; i++)
        if (strcmp(m->figure[i].key, key) == 0)
            return &m->figure[i];
    return NULL;
}

/* 0: none. */
static unsigned number_of(struct htmt__cited *f, const char *source)
{
    unsigned i = 0;
    while (i < f->sources && strcmp(f->source[i], source) != 0)
        i++;
    if (!*source || i == HTMT__SOURCES_MAX)
        return 0;
    if (i == f->sources)
        f->source[f->sources++] = source;
    return i + 1;
}

struct htmt__phrase htmt__figure(struct htmt__cited *figures, const char *format, ...)
{
    char key[sizeof((struct htmt_figure *)0)->key];
    struct htmt__phrase out = {""};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(key, sizeof key, format, arguments);
    va_end(arguments);
    const struct htmt_figure *figure = find(figures->machine, key);
    if (!figure || !strcmp(figure->value, NOT_MODELLED) || !strcmp(figure->value, "none"))
        return out;
    unsigned number = number_of(figures, figure->source);
    if (number)
        out = htmt__phrase("%s [%u]", figure->value, number);
    else
        out = htmt__phrase("%s", figure->value);
    return out;
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
