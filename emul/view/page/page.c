/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writing the page. Slices come one after the other: each is read once, block by block; its
 * intervals go into the sums of its rows and bins (pyramid.c), into the strips of its group of
 * slices, and, if it is in full detail, into a tile for each block. What is packed is written at
 * once, so that memory holds one slice and the sums of all. The manifest comes last, since it names
 * all elements.
 *
 * Three kinds of data let the page draw any zoom of any number of slices with as many numbers as
 * pixels. Tiles have every interval of a slice, and are read when its bars are wide enough to be
 * seen. Sums have the time that each row of a slice was busy, waited and was blocked, bin by bin,
 * and stand for the tiles of a wider view. Strips have the same of groups of neighbouring slices,
 * so that 4096 slices fit above each other on one screen. All three are made in one reading, since
 * reading is what a long trace costs.
 *
 * Detail has a cap in bytes of the page. The slices that the page opens first (loads.c) come first;
 * the first slice whose tiles pass the cap loses them all, and so do all slices behind it: a slice
 * is in detail or is not, so that the page never shows half of one as if it were idle.
 */
#include "emul/view/page/page.h"

#include "emul/lib/trace/lane_layout.h"
#include "emul/view/page/critical_path.h"
#include "emul/view/page/element.h"
#include "emul/view/page/manifest.h"
#include "emul/view/page/pyramid.h"
#include "emul/view/page/tile.h"
#include "runtime/base/array.h"

#include <stdlib.h>
#include <string.h>

enum {
    FINE_BINS = 2048, /* of the slices that the page opens first */
    LEAST_BINS = 8,
    CELLS = 300000, /* rows x bins of the other slices together, unless they have the fewest */
    STRIP_GROUPS = 64,
    STRIP_SINGLE = 16, /* where slices share lines, so many have lines of their own */
    STRIP_BINS = 256,  /* at least, */
    STRIP_BINS_MOST = 2048,
    STRIP_CELLS = 700000, /* rows x groups x bins of all strips, unless they have the fewest bins */
    PART = 4096,          /* intervals of a tile of a window */
    CHANGES = 65536,      /* of section in a slice: of more none is listed */
};

/* The page without data, as emul/view/page/join puts it together: template.inc, below the folder of
 * the build, has its bytes. */
static const char template[] = {
#include <page/template.inc>
};

/* The line of the template in whose place the data go. */
static const char data_marker[] = "<!--HTMT-DATA-->\n";

struct work {
    struct htmt_trace *trace;
    struct htmt__page_contents contents;
    struct htmt__rows rows;
    struct htmt__trace_slices slices;
    struct htmt__trace_part part;
    struct htmt__page_loads loads;
    uint32_t *place; /* of each slice: its place in the order of loads */
    struct htmt__trace_path path;
    uint32_t *depth;
    struct htmt__tile_encoder *encoder;
    struct htmt__packer *packer;
    struct htmt__pyramid *strips; /* of (row, group) */
    struct htmt__bytes raw, packed;
    struct htmt_trace_block b;
    uint64_t detail_bytes;
    unsigned elements;
    struct htmt__page_summary summary;
    FILE *out;
};

/* One slice at a time. */
struct slice_work {
    const struct htmt__trace_slice *slice;
    uint32_t group;
    struct htmt__lane_layout marks;
    struct htmt__pyramid *pyramid;
    struct htmt__fill *fill;
    struct htmt__page_sums sums;
    struct htmt__bytes changes; /* of section: instant, section */
    uint64_t change_count;
    uint64_t first_tile; /* its tiles come from here on */
    uint64_t bytes;      /* that they take in the page */
    bool detailed;       /* its tiles still fit */
};

/* ---- sums ----------------------------------------------------------------------------------- */

/* In the sums of the slice, and in the strip of its group. */
static void add_span(struct work *w, struct slice_work *s, uint32_t row,
                     enum htmt__quantity quantity, htmt_time from, htmt_time to)
{
    if (from == to)
        return;
    htmt__pyramid_add(s->pyramid, row, quantity, from, to);
    htmt__pyramid_add(w->strips, row * w->contents.strips.groups + s->group, quantity, from, to);
}

static int pack(struct work *w)
{
    htmt__pack(w->packer, &w->raw, &w->packed);
    return w->packed.failed ? HTMT_ENOMEM : 0;
}

/* Packs `raw` into an element of its own. */
static int write_raw(struct work *w, unsigned *element)
{
    htmt__bytes_reset(&w->packed);
    int rc = pack(w);
    if (rc)
        return rc;
    *element = w->elements++;
    htmt__element_write(w->out, *element, w->packed.byte, w->packed.count);
    return 0;
}

