/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each function of e->explain is the one of the only probe that has it, or one that calls those of
 * all, or one that does nothing.
 */
#include "parcels/observe/probes.h"
#include "parcels/clock/event.h"

#include <stdlib.h>

#define PROBES_MOST 5u

struct htmt__probes {
    struct htmt__explain_probe all;
    const struct htmt__explain_probe *each[PROBES_MOST];
    uint32_t count;
};

#define HOOKS(XX)                                                                                  \
    XX(begin, (struct htmt_emulator * e), (e))                                                     \
    XX(end, (struct htmt_emulator * e), (e))                                                       \
    XX(close, (struct htmt_emulator * e), (e))                                                     \
    XX(merge, (struct htmt_emulator * e, const struct htmt_emulator *part), (e, part))             \
    XX(part, (struct htmt_emulator * e, struct htmt_emulator * copy), (e, copy))                   \
    XX(past, (struct htmt_emulator * e), (e))                                                      \
    XX(window, (struct htmt_emulator * e), (e))                                                    \
    XX(finish, (struct htmt_emulator * e), (e))                                                    \
    XX(section, (struct htmt_emulator * e, uint32_t slice, uint32_t section, htmt_time at),        \
       (e, slice, section, at))                                                                    \
    XX(rest, (struct htmt_emulator * e, uint32_t slice), (e, slice))                               \
    XX(turn, (struct htmt_emulator * e, const struct htmt__entity *p), (e, p))                     \
    XX(keep, (struct htmt_emulator * e, const struct htmt__entity *p), (e, p))                     \
    XX(called, (struct htmt_emulator * e, const struct htmt__entity *p), (e, p))                   \
    XX(woken,                                                                                      \
       (struct htmt_emulator * e, const struct htmt__entity *p, enum htmt__why why, uint32_t of),  \
       (e, p, why, of))                                                                            \
    XX(room, (struct htmt_emulator * e, const struct htmt__entity *p, uint32_t layer),             \
       (e, p, layer))                                                                              \
    XX(served, (struct htmt_emulator * e, const struct htmt__entity *p, uint32_t resource),        \
       (e, p, resource))                                                                           \
    XX(why, (struct htmt_emulator * e, enum htmt__why why, uint32_t of), (e, why, of))             \
    XX(within,                                                                                     \
       (struct htmt_emulator * e, const struct htmt__entity *moment,                               \
        const struct htmt__stage_stats *stats),                                                    \
       (e, moment, stats))                                                                         \
    XX(put_off,                                                                                    \
       (struct htmt_emulator * e, const struct htmt__entity *p, htmt_time start,                   \
        const struct htmt__stage_stats *stats),                                                    \
       (e, p, start, stats))                                                                       \
    XX(event, (struct htmt_emulator * e, const struct htmt__entity *p, htmt_time at), (e, p, at))  \
    XX(over, (struct htmt_emulator * e, const struct htmt__entity *p), (e, p))                     \
    XX(channel, (struct htmt_emulator * e, struct htmt__link * l, uint32_t number),                \
       (e, l, number))                                                                             \
    XX(out,                                                                                        \
       (struct htmt_emulator * e, const struct htmt__entity *p, const struct htmt__leg *leg,       \
        htmt_time start, htmt_time head),                                                          \
       (e, p, leg, start, head))                                                                   \
    XX(in,                                                                                         \
       (struct htmt_emulator * e, const struct htmt__entity *p, const struct htmt__leg *leg,       \
        htmt_time head, htmt_time start, htmt_time last),                                          \
       (e, p, leg, head, start, last))                                                             \
    XX(stood,                                                                                      \
       (struct htmt_emulator * e, const struct htmt__entity *p, const struct htmt__leg *leg,       \
        htmt_time since),                                                                          \
       (e, p, leg, since))                                                                         \
    XX(asked, (struct htmt_emulator * e, const struct htmt__entity *p), (e, p))                    \
    XX(begun,                                                                                      \
       (struct htmt_emulator * e, const struct htmt__entity *p, const struct htmt__leg *leg,       \
        htmt_time asked),                                                                          \
       (e, p, leg, asked))                                                                         \
    XX(held,                                                                                       \
       (struct htmt_emulator * e, const struct htmt__entity *p, const struct htmt__leg *leg,       \
        htmt_time asked, htmt_time start),                                                         \
       (e, p, leg, asked, start))                                                                  \
    XX(freed, (struct htmt_emulator * e, const struct htmt__leg *leg), (e, leg))                   \
    XX(queued,                                                                                     \
       (struct htmt_emulator * e, const struct htmt__entity *p, const struct htmt__packet *holder, \
        uint32_t channel),                                                                         \
       (e, p, holder, channel))                                                                    \
    XX(granted,                                                                                    \
       (struct htmt_emulator * e, const struct htmt__entity *p, const struct htmt__leg *leg),      \
       (e, p, leg))                                                                                \
    XX(port,                                                                                       \
       (struct htmt_emulator * e, uint32_t network, const struct htmt__entity *p,                  \
        const struct htmt__port_change *change),                                                   \
       (e, network, p, change))                                                                    \
    XX(landed,                                                                                     \
       (struct htmt_emulator * e, const struct htmt__entity *p, const struct htmt__leg *leg),      \
       (e, p, leg))                                                                                \
    XX(flying, (struct htmt_emulator * e, const struct htmt__leg *leg), (e, leg))                  \
    XX(sent,                                                                                       \
       (struct htmt_emulator * e, const struct htmt__entity *p,                                    \
        const struct htmt__entity *moment),                                                        \
       (e, p, moment))                                                                             \
    XX(cell,                                                                                       \
       (struct htmt_emulator * e, uint32_t * origin, const struct htmt__stage_stats *stats,        \
        htmt_time cycle, htmt_time all),                                                           \
       (e, origin, stats, cycle, all))                                                             \
    XX(follows, (struct htmt_emulator * e, uint32_t * origin, const uint32_t *of),                 \
       (e, origin, of))                                                                            \
    XX(cell_served,                                                                                \
       (struct htmt_emulator * e, uint32_t slice, struct htmt__stage_stats * stats,                \
        uint64_t serial, htmt_time began, htmt_time length),                                       \
       (e, slice, stats, serial, began, length))                                                   \
    XX(charged,                                                                                    \
       (struct htmt_emulator * e, const struct htmt__entity *p, unsigned op, uint64_t n,           \
        htmt_time time),                                                                           \
       (e, p, op, n, time))                                                                        \
    XX(timed,                                                                                      \
       (struct htmt_emulator * e, const struct htmt__leg *leg, uint64_t from_pieces,               \
        uint64_t to_pieces),                                                                       \
       (e, leg, from_pieces, to_pieces))                                                           \
    XX(unrolls, (struct htmt_emulator * e, const struct htmt__entity *p), (e, p))                  \
    XX(enabled,                                                                                    \
       (struct htmt_emulator * e, const struct htmt__entity *f, const struct htmt__entity *owner,  \
        uint32_t fiber),                                                                           \
       (e, f, owner, fiber))                                                                       \
    XX(wakes, (struct htmt_emulator * e), (e))                                                     \
    XX(gave,                                                                                       \
       (struct htmt_emulator * e, const struct htmt__store *store, uint64_t capacity,              \
        uint64_t records),                                                                         \
       (e, store, capacity, records))                                                              \
    XX(took, (struct htmt_emulator * e, const struct htmt__store *store, uint64_t records),        \
       (e, store, records))                                                                        \
    XX(waits, (struct htmt_emulator * e, const void *key), (e, key))                               \
    XX(meets, (struct htmt_emulator * e, const void *key), (e, key))                               \
    XX(made, (struct htmt_emulator * e, const struct htmt__entity *p), (e, p))                     \
    XX(signalled, (struct htmt_emulator * e, const struct htmt__entity *owner, uint32_t fiber),    \
       (e, owner, fiber))                                                                          \
    XX(controls, (struct htmt_emulator * e, const struct htmt__entity *self, bool is_over),        \
       (e, self, is_over))                                                                         \
    XX(opened, (struct htmt_emulator * e, const struct htmt__entity *p), (e, p))                   \
    XX(leaves, (struct htmt_emulator * e, const void *key), (e, key))                              \
    XX(finds, (struct htmt_emulator * e, const void *key), (e, key))                               \
    XX(serves, (struct htmt_emulator * e, const struct htmt__entity *p), (e, p))                   \
    XX(uses,                                                                                       \
       (struct htmt_emulator * e, struct htmt_addr at, uint64_t bytes, struct htmt_pieces pieces,  \
        enum htmt_use how),                                                                        \
       (e, at, bytes, pieces, how))                                                                \
    XX(worked, (struct htmt_emulator * e), (e))                                                    \
    XX(computes, (struct htmt_emulator * e, const struct htmt__entity *p), (e, p))                 \
    XX(moves, (struct htmt_emulator * e, const struct htmt__entity *p), (e, p))                    \
    XX(captured, (struct htmt_emulator * e, const struct htmt__entity *p), (e, p))                 \
    XX(delivered, (struct htmt_emulator * e, const struct htmt__message *m), (e, m))

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define NOBODY(hook, parameters, arguments)                                                        \
    static void no_##hook parameters                                                               \
    {                                                                                              \
    }
