/* SPDX-License-Identifier: BSD-3-Clause
 *
 * C++ for its operators alone; nothing of its library is used.
 */
#include "tests/pic/counting.h"

namespace
{

struct counts done;

struct real {
    double v;
    real() = default;
    real(double x) : v(x)
    {
    }
};

/* Of four numbers three are looked at. */
struct real4 {
    double v[4];
    real operator[](int i) const
    {
        return v[i];
    }
};

struct int4 {
    int v[4];
    int operator[](int i) const
    {
        return v[i];
    }
};

template <typename operation> real4 each(operation f)
{
    done.flop += 3;
    return {{f(0), f(1), f(2), f(3)}};
}

real4 operator+(const real4 &a, const real4 &b)
{
    return each([&](int i) { return a.v[i] + b.v[i]; });
}

real4 operator-(const real4 &a, const real4 &b)
{
    return each([&](int i) { return a.v[i] - b.v[i]; });
}

real4 operator*(const real4 &a, const real4 &b)
{
    return each([&](int i) { return a.v[i] * b.v[i]; });
}

real4 operator*(real a, const real4 &b)
{
    return each([&](int i) { return a.v * b.v[i]; });
}

real4 load4(const real *p)
{
    done.loads += 3;
    return {{p[0].v, p[1].v, p[2].v, p[3].v}};
}

void store3(real *p, const real4 &v)
{
    done.stores += 3;
    for (int i = 0; i < 3; i++)
        p[i] = v.v[i];
}

void store4(real *p, const real4 &v)
{
    store3(p, v);
    p[3] = v.v[3];
}

real4 turn4(const real4 &v)
{
    return {{v.v[1], v.v[2], v.v[3], v.v[0]}};
}

int4 cells4(const real4 &v)
{
    return {{static_cast<int>(v.v[0]), static_cast<int>(v.v[1]), static_cast<int>(v.v[2]), 0}};
}

real4 reals4(const int4 &c)
{
    return {{double(c.v[0]), double(c.v[1]), double(c.v[2]), double(c.v[3])}};
}

real4 wrap4(real4 v, const real4 &n)
{
    for (int i = 0; i < 4; i++) {
        v.v[i] = v.v[i] < 0 ? v.v[i] + n.v[i] : v.v[i];
        v.v[i] = v.v[i] >= n.v[i] ? v.v[i] - n.v[i] : v.v[i];
    }
    return v;
}

bool outside3(const real4 &v, const real4 &lo, const real4 &hi)
{
    bool any = false;
    for (int i = 0; i < 3; i++)
        any = any || v.v[i] < lo.v[i] || v.v[i] >= hi.v[i];
    return any;
}

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
    out->stay = counting_push(reals(particle), count, reals(tile), box, motion, left, sums);
    out->count = count;
    for (int i = 0; i < 3; i++) {
        out->square[i] = sums[i].v;
        out->velocity[i] = sums[3 + i].v;
    }
    *counts = done;
}
