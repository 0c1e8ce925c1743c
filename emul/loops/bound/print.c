/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bounds for people: what a cell of each loop does, what it moves and needs, the times, the state,
 * the arrays. The units and words (piece, plane, B:F, Tc, Td) are those of the ExaSAT paper.
 */
#include "emul/loops/bound/doubts.h"
#include "emul/loops/bound/report.h"

#include "emul/lib/text/disturbed.h"
#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define CELL 64
#define KIB  1024.0
#define MIB  (KIB * KIB)
#define GIB  (KIB * KIB * KIB)
#define SHOW 24 /* nests of the occupancy table */

/* A cell of a table. */
struct cell {
    char s[CELL];
};

static struct cell number(struct htmt__nest_number n)
{
    struct cell c;
    if (n.den == 1)
        htmt__nest_digits(n.num, c.s);
    else
        snprintf(c.s, sizeof c.s, "%.6g", htmt__nest_value(n));
    return c;
}

static struct cell real(double value)
{
    struct cell c;
    snprintf(c.s, sizeof c.s, "%.7g", value);
    return c;
}

/* kB, MB and GB are powers of 1024, as the tables of the paper have them. */
static struct cell bytes(double n)
{
    static const char *const units[] = {"B", "kB", "MB", "GB"};
    struct cell c;
    int unit = n < KIB ? 0 : n < MIB ? 1 : n < GIB ? 2 : 3;
    for (int i = 0; i < unit; i++)
        n /= KIB;
    snprintf(c.s, sizeof c.s, "%.6g %s", n, units[unit]);
    return c;
}

/* One number, or the ends between which it lies. */
static struct cell range(double low, double high)
{
    struct cell c;
    if (high <= low || !strcmp(bytes(low).s, bytes(high).s))
        return bytes(low);
    snprintf(c.s, sizeof c.s, "%.24s to %.24s", bytes(low).s, bytes(high).s);
    return c;
}

/* ---- head --------------------------------------------------------------------------------------
 */

static void print_head(const struct htmt__bound_report *r, FILE *out)
{
    const struct htmt__bounds *b = r->bound;
    const struct htmt__bound_rates *rates = b->rates;
    double flops = 1e15 * (double)rates->flop.den / (double)rates->flop.num * rates->processors;
    struct htmt__disturbed disturbed;
    htmt__disturbed_find(rates->machine, true, &disturbed);
    htmt__disturbed_print(&disturbed, out);
    fprintf(out, "bounds of %s on %s\n", r->path, rates->machine->name);
    if (*b->program->file->about)
        fprintf(out, "  about         %s\n", b->program->file->about);
    fprintf(out,
            "  processors    %" PRIu32 " of layer %s, %s; a division is worth %" PRIu64
            " flop, a function %" PRIu64 "\n",
            rates->processors, rates->layer, htmt__format_si(flops, "flop/s").s, rates->divide,
            rates->function);
    for (unsigned i = 0; i < rates->links; i++) {
        const struct htmt__bound_link *k = &rates->link[i];
        htmt_wide words = i == 0 && b->request.capacity >= 0 ? b->request.capacity : k->capacity;
        double rate = k->inward.num ? 8e15 * (double)k->inward.den / (double)k->inward.num : 0;
        fprintf(out, "  memory        %s of %s holds %s; words from %s at %s\n",
                i ? "that" : "least recently used, that", k->inner, bytes(8 * (double)words).s,
                k->outer,
                rate > 0 ? htmt__format_si(rate, "B/s").s : "a rate that is not modelled");
    }
    if (rates->vector > 1)
        fprintf(out, "  rates         with vectors of %" PRIu64 " numbers\n", rates->vector);
    if (b->request.vector)
        fprintf(out, "  vectors       of %" PRIu64 ": divisions and functions cost so much less\n",
                b->request.vector);
    if (b->request.hiding != HTMT__BOUND_HIDES_LAMBDA)
        fprintf(out, "  overlap       %s\n",
                b->request.hiding == HTMT__BOUND_HIDES_ALL ? "all: the longest level counts"
                : b->request.hiding == HTMT__BOUND_HIDES_NONE
                    ? "none: levels add up"
                    : "operations: beside the sum of all levels");
    if (b->request.order == HTMT__BOUND_BLOCKS)
        fprintf(out, "  order         all loops on a block; its arrays take %s and %s\n",
                bytes((double)b->resident).s,
                b->together ? "stay in the memory" : "do not fit: traffic is loop by loop");
}

/* ---- loops -------------------------------------------------------------------------------------
 */

