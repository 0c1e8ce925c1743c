/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Saturated pipelines of one parcel type, those that the papers describe: services to the
 * femtosecond, and makespan = fill + (n - 1) bottleneck + drain within a thousandth. What is
 * expected is worked out here from the papers' figures.
 */
#include "emul/lib/questions/quiet_run.h"
#include "tests/apps/table.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* Hereld et al., Table 1. */
#define DPIM   500e6L /* cycles a second */
#define SPIM   1e9L
#define SPELL  256e9L
#define VORTEX 10e9L /* words a second */
#define RTI    64.1e9L

/* A charge is rounded once. */
static htmt_time at_rate(long double count, long double a_second)
{
    return (htmt_time)roundl(count * 1e15L / a_second);
}

static struct htmt__quiet_run quiet_run;

static void emulate(const struct htmt_app *app, const char *options, const char *machine)
{
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__quiet_run_prepare(app, options, machine, NULL, 0, &quiet_run, &fault), 0,
                 "%s", fault.text);
    cr_assert_eq(htmt__quiet_run_emulate(&quiet_run, &fault), 0, "%s", fault.text);
}

static struct htmt_phase_report phase(const char *type, enum htmt_stage_id stage)
{
    struct htmt_phase_report r;
    for (uint32_t i = 0; htmt_phase_at(quiet_run.outcome.emulator, i, &r) == 0; i++)
        if (!strcmp(r.type, type) && r.stage == stage && r.count)
            return r;
    cr_assert_fail("%s has no stage %s", type, htmt_stage_name(stage));
    return r;
}

static void takes(const char *type, enum htmt_stage_id stage, uint64_t count, htmt_time each)
{
    struct htmt_phase_report r = phase(type, stage);
    cr_expect_eq(r.count, count, "%s %s: %llu of them", type, htmt_stage_name(stage),
                 (unsigned long long)r.count);
    cr_expect(r.busy == (htmt_wide)each * (htmt_wide)r.count, "%s %s: %.3f instead of %lld fs",
              type, htmt_stage_name(stage), (double)r.busy / (double)r.count, (long long)each);
}

static void within_a_thousandth(htmt_time found, htmt_time expected)
{
    cr_expect_leq(llabs(found - expected), expected / 1000, "%lld fs, expected %lld",
                  (long long)found, (long long)expected);
}

/* ---- plasma PIC ----------------------------------------------------------------------------- */

/* Table 6: 101,000 words; 200 flop for each of 16,000 particles, 88 % of the cycles useful; a cycle
 * is whole. */
static void plasma(const char *machine, bool room_for_two)
{
    enum { N = 1000 };
    const htmt_time assembly = at_rate(140500, DPIM), gather = at_rate(101000, VORTEX),
                    dispatch = at_rate(37900, SPIM), inject = at_rate(101000, RTI),
                    execute = at_rate(ceill(200 * 16000 / 0.88L), SPELL);
    emulate(&htmt_app_pic, "--costs pic-hereld --phases push --slices 1 --parcels 1000", machine);
    takes("Push", HTMT_ASSEMBLE, N, assembly);
    takes("Push", HTMT_GATHER, N, gather);
    takes("Push", HTMT_DISPATCH, N, dispatch);
    takes("Push", HTMT_INJECT, N, inject);
    takes("Push", HTMT_EXECUTE, N, execute);
    htmt_time fill = assembly + gather + dispatch + inject + execute;
    within_a_thousandth(htmt_predicted(quiet_run.outcome.emulator),
                        fill + (N - 1) * (room_for_two ? execute : inject + execute));
    htmt__quiet_run_clear(&quiet_run);
}

Test(saturation, a_slice_of_plasma_with_room_for_one_parcel)
{
    plasma("hereld-tables", false);
}

Test(saturation, a_slice_of_plasma_with_room_for_two)
{
    plasma("hereld-tables+2cram", true);
}

/* ---- volume rendering ----------------------------------------------------------------------- */

/* Table 8: 80,500 words, of which the 15,000 of the rays wait in SRAM; 0.4 x 44 cycles for each of
 * 50^3 voxels. */
