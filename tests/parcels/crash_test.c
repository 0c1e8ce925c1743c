/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Kernels, controls and cost functions that end the process, or never end, are named.
 */
#define _GNU_SOURCE /* pipe2 */
#include "runtime/base/temporary.h"
#include "tests/files/place.h"
#include "tests/parcels/world.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what they do ---------------------------------------------------------------------------- */

enum deed { NOTHING, SEGV, FPE, ABORT, EXIT, QUICK_EXIT, THREAD_EXIT, SPIN, OVERFLOW };

static int depths(volatile int depth)
{
    volatile char frame[4096];
    frame[depth % 4096] = (char)depth;
    return depth < 1 << 30 ? depths(depth + 1) + frame[0] : 0;
}

static char *volatile nowhere = (char *)8;

static void commit(enum deed deed)
{
    switch (deed) {
    case NOTHING:
        break;
    case SEGV:
        *(volatile char *)nowhere = 1;
        break;
    case FPE:
        raise(SIGFPE);
        break;
    case ABORT:
        abort();
        break;
    case EXIT:
        exit(0);
        break;
    case QUICK_EXIT:
        quick_exit(0);
        break;
    case THREAD_EXIT:
        pthread_exit(NULL);
        break;
    case SPIN:
        for (;;)
            sched_yield();
        break;
    case OVERFLOW:
        depths(0);
        break;
    }
}

enum where { KERNEL, FIBER_KERNEL, CONTROL, COST };

struct args {
    enum where where;
    enum deed deed;
};

static enum deed deed_at(const struct args *a, enum where where)
{
    return a->where == where ? a->deed : NOTHING;
}

KERNEL(kernel, commit(deed_at(htmt_kernel_args(k), htmt_kernel_fiber(k) ? FIBER_KERNEL : KERNEL)))
COST(cost, ops->n[HTMT_CYCLE] = 10; commit(deed_at(args, COST)))

/* Execute does nothing but enable the second fiber, at 10 ns. */
CONTROL(first, htmt_slot_set(c, 2, 1, 0); htmt_signal(c, htmt_slot(c, 2)))

static void second(struct htmt_context *c)
{
    htmt_work(c);
    commit(deed_at(htmt_args(c), CONTROL));
    htmt_retire(c, htmt_self(c));
}

/* ---- a world in a child ---------------------------------------------------------------------- */

static void play(struct args args, struct htmt_options o)
{
    const struct htmt_stage fibers[] = {{.control = second}, {.kernel = kernel, .control = second}};
    struct world_spec spec = world_plain(4);
    struct world w = world_open(&spec, o);
    struct htmt_type *t =
        TYPE(&w, .name = "culprit", .home = "cram", .exec = "cram", .footprint = HTMT_RESIDENT,
             .execute = {.kernel = kernel, .cost = cost, .control = first}, .fibers = fibers,
             .fiber_count = 2, .args_bytes = sizeof args);
    START(&w, .type = t, .slice = 3, .args = &args);
    htmt_emulator_run(w.e);
    world_close(&w);
}

/* Status of a child that does it; `said` gets the first line of its standard error. */
static int status_of(void (*child)(const void *), const void *how, char said[512])
{
    int ends[2], status;
    cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (!pid) {
        dup2(ends[1], STDERR_FILENO);
        signal(SIGSEGV, SIG_DFL);
        child(how);
        _exit(0);
    }
    close(ends[1]);
    FILE *from = fdopen(ends[0], "r");
    said[0] = '\0';
    if (!fgets(said, 512, from))
        said[0] = '\0';
    while (fgetc(from) != EOF)
        ;
    fclose(from);
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    return status;
}

struct how {
    struct args args;
    struct htmt_options options;
};

static void child(const void *how)
{
    const struct how *h = how;
    play(h->args, h->options);
}

static const char *const places[] = {
    [KERNEL] = "htmt: type culprit, slice 3, execute: the kernel ",
    [FIBER_KERNEL] = "htmt: type culprit, slice 3, fiber 2: the kernel ",
    [CONTROL] = "htmt: type culprit, slice 3, fiber 2, at 10000000 fs: the control ",
    [COST] = "htmt: type culprit, slice 3, execute, at 0 fs: the cost function ",
};

/* Returns the status. */
static int expect_line(enum where where, enum deed deed, unsigned threads, const char *text)
{
    struct how h = {{where, deed}, {.threads = threads, .diagnose = true}};
    char said[512];
    h.options.watchdog = deed == SPIN ? 1 : 0;
    int status = status_of(child, &h, said);
    cr_assert(strncmp(said, places[where], strlen(places[where])) == 0 && strstr(said, text),
              "'%s%s' is not: %s", places[where], text, said);
    return status;
}

/* ---- signals --------------------------------------------------------------------------------- */

/* A sanitizer's handler comes after ours and may end the process in its own way. */
static void expect_signal(enum where where, enum deed deed, int number, const char *text)
{
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        int status = expect_line(where, deed, threads, text);
        cr_assert(WIFSIGNALED(status) ? WTERMSIG(status) == number : WEXITSTATUS(status) != 0);
    }
}

Test(crash, a_signal_that_a_kernel_control_or_cost_function_raises_names_it)
{
    for (enum where where = KERNEL; where <= COST; where++) {
        expect_signal(where, SEGV, SIGSEGV, "raised SIGSEGV at address 0x8: it touches memory");
        expect_signal(where, FPE, SIGFPE, "raised SIGFPE: it divides");
        expect_signal(where, ABORT, SIGABRT, "raised SIGABRT: it, or a library");
    }
}

Test(crash, a_stack_that_overflows_names_the_kernel)
{
    expect_signal(FIBER_KERNEL, OVERFLOW, SIGSEGV, "raised SIGSEGV at address ");
}

