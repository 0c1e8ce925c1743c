/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Traffic of the whole program in place of that of each loop alone.
 */
#include "emul/loops/bound/bound.h"

#include "emul/loops/nest/between.h"
#include "emul/loops/nest/blocks.h"
#include "emul/loops/nest/reuse.h"
#include "emul/loops/nest/stream.h"

#include <stdlib.h>
#include <string.h>

#define PLAYED_MOST  48000000  /* touches: less than half a second */
#define GENERAL_MOST 300000000 /* where only playing tells: some one and a half seconds */

/* The mean of all turns; sums are exact. */
static int put_traffic(const struct htmt__bounds *b, struct htmt__bound_loop *loop, unsigned link,
                       const struct htmt__stream_moved *moved)
{
    const struct htmt__bound_link *of = &b->rates->link[link];
    const htmt_wide unit = (htmt_wide)loop->run->plan->unit, times = loop->run->times;
    const struct htmt__nest_number read = {moved->read, times}, written = {moved->written, times};
    struct htmt__bound_traffic *t = &loop->traffic[link];
    t->total = moved->read + moved->written;
    t->most = t->total + moved->more;
    t->read = htmt__nest_round((struct htmt__nest_number){moved->read, times * unit});
    t->written = htmt__nest_round((struct htmt__nest_number){moved->written, times * unit});
    t->bytes = htmt__nest_round((struct htmt__nest_number){t->total, times});
    return htmt__bound_pass_time(of, read, written, &t->fs);
}

/* Words between nests are not counted as lines. Where a loop does not use its lines to the end,
 * that tells no more than an end: of each word that is found all of its line may be, or nothing. */
static bool has_parts_of_lines(const struct htmt__bounds *b)
{
    for (unsigned i = 0; i < b->loops; i++)
        if (b->loop[i].lined != b->loop[i].run->plan)
            return true;
    return false;
}

static void widen(htmt_wide kept[static 2], htmt_wide line)
{
    kept[0] = 0;
    kept[1] *= line;
}

static htmt_wide least(htmt_wide a, htmt_wide b)
{
    return a < b ? a : b;
}

static htmt_wide less(htmt_wide all, htmt_wide kept)
{
    return all > kept ? all - kept : 0;
}

/* What each loop moves alone, less what is found there already. */
static int find_kept(const struct htmt__bounds *b, const struct htmt__stream_request *request,
                     struct htmt__stream_moved *moved)
{
    const struct htmt__nest_program *program = b->program;
    struct htmt__between_kept *kept = calloc(program->runs + 1, sizeof *kept);
    const bool parts = has_parts_of_lines(b);
    int rc = kept ? 0 : HTMT_ENOMEM;
    for (unsigned k = 0; k < request->capacities && !rc; k++) {
        memset(kept, 0, program->runs * sizeof *kept);
        rc = htmt__between_find(program, request->capacity[k], kept);
        for (unsigned i = 0; i < b->loops && !rc; i++) {
            const struct htmt__bound_loop *loop = &b->loop[i];
            const size_t run = (size_t)(loop->run - program->run);
            const htmt_wide unit = (htmt_wide)loop->run->plan->unit * loop->run->times;
            htmt_wide read, written;
            if (__builtin_mul_overflow(loop->traffic[k].read, unit, &read) ||
                __builtin_mul_overflow(loop->traffic[k].written, unit, &written)) {
                rc = HTMT_EOVERFLOW;
                break;
            }
            struct htmt__between_kept *by = &kept[run];
            struct htmt__stream_moved *m = &moved[run * request->capacities + k];
            if (parts) {
                widen(by->read, (htmt_wide)program->line);
                widen(by->written, (htmt_wide)program->line);
            }
            m->read = less(read, by->read[1]);
            m->written = less(written, by->written[1]);
            m->more =
                less(read, by->read[0]) - m->read + less(written, by->written[0]) - m->written;
        }
    }
    free(kept);
    return rc;
}

static bool has_blocks(const struct htmt__bound_request *r)
{
    for (unsigned l = 0; l < HTMT__NEST_DEPTH; l++)
        if (r->block[l])
            return true;
    return false;
}

static bool goes_around(const struct htmt__bound_request *r)
{
    return r->keeping.bypass || r->keeping.stream_reads;
}

static bool is_asked(const struct htmt__bound_request *r)
{
    return !r->alone && !r->local_store && r->order != HTMT__BOUND_BLOCKS;
}

/* Plays all of a program, or samples of it. */
static int play(const struct htmt__nest_program *program, uint64_t most,
                struct htmt__stream_request *request, struct htmt__stream_moved *moved)
{
    request->most = most;
    int rc = htmt__stream_play(program, request, moved);
    return rc == HTMT_ERANGE ? htmt__stream_sample(program, request, moved) : rc;
}

