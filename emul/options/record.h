/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The run record: what another person needs to get the same bits again.
 */
#ifndef HTMT_EMUL_OPTIONS_RECORD_H
#define HTMT_EMUL_OPTIONS_RECORD_H

#include "emul/options/options.h"

struct htmt__record {
    const char *version, *commit; /* commit: NULL when it was not built in */
    const char *verb;
    const struct htmt__options *options;
    const struct htmt_request *request;
    uint64_t costs_hash; /* FNV-1a 64 of the cost file's bytes; 0: none */
};

const char *htmt__version(void);
const char *htmt__commit(void); /* NULL: not built in */

/* Hashes the cost file when there is one. Errors: those of finding and reading it. */
int htmt__record_make(const char *verb, const struct htmt__options *options,
                      const struct htmt_request *request, struct htmt__record *record,
                      struct htmt_fault *fault);

/* Calls visit for every option that was given, in the order of the tables. Values are "" for
 * switches; --set comes once for each. A non-zero answer ends the walk and is returned. */
int htmt__record_given(const struct htmt__record *record,
                       int (*visit)(const char *name, const char *value, void *user), void *user);

#endif
