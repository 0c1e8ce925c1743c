/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Many machines that differ from one in a few figures. The files of the first one are read once;
 * each other one is built from its figures, which takes a fifth of the instructions.
 */
#ifndef HTMT_LAYERS_MACHINE_BASE_H
#define HTMT_LAYERS_MACHINE_BASE_H

#include "layers/machine/machine.h"

struct htmt__machine_base;

/* The figures of a machine with these changes, as htmt_machine_load() has them. On success the
 * caller owns *base. Errors: those of htmt_machine_load(); that the machine is whole is seen when
 * it is built. */
int htmt__machine_base_load(const char *name, const char *const *set, unsigned set_count,
                            struct htmt__machine_base **base, struct htmt_fault *fault);
/* NULL and cleared pointers are accepted. */
void htmt__machine_base_destroy(struct htmt__machine_base **base);

/* The figures, in the order of `htmt machine show`; they belong to the base. */
const struct htmt_figure *htmt__machine_base_figures(const struct htmt__machine_base *base,
                                                     unsigned *count);

/* How well the value of that figure is known, "0.8x..1.5x"; NULL: nothing is said. */
const char *htmt__machine_base_range(const struct htmt__machine_base *base, const char *key);

/* The machine with more changes, "key=value", the last of a key holds. Any number of threads may
 * build from one base. Errors: as htmt_machine_load(). */
int htmt__machine_base_build(const struct htmt__machine_base *base, const char *const *set,
                             unsigned set_count, struct htmt_machine **machine,
                             struct htmt_fault *fault);

#endif
