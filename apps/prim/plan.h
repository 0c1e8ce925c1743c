/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plan of a PrIM program: what its slices and tasklets have.
 *
 * A program is one or two passes, each a launch. In a pass the tasklets of a slice share the blocks
 * of its part of the input: groups of blocks are dealt in turn, and each tasklet reads a block from
 * the bank into its scratch buffers, computes, and writes a block back.
 */
#ifndef HTMT_APPS_PRIM_PLAN_H
#define HTMT_APPS_PRIM_PLAN_H

#include "apps/lib/steps.h"

#define HTMT__PRIM_BLOCK    1024u /* bytes of a block */
#define HTMT__PRIM_BINS     256u
#define HTMT__PRIM_PASSES   2u
#define HTMT__PRIM_TASKLETS 1024u
#define HTMT__PRIM_OPS      8u

struct htmt__prim_plan;

struct htmt__prim_pass {
    unsigned reads;         /* arrays, a block of each */
    bool again;             /* of the output, which the pass before wrote, instead of the input */
    bool writes;            /* a block of the output */
    bool in_turn;           /* each block waits for the one before it before it is written */
    bool offset;            /* each tasklet reads the slice's offset first */
    bool result;            /* tasklet 0 writes the slice's result when all have met */
    uint32_t share, shares; /* of the program's instructions an element */
    void (*compute)(const struct htmt__prim_plan *plan, struct htmt_kernel *k);
    void (*turn)(const struct htmt__prim_plan *plan, struct htmt_kernel *k);   /* in_turn */
    void (*finish)(const struct htmt__prim_plan *plan, struct htmt_kernel *k); /* result */
    const char *op[HTMT__PRIM_OPS]; /* of an element: rows of the table of instructions */
};

/* What the host does, in order. */
enum htmt__prim_step {
    HTMT__PRIM_PUSH_FIRST = 1,
    HTMT__PRIM_PUSH_SECOND,
    HTMT__PRIM_BROADCAST_SECOND,
    HTMT__PRIM_LAUNCH,
    HTMT__PRIM_PULL_RESULT,
    HTMT__PRIM_MERGE,
    HTMT__PRIM_PUSH_OFFSET,
    HTMT__PRIM_LAUNCH_AGAIN,
    HTMT__PRIM_PULL_OUT,
    HTMT__PRIM_STEPS
};

struct htmt__prim_program {
    const char *name, *summary;
    uint32_t bytes;         /* of an element */
    uint32_t private_bytes; /* of a tasklet in scratch memory, beside its buffers */
    uint32_t result_bytes;  /* of a slice */
    bool rows;              /* elements are rows of a matrix */
    unsigned passes;
    struct htmt__prim_pass pass[HTMT__PRIM_PASSES];
    uint8_t step[12]; /* enum htmt__prim_step, 0 at the end */
    void (*merge)(const struct htmt__prim_plan *plan, struct htmt_kernel *k);
    /* Elements of [first, end) of a slice that its output has; NULL: all. */
    uint64_t (*kept)(const struct htmt__prim_plan *plan, uint32_t slice, uint64_t first,
                     uint64_t end);
};

extern const struct htmt__prim_program htmt__prim_programs[]; /* ends with a NULL name */

/* Places in a slice's bank, bytes from its beginning, and in a tasklet's scratch memory. */
struct htmt__prim_places {
    uint64_t in[2], out, result, offset, bank_bytes;
    uint64_t buffer[2], private, scratch_bytes; /* of a tasklet */
};

struct htmt__prim_plan {
    const struct htmt__prim_program *program;
    uint32_t slices, tasklets;
    uint32_t outer, bank, scratch; /* layers */
    bool hosted;                   /* the machine has a host: its outer layer is there */
    bool serial;      /* results of unknown sizes, and of a few bytes, come one by one */
    uint64_t size;    /* elements, or rows */
    uint64_t columns; /* of a row; else 1 */
    uint64_t each;    /* elements of a slice's part, the last of which may have fewer */
    uint64_t in_bytes, out_bytes; /* of a part, whole words */
    uint64_t second_bytes;        /* of the second input of a part */
    uint64_t stack;               /* bytes of a tasklet */
    uint64_t code;                /* bytes of the program; 0: not given */
    uint32_t in_block, in_group;  /* elements of a block, blocks of a group */
    /* Of an element: a constant; where there is none (den 0), instructions of each operation; or
     * else, where the machine has no table of them, operations are counted by class. */
    struct htmt_ratio constant, typed[HTMT__PRIM_PASSES][HTMT__PRIM_OPS];
    bool counts;
    htmt_time start; /* of a launch, beside the machine's */
    uint64_t seed;
    struct htmt__prim_places at;
};

/* What a control or kernel of a tasklet works on. */
struct htmt__prim_tasklet {
    uint32_t tasklet, pass;
    uint64_t block, blocks; /* of the slice */
    uint64_t first, count;  /* elements (columns of a row) of the block */
    bool begun;             /* a block of the pass */
};

/* Errors: HTMT_EUSAGE, HTMT_ERANGE, HTMT_ECAPACITY, HTMT_ENOENT; the line is the task's. */
int htmt__prim_plan(struct htmt_task *task, struct htmt__prim_plan *plan);

/* Whether the machine has the transfers, copies and memory that it takes. Errors: HTMT_EUSAGE. */
int htmt__prim_limits(struct htmt_task *task, const struct htmt__prim_plan *plan);

/* Elements of a slice; blocks of them. */
uint64_t htmt__prim_elements(const struct htmt__prim_plan *plan, uint32_t slice);
uint64_t htmt__prim_blocks(const struct htmt__prim_plan *plan, uint32_t slice);
/* All slices have as many elements; and keep as many of each block. */
bool htmt__prim_even(const struct htmt__prim_plan *plan);
bool htmt__prim_alike(const struct htmt__prim_plan *plan);

/* ---- costs.c ---- */

/* Sets instructions, counts and start of the plan. Errors: those of cost files; HTMT_EUSAGE: an
 * operation has no row in the machine's table. */
int htmt__prim_costs(struct htmt_task *task, struct htmt__prim_plan *plan);
/* Whether a constant replaces the operations. */
bool htmt__prim_constant(const struct htmt__prim_plan *plan);
/* Of a block of so many elements, where operations are not counted by class. */
uint64_t htmt__prim_instructions(const struct htmt__prim_plan *plan, unsigned pass, uint64_t count);
/* Of tasklet 0's merge, which a constant contains: it loads, adds and stores each number of each
 * tasklet's. */
uint64_t htmt__prim_finish_instructions(const struct htmt__prim_plan *plan, unsigned pass);

/* ---- closed_form.c ---- */

/* The time of va, red and hst-s without the clock. Errors: HTMT_EUSAGE: of other programs, and of
 * machines without a host; HTMT_ERANGE: the figures of the machine's bus do not cover a transfer;
 * HTMT_EOVERFLOW. */
int htmt__prim_tell(struct htmt_task *task, const struct htmt__prim_plan *plan,
                    struct htmt_prediction *prediction);

/* ---- reference.c ---- */

/* The input, element by element: of `array` 0 or 1. */
void htmt__prim_fill(const struct htmt__prim_plan *plan, unsigned array, void *bytes);
/* Bytes of the result. */
uint64_t htmt__prim_result_bytes(const struct htmt__prim_plan *plan);
/* The serial program, of the whole inputs; the second one may be NULL. Returns the number of
 * elements of the result, of which there is room for. */
uint64_t htmt__prim_reference(const struct htmt__prim_plan *plan, const void *first,
                              const void *second, void *result);

#endif
