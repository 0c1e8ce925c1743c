/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rule of the authors' sheets for one loop. It does not follow references one by one, as the
 * exact rule does, but counts words of boxes:
 *
 * A loop runs in blocks of bx x by x bz cells. An array that is read reaches beyond a block by
 * ghosts, so a block of it has up(bx + ex) (by + ey) (bz + ez) words, where up() rounds to whole
 * lines; if no offset leaves the centre on two axes (a star), the corners are not fetched. Such a
 * block is read once if planes stay in the cache; once for each plane offset if only rows do; once
 * for each row offset, if only the cells of a row do; else once for each offset. Arrays that are
 * written have no ghosts here, and cost two words: fetched or read, and written back. An array that
 * has one offset alone along an axis begins there: it has no ghosts on it.
 *
 * Which of these holds follows from the room of what must stay. To keep planes, each array needs so
 * many planes as its offsets span, and the largest gap between neighbouring planes of any array
 * more, because that many are fetched before the next one is used. Rows likewise. A smaller set is
 * taken when it moves no more than the larger one would.
 *
 * By hand: u read at i, i-1, i+1, j-1, j+1, k-1, k+1, v written, blocks of 16 x 16 x 128 of 128^3,
 * lines of 8 words. A = up(18) = 24, B = 16, so a plane of u's star is 24 16 + 16 18 - 16 16 = 416
 * words. Its offsets span 2 planes and neighbours are 1 apart: 3 planes, 1248 words; v has one of
 * 256. Planes need 8 (1248 + 256) = 12,032 bytes. Where these fit, u's block has
 * 24 16 128 + 16 18 128 + 16 16 130 - 2 16 16 128 = 53,760 words; 64 blocks, with 2 words for each
 * of v, move 64 (8 53,760 + 16 32,768) = 61 MB.
 */
#include "emul/loops/bound/exasat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORD      8      /* bytes: the rule has no others */
#define ROUND     16     /* bytes of memory for a written word: in and out */
#define SIZES_MAX 0x1p96 /* bytes of a block; products of it are below 128 bits */

typedef struct htmt__nest_number number;

const char *htmt__exasat_level_name(enum htmt__exasat_level level)
{
    static const char *const names[] = {"plane", "pencil", "inner", "cell"};
    return names[level];
}

/* ---- offsets -----------------------------------------------------------------------------------
 */

/* The loop of a plan that is this axis; -1: it has none. */
static int loop_of(const struct htmt__nest_plan *plan, int axis)
{
    return (int)plan->depth - 1 - axis;
}

/* An offset to the loop's variable, not to its first iteration. */
static htmt_wide offset_at(const struct htmt__nest_plan *plan, const struct htmt__nest_offset *o,
                           int axis)
{
    const int l = loop_of(plan, axis);
    return l < 0 ? 0 : o->at[l] - plan->low[l];
}

/* The offset along an axis that all of a pattern have, else 0: such an array begins elsewhere,
 * which costs no words. */
static htmt_wide common(const struct htmt__nest_plan *plan, const struct htmt__nest_pattern *p,
                        int axis)
{
    const htmt_wide first = p->offsets ? offset_at(plan, &p->offset[0], axis) : 0;
    for (unsigned i = 1; i < p->offsets; i++)
        if (offset_at(plan, &p->offset[i], axis) != first)
            return 0;
    return first;
}

/* Offsets are sorted by the outermost loop first, so those of a plane, and of a row in it, follow
 * each other. The gap between neighbours is 1 where there is one plane or row alone. */
