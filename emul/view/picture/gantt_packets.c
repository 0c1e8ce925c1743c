/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Packets of a trace: what they are called in a Gantt chart.
 *
 * A trace knows what each port did with a packet, not the packet itself. So a packet is gathered
 * from the intervals of the two ports at its ends: one leaves a slice, one comes to a slice. Sorted
 * by name they stand together and become one, with its first time at either end.
 */
#include "emul/view/picture/gantt_parts.h"

#include <stdlib.h>

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_name(const void *a, const void *b)
{
    const struct htmt__gantt_packet *x = a, *y = b;
    int order = compare(x->serial, y->serial);
    order = order ? order : compare(x->number, y->number);
    order = order ? order : compare(x->source, y->source);
    return order ? order : compare(x->target, y->target);
}

const struct htmt__gantt_packet *htmt__gantt_packet(const struct htmt__gantt_packets *packets,
                                                    uint64_t serial, uint32_t number,
                                                    uint32_t source, uint32_t target)
{
    const bool any = target == UINT32_MAX;
    const struct htmt__gantt_packet name = {
        .serial = serial, .number = number, .source = source, .target = any ? 0 : target};
    size_t low = 0, high = packets->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (by_name(&packets->at[middle], &name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct htmt__gantt_packet *p = &packets->at[low];
    bool found = low < packets->count && p->serial == serial && p->number == number &&
                 p->source == source && (any || p->target == target);
    return found ? p : NULL;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static int by_creation(const void *a, const void *b)
{
    const struct htmt__gantt_packet *x = *(struct htmt__gantt_packet *const *)a;
    const struct htmt__gantt_packet *y = *(struct htmt__gantt_packet *const *)b;
    int order = compare((uint64_t)x->sent, (uint64_t)y->sent);
    order = order ? order : compare(x->source, y->source);
    return order ? order : by_name(x, y);
}

static int by_arrival(const void *a, const void *b)
{
    const struct htmt__gantt_packet *x = *(struct htmt__gantt_packet *const *)a;
    const struct htmt__gantt_packet *y = *(struct htmt__gantt_packet *const *)b;
    int order = compare((uint64_t)x->came, (uint64_t)y->came);
    return order ? order : by_name(x, y);
}

/* Packets are numbered three times: at their sender and at their receiver by messages, in all by
 * packets, each in the order of time. Messages count when their first packet does; further packets
 * have their message's numbers. One that never came has the latest time there is, so it counts
 * behind all that did. */
static int number(const struct htmt_trace *t, struct htmt__gantt_packets *p)
{
    const size_t places = (size_t)htmt_trace_info(t)->places + 1;
    struct htmt__gantt_packet **order = calloc(p->count + 1, sizeof(struct htmt__gantt_packet *));
    uint32_t *sent = calloc(places, sizeof *sent), *came = calloc(places, sizeof *came);
    const bool enough = order && sent && came;
    const size_t count = enough ? p->count : 0;
    for (size_t i = 0; i < count; i++)
        order[i] = &p->at[i];
    if (count)
        qsort(order, count, sizeof *order, by_arrival);
    for (size_t i = 0; i < count; i++)
        order[i]->came_as = order[i]->number ? 0 : came[order[i]->target]++;
    if (count)
        qsort(order, count, sizeof *order, by_creation);
    for (size_t i = 0; i < count; i++) {
        order[i]->created = i;
        order[i]->sent_as = order[i]->number ? 0 : sent[order[i]->source]++;
    }
    for (size_t i = 0; i < count; i++) {
        struct htmt__gantt_packet *at = &p->at[i];
        const struct htmt__gantt_packet *first =
            htmt__gantt_packet(p, at->serial, 0, at->source, at->target);
        at->sent_as = first ? first->sent_as : 0;
        at->came_as = first ? first->came_as : 0;
    }
    free(came);
    free(sent);
    free(order);
    return enough ? 0 : HTMT_ENOMEM;
}

int htmt__gantt_packets_make(const struct htmt_trace *t,
                             const struct htmt__trace_port_interval *all,
                             struct htmt__gantt_packets *packets)
{
    const uint64_t count = htmt__trace_ports(t)->intervals;
    packets->at = calloc((size_t)count + 1, sizeof *packets->at);
    packets->count = 0;
    if (!packets->at)
        return HTMT_ENOMEM;
    for (uint64_t i = 0; i < count; i++) {
        const struct htmt__trace_inside *in = htmt__trace_inside_of(t, all[i].port);
        const uint32_t channel = htmt__trace_port_channel(in, all[i].port);
        const bool leaves = htmt__gantt_sender(in, channel) != UINT32_MAX;
        const bool comes = htmt__gantt_receiver(in, channel) != UINT32_MAX;
        if (leaves || comes)
            packets->at[packets->count++] =
                (struct htmt__gantt_packet){.serial = all[i].serial,
                                            .number = all[i].number,
                                            .source = all[i].source,
                                            .target = all[i].target,
                                            .sent = leaves ? all[i].begin : HTMT_TIME_MAX,
                                            .came = comes ? all[i].begin : HTMT_TIME_MAX};
    }
    qsort(packets->at, packets->count, sizeof *packets->at, by_name);
    size_t left = 0;
    for (size_t i = 0; i < packets->count; i++) {
        const struct htmt__gantt_packet *p = &packets->at[i];
        struct htmt__gantt_packet *before = left ? &packets->at[left - 1] : NULL;
        if (before && !by_name(before, p)) {
            before->sent = p->sent < before->sent ? p->sent : before->sent;
            before->came = p->came < before->came ? p->came : before->came;
        } else {
            packets->at[left++] = *p;
        }
    }
    packets->count = left;
    return number(t, packets);
}

void htmt__gantt_packets_clear(struct htmt__gantt_packets *packets)
{
    free(packets->at);
    *packets = (struct htmt__gantt_packets){0};
}
