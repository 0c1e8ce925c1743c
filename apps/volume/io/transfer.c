/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Transfer functions: read from YAML, evaluated at a value, and made into a table.
 *
 * A ray caster looks a value up instead of evaluating a function: row = value * gain + bias, then
 * linearly between two rows. Opacity of a step is 1 - (1 - a)^step, so between two rows the table
 * is not exact. Its rows are a power of two apart. The first pitch gives about 512 rows; it is
 * halved until at every knot and in the middle between any two rows the error is at most 1e-7 plus
 * 2e-6 of the level, or until the memory of the processor has no room for twice the rows. For each
 * row the table also keeps the first row from it on that is visible, so that whether a range of
 * values shows anything is one comparison.
 *
 * Why halving comes to the tolerance: between two knots the function is smooth, and the error of a
 * line between two of its points falls to a quarter with half the pitch. A knot is a corner, whose
 * error falls to a half only. But pitches are powers of two and rows begin at the first knot, so a
 * knot that is a whole number behind it lies on a row from a pitch of 1 on, and has no error.
 *
 * For example, opacity rises from 0 at 100 to 0.5 at 116: with 512 rows the pitch is 2^-5, and row
 * 256 stands for 108. A range of 90 to 99 begins and ends in row 0, whose first visible row is 1,
 * so it shows nothing.
 */
#include "apps/volume/io/transfer.h"

#include "layers/file/schema.h"
#include "layers/file/search.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static const struct htmt_search shipped = {"transfer function", "transfers", "HTMT_TRANSFER_PATH"};

/* ---- knots ---------------------------------------------------------------------------------- */

static int take_number(const struct htmt_yaml *node, const char *what, double *value,
                       struct htmt_fault *fault)
{
    int rc = htmt_yaml_expect(node, HTMT_YAML_SCALAR, what, fault);
    if (rc)
        return rc;
    char *end = NULL;
    *value = strtod(node->text, &end);
    if (end == node->text || *end || !isfinite(*value))
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: found '%s' for %s, expected a number",
                              node->file, node->line, node->text, what);
    return 0;
}

static unsigned children(const struct htmt_yaml *node)
{
    unsigned n = 0;
    for (const struct htmt_yaml *c = node->first; c; c = c->next)
        n++;
    return n;
}

/* [value, level...] */
static int take_knot(const struct htmt_yaml *node, const char *what, unsigned levels,
                     struct htmt__volume_knot *knot, struct htmt_fault *fault)
{
    int rc = htmt_yaml_expect(node, HTMT_YAML_SEQUENCE, what, fault);
    if (rc)
        return rc;
    if (children(node) != levels + 1)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s:%d: found %u numbers in a knot of %s, expected %s", node->file,
                              node->line, children(node), what,
                              levels == 1 ? "2: [value, level]" : "4: [value, red, green, blue]");
    const struct htmt_yaml *child = node->first;
    rc = take_number(child, "the value of a knot", &knot->at, fault);
    for (unsigned i = 0; !rc && i < levels; i++) {
        child = child->next;
        rc = take_number(child, what, &knot->level[i], fault);
        if (!rc && (knot->level[i] < 0 || knot->level[i] > 1))
            rc = htmt_fault_set(fault, HTMT_ERANGE, "%s:%d: found %s for %s, expected 0 to 1",
                                child->file, child->line, child->text, what);
    }
    return rc;
}

static int take_knots(const struct htmt_yaml *node, unsigned levels,
                      struct htmt__volume_knot **knots, unsigned *count, struct htmt_fault *fault)
{
    int rc = htmt_yaml_expect(node, HTMT_YAML_SEQUENCE, node->key, fault);
    if (rc)
        return rc;
    unsigned n = children(node), i = 0;
    if (!n)
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: found no knots of %s, expected some",
                              node->file, node->key_line, node->key);
    struct htmt__volume_knot *at = calloc(n, sizeof *at);
    if (!at)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for %u knots", node->file, n);
    for (const struct htmt_yaml *c = node->first; !rc && c; c = c->next, i++) {
        rc = take_knot(c, node->key, levels, &at[i], fault);
        if (!rc && i && at[i].at <= at[i - 1].at)
            rc = htmt_fault_set(fault, HTMT_EFORMAT,
                                "%s:%d: found a knot of %s at %g after one at %g, expected "
                                "ascending values",
                                c->file, c->line, node->key, at[i].at, at[i - 1].at);
    }
    *knots = at;
    *count = n;
    return rc;
}

