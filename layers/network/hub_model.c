/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A network with one element in its middle, at slice slices / 2: every message goes there, waits
 * until the messages that came before have passed, passes at the element's rate, and goes on to its
 * target. From port to port without a queue:
 *
 *     latency + words * word time + latency
 */
#include "layers/machine/models.h"

#include <stddef.h>

struct hub {
    struct htmt_ratio word; /* fs */
};

struct element {
    htmt_time free; /* when the last message will have passed */
};

static htmt_time later(htmt_time t, htmt_time d)
{
    htmt_time sum;
    return t < 0 || d < 0 || __builtin_add_overflow(t, d, &sum) ? -1 : sum;
}

static struct htmt__place send(const struct htmt__crossing *c)
{
    return (struct htmt__place){.at = later(c->now, c->latency), .slice = c->slices / 2};
}

static struct htmt__place arrive(const struct htmt__crossing *c)
{
    const struct hub *hub = c->inside;
    struct element *e = c->state;
    htmt_time start = e->free > c->now ? e->free : c->now;
    e->free = later(start, htmt_charge_time(hub->word, c->words));
    return (struct htmt__place){
        .at = later(e->free, c->latency), .slice = c->target, .there = true};
}

static htmt_time alone(const void *inside, htmt_time latency, uint64_t words)
{
    const struct hub *hub = inside;
    return later(later(latency, htmt_charge_time(hub->word, words)), latency);
}

static const struct htmt_schema_row rows[] = {
    HTMT__MODEL_NAME,
    {"rate", HTMT_UNIT_RATE, .offset = offsetof(struct hub, word),
     .size = sizeof(struct htmt_ratio), .above_least = true},
    {.key = NULL}};

const struct htmt__network_model htmt__model_hub = {.name = "hub",
                                                    .rows = rows,
                                                    .state_bytes = sizeof(struct element),
                                                    .send = send,
                                                    .arrive = arrive,
                                                    .explain = "hub",
                                                    .alone = alone};
