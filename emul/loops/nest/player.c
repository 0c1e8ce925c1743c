/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Playing a program: its touches in the order in which it makes them, through memories of several
 * capacities at once.
 *
 * Memories. All words that the largest memory holds stand in one list, the last that was touched
 * first. A memory of c words holds the first c of the list, so smaller memories are parts of larger
 * ones. Each memory knows the last word that it holds, its edge, and each word the smallest memory
 * that holds it, its level. A touch of a word of level k misses in the memories below k. The word
 * moves to the front; each of those memories then holds one word too many, so its edge gives up one
 * word and moves one forward. That costs a few steps for each memory that misses and none for those
 * that hold the word, whatever the capacities. By hand, memories of 1 and 2 words, touches a b a c
 * a: a and b miss in both; a (list b a) misses in the first alone; c misses in both, and the list c
 * a gives up b; a misses in the first alone. The first reads 5 words, the second 3.
 *
 * A word that is written is fetched before. A write of a word that is clean in a memory makes it
 * dirty there: it will be written back once, when it leaves or at the end. So write backs are
 * counted at that write and belong to the nest that writes.
 *
 * Repeats. After one turn of a repeat the words of its body stand in front, in the order of their
 * last touches in a turn, which is the same after each turn. Behind them stand the others, which no
 * turn changes. So all turns from the second on begin with the same list, and miss alike; whether a
 * word that a turn writes is dirty when the turn begins is decided within a turn, too. Two turns
 * are played, the others are like the second. A repeat in a repeat is a part of that body.
 *
 * Around. With `--bypass` a word of an array that a nest only writes is sent out each time, but for
 * times in iterations that follow each other (a buffer of writes joins them), and a copy in a
 * memory is renewed where it is. With `--stream-reads` a word that is read at one offset in all
 * iterations is taken from a memory that has it, else from outside, and no memory keeps it.
 *
 * Loops that several nests share (`loop` in a nest file) run these one after the other in each of
 * their iterations.
 *
 * Cost: some 10 ns a touch, and 12 bytes for each word that the program may touch.
 */
#include "emul/loops/nest/player.h"

#include <stdlib.h>
#include <string.h>

#define UNITS_MAX ((htmt_wide)1 << 25)
#define BODY_MAX  ((uint64_t)1 << 24)  /* touches of an iteration */
#define FAR       ((htmt_wide)1 << 35) /* of subscripts: times 2^25 units of an axis they fit */

/* ---- memories ----------------------------------------------------------------------------------
 */

static void unlink_node(struct htmt__player_memories *m, const struct htmt__player_node *n)
{
    *(n->before == HTMT__PLAYER_NONE ? &m->first : &m->node[n->before].behind) = n->behind;
    *(n->behind == HTMT__PLAYER_NONE ? &m->last : &m->node[n->behind].before) = n->before;
}

static void put_first(struct htmt__player_memories *m, uint32_t index)
{
    struct htmt__player_node *n = &m->node[index];
    n->before = HTMT__PLAYER_NONE;
    n->behind = m->first;
    *(m->first == HTMT__PLAYER_NONE ? &m->last : &m->node[m->first].before) = index;
    m->first = index;
}

/* Memories below `level` lack the word, which is first now: each gives up the word at its edge. */
static void push_edges(struct htmt__player_memories *m, unsigned level)
{
    for (unsigned k = 0; k < level; k++) {
        struct htmt__player_memory *memory = &m->at[k];
        if (memory->edge == HTMT__PLAYER_NONE) {
            if (m->held == memory->capacity)
                memory->edge = m->last;
            continue;
        }
        struct htmt__player_node *n = &m->node[memory->edge];
        const uint32_t before = n->before;
        n->level = (uint8_t)(k + 1);
        n->dirty &= (uint16_t) ~(1U << k);
        if (n->strange == k)
            n->strange++;
        if (k + 1 == m->count) {
            unlink_node(m, n);
            m->held--;
        }
        memory->edge = before;
    }
}

/* The level of the word: memories below it missed. */
static inline unsigned touch(struct htmt__player_memories *m, uint32_t index)
{
    struct htmt__player_node *n = &m->node[index];
    const unsigned level = n->level;
    if (m->first == index)
        return level;
    if (level == m->count) {
        m->held++;
    } else {
        if (m->at[level].edge == index)
            m->at[level].edge = n->before;
        unlink_node(m, n);
    }
    put_first(m, index);
    n->level = 0;
    if (level)
        push_edges(m, level);
    return level;
}

