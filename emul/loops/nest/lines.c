/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A memory keeps and moves lines of L bytes. The rules of reuse count words, so each word gets a
 * weight: the bytes that come with it and that no other word of the nest uses, itself included.
 *
 * A stream moves by d bytes when a loop goes on by one. Let u be the loop for which d is least, and
 * let v[i] be a member of records of 64 B, or the column b[i][j] with j outside:
 *
 * - d >= L: the next iteration of u is in another line. A word counts L bytes.
 * - d < L: L / d iterations of u share a line. It is used to its end if it stays from one iteration
 *   of u to the next, so if the lines that the loops inside u touch meanwhile fit the memory: then
 * a word counts d bytes, which is 8 of 8 in a row. If they do not fit, each iteration brings the
 * line again: L bytes.
 *
 * Words that lie close to each other share their lines. Streams that move alike, less than a line
 * apart, are one: v[i].x, v[i].y and v[i].z of 24-byte records are a stream of d = 24, with the
 * offsets of all. Together they reach over s bytes from the first byte to the last one, so where
 * lines are lost, or d >= L, they need L + s - w bytes in the mean, if a word has w bytes: their
 * first word may stand anywhere in its line (if L divides all distances, it stands where it stands,
 * and lines are counted). Offsets along u are such neighbours, too: of b[i][j-1], b[i][j],
 * b[i][j+1] with lost lines one line serves three words. They become one offset, with the sum.
 *
 * By hand, L = 64: b[j][i] = a[i][j] of 4096 x 4096 in 64 KiB. a: d = 8 along j, the innermost
 * loop: 8 bytes a word. b: d = 8 along i, and one iteration of i touches 4096 lines, 256 KiB: lost,
 * 64 bytes a word, read and written. In all 128 + 1024 + 1024 MiB.
 *
 * A pattern counts the weights as so many streams, so all rules of reuse stay, and count
 * bytes of lines in place of words: also where other arrays lie between two touches. What is not
 * exact is the step itself: a memory that holds a part of the lines keeps a part of them.
 */
#include "emul/loops/nest/lines.h"

#include "emul/loops/nest/reuse.h"
#include "emul/loops/nest/working.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 8 }; /* bytes of which plan->line speaks */

/* A stream in memory. */
struct mover {
    int64_t by[HTMT__NEST_DEPTH]; /* bytes for an iteration of each loop */
    int64_t at;                   /* where it begins: of streams that move alike, how far apart */
    int64_t word;                 /* bytes */
    unsigned group;               /* array, or the first one with the same records */
    int loop;                     /* u; -1: none moves it, or nothing is known */
};

/* Streams whose words lie in the same lines, from first to last in the order of movers. */
struct cluster {
    unsigned first, last;
    bool lost;
    double weight; /* bytes that an iteration brings, where none of them is used again */
};

struct lining {
    struct htmt__nest_plan *plan;
    const struct htmt__nest_file *file;
    const struct htmt__nest_layout *layout;
    const int64_t *extent;
    struct mover *mover;  /* of each stream */
    struct mover **order; /* streams that move alike stand together, by their place */
    unsigned clusters;
    struct cluster *cluster;
    int64_t line; /* bytes */
};

/* ---- movers ------------------------------------------------------------------------------------
 */

static unsigned group_of(const struct htmt__nest_file *file, unsigned array)
{
    const struct htmt__nest_array *a = &file->array[array];
    for (unsigned i = 0; i < array && *a->record; i++)
        if (!strcmp(file->array[i].record, a->record))
            return i;
    return array;
}

static int64_t magnitude(int64_t a)
{
    return a < 0 ? -a : a;
}

static void place(const struct lining *g, const struct htmt__nest_point *point, struct mover *m)
{
    const struct htmt__nest_layout *l = &g->layout[point->array];
    *m = (struct mover){.group = group_of(g->file, point->array), .loop = -1};
    m->word = (int64_t)g->file->array[point->array].bytes;
    if (point->coupled || !l->used)
        return;
    m->at = l->base + (int64_t)point->component * l->component;
    for (unsigned i = 0; i < point->axes; i++) {
        const int loop = point->axis[i].loop;
        m->at += l->by[i] * (point->axis[i].rest - l->low[i]);
        if (loop >= 0)
            m->by[loop] += l->by[i] * point->axis[i].factor;
    }
    for (unsigned k = 0; k < g->plan->depth; k++)
        if (m->by[k] && g->plan->extent[k] > 1 &&
            (m->loop < 0 || magnitude(m->by[k]) < magnitude(m->by[m->loop])))
            m->loop = (int)k;
}

