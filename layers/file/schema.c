/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Mappings read by tables of rows. htmt_schema_read() takes the rows in their order and wants those
 * that are not optional: what it gives does not depend on the file's order.
 * htmt_schema_read_part() takes what the file has, for files that complete each other: plain rows
 * and groups in the file's order, so that a message is about the first fault of the file, and
 * mappings with names of their own at last, in the order of the rows.
 */
#include "layers/file/schema.h"

#include "runtime/base/input.h"
#include "runtime/base/suggest.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 1024

int htmt_schema_open(const char *path, struct htmt_yaml **root, struct htmt_fault *fault)
{
    char *text = NULL;
    size_t length;
    int rc = htmt_input_read(path, HTMT_INPUT_TEXT, &text, &length, fault);
    if (!rc)
        rc = htmt_yaml_parse(path, text, length, root, fault);
    free(text);
    return rc;
}

int htmt__schema_version(const struct htmt_yaml *root, const char *key, const char *what,
                         struct htmt_fault *fault)
{
    const struct htmt_yaml *version;
    int rc = htmt_yaml_need(root, key, what, &version, fault);
    if (!rc)
        rc = htmt_yaml_expect(version, HTMT_YAML_SCALAR, key, fault);
    if (!rc && strcmp(version->text, "1") != 0)
        rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: %s: found version '%.20s', expected '1'",
                            version->file, version->line, key, version->text);
    return rc;
}

unsigned htmt_schema_count(const struct htmt_schema_row *rows)
{
    unsigned n = 0;
    while (rows[n].key)
        n++;
    return n;
}

static unsigned list_keys(const struct htmt_schema_row *rows, const char *keys[static ROWS_MAX])
{
    unsigned n = htmt_schema_count(rows);
    assert(n <= ROWS_MAX);
    for (unsigned i = 0; i < n; i++)
        keys[i] = rows[i].key;
    return n;
}

void htmt_schema_suggest(const struct htmt_schema_row *rows, const char *found, char *hint,
                         size_t room)
{
    const char *keys[ROWS_MAX];
    unsigned n = list_keys(rows, keys);
    htmt__suggest(found, keys, n, hint, room);
}

int htmt_schema_keys(const struct htmt_yaml *mapping, const char *what,
                     const struct htmt_schema_row *rows, struct htmt_fault *fault)
{
    const char *keys[ROWS_MAX];
    unsigned n = list_keys(rows, keys);
    int rc = htmt_yaml_expect(mapping, HTMT_YAML_MAPPING, what, fault);
    return rc ? rc : htmt_yaml_keys(mapping, keys, n, what, fault);
}

int htmt_schema_read(const struct htmt_yaml *mapping, const char *what,
                     const struct htmt_schema_row *rows, htmt_schema_take *take, void *into,
                     struct htmt_fault *fault)
{
    int rc = htmt_schema_keys(mapping, what, rows, fault);
    for (; rows->key && !rc; rows++) {
        const struct htmt_yaml *node = htmt_yaml_get(mapping, rows->key);
        if (!node && !rows->optional && !rows->fallback)
            return htmt_yaml_need(mapping, rows->key, what, &node, fault);
        rc = take(into, rows, node, fault);
    }
    return rc;
}

struct nodes {
    const struct htmt_schema_row *rows;
    const struct htmt_yaml **at;
};

static int keep_node(void *into, const struct htmt_schema_row *row, const struct htmt_yaml *node,
                     struct htmt_fault *fault)
{
    const struct nodes *nodes = into;
    (void)fault;
    nodes->at[row - nodes->rows] = node;
    return 0;
}

int htmt_schema_nodes(const struct htmt_yaml *mapping, const char *what,
                      const struct htmt_schema_row *rows, const struct htmt_yaml **nodes,
                      struct htmt_fault *fault)
{
    struct nodes all = {rows, nodes};
    return htmt_schema_read(mapping, what, rows, keep_node, &all, fault);
}

/* The children of the groups, or those of all rows but groups and named ones. */
static int take_children(const struct htmt_yaml *mapping, const struct htmt_schema_row *rows,
                         bool groups, htmt_schema_take *take, void *into, struct htmt_fault *fault)
{
    int rc = 0;
    for (const struct htmt_yaml *child = mapping->first; child && !rc; child = child->next) {
        const struct htmt_schema_row *row = rows;
        while (strcmp(row->key, child->key) != 0)
            row++;
        if (row->kind != HTMT_SCHEMA_NAMED && (row->kind == HTMT_SCHEMA_GROUP) == groups)
            rc = take(into, row, child, fault);
    }
    return rc;
}

int htmt_schema_read_part(const struct htmt_yaml *mapping, const char *what,
                          const struct htmt_schema_row *rows, htmt_schema_take *take, void *into,
                          struct htmt_fault *fault)
{
    int rc = htmt_schema_keys(mapping, what, rows, fault);
    if (!rc)
        rc = take_children(mapping, rows, false, take, into, fault);
    if (!rc)
        rc = take_children(mapping, rows, true, take, into, fault);
    for (; rows->key && !rc; rows++) {
        const struct htmt_yaml *node = htmt_yaml_get(mapping, rows->key);
        if (node && rows->kind == HTMT_SCHEMA_NAMED)
            rc = take(into, rows, node, fault);
    }
    return rc;
}
