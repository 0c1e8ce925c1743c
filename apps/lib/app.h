/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What an application is to htmt: a table of its options and its steps. The command, or a program
 * that calls htmt_main(), reads the options, takes the steps and writes the reports. The
 * application knows nothing of the command line: it asks the task that each step gets
 * (apps/lib/steps.h, apps/lib/request.h), and tells the task what it found.
 *
 *     const struct htmt_app htmt_app = {
 *         HTMT_APP_BEGIN,
 *         .name = "jacobi",
 *         .summary = "relaxation on a grid",
 *         .options = options,
 *         .work_bytes = sizeof(struct work),
 *         .plan = plan,
 *         .create = create,
 *         .check = check,
 *     };
 *
 * name, summary and create are needed; what else is missing has nothing to do, and reports say what
 * they lack for it. The table and all that it points to stay as they are until the process ends.
 * Requests, tasks and predictions are opaque, so that an application goes on to work with a later
 * libhtmt of the same HTMT_ABI.
 */
#ifndef HTMT_APPS_LIB_APP_H
#define HTMT_APPS_LIB_APP_H

#include "parcels/htmt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Layout of struct htmt_app and of the rows that it points to. It changes where a member moves or
 * changes its meaning, not where one is added at the end. */
#define HTMT_ABI 2u

/* The first members of an application: {HTMT_APP_BEGIN, .name = ...}. */
#define HTMT_APP_BEGIN .abi = HTMT_ABI, .size = sizeof(struct htmt_app)

struct htmt_task;       /* one request that an application works on: apps/lib/steps.h */
struct htmt_request;    /* what the command line asks for: apps/lib/request.h */
struct htmt_prediction; /* what the step tell fills: apps/lib/steps.h */

/* A row serves parsing, help, the man page and the run record. Values stay text until the
 * application reads them; `--NAME VALUE`, or `--NAME` alone when value_name is NULL. Names differ,
 * also from those of the options that all applications have (`htmt help run`). */
#define HTMT_APP_OPTIONS_MAX 64

struct htmt_app_option {
    const char *name, *value_name;
    const char *fallback; /* default as text; NULL: none */
    const char *help;
};

/* A verb that an application offers beside run, model and predict: `htmt scene sar --out FILE`.
 * The request has the verb's own rows and values, the seed (of its row "seed", else 1) and no
 * machine. What a person shall read goes to `out`. */
struct htmt_app_verb {
    const char *name, *summary;
    const struct htmt_app_option *options; /* ends with a NULL name */
    int (*run)(const struct htmt_request *request, FILE *out, struct htmt_fault *fault);
};

/* How a figure that a paper prints is come by: what `htmt validate` asks of the applications that
 * come with htmt. */
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

/* The steps get the task and `work`, the application's own struct of work_bytes bytes, zeroed
 * before the first step and freed after destroy; work_bytes 0: NULL. They are called in the order
 * of apps/lib/steps.h, one after another, on one thread. Each returns 0 or an error code whose line
 * is in htmt_task_fault(); htmt_task_refuse() gives both. A code without a line gets
 * that of the emulator (htmt_emulator_fault()), if it has one, else that of htmt_strerror(). What a
 * step tried in vain and went on from leaves no line. NULL: there is nothing to do. */
struct htmt_app {
    uint32_t abi;  /* HTMT_ABI */
    uint32_t size; /* sizeof(struct htmt_app) */
    /* "jacobi": letters, digits, '-' and '_'; a line for the help */
    const char *name, *summary;
    const struct htmt_app_option *options; /* ends with a NULL name, at most HTMT_APP_OPTIONS_MAX;
                                              NULL: none */
    /* steps */
    size_t work_bytes;
    /* Settings, plan, closed form; the data that they need. */
    int (*plan)(struct htmt_task *task, void *work);
    /* The closed form, line by line. NULL: `predict` says that there is none. */
    int (*tell)(struct htmt_task *task, void *work, struct htmt_prediction *prediction);
    /* Does it fit the host? All other data. */
    int (*input)(struct htmt_task *task, void *work);
    /* The problem, for the report. */
    void (*describe)(struct htmt_task *task, void *work);
    /* Room for results; what the application promises of the run goes to `options`. */
    int (*prepare)(struct htmt_task *task, void *work, struct htmt_options *options);
    /* The parcel program. The emulator belongs to the caller and outlives `work`. */
    int (*create)(struct htmt_task *task, void *work, struct htmt_emulator *e);
    /* Of an emulation that failed with `rc`: a better line in htmt_task_fault(); returns its code.
     */
    int (*explain)(struct htmt_task *task, void *work, int rc);
    /* Of a run whose emulation failed: write the results so far. A fault does not hide the first.
     */
    int (*salvage)(struct htmt_task *task, void *work);
    int (*collect)(struct htmt_task *task, void *work); /* results, out of the program */
    /* htmt_task_checked(). NULL: the report says that nothing was checked. */
    int (*check)(struct htmt_task *task, void *work);
    int (*write)(struct htmt_task *task, void *work);
    int (*conclude)(struct htmt_task *task, void *work); /* what a report adds when all is known */
    void (*destroy)(struct htmt_task *task, void *work); /* whatever came of the steps before */
    /* what it offers beside them */
    const struct htmt_app_verb *verbs;             /* ends with a NULL name; NULL: none */
    bool folds;                                    /* false: --fold is refused */
    bool reads_costs;                              /* false: --costs is refused */
    const struct htmt_paper_figure *paper_figures; /* ends with a NULL row; NULL: none */
    /* Slices that the problem can feed, where --slices was not given, of at most the machine's;
     * NULL: all of the machine. What is wrong with the request is for the step plan to say. */
    uint32_t (*slices)(const struct htmt_request *request);
    const char *slices_why; /* of fewer than all: "each has at least two cells ..."; with slices */
    const struct htmt_app_size *sizes; /* ends with a NULL option; NULL: none */
    const char *const *outputs;        /* options that name files which a run writes, and model and
                                          predict refuse; ends with NULL; NULL: none */
    const char *operand; /* option whose value may also stand alone behind the application's name:
                            `htmt run prim va`; NULL: none */
    bool hosted;         /* it knows machines whose slices a host joins; false: they are refused */
    /* Several processes that mpirun starts may become one run, each of which plays some slices: the
     * steps then fill and look at objects of these alone (htmt_object_bytes() of others is NULL).
     * false: they are refused. */
    bool ranks;
    /* A run is its model run: no type has a kernel, all objects with bytes are kept ones, and
     * nobody asks htmt_is_model(). So the report of a run needs no model run beside it;
     * --check-determinism makes it all the same. */
    bool runs_model;
};

/* What a plug-in exports, whatever visibility it is compiled with. */
extern const struct htmt_app htmt_app __attribute__((visibility("default")));

#ifdef __cplusplus
}
#endif

#endif
