/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* vasprintf */
#include "emul/lib/picture/sheet.h"

#include "emul/lib/picture/palette.h"
#include "emul/lib/plugin/plugin.h"
#include "runtime/base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define FIRST 64 /* shapes */

static bool has_own_text(const struct htmt__shape *m)
{
    return m->kind == HTMT__SHAPE_TEXT;
}

void htmt__sheet_clear(struct htmt__sheet *sheet)
{
    for (size_t i = 0; i < sheet->drawing.count; i++)
        if (has_own_text(&sheet->shape[i]))
            free((char *)sheet->shape[i].text);
    free(sheet->shape);
    *sheet = (struct htmt__sheet){0};
}

/* ---- shapes --------------------------------------------------------------------------------- */

static bool grow(struct htmt__sheet *s)
{
    size_t room = s->room ? 2 * s->room : FIRST;
    struct htmt__shape *shape = realloc(s->shape, room * sizeof *shape);
    if (!shape)
        return false;
    s->shape = shape;
    s->room = room;
    return true;
}

static struct htmt__shape *add(struct htmt__sheet *s, const struct htmt__shape *m)
{
    if (s->drawing.count == s->room && !grow(s))
        s->failed = true;
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

static void repair(char *text)
{
    htmt__utf8_repair(text);
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
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
        repair(text);
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
