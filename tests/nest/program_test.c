/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stays between nests, as it follows from boxes, is what stays when the program is played.
 */
#include "emul/loops/nest/between.h"
#include "emul/loops/nest/blocks.h"
#include "emul/loops/nest/player.h"
#include "emul/loops/nest/stream.h"
#include "tests/runtime/draw.h"
#include "tests/runtime/share.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PROGRAMS 150

struct text {
    char s[16000];
    size_t at;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    t->at += (size_t)vsnprintf(t->s + t->at, sizeof t->s - t->at, format, list);
    va_end(list);
}

static void put_reference(struct text *t, uint64_t *seed, unsigned array, unsigned axes,
                          const char *kind, bool star)
{
    const unsigned moved = draw_below(seed, axes);
    put(t, "      - %s a%u[", kind, array);
    for (unsigned l = 0; l < axes; l++)
        put(t, "%s%c%+d", l ? ", " : "", "kji"[l],
            star && l == moved ? (int)draw_below(seed, 3) - 1 : 0);
    put(t, "]\n");
}

/* Nests over the same arrays, each with loops of its own direction; some of them in repeats.
 * `length`: of loops, by their number. */
static void make_text(unsigned number, const unsigned *length, struct text *t)
{
    uint64_t seed = number * UINT64_C(99991) + 7;
    const unsigned axes = 1 + draw_below(&seed, 3), arrays = 1 + draw_below(&seed, 4),
                   nests = 2 + draw_below(&seed, 4);
    t->at = 0;
    put(t, "htmt-nests: 1\narrays:\n");
    for (unsigned a = 0; a < arrays; a++)
        put(t, "  a%u: {box: [%.*s], components: 2}\n", a, (int)(axes * 9 - 2),
            "-9..999, -9..999, -9..999");
    put(t, "nests:\n");
    for (unsigned n = 0; n < nests; n++) {
        put(t, "  n%u:\n    loops: {", n);
        const bool down = draw_below(&seed, 3) == 0;
        for (unsigned l = 0; l < axes; l++)
            put(t, "%s%c: %u..%u%s", l ? ", " : "", "kji"[l], draw_below(&seed, 3),
                length[axes] - 1 - draw_below(&seed, 3), down && l == 0 ? " step -1" : "");
        put(t, "}\n    accesses:\n");
        const unsigned read = draw_below(&seed, arrays), written = draw_below(&seed, arrays);
        for (unsigned r = 0; r < 1 + draw_below(&seed, 4); r++)
            put_reference(t, &seed, read, axes, "read", true);
        put_reference(t, &seed, written, axes, draw_below(&seed, 2) ? "write" : "update", false);
    }
    put(t, "program:\n");
    for (unsigned n = 0; n < nests; n++) {
        const bool repeated = draw_below(&seed, 3) == 0 && n + 1 < nests;
        if (repeated)
            put(t, "  - repeat: %u\n    do: [{nest: n%u}, {nest: n%u}]\n",
                2 + draw_below(&seed, 20), n, n + 1);
        else
            put(t, "  - nest: n%u\n", n);
        n += repeated;
    }
}

struct ends {
    double played, low, high;
};

/* Words of all nests alone, less those that are kept. */
static void find_ends(const struct htmt__nest_program *program, htmt_wide bytes, struct ends *e)
{
    static const struct htmt__nest_keeping keeping = {false, false};
    static const int64_t whole[HTMT__NEST_DEPTH];
    struct htmt__between_kept kept[64] = {{{0}, {0}}};
    struct htmt__stream_moved moved[64] = {{0}};
    const struct htmt__stream_request request = {
        .capacities = 1, .capacity = {bytes}, .most = 100000000};
    *e = (struct ends){0};
    cr_assert(!htmt__stream_play(program, &request, moved));
    cr_assert(!htmt__between_find(program, bytes, kept));
    for (unsigned r = 0; r < program->runs; r++) {
        const htmt_wide words = bytes / 8;
        struct htmt__nest_moved alone;
        htmt_wide full;
        cr_assert(!htmt__nest_blocks_move(program->run[r].plan, &keeping, whole, &words, 1, &alone,
                                          &full));
        const double all = 8 * (double)(alone.read + alone.written) * (double)program->run[r].times;
        e->played += (double)(moved[r].read + moved[r].written);
        e->low += all - (double)(kept[r].read[1] + kept[r].written[1]);
        e->high += all - (double)(kept[r].read[0] + kept[r].written[0]);
    }
}

