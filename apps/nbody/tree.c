/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The octree.
 *
 * Cells. A key has three bits for each of 21 levels. The bodies of a cell of level l have the first
 * 3 l bits in common and lie side by side; those of its children are found by bisection. A level at
 * which all bodies of a cell lie in one child has no node, so a cell has at least two children and
 * n bodies have fewer than 2 n nodes. A cell's edge is that of its level.
 *
 * Building side by side. First the bodies are split into branches, cells of at most n / 48 bodies;
 * the few nodes above them are tops. Each branch has room for twice its bodies in nodes, so that
 * branches grow without knowing of each other. Inside of a branch nodes lie in the order of the
 * walk, and the last one is a jump to what follows the branch. The moments of tops come last.
 *
 * By hand: bodies 0 to 4 of a root whose first octant has 0, 1, 2 and whose last one has 3, 4, with
 * leaves of 2 bodies and branches of 3: top 0 has down = B, its first branch, whose root has the
 * children {0, 1} and {2}; B's nodes are B, B + 1, B + 2 and the jump B + 3 to B', the leaf {3, 4},
 * whose jump leads to the end.
 *
 * Opening. A group of bodies in a box opens a cell of edge l whose centre of mass is delta away
 * from its middle unless the centre of mass is farther from the box than l / theta + delta (J.
 * Barnes, "Error analysis of a tree code", ApJ Suppl. 70, 1989). At theta 0 all is opened.
 *
 * Moments of a cell about its centre of mass follow from those of its children: Q = sum of Q_i +
 * m_i (3 s s^T - s^2 1), s from the centre of mass of all to that of child i.
 */
#include "apps/nbody/tree.h"

#include <math.h>
#include <string.h>

#define AXIS_BITS   HTMT__NBODY_LEVELS
#define PASSES      8
#define BRANCHED    48 /* shares of a slice's bodies that branches have at most */
#define NODE_STORES HTMT__NBODY_NODE_WORDS

/* ---- keys ----------------------------------------------------------------------------------- */

int htmt__nbody_scale(double far)
{
    int k = 0;
    if (far > 0 && isfinite(far))
        (void)frexp(far, &k);
    return k;
}

/* Bit i of 21 to bit 3 i. */
static uint64_t spread(uint64_t x)
{
    x = (x | x << 32) & 0x1f00000000ffff;
    x = (x | x << 16) & 0x1f0000ff0000ff;
    x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3;
    return (x | x << 2) & 0x1249249249249249;
}

static uint64_t gather(uint64_t x)
{
    x &= 0x1249249249249249;
    x = (x | x >> 2) & 0x10c30c30c30c30c3;
    x = (x | x >> 4) & 0x100f00f00f00f00f;
    x = (x | x >> 8) & 0x1f0000ff0000ff;
    x = (x | x >> 16) & 0x1f00000000ffff;
    return (x | x >> 32) & 0x1fffff;
}

uint64_t htmt__nbody_key(const double x[3], int k)
{
    uint64_t key = 0;
    for (unsigned c = 0; c < 3; c++) {
        const double at = (ldexp(x[c], -k) + 1) * 0x1p20, most = 0x1p21 - 1;
        key |= spread((uint64_t)(at > 0 ? at < most ? at : most : 0)) << (2 - c);
    }
    return key;
}

void htmt__nbody_sort(struct htmt__nbody_pair *pair, struct htmt__nbody_pair *spare, uint64_t n)
{
    struct htmt__nbody_pair *from = pair, *to = spare, *other;
    for (unsigned pass = 0; pass < PASSES; pass++) {
        const unsigned shift = 8 * pass;
        uint64_t at[256] = {0}, sum = 0;
        for (uint64_t i = 0; i < n; i++)
            at[from[i].key >> shift & 255]++;
        for (unsigned d = 0; d < 256; d++) {
            const uint64_t count = at[d];
            at[d] = sum;
            sum += count;
        }
        for (uint64_t i = 0; i < n; i++)
            to[at[from[i].key >> shift & 255]++] = from[i];
        other = from;
        from = to;
        to = other;
    }
}

