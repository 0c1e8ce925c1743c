/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/text/width.h"

#include <stdlib.h>
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
