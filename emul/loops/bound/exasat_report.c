/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bounds by the rule of the ExaSAT sheets for people, as CSV and as JSON. Columns follow the
 * sheets: operations of a cell, arrays, working sets that keep planes, pencils (rows) and cells,
 * the one that counts, traffic, bytes a flop, time.
 */
#include "emul/loops/bound/exasat.h"

#include "emul/lib/text/disturbed.h"
#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"
#include "runtime/base/csv_cell.h"
#include "runtime/base/whole_file.h"

#include <inttypes.h>

#define KIB 1024.0
#define GIB 0x1p30

struct cell {
    char s[64];
};

static struct cell real(double value)
{
    struct cell c;
    snprintf(c.s, sizeof c.s, "%.7g", value);
    return c;
}

static struct cell whole(htmt_wide value)
{
    struct cell c;
    htmt__nest_digits(value, c.s);
    return c;
}

static struct cell kib(htmt_wide bytes)
{
    return real((double)bytes / KIB);
}

/* 0: the loop has no flop. */
static double ratio(const struct htmt__exasat_bound *b)
{
    return b->work.num ? htmt__nest_value(b->bytes) / htmt__nest_value(b->work) : 0;
}

static uint64_t line_of(const struct htmt__exasat_loop *loop)
{
    return loop->run->nests == 1 ? loop->run->plan->nest->source_line : 0;
}

static double operations(const struct htmt__exasat_loop *loop, enum htmt__nest_class class)
{
    return htmt__nest_value(loop->run->plan->ops[class]);
}

/* Block of an axis in cells. */
static htmt_wide block_of(const struct htmt__exasat_report *r, int axis)
{
    return r->request->block[axis] ? r->request->block[axis] : r->rule->box[axis];
}

/* ---- text --------------------------------------------------------------------------------------
 */

static void print_head(const struct htmt__exasat_report *r, FILE *out)
{
    const struct htmt__exasat_request *q = r->request;
    const double flops = 1e15 / htmt_ratio_value(q->flop) * (double)q->processors;
    struct htmt__disturbed disturbed;
    htmt__disturbed_find(r->rates->machine, true, &disturbed);
    htmt__disturbed_print(&disturbed, out);
    fprintf(out, "bounds of %s on %s by the rule of the ExaSAT sheets\n", r->path,
            r->rates->machine->name);
    if (*r->rule->program->file->about)
        fprintf(out, "  about         %s\n", r->rule->program->file->about);
    fprintf(out, "  threads       %" PRIu64 " of layer %s, %s; a division is worth %s flop, ",
            q->processors, r->rates->layer, htmt__format_si(flops, "flop/s").s,
            real(htmt__nest_value(q->divide)).s);
    fprintf(out, "a function %s\n", real(htmt__nest_value(q->function)).s);
    fprintf(out, "  cache         %s kB of a group, lines of %s B; words at %s\n", kib(q->cache).s,
            whole(q->line * HTMT_WORD).s,
            q->word.num ? htmt__format_si(8e15 / htmt_ratio_value(q->word), "B/s").s
                        : "a rate that is not modelled");
    fprintf(out, "  blocks        %s x %s x %s of", whole(block_of(r, 0)).s,
            whole(block_of(r, 1)).s, whole(block_of(r, 2)).s);
    fprintf(out, " %s x %s x %s cells\n", whole(r->rule->box[0]).s, whole(r->rule->box[1]).s,
            whole(r->rule->box[2]).s);
}

static int print_operations(const struct htmt__exasat_report *r, FILE *out)
{
    struct htmt__table t = {.columns = 11,
                            .head = {"a cell of", "line", "cells", "add", "mul", "div", "function",
                                     "state", "read", "written", "read, written"},
                            .left = 1};
    int rc = 0;
    for (unsigned i = 0; i < r->rule->loops && !rc; i++) {
        const struct htmt__exasat_loop *loop = &r->rule->loop[i];
        char line[24] = "-", state[24];
        if (line_of(loop))
            snprintf(line, sizeof line, "%" PRIu64, line_of(loop));
        snprintf(state, sizeof state, "%" PRIu64, loop->reals);
        rc = htmt__table_row(
            &t, (const char *const[]){loop->run->name, line, whole(loop->run->plan->count).s,
                                      real(operations(loop, HTMT__NEST_ADD)).s,
                                      real(operations(loop, HTMT__NEST_MUL)).s,
                                      real(operations(loop, HTMT__NEST_DIV)).s,
                                      real(operations(loop, HTMT__NEST_FUNCTION)).s, state,
                                      whole(loop->arrays[HTMT__EXASAT_READ]).s,
                                      whole(loop->arrays[HTMT__EXASAT_WRITE]).s,
                                      whole(loop->arrays[HTMT__EXASAT_READ_WRITE]).s});
    }
    fputc('\n', out);
    htmt__table_print(&t, out);
    htmt__table_clear(&t);
    return rc;
}

