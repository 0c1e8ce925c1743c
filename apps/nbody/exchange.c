/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bodies find their slices and their order.
 *
 * Keys come first; the root cube is known from the sums of all slices. Then slices own ranges of
 * keys, cut by the work that the last forces counted: each slice tells all others a few keys that
 * part its work into equal shares, and each slice finds the same cuts from all of them. Bodies that
 * belong elsewhere are put side by side, for each slice in turn, and a parcel for each slice mails
 * them. What came is appended, and all bodies are sorted: a DPIM sorts a share of them, and then
 * finds the rank of each in all shares, one share after another, and puts it to its place in the
 * other array of bodies.
 *
 * By hand: shares {2, 5} and {1, 3, 5}. The first DPIM finds 0 + 1 keys below 2 and 1 + 2 below 5;
 * so they go to places 1 and 3; of equal keys that of the first share comes first. The second one
 * puts 1, 3, 5 to places 0, 2, 4.
 *
 * Cuts. Slice s tells HTMT__NBODY_SAMPLES keys, at the middle of as many equal parts of its work
 * W_s; each stands for W_s / samples. In the steady state a cut lies among keys of one or two
 * slices, and is off by half a part at most, 1/64 of a slice's work.
 *
 * Why no message is taken for one of the next evaluation. Nobody begins it before an all-reduce,
 * which a slice joins when its forces are done. For those it needed the messages of all others.
 */
#include "apps/nbody/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES      HTMT__NBODY_SAMPLES
#define SAMPLE_BYTES ((SAMPLES + 1) * sizeof(uint64_t)) /* keys, and what each stands for */

typedef struct htmt__nbody_program program;
typedef struct htmt__nbody_order order;
typedef struct htmt__nbody_body body;

/* Bodies that leave for a slice. */
struct leave {
    uint32_t first, count;
};

/* Equal shares of bodies to sort: their number. */
static uint64_t share_out(const program *p, uint64_t count, uint64_t *each)
{
    *each = htmt_most(HTMT__NBODY_SORTED_LEAST, htmt_ceil_div(count, p->plan.workers));
    return htmt_ceil_div(count, *each);
}

static struct htmt_addr bodies(const order *o, uint64_t first)
{
    return htmt_at(o->p->body[o->p->mine[o->me].which], o->me, first * sizeof(body));
}

static struct htmt_region all_bodies(const order *o, bool read_only)
{
    return htmt__nbody_resident(bodies(o, 0), o->p->plan.most * sizeof(body), read_only);
}

/* ---- keys ----------------------------------------------------------------------------------- */

static void keys_kernel(struct htmt_kernel *k)
{
    const order *o = htmt_kernel_args(k);
    body *b = htmt_bytes(k, 0);
    const double *sums = htmt_bytes(k, 1);
    const int scale = htmt__nbody_scale(sums[HTMT__NBODY_FAR]);
    for (uint64_t i = 0; i < o->count; i++)
        b[i].key = htmt__nbody_key(b[i].x, scale);
}

static void keys_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const order *o = args;
    (void)user;
    ops->n[HTMT_IOP] = o->count * HTMT__NBODY_KEY_OPS;
    ops->n[HTMT_LOAD] = 1 + 3 * o->count;
    ops->n[HTMT_STORE] = o->count;
}

void htmt__nbody_tree_begin(struct htmt_context *c)
{
    order o = htmt__nbody_order_of(c);
    const program *p = o.p;
    const uint64_t count = p->mine[o.me].count, chunk = p->plan.chunk;
    htmt__nbody_await(c, HTMT__NBODY_KEYED, htmt_ceil_div(count, chunk));
    for (o.first = 0; o.first < count; o.first += chunk) {
        o.count = htmt_least(chunk, count - o.first);
        const struct htmt_region r[] = {
            htmt__nbody_resident(bodies(&o, o.first), o.count * sizeof(body), false),
            htmt__nbody_resident(htmt_at(p->totals, o.me, 0), HTMT__NBODY_SUMS * HTMT_WORD, true)};
        htmt__nbody_spawn(c, p->keys, r, 2, &o, HTMT__NBODY_KEYED);
    }
}

