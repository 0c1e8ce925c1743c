/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the emulator adds to a kernel: parcels of one type, through all eight stages, against the
 * same kernels with one assembly copy each in a plain loop. Each parcel gathers two blocks,
 * multiplies them and scatters the product.
 *
 * In turns: plain loop; emulator with 1 thread; the plain loop on two threads; the emulator on two.
 */
#include "bench/blocks.h"
#include "bench/clock.h"
#include "parcels/htmt.h"

#include <cblas.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLICES 16u
#define TURNS  3

struct problem {
    int n;         /* block */
    unsigned pool; /* different pairs of blocks a slice */
    unsigned count;
    double *pairs; /* SLICES * pool pairs of blocks */
    double *products;
};

static size_t block_bytes(const struct problem *p)
{
    return (size_t)p->n * (size_t)p->n * sizeof(double);
}

static void multiply(int n, const double *pair, double *c)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, pair, n,
                pair + (size_t)n * (size_t)n, n, 0.0, c, n);
}

static double *product_of(const struct problem *p, unsigned i)
{
    return p->products + (size_t)(i % (SLICES * p->pool)) * (size_t)p->n * (size_t)p->n;
}

static const double *pair_of(const struct problem *p, unsigned i)
{
    return p->pairs + (size_t)(i % (SLICES * p->pool)) * 2 * (size_t)p->n * (size_t)p->n;
}

/* ---- plain loop ------------------------------------------------------------------------------ */

struct share {
    const struct problem *p;
    unsigned first, step;
};

static void *plain_share(void *arg)
{
    const struct share *s = arg;
    double *room = aligned_alloc(64, 2 * block_bytes(s->p) + 64);
    if (!room)
        bench_fail("no memory");
    for (unsigned i = s->first; i < s->p->count; i += s->step) {
        memcpy(room, pair_of(s->p, i), 2 * block_bytes(s->p));
        multiply(s->p->n, room, product_of(s->p, i));
    }
    free(room);
    return NULL;
}

static double plain(const struct problem *p, unsigned threads)
{
    struct share a = {p, 0, threads}, b = {p, 1, threads};
    pthread_t other;
    double begin = bench_now();
    if (threads > 1 && pthread_create(&other, NULL, plain_share, &b))
        bench_fail("no thread");
    plain_share(&a);
    if (threads > 1)
        pthread_join(other, NULL);
    return bench_now() - begin;
}

/* ---- parcels --------------------------------------------------------------------------------- */

struct world {
    struct problem *p;
    struct htmt_type *type;
    struct htmt_object *pairs[SLICES], *products[SLICES];
};

struct args {
    const struct world *w;
    unsigned next, last; /* index in the slice, and its end */
};

static void kernel(struct htmt_kernel *k)
{
    const struct args *a = htmt_kernel_args(k);
    multiply(a->w->p->n, htmt_bytes(k, 0), htmt_bytes(k, 1));
}

static void flops(const void *args, const void *user, struct htmt_ops *ops)
{
    const uint64_t n = (uint64_t)((const struct args *)args)->w->p->n;
    (void)user;
    ops->n[HTMT_FLOP] = 2 * n * n * n;
}

static void little(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args;
    (void)user;
    ops->n[HTMT_CYCLE] = 100;
}

static void start(struct htmt_context *c, uint32_t slice, struct args a)
{
    const struct world *w = a.w;
    const size_t b = block_bytes(w->p), at = a.next % w->p->pool;
    struct htmt_region r[2] = {
        {.from = htmt_in(w->pairs[slice], 2 * b * at), .bytes = 2 * b},
        {.to = htmt_in(w->products[slice], b * at), .bytes = b, .filled = true},
    };
    struct htmt_parcel_desc d = {
        .type = w->type, .slice = slice, .regions = r, .region_count = 2, .args = &a};
    if (htmt_assemble(c, &d, NULL))
        bench_fail("a parcel was refused");
}

static void again(struct htmt_context *c)
{
    struct args a = *(struct args *)htmt_args(c);
    a.next += 2; /* two parcels a slice are in flight */
    if (a.next < a.last)
        start(c, htmt_slice(c), a);
}

