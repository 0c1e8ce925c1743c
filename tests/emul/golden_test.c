/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Golden tables: what is read, what is refused, and how near a prediction must come.
 */
#include "emul/validate/golden.h"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD "# A table\nid,quantity,value,recomputed,unit,use,machine,tolerance,note\n"

/* A folder with one table in it, alone in the search. */
static struct place with_table(const char *text)
{
    struct place p = place("t.csv");
    place_put(&p, "t.csv", text);
    setenv("HTMT_GOLDEN_PATH", p.folder, 1);
    return p;
}

static void refuse(const char *text, const char *expected)
{
    struct htmt__golden g;
    struct htmt_fault fault = {0};
    struct place p = with_table(text);
    cr_expect_neq(htmt__golden_load(&g, NULL, &fault), 0, "%s", text);
    cr_expect_not_null(strstr(fault.text, expected), "'%s' is not in '%s'", expected, fault.text);
    place_clear(&p);
}

Test(golden, a_row_is_read_as_it_stands)
{
    struct htmt__golden g;
    struct htmt_fault fault = {0};
    struct place p =
        with_table(HEAD "A.x,\"one, two\",16.2,16.13221,s,model,htmt-2007,1e-3,why not\n");
    cr_assert_eq(htmt__golden_load(&g, NULL, &fault), 0, "%s", fault.text);
    cr_assert_eq(g.count, 1);
    cr_expect_str_eq(g.table[0].name, "t");
    cr_expect_str_eq(g.table[0].title, "A table");
    const struct htmt__golden_row *r = htmt__golden_find(&g, "A.x");
    cr_assert_not_null(r);
    cr_expect_str_eq(r->quantity, "one, two");
    cr_expect_str_eq(r->value, "16.2");
    cr_expect_str_eq(r->note, "why not");
    cr_expect_eq(r->use, HTMT__MODEL);
    cr_expect_null(htmt__golden_find(&g, "A.y"));
    htmt__golden_clear(&g);
    place_clear(&p);
}

Test(golden, what_is_malformed_is_refused_with_its_line)
{
    refuse("A table\n", "t.csv:1: found 'A table', expected a title");
    refuse("# A table\nid,value\n", "t.csv:2: found 'id,value'");
    refuse(HEAD "A.x,q,1,1,s,model\n", "t.csv:3: found 'A.x', expected nine columns");
    refuse(HEAD "A.x,q,1,1,s,guess,m,0,\n", "t.csv:3: found 'guess', expected predict");
    refuse(HEAD "A.x,q,one,1,s,model,m,0,\n", "t.csv:3: found 'one', expected a number");
    refuse(HEAD "A.x,q,1,1,s,model,-,0,\n", "expected the machine");
    refuse(HEAD "A.x,q,1,1,s,model,m,near,\n", "t.csv:3: found 'near', expected a tolerance");
    refuse(HEAD "A.x,q,1,1,s,model,m,0,\nA.x,q,1,1,s,model,m,0,\n", "'A.x' is there twice");
}

static struct htmt__golden_row row(const char *value, const char *recomputed, const char *tolerance)
{
    return (struct htmt__golden_row){
        .value = value, .recomputed = recomputed, .tolerance = tolerance, .use = HTMT__MODEL};
}

static void expect(struct htmt__golden_row r, double target, double allowed)
{
    cr_expect_float_eq(htmt__golden_target(&r), target, 1e-12 * target);
    cr_expect_float_eq(htmt__golden_allowed(&r), allowed, 1e-9 * allowed, "%g",
                       htmt__golden_allowed(&r));
}

Test(golden, tolerances_are_about_the_print_or_about_what_is_recomputed)
{
    expect(row("16.2", "16.13221", "1e-3"), 16.13221, 0.01613221);
    expect(row("82", "82.13697", "0.5abs"), 82, 0.5);
    expect(row("6", "24.34957", "1pp"), 24.34957, 1);
    expect(row("", "8844.297", "0"), 8844.297, 0.0005); /* half of the seventh digit */
    expect(row("9.4", "9.356287e-07", "0"), 9.356287e-07, 5e-14);
}

Test(golden, every_misprint_says_which_rule_it_follows)
{
    struct htmt__golden g;
    struct htmt_fault fault = {0};
    unsigned misprints = 0;
    cr_assert_eq(htmt__golden_load(&g, NULL, &fault), 0, "%s", fault.text);
    for (unsigned i = 0; i < g.count; i++)
        for (unsigned k = 0; k < g.table[i].count; k++) {
            const struct htmt__golden_row *r = &g.table[i].row[k];
            if (r->use != HTMT__MISPRINT)
                continue;
            misprints++;
            cr_expect_eq(strncmp(r->note, "the print follows the rule ", 27), 0, "%s", r->id);
        }
    cr_expect_eq(misprints, 62);
    htmt__golden_clear(&g);
}