/* ---- cells ---------------------------------------------------------------------------------- */

/* Levels that the first and the last key of a run have in common. */
static uint32_t common(uint64_t a, uint64_t b)
{
    const uint64_t differ = a ^ b;
    return differ ? (uint32_t)(__builtin_clzll(differ) - 1) / 3 : HTMT__NBODY_LEVELS;
}

/* The first of the keys [at, end) that lies in child `c` or behind. */
static uint32_t bisect(const uint64_t *key, uint32_t at, uint32_t end, uint32_t level, uint64_t c,
                       struct htmt__nbody_effort *effort)
{
    const uint32_t shift = 3 * (HTMT__NBODY_LEVELS - 1 - level);
    while (at < end) {
        const uint32_t middle = at + (end - at) / 2;
        effort->load++;
        effort->iop += 5;
        if ((key[middle] >> shift & 7) < c)
            at = middle + 1;
        else
            end = middle;
    }
    return at;
}

static void close_moments(const struct htmt__nbody_shape *s, uint64_t key, uint32_t level,
                          struct htmt__nbody_node *n)
{
    const double edge = ldexp(2, s->k - (int)level);
    double delta2 = 0;
    for (unsigned c = 0; c < 3; c++) {
        const uint64_t at = gather(key >> (2 - c)) >> (AXIS_BITS - level);
        const double middle = -ldexp(1, s->k) + ((double)at + 0.5) * edge;
        n->x[c] = n->m > 0 ? n->x[c] / n->m : middle;
        delta2 += (n->x[c] - middle) * (n->x[c] - middle);
    }
    const double open = edge / s->theta + sqrt(delta2); /* of theta 0 infinite */
    n->open2 = open * open;
}

/* m (3 s s^T - s^2 1) of a mass at x. */
static void add_quad(struct htmt__nbody_node *n, double m, const double x[3])
{
    const double s[3] = {x[0] - n->x[0], x[1] - n->x[1], x[2] - n->x[2]},
                 s2 = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    for (unsigned i = 0, at = 0; i < 3; i++)
        for (unsigned j = i; j < 3; j++, at++)
            n->q[at] += m * (3 * s[i] * s[j] - (i == j ? s2 : 0));
}

static void of_bodies(const struct htmt__nbody_shape *s, const uint64_t *key, const double *source,
                      uint32_t level, struct htmt__nbody_node *n, struct htmt__nbody_effort *effort)
{
    const double *const first = source + HTMT__NBODY_SOURCE_WORDS * (size_t)n->first;
    const double *b = first;
    for (uint32_t i = 0; i < n->count; i++, b += HTMT__NBODY_SOURCE_WORDS) {
        n->m += b[0];
        for (unsigned c = 0; c < 3; c++)
            n->x[c] += b[0] * b[1 + c];
    }
    close_moments(s, key[n->first], level, n);
    b = first;
    for (uint32_t i = 0; s->quad && i < n->count; i++, b += HTMT__NBODY_SOURCE_WORDS)
        add_quad(n, b[0], b + 1);
    effort->load += (uint64_t)n->count * (s->quad ? 8 : 4);
    effort->flop += 30 + (uint64_t)n->count * (s->quad ? 7 + 29 : 7);
    effort->store += NODE_STORES;
}

