/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/json_text.h"

#include "runtime/base/utf8.h"

#include <stdlib.h>
#include <string.h>

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