/* What must stay for planes, pencils and cells; the set that counts, and what then is kept. */
static int print_sets(const struct htmt__exasat_report *r, FILE *out)
{
    struct htmt__table t = {
        .columns = 6,
        .head = {"set of", "plane, kB", "pencil, kB", "cell, kB", "counts, kB", "keeps"},
        .left = 1};
    int rc = 0;
    for (unsigned i = 0; i < r->rule->loops && !rc; i++) {
        const struct htmt__exasat_bound *b = &r->each[i];
        rc = htmt__table_row(
            &t, (const char *const[]){r->rule->loop[i].run->name, kib(b->set[HTMT__EXASAT_PLANE]).s,
                                      kib(b->set[HTMT__EXASAT_PENCIL]).s,
                                      kib(b->set[HTMT__EXASAT_CELL]).s, kib(b->working).s,
                                      htmt__exasat_level_name(b->level)});
    }
    if (!rc)
        rc = htmt__table_row(
            &t, (const char *const[]){"largest", "", "", "", kib(r->total->working).s, ""});
    fputc('\n', out);
    htmt__table_print(&t, out);
    htmt__table_clear(&t);
    return rc;
}

static int put_bound(struct htmt__table *t, const char *name, const struct htmt__exasat_bound *b)
{
    return htmt__table_row(
        t, (const char *const[]){name, real(htmt__nest_value(b->bytes) / GIB).s,
                                 real(htmt__nest_value(b->work) / 1e9).s, real(ratio(b)).s,
                                 htmt__format_fs(b->compute_fs).s, htmt__format_fs(b->memory_fs).s,
                                 htmt__format_fs(b->fs).s});
}

static int print_bounds(const struct htmt__exasat_report *r, FILE *out)
{
    struct htmt__table t = {.columns = 7,
                            .head = {"loop", "traffic, GB", "Gflop", "B:F", "Tc", "Td", "time"},
                            .left = 1};
    int rc = 0;
    for (unsigned i = 0; i < r->rule->loops && !rc; i++)
        rc = put_bound(&t, r->rule->loop[i].run->name, &r->each[i]);
    if (!rc)
        rc = put_bound(&t, "sum", r->total);
    fputc('\n', out);
    htmt__table_print(&t, out);
    htmt__table_clear(&t);
    return rc;
}

/* References of all loops, one iteration each. */
static int add_registers(const struct htmt__exasat_report *r, struct htmt__exasat_registers *all)
{
    const struct htmt__nest_number none = htmt__nest_whole(0);
    *all = (struct htmt__exasat_registers){none, none, none};
    int rc = 0;
    for (unsigned i = 0; i < r->rule->loops && !rc; i++) {
        struct htmt__exasat_registers one;
        rc = htmt__exasat_registers(&r->rule->loop[i], r->registers, &one);
        if (!rc)
            rc = htmt__nest_add(all->hits, one.hits, &all->hits);
        if (!rc)
            rc = htmt__nest_add(all->misses, one.misses, &all->misses);
        if (!rc)
            rc = htmt__nest_add(all->streamed, one.streamed, &all->streamed);
    }
    return rc;
}

