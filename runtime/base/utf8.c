/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/utf8.h"

#include <stdint.h>

static unsigned promised(unsigned char first)
{
    if (first < 0x80)
        return 1;
    return first >> 5 == 0x06 ? 2 : first >> 4 == 0x0e ? 3 : first >> 3 == 0x1e ? 4 : 0;
}

/* The shortest form counts; halves of UTF-16 pairs are no characters. */
static bool is_code(uint32_t code, unsigned bytes)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    return code >= least[bytes] && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000);
}

unsigned htmt__utf8_character(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    unsigned bytes = promised(at[0]);
    uint32_t code = bytes > 1 ? at[0] & (0x7fu >> bytes) : at[0];
    for (unsigned k = 1; k < bytes; k++) {
        if (at[k] >> 6 != 2)
            return 0;
        code = code << 6 | (at[k] & 0x3f);
    }
    return bytes && is_code(code, bytes) ? bytes : 0;
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
