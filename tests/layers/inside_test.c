/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is inside a network, as machine files say it: every key, the dump, --set, the hash, and each
 * mistake with its line. Runs in the source folder.
 */
#include "layers/model.h"
#include "layers/network/routing.h"
#include "tests/files/place.h"
#include "tests/layers/machines.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define US INT64_C(1000000000)

enum { VORTEX = 1, CNET = 3 }; /* of small-htmt, which has four slices */

#define TOP "htmt-machine: 1\nbase: small-htmt\nnetworks:\n  cnet:\n" /* 1-4 */
/* The lines of `inside`, each of which a test may replace. */
static const char *const lines[] = {
    "    inside:\n",                                        /* 5 */
    "      topology: mesh\n",                               /* 6 */
    "      shape: {value: 2 x 2, source: s}\n",             /* 7 */
    "      switching: wormhole\n",                          /* 8 */
    "      routing: xy\n",                                  /* 9 */
    "      packet: {value: 100 B, source: s}\n",            /* 10 */
    "      header: {fixed: 8 B, hop: 1 B, source: both}\n", /* 11 */
    "      rate: {value: 100 MB/s, source: s}\n",           /* 12 */
    "      wire: {value: 100 ns, source: s}\n",             /* 13 */
    "      switch: {value: 10 ns, source: s}\n",            /* 14 */
    "      buffer: {value: 2 packet, source: s}\n",         /* 15 */
    "      lanes: {value: 1, source: s}\n",                 /* 16 */
    "      planes: {value: 4, as: scaled, source: s}\n",    /* 17 */
    "      setup: {value: 5 us, source: s}\n",              /* 18 */
    "      route: {value: 10 us, source: s}\n",             /* 19 */
    "      copy: {value: 0.1 us/B, source: s}\n",           /* 20 */
    "      control: {value: 200 ns, source: s}\n",          /* 21 */
};
enum { LINES = sizeof lines / sizeof *lines, FIRST = 5 };

/* The file with a line replaced by another one ("" for none); `line` as in the numbers above. */
static const char *with(char text[4096], int line, const char *instead)
{
    size_t used = (size_t)snprintf(text, 4096, TOP);
    for (int i = 0; i < LINES; i++)
        used += (size_t)snprintf(text + used, 4096 - used, "%s",
                                 i + FIRST == line ? instead : lines[i]);
    return text;
}

static void refused(int line, const char *instead, const char *message)
{
    char text[4096];
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    cr_expect_lt(htmt_machine_parse("m.yaml", with(text, line, instead), &m, &fault), 0, "%s",
                 message);
    cr_expect_str_eq(fault.text, message);
    cr_expect_eq(htmt_exit_status(fault.code), 2);
    cr_expect_null(m);
    htmt_machine_destroy(&m);
}

/* ---- figures --------------------------------------------------------------------------------- */

Test(inside, every_key_goes_where_it_belongs)
{
    char text[4096];
    struct htmt_machine *m = machine_parse(with(text, 0, ""));
    const struct htmt__topology *t = htmt__topology(&m->network[CNET]);
    cr_assert_not_null(t);
    cr_expect_null(htmt__topology(&m->network[VORTEX]));
    const struct htmt__inside *in = &t->said;
    cr_expect(in->topology == HTMT__MESH && in->switching == HTMT__WORMHOLE);
    cr_expect(in->routing == HTMT__ROUTE_XY && in->dimensions == 2 && in->shape[1] == 2);
    cr_expect(in->packet == 100 && in->header == 8 && in->header_hop == 1);
    cr_expect(in->byte.num == 10000000 && in->byte.den == 1);
    cr_expect(in->wire == 100000000 && in->turn == 10000000 && in->control == 200000000);
    cr_expect(in->lanes == 1 && in->planes == 4 && in->scaled);
    cr_expect(in->setup == 5 * US && in->route == 10 * US && in->copy.num == US / 10);
    cr_expect(in->router == -1 && !in->from_source);
    cr_expect_eq(t->longest, 3);
    cr_expect_eq(t->inside.buffer, 2 * (100 + 8 + 3), "two packets with the longest header");
    cr_expect(t->inside.planes == 1 && t->inside.byte.num == 2500000, "scaled by four");
    cr_expect(htmt__wire(t, 0)->from == 0 && htmt__wire(t, 0)->wire == (100 + 20) * 1000000,
              "the network's latency is in the wire that leaves an end");
    htmt_machine_destroy(&m);
}

