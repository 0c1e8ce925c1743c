/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/lib/steps.h"

#include "apps/lib/host_clock.h"
#include "runtime/base/memory.h"

#include <stdarg.h>
#include <stdlib.h>

static int step(int (*of)(void *work), void *work)
{
    return of ? of(work) : 0;
}

static int heed(const struct htmt_task *t)
{
    return t->request->strict ? htmt_warnings_refuse(t->warnings, t->fault) : 0;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static int plan(const struct htmt_app *a, struct htmt_task *t)
{
    int rc = a->plan(t);
    if (!rc && !t->model)
        rc = step(a->input, t);
    return rc;
}

static int set_up(const struct htmt_app *a, struct htmt_task *t)
{
    struct htmt_options options = t->request->emulator;
    int rc = a->prepare ? a->prepare(t, &options) : 0;
    if (rc)
        return rc;
    rc = htmt_emulator_create(&t->out->emulator, &options, t->fault);
    return rc ? rc : a->create(t, t->out->emulator);
}

static int emulate(const struct htmt_app *a, struct htmt_task *t)
{
    int rc = htmt_emulator_run(t->out->emulator);
    if (!rc)
        return 0;
    htmt_fault_set(t->fault, rc, "%s", htmt_emulator_fault(t->out->emulator)->text);
    return a->explain ? a->explain(t, rc) : rc;
}

/* The line of the emulation's fault stays. */
static void salvage(const struct htmt_app *a, struct htmt_task *t)
{
    struct htmt_fault first = *t->fault;
    if (t->model || !a->salvage)
        return;
    *t->fault = (struct htmt_fault){0};
    (void)a->salvage(t);
    *t->fault = first;
}

static int check(const struct htmt_app *a, struct htmt_task *t)
{
    int rc = step(a->collect, t);
    if (!rc && !t->model)
        rc = step(a->check, t);
    return rc;
}

/* ---- run ------------------------------------------------------------------------------------ */

static int begin(const struct htmt_task *t, enum htmt_step step)
{
    const struct htmt_request *r = t->request;
    if (!r->begins || r->begins(r->emulator.user, step))
        return 0;
    return htmt_fault_set(t->fault, HTMT_ECANCELLED, "interrupted by the user");
}

static int write_results(const struct htmt_app *a, struct htmt_task *t)
{
    return t->model ? 0 : step(a->write, t);
}

/* A step of a run and the wall time that it takes. */
static int timed(const struct htmt_app *a, struct htmt_task *t, enum htmt_step name,
                 int (*of)(const struct htmt_app *a, struct htmt_task *t), double *since,
                 double *wall)
{
    int rc = begin(t, name);
    if (!rc)
        rc = of(a, t);
    *wall = htmt_host_elapsed(since);
    return rc;
}

static int go(const struct htmt_app *a, struct htmt_task *t)
{
    struct htmt_walls *wall = &t->out->wall;
    double start = htmt_host_seconds(), since = start;
    int rc = timed(a, t, HTMT_STEP_INPUT, plan, &since, &wall->input_s);
    if (rc)
        return rc;
    a->describe(t);
    rc = heed(t);
    if (!rc)
        rc = timed(a, t, HTMT_STEP_SET_UP, set_up, &since, &wall->setup_s);
    if (!rc && (rc = timed(a, t, HTMT_STEP_EMULATE, emulate, &since, &wall->emulate_s)))
        salvage(a, t);
    if (!rc)
        rc = timed(a, t, HTMT_STEP_CHECK, check, &since, &wall->check_s);
    if (!rc)
        rc = timed(a, t, HTMT_STEP_OUTPUT, write_results, &since, &wall->output_s);
    wall->total_s = since - start;
    if (!rc)
        rc = begin(t, HTMT_STEP_CONCLUDE);
    return rc ? rc : step(a->conclude, t);
}

static struct htmt_task *create(const struct htmt_app *a, const struct htmt_request *request,
                                struct htmt_outcome *out, struct htmt_warnings *warnings,
                                struct htmt_fault *fault)
{
    struct htmt_task *t = calloc(1, a->work_bytes);
    if (!t) {
        htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the application");
        return NULL;
    }
    t->request = request;
    t->machine = *request->machine;
    if (request->emulator.slices)
        t->machine.slices = request->emulator.slices;
    t->model = !out || request->emulator.mode == HTMT_MODEL;
    t->out = out;
    t->warnings = warnings;
    t->fault = fault;
    return t;
}

static void destroy(const struct htmt_app *a, struct htmt_task *t)
{
    if (a->destroy)
        a->destroy(t);
    free(t);
}

int htmt_app_run(const struct htmt_app *app, const struct htmt_request *request,
                 struct htmt_outcome *out, struct htmt_fault *fault)
{
    *out = (struct htmt_outcome){.correct = -1, .kernel_set = "none"};
    struct htmt_task *t = create(app, request, out, &out->warnings, fault);
    if (!t)
        return HTMT_ENOMEM;
    int rc = go(app, t);
    destroy(app, t);
    return rc;
}

int htmt_app_predict(const struct htmt_app *app, const struct htmt_request *request,
                     struct htmt_prediction *prediction, struct htmt_fault *fault)
{
    struct htmt_task *t = create(app, request, NULL, &prediction->warnings, fault);
    if (!t)
        return HTMT_ENOMEM;
    *prediction = (struct htmt_prediction){.count = 0};
    int rc = app->plan(t);
    if (!rc)
        rc = heed(t);
    if (!rc && !request->plan_only)
        rc = app->tell(t, prediction);
    destroy(app, t);
    return rc;
}

/* ---- what steps have to say ----------------------------------------------------------------- */

int htmt_task_fits(const struct htmt_task *t, double bytes, const char *arithmetic, ...)
{
    char text[300], left[HTMT_MEMORY_TEXT];
    if (htmt_memory_holds(bytes - t->held, left))
        return 0;
    va_list more;
    va_start(more, arithmetic);
    vsnprintf(text, sizeof text, arithmetic, more);
    va_end(more);
    return htmt_fault_set(t->fault, HTMT_EHOSTFIT, "%s = %.2f GiB, %s; `htmt model` needs no data",
                          text, bytes / HTMT_GIB, left);
}

void htmt_task_checked(const struct htmt_task *t, const char *name, double value, double tolerance,
                       bool correct)
{
    struct htmt_outcome *o = t->out;
    snprintf(o->check.name, sizeof o->check.name, "%s", name);
    o->check.value = value;
    o->check.tolerance = tolerance;
    o->correct = correct;
}

void htmt_task_closed_form(const struct htmt_task *t, htmt_wide total, const char *name, ...)
{
    struct htmt_outcome *o = t->out;
    va_list more;
    o->closed_form_s = 1e-15 * (double)total;
    va_start(more, name);
    vsnprintf(o->closed_form_name, sizeof o->closed_form_name, name, more);
    va_end(more);
}
