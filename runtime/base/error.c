/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Codes, their names and texts come from one table, HTMT_ERR_MAP. A fault is the first thing that
 * went wrong: later ones, which mostly follow from it, change nothing.
 */
#include "runtime/base/error.h"

#include "runtime/base/printable.h"

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
    char line[sizeof f->text + 4]; /* more than the fault holds, so that a cut shows */
    va_list args;
    va_start(args, format);
    if (vsnprintf(line, sizeof line, format, args) < 0)
        snprintf(line, sizeof line, "%s", htmt_strerror(code));
    va_end(args);
    /* One line, whatever the names in it hold; where it is too long, its end says so. */
    char text[HTMT_PRINTABLE_WIDEST * (sizeof f->text + 4)];
    if (htmt_printable(line, text, sizeof text) < sizeof f->text)
        memcpy(f->text, text, strlen(text) + 1);
    else
        strcpy(f->text + htmt_printable(line, f->text, sizeof f->text - 3), "...");
    f->code = code;
    return code;
}