static int write_strips(struct work *w)
{
    struct htmt__page_strips *s = &w->contents.strips;
    int rc = 0;
    s->element = w->elements;
    for (uint32_t row = 0; row < w->rows.count && s->groups && !rc; row++) {
        unsigned element;
        htmt__bytes_reset(&w->raw);
        for (uint32_t g = 0; g < s->groups; g++)
            htmt__pyramid_encode(w->strips, row * s->groups + g, &w->raw);
        rc = write_raw(w, &element);
    }
    return rc;
}

/* How many messages go from the slices of each line to those of each column. */
static int write_matrix(struct work *w)
{
    const struct htmt__page_loads *l = &w->loads;
    htmt__bytes_reset(&w->raw);
    for (size_t i = 0; i < (size_t)l->side * l->side; i++)
        htmt__bytes_number(&w->raw, l->messages[i]);
    return write_raw(w, &w->contents.matrix);
}

/* A trace from which intervals were left out has no whole path. */
static int write_path(struct work *w, struct htmt_fault *fault)
{
    struct htmt__page_path *p = &w->contents.path;
    if (w->contents.info->filtered)
        return 0;
    int rc = htmt__trace_path_find(w->trace, &w->path, fault);
    if (!rc) {
        htmt__bytes_reset(&w->raw);
        p->path = &w->path;
        p->count = htmt__page_path_encode(&w->path, w->contents.options, &w->raw);
        rc = p->count ? write_raw(w, &p->element) : 0;
    }
    /* The manifest names its ports. */
    free(w->path.piece);
    w->path.piece = NULL;
    w->path.count = 0;
    return rc;
}

/* ---- detail --------------------------------------------------------------------------------- */

static bool in_window(const struct htmt__page_options *o, const struct htmt_trace_block *b)
{
    return !o->windowed || (b->from < o->to && b->to >= o->from);
}

/* The tile goes behind those of the slice that are packed already. If they pass the cap now, those
 * of this slice, and of all that come after it, are left out. */
static int detail(struct work *w, struct slice_work *s, const struct htmt_trace_block *b)
{
    struct htmt__page_contents *p = &w->contents;
    size_t before = w->packed.count;
    htmt__bytes_reset(&w->raw);
    htmt__tile_encode(w->encoder, b, &s->marks, &w->raw);
    int rc = pack(w);
    if (!rc && !htmt__array_fits(&p->tile, &p->tile_room, (size_t)p->tiles + 1, sizeof *p->tile))
        rc = HTMT_ENOMEM;
    if (rc)
        return rc;
    p->tile[p->tiles++] = (struct htmt__page_tile){.b = *b, .packed = w->packed.count - before};
    s->bytes += htmt__element_bytes(w->packed.count - before);
    if (w->detail_bytes + s->bytes > p->options->detail_cap) {
        s->detailed = false;
        p->tiles = s->first_tile;
        w->summary.capped = true;
    }
    return 0;
}

/* ---- a slice -------------------------------------------------------------------------------- */

/* The line of the strips of a slice, by its place in the order of loads. A mean over dozens of
 * slices would hide the one that all wait for, so the busiest have lines of their own. */
static uint32_t group_of(const struct work *w, uint32_t place)
{
    const uint32_t groups = w->contents.strips.groups, single = w->contents.strips.single;
    if (place < single)
        return place;
    return single +
           (uint32_t)((uint64_t)(place - single) * (groups - single) / (w->slices.count - single));
}

/* Sums of few slices have many bins. The more slices there are, the fewer bins most of them have: a
 * power of two. The slices that the page opens first have all bins always. */
static int begin_slice(struct work *w, uint32_t i, struct slice_work *s, struct htmt_fault *fault)
{
    const struct htmt_trace_info *info = w->contents.info;
    const struct htmt__page_options *o = w->contents.options;
    uint64_t cells = (uint64_t)w->slices.count * w->rows.count;
    uint32_t bins = FINE_BINS;
    while (!htmt__page_loads_is_first(&w->loads, i) && bins > LEAST_BINS && cells * bins > CELLS)
        bins /= 2;
    htmt_time bin = htmt__pyramid_bin(w->slices.end, bins);
    *s = (struct slice_work){.slice = &w->slices.slice[i], .first_tile = w->contents.tiles};
    s->sums = (struct htmt__page_sums){s->slice->slice, bins, bin, 0};
    s->group = group_of(w, w->place[i]);
    bool chosen = !o->slice_ranges;
    for (uint32_t k = 0; k < o->slice_ranges; k++)
        chosen = chosen ||
                 (o->slices[k].first <= s->slice->slice && s->slice->slice <= o->slices[k].last);
    s->detailed = chosen && !w->summary.capped;
    s->pyramid = htmt__pyramid_create(w->rows.count, bins, bin);
    s->fill = htmt__fill_create(info->layers, bins, bin);
    if (!s->pyramid || !s->fill)
        return HTMT_ENOMEM;
    return htmt__lane_layout_make(w->trace, &w->rows, s->slice, &s->marks, fault);
}

