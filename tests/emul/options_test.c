/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/options/options.h"

#include <criterion/criterion.h>

#include <string.h>

static const struct htmt_app_option own_rows[] = {
    {"size", "N", "64", "size of the problem"},
    {"full", NULL, NULL, "a switch"},
    {NULL, NULL, NULL, NULL},
};
static const struct htmt_app app = {HTMT_APP_BEGIN, .name = "toy", .summary = "a toy",
                                    .options = own_rows};

/* Takes apart up to eight words. */
#define PARSE(o, f, ...)                                                                           \
    htmt__options_parse(&app, (int)(sizeof((char *[]){__VA_ARGS__}) / sizeof(char *)),             \
                        (char *[]){__VA_ARGS__}, (o), (f))

static void refuses(struct htmt_fault *f, int code, const char *what)
{
    cr_assert_eq(f->code, HTMT_EUSAGE);
    cr_assert_eq(code, HTMT_EUSAGE);
    cr_assert_not_null(strstr(f->text, what), "'%s' is not in '%s'", what, f->text);
    cr_assert_null(strchr(f->text, '\n'));
}

Test(options, defaults_stand_where_nothing_was_given)
{
    struct htmt__options o;
    struct htmt_fault f = {0};
    cr_assert_eq(htmt__options_parse(&app, 0, NULL, &o, &f), 0);
    for (unsigned i = 0; i < HTMT__OPTIONS; i++) {
        cr_assert_eq(o.common[i], htmt__common_rows[i].fallback);
        cr_assert_not(o.common_given[i]);
    }
    cr_assert_str_eq(o.own[0], "64");
    cr_assert_null(o.own[1]);
}

Test(options, both_spellings_of_a_value_mean_the_same)
{
    struct htmt__options a, b;
    struct htmt_fault f = {0};
    cr_assert_eq(PARSE(&a, &f, "--size", "8", "--full", "--machine", "x"), 0);
    cr_assert_eq(PARSE(&b, &f, "--size=8", "--full", "--machine=x"), 0);
    cr_assert_str_eq(a.own[0], b.own[0]);
    cr_assert_str_eq(a.own[1], "");
    cr_assert_str_eq(b.common[HTMT__MACHINE], "x");
    cr_assert(b.own_given[0] && b.own_given[1] && b.common_given[HTMT__MACHINE]);
}

Test(options, sets_are_kept_in_order)
{
    struct htmt__options o;
    struct htmt_fault f = {0};
    cr_assert_eq(PARSE(&o, &f, "--set", "a=1", "--set=b=2"), 0);
    cr_assert_eq(o.set_count, 2);
    cr_assert_str_eq(o.set[0], "a=1");
    cr_assert_str_eq(o.set[1], "b=2");
}

Test(options, every_mistake_is_one_line_that_names_it)
{
    struct htmt__options o;
    struct htmt_fault f = {0};
    refuses(&f, PARSE(&o, &f, "--sise", "8"), "unknown option '--sise'");
    f.code = 0;
    refuses(&f, PARSE(&o, &f, "--size", "8", "--size=9"), "--size: given twice");
    f.code = 0;
    refuses(&f, PARSE(&o, &f, "--json"), "--json: the value is missing, expected FILE|-");
    f.code = 0;
    refuses(&f, PARSE(&o, &f, "--json", "--quiet"), "--json: the value is missing");
    f.code = 0;
    refuses(&f, PARSE(&o, &f, "--json="), "--json: the value is empty");
    f.code = 0;
    refuses(&f, PARSE(&o, &f, "--full=1"), "--full: takes no value, found '1'");
    f.code = 0;
    refuses(&f, PARSE(&o, &f, "--set", "slices"), "--set: found 'slices', expected KEY=VALUE");
    f.code = 0;
    refuses(&f, PARSE(&o, &f, "size"), "found 'size', expected an option");
    f.code = 0;
    refuses(&f, PARSE(&o, &f, "--"), "found '--', expected an option");
    f.code = 0;
    refuses(&f, PARSE(&o, &f, "--siz=8"), "unknown option '--siz'");
}

Test(options, numbers_are_whole_and_in_range)
{
    uint64_t n = 5;
    struct htmt_fault f = {0};
    cr_assert_eq(htmt__options_number("n", "18446744073709551615", 0, UINT64_MAX, &n, &f), 0);
    cr_assert_eq(n, UINT64_MAX);
    static const char *const words[] = {"", "x", "-1", "+1", "1.5", "1e3", " 1", "1 ", "0x10"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        f.code = 0;
        cr_assert_eq(htmt__options_number("n", words[i], 0, 10, &n, &f), HTMT_EUSAGE, "'%s'",
                     words[i]);
    }
    static const char *const large[] = {"11", "0", "18446744073709551616", "99999999999999999999"};
    for (unsigned i = 0; i < sizeof large / sizeof *large; i++) {
        f.code = 0;
        cr_assert_eq(htmt__options_number("n", large[i], 1, 10, &n, &f), HTMT_ERANGE);
    }
    cr_assert_eq(n, UINT64_MAX);
}

