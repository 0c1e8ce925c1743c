/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of a transfer function. Its rows are a power of two apart. It has the fewest rows that
 * meet the tolerance at every knot and between any two rows, or else the most that are allowed.
 */
#include "apps/volume/io/transfer.h"

#include <math.h>
#include <stdlib.h>

#define ROWS_LEAST  512 /* if there is room for them */
#define ROWS_FEWEST 8u
#define ALIGNMENT   64

/* Span from the first to the last knot. */
#define SPAN_LEAST 1e-30
#define SPAN_MOST  1e30

/* Largest error of a level: alpha or light of one step. */
#define ERROR_ABSOLUTE 1e-7
#define ERROR_RELATIVE 2e-6

#define LEVELS 4 /* at most: alpha and three channels */

struct grid {
    const struct htmt__volume_transfer *t;
    double step, from, pitch; /* value of row n is from + n pitch */
    uint32_t last, most;      /* rows */
};

/* The error of the table. */
struct miss {
    double error;
    bool beyond; /* the tolerance */
};

static void exact(const struct grid *g, double value, double level[LEVELS])
{
    double a = htmt__volume_transfer_opacity(g->t, value), alpha = -expm1(g->step * log1p(-a));
    double colour[3];
    htmt__volume_transfer_colour(g->t, value, colour);
    level[0] = alpha;
    for (unsigned c = 0; c < g->t->channels; c++)
        level[1 + c] = alpha * colour[c];
}

/* ---- pitch ---------------------------------------------------------------------------------- */

static void compare_at(const struct grid *g, double value, struct miss *worst)
{
    double place = fmin(fmax((value - g->from) / g->pitch, 0), g->last), n = floor(place);
    double level[LEVELS], low[LEVELS], high[LEVELS];
    exact(g, value, level);
    exact(g, g->from + n * g->pitch, low);
    exact(g, g->from + (n + 1) * g->pitch, high);
    for (unsigned i = 0; i <= g->t->channels; i++) {
        double error = fabs(low[i] + (place - n) * (high[i] - low[i]) - level[i]);
        worst->error = fmax(worst->error, error);
        worst->beyond |= error > ERROR_ABSOLUTE + ERROR_RELATIVE * level[i];
    }
}

/* Compare at every knot and between any two rows. */
static struct miss compare(const struct grid *g)
{
    struct miss worst = {0};
    for (unsigned i = 0; i < g->t->opacity_count; i++)
        compare_at(g, g->t->opacity[i].at, &worst);
    for (unsigned i = 0; i < g->t->colour_count; i++)
        compare_at(g, g->t->colour[i].at, &worst);
    for (uint32_t n = 0; n < g->last; n++)
        compare_at(g, g->from + (n + 0.5) * g->pitch, &worst);
    return worst;
}

static uint32_t rows_most(const struct htmt__volume_transfer *t, uint64_t bytes)
{
    uint64_t rows = bytes / (2 * (1 + t->channels) * sizeof(float));
    return rows < UINT32_MAX / 2 ? (uint32_t)rows : UINT32_MAX / 2;
}

static int choose_pitch(struct grid *g, struct miss *miss, struct htmt_fault *fault)
{
    const struct htmt__volume_transfer *t = g->t;
    double to = fmax(t->opacity[t->opacity_count - 1].at, t->colour[t->colour_count - 1].at);
    g->from = fmin(t->opacity[0].at, t->colour[0].at);
    g->pitch = 1;
    g->last = 0;
    if (to == g->from)
        return 0;
    if (!(to - g->from >= SPAN_LEAST && to - g->from <= SPAN_MOST))
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "transfer function: found knots from %g to %g, expected a span of %g "
                              "to %g",
                              g->from, to, SPAN_LEAST, SPAN_MOST);
    g->pitch = exp2(floor(log2((to - g->from) / fmin(ROWS_LEAST, g->most / 2 - 1))));
    for (;;) {
        g->last = (uint32_t)ceil((to - g->from) / g->pitch);
        *miss = compare(g);
        if (2 * g->last >= g->most || !miss->beyond)
            return 0;
        g->pitch /= 2;
    }
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void fill_rows(const struct grid *g, struct htmt__volume_transfer_table *l)
{
    unsigned levels = 1 + l->channels;
    for (uint32_t n = 0; n <= l->last; n++) {
        double level[LEVELS];
        exact(g, g->from + n * g->pitch, level);
        for (unsigned i = 0; i < levels; i++)
            l->row[2 * levels * n + i] = (float)level[i];
    }
    for (uint32_t n = 0; n <= l->last; n++) {
        float *row = &l->row[2 * levels * n], *next = n < l->last ? row + 2 * levels : row;
        for (unsigned i = 0; i < levels; i++)
            row[levels + i] = next[i] - row[i];
    }
}

