/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program is a list of passes over blocks; block i belongs to tasklet i modulo their
 * number. A barrier ends a pass.
 */
#include "emul/validate/pim/programs.h"

#include "runtime/base/wide.h"

#include <stdio.h>
#include <string.h>

#define BLOCK      1024 /* bytes, of the PrIM programs */
#define PASSES_MAX 2
#define COLUMNS    64 /* of a row of gemv: with more, its transfers would pass what the bus can do */
#define WORD       4  /* bytes of a word of the micro program */
#define STRIDE     64  /* words from block to block of its copies */
#define COPIED     64  /* bytes of a block that it copies */
#define BINS       256 /* of hst-s */
#define ALIGN      8

/* Instructions of the micro program. */
enum { A_WORD = 5, A_BLOCK = 5, A_REPETITION = 4 };

struct pass {
    unsigned reads;         /* blocks that are read for one that is computed on */
    unsigned share, shares; /* of the constant */
    unsigned written, of;   /* share of the block that is written; 0: none */
    bool in_turn;           /* tasklets pass a value on, block by block */
    const char *operations; /* of an element, for the column without a constant */
};

struct program {
    const char *name;
    unsigned bytes, columns; /* of an element; elements of one of SIZE */
    unsigned block;          /* bytes */
    unsigned passes;
    struct pass pass[PASSES_MAX];
};

static const struct program programs[] = {
    {"VA", 4, 1, BLOCK, 1, {{2, 1, 1, 1, 1, false, "load load add-i32 store branch"}}},
    {"GEMV",
     4,
     COLUMNS,
     4 * COLUMNS,
     1,
     {{2, 1, 1, 1, 32, false, "load load mul-i32 add-i32 branch"}}},
    {"RED", 8, 1, BLOCK, 1, {{1, 1, 1, 0, 1, false, "load add-i64 branch"}}},
    {"SEL", 8, 1, BLOCK, 1, {{1, 1, 1, 1, 2, true, "load logic-i64 compare-i64 store branch"}}},
    {"UNI", 8, 1, BLOCK, 1, {{1, 1, 1, 1, 2, true, "load compare-i64 store branch"}}},
    {"SCAN-SSA",
     8,
     1,
     BLOCK,
     2,
     {{1, 1, 2, 1, 1, true, "load add-i64 store branch"},
      {1, 1, 2, 1, 1, false, "load add-i64 store branch"}}},
    {"SCAN-RSS",
     8,
     1,
     BLOCK,
     2,
     {{1, 1, 3, 0, 1, false, "load add-i64 branch"},
      {1, 2, 3, 1, 1, true, "load add-i64 store branch"}}},
    {"HST-S",
     4,
     1,
     BLOCK,
     1,
     {{1, 1, 1, 0, 1, false, "load logic-i32 load add-i32 store branch"}}}};

#define PROGRAMS ((int)(sizeof programs / sizeof *programs))

#define CONSTANTS(program)                                                                         \
    {.key = program ".instructions", .kind = HTMT_UNIT_SHARE, .least = 0, .above_least = true},    \
    {                                                                                              \
        .key = program ".start", .kind = HTMT_UNIT_TIME                                            \
    }

const struct htmt_schema_row htmt__pim_cost_rows[] = {
    CONSTANTS("va"),       CONSTANTS("gemv"),  CONSTANTS("red"),
    CONSTANTS("sel"),      CONSTANTS("uni"),   CONSTANTS("scan-ssa"),
    CONSTANTS("scan-rss"), CONSTANTS("hst-s"), {.key = NULL}};

int htmt__pim_program(const char *name)
{
    for (int i = 0; i < PROGRAMS; i++)
        if (strcmp(programs[i].name, name) == 0)
            return i;
    return -1;
}

const char *htmt__pim_program_name(int program)
{
    return program >= 0 && program < PROGRAMS ? programs[program].name : NULL;
}

static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; *at; at += strspn(at, " ")) {
        size_t here = strcspn(at, " ");
        if (here == length && strncmp(at, word, length) == 0)
            return true;
        at += here;
    }
    return false;
}

bool htmt__pim_counts(const char *operation)
{
    for (int i = 0; i < PROGRAMS; i++)
        for (unsigned p = 0; p < programs[i].passes; p++)
            if (has_word(programs[i].pass[p].operations, operation))
                return true;
    return false;
}

struct htmt__pim_constants htmt__pim_constants(const struct htmt_costs *costs, int program)
{
    const struct htmt_schema_row *row = &htmt__pim_cost_rows[2 * program];
    return (struct htmt__pim_constants){htmt_costs_ratio(costs, row[0].key),
                                        (htmt_time)htmt_costs_whole(costs, row[1].key)};
}

/* ---- instructions --------------------------------------------------------------------------- */

/* n of them at a ratio each, to the nearest whole one. */
static uint64_t times(struct htmt_ratio each, uint64_t n)
{
    htmt_time all = htmt_charge_time(each, n);
    return all > 0 ? (uint64_t)all : 0;
}

