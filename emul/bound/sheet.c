/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The workbook: parameters of machine and program are cells, and what follows from them are
 * formulas that a spreadsheet computes again.
 */
#include "emul/bound/outputs.h"

#include "emul/bound/scratch.h"

#include <unistd.h>
#include <xlsxwriter.h>

/* Cells of the sheet of parameters, and where their values stand. */
enum parameter {
    FLOPS,
    DIVIDE,
    FUNCTION,
    VECTOR,
    RATE,
    NETWORK,
    LATENCY,
    LAMBDA,
    REGISTERS,
    PARAMETERS
};

static const char *const labels[PARAMETERS] = {[FLOPS] = "flop/s of all processors",
                                               [DIVIDE] = "flop of a division",
                                               [FUNCTION] = "flop of a function",
                                               [VECTOR] = "vector length",
                                               [RATE] = "bytes/s of memory",
                                               [NETWORK] = "bytes/s of the network",
                                               [LATENCY] = "latency of the network, s",
                                               [LAMBDA] = "overlap (1: the longer hides the other)",
                                               [REGISTERS] = "registers"};

/* A workbook that is being written. */
struct sheet {
    const struct htmt__bound_report *report;
    lxw_workbook *book;
    lxw_format *head;
    int rc;
};

static void text(struct sheet *s, lxw_worksheet *w, unsigned row, unsigned column, const char *what,
                 lxw_format *format)
{
    if (worksheet_write_string(w, row, (lxw_col_t)column, what, format))
        s->rc = HTMT_EIO;
}

static void number(struct sheet *s, lxw_worksheet *w, unsigned row, unsigned column, double value)
{
    if (worksheet_write_number(w, row, (lxw_col_t)column, value, NULL))
        s->rc = HTMT_EIO;
}

/* A formula with the value that it has now. */
static void formula(struct sheet *s, lxw_worksheet *w, unsigned row, unsigned column,
                    const char *what, double value)
{
    if (worksheet_write_formula_num(w, row, (lxw_col_t)column, what, NULL, value))
        s->rc = HTMT_EIO;
}

static lxw_worksheet *open_sheet(struct sheet *s, const char *name, const char *const *head)
{
    lxw_worksheet *w = workbook_add_worksheet(s->book, name);
    for (unsigned i = 0; w && head[i]; i++)
        text(s, w, 0, i, head[i], s->head);
    if (!w)
        s->rc = HTMT_ENOMEM;
    return w;
}

/* ---- parameters --------------------------------------------------------------------------------
 */

static double per_second(struct htmt_ratio word)
{
    return word.num ? 8e15 * (double)word.den / (double)word.num : 1e30;
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
        [RATE] = r->links ? per_second(r->link[0].inward) : 1e30,
        [NETWORK] = per_second(r->message_word),
        [LATENCY] = (double)r->message_latency / 1e15,
        [LAMBDA] = htmt_ratio_value(r->lambda),
        [REGISTERS] = b->request.registers ? (double)b->request.registers : 1e9};
    lxw_worksheet *w = open_sheet(s, "parameters", head);
    if (!w)
        return;
    for (unsigned i = 0; i < PARAMETERS; i++) {
        text(s, w, i + 1, 0, labels[i], NULL);
        number(s, w, i + 1, 1, values[i]);
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
    WORDS,
    WORKING,
    WORK,
    TRAFFIC,
    BF,
    TC,
    TD,
    TIME
};

static void put_formulas(struct sheet *s, lxw_worksheet *w, unsigned row,
                         const struct htmt__bound_loop *loop)
{
    char f[300];
    unsigned n = row + 1;
    const htmt_wide moved = loop->traffic[0].bytes;
    snprintf(f, sizeof f,
             "=C%u*(D%u+E%u+(parameters!$B$3*F%u+parameters!$B$4*G%u)/parameters!$B$5)", n, n, n, n,
             n);
    formula(s, w, row, WORK, f, htmt__nest_value(loop->work));
    snprintf(f, sizeof f, "=C%u*H%u*8", n, n);
    formula(s, w, row, TRAFFIC, f, (double)moved);
    snprintf(f, sizeof f, "=IF(J%u=0,0,K%u/J%u)", n, n, n);
    formula(s, w, row, BF, f, htmt__bound_ratio(moved, loop->work));
    snprintf(f, sizeof f, "=J%u/parameters!$B$2", n);
    formula(s, w, row, TC, f, (double)loop->compute_fs / 1e15);
    snprintf(f, sizeof f, "=K%u/parameters!$B$6", n);
    formula(s, w, row, TD, f, (double)loop->traffic[0].fs / 1e15);
    snprintf(f, sizeof f, "=B%u*(MAX(M%u,N%u)+(1-parameters!$B$9)*MIN(M%u,N%u))", n, n, n, n, n);
    formula(s, w, row, TIME, f, (double)(loop->fs * loop->run->times) / 1e15);
}

