/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Streams that take the place of standard output and standard error, and give it back.
 */
#ifndef HTMT_EMUL_LIB_TEXT_SINK_H
#define HTMT_EMUL_LIB_TEXT_SINK_H

#include <stdio.h>

/* For names out of files and other text that nobody here has written: a terminal shows control
 * characters as "\xNN" instead of obeying them. */
struct htmt__sink {
    FILE *out, *err; /* stdout and stderr as they were; NULL: they stayed */
};

/* Without memory for it the streams stay as they are. Called before anything is printed. */
void htmt__sink_open(struct htmt__sink *sink);
void htmt__sink_close(struct htmt__sink *sink);

/* Keeps the command from printing: what goes to standard output is lost, and so is what goes to
 * standard error, but for the last line. */
struct htmt__silence {
    FILE *out, *err; /* as above */
    size_t length;
    char line[1000]; /* the last one, without its end; cut off if it is longer */
};

/* Without memory for it the streams stay as they are. `silence` stays where it is until the end. */
void htmt__silence_begin(struct htmt__silence *silence);

/* Puts both back; `line` stays. */
void htmt__silence_end(struct htmt__silence *silence);

#endif
