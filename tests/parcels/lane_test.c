/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A lane gives back what was pushed in the order of (time, key), on whatever lines it was.
 */
#include "parcels/timing/lane.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 300, ENTITIES = 2000 };

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
    struct htmt__lane lane;
    struct htmt__delay line[LINES];
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
    htmt__lane_init(&q->lane, q->line, LINES);
    for (size_t i = 0; i < ENTITIES; i++)
        q->spare[q->spares++] = &q->entity[i];
    return q;
}

static void close_pair(struct pair *q)
{
    htmt__lane_fini(&q->lane, LINES);
    free(q);
}

static void insert(struct pair *q, struct htmt__head h)
{
    size_t i = q->count++;
    for (; i && htmt__head_before(q->list[i - 1], h); i--)
        q->list[i] = q->list[i - 1];
    q->list[i] = h;
}

/* Keys of one instant are neither those of the order of pushes nor of its reverse. */
static int push(struct pair *q, uint32_t line, htmt_time at, uint64_t random)
{
    struct htmt__entity *p = q->spare[q->spares - 1];
    p->key = random << 32 | q->births++;
    int rc = htmt__lane_push(&q->lane, p, line, at);
    if (rc)
        return rc;
    q->spares--;
    insert(q, (struct htmt__head){at, p});
    return 0;
}

static htmt_time next_of(const struct pair *q)
{
    return q->count ? q->list[q->count - 1].at : HTMT_TIME_MAX;
}

/* Its time. */
static htmt_time pop(struct pair *q)
{
    struct htmt__head expected = q->list[--q->count];
    cr_assert_eq(htmt__lane_next(&q->lane), expected.at);
    struct htmt__entity *p = htmt__lane_pop(&q->lane);
    cr_assert_eq(p, expected.p, "key %llx, expected at %lld key %llx", (unsigned long long)p->key,
                 (long long)expected.at, (unsigned long long)expected.p->key);
    cr_assert_eq(htmt__lane_next(&q->lane), next_of(q));
    q->spare[q->spares++] = p;
    return expected.at;
}

static void is_empty(struct pair *q)
{
    cr_assert_eq(htmt__lane_next(&q->lane), HTMT_TIME_MAX);
    cr_assert_eq(q->lane.count, 0);
    cr_assert_eq(q->lane.heap_count, 0);
    for (size_t i = 0; i < LINES; i++)
        cr_assert_eq(q->line[i].count, 0);
}

static void pop_all(struct pair *q)
{
    while (q->count)
        pop(q);
    is_empty(q);
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
            cr_assert_eq(push(q, line, at, draw(&random)), 0);
        else if (q->count)
            now = pop(q);
    }
    pop_all(q);
    close_pair(q);
}

