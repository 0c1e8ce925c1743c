/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/report/record.h"

#include "layers/file/search.h"
#include "runtime/base/fnv.h"

#include <stdlib.h>

#ifndef HTMT_VERSION
#define HTMT_VERSION "unversioned"
#endif
#ifndef HTMT_COMMIT
#define HTMT_COMMIT ""
#endif

const char *htmt__version(void)
{
    return HTMT_VERSION;
}

const char *htmt__commit(void)
{
    return sizeof HTMT_COMMIT > 1 ? HTMT_COMMIT : NULL;
}

static int hash_costs(const char *name, uint64_t *hash, struct htmt_fault *fault)
{
    char path[HTMT__PATH_MAX], *text;
    size_t length;
    int code = htmt__search_path(&htmt__search_costs, name, NULL, path, fault);
    if (!code)
        code = htmt__search_read(path, &text, &length, fault);
    if (code)
        return code;
    *hash = HTMT__HASH_BASIS;
    htmt__hash_bytes(hash, text, length);
    free(text);
    return 0;
}

int htmt__record_make(const char *verb, const struct htmt__options *options,
                      const struct htmt_request *request, struct htmt__record *record,
                      struct htmt_fault *fault)
{
    struct htmt__record made = {.version = htmt__version(),
                                .commit = htmt__commit(),
                                .verb = verb,
                                .options = options,
                                .request = request};
    int code = request->costs ? hash_costs(request->costs, &made.costs_hash, fault) : 0;
    if (!code)
        *record = made;
    return code;
}

static int visit_sets(const struct htmt__options *o,
                      int (*visit)(const char *name, const char *value, void *user), void *user)
{
    int code = 0;
    for (unsigned i = 0; i < o->set_count && !code; i++)
        code = visit(htmt__common_rows[HTMT__SET].name, o->set[i], user);
    return code;
}

int htmt__record_given(const struct htmt__record *record,
                       int (*visit)(const char *name, const char *value, void *user), void *user)
{
    const struct htmt__options *o = record->options;
    int code = 0;
    for (unsigned i = 0; i < HTMT__OPTIONS && !code; i++) {
        if (i == HTMT__SET)
            code = visit_sets(o, visit, user);
        else if (o->common_given[i])
            code = visit(htmt__common_rows[i].name, o->common[i], user);
    }
    for (unsigned i = 0; i < HTMT__ROWS_MAX && o->app->options[i].name && !code; i++)
        if (o->own_given[i])
            code = visit(o->app->options[i].name, o->own[i], user);
    return code;
}
