/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/message/packet_queue.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { EVENTS = 3000 };

/* What is pending, besides in the queue. */
struct known {
    struct htmt__fabric_event event[EVENTS];
    uint32_t count;
};

static uint32_t below(uint64_t *seed, uint32_t n)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*seed >> 32) * n >> 32);
}

static int compare(const struct htmt__fabric_event *a, const struct htmt__fabric_event *b)
{
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->packet.key != b->packet.key)
        return a->packet.key < b->packet.key ? -1 : 1;
    if (a->packet.number != b->packet.number)
        return a->packet.number < b->packet.number ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->channel != b->channel)
        return a->channel < b->channel ? -1 : 1;
    if (a->packet.plane != b->packet.plane)
        return a->packet.plane < b->packet.plane ? -1 : 1;
    return (a->packet.lane > b->packet.lane) - (a->packet.lane < b->packet.lane);
}

static uint32_t first_of(const struct known *k)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < k->count; i++)
        if (compare(&k->event[i], &k->event[first]) < 0)
            first = i;
    return first;
}

/* Keys of control, of few packets, and of slices that are near each other, or far. */
static uint64_t draw_key(uint64_t *seed)
{
    const uint64_t birth = below(seed, 3), slice = below(seed, 2) ? below(seed, 4) : 1u << 19;
    return below(seed, 3) ? birth << 42 | slice << 22 | below(seed, 3) : 0;
}

static void push(struct htmt__packet_queue *q, struct known *k, uint64_t *seed, htmt_time now)
{
    const struct htmt__fabric_event e = {.at = now + below(seed, 3) * (1 + below(seed, 50)),
                                         .packet = {.key = draw_key(seed),
                                                    .number = below(seed, 3),
                                                    .lane = (uint8_t)below(seed, 8),
                                                    .plane = (uint8_t)below(seed, 2)},
                                         .kind = (uint8_t)below(seed, 4),
                                         .channel =
                                             below(seed, 2) ? below(seed, 1000) : below(seed, 3)};
    cr_assert_eq(htmt__packet_queue_push(q, &e, 7), 0);
    k->event[k->count++] = e;
}

static htmt_time take(struct htmt__packet_queue *q, struct known *k)
{
    const uint32_t first = first_of(k);
    uint32_t place;
    cr_assert_eq(htmt__packet_queue_next(q), k->event[first].at);
    cr_assert_eq(htmt__packet_queue_take(q, &place), 0);
    const struct htmt__packet_event *p = htmt__packet_queue_at(q, place);
    const htmt_time at = p->event.at;
    cr_assert_eq(compare(&p->event, &k->event[first]), 0);
    cr_assert_eq(p->network, 7);
    htmt__packet_queue_forget(q, place);
    k->event[first] = k->event[--k->count];
    return at;
}

static void look(struct htmt__packet_queue *q, const struct known *k)
{
    uint64_t key;
    cr_assert_eq(htmt__packet_queue_first(q, &key), 0);
    cr_assert_eq(key, k->event[first_of(k)].packet.key);
}

Test(packet_queue, events_come_in_the_order_of_time_key_number_kind_channel_plane_and_lane)
{
    struct htmt__packet_queue q;
    struct known *k = calloc(1, sizeof *k);
    cr_assert_not_null(k);
    htmt__packet_queue_init(&q);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint64_t state = seed;
        htmt_time now = 0;
        for (uint32_t i = 0; i < 2000; i++) {
            if (below(&state, 100) < (i < 1000 ? 60u : 40u) && k->count < EVENTS)
                push(&q, k, &state, now);
            else if (k->count)
                now = take(&q, k);
            if (k->count && !below(&state, 4))
                look(&q, k);
        }
        while (k->count)
            take(&q, k);
        cr_expect_eq(q.count, 0);
    }
    htmt__packet_queue_fini(&q);
    free(k);
}

Test(packet_queue, what_is_looked_at_may_be_preceded)
{
    struct htmt__packet_queue q;
    uint32_t place;
    uint64_t key;
    htmt__packet_queue_init(&q);
    for (htmt_time at = 10; at > 0; at -= 3) {
        for (uint64_t k = 1; k <= 3; k++) {
            const struct htmt__fabric_event e = {.at = at, .packet.key = k};
            cr_assert_eq(htmt__packet_queue_push(&q, &e, 0), 0);
        }
        cr_assert_eq(htmt__packet_queue_first(&q, &key), 0);
        cr_expect_eq(key, 1);
        cr_expect_eq(htmt__packet_queue_next(&q), at);
    }
    for (uint32_t i = 0; q.count; i++) {
        cr_assert_eq(htmt__packet_queue_take(&q, &place), 0);
        const struct htmt__fabric_event *e = &htmt__packet_queue_at(&q, place)->event;
        cr_expect_eq(e->at, 1 + 3 * (htmt_time)(i / 3));
        cr_expect_eq(e->packet.key, 1 + i % 3);
    }
    htmt__packet_queue_fini(&q);
}
