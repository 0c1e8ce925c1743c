/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums of what the slices did.
 */
#include "apps/volume/shared.h"

#include <stdlib.h>
#include <string.h>

void htmt__volume_keep_longest(struct htmt__volume_longest *most,
                               const struct htmt__volume_longest *other)
{
    uint64_t a = most->part.parcels, b = other->part.parcels;
    if (b > a || (b == a && other->bundle < most->bundle))
        *most = *other;
}

void htmt__volume_keep_largest(struct htmt__volume_largest *most,
                               const struct htmt__volume_largest *other)
{
    uint64_t a = htmt__volume_visit_work_operations(&most->work);
    uint64_t b = htmt__volume_visit_work_operations(&other->work);
    if (b > a || (b == a && other->bundle < most->bundle))
        *most = *other;
}

static void add(struct htmt__volume_ledger *to, const struct htmt__volume_ledger *from)
{
    to->taken += from->taken;
    to->skipped += from->skipped;
    to->shaded += from->shaded;
    to->inside += from->inside;
    to->ended += from->ended;
    to->saved += from->saved;
    to->samples += from->samples;
}

/* What the kernels of a slice of this rank counted. */
static void add_lanes(const htmt__volume_shared *t, uint32_t slice)
{
    struct htmt__volume_ledger *sum = &t->of_slice[slice].did.counted;
    *sum = (struct htmt__volume_ledger){0};
    for (uint32_t i = 0; i < t->lanes; i++)
        add(sum, htmt_object_bytes(htmt_at(t->lane[i].ledger, slice, 0).object));
}

static void add_slice(const htmt__volume_shared *t, uint32_t slice,
                      struct htmt__volume_tally *tally)
{
    const struct htmt__volume_did *own = &t->of_slice[slice].did;
    struct htmt__volume_part share = own->share;
    if (!t->model)
        share.samples = own->counted.taken;
    tally->bundles += own->bundles;
    tally->visits += own->visits;
    tally->discarded += own->discarded;
    tally->dispatched += share.parcels;
    tally->voxels += share.voxels;
    tally->rays += share.rays;
    tally->taken += share.samples;
    tally->skipped += own->counted.skipped;
    tally->shaded += own->counted.shaded;
    tally->inside += own->counted.inside;
    tally->ended += own->counted.ended;
    tally->saved += own->counted.saved;
    tally->samples += own->counted.samples;
    if (share.samples >= tally->fullest.samples)
        tally->fullest = share;
}

static void find_largest(const htmt__volume_shared *t, struct htmt__volume_tally *tally)
{
    struct htmt__volume_longest longest = {0};
    struct htmt__volume_largest strip = {0}, merge = {0};
    for (uint32_t i = 0; i < htmt__volume_played(t); i++) {
        htmt__volume_keep_longest(&longest, &t->of_slice[i].did.longest);
        htmt__volume_keep_largest(&strip, &t->of_slice[i].did.strip);
        htmt__volume_keep_largest(&merge, &t->of_slice[i].did.merge);
    }
    tally->longest = longest.part;
    tally->strip = strip.work;
    tally->merge = merge.work;
}

/* What a slice asked of this row of counters, for all ranks to see. */
static int share_asked(const htmt__volume_shared *t, uint32_t row, uint64_t *asked)
{
    const size_t bytes = HTMT__VOLUME_ASKED * sizeof *asked;
    memset(asked, 0, htmt__volume_played(t) * bytes);
    for (uint32_t i = 0; i < htmt__volume_played(t); i++)
        if (t->of_slice[i].asked[row])
            memcpy(asked + i * HTMT__VOLUME_ASKED, t->of_slice[i].asked[row], bytes);
    return htmt_slices_share(t->e, asked, bytes, bytes);
}

/* Words that all slices asked of the one that was asked for most in this row of counters. */
static uint64_t most_asked(const htmt__volume_shared *t, const uint64_t *asked)
{
    uint64_t sum[HTMT__VOLUME_ASKED] = {0}, most = 0;
    for (uint32_t i = 0; i < htmt__volume_played(t); i++)
        for (uint32_t n = 0; n < HTMT__VOLUME_ASKED; n++)
            sum[n] += asked[i * HTMT__VOLUME_ASKED + n];
    for (uint32_t n = 0; n < HTMT__VOLUME_ASKED; n++)
        most = sum[n] > most ? sum[n] : most;
    return most;
}

static int find_most_asked(const htmt__volume_shared *t, struct htmt__volume_tally *tally)
{
    uint64_t *asked = malloc(htmt__volume_played(t) * HTMT__VOLUME_ASKED * sizeof *asked);
    int rc = asked ? 0 : HTMT_ENOMEM;
    for (uint32_t i = 0; i < htmt__volume_asked_rows(t) && !rc; i++) {
        rc = share_asked(t, i, asked);
        uint64_t most = most_asked(t, asked);
        tally->asked = most > tally->asked ? most : tally->asked;
    }
    free(asked);
    return rc;
}

/* Of slice 0 when folded: all slices did as much. */
static void unfold(const htmt__volume_shared *t, struct htmt__volume_tally *tally)
{
    uint64_t *sum[] = {&tally->bundles, &tally->visits, &tally->dispatched, &tally->discarded,
                       &tally->voxels,  &tally->rays,   &tally->taken};
    for (size_t i = 0; i < sizeof sum / sizeof *sum && t->work.folded; i++)
        *sum[i] *= t->slices;
}

static void add_all(const htmt__volume_shared *t, struct htmt__volume_tally *tally)
{
    find_largest(t, tally);
    for (uint32_t i = 0; i < htmt__volume_played(t); i++)
        add_slice(t, i, tally);
    unfold(t, tally);
    if (!t->model && tally->voxels)
        tally->longest.samples =
            htmt__volume_share(tally->longest.voxels, tally->taken, tally->voxels);
}

int htmt__volume_program_tally(const struct htmt__volume_program *t,
                               struct htmt__volume_tally *tally)
{
    *tally = (struct htmt__volume_tally){0};
    for (uint32_t i = 0; i < htmt__volume_played(t) && !t->model; i++)
        if (htmt_slice_here(t->e, i))
            add_lanes(t, i);
    int rc =
        htmt_slices_share(t->e, &t->of_slice->did, sizeof t->of_slice->did, sizeof *t->of_slice);
    rc = rc ? rc : find_most_asked(t, tally);
    if (!rc)
        add_all(t, tally);
    return rc;
}
