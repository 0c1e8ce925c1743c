/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parameter files of applications: strict YAML, read by a table of rows. Physical quantities carry
 * their unit ("5.3 GHz", "-7.2135e11 Hz/s", "41.75 us", "988.647 km", "7062 m/s", "90 deg"); all
 * arrive as doubles in Hz, Hz/s, s, m, m/s and radians. Unknown, repeated and missing keys, wrong
 * units, nan, inf and what is out of range are one line each with file and line, what was found and
 * what was expected.
 *
 *     static const struct htmt__parameter target[] = {
 *         {.key = "range", .kind = HTMT__METRES, .least = 0, .most = 1e7},
 *         {.key = "amplitude", .kind = HTMT__NUMBER, .fallback = "1"},
 *         {.key = NULL}};
 *     static const struct htmt__parameter scene[] = {
 *         {.key = "carrier", .kind = HTMT__HERTZ, .least = 1e6, .most = 1e12},
 *         {.key = "window", .kind = HTMT__CHOICE, .words = windows, .fallback = "hamming"},
 *         {.key = "targets", .kind = HTMT__GROUPS, .rows = target, .most = 1000},
 *         {.key = NULL}};
 *
 * Getters take the key of a row of the right kind whose value is given or has a fallback; anything
 * else is a programming fault.
 */
#ifndef HTMT_APPS_LIB_PARAMETERS_H
#define HTMT_APPS_LIB_PARAMETERS_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum htmt__parameter_kind {
    HTMT__NUMBER,            /* "0.88", "-1.5e3" */
    HTMT__HERTZ,             /* Hz, kHz, MHz, GHz, THz */
    HTMT__HERTZ_PER_SECOND,  /* Hz/s, kHz/s, ..., THz/s; MHz/us likewise */
    HTMT__SECONDS,           /* s, ms, us, ns, ps */
    HTMT__METRES,            /* m, km, cm, mm, um */
    HTMT__METRES_PER_SECOND, /* m/s, km/s */
    HTMT__RADIANS,           /* rad, mrad, deg */
    HTMT__WHOLE,             /* a whole number, signed, exact */
    HTMT__CHOICE,            /* one of .words */
    HTMT__SWITCH,            /* true or false */
    HTMT__TEXT,              /* any text */
    HTMT__LIST,              /* of numbers: [1, 2.5]; .least and .most hold for each */
    HTMT__GROUP,             /* a mapping with .rows */
    HTMT__GROUPS,            /* a list of mappings with .rows; .least to .most of them */
};

/* Ends with a NULL key. */
struct htmt__parameter {
    const char *key;
    enum htmt__parameter_kind kind;
    bool optional;        /* may be missing though it has no fallback */
    const char *fallback; /* as it would stand in the file; NULL: none. Not of lists and groups */
    double least, most;   /* inclusive, in the unit of the getter; most <= least: no upper bound;
                             both 0 and not above_least: none at all */
    bool above_least;     /* least itself is refused */
    unsigned items;       /* HTMT__LIST: exactly so many; 0: any number */
    const char *const *words; /* HTMT__CHOICE: ends with NULL */
    const struct htmt__parameter *rows;
};

/* One mapping, read and found good. */
struct htmt__parameters;

/* A file; `what` names it in messages ("a SAR parameter file"). On success the caller owns
 * *parameters. Errors: HTMT_ENOENT, HTMT_EIO, HTMT_EFORMAT, HTMT_EUNIT, HTMT_ERANGE, HTMT_ENOMEM;
 * all but HTMT_EIO and HTMT_ENOMEM end the command with status 2. */
int htmt__parameters_read(const char *path, const char *what, const struct htmt__parameter *rows,
                          struct htmt__parameters **parameters, struct htmt_fault *fault);
/* The same of a text that is at hand; `name` stands for the file and must outlive *parameters. */
int htmt__parameters_parse(const char *name, const char *text, size_t length, const char *what,
                           const struct htmt__parameter *rows, struct htmt__parameters **parameters,
                           struct htmt_fault *fault);
/* NULL and cleared pointers are accepted. */
void htmt__parameters_destroy(struct htmt__parameters **parameters);

/* In the file, or by its fallback. */
bool htmt__parameter_known(const struct htmt__parameters *p, const char *key);
/* In the file itself. */
bool htmt__parameter_given(const struct htmt__parameters *p, const char *key);

double htmt__parameter_number(const struct htmt__parameters *p, const char *key); /* with units */
int64_t htmt__parameter_whole(const struct htmt__parameters *p, const char *key);
unsigned htmt__parameter_choice(const struct htmt__parameters *p, const char *key); /* index */
bool htmt__parameter_switch(const struct htmt__parameters *p, const char *key);
const char *htmt__parameter_text(const struct htmt__parameters *p, const char *key);
const double *htmt__parameter_list(const struct htmt__parameters *p, const char *key,
                                   unsigned *count);
/* Mappings of a HTMT__GROUPS (or the one of a HTMT__GROUP, index 0); they belong to p. */
unsigned htmt__parameter_count(const struct htmt__parameters *p, const char *key);
const struct htmt__parameters *htmt__parameter_group(const struct htmt__parameters *p,
                                                     const char *key, unsigned index);

/* Refuse a value for a reason that no row can tell: "file:line: key: ..."; returns code. */
int htmt__parameter_refuse(const struct htmt__parameters *p, const char *key, int code,
                           struct htmt_fault *fault, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* "Hz", "m/s"; "" where there is none. */
const char *htmt__parameter_unit(enum htmt__parameter_kind kind);

/* A quantity on its own, for option values such as --dt "2 ns". `why` gets "found '2', expected a
 * time such as '41.75 us'". Only kinds up to HTMT__RADIANS. Errors: HTMT_EFORMAT, HTMT_EUNIT,
 * HTMT_ERANGE. */
int htmt__parameter_quantity(const char *text, enum htmt__parameter_kind kind, double *value,
                             char *why, size_t room);

#endif
