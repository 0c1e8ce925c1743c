/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: whether windows are worth several threads. What was measured decides: what
 * they take one thread and several, in episodes of either way, and how long the host kept the
 * clock's own thread waiting for a processor. No prediction depends on it.
 */
#ifndef HTMT_PARCELS_CLOCK_SHARING_H
#define HTMT_PARCELS_CLOCK_SHARING_H

#include <stdbool.h>
#include <stdint.h>

#define HTMT__LOADS 32u /* classes of windows by their number of events, one to a factor of 4 */

/* The mean of the last logarithms, each with its weight, and how much they differ: sums of weights
 * times them and their squares, of weights and their squares, and how many windows. */
struct htmt__mean {
    double sum, squares, weight, weights, windows;
};

struct htmt__sharing {
    bool always;               /* every window is shared */
    bool shared;               /* the present episode: several threads play */
    bool leads;                /* they gain, as far as is known */
    bool tried, known;         /* there was an episode of several threads; what it took is known */
    double played;             /* ns in all, up to some */
    double lasted, until;      /* ns of the episode, and those behind which it may end */
    unsigned windows;          /* of it */
    double dearer;             /* events are expected to be in shared windows, beside some */
    unsigned failed;           /* trials in a row, up to some */
    unsigned confirmed;        /* looks at one thread in a row, up to some */
    bool kept;                 /* the host gives the clock's own thread too little time */
    bool stopped;              /* the host stops other threads too often */
    double stops;              /* ns that such stops may cost, beside some */
    unsigned stops_failed;     /* in a row, up to some */
    double late;               /* ns that windows joined later have gained, up to some */
    int64_t on, passed;        /* ns of late: that thread had a processor; passed but for awaited */
    int64_t on_last, now_last; /* both clocks when they were looked at last; 0: not yet */
    int64_t awaited;           /* ns since then, */
    double unseen;             /* and in all */
    struct htmt__worth {
        struct htmt__mean alone, shared; /* of ns an event, in episodes of either way */
        double work, spent;              /* ns of shared windows of late: sharing.c */
        double gain;                     /* ns for each ns that they take */
        bool out;                        /* it loses: one thread plays it in shared episodes, too */
    } of[HTMT__LOADS];
};

/* How a window is played. */
struct htmt__playing {
    bool shared;   /* by several threads, */
    int64_t late;  /* or as soon as it lasts that many ns; 0: never */
    bool measured; /* htmt__sharing_heard() wants to know both clocks */
};

/* A window that was played; all times are those of the clock's own thread. */
struct htmt__window_played {
    uint64_t events, own; /* own: of them, by that thread */
    bool joined;          /* several threads were to play, from the begin or later */
    int64_t passed;       /* ns in which it worked, with a processor or waiting for one, */
    int64_t awaited;      /* and in which it waited for others */
    int64_t on, now;      /* if measured: both clocks behind that (monotonic.h) */
};

/* The next window, which will have about so many events. */
struct htmt__playing htmt__sharing_way(struct htmt__sharing *s, uint64_t load);
/* It was played so. */
void htmt__sharing_heard(struct htmt__sharing *s, uint64_t load, struct htmt__playing way,
                         const struct htmt__window_played *played);

#endif
