/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Machine files: inheritance, --set, and every mistake with its line. Runs in the source folder,
 * where machines/ is.
 */
#include "layers/machine/machine.h"
#include "tests/files/place.h"
#include "tests/layers/machines.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A complete machine of one slice and two layers; each %s takes one line of a test's choice. */
#define HEAD   "htmt-machine: 1\n"               /* 1 */
#define SLICES "slices: {value: 1, source: s}\n" /* 2 */
#define HOST                                                                                       \
    "layers:\n" /* 3 */                                                                            \
    "  host:\n"                                                                                    \
    "    processor: none\n" /* 5 */                                                                \
    "    memory:\n"                                                                                \
    "      name: DRAM\n"                                                                           \
    "      capacity: {value: 1 kword, source: s}\n" /* 8 */                                        \
    "      reserve: {value: 10 word, source: s}\n"                                                 \
    "      access-words: {value: not-modelled, source: s}\n"                                       \
    "      access: {value: not-modelled, source: s}\n" /* 11 */                                    \
    "      ports: {value: not-modelled, source: s}\n"
#define PIM_NAME  "  device:\n    processor:\n      name: PIM\n" /* 13-15 */
#define PIM_COUNT "      count: {value: 2, source: s}\n"         /* 16 */
#define PIM_CLOCK "      clock: {value: 1 GHz, source: s}\n"     /* 17 */
#define PIM_FLOP  "      flop: {value: 1 cycle, source: s}\n"    /* 18 */
#define PIM_REST                                                                                   \
    "      iop: {value: 1 cycle, source: s}\n" /* 19 */                                            \
    "      load: {value: 1 cycle, source: s}\n"                                                    \
    "      store: {value: 1 cycle, source: s}\n"
#define PIM_LAMBDA "      lambda: {value: 0, source: s}\n" /* 22 */
#define PIM        PIM_NAME PIM_COUNT PIM_CLOCK PIM_FLOP PIM_REST PIM_LAMBDA
#define SRAM                                                                                       \
    "    memory:\n" /* 23 */                                                                       \
    "      name: SRAM\n"                                                                           \
    "      capacity: {value: 100 word, source: s}\n"                                               \
    "      reserve: {value: not-modelled, source: s}\n"                                            \
    "      access-words: {value: not-modelled, source: s}\n"                                       \
    "      access: {value: not-modelled, source: s}\n"                                             \
    "      ports: {value: not-modelled, source: s}\n" /* 29 */
#define LINK                                                                                       \
    "networks:\n" /* 30 */                                                                         \
    "  link:\n"                                                                                    \
    "    scope: slice\n"                                                                           \
    "    startup: {value: 0 ns, source: s}\n" /* 33 */                                             \
    "    latency: {value: 5 ns, source: s}\n"                                                      \
    "    ports:\n"
#define HOST_PORT                                                                                  \
    "      host:\n" /* 36 */                                                                       \
    "        out: {value: 1, source: s}\n"                                                         \
    "        out-rate: {value: 1 Gword/s, source: s}\n"                                            \
    "        in: {value: not-modelled, source: s}\n"                                               \
    "        in-rate: {value: not-modelled, source: s}\n" /* 40 */
#define DEVICE_PORT                                                                                \
    "      device:\n" /* 41 */                                                                     \
    "        out: {value: 1, source: s}\n"                                                         \
    "        out-rate: {value: 1 Gword/s, source: s}\n"                                            \
    "        in: {value: not-modelled, source: s}\n"                                               \
    "        in-rate: {value: not-modelled, source: s}\n" /* 45 */
#define WHOLE HEAD SLICES HOST PIM SRAM LINK HOST_PORT DEVICE_PORT

struct mistake {
    const char *text;
    int code;
    const char *message;
};

static int message_of(const char *text, struct htmt_fault *fault)
{
    struct htmt_machine *m = NULL;
    int rc = htmt_machine_parse("m.yaml", text, &m, fault);
    cr_expect_eq(m == NULL, rc != 0, "a machine exactly when there is no fault");
    htmt_machine_destroy(&m);
    return rc;
}

static void expect_mistakes(const struct mistake *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct htmt_fault fault = {0};
        cr_expect_eq(message_of(list[i].text, &fault), list[i].code, "%s", list[i].message);
        cr_expect_str_eq(fault.text, list[i].message);
    }
}

#define EXPECT(list) expect_mistakes(list, sizeof(list) / sizeof(list)[0])

