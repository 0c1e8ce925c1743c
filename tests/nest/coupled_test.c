/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arrays with subscripts of two loop variables, against a simulated memory with least recently used
 * replacement that is walked word by word.
 */
#include "emul/loops/nest/blocks.h"
#include "emul/loops/nest/program.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 20000

/* A memory of `room` words: the words that it holds, the last touched one first. */
struct memory {
    unsigned room, held;
    int word[WORDS_MAX];
    bool dirty[WORDS_MAX];
    long read, written;
};

static void touch(struct memory *m, int word, bool write)
{
    unsigned at = 0;
    bool dirty = write;
    while (at < m->held && m->word[at] != word)
        at++;
    if (at < m->held) {
        dirty = dirty || m->dirty[at];
    } else {
        m->read++;
        if (m->held < m->room)
            m->held++;
        else
            m->written += m->dirty[--at];
    }
    memmove(m->word + 1, m->word, at * sizeof *m->word);
    memmove(m->dirty + 1, m->dirty, at * sizeof *m->dirty);
    m->word[0] = word;
    m->dirty[0] = dirty;
}

static long moved(const struct memory *m)
{
    long dirty = 0;
    for (unsigned i = 0; i < m->held; i++)
        dirty += m->dirty[i];
    return m->read + m->written + dirty;
}

static struct memory *memory_of(unsigned room)
{
    struct memory *m = calloc(1, sizeof *m);
    m->room = room;
    return m;
}

/* c[i+j] += a[i] * b[j] */
static long convolve_line(unsigned room, int n, int k)
{
    struct memory *m = memory_of(room);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++) {
            touch(m, i, false);
            touch(m, 1000 + j, false);
            touch(m, 2000 + i + j, true);
        }
    long sum = moved(m);
    free(m);
    return sum;
}

/* out[y,x] += in[y+q, x+p] * w[q,p] */
static long convolve_plane(unsigned room, int n, int k)
{
    struct memory *m = memory_of(room);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            for (int q = 0; q < k; q++)
                for (int p = 0; p < k; p++) {
                    touch(m, (y + q) * 100 + x + p, false);
                    touch(m, 100000 + q * k + p, false);
                    touch(m, 200000 + y * 100 + x, true);
                }
    long sum = moved(m);
    free(m);
    return sum;
}

static const char line[] = "htmt-nests: 1\n"
                           "arrays: {a: {box: [60]}, b: {box: [9]}, c: {box: [68]}}\n"
                           "nests:\n"
                           "  n:\n"
                           "    loops: {i: 0..59, j: 0..8}\n"
                           "    accesses: ['read a[i]', 'read b[j]', 'update c[i+j]']\n"
                           "    touched: {c: {read: 68, write: 68}}\n";

static const char plane[] = "htmt-nests: 1\n"
                            "arrays: {u: {box: [28, 28]}, w: {box: [5, 5]}, v: {box: [24, 24]}}\n"
                            "nests:\n"
                            "  n:\n"
                            "    loops: {y: 0..23, x: 0..23, q: 0..4, p: 0..4}\n"
                            "    accesses: ['read u[y+q, x+p]', 'read w[q, p]', 'update v[y, x]']\n"
                            "    touched: {u: {read: 784}}\n";

static long told(const char *text, unsigned capacity, htmt_wide *full)
{
    static const struct htmt__nest_keeping all = {false, false};
    static const int64_t whole[HTMT__NEST_DEPTH] = {0};
    struct htmt_fault fault = {0};
    struct htmt__nest_file *file = NULL;
    struct htmt__nest_program *program = NULL;
    struct htmt__nest_moved moved;
    const htmt_wide words = capacity;
    cr_assert(!htmt__nest_file_parse("text", text, strlen(text), &file, &fault), "%s", fault.text);
    cr_assert(!htmt__nest_program_make(file, NULL, 0, 1, &program, &fault), "%s", fault.text);
    cr_assert(!htmt__nest_blocks_move(program->run[0].plan, &all, whole, &words, 1, &moved, full));
    htmt__nest_program_destroy(&program);
    htmt__nest_file_destroy(&file);
    return (long)(moved.read + moved.written);
}

/* A bound: at no capacity more than a memory moves that is smaller by the words of a body. */
static void stay_below(const char *text, long (*simulate)(unsigned, int, int), int n, int k,
                       unsigned most, unsigned step)
{
    htmt_wide full;
    for (unsigned words = 4; words <= most; words += step) {
        const long found = told(text, words, &full), wanted = simulate(words - 3, n, k);
        cr_expect(found <= wanted + wanted / 50, "%u words: %ld moved, simulated %ld", words, found,
                  wanted);
    }
}

/* Away from steps the same within 2 %. */
static void compare(const char *text, long (*simulate)(unsigned, int, int), int n, int k,
                    const unsigned *capacity, unsigned capacities)
{
    htmt_wide full;
    for (unsigned i = 0; i < capacities; i++) {
        const long found = told(text, capacity[i], &full), wanted = simulate(capacity[i], n, k);
        cr_expect(labs(found - wanted) <= wanted / 50, "%u words: %ld moved, simulated %ld",
                  capacity[i], found, wanted);
    }
}

Test(coupled, a_line_is_read_anew_below_the_words_of_one_iteration)
{
    compare(line, convolve_line, 60, 9, (const unsigned[]){4, 8, 24, 64, 200}, 5);
    stay_below(line, convolve_line, 60, 9, 200, 1);
}

Test(coupled, a_plane_is_read_once_a_row_of_the_kernel_then_once)
{
    compare(plane, convolve_plane, 24, 5, (const unsigned[]){4, 80, 120, 400, 2000}, 5);
    stay_below(plane, convolve_plane, 24, 5, 800, 37);
}