static void put_loop(struct sheet *s, lxw_worksheet *w, unsigned row,
                     const struct htmt__bound_loop *loop)
{
    const struct htmt__nest_plan *plan = loop->run->plan;
    text(s, w, row, NAME, loop->run->name, NULL);
    number(s, w, row, TIMES, (double)loop->run->times);
    number(s, w, row, CELLS, (double)loop->cells);
    number(s, w, row, ADD, htmt__nest_value(plan->ops[HTMT__NEST_ADD]));
    number(s, w, row, MUL, htmt__nest_value(plan->ops[HTMT__NEST_MUL]));
    number(s, w, row, DIV, htmt__nest_value(plan->ops[HTMT__NEST_DIV]));
    number(s, w, row, CALLS, htmt__nest_value(plan->ops[HTMT__NEST_FUNCTION]));
    number(s, w, row, WORDS,
           loop->cells ? (double)loop->traffic[0].bytes / 8 / (double)loop->cells : 0);
    number(s, w, row, WORKING, (double)loop->working.words * (double)plan->unit / 1024);
    put_formulas(s, w, row, loop);
}

static void put_loops(struct sheet *s)
{
    static const char *const head[] = {
        "loop",     "times",        "cells",           "add",  "mul",   "div",
        "function", "words a cell", "working set, kB", "flop", "bytes", "B:F",
        "Tc, s",    "Td, s",        "time, s",         NULL};
    const struct htmt__bounds *b = s->report->bound;
    lxw_worksheet *w = open_sheet(s, "loops", head);
    char f[80];
    if (!w)
        return;
    for (unsigned i = 0; i < b->loops; i++)
        put_loop(s, w, i + 1, &b->loop[i]);
    unsigned total = b->loops + 1;
    text(s, w, total, NAME, "total", s->head);
    snprintf(f, sizeof f, "=SUMPRODUCT(B2:B%u,J2:J%u)", total, total);
    formula(s, w, total, WORK, f, htmt__nest_value(b->work));
    snprintf(f, sizeof f, "=SUMPRODUCT(B2:B%u,K2:K%u)", total, total);
    formula(s, w, total, TRAFFIC, f, (double)b->bytes);
    snprintf(f, sizeof f, "=SUM(O2:O%u)", total);
    formula(s, w, total, TIME, f, (double)b->fs / 1e15);
}

/* ---- occupancy ---------------------------------------------------------------------------------
 */

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

static void put_sums(struct sheet *s, lxw_worksheet *w, unsigned row,
                     const struct htmt__nest_row *at)
{
    char f[300], last[8];
    unsigned n = row + 1, runs = s->report->occupancy->runs;
    name_column(runs + 1, last);
    snprintf(f, sizeof f, "=B%u*(COUNTIF(C%u:%s%u,\"R\")+COUNTIF(C%u:%s%u,\"RW\"))", n, n, last, n,
             n, last, n);
    formula(s, w, row, runs + 2, f, (double)at->reads);
    snprintf(f, sizeof f,
             "=B%u*(COUNTIF(C%u:%s%u,\"W\")+COUNTIF(C%u:%s%u,\"RW\")+COUNTIF(C%u:%s%u,\"WR\"))", n,
             n, last, n, n, last, n, n, last, n);
    formula(s, w, row, runs + 3, f, (double)at->writes);
    snprintf(f, sizeof f, "=B%u*COUNTIF(C%u:%s%u,\"L\")", n, n, last, n);
    formula(s, w, row, runs + 4, f, (double)at->live);
}

static void put_row(struct sheet *s, lxw_worksheet *w, unsigned row,
                    const struct htmt__nest_row *at)
{
    char name[100];
    htmt__bound_row_name(s->report, at, name, sizeof name);
    text(s, w, row, 0, name, NULL);
    number(s, w, row, 1, (double)at->count);
    for (unsigned i = 0; i < s->report->occupancy->runs; i++)
        if (at->mark[i])
            text(s, w, row, i + 2, htmt__nest_mark_name(at->mark[i]), NULL);
    put_sums(s, w, row, at);
}

static void put_residents(struct sheet *s, lxw_worksheet *w)
{
    const struct htmt__nest_occupancy *o = s->report->occupancy;
    unsigned row = o->rows + 1;
    text(s, w, row, 0, "resident", s->head);
    for (unsigned i = 0; i < o->runs; i++) {
        char f[120], letters[8];
        name_column(i + 2, letters);
        snprintf(f, sizeof f, "=SUMPRODUCT(B2:B%u,--(%s2:%s%u<>\"\"))", row, letters, letters, row);
        formula(s, w, row, i + 2, f, (double)o->resident[i]);
    }
}

