/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parcels of each stage, the desk that leads patches through the stages, and the set-up.
 */
#include "apps/sar/program.h"

#include "apps/sar/desk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what parcels are made of --------------------------------------------------------------- */

static uint32_t plan_patch(const struct htmt__sar_order *o)
{
    return htmt__sar_patch_of(&o->p->cut, o->patch);
}

static const struct htmt__sar_place *place_of(const struct htmt__sar_order *o)
{
    return &o->p->place[o->patch % o->p->slices];
}

/* Point (row, cell) of the patch's frame. */
static struct htmt_addr in_patch(const struct htmt__sar_order *o, uint64_t row, uint64_t cell)
{
    const struct htmt__sar_cut *c = &o->p->cut;
    return htmt_in(place_of(o)->patch[o->turn % c->frames], (row * c->cells + cell) * c->point);
}

static struct htmt_addr in_straight(const struct htmt__sar_order *o, uint64_t bin, uint64_t column)
{
    const struct htmt__sar_cut *c = &o->p->cut;
    return htmt_in(place_of(o)->straight, (bin * c->straight_cells + column) * c->point);
}

/* `rows` rows of `points` points of a frame with so many a row. */
static struct htmt_pieces pieces(const struct htmt__sar_cut *c, uint64_t points, uint64_t rows,
                                 uint64_t per_row)
{
    return (struct htmt_pieces){points * c->point, rows, (int64_t)(per_row * c->point)};
}

/* What leaves CRAM and SRAM is what there is; with a cost file, the padded line. */
static void words_out(const struct htmt__sar_cut *c, struct htmt_region *r, uint64_t padded)
{
    uint64_t words = c->charges.from_file ? htmt__sar_words(c, padded) : (r->bytes + 7) / 8;
    r->out_words[c->cram] = r->out_words[c->sram] = words;
}

