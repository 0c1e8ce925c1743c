/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What steps ask of a task and tell it. An outcome and a prediction have room for so many notes,
 * figures and terms; what is more is counted, and the count is the last note, or a warning whose
 * text changes: nothing is lost without a word.
 */
#include "apps/lib/request.h"
#include "apps/lib/task_parts.h"
#include "runtime/base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* ---- what is wanted ------------------------------------------------------------------------- */

const struct htmt_request *htmt_task_request(const struct htmt_task *t)
{
    return t->request;
}

const struct htmt_machine *htmt_task_machine(const struct htmt_task *t)
{
    return &t->machine;
}

bool htmt_task_is_model(const struct htmt_task *t)
{
    return t->model;
}

bool htmt_task_is_prediction(const struct htmt_task *t)
{
    return !t->out;
}

struct htmt_emulator *htmt_task_emulator(const struct htmt_task *t)
{
    return t->out ? t->out->emulator : NULL;
}

const char *htmt_task_value(const struct htmt_task *t, const char *name)
{
    return htmt_request_value(t->request, name);
}

int htmt_task_whole(struct htmt_task *t, const char *name, uint64_t least, uint64_t most,
                    uint64_t *value)
{
    return htmt_request_whole(t->request, name, least, most, value, t->fault);
}

int htmt_task_real(struct htmt_task *t, const char *name, double least, double most, double *value)
{
    return htmt_request_real(t->request, name, least, most, value, t->fault);
}

/* ---- what goes wrong ------------------------------------------------------------------------ */

struct htmt_fault *htmt_task_fault(struct htmt_task *t)
{
    return t->fault;
}

/* The text of a format with its arguments, cut to the room. */
#define WRITE(text, format)                                                                        \
    do {                                                                                           \
        va_list more;                                                                              \
        va_start(more, format);                                                                    \
        vsnprintf(text, sizeof(text), format, more);                                               \
        va_end(more);                                                                              \
    } while (0)

int htmt_task_refuse(struct htmt_task *t, int code, const char *format, ...)
{
    char text[sizeof t->fault->text + 1]; /* so that a line too long is seen to be cut off */
    WRITE(text, format);
    *t->fault = (struct htmt_fault){0};
    return htmt_fault_set(t->fault, code, "%s", text);
}

int htmt_task_fits(struct htmt_task *t, double bytes, const char *arithmetic, ...)
{
    char text[300], left[HTMT_MEMORY_TEXT];
    if (htmt_memory_holds(bytes - t->held, left))
        return 0;
    WRITE(text, arithmetic);
    return htmt_fault_set(t->fault, HTMT_EHOSTFIT, "%s = %.2f GiB, %s; `htmt model` needs no data",
                          text, bytes / HTMT_GIB, left);
}

void htmt_task_held(struct htmt_task *t, double bytes)
{
    t->held = bytes;
}

void htmt_task_warn(struct htmt_task *t, const char *name, const char *format, ...)
{
    char text[sizeof t->warnings->item->text];
    WRITE(text, format);
    htmt_warn(t->warnings, name, "%s", text);
}

struct htmt_warnings *htmt_task_warnings(struct htmt_task *t)
{
    return t->warnings;
}

/* ---- what a report says --------------------------------------------------------------------- */

void htmt_task_problem(struct htmt_task *t, const char *format, ...)
{
    if (t->out)
        WRITE(t->out->problem, format);
    else
        WRITE(t->prediction->problem, format);
}

void htmt_task_flops(struct htmt_task *t, double flops)
{
    *(t->out ? &t->out->flops : &t->prediction->flops) = flops;
}

void htmt_task_precision(struct htmt_task *t, const char *type)
{
    if (t->out)
        snprintf(t->out->precision, sizeof t->out->precision, "%s", type);
}

void htmt_task_kernel_set(struct htmt_task *t, const char *name)
{
    if (t->out)
        snprintf(t->out->kernel_set, sizeof t->out->kernel_set, "%s", name);
}

void htmt_task_expected(struct htmt_task *t, double seconds)
{
    if (t->out)
        t->out->expected_s = seconds;
}

static void note(struct htmt_outcome *o, unsigned place, const char *text)
{
    if (place >= HTMT__NOTES_MAX)
        snprintf(o->notes[HTMT__NOTES_MAX], sizeof o->notes[0],
                 "%u more notes, for which there is no room", ++o->notes_left_out);
    else
        snprintf(o->notes[place], sizeof o->notes[place], "%s", text);
}

void htmt_task_note(struct htmt_task *t, const char *format, ...)
{
    char text[sizeof t->out->notes[0]];
    WRITE(text, format);
    if (!t->out)
        return;
    unsigned place = HTMT__NOTES_MAX; /* behind the last note that is there */
    while (place && !t->out->notes[place - 1][0])
        place--;
    note(t->out, place, text);
}

void htmt_task_note_at(struct htmt_task *t, unsigned place, const char *format, ...)
{
    char text[sizeof t->out->notes[0]];
    WRITE(text, format);
    if (t->out)
        note(t->out, place, text);
}