/* ---- cuts ----------------------------------------------------------------------------------- */

static void sample_kernel(struct htmt_kernel *k)
{
    const order *o = htmt_kernel_args(k);
    const body *b = htmt_bytes(k, 0);
    uint64_t *key = htmt_bytes(k, 1);
    double work = 0, at = 0;
    for (uint64_t i = 0; i < o->count; i++)
        work += b[i].work;
    const bool even = !(work > 0); /* nothing is known yet */
    const double part = (even ? (double)o->count : work) / SAMPLES;
    for (unsigned n = 0; n < SAMPLES; n++) /* of no bodies: behind all others */
        key[n] = UINT64_MAX;
    for (uint64_t i = 0, n = 0; i < o->count && n < SAMPLES; i++) {
        at += even ? 1 : b[i].work;
        for (; n < SAMPLES && (at >= ((double)n + 0.5) * part || i + 1 == o->count); n++)
            key[n] = b[i].key;
    }
    memcpy(key + SAMPLES, &part, sizeof part);
}

static void sample_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)user;
    *ops = htmt__nbody_sample_ops(((const order *)args)->count);
}

static void sampled(struct htmt_context *c)
{
    const order *o = htmt_args(c);
    htmt__nbody_to_all(c, o, o->p->samples, o->me * SAMPLE_BYTES, SAMPLE_BYTES,
                       HTMT__NBODY_SAMPLED);
}

struct sample {
    uint64_t key;
    double stands_for;
};

static int by_key(const void *a, const void *b)
{
    const struct sample *p = a, *q = b;
    if (p->key != q->key)
        return p->key < q->key ? -1 : 1;
    return p->stands_for < q->stands_for ? -1 : p->stands_for > q->stands_for;
}

/* cut[s]: the first key of slice s + 1. */
static void find_cuts(const uint64_t *samples, uint32_t slices, struct sample *all, uint64_t *cut,
                      struct htmt__nbody_effort *effort)
{
    const uint64_t n = (uint64_t)slices * SAMPLES;
    double sum = 0, at = 0;
    for (uint32_t s = 0; s < slices; s++, samples += SAMPLES + 1)
        for (uint32_t i = 0; i < SAMPLES; i++) {
            struct sample *to = &all[s * SAMPLES + i];
            to->key = samples[i];
            memcpy(&to->stands_for, samples + SAMPLES, sizeof to->stands_for);
            sum += to->stands_for;
        }
    qsort(all, n, sizeof *all, by_key);
    uint64_t i = 0;
    for (uint32_t s = 0; s + 1 < slices; s++) {
        const double wanted = sum * (s + 1) / slices;
        while (i < n && at + all[i].stands_for / 2 < wanted)
            at += all[i++].stands_for;
        cut[s] = i < n ? all[i].key : UINT64_MAX;
    }
    uint64_t depth = 1;
    while (UINT64_C(1) << depth < n)
        depth++;
    effort->load += 2 * n * depth;
    effort->store += 2 * n * depth;
    effort->iop += n * depth;
}

/* The slice of a body. Slices whose cuts are one key share its bodies by their numbers. */
static uint32_t owner(const uint64_t *cut, uint32_t slices, const body *b)
{
    uint32_t least = 0, end = slices - 1, others = 0;
    while (least < end) {
        const uint32_t middle = (least + end) / 2;
        if (b->key < cut[middle])
            end = middle;
        else
            least = middle + 1;
    }
    while (others + 1 < least && cut[least - 1] == b->key && cut[least - 2 - others] == b->key)
        others++;
    return least - (uint32_t)(b->id % (others + 1));
}