/* Region 0: the strip's pairs, region 1: its rows in the frame. */
static uint32_t read_regions(const struct htmt__sar_order *o, struct htmt_region *r)
{
    const struct htmt__sar_cut *c = &o->p->cut;
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
    const struct htmt__sar_cut *c = &o->p->cut;
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

/* Room for n complex doubles to work in. With a cost file a line comes with it, which the paper
 * counts and the kernels do not need. */
static struct htmt_region brought(const struct htmt__sar_order *o, uint64_t line, uint64_t n)
{
    struct htmt_region r = {.bytes = 16 * n, .filled = true};
    if (!o->p->cut.charges.from_file)
        return r;
    r = (struct htmt_region){.from = htmt_in(place_of(o)->line, 0), .bytes = 16 * line};
    r.in_words[o->p->cut.cram] = 2 * n;
    return r;
}

static uint32_t range_reference_regions(const struct htmt__sar_order *o, struct htmt_region *r)
{
    const struct htmt__sar_cut *c = &o->p->cut;
    uint64_t n = c->plan.range_length;
    r[0] = brought(o, c->plan.radar.samples, n);
    r[1] = (struct htmt_region){.into = htmt_in(place_of(o)->range_reference, 0),
                                .bytes = n * c->point};
    return 2;
}

static struct htmt_region reference(struct htmt_object *o)
{
    return (struct htmt_region){
        .into = htmt_in(o, 0), .bytes = htmt_object_size(o), .read_only = true};
}

/* Region 0: a line, padded in CRAM, region 1: the reference. */
static uint32_t range_regions(const struct htmt__sar_order *o, struct htmt_region *r)
{
    const struct htmt__sar_cut *c = &o->p->cut;
    struct htmt_addr line = in_patch(o, o->index, 0);
    r[0] = (struct htmt_region){
        .from = line, .to = line, .bytes = (uint64_t)c->plan.radar.samples * c->point};
    r[0].in_words[c->cram] = htmt__sar_words(c, c->plan.range_length);
    words_out(c, &r[0], c->plan.range_length);
    r[1] = reference(place_of(o)->range_reference);
    return 2;
}

static struct htmt_region made(struct htmt_object *o)
{
    struct htmt_region r = reference(o);
    r.read_only = false;
    return r;
}

/* Region 0: the weights. */
static uint32_t interpolator_regions(const struct htmt__sar_order *o, struct htmt_region *r)
{
    r[0] = made(place_of(o)->interpolator);
    return 1;
}

/* Region 0: the reference; with a cost file, region 1: the line that it brings. */
static uint32_t azimuth_reference_regions(const struct htmt__sar_order *o, struct htmt_region *r)
{
    uint32_t n = o->p->cut.plan.azimuth_length;
    r[0] = made(place_of(o)->azimuth_reference);
    r[1] = brought(o, n, n);
    return o->p->cut.charges.from_file ? 2 : 1;
}

/* A column of the patch, padded in CRAM. */
static struct htmt_region column(const struct htmt__sar_order *o)
{
    const struct htmt__sar_cut *c = &o->p->cut;
    struct htmt_region r = {.from = in_patch(o, 0, o->index),
                            .from_pieces = pieces(c, 1, c->plan.patch_lines, c->cells),
                            .bytes = (uint64_t)c->plan.patch_lines * c->point};
    r.in_words[c->cram] = htmt__sar_words(c, c->plan.azimuth_length);
    return r;
}

/* `rows` points of a column back into the frame. */
static struct htmt_region column_back(const struct htmt__sar_order *o, uint32_t rows)
{
    const struct htmt__sar_cut *c = &o->p->cut;
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
    const struct htmt__sar_plan *p = &o->p->cut.plan;
    r[0] = column(o);
    r[1] = column_back(o, htmt__sar_plan_patch(p, plan_patch(o)).lines);
    r[2] = reference(place_of(o)->azimuth_reference);
    return 3;
}

/* Region 0: a column, region 1: its band. */
static uint32_t transform_regions(const struct htmt__sar_order *o, struct htmt_region *r)
{
    r[0] = column(o);
    r[1] = column_back(o, o->p->cut.plan.band);
    return 2;
}

/* Region 0: the straightened tile, region 1: the weights, then the cells of each bin that has any.
 */
static uint32_t migration_regions(const struct htmt__sar_order *o, struct htmt_region *r)
{
    const struct htmt__sar_cut *c = &o->p->cut;
    struct htmt__sar_tile tile = htmt__sar_tile(c, o->index);
    uint32_t count = 2;
    r[0] = (struct htmt_region){.to = in_straight(o, tile.bin, tile.column),
                                .to_pieces = pieces(c, tile.columns, tile.bins, c->straight_cells),
                                .bytes = (uint64_t)tile.bins * tile.columns * c->point,
                                .filled = true};
    words_out(c, &r[0], (uint64_t)tile.bins * tile.columns);
    r[1] = reference(place_of(o)->interpolator);
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
    const struct htmt__sar_cut *c = &o->p->cut;
    r[0] = (struct htmt_region){.from = in_straight(o, 0, o->index),
                                .from_pieces = pieces(c, 1, c->plan.band, c->straight_cells),
                                .bytes = (uint64_t)c->plan.band * c->point};
    r[0].in_words[c->cram] = htmt__sar_words(c, c->plan.azimuth_length);
    r[1] = column_back(o, htmt__sar_plan_patch(&c->plan, plan_patch(o)).lines);
    r[2] = reference(place_of(o)->azimuth_reference);
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

static void assemble(struct htmt_context *c, const struct htmt__sar_order *o)
{
    struct htmt_region *r = o->p->region;
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){.type = o->p->type[o->stage],
                                             .slice = htmt_slice(c),
                                             .regions = r,
                                             .region_count = regions[o->stage](o, r),
                                             .args = o,
                                             .on_done = o->done},
                  NULL);
}

/* A line has left CRAM, so another may follow: from the SPIM, since the DPIMs may be busy with the
 * bytes of other patches. */
static void follow(struct htmt_context *c)
{
    struct htmt__sar_order o = *(const struct htmt__sar_order *)htmt_args(c);
    o.index += o.p->cut.window;
    if (o.index < htmt__sar_parcels(&o.p->cut, o.stage, plan_patch(&o)))
        assemble(c, &o);
}

