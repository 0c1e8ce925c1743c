/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/volume/settings.h"

#include "apps/volume/costs.h"
#include "apps/volume/image.h"
#include "layers/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PHANTOM_SIDE 64
#define FRAMES_MOST  10000

const struct htmt_app_option htmt__volume_options[] = {
    {"volume", "FILE", NULL,
     "NIfTI-1 (.nii, .nii.gz), NRRD (.nrrd, .nhdr), or raw with --dims; default: a phantom of 64 x "
     "64 x 64 voxels"},
    {"dims", "X,Y,Z", NULL,
     "voxels of a raw file; without a file of the phantom, which is a cube, or of what is "
     "modelled"},
    {"type", "TYPE", "uint8", "of a raw file's voxels: uint8, int16, uint16 or float32"},
    {"big-endian", NULL, NULL, "a raw file has the high bytes first"},
    {"transfer", "NAME|FILE", "soft", "transfer function: opacity and colour of values"},
    {"window", "FROM,TO", NULL, "values that the transfer function has at 0 and at 255"},
    {"view", "KIND", "parallel", "parallel or perspective"},
    {"eye", "X,Y,Z", NULL, "where one looks from; default: from +y, in front of all"},
    {"focal", "X,Y,Z", NULL, "where one looks to; default: the middle of the volume"},
    {"up", "X,Y,Z", "0,0,1", "direction that is upward in the image"},
    {"angle", "DEGREES", "30", "vertical angle of a perspective view"},
    {"half-height", "H", NULL, "half the height of a parallel view; default: the whole volume"},
    {"spacing", "KIND", "index", "unit of space: index: a voxel; file: what the file says"},
    {"size", "N|WxH", "512", "pixels of the image"},
    {"frames", "N", "1", "images of an orbit about the focal point"},
    {"step", "S", "0.5", "length between two samples"},
    {"terminate", "A|off", "0.99", "opacity at which a ray ends early"},
    {"shade", NULL, NULL, "shade by the gradient, with a light at the eye"},
    {"subcube", "N", NULL,
     "voxels a side that a parcel carries, N_G; default: the cost file's, else what CRAM holds"},
    {"bundle", "N", NULL,
     "pixels a side of a bundle of rays; default: the cost file's, else N_G or fewer"},
    {"double-buffer", NULL, NULL, "choose subcubes so small that CRAM holds two parcels"},
    {"rays", "LAYER", "sram", "where ray data lie: sram; or dram, carried up with each subcube"},
    {"voxel-bytes", "N", NULL,
     "bytes of a voxel on the machine; default: the cost file's, else those of its type"},
    {"alpha", "A", NULL,
     "of model and predict: samples taken for each voxel of a subcube; default: the cost file's, "
     "else all that the rays have"},
    {"out", "FILE", NULL, "write the image there, .png or .npy; frames are numbered"},
    {"bits", "N", "8", "of a PNG's levels: 8 or 16"},
    {"check", "KIND", "full", "full: compare with the serial ray caster; none"},
    {NULL, NULL, NULL, NULL},
};

/* ---- texts ---------------------------------------------------------------------------------- */

static int refuse(struct htmt_fault *fault, int code, const char *name, const char *text,
                  const char *expected)
{
    return htmt_fault_set(fault, code, "--%s: found '%s', expected %s", name, text, expected);
}

static int whole(const struct htmt_request *r, const char *name, uint64_t least, uint64_t most,
                 uint64_t *value, struct htmt_fault *fault)
{
    const char *text = htmt_request_value(r, name);
    char expected[80];
    if (!text)
        return 0;
    size_t digits = strspn(text, "0123456789");
    uint64_t n = digits && digits < 18 ? strtoull(text, NULL, 10) : 0;
    snprintf(expected, sizeof expected, "a whole number from %" PRIu64 " to %" PRIu64, least, most);
    if (!digits || text[digits])
        return refuse(fault, HTMT_EUSAGE, name, text, expected);
    if (digits >= 18 || n < least || n > most)
        return refuse(fault, HTMT_ERANGE, name, text, expected);
    *value = n;
    return 0;
}

