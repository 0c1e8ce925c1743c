/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernel text with double, for any processor and for those with AVX2 and FMA. (Vectors of the
 * language are cut to what a function's target has before functions are cloned, so that
 * target_clones would leave them short; hence the text is compiled twice.)
 */
#include "apps/pic/kernels.h"

#include <string.h>

/* The functions that have vectors in their signatures are inlined everywhere. */
#pragma GCC diagnostic ignored "-Wpsabi"

typedef double real;
typedef double real4 __attribute__((vector_size(32)));
typedef double real4_anywhere __attribute__((vector_size(32), aligned(8), may_alias));
typedef int int4 __attribute__((vector_size(16)));
typedef long long mask4 __attribute__((vector_size(32)));

#define load4(p)     (*(const real4_anywhere *)(p))
#define store4(p, v) (*(real4_anywhere *)(p) = (v))
#define store3(p, v)                                                                               \
    do {                                                                                           \
        real4 v_ = (v);                                                                            \
        memcpy(p, &v_, 2 * sizeof *(p));                                                           \
        (p)[2] = v_[2];                                                                            \
    } while (0)
#define turn4(v)  __builtin_shuffle(v, (mask4){1, 2, 3, 0})
#define cells4(v) __builtin_convertvector(v, int4)
#define reals4(c) __builtin_convertvector(c, real4)
#define wrap4(v, n)                                                                                \
    __extension__({                                                                                \
        real4 x_ = (v), zero_ = {0, 0, 0, 0};                                                      \
        x_ = x_ + masked(x_ < zero_, (n));                                                         \
        x_ - masked(x_ >= (n), n);                                                                 \
    })
#define masked(condition, v) ((real4)((mask4)(condition) & (mask4)(v)))
/* What is no number is outside. */
#define outside3(v, lo, hi) (!all3((mask4)((v) >= (lo)) & (mask4)((v) < (hi))))

#define all3(m)    (((m)[0] & (m)[1] & (m)[2]) != 0)
#define TEXT(name) generic_##name
#include "apps/pic/kernel_text.h"
#undef TEXT
#undef all3

#ifdef __x86_64__
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define all3(m)    ((__builtin_ia32_movmskpd256((real4)(m)) & 7) == 7)
#define TEXT(name) avx2_##name
#include "apps/pic/kernel_text.h"
#undef TEXT
#pragma GCC pop_options

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
#define avx2_deposit generic_deposit
#define avx2_push    generic_push

static bool has_avx2(void)
{
    return false;
}
#endif

void htmt__pic_deposit(const struct htmt__pic_particle *particle, uint64_t count,
                       const struct htmt__pic_box *box, double charge, double *tile)
{
    if (has_avx2())
        avx2_deposit(&particle->x, count, box, charge, tile);
    else
        generic_deposit(&particle->x, count, box, charge, tile);
}

void htmt__pic_push(struct htmt__pic_particle *particle, uint64_t count, const double *tile,
                    const struct htmt__pic_box *box, const struct htmt__pic_motion *motion,
                    uint64_t *left, struct htmt__pic_pushed *out)
{
    double sums[6];
    out->count = count;
    out->stay = has_avx2() ? avx2_push(&particle->x, count, tile, box, motion, left, sums)
                           : generic_push(&particle->x, count, tile, box, motion, left, sums);
    memcpy(out->square, sums, sizeof out->square);
    memcpy(out->velocity, sums + 3, sizeof out->velocity);
}

const char *htmt__pic_kernel_set(void)
{
    return has_avx2() ? "AVX2" : "generic";
}
