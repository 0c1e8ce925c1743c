/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The Paje format: a header that defines the events, then types and containers, then events in the
 * order of time. A container is made when it is first used.
 *
 * Paje's links want both ends in the order of time, and who sets something off is known when that
 * begins: both ends of a link are there, at the rows of the cause and of what it set off.
 */
#include "emul/lib/trace/cache.h"
#include "emul/lib/trace/export/export.h"
#include "emul/lib/trace/export/labels.h"
#include "emul/lib/trace/export/order.h"
#include "runtime/base/whole_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Numbers of the events in the header. */
enum {
    DEFINE_CONTAINER,
    DEFINE_STATE,
    DEFINE_VARIABLE,
    DEFINE_LINK,
    DEFINE_VALUE,
    CREATE_CONTAINER,
    DESTROY_CONTAINER,
    PUSH_STATE,
    POP_STATE,
    SET_VARIABLE,
    START_LINK,
    END_LINK,
    EVENTS
};

static const struct {
    const char *name;
    const char *field[8]; /* "name type"; ends with NULL */
} definition[EVENTS] = {
    {"PajeDefineContainerType", {"Alias string", "Type string", "Name string"}},
    {"PajeDefineStateType", {"Alias string", "Type string", "Name string"}},
    {"PajeDefineVariableType", {"Alias string", "Type string", "Name string"}},
    {"PajeDefineLinkType",
     {"Alias string", "Type string", "StartContainerType string", "EndContainerType string",
      "Name string"}},
    {"PajeDefineEntityValue", {"Alias string", "Type string", "Name string"}},
    {"PajeCreateContainer",
     {"Time date", "Alias string", "Type string", "Container string", "Name string"}},
    {"PajeDestroyContainer", {"Time date", "Type string", "Name string"}},
    {"PajePushState",
     {"Time date", "Type string", "Container string", "Value string", "Parcel string",
      "Interval string"}},
    {"PajePopState", {"Time date", "Type string", "Container string"}},
    {"PajeSetVariable", {"Time date", "Type string", "Container string", "Value double"}},
    {"PajeStartLink",
     {"Time date", "Type string", "Container string", "StartContainer string", "Value string",
      "Key string"}},
    {"PajeEndLink",
     {"Time date", "Type string", "Container string", "EndContainer string", "Value string",
      "Key string"}},
};

struct declared {
    uint32_t lanes[2]; /* of services and waits */
    bool row;
};

struct paje {
    const struct htmt_trace_info *info;
    enum htmt__export_unit unit;
    FILE *out;
    struct htmt__order *order;
    const struct htmt__rows *rows;
    struct htmt__trace_cache *cache;
    struct declared *declared; /* of each slice and row */
    bool *slice;
    htmt_time last; /* of all events */
};

/* ---- header ---------------------------------------------------------------------------------- */

static void write_definitions(const struct paje *p)
{
    for (unsigned i = 0; i < EVENTS; i++) {
        fprintf(p->out, "%%EventDef %s %u\n", definition[i].name, i);
        for (unsigned f = 0; definition[i].field[f]; f++)
            fprintf(p->out, "%%  %s\n", definition[i].field[f]);
        fputs("%EndEventDef\n", p->out);
    }
}

/* A text in quotes; the format has no way to write a quote. */
static void put_quoted(const struct paje *p, const char *text)
{
    putc_unlocked('"', p->out);
    for (; *text; text++)
        putc_unlocked(*text == '"' ? '\'' : *text, p->out);
    putc_unlocked('"', p->out);
}

static void define_value(const struct paje *p, const char *alias, uint64_t number, const char *name)
{
    fprintf(p->out, "%d %s%" PRIu64 " T ", DEFINE_VALUE, alias, number);
    put_quoted(p, name);
    putc_unlocked('\n', p->out);
}

static void define_values(const struct paje *p)
{
    for (uint32_t i = 0; i < p->info->steps; i++) {
        define_value(p, "s", i, htmt__label_step(p->info, i, false).s);
        define_value(p, "w", i, htmt__label_step(p->info, i, true).s);
    }
    for (uint32_t i = 0; i < p->info->sections; i++)
        define_value(p, "c", i, htmt__label_of(p->info->section[i]).s);
    fprintf(p->out, "%d h H \"sets off\"\n", DEFINE_VALUE);
}

static void write_types(const struct paje *p)
{
    fprintf(p->out,
            "%d M 0 Machine\n%d S M Slice\n%d R S Row\n%d L R Lane\n%d T L State\n"
            "%d W R \"Words used\"\n%d C R \"Channels in use\"\n%d H M R R \"Hand-off\"\n",
            DEFINE_CONTAINER, DEFINE_CONTAINER, DEFINE_CONTAINER, DEFINE_CONTAINER, DEFINE_STATE,
            DEFINE_VARIABLE, DEFINE_VARIABLE, DEFINE_LINK);
    define_values(p);
}

