/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The largest problem that each memory of the machine allows, and which memory binds: an
 * application's size is raised until its closed form refuses it for want of capacity.
 */
#ifndef HTMT_EMUL_QUESTIONS_LARGEST_H
#define HTMT_EMUL_QUESTIONS_LARGEST_H

#include "emul/options/options.h"

struct htmt__bound {
    uint64_t size; /* the largest; 0: none fits */
    bool bounded;  /* by capacity; false: it ends there for another reason */
};

struct htmt__largest {
    const struct htmt_app_size *size;
    char memory[HTMT_NAME_MAX]; /* "all": of the machine as it is */
    struct htmt__bound alone;   /* the other memories without bounds */
    struct htmt__bound twice;   /* as it is, with twice as much of this memory */
    bool binds;                 /* twice as much allows more */
    bool refused;               /* the size does not go with the command line */
    char why[200];              /* what the next larger one is refused with; "": not tried */
};

/* Rows of each size that the command line leaves open: all, then memory by memory. *rows is to be
 * freed. Errors: HTMT_EUSAGE (the application names no size), HTMT_ENOMEM, of machine files. */
int htmt__largest_find(const struct htmt__options *options, const struct htmt_request *request,
                       struct htmt__largest **rows, unsigned *count, struct htmt_fault *fault);

#endif
