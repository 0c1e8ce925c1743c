/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The workbook by the rule of the ExaSAT sheets, which were workbooks: blocks, cache, lines, costs
 * and rates are cells of `parameters`, and the rest are formulas that a spreadsheet computes again.
 *
 * The sheet `arrays` has a row for each group of arrays of a loop that are alike: ghosts and
 * numbers of offsets are facts; row, plane, volume, what moves at each level and what each set
 * needs follow from the block. The sheet `loops` adds them up by SUMIF over the number of the loop,
 * chooses the level, and has the times. The last row has the sums with repeats.
 */
#include "emul/loops/bound/exasat.h"

#include "emul/loops/bound/workbook.h"

#include <string.h>

/* Cells of the sheet of parameters, B2 and on. */
enum parameter {
    BLOCK_X,
    BLOCK_Y,
    BLOCK_Z,
    CACHE,
    LINE,
    COST,
    BYPASS,
    DIVIDE,
    FUNCTION,
    FLOPS,
    MEMORY,
    PARAMETERS
};

static const char *const labels[PARAMETERS] = {
    [BLOCK_X] = "block along x, cells",
    [BLOCK_Y] = "block along y",
    [BLOCK_Z] = "block along z",
    [CACHE] = "bytes of the cache of a group",
    [LINE] = "words of a line",
    [COST] = "bytes of memory for a word that is written first",
    [BYPASS] = "streaming writes: written arrays need no room (1)",
    [DIVIDE] = "flop of a division",
    [FUNCTION] = "flop of a function",
    [FLOPS] = "flop/s of all threads",
    [MEMORY] = "bytes/s of the memory"};

/* As formulas name them. */
#define P(n) "parameters!$B$" #n

struct sheet {
    const struct htmt__exasat_report *report;
    struct htmt__workbook *to;
    unsigned loops, arrays; /* last rows of the sheets */
};

/* A formula with the value that it has now; # stands for the number of its row, @ for that of the
 * last loop, ~ for that of the last arrays. */
static void formula(struct sheet *s, lxw_worksheet *w, unsigned row, unsigned column,
                    const char *what, double value)
{
    char f[400];
    size_t at = 0;
    for (; *what && at + 16 < sizeof f; what++) {
        const unsigned rows = *what == '#' ? row + 1 : *what == '@' ? s->loops : s->arrays;
        if (strchr("#@~", *what))
            at += (size_t)snprintf(f + at, sizeof f - at, "%u", rows);
        else
            f[at++] = *what;
    }
    f[at] = '\0';
    if (*what)
        s->to->rc = HTMT_EIO;
    htmt__workbook_formula(s->to, w, row, column, f, value);
}

/* Cells of a block along an axis. */
static double block_of(const struct htmt__exasat_report *r, unsigned axis)
{
    const int64_t asked = r->request->block[axis];
    return asked ? (double)asked : (double)r->rule->box[axis];
}

static void put_parameters(struct sheet *s)
{
    static const char *const head[] = {"parameter", "value", NULL};
    const struct htmt__exasat_request *r = s->report->request;
    const double value[PARAMETERS] = {
        [BLOCK_X] = block_of(s->report, 0),
        [BLOCK_Y] = block_of(s->report, 1),
        [BLOCK_Z] = block_of(s->report, 2),
        [CACHE] = (double)r->cache,
        [LINE] = (double)r->line,
        [COST] = (double)r->write_cost,
        [BYPASS] = r->bypass,
        [DIVIDE] = htmt__nest_value(r->divide),
        [FUNCTION] = htmt__nest_value(r->function),
        [FLOPS] = 1e15 / htmt_ratio_value(r->flop) * (double)r->processors,
        [MEMORY] = r->word.num ? 8e15 / htmt_ratio_value(r->word) : 1e30};
    lxw_worksheet *w = htmt__workbook_sheet(s->to, "parameters", head);
    for (unsigned i = 0; w && i < PARAMETERS; i++) {
        htmt__workbook_text(s->to, w, i + 1, 0, labels[i], NULL);
        htmt__workbook_number(s->to, w, i + 1, 1, value[i]);
    }
    if (w)
        worksheet_set_column(w, 0, 0, 48, NULL);
}

