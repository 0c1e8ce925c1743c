/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The reader of layers/file/schema.h hands over values, row by row; each value keeps the node it
 * came from for later complaints, so the tree lives as long as the parameters.
 */
#include "layers/file/parameters.h"
#include "runtime/base/suggest.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct value {
    const struct htmt_yaml *node; /* NULL: not in the file */
    bool known;
    double number;
    int64_t whole; /* also a switch and the index of a choice */
    const char *text;
    double *list;
    struct htmt_parameters **group;
    unsigned count; /* of the list or the groups */
};

struct htmt_parameters {
    const struct htmt_schema_row *rows;
    struct value *value; /* one for each row */
    const struct htmt_yaml *mapping;
    struct htmt_yaml *root; /* owned by the outermost parameters; else NULL */
    char *file;             /* likewise; the nodes point to it */
};

/* Where a value is read: the row and what a message starts with. */
struct place {
    const struct htmt_schema_row *row;
    const struct htmt_yaml *node; /* NULL: the row's fallback */
    const char *text;
    struct htmt_fault *fault;
};

static int complain(const struct place *at, int code, const char *why)
{
    if (!at->node)
        return htmt_fault_set(at->fault, code, "%s: its default: %s", at->row->key, why);
    return htmt_fault_set(at->fault, code, "%s:%d: %s: %s", at->node->file, at->node->line,
                          at->row->key, why);
}

static int no_memory(struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for parameters");
}

/* ---- values --------------------------------------------------------------------------------- */

/* A row without bounds takes all; one whose `most` is not above `least` has no upper bound. */
static bool in_range(const struct htmt_schema_row *row, double x)
{
    bool bounded = row->least != 0 || row->most != 0 || row->above_least;
    bool below = row->above_least ? x <= row->least : x < row->least;
    return !bounded || (!below && (row->most <= row->least || x <= row->most));
}

/* "from 1 Hz to 5 Hz", "above 0 s". */
static void name_range(const struct htmt_schema_row *row, char *text, size_t room)
{
    const char *unit = htmt_unit_name(row->kind), *blank = *unit ? " " : "";
    int n = snprintf(text, room, "%s %.12g%s%s", row->above_least ? "above" : "from",
                     (double)row->least, blank, unit);
    if (row->most > row->least && n > 0 && (size_t)n < room)
        snprintf(text + n, room - (size_t)n, " to %.12g%s%s", (double)row->most, blank, unit);
}

static int check_range(const struct place *at, double x)
{
    char range[120], why[240];
    if (in_range(at->row, x))
        return 0;
    name_range(at->row, range, sizeof range);
    snprintf(why, sizeof why, "found '%.60s', expected a value %s", at->text, range);
    return complain(at, HTMT_ERANGE, why);
}

static int read_quantity(const struct place *at, struct value *v)
{
    char why[200];
    int rc = htmt_quantity_double(at->text, at->row->kind, &v->number, why, sizeof why);
    return rc ? complain(at, rc, why) : check_range(at, v->number);
}

static int read_whole(const struct place *at, struct value *v)
{
    char *end, why[200];
    errno = 0;
    long long n = strtoll(at->text, &end, 10);
    size_t sign = *at->text == '-';
    if (!at->text[sign] || at->text[sign + strspn(at->text + sign, "0123456789")]) {
        snprintf(why, sizeof why, "found '%.60s', expected a whole number such as '128'", at->text);
        return complain(at, HTMT_EFORMAT, why);
    }
    if (errno) {
        snprintf(why, sizeof why, "found '%.60s', expected no more than 64 bits", at->text);
        return complain(at, HTMT_ERANGE, why);
    }
    v->whole = n;
    return check_range(at, (double)n);
}

static int read_scalar(const struct place *at, struct value *v)
{
    const char *const *words = at->row->words;
    unsigned n = 0;
    char hint[300], why[400];
    switch (at->row->kind) {
    case HTMT_SCHEMA_WHOLE:
        return read_whole(at, v);
    case HTMT_SCHEMA_CHOICE:
        for (; words[n]; n++)
            if (strcmp(words[n], at->text) == 0) {
                v->whole = n;
                return 0;
            }
        htmt__suggest(at->text, words, n, hint, sizeof hint);
        snprintf(why, sizeof why, "found '%.60s', %s", at->text, hint);
        return complain(at, HTMT_EFORMAT, why);
    case HTMT_SCHEMA_SWITCH:
        v->whole = strcmp(at->text, "true") == 0;
        if (v->whole || strcmp(at->text, "false") == 0)
            return 0;
        snprintf(why, sizeof why, "found '%.60s', expected true or false", at->text);
        return complain(at, HTMT_EFORMAT, why);
    case HTMT_SCHEMA_TEXT:
        v->text = at->text;
        return 0;
    default:
        return read_quantity(at, v);
    }
}

