/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/formats/plot.h"

#include "apps/formats/plot_draw.h"
#include "apps/formats/surface.h"

#define WIDTH  800
#define HEIGHT 500

int htmt__plot_check(const char *path, struct htmt_fault *fault)
{
    return htmt__surface_check(path, fault);
}

/* ---- axes ----------------------------------------------------------------------------------- */

/* The plots of a file, from above. */
struct page {
    unsigned width, height, count;
    struct panel {
        const struct htmt__plot *plot;
        struct htmt__axis x, y;
        unsigned height;
    } panel[HTMT__PLOT_PANELS];
};

static void include(struct htmt__axis *x, struct htmt__axis *y, const struct htmt__plot_curve *c)
{
    for (size_t i = 0; i < c->count; i++) {
        if (!htmt__axis_takes(x, c->x[i]) || !htmt__axis_takes(y, c->y[i]))
            continue;
        htmt__axis_include(x, c->x[i]);
        htmt__axis_include(y, c->y[i]);
    }
}

static void include_stack(struct panel *panel, unsigned n)
{
    const struct htmt__plot_curve *c = &panel->plot->curves[n];
    for (size_t i = 0; i < c->count; i++) {
        htmt__axis_include(&panel->x, c->x[i]);
        htmt__axis_include(&panel->y, 0);
        htmt__axis_include(&panel->y, htmt__plot_base(panel->plot, n, i) + c->y[i]);
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

static bool make_axes(struct panel *panel)
{
    const struct htmt__plot *p = panel->plot;
    panel->x = htmt__axis_empty(p->log_x);
    panel->y = htmt__axis_empty(p->log_y);
    for (unsigned i = 0; i < p->count; i++)
        if (p->curves[i].style == HTMT__PLOT_STACK)
            include_stack(panel, i);
        else
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

/* ---- drawing -------------------------------------------------------------------------------- */

static int draw_panels(cairo_t *cr, void *context)
{
    const struct page *page = context;
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

int htmt__plot_write(const char *path, const struct htmt__plot *plot, struct htmt_fault *fault)
{
    struct page page;
    int rc = htmt__surface_check(path, fault);
    if (!rc)
        rc = lay_out(path, plot, &page, fault);
    if (rc)
        return rc;
    struct htmt__surface surface = {.width = page.width,
                                    .height = page.height,
                                    .scale = 1,
                                    .draw = draw_panels,
                                    .context = &page};
    return htmt__surface_write(path, &surface, fault);
}