/* ---- the desk ------------------------------------------------------------------------------- */

struct desk {
    const htmt__sar *p;
    uint32_t begun[HTMT__SAR_STAGES], done[HTMT__SAR_STAGES]; /* patches of this slice */
};

/* A stage of a patch begins when another stage is over of the patch so many turns before. */
struct rule {
    uint32_t stage, after, turns;
};

static const struct rule rules[] = {
    {HTMT__SAR_RANGE_REFERENCE, HTMT__SAR_RANGE, 1}, /* nobody uses the one before any more */
    {HTMT__SAR_RANGE, HTMT__SAR_READ, 0},
    {HTMT__SAR_RANGE, HTMT__SAR_AZIMUTH, 1}, /* else the patch before is written too late */
    {HTMT__SAR_RANGE, HTMT__SAR_FOCUS, 1},
    {HTMT__SAR_RANGE, HTMT__SAR_RANGE_REFERENCE, 0},
    {HTMT__SAR_INTERPOLATOR, HTMT__SAR_MIGRATION, 1},
    {HTMT__SAR_AZIMUTH_REFERENCE, HTMT__SAR_AZIMUTH, 1},
    {HTMT__SAR_AZIMUTH_REFERENCE, HTMT__SAR_FOCUS, 1},
    {HTMT__SAR_AZIMUTH, HTMT__SAR_RANGE, 0},
    {HTMT__SAR_AZIMUTH, HTMT__SAR_AZIMUTH_REFERENCE, 0},
    {HTMT__SAR_TRANSFORM, HTMT__SAR_RANGE, 0},
    {HTMT__SAR_MIGRATION, HTMT__SAR_TRANSFORM, 0},
    {HTMT__SAR_MIGRATION, HTMT__SAR_INTERPOLATOR, 0},
    {HTMT__SAR_MIGRATION, HTMT__SAR_FOCUS, 1}, /* its frame is free */
    {HTMT__SAR_FOCUS, HTMT__SAR_MIGRATION, 0},
    {HTMT__SAR_FOCUS, HTMT__SAR_AZIMUTH_REFERENCE, 0},
    {HTMT__SAR_WRITE, HTMT__SAR_AZIMUTH, 0},
    {HTMT__SAR_WRITE, HTMT__SAR_FOCUS, 0},
};

static uint32_t turns(const htmt__sar *p, uint32_t slice)
{
    return (p->cut.patches - slice - 1) / p->slices + 1;
}

static uint32_t patch_of(const htmt__sar *p, uint32_t slice, uint32_t turn)
{
    return slice + turn * p->slices;
}

static bool over(const struct desk *d, uint32_t stage, uint32_t turn, uint32_t before)
{
    return d->done[stage] + before > turn;
}

/* Stages take patches one after another; a patch needs a frame. */
static bool may_begin(const struct desk *d, uint32_t stage)
{
    uint32_t turn = d->begun[stage];
    bool may = turn == d->done[stage];
    if (stage == HTMT__SAR_READ)
        may &= over(d, HTMT__SAR_WRITE, turn, d->p->cut.frames);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].stage == stage)
            may &= over(d, rules[i].after, turn, rules[i].turns);
    return may;
}

static struct htmt_slot fiber_of(struct htmt_context *c, uint32_t stage)
{
    return htmt_slot(c, 1 + stage);
}

/* Lines follow each other; the others are few. A stage without parcels is over at once. */
static void begin(struct htmt_context *c, uint32_t stage)
{
    struct desk *d = htmt_args(c);
    struct htmt__sar_order o = {
        .p = d->p, .stage = stage, .turn = d->begun[stage]++, .done = fiber_of(c, stage)};
    o.patch = patch_of(d->p, htmt_slice(c), o.turn);
    uint32_t parcels = htmt__sar_parcels(&d->p->cut, stage, plan_patch(&o));
    bool strips = stage == HTMT__SAR_READ || stage == HTMT__SAR_WRITE;
    uint32_t now = strips || parcels < d->p->cut.window ? parcels : d->p->cut.window;
    if (!parcels) {
        d->done[stage]++;
        return;
    }
    htmt_slot_set(c, 1 + stage, parcels, 0);
    for (; o.index < now; o.index++)
        assemble(c, &o);
}

