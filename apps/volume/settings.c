/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Options and cost files. An option overrides the cost file, and the cost file overrides a default.
 * All that can be refused without reading the volume is refused here, and the names of all images
 * are claimed, so that no work is done whose result cannot be written.
 *
 * A cost file gives the constants of a paper: cycles and words of a parcel of edge^3 voxels and
 * so many rays. It must describe a parcel that the program can make, so the words that leave CRAM
 * must be those of its rays.
 *
 * Each group of options has a step that reads it: input, view, rendering, output, parcels. A step
 * refuses what is wrong in itself; options of two groups that exclude each other (--view and --eye)
 * are refused when all have been read, so that a message speaks of the option that is wrong and not
 * of the one that was read first. An option that was not given leaves a zero, and whoever needs the
 * figure chooses then: the subcube's edge follows from the machine, a step from the distances of
 * the file, the window from the range of the values.
 */
#include "apps/volume/settings.h"

#include "apps/lib/execution.h"
#include "apps/volume/counts.h"
#include "apps/volume/io/image.h"
#include "layers/file/costs.h"
#include "layers/file/units.h"
#include "runtime/base/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PHANTOM_DEFAULT 64

#define ALPHA_MOST 1000000
#define STEP       0.5
#define STEP_LEAST 0.00390625
#define STEP_MOST  1000

const struct htmt_app_option htmt__volume_options[] = {
    {"volume", "FILE", NULL, "NIfTI (.nii, .nii.gz, .hdr) or NRRD; with --dims raw voxels"},
    {"frame", "N", NULL, "volume of that number, from 0, of a file with a series"},
    {"dims", "X,Y,Z", NULL,
     "voxels of a raw file; in a model without --volume, voxels of the problem"},
    {"type", "NAME", NULL,
     "type of these voxels: uint8, int8, int16, uint16, int32, uint32, int64, uint64, float32 or "
     "float64; default: uint8"},
    {"endian", "NAME", NULL, "byte order of these voxels: little or big; default: little"},
    {"phantom", "N", NULL, "without --volume: N x N x N voxels of an analytic head; default: 64"},
    {"transfer", "NAME|FILE", "soft",
     "opacity and colour as a function of the value: soft, dense, tissue, or a file"},
    {"window", "FROM,TO", NULL, "map these values to 0 and 255 before the function is applied"},
    {"spacing", "KIND|X,Y,Z", "file",
     "distance of grid points: file (as it says), index (1,1,1), or numbers"},
    {"orientation", "KIND", "file",
     "file: turn the volume so that x runs to the right, y to the front, z to the head; index: "
     "leave its axes"},
    {"view", "NAME", "front", "view from front, back, left, right, above, below or oblique"},
    {"eye", "X,Y,Z", NULL, "position of the eye, instead of --view"},
    {"focal", "X,Y,Z", NULL, "point that the eye looks at; default: the middle of the volume"},
    {"up", "X,Y,Z", NULL,
     "direction that is up in the image; default: 0,0,1, from above or below 0,1,0"},
    {"projection", "KIND", NULL,
     "parallel or perspective; default: parallel, with --angle perspective"},
    {"angle", "DEGREES", NULL, "perspective: vertical angle of the image; default: 30"},
    {"half-height", "LENGTH", NULL,
     "parallel: half the image's height; default: the volume fits the image"},
    {"size", "N|WxH", "512", "pixels of the image"},
    {"frames", "N", "1", "images of an orbit about the axis up through the focal point"},
    {"step", "LENGTH", NULL,
     "distance of samples; default: 0.5, or the file's least distance of grid points if less"},
    {"terminate", "OPACITY|off", "0.99", "opacity at which a ray ends"},
    {"shade", NULL, NULL, "shade by gradients, with a light at the eye"},
    {"light", "A,D,S,G", "0.2,0.75,0.25,4",
     "ambient, diffuse and specular light; the highlight is the cosine squared G times"},
    {"out", "FILE", NULL, "write the image to this file, .png or .npy; frames get a number"},
    {"npy", "FILE", NULL, "also write the image as floats to this file, .npy"},
    {"bits", "N", "8", "bits of a level of .png: 8 or 16"},
    {"check", "KIND", "full", "full: compare every pixel with the serial ray caster; or none"},
    {"subcube", "N", NULL,
     "voxels a side that a parcel carries, N_G; default: the cost file's, or 24 if that fits CRAM"},
    {"bundle", "N", NULL,
     "pixels a side of a bundle of rays; default: the cost file's, or N_G or fewer"},
    {"lanes", "N", NULL,
     "bundles that a slice works on at once; default: up to 16, as SRAM and DRAM allow"},
    {"double-buffer", NULL, NULL, "choose subcubes so small that CRAM holds two parcels"},
    {"rays", "WHERE", "sram",
     "sram: rays wait in SRAM; dram: their paths come up with each subcube"},
    {"voxel-bytes", "N", NULL,
     "bytes of a voxel on the machine; default: the cost file's, or the file's"},
    {"alpha", "SHARE", NULL,
     "samples taken for each voxel of a subcube, in model and predict; default: the cost file's, "
     "or all samples of the rays"},
    HTMT_EXECUTION_OPTION,
    {NULL, NULL, NULL, NULL},
};

