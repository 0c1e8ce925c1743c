/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/text/wrap.h"

#include <string.h>

size_t htmt__text_line(const char *text, size_t room)
{
    size_t length = strlen(text);
    if (length <= room)
        return length;
    for (size_t i = room; i > strspn(text, " "); i--)
        if (text[i] == ' ')
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
