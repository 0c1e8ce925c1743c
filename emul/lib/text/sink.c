/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stdout and stderr are variables of glibc, so a stream of our own can take their place: all
 * printing of the command passes through it, wherever it is called. fopencookie() gives a stream
 * whose writes are functions here.
 */
#define _GNU_SOURCE /* fopencookie */
#include "emul/lib/text/sink.h"

#include "runtime/base/printable.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Puts a stream of these functions in the place of *stream and returns the one that was there;
 * NULL: it stays. */
static FILE *replace(FILE **stream, void *cookie, cookie_io_functions_t functions, int buffering)
{
    FILE *before = *stream, *f = fopencookie(cookie, "w", functions);
    if (!f)
        return NULL;
    setvbuf(f, NULL, buffering, BUFSIZ);
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

/* ---- escaping -------------------------------------------------------------------------------- */

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

/* A character of UTF-8 may be cut by the end of a piece: its first bytes wait for the next one. */
static ssize_t write_escaped(void *cookie, const char *text, size_t length)
{
    struct escaper *s = cookie;
    char plain[HTMT_PRINTABLE_WIDEST * (HELD + PIECE)];
    for (size_t done = 0; done < length;) {
        size_t piece = length - done < PIECE ? length - done : PIECE, all = s->held + piece;
        memcpy(s->text + s->held, text + done, piece);
        size_t n = htmt_printable_piece(s->text, all, plain, sizeof plain, &s->held);
        memmove(s->text, s->text + all - s->held, s->held);
        if (!write_all(s->fd, plain, n))
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

static FILE *escape(FILE **stream, int fd, bool by_lines)
{
    struct escaper *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->fd = fd;
    FILE *before =
        replace(stream, e, (cookie_io_functions_t){.write = write_escaped, .close = close_escaper},
                by_lines ? _IOLBF : _IOFBF);
    if (!before)
        free(e);
    return before;
}

void htmt__sink_open(struct htmt__sink *sink)
{
    sink->out = escape(&stdout, STDOUT_FILENO, isatty(STDOUT_FILENO));
    sink->err = escape(&stderr, STDERR_FILENO, true);
}

void htmt__sink_close(struct htmt__sink *sink)
{
    restore(&stdout, &sink->out);
    restore(&stderr, &sink->err);
}

/* ---- silence --------------------------------------------------------------------------------- */

static ssize_t lose(void *cookie, const char *text, size_t length)
{
    (void)cookie, (void)text;
    return (ssize_t)length;
}

/* The stream gives whole lines. */
static ssize_t keep_line(void *cookie, const char *text, size_t length)
{
    struct htmt__silence *s = cookie;
    size_t end = length && text[length - 1] == '\n' ? length - 1 : length, begin = end;
    while (begin && text[begin - 1] != '\n')
        begin--;
    s->length = end - begin < sizeof s->line ? end - begin : sizeof s->line - 1;
    memcpy(s->line, text + begin, s->length);
    s->line[s->length] = '\0';
    return (ssize_t)length;
}

void htmt__silence_begin(struct htmt__silence *silence)
{
    silence->length = 0;
    silence->line[0] = '\0';
    silence->out = replace(&stdout, NULL, (cookie_io_functions_t){.write = lose}, _IOFBF);
    silence->err = replace(&stderr, silence, (cookie_io_functions_t){.write = keep_line}, _IOLBF);
}

void htmt__silence_end(struct htmt__silence *silence)
{
    restore(&stdout, &silence->out);
    restore(&stderr, &silence->err);
}
