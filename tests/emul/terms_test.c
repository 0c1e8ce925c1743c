/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The trees that `predict` prints, of all applications with their own counts and with the papers'.
 */
#include "emul/lib/questions/quiet_run.h"
#include "tests/apps/listed.h"
#include "tests/apps/table.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const struct {
    const struct htmt_app *app;
    const char *options, *machine;
} trees[] = {
    {&htmt_app_cannon, "", "htmt-oct98"},
    {&htmt_app_cannon, "--costs cannon-amaral --schedule paper", "htmt-2007"},
    {&htmt_app_sar, "", "htmt-oct98"},
    {&htmt_app_sar, "--costs sar-hereld", "hereld-tables"},
    {&htmt_app_pic, "", "htmt-oct98"},
    {&htmt_app_pic, "--costs pic-hereld", "hereld-tables"},
    {&htmt_app_pic, "--costs pic-hereld --phases push-eject", "hereld-tables"},
    {&htmt_app_volume, "", "htmt-oct98"},
    {&htmt_app_volume, "--costs volume-hereld", "hereld-tables"},
};

static void each_tree(void (*check)(const struct htmt_prediction *p, const char *name))
{
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        struct htmt__quiet_run t;
        struct htmt_fault fault = {0};
        char name[100];
        snprintf(name, sizeof name, "%s %s", trees[i].app->name, trees[i].options);
        cr_assert_eq(htmt__quiet_run_prepare(trees[i].app, trees[i].options, trees[i].machine, NULL,
                                             0, &t, &fault),
                     0, "%s: %s", name, fault.text);
        cr_assert_eq(htmt__quiet_run_predict(&t, &fault), 0, "%s: %s", name, fault.text);
        check(t.prediction, name);
        htmt__quiet_run_clear(&t);
    }
}

static void is_whole(const struct htmt_prediction *p, const char *name)
{
    cr_assert_gt(p->count, 10, "%s", name);
    cr_expect_lt(p->count, HTMT__TERMS_MAX, "%s: terms may be cut off", name);
    for (unsigned i = 0; i < p->count; i++) {
        const struct htmt_term *t = &p->term[i];
        cr_expect(*t->name && *t->unit, "%s: row %u", name, i);
        cr_expect(*t->meaning, "%s: %s has no meaning", name, t->name);
        cr_expect(*t->expression, "%s: %s is not said to be anything", name, t->name);
    }
}

Test(terms, each_says_what_it_is_and_what_it_means)
{
    each_tree(is_whole);
}

static void is_a_tree(const struct htmt_prediction *p, const char *name)
{
    for (unsigned i = 0; i < p->count; i++) {
        unsigned above = i ? p->term[i - 1].depth + 1 : 0;
        cr_expect_leq(p->term[i].depth, above, "%s: nothing above %s", name, p->term[i].name);
        for (unsigned k = 0; k < i; k++)
            cr_expect_str_neq(p->term[i].name, p->term[k].name, "%s: which of two", name);
    }
}

Test(terms, each_has_a_name_of_its_own_and_stands_under_another)
{
    each_tree(is_a_tree);
}

/* The first row of time is the total. */
static void begins_with_the_total(const struct htmt_prediction *p, const char *name)
{
    unsigned i = 0;
    while (i < p->count && p->term[i].value != p->total_s)
        i++;
    cr_expect_lt(i, 2, "%s: the total is row %u", name, i);
    cr_expect_lt(p->total_fs, INT64_MAX, "%s", name);
    cr_expect(p->total_s == 1e-15 * (double)p->total_fs, "%s: %" PRId64 " fs", name, p->total_fs);
}

Test(terms, the_total_stands_on_top)
{
    each_tree(begins_with_the_total);
}

/* Studies ask for values alone, which takes less. */
Test(terms, values_alone_are_the_same_values_without_texts)
{
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        struct htmt__quiet_run all, alone;
        struct htmt_fault fault = {0};
        htmt__quiet_run_prepare(trees[i].app, trees[i].options, trees[i].machine, NULL, 0, &all,
                                &fault);
        htmt__quiet_run_prepare(trees[i].app, trees[i].options, trees[i].machine, NULL, 0, &alone,
                                &fault);
        alone.request.values_only = true;
        cr_assert_eq(htmt__quiet_run_predict(&all, &fault), 0, "%s", fault.text);
        cr_assert_eq(htmt__quiet_run_predict(&alone, &fault), 0, "%s", fault.text);
        const struct htmt_prediction *p = all.prediction, *q = alone.prediction;
        cr_assert_eq(p->count, q->count);
        cr_expect(p->total_s == q->total_s && p->flops == q->flops);
        for (unsigned k = 0; k < p->count; k++) {
            cr_expect_str_eq(p->term[k].name, q->term[k].name);
            cr_expect_str_eq(p->term[k].unit, q->term[k].unit);
            cr_expect(p->term[k].value == q->term[k].value, "%s", p->term[k].name);
            cr_expect(!*q->term[k].expression && !*q->term[k].values);
        }
        htmt__quiet_run_clear(&all);
        htmt__quiet_run_clear(&alone);
    }
}

/* What a term prints, evaluated with the values that it prints, is the term; rounded, and as a
 * percentage or a rate a second, as it says. */
static double evaluate(const struct htmt_term *t, const char *name)
{
    char text[sizeof t->expression];
    struct htmt_exact value = {0, 1};
    struct htmt_fault fault = {0};
    const char *more = strchr(t->expression, ':'), *unit = t->unit;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(t->expression, ":"), t->expression);
    int rc = htmt__formula(text, t_read_listed, (void *)t->values, &value, &fault);
    cr_expect(!rc || rc == HTMT_ERANGE, "%s: %s: %s", name, t->name, fault.text);
    if (more && strstr(more, "rounded"))
        value = htmt_exact_whole(strstr(more, "down") ? htmt_exact_floor(value)
                                                      : htmt_exact_round(value));
    double x = (double)htmt_exact_value(value);
    bool rate = strlen(unit) > 2 && !strcmp(unit + strlen(unit) - 2, "/s");
    return !strcmp(unit, "s") ? 1e-15 * x : !strcmp(unit, "%") ? 100 * x : rate ? 1e15 * x : x;
}

static bool is_service(const struct htmt_term *t)
{
    const char *more = strchr(t->expression, ':');
    return more && !strstr(more, "rounded");
}

static void is_what_it_prints(const struct htmt_prediction *p, const char *name)
{
    for (unsigned i = 0; i < p->count; i++) {
        const struct htmt_term *t = &p->term[i];
        if (!strncmp(t->expression, "computed: ", 10))
            continue;
        double value = evaluate(t, name);
        cr_expect(is_service(t) || fabs(value - t->value) <= 1e-15 * fabs(value),
                  "%s: %s = %s is %.17g, printed as %.17g", name, t->name, t->expression, value,
                  t->value);
    }
}

Test(terms, each_is_what_its_printed_text_gives_with_its_printed_values)
{
    each_tree(is_what_it_prints);
}
