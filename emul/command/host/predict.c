/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The function becomes a plug-in (call_files.c), which this process loads and runs on the machine,
 * its operations played. One service makes R calls, so what a call leaves in the caches is there
 * for the next one. With T(R) the time of such a service,
 *
 *     first = T(1),    next = (T(2 R) - T(R)) / R,
 *
 * where R = 1, 2, 4, .. doubles until the later calls take as long as all of T(1): the misses of a
 * first call that is short hide the next ones, which would seem to take no time. It also doubles
 * while missed branches become fewer, by the third and fourth call at the earliest: a call that is
 * made again and again with the same data takes the same ways, which the predictor learns within a
 * few calls. By hand, 500 binary searches: 1516 missed branches in the first call, 1907 in the
 * second, 1163 in the third and fourth each, 68 in the fifth to eighth, none in later ones. With
 * the same R the call is played again on a machine each of whose measured figures is as slow as its
 * middle sample: by how much that takes longer widens the interval.
 */
#define _GNU_SOURCE /* sigabbrev_np */
#include "emul/command/host/predict.h"

#include "emul/command/host/call_clock.h"
#include "emul/lib/questions/quiet_run.h"
#include "emul/lib/questions/walls.h"
#include "emul/validate/against_clock.h"
#include "layers/machine/nodes.h"
#include "parcels/operation.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS_MOST 65536
#define LITTLE      0.02 /* of a call: what missed branches take does not count */
#define LEARNS      0.75 /* of what they took in the calls before: the predictor still learns */

/* ---- the prediction -------------------------------------------------------------------------- */

/* `rounds` calls of number `which`. `slow`: changes of the machine, or NULL. */
struct played {
    const struct htmt__call_files *files;
    const struct htmt_app *app;
    const struct htmt__slow_figures *slow;
    unsigned which;
};

struct service {
    double ns;
    struct htmt__shares shares; /* in fs */
};

static int play(const struct played *p, unsigned rounds, struct service *s)
{
    static const struct htmt_operations no_tape = {.type = NULL};
    const struct htmt__call_files *f = p->files;
    struct htmt_operations_report report;
    char words[60];
    struct htmt__quiet_run *run = calloc(1, sizeof *run);
    if (!run)
        return htmt_fault_set(f->fault, HTMT_ENOMEM, "out of memory");
    snprintf(words, sizeof words, "--rounds %u --which %u --slices 1", rounds, p->which);
    const unsigned slower = p->slow ? p->slow->n : 0, n = slower + f->several.n;
    const char **set = n ? calloc(n, sizeof *set) : NULL;
    if (n && !set) {
        free(run);
        return htmt_fault_set(f->fault, HTMT_ENOMEM, "out of memory");
    }
    for (unsigned i = 0; i < n; i++)
        set[i] = i < slower ? p->slow->set[i] : f->several.set[i - slower];
    int rc = htmt__quiet_run_prepare(p->app, words, f->options->machine, set, n, run, f->fault);
    run->request.emulator.mode = HTMT_RUN;
    run->request.emulator.operations = &no_tape;
    run->request.emulator.cold_caches = true;
    rc = rc ? rc : htmt__quiet_run_emulate(run, f->fault);
    *s = (struct service){.ns = 0};
    if (!rc && !htmt_operations_at(run->outcome.emulator, 0, &report)) {
        rc = report.counted ? htmt_fault_set(f->fault, HTMT_EUSAGE, "%s", report.why) : 0;
        htmt__shares_add(&s->shares, &report, 1);
    }
    if (!rc)
        s->ns = 1e-6 * (double)htmt_predicted(run->outcome.emulator);
    htmt__quiet_run_clear(run);
    free(run);
    free(set);
    return rc;
}

