/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: a message on its way from slice to slice, over one network at a time: the
 * bytes of puts and gets, signals, records, results, state.
 *
 * A message is made by the slice that sends it and read by the slice where it arrives; it holds all
 * that either needs of the other as numbers.
 */
#ifndef HTMT_PARCELS_TIMING_MESSAGE_H
#define HTMT_PARCELS_TIMING_MESSAGE_H

#include "parcels/timing/channel.h"

#define HTMT__NO_NETWORK UINT32_MAX /* of a leg: within one memory of one slice */

enum htmt__message_kind {
    HTMT__MESSAGE_BYTES,
    HTMT__MESSAGE_SIGNAL,
    HTMT__MESSAGE_REQUEST, /* the word that asks for a get */
    HTMT__MESSAGE_CREDIT,  /* the word that asks for room in a mailbox */
    HTMT__MESSAGE_GRANT,   /* the word that grants it */
    HTMT__MESSAGE_RECORDS,
    HTMT__MESSAGE_COLLECTIVE,
    HTMT__MESSAGE_STATE,
    HTMT__MESSAGE_KINDS
};

struct htmt__message {
    struct htmt__message *next;
    struct htmt__leg leg;
    struct htmt__held *held; /* bytes between sent and arrived */
    htmt_time sent_at;       /* when they leave (p->leaving) */
    struct htmt_mailbox *mailbox;
    uint64_t records;
    struct htmt_slot slot; /* signal: the one to count down when it has arrived */
    struct htmt__collective *collective;
    uint32_t inbox;          /* of a collective, by number */
    bool down;               /* into the frame of the receiver instead: a result */
    bool returns;            /* the collective takes the frame back when the last word has left */
    struct htmt_slot *slots; /* of a broadcast: those of the receiver and of who is below it */
    struct {
        bool on; /* what-if: goes round by the outer memories; leg is one of its legs */
        uint32_t source, target;
    } detour;
    struct htmt__entity *whose; /* state: the service that waits for it */
    uint64_t up;                /* state: words that come to it */
    enum htmt__message_kind kind;
    /* Not cleared: */
    struct htmt_put put; /* of bytes, records, a collective, a request */
    struct htmt_ops ops; /* of a service whose control ran before its state came */
};

/* A message of a slice, to be given a leg and started. NULL: out of memory (latched). */
struct htmt__entity *htmt__message_entity(struct htmt_emulator *e, uint32_t slice,
                                          enum htmt__message_kind kind);
/* It is over: e->over has it until it is booked. */
void htmt__message_end(struct htmt_emulator *e, struct htmt__entity *p);
/* What a message holds, alone. */
struct htmt__message *htmt__message_create(struct htmt_emulator *e, enum htmt__message_kind kind);
void htmt__message_free(struct htmt_emulator *e, struct htmt__message *m);

/* The leg crosses one network: find it, and its times. Errors (latched): HTMT_EROUTE,
 * HTMT_EOVERFLOW, HTMT_ESYMMETRY, HTMT_ENOMEM. */
int htmt__message_cross(struct htmt_emulator *e, struct htmt__entity *p,
                        const struct htmt__leg *way, uint64_t from_pieces, uint64_t to_pieces);
/* Send it over its leg. */
void htmt__message_start(struct htmt_emulator *e, struct htmt__entity *p);
/* The slice at whose place p's next event is. */
uint32_t htmt__message_slice(const struct htmt_emulator *e, const struct htmt__entity *p);
/* Its event is that its last word leaves. Two events of one instant may come in either order. */
static inline bool htmt__message_leaves(const struct htmt_emulator *e, const struct htmt__entity *p)
{
    return p->leaving && p->message->sent_at == e->now;
}

/* An arrival is one event in two halves. The half of the target delivers. The half of the source
 * books: the leg enters the history (with windows by itself: booking.h), and a message that is over
 * (e->over) is freed. Neither takes a number of a slice or reads the other's slice, and nothing that
 * is timed depends on what is booked. */
struct htmt__booking {
    bool due; /* the leg crossed a network */
    uint32_t slice;
    uint64_t serial, words;
    struct htmt__stage_stats *stats;
};
struct htmt__booking htmt__message_booking(const struct htmt_emulator *e,
                                           const struct htmt__entity *p);
void htmt__message_book(struct htmt_emulator *e, const struct htmt__booking *b);

/* Its bytes leave the source now; they reach the destination now. */
void htmt__message_capture(struct htmt_emulator *e, struct htmt__message *m);
void htmt__message_deliver(struct htmt_emulator *e, struct htmt__message *m);

static inline bool htmt__message_one_word(enum htmt__message_kind kind)
{
    return kind == HTMT__MESSAGE_SIGNAL || kind == HTMT__MESSAGE_REQUEST ||
           kind == HTMT__MESSAGE_CREDIT || kind == HTMT__MESSAGE_GRANT;
}
static inline uint64_t htmt__put_words(const struct htmt_put *put)
{
    return put->words ? put->words : (put->bytes + HTMT_WORD - 1) / HTMT_WORD;
}

#endif
