/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What closed forms ask a machine whose slices are memory banks led by a controller: its issue
 * port, the DMA engine and the bus. Other machines have none of it: answers are 0, times -1. And
 * what programs ask before they run.
 */
#ifndef HTMT_LAYERS_MACHINE_BANKS_H
#define HTMT_LAYERS_MACHINE_BANKS_H

#include "layers/machine/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Cycles between two instructions of a thread; fs of a cycle; bytes of code memory (0: the file
 * does not model it). */
uint32_t htmt_machine_slots(const struct htmt_machine *m);
struct htmt_ratio htmt_machine_issue_cycle(const struct htmt_machine *m);
uint64_t htmt_machine_code_bytes(const struct htmt_machine *m);

/* Time that a copy occupies the engine; what its thread waits after that, fs. */
htmt_time htmt_machine_copy_time(const struct htmt_machine *m, uint64_t bytes);
struct htmt_ratio htmt_machine_copy_latency(const struct htmt_machine *m, bool write);

/* Time of a transfer of so many bytes a slice between the controller and banks, in parallel or one
 * slice after another; of a launch. -1: overflow; -2: the bus has no such transfer; -3: its figures
 * do not cover it. */
htmt_time htmt_machine_transfer_time(const struct htmt_machine *m, bool push, bool serial,
                                     uint32_t slices, uint64_t bytes);
htmt_time htmt_machine_launch_time(const struct htmt_machine *m, uint32_t slices);

/* A transfer of so many bytes a slice between the controller and banks, or scratch memories. */
struct htmt_bank_transfer {
    bool push, to_scratch;
    unsigned mode; /* 0: one slice after another; 1: all at once; 2: the same bytes to all */
    uint32_t slices;
    uint64_t bytes;
};

/* 0, or HTMT_EUSAGE: the machine has no such transfer, or its curves refuse it. */
int htmt_machine_transfer_check(const struct htmt_machine *m, const struct htmt_bank_transfer *use,
                                struct htmt_fault *fault);
/* The same of a launch. */
int htmt_machine_launch_check(const struct htmt_machine *m, uint32_t slices,
                              struct htmt_fault *fault);
/* The same of copies by the engine: the largest one's bytes, and what all addresses and sizes are
 * multiples of. */
int htmt_machine_copy_check(const struct htmt_machine *m, uint64_t bytes, uint64_t unit,
                            struct htmt_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
