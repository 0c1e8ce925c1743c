/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The workbook: parameters of machine and program are cells, and what follows from them are
 * formulas that a spreadsheet computes again.
 *
 * Traffic is a staircase of the capacity (emul/loops/nest/reuse.c), so the sheet "reuse" has a row
 * for each step of each loop: below so many bytes, so many more come in and go out. The traffic of
 * a loop is the sum of the rows whose level is above the cell of the capacity. A loop that reads
 * 1,000 B always and 500 B more below 4,096 B has two rows, (1E+99, 1000) and (4096, 500); for a
 * capacity of 2,048 SUMIF gives 1,500.
 */
#include "emul/loops/bound/outputs.h"

#include "emul/loops/bound/workbook.h"
#include "emul/loops/nest/blocks.h"

#include <stdlib.h>
#include <string.h>

/* Cells of the sheet of parameters, and where their values stand. */
enum parameter {
    FLOPS,
    DIVIDE,
    FUNCTION,
    VECTOR,
    NETWORK,
    LATENCY,
    LAMBDA,
    REGISTERS,
    LOADS,
    STORES,
    PARAMETERS
};

static const char *const labels[PARAMETERS] = {[FLOPS] = "flop/s of all processors",
                                               [DIVIDE] = "flop of a division",
                                               [FUNCTION] = "flop of a function",
                                               [VECTOR] = "vector length",
                                               [NETWORK] = "bytes/s of the network",
                                               [LATENCY] = "latency of the network, s",
                                               [LAMBDA] = "overlap (1: the longer hides the other)",
                                               [REGISTERS] = "registers",
                                               [LOADS] = "words/s loaded from the innermost memory",
                                               [STORES] = "words/s stored to it"};

#define ALWAYS 1e99 /* the level of what memories of any capacity move */

/* A workbook that is being written. */
struct sheet {
    const struct htmt__bound_report *report;
    struct htmt__workbook *to;
    lxw_worksheet *reuse; /* steps of the traffic of all loops */
    unsigned steps;
};

/* "B": the letters of a column. */
static void name_column(unsigned column, char letters[static 8])
{
    char reversed[8];
    unsigned length = 0, at = 0;
    for (column++; column; column = (column - 1) / 26)
        reversed[length++] = (char)('A' + (column - 1) % 26);
    while (length)
        letters[at++] = reversed[--length];
    letters[at] = '\0';
}

/* ---- parameters --------------------------------------------------------------------------------
 */

static double per_second(struct htmt_ratio word)
{
    return word.num ? 8e15 * (double)word.den / (double)word.num : 1e30;
}

/* A memory and the words between it and the one outside: three cells. */
enum link_cell { CAPACITY, INWARD, OUTWARD, LINK_CELLS };

/* The row of such a cell, as formulas name it. */
static unsigned link_row(unsigned link, enum link_cell cell)
{
    return PARAMETERS + 2 + link * LINK_CELLS + cell;
}

static void put_parameters(struct sheet *s)
{
    static const char *const head[] = {"parameter", "value", NULL};
    const struct htmt__bounds *b = s->report->bound;
    const struct htmt__bound_rates *r = b->rates;
    const double values[PARAMETERS] = {
        [FLOPS] = 1e15 * (double)r->flop.den / (double)r->flop.num * r->processors,
        [DIVIDE] = (double)r->divide,
        [FUNCTION] = (double)r->function,
        [VECTOR] = b->request.vector ? (double)b->request.vector : 1,
        [NETWORK] = per_second(r->message_word),
        [LATENCY] = (double)r->message_latency / 1e15,
        [LAMBDA] = htmt_ratio_value(r->lambda),
        [REGISTERS] = b->request.registers ? (double)b->request.registers : 1e9,
        [LOADS] = per_second(r->load) / 8 * (r->load.num ? r->processors : 1),
        [STORES] = per_second(r->store) / 8 * (r->store.num ? r->processors : 1)};
    lxw_worksheet *w = htmt__workbook_sheet(s->to, "parameters", head);
    if (!w)
        return;
    for (unsigned i = 0; i < PARAMETERS; i++) {
        htmt__workbook_text(s->to, w, i + 1, 0, labels[i], NULL);
        if (i == NETWORK && !htmt__bound_times_messages(r))
            htmt__workbook_text(s->to, w, i + 1, 1, "not modelled", NULL);
        else
            htmt__workbook_number(s->to, w, i + 1, 1, values[i]);
    }
    for (unsigned link = 0; link < r->links; link++) {
        const struct htmt__bound_link *at = &r->link[link];
        const htmt_wide words =
            !link && b->request.capacity >= 0 ? b->request.capacity : at->capacity;
        const double cells[LINK_CELLS] = {[CAPACITY] = 8 * (double)words,
                                          [INWARD] = per_second(at->inward),
                                          [OUTWARD] = per_second(at->outward)};
        char label[LINK_CELLS][160];
        snprintf(label[CAPACITY], sizeof *label, "bytes of the memory of %s", at->inner);
        snprintf(label[INWARD], sizeof *label, "bytes/s from %s to %s", at->outer, at->inner);
        snprintf(label[OUTWARD], sizeof *label, "bytes/s from %s to %s", at->inner, at->outer);
        for (unsigned i = 0; i < LINK_CELLS; i++) {
            unsigned row = link_row(link, (enum link_cell)i) - 1;
            htmt__workbook_text(s->to, w, row, 0, label[i], NULL);
            htmt__workbook_number(s->to, w, row, 1, cells[i]);
        }
    }
    worksheet_set_column(w, 0, 0, 40, NULL);
}

