/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parcels for a machine. Sizes follow from capacities: CRAM decides the shape of a tile, since
 * references stay there and lines are as long as they are; DRAM must hold the frames, HRAM the
 * data. What is refused is refused with the words that would do.
 *
 * A patch goes through CRAM as lines of range, then of azimuth. A line must fit whole, because a
 * transform needs all of it. Beside the lines lie references, the spectra that every line is
 * multiplied by. They are made in CRAM once a patch and stay there, since bringing one along would
 * double each parcel. So room = capacity - references, and the largest parcel must fit that.
 *
 * Migration moves points along range, bin by bin of azimuth, and is cut into tiles. A tile brings a
 * sixteenth more points than it has columns, for tracks that are stretched, and HTMT__SAR_TAPS more
 * on both sides; along bins nothing is brought twice. The more columns, the smaller that share; the
 * fewer bins, the fewer separate pieces, since each bin of a tile is a region. Hence at most
 * TILE_BINS bins, and as many columns as half of the room holds, so that one tile comes while
 * another one is served. Words grow with columns, so bisection finds the number. By hand: 5,000
 * samples of which 1,800 fit are three tiles across, of 1,667, 1,667 and 1,666 columns, not 1,800,
 * 1,800 and 1,400: tiles of one length keep the pipeline even.
 *
 * Words are counted twice, for two readers: htmt__sar_load() says what a parcel moves, by which the
 * closed form is evaluated, and the regions in parcels.c move it. A test compares them.
 */
#include "apps/sar/decomposition.h"

#include "apps/lib/chain.h"

#include <inttypes.h>

/* Enough to keep gathers, injects, the SPELL, ejects and scatters busy. More would only fill
 * memories. */
#define WINDOW 32
/* Each bin of a tile is a region of its own; long pieces of few bins move best. */
#define TILE_BINS 8

static const char *const names[HTMT__SAR_STAGES] = {
    [HTMT__SAR_READ] = "Read Patch",
    [HTMT__SAR_RANGE_REFERENCE] = "Range Reference",
    [HTMT__SAR_RANGE] = "Range Line",
    [HTMT__SAR_INTERPOLATOR] = "Interpolator",
    [HTMT__SAR_AZIMUTH_REFERENCE] = "Azimuth Reference",
    [HTMT__SAR_AZIMUTH] = "Azimuth Line",
    [HTMT__SAR_TRANSFORM] = "Azimuth FFT",
    [HTMT__SAR_MIGRATION] = "Migration",
    [HTMT__SAR_FOCUS] = "Azimuth Focus",
    [HTMT__SAR_WRITE] = "Write Patch",
};

