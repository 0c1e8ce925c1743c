/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The copies of the micro program, for the player.
 */
#ifndef HTMT_EMUL_VALIDATE_PIM_COPIES_H
#define HTMT_EMUL_VALIDATE_PIM_COPIES_H

#include "emul/validate/pim/player.h"

/* Time of a copy inside a DPU, `bank`: by DMA from bank to bank, without the launch. The copy of
 * the bank strides 64 words and moves 64 bytes of each stride, as the measured one did. Errors:
 * those of htmt__pim_play(). */
int htmt__pim_copy(const struct htmt__bank_host *machine, bool bank, uint32_t tasklets,
                   uint64_t words, uint64_t repetitions, htmt_time *time, struct htmt_fault *fault);

#endif
