/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Points are computed in processes, not in threads: a kernel that crashes, an application that runs
 * away or a library that ends its process then costs one point, and its line says so.
 *
 * A worker takes the next number from a counter that all share, asks the store whether the point is
 * there, and computes and stores it if not. So the store is the only thing that workers, a second
 * command on the same study and a command that goes on where another one was killed have to agree
 * about, and all of them end with the same rows. A point that two compute at once has one result,
 * since predictions are the same bits each time; the first one stays.
 *
 * When a worker is ended by a signal, the shared page says which point it was at. Another one takes
 * its place. If the parent ends, the kernel ends the workers.
 */
#include "emul/study/workers.h"

#include "emul/lib/text/progress.h"
#include "runtime/base/temporary.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct shared {
    atomic_ullong next, computed, over;
    atomic_ullong at[HTMT__JOBS_MOST]; /* of each worker, the point behind; 0: none */
    atomic_flag told;
    struct htmt_fault fault; /* of the first worker that could not go on */
};

struct task {
    struct htmt__study *study;
    struct htmt__study_table *table;
    const struct htmt__study_place *place;
    struct shared *shared;
};

/* A store that ends with the command has nothing from before, and keeps only what does not fit a
 * row: lines of refusals, and slopes. So processes do not wait for each other at its lock. */
static int work_on(const struct task *t, uint64_t number, struct htmt__store *store,
                   struct htmt_fault *fault)
{
    const bool lasts = t->place->path != t->place->own,
               slopes = t->study->variant && t->study->variant[number].slopes;
    struct htmt_fault refusal = {0};
    struct htmt__point p;
    char *text = NULL;
    json_t *result = NULL;
    int rc = htmt__point_make(t->study, number, &p, &refusal);
    if (rc) { /* has no key; whoever reads makes it again, and gets the same line */
        htmt__point_fini(&p);
        return rc == HTMT_ENOMEM ? htmt_fault_set(fault, rc, "%s", refusal.text) : 0;
    }
    rc = lasts ? t->place->part->get(store, p.key, &text, fault) : 0;
    if (!rc && text) {
        result = json_loads(text, 0, NULL);
    } else if (!rc) {
        result = htmt__point_compute(t->study, number, &p);
        atomic_fetch_add(&t->shared->computed, 1);
        const bool kept = lasts || slopes || json_integer_value(json_object_get(result, "code"));
        text = result && kept ? json_dumps(result, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
        if (!result || (kept && !text))
            rc = htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for a point");
        else if (kept)
            rc = t->place->part->put(store, p.key, text, fault);
    }
    rc = rc ? rc : htmt__study_table_take(t->table, number, result, &p, fault);
    json_decref(result);
    free(text);
    htmt__point_fini(&p);
    return rc;
}

static _Noreturn void work(const struct task *t, unsigned me)
{
    struct htmt_fault fault = {0};
    struct htmt__store *store = NULL;
    struct shared *shared = t->shared;
    int rc = htmt__study_place_store(t->place, &store, &fault);
    while (!rc) {
        const uint64_t number = atomic_fetch_add(&shared->next, 1);
        if (number >= t->study->points)
            break;
        atomic_store(&shared->at[me], number + 1);
        rc = work_on(t, number, store, &fault);
        atomic_fetch_add(&shared->over, 1);
    }
    atomic_store(&shared->at[me], 0);
    if (!rc)
        rc = t->place->part->flush(store, &fault);
    t->place->part->close(&store);
    if (rc && !atomic_flag_test_and_set(&shared->told))
        shared->fault = fault;
    _exit(rc ? 1 : 0);
}

static int start(const struct task *t, unsigned me, pid_t *pid, struct htmt_fault *fault)
{
    const pid_t parent = getpid();
    fflush(stdout);
    fflush(stderr);
    *pid = fork();
    if (*pid < 0)
        return htmt_fault_set(fault, HTMT_ESYSTEM, "no process for a worker: %s", strerror(errno));
    if (*pid)
        return 0;
    htmt__temporaries_forget();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    work(t, me);
}

static void tell(const struct htmt__study *s, const struct shared *shared, time_t *told)
{
    const time_t now = time(NULL);
    char text[80];
    if (now == *told || !isatty(STDERR_FILENO))
        return;
    *told = now;
    snprintf(text, sizeof text, "%llu of %" PRIu64 " points",
             (unsigned long long)atomic_load(&shared->over), s->points);
    htmt__progress_line(text);
}

/* *ended gets the signal by point, UINT8_MAX if it ended by itself, 0 of all others. */
static int compute(struct htmt__study *s, struct htmt__study_table *table,
                   const struct htmt__study_place *place, unsigned jobs, unsigned char **ended,
                   uint64_t *computed, struct htmt_fault *fault)
{
    pid_t pid[HTMT__JOBS_MOST] = {0};
    unsigned running = 0;
    time_t told = time(NULL);
    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *ended = calloc(s->points + 1, 1);
    if (shared == MAP_FAILED || !*ended) {
        if (shared != MAP_FAILED)
            munmap(shared, sizeof *shared);
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for the points");
    }
    const struct task t = {s, table, place, shared};
    atomic_flag_clear(&shared->told);
    jobs = jobs > HTMT__JOBS_MOST ? HTMT__JOBS_MOST : jobs;
    jobs = s->points < jobs ? (unsigned)s->points : jobs;
    int rc = 0;
    for (unsigned i = 0; i < jobs && !rc; i++, running += !rc)
        rc = start(&t, i, &pid[i], fault);
    while (running) {
        int status;
        const pid_t child = waitpid(-1, &status, WNOHANG);
        unsigned i = 0;
        if (child < 0 && errno != EINTR)
            break;
        if (child <= 0) {
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
            tell(s, shared, &told);
            continue;
        }
        while (i < jobs && pid[i] != child)
            i++;
        if (i == jobs)
            continue;
        running--;
        const uint64_t at = atomic_load(&shared->at[i]);
        if (at) {
            (*ended)[at - 1] = WIFSIGNALED(status) ? (unsigned char)WTERMSIG(status) : UINT8_MAX;
            atomic_store(&shared->at[i], 0);
            if (!rc && !(rc = start(&t, i, &pid[i], fault)))
                running++;
        } else if (!WIFEXITED(status) || WEXITSTATUS(status)) {
            rc = rc ? rc : HTMT_ESYSTEM;
        }
    }
    if (isatty(STDERR_FILENO))
        htmt__progress_line("");
    if (shared->fault.code)
        rc = htmt_fault_set(fault, shared->fault.code, "%s", shared->fault.text);
    else if (rc)
        htmt_fault_set(fault, rc, "a worker ended before its work");
    *computed = atomic_load(&shared->computed);
    munmap(shared, sizeof *shared);
    return rc;
}

int htmt__study_compute(struct htmt__study *s, struct htmt__study_table *table,
                        const struct htmt__study_place *place, unsigned jobs, uint64_t *computed,
                        struct htmt_fault *fault)
{
    unsigned char *ended = NULL;
    int rc = htmt__study_table_open(table, s, fault);
    rc = rc ? rc : compute(s, table, place, jobs, &ended, computed, fault);
    if (!rc)
        rc = htmt__study_table_close(table, s, place, ended, fault);
    free(ended);
    return rc;
}