Test(program, kept_words_are_those_of_a_played_program)
{
    unsigned asked = 0, exact = 0, near = 0;
    for (unsigned n = 0; n < share_of(PROGRAMS); n++) {
        struct htmt_fault fault = {0};
        struct htmt__nest_file *file;
        struct htmt__nest_program *program;
        struct text text;
        make_text(n, (const unsigned[]){0, 600, 40, 16}, &text);
        cr_assert(!htmt__nest_file_parse("text", text.s, strlen(text.s), &file, &fault), "%s\n%s",
                  fault.text, text.s);
        cr_assert(!htmt__nest_program_make(file, NULL, 0, 1, &program, &fault), "%s", fault.text);
        for (htmt_wide bytes = 8 * 64; bytes < 8 * 65536; bytes *= 3) {
            struct ends e;
            find_ends(program, bytes, &e);
            asked++;
            exact += e.low <= 1.02 * e.played && e.high >= 0.98 * e.played &&
                     e.high - e.low <= 0.02 * e.played;
            near += e.high <= 1.5 * e.low;
            cr_assert(e.low <= 1.03 * e.played && e.high >= 0.97 * e.played,
                      "program %u, %lld bytes: played %.0f, told %.0f to %.0f\n%s", n,
                      (long long)bytes, e.played, e.low, e.high, text.s);
        }
        htmt__nest_program_destroy(&program);
        htmt__nest_file_destroy(&file);
    }
    cr_assert_geq(exact, asked * 4 / 5, "%u of %u within 2 %%", exact, asked);
    cr_assert_geq(near, asked * 99 / 100, "%u of %u with ends near each other", near, asked);
}

/* Programs of which boxes do not tell, in the shapes of linear algebra. */
static const char *const general[] = {
    "nests:\n"
    "  scale: {loops: {i: 0..n-1, j: 0..n-1}, accesses: ['update c[i, j]']}\n"
    "  add:\n    loops: {i: 0..n-1, k: 0..n-1, j: 0..n-1}\n"
    "    accesses: ['read a[i, k]', 'read b[k, j]', 'update c[i, j]']\n"
    "program: [{loop: i, do: [{nest: scale}, {nest: add}]}]\n",

    "nests:\n"
    "  low:\n    loops: {i: 0..n-1, j: 0..i-1, k: 0..j-1}\n"
    "    accesses: ['read a[i, k]', 'read a[k, j]', 'update a[i, j]']\n"
    "  divide: {loops: {i: 0..n-1, j: 0..i-1}, accesses: ['read a[j, j]', 'update a[i, j]']}\n"
    "  high:\n    loops: {i: 0..n-1, j: i..n-1, k: 0..i-1}\n"
    "    accesses: ['read a[i, k]', 'read a[k, j]', 'update a[i, j]']\n"
    "program: [{loop: i, do: [{loop: j, do: [{nest: low}, {nest: divide}]}, {nest: high}]}]\n",

    "nests:\n"
    "  row: {loops: {i: 0..n-1, j: 0..i-1, k: 0..j-1},\n"
    "    accesses: ['read a[i, k]', 'read a[j, k]', 'update a[i, j]']}\n"
    "  root: {loops: {i: 0..n-1}, accesses: ['update a[i, i]']}\n"
    "program: [{loop: i, do: [{nest: row}, {nest: root}]}]\n",

    "nests:\n"
    "  paths:\n    loops: {k: 0..n-1, i: 0..n-1, j: 0..n-1}\n"
    "    accesses: ['read a[i, k]', 'read a[k, j]', 'update a[i, j]']\n",

    "nests:\n"
    "  square: {loops: {i: 0..n-1, j: 0..n-1, k: 0..n-1},\n"
    "    accesses: ['read a[i, k]', 'read a[k, j]', 'update c[i, j]']}\n"
    "  turned: {loops: {i: 0..n-1, j: 0..n-1}, accesses: ['read c[j, i]', 'write b[i, j]']}\n"
    "program: [{repeat: 3, do: [{nest: square}, {nest: turned}]}]\n",

    "nests:\n"
    "  product: {loops: {i: 0..n-1, j: 0..n-1, k: i+1..n-1},\n"
    "    accesses: ['read a[k, i]', 'read b[k, j]', 'update b[i, j]']}\n"};

static void open_general(unsigned number, int n, struct htmt__nest_file **file,
                         struct htmt__nest_program **program)
{
    const struct htmt__nest_given_value given = {"n", n};
    struct htmt_fault fault = {0};
    struct text t = {.at = 0};
    put(&t,
        "htmt-nests: 1\nparameters: {n: needed}\narrays: {a: {box: [n, n]}, b: {box: [n, n]}, "
        "c: {box: [n, n]}}\n%s",
        general[number]);
    cr_assert(!htmt__nest_file_parse("text", t.s, strlen(t.s), file, &fault), "%s\n%s", fault.text,
              t.s);
    cr_assert(!htmt__nest_program_make(*file, &given, 1, 1, program, &fault), "%s", fault.text);
}

static struct ends sum_up(const struct htmt__stream_moved *moved, unsigned runs,
                          unsigned capacities, unsigned which)
{
    struct ends e = {0};
    for (unsigned r = 0; r < runs; r++) {
        const struct htmt__stream_moved *m = &moved[r * capacities + which];
        e.low += (double)(m->read + m->written);
        e.high += (double)(m->read + m->written + m->more);
    }
    return e;
}

static const struct htmt__nest_keeping kept = {false, false};

