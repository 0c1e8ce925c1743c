/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables: what is read, which receive takes which message, what changes of order do.
 */
#define _GNU_SOURCE /* mkstemps */
#include "apps/traffic/derived.h"
#include "apps/traffic/io/table_file.h"
#include "tests/traffic/asked.h"

static struct htmt__traffic_table read_text(char path[static 64], const char *nodes)
{
    struct htmt__traffic_table t;
    struct htmt_fault fault = {0};
    write_table(path, nodes);
    cr_assert_eq(htmt__traffic_table_read(path, &t, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__traffic_complete(&t, &fault), 0, "%s", fault.text);
    unlink(path);
    return t;
}

static struct htmt__traffic_table shipped(const char *name, char path[static 1024])
{
    struct htmt__traffic_table t;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__traffic_table_path(name, path, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__traffic_table_read(path, &t, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__traffic_complete(&t, &fault), 0, "%s", fault.text);
    return t;
}

Test(traffic_table, blocks_lie_one_behind_another_at_both_ends)
{
    char path[64];
    struct htmt__traffic_table t =
        read_text(path, "  - send: [{to: 1, bytes: 13, index: 1}, {to: 1, bytes: 8, index: 0}]\n"
                        "  - {receive: [8, 13]}\n");
    cr_assert_eq(t.messages, 2);
    cr_assert_eq(t.message[0].from, 0);
    cr_assert_eq(t.message[1].from, 16);
    cr_assert_eq(t.message[0].to, 8);
    cr_assert_eq(t.message[1].to, 0);
    cr_assert_eq(t.node[0].out_bytes, 24);
    cr_assert_eq(t.node[1].in_bytes, 24);
    htmt__traffic_clear(&t);
}

Test(traffic_table, the_next_receive_of_a_source_takes_its_next_message)
{
    char path[64];
    struct htmt__traffic_table t =
        read_text(path, "  - program: [{asend: 2, bytes: 1}, {asend: 2, bytes: 2}]\n"
                        "  - program: [{asend: 2, bytes: 3}]\n"
                        "  - program: [{rcv: 0}, {rcv: 1}, {arecv: 0}]\n");
    const struct htmt__traffic_op *op = &t.op[t.node[2].first];
    cr_assert_eq(t.message[op[0].message].bytes, 1);
    cr_assert_eq(t.message[op[1].message].bytes, 3);
    cr_assert_eq(t.message[op[2].message].bytes, 2);
    htmt__traffic_clear(&t);
}

Test(traffic_table, a_program_without_receives_takes_what_comes)
{
    char path[64];
    struct htmt__traffic_table t =
        read_text(path, "  - program: [{asend: 1, bytes: 1}]\n  - program: [{compute: 1 us}]\n");
    cr_assert_not(t.message[0].named);
    cr_assert_not(htmt__traffic_waits(&t, 1));
    htmt__traffic_clear(&t);
}

Test(traffic_table, ports_and_names_are_kept)
{
    char path[64];
    struct htmt__traffic_table t = read_text(
        path, "  - {name: top, send: [{to: 1, bytes: 1}, {to: 1, bytes: 1, route: [3, 0, 2]}]}\n"
              "  - {}\n");
    cr_assert_str_eq(t.node[0].name, "top");
    cr_assert_eq(t.message[0].ports, 0);
    cr_assert_eq(t.message[1].ports, 3);
    cr_assert_eq(t.port[t.message[1].route], 3);
    cr_assert_eq(t.port[t.message[1].route + 2], 2);
    htmt__traffic_clear(&t);
}

/* Pauer, Figures 12 and 14. */
Test(traffic_table, the_paper_s_examples_have_its_counts)
{
    char path[1024];
    struct htmt__traffic_table t = shipped("hpsc-simple", path);
    cr_assert_eq(t.nodes, 6);
    cr_assert_eq(t.messages, 9);
    cr_assert_eq(t.node[3].hears, 4);
    cr_assert_eq(t.node[4].hears, 1);
    cr_assert_eq(t.node[5].hears, 4);
    htmt__traffic_clear(&t);
    t = shipped("hpsc-grid", path);
    cr_assert_eq(t.nodes, 16);
    cr_assert_eq(t.messages, 64);
    cr_assert_eq(htmt__traffic_most_heard(&t), 8);
    htmt__traffic_clear(&t);
}

Test(traffic_table, rotation_lets_source_i_begin_with_entry_i)
{
    char path[1024];
    struct htmt__traffic_table t = shipped("hpsc-grid", path), turned;
    struct htmt_fault fault = {0};
    const struct htmt__traffic_changes changes = {.rotates = true};
    cr_assert_eq(htmt__traffic_adjust(&t, &changes, &turned, &fault), 0, "%s", fault.text);
    cr_assert_eq(turned.messages, 64);
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t k = 0; k < 8; k++) {
            const struct htmt__traffic_message *m = &turned.message[8 * i + k];
            cr_assert_eq(m->source, i);
            cr_assert_eq(m->target, 8 + (i + k) % 8);
            cr_assert_eq(m->index, i);
            cr_assert_eq(m->place, k);
        }
    htmt__traffic_clear(&turned);
    htmt__traffic_clear(&t);
}

/* ---- profiles -------------------------------------------------------------------------------- */

#define PROFILED                                                                                   \
    "  - program: [{compute: 1 us}, {asend: 1, bytes: 8}, {compute: 3 us}, {send: 2, bytes: 80},"  \
    " {asend: 2, bytes: 80}]\n"                                                                    \
    "  - {}\n  - program: [{asend: 0, bytes: 16}]\n"

Test(traffic_profile, says_what_the_messages_have_in_common)
{
    char path[64];
    struct htmt__traffic_table t = read_text(path, PROFILED);
    struct htmt__traffic_profile p = htmt__traffic_profile_of(&t);
    cr_assert_float_eq(p.mean_bytes, (8 + 80 + 80 + 16) / 4.0, 1e-12);
    cr_assert_float_eq(p.mean_partners, 1.5, 1e-12);
    cr_assert_float_eq(p.synchronous, 0.25, 1e-12);
    cr_assert_float_eq(p.mean_gap, 1e9, 1e-3);
    htmt__traffic_clear(&t);
}

Test(traffic_profile, a_seed_makes_one_table_and_only_of_what_was_there)
{
    char path[64];
    struct htmt__traffic_table t = read_text(path, PROFILED), made[2] = {{.nodes = 0}};
    struct htmt_fault fault = {0};
    for (unsigned i = 0; i < 2; i++) {
        cr_assert_eq(htmt__traffic_profile_make(&t, 7, &made[i], &fault), 0);
        cr_assert_eq(htmt__traffic_complete(&made[i], &fault), 0, "%s", fault.text);
    }
    cr_assert_eq(made[0].messages, t.messages);
    for (uint32_t i = 0; i < t.messages; i++) {
        const struct htmt__traffic_message *m = &made[0].message[i];
        cr_assert_eq(m->source, t.message[i].source);
        cr_assert_eq(m->target, made[1].message[i].target);
        cr_assert_eq(m->bytes, made[1].message[i].bytes);
        cr_assert(m->source ? m->bytes == 16 && m->target == 0
                            : (m->bytes == 8 || m->bytes == 80) && m->target != 0);
    }
    for (unsigned i = 0; i < 2; i++)
        htmt__traffic_clear(&made[i]);
    htmt__traffic_clear(&t);
}