Test(machine_file, the_machine_that_the_mistakes_are_made_in_is_good)
{
    struct htmt_fault fault = {0};
    cr_expect_eq(message_of(WHOLE, &fault), 0, "%s", fault.text);
}

Test(machine_file, structure_is_strict)
{
    static const struct mistake list[] = {
        {SLICES, HTMT_EFORMAT, "m.yaml:1: a machine file: key 'htmt-machine' is missing"},
        {"htmt-machine: 2\n", HTMT_EFORMAT,
         "m.yaml:1: htmt-machine: found version '2', expected '1'"},
        {HEAD SLICES "laiers: {}\n", HTMT_EFORMAT,
         "m.yaml:3: a machine file: unknown key 'laiers', did you mean 'layers'?"},
        {HEAD SLICES, HTMT_EFORMAT, "m.yaml:1: key 'layers' is missing"},
        {HEAD HOST, HTMT_EFORMAT, "m.yaml:1: key 'slices' is missing"},
        {HEAD SLICES "layers: 3\n", HTMT_EFORMAT,
         "m.yaml:3: layers: found '3', expected a mapping"},
        {HEAD SLICES "layers: [a]\n", HTMT_EFORMAT,
         "m.yaml:3: layers: found a list, expected a mapping"},
        {HEAD SLICES "layers:\n  Host: {}\n", HTMT_EFORMAT,
         "m.yaml:4: layers: found name 'Host', expected a lower-case letter and then letters, "
         "digits or '-', fewer than 32"},
        {HEAD SLICES HOST PIM_NAME PIM_COUNT "      clok: {value: 1 GHz, source: s}\n" PIM_FLOP,
         HTMT_EFORMAT,
         "m.yaml:17: layers.device.processor: unknown key 'clok', did you mean 'clock'?"},
        {HEAD SLICES HOST PIM_NAME PIM_COUNT PIM_COUNT, HTMT_EFORMAT,
         "m.yaml:17: key 'count' is repeated, first given in line 16"},
        {HEAD SLICES HOST "  device:\n    processor: nobody\n", HTMT_EFORMAT,
         "m.yaml:14: layers.device.processor: found 'nobody', expected 'none', 'as LAYER' or a "
         "mapping"},
        {HEAD SLICES HOST "  device:\n    processor: as host\n" SRAM, HTMT_EFORMAT,
         "m.yaml:14: layers.device.processor: found 'as host', expected an outer layer with "
         "processors"},
        {HEAD SLICES HOST "  device:\n    processor: as device\n" SRAM, HTMT_EFORMAT,
         "m.yaml:14: layers.device.processor: found 'as device', expected an outer layer with "
         "processors"},
        {HEAD SLICES HOST PIM_NAME "      count: 2\n", HTMT_EFORMAT,
         "m.yaml:16: layers.device.processor.count: found '2' without a source, expected {value: "
         "..., source: ...}"},
        {HEAD SLICES HOST PIM_NAME "      count:\n        value: 2\n", HTMT_EFORMAT,
         "m.yaml:17: layers.device.processor.count: key 'source' is missing"},
        {HEAD SLICES HOST PIM_NAME "      count: {value: 2, source: ''}\n", HTMT_EFORMAT,
         "m.yaml:16: layers.device.processor.count: the source is empty"},
        {HEAD SLICES HOST PIM_NAME "      count: {source: s}\n", HTMT_EFORMAT,
         "m.yaml:16: layers.device.processor.count: key 'value' is missing"},
        {HEAD SLICES HOST PIM_NAME "      count: {value: 2, source: s, by: me}\n", HTMT_EFORMAT,
         "m.yaml:16: layers.device.processor.count: unknown key 'by', expected one of 'value', "
         "'source', 'range'"},
        {HEAD SLICES HOST PIM_NAME PIM_COUNT PIM_FLOP PIM_REST PIM_LAMBDA SRAM, HTMT_EFORMAT,
         "m.yaml:15: key 'layers.device.processor.clock' is missing"},
        {HEAD SLICES HOST PIM, HTMT_EFORMAT,
         "m.yaml:15: key 'layers.device.memory.name' is missing"},
    };
    EXPECT(list);
}

