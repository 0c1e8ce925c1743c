/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The load of empty parcels, all eight stages, one event each, and how the emulator plays it.
 * SLICES times EACH parcels are in flight, each a pending event, GENERATIONS one after another: a
 * parcel starts the next one when it retires.
 */
#ifndef BENCH_STAGES_H
#define BENCH_STAGES_H

#include "bench/options.h"
#include "parcels/htmt.h"

#define BENCH_STAGES       8u    /* of a parcel */
#define BENCH_STAGE_CYCLES 1000u /* of each service */
#define BENCH_STAGE_BYTES  64u   /* moved in, and out */

struct bench_stages {
    uint32_t slices, each, generations;
};

static inline uint64_t bench_stages_count(const struct bench_stages *l)
{
    return (uint64_t)l->slices * l->each * l->generations * BENCH_STAGES;
}

/* Servers for everybody but the SPELL, room for everybody. Give it to htmt_machine_destroy(). */
struct htmt_machine *bench_stages_machine(void);

/* How it is played. */
struct bench_way {
    enum htmt_mode mode;
    enum htmt_clock clock;
    uint32_t clock_threads; /* 0: 1 */
    bool slopes;            /* htmt_options.slopes */
};

/* The emulator after its run, and the ns of that run a stage. */
struct htmt_emulator *bench_stages_run(const struct htmt_machine *m, struct bench_way way,
                                       const struct bench_stages *l, double *ns);

/* Prints the line of a case in the group `what`-SxP, with the number of stages as its work. */
void bench_stages_report(const char *what, const struct bench_stages *l, const char *name,
                         double ns);

/* Calls measure() for the load of the options, or for each of the usual ones. */
void bench_stages_each(const struct bench_options *o, const struct htmt_machine *m,
                       void (*measure)(const struct bench_options *o, const struct htmt_machine *m,
                                       const struct bench_stages *l));

#endif
