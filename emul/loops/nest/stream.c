/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Playing all of a program, or samples of it.
 *
 * Samples. Of a nest (or of a loop that nests share) that is too long to be played, some iterations
 * of its outermost loop are played, spread over it: the first ones, and others in equal distances.
 * Before each, memories are given what they would hold if everything before had been played
 * (past.c), so what an iteration misses is exact. Where that takes too many touches, memories hold
 * only what was touched last. While such a memory is not full, a word that it lacks may have been
 * there all the same: such words are counted by themselves, as unsure.
 *
 * What an iteration moves is taken to change evenly from one sample to the next; where the slope
 * changes between samples, the ends lie apart by as much as that may matter (integrate()).
 *
 * Blocks. A nest that is cut into blocks has the blocks of its outermost cut loop in place of
 * iterations, then those of the next one; one that is left at the end and shorter is by itself.
 *
 * Where one iteration of the outermost loop is too long itself, its own loops are sampled in the
 * same way.
 *
 * No program reads less than all of its words once. They are counted by marking them, as far as
 * that goes; so most of what is unsure becomes sure in programs of which much fits.
 *
 * Example: C += A B of 2000 x 2000 in a memory that holds B and some rows. The first sample reads B
 * and a row of A and C. For a later one, the walk back finds B and the rows before, so that
 * iteration reads rows of A and C alone: 4000 words, and 2 * 4,000,000 in all, as many as are
 * marked.
 */
#include "emul/loops/nest/player.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ENDLESS     ((htmt_wide)1 << 62)
#define SAMPLES_MAX 33
#define SAMPLES_MIN 4
#define INSIDE      12 /* samples that are sampled inside */
#define FEW_SAMPLES 16
#define FILLED      32 /* touches for each word of a memory within which it is surely full */

/* ---- all of it ---------------------------------------------------------------------------------
 */

/* Touches of all runs, with two turns of each repeat around. */
static htmt_wide count_all(const struct htmt__nest_program *program)
{
    htmt_wide touches = 0;
    for (unsigned run = 0; run < program->runs; run++) {
        htmt_wide of = htmt__player_touches(program, run);
        for (unsigned i = 0; i < program->repeats; i++)
            if (!program->repeat[i].loop && program->repeat[i].first <= run &&
                run <= program->repeat[i].last && of < ENDLESS)
                of *= 2;
        touches += of;
    }
    return touches;
}

int htmt__stream_play(const struct htmt__nest_program *program,
                      const struct htmt__stream_request *request, struct htmt__stream_moved *moved)
{
    const unsigned runs = program->runs, capacities = request->capacities;
    struct htmt__player p;
    if (count_all(program) > (htmt_wide)request->most)
        return HTMT_ERANGE;
    int rc = htmt__player_make(program, request, &p);
    if (!rc && runs)
        rc = htmt__player_run(&p, 0, runs - 1, program->repeats, 0);
    for (size_t i = 0; i < (size_t)runs * capacities && !rc; i++) {
        const struct htmt__player_count *c =
            &p.count[i / capacities * p.m.count + p.order[i % capacities]];
        moved[i] = (struct htmt__stream_moved){c->read * (p.unit << p.shift),
                                               c->written * (p.unit << p.shift), 0};
    }
    htmt__player_clear(&p);
    return rc;
}

/* ---- samples -----------------------------------------------------------------------------------
 */

/* What a run moves by a memory, in nodes. */
struct sum {
    double read, written, unsure[2], error;
};

enum { FIELDS = 5 };

/* A nest, or a loop that nests share, inside of `loops` loops that stand still. With blocks it is a
 * nest by itself; its iterations are the blocks of a loop, `loops` the first loop whose blocks do
 * not stand still. */
struct unit {
    unsigned first, last, rounds, loops;
    int cut; /* the loop; -1: none */
    struct htmt__player_range range;
    int64_t iterations;
    double touches; /* of all of it */
};

struct sampling {
    struct htmt__player p;
    int64_t period;  /* iterations that share lines, at most */
    struct sum *sum; /* [run][memory] */
    double walks;    /* touches that may be walked back beyond those of samples */
    bool follows;    /* memories are as they are before the unit */
    const struct htmt__player_past *past;
};

