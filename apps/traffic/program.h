/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A table as a parcel program. Each node is an activation of its slice; a message is a put from an
 * object of the source to its place in an object of the target, where it enables a fiber of its
 * own. In a run that fiber's kernel checks the bytes.
 */
#ifndef HTMT_APPS_TRAFFIC_PROGRAM_H
#define HTMT_APPS_TRAFFIC_PROGRAM_H

#include "apps/traffic/deadlock.h"
#include "apps/traffic/io/table.h"
#include "parcels/htmt.h"

struct htmt__traffic_program;

struct htmt__traffic_program_desc {
    const struct htmt__traffic_table *table; /* completed; outlives the program */
    uint32_t layer, network;
    uint64_t iterations;
    uint64_t kept;    /* iterations whose messages are timed, the first of them */
    uint64_t buffers; /* places for each message at its target, which iterations take in turn */
    bool named;       /* iterations are sections of the run */
};

/* The emulator outlives the program, or is destroyed without a run. Errors: those of the calls,
 * with the line. On success the caller gives *program to htmt__traffic_program_destroy(). */
int htmt__traffic_program_create(struct htmt_emulator *e,
                                 const struct htmt__traffic_program_desc *desc,
                                 struct htmt__traffic_program **program, struct htmt_fault *fault);
void htmt__traffic_program_destroy(struct htmt__traffic_program **program);

/* What slices counted in a run. */
struct htmt__traffic_checked {
    uint64_t blocks, wrong_blocks, wrong_bytes;
};
/* After the run, in all ranks alike. */
int htmt__traffic_program_checked(const struct htmt__traffic_program *program,
                                  struct htmt__traffic_checked *checked);

/* After a run that could not go on, in all ranks alike: how far each node has come. Errors:
 * HTMT_ENOMEM, HTMT_ESYSTEM. The caller frees *places. */
int htmt__traffic_program_places(const struct htmt__traffic_program *program,
                                 struct htmt__traffic_place **places);

/* After the run, in all ranks alike: brings the times of all slices to rank 0. Errors: HTMT_ENOMEM,
 * HTMT_ESYSTEM. */
int htmt__traffic_program_gather(struct htmt__traffic_program *program);

/* After that, in rank 0. fs; -1: it has not come so far. */
htmt_time htmt__traffic_began(const struct htmt__traffic_program *p, uint32_t node, uint64_t i);
htmt_time htmt__traffic_ended(const struct htmt__traffic_program *p, uint32_t node, uint64_t i);
htmt_time htmt__traffic_sent(const struct htmt__traffic_program *p, uint32_t message, uint64_t i);
htmt_time htmt__traffic_came(const struct htmt__traffic_program *p, uint32_t message, uint64_t i);

#endif