/* ---- loops -------------------------------------------------------------------------------------
 */

enum column {
    NAME,
    TIMES,
    CELLS,
    ADD,
    MUL,
    DIV,
    CALLS,
    PIECE,
    PIECES,
    WORKING,
    WORK,
    BYTES,
    WORDS,
    BF,
    TIME,
    TC,
    TR,
    LINKS
};

/* Columns of a link behind those of all loops. */
enum link_column { READ, WRITTEN, TD, LINK_COLUMNS };

/* Rows of the sheet of steps that a loop has, as formulas name them. */
struct steps {
    unsigned first, last;
};

static void put_step(struct sheet *s, const struct htmt__bound_loop *loop, double below,
                     double read, double written)
{
    unsigned row = ++s->steps;
    htmt__workbook_text(s->to, s->reuse, row, 0, loop->run->name, NULL);
    htmt__workbook_number(s->to, s->reuse, row, 1, below);
    htmt__workbook_number(s->to, s->reuse, row, 2, read);
    htmt__workbook_number(s->to, s->reuse, row, 3, written);
}

/* Below each level more is moved than from it on; what is always moved has no level. */
static int put_levels(struct sheet *s, const struct htmt__bound_loop *loop)
{
    const struct htmt__bound_request *request = &s->report->bound->request;
    struct htmt__nest_plan *plan = loop->lined;
    double unit = (double)plan->unit;
    htmt_wide *level = NULL, full;
    unsigned levels = 0;
    int rc = htmt__nest_blocks_levels(plan, &request->keeping, loop->block, &level, &levels);
    htmt_wide *capacity = calloc(levels + 1, sizeof *capacity);
    struct htmt__nest_moved *moved = calloc(levels + 1, sizeof *moved);
    if (!rc && (!capacity || !moved))
        rc = HTMT_ENOMEM;
    if (!rc && levels)
        memcpy(capacity + 1, level, levels * sizeof *level);
    if (!rc)
        rc = htmt__nest_blocks_move(plan, &request->keeping, loop->block, capacity, levels + 1,
                                    moved, &full);
    for (unsigned i = 1; i <= levels && !rc; i++)
        put_step(s, loop, (double)capacity[i] * unit,
                 (double)(moved[i - 1].read - moved[i].read) * unit,
                 (double)(moved[i - 1].written - moved[i].written) * unit);
    if (!rc)
        put_step(s, loop, ALWAYS, (double)moved[levels].read * unit,
                 (double)moved[levels].written * unit);
    free(level);
    free(capacity);
    free(moved);
    return rc;
}

