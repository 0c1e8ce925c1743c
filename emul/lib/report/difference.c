/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Things of both runs are matched by name: a resource of A with the resource of B that has its
 * name, a phase with the one of the same type, stage and resource. What only one run has is matched
 * with nothing, and counts as 0 there. So nothing is lost, and sums over matches are the changes of
 * sums:
 *
 *     A: multiply 30 us, transpose 10 us     B: multiply 24 us, check 5 us
 *     multiply -6 us, transpose -10 us, check +5 us: together -11 us, as 29 us - 40 us
 *
 * The search is quadratic. Runs have dozens of resources and phases; the ports of a large network
 * are some thousands.
 *
 * Inputs are compared first, since most changes are explained by them: what program, problem and
 * files were, then the options that change predictions, then the figures of both machines. Figures
 * are not in the results; the machines are loaded again by name and --set, and used only if their
 * hashes are still those of the runs.
 */
#include "emul/lib/report/difference.h"

#include "emul/lib/text/format.h"
#include "layers/machine/machine.h"
#include "runtime/base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double over(double sum, uint64_t count)
{
    return count ? sum / (double)count : 0;
}

double htmt__inside_busy_of(const struct htmt__inside_sums *s)
{
    return s ? over(s->busy_s, s->ports) : 0;
}

double htmt__inside_blocked_of(const struct htmt__inside_sums *s)
{
    return s ? over(s->blocked_s + s->waiting_s, s->ports) : 0;
}

/* ---- things of both runs --------------------------------------------------------------------- */

/* What is matched. The results hold an array of structs for each kind; `items` walks them. */
enum kind { CAUSE, RESOURCE, PHASE, MEMORY, INSIDE, PORT, ROUTING };

struct items {
    enum kind kind;
    size_t size; /* of one */
    const void *at;
    unsigned count;
};

static const void *item_at(const struct items *of, unsigned index)
{
    return (const char *)of->at + index * of->size;
}

/* Whether two things are one thing in two runs: all names by which the report tells them apart are
 * equal. Names are unique within a run, so a thing has one partner at most. */
static bool same(enum kind kind, const void *a, const void *b)
{
    switch (kind) {
    case CAUSE: {
        const struct htmt__cause *x = a, *y = b;
        return strcmp(x->cause, y->cause) == 0 && strcmp(x->of, y->of) == 0 &&
               strcmp(x->type, y->type) == 0 && strcmp(x->stage, y->stage) == 0 &&
               strcmp(x->used, y->used) == 0;
    }
    case RESOURCE:
        return strcmp(((const struct htmt__resource *)a)->name,
                      ((const struct htmt__resource *)b)->name) == 0;
    case PHASE: {
        const struct htmt__stage *x = a, *y = b;
        return strcmp(x->type, y->type) == 0 && strcmp(x->stage, y->stage) == 0 &&
               strcmp(x->resource, y->resource) == 0;
    }
    case MEMORY:
        return strcmp(((const struct htmt__memory *)a)->name,
                      ((const struct htmt__memory *)b)->name) == 0;
    case INSIDE:
        return strcmp(((const struct htmt__inside_sums *)a)->name,
                      ((const struct htmt__inside_sums *)b)->name) == 0;
    case PORT: {
        const struct htmt__port_sums *x = a, *y = b;
        return x->plane == y->plane && strcmp(x->name, y->name) == 0 &&
               strcmp(x->network, y->network) == 0;
    }
    case ROUTING:
        return strcmp(((const struct htmt__routing_sums *)a)->layer,
                      ((const struct htmt__routing_sums *)b)->layer) == 0;
    }
    return false;
}

/* The time by which things of a kind are compared. Sums over all slices are divided by the servers,
 * channels, memories or ports that share them: two runs on machines of different size then compare
 * the time of one server with the time of one server. Causes are parts of one path and stay as they
 * are, in fs. NULL, which is what a run does not have, counts as 0. */
