/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events of libyaml become a tree; the marks of the events give the lines. The functions call each
 * other as the file nests: read_node() takes a value from its first event on, read_collection() the
 * children of a mapping or list up to its end. Depth is bounded, so that a hostile file cannot use
 * up the stack. The keys of a mapping stand in a tree of <search.h> while it is read, so that a
 * file with many keys takes no quadratic time to find one that is repeated.
 */
#define _GNU_SOURCE /* tdestroy() */
#include "layers/file/yaml.h"
#include "runtime/base/suggest.h"

#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define DEPTH_MAX 16 /* a machine file needs 6 */
#define KEY_MAX   63 /* longer keys are never near */

struct reader {
    yaml_parser_t parser;
    const char *file;
    struct htmt_fault *fault;
};

static int line_of(yaml_mark_t mark)
{
    return (int)mark.line + 1;
}

static int refuse(struct reader *r, int line, const char *what)
{
    return htmt_fault_set(r->fault, HTMT_EFORMAT, "%s:%d: %s", r->file, line, what);
}

static int out_of_memory(struct reader *r)
{
    return htmt_fault_set(r->fault, HTMT_ENOMEM, "%s: out of memory while reading", r->file);
}

static int next_event(struct reader *r, yaml_event_t *event)
{
    if (yaml_parser_parse(&r->parser, event))
        return 0;
    if (r->parser.error == YAML_MEMORY_ERROR)
        return out_of_memory(r);
    yaml_mark_t mark = r->parser.problem_mark;
    const char *problem = r->parser.problem ? r->parser.problem : "not readable";
    return htmt_fault_set(r->fault, HTMT_EFORMAT, "%s:%d: not YAML: %s", r->file, line_of(mark),
                          problem);
}

static struct htmt_yaml *new_node(struct reader *r, const yaml_event_t *event,
                                  enum htmt_yaml_kind kind)
{
    struct htmt_yaml *node = calloc(1, sizeof *node);
    if (!node)
        return NULL;
    node->kind = kind;
    node->line = line_of(event->start_mark);
    node->file = r->file;
    return node;
}

static void free_tree(struct htmt_yaml *node)
{
    while (node) {
        struct htmt_yaml *next = node->next;
        free_tree(node->first);
        free(node->key);
        free(node->text);
        free(node);
        node = next;
    }
}

/* The text of a scalar, which the caller owns. Messages are one line, so a text must not break it;
 * a NUL would hide what follows. */
static int scalar_text(struct reader *r, const yaml_event_t *event, char **text)
{
    const unsigned char *value = event->data.scalar.value;
    int line = line_of(event->start_mark);
    for (size_t i = 0; i < event->data.scalar.length; i++)
        if ((value[i] < 0x20 && value[i] != '\t') || value[i] == 0x7f)
            return refuse(r, line, "found a control character or a line break in a text");
    if (event->data.scalar.anchor || event->data.scalar.tag)
        return refuse(r, line, "anchors and tags are not allowed here");
    *text = strdup((const char *)value);
    return *text ? 0 : out_of_memory(r);
}

static int read_node(struct reader *r, const yaml_event_t *event, int depth,
                     struct htmt_yaml **node);

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct htmt_yaml *)a)->key, ((const struct htmt_yaml *)b)->key);
}

static void keep(void *child)
{
    (void)child;
}

/* A key of a mapping, which is not among those that were seen, and its value. */
static int read_pair(struct reader *r, const yaml_event_t *key_event, void **seen, int depth,
                     struct htmt_yaml **child)
{
    char *key;
    int line = line_of(key_event->start_mark);
    yaml_event_t event;
    if (key_event->type != YAML_SCALAR_EVENT)
        return refuse(r, line, "expected a plain key");
    int rc = scalar_text(r, key_event, &key);
    if (rc)
        return rc;
    struct htmt_yaml *const *twin = tfind(&(struct htmt_yaml){.key = key}, seen, by_key);
    if (twin) {
        rc = htmt_fault_set(r->fault, HTMT_EFORMAT,
                            "%s:%d: key '%s' is repeated, first given in line %d", r->file, line,
                            key, (*twin)->key_line);
        free(key);
        return rc;
    }
    rc = next_event(r, &event);
    if (!rc) {
        rc = read_node(r, &event, depth, child);
        yaml_event_delete(&event);
    }
    if (rc) {
        free(key);
        return rc;
    }
    (*child)->key = key;
    (*child)->key_line = line;
    if (!tsearch(*child, seen, by_key)) {
        free_tree(*child);
        rc = out_of_memory(r);
    }
    return rc;
}

