/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernels of deposit and push: their contracts, their counts, and that every way to compile
 * their text gives the same.
 */
#include "apps/pic/kernels.h"
#include "tests/pic/counting.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT  1000
#define POINTS (7 * 6 * 5) /* of the block's tile, guard points included */

/* A block in the middle of a box, and one at its corner. */
static const struct htmt__pic_box blocks[] = {{{3, 2, 6}, {5, 4, 3}}, {{0, 12, 0}, {5, 4, 3}}};
static const double box[3] = {16, 16, 16};

static double dice(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

static void fill(struct htmt__pic_particle *p, const struct htmt__pic_box *b, double speed)
{
    uint64_t state = 1;
    for (int i = 0; i < COUNT; i++)
        p[i] = (struct htmt__pic_particle){
            b->lo[0] + b->n[0] * dice(&state), b->lo[1] + b->n[1] * dice(&state),
            b->lo[2] + b->n[2] * dice(&state), speed * (dice(&state) - 0.5),
            speed * (dice(&state) - 0.5),      speed * (dice(&state) - 0.5)};
}

static struct htmt__pic_motion motion_in(const struct htmt__pic_box *b)
{
    struct htmt__pic_motion m = {
        .n = {box[0], box[1], box[2]}, .before = -0.05, .after = -0.05, .dt = 0.1};
    for (int axis = 0; axis < 3; axis++) {
        m.lo[axis] = b->lo[axis];
        m.hi[axis] = b->lo[axis] + b->n[axis];
    }
    return m;
}

/* E of a point with these coordinates, counted from the block's first guard point. */
static double field(int axis, const double at[3])
{
    return 0.3 * (axis + 1) + 0.2 * at[axis] - 0.1 * at[(axis + 1) % 3];
}

static void fill_field(double *tile)
{
    for (int i = 0; i < POINTS; i++)
        for (int axis = 0; axis < 3; axis++)
            tile[3 * i + axis] = field(axis, (const double[]){i % 7, i / 7 % 6, i / 7 / 6});
}

/* ---- contracts ------------------------------------------------------------------------------ */

/* Quadratic splines give back sums, first moments, and second moments with 1/4 more. */
Test(kernels, deposit_keeps_the_moments_of_the_charge)
{
    for (int which = 0; which < 2; which++) {
        const struct htmt__pic_box *b = &blocks[which];
        struct htmt__pic_particle p[COUNT];
        double tile[POINTS] = {0}, sum = 0, first = 0, second = 0, x1 = 0, x2 = 0;
        fill(p, b, 1);
        htmt__pic_deposit(p, COUNT, b, -0.5, tile);
        for (int i = 0; i < POINTS; i++) {
            double y = b->lo[1] - 0.5 + i / 7 % 6;
            sum += tile[i];
            first += tile[i] * y;
            second += tile[i] * y * y;
        }
        for (int i = 0; i < COUNT; i++) {
            x1 += -0.5 * p[i].y;
            x2 += -0.5 * (p[i].y * p[i].y + 0.25);
        }
        cr_expect_float_eq(sum, -0.5 * COUNT, 1e-10);
        cr_expect_float_eq(first, x1, 1e-9 * fabs(x1));
        cr_expect_float_eq(second, x2, 1e-9 * fabs(x2));
    }
}

/* Towards the middle of the block, so that nobody leaves. */
static void huddle(struct htmt__pic_particle *p, const struct htmt__pic_box *b)
{
    for (int i = 0; i < COUNT; i++) {
        p[i].x = b->lo[0] + 0.25 * b->n[0] + 0.5 * (p[i].x - b->lo[0]);
        p[i].y = b->lo[1] + 0.25 * b->n[1] + 0.5 * (p[i].y - b->lo[1]);
        p[i].z = b->lo[2] + 0.25 * b->n[2] + 0.5 * (p[i].z - b->lo[2]);
    }
}

/* A coordinate after the step, and its velocity: p is before, q after. */
static double expect_axis(double p, double vp, double q, double vq, double e,
                          const struct htmt__pic_motion *m)
{
    double v = vp + m->before * e;
    cr_assert_float_eq(vq, v + m->after * e, 1e-13);
    cr_assert_float_eq(q, p + m->dt * vq, 1e-13);
    return v * v;
}

/* Splines also give back a field that is linear. */
Test(kernels, push_is_leapfrog_in_a_linear_field)
{
    const struct htmt__pic_box *b = &blocks[0];
    const struct htmt__pic_motion m = motion_in(b);
    struct htmt__pic_particle p[COUNT], q[COUNT];
    double tile[3 * POINTS], square = 0;
    uint64_t left[(COUNT + 63) / 64];
    struct htmt__pic_pushed out;
    fill_field(tile);
    fill(p, b, 1);
    huddle(p, b);
    memcpy(q, p, sizeof p);
    htmt__pic_push(q, COUNT, tile, b, &m, left, &out);
    cr_assert_eq(out.stay, COUNT);
    for (int i = 0; i < COUNT; i++) {
        const double at[3] = {p[i].x - b->lo[0] + 0.5, p[i].y - b->lo[1] + 0.5,
                              p[i].z - b->lo[2] + 0.5};
        square += expect_axis(p[i].x, p[i].vx, q[i].x, q[i].vx, field(0, at), &m);
        square += expect_axis(p[i].y, p[i].vy, q[i].y, q[i].vy, field(1, at), &m);
        square += expect_axis(p[i].z, p[i].vz, q[i].z, q[i].vz, field(2, at), &m);
    }
    cr_expect_float_eq(out.square[0] + out.square[1] + out.square[2], square, 1e-9);
}

static bool inside(const struct htmt__pic_particle *q, const struct htmt__pic_motion *m)
{
    return q->x >= m->lo[0] && q->x < m->hi[0] && q->y >= m->lo[1] && q->y < m->hi[1] &&
           q->z >= m->lo[2] && q->z < m->hi[2];
}

/* Without a field velocities stay, and tell who is who. */
Test(kernels, push_parts_those_that_leave_from_those_that_stay)
{
    for (int which = 0; which < 2; which++) {
        const struct htmt__pic_box *b = &blocks[which];
        const struct htmt__pic_motion m = motion_in(b);
        struct htmt__pic_particle p[COUNT];
        double zero[3 * POINTS] = {0};
        uint64_t left[(COUNT + 63) / 64];
        bool seen[COUNT] = {false};
        struct htmt__pic_pushed out;
        fill(p, b, 20);
        for (int i = 0; i < COUNT; i++)
            p[i].vx = i * 0.01;
        htmt__pic_push(p, COUNT, zero, b, &m, left, &out);
        cr_assert(out.count == COUNT && out.stay > 100 && out.stay < COUNT - 100);
        for (uint64_t i = 0; i < COUNT; i++) {
            int who = (int)(p[i].vx / 0.01 + 0.5);
            cr_assert(!seen[who], "%d is there twice", who);
            seen[who] = true;
            cr_assert_eq(inside(&p[i], &m), i < out.stay);
            cr_assert(p[i].x >= 0 && p[i].x < box[0] && p[i].y >= 0 && p[i].y < box[1] &&
                      p[i].z >= 0 && p[i].z < box[2]);
        }
    }
}

/* More than are listed at once, in more cells than are listed at once; nobody leaves. */
Test(kernels, push_everybody_as_if_nobody_else_were_there)
{
    enum { MANY = 40000, AXES = 3 };
    const struct htmt__pic_box b = {{3, 2, 6}, {20, 30, 17}};
    const uint64_t points = UINT64_C(22) * 32 * 19;
    struct htmt__pic_motion m = motion_in(&b);
    struct htmt__pic_particle *p = calloc(MANY, sizeof *p), *q = calloc(MANY, sizeof *q);
    double *f = calloc(AXES * points, sizeof *f);
    uint64_t left[(MANY + 63) / 64], state = 7;
    struct htmt__pic_pushed out, one;
    for (uint64_t i = 0; i < AXES * points; i++)
        f[i] = dice(&state) - 0.5;
    for (int i = 0; i < MANY; i++)
        p[i] = q[i] = (struct htmt__pic_particle){3.5 + 19 * dice(&state), 2.5 + 29 * dice(&state),
                                                  6.5 + 16 * dice(&state), dice(&state),
                                                  -dice(&state),           0};
    htmt__pic_push(p, MANY, f, &b, &m, left, &out);
    cr_assert_eq(out.stay, MANY);
    for (int i = 0; i < MANY; i += 17) {
        htmt__pic_push(&q[i], 1, f, &b, &m, left, &one);
        for (int axis = 0; axis < AXES; axis++)
            cr_assert_float_eq((&p[i].x)[axis], (&q[i].x)[axis], 1e-12, "particle %d", i);
    }
    free(p);
    free(q);
    free(f);
}

/* ---- counts --------------------------------------------------------------------------------- */

/* Particles at rest in no field: nobody leaves. */
Test(kernels, charge_what_their_text_does)
{
    const struct htmt__pic_box *b = &blocks[0];
    const struct htmt__pic_motion m = motion_in(b);
    struct htmt__pic_particle p[COUNT] = {0};
    double tile[POINTS] = {0}, zero[3 * POINTS] = {0};
    uint64_t left[(COUNT + 63) / 64];
    struct htmt__pic_pushed out;
    struct counts c;
    fill(p, b, 0);
    count_deposit(p, COUNT, b, 1, tile, &c);
    cr_expect_eq(c.flop, HTMT__PIC_DEPOSIT_FLOP * COUNT, "%g flop", (double)c.flop / COUNT);
    cr_expect_eq(c.loads, HTMT__PIC_DEPOSIT_LOADS * COUNT, "%g loads", (double)c.loads / COUNT);
    cr_expect_eq(c.stores, HTMT__PIC_DEPOSIT_STORES * COUNT, "%g stores", (double)c.stores / COUNT);
    count_push(p, COUNT, zero, b, &m, left, &out, &c);
    cr_expect_eq(out.stay, COUNT);
    cr_expect_eq(c.flop, HTMT__PIC_PUSH_FLOP * COUNT, "%g flop", (double)c.flop / COUNT);
    cr_expect_eq(c.loads, HTMT__PIC_PUSH_LOADS * COUNT, "%g loads", (double)c.loads / COUNT);
    cr_expect_eq(c.stores, HTMT__PIC_PUSH_STORES * COUNT, "%g stores", (double)c.stores / COUNT);
}

/* ---- every compilation ---------------------------------------------------------------------- */

static void expect_near(const double *a, const double *b, size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++)
        cr_assert_float_eq(a[i], b[i], 1e-12, "%s %zu: %.17g, %.17g", what, i, a[i], b[i]);
}