static int whole32(const struct htmt_request *r, const char *name, uint64_t most, uint32_t *value,
                   struct htmt_fault *fault)
{
    uint64_t n = *value;
    int rc = whole(r, name, 1, most, &n, fault);
    *value = (uint32_t)n;
    return rc;
}

/* So many numbers with commas between them. False: they are not. */
static bool read_numbers(const char *text, unsigned count, double *value)
{
    for (unsigned i = 0; i < count; i++) {
        char *end;
        value[i] = strtod(text, &end);
        if (end == text || !isfinite(value[i]) || *end != (i + 1 < count ? ',' : '\0'))
            return false;
        text = end + 1;
    }
    return true;
}

static int numbers(const struct htmt_request *r, const char *name, unsigned count, double *value,
                   bool *given, struct htmt_fault *fault)
{
    static const char *const expected[] = {"", "a number", "two numbers such as 40,255",
                                           "three numbers such as 90,217,90"};
    const char *text = htmt_request_value(r, name);
    double found[3];
    if (!text)
        return 0;
    if (!read_numbers(text, count, found))
        return refuse(fault, HTMT_EUSAGE, name, text, expected[count]);
    memcpy(value, found, count * sizeof *value);
    if (given)
        *given = true;
    return 0;
}

static int choice(const struct htmt_request *r, const char *name, const char *first,
                  const char *second, bool *is_second, struct htmt_fault *fault)
{
    const char *text = htmt_request_value(r, name);
    char expected[64];
    *is_second = text && !strcmp(text, second);
    if (!text || *is_second || !strcmp(text, first))
        return 0;
    snprintf(expected, sizeof expected, "%s or %s", first, second);
    return refuse(fault, HTMT_EUSAGE, name, text, expected);
}

/* ---- groups of options ---------------------------------------------------------------------- */

static int read_dims(const struct htmt_request *r, struct htmt__volume_settings *s,
                     struct htmt_fault *fault)
{
    double dims[3];
    int rc = numbers(r, "dims", 3, dims, &s->dims, fault);
    for (int a = 0; a < 3 && s->dims && !rc; a++) {
        if (dims[a] < 1 || dims[a] != floor(dims[a]) || dims[a] > 1e9)
            rc = refuse(fault, HTMT_ERANGE, "dims", htmt_request_value(r, "dims"),
                        "three whole numbers of voxels such as 181,217,181");
        else
            s->shape.dims[a] = (uint64_t)dims[a];
    }
    return rc;
}

static int read_volume(const struct htmt_request *r, struct htmt__volume_settings *s,
                       struct htmt_fault *fault)
{
    const char *type = htmt_request_value(r, "type");
    s->volume = htmt_request_value(r, "volume");
    s->transfer = htmt_request_value(r, "transfer");
    s->shape.big_endian = htmt_request_value(r, "big-endian") != NULL;
    double window[2];
    int rc = read_dims(r, s, fault);
    if (!rc && htmt__voxel_of_name(type, &s->shape.type))
        rc = refuse(fault, HTMT_EUSAGE, "type", type, "uint8, int16, uint16 or float32");
    if (!rc)
        rc = numbers(r, "window", 2, window, &s->window.given, fault);
    if (!rc && s->window.given) {
        s->window.from = window[0];
        s->window.to = window[1];
    }
    if (!rc)
        rc = choice(r, "spacing", "index", "file", &s->file_spacing, fault);
    s->raw = s->volume && s->dims;
    return rc;
}

static int read_size(const struct htmt_request *r, struct htmt__view *view,
                     struct htmt_fault *fault)
{
    const char *text = htmt_request_value(r, "size");
    unsigned width, height;
    char end;
    int found = sscanf(text, "%5ux%5u%c", &width, &height, &end);
    if (strspn(text, "0123456789x") != strlen(text) ||
        (found != 2 && !(found == 1 && !strchr(text, 'x'))))
        return refuse(fault, HTMT_EUSAGE, "size", text, "pixels such as 512 or 640x480");
    height = found == 1 ? width : height;
    if (!width || !height || width > HTMT__IMAGE_SIDE_MOST || height > HTMT__IMAGE_SIDE_MOST)
        return refuse(fault, HTMT_ERANGE, "size", text, "1 to 32768 pixels a side");
    view->width = width;
    view->height = height;
    return 0;
}