static void put_link_formulas(struct sheet *s, lxw_worksheet *w, unsigned row,
                              const struct htmt__bound_loop *loop, const struct steps *steps,
                              unsigned link)
{
    const struct htmt__bound_traffic *t = &loop->traffic[link];
    double unit = (double)loop->run->plan->unit;
    unsigned column = LINKS + link * LINK_COLUMNS;
    char f[300], capacity[100], letters[2][8];
    const struct htmt__bound_request *request = &s->report->bound->request;
    unsigned held = link_row(link, CAPACITY);
    if (request->local_store) /* one that holds the spans keeps all */
        snprintf(capacity, sizeof capacity, "IF(parameters!$B$%u>=%.0f,9E+98,parameters!$B$%u)",
                 held, (double)loop->working.store * unit, held);
    else
        snprintf(capacity, sizeof capacity, "parameters!$B$%u", held);
    for (unsigned i = 0; i < 2; i++) {
        name_column(column + i, letters[i]);
        snprintf(f, sizeof f, "=SUMIF(reuse!$B$%u:$B$%u,\">\"&%s,reuse!$%c$%u:$%c$%u)",
                 steps->first, steps->last, capacity, 'C' + (int)i, steps->first, 'C' + (int)i,
                 steps->last);
        double bytes = (double)(i == READ ? t->read : t->written) * unit;
        if (s->report->bound->whole || request->order == HTMT__BOUND_BLOCKS ||
            loop->lined != loop->run->plan)
            /* arrays stay from loop to loop */
            htmt__workbook_number(s->to, w, row, column + i, bytes);
        else
            htmt__workbook_formula(s->to, w, row, column + i, f, bytes);
    }
    snprintf(f, sizeof f,
             s->report->bound->rates->link[link].duplex
                 ? "=MAX(%s%u/parameters!$B$%u,%s%u/parameters!$B$%u)"
                 : "=%s%u/parameters!$B$%u+%s%u/parameters!$B$%u",
             letters[0], row + 1, link_row(link, INWARD), letters[1], row + 1,
             link_row(link, OUTWARD));
    htmt__workbook_formula(s->to, w, row, column + TD, f, (double)t->fs / 1e15);
}

/* What hides what, over the times of processors and all levels. */
static void put_time(struct sheet *s, lxw_worksheet *w, unsigned row,
                     const struct htmt__bound_loop *loop)
{
    const enum htmt__bound_hiding hiding = s->report->bound->request.hiding;
    char f[700], times[200], letters[8];
    const unsigned n = row + 1;
    /* "Q2,T2,W2": the times of references and of all links */
    name_column(TR, letters);
    size_t used = (size_t)snprintf(times, sizeof times, "%s%u", letters, n);
    for (unsigned i = 0; i < loop->links; i++) {
        name_column(LINKS + i * LINK_COLUMNS + TD, letters);
        used += (size_t)snprintf(times + used, sizeof times - used, ",%s%u", letters, n);
    }
    if (hiding == HTMT__BOUND_HIDES_ALL)
        snprintf(f, sizeof f, "=B%u*MAX(P%u,%s)", n, n, times);
    else if (hiding == HTMT__BOUND_HIDES_OPERATIONS)
        snprintf(f, sizeof f, "=B%u*MAX(P%u,SUM(%s))", n, n, times);
    else if (hiding == HTMT__BOUND_HIDES_NONE)
        snprintf(f, sizeof f, "=B%u*SUM(P%u,%s)", n, n, times);
    else
        snprintf(f, sizeof f, "=B%u*(MAX(P%u,%s)+(1-parameters!$B$8)*(SUM(P%u,%s)-MAX(P%u,%s)))", n,
                 n, times, n, times, n, times);
    htmt__workbook_formula(s->to, w, row, TIME, f, (double)(loop->fs * loop->run->times) / 1e15);
}

static void put_formulas(struct sheet *s, lxw_worksheet *w, unsigned row,
                         const struct htmt__bound_loop *loop)
{
    char f[300];
    unsigned n = row + 1;
    const htmt_wide moved = loop->traffic[0].bytes;
    snprintf(f, sizeof f, "=H%u*I%u/1024", n, n);
    htmt__workbook_formula(s->to, w, row, WORKING, f,
                           (double)loop->working.words * (double)loop->run->plan->unit / 1024);
    snprintf(f, sizeof f,
             "=C%u*(D%u+E%u+(parameters!$B$3*F%u+parameters!$B$4*G%u)/parameters!$B$5)", n, n, n, n,
             n);
    htmt__workbook_formula(s->to, w, row, WORK, f, htmt__nest_value(loop->work));
    snprintf(f, sizeof f, "=R%u+S%u", n, n);
    htmt__workbook_formula(s->to, w, row, BYTES, f, (double)moved);
    snprintf(f, sizeof f, "=IF(C%u=0,0,L%u/C%u/8)", n, n, n);
    htmt__workbook_formula(s->to, w, row, WORDS, f,
                           loop->cells ? (double)moved / 8 / (double)loop->cells : 0);
    snprintf(f, sizeof f, "=IF(K%u=0,0,L%u/K%u)", n, n, n);
    htmt__workbook_formula(s->to, w, row, BF, f, htmt__bound_ratio(moved, loop->work));
    const double part = (double)htmt__bound_number(s->report->bound, loop->run->plan) / HTMT_WORD;
    snprintf(f, sizeof f, "=%g*K%u/parameters!$B$2", part, n);
    htmt__workbook_formula(s->to, w, row, TC, f, (double)loop->compute_fs / 1e15);
    snprintf(f, sizeof f, "=%g*C%u*MAX(%.0f/parameters!$B$%u,%.0f/parameters!$B$%u)", part, n,
             (double)loop->run->plan->distinct_reads, LOADS + 2,
             (double)loop->run->plan->distinct_writes, STORES + 2);
    htmt__workbook_formula(s->to, w, row, TR, f, (double)loop->references_fs / 1e15);
    put_time(s, w, row, loop);
}

