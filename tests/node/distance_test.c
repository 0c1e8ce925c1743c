/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/node/distance.h"

#include "loops.h"
#include "runtime/base/error.h"
#include "tests/runtime/draw.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define LINE 32

/* A list of lines, the last one touched first. */
struct list {
    uint64_t line[8192];
    uint64_t n;
};

static uint64_t naive_touch(struct list *l, uint64_t line)
{
    uint64_t depth = 0;
    while (depth < l->n && l->line[depth] != line)
        depth++;
    const uint64_t found = depth < l->n ? depth : HTMT__DISTANCE_COLD;
    if (depth == l->n)
        l->n++;
    memmove(l->line + 1, l->line, depth * sizeof *l->line);
    l->line[0] = line;
    return found;
}

Test(distance, a_touch_has_the_depth_of_its_line_in_a_list_of_the_last_touches)
{
    struct list *list = calloc(1, sizeof *list);
    struct htmt__distance *d;
    uint64_t state = 7, found;
    cr_assert_eq(htmt__distance_new(&d, LINE), 0);
    for (int i = 0; i < 60000; i++) {
        const uint64_t lines = i < 30000 ? 37 : 5000;
        const uint64_t at = draw(&state) % (lines * LINE);
        cr_assert_eq(htmt__distance_touch(d, at, &found), 0);
        cr_assert_eq(found, naive_touch(list, at / LINE), "touch %d", i);
        cr_assert_eq(htmt__distance_lines(d), list->n);
    }
    for (uint64_t depth = 0; depth < list->n; depth++)
        cr_assert_eq(htmt__distance_at(d, depth), list->line[depth] * LINE);
    htmt__distance_free(d);
    free(list);
}

/* A fully associative lru cache of so many lines, played by itself. */
static uint64_t cache_misses(const struct htmt__tape *tape, uint64_t lines)
{
    struct list *list = calloc(1, sizeof *list);
    const uint64_t *entries;
    uint64_t misses = 0;
    size_t n;
    for (size_t c = 0; (entries = htmt__tape_chunk(tape, c, &n)); c++)
        for (size_t i = 0; i < n; i++) {
            const enum htmt__tape_kind kind = htmt__tape_kind(entries[i]);
            if (kind != HTMT__TAPE_LOAD && kind != HTMT__TAPE_STORE)
                continue;
            misses += naive_touch(list, htmt__tape_address(entries[i]) / 64) >= lines;
            if (list->n > lines)
                list->n = lines; /* the last line leaves */
        }
    free(list);
    return misses;
}

Test(distance, one_pass_has_the_misses_of_lru_caches_of_all_sizes)
{
    for (size_t k = 0; k < sizeof loops / sizeof loops[0]; k++) {
        struct htmt__tape *tape = loop_tape(&loops[k]);
        struct htmt__distance *d;
        const uint64_t *entries;
        uint64_t misses[10] = {0}, found;
        size_t n;
        cr_assert_eq(htmt__distance_new(&d, 64), 0);
        for (size_t c = 0; (entries = htmt__tape_chunk(tape, c, &n)); c++)
            for (size_t i = 0; i < n; i++) {
                const enum htmt__tape_kind kind = htmt__tape_kind(entries[i]);
                if (kind != HTMT__TAPE_LOAD && kind != HTMT__TAPE_STORE)
                    continue;
                cr_assert_eq(htmt__distance_touch(d, htmt__tape_address(entries[i]), &found), 0);
                for (int size = 0; size < 10; size++)
                    misses[size] += found >> size != 0; /* also when it is cold */
            }
        for (int size = 0; size < 10; size++)
            cr_assert_eq(misses[size], cache_misses(tape, UINT64_C(1) << size), "%s, %d lines",
                         loops[k].name, 1 << size);
        htmt__distance_free(d);
        htmt__tape_free(tape);
    }
}

Test(distance, all_lines_are_cold_after_a_start)
{
    struct htmt__distance *d;
    uint64_t found;
    cr_assert_eq(htmt__distance_new(&d, 64), 0);
    cr_assert_eq(htmt__distance_touch(d, 64, &found), 0);
    cr_assert_eq(htmt__distance_touch(d, 65, &found), 0);
    cr_expect_eq(found, 0);
    htmt__distance_start(d);
    cr_expect_eq(htmt__distance_lines(d), 0);
    cr_assert_eq(htmt__distance_touch(d, 64, &found), 0);
    cr_expect_eq(found, HTMT__DISTANCE_COLD);
    htmt__distance_free(d);
}

Test(distance, a_line_that_is_no_power_of_two_is_refused)
{
    struct htmt__distance *d;
    cr_assert_eq(htmt__distance_new(&d, 0), HTMT_EINVAL);
    cr_assert_eq(htmt__distance_new(&d, 48), HTMT_EINVAL);
}
