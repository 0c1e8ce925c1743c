/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reuse between nests, without playing them.
 *
 * A nest by itself (reuse.c) fetches each of its words once at least. If an earlier nest has
 * touched a word, its first touch here finds it where no more different words were touched in
 * between than the memory holds. Between lie the rest of the earlier nest, all nests that ran
 * meanwhile, and the beginning of this one. In time, nests are cut into the iterations of their
 * outermost loop. With the earlier nest cut at x, this one at y, the words between are a union of
 * boxes for each array: those of iterations x and later there, of the nests between, of iterations
 * up to y here. For example two sweeps over u[0..n) one after the other: u[v] is touched last at x
 * = v and again at y = v; between lie u[v..n) and u[0..v], n words whatever v. A memory of n words
 * keeps all of u, a smaller one nothing. If the second sweep runs down, y = n-1-v, and between lie
 * u[v..n): a memory of c words keeps the last c.
 *
 * Iterations x and y themselves are in part between and in part not. So each place is asked twice,
 * with both and with neither; where the answers differ, it is not known whether the word is found.
 * Places are words' positions along the axis that the outermost loop moves, in this nest and in the
 * earlier one: where three of them agree, all between do.
 *
 * The program is written out with two turns of each repeat, as in stream.c; the second stands for
 * all that follow. Words are those of the box around all offsets of an array. A star of offsets
 * does not touch the corners of its box: words are fewer by that share.
 *
 * Writes. A nest writes back each word that it writes once at least. If the word is dirty already
 * when it is found, an earlier write back is spared.
 *
 * Cost: nests look back until what lies between is more than the memory holds.
 */
#include "emul/loops/nest/between.h"

#include "emul/loops/nest/region.h"
#include "emul/loops/nest/working.h"
#include "runtime/base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TURNS_MAX 4096
#define DEEPEST   8  /* turns that touch a word between its last write and the next */
#define KNOWN     64 /* answers that are kept of a pair of nests */
#define WORK_MAX  UINT64_C(50000000) /* boxes that are looked at; then nothing more is known */

/* Words of a component that a nest touches: low..high along each axis; along axis `moved` those of
 * iteration i of the outermost loop are i * sign + low_of..i * sign + high_of. */
struct foot {
    bool touched, written;
    unsigned axes;
    int moved, sign; /* moved -1: the outermost loop does not move it */
    int64_t low_of, high_of;
    double full;                         /* words, of those of the box */
    struct htmt__region_box box, writes; /* all, those that are written */
};

/* Components that all nests touch alike. */
struct item {
    unsigned array;
    htmt_wide component, bytes; /* the first; bytes of a word of all */
};

struct turn {
    unsigned run;
    htmt_wide times;
};

/* What lies between two nests, by iterations of their outermost loops. */
struct answer {
    bool known;
    int64_t x, y;
    htmt_wide bytes;
};

struct between {
    const struct htmt__nest_program *program;
    htmt_wide capacity;
    unsigned items, turns;
    size_t item_room, turn_room;
    struct item *item;
    struct turn *turn;
    struct foot *foot;              /* [run][item] */
    struct htmt__region_box *among; /* of one item */
    unsigned *oldest;               /* of each turn: so far back it may find words */
    struct answer answer[KNOWN];    /* of the turns `from` and `to` */
    unsigned from, to;
    uint64_t work;
    int rc;
};

static struct foot *foot_of(const struct between *b, unsigned run, unsigned item)
{
    return &b->foot[(size_t)run * b->items + item];
}

/* ---- what nests touch --------------------------------------------------------------------------
 */

static void grow(int64_t *low, int64_t *high, int64_t from, int64_t to)
{
    *low = from < *low ? from : *low;
    *high = to > *high ? to : *high;
}

static double words_in(const struct htmt__region_box *box, unsigned axes)
{
    double words = 1;
    for (unsigned a = 0; a < axes; a++)
        words *= (double)(box->high[a] - box->low[a]);
    return words;
}

