/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bounds for programs: CSV and JSON.
 */
#include "emul/loops/bound/doubts.h"
#include "emul/loops/bound/report.h"

#include "runtime/base/csv_cell.h"
#include "runtime/base/whole_file.h"

#include <inttypes.h>
#include <math.h>

static const char *digits(htmt_wide value, char text[static 48])
{
    htmt__nest_digits(value, text);
    return text;
}

/* ---- CSV ---------------------------------------------------------------------------------------
 */

static void put_loop(const struct htmt__bounds *b, const struct htmt__bound_loop *loop, FILE *out)
{
    const bool timed = loop->links && htmt__bound_times_link(&b->rates->link[0]);
    const struct htmt__nest_plan *plan = loop->run->plan;
    htmt_wide unit = (htmt_wide)plan->unit;
    char text[6][48];
    htmt__csv_put(out, loop->run->name, false);
    fprintf(out, ",%" PRIu64 ",%s,%s", loop->run->nests == 1 ? plan->nest->source_line : 0,
            digits(loop->run->times, text[0]), digits(loop->cells, text[1]));
    for (int c = 0; c < HTMT__NEST_CLASSES; c++)
        fprintf(out, ",%.17g", htmt__nest_value(plan->ops[c]));
    fprintf(out, ",%.17g,%.17g,%" PRIu64 ",%s,%s", htmt__nest_value(plan->loads),
            htmt__nest_value(plan->stores), plan->distinct_reads,
            digits(loop->working.words * unit, text[2]), digits(loop->full * unit, text[3]));
    fprintf(out, ",%.17g,%s,%.17g,%.17g,%s,%s,%s,%s,%s",
            loop->cells ? (double)loop->traffic[0].bytes / 8 / (double)loop->cells : 0,
            digits(loop->traffic[0].bytes, text[4]), htmt__nest_value(loop->work),
            htmt__bound_ratio(loop->traffic[0].bytes, loop->work),
            digits(loop->compute_fs, text[5]), timed ? digits(loop->traffic[0].fs, text[0]) : "",
            digits(loop->fs, text[1]), digits(loop->traffic[0].total, text[2]),
            digits(loop->traffic[0].most, text[3]));
    if (htmt__bound_times_references(b->rates))
        fprintf(out, ",%s", digits(loop->references_fs, text[0]));
    for (unsigned i = 1; i < loop->links; i++) {
        const struct htmt__bound_traffic *t = &loop->traffic[i];
        fprintf(out, ",%s,%s,%s", digits(t->read * unit, text[0]),
                digits(t->written * unit, text[1]),
                htmt__bound_times_link(&b->rates->link[i]) ? digits(t->fs, text[2]) : "");
    }
    fputc('\n', out);
}

int htmt__bound_csv(const struct htmt__bound_report *report, const char *path,
                    struct htmt_fault *fault)
{
    struct htmt_whole_file *file = NULL;
    int rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    FILE *out = htmt_whole_file_stream(file);
    fprintf(out, "loop,line,times,cells,add,mul,div,iop,function,loads,stores,distinct_reads,"
                 "working_set_bytes,full_reuse_bytes,words_a_cell,traffic_bytes,weighted_flop,"
                 "bytes_a_flop,compute_fs,memory_fs,bound_fs,all_bytes_low,all_bytes_high");
    const struct htmt__bound_rates *rates = report->bound->rates;
    if (htmt__bound_times_references(rates))
        fprintf(out, ",registers_fs");
    for (unsigned i = 1; i < rates->links; i++)
        fprintf(out, ",%s_to_%s_bytes,%s_to_%s_bytes,%s_%s_fs", rates->link[i].outer,
                rates->link[i].inner, rates->link[i].inner, rates->link[i].outer,
                rates->link[i].outer, rates->link[i].inner);
    fputc('\n', out);
    for (unsigned i = 0; i < report->bound->loops; i++)
        put_loop(report->bound, &report->bound->loop[i], out);
    return htmt_whole_file_commit(&file, fault);
}

/* ---- JSON --------------------------------------------------------------------------------------
 */

