/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every touch takes the next place; a line stands at the place of its last touch. The tree counts
 * the places that are taken. When the places run out, the lines move together in their order.
 */
#include "layers/node/distance.h"

#include "runtime/base/error.h"

#include <stdlib.h>
#include <string.h>

#define NOWHERE UINT64_MAX
#define LEAST   1024 /* places at first, a power of two */

struct seen {
    uint64_t line, place; /* NOWHERE: free */
};

struct htmt__distance {
    unsigned shift;           /* of an address, to its line */
    uint64_t next;            /* place of the next touch */
    uint64_t places;          /* a power of two */
    uint64_t *tree;           /* from 1: binary indexed */
    uint64_t *line;           /* at a place; NOWHERE: none */
    struct seen *seen;        /* open addressing, twice as many as places */
    uint64_t lines;           /* that are touched */
    uint64_t *count;          /* touches of each distance */
    uint64_t counts, touches, /* places of count */
        cold;
};

/* ---- the tree -------------------------------------------------------------------------------- */

static void tree_add(struct htmt__distance *d, uint64_t place, uint64_t by)
{
    for (uint64_t i = place + 1; i <= d->places; i += i & -i)
        d->tree[i] += by;
}

/* Lines at places up to this one. */
static uint64_t tree_sum(const struct htmt__distance *d, uint64_t place)
{
    uint64_t sum = 0;
    for (uint64_t i = place + 1; i; i -= i & -i)
        sum += d->tree[i];
    return sum;
}

/* The place of the line number `nth`, from 1. */
static uint64_t tree_find(const struct htmt__distance *d, uint64_t nth)
{
    uint64_t at = 0;
    for (uint64_t step = d->places; step; step /= 2)
        if (at + step <= d->places && d->tree[at + step] < nth) {
            at += step;
            nth -= d->tree[at];
        }
    return at;
}

/* ---- lines that were seen -------------------------------------------------------------------- */