static void widen(struct htmt__region_box *box, unsigned axis, bool first, int64_t low,
                  int64_t high)
{
    box->low[axis] = first || low < box->low[axis] ? low : box->low[axis];
    box->high[axis] = first || high + 1 > box->high[axis] ? high + 1 : box->high[axis];
}

/* A reference widens what the nest touches. False: it is of another form. */
static bool add_point(const struct htmt__nest_plan *plan, const struct htmt__nest_point *p,
                      struct foot *f)
{
    const bool first = !f->touched, writes = p->offset.touch & HTMT__NEST_WRITES;
    unsigned loops = 0;
    f->axes = p->axes;
    for (unsigned a = 0; a < p->axes; a++) {
        const struct htmt__nest_axis *x = &p->axis[a];
        int64_t at = x->rest, low, high;
        if (x->loop >= 0 && (loops & 1U << x->loop || (x->factor != 1 && x->factor != -1)))
            return false;
        if (x->loop >= 0)
            loops |= 1U << x->loop;
        at += x->loop >= 0 ? x->factor * p->offset.at[x->loop] : 0;
        const int64_t more = x->loop >= 0 ? plan->extent[x->loop] - 1 : 0;
        low = x->factor < 0 && x->loop >= 0 ? at - more : at;
        high = low + more;
        widen(&f->box, a, first, low, high);
        if (writes)
            widen(&f->writes, a, !f->written, low, high);
        if (x->loop != 0) {
            if (!first && f->moved == (int)a)
                return false;
            continue;
        }
        if (!first && (f->moved != (int)a || f->sign != (int)x->factor))
            return false;
        if (first)
            f->low_of = f->high_of = at;
        f->moved = (int)a;
        f->sign = (int)x->factor;
        grow(&f->low_of, &f->high_of, at, at);
    }
    f->touched = true;
    f->written = f->written || writes;
    return true;
}

static bool is_box(const struct htmt__nest_plan *plan)
{
    htmt_wide box = 1;
    for (unsigned l = 0; l < plan->depth; l++)
        box *= plan->extent[l];
    return plan->bodies == 1 && !plan->body[0].told && !plan->coupleds && box == plan->count;
}

static unsigned find_item(const struct between *b, unsigned array, htmt_wide component)
{
    unsigned low = 0, high = b->items;
    while (low < high) {
        const unsigned mid = (low + high) / 2;
        const struct item *i = &b->item[mid];
        if (i->array < array || (i->array == array && i->component < component))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* All components that some nest touches; each an item. */
static int collect_items(struct between *b)
{
    const struct htmt__nest_program *p = b->program;
    for (unsigned r = 0; r < p->runs; r++) {
        const struct htmt__nest_plan *plan = p->run[r].plan;
        if (plan && !is_box(plan))
            return HTMT_ERANGE;
        for (unsigned s = 0; plan && s < plan->streams; s++) {
            const struct htmt__nest_stream *of = &plan->stream[s];
            const unsigned at = find_item(b, of->array, of->component);
            if (s && plan->stream[s - 1].array == of->array &&
                plan->stream[s - 1].component == of->component)
                return HTMT_ERANGE; /* several maps */
            if (at < b->items && b->item[at].array == of->array &&
                b->item[at].component == of->component)
                continue;
            if (!htmt__array_fits(&b->item, &b->item_room, (size_t)b->items + 1, sizeof *b->item))
                return HTMT_ENOMEM;
            memmove(b->item + at + 1, b->item + at, (b->items - at) * sizeof *b->item);
            b->item[at] =
                (struct item){of->array, of->component, (htmt_wide)p->file->array[of->array].bytes};
            b->items++;
        }
    }
    return 0;
}

/* Neighbours that all nests touch alike become one item. */
static void join_items(struct between *b)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < b->items; i++) {
        bool alike = kept && b->item[kept - 1].array == b->item[i].array;
        for (unsigned r = 0; r < b->program->runs && alike; r++)
            alike = !memcmp(foot_of(b, r, kept - 1), foot_of(b, r, i), sizeof *b->foot);
        if (alike) {
            b->item[kept - 1].bytes += (htmt_wide)b->program->file->array[b->item[i].array].bytes;
            continue;
        }
        for (unsigned r = 0; r < b->program->runs; r++)
            *foot_of(b, r, kept) = *foot_of(b, r, i);
        b->item[kept++] = b->item[i];
    }
    /* rows of the table close up */
    for (unsigned r = 0; r < b->program->runs; r++)
        memmove(b->foot + (size_t)r * kept, b->foot + (size_t)r * b->items, kept * sizeof *b->foot);
    b->items = kept;
}

