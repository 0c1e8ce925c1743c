/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A sheet of paper: gathers the shapes of a drawing, and has plot.so draw them into a file.
 *
 * Memory that is lacking is told by htmt__sheet_write(); shapes after that are left out.
 */
#ifndef HTMT_EMUL_LIB_PICTURE_SHEET_H
#define HTMT_EMUL_LIB_PICTURE_SHEET_H

#include "apps/formats/drawing.h"

struct htmt__sheet {
    struct htmt__drawing drawing;
    struct htmt__shape *shape;
    size_t room;
    bool failed;              /* out of memory */
    struct htmt__shape spare; /* takes the shapes after that */
};

#define HTMT__TEXT_SIZE 13.0

void htmt__sheet_clear(struct htmt__sheet *sheet);

/* Shapes that the caller changes further, such as `->hatched = true`. A text is repaired where it
 * is no UTF-8, and control characters become '?'. Never NULL; the next shape makes it invalid. */
struct htmt__shape *htmt__sheet_box(struct htmt__sheet *sheet, double x, double y, double width,
                                    double height, uint32_t fill);
struct htmt__shape *htmt__sheet_line(struct htmt__sheet *sheet, double x, double y, double to_x,
                                     double to_y);
struct htmt__shape *htmt__sheet_text(struct htmt__sheet *sheet, double x, double y,
                                     const char *format, ...) __attribute__((format(printf, 4, 5)));

/* An entry of a legend: a box as those of the picture, and its meaning. Returns where the next
 * entry of that line begins. */
double htmt__sheet_key(struct htmt__sheet *sheet, double x, double y, uint32_t fill, uint32_t ink,
                       bool hatched, const char *text);

/* Can it be drawn, and written there later? `what` begins the line about a missing plot.so: "-o".
 * Errors: HTMT_ESYSTEM (plot.so is missing), those of apps/formats/drawing.h. */
int htmt__sheet_check(const char *path, const char *what, struct htmt_fault *fault);
int htmt__sheet_write(struct htmt__sheet *sheet, const char *path, const char *what,
                      struct htmt_fault *fault);

#endif
