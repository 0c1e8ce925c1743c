/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files, their bases and --set, down to one list of figures. The base is read first, so a derived
 * file's figures take the places of the base's and layers keep the base's order.
 */
#include "layers/file/search.h"
#include "layers/machine/parts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(table) (sizeof(table) / sizeof(table)[0])
#define VERSION         "1"
#define DEPTH_MAX       8 /* files of one chain of bases */
#define KEY_ROOM        sizeof((struct htmt_figure){0}.key)

/* The files being read, innermost last: what a cycle of bases comes back to. */
struct chain {
    const char *path[DEPTH_MAX];
    unsigned depth;
    char about[sizeof((struct htmt_machine){0}.about)]; /* of the file read last */
};

static const struct htmt__row *find_row(const struct htmt__group *group, const char *key)
{
    for (unsigned i = 0; i < group->count; i++)
        if (strcmp(group->row[i].key, key) == 0)
            return &group->row[i];
    return NULL;
}

/* Whether a mapping has only the keys of a group and one more (NULL: none). */
static int check_keys(const struct htmt__yaml *node, const struct htmt__group *group,
                      const char *more, const char *prefix, struct htmt_fault *fault)
{
    const char *allowed[HTMT__ROWS_MAX + 1];
    unsigned count = 0;
    int rc = htmt__yaml_expect(node, HTMT__MAPPING, prefix, fault);
    if (rc)
        return rc;
    for (unsigned i = 0; i < group->count; i++)
        allowed[count++] = group->row[i].key;
    if (more)
        allowed[count++] = more;
    return htmt__yaml_keys(node, allowed, count, prefix, fault);
}

static int read_row(struct htmt__figures *figures, const struct htmt__yaml *node,
                    const struct htmt__row *row, const char *prefix, struct htmt_fault *fault)
{
    char key[KEY_ROOM];
    int rc = htmt__figures_key(node, prefix, row->key, key, fault);
    if (rc)
        return rc;
    bool plain = row->store == HTMT__STORE_NAME || row->store == HTMT__STORE_SCOPE;
    return plain ? htmt__figures_read_plain(figures, node, key, fault)
                 : htmt__figures_read(figures, node, key, fault);
}

/* In the order of the file: a message about a missing key then points at the group's first line. */
static int read_rows(struct htmt__figures *figures, const struct htmt__yaml *node,
                     const struct htmt__group *group, const char *prefix, struct htmt_fault *fault)
{
    int rc = 0;
    for (const struct htmt__yaml *child = node->first; child && !rc; child = child->next) {
        const struct htmt__row *row = find_row(group, child->key);
        if (row)
            rc = read_row(figures, child, row, prefix, fault);
    }
    return rc;
}

static int read_group(struct htmt__figures *figures, const struct htmt__yaml *node,
                      const struct htmt__group *group, const char *prefix, struct htmt_fault *fault)
{
    int rc = check_keys(node, group, NULL, prefix, fault);
    return rc ? rc : read_rows(figures, node, group, prefix, fault);
}

/* A processor is a group, or the word that there is none; either takes the other's place. */
static int read_no_processor(struct htmt__figures *figures, const struct htmt__yaml *node,
                             const char *key, struct htmt_fault *fault)
{
    char below[KEY_ROOM + 1];
    if (strcmp(node->text, HTMT__NO_PROCESSOR) != 0)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s:%d: %s: found '%.60s', expected '" HTMT__NO_PROCESSOR
                              "' or a mapping",
                              node->file, node->line, key, node->text);
    snprintf(below, sizeof below, "%s.", key);
    htmt__figures_drop(figures, below);
    return htmt__figures_read_plain(figures, node, key, fault);
}

static int read_processor(struct htmt__figures *figures, const struct htmt__yaml *node,
                          const char *key, struct htmt_fault *fault)
{
    if (node->kind == HTMT__SCALAR)
        return read_no_processor(figures, node, key, fault);
    if (htmt__figures_find(figures, key))
        htmt__figures_drop(figures, key);
    return read_group(figures, node, &htmt__processor_rows, key, fault);
}

