/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Focusing on one processor, as the serial program does it. The references are made once, not once
 * a patch. If the inner memory holds a patch, raw lines come in and lines of the image go out.
 * Otherwise a patch goes through it in stages: lines of range, blocks of columns that become
 * spectra, and, with migration, blocks of columns of straightened bins. An interpolator of 16 taps
 * reads 15 cells beyond a block. A line or column that alone is longer than the memory is
 * transformed in several passes of shorter transforms; n points in a memory of r take
 * ceil(log n / log r) passes.
 *
 * By hand, without migration: a patch of 8 lines and 16 columns, points of 2 words, 8 words a raw
 * line, room for 100 words. The patch of 256 words does not fit. 8 * 8 raw words and 256 words of
 * the focused lines come in; those 256 and the image go out.
 */
#include "apps/sar/closed_form.h"

#include "apps/lib/execution.h"
#include "apps/sar/counts.h"

#include <inttypes.h>

const struct htmt_term_row htmt__sar_flop_rows[] = {
    HTMT_ROW(0, "flop", "flop",
             "references + patches * lines * (read flop + range line) + patches * (cells * azimuth "
             "FFT + columns * (azimuth line + migration + azimuth focus))",
             "of the problem, references once"),
    HTMT_ROWS_END};

static const struct htmt_term_row serial_rows[] = {
    HTMT_ROW(2, "words", "words in", "patches * (lines * raw line + staged in) + longer",
             "raw data, and a patch that does not fit"),
    HTMT_ROW(2, "words", "words out",
             "patches * staged out + longer + image lines * columns * point",
             "the image, and a patch that does not fit"),
    HTMT_ROW(3, "words", "longer",
             "2 * patches * point * (lines * range length * (range passes - 1) + columns * azimuth "
             "length * (azimuth passes - 1))",
             "further passes of lines longer than the memory"),
    HTMT_ROWS_END};

static const struct htmt_term_row op_rows[] = {
    HTMT_ROW(
        0, "words", "data",
        "patches * lines * raw line + image lines * columns * point + point * max(lines, band) "
        "* cells",
        "raw data, image, a patch in work"),
    HTMT_ROW(0, "1", "load", "patches * lines * read load + image lines * columns * write load",
             "of Read Patch and Write Patch"),
    HTMT_ROW(0, "1", "store", "patches * lines * read store + image lines * columns * write load",
             "of Read Patch and Write Patch"),
    HTMT_ROW(0, "1", "cycle", "patches * lines * read cycle + image lines * columns * write cycle",
             "of Read Patch and Write Patch, by a cost file"),
    HTMT_ROWS_END};

static const struct htmt_term_row whole_rows[] = {
    HTMT_ROW(3, "words", "staged in", "0", "a patch fits the inner memory"),
    HTMT_ROW(3, "words", "staged out", "0", "a patch fits the inner memory"), HTMT_ROWS_END};
static const struct htmt_term_row straight_rows[] = {
    HTMT_ROW(3, "words", "staged in", "point * lines * columns", "focused lines, as columns"),
    HTMT_ROW(3, "words", "staged out", "point * lines * columns", "focused lines"), HTMT_ROWS_END};
static const struct htmt_term_row migrating_rows[] = {
    HTMT_ROW(3, "words", "staged in",
             "point * (lines * cells + band * (columns + 15 * ceil(columns / block)))",
             "focused lines; bins of the band, with the taps beside a block"),
    HTMT_ROW(3, "words", "staged out", "point * (lines * cells + band * cells)",
             "focused lines; bins of the band"),
    HTMT_ROWS_END};

/* ---- values --------------------------------------------------------------------------------- */

/* Patches of a model repeat those of the plan. */
static uint64_t image_lines(const struct htmt__sar_decomposition *c)
{
    const uint32_t of_plan = c->plan.patches, rest = c->patches % of_plan;
    uint64_t all = 0, some = 0;
    for (uint32_t i = 0; i < of_plan; i++) {
        const uint64_t lines = htmt__sar_plan_patch(&c->plan, i).lines;
        all += lines;
        some += i < rest ? lines : 0;
    }
    return c->patches / of_plan * all + some;
}

