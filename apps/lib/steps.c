/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The steps of applications, called in the order of apps/lib/steps.h. While a step runs, t->step
 * has its name: who crashes or hangs in it is named by it.
 */
#include "apps/lib/execution.h"
#include "apps/lib/host_clock.h"
#include "apps/lib/task_parts.h"
#include "layers/machine/parts.h"
#include "layers/network/topology.h"
#include "parcels/clock/statistics.h"
#include "parcels/walk/permit.h"
#include "runtime/host/crash.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A failure gets a line: its own, else that of the emulator, else that of the code. What succeeds
 * leaves none, whatever it tried. */
static int ended(struct htmt_task *t, int rc)
{
    const struct htmt_emulator *e = htmt_task_emulator(t);
    const struct htmt_fault *f = e ? htmt_emulator_fault(e) : NULL;
    if (!rc)
        *t->fault = (struct htmt_fault){0};
    else if (!t->fault->code)
        htmt_fault_set(t->fault, rc, "%s", f && f->code ? f->text : htmt_strerror(rc));
    return rc;
}

/* The emulator belongs to the caller of the steps, so a step that destroys it is refused. */
static void step_begins(struct htmt_task *t, const char *name)
{
    t->step = name;
    if (htmt_task_emulator(t))
        htmt__emulator_keep(htmt_task_emulator(t), true);
}

static int step_ends(struct htmt_task *t, int rc)
{
    const char *name = t->step;
    t->step = NULL;
    if (!htmt_task_emulator(t) || !htmt__emulator_keep(htmt_task_emulator(t), false))
        return rc;
    return htmt_fault_set(t->fault, HTMT_EINVAL,
                          "%s destroys the emulator, which belongs to who calls the steps", name);
}

static int step(int (*of)(struct htmt_task *t, void *work), struct htmt_task *t, const char *name)
{
    if (!of)
        return 0;
    step_begins(t, name);
    return ended(t, step_ends(t, of(t, t->work)));
}

static void report(void (*of)(struct htmt_task *t, void *work), struct htmt_task *t,
                   const char *name)
{
    t->step = name;
    if (of)
        of(t, t->work);
    t->step = NULL;
}

/* For a handler of signals. */
static bool tell_step(const void *task, struct htmt__callback_scope *scope)
{
    const struct htmt_task *t = task;
    *scope = (struct htmt__callback_scope){.what = t->step, .stage = t->name, .now = -1};
    return t->step != NULL;
}

