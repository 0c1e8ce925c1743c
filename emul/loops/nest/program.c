/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Spelling out a program: calls are bound and repeats counted until a list of runs is left. A nest
 * in `repeat: 10` of `repeat: 5` runs 50 times but stands in the list once. Beside the list stand
 * the repeats, each from its first run to its last one. By hand, with a procedure p that runs nest
 * b and then `repeat: 5` of nest c,
 *
 *     - nest: a
 *     - repeat: 10
 *       do:
 *         - call: p
 *         - nest: d
 *
 * becomes the runs a, b, c, d (0 to 3), 1, 10, 50 and 10 times, and the repeats 2..2 and 1..3.
 *
 * Why that is enough: the bound of a program is a sum over runs, each `times` its bound, whatever
 * their order. Occupancy needs the order, and for each repeat the runs that what lives from one
 * round to the next lives through. Fusion needs to know whether two runs are in the same repeats. A
 * repeat of one round carries nothing over, and is none.
 *
 * A call evaluates what it gives to formal names with the caller's values, saves the caller's, and
 * restores them behind the body. The caller's, and not those that are being bound: with {n: m, m:
 * n} both names change places. An actual array may be a part of one, u:2..4, so an array that is
 * named in a procedure is two things: the array of the caller, and its first component there.
 *
 * The length of the list is that of all calls written out, at most RUNS_MAX; repeats cost nothing,
 * whatever their number. A call copies the values of all parameters and arrays.
 */
#include "emul/loops/nest/program.h"

#include "runtime/base/array.h"
#include "runtime/base/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS_MAX  4096
#define DEEPEST   16 /* calls in each other */
#define TIMES_MAX ((htmt_wide)1 << 62)

/* A program that is being spelled out. */
struct spelling {
    struct htmt__nest_program *p;
    struct htmt_fault *fault;
    struct htmt__nest_actual *actual;
    htmt_wide times;
    unsigned deep; /* calls in each other */
    unsigned loops;
    const struct htmt__nest_step *loop[HTMT__NEST_DEPTH]; /* around, outermost first */
};

static struct htmt__nest_values values_of(const struct htmt__nest_program *p)
{
    return (struct htmt__nest_values){p->value, p->known, p->file->parameter_name,
                                      p->file->parameters};
}

static struct htmt__nest_place place_at(const struct spelling *s, int line, const char *what)
{
    return (struct htmt__nest_place){s->p->file->path, what, line, s->fault};
}

/* ---- parameters, arrays ------------------------------------------------------------------------
 */

/* Components and box of an array: an axis of one number has so many words from 0 on. */
static int measure_array(const struct spelling *s, unsigned index)
{
    struct htmt__nest_program *p = s->p;
    const struct htmt__nest_array *a = &p->file->array[index];
    struct htmt__nest_values values = values_of(p);
    struct htmt__nest_place place = place_at(s, a->line, a->name);
    int rc = 0;
    p->components[index] = 1;
    if (a->components.count)
        rc = htmt__nest_evaluate_whole(&a->components, &values, &place, &p->components[index]);
    if (!rc && (p->components[index] < 0 || p->components[index] > 1000000))
        rc = htmt__nest_refuse(&place, HTMT_ERANGE, "expected 0 to 1,000,000 components");
    if (!rc && a->axes > HTMT__NEST_DEPTH)
        rc = htmt__nest_refuse(&place, HTMT_ERANGE, "more than %d axes", HTMT__NEST_DEPTH);
    for (unsigned i = 0; i < a->axes && !rc; i++) {
        htmt_wide *low = &p->low[index][i], *size = &p->size[index][i], high;
        rc = htmt__nest_evaluate_whole(&a->box[i].low, &values, &place, low);
        *size = *low;
        if (!rc && a->box[i].high.count) {
            rc = htmt__nest_evaluate_whole(&a->box[i].high, &values, &place, &high);
            *size = rc ? 0 : high - *low + 1;
        } else {
            *low = 0;
        }
        if (!rc && (*size < 0 || *size > (htmt_wide)1 << 40))
            rc = htmt__nest_refuse(&place, HTMT_ERANGE, "axis %u of the box is empty or too long",
                                   i + 1);
    }
    return rc;
}

htmt_wide htmt__nest_array_words(const struct htmt__nest_program *program, unsigned array,
                                 htmt_wide components)
{
    htmt_wide words = components;
    for (unsigned i = 0; i < program->file->array[array].axes; i++)
        words *= program->size[array][i];
    return words;
}

