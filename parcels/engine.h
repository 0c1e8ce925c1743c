/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: what the timing plane keeps of parcels, types and slices.
 *
 * Everything that takes its turn in virtual time is an entity (struct htmt_parcel): a parcel, an
 * enabled fiber, a put or signal on its way, a moment of an operation log. An entity belongs to the
 * slice that made it and has at most one pending event, so (time, birth, slice) orders events
 * without regard to the order in which they were scheduled.
 *
 * A type's life is compiled into an array of steps for its machine; htmt__advance() walks an entity
 * along it until it has to wait. Where an entity waits is its state.
 */
#ifndef HTMT_PARCELS_ENGINE_H
#define HTMT_PARCELS_ENGINE_H

#include "parcels/htmt.h"
#include "runtime/bank.h"
#include "runtime/history.h"
#include "runtime/host.h"
#include "runtime/link.h"
#include "runtime/pending.h"
#include "runtime/store.h"

/* A key: 22 bits of an entity's birth, 20 of slice, 22 of its index. */
#define HTMT__INDEX_BITS  22
#define HTMT__INDICES     (1u << HTMT__INDEX_BITS)
#define HTMT__SLICE_BITS  20
#define HTMT__BIRTH_SHIFT (HTMT__INDEX_BITS + HTMT__SLICE_BITS)

#define HTMT__SERIAL_BITS 40   /* of a parcel's number in its slice */
#define HTMT__CHUNK       128u /* further ones of one allocation */
#define HTMT__USES_MAX    8u
#define HTMT__SPARES_MAX  256u
#define HTMT__DISCARD     HTMT_STAGES /* as a stage: htmt_discard() */

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