/* Begin all that may begin now; what is over at once may let others begin. */
static void go_on(struct htmt_context *c)
{
    const struct desk *d = htmt_args(c);
    uint32_t all = turns(d->p, htmt_slice(c));
    bool again = true;
    while (again) {
        again = false;
        for (uint32_t stage = 0; stage < HTMT__SAR_STAGES; stage++)
            if (d->begun[stage] < all && may_begin(d, stage)) {
                begin(c, stage);
                again = true;
            }
    }
    if (d->done[HTMT__SAR_WRITE] == all)
        htmt_retire(c, htmt_self(c));
}

/* Enabled when all parcels of a stage are done. */
static void stage_over(struct htmt_context *c)
{
    struct desk *d = htmt_args(c);
    d->done[htmt_fiber(c) - 1]++;
    go_on(c);
}

/* ---- set-up --------------------------------------------------------------------------------- */

static int create_desk(htmt__sar *p)
{
    struct htmt_stage fibers[HTMT__SAR_STAGES];
    for (uint32_t i = 0; i < HTMT__SAR_STAGES; i++)
        fibers[i] = (struct htmt_stage){.control = stage_over};
    const char *sram = htmt_emulator_machine(p->e)->layer[p->cut.sram].name;
    struct htmt_type_desc d = {.name = "Desk",
                               .home = sram,
                               .exec = sram,
                               .execute = {.control = go_on},
                               .fibers = fibers,
                               .fiber_count = HTMT__SAR_STAGES,
                               .gates = HTMT_GATE(HTMT_RETIRE),
                               .args_bytes = sizeof(struct desk)};
    return htmt_type_create(p->e, &d, &p->desk);
}

static bool is_reference(uint32_t stage)
{
    return stage == HTMT__SAR_RANGE_REFERENCE || stage == HTMT__SAR_INTERPOLATOR ||
           stage == HTMT__SAR_AZIMUTH_REFERENCE;
}

static int create_types(htmt__sar *p)
{
    const struct htmt_machine *m = htmt_emulator_machine(p->e);
    int rc = 0;
    for (uint32_t i = 0; i < HTMT__SAR_STAGES && !rc; i++) {
        bool strips = i == HTMT__SAR_READ || i == HTMT__SAR_WRITE;
        struct htmt_type_desc d = {
            .name = htmt__sar_stage_name(i),
            .home = m->layer[strips ? p->cut.hram : p->cut.dram].name,
            .exec = m->layer[strips ? p->cut.dram : p->cut.cram].name,
            .execute = {.kernel = htmt__sar_kernels[i], .cost = htmt__sar_cost},
            .footprint = is_reference(i) || i == HTMT__SAR_READ ? HTMT_RESIDENT : HTMT_CLOSURE,
            .in_place = true,
            .departures = strips ? 0 : HTMT_DEPARTS_RESIDENT,
            .args_bytes = sizeof(struct htmt__sar_order)};
        if (!strips && !is_reference(i))
            d.retire.control = follow;
        rc = htmt_type_create(p->e, &d, &p->type[i]);
    }
    return rc ? rc : create_desk(p);
}

/* Patches overlap in the raw data, which nobody writes, not in the image. */
static int wrap_patch(htmt__sar *p, const struct htmt__sar_data *data, uint32_t n)
{
    const struct htmt__sar_cut *c = &p->cut;
    struct htmt__sar_patch patch = htmt__sar_plan_patch(&c->plan, htmt__sar_patch_of(c, n));
    uint64_t raw = htmt__sar_raw_bytes(c, c->plan.patch_lines);
    uint64_t image = (uint64_t)patch.lines * c->plan.samples * c->point;
    char *from = data->raw ? (char *)data->raw->bytes + htmt__sar_raw_bytes(c, patch.first) : NULL;
    char *to = data->raw
                   ? (char *)data->image + (uint64_t)patch.image_line * c->plan.samples * c->point
                   : NULL;
    uint32_t slice = n % p->slices;
    int rc = htmt_object_wrap(p->e, slice, c->hram, from, raw, (raw + HTMT_WORD - 1) / HTMT_WORD,
                              "raw data", &p->data[n]);
    return rc ? rc
              : htmt_object_wrap(p->e, slice, c->hram, to, image,
                                 htmt__sar_stored_words(c, patch.lines), "image", &p->image[n]);
}