static int print_operations(const struct htmt__bounds *b, FILE *out)
{
    struct htmt__table t = {.columns = 10,
                            .head = {"a cell of", "line", "cells", "add", "mul", "div", "function",
                                     "loads", "distinct", "stores"},
                            .left = 1};
    int rc = 0;
    for (unsigned i = 0; i < b->loops && !rc; i++) {
        const struct htmt__bound_loop *loop = &b->loop[i];
        const struct htmt__nest_plan *plan = loop->run->plan;
        char line[24] = "-", distinct[48];
        if (loop->run->nests == 1 && plan->nest->source_line)
            snprintf(line, sizeof line, "%" PRIu64, plan->nest->source_line);
        snprintf(distinct, sizeof distinct, "%" PRIu64, plan->distinct_reads);
        rc = htmt__table_row(
            &t, (const char *const[]){
                    loop->run->name, line, number(htmt__nest_whole(loop->cells)).s,
                    number(plan->ops[HTMT__NEST_ADD]).s, number(plan->ops[HTMT__NEST_MUL]).s,
                    number(plan->ops[HTMT__NEST_DIV]).s, number(plan->ops[HTMT__NEST_FUNCTION]).s,
                    number(plan->loads).s, distinct, number(plan->stores).s});
    }
    fputc('\n', out);
    htmt__table_print(&t, out);
    htmt__table_clear(&t);
    return rc;
}

/* The longest of all levels. */
static struct cell moving_time(const struct htmt__bounds *b, const struct htmt__bound_loop *loop)
{
    struct cell c = {"not modelled"};
    htmt_wide moved = loop->references_fs;
    bool modelled = htmt__bound_times_references(b->rates);
    for (unsigned i = 0; i < loop->links; i++) {
        modelled = modelled || htmt__bound_times_link(&b->rates->link[i]);
        moved = loop->traffic[i].fs > moved ? loop->traffic[i].fs : moved;
    }
    if (modelled)
        snprintf(c.s, sizeof c.s, "%s", htmt__format_fs(moved).s);
    return c;
}

static int print_bounds(const struct htmt__bounds *b, FILE *out)
{
    struct htmt__table t = {.columns = 10,
                            .head = {"loop", "block", "working set", "all reused from",
                                     "words a cell", "traffic", "Gflop", "B:F", "Tc", "Td"},
                            .left = 7};
    int rc = 0;
    for (unsigned i = 0; i < b->loops && !rc; i++) {
        const struct htmt__bound_loop *loop = &b->loop[i];
        const double unit = (double)loop->run->plan->unit;
        const double words = (double)htmt__bound_units(loop) * unit / 8;
        char block[40], state[80];
        htmt__bound_block_name(loop, block, sizeof block);
        snprintf(state, sizeof state, "%s, %s", htmt__bound_level(loop),
                 bytes((double)loop->working.words * unit).s);
        rc = htmt__table_row(
            &t,
            (const char *const[]){loop->run->name, block, state, bytes((double)loop->full * unit).s,
                                  real(loop->cells ? words / (double)loop->cells : 0).s,
                                  range((double)loop->traffic[0].bytes,
                                        (double)loop->traffic[0].most / (double)loop->run->times)
                                      .s,
                                  real(htmt__nest_value(loop->work) / 1e9).s,
                                  real(htmt__bound_ratio(loop->traffic[0].bytes, loop->work)).s,
                                  htmt__format_fs(loop->compute_fs).s, moving_time(b, loop).s});
    }
    fputc('\n', out);
    htmt__table_print(&t, out);
    htmt__table_clear(&t);
    return rc;
}

static int print_times(const struct htmt__bounds *b, FILE *out)
{
    struct htmt__table t = {.columns = 4, .head = {"loop", "times", "bound", "share"}, .left = 1};
    int rc = 0;
    for (unsigned i = 0; i < b->loops && !rc; i++) {
        const struct htmt__bound_loop *loop = &b->loop[i];
        htmt_wide all = loop->fs * loop->run->times;
        rc = htmt__table_row(
            &t,
            (const char *const[]){loop->run->name, number(htmt__nest_whole(loop->run->times)).s,
                                  htmt__format_fs(all).s,
                                  htmt__format_share(b->fs ? (double)all / (double)b->fs : 0).s});
    }
    fputc('\n', out);
    htmt__table_print(&t, out);
    htmt__table_clear(&t);
    fprintf(out, "\n  bound         %s: %s, %.7g Gflop, B:F %.7g, largest working set %s\n",
            htmt__format_fs(b->fs).s, range((double)b->bytes, (double)b->most).s,
            htmt__nest_value(b->work) / 1e9, htmt__bound_ratio(b->bytes, b->work),
            bytes((double)b->largest).s);
    return rc;
}

/* A level: bytes in and out over the program, at least and at most, and their time. */
struct level {
    htmt_wide in, out, low, high, fs;
};

