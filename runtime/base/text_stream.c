/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* fopencookie */
#include "runtime/base/text_stream.h"

#include "runtime/base/array.h"
#include "runtime/base/error.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 4096 };

static ssize_t keep(void *cookie, const char *bytes, size_t size)
{
    struct htmt__text *t = cookie;
    if (!htmt__array_fits(&t->at, &t->room, t->length + size + 1, 1))
        return 0;
    memcpy(t->at + t->length, bytes, size);
    t->length += size;
    t->at[t->length] = '\0';
    return (ssize_t)size;
}

FILE *htmt__text_open(struct htmt__text *t)
{
    *t = (struct htmt__text){.at = calloc(1, FIRST_ROOM), .room = FIRST_ROOM};
    FILE *stream = t->at ? fopencookie(t, "w", (cookie_io_functions_t){.write = keep}) : NULL;
    if (!stream) {
        free(t->at);
        t->at = NULL;
    }
    return stream;
}

int htmt__text_close(FILE *stream, struct htmt__text *t)
{
    if (!stream)
        return HTMT_ENOMEM;
    bool failed = fflush(stream) != 0 || ferror(stream);
    failed |= fclose(stream) != 0;
    if (!failed)
        return 0;
    free(t->at);
    t->at = NULL;
    return HTMT_ENOMEM;
}
