/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts on threads of the host: each is done once, whoever does it, and on as many threads as the
 * system gives.
 */
#include "apps/lib/host_parts.h"

#include "runtime/base/pages.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define PARTS 1000u

static unsigned refused; /* threads in a row that the system refuses */

bool htmt__fault_hook(void)
{
    return refused && refused--;
}

struct parts {
    atomic_uint done[PARTS];
    pthread_t caller;
    atomic_uint elsewhere;
};

static void work(void *user, uint32_t part)
{
    struct parts *p = user;
    atomic_fetch_add(&p->done[part], 1);
    if (!pthread_equal(pthread_self(), p->caller))
        atomic_fetch_add(&p->elsewhere, 1);
}

/* Parts that other threads did. */
static unsigned done_once(unsigned threads, uint32_t parts)
{
    static struct parts p;
    p = (struct parts){.caller = pthread_self()};
    htmt_host_parts(threads, parts, work, &p);
    for (uint32_t i = 0; i < PARTS; i++)
        cr_assert_eq(atomic_load(&p.done[i]), i < parts, "part %u of %u on %u threads", i, parts,
                     threads);
    return atomic_load(&p.elsewhere);
}

Test(host_parts, each_is_done_once_by_any_number_of_threads)
{
    for (unsigned threads = 0; threads < 6; threads++)
        for (uint32_t parts = 0; parts < 8; parts++)
            done_once(threads, parts);
    done_once(3, PARTS);
    done_once(1000, PARTS);
}

Test(host_parts, one_thread_is_the_callers)
{
    cr_expect_eq(done_once(1, PARTS), 0);
    cr_expect_eq(done_once(0, PARTS), 0);
    cr_expect_eq(done_once(8, 1), 0);
}

Test(host_parts, a_refused_thread_is_done_without)
{
    refused = 1;
    cr_expect_eq(done_once(8, PARTS), 0);
    cr_expect_eq(refused, 0);
}

/* The last part to begin waits until all others have begun, so each of four parts has a thread of
 * its own. */
static void meet(void *user, uint32_t part)
{
    atomic_uint *come = user;
    (void)part;
    atomic_fetch_add(come, 1);
    while (atomic_load(come) < 4)
        usleep(100);
}

Test(host_parts, as_many_threads_as_parts_work_side_by_side)
{
    atomic_uint come = 0;
    htmt_host_parts(4, 4, meet, &come);
    cr_expect_eq(atomic_load(&come), 4);
}
