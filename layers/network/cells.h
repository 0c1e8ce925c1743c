/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cells: small processors in a grid, each with a router, that send each other operons. An operon is
 * one message: the cell that it is for, and a number by which the caller knows what it says. The
 * rules are those of AM-CCA as its simulator plays them (docs/networks.md, "Cells").
 *
 * An object of this file plays some cells of the grid, those of one partition. What lies between
 * two partitions is told by tells; a tell of one cycle is heard before the next one.
 */
#ifndef HTMT_LAYERS_NETWORK_CELLS_H
#define HTMT_LAYERS_NETWORK_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HTMT__CELLS_SIDE_MOST = 4096, HTMT__CELLS_CHANNELS_MOST = 8, HTMT__CELLS_BUFFER_MOST = 64 };
#define HTMT__CELLS_NOBODY UINT32_MAX

/* What a machine file says of a network with cells inside (cells_model.c). */
struct htmt__cells_inside {
    bool torus;
    unsigned shape; /* a square of all slices, row by row */
    uint32_t channels, buffer;
    uint32_t throttle; /* cycles; UINT32_MAX: there is none */
};
/* Of a square of so many cells; 0: they are no square, or too many. */
uint32_t htmt__cells_side(uint32_t slices);

/* The figures of a grid. Room of a queue is in operons. */
struct htmt__cells_grid {
    uint32_t width, height;
    bool torus;
    uint32_t channels; /* of a link, each with a wire of its own */
    uint32_t buffer;   /* operons that an input of a channel holds */
    uint32_t action;   /* room of the action queue for what comes from outside */
    uint32_t own;      /* room beyond that for what the cell sends itself */
    uint32_t diffuse;  /* room of the diffuse queue; one more is HTMT_ECAPACITY */
    bool throttle;
    uint32_t cool; /* cycles without staging after a congested one */
};

enum htmt__cells_queue { HTMT__CELLS_ACTION, HTMT__CELLS_DIFFUSE };

/* What one border tells the other: inputs that are full from now on, operons that are offered. */
struct htmt__cells_tell {
    uint32_t cell;    /* who hears it */
    uint8_t from;     /* the direction in which the teller lies */
    uint8_t full;     /* the teller's inputs from this cell that are full, a bit for each channel */
    uint8_t channel;  /* of the operon */
    bool offers;      /* else the tell has no operon */
    uint32_t target;  /* of the operon */
    uint32_t message; /* at the teller; htmt__cells_hear() gets the hearer's */
};

/* What the caller does when a cell asks. Charges are cycles, added to *cycles. */
struct htmt__cells_calls {
    void *user;
    /* The first question to a message that is taken out of a queue, or that waits in the diffuse
     * queue: false drops it, and it is the caller's again. */
    bool (*wanted)(void *user, uint32_t cell, enum htmt__cells_queue queue, uint32_t message,
                   uint64_t *cycles);
    /* Its work. The message is the caller's, who may call htmt__cells_diffuse() and
     * htmt__cells_generate() for this cell. */
    void (*work)(void *user, uint32_t cell, enum htmt__cells_queue queue, uint32_t message,
                 uint64_t *cycles);
    /* Message `i` of a generator, as its turn to be sent comes; the last one ends the generator.
     * Returns its target and sets *message, or HTMT__CELLS_NOBODY: there is no such message. */
    uint32_t (*next)(void *user, uint32_t cell, uint32_t generator, uint64_t i, bool last,
                     uint32_t *message, uint64_t *cycles);
    /* To the partition that has tell->cell; NULL: there is one partition. */
    void (*tell)(void *user, const struct htmt__cells_tell *tell);
    /* HTMT_ENOMEM; HTMT_ECAPACITY: its diffuse queue has no room. Playing may go on. */
    void (*fail)(void *user, int code, uint32_t cell);
};