/* ---- lists and groups ----------------------------------------------------------------------- */

static unsigned child_count(const struct htmt_yaml *node)
{
    unsigned n = 0;
    for (const struct htmt_yaml *child = node->first; child; child = child->next)
        n++;
    return n;
}

/* Numbers without a unit, each within the row's range. */
static int read_list(const struct place *at, struct value *v)
{
    struct htmt_schema_row number = *at->row;
    char why[120];
    int rc = htmt_yaml_expect(at->node, HTMT_YAML_SEQUENCE, at->row->key, at->fault);
    if (rc)
        return rc;
    unsigned n = child_count(at->node);
    if (at->row->items && n != at->row->items) {
        snprintf(why, sizeof why, "found %u numbers, expected %u", n, at->row->items);
        return complain(at, HTMT_EFORMAT, why);
    }
    if (!(v->list = calloc(n ? n : 1, sizeof *v->list)))
        return no_memory(at->fault);
    number.kind = HTMT_UNIT_NUMBER;
    for (const struct htmt_yaml *item = at->node->first; item && !rc; item = item->next) {
        struct value one = {0};
        rc = htmt_yaml_expect(item, HTMT_YAML_SCALAR, number.key, at->fault);
        if (!rc)
            rc = read_quantity(&(struct place){&number, item, item->text, at->fault}, &one);
        v->list[v->count++] = one.number;
    }
    return rc;
}

static int read_mapping(const struct htmt_yaml *mapping, const char *what,
                        const struct htmt_schema_row *rows, struct htmt_parameters **out,
                        struct htmt_fault *fault);

/* Parameters of their own: one mapping, or a list of them. */
static int read_groups(const struct place *at, struct value *v)
{
    bool one = at->row->kind == HTMT_SCHEMA_GROUP;
    char range[120], why[200];
    int rc = htmt_yaml_expect(at->node, one ? HTMT_YAML_MAPPING : HTMT_YAML_SEQUENCE, at->row->key,
                              at->fault);
    if (rc)
        return rc;
    unsigned n = one ? 1 : child_count(at->node);
    if (!one && !in_range(at->row, n)) {
        name_range(at->row, range, sizeof range);
        snprintf(why, sizeof why, "found %u entries, expected a number %s", n, range);
        return complain(at, HTMT_ERANGE, why);
    }
    if (!(v->group = calloc(n ? n : 1, sizeof *v->group)))
        return no_memory(at->fault);
    const struct htmt_yaml *child = one ? at->node : at->node->first;
    for (unsigned i = 0; i < n && !rc; i++, child = child->next) {
        rc = read_mapping(child, at->row->key, at->row->rows, &v->group[i], at->fault);
        v->count = i + 1;
    }
    return rc;
}

/* ---- mappings ------------------------------------------------------------------------------- */

static int take_value(void *into, const struct htmt_schema_row *row, const struct htmt_yaml *node,
                      struct htmt_fault *fault)
{
    struct htmt_parameters *p = into;
    struct value *v = &p->value[row - p->rows];
    const struct place at = {row, node, node ? node->text : row->fallback, fault};
    if (!node && !row->fallback)
        return 0;
    v->node = node;
    v->known = true;
    assert(node || row->kind < HTMT_SCHEMA_LIST);
    if (!node)
        return read_scalar(&at, v);
    if (row->kind == HTMT_SCHEMA_LIST)
        return read_list(&at, v);
    if (row->kind == HTMT_SCHEMA_GROUP || row->kind == HTMT_SCHEMA_GROUPS)
        return read_groups(&at, v);
    int rc = htmt_yaml_expect(node, HTMT_YAML_SCALAR, row->key, fault);
    return rc ? rc : read_scalar(&at, v);
}