static void measure(const struct htmt__nest_plan *plan, const struct htmt__nest_pattern *p,
                    struct htmt__exasat_group *g, htmt_wide *gap_y, htmt_wide *gap_z)
{
    htmt_wide low[HTMT__EXASAT_AXES] = {0}, high[HTMT__EXASAT_AXES] = {0};
    htmt_wide last[HTMT__EXASAT_AXES] = {0}, first_z = 0, origin[HTMT__EXASAT_AXES];
    for (int a = 0; a < HTMT__EXASAT_AXES; a++)
        origin[a] = common(plan, p, a);
    g->star = true;
    g->cells = p->offsets;
    for (unsigned i = 0; i < p->offsets; i++) {
        htmt_wide at[HTMT__EXASAT_AXES];
        int away = 0;
        for (int a = 0; a < HTMT__EXASAT_AXES; a++) {
            at[a] = offset_at(plan, &p->offset[i], a) - origin[a];
            low[a] = at[a] < low[a] ? at[a] : low[a];
            high[a] = at[a] > high[a] ? at[a] : high[a];
            away += at[a] != 0;
        }
        g->star = g->star && away < 2;
        const bool plane = !i || at[HTMT__EXASAT_Z] != last[HTMT__EXASAT_Z];
        const bool row = plane || at[HTMT__EXASAT_Y] != last[HTMT__EXASAT_Y];
        const htmt_wide gap[] = {at[HTMT__EXASAT_Y] - last[HTMT__EXASAT_Y],
                                 at[HTMT__EXASAT_Z] - last[HTMT__EXASAT_Z]};
        if (i && plane && gap[1] > *gap_z)
            *gap_z = gap[1];
        if (row && !plane && gap[0] > *gap_y)
            *gap_y = gap[0];
        if (!i)
            first_z = at[HTMT__EXASAT_Z];
        g->breadth += row && !plane ? gap[0] : 0;
        g->planes += plane;
        g->pencils += row;
        memcpy(last, at, sizeof last);
    }
    g->depth = last[HTMT__EXASAT_Z] - first_z;
    for (int a = 0; a < HTMT__EXASAT_AXES; a++)
        g->ghost[a] = high[a] - low[a];
}

/* ---- a loop ------------------------------------------------------------------------------------
 */

/* The reason for which the rule does not know a nest; NULL: it does. */
static const char *unknown(const struct htmt__nest_run *run)
{
    const struct htmt__nest_plan *plan = run->plan;
    htmt_wide box = 1;
    if (!plan)
        return "its body was not seen";
    if (!plan->depth || plan->depth > HTMT__EXASAT_AXES)
        return "it has other than one to three loops";
    if (plan->givens)
        return "it tells its words by 'touched'";
    for (unsigned l = 0; l < plan->depth; l++) {
        box *= plan->extent[l];
        if (plan->step[l] != 1)
            return "a loop has a step";
    }
    if (box != plan->count || !box)
        return "its loops are no box";
    for (size_t i = 0; i < plan->points; i++) {
        const struct htmt__nest_point *p = &plan->point[i];
        bool plain = !p->coupled && p->used == (1U << plan->depth) - 1;
        for (unsigned a = 0; a < p->axes; a++)
            plain = plain && (p->axis[a].loop < 0 || (p->axis[a].factor == 1 && !p->axis[a].rest));
        if (!plain)
            return "a subscript is other than a loop and an offset";
        if (p->unit != (int)plan->depth - 1)
            return "the innermost loop does not move word by word";
        if (run->plan->file->array[p->array].bytes != WORD)
            return "an array has words of other than 8 bytes";
    }
    return NULL;
}

static enum htmt__exasat_kind kind_of(const struct htmt__nest_stream *s)
{
    return !(s->touch & HTMT__NEST_WRITES) ? HTMT__EXASAT_READ
           : s->written_first              ? HTMT__EXASAT_WRITE
                                           : HTMT__EXASAT_READ_WRITE;
}

