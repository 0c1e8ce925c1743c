/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/traffic/inside.h"

#include "layers/file/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- figures --------------------------------------------------------------------------------- */

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

bool htmt__traffic_has_ports(const struct htmt_machine *m, uint32_t network)
{
    return figure(m, network, "inside.switching") != NULL;
}

/* Of what is not modelled there is no rate to read. */
htmt_time htmt__traffic_local(const struct htmt_machine *m, uint32_t network, uint64_t bytes)
{
    const char *rate = figure(m, network, "local-rate");
    struct htmt_quantity q;
    char why[200];
    if (!rate || htmt_quantity_read(rate, HTMT_UNIT_BYTE_RATE, NULL, &q, why, sizeof why))
        return 0;
    return htmt_charge_time(q.value, bytes);
}

htmt_time htmt__traffic_saved(const struct htmt_machine *m, uint32_t network)
{
    const char *next = figure(m, network, "startup-next");
    htmt_time first = m->network[network].startup;
    struct htmt_quantity q;
    char why[200];
    if (!next || htmt_quantity_read(next, HTMT_UNIT_TIME, NULL, &q, why, sizeof why))
        return 0;
    return q.value.num < (uint64_t)first ? first - (htmt_time)q.value.num : 0;
}

/* ---- routes ---------------------------------------------------------------------------------- */

struct htmt__traffic_routes {
    uint32_t *of; /* of each message; 0: the machine's routing */
};

static int create(struct htmt_emulator *e, uint32_t network, const struct htmt__traffic_table *t,
                  struct htmt__traffic_routes *r)
{
    int rc = 0;
    for (uint32_t i = 0; i < t->messages && !rc; i++) {
        const struct htmt__traffic_message *m = &t->message[i];
        if (m->ports)
            rc = htmt_route_create(e, network, &t->port[m->route], m->ports, &r->of[i]);
    }
    return rc;
}

int htmt__traffic_routes_create(struct htmt_emulator *e, uint32_t network,
                                const struct htmt__traffic_table *t,
                                struct htmt__traffic_routes **routes)
{
    if (!t->ports || !htmt__traffic_has_ports(htmt_emulator_machine(e), network))
        return 0;
    struct htmt__traffic_routes *r = calloc(1, sizeof *r);
    if (r)
        r->of = calloc(t->messages, sizeof *r->of);
    int rc = r && r->of ? create(e, network, t, r) : HTMT_ENOMEM;
    *routes = r;
    if (rc)
        htmt__traffic_routes_destroy(routes);
    return rc;
}

void htmt__traffic_routes_destroy(struct htmt__traffic_routes **routes)
{
    if (*routes)
        free((*routes)->of);
    free(*routes);
    *routes = NULL;
}

void htmt__traffic_route(const struct htmt__traffic_routes *routes, uint32_t message,
                         struct htmt_put *put)
{
    if (routes)
        put->route = routes->of[message];
}
