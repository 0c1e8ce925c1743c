/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parcels of each stage: their regions and their types.
 *
 * The corner turn. Range-Doppler focusing works on lines (range), then on columns (azimuth) of the
 * same patch. The patch stays as it is in DRAM, line after line. A parcel of a column gathers one
 * point from each row on its way up, in as many pieces as the patch has lines, and scatters its
 * results as pieces on its way down: the data vortex does the transposition, and no pass over the
 * patch is spent on it. A gather of single points is slower than that of a line, for which the
 * machine's figures tell the cost of a piece. Rows are an odd number of cache lines of the host
 * apart, so that the points of a column do not meet in one set of its cache.
 *
 * Migration. The echo of a point is curved: in Doppler bin q it lies a fraction of a cell to many
 * cells further. A tile of Migration takes a few bins and many columns; for each bin it gathers the
 * cells that these columns need there, one piece of a row, and writes the straightened points to a
 * second frame, bin after bin. For example, with a track of start 13.25 and step 1.001, columns 0
 * to 99 lie at cells 13.25 to 112.35. The 16 points of the interpolator need cells 6 to 120, so 115
 * cells come in one piece.
 *
 * A window of parcels of a stage is under way at once. A line that leaves CRAM lets the next one
 * follow (`departures`), so that CRAM never waits for the coordinator.
 */
#include "apps/sar/coordinator.h"

#include <stdlib.h>

static uint32_t plan_patch(const struct htmt__sar_order *o)
{
    return htmt__sar_patch_of(&o->p->decomposition, o->patch);
}

static const struct htmt__sar_place *place_of(const struct htmt__sar_order *o)
{
    return &o->p->place[o->patch % o->p->slices];
}

/* Point (row, cell) of the patch's frame. */
static struct htmt_addr in_patch(const struct htmt__sar_order *o, uint64_t row, uint64_t cell)
{
    const struct htmt__sar_decomposition *c = &o->p->decomposition;
    return htmt_in(place_of(o)->patch[o->turn % c->frames], (row * c->cells + cell) * c->point);
}

static struct htmt_addr in_straight(const struct htmt__sar_order *o, uint64_t bin, uint64_t column)
{
    const struct htmt__sar_decomposition *c = &o->p->decomposition;
    return htmt_in(place_of(o)->straight, (bin * c->straight_cells + column) * c->point);
}

/* `rows` rows of `points` points of a frame with so many a row. */
static struct htmt_pieces pieces(const struct htmt__sar_decomposition *c, uint64_t points,
                                 uint64_t rows, uint64_t per_row)
{
    return (struct htmt_pieces){
        .bytes = points * c->point, .count = rows, .stride = (int64_t)(per_row * c->point)};
}

/* The real points leave CRAM and SRAM; with a cost file, the padded line. */
static void words_out(const struct htmt__sar_decomposition *c, struct htmt_region *r,
                      uint64_t padded)
{
    uint64_t words = c->charges.from_file ? htmt__sar_words(c, padded) : (r->bytes + 7) / 8;
    r->out_words[c->cram] = r->out_words[c->sram] = words;
}

/* Region 0: the strip's pairs, region 1: its rows in the frame. */
static uint32_t read_regions(const struct htmt__sar_order *o, struct htmt_region *r)
{
    const struct htmt__sar_decomposition *c = &o->p->decomposition;
    struct htmt__sar_strip s = htmt__sar_strip(c->plan.patch_lines, c->strips, o->index);
    uint64_t lines = s.end - s.first, bytes = htmt__sar_raw_bytes(c, lines);
    r[0] =
        (struct htmt_region){.from = htmt_in(o->p->data[o->patch], htmt__sar_raw_bytes(c, s.first)),
                             .bytes = bytes,
                             .read_only = true};
    r[0].in_words[c->dram] = htmt__sar_channel_words(c, lines * c->plan.radar.samples, bytes);
    r[1] =
        (struct htmt_region){.into = in_patch(o, s.first, 0),
                             .bytes = ((lines - 1) * c->cells + c->plan.radar.samples) * c->point};
    return 2;
}

/* Region 0: the strip's rows in the frame, region 1: its lines of the image. */
static uint32_t write_regions(const struct htmt__sar_order *o, struct htmt_region *r)
{
    const struct htmt__sar_decomposition *c = &o->p->decomposition;
    uint32_t parcels = htmt__sar_parcels(c, HTMT__SAR_WRITE, plan_patch(o));
    struct htmt__sar_strip s =
        htmt__sar_strip(htmt__sar_plan_patch(&c->plan, plan_patch(o)).lines, parcels, o->index);
    uint64_t lines = s.end - s.first, points = lines * c->plan.samples;
    r[0] = (struct htmt_region){.into = in_patch(o, s.first, 0),
                                .bytes = ((lines - 1) * c->cells + c->plan.samples) * c->point,
                                .read_only = true};
    r[1] = (struct htmt_region){
        .to = htmt_in(o->p->image[o->patch], (uint64_t)s.first * c->plan.samples * c->point),
        .bytes = points * c->point,
        .filled = true};
    r[1].out_words[c->dram] = htmt__sar_channel_words(c, points, r[1].bytes);
    return 2;
}