/* ---- iterations --------------------------------------------------------------------------------
 */

static int64_t value_at(const struct htmt__player *p, const struct htmt__nest_affine *a,
                        unsigned loops)
{
    const htmt_wide far = (htmt_wide)1 << 61;
    htmt_wide value = a->constant;
    for (unsigned l = 0; l < loops; l++)
        value += a->factor[l] * p->at[l];
    return (int64_t)(value > far ? far : value < -far ? -far : value);
}

/* The first and last value of a loop, and how many, where the loops outside stand; in the block. */
int64_t htmt__player_values(const struct htmt__player *p, const struct htmt__nest_body *b,
                            unsigned l, int64_t *low, int64_t *high)
{
    const struct htmt__nest_bounds *bounds = &b->bounds[l];
    const int64_t step = (int64_t)bounds->step;
    *low = INT64_MIN;
    *high = INT64_MAX;
    for (unsigned i = 0; i < bounds->lows; i++) {
        const int64_t value = value_at(p, &bounds->low[i], l);
        *low = value > *low ? value : *low;
    }
    for (unsigned i = 0; i < bounds->highs; i++) {
        const int64_t value = value_at(p, &bounds->high[i], l);
        *high = value < *high ? value : *high;
    }
    if (p->from[l] > *low)
        *low += (p->from[l] - *low + step - 1) / step * step;
    *high = p->to[l] < *high ? p->to[l] : *high;
    if (*high < *low)
        return 0;
    *high = *low + (*high - *low) / step * step;
    return (*high - *low) / step + 1;
}

bool htmt__player_holds(const struct htmt__player *p, const struct htmt__nest_body *b,
                        unsigned loops)
{
    int64_t low, high;
    for (unsigned l = 0; l < loops; l++)
        if (!htmt__player_values(p, b, l, &low, &high) || p->at[l] < low || p->at[l] > high ||
            (p->at[l] - low) % (int64_t)b->bounds[l].step)
            return false;
    return true;
}

/* While a memory is not full, it may be that it held a word that it lacks: such a word is strange
 * there until it leaves. Smaller memories fill first. */
static void note_origin(struct htmt__player *p, struct htmt__player_node *n, unsigned level)
{
    const struct htmt__player_memories *m = &p->m;
    if (level < m->count) {
        for (unsigned k = 0; k < level && p->counting; k++)
            p->counting[k].read++;
        return;
    }
    unsigned full = 0;
    while (full < m->count && (p->known || m->at[full].edge != HTMT__PLAYER_NONE))
        full++;
    n->dirty = 0;
    n->strange = (uint8_t)full;
    for (unsigned k = 0; k < level && p->counting; k++)
        ++*(k < full ? &p->counting[k].read : &p->counting[k].unsure[0]);
}

static inline void touch_node(struct htmt__player *p, uint32_t index, bool write)
{
    const unsigned level = touch(&p->m, index), all = (1U << p->m.count) - 1;
    struct htmt__player_node *n = &p->m.node[index];
    if (p->sampling)
        note_origin(p, n, level);
    else if (p->counting)
        for (unsigned k = 0; k < level; k++)
            p->counting[k].read++;
    if (!write || n->dirty == all)
        return;
    for (unsigned k = 0; k < p->m.count && p->counting; k++)
        if (!(n->dirty >> k & 1))
            ++*(k >= n->strange ? &p->counting[k].unsure[1] : &p->counting[k].written);
    n->dirty = (uint16_t)all;
}

/* A word that goes around the memories. */
static void touch_around(struct htmt__player *p, uint32_t index, bool write)
{
    const struct htmt__player_memories *m = &p->m;
    const unsigned lacking = write ? m->count : m->node[index].level;
    uint32_t *stamp = &p->stamp[write][index];
    const bool again = p->now_around - *stamp <= 1;
    *stamp = p->now_around;
    for (unsigned k = 0; k < lacking && !again && p->counting; k++) {
        const bool unsure = p->sampling && !p->known && m->at[k].edge == HTMT__PLAYER_NONE;
        ++*(write    ? &p->counting[k].written
            : unsure ? &p->counting[k].unsure[0]
                     : &p->counting[k].read);
    }
}

