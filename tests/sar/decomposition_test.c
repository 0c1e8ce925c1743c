/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sar/focus.h"

static struct htmt__sar_decomposition decomposition_of(struct focus f, uint32_t lines,
                                                       uint32_t samples)
{
    struct htmt__sar_input in = focus_input(lines, samples);
    struct htmt_machine *m = focus_machine(&f);
    struct htmt__sar_decomposition decomposition = focus_decomposition(&f, m, &in);
    htmt_machine_destroy(&m);
    htmt__sar_input_destroy(&in);
    return decomposition;
}

Test(decomposition, strips_are_all_lines_once_and_nearly_equal)
{
    for (uint32_t lines = 1; lines < 500; lines += 7)
        for (uint32_t strips = 1; strips <= lines && strips <= 128; strips += 5) {
            uint32_t next = 0;
            for (uint32_t i = 0; i < strips; i++) {
                struct htmt__sar_strip s = htmt__sar_strip(lines, strips, i);
                uint32_t n = s.end - s.first;
                cr_assert_eq(s.first, next);
                cr_assert(n == lines / strips || n == lines / strips + 1);
                next = s.end;
            }
            cr_assert_eq(next, lines);
        }
}

Test(decomposition, tiles_are_all_points_once)
{
    static const char *const rooms[] = {"layers.cram.memory.capacity=19400 words",
                                        "layers.cram.memory.capacity=30000 words",
                                        "layers.cram.memory.capacity=1 MiB"};
    for (int i = 0; i < 3; i++) {
        struct htmt__sar_decomposition c =
            decomposition_of((struct focus){.set = {rooms[i]}}, 320, 256);
        uint32_t band = c.plan.band, samples = c.plan.samples;
        unsigned char *seen = calloc(band, samples);
        for (uint32_t t = 0; t < htmt__sar_parcels(&c, HTMT__SAR_MIGRATION, 0); t++) {
            struct htmt__sar_tile tile = htmt__sar_tile(&c, t);
            for (uint32_t b = 0; b < tile.bins; b++)
                for (uint32_t k = 0; k < tile.columns; k++)
                    seen[(tile.bin + b) * samples + tile.column + k]++;
        }
        for (uint32_t k = 0; k < band * samples; k++)
            cr_assert_eq(seen[k], 1);
        free(seen);
    }
}

Test(decomposition, two_tiles_fit_beside_the_references)
{
    struct htmt__sar_decomposition c = decomposition_of((struct focus){0}, 512, 1024);
    uint64_t room = 131072 - c.cram_resident;
    for (uint32_t t = 0; t < htmt__sar_parcels(&c, HTMT__SAR_MIGRATION, 0); t++)
        cr_expect_leq(2 * htmt__sar_load(&c, HTMT__SAR_MIGRATION, 0, t).cram, room);
}

/* The band's bins in the order of their rows are the bins of the plan, each once. */
Test(decomposition, bins_go_up_by_rows)
{
    struct htmt__sar_decomposition c = decomposition_of((struct focus){0}, 512, 512);
    int64_t sum = 0;
    for (uint32_t i = 0; i < c.plan.band; i++) {
        int64_t bin = htmt__sar_bin(&c.plan, i);
        sum += bin - c.plan.band_first;
        cr_assert(bin >= c.plan.band_first && bin < c.plan.band_first + c.plan.band);
        if (i)
            cr_assert_gt(htmt__sar_plan_bin_row(&c.plan, bin),
                         htmt__sar_plan_bin_row(&c.plan, htmt__sar_bin(&c.plan, i - 1)));
    }
    cr_expect_eq(sum, (int64_t)c.plan.band * (c.plan.band - 1) / 2);
}

/* What the interpolator reaches from the first and the last column of a tile is in its cells. */
Test(decomposition, a_tile_brings_every_cell_that_it_needs)
{
    struct htmt__sar_decomposition c =
        decomposition_of((struct focus){.keep_edges = true}, 320, 256);
    for (uint32_t t = 0; t < htmt__sar_parcels(&c, HTMT__SAR_MIGRATION, 0); t++) {
        struct htmt__sar_tile tile = htmt__sar_tile(&c, t);
        struct htmt__sar_track track =
            htmt__sar_plan_track(&c.plan, htmt__sar_bin(&c.plan, tile.bin));
        struct htmt__sar_cells cells = htmt__sar_cells(&c, &track, tile.column, tile.columns);
        for (uint32_t k = tile.column; k < tile.column + tile.columns; k++)
            for (int64_t tap = 0; tap < 16; tap++) {
                int64_t cell = ((track.start + k * track.step) >> 40) - 7 + tap;
                if (cell >= 0 && cell < c.plan.compressed)
                    cr_assert(cell >= cells.first && cell < cells.end);
            }
    }
}

static int refusal(const char *set, const char *machine, char *text, size_t room)
{
    struct focus f = {.machine = machine, .set = {set}};
    struct htmt__sar_input in = focus_input(320, 256);
    struct htmt__sar_problem problem = {.radar = in.radar};
    struct htmt__sar_plan plan;
    struct htmt__sar_charges none = {0};
    struct htmt__sar_decomposition decomposition;
    struct htmt_fault fault = {0};
    struct htmt_machine *m = focus_machine(&f);
    cr_assert_eq(htmt__sar_plan(&problem, &plan, &fault), 0);
    int rc =
        htmt__sar_decomposition(m, &plan, false, HTMT__SAR_U8, &none, 0, &decomposition, &fault);
    snprintf(text, room, "%s", fault.text);
    htmt_machine_destroy(&m);
    htmt__sar_input_destroy(&in);
    return rc;
}

Test(decomposition, refuses_machines_without_room_or_layers)
{
    char text[500];
    cr_expect_eq(refusal("layers.cram.memory.capacity=2000 words", NULL, text, sizeof text),
                 HTMT_ECAPACITY);
    cr_expect_not_null(strstr(text, "found 2000 words, expected references of"), "%s", text);
    cr_expect_eq(refusal("layers.sram.memory.capacity=600 words", NULL, text, sizeof text),
                 HTMT_ECAPACITY);
    cr_expect_not_null(strstr(text, "SRAM of machine"), "%s", text);
    cr_expect_eq(refusal("layers.dram.memory.capacity=100000 words", NULL, text, sizeof text),
                 HTMT_ECAPACITY);
    cr_expect_not_null(strstr(text, "DRAM of machine"), "%s", text);
    cr_expect_eq(refusal("layers.hram.memory.capacity=40000 words", NULL, text, sizeof text),
                 HTMT_ECAPACITY);
    cr_expect_not_null(strstr(text, "HRAM of machine"), "%s", text);
    cr_expect_eq(refusal(NULL, "small-two-layer", text, sizeof text), HTMT_EINVAL);
    cr_expect_not_null(strstr(text, "found no layer hram"), "%s", text);
}
