/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/trace/slack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[HTMT__SHARE_KINDS] = {"resource", "memory", "type"};

const char *htmt__share_kind_name(enum htmt__share_kind kind)
{
    return kind < HTMT__SHARE_KINDS ? kinds[kind] : "?";
}

struct search {
    const struct htmt_trace_info *info;
    struct htmt__graph graph;
    const struct htmt__trace_path *path;
    struct htmt__shares *to;
    bool *mine;    /* the step belongs to the share */
    bool *service; /* it takes no time */
    bool *line;    /* it does not wait */
    htmt_time end;
};

/* ---- members --------------------------------------------------------------------------------- */

static bool is_service(const struct htmt_trace_step *s)
{
    return s->place == HTMT_TRACE_SERVED || s->place == HTMT_TRACE_SENT ||
           s->place == HTMT_TRACE_RECEIVED;
}

static bool is_wait(const struct htmt_trace_step *s)
{
    return s->place == HTMT_TRACE_STALLED || s->place == HTMT_TRACE_ROOM;
}

static bool belongs(const struct htmt_trace_step *s, const struct htmt__share *share, uint32_t of)
{
    return share->kind == HTMT__SHARE_RESOURCE ? is_service(s) && s->resource == of
           : share->kind == HTMT__SHARE_SPACE  ? is_wait(s) && s->layer == of
                                               : is_service(s) && !strcmp(s->type, share->name);
}

static void find_members(struct search *s, const struct htmt__share *share, uint32_t of)
{
    for (uint32_t i = 0; i < s->info->steps; i++) {
        s->mine[i] = belongs(&s->info->step[i], share, of);
        s->service[i] = s->mine[i];
        s->line[i] = s->mine[i] && share->kind != HTMT__SHARE_TYPE;
    }
}

static uint64_t count_intervals(const struct search *s)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < s->graph.count; i++)
        n += s->mine[s->graph.step[i]];
    return n;
}

/* Space is on the path with the services that began when it became free. */
static bool piece_belongs(const struct search *s, const struct htmt__path_piece *p,
                          const struct htmt__share *share, uint32_t of)
{
    if (share->kind == HTMT__SHARE_SPACE)
        return p->why == HTMT__PATH_SPACE && p->of == of;
    return p->spent == HTMT__PATH_IN_SERVICE && s->mine[p->step] &&
           (share->kind == HTMT__SHARE_TYPE || p->place != HTMT_PATH_FLYING);
}

static htmt_time sum_path(const struct search *s, const struct htmt__share *share, uint32_t of)
{
    htmt_time sum = 0;
    for (uint64_t i = 0; i < s->path->count; i++)
        if (piece_belongs(s, &s->path->piece[i], share, of))
            sum += s->path->piece[i].to - s->path->piece[i].from;
    return sum;
}

/* ---- gain ------------------------------------------------------------------------------------ */

static void add_share(struct search *s, struct htmt__share share, uint32_t of)
{
    find_members(s, &share, of);
    share.intervals = count_intervals(s);
    if (!share.intervals)
        return;
    share.on_path = sum_path(s, &share, of);
    share.gain =
        s->end - htmt__graph_end(&s->graph, &(struct htmt__graph_free){s->service, s->line});
    s->to->share[s->to->count++] = share;
}

static bool is_new_type(const struct htmt_trace_info *info, uint32_t step)
{
    for (uint32_t i = 0; i < step; i++)
        if (!strcmp(info->step[i].type, info->step[step].type))
            return false;
    return *info->step[step].type != '\0';
}

static void add_shares(struct search *s)
{
    for (uint32_t i = 0; i < s->info->resources; i++) {
        struct htmt__share share = {.kind = HTMT__SHARE_RESOURCE};
        snprintf(share.name, sizeof share.name, "%s", s->info->resource[i].name);
        add_share(s, share, i);
    }
    for (uint32_t i = 0; i < s->info->layers; i++) {
        struct htmt__share share = {.kind = HTMT__SHARE_SPACE};
        snprintf(share.name, sizeof share.name, "%s", s->info->layer[i].memory);
        add_share(s, share, i);
    }
    for (uint32_t i = 0; i < s->info->steps; i++) {
        struct htmt__share share = {.kind = HTMT__SHARE_TYPE};
        snprintf(share.name, sizeof share.name, "%s", s->info->step[i].type);
        if (is_new_type(s->info, i))
            add_share(s, share, UINT32_MAX);
    }
}

