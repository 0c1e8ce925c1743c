/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The history hash: two runs had the same events, slice by slice in the same order, when their
 * hashes agree.
 *
 * An event is a record of 40 bytes, little-endian:
 *
 *     0   fs        i64   virtual time
 *     8   resource  u32
 *     12  slice     u32
 *     16  parcel    u64   sequence number
 *     24  stage     u32
 *     28  zero      u32
 *     32  words     u64
 *
 * It is read as five 64-bit words w0..w4. With fold(x, y) = upper xor lower half of the 128-bit
 * product x * y, all other arithmetic modulo 2^64:
 *
 *     m  = fold(w0 ^ K0, w1 ^ K1) + fold(w2 ^ K2, w3 ^ K3) + w4 * K4
 *     h' = step(h, m),  step(h, m) = t ^ (t >> 32),  t = (h ^ m) * G
 *
 * Each slice has its own state h, zero before the first event. The hash of a run is
 * c = step(c, h + G) over its slices in order, from c = the number of slices: whoever computed
 * which slice, the value is the same. K0..K4 are the first 320 bits of the fraction of pi, G is
 * 2^64 over the golden ratio. G and K4 are odd and step() is a bijection of h, so the states of two
 * runs that once differ stay different while the further events are equal. It guards against
 * mistakes, not against malice.
 */
#ifndef HTMT_RUNTIME_SIM_HISTORY_H
#define HTMT_RUNTIME_SIM_HISTORY_H

#include "runtime/base/ratio.h"

#include <stddef.h>
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
    uint32_t resource, slice;
    uint64_t parcel;
    uint32_t stage;
    uint64_t words;
};

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

/* *state: of the event's slice, zero before its first event. */
static inline void htmt__history_absorb(uint64_t *state, struct htmt__history_event e)
{
    uint64_t place = (uint64_t)e.slice << 32 | e.resource;
    uint64_t m = htmt__history_fold((uint64_t)e.fs ^ HTMT__HISTORY_K0, place ^ HTMT__HISTORY_K1) +
                 htmt__history_fold(e.parcel ^ HTMT__HISTORY_K2, e.stage ^ HTMT__HISTORY_K3) +
                 e.words * HTMT__HISTORY_K4;
    *state = htmt__history_step(*state, m);
}

/* The hash of a run from the states of its slices, in slice order. */
uint64_t htmt__history_combine(const uint64_t *first, size_t stride, size_t slices);

#ifdef __cplusplus
}
#endif

#endif
