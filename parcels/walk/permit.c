/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/walk/permit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool running(const struct htmt_emulator *e)
{
    return atomic_load(&e->state) == HTMT__RUNNING;
}

/* Not where the clock's thread may write the fault: in a kernel, or on another thread. */
static bool elsewhere(const struct htmt_emulator *e)
{
    return htmt__caller.kernel || (running(e) && !pthread_equal(e->clock, pthread_self()));
}

/* If controls of the emulator run on several threads, the fault belongs to the partition's copy
 * whose control calls. */
int htmt__refuse(struct htmt_emulator *e, int code, const char *format, ...)
{
    char text[240];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const struct htmt_context *c = htmt__caller.control;
    if (e && c != HTMT__NO_CONTROL && c && c->e->whole == e)
        e = c->e;
    if (htmt__caller.kernel || (e && elsewhere(e)))
        return htmt__diagnose(e ? e->diagnostics : NULL, code, text);
    if (!e && htmt__caller.fault)
        return htmt_fault_set(htmt__caller.fault, code, "%s", text), code;
    return e ? htmt__fail(e, code, "%s", text) : code;
}

/* ---- contexts -------------------------------------------------------------------------------- */

static bool refuse(const struct htmt_context *c, const char *call, const char *why)
{
    htmt__refuse(c ? c->e : NULL, HTMT_EINVAL, "%s %s", call, why);
    return false;
}

/* A call of set-up: an earlier one may have been refused. */
static void begin_call(struct htmt_emulator *e)
{
    if (!e->fault.code)
        return;
    if (!e->refused.code)
        e->refused = e->fault;
    e->fault = (struct htmt_fault){0};
}

/* Says what is wrong with a context that is closed here, and what to do instead. */
bool htmt__permit_root(const struct htmt_context *c, const char *call)
{
    if (!c)
        return refuse(c, call, "without a context (NULL)");
    const struct htmt_emulator *e = c->e;
    if (c == e->root && atomic_load(&e->state) == HTMT__SETUP) {
        begin_call(c->e);
        return true;
    }
    if (htmt__caller.kernel)
        return refuse(c, call, "from a kernel: only the control of a stage may call it");
    if (!running(e))
        return refuse(c, call, "after the run: make another emulator");
    if (elsewhere(e))
        return refuse(c, call,
                      "from another thread than the clock's: only controls may call it while a run "
                      "is on");
    if (c == e->root)
        return refuse(c, call,
                      "with htmt_root() while the run is on: use the context that the control was "
                      "given");
    return refuse(c, call, "after its control has returned: call it within the control");
}

bool htmt__deny(const struct htmt_context *c, const char *call)
{
    if (htmt__permit_root(c, call))
        refuse(c, call, "outside a service: htmt_root() has none; call it within a control");
    return false;
}

/* ---- types that send nowhere ----------------------------------------------------------------- */

int htmt__sends_refuse(struct htmt_context *c, uint32_t to, const char *call)
{
    return htmt__refuse(c->e, HTMT_EINVAL,
                        "type %s says that it sends nowhere, and its %s goes from slice %u to "
                        "slice %u: leave `sends` out",
                        c->self->type->code.name, call, c->p->slice, to);
}

int htmt__may_reach(struct htmt_context *c, const char *call)
{
    return !c->self->type->sends_nowhere
               ? 0
               : htmt__refuse(c->e, HTMT_EINVAL,
                              "type %s says that it sends nowhere, and calls %s, which sends words "
                              "to other slices: leave `sends` out",
                              c->self->type->code.name, call);
}

/* ---- the host -------------------------------------------------------------------------------- */

int htmt__permit_host(struct htmt_emulator *e, const char *call)
{
    if (!e)
        return htmt__refuse(NULL, HTMT_EINVAL, "%s without an emulator (NULL)", call);
    if (running(e))
        return htmt__refuse(e, HTMT_EINVAL, "%s while the run is on: call it before or after",
                            call);
    if (atomic_load(&e->state) == HTMT__SETUP)
        begin_call(e);
    return 0;
}

int htmt__permit_setup(struct htmt_emulator *e, const char *call)
{
    int rc = htmt__permit_host(e, call);
    if (!rc && atomic_load(&e->state) == HTMT__ENDED)
        rc = htmt__refuse(e, HTMT_EINVAL, "%s after the run: call it before", call);
    return rc;
}

/* ---- structs with a size --------------------------------------------------------------------- */

int htmt__sized_copy(const struct htmt__sized *s, const void *given, void *whole,
                     struct htmt_fault *fault)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    if (size > s->known) {
        htmt_fault_set(fault, HTMT_EINVAL,
                       "struct %s of %zu bytes, of which this libhtmt knows %zu: the program was "
                       "built for a newer libhtmt, or its size was not set by %s_init()",
                       s->name, size, s->known, s->name);
        return HTMT_EINVAL;
    }
    if (size && (size < s->least || size % sizeof(void *))) {
        htmt_fault_set(fault, HTMT_EINVAL,
                       "struct %s of %zu bytes, expected %zu or another size that a libhtmt had: "
                       "begin with %s_init()",
                       s->name, size, s->known, s->name);
        return HTMT_EINVAL;
    }
    memset(whole, 0, s->known);
    memcpy(whole, given, size ? size : s->first);
    memcpy(whole, &s->known, sizeof s->known);
    return 0;
}

int htmt__sized_take(struct htmt_emulator *e, const struct htmt__sized *s, const void *given,
                     void *whole, const char *call)
{
    struct htmt_fault fault = {0};
    int rc = htmt__sized_copy(s, given, whole, &fault);
    return rc ? htmt__refuse(e, rc, "%s: %s", call, fault.text) : 0;
}

bool htmt__emulator_keep(struct htmt_emulator *e, bool kept)
{
    const bool wanted = e->wanted_gone;
    e->kept = kept;
    e->wanted_gone = false;
    return wanted;
}
