/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kernel text needs of vectors of LANES doubles: 2, 4 or 8. No include guard: kernels.c
 * includes it for each.
 *
 * A particle is three pairs of words. A vector of pairs is those of every second particle; two such
 * vectors, zipped, are two words of all.
 */
#undef LOW
#undef HIGH
#undef ORDER
#if LANES == 2
#define LOW   0, 2
#define HIGH  1, 3
#define ORDER 0, 1
#elif LANES == 4
#define LOW   0, 4, 2, 6
#define HIGH  1, 5, 3, 7
#define ORDER 0, 1, 2, 3
#else
#define LOW   0, 8, 2, 10, 4, 12, 6, 14
#define HIGH  1, 9, 3, 11, 5, 13, 7, 15
#define ORDER 0, 1, 2, 3, 4, 5, 6, 7
#endif

typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef int32_t TEXT(narrow) __attribute__((vector_size(4 * LANES)));
typedef uint32_t TEXT(whole) __attribute__((vector_size(4 * LANES)));
typedef int64_t TEXT(bits) __attribute__((vector_size(8 * LANES)));

INLINE lanes TEXT(living)(lanes v, uint32_t n)
{
    const TEXT(bits) order = {ORDER};
    return (lanes)((TEXT(bits))v & (order < n));
}

/* The pairs at q of particles who[0], who[2]... */
INLINE lanes TEXT(pairs)(const real *q, const uint32_t *who)
{
#if LANES == 2
    return pair_at(q, who[0]);
#elif LANES == 4
    return quad_at(q, who[0], who[2]);
#else
    const quad low = quad_at(q, who[0], who[2]), high = quad_at(q, who[4], who[6]);
    return _mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1);
#endif
}

INLINE void TEXT(put_pairs)(real *q, const uint32_t *who, lanes v)
{
#if LANES == 2
    pair_at(q, who[0]) = v;
#elif LANES == 4
    pair_at(q, who[0]) = _mm256_castpd256_pd128(v);
    pair_at(q, who[2]) = _mm256_extractf128_pd(v, 1);
#else
    pair_at(q, who[0]) = _mm512_castpd512_pd128(v);
    pair_at(q, who[2]) = _mm512_extractf64x2_pd(v, 1);
    pair_at(q, who[4]) = _mm512_extractf64x2_pd(v, 2);
    pair_at(q, who[6]) = _mm512_extractf64x2_pd(v, 3);
#endif
}

INLINE void TEXT(take)(const real *q, const uint32_t *who, lanes *first, lanes *second)
{
    const lanes even = TEXT(pairs)(q, who), odd = TEXT(pairs)(q, who + 1);
    *first = __builtin_shufflevector(even, odd, LOW);
    *second = __builtin_shufflevector(even, odd, HIGH);
}

INLINE void TEXT(put)(real *q, const uint32_t *who, lanes first, lanes second)
{
    TEXT(put_pairs)(q, who, __builtin_shufflevector(first, second, LOW));
    TEXT(put_pairs)(q, who + 1, __builtin_shufflevector(first, second, HIGH));
}

INLINE void TEXT(take3)(const real *q, const uint32_t *who, lanes x[3])
{
    lanes unused;
    TEXT(take)(q, who, &x[0], &x[1]);
    TEXT(take)(q + 2, who, &x[2], &unused);
}

INLINE void TEXT(take6)(const real *q, const uint32_t *who, lanes x[3], lanes v[3])
{
    TEXT(take)(q, who, &x[0], &x[1]);
    TEXT(take)(q + 2, who, &x[2], &v[0]);
    TEXT(take)(q + 4, who, &v[1], &v[2]);
}

INLINE void TEXT(put6)(real *q, const uint32_t *who, const lanes x[3], const lanes v[3])
{
    TEXT(put)(q, who, x[0], x[1]);
    TEXT(put)(q + 2, who, x[2], v[0]);
    TEXT(put)(q + 4, who, v[1], v[2]);
}

INLINE void TEXT(cells_of)(const lanes x[3], const uint32_t lo[3], const uint32_t n[3],
                           uint32_t *cell)
{
    const uint32_t corner = (lo[2] * n[1] + lo[1]) * n[0] + lo[0];
    TEXT(whole) at[3];
    for (int a = 0; a < 3; a++)
        at[a] = (TEXT(whole)) __builtin_convertvector(x[a], TEXT(narrow));
    at[0] += n[0] * (at[1] + n[1] * at[2]) - corner;
    memcpy(cell, &at[0], sizeof at[0]);
}

/* The sum of all lanes, those with even and those with odd numbers apart. */
INLINE pair TEXT(halves)(lanes v)
{
#if LANES == 8
    const quad half =
        __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
#elif LANES == 4
    const quad half = v;
#endif
#if LANES > 2
    return __builtin_shufflevector(half, half, 0, 1) + __builtin_shufflevector(half, half, 2, 3);
#else
    return v;
#endif
}

INLINE real TEXT(total)(lanes v)
{
    const pair half = TEXT(halves)(v);
    return half[0] + half[1];
}

INLINE void TEXT(give3)(real *p, const lanes v[3])
{
    const pair a = TEXT(halves)(v[0]), b = TEXT(halves)(v[1]);
    *(pair_anywhere *)p +=
        __builtin_shufflevector(a, b, 0, 2) + __builtin_shufflevector(a, b, 1, 3);
    p[2] += TEXT(total)(v[2]);
}

INLINE uint32_t TEXT(within)(uint32_t bits, lanes v, real lo, real hi)
{
#if LANES == 8
    const __mmask8 above =
        _mm512_mask_cmp_pd_mask((__mmask8)bits, v, _mm512_set1_pd(lo), _CMP_GE_OQ);
    return _mm512_mask_cmp_pd_mask(above, v, _mm512_set1_pd(hi), _CMP_LT_OQ);
#elif LANES == 4
    const lanes above = _mm256_cmp_pd(v, _mm256_set1_pd(lo), _CMP_GE_OQ);
    const lanes below = _mm256_cmp_pd(v, _mm256_set1_pd(hi), _CMP_LT_OQ);
    return bits & (uint32_t)_mm256_movemask_pd(_mm256_and_pd(above, below));
#else
    for (uint32_t i = 0; i < LANES; i++)
        bits &= ~((uint32_t) !(v[i] >= lo && v[i] < hi) << i);
    return bits;
#endif
}