Test(inside, keys_beside_the_start_up_have_values_of_their_own_or_that_of_the_start_up)
{
    char text[4096];
    struct htmt_machine *m =
        machine_parse(with(text, 5,
                           "    startup: {value: 3 us, source: s}\n"
                           "    startup-next: {value: 2 us, source: s}\n"
                           "    receive: {value: 1 us, source: s}\n"
                           "    local-rate: {value: 1 GB/s, source: s}\n    inside:\n"));
    const struct htmt__inside *in = &htmt__topology(&m->network[CNET])->inside;
    cr_expect(in->startup_next == 2 * US && in->receive == US && in->local_byte.num == 1000000);
    htmt_machine_destroy(&m);
    m = machine_parse(with(text, 5, "    startup: {value: 3 us, source: s}\n    inside:\n"));
    in = &htmt__topology(&m->network[CNET])->inside;
    cr_expect(in->startup_next == 3 * US && in->receive == 0 && in->local_byte.num == 0);
    htmt_machine_destroy(&m);
}

Test(inside, the_dump_loads_again_to_the_same_machine)
{
    static const char *const names[] = {"hpsc-simple", "hpsc-grid",   "hpsc-lanes",
                                        "gcel",        "powerstone1", "htmt-torus"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct htmt_machine *m = machine_load(names[i], NULL);
        char *dump = NULL;
        size_t size;
        FILE *f = open_memstream(&dump, &size);
        cr_assert_eq(htmt_machine_dump(m, f), 0);
        fclose(f);
        cr_expect_eq(machine_parse_hash(dump), m->hash, "%s", names[i]);
        free(dump);
        htmt_machine_destroy(&m);
    }
}

Test(inside, a_network_whose_inside_is_taken_away_is_todays)
{
    struct htmt_machine *plain = machine_load("htmt-2007", NULL);
    struct htmt_machine *m = machine_parse("htmt-machine: 1\nbase: htmt-torus\nnetworks:\n"
                                           "  cnet: {inside: not-modelled}\n"
                                           "  vortex: {inside: not-modelled}\n");
    cr_expect_eq(m->hash, plain->hash);
    cr_expect_null(m->network[CNET].model);
    htmt_machine_destroy(&m);
    htmt_machine_destroy(&plain);
    plain = machine_load("hpsc-simple", "networks.myrinet.inside=not-modelled");
    cr_expect_null(plain->network[0].model);
    htmt_machine_destroy(&plain);
}

Test(inside, set_changes_words_and_figures)
{
    struct htmt_machine *m = machine_load("gcel", "networks.grid.inside.shape=4 x 16");
    cr_expect_eq(htmt__topology(&m->network[0])->inside.shape[1], 16);
    htmt_machine_destroy(&m);
    m = machine_load("gcel", "networks.grid.inside.planes.count=2");
    cr_expect_eq(htmt__topology(&m->network[0])->inside.planes, 2);
    htmt_machine_destroy(&m);
    m = machine_load("gcel", "networks.grid.inside.place=hilbert");
    cr_expect_eq(htmt__topology(&m->network[0])->end_of[1], 8);
    htmt_machine_destroy(&m);
    m = machine_load("gcel", "networks.grid.inside.router=none");
    cr_expect_eq(htmt__topology(&m->network[0])->inside.router, -1);
    htmt_machine_destroy(&m);
}

/* A file that does not say what ties do is the machine that it was. */
Test(inside, ties_are_forward_unless_a_file_or_set_says_balanced)
{
    struct htmt_machine *m = machine_load("htmt-torus", NULL),
                        *b = machine_load("htmt-torus", NULL);
    cr_expect_eq(htmt__topology(&m->network[CNET])->inside.ties, HTMT__TIES_FORWARD);
    htmt_machine_destroy(&b);
    b = machine_load("htmt-torus", "networks.cnet.inside.ties=balanced");
    cr_expect_eq(htmt__topology(&b->network[CNET])->inside.ties, HTMT__TIES_BALANCED);
    cr_expect_neq(b->hash, m->hash);
    htmt_machine_destroy(&b);
    htmt_machine_destroy(&m);
}