/* Of the children of node[i]: from `down` on, each next one behind the one before, until `end`. */
static void of_children(const struct htmt__nbody_shape *s, const uint64_t *key, uint32_t level,
                        struct htmt__nbody_node *node, uint32_t i,
                        struct htmt__nbody_effort *effort)
{
    struct htmt__nbody_node *n = &node[i];
    const uint32_t end = n->first + n->count;
    for (unsigned round = 0; round < 2; round++) {
        uint32_t child = n->down;
        for (uint32_t at = n->first; at < end;) {
            const struct htmt__nbody_node *c = &node[child];
            if (c->down == HTMT__NBODY_JUMP) {
                child = c->next;
                continue;
            }
            if (!round) {
                n->m += c->m;
                for (unsigned d = 0; d < 3; d++)
                    n->x[d] += c->m * c->x[d];
            } else
                add_quad(n, c->m, c->x);
            for (unsigned q = 0; round && q < 6; q++)
                n->q[q] += c->q[q];
            at += c->count;
            child = c->next;
            effort->load += round ? 12 : 6;
            effort->flop += round ? 35 : 7;
        }
        if (!round)
            close_moments(s, key[n->first], level, n);
        if (!s->quad)
            break;
    }
    effort->flop += 30;
    effort->store += NODE_STORES;
}

/* ---- split, grow, join ---------------------------------------------------------------------- */

struct split {
    const struct htmt__nbody_shape *s;
    const uint64_t *key;
    struct htmt__nbody_node *node;
    struct htmt__nbody_branches *b;
    struct htmt__nbody_effort *effort;
    uint32_t most; /* bodies of a branch */
    bool full;
};

/* The cell of bodies [first, end): its node. Children come from the last one to the first, so that
 * each knows what follows it. */
static uint32_t split_cell(struct split *w, uint32_t first, uint32_t end, uint32_t above,
                           uint32_t after)
{
    struct htmt__nbody_branches *b = w->b;
    const uint32_t level = common(w->key[first], w->key[end - 1]);
    if (end - first <= w->most || level == HTMT__NBODY_LEVELS) {
        const uint32_t base = HTMT__NBODY_TOPS + 2 * first;
        w->full |= b->count == HTMT__NBODY_BRANCHES;
        if (!w->full)
            b->branch[b->count++] = (struct htmt__nbody_branch){
                .first = first, .count = end - first, .above = above, .base = base, .after = after};
        w->effort->store += 4;
        return base;
    }
    w->full |= b->tops == HTMT__NBODY_TOPS;
    if (w->full)
        return after;
    const uint32_t top = b->tops++;
    uint32_t down = after;
    for (uint32_t c = 8, to = end; c-- > 0;) {
        const uint32_t from = c ? bisect(w->key, first, to, level, c, w->effort) : first;
        if (from < to)
            down = split_cell(w, from, to, level + 1, down);
        to = from;
    }
    w->node[top] = (struct htmt__nbody_node){
        .next = after, .down = down, .first = first, .count = end - first, .open2 = level};
    w->effort->store += 4;
    return top;
}

bool htmt__nbody_split(const struct htmt__nbody_shape *s, const uint64_t *key, uint32_t n,
                       struct htmt__nbody_node *node, struct htmt__nbody_branches *b,
                       struct htmt__nbody_effort *effort)
{
    const uint32_t share = n / BRANCHED, most = share > s->group ? share : s->group;
    struct split w = {s, key, node, b, effort, most, false};
    b->count = b->tops = b->groups = 0;
    b->root = n ? split_cell(&w, 0, n, 0, HTMT__NBODY_TOPS + 2 * n) : HTMT__NBODY_TOPS;
    return !w.full;
}

struct grow {
    const struct htmt__nbody_shape *s;
    const uint64_t *key;
    const double *source;
    struct htmt__nbody_node *node;
    struct htmt__nbody_group *group;
    struct htmt__nbody_effort *effort;
    uint32_t nodes, groups;
};

/* `above`: the level below its parent's, which is that of a leaf: no level was needed to part it.
 */
