/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each thread takes the next part that nobody has taken, until there is none: a thread that the
 * host delays holds up one part, not its share of all.
 */
#include "apps/lib/host_parts.h"

#include "runtime/host/thread.h"

#include <stdatomic.h>
#include <stddef.h>

#define THREADS_MOST 256u

struct parts {
    void (*work)(void *user, uint32_t part);
    void *user;
    uint32_t count;
    atomic_uint next;
};

static void *take(void *whose)
{
    struct parts *p = whose;
    for (uint32_t part; (part = atomic_fetch_add(&p->next, 1)) < p->count;)
        p->work(p->user, part);
    return NULL;
}

void htmt_host_parts(unsigned threads, uint32_t parts, void (*work)(void *user, uint32_t part),
                     void *user)
{
    struct parts p = {.work = work, .user = user, .count = parts};
    pthread_t thread[THREADS_MOST];
    const unsigned most = threads < parts ? threads : parts;
    unsigned started = 0;
    while (started + 1 < most && started < THREADS_MOST &&
           !htmt__thread_start(&thread[started], take, &p))
        started++;
    take(&p);
    while (started)
        pthread_join(thread[--started], NULL);
}