/* The body at the variables of all loops but the innermost one, which takes `times` values. */
static void run_row(struct htmt__player *p, const struct htmt__nest_plan *plan,
                    const struct htmt__player_body *body, int64_t first, int64_t step,
                    int64_t times)
{
    const unsigned inner = plan->depth - 1;
    int64_t *now = p->now;
    p->at[inner] = first;
    for (unsigned i = 0; i < body->places; i++) {
        now[i] = body->place[i].at;
        for (unsigned l = 0; l <= inner; l++)
            now[i] += body->place[i].by[l] * p->at[l];
    }
    if (!body->around) {
        for (int64_t t = 0; t < times; t++)
            for (unsigned i = 0; i < body->places; i++) {
                const struct htmt__player_place *place = &body->place[i];
                touch_node(p, (uint32_t)(now[i] >> p->shift), place->write);
                now[i] += place->by[inner] * step;
            }
        return;
    }
    for (int64_t t = 0; t < times; t++, p->now_around++)
        for (unsigned i = 0; i < body->places; i++) {
            const struct htmt__player_place *place = &body->place[i];
            const uint32_t node = (uint32_t)(now[i] >> p->shift);
            if (place->around)
                touch_around(p, node, place->write);
            else
                touch_node(p, node, place->write);
            now[i] += place->by[inner] * step;
        }
}

static void run_loops(struct htmt__player *p, const struct htmt__nest_plan *plan,
                      const struct htmt__player_body *body, unsigned l)
{
    const struct htmt__nest_body *b = body[0].of;
    const int64_t step = (int64_t)b->bounds[l].step;
    int64_t low = INT64_MAX, high = INT64_MIN, from, to;
    for (unsigned i = 0; i < plan->bodies; i++)
        if (htmt__player_values(p, body[i].of, l, &from, &to)) {
            low = from < low ? from : low;
            high = to > high ? to : high;
        }
    if (high < low)
        return;
    const bool inner = l + 1 == plan->depth;
    if (inner && plan->bodies == 1) {
        run_row(p, plan, body, b->down[l] ? high : low, b->down[l] ? -step : step,
                (high - low) / step + 1);
        return;
    }
    for (int64_t i = 0; i <= (high - low) / step; i++) {
        p->at[l] = b->down[l] ? high - i * step : low + i * step;
        if (!inner)
            run_loops(p, plan, body, l + 1);
        for (unsigned k = 0; k < plan->bodies && inner; k++)
            if (htmt__player_holds(p, body[k].of, plan->depth))
                run_row(p, plan, &body[k], p->at[l], step, 1);
    }
}

/* All blocks, those of the innermost loops first. */
static void run_blocks(struct htmt__player *p, unsigned run, unsigned l)
{
    const struct htmt__nest_plan *plan = p->program->run[run].plan;
    if (l == plan->depth) {
        run_loops(p, plan, p->body[run], 0);
        return;
    }
    const int64_t block = p->request->block[plan->depth - 1 - l], step = plan->step[l];
    if (!block || block >= plan->extent[l]) {
        run_blocks(p, run, l + 1);
        return;
    }
    for (int64_t i = p->first_block[l]; i <= p->last_block[l] && i * block < plan->extent[l]; i++) {
        p->from[l] = plan->low[l] + i * block * step;
        p->to[l] = p->from[l] + (block - 1) * step;
        run_blocks(p, run, l + 1);
    }
    p->from[l] = INT64_MIN;
    p->to[l] = INT64_MAX;
}

/* ---- the program -------------------------------------------------------------------------------
 */

/* A procedure whose body was not seen: each word once; where components lie between others, all
 * that the array spans. */
void htmt__player_unknown(const struct htmt__player *p, const struct htmt__nest_sent *s,
                          int64_t *first, int64_t *last)
{
    const struct htmt__nest_layout *a = &p->array[s->array];
    const int64_t more = (int64_t)(s->count - 1) * a->component;
    const int64_t from = a->base + (int64_t)s->first * a->component;
    int64_t to = from + more + a->bytes;
    for (unsigned k = 0; k < a->axes && a->used; k++)
        to += (a->size[k] - 1) * a->by[k];
    *first = from >> p->shift;
    *last = a->used ? (to - 1) >> p->shift : *first - 1;
}

static void run_unknown(struct htmt__player *p, const struct htmt__nest_run *run)
{
    p->counting = NULL;
    for (unsigned i = 0; i < run->parts; i++) {
        int64_t from, to;
        htmt__player_unknown(p, &run->part[i], &from, &to);
        for (int64_t k = from; k <= to; k++)
            touch_node(p, (uint32_t)k, true);
    }
}

