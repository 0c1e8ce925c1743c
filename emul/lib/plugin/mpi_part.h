/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What mpi.so exports for the command, which links no MPI: ranks that Open MPI joins. It uses no
 * function of libhtmt, so that every program can load it. One thread calls these functions in this
 * order, agree() as often as all ranks do, the others once.
 */
#ifndef HTMT_EMUL_LIB_PLUGIN_MPI_PART_H
#define HTMT_EMUL_LIB_PLUGIN_MPI_PART_H

#include "parcels/ranks.h"
#include "runtime/base/error.h"

#include <stdatomic.h>
#include <stdbool.h>

struct htmt__ranks_part {
    /* Joins the processes that one launcher has started; sets *ranks. *told is false at first, and
     * one for all ranks that share memory with rank 0; NULL: for this one there is none. Errors:
     * HTMT_ESYSTEM, HTMT_ENOMEM. */
    int (*join)(struct htmt_ranks *ranks, atomic_bool **told);
    /* Waits until all ranks have come so far, a rank with a fault `seconds` at most. True: then
     * `fault` is that of the first rank that has one, which *rank names. */
    bool (*agree)(double seconds, struct htmt_fault *fault, uint32_t *rank);
    /* All ranks call it; *told ends. */
    void (*leave)(void);
    /* Instead: ends the processes of all ranks. */
    void (*abort)(int status);
};

extern const struct htmt__ranks_part htmt_mpi __attribute__((visibility("default")));

#endif
