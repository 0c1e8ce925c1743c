/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/data/deferred_tapes.h"

#include <stdlib.h>
#include <string.h>

struct htmt__taped {
    struct htmt__taped_list *list;
    struct htmt__taped *next, **link;
    struct htmt__tape *tape;
    uint32_t regions;
    uint8_t kind[]; /* enum htmt_miss_kind */
};

void htmt__taped_list_init(struct htmt__taped_list *list)
{
    list->first = NULL;
    pthread_mutex_init(&list->lock, NULL);
}

void htmt__taped_list_fini(struct htmt__taped_list *list)
{
    while (list->first)
        htmt__taped_free(list->first);
    pthread_mutex_destroy(&list->lock);
}

static void join(struct htmt__taped_list *list, struct htmt__taped *t)
{
    pthread_mutex_lock(&list->lock);
    t->list = list;
    t->link = &list->first;
    t->next = list->first;
    if (t->next)
        t->next->link = &t->next;
    list->first = t;
    pthread_mutex_unlock(&list->lock);
}

static void leave(struct htmt__taped *t)
{
    pthread_mutex_lock(&t->list->lock);
    *t->link = t->next;
    if (t->next)
        t->next->link = t->link;
    pthread_mutex_unlock(&t->list->lock);
}

struct htmt__taped *htmt__taped_new(struct htmt__taped_list *list,
                                    const struct htmt__tape_program *program, uint32_t regions)
{
    struct htmt__taped *t = calloc(1, sizeof *t + regions);
    if (!t || htmt__tape_new(&t->tape, program)) {
        free(t);
        return NULL;
    }
    join(list, t);
    return t;
}

int htmt__taped_add(struct htmt__taped *t, const struct htmt__tape_region *region,
                    enum htmt_miss_kind kind)
{
    t->kind[t->regions++] = (uint8_t)kind;
    return htmt__tape_add_region(t->tape, region);
}

struct htmt__tape *htmt__taped_entries(struct htmt__taped *t)
{
    return t->tape;
}

const struct htmt__tape *htmt__taped_tape(const struct htmt__taped *t)
{
    return t->tape;
}

void htmt__taped_misses(const struct htmt__taped *t, const uint64_t *misses,
                        uint64_t kinds[HTMT_MISS_KINDS])
{
    memset(kinds, 0, HTMT_MISS_KINDS * sizeof *kinds);
    for (uint32_t i = 0; i < t->regions; i++)
        kinds[t->kind[i]] += misses[i];
    kinds[HTMT_MISS_OTHER] += misses[t->regions];
}

void htmt__taped_free(struct htmt__taped *t)
{
    if (!t)
        return;
    leave(t);
    htmt__tape_free(t->tape);
    free(t);
}
