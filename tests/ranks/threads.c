/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ranks/threads.h"

#include "runtime/base/error.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Where the ranks meet: a barrier that can be left for good, which POSIX's cannot. */
struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t full;
    uint32_t count, here;
    uint64_t turn; /* of the barrier */
    bool broken;
    struct seat *seats;
};

struct seat {
    struct meeting *meeting;
    uint32_t rank;
    const struct htmt_bytes *to; /* while the others read it */
    unsigned char *came;         /* what was handed to this rank, one piece after another */
    size_t room;
};

/* False: somebody has left. */
static bool meet(struct meeting *m)
{
    pthread_mutex_lock(&m->lock);
    uint64_t turn = m->turn;
    bool last = !m->broken && ++m->here == m->count;
    if (last) {
        m->here = 0;
        m->turn++;
        pthread_cond_broadcast(&m->full);
    }
    while (m->turn == turn && !m->broken)
        pthread_cond_wait(&m->full, &m->lock);
    bool met = m->turn != turn;
    pthread_mutex_unlock(&m->lock);
    return met;
}

static void leave(struct meeting *m)
{
    pthread_mutex_lock(&m->lock);
    m->broken = true;
    pthread_cond_broadcast(&m->full);
    pthread_mutex_unlock(&m->lock);
}

static size_t bytes_for(const struct seat *s)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < s->meeting->count; i++)
        bytes += s->meeting->seats[i].to[s->rank].size;
    return bytes;
}

/* A sanitizer sees who reads what came before: each time it lies elsewhere. */
static int make_room(struct seat *s)
{
    free(s->came);
    s->room = bytes_for(s);
    s->came = malloc(s->room ? s->room : 1);
    return s->came ? 0 : HTMT_ESYSTEM;
}

static void take(struct seat *s, struct htmt_bytes *from)
{
    unsigned char *at = s->came;
    for (uint32_t i = 0; i < s->meeting->count; i++) {
        from[i] = (struct htmt_bytes){at, s->meeting->seats[i].to[s->rank].size};
        if (from[i].size)
            memcpy(at, s->meeting->seats[i].to[s->rank].at, from[i].size);
        at += from[i].size;
    }
}

static int exchange(void *self, const struct htmt_bytes *to, struct htmt_bytes *from)
{
    struct seat *s = self;
    s->to = to;
    if (!meet(s->meeting))
        return HTMT_ESYSTEM;
    int rc = make_room(s);
    if (rc)
        leave(s->meeting);
    else
        take(s, from);
    return meet(s->meeting) ? 0 : HTMT_ESYSTEM;
}

static int open_meeting(struct meeting *m, uint32_t count)
{
    m->count = count;
    m->seats = calloc(count, sizeof *m->seats);
    if (!m->seats)
        return HTMT_ENOMEM;
    if (pthread_mutex_init(&m->lock, NULL))
        goto no_lock;
    if (pthread_cond_init(&m->full, NULL))
        goto no_condition;
    return 0;
no_condition:
    pthread_mutex_destroy(&m->lock);
no_lock:
    free(m->seats);
    return HTMT_ESYSTEM;
}

int ranks_threads_create(uint32_t count, struct htmt_ranks **ranks)
{
    struct meeting *m = calloc(1, sizeof *m);
    struct htmt_ranks *r = calloc(count, sizeof *r);
    int rc = m && r ? open_meeting(m, count) : HTMT_ENOMEM;
    if (rc) {
        free(m);
        free(r);
        return rc;
    }
    for (uint32_t i = 0; i < count; i++) {
        m->seats[i] = (struct seat){.meeting = m, .rank = i};
        r[i] = htmt_ranks_init();
        r[i].rank = i;
        r[i].count = count;
        r[i].self = &m->seats[i];
        r[i].exchange = exchange;
    }
    *ranks = r;
    return 0;
}

void ranks_threads_leave(struct htmt_ranks *rank)
{
    leave(((struct seat *)rank->self)->meeting);
}

void ranks_threads_destroy(struct htmt_ranks **ranks)
{
    if (!*ranks)
        return;
    struct meeting *m = ((struct seat *)(*ranks)->self)->meeting;
    for (uint32_t i = 0; i < m->count; i++)
        free(m->seats[i].came);
    pthread_cond_destroy(&m->full);
    pthread_mutex_destroy(&m->lock);
    free(m->seats);
    free(m);
    free(*ranks);
    *ranks = NULL;
}

/* ---- one thread a rank ------------------------------------------------------------------------
 */

struct player {
    pthread_t thread;
    struct htmt_ranks *rank;
    int (*work)(const struct htmt_ranks *rank, void *user);
    void *user;
    bool started;
    int rc;
};

static void *play(void *player)
{
    struct player *p = player;
    p->rc = p->work(p->rank, p->user);
    ranks_threads_leave(p->rank);
    return NULL;
}

/* A thread that the host refuses leaves the others alone with their first exchange. */
static void play_all(struct player *p, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        p[i].rc = HTMT_ESYSTEM;
        p[i].started = !pthread_create(&p[i].thread, NULL, play, &p[i]);
        if (!p[i].started)
            ranks_threads_leave(p[i].rank);
    }
    for (uint32_t i = 0; i < count; i++)
        if (p[i].started)
            pthread_join(p[i].thread, NULL);
}

int ranks_threads_play(uint32_t count, int (*work)(const struct htmt_ranks *rank, void *user),
                       void *user, int *rc)
{
    struct htmt_ranks *ranks = NULL;
    int failed = ranks_threads_create(count, &ranks);
    struct player *p = failed ? NULL : calloc(count, sizeof *p);
    if (!p) {
        ranks_threads_destroy(&ranks);
        return failed ? failed : HTMT_ENOMEM;
    }
    for (uint32_t i = 0; i < count; i++)
        p[i] = (struct player){.rank = &ranks[i], .work = work, .user = user};
    play_all(p, count);
    for (uint32_t i = 0; i < count; i++)
        rc[i] = p[i].rc;
    free(p);
    ranks_threads_destroy(&ranks);
    return 0;
}
