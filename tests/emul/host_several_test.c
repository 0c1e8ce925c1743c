/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What changes for a processor beside which others run, by hand.
 */
#include "emul/command/host/several.h"

#include <criterion/criterion.h>
#include <string.h>

#define FS(n) ((struct htmt_ratio){(n), 1})

/* A cycle is 0.5 ns; cores-1, cores-2, cores-4 and 6 of all. */
static struct htmt__node_figures figures(void)
{
    struct htmt__node_figures f = {.bus = {.width = 64, .cycle = FS(4000000), .duplex = true},
                                   .l2 = {.kind = HTMT__NODE_CACHE},
                                   .l3 = {.kind = HTMT__NODE_CACHE,
                                          .size = 64 << 20,
                                          .line = 64,
                                          .ways = 16,
                                          .fewest = 8,
                                          .cores = 4,
                                          .every = FS(3000000),
                                          .back = FS(500000)},
                                   .threads = 2};
    const uint64_t memory[] = {5, 5, 8}, cache[] = {6, 6, 9};
    for (int i = 0; i < 3; i++)
        f.crowd[i] =
            (struct htmt__node_crowd){.cache = FS(cache[i]),
                                      .cache_write = FS(10),
                                      .memory = FS(memory[i]),
                                      .memory_write = FS(i == 2 ? 2 * memory[i] : memory[i])};
    f.crowd[8] = (struct htmt__node_crowd){.count = 6, .memory = FS(12), .memory_write = FS(24)};
    return f;
}

static void expect_changes(unsigned cores, const char *const *expected, unsigned n)
{
    const struct htmt__node_figures f = figures();
    struct htmt__several s;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__several_cores(&f, "host", 500000, cores, &s, &fault), 0);
    cr_expect_eq(s.n, n, "%u: %u changes", cores, s.n);
    for (unsigned i = 0; i < n && i < s.n; i++)
        cr_expect_str_eq(s.set[i], expected[i]);
}

/* Three are half way from two to four; of a line of 250 MHz 5 / 6.5 is left. The write of a line
 * comes to 10.5 of 6.5 cycles. Sets halve, and two thirds of the ways are left. */
Test(host_several, lines_are_scaled_between_the_numbers_that_were_measured)
{
    const char *const three[] = {"layers.host.inside.bus.clock=0.192307692 GHz",
                                 "layers.host.inside.bus.duplex=no",
                                 "layers.host.inside.l3.every=7.500000 cycles",
                                 "layers.host.inside.l3.back=1.000000 cycles",
                                 "layers.host.inside.l3.ways=11",
                                 "layers.host.inside.l3.size=23068672 B",
                                 "layers.host.inside.l3.fewest=6"};
    expect_changes(1, NULL, 0);
    expect_changes(3, three, 7);
    /* Of six the cache was not measured; four of them have one. */
    const char *const six[] = {"layers.host.inside.bus.clock=0.104166667 GHz",
                               "layers.host.inside.bus.duplex=no", "layers.host.inside.l3.ways=16",
                               "layers.host.inside.l3.size=16777216 B",
                               "layers.host.inside.l3.fewest=8"};
    expect_changes(6, six, 5);
}

Test(host_several, more_than_were_measured_are_refused)
{
    struct htmt__node_figures f = figures();
    struct htmt__several s;
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt__several_cores(&f, "host", 500000, 7, &s, &fault), HTMT_EUSAGE);
    cr_expect_str_eq(fault.text, "--cores: found 7, expected at most 6, as memory was measured");
    memset(f.crowd, 0, sizeof f.crowd);
    fault = (struct htmt_fault){0};
    cr_expect_eq(htmt__several_cores(&f, "host", 500000, 2, &s, &fault), HTMT_EUSAGE);
    cr_expect(strstr(fault.text, "the machine has no cores-1"));
}
