/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What memories hold where a sample begins, without playing all that ran before.
 *
 * A memory of c words holds the last c different ones that were touched. So the program is walked
 * backwards from there: a word that is met for the first time was touched last at that point, and
 * stands behind all that were met before. The walk ends when the largest memory is full, or at the
 * beginning of the program; in both cases nothing is unsure. Memories that hold all words of the
 * program are not asked: what they move follows from its words.
 *
 * Most of the way back meets nothing new, and is left out. Let a loop take its values from the last
 * one to the first. A place that the loop does not move touches at an earlier value what it has
 * touched at a later one already, if the loops inside take no values that they did not take then.
 * Such a place rests until the loop is done, and a loop in which all rest is done. (Bounds of loops
 * inside may name this loop: going back they must only become narrower.) Of C += A B with loops i,
 * k, j, a place costs as many steps as the loops that move it have iterations: at one i all of B,
 * then rows of A and C for each i before. A repeat moves nothing, so one of its turns is enough.
 *
 * Blocks of a loop are a loop around all loops. Places rest between blocks if no bound names this
 * loop and its bounds name no other.
 *
 * Dirty words. When the walk meets a write, so many different words were touched since as it has
 * met. A memory that holds so many has kept the word all the time, and it is dirty there; whether
 * it is in a smaller one that holds it now is unsure, since the word may have left and come back. A
 * word of which no write was met is clean if the walk came to the beginning, or no nest writes the
 * array.
 */
#include "emul/loops/nest/player.h"

#include <stdlib.h>
#include <string.h>

struct ref {
    const struct htmt__player_place *place;
    bool written;   /* some nest writes the array */
    uint8_t idle;   /* rests in the loop of this bit, less one; 0: it does not */
    uint32_t moved; /* loops in which it does not rest: a bit for each; with blocks: DEPTH later */
};

/* References of a body in their order. */
struct refs {
    struct ref *ref;
    unsigned count, active;
};

struct htmt__player_walk {
    struct htmt__player *p;
    unsigned *first;   /* of each run: its first body */
    struct refs *body; /* of all runs */
    unsigned bodies;   /* of all runs */
    bool *seen;        /* [loop or blocks][body] */
    struct ref **row;  /* of the iteration */
    int64_t *now;      /* of these */
    unsigned level;    /* the smallest memory that is not full */
    uint32_t enough;   /* words of the largest memory that does not hold all */
    uint64_t spare;    /* touches that were not needed: all memories are full */
    uint64_t left;     /* touches */
};

/* ---- places that rest --------------------------------------------------------------------------
 */

/* Whether loops inside may take values where loop l is earlier that they do not take later. */
static bool widens(const struct htmt__nest_body *b, unsigned depth, unsigned l)
{
    for (unsigned m = l + 1; m < depth; m++) {
        const struct htmt__nest_bounds *of = &b->bounds[m];
        for (unsigned i = 0; i < of->lows; i++) {
            const htmt_wide factor = of->low[i].factor[l];
            if (factor && (of->step > 1 || (factor > 0) != b->down[l]))
                return true;
        }
        for (unsigned i = 0; i < of->highs; i++) {
            const htmt_wide factor = of->high[i].factor[l];
            if (factor && (factor < 0) != b->down[l])
                return true;
        }
    }
    return false;
}

static bool names_others(const struct htmt__nest_body *b, unsigned depth, unsigned l)
{
    bool named = false;
    for (unsigned m = 0; m < depth; m++)
        for (unsigned o = 0; o < depth; o++) {
            const struct htmt__nest_bounds *of = &b->bounds[m];
            for (unsigned i = 0; i < of->lows && m != o && (m == l || o == l); i++)
                named = named || of->low[i].factor[o];
            for (unsigned i = 0; i < of->highs && m != o && (m == l || o == l); i++)
                named = named || of->high[i].factor[o];
        }
    return named;
}