static double time_of(enum kind kind, const void *of)
{
    if (!of)
        return 0;
    switch (kind) {
    case CAUSE:
        return (double)((const struct htmt__cause *)of)->time;
    case RESOURCE: {
        const struct htmt__resource *r = of;
        return over(r->busy_s, r->count);
    }
    case PHASE: {
        const struct htmt__stage *p = of;
        return over(p->mean_s * (double)p->parcels, p->parallelism);
    }
    case MEMORY: {
        const struct htmt__memory *m = of;
        return over(m->stall_s, m->count);
    }
    case INSIDE: {
        const struct htmt__inside_sums *s = of;
        return over(s->busy_s + s->blocked_s + s->waiting_s, s->ports);
    }
    case PORT: {
        const struct htmt__port_sums *p = of;
        return p->busy_s + p->blocked_s + p->waiting_s;
    }
    case ROUTING: {
        const struct htmt__routing_sums *r = of;
        return over(r->route_s + r->copy_s, r->count);
    }
    }
    return 0;
}

static const void *find(const void *wanted, const struct items *in)
{
    for (unsigned i = 0; i < in->count; i++)
        if (same(in->kind, wanted, item_at(in, i)))
            return item_at(in, i);
    return NULL;
}

/* Resources that neither run used are left out: a machine has many that a program never touches. */
static int add_match(struct htmt__matches *all, enum kind kind, const void *a, const void *b)
{
    const struct htmt__resource *x = a, *y = b;
    if (kind == RESOURCE && (!x || !x->served) && (!y || !y->served))
        return 0;
    if (!htmt__array_fits(&all->match, &all->room, all->count + 1u, sizeof *all->match))
        return HTMT_ENOMEM;
    struct htmt__match *m = &all->match[all->count];
    *m = (struct htmt__match){.a = a, .b = b, .order = all->count++};
    m->from = time_of(kind, a);
    m->to = time_of(kind, b);
    m->weight = isfinite(m->to - m->from) ? fabs(m->to - m->from) : 0;
    return 0;
}

/* The largest change first; equal ones stay in the order in which they were found. */
static int by_weight(const void *a, const void *b)
{
    const struct htmt__match *m = a, *n = b;
    if (m->weight != n->weight)
        return m->weight < n->weight ? 1 : -1;
    return m->order < n->order ? -1 : m->order > n->order;
}

/* Those of A in their order, then those that only B has; sorted. */
static int match(struct htmt__matches *all, const struct items *a, const struct items *b)
{
    int rc = 0;
    for (unsigned i = 0; i < a->count && !rc; i++)
        rc = add_match(all, a->kind, item_at(a, i), find(item_at(a, i), b));
    for (unsigned i = 0; i < b->count && !rc; i++)
        if (!find(item_at(b, i), a))
            rc = add_match(all, b->kind, NULL, item_at(b, i));
    if (all->count)
        qsort(all->match, all->count, sizeof *all->match, by_weight);
    return rc;
}

#define ITEMS(kind, of, count)                                                                     \
    {                                                                                              \
        kind, sizeof *(of), of, count                                                              \
    }
static int match_all(struct htmt__difference *x)
{
    const struct htmt__results *a = &x->a->results, *b = &x->b->results;
    const struct htmt__explanation *c = &x->a->explanation, *d = &x->b->explanation;
    const struct {
        struct htmt__matches *into;
        struct items a, b;
    } all[] = {
        {&x->causes, ITEMS(CAUSE, c->cause, x->explained ? c->count : 0),
         ITEMS(CAUSE, d->cause, x->explained ? d->count : 0)},
        {&x->resources, ITEMS(RESOURCE, a->resource, a->resource_count),
         ITEMS(RESOURCE, b->resource, b->resource_count)},
        {&x->phases, ITEMS(PHASE, a->phase, a->phase_count),
         ITEMS(PHASE, b->phase, b->phase_count)},
        {&x->memories, ITEMS(MEMORY, a->memory, a->memory_count),
         ITEMS(MEMORY, b->memory, b->memory_count)},
        {&x->insides, ITEMS(INSIDE, a->inside, a->inside_count),
         ITEMS(INSIDE, b->inside, b->inside_count)},
        {&x->ports, ITEMS(PORT, a->port, a->port_count), ITEMS(PORT, b->port, b->port_count)},
        {&x->routing, ITEMS(ROUTING, a->routing, a->routing_count),
         ITEMS(ROUTING, b->routing, b->routing_count)},
    };
    int rc = 0;
    for (unsigned i = 0; i < sizeof all / sizeof *all && !rc; i++)
        rc = match(all[i].into, &all[i].a, &all[i].b);
    return rc;
}
#undef ITEMS