/* A workspace of n complex doubles. With a cost file it also brings a line, which the paper counts
 * and the kernels do not need. */
static struct htmt_region brought(const struct htmt__sar_order *o, uint64_t line, uint64_t n)
{
    struct htmt_region r = {.bytes = 16 * n, .filled = true};
    if (!o->p->decomposition.charges.from_file)
        return r;
    r = (struct htmt_region){.from = htmt_in(place_of(o)->line, 0), .bytes = 16 * line};
    r.in_words[o->p->decomposition.cram] = 2 * n;
    return r;
}

static uint32_t range_reference_regions(const struct htmt__sar_order *o, struct htmt_region *r)
{
    const struct htmt__sar_decomposition *c = &o->p->decomposition;
    uint64_t n = c->plan.range_length;
    r[0] = brought(o, c->plan.radar.samples, n);
    r[1] = (struct htmt_region){.into = htmt_in(place_of(o)->range_reference, 0),
                                .bytes = n * c->point};
    return 2;
}

/* A whole object in CRAM, that is read, or made. */
static struct htmt_region resident(struct htmt_object *o, bool read)
{
    return (struct htmt_region){
        .into = htmt_in(o, 0), .bytes = htmt_object_size(o), .read_only = read};
}

/* Region 0: a line, padded in CRAM, region 1: the reference. */
static uint32_t range_regions(const struct htmt__sar_order *o, struct htmt_region *r)
{
    const struct htmt__sar_decomposition *c = &o->p->decomposition;
    struct htmt_addr line = in_patch(o, o->index, 0);
    r[0] = (struct htmt_region){
        .from = line, .to = line, .bytes = (uint64_t)c->plan.radar.samples * c->point};
    r[0].in_words[c->cram] = htmt__sar_words(c, c->plan.range_length);
    words_out(c, &r[0], c->plan.range_length);
    r[1] = resident(place_of(o)->range_reference, true);
    return 2;
}

/* Region 0: the weights. */
static uint32_t interpolator_regions(const struct htmt__sar_order *o, struct htmt_region *r)
{
    r[0] = resident(place_of(o)->interpolator, false);
    return 1;
}

/* Region 0: the reference; with a cost file, region 1: the line that it brings. */
static uint32_t azimuth_reference_regions(const struct htmt__sar_order *o, struct htmt_region *r)
{
    uint32_t n = o->p->decomposition.plan.azimuth_length;
    r[0] = resident(place_of(o)->azimuth_reference, false);
    r[1] = brought(o, n, n);
    return o->p->decomposition.charges.from_file ? 2 : 1;
}

/* A column of the patch, padded in CRAM. */
static struct htmt_region column(const struct htmt__sar_order *o)
{
    const struct htmt__sar_decomposition *c = &o->p->decomposition;
    struct htmt_region r = {.from = in_patch(o, 0, o->index),
                            .from_pieces = pieces(c, 1, c->plan.patch_lines, c->cells),
                            .bytes = (uint64_t)c->plan.patch_lines * c->point};
    r.in_words[c->cram] = htmt__sar_words(c, c->plan.azimuth_length);
    return r;
}

/* `rows` points of a column back into the frame. */
static struct htmt_region column_back(const struct htmt__sar_order *o, uint32_t rows)
{
    const struct htmt__sar_decomposition *c = &o->p->decomposition;
    struct htmt_region r = {.to = in_patch(o, 0, o->index),
                            .to_pieces = pieces(c, 1, rows, c->cells),
                            .bytes = (uint64_t)rows * c->point,
                            .filled = true};
    words_out(c, &r, c->plan.azimuth_length);
    return r;
}

/* Region 0: a column, region 1: its lines of the image, region 2: the reference. */
static uint32_t azimuth_regions(const struct htmt__sar_order *o, struct htmt_region *r)
{
    const struct htmt__sar_plan *p = &o->p->decomposition.plan;
    r[0] = column(o);
    r[1] = column_back(o, htmt__sar_plan_patch(p, plan_patch(o)).lines);
    r[2] = resident(place_of(o)->azimuth_reference, true);
    return 3;
}

/* Region 0: a column, region 1: its band. */
static uint32_t transform_regions(const struct htmt__sar_order *o, struct htmt_region *r)
{
    r[0] = column(o);
    r[1] = column_back(o, o->p->decomposition.plan.band);
    return 2;
}

/* Region 0: the straightened tile, region 1: the weights, then the cells of each bin that has any.
 */
