/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a program that is played touches memory: arrays lie one behind the other, and each
 * reference of a body is a place in them, with the distance by which each loop moves it.
 *
 * A body is touched in the order in which it names its references. One that stands several times
 * has a place each time. References of a loop that is multiplied out take turns: in turn t of n,
 * the t-th part of the words of each. By hand, the references v:0..2[i] and u:0..2[i] in 3 turns
 * are the places v0 u0 v1 u1 v2 u2; without turns they are v0 v1 v2 u0 u1 u2.
 */
#include "emul/loops/nest/player.h"

#include "emul/loops/nest/working.h"

#include <stdlib.h>
#include <string.h>

#define UNITS_MAX ((htmt_wide)1 << 25)
#define BODY_MAX  ((uint64_t)1 << 24)  /* touches of an iteration */
#define FAR       ((htmt_wide)1 << 35) /* of subscripts: times 2^25 units of an axis they fit */

/* ---- arrays -----------------------------------------------------------------------------------
 */

/* The least and the greatest word of each axis, over the box of the plan; where that is not filled,
 * it may tell more than there is. False: too far away. */
static bool reach(struct htmt__player *p, const struct htmt__nest_plan *plan, bool filled,
                  const struct htmt__nest_reference *r)
{
    struct htmt__nest_layout *a = &p->array[r->array];
    const bool first = !a->used;
    a->used = true;
    a->axes = r->axes;
    for (unsigned i = 0; i < r->axes; i++) {
        const struct htmt__nest_subscript *s = &r->axis[i];
        htmt_wide low = s->constant, high = s->constant + s->more;
        unsigned loops = 0;
        for (unsigned l = 0; l < plan->depth; l++) {
            const htmt_wide one = (htmt_wide)s->factor[l] * plan->low[l];
            loops += s->factor[l] != 0;
            const htmt_wide other =
                one + (htmt_wide)s->factor[l] * plan->step[l] * (plan->extent[l] - 1);
            if (one > FAR || one < -FAR)
                return false;
            low += one < other ? one : other;
            high += one < other ? other : one;
        }
        if (!first) {
            const htmt_wide last = a->low[i] + a->size[i] - 1;
            low = a->low[i] < low ? a->low[i] : low;
            high = last > high ? last : high;
        }
        if (low < -FAR || high > FAR)
            return false;
        a->coupled[i] |= loops > 1 || (loops && !filled);
        a->low[i] = (int64_t)low;
        a->size[i] = (int64_t)(high - low + 1);
    }
    return true;
}

