/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Questions to a machine whose slices a host alone joins.
 */
#include "layers/machine/bank_host.h"

#include "runtime/base/wide.h"

#include <string.h>

const struct htmt__bank_host *htmt__machine_bank_host(const struct htmt_machine *m)
{
    return m ? m->bank_host : NULL;
}

const struct htmt_layer *htmt__machine_host(const struct htmt_machine *m)
{
    return m && m->bank_host ? &m->layer[m->bank_host->host] : NULL;
}

uint32_t htmt_machine_threads(const struct htmt_machine *m, uint32_t layer)
{
    return m && m->bank_host && layer == m->bank_host->scratch ? m->bank_host->issue.threads : 0;
}

int htmt_machine_instructions(const struct htmt_machine *m, const char *operation,
                              struct htmt_ratio *count)
{
    uint32_t rows = m && m->bank_host && operation && count ? m->bank_host->instruction_count : 0;
    for (uint32_t i = 0; i < rows; i++) {
        if (strcmp(m->bank_host->instruction[i].name, operation) != 0)
            continue;
        *count = m->bank_host->instruction[i].count;
        return 0;
    }
    return HTMT_ENOENT;
}

uint32_t htmt__bus_ranks(const struct htmt__bus *bus, uint32_t slices)
{
    return (uint32_t)htmt_ceil_div(slices, bus->group);
}

/* A time that a curve gives, rounded once. */
static htmt_time time_at(const struct htmt_curve *curve, uint64_t x, bool *held)
{
    struct htmt_ratio value;
    if (curve->count == 0)
        return 0;
    return htmt__curve_at(curve, x, 0, &value, held) ? -3 : htmt_charge_time(value, 1);
}

/* a bytes at so many bytes a second, rounded once. */
static htmt_time passing(htmt_uwide bytes, struct htmt_ratio rate)
{
    struct htmt_ratio byte;
    if (htmt_ratio_div((struct htmt_ratio){HTMT_SECOND, 1}, rate, &byte) || bytes > UINT64_MAX)
        return -1;
    return htmt_charge_time(byte, (uint64_t)bytes);
}

htmt_time htmt__bus_time(const struct htmt__bus *bus, enum htmt__bus_end end,
                         enum htmt__bus_mode mode, enum htmt__bus_way way, uint32_t slices,
                         uint64_t bytes, bool *held)
{
    const struct htmt__bus_transfer *t = &bus->transfer[end][mode][way];
    struct htmt_ratio rate;
    if (t->rate.count == 0)
        return -2;
    if (htmt__curve_at(&t->rate, slices, bytes, &rate, held))
        return -3;
    htmt_time start = time_at(&t->start, htmt__bus_ranks(bus, slices), held);
    htmt_time pass = passing((htmt_uwide)slices * bytes, rate), sum;
    if (start < 0 || pass < 0)
        return start < 0 ? start : pass;
    return __builtin_add_overflow(start, pass, &sum) ? -1 : sum;
}

htmt_time htmt__bus_launch(const struct htmt__bus *bus, uint32_t slices, bool *held)
{
    return time_at(&bus->launch, htmt__bus_ranks(bus, slices), held);
}
