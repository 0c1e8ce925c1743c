/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Surfaces and files. Cairo numbers its surfaces through the whole process, and writes that number
 * into an SVG; it is taken out again, so that a plot does not tell how many there were before it.
 */
#define _GNU_SOURCE /* memmem */
#include "apps/formats/plot.h"

#include "apps/formats/plot_draw.h"
#include "runtime/base/whole_file.h"

#include <cairo-svg.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH  800
#define HEIGHT 500

enum format { PNG, SVG };

static bool ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

static int find_format(const char *path, enum format *format, struct htmt_fault *fault)
{
    *format = ends_in(path, ".svg") ? SVG : PNG;
    if (*format == SVG || ends_in(path, ".png"))
        return 0;
    return htmt_fault_set(fault, HTMT_EUSAGE, "%s: expected a name that ends in .png or .svg",
                          path);
}

int htmt__plot_check(const char *path, struct htmt_fault *fault)
{
    enum format format;
    int rc = find_format(path, &format, fault);
    return rc ? rc : htmt_whole_file_check(path, fault);
}

/* ---- axes ----------------------------------------------------------------------------------- */

static void include(struct htmt__axis *x, struct htmt__axis *y, const struct htmt__plot_curve *c)
{
    for (size_t i = 0; i < c->count; i++) {
        if (!htmt__axis_takes(x, c->x[i]) || !htmt__axis_takes(y, c->y[i]))
            continue;
        htmt__axis_include(x, c->x[i]);
        htmt__axis_include(y, c->y[i]);
    }
}

static bool settle(struct htmt__axis *axis, double least, double most)
{
    bool fixed = least != 0 || most != 0;
    if (fixed) {
        axis->least = least;
        axis->most = most;
    }
    return htmt__axis_takes(axis, axis->least) && htmt__axis_settle(axis, fixed);
}

/* The plots of a file, from above. */
struct page {
    unsigned width, height, count;
    struct panel {
        const struct htmt__plot *plot;
        struct htmt__axis x, y;
        unsigned height;
    } panel[HTMT__PLOT_PANELS];
};

static bool make_axes(struct panel *panel)
{
    const struct htmt__plot *p = panel->plot;
    panel->x = htmt__axis_empty(p->log_x);
    panel->y = htmt__axis_empty(p->log_y);
    for (unsigned i = 0; i < p->count; i++)
        include(&panel->x, &panel->y, &p->curves[i]);
    return settle(&panel->x, p->x_least, p->x_most) && settle(&panel->y, p->y_least, p->y_most);
}

static int lay_out(const char *path, const struct htmt__plot *p, struct page *page,
                   struct htmt_fault *fault)
{
    *page = (struct page){.width = p->width ? p->width : WIDTH};
    for (; p && page->count < HTMT__PLOT_PANELS; p = p->below) {
        struct panel *panel = &page->panel[page->count++];
        panel->plot = p;
        panel->height = p->height ? p->height : HEIGHT;
        page->height += panel->height;
        if (!make_axes(panel))
            return htmt_fault_set(fault, HTMT_EINVAL, "%s: there is no point that could be plotted",
                                  path);
    }
    return 0;
}

/* ---- surfaces ------------------------------------------------------------------------------- */

static cairo_status_t put(void *stream, const unsigned char *bytes, unsigned length)
{
    return fwrite(bytes, 1, length, stream) == length ? CAIRO_STATUS_SUCCESS
                                                      : CAIRO_STATUS_WRITE_ERROR;
}

static int draw_panels(cairo_t *cr, const struct page *page)
{
    int rc = 0;
    for (unsigned i = 0; i < page->count && !rc; i++) {
        const struct panel *p = &page->panel[i];
        cairo_save(cr);
        if (page->count > 1) {
            cairo_rectangle(cr, 0, 0, page->width, p->height);
            cairo_clip(cr);
        }
        rc = htmt__plot_draw(cr, p->plot, &p->x, &p->y, page->width, p->height);
        cairo_restore(cr);
        cairo_translate(cr, 0, p->height);
    }
    return rc;
}

static int draw(cairo_surface_t *surface, const struct page *page)
{
    cairo_t *cr = cairo_create(surface);
    int rc = draw_panels(cr, page);
    if (!rc && cairo_status(cr))
        rc = HTMT_ENOMEM;
    cairo_destroy(cr);
    return rc;
}

static cairo_surface_t *make_surface(enum format format, FILE *out, unsigned width, unsigned height)
{
    if (format == SVG)
        return cairo_svg_surface_create_for_stream(put, out, width, height);
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
}

static int render(enum format format, const struct page *page, FILE *out)
{
    cairo_surface_t *surface = make_surface(format, out, page->width, page->height);
    int rc = draw(surface, page);
    if (!rc && format == PNG && cairo_surface_write_to_png_stream(surface, put, out))
        rc = HTMT_EIO;
    cairo_surface_finish(surface);
    if (!rc && cairo_surface_status(surface))
        rc = HTMT_EIO;
    cairo_surface_destroy(surface);
    return rc;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* Copy an SVG without the number behind id="surface. */
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

static int write_plot(enum format format, const struct page *page, FILE *out)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (!memory)
        return HTMT_ENOMEM;
    int rc = render(format, page, memory);
    if (fclose(memory) && !rc)
        rc = HTMT_ENOMEM;
    if (!rc && format == SVG)
        put_anonymous(out, text, length);
    else if (!rc)
        fwrite(text, 1, length, out); /* a failure stays in the stream */
    free(text);
    return rc;
}

int htmt__plot_write(const char *path, const struct htmt__plot *plot, struct htmt_fault *fault)
{
    enum format format;
    struct page page;
    struct htmt_whole_file *file = NULL;
    int rc = find_format(path, &format, fault);
    if (!rc)
        rc = lay_out(path, plot, &page, fault);
    if (!rc)
        rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    rc = write_plot(format, &page, htmt_whole_file_stream(file));
    if (!rc)
        return htmt_whole_file_commit(&file, fault);
    htmt_whole_file_abandon(&file);
    return htmt_fault_set(fault, rc, "%s: cannot draw: %s", path, htmt_strerror(rc));
}