static int64_t divisor_of(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* All distances in units, which divide them. */
static int lay_out(struct htmt__player *p)
{
    const struct htmt__nest_program *program = p->program;
    const int64_t line = (int64_t)p->request->line;
    int64_t all = 0, unit = line;
    for (unsigned r = 0; r < program->runs; r++) {
        const struct htmt__nest_plan *plan = program->run[r].plan;
        htmt_wide box = 1;
        for (unsigned l = 0; plan && l < plan->depth; l++)
            box = box > plan->count ? box : box * plan->extent[l];
        for (unsigned b = 0; plan && plan->count && b < plan->bodies; b++)
            for (unsigned i = 0; i < plan->body[b].references; i++)
                if (!reach(p, plan, box == plan->count, &plan->body[b].reference[i]))
                    return HTMT_ERANGE;
    }
    int rc = htmt__nest_lay_out(program, line, INT64_MAX / 2, p->array, &all);
    for (unsigned i = 0; i < program->file->arrays && !rc; i++) {
        const struct htmt__nest_layout *a = &p->array[i];
        if (!a->used)
            continue;
        unit = divisor_of(a->bytes, unit);
        unit = divisor_of(a->base, unit);
        unit = divisor_of(a->component, unit);
        for (unsigned k = 0; k < a->axes; k++)
            unit = divisor_of(a->by[k], unit);
    }
    p->unit = unit ? unit : 1;
    while (line > p->unit << p->shift)
        p->shift++;
    const int64_t node = p->unit << p->shift;
    all = (all + node - 1) / node * node;
    if (rc || all / node > UNITS_MAX)
        return HTMT_ERANGE;
    for (unsigned i = 0; i < program->file->arrays; i++) {
        struct htmt__nest_layout *a = &p->array[i];
        a->bytes /= p->unit;
        a->base /= p->unit;
        a->component /= p->unit;
        for (unsigned k = 0; k < a->axes && a->used; k++)
            a->by[k] /= p->unit;
    }
    p->units = all / p->unit;
    return 0;
}

/* ---- bodies -----------------------------------------------------------------------------------
 */

/* The words of a range of subscripts, from `axis` on. */
static void put_places(const struct htmt__player *p, const struct htmt__nest_reference *r,
                       unsigned axis, struct htmt__player_place place,
                       struct htmt__player_body *body)
{
    const struct htmt__nest_layout *a = &p->array[r->array];
    if (axis == r->axes) {
        const int64_t end = place.at + a->bytes;
        for (; place.at < end; place.at += (int64_t)1 << p->shift)
            body->place[body->places++] = place;
        return;
    }
    const struct htmt__nest_subscript *s = &r->axis[axis];
    for (unsigned l = 0; l < HTMT__NEST_DEPTH; l++)
        place.by[l] += s->factor[l] * a->by[axis];
    for (int64_t i = 0; i <= s->more; i++) {
        struct htmt__player_place at = place;
        at.at += (s->constant + i - a->low[axis]) * a->by[axis];
        put_places(p, r, axis + 1, at, body);
    }
}

static uint64_t words_of(const struct htmt__nest_reference *r)
{
    uint64_t all = (uint64_t)(r->last - r->first + 1);
    for (unsigned k = 0; k < r->axes; k++)
        all *= (uint64_t)r->axis[k].more + 1;
    return all;
}

/* Of words, or of places, in each of so many turns: an equal part, if there is one. */
static uint64_t part_of(uint64_t all, htmt_wide times)
{
    return all % (uint64_t)times ? all : all / (uint64_t)times;
}

/* Words that an iteration touches, each as often as it does. */
static uint64_t touches_of(const struct htmt__nest_body *b)
{
    uint64_t words = 0;
    for (unsigned i = 0; i < b->references && !b->turns; i++)
        words += words_of(&b->reference[i]);
    for (unsigned i = 0; i < b->turns; i++) {
        const struct htmt__nest_turn *t = &b->turn[i];
        for (unsigned k = 0; k < t->touches && t->times > 0; k++)
            words += (uint64_t)t->times * part_of(words_of(&b->reference[t->touch[k]]), t->times);
    }
    return words;
}

/* Whether the words of a component go around the memories in this nest. */
static bool goes_around(const struct htmt__player *p, const struct htmt__nest_plan *plan,
                        unsigned array, htmt_wide component)
{
    bool any = false, all = true;
    for (unsigned i = 0; i < plan->streams; i++) {
        const struct htmt__nest_stream *s = &plan->stream[i];
        if (s->array != array || s->component != component)
            continue;
        any = true;
        all = all && htmt__nest_leaves(plan, &plan->pattern[s->pattern], &p->request->keeping);
    }
    return any && all;
}

/* Places of all references, one behind the other; those of reference i begin at first[i]. */
static void put_references(const struct htmt__player *p, const struct htmt__nest_plan *plan,
                           struct htmt__player_body *body, unsigned *first)
{
    const struct htmt__nest_keeping *keeping = &p->request->keeping;
    const struct htmt__nest_body *of = body->of;
    for (unsigned i = 0; i < of->references; i++) {
        const struct htmt__nest_reference *r = &of->reference[i];
        const struct htmt__nest_layout *a = &p->array[r->array];
        first[i] = body->places;
        for (htmt_wide c = r->first; c <= r->last; c++) {
            const bool around =
                (keeping->bypass || keeping->stream_reads) && goes_around(p, plan, r->array, c);
            body->around = body->around || around;
            put_places(p, r, 0,
                       (struct htmt__player_place){.at = a->base + (int64_t)c * a->component,
                                                   .write = r->touch & HTMT__NEST_WRITES,
                                                   .around = around,
                                                   .array = r->array},
                       body);
        }
    }
    first[of->references] = body->places;
}

/* The same places in the order of the body. */
static int put_in_order(struct htmt__player_body *body, const unsigned *first, size_t room)
{
    const struct htmt__nest_body *of = body->of;
    struct htmt__player_place *ordered = calloc(room, sizeof *ordered);
    unsigned count = 0;
    if (!ordered)
        return HTMT_ENOMEM;
    for (unsigned i = 0; i < of->turns; i++) {
        const struct htmt__nest_turn *t = &of->turn[i];
        for (htmt_wide turn = 0; turn < t->times; turn++)
            for (unsigned k = 0; k < t->touches; k++) {
                const unsigned reference = t->touch[k];
                const uint64_t words = words_of(&of->reference[reference]),
                               all = first[reference + 1] - first[reference],
                               part = part_of(words, t->times) * (all / words),
                               from = part == all ? 0 : part * (uint64_t)turn;
                memcpy(ordered + count, body->place + first[reference] + from,
                       part * sizeof *ordered);
                count += (unsigned)part;
            }
    }
    free(body->place);
    body->place = ordered;
    body->places = count;
    return 0;
}

static int make_body(struct htmt__player *p, const struct htmt__nest_plan *plan,
                     const struct htmt__nest_body *of, struct htmt__player_body *body)
{
    uint64_t nodes = 1, words = 0; /* nodes of the largest word */
    int rc = 0;
    body->of = of;
    for (unsigned i = 0; i < of->references; i++) {
        words += words_of(&of->reference[i]);
        while (nodes << p->shift < (uint64_t)p->array[of->reference[i].array].bytes)
            nodes++;
    }
    unsigned *first = calloc(of->references + 1, sizeof *first);
    body->place = calloc(nodes * words + 1, sizeof *body->place);
    if (!body->place || !first)
        rc = HTMT_ENOMEM;
    if (!rc)
        put_references(p, plan, body, first);
    if (!rc && of->turns)
        rc = put_in_order(body, first, nodes * touches_of(of) + 1);
    p->places = body->places > p->places ? body->places : p->places;
    free(first);
    return rc;
}

htmt_wide htmt__player_touches(const struct htmt__nest_program *program, unsigned run)
{
    const struct htmt__nest_run *r = &program->run[run];
    const htmt_wide most = (htmt_wide)1 << 60;
    htmt_wide touches = 0;
    for (unsigned i = 0; r->plan && i < r->plan->bodies && touches < most; i++)
        touches += (r->plan->count < most ? r->plan->count : most) *
                   (htmt_wide)touches_of(&r->plan->body[i]);
    for (unsigned i = 0; !r->plan && i < r->parts && touches < most; i++)
        touches += htmt__nest_array_words(program, r->part[i].array, r->part[i].count);
    return touches < most ? touches : most;
}

static int check(const struct htmt__player *p)
{
    for (unsigned r = 0; r < p->program->runs; r++) {
        const struct htmt__nest_plan *plan = p->program->run[r].plan;
        for (unsigned b = 0; plan && b < plan->bodies; b++)
            if (plan->body[b].told || touches_of(&plan->body[b]) > BODY_MAX)
                return HTMT_ERANGE;
    }
    return 0;
}

static int make_bodies(struct htmt__player *p)
{
    const struct htmt__nest_program *program = p->program;
    int rc = 0;
    for (unsigned r = 0; r < program->runs && !rc; r++) {
        const struct htmt__nest_plan *plan = program->run[r].plan;
        if (!plan)
            continue;
        p->body[r] = calloc(plan->bodies, sizeof **p->body);
        rc = p->body[r] ? 0 : HTMT_ENOMEM;
        for (unsigned b = 0; b < plan->bodies && !rc && plan->count; b++)
            rc = make_body(p, plan, &plan->body[b], &p->body[r][b]);
    }
    p->now = calloc(p->places + 1, sizeof *p->now);
    return rc || p->now ? rc : HTMT_ENOMEM;
}

int htmt__player_place(struct htmt__player *p)
{
    int rc = check(p);
    if (!rc)
        rc = lay_out(p);
    return rc ? rc : make_bodies(p);
}