Test(machine_file, a_figure_without_its_unit_or_out_of_range_is_refused)
{
#define WITH_CLOCK(line)  HEAD SLICES HOST PIM_NAME PIM_COUNT line PIM_FLOP PIM_REST PIM_LAMBDA
#define WITH_LAMBDA(line) HEAD SLICES HOST PIM_NAME PIM_COUNT PIM_CLOCK PIM_FLOP PIM_REST line
    static const struct mistake list[] = {
        {WITH_CLOCK("      clock: {value: 256, source: s}\n"), HTMT_EUNIT,
         "m.yaml:17: layers.device.processor.clock: found '256', expected a rate such as "
         "'256 GHz'"},
        {WITH_CLOCK("      clock: {source: s,\n        value: 256}\n"), HTMT_EUNIT,
         "m.yaml:18: layers.device.processor.clock: found '256', expected a rate such as "
         "'256 GHz'"},
        {WITH_CLOCK("      clock: {value: 0 Hz, source: s}\n"), HTMT_ERANGE,
         "m.yaml:17: layers.device.processor.clock: found '0 Hz', expected more than zero"},
        {WITH_CLOCK("      clock: {value: -1 Hz, source: s}\n"), HTMT_ERANGE,
         "m.yaml:17: layers.device.processor.clock: found '-1 Hz', expected no negative value"},
        {WITH_CLOCK("      clock: {value: not-modelled, source: s}\n"), HTMT_EFORMAT,
         "m.yaml:17: layers.device.processor.clock: found 'not-modelled', but the model cannot do "
         "without"},
        {WITH_LAMBDA("      lambda: {value: 1.5, source: s}\n"), HTMT_ERANGE,
         "m.yaml:22: layers.device.processor.lambda: found '1.5', expected at most 1"},
        {HEAD SLICES HOST PIM_NAME "      count: {value: 0, source: s}\n" PIM_CLOCK, HTMT_ERANGE,
         "m.yaml:16: layers.device.processor.count: found '0', expected more than zero"},
        {HEAD SLICES HOST PIM_NAME PIM_COUNT PIM_CLOCK "      flop: {value: 0 ps, source: s}\n",
         HTMT_ERANGE,
         "m.yaml:18: layers.device.processor.flop: found '0 ps', expected more than zero (say "
         "'not-modelled' where it shall cost nothing)"},
        {HEAD "slices: {value: 0, source: s}\n" HOST, HTMT_ERANGE,
         "m.yaml:2: slices: found '0', expected more than zero"},
        {HEAD "slices: {value: 1048577, source: s}\n" HOST, HTMT_ERANGE,
         "m.yaml:2: slices: found '1048577', expected at most 1048576"},
    };
    EXPECT(list);
}

Test(machine_file, a_memory_without_room_is_refused)
{
#define WITH_SRAM(capacity, reserve)                                                               \
    HEAD SLICES HOST PIM                                                                           \
        "    memory:\n      name: SRAM\n"                                                          \
        "      capacity: {value: " capacity ", source: s}\n"                                       \
        "      reserve: {value: " reserve ", source: s}\n"                                         \
        "      access-words: {value: not-modelled, source: s}\n"                                   \
        "      access: {value: not-modelled, source: s}\n"                                         \
        "      ports: {value: not-modelled, source: s}\n" LINK HOST_PORT DEVICE_PORT
    static const struct mistake list[] = {
        {WITH_SRAM("0 word", "not-modelled"), HTMT_ERANGE,
         "m.yaml:25: layers.device.memory.capacity: found '0 word', expected more than zero"},
        {WITH_SRAM("100 word", "800 bytes"), HTMT_ERANGE,
         "m.yaml:26: layers.device.memory.reserve: 100 words leave nothing of the capacity of 100 "
         "words"},
        {WITH_SRAM("9 bytes", "not-modelled"), HTMT_ERANGE,
         "m.yaml:25: layers.device.memory.capacity: found '9 bytes', expected a whole number of "
         "8-byte words"},
        {WITH_SRAM("2e18 word", "not-modelled"), HTMT_ERANGE,
         "m.yaml:25: layers.device.memory.capacity: found '2e18 word', expected at most "
         "1152921504606846976 words"},
    };
    EXPECT(list);
    struct htmt_fault fault = {0};
    cr_expect_eq(
        message_of(HEAD
                   "slices: {value: 1000, source: s}\n" HOST PIM "    memory:\n      name: SRAM\n"
                   "      capacity: {value: 1e18 word, source: s}\n"
                   "      reserve: {value: not-modelled, source: s}\n"
                   "      access-words: {value: not-modelled, source: s}\n"
                   "      access: {value: not-modelled, source: s}\n"
                   "      ports: {value: not-modelled, source: s}\n" LINK HOST_PORT DEVICE_PORT,
                   &fault),
        HTMT_ERANGE);
    cr_expect_str_eq(fault.text, "m.yaml:25: layers.device.memory.capacity: 1000000000000000000 "
                                 "words in each of 1000 slices are more than can be counted");
}