/* A nest inside of `loops` loops that others run. */
static void run_nest(struct htmt__player *p, unsigned run, unsigned loops)
{
    const struct htmt__nest_run *r = &p->program->run[run];
    const struct htmt__player_body *body = p->body[run];
    if (!r->plan) {
        run_unknown(p, r);
        return;
    }
    if (!r->plan->count)
        return;
    p->counting = &p->count[(size_t)run * p->m.count];
    if (!loops) {
        run_blocks(p, run, 0);
    } else if (loops < r->plan->depth) {
        bool some = false;
        for (unsigned i = 0; i < r->plan->bodies; i++)
            some = some || htmt__player_holds(p, body[i].of, loops);
        if (some)
            run_loops(p, r->plan, body, loops);
    } else {
        for (unsigned i = 0; i < r->plan->bodies; i++)
            if (htmt__player_holds(p, body[i].of, loops))
                run_row(p, r->plan, &body[i], p->at[loops - 1], 1, 1);
    }
}

/* Inner ones stand before outer ones. */
unsigned htmt__player_rounds(const struct htmt__nest_program *program, unsigned first,
                             unsigned rounds)
{
    for (unsigned i = rounds; i-- > 0;)
        if (program->repeat[i].first == first && program->repeat[i].last >= first)
            return i;
    return rounds;
}

static int run_turns(struct htmt__player *p, unsigned rounds, unsigned loops)
{
    const struct htmt__nest_rounds *r = &p->program->repeat[rounds];
    const size_t from = (size_t)r->first * p->m.count;
    const size_t counts = (size_t)(r->last + 1) * p->m.count - from;
    struct htmt__player_count *before = malloc(counts * sizeof *before);
    int rc = before ? htmt__player_run(p, r->first, r->last, rounds, loops) : HTMT_ENOMEM;
    if (!rc) {
        memcpy(before, p->count + from, counts * sizeof *before);
        rc = htmt__player_run(p, r->first, r->last, rounds, loops);
    }
    for (size_t i = 0; i < counts && !rc; i++) {
        struct htmt__player_count *c = &p->count[from + i];
        c->read += (c->read - before[i].read) * (r->times - 2);
        c->written += (c->written - before[i].written) * (r->times - 2);
        for (int k = 0; k < 2; k++)
            c->unsure[k] += (c->unsure[k] - before[i].unsure[k]) * (r->times - 2);
    }
    free(before);
    return rc;
}

bool htmt__player_range(const struct htmt__player *p, unsigned first, unsigned last, unsigned loops,
                        struct htmt__player_range *range)
{
    int64_t from, to;
    *range = (struct htmt__player_range){INT64_MAX, INT64_MIN, 1, false};
    for (unsigned i = first; i <= last; i++) {
        const struct htmt__nest_plan *plan = p->program->run[i].plan;
        for (unsigned b = 0; plan && loops < plan->depth && b < plan->bodies; b++) {
            const struct htmt__nest_body *body = &plan->body[b];
            if (!htmt__player_values(p, body, loops, &from, &to))
                continue;
            const int64_t step = (int64_t)body->bounds[loops].step;
            const bool none = range->low > range->high,
                       apart = !none && (step != range->step || (from - range->low) % step);
            range->step = apart ? 1 : step; /* each nest knows its own steps */
            range->down = range->down || body->down[loops];
            range->low = from < range->low ? from : range->low;
            range->high = to > range->high ? to : range->high;
        }
    }
    return range->low <= range->high;
}

/* Nests take turns in the iterations of a loop that all of them have. */
static int run_shared(struct htmt__player *p, unsigned rounds, unsigned loops)
{
    const struct htmt__nest_rounds *r = &p->program->repeat[rounds];
    struct htmt__player_range v;
    int rc = 0;
    if (!htmt__player_range(p, r->first, r->last, loops, &v))
        return 0;
    for (int64_t i = 0; i <= (v.high - v.low) / v.step && !rc; i++) {
        p->at[loops] = v.down ? v.high - i * v.step : v.low + i * v.step;
        rc = htmt__player_run(p, r->first, r->last, rounds, loops + 1);
    }
    return rc;
}

int htmt__player_run(struct htmt__player *p, unsigned first, unsigned last, unsigned rounds,
                     unsigned loops)
{
    const struct htmt__nest_program *program = p->program;
    int rc = 0;
    for (unsigned run = first; run <= last && !rc;) {
        const unsigned inner = htmt__player_rounds(program, run, rounds);
        if (inner == rounds) {
            run_nest(p, run++, loops);
            continue;
        }
        const struct htmt__nest_rounds *r = &program->repeat[inner];
        if (!r->loop)
            rc = run_turns(p, inner, loops);
        else if (p->cut)
            rc = htmt__player_run(p, r->first, r->last, inner, loops);
        else
            rc = run_shared(p, inner, loops);
        run = r->last + 1;
    }
    return rc;
}