int htmt__bound_play(const struct htmt__nest_program *program,
                     const struct htmt__bound_request *request, struct htmt__bound_played *played)
{
    const unsigned all = played->capacities, runs = program->runs;
    struct htmt__stream_moved *part =
        calloc((size_t)runs * HTMT__STREAM_CAPACITIES + 1, sizeof *part);
    struct htmt__between_kept *kept = calloc(runs + 1, sizeof *kept);
    struct htmt__stream_moved *moved = calloc((size_t)runs * all + 1, sizeof *moved);
    int rc = part && moved && kept ? 0 : HTMT_ENOMEM;
    bool boxes = is_asked(request) && !rc && !has_blocks(request) && !goes_around(request);
    if (boxes) {
        rc = htmt__between_find(program, 0, kept);
        boxes = !rc;
        rc = rc == HTMT_ERANGE ? 0 : rc;
    }
    for (unsigned first = 0; first < all && !rc && is_asked(request);) {
        const unsigned rest = all - first,
                       count = rest < HTMT__STREAM_CAPACITIES ? rest : HTMT__STREAM_CAPACITIES;
        struct htmt__stream_request r = {
            .capacities = count, .most = PLAYED_MOST, .keeping = request->keeping};
        r.line = program->line > 1 ? program->line * HTMT_WORD : 0;
        memcpy(r.block, request->block, sizeof r.block);
        for (unsigned k = 0; k < count; k++)
            r.capacity[k] = HTMT_WORD * played->capacity[first + k];
        rc = boxes ? htmt__stream_play(program, &r, part)
                   : play(program, GENERAL_MOST / (1 + all / HTMT__STREAM_CAPACITIES), &r, part);
        for (unsigned run = 0; run < runs && !rc; run++)
            memcpy(moved + (size_t)run * all + first, part + (size_t)run * count,
                   count * sizeof *moved);
        first += count;
    }
    free(part);
    free(kept);
    played->moved = rc || !is_asked(request) ? NULL : moved;
    if (!played->moved)
        free(moved);
    return rc == HTMT_ERANGE ? 0 : rc;
}

/* What was played beforehand. */
static int copy_played(const struct htmt__bound_played *played,
                       const struct htmt__stream_request *request, unsigned runs,
                       struct htmt__stream_moved *moved)
{
    for (unsigned k = 0; k < request->capacities; k++) {
        unsigned at = 0;
        while (at < played->capacities && HTMT_WORD * played->capacity[at] != request->capacity[k])
            at++;
        if (at == played->capacities)
            return HTMT_ERANGE;
        for (unsigned run = 0; run < runs; run++)
            moved[(size_t)run * request->capacities + k] =
                played->moved[(size_t)run * played->capacities + at];
    }
    return 0;
}

/* Nothing moves more than with an empty memory before each loop and each block, which offsets tell
 * exactly of nests that fill their boxes under one map: that is a high end for samples. */
static int clip(const struct htmt__bounds *b, const struct htmt__stream_request *request,
                struct htmt__stream_moved *moved)
{
    int rc = 0;
    for (unsigned i = 0; i < b->loops && !rc; i++) {
        const struct htmt__bound_loop *loop = &b->loop[i];
        struct htmt__nest_plan *plan = loop->run->plan;
        const htmt_wide times = (htmt_wide)plan->unit * loop->run->times;
        bool several = plan->coupleds || plan->givens;
        htmt_wide box = 1;
        unsigned array;
        for (unsigned l = 0; l < plan->depth; l++)
            box *= plan->extent[l];
        if (!several && box == plan->count)
            rc = htmt__nest_maps_find(plan, plan->extent, &several, &array);
        for (unsigned k = 0; k < request->capacities && !several && box == plan->count; k++) {
            const struct htmt__bound_traffic *t = &loop->traffic[k];
            struct htmt__stream_moved *m =
                &moved[(size_t)(loop->run - b->program->run) * request->capacities + k];
            htmt_wide most;
            if (!m->more || __builtin_mul_overflow(t->read + t->written, times, &most))
                continue;
            most = less(most, m->read + m->written);
            m->more = most < m->more ? most : m->more;
        }
    }
    return rc;
}

/* ---- memories that the program manages ----------------------------------------------------------
 */

static bool names(const struct htmt__nest_run *run, unsigned array)
{
    for (unsigned i = 0; run->plan && i < run->plan->streams; i++)
        if (run->plan->stream[i].array == array)
            return true;
    for (unsigned i = 0; i < run->parts; i++)
        if (run->part[i].array == array)
            return true;
    return false;
}

