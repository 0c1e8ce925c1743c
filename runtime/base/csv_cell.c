/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/csv_cell.h"

#include <stdlib.h>
#include <string.h>

/* The begin of a formula, but not a number such as "-0.5". */
static bool is_formula(const char *text)
{
    char *end = NULL;
    if (!*text || !strchr("=+-@\t\r", *text))
        return false;
    (void)strtod(text, &end);
    return end == text || *end;
}

static bool is_quoted(const char *text)
{
    return strpbrk(text, ",\"\r\n") != NULL;
}

size_t htmt__csv_cell(const char *text, bool quoted, char *out)
{
    char *at = out;
    quoted |= is_quoted(text);
    if (quoted)
        *at++ = '"';
    if (is_formula(text))
        *at++ = '\'';
    for (; *text; text++) {
        if (*text == '"')
            *at++ = '"';
        *at++ = *text;
    }
    if (quoted)
        *at++ = '"';
    *at = '\0';
    return (size_t)(at - out);
}

void htmt__csv_put(FILE *out, const char *text, bool quoted)
{
    quoted |= is_quoted(text);
    fputs(quoted ? "\"" : "", out);
    fputs(is_formula(text) ? "'" : "", out);
    for (; *text; text++)
        fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
    fputs(quoted ? "\"" : "", out);
}
