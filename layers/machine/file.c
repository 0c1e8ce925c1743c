/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files, their bases and --set, down to one list of figures. The base is read first, so a derived
 * file's figures take the places of the base's and layers keep the base's order.
 */
#include "layers/bank/controller.h"
#include "layers/file/search.h"
#include "layers/machine/base.h"
#include "layers/machine/parts.h"
#include "layers/network/topology.h"
#include "runtime/base/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 8 /* files of one chain of bases */

_Static_assert(sizeof((struct htmt_machine){0}.path) == HTMT_PATH_MAX, "a path fits");

/* The files being read, innermost last: what a cycle of bases comes back to. */
struct chain {
    const char *path[DEPTH_MAX];
    unsigned depth;
    char about[sizeof((struct htmt_machine){0}.about)]; /* of the file read last */
    char strange[HTMT_PATH_MAX];                        /* the first file that is not shipped */
};

static int read_path(struct htmt__figures *figures, const char *path, struct chain *chain,
                     struct htmt_fault *fault);

static int read_base(struct htmt__figures *figures, const struct htmt_yaml *base,
                     struct chain *chain, struct htmt_fault *fault)
{
    char path[HTMT_PATH_MAX];
    struct htmt_fault inner = {0};
    int rc = htmt_yaml_expect(base, HTMT_YAML_SCALAR, "base", fault);
    if (rc)
        return rc;
    rc = htmt_search_path(&htmt_search_machines, base->text, base->file, path, &inner);
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

/* A tree, which is gone afterwards: the version, the keys, the base, and then its own figures,
 * which take the places of the base's. The line `about` is each file's own: a derived file does not
 * speak for its base. */
static int read_tree(struct htmt__figures *figures, struct htmt_yaml *root, struct chain *chain,
                     struct htmt_fault *fault)
{
    const struct htmt_yaml *base = htmt_yaml_get(root, "base");
    const struct htmt_yaml *about = htmt_yaml_get(root, "about");
    chain->path[chain->depth++] = root->file;
    int rc = htmt__schema_version(root, "htmt-machine", "a machine file", fault);
    if (!rc)
        rc = htmt_schema_keys(root, "a machine file", htmt__machine_rows, fault);
    if (base && !rc)
        rc = read_base(figures, base, chain, fault);
    chain->about[0] = '\0';
    if (!rc && about)
        rc = htmt_yaml_expect(about, HTMT_YAML_SCALAR, "about", fault);
    if (!rc && about && strlen(about->text) >= sizeof chain->about)
        rc = htmt_fault_set(fault, HTMT_EFORMAT,
                            "%s:%d: about: %zu characters, expected fewer than %zu", about->file,
                            about->line, strlen(about->text), sizeof chain->about);
    if (!rc && about)
        memcpy(chain->about, about->text, strlen(about->text) + 1);
    if (!rc)
        rc = htmt__figures_walk(figures, root, "", htmt__machine_rows, fault);
    chain->depth--;
    htmt_yaml_destroy(&root);
    return rc;
}

static int read_path(struct htmt__figures *figures, const char *path, struct chain *chain,
                     struct htmt_fault *fault)
{
    struct htmt_yaml *root;
    int rc = htmt_schema_open(path, &root, fault);
    if (rc)
        return rc;
    if (!*chain->strange && !htmt_search_shipped(&htmt_search_machines, path))
        snprintf(chain->strange, sizeof chain->strange, "%s", path);
    return read_tree(figures, root, chain, fault);
}

static int refuse_unknown(const struct htmt__figures *figures, const struct htmt_figure *set,
                          struct htmt_fault *fault)
{
    char hint[200];
    const char **key = calloc(figures->count + 1, sizeof *key);
    if (!key)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for --set");
    for (unsigned i = 0; i < figures->count; i++)
        key[i] = figures->at[i].key;
    bool near = htmt__suggest(set->key, key, figures->count, hint, sizeof hint);
    free(key);
    return htmt__figure_refuse(set, HTMT_EFORMAT, fault, "unknown key, %s",
                               near ? hint : "expected one that `htmt machine show` lists");
}

/* Keys of a network with switches inside that a file may leave out: words and numbers, which have
 * no source, and figures. */
static bool may_be_left_out(const char *last, bool *plain)
{
    static const char *const plain_keys[] = {".ties",    ".order",    ".allocate", ".classes",
                                             ".seed",    ".deadlock", ".links",    ".datelines",
                                             ".detours", ".pipeline", ".arbiter"};
    static const char *const figures[] = {".local-wire", ".global-wire",   ".bias",
                                          ".flit",       ".input-speedup", ".priority"};
    for (unsigned i = 0; i < sizeof plain_keys / sizeof *plain_keys; i++)
        if (strcmp(last, plain_keys[i]) == 0) {
            *plain = true;
            return true;
        }
    for (unsigned i = 0; i < sizeof figures / sizeof *figures; i++)
        if (strcmp(last, figures[i]) == 0) {
            *plain = false;
            return true;
        }
    return false;
}

/* A resolved machine has every key it can have, so what --set may name is there already, but for
 * a few that topologies may leave out. Two words stand for a group of keys:
 * networks.NAME.inside=not-modelled (also of a layer), and networks.NAME=not-modelled. */
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
    const char *last = strrchr(set.key, '.');
    bool plain;
    if (last && strcmp(last, ".inside") == 0 && !htmt__figure_modelled(&set) &&
        htmt__machine_empty(figures, set.key))
        return 0;
    if (last && strncmp(set.key, "networks.", 9) == 0 && may_be_left_out(last, &plain)) {
        char topology[sizeof set.key + 16];
        snprintf(topology, sizeof topology, "%.*s.topology", (int)(last - set.key), set.key);
        const bool known = htmt__figures_find(figures, topology);
        if (known && plain)
            set.source[0] = '\0';
        if (known)
            return htmt__figures_put(figures, &set, fault);
    }
    bool network = strncmp(set.key, "networks.", 9) == 0 && !htmt__figure_modelled(&set);
    return network ? htmt__machine_forget(figures, &set, fault)
                   : refuse_unknown(figures, &set, fault);
}

