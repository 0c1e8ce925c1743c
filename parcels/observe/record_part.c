/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The recorder of a partition.
 *
 * While a partition plays a window it cannot write: which number a step or a section gets depends
 * on what the other partitions meet meanwhile. But references must be known at once, since entities
 * carry them on. References are the numbers of intervals within a slice, and a slice has one
 * partition, so they can be given out; the intervals themselves are noted, each with its turn. When
 * the window is over, the whole gives numbers to all that is new, in the order of turns; then each
 * partition writes its notes to the blocks of its slices, at the beginning of its next window and
 * in parallel with the others.
 *
 * A slice that fails in the middle of a window ends the run at its turn. The others have gone on;
 * of their notes those with a later turn are dropped, so the file is that of the sequential clock.
 */
#include "parcels/observe/record_part.h"
#include "parcels/clock/partition.h"
#include "parcels/observe/record_filter.h"
#include "parcels/observe/record_ports.h"
#include "parcels/observe/record_writer.h"
#include "parcels/observe/section.h"
#include "runtime/base/array.h"

#include <stdlib.h>

#define SAMPLE (UINT32_MAX - 1) /* a note's step: its serial are words, its line is the layer */

/* ---- life ------------------------------------------------------------------------------------ */

int htmt__record_sums_init(struct htmt__record_sums *sums, uint32_t resources)
{
    sums->busy = calloc(resources, sizeof *sums->busy);
    sums->paused = calloc(resources, sizeof *sums->paused);
    sums->waited = calloc(resources, sizeof *sums->waited);
    return sums->busy && sums->paused && sums->waited ? 0 : HTMT_ENOMEM;
}

void htmt__record_sums_fini(struct htmt__record_sums *sums)
{
    free(sums->busy);
    free(sums->paused);
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
    r->origins = whole->origins;
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

static bool note(struct htmt_emulator *e, const struct htmt__record_interval *i)
{
    struct htmt__recorder *r = e->recorder;
    if (!htmt__array_fits(&r->note, &r->note_room, r->notes + 1, sizeof *r->note)) {
        htmt__record_out_of_memory(e);
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

/* With the numbers of the whole. The sums are those of a run that ends within a window. */
static void write_interval(struct htmt_emulator *e, struct htmt__record_interval i)
{
    struct htmt__record_sums *sums = &e->recorder->sums;
    const struct htmt__record_step *step = &e->recorder->step[i.step / 2];
    const uint32_t resource = htmt__record_resource(step);
    if (step->place == HTMT__RECORD_AT_SECTION)
        i.serial = htmt__section_number(e->whole, e, (uint32_t)i.serial);
    if (step->place >= HTMT__RECORD_STALLED && step->place < HTMT__RECORD_ROOM)
        sums->stalled[htmt__record_layer(e, step)] += i.wait;
    if (resource != UINT32_MAX) {
        sums->waited[resource] += i.wait;
        htmt_wide *of = step->place == HTMT__RECORD_PAUSED ? sums->paused : sums->busy;
        of[resource] += i.step % 2 ? 0 : i.service;
    }
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

/* ---- of all partitions ----------------------------------------------------------------------- */

/* Drops the notes that come behind the failure. What a memory had before it was seen only when it
 * changed again, so such a sample stays. */
static void cut(struct htmt__recorder *part, struct htmt__failure failure)
{
    size_t left = 0;
    for (size_t k = 0; k < part->notes; k++) {
        const struct htmt__record_note *n = &part->note[k];
        if (!htmt__fails_before(failure, n->turn) ||
            (n->interval.step == SAMPLE && n->interval.end < failure.at))
            part->note[left++] = *n;
    }
    part->notes = left;
    htmt__record_ports_note_cut(part, failure);
}

void htmt__record_window(struct htmt_emulator *whole)
{
    const struct htmt__windows *w = whole->windows;
    const struct htmt_emulator *failed = NULL; /* NULL: none has, or the host ends the run */
    for (uint32_t i = w->first; i < w->end && whole->fault.code && !failed; i++) {
        const struct htmt_emulator *e = w->partition[i].e;
        if (e->fault.code && e->failure.at == whole->failure.at &&
            e->failure.order == whole->failure.order)
            failed = e;
    }
    if (failed) {
        whole->recorder->cut = true;
        whole->recorder->failed = failed->recorder->playing;
    }
    for (uint32_t i = w->first; i < w->end && failed; i++)
        cut(w->partition[i].e->recorder, whole->failure);
    htmt__sections_join(whole);
    htmt__record_steps_number(whole);
    htmt__record_write_closed(whole);
}

void htmt__record_rest(struct htmt_emulator *whole)
{
    const struct htmt__windows *w = whole->windows;
    htmt__record_steps_number(whole);
    for (uint32_t i = w->first; i < w->end; i++) {
        htmt__record_part_write(w->partition[i].e);
        if (w->partition[i].e->recorder->broken && whole->recorder->file)
            htmt__record_out_of_memory(whole);
    }
    htmt__record_write_closed(whole);
}

void htmt__record_sum_up(const struct htmt_emulator *whole, struct htmt__record_sums *sums)
{
    const struct htmt__windows *w = whole->windows;
    for (uint32_t i = w->first; i < w->end; i++) {
        const struct htmt__record_sums *more = &w->partition[i].e->recorder->sums;
        for (uint32_t k = 0; k < htmt__resource_count(whole); k++) {
            sums->busy[k] += more->busy[k];
            sums->paused[k] += more->paused[k];
            sums->waited[k] += more->waited[k];
        }
        for (uint32_t l = 0; l < HTMT_LAYERS_MAX; l++)
            sums->stalled[l] += more->stalled[l];
    }
}
