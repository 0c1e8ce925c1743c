/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/observe/record_filter.h"
#include "parcels/clock/statistics.h"
#include "parcels/walk/permit.h"
#include "parcels/walk/type.h"

#include <stdlib.h>

/* ---- where ----------------------------------------------------------------------------------- */

uint32_t htmt__record_resource(const struct htmt__record_step *s)
{
    if (s->place == HTMT__RECORD_SERVED || s->place == HTMT__RECORD_SENT)
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

static bool has_type(const struct htmt_recording *o, const char *name)
{
    bool found = !o->type_count;
    for (uint32_t i = 0; i < o->type_count; i++)
        found |= strcmp(o->types[i], name) == 0;
    return found;
}

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
    return has_type(o, s->stats ? s->stats->type : HTMT__RECORD_SEND);
}

bool htmt__record_filtered(const struct htmt_recording *o)
{
    return o->slice_ranges || o->layers || o->type_count || o->from || o->to;
}

/* ---- given ----------------------------------------------------------------------------------- */

static int no_memory(struct htmt_emulator *e)
{
    return htmt__fail(e, HTMT_ENOMEM, "no host memory for a recording");
}

static int check_slices(struct htmt_emulator *e, const struct htmt_recording *o)
{
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
    return check_slices(e, o);
}

static int copy_types(const struct htmt_recording *given, struct htmt_recording *copy)
{
    char **types = calloc(given->type_count + 1, sizeof *types);
    if (!types)
        return HTMT_ENOMEM;
    copy->types = (const char *const *)types;
    bool enough = true;
    for (uint32_t i = 0; i < given->type_count; i++)
        enough &= (types[i] = strdup(given->types[i])) != NULL;
    return enough ? 0 : HTMT_ENOMEM;
}

static int copy_parts(const struct htmt_recording *given, struct htmt_recording *copy)
{
    size_t ranges = given->slice_ranges * sizeof *given->slices;
    struct htmt_slice_range *slices = malloc(ranges + 1);
    *copy = *given;
    copy->path = strdup(given->path);
    copy->about = strdup(given->about ? given->about : "{}");
    copy->slices = slices;
    copy->types = NULL;
    if (slices && ranges)
        memcpy(slices, given->slices, ranges);
    int rc = copy_types(given, copy);
    return copy->path && copy->about && slices ? rc : HTMT_ENOMEM;
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
    return copy_parts(&whole, copy) ? no_memory(e) : 0;
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

/* "push, sort". */
static void list_types(const struct htmt_emulator *e, char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    for (const struct htmt_type *t = e->types; t && used < room; t = t->next)
        used += (size_t)snprintf(text + used, room - used, "%s%s", used ? ", " : "", t->code.name);
}

int htmt__record_filter_types(struct htmt_emulator *e, const struct htmt_recording *o)
{
    char known[300];
    for (uint32_t i = 0; i < o->type_count; i++) {
        if (is_known(e, o->types[i]))
            continue;
        list_types(e, known, sizeof known);
        return htmt__fail(e, HTMT_EINVAL,
                          "a recording of type '%s', which this program does not have; expected "
                          "some of %s, (put), (signal), (send)",
                          o->types[i], known);
    }
    return 0;
}