const char *htmt__sar_stage_name(enum htmt__sar_stage stage)
{
    return names[stage];
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t ceil_div(uint32_t a, uint32_t b)
{
    return a / b + (a % b != 0);
}

/* ---- machine -------------------------------------------------------------------------------- */

static int find_places(const struct htmt_machine *m, struct htmt__sar_decomposition *c,
                       struct htmt_fault *fault)
{
    static const char who[] = "SAR focusing";
    const struct {
        const char *name;
        bool works;
        uint32_t *layer;
    } layers[] = {{"hram", false, &c->hram},
                  {"dram", true, &c->dram},
                  {"sram", true, &c->sram},
                  {"cram", true, &c->cram}};
    const size_t count = sizeof layers / sizeof *layers;
    const bool named = htmt_machine_layer(m, layers[0].name) >= 0 || m->layer_count < count;
    for (size_t i = 0; i < count; i++) {
        int layer =
            named ? htmt_machine_layer(m, layers[i].name) : (int)(m->layer_count - count + i);
        if (layer < 0 || (layers[i].works && !m->layer[layer].processor.count))
            return htmt_fault_set(fault, HTMT_EINVAL,
                                  "machine %s: found no layer %s%s, expected one", m->name,
                                  layers[i].name, layer < 0 ? "" : " with processors");
        *layers[i].layer = (uint32_t)layer;
    }
    int rc = htmt_chain_network(m, who, c->hram, c->dram, false, &c->outward, fault);
    if (!rc)
        rc = htmt_chain_network(m, who, c->dram, c->sram, false, &c->vortex, fault);
    return rc ? rc : htmt_chain_network(m, who, c->sram, c->cram, false, &c->rti, fault);
}

/* ---- CRAM ----------------------------------------------------------------------------------- */

static uint64_t tile_words(const struct htmt__sar_decomposition *c, uint64_t bins, uint64_t columns)
{
    uint64_t in = columns + columns / 16 + 2 * HTMT__SAR_TAPS;
    return bins * (htmt__sar_words(c, in) + htmt__sar_words(c, columns));
}

/* Choose a tile of which two fit, if possible: few bins and the largest number of columns, then
 * more bins. */
static void shape_tile(struct htmt__sar_decomposition *c, uint64_t room)
{
    uint64_t half = room / 2, low = 1, high = c->plan.samples;
    uint32_t bins = least(TILE_BINS, c->plan.band);
    while (bins > 1 && tile_words(c, bins, 1) > half)
        bins--;
    while (low < high) {
        uint64_t middle = (low + high + 1) / 2;
        if (tile_words(c, bins, middle) <= half)
            low = middle;
        else
            high = middle - 1;
    }
    uint32_t across = ceil_div(c->plan.samples, (uint32_t)low);
    c->columns = ceil_div(c->plan.samples, across);
    c->bins = bins;
}

/* The references stay in CRAM; beside them there must be room for the largest parcel. */
static int fit_cram(const struct htmt_machine *m, struct htmt__sar_decomposition *c,
                    struct htmt_fault *fault)
{
    const struct htmt__sar_plan *p = &c->plan;
    const struct htmt_memory *cram = &m->layer[c->cram].memory;
    const uint64_t has = cram->capacity - cram->reserve;
    c->cram_resident = htmt__sar_words(c, p->range_length) + htmt__sar_azimuth_words(c) +
                       (p->rcmc ? htmt__sar_interpolator_words(c) : 0);
    const uint64_t room = has > c->cram_resident ? has - c->cram_resident : 0;
    if (p->rcmc)
        shape_tile(c, room);
    /* a workspace of doubles, whatever the lines are; a line; a column and its result; a tile */
    const uint64_t parcels[] = {
        2 * (uint64_t)p->range_length,
        htmt__sar_words(c, most(p->range_length, p->radar.samples)),
        2 * htmt__sar_words(c, most(p->azimuth_length, c->rows)),
        p->rcmc ? tile_words(c, c->bins, c->columns) : 0,
    };
    uint64_t wants = 0;
    for (size_t i = 0; i < sizeof parcels / sizeof *parcels; i++)
        wants = parcels[i] > wants ? parcels[i] : wants;
    if (wants <= room)
        return 0;
    return htmt_fault_set(fault, HTMT_ECAPACITY,
                          "%s of machine %s: found %" PRIu64 " words, expected references of "
                          "%" PRIu64 " and a parcel of %" PRIu64 " words: shorter lines or "
                          "--precision single take less",
                          cram->name, m->name, has, c->cram_resident, wants);
}

/* ---- SRAM, DRAM, HRAM ------------------------------------------------------------------------ */

static uint64_t in_words(uint64_t bytes)
{
    return (bytes + HTMT_WORD - 1) / HTMT_WORD;
}

/* SRAM holds the largest closure on its way up, DRAM the frames, HRAM the raw data and images of
 * the patches of slice 0, which has the largest number. */
static int fit_outside(const struct htmt_machine *m, const struct htmt__sar_decomposition *c,
                       struct htmt_fault *fault)
{
    static const enum htmt__sar_stage ways[] = {HTMT__SAR_RANGE, HTMT__SAR_AZIMUTH,
                                                HTMT__SAR_TRANSFORM, HTMT__SAR_MIGRATION,
                                                HTMT__SAR_FOCUS};
    const struct htmt__sar_plan *p = &c->plan;
    struct {
        uint32_t layer;
        uint64_t wants, has;
        const char *what;
    } outside[] = {{.layer = c->sram, .what = "a line"},
                   {.layer = c->dram, .what = c->frames > 1 ? "two patches" : "a patch"},
                   {.layer = c->hram, .what = "the raw data and images of a slice's patches"}};
    for (size_t i = 0; i < 3; i++) {
        const struct htmt_memory *memory = &m->layer[outside[i].layer].memory;
        outside[i].has = memory->capacity - memory->reserve;
    }
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        uint64_t w =
            htmt__sar_parcels(c, ways[i], 0) ? htmt__sar_load(c, ways[i], 0, 0).into_sram : 0;
        outside[0].wants = w > outside[0].wants ? w : outside[0].wants;
    }
    outside[1].wants =
        c->frames * in_words((uint64_t)c->rows * c->cells * c->point) +
        in_words(p->rcmc ? (uint64_t)p->band * c->straight_cells * c->point : 0) +
        2 * (uint64_t)(c->charges.from_file ? most(p->azimuth_length, p->radar.samples) : 0);
    /* the count stops when it is too much, since a model may have very many patches */
    for (uint64_t n = 0; n < c->patches && outside[2].wants <= outside[2].has; n += m->slices)
        outside[2].wants +=
            in_words(htmt__sar_raw_bytes(c, p->patch_lines)) +
            htmt__sar_stored_words(
                c, htmt__sar_plan_patch(p, htmt__sar_patch_of(c, (uint32_t)n)).lines);
    for (size_t i = 0; i < 3; i++)
        if (outside[i].wants > outside[i].has)
            return htmt_fault_set(fault, HTMT_ECAPACITY,
                                  "%s of machine %s: found %" PRIu64 " words, expected %" PRIu64
                                  " or more for %s",
                                  m->layer[outside[i].layer].memory.name, m->name, outside[i].has,
                                  outside[i].wants, outside[i].what);
    return 0;
}

