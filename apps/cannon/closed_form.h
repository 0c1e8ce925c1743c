/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The predicted time of Cannon's multiply without simulation: equation 4 of Amaral et al. and the
 * parcels of Hereld et al., section 3.2.1, evaluated on a machine.
 *
 * The reading of equation 4 that agrees with its authors' total: A and B are rearranged in full,
 * C is only written back; each product has two bundles inward and one outward; one subblock of C
 * leaves for each of the t^2 blocks:
 *     T = D_t[A] + D_t[B] + D_t[C] + q^3 (2 IP_DS + OP_SD + t^2 T_B),
 *     T_B = t (2 IP_SC + s max(M_S, D_S)) + OP_CS.
 * With q > 1 the rearranging for all products but the first is taken to hide behind the product
 * before; the term "transforms left out" says what this leaves out when it cannot.
 */
#ifndef HTMT_APPS_CANNON_CLOSED_FORM_H
#define HTMT_APPS_CANNON_CLOSED_FORM_H

#include "apps/cannon/plan.h"
#include "apps/lib/steps.h"

enum htmt__cannon_schedule {
    HTMT__CANNON_OVERLAPPED, /* all that the buffers allow: each 2 IP_SC but the first hides behind
                                the block multiply before; OP_CS does not, C has one subblock */
    HTMT__CANNON_PAPER,      /* equation 4 as above */
    HTMT__CANNON_SCHEDULES
};

/* Service times on one slice. A move counts its latency. */
struct htmt__cannon_times {
    htmt_time d_t;   /* D_t[A] = D_t[B] */
    htmt_time d_t_c; /* D_t[C] */
    htmt_time ip_ds; /* a bundle, DRAM to SRAM; of rectangles, like ip_sc and d_t, of A */
    htmt_time op_sd; /* a bundle, SRAM to DRAM */
    htmt_time ip_sc; /* a subblock, SRAM to CRAM */
    htmt_time op_cs; /* a subblock, CRAM to SRAM */
    htmt_time m_s;   /* a subblock product */
    htmt_time d_s;   /* an exchange of subblocks; A and B go at once, over different channels */
};

struct htmt__cannon_prediction {
    struct htmt__cannon_plan plan;
    struct htmt__cannon_times times;
    htmt_uwide flops;                          /* of the product that was asked for */
    htmt_uwide machine_flops;                  /* of the padded one */
    htmt_wide transforms;                      /* 2 D_t + D_t[C] */
    htmt_wide product[HTMT__CANNON_SCHEDULES]; /* one of the q^3, without transforms */
    htmt_wide total[HTMT__CANNON_SCHEDULES];
    htmt_wide work, fill, drain; /* of the total of one product */
    htmt_wide uneven; /* what one of too few parcels takes of transforms longer than is counted */
};

/* Errors: HTMT_EOVERFLOW (a count of operations passes 2^63, a service time 64-bit femtoseconds, a
 * sum 128-bit). */
int htmt__cannon_predict(const struct htmt_machine *m, const struct htmt__cannon_plan *plan,
                         struct htmt__cannon_prediction *prediction, struct htmt_fault *fault);

/* The same of prediction->plan, and append the lines of `predict`: the rows are evaluated once.
 * Errors: as above, HTMT_ENOMEM. */
int htmt__cannon_tell(const struct htmt_machine *m, struct htmt__cannon_prediction *prediction,
                      struct htmt_prediction *out, struct htmt_fault *fault);

/* The total by cause, of one product; of several, which hide each other's transforms, nothing. */
void htmt__cannon_causes(const struct htmt__cannon_prediction *p,
                         enum htmt__cannon_schedule schedule, htmt_wide part[HTMT_PATH_CAUSES]);

/* ---- other models of execution (apps/lib/execution.h) ---------------------------------------- */

/* serial.c. One processor multiplies blocks of b x b elements, three of which fit its memory; a
 * block of C stays while those of A and B come. Errors: HTMT_ECAPACITY (no block fits),
 * HTMT_ENOMEM.
 */
int htmt__cannon_serial(struct htmt_task *task, const struct htmt__cannon_problem *problem,
                        const struct htmt__cannon_charges *charges, struct htmt_prediction *out);

#endif
