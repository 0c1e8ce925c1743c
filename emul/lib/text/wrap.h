/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Text broken at blanks into lines.
 */
#ifndef HTMT_EMUL_LIB_TEXT_WRAP_H
#define HTMT_EMUL_LIB_TEXT_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* Length of the first line of the text: at most `room`, broken at a blank if there is one after the
 * indentation. */
size_t htmt__text_line(const char *text, size_t room);

/* Prints text from column `column` up to `width`, without a newline at the end; the cursor is at
 * column `at`. Returns the new column of the cursor. */
int htmt__text_print(FILE *out, int at, int column, int width, const char *text);

#endif
