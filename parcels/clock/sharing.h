/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: whether a window is worth several threads. What was measured decides: what
 * windows take one thread and several, in turns, and how long the host kept the clock's own thread
 * waiting for a processor. No prediction depends on it.
 */
#ifndef HTMT_PARCELS_CLOCK_SHARING_H
#define HTMT_PARCELS_CLOCK_SHARING_H

#include <stdbool.h>
#include <stdint.h>

#define HTMT__LOADS 32u /* classes of windows by their number of events, one to a factor of 4 */

/* The mean of the last logarithms, and how much they differ. */
struct htmt__mean {
    double sum, squares, weight;
};

struct htmt__sharing {
    bool always;               /* every window is shared */
    bool kept;                 /* the host gives the clock's own thread too little time */
    double played;             /* ns that the windows of one thread took up to the first trial */
    int64_t on, passed;        /* ns of late: that thread had a processor; passed but for awaited */
    int64_t on_last, now_last; /* both clocks when they were looked at last; 0: not yet */
    int64_t awaited;           /* ns since then */
    unsigned warm;             /* rounds in which others have played, up to some */
    struct htmt__worth {
        struct htmt__mean window;        /* of ns that a window takes one thread */
        struct htmt__mean alone, shared; /* of ns that an event takes, in blocks of a trial */
        double ns;                       /* the middle window of one thread; 0: not known */
        double dearer;                   /* times that an event takes in shared windows */
        double credit;                   /* ns that sharing may still lose */
        double uncharged;                /* ns of shared windows until `dearer` is known */
        double late;                     /* ns that windows joined later have gained, up to some */
        unsigned failed;                 /* trials in a row, up to some */
        unsigned windows;                /* in the present state */
        bool tried, sharing;             /* sharing: the present state, a trial or its success */
    } of[HTMT__LOADS];
};

/* How a window is played. */
struct htmt__playing {
    bool shared;   /* by several threads, */
    int64_t late;  /* or as soon as it lasts that many ns; 0: never */
    bool measured; /* htmt__sharing_heard() wants to know what it took */
};

/* A window that was played; all times are those of the clock's own thread. */
struct htmt__window_played {
    uint64_t events, own; /* own: of them, by that thread */
    bool joined;          /* several threads were to play, from the begin or later */
    int64_t passed;       /* ns in which it worked, with a processor or waiting for one, */
    int64_t awaited;      /* and in which it waited for others */
    int64_t took;         /* if measured: ns that it worked on its processor, */
    int64_t on, now;      /* and both clocks behind that (monotonic.h) */
};

/* The next window, which will have about so many events. */
struct htmt__playing htmt__sharing_way(struct htmt__sharing *s, uint64_t load);
/* It was played so. */
void htmt__sharing_heard(struct htmt__sharing *s, uint64_t load, struct htmt__playing way,
                         const struct htmt__window_played *played);

#endif
