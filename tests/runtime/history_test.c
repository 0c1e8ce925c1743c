/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/sim/history.h"

#include <criterion/criterion.h>
#include <string.h>

enum { BYTES = 40 };

/* An implementation from the byte format alone: bytes first, then words out of bytes, products by
 * adding shifted copies, constants in decimal. */

static void put(unsigned char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++, value >>= 8)
        at[i] = (unsigned char)(value & 0xff);
}

/* An event as its words have it. */
struct event {
    htmt_time fs;
    uint32_t resource, slice;
    uint64_t parcel;
    uint32_t stage;
    uint64_t words, number;
};

static void format(struct event e, unsigned char record[BYTES])
{
    put(record, (uint64_t)e.fs, 8);
    put(record + 8, e.stage, 1);
    put(record + 9, e.slice, 3);
    put(record + 12, e.resource, 4);
    put(record + 16, e.parcel, 8);
    put(record + 24, e.number, 8);
    put(record + 32, e.words, 8);
}

static void add(htmt_uwide *sum, struct event e)
{
    uint64_t turn = (e.number - 1) * HTMT__HISTORY_K3;
    const struct htmt__history_event event = {
        .fs = e.fs,
        .place = htmt__history_place(htmt__history_kind(e.resource, e.stage), e.slice),
        .parcel = e.parcel,
        .turn = htmt__history_turn(&turn),
        .words = e.words};
    htmt__history_add(sum, event);
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

struct lanes {
    uint64_t high, low;
};

static void slow_add(struct lanes *sum, const unsigned char *r)
{
    uint64_t high, x, y, low, turn;
    multiply(word(r, 4), UINT64_C(4983270260364809079), &high, &x);
    multiply(word(r, 3), UINT64_C(589684135938649225), &high, &turn);
    x += slow_fold(word(r, 0) ^ UINT64_C(2611923443488327891),
                   word(r, 1) + UINT64_C(1376283091369227076));
    y = slow_fold(word(r, 2) ^ UINT64_C(11820040416388919760), turn);
    multiply(x, y, &high, &low);
    sum->low += low;
    sum->high += high + (sum->low < low);
}

static uint64_t slow_hash(struct lanes sum, uint64_t slices)
{
    return slow_step(slow_step(slices, sum.low), sum.high);
}

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static struct event any_event(uint64_t *random)
{
    return (struct event){
        .fs = (htmt_time)(draw(random) >> (draw(random) % 64)),
        .resource = (uint32_t)draw(random),
        .slice = (uint32_t)draw(random) >> 12,
        .parcel = draw(random) >> (draw(random) % 64),
        .stage = (uint32_t)draw(random) % 11,
        .words = draw(random) >> (draw(random) % 64),
        .number = 1 + (draw(random) >> (16 + draw(random) % 48)),
    };
}

Test(history, follows_its_format)
{
    uint64_t random = 3;
    htmt_uwide sum = 0;
    struct lanes slow = {0, 0};
    for (unsigned i = 0; i < 5000; i++) {
        unsigned char record[BYTES];
        struct event e = any_event(&random);
        format(e, record);
        slow_add(&slow, record);
        add(&sum, e);
        cr_assert_eq((uint64_t)sum, slow.low, "event %u", i);
        cr_assert_eq((uint64_t)(sum >> 64), slow.high, "event %u", i);
        cr_assert_eq(htmt__history_hash(sum, i), slow_hash(slow, i), "event %u", i);
    }
}

Test(history, every_bit_of_an_event_counts)
{
    struct event e = {1000000, 7, 3, 42, 5, 101000, 17};
    unsigned char record[BYTES], changed[BYTES];
    struct lanes sum = {0, 0};
    format(e, record);
    slow_add(&sum, record);
    for (unsigned bit = 0; bit < 8 * BYTES; bit++) {
        struct lanes other = {0, 0};
        memcpy(changed, record, sizeof record);
        changed[bit / 8] ^= (unsigned char)(1u << bit % 8);
        slow_add(&other, changed);
        cr_assert_neq(slow_hash(other, 4), slow_hash(sum, 4), "bit %u", bit);
    }
}

/* ---- errors that are injected ----------------------------------------------------------------
 *
 * A slice's events with their numbers, as a clock plays them; among them many at one instant, and
 * many that differ in one word only, so that what is told apart is told by a single word. */

enum { EVENTS = 400, SLICES = 5 };

static struct event event_at(unsigned i)
{
    return (struct event){.fs = 1000 * (i / 8),
                          .resource = i % 3,
                          .slice = i % SLICES,
                          .parcel = (uint64_t)(i % SLICES) << 40 | (1 + i / 16),
                          .stage = i % 2,
                          .words = i % 7 ? 0 : 16};
}

/* The history of the events in the order of `order`, each slice counting its own. */
static uint64_t play(const unsigned *order, unsigned count)
{
    uint64_t number[SLICES] = {0};
    htmt_uwide sum = 0;
    for (unsigned i = 0; i < count; i++) {
        struct event e = event_at(order[i]);
        e.number = ++number[e.slice];
        add(&sum, e);
    }
    return htmt__history_hash(sum, SLICES);
}

static void in_order(unsigned *order)
{
    for (unsigned i = 0; i < EVENTS; i++)
        order[i] = i;
}

Test(history, lost_events_show)
{
    unsigned order[EVENTS];
    in_order(order);
    const uint64_t whole = play(order, EVENTS);
    for (unsigned lost = 0; lost < EVENTS; lost++) {
        in_order(order);
        memmove(order + lost, order + lost + 1, (EVENTS - lost - 1) * sizeof *order);
        cr_assert_neq(play(order, EVENTS - 1), whole, "event %u", lost);
    }
}

Test(history, doubled_events_show)
{
    unsigned order[EVENTS + 2];
    in_order(order);
    const uint64_t whole = play(order, EVENTS);
    for (unsigned twice = 0; twice < EVENTS; twice++)
        for (unsigned more = 1; more <= 2; more++) {
            in_order(order);
            memmove(order + twice + more, order + twice, (EVENTS - twice) * sizeof *order);
            for (unsigned i = 0; i < more; i++)
                order[twice + i] = twice;
            cr_assert_neq(play(order, EVENTS + more), whole, "event %u", twice);
        }
}

/* Whether places a < b of the order are of one slice, or have an event of either slice between. */
static bool orders_a_slice(unsigned a, unsigned b)
{
    const uint32_t first = event_at(a).slice, last = event_at(b).slice;
    for (unsigned i = a + 1; i < b; i++)
        if (event_at(i).slice == first || event_at(i).slice == last)
            return true;
    return first == last;
}

Test(history, events_of_a_slice_that_are_swapped_at_one_instant_show)
{
    unsigned order[EVENTS], shown = 0, hidden = 0;
    in_order(order);
    const uint64_t whole = play(order, EVENTS);
    for (unsigned a = 0; a < EVENTS; a++)
        for (unsigned b = a + 1; b < EVENTS && event_at(b).fs == event_at(a).fs; b++) {
            in_order(order);
            order[a] = b;
            order[b] = a;
            const bool changed = play(order, EVENTS) != whole;
            cr_assert_eq(changed, orders_a_slice(a, b), "%u and %u", a, b);
            shown += changed;
            hidden += !changed;
        }
    cr_assert(shown > EVENTS / 2 && hidden > EVENTS);
}

/* Whoever plays a slice: its events keep their numbers, and a sum takes them in any order. */
Test(history, slices_may_be_played_one_after_another)
{
    unsigned order[EVENTS], count = 0, by_slice[EVENTS];
    in_order(order);
    for (unsigned s = SLICES; s-- > 0;)
        for (unsigned i = 0; i < EVENTS; i++)
            if (event_at(i).slice == s)
                by_slice[count++] = i;
    cr_assert_eq(play(by_slice, EVENTS), play(order, EVENTS));
}

/* Two events that exchange their words, their times or their numbers leave sums of each alone as
 * they are; products tell them apart. */
Test(history, events_that_exchange_a_word_show)
{
    uint64_t random = 77;
    for (unsigned i = 0; i < 2000; i++) {
        struct event a = any_event(&random), b = any_event(&random);
        struct event c[7][2];
        htmt_uwide sum = 0;
        add(&sum, a);
        add(&sum, b);
        for (unsigned k = 0; k < 7; k++) {
            c[k][0] = a;
            c[k][1] = b;
        }
        c[0][0].fs = b.fs, c[0][1].fs = a.fs;
        c[1][0].resource = b.resource, c[1][1].resource = a.resource;
        c[2][0].slice = b.slice, c[2][1].slice = a.slice;
        c[3][0].parcel = b.parcel, c[3][1].parcel = a.parcel;
        c[4][0].stage = b.stage, c[4][1].stage = a.stage;
        c[5][0].words = b.words, c[5][1].words = a.words;
        c[6][0].number = b.number, c[6][1].number = a.number;
        for (unsigned k = 0; k < 7; k++) {
            htmt_uwide other = 0;
            bool changed = memcmp(&c[k][0], &a, sizeof a) != 0;
            add(&other, c[k][0]);
            add(&other, c[k][1]);
            cr_assert_eq(other != sum, changed, "pair %u, word %u", i, k);
        }
    }
}

/* Recorded histories stay comparable: these values never change. */
Test(history, golden_values_stand)
{
    htmt_uwide sum = 0;
    add(&sum, (struct event){1000000, 7, 3, 42, 5, 101000, 1});
    cr_assert_eq(htmt__history_hash(sum, 4), UINT64_C(0xb1a60ed264ac1375));
    add(&sum, (struct event){-1, 0, 0, 0, 0, 0, 1});
    cr_assert_eq(htmt__history_hash(sum, 4), UINT64_C(0x88af2fc08511b5d2));
    cr_assert_eq(htmt__history_hash(0, 0), 0);
}
