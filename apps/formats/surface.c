/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cairo numbers its surfaces through the whole process, and writes that number into an SVG. It is
 * taken out again, so that a file does not tell how many were drawn before it. A PDF gets no date.
 */
#define _GNU_SOURCE /* memmem */
#include "apps/formats/surface.h"

#include "runtime/base/whole_file.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PIXELS_MAX 32767 /* cairo's, of one side */

enum format { PNG, SVG, PDF };

static bool ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

static int find_format(const char *path, enum format *format, struct htmt_fault *fault)
{
    static const char *const ending[] = {[PNG] = ".png", [SVG] = ".svg", [PDF] = ".pdf"};
    for (unsigned i = 0; i < sizeof ending / sizeof *ending; i++)
        if (ends_in(path, ending[i])) {
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

static cairo_surface_t *make_pdf(FILE *out, const struct htmt__surface *s)
{
    cairo_surface_t *pdf = cairo_pdf_surface_create_for_stream(put, out, s->width, s->height);
    cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATE_DATE, "");
    if (s->title)
        cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_TITLE, s->title);
    return pdf;
}

static cairo_surface_t *make_svg(FILE *out, const struct htmt__surface *s)
{
    cairo_surface_t *svg = cairo_svg_surface_create_for_stream(put, out, s->width, s->height);
    cairo_svg_surface_set_document_unit(svg, CAIRO_SVG_UNIT_PX);
    return svg;
}

static cairo_surface_t *make_surface(enum format format, FILE *out, const struct htmt__surface *s)
{
    if (format == SVG)
        return make_svg(out, s);
    if (format == PDF)
        return make_pdf(out, s);
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(s->width * s->scale),
                                      (int)ceil(s->height * s->scale));
}

static int draw(cairo_surface_t *surface, double scale, const struct htmt__surface *s)
{
    cairo_t *cr = cairo_create(surface);
    cairo_scale(cr, scale, scale);
    int rc = s->draw(cr, s->context);
    if (!rc && cairo_status(cr))
        rc = HTMT_ENOMEM;
    cairo_destroy(cr);
    return rc;
}

static int render(enum format format, const struct htmt__surface *s, FILE *out)
{
    cairo_surface_t *surface = make_surface(format, out, s);
    int rc = draw(surface, format == PNG ? s->scale : 1, s);
    if (!rc && format == PNG && cairo_surface_write_to_png_stream(surface, put, out))
        rc = HTMT_EIO;
    cairo_surface_finish(surface);
    if (!rc && cairo_surface_status(surface))
        rc = HTMT_EIO;
    cairo_surface_destroy(surface);
    return rc;
}

/* ---- SVG as text ---------------------------------------------------------------------------- */

/* Copies it without the number behind id="surface. */
static void put_anonymous(FILE *out, const char *text, size_t length)
{
    static const char name[] = "id=\"surface";
    for (const char *at; (at = memmem(text, length, name, sizeof name - 1));) {
        size_t n = (size_t)(at - text) + sizeof name - 1;
        fwrite(text, 1, n, out);
        n += strspn(text + n, "0123456789");
        text += n;
        length -= n;
    }
    fwrite(text, 1, length, out);
}

static void put_escaped(FILE *out, const char *text)
{
    for (; *text; text++)
        if (strchr("<>&\"'", *text))
            fprintf(out, "&#%d;", *text);
        else if ((unsigned char)*text >= ' ')
            fputc(*text, out);
}

/* The title is the first child of the element svg. */
static void put_svg(FILE *out, const char *title, const char *text, size_t length)
{
    const char *svg = title ? memmem(text, length, "<svg", 4) : NULL;
    const char *end = svg ? memchr(svg, '>', length - (size_t)(svg - text)) : NULL;
    size_t head = end ? (size_t)(end - text) + 1 : 0;
    fwrite(text, 1, head, out);
    if (end) {
        fputs("\n<title>", out);
        put_escaped(out, title);
        fputs("</title>", out);
    }
    put_anonymous(out, text + head, length - head);
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

static int check_size(const char *path, enum format format, const struct htmt__surface *s,
                      struct htmt_fault *fault)
{
    double side = fmax(s->width, s->height) * s->scale;
    if (format != PNG || side <= PIXELS_MAX)
        return 0;
    return htmt_fault_set(
        fault, HTMT_ERANGE,
        "%s: the picture needs %.0f pixels on a side, expected at most %d; an SVG "
        "has no limit",
        path, side, PIXELS_MAX);
}

int htmt__surface_write(const char *path, const struct htmt__surface *surface,
                        struct htmt_fault *fault)
{
    enum format format = SVG;
    struct htmt_whole_file *file = NULL;
    int rc = find_format(path, &format, fault);
    if (!rc)
        rc = check_size(path, format, surface, fault);
    if (!rc)
        rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    rc = write_surface(format, surface, htmt_whole_file_stream(file));
    if (!rc)
        return htmt_whole_file_commit(&file, fault);
    htmt_whole_file_abandon(&file);
    return htmt_fault_set(fault, rc, "%s: cannot draw: %s", path, htmt_strerror(rc));
}