/* Samples of a unit. */
struct samples {
    unsigned count, own; /* the first ones stand for themselves */
    int64_t at[SAMPLES_MAX];
    double middle[SAMPLES_MAX]; /* of the iterations of a sample */
    double period;              /* iterations of a sample */
    double end;                 /* all iterations, with lines; 0: a sample is one iteration */
    struct sum *taken;          /* [sample][run of the unit][memory] */
};

static size_t counts_of(const struct sampling *s, const struct unit *u)
{
    return (u->last - u->first + 1) * (size_t)s->p.m.count;
}

/* Plays iterations `from` to `to` of the unit, in the order in which they run. */
static int play_part(struct sampling *s, const struct unit *u, int64_t from, int64_t to)
{
    const struct htmt__player_range *v = &u->range;
    struct htmt__player *p = &s->p;
    const unsigned l = u->loops;
    if (u->cut >= 0) {
        p->first_block[u->cut] = from;
        p->last_block[u->cut] = to;
        int rc = from > to ? 0 : htmt__player_run(p, u->first, u->last, u->rounds, 0);
        p->first_block[u->cut] = 0;
        p->last_block[u->cut] = INT64_MAX;
        return rc;
    }
    p->from[l] = v->down ? v->high - to * v->step : v->low + from * v->step;
    p->to[l] = v->down ? v->high - from * v->step : v->low + to * v->step;
    int rc = from > to ? 0 : htmt__player_run(p, u->first, u->last, u->rounds, l);
    p->from[l] = INT64_MIN;
    p->to[l] = INT64_MAX;
    return rc;
}

static void clear_counts(struct sampling *s, const struct unit *u)
{
    memset(s->p.count + u->first * (size_t)s->p.m.count, 0, counts_of(s, u) * sizeof *s->p.count);
}

/* What was counted since, by `iterations`, added to `sum`. */
static void add_counts(const struct sampling *s, const struct unit *u, double iterations,
                       struct sum *sum)
{
    for (size_t i = 0; i < counts_of(s, u); i++) {
        const struct htmt__player_count *c = &s->p.count[u->first * (size_t)s->p.m.count + i];
        sum[i].read += (double)c->read / iterations;
        sum[i].written += (double)c->written / iterations;
        sum[i].unsure[0] += (double)c->unsure[0] / iterations;
        sum[i].unsure[1] += (double)c->unsure[1] / iterations;
    }
}

/* What ran before iteration t of the unit. */
static struct htmt__player_past before(const struct sampling *s, const struct unit *u, int64_t t)
{
    const struct htmt__player_range *v = &u->range;
    struct htmt__player_past past = {.outer = s->past,
                                     .first = u->first,
                                     .last = u->last,
                                     .rounds = u->rounds,
                                     .loops = u->loops,
                                     .cut = u->cut,
                                     .low = u->cut >= 0 ? 0 : v->low,
                                     .high = t - 1};
    if (u->cut < 0 && v->down && t)
        past.low = v->high - (t - 1) * v->step;
    if (u->cut < 0)
        past.high = !t ? past.low - 1 : v->down ? v->high : v->low + (t - 1) * v->step;
    return past;
}

/* Memories as they are before iteration t. */
static int restore(struct sampling *s, const struct unit *u, int64_t t, double most)
{
    const struct htmt__player_past past = before(s, u, t);
    const double more = fmax(most, s->walks / 4);
    uint64_t left = (uint64_t)fmax(more, 1);
    const int rc = htmt__player_restore(&s->p, &past, &left);
    s->walks -= fmin(fmax(more - (double)left - most, 0), s->walks);
    return rc;
}

/* Iteration t, and those that share its lines, as they would be in a whole run. */
static int take_sample(struct sampling *s, const struct unit *u, int64_t t, double most,
                       struct sum *sum)
{
    int64_t last = t + s->period - 1;
    if (last >= u->iterations) {
        last = u->iterations - 1;
        t = last + 1 > s->period ? last + 1 - s->period : 0;
    }
    const bool first = t && s->p.stamp[0]; /* what goes around joins with the iteration before */
    int rc = restore(s, u, first ? t - 1 : t, most);
    if (!rc && first)
        rc = play_part(s, u, t - 1, t - 1);
    clear_counts(s, u);
    if (!rc)
        rc = play_part(s, u, t, last);
    add_counts(s, u, (double)(last - t + 1), sum);
    s->follows = last == u->iterations - 1;
    return rc;
}