/* A procedure whose body was not seen touches and writes all of its arrays. */
static void measure_unknown(struct between *b, unsigned run)
{
    const struct htmt__nest_program *p = b->program;
    for (unsigned k = 0; k < p->run[run].parts; k++) {
        const struct htmt__nest_sent *sent = &p->run[run].part[k];
        for (unsigned i = 0; i < b->items; i++) {
            struct foot *f = foot_of(b, run, i);
            const htmt_wide component = b->item[i].component;
            if (b->item[i].array != sent->array || component < sent->first ||
                component >= sent->first + sent->count)
                continue;
            f->touched = f->written = true;
            f->full = 1;
            f->axes = p->file->array[sent->array].axes;
            for (unsigned a = 0; a < f->axes; a++)
                widen(&f->box, a, true, (int64_t)p->low[sent->array][a],
                      (int64_t)(p->low[sent->array][a] + p->size[sent->array][a] - 1));
            f->writes = f->box;
        }
    }
}

static int measure(struct between *b)
{
    const struct htmt__nest_program *p = b->program;
    int rc = collect_items(b);
    if (rc)
        return rc;
    b->foot = calloc((size_t)p->runs * b->items + 1, sizeof *b->foot);
    b->among = calloc(TURNS_MAX + 2, sizeof *b->among);
    if (!b->foot || !b->among)
        return HTMT_ENOMEM;
    for (unsigned r = 0; r < p->runs; r++) {
        const struct htmt__nest_plan *plan = p->run[r].plan;
        for (unsigned i = 0; i < b->items; i++)
            foot_of(b, r, i)->moved = -1;
        if (!plan)
            measure_unknown(b, r);
        for (size_t n = 0; plan && plan->count && n < plan->points; n++) {
            const struct htmt__nest_point *point = &plan->point[n];
            struct foot *f = foot_of(b, r, find_item(b, point->array, point->component));
            if (!add_point(plan, point, f))
                return HTMT_ERANGE;
        }
        for (unsigned s = 0; plan && plan->count && s < plan->streams && !rc; s++) {
            const struct htmt__nest_stream *of = &plan->stream[s];
            struct foot *f = foot_of(b, r, find_item(b, of->array, of->component));
            htmt_wide words = 0;
            rc = htmt__nest_pattern_words(plan, &plan->pattern[of->pattern], plan->extent, &words);
            f->full = (double)words / words_in(&f->box, f->axes);
        }
        if (rc)
            return rc;
    }
    join_items(b);
    return 0;
}

/* ---- turns -------------------------------------------------------------------------------------
 */

