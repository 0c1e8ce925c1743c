/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: a message on its way from slice to slice, over one network at a time: the
 * bytes of puts and gets, signals, records, results, state.
 *
 * A message is made by the slice that sends it and read by the slice where it arrives; it holds all
 * that either needs of the other as numbers.
 */
#ifndef HTMT_PARCELS_MESSAGE_MESSAGE_H
#define HTMT_PARCELS_MESSAGE_MESSAGE_H

#include "parcels/clock/event.h"
#include "parcels/clock/partition.h"
#include "parcels/clock/statistics.h"
#include "parcels/message/post.h"
#include "parcels/walk/entity.h"
#include "parcels/walk/memory.h"
#include "parcels/walk/type.h"

/* A move over one network: by a parcel from layer to layer, by a message from slice to slice. */
struct htmt__leg {
    uint32_t network, from; /* layer */
    uint64_t words;
    uint32_t to, source;         /* layer, slice */
    htmt_time out_time, in_time; /* that its channels are occupied */
    struct htmt__stage_stats *stats;
    uint32_t target; /* slice */
    uint32_t line;   /* of its end in a lane; its head has the next one */
};

/* Between which layers of which slices; its network and times are to be found. */
static inline void htmt__leg_set(struct htmt__leg *g, uint32_t from, uint32_t to, uint32_t source,
                                 uint32_t target, uint64_t words)
{
    g->from = from;
    g->to = to;
    g->source = source;
    g->target = target;
    g->words = words;
}
/* From one partition to another one. */
static inline bool htmt__leg_parted(const struct htmt_emulator *e, const struct htmt__leg *leg)
{
    const uint32_t *of = e->partition ? e->windows->partition_of : NULL;
    return of && of[leg->source] != of[leg->target];
}
/* Of a parcel whose step is a move. */
static inline struct htmt__leg htmt__leg_of_move(const struct htmt__entity *p)
{
    const struct htmt__step *s = p->step;
    const struct htmt__passage *w = &p->cost->passage[s->passage];
    return (struct htmt__leg){
        .network = (uint32_t)s->network,
        .from = s->layer,
        .to = s->to,
        .source = p->slice,
        .target = p->slice,
        .words = w->words,
        .out_time = w->out_time,
        .in_time = w->in_time,
        .stats = s->stats,
        .line = s->line,
    };
}

enum htmt__message_kind {
    HTMT__MESSAGE_BYTES,
    HTMT__MESSAGE_SIGNAL,  /* from here... */
    HTMT__MESSAGE_REQUEST, /* the word that asks for a get */
    HTMT__MESSAGE_CREDIT,  /* the word that asks for room in a mailbox */
    HTMT__MESSAGE_GRANT,   /* the word that grants it: ...to here one word */
    HTMT__MESSAGE_RECORDS,
    HTMT__MESSAGE_COLLECTIVE,
    HTMT__MESSAGE_STATE,
    HTMT__MESSAGE_POST,
    HTMT__MESSAGE_POSTS,  /* that were gathered (gather.h) */
    HTMT__MESSAGE_ACK,    /* an answer to posts (quiet_acks.c) */
    HTMT__MESSAGE_HOLD,   /* news that a post holds a channel (down), or no more */
    HTMT__MESSAGE_LAUNCH, /* of the host, to a slice... */
    HTMT__MESSAGE_ENDED,  /* ...whose program is over (controller.h) */
    HTMT__MESSAGE_KINDS
};

struct htmt__message {
    struct htmt__leg leg;
    uint8_t kind; /* enum htmt__message_kind */
    bool down;    /* COLLECTIVE: into the frame of the receiver instead: a result; POST, POSTS:
                     room is kept for the next one; HOLD: the post does */
    bool returns; /* COLLECTIVE: its frame is given back when the last word has left */
    bool round;   /* what-if: goes round by the outer memories; leg is one of its legs */
    union {
        uint32_t inbox;  /* COLLECTIVE: by number */
        uint32_t posts;  /* ACK: that it answers */
        uint32_t layer;  /* CREDIT, GRANT, RECORDS: where the records are at the sender */
        uint32_t thread; /* BYTES by a DMA engine: that asked for them (issue.h) */
    };
    union {
        struct htmt__message *next;     /* free */
        struct htmt_slot slot;          /* SIGNAL: the one to count down when it has arrived */
        struct htmt__post post;         /* POST */
        struct htmt__bundle *bundle;    /* POSTS */
        struct {                        /* STATE */
            struct htmt__entity *whose; /* the service that waits for it */
            uint64_t up;                /* words that come to it */
            struct htmt_ops ops;        /* of the service whose control ran before */
        };
        struct {                     /* BYTES, REQUEST, CREDIT, GRANT, RECORDS, COLLECTIVE */
            struct htmt__held *held; /* bytes between sent and arrived */
            htmt_time sent_at;       /* when they leave (p->leaving) */
            union {
                struct { /* CREDIT, GRANT, RECORDS */
                    struct htmt_mailbox *mailbox;
                    uint64_t records;
                };
                struct { /* COLLECTIVE */
                    struct htmt__collective *collective;
                    struct htmt_slot *slots; /* of a broadcast: those of the receiver and of who is
                                                below it */
                };
            };
            struct htmt_put put;
        };
    };
    uint32_t detour_source, detour_target; /* of the way round */
};