/* A field of all samples, summed over all iterations: the first ones by themselves, straight lines
 * between the others. A sample of one iteration counts it once; one of several stands at their
 * middle, and for what is before the first and behind the last one. How far the lines may be wrong
 * follows from how much they bend: where the slope changes within an interval of h iterations, the
 * sum of the values at its ends tells no more than a fourth of h times the bend. A bend at the last
 * interval on either side is seen once, and counts twice. What lines do not show at all is given a
 * thousandth. */
static double integrate(const struct samples *s, const double *value, double *error)
{
    const double *at = s->middle;
    const unsigned last = s->count - 1, own = s->own;
    double sum = s->end > 0 ? value[own] * (at[own] - s->period + 0.5) : value[own];
    for (unsigned i = 0; i < own; i++)
        sum += value[i] * s->period;
    for (unsigned i = own + 1; i <= last; i++) {
        const double length = at[i] - at[i - 1], next = i < last ? at[i + 1] - at[i] : 0;
        sum += length * (value[i - 1] + value[i]) / 2;
        sum += s->end > 0 ? 0 : (value[i] - value[i - 1]) / 2;
        if (length <= 0 || next <= 0)
            continue;
        const double bend =
            fabs((value[i] - value[i - 1]) / length - (value[i + 1] - value[i]) / next);
        const int sides = 1 + (i == own + 1) + (i + 1 == last);
        *error += sides * bend * fmax(length, next) * fmax(length, next) / 4;
    }
    sum += s->end > 0 ? value[last] * (s->end - 0.5 - at[last]) : 0;
    *error += sum / 1000;
    return sum;
}

static void add_samples(const struct samples *s, size_t counts, struct sum *sum)
{
    for (size_t i = 0; i < counts; i++) {
        double value[FIELDS][SAMPLES_MAX], all[FIELDS], error = 0;
        for (unsigned k = 0; k < s->count; k++) {
            const struct sum *c = &s->taken[k * counts + i];
            value[0][k] = c->read;
            value[1][k] = c->written;
            value[2][k] = c->unsure[0];
            value[3][k] = c->unsure[1];
            value[4][k] = c->error;
        }
        for (int f = 0; f < FIELDS; f++)
            all[f] = integrate(s, value[f], &error);
        sum[i].read += all[0];
        sum[i].written += all[1];
        sum[i].unsure[0] += all[2];
        sum[i].unsure[1] += all[3];
        sum[i].error += all[4] + error;
    }
}

/* Words of the largest memory that does not hold all. */
static double largest(const struct sampling *s)
{
    const struct htmt__player_memories *m = &s->p.m;
    unsigned k = m->count - 1;
    while (k && m->at[k].capacity >= (uint32_t)(s->p.units >> s->p.shift))
        k--;
    return (double)m->at[k].capacity;
}

static int sample_runs(struct sampling *s, const struct unit *u, double share, double most,
                       struct sum *sum);
static int sample_unit(struct sampling *s, struct unit *u, double share, double most,
                       struct sum *sum);

/* A sample that is too long itself: the iteration's own loops are sampled. */
static int sample_inside(struct sampling *s, const struct unit *u, int64_t t, double share,
                         double most, struct sum *sum)
{
    const struct htmt__player_past past = before(s, u, t);
    struct unit inner = *u;
    int rc;
    inner.loops++;
    s->past = &past;
    s->follows = false;
    if (u->cut >= 0) {
        inner.loops = (unsigned)u->cut + 1;
        inner.touches /= (double)u->iterations;
        s->p.first_block[u->cut] = s->p.last_block[u->cut] = t;
        rc = sample_unit(s, &inner, share / (double)u->iterations, most, sum);
        s->p.first_block[u->cut] = 0;
        s->p.last_block[u->cut] = INT64_MAX;
    } else {
        s->p.at[u->loops] =
            u->range.down ? u->range.high - t * u->range.step : u->range.low + t * u->range.step;
        /* The loop that the nests share is done; a nest by itself stands in no other. */
        if (u->rounds && s->p.program->repeat[u->rounds - 1].loop &&
            s->p.program->repeat[u->rounds - 1].first == u->first &&
            s->p.program->repeat[u->rounds - 1].last == u->last &&
            s->p.program->repeat[u->rounds - 1].depth == u->loops)
            inner.rounds--;
        rc = sample_runs(s, &inner, share / (double)u->iterations, most, sum);
    }
    s->past = past.outer;
    s->follows = s->follows && t == u->iterations - 1;
    return rc;
}

