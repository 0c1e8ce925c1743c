/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From settings to the input: volume, table, cameras; and its layout on the machine.
 */
#include "apps/volume/framing.h"
#include "apps/volume/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* (float)k is exact up to this number of samples. */
#define SAMPLES_MOST 16777216.0

/* ---- volume --------------------------------------------------------------------------------- */

static void describe_only(const struct htmt__volume_settings *s, struct htmt__volume *v)
{
    *v = (struct htmt__volume){.type =
                                   s->is_raw ? htmt__volume_stored_held(s->raw.type) : HTMT__UINT8,
                               .slope = 1,
                               .spacing = {1, 1, 1}};
    for (int a = 0; a < 3; a++)
        v->dims[a] = s->is_raw ? (uint32_t)s->raw.dims[a] : s->phantom;
}

static int read_volume(const struct htmt__volume_settings *s, struct htmt__volume *v,
                       struct htmt_fault *fault)
{
    int rc = htmt__volume_read(s->volume, s->is_raw ? &s->raw : NULL, v, fault);
    if (rc || !s->turned)
        return rc;
    rc = htmt__volume_reorient(v, fault);
    if (rc)
        htmt__volume_destroy(v);
    return rc;
}

int htmt__volume_input_volume(const struct htmt__volume_settings *s, struct htmt__volume *v,
                              struct htmt_fault *fault)
{
    return s->volume ? read_volume(s, v, fault) : htmt__volume_phantom(s->phantom, v, fault);
}

/* Its planes lie across the file. */
static int planes_of_turned(const struct htmt__volume_settings *s,
                            struct htmt__volume_planes **planes, struct htmt_fault *fault)
{
    struct htmt__volume v;
    int rc = read_volume(s, &v, fault);
    if (rc)
        return rc;
    rc = htmt__volume_planes_of(&v, planes, fault);
    if (rc)
        htmt__volume_destroy(&v);
    return rc;
}

int htmt__volume_input_planes(const struct htmt__volume_settings *s,
                              struct htmt__volume_planes **planes, struct htmt_fault *fault)
{
    if (!s->volume)
        return htmt__volume_planes_phantom(s->phantom, planes, fault);
    int rc = htmt__volume_planes_open(s->volume, s->is_raw ? &s->raw : NULL, planes, fault);
    if (rc || !s->turned || htmt__volume_lies_right(htmt__volume_planes_volume(*planes)))
        return rc;
    htmt__volume_planes_close(planes);
    return planes_of_turned(s, planes, fault);
}

/* One plane after another through the same memory. */
static int look_through(struct htmt__volume_planes *planes, void *room, double range[2],
                        struct htmt_fault *fault)
{
    struct htmt__volume plane = *htmt__volume_planes_volume(planes);
    const uint32_t count = plane.dims[2];
    int rc = 0;
    plane.dims[2] = 1;
    plane.at = room;
    for (uint32_t z = 0; z < count && !rc; z++) {
        double one[2];
        rc = htmt__volume_planes_take(planes, 1, room, fault);
        if (rc)
            return rc;
        htmt__volume_range(&plane, one);
        range[0] = z ? fmin(range[0], one[0]) : one[0];
        range[1] = z ? fmax(range[1], one[1]) : one[1];
    }
    return htmt__volume_planes_end(planes, fault);
}

static int get_range(const struct htmt__volume_settings *s, struct htmt__volume_input *in,
                     struct htmt_fault *fault)
{
    struct htmt__volume_planes *planes = NULL;
    void *room = NULL;
    int rc = htmt__volume_input_planes(s, &planes, fault);
    if (rc)
        return rc;
    const struct htmt__volume *v = htmt__volume_planes_volume(planes);
    room = malloc((size_t)v->dims[0] * v->dims[1] * htmt__volume_voxel_bytes(v->type));
    rc = room ? look_through(planes, room, in->range, fault)
              : htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a plane of the volume");
    in->volume = *v;
    in->volume.at = NULL;
    free(room);
    htmt__volume_planes_close(&planes);
    return rc;
}

static int get_volume(const struct htmt__volume_settings *s, enum htmt__volume_voxels wanted,
                      struct htmt__volume_input *in, struct htmt_fault *fault)
{
    int rc = 0;
    in->known = s->volume || wanted != HTMT__SIZE_ALONE;
    if (wanted == HTMT__RANGE_ALONE)
        return get_range(s, in, fault);
    if (in->known)
        rc = htmt__volume_input_volume(s, &in->volume, fault);
    else
        describe_only(s, &in->volume);
    if (!rc && in->known)
        htmt__volume_range(&in->volume, in->range);
    return rc;
}

/* The parcels use the other half of the innermost memory. */
static uint64_t table_bytes(const struct htmt_machine *m)
{
    uint64_t half = htmt_machine_room(m, m->layer_count - 1) / 2;
    return half < HTMT__TRANSFER_TABLE_BYTES / HTMT_WORD ? half * HTMT_WORD
                                                         : HTMT__TRANSFER_TABLE_BYTES;
}

static int get_table(const struct htmt_machine *m, const struct htmt__volume_settings *s,
                     struct htmt__volume_input *in, struct htmt_fault *fault)
{
    struct htmt__volume_transfer t;
    int rc = htmt__volume_transfer_read(s->transfer, &t, fault);
    if (rc)
        return rc;
    in->window = s->window;
    if (!s->has_window && in->known)
        htmt__volume_transfer_window(&t, &in->volume, in->range, &in->window);
    rc = htmt__volume_transfer_table_create(&t, &in->volume, &in->window, in->casting.step,
                                            table_bytes(m), &in->table, fault);
    htmt__volume_transfer_destroy(&t);
    return rc;
}