Test(inside, equal_machines_have_equal_hashes_and_each_change_another_one)
{
    char text[4096];
    uint64_t plain = machine_parse_hash(with(text, 0, ""));
    cr_expect_eq(machine_parse_hash(with(text, 7, "      shape: {value: 2x2, source: other}\n")),
                 plain);
    cr_expect_eq(machine_parse_hash(with(text, 13, "      wire: {value: 0.1 us, source: s}\n")),
                 plain);
    cr_expect_eq(machine_parse_hash(with(text, 9, "      routing: xy\n      place: rows\n")),
                 plain);
    cr_expect_neq(machine_parse_hash(with(text, 7, "      shape: {value: 4 x 1, source: s}\n")),
                  plain);
    cr_expect_neq(machine_parse_hash(with(text, 9, "      routing: shortest\n")), plain);
    cr_expect_neq(machine_parse_hash(with(text, 9, "      routing: xy\n      place: hilbert\n")),
                  plain);
    cr_expect_neq(
        machine_parse_hash(with(text, 11, "      header: {fixed: 8 B, hop: 2 B, source: s}\n")),
        plain);
    cr_expect_neq(
        machine_parse_hash(with(text, 17, "      planes: {value: 4, as: dealt, source: s}\n")),
        plain);
    struct htmt_machine *a = machine_load("hpsc-grid", NULL), *b = machine_load("hpsc-eight", NULL);
    cr_expect_neq(a->hash, b->hash);
    htmt_machine_destroy(&a);
    htmt_machine_destroy(&b);
}

Test(inside, copies_of_a_machine_share_what_is_constant)
{
    extern int htmt__machine_copy(const struct htmt_machine *machine, struct htmt_machine **copy);
    struct htmt_machine *m = machine_load("gcel", NULL), *copy = NULL;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__machine_copy(m, &copy), 0);
    const struct htmt__topology *t = htmt__topology(&m->network[0]);
    cr_expect_eq(htmt__topology(&copy->network[0]), t);
    cr_expect_eq(t->users, 2);
    cr_assert_eq(htmt__machine_play(copy, 16, &fault), 0, "%s", fault.text);
    cr_expect_eq(htmt__topology(&m->network[0]), t);
    cr_expect_eq(t->users, 1);
    const struct htmt__topology *fewer = htmt__topology(&copy->network[0]);
    cr_expect(fewer->slices == 16 && fewer->ends == 64);
    for (uint32_t e = 0; e < fewer->ends + fewer->switches; e++)
        cr_assert_lt(fewer->owner[e], 16);
    htmt_machine_destroy(&m);
    htmt_machine_destroy(&copy);
}

Test(inside, shapes_that_follow_the_slices_shrink_with_those_that_are_played)
{
    struct htmt_machine *m = machine_load("htmt-torus", NULL);
    struct htmt_fault fault = {0};
    const struct htmt__topology *cnet = htmt__topology(&m->network[CNET]);
    cr_expect(cnet->ends == 4096 && cnet->inside.shape[0] == 64 && cnet->inside.shape[1] == 64);
    cr_expect_eq(htmt__topology(&m->network[VORTEX])->inside.shape[1], 12);
    cr_assert_eq(htmt__machine_play(m, 16, &fault), 0, "%s", fault.text);
    cnet = htmt__topology(&m->network[CNET]);
    cr_expect(cnet->ends == 16 && cnet->inside.shape[0] == 4 && cnet->inside.shape[1] == 4);
    cr_expect_eq(htmt__topology(&m->network[VORTEX])->inside.shape[1], 4);
    htmt_machine_destroy(&m);
}

