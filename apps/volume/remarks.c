/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Remarks on the input and the picture. A black picture is the most common result of a wrong
 * command, and it has three causes that the counters tell apart: no ray meets the volume, no sample
 * shows anything, or samples show so little that no level is above black. A file whose header gives
 * no distance of grid points, or two that differ, is rendered with a warning that says which was
 * taken.
 */
#include "apps/volume/remarks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Places of the notes among those of the outcome. */
#define NOTE_VALUES 5
#define NOTE_SPACE  6
#define NOTE_EMPTY  7

/* Differences of distances, and angles in degrees, that are worth a word. */
#define DISTANCE_OFF 0.01
#define TILT_OFF     1

/* A level that 8 bits show as black, and one below which nothing can be recognised. */
#define BLACK (0.5 / 255)
#define DARK  0.02

/* ---- doubts of the file --------------------------------------------------------------------- */

void htmt__volume_doubt_input(const struct htmt__volume_settings *s,
                              const struct htmt__volume_input *in, struct htmt_warnings *w)
{
    const struct htmt__volume_source *f = &in->volume.source;
    bool of_file = s->volume && !s->is_raw;
    for (int a = 0; a < 3 && of_file && s->spacing == HTMT__FILE_SPACE; a++) {
        double turned = f->column[a]; /* the distance by the file's orientation; 0: none */
        double taken = turned > 0 ? turned : 1;
        const char *whence = turned > 0 ? "by the orientation matrix" : "instead";
        if (!f->has_distance[a])
            htmt_warn(w, "spacing",
                      "the file gives no distance of grid points along axis %d: %g taken", a + 1,
                      taken);
        else if (!f->spaced[a])
            htmt_warn(w, "spacing",
                      "the file gives a distance of %g for grid points along axis %d: %g taken %s",
                      f->distance[a], a + 1, taken, whence);
        else if (turned > 0 && fabs(turned / fabs(f->distance[a]) - 1) > DISTANCE_OFF)
            htmt_warn(w, "spacing",
                      "the file gives a distance of %g for grid points along axis %d, its "
                      "orientation matrix %g: the first is taken",
                      fabs(f->distance[a]), a + 1, turned);
    }
    if (of_file && f->tilt > TILT_OFF)
        htmt_warn(w, "oblique",
                  "the axes of the file lie up to %.1f degrees off %s: the volume is shown along "
                  "its own axes",
                  f->tilt, f->axes);
    if (f->rounding > 0)
        htmt_warn(w, "rounding", "%s became float32: numbers of the file changed by up to %.3g",
                  htmt__volume_stored_name(f->stored), f->rounding);
    if (in->known && !(in->range[1] > in->range[0]))
        htmt_warn(w, "constant", "every voxel has the value %g", in->range[0]);
}

/* ---- the input ------------------------------------------------------------------------------ */

static const char *type_of(const struct htmt__volume_settings *s,
                           const struct htmt__volume_input *in)
{
    return s->volume ? htmt__volume_stored_name(in->volume.source.stored)
                     : htmt__volume_voxel_name(in->volume.type);
}

/* Without a window the values are those of the function, as a window of 0 to 255 leaves them. */
static void window_of(const struct htmt__volume_input *in, double window[2])
{
    window[0] = in->window.given ? in->window.from : 0;
    window[1] = in->window.given ? in->window.to : 255;
}

/* Bytes of at most 80 that end with a whole character of UTF-8. */
static int shown(const char *name)
{
    int bytes = (int)strnlen(name, 80);
    while (bytes && ((unsigned char)name[bytes] & 0xc0) == 0x80)
        bytes--;
    return bytes;
}

