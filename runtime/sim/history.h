/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The history hash: two runs had the same events, each slice in the same order, when their hashes
 * agree.
 *
 * The idea. Each event is mixed into 128 bits, and the history is the sum of them all. A sum does
 * not depend on the order of its terms, so whoever plays a slice adds what it plays: partitions,
 * threads and processes have sums of their own, which are added at the end. What order there must
 * be is in the terms: an event has its number among those that its slice has played.
 *
 * An event is five 64-bit words:
 *
 *     w0  virtual time in fs
 *     w1  resource * 2^32 + slice that played it * 2^8 + kind of the stage
 *     w2  sequence number of the parcel, of the fiber or of the message
 *     w3  number of the event among those that its slice has played, from 1
 *     w4  words that were moved
 *
 * With fold(x, y) = upper xor lower half of the 128-bit product x * y, all other arithmetic modulo
 * 2^64 but the last product, which has 128 bits:
 *
 *     x = fold(w0 ^ K0, w1 + K1) + w4 * K4
 *     y = fold(w2 ^ K2, w3 * K3)
 *     sum += x * y                          modulo 2^128: two lanes with a carry between them
 *
 * The hash of a run of n slices is step(step(n, lower half of the sum), upper half), with
 * step(h, m) = t ^ (t >> 32), t = (h ^ m) * G. K0..K4 are the first 320 bits of the fraction of pi,
 * G is 2^64 over the golden ratio. step() is a bijection of h and one of m; K3, K4 and G are odd.
 *
 * Why a sum, and of products? The sum shows an event that is lost, since its term is missing and
 * all later events of the slice have other numbers; one that is played twice; a partition that is
 * added twice, which xor would lose; and two events that are swapped at one instant, since they
 * exchange their numbers. Had a term been x + y, then two events could exchange serial and number
 * and leave the sum as it is. With products, x1 * y1 + x2 * y2 becomes x1 * y2 + x2 * y1, which
 * differs by (x1 - x2) * (y1 - y2): 0 only if x1 = x2 or y1 = y2. docs/architecture.md ("The
 * history hash") says what is not shown and how likely a collision is.
 *
 * Cost: four multiplications. A slice counts in steps of K3, an account of events keeps its part of
 * w1 + K1. Nothing waits for the event before.
 *
 * By hand: slice 3 has only an event of 2 words, slice 5 has one of none. The partition of slice 3
 * adds x1 * y1 with number 1, that of slice 5 adds x2 * y2, with number 1, too. The hash is that of
 * x1 * y1 + x2 * y2, whoever was first. It guards against mistakes, not against malice.
 */
#ifndef HTMT_RUNTIME_SIM_HISTORY_H
#define HTMT_RUNTIME_SIM_HISTORY_H

#include "runtime/base/ratio.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HTMT__HISTORY_K0 UINT64_C(0x243f6a8885a308d3)
#define HTMT__HISTORY_K1 UINT64_C(0x13198a2e03707344)
#define HTMT__HISTORY_K2 UINT64_C(0xa4093822299f31d0)
#define HTMT__HISTORY_K3 UINT64_C(0x082efa98ec4e6c89)
#define HTMT__HISTORY_K4 UINT64_C(0x452821e638d01377)
#define HTMT__HISTORY_G  UINT64_C(0x9e3779b97f4a7c15)

struct htmt__history_event {
    htmt_time fs;
    uint64_t place; /* htmt__history_place() */
    uint64_t parcel;
    uint64_t turn; /* htmt__history_turn() */
    uint64_t words;
};

/* Of slice 0. */
static inline uint64_t htmt__history_kind(uint32_t resource, uint32_t stage)
{
    return ((uint64_t)resource << 32) + stage + HTMT__HISTORY_K1;
}
static inline uint64_t htmt__history_place(uint64_t kind, uint32_t slice)
{
    return kind + ((uint64_t)slice << 8);
}
/* Of the slice's next event; *turn: 0 before the first one. */
static inline uint64_t htmt__history_turn(uint64_t *turn)
{
    return *turn += HTMT__HISTORY_K3;
}

static inline uint64_t htmt__history_fold(uint64_t x, uint64_t y)
{
    union {
        htmt_uwide whole;
        struct {
            uint64_t one, other;
        } half;
    } product = {(htmt_uwide)x * y}; /* GCC needs fewer registers than with a shift */
    return product.half.one ^ product.half.other;
}

static inline uint64_t htmt__history_step(uint64_t h, uint64_t m)
{
    uint64_t t = (h ^ m) * HTMT__HISTORY_G;
    return t ^ (t >> 32);
}

/* *sum: 0 before the first event. */
static inline void htmt__history_add(htmt_uwide *sum, struct htmt__history_event e)
{
    uint64_t x = htmt__history_fold((uint64_t)e.fs ^ HTMT__HISTORY_K0, e.place);
    uint64_t y = htmt__history_fold(e.parcel ^ HTMT__HISTORY_K2, e.turn);
    *sum += (htmt_uwide)(x + e.words * HTMT__HISTORY_K4) * y;
}

/* The hash of a run of so many slices. */
static inline uint64_t htmt__history_hash(htmt_uwide sum, uint64_t slices)
{
    return htmt__history_step(htmt__history_step(slices, (uint64_t)sum), (uint64_t)(sum >> 64));
}

#ifdef __cplusplus
}
#endif

#endif