static void write_root(const struct paje *p)
{
    const struct htmt_trace_info *i = p->info;
    char text[1000];
    snprintf(text, sizeof text, "%s on %s: times in %s of virtual time%s%s", i->app, i->machine,
             p->unit == HTMT__EXPORT_FS ? "fs" : "ps, rounded,", i->fault ? "; INCOMPLETE: " : "",
             i->fault ? i->fault : "");
    fprintf(p->out, "%d 0 m M 0 ", CREATE_CONTAINER);
    put_quoted(p, htmt__label_of(text).s);
    putc_unlocked('\n', p->out);
}

/* ---- containers ------------------------------------------------------------------------------ */

/* When that is; an instant before the begin of time counts as the begin. */
static int64_t date(struct paje *p, htmt_time at)
{
    p->last = at > p->last ? at : p->last;
    return htmt__export_time(p->unit, at > 0 ? at : 0);
}

static struct declared *declare_row(struct paje *p, htmt_time at, uint32_t slice, uint32_t row)
{
    struct declared *d = &p->declared[(size_t)slice * p->rows->count + row];
    char name[200];
    if (!p->slice[slice])
        fprintf(p->out, "%d %" PRId64 " s%u S m \"%s\"\n", CREATE_CONTAINER, date(p, at), slice,
                htmt__label_slice(p->info, slice).s);
    p->slice[slice] = true;
    if (d->row)
        return d;
    d->row = true;
    snprintf(name, sizeof name, "slice %u %s", slice, p->rows->row[row].name);
    fprintf(p->out, "%d %" PRId64 " r%u_%u R s%u ", CREATE_CONTAINER, date(p, at), slice, row,
            slice);
    put_quoted(p, htmt__label_of(name).s);
    putc_unlocked('\n', p->out);
    return d;
}

static void declare_lane(struct paje *p, const struct htmt__order_event *e, bool wait)
{
    struct declared *d = declare_row(p, e->at, e->slice, e->row);
    for (; d->lanes[wait] <= e->lane; d->lanes[wait]++) {
        char name[200];
        snprintf(name, sizeof name, "slice %u %s %s %u", e->slice, p->rows->row[e->row].name,
                 wait ? "waits" : "lane", d->lanes[wait]);
        fprintf(p->out, "%d %" PRId64 " l%u_%u_%d_%u L r%u_%u ", CREATE_CONTAINER, date(p, e->at),
                e->slice, e->row, wait, d->lanes[wait], e->slice, e->row);
        put_quoted(p, htmt__label_of(name).s);
        putc_unlocked('\n', p->out);
    }
}

static void destroy_row(struct paje *p, uint32_t slice, uint32_t row)
{
    const struct declared *d = &p->declared[(size_t)slice * p->rows->count + row];
    for (int wait = 0; wait < 2; wait++)
        for (uint32_t i = 0; i < d->lanes[wait]; i++)
            fprintf(p->out, "%d %" PRId64 " L l%u_%u_%d_%u\n", DESTROY_CONTAINER, date(p, p->last),
                    slice, row, wait, i);
    if (d->row)
        fprintf(p->out, "%d %" PRId64 " R r%u_%u\n", DESTROY_CONTAINER, date(p, p->last), slice,
                row);
}

/* A unit after the end: pj_dump leaves out what begins when its container ends. */
static void destroy_all(struct paje *p)
{
    p->last = p->info->end > p->last ? p->info->end : p->last;
    p->last += p->unit == HTMT__EXPORT_FS ? 1 : 1000;
    for (uint32_t s = 0; s < htmt__order_slices(p->order); s++) {
        for (uint32_t r = 0; r < p->rows->count; r++)
            destroy_row(p, s, r);
        if (p->slice[s])
            fprintf(p->out, "%d %" PRId64 " S s%u\n", DESTROY_CONTAINER, date(p, p->last), s);
    }
    fprintf(p->out, "%d %" PRId64 " M m\n", DESTROY_CONTAINER, date(p, p->last));
}

/* ---- events ---------------------------------------------------------------------------------- */

static void set_variable(struct paje *p, const struct htmt__order_event *e, const char *type,
                         uint64_t value)
{
    declare_row(p, e->at, e->slice, e->row);
    fprintf(p->out, "%d %" PRId64 " %s r%u_%u %" PRIu64 "\n", SET_VARIABLE, date(p, e->at), type,
            e->slice, e->row, value);
}

static void count_link(struct paje *p, const struct htmt__order_event *e)
{
    enum htmt__row_kind kind = p->rows->row[e->row].kind;
    if (e->kind == HTMT__SPAN_SERVICE && (kind == HTMT__ROW_OUT || kind == HTMT__ROW_IN))
        set_variable(p, e, "C", e->busy);
}

