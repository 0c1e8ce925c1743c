/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A thread of the library's own.
 */
#ifndef HTMT_RUNTIME_HOST_THREAD_H
#define HTMT_RUNTIME_HOST_THREAD_H

#include <pthread.h>

/* Its stack has 8 MiB, whatever limit the process was given. It gets no signals but those that a
 * thread brings upon itself. Errors: HTMT_ESYSTEM. */
int htmt__thread_start(pthread_t *thread, void *(*work)(void *whose), void *whose);

#endif
