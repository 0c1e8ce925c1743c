/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A point is made as the command line would be that it stands for: the options of its case with
 * those of the axes, the machine of the case, or of the axis `machine`, with the changes of the
 * command line and then those of the axes, in their order; so a factor is of the figure that the
 * axes before it left.
 */
#define _GNU_SOURCE /* vasprintf */
#include "emul/study/study.h"

#include "emul/lib/options/provenance.h"
#include "emul/lib/questions/quiet_run.h"
#include "emul/lib/questions/results.h"
#include "layers/file/costs.h"
#include "parcels/slope.h"
#include "runtime/base/array.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for a point");
}

static bool add_text(char ***texts, size_t *room, unsigned *count, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static bool add_text(char ***texts, size_t *room, unsigned *count, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    const int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        return false;
    if (!htmt__array_fits(texts, room, *count + 1u, sizeof **texts)) {
        free(text);
        return false;
    }
    (*texts)[(*count)++] = text;
    return true;
}

/* ---- options --------------------------------------------------------------------------------- */

/* The words of the case, and "--NAME=VALUE" for each axis of an option. */
static int parse(const struct htmt__study *s, uint64_t number, struct htmt__point *p,
                 struct htmt_fault *fault)
{
    const struct htmt__study_case *c = htmt__study_case_of(s, number);
    unsigned count = 0;
    size_t room = 0;
    char text[64];
    for (int i = 0; i < c->argc; i++, p->argc = (int)count)
        if (!add_text(&p->argv, &room, &count, "%s", c->argv[i]))
            return no_memory(fault);
    for (unsigned i = 0; i < s->axis_count; i++, p->argc = (int)count)
        if (s->axis[i].kind == HTMT__AXIS_OPTION &&
            !add_text(&p->argv, &room, &count, "--%s=%s", htmt__axis_key(&s->axis[i]),
                      htmt__study_value(s, number, i, text, sizeof text)))
            return no_memory(fault);
    int rc = htmt__options_parse(c->app, p->argc, p->argv, &p->options, fault);
    for (unsigned i = 0; i < s->axis_count && !rc; i++)
        if (s->axis[i].kind == HTMT__AXIS_MACHINE) {
            p->options.common[HTMT__MACHINE] = htmt__study_value(s, number, i, text, sizeof text);
            p->options.common_given[HTMT__MACHINE] = true;
        }
    if (!rc && !p->options.common_given[HTMT__THREADS])
        p->options.common[HTMT__THREADS] = "1";
    return rc;
}

/* ---- machine --------------------------------------------------------------------------------- */

/* Loaded once for each name. */
static int find_base(struct htmt__study_case *c, struct htmt__point *p, struct htmt_fault *fault)
{
    const struct htmt__options *o = &p->options;
    const char *name = o->common[HTMT__MACHINE];
    for (unsigned i = 0; i < c->bases; i++)
        if (strcmp(c->base[i].name, name) == 0) {
            p->base = c->base[i].base;
            return 0;
        }
    if (!htmt__array_fits(&c->base, &c->base_room, c->bases + 1u, sizeof *c->base))
        return no_memory(fault);
    struct htmt__study_base *b = &c->base[c->bases];
    char *kept = strdup(name);
    int rc = kept ? htmt__machine_base_load(name, o->set, o->set_count, &b->base, fault)
                  : no_memory(fault);
    if (rc) {
        free(kept);
        return rc;
    }
    b->name = kept;
    p->base = b->base;
    c->bases++;
    return 0;
}

const char *htmt__point_figure(const struct htmt__point *p, const char *key)
{
    const size_t length = strlen(key);
    unsigned count;
    const struct htmt_figure *figure = htmt__machine_base_figures(p->base, &count);
    for (unsigned i = p->sets; i-- > 0;)
        if (strncmp(p->set[i], key, length) == 0 && p->set[i][length] == '=')
            return p->set[i] + length + 1;
    for (unsigned i = 0; i < count; i++)
        if (strcmp(figure[i].key, key) == 0)
            return figure[i].value;
    return NULL;
}

static int change(struct htmt__study *s, uint64_t number, unsigned axis, struct htmt__point *p,
                  struct htmt_fault *fault)
{
    const struct htmt__axis *a = &s->axis[axis];
    char text[64], scaled[64];
    const char *value = htmt__study_value(s, number, axis, text, sizeof text);
    unsigned count;
    const struct htmt_figure *figure = htmt__machine_base_figures(p->base, &count);
    if (a->kind == HTMT__AXIS_COSTS &&
        !add_text(&p->cost_set, &p->cost_room, &p->cost_sets, "%s=%s", htmt__axis_key(a), value))
        return no_memory(fault);
    if (a->kind != HTMT__AXIS_FIGURE)
        return 0;
    bool fits =
        a->factors || add_text(&p->set, &p->set_room, &p->sets, "%s=%s", htmt__axis_key(a), value);
    for (unsigned i = 0; i < count && a->factors && fits; i++)
        if (fnmatch(htmt__axis_key(a), figure[i].key, 0) == 0 &&
            htmt__axis_scaled(htmt__point_figure(p, figure[i].key),
                              htmt__study_number(s, number, axis), scaled, sizeof scaled))
            fits = add_text(&p->set, &p->set_room, &p->sets, "%s=%s", figure[i].key, scaled);
    return fits ? 0 : no_memory(fault);
}

static int take_changes(const struct htmt__study_variant *v, struct htmt__point *p,
                        struct htmt_fault *fault)
{
    bool fits = true;
    for (unsigned i = 0; i < v->changes && fits; i++)
        fits = strncmp(v->change[i], "costs:", 6) == 0
                   ? add_text(&p->cost_set, &p->cost_room, &p->cost_sets, "%s", v->change[i] + 6)
                   : add_text(&p->set, &p->set_room, &p->sets, "%s", v->change[i]);
    return fits ? 0 : no_memory(fault);
}

/* ---- key ------------------------------------------------------------------------------------- */

/* All that decides the result, as text: two points of one key have one result. The text itself is
 * the key of the store, so no two keys are taken for one. Figures of the machine are a hash, which
 * is that of their values, however they are written. */
static int make_key(const struct htmt__study_case *c, const struct htmt__study_variant *v,
                    struct htmt__point *p, struct htmt_fault *fault)
{
    const struct htmt__options *o = &p->options;
    struct htmt_request request = {.machine = p->machine, .costs = o->common[HTMT__COSTS]};
    struct htmt__provenance record;
    const char *commit = htmt__commit();
    char *text = NULL;
    size_t length = 0;
    uint64_t hash;
    int rc = htmt__provenance_make(c->verb, o, &request, &record, fault);
    FILE *f = rc ? NULL : open_memstream(&text, &length);
    if (!f)
        return rc ? rc : no_memory(fault);
    fprintf(f, "htmt %s %s|%s %s|machine %016" PRIx64 "|costs %016" PRIx64, htmt__version(),
            commit ? commit : "", c->verb, o->app->name, p->machine->hash, record.costs_hash);
    if (c->plugin)
        fprintf(f, "|plug-in %016" PRIx64, c->plugin);
    for (unsigned i = 0; i < p->cost_sets; i++)
        fprintf(f, "|%s", p->cost_set[i]);
    for (unsigned i = 0; i < HTMT__OPTIONS; i++)
        if (o->common_given[i] && i != HTMT__MACHINE && i != HTMT__SET && i != HTMT__COSTS &&
            i != HTMT__THREADS && i != HTMT__QUIET) {
            fprintf(f, "|--%s=%s", htmt__common_rows[i].name, o->common[i]);
            if (i == HTMT__CAPTURED && htmt__provenance_input(o->common[i], &hash))
                fprintf(f, "#%016" PRIx64, hash);
        }
    for (unsigned i = 0; i < HTMT__ROWS_MAX && o->rows[i].name; i++) {
        if (!o->own_given[i])
            continue;
        fprintf(f, "|--%s=%s", o->rows[i].name, o->own[i]);
        if (htmt__provenance_input(o->own[i], &hash))
            fprintf(f, "#%016" PRIx64, hash);
    }
    for (unsigned i = 0; v && i < v->slopes; i++) {
        fprintf(f, "|slope %.17g", v->slope[i].factor);
        for (unsigned k = 0; k < v->slope[i].changes; k++)
            fprintf(f, " %s", v->slope[i].change[k]);
    }
    if (fclose(f)) {
        free(text);
        return no_memory(fault);
    }
    p->key = text;
    return 0;
}

int htmt__point_make(struct htmt__study *s, uint64_t number, struct htmt__point *p,
                     struct htmt_fault *fault)
{
    struct htmt__study_case *c = &s->cases[htmt__study_case_of(s, number) - s->cases];
    *p = (struct htmt__point){.argc = 0};
    int rc = parse(s, number, p, fault);
    if (!rc)
        rc = find_base(c, p, fault);
    for (unsigned i = 0; i < s->axis_count && !rc; i++)
        rc = change(s, number, i, p, fault);
    if (!rc && s->variant)
        rc = take_changes(&s->variant[number], p, fault);
    if (!rc && p->cost_sets && !p->options.common[HTMT__COSTS])
        rc = htmt_fault_set(fault, HTMT_EUSAGE,
                            "an axis changes a figure of the cost file, and there is no --costs");
    if (!rc)
        rc = htmt__machine_base_build(p->base, (const char *const *)p->set, p->sets, &p->machine,
                                      fault);
    rc = rc ? rc : htmt__options_check_machine(c->app, p->machine, fault);
    return rc ? rc : make_key(c, s->variant ? &s->variant[number] : NULL, p, fault);
}

void htmt__point_fini(struct htmt__point *p)
{
    for (int i = 0; i < p->argc; i++)
        free(p->argv[i]);
    for (unsigned i = 0; i < p->sets; i++)
        free(p->set[i]);
    for (unsigned i = 0; i < p->cost_sets; i++)
        free(p->cost_set[i]);
    free(p->argv);
    free(p->set);
    free(p->cost_set);
    free(p->key);
    htmt_machine_destroy(&p->machine);
    *p = (struct htmt__point){.argc = 0};
}

/* ---- result ---------------------------------------------------------------------------------- */

static void add_value(json_t *values, const char *name, double value, const char *unit)
{
    if (isfinite(value))
        json_array_append_new(values, json_pack("[s, f, s]", name, value, unit));
}

static int tell_predicted(const struct htmt__quiet_run *run, json_t *values,
                          struct htmt_fault *fault)
{
    const struct htmt_prediction *t = run->prediction;
    int rc = run->request.strict ? htmt__warnings_refuse(&t->warnings, fault) : 0;
    if (!rc)
        add_value(values, "T", t->total_s, "s");
    if (!rc && t->total_fs != INT64_MAX)
        add_value(values, "predicted_fs", (double)t->total_fs, "fs");
    for (unsigned i = 0; !rc && i < t->count; i++)
        add_value(values, t->term[i].name, t->term[i].value, t->term[i].unit);
    return rc;
}

/* As `htmt run --strict` does. */
static int refuse_unpriced(const struct htmt_emulator *e, struct htmt_fault *fault)
{
    struct htmt__results r = {0};
    int rc = htmt__results_collect(e, &r);
    if (!rc && r.unpriced_count)
        rc = htmt_fault_set(fault, HTMT_EFORMAT, "--strict: %s", r.unpriced[0].text);
    htmt__results_clear(&r);
    return rc;
}

static int tell_emulated(const struct htmt__quiet_run *run, json_t *values,
                         struct htmt_fault *fault)
{
    const struct htmt_outcome *o = &run->outcome;
    int rc = 0;
    if (o->correct == 0)
        rc =
            htmt_fault_set(fault, HTMT_EWRONG, "the result is wrong: %s gives %.3g, tolerance %.3g",
                           o->check.name, o->check.value, o->check.tolerance);
    if (!rc && run->request.strict)
        rc = htmt__warnings_refuse(&o->warnings, fault);
    if (!rc && run->request.strict)
        rc = refuse_unpriced(o->emulator, fault);
    if (!rc) {
        add_value(values, "T", (double)htmt_predicted(o->emulator) * 1e-15, "s");
        add_value(values, "predicted_fs", (double)htmt_predicted(o->emulator), "fs");
        add_value(values, "events", (double)htmt_event_count(o->emulator), "1");
    }
    for (unsigned i = 0; !rc && i < o->found_count; i++)
        if (!*o->found[i].text)
            add_value(values, o->found[i].name, o->found[i].value, o->found[i].unit);
    return rc;
}

/* A machine that is refused, or a figure without a derivative, leaves its values out; of the first
 * one *first says why. */
static int tell_slope(const struct htmt__study_slope *slope, unsigned number,
                      const struct htmt__point *p, const struct htmt_emulator *e, json_t *values,
                      struct htmt_fault *first, struct htmt_fault *fault)
{
    const char **set = malloc((p->sets + slope->changes + 1u) * sizeof *set);
    struct htmt_machine *machine = NULL;
    struct htmt_fault why = {0};
    char name[40];
    double larger, smaller;
    if (!set)
        return no_memory(fault);
    for (unsigned i = 0; i < p->sets; i++)
        set[i] = p->set[i];
    for (unsigned i = 0; i < slope->changes; i++)
        set[p->sets + i] = slope->change[i];
    int rc = htmt__machine_base_build(p->base, set, p->sets + slope->changes, &machine, &why);
    rc = rc ? rc : htmt_slope_find(e, machine, slope->factor, &larger, &smaller, &why);
    if (!rc) {
        snprintf(name, sizeof name, "larger %u", number);
        add_value(values, name, larger, "1");
        snprintf(name, sizeof name, "smaller %u", number);
        add_value(values, name, smaller, "1");
    }
    if (rc && !first->code)
        *first = why;
    htmt_machine_destroy(&machine);
    free(set);
    return rc == HTMT_ENOMEM ? no_memory(fault) : 0;
}

json_t *htmt__point_compute(struct htmt__study *s, uint64_t number, struct htmt__point *p)
{
    const char *verb = htmt__study_case_of(s, number)->verb;
    const struct htmt__study_variant *v = s->variant ? &s->variant[number] : NULL;
    const bool predicts = strcmp(verb, "predict") == 0;
    struct htmt_fault fault = {0}, no_slope = {0};
    struct htmt__quiet_run *run = calloc(1, sizeof *run);
    json_t *values = json_array();
    int rc = values && run ? 0 : no_memory(&fault);
    if (!rc) {
        run->options = p->options;
        run->request.machine = p->machine;
        run->request.values_only = true;
        run->request.emulator.mode = strcmp(verb, "run") == 0 ? HTMT_RUN : HTMT_MODEL;
        rc = htmt__options_resolve(&run->options, &run->request, &fault);
        run->request.cost_set = (const char *const *)p->cost_set;
        run->request.cost_set_count = p->cost_sets;
        run->request.emulator.slopes = v && v->slopes && !run->request.emulator.what_if;
    }
    if (!rc)
        rc = htmt__captured_make(verb, &run->options, &run->request, &run->captured, &fault);
    if (!rc)
        rc = (predicts ? htmt__quiet_run_predict : htmt__quiet_run_emulate)(run, &fault);
    if (!rc)
        rc = (predicts ? tell_predicted : tell_emulated)(run, values, &fault);
    for (unsigned i = 0; !rc && run->request.emulator.slopes && i < v->slopes; i++)
        rc = tell_slope(&v->slope[i], i, p, run->outcome.emulator, values, &no_slope, &fault);
    if (run)
        htmt__quiet_run_clear(run);
    free(run);
    if (rc)
        json_array_clear(values);
    json_t *result =
        json_pack("{s:i, s:s, s:o}", "code", rc, "why", rc ? fault.text : "", "values", values);
    if (no_slope.code)
        json_object_set_new(result, "no_slope", json_string(no_slope.text));
    return result;
}
