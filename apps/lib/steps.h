/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The steps of a request in an application, in this order:
 *
 *     predict   plan, tell
 *     model     plan, describe, prepare, create, the clock, collect, conclude
 *     run       plan, input, describe, prepare, create, the clock, collect, check, write, conclude
 *
 * explain and, in a run, salvage where the clock failed, and destroy, however it ends. With
 * --strict the warnings of plan, input and describe end the request before anything is set up;
 * later ones only make the exit status 2. The steps are members of struct htmt_app. An application
 * keeps what its steps share in `work`.
 *
 * A task is one request that an application works on. Steps ask it what is wanted and tell it what
 * a report shall say. All functions here are for the steps, on their thread, while the task lasts;
 * they copy the texts that they get and cut off what finds no room. What a prediction has no place
 * for goes nowhere, so that a step need not know who asks.
 */
#ifndef HTMT_APPS_LIB_STEPS_H
#define HTMT_APPS_LIB_STEPS_H

#include "apps/lib/app.h"
#include "apps/lib/warnings.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HTMT_GIB (1024.0 * 1024 * 1024)

/* ---- what is wanted ------------------------------------------------------------------------- */

/* Belongs to the task, as do machine and fault. */
const struct htmt_request *htmt_task_request(const struct htmt_task *t);
/* The request's machine with as many slices as it asks for. */
const struct htmt_machine *htmt_task_machine(const struct htmt_task *t);
/* No data: a model run, or a prediction. */
bool htmt_task_is_model(const struct htmt_task *t);
/* A prediction: no emulator comes. */
bool htmt_task_is_prediction(const struct htmt_task *t);
/* After the step create, also where that failed; before it, and in a prediction, NULL. The caller
 * of the steps destroys it. */
struct htmt_emulator *htmt_task_emulator(const struct htmt_task *t);

/* Options, as in apps/lib/request.h; the line of an error is the task's. */
const char *htmt_task_value(const struct htmt_task *t, const char *name);
int htmt_task_whole(struct htmt_task *t, const char *name, uint64_t least, uint64_t most,
                    uint64_t *value);
int htmt_task_real(struct htmt_task *t, const char *name, double least, double most, double *value);

/* ---- what goes wrong ------------------------------------------------------------------------ */

/* Where a step that fails leaves its line (htmt_fault_set()); the step returns the code. */
struct htmt_fault *htmt_task_fault(struct htmt_task *t);
/* The same in one call, which replaces a line that is there already: in the step explain that of
 * the emulation. Returns code. */
