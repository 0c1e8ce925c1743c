/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps the command from printing: what goes to standard output is lost, and so is what goes to
 * standard error, but for the last line.
 */
#ifndef HTMT_EMUL_LIB_TEXT_SILENCE_H
#define HTMT_EMUL_LIB_TEXT_SILENCE_H

#include <stdio.h>

struct htmt__silence {
    FILE *out, *err; /* stdout and stderr as they were; NULL: they stayed */
    size_t length;
    char line[1000]; /* the last one, without its end; cut off if it is longer */
};

/* Without memory for it the streams stay as they are. `silence` stays where it is until the end. */
void htmt__silence_begin(struct htmt__silence *silence);

/* Puts both back; `line` stays. */
void htmt__silence_end(struct htmt__silence *silence);

#endif