/* ---- slack ----------------------------------------------------------------------------------- */

/* The element that would stand at `k` if the values were sorted. */
static htmt_time select_value(htmt_time *value, uint64_t count, uint64_t k)
{
    uint64_t low = 0, high = count - 1;
    while (low < high) {
        htmt_time pivot = value[low + (high - low) / 2];
        uint64_t i = low, j = high;
        while (i <= j) {
            while (value[i] < pivot)
                i++;
            while (value[j] > pivot)
                j--;
            if (i > j)
                break;
            htmt_time swap = value[i];
            value[i++] = value[j];
            value[j] = swap;
            if (!j)
                break;
            j--;
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return value[k];
}

/* `lag` is no longer needed: the slack of the share's intervals goes there. */
static void measure(struct search *s, struct htmt__share *share)
{
    struct htmt__graph *g = &s->graph;
    uint64_t n = 0;
    for (uint32_t i = 0; i < g->count; i++)
        if (s->mine[g->step[i]])
            g->lag[n++] = g->work[i];
    share->least = n ? g->lag[0] : 0;
    for (uint64_t i = 0; i < n; i++) {
        share->critical += g->lag[i] == 0;
        share->least = g->lag[i] < share->least ? g->lag[i] : share->least;
    }
    share->median = n ? select_value(g->lag, n, (n - 1) / 2) : 0;
}

/* The latest end becomes the slack. */
static int take_ends(struct htmt_trace *t, struct search *s, struct htmt_fault *fault)
{
    struct htmt_trace_block b = {0};
    struct htmt__graph *g = &s->graph;
    int rc = 0;
    for (uint64_t i = 0; i < s->info->blocks && !rc; i++) {
        rc = htmt_trace_block_read(t, i, &b, fault);
        for (uint32_t n = 0; n < b.count && !rc; n++)
            g->work[g->base[b.slice] + (uint32_t)b.first + n] -= b.interval[n].end;
    }
    htmt_trace_block_clear(&b);
    return rc;
}

static uint32_t index_of(const struct search *s, const struct htmt__share *share)
{
    for (uint32_t i = 0; share->kind == HTMT__SHARE_RESOURCE && i < s->info->resources; i++)
        if (!strcmp(s->info->resource[i].name, share->name))
            return i;
    return UINT32_MAX;
}

static int find_slack(struct htmt_trace *t, struct search *s, struct htmt_fault *fault)
{
    htmt__graph_latest(&s->graph);
    int rc = take_ends(t, s, fault);
    for (uint32_t i = 0; i < s->to->count && !rc; i++) {
        struct htmt__share *share = &s->to->share[i];
        if (share->kind == HTMT__SHARE_SPACE)
            continue;
        find_members(s, share, index_of(s, share));
        measure(s, share);
    }
    return rc;
}

static int search(struct htmt_trace *t, struct search *s, struct htmt_fault *fault)
{
    size_t shares = (size_t)s->info->resources + s->info->layers + s->info->steps;
    s->mine = calloc((size_t)s->info->steps + 1, sizeof *s->mine);
    s->service = calloc((size_t)s->info->steps + 1, sizeof *s->service);
    s->line = calloc((size_t)s->info->steps + 1, sizeof *s->line);
    s->to->share = calloc(shares + 1, sizeof *s->to->share);
    if (!s->mine || !s->service || !s->line || !s->to->share)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the slack");
    int rc = htmt__graph_load(t, &s->graph, fault);
    if (rc)
        return rc;
    s->to->cut = s->graph.cut;
    s->end = htmt__graph_end(&s->graph, NULL);
    add_shares(s);
    return find_slack(t, s, fault);
}

int htmt__shares_find(struct htmt_trace *t, const struct htmt__trace_path *path,
                      struct htmt__shares *shares, struct htmt_fault *fault)
{
    struct search s = {.info = htmt_trace_info(t), .path = path, .to = shares};
    *shares = (struct htmt__shares){0};
    int rc = search(t, &s, fault);
    htmt__graph_clear(&s.graph);
    free(s.line);
    free(s.service);
    free(s.mine);
    return rc;
}

void htmt__shares_clear(struct htmt__shares *shares)
{
    free(shares->share);
    *shares = (struct htmt__shares){0};
}