static void grow_cell(struct grow *w, uint32_t first, uint32_t end, uint32_t above, bool grouped)
{
    const uint32_t i = w->nodes++, count = end - first;
    const uint32_t level = common(w->key[first], w->key[end - 1]);
    struct htmt__nbody_node *n = &w->node[i];
    *n = (struct htmt__nbody_node){.first = first, .count = count, .down = HTMT__NBODY_LEAF_NODE};
    if (!grouped && (count <= w->s->group || level == HTMT__NBODY_LEVELS)) {
        /* bodies of one key, if they are more, are several groups */
        for (uint32_t at = first; at < end; at += w->s->group, w->effort->store++)
            w->group[w->groups++] = (struct htmt__nbody_group){
                .first = at, .count = end - at < w->s->group ? end - at : w->s->group};
        grouped = true;
    }
    if (count <= w->s->leaf || level == HTMT__NBODY_LEVELS) {
        n->next = w->nodes;
        of_bodies(w->s, w->key, w->source, above, n, w->effort);
        return;
    }
    n->down = w->nodes;
    for (uint32_t c = 0, at = first; c < 8; c++) {
        const uint32_t to = c < 7 ? bisect(w->key, at, end, level, c + 1, w->effort) : end;
        if (at < to)
            grow_cell(w, at, to, level + 1, grouped);
        at = to;
    }
    n->next = w->nodes;
    of_children(w->s, w->key, level, w->node, i, w->effort);
}

void htmt__nbody_grow(const struct htmt__nbody_shape *s, const uint64_t *key, const double *source,
                      struct htmt__nbody_node *node, struct htmt__nbody_branch *branch,
                      struct htmt__nbody_group *group, struct htmt__nbody_effort *effort)
{
    struct grow w = {.s = s,
                     .key = key,
                     .source = source,
                     .node = node,
                     .group = group + branch->first,
                     .effort = effort,
                     .nodes = branch->base};
    grow_cell(&w, branch->first, branch->first + branch->count, branch->above, false);
    node[w.nodes] = (struct htmt__nbody_node){.down = HTMT__NBODY_JUMP, .next = branch->after};
    branch->groups = w.groups;
    effort->store += 2;
}

void htmt__nbody_join(const struct htmt__nbody_shape *s, const uint64_t *key,
                      struct htmt__nbody_node *node, struct htmt__nbody_branches *b,
                      struct htmt__nbody_group *group, struct htmt__nbody_effort *effort)
{
    for (uint32_t i = b->tops; i-- > 0;) { /* a top comes before those below it */
        const uint32_t level = (uint32_t)node[i].open2;
        of_children(s, key, level, node, i, effort);
    }
    for (uint32_t i = b->count; i-- > 0;) {
        const struct htmt__nbody_branch *at = &b->branch[i];
        memmove(group + b->groups, group + at->first, at->groups * sizeof *group);
        b->groups += at->groups;
        effort->load += 2 + at->groups;
        effort->store += at->groups;
    }
}

/* ---- boxes ---------------------------------------------------------------------------------- */

struct htmt__nbody_box htmt__nbody_box_of(const double *source, uint64_t count)
{
    struct htmt__nbody_box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint64_t i = 0; i < count; i++, source += HTMT__NBODY_SOURCE_WORDS)
        for (unsigned c = 0; c < 3; c++) {
            b.least[c] = source[1 + c] < b.least[c] ? source[1 + c] : b.least[c];
            b.most[c] = source[1 + c] > b.most[c] ? source[1 + c] : b.most[c];
        }
    return b;
}

void htmt__nbody_boxes(const double *source, uint64_t n, struct htmt__nbody_boxes *boxes)
{
    for (uint64_t i = 0; i < HTMT__NBODY_BOXES; i++) {
        const uint64_t first = n * i / HTMT__NBODY_BOXES, end = n * (i + 1) / HTMT__NBODY_BOXES;
        boxes->box[i] = htmt__nbody_box_of(source + HTMT__NBODY_SOURCE_WORDS * first, end - first);
    }
}

static inline double beside(const struct htmt__nbody_box *b, const double x[3])
{
    double d2 = 0;
    for (unsigned c = 0; c < 3; c++) {
        const double below = b->least[c] - x[c], above = x[c] - b->most[c],
                     d = below > above ? below : above;
        d2 += d > 0 ? d * d : 0;
    }
    return d2;
}

/* ---- messages ------------------------------------------------------------------------------- */