/* All blocks of the slice; of a window the parts of a block that meet it are in full detail. */
static int read_blocks(struct work *w, struct slice_work *s, struct htmt_fault *fault)
{
    const struct htmt__page_options *o = w->contents.options;
    int rc = 0;
    for (uint64_t i = 0; i < s->slice->blocks && !rc; i++) {
        rc = htmt__trace_read_sorted(w->trace, s->slice->place + i, &w->b, fault);
        if (rc)
            return rc;
        for (uint32_t n = 0; n < w->b.count; n++) {
            const struct htmt_trace_interval *at = &w->b.interval[n];
            const uint32_t row = w->rows.of_step[at->step];
            const htmt_time start = at->end - at->service;
            const bool holds = s->marks.state[w->b.first + n] & HTMT__LANE_HOLDS;
            if (w->contents.info->step[at->step].place == HTMT_TRACE_SECTION &&
                s->change_count++ < CHANGES) {
                htmt__bytes_number(&s->changes, (uint64_t)at->end);
                htmt__bytes_number(&s->changes, at->serial);
            }
            if (w->contents.info->step[at->step].place != HTMT_TRACE_PAUSED)
                add_span(w, s, row, HTMT__BUSY, start, at->end);
            add_span(w, s, row, holds ? HTMT__BLOCKED : HTMT__WAITING, start - at->wait, start);
        }
        for (uint32_t n = 0; n < w->b.samples; n++)
            htmt__fill_add(s->fill, w->b.sample[n].layer, w->b.sample[n].at, w->b.sample[n].words);
        if (!s->detailed || !in_window(o, &w->b))
            continue;
        if (!o->windowed) {
            rc = detail(w, s, &w->b);
            continue;
        }
        struct htmt__block_part part;
        htmt__part_begin(&w->b, w->contents.info->layers, &part);
        while (!rc && s->detailed && htmt__part_next(&w->b, PART, &part))
            if (in_window(o, &part.b))
                rc = detail(w, s, &part.b);
    }
    return rc;
}

/* Writes what is packed of the slice, a tile for each element, and then its sums: those of rows and
 * bins, the words of memories, and the changes of section, unless there are very many. */
static int end_slice(struct work *w, struct slice_work *s)
{
    const uint8_t *from = w->packed.byte;
    const bool few = s->change_count <= CHANGES;
    for (uint32_t row = 0; row < w->rows.count; row++)
        if (s->marks.depth[row] > w->depth[row])
            w->depth[row] = s->marks.depth[row];
    for (uint64_t i = s->first_tile; i < w->contents.tiles; i++) {
        struct htmt__page_tile *t = &w->contents.tile[i];
        t->element = w->elements++;
        htmt__element_write(w->out, t->element, from, t->packed);
        from += t->packed;
        w->summary.detailed += t->b.count;
    }
    w->summary.detailed_slices += w->contents.tiles > s->first_tile;
    w->detail_bytes += s->detailed ? s->bytes : 0;

    htmt__bytes_reset(&w->raw);
    for (uint32_t row = 0; row < w->rows.count; row++)
        htmt__pyramid_encode(s->pyramid, row, &w->raw);
    for (uint32_t layer = 0; layer < w->contents.info->layers; layer++)
        htmt__fill_encode(s->fill, layer, &w->raw);
    htmt__bytes_number(&w->raw, few ? s->change_count : 0);
    if (few && s->change_count)
        htmt__bytes_append(&w->raw, s->changes.byte, s->changes.count);
    if (s->changes.failed)
        return HTMT_ENOMEM;
    int rc = write_raw(w, &s->sums.element);
    w->contents.sums[s->slice - w->slices.slice] = s->sums;
    return rc;
}

static int write_slice(struct work *w, uint32_t i, struct htmt_fault *fault)
{
    struct slice_work s;
    int rc = begin_slice(w, i, &s, fault);
    htmt__bytes_reset(&w->packed);
    rc = rc ? rc : read_blocks(w, &s, fault);
    rc = rc ? rc : end_slice(w, &s);
    htmt__pyramid_destroy(&s.pyramid);
    htmt__fill_destroy(&s.fill);
    htmt__bytes_clear(&s.changes);
    htmt__lane_layout_clear(&s.marks);
    return rc;
}

