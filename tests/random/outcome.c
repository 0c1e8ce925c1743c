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

static uint64_t events_ties(const struct events *l)
{
    uint64_t ties = 0;
    for (size_t i = 1; i < l->count; i++)
        ties += l->event[i].time == l->event[i - 1].time;
    return ties;
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

static void print_wide(FILE *f, htmt_uwide value)
{
    fprintf(f, " %" PRIx64 ".%016" PRIx64, (uint64_t)(value >> 64), (uint64_t)value);
}

static void print_resources(FILE *f, const struct htmt_emulator *e)
{
    struct htmt_resource_report r;
    for (uint32_t i = 0; htmt_resource_at(e, i, &r) == 0; i++) {
        fprintf(f, "resource %s: count %u served %" PRIu64 " words %" PRIu64 " queue %" PRIu64,
                r.name, r.count, r.served, r.words, r.max_queue);
        print_wide(f, (htmt_uwide)r.busy);
        print_wide(f, (htmt_uwide)r.waited);
        print_wide(f, (htmt_uwide)r.queue_integral);
        fputc('\n', f);
    }
}

static void print_memories(FILE *f, const struct htmt_emulator *e)
{
    struct htmt_memory_report m;
    for (uint32_t l = 0; htmt_memory_at(e, l, &m) == 0; l++) {
        fprintf(f, "memory %s: peak %" PRIu64 " resident %" PRIu64 " queue %" PRIu64, m.name,
                m.peak, m.resident, m.max_queue);
        print_wide(f, (htmt_uwide)m.stalled);
        print_wide(f, (htmt_uwide)m.queue_integral);
        print_wide(f, m.taken);
        print_wide(f, m.given);
        fputc('\n', f);
    }
}

static void print_phase(FILE *f, const struct htmt_phase_report *s)
{
    fprintf(f,
            "phase %s %s: resource %u count %" PRIu64 " longest %" PRId64 " first %" PRId64
            " last %" PRId64,
            s->type, htmt_stage_name(s->stage), s->resource, s->count, s->longest, s->first,
            s->last);
    print_wide(f, s->words);
    print_wide(f, (htmt_uwide)s->busy);
    print_wide(f, (htmt_uwide)s->waited);
    print_wide(f, (htmt_uwide)s->stalled);
    for (int k = 0; k < HTMT_OP_CLASSES; k++)
        print_wide(f, s->ops[k]);
    fputc('\n', f);
}

static void print_phases(FILE *f, const struct htmt_emulator *e)
{
    struct htmt_phase_report s;
    for (uint32_t i = 0; i < htmt_phase_count(e) && htmt_phase_at(e, i, &s) == 0; i++)
        print_phase(f, &s);
}

static void print_sections(FILE *f, const struct htmt_emulator *e)
{
    struct htmt_section_report s;
    for (uint32_t i = 0; i < htmt_section_count(e) && htmt_section_at(e, i, &s) == 0; i++) {
        fprintf(f, "section %s:", s.name);
        print_wide(f, (htmt_uwide)s.busy);
        print_wide(f, (htmt_uwide)s.waited);
        print_wide(f, (htmt_uwide)s.stalled);
        print_wide(f, (htmt_uwide)s.time);
        fputc('\n', f);
    }
}

static void print_port(FILE *f, const struct htmt_port_report *r)
{
    fprintf(f,
            "port %u %s, plane %u: packets %" PRIu64 " bytes %" PRIu64 " contentions %" PRIu64
            " queue %" PRIu64,
            r->network, r->name, r->plane, r->packets, r->bytes, r->contentions, r->max_queue);
    print_wide(f, (htmt_uwide)r->busy);
    print_wide(f, (htmt_uwide)r->blocked);
    print_wide(f, (htmt_uwide)r->waiting);
    print_wide(f, r->queued);
    fputc('\n', f);
}

static void print_routing(FILE *f, const struct htmt_routing_report *r)
{
    fprintf(f, "routing %s: packets %" PRIu64, r->name, r->packets);
    print_wide(f, (htmt_uwide)r->route);
    print_wide(f, (htmt_uwide)r->copy);
    print_wide(f, (htmt_uwide)r->put_off);
    print_wide(f, (htmt_uwide)r->busy);
    fputc('\n', f);
}

static char *print_ports(const struct htmt_emulator *e)
{
    struct htmt_port_report r;
    struct htmt_routing_report routing;
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "packets: %016" PRIx64 "\n", htmt_network_history(e));
    for (uint32_t n = 0; n < htmt_emulator_machine(e)->network_count; n++)
        for (uint32_t i = 0; htmt_port_at(e, n, i, &r) == 0; i++)
            print_port(f, &r);
    for (uint32_t l = 0; l < htmt_emulator_machine(e)->layer_count; l++)
        if (htmt_routing_at(e, l, &routing) == 0)
            print_routing(f, &routing);
    fclose(f);
    return text;
}

