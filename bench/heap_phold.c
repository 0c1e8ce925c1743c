/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The load of bench/phold.h on a bare binary heap.
 */
#include "bench/phold.h"

#include <stdlib.h>

struct coming {
    int64_t time;
    uint32_t place;
};

struct heap {
    struct coming *at;
    size_t count;
};

static void push(struct heap *h, struct coming c)
{
    size_t i = h->count++;
    for (; i && c.time < h->at[(i - 1) / 2].time; i = (i - 1) / 2)
        h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = c;
}

static struct coming pop(struct heap *h)
{
    struct coming first = h->at[0], c = h->at[--h->count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < h->count; i = child) {
        if (child + 1 < h->count && h->at[child + 1].time < h->at[child].time)
            child++;
        if (h->at[child].time >= c.time)
            break;
        h->at[i] = h->at[child];
    }
    h->at[i] = c;
    return first;
}

static void hold(struct heap *h, const struct bench_phold *l, struct bench_place *p,
                 struct coming c)
{
    struct bench_hold d = bench_phold_draw(&p[c.place], c.place, l->places);
    int64_t across = d.to == c.place ? 0 : BENCH_PHOLD_ACROSS;
    push(h, (struct coming){c.time + d.delay + across, d.to});
}

static void measure(const struct bench_phold *l)
{
    size_t pending = (size_t)l->places * l->each;
    struct heap h = {malloc(pending * sizeof *h.at), 0};
    struct bench_place *p = malloc(l->places * sizeof *p);
    struct coming c = {0, 0};
    if (!h.at || !p)
        bench_fail("out of memory");
    bench_phold_begin(p, l->places);
    double begin = bench_now();
    for (size_t i = 0; i < pending; i++)
        hold(&h, l, p, (struct coming){0, (uint32_t)(i / l->each)});
    while ((c = pop(&h)).time < l->end)
        hold(&h, l, p, c);
    bench_phold_report(l, "heap_1", p, bench_now() - begin);
    free(h.at);
    free(p);
}

int main(void)
{
    for (size_t i = 0; i < BENCH_PHOLDS; i++)
        measure(&bench_phold[i]);
    return 0;
}