static void add_level(struct level *sum, htmt_wide in, htmt_wide out, htmt_wide fs, htmt_wide times)
{
    sum->in += in * times;
    sum->out += out * times;
    sum->fs += fs * times;
}

static int put_level(struct htmt__table *t, const char *outer, const char *inner,
                     const struct level *sum, bool modelled, htmt_wide all)
{
    char name[160];
    snprintf(name, sizeof name, "%s, %s", outer, inner);
    return htmt__table_row(
        t, (const char *const[]){
               name, bytes((double)sum->in).s, bytes((double)sum->out).s,
               range((double)sum->low, (double)sum->high).s,
               modelled ? htmt__format_fs(sum->fs).s : "not modelled",
               modelled ? htmt__format_share(all ? (double)sum->fs / (double)all : 0).s : "-"});
}

/* Words between each pair of neighbouring memories, the innermost first; before them those between
 * registers and the innermost memory, if the machine says what they take. */
static int print_levels(const struct htmt__bounds *b, FILE *out)
{
    struct htmt__table t = {.columns = 6,
                            .head = {"between", "in", "out", "in all", "time", "of the bound"},
                            .left = 1};
    const struct htmt__bound_rates *r = b->rates;
    struct level own = {0};
    int rc = 0;
    if (r->links < 2 && !htmt__bound_times_references(r))
        return 0;
    for (unsigned i = 0; i < b->loops; i++) {
        const struct htmt__bound_loop *loop = &b->loop[i];
        const struct htmt__nest_plan *plan = loop->run->plan;
        const htmt_wide each = loop->cells * (htmt_wide)plan->unit;
        add_level(&own, each * (htmt_wide)plan->distinct_reads,
                  each * (htmt_wide)plan->distinct_writes, loop->references_fs, loop->run->times);
    }
    own.low = own.high = own.in + own.out;
    if (htmt__bound_times_references(r))
        rc = put_level(&t, r->links ? r->link[0].inner : r->layer, "registers", &own, true, b->fs);
    for (unsigned k = 0; k < r->links && !rc; k++) {
        struct level sum = {0};
        for (unsigned i = 0; i < b->loops; i++) {
            const struct htmt__bound_loop *loop = &b->loop[i];
            const htmt_wide unit = (htmt_wide)loop->run->plan->unit;
            add_level(&sum, loop->traffic[k].read * unit, loop->traffic[k].written * unit,
                      loop->traffic[k].fs, loop->run->times);
            sum.low += loop->traffic[k].total;
            sum.high += loop->traffic[k].most;
        }
        rc = put_level(&t, r->link[k].outer, r->link[k].inner, &sum,
                       htmt__bound_times_link(&r->link[k]), b->fs);
    }
    fputc('\n', out);
    htmt__table_print(&t, out);
    htmt__table_clear(&t);
    fputc('\n', out);
    return rc;
}

/* ---- state -------------------------------------------------------------------------------------
 */

static int print_state(const struct htmt__bounds *b, FILE *out)
{
    struct htmt__table t = {
        .columns = 6,
        .head = {"state of", "integer", "real", "in registers", "spilled", "streamed"},
        .left = 1};
    int rc = 0;
    for (unsigned i = 0; i < b->loops && !rc; i++) {
        const struct htmt__bound_loop *loop = &b->loop[i];
        rc = htmt__table_row(
            &t, (const char *const[]){loop->run->name, real((double)loop->integers).s,
                                      real((double)loop->reals).s, number(loop->hits).s,
                                      number(loop->spills).s, number(loop->streamed).s});
    }
    fprintf(out, "\n  references of a cell; registers: %s\n",
            b->request.registers ? real((double)b->request.registers).s : "enough");
    htmt__table_print(&t, out);
    htmt__table_clear(&t);
    return rc;
}

/* ---- arrays ------------------------------------------------------------------------------------
 */