/* ---- the decomposition ---------------------------------------------------------------------- */

/* Rows begin on a line of the host's cache, so that parcels on neighbouring columns do not share a
 * line. Rows are an odd number of lines apart, so that they do not meet in the cache's sets. */
static uint32_t row_cells(uint32_t cells, bool single)
{
    uint32_t in_line = single ? 8 : 4, lines = ceil_div(cells, in_line);
    return (lines | 1) * in_line;
}

struct htmt__sar_decomposition htmt__sar_undivided(const struct htmt__sar_plan *plan, bool single,
                                                   enum htmt__sar_format format,
                                                   const struct htmt__sar_charges *charges,
                                                   uint32_t patches)
{
    struct htmt__sar_decomposition c = {
        .plan = *plan,
        .patches = patches ? patches : plan->patches,
        .single = single,
        .format = format,
        .charges = *charges,
        .point = single ? 8 : 16,
        .rows = plan->rcmc ? most(plan->patch_lines, plan->band) : plan->patch_lines,
        .cells = row_cells(most(plan->radar.samples, plan->samples), single),
        .straight_cells = row_cells(plan->samples, single),
        .strips = 1,
        .bins = plan->band,
        .columns = plan->samples,
        .frames = 1,
        .window = WINDOW};
    /* a patch gives at most the rows of its transforms, and reads at most the rows that it takes */
    for (uint32_t i = 0; i < plan->patches; i++)
        c.rows = most(c.rows, htmt__sar_plan_patch(plan, i).lines);
    return c;
}

int htmt__sar_decomposition(const struct htmt_machine *m, const struct htmt__sar_plan *plan,
                            bool single, enum htmt__sar_format format,
                            const struct htmt__sar_charges *charges, uint32_t patches,
                            struct htmt__sar_decomposition *decomposition, struct htmt_fault *fault)
{
    struct htmt__sar_decomposition c = htmt__sar_undivided(plan, single, format, charges, patches);
    int rc = find_places(m, &c, fault);
    if (!rc)
        rc = fit_cram(m, &c, fault);
    if (rc)
        return rc;
    c.strips = least(m->layer[c.dram].processor.count, plan->patch_lines);
    c.frames = c.patches > m->slices ? HTMT__SAR_FRAMES : 1;
    rc = fit_outside(m, &c, fault);
    if (!rc)
        *decomposition = c;
    return rc;
}

