/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/options/recording.h"

#include "layers/file/units.h"
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

/* ---- slices ---------------------------------------------------------------------------------- */

struct ranges {
    struct htmt__recording *made;
    uint32_t slices;
};

/* "7" or "0-3". */
static int take_range(void *user, const char *part, struct htmt_fault *fault)
{
    static const char name[] = "trace-slices";
    struct ranges *r = user;
    struct htmt_recording *o = &r->made->recording;
    uint64_t first, last;
    char head[24];
    const char *dash = strchr(part, '-');
    size_t length = dash ? (size_t)(dash - part) : strlen(part);
    if (o->slice_ranges == HTMT__RANGES_MAX)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--%s: more than %d ranges", name,
                              HTMT__RANGES_MAX);
    snprintf(head, sizeof head, "%.*s", (int)(length < sizeof head ? length : sizeof head), part);
    int rc = htmt__options_number(name, head, 0, r->slices - 1, &first, fault);
    last = first;
    if (!rc && dash)
        rc = htmt__options_number(name, dash + 1, first, r->slices - 1, &last, fault);
    if (!rc)
        r->made->range[o->slice_ranges++] =
            (struct htmt_slice_range){(uint32_t)first, (uint32_t)last};
    return rc;
}

static int make_slices(const char *text, const struct htmt_request *request,
                       struct htmt__recording *made, struct htmt_fault *fault)
{
    struct ranges r = {made, request->emulator.slices};
    made->recording.slices = made->range;
    int rc = text ? each_part("trace-slices", text, take_range, &r, fault) : 0;
    if (rc || !text || request->emulator.symmetry != HTMT_FOLDED)
        return rc;
    for (uint32_t i = 0; i < made->recording.slice_ranges; i++)
        if (!made->range[i].first)
            return 0;
    return htmt_fault_set(fault, HTMT_EUSAGE,
                          "--trace-slices: found %s with --fold, expected 0: one slice is emulated "
                          "for all",
                          text);
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

/* ---- window ---------------------------------------------------------------------------------- */

static int read_time(const char *text, htmt_time *time, struct htmt_fault *fault)
{
    struct htmt_quantity q;
    char why[200];
    int rc = htmt_quantity_read(text, HTMT_UNIT_TIME, NULL, &q, why, sizeof why);
    if (rc)
        return htmt_fault_set(fault, rc, "--trace-window: %s", why);
    *time = (htmt_time)(q.value.num / q.value.den);
    return 0;
}

static int make_window(const char *text, struct htmt_recording *o, struct htmt_fault *fault)
{
    const char *dots = text ? strstr(text, "..") : NULL;
    char first[64];
    if (!text)
        return 0;
    if (!dots || (size_t)(dots - text) >= sizeof first)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--trace-window: found '%s', expected two times such as 10us..20us",
                              text);
    memcpy(first, text, (size_t)(dots - text));
    first[dots - text] = '\0';
    int rc = read_time(first, &o->from, fault);
    if (!rc)
        rc = read_time(dots + 2, &o->to, fault);
    if (rc || o->to > o->from)
        return rc;
    return htmt_fault_set(fault, HTMT_ERANGE,
                          "--trace-window: found '%s', expected the later time behind the dots",
                          text);
}

/* ---- all ------------------------------------------------------------------------------------- */

static int refuse_alone(const struct htmt__options *options, struct htmt_fault *fault)
{
    static const enum htmt__option parts[] = {HTMT__TRACE_SLICES, HTMT__TRACE_LAYERS,
                                              HTMT__TRACE_TYPES, HTMT__TRACE_WINDOW};
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        if (options->common[parts[i]])
            return htmt_fault_set(fault, HTMT_EUSAGE, "--%s: there is no --trace that it is for",
                                  htmt__common_rows[parts[i]].name);
    return 0;
}

int htmt__recording_make(const struct htmt__options *options, const struct htmt_request *request,
                         struct htmt__recording *made, struct htmt_fault *fault)
{
    const char *const *value = options->common;
    struct htmt_recording *o = &made->recording;
    *o = htmt_recording_init();
    o->path = value[HTMT__TRACE];
    o->types = made->type;
    if (!o->path)
        return refuse_alone(options, fault);
    struct layers layers = {request->machine, &o->layers};
    int rc = make_slices(value[HTMT__TRACE_SLICES], request, made, fault);
    if (!rc && value[HTMT__TRACE_LAYERS])
        rc = each_part("trace-layers", value[HTMT__TRACE_LAYERS], take_layer, &layers, fault);
    if (!rc && value[HTMT__TRACE_TYPES])
        rc = each_part("trace-types", value[HTMT__TRACE_TYPES], take_type, made, fault);
    return rc ? rc : make_window(value[HTMT__TRACE_WINDOW], o, fault);
}

bool htmt__recording_leaves_out(const char *option)
{
    static const enum htmt__option host[] = {
        HTMT__THREADS,      HTMT__JSON,        HTMT__CHECK_DETERMINISM,
        HTMT__CHECKED,      HTMT__WATCHDOG,    HTMT__DELAY_SEED,
        HTMT__RUN_AHEAD,    HTMT__EXPLAIN,     HTMT__SUMMARY,
        HTMT__TABLE,        HTMT__LINT,        HTMT__TRACE,
        HTMT__TRACE_SLICES, HTMT__TRACE_TYPES, HTMT__TRACE_LAYERS,
        HTMT__TRACE_WINDOW, HTMT__STRICT,      HTMT__QUIET,
        HTMT__PROGRESS};
    bool found = false;
    for (unsigned i = 0; i < sizeof host / sizeof *host; i++)
        found |= strcmp(htmt__common_rows[host[i]].name, option) == 0;
    return found;
}