int htmt_task_refuse(struct htmt_task *t, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Refuse a run that takes more bytes than the host has left, beside those held:
 * "ARITHMETIC = 30 GiB, the host has ...".
 * Errors: HTMT_EHOSTFIT. */
int htmt_task_fits(struct htmt_task *t, double bytes, const char *arithmetic, ...)
    __attribute__((format(printf, 3, 4)));
/* Bytes of the data that are in memory when the step plan ends: htmt_task_fits() counts them as
 * there. */
void htmt_task_held(struct htmt_task *t, double bytes);

/* As htmt_warn(), in the list of the task. */
void htmt_task_warn(struct htmt_task *t, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* That list, for functions that warn without a task; belongs to the task. */
struct htmt_warnings *htmt_task_warnings(struct htmt_task *t);

/* ---- what a report says --------------------------------------------------------------------- */

/* One line, below 400 bytes: what is computed, sizes, blocks. In each step, for predictions too. */
void htmt_task_problem(struct htmt_task *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Operations of the problem, not of padding; 0: the report has no rate. In each step, for
 * predictions too. */
void htmt_task_flops(struct htmt_task *t, double flops);
/* "double": the type of the elements, below 32 bytes. */
void htmt_task_precision(struct htmt_task *t, const char *type);
/* "OpenBLAS SkylakeX": what computes in the kernels, below 64 bytes. */
void htmt_task_kernel_set(struct htmt_task *t, const char *name);
/* Virtual seconds that the run will take, for the line of progress; the closed form says it, too.
 */
void htmt_task_expected(struct htmt_task *t, double seconds);

/* A line more for the report, below 200 bytes: "overlap saves ...". There is room for 12: of more
 * the last line says how many were left out. */
void htmt_task_note(struct htmt_task *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same at one place of those 12, from 0, whose note it replaces: notes are printed in the order
 * of places, whichever came first. htmt_task_note() takes the place behind the last one. */
void htmt_task_note_at(struct htmt_task *t, unsigned place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A figure that the application found out about its input or result, for programs to read: name
 * ("rays_ended", below 40 bytes) and unit ("1" of plain numbers, below 16 bytes). There is room for
 * 32; a warning counts those beyond. */
void htmt_task_found(struct htmt_task *t, const char *name, double value, const char *unit);
/* The same for a text; one of 128 bytes and more loses its beginning. */
void htmt_task_found_text(struct htmt_task *t, const char *name, const char *text);

/* What the step check found: a value and the largest that is correct. A run that is not correct
 * ends with status 1. */
void htmt_task_checked(struct htmt_task *t, const char *name, double value, double tolerance,
                       bool correct);
/* Instead: why this run was not checked, below 200 bytes. Such a run is neither correct nor wrong.
 */
void htmt_task_unchecked(struct htmt_task *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same as htmt_task_checked() of `count` numbers and those that are right: the value is the
 * largest difference, "error"; what is no number is never correct. */
void htmt_task_compare(struct htmt_task *t, const double *found, const double *wanted,
                       uint64_t count, double tolerance);

/* What the closed form gives for this command line, in fs, and its name, below 64 bytes: the report
 * sets it beside the clock's time. 0: there is none. */
void htmt_task_closed_form(struct htmt_task *t, htmt_wide total, const char *name, ...)
    __attribute__((format(printf, 3, 4)));
/* Its fs by cause (parcels/path.h), as a path has them whose work is the principal resource's; for
 * --explain. */
void htmt_task_closed_form_causes(struct htmt_task *t, const htmt_wide causes[HTMT_PATH_CAUSES]);

/* The same of trains: work of the resource that sets the pace, the train's fill and drain, and what
 * else there is, which is overhead. */
static inline void htmt_task_closed_form_train(struct htmt_task *t, htmt_wide total, htmt_wide work,
                                               htmt_wide fill, htmt_wide drain)
{
    htmt_wide causes[HTMT_PATH_CAUSES] = {0};
    causes[HTMT_PATH_WORK] = work;
    causes[HTMT_PATH_FILL] = fill;
    causes[HTMT_PATH_DRAIN] = drain;
    causes[HTMT_PATH_OVERHEAD] = total - work - fill - drain;
    htmt_task_closed_form_causes(t, causes);
}

/* ---- what a prediction says ----------------------------------------------------------------- */

/* One line of a closed form, in the order and depth of its tree. apps/lib/term_tree.h makes them
 * from formulas. */
struct htmt_term {
    unsigned depth;
    char name[48];        /* "M_S" */
    char meaning[96];     /* "multiply one subblock" */
    double value;         /* in unit */
    char unit[16];        /* "s", "words", "flop/s", "1" */
    char expression[160]; /* what was evaluated, and behind a colon what was done with that:
                             "multiply.flop * b_c * b_c * b_c: flop of a SPELL"; or "computed: " and
                             the function that knows */
    char values[800];     /* of the names in it: "multiply.flop = 2; b_c = 125;" */
    char inputs[200];     /* of the problem: "q = 1, t = 3, s = 4, b_c = 86" */
};

/* For the step tell. The time, in whole femtoseconds, or in seconds where the closed form is one of
 * real numbers; operations; the line of the problem, below 400 bytes. */
void htmt_prediction_total_fs(struct htmt_prediction *p, htmt_wide fs);
void htmt_prediction_total(struct htmt_prediction *p, double seconds);
void htmt_prediction_flops(struct htmt_prediction *p, double flops);
void htmt_prediction_problem(struct htmt_prediction *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The total as a sum of three parts, for `htmt compare`: what processors compute; what they wait
 * longer, for words of memories; and for other slices or nodes. `name`: the term that most of a
 * part is, below 48 bytes. A part that is not given is 0. */
enum htmt_part { HTMT_PART_COMPUTE, HTMT_PART_MEMORY, HTMT_PART_NETWORK, HTMT_PARTS };
void htmt_prediction_part(struct htmt_prediction *p, enum htmt_part part, double seconds,
                          const char *name);
/* The same of parcels, behind the total: `compute` and `network`, the busy time of the fullest
 * slice's processors and of exchanges that show, at most the total; memory is the rest. `names`: of
 * each part. */
void htmt_prediction_parts(struct htmt_prediction *p, double compute, double network,
                           const char *const names[HTMT_PARTS]);
/* A line, copied. There is room for 192; a warning counts those beyond. */
void htmt_prediction_term(struct htmt_prediction *p, const struct htmt_term *term);
/* The lines that are there, to be completed, by their inputs for example; they belong to the
 * prediction. NULL: there is no such line. */
unsigned htmt_prediction_count(const struct htmt_prediction *p);
struct htmt_term *htmt_prediction_term_at(struct htmt_prediction *p, unsigned index);

#ifdef __cplusplus
}
#endif

#endif