/* It carries what htmt_put() says, or the like. */
static inline bool htmt__message_has_put(enum htmt__message_kind kind)
{
    return kind != HTMT__MESSAGE_SIGNAL && kind != HTMT__MESSAGE_STATE &&
           !(kind >= HTMT__MESSAGE_POST && kind <= HTMT__MESSAGE_HOLD);
}
/* Its first lines, into the cache. NULL, or the address of anything else, does no harm. */
static inline void htmt__message_fetch(const struct htmt__message *m)
{
    __builtin_prefetch(m, 1);
    __builtin_prefetch((const void *)((uintptr_t)m + 64), 1);
}
/* More of them for the free list. NULL: out of memory (latched). */
__attribute__((cold)) struct htmt__message *htmt__message_alloc(struct htmt_emulator *e);
/* What a message holds, alone. NULL: out of memory (latched). */
static inline struct htmt__message *htmt__message_create(struct htmt_emulator *e,
                                                         enum htmt__message_kind kind)
{
    struct htmt__message *m = e->messages;
    if (__builtin_expect(m != NULL, 1)) {
        e->messages = m->next;
        htmt__message_fetch(e->messages); /* the next to be made */
    } else if (!(m = htmt__message_alloc(e)))
        return NULL;
    m->kind = (uint8_t)kind;
    m->down = m->returns = m->round = false;
    m->inbox = 0;
    if (htmt__message_has_put(kind))
        m->held = NULL;
    return m;
}
static inline void htmt__message_free(struct htmt_emulator *e, struct htmt__message *m)
{
    m->next = e->messages;
    e->messages = m;
}
/* A message of a slice, to be given a leg and started. NULL: out of memory (latched). */
static inline struct htmt__entity *htmt__message_entity(struct htmt_emulator *e, uint32_t slice,
                                                        enum htmt__message_kind kind)
{
    struct htmt__entity *p = htmt__entity_create(e, slice, HTMT__MESSAGE);
    if (__builtin_expect(p && !(p->message = htmt__message_create(e, kind)), 0)) {
        htmt__entity_free(e, p, HTMT__MESSAGE);
        return NULL;
    }
    return p;
}
/* Its leg was counted, and it has come back to its slice. */
static inline void htmt__message_over(struct htmt_emulator *e, struct htmt__entity *p)
{
    if (p->message) /* else it ended in another process */
        htmt__message_free(e, p->message);
    p->message = NULL;
    htmt__entity_free(e, p, HTMT__MESSAGE);
}
/* It is over. Where its slice may not be touched now, or somebody watches what comes of it, e->over
 * has it until the end of this turn. */
static inline void htmt__message_end(struct htmt_emulator *e, struct htmt__entity *p)
{
    const unsigned reasons = HTMT__BY_PARTITION | HTMT__BY_GUARD | HTMT__BY_PROBE;
    if (__builtin_expect(!htmt__goes_aside(e, reasons), 1)) {
        htmt__message_free(e, p->message);
        p->message = NULL;
        htmt__entity_free_plain(htmt__slice_at(e, p->slice), p, HTMT__MESSAGE);
        return;
    }
    if (!e->guard && !e->explain && !htmt__elsewhere(e, p->slice)) {
        htmt__message_over(e, p);
        return;
    }
    p->state = HTMT__OVER;
    p->queue = e->over;
    e->over = p;
}
/* The free ones. */
void htmt__messages_free(struct htmt_emulator *e);
/* It will not arrive: the emulator goes. */
void htmt__message_discard(struct htmt_emulator *e, struct htmt__message *m);
/* Where it is sent; NULL: to no mailbox. */
struct htmt_mailbox *htmt__message_mailbox(const struct htmt__message *m);

static inline bool htmt__message_one_word(const struct htmt__message *m)
{
    return (m->kind >= HTMT__MESSAGE_SIGNAL && m->kind <= HTMT__MESSAGE_GRANT) ||
           m->kind >= HTMT__MESSAGE_LAUNCH;
}

static inline enum htmt__message_group htmt__message_group_of(const struct htmt__message *m)
{
    if (m->kind >= HTMT__MESSAGE_LAUNCH)
        return HTMT__GROUP_LAUNCHES;
    return htmt__message_one_word(m) ? HTMT__GROUP_SIGNALS : HTMT__GROUP_PUTS;
}

static inline void htmt__message_take(struct htmt_emulator *e, struct htmt__leg *g,
                                      const struct htmt__way *w)
{
    if (e->apart && e->now <= w->stats->use.at)
        htmt__message_stats_use(e, w->stats);
    g->network = w->network;
    g->line = w->line;
    g->out_time = w->out_time;
    g->in_time = w->in_time;
    g->stats = w->stats;
}
/* The slow part: times that differ from those of the message before. */
int htmt__message_time(struct htmt_emulator *e, struct htmt__message *m, struct htmt__way *w,
                       uint64_t from_pieces, uint64_t to_pieces);