static uint32_t migration_regions(const struct htmt__sar_order *o, struct htmt_region *r)
{
    const struct htmt__sar_decomposition *c = &o->p->decomposition;
    struct htmt__sar_tile tile = htmt__sar_tile(c, o->index);
    uint32_t count = 2;
    r[0] = (struct htmt_region){.to = in_straight(o, tile.bin, tile.column),
                                .to_pieces = pieces(c, tile.columns, tile.bins, c->straight_cells),
                                .bytes = (uint64_t)tile.bins * tile.columns * c->point,
                                .filled = true};
    words_out(c, &r[0], (uint64_t)tile.bins * tile.columns);
    r[1] = resident(place_of(o)->interpolator, true);
    for (uint32_t b = tile.bin; b < tile.bin + tile.bins; b++) {
        struct htmt__sar_cells cells =
            htmt__sar_cells(c, &o->p->track[b], tile.column, tile.columns);
        if (cells.first < cells.end)
            r[count++] =
                (struct htmt_region){.from = in_patch(o, b, cells.first),
                                     .bytes = (uint64_t)(cells.end - cells.first) * c->point,
                                     .read_only = true};
    }
    return count;
}

/* Region 0: the band of a straightened column, padded in CRAM, region 1: its lines of the image,
 * region 2: the reference. */
static uint32_t focus_regions(const struct htmt__sar_order *o, struct htmt_region *r)
{
    const struct htmt__sar_decomposition *c = &o->p->decomposition;
    r[0] = (struct htmt_region){.from = in_straight(o, 0, o->index),
                                .from_pieces = pieces(c, 1, c->plan.band, c->straight_cells),
                                .bytes = (uint64_t)c->plan.band * c->point};
    r[0].in_words[c->cram] = htmt__sar_words(c, c->plan.azimuth_length);
    r[1] = column_back(o, htmt__sar_plan_patch(&c->plan, plan_patch(o)).lines);
    r[2] = resident(place_of(o)->azimuth_reference, true);
    return 3;
}

static uint32_t (*const regions[HTMT__SAR_STAGES])(const struct htmt__sar_order *o,
                                                   struct htmt_region *r) = {
    [HTMT__SAR_READ] = read_regions,
    [HTMT__SAR_RANGE_REFERENCE] = range_reference_regions,
    [HTMT__SAR_RANGE] = range_regions,
    [HTMT__SAR_INTERPOLATOR] = interpolator_regions,
    [HTMT__SAR_AZIMUTH_REFERENCE] = azimuth_reference_regions,
    [HTMT__SAR_AZIMUTH] = azimuth_regions,
    [HTMT__SAR_TRANSFORM] = transform_regions,
    [HTMT__SAR_MIGRATION] = migration_regions,
    [HTMT__SAR_FOCUS] = focus_regions,
    [HTMT__SAR_WRITE] = write_regions,
};

#define REGIONS_FEW 3 /* of a parcel of any stage but Migration, which has one for each bin */

void htmt__sar_assemble(struct htmt_context *c, const struct htmt__sar_order *o)
{
    struct htmt_region few[REGIONS_FEW], *more = NULL;
    if (o->stage == HTMT__SAR_MIGRATION &&
        !(more = malloc(((size_t)o->p->decomposition.bins + 2) * sizeof *more))) {
        htmt_fail(c, HTMT_ENOMEM, "no host memory for the regions of a tile");
        return;
    }
    struct htmt_region *r = more ? more : few;
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){.type = o->p->type[o->stage],
                                             .slice = htmt_slice(c),
                                             .regions = r,
                                             .region_count = regions[o->stage](o, r),
                                             .args = o,
                                             .on_done = o->done},
                  NULL);
    free(more);
}

/* A line has left CRAM, so another may follow: from the SPIM, since the DPIMs may be busy with the
 * bytes of other patches. */
static void follow(struct htmt_context *c)
{
    struct htmt__sar_order o = *(const struct htmt__sar_order *)htmt_args(c);
    o.index += o.p->decomposition.window;
    if (o.index < htmt__sar_parcels(&o.p->decomposition, o.stage, plan_patch(&o)))
        htmt__sar_assemble(c, &o);
}

int htmt__sar_parcel_types(htmt__sar *p)
{
    const struct htmt_machine *m = htmt_emulator_machine(p->e);
    int rc = 0;
    for (uint32_t i = 0; i < HTMT__SAR_STAGES && !rc; i++) {
        bool strips = htmt__sar_is_strip(i);
        struct htmt_type_desc d = {
            .size = sizeof d,
            .name = htmt__sar_stage_name(i),
            .home = m->layer[strips ? p->decomposition.hram : p->decomposition.dram].name,
            .exec = m->layer[strips ? p->decomposition.dram : p->decomposition.cram].name,
            .execute = {.kernel = htmt__sar_kernels[i], .cost = htmt__sar_cost},
            .footprint =
                htmt__sar_is_reference(i) || i == HTMT__SAR_READ ? HTMT_RESIDENT : HTMT_CLOSURE,
            .in_place = true,
            .departures = strips ? 0 : HTMT_DEPARTS_RESIDENT,
            .args_bytes = sizeof(struct htmt__sar_order),
            .sends = HTMT_SENDS_NOWHERE};
        if (!strips && !htmt__sar_is_reference(i))
            d.retire.control = follow;
        rc = htmt_type_create(p->e, &d, &p->type[i]);
    }
    return rc;
}
