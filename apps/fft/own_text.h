/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The passes of own.c, for numbers of type REAL; OWN(name) is a name of that type. x, y and root
 * are complex numbers: real part, imaginary part.
 */

/* y += z w. */
static inline void OWN(add_product)(REAL y[2], const REAL z[2], const REAL w[2])
{
    y[0] += z[0] * w[0] - z[1] * w[1];
    y[1] += z[0] * w[1] + z[1] * w[0];
}

static void OWN(pass_2)(const REAL *root, uint64_t m, uint64_t s, const REAL *x, REAL *y)
{
    for (uint64_t p = 0; p < m; p++)
        for (uint64_t q = 0; q < s; q++) {
            const REAL *w = root + 2 * p * s, *a = x + 2 * (q + s * p), *b = a + 2 * s * m;
            REAL *to = y + 2 * (q + s * 2 * p);
            const REAL re = a[0] - b[0], im = a[1] - b[1];
            to[0] = a[0] + b[0];
            to[1] = a[1] + b[1];
            to[2 * s] = re * w[0] - im * w[1];
            to[2 * s + 1] = re * w[1] + im * w[0];
        }
}

/* `turn`: 1 forward, where the fourth root of 1 is -i, and -1 backward. */
static void OWN(pass_4)(const REAL *root, uint64_t m, uint64_t s, REAL turn, const REAL *x, REAL *y)
{
    for (uint64_t p = 0; p < m; p++) {
        const REAL *w1 = root + 2 * p * s, *w2 = w1 + 2 * p * s, *w3 = w2 + 2 * p * s;
        for (uint64_t q = 0; q < s; q++) {
            const REAL *a = x + 2 * (q + s * p), *b = a + 2 * s * m, *c = b + 2 * s * m,
                       *d = c + 2 * s * m;
            REAL *to = y + 2 * (q + s * 4 * p);
            const REAL sum[2] = {a[0] + c[0], a[1] + c[1]}, less[2] = {a[0] - c[0], a[1] - c[1]};
            const REAL other[2] = {b[0] + d[0], b[1] + d[1]};
            const REAL side[2] = {turn * (b[1] - d[1]), turn * (d[0] - b[0])};
            const REAL z1[2] = {less[0] + side[0], less[1] + side[1]};
            const REAL z2[2] = {sum[0] - other[0], sum[1] - other[1]};
            const REAL z3[2] = {less[0] - side[0], less[1] - side[1]};
            to[0] = sum[0] + other[0];
            to[1] = sum[1] + other[1];
            to[2 * s] = z1[0] * w1[0] - z1[1] * w1[1];
            to[2 * s + 1] = z1[0] * w1[1] + z1[1] * w1[0];
            to[4 * s] = z2[0] * w2[0] - z2[1] * w2[1];
            to[4 * s + 1] = z2[0] * w2[1] + z2[1] * w2[0];
            to[6 * s] = z3[0] * w3[0] - z3[1] * w3[1];
            to[6 * s + 1] = z3[0] * w3[1] + z3[1] * w3[0];
        }
    }
}

/* Any radix, by its definition. */
static void OWN(pass_of)(const REAL *root, uint64_t radix, uint64_t m, uint64_t s, const REAL *x,
                         REAL *y)
{
    for (uint64_t p = 0; p < m; p++)
        for (uint64_t j = 0; j < radix; j++) {
            const REAL *w = root + 2 * p * j * s;
            for (uint64_t q = 0; q < s; q++) {
                const REAL *a = x + 2 * (q + s * p);
                REAL *to = y + 2 * (q + s * (radix * p + j)), sum[2] = {a[0], a[1]};
                for (uint64_t k = 1, turn = j; k < radix; k++) {
                    OWN(add_product)(sum, a + 2 * k * s * m, root + 2 * turn * s * m);
                    turn = turn + j < radix ? turn + j : turn + j - radix;
                }
                to[0] = to[1] = 0;
                OWN(add_product)(to, sum, w);
            }
        }
}

/* One transform; the result lies in x or in y. */
static REAL *OWN(passes)(const struct htmt__fft_own *f, REAL *x, REAL *y)
{
    const REAL *root = (const REAL *)(const void *)f->root;
    uint64_t n = f->shape.length, s = 1;
    for (uint32_t i = 0; i < f->passes; i++) {
        const uint64_t radix = f->radix[i], m = n / radix;
        if (radix == 4)
            OWN(pass_4)(root, m, s, f->shape.backward ? -1 : 1, x, y);
        else if (radix == 2)
            OWN(pass_2)(root, m, s, x, y);
        else
            OWN(pass_of)(root, radix, m, s, x, y);
        REAL *const done = y;
        y = x;
        x = done;
        n = m;
        s *= radix;
    }
    return x;
}

/* All transforms; `room` is of two. Points side by side are transformed where they are. */
static void OWN(transforms)(const struct htmt__fft_own *f, REAL *at, REAL *room)
{
    const struct htmt__fft_shape *s = &f->shape;
    REAL *const second = room + 2 * (uint64_t)s->length;
    for (uint64_t i = 0; i < s->count; i++) {
        REAL *first = at + 2 * i * s->distance, *x = s->stride == 1 ? first : second;
        for (uint64_t k = 0; k < s->length && x == second; k++) {
            x[2 * k] = first[2 * k * s->stride];
            x[2 * k + 1] = first[2 * k * s->stride + 1];
        }
        const REAL *from = OWN(passes)(f, x, room);
        for (uint64_t k = 0; k < s->length && from != first; k++) {
            first[2 * k * s->stride] = from[2 * k];
            first[2 * k * s->stride + 1] = from[2 * k + 1];
        }
    }
}

static void OWN(roots)(const struct htmt__fft_shape *s, REAL *root)
{
    for (uint32_t k = 0; k < s->length; k++) {
        const double angle = 2 * M_PI * k / s->length;
        root[2 * k] = (REAL)cos(angle);
        root[2 * k + 1] = (REAL)(s->backward ? sin(angle) : -sin(angle));
    }
}
