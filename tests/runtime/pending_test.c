/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/sim/pending.h"

#include "runtime/base/pages.h"
#include "tests/runtime/share.h"

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdlib.h>

#define US INT64_C(1000000000)
#define MS (1000 * US)

static atomic_bool no_memory;

bool htmt__fault_hook(void)
{
    return atomic_load(&no_memory);
}

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static int by_time_and_key(const void *a, const void *b)
{
    const struct htmt__event *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

static void push(struct htmt__pending *p, htmt_time time, uint64_t key)
{
    cr_assert_eq(htmt__pending_push(p, (struct htmt__event){time, key}), 0);
}

/* The oracle: an array kept sorted by insertion. */
struct list {
    struct htmt__event at[5000];
    size_t count;
};

static void list_push(struct list *l, struct htmt__event e)
{
    size_t low = 0, high = l->count++;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (by_time_and_key(&l->at[mid], &e) > 0)
            low = mid + 1;
        else
            high = mid;
    }
    for (size_t i = l->count - 1; i > low; i--)
        l->at[i] = l->at[i - 1];
    l->at[low] = e;
}

/* ---- delays ---- */

typedef htmt_time delay(uint64_t *random);

static htmt_time same(uint64_t *random)
{
    (void)random;
    return 10 * US;
}

static htmt_time uniform(uint64_t *random)
{
    return (htmt_time)(draw(random) % (uint64_t)(20 * US));
}

static htmt_time bimodal(uint64_t *random)
{
    uint64_t r = draw(random);
    return (r & 1 ? 10 * US : 10 * MS) + (htmt_time)(r >> 32 & 7) * 1000;
}

static htmt_time often_zero(uint64_t *random)
{
    return draw(random) % 3 ? 0 : uniform(random);
}

/* Scales from femtoseconds to hours. */
static htmt_time any_scale(uint64_t *random)
{
    return (htmt_time)(draw(random) >> (12 + draw(random) % 52));
}

/* Long quiet times, then thousands close together. */
static htmt_time drifting(uint64_t *random)
{
    uint64_t r = draw(random);
    return r % 4096 ? (htmt_time)(r >> 44) : HTMT_SECOND;
}

static delay *const delays[] = {same, uniform, bimodal, often_zero, any_scale, drifting};

/* ---- claims ---- */

/* Pushes and pops in random bursts against the sorted array. */
static void follow(delay *of, size_t most, uint64_t seed)
{
    static struct list list;
    struct htmt__pending p;
    htmt_time now = 0;
    uint64_t random = seed, key = 0;
    htmt__pending_init(&p);
    list.count = 0;
    for (size_t step = 0; step < 60 * most + 200; step++) {
        size_t grow = step / (2 * most + 1) % 3; /* 0: fill, 1: hold, 2: drain */
        bool in = !list.count || (list.count < most && (grow == 0 || draw(&random) % 2));
        struct htmt__event e, expected;
        cr_assert_eq(p.count, list.count);
        cr_assert_eq(htmt__pending_next(&p),
                     list.count ? list.at[list.count - 1].time : HTMT_TIME_MAX);
        if (in && (grow < 2 || !list.count)) {
            e = (struct htmt__event){now + of(&random), draw(&random) << 20 | (key++ & 0xfffff)};
            if (e.time < now)
                e.time = HTMT_TIME_MAX;
            push(&p, e.time, e.key);
            list_push(&list, e);
            continue;
        }
        expected = list.at[--list.count];
        cr_assert(htmt__pending_pop(&p, &e));
        cr_assert_eq(e.time, expected.time, "step %zu of %zu", step, most);
        cr_assert_eq(e.key, expected.key);
        now = e.time > HTMT_TIME_MAX / 2 ? HTMT_TIME_MAX / 2 : e.time;
        if (now < e.time)
            break;
    }
    htmt__pending_fini(&p);
}

Test(pending, pops_what_a_sorted_array_pops)
{
    static const size_t sizes[] = {1, 2, 7, 90, 200, 300, 1000, 4000};
    for (size_t d = 0; d < sizeof delays / sizeof *delays; d++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes - only_memory(); s++)
            follow(delays[d], sizes[s], 1 + d * 100 + s);
}

/* Everything pushed first, then everything popped, against qsort. */
Test(pending, sorts)
{
    static struct htmt__event all[100000];
    size_t count = sizeof all / sizeof *all;
    for (size_t d = 0; d < sizeof delays / sizeof *delays; d++) {
        struct htmt__pending p;
        uint64_t random = 5 + d;
        htmt__pending_init(&p);
        for (size_t i = 0; i < count; i++) {
            all[i] = (struct htmt__event){delays[d](&random), draw(&random) << 20 | i};
            push(&p, all[i].time, all[i].key);
        }
        qsort(all, count, sizeof *all, by_time_and_key);
        for (size_t i = 0; i < count; i++) {
            struct htmt__event e = {0, 0};
            cr_assert(htmt__pending_pop(&p, &e));
            cr_assert_eq(e.key, all[i].key);
        }
        cr_assert_not(htmt__pending_pop(&p, &all[0]));
        cr_assert_eq(htmt__pending_next(&p), HTMT_TIME_MAX);
        htmt__pending_fini(&p);
    }
}

