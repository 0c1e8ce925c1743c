/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From settings to the input: volume, table, cameras; and its layout on the machine.
 *
 * The camera. What the user leaves open of a view is chosen so that the volume fits the image in
 * every frame of an orbit, and no frame has another scale. Around the focal point, each corner of
 * the box of the volume has a place (right, up, forward) in the image. In a parallel view the image
 * must be as high as the farthest corner: max(|up|, |right| height / width). In a perspective view
 * with slope s of the upper edge, a corner is in the image if it is so far from the eye that this
 * number is at most s times the distance, so the eye stands max(that / s - forward) before the
 * focal point. For example, for a cube of side 2 seen along an axis, all corners are 1 to the right
 * and up and the near ones 1 before the focal point; with an angle of 53 degrees, s = 0.5, the eye
 * stands 1 / 0.5 + 1 = 3 before it. The largest such number of all frames is taken.
 */
#include "apps/volume/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* (float)k is exact up to this number of samples. */
#define SAMPLES_MOST 16777216.0

/* ---- volume --------------------------------------------------------------------------------- */

static struct htmt__volume_choice choice_of(const struct htmt__volume_settings *s)
{
    return (struct htmt__volume_choice){.raw = s->is_raw ? &s->raw : NULL,
                                        .frame = s->has_frame ? &s->frame : NULL};
}

static int read_volume(const struct htmt__volume_settings *s, struct htmt__volume *v,
                       struct htmt_fault *fault)
{
    int rc = htmt__volume_read(s->volume, choice_of(s), v, fault);
    if (rc || !s->reoriented)
        return rc;
    rc = htmt__volume_reorient(v, fault);
    if (rc)
        htmt__volume_destroy(v);
    return rc;
}

int htmt__volume_input_volume(const struct htmt__volume_settings *s, struct htmt__volume *v,
                              struct htmt_fault *fault)
{
    return s->volume ? read_volume(s, v, fault)
                     : htmt__volume_phantom(s->phantom, s->threads, v, fault);
}

int htmt__volume_input_planes(const struct htmt__volume_settings *s,
                              struct htmt__volume_planes **planes, struct htmt_fault *fault)
{
    if (!s->volume)
        return htmt__volume_planes_phantom(s->phantom, planes, fault);
    int rc = htmt__volume_planes_open(s->volume, choice_of(s), planes, fault);
    if (rc || !s->reoriented || htmt__volume_lies_right(htmt__volume_planes_volume(*planes)))
        return rc;
    /* The planes of the reoriented volume lie across the file. */
    struct htmt__volume v;
    htmt__volume_planes_close(planes);
    rc = read_volume(s, &v, fault);
    if (rc)
        return rc;
    rc = htmt__volume_planes_of(&v, planes, fault);
    if (rc)
        htmt__volume_destroy(&v);
    return rc;
}

/* The range of the values alone: one plane after another through the same memory. */
static int get_range(const struct htmt__volume_settings *s, struct htmt__volume_input *in,
                     struct htmt_fault *fault)
{
    struct htmt__volume_planes *planes = NULL;
    void *room = NULL;
    int rc = htmt__volume_input_planes(s, &planes, fault);
    if (rc)
        return rc;
    const struct htmt__volume *v = htmt__volume_planes_volume(planes);
    struct htmt__volume plane = *v;
    room = malloc((size_t)v->dims[0] * v->dims[1] * htmt__volume_voxel_bytes(v->type));
    if (!room)
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a plane of the volume");
    plane.dims[2] = 1;
    plane.at = room;
    float all[2] = {INFINITY, -INFINITY};
    for (uint32_t z = 0; z < v->dims[2] && !rc; z++) {
        float one[2];
        if ((rc = htmt__volume_planes_take(planes, 1, room, fault)))
            break;
        htmt__volume_extremes(&plane, one);
        all[0] = fminf(all[0], one[0]);
        all[1] = fmaxf(all[1], one[1]);
    }
    if (!rc)
        rc = htmt__volume_planes_end(planes, fault);
    if (!rc && !(all[0] <= all[1]))
        rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s: found NaN in every voxel", s->volume);
    htmt__volume_values(v, all, in->range);
    in->least = htmt__volume_least(v, all);
    in->volume = *v;
    in->volume.at = NULL;
    free(room);
    htmt__volume_planes_close(&planes);
    return rc;
}

