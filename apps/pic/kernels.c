/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernel text with double: for any processor, for processors with AVX2 and FMA, and for those
 * with AVX-512. The text is compiled three times because vectors of the language are cut to a
 * function's target before functions are cloned, so target_clones would leave them short.
 */
#include "apps/pic/kernels.h"

#include "apps/pic/cell_list.h"

#include <string.h>

/* The functions that have vectors in their signatures are inlined everywhere. */
#pragma GCC diagnostic ignored "-Wpsabi"

typedef double real;
typedef double pair __attribute__((vector_size(16)));
typedef double pair_anywhere __attribute__((vector_size(16), aligned(8), may_alias));
typedef double quad __attribute__((vector_size(32)));

#define INLINE        static inline __attribute__((always_inline))
#define EVERY_LANE    ((1u << LANES) - 1)
#define EACH_AXIS     _Pragma("GCC unroll 3")
#define pair_at(q, i) (*(pair_anywhere *)((q) + (i)))
#define quad_at(q, i, j)                                                                           \
    _mm256_insertf128_pd(_mm256_castpd128_pd256(pair_at(q, i)), pair_at(q, j), 1)
#define load(p)   (*(p))
#define add(p, v) (*(p) += (v))
#define first(x)  ((lanes){x})
#define lanes     TEXT(lanes)
#define living    TEXT(living)
#define total     TEXT(total)
#define take3     TEXT(take3)
#define take6     TEXT(take6)
#define put6      TEXT(put6)
#define give3     TEXT(give3)
#define cells_of  TEXT(cells_of)
#define within    TEXT(within)

#define LANES      2
#define TEXT(name) generic_##name
#include "apps/pic/kernel_lanes.h"

#include "apps/pic/kernel_text.h"
#undef TEXT
#undef LANES

/* A recording must not depend on the host, so it has the first text alone. */
#if defined __x86_64__ && !defined HTMT_RECORDED
#define BY_PROCESSOR 1
#include <immintrin.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#define LANES      4
#define TEXT(name) avx2_##name
#include "apps/pic/kernel_lanes.h"

#include "apps/pic/kernel_text.h"
#undef TEXT
#undef LANES
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"))),        \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma")
#endif
#define LANES      8
#define TEXT(name) avx512_##name
#include "apps/pic/kernel_lanes.h"

#include "apps/pic/kernel_text.h"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

struct kernel_set {
    const char *name;
    void (*deposit)(const real *particle, uint64_t count, const struct htmt__pic_box *box,
                    real charge, real *tile);
    void (*push)(real *particle, uint64_t count, const real *tile, const struct htmt__pic_box *box,
                 const struct htmt__pic_motion *motion, uint64_t *left, real *sums);
};

static const struct kernel_set generic = {"generic", generic_deposit, generic_push};
#ifdef BY_PROCESSOR
static const struct kernel_set avx2 = {"AVX2", avx2_deposit, avx2_push};
static const struct kernel_set avx512 = {"AVX-512", avx512_deposit, avx512_push};
#endif

static const struct kernel_set *set(void)
{
#ifdef BY_PROCESSOR
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return &avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &avx2;
#endif
    return &generic;
}

/* Bring x back into [0, n); x is not further outside than n. */
static double wrap(double x, double n)
{
    x = x < 0 ? x + n : x;
    return x >= n ? x - n : x;
}

uint64_t htmt__pic_set_apart(struct htmt__pic_particle *particle, uint64_t count,
                             const uint64_t *left, const double n[3])
{
    for (uint64_t i = (count + 63) / 64; i-- > 0;)
        for (uint64_t bits = left[i]; bits;) {
            const uint64_t bit = 63u - (uint64_t)__builtin_clzll(bits);
            bits -= UINT64_C(1) << bit;
            struct htmt__pic_particle *q = &particle[64 * i + bit], gone = *q;
            *q = particle[--count];
            particle[count] = (struct htmt__pic_particle){wrap(gone.x, n[0]),
                                                          wrap(gone.y, n[1]),
                                                          wrap(gone.z, n[2]),
                                                          gone.vx,
                                                          gone.vy,
                                                          gone.vz};
        }
    return count;
}

void htmt__pic_deposit(const struct htmt__pic_particle *particle, uint64_t count,
                       const struct htmt__pic_box *box, double charge, double *tile)
{
    set()->deposit(&particle->x, count, box, charge, tile);
}

void htmt__pic_push(struct htmt__pic_particle *particle, uint64_t count, const double *tile,
                    const struct htmt__pic_box *box, const struct htmt__pic_motion *motion,
                    uint64_t *left, struct htmt__pic_pushed *out)
{
    double sums[6];
    memset(left, 0, (count + 63) / 64 * sizeof *left);
    set()->push(&particle->x, count, tile, box, motion, left, sums);
    out->count = count;
    out->stay = htmt__pic_set_apart(particle, count, left, motion->n);
    memcpy(out->square, sums, sizeof out->square);
    memcpy(out->velocity, sums + 3, sizeof out->velocity);
}

const char *htmt__pic_kernel_set(void)
{
    return set()->name;
}
