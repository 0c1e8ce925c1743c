/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/node/tape/tape.h"

#include "runtime/base/error.h"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A function of two blocks: a loop whose sum waits for its own addition. */
static const struct htmt__tape_op ops[] = {{HTMT_MUL, HTMT_F64, 1},
                                           {HTMT_ADD, HTMT_F64, 1},
                                           {HTMT_MUL, HTMT_F64, 1},
                                           {HTMT_OPERATIONS, 0, 2}};
static const struct htmt__tape_link links[] = {{HTMT_ADD, HTMT_F64, 0, 1},
                                               {HTMT_OPERATIONS, 0, 1, 1}};
static const struct htmt__tape_chain chains[] = {{0, 2}};
/* The sum, two loads, their product, the new sum, the jump. */
static const struct htmt__tape_step steps[] = {
    {HTMT__STEP_CHOICE, 0, 1, 0, 4}, {HTMT__STEP_LOAD, 0, 1, 4, 0},
    {HTMT__STEP_LOAD, 0, 1, 4, 0},   {HTMT_MUL, HTMT_F64, 1, 4, 2},
    {HTMT_ADD, HTMT_F64, 1, 6, 2},   {HTMT__STEP_BRANCH, 0, 1, 8, 0}};
static const uint32_t sources[] = {0, HTMT__TAPE_NO_STEP, 1, 4, 1, 2, 0, 3};
static const struct htmt__tape_function functions[] = {{"ddot", "ddot.c", 7}};
static const struct htmt__tape_block blocks[] = {
    {.function = 0, .instructions = 1, .end = HTMT__END_FALL},
    {.code = 4,
     .instructions = 6,
     .ops = 2,
     .wait = 2,
     .waits = 2,
     .chains = 1,
     .loop_end = 1,
     .steps = 6,
     .accesses = 2,
     .end = HTMT__END_CONDITION}};
static const struct htmt__tape_program program = {.blocks = blocks,
                                                  .ops = ops,
                                                  .chains = chains,
                                                  .links = links,
                                                  .steps = steps,
                                                  .sources = sources,
                                                  .functions = functions,
                                                  .block_count = 2,
                                                  .op_count = 4,
                                                  .chain_count = 1,
                                                  .link_count = 2,
                                                  .step_count = 6,
                                                  .source_count = 8,
                                                  .function_count = 1};

/* Turn i: the block, loads at 8 i and 65536 + 8 i. */
static void play(struct htmt__tape_writer *w, uint64_t turns)
{
    htmt__tape_put(w, htmt__tape_entry(HTMT__TAPE_BLOCK, 0, 0));
    for (uint64_t i = 0; i < turns; i++) {
        htmt__tape_put(w, htmt__tape_entry(HTMT__TAPE_BLOCK, 0, 1));
        htmt__tape_put(w, htmt__tape_entry(HTMT__TAPE_LOAD, 8, 8 * i));
        htmt__tape_put(w, htmt__tape_entry(HTMT__TAPE_LOAD, 8, 65536 + 8 * i));
    }
    htmt__tape_put(w, htmt__tape_entry(HTMT__TAPE_END, 0, 0));
}

static struct htmt__tape *recorded(uint64_t turns)
{
    struct htmt__tape *t = NULL;
    struct htmt__tape_writer w;
    const struct htmt__tape_region x = {"x", 0, 8 * turns};
    cr_assert_eq(htmt__tape_new(&t, &program), 0);
    cr_assert_eq(htmt__tape_open(&w, htmt__tape_append, t), 0);
    play(&w, turns);
    cr_assert_eq(htmt__tape_close(&w), 0);
    cr_assert_eq(htmt__tape_add_region(t, &x), 0);
    return t;
}

static uint64_t entry_at(const struct htmt__tape *t, uint64_t i)
{
    size_t n = 0;
    const uint64_t *chunk = htmt__tape_chunk(t, (size_t)(i / HTMT__TAPE_CHUNK), &n);
    cr_assert_not_null(chunk);
    cr_assert_lt(i % HTMT__TAPE_CHUNK, n);
    return chunk[i % HTMT__TAPE_CHUNK];
}

