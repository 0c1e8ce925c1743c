/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The width of a page for people, and text broken at blanks into lines.
 */
#ifndef HTMT_EMUL_LIB_TEXT_PAGE_H
#define HTMT_EMUL_LIB_TEXT_PAGE_H

#include <stddef.h>
#include <stdio.h>

#define HTMT__TEXT_WIDTH 98 /* columns when nothing says more */

/* Columns for what is written to this file descriptor: the number in the environment's COLUMNS,
 * else HTMT__TEXT_WIDTH or those of a narrower terminal; at least 40, at most 400. */
int htmt__text_width(int fd);

/* The same for this stream. Standard output and standard error stand for their descriptors, also
 * while another stream is in their place (emul/lib/text/sink.h). */
int htmt__text_width_of(FILE *out);

/* Length of the first line of the text: at most `room`, broken at a blank if there is one after the
 * indentation, else behind a dot, slash or comma if one is in its last two thirds. */
size_t htmt__text_line(const char *text, size_t room);

/* Prints text from column `column` up to `width`, without a newline at the end; the cursor is at
 * column `at`. Returns the new column of the cursor. */
int htmt__text_print(FILE *out, int at, int column, int width, const char *text);

#endif
