/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt predict APP --term NAME`: every figure of a term is listed with its source, hidden ones
 * too, and no other.
 */
#include "tests/apps/table.h"
#include "tests/emul/capture.h"
#include "tests/runtime/share.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

static struct captured c;

static json_t *figures_of(const char *app, const char *machine, const char *costs, const char *term)
{
    char m[80], k[80], t[80];
    snprintf(m, sizeof m, "--machine=%s", machine);
    snprintf(k, sizeof k, "--costs=%s", costs);
    snprintf(t, sizeof t, "--term=%s", term);
    CAPTURE(&c, htmt_apps, "predict", (char *)(uintptr_t)app, m, k, t, "--json=-");
    cr_assert_eq(c.status, 0, "%s", c.err);
    json_t *o = json_loads(c.out, 0, NULL);
    cr_assert_not_null(o);
    return o;
}

/* "+" before what moves the term with half or twice as much, "-" before what is hidden. */
static void expect_keys(const json_t *all, const char *expected)
{
    char found[1000] = "";
    size_t i;
    json_t *f;
    json_array_foreach(json_object_get(json_object_get(all, "origins"), "figures"), i, f)
    {
        size_t used = strlen(found);
        snprintf(found + used, sizeof found - used, "%s%c%s", used ? " " : "",
                 json_is_true(json_object_get(f, "hidden")) ? '-' : '+',
                 json_string_value(json_object_get(f, "key")));
    }
    cr_expect_str_eq(found, expected, "found '%s'", found);
}

static json_t *figure(const json_t *all, const char *key)
{
    size_t i;
    json_t *f;
    json_array_foreach(json_object_get(json_object_get(all, "origins"), "figures"), i, f)
    {
        if (!strcmp(json_string_value(json_object_get(f, "key")), key))
            return f;
    }
    cr_assert_fail("there is no %s", key);
    return NULL;
}

/* M_S = 2 b_c^3 t_flop, and nothing else. */
Test(origin, a_product_of_figures_has_these_and_moves_with_them)
{
    json_t *o = figures_of("cannon", "htmt-2007", "cannon-amaral", "M_S");
    expect_keys(o, "+layers.cram.processor.flop +problem.subblock-edge +multiply.flop");
    const json_t *f = figure(o, "multiply.flop");
    cr_expect_float_eq(json_real_value(json_object_get(f, "half")), 11.71875e-6 / 2, 1e-18);
    cr_expect_float_eq(json_real_value(json_object_get(f, "twice")), 2 * 11.71875e-6, 1e-18);
    cr_expect_str_eq(json_string_value(json_object_get(f, "of")), "costs");
    cr_expect_str_eq(json_string_value(json_object_get(f, "source")),
                     "Amaral et al., Table 1: times b_c^3, for a subblock product");
    f = figure(o, "layers.cram.processor.flop");
    cr_expect_str_eq(json_string_value(json_object_get(f, "of")), "machine");
    cr_expect_str_eq(json_string_value(json_object_get(f, "value")), "3 ps/flop");
    cr_expect_not_null(strstr(json_string_value(json_object_get(f, "file")), "htmt-2007.yaml"));
    cr_expect_gt(json_integer_value(json_object_get(f, "line")), 0);
    json_decref(o);
}

/* A word takes the longest of link and both memories; SRAM is the slowest, latency is 0. */
Test(origin, what_something_else_bounds_is_listed_as_hidden)
{
    json_t *o = figures_of("cannon", "htmt-2007", "cannon-amaral", "IP_SC");
    expect_keys(o, "+layers.sram.memory.access -layers.cram.memory.access -networks.rti.latency "
                   "-networks.rti.ports.sram.out-rate +problem.subblock-edge");
    json_decref(o);
}

Test(origin, every_application_lists_the_figures_of_its_total)
{
    static const char *const apps[][4] = {{"cannon", "htmt-2007", "cannon-amaral", "T, paper"},
                                          {"sar", "hereld-tables", "sar-hereld", "T"},
                                          {"pic", "hereld-tables", "pic-hereld", "T"},
                                          {"volume", "hereld-tables", "volume-hereld", "T"}};
    for (size_t i = 0; i < share_of(sizeof apps / sizeof *apps); i++) {
        json_t *o = figures_of(apps[i][0], apps[i][1], apps[i][2], apps[i][3]), *f;
        json_t *figures = json_object_get(json_object_get(o, "origins"), "figures");
        size_t k, of_costs = 0;
        json_array_foreach(figures, k, f)
        {
            cr_expect_neq(*json_string_value(json_object_get(f, "source")), '\0', "%s",
                          json_string_value(json_object_get(f, "key")));
            of_costs += !strcmp(json_string_value(json_object_get(f, "of")), "costs");
        }
        cr_expect_gt(of_costs, 0, "%s", apps[i][0]);
        cr_expect_gt(json_array_size(figures) - of_costs, 4, "%s", apps[i][0]);
        json_decref(o);
    }
}

Test(origin, a_term_that_is_not_there_is_refused)
{
    CAPTURE(&c, htmt_apps, "predict", "cannon", "--term=T_C");
    cr_expect_eq(c.status, 2);
    cr_expect_not_null(strstr(c.err, "--term: there is no term 'T_C'"), "%s", c.err);
    CAPTURE(&c, htmt_apps, "model", "cannon", "--term=T_B");
    cr_expect_eq(c.status, 2);
    cr_expect_not_null(strstr(c.err, "--term: only predict can tell"), "%s", c.err);
}