static double emulate(const struct htmt_machine *m, struct problem *p, unsigned threads)
{
    struct htmt_options o = {.machine = m, .slices = SLICES, .threads = threads};
    struct htmt_emulator *e = NULL;
    struct world w = {.p = p};
    struct htmt_type_desc d = {.name = "product",
                               .home = "dram",
                               .exec = "cram",
                               .assemble = {.cost = little},
                               .dispatch = {.cost = little},
                               .execute = {.kernel = kernel, .cost = flops},
                               .retire = {.cost = little, .control = again},
                               .args_bytes = sizeof(struct args)};
    if (htmt_emulator_create(&e, &o, NULL) || htmt_type_create(e, &d, &w.type))
        bench_fail("no emulator");
    const uint32_t dram = (uint32_t)htmt_emulator_layer(e, "dram");
    const size_t b = block_bytes(p);
    for (uint32_t s = 0; s < SLICES; s++) {
        char *pairs = (char *)p->pairs + s * p->pool * 2 * b,
             *out = (char *)p->products + s * p->pool * b;
        if (htmt_object_wrap(e, s, dram, pairs, p->pool * 2 * b, p->pool * b / 4, "pairs",
                             &w.pairs[s]) ||
            htmt_object_wrap(e, s, dram, out, p->pool * b, p->pool * b / 8, "products",
                             &w.products[s]))
            bench_fail(htmt_emulator_fault(e)->text);
        for (unsigned i = 0; i < 2; i++)
            start(htmt_root(e), s, (struct args){&w, i, p->count / SLICES});
    }
    double begin = bench_now();
    int rc = htmt_emulator_run(e);
    double took = bench_now() - begin;
    if (rc || htmt_parcel_count(e) != p->count)
        bench_fail(htmt_emulator_fault(e)->text);
    htmt_emulator_destroy(&e);
    return took;
}

/* ---- measuring ------------------------------------------------------------------------------ */

static void fill(struct problem *p, int n, unsigned pool, unsigned count)
{
    const size_t elements = SLICES * pool * (size_t)n * (size_t)n;
    *p = (struct problem){.n = n, .pool = pool, .count = count};
    p->pairs = aligned_alloc(64, 2 * elements * sizeof(double));
    p->products = aligned_alloc(64, elements * sizeof(double));
    if (!p->pairs || !p->products)
        bench_fail("no memory");
    for (size_t i = 0; i < 2 * elements; i++)
        p->pairs[i] = (double)((i * 7919) % 17) - 8.0;
}

/* Of integers, exact in any order of sums. */
static uint64_t digest(const struct problem *p)
{
    const size_t n = SLICES * p->pool * (size_t)p->n * (size_t)p->n;
    uint64_t hash = p->count;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (uint64_t)(int64_t)p->products[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return hash;
}

static void measure(const struct htmt_machine *m, struct problem *p, bool parcels, unsigned threads)
{
    char group[32], name[32];
    memset(p->products, 0, SLICES * p->pool * block_bytes(p));
    double seconds = parcels ? emulate(m, p, threads) : plain(p, threads);
    snprintf(group, sizeof group, "grain-%d", p->n);
    snprintf(name, sizeof name, "%s_%u", parcels ? "emulator" : "plain", threads);
    bench_report(group, name, seconds / p->count * 1e9, "ns", digest(p));
}

static void turn(const struct htmt_machine *m, struct problem *p)
{
    for (unsigned threads = 1; threads <= 2; threads++) {
        measure(m, p, false, threads);
        measure(m, p, true, threads);
    }
}

int main(void)
{
    static const struct {
        int n;
        unsigned pool, count;
    } cases[] = {{32, 32, 65536}, {48, 32, 32768}, {56, 32, 24576},
                 {64, 32, 16384}, {80, 32, 8192},  {256, 4, 512}};
    static const char *const room = "layers.cram.memory.capacity=16 MiB";
    struct htmt_machine *m = bench_machine(&room, 1);
    bench_kernel_threads(1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct problem p;
        fill(&p, cases[i].n, cases[i].pool, cases[i].count);
        plain(&p, 1); /* touches all pages */
        for (int t = 0; t < TURNS; t++)
            turn(m, &p);
        free(p.pairs);
        free(p.products);
    }
    htmt_machine_destroy(&m);
    return 0;
}