static int read_layer(struct htmt__figures *figures, const struct htmt__yaml *node,
                      const char *prefix, struct htmt_fault *fault)
{
    static const char *const allowed[] = {"processor", "memory"};
    int rc = htmt__yaml_expect(node, HTMT__MAPPING, prefix, fault);
    if (!rc)
        rc = htmt__yaml_keys(node, allowed, COUNT_OF(allowed), prefix, fault);
    for (const struct htmt__yaml *child = node->first; child && !rc; child = child->next) {
        char key[KEY_ROOM];
        rc = htmt__figures_key(child, prefix, child->key, key, fault);
        if (rc)
            break;
        rc = strcmp(child->key, "memory") == 0
                 ? read_group(figures, child, &htmt__memory_rows, key, fault)
                 : read_processor(figures, child, key, fault);
    }
    return rc;
}

static int read_port(struct htmt__figures *figures, const struct htmt__yaml *node,
                     const char *prefix, struct htmt_fault *fault)
{
    return read_group(figures, node, &htmt__port_rows, prefix, fault);
}

static bool is_name(const char *text)
{
    size_t length = strlen(text);
    if (length == 0 || length >= HTMT_NAME_MAX || !islower((unsigned char)text[0]))
        return false;
    for (; *text; text++)
        if (!islower((unsigned char)*text) && !isdigit((unsigned char)*text) && *text != '-')
            return false;
    return true;
}

/* A mapping from names to things of one kind. */
static int read_named(struct htmt__figures *figures, const struct htmt__yaml *node,
                      const char *prefix,
                      int (*read)(struct htmt__figures *, const struct htmt__yaml *, const char *,
                                  struct htmt_fault *),
                      struct htmt_fault *fault)
{
    int rc = htmt__yaml_expect(node, HTMT__MAPPING, prefix, fault);
    for (const struct htmt__yaml *child = node->first; child && !rc; child = child->next) {
        char key[KEY_ROOM];
        if (!is_name(child->key))
            return htmt_fault_set(fault, HTMT_EFORMAT,
                                  "%s:%d: %s: found name '%.60s', expected a lower-case letter and "
                                  "then letters, digits or '-', fewer than %d",
                                  child->file, child->key_line, prefix, child->key, HTMT_NAME_MAX);
        rc = htmt__figures_key(child, prefix, child->key, key, fault);
        if (!rc)
            rc = read(figures, child, key, fault);
    }
    return rc;
}

/* Whether key is a figure of the network that says how much something costs there. */
static bool is_cost_of(const char *key, const char *network)
{
    size_t length = strlen(network);
    if (strncmp(key, network, length) != 0 || key[length] != '.')
        return false;
    const char *last = strrchr(key, '.') + 1;
    return strcmp(last, "scope") != 0 && strcmp(last, "out") != 0;
}

/* "networks.NAME is not modelled": all that costs time there; the routes stay.
 * Errors: HTMT_EFORMAT when no such network is known yet. */
static int forget_network(struct htmt__figures *figures, const struct htmt_figure *by,
                          struct htmt_fault *fault)
{
    bool known = false;
    for (unsigned i = 0; i < figures->count; i++) {
        if (!is_cost_of(figures->at[i].key, by->key))
            continue;
        struct htmt_figure figure = *by;
        memcpy(figure.key, figures->at[i].key, sizeof figure.key);
        figures->at[i] = figure;
        known = true;
    }
    if (known)
        return 0;
    return htmt__figure_refuse(
        by, HTMT_EFORMAT, "found '" HTMT__NOT_MODELLED "', but no base has this network", fault);
}

static int read_forgotten_network(struct htmt__figures *figures, const struct htmt__yaml *node,
                                  const char *prefix, struct htmt_fault *fault)
{
    struct htmt__figures one = {0};
    int rc = htmt__figures_read(&one, node, prefix, fault);
    if (!rc && htmt__figure_modelled(&one.at[0]))
        rc = htmt__figure_refuse(&one.at[0], HTMT_EFORMAT,
                                 "expected a network or the value '" HTMT__NOT_MODELLED "'", fault);
    if (!rc)
        rc = forget_network(figures, &one.at[0], fault);
    htmt__figures_fini(&one);
    return rc;
}

