/* SPDX-License-Identifier: BSD-3-Clause
 *
 * File names are bytes; what JSON and pictures show is UTF-8.
 */
#ifndef HTMT_RUNTIME_BASE_UTF8_H
#define HTMT_RUNTIME_BASE_UTF8_H

#include <stdbool.h>

/* Bytes of the character at `text`, 1 to 4; 0: there is none. */
unsigned htmt__utf8_character(const char *text);

bool htmt__utf8_valid(const char *text);

/* Put '?' in the place of each byte that belongs to no character. */
void htmt__utf8_repair(char *text);

#endif
