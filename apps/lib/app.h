/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What an application is to the htmt command: a table of its options and its steps.
 * An application knows nothing of the command line; it gets a request and gives an outcome.
 */
#ifndef HTMT_APPS_LIB_APP_H
#define HTMT_APPS_LIB_APP_H

#include "parcels/htmt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define HTMT_TERMS_MAX 192

/* A row serves parsing, help, the man page and the run record. Values stay text until the
 * application reads them; `--NAME VALUE`, or `--NAME` alone when value_name is NULL. */
struct htmt_app_option {
    const char *name, *value_name;
    const char *fallback; /* default as text; NULL: none */
    const char *help;
};

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
    bool strict;                  /* warnings are errors */
    struct htmt_options emulator; /* machine, slices, mode, threads, observers: to be passed on */
    /* Told each step of a run as it begins, with emulator.user; false: the run shall end with
     * HTMT_ECANCELLED. May be NULL. */
    bool (*begins)(void *user, enum htmt_step step);
    uint64_t seed;
    const struct htmt_app_option *rows; /* the application's own... */
    const char *const *values;          /* ...and for each the value given, its fallback, or NULL;
                                           "" for a switch that was given */
};

/* Value of an option by name; NULL when it was not given and has no fallback. */
const char *htmt_request_value(const struct htmt_request *r, const char *name);

struct htmt_walls {
    double input_s, setup_s, emulate_s, check_s, output_s, total_s;
};

/* A figure that the application found out about its input or result, for programs to read. */
struct htmt_found {
    char name[40]; /* "rays_ended" */
    double value;
    char text[128]; /* instead of the value, with unit "text"; else empty */
    char unit[16];  /* "1" of plain numbers */
};

#define HTMT_FOUND_MAX 32

/* Reasons to doubt the input or the result of a request that is carried out all the same. With
 * --strict they end it. */
#define HTMT_WARNINGS_MAX 16

struct htmt_warnings {
    unsigned count;
    struct htmt_warning {
        char name[32]; /* "centroid", for programs */
        char text[300];
    } item[HTMT_WARNINGS_MAX];
};