/* With delays that never let an event overtake, the k-th event of a key is due at k delays. */
Test(pending, lockstep_pops_all_keys_in_order_each_round)
{
    enum { KEYS = 10000 };
    struct htmt__pending p;
    htmt__pending_init(&p);
    for (uint64_t key = KEYS; key-- > 0;)
        push(&p, 0, key);
    for (htmt_time round = 0; round < 20; round++)
        for (uint64_t key = 0; key < KEYS; key++) {
            struct htmt__event e = {0, 0};
            cr_assert_eq(htmt__pending_next(&p), round * 10 * US);
            cr_assert(htmt__pending_pop(&p, &e));
            cr_assert_eq(e.time, round * 10 * US);
            cr_assert_eq(e.key, key);
            push(&p, e.time + 10 * US, key);
        }
    htmt__pending_fini(&p);
}

Test(pending, times_at_both_ends_are_kept)
{
    struct htmt__pending p;
    struct htmt__event e = {0, 0};
    htmt__pending_init(&p);
    for (uint64_t i = 0; i < 1000; i++) {
        push(&p, HTMT_TIME_MAX - (htmt_time)(i / 2), i);
        push(&p, INT64_MIN + (htmt_time)(i / 2), i);
    }
    for (htmt_time i = 0; i < 1000; i++) {
        cr_assert(htmt__pending_pop(&p, &e));
        cr_assert_eq(e.time, INT64_MIN + i / 2);
    }
    for (htmt_time i = 1000; i-- > 0;) {
        cr_assert(htmt__pending_pop(&p, &e));
        cr_assert_eq(e.time, HTMT_TIME_MAX - i / 2);
    }
    htmt__pending_fini(&p);
}

static void burst(struct htmt__pending *p, uint64_t count, htmt_time from)
{
    struct htmt__event e;
    for (uint64_t i = 0; i < count; i++)
        push(p, from + (htmt_time)i, i);
    for (uint64_t i = 0; i < count; i++) {
        cr_assert(htmt__pending_pop(p, &e));
        cr_assert_eq(e.key, i);
    }
}

Test(pending, gives_back_what_one_burst_left_and_keeps_what_bursts_use)
{
    struct htmt__pending p;
    htmt__pending_init(&p);
    for (int i = 0; i < 3; i++) {
        burst(&p, 100000, i * US);
        cr_assert_geq(p.room, 100000, "kept for the next one");
    }
    burst(&p, 40, 4 * US);
    cr_assert_eq(p.room, 0);
    burst(&p, 40, 5 * US);
    cr_assert_leq(p.room, HTMT__ROOM_KEPT);
    htmt__pending_fini(&p);
}

Test(pending, is_empty_again_after_fini)
{
    struct htmt__pending p;
    struct htmt__event e = {0, 0};
    htmt__pending_init(&p);
    htmt__pending_fini(&p);
    for (uint64_t i = 0; i < 500; i++)
        push(&p, 5, i);
    htmt__pending_fini(&p);
    cr_assert_not(htmt__pending_pop(&p, &e));
    push(&p, 7, 1);
    cr_assert_eq(htmt__pending_next(&p), 7);
    htmt__pending_fini(&p);
}

/* Pushed until memory is refused, at each size to which the set grows; nothing is lost by it. */
Test(pending, a_refused_push_changes_nothing)
{
    struct htmt__pending p;
    uint64_t random = 4, pushed = 0;
    htmt__pending_init(&p);
    for (unsigned round = 0; round < 8; round++) {
        int code = 0;
        push(&p, uniform(&random), pushed++);
        atomic_store(&no_memory, true);
        while (!code) {
            code = htmt__pending_push(&p, (struct htmt__event){uniform(&random), pushed});
            pushed += !code;
        }
        atomic_store(&no_memory, false);
        cr_assert_eq(code, HTMT_ENOMEM);
        cr_assert_eq(p.count, pushed);
    }
    struct htmt__event last = {-1, 0}, e = {0, 0};
    for (uint64_t i = 0; i < pushed; i++, last = e) {
        cr_assert(htmt__pending_pop(&p, &e));
        cr_assert(htmt__event_before(last, e));
    }
    cr_assert_not(htmt__pending_pop(&p, &e));
    htmt__pending_fini(&p);
}
