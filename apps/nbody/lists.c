/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From bodies in the order of their keys to pulls.
 *
 * SRAM. Sources (mass, place) and keys are lifted from DRAM. One SPIM splits the bodies into
 * branches, SPIMs grow these side by side, one joins them. The slice tells all others eight boxes
 * that hold its bodies; each of them sends what of its tree may be opened from there, its locally
 * essential tree (J. K. Salmon, "Parallel hierarchical N-body methods", Caltech 1991).
 *
 * Lists. A group is a cell of at most --group bodies. A SPIM walks the slice's own tree and what
 * came, in the order of slices, and packs what the group needs: bodies from the begin of a buffer,
 * cells from its end. Only this kernel knows how long the list is. It leaves that in its result,
 * and the control that follows it assembles the force parcel with regions of that size: targets,
 * bodies and cells go to CRAM, pulls come back. A list that is longer than the buffer goes in
 * parts. The kernel leaves where it stopped, and when the pulls of a part are back, the control of
 * the force parcel lets a SPIM go on there; the next parcel takes the pulls along and adds to them.
 *
 * Buffers. There are two more than SPIMs of htmt-oct98. Whoever is through with a group takes the
 * next one of the slice, so that SPIMs and the SPELL both have work while lists of all lengths come
 * by.
 *
 * By hand: CRAM of 131,072 words, groups of 64: a part has 131,072 / 2 - 64 * 8 = 65,024 words, so
 * two parcels fit. A list of 1500 bodies and 900 cells with quadrupoles is 6000 + 9000 words: one
 * part.
 *
 * Why a box opens no less than a group in it. The distance from a centre of mass to a box that
 * contains another is not larger, in floating point as well: each of its operations is monotone. So
 * what a message has closed is far for each group of the slice that gets it.
 */
#include "apps/nbody/forces.h"
#include "apps/nbody/parts.h"
#include "parcels/replies.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BUFFERS                                                                                    \
    66 /* of lists in a slice: two more than SPIMs of htmt-oct98, on each machine, so that         \
          a captured run has the same objects there */

typedef struct htmt__nbody_program program;
typedef struct htmt__nbody_order order;

/* What a SPIM found out: a part of a list. */
struct found {
    uint32_t first, count; /* of the group */
    uint32_t bodies, cells;
    int64_t self;
    struct htmt__nbody_cursor at;
    bool done;
};

static struct htmt__nbody_shape shape(const program *p, const double *scale)
{
    const struct htmt__nbody_plan *plan = &p->plan;
    return (struct htmt__nbody_shape){.k = htmt__nbody_scale(*scale),
                                      .theta = plan->theta,
                                      .quad = plan->quad,
                                      .leaf = plan->group < HTMT__NBODY_LEAF ? plan->group
                                                                             : HTMT__NBODY_LEAF,
                                      .group = plan->group};
}

/* All of a frame in this slice. */
static struct htmt_region whole(const order *o, const struct htmt_frame *frame, bool read_only)
{
    const struct htmt_addr at = htmt_at(frame, o->me, 0);
    return htmt__nbody_resident(at, htmt_object_size(at.object), read_only);
}

/* ---- lift and lower ------------------------------------------------------------------------- */

/* Of a slice without bodies only the fiber hears. */
static void put_some(struct htmt_context *c, const struct htmt_put *put)
{
    if (put->bytes)
        htmt_put(c, put);
    else
        htmt_signal(c, put->on_arrived);
}

