/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* fopencookie */
#include "emul/lib/text/silence.h"

#include <string.h>

static ssize_t lose(void *cookie, const char *text, size_t length)
{
    (void)cookie;
    (void)text;
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

static FILE *replace(FILE **stream, void *cookie, cookie_write_function_t *write, int buffering)
{
    FILE *before = *stream;
    FILE *f = fopencookie(cookie, "w", (cookie_io_functions_t){.write = write});
    if (!f)
        return NULL;
    setvbuf(f, NULL, buffering, BUFSIZ);
    *stream = f;
    return before;
}

void htmt__silence_begin(struct htmt__silence *silence)
{
    silence->length = 0;
    silence->line[0] = '\0';
    silence->out = replace(&stdout, NULL, lose, _IOFBF);
    silence->err = replace(&stderr, silence, keep_line, _IOLBF);
}

static void restore(FILE **stream, FILE **before)
{
    if (!*before)
        return;
    fclose(*stream);
    *stream = *before;
    *before = NULL;
}

void htmt__silence_end(struct htmt__silence *silence)
{
    restore(&stdout, &silence->out);
    restore(&stderr, &silence->err);
}
