/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is sent over which network of a machine: a completed table, or a pattern of which nothing is
 * kept.
 */
#ifndef HTMT_APPS_TRAFFIC_PLAN_H
#define HTMT_APPS_TRAFFIC_PLAN_H

#include "apps/traffic/settings.h"
#include "layers/machine/machine.h"

/* A pattern of more messages in an iteration is not kept, nor can it run. */
#define HTMT__TRAFFIC_KEPT (UINT64_C(1) << 17)
/* Times of messages that are kept: of the first iterations. */
#define HTMT__TRAFFIC_TIMED (UINT64_C(1) << 22)

struct htmt__traffic_plan {
    bool floods;   /* no table: the pattern alone */
    bool measures; /* messages born in [from, to); it floods */
    htmt_time from, to;
    double word, load; /* fs of a word at a port, and the share of it that a node asks for */
    struct htmt__traffic_table table;
    struct htmt__traffic_pattern pattern; /* with nodes 0: none */
    uint32_t layer, network;
    uint64_t iterations, kept;
    uint64_t buffers;  /* places for each message, taken in turn by iterations that overlap */
    uint64_t requests; /* messages of an iteration */
    char path[1024];   /* of the file */
};

/* On success the caller calls htmt__traffic_plan_clear(). Errors: those of the table; HTMT_EINVAL
 * (other numbers of nodes and slices, no network), HTMT_ECAPACITY (a node's messages do not fit its
 * memory, or a run has too many). */
int htmt__traffic_plan(const struct htmt_machine *m, const struct htmt__traffic_settings *s,
                       bool runs, struct htmt__traffic_plan *plan, struct htmt_fault *fault);
void htmt__traffic_plan_clear(struct htmt__traffic_plan *plan);

/* "all-to-all, 64 nodes, 10 slots of 4032 messages of 1024 bytes" */
void htmt__traffic_describe(const struct htmt__traffic_plan *plan, char *text, size_t room);

#endif
