/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/node/tape/tape_service.h"

#include "runtime/base/array.h"
#include "runtime/base/error.h"

#include <stdlib.h>

/* Where the service ends from here on in this chunk; n: it does not. */
static size_t end_in(const uint64_t *entries, size_t from, size_t n)
{
    while (from < n && htmt__tape_kind(entries[from]) != HTMT__TAPE_END)
        from++;
    return from;
}

/* Moves *at to the end of its service. 0: the tape ends without one. */
static uint64_t find_end(const struct htmt__tape *tape, struct htmt__tape_spot *at)
{
    size_t n;
    const uint64_t *entries;
    for (; (entries = htmt__tape_chunk(tape, at->chunk, &n)); at->chunk++, at->entry = 0) {
        at->entry = end_in(entries, at->entry, n);
        if (at->entry < n)
            return entries[at->entry];
    }
    return 0;
}

uint64_t htmt__tape_service_counts(const struct htmt__tape *tape, struct htmt__tape_spot start)
{
    return htmt__tape_address(find_end(tape, &start));
}

int htmt__tape_services(const struct htmt__tape *tape, struct htmt__tape_spot **start,
                        uint64_t *services)
{
    struct htmt__tape_spot *all = NULL;
    size_t n = 0, room = 0;
    const uint64_t entries = htmt__tape_entries(tape);
    struct htmt__tape_spot at = {0, 0};
    while (at.chunk * HTMT__TAPE_CHUNK + at.entry < entries) {
        if (!htmt__array_fits(&all, &room, n + 1, sizeof *all)) {
            free(all);
            return HTMT_ENOMEM;
        }
        all[n++] = at;
        if (find_end(tape, &at))
            at.entry++;
    }
    *start = all;
    *services = n;
    return 0;
}

const uint64_t *htmt__tape_service_next(const struct htmt__tape *tape, struct htmt__tape_spot *at,
                                        size_t *count)
{
    size_t n;
    const uint64_t *entries;
    while (at->chunk != SIZE_MAX && (entries = htmt__tape_chunk(tape, at->chunk, &n))) {
        size_t from = at->entry, end = end_in(entries, from, n);
        *at = end < n ? (struct htmt__tape_spot){SIZE_MAX, 0}
                      : (struct htmt__tape_spot){at->chunk + 1, 0};
        *count = end - from;
        if (*count)
            return entries + from;
    }
    return NULL;
}

void htmt__tape_read(struct htmt__tape_reading *r, const struct htmt__tape *tape, uint64_t first,
                     uint64_t entries)
{
    const struct htmt__tape_spot at = {first / HTMT__TAPE_CHUNK, first % HTMT__TAPE_CHUNK};
    *r = (struct htmt__tape_reading){tape, at, at, entries};
}

const uint64_t *htmt__tape_reading_next(struct htmt__tape_reading *r, size_t *count)
{
    if (!r->left)
        return NULL;
    const uint64_t *entries = htmt__tape_service_next(r->tape, &r->at, count);
    if (!entries) {
        r->at = r->first;
        entries = htmt__tape_service_next(r->tape, &r->at, count);
    }
    if (!entries)
        return NULL;
    *count = *count < r->left ? *count : r->left;
    r->left -= *count;
    return entries;
}
