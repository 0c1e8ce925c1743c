/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The predicted time of focusing without simulation.
 *
 * A phase is n parcels of one type that follow each other through the stages gather, inject,
 * execute on the SPELL, eject and scatter, with service times t_k. It takes
 *
 *     fill + (n - 1) bottleneck + drain,    fill + drain = sum of t_k and latencies,
 *     bottleneck = max(t_k, (inject + execute + eject) / parcels that fit CRAM).
 *
 * The services of unequal parcels are replaced by their means. The phases of a patch run one after
 * another; each begins when a signal reports the end of the last. Strips are read before the phases
 * and written after them. Other patches hide this time:
 *
 *     T = read + phases + write + (patches of the busiest slice - 1) period,
 *     period = max(phases, DPIM, each channel of HRAM, (read + phases + write) / 2 frames).
 *
 * All terms consist of the decomposition's counts and loads and of the machine's figures only.
 */
#ifndef HTMT_APPS_SAR_CLOSED_FORM_H
#define HTMT_APPS_SAR_CLOSED_FORM_H

#include "apps/lib/steps.h"
#include "apps/lib/term_tree.h"
#include "apps/sar/decomposition.h"

/* The parcels of a stage of lines or references for one patch, in fs. */
struct htmt__sar_phase {
    uint32_t parcels;
    htmt_wide gather; /* of the first parcel */
    htmt_wide fill_and_drain, bottleneck, takes;
};

struct htmt__sar_prediction {
    struct htmt__sar_decomposition decomposition;
    struct htmt__sar_phase phase[HTMT__SAR_STAGES];
    htmt_wide total;
    htmt_wide work, fill, drain; /* of the total of one patch a slice */
    double flops;                /* of all patches */
};

/* Errors: HTMT_EOVERFLOW (a service takes more than 64-bit femtoseconds), HTMT_ENOMEM. */
int htmt__sar_predict(const struct htmt_machine *m,
                      const struct htmt__sar_decomposition *decomposition,
                      struct htmt__sar_prediction *prediction, struct htmt_fault *fault);

/* Append the lines of `predict`. Errors: HTMT_ENOMEM. */
int htmt__sar_tell(const struct htmt_machine *m, const struct htmt__sar_costs *costs,
                   const struct htmt__sar_prediction *prediction, struct htmt_prediction *out,
                   struct htmt_fault *fault);

/* The total by cause, for one patch a slice. Nothing for several patches, which hide each other's
 * time. */
void htmt__sar_causes(const struct htmt_machine *m, const struct htmt__sar_prediction *p,
                      htmt_wide part[HTMT_PATH_CAUSES]);

/* ---- other models of execution (apps/lib/execution.h) ---------------------------------------- */

/* Values and the rows of operations that both forms use. */
#define HTMT__SAR_VALUES 24
size_t htmt__sar_values(const struct htmt__sar_decomposition *c,
                        struct htmt_term_count of[HTMT__SAR_VALUES]);
extern const struct htmt_term_row htmt__sar_flop_rows[];

/* serial.c, mpp.c, of an undivided decomposition. Errors: those of htmt_serial_tell(), and
 * HTMT_ECAPACITY (a memory of less than two points). */
int htmt__sar_serial(struct htmt_task *task, const struct htmt__sar_decomposition *c,
                     struct htmt_prediction *out);
int htmt__sar_mpp(struct htmt_task *task, const struct htmt__sar_decomposition *c,
                  struct htmt_prediction *out);

#endif
