/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The closed forms of applications against the virtual clock, on random machines: changes of
 * hereld-tables and htmt-2007 from seeds. With HTMT_LONG ten times as many.
 */
#include "emul/lib/questions/quiet_run.h"
#include "tests/apps/table.h"
#include "tests/runtime/share.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static uint64_t mix(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(2685821657736338717) >> 11;
}

static uint64_t machines(uint64_t count)
{
    return getenv("HTMT_LONG") ? 10 * count : share_of((unsigned)count);
}

static const char *const hereld[] = {
    "layers.dram.processor.clock=%llu MHz",
    "layers.sram.processor.clock=%llu MHz",
    "layers.cram.processor.clock=%llu00 MHz",
    "networks.rti.ports.sram.out-rate=%llu0 Mword/s",
    "networks.vortex.ports.sram.in-rate=%llu0 Mword/s",
    "networks.vortex.ports.dram.out-rate=%llu Mword/s",
};
enum { HERELD = sizeof hereld / sizeof *hereld, KEYS = 12 };

struct both {
    htmt_time clock, form;
};

static struct both compare(const struct htmt_app *app, const char *options, const char *machine,
                           const char *const *keys, unsigned count, uint64_t seed)
{
    char text[KEYS][96];
    const char *set[KEYS];
    struct htmt__quiet_run t;
    struct htmt_fault fault = {0};
    struct both b;
    seed = seed * 2654435761u + 99;
    for (unsigned i = 0; i < count; i++) {
        unsigned long long value = 50 + mix(&seed) % 20000;
        snprintf(text[i], sizeof text[i], keys[i], value);
        set[i] = text[i];
    }
    cr_assert_eq(htmt__quiet_run_prepare(app, options, machine, set, count, &t, &fault), 0, "%s",
                 fault.text);
    cr_assert_eq(htmt__quiet_run_predict(&t, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__quiet_run_emulate(&t, &fault), 0, "%s", fault.text);
    b.clock = htmt_predicted(t.outcome.emulator);
    b.form = llround(t.prediction->total_s * (double)HTMT_SECOND);
    htmt__quiet_run_clear(&t);
    return b;
}

#define PUSH "--costs pic-hereld --phases push --slices 1 --parcels "

/* Nothing waits for anything. */
Test(agreement, one_plasma_parcel_takes_what_the_closed_form_says)
{
    for (uint64_t seed = 1; seed <= machines(1000); seed++) {
        struct both b = compare(&htmt_app_pic, PUSH "1", "hereld-tables", hereld, HERELD, seed);
        cr_assert_eq(b.clock, b.form, "seed %llu: %lld and %lld fs", (unsigned long long)seed,
                     (long long)b.clock, (long long)b.form);
    }
}

/* A pipeline of one type, limited by the SPELL or by a channel; the DPIMs and SPIMs are many, and
 * the vortex' receiving channels are fast. */
Test(agreement, and_so_do_many_whichever_of_their_stages_limits_them)
{
    static const char *const keys[] = {"layers.cram.processor.clock=%llu00 MHz",
                                       "networks.rti.ports.sram.out-rate=%llu Mword/s",
                                       "networks.vortex.ports.dram.out-rate=%llu Mword/s",
                                       "networks.vortex.ports.sram.in-rate=%llu000 Mword/s"};
    for (uint64_t seed = 1; seed <= machines(200); seed++) {
        struct both b = compare(&htmt_app_pic, PUSH "40", "hereld-tables+2cram", keys, 4, seed);
        cr_assert_leq(llabs(b.clock - b.form), 40, "seed %llu: %lld and %lld fs",
                      (unsigned long long)seed, (long long)b.clock, (long long)b.form);
    }
}

/* All that parts them are words that tell of an end: three, and four a product. A step of the
 * multiply takes longer than its exchange: the equations count one exchange too many. */
Test(agreement, cannons_product_takes_what_its_equations_say)
{
    enum { WORDS = 7, ACCESS_MOST = 20050 * 1000, B = 125 };
    static const char *const keys[] = {"layers.dram.memory.access=%llu ps/word",
                                       "layers.sram.memory.access=%llu ps/word",
                                       "layers.cram.processor.flop=%llu0 fs/flop",
                                       "networks.rti.ports.sram.out-rate=%llu0 Mword/s",
                                       "networks.rti.ports.cram.out-rate=%llu0 Mword/s",
                                       "networks.vortex.ports.dram.out-rate=%llu0 Mword/s",
                                       "networks.cnet.ports.cram.out-rate=%llu00 Gword/s"};
    static const char *const options[] = {
        "--slices 1 --size 500 --schedule paper",     "--slices 4 --size 1000 --schedule paper",
        "--slices 4 --size 1000 --schedule overlap",  "--slices 16 --size 1500 --schedule paper",
        "--slices 16 --size 1500 --schedule overlap", "--slices 64 --size 2000 --schedule overlap"};
    enum { OPTIONS = sizeof options / sizeof *options };
    for (uint64_t seed = 1; seed <= machines(140); seed++) {
        const char *o = options[seed % OPTIONS];
        struct both b = compare(&htmt_app_cannon, o, "htmt-2007", keys, 7, seed);
        cr_assert_leq(llabs(b.clock - b.form), WORDS * (htmt_time)ACCESS_MOST,
                      "seed %llu, %s: %lld and %lld fs", (unsigned long long)seed, o,
                      (long long)b.clock, (long long)b.form);
    }
}

/* Steady states of four phases, one parcel type each. */
Test(agreement, a_patch_of_sar_does_to_a_thousandth)
{
    static const char *const keys[] = {"layers.dram.processor.clock=%llu MHz",
                                       "layers.cram.processor.clock=%llu00 MHz",
                                       "networks.hram-channel.ports.hram.out-rate=%llu Mword/s",
                                       "networks.hram-channel.ports.dram.out-rate=%llu Mword/s",
                                       "networks.vortex.ports.dram.out-rate=%llu Mword/s",
                                       "networks.vortex.ports.dram.in-rate=%llu Mword/s",
                                       "networks.vortex.ports.sram.out-rate=%llu Mword/s",
                                       "networks.vortex.ports.sram.in-rate=%llu0 Mword/s",
                                       "networks.rti.ports.sram.out-rate=%llu0 Mword/s",
                                       "networks.rti.ports.cram.out-rate=%llu0 Mword/s"};
    for (uint64_t seed = 1; seed <= machines(60); seed++) {
        struct both b =
            compare(&htmt_app_sar, "--costs sar-hereld --slices 1 --lines 512 --samples 1024",
                    "hereld-tables", keys, 10, seed);
        cr_assert_leq(llabs(b.clock - b.form), b.form / 1000, "seed %llu: %lld and %lld fs",
                      (unsigned long long)seed, (long long)b.clock, (long long)b.form);
    }
}

/* Coordinator, lane and visit list signal each other by a few words for each bundle. */
Test(agreement, one_subcube_does_to_a_few_words)
{
    enum { WORDS = 5, WORD_MOST = 20 * 1000 * 1000 }; /* 50 Mword/s */
    for (uint64_t seed = 1; seed <= machines(100); seed++) {
        struct both b = compare(&htmt_app_volume,
                                "--costs volume-hereld --slices 1 --dims 50,50,50 --size 50 --view "
                                "front --projection parallel --half-height 24.5 --step 1 "
                                "--terminate off --rays dram",
                                "hereld-tables", hereld, HERELD, seed);
        cr_assert_leq(llabs(b.clock - b.form), WORDS * WORD_MOST, "seed %llu: %lld and %lld fs",
                      (unsigned long long)seed, (long long)b.clock, (long long)b.form);
    }
}
