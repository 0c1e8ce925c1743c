/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/random/outcome.h"

#include "tests/random/draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- events ---------------------------------------------------------------------------------- */

void events_keep(void *events, const struct htmt_event *event)
{
    struct events *l = events;
    if (l->count == l->room) {
        l->room = l->room ? 2 * l->room : 1024;
        l->event = realloc(l->event, l->room * sizeof *l->event);
        if (!l->event)
            exit(4);
    }
    l->event[l->count++] = *event;
}

void events_clear(struct events *events)
{
    free(events->event);
    *events = (struct events){0};
}

static uint64_t events_order(const struct events *l)
{
    uint64_t h = 1;
    for (size_t i = 0; i < l->count; i++) {
        const struct htmt_event *v = &l->event[i];
        h = mix(mix(h, (uint64_t)v->time), (uint64_t)v->resource << 32 | v->slice);
        h = mix(mix(mix(h, v->serial), v->stage), v->words);
    }
    return h;
}

static int by_slice(const void *a, const void *b)
{
    const struct htmt_event *x = a, *y = b;
    return (x->slice > y->slice) - (x->slice < y->slice);
}

static bool same_event(const struct htmt_event *a, const struct htmt_event *b)
{
    return a->time == b->time && a->resource == b->resource && a->slice == b->slice &&
           a->serial == b->serial && a->stage == b->stage && a->words == b->words;
}

static void print_event(const struct events *l, size_t i, FILE *out)
{
    if (i >= l->count) {
        fprintf(out, "    no more events\n");
        return;
    }
    const struct htmt_event *v = &l->event[i];
    fprintf(out,
            "    %" PRId64 " fs, resource %u, slice %u, parcel %" PRIu64 " of slice %" PRIu64
            ", %s, %" PRIu64 " words\n",
            v->time, v->resource, v->slice, v->serial & ((UINT64_C(1) << 40) - 1), v->serial >> 40,
            htmt_stage_name((enum htmt_stage_id)v->stage), v->words);
}

/* glibc's qsort() of records that fit the memory is a stable merge sort. */
void events_difference(struct events *a, struct events *b, bool sorted, FILE *out)
{
    size_t i = 0;
    if (sorted && a->count && b->count) {
        qsort(a->event, a->count, sizeof *a->event, by_slice);
        qsort(b->event, b->count, sizeof *b->event, by_slice);
    }
    while (i < a->count && i < b->count && same_event(&a->event[i], &b->event[i]))
        i++;
    fprintf(out, "  %s: event %zu\n",
            i < a->count || i < b->count ? "the first that differs" : "no event differs", i);
    print_event(a, i, out);
    print_event(b, i, out);
}

/* ---- figures --------------------------------------------------------------------------------- */

/* The end of a line: wide numbers, in hexadecimal. */
static void end_line(FILE *f, unsigned count, const htmt_uwide *value)
{
    for (unsigned i = 0; i < count; i++)
        fprintf(f, " %" PRIx64 ".%016" PRIx64, (uint64_t)(value[i] >> 64), (uint64_t)value[i]);
    fputc('\n', f);
}
#define END_LINE(f, ...)                                                                           \
    end_line((f), sizeof((htmt_uwide[]){__VA_ARGS__}) / sizeof(htmt_uwide),                        \
             (htmt_uwide[]){__VA_ARGS__})

static char *print_figures(const struct htmt_emulator *e)
{
    struct htmt_resource_report r;
    struct htmt_memory_report m;
    struct htmt_phase_report s;
    struct htmt_section_report part;
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    for (uint32_t i = 0; htmt_resource_at(e, i, &r) == 0; i++) {
        fprintf(f, "resource %s: count %u served %" PRIu64 " words %" PRIu64 " queue %" PRIu64,
                r.name, r.count, r.served, r.words, r.max_queue);
        END_LINE(f, (htmt_uwide)r.busy, (htmt_uwide)r.waited, (htmt_uwide)r.queue_integral);
    }
    for (uint32_t l = 0; htmt_memory_at(e, l, &m) == 0; l++) {
        fprintf(f, "memory %s: peak %" PRIu64 " resident %" PRIu64 " queue %" PRIu64, m.name,
                m.peak, m.resident, m.max_queue);
        END_LINE(f, (htmt_uwide)m.stalled, (htmt_uwide)m.queue_integral, m.taken, m.given);
    }
    for (uint32_t i = 0; i < htmt_phase_count(e) && htmt_phase_at(e, i, &s) == 0; i++) {
        fprintf(f,
                "phase %s %s: resource %u count %" PRIu64 " longest %" PRId64 " first %" PRId64
                " last %" PRId64 "",
                s.type, htmt_stage_name(s.stage), s.resource, s.count, s.longest, s.first, s.last);
        for (int k = 0; k < HTMT_OP_CLASSES; k++)
            fprintf(f, " %" PRIx64 ".%016" PRIx64, (uint64_t)(s.ops[k] >> 64), (uint64_t)s.ops[k]);
        END_LINE(f, s.words, (htmt_uwide)s.busy, (htmt_uwide)s.waited, (htmt_uwide)s.stalled);
    }
    for (uint32_t i = 0; i < htmt_section_count(e) && htmt_section_at(e, i, &part) == 0; i++) {
        fprintf(f, "section %s:", part.name);
        END_LINE(f, (htmt_uwide)part.busy, (htmt_uwide)part.waited, (htmt_uwide)part.stalled,
                 (htmt_uwide)part.time);
    }
    fclose(f);
    return text;
}

