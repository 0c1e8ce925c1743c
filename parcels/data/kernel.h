/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the data plane: a kernel with what it sees, and what is found wrong with it.
 */
#ifndef HTMT_PARCELS_DATA_KERNEL_H
#define HTMT_PARCELS_DATA_KERNEL_H

#include "layers/node/tape/tape.h"
#include "parcels/data/diagnostics.h"
#include "parcels/data/fence.h"
#include "parcels/data/plane.h"

struct htmt__view {
    void *bytes;
    uint64_t size;
    bool clear;     /* before the kernel */
    bool in_room;   /* of a fused parcel: bytes is an offset in the room that is lent */
    uint64_t model; /* address in the layer's memory, with htmt_options.operations */
};

struct htmt_kernel {
    htmt_kernel_fn *run;
    uint32_t slice, fiber, regions, uses;
    uint32_t part, end;      /* the parts that this one runs: the next, and behind the last */
    uint32_t shares;         /* such records in the job, each with some of the parts */
    struct htmt__view *view; /* regions, then uses */
    const void *args, *user;
    void *result;
    struct htmt__fence *fence; /* checked; else none */
    uint32_t fences;
    struct htmt_ops ops, expected;
    bool compare, failed;
    htmt_cost_fn *late; /* says what is expected once something was counted; NULL: known already */
    struct htmt__diagnostics *diagnostics;
    struct htmt__tape_writer *tape;       /* NULL: its operations are not recorded */
    struct htmt__op_recording *recording; /* the same */
    struct htmt__op_recorder *recorder;   /* NULL: without htmt_options.operations */
    struct htmt__timed *timed;            /* in the job; NULL: the same */
    struct htmt__took *took;              /* of its stage; NULL: nobody asks */
    uint32_t layer;
    size_t args_bytes, result_bytes;
    const struct htmt__code *code; /* of its type */
    enum htmt_stage_id stage;
    uint64_t serial;
    struct htmt__kernel_turn *turn;    /* of the job's first record, whose own it is */
    struct htmt__kernel_turn own_turn; /* number 0: it has not come yet */
};

/* The clock has come to it; 0: not yet. */
static inline void htmt__kernel_turn(struct htmt_kernel *k, const struct htmt__turn *turn)
{
    k->own_turn.at = turn->at;
    k->own_turn.phase = turn->phase;
    k->own_turn.key = turn->key;
    atomic_store(&k->own_turn.number, turn->number);
}
/* All but what it sees: views, arguments, result. It has been cleared. */
void htmt__kernel_name(struct htmt__data *d, struct htmt_kernel *k, const struct htmt__code *code,
                       uint32_t slice, const struct htmt__call *call);
/* What its cost function says of those arguments is expected of its counts. */
void htmt__kernel_expect(struct htmt_kernel *k, htmt_cost_fn *cost, const void *args);
/* Clear what nothing filled, run, compare what was counted with what was expected. */
void htmt__kernel_do(struct htmt_kernel *k);
/* Of all parts of a job's kernel. */
void htmt__kernel_counts(struct htmt__job *job, struct htmt_ops *ops);
void htmt__kernel_timed(struct htmt__job *job, struct htmt__timed *timed);

#endif
