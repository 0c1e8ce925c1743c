/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Intervals a second that are read out of a trace, exported to a file that keeps nothing, and
 * followed for critical path, slack and gain. The trace is that of a model run of parcels through
 * all eight stages.
 */
#include "bench/clock.h"
#include "emul/lib/trace/export/export.h"
#include "emul/lib/trace/path_report.h"
#include "parcels/htmt.h"
#include "parcels/recording.h"

#include <stdlib.h>
#include <unistd.h>

enum { SLICES = 16, EACH = 16, GENERATIONS = 400 };

/* ---- the trace ------------------------------------------------------------------------------- */

struct life {
    uint32_t left; /* generations to come */
    struct htmt_object *object;
};

static struct htmt_type *the_type;

static void cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args, (void)user;
    ops->n[HTMT_CYCLE] = 1000;
}

static int start(struct htmt_context *c, uint32_t slice, struct life life)
{
    struct htmt_region r = {
        .from = htmt_in(life.object, 0), .to = htmt_in(life.object, 0), .bytes = 640};
    struct htmt_parcel_desc d = {
        .type = the_type, .slice = slice, .regions = &r, .region_count = 1, .args = &life};
    return htmt_assemble(c, &d, NULL);
}

static void again(struct htmt_context *c)
{
    struct life life = *(struct life *)htmt_args(c);
    if (life.left-- > 0)
        start(c, htmt_slice(c), life);
}

static void start_all(struct htmt_emulator *e)
{
    for (uint32_t s = 0; s < SLICES; s++) {
        struct life life = {GENERATIONS - 1, NULL};
        if (htmt_object_create(e, s, (uint32_t)htmt_emulator_layer(e, "dram"), 640, "data",
                               &life.object))
            bench_fail(htmt_emulator_fault(e)->text);
        for (uint32_t i = 0; i < EACH; i++)
            if (start(htmt_root(e), s, life))
                bench_fail(htmt_emulator_fault(e)->text);
    }
}

static void record(const char *path)
{
    struct htmt_machine *m = bench_machine(NULL, 0);
    struct htmt_emulator *e = NULL;
    struct htmt_recording recording = htmt_recording_init();
    recording.path = path;
    struct htmt_options o = {
        .machine = m, .slices = SLICES, .mode = HTMT_MODEL, .recording = &recording};
    struct htmt_type_desc d = {.name = "empty",
                               .home = "dram",
                               .exec = "cram",
                               .assemble = {.cost = cost},
                               .dispatch = {.cost = cost},
                               .execute = {.cost = cost},
                               .retire = {.cost = cost, .control = again},
                               .args_bytes = sizeof(struct life)};
    if (htmt_emulator_create(&e, &o, NULL) || htmt_type_create(e, &d, &the_type))
        bench_fail("no emulator");
    start_all(e);
    if (htmt_emulator_run(e))
        bench_fail(htmt_emulator_fault(e)->text);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&m);
}

/* ---- measuring ------------------------------------------------------------------------------- */

static int read_all(struct htmt_trace *t, struct htmt_fault *fault)
{
    struct htmt_trace_block b = {0};
    int rc = 0;
    for (uint64_t i = 0; i < htmt_trace_info(t)->blocks && !rc; i++)
        rc = htmt_trace_block_read(t, i, &b, fault);
    htmt_trace_block_clear(&b);
    return rc;
}

static int csv(struct htmt_trace *t, struct htmt_fault *fault)
{
    return htmt__export_csv(t, "/dev/null", HTMT__EXPORT_FS, fault);
}

static int perfetto(struct htmt_trace *t, struct htmt_fault *fault)
{
    return htmt__export_perfetto(t, "/dev/null", HTMT__EXPORT_FS, fault);
}

static int paje(struct htmt_trace *t, struct htmt_fault *fault)
{
    return htmt__export_paje(t, "/dev/null", HTMT__EXPORT_FS, fault);
}

static int path(struct htmt_trace *t, struct htmt_fault *fault)
{
    struct htmt__path_report r;
    int rc = htmt__path_report_make(t, &r, fault);
    htmt__path_report_clear(&r);
    return rc;
}

static void measure(struct htmt_trace *t, const char *name,
                    int (*run)(struct htmt_trace *t, struct htmt_fault *fault))
{
    struct htmt_fault fault = {0};
    uint64_t intervals = htmt_trace_info(t)->intervals;
    double begin = bench_now();
    if (run(t, &fault))
        bench_fail(fault.text);
    bench_report("trace-export", name, (double)intervals / (bench_now() - begin), "1/s", intervals);
}

int main(void)
{
    char name[] = "/tmp/htmt-bench-XXXXXX";
    struct htmt_trace *t = NULL;
    struct htmt_fault fault = {0};
    int fd = mkstemp(name);
    if (fd < 0 || close(fd))
        bench_fail("no file for a trace");
    record(name);
    int rc = htmt_trace_open(&t, name, &fault);
    unlink(name);
    if (rc)
        bench_fail(fault.text);
    measure(t, "read_1", read_all);
    measure(t, "csv_1", csv);
    measure(t, "perfetto_1", perfetto);
    measure(t, "paje_1", paje);
    measure(t, "path_1", path);
    htmt_trace_close(&t);
    return 0;
}