static bool given(const struct htmt_request *r, const char *name)
{
    return htmt_request_value(r, name) != NULL;
}

/* ---- input ---------------------------------------------------------------------------------- */

static int read_raw(const struct htmt_request *r, struct htmt__volume_settings *s,
                    struct htmt_fault *fault)
{
    static const char *const types[] = {"uint8",  "int16",   "uint16", "float32", "int8", "int32",
                                        "uint32", "float64", "int64",  "uint64",  NULL};
    static const char *const endians[] = {"little", "big", NULL};
    unsigned type = 0, endian = 0;
    double dims[3] = {0};
    int rc = htmt_request_reals(r, "dims", 3, dims, fault);
    s->is_raw = given(r, "dims");
    for (int a = 0; !rc && s->is_raw && a < 3; a++) {
        if (!(dims[a] >= 2 && dims[a] <= HTMT__VOLUME_SIDE_MOST && dims[a] == floor(dims[a])))
            return htmt_fault_set(fault, HTMT_ERANGE,
                                  "--dims: found %s, expected whole numbers from 2 to %d",
                                  htmt_request_value(r, "dims"), HTMT__VOLUME_SIDE_MOST);
        s->raw.dims[a] = (uint64_t)dims[a];
    }
    if (!rc)
        rc = htmt_request_choice(r, "type", types, &type, fault);
    if (!rc)
        rc = htmt_request_choice(r, "endian", endians, &endian, fault);
    if (rc)
        return rc;
    s->raw.big_endian = endian == 1;
    return htmt__volume_stored_of_name(types[type], &s->raw.type);
}

static int read_spacing(const struct htmt_request *r, struct htmt__volume_settings *s,
                        struct htmt_fault *fault)
{
    const char *text = htmt_request_value(r, "spacing");
    double *spacing = s->casting.spacing;
    for (int a = 0; a < 3; a++)
        spacing[a] = 1;
    if (!strcmp(text, "index") || !strcmp(text, "file")) {
        s->spacing = text[0] == 'i' ? HTMT__INDEX_SPACE : HTMT__FILE_SPACE;
        return 0;
    }
    s->spacing = HTMT__GIVEN_SPACE;
    int rc = htmt_request_reals(r, "spacing", 3, spacing, fault);
    for (int a = 0; !rc && a < 3; a++)
        if (!(spacing[a] >= 1e-6 && spacing[a] <= 1e6))
            rc = htmt_fault_set(fault, HTMT_ERANGE, "--spacing: found %s, expected 1e-6 to 1e6",
                                text);
    return rc;
}

