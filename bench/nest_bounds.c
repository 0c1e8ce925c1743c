/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bounds of the loops of the CNS step: the nest file is read once, then 100,000 configurations of
 * capacity, block, vector length, machine rates and order are bounded. Times are those of the
 * processor.
 */
#include "bench/clock.h"
#include "emul/loops/bound/bound.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONFIGURATIONS 100000

static unsigned random_below(uint64_t *seed, unsigned most)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*seed >> 33) % most;
}

/* 8 KiB to 64 MiB; blocks of powers of two or whole loops. */
static void draw(uint64_t *seed, struct htmt__bound_request *request,
                 struct htmt__bound_rates *rates)
{
    *request =
        (struct htmt__bound_request){.capacity = (htmt_wide)1 << (10 + random_below(seed, 13))};
    request->capacity += random_below(seed, (unsigned)request->capacity);
    for (unsigned axis = 0; axis < 3; axis++) {
        unsigned power = random_below(seed, 8);
        request->block[axis] = power ? (int64_t)1 << power : 0;
    }
    request->vector = UINT64_C(1) << random_below(seed, 5);
    request->order = random_below(seed, 8) ? HTMT__BOUND_LOOPS : HTMT__BOUND_BLOCKS;
    rates->flop.num = 50000 + random_below(seed, 100000);
    rates->link[0].inward.num = 1000 + random_below(seed, 100000);
    rates->processors = 1 + random_below(seed, 4096);
}

static uint64_t bound_all(struct htmt__nest_program *program, struct htmt__bound_rates rates)
{
    uint64_t seed = 1, sum = 0;
    struct htmt_fault fault = {0};
    for (unsigned i = 0; i < CONFIGURATIONS; i++) {
        struct htmt__bound_request request;
        struct htmt__bounds bound;
        draw(&seed, &request, &rates);
        if (htmt__bound_make(program, &rates, &request, &bound, &fault))
            bench_fail(fault.text);
        sum = sum * 31 + (uint64_t)bound.fs;
        htmt__bound_clear(&bound);
    }
    return sum;
}

static void measure(const char *path, const struct htmt__bound_rates *rates)
{
    struct htmt_fault fault = {0};
    struct htmt__nest_file *file = NULL;
    struct htmt__nest_program *program = NULL;
    double start = bench_used();
    if (htmt__nest_file_read(path, &file, &fault) ||
        htmt__nest_program_make(file, NULL, 0, rates->line, &program, &fault))
        bench_fail(fault.text);
    uint64_t sum = bound_all(program, *rates);
    bench_report("bounds", "configurations_1", bench_used() - start, "s", sum);
    htmt__nest_program_destroy(&program);
    htmt__nest_file_destroy(&file);
}

int main(void)
{
    const char *folder = getenv("HTMT_NESTS_PATH");
    char path[4096];
    struct htmt_machine *machine = NULL;
    struct htmt__bound_rates rates;
    struct htmt_fault fault = {0};
    snprintf(path, sizeof path, "%s/exasat-table1.yaml",
             folder ? folder : "emul/loops/bound/nests");
    if (htmt_machine_load("exasat-listing1", NULL, 0, &machine, &fault) ||
        htmt__bound_rates_read(machine, &rates, &fault))
        bench_fail(fault.text);
    measure(path, &rates);
    htmt_machine_destroy(&machine);
    return 0;
}
