/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A lane gives back what was pushed in the order of (time, key), on whatever lines it was.
 */
#include "parcels/clock/event.h"
#include "tests/runtime/share.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 300, ENTITIES = 13000, RANDOM = 2000 };

static bool no_memory;

bool htmt__fault_hook(void)
{
    return no_memory;
}

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* ---- a lane, and beside it the oracle: who is in it, sorted, the next one last ----------------
 */

struct pair {
    struct htmt_emulator e;
    struct htmt__lane *lane;
    struct htmt__entity entity[ENTITIES], *spare[ENTITIES];
    size_t spares;
    struct htmt__head list[ENTITIES];
    size_t count;
    uint64_t births;
};

static struct pair *open_pair(void)
{
    struct pair *q = aligned_alloc(64, (sizeof *q + 63) / 64 * 64);
    cr_assert_not_null(q);
    memset(q, 0, sizeof *q);
    q->e.whole = &q->e;
    q->e.lines = LINES - htmt__line_count(&q->e);
    cr_assert_eq(htmt__lane_create(&q->e), 0);
    q->lane = q->e.lane;
    for (size_t i = 0; i < ENTITIES; i++)
        q->spare[q->spares++] = &q->entity[i];
    return q;
}

static void close_pair(struct pair *q)
{
    htmt__lane_destroy(&q->e);
    free(q);
}

static bool before(struct htmt__head a, struct htmt__head b)
{
    return a.at != b.at ? a.at < b.at : a.p->key < b.p->key;
}

static void insert(struct pair *q, struct htmt__head h)
{
    size_t i = q->count++;
    for (; i && before(q->list[i - 1], h); i--)
        q->list[i] = q->list[i - 1];
    q->list[i] = h;
}

/* Of the lines that have any: there is room in the front for so many. */
static size_t heads_of(const struct htmt__lane *l)
{
    return (size_t)(l->end - l->front);
}

/* Keys of one instant are neither those of the order of pushes nor of its reverse. Exactly what is
 * behind its line joins, or begins one for whose head there is room. */
static bool push(struct pair *q, uint32_t line, htmt_time at, uint64_t random)
{
    struct htmt__head h = {at, q->spare[q->spares - 1]};
    h.p->key = random << 32 | q->births++;
    bool fits = q->lane->line[line].count ? htmt__delay_follows(&q->lane->line[line], h.p, at)
                                          : heads_of(q->lane) < HTMT__FRONT;
    bool joined = htmt__lane_join(q->lane, h.p, line, at);
    cr_assert_eq(joined, fits && !no_memory);
    if (joined) {
        q->spares--;
        insert(q, h);
    }
    return joined;
}

static htmt_time next_of(const struct pair *q)
{
    return q->count ? q->list[q->count - 1].at : HTMT_TIME_MAX;
}

/* Its time. */
static htmt_time pop(struct pair *q)
{
    struct htmt__head expected = q->list[--q->count];
    cr_assert_eq(q->lane->front->at, expected.at);
    struct htmt__entity *p = htmt__lane_pop(q->lane);
    cr_assert_eq(p, expected.p, "key %llx, expected at %lld key %llx", (unsigned long long)p->key,
                 (long long)expected.at, (unsigned long long)expected.p->key);
    cr_assert_eq(q->lane->front->at, next_of(q));
    q->spare[q->spares++] = p;
    return expected.at;
}

static void pop_all(struct pair *q)
{
    while (q->count)
        pop(q);
    cr_assert_eq(q->lane->front->at, HTMT_TIME_MAX);
    cr_assert_eq(heads_of(q->lane), 0);
    for (size_t i = 0; i < LINES; i++)
        cr_assert_eq(q->lane->line[i].count, 0);
}

/* ---- delays ---------------------------------------------------------------------------------- */

typedef htmt_time delay(uint64_t *random, uint32_t line);

/* A line's own: nothing is ever out of order. */
static htmt_time of_line(uint64_t *random, uint32_t line)
{
    (void)random;
    return 1000 + 17 * (htmt_time)line;
}

static htmt_time uniform(uint64_t *random, uint32_t line)
{
    (void)line;
    return (htmt_time)(draw(random) % 20000);
}

/* Many at one instant. */
static htmt_time lockstep(uint64_t *random, uint32_t line)
{
    (void)line;
    return draw(random) % 3 ? 0 : 100;
}

/* Scales from femtoseconds to hours. */
static htmt_time any_scale(uint64_t *random, uint32_t line)
{
    (void)line;
    return (htmt_time)(draw(random) >> (12 + draw(random) % 52));
}

static delay *const delays[] = {of_line, uniform, lockstep, any_scale};

/* ---- claims ---------------------------------------------------------------------------------- */

/* Pushes and pops in random bursts. */
static void follow(delay *of, uint32_t lines, size_t most, uint64_t seed)
{
    struct pair *q = open_pair();
    uint64_t random = seed;
    htmt_time now = 0;
    for (size_t step = 0; step < 30 * most + 300; step++) {
        size_t phase = step / (2 * most + 1) % 3; /* fill, hold, drain */
        bool in = phase == 0 || (phase == 1 && draw(&random) % 2);
        uint32_t line = (uint32_t)(draw(&random) % lines);
        htmt_time at = now + of(&random, line);
        if ((in || !q->count) && q->count < most && at >= now && at < HTMT_TIME_MAX)
            push(q, line, at, draw(&random));
        else if (q->count)
            now = pop(q);
    }
    pop_all(q);
    close_pair(q);
}