/* ---- runs --------------------------------------------------------------------------------------
 */

static int add_run(struct spelling *s, const char *name, struct htmt__nest_run **run)
{
    struct htmt__nest_program *p = s->p;
    if (p->runs == RUNS_MAX)
        return htmt_fault_set(s->fault, HTMT_ERANGE, "%s: more than %d nests run", p->file->path,
                              RUNS_MAX);
    if (!htmt__array_fits(&p->run, &p->run_room, p->runs + 1, sizeof *p->run))
        return htmt_fault_set(s->fault, HTMT_ENOMEM, "out of memory");
    *run = &p->run[p->runs++];
    **run = (struct htmt__nest_run){.times = s->times};
    snprintf((*run)->name, sizeof(*run)->name, "%s", name);
    return 0;
}

/* The loops of steps around are the outermost ones of the nest. */
static int check_loops(const struct spelling *s, const struct htmt__nest *nest)
{
    for (unsigned l = 0; l < s->loops; l++)
        if (l >= nest->depth || strcmp(nest->loop[l].name, s->loop[l]->loop) != 0)
            return htmt_fault_set(s->fault, HTMT_EFORMAT,
                                  "%s:%d: loop: found '%s', but loop %u of nest %s is %s",
                                  s->p->file->path, s->loop[l]->line, s->loop[l]->loop, l + 1,
                                  nest->name, l < nest->depth ? nest->loop[l].name : "none");
    return 0;
}

static int run_nest(struct spelling *s, unsigned index)
{
    const struct htmt__nest *nest = &s->p->file->nest[index];
    struct htmt__nest_values values = values_of(s->p);
    struct htmt__nest_context context = {s->p->file,       &values,    s->actual,
                                         s->p->components, s->p->line, s->fault};
    struct htmt__nest_run *run = NULL;
    int rc = check_loops(s, nest);
    if (!rc)
        rc = add_run(s, nest->name, &run);
    if (!rc && !(run->nest = malloc(sizeof *run->nest)))
        rc = htmt_fault_set(s->fault, HTMT_ENOMEM, "out of memory");
    if (rc)
        return rc;
    run->nests = 1;
    *run->nest = index;
    return htmt__nest_plan_make(nest, &context, &run->plan);
}

static int read_part(struct spelling *s, const struct htmt__nest_part *part, int line,
                     struct htmt__nest_sent *sent)
{
    struct htmt__nest_values values = values_of(s->p);
    struct htmt__nest_place place = place_at(s, line, "components");
    const struct htmt__nest_actual *a = &s->actual[part->array];
    htmt_wide low = 0, high = s->p->components[a->array] - a->first - 1;
    int rc = 0;
    if (s->p->file->array[a->array].formal)
        return htmt__nest_refuse(&place, HTMT_EINVAL, "array '%s' is bound to none here",
                                 s->p->file->array[part->array].name);
    if (part->component.low.count) {
        rc = htmt__nest_evaluate_whole(&part->component.low, &values, &place, &low);
        high = low;
    }
    if (!rc && part->component.high.count)
        rc = htmt__nest_evaluate_whole(&part->component.high, &values, &place, &high);
    *sent = (struct htmt__nest_sent){a->array, a->first + low, high - low + 1};
    if (!rc && (low < 0 || high < low || a->first + high >= s->p->components[a->array]))
        rc = htmt__nest_refuse(&place, HTMT_ERANGE, "array '%s' has %lld components",
                               s->p->file->array[a->array].name,
                               (long long)s->p->components[a->array]);
    return rc;
}

static int run_unknown(struct spelling *s, const struct htmt__nest_procedure *procedure)
{
    struct htmt__nest_run *run = NULL;
    int rc = add_run(s, procedure->name, &run);
    if (!rc && !(run->part = calloc(procedure->arrays + 1, sizeof *run->part)))
        rc = htmt_fault_set(s->fault, HTMT_ENOMEM, "out of memory");
    for (unsigned i = 0; i < procedure->arrays && !rc; i++) {
        struct htmt__nest_part all = {.array = procedure->array[i]};
        rc = read_part(s, &all, procedure->line, &run->part[run->parts++]);
    }
    return rc;
}

/* ---- steps -------------------------------------------------------------------------------------
 */

static int run_steps(struct spelling *s, const struct htmt__nest_step *step, unsigned steps);

