/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: an entity, which is what takes its turn in virtual time: a parcel, an enabled
 * fiber, a message on its way, a moment of an operation log, a completion at an issue port, a
 * request at a shared bus.
 *
 * An entity belongs to the slice that made it and has at most one pending event. So an event needs
 * no record of its own, the key of an entity is that of its event, and (time, birth, slice) orders
 * events without regard to the order in which they were scheduled. Where it waits is its state. It
 * is two cache lines: the first one has what every event touches.
 */
#ifndef HTMT_PARCELS_WALK_ENTITY_H
#define HTMT_PARCELS_WALK_ENTITY_H

#include "parcels/clock/engine.h"
#include "parcels/walk/type.h"
#include "runtime/sim/waiter.h"

#include <string.h>

/* A key: 22 bits of an entity's birth, 20 of slice, 22 of its index. */
#define HTMT__INDEX_BITS  22
#define HTMT__INDICES     (1u << HTMT__INDEX_BITS)
#define HTMT__SLICE_BITS  20
#define HTMT__BIRTH_SHIFT (HTMT__INDEX_BITS + HTMT__SLICE_BITS)

/* This bit of an index, in a guarded run, marks messages: they lie outside the slices' pages. */
#define HTMT__BETWEEN (HTMT__INDICES / 2)

#define HTMT__SERIAL_BITS 40 /* of an entity's number in its slice; the slice is above */
/* Entities of one allocation, beyond a slice's first ones: 8, 16, 32, 64, and then 128 each. */
#define HTMT__CHUNK_LEAST 8u
#define HTMT__CHUNK_MOST  128u

struct htmt__fiber_slot {
    uint32_t count, reset;
    uint32_t full; /* where it counts down from */
};

/* Of a post that generates messages (message/generator.c). */
struct htmt__each {
    void (*next)(struct htmt_context *c, uint64_t i);
    uint64_t i, count;           /* the next one; in all */
    struct htmt__entity *staged; /* a message to its own slice that waits for room */
    htmt_time began, work;       /* its service; what its operations took */
};

/* What a parcel has besides its entity. When the parcel ends, its type keeps the block for the next
 * one. The arguments follow the slots. */
struct htmt__body {
    union {
        struct {
            union {
                struct htmt__body *spare;
                struct htmt_slot on_ready;
            };
            struct htmt_slot on_done;
        };
        struct htmt__each each; /* of a post: it has no slots */
    };
    union {
        struct htmt__entity *early; /* fibers enabled before fiber 0 has ended */
        uint32_t sender;            /* of a post: the slice that posted it */
    };
    uint32_t live;  /* fibers enabled and not yet ended */
    bool begun;     /* fiber 0 has ended */
    uint8_t thread; /* that it holds: issue.h */
    struct htmt__fiber_slot slot[];
};

enum htmt__kind { HTMT__PARCEL, HTMT__FIBER, HTMT__MESSAGE, HTMT__MOMENT, HTMT__ISSUE, HTMT__BUS };
enum htmt__state {
    HTMT__FREE,
    HTMT__READY,       /* in the ready list */
    HTMT__PENDING,     /* has an event */
    HTMT__IN_LINE,     /* of a bank */
    HTMT__FOR_SPACE,   /* of a store */
    HTMT__FOR_CALL,    /* at a gate */
    HTMT__FOR_ROOM,    /* of a mailbox */
    HTMT__FOR_STATE,   /* what-if: that a message brings */
    HTMT__FOR_KERNEL,  /* in service; its end is not known yet */
    HTMT__MADE,        /* written in a log, not yet begun */
    HTMT__OVER,        /* a message that goes back to its slice */
    HTMT__AWAY,        /* a message in another process */
    HTMT__FOR_CHANNEL, /* of a network with ports inside */
    HTMT__AS_PACKETS,  /* it crosses that network */
    HTMT__FOR_PORT,    /* a generator: until it is free */
    HTMT__FOR_QUEUE    /* a post, or the generator of one: for room in a queue of posts */
};

