/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The record of a run says what another person needs to get the same bits: version, machine and
 * costs with their hashes, and the options as given. Its digest is a part of that: what ranks of
 * one run must have in common, and not where results go or how many threads a host has.
 */
#include "emul/lib/options/provenance.h"

#include "apps/lib/execution.h"
#include "layers/file/search.h"
#include "runtime/base/fnv.h"
#include "runtime/base/input.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

_Static_assert(sizeof((struct htmt__provenance){0}.costs_path) == HTMT_PATH_MAX, "a path fits");

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

static int hash_costs(const char *name, struct htmt__provenance *record, struct htmt_fault *fault)
{
    char path[HTMT_PATH_MAX], *text;
    size_t length;
    int rc = htmt_search_path(&htmt_search_costs, name, NULL, path, fault);
    if (!rc)
        rc = htmt_input_read(path, HTMT_INPUT_TEXT, &text, &length, fault);
    if (rc)
        return rc;
    if (!htmt_search_shipped(&htmt_search_costs, path))
        memcpy(record->costs_path, path, sizeof path);
    record->costs_hash = HTMT__HASH_BASIS;
    htmt__hash_bytes(&record->costs_hash, text, length);
    free(text);
    return 0;
}

int htmt__provenance_make(const char *verb, const struct htmt__options *options,
                          const struct htmt_request *request, struct htmt__provenance *record,
                          struct htmt_fault *fault)
{
    struct htmt__provenance made = {.version = htmt__version(),
                                    .commit = htmt__commit(),
                                    .verb = verb,
                                    .options = options,
                                    .request = request};
    int rc = request->costs ? hash_costs(request->costs, &made, fault) : 0;
    if (!rc)
        *record = made;
    return rc;
}

bool htmt__provenance_input(const char *path, uint64_t *hash)
{
    struct stat about;
    unsigned char bytes[16384];
    size_t n;
    FILE *f = NULL;
    if (stat(path, &about) || !S_ISREG(about.st_mode) ||
        htmt_input_stream(path, HTMT_INPUT_DATA, &f, NULL))
        return false;
    *hash = HTMT__HASH_BASIS;
    while ((n = fread(bytes, 1, sizeof bytes, f)) > 0)
        htmt__hash_bytes(hash, bytes, n);
    fclose(f);
    return true;
}

/* The application's reason, or that of the model of execution that was asked for. */
const char *htmt__provenance_slices_why(const struct htmt__provenance *record)
{
    const struct htmt_request *r = record->request;
    const struct htmt__options *o = record->options;
    const char *why = NULL;
    if (o->common_given[HTMT__SLICES] || r->emulator.slices >= r->machine->slices)
        return NULL;
    for (unsigned i = 0; i < HTMT__ROWS_MAX && o->rows && o->rows[i].name; i++)
        if (strcmp(o->rows[i].name, HTMT_EXECUTION_NAME) == 0 && o->own[i])
            why = htmt_execution_slices_why(o->own[i]);
    return why ? why : o->app->slices_why;
}

int htmt__provenance_given(const struct htmt__provenance *record,
                           int (*visit)(const char *name, const char *value, void *user),
                           void *user)
{
    const struct htmt__options *o = record->options;
    int rc = 0;
    for (unsigned i = 0; i < HTMT__OPTIONS && !rc; i++) {
        for (unsigned k = 0; i == HTMT__SET && k < o->set_count && !rc; k++)
            rc = visit(htmt__common_rows[HTMT__SET].name, o->set[k], user);
        if (i != HTMT__SET && o->common_given[i])
            rc = visit(htmt__common_rows[i].name, o->common[i], user);
    }
    for (unsigned i = 0; i < HTMT__ROWS_MAX && o->app->options[i].name && !rc; i++)
        if (o->own_given[i])
            rc = visit(o->app->options[i].name, o->own[i], user);
    return rc;
}

/* ---- digest ---------------------------------------------------------------------------------- */

static void hash_text(uint64_t *hash, const char *text)
{
    htmt__hash_bytes(hash, text ? text : "", text ? strlen(text) + 1 : 0);
}

bool htmt__provenance_output(const struct htmt_app *app, const char *option)
{
    const char *const *output = app->outputs;
    while (output && *output && strcmp(*output, option) != 0)
        output++;
    return output && *output;
}

/* Application and verb, its own options but for outputs, figures, and those of the common options
 * that decide results. --clock is among them: some choose a clock that awaits no other process. */
struct htmt__provenance_digest htmt__provenance_digest(const struct htmt__provenance *record)
{
    static const enum htmt__option same[] = {HTMT__SLICES,  HTMT__SEED,  HTMT__CHECK_DETERMINISM,
                                             HTMT__CHECKED, HTMT__CLOCK, HTMT__CLOCK_PARTITIONS,
                                             HTMT__TIMING,  HTMT__FOLD,  HTMT__EXPLAIN,
                                             HTMT__TRACE,   HTMT__LINT,  HTMT__SECTIONS};
    const struct htmt__options *o = record->options;
    const struct htmt_app_option *rows = o->app->options;
    uint64_t hash = HTMT__HASH_BASIS;
    hash_text(&hash, o->app->name);
    for (unsigned i = 0; i < HTMT__ROWS_MAX && rows && rows[i].name; i++)
        if (!htmt__provenance_output(o->app, rows[i].name)) {
            hash_text(&hash, rows[i].name);
            hash_text(&hash, o->own[i]);
        }
    hash_text(&hash, record->verb);
    for (unsigned i = 0; i < o->set_count; i++)
        hash_text(&hash, o->set[i]);
    for (unsigned i = 0; i < sizeof same / sizeof *same; i++) {
        const char *value = o->common[same[i]];
        hash_text(&hash, htmt__common_rows[same[i]].name);
        hash_text(&hash, same[i] == HTMT__TRACE && value ? "" : value);
    }
    return (struct htmt__provenance_digest){
        .machine = record->request->machine->hash, .costs = record->costs_hash, .options = hash};
}