/* ---- making a player ----------------------------------------------------------------------------
 */

/* Memories by capacity, each capacity once. A memory that is too small for a word has one. */
static int make_memories(struct htmt__player *p)
{
    struct htmt__player_memories *m = &p->m;
    const uint32_t nodes = (uint32_t)(p->units >> p->shift);
    for (unsigned i = 0; i < p->request->capacities; i++) {
        htmt_wide words = p->request->capacity[i] / (p->unit << p->shift);
        words = words < 1 ? 1 : words > nodes ? (htmt_wide)nodes + 1 : words;
        unsigned at = 0;
        while (at < m->count && m->at[at].capacity < (uint32_t)words)
            at++;
        if (at == m->count || m->at[at].capacity != (uint32_t)words) {
            memmove(m->at + at + 1, m->at + at, (m->count - at) * sizeof *m->at);
            m->at[at] = (struct htmt__player_memory){(uint32_t)words, HTMT__PLAYER_NONE};
            m->count++;
        }
    }
    for (unsigned i = 0; i < p->request->capacities; i++) {
        htmt_wide words = p->request->capacity[i] / (p->unit << p->shift);
        words = words < 1 ? 1 : words > nodes ? (htmt_wide)nodes + 1 : words;
        while (m->at[p->order[i]].capacity != (uint32_t)words)
            p->order[i]++;
    }
    m->first = m->last = HTMT__PLAYER_NONE;
    m->node = malloc(((size_t)nodes + 1) * sizeof *m->node);
    if (!m->node)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < nodes; i++)
        m->node[i] = (struct htmt__player_node){HTMT__PLAYER_NONE, HTMT__PLAYER_NONE,
                                                (uint8_t)m->count, HTMT__STREAM_CAPACITIES, 0};
    return 0;
}

void htmt__player_empty(struct htmt__player *p)
{
    struct htmt__player_memories *m = &p->m;
    for (uint32_t i = m->first; i != HTMT__PLAYER_NONE;) {
        struct htmt__player_node *n = &m->node[i];
        i = n->behind;
        *n = (struct htmt__player_node){HTMT__PLAYER_NONE, HTMT__PLAYER_NONE, (uint8_t)m->count,
                                        HTMT__STREAM_CAPACITIES, 0};
    }
    m->first = m->last = HTMT__PLAYER_NONE;
    m->held = 0;
    p->known = false;
    for (unsigned k = 0; k < m->count; k++)
        m->at[k].edge = HTMT__PLAYER_NONE;
}

int htmt__player_make(const struct htmt__nest_program *program,
                      const struct htmt__stream_request *request, struct htmt__player *player)
{
    const unsigned arrays = program->file->arrays + 1, runs = program->runs;
    struct htmt__player *p = player;
    *p = (struct htmt__player){.program = program,
                               .request = request,
                               .array = calloc(arrays, sizeof *p->array),
                               .body = calloc(runs + 1, sizeof *p->body)};
    int rc = p->array && p->body ? 0 : HTMT_ENOMEM;
    for (unsigned l = 0; l < HTMT__NEST_DEPTH; l++) {
        p->from[l] = INT64_MIN;
        p->to[l] = INT64_MAX;
        p->last_block[l] = INT64_MAX;
        p->cut = p->cut || request->block[l];
    }
    if (!rc)
        rc = htmt__player_place(p);
    if (!rc)
        rc = make_memories(p);
    const bool around = request->keeping.bypass || request->keeping.stream_reads;
    for (int i = 0; i < 2 && around && !rc; i++) {
        p->stamp[i] = calloc((size_t)(p->units >> p->shift) + 1, sizeof *p->stamp[i]);
        rc = p->stamp[i] ? 0 : HTMT_ENOMEM;
    }
    p->now_around = 2;
    if (!rc && !(p->count = calloc((size_t)runs * p->m.count + 1, sizeof *p->count)))
        rc = HTMT_ENOMEM;
    return rc;
}

void htmt__player_clear(struct htmt__player *p)
{
    for (unsigned r = 0; r < p->program->runs && p->body; r++) {
        for (unsigned b = 0; p->body[r] && b < p->program->run[r].plan->bodies; b++)
            free(p->body[r][b].place);
        free(p->body[r]);
    }
    free(p->m.node);
    free(p->stamp[0]);
    free(p->stamp[1]);
    free(p->count);
    free(p->now);
    free(p->body);
    free(p->array);
}
