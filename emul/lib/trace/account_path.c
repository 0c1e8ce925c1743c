/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/trace/account_parts.h"
#include "emul/lib/trace/path.h"

#include <stdio.h>
#include <stdlib.h>

static const char *resource_name(const struct htmt_trace_info *info, uint32_t resource)
{
    return resource < info->resources ? info->resource[resource].name : "in flight";
}

/* What the cause is of: a resource, a memory, or nothing. */
static const char *name_of(const struct htmt_trace_info *info, const struct htmt_path *path,
                           const struct htmt_path_part *p)
{
    if (p->cause == HTMT_PATH_STALL && p->of < info->layers)
        return info->layer[p->of].memory;
    if (p->cause == HTMT_PATH_QUEUE)
        return resource_name(info, p->of);
    return p->cause == HTMT_PATH_WORK ? resource_name(info, path->principal) : "";
}

static void take_part(const struct htmt_trace_info *info, const struct htmt_path *path,
                      const struct htmt_path_part *from, struct htmt__cause *to)
{
    to->cause = htmt_path_cause_name(from->cause);
    snprintf(to->of, sizeof to->of, "%s", name_of(info, path, from));
    snprintf(to->type, sizeof to->type, "%s", from->type);
    to->stage = htmt_stage_name(from->stage);
    snprintf(to->used, sizeof to->used, "%s", resource_name(info, from->resource));
    to->intervals = from->count;
    to->time = from->time;
}

static int take_path(const struct htmt_trace_info *info, const struct htmt_path *path,
                     struct htmt__explanation *x)
{
    x->cause = calloc(path->count + 1u, sizeof *x->cause);
    if (!x->cause)
        return HTMT_ENOMEM;
    x->made = true;
    x->predicted = path->total;
    x->intervals = path->length;
    x->count = path->count;
    for (unsigned i = 0; i < HTMT_PATH_CAUSES; i++)
        x->sum[i] = htmt_path_sum(path, (enum htmt_path_cause)i);
    if (path->principal < info->resources)
        snprintf(x->principal, sizeof x->principal, "%s", info->resource[path->principal].name);
    for (uint32_t i = 0; i < path->count; i++)
        take_part(info, path, &path->part[i], &x->cause[i]);
    return 0;
}

int htmt__account_path(struct htmt_trace *t, struct htmt__explanation *x, struct htmt_fault *fault)
{
    const struct htmt_trace_info *info = htmt_trace_info(t);
    struct htmt__trace_path found = {0};
    struct htmt_path path = {0};
    *x = (struct htmt__explanation){0};
    int rc = htmt__trace_path_find(t, &found, fault);
    if (!rc) {
        rc = htmt__trace_path_explain(info, &found, &path);
        if (!rc)
            rc = take_path(info, &path, x);
        if (rc)
            htmt_fault_set(fault, rc, "no host memory for the critical path");
    }
    htmt_path_clear(&path);
    htmt__trace_path_clear(&found);
    return rc;
}
