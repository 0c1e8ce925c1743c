/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether a file is a trace is asked first, by its first bytes: a trace given where results are
 * expected is the likeliest mistake, and JSON's parser would only say that a character is odd.
 */
#include "emul/lib/report/reader.h"

#include "emul/lib/report/results_fields.h"
#include "runtime/base/input.h"
#include "runtime/base/jansson.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACE_MAGIC "HTMTTRC"

int htmt__document_read_record(const char *text, struct htmt__document *d)
{
    struct htmt_fault fault = {0};
    const struct htmt__reading in = {"about", &fault};
    json_t *record;
    if (htmt__json_read(text, strlen(text), JSON_REJECT_DUPLICATES, &record, NULL))
        return HTMT_ENOMEM;
    json_decref(d->object);
    d->object = record;
    int rc = htmt__fields_read(&in, "", record, htmt__record_fields, d);
    if (rc)
        d->version = NULL;
    d->costs = json_string_value(json_object_get(record, "costs"));
    d->seed = (uint64_t)json_integer_value(json_object_get(record, "seed"));
    return rc == HTMT_ENOMEM ? rc : 0;
}

int htmt__document_is_trace(const char *path, bool *trace, struct htmt_fault *fault)
{
    char begin[sizeof TRACE_MAGIC - 1] = "";
    int fd, rc = htmt_input_open(path, HTMT_INPUT_DATA, &fd, fault);
    if (rc)
        return rc;
    ssize_t length = pread(fd, begin, sizeof begin, 0);
    int error = errno;
    close(fd);
    if (length < 0)
        return htmt_input_failed(path, "read it", error, fault);
    *trace = length == (ssize_t)sizeof begin && memcmp(begin, TRACE_MAGIC, sizeof begin) == 0;
    return 0;
}

int htmt__document_load(const char *path, struct htmt__document *d, struct htmt_fault *fault)
{
    const struct htmt__reading in = {path, fault};
    json_error_t error;
    bool trace = false;
    char *text;
    size_t length;
    *d = (struct htmt__document){.correct = -1};
    int rc = htmt__document_is_trace(path, &trace, fault);
    if (rc)
        return rc;
    if (trace)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: found a trace, expected the JSON of a run (htmt run --json)",
                              path);
    rc = htmt_input_read(path, HTMT_INPUT_LIST, &text, &length, fault);
    if (rc)
        return rc;
    rc = htmt__json_read(text, length, JSON_REJECT_DUPLICATES, &d->object, &error);
    free(text);
    if (rc == HTMT_ENOMEM)
        return htmt_fault_set(fault, rc, "%s: no memory for its results", path);
    if (rc)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s:%d: found %s, expected the JSON of a run (htmt run --json)", path,
                              error.line, error.text);
    rc = htmt__fields_read(&in, "", d->object, htmt__head_fields, d);
    if (!rc)
        rc = htmt__fields_read(&in, "", d->object, htmt__run_fields, d);
    return rc && !fault->code ? htmt_fault_set(fault, rc, "%s: %s", path, htmt_strerror(rc)) : rc;
}