/* Bodies are in order, in the other array. */
static void lift(struct htmt_context *c)
{
    const order o = htmt__nbody_order_of(c);
    const program *p = o.p;
    struct htmt__nbody_mine *mine = &p->mine[o.me];
    mine->which = !mine->which;
    const struct htmt_frame *const from = p->body[mine->which];
    const struct {
        struct htmt_addr src, dst;
        uint64_t bytes;
        bool strided;
    } lifts[] = {
        {htmt_at(from, o.me, 0), htmt_at(p->source, o.me, 0), HTMT__NBODY_SOURCE_BYTES, true},
        {htmt_at(from, o.me, offsetof(struct htmt__nbody_body, key)), htmt_at(p->key, o.me, 0),
         HTMT_WORD, true},
        {htmt_at(p->totals, o.me, HTMT__NBODY_FAR * HTMT_WORD), htmt_at(p->scale, o.me, 0),
         HTMT_WORD, false}};
    for (unsigned i = 0; i < 3; i++) {
        struct htmt_put put = htmt_put_init();
        put.src = lifts[i].src;
        put.dst = lifts[i].dst;
        put.bytes = lifts[i].bytes * (lifts[i].strided ? mine->count : 1);
        if (lifts[i].strided)
            put.src_pieces = (struct htmt_pieces){.bytes = lifts[i].bytes,
                                                  .count = mine->count,
                                                  .stride = sizeof(struct htmt__nbody_body)};
        put.on_arrived = htmt_slot(c, HTMT__NBODY_LIFTED);
        put_some(c, &put);
    }
}

static void lower(struct htmt_context *c)
{
    const order o = htmt__nbody_order_of(c);
    const program *p = o.p;
    const struct htmt__nbody_mine *mine = &p->mine[o.me];
    struct htmt_put put = htmt_put_init();
    put.src = htmt_at(p->high_pull, o.me, 0);
    put.dst = htmt_at(p->pull, o.me, 0);
    put.bytes = mine->count * HTMT__NBODY_PULL_BYTES;
    put.on_arrived = htmt_slot(c, HTMT__NBODY_LOWERED);
    put_some(c, &put);
    put.src = htmt_at(p->group, o.me, 0);
    put.dst = htmt_at(p->low_groups, o.me, 0);
    put.bytes = mine->groups * sizeof(struct htmt__nbody_group);
    put_some(c, &put);
}

/* ---- the tree ------------------------------------------------------------------------------- */

static void split(struct htmt_context *c)
{
    order o = htmt__nbody_order_of(c);
    const program *p = o.p;
    o.count = p->mine[o.me].count;
    const struct htmt_region r[] = {whole(&o, p->key, true), whole(&o, p->scale, true),
                                    whole(&o, p->node, false), whole(&o, p->branches, false)};
    htmt__nbody_spawn(c, p->split, r, 4, &o, HTMT__NBODY_SPLIT);
}

static void split_kernel(struct htmt_kernel *k)
{
    const order *o = htmt_kernel_args(k);
    struct htmt__nbody_branches *b = htmt_bytes(k, 3);
    struct htmt__nbody_effort effort = {0};
    htmt_constants(k, o->p, sizeof *o->p);
    const struct htmt__nbody_shape s = shape(o->p, htmt_bytes(k, 1));
    if (!htmt__nbody_split(&s, htmt_bytes(k, 0), (uint32_t)o->count, htmt_bytes(k, 2), b, &effort))
        htmt_kernel_fail(k, HTMT_ECAPACITY,
                         "found more than %d nodes above %d branches, expected bodies that are not "
                         "so far apart",
                         HTMT__NBODY_TOPS, HTMT__NBODY_BRANCHES);
    *(uint32_t *)htmt_kernel_result(k) = b->count;
    htmt__nbody_tally(k, &effort);
}

static void split_up(struct htmt_context *c)
{
    const order *o = htmt_args(c);
    htmt__nbody_stand_in(c, o->p, o->p->estimate.split);
    o->p->mine[o->me].branches =
        o->p->blind ? (uint32_t)o->p->estimate.branches : *(const uint32_t *)htmt_result(c);
}

static void grow(struct htmt_context *c)
{
    order o = htmt__nbody_order_of(c);
    const program *p = o.p;
    const uint32_t branches = p->mine[o.me].branches;
    htmt__nbody_await(c, HTMT__NBODY_GROWN, branches);
    o.count = p->mine[o.me].count;
    for (o.index = 0; o.index < branches; o.index++)
        htmt__nbody_spawn(c, p->grow, NULL, 0, &o, HTMT__NBODY_GROWN);
}

