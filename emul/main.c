/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/table.h"
#include "emul/verbs/verb.h"

#include "runtime/base/error.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

/* Kernels run on the clock's thread, too: its stack is that of the workers at least. */
#define STACK_BYTES ((size_t)8 << 20)

static void mask(int how)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(how, &set, NULL);
}

/* OpenBLAS starts threads when it is loaded. The kernel delivers a signal to any thread that does
 * not block it, and an unblocked SIGINT would end the process without a report. The threads
 * therefore must inherit a mask that blocks the signals of emul/questions/interrupt.c. This
 * function blocks them before the libraries start; main() unblocks them. */
static void before_libraries(void)
{
    mask(SIG_BLOCK);
}

__attribute__((section(".preinit_array"),
               used)) static void (*const first)(void) = before_libraries;

struct command {
    int argc;
    char **argv;
    int status;
};

static void *work(void *argument)
{
    struct command *c = argument;
    mask(SIG_UNBLOCK);
    c->status = htmt__command(htmt_apps, c->argc, c->argv);
    return NULL;
}

static bool stack_is_small(void)
{
    struct rlimit limit;
    return !getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur < STACK_BYTES;
}

/* The first thread keeps the signals blocked. */
static void work_on_thread(struct command *c)
{
    pthread_attr_t attributes;
    pthread_t thread;
    struct htmt_fault fault = {0};
    int rc = pthread_attr_init(&attributes);
    if (!rc)
        rc = pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (!rc)
        rc = pthread_create(&thread, &attributes, work, c);
    if (!rc)
        rc = pthread_join(thread, NULL);
    if (!rc)
        return;
    htmt_fault_set(&fault, HTMT_ESYSTEM,
                   "the limit of the stack is below 8 MiB, and the host "
                   "refuses a thread with a larger one");
    c->status = htmt__complain("", &fault);
}

int main(int argc, char **argv)
{
    struct command c = {argc, argv, 0};
    if (stack_is_small())
        work_on_thread(&c);
    else
        work(&c);
    return c.status;
}
