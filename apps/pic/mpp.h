/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plasma on a machine that passes messages: px x py x pz equal nodes of one memory, each with a
 * box of cells and the particles in it. mpp.c has the plan, the messages and what they take,
 * mpp_program.c the program.
 *
 * Node (k py + j) px + i has part i of x, j of y, k of z (htmt__pic_first()). In every step:
 *
 *     deposit    charge of the particles on the box and one guard point at each side
 *     guards     charge to the two neighbours along x, then y, then z: six, and what belongs to a
 *                corner goes there in three steps
 *     solve      rows of x, columns of y, columns of z, and three components back; four transposes
 *     guards     the field to the six neighbours in the same way
 *     push       all particles
 *     migrate    those that left the box, along x, then y, then z
 *     record     an all-reduce
 *
 * For rows of x the px nodes that share them divide their planes of z: node (i, j, k) has part b =
 * k px + i of pz px parts of z there. For px = 1 that is the decomposition of program.h.
 */
#ifndef HTMT_APPS_PIC_MPP_H
#define HTMT_APPS_PIC_MPP_H

#include "apps/lib/steps.h"
#include "apps/peers/peers.h"
#include "apps/pic/counts.h"
#include "apps/pic/io/deck.h"

enum htmt__pic_mpp_phase {
    HTMT__PIC_MPP_DEPOSIT, /* then charge along x leaves, behind the next two along y and z */
    HTMT__PIC_MPP_FOLD_X,
    HTMT__PIC_MPP_FOLD_Y,
    HTMT__PIC_MPP_FOLD_Z,  /* then rho to whoever has whole rows */
    HTMT__PIC_MPP_ROWS,    /* then modes to whoever has whole columns of y */
    HTMT__PIC_MPP_COLUMNS, /* and of z */
    HTMT__PIC_MPP_SOLVE,   /* then three components back */
    HTMT__PIC_MPP_COLUMNS_BACK,
    HTMT__PIC_MPP_ROWS_BACK,
    HTMT__PIC_MPP_CUT,
    HTMT__PIC_MPP_GUARD_X,
    HTMT__PIC_MPP_GUARD_Y,
    HTMT__PIC_MPP_GUARD_Z,
    HTMT__PIC_MPP_PUSH,
    HTMT__PIC_MPP_LEAVE_X,
    HTMT__PIC_MPP_SORT_Y,
    HTMT__PIC_MPP_LEAVE_Y,
    HTMT__PIC_MPP_SORT_Z,
    HTMT__PIC_MPP_LEAVE_Z,
    HTMT__PIC_MPP_SETTLE,
    HTMT__PIC_MPP_RECORD,
    HTMT__PIC_MPP_KEEP,
    HTMT__PIC_MPP_PHASES
};

/* What a node has in memory. */
enum htmt__pic_mpp_area {
    HTMT__PIC_MPP_PARTICLES, /* of one species after another, `room` each */
    HTMT__PIC_MPP_COUNTS,    /* of species */
    HTMT__PIC_MPP_TILE,      /* charge[z][y][x] with guard points */
    HTMT__PIC_MPP_FACES,     /* of neighbours: of axes x and z, and y; from above, from below */
    HTMT__PIC_MPP_RHO,       /* without guard points */
    HTMT__PIC_MPP_E,         /* three components likewise */
    HTMT__PIC_MPP_LINES_X,   /* rows of x, real; three components here and below */
    HTMT__PIC_MPP_MODES_X,   /* complex */
    HTMT__PIC_MPP_MODES_Y,
    HTMT__PIC_MPP_MODES_Z,
    HTMT__PIC_MPP_SCRATCH,
    HTMT__PIC_MPP_FIELD,   /* field[z][y][x][component] with guard points */
    HTMT__PIC_MPP_OUT,     /* particles that leave: downward, upward */
    HTMT__PIC_MPP_IN,      /* that arrived: of axes x and z, and y; from above, from below */
    HTMT__PIC_MPP_TRANSIT, /* that go on along another axis: two, by turns */
    HTMT__PIC_MPP_PUSHED,  /* report of each species */
    HTMT__PIC_MPP_SUM,     /* record of the step */
    HTMT__PIC_MPP_SERIES,  /* of all steps */
    HTMT__PIC_MPP_AREAS
};

/* Words before the particles of OUT, IN and TRANSIT: how many of each species there are. */
#define HTMT__PIC_MPP_HEAD HTMT__PIC_SPECIES_MAX

struct htmt__pic_mpp_plan {
    struct htmt__pic_problem problem;
    double flux[HTMT__PIC_SPECIES_MAX][6]; /* cells a step down and up each axis */
    uint64_t steps;
    uint32_t nodes, p[3], modes; /* modes of x */
    uint32_t largest[3];         /* cells of the largest box */
    struct htmt__peer_place place;
    uint64_t room[HTMT__PIC_SPECIES_MAX]; /* particles of a species in a node */
    uint64_t mail;                        /* particles that leave in one direction in one step */
    uint64_t part[HTMT__PIC_MPP_AREAS];   /* words of one of an area's equal parts */
    uint64_t area[HTMT__PIC_MPP_AREAS];   /* words */
    uint64_t words;                       /* of a node */
};

/* Where a node is and what it has. */
struct htmt__pic_mpp_node {
    uint32_t at[3]; /* i, j, k */
    struct htmt__pic_box box;
    uint32_t row_z, row_planes;                  /* planes of its rows: first, number */
    uint32_t first_x, modes_x, first_y, modes_y; /* of its columns */
};

/* On the grid whose largest box is smallest, and of these the one with the least surface. `mail` 0:
 * half of the mean. Errors: HTMT_EINVAL (no grid leaves each node cells and lines). */
