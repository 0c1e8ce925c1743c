/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Text that a terminal only prints: names and values out of files may hold bytes that move the
 * cursor, ring the bell, change the colours or the direction of writing. Such bytes become "\xNN".
 */
#ifndef HTMT_RUNTIME_BASE_PRINTABLE_H
#define HTMT_RUNTIME_BASE_PRINTABLE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Characters that one byte may need. */
#define HTMT_PRINTABLE_WIDEST 4

/* Copies text; control characters and bytes that are no UTF-8 become "\xNN", a newline "\n". `out`
 * ends with NUL. Characters that do not fit are left out. Returns the length of `out`. */
size_t htmt_printable(const char *text, char *out, size_t room);

/* The same for a piece of a stream: newlines and tabs stay, and `out` gets no NUL. `length` is at
 * most `room` / HTMT_PRINTABLE_WIDEST. A character that the end of the piece cuts off is left:
 * *rest gets its number of bytes, at most 3. Returns the length of `out`. */
size_t htmt_printable_piece(const char *text, size_t length, char *out, size_t room, size_t *rest);

#ifdef __cplusplus
}
#endif

#endif
