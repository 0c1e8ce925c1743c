/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/traffic/contents.h"

#include "apps/traffic/random.h"

/* Eight bytes at a time. */
static uint64_t word(const struct htmt__traffic_message *m, uint64_t position)
{
    return htmt__traffic_random(m->source, m->target, m->index, position / 8);
}

static unsigned char byte(uint64_t w, uint64_t position)
{
    return (unsigned char)(w >> 8 * (position % 8));
}

void htmt__traffic_fill(const struct htmt__traffic_message *m, unsigned char *bytes)
{
    uint64_t w = 0;
    for (uint64_t i = 0; i < m->bytes; i++) {
        w = i % 8 ? w : word(m, i);
        bytes[i] = byte(w, i);
    }
}

uint64_t htmt__traffic_wrong(const struct htmt__traffic_message *m, const unsigned char *bytes)
{
    uint64_t w = 0, wrong = 0;
    for (uint64_t i = 0; i < m->bytes; i++) {
        w = i % 8 ? w : word(m, i);
        wrong += bytes[i] != byte(w, i);
    }
    return wrong;
}
