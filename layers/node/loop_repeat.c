/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns of a loop that are passed over.
 *
 * A turn in which every access was a quick hit, every guess right and every block plain changed
 * nothing but the order of the newest lines of their sets. If the next turn asks for the same lines
 * in the same order, each access hits again, the order after it is the same again, and it takes the
 * same time: the state repeats, so the time does. play.c notes in repeat.alike whether the turn
 * that runs was of this kind. At its end the entries that follow are compared with its own; as long
 * as they are equal but for the place inside the lines, the turns count at once: time, counts of
 * blocks, loads and stores are multiplied, and no cache is looked at.
 *
 * A turn whose lines are others, as every eighth one of a loop over 8-byte elements with lines of
 * 64, is asked access by access whether it hits quickly (hits()); then it is the next one to
 * compare with. By hand: a loop BLOCK, LOAD a[i], LOAD b[i] over 32 elements in the cache, two
 * hits of 1 ns a turn: the first turn is played, turns 2 to 8 are equal, turn 9 asks for two new
 * lines that hit, turns 10 to 16 are equal to it, and so on: 31 turns cost 31 comparisons of 3
 * words and 6 looks at tags.
 *
 * Why the comparison may stop short: where a turn differs or misses, the loop in play() plays it;
 * what hits() made newest before it found the miss is asked for by that turn in the same order,
 * which leaves the same order.
 */

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

/* Whether all accesses of a turn hit whose lines are others: it takes as long as the last one. The
 * lines become the newest of their sets; where a later one misses, the turn is played, which asks
 * for the same lines in the same order and so leaves the same order. */
static bool hits(const struct htmt__node *n, const uint64_t *e, const uint64_t *of,
                 const uint64_t *fixed, size_t length)
{
    const uint64_t lines = HTMT__TAPE_ADDRESS & ~n->data.line_mask;
    for (size_t i = 0; i < length; i++) {
        const bool access = is_access(of[i]);
        if ((e[i] ^ of[i]) & fixed[i] & (access ? ~lines : UINT64_MAX))
            return false;
        if (access && !htmt__node_quick(n, e[i], htmt__tape_kind(e[i]) == HTMT__TAPE_STORE))
            return false;
    }
    return true;
}

/* `entries` follow a turn of that length; the last turn counts if the next one's first block is
 * there. */
static inline __attribute__((always_inline)) size_t
count_turns(const struct htmt__node *n, const uint64_t *entries, size_t length, size_t count)
{
    uint64_t fixed[HTMT__LOOP_ENTRIES];
    const uint64_t *of = entries - length, *e = entries, *end = entries + count;
    for (size_t i = 0; i < length; i++)
        fixed[i] = fixed_bits(of[i], n->data.line_mask);
    for (; length < (size_t)(end - e) && e[length] == *of; e += length) {
        uint64_t other = 0;
        for (size_t i = 0; i < length; i++)
            other |= (e[i] ^ of[i]) & fixed[i];
        if (other && !hits(n, e, of, fixed, length))
            break;
        of = other ? e : of;
    }
    return (size_t)(e - entries);
}

/* Loops of few entries, which are most, go without loops over them. */
static size_t count_like(const struct htmt__node *n, const uint64_t *entries, size_t length,
                         size_t count)
{
    switch (length) {
    case 1:
        return count_turns(n, entries, 1, count);
    case 2:
        return count_turns(n, entries, 2, count);
    case 3:
        return count_turns(n, entries, 3, count);
    case 4:
        return count_turns(n, entries, 4, count);
    default:
        return count_turns(n, entries, length, count);
    }
}

size_t htmt__loop_repeat_count(const struct htmt__node *n, const uint64_t *entries, size_t count)
{
    size_t length = (size_t)(entries - n->repeat.from);
    if (length > HTMT__LOOP_ENTRIES || length >= count)
        return 0;
    if (count > ENTRIES_MOST || n->start > START_MOST || n->start - n->repeat.start > TURN_MOST)
        return 0;
    return count_like(n, entries, length, count);
}

void htmt__loop_repeat_pass(struct htmt__node *n, const uint64_t *entries, size_t like)
{
    uint64_t turns = like / (size_t)(entries - n->repeat.from);
    htmt_time time = (n->start - n->repeat.start) * (htmt_time)turns;
    for (const uint64_t *e = n->repeat.from; e < entries; e++) {
        enum htmt__tape_kind kind = htmt__tape_kind(*e);
        n->sum.loads += kind == HTMT__TAPE_LOAD ? turns : 0;
        n->sum.stores += kind == HTMT__TAPE_STORE ? turns : 0;
        if (kind != HTMT__TAPE_BLOCK)
            continue;
        struct htmt__node_block *b = &n->block[htmt__tape_address(*e)];
        b->plain += turns;
        b->turn_start += time;
    }
    n->part[HTMT__NODE_CHAIN] += (n->part[HTMT__NODE_CHAIN] - n->repeat.chain) * (htmt_time)turns;
    n->t = n->start += time;
}