static void put_loop(struct sheet *s, lxw_worksheet *w, unsigned row,
                     const struct htmt__bound_loop *loop)
{
    const struct htmt__nest_plan *plan = loop->run->plan;
    struct steps steps;
    htmt__workbook_text(s->to, w, row, NAME, loop->run->name, NULL);
    htmt__workbook_number(s->to, w, row, TIMES, (double)loop->run->times);
    htmt__workbook_number(s->to, w, row, CELLS, (double)loop->cells);
    htmt__workbook_number(s->to, w, row, ADD, htmt__nest_value(plan->ops[HTMT__NEST_ADD]));
    htmt__workbook_number(s->to, w, row, MUL, htmt__nest_value(plan->ops[HTMT__NEST_MUL]));
    htmt__workbook_number(s->to, w, row, DIV, htmt__nest_value(plan->ops[HTMT__NEST_DIV]));
    htmt__workbook_number(s->to, w, row, CALLS, htmt__nest_value(plan->ops[HTMT__NEST_FUNCTION]));
    htmt__workbook_number(s->to, w, row, PIECE, (double)loop->working.piece * (double)plan->unit);
    htmt__workbook_number(
        s->to, w, row, PIECES,
        loop->working.piece ? (double)loop->working.words / (double)loop->working.piece : 0);
    steps.first = s->steps + 2;
    int rc = put_levels(s, loop);
    s->to->rc = rc ? rc : s->to->rc;
    steps.last = s->steps + 1;
    put_formulas(s, w, row, loop);
    for (unsigned i = 0; i < loop->links; i++)
        put_link_formulas(s, w, row, loop, &steps, i);
}

/* The ends of the bytes of all turns, behind the columns of all links. */
static void put_ends(struct sheet *s, lxw_worksheet *w)
{
    const struct htmt__bounds *b = s->report->bound;
    const unsigned column = LINKS + b->rates->links * LINK_COLUMNS;
    char f[80];
    htmt__workbook_text(s->to, w, 0, column, "all turns, at least, bytes", s->to->head);
    htmt__workbook_text(s->to, w, 0, column + 1, "all turns, at most, bytes", s->to->head);
    for (unsigned i = 0; i < b->loops; i++) {
        const double ends[] = {(double)b->loop[i].traffic[0].total,
                               (double)b->loop[i].traffic[0].most};
        snprintf(f, sizeof f, "=B%u*L%u", i + 2, i + 2);
        for (unsigned k = 0; k < 2; k++)
            if (b->whole)
                htmt__workbook_number(s->to, w, i + 1, column + k, ends[k]);
            else
                htmt__workbook_formula(s->to, w, i + 1, column + k, f, ends[k]);
    }
}