static int find_interval(struct played *p, const struct htmt_machine *machine, unsigned rounds,
                         double fast, struct htmt__predicted *predicted)
{
    struct htmt__slow_figures slow;
    struct service some = {.ns = 0}, twice = {.ns = 0};
    int rc = htmt__slow_figures(machine, &slow);
    if (rc)
        htmt_fault_set(p->files->fault, rc, "out of memory");
    p->slow = &slow;
    if (!rc && slow.n)
        rc = play(p, rounds, &some);
    if (!rc && slow.n)
        rc = play(p, 2 * rounds, &twice);
    predicted->expected = htmt__interval(predicted->next, fast, twice.ns - some.ns,
                                         &predicted->shares, htmt__calibration_of(machine));
    htmt__slow_figures_free(&slow);
    return rc;
}

/* ns that missed branches took in the longer service beyond the shorter one. */
static double missed_between(const struct service *shorter, const struct service *longer)
{
    return 1e-6 *
           (longer->shares.of[HTMT__NODE_BY_BRANCHES] - shorter->shares.of[HTMT__NODE_BY_BRANCHES]);
}

static int predict(const struct htmt__call_files *f, const struct htmt_app *app,
                   const struct htmt_machine *machine, bool interval, unsigned which,
                   struct htmt__predicted *predicted)
{
    struct played p = {.files = f, .app = app, .which = which};
    struct service first = {.ns = 0}, some, twice = {.ns = 0};
    unsigned rounds = 1;
    int rc = play(&p, rounds, &first);
    double missed = 0;
    for (some = first; !rc; rounds *= 2, some = twice) {
        rc = play(&p, 2 * rounds, &twice);
        const double before = missed;
        missed = missed_between(&some, &twice) / rounds;
        const bool learns = missed > LITTLE * (twice.ns - some.ns) / rounds &&
                            (rounds == 1 || missed < LEARNS * before);
        if ((twice.ns - some.ns >= first.ns / 2 && !learns) || 2 * rounds >= ROUNDS_MOST)
            break;
    }
    predicted->first = first.ns;
    predicted->next = (twice.ns - some.ns) / rounds;
    predicted->shares =
        htmt__shares_between(htmt__machine_inside(machine), &some.shares, &twice.shares);
    return rc || !interval ? rc : find_interval(&p, machine, rounds, twice.ns - some.ns, predicted);
}

/* ---- a process of its own -------------------------------------------------------------------- */

/* Memory of both processes. */
struct found {
    int rc; /* UNKNOWN: the process ended before */
    struct htmt_fault fault;
    struct htmt__predicted predicted[];
};
#define UNKNOWN (-1)

/* Plays the calls of the plug-in, and times them. */
static int run_functions(const struct htmt__call_files *f, struct htmt__command *program,
                         const struct htmt_machine *machine, bool intervals,
                         struct htmt__predicted *predicted)
{
    const struct htmt_app *app = NULL;
    int rc = htmt__application_find(&program->apps, f->plugin, &app, f->fault);
    for (unsigned i = 0; i < f->calls && !rc; i++)
        rc = predict(f, app, machine, intervals, i, &predicted[i]);
    return rc || !f->options->clock ? rc : htmt__call_clock(f, predicted);
}

static int tell_end(const struct htmt__call_files *f, int status)
{
    const int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (!by)
        return htmt_fault_set(f->fault, HTMT_EUSAGE, "%s: the call ends the process",
                              f->options->source);
    if (!sigabbrev_np(by)) /* of real time */
        return htmt_fault_set(f->fault, HTMT_EUSAGE, "%s: signal %d ends the call",
                              f->options->source, by);
    return htmt_fault_set(
        f->fault, HTMT_EUSAGE, "%s: the call raises SIG%s%s", f->options->source, sigabbrev_np(by),
        by == SIGSEGV || by == SIGBUS ? ": it touches memory beyond its arrays" : "");
}

/* A function may print, end the process, or touch what is not its own. So it runs in a process that
 * has no output, and whose end is one line. */
