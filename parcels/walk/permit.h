/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: who may make a call, and when, and in which version of a struct.
 *
 * A control's context is open while the control runs, on the clock's thread; the root's until the
 * run starts. What is refused is latched, or goes to the diagnostics if the clock's thread is not
 * where it was found.
 */
#ifndef HTMT_PARCELS_WALK_PERMIT_H
#define HTMT_PARCELS_WALK_PERMIT_H

#include "parcels/walk/context.h"

#include <stddef.h>

/* Refuse what the program did; returns the code. On any thread; e NULL: nowhere to say it. */
int htmt__refuse(struct htmt_emulator *e, int code, const char *format, ...)
    __attribute__((cold, format(printf, 3, 4)));

/* Whether it is the root, which is open; else refused. */
__attribute__((cold)) bool htmt__permit_root(const struct htmt_context *c, const char *call);
/* Refused; false. */
__attribute__((cold)) bool htmt__deny(const struct htmt_context *c, const char *call);

/* The control that runs on this thread calls. */
static inline bool htmt__permit(const struct htmt_context *c, const char *call)
{
    if (__builtin_expect(c != htmt__caller.control, 0))
        return htmt__deny(c, call);
    return true;
}
/* It, or the host before the run. */
static inline bool htmt__permit_start(const struct htmt_context *c, const char *call)
{
    if (__builtin_expect(c != htmt__caller.control, 0))
        return htmt__permit_root(c, call);
    return true;
}

/* 0: a control's call may reach slice `to`, or that slot: its type does not say that it sends
 * nowhere, or the slice is its own. Else HTMT_EINVAL, latched. */
__attribute__((cold)) int htmt__sends_refuse(struct htmt_context *c, uint32_t to, const char *call);
static inline int htmt__may_send(struct htmt_context *c, uint32_t to, const char *call)
{
    bool may = !c->self->type->sends_nowhere || to == c->p->slice;
    return __builtin_expect(may, 1) ? 0 : htmt__sends_refuse(c, to, call);
}
static inline int htmt__may_signal(struct htmt_context *c, struct htmt_slot slot, const char *call)
{
    return htmt_ref_none(slot.owner) ? 0 : htmt__may_send(c, htmt_ref_slice(slot.owner), call);
}
/* The same of a call that sends words to others, whatever it is given. */
int htmt__may_reach(struct htmt_context *c, const char *call);

/* 0: the host sets up the emulator. Else HTMT_EINVAL, latched. */
int htmt__permit_setup(struct htmt_emulator *e, const char *call);
/* 0: the host, while no run is on. */
int htmt__permit_host(struct htmt_emulator *e, const char *call);
/* 0: what the call was given is there. */
static inline int htmt__given(struct htmt_emulator *e, const void *what, const char *call,
                              const char *name)
{
    return __builtin_expect(what != NULL, 1)
               ? 0
               : htmt__refuse(e, HTMT_EINVAL, "%s: found no %s (NULL)", call, name);
}

/* ---- public structs that begin with their size ------------------------------------------------
 *
 * The caller's header may be older than this library: what its struct lacks counts as zero. It may
 * not be newer. */

/* A struct as this library knows it. `first`: bytes of the layout that a size of 0 stands for;
 * `least`: up to the last member that no caller can do without. */
struct htmt__sized {
    const char *name;
    size_t known, first, least;
};

/* The caller's struct as the library knows it. Returns 0, or HTMT_EINVAL with the line: its size is
 * that of no version. */
int htmt__sized_copy(const struct htmt__sized *s, const void *given, void *whole,
                     struct htmt_fault *fault);
/* The same for a call that refuses it. */
int htmt__sized_take(struct htmt_emulator *e, const struct htmt__sized *s, const void *given,
                     void *whole, const char *call);
/* It needs no copy. */
static inline bool htmt__sized_whole(const struct htmt__sized *s, size_t size)
{
    if (__builtin_expect(!size, 1))
        return s->first == s->known;
    return size == s->known;
}

/* While it is kept htmt_emulator_destroy() does nothing. Returns whether it was called since. */
bool htmt__emulator_keep(struct htmt_emulator *e, bool kept);

#endif