/* ---- inputs ---------------------------------------------------------------------------------- */

/* Adds what is different; NULL: that run has none. */
static int add_input(struct htmt__difference *x, const char *kind, const char *name, const char *a,
                     const char *b)
{
    if (a && b ? strcmp(a, b) == 0 : a == b)
        return 0;
    if (!htmt__array_fits(&x->input, &x->room, x->inputs + 1u, sizeof *x->input))
        return HTMT_ENOMEM;
    struct htmt__input_change *c = &x->input[x->inputs++];
    c->kind = kind;
    snprintf(c->name, sizeof c->name, "%s", name);
    snprintf(c->a, sizeof c->a, "%s", a ? a : "-");
    snprintf(c->b, sizeof c->b, "%s", b ? b : "-");
    return 0;
}

static int add_number(struct htmt__difference *x, const char *name, uint64_t a, uint64_t b)
{
    return a == b ? 0 : add_input(x, "", name, htmt__format_count(a).s, htmt__format_count(b).s);
}

/* 0: that run has none. */
static int add_hash(struct htmt__difference *x, const char *name, uint64_t a, uint64_t b)
{
    struct htmt__number of_a = htmt__format_hash(a), of_b = htmt__format_hash(b);
    return add_input(x, "", name, a ? of_a.s : NULL, b ? of_b.s : NULL);
}

/* Options that choose where results go, or what the host does, change no prediction. */
static bool predicts(const char *option)
{
    static const char *const beside[] = {"json",          "threads",
                                         "quiet",         "explain",
                                         "summary",       "table",
                                         "lint",          "check-determinism",
                                         "run-ahead",     "delay-seed",
                                         "watchdog",      "checked",
                                         "machine",       "costs",
                                         "slices",        "seed",
                                         "trace",         "progress",
                                         "clock",         "mpi",
                                         "clock-threads", "clock-partitions",
                                         "old-history"};
    for (unsigned i = 0; i < sizeof beside / sizeof *beside; i++)
        if (strcmp(option, beside[i]) == 0)
            return false;
    return true;
}

/* Whether a run has the very pair: --set may be given more than once. */
static bool has_option(const struct htmt__pairs *of, const struct htmt__pair *option)
{
    for (unsigned i = 0; i < of->count; i++)
        if (strcmp(of->pair[i].name, option->name) == 0 &&
            strcmp(of->pair[i].value, option->value) == 0)
            return true;
    return false;
}

static const char *shown(const char *value)
{
    return value && !*value ? "given" : value;
}

static int add_options(struct htmt__difference *x)
{
    const struct htmt__pairs *a = &x->a->options, *b = &x->b->options;
    int rc = 0;
    for (unsigned i = 0; i < a->count && !rc; i++) {
        const struct htmt__pair *o = &a->pair[i];
        bool set = strcmp(o->name, "set") == 0;
        if (predicts(o->name) && !has_option(b, o))
            rc = add_input(x, "option ", o->name, shown(o->value),
                           set ? NULL : shown(htmt__pairs_find(b, o->name)));
    }
    for (unsigned i = 0; i < b->count && !rc; i++) {
        const struct htmt__pair *o = &b->pair[i];
        bool set = strcmp(o->name, "set") == 0, other = htmt__pairs_find(a, o->name) && !set;
        if (predicts(o->name) && !has_option(a, o) && !other)
            rc = add_input(x, "option ", o->name, NULL, shown(o->value));
    }
    return rc;
}