static int make_loop(const struct htmt__nest_run *run, struct htmt__exasat_loop *loop)
{
    const struct htmt__nest_plan *plan = run->plan;
    *loop = (struct htmt__exasat_loop){.run = run, .gap_y = 1, .gap_z = 1};
    for (int a = 0; a < HTMT__EXASAT_AXES; a++) {
        const int l = loop_of(plan, a);
        loop->extent[a] = l < 0 ? 1 : plan->extent[l];
    }
    for (unsigned i = 0; i < plan->scalars; i++) {
        const number words = plan->scalar[i].words;
        const htmt_wide count = htmt__nest_floor(words) < 1 ? 1 : htmt__nest_floor(words);
        *(plan->scalar[i].integer ? &loop->integers : &loop->reals) += (uint64_t)count;
    }
    loop->group = calloc((size_t)plan->streams + 1, sizeof *loop->group);
    if (!loop->group)
        return HTMT_ENOMEM;
    for (unsigned i = 0; i < plan->streams; i++) {
        const struct htmt__nest_stream *s = &plan->stream[i];
        const enum htmt__exasat_kind kind = kind_of(s);
        struct htmt__exasat_group *g = loop->group;
        while (g < loop->group + loop->groups && (g->kind != kind || g->pattern != s->pattern))
            g++;
        if (g == loop->group + loop->groups) {
            htmt_wide none[2] = {0};
            const bool reads = kind == HTMT__EXASAT_READ;
            *g = (struct htmt__exasat_group){.kind = kind, .pattern = s->pattern};
            measure(plan, &plan->pattern[s->pattern], g, reads ? &loop->gap_y : &none[0],
                    reads ? &loop->gap_z : &none[1]);
            loop->groups++;
        }
        g->copies++;
        loop->arrays[kind]++;
    }
    return 0;
}

/* ---- messages ----------------------------------------------------------------------------------
 */

/* A face is as large as the box, without the edges that it shares with other faces. */
static void add_faces(struct htmt__exasat *rule, htmt_wide copies,
                      const htmt_wide width[HTMT__EXASAT_AXES], bool sides[HTMT__EXASAT_AXES])
{
    for (int a = 0; a < HTMT__EXASAT_AXES; a++) {
        htmt_wide words = copies * width[a];
        for (int other = 0; other < HTMT__EXASAT_AXES; other++)
            words *= other == a ? 1 : rule->box[other];
        rule->message_bytes += WORD * words;
        sides[a] = sides[a] || width[a] > 0;
    }
}

/* A file that exchanges ghosts says which. Else they are what the first loop that computes beyond
 * the box reads there, of arrays that no loop before it wrote. */
static void count_messages(struct htmt__exasat *rule)
{
    const struct htmt__nest_program *p = rule->program;
    bool sides[HTMT__EXASAT_AXES] = {false};
    for (unsigned i = 0; i < p->exchanges && p->exchange[i].before == p->exchange[0].before; i++) {
        const htmt_wide both = 2 * p->exchange[i].depth;
        const unsigned axes = p->file->array[p->exchange[i].sent.array].axes;
        htmt_wide width[HTMT__EXASAT_AXES] = {0};
        for (unsigned a = 0; a < HTMT__EXASAT_AXES && a < axes; a++)
            width[a] = both;
        add_faces(rule, p->exchange[i].sent.count, width, sides);
    }
    for (unsigned i = 0; i < rule->loops && !p->exchanges; i++) {
        const struct htmt__exasat_loop *loop = &rule->loop[i];
        bool beyond = false;
        for (int a = 0; a < HTMT__EXASAT_AXES; a++)
            beyond = beyond || loop->extent[a] > rule->box[a];
        for (unsigned s = 0; s < loop->run->plan->streams && beyond; s++) {
            const struct htmt__nest_stream *one = &loop->run->plan->stream[s];
            bool written = kind_of(one) == HTMT__EXASAT_WRITE;
            for (unsigned k = 0; k < i; k++)
                for (unsigned t = 0; t < rule->loop[k].run->plan->streams; t++) {
                    const struct htmt__nest_stream *other = &rule->loop[k].run->plan->stream[t];
                    written = written ||
                              (other->array == one->array && other->component == one->component &&
                               other->touch & HTMT__NEST_WRITES);
                }
            htmt_wide width[HTMT__EXASAT_AXES];
            for (unsigned g = 0; g < loop->groups && !written; g++) {
                if (loop->group[g].pattern != one->pattern || loop->group[g].kind != kind_of(one))
                    continue;
                for (int a = 0; a < HTMT__EXASAT_AXES; a++)
                    width[a] = loop->extent[a] + loop->group[g].ghost[a] - rule->box[a];
                add_faces(rule, 1, width, sides);
            }
        }
        if (beyond)
            break;
    }
    for (int a = 0; a < HTMT__EXASAT_AXES; a++)
        rule->messages += sides[a] ? 2 : 0;
}

