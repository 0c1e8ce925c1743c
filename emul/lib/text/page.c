/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/text/page.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST = 40, MOST = 400 };

int htmt__text_width(int fd)
{
    struct winsize terminal;
    const char *columns = getenv("COLUMNS");
    char *end = NULL;
    long width = columns ? strtol(columns, &end, 10) : 0;
    if (width <= 0 || *end)
        width = ioctl(fd, TIOCGWINSZ, &terminal) ? 0 : terminal.ws_col;
    if (width <= 0 || (!columns && width > HTMT__TEXT_WIDTH))
        return HTMT__TEXT_WIDTH;
    return width < LEAST ? LEAST : width > MOST ? MOST : (int)width;
}

int htmt__text_width_of(FILE *out)
{
    return htmt__text_width(out == stdout   ? STDOUT_FILENO
                            : out == stderr ? STDERR_FILENO
                                            : fileno(out));
}

size_t htmt__text_line(const char *text, size_t room)
{
    size_t length = strlen(text);
    if (length <= room)
        return length;
    for (size_t i = room; i > strspn(text, " "); i--)
        if (text[i] == ' ')
            return i;
    for (size_t i = room; i > room / 3; i--) /* one word: the key of a figure, or a path */
        if (strchr("./,", text[i - 1]))
            return i;
    return room;
}

int htmt__text_print(FILE *out, int at, int column, int width, const char *text)
{
    for (;;) {
        int length = (int)htmt__text_line(text, (size_t)(width - column));
        fprintf(out, "%*s%.*s", at < column ? column - at : 0, "", length, text);
        text += length;
        text += strspn(text, " ");
        if (!*text)
            return column + length;
        fputc('\n', out);
        at = 0;
    }
}