/* The machine as the run had it; NULL: it is not to be had any more. */
static struct htmt_machine *machine_of(const struct htmt__document *d)
{
    const char *name = htmt__pairs_find(&d->options, "machine");
    const char **set = calloc(d->options.count + 1u, sizeof *set);
    struct htmt_machine *m = NULL;
    unsigned count = 0;
    for (unsigned i = 0; i < d->options.count && set; i++)
        if (strcmp(d->options.pair[i].name, "set") == 0)
            set[count++] = d->options.pair[i].value;
    if (set)
        htmt_machine_load(name ? name : d->machine, set, count, &m, NULL);
    free(set);
    if (m && m->hash != d->machine_hash)
        htmt_machine_destroy(&m);
    return m;
}

static const struct htmt_figure *figure_of(const struct htmt_machine *m, const char *key)
{
    for (uint32_t i = 0; i < m->figure_count; i++)
        if (strcmp(m->figure[i].key, key) == 0)
            return &m->figure[i];
    return NULL;
}

/* Figures of both machines, where both are still to be had and are not the same. */
static int add_figures(struct htmt__difference *x)
{
    x->figures = x->a->machine_hash == x->b->machine_hash;
    if (x->figures)
        return 0;
    struct htmt_machine *a = machine_of(x->a), *b = machine_of(x->b);
    int rc = 0;
    x->figures = a && b;
    for (uint32_t i = 0; x->figures && i < a->figure_count && !rc; i++) {
        const struct htmt_figure *f = &a->figure[i], *other = figure_of(b, f->key);
        if (!other || other->hash != f->hash)
            rc = add_input(x, "figure ", f->key, f->value, other ? other->value : NULL);
    }
    for (uint32_t i = 0; x->figures && i < b->figure_count && !rc; i++)
        if (!figure_of(a, b->figure[i].key))
            rc = add_input(x, "figure ", b->figure[i].key, NULL, b->figure[i].value);
    htmt_machine_destroy(&a);
    htmt_machine_destroy(&b);
    return rc;
}

int htmt__difference_make(const struct htmt__document *a, const struct htmt__document *b,
                          struct htmt__difference *x)
{
    *x = (struct htmt__difference){
        .a = a,
        .b = b,
        .change = b->results.predicted - a->results.predicted,
        .explained = a->explanation.made && b->explanation.made,
    };
    /* What the program, the problem and the files are. */
    int rc = add_input(x, "", "application", a->app, b->app);
    rc = rc ? rc : add_input(x, "", "mode", a->mode, b->mode);
    rc = rc ? rc : add_input(x, "", "version", a->version, b->version);
    rc = rc ? rc : add_input(x, "", "commit", a->commit, b->commit);
    rc = rc ? rc : add_input(x, "", "problem", a->problem, b->problem);
    rc = rc ? rc : add_number(x, "slices", a->slices, b->slices);
    rc = rc ? rc : add_number(x, "seed", a->seed, b->seed);
    rc = rc ? rc : add_input(x, "", "machine", a->machine, b->machine);
    rc = rc ? rc : add_hash(x, "hash of the machine", a->machine_hash, b->machine_hash);
    rc = rc ? rc : add_input(x, "", "costs", a->costs, b->costs);
    rc = rc ? rc : add_hash(x, "hash of the costs", a->costs_hash, b->costs_hash);
    rc = rc ? rc : add_options(x);
    rc = rc ? rc : add_figures(x);
    return rc ? rc : match_all(x);
}

void htmt__difference_clear(struct htmt__difference *x)
{
    free(x->input);
    free(x->causes.match);
    free(x->resources.match);
    free(x->phases.match);
    free(x->memories.match);
    free(x->insides.match);
    free(x->ports.match);
    free(x->routing.match);
    *x = (struct htmt__difference){0};
}