/* What every line of an operation log has (context.h). */
struct htmt__log_line {
    struct htmt__log_line *next;
    uint8_t kind; /* enum htmt__entry_kind */
    bool after;   /* the kernel */
    uint8_t stage;
    bool captured : 1, returns : 1; /* SENT: it has a capture; a collective */
    uint32_t slice;                 /* SENT: the source's */
    htmt_time at;                   /* since the start of the service, or since the kernel's end */
};

/* As packets. */
struct htmt__flight {
    uint32_t packets, known; /* in all; of which the last word's instant is known */
    uint32_t landing;        /* 1 + place in the list of those whose head alone is there; 0: none */
    uint32_t order;          /* among the messages of a pair of slices; 0: none is kept */
    union {
        uint64_t sending;           /* what its source keeps of it; where a waiter has its amount */
        struct htmt__entity *early; /* at its target, before others of its slice */
    };
};
_Static_assert(offsetof(struct htmt__flight, sending) == offsetof(struct htmt__waiter, amount),
               "a line leaves it");

/* Two cache lines. */
struct htmt__entity {
    _Alignas(64) union {            /* it is in one place at a time */
        struct htmt__waiter waiter; /* first: a line gives it back */
        struct {
            struct htmt__entity *queue; /* ready list, kernel list, free list */
            struct htmt__job *job;      /* FOR_KERNEL: of the service */
        };
        struct htmt__flight flight; /* FOR_CHANNEL: `sending`; AS_PACKETS */
        struct htmt__log_line line; /* MADE: the line of a log at which it begins */
    };
    uint64_t key; /* of its events */
    const struct htmt__step *step;
    union {
        const struct htmt__move_cost *cost; /* PARCEL */
        struct htmt__entity *owner;         /* FIBER: its activation */
        struct htmt__message *message;      /* MESSAGE */
    };
    uint32_t slice, index; /* its place: of every one that is made there */
    uint16_t open;         /* gates that may be passed */
    uint8_t kind, state;
    bool head : 1;      /* next event: the head of a message, not its end */
    bool worked : 1;    /* its log has a htmt_work() */
    bool ran : 1;       /* control of the current service has run */
    bool discarded : 1; /* ends at its next gate */
    bool inside : 1;    /* next event: at a place inside a network */
    bool leaving : 1;   /* in a run: an event of its own when the last word has left; a generator:
                         it has no processor */
    bool pauses : 1;    /* the log of its service has a HTMT__PAUSED */
    bool posted : 1;    /* it was made of a post */
    struct htmt__ways ways; /* in a run: of its closure */

    uint64_t serial; /* slice << 40 | counter of the slice, from 1 */
    htmt_time service;
    union {
        htmt_time before; /* charged by the control before its kernel */
        htmt_time tail;   /* of a move: when its last word arrives at the earliest */
    };
    union {
        htmt_time after;
        uint32_t place;  /* inside a network: the slice whose place it is */
        htmt_time start; /* of a move: when it occupies a channel at the target */
    };
    struct htmt_type *type;
    struct htmt__body *body; /* PARCEL */
    struct htmt__log_line *log;
    union {
        struct htmt__closure *closure; /* run */
        struct htmt__message
            *brought; /* model with htmt_options.what_if: the service's state came */
    };
};
#define HTMT__ENTITY_LINE 64u
_Static_assert(sizeof(struct htmt__entity) == 2 * HTMT__ENTITY_LINE,
               "an entity is two cache lines");

struct htmt__slice {
    struct htmt__entity **chunk; /* read by htmt__chunk_of() where others may play the slice */
    uint32_t chunks, room;
    uint32_t fresh; /* entities that were ever used */
    struct htmt__entity *free;
    uint64_t serial;   /* of the last one that was made */
    uint64_t live;     /* entities, */
    uint64_t messages; /* of them, also those that are in other slices */
    uint64_t turn;     /* of its last event in the history */
};

static inline struct htmt__slice *htmt__slice_at(const struct htmt_emulator *e, uint32_t slice)
{
    return (struct htmt__slice *)(void *)(e->slice_block + slice * e->slice_stride);
}

/* Cleared memory for state of a slice that is played, as long as the emulator lives. NULL: out of
 * memory. */