/* The iterations of a unit; of blocks, those that are full: *left says that one more is not. */
static void find_iterations(const struct sampling *s, struct unit *u, bool *left)
{
    const struct htmt__nest_plan *plan = s->p.program->run[u->first].plan;
    *left = false;
    u->cut = -1;
    u->iterations = 0;
    if (!s->p.cut) {
        if (htmt__player_range(&s->p, u->first, u->last, u->loops, &u->range))
            u->iterations = (u->range.high - u->range.low) / u->range.step + 1;
        return;
    }
    for (unsigned l = u->loops; plan && l < plan->depth && u->cut < 0; l++) {
        const int64_t block = s->p.request->block[plan->depth - 1 - l];
        if (!block || block >= plan->extent[l])
            continue;
        u->cut = (int)l;
        u->iterations = plan->extent[l] / block;
        *left = plan->extent[l] % block;
    }
}

/* So few blocks that all count, though each is too long: their own blocks are sampled. */
static int sample_each(struct sampling *s, const struct unit *u, bool left, double share,
                       double most, struct sum *sum)
{
    const int64_t blocks = u->iterations + left;
    int rc = 0;
    for (int64_t t = 0; t < blocks && !rc; t++)
        rc = sample_inside(s, u, t, share, most / (double)blocks, sum);
    return rc;
}

/* The samples of a unit, taken. The first ones are by themselves, the others in equal distances. */
static int take_samples(struct sampling *s, const struct unit *u, bool inside, double share,
                        double most, struct samples *of)
{
    const size_t counts = counts_of(s, u);
    const int64_t room = u->iterations - s->period,
                  start = inside || s->period == 1 ? of->own : s->period;
    int rc = 0;
    for (unsigned k = 0; k < of->count && !rc; k++) {
        struct sum *taken = of->taken + k * counts;
        of->at[k] = k < of->own ? k
                                : start + (u->iterations - 1 - start) * (k - of->own) /
                                              (of->count - 1 - of->own);
        const int64_t from = of->at[k] < room || room < 0 ? of->at[k] : room;
        of->middle[k] = inside || s->period == 1 ? (double)of->at[k]
                                                 : (double)from + (double)(s->period - 1) / 2;
        const int64_t shifted = of->at[k] + 3 * k % s->period; /* 3 meets all places of a period */
        const int64_t at = inside && shifted < u->iterations ? shifted : of->at[k];
        rc = inside ? sample_inside(s, u, at, share, most / of->count, taken)
                    : take_sample(s, u, of->at[k], most / of->count, taken);
    }
    return rc;
}

/* A unit by samples of its outermost loop; all of it, if that is short enough. `share`: of the
 * touches of its runs. */
