/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether a size fits is asked of the application's own plan: it predicts with that size, and
 * refuses it for want of capacity or for another reason. From the least size on, the size doubles
 * until it is refused; then the interval between the last that fits and the first that does not is
 * halved:
 *
 *     8 fits, 16 fits, 32 fits, 64 does not; 48 does not, 40 fits, 44 fits, 46 does not, 45 fits
 *
 * About 2 log2(n) predictions find n. The search rests on that a larger problem needs at least as
 * much of every memory.
 *
 * For each memory the search is made twice again: with all other memories unlimited, which gives
 * what this one allows, and with this one doubled and the others as they are. The memory binds if
 * the doubled one allows a larger problem than the machine.
 */
#include "emul/lib/questions/largest.h"

#include "layers/machine/base.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 96 };

struct search {
    const struct htmt__options *options;
    struct htmt__machine_base *base; /* of the command line */
    const struct htmt_app_size *size;
    struct htmt_request request;
    int row;
    struct htmt_prediction *prediction;
    char why[200];
};

static bool is_full(int rc)
{
    return rc == HTMT_ECAPACITY || rc == HTMT_EHOSTFIT;
}

/* Without --slices: on all slices of the machine, since their memories count, or on as many as the
 * application takes if it refuses so many. */
static int try_slices(struct search *s, struct htmt_fault *fault)
{
    const struct htmt_app *app = s->options->app;
    bool given = s->options->common_given[HTMT__SLICES];
    struct htmt_request *r = &s->request;
    if (!given)
        r->emulator.slices = r->machine->slices;
    int rc = htmt__app_predict(app, r, s->prediction, fault);
    if (!rc || is_full(rc) || given || !app->slices)
        return rc;
    *fault = (struct htmt_fault){0};
    r->emulator.slices = app->slices(r);
    return htmt__app_predict(app, r, s->prediction, fault);
}

/* The option's format with the size in place of each "%". */
static int try(struct search *s, uint64_t value)
{
    char text[TEXT];
    size_t n = 0;
    struct htmt__options options = *s->options;
    struct htmt_fault fault = {0};
    for (const char *c = s->size->format; *c && n + 21 < sizeof text; c++)
        n += *c == '%' ? (size_t)snprintf(text + n, sizeof text - n, "%" PRIu64, value)
                       : (size_t)(text[n] = *c, 1);
    text[n] = '\0';
    options.own[s->row] = text;
    s->request.values = options.own;
    int rc = try_slices(s, &fault);
    if (rc)
        snprintf(s->why, sizeof s->why, "%.*s", (int)sizeof s->why - 1, fault.text);
    return rc;
}

/* Doubles the size until it is refused, then bisects. If the least size does not fit: 0 for want of
 * capacity, else the error. */
static int largest(struct search *s, struct htmt__largest_bound *row)
{
    uint64_t step = s->size->step, most = s->size->most / step;
    uint64_t n = s->size->least / step, fits = 0, fails = most + 1;
    int rc = try(s, n * step), last = rc;
    if (rc)
        return is_full(rc) ? (row->bounded = true, 0) : rc;
    for (fits = n; fits * 2 <= most && !(rc = try(s, fits * 2 * step));)
        fits *= 2;
    fails = rc ? fits * 2 : most + 1;
    while (fails - fits > 1) {
        n = fits + (fails - fits) / 2;
        rc = try(s, n * step);
        last = rc ? rc : last;
        *(rc ? &fails : &fits) = n;
    }
    if (fails <= most)
        last = try(s, fails * step);
    row->size = fits * step;
    row->bounded = is_full(last);
    return 0;
}

/* The machine of the command line with twice the capacity of memory `other`. `invert`: with all
 * other memories unlimited instead. */
static int machine_of(const struct search *s, const struct htmt_machine *m, uint32_t other,
                      bool invert, struct htmt_machine **machine, struct htmt_fault *fault)
{
    char text[HTMT_LAYERS_MAX][TEXT];
    const char *set[HTMT_LAYERS_MAX];
    uint32_t count = 0;
    for (uint32_t l = 0; l < m->layer_count && other < m->layer_count; l++) {
        uint64_t has = m->layer[l].memory.capacity, much = UINT64_MAX / 32 / m->slices;
        if ((l == other) == invert)
            continue;
        snprintf(text[l], sizeof text[l], "layers.%s.memory.capacity=%" PRIu64 " words",
                 m->layer[l].name, invert && has < much ? much : 2 * has);
        set[count++] = text[l];
    }
    return htmt__machine_base_build(s->base, set, count, machine, fault);
}

static int find(struct search *s, const struct htmt_request *request, uint32_t other, bool invert,
                struct htmt__largest_bound *bound, struct htmt_fault *fault)
{
    struct htmt_machine *machine = NULL;
    int rc = machine_of(s, request->machine, other, invert, &machine, fault);
    if (rc)
        return rc;
    s->request = *request;
    s->request.machine = s->request.emulator.machine = machine;
    s->request.plan_only = true;
    s->why[0] = '\0';
    *bound = (struct htmt__largest_bound){0};
    rc = largest(s, bound);
    htmt_machine_destroy(&machine);
    return rc;
}

/* A row for all memories, then one for each. A size that contradicts the rest of the command line
 * gets the first alone, with the reason. */
static void find_size(struct search *s, const struct htmt_request *request,
                      struct htmt__largest *rows, unsigned *count, struct htmt_fault *fault)
{
    const struct htmt_machine *m = request->machine;
    struct htmt__largest *all = &rows[(*count)++];
    *all = (struct htmt__largest){.size = s->size, .memory = "all"};
    int rc = find(s, request, m->layer_count, false, &all->alone, fault);
    memcpy(all->why, s->why, sizeof all->why);
    all->refused = rc != 0;
    for (uint32_t l = 0; l < m->layer_count && !rc; l++) {
        struct htmt__largest *row = &rows[(*count)++];
        *row = (struct htmt__largest){.size = s->size};
        snprintf(row->memory, sizeof row->memory, "%s", m->layer[l].memory.name);
        rc = find(s, request, l, true, &row->alone, fault);
        memcpy(row->why, s->why, sizeof row->why);
        if (!rc)
            rc = find(s, request, l, false, &row->twice, fault);
        row->binds = all->alone.bounded && row->twice.size > all->alone.size;
    }
}

int htmt__largest_find(const struct htmt__options *o, const struct htmt_request *request,
                       struct htmt__largest **rows, unsigned *count, struct htmt_fault *fault)
{
    const struct htmt_app *app = o->app;
    unsigned sizes = 0;
    while (app->sizes && app->sizes[sizes].option)
        sizes++;
    struct search s = {.options = o, .prediction = calloc(1, sizeof *s.prediction)};
    *rows = calloc(sizes * (HTMT_LAYERS_MAX + 1) + 1, sizeof **rows);
    *count = 0;
    if (!*rows || !s.prediction)
        htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    else if (!sizes)
        htmt_fault_set(fault, HTMT_EUSAGE, "--largest: %s names no size", app->name);
    else
        (void)htmt__machine_base_load(o->common[HTMT__MACHINE], o->set, o->set_count, &s.base,
                                      fault);
    for (unsigned i = 0; i < sizes && !fault->code; i++) {
        s.size = &app->sizes[i];
        s.row = 0;
        while (app->options[s.row].name && strcmp(app->options[s.row].name, s.size->option) != 0)
            s.row++;
        if (app->options[s.row].name && !o->own_given[s.row])
            find_size(&s, request, *rows, count, fault);
    }
    free(s.prediction);
    htmt__machine_base_destroy(&s.base);
    return fault->code;
}
