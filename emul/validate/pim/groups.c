/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/validate/pim/groups.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG_COPY 100e-6 /* s behind the launch: shorter copies are judged with all copies */
#define FITTED    "U"    /* the server whose rows the constants were fitted to */

/* What a group is to reach, by its name; the first that matches. Transfers of programs are shown:
 * identical ones scatter by 15 % on the hardware. */
static const struct {
    const char *name;
    double mean, median; /* 0: none */
} targets[] = {{"copies wram", 0.02, 0},
               {"copies mram", 0.025, 0},
               {"copies all", 0.06, 0},
               {FITTED " kernels", 0.015, 0},
               {"host to all", 0.06, 0.03},
               {"host from all", 0.15, 0.03},
               {FITTED " *", 0, 0},
               {"* kernels", 0, 0},
               {"* GEMV", 0, 0},
               {"* *-dpu", 0, 0},
               {"* *-cpu", 0, 0},
               {"host *", 0, 0},
               {"*", 0.02, 0}};

static void set_target(struct htmt__pim_group *g)
{
    unsigned i = 0;
    while (fnmatch(targets[i].name, g->name, 0) != 0)
        i++;
    g->target = targets[i].mean > 0 ? targets[i].mean : (double)NAN;
    g->median_target = targets[i].median > 0 ? targets[i].median : (double)NAN;
}

/* ---- members -------------------------------------------------------------------------------- */

static bool is_copy(const struct htmt__pim_finding *f)
{
    return f->row->kind == HTMT__MEASURED_COPY;
}

/* Groups of several others. */
static void names_of(const struct htmt__pim_finding *f, char name[2][40])
{
    const struct htmt__measured_row *r = f->row;
    snprintf(name[0], 40, "%s", f->group);
    name[1][0] = '\0';
    if (is_copy(f) && r->seconds - f->launch <= LONG_COPY)
        name[0][0] = '\0';
    if (is_copy(f))
        snprintf(name[1], 40, "copies all");
    else if (r->kind == HTMT__MEASURED_HOST && strcmp(r->way, "broadcast") != 0)
        snprintf(name[1], 40, "host %s all", !strcmp(r->way, "from-dpu") ? "from" : "to");
    else if (r->kind == HTMT__MEASURED_PROGRAM && !strcmp(r->part, "kernel"))
        snprintf(name[1], 40, "%s kernels", r->server);
}

static bool is_member(const struct htmt__pim_finding *f, const char *group)
{
    char name[2][40];
    if (!f->known)
        return false;
    names_of(f, name);
    return !strcmp(name[0], group) || !strcmp(name[1], group);
}

/* The error that counts in a group: of long copies without the launch. */
static double error_in(const struct htmt__pim_finding *f, const char *group)
{
    return is_copy(f) && strcmp(group, "copies all") != 0 ? f->net : f->error;
}

/* ---- statistics ----------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(double *size, unsigned count)
{
    if (count == 0)
        return (double)NAN;
    qsort(size, count, sizeof *size, by_size);
    return count % 2 ? size[count / 2] : (size[count / 2 - 1] + size[count / 2]) / 2;
}

static void count_row(struct htmt__pim_group *g, const struct htmt__pim_finding *f, double *size)
{
    g->rows++;
    g->fitted += f->judged && f->fitted;
    g->not_predicted += !f->judged;
    if (f->fitted || !f->judged)
        return;
    double error = error_in(f, g->name);
    size[g->counted++] = fabs(error);
    g->bias += error;
    g->mean += fabs(error);
    g->plain_mean += fabs(f->plain_error);
    if (fabs(error) <= fabs(g->worst) && g->worst_id)
        return;
    g->worst = error;
    g->worst_id = f->row->id;
}

static bool has_target(const struct htmt__pim_group *g)
{
    return !isnan(g->target) || !isnan(g->median_target);
}

static void finish(struct htmt__pim_group *g, double *size)
{
    double n = g->counted;
    g->mean = n > 0 ? g->mean / n : (double)NAN;
    g->bias = n > 0 ? g->bias / n : (double)NAN;
    g->plain_mean = n > 0 ? g->plain_mean / n : (double)NAN;
    g->median = median_of(size, g->counted);
    set_target(g);
    g->missed = g->mean > g->target || g->median > g->median_target;
    g->met = !g->missed && !g->not_predicted;
}

static bool is_there(const struct htmt__pim_judgement *j, const char *name)
{
    for (unsigned i = 0; i < j->groups; i++)
        if (!strcmp(j->group[i].name, name))
            return true;
    return !*name;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct htmt__pim_group *)a)->name,
                  ((const struct htmt__pim_group *)b)->name);
}

static int find_groups(struct htmt__pim_judgement *j, struct htmt_fault *fault)
{
    for (unsigned i = 0; i < j->count; i++) {
        char name[2][40];
        if (!j->finding[i].known)
            continue;
        names_of(&j->finding[i], name);
        for (int k = 0; k < 2; k++) {
            if (is_there(j, name[k]))
                continue;
            if (j->groups == HTMT__PIM_GROUPS_MAX)
                return htmt_fault_set(fault, HTMT_ERANGE, "more than %d groups of rows",
                                      HTMT__PIM_GROUPS_MAX);
            memcpy(j->group[j->groups++].name, name[k], sizeof name[k]);
        }
    }
    qsort(j->group, j->groups, sizeof *j->group, by_name);
    return 0;
}

int htmt__groups(struct htmt__pim_judgement *j, struct htmt_fault *fault)
{
    double *size = calloc(j->count + 1, sizeof *size);
    int rc = size ? find_groups(j, fault) : htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    for (unsigned i = 0; i < j->groups && !rc; i++) {
        struct htmt__pim_group *g = &j->group[i];
        for (unsigned k = 0; k < j->count; k++)
            if (is_member(&j->finding[k], g->name))
                count_row(g, &j->finding[k], size);
        finish(g, size);
        j->missed += g->missed;
        j->not_judged += !g->met && !g->missed && has_target(g);
    }
    free(size);
    return rc;
}