static int sample_unit(struct sampling *s, struct unit *u, double share, double most,
                       struct sum *sum)
{
    const size_t counts = counts_of(s, u);
    struct samples of = {.count = s->p.cut ? SAMPLES_MIN : INSIDE};
    bool left;
    find_iterations(s, u, &left);
    const bool few = u->iterations <= SAMPLES_MIN;
    if (u->touches > most && few && u->cut >= 0)
        return sample_each(s, u, left, share, most, sum);
    if (u->touches <= most || few) {
        if ((u->iterations || s->p.cut) && u->touches > 20 * most)
            return HTMT_ERANGE;
        int rc = s->follows ? 0 : restore(s, u, 0, most);
        s->follows = true;
        clear_counts(s, u);
        if (!rc)
            rc = htmt__player_run(&s->p, u->first, u->last, u->rounds, s->p.cut ? 0 : u->loops);
        add_counts(s, u, 1, sum);
        return rc;
    }
    const double each = u->touches / (double)u->iterations;
    const double fit = most / ((double)(s->period + !!s->p.stamp[0]) * each);
    const bool inside = u->iterations < 2 * s->period ||
                        fit < (s->p.cut ? SAMPLES_MIN : 2 * SAMPLES_MIN) ||
                        (fit < FEW_SAMPLES && FILLED * largest(s) < each);
    if (!inside)
        of.count = (unsigned)(fit > SAMPLES_MAX ? SAMPLES_MAX : fit) / 2 * 2;
    if ((int64_t)of.count > u->iterations)
        of.count = (unsigned)u->iterations / 2 * 2;
    of.period = inside ? 1 : (double)s->period;
    of.end = inside || s->period == 1 ? 0 : (double)u->iterations;
    of.own = of.end > 0 || of.count < FEW_SAMPLES / 2 ? 1 : 2;
    of.taken = calloc(of.count * counts, sizeof *of.taken);
    int rc = of.taken ? take_samples(s, u, inside, share, most, &of) : HTMT_ENOMEM;
    if (!rc)
        add_samples(&of, counts, sum);
    free(of.taken);
    if (rc || !left)
        return rc;
    u->iterations++; /* the last one, which is shorter */
    return inside ? sample_inside(s, u, u->iterations - 1, share, most / of.count, sum)
                  : take_sample(s, u, u->iterations - 1, most / of.count, sum);
}

static double touches_of(const struct sampling *s, unsigned first, unsigned last)
{
    double touches = 0;
    for (unsigned r = first; r <= last; r++)
        touches += (double)htmt__player_touches(s->p.program, r);
    return touches;
}

/* All of these runs. */
static struct htmt__player_past all_of(const struct unit *u, unsigned first, unsigned last,
                                       unsigned rounds, const struct htmt__player_past *outer)
{
    return (struct htmt__player_past){.outer = outer,
                                      .first = first,
                                      .last = last,
                                      .rounds = rounds,
                                      .loops = u->loops,
                                      .cut = -1,
                                      .low = INT64_MIN,
                                      .high = INT64_MAX};
}

/* The turns of a repeat: the second one stands for all that follow. */
static int sample_turns(struct sampling *s, const struct unit *u, htmt_wide turns, double share,
                        double most, struct sum *sum)
{
    const struct htmt__player_past first = all_of(u, u->first, u->last, u->rounds, s->past);
    const double times = (double)(turns - 1);
    const size_t counts = counts_of(s, u);
    struct sum *turn = calloc(counts, sizeof *turn);
    int rc = turn ? sample_runs(s, u, share, most / 2, sum) : HTMT_ENOMEM;
    s->past = &first;
    if (!rc)
        rc = sample_runs(s, u, share, most / 2, turn);
    s->past = first.outer;
    for (size_t i = 0; i < counts && !rc; i++) {
        sum[i].read += times * turn[i].read;
        sum[i].written += times * turn[i].written;
        sum[i].unsure[0] += times * turn[i].unsure[0];
        sum[i].unsure[1] += times * turn[i].unsure[1];
        sum[i].error += times * turn[i].error;
    }
    free(turn);
    return rc;
}

/* The units in a repeat, or in a loop that stands still, one after the other; each may take its
 * part of the touches. `sum` begins with the first run. */
static int sample_runs(struct sampling *s, const struct unit *u, double share, double most,
                       struct sum *sum)
{
    const struct htmt__nest_program *program = s->p.program;
    const double all = fmax(touches_of(s, u->first, u->last), 1);
    const struct htmt__player_past *outer = s->past;
    int rc = 0;
    for (unsigned run = u->first; run <= u->last && !rc;) {
        const unsigned found = htmt__player_rounds(program, run, u->rounds);
        const struct htmt__nest_rounds *r = found < u->rounds ? &program->repeat[found] : NULL;
        struct unit inner = {.first = run,
                             .last = r ? r->last : run,
                             .rounds = r ? found + r->loop : u->rounds,
                             .loops = u->loops,
                             .cut = -1};
        const struct htmt__player_past earlier = all_of(u, u->first, run - 1, u->rounds, s->past);
        struct sum *to = sum + (run - u->first) * (size_t)s->p.m.count;
        inner.touches = share * touches_of(s, inner.first, inner.last);
        const double part = most * inner.touches / (share * all);
        const bool repeats = r && !r->loop;
        s->past = run > u->first ? &earlier : s->past;
        run = inner.last + 1;
        if (r && r->loop && s->p.cut) { /* cut nests run one after the other */
            inner.rounds = found;
            rc = sample_runs(s, &inner, share, part, to);
        } else if (!repeats) {
            rc = sample_unit(s, &inner, share, part, to);
        } else {
            rc = sample_turns(s, &inner, r->times, share, part, to);
        }
        s->past = outer;
    }
    return rc;
}