static int read_view(const struct htmt_request *r, struct htmt__volume_settings *s,
                     struct htmt_fault *fault)
{
    struct htmt__view *v = &s->view;
    int rc = choice(r, "view", "parallel", "perspective", &v->perspective, fault);
    if (!rc)
        rc = numbers(r, "eye", 3, v->eye, &s->eye, fault);
    if (!rc)
        rc = numbers(r, "focal", 3, v->focal, &s->focal, fault);
    if (!rc)
        rc = numbers(r, "up", 3, v->up, NULL, fault);
    if (!rc)
        rc = numbers(r, "angle", 1, &v->angle, NULL, fault);
    if (!rc)
        rc = numbers(r, "half-height", 1, &v->half_height, &s->half_height, fault);
    if (!rc)
        rc = read_size(r, v, fault);
    return rc ? rc : whole32(r, "frames", FRAMES_MOST, &s->frames, fault);
}

static int read_terminate(const struct htmt_request *r, struct htmt__casting *c,
                          struct htmt_fault *fault)
{
    const char *text = htmt_request_value(r, "terminate");
    double opacity;
    c->limit = -1;
    if (!strcmp(text, "off"))
        return 0;
    if (!read_numbers(text, 1, &opacity) || !(opacity > 0 && opacity <= 1))
        return refuse(fault, HTMT_EUSAGE, "terminate", text,
                      "an opacity above 0, at most 1, or off");
    c->limit = 1 - opacity;
    return 0;
}

static int read_casting(const struct htmt_request *r, struct htmt__casting *c,
                        struct htmt_fault *fault)
{
    int rc = numbers(r, "step", 1, &c->step, NULL, fault);
    if (!rc && !(c->step >= 1e-3 && c->step <= 1e3))
        rc = refuse(fault, HTMT_ERANGE, "step", htmt_request_value(r, "step"),
                    "a length from 0.001 to 1000");
    c->shading = (struct htmt__shading){.on = htmt_request_value(r, "shade") != NULL,
                                        .ambient = 0.3f,
                                        .diffuse = 0.7f,
                                        .specular = 0.2f,
                                        .gloss = 4};
    return rc ? rc : read_terminate(r, c, fault);
}

static int read_alpha(const struct htmt_request *r, struct htmt__volume_settings *s,
                      struct htmt_fault *fault)
{
    const char *text = htmt_request_value(r, "alpha");
    struct htmt__quantity q;
    char why[200];
    if (!text)
        return 0;
    int rc = htmt__quantity_read(text, HTMT__SHARE, NULL, &q, why, sizeof why);
    if (rc)
        return htmt_fault_set(fault, rc, "--alpha: %s", why);
    if (!q.value.num || q.value.num / q.value.den > 1000000)
        return refuse(fault, HTMT_ERANGE, "alpha", text, "more than 0, at most 1e6");
    s->alpha = q.value;
    return 0;
}

static int read_parcels(const struct htmt_request *r, struct htmt__volume_settings *s,
                        struct htmt_fault *fault)
{
    s->double_buffer = htmt_request_value(r, "double-buffer") != NULL;
    int rc = whole32(r, "subcube", HTMT__VOLUME_SIDE_MOST, &s->edge, fault);
    if (!rc)
        rc = whole32(r, "bundle", HTMT__SIDE_MOST, &s->side, fault);
    if (!rc)
        rc = choice(r, "rays", "sram", "dram", &s->rays_in_dram, fault);
    if (!rc)
        rc = whole(r, "voxel-bytes", 1, 512, &s->voxel_bytes, fault);
    return rc ? rc : read_alpha(r, s, fault);
}

static int read_output(const struct htmt_request *r, struct htmt__volume_settings *s,
                       struct htmt_fault *fault)
{
    bool sixteen, unchecked;
    s->out = htmt_request_value(r, "out");
    int rc = choice(r, "bits", "8", "16", &sixteen, fault);
    if (!rc)
        rc = choice(r, "check", "full", "none", &unchecked, fault);
    if (!rc && s->out)
        rc = htmt__image_check_output(s->out, fault);
    s->bits = sixteen ? 16 : 8;
    s->check = !unchecked;
    return rc;
}