/* ---- a program ---------------------------------------------------------------------------------
 */

/* No block's bytes, all offsets and arrays counted, may come near 128 bits. */
static bool sizes_fit(const struct htmt__exasat_loop *loop)
{
    double words = 0, block = 1;
    for (int a = 0; a < HTMT__EXASAT_AXES; a++)
        block *= (double)loop->extent[a] + 0x1p33;
    for (unsigned g = 0; g < loop->groups; g++)
        words += (double)loop->group[g].copies * (double)(loop->group[g].cells + 4);
    return block / 0x1p33 * (words + 1) < SIZES_MAX;
}

int htmt__exasat_make(const struct htmt__nest_program *program, struct htmt__exasat *rule,
                      struct htmt_fault *fault)
{
    *rule = (struct htmt__exasat){.program = program};
    rule->loop = calloc((size_t)program->runs + 1, sizeof *rule->loop);
    int rc = rule->loop ? 0 : htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    for (unsigned i = 0; i < program->runs && !rc; i++) {
        const struct htmt__nest_run *run = &program->run[i];
        const char *why = unknown(run);
        if (why) {
            rc = htmt_fault_set(fault, HTMT_EUSAGE, "--rule exasat: does not know '%s': %s",
                                run->name, why);
            break;
        }
        struct htmt__exasat_loop *loop = &rule->loop[rule->loops++];
        if (make_loop(run, loop))
            rc = htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
        else if (!sizes_fit(loop))
            rc = htmt_fault_set(fault, HTMT_ERANGE, "nest %s: a number passes 128 bits", run->name);
        for (int a = 0; a < HTMT__EXASAT_AXES && a < (int)run->plan->depth; a++)
            if (!rule->box[a] || loop->extent[a] < rule->box[a])
                rule->box[a] = loop->extent[a];
    }
    for (int a = 0; a < HTMT__EXASAT_AXES; a++)
        rule->box[a] = rule->box[a] ? rule->box[a] : 1;
    if (!rc)
        count_messages(rule);
    else
        htmt__exasat_clear(rule);
    return rc;
}

void htmt__exasat_clear(struct htmt__exasat *rule)
{
    for (unsigned i = 0; i < rule->loops; i++)
        free(rule->loop[i].group);
    free(rule->loop);
    *rule = (struct htmt__exasat){0};
}

/* ---- bounds of a loop --------------------------------------------------------------------------
 */

void htmt__exasat_request_of(const struct htmt__bound_rates *rates,
                             struct htmt__exasat_request *request)
{
    *request =
        (struct htmt__exasat_request){.line = rates->line ? (htmt_wide)rates->line : 1,
                                      .write_cost = ROUND,
                                      .divide = htmt__nest_whole((htmt_wide)rates->divide),
                                      .function = htmt__nest_whole((htmt_wide)rates->function),
                                      .flop = rates->flop,
                                      .processors = rates->processors,
                                      .message_word = rates->message_word,
                                      .message_latency = {(uint64_t)rates->message_latency, 1}};
    if (rates->links) {
        const struct htmt__bound_link *link = &rates->link[0];
        const bool out = htmt_ratio_cmp(link->inward, link->outward) < 0;
        request->cache = link->capacity * WORD;
        request->word = out ? link->outward : link->inward;
    }
}

static htmt_wide up(htmt_wide words, htmt_wide line)
{
    return (words + line - 1) / line * line;
}