/* What the caller had in the place of formal names. */
struct saved {
    htmt_wide *value;
    bool *known;
    struct htmt__nest_actual *actual;
};

/* Actual values are those of the caller, whatever was bound before. */
static int bind(struct spelling *s, const struct htmt__nest_binding *b, int line,
                const struct saved *caller)
{
    struct htmt__nest_values values = values_of(s->p);
    struct htmt__nest_place place = place_at(s, line, "with");
    struct htmt__nest_sent sent;
    values.value = caller->value;
    values.known = caller->known;
    if (!b->array) {
        s->p->known[b->formal] = true;
        return htmt__nest_evaluate_whole(&b->value, &values, &place, &s->p->value[b->formal]);
    }
    struct spelling outer = *s;
    outer.actual = caller->actual;
    int rc = read_part(&outer, &b->part, line, &sent);
    if (!rc)
        s->actual[b->formal] = (struct htmt__nest_actual){sent.array, sent.first};
    return rc;
}

static int run_call(struct spelling *s, const struct htmt__nest_step *step)
{
    const struct htmt__nest_procedure *procedure = &s->p->file->procedure[step->index];
    const unsigned parameters = s->p->file->parameters, arrays = s->p->file->arrays;
    if (s->deep == DEEPEST)
        return htmt_fault_set(s->fault, HTMT_ERANGE, "%s:%d: more than %d calls in each other",
                              s->p->file->path, step->line, DEEPEST);
    struct saved saved = {.value = calloc(parameters + 1, sizeof *saved.value),
                          .known = calloc(parameters + 1, sizeof *saved.known),
                          .actual = calloc(arrays + 1, sizeof *saved.actual)};
    int rc = 0;
    if (!saved.value || !saved.known || !saved.actual) {
        rc = htmt_fault_set(s->fault, HTMT_ENOMEM, "out of memory");
        goto out;
    }
    memcpy(saved.value, s->p->value, parameters * sizeof *saved.value);
    memcpy(saved.known, s->p->known, parameters * sizeof *saved.known);
    memcpy(saved.actual, s->actual, arrays * sizeof *saved.actual);
    for (unsigned i = 0; i < step->bindings && !rc; i++)
        rc = bind(s, &step->binding[i], step->line, &saved);
    s->deep++;
    if (!rc)
        rc = procedure->unknown ? run_unknown(s, procedure)
                                : run_steps(s, procedure->step, procedure->steps);
    s->deep--;
    memcpy(s->p->value, saved.value, parameters * sizeof *saved.value);
    memcpy(s->p->known, saved.known, parameters * sizeof *saved.known);
    memcpy(s->actual, saved.actual, arrays * sizeof *saved.actual);
out:
    free(saved.value);
    free(saved.known);
    free(saved.actual);
    return rc;
}

static int read_number(struct spelling *s, const struct htmt__nest_step *step, const char *what,
                       htmt_wide *number)
{
    struct htmt__nest_values values = values_of(s->p);
    struct htmt__nest_place place = place_at(s, step->line, what);
    int rc = htmt__nest_evaluate_whole(&step->number, &values, &place, number);
    if (!rc && (*number < 0 || *number > TIMES_MAX))
        rc = htmt__nest_refuse(&place, HTMT_ERANGE, "a negative or too large number");
    return rc;
}

static int add_rounds(struct spelling *s, struct htmt__nest_rounds rounds)
{
    struct htmt__nest_program *p = s->p;
    if (p->runs == rounds.first)
        return 0;
    if (!htmt__array_fits(&p->repeat, &p->repeat_room, p->repeats + 1, sizeof *p->repeat))
        return htmt_fault_set(s->fault, HTMT_ENOMEM, "out of memory");
    rounds.last = p->runs - 1;
    p->repeat[p->repeats++] = rounds;
    return 0;
}

static int run_loop(struct spelling *s, const struct htmt__nest_step *step)
{
    const unsigned first = s->p->runs;
    if (s->loops == HTMT__NEST_DEPTH)
        return htmt_fault_set(s->fault, HTMT_ERANGE, "%s:%d: more than %d loops in each other",
                              s->p->file->path, step->line, HTMT__NEST_DEPTH);
    s->loop[s->loops++] = step;
    int rc = run_steps(s, step->step, step->steps);
    s->loops--;
    return rc ? rc
              : add_rounds(s, (struct htmt__nest_rounds){
                                  .first = first, .loop = true, .depth = s->loops, .times = 1});
}

