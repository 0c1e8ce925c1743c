/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which figures the time T of a command line depends on: the elasticity e = d ln T / d ln p of each
 * figure p of the machine and of the cost file, and how far it holds.
 */
#ifndef HTMT_EMUL_STUDY_SENSITIVITY_H
#define HTMT_EMUL_STUDY_SENSITIVITY_H

#include "emul/study/workers.h"

#include <string.h>

enum htmt__figure_kind {
    HTMT__OF_TIME,   /* "85 ns", "3 ps/flop": T is a straight line in it, in pieces */
    HTMT__OF_RATE,   /* "10 Gword/s", "1 GHz": in its reciprocal, the time of one */
    HTMT__OF_CYCLES, /* "2 cycles": as a time, but counted in those of a clock */
    HTMT__PER_CYCLE, /* "1 flop/cycle" */
    HTMT__OF_SHARE,  /* "0.5" */
    HTMT__OF_STEPS   /* counts and capacities: whole, so T has no derivative */
};

struct htmt__member {
    char key[120]; /* "layers.cram.processor.flop", "costs:problem.t" */
    char value[64];
    bool whole; /* it has no fractions: femtoseconds, words, cycles, counts */
};

/* How far something holds: up to this factor of the figure, which is faster or slower by it. */
struct htmt__reach {
    double factor; /* at least 1; the largest one looked at, where it holds everywhere; not a
                      number: not looked for */
    bool ends;     /* it does not hold beyond */
};

/* A figure, or a group of them, in one case. Times in seconds; not a number: there is none. */
struct htmt__cell {
    struct htmt__member *member;
    unsigned members; /* 0: the case has none */
    size_t room;
    enum htmt__figure_kind kind;
    double e, larger, smaller; /* larger: for a larger figure; all the same without a tie */
    bool tie;
    double half, twice;  /* T, of steps; at a quarter and four times of slices */
    double faster_slope; /* d ln T / d ln of its time, which falls; rises */
    double slower_slope;
    double doubt;   /* of both, from rounding: charges are whole femtoseconds */
    unsigned slope; /* 1 + its number among those that its case's run is asked for; 0: none */
    bool by_path;   /* it is from there, and no difference */
    bool uneven;    /* T is no straight line up to twice the step: events change their order */
    struct htmt__reach faster, slower; /* T is a straight line in the figure's time */
    struct htmt__reach percent;        /* slower: T grows by at most 1 % */
    double at_once;                    /* T with the figure infinitely fast */
};

struct htmt__subject {
    char name[120]; /* the key, or that of the group */
    bool group;
    struct htmt__cell *cell; /* of each case */
};

struct htmt__sensed { /* a case */
    double t;         /* seconds; not a number: refused */
    char *why;        /* then */
    char *no_slope;   /* why the clock's run tells no derivative by some figure; NULL: by all */
    int code;
    double h;
    const char *method;    /* "differences", "path", or "path and differences" of the rest */
    unsigned ties, uneven; /* figures */
    double sum;            /* e of times less e of rates; not a number: not all, or ties */
};

struct htmt__sensitivity {
    struct htmt__study *study; /* its cases, without axes */
    const char **figures;      /* patterns; none: all */
    const char **group;        /* NAME=PATTERN */
    unsigned patterns, groups, jobs;
    bool far; /* how far, and steps, on the clock, too */

    struct htmt__subject *subject;
    struct htmt__sensed *of;
    unsigned subjects;
    size_t room;
    uint64_t computed; /* predictions that were not in the store */
};

/* Fills in all that is below `far`. Errors: HTMT_EUSAGE (a pattern or a group), those of the only
 * case, or of all of them, those of the store, HTMT_ENOMEM. */
int htmt__sensitivity_find(struct htmt__sensitivity *x, const struct htmt__study_place *place,
                           struct htmt_fault *fault);
void htmt__sensitivity_fini(struct htmt__sensitivity *x);

/* The subjects of all cases, with their members and kinds (subjects.c). A case that is refused has
 * none; x->of, which is there, has the reason. Errors: as above. */
int htmt__sensitivity_subjects(struct htmt__sensitivity *x, struct htmt_fault *fault);

/* Whether it takes more than the one run in which the path tells all: by predict always. */
static inline bool htmt__sensitivity_goes_far(const struct htmt__sensitivity *x, unsigned of_case)
{
    return x->far || strcmp(x->study->cases[of_case].verb, "predict") == 0;
}

/* d ln T / d ln p is minus that of the figure's time. */
static inline bool htmt__figure_is_inverse(enum htmt__figure_kind kind)
{
    return kind == HTMT__OF_RATE || kind == HTMT__PER_CYCLE;
}

/* The least over the cases. */
struct htmt__reach htmt__least_reach(const struct htmt__subject *subject, unsigned cases,
                                     size_t offset);

/* Whole files, or nothing; a table for people (sensitivity_output.c). */
int htmt__sensitivity_csv(const struct htmt__sensitivity *x, const char *path,
                          struct htmt_fault *fault);
int htmt__sensitivity_json(const struct htmt__sensitivity *x, const char *path,
                           struct htmt_fault *fault);
int htmt__sensitivity_plot(const struct htmt__sensitivity *x, const char *path,
                           struct htmt_fault *fault);
int htmt__sensitivity_print(const struct htmt__sensitivity *x, FILE *out);

#endif
