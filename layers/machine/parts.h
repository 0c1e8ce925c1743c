/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a machine file becomes a machine: machine_file.c reads files, bases and --set into figures;
 * machine_build.c turns figures into the plain data; machine_check.c looks at the whole.
 * The rows of machine_rows.c are the one list of what a file may hold, and where it goes.
 */
#ifndef HTMT_LAYERS_MACHINE_PARTS_H
#define HTMT_LAYERS_MACHINE_PARTS_H

#include "layers/file/figures.h"
#include "layers/file/units.h"

#include <stddef.h>

enum htmt__store {
    HTMT__STORE_NAME,  /* a name without source */
    HTMT__STORE_SCOPE, /* "slice" or "machine" into a bool */
    HTMT__STORE_U32,
    HTMT__STORE_U64,
    HTMT__STORE_TIME,
    HTMT__STORE_RATIO
};

enum { HTMT__MAY_BE_ZERO = 1, HTMT__MAY_BE_ABSENT = 2 }; /* absent: not-modelled */

struct htmt__row {
    const char *key;
    enum htmt__store store;
    size_t offset; /* in the struct of its group */
    enum htmt__dimension dimension;
    const char *noun; /* of an operation */
    unsigned rules;
    uint64_t limit;  /* largest value; 0: none */
    uint64_t absent; /* the value that stands for not-modelled */
};

/* One group of rows fills one struct of machine.h. Order is that of the dump; in a processor the
 * clock stands before what is counted in cycles. */
struct htmt__group {
    const struct htmt__row *row;
    unsigned count;
};

#define HTMT__ROWS_MAX 8

extern const struct htmt__group htmt__machine_rows, htmt__processor_rows, htmt__memory_rows,
    htmt__network_rows, htmt__port_rows;

#define HTMT__NO_PROCESSOR "none" /* layers.NAME.processor */

/* Fill a machine (zeroed by the caller) from figures; `file` stands in messages that no figure
 * can carry. The machine gets its own figures. Errors: HTMT_EFORMAT, HTMT_EUNIT, HTMT_ERANGE,
 * HTMT_ENOMEM; the caller then destroys the machine. */
int htmt__machine_build(const struct htmt__figures *figures, const char *file,
                        struct htmt_machine *machine, struct htmt_fault *fault);

/* Find what no single figure shows: links that lead nowhere, memories without room.
 * Errors: HTMT_EFORMAT, HTMT_ERANGE. */
int htmt__machine_check(const struct htmt_machine *machine, struct htmt_fault *fault);

/* The figure of that printf-style key in a built machine, NULL when there is none. */
const struct htmt_figure *htmt__machine_figure(const struct htmt_machine *machine,
                                               const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* lcm of the denominators of a processor's times, times that of lambda, when it is small enough
 * for every sum of htmt_machine_work() to fit 128 bits; else 0. */
uint64_t htmt__processor_scale(const struct htmt_processor *processor);

#endif
