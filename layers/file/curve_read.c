/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Curves of files: a mapping becomes one figure a point, and figures become points. Between the two
 * a base's curve may be replaced by a file's as a whole, or a point by --set, as any other figure:
 *
 *     launch: {value: {1: 10 us, 64: 30 us}, by: ranks, source: S}
 *
 * under `networks.bus` is the figures networks.bus.launch.by = ranks, .launch.value.1 = 10 us and
 * .launch.value.64 = 30 us, both with the source S. The order of figures is that of the points,
 * which ascend, so the points of a curve need no sorting.
 */
#include "layers/file/curve.h"
#include "runtime/base/array.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_ROOM sizeof((struct htmt_figure){0}.key)
#define HOLD     "hold"
#define REFUSE   "refuse"

/* ---- a file's mapping ------------------------------------------------------------------------ */

struct reading {
    struct htmt__figures *figures;
    const char *key;
    const struct htmt_yaml *source; /* of points without their own; NULL: none */
    unsigned arguments;
    struct htmt_fault *fault;
};

/* The scalar `node` becomes the figure KEY: with a source as `{value: NODE, source: SOURCE}`, which
 * is what a file spells for a single figure, else as a name, which needs none. */
static int put_text(struct reading *r, const struct htmt_yaml *node, const char *key,
                    const struct htmt_yaml *source)
{
    struct htmt_yaml value = *node, parts = {.kind = HTMT_YAML_MAPPING,
                                             .line = node->line,
                                             .file = node->file,
                                             .first = &value};
    char names[2][8] = {"value", "source"};
    if (!source)
        return htmt__figures_read_plain(r->figures, node, key, r->fault);
    struct htmt_yaml origin = *source;
    value.key = names[0];
    value.next = &origin;
    origin.key = names[1];
    origin.next = NULL;
    return htmt__figures_read(r->figures, &parts, key, r->fault);
}

/* The points of a mapping, whose keys are values of argument number `depth`: whole numbers without
 * a sign, which ascend. A curve of two arguments has a mapping of the second one at each value of
 * the first. A point that is a plain value takes the source of the curve. */
static int read_points(struct reading *r, const struct htmt_yaml *mapping, const char *prefix,
                       unsigned depth)
{
    uint64_t last = 0;
    int rc = htmt_yaml_expect(mapping, HTMT_YAML_MAPPING, prefix, r->fault);
    if (!rc && !mapping->first)
        rc = htmt_fault_set(r->fault, HTMT_EFORMAT, "%s:%d: %s: found no point, expected one",
                            mapping->file, mapping->line, prefix);
    for (const struct htmt_yaml *c = rc ? NULL : mapping->first; c && !rc; c = c->next) {
        char key[KEY_ROOM];
        uint64_t at = 0;
        bool whole = *c->key != '\0';
        for (const char *digit = c->key; *digit && whole; digit++)
            whole = isdigit((unsigned char)*digit) && !__builtin_mul_overflow(at, 10, &at) &&
                    !__builtin_add_overflow(at, (uint64_t)(*digit - '0'), &at);
        if (!whole)
            return htmt_fault_set(r->fault, HTMT_EFORMAT,
                                  "%s:%d: %s: found point '%.40s', expected a whole number",
                                  c->file, c->key_line, r->key, c->key);
        if (c != mapping->first && at <= last)
            return htmt_fault_set(r->fault, HTMT_EFORMAT,
                                  "%s:%d: %s: found point %s after %llu, expected ascending points",
                                  c->file, c->key_line, r->key, c->key, (unsigned long long)last);
        last = at;
        rc = htmt__figures_key(c, prefix, c->key, key, r->fault);
        if (rc)
            return rc;
        if (depth < r->arguments)
            rc = read_points(r, c, key, depth + 1);
        else if (c->kind != HTMT_YAML_SCALAR)
            rc = htmt__figures_read(r->figures, c, key, r->fault);
        else if (r->source)
            rc = put_text(r, c, key, r->source);
        else
            rc = htmt_fault_set(r->fault, HTMT_EFORMAT,
                                "%s:%d: %s: found '%.60s' without a source, expected a source of "
                                "the curve or of the point",
                                c->file, c->line, key, c->text);
    }
    return rc;
}

/* `by` is a name or a list of two; the dump spells the second `by-next`. */
static int read_names(struct reading *r, const struct htmt_yaml *by, const struct htmt_yaml *next)
{
    char key[KEY_ROOM];
    const struct htmt_yaml *first = by->kind == HTMT_YAML_SEQUENCE ? by->first : by;
    const struct htmt_yaml *second = first != by && first ? first->next : next;
    if (!first || first->kind != HTMT_YAML_SCALAR || (second && second->next && second != next))
        return htmt_fault_set(r->fault, HTMT_EFORMAT,
                              "%s:%d: %s.by: expected one name or a list of two", by->file,
                              by->line, r->key);
    r->arguments = second ? 2 : 1;
    int rc = htmt__figures_key(by, r->key, "by", key, r->fault);
    if (!rc)
        rc = put_text(r, first, key, NULL);
    if (rc || !second)
        return rc;
    rc = htmt__figures_key(by, r->key, "by-next", key, r->fault);
    return rc ? rc : put_text(r, second, key, NULL);
}

/* A figure, or a curve; either takes the place of a base's, of either kind. So what a base says
 * below KEY is dropped at once, and its plain figure once a curve is there to replace it. */
