/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A sheet gathers shapes as data; plot.so, which alone needs cairo, draws them into a file of any
 * kind. So pictures are made and tested without it, and the command links no graphics. A lack of
 * memory is kept until the sheet is written: shapes then go into a spare one, and no caller has to
 * ask.
 */
#define _GNU_SOURCE /* vasprintf */
#include "emul/lib/picture/sheet.h"

#include "emul/lib/picture/palette.h"
#include "emul/lib/plugin/plugin.h"
#include "runtime/base/array.h"
#include "runtime/base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void htmt__sheet_clear(struct htmt__sheet *sheet)
{
    for (size_t i = 0; i < sheet->drawing.count; i++)
        if (sheet->shape[i].kind == HTMT__SHAPE_TEXT) /* of its own */
            free((char *)sheet->shape[i].text);
    free(sheet->shape);
    *sheet = (struct htmt__sheet){0};
}

/* ---- shapes --------------------------------------------------------------------------------- */

static struct htmt__shape *add(struct htmt__sheet *s, const struct htmt__shape *m)
{
    if (!s->failed)
        s->failed = !htmt__array_fits(&s->shape, &s->room, s->drawing.count + 1, sizeof *s->shape);
    if (s->failed) {
        s->spare = *m;
        return &s->spare;
    }
    s->shape[s->drawing.count] = *m;
    return &s->shape[s->drawing.count++];
}

struct htmt__shape *htmt__sheet_box(struct htmt__sheet *sheet, double x, double y, double width,
                                    double height, uint32_t fill)
{
    return add(sheet, &(struct htmt__shape){.kind = HTMT__SHAPE_BOX,
                                            .x = x,
                                            .y = y,
                                            .width = width,
                                            .height = height,
                                            .fill = fill,
                                            .ink = HTMT__INK});
}

struct htmt__shape *htmt__sheet_line(struct htmt__sheet *sheet, double x, double y, double to_x,
                                     double to_y)
{
    return add(sheet, &(struct htmt__shape){.kind = HTMT__SHAPE_LINE,
                                            .x = x,
                                            .y = y,
                                            .width = to_x - x,
                                            .height = to_y - y,
                                            .thick = 1,
                                            .ink = HTMT__INK});
}

struct htmt__shape *htmt__sheet_text(struct htmt__sheet *sheet, double x, double y,
                                     const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) {
        sheet->failed = true;
        text = NULL;
    }
    va_end(arguments);
    if (text)
        htmt__utf8_repair(text);
    for (char *c = text; c && *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    struct htmt__shape *m = add(sheet, &(struct htmt__shape){.kind = HTMT__SHAPE_TEXT,
                                                             .x = x,
                                                             .y = y,
                                                             .size = HTMT__TEXT_SIZE,
                                                             .ink = HTMT__INK,
                                                             .text = text});
    if (m == &sheet->spare)
        free(text);
    return m;
}

double htmt__sheet_key(struct htmt__sheet *sheet, double x, double y, uint32_t fill, uint32_t ink,
                       bool hatched, const char *text)
{
    const double letter = 6.6; /* pixels of one, on average */
    struct htmt__shape *m = htmt__sheet_box(sheet, x, y, 22, 13, fill);
    m->ink = ink;
    m->hatched = hatched;
    m->thick = 0.6;
    htmt__sheet_text(sheet, x + 29, y + 11, "%s", text)->size = 12;
    return x + 29 + letter * (double)strlen(text) + 22;
}

/* ---- files ---------------------------------------------------------------------------------- */

static int find_part(const char *what, const struct htmt__drawing_part **part,
                     struct htmt_fault *fault)
{
    void *found;
    int rc = htmt__plugin_part("plot", HTMT__DRAWING_PART, what, &found, fault);
    if (!rc)
        *part = found;
    return rc;
}

int htmt__sheet_check(const char *path, const char *what, struct htmt_fault *fault)
{
    const struct htmt__drawing_part *part;
    int rc = find_part(what, &part, fault);
    return rc ? rc : part->check(path, fault);
}

int htmt__sheet_write(struct htmt__sheet *sheet, const char *path, const char *what,
                      struct htmt_fault *fault)
{
    const struct htmt__drawing_part *part;
    if (sheet->failed)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory", path);
    sheet->drawing.shape = sheet->shape;
    int rc = find_part(what, &part, fault);
    return rc ? rc : part->write(path, &sheet->drawing, fault);
}
