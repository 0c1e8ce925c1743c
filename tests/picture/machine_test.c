/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pictures of machines as lists of shapes: what stands in them, and that nothing covers a text.
 */
#include "emul/lib/picture/figures.h"
#include "emul/lib/picture/machine.h"
#include "emul/lib/picture/machine_run.h"
#include "tests/layers/machines.h"
#include "tests/picture/texts.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct picture {
    struct htmt_machine *m;
    struct htmt__sheet sheet;
};

static struct picture draw(const char *name, const char *set)
{
    struct picture p = {.m = machine_load(name, set)};
    cr_assert_eq(htmt__picture_machine(p.m, NULL, &p.sheet), 0);
    return p;
}

static void clear(struct picture *p)
{
    htmt__sheet_clear(&p->sheet);
    htmt_machine_destroy(&p->m);
}

struct shipped {
    char name[32];
};

ParameterizedTestParameters(machine_picture, no_text_covers_another_one)
{
    static struct shipped all[] = {
        {"htmt-oct98"},  {"hereld-tables"},   {"htmt-2007"},
        {"small-htmt"},  {"small-two-layer"}, {"examples/machines/hub.yaml"},
        {"hpsc-simple"}, {"hpsc-grid"},       {"hpsc-wrap"},
        {"hpsc-eight"},  {"hpsc-apu"},        {"gcel"},
        {"powerstone1"}, {"htmt-torus"},      {"htmt-vortex"},
        {"upmem-e19"},   {"am-cca"},          {"updown-node"},
        {"xeon-6148"},   {"fat-tree-64"},     {"dragonfly-72"}};
    return cr_make_param_array(struct shipped, all, sizeof all / sizeof *all);
}

ParameterizedTest(struct shipped *machine, machine_picture, no_text_covers_another_one)
{
    struct picture p = draw(machine->name, NULL);
    expect_texts_apart(&p.sheet);
    expect_texts_inside(&p.sheet);
    clear(&p);
}

Test(machine_picture, shows_what_figure_1_of_hereld_et_al_shows)
{
    static const char *const shown[] = {"DPIM",
                                        "SPIM",
                                        "SPELL",
                                        "500 MHz",
                                        "1 GHz",
                                        "256 GHz",
                                        "32 MiB a DPIM",
                                        "4 MiB a SPIM",
                                        "128 DPIM",
                                        "64 SPIM",
                                        "4 GiB DRAM",
                                        "256 MiB SRAM",
                                        "524,288 DPIM",
                                        "latency 85 ns",
                                        "latency 20 ns",
                                        "10 Gword/s from DRAM",
                                        "40 Gword/s into SRAM",
                                        "Hereld et al., Figure 1 and Table 1"};
    struct picture p = draw("htmt-oct98", NULL);
    for (unsigned i = 0; i < sizeof shown / sizeof *shown; i++)
        cr_expect_geq(count_texts(&p.sheet, shown[i]), 1, "no text '%s'", shown[i]);
    clear(&p);
}

Test(machine_picture, the_innermost_layer_is_on_top)
{
    struct picture p = draw("htmt-oct98", NULL);
    double cram = find_text(&p.sheet, "CRAM")->y, sram = find_text(&p.sheet, "SRAM")->y;
    double dram = find_text(&p.sheet, "DRAM")->y, hram = find_text(&p.sheet, "HRAM")->y;
    cr_expect(cram < sram && sram < dram && dram < hram);
    clear(&p);
}

Test(machine_picture, a_figure_that_was_set_names_the_option_as_its_source)
{
    struct picture p = draw("htmt-oct98", "layers.cram.processor.count=2");
    cr_expect_eq(count_texts(&p.sheet, "8,192 SPELL"), 1);
    cr_expect_eq(count_texts(&p.sheet, "] given by --set"), 1);
    clear(&p);
}

Test(machine_picture, a_single_slice_has_no_second_column_of_sums)
{
    struct picture p = draw("small-two-layer", NULL);
    cr_expect_eq(count_texts(&p.sheet, "4 PIM"), 1);
    cr_expect_eq(count_texts(&p.sheet, "slices"), 0);
    clear(&p);
}

Test(machine_picture, an_inside_is_sketched_with_its_ends_and_counts)
{
    struct picture p = draw("hpsc-simple", NULL);
    cr_expect_eq(count_texts(&p.sheet, "4 switches, 6 ends, 20 channels"), 1);
    cr_expect_eq(count_texts(&p.sheet, "source-bottom"), 1);
    cr_expect(find_text(&p.sheet, "source-top")->x < find_text(&p.sheet, "node-top")->x);
    cr_expect_eq(count_texts(&p.sheet, "rate 160 MB/s"), 1);
    clear(&p);
}