/* Bodies that leave go side by side, and the last ones into their places. */
static uint64_t part_bodies(const order *o, body *b, const uint64_t *cut, body *leaving,
                            struct leave *leave, struct htmt__nbody_effort *effort)
{
    const uint32_t slices = o->p->plan.slices;
    uint64_t stay = o->count, gone = 0;
    memset(leave, 0, slices * sizeof *leave);
    for (uint64_t i = 0; i < o->count; i++)
        leave[owner(cut, slices, &b[i])].count++;
    leave[o->me].count = 0;
    for (uint32_t s = 0; s < slices; s++) {
        leave[s].first = (uint32_t)gone;
        gone += leave[s].count;
        leave[s].count = 0;
    }
    for (uint64_t i = 0; i < stay;) {
        const uint32_t to = owner(cut, slices, &b[i]);
        if (to == o->me) {
            i++;
            continue;
        }
        leaving[leave[to].first + leave[to].count++] = b[i];
        b[i] = b[--stay];
    }
    effort->load += o->count + 2 * gone * HTMT__NBODY_BODY_WORDS;
    effort->store += 2 * gone * HTMT__NBODY_BODY_WORDS + slices;
    effort->iop += 4 * o->count + gone;
    return stay;
}

static void sift_kernel(struct htmt_kernel *k)
{
    const order *o = htmt_kernel_args(k);
    const uint32_t slices = o->p->plan.slices;
    struct htmt__nbody_effort effort = {0};
    struct sample *all = malloc((size_t)slices * SAMPLES * sizeof *all);
    uint64_t *cut = malloc(slices * sizeof *cut);
    htmt_constants(k, o->p, sizeof *o->p);
    if (all && cut) {
        find_cuts(htmt_bytes(k, 1), slices, all, cut, &effort);
        *(uint64_t *)htmt_kernel_result(k) =
            part_bodies(o, htmt_bytes(k, 0), cut, htmt_bytes(k, 2), htmt_bytes(k, 3), &effort);
        htmt__nbody_tally(k, &effort);
    } else
        htmt_kernel_fail(k, HTMT_ENOMEM, NULL);
    free(all);
    free(cut);
}

/* ---- mail ----------------------------------------------------------------------------------- */

static void sifted(struct htmt_context *c)
{
    order o = *(const order *)htmt_args(c);
    const program *p = o.p;
    const struct htmt_region r = htmt__nbody_resident(htmt_at(p->leaves, o.me, 0),
                                                      p->plan.slices * sizeof(struct leave), true);
    htmt__nbody_stand_in(c, p, p->estimate.sift);
    if (!p->blind)
        p->mine[o.me].count = *(const uint64_t *)htmt_result(c);
    else if (p->mine[o.me].lists) { /* else as many come as leave */
        p->mine[o.me].count = 0;
        for (uint32_t i = 0; i < p->mine[o.me].groups; i++)
            p->mine[o.me].count += (uint64_t)p->mine[o.me].lists[i].group;
    }
    for (uint32_t i = 1; i < p->plan.slices; i++) {
        o.to = (o.me + i) % p->plan.slices;
        htmt__nbody_spawn(c, p->send, &r, 1, &o, HTMT__NBODY_START);
    }
}

static void send_kernel(struct htmt_kernel *k)
{
    const order *o = htmt_kernel_args(k);
    const struct leave *leave = htmt_bytes(k, 0);
    *(struct leave *)htmt_kernel_result(k) = leave[o->to];
    htmt_count(k, HTMT_LOAD, 1);
}

static void send(struct htmt_context *c)
{
    const order *o = htmt_args(c);
    const struct leave nobody = {0}, *leave = o->p->blind ? &nobody : htmt_result(c);
    htmt_send(c, o->p->mail[o->to], htmt_at(o->p->leaving, o->me, leave->first * sizeof(body)),
              leave->count, (struct htmt_slot){0},
              htmt_slot_in(htmt_slot_of(o->lead, HTMT__NBODY_ARRIVED), o->to));
}