/* A mapping or a list, whose first event is at hand: its children, up to its end. */
static int read_collection(struct reader *r, const yaml_event_t *first, int depth,
                           struct htmt_yaml **node)
{
    const bool pairs = first->type == YAML_MAPPING_START_EVENT;
    const yaml_event_type_t end = pairs ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
    const bool decorated =
        pairs ? first->data.mapping_start.anchor || first->data.mapping_start.tag
              : first->data.sequence_start.anchor || first->data.sequence_start.tag;
    if (depth >= DEPTH_MAX)
        return refuse(r, line_of(first->start_mark), "nested too deeply");
    if (decorated)
        return refuse(r, line_of(first->start_mark), "anchors and tags are not allowed here");
    struct htmt_yaml *parent = new_node(r, first, pairs ? HTMT_YAML_MAPPING : HTMT_YAML_SEQUENCE);
    if (!parent)
        return out_of_memory(r);
    struct htmt_yaml **last = &parent->first;
    void *seen = NULL;
    int rc = 0;
    for (bool done = false; !done && !rc;) {
        yaml_event_t event;
        struct htmt_yaml *child = NULL;
        rc = next_event(r, &event);
        if (rc)
            break;
        done = event.type == end;
        if (!done)
            rc = pairs ? read_pair(r, &event, &seen, depth + 1, &child)
                       : read_node(r, &event, depth + 1, &child);
        yaml_event_delete(&event);
        if (done || rc)
            break;
        *last = child;
        last = &child->next;
    }
    tdestroy(seen, keep);
    if (rc)
        free_tree(parent);
    else
        *node = parent;
    return rc;
}

static int read_node(struct reader *r, const yaml_event_t *event, int depth,
                     struct htmt_yaml **node)
{
    char *text;
    int rc;
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        rc = scalar_text(r, event, &text);
        if (rc)
            return rc;
        *node = new_node(r, event, HTMT_YAML_SCALAR);
        if (!*node) {
            free(text);
            return out_of_memory(r);
        }
        (*node)->text = text;
        return 0;
    case YAML_MAPPING_START_EVENT:
    case YAML_SEQUENCE_START_EVENT:
        return read_collection(r, event, depth, node);
    case YAML_ALIAS_EVENT:
        return refuse(r, line_of(event->start_mark), "aliases are not allowed here");
    default:
        return refuse(r, line_of(event->start_mark), "expected a value");
    }
}

/* All events of the file, which holds one document, a mapping. */
int htmt_yaml_parse(const char *file, const char *text, size_t length, struct htmt_yaml **root,
                    struct htmt_fault *fault)
{
    struct reader r = {.file = file, .fault = fault};
    struct htmt_yaml *tree = NULL;
    if (!yaml_parser_initialize(&r.parser))
        return out_of_memory(&r);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, length);
    int rc = 0;
    for (bool done = false; !done && !rc;) {
        yaml_event_t event;
        rc = next_event(&r, &event);
        if (rc)
            break;
        done = event.type == YAML_STREAM_END_EVENT;
        if (event.type == YAML_DOCUMENT_START_EVENT && tree)
            rc = refuse(&r, line_of(event.start_mark), "found a second document, expected one");
        else if (!done && event.type != YAML_STREAM_START_EVENT &&
                 event.type != YAML_DOCUMENT_START_EVENT && event.type != YAML_DOCUMENT_END_EVENT)
            rc = read_node(&r, &event, 0, &tree);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&r.parser);
    if (!rc && !tree)
        rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s:1: the file is empty", file);
    if (!rc)
        rc = htmt_yaml_expect(tree, HTMT_YAML_MAPPING, "the file", fault);
    if (rc)
        free_tree(tree);
    else
        *root = tree;
    return rc;
}

void htmt_yaml_destroy(struct htmt_yaml **root)
{
    if (!root)
        return;
    free_tree(*root);
    *root = NULL;
}

const struct htmt_yaml *htmt_yaml_get(const struct htmt_yaml *mapping, const char *key)
{
    for (const struct htmt_yaml *child = mapping->first; child; child = child->next)
        if (child->key && strcmp(child->key, key) == 0)
            return child;
    return NULL;
}

int htmt_yaml_expect(const struct htmt_yaml *node, enum htmt_yaml_kind kind, const char *what,
                     struct htmt_fault *fault)
{
    static const char *const name[] = {[HTMT_YAML_SCALAR] = "a plain value",
                                       [HTMT_YAML_MAPPING] = "a mapping",
                                       [HTMT_YAML_SEQUENCE] = "a list"};
    if (node->kind == kind)
        return 0;
    if (node->kind == HTMT_YAML_SCALAR)
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: %s: found '%s', expected %s", node->file,
                              node->line, what, node->text, name[kind]);
    return htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: %s: found %s, expected %s", node->file,
                          node->line, what, name[node->kind], name[kind]);
}

int htmt_yaml_need(const struct htmt_yaml *mapping, const char *key, const char *what,
                   const struct htmt_yaml **child, struct htmt_fault *fault)
{
    const struct htmt_yaml *found = htmt_yaml_get(mapping, key);
    if (!found)
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: %s: key '%s' is missing", mapping->file,
                              mapping->line, what, key);
    *child = found;
    return 0;
}

int htmt_yaml_keys(const struct htmt_yaml *mapping, const char *const *allowed, unsigned count,
                   const char *what, struct htmt_fault *fault)
{
    for (const struct htmt_yaml *child = mapping->first; child; child = child->next) {
        bool known = false;
        for (unsigned i = 0; i < count && !known; i++)
            known = strcmp(child->key, allowed[i]) == 0;
        if (known)
            continue;
        char hint[400];
        htmt__suggest(child->key, allowed, count, hint, sizeof hint);
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: %s: unknown key '%s', %s", mapping->file,
                              child->key_line, what, child->key, hint);
    }
    return 0;
}