/* Numbers beyond 63 bits as reals. */
static json_t *wide(htmt_wide value)
{
    bool fits = value <= INT64_MAX && value >= INT64_MIN;
    return fits ? json_integer((json_int_t)value) : json_real((double)value);
}

/* null: the machine file does not tell it. */
static json_t *time_or_null(bool timed, htmt_wide fs)
{
    return timed ? wide(fs) : json_null();
}

static json_t *number(struct htmt__nest_number n)
{
    return n.den == 1 ? wide(n.num) : json_real(htmt__nest_value(n));
}

static json_t *operations(const struct htmt__nest_plan *plan)
{
    return json_pack(
        "{so so so so so so so sI sI}", "add", number(plan->ops[HTMT__NEST_ADD]), "mul",
        number(plan->ops[HTMT__NEST_MUL]), "div", number(plan->ops[HTMT__NEST_DIV]), "function",
        number(plan->ops[HTMT__NEST_FUNCTION]), "iop", number(plan->ops[HTMT__NEST_IOP]), "loads",
        number(plan->loads), "stores", number(plan->stores), "distinct_reads",
        (json_int_t)plan->distinct_reads, "distinct_writes", (json_int_t)plan->distinct_writes);
}

static json_t *traffic(const struct htmt__bounds *b, const struct htmt__bound_loop *loop)
{
    json_t *all = json_array();
    for (unsigned i = 0; i < loop->links; i++) {
        const struct htmt__bound_traffic *t = &loop->traffic[i];
        const bool timed = htmt__bound_times_link(&b->rates->link[i]);
        htmt_wide unit = (htmt_wide)loop->run->plan->unit;
        json_array_append_new(all, json_pack("{ss ss so so so so so so}", "from",
                                             b->rates->link[i].outer, "to", b->rates->link[i].inner,
                                             "read_bytes", wide(t->read * unit), "written_bytes",
                                             wide(t->written * unit), "bytes", wide(t->bytes),
                                             "time_fs", time_or_null(timed, t->fs), "all_bytes_low",
                                             wide(t->total), "all_bytes_high", wide(t->most)));
    }
    return all;
}

static json_t *blocks(const struct htmt__bound_loop *loop)
{
    json_t *all = json_array();
    for (unsigned l = loop->run->plan->depth; l-- > 0;)
        json_array_append_new(all, json_integer(loop->block[l]));
    return all;
}

static json_t *loop_object(const struct htmt__bounds *b, const struct htmt__bound_loop *loop)
{
    htmt_wide unit = (htmt_wide)loop->run->plan->unit;
    json_t *all = json_pack(
        "{ss sI so so so so ss so so so so so so so so so s{sI sI so so so}}", "name",
        loop->run->name, "line",
        (json_int_t)(loop->run->nests == 1 ? loop->run->plan->nest->source_line : 0), "times",
        wide(loop->run->times), "cells", wide(loop->cells), "block", blocks(loop), "operations",
        operations(loop->run->plan), "level", htmt__bound_level(loop), "working_set_bytes",
        wide(loop->working.words * unit), "local_store_bytes", wide(loop->working.store * unit),
        "full_reuse_bytes", wide(loop->full * unit), "traffic", traffic(b, loop), "words_a_cell",
        json_real(loop->cells && loop->links
                      ? (double)loop->traffic[0].bytes / 8 / (double)loop->cells
                      : 0),
        "weighted_flop", number(loop->work), "bytes_a_flop",
        json_real(htmt__bound_ratio(loop->traffic[0].bytes, loop->work)), "compute_fs",
        wide(loop->compute_fs), "bound_fs", wide(loop->fs), "state", "integer",
        (json_int_t)loop->integers, "real", (json_int_t)loop->reals, "in_registers",
        number(loop->hits), "spilled", number(loop->spills), "streamed", number(loop->streamed));
    if (htmt__bound_times_references(b->rates))
        json_object_set_new(all, "registers_fs", wide(loop->references_fs));
    return all;
}

