/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How measured rows are judged: each is predicted by a model run of what was measured.
 *
 * A copy inside DPUs takes the same time on each, as nothing but the host joins them: it is run on
 * one. Its launch depends on the number of DPUs alone. A transfer is run for its DPUs and words.
 * The rows of a program's run (its kernel and its transfers) follow each other, so the last run is
 * kept; it is run twice, with the two fitted constants of the program and with the instructions of
 * its typed operations alone, and the second error is shown beside the first. Of microbenchmarks
 * every run is kept, as rows share them.
 *
 * A run that the machine refuses leaves its row without a prediction, and the reason stands beside
 * it; a failure of the host ends the judgement.
 */
#include "emul/validate/pim/judge.h"

#include "runtime/base/array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS 120

/* A run of a microbenchmark. */
struct kept {
    uint32_t dpus;
    char options[OPTIONS];
    struct htmt__pim_times times;
};

struct judging {
    struct htmt__pim_judgement *j;
    unsigned count;
    size_t room;
    struct kept *kept;
    const struct htmt_app *prim, *micro;
    int program; /* of the last run; -1: none yet */
    uint32_t dpus;
    uint64_t size;
    struct htmt__pim_times with, without; /* the constants */
    struct htmt_fault *fault;
};

static void compare(struct htmt__pim_finding *f, double predicted)
{
    f->judged = true;
    f->predicted = predicted;
    f->error = predicted / f->row->seconds - 1;
}

static void put_off(struct htmt__pim_finding *f, const char *why)
{
    snprintf(f->why, sizeof f->why, "%.199s", why);
}

/* What a machine cannot do is not predicted; what the host could not do ends the judgement. */
static int put_off_run(struct judging *g, struct htmt__pim_finding *f, int rc)
{
    if (htmt_exit_status(rc) == 4)
        return rc;
    put_off(f, g->fault->text);
    *g->fault = (struct htmt_fault){0};
    return 0;
}

/* ---- copies and transfers ------------------------------------------------------------------- */

static int run_micro(struct judging *g, struct htmt__pim_finding *f, uint32_t dpus,
                     const char *options, struct htmt__pim_times *times)
{
    unsigned i = 0;
    f->known = true;
    while (i < g->count && (g->kept[i].dpus != dpus || strcmp(g->kept[i].options, options) != 0))
        i++;
    if (i == g->count) {
        if (!htmt__array_fits(&g->kept, &g->room, g->count + 1, sizeof *g->kept))
            return htmt_fault_set(g->fault, HTMT_ENOMEM, "out of memory");
        struct kept *one = &g->kept[i];
        *one = (struct kept){.dpus = dpus};
        snprintf(one->options, sizeof one->options, "%s", options);
        int rc = htmt__pim_micro(g->micro, g->j->copies, dpus, options, &one->times, g->fault);
        if (rc)
            return rc;
        g->count++;
    }
    *times = g->kept[i].times;
    f->held |= times->held;
    return 0;
}

static int judge_copy(struct judging *g, struct htmt__pim_finding *f)
{
    const struct htmt__measured_row *r = f->row;
    struct htmt__pim_times copy, launch;
    char options[OPTIONS];
    snprintf(f->group, sizeof f->group, "copies %s", r->part);
    snprintf(options, sizeof options,
             "--program copy --level %s --tasklets %u --words %llu --repetitions %llu", r->part,
             r->tasklets, (unsigned long long)r->words, (unsigned long long)r->repetitions);
    int rc = run_micro(g, f, r->dpus, "--program launch", &launch);
    f->launch = rc ? 0 : launch.launch;
    rc = rc ? rc : run_micro(g, f, 1, options, &copy);
    if (rc)
        return put_off_run(g, f, rc);
    compare(f, launch.launch + copy.kernel);
    f->net = copy.kernel / (r->seconds - f->launch) - 1;
    return 0;
}

static int judge_host(struct judging *g, struct htmt__pim_finding *f)
{
    const struct htmt__measured_row *r = f->row;
    bool from = !strcmp(r->way, "from-dpu"), broadcast = !strcmp(r->way, "broadcast");
    struct htmt__pim_times times;
    char options[OPTIONS];
    snprintf(f->group, sizeof f->group, "host %s %s",
             broadcast ? r->way
             : from    ? "from"
                       : "to",
             r->part);
    snprintf(options, sizeof options, "--program host --level %s --way %s --mode %s --words %llu",
             r->part, from ? "from" : "to", broadcast ? "broadcast" : "parallel",
             (unsigned long long)r->words);
    int rc = run_micro(g, f, r->dpus, options, &times);
    if (rc)
        return put_off_run(g, f, rc);
    compare(f, from ? times.from_slices : times.to_slices);
    return 0;
}

/* ---- programs ------------------------------------------------------------------------------- */