/* ---- memory ---------------------------------------------------------------------------------- */

Test(tape, an_entry_gives_back_kind_width_and_address)
{
    const uint64_t e = htmt__tape_entry(HTMT__TAPE_STORE, 255, HTMT__TAPE_ADDRESS);
    cr_expect_eq(htmt__tape_kind(e), HTMT__TAPE_STORE);
    cr_expect_eq(htmt__tape_width(e), 255);
    cr_expect_eq(htmt__tape_address(e), HTMT__TAPE_ADDRESS);
}

Test(tape, what_was_written_is_read_in_order_however_many_chunks_it_takes)
{
    const uint64_t turns = 10000;
    struct htmt__tape *t = recorded(turns);
    cr_assert_eq(htmt__tape_entries(t), 3 * turns + 2);
    for (uint64_t i = 0; i < turns; i++) {
        cr_assert_eq(htmt__tape_address(entry_at(t, 3 * i + 2)), 8 * i);
        cr_assert_eq(htmt__tape_address(entry_at(t, 3 * i + 3)), 65536 + 8 * i);
    }
    htmt__tape_free(t);
}

Test(tape, chunks_are_full_but_for_the_last_and_end_with_none)
{
    struct htmt__tape *t = recorded(HTMT__TAPE_CHUNK);
    uint64_t sum = 0;
    size_t n = 0, i = 0;
    for (; htmt__tape_chunk(t, i, &n); i++) {
        sum += n;
        cr_expect(n == HTMT__TAPE_CHUNK || sum == htmt__tape_entries(t));
    }
    cr_expect_eq(sum, htmt__tape_entries(t));
    cr_expect_eq(i, 4);
    htmt__tape_free(t);
}

struct counter {
    unsigned calls, fails_at;
};

static int count(void *user, const uint64_t *entries, size_t n)
{
    struct counter *c = user;
    (void)entries;
    cr_assert_leq(n, HTMT__TAPE_CHUNK);
    return ++c->calls == c->fails_at ? HTMT_EOVERFLOW : 0;
}

