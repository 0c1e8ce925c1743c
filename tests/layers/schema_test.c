/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/file/schema.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct htmt_schema_row inner[] = {{.key = "x", .kind = HTMT_UNIT_COUNT},
                                               {.key = NULL}};

static const struct htmt_schema_row rows[] = {
    {.key = "layers", .kind = HTMT_SCHEMA_NAMED, .rows = inner, .optional = true},
    {.key = "memory", .kind = HTMT_SCHEMA_GROUP, .rows = inner, .optional = true},
    {.key = "clock", .kind = HTMT_UNIT_FREQUENCY},
    {.key = "networks", .kind = HTMT_SCHEMA_NAMED, .rows = inner, .optional = true},
    {.key = "name", .kind = HTMT_SCHEMA_TEXT, .fallback = "none"},
    {.key = NULL}};

typedef int reader(const struct htmt_yaml *mapping, const char *what,
                   const struct htmt_schema_row *rows, htmt_schema_take *take, void *into,
                   struct htmt_fault *fault);

static int list_keys(void *into, const struct htmt_schema_row *row, const struct htmt_yaml *node,
                     struct htmt_fault *fault)
{
    (void)fault;
    strcat(strcat(into, node ? " " : " -"), row->key);
    return node && strcmp(row->key, "memory") == 0 && node->kind == HTMT_YAML_SCALAR ? HTMT_EUNIT
                                                                                     : 0;
}

/* The keys in the order in which they were handed over, a '-' before those without a node. */
static int read_with(reader *read, const char *text, char keys[static 100],
                     struct htmt_fault *fault)
{
    struct htmt_yaml *root = NULL;
    keys[0] = '\0';
    cr_assert_eq(htmt_yaml_parse("f", text, strlen(text), &root, fault), 0, "%s", fault->text);
    int code = read(root, "a file", rows, list_keys, keys, fault);
    htmt_yaml_destroy(&root);
    return code;
}

Test(schema, a_whole_mapping_is_read_in_the_order_of_the_table)
{
    char keys[100];
    struct htmt_fault fault = {0};
    cr_assert_eq(read_with(htmt_schema_read, "clock: 1 Hz\nlayers: {}\n", keys, &fault), 0);
    cr_expect_str_eq(keys, " layers -memory clock -networks -name");
    cr_assert_eq(read_with(htmt_schema_read, "name: a\n", keys, &fault), HTMT_EFORMAT);
    cr_expect_str_eq(fault.text, "f:1: a file: key 'clock' is missing");
}

Test(schema, a_part_is_read_values_first_then_groups_then_what_is_named)
{
    char keys[100];
    struct htmt_fault fault = {0};
    cr_assert_eq(read_with(htmt_schema_read_part,
                           "networks: {}\nmemory: {}\nname: a\nlayers: {}\nclock: 1 Hz\n", keys,
                           &fault),
                 0);
    cr_expect_str_eq(keys, " name clock memory layers networks");
    cr_assert_eq(read_with(htmt_schema_read_part, "{}\n", keys, &fault), 0);
    cr_expect_str_eq(keys, "");
}

Test(schema, a_key_without_a_row_is_refused_before_any_value_is_read)
{
    static reader *const readers[] = {htmt_schema_read, htmt_schema_read_part};
    for (int i = 0; i < 2; i++) {
        char keys[100];
        struct htmt_fault fault = {0};
        cr_expect_eq(read_with(readers[i], "name: a\nclok: 1 Hz\n", keys, &fault), HTMT_EFORMAT);
        cr_expect_str_eq(fault.text, "f:2: a file: unknown key 'clok', did you mean 'clock'?");
        cr_expect_str_eq(keys, "");
        cr_expect_eq(read_with(readers[i], "memory: 3\nclock: 1 Hz\nlayers: {}\n", keys, &fault),
                     HTMT_EUNIT, "the code of the owner ends the reading");
    }
}

Test(schema, an_owner_gets_the_node_of_each_row)
{
    const struct htmt_yaml *node[5];
    struct htmt_yaml *root = NULL;
    struct htmt_fault fault = {0};
    const char text[] = "name: a\nclock: 1 Hz\n";
    cr_assert_eq(htmt_yaml_parse("f", text, strlen(text), &root, &fault), 0);
    cr_assert_eq(htmt_schema_nodes(root, "a file", rows, node, &fault), 0);
    cr_expect_str_eq(node[2]->text, "1 Hz");
    cr_expect_str_eq(node[4]->text, "a");
    cr_expect(!node[0] && !node[1] && !node[3]);
    htmt_yaml_destroy(&root);
}