Test(machine_file, links_that_lead_nowhere_are_refused)
{
#define BODY HEAD SLICES HOST PIM SRAM
    static const struct mistake list[] = {
        {BODY, HTMT_EFORMAT,
         "m.yaml:24: layers.device.memory.name: no network carries words from layer 'host' to its "
         "neighbour 'device'"},
        {BODY LINK HOST_PORT, HTMT_EFORMAT,
         "m.yaml:32: networks.link.scope: a network inside a slice needs ports of two layers"},
        {BODY LINK HOST_PORT "      devise:\n        out: {value: 1, source: s}\n", HTMT_EFORMAT,
         "m.yaml:42: networks.link.ports.devise.out: a port of a layer that is not there, did you "
         "mean 'device'?"},
        {BODY LINK HOST_PORT "      device:\n        out: {value: 17, source: s}\n", HTMT_ERANGE,
         "m.yaml:42: networks.link.ports.device.out: found '17', expected at most 16"},
        {BODY LINK HOST_PORT "      device:\n        out: {value: 1, source: s}\n"
                             "        out-rate: {value: -1 Gword/s, source: s}\n",
         HTMT_ERANGE,
         "m.yaml:43: networks.link.ports.device.out-rate: found '-1 Gword/s', expected no negative "
         "value"},
        {BODY LINK HOST_PORT "      device:\n        out: {value: 1, source: s}\n"
                             "        out-rate: {value: 0 Gword/s, source: s}\n",
         HTMT_ERANGE,
         "m.yaml:43: networks.link.ports.device.out-rate: found '0 Gword/s', expected more than "
         "zero (say 'not-modelled' where it shall cost nothing)"},
        {BODY LINK HOST_PORT "      device:\n        out: {value: 0, source: s}\n"
                             "        out-rate: {value: not-modelled, source: s}\n"
                             "        in: {value: 1, source: s}\n"
                             "        in-rate: {value: not-modelled, source: s}\n",
         HTMT_EFORMAT,
         "m.yaml:24: layers.device.memory.name: no network carries words from layer 'device' to "
         "its neighbour 'host'"},
        {BODY LINK HOST_PORT "      device:\n        out: {value: 0, source: s}\n"
                             "        out-rate: {value: not-modelled, source: s}\n"
                             "        in: {value: not-modelled, source: s}\n"
                             "        in-rate: {value: not-modelled, source: s}\n",
         HTMT_EFORMAT,
         "m.yaml:42: networks.link.ports.device.out: a port with no channel out and none in"},
        {BODY LINK HOST_PORT "      device:\n        out: {value: 1, source: s}\n"
                             "        out-rate: {value: 1 Gword/s, source: s}\n"
                             "        in: {value: not-modelled, source: s}\n"
                             "        in-rate: {value: 1 Gword/s, source: s}\n",
         HTMT_EFORMAT,
         "m.yaml:45: networks.link.ports.device.in-rate: the rate of channels that are not "
         "modelled, expected 'not-modelled'"},
        {BODY "networks:\n  link: {value: not-modelled, source: s}\n", HTMT_EFORMAT,
         "m.yaml:31: networks.link: found 'not-modelled', but no base has this network"},
        {BODY "networks:\n  link:\n    scope: galaxy\n"
              "    startup: {value: 0 ns, source: s}\n    latency: {value: 0 ns, source: s}\n",
         HTMT_EFORMAT,
         "m.yaml:32: networks.link.scope: found 'galaxy', expected 'slice' or 'machine'"},
    };
    EXPECT(list);
}

Test(machine_file, one_name_means_one_layer)
{
    struct htmt_fault fault = {0};
    cr_expect_eq(message_of(HEAD SLICES HOST
                            "  device:\n    processor:\n      name: dram\n" PIM_COUNT PIM_CLOCK
                                PIM_FLOP PIM_REST PIM_LAMBDA SRAM LINK HOST_PORT DEVICE_PORT,
                            &fault),
                 HTMT_EFORMAT);
    cr_expect_str_eq(fault.text, "m.yaml:15: layers.device.processor.name: this name also means "
                                 "layer 'host'");
}