/* Which loops write how often: a row for each array, then how much is written rarely. */
static int print_writes(const struct htmt__exasat_report *r, FILE *out)
{
    const struct htmt__nest_program *p = r->rule->program;
    struct htmt__table t = {.columns = 4, .head = {"array", "copies", "writes", "rate"}, .left = 1};
    struct htmt__nest_occupancy o;
    struct htmt__exasat_writes w;
    htmt_wide below = 0;
    int rc = htmt__nest_occupancy_make(p, &o);
    if (rc)
        return rc;
    htmt__exasat_count_writes(r->rule, &o, "", &w);
    for (unsigned i = 0; i < o.rows && !rc; i++) {
        const struct htmt__nest_row *row = &o.row[i];
        bool touched;
        const htmt_wide times = htmt__exasat_row_writes(r->rule, row, "", &touched);
        const double rate = w.all ? (double)times / (double)w.all : 0;
        below += touched && rate <= r->write_rate ? row->count : 0;
        rc = htmt__table_row(&t, (const char *const[]){p->file->array[row->array].name,
                                                       whole(row->count).s, whole(times).s,
                                                       htmt__format_share(rate).s});
    }
    fprintf(out, "\n  write rate: loops that write a component, of %s that write any\n",
            whole(w.all).s);
    htmt__table_print(&t, out);
    htmt__table_clear(&t);
    fprintf(out, "\n  at most %.4g %% of writes go to each of %s of %s components\n",
            100 * r->write_rate, whole(below).s, whole(w.arrays).s);
    htmt__nest_occupancy_clear(&o);
    return rc;
}

static int print_rest(const struct htmt__exasat_report *r, FILE *out)
{
    struct htmt__exasat_registers all;
    htmt_wide fs = 0;
    int rc = add_registers(r, &all);
    if (!rc)
        rc = htmt__exasat_message_time(r->rule, r->request, &fs);
    if (rc)
        return rc;
    fprintf(out, "\n  state         %s references in registers, %s spilled, %s streamed (%s)\n",
            real(htmt__nest_value(all.hits)).s, real(htmt__nest_value(all.misses)).s,
            real(htmt__nest_value(all.streamed)).s,
            r->registers ? "one iteration of each loop" : "registers for all");
    if (r->rule->messages)
        fprintf(out, "  messages      %s of %s B in all, %s\n", whole(r->rule->messages).s,
                whole(r->rule->message_bytes).s,
                r->request->message_word.num ? htmt__format_fs(fs).s : "not modelled");
    fprintf(out, "  bound         %s\n", htmt__format_fs(r->total->fs).s);
    return 0;
}

int htmt__exasat_print(const struct htmt__exasat_report *report, FILE *out)
{
    print_head(report, out);
    int rc = print_operations(report, out);
    if (!rc)
        rc = print_sets(report, out);
    if (!rc)
        rc = print_bounds(report, out);
    if (!rc)
        rc = print_rest(report, out);
    return rc || report->write_rate < 0 ? rc : print_writes(report, out);
}

/* ---- CSV ---------------------------------------------------------------------------------------
 */

static void put_numbers(FILE *out, const struct htmt__exasat_bound *b)
{
    fprintf(out, ",%s,%s,%.17g,%.17g,%.17g,%.17g,%s,%s,%s\n", whole(b->working).s,
            b->level == HTMT__EXASAT_LEVELS ? "" : htmt__exasat_level_name(b->level),
            htmt__nest_value(b->bytes), htmt__nest_value(b->operations), htmt__nest_value(b->work),
            ratio(b), whole(b->compute_fs).s, whole(b->memory_fs).s, whole(b->fs).s);
}