/* The crossing of a network is that of two ends as far apart as ends are in the mean. */
Test(inside, a_crossing_is_that_of_a_usual_pair)
{
    struct htmt_machine *m = machine_load("gcel", NULL);
    const struct htmt__topology *t = htmt__topology(&m->network[0]);
    uint32_t switches = htmt__route_path(t, t->usual[0], t->usual[1], NULL, NULL, 0);
    cr_expect_eq(switches, 6, "the mean of an 8 x 8 mesh is 5.33 links: 6.33 switches");
    /* 120 B: (s + 1) (10 + 5 + 75) + s 12 us */
    cr_expect_eq(htmt_machine_crossing(m, 0, 15), (7 * 90 + 6 * 12) * US);
    htmt_machine_destroy(&m);
}

Test(inside, a_crossbar_without_times_crosses_in_the_latency)
{
    static const char text[] =
        "htmt-machine: 1\nbase: small-htmt\nnetworks:\n  vortex:\n    inside:\n"
        "      topology: crossbar\n      switching: wormhole\n      routing: shortest\n"
        "      packet: {value: not-modelled, source: s}\n"
        "      header: {value: not-modelled, source: s}\n"
        "      rate: {value: not-modelled, source: s}\n"
        "      wire: {value: not-modelled, source: s}\n"
        "      switch: {value: not-modelled, source: s}\n"
        "      buffer: {value: not-modelled, source: s}\n"
        "      lanes: {value: not-modelled, source: s}\n"
        "      planes: {value: not-modelled, source: s}\n"
        "      setup: {value: not-modelled, source: s}\n"
        "      route: {value: not-modelled, source: s}\n"
        "      copy: {value: not-modelled, source: s}\n"
        "      control: {value: not-modelled, source: s}\n";
    struct htmt_machine *m = machine_parse(text), *plain = machine_load("small-htmt", NULL);
    for (uint64_t words = 0; words < 1000; words += 333)
        cr_expect_eq(htmt_machine_crossing(m, VORTEX, words),
                     htmt_machine_crossing(plain, VORTEX, words));
    htmt_machine_destroy(&plain);
    htmt_machine_destroy(&m);
}

/* ---- mistakes -------------------------------------------------------------------------------- */

Test(inside, mistaken_words_and_missing_keys_are_refused)
{
    refused(6, "      topology: mush\n",
            "m.yaml:6: networks.cnet.inside.topology: found 'mush', did you mean 'mesh'?");
    refused(8, "      switching: worms\n",
            "m.yaml:8: networks.cnet.inside.switching: found 'worms', expected one of "
            "'store-and-forward', 'cut-through', 'wormhole'");
    refused(7, "",
            "m.yaml:6: networks.cnet.inside.topology: it has no shape, expected the key "
            "'shape'");
    refused(14, "", "m.yaml:6: key 'networks.cnet.inside.switch' is missing");
    refused(9, "      routing: xy\n      ties: even\n",
            "m.yaml:10: networks.cnet.inside.ties: found 'even', expected one of 'forward', "
            "'balanced', 'hash'");
    refused(9, "      routing: xy\n      ties: balanced\n",
            "m.yaml:10: networks.cnet.inside.ties: found 'balanced', but no packet goes round a "
            "ring");
    refused(13, "      wire: 100 ns\n",
            "m.yaml:13: networks.cnet.inside.wire: found '100 ns' without a source, expected "
            "{value: ..., source: ...}");
    refused(11, "      header: {fixed: 8 B, hop: 1 B}\n",
            "m.yaml:11: networks.cnet.inside.header.fixed: key 'source' is missing");
    refused(17, "      planes: {value: 4, as: scaled}\n",
            "m.yaml:17: networks.cnet.inside.planes.count: key 'source' is missing");
    refused(17, "      planes: {value: 4, as: mixed, source: s}\n",
            "m.yaml:17: networks.cnet.inside.planes.as: found 'mixed', expected 'dealt' or "
            "'scaled'");
    refused(12, "      rate: {value: 100 MB, source: s}\n",
            "m.yaml:12: networks.cnet.inside.rate: found '100 MB', expected a rate such as '160 "
            "MB/s'");
    refused(10, "      packet: {value: 0.5 B, source: s}\n",
            "m.yaml:10: networks.cnet.inside.packet: found '0.5 B', expected a whole number of "
            "bytes");
    refused(20, "      copy: {value: 1 us, source: s}\n",
            "m.yaml:20: networks.cnet.inside.copy: found '1 us', expected a time a byte such as "
            "'0.1 us/B'");
    refused(21, "      control: {value: 1 us, source: s}\n      router: vortex\n",
            "m.yaml:22: networks.cnet.inside.router: found 'vortex', expected 'none' or a layer "
            "with processors");
    refused(21, "      control: {value: 1 us, source: s}\n      router: hram\n",
            "m.yaml:22: networks.cnet.inside.router: found 'hram', expected 'none' or a layer "
            "with processors");
    refused(9, "      routing: xy\n      place: there\n",
            "m.yaml:10: networks.cnet.inside.place: found 'there', expected 'rows', 'hilbert' or "
            "a file");
}

