/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Focusing 4096 lines of 5906 samples, ERS, 8 bits, migration corrected: the serial program, two
 * of it at once for what the host's memory gives both processors, and the emulator, in turn. The
 * host's making of pages is left out of all.
 */
#include "apps/sar/decomposition.h"
#include "apps/sar/io/scene.h"
#include "apps/sar/program.h"
#include "apps/sar/reference.h"
#include "bench/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scene {
    struct htmt_machine *machine;
    struct htmt__sar_plan plan;
    struct htmt__sar_raw raw;
    bool single;
    size_t bytes; /* of an image */
    void *image, *other, *work[2];
};

static void *touched(size_t bytes)
{
    void *at = malloc(bytes);
    if (!at)
        bench_fail("no memory for a patch or image");
    return memset(at, 0, bytes);
}

static void create(struct scene *s)
{
    struct htmt__sar_problem problem = {.lengths = HTMT__FAST_LENGTH};
    struct htmt__sar_target targets[5];
    struct htmt__sar_scene scene = {.target_count = 5, .targets = targets, .noise = 1, .bits = 8};
    struct htmt_fault fault = {0};
    int rc = htmt__sar_radar_named("ers", &problem.radar, &fault);
    scene.radar = problem.radar;
    htmt__sar_five_targets(&scene.radar, targets);
    rc = rc ? rc : htmt__sar_scene_make(&scene, &s->raw, &fault);
    rc = rc ? rc : htmt__sar_plan(&problem, &s->plan, &fault);
    if (rc)
        bench_fail(fault.text);
    s->bytes = sizeof(double) * 2 * s->plan.lines * s->plan.samples;
    s->machine = bench_machine(NULL, 0);
    s->machine->slices = 1;
    s->image = touched(s->bytes);
    s->other = touched(s->bytes);
    for (int i = 0; i < 2; i++)
        s->work[i] = touched(htmt__sar_reference_bytes(&s->plan, false));
}

static void destroy(struct scene *s)
{
    free(s->image);
    free(s->other);
    free(s->work[0]);
    free(s->work[1]);
    htmt__sar_raw_destroy(&s->raw);
    htmt_machine_destroy(&s->machine);
}

/* Where the lines of each patch lie in an image. */
static void **places(const struct scene *s, void *image)
{
    void **place = htmt__sar_reference_places(&s->plan, s->single, image);
    if (!place)
        bench_fail("no memory for the places of patches");
    return place;
}

static void focus(const struct scene *s, void *work, void *image)
{
    struct htmt_fault fault = {0};
    void **place = places(s, image);
    if (htmt__sar_reference_in(&s->plan, &s->raw, s->single, 1, work, place, &fault))
        bench_fail(fault.text);
    free(place);
}

static void *focus_other(void *scene)
{
    const struct scene *s = scene;
    focus(s, s->work[1], s->other);
    return NULL;
}

/* Seconds an image, from `programs` at once. */
static double serial(struct scene *s, unsigned programs)
{
    pthread_t thread;
    double begin = bench_now();
    if (programs == 2 && pthread_create(&thread, NULL, focus_other, s))
        bench_fail("no thread");
    focus(s, s->work[0], s->image);
    if (programs == 2)
        pthread_join(thread, NULL);
    return (bench_now() - begin) / programs;
}

static double emulator(struct scene *s, unsigned threads)
{
    struct htmt_fault fault = {0};
    struct htmt_emulator *e = NULL;
    struct htmt__sar_program *program = NULL;
    struct htmt__sar_decomposition cut;
    void **place = places(s, s->image);
    struct htmt__sar_data data = {.raw = &s->raw, .image = place};
    struct htmt_options options = {.machine = s->machine, .slices = 1, .threads = threads};
    int rc = htmt__sar_decomposition(s->machine, &s->plan, s->single, s->raw.format,
                                     &(struct htmt__sar_charges){0}, 0, &cut, &fault);
    if (rc || htmt_emulator_create(&e, &options, NULL) ||
        htmt__sar_program_create(e, &cut, &data, &program, &fault))
        bench_fail(fault.text);
    double begin = bench_now();
    rc = htmt_emulator_run(e);
    double seconds = bench_now() - begin;
    if (rc)
        bench_fail(htmt_emulator_fault(e)->text);
    htmt_emulator_destroy(&e);
    htmt__sar_program_destroy(&program);
    free(place);
    return seconds;
}

/* The images agree; the pixels that were made. */
static uint64_t check(const struct scene *s)
{
    uint64_t n = 2 * (uint64_t)s->plan.lines * s->plan.samples;
    double all = 0, apart = 0;
    for (uint64_t i = 0; i < n; i++) {
        double a = s->single ? (double)((float *)s->image)[i] : ((double *)s->image)[i];
        double b = s->single ? (double)((float *)s->other)[i] : ((double *)s->other)[i];
        all += b * b;
        apart += (a - b) * (a - b);
    }
    if (!(apart <= 1e-10 * all))
        bench_fail("the emulator's image is not the serial program's");
    return n / 2;
}

static void turn(struct scene *s, bool single)
{
    const char *group = single ? "sar-single" : "sar-double";
    s->single = single;
    double alone = serial(s, 1), both = serial(s, 2);
    double one = emulator(s, 1);
    uint64_t work = check(s);
    double two = emulator(s, 2);
    check(s);
    bench_report(group, "serial_1", alone, "s", work);
    bench_report(group, "emulator_1", one, "s", work);
    bench_report(group, "serial_2", both, "s", work);
    bench_report(group, "emulator_2", two, "s", work);
}

int main(void)
{
    struct scene s = {0};
    create(&s);
    turn(&s, false);
    turn(&s, true);
    destroy(&s);
    return 0;
}