Test(lane, gives_back_what_a_sorted_list_gives, .timeout = 120)
{
    static const uint32_t lines[] = {1, 2, 7, 23, 24, 25, 60, LINES};
    static const size_t sizes[] = {1, 2, 10, 24, 25, 26, 200, RANDOM};
    for (size_t d = 0; d < sizeof delays / sizeof *delays; d++)
        for (size_t l = 0; l < sizeof lines / sizeof *lines; l++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                follow(delays[d], lines[l], sizes[s], 1 + d * 100 + l * 10 + s);
}

struct told {
    size_t count;
    htmt_time sum; /* of times */
};

static void hear(void *whom, struct htmt__head event)
{
    struct told *t = whom;
    t->count++;
    t->sum += event.at;
}

Test(lane, each_tells_of_all_who_are_in_it)
{
    struct pair *q = open_pair();
    struct told told = {0, 0};
    htmt_time sum = 0;
    for (uint32_t i = 0; i < 100; i++)
        push(q, i % 7, i, i);
    for (size_t i = 0; i < q->count; i++)
        sum += q->list[i].at;
    htmt__lane_each(q->lane, hear, &told);
    cr_assert_eq(told.count, q->count);
    cr_assert_eq(told.sum, sum);
    pop_all(q);
    close_pair(q);
}

/* The ring grows while its head is at any place. */
Test(lane, a_ring_grows_with_its_line)
{
    for (uint32_t turned = 0; turned < 2 * HTMT__RING_LEAST; turned++) {
        struct pair *q = open_pair();
        htmt_time at = 0;
        for (uint32_t i = 0; i < turned; i++) {
            push(q, 5, at++, i);
            pop(q);
        }
        for (uint32_t i = 0; i < 200; i++)
            cr_assert(push(q, 5, at++, i));
        cr_assert_eq(q->lane->line[5].count, 200);
        cr_assert_eq(q->lane->line[5].room, 256);
        pop_all(q);
        close_pair(q);
    }
}

/* So rings have room for those that are pending, not for the most that each line ever had. */
Test(lane, a_large_ring_serves_the_next_line_that_grows)
{
    struct pair *q = open_pair();
    for (uint32_t line = 0; line < (only_memory() ? 2 : 4); line++) {
        for (uint32_t i = 0; i <= HTMT__RING_LARGE; i++)
            cr_assert(push(q, line, i, i));
        const uint32_t room = q->lane->line[line].room;
        const struct htmt__head *ring = q->lane->line[line].ring;
        cr_assert_geq(room, HTMT__RING_LARGE);
        cr_assert_null(q->lane->spare, "line %u took it", line);
        pop_all(q);
        cr_assert_eq(q->lane->spare, ring);
        cr_assert_eq(q->lane->spare_room, room);
        cr_assert_eq(q->lane->line[line].ring, q->lane->line[line].least);
        cr_assert_eq(q->lane->line[line].room, HTMT__RING_LEAST);
    }
    close_pair(q);
}

/* Of two that are left the larger one stays, whichever is left first. */
Test(lane, keeps_one_large_ring)
{
    for (uint32_t later = only_memory() ? 1 : 0; later < 2; later++) {
        struct pair *q = open_pair();
        for (uint32_t i = 0; i < HTMT__RING_LARGE / 2 + 2; i++)
            cr_assert(push(q, 0, later * 2 * HTMT__RING_LARGE + i, i));
        for (uint32_t i = 0; i < HTMT__RING_LARGE + 2; i++)
            cr_assert(push(q, 1, i, i));
        cr_assert_eq(q->lane->line[0].room, HTMT__RING_LARGE);
        cr_assert_eq(q->lane->line[1].room, 2 * HTMT__RING_LARGE);
        pop_all(q);
        cr_assert_eq(q->lane->spare_room, 2 * HTMT__RING_LARGE);
        close_pair(q);
    }
}

/* Of events at one instant. */
static uint32_t count_of_appends(struct pair *q, uint32_t line)
{
    uint32_t appended = 0;
    for (bool room = true; room && q->spares; appended += room) {
        struct htmt__entity *p = q->spare[q->spares - 1];
        p->key = q->births++;
        room = htmt__delay_append(&q->lane->line[line], p, 100);
        if (room)
            insert(q, (struct htmt__head){100, q->spare[--q->spares]});
    }
    return appended;
}

Test(lane, only_what_is_behind_another_one_and_has_room_is_appended)
{
    struct pair *q = open_pair();
    cr_assert_eq(count_of_appends(q, 5), 0);
    push(q, 5, 100, 0);
    cr_assert_eq(count_of_appends(q, 5), HTMT__RING_LEAST);
    push(q, 6, 101, 0);
    cr_assert_eq(count_of_appends(q, 6), 0);
    pop_all(q);
    close_pair(q);
}

Test(lane, the_last_instants_are_kept)
{
    struct pair *q = open_pair();
    uint64_t random = 9;
    for (size_t i = 0; i < 500; i++)
        push(q, (uint32_t)(i % 50), HTMT_TIME_MAX - 1 - (htmt_time)(i / 2 % 40), draw(&random));
    pop_all(q);
    close_pair(q);
}

/* At each size to which a ring grows. */
Test(lane, a_push_without_memory_for_its_ring_changes_nothing)
{
    struct pair *q = open_pair();
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t behind = i - 1; /* the head */
        no_memory = i > HTMT__RING_LEAST && (behind & (behind - 1)) == 0;
        bool refused = no_memory;
        cr_assert_eq(push(q, 5, i, 1), !refused);
        no_memory = false;
        cr_assert_eq(q->lane->line[5].count, i + !refused);
        if (refused)
            cr_assert(push(q, 5, i, 1));
    }
    pop_all(q);
    close_pair(q);
}
