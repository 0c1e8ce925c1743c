/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files become lists of figures. A file of a base is read first, then the one that names it, into
 * the same list; a figure takes the place of an earlier one of its key, and keeps that one's
 * position, so the order of the list is that in which keys were first given.
 */
#include "layers/file/figures.h"

#include "runtime/base/array.h"
#include "runtime/base/fnv.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A machine has some 450, with all layers and networks that it may have. */
#define FIGURES_MOST 4096
#define KEY_ROOM     sizeof((struct htmt_figure){0}.key)

void htmt__figures_fini(struct htmt__figures *figures)
{
    free(figures->at);
    free(figures->range);
    if (!figures->shares_index)
        free(figures->index);
    *figures = (struct htmt__figures){0};
}

static uint32_t slot_of(const struct htmt__figures *figures, const char *key)
{
    uint64_t hash = HTMT__HASH_BASIS;
    htmt__hash_bytes(&hash, key, strlen(key));
    return (uint32_t)(hash ^ hash >> 32) & (figures->slots - 1);
}

int htmt__figures_index(struct htmt__figures *figures)
{
    uint32_t slots = 16;
    while (slots < 2 * figures->count)
        slots *= 2;
    uint32_t *index = calloc(slots, sizeof *index);
    if (!index)
        return HTMT_ENOMEM;
    figures->index = index;
    figures->slots = slots;
    for (unsigned i = 0; i < figures->count; i++) {
        uint32_t at = slot_of(figures, figures->at[i].key);
        while (index[at])
            at = (at + 1) & (slots - 1);
        index[at] = i + 1;
    }
    return 0;
}

static void forget_index(struct htmt__figures *figures)
{
    if (!figures->shares_index)
        free(figures->index);
    figures->index = NULL;
    figures->shares_index = false;
}

struct htmt_figure *htmt__figures_find(const struct htmt__figures *figures, const char *key)
{
    if (figures->index) {
        for (uint32_t at = slot_of(figures, key); figures->index[at];
             at = (at + 1) & (figures->slots - 1))
            if (strcmp(figures->at[figures->index[at] - 1].key, key) == 0)
                return &figures->at[figures->index[at] - 1];
        return NULL;
    }
    for (unsigned i = 0; i < figures->count; i++)
        if (strcmp(figures->at[i].key, key) == 0)
            return &figures->at[i];
    return NULL;
}

/* Machines are built of a hundred figures a time, and printf() would take most of it. */
struct htmt_figure *htmt__figures_find_under(const struct htmt__figures *figures, const char *group,
                                             const char *key)
{
    char whole[KEY_ROOM];
    const size_t before = strlen(group), length = strlen(key);
    if (before + length + 2 > sizeof whole)
        return NULL;
    memcpy(whole, group, before);
    whole[before] = '.';
    memcpy(whole + before + 1, key, length + 1);
    return htmt__figures_find(figures, whole);
}

int htmt__figures_put(struct htmt__figures *figures, const struct htmt_figure *figure,
                      struct htmt_fault *fault)
{
    struct htmt_figure *old = htmt__figures_find(figures, figure->key);
    if (old) {
        *old = *figure;
        return 0;
    }
    if (figures->count == FIGURES_MOST)
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: %s: found more than %d figures",
                              figure->file, figure->line, figure->key, FIGURES_MOST);
    if (!htmt__array_fits(&figures->at, &figures->room, figures->count + 1, sizeof *figures->at))
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for %u figures",
                              figures->count + 1);
    forget_index(figures);
    figures->at[figures->count++] = *figure;
    return 0;
}

void htmt__figures_drop(struct htmt__figures *figures, const char *prefix)
{
    size_t length = strlen(prefix);
    unsigned kept = 0;
    forget_index(figures);
    for (unsigned i = 0; i < figures->count; i++)
        if (strncmp(figures->at[i].key, prefix, length) != 0)
            figures->at[kept++] = figures->at[i];
    figures->count = kept;
}

/* Copy a text that is there and fits. */
static int take_text(const struct htmt_yaml *node, const char *key, const char *what, char *to,
                     size_t room, struct htmt_fault *fault)
{
    int rc = htmt_yaml_expect(node, HTMT_YAML_SCALAR, key, fault);
    if (rc)
        return rc;
    size_t length = strlen(node->text);
    if (length == 0)
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: %s: the %s is empty", node->file,
                              node->line, key, what);
    if (length >= room)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s:%d: %s: the %s has %zu characters, expected fewer than %zu",
                              node->file, node->line, key, what, length, room);
    memcpy(to, node->text, length + 1);
    return 0;
}

/* The tail of a path that is too long is what a person recognises. */
static void set_place(struct htmt_figure *figure, const struct htmt_yaml *node)
{
    size_t length = strlen(node->file);
    size_t skip = length >= sizeof figure->file ? length - sizeof figure->file + 1 : 0;
    memcpy(figure->file, node->file + skip, length - skip + 1);
    figure->line = node->line;
}

