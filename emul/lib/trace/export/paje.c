/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The Paje format: a header that defines the events, then types and containers, then events in the
 * order of time. A container is made when it is first used.
 *
 * Paje's links want both ends in the order of time, and who sets something off is known when that
 * begins: both ends of a link are there, at the rows of the cause and of what it set off.
 *
 * States of a container are a stack, pushed and popped, which intervals that overlap are not: of 0
 * to 10 and 5 to 15 the first pop would end the second one. So each lane of a row is a container of
 * its own (emul/lib/trace/lane_layout.c): in a lane an interval begins when the one before it has
 * ended, and the stack has one state at most.
 */
#include "emul/lib/trace/export/frame.h"

#include <inttypes.h>

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

/* ---- header ---------------------------------------------------------------------------------- */

/* A text in quotes; the format has no way to write a quote. */
static void put_quoted(const struct htmt__export *x, const char *text)
{
    putc_unlocked('"', x->out);
    for (; *text; text++)
        putc_unlocked(*text == '"' ? '\'' : *text, x->out);
    putc_unlocked('"', x->out);
}

static void define_value(const struct htmt__export *x, const char *alias, uint64_t number,
                         const char *name)
{
    fprintf(x->out, "%d %s%" PRIu64 " T ", DEFINE_VALUE, alias, number);
    put_quoted(x, name);
    putc_unlocked('\n', x->out);
}

static void write_head(struct htmt__export *x)
{
    const struct htmt_trace_info *info = x->info;
    char text[1000];
    for (unsigned i = 0; i < EVENTS; i++) {
        fprintf(x->out, "%%EventDef %s %u\n", definition[i].name, i);
        for (unsigned f = 0; definition[i].field[f]; f++)
            fprintf(x->out, "%%  %s\n", definition[i].field[f]);
        fputs("%EndEventDef\n", x->out);
    }
    fprintf(x->out,
            "%d M 0 Machine\n%d S M Slice\n%d R S Row\n%d L R Lane\n%d T L State\n"
            "%d W R \"Words used\"\n%d C R \"Channels in use\"\n%d H M R R \"Hand-off\"\n",
            DEFINE_CONTAINER, DEFINE_CONTAINER, DEFINE_CONTAINER, DEFINE_CONTAINER, DEFINE_STATE,
            DEFINE_VARIABLE, DEFINE_VARIABLE, DEFINE_LINK);
    for (uint32_t i = 0; i < info->steps; i++) {
        define_value(x, "s", i, htmt__label_step(info, i, false).s);
        define_value(x, "w", i, htmt__label_step(info, i, true).s);
    }
    for (uint32_t i = 0; i < info->sections; i++)
        define_value(x, "c", i, htmt__label_of(info->section[i]).s);
    fprintf(x->out, "%d h H \"sets off\"\n", DEFINE_VALUE);
    snprintf(text, sizeof text, "%s on %s: times in %s of virtual time%s%s", info->app,
             info->machine, x->unit == HTMT__EXPORT_FS ? "fs" : "ps, rounded,",
             info->fault ? "; INCOMPLETE: " : "", info->fault ? info->fault : "");
    fprintf(x->out, "%d 0 m M 0 ", CREATE_CONTAINER);
    put_quoted(x, htmt__label_of(text).s);
    putc_unlocked('\n', x->out);
}

/* ---- containers ------------------------------------------------------------------------------ */

/* When that is; an instant before the begin of time counts as the begin. */
static int64_t date(struct htmt__export *x, htmt_time at)
{
    x->last = at > x->last ? at : x->last;
    return htmt__export_time(x->unit, at > 0 ? at : 0);
}

static struct htmt__declared *declare_row(struct htmt__export *x, htmt_time at, uint32_t slice,
                                          uint32_t row)
{
    struct htmt__declared *d = htmt__export_row(x, slice, row);
    char name[200];
    if (!x->slice[slice])
        fprintf(x->out, "%d %" PRId64 " s%u S m \"%s\"\n", CREATE_CONTAINER, date(x, at), slice,
                htmt__label_slice(x->info, slice).s);
    x->slice[slice] = true;
    if (d->row)
        return d;
    d->row = true;
    snprintf(name, sizeof name, "slice %u %s", slice, x->rows->row[row].name);
    fprintf(x->out, "%d %" PRId64 " r%u_%u R s%u ", CREATE_CONTAINER, date(x, at), slice, row,
            slice);
    put_quoted(x, htmt__label_of(name).s);
    putc_unlocked('\n', x->out);
    return d;
}

static void declare_lane(struct htmt__export *x, const struct htmt__order_event *e, bool wait)
{
    struct htmt__declared *d = declare_row(x, e->at, e->slice, e->row);
    for (; d->lanes[wait] <= e->lane; d->lanes[wait]++) {
        char name[200];
        snprintf(name, sizeof name, "slice %u %s %s %u", e->slice, x->rows->row[e->row].name,
                 wait ? "waits" : "lane", d->lanes[wait]);
        fprintf(x->out, "%d %" PRId64 " l%u_%u_%d_%u L r%u_%u ", CREATE_CONTAINER, date(x, e->at),
                e->slice, e->row, wait, d->lanes[wait], e->slice, e->row);
        put_quoted(x, htmt__label_of(name).s);
        putc_unlocked('\n', x->out);
    }
}

