/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computation of van Brummen et al., "Mermaid", section 5.1: counts that follow from the text. The
 * times cannot be computed: the paper gives no latency and no size of dipole.
 */
#include "apps/kernels/paper_figures.h"

#include <stddef.h>

#define AT(row, options, term)                                                                     \
    {                                                                                              \
        row, options " --machine gcel", term, NULL, NULL                                           \
    }

const struct htmt_paper_figure htmt__kernels_paper_figures[] = {
    AT("M.array", "--kernel ddot --n 64..8192", "rounds 64 * 64"),
    AT("M.iter", "--kernel ddot --n 64", "rounds 64"),
    AT("M.ops.flop", "--kernel ddot --n 64", "flops 64 / rounds 64"),
    AT("M.ops.load", "--kernel daxpy --n 64", "loads 64 / rounds 64"),
    AT("M.ops.store", "--kernel daxpy --n 64", "stores 64 / rounds 64"),
    {NULL, NULL, NULL, NULL, NULL}};
