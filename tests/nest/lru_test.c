/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Traffic that follows from offsets is the traffic of a simulated memory, at all capacities.
 */
#include "emul/loops/nest/program.h"
#include "emul/loops/nest/reuse.h"
#include "tests/nest/lru.h"
#include "tests/runtime/draw.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NESTS 200

struct text {
    char s[8000];
    size_t at;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    t->at += (size_t)vsnprintf(t->s + t->at, sizeof t->s - t->at, format, list);
    va_end(list);
}

static void put_array(struct text *t, unsigned array, unsigned depth, uint64_t *seed)
{
    static const char *const last[] = {"write", "update", "read"};
    unsigned references = 1 + draw_below(seed, 6), kind = draw_below(seed, 3);
    bool straight = draw_below(seed, 4) < 2;
    for (unsigned r = 0; r < references; r++) {
        unsigned axis = draw_below(seed, depth);
        put(t, "      - %s a%u[", r + 1 == references ? last[kind] : "read", array);
        for (unsigned l = 0; l < depth; l++) {
            int offset = (int)draw_below(seed, 7) - 3;
            put(t, "%s%c%+d", l ? ", " : "", "kji"[l], straight && l != axis ? 0 : offset);
        }
        put(t, "]\n");
    }
}

/* One to three loops, one to four arrays, each read at up to six offsets along one axis or any. */
static void make_text(unsigned number, struct text *t)
{
    uint64_t seed = number * UINT64_C(77777) + 5;
    unsigned depth = 1 + draw_below(&seed, 3), arrays = 1 + draw_below(&seed, 4);
    t->at = 0;
    put(t, "htmt-nests: 1\narrays:\n");
    for (unsigned a = 0; a < arrays; a++)
        put(t, "  a%u: {box: [%.*s]}\n", a, (int)(depth * 9 - 2), "-9..999, -9..999, -9..999");
    put(t, "nests:\n  n:\n    loops: {");
    for (unsigned l = 0; l < depth; l++)
        put(t, "%s%c: 0..%u", l ? ", " : "", "kji"[l],
            (depth == 3   ? 8 + draw_below(&seed, 14)
             : depth == 2 ? 20 + draw_below(&seed, 40)
                          : 200 + draw_below(&seed, 40)) -
                1);
    put(t, "}\n    accesses:\n");
    for (unsigned a = 0; a < arrays; a++)
        put_array(t, a, depth, &seed);
}

struct subject {
    struct htmt__nest_file *file;
    struct htmt__nest_program *program;
    struct htmt__nest_plan *plan;
    struct htmt__nest_reuse *reuse;
    const struct htmt__nest_steps *steps;
};

static void open_subject(const char *text, struct subject *s)
{
    static const struct htmt__nest_keeping all = {false, false};
    struct htmt_fault fault = {0};
    *s = (struct subject){.reuse = NULL};
    cr_assert(!htmt__nest_file_parse("text", text, strlen(text), &s->file, &fault), "%s",
              fault.text);
    cr_assert(!htmt__nest_program_make(s->file, NULL, 0, 1, &s->program, &fault), "%s", fault.text);
    s->plan = s->program->run[0].plan;
    cr_assert(!htmt__nest_reuse_make(s->plan, &all, &s->reuse));
    cr_assert(!htmt__nest_steps_ask(s->reuse, s->plan->extent, &s->steps));
}

static void close_subject(struct subject *s)
{
    htmt__nest_reuse_destroy(&s->reuse);
    htmt__nest_program_destroy(&s->program);
    htmt__nest_file_destroy(&s->file);
}

static double simulated(const struct lru *lru, size_t capacity)
{
    size_t at = capacity < lru->most ? capacity : lru->most - 1;
    return (double)(lru->reads[at] + lru->writes[at]);
}

static double told(const struct subject *s, size_t capacity)
{
    return (double)(htmt__nest_steps_read(s->steps, (htmt_wide)capacity) +
                    htmt__nest_steps_written(s->steps, (htmt_wide)capacity));
}

/* Steps may lie as far away as a cell has references. */
static void compare(unsigned number, const struct subject *s, const struct lru *lru)
{
    size_t near = s->plan->points;
    for (size_t c = 0; c < lru->most; c++) {
        double most = simulated(lru, c < near ? 0 : c - near), least = simulated(lru, c + near);
        double found = told(s, c);
        cr_assert(found <= 1.02 * most && found >= 0.98 * least,
                  "nest %u, %zu words: %.0f words moved, simulated %.0f to %.0f", number, c, found,
                  least, most);
    }
    cr_assert_eq(told(s, lru->most), simulated(lru, lru->most));
}

static void compare_text(unsigned number, const char *text)
{
    struct subject s;
    struct lru lru;
    open_subject(text, &s);
    lru_walk(s.plan, &lru);
    compare(number, &s, &lru);
    lru_clear(&lru);
    close_subject(&s);
}

Test(lru, random_nests_move_what_a_simulated_memory_moves_at_all_capacities)
{
    static struct text t;
    for (unsigned n = 0; n < NESTS; n++) {
        make_text(n, &t);
        compare_text(n, t.s);
    }
}

/* 25 points of order 8 in a box beyond all offsets, where forms are used; a product, of which an
 * array is without a loop: forms of a large box against the same box place by place. */
