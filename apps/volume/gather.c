/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The image of several ranks: each has the pixels of its slices' bundles.
 */
#include "apps/volume/shared.h"

#include <stdlib.h>
#include <string.h>

/* The pixels of a slice's bundles, between the image and a place where they lie one line after
 * another. */
struct pixels {
    const htmt__volume_shared *t;
    char *at; /* NULL: they are only counted */
    size_t bytes;
    bool out; /* of the image */
};

static void move_line(struct pixels *p, float *line, size_t bytes)
{
    char *at = p->at ? p->at + p->bytes : NULL;
    if (at)
        memcpy(p->out ? (void *)at : line, p->out ? (void *)line : at, bytes);
    p->bytes += bytes;
}

static void move_tile(struct pixels *p, uint32_t frame, const struct htmt__volume_tile *tile)
{
    const struct htmt__volume_problem *o = &p->t->plan.problem;
    for (uint32_t y = tile->y; y < tile->y + tile->height; y++) {
        uint64_t line = ((uint64_t)frame * o->height + y) * o->width + tile->x;
        move_line(p, p->t->work.image + line * o->channels,
                  (size_t)tile->width * o->channels * sizeof(float));
    }
}

static size_t move_slice(const htmt__volume_shared *t, uint32_t slice, void *at, bool out)
{
    struct pixels p = {.t = t, .at = at, .out = out};
    for (uint32_t b = 0; b < t->plan.bundles; b++) {
        if (htmt__volume_bundle_owner(&t->plan, b) != slice)
            continue;
        struct htmt__volume_tile tile = htmt__volume_tiling_at(&t->plan.tiling, b);
        for (uint32_t frame = 0; frame < t->frames; frame++)
            move_tile(&p, frame, &tile);
    }
    return p.bytes;
}

static int bring(const htmt__volume_shared *t, uint32_t slice)
{
    const bool here = htmt_slice_here(t->e, slice);
    size_t size = here ? move_slice(t, slice, NULL, true) : 0;
    void *at = here ? malloc(size + 1) : NULL;
    if (at)
        move_slice(t, slice, at, true);
    int rc = here && !at ? HTMT_ENOMEM : htmt_per_slice_fetch(t->e, slice, &at, &size);
    if (!rc && at && !here)
        move_slice(t, slice, at, false);
    free(at);
    return rc;
}

int htmt__volume_program_image(const htmt__volume_shared *t)
{
    int rc = 0;
    bool several = false;
    for (uint32_t i = 0; i < t->slices; i++)
        several |= !htmt_slice_here(t->e, i);
    for (uint32_t i = 0; i < t->slices && several && !rc; i++)
        rc = bring(t, i);
    return rc;
}