static int compare_moves(const struct mover *a, const struct mover *b)
{
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return memcmp(a->by, b->by, sizeof a->by);
}

static int by_place(const void *left, const void *right)
{
    const struct mover *a = *(struct mover *const *)left, *b = *(struct mover *const *)right;
    const int sign = compare_moves(a, b);
    return sign ? sign : (a->at > b->at) - (a->at < b->at);
}

/* Points are sorted by stream. */
static int find_movers(struct lining *g)
{
    const struct htmt__nest_plan *plan = g->plan;
    g->mover = calloc(plan->streams + 1, sizeof *g->mover);
    g->order = calloc(plan->streams + 1, sizeof *g->order);
    g->cluster = calloc(plan->streams + 1, sizeof *g->cluster);
    if (!g->mover || !g->order || !g->cluster)
        return HTMT_ENOMEM;
    for (size_t i = 0, s = 0; i < plan->points && s < plan->streams; i++)
        if (!i || htmt__nest_point_streams(&plan->point[i - 1], &plan->point[i]))
            place(g, &plan->point[i], &g->mover[s++]);
    for (unsigned s = 0; s < plan->streams; s++)
        g->order[s] = &g->mover[s];
    if (plan->streams)
        qsort(g->order, plan->streams, sizeof *g->order, by_place);
    return 0;
}

/* ---- clusters ----------------------------------------------------------------------------------
 */

static const struct htmt__nest_pattern *pattern_of(const struct lining *g, const struct mover *m)
{
    return &g->plan->pattern[g->plan->stream[m - g->mover].pattern];
}

/* Bytes of lines that words between two places touch at once. */
static double lines_over(const struct lining *g, const struct mover *m, int64_t low, int64_t high)
{
    const int64_t from = (low % g->line + g->line) % g->line; /* in its line */
    bool still = true;                                        /* there, whatever the iteration */
    for (unsigned k = 0; k < g->plan->depth; k++)
        still = still && m->by[k] % g->line == 0;
    if (still)
        return (double)((from + high - low + m->word - 1) / g->line * g->line + g->line);
    return (double)(g->line + high - low);
}

static int by_offset(const void *left, const void *right)
{
    const struct htmt__nest_offset *a = left, *b = right;
    int sign = 0;
    for (unsigned l = 0; l < HTMT__NEST_DEPTH && !sign; l++)
        sign = (a->at[l] > b->at[l]) - (a->at[l] < b->at[l]);
    return sign;
}

/* A reference of a cluster: which line, and where in it beside others. */
struct seat {
    struct htmt__nest_offset offset;
    int64_t low, high;
};

/* The references of a cluster: those that one line serves in one iteration are one seat. Where
 * lines are lost, the offset along the loop is a place in the line. */
static int find_seats(const struct lining *g, const struct cluster *c, struct seat **seats,
                      unsigned *count)
{
    const struct mover *m = g->order[c->first];
    size_t room = 1, all = 0;
    for (unsigned i = c->first; i <= c->last; i++)
        room += pattern_of(g, g->order[i])->offsets;
    struct seat *seat = calloc(room, sizeof *seat);
    *seats = seat;
    *count = 0;
    if (!seat)
        return HTMT_ENOMEM;
    for (unsigned i = c->first; i <= c->last; i++) {
        const struct htmt__nest_pattern *p = pattern_of(g, g->order[i]);
        for (unsigned o = 0; o < p->offsets; o++, all++) {
            seat[all].offset = p->offset[o];
            seat[all].low = g->order[i]->at;
            if (c->lost) {
                seat[all].low += p->offset[o].at[m->loop] * m->by[m->loop];
                seat[all].offset.at[m->loop] = 0;
            }
            seat[all].high = seat[all].low;
        }
    }
    qsort(seat, all, sizeof *seat, by_offset); /* the offset is its first member */
    for (size_t i = 0; i < all; i++) {
        struct seat *old = *count ? &seat[*count - 1] : NULL;
        if (!old || by_offset(&old->offset, &seat[i].offset)) {
            seat[(*count)++] = seat[i];
            continue;
        }
        const struct htmt__nest_offset *o = &seat[i].offset;
        old->low = seat[i].low < old->low ? seat[i].low : old->low;
        old->high = seat[i].high > old->high ? seat[i].high : old->high;
        old->offset.touch |= o->touch;
        old->offset.first = o->first < old->offset.first ? o->first : old->offset.first;
        old->offset.last = o->last > old->offset.last ? o->last : old->offset.last;
    }
    return 0;
}

