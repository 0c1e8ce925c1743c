/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One surface of cairo for the three formats, by the ending of the file's name.
 *
 * The same picture must give the same bytes in every process. Cairo numbers its surfaces through
 * the whole process, and writes that number into an SVG (id="surface17"). It is taken out again, so
 * that a file does not tell how many were drawn before it. A PDF gets no date.
 *
 * The picture is first drawn into memory. Cairo reports a failure only when a surface is finished,
 * and SVG has no call for a title: both are settled on the whole text, before any of it reaches the
 * file.
 */
#define _GNU_SOURCE /* memmem */
#include "apps/formats/surface.h"

#include "runtime/base/supervised.h"
#include "runtime/base/whole_file.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PIXELS_MAX 32767 /* cairo's, of one side */

enum format { PNG, SVG, PDF };

static int find_format(const char *path, enum format *format, struct htmt_fault *fault)
{
    static const char *const ending[] = {[PNG] = ".png", [SVG] = ".svg", [PDF] = ".pdf"};
    const size_t n = strlen(path);
    for (unsigned i = 0; i < sizeof ending / sizeof *ending; i++)
        if (n > 4 && strcmp(path + n - 4, ending[i]) == 0) {
            *format = (enum format)i;
            return 0;
        }
    return htmt_fault_set(fault, HTMT_EUSAGE, "%s: expected a name that ends in .svg, .png or .pdf",
                          path);
}

int htmt__surface_check(const char *path, struct htmt_fault *fault)
{
    enum format format;
    int rc = find_format(path, &format, fault);
    return rc ? rc : htmt_whole_file_check(path, fault);
}

/* ---- surfaces ------------------------------------------------------------------------------- */

static cairo_status_t put(void *stream, const unsigned char *bytes, unsigned length)
{
    return fwrite(bytes, 1, length, stream) == length ? CAIRO_STATUS_SUCCESS
                                                      : CAIRO_STATUS_WRITE_ERROR;
}

static int render(enum format format, const struct htmt__surface *s, FILE *out)
{
    const double scale = format == PNG ? s->scale : 1;
    cairo_surface_t *surface = NULL;
    switch (format) {
    case SVG:
        surface = cairo_svg_surface_create_for_stream(put, out, s->width, s->height);
        cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
        break;
    case PDF:
        surface = cairo_pdf_surface_create_for_stream(put, out, s->width, s->height);
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
        if (s->title)
            cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, s->title);
        break;
    case PNG:
        surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(s->width * s->scale),
                                             (int)ceil(s->height * s->scale));
    }
    cairo_t *cr = cairo_create(surface);
    cairo_scale(cr, scale, scale);
    int rc = s->draw(cr, s->context);
    if (!rc && cairo_status(cr))
        rc = HTMT_ENOMEM;
    cairo_destroy(cr);
    if (!rc && format == PNG && cairo_surface_write_to_png_stream(surface, put, out))
        rc = HTMT_EIO;
    cairo_surface_finish(surface);
    if (!rc && cairo_surface_status(surface))
        rc = HTMT_EIO;
    cairo_surface_destroy(surface);
    return rc;
}

/* ---- SVG as text ---------------------------------------------------------------------------- */

/* Puts the title in, as the first child of the element svg, and leaves out the numbers behind
 * id="surface. */
static void put_svg(FILE *out, const char *title, const char *text, size_t length)
{
    static const char name[] = "id=\"surface";
    const char *svg = title ? memmem(text, length, "<svg", 4) : NULL;
    const char *end = svg ? memchr(svg, '>', length - (size_t)(svg - text)) : NULL;
    if (end) {
        const size_t head = (size_t)(end - text) + 1;
        fwrite(text, 1, head, out);
        text += head;
        length -= head;
        fputs("\n<title>", out);
        for (; *title; title++)
            if (strchr("<>&\"'", *title))
                fprintf(out, "&#%d;", *title);
            else if ((unsigned char)*title >= ' ')
                fputc(*title, out);
        fputs("</title>", out);
    }
    for (const char *at; (at = memmem(text, length, name, sizeof name - 1));) {
        size_t n = (size_t)(at - text) + sizeof name - 1;
        fwrite(text, 1, n, out);
        n += strspn(text + n, "0123456789");
        text += n;
        length -= n;
    }
    fwrite(text, 1, length, out);
}

/* ---- files ---------------------------------------------------------------------------------- */

/* A failure to write stays in the stream. */
static int write_surface(enum format format, const struct htmt__surface *s, FILE *out)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (!memory)
        return HTMT_ENOMEM;
    int rc = render(format, s, memory);
    bool kept = fclose(memory) == 0 && text;
    if (!rc && !kept)
        rc = HTMT_ENOMEM;
    if (!rc && format == SVG)
        put_svg(out, s->title, text, length);
    else if (!rc)
        fwrite(text, 1, length, out);
    free(text);
    return rc;
}

/* What the child does. */
struct drawing {
    const char *path;
    enum format format;
    const struct htmt__surface *surface;
};

static int draw(void *context, struct htmt_fault *fault)
{
    const struct drawing *d = context;
    struct htmt_whole_file *file = NULL;
    int rc = htmt_whole_file_open(d->path, &file, fault);
    if (rc)
        return rc;
    rc = write_surface(d->format, d->surface, htmt_whole_file_stream(file));
    if (!rc)
        return htmt_whole_file_commit(&file, fault);
    htmt_whole_file_abandon(&file);
    return htmt_fault_set(fault, rc, "%s: cannot draw: %s", d->path, htmt_strerror(rc));
}

int htmt__surface_write(const char *path, const struct htmt__surface *surface,
                        struct htmt_fault *fault)
{
    const double side = fmax(surface->width, surface->height) * surface->scale;
    static const struct htmt_limits limits = {.seconds = 60, .bytes = UINT64_C(8) << 30};
    enum format format = SVG;
    char what[200];
    int rc = find_format(path, &format, fault);
    if (!rc && format == PNG && !(side <= PIXELS_MAX))
        rc = htmt_fault_set(fault, HTMT_ERANGE,
                            "%s: the picture needs %.0f pixels on a side, expected at most %d; an "
                            "SVG has no limit",
                            path, side, PIXELS_MAX);
    if (rc)
        return rc;
    snprintf(what, sizeof what, "%.150s: drawing by cairo", path);
    return htmt_supervise(what, &limits, draw, &(struct drawing){path, format, surface}, fault);
}
