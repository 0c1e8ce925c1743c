/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A real head at 512 x 512 pixels, through mist and as a wall: the serial ray caster, and the
 * emulated section of `htmt run volume --slices 16` on one thread and on two.
 */
#include "apps/lib/task_parts.h"
#include "apps/volume/program.h"
#include "apps/volume/reference.h"
#include "apps/volume/settings.h"
#include "bench/clock.h"
#include "runtime/base/fnv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD   "/usr/share/mricron/templates/ch2.nii.gz"
#define TURNS  3
#define SLICES 16u
#define PIXELS ((size_t)512 * 512)

static void check(int rc, const struct htmt_fault *fault)
{
    if (rc)
        bench_fail(fault->text);
}

static void *room(size_t bytes)
{
    void *at = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!at)
        bench_fail("no memory");
    memset(at, 0, bytes);
    return at;
}

/* Equal for equal images. */
static uint64_t work_of(const float *image)
{
    uint64_t hash = HTMT__HASH_BASIS;
    htmt__hash_bytes(&hash, image, PIXELS * sizeof *image);
    return hash;
}

struct job {
    struct htmt_machine *machine;
    struct htmt__volume_settings settings;
    struct htmt__volume_input input;
    struct htmt__volume_plan plan;
    struct htmt__volume_work work;
};

static void prepare(struct job *j, const char *transfer)
{
    struct htmt_fault fault = {0};
    const char *values[64] = {NULL};
    struct htmt_request r = {.machine = j->machine = bench_machine(NULL, 0),
                             .emulator = {.slices = SLICES, .mode = HTMT_RUN},
                             .rows = htmt__volume_options,
                             .values = values};
    for (size_t i = 0; r.rows[i].name; i++)
        values[i] = !strcmp(r.rows[i].name, "volume")     ? HEAD
                    : !strcmp(r.rows[i].name, "transfer") ? transfer
                                                          : r.rows[i].fallback;
    struct htmt_machine machine = *j->machine;
    machine.slices = SLICES;
    check(htmt__volume_settings_read(&r, &j->settings, &fault), &fault);
    check(htmt__volume_input_read(&machine, &j->settings, true, &j->input, &fault), &fault);
    check(htmt__volume_settings_plan(&machine, &j->settings, &j->input, &j->plan, &fault), &fault);
    j->work = (struct htmt__volume_work){.plan = &j->plan,
                                         .table = &j->input.table,
                                         .casting = &j->input.casting,
                                         .camera = j->input.camera,
                                         .type = j->input.volume.type,
                                         .stored = htmt__volume_shares_create(&j->plan, NULL),
                                         .invisible = room(j->plan.subcubes.all),
                                         .image = room(PIXELS * sizeof(float))};
    htmt__volume_store(&j->plan, &j->input.volume, &j->input.table, j->work.stored,
                       j->work.invisible);
}

static void finish(struct job *j)
{
    htmt__volume_input_destroy(&j->input);
    htmt_machine_destroy(&j->machine);
    free(j->work.stored);
    free(j->work.invisible);
    free(j->work.image);
}

static void cast_serially(const struct job *j, const char *group)
{
    struct htmt_fault fault = {0};
    float *image = room(PIXELS * sizeof *image);
    double begin = bench_now();
    check(htmt__volume_reference_image(&j->input.volume, &j->input.table, j->input.camera,
                                       &j->input.casting, true, image, NULL, &fault),
          &fault);
    bench_report(group, "serial_1", bench_now() - begin, "s", work_of(image));
    free(image);
}

static void emulate(const struct job *j, const char *group, unsigned threads)
{
    struct htmt_options options = {.machine = j->machine, .slices = SLICES, .threads = threads};
    struct htmt__volume_program *program = NULL;
    struct htmt_emulator *e = NULL;
    struct htmt_fault fault = {0};
    char name[32];
    memset(j->work.image, 0, PIXELS * sizeof(float));
    if (htmt_emulator_create(&e, &options, NULL))
        bench_fail("no emulator");
    check(htmt__volume_program_create(e, &j->work, &program, &fault), &fault);
    double begin = bench_now();
    int rc = htmt_emulator_run(e);
    double seconds = bench_now() - begin;
    check(rc, htmt_emulator_fault(e));
    snprintf(name, sizeof name, "emulator_%u", threads);
    bench_report(group, name, seconds, "s", work_of(j->work.image));
    htmt_emulator_destroy(&e);
    htmt__volume_program_destroy(&program);
}

static void measure(const char *group, const char *transfer)
{
    struct job j;
    prepare(&j, transfer);
    for (int turn = 0; turn < TURNS; turn++) {
        cast_serially(&j, group);
        emulate(&j, group, 1);
        emulate(&j, group, 2);
    }
    finish(&j);
}

int main(void)
{
    measure("volume-mist", "soft");
    measure("volume-wall", "dense");
    return 0;
}
