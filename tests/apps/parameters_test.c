/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/file/parameters.h"

#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const windows[] = {"none", "hamming", "kaiser", NULL};

static const struct htmt_schema_row target[] = {
    {.key = "range", .kind = HTMT_UNIT_METRES, .least = 0, .most = 1e7},
    {.key = "amplitude", .kind = HTMT_UNIT_NUMBER, .fallback = "1"},
    {.key = NULL},
};

static const struct htmt_schema_row rows[] = {
    {.key = "carrier", .kind = HTMT_UNIT_HERTZ, .least = 1e6, .most = 1e12},
    {.key = "chirp", .kind = HTMT_UNIT_HERTZ_PER_SECOND, .fallback = "-7.2135e11 Hz/s"},
    {.key = "pulse", .kind = HTMT_UNIT_SECONDS, .fallback = "41.75 us", .above_least = true},
    {.key = "squint", .kind = HTMT_UNIT_RADIANS, .optional = true},
    {.key = "speed", .kind = HTMT_UNIT_METRES_PER_SECOND, .fallback = "7062 m/s", .least = 1},
    {.key = "lines", .kind = HTMT_SCHEMA_WHOLE, .fallback = "1536", .least = 1, .most = 1 << 20},
    {.key = "window", .kind = HTMT_SCHEMA_CHOICE, .words = windows, .fallback = "hamming"},
    {.key = "centred", .kind = HTMT_SCHEMA_SWITCH, .fallback = "true"},
    {.key = "name", .kind = HTMT_SCHEMA_TEXT, .optional = true},
    {.key = "doppler", .kind = HTMT_SCHEMA_LIST, .optional = true, .items = 3},
    {.key = "origin", .kind = HTMT_SCHEMA_GROUP, .optional = true, .rows = target},
    {.key = "targets", .kind = HTMT_SCHEMA_GROUPS, .optional = true, .rows = target, .most = 3},
    {.key = NULL},
};

static int parse(const char *text, struct htmt_parameters **p, struct htmt_fault *fault)
{
    return htmt_parameters_parse("f", text, strlen(text), "a scene", rows, p, fault);
}

static struct htmt_parameters *good(const char *text)
{
    struct htmt_parameters *p = NULL;
    struct htmt_fault fault = {0};
    cr_assert_eq(parse(text, &p, &fault), 0, "%s", fault.text);
    return p;
}

Test(parameters, every_unit_gives_the_nearest_double)
{
    static const struct {
        enum htmt_dimension kind;
        const char *text;
        double want;
    } list[] = {
        {HTMT_UNIT_HERTZ, "5.3 GHz", 5300000000.0},
        {HTMT_UNIT_HERTZ, "18.962468 MHz", 18962468.0},
        {HTMT_UNIT_HERTZ, "1300 Hz", 1300},
        {HTMT_UNIT_HERTZ, "2.5kHz", 2500},
        {HTMT_UNIT_HERTZ_PER_SECOND, "-7.2135e11 Hz/s", -721350000000.0},
        {HTMT_UNIT_HERTZ_PER_SECOND, "-0.72135 MHz/us", -721350000000.0},
        {HTMT_UNIT_HERTZ_PER_SECOND, "1 THz/s", 1e12},
        {HTMT_UNIT_SECONDS, "41.75 us", 41.75e-6},
        {HTMT_UNIT_SECONDS, "7 ms", 7e-3},
        {HTMT_UNIT_SECONDS, "3e-1 ns", 3e-10},
        {HTMT_UNIT_METRES, "988.647 km", 988647},
        {HTMT_UNIT_METRES, "-0.5 m", -0.5},
        {HTMT_UNIT_METRES, "12 cm", 0.12},
        {HTMT_UNIT_METRES_PER_SECOND, "7062 m/s", 7062},
        {HTMT_UNIT_METRES_PER_SECOND, "7.062 km/s", 7062},
        {HTMT_UNIT_RADIANS, "180 deg", M_PI},
        {HTMT_UNIT_RADIANS, "-1.5 rad", -1.5},
        {HTMT_UNIT_NUMBER, "+.5e-3", 0.0005},
        {HTMT_UNIT_NUMBER, "1e-400", 0},
    };
    char why[200];
    for (unsigned i = 0; i < sizeof list / sizeof *list; i++) {
        double x = -1;
        cr_expect_eq(htmt_quantity_double(list[i].text, list[i].kind, &x, why, sizeof why), 0, "%s",
                     why);
        cr_expect_eq(x, list[i].want, "'%s' is %.17g", list[i].text, x);
    }
}

