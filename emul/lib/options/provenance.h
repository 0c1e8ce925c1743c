/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The run record: the information that another person needs to get the same bits again.
 */
#ifndef HTMT_EMUL_LIB_OPTIONS_PROVENANCE_H
#define HTMT_EMUL_LIB_OPTIONS_PROVENANCE_H

#include "emul/lib/options/options.h"

struct htmt__provenance {
    const char *version, *commit; /* commit: NULL if not built in */
    const char *verb;
    const struct htmt__options *options;
    const struct htmt_request *request;
    char costs_path[1024]; /* of a cost file that is not shipped; else empty */
    uint64_t costs_hash;   /* FNV-1a 64 of the bytes of the cost file; 0: no cost file */
};

/* What decides the results of a run, not where they go. */
struct htmt__provenance_digest {
    uint64_t machine, costs, options;
};
struct htmt__provenance_digest htmt__provenance_digest(const struct htmt__provenance *record);

const char *htmt__version(void);
const char *htmt__commit(void); /* NULL if not built in */

/* Hashes the cost file, if any. Errors: those of finding and reading the file. */
int htmt__provenance_make(const char *verb, const struct htmt__options *options,
                          const struct htmt_request *request, struct htmt__provenance *record,
                          struct htmt_fault *fault);

/* Of the bytes of a file that an option names, so that a changed input is told. False: the option
 * names no file. */
bool htmt__provenance_input(const char *path, uint64_t *hash);
/* Whether an option of the application names a file that a run writes. */
bool htmt__provenance_output(const struct htmt_app *app, const char *option);

/* "each focuses at least one patch", where the application chose fewer slices than the machine has;
 * else NULL. */
const char *htmt__provenance_slices_why(const struct htmt__provenance *record);

/* Calls visit for every given option, in the order of the tables; for --set once for each value.
 * The value of a switch is "". A non-zero return value of visit ends the calls and is returned. */
int htmt__provenance_given(const struct htmt__provenance *record,
                           int (*visit)(const char *name, const char *value, void *user),
                           void *user);

#endif
