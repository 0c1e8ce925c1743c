/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The hold model (pop the next event, push it again later) on the pending event set and on a plain
 * binary heap, in turns. Prints nanoseconds a hold, the best of three; ends with status 1 when the
 * two pop different events. Optional argument: the most events pending.
 */
#include "runtime/sim/pending.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define US     1e9
#define DELAYS 65536
#define ROUNDS 3

/* ---- the plain heap ---- */

struct heap {
    struct htmt__event *at;
    size_t count;
};

static void heap_push(struct heap *h, struct htmt__event e)
{
    size_t i = h->count++;
    for (; i && htmt__event_before(e, h->at[(i - 1) / 2]); i = (i - 1) / 2)
        h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = e;
}

static struct htmt__event heap_pop(struct heap *h)
{
    struct htmt__event first = h->at[0], e = h->at[--h->count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < h->count; i = child) {
        if (child + 1 < h->count && htmt__event_before(h->at[child + 1], h->at[child]))
            child++;
        if (!htmt__event_before(h->at[child], e))
            break;
        h->at[i] = h->at[child];
    }
    h->at[i] = e;
    return first;
}

/* ---- delays, drawn beforehand ---- */

static double unit(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) * 0x1p-53;
}

static double exponential(uint64_t *r)
{
    return -10 * US * log(1 - unit(r));
}

static double uniform(uint64_t *r)
{
    return 20 * US * unit(r);
}

static double constant(uint64_t *r)
{
    (void)r;
    return 10 * US;
}

static double bimodal(uint64_t *r)
{
    return unit(r) < 0.5 ? 10 * US * (0.9 + 0.2 * unit(r)) : 1e4 * US * (0.9 + 0.2 * unit(r));
}

static double often_zero(uint64_t *r)
{
    return unit(r) < 0.3 ? 0 : exponential(r);
}

struct kind {
    const char *name;
    double (*delay)(uint64_t *random);
    bool lockstep; /* all start at the same time */
};

static const struct kind kinds[] = {
    {"exponential", exponential, false}, {"uniform", uniform, false},
    {"constant", constant, false},       {"lockstep", constant, true},
    {"bimodal", bimodal, false},         {"often zero", often_zero, false},
};

static void draw_delays(const struct kind *kind, htmt_time *delay)
{
    uint64_t random = 88172645463325252u;
    for (size_t i = 0; i < DELAYS; i++)
        delay[i] = (htmt_time)kind->delay(&random);
}

/* ---- the measurement ---- */

struct result {
    double ns;
    uint64_t sum; /* of what was popped, order included */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static uint64_t digest(uint64_t sum, struct htmt__event e)
{
    return (sum ^ (uint64_t)e.time ^ e.key) * UINT64_C(0x9e3779b97f4a7c15);
}

static struct htmt__event first_event(const struct kind *kind, const htmt_time *delay, size_t i)
{
    return (struct htmt__event){.time = kind->lockstep ? 0 : delay[(i * 7) % DELAYS], .key = i};
}

static struct result hold_heap(const struct kind *kind, const htmt_time *delay, size_t pending,
                               size_t holds)
{
    struct heap h = {malloc((pending + 1) * sizeof *h.at), 0};
    struct result r = {0, 0};
    if (!h.at)
        exit(4);
    for (size_t i = 0; i < pending; i++)
        heap_push(&h, first_event(kind, delay, i));
    double start = 0;
    for (size_t i = 0; i < 2 * holds; i++) {
        start = i == holds ? now() : start;
        struct htmt__event e = heap_pop(&h);
        r.sum = digest(r.sum, e);
        e.time += delay[i % DELAYS];
        heap_push(&h, e);
    }
    r.ns = (now() - start) / (double)holds;
    free(h.at);
    return r;
}

static struct result hold_set(const struct kind *kind, const htmt_time *delay, size_t pending,
                              size_t holds)
{
    struct htmt__pending p;
    struct result r = {0, 0};
    htmt__pending_init(&p);
    for (size_t i = 0; i < pending; i++)
        if (htmt__pending_push(&p, first_event(kind, delay, i)))
            exit(4);
    double start = 0;
    for (size_t i = 0; i < 2 * holds; i++) {
        struct htmt__event e = {.time = 0};
        start = i == holds ? now() : start;
        htmt__pending_pop(&p, &e);
        r.sum = digest(r.sum, e);
        e.time += delay[i % DELAYS];
        if (htmt__pending_push(&p, e))
            exit(4);
    }
    r.ns = (now() - start) / (double)holds;
    htmt__pending_fini(&p);
    return r;
}

static bool compare(const struct kind *kind, const htmt_time *delay, size_t pending)
{
    size_t holds = pending * 3 > 300000 ? pending * 3 : 300000;
    double heap = INFINITY, set = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        struct result a = hold_heap(kind, delay, pending, holds);
        struct result b = hold_set(kind, delay, pending, holds);
        if (a.sum != b.sum)
            return false;
        heap = fmin(heap, a.ns);
        set = fmin(set, b.ns);
    }
    printf("%-12s %8zu pending: heap %6.1f ns, set %6.1f ns\n", kind->name, pending, heap, set);
    return true;
}

int main(int count, char **argument)
{
    static const size_t sizes[] = {10, 100, 300, 1000, 4000, 30000, 262144, 1000000};
    static htmt_time delay[DELAYS];
    size_t most = count > 1 ? strtoul(argument[1], NULL, 10) : 1000000;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        draw_delays(&kinds[k], delay);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes && sizes[s] <= most; s++)
            if (!compare(&kinds[k], delay, sizes[s])) {
                fprintf(stderr, "%s, %zu: other order than the heap's\n", kinds[k].name, sizes[s]);
                return 1;
            }
    }
    return 0;
}