/* A line for each row of components, a column for each of the first SHOW nests. */
static void print_occupancy(const struct htmt__bound_report *r, FILE *out)
{
    const struct htmt__nest_occupancy *o = r->occupancy;
    const struct htmt__nest_program *p = r->bound->program;
    const unsigned shown = p->runs < SHOW ? p->runs : SHOW;
    fprintf(out, "\n  arrays: read (R), written (W), read then written (RW), written then read "
                 "(WR), live (L)\n");
    for (unsigned i = 0; i < shown; i++)
        fprintf(out, "  %2u  %s\n", i + 1, p->run[i].name);
    if (p->runs > SHOW)
        fprintf(out, "  and %u more, which --csv and --json have\n", p->runs - SHOW);
    fprintf(out, "  %-20s %6s", "array", "copies");
    for (unsigned i = 0; i < shown; i++)
        fprintf(out, " %3u", i + 1);
    fprintf(out, "  %6s %6s %6s\n", "reads", "writes", "live");
    for (unsigned k = 0; k < o->rows; k++) {
        const struct htmt__nest_row *row = &o->row[k];
        char name[100];
        htmt__bound_row_name(r, row, name, sizeof name);
        fprintf(out, "  %-20s %6s", name, number(htmt__nest_whole(row->count)).s);
        for (unsigned i = 0; i < shown; i++)
            fprintf(out, " %3s", htmt__nest_mark_name(row->mark[i]));
        fprintf(out, "  %6s %6s %6s\n", number(htmt__nest_whole(row->reads)).s,
                number(htmt__nest_whole(row->writes)).s, number(htmt__nest_whole(row->live)).s);
    }
    fprintf(out, "  %-20s %6s", "resident", "");
    for (unsigned i = 0; i < shown; i++)
        fprintf(out, " %3s", number(htmt__nest_whole(o->resident[i])).s);
    fputc('\n', out);
}

/* ---- writes ------------------------------------------------------------------------------------
 */

static int print_writes(const struct htmt__bound_report *r, FILE *out)
{
    struct htmt__table t = {
        .columns = 4, .head = {"array", "bytes", "reads a write", "write rate"}, .left = 1};
    double all = 0, below = 0;
    int rc = 0;
    for (unsigned i = 0; i < r->occupancy->rows && !rc; i++) {
        const struct htmt__nest_row *row = &r->occupancy->row[i];
        double rate = htmt__bound_write_rate(r, row), ratio = htmt__bound_read_ratio(r, row);
        double size = (double)htmt__bound_row_bytes(r, row);
        char name[100];
        htmt__bound_row_name(r, row, name, sizeof name);
        all += size;
        below += rate <= r->write_rate ? size : 0;
        rc = htmt__table_row(&t, (const char *const[]){name, bytes(size).s,
                                                       isinf(ratio) ? "-" : real(ratio).s,
                                                       htmt__format_share(rate).s});
    }
    fprintf(out, "\n  write rate: writes of an array, of all references to arrays\n");
    htmt__table_print(&t, out);
    htmt__table_clear(&t);
    fprintf(out, "\n  at most %.4g %% of references write to %s, %s of all\n", 100 * r->write_rate,
            bytes(below).s, htmt__format_share(all > 0 ? below / all : 0).s);
    return rc;
}

static void print_ghosts(const struct htmt__bounds *b, FILE *out)
{
    const struct htmt__bound_ghosts *g = &b->ghosts;
    double all = (double)b->fs + (double)g->fs;
    if (b->program->exchanges && htmt__bound_times_messages(b->rates))
        fprintf(out, "  messages      %s B over %s: %s, %s of the time\n",
                number(htmt__nest_whole(g->bytes)).s, b->rates->network_name,
                htmt__format_fs(g->fs).s, htmt__format_share(all > 0 ? (double)g->fs / all : 0).s);
    else if (b->program->exchanges && b->rates->network)
        fprintf(out, "  messages      %s B over %s: time not modelled\n",
                number(htmt__nest_whole(g->bytes)).s, b->rates->network_name);
    else if (b->program->exchanges)
        fprintf(
            out,
            "  messages      %s B: time not modelled; the machine has no network between slices\n",
            number(htmt__nest_whole(g->bytes)).s);
    fprintf(out, "  footprint     %s: arrays %s, buffers of messages %s\n",
            bytes((double)(b->arrays + b->buffers)).s, bytes((double)b->arrays).s,
            bytes((double)b->buffers).s);
}

int htmt__bound_print(const struct htmt__bound_report *report, FILE *out)
{
    const struct htmt__bounds *b = report->bound;
    const struct htmt__nest_file *f = b->program->file;
    print_head(report, out);
    int rc = print_operations(b, out);
    if (!rc)
        rc = print_bounds(b, out);
    if (!rc)
        rc = print_times(b, out);
    if (!rc)
        rc = print_levels(b, out);
    print_ghosts(b, out);
    struct htmt__bound_doubts doubts = {0};
    if (!rc)
        rc = htmt__bound_doubts(b, &doubts);
    for (unsigned i = 0; i < doubts.count; i++)
        fprintf(out, "  note          %s\n", doubts.text[i]);
    for (unsigned i = 0; i < f->skips; i++)
        fprintf(out, "  not read      %s:%" PRIu64 ":%" PRIu64 ": %s\n", f->skipped[i].source,
                f->skipped[i].line, f->skipped[i].column, f->skipped[i].why);
    if (!rc)
        rc = print_state(b, out);
    print_occupancy(report, out);
    if (!rc && report->write_rate >= 0)
        rc = print_writes(report, out);
    return rc;
}
