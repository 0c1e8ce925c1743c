/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The predicted time of a plasma step without simulation.
 *
 * n equal parcels go through a pipeline of stages (Hereld et al., Table 6 and Figure 4). The first
 * parcel takes the sum of its stages, each further parcel a period:
 *     period = max(assembly / DPIMs, gather, dispatch / SPIMs, inject, execute, eject, scatter,
 *                  (inject + execute + eject) / parcels that CRAM holds).
 * The last term is the loop of a place in CRAM: with room for one parcel, nothing is injected while
 * a parcel executes. Moves in the loop count their latencies.
 *
 * A step is the sum of its phases. Each phase is a pipeline or a round of DPIM parcels, with
 * exchanges between them (their words on one fiber, and a latency). The model assumes uniformly
 * distributed particles: the number that migrate follows from the deck's velocities.
 */
#ifndef HTMT_APPS_PIC_CLOSED_FORM_H
#define HTMT_APPS_PIC_CLOSED_FORM_H

#include "apps/lib/steps.h"
#include "apps/pic/plan.h"

/* The stages of one push parcel, in fs. */
struct htmt__pic_pipeline {
    htmt_wide inject, execute, eject; /* without latency */
    htmt_wide loop;                   /* a place in CRAM, */
    htmt_wide loops;                  /* shared by the parcels that fit */
    htmt_wide period;
    uint64_t buffers; /* parcels that fit */
};

struct htmt__pic_prediction {
    struct htmt__pic_plan plan;
    struct htmt__pic_pipeline push;
    uint64_t steps;
    htmt_wide total;                    /* all steps */
    htmt_wide work, fill, stall, drain; /* of push parcels alone */
    double flops;                       /* of all steps and slices */
};

/* steps: for a problem with cells, the steps of the run; otherwise, the steps of a typical run.
 * Errors: HTMT_EOVERFLOW, HTMT_ENOMEM. */
int htmt__pic_predict(const struct htmt_machine *m, const struct htmt__pic_plan *plan,
                      uint64_t steps, struct htmt__pic_prediction *prediction,
                      struct htmt_fault *fault);

/* Append the lines of `predict`. Errors: HTMT_ENOMEM. */
int htmt__pic_tell(const struct htmt_machine *m, const struct htmt__pic_prediction *prediction,
                   struct htmt_prediction *out, struct htmt_fault *fault);

/* The total by cause, for push parcels alone. Nothing if neither the SPELL nor room in CRAM bounds
 * them. */
void htmt__pic_causes(const struct htmt__pic_prediction *p, htmt_wide part[HTMT_PATH_CAUSES]);

/* Flops of the problem's pushes, deposits and transforms in so many steps. */
double htmt__pic_flops(const struct htmt__pic_problem *problem, uint64_t steps);

/* ---- other models of execution (apps/lib/execution.h) ---------------------------------------- */

/* serial.c. Errors: those of htmt_serial_tell(), HTMT_EUSAGE (push parcels alone). */
int htmt__pic_serial(struct htmt_task *task, const struct htmt__pic_problem *problem,
                     uint64_t steps, struct htmt_prediction *out);

#endif
