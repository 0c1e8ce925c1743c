/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two reports of the same figures: tables for people, one JSON object for programs.
 */
#include "emul/lib/trace/path_report.h"

#include "emul/lib/report/report.h"
#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"
#include "runtime/base/jansson.h"

int htmt__path_report_make(struct htmt_trace *t, struct htmt__path_report *r,
                           struct htmt_fault *fault)
{
    struct htmt__trace_path path;
    *r = (struct htmt__path_report){.info = htmt_trace_info(t)};
    int rc = htmt__trace_path_find(t, &path, fault);
    if (!rc && (rc = htmt__trace_path_explain(r->info, &path, &r->path)))
        htmt_fault_set(fault, rc, "no host memory for the critical path");
    if (!rc)
        rc = htmt__gains_find(t, &path, &r->gains, fault);
    htmt__trace_path_clear(&path);
    return rc;
}

void htmt__path_report_clear(struct htmt__path_report *r)
{
    htmt_path_clear(&r->path);
    htmt__gains_clear(&r->gains);
}

/* ---- for people ------------------------------------------------------------------------------ */

static struct htmt__number share_of(const struct htmt__path_report *r, htmt_time time)
{
    return htmt__format_share(r->path.total ? (double)time / (double)r->path.total : 0);
}

/* The head: "work 1,000 + fill 20" without the causes of 0, and what is missing. */
static void print_head(const struct htmt__path_report *r, FILE *out)
{
    bool any = r->path.principal < r->info->resources;
    char line[600] = "0";
    size_t length = 0;
    htmt__report_line(out, "CRITICAL PATH (virtual clock; work is that of %s)",
                      any ? htmt__trace_resource_name(r->info, r->path.principal) : "nobody");
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

static int print_parts(const struct htmt__path_report *r, FILE *out)
{
    struct htmt__table table = {
        .columns = 7,
        .head = {"cause", "of", "went by in", "using", "intervals", "time", "share"},
        .left = 0xf};
    int rc = 0;
    for (uint32_t i = 0; i < r->path.count && !rc; i++) {
        const struct htmt_path_part *p = &r->path.part[i];
        char what[HTMT__TABLE_CELL], used[HTMT__TABLE_CELL];
        snprintf(what, sizeof what, "%s %s", p->type, htmt_stage_name(p->stage));
        snprintf(used, sizeof used, "%s%s%s",
                 p->place == HTMT_PATH_PAUSED ? HTMT__IN_PAUSE
                                              : htmt__trace_resource_name(r->info, p->resource),
                 p->inside ? ", " : "", p->inside ? p->inside : "");
        rc = htmt__table_row(
            &table, (const char *const[]){htmt_path_cause_name(p->cause),
                                          htmt__trace_cause_of(r->info, &r->path, p), what, used,
                                          htmt__format_count(p->count).s,
                                          htmt__format_fs(p->time).s, share_of(r, p->time).s});
    }
    if (!rc && table.rows)
        htmt__table_print(&table, out);
    htmt__table_clear(&table);
    return rc;
}

/* One table of each kind; space has no slack. */
static int print_gains(const struct htmt__path_report *r, enum htmt__gain_kind kind, FILE *out)
{
    struct htmt__table table = {.columns = kind == HTMT__GAIN_SPACE ? 5 : 8,
                                .head = {htmt__gain_kind_name(kind), "on path", "share",
                                         kind == HTMT__GAIN_SPACE ? "waits" : "intervals",
                                         "gain at most", "critical", "least", "median"},
                                .left = 0x1};
    int rc = 0;
    for (uint32_t i = 0; i < r->gains.count && !rc; i++) {
        const struct htmt__gain_row *g = &r->gains.row[i];
        if (g->kind == kind)
            rc = htmt__table_row(
                &table,
                (const char *const[]){g->name, htmt__format_fs(g->on_path).s,
                                      share_of(r, g->on_path).s, htmt__format_count(g->intervals).s,
                                      htmt__format_fs(g->gain).s, htmt__format_count(g->critical).s,
                                      htmt__format_fs(g->least).s, htmt__format_fs(g->median).s});
    }
    if (!rc && table.rows) {
        fputc('\n', out);
        htmt__table_print(&table, out);
    }
    htmt__table_clear(&table);
    return rc;
}

int htmt__path_report_print(const struct htmt__path_report *r, FILE *out)
{
    print_head(r, out);
    int rc = print_parts(r, out);
    if (rc)
        return rc;
    fputc('\n', out);
    htmt__report_line(out, "SLACK AND GAIN (virtual clock; by the recorded causes and lines)");
    htmt__report_item(out, "critical", "intervals without slack; least and median are of slack");
    htmt__report_item(out, "gain", "of the end if those services, or waits for space, were gone");
    if (r->gains.cut)
        htmt__report_item(out, "left out", "%s causes or lines, which do not fit the times",
                          htmt__format_count(r->gains.cut).s);
    for (unsigned kind = 0; kind < HTMT__GAIN_KINDS && !rc; kind++)
        rc = print_gains(r, (enum htmt__gain_kind)kind, out);
    return rc;
}

/* ---- for programs ---------------------------------------------------------------------------- */

static json_t *name_or_null(const struct htmt_trace_info *info, uint32_t resource)
{
    return resource < info->resources ? htmt__json_text(info->resource[resource].name)
                                      : json_null();
}

/* `made`: the list or object is complete. */
static json_t *whole(json_t *made, int rc)
{
    if (!rc)
        return made;
    json_decref(made);
    return NULL;
}

static json_t *parts_json(const struct htmt__path_report *r)
{
    json_t *list = json_array();
    int rc = list ? 0 : -1;
    for (uint32_t i = 0; i < r->path.count && !rc; i++) {
        const struct htmt_path_part *p = &r->path.part[i];
        const char *of = htmt__trace_cause_of(r->info, &r->path, p);
        rc = json_array_append_new(
            list,
            json_pack("{s:s, s:o, s:o, s:s, s:o, s:I, s:I}", "cause",
                      htmt_path_cause_name(p->cause), "of", *of ? htmt__json_text(of) : json_null(),
                      "type", htmt__json_text(p->type), "stage", htmt_stage_name(p->stage),
                      "resource", name_or_null(r->info, p->resource), "intervals",
                      (json_int_t)p->count, "time_fs", (json_int_t)p->time));
    }
    return whole(list, rc);
}

static json_t *gains_json(const struct htmt__path_report *r, enum htmt__gain_kind kind)
{
    json_t *list = json_array();
    int rc = list ? 0 : -1;
    for (uint32_t i = 0; i < r->gains.count && !rc; i++) {
        const struct htmt__gain_row *g = &r->gains.row[i];
        if (g->kind != kind)
            continue;
        json_t *o = json_pack("{s:o, s:I, s:I, s:I}", "name", htmt__json_text(g->name),
                              "on_path_fs", (json_int_t)g->on_path, "intervals",
                              (json_int_t)g->intervals, "gain_fs", (json_int_t)g->gain);
        if (kind != HTMT__GAIN_SPACE)
            rc = json_object_update_new(o, json_pack("{s:I, s:I, s:I}", "critical",
                                                     (json_int_t)g->critical, "least_slack_fs",
                                                     (json_int_t)g->least, "median_slack_fs",
                                                     (json_int_t)g->median));
        rc = json_array_append_new(list, whole(o, rc));
    }
    return whole(list, rc);
}

json_t *htmt__path_report_json(const struct htmt__path_report *r)
{
    const struct htmt_trace_info *info = r->info;
    json_t *sums = json_object();
    int rc = sums ? 0 : -1;
    for (unsigned i = 0; i < HTMT_PATH_CAUSES && !rc; i++)
        if (i != HTMT_PATH_BLOCKED || htmt_path_sum(&r->path, HTMT_PATH_BLOCKED))
            rc =
                json_object_set_new(sums, htmt_path_cause_name((enum htmt_path_cause)i),
                                    json_integer(htmt_path_sum(&r->path, (enum htmt_path_cause)i)));
    return json_pack(
        "{s:o, s:o, s:s, s:b, s:o, s:b, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:I}", "app",
        htmt__json_text(info->app), "machine", htmt__json_text(info->machine), "mode", info->mode,
        "complete", info->complete, "fault",
        info->fault ? htmt__json_text(info->fault) : json_null(), "filtered", info->filtered,
        "intervals", (json_int_t)info->intervals, "predicted_fs", (json_int_t)r->path.total,
        "pieces", (json_int_t)r->path.length, "principal", name_or_null(info, r->path.principal),
        "sums_fs", whole(sums, rc), "path", parts_json(r), "resources",
        gains_json(r, HTMT__GAIN_RESOURCE), "memories", gains_json(r, HTMT__GAIN_SPACE), "types",
        gains_json(r, HTMT__GAIN_TYPE), "references_left_out", (json_int_t)r->gains.cut);
}
