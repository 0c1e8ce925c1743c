/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cannon charged by a cost file: whole requests, against the same without a file, against
 * formulas, and against the papers' totals.
 */
#include "tests/cannon/asked.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAPERS "costs/cannon-amaral.yaml"

static double term(const struct asked *a, const char *name)
{
    for (unsigned i = 0; i < a->prediction.count; i++)
        if (!strcmp(a->prediction.term[i].name, name))
            return a->prediction.term[i].value;
    cr_assert_fail("no term %s", name);
    return 0;
}

static htmt_wide busy(const struct htmt_emulator *e, const char *name)
{
    struct htmt_resource_report r;
    for (uint32_t i = 0; i < htmt_resource_count(e); i++) {
        cr_assert_eq(htmt_resource_at(e, i, &r), 0);
        if (!strcmp(r.name, name))
            return r.busy;
    }
    cr_assert_fail("no resource %s", name);
    return 0;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* The papers' file with the value of the line that has `key` (its last part, and the mapping it
 * stands in) replaced; unlink(path) when done. */
static void change(const char *folder, const char *key, const char *value, char path[64])
{
    char line[300], in_folder[40] = "", name[40];
    bool changed = false;
    snprintf(path, 64, "/tmp/htmt-costs-XXXXXX.yaml");
    int fd = mkstemps(path, 5);
    FILE *from = fopen(PAPERS, "r"), *to = fd < 0 ? NULL : fdopen(fd, "w");
    cr_assert(from && to, "run from the top of the source tree");
    while (fgets(line, sizeof line, from)) {
        if (sscanf(line, "  %39[a-z-]:\n", name) == 1 && line[2] != ' ')
            strcpy(in_folder, name);
        if (sscanf(line, "    %39[a-z-]: {", name) == 1 && line[4] != ' ' &&
            !strcmp(in_folder, folder) && !strcmp(name, key)) {
            snprintf(line, sizeof line, "    %s: {value: %s, source: a test}\n", key, value);
            changed = true;
        }
        cr_assert_geq(fputs(line, to), 0);
    }
    fclose(from);
    cr_assert_eq(fclose(to), 0);
    cr_assert(changed, "%s.%s", folder, key);
}

/* ---- the papers' file ----------------------------------------------------------------------- */

/* golden: H.C.T.s64.serial, H.C.T.s64.overlap. No size, no blocks: all that comes from the file. */
Test(costs, the_papers_file_gives_the_papers_problem_and_totals)
{
    static const struct {
        const char *schedule;
        double total;
    } rows[] = {{"paper", 16.13221}, {"overlap", 15.90154}};
    for (int i = 0; i < 2; i++) {
        struct asked a;
        ask(&a, "htmt-2007", 0, HTMT_MODEL, PAPERS, GIVEN("schedule", rows[i].schedule));
        cr_assert_eq(predict(&a), 0, "%s", a.fault.text);
        cr_expect_float_eq(a.prediction.total_s, rows[i].total, 1e-5);
        cr_expect_eq(a.prediction.flops, 2 * pow(208000, 3));
        cr_expect(strstr(a.prediction.problem, "q = 1, t = 26, b_c = 125"), "%s",
                  a.prediction.problem);
        cr_expect_float_eq(term(&a, "M_S"), 2 * pow(125, 3) * 3e-12, 1e-18);
        done(&a);
    }
}

/* What the papers count is what the kernels count: the same events, and a right product. */
Test(costs, a_run_with_the_papers_file_is_correct_and_takes_the_time_of_one_without)
{
    htmt_time time[2];
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        struct asked a;
        ask(&a, "htmt-oct98", 4, HTMT_RUN, i ? PAPERS : NULL,
            GIVEN("size", "600", "block", "50", "t", "3", "check", "exact", "entries", "integers"));
        cr_assert_eq(run(&a), 0, "%s", a.fault.text);
        cr_expect_eq(a.outcome.correct, 1);
        time[i] = htmt_predicted(a.outcome.emulator);
        hash[i] = htmt_history_hash(a.outcome.emulator);
        done(&a);
    }
    cr_expect_eq(time[0], time[1]);
    cr_expect_eq(hash[0], hash[1]);
}