struct htmt__nbody_view htmt__nbody_open_message(const void *message)
{
    const struct htmt__nbody_head *h = message;
    const struct htmt__nbody_node *node = (const void *)(h + 1);
    return (struct htmt__nbody_view){node, (const double *)(node + h->nodes), 0, h->nodes};
}

static bool opens(const struct htmt__nbody_boxes *boxes, const struct htmt__nbody_node *n,
                  struct htmt__nbody_effort *effort)
{
    for (unsigned i = 0; i < HTMT__NBODY_BOXES; i++) {
        effort->load += 6;
        effort->flop += HTMT__NBODY_VISIT_OPS - 6;
        if (!(beside(&boxes->box[i], n->x) > n->open2))
            return true;
    }
    return false;
}

struct pack {
    const struct htmt__nbody_view *own;
    const struct htmt__nbody_boxes *boxes;
    struct htmt__nbody_node *node;
    struct htmt__nbody_head head;
    uint64_t left; /* bytes */
    struct htmt__nbody_effort *effort;
};

/* The nodes; sources follow when it is known how many nodes there are. */
static bool pack_cell(struct pack *w, uint32_t i)
{
    const struct htmt__nbody_node *n = &w->own->node[i];
    const uint32_t at = w->head.nodes;
    const bool open = n->count == 1 || opens(w->boxes, n, w->effort), leaf = !n->down;
    const uint64_t bytes = sizeof *n + (open && leaf ? n->count * 4 * sizeof(double) : 0);
    if (bytes > w->left)
        return false;
    w->left -= bytes;
    w->head.nodes++;
    w->node[at] = *n;
    w->effort->load += HTMT__NBODY_NODE_WORDS;
    w->effort->store += HTMT__NBODY_NODE_WORDS;
    if (!open)
        w->node[at].down = HTMT__NBODY_CLOSED;
    else if (leaf) {
        w->node[at].first = w->head.sources;
        w->head.sources += n->count;
        w->effort->load += 4 * n->count;
        w->effort->store += 4 * n->count;
    } else {
        const uint32_t end = n->first + n->count;
        w->node[at].down = at + 1;
        for (uint32_t child = n->down, body = n->first; body < end;) {
            const struct htmt__nbody_node *c = &w->own->node[child];
            if (c->down != HTMT__NBODY_JUMP) {
                if (!pack_cell(w, child))
                    return false;
                body += c->count;
            }
            child = c->next;
        }
    }
    w->node[at].next = w->head.nodes;
    return true;
}

/* In the same order as the nodes, whose leaves say which bodies of `own` they have by their count
 * alone: the bodies of an opened leaf are found by walking along. */
static void pack_sources(const struct pack *w, uint32_t i, uint32_t *at, double *to)
{
    const struct htmt__nbody_node *n = &w->own->node[i], *packed = &w->node[(*at)++];
    if (packed->down == HTMT__NBODY_CLOSED)
        return;
    if (!n->down) {
        memcpy(to + HTMT__NBODY_SOURCE_WORDS * (size_t)packed->first,
               w->own->source + HTMT__NBODY_SOURCE_WORDS * (size_t)n->first,
               n->count * HTMT__NBODY_SOURCE_WORDS * sizeof *to);
        return;
    }
    const uint32_t end = n->first + n->count;
    for (uint32_t child = n->down, body = n->first; body < end;) {
        const struct htmt__nbody_node *c = &w->own->node[child];
        if (c->down != HTMT__NBODY_JUMP) {
            body += c->count;
            pack_sources(w, child, at, to);
        }
        child = c->next;
    }
}

struct htmt__nbody_head htmt__nbody_pack(const struct htmt__nbody_view *own,
                                         const struct htmt__nbody_boxes *boxes, void *message,
                                         uint64_t room, struct htmt__nbody_effort *effort)
{
    struct htmt__nbody_head *head = message;
    struct pack w = {.own = own,
                     .boxes = boxes,
                     .node = (struct htmt__nbody_node *)(head + 1),
                     .left = room - sizeof *head,
                     .effort = effort};
    uint32_t at = 0;
    if (own->root != own->end && !pack_cell(&w, own->root))
        return (struct htmt__nbody_head){UINT32_MAX, 0};
    if (w.head.nodes)
        pack_sources(&w, own->root, &at, (double *)(w.node + w.head.nodes));
    return *head = w.head;
}

