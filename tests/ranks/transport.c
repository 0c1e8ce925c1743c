/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Exchanges by mpi.so, for mpirun:
 *     transport check PART [TURNS [BYTES]]    status 0: every exchange gave what was handed over
 *     transport time PART TURNS BYTES         microseconds an exchange in which each rank hands
 *                                             BYTES to each, on standard output of rank 0
 */
#include "emul/lib/plugin/mpi_part.h"
#include "runtime/base/error.h"
#include "tests/ranks/exchanges.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int check(const struct htmt_ranks *ranks, unsigned turns, size_t bytes)
{
    return exchanges_agree(ranks, turns, bytes) ? 0 : HTMT_EWRONG;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int measure(const struct htmt_ranks *ranks, unsigned turns, size_t bytes)
{
    struct htmt_bytes to[ranks->count], from[ranks->count];
    char *text = calloc(bytes + 1, 1);
    double begin = now();
    int rc = text ? 0 : HTMT_ENOMEM;
    for (uint32_t i = 0; i < ranks->count; i++)
        to[i] = (struct htmt_bytes){text, i == ranks->rank ? 0 : bytes};
    for (unsigned i = 0; i < turns && !rc; i++)
        rc = ranks->exchange(ranks->self, to, from);
    if (!rc && ranks->rank == 0)
        printf("%zu bytes: %.2f us\n", bytes, (now() - begin) / turns * 1e6);
    free(text);
    return rc;
}

static const struct htmt__ranks_part *load(const char *path)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct htmt__ranks_part *part = object ? dlsym(object, "htmt_mpi") : NULL;
    if (!part)
        fprintf(stderr, "%s\n", dlerror());
    return part;
}

int main(int argc, char **argv)
{
    unsigned turns = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 300;
    size_t bytes = argc > 4 ? strtoul(argv[4], NULL, 10) : 20000;
    const struct htmt__ranks_part *part = argc > 2 ? load(argv[2]) : NULL;
    struct htmt_ranks ranks;
    atomic_bool *told;
    if (!part || part->join(&ranks, &told))
        return 2;
    int rc = (strcmp(argv[1], "time") == 0 ? measure : check)(&ranks, turns, bytes);
    if (rc)
        part->abort(htmt_exit_status(rc));
    part->leave();
    return 0;
}
