/* The whole plate as one parcel for each sweep. */
#include <htmt.h>

enum { N = 256, SWEEPS = 100 };
struct work {
    double plate[2][(N + 2) * N];
};

static void sweep(struct htmt_kernel *k)
{
    const double *from = htmt_bytes(k, 0);
    double *to = htmt_bytes(k, 1);
    for (long i = 0; i < N * N; i++)
        if (i % N == 0 || i % N == N - 1)
            to[i] = from[i + N];
        else
            to[i] = (from[i] + from[i + N - 1] + from[i + N + 1] + from[i + 2 * N]) / 4;
    htmt_count(k, HTMT_FLOP, 4 * N * N);
}
static int create(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    struct work *w = work;
    struct htmt_type *type = NULL;
    struct htmt_type_desc d = {.name = "sweep", .home = "dram", .exec = "cram", .execute = {sweep}};
    struct htmt_object *plate[2] = {NULL, NULL};
    uint32_t dram = (uint32_t)htmt_emulator_layer(e, "dram");
    int rc = htmt_type_create(e, &d, &type);
    (void)task;
    for (int i = 0; i < 2 && !rc; i++)
        rc = htmt_object_wrap(e, 0, dram, w->plate[i], sizeof w->plate[i], (N + 2) * N, "plate",
                              &plate[i]);
    struct htmt_region r[2] = {{.from = htmt_in(plate[0], 0), .bytes = sizeof w->plate[0]},
                               {.to = htmt_in(plate[1], 8 * N), .bytes = 8 * N * N}};
    struct htmt_parcel_desc p = {.type = type, .regions = r, .region_count = 2};
    return rc ? rc : htmt_assemble(htmt_root(e), &p, NULL);
}

const struct htmt_app htmt_app = {HTMT_APP_BEGIN, .name = "plate", .summary = "one parcel",
                                  .work_bytes = sizeof(struct work), .create = create};