/* An option goes before the file, and the size follows what is then the block. */
Test(costs, options_take_the_place_of_the_files_blocks)
{
    static const struct {
        const char *name, *value, *lies;
    } rows[] = {{"t", "2", "1000 x 1000 x 1000 generated; s = 4, q = 1, t = 2, b_c = 125;"},
                {"block", "10", "1040 x 1040 x 1040 generated; s = 4, q = 1, t = 26, b_c = 10;"},
                {"size", "20000", "s = 4, q = 2, t = 26, b_c = 125, padded to 26000;"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct asked a;
        ask(&a, "htmt-2007", 16, HTMT_MODEL, PAPERS, GIVEN(rows[i].name, rows[i].value));
        cr_assert_eq(predict(&a), 0, "%s", a.fault.text);
        cr_expect(strstr(a.prediction.problem, rows[i].lies), "%s", a.prediction.problem);
        done(&a);
    }
}

/* ---- other coefficients --------------------------------------------------------------------- */

Test(costs, half_as_many_flop_again_take_one_and_a_half_times_the_spells_time)
{
    char path[64];
    double m_s[2];
    htmt_wide spell[3];
    change("multiply", "flop", "3 flop", path);
    for (int i = 0; i < 3; i++) {
        struct asked a;
        ask(&a, "htmt-2007", 4, i == 2 ? HTMT_RUN : HTMT_MODEL, i ? path : PAPERS,
            GIVEN("t", "2", "block", "40"));
        cr_assert_eq(run(&a), 0, "%s", a.fault.text);
        spell[i] = busy(a.outcome.emulator, "SPELL");
        cr_assert_eq(predict(&a), 0, "%s", a.fault.text);
        if (i < 2)
            m_s[i] = term(&a, "M_S");
        cr_expect_eq(a.outcome.correct, i == 2 ? 1 : -1);
        done(&a);
    }
    unlink(path);
    /* 4 SPELLs, t^3 s products of 2 b_c^3 flop of 3 ps */
    cr_expect(spell[0] == (htmt_wide)4 * 8 * 2 * 2 * 40 * 40 * 40 * 3000);
    cr_expect(2 * spell[1] == 3 * spell[0]);
    cr_expect(spell[2] == spell[1]);
    cr_expect_float_eq(m_s[1], 1.5 * m_s[0], 1e-20);
}

/* Odd numbers of accesses, too. One DPIM at a time: the DPIMs' time is accesses x 0.97 ns. */
Test(costs, accesses_are_charged_alike_in_model_and_closed_form)
{
    static const struct {
        const char *key, *value, *name;
        double each;
    } rows[] = {{"accesses", "5 word", "D_t[A]", 5.0 * (2 + 1)},
                {"accesses-c", "1 word", "D_t[C]", 1}};
    for (int i = 0; i < 2; i++) {
        char path[64];
        struct asked a;
        change("transform", rows[i].key, rows[i].value, path);
        ask(&a, "htmt-2007", 4, HTMT_MODEL, path, GIVEN("t", "2", "block", "40"));
        cr_assert_eq(run(&a), 0, "%s", a.fault.text);
        cr_assert_eq(predict(&a), 0, "%s", a.fault.text);
        unlink(path);
        cr_expect_float_eq(term(&a, rows[i].name), rows[i].each * 80 * 80 * 0.97e-9, 1e-14);
        double all = 2 * term(&a, "D_t[A]") + term(&a, "D_t[C]");
        double found = 1e-15 * (double)busy(a.outcome.emulator, "DPIM") / 4;
        cr_expect_float_eq(found, all, 1e-6 * all, "%g, not %g", found, all);
        done(&a);
    }
}

Test(costs, model_and_closed_form_agree_on_the_papers_blocks)
{
    static const char *const schedules[] = {"paper", "overlap"};
    for (int i = 0; i < 2; i++) {
        struct asked a;
        ask(&a, "htmt-2007", 4, HTMT_MODEL, PAPERS, GIVEN("schedule", schedules[i]));
        cr_assert_eq(run(&a), 0, "%s", a.fault.text);
        cr_assert_eq(predict(&a), 0, "%s", a.fault.text);
        double model = 1e-15 * (double)htmt_predicted(a.outcome.emulator);
        cr_expect_float_eq(model, a.prediction.total_s, 0.01 * model, "%s: %g, not %g",
                           schedules[i], model, a.prediction.total_s);
        cr_expect_float_eq(a.outcome.closed_form_s, a.prediction.total_s, 1e-15);
        done(&a);
    }
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void refuse(const char *folder, const char *key, const char *value, int code,
                   const char *text)
{
    char path[64];
    struct asked a;
    change(folder, key, value, path);
    ask(&a, "htmt-2007", 4, HTMT_MODEL, path, GIVEN("schedule", "paper"));
    int found = predict(&a);
    unlink(path);
    cr_expect_eq(found, code, "expected %s, found %s: %s", htmt_err_name(code),
                 htmt_err_name(found), a.fault.text);
    cr_expect(strstr(a.fault.text, text), "'%s' lacks '%s'", a.fault.text, text);
    done(&a);
}

Test(costs, what_the_program_does_not_have_is_refused_with_its_line)
{
    refuse("cram", "subblocks-a", "2", HTMT_ERANGE, ":13: cram.subblocks-a: found 2, expected 3");
    refuse("cram", "subblocks-b", "4", HTMT_ERANGE, ":14: cram.subblocks-b: found 4, expected 3");
    refuse("cram", "subblocks-c", "2", HTMT_ERANGE, ":15: cram.subblocks-c: found 2, expected 1");
    refuse("sram", "blocks", "6", HTMT_ERANGE, ":17: sram.blocks: found 6, expected 3");
    refuse("bundle", "inward-blocks", "1", HTMT_ERANGE,
           ":24: bundle.inward-blocks: found 1, expected 2");
    refuse("bundle", "outward-blocks", "0", HTMT_ERANGE,
           ":25: bundle.outward-blocks: found 0, expected 1");
    refuse("block-multiply", "inward-subblocks", "3", HTMT_ERANGE,
           ":27: block-multiply.inward-subblocks: found 3, expected 2");
    refuse("block-multiply", "outward-subblocks", "2", HTMT_ERANGE,
           ":28: block-multiply.outward-subblocks: found 2, expected 1");
}

Test(costs, blocks_and_coefficients_that_cannot_be_are_refused)
{
    refuse("problem", "t", "0", HTMT_ERANGE, ":10: problem.t: found 0, expected 1 to 2147483648");
    refuse("problem", "subblock-edge", "2147483648", HTMT_ERANGE, "expected at most 2147483648");
    refuse("problem", "subblock-edge", "126", HTMT_ECAPACITY, "7 subblocks of 126 x 126 words");
    refuse("multiply", "flop", "1e13 flop", HTMT_EOVERFLOW, "expected below 2^63");
    refuse("multiply", "flop", "2", HTMT_EUNIT, "multiply.flop");
}
