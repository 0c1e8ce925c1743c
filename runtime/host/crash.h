/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The end of the process inside a function that the library was handed
 * (runtime/host/callback_scope.h): one line on standard error names it.
 *
 *   what it does                              | how it is noticed            | afterwards
 *   raises SIGSEGV, SIGBUS, SIGFPE, SIGILL,   | handlers, while somebody     | the handler that was
 *   SIGABRT                                   | watches                      | there, or the signal
 *   calls exit() or quick_exit()              | a hook of the process's end  | status 4
 *   calls pthread_exit()                      | a cleanup handler            | status 4
 *
 * Handlers, hooks and the count of who watches belong to the process; emulators share them.
 */
#ifndef HTMT_RUNTIME_HOST_CRASH_H
#define HTMT_RUNTIME_HOST_CRASH_H

#include "runtime/host/callback_scope.h"

/* The first who watches installs the handlers, the last removes them, unless another handler has
 * been put over them since. Errors: HTMT_ESYSTEM. */
int htmt__crash_watch(void);
void htmt__crash_unwatch(void);

/* Calls work(argument). Exits on this thread meanwhile are named; with `stack`, signals are handled
 * on a stack of their own, as long as there is memory for it, so that an overflow of the thread's
 * own can be named. */
void htmt__crash_guard(void (*work)(void *argument), void *argument, bool stack);

/* Writes "htmt: type T, slice S, STAGE, at N fs: the WHAT " and the text as one line to standard
 * error, by means that a signal handler may use; of no type "htmt: STAGE: the WHAT ". */
void htmt__crash_tell(const struct htmt__callback_scope *scope, const char *text);

#endif