int htmt__pic_mpp_plan(const struct htmt_machine *m, const struct htmt__pic_problem *problem,
                       const struct htmt__pic_deck *deck, struct htmt__pic_mpp_plan *plan,
                       struct htmt_fault *fault);
/* The largest number of nodes, of at most `most`, that have a grid. */
uint32_t htmt__pic_mpp_nodes(const uint32_t n[3], uint32_t most);
/* Errors: HTMT_ECAPACITY (the areas do not fit the memory of a node). */
int htmt__pic_mpp_fits(const struct htmt_machine *m, const struct htmt__pic_mpp_plan *plan,
                       struct htmt_fault *fault);

struct htmt__pic_mpp_node htmt__pic_mpp_node(const struct htmt__pic_mpp_plan *p, uint32_t node);

/* Message i that a node sends in a phase; false: there are no more. */
struct htmt__pic_mpp_message {
    uint32_t to;
    enum htmt__pic_mpp_area from, into;
    uint64_t from_word, into_word;
    struct htmt_pieces from_pieces, into_pieces;
    uint64_t words;
};
bool htmt__pic_mpp_message(const struct htmt__pic_mpp_plan *p, enum htmt__pic_mpp_phase phase,
                           uint32_t node, uint32_t i, struct htmt__pic_mpp_message *message);
/* How many arrive at each node in a phase. */
uint32_t htmt__pic_mpp_awaited(const struct htmt__pic_mpp_plan *p, enum htmt__pic_mpp_phase phase);

/* Who sends waits behind that for all; the cut does before others' guard points may arrive. */
static inline bool htmt__pic_mpp_has_barrier(enum htmt__pic_mpp_phase phase)
{
    return phase < HTMT__PIC_MPP_PUSH || phase == HTMT__PIC_MPP_LEAVE_X ||
           phase == HTMT__PIC_MPP_LEAVE_Y || phase == HTMT__PIC_MPP_LEAVE_Z;
}

/* Particles that leave through each face of an axis, down and up, as the deck lets expect, of all
 * species. */
void htmt__pic_mpp_leaving(const struct htmt__pic_mpp_plan *p, uint32_t node, uint32_t axis,
                           uint64_t out[2]);
/* Particles that a phase works on, as the deck lets expect. */
uint64_t htmt__pic_mpp_expected(const struct htmt__pic_mpp_plan *p, uint32_t node,
                                enum htmt__pic_mpp_phase phase);
/* Operations of a phase; `particles`: of a push or deposit those of the node, else those moved. */
struct htmt_ops htmt__pic_mpp_ops(const struct htmt__pic_mpp_plan *p,
                                  const struct htmt__pic_mpp_node *node,
                                  enum htmt__pic_mpp_phase phase, uint64_t particles);

/* ---- closed form ----------------------------------------------------------------------------- */

struct htmt__pic_mpp_prediction {
    struct htmt__pic_mpp_plan plan;
    htmt_time work[HTMT__PIC_MPP_PHASES], sent[HTMT__PIC_MPP_PHASES]; /* of a step */
    htmt_time barrier;
    htmt_wide total;
    double flops;
};

/* "two-stream: 32 x 4 x 4 cells, ...; 4 x 2 x 2 nodes, boxes of 8 x 2 x 2" */
void htmt__pic_mpp_describe(const struct htmt__pic_deck *deck, const struct htmt__pic_mpp_plan *p,
                            char *text, size_t room);

/* Errors: HTMT_EOVERFLOW. */
int htmt__pic_mpp_predict(const struct htmt_machine *m, const struct htmt__pic_mpp_plan *plan,
                          struct htmt__pic_mpp_prediction *out, struct htmt_fault *fault);
/* Append the lines of `predict`, the total and its parts. Errors: HTMT_ENOMEM. */
int htmt__pic_mpp_tell(const struct htmt_machine *m, const struct htmt__pic_mpp_prediction *of,
                       struct htmt_prediction *out, struct htmt_fault *fault);

/* ---- program --------------------------------------------------------------------------------- */

struct htmt__pic_mpp;

/* Objects, types and first parcels of an emulator that plays all nodes in this process.
 * `particles`: as they are at the start; NULL in a model run, where each node keeps the mean
 * number. Plan and deck are copied. named: steps are sections. Errors: HTMT_ECAPACITY (a node has
 * not room for its particles), HTMT_ENOMEM, those of the emulator, whose line is copied into
 * *fault. */
int htmt__pic_mpp_create(struct htmt_emulator *e, const struct htmt__pic_mpp_plan *plan,
                         const struct htmt__pic_deck *deck,
                         const struct htmt__pic_particles *particles, bool named,
                         struct htmt__pic_mpp **program, struct htmt_fault *fault);
void htmt__pic_mpp_destroy(struct htmt__pic_mpp **program); /* NULL accepted */

/* After the run: particles that went to another node, over all steps. */
uint64_t htmt__pic_mpp_migrated(const struct htmt__pic_mpp *program);
/* And the records of the steps that ended; `record` has room for all. */
void htmt__pic_mpp_records(const struct htmt__pic_mpp *program, struct htmt__pic_record *record,
                           uint64_t *steps);
/* All particles, by species in the order of nodes, into `out`, which has room for those that were
 * taken; the counts are set. Errors: HTMT_EAUDIT (another number). */
int htmt__pic_mpp_particles(const struct htmt__pic_mpp *program, struct htmt__pic_particles *out,
                            struct htmt_fault *fault);
/* Errors: HTMT_EAUDIT, as above. */
int htmt__pic_mpp_audit(const struct htmt__pic_mpp *program, struct htmt_fault *fault);
/* rho and E of the last step. */
void htmt__pic_mpp_fields(const struct htmt__pic_mpp *program, struct htmt__pic_fields *fields);

#endif
