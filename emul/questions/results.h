/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a run or model run showed, as plain data: the report and the JSON print from it and need no
 * emulator. Shares are of the virtual time that was predicted.
 */
#ifndef HTMT_EMUL_QUESTIONS_RESULTS_H
#define HTMT_EMUL_QUESTIONS_RESULTS_H

#include "apps/lib/app.h"

#include <stdbool.h>

extern const char *const htmt__op_names[HTMT_OP_CLASSES]; /* "flop" */

/* One stage of one parcel type. */
struct htmt__stage {
    char type[64];
    const char *stage;
    char resource[2 * HTMT_NAME_MAX + 8];
    uint64_t parcels;     /* services or moves */
    double quantity;      /* words moved, or operations of the class done most; else parcels */
    const char *unit;     /* "words", "cycles", "flop", ..., "parcels" */
    double mean_s;        /* of one service or move */
    double mean_wait_s;   /* for the resource */
    double mean_stall_s;  /* for space */
    uint64_t parallelism; /* servers or channels of all slices */
    double utilization;
};

struct htmt__resource {
    char name[2 * HTMT_NAME_MAX + 8];
    const char *kind; /* "bank", "link out", "link in" */
    uint32_t layer;   /* index of its memory */
    uint64_t count;   /* servers or channels of all slices */
    uint64_t served;
    double words, busy_s, utilization, mean_wait_s;
    double mean_queue; /* items waiting, averaged over time and slices */
    uint64_t max_queue;
};

struct htmt__memory {
    char name[HTMT_NAME_MAX];
    uint64_t count; /* one a slice */
    uint64_t capacity_words, peak_words, resident_words;
    double stall_s;    /* waited for space, over all slices */
    double mean_queue; /* moves waiting for space, averaged over time and slices */
    uint64_t max_queue;
};

/* What held the run back, the worst first (emul/questions/bottleneck.c has the rule). */
struct htmt__limit {
    char name[2 * HTMT_NAME_MAX + 8]; /* a resource, or "CRAM space" */
    bool space;
    bool binding; /* saturated, or space without a saturated resource */
    double utilization, mean_wait_s, mean_queue;
};

struct htmt__results {
    uint32_t slices;
    htmt_time predicted;
    uint64_t parcels, events, history_hash;
    unsigned phase_count, resource_count, memory_count, limit_count;
    struct htmt__stage *phase;
    struct htmt__resource *resource;
    struct htmt__memory *memory; /* outermost first */
    struct htmt__limit *limit;
    struct htmt_host_report host;
};

/* Take everything from an emulator that ran, to the end or not. Errors: HTMT_ENOMEM. On success the
 * caller gives *results to htmt__results_clear(). */
int htmt__results_collect(const struct htmt_emulator *e, struct htmt__results *results);
void htmt__results_clear(struct htmt__results *results);

/* Fill limit[] (room for resource_count + memory_count) from the resources and memories. */
void htmt__results_rank(struct htmt__results *results);

#endif