static void grow_uses(struct htmt_context *c)
{
    const order *o = htmt_args(c);
    const program *p = o->p;
    htmt__nbody_stand_in(c, p, p->estimate.grow);
    const struct {
        const struct htmt_frame *frame;
        enum htmt_use use;
    } uses[] = {{p->key, HTMT_READ},     {p->source, HTMT_READ},   {p->scale, HTMT_READ},
                {p->node, HTMT_COMMUTE}, {p->group, HTMT_COMMUTE}, {p->branches, HTMT_COMMUTE}};
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        const struct htmt_addr at = htmt_at(uses[i].frame, o->me, 0);
        htmt_use(c, at, htmt_object_size(at.object), uses[i].use);
    }
}

static void grow_kernel(struct htmt_kernel *k)
{
    const order *o = htmt_kernel_args(k);
    struct htmt__nbody_branches *b = htmt_used(k, 5);
    struct htmt__nbody_effort effort = {0};
    htmt_constants(k, o->p, sizeof *o->p);
    const struct htmt__nbody_shape s = shape(o->p, htmt_used(k, 2));
    htmt__nbody_grow(&s, htmt_used(k, 0), htmt_used(k, 1), htmt_used(k, 3), &b->branch[o->index],
                     htmt_used(k, 4), &effort);
    htmt__nbody_tally(k, &effort);
}

static void join(struct htmt_context *c)
{
    order o = htmt__nbody_order_of(c);
    const program *p = o.p;
    o.count = p->mine[o.me].count;
    const struct htmt_region r[] = {
        whole(&o, p->key, true),
        whole(&o, p->source, true),
        whole(&o, p->scale, true),
        whole(&o, p->node, false),
        whole(&o, p->branches, false),
        whole(&o, p->group, false),
        htmt__nbody_resident(htmt_at(p->boxes, o.me, o.me * sizeof(struct htmt__nbody_boxes)),
                             sizeof(struct htmt__nbody_boxes), false)};
    htmt__nbody_spawn(c, p->join, r, 7, &o, HTMT__NBODY_JOINED);
}

static void join_kernel(struct htmt_kernel *k)
{
    const order *o = htmt_kernel_args(k);
    struct htmt__nbody_branches *b = htmt_bytes(k, 4);
    struct htmt__nbody_effort effort = {0};
    htmt_constants(k, o->p, sizeof *o->p);
    const struct htmt__nbody_shape s = shape(o->p, htmt_bytes(k, 2));
    htmt__nbody_join(&s, htmt_bytes(k, 0), htmt_bytes(k, 3), b, htmt_bytes(k, 5), &effort);
    *(uint32_t *)htmt_kernel_result(k) = b->groups;
    if (o->p->plan.slices > 1) {
        htmt__nbody_boxes(htmt_bytes(k, 1), o->count, htmt_bytes(k, 6));
        effort.load += 3 * o->count;
        effort.flop += 6 * o->count;
        effort.store += sizeof(struct htmt__nbody_boxes) / HTMT_WORD;
    }
    htmt__nbody_tally(k, &effort);
}

static void joined(struct htmt_context *c)
{
    const order *o = htmt_args(c);
    htmt__nbody_stand_in(c, o->p, o->p->estimate.join);
    struct htmt__nbody_mine *mine = &o->p->mine[o->me];
    if (!o->p->blind)
        mine->groups = *(const uint32_t *)htmt_result(c);
    else if (!mine->lists)
        mine->groups = (uint32_t)o->p->estimate.groups;
    htmt__nbody_to_all(c, o, o->p->boxes, o->me * sizeof(struct htmt__nbody_boxes),
                       sizeof(struct htmt__nbody_boxes), HTMT__NBODY_JOINED);
}

/* ---- essential trees ------------------------------------------------------------------------ */