static int write_out(struct between *b, unsigned first, unsigned last, unsigned rounds,
                     htmt_wide times)
{
    const struct htmt__nest_program *p = b->program;
    int rc = 0;
    for (unsigned run = first; run <= last && !rc;) {
        unsigned inner = rounds;
        for (unsigned i = rounds; i-- > 0 && inner == rounds;)
            if (p->repeat[i].first == run)
                inner = i;
        if (inner < rounds) {
            const struct htmt__nest_rounds *r = &p->repeat[inner];
            if (r->loop && r->first != r->last)
                return HTMT_ERANGE; /* nests in turn */
            rc = write_out(b, r->first, r->last, inner, times);
            if (!rc && !r->loop)
                rc = write_out(b, r->first, r->last, inner, times * (r->times - 1));
            run = r->last + 1;
            continue;
        }
        if (p->run[run].plan && !p->run[run].plan->count) {
            run++;
            continue;
        }
        if (b->turns == TURNS_MAX)
            return HTMT_ERANGE;
        if (!htmt__array_fits(&b->turn, &b->turn_room, (size_t)b->turns + 1, sizeof *b->turn))
            return HTMT_ENOMEM;
        b->turn[b->turns++] = (struct turn){run++, times};
    }
    return rc;
}

/* ---- words between -----------------------------------------------------------------------------
 */

static bool within(const struct htmt__region_box *in, const struct htmt__region_box *box,
                   unsigned axes)
{
    for (unsigned a = 0; a < axes; a++)
        if (in->low[a] < box->low[a] || in->high[a] > box->high[a])
            return false;
    return true;
}

/* One more box of an item, unless another one holds it. */
static void put_box(struct between *b, unsigned *boxes, const struct htmt__region_box *box,
                    unsigned axes)
{
    b->work += *boxes + 1;
    for (unsigned i = 0; i < *boxes; i++)
        if (within(box, &b->among[i], axes))
            return;
    b->among[(*boxes)++] = *box;
}

/* The words of iterations first to last of the outermost loop; none if last < first. */
static void put_part(struct between *b, unsigned *boxes, const struct foot *f, int64_t first,
                     int64_t last)
{
    struct htmt__region_box box = f->box;
    if (!f->touched || last < first)
        return;
    if (f->moved >= 0) {
        box.low[f->moved] = (f->sign > 0 ? first : -last) + f->low_of;
        box.high[f->moved] = (f->sign > 0 ? last : -first) + f->high_of + 1;
    }
    put_box(b, boxes, &box, f->axes);
}

static int64_t outermost(const struct between *b, unsigned turn)
{
    const struct htmt__nest_plan *plan = b->program->run[b->turn[turn].run].plan;
    return plan ? plan->extent[0] : 1;
}

static bool runs_down(const struct between *b, unsigned turn)
{
    const struct htmt__nest_plan *plan = b->program->run[b->turn[turn].run].plan;
    return plan && plan->body[0].down[0];
}

/* Bytes of iterations x and later of turn `from`, the turns between, iterations up to y of turn
 * `to`, counted in the order in which they run. */
static htmt_wide count_between(struct between *b, unsigned from, int64_t x, unsigned to, int64_t y)
{
    const int64_t behind = outermost(b, from) - 1, last = outermost(b, to) - 1;
    htmt_wide bytes = 0;
    for (unsigned i = 0; i < b->items && !b->rc; i++) {
        const struct foot *s = foot_of(b, b->turn[from].run, i);
        const struct foot *r = foot_of(b, b->turn[to].run, i);
        unsigned boxes = 0, axes = s->touched ? s->axes : r->axes;
        htmt_wide words = 0;
        b->work += to - from;
        for (unsigned t = from + 1; t < to; t++) {
            const struct foot *f = foot_of(b, b->turn[t].run, i);
            if (!f->touched)
                continue;
            axes = f->axes;
            put_box(b, &boxes, &f->box, axes);
        }
        if (runs_down(b, from))
            put_part(b, &boxes, s, 0, behind - x);
        else
            put_part(b, &boxes, s, x, behind);
        if (runs_down(b, to))
            put_part(b, &boxes, r, last - y, last);
        else
            put_part(b, &boxes, r, 0, y);
        if (boxes)
            b->rc = htmt__region_count(b->among, boxes, axes, &words);
        bytes += words * b->item[i].bytes;
    }
    return bytes;
}

