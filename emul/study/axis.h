/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folder emul/study: many predictions of many machines; of emul it includes emul/lib.
 *
 * An axis of a study: what changes from point to point, and its values.
 *
 *     layers.cram.processor.flop=1 ps..10 ps:log5     a figure of the machine
 *     networks.*.latency=0.5x..2x:5                   figures by a common factor
 *     each:networks.*.latency=0.5x,1x,2x              an axis for each of them
 *     costs:problem.t=13,26,52                        a figure of the cost file
 *     opt:size=1024,2048                              an option of the application
 *     machine:htmt-2007,mine.yaml                     machines
 */
#ifndef HTMT_EMUL_STUDY_AXIS_H
#define HTMT_EMUL_STUDY_AXIS_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum htmt__axis_kind { HTMT__AXIS_FIGURE, HTMT__AXIS_COSTS, HTMT__AXIS_OPTION, HTMT__AXIS_MACHINE };

struct htmt__axis {
    enum htmt__axis_kind kind;
    char name[160];     /* as it was given: "opt:size", "networks.*.latency"; "machine" */
    size_t key_at;      /* in the name: a key, a pattern of keys, an option */
    bool each;          /* an axis for each figure of the pattern, to be spread */
    bool factors;       /* values multiply the figures */
    bool logarithmic;   /* equal quotients between values */
    bool sampled;       /* a range of factors without a number of values: for samples alone */
    double least, most; /* of a range */
    unsigned count;
    char **text;    /* of each value: "2.5 ps", "0.5x"; NULL of a sampled axis */
    double *number; /* of each: 2.5, 0.5; not a number where the text begins with none */
};

static inline const char *htmt__axis_key(const struct htmt__axis *a)
{
    return a->name + a->key_at;
}

/* Reads "KEY=VALUES", or "machine:A,B"; where = "--vary" or "FILE:LINE", for the line of an error.
 * On success and on failure the caller calls htmt__axis_fini(). Errors: HTMT_EUSAGE, HTMT_ENOMEM.
 */
int htmt__axis_read(const char *where, const char *given, struct htmt__axis *axis,
                    struct htmt_fault *fault);

/* The axis of a factor within least..most, as a key `range` of a machine file says it:
 * "0.8x..1.5x". Errors: as above. */
int htmt__axis_range(const char *where, const char *key, const char *range, struct htmt__axis *axis,
                     struct htmt_fault *fault);

/* A copy with another key. Errors: HTMT_ENOMEM. */
int htmt__axis_copy(const struct htmt__axis *axis, const char *key, struct htmt__axis *copy);

void htmt__axis_fini(struct htmt__axis *axis);

/* The text of a figure's value times the factor: "1.25 Gword/s". What is whole, as a
 * number without a unit, femtoseconds or words, stays whole, and at least 1. false: it has no
 * number, or is 0. */
bool htmt__axis_scaled(const char *value, double factor, char *out, size_t room);

/* The factor that a text of htmt__axis_scaled() is of: not the one asked for where it was rounded.
 */
double htmt__axis_quotient(const char *scaled, const char *value);

#endif
