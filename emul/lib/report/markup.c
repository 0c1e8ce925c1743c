/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names come from command lines, machine files and results of other people. A format is markup
 * written here; what it inserts is text, which cannot end an attribute or begin a tag whatever it
 * holds.
 */
#include "emul/lib/report/markup.h"

#include "runtime/base/printable.h"

#include <stdarg.h>
#include <string.h>

enum { LONGEST = 4000 };

void htmt__markup_lines(FILE *out, const char *text)
{
    for (; *text; text++) {
        const char *name = *text == '<'    ? "&lt;"
                           : *text == '>'  ? "&gt;"
                           : *text == '&'  ? "&amp;"
                           : *text == '"'  ? "&quot;"
                           : *text == '\'' ? "&#39;"
                                           : NULL;
        if (name)
            fputs(name, out);
        else
            fputc(*text, out);
    }
}

void htmt__markup_text(FILE *out, const char *text)
{
    char plain[LONGEST];
    htmt_printable(text, plain, sizeof plain);
    htmt__markup_lines(out, plain);
}

void htmt__markup(FILE *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    while (*format) {
        if (*format != '%') {
            fputc(*format++, out);
            continue;
        }
        size_t length = strcspn(format + 1, "sdufg%") + 2;
        switch (format[length - 1]) {
        case 's':
            htmt__markup_text(out, va_arg(args, const char *));
            break;
        case 'd':
            fprintf(out, "%d", va_arg(args, int));
            break;
        case 'u':
            fprintf(out, "%u", va_arg(args, unsigned));
            break;
        case '%':
            fputc('%', out);
            break;
        case 'g':
            fprintf(out, "%.17g", va_arg(args, double));
            break;
        default:
            fprintf(out, "%.2f", va_arg(args, double));
        }
        format += length;
    }
    va_end(args);
}

static void put_row(FILE *out, const char *cell, unsigned left, unsigned count,
                    const char *const *cells)
{
    fputs("<tr>", out);
    for (unsigned i = 0; i < count; i++) {
        fprintf(out, "<%s%s>", cell, i < left ? "" : " class=\"n\"");
        htmt__markup_text(out, cells[i]);
        fprintf(out, "</%s>", cell);
    }
    fputs("</tr>\n", out);
}

void htmt__markup_row(FILE *out, unsigned left, unsigned count, const char *const *cells)
{
    put_row(out, "td", left, count, cells);
}

void htmt__markup_table(FILE *out, const char *caption, unsigned left, unsigned count,
                        const char *const *heads)
{
    fputs("<div class=\"wide\"><table><caption>", out);
    htmt__markup_text(out, caption);
    fputs("</caption>\n<thead>", out);
    put_row(out, "th", left, count, heads);
    fputs("</thead><tbody>\n", out);
}

void htmt__markup_table_end(FILE *out)
{
    fputs("</tbody></table></div>\n", out);
}
