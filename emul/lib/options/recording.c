/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --trace and the options that choose a part of it. A name that the machine does not have is
 * refused here; types of parcels are known only when the program has run, so the emulator refuses
 * those.
 */
#include "emul/lib/options/recording.h"

#include "runtime/base/suggest.h"

#include <string.h>

/* Calls `take` for each part of a list with commas. A result other than 0 ends it. */
static int each_part(const char *name, const char *text,
                     int (*take)(void *user, const char *part, struct htmt_fault *fault),
                     void *user, struct htmt_fault *fault)
{
    const char *list = text;
    char part[256];
    for (;; text++) {
        size_t length = strcspn(text, ",");
        if (!length || length >= sizeof part)
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "--%s: found '%s', expected parts between commas", name, list);
        memcpy(part, text, length);
        part[length] = '\0';
        int rc = take(user, part, fault);
        text += length;
        if (rc || !*text)
            return rc;
    }
}

/* ---- layers and types ------------------------------------------------------------------------ */

struct layers {
    const struct htmt_machine *machine;
    uint32_t *bits;
};

static int take_layer(void *user, const char *part, struct htmt_fault *fault)
{
    struct layers *l = user;
    const char *known[HTMT_LAYERS_MAX];
    char hint[300];
    int layer = htmt_machine_layer(l->machine, part);
    if (layer >= 0) {
        *l->bits |= 1u << layer;
        return 0;
    }
    for (uint32_t i = 0; i < l->machine->layer_count; i++)
        known[i] = l->machine->layer[i].name;
    htmt__suggest(part, known, l->machine->layer_count, hint, sizeof hint);
    return htmt_fault_set(fault, HTMT_EUSAGE, "--trace-layers: machine %s has no layer '%s', %s",
                          l->machine->name, part, hint);
}

/* The emulator knows which types there are. */
static int take_type(void *user, const char *part, struct htmt_fault *fault)
{
    struct htmt__recording *made = user;
    struct htmt_recording *o = &made->recording;
    const char *last = o->type_count ? made->type[o->type_count - 1] : NULL;
    size_t at = last ? (size_t)(last - made->names) + strlen(last) + 1 : 0;
    if (o->type_count == HTMT__RANGES_MAX || at + strlen(part) >= sizeof made->names)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--trace-types: more than %d types, or long ones",
                              HTMT__RANGES_MAX);
    strcpy(made->names + at, part);
    made->type[o->type_count++] = made->names + at;
    return 0;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* With --fold there are intervals of slice 0 alone. */
static int make_slices(const char *text, const struct htmt_request *request,
                       struct htmt__recording *made, struct htmt_fault *fault)
{
    struct htmt_recording *o = &made->recording;
    o->slices = made->range;
    int rc = text ? htmt__options_ranges("trace-slices", text, request->emulator.slices,
                                         made->range, &o->slice_ranges, fault)
                  : 0;
    if (rc || !text || request->emulator.symmetry != HTMT_FOLDED)
        return rc;
    for (uint32_t i = 0; i < o->slice_ranges; i++)
        if (!made->range[i].first)
            return 0;
    return htmt_fault_set(fault, HTMT_EUSAGE,
                          "--trace-slices: found %s with --fold, expected 0: one slice is emulated "
                          "for all",
                          text);
}

int htmt__recording_make(const struct htmt__options *options, const struct htmt_request *request,
                         struct htmt__recording *made, struct htmt_fault *fault)
{
    static const enum htmt__option parts[] = {HTMT__TRACE_SLICES, HTMT__TRACE_LAYERS,
                                              HTMT__TRACE_TYPES, HTMT__TRACE_WINDOW};
    const char *const *value = options->common;
    struct htmt_recording *o = &made->recording;
    *o = htmt_recording_init();
    o->path = value[HTMT__TRACE];
    o->types = made->type;
    for (unsigned i = 0; i < sizeof parts / sizeof *parts && !o->path; i++)
        if (value[parts[i]])
            return htmt_fault_set(fault, HTMT_EUSAGE, "--%s: there is no --trace that it is for",
                                  htmt__common_rows[parts[i]].name);
    if (!o->path)
        return 0;
    struct layers layers = {request->machine, &o->layers};
    int rc = make_slices(value[HTMT__TRACE_SLICES], request, made, fault);
    if (!rc && value[HTMT__TRACE_LAYERS])
        rc = each_part("trace-layers", value[HTMT__TRACE_LAYERS], take_layer, &layers, fault);
    if (!rc && value[HTMT__TRACE_TYPES])
        rc = each_part("trace-types", value[HTMT__TRACE_TYPES], take_type, made, fault);
    if (!rc && value[HTMT__TRACE_WINDOW])
        rc = htmt__options_window("trace-window", value[HTMT__TRACE_WINDOW], &o->from, &o->to,
                                  fault);
    return rc;
}

bool htmt__recording_leaves_out(const char *option)
{
    static const enum htmt__option host[] = {
        HTMT__THREADS,           HTMT__AGAINST_CLOCK, HTMT__TIME_KERNELS,  HTMT__JSON,
        HTMT__CHECK_DETERMINISM, HTMT__CHECKED,       HTMT__WATCHDOG,      HTMT__DELAY_SEED,
        HTMT__RUN_AHEAD,         HTMT__CLOCK,         HTMT__CLOCK_THREADS, HTMT__CLOCK_PARTITIONS,
        HTMT__OLD_HISTORY,       HTMT__MPI,           HTMT__EXPLAIN,       HTMT__SECTIONS,
        HTMT__SUMMARY,           HTMT__TABLE,         HTMT__LINT,          HTMT__TRACE,
        HTMT__TRACE_SLICES,      HTMT__TRACE_TYPES,   HTMT__TRACE_LAYERS,  HTMT__TRACE_WINDOW,
        HTMT__CAPTURE,           HTMT__STRICT,        HTMT__QUIET,         HTMT__PROGRESS};
    bool found = false;
    for (unsigned i = 0; i < sizeof host / sizeof *host; i++)
        found |= strcmp(htmt__common_rows[host[i]].name, option) == 0;
    return found;
}
