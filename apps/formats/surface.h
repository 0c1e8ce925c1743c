/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cairo surfaces as files: SVG, PNG or PDF by the ending of the name, whole or not at all. The same
 * drawing gives the same bytes.
 */
#ifndef HTMT_APPS_FORMATS_SURFACE_H
#define HTMT_APPS_FORMATS_SURFACE_H

#include "runtime/base/error.h"

#include <cairo.h>

struct htmt__surface {
    double width, height; /* pixels of an SVG, points of a PDF */
    double scale;         /* pixels of a PNG for each of them */
    const char *title;    /* UTF-8, of an SVG and a PDF; NULL: none */
    /* Errors: HTMT_ENOMEM. */
    int (*draw)(cairo_t *cr, void *context);
    void *context;
};

/* Can the file be written later? The line starts with the path. Errors: HTMT_EUSAGE (another
 * ending), those of htmt_whole_file_check(). */
int htmt__surface_check(const char *path, struct htmt_fault *fault);

/* Errors: HTMT_EUSAGE, HTMT_ERANGE (more pixels than a PNG can have), those of `draw` and of
 * runtime/base/whole_file.h. */
int htmt__surface_write(const char *path, const struct htmt__surface *surface,
                        struct htmt_fault *fault);

#endif
