/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What T may depend on: each figure that is modelled and above 0, or groups of them that are one
 * physical figure and change together.
 */
#include "emul/study/sensitivity.h"

#include "layers/file/costs.h"
#include "layers/file/units.h"
#include "runtime/base/array.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for the figures");
}

/* The key says what a figure is, but its text does, too: no two kinds have one unit, but for
 * numbers without one. */
static enum htmt__figure_kind kind_of(const struct htmt__member *m)
{
    static const struct {
        enum htmt_dimension dimension;
        const char *noun;
        enum htmt__figure_kind kind;
    } rows[] = {
        {HTMT_UNIT_TIME, NULL, HTMT__OF_TIME},        {HTMT_UNIT_ACCESS, NULL, HTMT__OF_TIME},
        {HTMT_UNIT_BYTE_TIME, NULL, HTMT__OF_TIME},   {HTMT_UNIT_OPERATION, "flop", HTMT__OF_TIME},
        {HTMT_UNIT_OPERATION, "iop", HTMT__OF_TIME},  {HTMT_UNIT_OPERATION, "word", HTMT__OF_TIME},
        {HTMT_UNIT_OPERATION, "op", HTMT__OF_TIME},   {HTMT_UNIT_FREQUENCY, NULL, HTMT__OF_RATE},
        {HTMT_UNIT_RATE, NULL, HTMT__OF_RATE},        {HTMT_UNIT_BYTE_RATE, NULL, HTMT__OF_RATE},
        {HTMT_UNIT_BYTE_CYCLES, NULL, HTMT__OF_RATE}, {HTMT_UNIT_CYCLES, NULL, HTMT__OF_CYCLES},
        {HTMT_UNIT_SHARE, NULL, HTMT__OF_SHARE}};
    struct htmt_quantity q;
    char why[200];
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (htmt_quantity_read(m->value, rows[i].dimension, rows[i].noun, &q, why, sizeof why))
            continue;
        if (q.basis == HTMT_IN_CYCLES)
            return strstr(m->value, "/cycle") ? HTMT__PER_CYCLE : HTMT__OF_CYCLES;
        return rows[i].kind == HTMT__OF_SHARE && m->whole ? HTMT__OF_STEPS : rows[i].kind;
    }
    return HTMT__OF_STEPS;
}

/* Whether a fraction is refused. A little less, since a share is at most 1. */
static bool is_whole(const struct htmt__point *p, const char *key, const char *value)
{
    char set[240], *unit;
    const char *sets = set;
    struct htmt_machine *machine = NULL;
    struct htmt_fault fault = {0};
    const double x = strtod(value, &unit);
    snprintf(set, sizeof set, "%s=%.12g%s", key, x * 0.9876543211, unit);
    const int rc = htmt__machine_base_build(p->base, &sets, 1, &machine, &fault);
    htmt_machine_destroy(&machine);
    return rc != 0;
}

/* The figures of a case as candidates: the machine's, then those of the cost file. */
static int list(const struct htmt__point *p, struct htmt_figure **figure, unsigned *count,
                struct htmt_fault *fault)
{
    const char *costs = p->options.common[HTMT__COSTS];
    struct htmt_figure *more = NULL;
    unsigned of_machine, of_costs = 0;
    const struct htmt_figure *machine = htmt__machine_base_figures(p->base, &of_machine);
    int rc = costs ? htmt_costs_figures(costs, &more, &of_costs, fault) : 0;
    *count = of_machine + of_costs;
    *figure = rc ? NULL : malloc((*count + 1u) * sizeof **figure);
    if (!rc && !*figure)
        rc = no_memory(fault);
    for (unsigned i = 0; i < *count && !rc; i++) {
        struct htmt_figure *f = &(*figure)[i];
        *f = i < of_machine ? machine[i] : more[i - of_machine];
        if (i >= of_machine)
            snprintf(f->key, sizeof f->key, "costs:%.100s", more[i - of_machine].key);
    }
    free(more);
    return rc;
}