static void put_loops(struct sheet *s)
{
    static const char *const head[] = {
        "loop",         "times",  "cells",           "add",  "mul",   "div",          "function",
        "piece, bytes", "pieces", "working set, kB", "flop", "bytes", "words a cell", "B:F",
        "time, s",      "Tc, s",  "Tr, s",           NULL};
    static const char *const steps[] = {"loop", "below, bytes", "more bytes in", "more bytes out",
                                        NULL};
    const struct htmt__bounds *b = s->report->bound;
    lxw_worksheet *w = htmt__workbook_sheet(s->to, "loops", head);
    s->reuse = htmt__workbook_sheet(s->to, "reuse", steps);
    static const char *const of_link[LINK_COLUMNS] = {"bytes from %s", "bytes to %s",
                                                      "Td of %s, s"};
    char f[80], name[160];
    if (!w || !s->reuse)
        return;
    for (unsigned i = 0; i < b->rates->links; i++)
        for (unsigned k = 0; k < LINK_COLUMNS; k++) {
            snprintf(name, sizeof name, of_link[k], b->rates->link[i].outer);
            htmt__workbook_text(s->to, w, 0, LINKS + i * LINK_COLUMNS + k, name, s->to->head);
        }
    for (unsigned i = 0; i < b->loops; i++)
        put_loop(s, w, i + 1, &b->loop[i]);
    put_ends(s, w);
    unsigned total = b->loops + 1;
    htmt__workbook_text(s->to, w, total, NAME, "total", s->to->head);
    snprintf(f, sizeof f, "=SUMPRODUCT(B2:B%u,K2:K%u)", total, total);
    htmt__workbook_formula(s->to, w, total, WORK, f, htmt__nest_value(b->work));
    snprintf(f, sizeof f, "=SUMPRODUCT(B2:B%u,L2:L%u)", total, total);
    htmt__workbook_formula(s->to, w, total, BYTES, f, (double)b->bytes);
    snprintf(f, sizeof f, "=SUM(O2:O%u)", total);
    htmt__workbook_formula(s->to, w, total, TIME, f, (double)b->fs / 1e15);
}

/* ---- occupancy ---------------------------------------------------------------------------------
 */

static void put_row(struct sheet *s, lxw_worksheet *w, unsigned row,
                    const struct htmt__nest_row *at)
{
    char f[300], name[100], last[8];
    const unsigned n = row + 1, runs = s->report->occupancy->runs;
    htmt__bound_row_name(s->report, at, name, sizeof name);
    htmt__workbook_text(s->to, w, row, 0, name, NULL);
    htmt__workbook_number(s->to, w, row, 1, (double)at->count);
    for (unsigned i = 0; i < runs; i++)
        if (at->mark[i])
            htmt__workbook_text(s->to, w, row, i + 2, htmt__nest_mark_name(at->mark[i]), NULL);
    name_column(runs + 1, last);
    snprintf(f, sizeof f, "=B%u*(COUNTIF(C%u:%s%u,\"R\")+COUNTIF(C%u:%s%u,\"RW\"))", n, n, last, n,
             n, last, n);
    htmt__workbook_formula(s->to, w, row, runs + 2, f, (double)at->reads);
    snprintf(f, sizeof f,
             "=B%u*(COUNTIF(C%u:%s%u,\"W\")+COUNTIF(C%u:%s%u,\"RW\")+COUNTIF(C%u:%s%u,\"WR\"))", n,
             n, last, n, n, last, n, n, last, n);
    htmt__workbook_formula(s->to, w, row, runs + 3, f, (double)at->writes);
    snprintf(f, sizeof f, "=B%u*COUNTIF(C%u:%s%u,\"L\")", n, n, last, n);
    htmt__workbook_formula(s->to, w, row, runs + 4, f, (double)at->live);
}

static void put_occupancy(struct sheet *s)
{
    static const char *const head[] = {"array", "copies", NULL};
    static const char *const sums[] = {"reads", "writes", "live"};
    const struct htmt__nest_occupancy *o = s->report->occupancy;
    lxw_worksheet *w = htmt__workbook_sheet(s->to, "occupancy", head);
    if (!w)
        return;
    for (unsigned i = 0; i < o->runs; i++)
        htmt__workbook_text(s->to, w, 0, i + 2, s->report->bound->program->run[i].name,
                            s->to->head);
    for (unsigned i = 0; i < 3; i++)
        htmt__workbook_text(s->to, w, 0, o->runs + 2 + i, sums[i], s->to->head);
    for (unsigned i = 0; i < o->rows; i++)
        put_row(s, w, i + 1, &o->row[i]);
    const unsigned row = o->rows + 1;
    htmt__workbook_text(s->to, w, row, 0, "resident", s->to->head);
    for (unsigned i = 0; i < o->runs; i++) {
        char f[120], letters[8];
        name_column(i + 2, letters);
        snprintf(f, sizeof f, "=SUMPRODUCT(B2:B%u,--(%s2:%s%u<>\"\"))", row, letters, letters, row);
        htmt__workbook_formula(s->to, w, row, i + 2, f, (double)o->resident[i]);
    }
}

/* ---- messages, registers -----------------------------------------------------------------------
 */

