/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Focusing of a patch on every slice (Hereld et al., section 3.2.2): Read Patch, Range Reference,
 * Range Lines, barrier, Azimuth Reference, Azimuth Lines gathered across the lines, Write Patch.
 */
#include "tests/sketches/sketch.h"

#include <math.h>
#include <string.h>

enum { PHASE = 1 }; /* the one fiber of a coordinator; its slot is the barrier between phases */

struct scene { /* shared by all slices; written before the run only */
    uint32_t lines, samples, padded, cram;
    double range_rate, azimuth_rate;
    struct htmt_object *raw[SKETCH_SLICES], *file[SKETCH_SLICES];
    struct htmt_frame *patch, *image;                       /* DRAM */
    struct htmt_frame *range_reference, *azimuth_reference; /* CRAM */
    struct htmt_type *coordinator, *read, *reference, *range, *azimuth, *write;
};

struct coordinator {
    const struct scene *s;
    uint32_t phase;
};

struct line { /* arguments of every parcel */
    const struct scene *s;
    uint32_t points, width, middle; /* columns in the closure, which of them is the line's own */
    double rate;
};

static void read_kernel(struct htmt_kernel *k)
{
    const struct line *l = htmt_kernel_args(k);
    const uint8_t *pair = htmt_bytes(k, 0);
    double complex *line = htmt_bytes(k, 1);
    for (uint32_t i = 0; i < l->points; i++)
        line[i] = CMPLX(pair[2 * i] - 128.0, pair[2 * i + 1] - 128.0);
    htmt_count(k, HTMT_LOAD, 2 * (uint64_t)l->points);
}

static void reference_kernel(struct htmt_kernel *k)
{
    const struct line *l = htmt_kernel_args(k);
    double complex *reference = htmt_bytes(k, 0);
    for (uint32_t i = 0; i < l->points; i++)
        reference[i] = cexp(CMPLX(0, -M_PI * l->rate * i * i));
    htmt_count(k, HTMT_FLOP, 22 * (uint64_t)l->points);
}

/* Matched filter by its definition; beyond the line there is nothing. */
static void range_kernel(struct htmt_kernel *k)
{
    const struct line *l = htmt_kernel_args(k);
    double complex *line = htmt_bytes(k, 0), *focused = htmt_bytes(k, 2);
    const double complex *reference = htmt_bytes(k, 1);
    for (uint32_t i = 0; i < l->points; i++) {
        focused[i] = 0;
        for (uint32_t n = 0; i + n < l->points; n++)
            focused[i] += line[i + n] * reference[n];
    }
    memcpy(line, focused, l->points * sizeof *line);
    htmt_count(k, HTMT_FLOP, 4 * (uint64_t)l->points * l->points);
}

/* Mean with the neighbouring columns, a stand-in for cell migration, then the matched filter. */
static void azimuth_kernel(struct htmt_kernel *k)
{
    const struct line *l = htmt_kernel_args(k);
    const double complex *column = htmt_bytes(k, 0), *reference = htmt_bytes(k, 2);
    double complex *focused = htmt_bytes(k, 1);
    for (uint32_t i = 0; i < l->points; i++) {
        focused[i] = 0;
        for (uint32_t n = 0; i + n < l->points; n++) {
            double complex sum = 0;
            for (uint32_t w = 0; w < l->width; w++)
                sum += column[(i + n) * l->width + w];
            focused[i] += sum / l->width * reference[n];
        }
    }
    htmt_count(k, HTMT_FLOP, (4 + 2 * (uint64_t)l->width) * l->points * l->points);
}

static void write_kernel(struct htmt_kernel *k)
{
    const struct line *l = htmt_kernel_args(k);
    const double complex *line = htmt_bytes(k, 0);
    uint8_t *picture = htmt_bytes(k, 1);
    for (uint32_t i = 0; i < l->points; i++)
        picture[i] = (uint8_t)fmin(255, cabs(line[i]) / l->s->lines);
    htmt_count(k, HTMT_STORE, l->points);
}

static void assemble(struct htmt_context *c, const struct htmt_type *type,
                     const struct htmt_region *regions, uint32_t count, const struct line *args)
{
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){.type = type,
                                             .slice = htmt_slice(c),
                                             .regions = regions,
                                             .region_count = count,
                                             .args = args,
                                             .on_done = htmt_slot(c, PHASE)},
                  NULL);
}