int htmt__curve_read(struct htmt__figures *figures, const struct htmt_yaml *node, const char *key,
                     struct htmt_fault *fault)
{
    static const struct htmt_schema_row parts[] = {
        {.key = "value", .kind = HTMT_SCHEMA_NODE},
        {.key = "by", .kind = HTMT_SCHEMA_NODE},
        {.key = "by-next", .kind = HTMT_SCHEMA_NODE, .optional = true},
        {.key = "beyond", .kind = HTMT_SCHEMA_NODE, .optional = true},
        {.key = "source", .kind = HTMT_SCHEMA_NODE, .optional = true},
        {.key = NULL}};
    struct reading r = {.figures = figures, .key = key, .fault = fault};
    const struct htmt_yaml *found[5], *value = htmt_yaml_get(node, "value");
    char below[KEY_ROOM + 1], part[KEY_ROOM];
    snprintf(below, sizeof below, "%s.", key);
    htmt__figures_drop(figures, below);
    if (!value || value->kind == HTMT_YAML_SCALAR)
        return htmt__figures_read(figures, node, key, fault);
    if (htmt__figures_find(figures, key))
        htmt__figures_drop(figures, key);
    int rc = htmt_schema_nodes(node, key, parts, found, fault);
    if (rc)
        return rc;
    r.source = found[4];
    rc = read_names(&r, found[1], found[2]);
    const struct htmt_yaml *beyond = found[3];
    if (!rc && beyond) {
        rc = htmt_yaml_expect(beyond, HTMT_YAML_SCALAR, key, fault);
        if (!rc && strcmp(beyond->text, HOLD) != 0 && strcmp(beyond->text, REFUSE) != 0)
            rc = htmt_fault_set(fault, HTMT_EFORMAT,
                                "%s:%d: %s.beyond: found '%.40s', expected '" HOLD "' or '" REFUSE
                                "'",
                                beyond->file, beyond->line, key, beyond->text);
        if (!rc)
            rc = htmt__figures_key(beyond, key, "beyond", part, fault);
        if (!rc)
            rc = put_text(&r, beyond, part, NULL);
    }
    if (!rc)
        rc = htmt__figures_key(found[0], key, "value", part, fault);
    return rc ? rc : read_points(&r, found[0], part, 1);
}

/* ---- figures ---------------------------------------------------------------------------------
 *
 * The way back, once bases and --set have had their say: each figure below KEY.value. is a point.
 * Every figure that is used goes to `keep`, in the order in which it is used, so that the dump and
 * the hash of the machine hold exactly what its times depend on.
 */

struct building {
    const struct htmt_schema_row *row;
    htmt__curve_keep *keep;
    void *with;
    struct htmt_curve *curve;
    struct htmt_fault *fault;
};

static int put_point(struct building *b, const struct htmt_figure *figure, uint64_t x, uint64_t y)
{
    struct htmt_quantity q;
    int rc = htmt__figure_quantity(figure, b->row, &q, b->fault);
    if (!rc && q.value.num == 0 && b->row->above_least)
        rc = htmt__figure_refuse(figure, HTMT_ERANGE, b->fault, "found 0, expected more than zero");
    if (rc)
        return rc;
    struct htmt_curve *c = b->curve;
    if (!htmt__array_fits(&c->point, &c->room, (size_t)c->count + 1, sizeof *c->point))
        return htmt_fault_set(b->fault, HTMT_ENOMEM, "out of memory for a curve");
    c->point[c->count++] = (struct htmt_curve_point){x, y, q.value};
    b->keep(b->with, figure, &q.value);
    return 0;
}

/* The name KEY.part, which goes into `to`; absent: `to` stays empty. */
static int take_name(struct building *b, const struct htmt__figures *figures, const char *key,
                     const char *part, char to[HTMT_NAME_MAX])
{
    char name[KEY_ROOM + 16];
    snprintf(name, sizeof name, "%s.%s", key, part);
    const struct htmt_figure *figure = htmt__figures_find(figures, name);
    if (!figure)
        return 0;
    if (strlen(figure->value) >= HTMT_NAME_MAX)
        return htmt__figure_refuse(figure, HTMT_EFORMAT, b->fault, "expected a shorter name");
    memcpy(to, figure->value, strlen(figure->value) + 1);
    b->keep(b->with, figure, NULL);
    return 0;
}

/* A plain value is a curve of one point without arguments. Else the names, then the points, whose
 * keys end in their arguments: "KEY.value.8.64" is the point (8, 64). */
int htmt__curve_build(const struct htmt__figures *figures, const char *key,
                      const struct htmt_schema_row *row, htmt__curve_keep *keep, void *with,
                      struct htmt_curve *curve, struct htmt_fault *fault)
{
    struct building b = {row, keep, with, curve, fault};
    char beyond[HTMT_NAME_MAX] = "", prefix[KEY_ROOM + 8];
    const size_t length = (size_t)snprintf(prefix, sizeof prefix, "%s.value.", key);
    const struct htmt_figure *plain = htmt__figures_find(figures, key);
    *curve = (struct htmt_curve){0};
    if (plain && !htmt__figure_modelled(plain))
        keep(with, plain, NULL);
    else if (plain)
        return put_point(&b, plain, 0, 0);
    int rc = take_name(&b, figures, key, "by", curve->by[0]);
    if (!rc)
        rc = take_name(&b, figures, key, "by-next", curve->by[1]);
    if (!rc)
        rc = take_name(&b, figures, key, "beyond", beyond);
    curve->arguments = *curve->by[1] ? 2 : *curve->by[0] ? 1 : 0;
    curve->hold = strcmp(beyond, HOLD) == 0;
    for (unsigned i = 0; i < figures->count && !rc; i++) {
        char *end;
        if (strncmp(figures->at[i].key, prefix, length) != 0)
            continue;
        const uint64_t x = strtoull(figures->at[i].key + length, &end, 10);
        const uint64_t y = *end == '.' ? strtoull(end + 1, NULL, 10) : 0;
        rc = put_point(&b, &figures->at[i], x, y);
    }
    return rc;
}