/* The body has run where the loop of this bit stands. */
static void rest(struct refs *of, unsigned bit)
{
    for (unsigned i = 0; i < of->count; i++)
        if (!of->ref[i].idle && !(of->ref[i].moved >> bit & 1)) {
            of->ref[i].idle = (uint8_t)(bit + 1);
            of->active--;
        }
}

/* Before a loop over these runs, and behind it. */
static void begin(struct htmt__player_walk *w, unsigned first, unsigned last, unsigned bit)
{
    const size_t from = w->first[first], to = w->first[last + 1];
    memset(w->seen + bit * (size_t)w->bodies + from, 0, to - from);
}

static void end(struct htmt__player_walk *w, unsigned first, unsigned last, unsigned bit)
{
    for (unsigned b = w->first[first]; b < w->first[last + 1]; b++)
        for (unsigned i = 0; i < w->body[b].count; i++)
            if (w->body[b].ref[i].idle == bit + 1) {
                w->body[b].ref[i].idle = 0;
                w->body[b].active++;
            }
}

/* Behind a value of loop l, in these runs: places rest that need no earlier one. False: all do. */
static bool passed(struct htmt__player_walk *w, unsigned first, unsigned last, unsigned l,
                   bool blocks)
{
    const unsigned bit = l + (blocks ? HTMT__NEST_DEPTH : 0);
    const struct htmt__player *p = w->p;
    bool active = false;
    for (unsigned run = first; run <= last; run++)
        for (unsigned b = w->first[run]; b < w->first[run + 1]; b++) {
            const struct htmt__player_body *body = &p->body[run][b - w->first[run]];
            bool *seen = &w->seen[bit * (size_t)w->bodies + b];
            int64_t low, high;
            if (!*seen && l < p->program->run[run].plan->depth &&
                htmt__player_values(p, body->of, l, &low, &high) &&
                (blocks || (p->at[l] >= low && p->at[l] <= high &&
                            (p->at[l] - low) % (int64_t)body->of->bounds[l].step == 0))) {
                *seen = true;
                rest(&w->body[b], bit);
            }
            active = active || w->body[b].active;
        }
    return active && w->left;
}

/* ---- walking back ------------------------------------------------------------------------------
 */

static void meet(struct htmt__player_walk *w, uint32_t index, bool written, bool write)
{
    struct htmt__player_memories *m = &w->p->m;
    struct htmt__player_node *n = &m->node[index];
    if (!w->left)
        return;
    w->left--;
    if (n->level == m->count) {
        n->before = m->last;
        n->behind = HTMT__PLAYER_NONE;
        *(m->last == HTMT__PLAYER_NONE ? &m->first : &m->node[m->last].behind) = index;
        m->last = index;
        m->held++;
        while (m->at[w->level].capacity < m->held)
            w->level++;
        n->level = (uint8_t)w->level;
        n->strange = written ? n->level : HTMT__STREAM_CAPACITIES;
        if (m->at[w->level].capacity == m->held)
            m->at[w->level].edge = index;
        if (w->enough == m->held) {
            w->spare = w->left;
            w->left = 0;
        }
    }
    if (write && !n->dirty) {
        n->dirty = (uint16_t)((1U << m->count) - (1U << w->level));
        if (n->level == w->level)
            n->strange = HTMT__STREAM_CAPACITIES;
    }
}

/* The innermost loop from its last value on. */
static void back_row(struct htmt__player_walk *w, unsigned run, unsigned b, int64_t last,
                     int64_t step, int64_t times)
{
    const unsigned inner = w->p->program->run[run].plan->depth - 1;
    const struct refs *of = &w->body[w->first[run] + b];
    unsigned places = 0;
    w->p->at[inner] = last;
    for (unsigned i = of->count; i-- > 0 && of->active;) {
        const struct htmt__player_place *place = of->ref[i].place;
        if (of->ref[i].idle)
            continue;
        w->row[places] = &of->ref[i];
        w->now[places] = place->at;
        for (unsigned l = 0; l <= inner; l++)
            w->now[places] += place->by[l] * w->p->at[l];
        places++;
    }
    for (int64_t t = 0; t < times && places && w->left; t++) {
        unsigned kept = 0;
        for (unsigned i = 0; i < places; i++) {
            struct ref *r = w->row[i];
            meet(w, (uint32_t)(w->now[i] >> w->p->shift), r->written, r->place->write);
            w->row[kept] = r;
            w->now[kept] = w->now[i] - r->place->by[inner] * step;
            kept += r->moved >> inner & 1;
        }
        places = kept;
    }
}