static struct seen *find(const struct htmt__distance *d, uint64_t line)
{
    const uint64_t mask = 2 * d->places - 1;
    uint64_t i = (line * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & mask;
    while (d->seen[i].place != NOWHERE && d->seen[i].line != line)
        i = (i + 1) & mask;
    return &d->seen[i];
}

static void put(struct htmt__distance *d, uint64_t line, uint64_t place)
{
    *find(d, line) = (struct seen){line, place};
    d->line[place] = line;
    tree_add(d, place, 1);
}

static int make_places(struct htmt__distance *d, uint64_t places)
{
    uint64_t *tree = calloc(places + 1, sizeof *tree);
    uint64_t *line = malloc(places * sizeof *line);
    struct seen *seen = malloc(2 * places * sizeof *seen);
    if (!tree || !line || !seen) {
        free(tree);
        free(line);
        free(seen);
        return HTMT_ENOMEM;
    }
    memset(line, 0xff, places * sizeof *line);
    memset(seen, 0xff, 2 * places * sizeof *seen);
    d->tree = tree;
    d->line = line;
    d->seen = seen;
    d->places = places;
    d->next = d->lines = 0;
    return 0;
}

static void free_places(struct htmt__distance *d)
{
    free(d->tree);
    free(d->line);
    free(d->seen);
}

/* Lines move together, in their order. */
static int move_together(struct htmt__distance *d)
{
    struct htmt__distance old = *d;
    int rc = make_places(d, d->lines > d->places / 2 ? 2 * d->places : d->places);
    if (rc)
        return rc;
    for (uint64_t place = 0; place < old.places; place++)
        if (old.line[place] != NOWHERE)
            put(d, old.line[place], d->next++);
    d->lines = old.lines;
    free_places(&old);
    return 0;
}

/* ---- counts ---------------------------------------------------------------------------------- */

static int room_for(struct htmt__distance *d, uint64_t distance)
{
    uint64_t counts = d->counts ? d->counts : 64;
    while (counts <= distance)
        counts *= 2;
    if (counts == d->counts)
        return 0;
    uint64_t *count = realloc(d->count, counts * sizeof *count);
    if (!count)
        return HTMT_ENOMEM;
    memset(count + d->counts, 0, (counts - d->counts) * sizeof *count);
    d->count = count;
    d->counts = counts;
    return 0;
}

static int touch_again(struct htmt__distance *d, struct seen *seen, uint64_t *found)
{
    const uint64_t distance = d->lines - tree_sum(d, seen->place);
    const int rc = room_for(d, distance);
    if (rc)
        return rc;
    d->count[distance]++;
    tree_add(d, seen->place, UINT64_MAX);
    d->line[seen->place] = NOWHERE;
    *found = distance;
    return 0;
}

int htmt__distance_touch(struct htmt__distance *d, uint64_t address, uint64_t *found)
{
    const uint64_t line = address >> d->shift;
    int rc = d->next == d->places ? move_together(d) : 0;
    struct seen *seen = rc ? NULL : find(d, line);
    if (!rc && seen->place != NOWHERE)
        rc = touch_again(d, seen, found);
    else if (!rc) {
        d->cold++;
        d->lines++;
        *found = HTMT__DISTANCE_COLD;
    }
    if (rc)
        return rc;
    d->touches++;
    put(d, line, d->next++);
    return 0;
}

static int play(struct htmt__distance *d, uint64_t entry)
{
    const uint64_t first = htmt__tape_address(entry), width = htmt__tape_width(entry);
    const uint64_t last = first + (width ? width - 1 : 0);
    uint64_t found;
    int rc = 0;
    for (uint64_t line = first >> d->shift; line <= last >> d->shift && !rc; line++)
        rc = htmt__distance_touch(d, line << d->shift, &found);
    return rc;
}

int htmt__distance_play(void *user, const uint64_t *entries, size_t n)
{
    struct htmt__distance *d = user;
    int rc = 0;
    for (size_t i = 0; i < n && !rc; i++) {
        const enum htmt__tape_kind kind = htmt__tape_kind(entries[i]);
        if (kind == HTMT__TAPE_LOAD || kind == HTMT__TAPE_STORE)
            rc = play(d, entries[i]);
        else if (kind == HTMT__TAPE_END)
            htmt__distance_start(d);
    }
    return rc;
}

/* ---- life, answers --------------------------------------------------------------------------- */

int htmt__distance_new(struct htmt__distance **distance, uint64_t line)
{
    if (!line || line & (line - 1))
        return HTMT_EINVAL;
    struct htmt__distance *d = calloc(1, sizeof *d);
    if (!d)
        return HTMT_ENOMEM;
    d->shift = (unsigned)__builtin_ctzll(line);
    const int rc = make_places(d, LEAST);
    if (rc)
        free(d);
    else
        *distance = d;
    return rc;
}

void htmt__distance_free(struct htmt__distance *d)
{
    if (!d)
        return;
    free_places(d);
    free(d->count);
    free(d);
}

void htmt__distance_start(struct htmt__distance *d)
{
    memset(d->tree, 0, (d->places + 1) * sizeof *d->tree);
    memset(d->line, 0xff, d->places * sizeof *d->line);
    memset(d->seen, 0xff, 2 * d->places * sizeof *d->seen);
    d->next = d->lines = 0;
}

uint64_t htmt__distance_lines(const struct htmt__distance *d)
{
    return d->lines;
}

bool htmt__distance_has(const struct htmt__distance *d, uint64_t address)
{
    return find(d, address >> d->shift)->place != NOWHERE;
}

uint64_t htmt__distance_at(const struct htmt__distance *d, uint64_t depth)
{
    return d->line[tree_find(d, d->lines - depth)] << d->shift;
}

uint64_t htmt__distance_touches(const struct htmt__distance *d)
{
    return d->touches;
}

uint64_t htmt__distance_misses(const struct htmt__distance *d, uint64_t lines)
{
    uint64_t misses = d->cold;
    for (uint64_t i = lines; i < d->counts; i++)
        misses += d->count[i];
    return misses;
}