/* ---- cameras -------------------------------------------------------------------------------- */

static int place_cameras(const struct htmt__volume_settings *s, const double extent[3],
                         struct htmt__volume_input *in, struct htmt_fault *fault)
{
    struct htmt__volume_view first;
    htmt__volume_frame(s, extent, &first);
    in->camera = calloc(s->frames, sizeof *in->camera);
    int rc =
        in->camera ? 0 : htmt_fault_set(fault, HTMT_ENOMEM, "no memory for %u cameras", s->frames);
    for (uint32_t n = 0; !rc && n < s->frames; n++) {
        struct htmt__volume_view view;
        htmt__volume_view_orbit(&first, n, s->frames, &view);
        rc = htmt__volume_camera_create(&view, &in->camera[n], fault);
    }
    return rc;
}

/* ---- scene ---------------------------------------------------------------------------------- */

/* Samples as dense as the file's grid points, in the direction in which they are densest. */
static void default_step(struct htmt__volume_casting *c)
{
    for (int a = 0; a < 3; a++)
        c->step = fmin(c->step, c->spacing[a]);
}

static int measure(const struct htmt__volume_settings *s, struct htmt__volume_input *in,
                   double extent[3], struct htmt_fault *fault)
{
    in->casting = s->casting;
    for (int a = 0; a < 3; a++) {
        if (s->spacing == HTMT__FILE_SPACE)
            in->casting.spacing[a] = in->volume.spacing[a];
        extent[a] = (in->volume.dims[a] - 1) * in->casting.spacing[a];
    }
    if (!s->has_step && s->spacing == HTMT__FILE_SPACE)
        default_step(&in->casting);
    double longest = hypot(extent[0], hypot(extent[1], extent[2]));
    if (longest / in->casting.step < SAMPLES_MOST)
        return 0;
    return htmt_fault_set(fault, HTMT_ERANGE,
                          "--step: found %g, expected at least %g for rays of up to %g",
                          in->casting.step, longest / SAMPLES_MOST, longest);
}

int htmt__volume_input_read(const struct htmt_machine *m, const struct htmt__volume_settings *s,
                            enum htmt__volume_voxels wanted, struct htmt__volume_input *out,
                            struct htmt_fault *fault)
{
    struct htmt__volume_input in = {.camera = NULL};
    double extent[3];
    int rc = get_volume(s, wanted, &in, fault);
    if (!rc)
        rc = measure(s, &in, extent, fault);
    if (!rc)
        rc = get_table(m, s, &in, fault);
    if (!rc)
        rc = place_cameras(s, extent, &in, fault);
    if (rc)
        htmt__volume_input_destroy(&in);
    else
        *out = in;
    return rc;
}

void htmt__volume_input_destroy(struct htmt__volume_input *in)
{
    htmt__volume_destroy(&in->volume);
    htmt__volume_transfer_table_destroy(&in->table);
    free(in->camera);
    in->camera = NULL;
}

/* ---- plan ----------------------------------------------------------------------------------- */

int htmt__volume_settings_plan(const struct htmt_machine *m, const struct htmt__volume_settings *s,
                               const struct htmt__volume_input *in, struct htmt__volume_plan *plan,
                               struct htmt_fault *fault)
{
    const uint32_t *dims = in->volume.dims;
    struct htmt__volume_problem problem = {
        .dims = {dims[0], dims[1], dims[2]},
        .width = s->view.width,
        .height = s->view.height,
        .frames = s->frames,
        .edge = s->edge,
        .side = s->side,
        .lanes = s->lanes,
        .voxel = (uint32_t)htmt__volume_voxel_bytes(in->volume.type),
        .voxel_bytes = s->voxel_bytes,
        .channels = in->table.channels,
        .table_rows = in->table.last + 1,
        .shaded = s->casting.shading.on,
        .double_buffer = s->double_buffer,
        .rays_in_dram = s->rays_in_dram,
    };
    return htmt__volume_plan(m, &problem, &s->charges, plan, fault);
}

void htmt__volume_describe(const struct htmt__volume_settings *s, const struct htmt__volume_plan *p,
                           char *text, size_t room)
{
    const struct htmt__volume_problem *o = &p->problem;
    char frames[24] = "", transfer[200];
    if (o->frames > 1)
        snprintf(frames, sizeof frames, ", %u frames", o->frames);
    snprintf(text, room,
             "%u x %u x %u voxels%s to %u x %u pixels%s; step %g, %s%s; N_G = %u, %u subcubes, "
             "%u bundles of %u x %u rays in %s, %u a slice at once",
             o->dims[0], o->dims[1], o->dims[2], s->volume ? "" : " generated", o->width, o->height,
             frames, s->casting.step, s->view.perspective ? "perspective" : "parallel",
             o->shaded ? ", shaded" : "", p->subcubes.edge, p->subcubes.all, p->bundles,
             p->tiling.side, p->tiling.side, o->rays_in_dram ? "DRAM" : "SRAM", p->lanes);
    size_t used = strlen(text);
    if (htmt__volume_transfer_strange(s->transfer, transfer, sizeof transfer))
        snprintf(text + used, room - used, "; transfer function %s", transfer);
}
