/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/jansson.h"

#include "runtime/base/error.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char text[] = "{\"a\": [12345678901234567, \"a string that is longer than sixteen\"], "
                           "\"another name of more than sixteen\": {\"b\": 0.12345678901234567}}";

static unsigned left; /* calls before the one that fails */

static void *scarce(size_t size)
{
    if (left-- == 0) {
        errno = ENOMEM;
        return NULL;
    }
    return malloc(size);
}

Test(json_read, text_is_read_whole_or_memory_is_missing)
{
    json_t *whole, *value;
    unsigned starved = 0;
    cr_assert_eq(htmt__json_read(text, strlen(text), 0, &whole, NULL), 0);
    for (unsigned n = 0; n < 100; n++) {
        left = n;
        json_set_alloc_funcs(scarce, free);
        int rc = htmt__json_read(text, strlen(text), 0, &value, NULL);
        json_set_alloc_funcs(malloc, free);
        cr_assert(rc == 0 ? json_equal(value, whole) : rc == HTMT_ENOMEM && !value, "call %u", n);
        starved += rc == HTMT_ENOMEM;
        json_decref(value);
    }
    cr_expect(starved > 10 && starved < 100, "%u", starved);
    json_decref(whole);
}

Test(json_read, a_mistake_is_told_with_its_line)
{
    json_t *value;
    json_error_t error;
    cr_expect_eq(htmt__json_read("{\n]", 3, 0, &value, &error), HTMT_EFORMAT);
    cr_expect_eq(error.line, 2);
    cr_expect_null(value);
}