/* ---- parcels -------------------------------------------------------------------------------- */

uint32_t htmt__sar_parcels(const struct htmt__sar_decomposition *c, enum htmt__sar_stage stage,
                           uint32_t patch)
{
    const struct htmt__sar_plan *p = &c->plan;
    switch (stage) {
    case HTMT__SAR_READ:
        return c->strips;
    case HTMT__SAR_RANGE_REFERENCE:
    case HTMT__SAR_AZIMUTH_REFERENCE:
        return 1;
    case HTMT__SAR_RANGE:
        return p->patch_lines;
    case HTMT__SAR_INTERPOLATOR:
        return p->rcmc;
    case HTMT__SAR_AZIMUTH:
        return p->rcmc ? 0 : p->samples;
    case HTMT__SAR_TRANSFORM:
        return p->rcmc ? p->compressed : 0;
    case HTMT__SAR_MIGRATION:
        return p->rcmc ? ceil_div(p->band, c->bins) * ceil_div(p->samples, c->columns) : 0;
    case HTMT__SAR_FOCUS:
        return p->rcmc ? p->samples : 0;
    case HTMT__SAR_WRITE:
        return least(c->strips, htmt__sar_plan_patch(p, patch).lines);
    case HTMT__SAR_STAGES:
        break;
    }
    return 0;
}

/* Neighbours in range follow each other. */
struct htmt__sar_tile htmt__sar_tile(const struct htmt__sar_decomposition *c, uint32_t i)
{
    uint32_t across = ceil_div(c->plan.samples, c->columns);
    uint32_t bin = i / across * c->bins, column = i % across * c->columns;
    return (struct htmt__sar_tile){.bin = bin,
                                   .bins = least(c->bins, c->plan.band - bin),
                                   .column = column,
                                   .columns = least(c->columns, c->plan.samples - column)};
}

static uint32_t inside(const struct htmt__sar_decomposition *c, int64_t cell)
{
    return cell < 0 ? 0 : cell > c->plan.compressed ? c->plan.compressed : (uint32_t)cell;
}

struct htmt__sar_cells htmt__sar_cells(const struct htmt__sar_decomposition *c,
                                       const struct htmt__sar_track *track, uint32_t column,
                                       uint32_t columns)
{
    int64_t first = track->start + column * track->step;
    int64_t last = first + (columns - 1) * track->step;
    struct htmt__sar_cells cells = {
        inside(c, (first >> HTMT__SAR_FRACTION_BITS) - HTMT__SAR_BEFORE),
        inside(c, (last >> HTMT__SAR_FRACTION_BITS) - HTMT__SAR_BEFORE + HTMT__SAR_TAPS)};
    return cells;
}

/* ---- loads ---------------------------------------------------------------------------------- */

/* A line of `in` points, padded in CRAM, and `out` points of the result. */
static struct htmt__sar_load line_load(const struct htmt__sar_decomposition *c, uint64_t in,
                                       uint64_t padded, uint64_t out)
{
    uint64_t back = htmt__sar_words(c, c->charges.from_file ? padded : out);
    return (struct htmt__sar_load){.into_sram = htmt__sar_words(c, in),
                                   .into_cram = htmt__sar_words(c, padded),
                                   .out_of_cram = back,
                                   .out_of_sram = back,
                                   .gathered = 1,
                                   .scattered = 1};
}

static struct htmt__sar_load column_load(const struct htmt__sar_decomposition *c, uint64_t in,
                                         uint64_t out)
{
    struct htmt__sar_load l = line_load(c, in, c->plan.azimuth_length, out);
    uint64_t result = htmt__sar_words(c, out);
    l.gathered = in;
    l.scattered = out;
    l.cram = l.into_cram + (result > l.out_of_cram ? result : l.out_of_cram);
    return l;
}