static int create(htmt__sar *p, uint32_t slice, uint32_t layer, uint64_t bytes, const char *name,
                  struct htmt_object **object)
{
    return htmt_object_create(p->e, slice, layer, bytes, name, object);
}

static int create_frames(htmt__sar *p, uint32_t slice)
{
    const struct htmt__sar_cut *c = &p->cut;
    struct htmt__sar_place *at = &p->place[slice];
    uint64_t points = (uint64_t)c->rows * c->cells;
    uint64_t line = c->plan.azimuth_length > c->plan.radar.samples ? c->plan.azimuth_length
                                                                   : c->plan.radar.samples;
    int rc = 0;
    for (uint32_t i = 0; i < c->frames && !rc; i++)
        rc = create(p, slice, c->dram, points * c->point, "patch", &at->patch[i]);
    if (!rc && c->charges.from_file)
        rc = create(p, slice, c->dram, 16 * line, "reference line", &at->line);
    if (!rc && c->plan.rcmc)
        rc = create(p, slice, c->dram, (uint64_t)c->plan.band * c->straight_cells * c->point,
                    "straight patch", &at->straight);
    return rc;
}

static int create_references(htmt__sar *p, uint32_t slice)
{
    const struct htmt__sar_cut *c = &p->cut;
    struct htmt__sar_place *at = &p->place[slice];
    int rc = create(p, slice, c->cram, (uint64_t)c->plan.range_length * c->point, "range reference",
                    &at->range_reference);
    if (!rc)
        rc = create(p, slice, c->cram, htmt__sar_azimuth_words(c) * HTMT_WORD, "azimuth reference",
                    &at->azimuth_reference);
    if (!rc && c->plan.rcmc)
        rc = create(p, slice, c->cram, htmt__sar_interpolator_words(c) * HTMT_WORD, "interpolator",
                    &at->interpolator);
    return rc;
}

static int create_objects(htmt__sar *p, const struct htmt__sar_data *data)
{
    int rc = 0;
    for (uint32_t i = 0; i < p->places && !rc; i++) {
        rc = create_frames(p, i);
        if (!rc)
            rc = create_references(p, i);
    }
    for (uint32_t n = 0; n < p->cut.patches && !rc; n++)
        rc = wrap_patch(p, data, n);
    return rc;
}

static int create_transforms(htmt__sar *p, struct htmt_fault *fault)
{
    const struct htmt__sar_cut *c = &p->cut;
    struct htmt__fft_shape shape = {.length = c->plan.range_length};
    int rc = htmt__fft_create(&shape, &p->reference, fault);
    shape.single = c->single;
    for (uint32_t i = 0; i < 2 && !rc; i++) {
        shape.backward = i;
        shape.length = c->plan.range_length;
        rc = htmt__fft_create(&shape, &p->range[i], fault);
        shape.length = c->plan.azimuth_length;
        rc = rc ? rc : htmt__fft_create(&shape, &p->azimuth[i], fault);
    }
    return rc;
}

static int allocate(htmt__sar *p)
{
    const struct htmt__sar_plan *plan = &p->cut.plan;
    p->places = p->cut.patches < p->slices ? p->cut.patches : p->slices;
    p->place = calloc(p->places, sizeof *p->place);
    p->track = calloc(plan->band, sizeof *p->track);
    p->data = calloc(p->cut.patches, sizeof(struct htmt_object *));
    p->image = calloc(p->cut.patches, sizeof(struct htmt_object *));
    p->region = calloc((size_t)p->cut.bins + 3, sizeof *p->region);
    if (!p->place || !p->track || !p->data || !p->image || !p->region)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < plan->band; i++)
        p->track[i] = htmt__sar_plan_track(plan, htmt__sar_bin(plan, i));
    return 0;
}

