/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: a type of parcels, its life compiled into an array of steps for its machine,
 * and the phase of the reports that each step adds to.
 */
#ifndef HTMT_PARCELS_TIMING_TYPE_H
#define HTMT_PARCELS_TIMING_TYPE_H

#include "parcels/parcel.h"

#define HTMT__DISCARD HTMT_STAGES /* as a stage: htmt_discard() */

enum htmt__op {
    HTMT__TAKE,   /* wait for space[layer] words of the layer's store */
    HTMT__GIVE,   /* give them back */
    HTMT__SERVE,  /* a service on the layer's bank */
    HTMT__MOVE,   /* from layer to layer `to` */
    HTMT__FETCH,  /* bytes of fresh regions from the layer enter the closure */
    HTMT__LAND,   /* bytes of regions into resident objects arrive there */
    HTMT__CLOSED, /* the closure is complete: its kernel may start on the host */
    HTMT__DEPART, /* bytes of resident regions leave */
    HTMT__STORE,  /* bytes of fresh regions reach the layer */
    HTMT__GATE,   /* wait for the call of `stage` */
    HTMT__END
};

/* What a phase of a report sums up; one per step that takes time. */
struct htmt__phase {
    struct htmt__phase *next;
    uint32_t number; /* in the list of all */
    char type[64];   /* a type that was refused leaves its phases behind */
    enum htmt_stage_id stage;
    uint32_t resource, in_resource; /* indices of reports; in: UINT32_MAX when not modelled */
    uint64_t count;
    htmt_uwide words, ops[HTMT_OP_CLASSES];
    htmt_wide busy, in_busy, waited, in_waited, stalled;
    htmt_time longest;     /* service */
    uint64_t ended;        /* events */
    htmt_time first, last; /* of them */
};

struct htmt__step {
    uint8_t op, stage, layer, to;
    bool inward;
    int network;
    const struct htmt_stage *code;
    struct htmt__phase *phase;
    struct htmt_ops memo; /* operations of the last service that was timed, and its time */
    htmt_time memo_time;
};

struct htmt_type {
    struct htmt_type *next;
    struct htmt_emulator *emulator;
    char name[64];
    uint32_t home, exec;
    uint32_t path[HTMT_LAYERS_MAX], hops; /* path[0] home ... path[hops] exec */
    int8_t place[HTMT_LAYERS_MAX];        /* of each layer on the path; -1: off it */
    struct htmt_stage stage[HTMT_STAGES];
    enum htmt_footprint footprint;
    uint32_t gates, fiber_count;
    uint64_t code_words, header_words;
    bool image, deferrable;
    size_t args_bytes, result_bytes;
    size_t args_at; /* of a body */
    struct htmt__body *spare;
    const void *user;
    struct htmt__step *step;       /* ends with HTMT__END */
    struct htmt_stage *fiber;      /* fiber i + 1 */
    struct htmt__step *fiber_step; /* SERVE, END for each */
    struct htmt__shape *shape;
    unsigned departures; /* declared */
    struct htmt__departed {
        uint64_t count;
        htmt_uwide words;
        htmt_wide time;
    } departed[HTMT_DEPARTURES];
};

struct htmt__phase *htmt__phase_create(struct htmt_emulator *e, const char *type,
                                       enum htmt_stage_id stage, uint32_t resource,
                                       uint32_t in_resource);
uint32_t htmt__bank_resource(const struct htmt_emulator *e, uint32_t layer);
uint32_t htmt__out_resource(const struct htmt_emulator *e, uint32_t network, uint32_t layer);
uint32_t htmt__in_resource(const struct htmt_emulator *e, uint32_t network, uint32_t layer);
void htmt__types_destroy(struct htmt_emulator *e);
/* Position of a layer on a type's way, -1: not on it. */
static inline int htmt__type_place(const struct htmt_type *t, uint32_t layer)
{
    return t->place[layer];
}

#endif
