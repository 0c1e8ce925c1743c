/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/csv_cell.h"

#include <stdlib.h>
#include <string.h>

#define PIECE 256 /* bytes of a text that are printed at once */

/* The begin of a formula, but not a number such as "-0.5". */
static bool is_formula(const char *text)
{
    char *end = NULL;
    if (!*text || !strchr("=+-@\t\r", *text))
        return false;
    (void)strtod(text, &end);
    return end == text || *end;
}

/* What stands before the text: a quote, an apostrophe. */
static size_t begin(const char *text, bool *quoted, char out[static 2])
{
    size_t n = 0;
    *quoted |= strpbrk(text, ",\"\r\n") != NULL;
    if (*quoted)
        out[n++] = '"';
    if (is_formula(text))
        out[n++] = '\'';
    return n;
}

static size_t double_quotes(const char *text, size_t length, char *out)
{
    char *at = out;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"')
            *at++ = '"';
        *at++ = text[i];
    }
    return (size_t)(at - out);
}

size_t htmt__csv_cell(const char *text, bool quoted, char *out)
{
    size_t n = begin(text, &quoted, out);
    n += double_quotes(text, strlen(text), out + n);
    if (quoted)
        out[n++] = '"';
    out[n] = '\0';
    return n;
}

void htmt__csv_put(FILE *out, const char *text, bool quoted)
{
    char piece[2 * PIECE];
    fwrite(piece, 1, begin(text, &quoted, piece), out);
    for (size_t length; (length = strnlen(text, PIECE)); text += length)
        fwrite(piece, 1, double_quotes(text, length, piece), out);
    if (quoted)
        fputc('"', out);
}
