/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a captured run was of. A model run may play it if its kernels would reply the same: the same
 * program, options and input. Machine and timing may differ, and so may files that a run writes.
 * One line for each, so that a refusal can name the first that differs:
 *
 *     htmt 0.2.0 1f9e2a4c
 *     volume
 *     --slices 4
 *     --seed 1
 *     --volume head.nii.gz #83c1...        a hash of the file's contents
 *
 * An option that was not given stands there with its default, if it has one.
 */
#include "emul/lib/options/captured.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* NULL: out of memory. */
static char *about(const struct htmt__options *o, const struct htmt__provenance *record)
{
    const struct htmt_request *r = record->request;
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    if (!f)
        return NULL;
    fprintf(f, "htmt %s %s\n%s\n--slices %" PRIu32 "\n--seed %" PRIu64, record->version,
            record->commit ? record->commit : "", o->app->name, r->emulator.slices, r->seed);
    if (r->costs)
        fprintf(f, "\n--costs #%016" PRIx64, record->costs_hash);
    for (unsigned i = 0; i < r->cost_set_count; i++)
        fprintf(f, "\n%s", r->cost_set[i]);
    for (unsigned i = 0; i < HTMT__ROWS_MAX && o->rows && o->rows[i].name; i++) {
        uint64_t hash;
        if (!o->own[i] || htmt__provenance_output(o->app, o->rows[i].name))
            continue;
        fprintf(f, "\n--%s %s", o->rows[i].name, o->own[i]);
        if (o->own_given[i] && htmt__provenance_input(o->own[i], &hash))
            fprintf(f, " #%016" PRIx64, hash);
    }
    if (!fclose(f))
        return text;
    free(text);
    return NULL;
}

int htmt__captured_make(const char *verb, const struct htmt__options *options,
                        struct htmt_request *request, struct htmt__captured *made,
                        struct htmt_fault *fault)
{
    const char *capture = options->common[HTMT__CAPTURE],
               *captured = options->common[HTMT__CAPTURED];
    struct htmt__provenance record;
    if (capture && strcmp(verb, "run") != 0)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--capture: only run has kernels");
    if (captured && strcmp(verb, "model") != 0)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--captured: only model plays a captured run");
    if (captured && options->common[HTMT__LINT])
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--captured: found --lint, whose moves change what is played");
    if (captured && request->emulator.symmetry == HTMT_FOLDED)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--captured: found --fold, and a captured run is of all slices");
    if (capture && request->emulator.operations)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--capture: found --timing operations, which are of this machine "
                              "alone; expected counts");
    if (request->emulator.ranks && request->emulator.ranks->count > 1 && (capture || captured))
        return htmt_fault_set(fault, HTMT_EUSAGE, "--%s: found %u processes, expected one",
                              capture ? "capture" : "captured", request->emulator.ranks->count);
    if (!capture && !captured)
        return 0;
    int rc = htmt__provenance_make(verb, options, request, &record, fault);
    if (rc)
        return rc;
    made->about = about(options, &record);
    if (!made->about)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory to describe the run");
    made->replies = htmt_replies_init();
    made->replies.capture = capture;
    made->replies.captured = captured;
    made->replies.about = made->about;
    request->emulator.replies = &made->replies;
    return 0;
}

void htmt__captured_clear(struct htmt__captured *made)
{
    free(made->about);
    *made = (struct htmt__captured){.about = NULL};
}
