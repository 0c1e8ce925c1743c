/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/traffic/load.h"

#include <stdlib.h>

#define MESSAGES_MOST (UINT64_C(1) << 25)

/* Changes of the load from one link of a row or column to the next. */
enum { EAST, WEST, SOUTH, NORTH, WAYS };

struct mesh {
    uint32_t side;
    int64_t *change; /* of each way, line and place */
};

static int64_t *at(const struct mesh *m, unsigned way, uint32_t line, uint32_t place)
{
    return &m->change[((uint64_t)way * m->side + line) * (m->side + 1) + place];
}

/* The links between places `from` and `to` of a line carry a message more. */
static void pass(const struct mesh *m, unsigned up, unsigned down, uint32_t line, uint32_t from,
                 uint32_t to)
{
    uint32_t first = from < to ? from : to, last = from < to ? to : from;
    unsigned way = from < to ? up : down;
    ++*at(m, way, line, first);
    --*at(m, way, line, last);
}

static uint32_t distance(uint32_t a, uint32_t b)
{
    return a < b ? b - a : a - b;
}

static void carry(const struct mesh *m, uint32_t source, uint32_t target,
                  struct htmt__traffic_load *load)
{
    uint32_t x = source % m->side, y = source / m->side;
    uint32_t to_x = target % m->side, to_y = target / m->side;
    uint64_t hops = distance(x, to_x) + distance(y, to_y);
    pass(m, EAST, WEST, y, x, to_x);
    pass(m, SOUTH, NORTH, to_x, y, to_y);
    load->least = load->messages++ && load->least < hops ? load->least : hops;
    load->most = load->most > hops ? load->most : hops;
    load->hops += hops;
}

static uint64_t busiest(const struct mesh *m)
{
    int64_t most = 0;
    for (unsigned way = 0; way < WAYS; way++)
        for (uint32_t line = 0; line < m->side; line++) {
            int64_t load = 0;
            for (uint32_t place = 0; place < m->side; place++) {
                load += *at(m, way, line, place);
                most = load > most ? load : most;
            }
        }
    return (uint64_t)most;
}

int htmt__traffic_load_of(const struct htmt__traffic_pattern *p, struct htmt__traffic_load *load)
{
    struct mesh m = {.side = p->side};
    if (!m.side || !htmt__traffic_pattern_repeats(p) ||
        htmt__traffic_pattern_requests(p) > MESSAGES_MOST)
        return HTMT_EINVAL;
    m.change = calloc((size_t)WAYS * m.side * (m.side + 1), sizeof *m.change);
    if (!m.change)
        return HTMT_ENOMEM;
    *load = (struct htmt__traffic_load){.busiest = 0};
    for (uint32_t i = 0; i < p->nodes; i++)
        for (uint32_t k = 0; k < htmt__traffic_pattern_sends(p, i); k++)
            carry(&m, i, htmt__traffic_pattern_target(p, i, 0, k), load);
    load->busiest = busiest(&m);
    free(m.change);
    return 0;
}
