/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Standard output and standard error of the command, for names out of files and other text that
 * nobody here has written: a terminal shows control characters as "\xNN" instead of obeying them.
 */
#ifndef HTMT_EMUL_LIB_TEXT_SINK_H
#define HTMT_EMUL_LIB_TEXT_SINK_H

#include <stdio.h>

struct htmt__sink {
    FILE *out, *err; /* stdout and stderr as they were; NULL: they stayed */
};

/* Puts a stream that escapes in the place of stdout and of stderr. If there is no memory for it,
 * they stay as they are. Called before anything is printed. */
void htmt__sink_open(struct htmt__sink *sink);

/* Puts both back. */
void htmt__sink_close(struct htmt__sink *sink);

#endif
