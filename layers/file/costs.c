/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cost files. What a file gives becomes figures; --set replaces some; then the application's rows
 * take theirs in their order, so that the hash depends on values alone, and not on the file's
 * order.
 */
#include "layers/file/costs.h"

#include "layers/file/figures.h"
#include "layers/file/search.h"
#include "runtime/base/fnv.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_ROOM sizeof((struct htmt_figure){0}.key)

static const struct htmt_schema_row any[] = {{.key = NULL}}; /* whatever the application */

static bool is_wanted(const struct htmt_schema_row *rows, const char *key)
{
    const struct htmt_schema_row *row = rows;
    while (row->key && strcmp(row->key, key) != 0)
        row++;
    return rows == any || row->key;
}

static int refuse_unknown(const struct htmt_schema_row *rows, const char *place, int line,
                          const char *key, struct htmt_fault *fault)
{
    char hint[300], at[16] = "";
    htmt_schema_suggest(rows, key, hint, sizeof hint);
    if (line)
        snprintf(at, sizeof at, ":%d", line);
    return htmt_fault_set(fault, HTMT_EFORMAT, "%s%s: unknown key '%s', %s", place, at, key, hint);
}

/* A mapping with a key `value` is a figure, any other a folder of figures. */
static int read_costs(struct htmt__figures *figures, const struct htmt_yaml *node,
                      const char *prefix, const struct htmt_schema_row *rows,
                      struct htmt_fault *fault)
{
    int rc = 0;
    for (const struct htmt_yaml *child = node->first; child && !rc; child = child->next) {
        char key[KEY_ROOM];
        rc = htmt__figures_key(child, prefix, child->key, key, fault);
        if (rc)
            return rc;
        bool folder = child->kind == HTMT_YAML_MAPPING && !htmt_yaml_get(child, "value");
        if (is_wanted(rows, key) && (rows != any || !folder))
            rc = htmt__figures_read(figures, child, key, fault);
        else if (folder && child->first)
            rc = read_costs(figures, child, key, rows, fault);
        else
            rc = refuse_unknown(rows, child->file, child->key_line, key, fault);
    }
    return rc;
}

static int check_app(const struct htmt_yaml *root, const char *app, struct htmt_fault *fault)
{
    const struct htmt_yaml *node;
    int rc = htmt_yaml_need(root, "app", "a cost file", &node, fault);
    if (!rc)
        rc = htmt_yaml_expect(node, HTMT_YAML_SCALAR, "app", fault);
    if (rc || strcmp(node->text, app) == 0)
        return rc;
    return htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: app: found '%.60s', expected '%s'",
                          node->file, node->line, node->text, app);
}

static int read_root(struct htmt__figures *figures, const struct htmt_yaml *root, const char *app,
                     const struct htmt_schema_row *rows, struct htmt_fault *fault)
{
    static const struct htmt_schema_row top[] = {
        {.key = "htmt-costs", .kind = HTMT_SCHEMA_NODE},
        {.key = "app", .kind = HTMT_SCHEMA_NODE, .optional = true},
        {.key = "about", .kind = HTMT_SCHEMA_NODE, .optional = true},
        {.key = "costs", .kind = HTMT_SCHEMA_NODE},
        {.key = NULL}};
    enum { COSTS = 3 };
    const struct htmt_yaml *node[COSTS + 1];
    int rc = htmt__schema_version(root, "htmt-costs", "a cost file", fault);
    if (!rc && app)
        rc = check_app(root, app, fault);
    if (!rc)
        rc = htmt_schema_nodes(root, "a cost file", top, node, fault);
    if (!rc)
        rc = htmt_yaml_expect(node[COSTS], HTMT_YAML_MAPPING, "costs", fault);
    return rc ? rc : read_costs(figures, node[COSTS], "", rows, fault);
}

/* The figure as its row wants it, behind those that are there. */
static int take_value(struct htmt_costs *costs, const struct htmt_figure *figure,
                      const struct htmt_schema_row *row, struct htmt_fault *fault)
{
    const uint64_t least = (uint64_t)row->least, most = (uint64_t)row->most;
    struct htmt_quantity q;
    int rc = htmt__figure_quantity(figure, row, &q, fault);
    if (rc)
        return rc;
    if (row->kind == HTMT_UNIT_CYCLES && q.value.den != 1)
        return htmt__figure_refuse(figure, HTMT_ERANGE, fault, "expected whole cycles");
    const uint64_t value = q.value.num;
    if (row->above_least && value == 0)
        return htmt__figure_refuse(figure, HTMT_ERANGE, fault, "found 0, expected more than zero");
    if (most && least == most && value != most)
        return htmt__figure_refuse(figure, HTMT_ERANGE, fault,
                                   "found %s, expected %" PRIu64
                                   ": the program has and moves so many",
                                   figure->value, most);
    if (most && (value < least || value > most))
        return htmt__figure_refuse(figure, HTMT_ERANGE, fault,
                                   "found %s, expected %" PRIu64 " to %" PRIu64, figure->value,
                                   least, most);
    costs->figure[costs->count] = *figure;
    costs->value[costs->count++] = q.value;
    htmt__hash_bytes(&costs->hash, figure->key, strlen(figure->key) + 1);
    htmt__hash_u64(&costs->hash, q.value.num);
    htmt__hash_u64(&costs->hash, q.value.den);
    return 0;
}