Test(inside, what_does_not_fit_together_is_refused)
{
    refused(7, "      shape: {value: 3 x 1, source: s}\n",
            "m.yaml:7: networks.cnet.inside.shape: 3 ends do not hold the 4 slices of the "
            "machine");
    refused(7, "      shape: {value: 4096 x 4096, source: s}\n",
            "m.yaml:7: networks.cnet.inside.shape: a network of more than 8388608 channels is too "
            "large");
    refused(7, "      shape: {value: 16777216 x 16777216, source: s}\n",
            "m.yaml:7: networks.cnet.inside.shape: a network of more than 8388608 channels is too "
            "large");
    refused(10, "      packet: {value: 11 B, source: s}\n",
            "m.yaml:10: networks.cnet.inside.packet: found 11 bytes, expected more than the "
            "header of 11 bytes");
    refused(15, "      buffer: {value: 100 B, source: s}\n",
            "m.yaml:15: networks.cnet.inside.buffer: found 100 bytes, but a credit is back after "
            "wire and control, in which more bytes leave: a stream alone would stand");
}

static void both(int line, const char *instead, int other, const char *second, const char *message)
{
    static char kept[200];
    char text[4096], before[4096];
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    (void)with(before, line, instead);
    const char *at = strstr(before, lines[other - FIRST]);
    cr_assert_not_null(at);
    snprintf(kept, sizeof kept, "%s", lines[other - FIRST]);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - before), before, second, at + strlen(kept));
    cr_expect_lt(htmt_machine_parse("m.yaml", text, &m, &fault), 0, "%s", message);
    cr_expect_str_eq(fault.text, message);
    cr_expect_null(m);
    htmt_machine_destroy(&m);
}

Test(inside, a_buffer_smaller_than_what_its_switching_needs_is_refused)
{
    both(8, "      switching: cut-through\n", 15, "      buffer: {value: 110 B, source: s}\n",
         "m.yaml:15: networks.cnet.inside.buffer: found 110 bytes, but cut-through keeps whole "
         "packets of up to 111 bytes");
    both(10, "      packet: {value: not-modelled, source: s}\n", 8,
         "      switching: store-and-forward\n",
         "m.yaml:15: networks.cnet.inside.buffer: counts packets, but messages are not cut "
         "(packet is not-modelled)");
    both(12, "      rate: {value: not-modelled, source: s}\n", 15,
         "      buffer: {value: 4 KiB, source: s}\n",
         "m.yaml:15: networks.cnet.inside.buffer: found 4096 bytes, but a credit is back after "
         "wire and control, in which a channel without a rate sends any number (expected "
         "not-modelled)");
}

Test(inside, too_few_lanes_are_refused)
{
    both(6, "      topology: torus\n", 9, "      routing: torus\n",
         "m.yaml:16: networks.cnet.inside.lanes: routing 'torus' changes lanes where a ring "
         "closes, expected at least 2");
}

Test(inside, keys_of_an_inside_are_refused_where_there_is_none)
{
    static const char text[] = "htmt-machine: 1\nbase: small-htmt\nnetworks:\n  cnet:\n"
                               "    receive: {value: 1 us, source: s}\n";
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt_machine_parse("m.yaml", text, &m, &fault), HTMT_EFORMAT);
    cr_expect_str_eq(fault.text, "m.yaml:5: networks.cnet.receive: the network has no topology "
                                 "inside, which alone knows it");
}

