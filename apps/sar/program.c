/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Set-up of the parcel program: objects, transforms, types, first parcels.
 *
 * What lies where. HRAM has the raw lines and the image of each patch, patch n in slice n mod
 * slices. Both are the application's own memory, wrapped. Raw lines of neighbours overlap, which is
 * safe since no parcel writes them; images do not overlap. DRAM has the frames, one where a slice
 * has one patch, else two, and with migration a straightened patch; all have the size of the
 * largest patch. CRAM has the references. So DRAM and CRAM need not grow with the data: of ten
 * patches on four slices, slice 0 leads 0, 4 and 8 through its two frames. Of three patches on four
 * slices, three slices have a frame each, and the last one has no coordinator.
 *
 * A model run has no data. The same objects are there by their sizes, no memory stands behind them,
 * and transforms are not planned.
 */
#include "apps/sar/program.h"

#include "apps/lib/gather.h"
#include "apps/lib/host_parts.h"
#include "apps/sar/coordinator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHARES 16u /* of an object whose pages are written */

/* The frames of a slice in DRAM and its references in CRAM. */
static int create_place(htmt__sar *p, uint32_t slice)
{
    const struct htmt__sar_decomposition *c = &p->decomposition;
    const struct htmt__sar_plan *plan = &c->plan;
    struct htmt__sar_place *at = &p->place[slice];
    const uint64_t patch = (uint64_t)c->rows * c->cells * c->point;
    const uint64_t line =
        plan->azimuth_length > plan->radar.samples ? plan->azimuth_length : plan->radar.samples;
    const struct {
        bool wanted;
        uint32_t layer;
        uint64_t bytes;
        const char *name;
        struct htmt_object **object;
    } objects[] = {
        {true, c->dram, patch, "patch", &at->patch[0]},
        {c->frames > 1, c->dram, patch, "patch", &at->patch[1]},
        {c->charges.from_file, c->dram, 16 * line, "reference line", &at->line},
        {plan->rcmc, c->dram, (uint64_t)plan->band * c->straight_cells * c->point, "straight patch",
         &at->straight},
        {true, c->cram, (uint64_t)plan->range_length * c->point, "range reference",
         &at->range_reference},
        {true, c->cram, htmt__sar_azimuth_words(c) * HTMT_WORD, "azimuth reference",
         &at->azimuth_reference},
        {plan->rcmc, c->cram, htmt__sar_interpolator_words(c) * HTMT_WORD, "interpolator",
         &at->interpolator},
    };
    int rc = 0;
    for (size_t i = 0; i < sizeof objects / sizeof *objects && !rc; i++)
        if (objects[i].wanted)
            rc = htmt_object_create(p->e, slice, objects[i].layer, objects[i].bytes,
                                    objects[i].name, objects[i].object);
    return rc;
}

/* A share of the bytes of a frame, or of the lines of the image that a patch gives. */
static void touch(void *program, uint32_t part)
{
    const htmt__sar *p = program;
    const uint32_t n = part / SHARES, share = part % SHARES, frames = 3 * p->places;
    const struct htmt__sar_place *place = &p->place[n < frames ? n / 3 : 0];
    struct htmt_object *const of[] = {place->patch[0], place->patch[1], place->straight},
                              *const o = n < frames ? of[n % 3] : p->image[n - frames];
    char *bytes = o ? htmt_object_bytes(o) : NULL;
    const uint64_t size = bytes ? htmt_object_size(o) : 0;
    if (bytes)
        memset(bytes + size * share / SHARES, 0,
               size * (share + 1) / SHARES - size * share / SHARES);
}

/* Objects, types, first parcels. The host provides pages when they are first written; those of the
 * frames and the image are written now, not while the emulation is timed. */
