/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/trace/path_report.h"

#include "emul/lib/report/report.h"
#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"
#include "runtime/base/json_text.h"

#include <stdarg.h>
#include <string.h>

int htmt__path_report_make(struct htmt_trace *t, struct htmt__path_report *r,
                           struct htmt_fault *fault)
{
    struct htmt__trace_path path;
    *r = (struct htmt__path_report){.info = htmt_trace_info(t)};
    int rc = htmt__trace_path_find(t, &path, fault);
    if (!rc && (rc = htmt__trace_path_explain(r->info, &path, &r->path)))
        htmt_fault_set(fault, rc, "no host memory for the critical path");
    if (!rc)
        rc = htmt__shares_find(t, &path, &r->shares, fault);
    htmt__trace_path_clear(&path);
    return rc;
}

void htmt__path_report_clear(struct htmt__path_report *r)
{
    htmt_path_clear(&r->path);
    htmt__shares_clear(&r->shares);
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *resource_name(const struct htmt_trace_info *info, uint32_t resource)
{
    return resource < info->resources ? info->resource[resource].name : "in flight";
}

/* What the cause is of: a resource, or a memory. */
static const char *cause_of(const struct htmt__path_report *r, const struct htmt_path_part *p)
{
    return p->cause == HTMT_PATH_STALL   ? r->info->layer[p->of].memory
           : p->cause == HTMT_PATH_QUEUE ? r->info->resource[p->of].name
           : p->cause == HTMT_PATH_WORK  ? resource_name(r->info, r->path.principal)
                                         : "";
}

/* ---- for people ------------------------------------------------------------------------------ */

static double share_of(const struct htmt__path_report *r, htmt_time time)
{
    return r->path.total ? (double)time / (double)r->path.total : 0;
}

static int add_part(struct htmt__table *table, const struct htmt__path_report *r,
                    const struct htmt_path_part *p)
{
    char what[HTMT__TABLE_CELL];
    snprintf(what, sizeof what, "%s %s", p->type, htmt_stage_name(p->stage));
    return htmt__table_row(
        table, (const char *const[]){htmt_path_cause_name(p->cause), cause_of(r, p), what,
                                     resource_name(r->info, p->resource),
                                     htmt__format_count(p->count).s, htmt__format_fs(p->time).s,
                                     htmt__format_share(share_of(r, p->time)).s});
}

static int print_parts(const struct htmt__path_report *r, FILE *out)
{
    struct htmt__table table = {
        .columns = 7,
        .head = {"cause", "of", "went by in", "using", "intervals", "time", "share"},
        .left = 0xf};
    int rc = 0;
    for (uint32_t i = 0; i < r->path.count && !rc; i++)
        rc = add_part(&table, r, &r->path.part[i]);
    if (!rc && table.rows)
        htmt__table_print(&table, out);
    htmt__table_clear(&table);
    return rc;
}

/* "work 1,000 + fill 20", causes of 0 left out. */
static void print_sums(const struct htmt__path_report *r, FILE *out)
{
    char line[600] = "0";
    size_t length = 0;
    for (unsigned i = 0; i < HTMT_PATH_CAUSES; i++) {
        htmt_time sum = htmt_path_sum(&r->path, (enum htmt_path_cause)i);
        if (!sum)
            continue;
        int n = snprintf(line + length, sizeof line - length, "%s%s %s", length ? " + " : "",
                         htmt_path_cause_name((enum htmt_path_cause)i),
                         htmt__format_count((uint64_t)sum).s);
        length += n > 0 && (size_t)n < sizeof line - length ? (size_t)n : 0;
    }
    htmt__report_item(out, "time", "%s fs = %s", htmt__format_count((uint64_t)r->path.total).s,
                      line);
    if (r->info->fault)
        htmt__report_item(out, "run", "INCOMPLETE: %s", r->info->fault);
    if (r->info->filtered)
        htmt__report_item(out, "trace", "FILTERED: intervals were left out, so causes are missing");
}

static int add_share(struct htmt__table *table, const struct htmt__path_report *r,
                     const struct htmt__share *s)
{
    return htmt__table_row(
        table, (const char *const[]){s->name, htmt__format_fs(s->on_path).s,
                                     htmt__format_share(share_of(r, s->on_path)).s,
                                     htmt__format_count(s->intervals).s, htmt__format_fs(s->gain).s,
                                     htmt__format_count(s->critical).s, htmt__format_fs(s->least).s,
                                     htmt__format_fs(s->median).s});
}

/* One table of each kind; space has no slack. */
static int print_shares(const struct htmt__path_report *r, enum htmt__share_kind kind, FILE *out)
{
    struct htmt__table table = {.columns = kind == HTMT__SHARE_SPACE ? 5 : 8,
                                .head = {htmt__share_kind_name(kind), "on path", "share",
                                         kind == HTMT__SHARE_SPACE ? "waits" : "intervals",
                                         "gain at most", "critical", "least", "median"},
                                .left = 0x1};
    int rc = 0;
    for (uint32_t i = 0; i < r->shares.count && !rc; i++)
        if (r->shares.share[i].kind == kind)
            rc = add_share(&table, r, &r->shares.share[i]);
    if (!rc && table.rows) {
        fputc('\n', out);
        htmt__table_print(&table, out);
    }
    htmt__table_clear(&table);
    return rc;
}

int htmt__path_report_print(const struct htmt__path_report *r, FILE *out)
{
    bool any = r->path.principal < r->info->resources;
    htmt__report_line(out, "CRITICAL PATH (virtual clock; work is that of %s)",
                      any ? resource_name(r->info, r->path.principal) : "nobody");
    print_sums(r, out);
    int rc = print_parts(r, out);
    if (rc)
        return rc;
    fputc('\n', out);
    htmt__report_line(out, "SLACK AND GAIN (virtual clock; by the recorded causes and lines)");
    htmt__report_item(out, "critical", "intervals without slack; least and median are of slack");
    htmt__report_item(out, "gain", "of the end if those services, or waits for space, were gone");
    if (r->shares.cut)
        htmt__report_item(out, "left out", "%s causes or lines, which do not fit the times",
                          htmt__format_count(r->shares.cut).s);
    for (unsigned kind = 0; kind < HTMT__SHARE_KINDS && !rc; kind++)
        rc = print_shares(r, (enum htmt__share_kind)kind, out);
    return rc;
}

/* ---- for programs ---------------------------------------------------------------------------- */

static json_t *name_or_null(const char *name)
{
    return *name ? htmt__json_text(name) : json_null();
}

static json_t *part_json(const struct htmt__path_report *r, const struct htmt_path_part *p)
{
    bool used = p->resource < r->info->resources;
    return json_pack("{s:s, s:o, s:o, s:s, s:o, s:I, s:I}", "cause", htmt_path_cause_name(p->cause),
                     "of", name_or_null(cause_of(r, p)), "type", htmt__json_text(p->type), "stage",
                     htmt_stage_name(p->stage), "resource",
                     used ? htmt__json_text(resource_name(r->info, p->resource)) : json_null(),
                     "intervals", (json_int_t)p->count, "time_fs", (json_int_t)p->time);
}

static json_t *parts_json(const struct htmt__path_report *r)
{
    json_t *list = json_array();
    int rc = list ? 0 : -1;
    for (uint32_t i = 0; i < r->path.count && !rc; i++)
        rc = json_array_append_new(list, part_json(r, &r->path.part[i]));
    if (!rc)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *share_json(const struct htmt__share *s)
{
    json_t *o = json_pack("{s:o, s:I, s:I, s:I}", "name", htmt__json_text(s->name), "on_path_fs",
                          (json_int_t)s->on_path, "intervals", (json_int_t)s->intervals, "gain_fs",
                          (json_int_t)s->gain);
    if (o && s->kind != HTMT__SHARE_SPACE &&
        json_object_update_new(o, json_pack("{s:I, s:I, s:I}", "critical", (json_int_t)s->critical,
                                            "least_slack_fs", (json_int_t)s->least,
                                            "median_slack_fs", (json_int_t)s->median))) {
        json_decref(o);
        return NULL;
    }
    return o;
}

static json_t *shares_json(const struct htmt__path_report *r, enum htmt__share_kind kind)
{
    json_t *list = json_array();
    int rc = list ? 0 : -1;
    for (uint32_t i = 0; i < r->shares.count && !rc; i++)
        if (r->shares.share[i].kind == kind)
            rc = json_array_append_new(list, share_json(&r->shares.share[i]));
    if (!rc)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *sums_json(const struct htmt__path_report *r)
{
    json_t *sums = json_object();
    int rc = sums ? 0 : -1;
    for (unsigned i = 0; i < HTMT_PATH_CAUSES && !rc; i++)
        if (i != HTMT_PATH_BLOCKED) /* a trace knows ports apart */
            rc =
                json_object_set_new(sums, htmt_path_cause_name((enum htmt_path_cause)i),
                                    json_integer(htmt_path_sum(&r->path, (enum htmt_path_cause)i)));
    if (!rc)
        return sums;
    json_decref(sums);
    return NULL;
}

json_t *htmt__path_report_json(const struct htmt__path_report *r)
{
    const struct htmt_trace_info *info = r->info;
    bool any = r->path.principal < info->resources;
    return json_pack(
        "{s:o, s:o, s:s, s:b, s:o, s:b, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:I}", "app",
        htmt__json_text(info->app), "machine", htmt__json_text(info->machine), "mode", info->mode,
        "complete", info->complete, "fault",
        info->fault ? htmt__json_text(info->fault) : json_null(), "filtered", info->filtered,
        "intervals", (json_int_t)info->intervals, "predicted_fs", (json_int_t)r->path.total,
        "pieces", (json_int_t)r->path.length, "principal",
        any ? htmt__json_text(resource_name(info, r->path.principal)) : json_null(), "sums_fs",
        sums_json(r), "path", parts_json(r), "resources", shares_json(r, HTMT__SHARE_RESOURCE),
        "memories", shares_json(r, HTMT__SHARE_SPACE), "types", shares_json(r, HTMT__SHARE_TYPE),
        "references_left_out", (json_int_t)r->shares.cut);
}