static htmt_wide between(struct between *b, unsigned from, int64_t x, unsigned to, int64_t y)
{
    if (b->from != from || b->to != to) {
        memset(b->answer, 0, sizeof b->answer);
        b->from = from;
        b->to = to;
    }
    struct answer *a = &b->answer[(uint64_t)(x * 31 + y) % KNOWN];
    if (!a->known || a->x != x || a->y != y)
        *a = (struct answer){true, x, y, count_between(b, from, x, to, y)};
    return a->bytes;
}

/* ---- places ------------------------------------------------------------------------------------
 */

enum found { MISSED, UNKNOWN, FOUND };

struct pair {
    struct between *b;
    unsigned from, to;
    const struct foot *s, *r;
};

/* The last iteration, in time, that touches place v along the moved axis. */
static int64_t last_touch(const struct pair *p, int64_t v)
{
    const int64_t last = outermost(p->b, p->from) - 1;
    if (p->s->moved < 0)
        return last;
    int64_t low = p->s->sign > 0 ? v - p->s->high_of : p->s->low_of - v;
    int64_t high = p->s->sign > 0 ? v - p->s->low_of : p->s->high_of - v;
    low = low < 0 ? 0 : low;
    high = high > last ? last : high;
    return runs_down(p->b, p->from) ? last - low : high;
}

static int64_t first_touch(const struct pair *p, int64_t v)
{
    const int64_t last = outermost(p->b, p->to) - 1;
    if (p->r->moved < 0)
        return 0;
    int64_t low = p->r->sign > 0 ? v - p->r->high_of : p->r->low_of - v;
    int64_t high = p->r->sign > 0 ? v - p->r->low_of : p->r->high_of - v;
    low = low < 0 ? 0 : low;
    high = high > last ? last : high;
    return runs_down(p->b, p->to) ? last - high : low;
}

static enum found ask(const struct pair *p, int64_t u, int64_t v)
{
    const int64_t x = last_touch(p, u), y = first_touch(p, v);
    if (between(p->b, p->from, x, p->to, y) <= p->b->capacity)
        return FOUND;
    return between(p->b, p->from, x + 1, p->to, y - 1) >= p->b->capacity ? MISSED : UNKNOWN;
}

/* Places low..high of which so many are found, and so many perhaps; u stands still unless both
 * nests move one axis (`together`). */
static void count_places(const struct pair *p, int64_t u, bool together, int64_t low, int64_t high,
                         double *sure, double *perhaps)
{
    const int64_t mid = low + (high - low) / 2;
    const enum found a = ask(p, together ? low : u, low), c = ask(p, together ? high : u, high),
                     m = ask(p, together ? mid : u, mid);
    if (high - low > 2 && (a != m || m != c)) {
        count_places(p, u, together, low, mid, sure, perhaps);
        count_places(p, u, together, mid + 1, high, sure, perhaps);
        return;
    }
    const enum found all[] = {a, m, c};
    const double each = (double)(high - low + 1) / 3;
    for (int i = 0; i < 3; i++) {
        *sure += all[i] == FOUND ? each : 0;
        *perhaps += all[i] != MISSED ? each : 0;
    }
}

/* The parts of the words of both that are found for sure, and perhaps. */
static void find_parts(struct between *b, unsigned from, unsigned to, unsigned item,
                       const struct htmt__region_box *both, double part[2])
{
    const struct pair p = {b, from, to, foot_of(b, b->turn[from].run, item),
                           foot_of(b, b->turn[to].run, item)};
    const int s = p.s->moved, r = p.r->moved;
    double sum[2] = {0, 0};
    part[0] = 0;
    part[1] = 1;
    if (b->work > WORK_MAX)
        return;
    if (s == r || s < 0 || r < 0) {
        const int axis = r >= 0 ? r : s;
        const int64_t low = axis < 0 ? 0 : both->low[axis];
        const int64_t high = axis < 0 ? 0 : both->high[axis] - 1;
        count_places(&p, low, true, low, high, &sum[0], &sum[1]);
        part[0] = sum[0] / (double)(high - low + 1);
        part[1] = sum[1] / (double)(high - low + 1);
        return;
    }
    /* Different axes: rows of places. */
    enum { ROWS = 16 };
    const int64_t low = both->low[s], length = both->high[s] - low;
    for (int i = 0; i < ROWS; i++)
        count_places(&p, low + (length - 1) * i / (ROWS - 1), false, both->low[r],
                     both->high[r] - 1, &sum[0], &sum[1]);
    part[0] = sum[0] / ROWS / (double)(both->high[r] - both->low[r]);
    part[1] = sum[1] / ROWS / (double)(both->high[r] - both->low[r]);
}