Test(options, bytes_take_units_of_both_kinds_and_fractions_of_whole_bytes)
{
    uint64_t n = 0;
    struct htmt_fault f = {0};
    cr_assert_eq(htmt__options_bytes("b", "7", &n, &f), 0);
    cr_assert_eq(n, 7);
    cr_assert_eq(htmt__options_bytes("b", "3 KiB", &n, &f), 0);
    cr_assert_eq(n, 3 * 1024);
    cr_assert_eq(htmt__options_bytes("b", "2GiB", &n, &f), 0);
    cr_assert_eq(n, 2147483648u);
    cr_assert_eq(htmt__options_bytes("b", "64B", &n, &f), 0);
    cr_assert_eq(n, 64);
    cr_assert_eq(htmt__options_bytes("b", "0.5MiB", &n, &f), 0);
    cr_assert_eq(n, 524288);
    cr_assert_eq(htmt__options_bytes("b", "1.5 kB", &n, &f), 0);
    cr_assert_eq(n, 1500);
    cr_assert_eq(htmt__options_bytes("b", "2TB", &n, &f), HTMT_EUSAGE);
    f.code = 0;
    cr_assert_eq(htmt__options_bytes("b", "0.3KiB", &n, &f), HTMT_EUSAGE);
    f.code = 0;
    cr_assert_eq(htmt__options_bytes("b", "1.00000000001KiB", &n, &f), HTMT_ERANGE);
    f.code = 0;
    cr_assert_eq(htmt__options_bytes("b", "0", &n, &f), HTMT_ERANGE);
    f.code = 0;
    cr_assert_eq(htmt__options_bytes("b", "18014398509481985KiB", &n, &f), HTMT_ERANGE);
}

static struct htmt_machine toy_machine(void)
{
    struct htmt_machine m = {.name = "toy", .slices = 4, .layer_count = 2};
    strcpy(m.layer[0].name, "dram");
    strcpy(m.layer[0].processor.name, "DPIM");
    strcpy(m.layer[1].name, "cram");
    strcpy(m.layer[1].processor.name, "SPELL");
    return m;
}

static int resolve(struct htmt_request *r, struct htmt_fault *f, const char *name, const char *text)
{
    struct htmt__options o;
    const struct htmt_machine m = toy_machine();
    char word[64];
    snprintf(word, sizeof word, "--%s=%s", name, text);
    *f = (struct htmt_fault){0};
    *r = (struct htmt_request){.machine = &m};
    int code = PARSE(&o, f, word);
    return code ? code : htmt__options_resolve(&o, r, f);
}

Test(options, slices_default_to_the_machines_and_never_exceed_them)
{
    struct htmt_request r;
    struct htmt_fault f;
    cr_assert_eq(resolve(&r, &f, "seed", "9"), 0);
    cr_assert_eq(r.emulator.slices, 4);
    cr_assert_eq(r.seed, 9);
    cr_assert_eq(r.emulator.run_ahead_bytes, UINT64_C(256) << 20);
    cr_assert_geq(r.emulator.threads, 1);
    cr_assert_eq(resolve(&r, &f, "slices", "2"), 0);
    cr_assert_eq(r.emulator.slices, 2);
    cr_assert_eq(resolve(&r, &f, "slices", "5"), HTMT_ERANGE);
    cr_assert_eq(resolve(&r, &f, "slices", "0"), HTMT_ERANGE);
}

Test(options, the_clock_is_auto_sequential_by_windows_or_shared)
{
    struct htmt_request r;
    struct htmt_fault f;
    cr_assert_eq(resolve(&r, &f, "seed", "9"), 0);
    cr_assert_eq(r.emulator.clock, HTMT_CLOCK_AUTO);
    cr_assert_eq(resolve(&r, &f, "clock", "sequential"), 0);
    cr_assert_eq(r.emulator.clock, HTMT_CLOCK_SEQUENTIAL);
    cr_assert_eq(resolve(&r, &f, "clock", "windows"), 0);
    cr_assert_eq(r.emulator.clock, HTMT_CLOCK_WINDOWS);
    cr_assert_eq(resolve(&r, &f, "clock", "shared"), 0);
    cr_assert_eq(r.emulator.clock, HTMT_CLOCK_SHARED);
    cr_assert_eq(resolve(&r, &f, "clock", "auto"), 0);
    cr_assert_eq(r.emulator.clock, HTMT_CLOCK_AUTO);
    cr_assert_eq(resolve(&r, &f, "clock", "AUTO"), HTMT_EUSAGE);
    cr_assert_str_eq(f.text, "--clock: found 'AUTO', expected auto, sequential, windows or shared");
}

Test(options, threads_are_a_total_or_workers_of_each_layer)
{
    struct htmt_request r;
    struct htmt_fault f;
    cr_assert_eq(resolve(&r, &f, "threads", "3"), 0);
    cr_assert_eq(r.emulator.threads, 3);
    cr_assert_eq(r.emulator.layer_threads[1], 0);
    cr_assert_eq(resolve(&r, &f, "threads", "spell=2,dpim=1"), 0);
    cr_assert_eq(r.emulator.layer_threads[1], 2);
    cr_assert_eq(r.emulator.layer_threads[0], 1);
    cr_assert_eq(r.emulator.threads, 4);
    cr_assert_eq(resolve(&r, &f, "threads", "0"), HTMT_ERANGE);
    cr_assert_eq(resolve(&r, &f, "threads", "spim=1"), HTMT_EUSAGE);
    cr_assert_eq(resolve(&r, &f, "threads", "spell=1,cram=2"), HTMT_EUSAGE);
    cr_assert_eq(resolve(&r, &f, "threads", "spell=1,"), HTMT_EUSAGE);
    cr_assert_eq(resolve(&r, &f, "threads", "spell="), HTMT_EUSAGE);
    cr_assert_eq(resolve(&r, &f, "threads", "spell=1024"), 0);
    cr_assert_eq(resolve(&r, &f, "threads", "spell=1024,dpim=1"), HTMT_ERANGE);
    cr_assert_str_eq(f.text, "--threads: found 1025 workers in all, expected 1 to 1024");
}