/* With --strict a warning ends the request. */
static int heed(const struct htmt_task *t)
{
    return t->request->strict ? htmt__warnings_refuse(t->warnings, t->fault) : 0;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static int plan(const struct htmt_app *a, struct htmt_task *t)
{
    int rc = step(a->plan, t, "step plan");
    if (!rc && !t->model)
        rc = step(a->input, t, "step input");
    return rc;
}

static int set_up(const struct htmt_app *a, struct htmt_task *t)
{
    struct htmt_options options = t->request->emulator;
    int rc = 0;
    if (a->prepare) {
        t->step = "step prepare";
        rc = a->prepare(t, t->work, &options);
        t->step = NULL;
        rc = ended(t, rc);
    }
    rc = rc ? rc : htmt_emulator_create(&t->out->emulator, &options, t->fault);
    if (rc)
        return rc;
    step_begins(t, "step create");
    rc = step_ends(t, a->create(t, t->work, t->out->emulator));
    return ended(t, rc);
}

static int emulate(const struct htmt_app *a, struct htmt_task *t)
{
    int rc = htmt_emulator_run(t->out->emulator);
    if (!rc)
        return 0;
    htmt_fault_set(t->fault, rc, "%s", htmt_emulator_fault(t->out->emulator)->text);
    step_begins(t, "step explain");
    int better = step_ends(t, a->explain ? a->explain(t, t->work, rc) : rc);
    return better ? better : rc;
}

static int check(const struct htmt_app *a, struct htmt_task *t)
{
    int rc = step(a->collect, t, "step collect");
    if (!rc && !t->model)
        rc = step(a->check, t, "step check");
    return rc;
}

static int write_results(const struct htmt_app *a, struct htmt_task *t)
{
    return t->model ? 0 : step(a->write, t, "step write");
}

/* ---- run ------------------------------------------------------------------------------------ */

static int begin(const struct htmt_task *t, enum htmt_step step)
{
    const struct htmt_request *r = t->request;
    if (!r->begins || r->begins(r->emulator.user, step))
        return 0;
    return htmt_fault_set(t->fault, HTMT_ECANCELLED, "interrupted by the user");
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
    struct htmt__wall_times *wall = &t->out->wall;
    double start = htmt_host_seconds(), since = start;
    int rc = timed(a, t, HTMT_STEP_INPUT, plan, &since, &wall->input_s);
    if (rc)
        return rc;
    report(a->describe, t, "step describe");
    (void)ended(t, 0);
    rc = heed(t);
    if (!rc)
        rc = timed(a, t, HTMT_STEP_SET_UP, set_up, &since, &wall->setup_s);
    if (!rc) {
        rc = timed(a, t, HTMT_STEP_EMULATE, emulate, &since, &wall->emulate_s);
        wall->kernels_s = htmt__kernels_seconds(t->out->emulator);
        if (rc && !t->model && a->salvage) { /* the line of the emulation's fault stays */
            struct htmt_fault first = *t->fault;
            *t->fault = (struct htmt_fault){0};
            (void)step(a->salvage, t, "step salvage");
            *t->fault = first;
        }
    }
    if (!rc)
        rc = timed(a, t, HTMT_STEP_CHECK, check, &since, &wall->check_s);
    if (!rc)
        rc = timed(a, t, HTMT_STEP_OUTPUT, write_results, &since, &wall->output_s);
    wall->total_s = since - start;
    if (!rc)
        rc = begin(t, HTMT_STEP_CONCLUDE);
    return rc ? rc : step(a->conclude, t, "step conclude");
}

/* What is inside its networks may follow the slices. */
static int take_machine(struct htmt_task *t)
{
    const struct htmt_request *r = t->request;
    t->machine = *r->machine;
    if (!r->emulator.slices || r->emulator.slices == r->machine->slices)
        return 0;
    if (htmt__machine_copy(r->machine, &t->own))
        return htmt_fault_set(t->fault, HTMT_ENOMEM, "no host memory for the machine");
    int rc = htmt__machine_play(t->own, r->emulator.slices, t->fault);
    t->own->slices = r->emulator.slices;
    t->machine = *t->own;
    return rc;
}

/* `t` has what the steps leave their results in. */
static int create(const struct htmt_app *a, const struct htmt_request *request, struct htmt_task *t)
{
    t->request = request;
    t->name = a->name;
    t->model = !t->out || request->emulator.mode == HTMT_MODEL;
    int rc = take_machine(t);
    t->work = !rc && a->work_bytes ? calloc(1, a->work_bytes) : NULL;
    if (!rc && a->work_bytes && !t->work)
        rc = htmt_fault_set(t->fault, HTMT_ENOMEM, "no host memory for the application");
    if (rc)
        htmt_machine_destroy(&t->own);
    return rc;
}

/* All of it, from the step plan to the step destroy. Without handlers a crash has no line, which is
 * no reason to end. */
static int take(const struct htmt_app *a, struct htmt_task *t,
                int (*all)(const struct htmt_app *a, struct htmt_task *t))
{
    bool watched = t->request->emulator.diagnose && !htmt__crash_watch();
    struct htmt__callback_scope_before before = htmt__callback_scope_begin(t, tell_step);
    int rc = all(a, t);
    report(a->destroy, t, "step destroy");
    free(t->work);
    htmt_machine_destroy(&t->own);
    htmt__callback_scope_end(before);
    if (watched)
        htmt__crash_unwatch();
    return rc;
}

int htmt__app_run(const struct htmt_app *app, const struct htmt_request *request,
                  struct htmt_outcome *out, struct htmt_fault *fault)
{
    *out = (struct htmt_outcome){.correct = -1};
    if (request->emulator.mode == HTMT_MODEL)
        snprintf(out->kernel_set, sizeof out->kernel_set, "none");
    struct htmt_fault own = {0};
    struct htmt_task t = {.out = out, .warnings = &out->warnings, .fault = fault ? fault : &own};
    int rc = create(app, request, &t);
    return rc ? rc : take(app, &t, go);
}

static int foresee(const struct htmt_app *a, struct htmt_task *t)
{
    int rc = step(a->plan, t, "step plan");
    if (!rc)
        rc = heed(t);
    /* the other forms know of their data when they tell */
    if (rc || (t->request->plan_only && htmt_execution_asked(t->request) == HTMT_EXECUTION_HTMT))
        return rc;
    if (!a->tell)
        return htmt_fault_set(t->fault, HTMT_EUSAGE, "%s has no closed form", a->name);
    t->step = "step tell";
    rc = a->tell(t, t->work, t->prediction);
    t->step = NULL;
    return ended(t, rc);
}

int htmt__app_predict(const struct htmt_app *app, const struct htmt_request *request,
                      struct htmt_prediction *prediction, struct htmt_fault *fault)
{
    memset(prediction, 0, offsetof(struct htmt_prediction, term));
    prediction->values_only = request->values_only;
    prediction->total_fs = INT64_MAX;
    struct htmt_fault own = {0};
    struct htmt_task t = {
        .prediction = prediction, .warnings = &prediction->warnings, .fault = fault ? fault : &own};
    int rc = create(app, request, &t);
    return rc ? rc : take(app, &t, foresee);
}
