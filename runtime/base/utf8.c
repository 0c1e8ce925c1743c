/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A character of UTF-8 is 1 to 4 bytes: the first says how many, the others begin with the bits 10.
 * The shortest form of a code counts alone, and halves of UTF-16 pairs are no characters; so each
 * text has one spelling, and what is refused here cannot be another name of what was checked.
 */
#include "runtime/base/utf8.h"

#include <stdint.h>

unsigned htmt__utf8_character(const char *text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)text;
    const unsigned first = at[0];
    const unsigned bytes = first < 0x80         ? 1
                           : first >> 5 == 0x06 ? 2
                           : first >> 4 == 0x0e ? 3
                           : first >> 3 == 0x1e ? 4
                                                : 0;
    uint32_t code = bytes > 1 ? first & (0x7fu >> bytes) : first;
    for (unsigned k = 1; k < bytes; k++) {
        if (at[k] >> 6 != 2)
            return 0;
        code = code << 6 | (at[k] & 0x3f);
    }
    const bool half = code >= 0xd800 && code < 0xe000;
    return bytes && code >= least[bytes] && code <= 0x10ffff && !half ? bytes : 0;
}

bool htmt__utf8_valid(const char *text)
{
    unsigned bytes = 1;
    for (; *text && bytes; text += bytes)
        bytes = htmt__utf8_character(text);
    return bytes != 0;
}

void htmt__utf8_repair(char *text)
{
    while (*text) {
        unsigned bytes = htmt__utf8_character(text);
        if (!bytes)
            *text = '?';
        text += bytes ? bytes : 1;
    }
}
