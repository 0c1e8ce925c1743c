/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/validate/pim/judge.h"

#include "emul/validate/pim/fitted.h"
#include "emul/validate/pim/groups.h"

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
    unsigned count, room;
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

/* Nothing but the host joins DPUs: a copy takes the same time on each, and is run on one; a launch
 * depends on the DPUs alone. What was run is kept. */
static struct kept *find_kept(const struct judging *g, uint32_t dpus, const char *options)
{
    for (unsigned i = 0; i < g->count; i++)
        if (g->kept[i].dpus == dpus && !strcmp(g->kept[i].options, options))
            return &g->kept[i];
    return NULL;
}

static int keep(struct judging *g, const struct kept *one)
{
    if (g->count == g->room) {
        unsigned room = g->room ? 2 * g->room : 256;
        struct kept *more = reallocarray(g->kept, room, sizeof *more);
        if (!more)
            return htmt_fault_set(g->fault, HTMT_ENOMEM, "out of memory");
        g->kept = more;
        g->room = room;
    }
    g->kept[g->count++] = *one;
    return 0;
}

static int run_micro(struct judging *g, struct htmt__pim_finding *f, uint32_t dpus,
                     const char *options, struct htmt__pim_times *times)
{
    const struct kept *before = find_kept(g, dpus, options);
    struct kept one = {.dpus = dpus};
    int rc = 0;
    f->known = true;
    if (!before) {
        snprintf(one.options, sizeof one.options, "%s", options);
        rc = htmt__pim_micro(g->micro, g->j->copies, dpus, options, &one.times, g->fault);
        rc = rc ? rc : keep(g, &one);
    }
    *times = before ? before->times : one.times;
    f->held = f->held || (!rc && times->held);
    return rc;
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

/* The rows of one run follow each other: it is made once. */
static int run_program(struct judging *g, const struct htmt__measured_row *r, int program)
{
    const struct htmt__pim_command with = {.program = htmt__pim_key(program),
                                           .machine = g->j->programs,
                                           .costs = HTMT__PIM_COSTS,
                                           .dpus = r->dpus,
                                           .size = r->words};
    struct htmt__pim_command without = with;
    without.costs = NULL;
    if (g->program == program && g->dpus == r->dpus && g->size == r->words)
        return 0;
    int rc = htmt__pim_run(g->prim, &with, &g->with, g->fault);
    if (!rc)
        rc = htmt__pim_run(g->prim, &without, &g->without, g->fault);
    g->program = rc ? -1 : program;
    g->dpus = r->dpus;
    g->size = r->words;
    return rc;
}

/* Where no row is of the time between DPUs, it is counted with the results. */
static double part_of(const struct htmt__pim_times *t, const struct htmt__measured_row *r)
{
    bool scan = !strncmp(r->program, "SCAN", 4);
    if (!strcmp(r->part, "kernel"))
        return t->kernel;
    if (!strcmp(r->part, "cpu-to-dpu"))
        return t->to_slices;
    if (!strcmp(r->part, "inter-dpu"))
        return t->between_slices;
    return t->from_slices + (scan ? 0 : t->between_slices);
}

static int judge_program(struct judging *g, struct htmt__pim_finding *f)
{
    const struct htmt__measured_row *r = f->row;
    int program = htmt__pim_program(r->program);
    bool kernel = !strcmp(r->part, "kernel");
    snprintf(f->group, sizeof f->group, "%s %s", r->server, kernel ? r->program : r->part);
    f->known = program >= 0;
    if (!f->known) {
        put_off(f, "the program is not modelled");
        return 0;
    }
    int rc = run_program(g, r, program);
    if (rc)
        return put_off_run(g, f, rc);
    f->held = g->with.held;
    compare(f, part_of(&g->with, r));
    if (!kernel)
        return 0;
    f->plain = g->without.kernel;
    f->plain_error = f->plain / r->seconds - 1;
    return 0;
}

/* ---- all ------------------------------------------------------------------------------------ */

static int judge_row(struct judging *g, struct htmt__pim_finding *f)
{
    switch (f->row->kind) {
    case HTMT__MEASURED_COPY:
        return judge_copy(g, f);
    case HTMT__MEASURED_HOST:
        return judge_host(g, f);
    case HTMT__MEASURED_PROGRAM:
        return judge_program(g, f);
    case HTMT__MEASURED_UNKNOWN:
        put_off(f, "unknown id");
        return 0;
    }
    return 0;
}

static int judge_rows(struct judging *g)
{
    struct htmt__pim_judgement *j = g->j;
    int rc = 0;
    j->finding = calloc(j->measured.count + 1, sizeof *j->finding);
    if (!j->finding)
        return htmt_fault_set(g->fault, HTMT_ENOMEM, "out of memory");
    for (unsigned i = 0; i < j->measured.count && !rc; i++) {
        struct htmt__pim_finding *f = &j->finding[j->count++];
        *f = (struct htmt__pim_finding){
            .row = &j->measured.row[i], .plain = (double)NAN, .plain_error = (double)NAN};
        rc = judge_row(g, f);
        j->unknown += f->row->kind == HTMT__MEASURED_UNKNOWN;
        j->not_modelled += f->row->kind != HTMT__MEASURED_UNKNOWN && !f->known;
        j->not_predicted += f->known && !f->judged;
    }
    return rc;
}

static int load(struct htmt__pim_judgement *j, const char *data, struct htmt_fault *fault)
{
    int rc = htmt__measured_load(data, &j->measured, fault);
    if (!rc)
        rc = htmt_machine_load(HTMT__PIM_COPIES_MACHINE, NULL, 0, &j->copies, fault);
    if (!rc)
        rc = htmt_machine_load(HTMT__PIM_PROGRAMS_MACHINE, NULL, 0, &j->programs, fault);
    if (!rc)
        rc = htmt_costs_load(HTMT__PIM_COSTS, "prim", htmt__pim_cost_rows, NULL, 0, &j->costs,
                             fault);
    if (rc || (htmt__machine_bank_host(j->copies) && htmt__machine_bank_host(j->programs)))
        return rc;
    return htmt_fault_set(fault, HTMT_EFORMAT, "%s and %s: expected machines with a host",
                          j->copies->name, j->programs->name);
}

int htmt__pim_judge(const char *data, const struct htmt_app *const *apps,
                    struct htmt__pim_judgement *j, struct htmt_fault *fault)
{
    struct judging g = {.j = j, .program = -1, .fault = fault};
    *j = (struct htmt__pim_judgement){0};
    int rc = load(j, data, fault);
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
