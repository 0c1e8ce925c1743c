/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt machine` as a person meets it.
 */
#include "layers/machine/machine.h"
#include "tests/emul/capture.h"

#define RUN(c, ...) CAPTURE(c, NULL, "machine", __VA_ARGS__)

Test(machine_verb, list_names_each_shipped_machine_once_in_order)
{
    struct captured o;
    RUN(&o, "list");
    cr_expect_eq(o.status, 0);
    cr_expect_eq(lines_of(o.out), 29);
    const char *at = o.out;
    const char *const names[] = {
        "am-cca ",       "am-cca-mesh ", "dragonfly-72 ", "exasat-hopper ", "exasat-listing1 ",
        "exasat-sheet ", "fat-tree-64 ", "gcel ",         "hereld-tables ", "hpsc-apu ",
        "hpsc-eight ",   "hpsc-grid ",   "hpsc-lanes ",   "hpsc-simple ",   "hpsc-wrap ",
        "htmt-2007 ",    "htmt-oct98 ",  "htmt-torus ",   "htmt-vortex ",   "mpp-2000 ",
        "pim-node ",     "powerstone1 ", "serial-2000 ",  "small-htmt ",    "small-two-layer ",
        "updown-node ",  "upmem-e19 ",   "upmem-p21 ",    "xeon-6148 "};
    for (int i = 0; i < 29; i++) {
        cr_expect_eq(strncmp(at, names[i], strlen(names[i])), 0, "%s", at);
        at = strchr(at, '\n') + 1;
    }
    cr_expect_str_empty(o.err);
}

Test(machine_verb, show_prints_values_with_sources_and_what_is_not_modelled)
{
    struct captured o;
    RUN(&o, "show", "htmt-2007", "--set", "slices=16");
    cr_expect_eq(o.status, 0);
    cr_expect_not_null(strstr(o.out, "given by --set"));
    cr_expect_not_null(strstr(o.out, "173576 bytes"));
    const char *absent = strstr(o.out, "\nnot modelled");
    cr_assert_not_null(absent);
    cr_expect_not_null(strstr(absent, "networks.hram-channel.ports.hram.out-rate"));
    cr_expect_null(strstr(absent, "layers.dram.memory.access "));
}

Test(machine_verb, show_resolved_prints_what_loads_again)
{
    struct captured o;
    RUN(&o, "show", "--resolved", "--set=slices=9", "hereld-tables");
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    cr_expect_eq(o.status, 0);
    cr_assert_eq(htmt_machine_parse("dump", o.out, &m, &fault), 0, "%s", fault.text);
    cr_expect_eq(m->slices, 9);
    htmt_machine_destroy(&m);
}

Test(machine_verb, diff_says_what_differs_and_by_its_status_whether)
{
    struct captured o;
    RUN(&o, "diff", "htmt-oct98", "hereld-tables");
    cr_expect_eq(o.status, 1);
    cr_expect_eq(lines_of(o.out), 6);
    cr_expect_not_null(strstr(o.out, "layers.cram.memory.capacity: 1 MiB | 128 kword\n"));
    RUN(&o, "diff", "htmt-oct98", "machines/htmt-oct98.yaml");
    cr_expect_eq(o.status, 0);
    cr_expect_str_empty(o.out);
    RUN(&o, "diff", "small-two-layer", "small-htmt");
    cr_expect_eq(o.status, 1);
    cr_expect_not_null(strstr(o.out, "layers.host.processor.count: 2 | -\n"));
    cr_expect_not_null(strstr(o.out, "networks.rti.scope: - | slice\n"));
}

Test(machine_verb, check_goes_through_all_files_and_fails_for_one)
{
    struct captured o;
    RUN(&o, "check", "htmt-2007", "./none.yaml", "htmt-oct98");
    cr_expect_eq(o.status, 2);
    cr_expect_not_null(strstr(o.out, "htmt-2007: good, "));
    cr_expect_not_null(strstr(o.out, "htmt-oct98: good, "));
    cr_expect_not_null(strstr(o.out, "\nNOT MODELLED by the machine htmt-oct98\n"));
    cr_expect_not_null(strstr(o.out, "\n  layers.cram.processor.iop, load, store, lambda\n"));
    cr_expect_eq(lines_of(o.err), 1);
}

Test(machine_verb, wrong_use_is_one_line_on_the_error_stream)
{
    static const char *const wrong[][4] = {{"list", "all"},
                                           {"show"},
                                           {"show", "a", "b"},
                                           {"show", "htmt-oct98", "--set"},
                                           {"show", "htmt-oct98", "--fancy"},
                                           {"show", "htmt-oct98", "--set", "slice=1"},
                                           {"diff", "htmt-oct98"},
                                           {"diff", "htmt-oct98", "nothing"},
                                           {"check"},
                                           {"paint"},
                                           {NULL}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct captured o;
        char *argv[7] = {"htmt", "machine"};
        int argc = 2;
        for (int k = 0; k < 4 && wrong[i][k]; k++)
            argv[argc++] = (char *)(uintptr_t)wrong[i][k];
        capture(&o, NULL, argc, argv);
        cr_expect_eq(o.status, 2, "%zu", i);
        cr_expect_str_empty(o.out);
        cr_expect_eq(lines_of(o.err), 1, "%s", o.err);
    }
}
