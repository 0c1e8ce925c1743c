/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keys, octrees, lists: what DPIMs and SPIMs compute, without parcels.
 *
 * Bodies lie in the order of their keys along Morton's curve, so a cell of the octree is a run of
 * bodies. Nodes lie in one array. Whoever walks it goes from a node down, to its first child, or to
 * the next one, which follows behind all that is below it.
 */
#ifndef HTMT_APPS_NBODY_TREE_H
#define HTMT_APPS_NBODY_TREE_H

#include "apps/nbody/body.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTMT__NBODY_LEAF     16  /* most bodies of one; no more than a group has */
#define HTMT__NBODY_LEVELS   21  /* of the octree: 63 bits */
#define HTMT__NBODY_TOPS     512 /* most nodes above branches */
#define HTMT__NBODY_BRANCHES 1024
#define HTMT__NBODY_BOXES    8 /* of a slice, which others open cells by */

/* Where there is no child. */
enum {
    HTMT__NBODY_LEAF_NODE = 0,
    HTMT__NBODY_JUMP = INT32_MAX,      /* no cell: the walk goes to `next` */
    HTMT__NBODY_CLOSED = INT32_MAX - 1 /* a cell that nobody opens here */
};

struct htmt__nbody_node {
    double m, x[3]; /* about the centre of mass */
    double q[6];    /* xx, xy, xz, yy, yz, zz */
    double open2;   /* squared distance from the centre of mass at which it is opened */
    uint32_t next, down;
    uint32_t first, count; /* bodies */
};
#define HTMT__NBODY_NODE_WORDS 13
#define HTMT__NBODY_NODE_MONO  7 /* of them, without quadrupoles */

/* ---- operations of a DPIM or SPIM, of which the kernels count one for each of these -------------
 * By hand, a step of a walk: 4 words of the centre and the distance and 2 of links are loaded; 3
 * axes of two differences and two comparisons, squares and sums, a comparison: 18. */
#define HTMT__NBODY_VISIT_OPS 24
#define HTMT__NBODY_KEY_OPS   60 /* three coordinates to 21 bits, each spread in five steps */

/* What a kernel did: loads and stores of words, and other operations. */
struct htmt__nbody_effort {
    uint64_t load, store, iop, flop;
};

/* ---- keys ----------------------------------------------------------------------------------- */

/* The root cube [-2^k, 2^k)^3 of bodies whose largest coordinate is `far`. */
int htmt__nbody_scale(double far);
uint64_t htmt__nbody_key(const double x[3], int k);
/* Sorts `n` keys and numbers, radix 256, 8 passes; `spare` has room for as many. */
struct htmt__nbody_pair {
    uint64_t key, index;
};
void htmt__nbody_sort(struct htmt__nbody_pair *pair, struct htmt__nbody_pair *spare, uint64_t n);

/* ---- trees ---------------------------------------------------------------------------------- */

struct htmt__nbody_shape {
    int k;
    double theta;
    bool quad;
    uint32_t leaf, group; /* most bodies */
};

struct htmt__nbody_branch {
    uint32_t first, count; /* bodies */
    uint32_t above;        /* the level below its parent's */
    uint32_t base, after;  /* nodes: its root; what follows */
    uint32_t groups;       /* of it */
};
struct htmt__nbody_branches {
    uint32_t count, tops, root, groups;
    struct htmt__nbody_branch branch[HTMT__NBODY_BRANCHES]; /* from the end of the curve */
};
struct htmt__nbody_group {
    uint32_t first, count;  /* bodies */
    uint32_t bodies, cells; /* of its list, in all parts */
};

/* Of sorted keys: nodes above branches, and branches, whose roots have place for all that is below
 * them: 2 * count nodes from `base` on. Those of all n bodies are HTMT__NBODY_TOPS + 2 n. false:
 * too many branches. */
bool htmt__nbody_split(const struct htmt__nbody_shape *s, const uint64_t *key, uint32_t n,
                       struct htmt__nbody_node *node, struct htmt__nbody_branches *b,
                       struct htmt__nbody_effort *effort);
/* All below a branch, with moments, and its groups, group[first] and behind. */
void htmt__nbody_grow(const struct htmt__nbody_shape *s, const uint64_t *key, const double *source,
                      struct htmt__nbody_node *node, struct htmt__nbody_branch *branch,
                      struct htmt__nbody_group *group, struct htmt__nbody_effort *effort);
/* Moments above branches; all groups side by side, in the order of the curve. */
void htmt__nbody_join(const struct htmt__nbody_shape *s, const uint64_t *key,
                      struct htmt__nbody_node *node, struct htmt__nbody_branches *b,
                      struct htmt__nbody_group *group, struct htmt__nbody_effort *effort);

/* ---- boxes ---------------------------------------------------------------------------------- */

struct htmt__nbody_box {
    double least[3], most[3];
};
struct htmt__nbody_boxes {
    struct htmt__nbody_box box[HTMT__NBODY_BOXES]; /* of runs of bodies; those that are empty have
                                                      least above most */
};
struct htmt__nbody_box htmt__nbody_box_of(const double *source, uint64_t count);
void htmt__nbody_boxes(const double *source, uint64_t n, struct htmt__nbody_boxes *boxes);

/* ---- lists ---------------------------------------------------------------------------------- */

/* A tree to be walked: nodes from `root` until `end`. */
struct htmt__nbody_view {
    const struct htmt__nbody_node *node;
    const double *source;
    uint32_t root, end;
};

/* A tree in a message: a head, nodes, sources. */
struct htmt__nbody_head {
    uint32_t nodes, sources;
};
static inline uint64_t htmt__nbody_message_bytes(struct htmt__nbody_head h)
{
    return sizeof h + h.nodes * sizeof(struct htmt__nbody_node) + h.sources * 4 * sizeof(double);
}
struct htmt__nbody_view htmt__nbody_open_message(const void *message);

/* What of `own` groups inside of `boxes` may open. `room`: bytes of the message. Its head, or
 * nodes = UINT32_MAX: no room. */
struct htmt__nbody_head htmt__nbody_pack(const struct htmt__nbody_view *own,
                                         const struct htmt__nbody_boxes *boxes, void *message,
                                         uint64_t room, struct htmt__nbody_effort *effort);

/* Where a list goes on. */
struct htmt__nbody_cursor {
    uint32_t tree, node, body; /* body: of a leaf, those before it are in the list */
};

struct htmt__nbody_list {
    double *words; /* sources from the begin, cells from the end */
    uint64_t room; /* words */
    uint32_t bodies, cells;
    int64_t self; /* source that is the group's first body; far away: it is not there */
    struct htmt__nbody_cursor at;
    bool done;
};

/* A part of the list of a group: goes on at list->at, in `trees` trees, until all are walked or the
 * room is full. `mine`: the group's own tree. */
void htmt__nbody_walk(const struct htmt__nbody_view *tree, uint32_t trees, uint32_t mine,
                      const struct htmt__nbody_group *group, bool quad,
                      struct htmt__nbody_list *list, struct htmt__nbody_effort *effort);

#endif