/* Bytes of line i out of HRAM become complex numbers in DRAM. */
static void read_line(struct htmt_context *c, const struct scene *s, uint32_t i)
{
    uint64_t slice = htmt_slice(c), n = s->samples;
    struct htmt_region r[] = {
        {.from = htmt_in(s->raw[slice], 2 * n * i), .bytes = 2 * n},
        {.into = htmt_at(s->patch, (uint32_t)slice, 16 * n * i), .bytes = 16 * n}};
    assemble(c, s->read, r, 2, &(struct line){.s = s, .points = s->samples});
}

/* Made in CRAM and left there for the lines that follow. */
static void range_reference(struct htmt_context *c, const struct scene *s, uint32_t i)
{
    struct htmt_region r = {.into = htmt_at(s->range_reference, htmt_slice(c), 16 * (uint64_t)i),
                            .bytes = 16 * (uint64_t)s->samples};
    assemble(c, s->reference, &r, 1, &(struct line){s, s->samples, 1, 0, s->range_rate});
}

static void azimuth_reference(struct htmt_context *c, const struct scene *s, uint32_t i)
{
    struct htmt_region r = {.into = htmt_at(s->azimuth_reference, htmt_slice(c), 16 * (uint64_t)i),
                            .bytes = 16 * (uint64_t)s->lines};
    assemble(c, s->reference, &r, 1, &(struct line){s, s->lines, 1, 0, s->azimuth_rate});
}

/* A line to CRAM, where it is padded, and back to its place. */
static void range_line(struct htmt_context *c, const struct scene *s, uint32_t i)
{
    uint64_t bytes = 16 * (uint64_t)s->samples;
    struct htmt_addr line = htmt_at(s->patch, htmt_slice(c), bytes * i);
    struct htmt_region r[] = {
        {.from = line, .to = line, .bytes = bytes},
        {.into = htmt_at(s->range_reference, htmt_slice(c), 0), .bytes = bytes, .read_only = true},
        {.bytes = bytes}};
    r[0].in_words[s->cram] = 2 * (uint64_t)s->padded;
    r[0].out_words[s->cram] = 2 * (uint64_t)s->samples;
    assemble(c, s->range, r, 3, &(struct line){.s = s, .points = s->samples});
}

/* Corner turn: a column and its neighbours, gathered across all lines. */
static void azimuth_line(struct htmt_context *c, const struct scene *s, uint32_t i)
{
    uint32_t slice = htmt_slice(c), first = i ? i - 1 : 0;
    uint32_t width = (i + 1 < s->samples ? i + 2 : i + 1) - first;
    uint64_t bytes = 16 * (uint64_t)s->lines;
    int64_t stride = 16 * (int64_t)s->samples;
    struct htmt_region r[] = {
        {.from = htmt_at(s->patch, slice, 16 * (uint64_t)first),
         .from_pieces = {.bytes = 16 * (uint64_t)width, .count = s->lines, .stride = stride},
         .bytes = bytes * width},
        {.to = htmt_at(s->image, slice, 16 * (uint64_t)i),
         .to_pieces = {.bytes = 16, .count = s->lines, .stride = stride},
         .bytes = bytes},
        {.into = htmt_at(s->azimuth_reference, slice, 0), .bytes = bytes, .read_only = true}};
    assemble(c, s->azimuth, r, 3, &(struct line){s, s->lines, width, i - first, 0});
}

static void write_line(struct htmt_context *c, const struct scene *s, uint32_t i)
{
    uint64_t slice = htmt_slice(c), n = s->samples;
    struct htmt_region r[] = {{.into = htmt_at(s->image, (uint32_t)slice, 16 * n * i),
                               .bytes = 16 * n,
                               .read_only = true},
                              {.to = htmt_in(s->file[slice], n * i), .bytes = n}};
    assemble(c, s->write, r, 2, &(struct line){.s = s, .points = s->samples});
}

/* First fiber and every later one: a phase begins when all parcels of the last are done. */
static void next_phase(struct htmt_context *c)
{
    struct coordinator *d = htmt_args(c);
    const struct scene *s = d->s;
    const struct {
        void (*begin)(struct htmt_context *c, const struct scene *s, uint32_t i);
        uint32_t parcels;
    } phase[] = {{read_line, s->lines},  {range_reference, 1},       {range_line, s->lines},
                 {azimuth_reference, 1}, {azimuth_line, s->samples}, {write_line, s->lines}};
    if (d->phase == sizeof phase / sizeof *phase) {
        htmt_retire(c, htmt_self(c));
        return;
    }
    htmt_slot_set(c, PHASE, phase[d->phase].parcels, 0);
    for (uint32_t i = 0; i < phase[d->phase].parcels; i++)
        phase[d->phase].begin(c, s, i);
    d->phase++;
}

