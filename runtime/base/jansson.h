/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What Jansson lacks: texts that are no UTF-8, and a lack of memory told from a mistake in the
 * text. Alone it may call the lack a mistake, or lose a character of a string or a number and call
 * the text read; errno, which it clears at numbers, does not always tell. So the text is read
 * twice.
 */
#ifndef HTMT_RUNTIME_BASE_JANSSON_H
#define HTMT_RUNTIME_BASE_JANSSON_H

#include <jansson.h>

/* Flags are those of json_loadb(). The caller gives *value to json_decref(); NULL after an error.
 * Errors: HTMT_ENOMEM, HTMT_EFORMAT (*error says where; it may be NULL). */
int htmt__json_read(const char *text, size_t length, size_t flags, json_t **value,
                    json_error_t *error);

/* A string; bytes that are no UTF-8 become '?'. NULL: out of memory. */
json_t *htmt__json_text(const char *text);

#endif
