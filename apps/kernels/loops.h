/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels of one processor: three of linear algebra that Mermaid's authors measured (ddot, ddot4,
 * daxpy) and the field of coupled dipoles of light scattering (dipole), with a triad, a block of a
 * matrix product and a Fourier transform; and ten loops in the shapes that other programs have
 * (shapes_text.h). Each exists several times, out of one text: plain, annotated (but for the
 * shapes), and with vectors.
 */
#ifndef HTMT_APPS_KERNELS_LOOPS_H
#define HTMT_APPS_KERNELS_LOOPS_H

#include "parcels/htmt.h"

#define HTMT__KERNELS_LOOP_ARRAYS  9
#define HTMT__KERNELS_LOOP_RESULTS 6

/* Arrays in one block of memory, with room between them that no power of two divides: they do not
 * all lie in the same lines of a cache. */
struct htmt__kernels_loop_data {
    uint64_t n;
    uint64_t at[HTMT__KERNELS_LOOP_ARRAYS]; /* bytes in the block */
    uint64_t bytes;                         /* of the block, results at its end included */
    uint64_t results;                       /* HTMT__KERNELS_LOOP_RESULTS reals are there */
};

typedef void htmt__kernels_loop_fn(struct htmt_kernel *k, const struct htmt__kernels_loop_data *d,
                                   char *block);

/* Arguments of a parcel. */
struct htmt__kernels_loop_args {
    struct htmt__kernels_loop_data data;
    uint64_t loop, turns; /* number in htmt__kernels_loops */
};

enum htmt__kernels_loop_variant {
    HTMT__KERNELS_LOOP_PLAIN,
    HTMT__KERNELS_LOOP_ANNOTATED,
    HTMT__KERNELS_LOOP_VECTOR
};

struct htmt__kernels_loop {
    const char *name, *about;
    htmt__kernels_loop_fn *run; /* for the clock */
    unsigned arrays;
    uint64_t (*elements)(uint64_t n, unsigned array);
    /* Of one turn over all. */
    void (*count)(uint64_t n, struct htmt_ops *ops);
    uint64_t least, most; /* n */
    bool shape;           /* has no annotated variant */
};

/* Ends with a NULL name. */
extern const struct htmt__kernels_loop htmt__kernels_loops[];

/* Kernels of parcels whose first use is the block, by enum htmt__kernels_loop_variant. */
extern htmt_kernel_fn *const htmt__kernels_loop_kernels[3];

/* Where the arrays lie. */
void htmt__kernels_loop_place(const struct htmt__kernels_loop *loop, uint64_t n,
                              struct htmt__kernels_loop_data *d);
/* Numbers that its arrays begin with. */
void htmt__kernels_loop_fill(const struct htmt__kernels_loop *loop,
                             const struct htmt__kernels_loop_data *d, char *block);

/* The results, computed in another way (reference.c): the largest error of the block after `turns`
 * turns of the loop over numbers of htmt__kernels_loop_fill(), and what rounding may make of it; of
 * dgemm and fft, some results are compared, and a sum over all. Errors: HTMT_ENOMEM. */
int htmt__kernels_loop_check(const struct htmt__kernels_loop *loop,
                             const struct htmt__kernels_loop_data *d, char *block, uint64_t turns,
                             double *error, double *bound);

/* The same of a shape (shapes_check.c): `found` and `first` are the block after the turns, and
 * before; `tell` gets each result, what it should be, the sum of magnitudes and the number of
 * steps. Returns whether there is one of that name. */
typedef void htmt__kernels_tell_fn(void *user, double found, long double wanted, long double size,
                                   uint64_t steps);
bool htmt__kernels_shape_check(const char *name, const struct htmt__kernels_loop_data *d,
                               const char *found, const char *first, uint64_t turns,
                               htmt__kernels_tell_fn *tell, void *user);

/* daxpy and triad multiply by it; the wave number of dipole, per spacing of the dipoles. */
#define HTMT__KERNELS_LOOP_FACTOR 0.3125
#define HTMT__KERNELS_LOOP_WAVE   0.5

#define HTMT__KERNELS_LOOP_NAMES(prefix)                                                           \
    htmt__kernels_loop_fn prefix##ddot, prefix##ddot4, prefix##daxpy, prefix##dipole,              \
        prefix##triad, prefix##dgemm, prefix##fft
HTMT__KERNELS_LOOP_NAMES(htmt__kernels_plain_);
HTMT__KERNELS_LOOP_NAMES(htmt__kernels_timed_);
HTMT__KERNELS_LOOP_NAMES(htmt__kernels_annotated_);
HTMT__KERNELS_LOOP_NAMES(htmt__kernels_vector_);
#define HTMT__KERNELS_SHAPES 7 /* number of the first one */
typedef void htmt__kernels_shape_fn(struct htmt_kernel *k, uint64_t number,
                                    const struct htmt__kernels_loop_data *d, char *block);
#define HTMT__KERNELS_SHAPE_NAMES(prefix)                                                          \
    htmt__kernels_shape_fn prefix##shape;                                                          \
    htmt__kernels_loop_fn prefix##gemm, prefix##bicg, prefix##solve, prefix##factor,               \
        prefix##stencil1, prefix##stencil2, prefix##stencil3, prefix##correlate, prefix##filter,   \
        prefix##total
HTMT__KERNELS_SHAPE_NAMES(htmt__kernels_plain_);
HTMT__KERNELS_SHAPE_NAMES(htmt__kernels_timed_);
HTMT__KERNELS_SHAPE_NAMES(htmt__kernels_vector_);
htmt_kernel_fn htmt__kernels_plain_kernel, htmt__kernels_timed_kernel,
    htmt__kernels_annotated_kernel, htmt__kernels_vector_kernel;

#endif
