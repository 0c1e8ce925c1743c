/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Trees against direct sums.
 */
#include "runtime/base/by_size.h"
#include "tests/nbody/trees.h"
#include "tests/runtime/share.h"

#include "apps/nbody/reference.h"

#define WHOLE (1u << 22)

struct error {
    double energy, median, worst; /* relative */
};

static struct error compare(const double *found, const double *wanted, uint32_t n)
{
    struct error e = {0};
    double potential[2] = {0}, *off = malloc(n * sizeof *off);
    cr_assert(off);
    for (uint32_t i = 0; i < n; i++, found += 4, wanted += 4) {
        double d2 = 0, a2 = 0;
        for (unsigned c = 0; c < 3; c++) {
            d2 += (found[c] - wanted[c]) * (found[c] - wanted[c]);
            a2 += wanted[c] * wanted[c];
        }
        off[i] = sqrt(d2 / a2);
        potential[0] += found[3];
        potential[1] += wanted[3];
    }
    qsort(off, n, sizeof *off, htmt__by_size);
    e = (struct error){fabs(potential[0] / potential[1] - 1), off[n / 2], off[n - 1]};
    free(off);
    return e;
}

struct sphere {
    uint32_t n;
    struct htmt__nbody_body *body;
    double *direct; /* pulls by direct sum */
};

/* With the sum in the order of the keys of a tree, whose loop it is. */
static void sum_all(const struct planted *t, double eps, double *pull)
{
    for (uint32_t i = 0; i < t->n; i += HTMT__NBODY_LANES) {
        struct htmt__nbody_targets targets = {0};
        const unsigned count = t->n - i < HTMT__NBODY_LANES ? t->n - i : HTMT__NBODY_LANES;
        for (unsigned l = 0; l < count; l++)
            for (unsigned c = 0; c < 3; c++)
                targets.x[c][l] = t->source[4 * (i + l) + 1 + c];
        htmt__nbody_pull(&targets, count, t->source, t->n, i, eps * eps);
        for (unsigned l = 0; l < count; l++)
            for (unsigned c = 0; c < 4; c++)
                pull[4 * t->pair[i + l].index + c] = targets.pull[c][l];
    }
}

static struct sphere make(uint64_t seed, uint32_t n, double eps)
{
    struct sphere s = {n, malloc(n * sizeof *s.body), malloc(4 * n * sizeof *s.direct)};
    struct planted t;
    cr_assert(s.body && s.direct);
    sphere(seed, n, s.body);
    plant(&t, s.body, n, 0, false, 64);
    sum_all(&t, eps, s.direct);
    fell(&t);
    return s;
}

static void drop(struct sphere *s)
{
    free(s->body);
    free(s->direct);
}

static struct error error_of(const struct sphere *s, double theta, bool quad)
{
    double *found = malloc(4 * s->n * sizeof *found);
    struct planted t;
    cr_assert(found);
    plant(&t, s->body, s->n, theta, quad, 64);
    pull_by(&t, 0, WHOLE, found);
    const struct error e = compare(found, s->direct, s->n);
    fell(&t);
    free(found);
    return e;
}

Test(nbody_tree, pulls_are_those_of_the_direct_sum_within_the_tolerances_of_their_moments)
{
    if (only_memory())
        cr_skip_test("numbers alone");
    struct sphere s = make(1, 40000, 0);
    const struct error quad = error_of(&s, 0.5, true), mono = error_of(&s, 0.5, false),
                       coarse = error_of(&s, 1, false);
    cr_assert(quad.energy < 1e-5 && quad.median < 3e-4 && quad.worst < 5e-3, "%g %g %g",
              quad.energy, quad.median, quad.worst);
    cr_assert(mono.energy < 1e-4 && mono.median < 1.5e-3, "%g %g", mono.energy, mono.median);
    cr_assert(coarse.energy < 5e-4 && coarse.median < 7e-3, "%g %g", coarse.energy, coarse.median);
    drop(&s);
}

/* Quadrupoles about the centre of mass leave the octupole: a power of theta more than twice. */
Test(nbody_tree, errors_fall_with_the_opening_as_their_moments_say)
{
    struct sphere s = make(2, 4000, 0);
    const double quad = error_of(&s, 0.8, true).median / error_of(&s, 0.4, true).median,
                 mono = error_of(&s, 0.8, false).median / error_of(&s, 0.4, false).median;
    cr_assert(quad > 8 && quad < 32, "%g", quad);
    cr_assert(mono > 3 && mono < 8, "%g", mono);
    drop(&s);
}

Test(nbody_tree, at_theta_0_a_list_in_parts_gives_the_bits_of_the_direct_sum)
{
    struct sphere s = make(3, 3000, 0.01);
    static const uint64_t rooms[] = {WHOLE, 4 * 1000, 4 * 37, 10};
    double *found = malloc(4 * s.n * sizeof *found);
    for (unsigned i = 0; i < 4; i++) {
        struct planted t;
        plant(&t, s.body, s.n, 0, i % 2, 64);
        pull_by(&t, 0.01, rooms[i], found);
        cr_assert_eq(memcmp(found, s.direct, 4 * s.n * sizeof *found), 0, "%u", i);
        cr_assert_eq(t.entries, (uint64_t)s.n * s.n);
        fell(&t);
    }
    free(found);
    drop(&s);
}