static int get_volume(const struct htmt__volume_settings *s, enum htmt__volume_voxels wanted,
                      struct htmt__volume_input *in, struct htmt_fault *fault)
{
    in->known = s->volume || wanted != HTMT__SIZE_ALONE;
    if (wanted == HTMT__RANGE_ALONE)
        return get_range(s, in, fault);
    if (in->known) {
        int rc = htmt__volume_input_volume(s, &in->volume, fault);
        if (!rc)
            htmt__volume_range(&in->volume, in->range);
        return rc;
    }
    in->volume = (struct htmt__volume){.type = s->is_raw ? htmt__volume_stored_held(s->raw.type)
                                                         : HTMT__UINT8,
                                       .slope = 1,
                                       .spacing = {1, 1, 1}};
    for (int a = 0; a < 3; a++)
        in->volume.dims[a] = s->is_raw ? (uint32_t)s->raw.dims[a] : s->phantom;
    return 0;
}

static int get_table(const struct htmt_machine *m, const struct htmt__volume_settings *s,
                     struct htmt__volume_input *in, struct htmt_fault *fault)
{
    struct htmt__volume_transfer t;
    /* The parcels use the other half of the innermost memory. */
    uint64_t half = htmt_machine_room(m, m->layer_count - 1) / 2;
    uint64_t bytes = half < HTMT__TRANSFER_TABLE_BYTES / HTMT_WORD ? half * HTMT_WORD
                                                                   : HTMT__TRANSFER_TABLE_BYTES;
    int rc = htmt__volume_transfer_read(s->transfer, &t, fault);
    if (rc)
        return rc;
    in->window = s->window;
    if (!s->has_window && in->known)
        htmt__volume_transfer_window(&t, &in->volume, in->range, &in->window);
    rc = htmt__volume_transfer_table_create(&t, &in->volume, &in->window, in->casting.step, bytes,
                                            &in->table, fault);
    htmt__volume_transfer_destroy(&t);
    return rc;
}

/* ---- cameras -------------------------------------------------------------------------------- */

static const double directions[][3] = {
    [HTMT__FRONT] = {0, 1, 0},         [HTMT__BACK] = {0, -1, 0}, [HTMT__LEFT] = {-1, 0, 0},
    [HTMT__RIGHT] = {1, 0, 0},         [HTMT__ABOVE] = {0, 0, 1}, [HTMT__BELOW] = {0, 0, -1},
    [HTMT__OBLIQUE] = {0.4, 0.6, 0.3},
};

/* Parallel: half the height of the image that holds the box. Perspective: the distance from which
 * the image holds it. The largest of all frames, so that an orbit has one scale. A view without a
 * camera is refused when its camera is made. */
static double reach_of_orbit(const struct htmt__volume_view *first, uint32_t frames,
                             const double extent[3])
{
    double slope = tan(fmin(fmax(first->angle, 1), 179) * M_PI / 360), most = 0;
    for (uint32_t n = 0; n < frames; n++) {
        struct htmt__volume_view view;
        struct htmt__volume_camera camera;
        htmt__volume_view_orbit(first, n, frames, &view);
        if (htmt__volume_camera_create(&view, &camera, NULL))
            return 1;
        double wide = (double)view.height / (double)view.width, reach = 0;
        for (int corner = 0; corner < 8; corner++) {
            double at[3] = {0}; /* relative to the focal point: right, up and forward */
            for (int a = 0; a < 3; a++) {
                double d = (corner >> a & 1 ? extent[a] : 0) - view.focal[a];
                at[0] += d * camera.right[a];
                at[1] += d * camera.up[a];
                at[2] += d * camera.forward[a];
            }
            double half = fmax(fabs(at[1]), fabs(at[0]) * wide);
            reach = fmax(reach, view.perspective ? half / slope - at[2] : half);
        }
        most = fmax(most, reach);
    }
    return most;
}

