/* SPDX-License-Identifier: BSD-3-Clause
 *
 * C++ for its operators alone; nothing of its library is used.
 */
#include "tests/pic/counting.h"

#include <string.h>

namespace
{

struct counts done;

struct real {
    double v;
    real() = default;
    real(double x) : v(x) {}
};

/* One particle at a time. */
typedef real lanes;
const uint32_t LANES = 1, EVERY_LANE = 1;

real done_with(double v)
{
    done.flop++;
    return real(v);
}

real operator+(real a, real b)
{
    return done_with(a.v + b.v);
}

real operator-(real a, real b)
{
    return done_with(a.v - b.v);
}

real operator*(real a, real b)
{
    return done_with(a.v * b.v);
}

real load(const real *p)
{
    done.loads++;
    return *p;
}

void add(real *p, real v)
{
    done.loads++;
    done.stores++;
    *p = *p + v;
}

real first(real x)
{
    return x;
}

real total(real x)
{
    return x;
}

real living(real v, uint32_t n)
{
    return n ? v : real(0);
}

void take3(const real *q, const uint32_t *who, real x[3])
{
    for (int i = 0; i < 3; i++)
        x[i] = load(q + who[0] + i);
}

void take6(const real *q, const uint32_t *who, real x[3], real v[3])
{
    take3(q, who, x);
    take3(q + 3, who, v);
}

void put6(real *q, const uint32_t *who, const real x[3], const real v[3])
{
    done.stores += 6;
    for (uint32_t i = 0; i < 3; i++) {
        q[who[0] + i] = x[i];
        q[who[0] + 3 + i] = v[i];
    }
}

/* What adding lanes up costs the host is not counted. */
void give3(real *p, const real v[3])
{
    for (int i = 0; i < 3; i++)
        p[i].v += v[i].v;
}

uint32_t within(uint32_t bits, real v, double lo, double hi)
{
    return v.v >= lo && v.v < hi ? bits : 0;
}

void cells_of(const real x[3], const uint32_t lo[3], const uint32_t n[3], uint32_t *cell)
{
    uint32_t at[3];
    for (int a = 0; a < 3; a++)
        at[a] = uint32_t(x[a].v) - lo[a];
    *cell = (at[2] * n[1] + at[1]) * n[0] + at[0];
}

#define INLINE static inline
#define EACH_AXIS
#define TEXT(name) counting_##name
#include "apps/pic/kernel_text.h"

/* An array of doubles, looked at as numbers that count. */
const real *reals(const void *p)
{
    return static_cast<const real *>(p);
}

real *reals(void *p)
{
    return static_cast<real *>(p);
}

} // namespace

void count_deposit(const struct htmt__pic_particle *particle, uint64_t count,
                   const struct htmt__pic_box *box, double charge, double *tile,
                   struct counts *counts)
{
    done = {0, 0, 0};
    counting_deposit(reals(particle), count, box, charge, reals(tile));
    *counts = done;
}

void count_push(struct htmt__pic_particle *particle, uint64_t count, const double *tile,
                const struct htmt__pic_box *box, const struct htmt__pic_motion *motion,
                uint64_t *left, struct htmt__pic_pushed *out, struct counts *counts)
{
    real sums[6];
    done = {0, 0, 0};
    memset(left, 0, (count + 63) / 64 * sizeof *left);
    counting_push(reals(particle), count, reals(tile), box, motion, left, sums);
    out->stay = htmt__pic_set_apart(particle, count, left, motion->n);
    out->count = count;
    for (int i = 0; i < 3; i++) {
        out->square[i] = sums[i].v;
        out->velocity[i] = sums[3 + i].v;
    }
    *counts = done;
}