Test(parameters, what_is_no_quantity_says_what_one_looks_like)
{
    static const struct {
        enum htmt_dimension kind;
        int code;
        const char *text;
    } list[] = {
        {HTMT_UNIT_HERTZ, HTMT_EUNIT, "5.3"},
        {HTMT_UNIT_HERTZ, HTMT_EUNIT, "5.3 s"},
        {HTMT_UNIT_HERTZ, HTMT_EUNIT, "5.3 ghz"},
        {HTMT_UNIT_METRES, HTMT_EUNIT, "5 m m"},
        {HTMT_UNIT_METRES, HTMT_EFORMAT, "nan m"},
        {HTMT_UNIT_METRES, HTMT_EFORMAT, "inf"},
        {HTMT_UNIT_NUMBER, HTMT_EFORMAT, ""},
        {HTMT_UNIT_NUMBER, HTMT_EFORMAT, "-"},
        {HTMT_UNIT_NUMBER, HTMT_EFORMAT, "."},
        {HTMT_UNIT_NUMBER, HTMT_EUNIT, "0x10"},
        {HTMT_UNIT_NUMBER, HTMT_EUNIT, "1,5"},
        {HTMT_UNIT_NUMBER, HTMT_ERANGE, "1e400"},
        {HTMT_UNIT_SECONDS, HTMT_ERANGE, "1e99999999999 s"},
    };
    for (unsigned i = 0; i < sizeof list / sizeof *list; i++) {
        double x = -1;
        char why[200] = "";
        cr_expect_eq(htmt_quantity_double(list[i].text, list[i].kind, &x, why, sizeof why),
                     list[i].code, "'%s'", list[i].text);
        cr_expect(strstr(why, "found '"), "%s", why);
        cr_expect_eq(x, -1);
    }
}

Test(parameters, values_are_those_of_the_file_and_fallbacks_fill_the_rest)
{
    struct htmt_parameters *p = good("carrier: 5.3 GHz\nwindow: kaiser\nlines: 128\n"
                                     "centred: false\nname: Point targets\n");
    cr_expect_eq(htmt_parameter_number(p, "carrier"), 5.3e9);
    cr_expect_eq(htmt_parameter_number(p, "chirp"), -7.2135e11);
    cr_expect_eq(htmt_parameter_whole(p, "lines"), 128);
    cr_expect_eq(htmt_parameter_choice(p, "window"), 2);
    cr_expect_not(htmt_parameter_switch(p, "centred"));
    cr_expect_str_eq(htmt_parameter_text(p, "name"), "Point targets");
    cr_expect(htmt_parameter_given(p, "carrier") && !htmt_parameter_given(p, "chirp"));
    cr_expect(htmt_parameter_known(p, "chirp") && !htmt_parameter_known(p, "squint"));
    cr_expect_eq(htmt_parameter_count(p, "targets"), 0);
    htmt_parameters_destroy(&p);
    cr_expect_null(p);
    htmt_parameters_destroy(&p);
    htmt_parameters_destroy(NULL);
}

Test(parameters, lists_and_groups_keep_their_order)
{
    struct htmt_parameters *p =
        good("carrier: 1 GHz\ndoppler: [-6.5e3, 0, 1]\norigin: {range: 1 km}\n"
             "targets:\n  - range: 100 m\n    amplitude: -2\n  - {range: 1 km}\n");
    unsigned n = 0;
    const double *doppler = htmt_parameter_list(p, "doppler", &n);
    cr_assert_eq(n, 3);
    cr_expect(doppler[0] == -6500 && doppler[1] == 0 && doppler[2] == 1);
    cr_assert_eq(htmt_parameter_count(p, "targets"), 2);
    const struct htmt_parameters *a = htmt_parameter_group(p, "targets", 0),
                                 *b = htmt_parameter_group(p, "targets", 1),
                                 *c = htmt_parameter_group(p, "origin", 0);
    cr_expect_eq(htmt_parameter_number(a, "range"), 100);
    cr_expect_eq(htmt_parameter_number(a, "amplitude"), -2);
    cr_expect_eq(htmt_parameter_number(b, "range"), 1000);
    cr_expect_eq(htmt_parameter_number(b, "amplitude"), 1);
    cr_expect_eq(htmt_parameter_number(c, "range"), 1000);
    htmt_parameters_destroy(&p);
}

struct mistake {
    char text[120];
    char message[200];
};