/* ---- the page ------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const struct htmt__page_tile *x = a, *y = b;
    if (x->b.slice != y->b.slice)
        return x->b.slice < y->b.slice ? -1 : 1;
    return x->b.first < y->b.first ? -1 : x->b.first > y->b.first;
}

static int prepare(struct work *w, struct htmt_fault *fault)
{
    struct htmt__page_contents *p = &w->contents;
    int rc = htmt__rows_make(p->info, &w->rows);
    rc = rc ? rc : htmt__trace_slices_make(w->trace, &w->slices);
    rc = rc ? rc : htmt__trace_part_make(p->info, &w->part);
    rc = rc ? rc : htmt__page_loads_make(w->trace, &w->rows, &w->slices, &w->loads, fault);
    if (rc)
        return rc;
    w->place = calloc((size_t)w->slices.count + 1, sizeof *w->place);
    for (uint32_t i = 0; i < w->slices.count && w->place; i++)
        w->place[w->loads.order[i]] = i;
    const bool share = w->slices.count > STRIP_GROUPS;
    const uint32_t groups = share ? STRIP_GROUPS : w->slices.count;
    uint32_t bins = STRIP_BINS_MOST;
    while (bins > STRIP_BINS && (uint64_t)w->rows.count * groups * bins > STRIP_CELLS)
        bins /= 2;
    p->strips = (struct htmt__page_strips){groups, share ? STRIP_SINGLE : groups, bins,
                                           htmt__pyramid_bin(w->slices.end, bins), 0};
    p->sums_count = w->slices.count;
    p->depth = w->depth = calloc(w->rows.count, sizeof *w->depth);
    p->sums = calloc((size_t)w->slices.count + 1, sizeof *p->sums);
    w->encoder = htmt__tile_encoder_create(p->info);
    w->packer = htmt__packer_create();
    w->strips = htmt__pyramid_create(w->rows.count * groups, bins, p->strips.bin);
    return w->place && w->depth && p->sums && w->encoder && w->packer && w->strips ? 0
                                                                                   : HTMT_ENOMEM;
}

/* The slices that the page opens first get their detail first. */
static int write_page(struct work *w, struct htmt_fault *fault)
{
    const struct htmt__trace_slices *all = &w->slices;
    struct htmt__page_contents *p = &w->contents;
    const char *marker = strstr(template, data_marker);
    size_t head = marker ? (size_t)(marker - template) : 0;
    int rc = 0;
    if (!marker)
        return htmt_fault_set(fault, HTMT_ESYSTEM, "the page of this build has no place for data");
    fwrite(template, 1, head, w->out);
    for (uint32_t i = 0; i < w->loads.firsts && !rc; i++)
        rc = write_slice(w, w->loads.first[i], fault);
    for (uint32_t i = 0; i < all->count && !rc; i++)
        if (!htmt__page_loads_is_first(&w->loads, i))
            rc = write_slice(w, i, fault);
    rc = rc ? rc : write_strips(w);
    rc = rc ? rc : write_matrix(w);
    rc = rc ? rc : write_path(w, fault);
    if (rc)
        return rc;
    if (p->tiles)
        qsort(p->tile, p->tiles, sizeof *p->tile, by_place);
    p->full = w->summary.detailed == w->summary.intervals;
    rc = htmt__manifest_write(p, w->out);
    if (!rc)
        fputs(marker + strlen(data_marker), w->out);
    return rc;
}

int htmt__page_write(struct htmt_trace *t, const struct htmt__page_options *o, FILE *out,
                     struct htmt__page_summary *summary, struct htmt_fault *fault)
{
    struct work w = {.trace = t, .out = out};
    w.contents = (struct htmt__page_contents){.info = htmt_trace_info(t),
                                              .options = o,
                                              .rows = &w.rows,
                                              .slices = &w.slices,
                                              .part = &w.part,
                                              .loads = &w.loads};
    int rc = prepare(&w, fault);
    w.summary.intervals = w.contents.info->intervals;
    w.summary.slices = w.slices.count;
    rc = rc ? rc : write_page(&w, fault);
    htmt__rows_clear(&w.rows);
    htmt__trace_slices_clear(&w.slices);
    htmt__tile_encoder_destroy(&w.encoder);
    htmt__packer_destroy(&w.packer);
    htmt__pyramid_destroy(&w.strips);
    htmt__bytes_clear(&w.raw);
    htmt__bytes_clear(&w.packed);
    htmt_trace_block_clear(&w.b);
    htmt__trace_part_clear(&w.part);
    htmt__page_loads_clear(&w.loads);
    htmt__trace_path_clear(&w.path);
    free(w.place);
    free(w.depth);
    free(w.contents.sums);
    free(w.contents.tile);
    if (rc)
        return htmt_fault_set(fault, rc, "%s", htmt_strerror(rc));
    *summary = w.summary;
    return 0;
}