static int read_input(const struct htmt_request *r, struct htmt__volume_settings *s,
                      struct htmt_fault *fault)
{
    s->threads = htmt_request_threads(r);
    s->phantom = PHANTOM_DEFAULT;
    s->volume = htmt_request_value(r, "volume");
    s->transfer = htmt_request_value(r, "transfer");
    static const char *const orientations[] = {"file", "index", NULL};
    unsigned orientation = 0;
    double ends[2] = {0};
    int rc = read_raw(r, s, fault);
    if (!rc)
        rc = htmt_request_choice(r, "orientation", orientations, &orientation, fault);
    s->reoriented = orientation == 0;
    if (!rc)
        rc = htmt_request_whole32(r, "phantom", 2, 4096, &s->phantom, fault);
    if (!rc)
        rc = htmt_request_whole32(r, "frame", 0, UINT32_MAX, &s->frame, fault);
    s->has_frame = given(r, "frame");
    if (!rc)
        rc = read_spacing(r, s, fault);
    if (!rc)
        rc = htmt_request_reals(r, "window", 2, ends, fault);
    s->has_window = given(r, "window");
    if (!rc && s->has_window) {
        s->window = (struct htmt__volume_window){true, ends[0], ends[1]};
        if (!(ends[1] > ends[0]))
            rc = htmt_fault_set(fault, HTMT_ERANGE, "--window: found %s, expected ascending values",
                                htmt_request_value(r, "window"));
    }
    if (rc)
        return rc;
    if (s->is_raw && !s->volume && htmt_request_mode(r) == HTMT_RUN)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--dims without --volume");
    if (given(r, "phantom") && (s->volume || s->is_raw))
        return htmt_fault_set(fault, HTMT_EUSAGE, "--phantom with %s",
                              s->volume ? "--volume" : "--dims");
    if (s->has_frame && (!s->volume || s->is_raw))
        return htmt_fault_set(fault, HTMT_EUSAGE, "--frame %s",
                              s->is_raw ? "with --dims" : "without --volume");
    if (!s->is_raw && (given(r, "type") || given(r, "endian")))
        return htmt_fault_set(fault, HTMT_EUSAGE, "--%s without --dims",
                              given(r, "type") ? "type" : "endian");
    return 0;
}

/* ---- view ----------------------------------------------------------------------------------- */

static int read_size(const struct htmt_request *r, struct htmt__volume_settings *s,
                     struct htmt_fault *fault)
{
    const char *text = htmt_request_value(r, "size");
    unsigned long side[2];
    char *end = NULL;
    side[0] = side[1] = strtoul(text, &end, 10);
    bool good = end != text && strspn(text, "0123456789x") == strlen(text);
    if (good && *end == 'x') {
        const char *second = end + 1;
        side[1] = strtoul(second, &end, 10);
        good = end != second;
    }
    if (!good || *end)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--size: found '%s', expected pixels such as 512 or 640x480", text);
    for (int i = 0; i < 2; i++)
        if (!side[i] || side[i] > HTMT__IMAGE_SIDE_MOST)
            return htmt_fault_set(fault, HTMT_ERANGE, "--size: found %s, expected 1 to %d a side",
                                  text, HTMT__IMAGE_SIDE_MOST);
    s->view.width = (uint32_t)side[0];
    s->view.height = (uint32_t)side[1];
    return 0;
}

static int read_lens(const struct htmt_request *r, struct htmt__volume_settings *s,
                     struct htmt_fault *fault)
{
    static const char *const projections[] = {"parallel", "perspective", NULL};
    unsigned projection = given(r, "angle");
    s->view.angle = 30;
    s->has_half_height = given(r, "half-height");
    int rc = htmt_request_choice(r, "projection", projections, &projection, fault);
    s->view.perspective = projection == 1;
    if (!rc && !s->view.perspective && given(r, "angle"))
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "--angle with --projection parallel");
    if (!rc && s->view.perspective && given(r, "half-height"))
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "--half-height with %s",
                            given(r, "angle") ? "--angle" : "--projection perspective");
    if (!rc)
        rc = htmt_request_reals(r, "angle", 1, &s->view.angle, fault);
    if (!rc)
        rc = htmt_request_reals(r, "half-height", 1, &s->view.half_height, fault);
    return rc;
}