/* Whether a run from `first` to `last` names an array of this one. */
static bool shares(const struct htmt__nest_program *program, const struct htmt__nest_run *run,
                   unsigned first, unsigned last)
{
    for (unsigned r = first; r < last; r++)
        for (unsigned i = 0; i < run->plan->streams; i++)
            if (names(&program->run[r], run->plan->stream[i].array))
                return true;
    return false;
}

/* What a program keeps from one loop to the next in a memory that it manages is its own choice: no
 * more words than the memory has, and than the loop touches. Each of them saves a word in, at the
 * first loop that would bring it, or out. So a loop alone is the high end, and the low one is that
 * much less, but for the first words in and the last ones out. */
static int find_managed(const struct htmt__bounds *b, const struct htmt__stream_request *request,
                        struct htmt__stream_moved *moved)
{
    static const int64_t whole[HTMT__NEST_DEPTH];
    const struct htmt__nest_program *program = b->program;
    const htmt_wide all = HTMT__NEST_ALL;
    int rc = 0;
    for (unsigned i = 0; i < b->loops && !rc; i++) {
        const struct htmt__nest_run *run = b->loop[i].run;
        const unsigned at = (unsigned)(run - program->run);
        const htmt_wide unit = (htmt_wide)run->plan->unit, times = run->times;
        const htmt_wide found = times - !shares(program, run, 0, at),
                        left = times - !shares(program, run, at + 1, program->runs);
        struct htmt__nest_moved once;
        htmt_wide full;
        rc = htmt__nest_blocks_move(run->plan, &b->request.keeping, whole, &all, 1, &once, &full);
        for (unsigned k = 0; k < request->capacities && !rc; k++) {
            const struct htmt__bound_traffic *t = &b->loop[i].traffic[k];
            const htmt_wide held = request->capacity[k] / unit;
            const htmt_wide in = least(least(held, once.read), t->read),
                            out = least(least(held, once.written), t->written);
            struct htmt__stream_moved *m = &moved[(size_t)at * request->capacities + k];
            htmt_wide read, written;
            if (__builtin_mul_overflow(t->read, unit * times, &read) ||
                __builtin_mul_overflow(t->written, unit * times, &written))
                return HTMT_EOVERFLOW;
            m->read = read - in * found * unit;
            m->written = written - out * left * unit;
            m->more = read + written - m->read - m->written;
        }
    }
    return rc;
}

/* ---- the way ------------------------------------------------------------------------------------
 */

int htmt__bound_whole(struct htmt__bounds *b)
{
    const struct htmt__bound_request *r = &b->request;
    const struct htmt__nest_program *program = b->program;
    struct htmt__stream_request request = {.most = PLAYED_MOST, .keeping = r->keeping};
    const unsigned links = b->rates->links;
    const bool managed = r->local_store && !r->alone && r->order != HTMT__BOUND_BLOCKS;
    if ((!is_asked(r) && !managed) || !links || links > HTMT__STREAM_CAPACITIES)
        return 0;
    request.capacities = links;
    request.line = program->line > 1 ? program->line * HTMT_WORD : 0;
    memcpy(request.block, r->block, sizeof request.block);
    for (unsigned i = 0; i < links; i++)
        request.capacity[i] =
            HTMT_WORD *
            (i == 0 && r->capacity >= 0 ? r->capacity : (htmt_wide)b->rates->link[i].capacity);
    struct htmt__stream_moved *moved = calloc((size_t)program->runs * links + 1, sizeof *moved);
    const bool between = !has_blocks(r) && !goes_around(r), parts = has_parts_of_lines(b);
    int rc = moved ? 0 : HTMT_ENOMEM;
    if (!rc && managed) {
        rc = find_managed(b, &request, moved);
    } else if (!rc && r->played && r->played->moved) {
        rc = copy_played(r->played, &request, program->runs, moved);
    } else if (!rc) {
        rc = htmt__stream_play(program, &request, moved);
        if (rc == HTMT_ERANGE && between && !parts)
            rc = find_kept(b, &request, moved);
        if (rc == HTMT_ERANGE)
            rc = play(program, GENERAL_MOST, &request, moved);
        if (rc == HTMT_ERANGE && between && parts)
            rc = find_kept(b, &request, moved);
    }
    if (!rc && !request.line && !managed) /* of lines, offsets tell no more than a mean */
        rc = clip(b, &request, moved);
    for (unsigned i = 0; i < b->loops && !rc; i++)
        for (unsigned k = 0; k < links && !rc; k++)
            rc = put_traffic(b, &b->loop[i], k,
                             &moved[(size_t)(b->loop[i].run - program->run) * links + k]);
    b->whole = !rc;
    free(moved);
    return rc == HTMT_ERANGE ? 0 : rc;
}
