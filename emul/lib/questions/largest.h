/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The largest problem that each memory of the machine allows, and the memory that binds. The size
 * of the problem is raised until the closed form of the application refuses it for want of
 * capacity.
 */
#ifndef HTMT_EMUL_LIB_QUESTIONS_LARGEST_H
#define HTMT_EMUL_LIB_QUESTIONS_LARGEST_H

#include "emul/lib/options/options.h"

struct htmt__largest_bound {
    uint64_t size; /* the largest; 0: none fits */
    bool bounded;  /* by capacity; false: the search ended for another reason */
};

struct htmt__largest {
    const struct htmt_app_size *size;
    char memory[HTMT_NAME_MAX];       /* "all": all memories, unchanged */
    struct htmt__largest_bound alone; /* the other memories unlimited */
    struct htmt__largest_bound twice; /* this memory doubled, the others unchanged */
    bool binds;                       /* the doubled memory allows a larger problem */
    bool refused;                     /* the size contradicts the command line */
    char why[200];                    /* message that refuses the next larger size; "": not tried */
};

/* For each size option that the command line does not give: a row for all memories, then a row for
 * each memory. The caller frees *rows. Errors: HTMT_EUSAGE (the application has no size option),
 * HTMT_ENOMEM, those of machine files. */
int htmt__largest_find(const struct htmt__options *options, const struct htmt_request *request,
                       struct htmt__largest **rows, unsigned *count, struct htmt_fault *fault);

#endif