Test(lane, gives_back_what_a_sorted_list_gives, .timeout = 120)
{
    static const uint32_t lines[] = {1, 2, 7, 23, 24, 25, 60, LINES};
    static const size_t sizes[] = {1, 2, 10, 24, 25, 26, 200, ENTITIES};
    for (size_t d = 0; d < sizeof delays / sizeof *delays; d++)
        for (size_t l = 0; l < sizeof lines / sizeof *lines; l++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                follow(delays[d], lines[l], sizes[s], 1 + d * 100 + l * 10 + s);
}

/* One head each: the front has room for 24, the rest goes to the heap, whichever come first. */
Test(lane, heads_without_room_in_the_front_keep_their_turn)
{
    for (int direction = 0; direction < 3; direction++) {
        struct pair *q = open_pair();
        uint64_t random = 3;
        for (uint32_t i = 0; i < LINES; i++)
            push(q, i, direction == 2 ? 7 : direction ? i : LINES - i, draw(&random));
        cr_assert_eq(q->lane.count, HTMT__FRONT);
        cr_assert_eq(q->lane.heap_count, LINES - HTMT__FRONT);
        for (uint32_t i = 0; i < LINES; i++) /* behind them on their lines */
            push(q, i, 2 * LINES, draw(&random));
        pop_all(q);
        close_pair(q);
    }
}

/* Each is before the head of its line, so it stands by itself. */
Test(lane, one_line_in_reverse_is_sorted)
{
    struct pair *q = open_pair();
    for (size_t i = ENTITIES; i-- > 0;)
        push(q, 5, (htmt_time)(i / 3), i);
    cr_assert_eq(q->line[5].count, 1);
    pop_all(q);
    close_pair(q);
}

/* One line with an event every 10 fs. */
static struct pair *with_line(uint32_t count)
{
    struct pair *q = open_pair();
    for (uint32_t i = 0; i < count; i++)
        cr_assert_eq(push(q, 5, 10 * (htmt_time)i, i), 0);
    return q;
}

Test(lane, what_is_a_little_out_of_order_moves_up_in_its_line)
{
    for (uint32_t count = 2; count < 40; count++)
        for (uint32_t places = 1; places < count && places <= 16; places++) {
            struct pair *q = with_line(count);
            cr_assert_eq(push(q, 5, 10 * (htmt_time)(count - places) - 5, 1), 0);
            cr_assert_eq(q->line[5].count, count + 1, "%u places of %u", places, count);
            cr_assert_eq(q->lane.heap_count, 0);
            pop_all(q);
            close_pair(q);
        }
}

Test(lane, what_is_far_out_of_order_or_before_the_head_goes_to_the_heap)
{
    static const struct {
        uint32_t count, places;
    } cases[] = {{1, 1}, {2, 2}, {16, 16}, {40, 17}, {40, 39}, {40, 40}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pair *q = with_line(cases[i].count);
        cr_assert_eq(push(q, 5, 10 * (htmt_time)(cases[i].count - cases[i].places) - 5, 1), 0);
        cr_assert_eq(q->line[5].count, cases[i].count);
        cr_assert_eq(q->lane.heap_count, 1);
        pop_all(q);
        close_pair(q);
    }
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
            cr_assert_eq(push(q, 5, at++, i), 0);
        cr_assert_eq(q->line[5].count, 200);
        cr_assert_eq(q->line[5].room, 256);
        cr_assert_eq(q->lane.heap_count, 0);
        pop_all(q);
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
        room = htmt__lane_append(&q->lane, p, line, 100);
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
    cr_assert_eq(count_of_appends(q, 5), HTMT__RING_LEAST - 1);
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

/* At each size to which the heap grows, a head is refused; the lane is as before, and takes it
 * when there is memory again. */
Test(lane, a_refused_push_changes_nothing)
{
    struct pair *q = open_pair();
    uint64_t random = 4;
    uint32_t refused = 0;
    for (uint32_t i = 0; i < LINES; i++) {
        no_memory = true;
        int rc = push(q, i, (htmt_time)(draw(&random) % 1000), 1);
        no_memory = false;
        if (!rc)
            continue;
        refused++;
        cr_assert_eq(rc, HTMT_ENOMEM);
        cr_assert_eq(htmt__lane_next(&q->lane), next_of(q));
        cr_assert_eq(q->line[i].count, 0);
        cr_assert_eq(push(q, i, (htmt_time)(draw(&random) % 1000), 2), 0);
        cr_assert_eq(push(q, i, 2000, 3), 0);
    }
    cr_assert_geq(refused, 4);
    pop_all(q);
    close_pair(q);
}

/* At each size to which a ring grows. */
Test(lane, a_push_without_memory_for_its_ring_changes_nothing)
{
    struct pair *q = open_pair();
    uint32_t refused = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        no_memory = true;
        int rc = push(q, 5, i, 1);
        no_memory = false;
        if (!rc)
            continue;
        cr_assert_eq(rc, HTMT_ENOMEM);
        cr_assert_eq(q->line[5].count, i);
        cr_assert_eq(q->line[5].room, HTMT__RING_LEAST << refused++);
        cr_assert_eq(push(q, 5, i, 1), 0);
    }
    cr_assert_eq(refused, 7); /* 8 to 512 */
    pop_all(q);
    close_pair(q);
}
