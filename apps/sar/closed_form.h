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
 * All terms consist of the cut's counts and loads and of the machine's figures only.
 */
#ifndef HTMT_APPS_SAR_CLOSED_FORM_H
#define HTMT_APPS_SAR_CLOSED_FORM_H

#include "apps/lib/app.h"
#include "apps/sar/costs.h"
#include "apps/sar/decomposition.h"

/* Stages of a parcel, in order. */
enum htmt__sar_station {
    HTMT__SAR_GATHER,  /* DRAM to SRAM; of strips HRAM to DRAM */
    HTMT__SAR_INJECT,  /* SRAM to CRAM */
    HTMT__SAR_EXECUTE, /* the SPELL; of strips the DPIMs */
    HTMT__SAR_EJECT,   /* CRAM to SRAM; of strips DRAM to HRAM */
    HTMT__SAR_SCATTER, /* SRAM to DRAM */
    HTMT__SAR_STATIONS
};

/* The parcels of a stage for one patch, in fs. */
struct htmt__sar_phase {
    uint32_t parcels;
    struct htmt__sar_load load;          /* of the first parcel */
    htmt_wide first[HTMT__SAR_STATIONS]; /* services of the first parcel */
    htmt_wide longest[HTMT__SAR_STATIONS];
    htmt_wide busy[HTMT__SAR_STATIONS];  /* of all parcels */
    htmt_wide apart[HTMT__SAR_STATIONS]; /* the same, divided among the receiving channels */
    htmt_wide latency;                   /* of all moves of a parcel */
    uint64_t fit;                        /* parcels that fit CRAM at once */
    htmt_wide fill_and_drain, bottleneck, single, takes; /* single: bottleneck if only one fits */
};

struct htmt__sar_prediction {
    struct htmt__sar_decomposition decomposition;
    struct htmt__sar_phase phase[HTMT__SAR_STAGES];
    htmt_wide lines[HTMT__SAR_STATIONS]; /* busy for a patch, without references and strips */
    htmt_wide references, dpim;          /* work for a patch: of references, of all DPIMs */
    htmt_wide spell;                     /* of a SPELL */
    htmt_wide phases;                    /* from the first gather to the last scatter of a patch */
    htmt_wide read, write;               /* of a patch */
    htmt_wide period, total;
    double flops; /* of all patches */
};

/* Errors: HTMT_EOVERFLOW (a service takes more than 64-bit femtoseconds). */
int htmt__sar_predict(const struct htmt_machine *m,
                      const struct htmt__sar_decomposition *decomposition,
                      struct htmt__sar_prediction *prediction, struct htmt_fault *fault);

/* Append the lines of `predict`. */
void htmt__sar_tell(const struct htmt_machine *m, const struct htmt__sar_costs *costs,
                    const struct htmt__sar_prediction *prediction, struct htmt_prediction *out);

/* The total by cause, for one patch a slice. Nothing for several patches, which hide each other's
 * time. */
void htmt__sar_causes(const struct htmt_machine *m, const struct htmt__sar_prediction *p,
                      htmt_wide part[HTMT_PATH_CAUSES]);

#endif
