/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/table.h"
#include "emul/questions/interrupt.h"
#include "emul/text/sink.h"
#include "emul/verbs/verb.h"

#include "runtime/base/error.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>

/* Kernels run on the clock's thread, too: its stack is that of the workers at least. */
#define STACK_BYTES ((size_t)8 << 20)

/* OpenBLAS asks this function of its own, which the library exports, for OPENBLAS_NUM_THREADS. The
 * definition here takes its place: without it the library starts a thread for each processor when
 * it is loaded. The command never uses those threads, they would take signals that are meant for
 * it, and where memory or threads are short OpenBLAS hangs at the end of the process. */
int openblas_num_threads_env(void);
int openblas_num_threads_env(void)
{
    return 1;
}

/* jemalloc, too, asks for a name of the command's: all threads share the one arena that is there
 * from the start. It would make others as threads begin, and crash where there is no memory for
 * one. The kernels hardly allocate, so the threads do not wait for each other. */
extern const char *const malloc_conf;
const char *const malloc_conf = "narenas:1";

/* FFTW calls this function where it has no memory, and then aborts. */
static void end_transform(const char *file, int line)
{
    char text[160];
    snprintf(text, sizeof text, "htmt: FFTW cannot go on (%s:%d), most likely for want of memory\n",
             file, line);
    htmt__interrupt_end(text, htmt_exit_status(HTMT_ENOMEM));
}

void fftw_assertion_failed(const char *what, int line, const char *file);
void fftw_assertion_failed(const char *what, int line, const char *file)
{
    (void)what;
    end_transform(file, line);
}

void fftwf_assertion_failed(const char *what, int line, const char *file);
void fftwf_assertion_failed(const char *what, int line, const char *file)
{
    (void)what;
    end_transform(file, line);
}

/* Libraries take time to start. A signal that comes meanwhile waits for its handler. */
static void before_libraries(void)
{
    htmt__interrupt_block(true);
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
    struct htmt__sink sink;
    htmt__interrupt_block(false);
    htmt__sink_open(&sink);
    c->status = htmt__command(htmt_apps, c->argc, c->argv);
    htmt__sink_close(&sink);
    return NULL;
}

static bool stack_is_small(void)
{
    struct rlimit limit;
    return !getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur < STACK_BYTES;
}

/* The first thread only waits: its signals stay blocked, they are for the other one. */
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
    struct command c = {.argc = argc, .argv = argv};
    htmt__interrupt_handle();
    if (stack_is_small())
        work_on_thread(&c);
    else
        work(&c);
    return c.status;
}