static void back_loops(struct htmt__player_walk *w, unsigned run, unsigned l)
{
    const struct htmt__nest_plan *plan = w->p->program->run[run].plan;
    const struct htmt__player_body *body = w->p->body[run];
    const struct htmt__nest_body *b = body[0].of;
    const int64_t step = (int64_t)b->bounds[l].step;
    const bool inner = l + 1 == plan->depth;
    int64_t low = INT64_MAX, high = INT64_MIN, from, to;
    for (unsigned i = 0; i < plan->bodies; i++)
        if (htmt__player_values(w->p, body[i].of, l, &from, &to)) {
            low = from < low ? from : low;
            high = to > high ? to : high;
        }
    if (high < low)
        return;
    const int64_t times = (high - low) / step + 1;
    if (inner && plan->bodies == 1) {
        back_row(w, run, 0, b->down[l] ? low : low + (times - 1) * step, b->down[l] ? -step : step,
                 times);
        return;
    }
    begin(w, run, run, l);
    for (int64_t i = times - 1; i >= 0; i--) {
        w->p->at[l] = b->down[l] ? high - i * step : low + i * step;
        if (!inner)
            back_loops(w, run, l + 1);
        for (unsigned k = plan->bodies; k-- > 0 && inner;)
            if (htmt__player_holds(w->p, body[k].of, plan->depth))
                back_row(w, run, k, w->p->at[l], step, 1);
        if (!passed(w, run, run, l, false))
            break;
    }
    end(w, run, run, l);
}

static void back_blocks(struct htmt__player_walk *w, unsigned run, unsigned l)
{
    struct htmt__player *p = w->p;
    const struct htmt__nest_plan *plan = p->program->run[run].plan;
    if (l == plan->depth) {
        back_loops(w, run, 0);
        return;
    }
    const int64_t block = p->request->block[plan->depth - 1 - l], step = plan->step[l];
    if (!block || block >= plan->extent[l]) {
        back_blocks(w, run, l + 1);
        return;
    }
    const int64_t blocks = (plan->extent[l] + block - 1) / block;
    begin(w, run, run, l + HTMT__NEST_DEPTH);
    for (int64_t i = p->last_block[l] < blocks ? p->last_block[l] : blocks - 1;
         i >= p->first_block[l]; i--) {
        p->from[l] = plan->low[l] + i * block * step;
        p->to[l] = p->from[l] + (block - 1) * step;
        back_blocks(w, run, l + 1);
        if (!passed(w, run, run, l, true))
            break;
    }
    end(w, run, run, l + HTMT__NEST_DEPTH);
    p->from[l] = INT64_MIN;
    p->to[l] = INT64_MAX;
}

static void back_nest(struct htmt__player_walk *w, unsigned run, unsigned loops)
{
    struct htmt__player *p = w->p;
    const struct htmt__nest_run *r = &p->program->run[run];
    for (unsigned i = r->plan ? 0 : r->parts; i-- > 0;) {
        int64_t from, to;
        htmt__player_unknown(p, &r->part[i], &from, &to);
        for (int64_t k = to; k >= from && w->left; k--)
            meet(w, (uint32_t)k, true, true);
    }
    if (!r->plan || !r->plan->count)
        return;
    if (!loops) {
        back_blocks(w, run, 0);
        return;
    }
    for (unsigned i = r->plan->bodies; i-- > 0;) {
        if (!htmt__player_holds(p, p->body[run][i].of, loops))
            continue;
        if (loops < r->plan->depth) {
            back_loops(w, run, loops);
            return;
        }
        back_row(w, run, i, p->at[loops - 1], 1, 1);
    }
}

