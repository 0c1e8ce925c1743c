/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the measured programs do, as tasklets for the player: the copies of the micro program, and
 * the programs of the PrIM suite with a constant of instructions an element, or with the
 * instructions of their typed operations.
 */
#ifndef HTMT_EMUL_VALIDATE_PIM_PROGRAMS_H
#define HTMT_EMUL_VALIDATE_PIM_PROGRAMS_H

#include "emul/validate/pim/measured.h"
#include "emul/validate/pim/player.h"
#include "layers/file/costs.h"

#define HTMT__PIM_TASKLETS 16 /* of the PrIM runs; inferred, as their blocks of 1 KiB are */

/* Two constants of a program. */
struct htmt__pim_constants {
    struct htmt_ratio instructions; /* an element */
    htmt_time start;                /* of a kernel, fs */
};

/* Keys of the cost file, "va.instructions" and "va.start" of each program. */
extern const struct htmt_schema_row htmt__pim_cost_rows[];

/* A program by the name of its rows, "SCAN-SSA"; its index, -1: there is none. */
int htmt__pim_program(const char *name);
const char *htmt__pim_program_name(int program); /* NULL: behind the last */

/* Whether a program has this operation: "add-i32". */
bool htmt__pim_counts(const char *operation);

/* Constants of a program out of a cost file. */
struct htmt__pim_constants htmt__pim_constants(const struct htmt_costs *costs, int program);

/* Time of a kernel on `dpus` DPUs, elements (of gemv: rows) dealt in equal parts, the largest of
 * which is played: start, then all passes. `constants` NULL: no start, and the instructions of the
 * typed operations by the machine's table. Errors: those of htmt__pim_play(), HTMT_ENOENT (an
 * operation without a row). */
int htmt__pim_kernel(const struct htmt__bank_host *machine, int program,
                     const struct htmt__pim_constants *constants, uint32_t dpus, uint64_t size,
                     htmt_time *time, struct htmt_fault *fault);

/* Time of a copy inside DPUs, without the launch. Errors: those of htmt__pim_play(). */
int htmt__pim_copy(const struct htmt__bank_host *machine, bool bank, uint32_t tasklets,
                   uint64_t words, uint64_t repetitions, htmt_time *time, struct htmt_fault *fault);

/* Time of the transfers of a program between host and DPUs; `part` as in a row's id.
 * -1: no such transfer, or outside of what the bus knows. */
htmt_time htmt__pim_transfer(const struct htmt__bank_host *machine, int program, const char *part,
                             uint32_t dpus, uint64_t size, bool *held);

#endif
