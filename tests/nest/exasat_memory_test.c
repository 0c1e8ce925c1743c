/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two rules of traffic, ours and that of ExaSAT's authors, beside a memory that is played: of lines
 * of 64 bytes, fully associative, the least recently used one leaves, what was written goes back,
 * blocks run one after the other and find what the one before left. docs/loops.md shows the table.
 */
#include "emul/loops/bound/bound.h"
#include "emul/loops/bound/exasat.h"
#include "tests/runtime/share.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N      64 /* cells of an axis */
#define GHOST  8  /* cells around them: a line, so that rows begin with one */
#define SIDE   (N + 2 * GHOST)
#define ARRAYS 4
#define WORDS  ((size_t)ARRAYS * SIDE * SIDE * SIDE)

/* ---- a memory ----------------------------------------------------------------------------------
 */

struct memory {
    uint32_t *newer, *older; /* of each line; a ring through `lines` */
    bool *held, *dirty;
    uint32_t line; /* words */
    uint32_t lines, used, room;
    uint64_t moved; /* lines */
};

static void unlink_line(struct memory *m, uint32_t line)
{
    m->newer[m->older[line]] = m->newer[line];
    m->older[m->newer[line]] = m->older[line];
}

static void touch(struct memory *m, size_t word, bool written)
{
    const uint32_t line = (uint32_t)(word / m->line), ring = m->lines;
    if (m->held[line]) {
        unlink_line(m, line);
    } else {
        m->moved++;
        m->held[line] = true;
        m->dirty[line] = false;
        if (m->used == m->room) {
            const uint32_t last = m->newer[ring];
            unlink_line(m, last);
            m->held[last] = false;
            m->moved += m->dirty[last];
        } else {
            m->used++;
        }
    }
    m->dirty[line] = m->dirty[line] || written;
    m->older[line] = m->older[ring];
    m->newer[line] = ring;
    m->newer[m->older[ring]] = line;
    m->older[ring] = line;
}

static void make_memory(struct memory *m, size_t words, uint32_t line)
{
    *m = (struct memory){
        .line = line, .lines = (uint32_t)(WORDS / line), .room = (uint32_t)(words / line)};
    m->newer = calloc(m->lines + 1, sizeof *m->newer);
    m->older = calloc(m->lines + 1, sizeof *m->older);
    m->held = calloc(m->lines + 1, sizeof *m->held);
    m->dirty = calloc(m->lines + 1, sizeof *m->dirty);
    m->newer[m->lines] = m->older[m->lines] = m->lines;
}

static void clear_memory(struct memory *m)
{
    free(m->newer);
    free(m->older);
    free(m->held);
    free(m->dirty);
}

/* ---- loops -------------------------------------------------------------------------------------
 */

/* A reference: array, offsets, written or not. */
struct reference {
    int array, z, y, x;
    bool written;
};

struct shape {
    const char *name;
    int references;
    struct reference r[32];
    int block[3];    /* x, y, z */
    size_t capacity; /* words */
};

/* "all" of a block's cells in order, blocks in the order of the cells. */
static uint64_t play(const struct shape *s, uint32_t line_words)
{
    struct memory m;
    make_memory(&m, s->capacity, line_words);
    const int *b = s->block;
    for (int z0 = 0; z0 < N; z0 += b[2])
        for (int y0 = 0; y0 < N; y0 += b[1])
            for (int x0 = 0; x0 < N; x0 += b[0])
                for (int z = z0; z < z0 + b[2]; z++)
                    for (int y = y0; y < y0 + b[1]; y++)
                        for (int x = x0; x < x0 + b[0]; x++)
                            for (int i = 0; i < s->references; i++) {
                                const struct reference *r = &s->r[i];
                                size_t at = (size_t)(z + r->z + GHOST);
                                at = at * SIDE + (size_t)(y + r->y + GHOST);
                                at = at * SIDE + (size_t)(x + r->x + GHOST);
                                touch(&m, at + (size_t)r->array * SIDE * SIDE * SIDE, r->written);
                            }
    for (uint32_t line = 0; line < m.lines; line++)
        m.moved += m.held[line] && m.dirty[line];
    clear_memory(&m);
    return m.moved * line_words;
}

/* The same loop as a nest file. */
static void write_nests(const struct shape *s, char *text, size_t room)
{
    size_t at = (size_t)snprintf(text, room,
                                 "htmt-nests: 1\narrays:\n"
                                 "  a0: {box: [-8..71, -8..71, -8..71]}\n"
                                 "  a1: {box: [-8..71, -8..71, -8..71]}\n"
                                 "  a2: {box: [-8..71, -8..71, -8..71]}\n"
                                 "  a3: {box: [-8..71, -8..71, -8..71]}\n"
                                 "nests:\n  n:\n    loops: {k: 0..63, j: 0..63, i: 0..63}\n"
                                 "    accesses:\n");
    for (int i = 0; i < s->references; i++) {
        const struct reference *r = &s->r[i];
        at += (size_t)snprintf(text + at, room - at, "      - %s a%d[k%+d, j%+d, i%+d]\n",
                               r->written ? "write" : "read", r->array, r->z, r->y, r->x);
    }
}

struct traffic {
    double ours, theirs, played; /* words a cell */
};

