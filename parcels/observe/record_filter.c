/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A recording may be restricted to slices, layers, types and a span of time. Slices are left out as
 * a whole, layers and types by step: a step that is left out has no number, so its intervals cost
 * one comparison. What is left out leaves holes in the chain of causes: a reference to it is none.
 * Names of types can only be checked when the run begins, since types are made after the emulator.
 */
#include "parcels/observe/record_filter.h"
#include "parcels/clock/statistics.h"
#include "parcels/walk/permit.h"
#include "parcels/walk/type.h"

#include <stdlib.h>

/* ---- where ----------------------------------------------------------------------------------- */

uint32_t htmt__record_resource(const struct htmt__record_step *s)
{
    if (s->place == HTMT__RECORD_SERVED || s->place == HTMT__RECORD_PAUSED ||
        s->place == HTMT__RECORD_SENT)
        return s->stats->resource;
    return s->place == HTMT__RECORD_RECEIVED ? s->stats->in_resource : UINT32_MAX;
}

uint32_t htmt__record_layer(const struct htmt_emulator *e, const struct htmt__record_step *s)
{
    uint32_t resource = htmt__record_resource(s);
    if (resource != UINT32_MAX)
        return resource % e->layers;
    if (s->place >= HTMT__RECORD_AT_SECTION || s->place < HTMT__RECORD_STALLED)
        return UINT32_MAX;
    return (s->place - HTMT__RECORD_STALLED) % HTMT_LAYERS_MAX;
}

/* ---- what ------------------------------------------------------------------------------------ */

bool htmt__record_filter_slice(const struct htmt_recording *o, uint32_t slice)
{
    bool found = !o->slice_ranges;
    for (uint32_t i = 0; i < o->slice_ranges; i++)
        found |= slice >= o->slices[i].first && slice <= o->slices[i].last;
    return found;
}

bool htmt__record_filter_step(const struct htmt_emulator *e, const struct htmt_recording *o,
                              const struct htmt__record_step *s)
{
    uint32_t layer = htmt__record_layer(e, s);
    if (s->place == HTMT__RECORD_AT_SECTION)
        return true;
    if (layer != UINT32_MAX && o->layers && !(o->layers >> layer & 1))
        return false;
    const char *type = s->stats ? s->stats->type : HTMT__RECORD_SEND;
    bool found = !o->type_count;
    for (uint32_t i = 0; i < o->type_count; i++)
        found |= strcmp(o->types[i], type) == 0;
    return found;
}

bool htmt__record_filtered(const struct htmt_recording *o)
{
    return o->slice_ranges || o->layers || o->type_count || o->from || o->to;
}

/* ---- given ----------------------------------------------------------------------------------- */

static int check(struct htmt_emulator *e, const struct htmt_recording *o)
{
    if (!o->path || !o->path[0])
        return htmt__fail(e, HTMT_EINVAL, "a recording without a path");
    if (o->layers >> e->layers)
        return htmt__fail(e, HTMT_EINVAL, "a recording of layers %#x, expected bits of %u",
                          o->layers, e->layers);
    if (o->from < 0 || o->to < 0 || (o->to && o->to < o->from))
        return htmt__fail(e, HTMT_EINVAL,
                          "a recording from %lld fs to %lld fs, expected the earlier one first",
                          (long long)o->from, (long long)o->to);
    if ((o->slice_ranges && !o->slices) || (o->type_count && !o->types))
        return htmt__fail(e, HTMT_EINVAL,
                          "a recording with %u ranges of slices and %u types: "
                          "found no array (NULL)",
                          o->slice_ranges, o->type_count);
    for (uint32_t i = 0; i < o->slice_ranges; i++)
        if (o->slices[i].first > o->slices[i].last || o->slices[i].last >= e->slices)
            return htmt__fail(e, HTMT_EINVAL,
                              "a recording of slices %u to %u, expected some of 0 to %u",
                              o->slices[i].first, o->slices[i].last, e->slices - 1);
    bool any = false;
    for (uint32_t i = 0; i < e->played; i++)
        any |= htmt__record_filter_slice(o, i);
    if (any)
        return 0;
    return htmt__fail(e, HTMT_EINVAL,
                      "a recording without slice 0, which is the only one of a folded run");
}

int htmt__record_filter_copy(struct htmt_emulator *e, const struct htmt_recording *given,
                             struct htmt_recording *copy)
{
    static const struct htmt__sized sized = {.name = "htmt_recording",
                                             .known = sizeof *given,
                                             .first = sizeof *given,
                                             .least = offsetof(struct htmt_recording, slices)};
    struct htmt_recording whole;
    int rc = htmt__sized_take(e, &sized, given, &whole, "htmt_emulator_create()");
    rc = rc ? rc : check(e, &whole);
    if (rc)
        return rc;
    const size_t ranges = whole.slice_ranges * sizeof *whole.slices;
    struct htmt_slice_range *slices = malloc(ranges + 1);
    char **types = calloc(whole.type_count + 1, sizeof *types);
    *copy = whole;
    copy->path = strdup(whole.path);
    copy->about = strdup(whole.about ? whole.about : "{}");
    copy->slices = slices;
    copy->types = (const char *const *)types;
    if (slices && ranges)
        memcpy(slices, whole.slices, ranges);
    bool enough = copy->path && copy->about && slices && types;
    for (uint32_t i = 0; types && i < whole.type_count; i++)
        enough &= (types[i] = strdup(whole.types[i])) != NULL;
    return enough ? 0 : htmt__fail(e, HTMT_ENOMEM, "no host memory for a recording");
}

void htmt__record_filter_free(struct htmt_recording *copy)
{
    for (uint32_t i = 0; copy->types && i < copy->type_count; i++)
        free((char *)copy->types[i]);
    free((void *)copy->types);
    free((void *)copy->slices);
    free((char *)copy->about);
    free((char *)copy->path);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* A type of the program, or one of messages. */
static bool is_known(const struct htmt_emulator *e, const char *name)
{
    static const char *const messages[] = {"(put)",   "(signal)", HTMT__RECORD_SEND,
                                           "(push)",  "(pull)",   "(launch)",
                                           "(ended)", "(read)",   "(write)"};
    bool found = false;
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        found |= strcmp(messages[i], name) == 0;
    for (const struct htmt_type *t = e->types; t; t = t->next)
        found |= strcmp(t->code.name, name) == 0;
    return found;
}

int htmt__record_filter_types(struct htmt_emulator *e, const struct htmt_recording *o)
{
    for (uint32_t i = 0; i < o->type_count; i++) {
        char known[300] = ""; /* "push, sort" */
        size_t used = 0;
        if (is_known(e, o->types[i]))
            continue;
        for (const struct htmt_type *t = e->types; t && used < sizeof known; t = t->next)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "",
                                     t->code.name);
        return htmt__fail(e, HTMT_EINVAL,
                          "a recording of type '%s', which this program does not have; expected "
                          "some of %s, (put), (signal), (send)",
                          o->types[i], known);
    }
    return 0;
}