/* ---- files ---------------------------------------------------------------------------------- */

static int take_opacity(const struct htmt_yaml *node, struct htmt__volume_transfer *t,
                        struct htmt_fault *fault)
{
    int rc = take_knots(node, 1, &t->opacity, &t->opacity_count, fault);
    if (rc)
        return rc;
    for (unsigned i = 0; i < t->opacity_count; i++)
        if (t->opacity[i].level[0] > 0)
            return 0;
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "%s:%d: found an opacity of 0 everywhere, expected something to see",
                          node->file, node->key_line);
}

static int take_colour(const struct htmt_yaml *grey, const struct htmt_yaml *colour,
                       struct htmt__volume_transfer *t, struct htmt_fault *fault)
{
    if (grey && colour)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s:%d: found 'colour' beside 'grey', expected one of them",
                              colour->file, colour->key_line);
    t->channels = colour ? 3 : 1;
    if (grey || colour)
        return take_knots(grey ? grey : colour, t->channels, &t->colour, &t->colour_count, fault);
    /* Grey that rises from the first knot of opacity to the last. */
    unsigned n = t->opacity_count > 1 ? 2 : 1;
    t->colour = calloc(n, sizeof *t->colour);
    if (!t->colour)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for a transfer function");
    t->colour_count = n;
    t->colour[0] = (struct htmt__volume_knot){t->opacity[0].at, {0}};
    t->colour[n - 1] = (struct htmt__volume_knot){t->opacity[t->opacity_count - 1].at, {1}};
    return 0;
}

enum { OPACITY, GREY, COLOUR, WINDOW, KEYS };