/* ---- lists ---------------------------------------------------------------------------------- */

#define FAR_AWAY (INT64_MIN / 2)

/* As many bodies of a leaf as there is room for; whether all are in the list. */
static bool add_bodies(const struct htmt__nbody_view *v, const struct htmt__nbody_node *n,
                       uint64_t *left, struct htmt__nbody_list *list,
                       struct htmt__nbody_effort *effort)
{
    const uint64_t fit = *left / HTMT__NBODY_SOURCE_WORDS, wanted = n->count - list->at.body,
                   count = fit < wanted ? fit : wanted, words = count * HTMT__NBODY_SOURCE_WORDS;
    memcpy(list->words + HTMT__NBODY_SOURCE_WORDS * (size_t)list->bodies,
           v->source + HTMT__NBODY_SOURCE_WORDS * (size_t)(n->first + list->at.body),
           words * sizeof(double));
    list->bodies += (uint32_t)count;
    *left -= words;
    effort->load += words;
    effort->store += words;
    list->at.body = count < wanted ? list->at.body + (uint32_t)count : 0;
    return count == wanted;
}

static bool add_cell(const struct htmt__nbody_node *n, unsigned words, uint64_t *left,
                     struct htmt__nbody_list *list, struct htmt__nbody_effort *effort)
{
    if (*left < words)
        return false;
    memcpy(list->words + list->room - (size_t)++list->cells * words, &n->m, words * sizeof(double));
    *left -= words;
    effort->load += words;
    effort->store += words;
    return true;
}

void htmt__nbody_walk(const struct htmt__nbody_view *tree, uint32_t trees, uint32_t mine,
                      const struct htmt__nbody_group *group, bool quad,
                      struct htmt__nbody_list *list, struct htmt__nbody_effort *effort)
{
    const struct htmt__nbody_box box = htmt__nbody_box_of(
        tree[mine].source + HTMT__NBODY_SOURCE_WORDS * (size_t)group->first, group->count);
    const unsigned words = quad ? 10 : HTMT__NBODY_SOURCE_WORDS;
    uint64_t left = list->room, visits = 0;
    list->bodies = list->cells = 0;
    list->self = FAR_AWAY;
    list->done = false;
    for (; list->at.tree < trees; list->at = (struct htmt__nbody_cursor){list->at.tree + 1, 0, 0}) {
        const struct htmt__nbody_view *v = &tree[list->at.tree];
        uint32_t i = list->at.node ? list->at.node - 1 : v->root;
        while (i != v->end) {
            const struct htmt__nbody_node *n = &v->node[i];
            bool fits = true, down = false;
            visits++;
            if (n->down != HTMT__NBODY_JUMP) {
                const bool far = n->down == HTMT__NBODY_CLOSED || beside(&box, n->x) > n->open2,
                           leaf = n->down == HTMT__NBODY_LEAF_NODE;
                if (leaf && (!far || n->count == 1)) {
                    const uint32_t at = n->first + list->at.body;
                    /* bodies of the group that are here, or come in this leaf */
                    if (list->at.tree == mine && group->first < n->first + n->count &&
                        at < group->first + group->count && list->self == FAR_AWAY)
                        list->self = (int64_t)list->bodies + group->first - (int64_t)at;
                    fits = add_bodies(v, n, &left, list, effort);
                } else if (far)
                    fits = add_cell(n, words, &left, list, effort);
                else
                    down = true;
            }
            if (!fits) {
                list->at.node = i + 1;
                goto full;
            }
            i = down ? n->down : n->next;
        }
    }
    list->done = true;
full:
    effort->load += 6 * visits + 6 * group->count;
    effort->flop += (HTMT__NBODY_VISIT_OPS - 6) * visits + 6 * group->count;
}