/* Lines of their own, or lost ones, count whole: in the mean of all seats. */
static int weigh(const struct lining *g, struct cluster *c, const bool *lost)
{
    const struct mover *m = g->order[c->first];
    struct seat *seat;
    unsigned seats;
    double sum = 0;
    c->weight = (double)m->word;
    c->lost = false;
    if (m->loop < 0)
        return 0;
    const int64_t step = magnitude(m->by[m->loop]);
    c->lost = lost[m->loop] && step < g->line;
    c->weight = (double)step;
    if (!c->lost && step < g->line)
        return 0;
    int rc = find_seats(g, c, &seat, &seats);
    for (unsigned i = 0; i < seats && !rc; i++)
        sum += lines_over(g, m, seat[i].low, seat[i].high);
    c->weight = sum / (seats ? seats : 1);
    free(seat);
    return rc;
}

/* Streams that move alike and lie less than a line apart; of longer records, in one line. Lines
 * stay, or are lost where `lost` says so for their loop. */
static int find_clusters(struct lining *g, const bool *lost)
{
    const unsigned streams = g->plan->streams;
    int rc = 0;
    g->clusters = 0;
    for (unsigned first = 0, next; first < streams && !rc; first = next) {
        const struct mover *m = g->order[first];
        int64_t end = m->at;
        for (next = first + 1; next < streams && m->loop >= 0; next++) {
            const struct mover *other = g->order[next];
            if (compare_moves(m, other) || other->at - end >= g->line)
                break;
            end = other->at;
        }
        struct cluster *c = &g->cluster[g->clusters++];
        c->first = first;
        c->last = next - 1;
        rc = weigh(g, c, lost);
    }
    return rc;
}

/* A pattern with the offsets of all streams of a cluster. */
static int merge_offsets(const struct lining *g, const struct cluster *c,
                         struct htmt__nest_pattern *merged)
{
    struct seat *seat;
    *merged = *pattern_of(g, g->order[c->first]);
    merged->offset = NULL;
    int rc = find_seats(g, c, &seat, &merged->offsets);
    if (!rc && !(merged->offset = calloc(merged->offsets + 1, sizeof *merged->offset)))
        rc = HTMT_ENOMEM;
    for (unsigned i = 0; i < merged->offsets && !rc; i++) {
        merged->offset[i] = seat[i].offset;
        merged->touch |= seat[i].offset.touch;
    }
    free(seat);
    return rc;
}

/* Bytes of the lines that are touched in one iteration of a loop: clusters whose own loop is inside
 * use theirs to the end. */
static int count_lines(const struct lining *g, int loop, htmt_wide *bytes)
{
    int64_t extent[HTMT__NEST_DEPTH];
    double sum = 0;
    int rc = 0;
    for (unsigned l = 0; l < g->plan->depth; l++)
        extent[l] = (int)l <= loop ? 1 : g->extent[l];
    for (unsigned i = 0; i < g->clusters && !rc; i++) {
        struct htmt__nest_pattern p;
        htmt_wide words = 0;
        if (pattern_of(g, g->order[g->cluster[i].first])->coupled)
            continue;
        rc = merge_offsets(g, &g->cluster[i], &p);
        if (!rc)
            rc = htmt__nest_pattern_words(g->plan, &p, extent, &words);
        free(p.offset);
        sum += (double)words * g->cluster[i].weight;
    }
    *bytes = (htmt_wide)sum;
    return rc;
}

/* Which lines stay, from the inside out: what the loops inside touch meanwhile is known then. */
static int find_lost(struct lining *g, htmt_wide capacity)
{
    bool lost[HTMT__NEST_DEPTH] = {false};
    int rc = 0;
    for (int l = (int)g->plan->depth - 1; l >= 0 && !rc; l--) {
        htmt_wide bytes = 0;
        for (int k = 0; k <= l; k++)
            lost[k] = true; /* one iteration uses one word of each of their lines */
        rc = find_clusters(g, lost);
        if (!rc)
            rc = count_lines(g, l, &bytes);
        lost[l] = bytes > capacity;
    }
    return rc ? rc : find_clusters(g, lost);
}

/* ---- the plan ----------------------------------------------------------------------------------
 */

static bool same_offsets(const struct htmt__nest_pattern *a, const struct htmt__nest_pattern *b)
{
    return a->offsets == b->offsets && a->used == b->used && a->unit == b->unit &&
           a->coupled == b->coupled && a->given == b->given &&
           !memcmp(a->offset, b->offset, a->offsets * sizeof *a->offset);
}

