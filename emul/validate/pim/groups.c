/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Errors of groups of rows, and what they are to reach.
 *
 * A row belongs to a group by its kind ("copies mram", "U VA") and, with others, to one of all of
 * its kind
 * ("copies all", "U kernels"). A row that a figure was fitted to says nothing of the model, so it
 * is in no mean. Copies of a level count only if they last longer than 100 us behind their launch,
 * which is left out of both times: shorter ones measure the launch. A mean of errors without sign
 * shows how far off a prediction is, the mean with sign whether it leans one way; a median beside
 * it where single rows of the hardware scatter. A group with a target that rows lack a prediction
 * for is neither met nor missed.
 *
 * A whole program ("U programs") is the sum of the rows of one run: kernel, input and output, and
 * what passes between DPUs. Only runs with all of these parts count, and a run one of whose rows a
 * figure was fitted to is fitted.
 */
#include "emul/validate/pim/judge.h"
#include "runtime/base/by_size.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG_COPY 100e-6 /* s behind the launch: shorter copies are judged with all copies */
#define FITTED    "U"    /* the server whose rows the constants were fitted to */

#define PROGRAMS "programs"

/* What a group is to reach, by its name; the first that matches. Identical transfers of different
 * programs scatter by 15 % on the hardware, so all of them together have a target, no kind has. */
static const struct {
    const char *name;
    double mean, median; /* 0: none */
} targets[] = {{"copies wram", 0.02, 0},
               {"copies mram", 0.025, 0},
               {"copies all", 0.06, 0},
               {FITTED " kernels", 0.015, 0},
               {FITTED " transfers", 0.15, 0},
               {FITTED " " PROGRAMS, 0.1, 0},
               {"host to all", 0.06, 0.03},
               {"host from all", 0.15, 0.03},
               {FITTED " *", 0, 0},
               {"* kernels", 0, 0},
               {"* transfers", 0, 0},
               {"* " PROGRAMS, 0, 0},
               {"* GEMV", 0, 0},
               {"* *-dpu", 0, 0},
               {"* *-cpu", 0, 0},
               {"host *", 0, 0},
               {"*", 0.02, 0}};

/* The groups of a finding that is known, "": none. */
static void names_of(const struct htmt__pim_finding *f, char name[2][40])
{
    const struct htmt__measured_row *r = f->row;
    const bool copy = r->kind == HTMT__MEASURED_COPY;
    snprintf(name[0], 40, "%s", copy && r->seconds - f->launch <= LONG_COPY ? "" : f->group);
    name[1][0] = '\0';
    if (copy)
        snprintf(name[1], 40, "copies all");
    else if (r->kind == HTMT__MEASURED_HOST && strcmp(r->way, "broadcast") != 0)
        snprintf(name[1], 40, "host %s all", !strcmp(r->way, "from-dpu") ? "from" : "to");
    else if (r->kind == HTMT__MEASURED_PROGRAM)
        snprintf(name[1], 40, "%s %s", r->server,
                 strcmp(r->part, "kernel") != 0 ? "transfers" : "kernels");
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct htmt__pim_group *)a)->name,
                  ((const struct htmt__pim_group *)b)->name);
}

static void add(struct htmt__pim_group *g, double error, const char *id, double *size)
{
    size[g->counted++] = fabs(error);
    g->bias += error;
    g->mean += fabs(error);
    if (fabs(error) > fabs(g->worst) || !g->worst_id) {
        g->worst = error;
        g->worst_id = id;
    }
}

/* Rows are in the order of their ids, so those of a run follow each other. */
static void add_programs(const struct htmt__pim_judgement *j, struct htmt__pim_group *g,
                         double *size)
{
    static const char *const parts[] = {"cpu-to-dpu", "dpu-to-cpu", "kernel"};
    for (unsigned i = 0, end; i < j->count; i = end) {
        const struct htmt__measured_row *r = j->finding[i].row;
        const size_t length = strlen(r->id) - strlen(r->part);
        double measured = 0, predicted = 0;
        unsigned found = 0;
        bool fitted = false, judged = true;
        for (end = i; end < j->count && !strncmp(j->finding[end].row->id, r->id, length); end++) {
            const struct htmt__pim_finding *f = &j->finding[end];
            measured += f->row->seconds;
            predicted += f->predicted;
            fitted = fitted || f->fitted;
            judged = judged && f->judged;
            for (unsigned p = 0; p < 3; p++)
                found |= (unsigned)!strcmp(f->row->part, parts[p]) << p;
        }
        end = end > i ? end : i + 1;
        char name[40];
        snprintf(name, sizeof name, "%s " PROGRAMS, r->server);
        if (r->kind != HTMT__MEASURED_PROGRAM || !j->finding[i].known || found != 7 ||
            strcmp(name, g->name) != 0)
            continue;
        g->rows++;
        g->fitted += judged && fitted;
        g->not_predicted += !judged;
        if (judged && !fitted)
            add(g, predicted / measured - 1, j->finding[end - 1].row->id, size);
    }
}

