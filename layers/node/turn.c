/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/node/turn.h"

#include "layers/node/parts.h"

/* With them so many turns end before HTMT__TICKS_MOST. */
#define ENTRIES_MOST (UINT64_C(1) << 20)
#define TURN_MOST    (INT64_C(1) << 40) /* ticks */
#define START_MOST   (INT64_C(1) << 60)

static bool is_access(uint64_t entry)
{
    return htmt__tape_kind(entry) == HTMT__TAPE_LOAD || htmt__tape_kind(entry) == HTMT__TAPE_STORE;
}

/* The bits in which another entry must equal this one to be like it: all but those of the place in
 * the line, where both lie on multiples of their width and so do not leave it. */
static inline uint64_t fixed_bits(uint64_t entry, uint64_t within)
{
    uint64_t rest = htmt__tape_width(entry) - UINT64_C(1);
    bool aligned = rest <= within && !(rest & (rest + 1)) && !(entry & rest);
    return is_access(entry) && aligned ? ~within | rest : UINT64_MAX;
}

/* `entries` follow a turn of that length; the last turn counts if the next one's first block is
 * there. */
static inline __attribute__((always_inline)) size_t
count_turns(const uint64_t *entries, size_t length, size_t count, uint64_t within)
{
    uint64_t fixed[HTMT__TURN_ENTRIES];
    const uint64_t *of = entries - length, *e = entries, *end = entries + count;
    for (size_t i = 0; i < length; i++)
        fixed[i] = fixed_bits(of[i], within);
    for (; length < (size_t)(end - e); e += length) {
        uint64_t other = 0;
        for (size_t i = 0; i < length; i++)
            other |= (e[i] ^ of[i]) & fixed[i];
        if (other | (e[length] ^ *of))
            break;
    }
    return (size_t)(e - entries);
}

/* Loops of few entries, which are most, go without loops over them. */
static size_t count_like(const uint64_t *entries, size_t length, size_t count, uint64_t within)
{
    switch (length) {
    case 1:
        return count_turns(entries, 1, count, within);
    case 2:
        return count_turns(entries, 2, count, within);
    case 3:
        return count_turns(entries, 3, count, within);
    case 4:
        return count_turns(entries, 4, count, within);
    default:
        return count_turns(entries, length, count, within);
    }
}

/* A turn that asks for another line mostly ends so. */
static inline bool is_other(const uint64_t *entries, size_t length, uint64_t within)
{
    uint64_t last = entries[length - 1], of = *(entries - 1);
    return (last ^ of) & fixed_bits(of, within);
}

size_t htmt__turn_like(const struct htmt__node *n, const uint64_t *entries, size_t count)
{
    uint64_t within = n->data.line_mask;
    size_t length = (size_t)(entries - n->turn.from);
    if (length > HTMT__TURN_ENTRIES || length >= count || is_other(entries, length, within))
        return 0;
    if (count > ENTRIES_MOST || n->start > START_MOST || n->start - n->turn.start > TURN_MOST)
        return 0;
    return count_like(entries, length, count, within);
}

void htmt__turn_repeat(struct htmt__node *n, const uint64_t *entries, size_t like)
{
    uint64_t turns = like / (size_t)(entries - n->turn.from);
    htmt_time time = (n->start - n->turn.start) * (htmt_time)turns;
    for (const uint64_t *e = n->turn.from; e < entries; e++) {
        enum htmt__tape_kind kind = htmt__tape_kind(*e);
        n->sum.loads += kind == HTMT__TAPE_LOAD ? turns : 0;
        n->sum.stores += kind == HTMT__TAPE_STORE ? turns : 0;
        if (kind != HTMT__TAPE_BLOCK)
            continue;
        struct htmt__node_block *b = &n->block[htmt__tape_address(*e)];
        b->plain += turns;
        b->turn_start += time;
    }
    n->part[HTMT__NODE_CHAIN] += (n->part[HTMT__NODE_CHAIN] - n->turn.chain) * (htmt_time)turns;
    n->t = n->start += time;
}
