/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/observe/record_part.h"
#include "parcels/clock/partition.h"
#include "parcels/observe/record_filter.h"
#include "parcels/observe/record_ports.h"
#include "parcels/observe/record_step.h"
#include "parcels/observe/record_writer.h"
#include "parcels/observe/section.h"
#include "runtime/base/pages.h"

#include <stdlib.h>

#define SAMPLE    (UINT32_MAX - 1) /* a note's step: its serial are words, its line is the layer */
#define NOTES_FEW 1024u

/* ---- life ------------------------------------------------------------------------------------ */

int htmt__record_sums_init(struct htmt__record_sums *sums, uint32_t resources)
{
    sums->busy = calloc(resources, sizeof *sums->busy);
    sums->waited = calloc(resources, sizeof *sums->waited);
    return sums->busy && sums->waited ? 0 : HTMT_ENOMEM;
}

void htmt__record_sums_fini(struct htmt__record_sums *sums)
{
    free(sums->busy);
    free(sums->waited);
}

struct htmt__recorder *htmt__record_part_create(struct htmt__recorder *whole, uint32_t resources)
{
    struct htmt__recorder *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->whole = whole;
    r->part = true;
    r->options = whole->options;
    r->layers = whole->layers;
    r->windowed = whole->windowed;
    r->room = whole->room;
    r->slice = whole->slice;
    r->row = whole->row;
    r->channel = whole->channel;
    r->ports = whole->ports;
    r->channels = whole->channels;
    if (!htmt__record_sums_init(&r->sums, resources))
        return r;
    htmt__record_part_free(r);
    return NULL;
}

void htmt__record_part_free(struct htmt__recorder *part)
{
    htmt__record_closed_free(part);
    htmt__record_sums_fini(&part->sums);
    free(part->port_note);
    free(part->note);
    free(part->step);
    free(part);
}

/* ---- noted ----------------------------------------------------------------------------------- */

static bool has_room(struct htmt__recorder *r)
{
    if (__builtin_expect(r->notes < r->note_room, 1))
        return true;
    size_t room = r->note_room ? 2 * r->note_room : NOTES_FEW;
    struct htmt__record_note *more =
        htmt__fault_injected() ? NULL : realloc(r->note, room * sizeof *more);
    if (!more)
        return false;
    r->note = more;
    r->note_room = room;
    return true;
}

static bool note(struct htmt_emulator *e, const struct htmt__record_interval *i)
{
    struct htmt__recorder *r = e->recorder;
    if (!has_room(r)) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory to record the run");
        htmt__record_give_up(e);
        return false;
    }
    r->note[r->notes++] =
        (struct htmt__record_note){.turn = {e->now, htmt__order(e)}, .interval = *i};
    return true;
}

htmt__record_ref htmt__record_note(struct htmt_emulator *part,
                                   const struct htmt__record_interval *i)
{
    struct htmt__recorder *r = part->recorder;
    struct htmt__record_slice *s = &r->slice[i->slice];
    if (s->left_out || !r->whole->file || !note(part, i))
        return 0;
    return ++s->given;
}

void htmt__record_note_sample(struct htmt_emulator *part, uint32_t slice, htmt_time at,
                              uint32_t layer, uint64_t words)
{
    note(part, &(struct htmt__record_interval){
                   .slice = slice, .step = SAMPLE, .end = at, .serial = words, .line = layer});
}

/* ---- written --------------------------------------------------------------------------------- */

static void add_up(const struct htmt_emulator *e, const struct htmt__record_interval *i)
{
    struct htmt__recorder *r = e->recorder;
    const struct htmt__record_step *step = &r->step[i->step / 2];
    uint32_t resource = htmt__record_resource(step);
    bool stalled = step->place >= HTMT__RECORD_STALLED && step->place < HTMT__RECORD_ROOM;
    if (stalled)
        r->sums.stalled[htmt__record_layer(e, step)] += i->wait;
    if (resource == UINT32_MAX)
        return;
    r->sums.waited[resource] += i->wait;
    r->sums.busy[resource] += i->step % 2 ? 0 : i->service;
}