/* `size`: room for an error of each finding. */
static void sum_up(const struct htmt__pim_judgement *j, struct htmt__pim_group *g, double *size)
{
    const bool whole = fnmatch("* " PROGRAMS, g->name, 0) == 0;
    if (whole)
        add_programs(j, g, size);
    for (unsigned i = 0; i < j->count; i++) {
        const struct htmt__pim_finding *f = &j->finding[i];
        char name[2][40];
        if (!f->known || whole)
            continue;
        names_of(f, name);
        if (strcmp(name[0], g->name) != 0 && strcmp(name[1], g->name) != 0)
            continue;
        g->rows++;
        g->fitted += f->judged && f->fitted;
        g->not_predicted += !f->judged;
        if (f->fitted || !f->judged)
            continue;
        bool net = f->row->kind == HTMT__MEASURED_COPY && strcmp(g->name, "copies all") != 0;
        add(g, net ? f->net : f->error, f->row->id, size);
        g->plain_mean += fabs(f->plain_error);
        g->line_mean += fabs(f->line_error);
    }
    const unsigned n = g->counted, half = n / 2;
    qsort(size, n, sizeof *size, htmt__by_size);
    g->mean = n ? g->mean / n : (double)NAN;
    g->bias = n ? g->bias / n : (double)NAN;
    g->plain_mean = n && !whole ? g->plain_mean / n : (double)NAN;
    g->line_mean = n && !whole ? g->line_mean / n : (double)NAN;
    g->median = !n ? (double)NAN : n % 2 ? size[half] : (size[half - 1] + size[half]) / 2;
    unsigned i = 0;
    while (fnmatch(targets[i].name, g->name, 0) != 0)
        i++;
    g->target = targets[i].mean > 0 ? targets[i].mean : (double)NAN;
    g->median_target = targets[i].median > 0 ? targets[i].median : (double)NAN;
    g->missed = g->mean > g->target || g->median > g->median_target;
    g->met = !g->missed && !g->not_predicted;
}

int htmt__groups(struct htmt__pim_judgement *j, struct htmt_fault *fault)
{
    double *size = calloc(j->count + 1, sizeof *size);
    int rc = size ? 0 : htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    for (unsigned i = 0; i < j->count && !rc; i++) {
        const struct htmt__pim_finding *f = &j->finding[i];
        char name[3][40] = {"", "", ""};
        if (f->known)
            names_of(f, name);
        if (f->known && f->row->kind == HTMT__MEASURED_PROGRAM)
            snprintf(name[2], sizeof name[2], "%s " PROGRAMS, f->row->server);
        for (int k = 0; k < 3 && !rc; k++) {
            unsigned g = 0;
            while (g < j->groups && strcmp(j->group[g].name, name[k]) != 0)
                g++;
            if (g < j->groups || !*name[k])
                continue;
            if (j->groups == HTMT__PIM_GROUPS_MAX)
                rc = htmt_fault_set(fault, HTMT_ERANGE, "more than %d groups of rows",
                                    HTMT__PIM_GROUPS_MAX);
            else
                memcpy(j->group[j->groups++].name, name[k], sizeof name[k]);
        }
    }
    if (!rc)
        qsort(j->group, j->groups, sizeof *j->group, by_name);
    for (unsigned i = 0; i < j->groups && !rc; i++) {
        struct htmt__pim_group *g = &j->group[i];
        sum_up(j, g, size);
        j->missed += g->missed;
        j->not_judged += !g->met && !g->missed && (!isnan(g->target) || !isnan(g->median_target));
    }
    free(size);
    return rc;
}