static int fill(htmt__sar *p, const struct htmt__sar_data *data)
{
    const struct htmt__sar_decomposition *c = &p->decomposition;
    int rc = 0;
    for (uint32_t i = 0; i < p->places && !rc; i++)
        rc = create_place(p, i);
    /* patches overlap in the raw data, which no parcel writes, but not in the image */
    for (uint32_t n = 0; n < c->patches && !rc; n++) {
        struct htmt__sar_patch patch = htmt__sar_plan_patch(&c->plan, htmt__sar_patch_of(c, n));
        uint64_t raw = htmt__sar_raw_bytes(c, c->plan.patch_lines);
        uint64_t image = (uint64_t)patch.lines * c->plan.samples * c->point;
        char *from =
            data->raw ? (char *)data->raw->bytes + htmt__sar_raw_bytes(c, patch.first) : NULL;
        void *to = data->raw ? data->image[n] : NULL;
        rc = htmt_object_wrap(p->e, n % p->slices, c->hram, from, raw,
                              (raw + HTMT_WORD - 1) / HTMT_WORD, "raw data", &p->data[n]);
        if (!rc)
            rc = htmt_object_wrap(p->e, n % p->slices, c->hram, to, image,
                                  htmt__sar_stored_words(c, patch.lines), "image", &p->image[n]);
    }
    if (!rc)
        rc = htmt__sar_parcel_types(p);
    if (!rc)
        rc = htmt__sar_coordinator_type(p);
    if (!rc)
        htmt_host_parts(data->threads, SHARES * (3 * p->places + c->patches), touch, p);
    return rc ? rc : htmt__sar_coordinator_start(p);
}

int htmt__sar_program_create(struct htmt_emulator *e, const struct htmt__sar_decomposition *c,
                             const struct htmt__sar_data *data, struct htmt__sar_program **program,
                             struct htmt_fault *fault)
{
    const struct htmt__sar_radar *r = &c->plan.radar;
    const struct htmt__sar_raw *raw = data->raw;
    if (raw && (raw->lines != r->lines || raw->samples != r->samples || raw->format != c->format ||
                c->patches != c->plan.patches))
        return htmt_fault_set(
            fault, HTMT_EINVAL, "found raw data of %u x %u and %u patches, expected %u x %u and %u",
            raw->lines, raw->samples, c->patches, r->lines, r->samples, c->plan.patches);
    htmt__sar *p = calloc(1, sizeof *p);
    if (!p)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the program");
    p->e = e;
    p->decomposition = *c;
    p->slices = htmt_emulator_slices(e);
    p->raw = raw;
    p->named = data->named;
    p->places = c->patches < p->slices ? c->patches : p->slices;
    p->place = calloc(p->places, sizeof *p->place);
    p->track = calloc(c->plan.band, sizeof *p->track);
    p->data = calloc(c->patches, sizeof(struct htmt_object *));
    p->image = calloc(c->patches, sizeof(struct htmt_object *));
    int rc = 0;
    if (!p->place || !p->track || !p->data || !p->image)
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the program");
    for (uint32_t i = 0; i < c->plan.band && !rc; i++)
        p->track[i] = htmt__sar_plan_track(&c->plan, htmt__sar_bin(&c->plan, i));
    /* the reference is made in double and stored in the image's precision */
    struct htmt__fft_shape shape = {.length = c->plan.range_length};
    if (!rc && raw)
        rc = htmt__fft_create(&shape, &p->reference, fault);
    shape.single = c->single;
    for (uint32_t i = 0; i < 2 && !rc && raw; i++) {
        shape.backward = i;
        shape.length = c->plan.range_length;
        rc = htmt__fft_create(&shape, &p->range[i], fault);
        shape.length = c->plan.azimuth_length;
        rc = rc ? rc : htmt__fft_create(&shape, &p->azimuth[i], fault);
    }
    if (!rc && raw) {
        p->range_bytes = htmt__fft_bytes(p->range[0]);
        p->azimuth_bytes = htmt__fft_bytes(p->azimuth[0]);
        p->reference_bytes = htmt__fft_bytes(p->reference);
    }
    if (!rc && (rc = fill(p, data)))
        htmt_fault_set(fault, rc, "%s", htmt_emulator_fault(e)->text);
    if (rc)
        htmt__sar_program_destroy(&p);
    else
        *program = p;
    return rc;
}

int htmt__sar_program_lines(const struct htmt__sar_program *p, uint32_t n, const void **lines)
{
    return htmt_object_fetch(p->image[n], lines);
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
    free(p);
    *program = NULL;
}

void htmt__sar_kernel_set(char *text, size_t room)
{
    char fft[48];
    htmt__fft_name(fft, sizeof fft);
    snprintf(text, room, "%s, %s", fft, htmt__sar_vectors());
}
