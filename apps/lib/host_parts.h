/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Work of a step of an application, such as making its input or checking its results, on several
 * threads of the host. The emulator has threads of its own and does not need this.
 */
#ifndef HTMT_APPS_LIB_HOST_PARTS_H
#define HTMT_APPS_LIB_HOST_PARTS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Call work(user, part) for each part below `parts`, on the caller's thread and on up to
 * threads - 1 more, and return when all parts are done. Who does a part, and when, is by chance:
 * parts write to places of their own, and what follows from several is put together afterwards in
 * the order of their numbers. So the result is that of any number of threads. What the caller did
 * before is seen by the parts, and what they did by the caller. A thread that the system refuses is
 * done without; `threads` is usually htmt_request_threads(). A call with several threads takes some
 * 50 us for each, so parts that are shorter in all are not worth it. */
void htmt_host_parts(unsigned threads, uint32_t parts, void (*work)(void *user, uint32_t part),
                     void *user);

#ifdef __cplusplus
}
#endif

#endif