static int read_costs(const struct htmt_request *r, struct htmt__volume_settings *s,
                      struct htmt_fault *fault)
{
    int rc = htmt__volume_costs_read(r->costs, &s->charges, fault);
    if (rc)
        return rc;
    if (!s->edge)
        s->edge = (uint32_t)s->charges.edge;
    if (!s->side)
        s->side = (uint32_t)floor(sqrt((double)s->charges.rays));
    if (!s->alpha.num)
        s->alpha = s->charges.alpha;
    return 0;
}

int htmt__volume_settings_read(const struct htmt_request *r, struct htmt__volume_settings *out,
                               struct htmt_fault *fault)
{
    struct htmt__volume_settings s = {.alpha = {0, 1}, .charges = {.alpha = {0, 1}}};
    int rc = read_volume(r, &s, fault);
    if (!rc)
        rc = read_view(r, &s, fault);
    if (!rc)
        rc = read_casting(r, &s.casting, fault);
    if (!rc)
        rc = read_parcels(r, &s, fault);
    if (!rc)
        rc = read_output(r, &s, fault);
    if (!rc && r->costs)
        rc = read_costs(r, &s, fault);
    if (!rc)
        *out = s;
    return rc;
}

/* ---- input ---------------------------------------------------------------------------------- */

/* What is modelled without data. */
static int shape_volume(const struct htmt__volume_settings *s, struct htmt__volume *v,
                        struct htmt_fault *fault)
{
    *v = (struct htmt__volume){.type = s->shape.type, .slope = 1, .spacing = {1, 1, 1}};
    for (int a = 0; a < 3; a++) {
        uint64_t n = s->dims ? s->shape.dims[a] : PHANTOM_SIDE;
        if (n < 2 || n > HTMT__VOLUME_SIDE_MOST)
            return htmt_fault_set(fault, HTMT_ERANGE,
                                  "--dims: found %" PRIu64 " voxels, expected 2 to %d", n,
                                  HTMT__VOLUME_SIDE_MOST);
        v->dims[a] = (uint32_t)n;
    }
    return 0;
}

static int make_phantom(const struct htmt__volume_settings *s, struct htmt__volume *v,
                        struct htmt_fault *fault)
{
    const uint64_t *n = s->shape.dims;
    if (s->dims && (n[0] != n[1] || n[0] != n[2] || n[0] > HTMT__VOLUME_SIDE_MOST))
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--dims without --volume: found %" PRIu64 " x %" PRIu64 " x %" PRIu64
                              ", expected a cube of voxels for the phantom",
                              n[0], n[1], n[2]);
    return htmt__volume_phantom(s->dims ? (uint32_t)n[0] : PHANTOM_SIDE, v, fault);
}

static int take_volume(const struct htmt__volume_settings *s, bool data, struct htmt__volume *v,
                       struct htmt_fault *fault)
{
    if (s->volume)
        return htmt__volume_read(s->volume, s->raw ? &s->shape : NULL, v, fault);
    return data ? make_phantom(s, v, fault) : shape_volume(s, v, fault);
}

static int take_lookup(const struct htmt__volume_settings *s, struct htmt__volume_input *in,
                       struct htmt_fault *fault)
{
    struct htmt__transfer t;
    int rc = htmt__transfer_read(s->transfer, &t, fault);
    if (rc)
        return rc;
    rc = htmt__lookup_create(&t, &in->volume, &s->window, s->casting.step, &in->lookup, fault);
    htmt__transfer_destroy(&t);
    return rc;
}

