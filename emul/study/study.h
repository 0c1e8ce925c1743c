/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A study: cases (command lines of predict, model or run), axes, and points, one for each case and
 * each choice of a value on each axis. A point is a command line of its own: options, a machine
 * with changed figures, changed figures of the cost file. Its result is that command's, or the line
 * with which it refuses.
 */
#ifndef HTMT_EMUL_STUDY_STUDY_H
#define HTMT_EMUL_STUDY_STUDY_H

#include "emul/lib/options/options.h"
#include "emul/study/axis.h"
#include "layers/machine/base.h"

#include <jansson.h>
#include <stdint.h>

#define HTMT__STUDY_POINTS UINT64_C(1000000) /* at most */
#define HTMT__STUDY_AXES   64

struct htmt__study_case {
    char name[64];
    const char *verb; /* "predict", "model" or "run" */
    const struct htmt_app *app;
    uint64_t plugin; /* hash of a plug-in that did not come with the command; else 0 */
    char *words;     /* NULL: argv points elsewhere */
    char **argv;     /* behind the application */
    int argc;
    struct htmt__study_base { /* machines that were loaded so far */
        char *name;
        struct htmt__machine_base *base;
    } * base;
    size_t base_room;
    unsigned bases;
};

/* Changes "KEY=VALUE" of a machine by which one figure has a multiple. */
struct htmt__study_slope {
    unsigned changes;
    char **change;
    double factor;
};

/* A point to which no axes lead: its case with changes of figures, "KEY=VALUE", or
 * "costs:KEY=VALUE" of the cost file. Where there are slopes, its run says how its time changes by
 * each of these figures, too (parcels/slope.h): as values "larger 0", "smaller 0" of the first one,
 * which are not there where there is no derivative. */
struct htmt__study_variant {
    unsigned of_case, changes, slopes;
    char **change;
    struct htmt__study_slope *slope;
};

struct htmt__study {
    struct htmt__study_case *cases;
    struct htmt__axis *axis;
    size_t case_room, axis_room;
    unsigned case_count, axis_count;
    uint64_t samples; /* 0: the grid of all values; else a Latin hypercube */
    uint64_t seed;
    uint64_t of_case, points;                  /* of each case; of all cases */
    double *factor;                            /* [sample][axis] of a hypercube */
    const struct htmt__study_variant *variant; /* of each point, in place of axes; the caller's.
                                            NULL: points are those of the axes */
};

/* The axis becomes the study's, also after a failure. Errors: HTMT_ENOMEM. */
int htmt__study_axis(struct htmt__study *study, struct htmt__axis *axis, struct htmt_fault *fault);

/* Spreads the axes, looks at the first point of each case, and counts the points. Errors: those of
 * the command line of a point, HTMT_EUSAGE. */
int htmt__study_plan(struct htmt__study *study, struct htmt_fault *fault); /* plan.c */
void htmt__study_fini(struct htmt__study *study);

/* "WHERE: unknown key, did you mean ..?", or `expected` where none is near. Returns HTMT_EUSAGE. */
int htmt__study_unknown(const char *where, const char *key, const struct htmt_figure *figure,
                        unsigned count, const char *expected,
                        struct htmt_fault *fault); /* plan.c */

/* The value of the axis at the point, as text. `room`: for a factor of a sample. */
const char *htmt__study_value(const struct htmt__study *study, uint64_t point, unsigned axis,
                              char *room, size_t bytes);
/* As a number; not a number where it is none. */
double htmt__study_number(const struct htmt__study *study, uint64_t point, unsigned axis);
const struct htmt__study_case *htmt__study_case_of(const struct htmt__study *study, uint64_t point);

/* ---- one point (point.c) ----------------------------------------------------------------------
 */

/* A point before it is computed: its options, machine and costs. Everything in it belongs to it. */
struct htmt__point {
    char **argv;
    int argc;
    struct htmt__options options;
    char **set; /* changes of the machine, behind those of the command line */
    char **cost_set;
    unsigned sets, cost_sets;
    size_t set_room, cost_room;
    const struct htmt__machine_base *base; /* of the study */
    struct htmt_machine *machine;
    char *key; /* what decides its result: program, verb, application, options, machine, costs,
                  contents of input files */
};

/* Errors: those of the command line, which are the point's result. After both the caller calls
 * htmt__point_fini(). */
int htmt__point_make(struct htmt__study *study, uint64_t number, struct htmt__point *point,
                     struct htmt_fault *fault);
void htmt__point_fini(struct htmt__point *point);

/* The value of a figure at the point, "1.25 Gword/s"; NULL: there is none of that key. */
const char *htmt__point_figure(const struct htmt__point *point, const char *key);

/* The result: {"code", "why", "values": [[name, value, unit], ..]}; the first value is T in
 * seconds. As text it stands in the store. NULL: out of memory. */
json_t *htmt__point_compute(struct htmt__study *study, uint64_t number, struct htmt__point *point);

#endif