/* By the numbers of the whole. */
static void write_interval(struct htmt_emulator *e, struct htmt__record_interval i)
{
    const struct htmt__record_step *step = &e->recorder->step[i.step / 2];
    if (step->place == HTMT__RECORD_AT_SECTION)
        i.serial = htmt__section_number(e->whole, e, (uint32_t)i.serial);
    add_up(e, &i);
    i.step = 2 * step->number + i.step % 2;
    htmt__record_write(e, &i);
}

void htmt__record_part_write(struct htmt_emulator *part)
{
    struct htmt__recorder *r = part->recorder;
    for (size_t k = 0; k < r->notes && r->whole->file; k++) {
        const struct htmt__record_interval *i = &r->note[k].interval;
        r->writing = r->note[k].turn;
        if (i->step == SAMPLE)
            htmt__record_write_sample(part, i->slice, i->end, (uint32_t)i->line, i->serial);
        else
            write_interval(part, *i);
    }
    r->notes = 0;
    htmt__record_ports_note_write(part);
}

/* ---- a failure ------------------------------------------------------------------------------- */

/* The partition that failed; NULL: none has, or the host ends the run. */
static const struct htmt_emulator *failed_part(const struct htmt_emulator *whole)
{
    const struct htmt__windows *w = whole->windows;
    for (uint32_t i = w->first; i < w->end && whole->fault.code; i++) {
        const struct htmt_emulator *e = w->partition[i].e;
        if (e->fault.code && e->failure.at == whole->failure.at &&
            e->failure.order == whole->failure.order)
            return e;
    }
    return NULL;
}

/* What a memory had before the failure was seen when it changed again. */
static bool counts(const struct htmt__record_note *n, struct htmt__failure failure)
{
    bool behind = htmt__fails_before(failure, n->turn);
    return !behind || (n->interval.step == SAMPLE && n->interval.end < failure.at);
}

static void cut(struct htmt__recorder *part, struct htmt__failure failure)
{
    size_t left = 0;
    for (size_t k = 0; k < part->notes; k++)
        if (counts(&part->note[k], failure))
            part->note[left++] = part->note[k];
    part->notes = left;
}

static void cut_all(struct htmt_emulator *whole)
{
    const struct htmt__windows *w = whole->windows;
    const struct htmt_emulator *failed = failed_part(whole);
    if (!failed)
        return;
    whole->recorder->cut = true;
    whole->recorder->failed = failed->recorder->playing;
    for (uint32_t i = w->first; i < w->end; i++) {
        cut(w->partition[i].e->recorder, whole->failure);
        htmt__record_ports_note_cut(w->partition[i].e->recorder, whole->failure);
    }
}

/* ---- of all partitions ----------------------------------------------------------------------- */

void htmt__record_window(struct htmt_emulator *whole)
{
    cut_all(whole);
    htmt__sections_join(whole);
    htmt__record_steps_number(whole);
    htmt__record_write_closed(whole);
}

static void write_part(struct htmt_emulator *whole, struct htmt_emulator *part)
{
    htmt__record_part_write(part);
    if (part->recorder->broken && whole->recorder->file) {
        htmt__fail(whole, HTMT_ENOMEM, "no host memory to record the run");
        htmt__record_give_up(whole);
    }
}

void htmt__record_rest(struct htmt_emulator *whole)
{
    const struct htmt__windows *w = whole->windows;
    htmt__record_steps_number(whole);
    for (uint32_t i = w->first; i < w->end; i++)
        write_part(whole, w->partition[i].e);
    htmt__record_write_closed(whole);
}

static void add_sums(struct htmt__record_sums *sums, const struct htmt__record_sums *more,
                     uint32_t resources)
{
    for (uint32_t i = 0; i < resources; i++) {
        sums->busy[i] += more->busy[i];
        sums->waited[i] += more->waited[i];
    }
    for (uint32_t l = 0; l < HTMT_LAYERS_MAX; l++)
        sums->stalled[l] += more->stalled[l];
}

void htmt__record_sum_up(const struct htmt_emulator *whole, struct htmt__record_sums *sums)
{
    const struct htmt__windows *w = whole->windows;
    for (uint32_t i = w->first; i < w->end; i++)
        add_sums(sums, &w->partition[i].e->recorder->sums, htmt__resource_count(whole));
}