/* A block of a loop: cells along each axis. */
static void block_of(const struct htmt__exasat *rule, const struct htmt__exasat_loop *loop,
                     const struct htmt__exasat_request *r, htmt_wide block[HTMT__EXASAT_AXES])
{
    for (int a = 0; a < HTMT__EXASAT_AXES; a++)
        block[a] = a >= (int)loop->run->plan->depth ? 1 : r->block[a] ? r->block[a] : rule->box[a];
}

void htmt__exasat_group_words(const struct htmt__exasat *rule, const struct htmt__exasat_loop *loop,
                              const struct htmt__exasat_group *g,
                              const struct htmt__exasat_request *r, struct htmt__exasat_words *w)
{
    const bool reads = g->kind == HTMT__EXASAT_READ;
    htmt_wide block[HTMT__EXASAT_AXES];
    block_of(rule, loop, r, block);
    const htmt_wide bx = block[HTMT__EXASAT_X], by = block[HTMT__EXASAT_Y],
                    bz = block[HTMT__EXASAT_Z], bare = up(bx, r->line);
    const htmt_wide high = by + g->ghost[HTMT__EXASAT_Y], deep = bz + g->ghost[HTMT__EXASAT_Z];
    *w = (struct htmt__exasat_words){.row = bare, .plane = bare * by, .volume = bare * by * bz};
    if (reads) {
        w->row = up(bx + g->ghost[HTMT__EXASAT_X], r->line);
        w->plane = g->star ? w->row * by + bare * high - bare * by : w->row * high;
        w->volume =
            g->star ? w->row * by * bz + bare * high * bz + bare * by * deep - 2 * bare * by * bz
                    : w->row * high * deep;
    }
    const htmt_wide bytes = g->copies * WORD,
                    cost = g->kind == HTMT__EXASAT_WRITE ? r->write_cost : ROUND;
    const htmt_wide read[HTMT__EXASAT_LEVELS] = {w->volume, g->planes * w->plane * bz,
                                                 g->pencils * w->row * by * bz,
                                                 g->cells * bx * by * bz};
    for (int l = 0; l < HTMT__EXASAT_LEVELS; l++)
        w->moved[l] = reads ? bytes * read[l] : g->copies * cost * w->volume;
    if (r->bypass && !reads)
        return;
    w->set[HTMT__EXASAT_PLANE] = bytes * (g->depth + loop->gap_z) * w->plane;
    w->set[HTMT__EXASAT_PENCIL] = bytes * w->row * (g->breadth + g->planes * loop->gap_y);
    w->set[HTMT__EXASAT_CELL] = bytes * g->cells;
}

/* The level whose set fits, and the figure that the authors' tables print: a smaller set where it
 * moves no more. What is kept by a larger set may move less by a smaller one (a cross whose lines
 * are rounded up), so the least of all levels from the one that fits counts. */
static htmt_wide choose(const htmt_wide moved[HTMT__EXASAT_LEVELS], htmt_wide cache,
                        struct htmt__exasat_bound *bound)
{
    const htmt_wide cell = bound->set[HTMT__EXASAT_CELL];
    const htmt_wide pencil = moved[HTMT__EXASAT_PENCIL] == moved[HTMT__EXASAT_INNER]
                                 ? cell
                                 : bound->set[HTMT__EXASAT_PENCIL];
    bound->working = moved[HTMT__EXASAT_PLANE] == moved[HTMT__EXASAT_PENCIL]
                         ? pencil
                         : bound->set[HTMT__EXASAT_PLANE];
    bound->level = bound->working < cache ? HTMT__EXASAT_PLANE
                   : pencil < cache       ? HTMT__EXASAT_PENCIL
                   : cell < cache         ? HTMT__EXASAT_INNER
                                          : HTMT__EXASAT_CELL;
    htmt_wide least = moved[HTMT__EXASAT_CELL];
    for (int l = bound->level; l < HTMT__EXASAT_LEVELS; l++)
        least = moved[l] < least ? moved[l] : least;
    return least;
}

