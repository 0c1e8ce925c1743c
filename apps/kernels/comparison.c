/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The clock of the host beside the prediction.
 *
 * A turn of a small kernel takes less than the clock resolves, so a sample is as many turns as last
 * LEAST. What disturbs a host only ever makes a sample longer: the fastest one of a core that was
 * the thread's alone before and after it counts. A disturbance may outlast all samples of a size;
 * so all sizes are measured ROUNDS times, one after another, and each keeps its best. The middle
 * sample of that round says how far the figure can be trusted. Sizes of which fewer than ENOUGH
 * samples found the core free are measured again, for MORE seconds at most.
 *
 * A sample is so many cycles of the clock that looks beside it showed. The times of the model are
 * those of the clock in the machine's file, so of a file of this host each sample is told as it
 * would be at that clock, and the clock of today beside it. That is right as far as what the sample
 * waits for goes with the clock. Of memory it does not, and there the times are off by at most as
 * much as the clock is.
 */
#include "apps/kernels/comparison.h"

#include "apps/formats/clock_rows.h"
#include "apps/formats/plot.h"
#include "apps/lib/host_clock.h"
#include "layers/machine/machine.h"
#include "runtime/base/by_size.h"
#include "runtime/base/whole_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SAMPLES   32
#define ENOUGH    3      /* samples, once they have taken LONGEST */
#define LEAST     50e-6  /* seconds of a sample */
#define LONGEST   0.05   /* of all of them */
#define PATIENCE  300e-6 /* seconds that a sample waits for a still core */
#define ROUNDS    6
#define MORE      2.0 /* seconds */
#define HUGE_PAGE (UINT64_C(2) << 20)

/* ---- the clock ------------------------------------------------------------------------------- */

struct timing {
    double cycles; /* of a turn that finds what the one before left: the second fastest sample */
    double fs;     /* of a cycle of that sample */
    double spread; /* how far the middle sample lies above it, as a part of it */
    unsigned free; /* samples whose core was the thread's alone */
};

struct turns {
    htmt__kernels_loop_fn *run;
    const struct htmt__kernels_loop_data *d;
    char *block;
};

static void run_turns(void *user, uint64_t n)
{
    const struct turns *t = user;
    for (uint64_t i = 0; i < n; i++)
        t->run(NULL, t->d, t->block);
}

static double seconds_of(struct turns *t, uint64_t n)
{
    struct htmt_host_watch watch;
    htmt_host_watch_start(&watch);
    run_turns(t, n);
    return htmt_host_watch_seconds(&watch);
}

/* Samples of a core that was still before and after them; where there is none, the fastest. */
static struct timing take_samples(struct turns *t, struct htmt_host_core *core)
{
    uint64_t turns = 1;
    seconds_of(t, 1); /* the caches and the pages are filled */
    while (seconds_of(t, turns) < LEAST)
        turns *= 2;
    struct htmt_host_sample least = {0};
    double sample[SAMPLES], begun = htmt_host_seconds();
    unsigned taken = 0;
    for (unsigned i = 0; taken < SAMPLES && (i < ENOUGH || htmt_host_seconds() - begun < LONGEST);
         i++) {
        const struct htmt_host_sample s =
            htmt_host_core_sample(core, PATIENCE, NULL, run_turns, t, turns);
        const bool first = !i || (s.still && !least.still);
        if (first || (s.cycles < least.cycles && (s.still || !least.still)))
            least = s;
        if (s.still)
            sample[taken++] = s.cycles / (double)turns;
    }
    const unsigned free = taken;
    if (!taken)
        sample[taken++] = least.cycles / (double)turns;
    qsort(sample, taken, sizeof *sample, htmt__by_size);
    /* A clock that was faster meanwhile than at both looks makes a sample too short. */
    const double second = sample[taken > ENOUGH ? 1 : 0];
    return (struct timing){second, 1e15 * least.seconds / least.cycles,
                           sample[taken / 2] / second - 1, free};
}