/* A unit after the end: pj_dump leaves out what begins when its container ends. */
static void write_tail(struct htmt__export *x)
{
    x->last = x->info->end > x->last ? x->info->end : x->last;
    x->last += x->unit == HTMT__EXPORT_FS ? 1 : 1000;
    const int64_t at = date(x, x->last);
    for (uint32_t s = 0; s < htmt__order_slices(x->order); s++) {
        for (uint32_t r = 0; r < x->rows->count; r++) {
            const struct htmt__declared *d = htmt__export_row(x, s, r);
            for (int wait = 0; wait < 2; wait++)
                for (uint32_t i = 0; i < d->lanes[wait]; i++)
                    fprintf(x->out, "%d %" PRId64 " L l%u_%u_%d_%u\n", DESTROY_CONTAINER, at, s, r,
                            wait, i);
            if (d->row)
                fprintf(x->out, "%d %" PRId64 " R r%u_%u\n", DESTROY_CONTAINER, at, s, r);
        }
        if (x->slice[s])
            fprintf(x->out, "%d %" PRId64 " S s%u\n", DESTROY_CONTAINER, at, s);
    }
    fprintf(x->out, "%d %" PRId64 " M m\n", DESTROY_CONTAINER, at);
}

/* ---- events ---------------------------------------------------------------------------------- */

static void set_variable(struct htmt__export *x, const struct htmt__order_event *e,
                         const char *type, uint64_t value)
{
    declare_row(x, e->at, e->slice, e->row);
    fprintf(x->out, "%d %" PRId64 " %s r%u_%u %" PRIu64 "\n", SET_VARIABLE, date(x, e->at), type,
            e->slice, e->row, value);
}

static void pop(struct htmt__export *x, const struct htmt__order_event *e)
{
    fprintf(x->out, "%d %" PRId64 " T l%u_%u_%d_%u\n", POP_STATE, date(x, e->at), e->slice, e->row,
            e->kind == HTMT__SPAN_WAIT, e->lane);
}

static int begin(struct htmt__export *x, const struct htmt__order_event *e,
                 struct htmt_fault *fault)
{
    bool section = e->kind == HTMT__SPAN_SECTION, wait = e->kind == HTMT__SPAN_WAIT;
    bool named = section && e->span.serial < x->info->sections;
    struct htmt_trace_interval cause;
    bool is = false;
    declare_lane(x, e, wait);
    fprintf(x->out, "%d %" PRId64 " T l%u_%u_%d_%u %s%" PRIu64 " %u:%" PRIu64 " %u:%" PRIu64 "\n",
            PUSH_STATE, date(x, e->at), e->slice, e->row, wait, e->lane,
            named  ? "c"
            : wait ? "w"
                   : "s",
            named ? e->span.serial : e->span.step, htmt_trace_ref_slice(e->span.serial),
            htmt_trace_ref_number(e->span.serial), htmt_trace_ref_slice(e->span.ref),
            htmt_trace_ref_number(e->span.ref));
    if (!section && e->span.end <= e->span.begin)
        pop(x, e);
    else if (htmt__export_counts(x, e))
        set_variable(x, e, "C", e->busy);
    int rc = htmt__export_hand_off(x, e, &cause, &is, fault);
    if (rc || !is)
        return rc;
    uint32_t from = htmt_trace_ref_slice(e->span.cause), row = x->rows->of_step[cause.step];
    declare_row(x, e->at, from, row);
    fprintf(x->out, "%d %" PRId64 " H m r%u_%u h %" PRIx64 "\n", START_LINK, date(x, e->at), from,
            row, e->span.ref);
    fprintf(x->out, "%d %" PRId64 " H m r%u_%u h %" PRIx64 "\n", END_LINK, date(x, e->at), e->slice,
            e->row, e->span.ref);
    return 0;
}

static void end(struct htmt__export *x, const struct htmt__order_event *e)
{
    pop(x, e);
    if (htmt__export_counts(x, e))
        set_variable(x, e, "C", e->busy);
}

static void fill(struct htmt__export *x, const struct htmt__order_event *e)
{
    set_variable(x, e, "W", e->span.serial);
}

int htmt__export_paje(struct htmt_trace *t, const char *path, enum htmt__export_unit unit,
                      struct htmt_fault *fault)
{
    static const struct htmt__export_format paje = {.head = write_head,
                                                    .begin = begin,
                                                    .end = end,
                                                    .fill = fill,
                                                    .tail = write_tail,
                                                    .no_memory =
                                                        "no host memory for the containers"};
    return htmt__export_timeline(t, path, unit, &paje, fault);
}