static json_t *loops(const struct htmt__bounds *b)
{
    json_t *all = json_array();
    for (unsigned i = 0; i < b->loops; i++)
        json_array_append_new(all, loop_object(b, &b->loop[i]));
    return all;
}

static json_t *marks(const struct htmt__nest_occupancy *o, const struct htmt__nest_row *row)
{
    json_t *all = json_array();
    for (unsigned i = 0; i < o->runs; i++)
        json_array_append_new(all, json_string(htmt__nest_mark_name(row->mark[i])));
    return all;
}

static json_t *array_rows(const struct htmt__bound_report *r)
{
    json_t *all = json_array();
    for (unsigned i = 0; i < r->occupancy->rows; i++) {
        const struct htmt__nest_row *row = &r->occupancy->row[i];
        double ratio = htmt__bound_read_ratio(r, row);
        char name[100];
        htmt__bound_row_name(r, row, name, sizeof name);
        json_array_append_new(
            all, json_pack("{ss so so so so so so so sf}", "name", name, "copies", wide(row->count),
                           "bytes", wide(htmt__bound_row_bytes(r, row)), "marks",
                           marks(r->occupancy, row), "reads", wide(row->reads), "writes",
                           wide(row->writes), "live", wide(row->live), "read_write_ratio",
                           isinf(ratio) ? json_null() : json_real(ratio), "write_rate",
                           htmt__bound_write_rate(r, row)));
    }
    return all;
}

static json_t *resident(const struct htmt__nest_occupancy *o)
{
    json_t *all = json_array();
    for (unsigned i = 0; i < o->runs; i++)
        json_array_append_new(all, wide(o->resident[i]));
    return all;
}

static json_t *skipped(const struct htmt__nest_file *f)
{
    json_t *all = json_array();
    for (unsigned i = 0; i < f->skips; i++)
        json_array_append_new(all, json_pack("{ss sI sI ss}", "file", f->skipped[i].source, "line",
                                             (json_int_t)f->skipped[i].line, "column",
                                             (json_int_t)f->skipped[i].column, "why",
                                             f->skipped[i].why));
    return all;
}

static json_t *notes(const struct htmt__bounds *b)
{
    struct htmt__bound_doubts doubts;
    json_t *all = htmt__bound_doubts(b, &doubts) ? NULL : json_array();
    for (unsigned i = 0; all && i < doubts.count; i++)
        json_array_append_new(all, json_string(doubts.text[i]));
    return all;
}

json_t *htmt__bound_json(const struct htmt__bound_report *report)
{
    static const char *const hidings[] = {[HTMT__BOUND_HIDES_LAMBDA] = "lambda",
                                          [HTMT__BOUND_HIDES_ALL] = "all",
                                          [HTMT__BOUND_HIDES_OPERATIONS] = "operations",
                                          [HTMT__BOUND_HIDES_NONE] = "none"};
    const struct htmt__bounds *b = report->bound;
    json_t *all = json_pack(
        "{ss ss ss ss so so so so so so so so so so so so so so sb}", "schema", "htmt-bound-1",
        "nests", report->path, "machine", b->rates->machine->name, "order",
        b->request.order == HTMT__BOUND_BLOCKS ? "blocks" : "loops", "loops", loops(b), "arrays",
        array_rows(report), "resident", resident(report->occupancy), "bound_fs", wide(b->fs),
        "traffic_bytes", wide(b->bytes), "traffic_bytes_high", wide(b->most), "weighted_flop",
        number(b->work), "bytes_a_flop", json_real(htmt__bound_ratio(b->bytes, b->work)),
        "message_bytes", wide(b->ghosts.bytes), "message_fs",
        time_or_null(!b->program->exchanges || htmt__bound_times_messages(b->rates), b->ghosts.fs),
        "array_bytes", wide(b->arrays), "buffer_bytes", wide(b->buffers), "skipped",
        skipped(b->program->file), "notes", notes(b), "whole_program", b->whole);
    if (b->request.hiding != HTMT__BOUND_HIDES_LAMBDA)
        json_object_set_new(all, "overlap", json_string(hidings[b->request.hiding]));
    return all;
}
