/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/clock/partition_planes.h"

int htmt__plane_create(struct htmt_emulator *copy, const struct htmt_emulator *whole)
{
    const struct htmt__windows *w = whole->windows;
    copy->data = NULL;
    copy->diagnostics = whole->data ? htmt__diagnostics_create() : NULL;
    if (!whole->data)
        return 0;
    if (!copy->diagnostics)
        return HTMT_ENOMEM;
    return htmt__data_create_beside(&copy->data, whole->data, copy->played, w->end - w->first,
                                    &copy->fault, copy->diagnostics);
}

void htmt__plane_destroy(struct htmt_emulator *copy)
{
    htmt__data_destroy(&copy->data);
    htmt__diagnostics_destroy(copy->diagnostics);
}

static uint32_t count(const struct htmt_emulator *e)
{
    const struct htmt__windows *w = e->windows;
    return w && w->partition ? 1 + w->end - w->first : 1;
}

static struct htmt__data *plane_at(const struct htmt_emulator *e, uint32_t i)
{
    const struct htmt_emulator *of = i ? e->windows->partition[e->windows->first + i - 1].e : e;
    return of ? of->data : NULL;
}

void htmt__planes_drain(const struct htmt_emulator *e)
{
    for (uint32_t i = 0; i < count(e); i++)
        if (plane_at(e, i))
            htmt__data_drain(plane_at(e, i));
}

void htmt__planes_check(struct htmt_emulator *e)
{
    for (uint32_t i = 0; i < count(e); i++)
        if (plane_at(e, i))
            htmt__data_check(plane_at(e, i), &e->fault);
}

void htmt__planes_report(const struct htmt_emulator *e, struct htmt_host_report *report)
{
    for (uint32_t i = 0; i < count(e); i++)
        if (plane_at(e, i))
            htmt__data_report(plane_at(e, i), e->layers, report);
}
