/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a thread does for a function that the library was handed: a kernel, a control, a cost
 * function. Whoever ends the process there, or never returns, can be named by it.
 *
 * The record belongs to its thread: it is the one writable variable outside of functions that
 * threads of several emulators use. Its owner writes it, a watchdog reads it.
 */
#ifndef HTMT_RUNTIME_HOST_DEED_H
#define HTMT_RUNTIME_HOST_DEED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For a line of text. All strings outlive it. */
struct htmt__deed {
    const char *what; /* "kernel", "control", "cost function", "constructor", "step plan" */
    const char *type; /* NULL: of none; `stage` is then a file or an application */
    const char *stage;
    uint32_t slice, fiber; /* fiber 0: a stage of the parcel */
    int64_t now;           /* virtual time, fs; negative: unknown */
};

/* Reads what `who` stands for; nothing else, so that a signal handler may call it. false: it does
 * nothing at the moment. */
typedef bool htmt__deed_fn(const void *who, struct htmt__deed *deed);

/* Turn goes first: who reads it again and finds it unchanged has seen one deed. */
struct htmt__doing {
    atomic_ulong turn;         /* one more at each beginning and end */
    _Atomic(const void *) who; /* NULL: nothing that could be named */
    _Atomic(htmt__deed_fn *) tell;
};
/* Its place as that of htmt__caller (parcels/data/data.h). */
extern _Thread_local struct htmt__doing htmt__doing __attribute__((tls_model("initial-exec")));

/* What a deed interrupts: the clock's thread runs kernels that a control waits for. */
struct htmt__deed_before {
    const void *who;
    htmt__deed_fn *tell;
};

/* Of one who has several deeds, one after the other: the next one. */
static inline void htmt__deed_turn(void)
{
    unsigned long turn = atomic_load_explicit(&htmt__doing.turn, memory_order_relaxed);
    atomic_store_explicit(&htmt__doing.turn, turn + 1, memory_order_relaxed);
}
static inline void htmt__deed_set(const void *who, htmt__deed_fn *tell)
{
    htmt__deed_turn();
    atomic_store_explicit(&htmt__doing.tell, tell, memory_order_release);
    atomic_store_explicit(&htmt__doing.who, who, memory_order_release);
}
static inline struct htmt__deed_before htmt__deed_begin(const void *who, htmt__deed_fn *tell)
{
    struct htmt__deed_before before = {
        atomic_load_explicit(&htmt__doing.who, memory_order_relaxed),
        atomic_load_explicit(&htmt__doing.tell, memory_order_relaxed)};
    htmt__deed_set(who, tell);
    return before;
}
static inline void htmt__deed_end(struct htmt__deed_before before)
{
    htmt__deed_set(before.who, before.tell);
}

/* The deed of a thread; false: there is none, or it changed meanwhile. `turn` may be NULL. */
bool htmt__deed_of(struct htmt__doing *doing, struct htmt__deed *deed, unsigned long *turn);

#endif
