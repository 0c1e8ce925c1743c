/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt machine` as a person meets it. The command's objects are in no library, so the verb is
 * taken in as source.
 */
#include "emul/lib/verbs/machine.c"

#include <criterion/criterion.h>
#include <unistd.h>

struct outcome {
    int status;
    char out[40000], err[2000];
};

static void read_back(FILE *from, char *text, size_t room)
{
    rewind(from);
    size_t got = fread(text, 1, room - 1, from);
    text[got] = '\0';
    fclose(from);
}

/* Run the verb with both streams in files, so that what it prints can be looked at. */
static struct outcome *run(int argc, char **argv)
{
    struct outcome *o = calloc(1, sizeof *o);
    FILE *out = tmpfile(), *err = tmpfile();
    cr_assert(o && out && err);
    fflush(stdout);
    fflush(stderr);
    int old_out = dup(STDOUT_FILENO), old_err = dup(STDERR_FILENO);
    dup2(fileno(out), STDOUT_FILENO);
    dup2(fileno(err), STDERR_FILENO);
    o->status = htmt__verb_row_machine.run(NULL, argc, argv);
    fflush(stdout);
    fflush(stderr);
    dup2(old_out, STDOUT_FILENO);
    dup2(old_err, STDERR_FILENO);
    close(old_out);
    close(old_err);
    read_back(out, o->out, sizeof o->out);
    read_back(err, o->err, sizeof o->err);
    return o;
}

#define RUN(...)                                                                                   \
    run((int)(sizeof(char *[]){"machine", __VA_ARGS__} / sizeof(char *)),                          \
        (char *[]){"machine", __VA_ARGS__})

static unsigned lines(const char *text)
{
    unsigned count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

Test(machine_verb, list_names_each_shipped_machine_once_in_order)
{
    struct outcome *o = RUN("list");
    cr_expect_eq(o->status, 0);
    cr_expect_eq(lines(o->out), 20);
    const char *at = o->out;
    const char *const names[] = {
        "exasat-listing1 ", "gcel ",       "hereld-tables ",   "hpsc-apu ",  "hpsc-eight ",
        "hpsc-grid ",       "hpsc-lanes ", "hpsc-simple ",     "hpsc-wrap ", "htmt-2007 ",
        "htmt-oct98 ",      "htmt-torus ", "mpp-2000 ",        "pim-node ",  "powerstone1 ",
        "serial-2000 ",     "small-htmt ", "small-two-layer ", "upmem-e19 ", "upmem-p21 "};
    for (int i = 0; i < 20; i++) {
        cr_expect_eq(strncmp(at, names[i], strlen(names[i])), 0, "%s", at);
        at = strchr(at, '\n') + 1;
    }
    cr_expect_str_empty(o->err);
    free(o);
}

Test(machine_verb, show_prints_values_with_sources_and_what_is_not_modelled)
{
    struct outcome *o = RUN("show", "htmt-2007", "--set", "slices=16");
    cr_expect_eq(o->status, 0);
    cr_expect_not_null(strstr(o->out, "given by --set"));
    cr_expect_not_null(strstr(o->out, "173576 bytes"));
    const char *absent = strstr(o->out, "\nnot modelled");
    cr_assert_not_null(absent);
    cr_expect_not_null(strstr(absent, "networks.hram-channel.ports.hram.out-rate"));
    cr_expect_null(strstr(absent, "layers.dram.memory.access "));
    free(o);
}

Test(machine_verb, show_resolved_prints_what_loads_again)
{
    struct outcome *o = RUN("show", "--resolved", "--set=slices=9", "hereld-tables");
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    cr_expect_eq(o->status, 0);
    cr_assert_eq(htmt_machine_parse("dump", o->out, &m, &fault), 0, "%s", fault.text);
    cr_expect_eq(m->slices, 9);
    htmt_machine_destroy(&m);
    free(o);
}

Test(machine_verb, diff_says_what_differs_and_by_its_status_whether)
{
    struct outcome *o = RUN("diff", "htmt-oct98", "hereld-tables");
    cr_expect_eq(o->status, 1);
    cr_expect_eq(lines(o->out), 6);
    cr_expect_not_null(strstr(o->out, "layers.cram.memory.capacity: 1 MiB | 128 kword\n"));
    free(o);
    o = RUN("diff", "htmt-oct98", "machines/htmt-oct98.yaml");
    cr_expect_eq(o->status, 0);
    cr_expect_str_empty(o->out);
    free(o);
    o = RUN("diff", "small-two-layer", "small-htmt");
    cr_expect_eq(o->status, 1);
    cr_expect_not_null(strstr(o->out, "layers.host.processor.count: 2 | -\n"));
    cr_expect_not_null(strstr(o->out, "networks.rti.scope: - | slice\n"));
    free(o);
}

Test(machine_verb, check_goes_through_all_files_and_fails_for_one)
{
    struct outcome *o = RUN("check", "htmt-2007", "./none.yaml", "htmt-oct98");
    cr_expect_eq(o->status, 2);
    cr_expect_not_null(strstr(o->out, "htmt-2007: good, "));
    cr_expect_not_null(strstr(o->out, "htmt-oct98: good, "));
    cr_expect_not_null(strstr(o->out, "\nNOT MODELLED by the machine htmt-oct98\n"));
    cr_expect_not_null(strstr(o->out, "\n  layers.cram.processor.iop, load, store, lambda\n"));
    cr_expect_eq(lines(o->err), 1);
    free(o);
}

Test(machine_verb, wrong_use_is_one_line_on_the_error_stream)
{
    struct outcome *list[] = {RUN("list", "all"),
                              RUN("show"),
                              RUN("show", "a", "b"),
                              RUN("show", "htmt-oct98", "--set"),
                              RUN("show", "htmt-oct98", "--fancy"),
                              RUN("show", "htmt-oct98", "--set", "slice=1"),
                              RUN("diff", "htmt-oct98"),
                              RUN("diff", "htmt-oct98", "nothing"),
                              RUN("check"),
                              RUN("paint"),
                              run(1, (char *[]){"machine"})};
    for (size_t i = 0; i < COUNT_OF(list); i++) {
        cr_expect_eq(list[i]->status, 2, "%zu", i);
        cr_expect_str_empty(list[i]->out);
        cr_expect_eq(lines(list[i]->err), 1, "%s", list[i]->err);
        free(list[i]);
    }
}