/* The leg between the layers that are set crosses one network: find it, and its times. `word`:
 * htmt__message_one_word(). Errors (latched): HTMT_EROUTE, HTMT_EOVERFLOW, HTMT_ESYMMETRY,
 * HTMT_ENOMEM. */
static inline int htmt__message_cross(struct htmt_emulator *e, struct htmt__message *m, bool word,
                                      uint64_t from_pieces, uint64_t to_pieces)
{
    struct htmt__leg *g = &m->leg;
    const size_t across = g->source != g->target;
    struct htmt__way *w = &e->way[word][across][g->from][g->to];
    if (__builtin_expect(
            w->words != g->words || w->from_pieces != from_pieces || w->to_pieces != to_pieces, 0))
        return htmt__message_time(e, m, w, from_pieces, to_pieces);
    htmt__message_take(e, g, w);
    return 0;
}
/* The same of a word whose way is known. */
static inline int htmt__message_cross_word(struct htmt_emulator *e, struct htmt__message *m,
                                           struct htmt__way *w)
{
    if (__builtin_expect(!w->words, 0))
        return htmt__message_time(e, m, w, 1, 1);
    htmt__message_take(e, &m->leg, w);
    return 0;
}
/* Where messages may go round (walk/what_if.h). */
int htmt__what_if_route(struct htmt_emulator *e, struct htmt__message *m, uint64_t from_pieces,
                        uint64_t to_pieces);
/* Give a message its way, between the ends that its leg says: over one network, or round. `word`:
 * htmt__message_one_word(). Errors (latched): HTMT_EROUTE, HTMT_EOVERFLOW, HTMT_ESYMMETRY,
 * HTMT_ECAPACITY, HTMT_ENOMEM. */
static inline int htmt__message_route(struct htmt_emulator *e, struct htmt__message *m, bool word,
                                      uint64_t from_pieces, uint64_t to_pieces)
{
    return __builtin_expect(e->options.what_if & HTMT_DEPARTS_EXCHANGE, 0)
               ? htmt__what_if_route(e, m, from_pieces, to_pieces)
               : htmt__message_cross(e, m, word, from_pieces, to_pieces);
}
/* Send it over its leg. */
void htmt__message_start(struct htmt_emulator *e, struct htmt__entity *p);
/* The slice at whose place p's next event is. */
uint32_t htmt__message_slice(const struct htmt_emulator *e, const struct htmt__entity *p);
/* Its event is that its last word leaves. Two events of one instant may come in either order. */
static inline bool htmt__message_leaves(const struct htmt_emulator *e, const struct htmt__entity *p)
{
    return p->leaving && p->message->sent_at == e->now;
}

/* Its bytes leave the source now; they reach the destination now. */
void htmt__message_capture(struct htmt_emulator *e, const struct htmt__entity *p);
void htmt__message_deliver_bytes(struct htmt_emulator *e, struct htmt__message *m);
static inline void htmt__message_deliver(struct htmt_emulator *e, struct htmt__message *m)
{
    if (htmt__goes_aside(e, HTMT__BY_BYTES | HTMT__BY_RESIDENCY))
        htmt__message_deliver_bytes(e, m);
}

static inline uint64_t htmt__put_words(const struct htmt_put *put)
{
    return put->words ? put->words : (put->bytes + HTMT_WORD - 1) / HTMT_WORD;
}

/* ---- channels ---- */

/* Occupy the channels of one move. Schedules p's next event: the arrival of the head (p->head; then
 * call htmt__channel_in()), or the end. p->tail is when the last word arrives at the earliest. */
void htmt__channel_out(struct htmt_emulator *e, struct htmt__entity *p,
                       const struct htmt__leg *leg);
void htmt__channel_in(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *leg);
/* The first, over a plain network, where nobody watches, of a slice that is played. */
void htmt__channel_out_plain(struct htmt_emulator *e, struct htmt__entity *p,
                             const struct htmt__leg *leg);
/* It has a channel at the target from now on (inlet.h). */
void htmt__channel_begin(struct htmt_emulator *e, struct htmt__entity *p,
                         const struct htmt__leg *leg);
/* The move of a message, of which all is timed, ends at `end`: its next event. */
void htmt__channel_end(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *leg,
                       htmt_time end);
/* A move that begins at `start` gets no channel (start < 0), or ends later than there is time. */
void htmt__channel_refuse(struct htmt_emulator *e, htmt_time start);

/* ---- puts and gets, in put.c ---- */

/* Bytes are where they go, or records; signals both ends that have no signal yet. */
void htmt__put_arrives(struct htmt_emulator *e, struct htmt__entity *p);
/* The word that asks for a get is there: the bytes go the other way. */
void htmt__request_arrives(struct htmt_emulator *e, struct htmt__entity *p);
/* The caller's put as the library knows it. Errors: HTMT_EINVAL, latched under the call's name. */
int htmt__put_whole(struct htmt_emulator *e, const struct htmt_put *put, struct htmt_put *whole,
                    const char *call);

#endif