/* Counts of the cells of one object. */
struct htmt__cells_account {
    int64_t cycles;              /* behind the last one in which a cell was active */
    uint64_t created;            /* messages put in from outside, and those of generators */
    uint64_t work, unwanted;     /* messages of the action queue that were, or not */
    uint64_t diffusions, done;   /* put into the diffuse queue; played */
    uint64_t outdated, filtered; /* not wanted any more: at their turn; before it */
    uint64_t overlapped;         /* of work and unwanted, while a generator waited */
    uint64_t hops;
    uint32_t action_peak, diffuse_peak;
    uint64_t active, throttled, standing; /* cycles of all cells: with something; of these those
                                             whose generator waited because of congestion; whose
                                             core computed */
};

/* Counts over time: of spans that follow each other from cycle 0 on, each of `width` cycles, the
 * least power of two with which all cycles fit. */
enum { HTMT__CELLS_SPANS = 1024 };
struct htmt__cells_series {
    uint64_t width;
    uint32_t count; /* of spans up to the last one that has something */
    struct htmt__cells_span {
        uint64_t active, throttled, standing; /* as in the account */
    } span[HTMT__CELLS_SPANS];
};

struct htmt__cells;

/* `mine` says for each cell of the grid whether this object plays it; NULL: all.
 * Errors: HTMT_ENOMEM. */
int htmt__cells_create(const struct htmt__cells_grid *grid, const bool *mine,
                       const struct htmt__cells_calls *calls, struct htmt__cells **cells);
void htmt__cells_destroy(struct htmt__cells **cells);

/* Between cycles, before something is put, diffused or generated there: the cell takes part in that
 * cycle, which is the next one that is played. */
void htmt__cells_wake(struct htmt__cells *cells, uint32_t cell, int64_t cycle);
/* A message from outside lies in the action queue at once; false: it is full. */
bool htmt__cells_put(struct htmt__cells *cells, uint32_t cell, uint32_t message);
/* In work(), or between cycles: a message for the diffuse queue, or messages 0 to count - 1 of a
 * generator. */
void htmt__cells_diffuse(struct htmt__cells *cells, uint32_t cell, uint32_t message);
void htmt__cells_generate(struct htmt__cells *cells, uint32_t cell, uint32_t generator,
                          uint64_t count);

/* What a partition told in the cycle that was played last. */
void htmt__cells_hear(struct htmt__cells *cells, const struct htmt__cells_tell *tell);

/* Ends the cycle that was played last and plays the next one, of that number. Returns the cycle
 * that must be played next, unless something is put or heard before: then the one behind that;
 * INT64_MAX: none. Behind a cycle in which a cell was active it is the next one, which may find
 * that all is over. */
int64_t htmt__cells_play(struct htmt__cells *cells, int64_t cycle);

/* Cells that the last cycle has cost something. */
uint32_t htmt__cells_played(const struct htmt__cells *cells);

/* Cells that are active and that nothing will move any more if no cycle is to be played: the first
 * one in *cell. */
uint32_t htmt__cells_stuck(const struct htmt__cells *cells, uint32_t *cell);

/* Who waits for whom where cells are stuck. A place is an output of a cell, direction *
 * channels + channel, or behind these the cell's core: cell * HTMT__CELLS_PLACES + place. Sets
 * waits[a] to 1 + b where the operon at output a wants into an input that is full, and the first
 * one there waits for b; or where the core of a has a message for output b. Knows the inputs and
 * cores of these cells alone, and leaves the rest of `waits` as it is. */
enum { HTMT__CELLS_CORE = 4 * HTMT__CELLS_CHANNELS_MOST, HTMT__CELLS_PLACES };
void htmt__cells_waits(const struct htmt__cells *cells, uint32_t *waits);

/* Cycles that the core of a cell would still compute. */
uint64_t htmt__cells_pending(const struct htmt__cells *cells, uint32_t cell);

void htmt__cells_count(const struct htmt__cells *cells, struct htmt__cells_account *account);

/* Before the first cycle: its counts over time go to *series, too, which is all zeros. */
void htmt__cells_watch(struct htmt__cells *cells, struct htmt__cells_series *series);
/* `others` are of other cells, and become as coarse as all. */
bool htmt__cells_series_known(const struct htmt__cells_series *others); /* can be added */
void htmt__cells_series_add(struct htmt__cells_series *all, struct htmt__cells_series *others);

#endif
