/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fusion: nests that follow each other run as one, iteration by iteration, where no iteration then
 * needs what a later one makes.
 *
 * Let nest a touch a word at iteration x and the later nest b at iteration y, one of them writing
 * it. As two nests all of a comes first. As one nest, iteration by iteration, b's y must not come
 * before a's x: the distance y - x, outermost loop first, must not be negative. Points have
 * constant offsets, so x + o = y + p is the same word, and y - x = o - p for all iterations: one
 * comparison for each pair of points. The smallest distance decides; a negative one says by how
 * much b must be shifted.
 *
 * Example: a writes v[i], b reads v[i+1]. The word v[5] is made at 5 and read at 4: distance -1, so
 * b may not be fused unless it runs one iteration behind along i. Where b reads v[i-1] the distance
 * is 1, and they may be fused: the memory then finds v[i-1] again.
 */
#include "emul/loops/nest/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A distance, outermost loop first. */
struct distance {
    int64_t at[HTMT__NEST_DEPTH];
    bool any; /* not constant */
};

static int compare(const int64_t *a, const int64_t *b, unsigned depth)
{
    for (unsigned l = 0; l < depth; l++)
        if (a[l] != b[l])
            return a[l] < b[l] ? -1 : 1;
    return 0;
}

/* ---- distances ---------------------------------------------------------------------------------
 */

static bool same_words(const struct htmt__nest_point *a, const struct htmt__nest_point *b)
{
    if (a->array != b->array || a->component != b->component)
        return false;
    if (a->coupled || b->coupled || a->used != b->used)
        return true;
    for (unsigned i = 0; i < a->axes; i++)
        if (a->axis[i].loop != b->axis[i].loop || a->axis[i].factor != b->axis[i].factor)
            return true;
    for (unsigned i = 0; i < a->axes; i++)
        if (a->axis[i].rest != b->axis[i].rest)
            return false;
    return true;
}

static bool comparable(const struct htmt__nest_plan *plan, const struct htmt__nest_point *a,
                       const struct htmt__nest_point *b)
{
    bool alike =
        !a->coupled && !b->coupled && a->used == b->used && a->used == (1U << plan->depth) - 1;
    for (unsigned i = 0; alike && i < a->axes; i++)
        alike = a->axis[i].loop == b->axis[i].loop && a->axis[i].factor == b->axis[i].factor;
    return alike;
}

/* Keep the smaller. */
static void take(struct distance *least, bool *found, const int64_t *at, unsigned depth)
{
    if (!*found || compare(at, least->at, depth) < 0)
        memcpy(least->at, at, depth * sizeof *at);
    *found = true;
}

/* The smallest distance between two nests; false: nothing joins them. What the file says of them
 * counts alone. */
static bool least_distance(const struct htmt__nest_file *f, const struct htmt__nest_run *a,
                           const struct htmt__nest_run *b, struct distance *least)
{
    const unsigned depth = a->plan->depth;
    bool told = false, found = false;
    *least = (struct distance){.any = false};
    for (unsigned i = 0; i < f->dependences; i++) {
        const struct htmt__nest_dependence *d = &f->dependence[i];
        if (d->from != a->nest[0] || d->to != b->nest[0])
            continue;
        told = true;
        for (unsigned l = 0; l < d->depth; l++)
            least->any = least->any || d->any[l];
        take(least, &found, d->distance, f->nest[d->to].depth);
    }
    for (size_t i = 0; i < a->plan->points && !told; i++)
        for (size_t k = 0; k < b->plan->points; k++) {
            const struct htmt__nest_point *x = &a->plan->point[i], *y = &b->plan->point[k];
            int64_t at[HTMT__NEST_DEPTH] = {0};
            if (!((x->offset.touch | y->offset.touch) & HTMT__NEST_WRITES) || !same_words(x, y))
                continue;
            if (!comparable(a->plan, x, y)) {
                least->any = true;
                continue;
            }
            /* Words are numbered by the loops' variables, so beginnings are added back. */
            for (unsigned l = 0; l < depth; l++)
                at[l] = (b->plan->low[l] - a->plan->low[l]) / a->plan->step[l] + x->offset.at[l] -
                        y->offset.at[l];
            take(least, &found, at, depth);
        }
    return told || found || least->any;
}

/* ---- whether they may --------------------------------------------------------------------------
 */