static int run_repeat(struct spelling *s, const struct htmt__nest_step *step)
{
    struct htmt__nest_program *p = s->p;
    htmt_wide times, before = s->times;
    const unsigned first = p->runs;
    int rc = read_number(s, step, "repeat", &times);
    if (!rc && times && before > TIMES_MAX / times)
        rc = htmt_fault_set(s->fault, HTMT_ERANGE, "%s:%d: repeat: more than 2^62 times",
                            s->p->file->path, step->line);
    if (rc || !times)
        return rc;
    s->times *= times;
    rc = run_steps(s, step->step, step->steps);
    s->times = before;
    if (rc || times == 1)
        return rc;
    return add_rounds(s, (struct htmt__nest_rounds){.first = first, .times = times});
}

static int run_exchange(struct spelling *s, const struct htmt__nest_step *step)
{
    struct htmt__nest_program *p = s->p;
    struct htmt__nest_place place = place_at(s, step->line, "exchange.depth");
    htmt_wide depth;
    int rc = read_number(s, step, "exchange.depth", &depth);
    if (!rc && !htmt__array_fits(&p->exchange, &p->exchange_room, p->exchanges + step->parts,
                                 sizeof *p->exchange))
        rc = htmt_fault_set(s->fault, HTMT_ENOMEM, "out of memory");
    for (unsigned i = 0; i < step->parts && !rc; i++) {
        struct htmt__nest_exchange *x = &p->exchange[p->exchanges++];
        *x = (struct htmt__nest_exchange){.before = p->runs, .depth = depth, .times = s->times};
        rc = read_part(s, &step->part[i], step->line, &x->sent);
        const struct htmt__nest_array *a = &p->file->array[x->sent.array];
        for (unsigned k = 0; k < a->axes && !rc; k++)
            if (2 * depth >= p->size[x->sent.array][k]) /* nothing is left inside the ghosts */
                rc = htmt__nest_refuse(&place, HTMT_ERANGE,
                                       "found %lld, but axis %u of the box of '%s' has %lld points",
                                       (long long)depth, k + 1, a->name,
                                       (long long)p->size[x->sent.array][k]);
    }
    return rc;
}

static int run_steps(struct spelling *s, const struct htmt__nest_step *step, unsigned steps)
{
    int rc = 0;
    for (unsigned i = 0; i < steps && !rc; i++)
        switch (step[i].kind) {
        case HTMT__NEST_RUN:
            rc = run_nest(s, step[i].index);
            break;
        case HTMT__NEST_CALL:
            rc = run_call(s, &step[i]);
            break;
        case HTMT__NEST_REPEAT:
            rc = run_repeat(s, &step[i]);
            break;
        case HTMT__NEST_INSIDE_LOOP:
            rc = run_loop(s, &step[i]);
            break;
        default:
            rc = run_exchange(s, &step[i]);
        }
    return rc;
}

/* ---- the program -------------------------------------------------------------------------------
 */

/* What the reader of the source took to hold. */
static int check_assumptions(const struct spelling *s)
{
    const struct htmt__nest_file *f = s->p->file;
    const struct htmt__nest_values values = values_of(s->p);
    int rc = 0;
    for (unsigned i = 0; i < f->assumptions && !rc; i++) {
        const struct htmt__nest_assumption *a = &f->assumption[i];
        const struct htmt__nest_place place = {f->path, "assume", a->line, s->fault};
        bool holds = true;
        rc = htmt__nest_condition_holds(a->holds, &values, &place, &holds);
        if (!rc && !holds)
            rc = htmt__nest_refuse(&place, HTMT_ERANGE,
                                   "'%s' does not hold, and subscripts were read as if it did",
                                   a->text);
    }
    return rc;
}

