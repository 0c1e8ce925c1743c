/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program of a nest file at given parameters: every nest in the order in which it runs, calls
 * and repeats spelled out, with what it may be fused to, which arrays are resident meanwhile, and
 * what is exchanged with neighbours.
 */
#ifndef HTMT_EMUL_LOOPS_NEST_PROGRAM_H
#define HTMT_EMUL_LOOPS_NEST_PROGRAM_H

#include "emul/loops/nest/plan.h"

/* A nest that runs, or the call of a procedure whose body was not seen. */
struct htmt__nest_run {
    char name[256];
    struct htmt__nest_plan *plan; /* NULL: not seen */
    unsigned nests, *nest;        /* of the file; several when fused */
    htmt_wide times;              /* by repeats */
    unsigned parts;
    struct htmt__nest_sent *part; /* arrays that a procedure may read and write */
};

/* Components of an array. */
struct htmt__nest_sent {
    unsigned array;
    htmt_wide first, count;
};

/* From its first run to its last one: a repeat of more than one round, or a loop that all of its
 * nests have, at the same depth: in each of its iterations they run one after the other. */
struct htmt__nest_rounds {
    unsigned first, last;
    bool loop;
    unsigned depth;  /* of a loop */
    htmt_wide times; /* of a repeat */
};

struct htmt__nest_exchange {
    unsigned before; /* run that follows */
    htmt_wide depth, times;
    struct htmt__nest_sent sent;
};

struct htmt__nest_program {
    const struct htmt__nest_file *file;
    htmt_wide *value; /* of parameters */
    bool *known;
    htmt_wide *components;                                         /* of arrays */
    htmt_wide (*low)[HTMT__NEST_DEPTH], (*size)[HTMT__NEST_DEPTH]; /* of their boxes */
    uint64_t line;
    unsigned runs, repeats, exchanges;
    size_t run_room, repeat_room, exchange_room;
    struct htmt__nest_run *run;
    struct htmt__nest_rounds *repeat; /* repeats and loops, an inner one before those around it */
    struct htmt__nest_exchange *exchange;
    struct htmt__nest_layout *layout; /* of arrays (layout.h); NULL: lines are not asked for */
};

struct htmt__nest_given_value {
    const char *name;
    htmt_wide value;
};

/* On success the caller owns *program. Errors: HTMT_EUSAGE (unknown or missing parameter), those of
 * plans. */
int htmt__nest_program_make(const struct htmt__nest_file *file,
                            const struct htmt__nest_given_value *given, unsigned count,
                            uint64_t line, struct htmt__nest_program **program,
                            struct htmt_fault *fault);
void htmt__nest_program_destroy(struct htmt__nest_program **program);

/* "a+b+c": these nests, which follow each other, run as one. Errors: HTMT_EUSAGE (no such nest, not
 * one after the other, other loops), HTMT_EINVAL (a dependence forbids it; the message names the
 * shift). */
int htmt__nest_program_fuse(struct htmt__nest_program *program, const char *names,
                            struct htmt_fault *fault);

/* Words of an array's components. */
htmt_wide htmt__nest_array_words(const struct htmt__nest_program *program, unsigned array,
                                 htmt_wide components);

/* ---- occupancy ---------------------------------------------------------------------------------
 */

enum htmt__nest_mark {
    HTMT__NEST_ABSENT,
    HTMT__NEST_LIVE,
    HTMT__NEST_R,
    HTMT__NEST_W,
    HTMT__NEST_RW,
    HTMT__NEST_WR
};

/* Components of an array that are touched alike. */
struct htmt__nest_row {
    unsigned array;
    htmt_wide first, count;
    unsigned char *mark;           /* of each run */
    htmt_wide reads, writes, live; /* arrays of all runs: WR counts as a write */
};

struct htmt__nest_occupancy {
    unsigned rows, runs;
    size_t row_room;
    struct htmt__nest_row *row;
    htmt_wide *resident; /* arrays, of each run */
};

/* "RW"; empty where nothing is. */
const char *htmt__nest_mark_name(enum htmt__nest_mark mark);

/* On success the caller clears *occupancy. Errors: HTMT_ENOMEM. */
int htmt__nest_occupancy_make(const struct htmt__nest_program *program,
                              struct htmt__nest_occupancy *occupancy);
void htmt__nest_occupancy_clear(struct htmt__nest_occupancy *occupancy);

/* ---- ghosts ------------------------------------------------------------------------------------
 */

/* Bytes of the messages of an exchange to all neighbours; along one axis to one of them. */
htmt_wide htmt__nest_exchange_bytes(const struct htmt__nest_program *program,
                                    const struct htmt__nest_exchange *exchange);
htmt_wide htmt__nest_face_bytes(const struct htmt__nest_program *program,
                                const struct htmt__nest_exchange *exchange, unsigned axis);

/* Bytes of all arrays, and the buffers of the largest exchange: all arrays that are sent together.
 */
int htmt__nest_footprint(const struct htmt__nest_program *program, htmt_wide *arrays,
                         htmt_wide *buffers);

#endif
