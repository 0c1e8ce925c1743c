/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path of a long run has millions of pieces, of which a pixel shows thousands. Above
 * HTMT__PAGE_PATH_MOST the neighbours are joined until they are as long as a fixed share of the
 * path, which bounds their number; the joined piece names the interval of its longest part. Pieces
 * that meet the window stay single, unless these alone are too many.
 */
#include "emul/view/page/critical_path.h"

/* Joined pieces are as long as this share of the path, or longer: half as many as there may be. */
#define JOINED_MOST (HTMT__PAGE_PATH_MOST / 2)

struct joining {
    const struct htmt__page_options *options; /* NULL: no piece stays single */
    htmt_time shortest;                       /* of joined pieces; 0: none is joined */
    struct htmt__path_piece joined;           /* so far; from < to if there is one */
    htmt_time longest;                        /* of its parts */
    struct htmt__bytes *out;
    uint64_t count;
    struct htmt__bytes blocked; /* of pieces that wait for a port: their numbers, and the ports */
};

static bool in_window(const struct htmt__page_options *o, const struct htmt__path_piece *p)
{
    return o && o->windowed && p->from < o->to && p->to > o->from;
}

static void put(struct joining *w, const struct htmt__path_piece *p)
{
    htmt__bytes_number(w->out, htmt_trace_ref_slice(p->interval));
    htmt__bytes_number(w->out, htmt_trace_ref_number(p->interval));
    const bool flies = p->place == HTMT_PATH_FLYING || p->spent == HTMT__PATH_ON_WAY;
    htmt__bytes_number(w->out, 2 * (uint64_t)p->step + flies);
    htmt__bytes_number(w->out, (uint64_t)p->from);
    htmt__bytes_number(w->out, (uint64_t)(p->to - p->from));
    if (p->why == HTMT__PATH_BLOCKED) {
        htmt__bytes_number(&w->blocked, w->count);
        htmt__bytes_number(&w->blocked, p->of);
    }
    w->count++;
}

static void put_joined(struct joining *w)
{
    if (w->joined.from < w->joined.to)
        put(w, &w->joined);
    w->joined = (struct htmt__path_piece){.from = 0};
    w->longest = 0;
}

uint64_t htmt__page_path_encode(const struct htmt__trace_path *path,
                                const struct htmt__page_options *o, struct htmt__bytes *out)
{
    struct joining w = {.out = out};
    uint64_t single = 0;
    for (uint64_t i = 0; i < path->count; i++)
        single += in_window(o, &path->piece[i]);
    if (path->count > HTMT__PAGE_PATH_MOST)
        w.shortest = path->total / JOINED_MOST + 1;
    if (single <= JOINED_MOST)
        w.options = o;
    for (uint64_t i = 0; i < path->count; i++) {
        const struct htmt__path_piece *p = &path->piece[i];
        if (p->interval == HTMT_TRACE_NONE)
            continue;
        if (!w.shortest || in_window(w.options, p)) {
            put_joined(&w);
            put(&w, p);
            continue;
        }
        /* It ends where the pieces that are joined so far begin. */
        const htmt_time to = w.longest ? w.joined.to : p->to;
        if (p->to - p->from > w.longest) {
            w.longest = p->to - p->from;
            w.joined = *p;
        }
        w.joined.from = p->from;
        w.joined.to = to;
        if (to - p->from >= w.shortest)
            put_joined(&w);
    }
    put_joined(&w);
    if (w.blocked.count)
        htmt__bytes_append(out, w.blocked.byte, w.blocked.count);
    out->failed |= w.blocked.failed;
    htmt__bytes_clear(&w.blocked);
    return w.count;
}