void *htmt__slice_memory(struct htmt_emulator *e, uint32_t slice, size_t size);
void htmt__slice_memory_free(struct htmt_emulator *e);

/* A slice's first one, or one of a guarded run. NULL: out of memory (latched). */
struct htmt__entity *htmt__entity_create_other(struct htmt_emulator *e, uint32_t slice,
                                               enum htmt__kind kind);
/* Who watches hears that it is over. */
__attribute__((cold)) void htmt__entity_tell(struct htmt_emulator *e, const struct htmt__entity *p);
/* Place for a message that another process has made; of no list. NULL: out of memory (latched). */
struct htmt__entity *htmt__entity_place(struct htmt_emulator *e, uint32_t slice, uint32_t index);
/* The table of chunks, not what is in it. */
void htmt__slice_table_free(struct htmt__slice *s);
/* The slice is played to its end: its memory may serve others. */
void htmt__slice_rest(struct htmt__slice *s);
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
/* Which fiber of its activation; 0: a parcel. */
static inline uint32_t htmt__fiber_number(const struct htmt__entity *p)
{
    return p->kind == HTMT__FIBER ? (uint32_t)(p->step - p->type->fiber_step) + 1 : 0;
}
/* What it does: htmt__stage_text(). numbered: fibers without a name have their numbers. */
static inline const char *htmt__entity_stage(const struct htmt__entity *p, bool numbered,
                                             char text[HTMT__STAGE_TEXT])
{
    const struct htmt__code *code = &p->type->code;
    const uint32_t fiber = htmt__fiber_number(p);
    return htmt__stage_text(code, (enum htmt_stage_id)p->step->stage,
                            numbered || htmt__fiber_name(code, fiber) ? fiber : 0, text);
}
static inline void *htmt__args(const struct htmt__entity *parcel)
{
    return (char *)parcel->body + parcel->type->args_at;
}
static inline uint32_t htmt__key_slice(uint64_t key)
{
    return key >> HTMT__INDEX_BITS & ((1u << HTMT__SLICE_BITS) - 1);
}
/* Chunks, by index + HTMT__CHUNK_LEAST. A chunk begins where that is a multiple of its size, which
 * is the highest power of two in it, up to the most. */
static inline uint32_t htmt__chunk_size(uint32_t at)
{
    return at < HTMT__CHUNK_MOST ? 1u << (31 - __builtin_clz(at)) : HTMT__CHUNK_MOST;
}
static inline uint32_t htmt__chunk_number(uint32_t at)
{
    const uint32_t least = 31 - __builtin_clz(HTMT__CHUNK_LEAST),
                   most = 31 - __builtin_clz(HTMT__CHUNK_MOST);
    return at < HTMT__CHUNK_MOST ? 31 - (uint32_t)__builtin_clz(at) - least
                                 : most - least - 1 + at / HTMT__CHUNK_MOST;
}
static inline struct htmt__entity *htmt__chunk_of(const struct htmt__slice *s, uint32_t index)
{
    struct htmt__entity **table = __atomic_load_n(&s->chunk, __ATOMIC_ACQUIRE);
    const uint32_t at = index + HTMT__CHUNK_LEAST, size = htmt__chunk_size(at);
    return table[htmt__chunk_number(at)] + (at & (size - 1));
}
/* Of an entity's or an event's key. */
static inline struct htmt__entity *htmt__entity_at(const struct htmt_emulator *e, uint64_t key)
{
    uint32_t index = key & (HTMT__INDICES - 1), slice = htmt__key_slice(key);
    if (index < e->first_each)
        return &e->first[slice * e->slice_step + index * e->index_step];
    if (__builtin_expect((index & HTMT__BETWEEN) != 0 && e->guard, 0)) {
        index -= HTMT__BETWEEN;
        return htmt__chunk_of(&e->post[slice], index);
    }
    index -= e->first_each;
    return htmt__chunk_of(htmt__slice_at(e, slice), index);
}
/* The first of the free ones. */
static inline struct htmt__entity *htmt__entity_take(struct htmt__slice *s)
{
    struct htmt__entity *p = s->free;
    s->free = p->queue;
    __builtin_prefetch(s->free, 1); /* the next to be made */
    return p;
}
/* All but its place. Piece by piece: GCC clears all at once by a string instruction, which takes
 * longer to start. */
