/* Heat in a plate whose left edge is hot, by Jacobi's method. */
#include <htmt.h>

enum { N = 256, ROW = 8 * N, BAND = 4, SWEEPS = 100 }; /* points, bytes of a row, rows, times */

struct work {
    double plate[N * N], serial[2][(N + 2) * N]; /* serial: between rows of zeros */
    struct htmt_sweeps sweeps;
};

static void relax(const double *from, double *to, uint64_t points) /* from begins a row earlier */
{
    for (uint64_t i = 0; i < points; i++)
        if (i % N == 0 || i % N == N - 1)
            to[i] = from[i + N];
        else
            to[i] = (from[i] + from[i + N - 1] + from[i + N + 1] + from[i + 2 * N]) / 4;
}
static void band(struct htmt_kernel *k)
{
    relax(htmt_bytes(k, 0), htmt_bytes(k, 1), htmt_size(k, 1) / 8);
}
static void cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args, (void)user;
    ops->n[HTMT_FLOP] = 4 * BAND * N;
}
static int create(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    struct work *w = work;
    struct htmt_type *type = NULL;
    struct htmt_type_desc d = {.name = "band", .home = "dram", .exec = "cram"};
    (void)task;
    for (int i = 0; i < N; i++)
        w->plate[i * N] = w->serial[0][(i + 1) * N] = 100;
    d.execute = (struct htmt_stage){.kernel = band, .cost = cost};
    int rc = htmt_type_create(e, &d, &type);
    w->sweeps = (struct htmt_sweeps){0, type, ROW, .rows = N, .halo = 1, BAND, SWEEPS};
    rc = rc ? rc : htmt_sweeps_create(e, &w->sweeps);
    return rc ? rc : htmt_sweeps_load(&w->sweeps, w->plate);
}
static int check(struct htmt_task *task, void *work)
{
    struct work *w = work;
    for (int i = 0; i < SWEEPS; i++)
        relax(w->serial[i % 2], w->serial[(i + 1) % 2] + N, N * N);
    int rc = htmt_sweeps_gather(&w->sweeps, w->plate);
    htmt_task_compare(task, w->plate, w->serial[SWEEPS % 2] + N, N * N, 0);
    return rc ? rc : htmt_pgm_write("heat.pgm", w->plate, N, N, htmt_task_fault(task));
}

const struct htmt_app htmt_app = {HTMT_APP_BEGIN,
                                  .name = "heat",
                                  .summary = "heat in a plate",
                                  .ranks = true,
                                  .work_bytes = sizeof(struct work),
                                  .create = create,
                                  .check = check};