void htmt__volume_remark_input(const struct htmt__volume_settings *s,
                               const struct htmt__volume_input *in, struct htmt_task *t)
{
    static const char *const by[] = {
        [HTMT__INDEX_SPACE] = "index", [HTMT__FILE_SPACE] = "file", [HTMT__GIVEN_SPACE] = "given"};
    const char *slash = s->volume ? strrchr(s->volume, '/') : NULL;
    const char *name = !s->volume ? "phantom" : slash ? slash + 1 : s->volume;
    const char *axes = in->volume.source.axes;
    const double *d = in->casting.spacing;
    double window[2];
    window_of(in, window);
    htmt_task_found_text(t, "type", type_of(s, in));
    htmt_task_found(t, "spacing_x", d[0], "1");
    htmt_task_found(t, "spacing_y", d[1], "1");
    htmt_task_found(t, "spacing_z", d[2], "1");
    htmt_task_found(t, "step", in->casting.step, "1");
    if (in->known) {
        htmt_task_note_at(
            t, NOTE_VALUES, "%.*s: %s, values %g to %g; the window %g to %g becomes 0 to 255",
            shown(name), name, type_of(s, in), in->range[0], in->range[1], window[0], window[1]);
        htmt_task_found(t, "value_least", in->range[0], "1");
        htmt_task_found(t, "value_most", in->range[1], "1");
        htmt_task_found(t, "window_from", window[0], "1");
        htmt_task_found(t, "window_to", window[1], "1");
    }
    if (!s->volume)
        return;
    if (in->volume.source.empty) {
        htmt_task_note_at(t, NOTE_EMPTY,
                          "%" PRIu64 " of %" PRIu64 " voxels are NaN in the file: they count as "
                          "empty, with the least value, %g",
                          in->volume.source.empty, htmt__volume_voxels(&in->volume), in->range[0]);
        htmt_task_found(t, "voxels_empty", (double)in->volume.source.empty, "1");
    }
    htmt_task_found_text(t, "file", s->volume);
    htmt_task_found_text(t, "orientation", axes[0] ? axes : "unknown");
    htmt_task_note_at(t, NOTE_SPACE, "grid points are %g x %g x %g apart (%s); orientation %s%s",
                      d[0], d[1], d[2], by[s->spacing], axes[0] ? axes : "unknown",
                      !axes[0]               ? ", taken as RAS"
                      : !strcmp(axes, "RAS") ? ""
                      : s->reoriented        ? ", turned to RAS"
                                             : ", not turned");
}

/* ---- the picture ---------------------------------------------------------------------------- */

static void explain_black(const struct htmt__volume_picture *p, double most,
                          struct htmt_warnings *w)
{
    const struct htmt__volume_tally *t = p->tally;
    const struct htmt__volume_input *in = p->input;
    double window[2];
    window_of(in, window);
    if (!t->inside)
        htmt_warn(w, "black",
                  "the picture is black: no ray meets the volume, which lies behind the eye or "
                  "beside the image");
    else if (!t->taken)
        htmt_warn(w, "black",
                  "the picture is black: the transfer function makes all values invisible (%g to "
                  "%g, with the window %g to %g)",
                  in->range[0], in->range[1], window[0], window[1]);
    else
        htmt_warn(w, "black",
                  "the picture is as good as black: its brightest level is %.2g of 1; opacity is "
                  "per unit "
                  "of length, and grid points are %g x %g x %g apart (--spacing index: 1)",
                  most, in->casting.spacing[0], in->casting.spacing[1], in->casting.spacing[2]);
}

void htmt__volume_remark_picture(const struct htmt__volume_picture *p, struct htmt_task *t)
{
    double least = HUGE_VAL, most = 0, window[2];
    size_t lit = 0;
    window_of(p->input, window);
    for (size_t n = 0; n < p->pixels; n++) {
        double level = 0; /* of the brightest channel */
        for (unsigned c = 0; c < p->channels; c++)
            level = fmax(level, (double)p->image[n * p->channels + c]);
        least = fmin(least, level);
        most = fmax(most, level);
        lit += level >= BLACK;
    }
    htmt_task_found(t, "pixels_lit", (double)lit / (double)p->pixels, "1");
    htmt_task_found(t, "brightest", most, "1");
    if (most < DARK)
        explain_black(p, most, htmt_task_warnings(t));
    else if (least == most && p->pixels > 1)
        htmt_warn(htmt_task_warnings(t), "constant-picture",
                  "every pixel has the level %.3g: all rays see the same; the values are %g to "
                  "%g, the window %g to %g",
                  most, p->input->range[0], p->input->range[1], window[0], window[1]);
}