static void put_messages(struct sheet *s)
{
    static const char *const head[] = {"array", "components", "depth", "times",
                                       "bytes", "time, s",    NULL};
    const struct htmt__nest_program *p = s->report->bound->program;
    lxw_worksheet *w = htmt__workbook_sheet(s->to, "messages", head);
    for (unsigned i = 0; w && i < p->exchanges; i++) {
        const struct htmt__nest_exchange *x = &p->exchange[i];
        double bytes = (double)htmt__nest_exchange_bytes(p, x);
        bool first = !i || p->exchange[i - 1].before != x->before;
        const struct htmt__bound_rates *r = s->report->bound->rates;
        double latency = first ? (double)r->message_latency / 1e15 : 0;
        char f[120];
        htmt__workbook_text(s->to, w, i + 1, 0, p->file->array[x->sent.array].name, NULL);
        htmt__workbook_number(s->to, w, i + 1, 1, (double)x->sent.count);
        htmt__workbook_number(s->to, w, i + 1, 2, (double)x->depth);
        htmt__workbook_number(s->to, w, i + 1, 3, (double)x->times);
        htmt__workbook_number(s->to, w, i + 1, 4, bytes);
        if (!htmt__bound_times_messages(r)) {
            htmt__workbook_text(s->to, w, i + 1, 5, "not modelled", NULL);
            continue;
        }
        snprintf(f, sizeof f, "=D%u*(E%u/parameters!$B$6%s)", i + 2, i + 2,
                 first ? "+parameters!$B$7" : "");
        htmt__workbook_formula(s->to, w, i + 1, 5, f,
                               (double)x->times * (bytes / per_second(r->message_word) + latency));
    }
}

static double uses_of(const struct htmt__nest_scalar *scalar)
{
    return htmt__nest_value(scalar->loads) + htmt__nest_value(scalar->stores);
}

/* The rank of a variable in its loop says whether a register holds it. */
static void put_scalar(struct sheet *s, lxw_worksheet *w, unsigned row, unsigned index,
                       const struct htmt__bound_loop *loop)
{
    const struct htmt__nest_plan *plan = loop->run->plan;
    const struct htmt__nest_scalar *scalar = &plan->scalar[index];
    const uint64_t registers = s->report->bound->request.registers;
    const double words = htmt__nest_value(scalar->words), uses = uses_of(scalar);
    unsigned before = 0; /* variables of one word that take a register before this one */
    for (unsigned i = 0; i < plan->scalars; i++) {
        const double other = uses_of(&plan->scalar[i]);
        if (htmt__nest_value(plan->scalar[i].words) == 1)
            before += other > uses || (other == uses && i < index);
    }
    const bool held = words == 1 && (!registers || before < registers);
    const unsigned n = row + 1, first = n - index, last = first + plan->scalars - 1;
    char f[200];
    htmt__workbook_text(s->to, w, row, 0, loop->run->name, NULL);
    htmt__workbook_text(s->to, w, row, 1, scalar->name, NULL);
    htmt__workbook_number(s->to, w, row, 2, words);
    htmt__workbook_number(s->to, w, row, 3, uses);
    snprintf(
        f, sizeof f,
        "=IF(C%u<>1,D%u,IF(COUNTIFS(C%u:C%u,1,D%u:D%u,\">\"&D%u)+COUNTIFS(C%u:C%u,1,D%u:D%u,D%u)"
        "<=parameters!$B$9,0,D%u))",
        n, n, first, last, first, last, n, first, n, first, n, n, n);
    htmt__workbook_formula(s->to, w, row, 4, f, held ? 0 : uses);
}

static void put_registers(struct sheet *s)
{
    static const char *const head[] = {"loop",    "variable", "words", "references of a cell",
                                       "spilled", NULL};
    const struct htmt__bounds *b = s->report->bound;
    lxw_worksheet *w = htmt__workbook_sheet(s->to, "registers", head);
    unsigned row = 1;
    for (unsigned i = 0; w && i < b->loops; i++) {
        const struct htmt__nest_plan *plan = b->loop[i].run->plan;
        for (unsigned k = 0; k < plan->scalars; k++)
            put_scalar(s, w, row++, k, &b->loop[i]);
    }
}

static void fill(struct htmt__workbook *to, const void *report)
{
    struct sheet s = {.report = report, .to = to};
    put_parameters(&s);
    put_loops(&s);
    put_occupancy(&s);
    put_messages(&s);
    put_registers(&s);
}

int htmt__bound_sheet(const struct htmt__bound_report *report, const char *path,
                      struct htmt_fault *fault)
{
    return htmt__workbook_write(fill, report, path, fault);
}