Test(machine_file, times_without_a_small_common_denominator_are_refused)
{
    struct htmt_fault fault = {0};
    cr_expect_eq(
        message_of(
            HEAD SLICES HOST PIM_NAME PIM_COUNT
            "      clock: {value: 999999937 Hz, source: s}\n"
            "      flop: {value: 999999929 flop/cycle, source: s}\n"
            "      iop: {value: 999999893 iop/cycle, source: s}\n"
            "      load: {value: 1 cycle, source: s}\n"
            "      store: {value: 1 cycle, source: s}\n" PIM_LAMBDA SRAM LINK HOST_PORT DEVICE_PORT,
            &fault),
        HTMT_ERANGE);
    cr_expect_str_eq(fault.text, "m.yaml:17: layers.device.processor.clock: the times of this "
                                 "processor have no common denominator below 2^62 (use rounder "
                                 "figures)");
}

Test(machine_file, a_derived_machine_differs_only_in_what_it_says)
{
    struct htmt_machine *base = machine_load_sets("htmt-oct98", NULL, 0);
    struct htmt_machine *derived = machine_load_sets("hereld-tables", NULL, 0);
    cr_assert_eq(base->figure_count, derived->figure_count);
    unsigned other = 0, from_derived = 0;
    for (uint32_t i = 0; i < base->figure_count; i++) {
        cr_expect_str_eq(base->figure[i].key, derived->figure[i].key);
        other += strcmp(base->figure[i].value, derived->figure[i].value) != 0;
        from_derived += strstr(derived->figure[i].file, "hereld-tables.yaml") != NULL;
    }
    cr_expect_eq(other, 6, "three capacities, three latencies");
    cr_expect_eq(from_derived, 6);
    cr_expect_neq(base->hash, derived->hash);
    cr_expect_str_eq(derived->name, "hereld-tables");
    htmt_machine_destroy(&base);
    htmt_machine_destroy(&derived);
    cr_expect_null(derived);
    htmt_machine_destroy(&derived);
    htmt_machine_destroy(NULL);
}

Test(machine_file, set_changes_one_figure_and_says_so)
{
    const char *const set[] = {"slices=16", "layers.cram.memory.capacity=2 MiB"};
    struct htmt_machine *m = machine_load_sets("htmt-oct98", set, 2);
    int cram = htmt_machine_layer(m, "cram");
    cr_expect_eq(m->slices, 16);
    cr_expect_eq(m->layer[cram].memory.capacity, 262144);
    cr_expect_str_eq(m->figure[0].key, "slices");
    cr_expect_str_eq(m->figure[0].value, "16");
    cr_expect_str_eq(m->figure[0].file, "--set");
    htmt_machine_destroy(&m);
}

Test(machine_file, the_last_set_of_a_key_holds)
{
    const char *const set[] = {"slices=16", "slices=9"};
    struct htmt_machine *m = machine_load_sets("htmt-oct98", set, 2);
    cr_expect_eq(m->slices, 9);
    htmt_machine_destroy(&m);
}

Test(machine_file, a_wrong_set_is_one_line)
{
    static const struct {
        const char *set;
        int code;
        const char *message;
    } list[] = {
        {"slices", HTMT_EFORMAT, "--set: found 'slices', expected KEY=VALUE"},
        {"=3", HTMT_EFORMAT, "--set: found '=3', expected KEY=VALUE"},
        {"slices=", HTMT_EFORMAT, "--set: found 'slices=', expected KEY=VALUE"},
        {"slices=3\n", HTMT_EFORMAT, "--set: found a line break, expected KEY=VALUE"},
        {"slice=3", HTMT_EFORMAT, "--set slice: unknown key, did you mean 'slices'?"},
        {"colour=red", HTMT_EFORMAT,
         "--set colour: unknown key, expected one that `htmt machine show` lists"},
        {"slices=many", HTMT_EFORMAT,
         "--set slices: found 'many', expected a whole number without a unit such as '128'"},
        {"layers.cram.memory.capacity=2", HTMT_EUNIT,
         "--set layers.cram.memory.capacity: found '2', expected a size such as '1 MiB' or '32 "
         "Mword'"},
        {"networks.ether=not-modelled", HTMT_EFORMAT,
         "--set networks.ether: found 'not-modelled', but no base has this network"},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct htmt_machine *m = NULL;
        struct htmt_fault fault = {0};
        cr_expect_eq(htmt_machine_load("htmt-oct98", &list[i].set, 1, &m, &fault), list[i].code);
        cr_expect_str_eq(fault.text, list[i].message);
        cr_expect_null(m);
    }
}

