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
 * later ones are for the caller. The steps are members of struct htmt_app; htmt_app_run() and
 * htmt_app_predict() call them. An application keeps what its steps share in a struct of its own,
 * which begins with a struct htmt_task.
 */
#ifndef HTMT_APPS_LIB_STEPS_H
#define HTMT_APPS_LIB_STEPS_H

#include "apps/lib/app.h"

#include <stdbool.h>

#define HTMT_GIB (1024.0 * 1024 * 1024)

/* One request that an application works on. */
struct htmt_task {
    const struct htmt_request *request;
    struct htmt_machine machine; /* the request's with as many slices as it asks for; it shares the
                                    rest */
    bool model;                  /* no data: a model run, or a prediction */
    double held;                 /* bytes of the data that were in memory when plan ended */
    struct htmt_outcome *out;    /* NULL in a prediction */
    struct htmt_warnings *warnings; /* of the outcome or the prediction */
    struct htmt_fault *fault;
};

/* Refuse a run that takes more bytes than the host has left, beside those held:
 * "ARITHMETIC = 30 GiB, the host has ...".
 * Errors: HTMT_EHOSTFIT. */
int htmt_task_fits(const struct htmt_task *task, double bytes, const char *arithmetic, ...)
    __attribute__((format(printf, 3, 4)));

/* Put the result of a check, or of the closed form, into the outcome. */
void htmt_task_checked(const struct htmt_task *task, const char *name, double value,
                       double tolerance, bool correct);
void htmt_task_closed_form(const struct htmt_task *task, htmt_wide total, const char *name, ...)
    __attribute__((format(printf, 3, 4)));

#endif
