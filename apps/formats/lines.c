/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/formats/lines.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT 9007199254740992.0 /* 2^53: integers beyond are not all doubles */

void htmt__lines_clear(struct htmt__lines *l)
{
    free(l->line);
    l->line = l->at = NULL;
    l->length = l->room = 0;
}

int htmt__lines_refuse(const struct htmt__lines *l, int code, const char *found,
                       const char *expected)
{
    const uintptr_t column = (uintptr_t)found - (uintptr_t)l->line;
    char at[24] = "";
    if (column > 0 && column <= l->length)
        snprintf(at, sizeof at, ":%zu", (size_t)column + 1);
    if (*at && !*found)
        return htmt_fault_set(l->fault, code,
                              "%s:%" PRIu64 "%s: found the end of the line, expected %s", l->path,
                              l->number, at, expected);
    return htmt_fault_set(l->fault, code, "%s:%" PRIu64 "%s: found \"%.60s\", expected %s", l->path,
                          l->number, at, found, expected);
}

/* Room for one character more and the end. */
static bool fits(struct htmt__lines *l)
{
    if (l->length + 2 <= l->room)
        return true;
    size_t room = l->room ? 2 * l->room : 256;
    char *line = realloc(l->line, room);
    if (!line)
        return false;
    l->line = line;
    l->room = room;
    return true;
}

static int too_long(const struct htmt__lines *l)
{
    char expected[64];
    snprintf(expected, sizeof expected, "lines shorter than %zu characters", l->most);
    return htmt__lines_refuse(l, HTMT_EFORMAT, l->line, expected);
}

int htmt__lines_next(struct htmt__lines *l)
{
    int c, behind;
    l->length = 0;
    while ((c = getc_unlocked(l->in)) != EOF && c != '\n' && c != '\r' && l->length < l->most) {
        if (!fits(l))
            return htmt_fault_set(l->fault, HTMT_ENOMEM, "%s: no memory to read it", l->path);
        l->line[l->length++] = (char)c;
    }
    if (!fits(l))
        return htmt_fault_set(l->fault, HTMT_ENOMEM, "%s: no memory to read it", l->path);
    l->line[l->length] = '\0';
    l->at = l->line;
    if (c == '\r' && (behind = getc_unlocked(l->in)) != '\n' && behind != EOF)
        ungetc(behind, l->in);
    if (ferror(l->in))
        return htmt_fault_set(l->fault, HTMT_EIO, "%s: cannot read: %s", l->path, strerror(errno));
    if (c == EOF && !l->length)
        return 1;
    l->number++;
    if (memchr(l->line, '\0', l->length))
        return htmt__lines_refuse(l, HTMT_EFORMAT, l->line, "text without zero bytes");
    return l->length == l->most ? too_long(l) : 0;
}

int htmt__lines_next_data(struct htmt__lines *l)
{
    int rc;
    do
        rc = htmt__lines_next(l);
    while (!rc && ((l->line[0] && strchr(l->comment, l->line[0])) || htmt__lines_ended(l)));
    return rc;
}

bool htmt__lines_ended(struct htmt__lines *l)
{
    l->at += strspn(l->at, " \t");
    return !*l->at;
}

int htmt__lines_end(struct htmt__lines *l)
{
    return htmt__lines_ended(l) ? 0
                                : htmt__lines_refuse(l, HTMT_EFORMAT, l->at, "the end of the line");
}

int htmt__lines_count(struct htmt__lines *l, const char *expected, uint64_t *out)
{
    if (htmt__lines_ended(l) || !isdigit((unsigned char)*l->at))
        return htmt__lines_refuse(l, HTMT_EFORMAT, l->line, expected);
    for (*out = 0; isdigit((unsigned char)*l->at); l->at++)
        if (__builtin_mul_overflow(*out, UINT64_C(10), out) ||
            __builtin_add_overflow(*out, (uint64_t)(*l->at - '0'), out))
            return htmt__lines_refuse(l, HTMT_ERANGE, l->line, "numbers of at most 64 bits");
    if (*l->at && !isspace((unsigned char)*l->at))
        return htmt__lines_refuse(l, HTMT_EFORMAT, l->line, expected);
    return 0;
}

/* Most values are short whole numbers, of which strtod() makes the same. */
static double value_of(const char *at, char **end)
{
    const char *start = at + strspn(at, " \t");
    int digits = 0;
    double value = 0;
    for (; digits < 15 && isdigit((unsigned char)start[digits]); digits++)
        value = 10 * value + (start[digits] - '0');
    *end = (char *)start + digits;
    return digits && (!**end || isspace((unsigned char)**end)) ? value : strtod(at, end);
}

int htmt__lines_value(struct htmt__lines *l, bool integer, double *out)
{
    char *end;
    l->at += strspn(l->at, " \t");
    *out = value_of(l->at, &end);
    if (end == l->at || (*end && !isspace((unsigned char)*end)))
        return htmt__lines_refuse(l, HTMT_EFORMAT, l->at, "a number");
    if (!isfinite(*out))
        return htmt__lines_refuse(l, HTMT_EFORMAT, l->at, "a finite number");
    if (integer && (*out != trunc(*out) || fabs(*out) > EXACT))
        return htmt__lines_refuse(l, HTMT_EFORMAT, l->at, "an integer of at most 2^53");
    l->at = end;
    return 0;
}