static void find(struct htmt_task *t, const char *name, double value, const char *text,
                 const char *unit)
{
    struct htmt_outcome *o = t->out;
    if (!o)
        return;
    if (o->found_count == HTMT__FOUND_MAX) {
        char more[100];
        snprintf(more, sizeof more, "%u more figures were found, for which there is no room",
                 ++o->found_left_out);
        htmt__warn_again(t->warnings, "found", more);
        return;
    }
    struct htmt_found *f = &o->found[o->found_count++];
    snprintf(f->name, sizeof f->name, "%s", name);
    snprintf(f->text, sizeof f->text, "%s", text);
    snprintf(f->unit, sizeof f->unit, "%s", unit);
    f->value = value;
}

void htmt_task_found(struct htmt_task *t, const char *name, double value, const char *unit)
{
    find(t, name, value, "", unit);
}

/* UTF-8 stays whole: bytes 10xxxxxx continue a character. */
void htmt_task_found_text(struct htmt_task *t, const char *name, const char *text)
{
    size_t length = strlen(text), room = sizeof t->out->found->text - 1;
    const char *from = length > room ? text + length - room : text;
    while (((unsigned char)*from & 0xc0) == 0x80)
        from++;
    find(t, name, 0, from, "text");
}

void htmt_task_checked(struct htmt_task *t, const char *name, double value, double tolerance,
                       bool correct)
{
    struct htmt_outcome *o = t->out;
    if (!o)
        return;
    snprintf(o->check.name, sizeof o->check.name, "%s", name);
    o->check.value = value;
    o->check.tolerance = tolerance;
    o->correct = correct;
}

void htmt_task_unchecked(struct htmt_task *t, const char *format, ...)
{
    if (!t->out)
        return;
    WRITE(t->out->unchecked, format);
    t->out->correct = -1;
}

void htmt_task_compare(struct htmt_task *t, const double *found, const double *wanted,
                       uint64_t count, double tolerance)
{
    double error = 0;
    for (uint64_t i = 0; i < count; i++) {
        double difference = fabs(found[i] - wanted[i]);
        if (!(difference <= error)) /* nor of no number, which then stays */
            error = isnan(error) ? error : difference;
    }
    htmt_task_checked(t, "error", error, tolerance, error <= tolerance);
}

void htmt_task_closed_form(struct htmt_task *t, htmt_wide total, const char *name, ...)
{
    struct htmt_outcome *o = t->out;
    if (!o)
        return;
    o->closed_form_s = 1e-15 * (double)total;
    WRITE(o->closed_form_name, name);
}

void htmt_task_closed_form_causes(struct htmt_task *t, const htmt_wide causes[HTMT_PATH_CAUSES])
{
    if (t->out)
        memcpy(t->out->closed_form, causes, sizeof t->out->closed_form);
}

/* ---- what a prediction says ----------------------------------------------------------------- */

void htmt_prediction_total_fs(struct htmt_prediction *p, htmt_wide fs)
{
    p->total_s = 1e-15 * (double)fs;
    p->total_fs = fs <= INT64_MAX ? (int64_t)fs : INT64_MAX;
}

void htmt_prediction_total(struct htmt_prediction *p, double seconds)
{
    p->total_s = seconds;
    p->total_fs = INT64_MAX;
}

void htmt_prediction_flops(struct htmt_prediction *p, double flops)
{
    p->flops = flops;
}

void htmt_prediction_part(struct htmt_prediction *p, enum htmt_part part, double seconds,
                          const char *name)
{
    const size_t n = strnlen(name, sizeof p->part[part].name - 1);
    p->part[part].s = seconds;
    memcpy(p->part[part].name, name, n);
    p->part[part].name[n] = '\0';
}

void htmt_prediction_parts(struct htmt_prediction *p, double compute, double network,
                           const char *const names[HTMT_PARTS])
{
    const double total = p->total_s;
    compute = compute < total ? compute : total;
    network = network < total - compute ? network : total - compute;
    htmt_prediction_part(p, HTMT_PART_COMPUTE, compute, names[HTMT_PART_COMPUTE]);
    htmt_prediction_part(p, HTMT_PART_MEMORY, total - compute - network, names[HTMT_PART_MEMORY]);
    htmt_prediction_part(p, HTMT_PART_NETWORK, network, names[HTMT_PART_NETWORK]);
}

void htmt_prediction_problem(struct htmt_prediction *p, const char *format, ...)
{
    WRITE(p->problem, format);
}

void htmt_prediction_term(struct htmt_prediction *p, const struct htmt_term *term)
{
    char text[100];
    if (p->count < HTMT__TERMS_MAX) {
        p->term[p->count++] = *term;
        return;
    }
    snprintf(text, sizeof text, "%u more terms of the closed form, for which there is no room",
             ++p->left_out);
    htmt__warn_again(&p->warnings, "terms", text);
}

unsigned htmt_prediction_count(const struct htmt_prediction *p)
{
    return p->count;
}

struct htmt_term *htmt_prediction_term_at(struct htmt_prediction *p, unsigned index)
{
    return index < p->count ? &p->term[index] : NULL;
}