static int run_apart(struct htmt__call_files *f, struct htmt__command *program,
                     const struct htmt_machine *machine, bool intervals,
                     struct htmt__predicted *predicted)
{
    const size_t of_calls = f->calls * sizeof *predicted, bytes = sizeof(struct found) + of_calls;
    struct found *found =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = 0;
    if (found == MAP_FAILED)
        return htmt_fault_set(f->fault, HTMT_ENOMEM, "out of memory");
    found->rc = UNKNOWN;
    memcpy(found->predicted, predicted, of_calls);
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_RDWR);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        f->fault = &found->fault;
        found->rc = run_functions(f, program, machine, intervals, found->predicted);
        _exit(0);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    int rc = found->rc;
    if (child < 0)
        rc =
            htmt_fault_set(f->fault, HTMT_ESYSTEM, "no process to call it in: %s", strerror(errno));
    else if (status || rc == UNKNOWN)
        rc = tell_end(f, status);
    else if (rc)
        *f->fault = found->fault;
    memcpy(predicted, found->predicted, of_calls);
    munmap(found, bytes);
    return rc;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int check_machine(const struct htmt__predict_options *o, const struct htmt_machine *m,
                         char layer[HTMT_NAME_MAX], double *hertz, struct htmt__several *several,
                         struct htmt_fault *fault)
{
    uint32_t l = 0;
    while (l < m->layer_count && !htmt__machine_node(m, l))
        l++;
    if (l == m->layer_count)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--machine: no processor of %s has an inside, expected a file of "
                              "'htmt host measure'",
                              o->machine);
    struct htmt__walls_host host;
    int rc = o->clock ? htmt__walls_of_host(m, o->machine, "--against-clock", &host, fault) : 0;
    if (rc)
        return rc;
    const struct htmt_ratio fs = m->layer[l].processor.time[HTMT_CYCLE];
    *hertz = fs.num ? 1e15 * (double)fs.den / (double)fs.num : 0;
    snprintf(layer, HTMT_NAME_MAX, "%s", m->layer[l].name);
    return htmt__several_cores(htmt__machine_node(m, l), layer, *hertz > 0 ? 1e15 / *hertz : 1,
                               o->cores, several, fault);
}

int htmt__predict_calls(struct htmt__command *program, const struct htmt__predict_options *options,
                        const char *const *calls, unsigned n, bool intervals,
                        struct htmt__predicted *predicted, struct htmt_fault *fault)
{
    struct htmt__call_files *f = calloc(1, sizeof *f);
    struct htmt__call *call = calloc(n, sizeof *call);
    struct htmt_machine *machine = NULL;
    char layer[HTMT_NAME_MAX];
    int rc = f && call ? 0 : htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    memset(predicted, 0, n * sizeof *predicted);
    for (unsigned i = 0; i < n && !rc; i++)
        rc = htmt__call_read(calls[i], &call[i], fault);
    if (rc)
        goto done;
    *f = (struct htmt__call_files){.options = options, .calls = n, .fault = fault, .layer = layer};
    rc = htmt_machine_load(options->machine, NULL, 0, &machine, fault);
    rc =
        rc ? rc : check_machine(options, machine, layer, &predicted->own_hertz, &f->several, fault);
    predicted->threads = f->several.threads;
    if (!rc) {
        const struct htmt__node_figures *inside = htmt__machine_inside(machine);
        f->core = (struct htmt_host_expected){htmt__machine_nothing(machine),
                                              inside ? inside->reorder : 0};
        htmt__disturbed_find(machine, true, &predicted->disturbed);
    }
    for (unsigned i = 1; i < n; i++)
        predicted[i] = predicted[0];
    rc = rc ? rc : htmt__call_files_open(f);
    rc = rc ? rc : htmt__call_files_build(f, call);
    rc = rc ? rc : run_apart(f, program, machine, intervals, predicted);
    if (rc)
        htmt__call_files_name_source(f);
    htmt__call_files_close(f);
done:
    htmt_machine_destroy(&machine);
    free(call);
    free(f);
    return rc;
}

int htmt__predict(struct htmt__command *program, const struct htmt__predict_options *options,
                  struct htmt__predicted *predicted, struct htmt_fault *fault)
{
    return htmt__predict_calls(program, options, &options->call, 1, true, predicted, fault);
}
