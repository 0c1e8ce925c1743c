/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: a type of parcels, its walk compiled into an array of steps for its machine,
 * and the stage statistics that each step adds to.
 */
#ifndef HTMT_PARCELS_WALK_TYPE_H
#define HTMT_PARCELS_WALK_TYPE_H

#include "parcels/data/data.h"

#define HTMT__DISCARD HTMT_STAGES /* as a stage: htmt_discard() */

enum htmt__op {
    HTMT__TAKE,   /* wait for space[layer] words of the layer's store */
    HTMT__GIVE,   /* give them back */
    HTMT__SERVE,  /* a service on the layer's bank */
    HTMT__MOVE,   /* from layer to layer `to` */
    HTMT__FETCH,  /* bytes of fresh regions from the layer enter the closure */
    HTMT__LAND,   /* bytes of regions into resident objects arrive there */
    HTMT__DEPART, /* bytes of resident regions leave */
    HTMT__STORE,  /* bytes of fresh regions reach the layer */
    HTMT__CLOSED, /* the closure is complete: its kernel may start on the host */
    HTMT__GATE,   /* wait for the call of `stage` */
    HTMT__END,
    HTMT__POST_END, /* of what was made of a post */
    HTMT__POST_ZERO /* it was served in no time: the end of the service, two steps before */
};

/* What queues where a move ends. */
enum htmt__end_queue {
    HTMT__END_FREE,   /* nothing: receiving is not modelled */
    HTMT__END_KNOWN,  /* one source's messages, whose order is known when they leave */
    HTMT__END_HEAD,   /* heads, each of which has an event when it comes */
    HTMT__END_INSIDE, /* what comes out of the network's inside: a model, or ports */
};

struct htmt__post_type;
struct htmt__stage_stats;
struct htmt__alike;
struct htmt__delay;
struct htmt__store_class;
struct htmt__profiled;
struct htmt__body;

struct htmt__step {
    uint8_t op, stage, layer, to;
    bool inward;
    uint8_t end;     /* MOVE: enum htmt__end_queue */
    uint8_t passage; /* MOVE: in the parcel's cost */
    uint8_t bit;     /* the layer's */
    bool constant;   /* SERVE: all are as long as the first one */
    bool issues;     /* SERVE: instructions, through an issue port (issue.h) */
    uint16_t line;   /* of a lane, for its events; heads of moves have the next line */
    int network;
    uint32_t at, in_at; /* what it needs of its slice: bank, store, or link at either end */
    union {
        struct {
            htmt_time latency, lead; /* MOVE: of the network; `lead`: with the start-up */
        };
        struct htmt__store_class *class; /* TAKE, GIVE: of the store */
    };
    struct htmt__delay *delay; /* SERVE, MOVE: the line; a closed one where it may not be used */
    const struct htmt_stage *code;
    struct htmt__stage_stats *stats;
    struct htmt__alike *alike;             /* the step's own account in `stats` */
    const struct htmt__profiled *profiled; /* SERVE: times it; NULL: the counts do */
};

#define HTMT__REGIONS_KNOWN 4 /* a parcel of more is weighed each time */

/* Words and times of a closure: equal for most parcels of a type, so shared. A type keeps those
 * that no parcel has any more, up to a bound (assemble.c). */
struct htmt__move_cost {
    struct htmt__move_cost *next;
    bool used; /* while those that no parcel has are looked for */
    struct htmt__size {
        uint64_t space; /* held in the layer */
        uint64_t in;    /* moved into it */
        uint64_t out;   /* moved out of it */
        uint64_t in_pieces, out_pieces;
    } size[HTMT_LAYERS_MAX];
    uint64_t space[HTMT_LAYERS_MAX]; /* of `size` */
    struct htmt__passage {
        uint64_t words;
        htmt_time out_time, in_time; /* that a channel is occupied at the source, at the target */
    } passage[2 * HTMT_LAYERS_MAX];  /* into layer i, then out of layer i */
    uint64_t fits_beside;            /* it fits everywhere, as long as e->crowded is this */
    uint32_t regions;                /* of the last description that was found to cost this */
    struct htmt__region_cost {       /* all that its cost depends on */
        uint8_t from, to, into;      /* layers; HTMT_LAYERS_MAX: nowhere */
        bool read_only;
        uint64_t bytes;
        struct htmt_pieces from_pieces, to_pieces;
        _Alignas(16) uint64_t words[2 * HTMT_LAYERS_MAX];
    } region[HTMT__REGIONS_KNOWN];
};

