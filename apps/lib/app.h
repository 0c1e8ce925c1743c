/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What an application is to the htmt command: a table of its options and three functions.
 * An application knows nothing of the command line; it gets a request and gives an outcome.
 */
#ifndef HTMT_APPS_LIB_APP_H
#define HTMT_APPS_LIB_APP_H

#include "parcels/htmt.h"

#include <stdio.h>

#define HTMT_TERMS_MAX 192

/* A row serves parsing, help, the man page and the run record. Values stay text until the
 * application reads them; `--NAME VALUE`, or `--NAME` alone when value_name is NULL. */
struct htmt_app_option {
    const char *name, *value_name;
    const char *fallback; /* default as text; NULL: none */
    const char *help;
};

struct htmt_request {
    const struct htmt_machine *machine;
    const char *costs;           /* NAME or FILE as given; NULL: the kernels' own counts */
    const char *const *cost_set; /* "key=value": figures of that file to be changed */
    unsigned cost_set_count;
    bool plan_only;               /* of predict: whether it fits is all that is asked */
    struct htmt_options emulator; /* machine, slices, mode, threads, observers: to be passed on */
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

/* A figure that the application found out about its result, for programs to read. */
struct htmt_found {
    char name[40]; /* "rays_ended" */
    double value;
    char unit[16]; /* "1" of plain numbers */
};

#define HTMT_FOUND_MAX 24

struct htmt_outcome {
    struct htmt_emulator *emulator; /* the caller destroys it; may be NULL after a fault */
    const char *precision;          /* "double" */
    char kernel_set[64];            /* "OpenBLAS SkylakeX"; "none" in a model run */
    char problem[200];              /* one line: what was computed, sizes, blocks */
    int correct;                    /* 1, 0, or -1: nothing was checked */
    struct {
        char name[64];
        double value, tolerance;
    } check;
    double flops;         /* of the problem, not of padding */
    double closed_form_s; /* what predict says for this command line; 0: it says nothing */
    char closed_form_name[64];
    htmt_wide closed_form[HTMT_PATH_CAUSES]; /* its fs by cause, as a path has them whose work is
                                                the SPELL's; all 0: it does not tell */
    char notes[5][200]; /* more lines for the report ("overlap saves ..."); empty: unused */
    unsigned found_count;
    struct htmt_found found[HTMT_FOUND_MAX];
    struct htmt_walls wall;
};

/* Adds a figure; those beyond HTMT_FOUND_MAX are a programming fault. */
void htmt_outcome_found(struct htmt_outcome *o, const char *name, double value, const char *unit);

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
    char problem[200];
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
struct htmt_claim {
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

struct htmt_app {
    const char *name, *summary;
    const struct htmt_app_option *options; /* ends with a NULL name */
    /* Input, set-up, emulation (run or model by the request), check, output. On failure *fault has
     * the line; outcome->emulator may still be set (a deadlock is reported from it). */
    int (*run)(const struct htmt_app *app, const struct htmt_request *request,
               struct htmt_outcome *outcome, struct htmt_fault *fault);
    int (*predict)(const struct htmt_app *app, const struct htmt_request *request,
                   struct htmt_prediction *prediction, struct htmt_fault *fault);
    const struct htmt__course
        *course; /* of one whose run and predict are those of apps/lib/steps.h */
    const struct htmt_app_verb *verbs; /* ends with a NULL name; NULL: none */
    bool folds;                        /* false: --fold is refused */
    const struct htmt_claim *claims;   /* ends with a NULL row; NULL: none */
    /* Slices where --slices was not given, of at most the machine's; NULL: all of the machine. What
     * is wrong with the request is for run and predict to say. */
    uint32_t (*slices)(const struct htmt_request *request);
    const struct htmt_app_size *sizes; /* ends with a NULL option; NULL: none */
    const char *const *outputs;        /* options that name files which a run writes, and model and
                                          predict refuse; ends with NULL; NULL: none */
};

extern const struct htmt_app htmt_app_cannon;
extern const struct htmt_app htmt_app_sar;
extern const struct htmt_app htmt_app_pic;
extern const struct htmt_app htmt_app_volume;

/* All applications; ends with NULL. */
extern const struct htmt_app *const htmt_apps[];

#endif