static int spell(struct spelling *s, const struct htmt__nest_given_value *given, unsigned count)
{
    struct htmt__nest_program *p = s->p;
    unsigned parameters = p->file->parameters + 1, arrays = p->file->arrays + 1;
    p->value = calloc(parameters, sizeof *p->value);
    p->known = calloc(parameters, sizeof *p->known);
    p->components = calloc(arrays, sizeof *p->components);
    p->low = calloc(arrays, sizeof *p->low);
    p->size = calloc(arrays, sizeof *p->size);
    s->actual = calloc(arrays, sizeof *s->actual);
    if (!p->value || !p->known || !p->components || !p->low || !p->size || !s->actual)
        return htmt_fault_set(s->fault, HTMT_ENOMEM, "out of memory");
    const struct htmt__nest_file *f = p->file;
    for (unsigned i = 0; i < f->parameters; i++) {
        p->value[i] = f->parameter[i].value;
        p->known[i] = f->parameter[i].known;
    }
    for (unsigned k = 0; k < count; k++) {
        unsigned i = 0;
        while (i < f->parameters &&
               (f->parameter[i].formal || strcmp(f->parameter[i].name, given[k].name) != 0))
            i++;
        if (i == f->parameters)
            return htmt__suggest_refuse("parameter", given[k].name, f->parameter_name,
                                        f->parameters, "the nest file", s->fault);
        p->value[i] = given[k].value;
        p->known[i] = true;
    }
    int rc = check_assumptions(s);
    for (unsigned i = 0; i < p->file->arrays && !rc; i++) {
        s->actual[i].array = i;
        if (!p->file->array[i].formal)
            rc = measure_array(s, i);
    }
    if (!rc && p->file->step)
        return run_steps(s, p->file->step, p->file->steps);
    for (unsigned i = 0; i < p->file->nests && !rc; i++)
        rc = run_nest(s, i); /* a file without a program runs each nest once */
    return rc;
}

int htmt__nest_program_make(const struct htmt__nest_file *file,
                            const struct htmt__nest_given_value *given, unsigned count,
                            uint64_t line, struct htmt__nest_program **program,
                            struct htmt_fault *fault)
{
    struct htmt__nest_program *p = calloc(1, sizeof *p);
    struct spelling s = {.p = p, .fault = fault, .times = 1};
    if (!p)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    p->file = file;
    p->line = line;
    int rc = spell(&s, given, count);
    free(s.actual);
    if (rc)
        htmt__nest_program_destroy(&p);
    else
        *program = p;
    return rc;
}

void htmt__nest_program_destroy(struct htmt__nest_program **program)
{
    struct htmt__nest_program *p = *program;
    if (!p)
        return;
    for (unsigned i = 0; i < p->runs; i++) {
        htmt__nest_plan_destroy(&p->run[i].plan);
        free(p->run[i].nest);
        free(p->run[i].part);
    }
    free(p->run);
    free(p->repeat);
    free(p->exchange);
    free(p->value);
    free(p->known);
    free(p->components);
    free(p->low);
    free(p->size);
    free(p->layout);
    free(p);
    *program = NULL;
}

/* ---- ghosts ------------------------------------------------------------------------------------
 */

htmt_wide htmt__nest_face_bytes(const struct htmt__nest_program *program,
                                const struct htmt__nest_exchange *exchange, unsigned axis)
{
    const struct htmt__nest_array *a = &program->file->array[exchange->sent.array];
    htmt_wide bytes = exchange->sent.count * exchange->depth * (htmt_wide)a->bytes;
    for (unsigned i = 0; i < a->axes; i++) {
        htmt_wide inside = program->size[exchange->sent.array][i] - 2 * exchange->depth;
        if (i != axis)
            bytes *= inside > 0 ? inside : 0;
    }
    return bytes;
}

htmt_wide htmt__nest_exchange_bytes(const struct htmt__nest_program *program,
                                    const struct htmt__nest_exchange *exchange)
{
    htmt_wide bytes = 0;
    for (unsigned i = 0; i < program->file->array[exchange->sent.array].axes; i++)
        bytes += 2 * htmt__nest_face_bytes(program, exchange, i);
    return bytes;
}

int htmt__nest_footprint(const struct htmt__nest_program *program, htmt_wide *arrays,
                         htmt_wide *buffers)
{
    htmt_wide together = 0;
    *arrays = *buffers = 0;
    for (unsigned i = 0; i < program->file->arrays; i++)
        if (!program->file->array[i].formal)
            *arrays += htmt__nest_array_words(program, i, program->components[i]) *
                       (htmt_wide)program->file->array[i].bytes;
    for (unsigned i = 0; i < program->exchanges; i++) {
        bool same = i && program->exchange[i].before == program->exchange[i - 1].before;
        together =
            (same ? together : 0) + htmt__nest_exchange_bytes(program, &program->exchange[i]);
        *buffers = together > *buffers ? together : *buffers;
    }
    return *arrays >= (htmt_wide)1 << 90 ? HTMT_EOVERFLOW : 0;
}
