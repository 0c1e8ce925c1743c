/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/timing/engine.h"

#include <stdarg.h>

int htmt__fail(struct htmt_emulator *e, int code, const char *format, ...)
{
    char text[sizeof e->fault.text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    htmt_fault_set(&e->fault, code, "%s", text);
    return code;
}
