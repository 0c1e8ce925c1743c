/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks that are threads of one program: what struct htmt_ranks promises, without MPI.
 */
#ifndef HTMT_TESTS_RANKS_THREADS_H
#define HTMT_TESTS_RANKS_THREADS_H

#include "parcels/ranks.h"

/* An array of `count` ranks, each for a thread of its own. Errors: HTMT_ENOMEM, HTMT_ESYSTEM. */
int ranks_threads_create(uint32_t count, struct htmt_ranks **ranks);

/* This rank exchanges no more. Exchanges that wait for it, and later ones, give HTMT_ESYSTEM. */
void ranks_threads_leave(struct htmt_ranks *rank);

/* Clears it; NULL accepted. No thread uses it any more. */
void ranks_threads_destroy(struct htmt_ranks **ranks);

/* Plays ranks 0 to count - 1, each on a thread that leaves at its end, and waits for all of them;
 * rc[i] is what work() gave for rank i. Errors: as above; then none was played. */
int ranks_threads_play(uint32_t count, int (*work)(const struct htmt_ranks *rank, void *user),
                       void *user, int *rc);

#endif