static int read_view(const struct htmt_request *r, struct htmt__volume_settings *s,
                     struct htmt_fault *fault)
{
    static const char *const sides[] = {"front", "back",  "left",    "right",
                                        "above", "below", "oblique", NULL};
    unsigned from = 0;
    int rc = htmt_request_choice(r, "view", sides, &from, fault);
    s->from = (enum htmt__volume_side)from;
    s->has_eye = given(r, "eye");
    s->has_focal = given(r, "focal");
    s->has_up = given(r, "up");
    if (!rc)
        rc = htmt_request_reals(r, "eye", 3, s->view.eye, fault);
    if (!rc)
        rc = htmt_request_reals(r, "focal", 3, s->view.focal, fault);
    if (!rc)
        rc = htmt_request_reals(r, "up", 3, s->view.up, fault);
    if (!rc)
        rc = read_lens(r, s, fault);
    if (!rc)
        rc = read_size(r, s, fault);
    if (!rc)
        rc = htmt_request_whole32(r, "frames", 1, HTMT__FRAMES_MOST, &s->frames, fault);
    return rc;
}

/* ---- rendering ------------------------------------------------------------------------------ */

static int read_rendering(const struct htmt_request *r, struct htmt__volume_settings *s,
                          struct htmt_fault *fault)
{
    double threshold = 1, light[4] = {0};
    bool terminates = strcmp(htmt_request_value(r, "terminate"), "off") != 0;
    s->has_step = given(r, "step");
    s->casting.step = STEP;
    int rc = htmt_request_real(r, "step", STEP_LEAST, STEP_MOST, &s->casting.step, fault);
    if (!rc && terminates)
        rc = htmt_request_real(r, "terminate", 0, 1, &threshold, fault);
    s->casting.limit = terminates ? 1 - threshold : -1;
    if (!rc)
        rc = htmt_request_reals(r, "light", 4, light, fault);
    if (rc)
        return rc;
    for (int i = 0; i < 4; i++)
        if (light[i] < 0 || light[i] > (i < 3 ? 1 : 10) || (i == 3 && light[i] != floor(light[i])))
            return htmt_fault_set(fault, HTMT_ERANGE,
                                  "--light: found %s, expected three shares from 0 to 1 and a "
                                  "whole number from 0 to 10",
                                  htmt_request_value(r, "light"));
    s->casting.shading = (struct htmt__volume_shading){
        given(r, "shade"), (float)light[0], (float)light[1], (float)light[2], (unsigned)light[3]};
    return 0;
}

/* Check and claim the files of every frame before the work begins. */
static int check_images(const char *option, const char *path, uint32_t frames,
                        struct htmt_fault *fault)
{
    char name[HTMT__IMAGE_PATH_MOST];
    int rc = 0;
    for (uint32_t n = 0; path && !rc && n < frames; n++) {
        rc = htmt__volume_image_frame_path(path, n, frames, name, sizeof name, fault);
        if (!rc)
            rc = htmt__volume_image_check_output(name, fault);
        if (!rc)
            rc = htmt_output_claim(option, name, fault);
    }
    return rc;
}

static int read_output(const struct htmt_request *r, struct htmt__volume_settings *s,
                       struct htmt_fault *fault)
{
    static const char *const depths[] = {"8", "16", NULL};
    static const char *const checks[] = {"full", "none", NULL};
    unsigned depth = 0, check = 0;
    s->out = htmt_request_value(r, "out");
    s->npy = htmt_request_value(r, "npy");
    int rc = htmt_request_choice(r, "bits", depths, &depth, fault);
    if (!rc)
        rc = htmt_request_choice(r, "check", checks, &check, fault);
    s->bits = depth ? 16 : 8;
    s->check = check == 0;
    if (!rc)
        rc = check_images("--out", s->out, s->frames, fault);
    if (!rc)
        rc = check_images("--npy", s->npy, s->frames, fault);
    return rc;
}

/* ---- parcels -------------------------------------------------------------------------------- */