static const struct htmt_schema_row keys[] = {
    [OPACITY] = {.key = "opacity", .kind = HTMT_SCHEMA_NODE},
    [GREY] = {.key = "grey", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [COLOUR] = {.key = "colour", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [WINDOW] = {.key = "window", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [KEYS] = {.key = NULL}};

/* Of a tree, which is gone afterwards. */
static int take_tree(struct htmt_yaml *root, struct htmt__volume_transfer *out,
                     struct htmt_fault *fault)
{
    const struct htmt_yaml *node[KEYS];
    struct htmt__volume_transfer t = {0};
    int rc = htmt_schema_nodes(root, "transfer function", keys, node, fault);
    if (!rc)
        rc = take_opacity(node[OPACITY], &t, fault);
    if (!rc)
        rc = take_colour(node[GREY], node[COLOUR], &t, fault);
    if (!rc && node[WINDOW]) {
        rc = htmt_yaml_expect(node[WINDOW], HTMT_YAML_SCALAR, "window", fault);
        t.automatic = true;
        if (!rc && strcmp(node[WINDOW]->text, "auto"))
            rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: found '%s' for window, expected auto",
                                node[WINDOW]->file, node[WINDOW]->line, node[WINDOW]->text);
    }
    htmt_yaml_destroy(&root);
    if (rc)
        htmt__volume_transfer_destroy(&t);
    else
        *out = t;
    return rc;
}

int htmt__volume_transfer_parse(const char *file, const char *text, size_t length,
                                struct htmt__volume_transfer *out, struct htmt_fault *fault)
{
    struct htmt_yaml *root;
    int rc = htmt_yaml_parse(file, text, length, &root, fault);
    return rc ? rc : take_tree(root, out, fault);
}

int htmt__volume_transfer_read(const char *name, struct htmt__volume_transfer *t,
                               struct htmt_fault *fault)
{
    char path[HTMT_PATH_MAX];
    struct htmt_yaml *root;
    int rc = htmt_search_path(&shipped, name, NULL, path, fault);
    if (!rc)
        rc = htmt_schema_open(path, &root, fault);
    return rc ? rc : take_tree(root, t, fault);
}

bool htmt__volume_transfer_strange(const char *name, char *path, size_t room)
{
    char found[HTMT_PATH_MAX];
    if (htmt_search_path(&shipped, name, NULL, found, NULL) || htmt_search_shipped(&shipped, found))
        return false;
    snprintf(path, room, "%s", found);
    return true;
}

void htmt__volume_transfer_destroy(struct htmt__volume_transfer *t)
{
    free(t->opacity);
    free(t->colour);
    *t = (struct htmt__volume_transfer){0};
}

/* Whether any value of the range is visible. */
static bool shows(const struct htmt__volume_transfer *t, const double range[2])
{
    bool shown = htmt__volume_transfer_opacity(t, range[0]) > 0 ||
                 htmt__volume_transfer_opacity(t, range[1]) > 0;
    for (unsigned i = 0; i < t->opacity_count && !shown; i++)
        shown = t->opacity[i].level[0] > 0 && range[0] <= t->opacity[i].at &&
                t->opacity[i].at <= range[1];
    return shown;
}

void htmt__volume_transfer_window(const struct htmt__volume_transfer *t,
                                  const struct htmt__volume *v, const double range[2],
                                  struct htmt__volume_window *window)
{
    const bool bytes = v->type == HTMT__UINT8 && v->slope == 1 && v->intercept == 0;
    *window = (struct htmt__volume_window){.given = false};
    if (t->automatic && !(bytes && shows(t, range)) && range[1] > range[0])
        *window = (struct htmt__volume_window){true, range[0], range[1]};
}

/* ---- values --------------------------------------------------------------------------------- */

static double between(const struct htmt__volume_knot *knots, unsigned count, unsigned channel,
                      double value)
{
    unsigned i = 0;
    while (i < count && knots[i].at < value)
        i++;
    if (i == 0 || i == count)
        return knots[i ? count - 1 : 0].level[channel];
    const struct htmt__volume_knot *a = &knots[i - 1], *b = &knots[i];
    if (value == b->at)
        return b->level[channel];
    double share = (value - a->at) / (b->at - a->at);
    return a->level[channel] + share * (b->level[channel] - a->level[channel]);
}

double htmt__volume_transfer_opacity(const struct htmt__volume_transfer *t, double value)
{
    return between(t->opacity, t->opacity_count, 0, value);
}

void htmt__volume_transfer_colour(const struct htmt__volume_transfer *t, double value,
                                  double colour[3])
{
    for (unsigned c = 0; c < t->channels; c++)
        colour[c] = between(t->colour, t->colour_count, c, value);
}

/* ---- tables --------------------------------------------------------------------------------- */

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

/* Levels, differences to the next row, and from each row on the first that is visible. */
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
    uint32_t first = l->last + 1;
    for (uint32_t n = l->last + 1; n-- > 0;) {
        if (l->row[2 * levels * n] > 0)
            first = n;
        l->visible[n] = first;
    }
}

int htmt__volume_transfer_table_create(const struct htmt__volume_transfer *t,
                                       const struct htmt__volume *v,
                                       const struct htmt__volume_window *window, double step,
                                       uint64_t bytes, struct htmt__volume_transfer_table *out,
                                       struct htmt_fault *fault)
{
    uint64_t rows = bytes / (2 * (1 + t->channels) * sizeof(float));
    struct grid g = {.t = t, .step = step, .most = UINT32_MAX / 2};
    struct miss miss = {0};
    int rc = 0;
    if (rows < g.most)
        g.most = (uint32_t)rows;
    if (window->given &&
        !(isfinite(window->from) && isfinite(window->to) && window->to > window->from))
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "window: found %g to %g, expected two ascending numbers",
                              window->from, window->to);
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
    size_t room = (l.last + 1) * 2 * (1 + l.channels) * sizeof *l.row;
    l.row = aligned_alloc(ALIGNMENT, (room + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    l.visible = calloc(l.last + 1, sizeof *l.visible);
    if (!l.row || !l.visible) {
        htmt__volume_transfer_table_destroy(&l);
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the table of a transfer function");
    }
    fill_rows(&g, &l);
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
