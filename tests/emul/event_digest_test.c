/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/questions/event_digest.h"

#include <criterion/criterion.h>

enum { EVENTS = 1000 };

/* Event i of a made-up history; in a spoiled one event `spoiled` carries another word. */
static struct htmt_event event_of(uint64_t i, uint64_t spoiled)
{
    return (struct htmt_event){.time = (htmt_time)(10 * i),
                               .resource = (uint32_t)(i % 3),
                               .slice = (uint32_t)(i % 7),
                               .serial = i,
                               .stage = (uint32_t)(i % 5),
                               .words = i == spoiled ? 99 : 1};
}

static void feed(struct htmt__event_digest *t, uint64_t count, uint64_t spoiled)
{
    for (uint64_t i = 0; i < count && !htmt__event_digest_full(t); i++) {
        struct htmt_event e = event_of(i, spoiled);
        htmt__event_digest_add(t, &e);
    }
}

static void record(struct htmt__event_digest *t, uint64_t most)
{
    cr_assert_eq(htmt__event_digest_record(t, most), 0);
    feed(t, EVENTS, UINT64_MAX);
}

Test(event_digest, equal_runs_do_not_differ_whatever_the_memory)
{
    for (uint64_t most = 2; most <= 2048; most *= 2) {
        struct htmt__event_digest a, b;
        record(&a, most);
        cr_assert_leq(a.marks, most);
        cr_assert_eq(a.marks, EVENTS / a.stride);
        cr_assert_eq(htmt__event_digest_compare(&b, &a), 0);
        feed(&b, EVENTS, UINT64_MAX);
        cr_assert_not(htmt__event_digest_differs(&b));
        htmt__event_digest_clear(&b);
        htmt__event_digest_clear(&a);
    }
}

/* Every single spoiled event is found under its number, by the witness of a repeated run. */
Test(event_digest, the_first_different_event_is_found_whatever_the_memory)
{
    for (uint64_t most = 2; most <= 2048; most *= 8) {
        struct htmt__event_digest a;
        record(&a, most);
        for (uint64_t spoiled = 0; spoiled < EVENTS; spoiled++) {
            struct htmt__event_digest b, w;
            uint64_t number = UINT64_MAX;
            cr_assert_eq(htmt__event_digest_compare(&b, &a), 0);
            feed(&b, EVENTS, spoiled);
            cr_assert(htmt__event_digest_differs(&b));
            cr_assert_eq(htmt__event_digest_witness(&w, &b), 0);
            feed(&w, EVENTS, UINT64_MAX);
            cr_assert(htmt__event_digest_first(&b, &w, &number));
            cr_assert_eq(number, spoiled);
            cr_assert_eq(htmt__event_digest_event(&b, number)->words, 99);
            cr_assert_eq(htmt__event_digest_event(&w, number)->words, 1);
            htmt__event_digest_clear(&w);
            htmt__event_digest_clear(&b);
        }
        htmt__event_digest_clear(&a);
    }
}

Test(event_digest, a_run_that_is_shorter_or_longer_differs_at_its_end)
{
    static const uint64_t lengths[] = {0, 1, EVENTS - 1, EVENTS + 1, EVENTS + 300};
    for (uint64_t most = 4; most <= 1024; most *= 16)
        for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            struct htmt__event_digest a, b, w;
            uint64_t number = UINT64_MAX;
            record(&a, most);
            cr_assert_eq(htmt__event_digest_compare(&b, &a), 0);
            feed(&b, lengths[i], UINT64_MAX);
            cr_assert(htmt__event_digest_differs(&b));
            cr_assert_eq(htmt__event_digest_witness(&w, &b), 0);
            feed(&w, EVENTS, UINT64_MAX);
            cr_assert(htmt__event_digest_first(&b, &w, &number));
            cr_assert_eq(number, lengths[i] < EVENTS ? lengths[i] : EVENTS);
            htmt__event_digest_clear(&w);
            htmt__event_digest_clear(&b);
            htmt__event_digest_clear(&a);
        }
}

Test(event_digest, each_field_of_an_event_counts)
{
    const struct htmt_event base = event_of(3, UINT64_MAX);
    for (int field = 0; field < 6; field++) {
        struct htmt__event_digest a, b;
        struct htmt_event e = base;
        e.time += field == 0;
        e.resource += field == 1;
        e.slice += field == 2;
        e.serial += field == 3;
        e.stage += field == 4;
        e.words += field == 5;
        cr_assert_eq(htmt__event_digest_record(&a, 16), 0);
        htmt__event_digest_add(&a, &base);
        cr_assert_eq(htmt__event_digest_compare(&b, &a), 0);
        htmt__event_digest_add(&b, &e);
        cr_assert(htmt__event_digest_differs(&b), "field %d", field);
        htmt__event_digest_clear(&b);
        htmt__event_digest_clear(&a);
    }
}

Test(event_digest, a_difference_that_does_not_come_again_is_not_made_up)
{
    struct htmt__event_digest a, b, w;
    uint64_t number;
    record(&a, 16);
    cr_assert_eq(htmt__event_digest_compare(&b, &a), 0);
    feed(&b, EVENTS, 500);
    cr_assert(htmt__event_digest_differs(&b));
    cr_assert_eq(htmt__event_digest_witness(&w, &b), 0);
    feed(&w, EVENTS, 500);
    cr_assert_not(htmt__event_digest_first(&b, &w, &number));
    htmt__event_digest_clear(&w);
    htmt__event_digest_clear(&b);
    htmt__event_digest_clear(&a);
}
