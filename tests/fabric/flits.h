/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Networks flit by flit, step by step: slow and plain, to hold the fabric against. It shares no
 * code with it. All times are whole steps; a flit of channel c takes rate[c] of them.
 */
#ifndef HTMT_TESTS_FABRIC_FLITS_H
#define HTMT_TESTS_FABRIC_FLITS_H

#include <stdbool.h>
#include <stdint.h>

#define FLITS_HOPS    12
#define FLITS_LENGTH  20
#define FLITS_MOST    200 /* flits of a packet */
#define FLITS_PACKETS 40

enum flits_mode { FLITS_STORED, FLITS_CUT, FLITS_WORM };

/* Packets are in the order of their keys. */
struct flits_packet {
    int at;                  /* when it is at its sender */
    int hops;                /* channels on its way */
    int channel[FLITS_HOPS]; /* the last one leads to an end, which takes all */
    int length[FLITS_HOPS];  /* flits on each */
    int lane;                /* on all of them */
    /* What became of it; -1: not yet. */
    int asked[FLITS_HOPS], sent[FLITS_HOPS];
    int begin[FLITS_HOPS][FLITS_MOST]; /* of each flit on each channel */
};

struct flits {
    enum flits_mode mode;
    int wire, turn, control;
    int buffer; /* flits of an input; 0: no limit */
    int channels;
    int rate[256];              /* steps that a flit takes, by channel */
    int lanes;                  /* of a channel, which takes their flits in turn; 0: it has one */
    int served[256], busy[256]; /* lanes: whose flit was the last one, until when */
    int count;
    struct flits_packet packet[FLITS_PACKETS];
};

/* Until all have come, or `steps` are over. Returns how many have not come. */
int flits_run(struct flits *f, int steps);
/* When its last flit has left channel number `hop` of its way; -1: it has not. */
int flits_left(const struct flits *f, int packet, int hop);

#endif