static void find_visible(struct htmt__volume_transfer_table *l)
{
    uint32_t first = l->last + 1;
    for (uint32_t n = l->last + 1; n-- > 0;) {
        if (l->row[2 * (1 + l->channels) * n] > 0)
            first = n;
        l->visible[n] = first;
    }
}

static int check_window(const struct htmt__volume_window *w, struct htmt_fault *fault)
{
    if (!w->given || (isfinite(w->from) && isfinite(w->to) && w->to > w->from))
        return 0;
    return htmt_fault_set(fault, HTMT_ERANGE,
                          "window: found %g to %g, expected two ascending numbers", w->from, w->to);
}

static int allocate(struct htmt__volume_transfer_table *l, struct htmt_fault *fault)
{
    size_t bytes = (l->last + 1) * 2 * (1 + l->channels) * sizeof *l->row;
    l->row = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    l->visible = calloc(l->last + 1, sizeof *l->visible);
    if (l->row && l->visible)
        return 0;
    htmt__volume_transfer_table_destroy(l);
    return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the table of a transfer function");
}

int htmt__volume_transfer_table_create(const struct htmt__volume_transfer *t,
                                       const struct htmt__volume *v,
                                       const struct htmt__volume_window *window, double step,
                                       uint64_t bytes, struct htmt__volume_transfer_table *out,
                                       struct htmt_fault *fault)
{
    int rc = check_window(window, fault);
    if (rc)
        return rc;
    struct grid g = {.t = t, .step = step, .most = rows_most(t, bytes)};
    struct miss miss = {0};
    double scale = window->given ? 255 / (window->to - window->from) : 1;
    double origin = window->given ? window->from : 0;
    rc = g.most < ROWS_FEWEST ? htmt_fault_set(fault, HTMT_ECAPACITY,
                                               "transfer function: found room for %u rows of its "
                                               "table, expected at least %u",
                                               g.most, ROWS_FEWEST)
                              : choose_pitch(&g, &miss, fault);
    if (rc)
        return rc;
    struct htmt__volume_transfer_table l = {
        .channels = t->channels,
        .last = g.last,
        .error = miss.beyond ? miss.error : 0,
        .gain = (float)(v->slope * scale / g.pitch),
        .bias = (float)(((v->intercept - origin) * scale - g.from) / g.pitch)};
    if (!isfinite(l.gain) || !isfinite(l.bias))
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "transfer function: found knots from %g on for values of %g times "
                              "what is stored, expected numbers closer to each other",
                              g.from, v->slope);
    rc = allocate(&l, fault);
    if (rc)
        return rc;
    fill_rows(&g, &l);
    find_visible(&l);
    *out = l;
    return 0;
}

void htmt__volume_transfer_table_destroy(struct htmt__volume_transfer_table *l)
{
    free(l->row);
    free(l->visible);
    *l = (struct htmt__volume_transfer_table){0};
}

/* Include one more row on either side, because interpolation rounds. */
bool htmt__volume_transfer_table_invisible(const struct htmt__volume_transfer_table *l, float low,
                                           float high)
{
    float one = low * l->gain + l->bias, other = high * l->gain + l->bias, last = (float)l->last;
    float least = fminf(fmaxf(fminf(one, other) - 1, 0), last);
    float most = fminf(fmaxf(fmaxf(one, other) + 2, 0), last);
    return l->visible[(uint32_t)least] > (uint32_t)most;
}
