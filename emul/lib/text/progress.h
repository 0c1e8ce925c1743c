/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Progress of long work on standard error: on a terminal one line, written over by the next one and
 * cut to the terminal's width; else lines of text; or, for programs, one JSON object a line.
 */
#ifndef HTMT_EMUL_LIB_TEXT_PROGRESS_H
#define HTMT_EMUL_LIB_TEXT_PROGRESS_H

#include "runtime/base/ratio.h"

enum htmt__progress_kind {
    HTMT__PROGRESS_OFF,
    HTMT__PROGRESS_TERMINAL,
    HTMT__PROGRESS_LINES,
    HTMT__PROGRESS_JSON
};

/* How far a run is. The clock runs since `wall` seconds. */
struct htmt__progress_state {
    unsigned run;     /* of this command, from 1: the run, then those that it is compared with */
    const char *step; /* "emulation" */
    htmt_wide now;
    uint64_t events;
    double wall;
    double share; /* of the expected time that is over; below 0: nothing is known */
};

/* On a terminal. An empty text erases the line. */
void htmt__progress_line(const char *text);

/* Writes the state in this form; `where` heads lines of text ("run cannon"). */
void htmt__progress_write(enum htmt__progress_kind kind, const char *where,
                          const struct htmt__progress_state *state);

/* Nanoseconds between two states of the clock in this form. */
int64_t htmt__progress_interval(enum htmt__progress_kind kind);

#endif
