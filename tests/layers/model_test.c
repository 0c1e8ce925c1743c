/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Models inside networks and processors, as machine files name them. Runs in the source folder,
 * where machines/ and examples/ are.
 */
#include "layers/machine/machine.h"
#include "layers/model.h"
#include "tests/layers/machines.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define TOP "htmt-machine: 1\nbase: small-htmt\n"
#define HUB                                                                                        \
    TOP "networks:\n  vortex:\n    inside:\n" /* 3-5 */                                            \
        "      model: hub\n"                                                                       \
        "      rate: {value: 2 Gword/s, source: s}\n"
#define STREAM                                                                                     \
    TOP "layers:\n  cram:\n    inside:\n"                                                          \
        "      model: stream\n"                                                                    \
        "      rate: {value: 80 GB/s, source: s}\n"
#define EXAMPLE_HUB    "examples/machines/hub.yaml"
#define EXAMPLE_STREAM "examples/machines/stream.yaml"
#define NS             INT64_C(1000000)

enum { CRAM = 3, VORTEX = 1 }; /* of small-htmt */

static void refused(const char *text, const char *message)
{
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt_machine_parse("m.yaml", text, &m, &fault), HTMT_EFORMAT, "%s", message);
    cr_expect_str_eq(fault.text, message);
    cr_expect_null(m);
    htmt_machine_destroy(&m);
}

static void set_refused(const char *name, const char *set, const char *message)
{
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt_machine_load(name, &set, 1, &m, &fault), HTMT_EFORMAT, "%s", set);
    cr_expect_str_eq(fault.text, message);
    htmt_machine_destroy(&m);
}

static uint64_t hash_with(const char *name, const char *set)
{
    struct htmt_machine *m = machine_load(name, set);
    uint64_t hash = m->hash;
    htmt_machine_destroy(&m);
    return hash;
}

/* Time of 3 loads and a store beside 1000 flop in CRAM. */
static htmt_time streamed(const struct htmt_machine *m)
{
    return htmt_machine_work(m, CRAM, &(struct htmt_ops){{0, 1000, 7, 3, 1}});
}

/* ---- what a file says ------------------------------------------------------------------------ */

Test(model, a_network_and_a_layer_have_the_models_that_the_file_names)
{
    struct htmt_machine *m = machine_parse(HUB);
    cr_assert_str_eq(m->network[VORTEX].name, "vortex");
    cr_assert_str_eq(m->network[VORTEX].model->name, "hub");
    cr_assert_null(m->layer[CRAM].model);
    /* 100 ns, 30 words at half a nanosecond, 100 ns */
    cr_expect_eq(htmt_machine_crossing(m, VORTEX, 30), 215 * NS);
    htmt_machine_destroy(&m);
    m = machine_parse(STREAM);
    cr_assert_str_eq(m->layer[CRAM].model->name, "stream");
    cr_assert_null(m->network[VORTEX].model);
    cr_expect_eq(streamed(m), 4 * NS / 10); /* 4 words of 8 B at 80 GB/s */
    cr_expect_eq(htmt_machine_crossing(m, VORTEX, 30), 100 * NS);
    htmt_machine_destroy(&m);
}

Test(model, a_file_inherits_the_model_of_its_base_and_may_change_one_figure)
{
    struct htmt_machine *m = machine_parse("htmt-machine: 1\nbase: " EXAMPLE_HUB "\n");
    cr_expect_eq(htmt_machine_crossing(m, VORTEX, 30), 215 * NS);
    cr_expect_eq(m->hash, hash_with(EXAMPLE_HUB, NULL));
    htmt_machine_destroy(&m);
    m = machine_parse("htmt-machine: 1\nbase: " EXAMPLE_HUB "\nnetworks:\n  vortex:\n    inside:\n"
                      "      rate: {value: 1 Gword/s, source: s}\n");
    cr_expect_eq(htmt_machine_crossing(m, VORTEX, 30), 230 * NS);
    cr_expect_neq(m->hash, hash_with(EXAMPLE_HUB, NULL));
    htmt_machine_destroy(&m);
}

Test(model, set_changes_one_figure)
{
    struct htmt_machine *m = machine_load(EXAMPLE_HUB, "networks.vortex.inside.rate=1Gword/s");
    cr_expect_eq(htmt_machine_crossing(m, VORTEX, 30), 230 * NS);
    htmt_machine_destroy(&m);
    m = machine_load(EXAMPLE_STREAM, "layers.cram.inside.rate=32GB/s");
    cr_expect_eq(streamed(m), NS);
    htmt_machine_destroy(&m);
}

Test(model, not_modelled_drops_it)
{
    static const char no_hub[] = "htmt-machine: 1\nbase: " EXAMPLE_HUB "\nnetworks:\n  vortex:\n"
                                 "    inside: not-modelled\n";
    static const char no_stream[] =
        "htmt-machine: 1\nbase: " EXAMPLE_STREAM "\nlayers:\n  cram:\n    inside: not-modelled\n";
    uint64_t plain = hash_with("small-htmt", NULL);
    cr_expect_eq(machine_parse_hash(no_hub), plain);
    cr_expect_eq(machine_parse_hash(no_stream), plain);
    cr_expect_eq(hash_with(EXAMPLE_HUB, "networks.vortex.inside=not-modelled"), plain);
    cr_expect_eq(hash_with(EXAMPLE_STREAM, "layers.cram.inside=not-modelled"), plain);
    cr_expect_eq(hash_with(EXAMPLE_HUB, "networks.vortex=not-modelled"),
                 hash_with("small-htmt", "networks.vortex=not-modelled"));
}