static void back_runs(struct htmt__player_walk *w, unsigned first, unsigned last, unsigned rounds,
                      unsigned loops);

static void back_shared(struct htmt__player_walk *w, unsigned rounds, unsigned loops)
{
    const struct htmt__nest_rounds *r = &w->p->program->repeat[rounds];
    struct htmt__player_range v;
    if (!htmt__player_range(w->p, r->first, r->last, loops, &v))
        return;
    begin(w, r->first, r->last, loops);
    for (int64_t i = (v.high - v.low) / v.step; i >= 0; i--) {
        w->p->at[loops] = v.down ? v.high - i * v.step : v.low + i * v.step;
        back_runs(w, r->first, r->last, rounds, loops + 1);
        if (!passed(w, r->first, r->last, loops, false))
            break;
    }
    end(w, r->first, r->last, loops);
}

/* The order of htmt__player_run(), backwards. */
static void back_runs(struct htmt__player_walk *w, unsigned first, unsigned last, unsigned rounds,
                      unsigned loops)
{
    const struct htmt__nest_rounds *all = w->p->program->repeat;
    for (unsigned behind = last + 1; behind > first && w->left;) {
        const unsigned run = behind - 1;
        unsigned i = rounds;
        while (i > 0 && (all[i - 1].last != run || all[i - 1].first > run))
            i--;
        behind = i ? all[i - 1].first : run;
        if (!i)
            back_nest(w, run, loops);
        else if (all[i - 1].loop && !w->p->cut)
            back_shared(w, i - 1, loops);
        else
            back_runs(w, all[i - 1].first, run, i - 1, loops);
    }
}

/* ---- where a sample begins ---------------------------------------------------------------------
 */

static void walk_back(struct htmt__player_walk *w, const struct htmt__player_past *past)
{
    struct htmt__player *p = w->p;
    const struct htmt__player stand = *p; /* where loops and blocks stand */
    for (; past && w->left; past = past->outer) {
        for (unsigned l = (unsigned)(past->cut + 1); l < HTMT__NEST_DEPTH; l++) {
            p->first_block[l] = 0;
            p->last_block[l] = INT64_MAX;
        }
        int64_t *const from = past->cut < 0 ? &p->from[past->loops] : &p->first_block[past->cut];
        int64_t *const to = past->cut < 0 ? &p->to[past->loops] : &p->last_block[past->cut];
        *from = past->low;
        *to = past->high;
        if (past->low <= past->high)
            back_runs(w, past->first, past->last, past->rounds, p->cut ? 0 : past->loops);
        p->from[past->loops] = INT64_MIN;
        p->to[past->loops] = INT64_MAX;
        memcpy(p->at, stand.at, sizeof p->at);
        memcpy(p->first_block, stand.first_block, sizeof p->first_block);
        memcpy(p->last_block, stand.last_block, sizeof p->last_block);
    }
}

static void make_refs(struct htmt__player_walk *w, unsigned run, unsigned b, const bool *written)
{
    const struct htmt__nest_plan *plan = w->p->program->run[run].plan;
    const struct htmt__player_body *body = &w->p->body[run][b];
    struct refs *of = &w->body[w->first[run] + b];
    uint32_t bounds = 0;
    for (unsigned l = 0; l < plan->depth; l++)
        bounds |= (uint32_t)widens(body->of, plan->depth, l) << l |
                  (uint32_t)names_others(body->of, plan->depth, l) << (HTMT__NEST_DEPTH + l);
    for (unsigned i = 0; i < body->places; i++) {
        const struct htmt__player_place *place = &body->place[i];
        struct ref *r = &of->ref[of->count];
        if (place->around)
            continue;
        *r = (struct ref){.place = place, .moved = bounds, .written = written[place->array]};
        for (unsigned l = 0; l < plan->depth; l++)
            if (place->by[l])
                r->moved |= 1U << l | 1U << (HTMT__NEST_DEPTH + l);
        of->count++;
    }
    of->active = of->count;
}