static int check_pair(const struct htmt__nest_program *p, unsigned a, unsigned b,
                      struct htmt_fault *fault)
{
    const int64_t none[HTMT__NEST_DEPTH] = {0};
    const struct htmt__nest_run *x = &p->run[a], *y = &p->run[b];
    struct distance least;
    char text[300] = "";
    size_t used = 0;
    const struct htmt__nest_plan *px = x->plan, *py = y->plan;
    bool same = px && py && px->depth == py->depth;
    for (unsigned l = 0; same && l < px->depth; l++)
        same = px->step[l] == py->step[l] &&
               (!px->nest || !py->nest || !strcmp(px->nest->loop[l].name, py->nest->loop[l].name));
    if (!same)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--fuse: %s and %s have not the same loops",
                              x->name, y->name);
    const char *apart = NULL; /* each repeat and loop has both or none */
    for (unsigned i = 0; i < p->repeats; i++) {
        const struct htmt__nest_rounds *r = &p->repeat[i];
        if ((r->first <= a && a <= r->last) != (r->first <= b && b <= r->last))
            apart = r->loop ? "loop" : "repeat";
    }
    if (apart)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--fuse: %s and %s are not in the same %s",
                              x->name, y->name, apart);
    if (!least_distance(p->file, x, y, &least))
        return 0;
    if (least.any)
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "--fuse: %s after %s: a dependence has no constant distance", y->name,
                              x->name);
    if (compare(least.at, none, x->plan->depth) >= 0)
        return 0;
    for (unsigned l = 0; l < x->plan->depth && used < sizeof text; l++)
        if (least.at[l])
            used += (size_t)snprintf(text + used, sizeof text - used, "%sshift %lld along %s",
                                     used ? ", " : "", (long long)-least.at[l],
                                     x->plan->nest->loop[l].name);
    return htmt_fault_set(fault, HTMT_EINVAL, "--fuse: %s after %s: %s", y->name, x->name, text);
}

/* ---- joining -----------------------------------------------------------------------------------
 */

/* The index of a run once `count` runs from `first` on are one. */
static unsigned moved(unsigned index, unsigned first, unsigned count)
{
    return index < first + count ? (index < first ? index : first) : index - (count - 1);
}

/* The first of `count` runs goes on with all, the others close the gap. */
static int join(struct htmt__nest_program *p, unsigned first, unsigned count,
                struct htmt_fault *fault)
{
    const struct htmt__nest_plan **part = calloc(count, sizeof *part);
    unsigned *nest = calloc(count, sizeof *nest);
    struct htmt__nest_plan *all = NULL;
    int rc = part && nest ? 0 : HTMT_ENOMEM;
    for (unsigned i = 0; i < count && !rc; i++) {
        part[i] = p->run[first + i].plan;
        nest[i] = p->run[first + i].nest[0];
    }
    if (!rc)
        rc = htmt__nest_plan_join(part, count, &all);
    free(part);
    if (rc) {
        free(nest);
        return htmt_fault_set(fault, rc, "--fuse: %s", htmt_strerror(rc));
    }
    for (unsigned i = first; i < first + count; i++) {
        htmt__nest_plan_destroy(&p->run[i].plan);
        free(p->run[i].nest);
    }
    struct htmt__nest_run *run = &p->run[first];
    run->plan = all;
    run->nests = count;
    run->nest = nest;
    memcpy(run->name, all->name, sizeof run->name);
    memmove(run + 1, run + count, (p->runs - first - count) * sizeof *run);
    p->runs -= count - 1;
    for (unsigned i = 0; i < p->repeats; i++) {
        p->repeat[i].first = moved(p->repeat[i].first, first, count);
        p->repeat[i].last = moved(p->repeat[i].last, first, count);
    }
    for (unsigned i = 0; i < p->exchanges; i++)
        p->exchange[i].before = moved(p->exchange[i].before, first, count);
    return 0;
}

/* ---- names -------------------------------------------------------------------------------------
 */

#define PARTS_MAX 64

int htmt__nest_program_fuse(struct htmt__nest_program *program, const char *names,
                            struct htmt_fault *fault)
{
    char *name[PARTS_MAX], *text = strdup(names), *rest = text;
    unsigned count = 0, found = 0;
    if (!text)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    for (char *word; (word = strsep(&rest, "+")) && count < PARTS_MAX;)
        name[count++] = word;
    int rc = count < 2
                 ? htmt_fault_set(fault, HTMT_EUSAGE, "--fuse: found '%s', expected A+B", names)
                 : 0;
    for (unsigned i = 0; i < program->runs && !rc; i++) {
        bool here = i + count <= program->runs; /* they follow each other from run i on */
        for (unsigned k = 0; here && k < count; k++)
            here = program->run[i + k].nests == 1 && !strcmp(program->run[i + k].name, name[k]);
        if (!here)
            continue;
        found++;
        for (unsigned b = i + 1; b < i + count; b++)
            for (unsigned a = i; a < b && !rc; a++)
                rc = check_pair(program, a, b, fault);
        if (!rc)
            rc = join(program, i, count, fault);
    }
    for (unsigned i = 0; i < count && !rc && !found; i++)
        if (htmt__nest_find(program->file, name[i]) < 0)
            rc = htmt_fault_set(fault, HTMT_EUSAGE, "--fuse: there is no nest '%s'", name[i]);
    if (!rc && !found)
        rc = htmt_fault_set(fault, HTMT_EUSAGE,
                            "--fuse: these nests do not follow each other in the program");
    free(text);
    return rc;
}
