/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A drawing as a list of shapes, drawn in their order. Who lays a drawing out needs no cairo: it
 * hands the list to plot.so.
 */
#ifndef HTMT_APPS_FORMATS_DRAWING_H
#define HTMT_APPS_FORMATS_DRAWING_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTMT__NO_COLOUR UINT32_MAX

enum htmt__shape_kind {
    HTMT__SHAPE_BOX,
    HTMT__SHAPE_LINE, /* from (x, y) to (x + width, y + height) */
    HTMT__SHAPE_TEXT, /* its baseline begins, ends or has its middle at (x, y) */
};

enum htmt__anchor { HTMT__ANCHOR_LEFT, HTMT__ANCHOR_MIDDLE, HTMT__ANCHOR_RIGHT };

/* Lengths are pixels of an SVG, y grows downwards. */
struct htmt__shape {
    enum htmt__shape_kind kind;
    double x, y, width, height;
    uint32_t fill; /* of a box, 0xRRGGBB */
    uint32_t ink;  /* of its outline and hatching, of a line, of a text */
    double thick;  /* of lines; 0: none */
    double round;  /* radius of a box's corners */
    bool hatched;  /* a box has lines of its ink across */
    bool dashed;   /* a line */
    bool head;     /* a line ends with an arrow's head */
    bool bold;     /* a text */
    bool rare;     /* a text that does not fit its room is left out, not cut */
    double size;   /* of a text */
    double room;   /* of a text: widest; 0: as it needs */
    enum htmt__anchor anchor;
    const char *text; /* UTF-8 */
};

struct htmt__drawing {
    double width, height;
    const char *title;
    const struct htmt__shape *shape;
    size_t count;
};

/* Errors: those of apps/formats/surface.h. */
int htmt__drawing_check(const char *path, struct htmt_fault *fault);
int htmt__drawing_write(const char *path, const struct htmt__drawing *drawing,
                        struct htmt_fault *fault);

/* The same functions for who does not link cairo: what plot.so exports under this name. */
#define HTMT__DRAWING_PART "htmt_drawing"

struct htmt__drawing_part {
    int (*check)(const char *path, struct htmt_fault *fault);
    int (*write)(const char *path, const struct htmt__drawing *drawing, struct htmt_fault *fault);
};
extern const struct htmt__drawing_part htmt_drawing __attribute__((visibility("default")));

#endif