/* ---- arrays ------------------------------------------------------------------------------------
 */

/* Columns A to P are facts and the block of the loop, Q to Z follow. */
static const char *const array_head[] = {"number",       "loop",        "kind",       "copies",
                                         "ghosts x",     "ghosts y",    "ghosts z",   "star",
                                         "planes",       "rows",        "cells",      "depth",
                                         "breadth",      "bx",          "by",         "bz",
                                         "row",          "plane",       "volume",     "plane bytes",
                                         "pencil bytes", "inner bytes", "cell bytes", "plane set",
                                         "pencil set",   "cell set",    NULL};

static const char *const array_formulas[] = {
    /* Q: row */ "=IF(C#=\"R\",CEILING(N#+E#," P(6) "),CEILING(N#," P(6) "))",
    /* R: plane */
    "=IF(C#<>\"R\",Q#*O#,IF(H#=1,Q#*O#+CEILING(N#," P(6) ")*F#,Q#*(O#+F#)))",
    /* S: volume */
    "=IF(C#<>\"R\",R#*P#,IF(H#=1,R#*P#+CEILING(N#," P(6) ")*O#*G#,R#*(P#+G#)))",
    /* T: bytes of planes that stay */ "=D#*IF(C#=\"R\",8,IF(C#=\"W\"," P(7) ",16))*S#",
    /* U: rows */ "=IF(C#=\"R\",8*D#*I#*R#*P#,T#)",
    /* V: cells of a row */ "=IF(C#=\"R\",8*D#*J#*Q#*O#*P#,T#)",
    /* W: nothing */ "=IF(C#=\"R\",8*D#*K#*N#*O#*P#,T#)",
    /* X: room of planes */
    "=IF(AND(C#<>\"R\"," P(8) "=1),0,8*D#*(L#+INDEX(loops!$K$1:$K$@,A#+1))*R#)",
    /* Y: of rows */
    "=IF(AND(C#<>\"R\"," P(8) "=1),0,8*D#*Q#*(M#+I#*INDEX(loops!$J$1:$J$@,A#+1)))",
    /* Z: of cells */ "=IF(AND(C#<>\"R\"," P(8) "=1),0,8*D#*K#)"};

static void put_group(struct sheet *s, lxw_worksheet *w, unsigned row, unsigned index,
                      const struct htmt__exasat_group *g)
{
    static const char *const kinds[HTMT__EXASAT_KINDS] = {"R", "W", "RW"};
    static const char axes[] = "LMN"; /* columns of blocks in `loops` */
    const struct htmt__exasat_loop *loop = &s->report->rule->loop[index];
    const htmt_wide facts[] = {g->copies, g->ghost[0], g->ghost[1], g->ghost[2], g->star,
                               g->planes, g->pencils,  g->cells,    g->depth,    g->breadth};
    struct htmt__exasat_words words;
    htmt__exasat_group_words(s->report->rule, loop, g, s->report->request, &words);
    const htmt_wide values[] = {words.row,
                                words.plane,
                                words.volume,
                                words.moved[HTMT__EXASAT_PLANE],
                                words.moved[HTMT__EXASAT_PENCIL],
                                words.moved[HTMT__EXASAT_INNER],
                                words.moved[HTMT__EXASAT_CELL],
                                words.set[HTMT__EXASAT_PLANE],
                                words.set[HTMT__EXASAT_PENCIL],
                                words.set[HTMT__EXASAT_CELL]};
    htmt__workbook_number(s->to, w, row, 0, index + 1);
    htmt__workbook_text(s->to, w, row, 1, loop->run->name, NULL);
    htmt__workbook_text(s->to, w, row, 2, kinds[g->kind], NULL);
    for (unsigned i = 0; i < sizeof facts / sizeof *facts; i++)
        htmt__workbook_number(s->to, w, row, 3 + i, (double)facts[i]);
    for (unsigned a = 0; a < HTMT__EXASAT_AXES; a++) {
        const double block = a < loop->run->plan->depth ? block_of(s->report, a) : 1;
        char f[40];
        snprintf(f, sizeof f, "=INDEX(loops!$%c$1:$%c$@,A#+1)", axes[a], axes[a]);
        formula(s, w, row, 13 + a, f, block);
    }
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++)
        formula(s, w, row, 16 + i, array_formulas[i], (double)values[i]);
}