static void share(struct htmt_context *c)
{
    order o = htmt__nbody_order_of(c);
    const program *p = o.p;
    const uint32_t slices = p->plan.slices;
    o.count = p->mine[o.me].count;
    for (uint32_t i = 1; i < slices; i++) {
        o.to = (o.me + i) % slices;
        const struct htmt_region r[] = {
            whole(&o, p->node, true), whole(&o, p->source, true), whole(&o, p->branches, true),
            htmt__nbody_resident(htmt_at(p->boxes, o.me, o.to * sizeof(struct htmt__nbody_boxes)),
                                 sizeof(struct htmt__nbody_boxes), true),
            htmt__nbody_resident(htmt_at(p->out, o.me, o.to * p->message_most), p->message_most,
                                 false)};
        htmt__nbody_spawn(c, p->share, r, 5, &o, HTMT__NBODY_START);
    }
    htmt_signal(c, htmt_slot(c, HTMT__NBODY_SHARED));
}

static struct htmt__nbody_view own_view(uint64_t count, const struct htmt__nbody_node *node,
                                        const double *source, const struct htmt__nbody_branches *b)
{
    return (struct htmt__nbody_view){node, source, b->root, HTMT__NBODY_TOPS + 2 * (uint32_t)count};
}

static void share_kernel(struct htmt_kernel *k)
{
    const order *o = htmt_kernel_args(k);
    const struct htmt__nbody_view own =
        own_view(o->count, htmt_bytes(k, 0), htmt_bytes(k, 1), htmt_bytes(k, 2));
    struct htmt__nbody_effort effort = {0};
    htmt_constants(k, o->p, sizeof *o->p);
    const struct htmt__nbody_head head =
        htmt__nbody_pack(&own, htmt_bytes(k, 3), htmt_bytes(k, 4), o->p->message_most, &effort);
    *(struct htmt__nbody_head *)htmt_kernel_result(k) = head;
    htmt__nbody_tally(k, &effort);
    if (head.nodes == UINT32_MAX)
        htmt_kernel_fail(k, HTMT_ECAPACITY,
                         "found more than %" PRIu64
                         " words that slice %u needs, expected a larger --theta or fewer slices",
                         o->p->message_most / HTMT_WORD, o->to);
}

/* Without quadrupoles nodes are shorter. */
static void shared(struct htmt_context *c)
{
    const order *o = htmt_args(c);
    const program *p = o->p;
    const uint32_t bodies = (uint32_t)o->p->mine[o->me].count;
    const struct htmt__nbody_head guess = {1 + bodies / 8, bodies / 4},
                                  *head = p->blind ? &guess : htmt_result(c);
    htmt__nbody_stand_in(c, p, p->estimate.share);
    struct htmt_put put = htmt_put_init();
    put.src = htmt_at(p->out, o->me, o->to * p->message_most);
    put.dst = htmt_at(p->in, o->to, o->me * p->message_most);
    put.bytes = htmt__nbody_message_bytes(*head);
    put.words = 1 + head->sources * HTMT__NBODY_SOURCE_WORDS +
                head->nodes * (p->plan.quad ? HTMT__NBODY_NODE_WORDS : HTMT__NBODY_NODE_MONO);
    put.on_arrived = htmt_slot_in(htmt_slot_of(o->lead, HTMT__NBODY_SHARED), o->to);
    put.name = "essential tree";
    htmt_put(c, &put);
}

/* ---- lists ---------------------------------------------------------------------------------- */

/* The list of a group, or its next part, into a buffer. */
static void list(struct htmt_context *c, const order *o)
{
    const program *p = o->p;
    const struct htmt_region r[] = {
        htmt__nbody_resident(htmt_at(p->buffer, o->me, o->index * p->plan.part * HTMT_WORD),
                             p->plan.part * HTMT_WORD, false),
        whole(o, p->node, true),
        whole(o, p->source, true),
        whole(o, p->branches, true),
        htmt__nbody_resident(htmt_at(p->group, o->me, o->group * sizeof(struct htmt__nbody_group)),
                             sizeof(struct htmt__nbody_group), false),
        p->plan.slices > 1 ? whole(o, p->in, true) : whole(o, p->scale, true)};
    /* whichever buffer it is in: a captured run finds it by that */
    htmt_next_item(c, (uint64_t)o->evaluation << 48 | (uint64_t)o->group << 16 | o->part);
    htmt__nbody_spawn(c, p->list, r, 6, o, HTMT__NBODY_START);
}