static void pop(struct paje *p, const struct htmt__order_event *e)
{
    fprintf(p->out, "%d %" PRId64 " T l%u_%u_%d_%u\n", POP_STATE, date(p, e->at), e->slice, e->row,
            e->kind == HTMT__SPAN_WAIT, e->lane);
}

static void push(struct paje *p, const struct htmt__order_event *e)
{
    bool section = e->kind == HTMT__SPAN_SECTION, wait = e->kind == HTMT__SPAN_WAIT;
    bool named = section && e->span.serial < p->info->sections;
    uint64_t value = named ? e->span.serial : e->span.step;
    declare_lane(p, e, wait);
    fprintf(p->out, "%d %" PRId64 " T l%u_%u_%d_%u %s%" PRIu64 " %u:%" PRIu64 " %u:%" PRIu64 "\n",
            PUSH_STATE, date(p, e->at), e->slice, e->row, wait, e->lane,
            named  ? "c"
            : wait ? "w"
                   : "s",
            value, htmt_trace_ref_slice(e->span.serial), htmt_trace_ref_number(e->span.serial),
            htmt_trace_ref_slice(e->span.ref), htmt_trace_ref_number(e->span.ref));
}

static int hand_off(struct paje *p, const struct htmt__order_event *e, struct htmt_fault *fault)
{
    struct htmt_trace_interval cause;
    if (!e->span.first || e->kind == HTMT__SPAN_SECTION || e->span.cause == HTMT_TRACE_NONE)
        return 0;
    int rc = htmt__trace_cache_get(p->cache, e->span.cause, &cause, fault);
    if (rc || cause.serial == e->span.serial)
        return rc;
    uint32_t from = htmt_trace_ref_slice(e->span.cause), row = p->rows->of_step[cause.step];
    declare_row(p, e->at, from, row);
    fprintf(p->out, "%d %" PRId64 " H m r%u_%u h %" PRIx64 "\n", START_LINK, date(p, e->at), from,
            row, e->span.ref);
    fprintf(p->out, "%d %" PRId64 " H m r%u_%u h %" PRIx64 "\n", END_LINK, date(p, e->at), e->slice,
            e->row, e->span.ref);
    return 0;
}

static int begin(struct paje *p, const struct htmt__order_event *e, struct htmt_fault *fault)
{
    push(p, e);
    if (e->kind != HTMT__SPAN_SECTION && e->span.end <= e->span.begin)
        pop(p, e);
    else
        count_link(p, e);
    return hand_off(p, e, fault);
}

static void end(struct paje *p, const struct htmt__order_event *e)
{
    pop(p, e);
    count_link(p, e);
}

static int write_events(struct paje *p, struct htmt_fault *fault)
{
    struct htmt__order_event e;
    bool more = true;
    int rc = htmt__order_next(p->order, &e, &more, fault);
    while (!rc && more && !ferror(p->out)) {
        if (e.what == HTMT__ORDER_BEGIN)
            rc = begin(p, &e, fault);
        else if (e.what == HTMT__ORDER_END)
            end(p, &e);
        else
            set_variable(p, &e, "W", e.span.serial);
        if (!rc)
            rc = htmt__order_next(p->order, &e, &more, fault);
    }
    return rc;
}

/* ---- the file -------------------------------------------------------------------------------- */

static int prepare(struct paje *p, struct htmt_trace *t, struct htmt_fault *fault)
{
    int rc = htmt__order_create(&p->order, t, HTMT__ORDER_KEPT, fault);
    if (rc)
        return rc;
    p->rows = htmt__order_rows(p->order);
    p->declared =
        calloc((size_t)htmt__order_slices(p->order) * p->rows->count + 1, sizeof *p->declared);
    p->slice = calloc((size_t)htmt__order_slices(p->order) + 1, sizeof *p->slice);
    rc = htmt__trace_cache_create(&p->cache, t);
    return rc || !p->declared || !p->slice
               ? htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the containers")
               : 0;
}

static int write_all(struct paje *p, struct htmt_trace *t, struct htmt_fault *fault)
{
    int rc = prepare(p, t, fault);
    if (!rc) {
        write_definitions(p);
        write_types(p);
        write_root(p);
        rc = write_events(p, fault);
    }
    if (!rc)
        destroy_all(p);
    htmt__trace_cache_destroy(&p->cache);
    free(p->slice);
    free(p->declared);
    htmt__order_destroy(&p->order);
    return rc;
}

int htmt__export_paje(struct htmt_trace *t, const char *path, enum htmt__export_unit unit,
                      struct htmt_fault *fault)
{
    struct htmt_whole_file *file = NULL;
    int rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    struct paje p = {.info = htmt_trace_info(t), .unit = unit, .out = htmt_whole_file_stream(file)};
    rc = write_all(&p, t, fault);
    if (rc)
        htmt_whole_file_abandon(&file);
    return rc ? rc : htmt_whole_file_commit(&file, fault);
}