/* A figure that a later file gives has the range that this file says, or none. */
static int set_range(struct htmt__figures *figures, const struct htmt__figure_range *range)
{
    unsigned at = 0;
    while (at < figures->ranges && strcmp(figures->range[at].key, range->key) != 0)
        at++;
    if (!*range->text) {
        if (at < figures->ranges)
            figures->range[at] = figures->range[--figures->ranges];
        return 0;
    }
    if (at == figures->ranges) {
        if (!htmt__array_fits(&figures->range, &figures->range_room, at + 1u, sizeof *range))
            return HTMT_ENOMEM;
        figures->ranges++;
    }
    figures->range[at] = *range;
    return 0;
}

int htmt__figures_read(struct htmt__figures *figures, const struct htmt_yaml *node, const char *key,
                       struct htmt_fault *fault)
{
    static const struct htmt_schema_row parts[] = {
        {.key = "value", .kind = HTMT_SCHEMA_NODE},
        {.key = "source", .kind = HTMT_SCHEMA_NODE},
        {.key = "range", .kind = HTMT_SCHEMA_NODE, .optional = true},
        {.key = NULL}};
    const struct htmt_yaml *found[3];
    struct htmt__figure_range range = {.text = ""};
    double least, most;
    int end = 0;
    struct htmt_figure figure = {0};
    if (node->kind == HTMT_YAML_SCALAR)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s:%d: %s: found '%.60s' without a source, expected {value: ..., "
                              "source: ...}",
                              node->file, node->line, key, node->text);
    int rc = htmt_schema_nodes(node, key, parts, found, fault);
    if (!rc)
        rc = take_text(found[0], key, "value", figure.value, sizeof figure.value, fault);
    if (!rc)
        rc = take_text(found[1], key, "source", figure.source, sizeof figure.source, fault);
    if (!rc && found[2])
        rc = take_text(found[2], key, "range", range.text, sizeof range.text, fault);
    if (!rc && found[2] &&
        (sscanf(range.text, "%lfx..%lfx%n", &least, &most, &end) != 2 || range.text[end] ||
         !(least > 0) || !(least < most)))
        rc = htmt_fault_set(fault, HTMT_EFORMAT,
                            "%s:%d: %s: range: found '%s', expected two factors such as "
                            "0.8x..1.5x",
                            found[2]->file, found[2]->line, key, range.text);
    if (rc)
        return rc;
    memcpy(figure.key, key, strlen(key) + 1);
    memcpy(range.key, key, strlen(key) + 1);
    set_place(&figure, found[0]);
    return set_range(figures, &range)
               ? htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for %s", key)
               : htmt__figures_put(figures, &figure, fault);
}

int htmt__figures_read_plain(struct htmt__figures *figures, const struct htmt_yaml *node,
                             const char *key, struct htmt_fault *fault)
{
    struct htmt_figure figure = {0};
    int rc = take_text(node, key, "name", figure.value, sizeof figure.value, fault);
    if (rc)
        return rc;
    memcpy(figure.key, key, strlen(key) + 1);
    set_place(&figure, node);
    return htmt__figures_put(figures, &figure, fault);
}

int htmt__figures_key(const struct htmt_yaml *node, const char *prefix, const char *name,
                      char key[static KEY_ROOM], struct htmt_fault *fault)
{
    size_t room = KEY_ROOM;
    size_t before = strlen(prefix), length = strlen(name);
    if (before + length + 2 > room)
        return htmt_fault_set(
            fault, HTMT_EFORMAT,
            "%s:%d: key '%s.%.40s' is too long, expected fewer than %zu characters", node->file,
            node->line, prefix, name, room);
    memcpy(key, prefix, before);
    if (before)
        key[before++] = '.';
    memcpy(key + before, name, length + 1);
    return 0;
}

int htmt__figures_read_under(struct htmt__figures *figures, const struct htmt_yaml *node,
                             const char *key, const char *name, struct htmt_fault *fault)
{
    char under[KEY_ROOM];
    int rc = htmt__figures_key(node, key, name, under, fault);
    return rc ? rc : htmt__figures_read(figures, node, under, fault);
}

int htmt__figures_read_shared(struct htmt__figures *figures, const struct htmt_yaml *value,
                              const struct htmt_yaml *source, const char *key, const char *name,
                              struct htmt_fault *fault)
{
    char value_key[] = "value";
    struct htmt_yaml both[2] = {*value};
    struct htmt_yaml mapping = {.kind = HTMT_YAML_MAPPING,
                                .line = value->line,
                                .file = value->file,
                                .key_line = value->key_line,
                                .first = &both[0]};
    if (value->kind != HTMT_YAML_SCALAR)
        return htmt__figures_read_under(figures, value, key, name, fault);
    both[0].key = value_key;
    both[0].next = NULL;
    if (source) {
        both[1] = *source;
        both[1].next = NULL;
        both[0].next = &both[1];
    }
    return htmt__figures_read_under(figures, &mapping, key, name, fault);
}