Test(lru, stencils_along_three_axes_and_products_move_what_a_simulated_memory_moves)
{
    compare_text(0, "htmt-nests: 1\n"
                    "arrays:\n"
                    "  u: {box: [-4..35, -4..35, -4..35]}\n"
                    "  v: {box: [32, 32, 32]}\n"
                    "nests:\n"
                    "  n:\n"
                    "    loops: {k: 0..27, j: 0..33, i: 0..33}\n"
                    "    accesses:\n"
                    "      - read u[k-4..k+4, j, i]\n"
                    "      - read u[k, j-4..j+4, i]\n"
                    "      - read u[k, j, i-4..i+4]\n"
                    "      - write v[k, j, i]\n");
    compare_text(1, "htmt-nests: 1\n"
                    "arrays: {a: {box: [40, 40]}, b: {box: [40, 40]}, c: {box: [40, 40]}}\n"
                    "nests:\n"
                    "  product:\n"
                    "    loops: {i: 0..19, j: 0..17, k: 0..18}\n"
                    "    accesses: ['read a[i, k]', 'read b[k, j]', 'update c[i, j]']\n");
}

/* Two gaps along the outer loop, in the order of words and from the middle outwards: the last step
 * is told to the word. */
static void compare_full(const char *u, const char *v)
{
    static struct text t;
    struct subject s;
    struct lru lru;
    t.at = 0;
    put(&t, "htmt-nests: 1\narrays:\n  u: {box: [-4..40, 8, 8]}\n  v: {box: [-4..40, 8, 8]}\n");
    put(&t, "  w: {box: [40, 8, 8]}\nnests:\n  n:\n    loops: {k: 0..19, j: 0..7, i: 0..7}\n");
    put(&t, "    accesses: [%s, %s, 'update w[k, j, i]']\n", u, v);
    open_subject(t.s, &s);
    lru_walk(s.plan, &lru);
    size_t full = lru.most - 1;
    while (full && lru.reads[full - 1] == lru.reads[lru.most - 1])
        full--;
    cr_assert_eq((size_t)htmt__nest_steps_full(s.steps), full, "%s: full from %lld, simulated %zu",
                 u, (long long)htmt__nest_steps_full(s.steps), full);
    lru_clear(&lru);
    close_subject(&s);
}

Test(lru, full_reuse_begins_at_the_simulated_word)
{
    compare_full("'read u[k-4..k-1, j, i]', 'read u[k+1..k+4, j, i]'",
                 "'read v[k-4..k-1, j, i]', 'read v[k+1..k+4, j, i]'");
    compare_full(
        "'read u[k+1, j, i]', 'read u[k-1, j, i]', 'read u[k+2, j, i]', 'read u[k-2, j, i]'",
        "'read v[k+1, j, i]', 'read v[k-1, j, i]', 'read v[k+2, j, i]', 'read v[k-2, j, i]'");
    compare_full("'read u[k, j, i]', 'read u[k-1, j, i]'",
                 "'read v[k, j, i]', 'read v[k-3, j, i]'");
}

/* ---- one array under several maps --------------------------------------------------------------
 */

/* A memory of `capacity` words with the least recently used word last, walked word by word. */
struct plain {
    size_t capacity, held;
    unsigned word[1000], moved;
    bool dirty[1000];
};

static void touch(struct plain *m, unsigned word, bool write)
{
    size_t at = 0;
    while (at < m->held && m->word[at] != word)
        at++;
    bool found = at < m->held, dirty = found && m->dirty[at];
    m->moved += !found;
    if (!found && m->held == m->capacity)
        m->moved += m->dirty[--at];
    else if (!found)
        m->held++;
    for (; at; at--) {
        m->word[at] = m->word[at - 1];
        m->dirty[at] = m->dirty[at - 1];
    }
    m->word[0] = word;
    m->dirty[0] = dirty || write;
}

static unsigned flush(const struct plain *m)
{
    unsigned moved = m->moved;
    for (size_t i = 0; i < m->held; i++)
        moved += m->dirty[i];
    return moved;
}

/* p[i][j] += p[i][k] * p[k][j], k outermost; d[i][j] += s[i][k] * s[k][j]. */
static unsigned walk(bool squares, unsigned n, size_t capacity)
{
    static struct plain m;
    m = (struct plain){.capacity = capacity};
    for (unsigned x = 0; x < n; x++)
        for (unsigned y = 0; y < n; y++)
            for (unsigned z = 0; z < n; z++) {
                const unsigned i = squares ? x : y, j = squares ? y : z, k = squares ? z : x;
                touch(&m, i * n + k, false);
                touch(&m, k * n + j, false);
                touch(&m, (squares ? n * n : 0) + i * n + j, true);
            }
    return flush(&m);
}

static void compare_maps(bool squares, const char *text, unsigned n, unsigned all)
{
    struct subject s;
    open_subject(text, &s);
    for (size_t c = 1; c < all + 20; c++) {
        const double most = told(&s, c), exact = walk(squares, n, c);
        cr_assert(c < all ? most >= exact : most == exact,
                  "%s, %zu words: %.0f words moved, simulated %.0f", squares ? "squares" : "paths",
                  c, most, exact);
    }
    cr_assert_eq((unsigned)htmt__nest_steps_full(s.steps), all);
    close_subject(&s);
}

Test(lru, an_array_under_several_maps_moves_once_where_all_fits_and_never_too_little)
{
    compare_maps(false,
                 "htmt-nests: 1\narrays: {p: {box: [9, 9]}}\nnests:\n  paths:\n"
                 "    loops: {k: 0..8, i: 0..8, j: 0..8}\n"
                 "    accesses: ['read p[i, k]', 'read p[k, j]', 'update p[i, j]']\n",
                 9, 81);
    compare_maps(true,
                 "htmt-nests: 1\narrays: {d: {box: [8, 8]}, s: {box: [8, 8]}}\nnests:\n  squares:\n"
                 "    loops: {i: 0..7, j: 0..7, k: 0..7}\n"
                 "    accesses: ['read s[i, k]', 'read s[k, j]', 'update d[i, j]']\n",
                 8, 128);
}