static uint64_t flop_of(const struct htmt__sar_decomposition *c, enum htmt__sar_stage stage)
{
    return htmt__sar_parcels(c, stage, 0) ? htmt__sar_ops(c, stage, 0, 0).n[HTMT_FLOP] : 0;
}

size_t htmt__sar_values(const struct htmt__sar_decomposition *c,
                        struct htmt_term_count of[HTMT__SAR_VALUES])
{
    const struct htmt__sar_plan *p = &c->plan;
    const struct htmt_ops read = htmt__sar_read_ops(c, 1);
    const uint64_t image = (uint64_t)c->point / HTMT_WORD, columns = p->samples;
    const struct htmt_term_count values[] = {
        {"patches", c->patches},
        {"lines", p->patch_lines},
        {"cells", p->rcmc ? p->compressed : columns},
        {"columns", columns},
        {"band", p->band},
        {"image lines", image_lines(c)},
        {"range length", p->range_length},
        {"azimuth length", p->azimuth_length},
        {"point", image},
        {"raw line", (htmt__sar_raw_bytes(c, 1) + HTMT_WORD - 1) / HTMT_WORD},
        {"references", flop_of(c, HTMT__SAR_RANGE_REFERENCE) + flop_of(c, HTMT__SAR_INTERPOLATOR) +
                           flop_of(c, HTMT__SAR_AZIMUTH_REFERENCE)},
        {"read flop", read.n[HTMT_FLOP]},
        {"read load", read.n[HTMT_LOAD]},
        {"read store", read.n[HTMT_STORE]},
        {"read cycle", read.n[HTMT_CYCLE]},
        {"write load", c->charges.from_file ? 0 : image},
        {"write cycle", c->charges.write_cycles},
        {"range line", flop_of(c, HTMT__SAR_RANGE)},
        {"azimuth line", flop_of(c, HTMT__SAR_AZIMUTH)},
        {"azimuth FFT", flop_of(c, HTMT__SAR_TRANSFORM)},
        {"migration", flop_of(c, HTMT__SAR_MIGRATION) / columns},
        {"azimuth focus", flop_of(c, HTMT__SAR_FOCUS)},
    };
    const size_t count = sizeof values / sizeof *values;
    for (size_t i = 0; i < count; i++)
        of[i] = values[i];
    return count;
}

/* ---- the form ------------------------------------------------------------------------------- */

/* The least k with points^(1/k) <= memory. */
static uint64_t passes(uint64_t points, uint64_t memory)
{
    uint64_t k = 1;
    for (htmt_uwide holds = memory; holds < points; holds *= memory)
        k++;
    return k;
}

int htmt__sar_serial(struct htmt_task *task, const struct htmt__sar_decomposition *c,
                     struct htmt_prediction *out)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    const struct htmt_execution_place place = htmt_execution_place(m, HTMT_EXECUTION_SERIAL);
    const struct htmt__sar_plan *p = &c->plan;
    const uint64_t points = place.room * HTMT_WORD / c->point;
    const uint64_t column = points / p->azimuth_length,
                   patch = (uint64_t)c->rows * (p->rcmc ? p->compressed : p->samples);
    struct htmt_term_count of[HTMT__SAR_VALUES + 3];
    if (points < 2)
        return htmt_task_refuse(task, HTMT_ECAPACITY,
                                "memory %s: found %" PRIu64 " words, expected room for two points",
                                m->layer[place.layer].memory.name, place.room);
    size_t count = htmt__sar_values(c, of);
    of[count++] = (struct htmt_term_count){"block", column ? column : 1};
    of[count++] = (struct htmt_term_count){"range passes", passes(p->range_length, points)};
    of[count++] = (struct htmt_term_count){"azimuth passes", passes(p->azimuth_length, points)};
    const struct htmt_term_row *staged = patch <= points ? whole_rows
                                         : p->rcmc       ? migrating_rows
                                                         : straight_rows;
    const struct htmt_execution_form form = {
        {serial_rows, staged, htmt__sar_flop_rows, op_rows}, of, count};
    return htmt_serial_tell(task, &form, out);
}
