/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The distance of a reference is the number of different words since the last one to its word,
 * itself included: a tree of counts holds a one at the last touch of each word. Where a word is
 * dirty since, its largest distance meanwhile is how small a memory must be to write it back.
 */
#include "tests/nest/lru.h"

#include <stdlib.h>
#include <string.h>

struct word {
    uint64_t touched; /* when; 0: never */
    size_t dirty;     /* largest distance since the last write; SIZE_MAX: not written yet */
};

struct walk {
    const struct htmt__nest_plan *plan;
    struct lru *lru;
    uint64_t now, times;
    uint32_t *tree;
    struct word *word;
    int64_t low[HTMT__NEST_DEPTH], size[HTMT__NEST_DEPTH]; /* of the words of a stream */
    size_t box;
    unsigned *order;
    int64_t at[HTMT__NEST_DEPTH];
};

static void mark(struct walk *w, uint64_t time, int by)
{
    for (; time <= w->times; time += time & -time)
        w->tree[time] = (uint32_t)((int)w->tree[time] + by);
}

static size_t marked(const struct walk *w, uint64_t time)
{
    size_t sum = 0;
    for (; time; time -= time & -time)
        sum += w->tree[time];
    return sum;
}

/* The word of a point: streams that differ have words of their own. */
static size_t word_of(const struct walk *w, const struct htmt__nest_point *point, unsigned stream)
{
    size_t index = stream;
    for (unsigned l = 0; l < w->plan->depth; l++) {
        int64_t at = point->used & 1U << l ? w->at[l] + point->offset.at[l] - w->low[l] : 0;
        index = index * (size_t)w->size[l] + (size_t)at;
    }
    return index;
}

static void touch(struct walk *w, size_t index, unsigned how)
{
    struct word *word = &w->word[index];
    size_t distance = SIZE_MAX;
    w->now++;
    if (word->touched) {
        distance = marked(w, w->now) - marked(w, word->touched - 1);
        mark(w, word->touched, -1);
    }
    mark(w, w->now, 1);
    word->touched = w->now;
    size_t beyond = distance == SIZE_MAX ? w->lru->most : distance;
    w->lru->reads[beyond - (beyond > 0)]++;
    if (word->dirty != SIZE_MAX && distance > word->dirty)
        word->dirty = distance;
    if (!(how & HTMT__NEST_WRITES))
        return;
    size_t back = word->dirty == SIZE_MAX ? w->lru->most : word->dirty;
    w->lru->writes[back - (back > 0)]++;
    word->dirty = 0;
}

/* Points are sorted by stream; the body runs in their first order. */
static unsigned stream_of(const struct htmt__nest_plan *plan, const struct htmt__nest_point *point)
{
    for (unsigned s = 0; s < plan->streams; s++)
        if (plan->stream[s].array == point->array && plan->stream[s].component == point->component)
            return s;
    abort();
}

static void iterate(struct walk *w, unsigned l, const unsigned *stream)
{
    if (l == w->plan->depth) {
        for (size_t i = 0; i < w->plan->points; i++) {
            const struct htmt__nest_point *point = &w->plan->point[w->order[i]];
            touch(w, word_of(w, point, stream[w->order[i]]), point->offset.touch);
        }
        return;
    }
    for (w->at[l] = 0; w->at[l] < w->plan->extent[l]; w->at[l]++)
        iterate(w, l + 1, stream);
}

static void measure(struct walk *w)
{
    for (unsigned l = 0; l < w->plan->depth; l++) {
        int64_t low = 0, high = 0;
        for (size_t i = 0; i < w->plan->points; i++) {
            int64_t at = w->plan->point[i].offset.at[l];
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
        w->low[l] = low;
        w->size[l] = high - low + w->plan->extent[l];
        w->box *= (size_t)w->size[l];
    }
}

static void sort_order(struct walk *w)
{
    for (unsigned i = 0; i < w->plan->points; i++) {
        unsigned at = i;
        for (; at && w->plan->point[w->order[at - 1]].order > w->plan->point[i].order; at--)
            w->order[at] = w->order[at - 1];
        w->order[at] = i;
    }
}

void lru_walk(const struct htmt__nest_plan *plan, struct lru *lru)
{
    struct walk w = {.plan = plan, .lru = lru, .box = plan->streams};
    unsigned *stream = calloc(plan->points, sizeof *stream);
    measure(&w);
    w.times = (uint64_t)plan->count * plan->points;
    w.tree = calloc(w.times + 1, sizeof *w.tree);
    w.word = malloc(w.box * sizeof *w.word);
    w.order = calloc(plan->points, sizeof *w.order);
    for (size_t i = 0; i < w.box; i++)
        w.word[i] = (struct word){0, SIZE_MAX};
    for (size_t i = 0; i < plan->points; i++)
        stream[i] = stream_of(plan, &plan->point[i]);
    sort_order(&w);
    lru->most = w.box + 1;
    lru->reads = calloc(lru->most + 1, sizeof *lru->reads);
    lru->writes = calloc(lru->most + 1, sizeof *lru->writes);
    iterate(&w, 0, stream);
    /* a memory of c words misses what is further than c away */
    for (size_t c = lru->most; c-- > 0;) {
        lru->reads[c] += lru->reads[c + 1];
        lru->writes[c] += lru->writes[c + 1];
    }
    free(w.tree);
    free(w.word);
    free(w.order);
    free(stream);
}

void lru_clear(struct lru *lru)
{
    free(lru->reads);
    free(lru->writes);
}