/* Adds a warning; those beyond HTMT_WARNINGS_MAX are a programming fault. */
void htmt_warn(struct htmt_warnings *w, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The refusal of --strict: the first warning, and the number of others. Errors: HTMT_EFORMAT; none
 * without warnings. */
int htmt_warnings_refuse(const struct htmt_warnings *w, struct htmt_fault *fault);

struct htmt_outcome {
    struct htmt_emulator *emulator; /* the caller destroys it; may be NULL after a fault */
    const char *precision;          /* "double" */
    char kernel_set[64];            /* "OpenBLAS SkylakeX"; "none" in a model run */
    char problem[400];              /* one line: what was computed, sizes, blocks */
    int correct;                    /* 1, 0, or -1: nothing was checked */
    struct {
        char name[64];
        double value, tolerance;
    } check;
    double flops;         /* of the problem, not of padding */
    double expected_s;    /* of virtual time, for progress; 0: closed_form_s */
    double closed_form_s; /* what predict says for this command line; 0: it says nothing */
    char closed_form_name[64];
    htmt_wide closed_form[HTMT_PATH_CAUSES]; /* its fs by cause, as a path has them whose work is
                                                the SPELL's; all 0: it does not tell */
    char notes[7][200]; /* more lines for the report ("overlap saves ..."); empty: unused */
    struct htmt_warnings warnings;
    unsigned found_count;
    struct htmt_found found[HTMT_FOUND_MAX];
    struct htmt_walls wall;
};

/* Adds a figure; those beyond HTMT_FOUND_MAX are a programming fault. */
void htmt_outcome_found(struct htmt_outcome *o, const char *name, double value, const char *unit);
/* The same for a text, of which a long one loses its beginning. */
void htmt_outcome_text(struct htmt_outcome *o, const char *name, const char *text);

/* One line of a closed form, in the order and depth of its tree. */
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

struct htmt_prediction {
    double total_s, flops;
    char problem[400];
    struct htmt_warnings warnings;
    unsigned count;
    struct htmt_term term[HTMT_TERMS_MAX];
};

/* A verb that an application offers beside run, model and predict: `htmt scene sar --out FILE`.
 * The request has the verb's own rows and values, the seed (of its row "seed", else 1) and no
 * machine. What a person shall read goes to `out`. */
struct htmt_app_verb {
    const char *name, *summary;
    const struct htmt_app_option *options; /* ends with a NULL name */
    int (*run)(const struct htmt_request *request, FILE *out, struct htmt_fault *fault);
};

/* How a figure that a paper prints is come by: what `htmt validate` asks of the application. */
struct htmt_paper_figure {
    const char *row;     /* its id in emul/validate/golden */
    const char *options; /* command line of the prediction and of the model run; the machine is the
                            row's own, of a row without one "--machine NAME" at the end. A value
                            ends before the next " --" */
    const char
        *term; /* of the prediction, or a formula of terms (emul/validate/expression.h), where
                  "@KEY" is a figure of its machine or cost file; NULL: none is asked for */
    const char *
        measure; /* of the model run, as in emul/validate/measure.h; NULL: it shows no such thing */
    const char *input; /* of a constant: keys of the cost file that the options name */
};

/* An option by which a problem grows; `htmt predict --largest` raises it until a memory is full. */
struct htmt_app_size {
    const char *option;
    const char *format; /* of its value, with % for the size: "%,%,%" */
    const char *meaning;
    uint64_t least, most, step; /* it is tried in multiples of step, of which least is one */
};

/* Layout of struct htmt_app and of what its steps get. */
#define HTMT_ABI 1u

/* The first members of an application: {HTMT_APP_BEGIN, .name = ...}. */
#define HTMT_APP_BEGIN .abi = HTMT_ABI, .size = sizeof(struct htmt_app)

/* An application: its options and the steps that it takes. apps/lib/steps.h has their order. Each
 * step gets the application's own struct, which begins with a struct htmt_task, and returns an
 * error code with its line in task.fault. NULL: there is nothing to do. */
struct htmt_app {
    uint32_t abi;  /* HTMT_ABI */
    uint32_t size; /* sizeof(struct htmt_app) */
    const char *name, *summary;
    const struct htmt_app_option *options; /* ends with a NULL name */
    /* steps */
    size_t work_bytes;       /* of that struct, which is zeroed for the first step */
    int (*plan)(void *work); /* settings, plan, closed form; the data that they need */
    int (*tell)(void *work, struct htmt_prediction *prediction);
    int (*input)(void *work);     /* does it fit the host? all other data */
    void (*describe)(void *work); /* the problem, for the report */
    /* Room for results; what the application promises of the run goes to `options`. */
    int (*prepare)(void *work, struct htmt_options *options);
    int (*create)(void *work, struct htmt_emulator *e); /* the parcel program */
    /* Of an emulation that failed with `rc`: a better line for task.fault; returns its code. */
    int (*explain)(void *work, int rc);
    /* Of a run whose emulation failed: write the results so far. A fault does not hide the first.
     */
    int (*salvage)(void *work);
    int (*collect)(void *work); /* results, out of the program */
    int (*check)(void *work);
    int (*write)(void *work);
    int (*conclude)(void *work); /* what a report adds when all is known */
    void (*destroy)(void *work);
    /* what it offers beside them */
    const struct htmt_app_verb *verbs;             /* ends with a NULL name; NULL: none */
    bool folds;                                    /* false: --fold is refused */
    const struct htmt_paper_figure *paper_figures; /* ends with a NULL row; NULL: none */
    /* Slices that the problem can feed, where --slices was not given, of at most the machine's;
     * NULL: all of the machine. What is wrong with the request is for the step plan to say. */
    uint32_t (*slices)(const struct htmt_request *request);
    const char *slices_why; /* of fewer than all: "each has at least two cells ..."; with slices */
    const struct htmt_app_size *sizes; /* ends with a NULL option; NULL: none */
    const char *const *outputs;        /* options that name files which a run writes, and model and
                                          predict refuse; ends with NULL; NULL: none */
};

/* All steps of a run or of a model run, by the request. On failure *fault has the line;
 * outcome->emulator may still be set (a deadlock is reported from it). */
int htmt_app_run(const struct htmt_app *app, const struct htmt_request *request,
                 struct htmt_outcome *outcome, struct htmt_fault *fault);
/* All steps of a prediction. */
int htmt_app_predict(const struct htmt_app *app, const struct htmt_request *request,
                     struct htmt_prediction *prediction, struct htmt_fault *fault);

#endif
