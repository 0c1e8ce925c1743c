/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A text is read twice, because the library reports a lack of memory as an error of the text, or
 * not at all: where the two readings differ, or memory ran out, it is the memory.
 */
#include "runtime/base/jansson.h"

#include "runtime/base/error.h"
#include "runtime/base/utf8.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int htmt__json_read(const char *text, size_t length, size_t flags, json_t **value,
                    json_error_t *error)
{
    errno = 0;
    *value = json_loadb(text, length, flags, error);
    json_t *again = json_loadb(text, length, flags, NULL);
    bool starved = errno == ENOMEM || (*value ? !json_equal(*value, again) : again != NULL);
    json_decref(again);
    if (!starved)
        return *value ? 0 : HTMT_EFORMAT;
    json_decref(*value);
    *value = NULL;
    return HTMT_ENOMEM;
}

json_t *htmt__json_text(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        return NULL;
    htmt__utf8_repair(copy);
    json_t *string = json_string(copy);
    free(copy);
    return string;
}
