/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/report/markup.h"

#include "runtime/base/printable.h"

#include <stdarg.h>
#include <string.h>

enum { LONGEST = 4000 };

static void put(FILE *out, char c)
{
    switch (c) {
    case '<':
        fputs("&lt;", out);
        break;
    case '>':
        fputs("&gt;", out);
        break;
    case '&':
        fputs("&amp;", out);
        break;
    case '"':
        fputs("&quot;", out);
        break;
    case '\'':
        fputs("&#39;", out);
        break;
    default:
        fputc(c, out);
    }
}

void htmt__markup_text(FILE *out, const char *text)
{
    char plain[LONGEST];
    htmt_printable(text, plain, sizeof plain);
    htmt__markup_lines(out, plain);
}

void htmt__markup_lines(FILE *out, const char *text)
{
    for (; *text; text++)
        put(out, *text);
}

/* One conversion of the format; returns what stands behind it. */
static const char *convert(FILE *out, const char *format, va_list *args)
{
    size_t length = strcspn(format + 1, "sdufg%") + 2;
    char kind = format[length - 1];
    if (kind == 's')
        htmt__markup_text(out, va_arg(*args, const char *));
    else if (kind == 'd')
        fprintf(out, "%d", va_arg(*args, int));
    else if (kind == 'u')
        fprintf(out, "%u", va_arg(*args, unsigned));
    else if (kind == '%')
        fputc('%', out);
    else
        fprintf(out, kind == 'g' ? "%.17g" : "%.2f", va_arg(*args, double));
    return format + length;
}

void htmt__markup(FILE *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    while (*format)
        if (*format == '%')
            format = convert(out, format, &args);
        else
            fputc(*format++, out);
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
