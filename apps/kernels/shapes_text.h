/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The ten shapes (shapes_loops.h): a file that defines LOOP(name) gets each of them as a loop over
 * the arrays of a block.
 */
#include "apps/kernels/loops.h"
#include "apps/kernels/shapes_loops.h"

#ifdef LOOP
#define OF(number) ((double *)(void *)(block + d->at[number]))
#define WHOLE(name, ...)                                                                           \
    void LOOP(name)(struct htmt_kernel * k, const struct htmt__kernels_loop_data *d, char *block)  \
    {                                                                                              \
        (void)k;                                                                                   \
        name(d->n, __VA_ARGS__);                                                                   \
    }
WHOLE(gemm, OF(0), OF(1), OF(2))
WHOLE(bicg, OF(0), OF(1), OF(2), OF(3), OF(4))
WHOLE(solve, OF(0), OF(1), OF(2))
WHOLE(factor, OF(0), OF(1))
WHOLE(stencil1, OF(0), OF(1))
WHOLE(stencil2, OF(0))
WHOLE(stencil3, OF(0), OF(1))
WHOLE(correlate, OF(0), OF(1), OF(2), OF(3), OF(4))
WHOLE(filter, OF(0), OF(1), OF(2))
WHOLE(total, OF(0), OF(1), OF(2))

/* The numbers are those of htmt__kernels_loops, from HTMT__KERNELS_SHAPES on. */
void LOOP(shape)(struct htmt_kernel *k, uint64_t number, const struct htmt__kernels_loop_data *d,
                 char *block)
{
    switch (number) {
    case 0:
        LOOP(gemm)(k, d, block);
        break;
    case 1:
        LOOP(bicg)(k, d, block);
        break;
    case 2:
        LOOP(solve)(k, d, block);
        break;
    case 3:
        LOOP(factor)(k, d, block);
        break;
    case 4:
        LOOP(stencil1)(k, d, block);
        break;
    case 5:
        LOOP(stencil2)(k, d, block);
        break;
    case 6:
        LOOP(stencil3)(k, d, block);
        break;
    case 7:
        LOOP(correlate)(k, d, block);
        break;
    case 8:
        LOOP(filter)(k, d, block);
        break;
    default:
        LOOP(total)(k, d, block);
    }
}
#endif
