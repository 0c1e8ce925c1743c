/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: what is on its way from slice to slice, over one network at a time: the bytes
 * of puts and gets, signals, records, results, state.
 */
#ifndef HTMT_PARCELS_TIMING_MESSAGE_H
#define HTMT_PARCELS_TIMING_MESSAGE_H

#include "parcels/parcel.h"

struct htmt__entry;

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
/* The bytes leave the source now; they reach the destination now. */
void htmt__carry_capture(struct htmt_emulator *e, struct htmt__carry *c);
void htmt__carry_put_down(struct htmt_emulator *e, struct htmt__carry *c);
void htmt__carrier_free(struct htmt_emulator *e, struct htmt_parcel *p);
/* Find the network of a leg and its times. Errors (latched): HTMT_EROUTE, HTMT_EOVERFLOW. */
int htmt__carrier_route(struct htmt_emulator *e, struct htmt_parcel *p, struct htmt__leg way,
                        uint64_t from_pieces, uint64_t to_pieces);
static inline uint64_t htmt__put_words(const struct htmt_put *put)
{
    return put->words ? put->words : (put->bytes + HTMT_WORD - 1) / HTMT_WORD;
}

#endif
