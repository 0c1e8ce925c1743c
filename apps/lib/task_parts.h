/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What requests, tasks, outcomes and predictions are made of, for those who call the steps of
 * applications. Applications see none of this: apps/lib/app.h, steps.h and request.h are theirs.
 */
#ifndef HTMT_APPS_LIB_TASK_PARTS_H
#define HTMT_APPS_LIB_TASK_PARTS_H

#include "apps/lib/app.h"
#include "apps/lib/steps.h"

#define HTMT__TERMS_MAX    192
#define HTMT__FOUND_MAX    32
#define HTMT__WARNINGS_MAX 16
#define HTMT__NOTES_MAX    12

enum htmt_step {
    HTMT_STEP_INPUT,
    HTMT_STEP_SET_UP,
    HTMT_STEP_EMULATE,
    HTMT_STEP_CHECK,
    HTMT_STEP_OUTPUT,
    HTMT_STEP_CONCLUDE
};

struct htmt_request {
    const struct htmt_machine *machine;
    const char *costs;           /* NAME or FILE as given; NULL: the kernels' own counts */
    const char *const *cost_set; /* "key=value": figures of that file to be changed */
    unsigned cost_set_count;
    bool plan_only;               /* of predict: whether it fits is all that is asked */
    bool values_only;             /* of predict: terms need a name, a unit and a value */
    bool strict;                  /* warnings are errors */
    bool sections;                /* the application names its iterations */
    struct htmt_options emulator; /* machine, slices, mode, threads, observers: to be passed on */
    /* Told each step of a run as it begins, with emulator.user; false: the run shall end with
     * HTMT_ECANCELLED. May be NULL. */
    bool (*begins)(void *user, enum htmt_step step);
    uint64_t seed;
    const struct htmt_app_option *rows; /* the application's own; NULL: none... */
    const char *const *values;          /* ...and for each the value given, its fallback, or NULL;
                                           "" for a switch that was given */
};

struct htmt__wall_times {
    double input_s, setup_s, emulate_s, check_s, output_s, total_s;
    double kernels_s; /* of emulate_s, in kernels; 0: nobody asked */
};

struct htmt_found {
    char name[40]; /* "rays_ended" */
    double value;
    char text[128]; /* instead of the value, with unit "text"; else empty */
    char unit[16];  /* "1" of plain numbers */
};

struct htmt_warnings {
    unsigned count;
    unsigned left_out; /* counted by the last item, "more" */
    struct htmt_warning {
        char name[32]; /* "centroid", for programs */
        char text[300];
    } item[HTMT__WARNINGS_MAX + 1];
};

/* The refusal of --strict: the first warning, and the number of others. Errors: HTMT_EFORMAT; none
 * without warnings. */
int htmt__warnings_refuse(const struct htmt_warnings *w, struct htmt_fault *fault);

/* A warning whose text changes: replaces the one of that name, or adds it. */
void htmt__warn_again(struct htmt_warnings *w, const char *name, const char *text);

struct htmt_outcome {
    struct htmt_emulator *emulator; /* the caller destroys it; may be NULL after a fault */
    char precision[32];             /* "double"; empty: the application does not say */
    char kernel_set[64]; /* "OpenBLAS SkylakeX"; "none" in a model run; empty: the application does
                            not say */
    char problem[400];   /* one line: what was computed, sizes, blocks */
    int correct;         /* 1, 0, or -1: nothing was checked */
    char unchecked[200]; /* why; empty: the application does not say */
    struct {
        char name[64];
        double value, tolerance;
    } check;
    double flops;         /* of the problem, not of padding; 0: the application does not say */
    double expected_s;    /* of virtual time, for progress; 0: closed_form_s */
    double closed_form_s; /* what predict says for this command line; 0: it says nothing */
    char closed_form_name[64];
    htmt_wide closed_form[HTMT_PATH_CAUSES]; /* its fs by cause, as a path has them whose work is
                                                the SPELL's; all 0: it does not tell */
    char notes[HTMT__NOTES_MAX + 1][200]; /* more lines for the report ("overlap saves ..."); empty:
                                             unused; the last one counts those left out */
    unsigned notes_left_out;
    struct htmt_warnings warnings;
    unsigned found_count, found_left_out;
    struct htmt_found found[HTMT__FOUND_MAX];
    struct htmt__wall_times wall;
};

struct htmt_prediction {
    double total_s, flops;
    int64_t total_fs; /* INT64_MAX: not known, or not less */
    struct {
        double s;
        char name[48];
    } part[HTMT_PARTS];
    char problem[400];
    struct htmt_warnings warnings;
    bool values_only; /* as the request says */
    unsigned count, left_out;
    struct htmt_term term[HTMT__TERMS_MAX]; /* `count` of them are set */
};

struct htmt_task {
    const struct htmt_request *request;
    struct htmt_machine machine; /* the request's with as many slices as it asks for; it shares the
                                    rest with it, or with `own` */
    struct htmt_machine *own;    /* NULL: all slices are asked for */
    bool model;                  /* no data: a model run, or a prediction */
    double held;                 /* bytes of the data that were in memory when plan ended */
    struct htmt_outcome *out;    /* NULL in a prediction */
    struct htmt_prediction *prediction; /* NULL in a run or a model run */
    struct htmt_warnings *warnings;     /* of the outcome or the prediction */
    struct htmt_fault *fault;
    void *work;              /* the application's */
    const char *name, *step; /* "jacobi"; "step plan", NULL between the steps: who crashes is named
                                by them */
};

/* All steps of a run or of a model run, by the request. On failure *fault has the line;
 * outcome->emulator may still be set (a deadlock is reported from it). */
int htmt__app_run(const struct htmt_app *app, const struct htmt_request *request,
                  struct htmt_outcome *outcome, struct htmt_fault *fault);
/* All steps of a prediction. Errors: those of the steps, HTMT_EUSAGE (no closed form, and more than
 * the plan is asked for). */
int htmt__app_predict(const struct htmt_app *app, const struct htmt_request *request,
                      struct htmt_prediction *prediction, struct htmt_fault *fault);

#endif
