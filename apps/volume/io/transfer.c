/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Transfer functions: read from YAML, evaluated at a value.
 */
#include "apps/volume/io/transfer.h"

#include "layers/file/schema.h"
#include "layers/file/search.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct htmt_search shipped = {"transfer function", "transfers", "HTMT_TRANSFER_PATH"};

/* ---- knots ---------------------------------------------------------------------------------- */

static int take_number(const struct htmt_yaml *node, const char *what, double *value,
                       struct htmt_fault *fault)
{
    int rc = htmt_yaml_expect(node, HTMT_YAML_SCALAR, what, fault);
    if (rc)
        return rc;
    char *end = NULL;
    *value = strtod(node->text, &end);
    if (end == node->text || *end || !isfinite(*value))
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: found '%s' for %s, expected a number",
                              node->file, node->line, node->text, what);
    return 0;
}

static int take_level(const struct htmt_yaml *node, const char *what, double *level,
                      struct htmt_fault *fault)
{
    int rc = take_number(node, what, level, fault);
    if (!rc && (*level < 0 || *level > 1))
        rc = htmt_fault_set(fault, HTMT_ERANGE, "%s:%d: found %s for %s, expected 0 to 1",
                            node->file, node->line, node->text, what);
    return rc;
}

static unsigned children(const struct htmt_yaml *node)
{
    unsigned n = 0;
    for (const struct htmt_yaml *c = node->first; c; c = c->next)
        n++;
    return n;
}

/* [value, level...] */
static int take_knot(const struct htmt_yaml *node, const char *what, unsigned levels,
                     struct htmt__volume_knot *knot, struct htmt_fault *fault)
{
    int rc = htmt_yaml_expect(node, HTMT_YAML_SEQUENCE, what, fault);
    if (rc)
        return rc;
    if (children(node) != levels + 1)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s:%d: found %u numbers in a knot of %s, expected %s", node->file,
                              node->line, children(node), what,
                              levels == 1 ? "2: [value, level]" : "4: [value, red, green, blue]");
    const struct htmt_yaml *child = node->first;
    rc = take_number(child, "the value of a knot", &knot->at, fault);
    for (unsigned i = 0; !rc && i < levels; i++) {
        child = child->next;
        rc = take_level(child, what, &knot->level[i], fault);
    }
    return rc;
}

static int take_knots(const struct htmt_yaml *node, unsigned levels,
                      struct htmt__volume_knot **knots, unsigned *count, struct htmt_fault *fault)
{
    int rc = htmt_yaml_expect(node, HTMT_YAML_SEQUENCE, node->key, fault);
    if (rc)
        return rc;
    unsigned n = children(node), i = 0;
    if (!n)
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: found no knots of %s, expected some",
                              node->file, node->key_line, node->key);
    struct htmt__volume_knot *at = calloc(n, sizeof *at);
    if (!at)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for %u knots", node->file, n);
    for (const struct htmt_yaml *c = node->first; !rc && c; c = c->next, i++) {
        rc = take_knot(c, node->key, levels, &at[i], fault);
        if (!rc && i && at[i].at <= at[i - 1].at)
            rc = htmt_fault_set(fault, HTMT_EFORMAT,
                                "%s:%d: found a knot of %s at %g after one at %g, expected "
                                "ascending values",
                                c->file, c->line, node->key, at[i].at, at[i - 1].at);
    }
    *knots = at;
    *count = n;
    return rc;
}

/* "window: auto" */
static int take_window(const struct htmt_yaml *node, struct htmt__volume_transfer *t,
                       struct htmt_fault *fault)
{
    if (!node)
        return 0;
    int rc = htmt_yaml_expect(node, HTMT_YAML_SCALAR, "window", fault);
    t->automatic = true;
    if (rc || !strcmp(node->text, "auto"))
        return rc;
    return htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: found '%s' for window, expected auto",
                          node->file, node->line, node->text);
}

/* ---- files ---------------------------------------------------------------------------------- */

static int take_opacity(const struct htmt_yaml *node, struct htmt__volume_transfer *t,
                        struct htmt_fault *fault)
{
    int rc = take_knots(node, 1, &t->opacity, &t->opacity_count, fault);
    if (rc)
        return rc;
    for (unsigned i = 0; i < t->opacity_count; i++)
        if (t->opacity[i].level[0] > 0)
            return 0;
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "%s:%d: found an opacity of 0 everywhere, expected something to see",
                          node->file, node->key_line);
}

