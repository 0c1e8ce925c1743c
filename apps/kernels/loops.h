/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels of one processor: three of linear algebra that Mermaid's authors measured (ddot, ddot4,
 * daxpy) and the field of coupled dipoles of light scattering (dipole), with a triad, a block of a
 * matrix product and a Fourier transform. Each exists several times, out of one text: plain,
 * annotated, and with vectors.
 */
#ifndef HTMT_APPS_KERNELS_LOOPS_H
#define HTMT_APPS_KERNELS_LOOPS_H

#include "parcels/htmt.h"

#define HTMT__LOOP_ARRAYS  9
#define HTMT__LOOP_RESULTS 6

/* Arrays in one block of memory, with room between them that no power of two divides: they do not
 * all lie in the same lines of a cache. */
struct htmt__loop_data {
    uint64_t n;
    uint64_t at[HTMT__LOOP_ARRAYS]; /* bytes in the block */
    uint64_t bytes;                 /* of the block, results at its end included */
    uint64_t results;               /* HTMT__LOOP_RESULTS reals are there */
};

typedef void htmt__loop_fn(struct htmt_kernel *k, const struct htmt__loop_data *d, char *block);

/* Arguments of a parcel. */
struct htmt__loop_args {
    struct htmt__loop_data data;
    uint64_t loop, turns; /* number in htmt__loops */
};

enum htmt__loop_variant { HTMT__LOOP_PLAIN, HTMT__LOOP_ANNOTATED, HTMT__LOOP_VECTOR };

struct htmt__loop {
    const char *name, *about;
    htmt__loop_fn *run[2]; /* for the clock: plain; with vectors */
    unsigned arrays;
    uint64_t (*elements)(uint64_t n, unsigned array);
    /* Of one turn over all. */
    void (*count)(uint64_t n, struct htmt_ops *ops);
    uint64_t least, most; /* n */
};

/* Ends with a NULL name. */
extern const struct htmt__loop htmt__loops[];

/* Kernels of parcels whose first use is the block, by enum htmt__loop_variant. */
extern htmt_kernel_fn *const htmt__loop_kernels[3];

/* Where the arrays lie. */
void htmt__loop_place(const struct htmt__loop *loop, uint64_t n, struct htmt__loop_data *d);
/* Numbers that its arrays begin with. */
void htmt__loop_fill(const struct htmt__loop *loop, const struct htmt__loop_data *d, char *block);

/* daxpy and triad multiply by it; the wave number of dipole, per spacing of the dipoles. */
#define HTMT__LOOP_FACTOR 0.3125
#define HTMT__LOOP_WAVE   0.5

#define HTMT__LOOP_NAMES(prefix)                                                                   \
    htmt__loop_fn prefix##ddot, prefix##ddot4, prefix##daxpy, prefix##dipole, prefix##triad,       \
        prefix##dgemm, prefix##fft
HTMT__LOOP_NAMES(htmt__plain_);
HTMT__LOOP_NAMES(htmt__timed_);
HTMT__LOOP_NAMES(htmt__annotated_);
HTMT__LOOP_NAMES(htmt__vector_);
htmt_kernel_fn htmt__plain_kernel, htmt__timed_kernel, htmt__annotated_kernel, htmt__vector_kernel;

#endif
