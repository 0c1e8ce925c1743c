/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reports of a program that drives its emulators itself: what `htmt run` prints about its own
 * applications, for any emulator whose run is over, complete or not. The result of a program is its
 * own to check and to print.
 *
 * The host calls these functions after htmt_emulator_run(), from any thread. Two emulators may be
 * reported at once, and one emulator may be reported twice at once: nothing is changed. NULL, and
 * an emulator that was not run or still runs (also from its controls and kernels), give HTMT_EINVAL
 * before anything is printed.
 *
 * Reports are as wide as the page: the terminal that `out` is, at most 98 columns; 98 for any other
 * stream; or the number in the environment's COLUMNS. Names are printed without their control
 * characters. Each section begins with an empty line and a heading, which names the clock of its
 * times. `out` stays open; it may keep its last bytes until the program closes it.
 *
 * Errors of every function that prints: HTMT_EINVAL, HTMT_ENOMEM, HTMT_EIO (`out` has had an
 * error).
 */
#ifndef HTMT_EMUL_REPORT_HTMT_REPORT_H
#define HTMT_EMUL_REPORT_HTMT_REPORT_H

#include "parcels/htmt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- whole reports -------------------------------------------------------------------------- */

/* The whole report: predicted time, what the run left over, host figures, phases, resources,
 * memories, sections, bottlenecks; after htmt_options.lint the departures, after
 * htmt_options.explain the explanation; open figures of the machine; version, machine and history
 * hash. A run that failed is reported up to there, under its fault, and a deadlock has the print of
 * htmt_deadlock_print() before it. So have accounts that do not balance (htmt_audit()). All of
 * these return 0. */
int htmt_report_print(const struct htmt_emulator *e, FILE *out);

/* The same, and the table of htmt_report_summary(), as one JSON object in ASCII and a newline.
 * docs/json.md documents it: it has every key of a run. What only the command knows is null, or an
 * empty array. */
int htmt_report_json(const struct htmt_emulator *e, FILE *out);

/* ---- parts ---------------------------------------------------------------------------------- */

/* Of one parcel of each type: its time, operations, words; how much of each resource it uses beside
 * the principal one. */
int htmt_report_summary(const struct htmt_emulator *e, FILE *out);

/* The critical path by cause; data: htmt_path_find() (parcels/path.h). Errors: HTMT_EINVAL also
 * without htmt_options.explain. */
int htmt_report_explanation(const struct htmt_emulator *e, FILE *out);

/* Departures from percolation; data: htmt_departure_at(). Their price is given as the charges of
 * the moves that they save. To emulate these moves, run the program again with
 * htmt_options.what_if. Errors: HTMT_EINVAL also without htmt_options.lint. */
int htmt_report_lint(const struct htmt_emulator *e, FILE *out);

/* The five worst of the limits below; nothing if the run used nothing. */
int htmt_report_bottlenecks(const struct htmt_emulator *e, FILE *out);

/* A limit of a run: a resource, space in a memory, or the latency of a network; docs/cli.md has the
 * rule of their order. */
struct htmt_limit_report {
    char name[2 * HTMT_NAME_MAX + 8]; /* of htmt_resource_at(), "CRAM space", "vortex latency" */
    bool space;
    bool binding;       /* saturated; or space, if no resource is saturated */
    double utilization; /* share in use of the busiest slice, 0 to 1; of space: peak / capacity; of
                           a latency: messages in flight of the slice that sends most, but no
                           more than the share of time in which the most used resource rests */
    double mean_wait_s; /* of one service; 0 for space */
    double mean_queue;  /* items waiting, averaged over time, in the slice where most do; of a
                           latency: messages of a slice in flight */
};

/* Limits, the worst first. Unused resources and memories that nobody waited for are no limits. The
 * count is 0 where there is nothing to report (NULL, not run), and without host memory.
 * Errors: HTMT_EINVAL (also no such index), HTMT_ENOMEM. */
uint32_t htmt_limit_count(const struct htmt_emulator *e);
int htmt_limit_at(const struct htmt_emulator *e, uint32_t index, struct htmt_limit_report *limit);

/* ---- determinism ---------------------------------------------------------------------------- */

/* A program that can be run again. Its steps get `user`; one run is over, its emulator destroyed
 * and destroy() called, before the next one is created. All on the thread of the caller. */
struct htmt_determinism_desc {
    size_t size; /* of this struct; 0: as in the first version with soname libhtmt.so.1 */
    /* Of the first run. The others have other `threads`, `layer_threads` and `delay_seed`. Its
     * observers are called in every run; `cancelled` also after each. */
    const struct htmt_options *options;
    /* Sets up objects, types and root parcels, from the same input each time. An error ends the
     * check with its code. */
    int (*create)(struct htmt_emulator *e, void *user);
    /* A digest of the results of a run that succeeded, before its emulator is destroyed. It must be
     * the same for every run. May be NULL: events alone are compared. */
    uint64_t (*result)(struct htmt_emulator *e, void *user);
    /* After each run, when its emulator has been destroyed, and after an error of create(). May be
     * NULL. */
    void (*destroy)(void *user);
    void *user;
};

/* Zeros and the size. */
static inline struct htmt_determinism_desc htmt_determinism_desc_init(void)
{
    struct htmt_determinism_desc d = {
        sizeof(struct htmt_determinism_desc), NULL, NULL, NULL, NULL, NULL};
    return d;
}

#define HTMT_DETERMINISM_RUNS 4 /* 1, 2, 3 and 8 threads, with random host delays */

struct htmt_determinism_report {
    bool equal;
    uint32_t runs;    /* compared with the first, up to the one that differs */
    uint64_t events;  /* of the first run */
    uint32_t threads; /* of the run that differs; 0: of one by windows... */
    uint64_t delay_seed;
    char difference[500];            /* ...and how, in one line; empty: it does not */
    uint64_t number;                 /* its first different event, from 0 */
    char first[240], differing[240]; /* that event in the first run and in the other; empty: no
                                        event differs, but a time, a hash or a result */
};

/* Runs the program with the threads and delays that it asks for, then HTMT_DETERMINISM_RUNS times
 * with others. Every event, the predicted time, the history hash and the digest of the results must
 * be the same. If an event differs, one more run finds out which is the first. All these runs are
 * observed, so their clock is sequential; a model run that does not ask for that clock is made
 * twice more by HTMT_CLOCK_SHARED, on one clock thread and on two. Errors: HTMT_ENONDET (two runs
 * differ; the line is in *fault and in report->difference), HTMT_EINVAL (no description, or one of
 * a newer libhtmt), HTMT_ENOMEM, those of creating and running an emulator, those of create().
 * *report is valid after 0 and HTMT_ENONDET. `fault` may be NULL. */
int htmt_determinism_check(const struct htmt_determinism_desc *desc,
                           struct htmt_determinism_report *report, struct htmt_fault *fault);

/* The section that the command prints after --check-determinism. */
int htmt_determinism_print(const struct htmt_determinism_report *report, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