static void volume(const char *machine, bool room_for_two)
{
    enum { N = 1000 };
    const htmt_time assemble = at_rate(95500, DPIM), gather = at_rate(65500, VORTEX),
                    dispatch = at_rate(25000, SPIM), inject = at_rate(80500, RTI),
                    execute = at_rate(0.4L * 44 * 125000, SPELL), eject = at_rate(15000, RTI),
                    retire = at_rate(25000, SPIM);
    emulate(&htmt_app_volume,
            "--costs volume-hereld --slices 1 --dims 1226,50,1961 --size 1250x2000 --view front "
            "--projection parallel --half-height 980 --step 1 --terminate off --lanes 100 --rays "
            "sram",
            machine);
    takes("Subcube", HTMT_ASSEMBLE, N, assemble);
    takes("Subcube", HTMT_GATHER, N, gather);
    takes("Subcube", HTMT_DISPATCH, N, dispatch);
    takes("Subcube", HTMT_INJECT, N, inject);
    takes("Subcube", HTMT_EXECUTE, N, execute);
    takes("Subcube", HTMT_EJECT, N, eject);
    takes("Subcube", HTMT_RETIRE, N, retire);
    htmt_time way = assemble + gather + dispatch + inject + execute + eject + retire;
    within_a_thousandth(htmt_predicted(quiet_run.outcome.emulator),
                        way + (N - 1) * (room_for_two ? execute : inject + execute + eject));
    htmt__quiet_run_clear(&quiet_run);
}

Test(saturation, a_slice_of_a_volume_with_room_for_one_parcel)
{
    volume("hereld-tables", false);
}

Test(saturation, a_slice_of_a_volume_with_room_for_two)
{
    volume("hereld-tables+2cram", true);
}

/* ---- SAR ------------------------------------------------------------------------------------ */

/* From the begin of the first gather to the end of the last scatter. */
static htmt_time length_of(const char *type, htmt_time gather)
{
    return phase(type, HTMT_SCATTER).last - (phase(type, HTMT_GATHER).first - gather);
}

static void lines(const char *type, uint64_t n, uint64_t words_in, uint64_t words, uint64_t flop)
{
    const htmt_time gather = at_rate(words_in, VORTEX), inject = at_rate(words, RTI),
                    execute = at_rate(flop, SPELL), eject = at_rate(words, RTI),
                    scatter = at_rate(words, VORTEX);
    takes(type, HTMT_GATHER, n, gather);
    takes(type, HTMT_INJECT, n, inject);
    takes(type, HTMT_EXECUTE, n, execute);
    takes(type, HTMT_EJECT, n, eject);
    takes(type, HTMT_SCATTER, n, scatter);
    within_a_thousandth(length_of(type, gather),
                        gather + inject + execute + eject + scatter + (htmt_time)(n - 1) * execute);
}

/* Tables 4 and 5: 4096 lines of 11,812 points that become 16,384, then 11,812 of 4096; (6 + 10
 * log2 N) N flop. */
Test(saturation, range_and_azimuth_lines_of_a_patch)
{
    emulate(&htmt_app_sar, "--costs sar-hereld --slices 1 --patches 1", "hereld-tables");
    lines("Range Line", 4096, 2 * 11812, 2 * 16384, (6 + 10 * 14) * 16384);
    lines("Azimuth Line", 11812, 2 * 4096, 2 * 4096, (6 + 10 * 12) * 4096);
    htmt__quiet_run_clear(&quiet_run);
}

/* ---- Cannon --------------------------------------------------------------------------------- */

/* Amaral et al., Table 2: 0.97 and 0.42 ns a word of DRAM and SRAM, five FPUs of 15 ps. */
Test(saturation, cannon_with_injects_between_the_block_products)
{
    enum { S = 8, T = 26, B = 125 };
    const int64_t words = (int64_t)T * B * T * B, dram = 970000, sram = 420000;
    const htmt_time multiply = (htmt_time)2 * B * B * B * 3000, inject = sram * B * B,
                    bundle = dram * words, rearrange = dram * 2 * (S + 1) * words,
                    restore = dram * 2 * words, period = 2 * inject + S * multiply;
    emulate(&htmt_app_cannon, "--costs cannon-amaral --schedule paper --fold --slices 64",
            "htmt-2007");
    takes("Subblock Pair", HTMT_INJECT, (uint64_t)S * S * T * T * T, 2 * inject);
    takes("Bundle Up", HTMT_INJECT, (uint64_t)S * S * 2, bundle);
    takes("Bundle Down", HTMT_EJECT, (uint64_t)S * S, bundle);
    cr_expect_eq(phase("Block Multiply", HTMT_FIBER).longest, multiply);
    htmt_time fill = 2 * rearrange + 2 * bundle + period, drain = bundle + restore;
    within_a_thousandth(htmt_predicted(quiet_run.outcome.emulator),
                        fill + (T * T * T - 1) * period + T * T * inject + drain);
    htmt__quiet_run_clear(&quiet_run);
}
