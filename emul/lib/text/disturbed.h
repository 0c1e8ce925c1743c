/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures of a measured machine that did not hold still when they were measured.
 */
#ifndef HTMT_EMUL_LIB_TEXT_DISTURBED_H
#define HTMT_EMUL_LIB_TEXT_DISTURBED_H

#include "layers/machine/machine.h"

#include <stdbool.h>
#include <stdio.h>

struct htmt__disturbed {
    char machine[64]; /* its name */
    uint32_t count;
    char names[4096]; /* "l3, mul-f64", those that fit */
};

/* Figures whose source says that they were disturbed, each part of an inside once. `inside`: with
 * those of the insides of processors, which only recorded operations use. */
void htmt__disturbed_find(const struct htmt_machine *machine, bool inside,
                          struct htmt__disturbed *disturbed);

/* A line "NAME has 2 disturbed figures (l3, mul-f64); measure it again"; none: nothing. */
void htmt__disturbed_print(const struct htmt__disturbed *disturbed, FILE *out);

#endif
