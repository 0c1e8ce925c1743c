/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/node/replay.h"

#include "layers/node/team.h"
#include "runtime/base/error.h"

#include <stdlib.h>
#include <string.h>

struct place {
    size_t chunk, entry;
};

struct replay {
    const struct htmt__tape *tape;
    const struct htmt__replay_options *options;
    struct place *start; /* of each service */
    struct place *at;    /* of each processor; chunk SIZE_MAX: its service has ended */
    struct htmt__node **node;
    struct htmt__replay *r;
};

/* ---- the tape ----------------------------------------------------------------------------------
 */

/* Where the service ends from here on in this chunk; n: it does not. */
static size_t end_in(const uint64_t *entries, size_t from, size_t n)
{
    while (from < n && htmt__tape_kind(entries[from]) != HTMT__TAPE_END)
        from++;
    return from;
}

static bool has_more(const struct htmt__tape *tape, struct place at)
{
    size_t n;
    const uint64_t *entries = htmt__tape_chunk(tape, at.chunk, &n);
    return entries && (at.entry < n || htmt__tape_chunk(tape, at.chunk + 1, &n));
}

/* The entry behind the service that begins at `at`. */
static struct place skip(const struct htmt__tape *tape, struct place at)
{
    size_t n;
    const uint64_t *entries;
    for (; (entries = htmt__tape_chunk(tape, at.chunk, &n)); at.chunk++, at.entry = 0) {
        at.entry = end_in(entries, at.entry, n);
        if (at.entry < n)
            return (struct place){at.chunk, at.entry + 1};
    }
    return at;
}

static int find_services(struct replay *p)
{
    size_t room = 0;
    for (struct place at = {0, 0}; has_more(p->tape, at); at = skip(p->tape, at)) {
        if (p->r->services == room) {
            room = room ? room * 2 : 64;
            struct place *more = realloc(p->start, room * sizeof *more);
            if (!more)
                return HTMT_ENOMEM;
            p->start = more;
        }
        p->start[p->r->services++] = at;
    }
    return 0;
}

static const uint64_t *next(void *user, uint32_t processor, size_t *count)
{
    struct replay *p = user;
    struct place *at = &p->at[processor];
    size_t n;
    const uint64_t *entries =
        at->chunk == SIZE_MAX ? NULL : htmt__tape_chunk(p->tape, at->chunk, &n);
    if (!entries)
        return NULL;
    size_t from = at->entry, end = end_in(entries, from, n);
    *at = end < n ? (struct place){SIZE_MAX, 0} : (struct place){at->chunk + 1, 0};
    *count = end - from;
    return *count ? entries + from : next(user, processor, count);
}

/* ---- nodes -------------------------------------------------------------------------------------
 */

static int open_nodes(struct replay *p, const struct htmt__node_figures *figures)
{
    const struct htmt__tape_region *regions;
    uint32_t n = p->options->processors;
    p->r->regions = htmt__tape_regions(p->tape, &regions);
    p->node = calloc(n, sizeof(struct htmt__node *));
    p->at = calloc(n, sizeof *p->at);
    p->r->misses = calloc(p->r->regions + 1, sizeof *p->r->misses);
    int rc = p->node && p->at && p->r->misses ? 0 : HTMT_ENOMEM;
    for (uint32_t i = 0; i < n && !rc; i++) {
        rc = htmt__node_new(&p->node[i], figures, htmt__tape_program(p->tape));
        if (!rc)
            rc = htmt__node_regions(p->node[i], regions, p->r->regions);
        if (!rc && i > 0)
            htmt__node_share(p->node[i], p->node[0]);
    }
    return rc;
}

static void close_nodes(struct replay *p)
{
    for (uint32_t i = 0; p->node && i < p->options->processors; i++)
        htmt__node_free(p->node[i]);
    free(p->node);
    free(p->at);
    free(p->start);
}

static void add(struct htmt__node_account *sum, const struct htmt__node_account *a)
{
    uint64_t *to = &sum->entries;
    const uint64_t *from = &a->entries;
    size_t counts = (sizeof *sum - offsetof(struct htmt__node_account, entries)) / sizeof *to;
    for (int i = 0; i < HTMT__NODE_PARTS; i++)
        sum->part[i] += a->part[i];
    for (size_t i = 0; i < counts; i++)
        to[i] += from[i];
}

/* ---- rounds ------------------------------------------------------------------------------------
 */

static int finish_round(struct replay *p, uint32_t busy)
{
    struct htmt__replay *r = p->r;
    htmt_time longest = 0;
    for (uint32_t i = 0; i < busy; i++) {
        struct htmt__node_account account;
        htmt_time length = htmt__node_finish(p->node[i], &account);
        add(&r->account, &account);
        longest = length > longest ? length : longest;
        if (length < 0 || __builtin_add_overflow(r->sum, length, &r->sum))
            return HTMT_EOVERFLOW;
    }
    r->longest = longest > r->longest ? longest : r->longest;
    r->time += longest;
    r->rounds++;
    return 0;
}

/* `busy` processors play a service each, from number `first` on. */
static int play_round(struct replay *p, uint64_t first, uint32_t busy)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < busy; i++) {
        p->at[i] = p->start[(first + i) % p->r->services];
        htmt__node_start(p->node[i], p->options->warm && first > 0);
    }
    int rc = htmt__team_play(p->node, busy, next, p, &failed);
    const char *unknown = rc ? htmt__node_unknown(p->node[failed]) : NULL;
    if (unknown)
        memcpy(p->r->unknown, unknown, strlen(unknown) + 1);
    return rc ? rc : finish_round(p, busy);
}

static int play_all(struct replay *p)
{
    uint32_t n = p->options->processors;
    uint64_t all = p->r->services < n && p->r->services ? n : p->r->services;
    int rc = 0;
    for (uint64_t first = 0; first < all && !rc; first += n)
        rc = play_round(p, first, all - first < n ? (uint32_t)(all - first) : n);
    return rc;
}

static void count_misses(struct replay *p)
{
    for (uint32_t i = 0; i < p->options->processors; i++)
        for (size_t j = 0; j <= p->r->regions; j++)
            p->r->misses[j] += htmt__node_misses(p->node[i])[j];
}

int htmt__replay(const struct htmt__node_figures *figures, const struct htmt__tape *tape,
                 const struct htmt__replay_options *options, struct htmt__replay *r)
{
    struct replay p = {.tape = tape, .options = options, .r = r};
    *r = (struct htmt__replay){.services = 0};
    int rc = find_services(&p);
    if (!rc)
        rc = open_nodes(&p, figures);
    if (!rc)
        rc = play_all(&p);
    if (!rc)
        count_misses(&p);
    else
        htmt__replay_fini(r);
    close_nodes(&p);
    return rc;
}

void htmt__replay_fini(struct htmt__replay *r)
{
    free(r->misses);
    r->misses = NULL;
}
