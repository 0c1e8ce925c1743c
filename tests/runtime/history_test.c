/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/sim/history.h"

#include <criterion/criterion.h>
#include <string.h>

/* An implementation from the byte format alone: bytes first, then words out of bytes, products by
 * adding shifted copies, constants in decimal. */

static void put(unsigned char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++, value >>= 8)
        at[i] = (unsigned char)(value & 0xff);
}

static void format(struct htmt__history_event e, unsigned char record[40])
{
    put(record, (uint64_t)e.fs, 8);
    put(record + 8, e.resource, 4);
    put(record + 12, e.slice, 4);
    put(record + 16, e.parcel, 8);
    put(record + 24, e.stage, 4);
    put(record + 28, 0, 4);
    put(record + 32, e.words, 8);
}

static uint64_t word(const unsigned char *record, unsigned index)
{
    uint64_t value = 0;
    for (unsigned i = 8; i-- > 0;)
        value = value * 256 + record[index * 8 + i];
    return value;
}

static void multiply(uint64_t x, uint64_t y, uint64_t *high, uint64_t *low)
{
    *high = *low = 0;
    for (unsigned bit = 64; bit-- > 0;) {
        *high = *high * 2 + (*low >> 63);
        *low *= 2;
        if (y >> bit & 1) {
            *low += x;
            *high += *low < x;
        }
    }
}

static uint64_t slow_fold(uint64_t x, uint64_t y)
{
    uint64_t high, low;
    multiply(x, y, &high, &low);
    return high ^ low;
}

static uint64_t slow_step(uint64_t h, uint64_t m)
{
    uint64_t high, t;
    multiply(h ^ m, UINT64_C(11400714819323198485), &high, &t);
    return t ^ t / 4294967296;
}

static uint64_t slow_absorb(uint64_t h, const unsigned char *r)
{
    uint64_t high, m;
    multiply(word(r, 4), UINT64_C(4983270260364809079), &high, &m);
    m += slow_fold(word(r, 0) ^ UINT64_C(2611923443488327891),
                   word(r, 1) ^ UINT64_C(1376283091369227076));
    m += slow_fold(word(r, 2) ^ UINT64_C(11820040416388919760),
                   word(r, 3) ^ UINT64_C(589684135938649225));
    return slow_step(h, m);
}

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static struct htmt__history_event any_event(uint64_t *random)
{
    return (struct htmt__history_event){
        .fs = (htmt_time)(draw(random) >> (draw(random) % 64)),
        .resource = (uint32_t)draw(random),
        .slice = (uint32_t)draw(random),
        .parcel = draw(random) >> (draw(random) % 64),
        .stage = (uint32_t)draw(random) % 9,
        .words = draw(random) >> (draw(random) % 64),
    };
}

Test(history, follows_its_byte_format)
{
    uint64_t random = 3, state = 0, slow = 0;
    for (unsigned i = 0; i < 5000; i++) {
        unsigned char record[40];
        struct htmt__history_event e = any_event(&random);
        format(e, record);
        slow = slow_absorb(slow, record);
        htmt__history_absorb(&state, e);
        cr_assert_eq(state, slow, "event %u", i);
    }
}

Test(history, combines_slices_in_their_order)
{
    uint64_t random = 8, states[100], expected = 100;
    for (unsigned i = 0; i < 100; i++)
        states[i] = draw(&random);
    for (unsigned i = 0; i < 100; i++)
        expected = slow_step(expected, states[i] + UINT64_C(11400714819323198485));
    cr_assert_eq(htmt__history_combine(states, sizeof(uint64_t), 100), expected);
    uint64_t swap = states[3];
    states[3] = states[4];
    states[4] = swap;
    cr_assert_neq(htmt__history_combine(states, sizeof(uint64_t), 100), expected);
    cr_assert_neq(htmt__history_combine(states, sizeof(uint64_t), 99),
                  htmt__history_combine(states, sizeof(uint64_t), 100));
    cr_assert_eq(htmt__history_combine(NULL, sizeof(uint64_t), 0), 0);
}

Test(history, every_bit_of_a_record_counts)
{
    struct htmt__history_event e = {1000000, 7, 3, 42, 5, 101000};
    unsigned char record[40], changed[40];
    format(e, record);
    uint64_t hash = slow_absorb(0, record);
    for (unsigned bit = 0; bit < 320; bit++) {
        memcpy(changed, record, sizeof record);
        changed[bit / 8] ^= (unsigned char)(1u << bit % 8);
        cr_assert_neq(slow_absorb(0, changed), hash, "bit %u", bit);
    }
}

Test(history, order_of_events_counts)
{
    uint64_t random = 21, forth = 0, back = 0;
    struct htmt__history_event a = any_event(&random), b = any_event(&random);
    htmt__history_absorb(&forth, a);
    htmt__history_absorb(&forth, b);
    htmt__history_absorb(&back, b);
    htmt__history_absorb(&back, a);
    cr_assert_neq(forth, back);
}

/* Recorded histories stay comparable: these values never change. */
Test(history, golden_values_stand)
{
    uint64_t state = 0;
    htmt__history_absorb(&state, (struct htmt__history_event){1000000, 7, 3, 42, 5, 101000});
    cr_assert_eq(state, UINT64_C(0x969aaeac9280fa84));
    htmt__history_absorb(&state, (struct htmt__history_event){-1, 0, 0, 0, 0, 0});
    cr_assert_eq(state, UINT64_C(0x7a58eb5de9f77b2a));
    cr_assert_eq(htmt__history_combine(&state, sizeof(uint64_t), 1), UINT64_C(0x6ba5c26ebbb29278));
}