static int read_parcels(const struct htmt_request *r, struct htmt__volume_settings *s,
                        struct htmt_fault *fault)
{
    static const char *const places[] = {"sram", "dram", NULL};
    const char *alpha = htmt_request_value(r, "alpha");
    struct htmt_quantity q;
    char why[200];
    unsigned place = 0;
    s->double_buffer = given(r, "double-buffer");
    int rc = htmt_request_whole32(r, "subcube", 1, HTMT__VOLUME_SIDE_MOST, &s->edge, fault);
    if (!rc)
        rc = htmt_request_whole32(r, "bundle", 1, HTMT__SIDE_MOST, &s->side, fault);
    if (!rc)
        rc = htmt_request_whole32(r, "lanes", 1, 65536, &s->lanes, fault);
    if (!rc)
        rc = htmt_request_choice(r, "rays", places, &place, fault);
    if (!rc)
        rc = htmt_request_whole(r, "voxel-bytes", 1, 64, &s->voxel_bytes, fault);
    s->rays_in_dram = place == 1;
    if (rc || !alpha)
        return rc;
    if (htmt_request_mode(r) == HTMT_RUN)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--alpha in a run: it is measured");
    rc = htmt_quantity_read(alpha, HTMT_UNIT_SHARE, NULL, &q, why, sizeof why);
    if (rc)
        return htmt_fault_set(fault, rc, "--alpha: %s", why);
    if (!q.value.num || q.value.num / q.value.den >= ALPHA_MOST)
        return htmt_fault_set(fault, HTMT_ERANGE, "--alpha: found %s, expected above 0, below %d",
                              alpha, ALPHA_MOST);
    s->alpha = q.value;
    return 0;
}

/* ---- cost files ----------------------------------------------------------------------------- */

static const struct htmt_schema_row cost_keys[] = {
    {"problem.subcube-edge", HTMT_UNIT_COUNT, .least = 2, .most = HTMT__EDGE_MOST},
    {"problem.rays", HTMT_UNIT_COUNT, .least = 1, .most = 4096 * 4096},
    {"problem.frames-a-second", HTMT_UNIT_COUNT, .least = 1, .most = 1000000},
    {"parcel.code", HTMT_UNIT_SIZE, .least = 0, .most = UINT32_MAX},
    {"parcel.ray", HTMT_UNIT_SIZE, .least = sizeof(struct htmt__volume_path) / HTMT_WORD + 1,
     .most = 1024},
    {.key = "parcel.voxel", .kind = HTMT_UNIT_SHARE},
    {"parcel.eject", HTMT_UNIT_SIZE, .least = 1, .most = UINT32_MAX},
    {"assemble.cycles", HTMT_UNIT_CYCLES, .least = 0, .most = UINT32_MAX},
    {"dispatch.cycles", HTMT_UNIT_CYCLES, .least = 0, .most = UINT32_MAX},
    {"cast.cycles", HTMT_UNIT_CYCLES, .least = 1, .most = UINT32_MAX},
    {.key = "cast.alpha", .kind = HTMT_UNIT_SHARE},
    {"retire.cycles", HTMT_UNIT_CYCLES, .least = 0, .most = UINT32_MAX},
    {"scatter.words", HTMT_UNIT_SIZE, .least = 1, .most = UINT32_MAX},
    {.key = NULL},
};