ParameterizedTestParameters(parameters, a_mistake_is_one_line_with_file_and_line)
{
    static struct mistake list[] = {
        {"carier: 5 GHz\n", "f:1: a scene: unknown key 'carier', did you mean 'carrier'?"},
        {"lines: 5\n", "f:1: a scene: key 'carrier' is missing"},
        {"lines: 5\ncarrier: 5\n",
         "f:2: carrier: found '5', expected a frequency such as '5.3 GHz'"},
        {"carrier: 5 Hz\n",
         "f:1: carrier: found '5 Hz', expected a value from 1000000 Hz to 1e+12 Hz"},
        {"carrier: 1 GHz\npulse: 0 s\n", "f:2: pulse: found '0 s', expected a value above 0 s"},
        {"carrier: 1 GHz\nspeed: 0.5 m/s\n",
         "f:2: speed: found '0.5 m/s', expected a value from 1 m/s"},
        {"carrier: 1 GHz\nlines: 1.5\n",
         "f:2: lines: found '1.5', expected a whole number such as '128'"},
        {"carrier: 1 GHz\nlines: 0\n", "f:2: lines: found '0', expected a value from 1 to 1048576"},
        {"carrier: 1 GHz\nlines: 99999999999999999999\n",
         "f:2: lines: found '99999999999999999999', expected no more than 64 bits"},
        {"carrier: 1 GHz\nwindow: haming\n",
         "f:2: window: found 'haming', did you mean 'hamming'?"},
        {"carrier: 1 GHz\ncentred: yes\n", "f:2: centred: found 'yes', expected true or false"},
        {"carrier: [1 GHz]\n", "f:1: carrier: found a list, expected a plain value"},
        {"carrier: 1 GHz\ndoppler: [1, 2]\n", "f:2: doppler: found 2 numbers, expected 3"},
        {"carrier: 1 GHz\ndoppler: [1, 2,\n  nan]\n",
         "f:3: doppler: found 'nan', expected a number such as '0.88'"},
        {"carrier: 1 GHz\ntargets: [{range: 1 m}, {},\n {}]\n",
         "f:2: targets: key 'range' is missing"},
        {"carrier: 1 GHz\ntargets: [{range: 1 m},\n  {rnge: 1 m}]\n",
         "f:3: targets: unknown key 'rnge', did you mean 'range'?"},
        {"carrier: 1 GHz\ntargets: [{range: 1 m}, 7]\n",
         "f:2: targets: found '7', expected a mapping"},
        {"carrier: 1 GHz\ntargets: [{}, {}, {}, {}]\n",
         "f:2: targets: found 4 entries, expected a number from 0 to 3"},
        {"carrier: 1 GHz\ncarrier: 2 GHz\n",
         "f:2: key 'carrier' is repeated, first given in line 1"},
    };
    return cr_make_param_array(struct mistake, list, sizeof list / sizeof list[0]);
}

ParameterizedTest(struct mistake *m, parameters, a_mistake_is_one_line_with_file_and_line)
{
    struct htmt_parameters *p = NULL;
    struct htmt_fault fault = {0};
    int rc = parse(m->text, &p, &fault);
    cr_expect_eq(htmt_exit_status(rc), 2);
    cr_expect_str_eq(fault.text, m->message);
    cr_expect_null(p);
}

Test(parameters, a_file_is_read_and_an_application_may_refuse_a_value_at_its_line)
{
    struct place at = place("scene.yaml");
    struct htmt_parameters *p = NULL;
    struct htmt_fault fault = {0}, missing = {0}, wanted = {0};
    char copy[160], want[400];
    place_put(&at, "scene.yaml", "lines: 4\ncarrier: 1 GHz\n");
    strcpy(copy, at.path);
    cr_assert_eq(htmt_parameters_read(copy, "a scene", rows, &p, &fault), 0, "%s", fault.text);
    copy[0] = '\0'; /* the name need not outlive the call */
    cr_expect_eq(htmt_parameter_refuse(p, "carrier", HTMT_EINVAL, &wanted, "found %d", 3),
                 HTMT_EINVAL);
    snprintf(want, sizeof want, "%s:2: carrier: found 3", at.path);
    cr_expect_str_eq(wanted.text, want);
    htmt_parameters_destroy(&p);
    place_clear(&at);
    cr_expect_eq(htmt_parameters_read("/tmp/no/such.yaml", "a scene", rows, &p, &missing),
                 HTMT_ENOENT);
    cr_expect(strstr(missing.text, "/tmp/no/such.yaml: cannot open"), "%s", missing.text);
}