/* ---- loops -------------------------------------------------------------------------------------
 */

/* Columns A to K are facts; L to N the block, the rest follows. */
static const char *const loop_head[] = {"loop",     "line",
                                        "times",    "cells",
                                        "add",      "mul",
                                        "div",      "function",
                                        "state",    "gap y",
                                        "gap z",    "bx",
                                        "by",       "bz",
                                        "plane, B", "pencil, B",
                                        "inner, B", "cell, B",
                                        "plane kB", "pencil kB",
                                        "cell kB",  "pencil as counted",
                                        "set kB",   "bytes",
                                        "flop",     "B:F",
                                        "Tc, s",    "Td, s",
                                        "time, s",  NULL};

/* Facts, and the block. */
static void put_facts(struct sheet *s, lxw_worksheet *w, unsigned index)
{
    const struct htmt__exasat_report *r = s->report;
    const struct htmt__exasat_loop *loop = &r->rule->loop[index];
    const struct htmt__nest_plan *plan = loop->run->plan;
    const unsigned row = index + 1;
    const double facts[] = {(double)(loop->run->nests == 1 ? plan->nest->source_line : 0),
                            (double)loop->run->times,
                            (double)plan->count,
                            htmt__nest_value(plan->ops[HTMT__NEST_ADD]),
                            htmt__nest_value(plan->ops[HTMT__NEST_MUL]),
                            htmt__nest_value(plan->ops[HTMT__NEST_DIV]),
                            htmt__nest_value(plan->ops[HTMT__NEST_FUNCTION]),
                            (double)loop->reals,
                            (double)loop->gap_y,
                            (double)loop->gap_z};
    htmt__workbook_text(s->to, w, row, 0, loop->run->name, NULL);
    for (unsigned i = 0; i < sizeof facts / sizeof *facts; i++)
        htmt__workbook_number(s->to, w, row, 1 + i, facts[i]);
    for (unsigned a = 0; a < HTMT__EXASAT_AXES; a++) {
        char f[40];
        snprintf(f, sizeof f, "=parameters!$B$%u", 2 + a);
        if (a >= plan->depth)
            htmt__workbook_number(s->to, w, row, 11 + a, 1);
        else
            formula(s, w, row, 11 + a, f, block_of(r, a));
    }
}

/* What moves at each level, and what each set needs: sums over the arrays of the loop. */
static void put_levels(struct sheet *s, lxw_worksheet *w, unsigned index,
                       double moved[HTMT__EXASAT_LEVELS])
{
    const struct htmt__exasat_report *r = s->report;
    const struct htmt__exasat_loop *loop = &r->rule->loop[index];
    const htmt_wide *set = r->each[index].set;
    const double sets[] = {(double)set[HTMT__EXASAT_PLANE], (double)set[HTMT__EXASAT_PENCIL],
                           (double)set[HTMT__EXASAT_CELL]};
    double blocks = (double)loop->run->plan->count;
    char f[100];
    for (unsigned a = 0; a < loop->run->plan->depth; a++)
        blocks /= block_of(r, a);
    for (unsigned g = 0; g < loop->groups; g++) {
        struct htmt__exasat_words words;
        htmt__exasat_group_words(r->rule, loop, &loop->group[g], r->request, &words);
        for (int l = 0; l < HTMT__EXASAT_LEVELS; l++)
            moved[l] += (double)words.moved[l] * blocks;
    }
    for (unsigned l = 0; l < HTMT__EXASAT_LEVELS; l++) {
        snprintf(f, sizeof f, "=D#/(L#*M#*N#)*SUMIF(arrays!$A$2:$A$~,ROW()-1,arrays!$%c$2:$%c$~)",
                 'T' + l, 'T' + l);
        formula(s, w, index + 1, 14 + l, f, moved[l]);
    }
    for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++) {
        snprintf(f, sizeof f, "=SUMIF(arrays!$A$2:$A$~,ROW()-1,arrays!$%c$2:$%c$~)/1024", 'X' + i,
                 'X' + i);
        formula(s, w, index + 1, 18 + i, f, sets[i] / 1024);
    }
}

