/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The predicted time of focusing without simulation.
 *
 * A phase is n parcels of one type that follow each other over gather, inject, the SPELL, eject and
 * scatter, stations with service times t_k. It takes
 *
 *     fill + (n - 1) bottleneck + drain,    fill + drain = sum of t_k and latencies,
 *     bottleneck = max(t_k, (inject + execute + eject) / parcels that fit CRAM),
 *
 * where services of unequal parcels are replaced by their means. The phases of a patch come one
 * after another, each when a word has told that the last is over; strips are read before them and
 * written after them, which other patches hide:
 *
 *     T = read + phases + write + (patches of the busiest slice - 1) period,
 *     period = max(phases, DPIM, each channel of HRAM, (read + phases + write) / 2 frames).
 *
 * All terms are made of the decomposition's counts and loads and of the machine's figures only.
 */
#ifndef HTMT_APPS_SAR_CLOSED_FORM_H
#define HTMT_APPS_SAR_CLOSED_FORM_H

#include "apps/lib/app.h"
#include "apps/sar/costs.h"
#include "apps/sar/decomposition.h"

/* Stations of a phase in the order of a parcel's way. */
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
    htmt_wide busy[HTMT__SAR_STATIONS];                  /* of all parcels */
    htmt_wide apart[HTMT__SAR_STATIONS];                 /* the same, over receiving channels */
    htmt_wide latency;                                   /* of all moves of a parcel */
    uint64_t fit;                                        /* parcels in CRAM at once */
    htmt_wide fill_and_drain, bottleneck, single, takes; /* single: bottleneck if but one fit */
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

/* The lines of `predict`, behind those that are there. */
void htmt__sar_tell(const struct htmt_machine *m, const struct htmt__sar_costs *costs,
                    const struct htmt__sar_prediction *prediction, struct htmt_prediction *out);

/* The total by cause, of one patch a slice; of several, which hide each other's ways, nothing. */
void htmt__sar_causes(const struct htmt_machine *m, const struct htmt__sar_prediction *p,
                      htmt_wide part[HTMT_PATH_CAUSES]);

#endif
