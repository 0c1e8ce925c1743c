/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The least counts of many samples of some tens of microseconds, each on a core that is at its
 * best. Several cores each load a copy of the code, whose arrays are then its own, and call it at
 * once.
 */
#include "emul/command/host/call_clock.h"

#include "apps/lib/host_clock.h"
#include "emul/command/host/together.h"
#include "emul/validate/against_clock.h"
#include "runtime/base/by_size.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

#define SAMPLES  60
#define AGREE    3 /* rounds that show the same */
#define NEARLY   1.02
#define PAUSE    20000000L /* ns between rounds */
#define LONGEST  2.0       /* s, of all rounds, and */
#define LONGER   0.1       /* s more for each call beside the first */
#define SAMPLE   30e-6     /* s, of a sample at least */
#define PATIENCE 3e-3
#define TOGETHER 24   /* samples of several cores */
#define INTERVAL 3e-3 /* s, of such a sample at least */

typedef void fill_fn(unsigned long long which);
typedef void calls_fn(unsigned long long which, unsigned long long n);

struct timed {
    calls_fn *calls;
    unsigned which;
};

static void run_calls(void *user, uint64_t n)
{
    const struct timed *t = user;
    t->calls(t->which, n);
}

static unsigned known(unsigned free)
{
    return free < HTMT__AGAINST_FREE ? free : HTMT__AGAINST_FREE;
}

/* The least so far: of samples that a still core took, or the least of all where it never was, told
 * as they would be at the machine's clock. */
static void sample(struct timed *t, struct htmt_host_core *core, struct htmt__predicted *p)
{
    struct htmt_host_watch watch;
    double cycles[SAMPLES], still[SAMPLES], cycle[SAMPLES], least = 0;
    unsigned long long n = 1;
    unsigned quiet = 0;
    for (least = 0; least < SAMPLE; n *= least < SAMPLE ? 2 : 1) {
        htmt_host_watch_start(&watch);
        run_calls(t, n);
        least = htmt_host_watch_seconds(&watch);
    }
    for (unsigned i = 0; i < SAMPLES; i++) {
        const struct htmt_host_sample s =
            htmt_host_core_sample(core, PATIENCE, NULL, run_calls, t, n);
        cycles[i] = s.cycles / (double)n;
        cycle[i] = s.seconds / s.cycles;
        if (s.still)
            still[quiet++] = cycles[i];
    }
    double *of = quiet ? still : cycles;
    const unsigned count = quiet ? quiet : SAMPLES;
    qsort(of, count, sizeof *of, htmt__by_size);
    qsort(cycle, SAMPLES, sizeof *cycle, htmt__by_size);
    const double second = of[count > 8 ? 1 : 0]; /* as in apps/kernels/comparison.c */
    const double ns = 1e9 / p->own_hertz * second;
    const unsigned had = known(p->free), has = known(quiet);
    const bool better = p->clock <= 0 || has > had || (has == had && ns < p->clock);
    if (had && has && ns < NEARLY * p->clock && ns > p->clock / NEARLY)
        p->agree++;
    else if (better)
        p->agree = 1;
    if (!better)
        return;
    p->free = quiet;
    p->clock = ns;
    p->spread = of[count / 2] / second - 1;
    p->hertz = 1 / cycle[SAMPLES / 2];
}

static int open_calls(const struct htmt__call_files *f, const char *path, void **object,
                      fill_fn **fill, calls_fn **calls)
{
    *fill = NULL;
    *calls = NULL;
    *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*object) {
        *(void **)fill = dlsym(*object, "htmt_predict_fill");
        *(void **)calls = dlsym(*object, "htmt_predict_calls");
    }
    if (!*fill || !*calls) {
        const char *why = dlerror();
        return htmt_fault_set(f->fault, HTMT_ESYSTEM, "%s: %s", path, why ? why : "no symbol");
    }
    return 0;
}

/* ---- several cores --------------------------------------------------------------------------- */