/* What is not given is such that the whole volume is seen. */
static void complete_view(const struct htmt__volume_settings *s, const struct htmt__volume *v,
                          const double spacing[3], struct htmt__view *view)
{
    struct htmt__view whole_volume;
    double extent[3];
    for (int a = 0; a < 3; a++)
        extent[a] = (v->dims[a] - 1) * spacing[a];
    htmt__view_front(extent, s->view.width, s->view.height, &whole_volume);
    *view = s->view;
    if (!s->focal)
        memcpy(view->focal, whole_volume.focal, sizeof view->focal);
    if (!s->eye)
        memcpy(view->eye, whole_volume.eye, sizeof view->eye);
    if (!s->half_height)
        view->half_height = whole_volume.half_height;
}

static int take_cameras(const struct htmt__volume_settings *s, struct htmt__volume_input *in,
                        struct htmt_fault *fault)
{
    struct htmt__view view, frame;
    int rc = 0;
    complete_view(s, &in->volume, in->casting.spacing, &view);
    in->camera = calloc(s->frames, sizeof *in->camera);
    if (!in->camera)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for %u cameras", s->frames);
    for (uint32_t i = 0; i < s->frames && !rc; i++) {
        htmt__view_orbit(&view, i, s->frames, &frame);
        rc = htmt__camera_create(&frame, &in->camera[i], fault);
    }
    return rc;
}

int htmt__volume_input_read(const struct htmt__volume_settings *s, bool data,
                            struct htmt__volume_input *out, struct htmt_fault *fault)
{
    struct htmt__volume_input in = {.casting = s->casting};
    int rc = take_volume(s, data, &in.volume, fault);
    for (int a = 0; a < 3 && !rc; a++)
        in.casting.spacing[a] = s->file_spacing ? in.volume.spacing[a] : 1;
    if (!rc)
        rc = take_lookup(s, &in, fault);
    if (!rc)
        rc = take_cameras(s, &in, fault);
    if (rc)
        htmt__volume_input_destroy(&in);
    else
        *out = in;
    return rc;
}

void htmt__volume_input_destroy(struct htmt__volume_input *in)
{
    htmt__volume_destroy(&in->volume);
    htmt__lookup_destroy(&in->lookup);
    free(in->camera);
    in->camera = NULL;
}

/* ---- plan ----------------------------------------------------------------------------------- */

int htmt__volume_settings_plan(const struct htmt_request *r, const struct htmt__volume_settings *s,
                               const struct htmt__volume_input *in, struct htmt_machine *machine,
                               struct htmt__volume_plan *plan, struct htmt_fault *fault)
{
    const uint32_t *dims = in->volume.dims;
    struct htmt__volume_problem problem = {
        .dims = {dims[0], dims[1], dims[2]},
        .width = s->view.width,
        .height = s->view.height,
        .frames = s->frames,
        .edge = s->edge,
        .side = s->side,
        .voxel = (uint32_t)htmt__voxel_bytes(in->volume.type),
        .voxel_bytes = s->voxel_bytes,
        .channels = in->lookup.channels,
        .table_rows = in->lookup.last + 1,
        .shaded = s->casting.shading.on,
        .double_buffer = s->double_buffer,
        .rays_in_dram = s->rays_in_dram,
    };
    *machine = *r->machine;
    machine->slices = r->emulator.slices ? r->emulator.slices : r->machine->slices;
    return htmt__volume_plan(machine, &problem, &s->charges, plan, fault);
}

void htmt__volume_describe(const struct htmt__volume_settings *s, const struct htmt__volume_plan *p,
                           char *text, size_t room)
{
    const struct htmt__volume_problem *o = &p->problem;
    char frames[24] = "";
    if (o->frames > 1)
        snprintf(frames, sizeof frames, ", %u frames", o->frames);
    snprintf(text, room,
             "%u x %u x %u voxels%s to %u x %u pixels%s; step %g, %s%s; N_G = %u, %u subcubes, "
             "%u bundles of %u x %u rays in %s, %u a slice at once",
             o->dims[0], o->dims[1], o->dims[2], s->volume ? "" : " generated", o->width, o->height,
             frames, s->casting.step, s->view.perspective ? "perspective" : "parallel",
             o->shaded ? ", shaded" : "", p->subcubes.edge, p->subcubes.all, p->bundles,
             p->tiling.side, p->tiling.side, o->rays_in_dram ? "DRAM" : "SRAM", p->lanes);
}