static int read_network(struct htmt__figures *figures, const struct htmt__yaml *node,
                        const char *prefix, struct htmt_fault *fault)
{
    if (node->kind == HTMT__SCALAR || htmt__yaml_get(node, "value"))
        return read_forgotten_network(figures, node, prefix, fault);
    int rc = check_keys(node, &htmt__network_rows, "ports", prefix, fault);
    if (!rc)
        rc = read_rows(figures, node, &htmt__network_rows, prefix, fault);
    const struct htmt__yaml *ports = rc ? NULL : htmt__yaml_get(node, "ports");
    if (!ports)
        return rc;
    char key[KEY_ROOM];
    rc = htmt__figures_key(ports, prefix, "ports", key, fault);
    return rc ? rc : read_named(figures, ports, key, read_port, fault);
}

static int check_version(const struct htmt__yaml *root, struct htmt_fault *fault)
{
    const struct htmt__yaml *version;
    int rc = htmt__yaml_need(root, "htmt-machine", "a machine file", &version, fault);
    if (!rc)
        rc = htmt__yaml_expect(version, HTMT__SCALAR, "htmt-machine", fault);
    if (rc || strcmp(version->text, VERSION) == 0)
        return rc;
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "%s:%d: htmt-machine: found version '%.20s', expected '" VERSION "'",
                          version->file, version->line, version->text);
}

static int read_body(struct htmt__figures *figures, const struct htmt__yaml *root,
                     struct htmt_fault *fault)
{
    int rc = read_rows(figures, root, &htmt__machine_rows, "", fault);
    const struct htmt__yaml *layers = htmt__yaml_get(root, "layers");
    if (layers && !rc)
        rc = read_named(figures, layers, "layers", read_layer, fault);
    const struct htmt__yaml *networks = htmt__yaml_get(root, "networks");
    if (networks && !rc)
        rc = read_named(figures, networks, "networks", read_network, fault);
    return rc;
}

static int read_path(struct htmt__figures *figures, const char *path, struct chain *chain,
                     struct htmt_fault *fault);

static int read_base(struct htmt__figures *figures, const struct htmt__yaml *base,
                     struct chain *chain, struct htmt_fault *fault)
{
    char path[HTMT__PATH_MAX];
    struct htmt_fault inner = {0};
    int rc = htmt__yaml_expect(base, HTMT__SCALAR, "base", fault);
    if (rc)
        return rc;
    rc = htmt__search_path(&htmt__search_machines, base->text, base->file, path, &inner);
    if (rc)
        return htmt_fault_set(fault, rc, "%s:%d: base: %s", base->file, base->line, inner.text);
    for (unsigned i = 0; i < chain->depth; i++)
        if (strcmp(chain->path[i], path) == 0)
            return htmt_fault_set(fault, HTMT_EFORMAT,
                                  "%s:%d: base: found '%.60s', which is based on this file",
                                  base->file, base->line, base->text);
    if (chain->depth == DEPTH_MAX)
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: base: more than %d files in a chain",
                              base->file, base->line, DEPTH_MAX);
    return read_path(figures, path, chain, fault);
}

/* The line is each file's own: a derived file does not speak for its base. */
static int read_about(const struct htmt__yaml *root, struct chain *chain, struct htmt_fault *fault)
{
    const struct htmt__yaml *about = htmt__yaml_get(root, "about");
    chain->about[0] = '\0';
    int rc = about ? htmt__yaml_expect(about, HTMT__SCALAR, "about", fault) : 0;
    if (!about || rc)
        return rc;
    size_t length = strlen(about->text);
    if (length >= sizeof chain->about)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s:%d: about: %zu characters, expected fewer than %zu", about->file,
                              about->line, length, sizeof chain->about);
    memcpy(chain->about, about->text, length + 1);
    return 0;
}

static int read_tree(struct htmt__figures *figures, const struct htmt__yaml *root,
                     struct chain *chain, struct htmt_fault *fault)
{
    static const char *const allowed[] = {"htmt-machine", "base",   "about",
                                          "slices",       "layers", "networks"};
    int rc = check_version(root, fault);
    if (!rc)
        rc = htmt__yaml_keys(root, allowed, COUNT_OF(allowed), "a machine file", fault);
    const struct htmt__yaml *base = htmt__yaml_get(root, "base");
    if (base && !rc)
        rc = read_base(figures, base, chain, fault);
    if (!rc)
        rc = read_about(root, chain, fault);
    return rc ? rc : read_body(figures, root, fault);
}

