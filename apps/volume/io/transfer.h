/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The appearance of a value: opacity per unit of length and colour, piecewise linear in the value;
 * and the transfer table that a ray caster reads, made for one volume and one step length.
 */
#ifndef HTMT_APPS_VOLUME_IO_TRANSFER_H
#define HTMT_APPS_VOLUME_IO_TRANSFER_H

#include "apps/volume/io/volume.h"

#include <stdbool.h>

/* The window of values before a function is applied: [from, to] becomes [0, 255], in proportion. */
struct htmt__volume_window {
    bool given;
    double from, to;
};

struct htmt__volume_knot {
    double at;       /* value */
    double level[3]; /* 0 to 1: opacity per unit of length; grey; or red, green, blue */
};

/* Before the first knot and beyond the last, the level is that of the knot. */
struct htmt__volume_transfer {
    unsigned channels; /* of colour: 1 or 3 */
    unsigned opacity_count, colour_count;
    struct htmt__volume_knot *opacity, *colour; /* ascending; at least one each */
    bool automatic; /* made for 0 to 255: needs a window on other volumes */
};

/* Read a file (docs/volume.md has the format) by its path or by the name of a shipped function. If
 * it has neither `grey` nor `colour`, grey rises from 0 at the first to 1 at the last knot of
 * opacity. Errors: HTMT_ENOENT, HTMT_EFORMAT, HTMT_ERANGE, HTMT_ENOMEM, HTMT_EIO. The caller owns
 * *t. */
int htmt__volume_transfer_read(const char *name, struct htmt__volume_transfer *t,
                               struct htmt_fault *fault);
/* The path of a function that is not shipped; false: it is, or there is none. */
bool htmt__volume_transfer_strange(const char *name, char *path, size_t room);
int htmt__volume_transfer_parse(const char *file, const char *text, size_t length,
                                struct htmt__volume_transfer *t, struct htmt_fault *fault);
void htmt__volume_transfer_destroy(struct htmt__volume_transfer *t);

/* The automatic window of a function on this volume, whose values have this range: from the least
 * to the greatest value. Bytes without a slope keep their values, unless the function would show
 * none of them, as of a mask of 0 and 1. */
void htmt__volume_transfer_window(const struct htmt__volume_transfer *t,
                                  const struct htmt__volume *v, const double range[2],
                                  struct htmt__volume_window *window);

double htmt__volume_transfer_opacity(const struct htmt__volume_transfer *t, double value);
void htmt__volume_transfer_colour(const struct htmt__volume_transfer *t, double value,
                                  double colour[3]);

/* ---- tables --------------------------------------------------------------------------------- */

/* The row of a stored value v (interpolated), in float: x = v * gain + bias, clamped to 0 and
 * `last`; i = (int)x, f = x - i. The row of 2 (1 + channels) floats at row[2 (1 + channels) i]
 * gives level + f * delta for the opacity of a step, then for each channel opacity times colour:
 *     grey   { alpha, light, d_alpha, d_light }
 *     colour { alpha, red, green, blue, d_alpha, d_red, d_green, d_blue }
 * alpha = 1 - (1 - a)^step, a being the opacity per unit of length. Where alpha is 0, light is 0.
 */
struct htmt__volume_transfer_table {
    unsigned channels;
    uint32_t last; /* rows are 0 to last; the delta of row `last` is 0 */
    double error;  /* error of a level at a knot or between rows, if no table of that size meets the
                      tolerance; else 0 */
    float gain, bias;
    float *row;        /* aligned to 64 bytes */
    uint32_t *visible; /* for each row the first row from it on with alpha > 0; last + 1: none */
};

/* The table shares the innermost memory with the parcels. It takes at most this number of bytes. */
#define HTMT__TRANSFER_TABLE_BYTES UINT64_C(262144)

/* Make a table of at most `bytes`. Errors: HTMT_ENOMEM, HTMT_ERANGE (window, knots), HTMT_ECAPACITY
 * (room for too few rows). The caller owns *l. */
int htmt__volume_transfer_table_create(const struct htmt__volume_transfer *t,
                                       const struct htmt__volume *v,
                                       const struct htmt__volume_window *window, double step,
                                       uint64_t bytes, struct htmt__volume_transfer_table *l,
                                       struct htmt_fault *fault);
void htmt__volume_transfer_table_destroy(struct htmt__volume_transfer_table *l);

/* True if interpolation between stored values in [low, high] gives only invisible values. */
bool htmt__volume_transfer_table_invisible(const struct htmt__volume_transfer_table *l, float low,
                                           float high);

#endif