static void put_occupancy(struct sheet *s)
{
    static const char *const head[] = {"array", "copies", NULL};
    static const char *const sums[] = {"reads", "writes", "live"};
    const struct htmt__nest_occupancy *o = s->report->occupancy;
    lxw_worksheet *w = open_sheet(s, "occupancy", head);
    if (!w)
        return;
    for (unsigned i = 0; i < o->runs; i++)
        text(s, w, 0, i + 2, s->report->bound->program->run[i].name, s->head);
    for (unsigned i = 0; i < 3; i++)
        text(s, w, 0, o->runs + 2 + i, sums[i], s->head);
    for (unsigned i = 0; i < o->rows; i++)
        put_row(s, w, i + 1, &o->row[i]);
    put_residents(s, w);
}

/* ---- messages, registers -----------------------------------------------------------------------
 */

static void put_messages(struct sheet *s)
{
    static const char *const head[] = {"array", "components", "depth", "times",
                                       "bytes", "time, s",    NULL};
    const struct htmt__nest_program *p = s->report->bound->program;
    lxw_worksheet *w = open_sheet(s, "messages", head);
    for (unsigned i = 0; w && i < p->exchanges; i++) {
        const struct htmt__nest_exchange *x = &p->exchange[i];
        double bytes = (double)htmt__nest_exchange_bytes(p, x);
        bool first = !i || p->exchange[i - 1].before != x->before;
        const struct htmt__bound_rates *r = s->report->bound->rates;
        double latency = first ? (double)r->message_latency / 1e15 : 0;
        char f[120];
        text(s, w, i + 1, 0, p->file->array[x->sent.array].name, NULL);
        number(s, w, i + 1, 1, (double)x->sent.count);
        number(s, w, i + 1, 2, (double)x->depth);
        number(s, w, i + 1, 3, (double)x->times);
        number(s, w, i + 1, 4, bytes);
        snprintf(f, sizeof f, "=D%u*(E%u/parameters!$B$7%s)", i + 2, i + 2,
                 first ? "+parameters!$B$8" : "");
        formula(s, w, i + 1, 5, f,
                (double)x->times * (bytes / per_second(r->message_word) + latency));
    }
}

/* The rank of a variable in its loop says whether a register holds it. */
static void put_scalar(struct sheet *s, lxw_worksheet *w, unsigned row, unsigned first,
                       unsigned last, const struct htmt__bound_loop *loop,
                       const struct htmt__nest_scalar *scalar)
{
    char f[200];
    double uses = htmt__nest_value(scalar->loads) + htmt__nest_value(scalar->stores);
    text(s, w, row, 0, loop->run->name, NULL);
    text(s, w, row, 1, scalar->name, NULL);
    number(s, w, row, 2, htmt__nest_value(scalar->words));
    number(s, w, row, 3, uses);
    snprintf(
        f, sizeof f,
        "=IF(C%u<>1,D%u,IF(COUNTIFS(C%u:C%u,1,D%u:D%u,\">\"&D%u)+COUNTIFS(C%u:C%u,1,D%u:D%u,D%u)"
        "<=parameters!$B$10,0,D%u))",
        row + 1, row + 1, first + 1, last + 1, first + 1, last + 1, row + 1, first + 1, row + 1,
        first + 1, row + 1, row + 1, row + 1);
    formula(s, w, row, 4, f, 0);
}

static void put_registers(struct sheet *s)
{
    static const char *const head[] = {"loop",    "variable", "words", "references of a cell",
                                       "spilled", NULL};
    const struct htmt__bounds *b = s->report->bound;
    lxw_worksheet *w = open_sheet(s, "registers", head);
    unsigned row = 1;
    for (unsigned i = 0; w && i < b->loops; i++) {
        const struct htmt__nest_plan *plan = b->loop[i].run->plan;
        unsigned first = row, last = row + plan->scalars - 1;
        for (unsigned k = 0; k < plan->scalars; k++)
            put_scalar(s, w, row++, first, last, &b->loop[i], &plan->scalar[k]);
    }
}

/* ---- the book ----------------------------------------------------------------------------------
 */

static int write_book(struct sheet *s)
{
    s->head = workbook_add_format(s->book);
    format_set_bold(s->head);
    put_parameters(s);
    put_loops(s);
    put_occupancy(s);
    put_messages(s);
    put_registers(s);
    return s->rc;
}

int htmt__bound_sheet(const struct htmt__bound_report *report, const char *path,
                      struct htmt_fault *fault)
{
    char name[40];
    int scratch = htmt__bound_scratch();
    snprintf(name, sizeof name, "/proc/self/fd/%d", scratch);
    struct sheet s = {.report = report, .book = scratch < 0 ? NULL : workbook_new(name)};
    int rc = s.book ? 0 : htmt_fault_set(fault, HTMT_ENOMEM, "--sheet: out of memory");
    if (!rc) {
        int bad = write_book(&s);
        lxw_error error = workbook_close(s.book);
        if (bad || error)
            rc = htmt_fault_set(fault, HTMT_EIO, "--sheet: %s",
                                error ? lxw_strerror(error) : "a cell could not be written");
    }
    if (!rc)
        rc = htmt__bound_scratch_save(scratch, path, fault);
    if (scratch >= 0)
        close(scratch);
    return rc;
}
