/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plasma's kernel text, compiled with numbers that count what is done with them.
 */
#ifndef HTMT_TESTS_PIC_COUNTING_H
#define HTMT_TESTS_PIC_COUNTING_H

#ifdef __cplusplus
extern "C" {
#endif

#include "apps/pic/cell_list.h"
#include "apps/pic/kernels.h"

struct counts {
    uint64_t flop, loads, stores;
};

/* As htmt__pic_deposit() and htmt__pic_push(); *counts is what it took. */
void count_deposit(const struct htmt__pic_particle *particle, uint64_t count,
                   const struct htmt__pic_box *box, double charge, double *tile,
                   struct counts *counts);
void count_push(struct htmt__pic_particle *particle, uint64_t count, const double *tile,
                const struct htmt__pic_box *box, const struct htmt__pic_motion *motion,
                uint64_t *left, struct htmt__pic_pushed *out, struct counts *counts);

#ifdef __cplusplus
}
#endif

#endif
