/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/array.h"

#include "runtime/base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 8

/* The pointer is copied as bytes: a `struct entry *` may not be written as a `void *`. */
bool htmt__array_grow(void *array, size_t *room, size_t wanted, size_t size)
{
    size_t more = *room > SIZE_MAX / 2 ? wanted : 2 * *room;
    void *at;
    if (more < wanted)
        more = wanted;
    if (more < LEAST)
        more = LEAST;
    memcpy(&at, array, sizeof at);
    at = htmt__fault_injected() ? NULL : reallocarray(at, more, size);
    if (!at)
        return false;
    memcpy(array, &at, sizeof at);
    *room = more;
    return true;
}