static void put_loop(struct sheet *s, lxw_worksheet *w, unsigned index)
{
    const struct htmt__exasat_bound *b = &s->report->each[index];
    const double work = htmt__nest_value(b->work), bytes = htmt__nest_value(b->bytes);
    const unsigned row = index + 1;
    double moved[HTMT__EXASAT_LEVELS] = {0};
    put_facts(s, w, index);
    put_levels(s, w, index, moved);
    const bool rows_count = moved[HTMT__EXASAT_PENCIL] != moved[HTMT__EXASAT_INNER];
    const htmt_wide pencil = b->set[rows_count ? HTMT__EXASAT_PENCIL : HTMT__EXASAT_CELL];
    formula(s, w, row, 21, "=IF(P#=Q#,U#,T#)", (double)pencil / 1024);
    formula(s, w, row, 22, "=IF(O#=P#,V#,S#)", (double)b->working / 1024);
    formula(s, w, row, 23,
            "=IF(W#*1024<" P(5) ",MIN(O#:R#),IF(V#*1024<" P(5) ",MIN(P#:R#),IF(U#*1024<" P(
                5) ",MIN(Q#:R#),R#)))",
            bytes);
    formula(s, w, row, 24, "=(E#+F#+" P(9) "*G#+" P(10) "*H#)*D#", work);
    formula(s, w, row, 25, "=IF(Y#=0,0,X#/Y#)", work > 0 ? bytes / work : 0);
    formula(s, w, row, 26, "=Y#/" P(11), (double)b->compute_fs * 1e-15);
    formula(s, w, row, 27, "=X#/" P(12), (double)b->memory_fs * 1e-15);
    formula(s, w, row, 28, "=MAX(AA#,AB#)", (double)b->fs * 1e-15);
}

static void put_loops(struct sheet *s)
{
    const struct htmt__exasat_report *r = s->report;
    const unsigned last = r->rule->loops + 1;
    lxw_worksheet *w = htmt__workbook_sheet(s->to, "loops", loop_head);
    lxw_worksheet *arrays = htmt__workbook_sheet(s->to, "arrays", array_head);
    unsigned row = 1;
    s->loops = last;
    s->arrays = 1;
    for (unsigned i = 0; i < r->rule->loops; i++)
        s->arrays += r->rule->loop[i].groups;
    for (unsigned i = 0; w && arrays && i < r->rule->loops; i++) {
        put_loop(s, w, i);
        for (unsigned g = 0; g < r->rule->loop[i].groups; g++)
            put_group(s, arrays, row++, i, &r->rule->loop[i].group[g]);
    }
    if (!w || !arrays)
        return;
    const struct {
        unsigned column;
        const char *letters;
        double value;
    } sums[] = {{23, "X", htmt__nest_value(r->total->bytes)},
                {24, "Y", htmt__nest_value(r->total->work)},
                {28, "AC", (double)r->total->fs * 1e-15}};
    htmt__workbook_text(s->to, w, last, 0, "sum; largest set", s->to->head);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        char f[80];
        snprintf(f, sizeof f, "=SUMPRODUCT(C2:C%u,%s2:%s%u)", last, sums[i].letters,
                 sums[i].letters, last);
        formula(s, w, last, sums[i].column, f, sums[i].value);
    }
    char f[40];
    snprintf(f, sizeof f, "=MAX(W2:W%u)", last);
    formula(s, w, last, 22, f, (double)r->total->working / 1024);
    worksheet_set_column(w, 0, 0, 20, NULL);
    worksheet_set_column(arrays, 1, 1, 20, NULL);
}

static void fill(struct htmt__workbook *to, const void *report)
{
    struct sheet s = {.report = report, .to = to};
    put_parameters(&s);
    put_loops(&s);
}

int htmt__exasat_sheet(const struct htmt__exasat_report *report, const char *path,
                       struct htmt_fault *fault)
{
    return htmt__workbook_write(fill, report, path, fault);
}