static void take(struct htmt_context *c)
{
    order *o = htmt_args(c);
    struct htmt__nbody_mine *mine = &o->p->mine[o->me];
    o->first = mine->count;
    o->count = htmt_take(c, o->p->mail[o->me]);
    mine->count += o->count;
    if (mine->count > o->p->plan.most)
        htmt_fail(c, HTMT_ECAPACITY,
                  "slice %u: found %" PRIu64 " bodies, expected at most %" PRIu64
                  ": fewer slices, or a larger share, part this work",
                  o->me, mine->count, o->p->plan.most);
}

static int by_key_and_number(const void *a, const void *b)
{
    const body *p = a, *q = b;
    if (p->key != q->key)
        return p->key < q->key ? -1 : 1;
    return p->id < q->id ? -1 : p->id > q->id;
}

/* In an order of their own, not that in which they came: so all that follows is the same on each
 * machine. */
static void take_kernel(struct htmt_kernel *k)
{
    const order *o = htmt_kernel_args(k);
    body *to = (body *)htmt_bytes(k, 0) + o->first;
    uint64_t steps = 0;
    htmt_constants(k, o->p, sizeof *o->p);
    if (o->count && o->first + o->count <= o->p->plan.most) {
        memcpy(to, htmt_used(k, 0), o->count * sizeof(body));
        qsort(to, o->count, sizeof *to, by_key_and_number);
    }
    while (UINT64_C(1) << steps < o->count)
        steps++;
    htmt__nbody_tally(
        k, &(struct htmt__nbody_effort){.load = o->count * (2 * HTMT__NBODY_BODY_WORDS + 2 * steps),
                                        .store = 2 * o->count * HTMT__NBODY_BODY_WORDS,
                                        .iop = o->count * steps});
}

/* ---- order ---------------------------------------------------------------------------------- */

static void sort_kernel(struct htmt_kernel *k)
{
    const order *o = htmt_kernel_args(k);
    const body *b = htmt_bytes(k, 0);
    struct htmt__nbody_pair *pair = htmt_bytes(k, 1), *spare = malloc(o->count * sizeof *spare);
    if (!spare) {
        htmt_kernel_fail(k, HTMT_ENOMEM, NULL);
        return;
    }
    for (uint64_t i = 0; i < o->count; i++)
        pair[i] = (struct htmt__nbody_pair){b[i].key, o->first + i};
    htmt__nbody_sort(pair, spare, o->count);
    free(spare);
}

static void sort_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)user;
    *ops = htmt__nbody_sort_ops(((const order *)args)->count);
}

static void rank_uses(struct htmt_context *c)
{
    const order *o = htmt_args(c);
    const program *p = o->p;
    const uint64_t count = p->mine[o->me].count;
    htmt__nbody_stand_in(c, p, p->estimate.rank);
    htmt_use(c, htmt_at(p->order, o->me, 0), count * sizeof(struct htmt__nbody_pair), HTMT_READ);
    htmt_use(c, bodies(o, 0), count * sizeof(body), HTMT_READ);
    htmt_use(c, htmt_at(p->body[!p->mine[o->me].which], o->me, 0), count * sizeof(body),
             HTMT_COMMUTE);
}

static inline bool comes(uint64_t other, uint64_t own, bool earlier)
{
    return earlier ? other <= own : other < own;
}

/* Adds how many keys of another share come before each own one, or before all of them; of equal
 * keys those of an earlier share do. Most shares lie before or behind all own keys. Returns
 * comparisons. */
