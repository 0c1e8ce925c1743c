/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plan of a microbenchmark: what each tasklet does in each repetition.
 *
 * A repetition is blocks, dealt to the tasklets in turn: bytes are read from the bank, instructions
 * issued, bytes written back; at its end come a few instructions more. Nobody waits for the others
 * before the end of all.
 */
#ifndef HTMT_APPS_MICRO_PLAN_H
#define HTMT_APPS_MICRO_PLAN_H

#include "apps/lib/steps.h"

#define HTMT__MICRO_WORD       4u /* bytes of a word of these programs */
#define HTMT__MICRO_OPERATIONS 6u

enum htmt__micro_kind {
    HTMT__MICRO_COPY,
    HTMT__MICRO_OPERATION,
    HTMT__MICRO_STREAM,
    HTMT__MICRO_RANDOM,
    HTMT__MICRO_STRIDED,
    HTMT__MICRO_HOST,
    HTMT__MICRO_LAUNCH,
    HTMT__MICRO_KINDS
};

struct htmt__micro_plan {
    enum htmt__micro_kind kind;
    bool in_bank; /* copies: from bank to bank; transfers: of the bank; else of scratch memory */
    uint32_t slices, tasklets, host, bank, scratch;
    uint64_t words, repetitions, stride, seed;
    uint64_t array_bytes;     /* of a slice, that transfers fill and fetch */
    uint32_t arrays;          /* 2: what is fetched is behind what was filled; 1: it is the same */
    uint64_t blocks;          /* of a slice in a repetition */
    uint64_t block_bytes;     /* copied in and out; 0: none */
    uint64_t scratch_bytes;   /* of a tasklet, */
    uint64_t heap_bytes;      /* and of all, in scratch memory */
    uint64_t block_issue;     /* instructions of a block, */
    uint64_t end_issue;       /* and of each tasklet at the end of a repetition */
    enum htmt_host_mode mode; /* of transfers */
    bool launches, pushes, pulls;
    unsigned operations; /* of the machine's table of instructions, that blocks count */
    const char *operation[HTMT__MICRO_OPERATIONS];
};

extern const char *const htmt__micro_names[]; /* ends with NULL */
extern const struct htmt_app_option htmt__micro_options[];

/* Errors: HTMT_EUSAGE, HTMT_ERANGE. */
int htmt__micro_plan(struct htmt_task *task, struct htmt__micro_plan *plan);

/* Whether the plan counts the operation. */
bool htmt__micro_counts(const void *plan, const char *operation);
/* Whether the machine has the transfers, copies and memory that it takes. Errors: HTMT_EUSAGE. */
int htmt__micro_limits(struct htmt_task *task, const struct htmt__micro_plan *plan);

/* The layer that transfers fill. */
uint32_t htmt__micro_layer(const struct htmt__micro_plan *plan);

/* Where the block lies in both arrays. */
uint64_t htmt__micro_place(const struct htmt__micro_plan *plan, uint64_t block);

#endif
