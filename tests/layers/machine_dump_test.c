/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The resolved dump loads again to the same machine, whatever the machine was.
 */
#include "layers/machine/machine.h"
#include "tests/layers/machines.h"
#include "tests/runtime/draw.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static char *dump(const struct htmt_machine *m)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    cr_assert_not_null(stream);
    cr_assert_eq(htmt_machine_dump(m, stream), 0);
    cr_assert_eq(fclose(stream), 0);
    return text;
}

static bool same_ratio(struct htmt_ratio a, struct htmt_ratio b)
{
    return a.num == b.num && a.den == b.den;
}

static void expect_same_layer(const struct htmt_layer *a, const struct htmt_layer *b)
{
    cr_expect_str_eq(a->name, b->name);
    cr_expect_str_eq(a->processor.name, b->processor.name);
    cr_expect_str_eq(a->memory.name, b->memory.name);
    cr_expect_eq(a->processor.count, b->processor.count);
    cr_expect(same_ratio(a->processor.clock, b->processor.clock));
    cr_expect(same_ratio(a->processor.lambda, b->processor.lambda));
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        cr_expect(same_ratio(a->processor.time[i], b->processor.time[i]));
    cr_expect_eq(a->memory.capacity, b->memory.capacity);
    cr_expect_eq(a->memory.reserve, b->memory.reserve);
    cr_expect_eq(a->memory.access_words, b->memory.access_words);
    cr_expect_eq(a->memory.ports, b->memory.ports);
    cr_expect(same_ratio(a->memory.access, b->memory.access));
}

static void expect_same_network(const struct htmt_network *a, const struct htmt_network *b,
                                uint32_t layers)
{
    cr_expect_str_eq(a->name, b->name);
    cr_expect_eq(a->machine_wide, b->machine_wide);
    cr_expect_eq(a->startup, b->startup);
    cr_expect_eq(a->latency, b->latency);
    for (uint32_t i = 0; i < layers; i++) {
        cr_expect_eq(a->port[i].out, b->port[i].out);
        cr_expect_eq(a->port[i].in, b->port[i].in);
        cr_expect(same_ratio(a->port[i].out_word, b->port[i].out_word));
        cr_expect(same_ratio(a->port[i].in_word, b->port[i].in_word));
    }
}

static void expect_same(const struct htmt_machine *a, const struct htmt_machine *b)
{
    cr_expect_eq(a->hash, b->hash);
    cr_expect_eq(a->slices, b->slices);
    cr_expect_str_eq(a->about, b->about);
    cr_assert_eq(a->layer_count, b->layer_count);
    cr_assert_eq(a->network_count, b->network_count);
    cr_assert_eq(a->figure_count, b->figure_count);
    for (uint32_t i = 0; i < a->layer_count; i++)
        expect_same_layer(&a->layer[i], &b->layer[i]);
    for (uint32_t i = 0; i < a->network_count; i++)
        expect_same_network(&a->network[i], &b->network[i], a->layer_count);
    for (uint32_t i = 0; i < a->figure_count; i++) {
        cr_expect_str_eq(a->figure[i].key, b->figure[i].key);
        cr_expect_str_eq(a->figure[i].value, b->figure[i].value);
        cr_expect_str_eq(a->figure[i].source, b->figure[i].source);
        cr_expect_eq(a->figure[i].hash, b->figure[i].hash);
    }
}

static void expect_round_trip(const struct htmt_machine *m)
{
    char *text = dump(m);
    struct htmt_machine *again = machine_parse(text);
    char *text_again = dump(again);
    expect_same(m, again);
    cr_expect_str_eq(strchr(text, '\n'), strchr(text_again, '\n'), "all but the line of the name");
    free(text_again);
    htmt_machine_destroy(&again);
    free(text);
}

Test(machine_dump, shipped_machines_survive_the_round_trip)
{
    static const char *const names[] = {"htmt-oct98", "hereld-tables", "htmt-2007",
                                        "small-two-layer", "small-htmt"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct htmt_machine *m = machine_load(names[i], NULL);
        expect_round_trip(m);
        htmt_machine_destroy(&m);
    }
}

#define PICK(state, table) (table)[draw_below(state, sizeof(table) / sizeof(table)[0])]

static void put(FILE *out, uint64_t *state, int indent, const char *key, const char *value)
{
    static const char *const sources[] = {"s", "\\\"quoted\\\" # and: {odd}", "back\\\\slash",
                                          "tab\\tand \\u00e9", "- 'x', [y] & *z"};
    fprintf(out, "%*s%s: {value: \"%s\", source: \"%s\"}\n", indent, "", key, value,
            PICK(state, sources));
}

static void put_processor(FILE *out, uint64_t *state, uint64_t layer)
{
    static const char *const clocks[] = {"1 GHz", "450 MHz", "256 GHz", "0.5 GHz", "7 Hz"};
    static const char *const times[] = {"1 cycle", "3 ps",         "2 op/cycle",
                                        "1.5 fs",  "not-modelled", "0.97 ns/op"};
    static const char *const lambdas[] = {"0", "1", "0.25", "50 %", "not-modelled"};
    static const char *const counts[] = {"1", "64", "1048576"};
    if (draw_below(state, 4) == 0) {
        fprintf(out, "    processor: none\n");
        return;
    }
    fprintf(out, "    processor:\n      name: P%d\n", (int)layer);
    put(out, state, 6, "lambda", PICK(state, lambdas));
    put(out, state, 6, "store", PICK(state, times));
    put(out, state, 6, "load", PICK(state, times));
    put(out, state, 6, "iop", PICK(state, times));
    put(out, state, 6, "flop", PICK(state, times));
    put(out, state, 6, "clock", PICK(state, clocks));
    put(out, state, 6, "count", PICK(state, counts));
}