static char *print_ports(const struct htmt_emulator *e)
{
    struct htmt_port_report r;
    struct htmt_routing_report p;
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "packets: %016" PRIx64 "\n", htmt_network_history(e));
    for (uint32_t n = 0; n < htmt_emulator_machine(e)->network_count; n++)
        for (uint32_t i = 0; htmt_port_at(e, n, i, &r) == 0; i++) {
            fprintf(f,
                    "port %u %s, plane %u: packets %" PRIu64 " bytes %" PRIu64
                    " contentions %" PRIu64 " queue %" PRIu64,
                    r.network, r.name, r.plane, r.packets, r.bytes, r.contentions, r.max_queue);
            END_LINE(f, (htmt_uwide)r.busy, (htmt_uwide)r.blocked, (htmt_uwide)r.waiting, r.queued);
        }
    for (uint32_t l = 0; l < htmt_emulator_machine(e)->layer_count; l++)
        if (htmt_routing_at(e, l, &p) == 0) {
            fprintf(f, "routing %s: packets %" PRIu64, p.name, p.packets);
            END_LINE(f, (htmt_uwide)p.route, (htmt_uwide)p.copy, (htmt_uwide)p.put_off,
                     (htmt_uwide)p.busy);
        }
    fclose(f);
    return text;
}

static char *print_rest(const struct htmt_emulator *e, int code)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    for (uint32_t i = 0; i < htmt_note_count(e) && !code; i++)
        fprintf(f, "note: %s\n", htmt_note_at(e, i));
    if (code == HTMT_EDEADLOCK)
        htmt_deadlock_print(e, f);
    fclose(f);
    return text;
}

/* ---- outcomes ---------------------------------------------------------------------------------
 */

void outcome_take(struct outcome *o, const struct program *p, int code)
{
    const struct htmt_emulator *e = program_emulator(p);
    const struct events *seen = htmt_emulator_options(e)->user;
    struct htmt_host_report host;
    struct htmt_fault fault = {0};
    struct htmt_clock_report clock;
    htmt_host_report(e, &host);
    htmt_clock_report(e, &clock);
    if (code == 0 && htmt_audit(e, &fault))
        code = HTMT_EAUDIT;
    *o = (struct outcome){.code = code,
                          .predicted = htmt_predicted(e),
                          .hash = htmt_history_hash(e),
                          .events = htmt_event_count(e),
                          .parcels = htmt_parcel_count(e),
                          .jobs = host.jobs,
                          .windows = clock.windows,
                          .order = seen ? events_order(seen) : 0,
                          .bytes = code ? 0 : program_bytes(p),
                          .kept = code ? 0 : program_kept(p),
                          .figures = print_figures(e),
                          .ports = print_ports(e),
                          .rest = print_rest(e, code)};
    memcpy(o->text, code == HTMT_EAUDIT ? fault.text : htmt_emulator_fault(e)->text,
           sizeof o->text);
}

void outcome_clear(struct outcome *o)
{
    free(o->figures);
    free(o->ports);
    free(o->rest);
    *o = (struct outcome){0};
}

/* ---- counts ---------------------------------------------------------------------------------- */

static enum tally_of end_of(int code)
{
    static const struct {
        int code;
        enum tally_of end;
    } ends[] = {{0, END_COMPLETE},
                {HTMT_EDEADLOCK, END_DEADLOCK},
                {HTMT_ELIVELOCK, END_LIVELOCK},
                {HTMT_ECAPACITY, END_CAPACITY},
                {HTMT_EOVERFLOW, END_OVERFLOW},
                {HTMT_EWRONG, END_PROGRAM}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends[i].code == code)
            return ends[i].end;
    return END_OTHER;
}

