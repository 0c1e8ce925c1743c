/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts of the reuse of a nest: links between touches of a word, the places of a box at which they
 * are found, and the levels of a box that follow.
 */
#ifndef HTMT_EMUL_LOOPS_NEST_REUSE_PARTS_H
#define HTMT_EMUL_LOOPS_NEST_REUSE_PARTS_H

#include "emul/loops/nest/reuse.h"

/* From a touch of a word at iteration x back to the one before it, at iteration y: y = x - back in
 * each loop from `first` on, but the last iteration of loops in `end`. `place` is the position of x
 * in the loop behind `first`, where it matters: from the low end if not negative, else ~place from
 * the high end; INT32_MAX: away from both. `less` of the words behind y up to and with x are not
 * touched between the two touches, as the body's order tells. */
struct htmt__nest_link {
    unsigned first, end;
    int32_t back[HTMT__NEST_DEPTH], place, less;
};

#define HTMT__NEST_INSIDE INT32_MAX

/* Where x lies in the second loop behind the first that moved. */
enum htmt__nest_tilt {
    HTMT__NEST_AT_LOW,
    HTMT__NEST_AT_MIDDLE,
    HTMT__NEST_AT_HIGH,
    HTMT__NEST_TILTS
};

/* Words between the two ends of a link, in a box of those extents; patterns that leave the memory
 * out. Errors: HTMT_ENOMEM. */
int htmt__nest_link_words(const struct htmt__nest_plan *plan, const bool *left,
                          const struct htmt__nest_link *link, enum htmt__nest_tilt tilt,
                          const int64_t extent[HTMT__NEST_DEPTH], htmt_wide *words);

/* The last touch of the word that offset `o` of a pattern touches at iteration x. */
bool htmt__nest_last_touch(const struct htmt__nest_plan *plan, const struct htmt__nest_pattern *p,
                           unsigned o, const int64_t x[HTMT__NEST_DEPTH],
                           const int64_t extent[HTMT__NEST_DEPTH], unsigned *last,
                           int64_t y[HTMT__NEST_DEPTH], unsigned *end);

/* `less` of a link from offset `o` back to offset `last`, by the words of their own stream. */
int32_t htmt__nest_link_less(const struct htmt__nest_plan *plan, const struct htmt__nest_pattern *p,
                             unsigned o, unsigned last);

/* ---- links of a box ----------------------------------------------------------------------------
 */

/* Forms of a link: words between its ends, and touches that have it, by kind. A form is a value of
 * a box as a polynomial of degree one in each extent: factors by masks of loops. */
struct htmt__nest_found {
    struct htmt__nest_link link;
    unsigned alike; /* the first link that differs in `less` alone; itself: none before */
    htmt_wide *words[HTMT__NEST_TILTS], *reads, *writes; /* [kind][mask] */
};

struct htmt__nest_links {
    unsigned count, slots;
    size_t room;
    struct htmt__nest_found *at;
    unsigned *slot; /* index + 1 by hash; 0: free */
};

/* The index of a link, which is added if it is new, with forms of that many factors each. Errors:
 * HTMT_ENOMEM. */
int htmt__nest_links_find(struct htmt__nest_links *links, const struct htmt__nest_link *link,
                          size_t factors, unsigned *index);
void htmt__nest_links_clear(struct htmt__nest_links *links);

/* ---- the reuse of a nest -----------------------------------------------------------------------
 */

#define HTMT__NEST_KINDS_MAX 4
#define HTMT__NEST_UNKNOWN   INT32_MIN

/* Patterns whose rows are rounded alike to lines. */
struct htmt__nest_kind {
    int unit;
    int64_t span;
};

struct htmt__nest_reuse {
    const struct htmt__nest_plan *plan;
    struct htmt__nest_keeping keeping;
    bool *left; /* patterns that leave the memory out */
    unsigned kinds, *kind_of;
    struct htmt__nest_kind kind[HTMT__NEST_KINDS_MAX];
    int64_t reach[HTMT__NEST_DEPTH]; /* how near an end matters */
    bool formed, coarse;
    int32_t **less; /* [pattern][offset, last]: of their links; HTMT__NEST_UNKNOWN: not asked yet */
    struct htmt__nest_links links;
    htmt_wide *first, *last; /* [pattern][mask]: words read at least once, written for good */
    unsigned answers, slots;
    struct htmt__nest_answer *answer; /* what was asked before, by a hash of the extents */
};

static inline unsigned htmt__nest_masks(const struct htmt__nest_reuse *r)
{
    return 1U << r->plan->depth;
}

static inline htmt_wide *htmt__nest_form(const struct htmt__nest_reuse *r, htmt_wide *forms,
                                         unsigned index)
{
    return forms + (size_t)index * htmt__nest_masks(r);
}

/* A box whose places are visited. `form`: places inside count by masks, else by their number. */
struct htmt__nest_visit {
    struct htmt__nest_reuse *r;
    struct htmt__nest_links *links;
    htmt_wide *first, *last;
    int64_t extent[HTMT__NEST_DEPTH];
    bool form;
    int64_t x[HTMT__NEST_DEPTH];
    bool inside[HTMT__NEST_DEPTH];
    unsigned mask;
    htmt_wide weight;
};

/* Adds what is found at all places; weight is 1. Errors: HTMT_ENOMEM. */
int htmt__nest_visit_places(struct htmt__nest_visit *visit);

/* The levels of a box that is not empty; the caller clears them on success. Errors: HTMT_ENOMEM. */
int htmt__nest_levels(struct htmt__nest_reuse *reuse, const int64_t *extent,
                      struct htmt__nest_steps *steps);

/* Arrays under several maps count once where all fits. Errors: HTMT_ENOMEM. */
int htmt__nest_maps(const struct htmt__nest_reuse *reuse, const int64_t *extent,
                    struct htmt__nest_steps *steps);

#endif
