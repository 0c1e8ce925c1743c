/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/node/replay.h"

#include "layers/node/tape/tape_service.h"
#include "layers/node/team.h"
#include "runtime/base/error.h"

#include <stdlib.h>
#include <string.h>

#define COUNTS                                                                                     \
    ((sizeof(struct htmt__node_account) - offsetof(struct htmt__node_account, entries)) /          \
     sizeof(uint64_t))

struct replay {
    const struct htmt__tape *tape;
    const struct htmt__replay_options *options;
    struct htmt__tape_spot *start; /* of each service */
    struct htmt__tape_spot *at;    /* of each processor */
    struct htmt__node **node;
    struct htmt__replay *r;
};

static const uint64_t *next(void *user, uint32_t processor, size_t *count)
{
    struct replay *p = user;
    return htmt__tape_service_next(p->tape, &p->at[processor], count);
}

/* `busy` processors play a service each, from number `first` on. The round lasts as long as the
 * longest of them. */
static int play_round(struct replay *p, uint64_t first, uint32_t busy)
{
    struct htmt__replay *r = p->r;
    htmt_time longest = 0;
    uint32_t failed = 0;
    for (uint32_t i = 0; i < busy; i++) {
        p->at[i] = p->start[(first + i) % r->services];
        htmt__node_start(p->node[i], p->options->warm && first > 0);
    }
    const int rc = htmt__team_play(p->node, busy, next, p, &failed);
    const char *unknown = rc ? htmt__node_unknown(p->node[failed]) : NULL;
    if (unknown)
        memcpy(r->unknown, unknown, strlen(unknown) + 1);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < busy; i++) {
        struct htmt__node_account account;
        htmt_time length = htmt__node_finish(p->node[i], &account);
        uint64_t *to = &r->account.entries; /* the counts stand one behind the other */
        const uint64_t *from = &account.entries;
        for (int part = 0; part < HTMT__NODE_PARTS; part++)
            r->account.part[part] += account.part[part];
        for (size_t k = 0; k < COUNTS; k++)
            to[k] += from[k];
        longest = length > longest ? length : longest;
        if (length < 0 || __builtin_add_overflow(r->sum, length, &r->sum))
            return HTMT_EOVERFLOW;
    }
    r->longest = longest > r->longest ? longest : r->longest;
    r->time += longest;
    r->rounds++;
    return 0;
}

int htmt__replay(const struct htmt__node_figures *figures, const struct htmt__tape *tape,
                 const struct htmt__replay_options *options, struct htmt__replay *r)
{
    const uint32_t n = options->processors;
    struct replay p = {.tape = tape, .options = options, .r = r};
    const struct htmt__tape_region *regions;
    *r = (struct htmt__replay){.regions = htmt__tape_regions(tape, &regions)};
    int rc = htmt__tape_services(tape, &p.start, &r->services);
    p.node = calloc(n, sizeof(struct htmt__node *));
    p.at = calloc(n, sizeof *p.at);
    r->misses = calloc(r->regions + 1, sizeof *r->misses);
    if (!rc && !(p.node && p.at && r->misses))
        rc = HTMT_ENOMEM;
    for (uint32_t i = 0; i < n && !rc; i++) {
        rc = htmt__node_new(&p.node[i], figures, htmt__tape_program(tape));
        if (!rc)
            rc = htmt__node_regions(p.node[i], regions, r->regions);
        if (!rc && i > 0)
            htmt__node_share(p.node[i], p.node[0]);
    }
    const uint64_t all = r->services < n && r->services ? n : r->services;
    for (uint64_t first = 0; first < all && !rc; first += n)
        rc = play_round(&p, first, all - first < n ? (uint32_t)(all - first) : n);
    for (uint32_t i = 0; i < n && !rc; i++)
        for (size_t j = 0; j <= r->regions; j++)
            r->misses[j] += htmt__node_misses(p.node[i])[j];
    if (rc)
        htmt__replay_fini(r);
    for (uint32_t i = 0; p.node && i < n; i++)
        htmt__node_free(p.node[i]);
    free(p.node);
    free(p.at);
    free(p.start);
    return rc;
}

void htmt__replay_fini(struct htmt__replay *r)
{
    free(r->misses);
    r->misses = NULL;
}
