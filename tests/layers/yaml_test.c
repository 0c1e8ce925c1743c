/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every mistake is reported with the line that a person would point at.
 */
#include "layers/file/yaml.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct htmt_yaml *parse(const char *text)
{
    struct htmt_yaml *root = NULL;
    struct htmt_fault fault = {0};
    int rc = htmt_yaml_parse("f", text, strlen(text), &root, &fault);
    cr_assert_eq(rc, 0, "%s", fault.text);
    return root;
}

Test(yaml, values_know_the_line_they_stand_on_even_when_their_key_is_above)
{
    struct htmt_yaml *root = parse("a: 1\n\nb:\n  c:\n    long value\n  d: [x,\n      y]\n");
    const struct htmt_yaml *b = htmt_yaml_get(root, "b");
    const struct htmt_yaml *c = htmt_yaml_get(b, "c");
    const struct htmt_yaml *d = htmt_yaml_get(b, "d");
    cr_expect_eq(htmt_yaml_get(root, "a")->line, 1);
    cr_expect_eq(b->key_line, 3);
    cr_expect_eq(c->key_line, 4);
    cr_expect_eq(c->line, 5);
    cr_expect_str_eq(c->text, "long value");
    cr_expect_eq(d->kind, HTMT_YAML_SEQUENCE);
    cr_expect_eq(d->first->line, 6);
    cr_expect_eq(d->first->next->line, 7);
    cr_expect_null(d->first->next->next);
    htmt_yaml_destroy(&root);
    cr_expect_null(root);
    htmt_yaml_destroy(&root);
    htmt_yaml_destroy(NULL);
}

Test(yaml, keys_keep_the_order_of_the_file)
{
    struct htmt_yaml *root = parse("{z: 1, a: 2, m: 3}");
    cr_expect_str_eq(root->first->key, "z");
    cr_expect_str_eq(root->first->next->key, "a");
    cr_expect_str_eq(root->first->next->next->key, "m");
    htmt_yaml_destroy(&root);
}

struct mistake {
    char text[160];
    char message[160];
};

ParameterizedTestParameters(yaml, a_mistake_is_one_line_with_file_and_line)
{
    static struct mistake list[] = {
        {"a: 1\nb: 2\na: 3\n", "f:3: key 'a' is repeated, first given in line 1"},
        {"a:\n  x: 1\n  y: 2\n  x: 3\n", "f:4: key 'x' is repeated, first given in line 2"},
        {"", "f:1: the file is empty"},
        {"# nothing\n", "f:1: the file is empty"},
        {"- 1\n- 2\n", "f:1: the file: found a list, expected a mapping"},
        {"\njust text\n", "f:2: the file: found 'just text', expected a mapping"},
        {"a: &x 1\nb: 2\n", "f:1: anchors and tags are not allowed here"},
        {"a: 2\nb: *x\n", "f:2: aliases are not allowed here"},
        {"a: 2\nb: !t {c: 1}\n", "f:2: anchors and tags are not allowed here"},
        {"a: 2\n? [b]\n: 3\n", "f:2: expected a plain key"},
        {"a: 2\n---\nb: 3\n", "f:2: found a second document, expected one"},
        {"a: \"x\\0y\"\n", "f:1: found a control character or a line break in a text"},
        {"a: 1\nb: \"x\\ny\"\n", "f:2: found a control character or a line break in a text"},
    };
    return cr_make_param_array(struct mistake, list, sizeof list / sizeof list[0]);
}

ParameterizedTest(struct mistake *m, yaml, a_mistake_is_one_line_with_file_and_line)
{
    struct htmt_yaml *root = NULL;
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt_yaml_parse("f", m->text, strlen(m->text), &root, &fault), HTMT_EFORMAT);
    cr_expect_str_eq(fault.text, m->message);
    cr_expect_null(root);
}

/* Comparing each key with all keys before it takes minutes. */
Test(yaml, a_hundred_thousand_keys_take_no_long_time_and_a_repeated_one_is_found, .timeout = 20)
{
    enum { KEYS = 140000 };
    char *text = malloc(KEYS * 10 + 20), *at = text;
    cr_assert_not_null(text);
    for (int i = 0; i < KEYS; i++)
        at += sprintf(at, "k%d:\n", i);
    struct htmt_yaml *root = NULL;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt_yaml_parse("f", text, (size_t)(at - text), &root, &fault), 0, "%s",
                 fault.text);
    cr_expect_eq(htmt_yaml_get(root, "k139999")->key_line, KEYS);
    htmt_yaml_destroy(&root);
    at += sprintf(at, "k77: again\n");
    cr_expect_eq(htmt_yaml_parse("f", text, (size_t)(at - text), &root, &fault), HTMT_EFORMAT);
    cr_expect_str_eq(fault.text, "f:140001: key 'k77' is repeated, first given in line 78");
    free(text);
}

Test(yaml, broken_syntax_names_its_line)
{
    struct htmt_yaml *root = NULL;
    struct htmt_fault fault = {0};
    const char *text = "a: 1\nb: {c: 2\nd: 3\n";
    cr_expect_eq(htmt_yaml_parse("f", text, strlen(text), &root, &fault), HTMT_EFORMAT);
    cr_expect_eq(strncmp(fault.text, "f:3: not YAML: ", 15), 0, "%s", fault.text);
}

Test(yaml, hostile_nesting_is_refused)
{
    char text[20001];
    memset(text, '[', 20000);
    text[20000] = '\0';
    struct htmt_yaml *root = NULL;
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt_yaml_parse("f", text, 20000, &root, &fault), HTMT_EFORMAT);
    cr_expect_str_eq(fault.text, "f:1: nested too deeply");
}

Test(yaml, an_unknown_key_names_the_nearest_known_one_or_all)
{
    static const char *const allowed[] = {"capacity", "reserve", "access"};
    struct htmt_fault slip = {0}, strange = {0}, good = {0};
    struct htmt_yaml *root = parse("capacity: 1\nacess: 2\n");
    cr_expect_eq(htmt_yaml_keys(root, allowed, 3, "m", &slip), HTMT_EFORMAT);
    cr_expect_str_eq(slip.text, "f:2: m: unknown key 'acess', did you mean 'access'?");
    htmt_yaml_destroy(&root);
    root = parse("colour: 1\n");
    cr_expect_eq(htmt_yaml_keys(root, allowed, 3, "m", &strange), HTMT_EFORMAT);
    cr_expect_str_eq(strange.text, "f:1: m: unknown key 'colour', expected one of 'capacity', "
                                   "'reserve', 'access'");
    htmt_yaml_destroy(&root);
    root = parse("reserve: 1\n");
    cr_expect_eq(htmt_yaml_keys(root, allowed, 3, "m", &good), 0);
    htmt_yaml_destroy(&root);
}