Test(tape, a_sink_that_fails_is_not_called_again_and_its_code_is_kept)
{
    struct counter c = {.fails_at = 2};
    struct htmt__tape_writer w;
    cr_assert_eq(htmt__tape_open(&w, count, &c), 0);
    play(&w, 5 * HTMT__TAPE_CHUNK);
    cr_expect_eq(htmt__tape_close(&w), HTMT_EOVERFLOW);
    cr_expect_eq(c.calls, 2);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void expect_same(const struct htmt__tape *a, const struct htmt__tape *b)
{
    const struct htmt__tape_region *ra, *rb;
    cr_assert_eq(htmt__tape_entries(a), htmt__tape_entries(b));
    for (uint64_t i = 0; i < htmt__tape_entries(a); i++)
        cr_assert_eq(entry_at(a, i), entry_at(b, i));
    cr_assert_eq(htmt__tape_regions(a, &ra), htmt__tape_regions(b, &rb));
    cr_expect_arr_eq(ra, rb, sizeof *ra);
    cr_expect_eq(htmt__tape_build(htmt__tape_program(a)), htmt__tape_build(htmt__tape_program(b)));
}

Test(tape, a_file_gives_back_program_regions_and_entries)
{
    struct place p = place("tape");
    char error[300] = "";
    struct htmt__tape *t = recorded(9000), *back = NULL;
    cr_assert_eq(htmt__tape_save(t, p.path, error, sizeof error), 0, "%s", error);
    cr_assert_eq(htmt__tape_load(&back, p.path, htmt__tape_build(&program), error, sizeof error), 0,
                 "%s", error);
    expect_same(t, back);
    const struct htmt__tape_program *q = htmt__tape_program(back);
    cr_expect_str_eq(q->functions[0].name, "ddot");
    cr_expect_str_eq(q->functions[0].file, "ddot.c");
    cr_expect_eq(q->functions[0].line, 7);
    cr_expect_eq(q->blocks[1].loop_end, 1);
    cr_expect_eq(q->blocks[1].end, HTMT__END_CONDITION);
    cr_expect_eq(q->links[1].operation, HTMT_OPERATIONS);
    cr_expect_eq(q->links[1].access, 1);
    cr_expect_eq(q->blocks[1].steps, 6);
    cr_expect_arr_eq(q->steps, steps, sizeof steps);
    cr_expect_arr_eq(q->sources, sources, sizeof sources);
    htmt__tape_free(t);
    htmt__tape_free(back);
    place_clear(&p);
}

static void expect_refused(const char *path, uint64_t build, const char *words)
{
    struct htmt__tape *back = NULL;
    char error[300] = "";
    cr_expect_eq(htmt__tape_load(&back, path, build, error, sizeof error), HTMT_EFORMAT);
    cr_expect_null(back);
    cr_expect(strstr(error, words), "'%s' has no '%s'", error, words);
    cr_expect(strstr(error, path), "'%s' does not name the file", error);
}

static void save(const struct place *p, uint64_t turns)
{
    char error[300] = "";
    struct htmt__tape *t = recorded(turns);
    cr_assert_eq(htmt__tape_save(t, p->path, error, sizeof error), 0, "%s", error);
    htmt__tape_free(t);
}

static void overwrite(const char *path, long at, char byte)
{
    FILE *f = fopen(path, "r+b");
    cr_assert_not_null(f);
    fseek(f, at, at < 0 ? SEEK_END : SEEK_SET);
    fwrite(&byte, 1, 1, f);
    fclose(f);
}

Test(tape, half_a_file_is_refused_with_both_sizes)
{
    struct place p = place("tape");
    save(&p, 100);
    cr_assert_eq(truncate(p.path, 1000), 0);
    expect_refused(p.path, 0, "found 1000 bytes, expected");
    cr_assert_eq(truncate(p.path, 10), 0);
    expect_refused(p.path, 0, "no tape");
    place_clear(&p);
}

/* A tape whose program differs from the good one in one step and one source. */
static void save_other(const struct place *p, uint32_t step, struct htmt__tape_step as,
                       uint32_t source, uint32_t number)
{
    struct htmt__tape_step other_steps[6];
    uint32_t other_sources[8];
    char error[300] = "";
    struct htmt__tape_program other = program;
    struct htmt__tape *t = NULL;
    memcpy(other_steps, steps, sizeof steps);
    memcpy(other_sources, sources, sizeof sources);
    other_steps[step] = as;
    other_sources[source] = number;
    other.steps = other_steps;
    other.sources = other_sources;
    cr_assert_eq(htmt__tape_new(&t, &other), 0);
    cr_assert_eq(htmt__tape_save(t, p->path, error, sizeof error), 0, "%s", error);
    htmt__tape_free(t);
}

static void expect_wrong(uint32_t step, struct htmt__tape_step as, uint32_t source, uint32_t number,
                         const char *words)
{
    struct place p = place("tape");
    save_other(&p, step, as, source, number);
    expect_refused(p.path, 0, words);
    place_clear(&p);
}

/* The compiler may make no operation of a line of the IR on vectors; of others it makes one. */
Test(tape, a_step_on_vectors_may_have_no_operations)
{
    struct place p = place("tape");
    char error[300] = "";
    struct htmt__tape *back = NULL;
    save_other(&p, 3, (struct htmt__tape_step){HTMT_MUL, HTMT_F64X4, 0, 4, 1}, 0, sources[0]);
    cr_expect_eq(htmt__tape_load(&back, p.path, 0, error, sizeof error), 0, "%s", error);
    htmt__tape_free(back);
    place_clear(&p);
    expect_wrong(3, (struct htmt__tape_step){HTMT_MUL, HTMT_F64, 0, 4, 1}, 0, 0, "type is unknown");
    expect_wrong(0, (struct htmt__tape_step){HTMT__STEP_CHOICE, HTMT_F64X4, 0, 0, 4}, 0, 0,
                 "type is unknown");
}

Test(tape, steps_that_lead_nowhere_are_refused)
{
    const struct htmt__tape_step load = {HTMT__STEP_LOAD, 0, 1, 4, 0};
    expect_wrong(0, steps[0], 2, 2, "a step's source is unknown");
    expect_wrong(0, steps[0], 3, 6, "a step's source is unknown");
    expect_wrong(0, steps[0], 4, HTMT__TAPE_NO_STEP, "a step's source is unknown");
    expect_wrong(3, load, 0, 0, "a block has steps for other accesses");
    expect_wrong(3, (struct htmt__tape_step){HTMT__STEPS, 0, 1, 4, 2}, 0, 0, "type is unknown");
    expect_wrong(3, (struct htmt__tape_step){HTMT__STEP_CHOICE, 0, 1, 4, 2}, 0, 0,
                 "a choice stands behind other steps");
    expect_wrong(0, (struct htmt__tape_step){HTMT__STEP_CHOICE, 0, 1, 0, 3}, 0, 0, "half a source");
    expect_wrong(3, (struct htmt__tape_step){HTMT_MUL, HTMT_F64, 1, 4, 5}, 0, 0,
                 "a step's sources lie beyond");
}

Test(tape, another_version_another_program_and_a_damaged_entry_are_refused)
{
    struct place p = place("tape");
    save(&p, 100);
    expect_refused(p.path, 1, "expected program 0000000000000001");
    overwrite(p.path, 8, 9);
    expect_refused(p.path, 0, "a tape of version 9, expected version 7");
    overwrite(p.path, 8, 7);
    overwrite(p.path, -24, 77);
    expect_refused(p.path, 0, "damaged");
    overwrite(p.path, -9, (char)0xf0);
    expect_refused(p.path, 0, "unknown kind");
    overwrite(p.path, 0, 'x');
    expect_refused(p.path, 0, "no tape");
    place_clear(&p);
}

/* ---- lackey ---------------------------------------------------------------------------------- */

Test(tape, a_modify_of_lackey_is_a_load_and_a_store_at_one_place)
{
    struct place p = place("tape");
    struct htmt__tape *t = NULL;
    char error[300] = "";
    place_put(&p, "tape", "==12== Lackey\nI  04016b80,3\n L 1ffefffe7c,4\n S 10,8\n M 20,2\n");
    cr_assert_eq(htmt__tape_load_lackey(&t, p.path, error, sizeof error), 0, "%s", error);
    const uint64_t want[] = {htmt__tape_entry(HTMT__TAPE_FETCH, 3, 0x04016b80),
                             htmt__tape_entry(HTMT__TAPE_LOAD, 4, 0x1ffefffe7c),
                             htmt__tape_entry(HTMT__TAPE_STORE, 8, 0x10),
                             htmt__tape_entry(HTMT__TAPE_LOAD, 2, 0x20),
                             htmt__tape_entry(HTMT__TAPE_STORE, 2, 0x20),
                             htmt__tape_entry(HTMT__TAPE_END, 0, 0)};
    cr_assert_eq(htmt__tape_entries(t), 6);
    for (uint64_t i = 0; i < 6; i++)
        cr_expect_eq(entry_at(t, i), want[i]);
    htmt__tape_free(t);
    place_clear(&p);
}

Test(tape, a_line_of_lackey_without_an_address_is_refused_with_its_number)
{
    struct place p = place("tape");
    struct htmt__tape *t = NULL;
    char error[300] = "";
    place_put(&p, "tape", " L 10,8\n S zebra,8\n");
    cr_expect_eq(htmt__tape_load_lackey(&t, p.path, error, sizeof error), HTMT_EFORMAT);
    cr_expect(strstr(error, ":2: found 'zebra,8'"), "%s", error);
    place_put(&p, "tape", "nothing\n");
    cr_expect_eq(htmt__tape_load_lackey(&t, p.path, error, sizeof error), HTMT_EFORMAT);
    cr_expect(strstr(error, "no access"), "%s", error);
    place_clear(&p);
}