void outcome_count(const struct outcome *o, const struct program *p, struct tally *sum)
{
    const struct htmt_emulator *e = program_emulator(p);
    const struct events *seen = htmt_emulator_options(e)->user;
    struct htmt_resource_report r;
    struct htmt_memory_report m;
    sum->n[end_of(o->code)]++;
    sum->n[END_LEFT] += htmt_note_count(e) > 0;
    sum->n[MAIL_WAIT] += o->code == HTMT_EDEADLOCK && strstr(o->rest, "in mailbox");
    sum->n[SUM_EVENTS] += o->code == HTMT_ELIVELOCK ? 0 : o->events;
    sum->n[SUM_PARCELS] += o->parcels;
    for (size_t i = 1; seen && o->code != HTMT_ELIVELOCK && i < seen->count; i++)
        sum->n[SUM_TIES] += seen->event[i].time == seen->event[i - 1].time;
    for (uint32_t i = 0; htmt_resource_at(e, i, &r) == 0; i++)
        sum->n[SUM_QUEUED] += r.max_queue > 0;
    for (uint32_t l = 0; htmt_memory_at(e, l, &m) == 0; l++)
        sum->n[SUM_STALLED] += m.max_queue > 0;
}

/* ---- comparison -------------------------------------------------------------------------------
 */

static bool same_number(const char *what, uint64_t a, uint64_t b, FILE *out)
{
    if (a != b)
        fprintf(out, "  %s: %" PRIu64 " and %" PRIu64 "\n", what, a, b);
    return a == b;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Line by line; `sorted`: in any order. */
static bool same_figures(const char *a, const char *b, bool sorted, FILE *out)
{
    const char *const whole[2] = {a, b};
    char *text[2], **line[2];
    size_t count[2] = {0}, i = 0;
    if (strcmp(a, b) == 0)
        return true;
    for (int k = 0; k < 2; k++) {
        char *rest = NULL;
        text[k] = strdup(whole[k]);
        line[k] = calloc(strlen(whole[k]) + 1, sizeof *line[k]);
        if (!text[k] || !line[k])
            exit(4);
        for (char *at = strtok_r(text[k], "\n", &rest); at; at = strtok_r(NULL, "\n", &rest))
            line[k][count[k]++] = at;
        if (sorted)
            qsort(line[k], count[k], sizeof *line[k], by_text);
    }
    while (i < count[0] && i < count[1] && strcmp(line[0][i], line[1][i]) == 0)
        i++;
    const bool same = i == count[0] && i == count[1];
    for (int k = 0; k < 2 && !same; k++)
        fprintf(out, "  %s\n", i < count[k] ? line[k][i] : "no more figures");
    for (int k = 0; k < 2; k++) {
        free(line[k]);
        free(text[k]);
    }
    return same;
}

/* A deadlock's line says how many parcels wait, of slice 0 alone where it stands for all. */
static bool same_end(const struct outcome *a, const struct outcome *b, const struct likeness *l,
                     FILE *out)
{
    bool any_line = l->folded && a->code == HTMT_EDEADLOCK;
    if (a->code == b->code && (any_line || strcmp(a->text, b->text) == 0))
        return true;
    fprintf(out, "  %s %s\n  %s %s\n", htmt_err_name(a->code), a->text, htmt_err_name(b->code),
            b->text);
    return false;
}

/* Of a run that failed in the middle only code and line are determined. A checked run that left
 * something over, or has accesses that nothing orders, as random programs have, ends with an error,
 * and without notes. */
bool outcome_same(const struct outcome *a, const struct outcome *b, const struct likeness *l,
                  FILE *out)
{
    bool left = l->checked && a->code == 0 &&
                (b->code == HTMT_EORDER || (b->code == HTMT_ELEFT && strstr(a->rest, "note: ")));
    bool lost = l->ranks && a->code == HTMT_EDEADLOCK;
    bool ordered = !l->sorted && a->order && b->order;
    if (!left && !same_end(a, b, l, out))
        return false;
    if (a->code && a->code != HTMT_EDEADLOCK)
        return true;
    return same_number("predicted time (fs)", (uint64_t)a->predicted, (uint64_t)b->predicted,
                       out) &&
           same_number("parcels", a->parcels, b->parcels, out) &&
           (l->folded || (same_number("history", a->hash, b->hash, out) &&
                          same_number("events", a->events, b->events, out) &&
                          (!ordered || same_number("order of events", a->order, b->order, out)))) &&
           same_figures(a->figures, b->figures, l->sorted, out) &&
           (l->folded || same_figures(a->ports, b->ports, false, out)) &&
           (l->folded || left || lost || same_figures(a->rest, b->rest, l->sorted, out)) &&
           (!a->bytes || !b->bytes || same_number("bytes", a->bytes, b->bytes, out)) &&
           (!a->kept || !b->kept || same_number("what is kept", a->kept, b->kept, out));
}