Test(machine_file, a_network_that_is_not_modelled_keeps_its_routes_and_costs_nothing)
{
    const char *const set[] = {"networks.vortex=not-modelled"};
    struct htmt_machine *m = machine_load_sets("htmt-oct98", set, 1);
    uint32_t dram = (uint32_t)htmt_machine_layer(m, "dram");
    uint32_t sram = (uint32_t)htmt_machine_layer(m, "sram");
    int vortex = htmt_machine_route(m, dram, sram, true);
    cr_assert_eq(vortex, htmt_machine_network(m, "vortex"));
    cr_expect_eq(m->network[vortex].latency, 0);
    cr_expect_eq(htmt_machine_out_time(m, (uint32_t)vortex, dram, sram, 1000000, 1, 1), 0);
    cr_expect_eq(m->network[vortex].port[sram].in, 0);
    htmt_machine_destroy(&m);
}

/* Comparing each with all before it takes long. */
Test(machine_file, figures_without_end_are_refused, .timeout = 10)
{
    enum { NETWORKS = 16000 };
    struct htmt_fault fault = {0};
    char *text = malloc(NETWORKS * 60 + 100), *at = text;
    cr_assert_not_null(text);
    at += sprintf(at, HEAD "\nbase: htmt-oct98\nnetworks:\n");
    for (int i = 0; i < NETWORKS; i++)
        at += sprintf(at, "  a%d: {startup: {value: 1 ns, source: a}}\n", i);
    cr_expect_eq(message_of(text, &fault), HTMT_EFORMAT);
    cr_expect(strstr(fault.text, "found more than 4096 figures"), "%s", fault.text);
    free(text);
}

Test(machine_file, bases_are_found_beside_their_file_and_cycles_are_refused)
{
    char expected[200];
    struct place p = place("more.yaml");
    struct htmt_fault fault = {0};
    place_put(&p, "whole.yaml", WHOLE);
    place_put(&p, "more.yaml", HEAD "base: whole\nslices: {value: 7, source: s}\n");
    struct htmt_machine *m = machine_load(p.path, NULL);
    cr_expect_eq(m->slices, 7);
    htmt_machine_destroy(&m);
    place_put(&p, "whole.yaml", HEAD "base: more\n");
    cr_expect_eq(htmt_machine_load(p.path, NULL, 0, &m, &fault), HTMT_EFORMAT);
    snprintf(expected, sizeof expected,
             "%s/whole.yaml:2: base: found 'more', which is based on this file", p.folder);
    cr_expect_str_eq(fault.text, expected);
    place_remove(&p);
}

Test(machine_file, a_variable_replaces_the_folders_of_the_search)
{
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    cr_assert_eq(setenv("HTMT_MACHINE_PATH", "/nowhere:/neither", 1), 0);
    cr_expect_eq(htmt_machine_load("htmt-oct98", NULL, 0, &m, &fault), HTMT_ENOENT);
    cr_expect_str_eq(fault.text,
                     "no machine 'htmt-oct98' (no htmt-oct98.yaml in /nowhere, /neither)");
    cr_assert_eq(setenv("HTMT_MACHINE_PATH", "/nowhere:machines", 1), 0);
    m = machine_load_sets("htmt-oct98", NULL, 0);
    htmt_machine_destroy(&m);
}

Test(machine_file, a_missing_base_names_the_line_that_wants_it)
{
    struct htmt_fault fault = {0};
    cr_assert_eq(setenv("HTMT_MACHINE_PATH", "/nowhere", 1), 0);
    cr_expect_eq(message_of(HEAD "\nbase: ghost\n", &fault), HTMT_ENOENT);
    cr_expect_str_eq(fault.text,
                     "m.yaml:3: base: no machine 'ghost' (no ghost.yaml in /nowhere, .)");
}

Test(machine_file, a_missing_file_is_one_line)
{
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt_machine_load("./none.yaml", NULL, 0, &m, &fault), HTMT_ENOENT);
    cr_expect_str_eq(fault.text, "./none.yaml: cannot open: No such file or directory");
}
