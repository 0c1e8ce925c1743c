/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/node/pattern.h"

#include "runtime/base/error.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>

static void put(struct htmt__pattern *p, int64_t number, int n)
{
    for (int i = 0; i < n; i++)
        cr_assert_eq(htmt__pattern_put(p, number), 0);
}

static char *text_of(const struct htmt__pattern *p)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    htmt__pattern_write(p, out);
    fclose(out);
    return text;
}

Test(pattern, loops_in_loops_fold_as_they_come)
{
    struct htmt__pattern p = {0};
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 4; j++) {
            put(&p, 8, 63);
            put(&p, -504, 1);
        }
        put(&p, 77, 1);
    }
    cr_assert_eq(htmt__pattern_close(&p), 0);
    char *text = text_of(&p);
    cr_assert_str_eq(text, "((8 x 63, -504) x 4, 77) x 3");
    cr_assert_eq(htmt__pattern_length(&p), 3 * (4 * 64 + 1));
    cr_assert_eq(htmt__pattern_count(&p, 8), 3 * 4 * 63);
    free(text);
    htmt__pattern_fini(&p);
}

Test(pattern, what_folded_plays_as_it_came)
{
    enum { N = 5000 };
    static int64_t sequence[N];
    struct htmt__pattern p = {0};
    struct htmt__player player;
    for (int i = 0; i < N; i++) {
        sequence[i] = i % 7 == 6 ? -(i % 21) : i / 1000;
        cr_assert_eq(htmt__pattern_put(&p, sequence[i]), 0);
    }
    cr_assert_eq(htmt__pattern_close(&p), 0);
    cr_assert_not(p.mixed);
    cr_assert_eq(htmt__player_init(&player, &p, 1), 0);
    for (int i = 0; i < 2 * N; i++)
        cr_assert_eq(htmt__player_next(&player), sequence[i % N], "number %d", i);
    htmt__player_fini(&player);
    htmt__pattern_fini(&p);
}

/* No two neighbours repeat: the count of trailing zeros of 1, 2, 3 ..., times a drift. */
static int64_t unfolded(int i)
{
    return __builtin_ctz((unsigned)i + 1) * 10 + i % 3;
}

Test(pattern, a_mixture_plays_every_number_as_often_as_it_came_and_the_last_one_last)
{
    enum { N = 4096 };
    static int came[400], played[400];
    struct htmt__pattern p = {0};
    struct htmt__player player;
    for (int i = 0; i < N; i++) {
        came[unfolded(i)]++;
        cr_assert_eq(htmt__pattern_put(&p, unfolded(i)), 0);
    }
    cr_assert_eq(htmt__pattern_close(&p), 0);
    cr_assert(p.mixed);
    cr_assert_eq(htmt__pattern_length(&p), N);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        int64_t last = 0;
        memset(played, 0, sizeof played);
        cr_assert_eq(htmt__player_init(&player, &p, seed), 0);
        for (int i = 0; i < N; i++)
            played[last = htmt__player_next(&player)]++;
        cr_assert_eq(last, unfolded(N - 1));
        cr_assert_arr_eq(played, came, sizeof came);
        htmt__player_fini(&player);
    }
    htmt__pattern_fini(&p);
}

Test(pattern, the_order_of_a_mixture_follows_from_the_seed)
{
    struct htmt__pattern p;
    struct htmt__player a, b, other;
    char why[200];
    int differ = 0;
    cr_assert_eq(htmt__pattern_read(&p, "mixed: 1 @ 50, 2 @ 50, 3 x 4", why, sizeof why), 0);
    cr_assert_eq(htmt__player_init(&a, &p, 5), 0);
    cr_assert_eq(htmt__player_init(&b, &p, 5), 0);
    cr_assert_eq(htmt__player_init(&other, &p, 6), 0);
    for (int i = 0; i < 208; i++) {
        const int64_t number = htmt__player_next(&a);
        cr_assert_eq(number, htmt__player_next(&b));
        differ += number != htmt__player_next(&other);
    }
    cr_assert_gt(differ, 20);
    htmt__player_fini(&a);
    htmt__player_fini(&b);
    htmt__player_fini(&other);
    htmt__pattern_fini(&p);
}

Test(pattern, numbers_beyond_what_a_pattern_keeps_are_far)
{
    struct htmt__pattern p = {0};
    uint64_t state = 3;
    for (int i = 0; i < 10000; i++) {
        const uint64_t number = htmt__random_below(htmt__random_next(&state), 1 << 30);
        cr_assert_eq(htmt__pattern_put(&p, (int64_t)number), 0);
    }
    cr_assert_eq(htmt__pattern_close(&p), 0);
    cr_assert_eq(htmt__pattern_length(&p), 10000);
    cr_assert_gt(htmt__pattern_count(&p, HTMT__PATTERN_FAR), 9000);
    cr_assert_lt(p.top.n, 400);
    htmt__pattern_fini(&p);
}

Test(pattern, text_is_read_as_it_is_written)
{
    static const char *const good[] = {"8", "-8 x 63, far, end",
                                       "((8 x 63, -504) x 15, 4096) x 2, 8 x 63",
                                       "mixed: (8 x 3, 1) x 2 @ 20, 16 @ 4, -64"};
    char why[200];
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct htmt__pattern p;
        cr_assert_eq(htmt__pattern_read(&p, good[i], why, sizeof why), 0, "%s", good[i]);
        char *text = text_of(&p);
        cr_assert_str_eq(text, good[i]);
        free(text);
        htmt__pattern_fini(&p);
    }
}

Test(pattern, text_that_is_no_pattern_is_refused_where_it_fails)
{
    static const char *const bad[][2] = {{"", "'nothing'"},
                                         {"8,", "'nothing'"},
                                         {"8 x 0", "'nothing'"},
                                         {"8 x 3 y", "'y'"},
                                         {"(8, 4", "'nothing'"},
                                         {"8 @ 4", "'@ 4'"},
                                         {"mixed: (8 @ 4) x 2", "'@ 4) x 2'"},
                                         {"8 4", "'4'"},
                                         {"99999999999999999999", "'9'"},
                                         {"((((((((((((((1))))))))))))))", "'((1"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct htmt__pattern p;
        char why[200] = "";
        cr_assert_eq(htmt__pattern_read(&p, bad[i][0], why, sizeof why), HTMT_EFORMAT, "%s",
                     bad[i][0]);
        cr_assert_not_null(strstr(why, bad[i][1]), "%s: %s", bad[i][0], why);
    }
}
