/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is refused before a point is computed, and the choice of samples.
 *
 * Samples are a Latin hypercube: for n samples the range of each axis is cut into n parts, of equal
 * quotients, and each part is taken once. Which sample takes which part is a permutation that
 * follows from the seed and the number of the axis; where in the part, too. Two axes then have
 * permutations that know nothing of each other. For 3 samples of 1x..8x: the parts are 1 to 2, 2 to
 * 4 and 4 to 8, and the samples take for example 5.1, 1.2 and 3.3.
 */
#include "emul/study/study.h"

#include "layers/file/costs.h"
#include "runtime/base/random.h"
#include "runtime/base/suggest.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- axes ------------------------------------------------------------------------------------ */

/* The figures of the first machine of the first case. A figure of 0, or one that is not modelled,
 * has no factor. */
static int spread_each(struct htmt__study *s, const struct htmt_figure *figure, unsigned count,
                       struct htmt_fault *fault)
{
    struct htmt__axis *old = s->axis;
    const unsigned before = s->axis_count;
    int rc = 0;
    s->axis = NULL;
    s->axis_room = s->axis_count = 0;
    for (unsigned i = 0; i < before && !rc; i++) {
        unsigned found = 0;
        char scaled[64];
        for (unsigned f = 0; f < count && old[i].each && !rc; f++) {
            struct htmt__axis one;
            if (fnmatch(htmt__axis_key(&old[i]), figure[f].key, 0) != 0 ||
                !htmt__axis_scaled(figure[f].value, 1, scaled, sizeof scaled))
                continue;
            found++;
            rc = htmt__axis_copy(&old[i], figure[f].key, &one);
            rc = rc ? htmt_fault_set(fault, rc, "out of memory for the axes")
                    : htmt__study_axis(s, &one, fault);
        }
        if (old[i].each && !found && !rc)
            rc = htmt_fault_set(fault, HTMT_EUSAGE,
                                "%s: no figure of that pattern has a factor; `htmt machine show` "
                                "lists all",
                                old[i].name);
        if (!old[i].each && !rc) {
            rc = htmt__study_axis(s, &old[i], fault);
            old[i] = (struct htmt__axis){.count = 0};
        }
    }
    for (unsigned i = 0; i < before; i++)
        htmt__axis_fini(&old[i]);
    free(old);
    return rc;
}

int htmt__study_unknown(const char *where, const char *name, const struct htmt_figure *figure,
                        unsigned count, const char *expected, struct htmt_fault *fault)
{
    char hint[200];
    const char **key = calloc(count + 1u, sizeof *key);
    if (!key)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for the keys");
    for (unsigned i = 0; i < count; i++)
        key[i] = figure[i].key;
    const bool near = htmt__suggest(name, key, count, hint, sizeof hint);
    free(key);
    return htmt_fault_set(fault, HTMT_EUSAGE, "%s: unknown key, %s", where, near ? hint : expected);
}

/* Neither "size" nor "machine" is a figure, but there are other axes of these names. */
static int refuse_key(const struct htmt__study *s, const struct htmt__axis *a,
                      const struct htmt_figure *figure, unsigned count, struct htmt_fault *fault)
{
    const struct htmt_app_option *o = s->cases[0].app->options;
    char where[200];
    if (strcmp(a->name, "machine") == 0)
        return htmt_fault_set(fault, HTMT_EUSAGE, "axis machine: expected machine:NAME,..");
    for (; o && o->name; o++)
        if (strcmp(a->name, o->name) == 0)
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "axis %s: an option of %s, expected opt:%s=VALUES", a->name,
                                  s->cases[0].app->name, a->name);
    snprintf(where, sizeof where, "axis %s", a->name);
    return htmt__study_unknown(where, htmt__axis_key(a), figure, count,
                               "expected one that `htmt machine show` lists", fault);
}

/* Each axis changes something: a figure that is there, with a number where it has factors, an
 * option. */
static int check_axis(const struct htmt__study *s, unsigned at, const struct htmt_figure *figure,
                      unsigned count, struct htmt_fault *fault)
{
    const struct htmt__axis *a = &s->axis[at];
    unsigned found = 0, scaled = 0;
    char text[64];
    for (unsigned i = 0; i < at; i++)
        if (strcmp(s->axis[i].name, a->name) == 0)
            return htmt_fault_set(fault, HTMT_EUSAGE, "axis %s: given twice", a->name);
    if (s->samples && !(a->factors && a->least > 0))
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "axis %s: samples are of ranges of factors such as 0.5x..2x",
                              a->name);
    if (!s->samples && a->sampled)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "axis %s: a range without a number of values is for --sample",
                              a->name);
    if (a->kind != HTMT__AXIS_FIGURE)
        return 0;
    for (unsigned i = 0; i < count; i++)
        if (fnmatch(htmt__axis_key(a), figure[i].key, 0) == 0) {
            found++;
            scaled += htmt__axis_scaled(figure[i].value, 1, text, sizeof text);
        }
    if (!found)
        return refuse_key(s, a, figure, count, fault);
    if (a->factors && !scaled)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "axis %s: a figure that is 0 or not modelled has no factor", a->name);
    if (!a->factors && found > 1)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "axis %s: %u figures, expected factors such as 0.5x for several",
                              a->name, found);
    return 0;
}

