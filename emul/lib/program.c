/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A kernel may run on the clock's thread, and stacks of workers have 8 MiB. Where the host limits
 * the stack of the first thread below that, the command runs on a thread of its own with such a
 * stack, and the first one waits with its signals blocked.
 */
#include "emul/program.h"

#include "emul/lib/plugin/plugin.h"
#include "emul/lib/program_run.h"
#include "emul/lib/questions/interrupt.h"
#include "emul/lib/text/sink.h"
#include "runtime/base/error.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* Kernels run on the clock's thread, too: its stack is that of the workers at least. */
#define STACK_BYTES ((size_t)8 << 20)

struct command {
    struct htmt__command *program;
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
    c->status = htmt__command(c->program, c->argc, c->argv);
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

int htmt__program_run(struct htmt__command *program, int argc, char **argv)
{
    struct command c = {.program = program, .argc = argc, .argv = argv};
    htmt__interrupt_handle();
    if (stack_is_small())
        work_on_thread(&c);
    else
        work(&c);
    return c.status;
}

int htmt_main(int argc, char **argv, const struct htmt_app *app)
{
    static const struct htmt__verb *const verbs[] = {
        &htmt__verb_row_run,     &htmt__verb_row_model,
        &htmt__verb_row_predict, &htmt__verb_row_machine,
        &htmt__verb_row_trace,   &htmt__verb_row_doctor,
        &htmt__verb_row_help,    NULL};
    struct htmt_app whole;
    struct htmt_fault fault = {0};
    const struct htmt_app *const linked[] = {&whole, NULL};
    struct htmt__command program = {.verbs = verbs, .single = true, .apps = {.linked = linked}};
    if (htmt__plugin_complete("the program", app, &whole, &fault))
        return htmt__complain("", &fault);
    const char *path = argc > 0 && argv[0] ? argv[0] : whole.name, *slash = strrchr(path, '/');
    program.name = slash ? slash + 1 : path; /* "jacobi" of "./jacobi" */
    return htmt__program_run(&program, argc, argv);
}
