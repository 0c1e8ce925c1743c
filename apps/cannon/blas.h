/* SPDX-License-Identifier: BSD-3-Clause
 *
 * OpenBLAS in this process: which kernel set it runs, with one thread, in which buffers.
 *
 * All are process-wide: the named exception to "two emulators in one process". The threads of a
 * host pool may call BLAS at the same time, each for itself.
 */
#ifndef HTMT_APPS_CANNON_BLAS_H
#define HTMT_APPS_CANNON_BLAS_H

#include "runtime/base/error.h"

#include <stdbool.h>

struct htmt__cannon_kernel_set {
    char name[32];      /* as OpenBLAS calls it: "Haswell", "SkylakeX" */
    char config[128];   /* OpenBLAS's own line: version and how it was built */
    const char *vector; /* widest vectors of the set: "SSE2", "AVX", "AVX2", "AVX-512"; "" when the
                           set is not in the table of blas.c */
    const char *cpu;    /* widest vectors of this CPU */
    bool older;         /* the CPU has wider vectors than the set uses */
    const char *better; /* when older: a set to ask for, otherwise NULL */
};

/* One thread from now on; call before the first product. */
void htmt__cannon_blas_one_thread(void);

/* Buffers for `threads` threads that multiply at the same time; the process keeps them. Call before
 * the first product of a run: a product that finds no buffer ends the process. Errors:
 * HTMT_ENOMEM. */
int htmt__cannon_blas_room(unsigned threads, struct htmt_fault *fault);

/* Which set runs. */
void htmt__cannon_blas_kernel_set(struct htmt__cannon_kernel_set *set);

/* Run with that kernel set: OpenBLAS reads OPENBLAS_CORETYPE once, before main(), so the process
 * starts itself again with argv and does not return. 0 when `set` is NULL or already runs. To be
 * called first in main(), before threads and output.
 * Errors: HTMT_EUSAGE (no such set in this library, or the CPU cannot run it), HTMT_ESYSTEM. */
int htmt__cannon_blas_choose(const char *set, char **argv, struct htmt_fault *fault);

#endif