static int start(htmt__sar *p)
{
    struct desk d = {.p = p};
    int rc = 0;
    for (uint32_t i = 0; i < p->places && !rc; i++)
        rc = htmt_assemble(htmt_root(p->e),
                           &(struct htmt_parcel_desc){.type = p->desk, .slice = i, .args = &d},
                           NULL);
    return rc;
}

/* The host hands out pages when they are first written: now, not while the emulation is timed. */
static void touch(struct htmt_object *o)
{
    void *bytes = o ? htmt_object_bytes(o) : NULL;
    if (bytes)
        memset(bytes, 0, htmt_object_size(o));
}

static void touch_frames(htmt__sar *p)
{
    for (uint32_t i = 0; i < p->places; i++) {
        touch(p->place[i].patch[0]);
        touch(p->place[i].patch[1]);
        touch(p->place[i].straight);
    }
}

static int fill(htmt__sar *p, const struct htmt__sar_data *data)
{
    int rc = create_objects(p, data);
    if (!rc)
        rc = create_types(p);
    if (!rc)
        touch_frames(p);
    return rc ? rc : start(p);
}

static int check_data(const struct htmt__sar_cut *c, const struct htmt__sar_raw *raw,
                      struct htmt_fault *fault)
{
    const struct htmt__sar_radar *r = &c->plan.radar;
    if (!raw || (raw->lines == r->lines && raw->samples == r->samples && raw->format == c->format &&
                 c->patches == c->plan.patches))
        return 0;
    return htmt_fault_set(
        fault, HTMT_EINVAL, "found raw data of %u x %u and %u patches, expected %u x %u and %u",
        raw->lines, raw->samples, c->patches, r->lines, r->samples, c->plan.patches);
}

int htmt__sar_program_create(struct htmt_emulator *e, const struct htmt__sar_cut *cut,
                             const struct htmt__sar_data *data, struct htmt__sar_program **program,
                             struct htmt_fault *fault)
{
    int rc = check_data(cut, data->raw, fault);
    if (rc)
        return rc;
    htmt__sar *p = calloc(1, sizeof *p);
    if (!p)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the program");
    p->e = e;
    p->cut = *cut;
    p->slices = htmt_emulator_slices(e);
    p->raw = data->raw;
    if ((rc = allocate(p)))
        htmt_fault_set(fault, rc, "no host memory for the program");
    else if (data->raw)
        rc = create_transforms(p, fault);
    if (!rc && (rc = fill(p, data)))
        htmt_fault_set(fault, rc, "%s", htmt_emulator_fault(e)->text);
    if (rc)
        htmt__sar_program_destroy(&p);
    else
        *program = p;
    return rc;
}

void htmt__sar_program_release(struct htmt__sar_program *p)
{
    for (uint32_t i = 0; i < p->places; i++) {
        htmt_object_destroy(&p->place[i].patch[0]);
        htmt_object_destroy(&p->place[i].patch[1]);
        htmt_object_destroy(&p->place[i].straight);
    }
}

void htmt__sar_program_destroy(struct htmt__sar_program **program)
{
    htmt__sar *p = *program;
    if (!p)
        return;
    for (uint32_t i = 0; i < 2; i++) {
        htmt__fft_destroy(&p->range[i]);
        htmt__fft_destroy(&p->azimuth[i]);
    }
    htmt__fft_destroy(&p->reference);
    free(p->place);
    free(p->track);
    free(p->data);
    free(p->image);
    free(p->region);
    free(p);
    *program = NULL;
}

void htmt__sar_kernel_set(char *text, size_t room)
{
    char fft[48];
    htmt__fft_name(fft, sizeof fft);
    snprintf(text, room, "%s, %s", fft, htmt__sar_vectors());
}