/* Words and times of a closure: equal for most parcels of a type, so shared. */
struct htmt__shape {
    struct htmt__shape *next;
    struct htmt__size {
        uint64_t space; /* held in the layer */
        uint64_t in;    /* moved into it */
        uint64_t out;   /* moved out of it */
        uint64_t in_pieces, out_pieces;
    } size[HTMT_LAYERS_MAX];
    htmt_time in_time[HTMT_LAYERS_MAX], in_port[HTMT_LAYERS_MAX];   /* channel occupied */
    htmt_time out_time[HTMT_LAYERS_MAX], out_port[HTMT_LAYERS_MAX]; /* at either end */
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

/* A place in the list of those who have yet to read a storage. */
struct htmt__reader {
    struct htmt__reader *next, **at; /* at NULL: in no list */
    struct htmt__closure *closure;
    struct htmt__extent extent; /* what is to be read */
};

/* Bytes of a parcel in a run. */
struct htmt__closure {
    struct htmt__storage *storage; /* fresh regions, one after another; NULL until first needed */
    struct htmt__storage *result;  /* what its kernels leave for steered controls */
    struct htmt__job *job; /* of execute, issued ahead of its turn; NULL: nobody waits for it */
    bool ahead;            /* it was issued ahead */
    bool deferred;         /* no job yet: gather, kernel and scatter will be one */
    bool due;              /* deferred: the closure is complete, the kernel is to run */
    struct htmt_parcel *parcel;
    bool cleared; /* outputs and scratch, or the job that will is issued */
    uint64_t bytes;
    uint32_t count;
    struct htmt__region {
        struct htmt__ends {
            struct htmt_addr from, to, into;
            uint64_t bytes;
            struct htmt_pieces from_pieces, to_pieces;
            bool read_only, filled, handover;
        } at;            /* of struct htmt_region, what does not concern words */
        uint64_t offset; /* in storage, of a fresh one */
        uint64_t room;   /* bytes there: padded to the words of the layer of execution */
        struct htmt__storage *source; /* deferred: to be read, where `from` or `into` lay then; so
                                         too what stays there: then it has a reader */
        struct htmt__reader reader;
    } region[];
};

struct htmt__fiber_slot {
    uint32_t count, reset;
};

/* Made with a parcel: a block of its type's, which the next one takes. The arguments follow the
 * slots. */
struct htmt__body {
    union {
        struct htmt__body *spare;
        struct htmt_slot on_ready;
    };
    struct htmt_slot on_done;
    struct htmt_parcel *early; /* fibers enabled before fiber 0 has ended */
    uint32_t live;             /* fibers enabled and not yet ended */
    bool begun;                /* fiber 0 has ended */
    struct htmt__fiber_slot slot[];
};

struct htmt__collective;

enum htmt__entry_kind {
    HTMT__SIGNAL,
    HTMT__OPEN,
    HTMT__START,
    HTMT__SENT,
    HTMT__TAKEN,
    HTMT__JOIN,
    HTMT__FOLDED
};

/* One line of an operation log. */
struct htmt__entry {
    struct htmt__entry *next;
    enum htmt__entry_kind kind;
    bool after; /* the kernel */
    uint32_t stage;
    htmt_time at;          /* since the start of the service, or since the end of the kernel */
    struct htmt_slot slot; /* SIGNAL, SENT */
    union {
        struct htmt_parcel *start;           /* START */
        struct htmt_ref parcel;              /* OPEN, SENT */
        struct htmt_mailbox *mailbox;        /* TAKEN */
        struct htmt__collective *collective; /* JOIN, FOLDED */
    };
    uint64_t amount; /* TAKEN: records; SENT: slice */
};

/* One message over one network. */
struct htmt__leg {
    uint32_t network, from, to; /* layers */
    uint32_t source, target;    /* slices */
    uint64_t words;
    htmt_time out_time, in_time;
    struct htmt__phase *phase;
};

/* What a put, get, send or signal carries. */
struct htmt__carry {
    struct htmt__carry *next;
    struct htmt__leg leg;
    struct htmt__storage *held; /* bytes between sent and arrived */
    struct htmt_mailbox *mailbox;
    uint64_t records;
    struct htmt_slot slot; /* signal: the one to count down when it has arrived */
    struct htmt__collective *collective;
    uint32_t inbox; /* of a collective, by number */
    bool down;      /* into the frame of the receiver instead: a result */
    struct {
        bool on; /* an exchange goes round by the outer memories: leg is one of its legs */
        uint32_t source, target;
    } detour;
    struct htmt_parcel *whose; /* state: the service that waits for it */
    uint64_t up;               /* state: words that come to it */
    enum htmt__carry_kind {
        HTMT__CARRY_BYTES,
        HTMT__CARRY_SIGNAL,
        HTMT__CARRY_REQUEST, /* the word that asks for a get */
        HTMT__CARRY_CREDIT,  /* the word that asks for room in a mailbox */
        HTMT__CARRY_GRANT,   /* the word that grants it */
        HTMT__CARRY_RECORDS,
        HTMT__CARRY_COLLECTIVE,
        HTMT__CARRY_STATE
    } kind;
    /* Not cleared: */
    struct htmt_put put; /* of bytes, records, a collective, a request */
    struct htmt_ops ops; /* of a service whose control ran before its state came */
};

/* Messages of one kind between two layers: how long the last one held its channels. */
struct htmt__lane {
    struct htmt__phase *phase; /* NULL: none yet */
    uint64_t words, from_pieces, to_pieces;
    htmt_time out_time, in_time;
};

enum htmt__kind { HTMT__PARCEL, HTMT__FIBER, HTMT__CARRIER, HTMT__MOMENT };
enum htmt__state {
    HTMT__FREE,
    HTMT__READY,      /* in the ready list */
    HTMT__PENDING,    /* has an event */
    HTMT__IN_LINE,    /* of a bank */
    HTMT__FOR_SPACE,  /* of a store */
    HTMT__FOR_CALL,   /* at a gate */
    HTMT__FOR_ROOM,   /* of a mailbox */
    HTMT__FOR_STATE,  /* that is carried to it */
    HTMT__FOR_KERNEL, /* in service; its end is not known yet */
    HTMT__MADE        /* written in a log, not yet begun */
};

/* Two cache lines. */
struct htmt_parcel {
    _Alignas(64) union {            /* it is in one place at a time */
        struct htmt__waiter waiter; /* first: a line gives it back */
        struct {
            struct htmt_parcel *queue; /* ready list, kernel list, free list */
            struct htmt__job *job;     /* FOR_KERNEL: of the service */
        };
    };
    const struct htmt__step *step;
    union {
        const struct htmt__shape *shape; /* PARCEL */
        struct htmt_parcel *owner;       /* FIBER: its activation */
        struct htmt__carry *carry;       /* CARRIER */
    };
    uint64_t serial; /* slice << 40 | counter of the slice, from 1 */
    uint32_t slice, index;
    uint8_t kind, state;
    uint16_t open;      /* gates that may be passed */
    uint8_t held;       /* bit of each layer where it holds space */
    bool head : 1;      /* next event: the head of a message, not its end */
    bool worked : 1;    /* its log has a htmt_work() */
    bool ran : 1;       /* control of the current service has run */
    bool discarded : 1; /* ends at its next gate */