static void place_eye(enum htmt__volume_side from, double away, struct htmt__volume_view *v)
{
    const double *d = directions[from];
    double length = hypot(d[0], hypot(d[1], d[2]));
    for (int a = 0; a < 3; a++)
        v->eye[a] = v->focal[a] + away * d[a] / length;
}

/* Frame 0 has what the settings give. What they leave open makes the box of size `extent` fit the
 * image in every frame, about the focal point. Only a given eye of a perspective view may be too
 * near for that. The other frames go around from there. */
static int place_cameras(const struct htmt__volume_settings *s, const double extent[3],
                         struct htmt__volume_input *in, struct htmt_fault *fault)
{
    struct htmt__volume_view first = s->view;
    bool along_z = s->from == HTMT__ABOVE || s->from == HTMT__BELOW;
    for (int a = 0; a < 3; a++) {
        if (!s->has_focal)
            first.focal[a] = extent[a] / 2;
        if (!s->has_up)
            first.up[a] = a == (along_z && !s->has_eye ? 1 : 2);
    }
    double diagonal = hypot(extent[0], hypot(extent[1], extent[2]));
    if (!s->has_eye) /* far enough to be outside the box */
        place_eye(s->from, diagonal * fmax(1, (double)first.height / (double)first.width), &first);
    if (!s->has_half_height)
        first.half_height = 1;
    double most = reach_of_orbit(&first, s->frames, extent);
    if (first.perspective && !s->has_eye)
        place_eye(s->from, most, &first);
    if (!first.perspective && !s->has_half_height)
        first.half_height = most;
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

int htmt__volume_input_read(const struct htmt_machine *m, const struct htmt__volume_settings *s,
                            enum htmt__volume_voxels wanted, struct htmt__volume_input *out,
                            struct htmt_fault *fault)
{
    struct htmt__volume_input in = {.camera = NULL, .casting = s->casting};
    struct htmt__volume_casting *c = &in.casting;
    double extent[3];
    int rc = get_volume(s, wanted, &in, fault);
    for (int a = 0; a < 3 && !rc; a++) {
        if (s->spacing == HTMT__FILE_SPACE)
            c->spacing[a] = in.volume.spacing[a];
        extent[a] = (in.volume.dims[a] - 1) * c->spacing[a];
        /* Samples as dense as the file's grid points, in the direction where they are densest. */
        if (s->spacing == HTMT__FILE_SPACE && !s->has_step)
            c->step = fmin(c->step, c->spacing[a]);
    }
    double longest = rc ? 0 : hypot(extent[0], hypot(extent[1], extent[2]));
    if (!rc && !(longest / c->step < SAMPLES_MOST))
        rc = htmt_fault_set(fault, HTMT_ERANGE,
                            "--step: found %g, expected at least %g for rays of up to %g", c->step,
                            longest / SAMPLES_MOST, longest);
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

struct htmt__volume_problem htmt__volume_problem_of(const struct htmt__volume_settings *s,
                                                    const struct htmt__volume_input *in)
{
    const uint32_t *dims = in->volume.dims;
    return (struct htmt__volume_problem){
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
}

int htmt__volume_settings_plan(const struct htmt_machine *m, const struct htmt__volume_settings *s,
                               const struct htmt__volume_input *in, struct htmt__volume_plan *plan,
                               struct htmt_fault *fault)
{
    const struct htmt__volume_problem problem = htmt__volume_problem_of(s, in);
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
