/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/node/team.h"

#include "runtime/base/error.h"

#include <stdlib.h>

struct member {
    struct htmt__node *node;
    const uint64_t *entries;
    size_t left;
    bool ended;
};

struct team {
    struct member *member;
    uint32_t count;
    htmt__team_source *source;
    void *user;
};

/* Up to the request behind `permits` more of them, or to the end of the tape. */
static int advance(struct team *team, uint32_t number, uint64_t permits)
{
    struct member *m = &team->member[number];
    int rc = 0;
    while (!rc) {
        size_t played;
        if (m->left == 0)
            m->entries = team->source(team->user, number, &m->left);
        m->ended = !m->entries;
        if (m->ended)
            return 0;
        rc = htmt__node_play_some(m->node, m->entries, m->left, permits, &played);
        permits = htmt__node_permits(m->node);
        m->entries += played;
        m->left -= played;
        if (m->left > 0)
            break;
    }
    return rc;
}

/* The one whose request is the first; count: all have ended. */
static uint32_t first(const struct team *team)
{
    uint32_t found = team->count;
    htmt_time when = HTMT_TIME_MAX;
    for (uint32_t i = 0; i < team->count; i++)
        if (!team->member[i].ended && htmt__node_request(team->member[i].node) < when) {
            found = i;
            when = htmt__node_request(team->member[i].node);
        }
    return found;
}

static int play_all(struct team *team, uint32_t *number)
{
    for (*number = 0; *number < team->count; ++*number) {
        int rc = advance(team, *number, 0);
        if (rc)
            return rc;
    }
    while ((*number = first(team)) < team->count) {
        int rc = advance(team, *number, 1);
        if (rc)
            return rc;
    }
    return 0;
}

int htmt__team_play(struct htmt__node *const *node, uint32_t processors, htmt__team_source *source,
                    void *user, uint32_t *failed)
{
    uint32_t number;
    struct team team = {.count = processors, .source = source, .user = user};
    team.member = calloc((size_t)processors + 1, sizeof *team.member);
    if (!team.member)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < processors; i++)
        team.member[i].node = node[i];
    int rc = play_all(&team, &number);
    if (rc && failed)
        *failed = number;
    free(team.member);
    return rc;
}