/* ---- the hash and the dump ------------------------------------------------------------------- */

Test(model, the_hash_tells_models_and_their_figures_apart)
{
    uint64_t hash[] = {hash_with("small-htmt", NULL), machine_parse_hash(HUB),
                       machine_parse_hash(STREAM),
                       hash_with(EXAMPLE_HUB, "networks.vortex.inside.rate=1Gword/s"),
                       hash_with(EXAMPLE_STREAM, "layers.cram.inside.rate=1GB/s")};
    for (unsigned i = 0; i < 5; i++)
        for (unsigned j = 0; j < i; j++)
            cr_expect_neq(hash[i], hash[j], "%u and %u", i, j);
    cr_expect_eq(hash_with(EXAMPLE_HUB, "networks.vortex.inside.rate=16GB/s"),
                 hash_with(EXAMPLE_HUB, NULL), "spelling does not count");
}

static void dumps_to_itself(const char *name)
{
    char *text = NULL;
    size_t size;
    struct htmt_machine *m = machine_load(name, NULL);
    FILE *f = open_memstream(&text, &size);
    cr_assert_eq(htmt_machine_dump(m, f), 0);
    fclose(f);
    cr_expect_eq(machine_parse_hash(text), m->hash, "%s", text);
    htmt_machine_destroy(&m);
    free(text);
}

Test(model, a_resolved_dump_loads_again_to_the_same_hash)
{
    dumps_to_itself(EXAMPLE_HUB);
    dumps_to_itself(EXAMPLE_STREAM);
}

/* ---- mistakes -------------------------------------------------------------------------------- */

Test(model, an_unknown_model_is_refused_with_its_line_and_a_hint)
{
    refused(TOP "networks:\n  vortex:\n    inside:\n      model: hubb\n",
            "m.yaml:6: networks.vortex.inside.model: found 'hubb', did you mean 'hub'?");
    refused(TOP "layers:\n  cram:\n    inside:\n      model: hub\n",
            "m.yaml:6: layers.cram.inside.model: found 'hub', expected one of 'cells', "
            "'node', 'stream'");
    refused(TOP "layers:\n  cram:\n    inside: stream\n",
            "m.yaml:5: layers.cram.inside: found 'stream', expected 'not-modelled' or a mapping");
    set_refused(EXAMPLE_HUB, "networks.vortex.inside.model=hubb",
                "--set networks.vortex.inside.model: found 'hubb', did you mean 'hub'?");
}

Test(model, a_figure_that_is_missing_or_unknown_is_refused)
{
    refused(TOP "networks:\n  vortex:\n    inside:\n      model: hub\n",
            "m.yaml:6: key 'networks.vortex.inside.rate' is missing");
    refused(TOP "networks:\n  vortex:\n    inside:\n      rate: {value: 2 Gword/s, source: s}\n",
            "m.yaml:6: key 'networks.vortex.inside.model' is missing");
    refused(HUB "      rat: {value: 2 Gword/s, source: s}\n",
            "m.yaml:8: networks.vortex.inside: unknown key 'rat', did you mean 'rate'?");
    refused(TOP "networks:\n  vortex:\n    inside:\n      model: hub\n"
                "      rate: {value: not-modelled, source: s}\n",
            "m.yaml:7: networks.vortex.inside.rate: found 'not-modelled', but the model cannot do "
            "without");
    set_refused("small-htmt", "networks.vortex.inside.rate=2Gword/s",
                "--set networks.vortex.inside.rate: unknown key, expected one that `htmt machine "
                "show` lists");
}

Test(model, a_processor_that_is_not_there_has_none)
{
    refused(STREAM "    processor: none\n",
            "m.yaml:6: layers.cram.inside.model: the layer has no processor");
}

/* ---- the tables ------------------------------------------------------------------------------ */

/* A model's struct must fit its 128 bytes, and no row may be of a processor's clock. */
static void check_rows(const struct htmt_schema_row *rows, const char *name)
{
    cr_expect_str_eq(rows[0].key, "model");
    for (; rows->key; rows++) {
        cr_expect_leq(rows->offset + rows->size, HTMT_INSIDE_MAX * sizeof(uint64_t), "%s", name);
        cr_expect_neq(rows->kind, HTMT_UNIT_FREQUENCY, "%s.%s", name, rows->key);
    }
}

Test(model, every_row_of_the_tables_is_found_by_its_name_and_fits)
{
    const char *names[16], *again[16];
    cr_expect_null(htmt__processor_model("", names));
    for (unsigned i = 0; names[i]; i++)
        check_rows(htmt__processor_model(names[i], again)->rows, names[i]);
    cr_expect_null(htmt__network_model("", names));
    for (unsigned i = 0; names[i]; i++)
        check_rows(htmt__network_model(names[i], again)->rows, names[i]);
}
