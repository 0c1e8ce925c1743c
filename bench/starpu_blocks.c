/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Base line: the same products as StarPU tasks, ordered by their access to the packed blocks.
 * The submitting thread is one more beside the workers.
 */
#include "bench/blocks.h"
#include "bench/clock.h"

#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

struct graph {
    struct bench_blocks w;
    starpu_data_handle_t *a, *b, *c; /* side x side blocks */
    double **frame;                  /* one a worker */
    struct starpu_codelet pack, product, unpack;
};

struct place { /* the argument of a task */
    struct graph *graph;
    size_t i, j, k;
};

static void run_pack(void *buffers[], void *argument)
{
    (void)buffers;
    const struct place *p = argument;
    bench_pack(&p->graph->w, p->i, p->j);
}

static void run_product(void *buffers[], void *argument)
{
    (void)buffers;
    const struct place *p = argument;
    bench_product(&p->graph->w, p->graph->frame[starpu_worker_get_id()], p->i, p->j, p->k);
}

static void run_unpack(void *buffers[], void *argument)
{
    (void)buffers;
    const struct place *p = argument;
    bench_unpack(&p->graph->w, p->i, p->j);
}

static void codelets(struct graph *g)
{
    starpu_codelet_init(&g->pack);
    g->pack.cpu_funcs[0] = run_pack;
    g->pack.nbuffers = 2;
    g->pack.modes[0] = g->pack.modes[1] = STARPU_W;
    starpu_codelet_init(&g->product);
    g->product.cpu_funcs[0] = run_product;
    g->product.nbuffers = 3;
    g->product.modes[0] = g->product.modes[1] = STARPU_R;
    g->product.modes[2] = STARPU_RW;
    starpu_codelet_init(&g->unpack);
    g->unpack.cpu_funcs[0] = run_unpack;
    g->unpack.nbuffers = 1;
    g->unpack.modes[0] = STARPU_R;
}

static starpu_data_handle_t *registered(const struct bench_blocks *w, double *packed)
{
    size_t blocks = w->side * w->side, words = w->b * w->b;
    starpu_data_handle_t *handle = calloc(blocks, sizeof(starpu_data_handle_t));
    if (!handle)
        bench_fail("out of memory");
    for (size_t i = 0; i < blocks; i++)
        starpu_vector_data_register(&handle[i], STARPU_MAIN_RAM, (uintptr_t)(packed + i * words),
                                    (uint32_t)words, sizeof(double));
    return handle;
}

static void unregister(const struct bench_blocks *w, starpu_data_handle_t *handle)
{
    for (size_t i = 0; i < w->side * w->side; i++)
        starpu_data_unregister(handle[i]);
    free(handle);
}

static void create(struct graph *g, const struct bench_options *o)
{
    bench_blocks_create(&g->w, o);
    codelets(g);
    g->a = registered(&g->w, g->w.pa);
    g->b = registered(&g->w, g->w.pb);
    g->c = registered(&g->w, g->w.pc);
    g->frame = calloc(o->threads, sizeof *g->frame);
    if (!g->frame)
        bench_fail("out of memory");
    for (unsigned t = 0; t < o->threads; t++)
        g->frame[t] = bench_frame_create(&g->w);
}

static void destroy(struct graph *g, const struct bench_options *o)
{
    for (unsigned t = 0; t < o->threads; t++)
        free(g->frame[t]);
    free(g->frame);
    bench_blocks_destroy(&g->w);
}

static void submit(struct starpu_codelet *codelet, struct place place,
                   const starpu_data_handle_t *handle)
{
    struct starpu_task *task = starpu_task_create();
    struct place *argument = malloc(sizeof *argument);
    if (!task || !argument)
        bench_fail("out of memory");
    *argument = place;
    task->cl = codelet;
    task->cl_arg = argument;
    task->cl_arg_size = sizeof *argument;
    task->cl_arg_free = 1;
    for (int i = 0; i < codelet->nbuffers; i++)
        task->handles[i] = handle[i];
    if (starpu_task_submit(task) != 0)
        bench_fail("starpu_task_submit");
}

static void submit_block(struct graph *g, size_t i, size_t j)
{
    size_t side = g->w.side;
    starpu_data_handle_t c = g->c[i * side + j];
    for (size_t k = 0; k < side; k++)
        submit(&g->product, (struct place){g, i, j, k},
               (starpu_data_handle_t[]){g->a[i * side + k], g->b[k * side + j], c});
    submit(&g->unpack, (struct place){g, i, j, 0}, &c);
}

static double measure(struct graph *g)
{
    size_t side = g->w.side;
    double begin = bench_now();
    for (size_t at = 0; at < side * side; at++)
        submit(&g->pack, (struct place){g, at / side, at % side, 0},
               (starpu_data_handle_t[]){g->a[at], g->b[at]});
    for (size_t at = 0; at < side * side; at++)
        submit_block(g, at / side, at % side);
    if (starpu_task_wait_for_all() != 0)
        bench_fail("starpu_task_wait_for_all");
    return bench_now() - begin;
}

static void start(unsigned workers)
{
    struct starpu_conf conf;
    starpu_conf_init(&conf);
    conf.sched_policy_name = "lws";
    conf.ncpus = (int)workers;
    conf.ncuda = conf.nopencl = 0;
    if (starpu_init(&conf) != 0)
        bench_fail("starpu_init");
}

int main(int argc, char **argv)
{
    struct bench_options o = bench_options(argc, argv);
    struct graph g;
    char name[64];

    start(o.threads);
    bench_kernel_threads(1);
    create(&g, &o);
    double seconds = measure(&g);
    unregister(&g.w, g.a);
    unregister(&g.w, g.b);
    unregister(&g.w, g.c);
    starpu_shutdown();

    snprintf(name, sizeof name, "starpu_lws_%u", o.threads);
    bench_report(g.w.group, name, seconds, "s", bench_blocks_check(&g.w));
    destroy(&g, &o);
    return 0;
}