/* Flop of all iterations. */
static int count_work(const struct htmt__nest_plan *plan, const struct htmt__exasat_request *r,
                      struct htmt__exasat_bound *bound)
{
    const number all = htmt__nest_whole(plan->count);
    number cell, plain;
    int rc = htmt__nest_add(plan->ops[HTMT__NEST_ADD], plan->ops[HTMT__NEST_MUL], &cell);
    plain = cell;
    if (!rc)
        rc = htmt__nest_gather(plan->ops[HTMT__NEST_DIV], r->divide, &cell);
    if (!rc)
        rc = htmt__nest_gather(plan->ops[HTMT__NEST_FUNCTION], r->function, &cell);
    if (!rc)
        rc = htmt__nest_add(plain, plan->ops[HTMT__NEST_DIV], &plain);
    if (!rc)
        rc = htmt__nest_add(plain, plan->ops[HTMT__NEST_FUNCTION], &plain);
    if (!rc)
        rc = htmt__nest_multiply(cell, all, &bound->work);
    return rc ? rc : htmt__nest_multiply(plain, all, &bound->operations);
}

int htmt__exasat_bound(const struct htmt__exasat *rule, const struct htmt__exasat_loop *loop,
                       const struct htmt__exasat_request *request, struct htmt__exasat_bound *bound)
{
    const struct htmt__nest_plan *plan = loop->run->plan;
    htmt_wide moved[HTMT__EXASAT_LEVELS] = {0}, block[HTMT__EXASAT_AXES];
    number blocks;
    *bound = (struct htmt__exasat_bound){0};
    block_of(rule, loop, request, block);
    for (unsigned g = 0; g < loop->groups; g++) {
        struct htmt__exasat_words w;
        htmt__exasat_group_words(rule, loop, &loop->group[g], request, &w);
        for (int l = 0; l < HTMT__EXASAT_LEVELS; l++) {
            moved[l] += w.moved[l];
            bound->set[l] += w.set[l];
        }
    }
    const htmt_wide one = choose(moved, request->cache, bound);
    /* so many blocks as the cells give, also where one is cut */
    const htmt_wide cells = block[0] * block[1] * block[2];
    int rc = htmt__nest_divide(htmt__nest_whole(plan->count), htmt__nest_whole(cells), &blocks);
    if (!rc)
        rc = htmt__nest_multiply(htmt__nest_whole(one), blocks, &bound->bytes);
    if (!rc)
        rc = count_work(plan, request, bound);
    if (!rc)
        rc = htmt__bound_time(bound->work, request->flop, request->processors, &bound->compute_fs);
    if (!rc)
        rc = htmt__bound_time(bound->bytes, request->word, WORD, &bound->memory_fs);
    bound->fs = bound->compute_fs > bound->memory_fs ? bound->compute_fs : bound->memory_fs;
    return rc;
}

/* ---- sums --------------------------------------------------------------------------------------
 */

static int gather_times(htmt_wide *sum, htmt_wide each, htmt_wide times)
{
    htmt_wide all;
    bool over = __builtin_mul_overflow(each, times, &all) || __builtin_add_overflow(*sum, all, sum);
    return over ? HTMT_EOVERFLOW : 0;
}

int htmt__exasat_sum(const struct htmt__exasat *rule, const struct htmt__exasat_request *request,
                     struct htmt__exasat_bound *each, struct htmt__exasat_bound *total)
{
    int rc = 0;
    *total = (struct htmt__exasat_bound){.bytes = htmt__nest_whole(0),
                                         .operations = htmt__nest_whole(0),
                                         .work = htmt__nest_whole(0)};
    for (unsigned i = 0; i < rule->loops && !rc; i++) {
        struct htmt__exasat_bound one;
        const htmt_wide times = rule->loop[i].run->times;
        const number repeats = htmt__nest_whole(times);
        rc = htmt__exasat_bound(rule, &rule->loop[i], request, &one);
        if (!rc)
            rc = htmt__nest_gather(one.bytes, repeats, &total->bytes);
        if (!rc)
            rc = htmt__nest_gather(one.operations, repeats, &total->operations);
        if (!rc)
            rc = htmt__nest_gather(one.work, repeats, &total->work);
        if (!rc)
            rc = gather_times(&total->compute_fs, one.compute_fs, times);
        if (!rc)
            rc = gather_times(&total->memory_fs, one.memory_fs, times);
        if (!rc)
            rc = gather_times(&total->fs, one.fs, times);
        total->working = one.working > total->working ? one.working : total->working;
        if (each)
            each[i] = one;
    }
    return rc;
}