static int read_group(struct htmt__figures *figures, const struct htmt_yaml *node, const char *key,
                      const struct htmt_schema_row *row, struct htmt_fault *fault)
{
    return row->read ? row->read(figures, node, key, row->rows, fault)
                     : htmt__figures_walk(figures, node, key, row->rows, fault);
}

/* A mapping from names to groups of one kind. */
static int read_named(struct htmt__figures *figures, const struct htmt_yaml *node,
                      const char *prefix, const struct htmt_schema_row *row,
                      struct htmt_fault *fault)
{
    int rc = htmt_yaml_expect(node, HTMT_YAML_MAPPING, prefix, fault);
    for (const struct htmt_yaml *child = node->first; child && !rc; child = child->next) {
        char key[KEY_ROOM];
        const char *name = child->key;
        const size_t length = strlen(name);
        bool good = length > 0 && length < HTMT_NAME_MAX && islower((unsigned char)name[0]);
        for (size_t i = 0; good && i < length; i++)
            good = islower((unsigned char)name[i]) || isdigit((unsigned char)name[i]) ||
                   name[i] == '-';
        if (!good)
            return htmt_fault_set(fault, HTMT_EFORMAT,
                                  "%s:%d: %s: found name '%.60s', expected a lower-case letter and "
                                  "then letters, digits or '-', fewer than %d",
                                  child->file, child->key_line, prefix, child->key, HTMT_NAME_MAX);
        rc = htmt__figures_key(child, prefix, child->key, key, fault);
        if (!rc)
            rc = read_group(figures, child, key, row, fault);
    }
    return rc;
}

struct level {
    struct htmt__figures *figures;
    const char *prefix;
};

static int take_row(void *into, const struct htmt_schema_row *row, const struct htmt_yaml *node,
                    struct htmt_fault *fault)
{
    const struct level *at = into;
    char key[KEY_ROOM];
    int rc = htmt__figures_key(node, at->prefix, row->key, key, fault);
    if (rc || row->kind == HTMT_SCHEMA_NODE)
        return rc;
    switch (row->kind) {
    case HTMT_SCHEMA_TEXT:
    case HTMT_SCHEMA_CHOICE:
        return htmt__figures_read_plain(at->figures, node, key, fault);
    case HTMT_SCHEMA_GROUP:
        return read_group(at->figures, node, key, row, fault);
    case HTMT_SCHEMA_NAMED:
        return read_named(at->figures, node, key, row, fault);
    default:
        return htmt__figures_read(at->figures, node, key, fault);
    }
}

int htmt__figures_walk(struct htmt__figures *figures, const struct htmt_yaml *mapping,
                       const char *prefix, const struct htmt_schema_row *rows,
                       struct htmt_fault *fault)
{
    struct level at = {figures, prefix};
    return htmt_schema_read_part(mapping, prefix, rows, take_row, &at, fault);
}

int htmt__figures_set(const char *assignment, struct htmt_figure *figure, struct htmt_fault *fault)
{
    const char *equals = strchr(assignment, '=');
    size_t length = equals ? (size_t)(equals - assignment) : 0;
    if (length == 0 || equals[1] == '\0')
        return htmt_fault_set(fault, HTMT_EFORMAT, "--set: found '%.80s', expected KEY=VALUE",
                              assignment);
    if (strpbrk(assignment, "\n\r"))
        return htmt_fault_set(fault, HTMT_EFORMAT, "--set: found a line break, expected KEY=VALUE");
    if (length >= sizeof figure->key || strlen(equals + 1) >= sizeof figure->value)
        return htmt_fault_set(fault, HTMT_EFORMAT, "--set %.80s: key or value is too long",
                              assignment);
    *figure = (struct htmt_figure){.source = "given by --set", .file = "--set"};
    memcpy(figure->key, assignment, length);
    memcpy(figure->value, equals + 1, strlen(equals + 1) + 1);
    return 0;
}

bool htmt__figure_modelled(const struct htmt_figure *figure)
{
    return strcmp(figure->value, HTMT__NOT_MODELLED) != 0;
}

int htmt__figure_refuse(const struct htmt_figure *figure, int code, struct htmt_fault *fault,
                        const char *format, ...)
{
    char what[400];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (figure->line == 0)
        return htmt_fault_set(fault, code, "%s %s: %s", figure->file, figure->key, what);
    return htmt_fault_set(fault, code, "%s:%d: %s: %s", figure->file, figure->line, figure->key,
                          what);
}

int htmt__figure_quantity(const struct htmt_figure *figure, const struct htmt_schema_row *row,
                          struct htmt_quantity *q, struct htmt_fault *fault)
{
    static const char *const any[] = {"flop", "iop", "word"};
    char why[200];
    int rc = HTMT_EUNIT;
    for (size_t i = 0; i < sizeof any / sizeof any[0] && rc == HTMT_EUNIT; i++)
        rc = htmt_quantity_read(figure->value, row->kind, row->noun ? row->noun : any[i], q, why,
                                sizeof why);
    return rc ? htmt__figure_refuse(figure, rc, fault, "%s", why) : 0;
}
