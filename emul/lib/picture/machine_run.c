/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A picture needs a few figures of a run, by name: how much a resource was used, how full a memory
 * was, what the ports of a network did. They are looked up in the JSON object when they are drawn.
 * Figures of another machine would colour the wrong parts, so the hash of the machine must be the
 * run's.
 */
#include "emul/lib/picture/machine_run.h"

#include "emul/lib/report/results_fields.h"
#include "emul/lib/text/format.h"
#include "runtime/base/input.h"
#include "runtime/base/jansson.h"
#include "runtime/base/printable.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA HTMT__RESULTS_SCHEMA

struct htmt__machine_run {
    json_t *root;
    const json_t *resources, *memories, *bottlenecks;
    const json_t *ports; /* NULL: no network has any inside, or its shape may follow the slices */
    char title[160];
};

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* ---- reading -------------------------------------------------------------------------------- */

static int parse(struct htmt__machine_run *run, const char *path, struct htmt_fault *fault)
{
    char *text, line[JSON_ERROR_TEXT_LENGTH * HTMT_PRINTABLE_WIDEST];
    size_t length;
    json_error_t error;
    int rc = htmt_input_read(path, HTMT_INPUT_LIST, &text, &length, fault);
    if (rc)
        return rc;
    rc = htmt__json_read(text, length, JSON_REJECT_DUPLICATES, &run->root, &error);
    free(text);
    if (rc == HTMT_ENOMEM)
        return htmt_fault_set(fault, rc, "%s: no memory for its results", path);
    if (!rc)
        return 0;
    htmt_printable(error.text, line, sizeof line);
    return htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: %s, expected the JSON of a run", path,
                          error.line, line);
}

/* The hash covers all figures: colours of another machine would mislead. */
static int compare(const struct htmt__machine_run *run, const char *path,
                   const struct htmt_machine *m, struct htmt_fault *fault)
{
    const json_t *record = json_object_get(run->root, "record");
    const char *hash = text_of(record, "machine_hash");
    char own[17], plain[64 * HTMT_PRINTABLE_WIDEST];
    snprintf(own, sizeof own, "%016" PRIx64, m->hash);
    if (!strcmp(hash, own))
        return 0;
    htmt_printable(text_of(record, "machine"), plain, sizeof plain);
    return htmt_fault_set(fault, HTMT_EUSAGE,
                          "%s: a run on the machine %.64s with the hash %.16s, expected %s (%s); "
                          "give the same --set as to the run",
                          path, plain, *hash ? hash : "none", own, m->name);
}

int htmt__machine_run_open(struct htmt__machine_run **run, const char *path,
                           const struct htmt_machine *m, struct htmt_fault *fault)
{
    struct htmt__machine_run *r = calloc(1, sizeof *r);
    if (!r)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    int rc = parse(r, path, fault);
    r->resources = json_object_get(r->root, "resources");
    r->memories = json_object_get(r->root, "memories");
    r->bottlenecks = json_object_get(r->root, "bottlenecks");
    if (!rc && (strcmp(text_of(r->root, "schema"), SCHEMA) != 0 || !json_is_array(r->resources) ||
                !json_is_array(r->memories) || !json_is_array(r->bottlenecks)))
        rc = htmt_fault_set(fault, HTMT_EFORMAT,
                            "%s: these are no results of a run: expected the schema '" SCHEMA
                            "' with resources, memories and bottlenecks",
                            path);
    if (!rc)
        rc = compare(r, path, m, fault);
    if (rc) {
        htmt__machine_run_close(&r);
        return rc;
    }
    json_int_t slices = json_integer_value(json_object_get(r->root, "slices"));
    snprintf(r->title, sizeof r->title, "%s %s: %s on %" JSON_INTEGER_FORMAT " slice%s%s",
             text_of(r->root, "mode"), text_of(r->root, "app"),
             htmt__format_fs(json_integer_value(json_object_get(r->root, "predicted_fs"))).s,
             slices, slices == 1 ? "" : "s",
             json_is_false(json_object_get(r->root, "complete")) ? ", INCOMPLETE" : "");
    if (slices == m->slices)
        r->ports = json_object_get(r->root, "ports");
    *run = r;
    return 0;
}

void htmt__machine_run_close(struct htmt__machine_run **run)
{
    if (!*run)
        return;
    json_decref((*run)->root);
    free(*run);
    *run = NULL;
}

/* ---- questions ------------------------------------------------------------------------------ */

const char *htmt__machine_run_title(const struct htmt__machine_run *run)
{
    return run->title;
}

static const json_t *find(const json_t *array, const char *name)
{
    for (size_t i = 0; i < json_array_size(array); i++)
        if (!strcmp(text_of(json_array_get(array, i), "name"), name))
            return json_array_get(array, i);
    return NULL;
}

double htmt__machine_run_used(const struct htmt__machine_run *run, const char *resource)
{
    const json_t *found = find(run->resources, resource);
    return found ? number_of(found, "utilization") : -1;
}

bool htmt__machine_run_port(const struct htmt__machine_run *run, const char *network,
                            const char *name, struct htmt__machine_port *port)
{
    bool known = false;
    *port = (struct htmt__machine_port){0};
    for (size_t i = 0; i < json_array_size(run->ports); i++) {
        const json_t *p = json_array_get(run->ports, i);
        if (strcmp(text_of(p, "name"), name) != 0 || strcmp(text_of(p, "network"), network) != 0)
            continue;
        json_int_t contentions = json_integer_value(json_object_get(p, "contentions"));
        port->held = fmax(port->held, 1 - number_of(p, "idle_share"));
        port->contentions += contentions > 0 ? (uint64_t)contentions : 0;
        known = true;
    }
    return known;
}

bool htmt__machine_run_memory(const struct htmt__machine_run *run, const char *memory,
                              uint64_t *peak, double *stalled_s)
{
    const json_t *found = find(run->memories, memory);
    json_int_t words = json_integer_value(json_object_get(found, "peak_words"));
    *peak = words > 0 ? (uint64_t)words : 0;
    *stalled_s = number_of(found, "stall_s");
    return found != NULL;
}

bool htmt__machine_run_limit(const struct htmt__machine_run *run, unsigned i,
                             struct htmt__machine_limit *limit)
{
    const json_t *found = json_array_get(run->bottlenecks, i);
    *limit =
        (struct htmt__machine_limit){.name = text_of(found, "name"),
                                     .binding = json_is_true(json_object_get(found, "binding")),
                                     .used = number_of(found, "utilization"),
                                     .waiting = number_of(found, "mean_queue")};
    return found != NULL;
}