struct htmt__machine_base {
    struct htmt__figures figures;
    char file[HTMT_PATH_MAX];
    char about[sizeof((struct htmt_machine){0}.about)];
    char strange[HTMT_PATH_MAX]; /* the first file that is not shipped */
};

static int apply_sets(struct htmt__figures *figures, const char *const *set, unsigned count,
                      struct htmt_fault *fault)
{
    int rc = 0;
    for (unsigned i = 0; i < count && !rc; i++)
        rc = apply_set(figures, set[i], fault);
    return rc;
}

static int build(const struct htmt__machine_base *b, const struct htmt__figures *figures,
                 struct htmt_machine **machine, struct htmt_fault *fault)
{
    struct htmt_machine *m = calloc(1, sizeof *m);
    if (!m)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory", b->file);
    htmt_search_name(b->file, m->name, sizeof m->name);
    memcpy(m->about, b->about, sizeof m->about);
    memcpy(m->path, b->strange, sizeof m->path);
    int rc = htmt__machine_build(figures, b->file, m, fault);
    if (!rc)
        rc = htmt__machine_check(m, fault);
    if (rc)
        htmt_machine_destroy(&m);
    else
        *machine = m;
    return rc;
}

/* NULL: nothing is missing. */
static const char *missing(const void *name, const void *text, const void *machine)
{
    return !name ? "name" : !text ? "text" : !machine ? "place for the machine" : NULL;
}

static int refuse_missing(const char *what, const char *call, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_EINVAL, "%s: found no %s (NULL)", call, what);
}

/* From a path, or from a tree that is gone afterwards. */
static int read_base_of(const char *file, struct htmt_yaml *root, const char *const *set,
                        unsigned set_count, struct htmt__machine_base **base,
                        struct htmt_fault *fault)
{
    struct htmt__machine_base *b = calloc(1, sizeof *b);
    struct chain chain = {0};
    int rc;
    if (!b) {
        htmt_yaml_destroy(&root);
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory", file);
    }
    rc = root ? read_tree(&b->figures, root, &chain, fault)
              : read_path(&b->figures, file, &chain, fault);
    if (!rc)
        rc = apply_sets(&b->figures, set, set_count, fault);
    if (!rc && htmt__figures_index(&b->figures))
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory", file);
    snprintf(b->file, sizeof b->file, "%s", file);
    memcpy(b->about, chain.about, sizeof b->about);
    memcpy(b->strange, chain.strange, sizeof b->strange);
    if (rc)
        htmt__machine_base_destroy(&b);
    else
        *base = b;
    return rc;
}

int htmt__machine_base_load(const char *name, const char *const *set, unsigned set_count,
                            struct htmt__machine_base **base, struct htmt_fault *fault)
{
    char path[HTMT_PATH_MAX];
    int rc = htmt_search_path(&htmt_search_machines, name, NULL, path, fault);
    return rc ? rc : read_base_of(path, NULL, set, set_count, base, fault);
}

void htmt__machine_base_destroy(struct htmt__machine_base **base)
{
    if (!base || !*base)
        return;
    htmt__figures_fini(&(*base)->figures);
    free(*base);
    *base = NULL;
}

