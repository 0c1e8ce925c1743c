/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What came out of a run: its end, its history, and a line for each of its figures.
 */
#ifndef HTMT_TESTS_RANDOM_OUTCOME_H
#define HTMT_TESTS_RANDOM_OUTCOME_H

#include "tests/random/program.h"

#include <stddef.h>

/* Events in the order in which an observer got them. */
struct events {
    struct htmt_event *event;
    size_t count, room;
};
void events_keep(void *events, const struct htmt_event *event); /* of htmt_options.observe */
void events_clear(struct events *events);
/* The first event that is in one run only, on `out`. `sorted`: slice by slice, where the order
 * between slices is not the same. */
void events_difference(struct events *a, struct events *b, bool sorted, FILE *out);

struct outcome {
    int code;
    char text[500]; /* of the fault */
    htmt_time predicted;
    uint64_t hash, events, parcels, bytes, kept;
    uint64_t jobs, windows;
    uint64_t order; /* of the events, as an observer got them; 0: there was none */
    char *ports;    /* inside networks */
    char *figures;  /* resources, memories, phases, sections */
    char *rest;     /* what is left over, the report of a deadlock */
};

/* What two ways to play a program have in common. */
struct likeness {
    bool folded;  /* one of them played slice 0 alone: another history and number of events */
    bool sorted;  /* lines of figures in any order, no order of events between slices */
    bool checked; /* what is left over is an error in one of them, a note in the other */
    bool ranks;   /* one of them was several processes, none of which knows who waits for whom */
};

/* Of a program whose run returned `code`. */
void outcome_take(struct outcome *o, const struct program *p, int code);
void outcome_clear(struct outcome *o);
/* Adds how it ended, and its sums. */
void outcome_count(const struct outcome *o, const struct program *p, struct tally *sum);
/* Whether they are the same; else a line on `out` for the first difference. */
bool outcome_same(const struct outcome *a, const struct outcome *b, const struct likeness *l,
                  FILE *out);

#endif