HOOKS(NOBODY)
#pragma GCC diagnostic pop

#define EACH(hook, parameters, arguments)                                                          \
    static void all_##hook parameters                                                              \
    {                                                                                              \
        const struct htmt__probes *s = e->probes;                                                  \
        for (uint32_t i = 0; i < s->count; i++)                                                    \
            if (s->each[i]->hook)                                                                  \
                s->each[i]->hook arguments;                                                        \
    }
HOOKS(EACH)

#define CHOOSE(name, parameters, arguments)                                                        \
    if (probe->name)                                                                               \
        s->all.name = s->all.name == no_##name ? probe->name : all_##name;

static void add(struct htmt__probes *s, const struct htmt__explain_probe *probe)
{
    s->each[s->count++] = probe;
    HOOKS(CHOOSE)
}

#define SILENT(hook, parameters, arguments) .hook = no_##hook,

int htmt__probes_add(struct htmt_emulator *e, const struct htmt__explain_probe *probe)
{
    if (!e->probes) {
        e->probes = malloc(sizeof *e->probes);
        if (!e->probes)
            return HTMT_ENOMEM;
        *e->probes = (struct htmt__probes){.all = {HOOKS(SILENT)}};
    }
    add(e->probes, probe);
    e->explain = &e->probes->all;
    htmt__aside_find(e);
    htmt__short_ways_close(e);
    return 0;
}

void htmt__probes_destroy(struct htmt_emulator *e)
{
    free(e->probes);
    e->probes = NULL;
    e->explain = NULL;
    htmt__aside_find(e);
}