static char *print_figures(const struct htmt_emulator *e)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    print_resources(f, e);
    print_memories(f, e);
    print_phases(f, e);
    print_sections(f, e);
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
    switch (code) {
    case 0:
        return END_COMPLETE;
    case HTMT_EDEADLOCK:
        return END_DEADLOCK;
    case HTMT_ELIVELOCK:
        return END_LIVELOCK;
    case HTMT_ECAPACITY:
        return END_CAPACITY;
    case HTMT_EOVERFLOW:
        return END_OVERFLOW;
    case HTMT_EWRONG:
        return END_PROGRAM;
    default:
        return END_OTHER;
    }
}

static void count_queues(const struct htmt_emulator *e, struct tally *sum)
{
    struct htmt_resource_report r;
    struct htmt_memory_report m;
    for (uint32_t i = 0; htmt_resource_at(e, i, &r) == 0; i++)
        sum->n[SUM_QUEUED] += r.max_queue > 0;
    for (uint32_t l = 0; htmt_memory_at(e, l, &m) == 0; l++)
        sum->n[SUM_STALLED] += m.max_queue > 0;
}

void outcome_count(const struct outcome *o, const struct program *p, struct tally *sum)
{
    const struct htmt_emulator *e = program_emulator(p);
    const struct events *seen = htmt_emulator_options(e)->user;
    sum->n[end_of(o->code)]++;
    sum->n[END_LEFT] += htmt_note_count(e) > 0;
    sum->n[MAIL_WAIT] += o->code == HTMT_EDEADLOCK && strstr(o->rest, "in mailbox");
    sum->n[SUM_EVENTS] += o->code == HTMT_ELIVELOCK ? 0 : o->events;
    sum->n[SUM_PARCELS] += o->parcels;
    sum->n[SUM_TIES] += seen && o->code != HTMT_ELIVELOCK ? events_ties(seen) : 0;
    count_queues(e, sum);
}

/* ---- comparison -------------------------------------------------------------------------------
 */

static bool same_number(const char *what, uint64_t a, uint64_t b, FILE *out)
{
    if (a != b)
        fprintf(out, "  %s: %" PRIu64 " and %" PRIu64 "\n", what, a, b);
    return a == b;
}

struct lines {
    char *text, **line;
    size_t count;
};

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct lines split(const char *text, bool sorted)
{
    struct lines l = {.text = strdup(text)};
    char *rest = NULL;
    l.line = l.text ? calloc(strlen(text) + 1, sizeof *l.line) : NULL;
    if (!l.line)
        exit(4);
    for (char *at = strtok_r(l.text, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest))
        l.line[l.count++] = at;
    if (sorted)
        qsort(l.line, l.count, sizeof *l.line, by_text);
    return l;
}

static void lines_clear(struct lines *l)
{
    free(l->line);
    free(l->text);
}

static bool same_lines(const struct lines *a, const struct lines *b, FILE *out)
{
    size_t i = 0;
    while (i < a->count && i < b->count && strcmp(a->line[i], b->line[i]) == 0)
        i++;
    if (i == a->count && i == b->count)
        return true;
    fprintf(out, "  %s\n  %s\n", i < a->count ? a->line[i] : "no more figures",
            i < b->count ? b->line[i] : "no more figures");
    return false;
}

static bool same_figures(const char *a, const char *b, bool sorted, FILE *out)
{
    if (strcmp(a, b) == 0)
        return true;
    struct lines x = split(a, sorted), y = split(b, sorted);
    bool same = same_lines(&x, &y, out);
    lines_clear(&x);
    lines_clear(&y);
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

static bool same_history(const struct outcome *a, const struct outcome *b, const struct likeness *l,
                         FILE *out)
{
    bool ordered = !l->sorted && a->order && b->order;
    return same_number("history", a->hash, b->hash, out) &&
           same_number("events", a->events, b->events, out) &&
           (!ordered || same_number("order of events", a->order, b->order, out));
}

/* A checked run that left something over ends with an error, and without notes. */
static bool left_over(const struct outcome *a, const struct outcome *b, const struct likeness *l)
{
    return l->checked && a->code == 0 && b->code == HTMT_ELEFT && strstr(a->rest, "note: ");
}

/* Of a run that failed in the middle only code and line are determined. */
bool outcome_same(const struct outcome *a, const struct outcome *b, const struct likeness *l,
                  FILE *out)
{
    bool left = left_over(a, b, l);
    bool lost = l->ranks && a->code == HTMT_EDEADLOCK;
    if (!left && !same_end(a, b, l, out))
        return false;
    if (a->code && a->code != HTMT_EDEADLOCK)
        return true;
    return same_number("predicted time (fs)", (uint64_t)a->predicted, (uint64_t)b->predicted,
                       out) &&
           same_number("parcels", a->parcels, b->parcels, out) &&
           (l->folded || same_history(a, b, l, out)) &&
           same_figures(a->figures, b->figures, l->sorted, out) &&
           (l->folded || same_figures(a->ports, b->ports, false, out)) &&
           (l->folded || left || lost || same_figures(a->rest, b->rest, l->sorted, out)) &&
           (!a->bytes || !b->bytes || same_number("bytes", a->bytes, b->bytes, out));
}