static void list_kernel(struct htmt_kernel *k)
{
    const order *o = htmt_kernel_args(k);
    const program *p = o->p;
    const uint32_t slices = p->plan.slices;
    struct htmt__nbody_group *group = htmt_bytes(k, 4);
    struct htmt__nbody_list l = {.words = htmt_bytes(k, 0), .room = p->plan.part, .at = o->at};
    struct htmt__nbody_effort effort = {0};
    struct htmt__nbody_view *tree = malloc(slices * sizeof *tree);
    htmt_constants(k, p, sizeof *p);
    if (!tree) {
        htmt_kernel_fail(k, HTMT_ENOMEM, NULL);
        return;
    }
    for (uint32_t i = 0; i < slices; i++)
        tree[i] =
            i == o->me
                ? own_view(o->count, htmt_bytes(k, 1), htmt_bytes(k, 2), htmt_bytes(k, 3))
                : htmt__nbody_open_message((const char *)htmt_bytes(k, 5) + i * p->message_most);
    htmt__nbody_walk(tree, slices, o->me, group, p->plan.quad, &l, &effort);
    group->bodies += l.bodies;
    group->cells += l.cells;
    *(struct found *)htmt_kernel_result(k) = (struct found){.first = group->first,
                                                            .count = group->count,
                                                            .bodies = l.bodies,
                                                            .cells = l.cells,
                                                            .self = l.self,
                                                            .at = l.at,
                                                            .done = l.done};
    htmt__nbody_tally(k, &effort);
    free(tree);
}

static unsigned cell_words(const program *p)
{
    return p->plan.quad ? HTMT__NBODY_QUAD_WORDS : HTMT__NBODY_SOURCE_WORDS;
}

/* What a group has: of a file, or by estimate, the groups of a slice as many bodies each. */
static struct htmt__nbody_lengths lengths(const program *p, const order *o, uint64_t *first)
{
    const struct htmt__nbody_estimate *e = &p->estimate;
    const struct htmt__nbody_mine *mine = &p->mine[o->me];
    const uint64_t n = mine->count;
    const double cells = e->entries * e->cells;
    if (mine->lists) { /* somewhere: times do not go by places */
        const struct htmt__nbody_lengths l = mine->lists[o->group];
        *first = htmt_least(n * o->group / mine->groups, n - (uint64_t)l.group);
        return l;
    }
    *first = n * o->group / e->groups;
    return (struct htmt__nbody_lengths){.group = (int32_t)(n * (o->group + 1) / e->groups - *first),
                                        .bodies = (int32_t)(e->entries - cells),
                                        .cells = (int32_t)cells};
}

/* A part of a list of known length; at.tree counts parts. */
static struct found guess(const order *o, uint64_t *list_ops)
{
    const program *p = o->p;
    uint64_t first;
    const struct htmt__nbody_lengths l = lengths(p, o, &first);
    const uint64_t bodies = (uint64_t)l.bodies, cells = (uint64_t)l.cells,
                   words = HTMT__NBODY_SOURCE_WORDS * (bodies + 1) + cell_words(p) * (cells + 1),
                   lost = p->plan.part > 2 * HTMT__NBODY_QUAD_WORDS ? HTMT__NBODY_QUAD_WORDS : 0,
                   parts = htmt_ceil_div(words, p->plan.part - lost);
    struct found f = {.first = (uint32_t)first,
                      .count = (uint32_t)l.group,
                      .bodies = (uint32_t)(bodies / parts),
                      .cells = (uint32_t)(cells / parts),
                      .at = {.tree = o->at.tree + 1}};
    f.done = f.at.tree == parts;
    *list_ops =
        (htmt__nbody_times(p->plan.costs.entry, bodies + cells) + (p->plan.quad ? 12 * cells : 0)) /
        parts;
    return f;
}

