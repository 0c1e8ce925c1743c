/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows of a pipeline: the stages of a type, named as Figure 4 of Hereld et al. names them.
 */
#include "emul/view/picture/pipeline_rows.h"

#include "runtime/base/suggest.h"

#include <stdio.h>
#include <string.h>

#define TYPES_MAX 64 /* that a suggestion looks at */

/* Stages that every parcel passes at most once. */
static bool has_row(const struct htmt_trace_step *s)
{
    return *s->type && s->stage <= HTMT_PLACE && s->place <= HTMT_TRACE_ROOM;
}

/* ---- the type ------------------------------------------------------------------------------- */

static unsigned count_stages(const struct htmt_trace_info *info, const char *type)
{
    unsigned stages = 0;
    for (uint32_t i = 0; i < info->steps; i++)
        if (has_row(&info->step[i]) && !strcmp(info->step[i].type, type))
            stages |= 1u << info->step[i].stage;
    return (unsigned)__builtin_popcount(stages);
}

static const char *richest_type(const struct htmt_trace_info *info)
{
    const char *best = NULL;
    unsigned stages = 0;
    for (uint32_t i = 0; i < info->steps; i++) {
        unsigned n = count_stages(info, info->step[i].type);
        best = n > stages ? info->step[i].type : best;
        stages = n > stages ? n : stages;
    }
    return best;
}

static bool is_listed(const char *const *known, unsigned count, const char *type)
{
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(known[i], type))
            return true;
    return false;
}

static int refuse_type(const struct htmt_trace_info *info, const char *type,
                       struct htmt_fault *fault)
{
    const char *known[TYPES_MAX];
    char hint[400];
    unsigned count = 0;
    for (uint32_t i = 0; i < info->steps && count < TYPES_MAX; i++)
        if (has_row(&info->step[i]) && !is_listed(known, count, info->step[i].type))
            known[count++] = info->step[i].type;
    htmt__suggest(type, known, count, hint, sizeof hint);
    return htmt_fault_set(fault, HTMT_EUSAGE, "--type: found '%s', %s", type, hint);
}

static int choose_type(struct htmt__pipeline *p, const char *type, struct htmt_fault *fault)
{
    p->type = type ? NULL : richest_type(p->info);
    for (uint32_t i = 0; type && i < p->info->steps; i++)
        if (has_row(&p->info->step[i]) && !strcmp(p->info->step[i].type, type))
            p->type = p->info->step[i].type;
    if (p->type)
        return 0;
    if (type)
        return refuse_type(p->info, type, fault);
    return htmt_fault_set(fault, HTMT_EUSAGE, "the trace has no parcels, expected some");
}

/* ---- names ---------------------------------------------------------------------------------- */

/* The first step of the stage in that place; NULL: none. */
static const struct htmt_trace_step *
find_step(const struct htmt__pipeline *p, enum htmt_stage_id stage, enum htmt_trace_place place)
{
    for (uint32_t i = 0; i < p->info->steps; i++) {
        const struct htmt_trace_step *s = &p->info->step[i];
        if (s->stage == stage && s->place == place && s->resource < p->info->resources &&
            !strcmp(s->type, p->type))
            return s;
    }
    return NULL;
}

static const char *memory_of(const struct htmt_trace_info *info, uint32_t layer)
{
    return layer < info->layers ? info->layer[layer].memory : "?";
}

/* Where no channel in is modelled, words go one layer inwards, or come back outwards. */
static uint32_t target_of(const struct htmt__pipeline *p, enum htmt_stage_id stage, uint32_t from)
{
    const struct htmt_trace_step *in = find_step(p, stage, HTMT_TRACE_RECEIVED);
    if (in)
        return p->info->resource[in->resource].layer;
    return stage == HTMT_GATHER || stage == HTMT_INJECT ? from + 1 : from - 1;
}

static void name_move(const struct htmt__pipeline *p, const struct htmt_trace_step *sent,
                      struct htmt__pipeline_row *row)
{
    const struct htmt_trace_info *info = p->info;
    const struct htmt_trace_resource *out = &info->resource[sent->resource];
    uint32_t to = target_of(p, row->stage, out->layer);
    const char *network = out->network < info->networks ? info->network[out->network] : "?";
    row->moves = true;
    snprintf(row->name, sizeof row->name, "%.30s to %.30s (%.28s)", memory_of(info, out->layer),
             memory_of(info, to), network);
}

static void name_service(const struct htmt__pipeline *p, const struct htmt_trace_step *served,
                         struct htmt__pipeline_row *row)
{
    static const char *const noun[HTMT_STAGES] = {[HTMT_ASSEMBLE] = "Assembly",
                                                  [HTMT_DISPATCH] = "Dispatch",
                                                  [HTMT_EXECUTE] = "Execution",
                                                  [HTMT_RETIRE] = "Retirement",
                                                  [HTMT_PLACE] = "Placement"};
    const char *name = noun[row->stage] ? noun[row->stage] : htmt_stage_name(row->stage);
    snprintf(row->name, sizeof row->name, "%s (%.60s)", name,
             p->info->resource[served->resource].name);
}

static void name_row(const struct htmt__pipeline *p, struct htmt__pipeline_row *row)
{
    const struct htmt_trace_step *sent = find_step(p, row->stage, HTMT_TRACE_SENT);
    const struct htmt_trace_step *served = find_step(p, row->stage, HTMT_TRACE_SERVED);
    if (sent)
        name_move(p, sent, row);
    else if (served)
        name_service(p, served, row);
    else
        snprintf(row->name, sizeof row->name, "%s", htmt_stage_name(row->stage));
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void add_row(struct htmt__pipeline *p, enum htmt_stage_id stage, int *row_of)
{
    bool any = false;
    for (uint32_t i = 0; i < p->info->steps; i++) {
        const struct htmt_trace_step *s = &p->info->step[i];
        if (s->stage != stage || !has_row(s) || strcmp(s->type, p->type) != 0)
            continue;
        row_of[i] = (int)p->rows;
        any = true;
    }
    p->row[p->rows] = (struct htmt__pipeline_row){.stage = stage};
    if (any)
        name_row(p, &p->row[p->rows]);
    p->rows += any;
}

int htmt__pipeline_rows_find(struct htmt__pipeline *p, const char *type, int *row_of,
                             struct htmt_fault *fault)
{
    int rc = choose_type(p, type, fault);
    for (uint32_t i = 0; i < p->info->steps; i++)
        row_of[i] = -1;
    for (int stage = 0; !rc && stage <= (int)HTMT_PLACE; stage++)
        add_row(p, (enum htmt_stage_id)stage, row_of);
    return rc;
}
