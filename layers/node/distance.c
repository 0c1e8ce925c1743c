/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stack distances in O(log n).
 *
 * Think of the lines as a stack, the last touched on top. The distance of a touch is the depth at
 * which its line stands; then the line moves to the top. A list would take O(depth) for that.
 * Instead every touch takes the next place of a row, and a line stands at the place of its last
 * touch: places to the right of it hold exactly the lines that were touched since. A tree over the
 * places (Fenwick, 1994: entry i has the sum of the i & -i places that end there) counts those
 * taken up to a place, so that
 *
 *     distance = lines - taken up to the line's place,
 *
 * and finding the line at a depth is a descent of the same tree. By hand, touches A B C A: places
 * 0 1 2, then A again: 3 lines less the 1 taken up to place 0 is distance 2 (B and C); A moves to
 * place 3. When the places run out, the lines move together in their order, into twice as many
 * places if more than half of them are taken: O(1) for each touch on average.
 */
#include "layers/node/distance.h"

#include "runtime/base/array.h"
#include "runtime/base/error.h"

#include <stdlib.h>
#include <string.h>

#define NOWHERE UINT64_MAX
#define LEAST   1024 /* places at first, a power of two */

struct seen {
    uint64_t line, place; /* NOWHERE: free */
};

struct htmt__distance {
    unsigned shift;    /* of an address, to its line */
    uint64_t next;     /* place of the next touch */
    uint64_t places;   /* a power of two */
    uint64_t *tree;    /* from 1: binary indexed */
    uint64_t *line;    /* at a place; NOWHERE: none */
    struct seen *seen; /* open addressing, twice as many as places */
    uint64_t lines;    /* that are touched */
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

/* ---- touches ----------------------------------------------------------------------------------
 */

int htmt__distance_touch(struct htmt__distance *d, uint64_t address, uint64_t *found)
{
    const uint64_t line = address >> d->shift;
    const int rc = d->next == d->places ? move_together(d) : 0;
    if (rc)
        return rc;
    const struct seen *seen = find(d, line);
    if (seen->place == NOWHERE) {
        d->lines++;
        *found = HTMT__DISTANCE_COLD;
    } else {
        *found = d->lines - tree_sum(d, seen->place);
        tree_add(d, seen->place, UINT64_MAX);
        d->line[seen->place] = NOWHERE;
    }
    put(d, line, d->next++);
    return 0;
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
    uint64_t nth = d->lines - depth, at = 0; /* the place of the line number `nth`, from 1 */
    for (uint64_t step = d->places; step; step /= 2)
        if (at + step <= d->places && d->tree[at + step] < nth) {
            at += step;
            nth -= d->tree[at];
        }
    return d->line[at] << d->shift;
}