/* A cost file counts a line that each reference brings. */
static struct htmt__sar_load reference_load(const struct htmt__sar_decomposition *c, uint64_t line,
                                            uint64_t padded, uint64_t work)
{
    if (!c->charges.from_file)
        return (struct htmt__sar_load){.cram = work};
    return (struct htmt__sar_load){
        .into_sram = 2 * line, .into_cram = 2 * padded, .gathered = 1, .cram = 2 * padded};
}

static struct htmt__sar_load migration_load(const struct htmt__sar_decomposition *c, uint32_t index)
{
    struct htmt__sar_tile tile = htmt__sar_tile(c, index);
    uint64_t points = (uint64_t)tile.bins * tile.columns, out = htmt__sar_words(c, points);
    struct htmt__sar_load l = {.out_of_cram = out, .out_of_sram = out, .scattered = tile.bins};
    for (uint32_t b = tile.bin; b < tile.bin + tile.bins; b++) {
        struct htmt__sar_track track = htmt__sar_plan_track(&c->plan, htmt__sar_bin(&c->plan, b));
        struct htmt__sar_cells cells = htmt__sar_cells(c, &track, tile.column, tile.columns);
        l.into_sram += htmt__sar_words(c, cells.end - cells.first);
        l.gathered += cells.end > cells.first;
    }
    l.into_cram = l.into_sram;
    l.cram = l.into_cram + out;
    return l;
}

static struct htmt__sar_load strip_load(const struct htmt__sar_decomposition *c,
                                        enum htmt__sar_stage stage, uint32_t patch, uint32_t index)
{
    bool read = stage == HTMT__SAR_READ;
    uint32_t lines = read ? c->plan.patch_lines : htmt__sar_plan_patch(&c->plan, patch).lines;
    struct htmt__sar_strip s = htmt__sar_strip(lines, htmt__sar_parcels(c, stage, patch), index);
    uint64_t n = s.end - s.first;
    uint64_t points = n * (read ? c->plan.radar.samples : c->plan.samples);
    uint64_t words =
        htmt__sar_channel_words(c, points, read ? htmt__sar_raw_bytes(c, n) : points * c->point);
    return read ? (struct htmt__sar_load){.into_dram = words}
                : (struct htmt__sar_load){.out_of_dram = words};
}

struct htmt__sar_load htmt__sar_load(const struct htmt__sar_decomposition *c,
                                     enum htmt__sar_stage stage, uint32_t patch, uint32_t index)
{
    const struct htmt__sar_plan *p = &c->plan;
    struct htmt__sar_load l = {0};
    switch (stage) {
    case HTMT__SAR_READ:
    case HTMT__SAR_WRITE:
        return strip_load(c, stage, patch, index);
    case HTMT__SAR_RANGE_REFERENCE:
        return reference_load(c, p->radar.samples, p->range_length, 2 * (uint64_t)p->range_length);
    case HTMT__SAR_RANGE:
        l = line_load(c, p->radar.samples, p->range_length, p->radar.samples);
        l.cram = l.into_cram;
        return l;
    case HTMT__SAR_AZIMUTH_REFERENCE:
        return reference_load(c, p->azimuth_length, p->azimuth_length, 0);
    case HTMT__SAR_AZIMUTH:
        return column_load(c, p->patch_lines, htmt__sar_plan_patch(p, patch).lines);
    case HTMT__SAR_TRANSFORM:
        return column_load(c, p->patch_lines, p->band);
    case HTMT__SAR_MIGRATION:
        return migration_load(c, index);
    case HTMT__SAR_FOCUS:
        return column_load(c, p->band, htmt__sar_plan_patch(p, patch).lines);
    case HTMT__SAR_INTERPOLATOR:
    case HTMT__SAR_STAGES:
        break;
    }
    return l;
}
