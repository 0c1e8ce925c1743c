/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a user asks of Cannon's multiply: the options, read and checked.
 */
#ifndef HTMT_APPS_CANNON_SETTINGS_H
#define HTMT_APPS_CANNON_SETTINGS_H

#include "apps/cannon/closed_form.h"
#include "apps/cannon/io/spread.h"
#include "apps/cannon/mpp.h"
#include "apps/lib/request.h"

enum htmt__cannon_check_kind {
    HTMT__CHECK_FREIVALDS,
    HTMT__CHECK_FULL,
    HTMT__CHECK_EXACT,
    HTMT__CHECK_NONE
};

struct htmt__cannon_settings {
    const char *a, *b, *out, *kernel_set; /* NULL: not given */
    uint64_t size;                        /* of what is generated */
    uint64_t b_c, t;                      /* 0 when neither an option nor a cost file gives it */
    uint64_t grid_rows;                   /* 0: not given */
    struct htmt__cannon_charges charges;
    enum htmt__cannon_schedule schedule;
    bool passes_messages; /* --execution mpp */
    struct htmt__cannon_mpp mpp;
    enum htmt__cannon_check_kind check;
    enum htmt__cannon_entries entries;
};

extern const struct htmt_app_option htmt__cannon_options[];
extern const struct htmt_paper_figure htmt__cannon_paper_figures[]; /* ends with a NULL row */

/* Options before cost file before defaults. Without --size a cost file's blocks are filled once:
 * size = t s b_c. Errors: HTMT_EUSAGE, HTMT_ERANGE; those of htmt_whole_file_check() and
 * htmt_costs_load(). */
int htmt__cannon_settings_read(const struct htmt_request *r, struct htmt__cannon_settings *s,
                               struct htmt_fault *fault);

/* The sizes of the files A and B, which are not read further. Errors: of the matrix functions,
 * HTMT_EINVAL (shapes). */
int htmt__cannon_measure(const struct htmt__cannon_settings *s, struct htmt__cannon_matrix *a,
                         struct htmt__cannon_matrix *b, struct htmt_fault *fault);

/* Slices without --slices: a square number of which each has at least one subblock; with
 * --grid-rows, and where a dimension is too short for that, as many as pay by the predicted time.
 * All of the machine where a cost file gives the size, and where the request is wrong. */
uint32_t htmt__cannon_slices(const struct htmt_request *r);
#define HTMT__CANNON_SLICES_WHY "each gets at least one full subblock, or more do not pay"

/* Generate A and B, or read what was measured: the shares that are here. Errors: of the spread
 * functions. */
int htmt__cannon_input(const struct htmt_request *r, const struct htmt__cannon_settings *s,
                       struct htmt__cannon_spread *a, struct htmt__cannon_spread *b,
                       struct htmt_fault *fault);
/* The same as whole matrices. Errors: of the matrix functions. Nothing to destroy after a failure.
 */
int htmt__cannon_input_whole(const struct htmt_request *r, const struct htmt__cannon_settings *s,
                             struct htmt__cannon_matrix *a, struct htmt__cannon_matrix *b,
                             struct htmt_fault *fault);

/* The problem of these matrices when they come from files, else of the size. */
struct htmt__cannon_problem htmt__cannon_settings_problem(const struct htmt__cannon_settings *s,
                                                          const struct htmt__cannon_matrix *a,
                                                          const struct htmt__cannon_matrix *b);

/* Its plan. Slices that make a
 * square make that grid; otherwise it is the grid of the shortest predicted time. Errors: as
 * htmt__cannon_plan() and htmt__cannon_predict(), HTMT_EUSAGE (schedule paper on a grid that is not
 * square).
 */
int htmt__cannon_settings_plan(const struct htmt_machine *m, const struct htmt__cannon_settings *s,
                               const struct htmt__cannon_matrix *a,
                               const struct htmt__cannon_matrix *b, struct htmt__cannon_plan *plan,
                               struct htmt_fault *fault);

/* Refuse a plan that pads a dimension to more than 8 times its length. Errors:
 * HTMT_EINVAL, with the arithmetic. */
int htmt__cannon_check_padding(const struct htmt__cannon_plan *plan, struct htmt_fault *fault);

/* "C = A B, 1,000 x 500 x 200: ..." */
void htmt__cannon_describe(const struct htmt__cannon_settings *s,
                           const struct htmt__cannon_plan *plan, char *text, size_t room);

#endif