static int find_row(const struct htmt__bank_host *machine, const char *name, size_t length,
                    struct htmt_ratio *count, struct htmt_fault *fault)
{
    for (uint32_t i = 0; i < machine->instruction_count; i++) {
        const struct htmt__instruction_row *row = &machine->instruction[i];
        if (strlen(row->name) != length || strncmp(row->name, name, length) != 0)
            continue;
        *count = row->count;
        return 0;
    }
    return htmt_fault_set(fault, HTMT_ENOENT,
                          "operation '%.*s' has no row in the machine's table of instructions",
                          (int)length, name);
}

/* Instructions of the typed operations of n elements. */
static int typed(const struct htmt__bank_host *machine, const char *operations, uint64_t n,
                 uint64_t *instructions, struct htmt_fault *fault)
{
    struct htmt_ratio each = {0, 1};
    int rc = 0;
    *instructions = 0;
    for (const char *at = operations; *at && !rc; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        rc = find_row(machine, at, length, &each, fault);
        *instructions += rc ? 0 : times(each, n);
        at += length;
    }
    return rc;
}

/* ---- passes --------------------------------------------------------------------------------- */

struct making {
    const struct htmt__bank_host *machine;
    const struct program *program;
    const struct htmt__pim_constants *constants; /* NULL: typed operations */
    struct htmt_fault *fault;
};

static uint64_t aligned(uint64_t bytes)
{
    return htmt_ceil_div(bytes, ALIGN) * ALIGN;
}

static int instructions_of(const struct making *m, const struct pass *pass, uint64_t elements,
                           uint64_t *instructions)
{
    if (!m->constants)
        return typed(m->machine, pass->operations, elements, instructions, m->fault);
    *instructions = times(m->constants->instructions, elements * pass->share) / pass->shares;
    return 0;
}

static void put(struct htmt__play_loop *loop, enum htmt__play_kind kind, uint64_t amount)
{
    loop->step[loop->steps++] = (struct htmt__play_step){kind, amount};
}

/* Blocks of `elements` each, so many times. */
static int put_blocks(const struct making *m, const struct pass *pass, uint64_t count,
                      uint64_t elements, struct htmt__tasklet *k)
{
    struct htmt__play_loop *loop = &k->loop[k->loops++];
    uint64_t bytes = aligned(elements * m->program->bytes), issued;
    int rc = instructions_of(m, pass, elements, &issued);
    loop->times = count;
    for (unsigned i = 0; i < pass->reads; i++)
        put(loop, HTMT__PLAY_READ, bytes);
    put(loop, HTMT__PLAY_ISSUE, issued);
    if (pass->in_turn) {
        put(loop, HTMT__PLAY_AWAIT, 0);
        put(loop, HTMT__PLAY_SIGNAL, 0);
    }
    if (pass->written)
        put(loop, HTMT__PLAY_WRITE, aligned(bytes * pass->written / pass->of));
    return rc;
}

static int put_pass(const struct making *m, const struct pass *pass, uint64_t elements, unsigned t,
                    struct htmt__tasklet *k)
{
    uint64_t block = m->program->block / m->program->bytes, full = elements / block,
             rest = elements % block;
    uint64_t mine = (full + HTMT__PIM_TASKLETS - 1 - t) / HTMT__PIM_TASKLETS;
    int rc = mine ? put_blocks(m, pass, mine, block, k) : 0;
    if (!rc && rest && full % HTMT__PIM_TASKLETS == t)
        rc = put_blocks(m, pass, 1, rest, k);
    struct htmt__play_loop *end = &k->loop[k->loops++];
    end->times = 1;
    put(end, HTMT__PLAY_BARRIER, 0);
    return rc;
}

int htmt__pim_kernel(const struct htmt__bank_host *machine, int program,
                     const struct htmt__pim_constants *constants, uint32_t dpus, uint64_t size,
                     htmt_time *time, struct htmt_fault *fault)
{
    const struct making m = {machine, &programs[program], constants, fault};
    struct htmt__tasklet k[HTMT__PIM_TASKLETS] = {0};
    struct htmt__play_result played;
    uint64_t elements;
    int rc = 0;
    if (__builtin_mul_overflow(htmt_ceil_div(size, dpus), m.program->columns, &elements) ||
        elements > UINT32_MAX)
        return htmt_fault_set(fault, HTMT_ERANGE, "%llu elements are too many",
                              (unsigned long long)size);
    for (unsigned t = 0; t < HTMT__PIM_TASKLETS; t++)
        for (unsigned p = 0; p < m.program->passes && !rc; p++)
            rc = put_pass(&m, &m.program->pass[p], elements, t, &k[t]);
    if (!rc)
        rc = htmt__pim_play(machine, k, HTMT__PIM_TASKLETS, &played, fault);
    if (!rc && __builtin_add_overflow(played.end, constants ? constants->start : 0, time))
        rc = htmt_fault_set(fault, HTMT_EOVERFLOW, "virtual time overflows");
    return rc;
}

/* ---- copies --------------------------------------------------------------------------------- */

static uint64_t dealt(uint64_t n, uint32_t among, uint32_t t)
{
    return (n + among - 1 - t) / among;
}

