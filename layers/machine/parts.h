/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a machine file becomes a machine: file.c reads files, bases and --set into figures; build.c
 * turns figures into the plain data; check.c looks at the whole. The rows of rows.c are the one
 * list of what a file may hold, and where it goes.
 */
#ifndef HTMT_LAYERS_MACHINE_PARTS_H
#define HTMT_LAYERS_MACHINE_PARTS_H

#include "layers/file/figures.h"
#include "layers/machine/machine.h"

/* Each of the tables fills one struct of machine.h. Their order is that of the dump; in a processor
 * the clock stands before what is counted in cycles. A figure that is optional may be not-modelled;
 * least is 0, and above_least tells whether 0 is refused. */
extern const struct htmt_schema_row htmt__machine_rows[], htmt__processor_rows[],
    htmt__memory_rows[], htmt__network_rows[], htmt__port_rows[];

/* Rows of figures that may be missing (layers/machine/weights.h). */
extern const struct htmt_schema_row htmt__processor_weights[], htmt__memory_weights[];

#define HTMT__NO_PROCESSOR "none" /* layers.NAME.processor */
#define HTMT__PROCESSOR_AS "as "  /* the same, before the name of an outer layer */

/* Nothing is modelled inside a network or layer any more; `key` ends with ".inside". false: nothing
 * was. */
bool htmt__machine_empty(struct htmt__figures *figures, const char *key);

/* "networks.NAME is not modelled": all that costs time there; the routes stay.
 * Errors: HTMT_EFORMAT when no such network is known yet. */
int htmt__machine_forget(struct htmt__figures *figures, const struct htmt_figure *by,
                         struct htmt_fault *fault);

/* Fill a machine (zeroed by the caller) from figures; `file` stands in messages that no figure
 * can carry. The machine gets its own figures. Errors: HTMT_EFORMAT, HTMT_EUNIT, HTMT_ERANGE,
 * HTMT_ENOMEM; the caller then destroys the machine. */
int htmt__machine_build(const struct htmt__figures *figures, const char *file,
                        struct htmt_machine *machine, struct htmt_fault *fault);

/* All of a machine, which the caller gives to htmt_machine_destroy(). Errors: HTMT_ENOMEM. */
int htmt__machine_copy(const struct htmt_machine *machine, struct htmt_machine **copy);

/* The insides of its processors, which a copy shares with its original, become its own; they go.
 * Errors: HTMT_ENOMEM. */
int htmt__machine_copy_nodes(struct htmt_machine *machine);
int htmt__machine_copy_node(struct htmt_layer *layer);
void htmt__machine_free_nodes(struct htmt_machine *machine);

/* Find what no single figure shows: links that lead nowhere, memories without room.
 * Errors: HTMT_EFORMAT, HTMT_ERANGE. */
int htmt__machine_check(const struct htmt_machine *machine, struct htmt_fault *fault);

/* Cells of that network are a square of so many slices. Errors: HTMT_ERANGE. */
int htmt__machine_check_square(const struct htmt_machine *m, const struct htmt_network *n,
                               uint32_t slices, struct htmt_fault *fault);

/* The figure of that printf-style key in a built machine, NULL when there is none. */
const struct htmt_figure *htmt__machine_figure(const struct htmt_machine *machine,
                                               const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* lcm of the denominators of a processor's times, times that of lambda, when it is small enough
 * for every sum of htmt_machine_work() to fit 128 bits; else 0. */
uint64_t htmt__processor_scale(const struct htmt_processor *processor);

/* Accesses of `words` words in `pieces` pieces that differ by at most a word; 0 counts as 1. */
uint64_t htmt__accesses(const struct htmt_memory *memory, uint64_t words, uint64_t pieces);

#endif
