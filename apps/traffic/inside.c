/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/traffic/inside.h"

int htmt__traffic_routes_create(struct htmt_emulator *e, uint32_t network,
                                const struct htmt__traffic_table *t,
                                struct htmt__traffic_routes **routes, struct htmt_fault *fault)
{
    (void)e;
    (void)network;
    (void)t;
    (void)fault;
    *routes = NULL;
    return 0;
}

void htmt__traffic_routes_destroy(struct htmt__traffic_routes **routes)
{
    *routes = NULL;
}

void htmt__traffic_route(const struct htmt__traffic_routes *routes, uint32_t message,
                         struct htmt_put *put)
{
    (void)routes;
    (void)message;
    (void)put;
}

htmt_time htmt__traffic_local(const struct htmt_machine *m, uint32_t network, uint64_t bytes)
{
    (void)m;
    (void)network;
    (void)bytes;
    return 0;
}

bool htmt__traffic_routes_count(void)
{
    return false;
}
