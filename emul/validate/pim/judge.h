/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Judges measured rows: a prediction for each, its error, and the errors of groups. A row that a
 * figure was fitted to stands in no mean: the sources of the machine files and of the cost file
 * name these rows, or patterns of them ("N.mram.*.1.*.*"), and a point of a bus's curve is the row
 * that has its value.
 */
#ifndef HTMT_EMUL_VALIDATE_PIM_JUDGE_H
#define HTMT_EMUL_VALIDATE_PIM_JUDGE_H

#include "emul/validate/pim/measured.h"
#include "emul/validate/pim/run.h"
#include "layers/bank/controller.h"

#define HTMT__PIM_COPIES_MACHINE   "upmem-e19" /* of rows N.... */
#define HTMT__PIM_PROGRAMS_MACHINE "upmem-p21" /* of all others */
#define HTMT__PIM_COSTS            "prim-upmem"
#define HTMT__PIM_GROUPS_MAX       96

/* One row. Errors are relative: predicted / measured - 1. */
struct htmt__pim_finding {
    const struct htmt__measured_row *row;
    bool known;  /* a program or copy that is modelled; else only the row is there */
    bool judged; /* predicted and compared; else `why` */
    bool fitted; /* a figure was fitted to it */
    bool held;   /* a curve was held beyond its points */
    double predicted, error;
    double launch;             /* s, of copies: in both times; 0: not predicted */
    double net;                /* error of a copy, its launch left out of both times */
    double plain, plain_error; /* without a constant; NAN: there is no such column */
    double line_error;         /* of a straight line through the program's two rows; or NAN */
    char group[40];
    char why[200];
};

/* Rows of one kind. The means and the median are of errors without sign, of rows not fitted. */
struct htmt__pim_group {
    char name[40];
    unsigned rows, fitted, counted;
    unsigned not_predicted;                       /* rows that belong to it */
    double mean, median, worst, plain_mean, bias; /* bias: the mean with sign */
    double line_mean;                             /* NAN: there is none */
    const char *worst_id;
    double target, median_target; /* NAN: shown, without target */
    bool missed, met;             /* neither: rows are not predicted */
};

struct htmt__pim_judgement {
    struct htmt__measured measured;
    struct htmt_machine *copies, *programs;
    struct htmt_costs *costs;
    unsigned count;
    struct htmt__pim_finding *finding; /* for each measured row, in its order */
    unsigned groups, missed;
    unsigned not_judged; /* groups with a target, not missed, of which rows are not predicted */
    struct htmt__pim_group group[HTMT__PIM_GROUPS_MAX];
    unsigned unknown, not_modelled, not_predicted;
};

/* `data`: a folder with rows; NULL: the shipped ones. Errors: those of the readers and of
 * model runs; HTMT_EFORMAT, a fitted figure whose source does not name its rows. On
 * success the caller calls htmt__pim_clear(). */
int htmt__pim_judge(const char *data, const struct htmt_app *const *apps,
                    struct htmt__pim_judgement *judgement, struct htmt_fault *fault);
void htmt__pim_clear(struct htmt__pim_judgement *judgement);

/* Calls `take` for each figure that no row's prediction depends on, "upmem-e19" and its key. */
void htmt__pim_unused(const struct htmt__pim_judgement *judgement,
                      void (*take)(void *with, const char *file, const struct htmt_figure *figure),
                      void *with);

/* ---- parts of htmt__pim_judge() ----------------------------------------------------------------
 */

/* fitted.c: rows that figures were fitted to. Rows that sources name are known, shipped or judged.
 * Every constant names two kernels of its program, and every fitted figure of the copies' machine
 * its rows: else they would be counted. Errors: HTMT_EFORMAT, HTMT_ENOMEM. */
int htmt__fitted_check(const struct htmt__pim_judgement *judgement, struct htmt_fault *fault);

/* Mark them. Errors: HTMT_ENOMEM. */
int htmt__fitted_mark(struct htmt__pim_judgement *judgement, struct htmt_fault *fault);

/* What a fit to two rows is worth: each kernel by a straight line in the work of a DPU, through the
 * two rows that the constants of its program were fitted to. Fills in line_error of the findings.
 * Errors: HTMT_ENOMEM. */
int htmt__fitted_lines(struct htmt__pim_judgement *judgement, struct htmt_fault *fault);

/* groups.c: errors of groups of rows, and what they are to reach. Fill judgement->group, groups and
 * missed. Errors: HTMT_ENOMEM, HTMT_ERANGE (too many groups). */
int htmt__groups(struct htmt__pim_judgement *judgement, struct htmt_fault *fault);

#endif