/* ---- words that must come once -----------------------------------------------------------------
 */

struct marking {
    struct htmt__player *p;
    unsigned char *mark; /* of each node: 1 touched, 2 written */
    htmt_wide nodes[2];
    uint64_t marked, most; /* of this reference: what it took, in eight words of a row */
    bool all;              /* none was too long */
};

/* What is written around the memory is not fetched. */
static void mark_node(struct marking *m, int64_t node, const struct htmt__player_place *place)
{
    const unsigned char now = (place->write && place->around ? 0 : 1) | (place->write ? 2 : 0),
                        more = now & ~m->mark[node];
    m->nodes[0] += more & 1;
    m->nodes[1] += more >> 1;
    m->mark[node] |= now;
}

static bool is_named(const struct htmt__nest_body *b, unsigned depth, unsigned loop,
                     const struct htmt__player_place *place)
{
    bool named = place->by[loop];
    for (unsigned l = loop + 1; l < depth && !named; l++) {
        for (unsigned i = 0; i < b->bounds[l].lows; i++)
            named = named || b->bounds[l].low[i].factor[loop];
        for (unsigned i = 0; i < b->bounds[l].highs; i++)
            named = named || b->bounds[l].high[i].factor[loop];
    }
    return named;
}

/* The words of a place, from loop `l` on; loops that change nothing stand at their beginnings. */
static void mark_place(struct marking *m, const struct htmt__nest_body *b, unsigned depth,
                       unsigned l, const struct htmt__player_place *place, int64_t at)
{
    int64_t low, high;
    if (!htmt__player_values(m->p, b, l, &low, &high))
        m->marked++; /* that took time, too */
    if (low > high || m->marked >= m->most)
        return;
    if (!is_named(b, depth, l, place))
        high = low;
    const int64_t step = (int64_t)b->bounds[l].step;
    if (l + 1 == depth) {
        for (int64_t i = low; i <= high; i += step)
            mark_node(m, (at + i * place->by[l]) >> m->p->shift, place);
        m->marked += (uint64_t)((high - low) / step) / 8 + 1;
        return;
    }
    for (int64_t i = low; i <= high && m->marked < m->most; i += step) {
        m->p->at[l] = i;
        mark_place(m, b, depth, l + 1, place, at + i * place->by[l]);
    }
}

static int mark_all(struct htmt__player *p, htmt_wide nodes[2], bool *all)
{
    struct marking m = {.all = true, .p = p, .mark = calloc((size_t)(p->units >> p->shift) + 1, 1)};
    uint64_t places = 1;
    if (!m.mark)
        return HTMT_ENOMEM;
    for (unsigned r = 0; r < p->program->runs; r++)
        for (unsigned b = 0; p->body[r] && b < p->program->run[r].plan->bodies; b++)
            places += p->body[r][b].places;
    uint64_t rest = p->request->most / 4 + places;
    for (unsigned r = 0; r < p->program->runs; r++) {
        const struct htmt__nest_plan *plan = p->program->run[r].plan;
        for (unsigned b = 0; plan && b < plan->bodies; b++)
            for (unsigned i = 0; i < p->body[r][b].places; i++) {
                const struct htmt__player_place *place = &p->body[r][b].place[i];
                m.marked = 0;
                m.most = rest / places-- + 1;
                mark_place(&m, p->body[r][b].of, plan->depth, 0, place, place->at);
                m.all = m.all && m.marked < m.most;
                rest -= m.marked < rest ? m.marked : rest;
            }
    }
    nodes[0] = m.nodes[0];
    nodes[1] = m.nodes[1];
    *all = m.all;
    free(m.mark);
    return 0;
}

