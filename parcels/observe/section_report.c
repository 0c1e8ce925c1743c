/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the sections add up to, told in the order in which slices came to them. A section is a row
 * of sums, one column for the busy time of each resource, one for its waits, one for the stalls of
 * each layer; all questions are sums over a part of a row or of a column.
 */
#include "parcels/observe/section.h"
#include "parcels/observe/section_sums.h"

#include <string.h>

static htmt_wide over_columns(const struct htmt_emulator *e, uint32_t section, uint32_t first,
                              uint32_t count)
{
    const htmt_wide *sum = &e->sections->sum[section * e->sections->columns];
    htmt_wide all = 0;
    for (uint32_t i = first; i < first + count; i++)
        all += sum[i];
    return all * htmt__stands_for(e);
}

static htmt_wide over_sections(const struct htmt_emulator *e, uint32_t column)
{
    htmt_wide all = 0;
    for (uint32_t i = 0; i < e->sections->count; i++)
        all += over_columns(e, i, column, 1);
    return all;
}

htmt_wide htmt__sections_busy(const struct htmt_emulator *e, uint32_t resource)
{
    return over_sections(e, resource);
}

htmt_wide htmt__sections_waited(const struct htmt_emulator *e, uint32_t resource)
{
    return over_sections(e, e->sections->resources + resource);
}

htmt_wide htmt__sections_stalled(const struct htmt_emulator *e, uint32_t layer)
{
    return over_sections(e, 2 * e->sections->resources + layer);
}

htmt_wide htmt__sections_time(const struct htmt_emulator *e)
{
    htmt_wide all = 0;
    for (uint32_t i = 0; i < e->sections->count; i++)
        all += e->sections->section[i].time;
    return all * htmt__stands_for(e);
}

/* The section with so many before it: by the instant at which a slice first came to it, of those of
 * one instant by name. */
static uint32_t in_order(const struct htmt__sections *s, uint32_t index)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const struct htmt__section_sum *at = &s->section[i];
        uint32_t before = 0;
        for (uint32_t j = 0; j < s->count; j++) {
            const struct htmt__section_sum *other = &s->section[j];
            before += other->first != at->first ? other->first < at->first
                                                : strcmp(other->name, at->name) < 0;
        }
        if (before == index)
            return i;
    }
    return 0;
}

uint32_t htmt_section_count(const struct htmt_emulator *e)
{
    return e && e->sections ? e->sections->count : 0;
}

int htmt_section_at(const struct htmt_emulator *e, uint32_t index, struct htmt_section_report *r)
{
    if (!r || index >= htmt_section_count(e))
        return HTMT_EINVAL;
    const struct htmt__sections *s = e->sections;
    uint32_t at = in_order(s, index);
    *r = (struct htmt_section_report){.busy = over_columns(e, at, 0, s->resources),
                                      .waited = over_columns(e, at, s->resources, s->resources),
                                      .stalled = over_columns(e, at, 2 * s->resources, e->layers),
                                      .time = s->section[at].time * htmt__stands_for(e)};
    memcpy(r->name, s->section[at].name, sizeof r->name);
    return 0;
}

int htmt_section_resource_at(const struct htmt_emulator *e, uint32_t index, uint32_t resource,
                             htmt_wide *busy, htmt_wide *waited)
{
    if (index >= htmt_section_count(e) || resource >= e->sections->resources)
        return HTMT_EINVAL;
    uint32_t at = in_order(e->sections, index);
    if (busy)
        *busy = over_columns(e, at, resource, 1);
    if (waited)
        *waited = over_columns(e, at, e->sections->resources + resource, 1);
    return 0;
}
