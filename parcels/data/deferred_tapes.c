/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tapes in a list with a lock, since kernels record them on any thread. A tape belongs to whoever
 * has it; the list frees those that no service ever asked for, as when a run ends early.
 */
#include "parcels/data/deferred_tapes.h"

#include <stdlib.h>
#include <string.h>

struct htmt__deferred_tape {
    struct htmt__deferred_tapes *list;
    struct htmt__deferred_tape *next, **link;
    struct htmt__tape *tape;
    uint32_t regions;
    uint8_t kind[]; /* enum htmt_miss_kind */
};

void htmt__deferred_tapes_init(struct htmt__deferred_tapes *list)
{
    list->first = NULL;
    pthread_mutex_init(&list->lock, NULL);
}

void htmt__deferred_tapes_fini(struct htmt__deferred_tapes *list)
{
    while (list->first)
        htmt__deferred_tape_free(list->first);
    pthread_mutex_destroy(&list->lock);
}

struct htmt__deferred_tape *htmt__deferred_tape_new(struct htmt__deferred_tapes *list,
                                                    const struct htmt__tape_program *program,
                                                    uint32_t regions)
{
    struct htmt__deferred_tape *t = calloc(1, sizeof *t + regions);
    if (!t || htmt__tape_new(&t->tape, program)) {
        free(t);
        return NULL;
    }
    pthread_mutex_lock(&list->lock);
    t->list = list;
    t->link = &list->first;
    t->next = list->first;
    if (t->next)
        t->next->link = &t->next;
    list->first = t;
    pthread_mutex_unlock(&list->lock);
    return t;
}

int htmt__deferred_tape_add(struct htmt__deferred_tape *t, const struct htmt__tape_region *region,
                            enum htmt_miss_kind kind)
{
    t->kind[t->regions++] = (uint8_t)kind;
    return htmt__tape_add_region(t->tape, region);
}

struct htmt__tape *htmt__deferred_tape_entries(struct htmt__deferred_tape *t)
{
    return t->tape;
}

const struct htmt__tape *htmt__deferred_tape_whole(const struct htmt__deferred_tape *t)
{
    return t->tape;
}

void htmt__deferred_tape_misses(const struct htmt__deferred_tape *t, const uint64_t *misses,
                                uint64_t kinds[HTMT_MISS_KINDS])
{
    memset(kinds, 0, HTMT_MISS_KINDS * sizeof *kinds);
    for (uint32_t i = 0; i < t->regions; i++)
        kinds[t->kind[i]] += misses[i];
    kinds[HTMT_MISS_OTHER] += misses[t->regions];
}

void htmt__deferred_tape_free(struct htmt__deferred_tape *t)
{
    if (!t)
        return;
    pthread_mutex_lock(&t->list->lock);
    *t->link = t->next;
    if (t->next)
        t->next->link = t->link;
    pthread_mutex_unlock(&t->list->lock);
    htmt__tape_free(t->tape);
    free(t);
}
