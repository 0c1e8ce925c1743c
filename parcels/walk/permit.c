/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/walk/permit.h"

#include <stdarg.h>
#include <stdio.h>

static bool running(const struct htmt_emulator *e)
{
    return atomic_load(&e->state) == HTMT__RUNNING;
}

/* Not where the clock's thread may write the fault: in a kernel, or on another thread. */
static bool elsewhere(const struct htmt_emulator *e)
{
    return htmt__caller.kernel || (running(e) && !pthread_equal(e->clock, pthread_self()));
}

/* Where its controls run on several threads, the copy with the one that calls. */
static struct htmt_emulator *here(struct htmt_emulator *e)
{
    const struct htmt_context *c = htmt__caller.control;
    bool own = e && c != HTMT__NO_CONTROL && c && c->e->whole == e;
    return own ? c->e : e;
}

int htmt__refuse(struct htmt_emulator *e, int code, const char *format, ...)
{
    char text[240];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    e = here(e);
    if (htmt__caller.kernel || (e && elsewhere(e)))
        return htmt__diagnose(e ? e->diagnostics : NULL, code, text);
    if (!e && htmt__caller.fault)
        return htmt_fault_set(htmt__caller.fault, code, "%s", text), code;
    return e ? htmt__fail(e, code, "%s", text) : code;
}

/* ---- contexts -------------------------------------------------------------------------------- */

/* What is wrong with a context that is closed here, and what to do instead. */
static const char *why_closed(const struct htmt_context *c)
{
    const struct htmt_emulator *e = c->e;
    if (htmt__caller.kernel)
        return "from a kernel: only the control of a stage may call it";
    if (!running(e))
        return "after the run: make another emulator";
    if (elsewhere(e))
        return "from another thread than the clock's: only controls may call it while a run is on";
    if (c == e->root)
        return "with htmt_root() while the run is on: use the context that the control was given";
    return "after its control has returned: call it within the control";
}

static bool refuse(const struct htmt_context *c, const char *call, const char *why)
{
    htmt__refuse(c ? c->e : NULL, HTMT_EINVAL, "%s %s", call, why);
    return false;
}

bool htmt__permit_root(const struct htmt_context *c, const char *call)
{
    if (!c)
        return refuse(c, call, "without a context (NULL)");
    if (c == c->e->root && atomic_load(&c->e->state) == HTMT__SETUP)
        return true;
    return refuse(c, call, why_closed(c));
}

bool htmt__deny(const struct htmt_context *c, const char *call)
{
    if (htmt__permit_root(c, call))
        refuse(c, call, "outside a service: htmt_root() has none; call it within a control");
    return false;
}

/* ---- the host -------------------------------------------------------------------------------- */

int htmt__permit_host(struct htmt_emulator *e, const char *call)
{
    if (!e)
        return htmt__refuse(NULL, HTMT_EINVAL, "%s without an emulator (NULL)", call);
    if (running(e))
        return htmt__refuse(e, HTMT_EINVAL, "%s while the run is on: call it before or after",
                            call);
    return 0;
}

int htmt__permit_setup(struct htmt_emulator *e, const char *call)
{
    int rc = htmt__permit_host(e, call);
    if (!rc && atomic_load(&e->state) == HTMT__ENDED)
        rc = htmt__refuse(e, HTMT_EINVAL, "%s after the run: call it before", call);
    return rc;
}
