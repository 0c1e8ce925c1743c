/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A run of millions of events is recorded without keeping them: a digest runs over all events, and
 * every `stride` events its value is a mark. A second run is compared mark by mark, and keeps the
 * events since the last mark that agreed. If a mark differs, the first event that differs is among
 * those, but the first run's events are gone; so it is made once more, as a witness, which keeps
 * the events of the same window. The first position in which both windows differ is the event.
 *
 *     stride 4, events of both:  a b c d | e f g h | i j ...
 *     other run:                 a b c d | e f X h | ...      mark 2 differs
 *     witness keeps e f g h, the window is e f X h: the third one differs, number 6 from 0
 *
 * At most 2^22 marks are kept: when they are full, every second one is dropped and the stride
 * doubles. A digest of 64 bits may agree by chance, once in 10^19.
 */
#include "emul/lib/questions/event_digest.h"

#include "runtime/base/random.h"

#include <stdlib.h>
#include <string.h>

static uint64_t fold(uint64_t digest, uint64_t field)
{
    return htmt__random_mix(digest * HTMT__RANDOM_STEP + field + 1);
}

static bool same(const struct htmt_event *a, const struct htmt_event *b)
{
    return a->time == b->time && a->resource == b->resource && a->slice == b->slice &&
           a->serial == b->serial && a->stage == b->stage && a->words == b->words;
}

int htmt__event_digest_record(struct htmt__event_digest *digest, uint64_t most)
{
    struct htmt__event_digest t = {
        .kind = HTMT__DIGEST_RECORD, .most = most, .stride = 1, .room = most};
    if (t.room > 1024)
        t.room = 1024;
    t.mark = malloc(t.room * sizeof *t.mark);
    if (!t.mark)
        return HTMT_ENOMEM;
    *digest = t;
    return 0;
}

static int follow(struct htmt__event_digest *digest, enum htmt__event_digest_kind kind,
                  const struct htmt__event_digest *reference, uint64_t first)
{
    struct htmt__event_digest t = {.kind = kind, .reference = reference, .first = first};
    t.window = malloc(reference->stride * sizeof *t.window);
    if (!t.window)
        return HTMT_ENOMEM;
    *digest = t;
    return 0;
}

int htmt__event_digest_compare(struct htmt__event_digest *digest,
                               const struct htmt__event_digest *reference)
{
    return follow(digest, HTMT__DIGEST_COMPARE, reference, 0);
}

int htmt__event_digest_witness(struct htmt__event_digest *digest,
                               const struct htmt__event_digest *compared)
{
    return follow(digest, HTMT__DIGEST_WITNESS, compared->reference, compared->first);
}

void htmt__event_digest_clear(struct htmt__event_digest *digest)
{
    free(digest->mark);
    free(digest->window);
    *digest = (struct htmt__event_digest){0};
}

/* Of a recording, mark i is the digest after (i + 1) * stride events. When the most marks are
 * there, the stride doubles, and every second mark remains. */
static void record(struct htmt__event_digest *t)
{
    if (t->marks == t->room && t->room == t->most) {
        for (uint64_t i = 0; i < t->marks / 2; i++)
            t->mark[i] = t->mark[2 * i + 1];
        t->marks /= 2;
        t->stride *= 2;
    } else if (t->marks == t->room) {
        uint64_t room = 2 * t->room < t->most ? 2 * t->room : t->most;
        uint64_t *mark = reallocarray(t->mark, room, sizeof *mark);
        t->failed = !mark;
        if (!mark)
            return;
        t->mark = mark;
        t->room = room;
    }
    if (t->events % t->stride == 0)
        t->mark[t->marks++] = t->value;
}

void htmt__event_digest_add(struct htmt__event_digest *t, const struct htmt_event *e)
{
    const struct htmt__event_digest *r = t->reference;
    if (htmt__event_digest_full(t))
        return;
    t->events++;
    t->value = fold(t->value, (uint64_t)e->time);
    t->value = fold(t->value, (uint64_t)e->resource << 32 | e->slice);
    t->value = fold(t->value, e->serial);
    t->value = fold(t->value, e->stage);
    t->value = fold(t->value, e->words);
    if (t->kind == HTMT__DIGEST_RECORD) {
        record(t);
        return;
    }
    if (t->events > t->first && t->kept < r->stride)
        t->window[t->kept++] = *e;
    if (t->kind == HTMT__DIGEST_WITNESS || t->events % r->stride != 0)
        return;
    uint64_t i = t->events / r->stride - 1;
    t->differs = i >= r->marks || r->mark[i] != t->value;
    if (!t->differs) { /* the window begins anew */
        t->first = t->events;
        t->kept = 0;
    }
}

bool htmt__event_digest_full(const struct htmt__event_digest *digest)
{
    bool kept = digest->kind == HTMT__DIGEST_WITNESS && digest->kept == digest->reference->stride;
    return digest->failed || digest->differs || kept;
}

bool htmt__event_digest_differs(struct htmt__event_digest *digest)
{
    const struct htmt__event_digest *r = digest->reference;
    if (digest->events != r->events || digest->value != r->value)
        digest->differs = true;
    return digest->differs;
}

const struct htmt_event *htmt__event_digest_event(const struct htmt__event_digest *digest,
                                                  uint64_t number)
{
    bool inside = number >= digest->first && number - digest->first < digest->kept;
    return inside ? &digest->window[number - digest->first] : NULL;
}

bool htmt__event_digest_first(const struct htmt__event_digest *compared,
                              const struct htmt__event_digest *witness, uint64_t *number)
{
    for (uint64_t n = compared->first; n - compared->first < compared->reference->stride; n++) {
        const struct htmt_event *a = htmt__event_digest_event(compared, n);
        const struct htmt_event *b = htmt__event_digest_event(witness, n);
        if (!a && !b)
            return false;
        if (!a || !b || !same(a, b)) {
            *number = n;
            return true;
        }
    }
    return false;
}