static unsigned known(const struct timing *t)
{
    return t->free < ENOUGH ? t->free : ENOUGH;
}

/* Measures one size, and keeps the best: the fastest of a core that was free ENOUGH times, or most
 * often. Errors: HTMT_ENOMEM. */
static int measure(const struct htmt__kernels_loop *loop, uint64_t n, struct htmt_host_core *core,
                   struct timing *best)
{
    struct htmt__kernels_loop_data d;
    htmt__kernels_loop_place(loop, n, &d);
    uint64_t bytes = (d.bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    char *block = aligned_alloc(HUGE_PAGE, bytes);
    if (!block)
        return HTMT_ENOMEM;
    madvise(block, bytes, MADV_HUGEPAGE);
    memset(block, 0, d.bytes);
    htmt__kernels_loop_fill(loop, &d, block);
    struct turns turns = {loop->run, &d, block};
    const struct timing found = take_samples(&turns, core);
    free(block);
    const unsigned had = known(best), has = known(&found);
    if (best->cycles <= 0 || has > had || (has == had && found.cycles < best->cycles))
        *best = found;
    return 0;
}

/* The cycle of the middle sample. */
static double middle_cycle(const struct timing *t, unsigned n)
{
    double sorted[HTMT__KERNELS_SIZES];
    for (unsigned i = 0; i < n; i++)
        sorted[i] = t[i].fs;
    qsort(sorted, n, sizeof *sorted, htmt__by_size);
    return sorted[n / 2];
}

static double cycle_of(const struct htmt_machine *m, uint32_t layer)
{
    const struct htmt_ratio cycle = m->layer[layer].processor.time[HTMT_CYCLE];
    return (double)cycle.num / (double)cycle.den;
}

/* A number of the processor's inside, as the file says; 0: it does not. A plug-in sees no inside
 * (htmt__machine_inside()), so it reads the figure. */
static double inside_of(const struct htmt_machine *m, const char *key)
{
    double value = 0;
    for (uint32_t i = 0; i < m->figure_count && !(value > 0); i++) {
        const char *at = strstr(m->figure[i].key, key);
        if (at && strcmp(at, key) == 0)
            sscanf(m->figure[i].value, "%lf", &value);
    }
    return value;
}

static struct htmt_host_expected expected_of(const struct htmt_machine *m)
{
    const double issue = inside_of(m, ".inside.issue");
    return (struct htmt_host_expected){issue > 0 ? 1 / issue : 0, inside_of(m, ".inside.reorder")};
}

int htmt__kernels_compare(const struct htmt__kernels_plan *plan,
                          const struct htmt__kernels_program *program,
                          const struct htmt_machine *machine, struct htmt__kernels_comparison *c)
{
    static const char of_host[] = "this host, ";
    struct htmt_host_core core = {.cycle = 0};
    struct timing plain[HTMT__KERNELS_SIZES] = {{0}};
    int rc = 0;
    htmt_host_core_expect(&core, expected_of(machine));
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < plan->sizes && !rc; i++)
            rc = measure(plan->loop, plan->n[i], &core, &plain[i]);
    const double end = htmt_host_seconds() + MORE;
    for (bool few = true; few && !rc && htmt_host_seconds() < end;) {
        few = false;
        for (unsigned i = 0; i < plan->sizes && !rc; i++)
            if (plain[i].free < ENOUGH) {
                few = true;
                rc = measure(plan->loop, plan->n[i], &core, &plain[i]);
            }
    }
    if (rc)
        return rc;
    *c = (struct htmt__kernels_comparison){.sizes = plan->sizes};
    const double now = middle_cycle(plain, plan->sizes),
                 own = strncmp(machine->about, of_host, sizeof of_host - 1)
                           ? now
                           : cycle_of(machine, plan->layer);
    c->clock = 1e6 / now;
    c->own_clock = 1e6 / own;
    for (unsigned i = 0; i < plan->sizes; i++) {
        c->n[i] = (double)plan->n[i];
        c->plain[i] = 1e-6 * own * plain[i].cycles;
        c->spread[i] = 100 * plain[i].spread;
        c->free[i] = plain[i].free;
        c->model[i] = 1e-6 * htmt__kernels_turn_fs(program, i);
        c->error[i] = 100 * (c->model[i] / c->plain[i] - 1);
        c->mean += fabs(c->error[i]) / plan->sizes;
        c->worst = fmax(c->worst, fabs(c->error[i]));
    }
    return 0;
}