/* Links in the colours of use, and how many packets queued at each of two ports. */
Test(machine_picture, a_run_marks_the_ports_where_packets_queued)
{
    static const char json[] =
        "{\"schema\": \"htmt-results-1\", \"app\": \"traffic\", \"mode\": \"run\","
        " \"predicted_fs\": 1, \"slices\": %d, \"resources\": [], \"memories\": [],"
        " \"bottlenecks\": [], \"record\": {\"machine_hash\": \"%016lx\"}, \"ports\": ["
        "{\"network\": \"myrinet\", \"name\": \"1.2\", \"contentions\": 31, \"idle_share\": 0.4},"
        "{\"network\": \"myrinet\", \"name\": \"2.2\", \"contentions\": 27, \"idle_share\": 0}]}";
    for (int slices = 5; slices <= 6; slices++) {
        char path[] = "/tmp/htmt-picture-XXXXXX";
        struct picture p = {.m = machine_load("hpsc-simple", NULL)};
        struct htmt__machine_run *run = NULL;
        struct htmt_fault fault = {0};
        FILE *f = fdopen(mkstemp(path), "w");
        cr_assert_not_null(f);
        fprintf(f, json, slices, p.m->hash);
        fclose(f);
        cr_assert_eq(htmt__machine_run_open(&run, path, p.m, &fault), 0, "%s", fault.text);
        remove(path);
        cr_assert_eq(htmt__picture_machine(p.m, run, &p.sheet), 0);
        cr_expect_eq(count_texts(&p.sheet, "31"), slices == 6, "of all slices alone");
        cr_expect_eq(count_texts(&p.sheet, "27"), slices == 6);
        expect_texts_apart(&p.sheet);
        clear(&p);
        htmt__machine_run_close(&run);
    }
}

/* Its layer is around others: the use of its channel stands in the band, with its number. */
Test(machine_picture, a_controller_is_there_once_and_its_channel_is_marked)
{
    static const char json[] =
        "{\"schema\": \"htmt-results-1\", \"app\": \"prim\", \"mode\": \"run\", \"predicted_fs\": "
        "1,"
        " \"slices\": 512, \"memories\": [], \"record\": {\"machine_hash\": \"%016lx\"},"
        " \"resources\": [{\"name\": \"bus host out\", \"utilization\": 0.846}],"
        " \"bottlenecks\": [{\"name\": \"bus host out\", \"utilization\": 0.846}]}";
    char path[] = "/tmp/htmt-picture-XXXXXX";
    struct picture p = {.m = machine_load("upmem-e19", NULL)};
    struct htmt__machine_run *run = NULL;
    struct htmt_fault fault = {0};
    FILE *f = fdopen(mkstemp(path), "w");
    cr_assert_not_null(f);
    fprintf(f, json, p.m->hash);
    fclose(f);
    cr_assert_eq(htmt__machine_run_open(&run, path, p.m, &fault), 0, "%s", fault.text);
    remove(path);
    cr_assert_eq(htmt__picture_machine(p.m, run, &p.sheet), 0);
    cr_expect_eq(count_texts(&p.sheet, "1 CPU"), 1);
    cr_expect_eq(count_texts(&p.sheet, "512 CPU"), 0);
    cr_expect_eq(count_texts(&p.sheet, "128 TiB"), 0);
    cr_expect_eq(count_texts(&p.sheet, "256 GiB HOST"), 1);
    cr_expect_eq(count_texts(&p.sheet, "host out: in use 84.6 %"), 1);
    unsigned marked = 0; /* in the picture, and in the list below */
    for (size_t i = 0; i < p.sheet.drawing.count; i++)
        marked += is_text(&p.sheet.shape[i]) && !strcmp(p.sheet.shape[i].text, "1");
    cr_expect_eq(marked, 2);
    expect_texts_apart(&p.sheet);
    expect_texts_inside(&p.sheet);
    clear(&p);
    htmt__machine_run_close(&run);
}

Test(machine_picture, a_large_inside_is_thinned_out)
{
    struct picture p = draw("htmt-torus", NULL);
    cr_expect_eq(count_texts(&p.sheet, "4,096 switches (49 shown), 4,096 ends"), 1);
    cr_expect_lt(p.sheet.drawing.count, 2000);
    clear(&p);
}

Test(machine_picture, sums_of_words_keep_a_unit_without_a_fraction_or_are_rounded)
{
    cr_expect_str_eq(htmt__words_phrase(131072).s, "1 MiB");
    cr_expect_str_eq(htmt__words_phrase(128000).s, "128 kword");
    cr_expect_str_eq(htmt__words_phrase((htmt_uwide)4096 * 128000).s, "524.3 Mword");
    cr_expect_str_eq(htmt__words_phrase(0).s, "0 word");
    cr_expect_str_eq(htmt__words_phrase(7).s, "7 word");
}