/* Each figure of the cost file is one of the first case's file. */
static int check_costs(const struct htmt__study *s, const struct htmt__point *first,
                       struct htmt_fault *fault)
{
    const char *file = first->options.common[HTMT__COSTS];
    struct htmt_figure *figure = NULL;
    unsigned count = 0;
    int rc = file ? htmt_costs_figures(file, &figure, &count, fault) : 0;
    for (unsigned i = 0; i < s->axis_count && !rc; i++) {
        const struct htmt__axis *a = &s->axis[i];
        bool found = a->kind != HTMT__AXIS_COSTS;
        char where[200];
        for (unsigned f = 0; f < count && !found; f++)
            found = strcmp(htmt__axis_key(a), figure[f].key) == 0;
        if (found)
            continue;
        snprintf(where, sizeof where, "axis %s", a->name);
        rc = file ? htmt__study_unknown(where, htmt__axis_key(a), figure, count,
                                        "expected one of the cost file", fault)
                  : htmt_fault_set(fault, HTMT_EUSAGE,
                                   "%s changes a figure of the cost file, and there is no --costs, "
                                   "expected --costs FILE in the command line",
                                   where);
    }
    free(figure);
    return rc;
}

/* ---- plan ------------------------------------------------------------------------------------ */

static int sample(struct htmt__study *s, struct htmt_fault *fault)
{
    const uint64_t n = s->samples;
    uint32_t *part = malloc(n * sizeof *part);
    char text[32];
    s->factor = malloc(n * (s->axis_count + 1) * sizeof *s->factor);
    if (!part || !s->factor) {
        free(part);
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for %" PRIu64 " samples", n);
    }
    for (unsigned a = 0; a < s->axis_count; a++) {
        const struct htmt__axis *axis = &s->axis[a];
        uint64_t state = htmt__random_of(s->seed ^ htmt__random_of(a + 1));
        for (uint32_t i = 0; i < n; i++)
            part[i] = i;
        for (uint64_t i = n; i > 1; i--) {
            const uint64_t other = htmt__random_below(htmt__random_next(&state), i);
            const uint32_t kept = part[i - 1];
            part[i - 1] = part[other];
            part[other] = kept;
        }
        for (uint64_t i = 0; i < n; i++) {
            const double within = (double)(htmt__random_next(&state) >> 11) * 0x1p-53;
            const double share = ((double)part[i] + within) / (double)n;
            /* Six digits: figures are exact, and products of many digits cannot be held. */
            snprintf(text, sizeof text, "%.6g", axis->least * pow(axis->most / axis->least, share));
            s->factor[i * s->axis_count + a] = strtod(text, NULL);
        }
    }
    free(part);
    return 0;
}

/* With --sample, figures whose files say how well they are known are axes. */
static int add_ranges(struct htmt__study *s, const struct htmt__machine_base *base,
                      struct htmt_fault *fault)
{
    unsigned count;
    const struct htmt_figure *figure = htmt__machine_base_figures(base, &count);
    int rc = 0;
    for (unsigned i = 0; i < count && !rc; i++) {
        struct htmt__axis axis;
        const char *range = htmt__machine_base_range(base, figure[i].key);
        bool given = !range;
        for (unsigned a = 0; a < s->axis_count && !given; a++)
            given = s->axis[a].kind == HTMT__AXIS_FIGURE &&
                    fnmatch(htmt__axis_key(&s->axis[a]), figure[i].key, 0) == 0;
        if (given)
            continue;
        rc = htmt__axis_range(figure[i].file, figure[i].key, range, &axis, fault);
        rc = rc ? rc : htmt__study_axis(s, &axis, fault);
    }
    return rc;
}

int htmt__study_plan(struct htmt__study *s, struct htmt_fault *fault)
{
    struct htmt__point first;
    unsigned count = 0;
    uint64_t n = 1;
    int rc = 0;
    /* The machine as it is, without axes, for its keys. */
    const unsigned axes = s->axis_count;
    s->of_case = 1;
    s->axis_count = 0;
    const uint64_t samples = s->samples;
    s->samples = 0;
    rc = htmt__point_make(s, 0, &first, fault);
    s->axis_count = axes;
    s->samples = samples;
    const struct htmt_figure *figure =
        first.base ? htmt__machine_base_figures(first.base, &count) : NULL;
    if (!rc && figure)
        rc = spread_each(s, figure, count, fault);
    if (!rc && s->samples)
        rc = add_ranges(s, first.base, fault);
    rc = rc ? rc : check_costs(s, &first, fault);
    htmt__point_fini(&first);
    if (!rc && !s->axis_count)
        rc = htmt_fault_set(fault, HTMT_EUSAGE,
                            s->samples ? "--sample: no figure of the machine has a range; give one "
                                         "by --vary KEY=0.5x..2x"
                                       : "expected an axis, such as --vary opt:size=64,128");
    for (unsigned i = 0; i < s->axis_count && !rc; i++) {
        rc = check_axis(s, i, figure, count, fault);
        n = s->samples ? s->samples : n * s->axis[i].count;
        if (!rc && n * s->case_count > HTMT__STUDY_POINTS)
            rc = htmt_fault_set(fault, HTMT_EUSAGE,
                                "found more than %" PRIu64 " points, expected fewer values",
                                HTMT__STUDY_POINTS);
    }
    s->of_case = n;
    s->points = n * s->case_count;
    if (!rc && s->samples)
        rc = sample(s, fault);
    /* A wrong option, or a figure without its unit, is wrong at all points. */
    for (unsigned i = 0; i < s->case_count && !rc; i++) {
        struct htmt_fault why = {0};
        rc = htmt__point_make(s, i * n, &first, &why);
        htmt__point_fini(&first);
        rc = rc == HTMT_EUSAGE || rc == HTMT_EUNIT || rc == HTMT_ENOMEM
                 ? htmt_fault_set(fault, rc, "%s", why.text)
                 : 0;
    }
    return rc;
}
