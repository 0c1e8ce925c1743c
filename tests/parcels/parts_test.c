/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * A kernel in parts: called once for each, on whatever thread.
 */
#include "tests/parcels/world.h"

#define PARTS   5u
#define ROWS    13u
#define COLUMNS 40u
#define MATRIX  (ROWS * COLUMNS * sizeof(uint32_t))

struct notes {
    uint32_t rows[PARTS], calls[PARTS];
};

/* Turns its rows round and adds one; counts three cycles a row and one more a part. */
static void turn_rows(struct htmt_kernel *k)
{
    uint32_t part = htmt_kernel_part(k), *matrix = htmt_bytes(k, 0);
    uint32_t first = part * ROWS / PARTS, end = (part + 1) * ROWS / PARTS;
    for (uint32_t row = first; row < end; row++)
        for (uint32_t i = 0, *at = matrix + row * COLUMNS; i < COLUMNS / 2; i++) {
            uint32_t kept = at[i] + 1;
            at[i] = at[COLUMNS - 1 - i] + 1;
            at[COLUMNS - 1 - i] = kept;
        }
    htmt_count(k, HTMT_CYCLE, 3 * (end - first) + 1);
}

/* And notes it in the result. */
static void turn(struct htmt_kernel *k)
{
    uint32_t part = htmt_kernel_part(k);
    struct notes *notes = htmt_kernel_result(k);
    notes->rows[part] = (part + 1) * ROWS / PARTS - part * ROWS / PARTS;
    notes->calls[part]++;
    turn_rows(k);
}

COST(cost, ops->n[HTMT_CYCLE] = 3 * ROWS + PARTS)

static void look(struct htmt_context *c)
{
    const struct notes *n = htmt_result(c);
    for (uint32_t i = 0; i < PARTS; i++) {
        cr_assert_eq(n->calls[i], 1);
        cr_assert_eq(n->rows[i], (i + 1) * ROWS / PARTS - i * ROWS / PARTS);
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

struct found {
    htmt_time time;
    uint64_t history;
    uint32_t matrix[3][ROWS * COLUMNS];
};

static struct htmt_type_desc turning(void)
{
    return (struct htmt_type_desc){.name = "turning",
                                   .home = "dram",
                                   .exec = "cram",
                                   .execute = {.kernel = turn, .parts = PARTS},
                                   .result_bytes = sizeof(struct notes)};
}

/* Three matrices, each of them a parcel that brings it or makes it. */
static void run(struct htmt_type_desc type, struct htmt_options options, bool brings,
                struct found *found)
{
    struct world_spec s = world_plain(1);
    struct world w = world_open(&s, options);
    struct htmt_type *t = world_type(&w, type);
    struct htmt_object *o;
    for (uint32_t n = 0; n < 3; n++)
        for (uint32_t i = 0; i < ROWS * COLUMNS; i++)
            found->matrix[n][i] = n + i * i;
    cr_assert_eq(htmt_object_wrap(w.e, 0, DRAM, found->matrix, sizeof found->matrix,
                                  sizeof found->matrix / 8, "matrices", &o),
                 0);
    for (uint32_t i = 0; i < 3; i++) {
        struct htmt_region r = {.to = htmt_in(o, i * MATRIX), .bytes = MATRIX};
        if (brings)
            r.from = r.to;
        START(&w, .type = t, .regions = &r, .region_count = 1);
    }
    found->time = world_run(&w);
    found->history = htmt_history_hash(w.e);
    world_close(&w);
}

static void check(const struct found *f, bool brings)
{
    for (uint32_t n = 0; n < 3; n++)
        for (uint32_t i = 0; i < ROWS * COLUMNS; i++) {
            uint32_t row = i / COLUMNS, mirror = row * COLUMNS + COLUMNS - 1 - i % COLUMNS;
            cr_assert_eq(f->matrix[n][i], brings ? n + mirror * mirror + 1 : 1);
        }
}

static void check_all(struct htmt_type_desc type)
{
    for (int brings = 0; brings < 2; brings++) {
        struct found first, other;
        run(type, (struct htmt_options){.threads = 1}, brings, &first);
        check(&first, brings);
        for (unsigned threads = 2; threads <= 4; threads++)
            for (unsigned kind = 0; kind < 3; kind++) {
                run(type,
                    (struct htmt_options){.threads = threads,
                                          .checked = kind == 1,
                                          .delay_seed = kind == 2 ? threads : 0},
                    brings, &other);
                check(&other, brings);
                cr_assert_eq(other.time, first.time);
                cr_assert_eq(other.history, first.history);
            }
    }
}

Test(parts, each_is_called_once_and_their_counts_are_added)
{
    struct htmt_type_desc type = turning();
    struct found counted, known;
    type.execute.control = look;
    type.execute.steered = true;
    check_all(type);
    run(type, (struct htmt_options){.threads = 2}, true, &counted);
    type.execute.kernel = NULL;
    type.execute.control = NULL;
    type.execute.steered = false;
    type.execute.cost = cost;
    run(type, (struct htmt_options){.threads = 2}, true, &known);
    cr_assert_eq(counted.time, known.time);
}

Test(parts, a_kernel_that_nobody_waits_for_may_have_them_too)
{
    struct htmt_type_desc type = turning();
    type.execute.cost = cost;
    check_all(type);
    type.execute.kernel = turn_rows;
    type.result_bytes = 0; /* then gather, kernel and scatter are one job */
    check_all(type);
}

Test(parts, more_than_anyone_needs_are_refused)
{
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .threads = 1);
    struct htmt_type_desc type = turning();
    struct htmt_type *t;
    type.execute.parts = 65;
    cr_assert_eq(htmt_type_create(w.e, &type, &t), HTMT_EINVAL);
    cr_assert_str_eq(htmt_emulator_fault(w.e)->text,
                     "type turning: a kernel in more than 64 parts");
    world_close(&w);
}
