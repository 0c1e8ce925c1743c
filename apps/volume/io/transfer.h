/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a value looks like: opacity per unit of length and colour, piecewise linear in the value;
 * and the table of it that a ray caster looks into, made for one volume and one step length.
 */
#ifndef HTMT_APPS_VOLUME_IO_TRANSFER_H
#define HTMT_APPS_VOLUME_IO_TRANSFER_H

#include "apps/volume/io/volume.h"

#include <stdbool.h>

/* Values of the volume before a function is asked: [from, to] becomes [0, 255], in proportion. */
struct htmt__volume_window {
    bool given;
    double from, to;
};

struct htmt__volume_knot {
    double at;       /* value */
    double level[3]; /* 0 to 1: opacity per unit of length; grey; or red, green, blue */
};

/* Before the first knot and beyond the last the level is theirs. */
struct htmt__volume_transfer {
    unsigned channels; /* of colour: 1 or 3 */
    unsigned opacity_count, colour_count;
    struct htmt__volume_knot *opacity, *colour; /* ascending; at least one each */
    bool automatic; /* made for 0 to 255: wants a window on other volumes */
};

/* Read a file (docs/volume.md has the format), named or found by name among those shipped. Without
 * `grey` and `colour` in it, grey rises from 0 at the first to 1 at the last knot of opacity.
 * Errors: HTMT_ENOENT, HTMT_EFORMAT, HTMT_ERANGE, HTMT_ENOMEM, HTMT_EIO. The caller owns *t. */
int htmt__volume_transfer_read(const char *name, struct htmt__volume_transfer *t,
                               struct htmt_fault *fault);
int htmt__volume_transfer_parse(const char *file, const char *text, size_t length,
                                struct htmt__volume_transfer *t, struct htmt_fault *fault);
void htmt__volume_transfer_destroy(struct htmt__volume_transfer *t);

/* The window of a function that wants one, on this volume: none for uint8 without a slope, else
 * from the least to the greatest value. */
void htmt__volume_transfer_window(const struct htmt__volume_transfer *t,
                                  const struct htmt__volume *v, struct htmt__volume_window *window);

double htmt__volume_transfer_opacity(const struct htmt__volume_transfer *t, double value);
void htmt__volume_transfer_colour(const struct htmt__volume_transfer *t, double value,
                                  double colour[3]);

/* ---- tables --------------------------------------------------------------------------------- */

/* Where a stored value v (interpolated) is found, in float: x = v * gain + bias, not less than 0,
 * not more than `last`; i = (int)x, f = x - i; with the row of 2 (1 + channels) floats at
 * row[2 (1 + channels) i]: level + f * delta, for opacity of a step, then for each channel opacity
 * times colour:
 *     grey   { alpha, light, d_alpha, d_light }
 *     colour { alpha, red, green, blue, d_alpha, d_red, d_green, d_blue }
 * alpha = 1 - (1 - a)^step, a being the opacity per unit of length. Where alpha is 0 light is 0. */
struct htmt__volume_transfer_table {
    unsigned channels;
    uint32_t last; /* rows are 0 to last; the delta of row `last` is 0 */
    double error;  /* of a level at a knot or between rows, when no table of that size does better
                      than it should; else 0 */
    float gain, bias;
    float *row;        /* aligned to 64 bytes */
    uint32_t *visible; /* for each row the first from there on with alpha > 0; last + 1: none */
};

/* It shares the innermost memory with the parcels: so many bytes at most, whatever room there is.
 */
#define HTMT__TRANSFER_TABLE_BYTES UINT64_C(262144)

/* A table of at most `bytes`. Errors: HTMT_ENOMEM, HTMT_ERANGE (window, knots), HTMT_ECAPACITY (a
 * handful of rows). The caller owns *l. */
int htmt__volume_transfer_table_create(const struct htmt__volume_transfer *t,
                                       const struct htmt__volume *v,
                                       const struct htmt__volume_window *window, double step,
                                       uint64_t bytes, struct htmt__volume_transfer_table *l,
                                       struct htmt_fault *fault);
void htmt__volume_transfer_table_destroy(struct htmt__volume_transfer_table *l);

/* Is everything invisible that interpolation between stored values in [low, high] can give? */
bool htmt__volume_transfer_table_invisible(const struct htmt__volume_transfer_table *l, float low,
                                           float high);

#endif