static inline void htmt__entity_clear(struct htmt__entity *p)
{
    const size_t place = offsetof(struct htmt__entity, slice),
                 behind = offsetof(struct htmt__entity, open);
    memset(p, 0, place);
    memset((char *)p + behind, 0, HTMT__ENTITY_LINE - behind);
    memset((char *)p + HTMT__ENTITY_LINE, 0, sizeof *p - HTMT__ENTITY_LINE);
}
static inline struct htmt__entity *htmt__entity_begin(struct htmt__slice *s, struct htmt__entity *p,
                                                      enum htmt__kind kind)
{
    uint64_t serial = ++s->serial;
    s->live++;
    if (kind == HTMT__MESSAGE)
        s->messages++;
    htmt__entity_clear(p);
    p->serial = serial;
    p->key = htmt__event_key(p->slice, p->index, serial);
    p->kind = (uint8_t)kind;
    p->state = HTMT__MADE;
    return p;
}
/* NULL: out of memory (latched). */
static inline struct htmt__entity *htmt__entity_create(struct htmt_emulator *e, uint32_t slice,
                                                       enum htmt__kind kind)
{
    slice = htmt__played(e, slice);
    struct htmt__slice *s = htmt__slice_at(e, slice);
    if (__builtin_expect(!s->free || e->guard, 0))
        return htmt__entity_create_other(e, slice, kind);
    return htmt__entity_begin(s, htmt__entity_take(s), kind);
}
/* Where nobody watches, and no pages are guarded. */
static inline void htmt__entity_free_plain(struct htmt__slice *s, struct htmt__entity *p,
                                           enum htmt__kind kind)
{
    s->live--;
    if (kind == HTMT__MESSAGE)
        s->messages--;
    p->serial = 0;
    p->state = HTMT__FREE;
    p->queue = s->free;
    s->free = p;
}
static inline void htmt__entity_free(struct htmt_emulator *e, struct htmt__entity *p,
                                     enum htmt__kind kind)
{
    struct htmt__slice *s = htmt__slice_at(e, p->slice);
    if (__builtin_expect(htmt__goes_aside(e, HTMT__BY_PROBE), 0))
        htmt__entity_tell(e, p);
    if (kind != HTMT__MESSAGE || !e->guard) {
        htmt__entity_free_plain(s, p, kind);
        return;
    }
    s->live--;
    s->messages--;
    s = &e->post[p->slice];
    p->serial = 0;
    p->state = HTMT__FREE;
    p->queue = s->free;
    s->free = p;
}
/* Its parcel has ended: the block may serve another one of the type, in a guarded run none. */
static inline void htmt__body_free(struct htmt_emulator *e, struct htmt_type *t,
                                   struct htmt__body *body)
{
    if (htmt__goes_aside(e, HTMT__BY_GUARD))
        return;
    body->spare = t->spare;
    t->spare = body;
}
static inline struct htmt_ref htmt__ref(const struct htmt__entity *p)
{
    return (struct htmt_ref){p->serial, p->index, p->type->code.exec};
}
/* The parcel while it lives, else NULL. When folded, a reference to a parcel of another slice is
 * one to its twin in slice 0 with the other's serial. */
static inline struct htmt__entity *htmt__find(const struct htmt_emulator *e, struct htmt_ref r)
{
    uint32_t slice = htmt__played(e, htmt_ref_slice(r));
    uint64_t number = r.serial << (64 - HTMT__SERIAL_BITS);
    if (!number)
        return NULL;
    if (r.index >= e->first_each && r.index >= htmt__slice_at(e, slice)->fresh)
        return NULL;
    struct htmt__entity *p =
        r.index < e->first_each ? &e->first[slice * e->slice_step + r.index * e->index_step]
                                : htmt__chunk_of(htmt__slice_at(e, slice), r.index - e->first_each);
    return p->serial << (64 - HTMT__SERIAL_BITS) == number ? p : NULL;
}

#endif
