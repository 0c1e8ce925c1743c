/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parcel program: tasklets in the scratch memory of each slice (tasklet.c), and what leads them
 * from the outer memory (outer.c): the machine's host where it has one, else the outer processor of
 * slice 0, which sends puts and signals instead of commands.
 */
#ifndef HTMT_APPS_PRIM_PROGRAM_H
#define HTMT_APPS_PRIM_PROGRAM_H

#include "apps/prim/plan.h"

/* Where the outer program's time goes. */
enum htmt__prim_phase {
    HTMT__PRIM_TO,     /* input goes to the slices */
    HTMT__PRIM_KERNEL, /* programs run, from launch to end */
    HTMT__PRIM_FROM,   /* results come back */
    HTMT__PRIM_OTHER,  /* between slices, by the outer program: partial results, merge */
    HTMT__PRIM_PHASES
};

struct htmt__prim_run {
    const struct htmt__prim_plan *plan;
    struct htmt_emulator *e;
    struct htmt_frame *bank, *scratch, *shared, *stacks;
    struct htmt_object *in[2], *out, *result; /* outer; result: of each slice, then its offset */
    struct htmt_slot outer;                   /* where slices tell that they have ended */
    struct htmt_ref *tasklet;                 /* of slice 0 */
    uint32_t place;                           /* of the outer program */
    uint64_t *kept;                           /* bytes of each slice's output; NULL: all */
    /* The outer program's own. */
    unsigned at; /* the next step */
    htmt_time since, time[HTMT__PRIM_PHASES];
};

/* Of one slice: its tasklets, which wait for a launch. */
int htmt__prim_tasklets_create(struct htmt__prim_run *run);
/* The slot of a tasklet's fiber in a slice; that which a launch signals. */
struct htmt_slot htmt__prim_slot(const struct htmt__prim_run *run, uint32_t slice, uint32_t tasklet,
                                 uint32_t fiber);
struct htmt_slot htmt__prim_entry(const struct htmt__prim_run *run, uint32_t slice);
/* The run that a kernel is of; it and its plan are constants of what is recorded. */
const struct htmt__prim_run *htmt__prim_kernel_run(struct htmt_kernel *k);
/* The outer program. */
int htmt__prim_outer_create(struct htmt__prim_run *run);

/* What a report says of it (report.c), after the run too: with HTMT_ENOMEM, or HTMT_ESYSTEM: other
 * processes are gone. */
void htmt__prim_describe(struct htmt_task *task, const struct htmt__prim_plan *plan);
int htmt__prim_conclude(struct htmt_task *task, struct htmt__prim_run *run);

#endif