static struct htmt__subject *find_subject(struct htmt__sensitivity *x, const char *name, bool group)
{
    struct htmt__subject s = {.group = group};
    for (unsigned i = 0; i < x->subjects; i++)
        if (x->subject[i].group == group && strcmp(x->subject[i].name, name) == 0)
            return &x->subject[i];
    if (!htmt__array_fits(&x->subject, &x->room, x->subjects + 1u, sizeof *x->subject) ||
        !(s.cell = calloc(x->study->case_count, sizeof *s.cell)))
        return NULL;
    snprintf(s.name, sizeof s.name, "%s", name);
    for (unsigned k = 0; k < x->study->case_count; k++)
        s.cell[k].half = s.cell[k].twice = s.cell[k].at_once = s.cell[k].faster.factor =
            s.cell[k].slower.factor = s.cell[k].percent.factor = (double)NAN;
    x->subject[x->subjects++] = s;
    return &x->subject[x->subjects - 1];
}

/* Members of a group are of one kind: a latency and a rate are not one physical figure. */
static int add_member(struct htmt__sensitivity *x, const char *name, bool group, unsigned of_case,
                      const struct htmt__point *p, const struct htmt_figure *f,
                      struct htmt_fault *fault)
{
    const bool of_costs = strncmp(f->key, "costs:", 6) == 0;
    struct htmt__subject *s = find_subject(x, name, group);
    struct htmt__cell *c = s ? &s->cell[of_case] : NULL;
    const double value = strtod(f->value, NULL);
    struct htmt__member m = {.whole =
                                 of_costs ? value == floor(value) : is_whole(p, f->key, f->value)};
    if (!c || !htmt__array_fits(&c->member, &c->room, c->members + 1u, sizeof *c->member))
        return no_memory(fault);
    snprintf(m.key, sizeof m.key, "%s", f->key);
    snprintf(m.value, sizeof m.value, "%s", f->value);
    const enum htmt__figure_kind kind = kind_of(&m);
    if (c->members && kind != c->kind)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--group %s: %s is '%s' and %s is '%s', expected figures of one kind",
                              name, c->member[0].key, c->member[0].value, m.key, m.value);
    c->kind = kind;
    c->member[c->members++] = m;
    return 0;
}

/* The group that has the figure, or its own name where it was asked for; NULL: neither. `used`:
 * patterns that have named a figure. */
static int choose(const struct htmt__sensitivity *x, const struct htmt_figure *f, bool *named,
                  const char **name, char group[64], struct htmt_fault *fault)
{
    *name = NULL;
    for (unsigned i = 0; i < x->groups; i++) {
        const char *pattern = strchr(x->group[i], '=') + 1;
        if (fnmatch(pattern, f->key, 0) != 0)
            continue;
        if (*name)
            return htmt_fault_set(fault, HTMT_EUSAGE, "--group %s: %s is in group %s, too",
                                  x->group[i], f->key, group);
        named[i] = true;
        snprintf(group, 64, "%.*s", (int)(pattern - 1 - x->group[i]), x->group[i]);
        *name = group;
    }
    for (unsigned i = 0; i < x->patterns; i++) {
        if (fnmatch(x->figures[i], f->key, 0) != 0)
            continue;
        named[x->groups + i] = true;
        *name = *name ? *name : f->key;
    }
    if (!x->patterns && !*name)
        *name = f->key;
    return 0;
}

static int add_figures(struct htmt__sensitivity *x, unsigned of_case, const struct htmt__point *p,
                       const struct htmt_figure *figure, unsigned count, bool *named,
                       struct htmt_fault *fault)
{
    char scaled[96], group[64];
    const char *name;
    int rc = 0;
    for (unsigned i = 0; i < count && !rc; i++) {
        rc = choose(x, &figure[i], named, &name, group, fault);
        if (rc || !name)
            continue;
        if (htmt__axis_scaled(figure[i].value, 1, scaled, sizeof scaled))
            rc = add_member(x, name, name == group, of_case, p, &figure[i], fault);
    }
    return rc;
}

