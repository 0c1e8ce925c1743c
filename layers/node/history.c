/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a branch did the last times, given the branches before it.
 *
 * A processor knows when a loop of 40 turns ends, and when the inner loop of a triangle ends whose
 * length was 7 the time before: the branches just before look the same as when it last came to that
 * end. So tables are kept of histories of 4, 6, 9, .. up to `reach` branches, each with the place
 * of its own branch. The longest history that is known answers; if none is, where the branch
 * usually goes. After a wrong answer the longer ones are remembered. A history that came once may
 * have had its answer by chance: where such young ones were wrong more often than the shorter ones
 * that they replace, the shorter one answers until the young one was right. (Seznec's TAGE in a
 * simple form.) Example: a loop of 5 turns. Usually it goes on, which is wrong at the fifth turn.
 * The histories of 4, 6 and more branches are then remembered with "ends", and the next end is
 * foreseen. In a loop of more turns than `reach` all turns look the same, and each end is a wrong
 * guess.
 *
 * Branches that are not taken are none of a history: processors keep the path, which is where they
 * jumped. So a loop with a comparison that never holds has as long a history as one without.
 *
 * Random outcomes that come again and again in the same order are learned, too: a few branches
 * tell where in the row it is. Half of them are what usually happens, each of the others takes an
 * entry in most tables. With tables of 1024 entries 50 % of a row of 4096 are wrong guesses when it
 * comes first, then 22, 3 and 0 %. Of a row of 8192 they are 51, 41, 33, 24, 14, 4 and 1 %, and one
 * of 16384 is never learned. A Xeon of model 207 learns rows of 4096 in ten times, those of 8192 in
 * hundreds and those of 16384 in part; tables of a quarter of the `outcomes` that it learns soon do
 * about the same.
 *
 * What it costs: with b the newest branch, the sum over all branches is S' = S r + b, and that over
 * the last L of them is S - r^L S(L branches ago). So a branch is one product, and one for each
 * table that is asked. The longest tables are asked first, until two know the history: where a loop
 * has come often these are the first two. In a loop of more than `reach` turns all histories stay
 * the same, and so does what they find, until something is remembered.
 */
#include "layers/node/history.h"

#include "runtime/base/error.h"

#include <stdlib.h>
#include <string.h>

#define TABLES   16
#define SUMS     (2 * HTMT__HISTORY_MOST)
#define COUNTERS 4096u
#define SHORTEST 4u
#define SURE     3u /* most of a way */
#define SHARE    4u /* outcomes of a row for each entry of a table */
#define DOUBT    15 /* the most wrong answers of young histories that are counted */
#define ROLL     UINT64_C(0x9e3779b97f4a7c15)

/* Where a branch went, and how sure that is. */
struct way {
    uint32_t target;
    uint8_t sure;
};

struct entry {
    struct way way;
    uint32_t tag;
    uint8_t used; /* how often it knew better than shorter ones; 0: may go */
    bool given;
};

struct table {
    uint32_t length;
    uint64_t leaves; /* ROLL^length */
};

/* What knows a history: the longest one, and the next. */
struct found {
    struct entry *longest, *other;
    uint32_t from; /* the table behind the longest one */
};

struct htmt__history {
    uint32_t tables, at, entries; /* entries: of a table, a power of two */
    int32_t doubt;          /* above 0: young histories were wrong more often than shorter ones */
    uint64_t newest, alike; /* alike: as many branches before the newest one were the same */
    uint64_t asked;         /* `found` is of this place + 1; 0: of none */
    struct found found;
    uint64_t past[SUMS];        /* S behind each of the last branches, the newest one at `at` */
    struct way usual[COUNTERS]; /* by place */
    struct table table[TABLES];
    struct entry entry[]; /* of each table */
};

/* Lengths from SHORTEST on, each half as long again, and `reach` at last. */
static uint32_t lengths(uint32_t reach, uint32_t length[TABLES])
{
    uint32_t n = 0;
    for (uint32_t l = SHORTEST; l < reach && n + 1 < TABLES; l += l / 2)
        length[n++] = l;
    length[n++] = reach;
    return n;
}

static size_t bytes_of(uint32_t tables, uint32_t entries)
{
    return sizeof(struct htmt__history) + (size_t)tables * entries * sizeof(struct entry);
}

int htmt__history_new(struct htmt__history **history, uint32_t reach, uint32_t outcomes)
{
    uint32_t length[TABLES];
    const uint32_t tables = lengths(reach, length);
    struct htmt__history *h = calloc(1, bytes_of(tables, outcomes / SHARE));
    *history = h;
    if (!h)
        return HTMT_ENOMEM;
    h->tables = tables;
    h->entries = outcomes / SHARE;
    for (uint32_t i = 0; i < tables; i++) {
        h->table[i].length = length[i];
        h->table[i].leaves = 1;
        for (uint32_t k = 0; k < length[i]; k++)
            h->table[i].leaves *= ROLL;
    }
    return 0;
}