/* Samples of all cores at once. Those count in which all were free, if there are any. */
static int sample_together(const struct htmt__call_files *f, struct htmt__host_crowd *crowd,
                           void *const *timed, struct htmt__predicted *p)
{
    double cycles[TOGETHER], still[TOGETHER], least = 0;
    struct htmt_host_watch watch;
    struct htmt__host_together found = {.cycle = 0};
    uint64_t n = 1;
    unsigned quiet = 0;
    for (least = 0; least < SAMPLE; n *= least < SAMPLE ? 2 : 1) {
        htmt_host_watch_start(&watch);
        run_calls(timed[0], n);
        least = htmt_host_watch_seconds(&watch);
    }
    for (unsigned i = 0; i < TOGETHER; i++) {
        if (htmt__host_run_together(crowd, f->options->cores, run_calls, timed, n, INTERVAL,
                                    &found))
            return htmt_fault_set(f->fault, HTMT_ESYSTEM,
                                  "--cores: no permission to run on %u processors",
                                  f->options->cores);
        cycles[i] = found.cycles;
        if (found.still)
            still[quiet++] = found.cycles;
    }
    double *of = quiet > 2 ? still : cycles;
    const unsigned count = quiet > 2 ? quiet : TOGETHER;
    qsort(of, count, sizeof *of, htmt__by_size);
    p->free = quiet;
    p->clock = 1e9 / p->own_hertz * of[1];
    p->spread = of[count / 2] / of[1] - 1;
    p->hertz = 1 / found.cycle;
    return 0;
}

/* Each core has a copy of the code, and so of its arrays. */
static int ask_cores(const struct htmt__call_files *f, struct htmt__predicted *p)
{
    const unsigned cores = f->options->cores;
    struct htmt__host_crowd *crowd = calloc(1, sizeof *crowd);
    void **object = calloc(cores, sizeof *object), **user = calloc(cores, sizeof *user);
    struct timed *timed = calloc(cores, sizeof *timed);
    fill_fn *fill;
    int rc = crowd && object && user && timed
                 ? 0
                 : htmt_fault_set(f->fault, HTMT_ENOMEM, "out of memory");
    if (!rc)
        htmt__host_crowd_find(crowd);
    if (!rc && crowd->cpus < cores)
        rc = htmt_fault_set(f->fault, HTMT_EUSAGE,
                            "--cores: found %u, expected at most the %u processors of this process",
                            cores, crowd->cpus);
    for (unsigned i = 0; i < cores && !rc; i++) {
        htmt_host_core_expect(&crowd->core[i], f->core);
        char copy[HTMT__CALL_PATH + 16];
        rc = i ? htmt__call_files_copy(f, i, copy) : 0;
        rc = rc ? rc : open_calls(f, i ? copy : f->plain, &object[i], &fill, &timed[i].calls);
        if (!rc)
            fill(0);
        user[i] = &timed[i];
    }
    rc = rc ? rc : sample_together(f, crowd, user, p);
    for (unsigned i = 0; object && i < cores; i++)
        if (object[i])
            dlclose(object[i]);
    free(crowd);
    free(object);
    free(user);
    free(timed);
    return rc;
}

/* ---- all ------------------------------------------------------------------------------------- */

int htmt__call_clock(const struct htmt__call_files *f, struct htmt__predicted *predicted)
{
    int rc = htmt__call_files_plain(f);
    if (rc)
        return rc;
    if (f->options->cores > 1)
        return ask_cores(f, predicted);
    void *object = NULL;
    calls_fn *calls = NULL;
    fill_fn *fill = NULL;
    struct htmt_host_core core = {0};
    htmt_host_core_expect(&core, f->core);
    rc = open_calls(f, f->plain, &object, &fill, &calls);
    /* What disturbs one round is over by another: a call is timed until three show the same. */
    const struct timespec pause = {.tv_nsec = PAUSE};
    const double began = htmt_host_seconds();
    const double longest = LONGEST + LONGER * (f->calls - 1);
    for (bool open = !rc; open && htmt_host_seconds() - began < longest;) {
        open = false;
        for (unsigned i = 0; i < f->calls; i++) {
            if (predicted[i].free >= HTMT__AGAINST_FREE && predicted[i].agree >= AGREE)
                continue;
            fill(i);
            sample(&(struct timed){calls, i}, &core, &predicted[i]);
            open = true;
        }
        if (open)
            nanosleep(&pause, NULL);
    }
    /* A thread beside this one may leave free looks between its turns. */
    for (unsigned i = 0; i < f->calls; i++)
        if (predicted[i].agree < 2 && predicted[i].free >= HTMT__AGAINST_FREE)
            predicted[i].free = HTMT__AGAINST_FREE - 1;
    if (object)
        dlclose(object);
    return rc;
}
