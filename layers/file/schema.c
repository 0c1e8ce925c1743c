/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/file/schema.h"

#include "runtime/base/input.h"
#include "runtime/base/suggest.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 64

int htmt__schema_open(const char *path, struct htmt__yaml **root, struct htmt_fault *fault)
{
    char *text = NULL;
    size_t length;
    int rc = htmt__input_read(path, HTMT__INPUT_TEXT, &text, &length, fault);
    if (!rc)
        rc = htmt__yaml_parse(path, text, length, root, fault);
    free(text);
    return rc;
}

unsigned htmt__schema_count(const struct htmt__schema_row *rows)
{
    unsigned n = 0;
    while (rows[n].key)
        n++;
    return n;
}

static unsigned list_keys(const struct htmt__schema_row *rows, const char *keys[static ROWS_MAX])
{
    unsigned n = htmt__schema_count(rows);
    assert(n <= ROWS_MAX);
    for (unsigned i = 0; i < n; i++)
        keys[i] = rows[i].key;
    return n;
}

void htmt__schema_suggest(const struct htmt__schema_row *rows, const char *found, char *hint,
                          size_t room)
{
    const char *keys[ROWS_MAX];
    unsigned n = list_keys(rows, keys);
    htmt__suggest(found, keys, n, hint, room);
}

int htmt__schema_keys(const struct htmt__yaml *mapping, const char *what,
                      const struct htmt__schema_row *rows, struct htmt_fault *fault)
{
    const char *keys[ROWS_MAX];
    unsigned n = list_keys(rows, keys);
    int rc = htmt__yaml_expect(mapping, HTMT__MAPPING, what, fault);
    return rc ? rc : htmt__yaml_keys(mapping, keys, n, what, fault);
}

int htmt__schema_read(const struct htmt__yaml *mapping, const char *what,
                      const struct htmt__schema_row *rows, htmt__schema_take *take, void *into,
                      struct htmt_fault *fault)
{
    int rc = htmt__schema_keys(mapping, what, rows, fault);
    for (; rows->key && !rc; rows++) {
        const struct htmt__yaml *node = htmt__yaml_get(mapping, rows->key);
        if (!node && !rows->optional && !rows->fallback)
            return htmt__yaml_need(mapping, rows->key, what, &node, fault);
        rc = take(into, rows, node, fault);
    }
    return rc;
}

struct nodes {
    const struct htmt__schema_row *rows;
    const struct htmt__yaml **at;
};

static int keep_node(void *into, const struct htmt__schema_row *row, const struct htmt__yaml *node,
                     struct htmt_fault *fault)
{
    const struct nodes *nodes = into;
    (void)fault;
    nodes->at[row - nodes->rows] = node;
    return 0;
}

int htmt__schema_nodes(const struct htmt__yaml *mapping, const char *what,
                       const struct htmt__schema_row *rows, const struct htmt__yaml **nodes,
                       struct htmt_fault *fault)
{
    struct nodes all = {rows, nodes};
    return htmt__schema_read(mapping, what, rows, keep_node, &all, fault);
}

static const struct htmt__schema_row *find_row(const struct htmt__schema_row *rows, const char *key)
{
    while (strcmp(rows->key, key) != 0)
        rows++;
    return rows;
}

/* The children of the groups, or those of all rows but groups and named ones. */
static int take_children(const struct htmt__yaml *mapping, const struct htmt__schema_row *rows,
                         bool groups, htmt__schema_take *take, void *into, struct htmt_fault *fault)
{
    int rc = 0;
    for (const struct htmt__yaml *child = mapping->first; child && !rc; child = child->next) {
        const struct htmt__schema_row *row = find_row(rows, child->key);
        if (row->kind != HTMT__NAMED && (row->kind == HTMT__GROUP) == groups)
            rc = take(into, row, child, fault);
    }
    return rc;
}

int htmt__schema_read_part(const struct htmt__yaml *mapping, const char *what,
                           const struct htmt__schema_row *rows, htmt__schema_take *take, void *into,
                           struct htmt_fault *fault)
{
    int rc = htmt__schema_keys(mapping, what, rows, fault);
    if (!rc)
        rc = take_children(mapping, rows, false, take, into, fault);
    if (!rc)
        rc = take_children(mapping, rows, true, take, into, fault);
    for (; rows->key && !rc; rows++) {
        const struct htmt__yaml *node = htmt__yaml_get(mapping, rows->key);
        if (node && rows->kind == HTMT__NAMED)
            rc = take(into, rows, node, fault);
    }
    return rc;
}
