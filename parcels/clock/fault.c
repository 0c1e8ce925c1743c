/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/walk/context.h"

#include <stdarg.h>
#include <stdio.h>

/* Whose turn it is. */
static void print_turn(const struct htmt_emulator *e, char *text, size_t size)
{
    const struct htmt_context *c = htmt__caller.control;
    const double now = (double)e->now * 1e-15;
    char stage[HTMT__STAGE_TEXT];
    if (c != HTMT__NO_CONTROL && c->e == e)
        snprintf(text, size, " (type %s, %s, slice %u, at %.9g s)", c->p->type->code.name,
                 htmt__entity_stage(c->p, false, stage), c->p->slice, now);
    else if (atomic_load(&e->state) == HTMT__RUNNING)
        snprintf(text, size, " (at %.9g s)", now);
    else
        *text = 0;
}

int htmt__fail(struct htmt_emulator *e, int code, const char *format, ...)
{
    char text[sizeof e->fault.text], turn[240];
    va_list args;
    if (e->fault.code)
        return code;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    print_turn(e, turn, sizeof turn);
    htmt_fault_set(&e->fault, code, "%s%s", text, turn);
    return code;
}