/* A cluster is as a stream of one word that has the weight of all. */
static bool is_plain(const struct lining *g, const struct cluster *c)
{
    return c->first == c->last && c->weight == (double)g->order[c->first]->word;
}

/* A pattern for each cluster, or the one that is the same; `units` sums up what they count. */
static int put_pattern(const struct lining *g, const struct cluster *c, struct htmt__nest_plan *to,
                       double *units)
{
    struct htmt__nest_pattern own;
    unsigned at = 0;
    int rc = merge_offsets(g, c, &own);
    if (rc)
        return rc;
    if (!is_plain(g, c))
        own.unit = -1; /* lines are in the weight; rows are not rounded besides */
    while (at < to->patterns && !same_offsets(&to->pattern[at], &own))
        at++;
    if (at == to->patterns)
        to->pattern[to->patterns++] = own;
    else
        free(own.offset);
    for (unsigned i = c->first; i <= c->last; i++)
        to->stream[g->order[i] - g->mover].pattern = at;
    units[at] += c->weight / (double)g->plan->unit;
    return 0;
}

static void destroy(struct htmt__nest_plan *lined)
{
    htmt__nest_reuse_destroy(&lined->reuse);
    for (unsigned i = 0; i < lined->patterns; i++)
        free(lined->pattern[i].offset);
    free(lined->pattern);
    free(lined->stream);
    free(lined);
}

static int make_plan(const struct lining *g, struct htmt__nest_plan **lined)
{
    const struct htmt__nest_plan *plan = g->plan;
    struct htmt__nest_plan *to = *lined = malloc(sizeof *to);
    double *units = calloc(plan->streams + 1, sizeof *units);
    int rc = to && units ? 0 : HTMT_ENOMEM;
    if (!rc) {
        *to = *plan;
        to->reuse = NULL;
        to->lined = NULL;
        to->patterns = 0;
        to->pattern = calloc(plan->streams + 1, sizeof *to->pattern);
        to->stream = calloc(plan->streams + 1, sizeof *to->stream);
        if (!to->pattern || !to->stream)
            rc = HTMT_ENOMEM;
        else
            memcpy(to->stream, plan->stream, plan->streams * sizeof *to->stream);
    }
    for (unsigned i = 0; i < g->clusters && !rc; i++)
        rc = put_pattern(g, &g->cluster[i], to, units);
    for (unsigned i = 0; !rc && i < to->patterns; i++)
        to->pattern[i].streams = units[i] < 1 ? 1 : (uint64_t)(units[i] + 0.5);
    free(units);
    if (rc && to)
        destroy(to);
    return rc;
}

static bool same_plan(const struct htmt__nest_plan *a, const struct htmt__nest_plan *b)
{
    bool same = a->patterns == b->patterns;
    for (unsigned i = 0; i < a->patterns && same; i++)
        same = a->pattern[i].streams == b->pattern[i].streams &&
               same_offsets(&a->pattern[i], &b->pattern[i]);
    return same;
}

int htmt__nest_lines_plan(struct htmt__nest_plan *plan, const struct htmt__nest_file *file,
                          const struct htmt__nest_layout *layout,
                          const int64_t extent[HTMT__NEST_DEPTH], htmt_wide capacity,
                          struct htmt__nest_plan **lined)
{
    struct lining g = {.plan = plan, .file = file, .layout = layout, .extent = extent};
    struct htmt__nest_plan *made = NULL;
    bool plain = true;
    *lined = plan;
    g.line = (int64_t)plan->line * WORD;
    if (plan->line <= 1 || !plan->count)
        return 0;
    int rc = find_movers(&g);
    if (!rc)
        rc = find_lost(&g, capacity * (htmt_wide)plan->unit);
    for (unsigned i = 0; i < g.clusters && !rc; i++)
        plain = plain && is_plain(&g, &g.cluster[i]);
    if (!rc && !plain)
        rc = make_plan(&g, &made);
    if (!rc && made) {
        struct htmt__nest_plan *known = plan->lined;
        while (known && !same_plan(known, made))
            known = known->lined;
        *lined = known ? known : made;
        if (known) {
            destroy(made);
        } else {
            made->lined = plan->lined;
            plan->lined = made;
        }
    }
    free(g.mover);
    free(g.order);
    free(g.cluster);
    return rc;
}

void htmt__nest_lines_clear(struct htmt__nest_plan *plan)
{
    while (plan->lined) {
        struct htmt__nest_plan *next = plan->lined->lined;
        destroy(plan->lined);
        plan->lined = next;
    }
}