/* ---- a nest ------------------------------------------------------------------------------------
 */

static bool intersect(const struct htmt__region_box *a, const struct htmt__region_box *b,
                      unsigned axes, struct htmt__region_box *both)
{
    for (unsigned i = 0; i < axes; i++) {
        both->low[i] = a->low[i] > b->low[i] ? a->low[i] : b->low[i];
        both->high[i] = a->high[i] < b->high[i] ? a->high[i] : b->high[i];
        if (both->low[i] >= both->high[i])
            return false;
    }
    return true;
}

/* The words of a box that are dirty when a turn finds them first: those that the last turn which
 * touched them wrote, and of the others those that were dirty when that turn found them. All of
 * these must have been found. */
static void find_dirty(struct between *b, unsigned to, unsigned item,
                       const struct htmt__region_box *box, unsigned oldest, unsigned deep,
                       double words[2])
{
    const unsigned axes = foot_of(b, b->turn[to].run, item)->axes;
    const double total = words_in(box, axes);
    struct htmt__region_box *seen = calloc(to + 1, sizeof *seen), both, written;
    htmt_wide known = 0;
    unsigned boxes = 0;
    words[0] = words[1] = 0;
    b->rc = seen ? 0 : HTMT_ENOMEM;
    for (unsigned from = to; from-- > oldest && (double)known < total && !b->rc;) {
        const struct foot *s = foot_of(b, b->turn[from].run, item);
        const htmt_wide before = known;
        double part[2], own = 0, older[2] = {0, 0};
        if (!s->touched || !intersect(&s->box, box, axes, &both))
            continue;
        seen[boxes++] = both;
        b->rc = htmt__region_count(seen, boxes, axes, &known);
        if (b->rc || known == before)
            continue;
        find_parts(b, from, to, item, &both, part);
        const double all = words_in(&both, axes), fresh = (double)(known - before);
        if (s->written && intersect(&s->writes, &both, axes, &written))
            own = words_in(&written, axes);
        if (own < all && part[1] > 0 && deep < DEEPEST)
            find_dirty(b, from, item, &both, b->oldest[from], deep + 1, older);
        /* Words that an older turn wrote must be found twice: of parts p and q of all at least
         * p + q - 1, at most the lesser. */
        const double rest = 1 - own / all;
        const double twice[2] = {fmax(part[0] + older[0] / all - 1, 0),
                                 fmin(part[1], older[1] / all)};
        for (int i = 0; i < 2; i++)
            words[i] += fmin(part[i] * own + twice[i] * rest * all, fresh);
    }
    free(seen);
}

/* Looks back for the words of one item of a turn: those that an earlier turn touched, and that none
 * in between did. */