/* The length is known: the force parcel. */
static void listed(struct htmt_context *c)
{
    order o = *(const order *)htmt_args(c);
    const program *p = o.p;
    uint64_t list_ops = 0;
    const struct found guessed = p->blind ? guess(&o, &list_ops) : (struct found){0},
                       *f = p->blind ? &guessed : htmt_result(c);
    htmt__nbody_stand_in(c, p, list_ops);
    const uint64_t cells = f->cells * cell_words(p) * HTMT_WORD,
                   begin = o.index * p->plan.part * HTMT_WORD,
                   end = begin + p->plan.part * HTMT_WORD;
    const struct htmt_addr pulls = htmt_at(p->high_pull, o.me, f->first * HTMT__NBODY_PULL_BYTES);
    struct htmt_region r[4] = {
        {.from = htmt_at(p->source, o.me, f->first * HTMT__NBODY_SOURCE_BYTES),
         .bytes = f->count * HTMT__NBODY_SOURCE_BYTES,
         .read_only = true},
        {.to = pulls, .bytes = f->count * HTMT__NBODY_PULL_BYTES}};
    uint32_t regions = 2;
    if (!o.begins)
        r[1].from = pulls;
    if (f->bodies)
        r[regions++] = (struct htmt_region){.from = htmt_at(p->buffer, o.me, begin),
                                            .bytes = f->bodies * HTMT__NBODY_SOURCE_BYTES,
                                            .read_only = true};
    if (f->cells)
        r[regions++] = (struct htmt_region){
            .from = htmt_at(p->buffer, o.me, end - cells), .bytes = cells, .read_only = true};
    o.first = f->count;
    o.bodies = f->bodies;
    o.cells = f->cells;
    o.self = f->self;
    o.at = f->at;
    o.done = f->done;
    htmt__nbody_spawn(c, p->sum_up, r, regions, &o, HTMT__NBODY_START);
}

/* ---- forces --------------------------------------------------------------------------------- */

static void force_kernel(struct htmt_kernel *k)
{
    const order *o = htmt_kernel_args(k);
    const struct htmt__nbody_plan *plan = &o->p->plan;
    const double eps2 = plan->eps * plan->eps;
    const unsigned n = (unsigned)o->first;
    double *pull = htmt_bytes(k, 1);
    struct htmt__nbody_targets t;
    htmt_constants(k, o->p, sizeof *o->p);
    memset(&t, 0, sizeof t);
    htmt__nbody_targets_load(&t, n, htmt_bytes(k, 0), pull);
    if (o->bodies)
        htmt__nbody_pull(&t, n, htmt_bytes(k, 2), o->bodies, o->self, eps2);
    if (o->cells) {
        const double *cell = htmt_bytes(k, o->bodies ? 3 : 2);
        if (plan->quad)
            htmt__nbody_pull_quad(&t, n, cell, o->cells, eps2);
        else
            htmt__nbody_pull(&t, n, cell, o->cells, INT64_MIN / 2, eps2);
    }
    htmt__nbody_targets_store(&t, n, pull);
}

static void force_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const order *o = args;
    ops->n[HTMT_FLOP] = htmt__nbody_list_flop(user, o->first, o->bodies, o->cells);
}

/* The buffer is free: the next part, or the next group. */
static void summed(struct htmt_context *c)
{
    order o = *(const order *)htmt_args(c);
    struct htmt__nbody_mine *mine = &o.p->mine[o.me];
    o.begins = o.done;
    o.part = o.done ? 0 : o.part + 1;
    if (o.done) {
        o.at = (struct htmt__nbody_cursor){0};
        o.group = mine->next++;
    }
    if (o.group < mine->groups)
        list(c, &o);
    else
        htmt_signal(c, htmt_slot_of(o.lead, HTMT__NBODY_LISTED));
}