static int build(const struct htmt__figures *figures, const char *file, const char *app,
                 const struct htmt_schema_row *rows, struct htmt_costs **costs,
                 struct htmt_fault *fault)
{
    unsigned room = htmt_schema_count(rows) + 1;
    struct htmt_costs *c = calloc(1, sizeof *c);
    int rc = 0;
    if (c) {
        c->figure = calloc(room, sizeof *c->figure);
        c->value = calloc(room, sizeof *c->value);
    }
    if (!c || !c->figure || !c->value) {
        htmt_costs_destroy(&c);
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory", file);
    }
    c->hash = HTMT__HASH_BASIS;
    htmt_search_name(file, c->name, sizeof c->name);
    snprintf(c->app, sizeof c->app, "%s", app);
    for (; rows->key && !rc; rows++) {
        const struct htmt_figure *figure = htmt__figures_find(figures, rows->key);
        rc = figure ? take_value(c, figure, rows, fault)
                    : htmt_fault_set(fault, HTMT_EFORMAT, "%s:1: key '%s' is missing", file,
                                     rows->key);
    }
    if (rc)
        htmt_costs_destroy(&c);
    else
        *costs = c;
    return rc;
}

/* Costs of a tree, which is gone afterwards. */
static int load_tree(const char *file, struct htmt_yaml *root, const char *app,
                     const struct htmt_schema_row *rows, const char *const *set, unsigned set_count,
                     struct htmt_costs **costs, struct htmt_fault *fault)
{
    struct htmt__figures figures = {0};
    int rc = read_root(&figures, root, app, rows, fault);
    for (unsigned i = 0; i < set_count && !rc; i++) {
        struct htmt_figure figure;
        rc = htmt__figures_set(set[i], &figure, fault);
        if (!rc)
            rc = is_wanted(rows, figure.key) ? htmt__figures_put(&figures, &figure, fault)
                                             : refuse_unknown(rows, "--set", 0, figure.key, fault);
    }
    if (!rc)
        rc = build(&figures, file, app, rows, costs, fault);
    htmt__figures_fini(&figures);
    htmt_yaml_destroy(&root);
    return rc;
}

static int open_tree(const char *name, char path[HTMT_PATH_MAX], struct htmt_yaml **root,
                     struct htmt_fault *fault)
{
    int rc = htmt_search_path(&htmt_search_costs, name, NULL, path, fault);
    return rc ? rc : htmt_schema_open(path, root, fault);
}

int htmt_costs_load(const char *name, const char *app, const struct htmt_schema_row *rows,
                    const char *const *set, unsigned set_count, struct htmt_costs **costs,
                    struct htmt_fault *fault)
{
    char path[HTMT_PATH_MAX];
    struct htmt_yaml *root;
    int rc = open_tree(name, path, &root, fault);
    return rc ? rc : load_tree(path, root, app, rows, set, set_count, costs, fault);
}

int htmt_costs_parse(const char *name, const char *text, const char *app,
                     const struct htmt_schema_row *rows, struct htmt_costs **costs,
                     struct htmt_fault *fault)
{
    struct htmt_yaml *root;
    int rc = htmt_yaml_parse(name, text, strlen(text), &root, fault);
    return rc ? rc : load_tree(name, root, app, rows, NULL, 0, costs, fault);
}

/* All figures of a file, whatever the application. `path` gets the file's. */
static int read_all(const char *name, char path[HTMT_PATH_MAX], struct htmt__figures *figures,
                    struct htmt_fault *fault)
{
    struct htmt_yaml *root = NULL;
    int rc = open_tree(name, path, &root, fault);
    if (!rc)
        rc = read_root(figures, root, NULL, any, fault);
    htmt_yaml_destroy(&root);
    return rc;
}

int htmt_costs_figure(const char *name, const char *key, struct htmt_figure *figure,
                      struct htmt_fault *fault)
{
    char path[HTMT_PATH_MAX];
    struct htmt__figures figures = {0};
    int rc = read_all(name, path, &figures, fault);
    const struct htmt_figure *found = rc ? NULL : htmt__figures_find(&figures, key);
    if (found)
        *figure = *found;
    else if (!rc)
        rc = htmt_fault_set(fault, HTMT_EINVAL, "%s:1: there is no key '%s'", path, key);
    htmt__figures_fini(&figures);
    return rc;
}

int htmt_costs_figures(const char *name, struct htmt_figure **figure, unsigned *count,
                       struct htmt_fault *fault)
{
    char path[HTMT_PATH_MAX];
    struct htmt__figures figures = {0};
    int rc = read_all(name, path, &figures, fault);
    if (rc) {
        htmt__figures_fini(&figures);
        return rc;
    }
    *figure = figures.at;
    *count = figures.count;
    return 0;
}

void htmt_costs_destroy(struct htmt_costs **costs)
{
    if (!costs || !*costs)
        return;
    free((*costs)->figure);
    free((*costs)->value);
    free(*costs);
    *costs = NULL;
}

static unsigned index_of(const struct htmt_costs *costs, const char *key)
{
    unsigned i = 0;
    while (i < costs->count && strcmp(costs->figure[i].key, key) != 0)
        i++;
    assert(i < costs->count);
    return i;
}

int htmt_costs_refuse(const struct htmt_costs *costs, const char *key, const char *expected,
                      struct htmt_fault *fault)
{
    const struct htmt_figure *f = &costs->figure[index_of(costs, key)];
    return htmt_fault_set(fault, HTMT_ERANGE, "%s:%d: %s: found %s, expected %s", f->file, f->line,
                          f->key, f->value, expected);
}

struct htmt_ratio htmt_costs_ratio(const struct htmt_costs *costs, const char *key)
{
    return costs->value[index_of(costs, key)];
}

uint64_t htmt_costs_whole(const struct htmt_costs *costs, const char *key)
{
    struct htmt_ratio value = htmt_costs_ratio(costs, key);
    assert(value.den == 1);
    return value.num;
}
