/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of files and parts of inputs stand in messages, and may hold anything: what a terminal
 * would obey, or what is no text at all. Such bytes are written as escapes; characters stay. A
 * piece of a longer text may end within a character, whose bytes then wait for the next piece.
 */
#include "runtime/base/printable.h"

#include "runtime/base/utf8.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Whether the text ends within the character at its start. */
static bool is_cut(const char *text, size_t length)
{
    unsigned char first = (unsigned char)*text;
    size_t bytes = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    for (size_t i = 1; i < bytes && i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return false;
    return bytes > length;
}

/* Characters that show nothing themselves and change how others are shown: marks, embeddings,
 * overrides and isolates of the direction of writing, separators of lines and paragraphs, the mark
 * of byte order, tags. A name with U+202E reads backward: "cod.exe" for "exe.doc". */
static bool is_format(const char *text, size_t bytes)
{
    static const struct {
        const char *first, *last;
    } ranges[] = {{"\xd8\x9c", "\xd8\x9c"},                  /* U+061C */
                  {"\xe2\x80\x8e", "\xe2\x80\x8f"},          /* U+200E, U+200F */
                  {"\xe2\x80\xa8", "\xe2\x80\xae"},          /* U+2028 .. U+202E */
                  {"\xe2\x81\xa6", "\xe2\x81\xa9"},          /* U+2066 .. U+2069 */
                  {"\xef\xbb\xbf", "\xef\xbb\xbf"},          /* U+FEFF */
                  {"\xf3\xa0\x80\x80", "\xf3\xa0\x81\xbf"}}; /* U+E0000 .. U+E007F */
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (bytes == strlen(ranges[i].first) && memcmp(text, ranges[i].first, bytes) >= 0 &&
            memcmp(text, ranges[i].last, bytes) <= 0)
            return true;
    return false;
}

/* Bytes of a character that may be printed, at `text`; 0: the first byte is to be escaped. */
static size_t printable(const char *text, size_t length)
{
    size_t bytes = is_cut(text, length) ? 0 : htmt__utf8_character(text);
    if (bytes == 1)
        return (unsigned char)*text >= ' ' && *text != '\x7f';
    bool is_c1 = bytes == 2 && text[0] == '\xc2' && (unsigned char)text[1] < 0xa0;
    return is_c1 || is_format(text, bytes) ? 0 : bytes;
}

static size_t escape(unsigned char byte, char escaped[HTMT_PRINTABLE_WIDEST + 1])
{
    return byte == '\n' ? (size_t)sprintf(escaped, "\\n")
                        : (size_t)sprintf(escaped, "\\x%02x", byte);
}

size_t htmt_printable(const char *text, char *out, size_t room)
{
    size_t length = strlen(text), n = 0;
    for (size_t at = 0; at < length;) {
        char escaped[HTMT_PRINTABLE_WIDEST + 1];
        size_t bytes = printable(text + at, length - at);
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

size_t htmt_printable_piece(const char *text, size_t length, char *out, size_t room, size_t *rest)
{
    size_t n = 0, at = 0;
    while (at < length && n + HTMT_PRINTABLE_WIDEST <= room) {
        char escaped[HTMT_PRINTABLE_WIDEST + 1];
        bool stays = text[at] == '\n' || text[at] == '\t';
        if (is_cut(text + at, length - at))
            break;
        size_t bytes = stays ? 1 : printable(text + at, length - at);
        size_t more = bytes ? bytes : escape((unsigned char)text[at], escaped);
        memcpy(out + n, bytes ? text + at : escaped, more);
        n += more;
        at += bytes ? bytes : 1;
    }
    *rest = length - at;
    return n;
}