/* ---- what is told ---------------------------------------------------------------------------- */

/* Errors of several sizes in a line. */
#define IN_A_LINE 6

void htmt__kernels_tell(struct htmt_task *task, const struct htmt__kernels_comparison *c)
{
    char line[200];
    htmt_task_found(task, "error_mean", c->mean, "%");
    htmt_task_found(task, "error_worst", c->worst, "%");
    htmt_task_found(task, "clock_now", 1e9 * c->clock, "Hz");
    htmt_task_note(task, "this host's clock: %.3f GHz now; times are those at %.3f GHz", c->clock,
                   c->own_clock);
    htmt_task_note(task, "against this host's clock: mean error %.1f %%, worst %.1f %%", c->mean,
                   c->worst);
    for (unsigned i = 0; i < c->sizes; i += IN_A_LINE) {
        size_t used = 0;
        for (unsigned k = i; k < c->sizes && k < i + IN_A_LINE; k++)
            used += (size_t)snprintf(line + used, sizeof line - used, "%sN %.0f %+.0f %%",
                                     k > i ? ", " : "errors: ", c->n[k], c->error[k]);
        htmt_task_note(task, "%s", line);
    }
}

int htmt__kernels_write_csv(const char *path, const struct htmt__kernels_plan *plan,
                            const struct htmt__kernels_comparison *c, struct htmt_fault *fault)
{
    struct htmt_whole_file *file = NULL;
    int rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    FILE *out = htmt_whole_file_stream(file);
    htmt__clock_rows_head(out);
    for (unsigned i = 0; i < c->sizes; i++)
        htmt__clock_rows_put(out, &(struct htmt__clock_row){plan->loop->name, c->n[i], c->model[i],
                                                            c->plain[i], c->spread[i], c->error[i],
                                                            c->free[i]});
    return htmt_whole_file_commit(&file, fault);
}

/* Times of one element, so that small and large arrays are seen on one axis. */
static void each(const struct htmt__kernels_comparison *c, const double *turn, double *element)
{
    for (unsigned i = 0; i < c->sizes; i++)
        element[i] = turn[i] / c->n[i];
}

int htmt__kernels_write_plot(const char *path, const struct htmt__kernels_plan *plan,
                             const char *machine, const struct htmt__kernels_comparison *c,
                             struct htmt_fault *fault)
{
    double model[HTMT__KERNELS_SIZES], plain[HTMT__KERNELS_SIZES];
    char title[160];
    each(c, c->model, model);
    each(c, c->plain, plain);
    const struct htmt__plot_curve errors[] = {
        {"model against clock", HTMT__PLOT_LINE, c->sizes, c->n, c->error}};
    const struct htmt__plot below = {.x_label = "N",
                                     .y_label = "error, %",
                                     .log_x = true,
                                     .width = 800,
                                     .height = 300,
                                     .curves = errors,
                                     .count = 1};
    const struct htmt__plot_curve times[] = {{"model", HTMT__PLOT_LINE, c->sizes, c->n, model},
                                             {"clock", HTMT__PLOT_POINTS, c->sizes, c->n, plain}};
    snprintf(title, sizeof title, "%s on %s: time for an element", plan->loop->name, machine);
    const struct htmt__plot plot = {.title = title,
                                    .y_label = "ns",
                                    .log_x = true,
                                    .width = 800,
                                    .height = 400,
                                    .curves = times,
                                    .count = 2,
                                    .below = &below};
    return htmt__plot_write(path, &plot, fault);
}