static void put_memory(FILE *out, uint64_t *state, uint64_t layer)
{
    static const char *const sizes[] = {"1 MiB", "32 Mword", "173576 bytes", "2 Tiword",
                                        "1e3 kword"};
    static const char *const reserves[] = {"0 word", "8 bytes", "1 kword", "not-modelled"};
    static const char *const accesses[] = {"0.97 ns/word", "7 cycles at 450 MHz", "4 ns/access",
                                           "not-modelled"};
    static const char *const counts[] = {"1", "16", "not-modelled"};
    fprintf(out, "    memory:\n      name: M%d\n", (int)layer);
    put(out, state, 6, "ports", PICK(state, counts));
    put(out, state, 6, "access", PICK(state, accesses));
    put(out, state, 6, "access-words", PICK(state, counts));
    put(out, state, 6, "reserve", PICK(state, reserves));
    put(out, state, 6, "capacity", PICK(state, sizes));
}

static void put_port(FILE *out, uint64_t *state, uint64_t layer)
{
    static const char *const rates[] = {"10 Gword/s", "64.1 Gword/s", "512 GB/s", "1 word/s",
                                        "not-modelled"};
    static const char *const outs[] = {"1", "2", "16"};
    bool in = draw_below(state, 2);
    fprintf(out, "      l%d:\n", (int)layer);
    put(out, state, 8, "in", in ? PICK(state, outs) : "not-modelled");
    put(out, state, 8, "in-rate", in ? PICK(state, rates) : "not-modelled");
    put(out, state, 8, "out", PICK(state, outs));
    put(out, state, 8, "out-rate", PICK(state, rates));
}

static void put_network(FILE *out, uint64_t *state, uint64_t layers)
{
    static const char *const times[] = {"0 ns", "85 ns", "1 fs", "not-modelled", "0.5 s"};
    fprintf(out, "networks:\n  net:\n    scope: machine\n    ports:\n");
    for (uint64_t i = layers; i-- > 0;)
        put_port(out, state, i);
    put(out, state, 4, "latency", PICK(state, times));
    put(out, state, 4, "startup", PICK(state, times));
}

static char *random_text(uint64_t *state)
{
    static const char *const slices[] = {"1", "16", "4096"};
    char *text = NULL;
    size_t length;
    uint64_t layers = 1 + draw_below(state, HTMT_LAYERS_MAX);
    FILE *out = open_memstream(&text, &length);
    cr_assert_not_null(out);
    fprintf(out, "htmt-machine: 1\n%s", draw_below(state, 2) ? "about: \"a \\\"b\\\" c\"\n" : "");
    put_network(out, state, layers);
    put(out, state, 0, "slices", PICK(state, slices));
    fprintf(out, "layers:\n");
    for (uint64_t i = 0; i < layers; i++) {
        fprintf(out, "  l%d:\n", (int)i);
        put_memory(out, state, i);
        put_processor(out, state, i);
    }
    cr_assert_eq(fclose(out), 0);
    return text;
}

Test(machine_dump, random_machines_survive_the_round_trip)
{
    uint64_t state = 7;
    for (int run = 0; run < 300; run++) {
        char *text = random_text(&state);
        struct htmt_machine *m = machine_parse(text);
        expect_round_trip(m);
        htmt_machine_destroy(&m);
        free(text);
    }
}

static uint64_t hash_with(const char *set)
{
    struct htmt_machine *m = machine_load("htmt-oct98", set);
    uint64_t hash = m->hash;
    htmt_machine_destroy(&m);
    return hash;
}

Test(machine_dump, the_hash_is_of_values_not_of_spellings_or_sources)
{
    uint64_t plain = hash_with(NULL);
    cr_expect_eq(hash_with("layers.cram.memory.capacity=131072 words"), plain);
    cr_expect_eq(hash_with("networks.vortex.latency=0.085e3 ns"), plain);
    cr_expect_eq(hash_with("layers.cram.processor.flop=1 cycle"), plain);
}

Test(machine_dump, every_figure_counts_in_the_hash)
{
    static const char *const sets[] = {"slices=4095",
                                       "layers.cram.memory.capacity=131073 words",
                                       "networks.vortex.latency=84 ns",
                                       "networks.vortex.latency=not-modelled",
                                       "networks.rti.ports.sram.out=2",
                                       "layers.dram.processor.lambda=0",
                                       "layers.dram.processor.name=PIM",
                                       "networks.cnet.scope=machine"};
    size_t count = sizeof sets / sizeof sets[0];
    uint64_t hash[sizeof sets / sizeof sets[0]];
    for (size_t i = 0; i < count; i++) {
        hash[i] = hash_with(sets[i]);
        for (size_t j = 0; j < i; j++)
            cr_expect_neq(hash[i], hash[j], "%s and %s", sets[i], sets[j]);
    }
    cr_expect_eq(hash[count - 1], hash_with(NULL), "the last says what the file says");
}

Test(machine_dump, a_full_disk_is_an_error)
{
    struct htmt_machine *m = machine_load("htmt-oct98", NULL);
    FILE *full = fopen("/dev/full", "w");
    cr_assert_not_null(full);
    cr_expect_eq(htmt_machine_dump(m, full), HTMT_EIO);
    fclose(full);
    htmt_machine_destroy(&m);
}