static int read_text(struct htmt__figures *figures, const char *file, const char *text,
                     size_t length, struct chain *chain, struct htmt_fault *fault)
{
    struct htmt__yaml *root = NULL;
    int rc = htmt__yaml_parse(file, text, length, &root, fault);
    if (rc)
        return rc;
    chain->path[chain->depth++] = file;
    rc = read_tree(figures, root, chain, fault);
    chain->depth--;
    htmt__yaml_destroy(&root);
    return rc;
}

static int read_path(struct htmt__figures *figures, const char *path, struct chain *chain,
                     struct htmt_fault *fault)
{
    char *text;
    size_t length;
    int rc = htmt__search_read(path, &text, &length, fault);
    if (rc)
        return rc;
    rc = read_text(figures, path, text, length, chain, fault);
    free(text);
    return rc;
}

static int refuse_unknown(const struct htmt__figures *figures, const struct htmt_figure *set,
                          struct htmt_fault *fault)
{
    char hint[200], what[240] = "unknown key, expected one that `htmt machine show` lists";
    const char **key = calloc(figures->count + 1, sizeof *key);
    if (!key)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for --set");
    for (unsigned i = 0; i < figures->count; i++)
        key[i] = figures->at[i].key;
    if (htmt__yaml_suggest(set->key, key, figures->count, hint, sizeof hint))
        snprintf(what, sizeof what, "unknown key, %s", hint);
    free(key);
    return htmt__figure_refuse(set, HTMT_EFORMAT, what, fault);
}

/* A resolved machine has every key it can have, so what --set may name is there already. */
static int apply_set(struct htmt__figures *figures, const char *assignment,
                     struct htmt_fault *fault)
{
    struct htmt_figure set;
    int rc = htmt__figures_set(assignment, &set, fault);
    if (rc)
        return rc;
    struct htmt_figure *old = htmt__figures_find(figures, set.key);
    if (old) {
        if (!*old->source)
            set.source[0] = '\0';
        *old = set;
        return 0;
    }
    bool network = strncmp(set.key, "networks.", 9) == 0 && !htmt__figure_modelled(&set);
    return network ? forget_network(figures, &set, fault) : refuse_unknown(figures, &set, fault);
}

static int finish(struct htmt__figures *figures, const struct chain *chain, const char *file,
                  const char *const *set, unsigned set_count, struct htmt_machine **machine,
                  struct htmt_fault *fault)
{
    int rc = 0;
    for (unsigned i = 0; i < set_count && !rc; i++)
        rc = apply_set(figures, set[i], fault);
    if (rc)
        return rc;
    struct htmt_machine *m = calloc(1, sizeof *m);
    if (!m)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory", file);
    htmt__search_name(file, m->name, sizeof m->name);
    memcpy(m->about, chain->about, sizeof m->about);
    rc = htmt__machine_build(figures, file, m, fault);
    if (!rc)
        rc = htmt__machine_check(m, fault);
    if (rc)
        htmt_machine_destroy(&m);
    else
        *machine = m;
    return rc;
}

int htmt_machine_load(const char *name, const char *const *set, unsigned set_count,
                      struct htmt_machine **machine, struct htmt_fault *fault)
{
    char path[HTMT__PATH_MAX];
    struct htmt__figures figures = {0};
    struct chain chain = {0};
    int rc = htmt__search_path(&htmt__search_machines, name, NULL, path, fault);
    if (!rc)
        rc = read_path(&figures, path, &chain, fault);
    if (!rc)
        rc = finish(&figures, &chain, path, set, set_count, machine, fault);
    htmt__figures_fini(&figures);
    return rc;
}

int htmt_machine_parse(const char *name, const char *text, struct htmt_machine **machine,
                       struct htmt_fault *fault)
{
    struct htmt__figures figures = {0};
    struct chain chain = {0};
    int rc = read_text(&figures, name, text, strlen(text), &chain, fault);
    if (!rc)
        rc = finish(&figures, &chain, name, NULL, 0, machine, fault);
    htmt__figures_fini(&figures);
    return rc;
}

void htmt_machine_destroy(struct htmt_machine **machine)
{
    if (!machine || !*machine)
        return;
    free((*machine)->figure);
    free(*machine);
    *machine = NULL;
}
