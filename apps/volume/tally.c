/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Results of a run: sums of what the slices did, and the image.
 *
 * A slice counts the words that it asks of each other slice, in rows of 512 counters, which are
 * there only if they are needed. For the slice that is asked most, the counters of all slices must
 * be added owner by owner. The rows of all slices come together one after another, so that memory
 * grows with the number of slices and not with its square.
 *
 * In a run of several processes each has the pixels of its own slices' bundles. A slice's pixels go
 * to process 0 in one piece, line after line of its bundles, and back to their places there.
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

/* What the kernels of a slice of this process counted. */
static void add_lanes(const htmt__volume_shared *t, uint32_t slice)
{
    struct htmt__volume_ledger *sum = &t->of_slice[slice].did.counted;
    *sum = (struct htmt__volume_ledger){0};
    for (uint32_t i = 0; i < t->lanes; i++) {
        const struct htmt__volume_ledger *one =
            htmt_object_bytes(htmt_at(t->lane[i].ledger, slice, 0).object);
        sum->taken += one->taken;
        sum->skipped += one->skipped;
        sum->shaded += one->shaded;
        sum->inside += one->inside;
        sum->ended += one->ended;
        sum->saved += one->saved;
        sum->samples += one->samples;
    }
}

static void add_slice(const htmt__volume_shared *t, const struct htmt__volume_did *own,
                      struct htmt__volume_tally *tally)
{
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

/* Words that all slices asked of the one that was asked for most. */
static int find_most_asked(const htmt__volume_shared *t, uint64_t *most)
{
    const size_t bytes = HTMT__VOLUME_ASKED * sizeof **t->of_slice->asked;
    const uint32_t played = htmt__volume_played(t);
    uint64_t *asked = malloc(played * bytes);
    int rc = asked ? 0 : HTMT_ENOMEM;
    for (uint32_t row = 0; row < htmt__volume_asked_rows(t) && !rc; row++) {
        uint64_t sum[HTMT__VOLUME_ASKED] = {0};
        memset(asked, 0, played * bytes);
        for (uint32_t i = 0; i < played; i++)
            if (t->of_slice[i].asked[row])
                memcpy(asked + i * HTMT__VOLUME_ASKED, t->of_slice[i].asked[row], bytes);
        rc = htmt_slices_share(t->e, asked, bytes, bytes);
        for (uint32_t i = 0; i < played && !rc; i++)
            for (uint32_t n = 0; n < HTMT__VOLUME_ASKED; n++)
                sum[n] += asked[i * HTMT__VOLUME_ASKED + n];
        for (uint32_t n = 0; n < HTMT__VOLUME_ASKED; n++)
            *most = sum[n] > *most ? sum[n] : *most;
    }
    free(asked);
    return rc;
}

int htmt__volume_program_tally(const struct htmt__volume_program *t,
                               struct htmt__volume_tally *tally)
{
    const uint32_t played = htmt__volume_played(t);
    struct htmt__volume_longest longest = {0};
    struct htmt__volume_largest strip = {0}, merge = {0};
    *tally = (struct htmt__volume_tally){0};
    for (uint32_t i = 0; i < played && t->work.image; i++)
        if (htmt_slice_here(t->e, i))
            add_lanes(t, i);
    int rc =
        htmt_slices_share(t->e, &t->of_slice->did, sizeof t->of_slice->did, sizeof *t->of_slice);
    rc = rc ? rc : find_most_asked(t, &tally->asked);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < played; i++) {
        const struct htmt__volume_did *own = &t->of_slice[i].did;
        htmt__volume_keep_longest(&longest, &own->longest);
        htmt__volume_keep_largest(&strip, &own->strip);
        htmt__volume_keep_largest(&merge, &own->merge);
        add_slice(t, own, tally);
    }
    tally->longest = longest.part;
    tally->strip = strip.work;
    tally->merge = merge.work;
    uint64_t *sum[] = {&tally->bundles, &tally->visits, &tally->dispatched, &tally->discarded,
                       &tally->voxels,  &tally->rays,   &tally->taken};
    for (size_t i = 0; i < sizeof sum / sizeof *sum && t->work.folded; i++)
        *sum[i] *= t->slices; /* all slices did as much as slice 0 */
    if (!t->model && tally->voxels)
        tally->longest.samples =
            htmt__volume_share(tally->longest.voxels, tally->taken, tally->voxels);
    return 0;
}

/* ---- the image ------------------------------------------------------------------------------ */

/* Move the pixels of a slice's bundles out of the image to `at`, or from there into the image.
 * Returns their bytes; with `at` NULL they are only counted. */
static size_t move_pixels(const htmt__volume_shared *t, uint32_t slice, char *at, bool out)
{
    const struct htmt__volume_problem *o = &t->plan.problem;
    size_t moved = 0;
    for (uint32_t b = 0; b < t->plan.bundles; b++) {
        if (htmt__volume_bundle_owner(&t->plan, b) != slice)
            continue;
        struct htmt__volume_tile tile = htmt__volume_tiling_at(&t->plan.tiling, b);
        size_t bytes = (size_t)tile.width * o->channels * sizeof(float);
        for (uint64_t n = 0; n < (uint64_t)t->frames * tile.height; n++, moved += bytes) {
            uint64_t y = n / tile.height * o->height + tile.y + n % tile.height;
            float *line = t->work.image + (y * o->width + tile.x) * o->channels;
            if (at && out)
                memcpy(at + moved, line, bytes);
            else if (at)
                memcpy(line, at + moved, bytes);
        }
    }
    return moved;
}

int htmt__volume_program_image(const htmt__volume_shared *t)
{
    int rc = 0;
    bool several = false;
    for (uint32_t i = 0; i < t->slices; i++)
        several |= !htmt_slice_here(t->e, i);
    for (uint32_t i = 0; i < t->slices && several && !rc; i++) {
        const bool here = htmt_slice_here(t->e, i);
        size_t size = here ? move_pixels(t, i, NULL, true) : 0;
        void *at = here ? malloc(size + 1) : NULL;
        if (at)
            move_pixels(t, i, at, true);
        rc = here && !at ? HTMT_ENOMEM : htmt_per_slice_fetch(t->e, i, &at, &size);
        if (!rc && at && !here)
            move_pixels(t, i, at, false);
        free(at);
    }
    return rc;
}
