/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a thread does for a function that the library was handed: a kernel, a control, a cost
 * function. Whoever ends the process there, or never returns, can be named by it.
 *
 * The record belongs to its thread: it is the one writable variable outside of functions that
 * threads of several emulators use. Its owner writes it, a watchdog reads it.
 */
#ifndef HTMT_RUNTIME_HOST_CALLBACK_SCOPE_H
#define HTMT_RUNTIME_HOST_CALLBACK_SCOPE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For a line of text. All strings outlive it. */
struct htmt__callback_scope {
    const char *what; /* "kernel", "control", "cost function", "constructor", "step plan" */
    const char *type; /* NULL: of none; `stage` is then a file or an application */
    const char *stage;
    uint32_t slice, fiber;  /* fiber 0: a stage of the parcel */
    const char *fiber_name; /* NULL: its number */
    int64_t now;            /* virtual time, fs; negative: unknown */
};

/* Reads what `who` stands for; nothing else, so that a signal handler may call it. false: it does
 * nothing at the moment. */
typedef bool htmt__callback_scope_fn(const void *who, struct htmt__callback_scope *scope);

/* Turn goes first: who reads it again and finds it unchanged has seen one scope. */
struct htmt__doing {
    atomic_ulong turn;         /* one more at each beginning and end */
    _Atomic(const void *) who; /* NULL: nothing that could be named */
    _Atomic(htmt__callback_scope_fn *) tell;
};
/* Its place as that of htmt__caller (parcels/data/data.h). */
extern _Thread_local struct htmt__doing htmt__doing __attribute__((tls_model("initial-exec")));

/* What a scope interrupts: the clock's thread runs kernels that a control waits for. */
struct htmt__callback_scope_before {
    const void *who;
    htmt__callback_scope_fn *tell;
};

/* Of one who has several scopes, one after the other: the next one. */
static inline void htmt__callback_scope_turn(void)
{
    unsigned long turn = atomic_load_explicit(&htmt__doing.turn, memory_order_relaxed);
    atomic_store_explicit(&htmt__doing.turn, turn + 1, memory_order_relaxed);
}
static inline void htmt__callback_scope_set(const void *who, htmt__callback_scope_fn *tell)
{
    htmt__callback_scope_turn();
    atomic_store_explicit(&htmt__doing.tell, tell, memory_order_release);
    atomic_store_explicit(&htmt__doing.who, who, memory_order_release);
}
static inline struct htmt__callback_scope_before
htmt__callback_scope_begin(const void *who, htmt__callback_scope_fn *tell)
{
    struct htmt__callback_scope_before before = {
        atomic_load_explicit(&htmt__doing.who, memory_order_relaxed),
        atomic_load_explicit(&htmt__doing.tell, memory_order_relaxed)};
    htmt__callback_scope_set(who, tell);
    return before;
}
static inline void htmt__callback_scope_end(struct htmt__callback_scope_before before)
{
    htmt__callback_scope_set(before.who, before.tell);
}

/* The scope of a thread; false: there is none, or it changed meanwhile. `turn` may be NULL. */
bool htmt__callback_scope_of(struct htmt__doing *doing, struct htmt__callback_scope *scope,
                             unsigned long *turn);

#endif
