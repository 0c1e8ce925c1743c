/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/node/turn.h"

#include "layers/node/parts.h"

/* With them so many turns end before HTMT__TICKS_MOST. */
#define ENTRIES_MOST (UINT64_C(1) << 20)
#define TURN_MOST    (INT64_C(1) << 40) /* ticks */
#define START_MOST   (INT64_C(1) << 60)

/* An entry that is like one of the turn is `low` to `low` + `span`. */
struct pattern {
    uint64_t low[HTMT__TURN_ENTRIES], span[HTMT__TURN_ENTRIES];
};

static bool is_access(uint64_t entry)
{
    return htmt__tape_kind(entry) == HTMT__TAPE_LOAD || htmt__tape_kind(entry) == HTMT__TAPE_STORE;
}

/* An access of the same line, which it does not leave. */
static bool is_like(uint64_t entry, uint64_t of, uint64_t within)
{
    return entry == of || (is_access(of) && !((entry ^ of) & ~within) &&
                           (entry & within) + htmt__tape_width(entry) <= within + 1);
}

static void read_pattern(struct pattern *p, const uint64_t *entries, size_t n, uint64_t within)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t rest = is_access(entries[i]) ? within : 0;
        p->low[i] = entries[i] & ~rest;
        p->span[i] = rest ? rest + 1 - htmt__tape_width(entries[i]) : 0;
    }
}

/* Of turns whose entries follow each other, the last one may not end. */
static size_t count_turns(const struct pattern *p, size_t length, const uint64_t *entries,
                          size_t count)
{
    size_t turns = 0, at = 0;
    for (size_t i = 0; i < count && entries[i] - p->low[at] <= p->span[at]; i++) {
        turns += at == 0;
        at = at + 1 < length ? at + 1 : 0;
    }
    return turns;
}

size_t htmt__turn_count(const struct htmt__node *n, const uint64_t *entries, size_t count)
{
    const uint64_t *of = n->turn.from, within = n->data.line_mask;
    size_t length = (size_t)(entries - of);
    struct pattern p;
    if (length > HTMT__TURN_ENTRIES || length >= count || entries[length] != *of)
        return 0;
    for (size_t i = length - 1; i > 0; i--)
        if (!is_like(entries[i], of[i], within))
            return 0;
    if (count > ENTRIES_MOST || n->start > START_MOST || n->start - n->turn.start > TURN_MOST)
        return 0;
    read_pattern(&p, of, length, within);
    return count_turns(&p, length, entries + length, count - length);
}

void htmt__turn_repeat(struct htmt__node *n, const uint64_t *entries, size_t turns)
{
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
