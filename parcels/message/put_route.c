/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ways inside networks that a program makes for its puts.
 */
#include "parcels/message.h"
#include "parcels/message/packet_network.h"
#include "parcels/walk/permit.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST 16u

static int add(struct htmt_emulator *e, struct htmt__put_route new)
{
    struct htmt__routes *r = &e->routes;
    uint32_t room = r->room ? 2 * r->room : ROOM_LEAST;
    if (r->count == r->room) {
        struct htmt__put_route *more = realloc(r->at, room * sizeof *more);
        if (!more)
            return HTMT_ENOMEM;
        r->at = more;
        r->room = room;
    }
    r->at[r->count++] = new;
    return 0;
}

static const char *fault_of(struct htmt_emulator *e, uint32_t network, const uint16_t *ports,
                            uint32_t count, const uint32_t *route)
{
    if (network >= e->networks || !e->net[network].fabric)
        return "the network has no ports inside";
    return !route || (count && !ports) ? "no place for its number, or no ports (NULL)" : NULL;
}

int htmt_route_create(struct htmt_emulator *e, uint32_t network, const uint16_t *ports,
                      uint32_t count, uint32_t *route)
{
    if (htmt__permit_setup(e, "htmt_route_create()"))
        return HTMT_EINVAL;
    const char *why = fault_of(e, network, ports, count, route);
    if (why)
        return htmt__refuse(e, HTMT_EINVAL, "htmt_route_create(): %s", why);
    struct htmt__put_route new = {network, count, calloc(count + 1, sizeof *new.port)};
    if (new.port && count)
        memcpy(new.port, ports, count * sizeof *ports);
    if (!new.port || add(e, new)) {
        free(new.port);
        return htmt__refuse(e, HTMT_ENOMEM, "no host memory for a route");
    }
    e->net[network].fabric->reorders = true;
    *route = e->routes.count;
    return 0;
}
