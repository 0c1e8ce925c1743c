/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A stream whose text stays in memory. A lack of memory is an error of the stream; that of
 * open_memstream() cuts the text off and says nothing.
 *
 *     struct htmt__text text;
 *     FILE *out = htmt__text_open(&text);
 *     if (out)
 *         print(out);
 *     int rc = htmt__text_close(out, &text);
 *     ...
 *     free(text.at);
 */
#ifndef HTMT_RUNTIME_BASE_TEXT_STREAM_H
#define HTMT_RUNTIME_BASE_TEXT_STREAM_H

#include <stddef.h>
#include <stdio.h>

struct htmt__text {
    char *at; /* with a '\0' behind it */
    size_t length, room;
};

/* *t must stay where it is until the stream is closed. NULL: out of memory. */
FILE *htmt__text_open(struct htmt__text *t);

/* After this t->at belongs to the caller, who frees it; NULL after an error. A NULL stream is an
 * error, too. Errors: HTMT_ENOMEM. */
int htmt__text_close(FILE *stream, struct htmt__text *t);

#endif