void htmt__history_free(struct htmt__history *h)
{
    free(h);
}

void htmt__history_clear(struct htmt__history *h)
{
    h->at = 0;
    h->doubt = 0;
    h->newest = h->alike = h->asked = 0;
    memset(h->past, 0, sizeof h->past);
    memset(h->usual, 0, sizeof h->usual);
    memset(h->entry, 0, (size_t)h->tables * h->entries * sizeof *h->entry);
}

void htmt__history_copy(struct htmt__history *to, const struct htmt__history *from)
{
    memcpy(to, from, bytes_of(to->tables, to->entries));
    to->asked = 0;
}

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

/* The way turns when what it was sure of has been wrong as often. */
static void learn(struct way *w, uint32_t target, uint8_t most)
{
    if (w->target == target)
        w->sure = (uint8_t)(w->sure + (w->sure < most));
    else if (w->sure)
        w->sure--;
    else
        w->target = target;
}

static struct entry *entry_of(struct htmt__history *h, uint32_t table, uint64_t key)
{
    return &h->entry[table * h->entries + (key & (h->entries - 1))];
}

/* `place`: mixed. */
static uint64_t key_of(const struct htmt__history *h, uint32_t table, uint64_t place)
{
    const struct table *t = &h->table[table];
    const uint64_t last = h->past[h->at % SUMS] - h->past[(h->at - t->length) % SUMS] * t->leaves;
    return mix(last ^ place);
}

/* All longer histories that have room are remembered: what comes again the same way is foreseen the
 * second time, as by a processor on which it came a thousand times. One without room loses a bit.
 */
static void remember(struct htmt__history *h, uint32_t from, uint64_t place, uint32_t target)
{
    for (uint32_t i = from; i < h->tables; i++) {
        const uint64_t key = key_of(h, i, place);
        struct entry *e = entry_of(h, i, key);
        if (e->used)
            e->used--;
        else
            *e = (struct entry){{target, 0}, .tag = (uint32_t)(key >> 32), .given = true};
    }
    h->asked = 0;
}

void htmt__history_jump(struct htmt__history *h, uint64_t place, uint32_t target)
{
    const uint64_t what = mix(place + 1) + mix(target + UINT64_C(1) + (UINT64_C(1) << 40));
    const uint64_t sum = h->past[h->at % SUMS] * ROLL + what;
    h->past[++h->at % SUMS] = sum;
    if (what == h->newest) {
        h->alike++;
    } else {
        h->newest = what;
        h->alike = h->asked = 0;
    }
}

static void count_doubt(struct htmt__history *h, bool young, bool shorter)
{
    if (shorter)
        h->doubt += h->doubt < DOUBT;
    else if (young)
        h->doubt -= h->doubt > -DOUBT;
}

/* `place`: mixed. */
static struct found find(struct htmt__history *h, uint64_t place)
{
    struct found f = {.longest = NULL};
    for (uint32_t i = h->tables; i-- > 0 && !f.other;) {
        const uint64_t key = key_of(h, i, place);
        struct entry *e = entry_of(h, i, key);
        if (!e->given || e->tag != (uint32_t)(key >> 32))
            continue;
        if (f.longest)
            f.other = e;
        else
            f = (struct found){.longest = e, .from = i + 1};
    }
    return f;
}

bool htmt__history_guess(struct htmt__history *h, uint64_t place, uint32_t target, bool taken)
{
    const uint64_t mixed = mix(place + 1);
    if (h->asked != place + 1) {
        h->found = find(h, mixed);
        h->asked = h->alike >= h->table[h->tables - 1].length ? place + 1 : 0;
    }
    struct entry *longest = h->found.longest, *other = h->found.other;
    struct way *usual = &h->usual[place % COUNTERS];
    const uint32_t shorter = other ? other->way.target : usual->target;
    const bool differs = longest && longest->way.target != shorter,
               young = differs && !longest->way.sure && !longest->used;
    const uint32_t guessed = differs && !(young && h->doubt > 0) ? longest->way.target : shorter;
    if (young)
        count_doubt(h, longest->way.target == target, shorter == target);
    if (differs)
        longest->used = longest->way.target == target ? SURE : (uint8_t)(longest->used / 2);
    if (longest)
        learn(&longest->way, target, SURE);
    else
        learn(usual, target, 1);
    if (guessed != target)
        remember(h, h->found.from, mixed, target);
    if (taken)
        htmt__history_jump(h, place, target);
    return guessed == target;
}