/* Repetitions follow each other without a barrier. */
static void put_scratch_copy(struct htmt__tasklet *k, uint64_t words, uint64_t repetitions)
{
    k->loops = 1;
    k->loop[0].times = repetitions;
    put(&k->loop[0], HTMT__PLAY_ISSUE, A_WORD * words + A_REPETITION);
}

static void put_bank_copy(struct htmt__tasklet *k, uint64_t blocks)
{
    k->loops = 2;
    k->loop[0].times = blocks;
    put(&k->loop[0], HTMT__PLAY_READ, COPIED);
    put(&k->loop[0], HTMT__PLAY_ISSUE, A_BLOCK);
    put(&k->loop[0], HTMT__PLAY_WRITE, COPIED);
    k->loop[1].times = 1;
    put(&k->loop[1], HTMT__PLAY_ISSUE, A_REPETITION);
}

int htmt__pim_copy(const struct htmt__bank_host *machine, bool bank, uint32_t tasklets,
                   uint64_t words, uint64_t repetitions, htmt_time *time, struct htmt_fault *fault)
{
    struct htmt__tasklet k[HTMT__ISSUE_THREADS_MAX] = {0};
    struct htmt__play_result played;
    uint32_t count = tasklets <= HTMT__ISSUE_THREADS_MAX ? tasklets : 0;
    for (uint32_t t = 0; t < count && bank; t++)
        put_bank_copy(&k[t], dealt(htmt_ceil_div(words, STRIDE), tasklets, t));
    for (uint32_t t = 0; t < count && !bank; t++)
        put_scratch_copy(&k[t], dealt(words, tasklets, t), repetitions);
    for (uint32_t t = 0; t < count; t++)
        k[t].rounds = bank ? repetitions : 1;
    int rc = htmt__pim_play(machine, k, tasklets, &played, fault);
    if (!rc)
        *time = played.end;
    return rc;
}

/* ---- transfers ------------------------------------------------------------------------------ */

struct transfers {
    const struct htmt__bus *bus;
    const struct program *program;
    uint32_t dpus;
    uint64_t size, bytes; /* of a DPU's part */
    bool *held;
};

static htmt_time sum(htmt_time a, htmt_time b)
{
    htmt_time s;
    return a < 0 || b < 0 || __builtin_add_overflow(a, b, &s) ? -1 : s;
}

static htmt_time bus(const struct transfers *t, enum htmt__bus_mode mode, enum htmt__bus_way way,
                     uint64_t bytes)
{
    uint32_t slices = mode == HTMT__SERIAL ? 1 : t->dpus;
    htmt_time one =
                  htmt__bus_time(t->bus, HTMT__TO_BANK, mode, way, slices, aligned(bytes), t->held),
              all;
    uint32_t times_of = mode == HTMT__SERIAL ? t->dpus : 1;
    return one < 0 || __builtin_mul_overflow(one, times_of, &all) ? -1 : all;
}

static bool is(const struct transfers *t, const char *name)
{
    return strcmp(t->program->name, name) == 0;
}

static htmt_time to_dpus(const struct transfers *t)
{
    htmt_time data = bus(t, HTMT__PARALLEL, HTMT__TO_SLICES, t->bytes);
    if (is(t, "VA"))
        return sum(data, data);
    if (is(t, "GEMV"))
        return sum(data,
                   bus(t, HTMT__BROADCAST, HTMT__TO_SLICES, (uint64_t)COLUMNS * t->program->bytes));
    return data;
}

static htmt_time from_dpus(const struct transfers *t)
{
    if (is(t, "SEL") || is(t, "UNI"))
        return bus(t, HTMT__SERIAL, HTMT__FROM_SLICES, t->bytes / 2);
    if (is(t, "RED"))
        return bus(t, HTMT__SERIAL, HTMT__FROM_SLICES, ALIGN);
    if (is(t, "HST-S"))
        return bus(t, HTMT__PARALLEL, HTMT__FROM_SLICES, (uint64_t)BINS * t->program->bytes);
    return bus(t, HTMT__PARALLEL, HTMT__FROM_SLICES, t->bytes / t->program->columns);
}

/* The host fetches a value of each DPU and gives each the sum before it. */
static htmt_time between_dpus(const struct transfers *t)
{
    return sum(bus(t, HTMT__SERIAL, HTMT__FROM_SLICES, ALIGN),
               bus(t, HTMT__PARALLEL, HTMT__TO_SLICES, ALIGN));
}

htmt_time htmt__pim_transfer(const struct htmt__bank_host *machine, int program, const char *part,
                             uint32_t dpus, uint64_t size, bool *held)
{
    struct transfers t = {.bus = &machine->figures,
                          .program = &programs[program],
                          .dpus = dpus,
                          .size = size,
                          .held = held};
    t.bytes = htmt_ceil_div(size, dpus) * t.program->bytes * t.program->columns;
    return !strcmp(part, "cpu-to-dpu")   ? to_dpus(&t)
           : !strcmp(part, "dpu-to-cpu") ? from_dpus(&t)
                                         : between_dpus(&t);
}
