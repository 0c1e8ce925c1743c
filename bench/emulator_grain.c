/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the emulator adds to a kernel: parcels of one type, through all eight stages, against the
 * same kernels with one assembly copy each in a plain loop. Each parcel gathers two blocks,
 * multiplies them and scatters the product.
 *
 * In turn, REPEAT times: plain loop; emulator with 1 thread; with 2; the plain loop on both cores
 * at once. Prints medians of ratios within a turn. Asserts equal products.
 *
 *   emulator_grain [repeat]
 */
#include "bench/clock.h"
#include "parcels/htmt.h"

#include <cblas.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLICES 16u
#define POOL   64u /* different pairs of blocks a slice */

extern char *openblas_get_corename(void);
extern void openblas_set_num_threads(int threads);

struct problem {
    int n; /* block */
    unsigned count;
    double *pairs; /* SLICES * POOL pairs of blocks */
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
    return p->products + (size_t)(i % (SLICES * POOL)) * (size_t)p->n * (size_t)p->n;
}

static const double *pair_of(const struct problem *p, unsigned i)
{
    return p->pairs + (size_t)(i % (SLICES * POOL)) * 2 * (size_t)p->n * (size_t)p->n;
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
    const size_t b = block_bytes(w->p), at = a.next % POOL;
    struct htmt_region r[2] = {
        {.from = htmt_in(w->pairs[slice], 2 * b * at), .bytes = 2 * b},
        {.to = htmt_in(w->products[slice], b * at), .bytes = b},
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
    if (htmt_emulator_create(&e, &o) || htmt_type_create(e, &d, &w.type))
        bench_fail("no emulator");
    const uint32_t dram = (uint32_t)htmt_emulator_layer(e, "dram");
    const size_t b = block_bytes(p);
    for (uint32_t s = 0; s < SLICES; s++) {
        char *pairs = (char *)p->pairs + s * POOL * 2 * b,
             *out = (char *)p->products + s * POOL * b;
        if (htmt_object_wrap(e, s, dram, pairs, POOL * 2 * b, POOL * b / 4, "pairs", &w.pairs[s]) ||
            htmt_object_wrap(e, s, dram, out, POOL * b, POOL * b / 8, "products", &w.products[s]))
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

/* ---- measuring ------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, ascending);
    return v[n / 2];
}

static double checksum(const struct problem *p)
{
    double sum = 0;
    const size_t n = SLICES * POOL * (size_t)p->n * (size_t)p->n;
    for (size_t i = 0; i < n; i++)
        sum += p->products[i];
    return sum;
}

static void fill(struct problem *p, int n, unsigned count)
{
    const size_t elements = SLICES * POOL * (size_t)n * (size_t)n;
    *p = (struct problem){.n = n, .count = count};
    p->pairs = aligned_alloc(64, 2 * elements * sizeof(double));
    p->products = aligned_alloc(64, elements * sizeof(double));
    if (!p->pairs || !p->products)
        bench_fail("no memory");
    for (size_t i = 0; i < 2 * elements; i++)
        p->pairs[i] = (double)((i * 7919) % 17) - 8.0;
    memset(p->products, 0, elements * sizeof(double));
}

static void measure(const struct htmt_machine *m, int n, unsigned count, int repeat)
{
    enum { CASES = 3, MOST = 100 };
    double ratio[CASES][MOST], each[MOST];
    struct problem p;
    fill(&p, n, count);
    plain(&p, 1);
    const double expected = checksum(&p);
    for (int r = 0; r < repeat && r < MOST; r++) {
        double base = plain(&p, 1);
        each[r] = base / count * 1e6;
        memset(p.products, 0, SLICES * POOL * block_bytes(&p));
        ratio[0][r] = emulate(m, &p, 1) / base;
        ratio[1][r] = emulate(m, &p, 2) / base;
        if (checksum(&p) != expected)
            bench_fail("the parcels' products differ from the plain loop's");
        ratio[2][r] = plain(&p, 2) / base;
    }
    printf("%6d %12.2f %12.3f %12.3f %12.3f\n", n, median(each, repeat), median(ratio[0], repeat),
           median(ratio[1], repeat), median(ratio[2], repeat));
    free(p.pairs);
    free(p.products);
}

int main(int argc, char **argv)
{
    static const struct {
        int n;
        unsigned count;
    } cases[] = {{32, 64000}, {48, 32000}, {64, 32000}, {80, 16000}, {256, 512}};
    static const char *const room = "layers.cram.memory.capacity=16 MiB";
    int repeat = argc > 1 ? atoi(argv[1]) : 7;
    struct htmt_fault fault = {0};
    struct htmt_machine *m = NULL;
    openblas_set_num_threads(1);
    if (htmt_machine_load("htmt-oct98", &room, 1, &m, &fault))
        bench_fail(fault.text);
    printf("dgemm kernels of OpenBLAS, set %s; median of %d turns\n", openblas_get_corename(),
           repeat);
    printf("%6s %12s %12s %12s %12s\n", "block", "plain us", "emulator 1", "emulator 2", "plain 2");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        measure(m, cases[i].n, cases[i].count, repeat);
    htmt_machine_destroy(&m);
    return 0;
}
