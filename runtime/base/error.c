/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/error.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct entry {
    int code, status;
    const char *name, *text;
};

#define ENTRY(name, value, status, text) {(value), (status), #name, (text)},
static const struct entry table[] = {{0, 0, "OK", "no error"}, HTMT_ERR_MAP(ENTRY)};
#undef ENTRY

static const struct entry unknown = {0, 4, "EUNKNOWN", "unknown error"};

static const struct entry *find(int code)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].code == code)
            return &table[i];
    return &unknown;
}

const char *htmt_err_name(int code)
{
    return find(code)->name;
}

const char *htmt_strerror(int code)
{
    return find(code)->text;
}

int htmt_exit_status(int code)
{
    return find(code)->status;
}

int htmt_fault_set(struct htmt_fault *f, int code, const char *format, ...)
{
    if (!f)
        return code;
    if (f->code)
        return f->code;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(f->text, sizeof f->text, format, args);
    va_end(args);
    if (length < 0)
        snprintf(f->text, sizeof f->text, "%s", htmt_strerror(code));
    else if ((size_t)length >= sizeof f->text)
        memcpy(f->text + sizeof f->text - 4, "...", 4);
    f->code = code;
    return code;
}