/* `most`: touches of the samples; of 1,000 bounds so many have ends near each other. */
static void compare_samples(uint64_t line, int64_t block, uint64_t most, unsigned narrow,
                            struct htmt__nest_keeping keeping)
{
    enum { CAPACITIES = 8 };
    const int n = only_memory() ? 80 : 160; /* an eighth of the touches */
    unsigned near = 0, asked = 0;
    for (unsigned g = 0; g < sizeof general / sizeof *general; g += only_memory() ? 4 : 1) {
        struct htmt__nest_file *file;
        struct htmt__nest_program *program;
        struct htmt__stream_moved played[8 * CAPACITIES], sampled[8 * CAPACITIES];
        struct htmt__stream_request request = {
            .capacities = CAPACITIES, .line = line, .most = 100000000, .keeping = keeping};
        open_general(g, n, &file, &program);
        for (unsigned k = 0; k < CAPACITIES; k++)
            request.capacity[k] = 8 * 3 * n * n >> k;
        for (unsigned l = 0; l < 3; l++)
            request.block[l] = block;
        cr_assert(!htmt__stream_play(program, &request, played));
        request.most = share_of((unsigned)most);
        cr_assert(!htmt__stream_sample(program, &request, sampled), "program %u", g);
        for (unsigned k = 0; k < CAPACITIES; k++) {
            const struct ends all = sum_up(played, program->runs, CAPACITIES, k);
            const struct ends some = sum_up(sampled, program->runs, CAPACITIES, k);
            asked++;
            near += some.high <= 1.5 * some.low;
            cr_assert(some.low <= all.low + 1 && some.high + 1 >= all.low,
                      "program %u, %lld bytes: played %.0f, sampled %.0f to %.0f", g,
                      (long long)request.capacity[k], all.low, some.low, some.high);
        }
        htmt__nest_program_destroy(&program);
        htmt__nest_file_destroy(&file);
    }
    cr_assert(only_memory() || near * 1000 >= asked * narrow, "%u of %u with ends near each other",
              near, asked);
}

Test(program, samples_enclose_what_a_played_program_moves)
{
    compare_samples(0, 0, 4000000, 1000, kept);
}

/* Too few touches for whole iterations of the outermost loops: those inside are sampled. */
Test(program, samples_of_loops_inside_enclose_what_a_played_program_moves)
{
    compare_samples(0, 0, 200000, 0, kept);
}

Test(program, samples_of_lines_enclose_what_a_played_program_moves)
{
    compare_samples(64, 0, 12000000, 1000, kept);
}

/* Memories far smaller than the program; each turn is sampled by half of its touches. */
Test(program, samples_of_random_programs_enclose_what_a_played_program_moves)
{
    enum { CAPACITIES = 6 };
    unsigned near = 0, asked = 0;
    for (unsigned n = 0; n < share_of(PROGRAMS / 6); n++) {
        struct htmt_fault fault = {0};
        struct htmt__nest_file *file;
        struct htmt__nest_program *program;
        struct htmt__stream_moved played[64 * CAPACITIES] = {{0}}, sampled[64 * CAPACITIES] = {{0}};
        struct htmt__stream_request request = {.capacities = CAPACITIES, .most = 100000000};
        struct text text;
        make_text(n, (const unsigned[]){0, 6000, 160, 32}, &text);
        cr_assert(!htmt__nest_file_parse("text", text.s, strlen(text.s), &file, &fault));
        cr_assert(!htmt__nest_program_make(file, NULL, 0, 1, &program, &fault), "%s", fault.text);
        for (unsigned k = 0; k < CAPACITIES; k++)
            request.capacity[k] = (htmt_wide)8 * 256 >> k;
        cr_assert(!htmt__stream_play(program, &request, played));
        request.most = 0;
        for (unsigned r = 0; r < program->runs; r++)
            request.most += (uint64_t)htmt__player_touches(program, r) *
                            (program->run[r].times > 1 ? 2 : 1) / 2;
        cr_assert(!htmt__stream_sample(program, &request, sampled), "%s", text.s);
        for (unsigned k = 0; k < CAPACITIES; k++) {
            const struct ends all = sum_up(played, program->runs, CAPACITIES, k);
            const struct ends some = sum_up(sampled, program->runs, CAPACITIES, k);
            asked++;
            near += some.high <= 1.5 * some.low;
            cr_assert(some.low <= all.low + 1 && some.high + 1 >= all.low,
                      "program %u, %lld bytes: played %.0f, sampled %.0f to %.0f\n%s", n,
                      (long long)request.capacity[k], all.low, some.low, some.high, text.s);
        }
        htmt__nest_program_destroy(&program);
        htmt__nest_file_destroy(&file);
    }
    cr_assert_geq(near, asked * 49 / 50, "%u of %u with ends near each other", near, asked);
}

/* 20 and 24 of 160: the last block of some loops is shorter. */
Test(program, samples_of_blocks_enclose_what_a_played_program_moves)
{
    compare_samples(0, 20, 4000000, 770, kept);
    compare_samples(64, 24, 4000000, 750, kept);
}

Test(program, samples_of_words_that_go_around_enclose_what_a_played_program_moves)
{
    compare_samples(0, 0, 4000000, 1000, (struct htmt__nest_keeping){true, true});
}
