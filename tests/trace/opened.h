/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For tests: a trace made of bytes, open.
 */
#ifndef HTMT_TESTS_TRACE_OPENED_H
#define HTMT_TESTS_TRACE_OPENED_H

#include "tests/trace/model.h"

#include <criterion/criterion.h>

struct opened {
    char *path;
    struct htmt_trace *t;
};

/* Frees the bytes. */
static inline struct opened open_bytes(struct bytes file)
{
    struct opened o = {model_save(&file), NULL};
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt_trace_open(&o.t, o.path, &fault), 0, "%s", fault.text);
    free(file.at);
    return o;
}

static inline void close_bytes(struct opened *o)
{
    htmt_trace_close(&o->t);
    unlink(o->path);
    free(o->path);
}

#endif
