/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An mpi.so that counts: it hands all to the one that HTMT_COUNTED_MPI names, and says at the end
 *     EXCHANGES <number> <bytes that this rank handed to others> <seconds in them>
 * on standard error of rank 0. bench/scaling.sh puts it where htmt looks for mpi.so.
 */
#include "emul/lib/plugin/mpi_part.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct {
    const struct htmt__ranks_part *real;
    struct htmt_ranks ranks; /* of the real one */
    uint64_t exchanges, bytes;
    double seconds;
} counted;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int exchange(void *self, const struct htmt_bytes *to, struct htmt_bytes *from)
{
    double begin = now();
    int rc = counted.ranks.exchange(self, to, from);
    counted.seconds += now() - begin;
    counted.exchanges++;
    for (uint32_t i = 0; i < counted.ranks.count; i++)
        counted.bytes += i == counted.ranks.rank ? 0 : to[i].size;
    return rc;
}

static int join(struct htmt_ranks *ranks, atomic_bool **told)
{
    const char *path = getenv("HTMT_COUNTED_MPI");
    void *object = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    counted.real = object ? dlsym(object, "htmt_mpi") : NULL;
    int rc = counted.real ? counted.real->join(&counted.ranks, told) : HTMT_ESYSTEM;
    if (rc)
        return rc;
    *ranks = counted.ranks;
    ranks->exchange = exchange;
    return 0;
}

static bool agree(double seconds, struct htmt_fault *fault, uint32_t *rank)
{
    return counted.real->agree(seconds, fault, rank);
}

static void leave(void)
{
    if (counted.ranks.rank == 0)
        fprintf(stderr, "EXCHANGES %" PRIu64 " %" PRIu64 " %.6f\n", counted.exchanges,
                counted.bytes, counted.seconds);
    counted.real->leave();
}

static void end_all(int status)
{
    counted.real->abort(status);
}

const struct htmt__ranks_part htmt_mpi = {
    .join = join, .agree = agree, .leave = leave, .abort = end_all};
