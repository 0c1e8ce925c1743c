/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of elements and ports.
 */
#include "layers/network/switch_graph.h"
#include "layers/network/vortex.h"

#include <stdio.h>
#include <string.h>

static bool is_grid(const struct htmt__topology *t)
{
    return t->inside.topology == HTMT__MESH || t->inside.topology == HTMT__TORUS;
}

void htmt__topology_name(const struct htmt__topology *t, uint32_t element, char *name, size_t room)
{
    const bool is_switch = element >= t->ends;
    uint32_t place = is_switch ? element - t->ends : element;
    if (t->graph) {
        snprintf(name, room, "%s",
                 is_switch ? t->graph->at[place].name : t->graph->end_name[place]);
        return;
    }
    if (is_switch && t->inside.topology == HTMT__DATA_VORTEX) {
        snprintf(name, room, "height %u", place);
        return;
    }
    if (!is_switch || !is_grid(t)) {
        snprintf(name, room, is_switch ? "switch %u" : "end %u", place);
        return;
    }
    /* "switch 3,0,2" */
    size_t used = 0;
    for (uint32_t d = 0; d < t->inside.dimensions && used < room; d++) {
        uint32_t extent = t->inside.shape[d];
        int n = snprintf(name + used, room - used, d ? ",%u" : "switch %u", place % extent);
        used += n > 0 ? (size_t)n : 0;
        place /= extent;
    }
}

/* "+x", "-y", "+4", or of a switch without directions "port 2". */
static void name_port(const struct htmt__topology *t, const struct htmt__wire *w, char *name,
                      size_t room)
{
    if (!is_grid(t))
        snprintf(name, room, "port %u", w->port);
    else if (w->to < t->ends)
        snprintf(name, room, "end");
    else if (t->inside.dimensions > 3)
        snprintf(name, room, "%c%u", "+-"[w->port % 2], w -> port / 2);
    else
        snprintf(name, room, "%c%c", "+-"[w->port % 2], "xyz"[w->port / 2]);
}

void htmt__topology_port_name(const struct htmt__topology *t, uint32_t channel, char *name,
                              size_t room)
{
    const struct htmt__wire *w = htmt__wire(t, channel);
    char element[HTMT__ELEMENT_NAME], port[32] = "";
    htmt__topology_name(t, w->from, element, sizeof element);
    if (t->inside.topology == HTMT__DATA_VORTEX) {
        const struct htmt__vortex_channel c = htmt__vortex_channel(&t->inside, channel);
        if (c.cylinder == UINT32_MAX)
            snprintf(name, room, "%s angle %u", element, c.angle);
        else
            snprintf(name, room, "node %u,%u,%u %s", c.cylinder, c.height, c.angle,
                     !c.inward         ? "around"
                     : w->to < t->ends ? "out"
                                       : "inward");
        return;
    }
    if (w->from < t->ends) {
        snprintf(name, room, "%s", element);
    } else if (t->graph) {
        const struct htmt__switch *s = &t->graph->at[w->from - t->ends];
        snprintf(name, room, "%s.%s", element, t->graph->port_name[s->first_name + w->port]);
    } else {
        name_port(t, w, port, sizeof port);
        snprintf(name, room, "%s %s", element, port);
    }
}
