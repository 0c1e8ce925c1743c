/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Options of programs whose slices are memory banks with processors of several threads: `dpus` and
 * `tasklets`.
 */
#ifndef HTMT_APPS_LIB_TASKLETS_H
#define HTMT_APPS_LIB_TASKLETS_H

#include "apps/lib/steps.h"

/* Rows of an application's options. */
#define HTMT_TASKLETS_OPTIONS                                                                      \
    {"tasklets", "N", NULL,                                                                        \
     "of each slice, at most the threads of its processor; without it 16, or all where there are " \
     "fewer; model takes a range N..M, and has a row for each"},                                   \
    {                                                                                              \
        "plot", "FILE", NULL, "draw a range of tasklets: .svg, .png or .pdf"                       \
    }

#ifdef __cplusplus
extern "C" {
#endif

/* The layer whose processors have threads; 0: there is none. */
uint32_t htmt_tasklets_layer(const struct htmt_machine *machine);

/* Member `slices` of an application: --dpus, or `all` of the machine's. */
uint32_t htmt_tasklets_slices(const struct htmt_request *request, uint32_t all);

/* What --dpus says must be what the task has. Errors: HTMT_EUSAGE. */
int htmt_tasklets_check_slices(struct htmt_task *task);

/* --tasklets, at most the threads of the layer's processors, and `most`; without it 16, or all
 * threads where there are fewer. Refuses --plot, which a range of tasklets has. Errors:
 * HTMT_EUSAGE.
 */
int htmt_tasklets_read(struct htmt_task *task, uint32_t layer, uint32_t most, uint32_t *tasklets);

/* Where the bus held a curve beyond its points: a note, and the figure "bus_held", which is 1. */
void htmt_tasklets_tell_held(struct htmt_task *task, const struct htmt_emulator *e);

/* Whether a program counts an operation of the machine's table of instructions. */
typedef bool htmt_tasklets_counts(const void *plan, const char *operation);

/* Notes of the machine's figures whose sources say that they are quoted from memory; of the table
 * of instructions, those of operations that the program counts. */
void htmt_tasklets_tell_memory(struct htmt_task *task, htmt_tasklets_counts *counts,
                               const void *plan);

#ifdef __cplusplus
}
#endif

#endif