static void find_written(const struct htmt__player *p, bool *written)
{
    for (unsigned r = 0; r < p->program->runs; r++) {
        const struct htmt__nest_run *run = &p->program->run[r];
        for (unsigned i = 0; i < run->parts && !run->plan; i++)
            written[run->part[i].array] = true;
        for (unsigned b = 0; run->plan && run->plan->count && b < run->plan->bodies; b++)
            for (unsigned i = 0; i < p->body[r][b].places; i++)
                if (p->body[r][b].place[i].write)
                    written[p->body[r][b].place[i].array] = true;
    }
}

/* p->walk, also on failure. */
static int make_walk(struct htmt__player *p)
{
    const unsigned runs = p->program->runs;
    struct htmt__player_walk *w = p->walk = calloc(1, sizeof *w);
    bool *written = calloc(p->program->file->arrays + 1, sizeof *written);
    if (!w || !(w->first = calloc(runs + 1, sizeof *w->first)) || !written) {
        free(written);
        return HTMT_ENOMEM;
    }
    for (unsigned r = 0; r < runs; r++) {
        const struct htmt__nest_plan *plan = p->program->run[r].plan;
        w->first[r + 1] = w->first[r] + (plan && plan->count ? plan->bodies : 0);
    }
    w->p = p;
    w->bodies = w->first[runs];
    for (unsigned k = 0; k < p->m.count && p->m.at[k].capacity <= p->units >> p->shift; k++)
        w->enough = p->m.at[k].capacity;
    w->body = calloc(w->bodies + 1, sizeof *w->body);
    w->seen = calloc((size_t)w->bodies * 2 * HTMT__NEST_DEPTH + 1, sizeof *w->seen);
    w->row = calloc(p->places + 1, sizeof(struct ref *));
    w->now = calloc(p->places + 1, sizeof *w->now);
    int rc = w->body && w->seen && w->row && w->now ? 0 : HTMT_ENOMEM;
    find_written(p, written);
    for (unsigned r = 0; r < runs; r++)
        for (unsigned b = w->first[r]; b < w->first[r + 1] && !rc; b++) {
            w->body[b].ref = calloc(p->body[r][b - w->first[r]].places + 1, sizeof(struct ref));
            rc = w->body[b].ref ? 0 : HTMT_ENOMEM;
            if (!rc)
                make_refs(w, r, b - w->first[r], written);
        }
    free(written);
    return rc;
}

void htmt__player_walk_destroy(struct htmt__player_walk *w)
{
    if (!w)
        return;
    for (unsigned b = 0; b < w->bodies && w->body; b++)
        free(w->body[b].ref);
    free(w->first);
    free(w->body);
    free(w->seen);
    free(w->row);
    free(w->now);
    free(w);
}

int htmt__player_restore(struct htmt__player *p, const struct htmt__player_past *past,
                         uint64_t *most)
{
    int rc = p->walk ? 0 : make_walk(p);
    htmt__player_empty(p);
    if (rc)
        return rc;
    p->now_around += 2;
    p->walk->level = 0;
    p->walk->spare = 0;
    p->walk->left = p->walk->enough ? *most : 0;
    walk_back(p->walk, past);
    p->known = p->walk->left;
    *most = p->walk->enough ? p->walk->left + p->walk->spare : *most;
    for (uint32_t i = p->known ? p->m.first : HTMT__PLAYER_NONE; i != HTMT__PLAYER_NONE;
         i = p->m.node[i].behind)
        if (!p->m.node[i].dirty)
            p->m.node[i].strange = HTMT__STREAM_CAPACITIES;
    return 0;
}