/* Those of this host against plain numbers, with many that leave, also over the edge of the box,
 * and numbers of particles that fill no batch. */
Test(kernels, give_the_same_on_every_instruction_set)
{
    for (uint64_t count = 0; count <= COUNT; count += count < 5 ? 1 : 199)
        for (int which = 0; which < 2; which++) {
            const struct htmt__pic_box *b = &blocks[which];
            const struct htmt__pic_motion m = motion_in(b);
            struct htmt__pic_particle p[COUNT] = {0}, q[COUNT];
            double tile[2][POINTS] = {0}, f[3 * POINTS] = {0};
            uint64_t left[(COUNT + 63) / 64];
            struct htmt__pic_pushed out[2];
            struct counts c;
            fill(p, b, 20);
            memcpy(q, p, sizeof p);
            fill_field(f);
            htmt__pic_deposit(p, count, b, 0.7, tile[0]);
            count_deposit(p, count, b, 0.7, tile[1], &c);
            expect_near(tile[0], tile[1], POINTS, "charge");
            htmt__pic_push(p, count, f, b, &m, left, &out[0]);
            count_push(q, count, f, b, &m, left, &out[1], &c);
            cr_assert_eq(out[0].stay, out[1].stay);
            cr_assert(count < 200 || (out[0].stay > count / 4 && out[0].stay < count - count / 4));
            expect_near(&p->x, &q->x, 6 * count, "particle");
            for (int axis = 0; axis < 3; axis++) {
                cr_expect_float_eq(out[0].square[axis], out[1].square[axis], 1e-8);
                cr_expect_float_eq(out[0].velocity[axis], out[1].velocity[axis], 1e-9);
            }
        }
}