    uint64_t key; /* of its events */
    htmt_time service;
    union {
        htmt_time before; /* charged by the control before its kernel */
        htmt_time tail;   /* of a move: when its last word arrives at the earliest */
    };
    htmt_time after;
    struct htmt_type *type;
    struct htmt__body *body; /* PARCEL */
    struct htmt__entry *log;
    union {
        struct htmt__closure *closure; /* run */
        struct htmt__carry *brought;   /* model with htmt_options.carry: the service's state came */
    };
};
_Static_assert(sizeof(struct htmt_parcel) == 128, "an entity is two cache lines");

struct htmt__slice {
    struct htmt_parcel **chunk;
    uint32_t chunks, room;
    uint32_t fresh; /* entities that were ever used */
    struct htmt_parcel *free;
    uint64_t counter;
    uint64_t live;             /* entities */
    struct htmt__batch *batch; /* of deferred parcels, not yet issued */
};

struct htmt_object {
    struct htmt_object *next, *prev;
    struct htmt_emulator *emulator;
    char name[64];
    uint32_t slice, layer;
    uint64_t bytes, words;
    struct htmt__storage *storage; /* NULL in a model run */
    struct htmt_object *first;     /* of a frame: that of slice 0; else NULL */
    uint8_t copies;                /* layers where a copy on its way has room; htmt_options.carry */
    bool wrapped;
    bool delivered, changed; /* since its last use in place; with lint or carry */
};

struct htmt_frame {
    struct htmt_frame *next;
    uint32_t slices;
    struct htmt_object *object[];
};

struct htmt__list {
    struct htmt_parcel *head, *tail;
};

struct htmt_emulator {
    const struct htmt_machine *machine;
    struct htmt_options options;
    uint32_t slices, layers, networks;
    uint32_t played; /* slices that are emulated: 1 when folded */
    uint32_t *roots; /* of each slice: root parcels asked for; when folded */
    struct htmt_mailbox *first_box, ***next_box; /* of slice 0, in order; of each slice: where the
                                                    twin of its next one hangs; when folded */
    htmt_time now;
    uint64_t parcels;
    struct htmt__pending pending;
    const struct htmt__event *fetched; /* of the day, up to some events further */
    struct htmt__list ready, kernels;
    struct htmt__trace *trace; /* NULL: nobody will ask why */
    struct htmt__slice *slice;
    struct htmt_parcel *first;     /* first_each entities of each slice: together those whose turns
                                      follow each other, twins unless slices are played one by one */
    size_t slice_step, index_step; /* in them */
    uint32_t first_each;
    uint64_t *history; /* state of each slice */
    char *block;       /* banks by layer, stores by layer, links of slice 0, of slice 1, ... */
    size_t stride;
    uint32_t links;                                          /* of one slice */
    uint8_t link_at[2][HTMT_NETWORKS_MAX * HTMT_LAYERS_MAX]; /* out, in; by network, layer */
    htmt_time *channels;                                     /* beyond each link's first */
    struct htmt__tally *tally;                               /* by resource */
    struct htmt__stock stock[HTMT_LAYERS_MAX];
    struct htmt__hop {
        bool there, across;
        uint8_t next;
    } hop[2][HTMT_LAYERS_MAX][HTMT_LAYERS_MAX], /* of signals, by across, from, to */
        detour[2]
              [HTMT_LAYERS_MAX]; /* to the innermost layer, not over what joins it to its likes */
    bool one_source[HTMT_NETWORKS_MAX]; /* every queue at a target has one source port */
    struct htmt_type *types;
    struct htmt__phase *phases, **phase_tail;
    struct htmt__lane *lane;                       /* put, signal by network, from, to */
    struct htmt__entry *entries;                   /* free */
    struct htmt__carry *carries;                   /* free */
    struct htmt__storage *spare[HTMT__SPARES_MAX]; /* left over by puts that handed over pages: the
                                                      next such put takes one, so the host's pages
                                                      go round instead of being faulted in */
    uint32_t spares;
    struct htmt_object *objects;
    struct htmt_frame *frames;
    struct htmt_mailbox *mailboxes;
    struct htmt__collective *collectives;
    struct htmt__host *host;     /* NULL in a model run */
    struct htmt__batch *batches; /* of all slices */
    struct htmt_context *root;
    bool ran;
    struct htmt_fault fault;
    struct htmt__findings *findings;
};

/* Whether the calls of parcels/trace.h are to be made: rarely, so they stay out of the way. */
static inline bool htmt__traced(const struct htmt_emulator *e)
{
    return __builtin_expect(e->trace != NULL, 0);
}

/* What the slices keep of their resources lies together, slice by slice. */
static inline struct htmt__bank *htmt__bank_at(const struct htmt_emulator *e, uint32_t slice,
                                               uint32_t layer)
{
    return (struct htmt__bank *)(void *)(e->block + slice * e->stride) + layer;
}
static inline struct htmt__store *htmt__store_at(const struct htmt_emulator *e, uint32_t slice,
                                                 uint32_t layer)
{
    return (struct htmt__store *)(void *)htmt__bank_at(e, slice, e->layers) + layer;
}
static inline struct htmt__link *htmt__link_at(const struct htmt_emulator *e, uint32_t slice,
                                               uint32_t i)
{
    return (struct htmt__link *)(void *)htmt__store_at(e, slice, e->layers) + i;
}
static inline struct htmt__link *htmt__port_at(const struct htmt_emulator *e, uint32_t slice,
                                               bool in, uint32_t network, uint32_t layer)
{
    return htmt__link_at(e, slice, e->link_at[in][network * HTMT_LAYERS_MAX + layer]);
}

/* emulator.c: latch the first failure; the run ends with it. Returns the code. */
int htmt__fail(struct htmt_emulator *e, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* clock.c */
void htmt__ready(struct htmt_emulator *e, struct htmt_parcel *p);

/* entity.c */
struct htmt_parcel *htmt__entity_create(struct htmt_emulator *e, uint32_t slice,
                                        enum htmt__kind kind);
void htmt__entity_free(struct htmt_emulator *e, struct htmt_parcel *p);
/* Of a parcel of the type, the arguments not yet set; NULL: out of memory. */
struct htmt__body *htmt__body_create(struct htmt_type *t);
void htmt__body_free(struct htmt_type *t, struct htmt__body *body);
/* The slice is played to its end: its memory may serve others. */
void htmt__slice_rest(struct htmt__slice *s);
/* When folded, a reference to a parcel of another slice is one to its twin in slice 0 with the
 * other's serial. */
static inline bool htmt__alive(struct htmt_ref r)
{
    return r.parcel && !((r.parcel->serial ^ r.serial) << (64 - HTMT__SERIAL_BITS));
}
static inline uint32_t htmt__ref_slice(struct htmt_ref r)
{
    return (uint32_t)(r.serial >> HTMT__SERIAL_BITS);
}
/* The slice that stands for it. */
static inline uint32_t htmt__played(const struct htmt_emulator *e, uint32_t slice)
{
    return slice < e->played ? slice : 0;
}
static inline struct htmt_ref htmt__ref(struct htmt_parcel *p)
{
    return (struct htmt_ref){p, p->serial};
}
static inline uint64_t htmt__entity_key(uint32_t slice, uint32_t index)
{
    return (uint64_t)slice << HTMT__INDEX_BITS | index;
}
/* Of an entity's events: at one instant entities come in the order in which their slices made them
 * (among any 2^22 of a slice), twins slice by slice, whatever place they got. */
static inline uint64_t htmt__event_key(uint32_t slice, uint32_t index, uint64_t serial)
{
    return htmt__entity_key(slice, index) | serial << HTMT__BIRTH_SHIFT;
}
static inline void *htmt__args(const struct htmt_parcel *parcel)
{
    return (char *)parcel->body + parcel->type->args_at;
}
static inline uint32_t htmt__key_slice(uint64_t key)
{
    return key >> HTMT__INDEX_BITS & ((1u << HTMT__SLICE_BITS) - 1);
}
/* Of an entity's or an event's key. */
static inline struct htmt_parcel *htmt__entity_at(const struct htmt_emulator *e, uint64_t key)
{
    uint32_t index = key & (HTMT__INDICES - 1), slice = htmt__key_slice(key);
    if (index < e->first_each)
        return &e->first[slice * e->slice_step + index * e->index_step];
    index -= e->first_each;
    return e->slice[slice].chunk[index / HTMT__CHUNK] + index % HTMT__CHUNK;
}

/* type.c */
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

/* shape.c */
const struct htmt__shape *htmt__shape_of(struct htmt_emulator *e, struct htmt_type *type,
                                         const struct htmt_parcel_desc *desc);

/* closure.c: the bytes of a parcel */
struct htmt__closure *htmt__closure_create(struct htmt_emulator *e, struct htmt_parcel *p,
                                           const struct htmt_parcel_desc *desc);
/* Outputs and scratch: what nothing fills. */
static inline bool htmt__region_blank(const struct htmt__region *r)
{
    return !r->at.into.object && !r->at.from.object;
}
static inline bool htmt__region_unfilled(const struct htmt__region *r)
{
    return htmt__region_blank(r) && !r->at.filled;
}
/* Room for the fresh regions, made when first needed; false: out of memory (latched). */
bool htmt__closure_storage(struct htmt_emulator *e, struct htmt_parcel *p);
void htmt__closure_free(struct htmt_emulator *e, struct htmt__closure *closure);
void htmt__closure_read(struct htmt_emulator *e, struct htmt_parcel *p, uint32_t layer);
void htmt__closure_land(struct htmt_emulator *e, struct htmt_parcel *p);
void htmt__closure_depart(struct htmt_emulator *e, struct htmt_parcel *p);
void htmt__closure_write(struct htmt_emulator *e, struct htmt_parcel *p, uint32_t layer);
/* Copy between two storages as a job of the pool. */
struct htmt__end {
    struct htmt__storage *storage;
    uint64_t offset;
    struct htmt_pieces pieces;
};
void htmt__copy(struct htmt_emulator *e, uint32_t pool, const struct htmt__end *dst,
                const struct htmt__end *src, uint64_t bytes);
/* And clear so many bytes behind them (contiguous at the destination). */
void htmt__copy_padded(struct htmt_emulator *e, uint32_t pool, const struct htmt__end *dst,
                       const struct htmt__end *src, uint64_t bytes, uint64_t padding);

/* deferred.c: parcels whose gather, kernel and scatter become one job */
bool htmt__defer_may(const struct htmt_emulator *e, const struct htmt_parcel_desc *desc);
void htmt__defer_read(struct htmt__closure *c, uint32_t layer);
/* Of a parcel that is not deferred: what its kernels read in place, from now on. */
void htmt__defer_stay(struct htmt_emulator *e, struct htmt__closure *c, uint32_t layer);
void htmt__defer_kernel(struct htmt_parcel *p);
/* true: done; false: there are several places to write, so the closure is not deferred any more. */
bool htmt__defer_write(struct htmt_emulator *e, struct htmt_parcel *p, uint32_t layer);
/* At the end of a parcel that wrote nothing: its kernel runs all the same. */
void htmt__defer_end(struct htmt_emulator *e, struct htmt_parcel *p);
void htmt__defer_forget(struct htmt__closure *c);
/* Somebody is about to write that part of the storage, or to let all of it go: those who have yet
 * to read it do so. */
void htmt__defer_force(struct htmt_emulator *e, struct htmt__storage *storage,
                       struct htmt__extent extent);

/* batch.c */
/* Jobs are issued in one order: nothing overtakes a batch. To be called before anything else that
 * concerns the host. */
void htmt__batches_issue(struct htmt_emulator *e);
/* The way by which all other jobs are issued. */
void htmt__issue(struct htmt_emulator *e, struct htmt__job *job, bool keep);

/* kernel.c */
struct htmt__touch {
    struct htmt__storage *storage;
    uint64_t offset, bytes;
    unsigned use;
};
/* The closure is complete: issue the kernel of execute ahead of its turn. */
void htmt__kernel_ahead(struct htmt_emulator *e, struct htmt_parcel *p);
/* Issue the kernel of `step` for parcel p; keep: its counts and result are wanted. */
struct htmt__job *htmt__kernel_issue(struct htmt_emulator *e, struct htmt_parcel *p,
                                     const struct htmt__step *step, const struct htmt__touch *uses,
                                     uint32_t use_count, bool keep);
void htmt__kernel_counts(struct htmt__job *job, struct htmt_ops *ops);
struct htmt__findings *htmt__findings_create(void);
void htmt__findings_destroy(struct htmt__findings *f);
/* A kernel whose counts differ from its cost function, once all jobs are done. */
int htmt__kernel_check(struct htmt_emulator *e);

/* service.c */
/* Its control writes the log, its cost function the operations of the kernel. */
void htmt__control(struct htmt_emulator *e, struct htmt_parcel *p, struct htmt_ops *ops,
                   struct htmt_context *c);
void htmt__serve(struct htmt_emulator *e, struct htmt_parcel *p);
void htmt__service_end(struct htmt_emulator *e, struct htmt_parcel *p);
void htmt__kernels_resolve(struct htmt_emulator *e);
void htmt__entry_do(struct htmt_emulator *e, struct htmt_parcel *p, struct htmt__entry *entry);
struct htmt__entry *htmt__entry_create(struct htmt_emulator *e, enum htmt__entry_kind kind);
void htmt__entry_free(struct htmt_emulator *e, struct htmt__entry *entry);
/* Ask for a server of the layer's bank. */
void htmt__request(struct htmt_emulator *e, struct htmt_parcel *p);

/* context.c */
struct htmt_context {
    struct htmt_emulator *e;
    struct htmt_parcel *p;    /* what is in service; NULL: root */
    struct htmt_parcel *self; /* its parcel */
    uint32_t layer;
    const void *result;
    struct htmt__touch use[HTMT__USES_MAX];
    uint32_t uses;
    struct htmt__entry *log_tail;
    uint64_t down, up; /* words of state in use that percolation would bring down and up again */
};
/* Add a line to the log of the service, or do it at once for the root. */
void htmt__log_write(struct htmt_context *c, struct htmt__entry *entry);
int htmt__log_start(struct htmt_context *c, struct htmt_parcel *p);
/* A kernel's next use is that storage. */
void htmt__use_storage(struct htmt_context *c, struct htmt__storage *storage, uint64_t bytes);

/* departure.c */
static inline bool htmt__departures_matter(const struct htmt_emulator *e)
{
    return __builtin_expect(e->options.lint || e->options.carry, 0);
}
static inline uint32_t htmt__innermost(const struct htmt_emulator *e)
{
    return e->layers - 1;
}
/* From SPELL to SPELL. */
static inline bool htmt__exchanges(const struct htmt_emulator *e, const struct htmt__leg *way)
{
    return way->from == htmt__innermost(e) && way->to == way->from && way->source != way->target;
}
/* Only when they matter: */
void htmt__departs_regions(struct htmt_emulator *e, const struct htmt_parcel_desc *d);
void htmt__departs_use(struct htmt_context *c, struct htmt_object *o, uint64_t bytes,
                       enum htmt_use use);
void htmt__departs_fiber(struct htmt_emulator *e, const struct htmt_parcel *fiber);
void htmt__departs_message(const struct htmt_emulator *e, struct htmt_type *type,
                           const struct htmt__leg *way);
/* Something has come into the object. */
void htmt__delivered(struct htmt_emulator *e, struct htmt_object *o);
/* Words of a later fiber's frame that percolation would bring down, and up again. */
uint64_t htmt__frame_down(const struct htmt_parcel *fiber);
uint64_t htmt__frame_up(const struct htmt_parcel *fiber);

/* state.c: htmt_options.carry of what services find in the innermost memory */
/* true: p has no closure to begin with; it asks for its server when that has come. */
bool htmt__state_fetch(struct htmt_emulator *e, struct htmt_parcel *p);
void htmt__state_arrives(struct htmt_emulator *e, struct htmt_parcel *p);

/* life.c */
void htmt__advance(struct htmt_emulator *e, struct htmt_parcel *p);
void htmt__move_event(struct htmt_emulator *e, struct htmt_parcel *p);
void htmt__store_release(struct htmt_emulator *e, uint32_t slice, uint32_t layer, uint64_t words);
void htmt__parcel_end(struct htmt_emulator *e, struct htmt_parcel *p);
/* A parcel at a gate gives back what it holds and ends. */
void htmt__parcel_discard(struct htmt_emulator *e, struct htmt_parcel *p);
/* Occupy the channels of one move; schedules p's next event: the head's arrival (then call
 * htmt__channel_in()), or the end. */
void htmt__channel(struct htmt_emulator *e, struct htmt_parcel *p, const struct htmt__leg *leg);
void htmt__channel_in(struct htmt_emulator *e, struct htmt_parcel *p, const struct htmt__leg *leg);

/* carry.c: puts, gets, signals */
void htmt__signal_from(struct htmt_emulator *e, uint32_t slice, uint32_t layer,
                       struct htmt_slot slot);
void htmt__count_down(struct htmt_emulator *e, struct htmt_slot slot);
void htmt__carrier_start(struct htmt_emulator *e, struct htmt_parcel *p);
void htmt__carrier_event(struct htmt_emulator *e, struct htmt_parcel *p);
void htmt__carrier_sent(struct htmt_emulator *e, const struct htmt__entry *entry);
struct htmt_parcel *htmt__carrier_create(struct htmt_emulator *e, uint32_t slice,
                                         enum htmt__carry_kind kind);
struct htmt__carry *htmt__carry_create(struct htmt_emulator *e, enum htmt__carry_kind kind);
void htmt__carry_free(struct htmt_emulator *e, struct htmt__carry *c);
/* The next leg of the way round from (*slice, *layer) to `target`, and where it ends; false: there
 * is none. */
bool htmt__detour_next(const struct htmt_emulator *e, uint32_t target, uint32_t *slice,
                       uint32_t *layer);
/* The bytes leave the source now; they reach the destination now. */
void htmt__carry_capture(struct htmt_emulator *e, struct htmt__carry *c);
void htmt__carry_put_down(struct htmt_emulator *e, struct htmt__carry *c);
void htmt__carrier_free(struct htmt_emulator *e, struct htmt_parcel *p);
/* Find the network of a leg and its times. Errors (latched): HTMT_EROUTE, HTMT_EOVERFLOW. */
int htmt__carrier_route(struct htmt_emulator *e, struct htmt_parcel *p, struct htmt__leg way,
                        uint64_t from_pieces, uint64_t to_pieces);
void htmt__chains_init(struct htmt_emulator *e);
static inline uint64_t htmt__put_words(const struct htmt_put *put)
{
    return put->words ? put->words : (put->bytes + HTMT_WORD - 1) / HTMT_WORD;
}

/* mailbox.c, collective.c */
void htmt__mailbox_arrive(struct htmt_emulator *e, struct htmt_parcel *p);
void htmt__mailbox_taken(struct htmt_emulator *e, struct htmt_mailbox *m, uint64_t records);
void htmt__mailboxes_destroy(struct htmt_emulator *e);
const char *htmt__mailbox_name(const struct htmt_mailbox *m);
void htmt__collectives_destroy(struct htmt_emulator *e);

/* object.c */
/* Room for a copy in another memory of its slice, from now on. */
int htmt__object_copy(struct htmt_emulator *e, struct htmt_object *o, uint32_t layer);
/* When folded, its twin in slice 0; NULL: it is in no frame. */
static inline struct htmt_object *htmt__object_played(const struct htmt_emulator *e,
                                                      struct htmt_object *o)
{
    return o->slice < e->played ? o : o->first;
}
void htmt__objects_destroy(struct htmt_emulator *e);
/* 0 or HTMT_EBOUNDS: pieces at an address lie within its object. */
int htmt__bounds_of(struct htmt_emulator *e, struct htmt_addr at, uint64_t bytes,
                    struct htmt_pieces pieces, const char *what);
static inline int htmt__bounds(struct htmt_emulator *e, struct htmt_addr at, uint64_t bytes,
                               struct htmt_pieces pieces, const char *what)
{
    const struct htmt_object *o = at.object;
    if (o && bytes && !pieces.count && bytes <= o->bytes && at.offset <= o->bytes - bytes)
        return 0;
    return htmt__bounds_of(e, at, bytes, pieces, what);
}

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
static inline uint64_t htmt__words(uint64_t bytes)
{
    return bytes / HTMT_WORD + (bytes % HTMT_WORD != 0);
}
/* fs of ops on the processor of a layer, with the step's memory of the last answer. */
htmt_time htmt__work(struct htmt_emulator *e, struct htmt__step *step, uint32_t layer,
                     const struct htmt_ops *ops);

#endif