int htmt__volume_costs_read(const struct htmt_request *r, struct htmt__volume_charges *out,
                            struct htmt_fault *fault)
{
    struct htmt_costs *c = NULL;
    unsigned count;
    const char *const *set = htmt_request_cost_set(r, &count);
    int rc = htmt_costs_load(htmt_request_costs(r), "volume", cost_keys, set, count, &c, fault);
    if (rc)
        return rc;
    /* A voxel is whole bytes; all rays that go up come back. */
    const struct htmt_ratio voxel = htmt_costs_ratio(c, "parcel.voxel");
    const struct htmt_ratio alpha = htmt_costs_ratio(c, "cast.alpha");
    const uint64_t rays = htmt_costs_whole(c, "problem.rays");
    const uint64_t ray = htmt_costs_whole(c, "parcel.ray");
    char eject[64];
    snprintf(eject, sizeof eject, "%" PRIu64 " words: parcel.ray for each of problem.rays",
             rays * ray);
    if (!voxel.num || voxel.num > 64 * voxel.den || HTMT_WORD * voxel.num % voxel.den)
        rc = htmt_costs_refuse(c, "parcel.voxel", "words that make whole bytes, more than none",
                               fault);
    else if (htmt_costs_whole(c, "parcel.eject") != rays * ray)
        rc = htmt_costs_refuse(c, "parcel.eject", eject, fault);
    else if (!alpha.num || alpha.num > 1000000 * alpha.den)
        rc = htmt_costs_refuse(c, "cast.alpha", "more than 0, at most 1e6", fault);
    else
        *out = (struct htmt__volume_charges){
            .from_file = true,
            .cycles_a_voxel = htmt_costs_whole(c, "cast.cycles"),
            .alpha = alpha,
            .code_words = htmt_costs_whole(c, "parcel.code"),
            .ray_words = ray,
            .voxel_bytes = HTMT_WORD * voxel.num / voxel.den,
            .edge = htmt_costs_whole(c, "problem.subcube-edge"),
            .rays = rays,
            .assemble = htmt_costs_whole(c, "assemble.cycles"),
            .dispatch = htmt_costs_whole(c, "dispatch.cycles"),
            .retire = htmt_costs_whole(c, "retire.cycles"),
            .scatter_words = htmt_costs_whole(c, "scatter.words"),
            .frames_a_second = htmt_costs_whole(c, "problem.frames-a-second"),
        };
    htmt_costs_destroy(&c);
    return rc;
}

int htmt__volume_settings_read(const struct htmt_request *r, struct htmt__volume_settings *out,
                               struct htmt_fault *fault)
{
    struct htmt__volume_settings s = {.frames = 1, .alpha = {0, 1}, .charges = {.alpha = {0, 1}}};
    int rc = read_input(r, &s, fault);
    if (!rc)
        rc = read_view(r, &s, fault);
    if (!rc)
        rc = read_rendering(r, &s, fault);
    if (!rc)
        rc = read_output(r, &s, fault);
    if (!rc)
        rc = read_parcels(r, &s, fault);
    if (!rc && s.has_eye && s.from != HTMT__FRONT)
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "--view with --eye: one of them places the eye");
    if (!rc && s.npy && strcmp(s.npy + strlen(s.npy) - 4, ".npy"))
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "--npy: %s: expected a name that ends in .npy",
                            s.npy);
    if (!rc && htmt_request_costs(r))
        rc = htmt__volume_costs_read(r, &s.charges, fault);
    if (rc)
        return rc;
    if (htmt_request_costs(r)) { /* where no option says anything else */
        s.edge = s.edge ? s.edge : (uint32_t)s.charges.edge;
        s.side = s.side ? s.side : (uint32_t)floor(sqrt((double)s.charges.rays));
        s.alpha = s.alpha.num ? s.alpha : s.charges.alpha;
    }
    *out = s;
    return 0;
}

/* ---- slices --------------------------------------------------------------------------------- */

uint32_t htmt__volume_slices(const struct htmt_request *r)
{
    const enum htmt_execution execution = htmt_execution_asked(r);
    struct htmt__volume_settings s;
    if (execution == HTMT_EXECUTION_SERIAL)
        return 1;
    if (execution == HTMT_EXECUTION_MPP) { /* halves of halves: a power of two */
        uint32_t nodes = 1;
        while (nodes <= htmt_request_machine(r)->slices / 2)
            nodes *= 2;
        return nodes;
    }
    if (htmt__volume_settings_read(r, &s, NULL) || s.side > HTMT__SIDE_MOST)
        return htmt_request_machine(r)->slices;
    const struct htmt__volume_problem problem = {
        .width = s.view.width, .height = s.view.height, .side = s.side};
    return htmt__volume_fed(&problem, htmt_request_machine(r)->slices);
}
