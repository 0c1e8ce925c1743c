/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Text in HTML and SVG. Whatever a name holds stays text: markup, quotes and control characters are
 * escaped. Errors of `out` stay in its ferror().
 */
#ifndef HTMT_EMUL_LIB_REPORT_MARKUP_H
#define HTMT_EMUL_LIB_REPORT_MARKUP_H

#include <stdio.h>

/* Text, also within an attribute's quotes. */
void htmt__markup_text(FILE *out, const char *text);

/* The same of text that is printable already; lines stay. */
void htmt__markup_lines(FILE *out, const char *text);

/* Prints the format, which is markup. It knows %s (escaped), %u, %d, %.2f, %.17g and %%. */
void htmt__markup(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A row of a table: cells of a body, those after the first `left` aligned to the right. */
void htmt__markup_row(FILE *out, unsigned left, unsigned count, const char *const *cells);
/* The beginning of a table with a caption, and its end. */
void htmt__markup_table(FILE *out, const char *caption, unsigned left, unsigned count,
                        const char *const *heads);
void htmt__markup_table_end(FILE *out);

#endif