/* So much of it may be wrong that it is unsure. */
static void hold_back(struct sum *of)
{
    const double all = of->read + of->written, part = all > 0 ? fmin(of->error / all, 1) : 0;
    of->unsure[0] += part * of->read;
    of->unsure[1] += part * of->written;
    of->read -= part * of->read;
    of->written -= part * of->written;
}

/* Of what is unsure, so much is sure that all words come once. A memory that holds all of them lets
 * each come once and no more: all that are marked, and if not all could be, at most those of the
 * boxes around them. */
static void settle(struct sampling *s, unsigned memory, const htmt_wide nodes[2], bool all)
{
    const unsigned runs = s->p.program->runs, memories = s->p.m.count;
    const htmt_wide box = all ? nodes[0] : (htmt_wide)(s->p.units >> s->p.shift);
    const bool around = s->p.stamp[0], /* what goes around comes again though all fits */
        fits = box <= (htmt_wide)s->p.m.at[memory].capacity && !around;
    double lacks[2] = {(double)nodes[0], (double)nodes[1]};
    for (unsigned r = 0; r < runs; r++) {
        if (!fits || !all)
            hold_back(&s->sum[(size_t)r * memories + memory]);
        lacks[0] -= s->sum[(size_t)r * memories + memory].read;
        lacks[1] -= s->sum[(size_t)r * memories + memory].written;
    }
    double part[2]; /* where all fits, no more than all comes once */
    for (int i = 0; i < 2; i++) {
        part[i] =
            fits && all && lacks[i] < 0 ? (double)nodes[i] / ((double)nodes[i] - lacks[i]) : 1;
        lacks[i] = part[i] < 1 ? 0 : lacks[i];
    }
    for (unsigned r = 0; r < runs; r++) {
        struct sum *of = &s->sum[(size_t)r * memories + memory];
        of->read *= part[0];
        of->written *= part[1];
        double *sure[2] = {&of->read, &of->written};
        for (int i = 0; i < 2; i++) {
            const bool last = fits && r + 1 == runs;
            const double more = fmax(last ? lacks[i] : fmin(lacks[i], of->unsure[i]), 0);
            *sure[i] += more;
            lacks[i] -= more;
            of->unsure[i] = fits ? 0 : of->unsure[i] - more;
            if (last && !all)
                of->unsure[i] = (double)(box - nodes[i]);
        }
        of->error = fits ? 0 : of->error;
    }
}

int htmt__stream_sample(const struct htmt__nest_program *program,
                        const struct htmt__stream_request *request,
                        struct htmt__stream_moved *moved)
{
    const unsigned runs = program->runs, capacities = request->capacities;
    struct sampling s = {.sum = NULL};
    htmt_wide nodes[2];
    bool known = false;
    int rc = htmt__player_make(program, request, &s.p);
    s.period = s.p.cut ? 1 : (int64_t)1 << s.p.shift;
    s.walks = (double)request->most;
    s.p.sampling = s.p.known = s.follows = true;
    if (!rc && !(s.sum = calloc((size_t)runs * s.p.m.count + 1, sizeof *s.sum)))
        rc = HTMT_ENOMEM;
    const struct unit whole = {.first = 0, .last = runs - 1, .rounds = program->repeats};
    if (!rc && runs)
        rc = sample_runs(&s, &whole, 1, (double)request->most, s.sum);
    if (!rc)
        rc = mark_all(&s.p, nodes, &known);
    for (unsigned k = 0; k < s.p.m.count && !rc; k++)
        settle(&s, k, nodes, known);
    for (size_t i = 0; i < (size_t)runs * capacities && !rc; i++) {
        const struct sum *c = &s.sum[i / capacities * s.p.m.count + s.p.order[i % capacities]];
        const double node = (double)(s.p.unit << s.p.shift);
        moved[i] = (struct htmt__stream_moved){
            (htmt_wide)(node * c->read), (htmt_wide)(node * c->written),
            (htmt_wide)(node * (c->error + c->unsure[0] + c->unsure[1]) + 3)};
    }
    free(s.sum);
    htmt__player_walk_destroy(s.p.walk);
    htmt__player_clear(&s.p);
    return rc;
}