const struct htmt_figure *htmt__machine_base_figures(const struct htmt__machine_base *base,
                                                     unsigned *count)
{
    *count = base->figures.count;
    return base->figures.at;
}

const char *htmt__machine_base_range(const struct htmt__machine_base *base, const char *key)
{
    for (unsigned i = 0; i < base->figures.ranges; i++)
        if (strcmp(base->figures.range[i].key, key) == 0)
            return base->figures.range[i].text;
    return NULL;
}

int htmt__machine_base_build(const struct htmt__machine_base *base, const char *const *set,
                             unsigned set_count, struct htmt_machine **machine,
                             struct htmt_fault *fault)
{
    struct htmt__figures figures = base->figures;
    const size_t bytes = figures.count * sizeof *figures.at;
    if (!set_count)
        return build(base, &base->figures, machine, fault);
    figures.room = figures.count;
    figures.shares_index = true;
    figures.range = NULL;
    figures.ranges = 0;
    figures.range_room = 0;
    figures.at = malloc(bytes + 1);
    if (!figures.at)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory", base->file);
    memcpy(figures.at, base->figures.at, bytes);
    int rc = apply_sets(&figures, set, set_count, fault);
    if (!rc)
        rc = build(base, &figures, machine, fault);
    htmt__figures_fini(&figures);
    return rc;
}

int htmt_machine_load(const char *name, const char *const *set, unsigned set_count,
                      struct htmt_machine **machine, struct htmt_fault *fault)
{
    struct htmt__machine_base *base = NULL;
    const char *what = missing(name, name, machine);
    for (unsigned i = 0; i < set_count && !what; i++)
        what = set && set[i] ? NULL : "text of a set";
    if (what)
        return refuse_missing(what, "htmt_machine_load()", fault);
    int rc = htmt__machine_base_load(name, set, set_count, &base, fault);
    if (!rc)
        rc = htmt__machine_base_build(base, NULL, 0, machine, fault);
    htmt__machine_base_destroy(&base);
    return rc;
}

int htmt_machine_parse(const char *name, const char *text, struct htmt_machine **machine,
                       struct htmt_fault *fault)
{
    struct htmt__machine_base *base = NULL;
    struct htmt_yaml *root;
    const char *what = missing(name, text, machine);
    if (what)
        return refuse_missing(what, "htmt_machine_parse()", fault);
    int rc = htmt_yaml_parse(name, text, strlen(text), &root, fault);
    if (!rc)
        rc = read_base_of(name, root, NULL, 0, &base, fault);
    if (!rc)
        rc = htmt__machine_base_build(base, NULL, 0, machine, fault);
    htmt__machine_base_destroy(&base);
    return rc;
}

/* The machine's own: others see it as constant. */
static struct htmt__topology *topology_of(const struct htmt_network *n)
{
    return (struct htmt__topology *)(uintptr_t)htmt__topology(n);
}

int htmt__machine_copy(const struct htmt_machine *machine, struct htmt_machine **copy)
{
    struct htmt_machine *m = malloc(sizeof *m);
    size_t bytes = machine->figure_count * sizeof *machine->figure;
    struct htmt_figure *figure = bytes ? malloc(bytes) : NULL;
    struct htmt__bank_machine *host = NULL;
    int rc = machine->bank_machine ? htmt__bank_machine_copy(machine->bank_machine, &host) : 0;
    if (!m || rc || (bytes && !figure)) {
        htmt__bank_machine_destroy(&host);
        free(figure);
        free(m);
        return HTMT_ENOMEM;
    }
    *m = *machine;
    m->figure = figure;
    m->bank_machine = host;
    if (htmt__machine_copy_nodes(m)) {
        htmt__machine_free_nodes(m);
        htmt__bank_machine_destroy(&host);
        free(figure);
        free(m);
        return HTMT_ENOMEM;
    }
    for (uint32_t i = 0; i < m->network_count; i++)
        (void)htmt__topology_share(topology_of(&m->network[i]));
    if (bytes)
        memcpy(figure, machine->figure, bytes);
    *copy = m;
    return 0;
}

void htmt_machine_destroy(struct htmt_machine **machine)
{
    if (!machine || !*machine)
        return;
    for (uint32_t i = 0; i < (*machine)->network_count; i++)
        htmt__topology_release(&(struct htmt__topology *){topology_of(&(*machine)->network[i])});
    htmt__machine_free_nodes(*machine);
    htmt__bank_machine_destroy(&(*machine)->bank_machine);
    free((*machine)->figure);
    free(*machine);
    *machine = NULL;
}
