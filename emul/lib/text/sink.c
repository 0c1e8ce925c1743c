/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* fopencookie */
#include "emul/lib/text/sink.h"

#include "runtime/base/printable.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HELD = 3, PIECE = 4096 };

struct escaper {
    int fd;
    size_t held; /* bytes of a character whose end has not come yet */
    char text[HELD + PIECE];
};

static bool write_all(int fd, const char *text, size_t length)
{
    while (length) {
        ssize_t n = write(fd, text, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        text += n;
        length -= (size_t)n;
    }
    return true;
}

static bool write_piece(struct escaper *s, const char *text, size_t length)
{
    char plain[HTMT_PRINTABLE_WIDEST * (HELD + PIECE)];
    memcpy(s->text + s->held, text, length);
    length += s->held;
    size_t n = htmt_printable_piece(s->text, length, plain, sizeof plain, &s->held);
    memmove(s->text, s->text + length - s->held, s->held);
    return write_all(s->fd, plain, n);
}

static ssize_t write_text(void *cookie, const char *text, size_t length)
{
    size_t done = 0;
    while (done < length) {
        size_t piece = length - done < PIECE ? length - done : PIECE;
        if (!write_piece(cookie, text + done, piece))
            return 0;
        done += piece;
    }
    return (ssize_t)length;
}

static int close_escaper(void *cookie)
{
    free(cookie);
    return 0;
}

/* Returns the stream that was there; NULL: it stays. */
static FILE *replace(FILE **stream, int fd, bool by_lines)
{
    struct escaper *e = calloc(1, sizeof *e);
    FILE *before = *stream;
    FILE *f = e ? fopencookie(e, "w",
                              (cookie_io_functions_t){.write = write_text, .close = close_escaper})
                : NULL;
    if (!f) {
        free(e);
        return NULL;
    }
    e->fd = fd;
    setvbuf(f, NULL, by_lines ? _IOLBF : _IOFBF, BUFSIZ);
    *stream = f;
    return before;
}

static void restore(FILE **stream, FILE **before)
{
    if (!*before)
        return;
    fclose(*stream);
    *stream = *before;
    *before = NULL;
}

void htmt__sink_open(struct htmt__sink *sink)
{
    sink->out = replace(&stdout, STDOUT_FILENO, isatty(STDOUT_FILENO));
    sink->err = replace(&stderr, STDERR_FILENO, true);
}

void htmt__sink_close(struct htmt__sink *sink)
{
    restore(&stdout, &sink->out);
    restore(&stderr, &sink->err);
}