static uint64_t rank_in(const struct htmt__nbody_pair *own, uint64_t count,
                        const struct htmt__nbody_pair *other, uint64_t others, bool earlier,
                        uint64_t *before, uint64_t *rank)
{
    const uint64_t first = own[0].key, last = own[count - 1].key, least = other[0].key,
                   most = other[others - 1].key;
    uint64_t at = 0, steps = 2;
    if (earlier ? least > last : least >= last)
        return 1;
    if (earlier ? most <= first : most < first) {
        *before += others;
        return 2;
    }
    for (uint64_t i = 0; i < count; i++) { /* by steps that double, then bisection */
        uint64_t step = 1, end;
        for (; at + step <= others && comes(other[at + step - 1].key, own[i].key, earlier);
             step *= 2, steps++)
            at += step;
        end = at + step <= others ? at + step - 1 : others;
        for (; at < end; steps++) {
            const uint64_t middle = (at + end) / 2;
            if (comes(other[middle].key, own[i].key, earlier))
                at = middle + 1;
            else
                end = middle;
        }
        rank[i] += at;
    }
    return steps + count;
}

/* o->first, o->count: the own share; o->self bodies in all, in shares of o->index. */
static void rank_kernel(struct htmt_kernel *k)
{
    const order *o = htmt_kernel_args(k);
    const struct htmt__nbody_pair *all = htmt_used(k, 0), *own = all + o->first;
    const body *from = htmt_used(k, 1);
    body *to = htmt_used(k, 2);
    const uint64_t n = (uint64_t)o->self, each = o->index;
    uint64_t steps = 0, before = 0, *rank = malloc(o->count * sizeof *rank);
    if (!rank) {
        htmt_kernel_fail(k, HTMT_ENOMEM, NULL);
        return;
    }
    for (uint64_t i = 0; i < o->count; i++)
        rank[i] = i;
    for (uint64_t share = 0; share < n; share += each)
        if (share != o->first)
            steps += rank_in(own, o->count, all + share, htmt_least(each, n - share),
                             share < o->first, &before, rank);
    for (uint64_t i = 0; i < o->count; i++)
        to[before + rank[i]] = from[own[i].index];
    htmt__nbody_tally(
        k, &(struct htmt__nbody_effort){.load = steps + o->count * (2 + HTMT__NBODY_BODY_WORDS),
                                        .store = o->count * (1 + HTMT__NBODY_BODY_WORDS),
                                        .iop = 2 * steps});
    free(rank);
}

/* ---- fibers --------------------------------------------------------------------------------- */

static void keyed(struct htmt_context *c)
{
    order o = htmt__nbody_order_of(c);
    const program *p = o.p;
    if (p->plan.slices == 1) {
        htmt_signal(c, htmt_slot(c, HTMT__NBODY_RECEIVED));
        return;
    }
    o.count = p->mine[o.me].count;
    const struct htmt_region r[] = {
        all_bodies(&o, true),
        htmt__nbody_resident(htmt_at(p->samples, o.me, o.me * SAMPLE_BYTES), SAMPLE_BYTES, false)};
    htmt__nbody_spawn(c, p->sample, r, 2, &o, HTMT__NBODY_SAMPLED);
}

static void cut(struct htmt_context *c)
{
    order o = htmt__nbody_order_of(c);
    const program *p = o.p;
    const uint32_t slices = p->plan.slices;
    o.count = p->mine[o.me].count;
    const struct htmt_region r[] = {
        all_bodies(&o, false),
        htmt__nbody_resident(htmt_at(p->samples, o.me, 0), slices * SAMPLE_BYTES, true),
        htmt__nbody_resident(htmt_at(p->leaving, o.me, 0), p->plan.most * sizeof(body), false),
        htmt__nbody_resident(htmt_at(p->leaves, o.me, 0), slices * sizeof(struct leave), false)};
    htmt__nbody_spawn(c, p->sift, r, 4, &o, HTMT__NBODY_ARRIVED);
}

static void receive(struct htmt_context *c)
{
    const order o = htmt__nbody_order_of(c);
    const struct htmt_region r = all_bodies(&o, false);
    htmt__nbody_spawn(c, o.p->receive, &r, 1, &o, HTMT__NBODY_RECEIVED);
}