static int read_mapping(const struct htmt_yaml *mapping, const char *what,
                        const struct htmt_schema_row *rows, struct htmt_parameters **out,
                        struct htmt_fault *fault)
{
    struct htmt_parameters *p = calloc(1, sizeof *p);
    if (!p)
        return no_memory(fault);
    p->rows = rows;
    p->mapping = mapping;
    p->value = calloc(htmt_schema_count(rows) + 1, sizeof *p->value);
    int rc =
        p->value ? htmt_schema_read(mapping, what, rows, take_value, p, fault) : no_memory(fault);
    if (rc)
        htmt_parameters_destroy(&p);
    else
        *out = p;
    return rc;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* Of a tree, which becomes theirs or is gone. */
static int read_tree(struct htmt_yaml *root, const char *what, const struct htmt_schema_row *rows,
                     struct htmt_parameters **parameters, struct htmt_fault *fault)
{
    int rc = read_mapping(root, what, rows, parameters, fault);
    if (rc)
        htmt_yaml_destroy(&root);
    else
        (*parameters)->root = root;
    return rc;
}

int htmt_parameters_parse(const char *name, const char *text, size_t length, const char *what,
                          const struct htmt_schema_row *rows, struct htmt_parameters **parameters,
                          struct htmt_fault *fault)
{
    struct htmt_yaml *root;
    int rc = htmt_yaml_parse(name, text, length, &root, fault);
    return rc ? rc : read_tree(root, what, rows, parameters, fault);
}

int htmt_parameters_read(const char *path, const char *what, const struct htmt_schema_row *rows,
                         struct htmt_parameters **parameters, struct htmt_fault *fault)
{
    char *name = strdup(path);
    struct htmt_yaml *root;
    int rc = name ? htmt_schema_open(name, &root, fault) : no_memory(fault);
    if (!rc)
        rc = read_tree(root, what, rows, parameters, fault);
    if (rc)
        free(name);
    else
        (*parameters)->file = name;
    return rc;
}

void htmt_parameters_destroy(struct htmt_parameters **parameters)
{
    struct htmt_parameters *p = parameters ? *parameters : NULL;
    if (!p)
        return;
    for (unsigned i = 0; p->value && p->rows[i].key; i++) {
        struct value *v = &p->value[i];
        for (unsigned g = 0; v->group && g < v->count; g++)
            htmt_parameters_destroy(&v->group[g]);
        free(v->group);
        free(v->list);
    }
    free(p->value);
    htmt_yaml_destroy(&p->root);
    free(p->file);
    free(p);
    *parameters = NULL;
}

/* ---- getters -------------------------------------------------------------------------------- */

static const struct value *find(const struct htmt_parameters *p, const char *key)
{
    for (unsigned i = 0; p->rows[i].key; i++)
        if (strcmp(p->rows[i].key, key) == 0)
            return &p->value[i];
    assert(false && "no row has this key");
    abort();
}

static const struct value *need(const struct htmt_parameters *p, const char *key)
{
    const struct value *v = find(p, key);
    assert(v->known);
    return v;
}

bool htmt_parameter_known(const struct htmt_parameters *p, const char *key)
{
    return find(p, key)->known;
}

bool htmt_parameter_given(const struct htmt_parameters *p, const char *key)
{
    return find(p, key)->node != NULL;
}

double htmt_parameter_number(const struct htmt_parameters *p, const char *key)
{
    return need(p, key)->number;
}

int64_t htmt_parameter_whole(const struct htmt_parameters *p, const char *key)
{
    return need(p, key)->whole;
}

unsigned htmt_parameter_choice(const struct htmt_parameters *p, const char *key)
{
    return (unsigned)need(p, key)->whole;
}

bool htmt_parameter_switch(const struct htmt_parameters *p, const char *key)
{
    return need(p, key)->whole != 0;
}

const char *htmt_parameter_text(const struct htmt_parameters *p, const char *key)
{
    return need(p, key)->text;
}

const double *htmt_parameter_list(const struct htmt_parameters *p, const char *key, unsigned *count)
{
    const struct value *v = need(p, key);
    *count = v->count;
    return v->list;
}

unsigned htmt_parameter_count(const struct htmt_parameters *p, const char *key)
{
    return find(p, key)->count;
}

const struct htmt_parameters *htmt_parameter_group(const struct htmt_parameters *p, const char *key,
                                                   unsigned index)
{
    const struct value *v = need(p, key);
    assert(index < v->count);
    return v->group[index];
}

int htmt_parameter_refuse(const struct htmt_parameters *p, const char *key, int code,
                          struct htmt_fault *fault, const char *format, ...)
{
    const struct htmt_yaml *node = find(p, key)->node;
    char why[400];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return htmt_fault_set(fault, code, "%s:%d: %s: %s", p->mapping->file,
                          node ? node->line : p->mapping->line, key, why);
}