int htmt__exasat_csv(const struct htmt__exasat_report *report, const char *path,
                     struct htmt_fault *fault)
{
    struct htmt_whole_file *file = NULL;
    int rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    FILE *out = htmt_whole_file_stream(file);
    fprintf(out, "loop,line,times,cells,add,mul,div,function,state_integer,state_real,arrays_read,"
                 "arrays_written,arrays_read_written,plane_bytes,pencil_bytes,cell_bytes,"
                 "working_set_bytes,keeps,traffic_bytes,flop,weighted_flop,bytes_a_flop,compute_fs,"
                 "memory_fs,bound_fs\n");
    for (unsigned i = 0; i < report->rule->loops; i++) {
        const struct htmt__exasat_loop *loop = &report->rule->loop[i];
        const struct htmt__exasat_bound *b = &report->each[i];
        htmt__csv_put(out, loop->run->name, false);
        fprintf(out, ",%" PRIu64 ",%s,%s", line_of(loop), whole(loop->run->times).s,
                whole(loop->run->plan->count).s);
        fprintf(out, ",%.17g,%.17g,%.17g,%.17g", operations(loop, HTMT__NEST_ADD),
                operations(loop, HTMT__NEST_MUL), operations(loop, HTMT__NEST_DIV),
                operations(loop, HTMT__NEST_FUNCTION));
        fprintf(out, ",%" PRIu64 ",%" PRIu64, loop->integers, loop->reals);
        for (int k = 0; k < HTMT__EXASAT_KINDS; k++)
            fprintf(out, ",%s", whole(loop->arrays[k]).s);
        fprintf(out, ",%s,%s,%s", whole(b->set[HTMT__EXASAT_PLANE]).s,
                whole(b->set[HTMT__EXASAT_PENCIL]).s, whole(b->set[HTMT__EXASAT_CELL]).s);
        put_numbers(out, b);
    }
    struct htmt__exasat_bound total = *report->total;
    total.level = HTMT__EXASAT_LEVELS;
    fprintf(out, "total,,,,,,,,,,,,,,,");
    put_numbers(out, &total);
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

static json_t *number(struct htmt__nest_number n)
{
    return n.den == 1 ? wide(n.num) : json_real(htmt__nest_value(n));
}

static json_t *bound_object(const struct htmt__exasat_bound *b)
{
    return json_pack("{so so so so sf so so so}", "working_set_bytes", wide(b->working),
                     "traffic_bytes", number(b->bytes), "flop", number(b->operations),
                     "weighted_flop", number(b->work), "bytes_a_flop", ratio(b), "compute_fs",
                     wide(b->compute_fs), "memory_fs", wide(b->memory_fs), "bound_fs", wide(b->fs));
}

static json_t *loop_object(const struct htmt__exasat_loop *loop, const struct htmt__exasat_bound *b)
{
    const struct htmt__nest_plan *plan = loop->run->plan;
    return json_pack(
        "{ss sI so so s{so so so so} s{sI sI} s{so so so} s{so so so} ss so}", "name",
        loop->run->name, "line", (json_int_t)line_of(loop), "times", wide(loop->run->times),
        "cells", wide(plan->count), "operations", "add", number(plan->ops[HTMT__NEST_ADD]), "mul",
        number(plan->ops[HTMT__NEST_MUL]), "div", number(plan->ops[HTMT__NEST_DIV]), "function",
        number(plan->ops[HTMT__NEST_FUNCTION]), "state", "integer", (json_int_t)loop->integers,
        "real", (json_int_t)loop->reals, "arrays", "read", wide(loop->arrays[HTMT__EXASAT_READ]),
        "written", wide(loop->arrays[HTMT__EXASAT_WRITE]), "read_written",
        wide(loop->arrays[HTMT__EXASAT_READ_WRITE]), "sets", "plane_bytes",
        wide(b->set[HTMT__EXASAT_PLANE]), "pencil_bytes", wide(b->set[HTMT__EXASAT_PENCIL]),
        "cell_bytes", wide(b->set[HTMT__EXASAT_CELL]), "keeps", htmt__exasat_level_name(b->level),
        "bound", bound_object(b));
}

json_t *htmt__exasat_json(const struct htmt__exasat_report *report)
{
    const struct htmt__exasat *rule = report->rule;
    struct htmt__exasat_registers all;
    htmt_wide fs;
    json_t *loops = json_array();
    if (add_registers(report, &all) || htmt__exasat_message_time(rule, report->request, &fs)) {
        json_decref(loops);
        return NULL;
    }
    for (unsigned i = 0; i < rule->loops; i++)
        json_array_append_new(loops, loop_object(&rule->loop[i], &report->each[i]));
    return json_pack("{ss ss ss ss s[ooo] so so so so so s{so so so} so so}", "schema",
                     "htmt-bound-exasat-1", "rule", "exasat", "nests", report->path, "machine",
                     report->rates->machine->name, "block", wide(block_of(report, 0)),
                     wide(block_of(report, 1)), wide(block_of(report, 2)), "cache_bytes",
                     wide(report->request->cache), "line_bytes",
                     wide(report->request->line * HTMT_WORD), "loops", loops, "total",
                     bound_object(report->total), "messages", wide(rule->messages), "references",
                     "in_registers", number(all.hits), "spilled", number(all.misses), "streamed",
                     number(all.streamed), "message_bytes", wide(rule->message_bytes), "message_fs",
                     report->request->message_word.num || !rule->messages ? wide(fs) : json_null());
}