static struct traffic compare(const struct shape *s, uint32_t line)
{
    struct htmt_fault fault = {0};
    struct htmt_machine *machine;
    struct htmt__bound_rates rates;
    struct htmt__nest_file *file;
    struct htmt__nest_program *program;
    struct htmt__exasat rule;
    struct htmt__exasat_request request;
    struct htmt__exasat_bound theirs;
    struct htmt__bounds ours;
    const double cells = (double)N * N * N;
    char text[4000];
    write_nests(s, text, sizeof text);
    cr_assert_eq(htmt_machine_load("exasat-sheet", NULL, 0, &machine, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__bound_rates_read(machine, &rates, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__nest_file_parse("n", text, strlen(text), &file, &fault), 0, "%s",
                 fault.text);
    cr_assert_eq(htmt__nest_program_make(file, NULL, 0, line, &program, &fault), 0, "%s",
                 fault.text);
    const struct htmt__bound_request asked = {.block = {s->block[0], s->block[1], s->block[2]},
                                              .capacity = (htmt_wide)s->capacity};
    cr_assert_eq(htmt__bound_make(program, &rates, &asked, &ours, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__exasat_make(program, &rule, &fault), 0, "%s", fault.text);
    htmt__exasat_request_of(&rates, &request);
    memcpy(request.block, asked.block, sizeof request.block);
    request.cache = (htmt_wide)s->capacity * HTMT_WORD;
    request.line = line;
    cr_assert_eq(htmt__exasat_bound(&rule, &rule.loop[0], &request, &theirs), 0);
    struct traffic found = {(double)ours.bytes / HTMT_WORD / cells,
                            htmt__nest_value(theirs.bytes) / HTMT_WORD / cells,
                            (double)play(s, line) / cells};
    htmt__bound_clear(&ours);
    htmt__exasat_clear(&rule);
    htmt__nest_program_destroy(&program);
    htmt__nest_file_destroy(&file);
    htmt_machine_destroy(&machine);
    return found;
}

#define R(z, y, x)                                                                                 \
    {                                                                                              \
        0, z, y, x, false                                                                          \
    }
#define W                                                                                          \
    {                                                                                              \
        1, 0, 0, 0, true                                                                           \
    }

#define SEVEN R(-1, 0, 0), R(0, -1, 0), R(0, 0, -1), R(0, 0, 0), R(0, 0, 1), R(0, 1, 0), R(1, 0, 0)
#define ROWS                                                                                       \
    R(0, -4, 0), R(0, -3, 0), R(0, -2, 0), R(0, -1, 0), R(0, 1, 0), R(0, 2, 0), R(0, 3, 0),        \
        R(0, 4, 0)
#define PLANES                                                                                     \
    R(-4, 0, 0), R(-3, 0, 0), R(-2, 0, 0), R(-1, 0, 0), R(1, 0, 0), R(2, 0, 0), R(3, 0, 0),        \
        R(4, 0, 0)
#define LINES                                                                                      \
    R(0, 0, -4), R(0, 0, -3), R(0, 0, -2), R(0, 0, -1), R(0, 0, 1), R(0, 0, 2), R(0, 0, 3),        \
        R(0, 0, 4)
#define WHOLE                                                                                      \
    {                                                                                              \
        64, 64, 64                                                                                 \
    }

static const struct shape shapes[] = {
    {"7 points, planes fit", 8, {SEVEN, W}, WHOLE, 24000},
    {"7 points, planes nearly fit", 8, {SEVEN, W}, WHOLE, 16500},
    {"7 points, rows fit", 8, {SEVEN, W}, WHOLE, 4000},
    {"7 points, 16 x 16, planes fit", 8, {SEVEN, W}, {16, 16, 64}, 4000},
    {"7 points, 4 x 4, planes fit", 8, {SEVEN, W}, {4, 4, 64}, 1000},
    {"k - 4 .. k + 4 but k, planes fit", 9, {PLANES, W}, WHOLE, 60000},
    {"j - 4 .. j + 4 but j, rows nearly fit", 9, {ROWS, W}, WHOLE, 700},
    {"j - 4 .. j + 4 but j, no row fits", 9, {ROWS, W}, WHOLE, 500},
    {"25 points, planes nearly fit", 26, {PLANES, ROWS, LINES, R(0, 0, 0), W}, WHOLE, 46000},
    {"k + 1 .. k + 4, planes fit",
     5,
     {R(1, 0, 0), R(2, 0, 0), R(3, 0, 0), R(4, 0, 0), W},
     WHOLE,
     60000},
};

Test(exasat_memory, our_rule_moves_what_a_played_memory_moves_and_theirs_is_no_nearer)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i += only_memory() ? 4 : 1)
        for (uint32_t line = 1; line <= 8; line += 7) {
            const struct shape *s = &shapes[i];
            const struct traffic t = compare(s, line);
            printf("%-38s %5zu words, lines of %2u B: ours %.4f, theirs %.4f, played %.4f\n",
                   s->name, s->capacity, 8 * line, t.ours, t.theirs, t.played);
            cr_expect(fabs(t.ours - t.played) <= fabs(t.theirs - t.played) + 1e-9, "%s", s->name);
            cr_expect_float_eq(t.ours, t.played, 0.003 * t.played, "%s", s->name);
        }
}