/* The next length of a search: twice as many, then the box; 0: that was the last. */
static int64_t longer(int64_t length, htmt_wide box)
{
    return length >= box ? 0 : 2 * length < box ? 2 * length : (int64_t)box;
}

int htmt__exasat_best_block(const struct htmt__exasat *rule, struct htmt__exasat_request *request)
{
    const htmt_wide wide = rule->box[HTMT__EXASAT_X], high = rule->box[HTMT__EXASAT_Y];
    struct htmt__exasat_request one = *request;
    number least = {-1, 1};
    int rc = 0;
    one.block[HTMT__EXASAT_Z] = 0;
    for (int64_t x = request->line < wide ? (int64_t)request->line : (int64_t)wide; x && !rc;
         x = longer(x, wide))
        for (int64_t y = 1; y && y <= x && !rc; y = longer(y, high)) {
            struct htmt__exasat_bound total;
            int sign = 0;
            one.block[HTMT__EXASAT_X] = x;
            one.block[HTMT__EXASAT_Y] = y;
            rc = htmt__exasat_sum(rule, &one, NULL, &total);
            if (!rc && least.num >= 0)
                rc = htmt__nest_compare(total.bytes, least, &sign);
            if (!rc && (least.num < 0 || sign < 0)) {
                least = total.bytes;
                memcpy(request->block, one.block, sizeof one.block);
            }
        }
    return rc;
}

int htmt__exasat_curve(const struct htmt__exasat *rule, const struct htmt__exasat_request *request,
                       bool search, htmt_wide first, htmt_wide last,
                       struct htmt__bound_point point[HTMT__BOUND_POINTS], unsigned *points)
{
    struct htmt__exasat_request at = *request;
    int rc = 0;
    *points = 0;
    for (at.cache = first; !rc && *points < HTMT__BOUND_POINTS;) {
        struct htmt__exasat_bound total;
        rc = search ? htmt__exasat_best_block(rule, &at) : 0;
        if (!rc)
            rc = htmt__exasat_sum(rule, &at, NULL, &total);
        if (rc)
            break;
        struct htmt__bound_point *p = &point[(*points)++];
        const double bytes = htmt__nest_value(total.bytes);
        *p = (struct htmt__bound_point){
            .words = at.cache / WORD,
            .axes = HTMT__EXASAT_AXES,
            .bytes = htmt__nest_round(total.bytes),
            .fs = total.fs,
            .ratio = total.work.num ? bytes / htmt__nest_value(total.work) : 0};
        for (int a = 0; a < HTMT__EXASAT_AXES; a++)
            p->block[a] = at.block[a] ? at.block[a] : (int64_t)rule->box[a];
        if (at.cache >= last)
            break;
        htmt_wide next = (htmt_wide)llround((double)first * exp2(*points / 4.0));
        at.cache = next < last ? next : last;
    }
    return rc;
}

int htmt__exasat_message_time(const struct htmt__exasat *rule,
                              const struct htmt__exasat_request *request, htmt_wide *fs)
{
    htmt_wide words, starts;
    int rc = htmt__bound_time(htmt__nest_whole(rule->message_bytes), request->message_word, WORD,
                              &words);
    if (!rc)
        rc = htmt__bound_time(htmt__nest_whole(rule->messages), request->message_latency, 1,
                              &starts);
    if (!rc)
        *fs = words + starts;
    return rc;
}