static void silent_child(const void *how)
{
    const struct how *h = how;
    struct world_spec spec = world_plain(1);
    struct world w = world_open(&spec, h->options);
    commit(h->args.deed);
    world_close(&w);
}

Test(crash, nothing_is_said_without_the_option_or_outside_of_a_run)
{
    struct how h = {{KERNEL, SEGV}, {.threads = 1}};
    char said[512];
    cr_assert_neq(status_of(child, &h, said), 0);
    cr_assert_null(strstr(said, "culprit"));
    h.options.diagnose = true;
    cr_assert_neq(status_of(silent_child, &h, said), 0);
    cr_assert_null(strstr(said, "culprit"));
    h.args.deed = EXIT;
    cr_assert_eq(status_of(silent_child, &h, said), 0);
    cr_assert_null(strstr(said, "culprit"));
}

/* ---- handlers -------------------------------------------------------------------------------- */

static void end_by_seven(int number)
{
    (void)number;
    _exit(7);
}

static void child_with_handler(const void *how)
{
    struct sigaction own = {.sa_handler = end_by_seven};
    sigaction(SIGSEGV, &own, NULL);
    sigaction(SIGABRT, &own, NULL);
    child(how);
}

Test(crash, a_handler_that_was_there_before_is_called_afterwards)
{
    for (enum deed deed = SEGV; deed <= ABORT; deed += ABORT - SEGV) {
        struct how h = {{FIBER_KERNEL, deed}, {.threads = 2, .diagnose = true}};
        char said[512];
        int status = status_of(child_with_handler, &h, said);
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7, "status %#x", (unsigned)status);
        cr_assert_not_null(strstr(said, "type culprit, slice 3, fiber 2: the kernel raised SIG"));
    }
}

static struct sigaction now(void)
{
    struct sigaction a;
    sigaction(SIGFPE, NULL, &a);
    return a;
}

static struct world watching(void)
{
    struct world_spec spec = world_plain(1);
    return OPEN(&spec, .mode = HTMT_MODEL, .diagnose = true);
}

Test(crash, handlers_stay_as_long_as_one_emulator_wants_them)
{
    struct sigaction own = {.sa_handler = end_by_seven}, over = {.sa_handler = SIG_IGN};
    sigaction(SIGFPE, &own, NULL);
    for (int i = 0; i < 2; i++) {
        struct world a = watching(), b = watching();
        cr_assert_neq(now().sa_handler, end_by_seven);
        world_close(&a);
        cr_assert_neq(now().sa_handler, end_by_seven);
        world_close(&b);
        cr_assert_eq(now().sa_handler, end_by_seven);
    }
    struct world c = watching();
    sigaction(SIGFPE, &over, NULL);
    world_close(&c);
    cr_assert_eq(now().sa_handler, SIG_IGN, "it took away a handler that is not its own");
    struct world d = watching();
    cr_assert_neq(now().sa_handler, SIG_IGN);
    world_close(&d);
    cr_assert_eq(now().sa_handler, SIG_IGN);
}

/* ---- exits and endless loops ----------------------------------------------------------------- */

static void expect_end(enum where where, enum deed deed, unsigned threads, const char *text)
{
    int status = expect_line(where, deed, threads, text);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 4, "status %#x", (unsigned)status);
}

Test(crash, an_exit_of_the_process_or_thread_names_who_called_it)
{
    for (enum where where = KERNEL; where <= COST; where++)
        for (unsigned threads = 1; threads <= 3; threads += 2) {
            expect_end(where, EXIT, threads, "called exit()");
            expect_end(where, QUICK_EXIT, threads, "called exit()");
            expect_end(where, THREAD_EXIT, threads, "called pthread_exit()");
        }
}

Test(crash, a_watchdog_names_who_never_ends)
{
    expect_end(FIBER_KERNEL, SPIN, 3, "has not ended after 1 s, the limit of the watchdog");
    expect_end(CONTROL, SPIN, 1, "has not ended after 1 s");
}

struct ending {
    const char *path;
    enum deed deed;
};

/* The child has a temporary file, as while a result is written. */
static void play_with_file(const void *how)
{
    static struct htmt__temporary temporary;
    const struct ending *e = how;
    temporary.path = e->path;
    cr_assert_geq(htmt__temporary_create(&temporary), 0);
    play((struct args){CONTROL, e->deed}, (struct htmt_options){.threads = 3, .watchdog = 1});
}

Test(crash, an_exit_or_the_watchdog_removes_temporary_files)
{
    static const enum deed deeds[] = {EXIT, THREAD_EXIT, SPIN};
    struct place p = place("result.tmp");
    char said[512];
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        int status = status_of(play_with_file, &(struct ending){p.path, deeds[i]}, said);
        cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 4, "%#x", (unsigned)status);
        cr_expect_neq(unlink(p.path), 0, "deed %d leaves the file", (int)deeds[i]);
    }
    place_clear(&p);
}

KERNEL(nap, usleep(200000))

/* Seven kernels that need less than the limit each, and more than it together. */
static void many_naps(const void *how)
{
    struct world_spec spec = world_plain(1);
    struct world w = OPEN(&spec, .threads = 1, .watchdog = 1);
    struct htmt_type *t =
        TYPE(&w, .name = "nap", .home = "cram", .exec = "cram", .execute = {.kernel = nap});
    (void)how;
    for (int i = 0; i < 7; i++)
        START(&w, .type = t);
    world_run(&w);
    world_close(&w);
}

Test(crash, a_watchdog_lets_many_short_kernels_pass)
{
    char said[512];
    cr_assert_eq(status_of(many_naps, NULL, said), 0, "%s", said);
}
