/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Several tapes at one bus and DRAM. Each node plays on as long as it needs neither, since nothing
 * that others do can change what it finds in its own caches. When it needs bus or DRAM it stops
 * before that entry and says when it would ask. The team lets the earliest of all go on, with one
 * permit: requests come in the order of their times, ties in the order of the processors. So the
 * result does not depend on how far each tape was played before the others, and the price of
 * sharing is one stop for each miss.
 */
#include "layers/node/team.h"

#include "runtime/base/error.h"

#include <stdlib.h>

struct member {
    struct htmt__node *node; /* NULL: no tape */
    const uint64_t *entries;
    size_t left;
};

struct htmt__node_team {
    uint32_t count;
    htmt__team_source *source;
    void *user;
    struct member member[];
};

int htmt__team_new(struct htmt__node_team **team, uint32_t processors, htmt__team_source *source,
                   void *user)
{
    struct htmt__node_team *t = calloc(1, sizeof *t + processors * sizeof *t->member);
    if (!t)
        return HTMT_ENOMEM;
    t->count = processors;
    t->source = source;
    t->user = user;
    *team = t;
    return 0;
}

void htmt__team_free(struct htmt__node_team *team)
{
    free(team);
}

/* Up to the request behind `permits` more of them, or to the end of the tape, or an error. */
static int advance(struct htmt__node_team *team, uint32_t number, uint64_t permits)
{
    struct member *m = &team->member[number];
    int rc = 0;
    while (!rc) {
        size_t played;
        if (m->left == 0)
            m->entries = team->source(team->user, number, &m->left);
        if (!m->entries)
            break;
        rc = htmt__node_play_some(m->node, m->entries, m->left, permits, &played);
        permits = htmt__node_permits(m->node);
        m->entries += played;
        m->left -= played;
        if (!rc && m->left > 0)
            return 0;
    }
    *m = (struct member){.node = NULL};
    return rc;
}

int htmt__team_enter(struct htmt__node_team *team, uint32_t processor, struct htmt__node *node)
{
    team->member[processor] = (struct member){.node = node};
    return advance(team, processor, 0);
}

/* The one whose request is the first; count: all have ended. */
static uint32_t first(const struct htmt__node_team *team)
{
    uint32_t found = team->count;
    htmt_time when = HTMT_TIME_MAX;
    for (uint32_t i = 0; i < team->count; i++) {
        const struct htmt__node *node = team->member[i].node;
        if (node && htmt__node_request(node) < when) {
            found = i;
            when = htmt__node_request(node);
        }
    }
    return found;
}

int htmt__team_until(struct htmt__node_team *team, htmt_time until, uint32_t *failed)
{
    while ((*failed = first(team)) < team->count &&
           htmt__node_request_time(team->member[*failed].node) < until) {
        int rc = advance(team, *failed, 1);
        if (rc)
            return rc;
    }
    return 0;
}

htmt_time htmt__team_next(const struct htmt__node_team *team)
{
    const uint32_t found = first(team);
    return found < team->count ? htmt__node_request_time(team->member[found].node) : HTMT_TIME_MAX;
}

bool htmt__team_plays(const struct htmt__node_team *team, uint32_t processor)
{
    return team->member[processor].node != NULL;
}

int htmt__team_play(struct htmt__node *const *node, uint32_t processors, htmt__team_source *source,
                    void *user, uint32_t *failed)
{
    uint32_t number = 0;
    struct htmt__node_team *team;
    int rc = htmt__team_new(&team, processors, source, user);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < processors && !rc; i++)
        rc = htmt__team_enter(team, number = i, node[i]);
    if (!rc)
        rc = htmt__team_until(team, HTMT_TIME_MAX, &number);
    if (rc && failed)
        *failed = number;
    htmt__team_free(team);
    return rc;
}