struct htmt_type {
    struct htmt_type *next;
    struct htmt_emulator *emulator;
    uint32_t number;        /* types made before it */
    struct htmt__code code; /* first what the data plane knows of it */
    uint32_t home;
    uint32_t path[HTMT_LAYERS_MAX], hops; /* path[0] home ... path[hops] exec */
    uint32_t gates, fiber_count;
    uint64_t code_words, header_words;
    bool image;
    bool sends_nowhere;                     /* htmt_type_desc.sends */
    size_t args_at, lineage_at, body_bytes; /* of a body; lineage: replies.h */
    struct htmt__body *spare;
    struct htmt__step *step;       /* ends with HTMT__END */
    struct htmt__step *fiber_step; /* SERVE, one each */
    struct htmt__move_cost *cost;
    uint64_t costs, costs_most;         /* their number, and that at which unused ones are freed */
    const struct htmt__post_type *post; /* NULL: it cannot be posted; */
    const char *no_post;                /* why */
    bool ordinary; /* posted as a message that nothing is asked about; once the run has begun */
    struct htmt__post_sums {
        uint64_t posted, served, unwanted, own, most;
    } posts;
    struct htmt__half { /* slots counted down in part when their parcels ended */
        uint64_t times;
        uint32_t slice, fiber, got, wanted; /* of the first one */
        htmt_time at;
        htmt_uwide order;
    } half;
    uint32_t steps;      /* HTMT__END included, and behind it the way of what was posted */
    unsigned departures; /* declared */
    struct htmt__departed {
        uint64_t count;
        htmt_uwide words;
        htmt_wide time;
    } departed[HTMT_DEPARTURES];
};

/* A line that takes no events. */
struct htmt__delay *htmt__closed_line(void);

/* What others noted of the same type. The first one counts: in time, or by slice. */
static inline void htmt__half_merge(struct htmt__half *h, const struct htmt__half *others,
                                    bool in_time)
{
    uint64_t times = h->times + others->times;
    bool earlier = !in_time              ? others->slice < h->slice
                   : others->at != h->at ? others->at < h->at
                                         : others->order < h->order;
    if (others->times && (!h->times || earlier))
        *h = *others;
    h->times = times;
}

static inline void htmt__post_sums_merge(struct htmt__post_sums *s,
                                         const struct htmt__post_sums *others)
{
    s->posted += others->posted;
    s->served += others->served;
    s->unwanted += others->unwanted;
    s->own += others->own;
    s->most = others->most > s->most ? others->most : s->most;
}

/* A type that a collective or a schedule makes beside those of the program: `desc->name`, or with a
 * number if another type has that name. Errors as htmt_type_create(). */
int htmt__type_create_own(struct htmt_emulator *e, const struct htmt_type_desc *desc,
                          struct htmt_type **type);
void htmt__types_destroy(struct htmt_emulator *e);
/* A copy for e, of a partition: its steps count in `stats`, which has copies of all types' by
 * number. The code stays the original's. NULL: out of memory. */
struct htmt_type *htmt__type_copy(struct htmt_emulator *e, const struct htmt_type *t,
                                  struct htmt__stage_stats *const *stats);
/* What its parcels that are done have left for further ones. */
void htmt__type_spares_free(struct htmt_type *t);
/* NULL accepted. */
void htmt__type_copy_free(struct htmt_type *copy);
/* Position of a layer on a type's way, -1: not on it. */
static inline int htmt__type_place(const struct htmt_type *t, uint32_t layer)
{
    return t->code.place[layer];
}

/* ---- words, and times that cannot overflow unseen ---------------------------------------------
 */

/* Of one service or move: so that a few of them add up without overflow. */
static inline bool htmt__too_long(htmt_time t)
{
    return t < 0 || t > HTMT_TIME_MAX / 4;
}
/* t + d, or -1 when that passes HTMT_TIME_MAX: htmt__schedule() refuses it. */
static inline htmt_time htmt__later(htmt_time t, htmt_time d)
{
    htmt_time sum;
    return __builtin_add_overflow(t, d, &sum) ? -1 : sum;
}
/* When an end comes that nobody knew of before `now`; one that was put off is asked for again. */
static inline htmt_time htmt__not_before(htmt_time now, htmt_time t)
{
    return t >= 0 && t < now ? now : t;
}
static inline uint64_t htmt__words(uint64_t bytes)
{
    return bytes / HTMT_WORD + (bytes % HTMT_WORD != 0);
}

#endif