static int judge_program(struct judging *g, struct htmt__pim_finding *f)
{
    const struct htmt__measured_row *r = f->row;
    const int program = htmt__pim_program(r->program);
    const bool kernel = !strcmp(r->part, "kernel");
    snprintf(f->group, sizeof f->group, "%s %s", r->server, kernel ? r->program : r->part);
    f->known = program >= 0;
    if (!f->known) {
        put_off(f, "the program is not modelled");
        return 0;
    }
    if (g->program != program || g->dpus != r->dpus || g->size != r->words) {
        const struct htmt__pim_command with = {.program = htmt__pim_key(program),
                                               .machine = g->j->programs,
                                               .costs = HTMT__PIM_COSTS,
                                               .dpus = r->dpus,
                                               .size = r->words};
        struct htmt__pim_command without = with;
        without.costs = NULL;
        int rc = htmt__pim_run(g->prim, &with, &g->with, g->fault);
        if (!rc)
            rc = htmt__pim_run(g->prim, &without, &g->without, g->fault);
        g->program = rc ? -1 : program;
        g->dpus = r->dpus;
        g->size = r->words;
        if (rc)
            return put_off_run(g, f, rc);
    }
    /* Where no row is of the time between DPUs, it is counted with the results. */
    const struct htmt__pim_times *t = &g->with;
    const double between = strncmp(r->program, "SCAN", 4) ? t->between_slices : 0;
    const double predicted = kernel                           ? t->kernel
                             : !strcmp(r->part, "cpu-to-dpu") ? t->to_slices
                             : !strcmp(r->part, "inter-dpu")  ? t->between_slices
                                                              : t->from_slices + between;
    f->held = t->held;
    compare(f, predicted);
    if (!kernel)
        return 0;
    f->plain = g->without.kernel;
    f->plain_error = f->plain / r->seconds - 1;
    return 0;
}

/* ---- all ------------------------------------------------------------------------------------ */

static int judge_rows(struct judging *g)
{
    struct htmt__pim_judgement *j = g->j;
    int rc = 0;
    j->finding = calloc(j->measured.count + 1, sizeof *j->finding);
    if (!j->finding)
        return htmt_fault_set(g->fault, HTMT_ENOMEM, "out of memory");
    for (unsigned i = 0; i < j->measured.count && !rc; i++) {
        struct htmt__pim_finding *f = &j->finding[j->count++];
        *f = (struct htmt__pim_finding){.row = &j->measured.row[i],
                                        .plain = (double)NAN,
                                        .plain_error = (double)NAN,
                                        .line_error = (double)NAN};
        switch (f->row->kind) {
        case HTMT__MEASURED_COPY:
            rc = judge_copy(g, f);
            break;
        case HTMT__MEASURED_HOST:
            rc = judge_host(g, f);
            break;
        case HTMT__MEASURED_PROGRAM:
            rc = judge_program(g, f);
            break;
        case HTMT__MEASURED_UNKNOWN:
            put_off(f, "unknown id");
            j->unknown++;
            continue;
        }
        j->not_modelled += !f->known;
        j->not_predicted += f->known && !f->judged;
    }
    return rc;
}

int htmt__pim_judge(const char *data, const struct htmt_app *const *apps,
                    struct htmt__pim_judgement *j, struct htmt_fault *fault)
{
    struct judging g = {.j = j, .program = -1, .fault = fault};
    *j = (struct htmt__pim_judgement){0};
    int rc = htmt__measured_load(data, &j->measured, fault);
    if (!rc)
        rc = htmt_machine_load(HTMT__PIM_COPIES_MACHINE, NULL, 0, &j->copies, fault);
    if (!rc)
        rc = htmt_machine_load(HTMT__PIM_PROGRAMS_MACHINE, NULL, 0, &j->programs, fault);
    if (!rc)
        rc = htmt_costs_load(HTMT__PIM_COSTS, "prim", htmt__pim_cost_rows, NULL, 0, &j->costs,
                             fault);
    if (!rc && !(htmt__bank_machine_of(j->copies) && htmt__bank_machine_of(j->programs)))
        rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s and %s: expected machines with a host",
                            j->copies->name, j->programs->name);
    if (!rc)
        rc = htmt__fitted_check(j, fault);
    if (!rc)
        rc = htmt__pim_check_operations(j->programs, fault);
    if (!rc)
        rc = htmt__pim_application(apps, "prim", &g.prim, fault);
    if (!rc)
        rc = htmt__pim_application(apps, "micro", &g.micro, fault);
    if (!rc)
        rc = judge_rows(&g);
    if (!rc)
        rc = htmt__fitted_mark(j, fault);
    if (!rc)
        rc = htmt__fitted_lines(j, fault);
    if (!rc)
        rc = htmt__groups(j, fault);
    free(g.kept);
    if (rc)
        htmt__pim_clear(j);
    return rc;
}

void htmt__pim_clear(struct htmt__pim_judgement *j)
{
    htmt__measured_clear(&j->measured);
    htmt_machine_destroy(&j->copies);
    htmt_machine_destroy(&j->programs);
    htmt_costs_destroy(&j->costs);
    free(j->finding);
    *j = (struct htmt__pim_judgement){0};
}