static void lists(struct htmt_context *c)
{
    order o = htmt__nbody_order_of(c);
    struct htmt__nbody_mine *mine = &o.p->mine[o.me];
    o.count = mine->count;
    o.evaluation = ((const struct htmt__nbody_lead *)htmt_args(c))->evaluation;
    o.begins = true;
    mine->next = o.p->buffers < mine->groups ? o.p->buffers : mine->groups;
    htmt__nbody_await(c, HTMT__NBODY_LISTED, mine->next);
    for (o.index = 0; o.index < mine->next; o.index++) {
        o.group = o.index;
        list(c, &o);
    }
}

/* ---- set-up --------------------------------------------------------------------------------- */

void htmt__nbody_lists_fibers(struct htmt_stage *fibers, uint32_t slices, htmt_control_fn *done)
{
    const struct htmt__nbody_fiber_row all[] = {
        {HTMT__NBODY_RANKED, lift, 0},       {HTMT__NBODY_LIFTED, split, 3},
        {HTMT__NBODY_SPLIT, grow, 1},        {HTMT__NBODY_GROWN, join, 0},
        {HTMT__NBODY_JOINED, share, slices}, {HTMT__NBODY_SHARED, lists, slices},
        {HTMT__NBODY_LISTED, lower, 0},      {HTMT__NBODY_LOWERED, done, 2}};
    htmt__nbody_fibers(fibers, all, sizeof all / sizeof *all);
}

static int create_types(program *p)
{
    const struct htmt_machine *m = htmt_emulator_machine(p->e);
    const struct htmt__nbody_type_row types[] = {
        {"Split", {.kernel = split_kernel, .control = split_up, .steered = true}, 4, &p->split},
        {"Grow", {.kernel = grow_kernel, .control = grow_uses}, 0, &p->grow},
        {"Join", {.kernel = join_kernel, .control = joined, .steered = true}, 4, &p->join},
        {"Share", {.kernel = share_kernel, .control = shared, .steered = true}, 8, &p->share},
        {"List",
         {.kernel = list_kernel, .control = listed, .steered = true},
         sizeof(struct found),
         &p->list}};
    int rc = htmt__nbody_types(p, p->plan.sram, types, sizeof types / sizeof *types);
    struct htmt_type_desc d;
    d = htmt_type_desc_init();
    d.name = "Force";
    d.home = m->layer[p->plan.sram].name;
    d.exec = m->layer[p->plan.cram].name;
    d.execute = (struct htmt_stage){.kernel = force_kernel, .cost = force_cost};
    d.scatter.control = summed;
    d.in_place = true;
    d.args_bytes = sizeof(order);
    d.user = &p->plan;
    return rc ? rc : htmt_type_create(p->e, &d, &p->sum_up);
}

int htmt__nbody_lists_create(program *p)
{
    const uint64_t most = p->plan.most, slices = p->plan.slices;
    p->buffers = BUFFERS;
    p->message_most = p->plan.message * HTMT_WORD;
    const struct htmt__nbody_frame_row frames[] = {
        {most * HTMT__NBODY_SOURCE_BYTES, "lifted sources", &p->source, false},
        {most * HTMT_WORD, "keys", &p->key, false},
        {HTMT_WORD, "scale", &p->scale, false},
        {(HTMT__NBODY_TOPS + 2 * p->plan.most) * sizeof(struct htmt__nbody_node), "nodes", &p->node,
         false},
        {sizeof(struct htmt__nbody_branches), "branches", &p->branches, false},
        {most * sizeof(struct htmt__nbody_group), "groups of the tree", &p->group, false},
        {slices * sizeof(struct htmt__nbody_boxes), "boxes", &p->boxes, false},
        {p->buffers * p->plan.part * HTMT_WORD, "lists", &p->buffer, false},
        {most * HTMT__NBODY_PULL_BYTES, "pulls of SRAM", &p->high_pull, false},
        {slices * p->message_most, "trees that come", &p->in, true},
        {slices * p->message_most, "trees that go", &p->out, true}};
    int rc = create_types(p);
    return rc ? rc : htmt__nbody_frames(p, p->plan.sram, frames, sizeof frames / sizeof *frames);
}
