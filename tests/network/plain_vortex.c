/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Slot by slot: an array of all nodes now, and one of the next slot. Cylinders from the inside
 * outwards; each node looks whether its place inward was taken by then.
 */
#include "tests/network/plain_vortex.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define FREE (-1)

static uint32_t place(const struct plain_vortex *v, uint32_t c, uint32_t h, uint32_t a)
{
    return ((c << v->bits) + h) * v->angles + a % v->angles;
}

/* All packets of cylinder c. Returns how many left. */
static uint32_t move(struct plain_vortex *v, struct plain_packet *packet, uint32_t c, int64_t slot,
                     const int32_t *now, int32_t *then)
{
    uint32_t out = 0;
    for (uint32_t h = 0; h < UINT32_C(1) << v->bits; h++)
        for (uint32_t a = 0; a < v->angles; a++) {
            const int32_t i = now[place(v, c, h, a)];
            if (i == FREE)
                continue;
            struct plain_packet *p = &packet[i];
            v->moves[c]++;
            if (c == v->bits) {
                cr_assert_eq(h, p->target);
                if (a == p->target_angle) {
                    p->exits = slot;
                    out++;
                } else {
                    then[place(v, c, h, a + 1)] = i;
                }
                continue;
            }
            const uint32_t bit = UINT32_C(1) << (v->bits - 1 - c);
            const uint32_t inward = place(v, c + 1, h, a + 1);
            const int right = (h & bit) == (p->target & bit);
            if (right && then[inward] == FREE) {
                then[inward] = i;
                continue;
            }
            p->deflections += (uint32_t)right;
            v->deflections[c] += (uint64_t)right;
            const uint32_t around = place(v, c, h ^ bit, a + 1);
            cr_assert_eq(then[around], FREE, "two packets for one node");
            then[around] = i;
        }
    return out;
}

void plain_vortex_play(struct plain_vortex *v, struct plain_packet *packet, uint32_t count)
{
    const uint32_t ports = v->angles << v->bits, nodes = ports * (v->bits + 1);
    int32_t *now = malloc(nodes * sizeof *now), *then = malloc(nodes * sizeof *then);
    uint32_t *next = malloc((count + 1) * sizeof *next), *first = malloc(ports * sizeof *first);
    cr_assert(now && then && next && first);
    memset(now, 0xff, nodes * sizeof *now);
    /* A list for each port, in the order of the array. */
    for (uint32_t i = 0; i < ports; i++)
        first[i] = count;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t *port = &first[packet[i].source * v->angles + packet[i].source_angle];
        next[i] = *port;
        *port = i;
    }
    memset(v->moves, 0, sizeof v->moves);
    memset(v->deflections, 0, sizeof v->deflections);
    v->waited = 0;
    uint32_t left = count;
    for (int64_t slot = 0; left; slot++) {
        memset(then, 0xff, nodes * sizeof *then);
        for (uint32_t i = 0; i < ports; i++) {
            const uint32_t one = first[i];
            if (one == count || packet[one].wants > slot || now[i] != FREE)
                continue;
            now[i] = (int32_t)one;
            packet[one].enters = slot;
            packet[one].deflections = 0;
            v->waited += (uint64_t)(slot - packet[one].wants);
            first[i] = next[one];
        }
        for (uint32_t c = v->bits + 1; c-- > 0;)
            left -= move(v, packet, c, slot, now, then);
        int32_t *swap = now;
        now = then;
        then = swap;
    }
    free(now);
    free(then);
    free(next);
    free(first);
}