/* A group passes over figures that cannot be changed, but it has one that can. */
static int check_groups(const struct htmt__sensitivity *x, const struct htmt_figure *figure,
                        unsigned count, struct htmt_fault *fault)
{
    char scaled[96];
    for (unsigned k = 0; k < x->groups; k++) {
        const char *pattern = strchr(x->group[k], '=') + 1;
        const struct htmt_figure *fixed = NULL;
        bool moves = false;
        for (unsigned i = 0; i < count; i++) {
            if (fnmatch(pattern, figure[i].key, 0) != 0)
                continue;
            if (htmt__axis_scaled(figure[i].value, 1, scaled, sizeof scaled))
                moves = true;
            else
                fixed = fixed ? fixed : &figure[i];
        }
        if (fixed && !moves)
            return htmt_fault_set(
                fault, HTMT_EUSAGE,
                "--group %.*s: %s is '%s', expected figures that are modelled and "
                "above 0",
                (int)(pattern - 1 - x->group[k]), x->group[k], fixed->key, fixed->value);
    }
    return 0;
}

/* Each pattern named a figure, and one that can be changed. */
static int check_patterns(const struct htmt__sensitivity *x, const bool *named,
                          const struct htmt_figure *figure, unsigned count,
                          struct htmt_fault *fault)
{
    for (unsigned i = 0; i < x->groups + x->patterns; i++) {
        const bool group = i < x->groups;
        const char *given = group ? x->group[i] : x->figures[i - x->groups];
        char where[200];
        snprintf(where, sizeof where, "--%s %.160s", group ? "group" : "figures", given);
        if (!named[i])
            return htmt__study_unknown(where, group ? strchr(given, '=') + 1 : given, figure, count,
                                       "expected one that `htmt machine show` lists, or costs:KEY",
                                       fault);
        bool used = group;
        for (unsigned s = 0; s < x->subjects && !used; s++)
            used = x->subject[s].group || fnmatch(given, x->subject[s].name, 0) == 0;
        if (!used)
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "%s: a figure that is 0 or not modelled has no elasticity",
                                  where);
    }
    return 0;
}

int htmt__sensitivity_subjects(struct htmt__sensitivity *x, struct htmt_fault *fault)
{
    struct htmt_figure *figure = NULL;
    unsigned count = 0;
    bool *named = calloc(x->groups + x->patterns + 1u, sizeof *named);
    int rc = named ? 0 : no_memory(fault);
    for (unsigned i = 0; i < x->groups && !rc; i++) {
        const char *equals = strchr(x->group[i], '=');
        if (!equals || equals == x->group[i] || !equals[1] || equals - x->group[i] > 63)
            rc = htmt_fault_set(fault, HTMT_EUSAGE, "--group: found '%.80s', expected NAME=PATTERN",
                                x->group[i]);
        for (unsigned k = 0; k < i && !rc; k++)
            if (strncmp(x->group[i], x->group[k], (size_t)(equals - x->group[i]) + 1) == 0)
                rc = htmt_fault_set(fault, HTMT_EUSAGE, "--group %s: the name is there already",
                                    x->group[i]);
    }
    for (unsigned k = 0; k < x->study->case_count && !rc; k++) {
        struct htmt__point p;
        struct htmt_fault why = {0};
        const int refused = htmt__point_make(x->study, k, &p, &why);
        if (refused == HTMT_ENOMEM || refused == HTMT_EUSAGE)
            rc = htmt_fault_set(fault, refused, "%s", why.text);
        else if (refused) {
            x->of[k].code = refused;
            if (!(x->of[k].why = strdup(why.text)))
                rc = no_memory(fault);
        } else {
            free(figure);
            rc = list(&p, &figure, &count, fault);
            rc = rc ? rc : check_groups(x, figure, count, fault);
            rc = rc ? rc : add_figures(x, k, &p, figure, count, named, fault);
        }
        htmt__point_fini(&p);
    }
    if (!rc && figure)
        rc = check_patterns(x, named, figure, count, fault);
    free(figure);
    free(named);
    return rc;
}
