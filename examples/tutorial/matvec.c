/* y = A x, ported from Threaded-C: x and y lie in slice 0, every slice has rows of A. */
#include <htmt.h>

enum { N = 256, SLICES = 4, ROWS = N / SLICES, BAND = 4, ROW = 8 * N };
enum { START, HERE, DONE, SENT, FIBERS };

struct work {
    double a[N * N], x[SLICES * N], y[SLICES * N], right[N];
    struct htmt_frame *fa, *fx, *fy;
    const struct htmt_type *rows;
};

/* ---- the loop nest */
static void multiply(struct htmt_kernel *k)
{
    const double *a = htmt_bytes(k, 0), *x = htmt_bytes(k, 1);
    double *y = htmt_bytes(k, 2);
    for (int i = 0; i < BAND; i++) {
        y[i] = 0;
        for (int j = 0; j < N; j++)
            y[i] += a[i * N + j] * x[j];
    }
}
static void multiply_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args, (void)user;
    ops->n[HTMT_FLOP] = 2 * BAND * N;
}
static void fetch(struct htmt_context *c) /* BLKMOV_SYNC(x, own, ...); END_THREAD() */
{
    const struct work *w = htmt_user(c);
    struct htmt_put p = {.bytes = ROW, .on_arrived = htmt_slot(c, HERE)};
    p.src = htmt_at(w->fx, 0, 0);
    p.dst = htmt_at(w->fx, htmt_slice(c), 0);
    if (htmt_slice(c))
        htmt_put(c, &p);
    else
        htmt_signal(c, p.on_arrived);
}
static void start(struct htmt_context *c) /* THREAD_1: the loops; here a parcel for each band */
{
    const struct work *w = htmt_user(c);
    uint32_t me = htmt_slice(c);
    const struct htmt_blocked b[] = {
        {htmt_at(w->fa, me, 0), .block = BAND * ROW, .use = HTMT_READ},
        {htmt_at(w->fx, me, 0), .use = HTMT_READ},
        {htmt_at(w->fy, me, 0), 8 * ROWS, 8 * BAND, .use = HTMT_WRITE, .filled = true}};
    struct htmt_blocks_desc d = {.type = w->rows, .blocked = b, .blocked_count = 3};
    d.on_done = htmt_slot(c, DONE);
    htmt_blocks(c, &d, NULL);
}
static void send(struct htmt_context *c) /* BLKMOV_SYNC(part, y + ..., ...); END_THREAD() */
{
    const struct work *w = htmt_user(c);
    uint32_t me = htmt_slice(c);
    struct htmt_put p = {.bytes = 8 * ROWS, .on_arrived = htmt_slot(c, SENT)};
    p.src = htmt_at(w->fy, me, 0);
    p.dst = htmt_at(w->fy, 0, 8ul * ROWS * me);
    if (me)
        htmt_put(c, &p);
    else
        htmt_signal(c, p.on_arrived);
}
static void end(struct htmt_context *c) /* END_FUNCTION() */
{
    htmt_retire(c, htmt_self(c));
}
/* ---- set-up and check */
static int create(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    struct work *w = work;
    struct htmt_type *type[2] = {NULL, NULL};
    uint32_t dram = (uint32_t)htmt_emulator_layer(e, "dram");
    const struct htmt_stage fibers[] = {{.control = start, .count = 1},
                                        {.control = send, .count = ROWS / BAND},
                                        {.control = end, .count = 1}};
    struct htmt_type_desc rows = {.name = "rows", .home = "dram", .exec = "cram"};
    struct htmt_type_desc leader = {.name = "leader", .home = "dram", .exec = "dram", .user = w};
    rows.execute = (struct htmt_stage){.kernel = multiply, .cost = multiply_cost};
    leader.execute.control = fetch;
    leader.fibers = fibers;
    leader.fiber_count = FIBERS - 1;
    for (int i = 0; i < N * N; i++)
        w->a[i] = i % 7 - 3;
    for (int j = 0; j < N; j++)
        w->x[j] = j % 5;
    int rc = htmt_frame_create(e, dram, ROWS * ROW, "A", &w->fa);
    rc = rc ? rc : htmt_frame_create(e, dram, ROW, "x", &w->fx);
    rc = rc ? rc : htmt_frame_create(e, dram, ROW, "y", &w->fy);
    rc = rc ? rc : htmt_frame_load(w->fa, w->a, ROWS * ROW);
    rc = rc ? rc : htmt_frame_load(w->fx, w->x, ROW);
    rc = rc ? rc : htmt_type_create(e, &rows, &type[0]);
    rc = rc ? rc : htmt_type_create(e, &leader, &type[1]);
    w->rows = type[0];
    for (uint32_t i = 0; i < htmt_task_machine(task)->slices && !rc; i++) {
        struct htmt_parcel_desc p = {.type = type[1], .slice = i}; /* INVOKE(node i, ...) */
        rc = htmt_assemble(htmt_root(e), &p, NULL);
    }
    return rc;
}
static int check(struct htmt_task *task, void *work)
{
    struct work *w = work;
    int rc = htmt_frame_gather(w->fy, w->y, ROW);
    for (int i = 0; i < N * N; i++)
        w->right[i / N] += w->a[i] * w->x[i % N];
    htmt_task_compare(task, w->y, w->right, N, 0);
    return rc;
}

static uint32_t slices(const struct htmt_request *request)
{
    (void)request;
    return SLICES;
}

const struct htmt_app htmt_app = {
    HTMT_APP_BEGIN,       .name = "matvec",
    .summary = "y = A x", .work_bytes = sizeof(struct work),
    .create = create,     .check = check,
    .slices = slices,     .slices_why = "the program is written for four"};