/* ---- set-up --------------------------------------------------------------------------------- */

static int types(struct htmt_emulator *e, struct scene *s)
{
    const struct htmt_stage fiber = {.control = next_phase};
    const struct htmt_type_desc d[] = {
        {.name = "read patch", .home = "hram", .exec = "dram", .execute = {.kernel = read_kernel}},
        {.name = "reference",
         .home = "dram",
         .exec = "cram",
         .execute = {.kernel = reference_kernel},
         .footprint = HTMT_RESIDENT},
        {.name = "range line", .home = "dram", .exec = "cram", .execute = {.kernel = range_kernel}},
        {.name = "azimuth line",
         .home = "dram",
         .exec = "cram",
         .execute = {.kernel = azimuth_kernel}},
        {.name = "write patch",
         .home = "hram",
         .exec = "dram",
         .execute = {.kernel = write_kernel}}};
    struct htmt_type **type[] = {&s->read, &s->reference, &s->range, &s->azimuth, &s->write};
    int rc = htmt_type_create(e,
                              &(struct htmt_type_desc){.name = "desk",
                                                       .home = "dram",
                                                       .exec = "dram",
                                                       .execute = fiber,
                                                       .fibers = &fiber,
                                                       .fiber_count = 1,
                                                       .args_bytes = sizeof(struct coordinator)},
                              &s->coordinator);
    for (uint32_t i = 0; i < 5 && !rc; i++) {
        struct htmt_type_desc with_args = d[i];
        with_args.args_bytes = sizeof(struct line);
        rc = htmt_type_create(e, &with_args, type[i]);
    }
    return rc;
}

static int places(struct htmt_emulator *e, struct scene *s, const struct sar_problem *p)
{
    uint32_t hram = (uint32_t)htmt_emulator_layer(e, "hram");
    uint32_t dram = (uint32_t)htmt_emulator_layer(e, "dram");
    uint64_t points = (uint64_t)s->lines * s->samples;
    int rc = htmt_frame_create(e, dram, 16 * points, "patch", &s->patch);
    rc = rc ? rc : htmt_frame_create(e, dram, 16 * points, "image", &s->image);
    rc = rc ? rc
            : htmt_frame_create(e, s->cram, 16 * (uint64_t)s->samples, "range reference",
                                &s->range_reference);
    rc = rc ? rc
            : htmt_frame_create(e, s->cram, 16 * (uint64_t)s->lines, "azimuth reference",
                                &s->azimuth_reference);
    for (uint32_t i = 0; i < htmt_emulator_slices(e) && !rc; i++) {
        rc = htmt_object_wrap(e, i, hram, p->raw + 2 * points * i, 2 * points, points / 4 + 1,
                              "raw", &s->raw[i]);
        rc = rc ? rc
                : htmt_object_wrap(e, i, hram, p->picture + points * i, points, points / 8 + 1,
                                   "picture", &s->file[i]);
    }
    return rc;
}

static int roots(struct htmt_emulator *e, const struct scene *s)
{
    struct coordinator d = {s, 0};
    int rc = 0;
    for (uint32_t i = 0; i < htmt_emulator_slices(e) && !rc; i++)
        rc = htmt_assemble(
            htmt_root(e),
            &(struct htmt_parcel_desc){.type = s->coordinator, .slice = i, .args = &d}, NULL);
    return rc;
}

static void copy_out(struct htmt_emulator *e, const struct scene *s, const struct sar_problem *p)
{
    uint64_t points = (uint64_t)s->lines * s->samples;
    for (uint32_t i = 0; i < htmt_emulator_slices(e); i++) {
        const void *image = htmt_object_bytes(htmt_at(s->image, i, 0).object);
        if (image)
            memcpy(p->image + points * i, image, 16 * points);
    }
}

int sar_sketch(struct htmt_emulator *e, const struct sar_problem *p)
{
    struct scene s = {.lines = p->lines,
                      .samples = p->samples,
                      .padded = p->padded,
                      .cram = (uint32_t)htmt_emulator_layer(e, "cram"),
                      .range_rate = p->range_rate,
                      .azimuth_rate = p->azimuth_rate};
    if (htmt_emulator_slices(e) > SKETCH_SLICES)
        return HTMT_EINVAL;
    int rc = types(e, &s);
    rc = rc ? rc : places(e, &s, p);
    rc = rc ? rc : roots(e, &s);
    rc = rc ? rc : htmt_emulator_run(e);
    if (!rc)
        copy_out(e, &s, p);
    return rc;
}