Test(inside, a_network_of_a_slice_has_no_inside)
{
    static const char text[] = "htmt-machine: 1\nbase: gcel\nnetworks:\n  grid:\n"
                               "    scope: slice\n";
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt_machine_parse("m.yaml", text, &m, &fault), HTMT_EFORMAT);
    cr_expect_not_null(strstr(fault.text, "expected a network of scope 'machine'"), "%s",
                       fault.text);
}

Test(inside, graphs_and_placements_are_found_beside_the_machine_file)
{
    struct place p = place("mine.yaml");
    char graphs[64];
    struct htmt_fault fault = {0};
    snprintf(graphs, sizeof graphs, "%s/graphs", p.folder);
    cr_assert_eq(mkdir(graphs, 0700), 0);
    place_put(&p, "mine.yaml",
              "htmt-machine: 1\nbase: hpsc-simple\nslices: {value: 2, source: s}\nnetworks:\n"
              "  myrinet: {inside: {graph: pair, place: ./turned.yaml}}\n");
    place_put(&p, "graphs/pair.yaml",
              "htmt-graph: 1\nends: [a, b]\nswitches: {s: {ports: 2}}\n"
              "links: [a - s.0, b - s.1]\n");
    place_put(&p, "turned.yaml", "htmt-place: 1\nends: [b, a]\n");
    struct htmt_machine *m = machine_load(p.path, NULL);
    const struct htmt__topology *t = htmt__topology(&m->network[0]);
    cr_expect(t->ends == 2 && t->end_of[0] == 1 && t->slice_of[0] == 1);
    htmt_machine_destroy(&m);
    place_put(&p, "turned.yaml", "htmt-place: 1\nends: [b, b]\n");
    cr_expect_eq(htmt_machine_load(p.path, NULL, 0, &m, &fault), HTMT_EFORMAT);
    cr_expect_not_null(strstr(fault.text, "turned.yaml:2: ends: found 'b', which has a slice "
                                          "already"),
                       "%s", fault.text);
    fault = (struct htmt_fault){0};
    place_put(&p, "turned.yaml", "htmt-place: 1\nends: [b]\n");
    cr_expect_eq(htmt_machine_load(p.path, NULL, 0, &m, &fault), HTMT_EFORMAT);
    cr_expect_not_null(strstr(fault.text, "turned.yaml:2: ends: found 1, expected one for each of "
                                          "2 slices"),
                       "%s", fault.text);
    place_remove(&p);
}

Test(inside, graphs_are_refused_where_they_do_not_fit)
{
    static const char *const rows[][2] = {
        {"networks.myrinet.inside.graph=hpsc-simpel",
         "--set networks.myrinet.inside.graph: no graph 'hpsc-simpel', did you mean "
         "'hpsc-simple'?"},
        {"slices=7", "machines/hpsc-simple.yaml:43: networks.myrinet.inside.graph: 6 ends do not "
                     "hold the 7 slices of the machine"},
        {"networks.myrinet.inside.graph=apu",
         "--set networks.myrinet.inside.graph: 4 ends do not hold the 6 slices of the machine"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct htmt_machine *m = NULL;
        struct htmt_fault fault = {0};
        cr_expect_lt(htmt_machine_load("machines/hpsc-simple.yaml", &rows[i][0], 1, &m, &fault), 0);
        cr_expect_eq(strncmp(fault.text, rows[i][1], strlen(rows[i][1])), 0, "%s", fault.text);
    }
}

Test(inside, routings_know_their_topologies_and_lanes)
{
    refused(9, "      routing: torus\n",
            "m.yaml:9: networks.cnet.inside.routing: found 'torus', expected a torus or a graph");
    refused(9, "      routing: up-down\n",
            "m.yaml:9: networks.cnet.inside.routing: found 'up-down', expected a tree, a "
            "butterfly, a crossbar or a graph");
}