static int look_back(struct between *b, unsigned to, unsigned item, struct htmt__between_kept *kept)
{
    const struct foot *f = foot_of(b, b->turn[to].run, item);
    const double bytes = (double)b->item[item].bytes * (double)b->turn[to].times;
    const double total = words_in(&f->box, f->axes);
    struct htmt__region_box *seen = calloc(to + 1, sizeof *seen);
    htmt_wide words = 0;
    double dirty[2] = {0, 0};
    unsigned boxes = 0;
    b->rc = !seen ? HTMT_ENOMEM : total * bytes > 1e36 ? HTMT_ERANGE : 0;
    for (unsigned from = to; from-- > b->oldest[to] && (double)words < total && !b->rc;) {
        const struct foot *s = foot_of(b, b->turn[from].run, item);
        const htmt_wide before = words;
        double part[2];
        if (!s->touched || !intersect(&s->box, &f->box, f->axes, &seen[boxes]))
            continue;
        b->rc = htmt__region_count(seen, ++boxes, f->axes, &words);
        if (b->rc || words == before)
            continue;
        find_parts(b, from, to, item, &seen[boxes - 1], part);
        part[0] *= foot_of(b, b->turn[from].run, item)->full;
        for (int i = 0; i < 2; i++)
            kept->read[i] +=
                (htmt_wide)((double)(words - before) * part[i] * f->full * bytes + 0.5);
    }
    free(seen);
    if (f->written && !b->rc)
        find_dirty(b, to, item, &f->writes, b->oldest[to], 0, dirty);
    for (int i = 0; i < 2; i++)
        kept->written[i] += (htmt_wide)(dirty[i] * bytes + 0.5);
    return b->rc;
}

/* The oldest turn behind which no more lies than the memory holds: words of the turns between,
 * each nest's new boxes added to those of the nests after it. */
static unsigned find_oldest(struct between *b, unsigned to)
{
    struct htmt__region_box **box = calloc(b->items + 1, sizeof *box);
    unsigned *boxes = calloc(b->items + 1, sizeof *boxes), from = to;
    size_t *room = calloc(b->items + 1, sizeof *room);
    htmt_wide *words = calloc(b->items + 1, sizeof *words), bytes = 0;
    b->rc = box && boxes && room && words ? 0 : HTMT_ENOMEM;
    while (from > 0 && bytes < b->capacity && !b->rc && b->work <= WORK_MAX) {
        from--;
        for (unsigned i = 0; from + 1 < to && i < b->items && !b->rc; i++) {
            const struct foot *f = foot_of(b, b->turn[from + 1].run, i);
            bool held = !f->touched;
            for (unsigned k = 0; k < boxes[i] && !held; k++)
                held = within(&f->box, &box[i][k], f->axes);
            b->work += boxes[i] + 1;
            if (held)
                continue;
            if (!htmt__array_fits(&box[i], &room[i], (size_t)boxes[i] + 1, sizeof **box)) {
                b->rc = HTMT_ENOMEM;
                break;
            }
            box[i][boxes[i]++] = f->box;
            bytes -= words[i] * b->item[i].bytes;
            b->rc = htmt__region_count(box[i], boxes[i], f->axes, &words[i]);
            bytes += words[i] * b->item[i].bytes;
        }
    }
    for (unsigned i = 0; box && i < b->items; i++)
        free(box[i]);
    free(box);
    free(boxes);
    free(room);
    free(words);
    return from;
}

int htmt__between_find(const struct htmt__nest_program *program, htmt_wide capacity,
                       struct htmt__between_kept *kept)
{
    struct between b = {.program = program, .capacity = capacity, .from = UINT32_MAX};
    int rc = program->runs ? measure(&b) : 0;
    if (!rc && program->runs)
        rc = write_out(&b, 0, program->runs - 1, program->repeats, 1);
    if (!rc && !(b.oldest = calloc(b.turns + 1, sizeof *b.oldest)))
        rc = HTMT_ENOMEM;
    for (unsigned t = 0; t < b.turns && !rc; t++) {
        const unsigned run = b.turn[t].run;
        b.oldest[t] = find_oldest(&b, t);
        rc = b.rc;
        for (unsigned i = 0; i < b.items && !rc; i++)
            if (foot_of(&b, run, i)->touched)
                rc = look_back(&b, t, i, &kept[run]);
    }
    free(b.item);
    free(b.turn);
    free(b.foot);
    free(b.among);
    free(b.oldest);
    return rc;
}
