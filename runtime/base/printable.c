/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/printable.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the UTF-8 character that begins with this byte; 0: none does. */
static size_t announced(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* The second byte excludes long forms, surrogates and what is beyond Unicode. */
static bool follows(unsigned char first, unsigned char second)
{
    unsigned char least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    return second >= least && second <= most;
}

/* Bytes of a character that may be printed, at `text`; 0: the first byte is to be escaped. `cut`:
 * the character may go on behind the end. */
static size_t printable(const char *text, size_t length, bool *cut)
{
    const unsigned char *t = (const unsigned char *)text;
    size_t bytes = announced(*t);
    *cut = false;
    if (bytes < 2)
        return bytes && *t >= ' ' ? 1 : 0;
    for (size_t i = 1; i < bytes; i++) {
        *cut = i == length;
        if (*cut || !(i == 1 ? follows(*t, t[1]) : (t[i] & 0xc0) == 0x80))
            return 0;
    }
    return *t == 0xc2 && t[1] < 0xa0 ? 0 : bytes; /* C1 controls */
}

static size_t escape(unsigned char byte, char escaped[HTMT__PRINTABLE_WIDEST + 1])
{
    return byte == '\n' ? (size_t)sprintf(escaped, "\\n")
                        : (size_t)sprintf(escaped, "\\x%02x", byte);
}

size_t htmt__printable(const char *text, char *out, size_t room)
{
    size_t length = strlen(text), n = 0;
    for (size_t at = 0; at < length;) {
        char escaped[HTMT__PRINTABLE_WIDEST + 1];
        bool cut;
        size_t bytes = printable(text + at, length - at, &cut);
        size_t more = bytes ? bytes : escape((unsigned char)text[at], escaped);
        if (n + more >= room)
            break;
        memcpy(out + n, bytes ? text + at : escaped, more);
        n += more;
        at += bytes ? bytes : 1;
    }
    out[n] = '\0';
    return n;
}

size_t htmt__printable_piece(const char *text, size_t length, char *out, size_t room, size_t *rest)
{
    size_t n = 0, at = 0;
    while (at < length && n + HTMT__PRINTABLE_WIDEST <= room) {
        char escaped[HTMT__PRINTABLE_WIDEST + 1];
        bool cut, stays = text[at] == '\n' || text[at] == '\t';
        size_t bytes = printable(text + at, length - at, &cut);
        if (cut)
            break;
        bytes = stays ? 1 : bytes;
        size_t more = bytes ? bytes : escape((unsigned char)text[at], escaped);
        memcpy(out + n, bytes ? text + at : escaped, more);
        n += more;
        at += bytes ? bytes : 1;
    }
    *rest = length - at;
    return n;
}
