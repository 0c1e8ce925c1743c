/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A machine keeps figures that only some of its users know, as texts by their keys. Traffic reads
 * some of a network: whether it has ports inside, the rate of its channels or its slots, the rate
 * from an end to its memory, and the start-up of a message that follows another one.
 */
#include "apps/traffic/inside.h"

#include "layers/file/units.h"

#include <stdio.h>
#include <string.h>

/* The value of a key below "networks.NAME."; NULL: the machine has none. */
static const char *figure(const struct htmt_machine *m, uint32_t network, const char *key)
{
    char full[112];
    snprintf(full, sizeof full, "networks.%s.%s", m->network[network].name, key);
    for (uint32_t i = 0; i < m->figure_count; i++)
        if (strcmp(m->figure[i].key, full) == 0)
            return m->figure[i].value;
    return NULL;
}

/* False also of "not-modelled", which has no number to read. */
static bool quantity(const char *text, enum htmt_dimension dimension, struct htmt_quantity *q)
{
    char why[200];
    return text && !htmt_quantity_read(text, dimension, NULL, q, why, sizeof why);
}

bool htmt__traffic_has_ports(const struct htmt_machine *m, uint32_t network)
{
    return figure(m, network, "inside.switching") != NULL;
}

bool htmt__traffic_has_ways(const struct htmt_machine *m, uint32_t network)
{
    return htmt__traffic_has_ports(m, network) || figure(m, network, "inside.slot");
}

htmt_time htmt__traffic_local(const struct htmt_machine *m, uint32_t network, uint64_t bytes)
{
    struct htmt_quantity q;
    return quantity(figure(m, network, "local-rate"), HTMT_UNIT_BYTE_RATE, &q)
               ? htmt_charge_time(q.value, bytes)
               : 0;
}

double htmt__traffic_word(const struct htmt_machine *m, uint32_t network, uint32_t layer)
{
    const struct htmt_port *port = &m->network[network].port[layer];
    struct htmt_quantity q, packet;
    double word = 0, inner = 0;
    if (port->out && port->out_word.den)
        word = (double)port->out_word.num / (double)port->out_word.den / port->out;
    if (quantity(figure(m, network, "inside.rate"), HTMT_UNIT_BYTE_RATE, &q))
        inner = (double)q.value.num / (double)q.value.den * HTMT_WORD;
    if (port->out && quantity(figure(m, network, "inside.slot"), HTMT_UNIT_TIME, &q) &&
        quantity(figure(m, network, "inside.packet"), HTMT_UNIT_BYTES, &packet))
        inner = (double)q.value.num / (double)packet.value.num * HTMT_WORD / port->out;
    return word > inner ? word : inner;
}

htmt_time htmt__traffic_saved(const struct htmt_machine *m, uint32_t network)
{
    htmt_time first = m->network[network].startup;
    struct htmt_quantity q;
    if (!quantity(figure(m, network, "startup-next"), HTMT_UNIT_TIME, &q))
        return 0;
    return q.value.num < (uint64_t)first ? first - (htmt_time)q.value.num : 0;
}
