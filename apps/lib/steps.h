/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The course that a request takes through an application, the same for all of them:
 *
 *     predict   plan, tell
 *     model     plan, describe, prepare, create, the clock, collect, conclude
 *     run       plan, input, describe, prepare, create, the clock, collect, check, write, conclude
 *
 * and destroy, however it ends. An application gives these steps in a table and keeps what they
 * share in a struct of its own, which begins with a struct htmt__task.
 */
#ifndef HTMT_APPS_LIB_STEPS_H
#define HTMT_APPS_LIB_STEPS_H

#include "apps/lib/app.h"

#include <stdbool.h>

#define HTMT__GIB (1024.0 * 1024 * 1024)

/* One request that an application works on. */
struct htmt__task {
    const struct htmt_request *request;
    struct htmt_machine machine; /* the request's with as many slices as it asks for; it shares the
                                    rest */
    bool model;                  /* no data: a model run, or a prediction */
    struct htmt_outcome *out;    /* NULL in a prediction */
    struct htmt_fault *fault;
};

/* The steps; each returns an error code with its line in task.fault. NULL: there is nothing to do.
 */
struct htmt__course {
    size_t size;             /* of the application's struct, which is zeroed for the first step */
    int (*plan)(void *work); /* settings, plan, closed form; the data that they need */
    int (*tell)(void *work, struct htmt_prediction *prediction);
    int (*input)(void *work);     /* does it fit the host? all other data */
    void (*describe)(void *work); /* the problem, for the report */
    /* Room for results; what the application promises of the run goes to `options`. */
    int (*prepare)(void *work, struct htmt_options *options);
    int (*create)(void *work, struct htmt_emulator *e); /* the parcel program */
    int (*collect)(void *work);                         /* results, out of the program */
    int (*check)(void *work);
    int (*write)(void *work);
    int (*conclude)(void *work); /* what a report adds when all is known */
    void (*destroy)(void *work);
};

/* As run and predict of struct htmt_app. */
int htmt__course_run(const struct htmt_app *app, const struct htmt_request *request,
                     struct htmt_outcome *outcome, struct htmt_fault *fault);
int htmt__course_predict(const struct htmt_app *app, const struct htmt_request *request,
                         struct htmt_prediction *prediction, struct htmt_fault *fault);

/* Refuse a run that takes more bytes than the host has: "ARITHMETIC = 30 GiB, the host has ...".
 * Errors: HTMT_EHOSTFIT. */
int htmt__task_fits(const struct htmt__task *task, double bytes, const char *arithmetic, ...)
    __attribute__((format(printf, 3, 4)));

/* Put the result of a check, or of the closed form, into the outcome. */
void htmt__task_checked(const struct htmt__task *task, const char *name, double value,
                        double tolerance, bool correct);
void htmt__task_closed_form(const struct htmt__task *task, htmt_wide total, const char *name, ...)
    __attribute__((format(printf, 3, 4)));

#endif
