/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What an element costs: typed operations by the machine's table of instructions, or two constants
 * of a cost file, which replace them: instructions an element, and the start of a launch.
 */
#include "layers/file/costs.h"
#include "apps/lib/request.h"
#include "apps/prim/plan.h"

#include <stdio.h>

#define CONSTANTS(program)                                                                         \
    {.key = program ".instructions", .kind = HTMT_UNIT_SHARE, .least = 0, .above_least = true},    \
    {                                                                                              \
        .key = program ".start", .kind = HTMT_UNIT_TIME                                            \
    }

static const struct htmt_schema_row keys[] = {
    CONSTANTS("va"),       CONSTANTS("gemv"),  CONSTANTS("red"),
    CONSTANTS("sel"),      CONSTANTS("uni"),   CONSTANTS("scan-ssa"),
    CONSTANTS("scan-rss"), CONSTANTS("hst-s"), {.key = NULL}};

static int read_file(struct htmt_task *task, const char *name, struct htmt__prim_plan *p)
{
    const struct htmt_request *r = htmt_task_request(task);
    struct htmt_costs *c = NULL;
    char key[64];
    unsigned count;
    const char *const *set = htmt_request_cost_set(r, &count);
    int rc = htmt_costs_load(name, "prim", keys, set, count, &c, htmt_task_fault(task));
    if (rc)
        return rc;
    snprintf(key, sizeof key, "%s.instructions", p->program->name);
    p->constant = htmt_costs_ratio(c, key);
    snprintf(key, sizeof key, "%s.start", p->program->name);
    p->start = (htmt_time)htmt_costs_whole(c, key);
    htmt_costs_destroy(&c);
    return 0;
}

int htmt__prim_costs(struct htmt_task *task, struct htmt__prim_plan *p)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    const char *file = htmt_request_costs(htmt_task_request(task));
    p->counts = !p->hosted;
    if (file)
        return read_file(task, file, p);
    /* An operation whose row is missing would cost nothing: it is refused. */
    for (unsigned i = 0; p->hosted && i < p->program->passes; i++)
        for (unsigned k = 0; k < HTMT__PRIM_OPS && p->program->pass[i].op[k]; k++)
            if (htmt_machine_instructions(m, p->program->pass[i].op[k], &p->typed[i][k]))
                return htmt_task_refuse(task, HTMT_EUSAGE,
                                        "machine %s: found no row '%s' in its table of "
                                        "instructions, which %s needs",
                                        m->name, p->program->pass[i].op[k], p->program->name);
    return 0;
}

bool htmt__prim_constant(const struct htmt__prim_plan *p)
{
    return p->constant.den > 0;
}

/* To the nearest whole one, of all elements together: a row of 29.1 instructions counts 29 for one
 * element and 3725 for 128. */
static uint64_t times(struct htmt_ratio each, uint64_t n)
{
    htmt_time all = htmt_charge_time(each, n);
    return all > 0 ? (uint64_t)all : 0;
}

uint64_t htmt__prim_instructions(const struct htmt__prim_plan *p, unsigned pass, uint64_t count)
{
    const struct htmt__prim_pass *g = &p->program->pass[pass];
    uint64_t sum = 0;
    if (htmt__prim_constant(p))
        return times(p->constant, count * g->share) / g->shares;
    for (unsigned i = 0; i < HTMT__PRIM_OPS && g->op[i]; i++)
        sum += times(p->typed[pass][i], count);
    return sum;
}

uint64_t htmt__prim_finish_instructions(const struct htmt__prim_plan *p, unsigned pass)
{
    if (htmt__prim_constant(p) || !p->program->pass[pass].finish)
        return 0;
    return 3 * (uint64_t)(p->program->result_bytes / p->program->bytes) * p->tasklets;
}
