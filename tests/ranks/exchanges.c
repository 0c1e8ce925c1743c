/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ranks/exchanges.h"

#include <stdlib.h>
#include <string.h>

struct exchanges {
    const struct htmt_ranks *ranks;
    size_t most;
    unsigned char *sent; /* `most` bytes for each rank */
    struct htmt_bytes *to, *from;
};

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
    return x ^ (x >> 29);
}

static uint64_t seed(unsigned turn, uint32_t source, uint32_t target)
{
    return mix(mix(mix(turn + 1) + source) + target);
}

/* A third are empty, a third short, a third of any size. */
static size_t size_of(const struct exchanges *x, uint64_t s)
{
    const size_t most[] = {0, x->most < 64 ? x->most : 64, x->most};
    return (s >> 8) % (most[s % 3] + 1);
}

static unsigned char byte_of(uint64_t s, size_t i)
{
    return (unsigned char)(s + i * (s | 1) / 251);
}

static void hand_over(const struct exchanges *x, unsigned turn)
{
    for (uint32_t r = 0; r < x->ranks->count; r++) {
        uint64_t s = seed(turn, x->ranks->rank, r);
        unsigned char *at = x->sent + r * x->most;
        size_t size = size_of(x, s);
        for (size_t i = 0; i < size; i++)
            at[i] = byte_of(s, i);
        x->to[r] = (struct htmt_bytes){size ? at : NULL, size};
    }
}

static bool is_right(const struct exchanges *x, unsigned turn, uint32_t source)
{
    uint64_t s = seed(turn, source, x->ranks->rank);
    const struct htmt_bytes *came = &x->from[source];
    bool right = came->size == size_of(x, s);
    for (size_t i = 0; right && i < came->size; i++)
        right = ((const unsigned char *)came->at)[i] == byte_of(s, i);
    return right;
}

/* What was handed over is spoilt once the call is over. */
static bool play(const struct exchanges *x, unsigned turn)
{
    hand_over(x, turn);
    bool right = !x->ranks->exchange(x->ranks->self, x->to, x->from);
    memset(x->sent, 0xa5, x->ranks->count * x->most);
    for (uint32_t r = 0; right && r < x->ranks->count; r++)
        right = is_right(x, turn, r);
    return right;
}

bool exchanges_agree(const struct htmt_ranks *ranks, unsigned turns, size_t most)
{
    uint32_t count = ranks->count;
    struct exchanges x = {ranks, most, malloc(count * most + 1), calloc(count, sizeof *x.to),
                          calloc(count, sizeof *x.from)};
    bool right = x.sent && x.to && x.from;
    for (unsigned turn = 0; right && turn < turns; turn++)
        right = play(&x, turn);
    free(x.sent);
    free(x.to);
    free(x.from);
    return right;
}