static void sort(struct htmt_context *c)
{
    order o = htmt__nbody_order_of(c);
    const program *p = o.p;
    const uint64_t count = p->mine[o.me].count;
    uint64_t each;
    htmt__nbody_await(c, HTMT__NBODY_SORTED, share_out(p, count, &each));
    for (o.first = 0; o.first < count; o.first += each) {
        o.count = htmt_least(each, count - o.first);
        const struct htmt_region r[] = {
            htmt__nbody_resident(bodies(&o, o.first), o.count * sizeof(body), true),
            htmt__nbody_resident(htmt_at(p->order, o.me, o.first * sizeof(struct htmt__nbody_pair)),
                                 o.count * sizeof(struct htmt__nbody_pair), false)};
        htmt__nbody_spawn(c, p->sort, r, 2, &o, HTMT__NBODY_SORTED);
    }
}

static void rank(struct htmt_context *c)
{
    order o = htmt__nbody_order_of(c);
    const program *p = o.p;
    const uint64_t count = p->mine[o.me].count;
    uint64_t each;
    htmt__nbody_await(c, HTMT__NBODY_RANKED, share_out(p, count, &each));
    o.self = (int64_t)count;
    o.index = (uint32_t)each;
    for (o.first = 0; o.first < count; o.first += each) {
        o.count = htmt_least(each, count - o.first);
        htmt__nbody_spawn(c, p->rank, NULL, 0, &o, HTMT__NBODY_RANKED);
    }
}

/* ---- set-up --------------------------------------------------------------------------------- */

void htmt__nbody_exchange_fibers(struct htmt_stage *fibers, uint32_t slices)
{
    const struct htmt__nbody_fiber_row all[] = {{HTMT__NBODY_KEYED, keyed, 0},
                                                {HTMT__NBODY_SAMPLED, cut, slices},
                                                {HTMT__NBODY_ARRIVED, receive, slices},
                                                {HTMT__NBODY_RECEIVED, sort, 1},
                                                {HTMT__NBODY_SORTED, rank, 0}};
    htmt__nbody_fibers(fibers, all, sizeof all / sizeof *all);
}

int htmt__nbody_exchange_create(program *p)
{
    const uint64_t most = p->plan.most, slices = p->plan.slices;
    const struct htmt__nbody_type_row types[] = {
        {"Keys", {.kernel = keys_kernel, .cost = keys_cost}, 0, &p->keys},
        {"Sample",
         {.kernel = sample_kernel, .cost = sample_cost, .control = sampled},
         0,
         &p->sample},
        {"Sift", {.kernel = sift_kernel, .control = sifted, .steered = true}, 8, &p->sift},
        {"Send", {.kernel = send_kernel, .control = send, .steered = true}, 8, &p->send},
        {"Receive", {.kernel = take_kernel, .control = take}, 0, &p->receive},
        {"Sort", {.kernel = sort_kernel, .cost = sort_cost}, 0, &p->sort},
        {"Rank", {.kernel = rank_kernel, .control = rank_uses}, 0, &p->rank}};
    const struct htmt__nbody_frame_row frames[] = {
        {most * sizeof(body), "sorted bodies", &p->body[1], false},
        {most * sizeof(struct htmt__nbody_pair), "order", &p->order, false},
        {most * sizeof(struct htmt__nbody_group), "groups", &p->low_groups, false},
        {slices * SAMPLE_BYTES, "samples", &p->samples, true},
        {slices * sizeof(struct leave), "leaves", &p->leaves, true},
        {most * sizeof(body), "leaving bodies", &p->leaving, true}};
    int rc = htmt__nbody_types(p, p->plan.dram, types, sizeof types / sizeof *types);
    rc = rc ? rc : htmt__nbody_frames(p, p->plan.dram, frames, sizeof frames / sizeof *frames);
    if (rc || slices == 1)
        return rc;
    p->mail = calloc(slices, sizeof(struct htmt_mailbox *));
    if (!p->mail)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; !rc && i < slices; i++)
        rc = htmt_mailbox_create(p->e, i, p->plan.dram, sizeof(body), most, "bodies", &p->mail[i]);
    return rc;
}