/* All of a tree that is opened has each body once, in all sizes of groups. */
Test(nbody_tree, groups_part_all_bodies_and_are_cells_of_a_fifth_of_what_they_may_have)
{
    struct htmt__nbody_body *body = malloc(20000 * sizeof *body);
    sphere(4, 20000, body);
    for (uint32_t group = 1; group <= 64; group *= 4) {
        struct planted t;
        uint32_t next = 0;
        plant(&t, body, 20000, 0.7, true, group);
        for (uint32_t g = 0; g < t.b->groups; g++) {
            cr_assert_eq(t.group[g].first, next);
            cr_assert(t.group[g].count > 0 && t.group[g].count <= group);
            next += t.group[g].count;
        }
        cr_assert_eq(next, 20000);
        if (group == 64)
            cr_assert_float_eq(20000. / t.b->groups, 18, 1.5);
        fell(&t);
    }
    free(body);
}

/* What another slice gets closes nothing that one of its groups would open: their lists are as if
 * they had the whole tree, entry by entry. */
Test(nbody_tree, an_essential_tree_gives_the_lists_of_the_whole_tree)
{
    enum { N = 4000, HALF = N / 2 };
    struct htmt__nbody_body *body = malloc(N * sizeof *body);
    struct planted all, own, other;
    sphere(5, N, body);
    plant(&all, body, N, 0.6, true, 64);
    struct htmt__nbody_body *part = malloc(N * sizeof *part);
    for (unsigned i = 0; i < N; i++)
        part[i] = body[all.pair[i].index];
    plant(&own, part, HALF, 0.6, true, 64);
    plant(&other, part + HALF, HALF, 0.6, true, 64);
    struct htmt__nbody_boxes boxes;
    const struct htmt__nbody_view whole = view_of(&own), mine = view_of(&other);
    htmt__nbody_boxes(other.source, HALF, &boxes);
    const uint64_t room = 1 << 24, words = 1 << 20;
    void *message = malloc(room);
    double *list[2] = {malloc(words * 8), malloc(words * 8)};
    const struct htmt__nbody_head head =
        htmt__nbody_pack(&whole, &boxes, message, room, &own.effort);
    cr_assert(head.nodes > 0 && head.nodes < own.b->tops + 2 * HALF);
    cr_assert_lt(head.sources, HALF, "all bodies went");
    const struct htmt__nbody_view trees[2][2] = {{whole, mine},
                                                 {htmt__nbody_open_message(message), mine}};
    for (uint32_t g = 0; g < other.b->groups; g++) {
        struct htmt__nbody_list l[2];
        for (unsigned i = 0; i < 2; i++) {
            l[i] = (struct htmt__nbody_list){.words = list[i], .room = words};
            htmt__nbody_walk(trees[i], 2, 1, &other.group[g], true, &l[i], &own.effort);
        }
        cr_assert(l[0].bodies == l[1].bodies && l[0].cells == l[1].cells && l[0].self == l[1].self);
        cr_assert_eq(memcmp(list[0], list[1], 32 * l[0].bodies), 0);
        const size_t at = words - 10 * (size_t)l[0].cells;
        cr_assert_eq(memcmp(list[0] + at, list[1] + at, 80 * (size_t)l[0].cells), 0);
    }
    cr_assert_eq(htmt__nbody_pack(&whole, &boxes, message, 10000, &own.effort).nodes, UINT32_MAX);
    fell(&all);
    fell(&own);
    fell(&other);
    free(body);
    free(part);
    free(message);
    free(list[0]);
    free(list[1]);
}

/* A tree of one slice is built by branches or at once: the moments of its root are those of all. */
Test(nbody_tree, the_root_has_the_moments_of_all_bodies)
{
    enum { N = 5000 };
    struct htmt__nbody_body *body = malloc(N * sizeof *body);
    struct planted t;
    sphere(6, N, body);
    plant(&t, body, N, 0.7, true, 64);
    const struct htmt__nbody_node *root = &t.node[t.b->root];
    double m = 0, q[6] = {0};
    cr_assert(t.b->count > 20);
    for (unsigned i = 0; i < N; i++) {
        const double *x = body[i].x,
                     s[3] = {x[0] - root->x[0], x[1] - root->x[1], x[2] - root->x[2]},
                     s2 = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
        const double of[6] = {3 * s[0] * s[0] - s2, 3 * s[0] * s[1], 3 * s[0] * s[2],
                              3 * s[1] * s[1] - s2, 3 * s[1] * s[2], 3 * s[2] * s[2] - s2};
        m += body[i].m;
        for (unsigned k = 0; k < 6; k++)
            q[k] += body[i].m * of[k];
    }
    cr_assert_float_eq(root->m, m, 1e-12);
    for (unsigned k = 0; k < 6; k++)
        cr_assert_float_eq(root->q[k], q[k], 1e-12);
    for (unsigned c = 0; c < 3; c++)
        cr_assert_float_eq(root->x[c], 0, 1e-14);
    fell(&t);
    free(body);
}

/* ---- interactions --------------------------------------------------------------------------- */

static double interactions(uint32_t n)
{
    struct htmt__nbody_body *body = malloc(n * sizeof *body);
    struct planted t;
    cr_assert(body);
    sphere(1, n, body);
    plant(&t, body, n, 0.7, true, 64);
    cr_assert_eq(t.shape.k, 5, "the root is [-32, 32)^3");
    count_lists(&t, WHOLE);
    const double each = (double)t.entries / n;
    fell(&t);
    free(body);
    return each;
}

Test(nbody_tree, bodies_of_a_sphere_of_40000_have_1671_interactions_each)
{
    if (only_memory())
        cr_skip_test("numbers alone");
    cr_assert_float_eq(interactions(40000) / 1671, 1, 0.05);
}
