/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The applications of a program: those that are linked into it, or plug-ins.
 */
#ifndef HTMT_EMUL_LIB_PLUGIN_APPLICATIONS_H
#define HTMT_EMUL_LIB_PLUGIN_APPLICATIONS_H

#include "apps/lib/app.h"

/* A plug-in, loaded or not. */
struct htmt__application {
    char *word;
    struct htmt_app app;
    struct htmt_fault fault; /* code 0: it is loaded */
};

struct htmt__applications {
    const struct htmt_app *const *linked; /* ends with NULL; NULL: plug-ins */
    bool recorded;                        /* the linked ones are all whose kernels are recorded */
    uint32_t watchdog;                    /* seconds for loading one; 0: any */
    unsigned count;
    size_t room;
    struct htmt__application **loaded;
    const struct htmt_app **all; /* of the loaded, once all were asked for */
};

/* The application of a name, or of the path of a plug-in. Errors: those of htmt__plugin_load(). */
int htmt__application_find(struct htmt__applications *a, const char *word,
                           const struct htmt_app **app, struct htmt_fault *fault);

/* All of them that can be loaded; ends with NULL, by names. The others are in a->loaded, with their
 * faults. Errors: HTMT_ENOMEM, or whatever code the host's failure has. */
int htmt__application_all(struct htmt__applications *a, const struct htmt_app *const **all,
                          struct htmt_fault *fault);

void htmt__applications_clear(struct htmt__applications *a);

#endif