static int default_grey(struct htmt__volume_transfer *t, struct htmt_fault *fault)
{
    unsigned n = t->opacity_count > 1 ? 2 : 1;
    t->channels = 1;
    t->colour = calloc(n, sizeof *t->colour);
    if (!t->colour)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for a transfer function");
    t->colour_count = n;
    t->colour[0] = (struct htmt__volume_knot){t->opacity[0].at, {0}};
    t->colour[n - 1] = (struct htmt__volume_knot){t->opacity[t->opacity_count - 1].at, {1}};
    return 0;
}

static int take_colour(const struct htmt_yaml *grey, const struct htmt_yaml *colour,
                       struct htmt__volume_transfer *t, struct htmt_fault *fault)
{
    if (grey && colour)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s:%d: found 'colour' beside 'grey', expected one of them",
                              colour->file, colour->key_line);
    if (!grey && !colour)
        return default_grey(t, fault);
    t->channels = grey ? 1 : 3;
    return take_knots(grey ? grey : colour, t->channels, &t->colour, &t->colour_count, fault);
}

enum { OPACITY, GREY, COLOUR, WINDOW, KEYS };

static const struct htmt_schema_row rows[] = {
    [OPACITY] = {.key = "opacity", .kind = HTMT_SCHEMA_NODE},
    [GREY] = {.key = "grey", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [COLOUR] = {.key = "colour", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [WINDOW] = {.key = "window", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [KEYS] = {.key = NULL}};

/* Of a tree, which is gone afterwards. */
static int take_tree(struct htmt_yaml *root, struct htmt__volume_transfer *out,
                     struct htmt_fault *fault)
{
    const struct htmt_yaml *node[KEYS];
    struct htmt__volume_transfer t = {0};
    int rc = htmt_schema_nodes(root, "transfer function", rows, node, fault);
    if (!rc)
        rc = take_opacity(node[OPACITY], &t, fault);
    if (!rc)
        rc = take_colour(node[GREY], node[COLOUR], &t, fault);
    if (!rc)
        rc = take_window(node[WINDOW], &t, fault);
    htmt_yaml_destroy(&root);
    if (rc)
        htmt__volume_transfer_destroy(&t);
    else
        *out = t;
    return rc;
}

int htmt__volume_transfer_parse(const char *file, const char *text, size_t length,
                                struct htmt__volume_transfer *out, struct htmt_fault *fault)
{
    struct htmt_yaml *root;
    int rc = htmt_yaml_parse(file, text, length, &root, fault);
    return rc ? rc : take_tree(root, out, fault);
}

int htmt__volume_transfer_read(const char *name, struct htmt__volume_transfer *t,
                               struct htmt_fault *fault)
{
    char path[HTMT_PATH_MAX];
    struct htmt_yaml *root;
    int rc = htmt_search_path(&shipped, name, NULL, path, fault);
    if (!rc)
        rc = htmt_schema_open(path, &root, fault);
    return rc ? rc : take_tree(root, t, fault);
}

bool htmt__volume_transfer_strange(const char *name, char *path, size_t room)
{
    char found[HTMT_PATH_MAX];
    if (htmt_search_path(&shipped, name, NULL, found, NULL) || htmt_search_shipped(&shipped, found))
        return false;
    snprintf(path, room, "%s", found);
    return true;
}

void htmt__volume_transfer_destroy(struct htmt__volume_transfer *t)
{
    free(t->opacity);
    free(t->colour);
    *t = (struct htmt__volume_transfer){0};
}

void htmt__volume_transfer_window(const struct htmt__volume_transfer *t,
                                  const struct htmt__volume *v, const double range[2],
                                  struct htmt__volume_window *window)
{
    *window = (struct htmt__volume_window){.given = false};
    if (!t->automatic || (v->type == HTMT__UINT8 && v->slope == 1 && v->intercept == 0))
        return;
    if (range[1] > range[0])
        *window = (struct htmt__volume_window){true, range[0], range[1]};
}

/* ---- values --------------------------------------------------------------------------------- */

static double between(const struct htmt__volume_knot *knots, unsigned count, unsigned channel,
                      double value)
{
    unsigned i = 0;
    while (i < count && knots[i].at < value)
        i++;
    if (i == 0 || i == count)
        return knots[i ? count - 1 : 0].level[channel];
    const struct htmt__volume_knot *a = &knots[i - 1], *b = &knots[i];
    if (value == b->at)
        return b->level[channel];
    double share = (value - a->at) / (b->at - a->at);
    return a->level[channel] + share * (b->level[channel] - a->level[channel]);
}

double htmt__volume_transfer_opacity(const struct htmt__volume_transfer *t, double value)
{
    return between(t->opacity, t->opacity_count, 0, value);
}

void htmt__volume_transfer_colour(const struct htmt__volume_transfer *t, double value,
                                  double colour[3])
{
    for (unsigned c = 0; c < t->channels; c++)
        colour[c] = between(t->colour, t->colour_count, c, value);
}
