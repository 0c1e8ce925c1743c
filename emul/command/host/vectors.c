/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of vectors of 16, 32 and 64 bytes, where the processor has them. Functions are compiled for
 * them one by one, so the program also runs where they are missing.
 *
 * Two sets of instructions, as a compiler that is told to use all of the host takes them: those of
 * AVX2, and those of AVX-512, which also has instructions for short vectors: comparisons there make
 * a mask in a register of its own, products of 64 bits are one instruction, and results can be
 * scattered. A host with AVX-512 is measured by these. Comparisons, minima, moves and gathers stand
 * as assembly, so that they are what their names say; the others are written in C.
 *
 * - A comparison is one with a selection by its mask, less the selection's latency.
 * - A move of elements reverses them, which takes the way between the halves of a register.
 * - A conversion is one there and back: of doubles to words of half the size, of floats to words of
 *   the same size.
 * - A gather reads the number of the next element to gather: what it takes beside a load of the
 *   first cache is its row's, since its lanes are loads of their own. Scattered lanes are stores.
 */
#include "emul/command/host/rows.h"

#include <string.h>
#if defined __x86_64__
#include <immintrin.h>
#endif

#define LEAST 40e3 /* ns of a sample */
#define AREA  4096 /* bytes that are loaded, stored */

#if defined __x86_64__
#define ON(words) __attribute__((target(words)))
#define LANES_OF(bytes, l8, l4)                                                                    \
    typedef double f64x##l8 __attribute__((vector_size(bytes)));                                   \
    typedef float f32x##l4 __attribute__((vector_size(bytes)));                                    \
    typedef uint64_t i64x##l8 __attribute__((vector_size(bytes)));                                 \
    typedef uint32_t i32x##l4 __attribute__((vector_size(bytes)));
LANES_OF(8, 1, 2)
LANES_OF(16, 2, 4)
LANES_OF(32, 4, 8)
LANES_OF(64, 8, 16)
/* Twelve apart: eight that take 2 cycles, four of which can begin in each, fill their units only
 * where none ever waits for another one's unit. */
#define LANES_APART 12
#define TWELVE(STEP, OP)                                                                           \
    EIGHT(STEP, OP, "x") STEP(OP, "x", v8) STEP(OP, "x", v9) STEP(OP, "x", v10) STEP(OP, "x", v11)
#define LANES_IN(target, name, type, first, second, STEP, CHAIN, OP)                               \
    target static void name##_chain(void *user, uint64_t n)                                        \
    {                                                                                              \
        type v0 = (first), c = (second);                                                           \
        (void)user;                                                                                \
        KEEP("x", v0);                                                                             \
        KEEP("x", c);                                                                              \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            TWELVE(CHAIN, OP)                                                                      \
        }                                                                                          \
    }                                                                                              \
    target static void name##_apart(void *user, uint64_t n)                                        \
    {                                                                                              \
        type v0 = (first), v1 = v0, v2 = v0, v3 = v0, v4 = v0, v5 = v0, v6 = v0, v7 = v0, v8 = v0, \
             v9 = v0, v10 = v0, v11 = v0, c = (second);                                            \
        (void)user;                                                                                \
        KEEP("x", c);                                                                              \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            TWELVE(STEP, OP)                                                                       \
        }                                                                                          \
    }
#define LANES_ON(target, name, type, first, second, OP)                                            \
    LANES_IN(target, name, type, first, second, STEP_OF, CHAINED, OP)
/* Of an operation that is a function of two. */
#define BY(OP, where, v)                                                                           \
    v = OP(v, c);                                                                                  \
    KEEP(where, v);
#define CHAINED_BY(OP, where, v) BY(OP, where, v0)
#define ALL(type, lane, v)       ((type){0} + (lane)(v))

/* ---- in assembly ----------------------------------------------------------------------------- */

#define MASK_a "cc"
#define MASK_e "cc", "k1"

/* v of itself and of w, with a register beside. */
#define TOGETHER(words, isa, name, t, text)                                                        \
    ON(words) static inline t name(t v, t w)                                                       \
    {                                                                                              \
        t beside;                                                                                  \
        __asm__(text : "+x"(v), "=&x"(beside) : "x"(w) : MASK_##isa);                              \
        return v;                                                                                  \
    }
#define TOGETHER_ROW(words, isa, op, t, lane, text)                                                \
    TOGETHER(words, isa, of_##op##_##t##isa, t, text)                                              \
    LANES_IN(ON(words), op##_##t##isa, t, ALL(t, lane, 3), ALL(t, lane, 5), BY, CHAINED_BY,        \
             of_##op##_##t##isa)

/* The elements that v numbers, of an array of zeros. */
#define GATHERED(words, isa, t, text)                                                              \
    ON(words) static inline t gathered_##t##isa(t v, t from)                                       \
    {                                                                                              \
        static const uint64_t zeros[8];                                                            \
        t w = {0}, beside;                                                                         \
        (void)from;                                                                                \
        __asm__ volatile(text : "+&x"(w), "=&x"(beside) : "x"(v), "r"(zeros) : MASK_##isa);        \
        return w;                                                                                  \
    }                                                                                              \
    LANES_IN(ON(words), gather_##t##isa, t, (t){0}, (t){0}, BY, CHAINED_BY, gathered_##t##isa)

#define SCATTERED(words, t, text)                                                                  \
    ON(words) static void scatter_##t##e_apart(void *user, uint64_t n)                             \
    {                                                                                              \
        uint64_t room[16];                                                                         \
        t v, w = {0};                                                                              \
        (void)user;                                                                                \
        for (unsigned i = 0; i < sizeof v / sizeof v[0]; i++)                                      \
            v[i] = i;                                                                              \
        for (uint64_t i = 0; i < n; i++)                                                           \
            for (int k = 0; k < LANES_APART; k++)                                                  \
                __asm__ volatile("kxnorw %%k1, %%k1, %%k1\n\t" text                                \
                                 :                                                                 \
                                 : "x"(w), "x"(v), "r"(room)                                       \
                                 : "k1", "memory");                                                \
    }

#define CMP_E(s, b) "vp" s " %2, %0, %%k1\n\tvpblendm" b " %2, %0, %0%{%%k1%}"
#define CMP_EF(s)   "vcmp" s " $1, %2, %0, %%k1\n\tvblendm" s " %2, %0, %0%{%%k1%}"
#define CMP_A(s)    "vp" s " %2, %0, %1\n\tvpblendvb %1, %2, %0, %0"
#define CMP_AF(s)   "vcmp" s " $1, %2, %0, %1\n\tvblendv" s " %1, %2, %0, %0"

#define IN_ASSEMBLY(words, isa, l8, l4, half, c8, c4, cd, cs, m8, s8, s4, sd, ss, g8, g4)          \
    TOGETHER_ROW(words, isa, convert, f64x##l8, double,                                            \
                 "vcvtpd2ps %0, %" half "1\n\tvcvtps2pd %" half "1, %0")                           \
    TOGETHER_ROW(words, isa, convert, f32x##l4, float, "vcvttps2dq %0, %1\n\tvcvtdq2ps %1, %0")    \
    TOGETHER_ROW(words, isa, cmp, i64x##l8, uint64_t, c8)                                          \
    TOGETHER_ROW(words, isa, cmp, i32x##l4, uint32_t, c4)                                          \
    TOGETHER_ROW(words, isa, cmp, f64x##l8, double, cd)                                            \
    TOGETHER_ROW(words, isa, cmp, f32x##l4, float, cs)                                             \
    TOGETHER_ROW(words, isa, min, i64x##l8, uint64_t, m8)                                          \
    TOGETHER_ROW(words, isa, min, i32x##l4, uint32_t, "vpminsd %2, %0, %0")                        \
    TOGETHER_ROW(words, isa, min, f64x##l8, double, "vminpd %2, %0, %0")                           \
    TOGETHER_ROW(words, isa, min, f32x##l4, float, "vminps %2, %0, %0")                            \
    TOGETHER_ROW(words, isa, shuffle, i64x##l8, uint64_t, s8)                                      \
    TOGETHER_ROW(words, isa, shuffle, i32x##l4, uint32_t, s4)                                      \
    TOGETHER_ROW(words, isa, shuffle, f64x##l8, double, sd)                                        \
    TOGETHER_ROW(words, isa, shuffle, f32x##l4, float, ss)                                         \
    GATHERED(words, isa, i64x##l8, g8)                                                             \
    GATHERED(words, isa, i32x##l4, g4)

#define GATHER_E(s, b) "kxnorw %%k1, %%k1, %%k1\n\tvpgather" s " (%3,%2," b "), %0%{%%k1%}"
#define GATHER_A(s, b) "vpcmpeqd %1, %1, %1\n\tvpgather" s " %1, (%3,%2," b "), %0"
#define SHORT_A                                                                                    \
    CMP_A("cmpgtq"), CMP_A("cmpgtd"), CMP_AF("pd"), CMP_AF("ps"), CMP_AF("pd"),                    \
        "vpshufd $78, %0, %0", "vpshufd $27, %0, %0", "vpermilpd $1, %0, %0",                      \
        "vpermilps $27, %0, %0", GATHER_A("qq", "8"), GATHER_A("dd", "4")
#define LONG_A                                                                                     \
    CMP_A("cmpgtq"), CMP_A("cmpgtd"), CMP_AF("pd"), CMP_AF("ps"), CMP_AF("pd"),                    \
        "vpermq $27, %0, %0", "vpermd %0, %2, %0", "vpermpd $27, %0, %0", "vpermps %0, %2, %0",    \
        GATHER_A("qq", "8"), GATHER_A("dd", "4")
#define SHORT_E                                                                                    \
    CMP_E("cmpgtq", "q"), CMP_E("cmpgtd", "d"), CMP_EF("pd"), CMP_EF("ps"), "vpminsq %2, %0, %0",  \
        "vpshufd $78, %0, %0", "vpshufd $27, %0, %0", "vpermilpd $1, %0, %0",                      \
        "vpermilps $27, %0, %0", GATHER_E("qq", "8"), GATHER_E("dd", "4")
#define LONG_E                                                                                     \
    CMP_E("cmpgtq", "q"), CMP_E("cmpgtd", "d"), CMP_EF("pd"), CMP_EF("ps"), "vpminsq %2, %0, %0",  \
        "vpermq $27, %0, %0", "vpermd %0, %2, %0", "vpermpd $27, %0, %0", "vpermps %0, %2, %0",    \
        GATHER_E("qq", "8"), GATHER_E("dd", "4")

/* ---- in C ------------------------------------------------------------------------------------ */

#define INTEGER_LANES(words, isa, t, lane)                                                         \
    LANES_ON(ON(words), add_##t##isa, t, ALL(t, lane, 1), ALL(t, lane, 3), ADD)                    \
    LANES_ON(ON(words), sub_##t##isa, t, ALL(t, lane, 1), ALL(t, lane, 3), SUB)                    \
    LANES_IN(ON(words), mul_##t##isa, t, ALL(t, lane, 3), ALL(t, lane, 5), ANEW, CHAINED, MUL)     \
    LANES_ON(ON(words), logic_##t##isa, t, ALL(t, lane, 30011), ALL(t, lane, 77777), LOGIC)        \
    LANES_ON(ON(words), shift_##t##isa, t, ALL(t, lane, 30011), ALL(t, lane, 77777), SHIFTED)
#define REAL_LANES(words, isa, t, lane, fma, root)                                                 \
    LANES_ON(ON(words), add_##t##isa, t, ALL(t, lane, 1), ALL(t, lane, 1e-3), ADD)                 \
    LANES_ON(ON(words), sub_##t##isa, t, ALL(t, lane, 1), ALL(t, lane, 1e-3), SUB)                 \
    LANES_ON(ON(words), mul_##t##isa, t, ALL(t, lane, 1.7), ALL(t, lane, 1), MUL)                  \
    LANES_ON(ON(words), div_##t##isa, t, ALL(t, lane, 1.7), ALL(t, lane, 2.9), DIV)                \
    LANES_ON(ON(words), logic_##t##isa, t, ALL(t, lane, 1.7), ALL(t, lane, 1), NEGATED)            \
    LANES_ON(ON(words), fma_##t##isa, t, ALL(t, lane, 1.7), ALL(t, lane, 1), fma)                  \
    LANES_ON(ON(words), sqrt_##t##isa, t, ALL(t, lane, 2), ALL(t, lane, 1.4142135), root)
#define FUSED_64(v)       __builtin_fma(v, c, c)
#define FUSED_32(v)       __builtin_fmaf(v, c, c)
#define FMA__mm_pd(v)     _mm_fmadd_pd(v, c, c)
#define FMA__mm_ps(v)     _mm_fmadd_ps(v, c, c)
#define FMA__mm256_pd(v)  _mm256_fmadd_pd(v, c, c)
#define FMA__mm256_ps(v)  _mm256_fmadd_ps(v, c, c)
#define FMA__mm512_pd(v)  _mm512_fmadd_pd(v, c, c)
#define FMA__mm512_ps(v)  _mm512_fmadd_ps(v, c, c)
#define ROOT__mm_pd(v)    (_mm_sqrt_pd(v) * c)
#define ROOT__mm_ps(v)    (_mm_sqrt_ps(v) * c)
#define ROOT__mm256_pd(v) (_mm256_sqrt_pd(v) * c)
#define ROOT__mm256_ps(v) (_mm256_sqrt_ps(v) * c)
#define ROOT__mm512_pd(v) (_mm512_sqrt_pd(v) * c)
#define ROOT__mm512_ps(v) (_mm512_sqrt_ps(v) * c)

/* Of a kind of intrinsic functions, with operands of 8 and of 4 bytes. */
#define VECTORS(words, isa, l8, l4, kind)                                                          \
    INTEGER_LANES(words, isa, i64x##l8, uint64_t)                                                  \
    INTEGER_LANES(words, isa, i32x##l4, uint32_t)                                                  \
    REAL_LANES(words, isa, f64x##l8, double, FMA_##kind##_pd, ROOT_##kind##_pd)                    \
    REAL_LANES(words, isa, f32x##l4, float, FMA_##kind##_ps, ROOT_##kind##_ps)
#define AVX           "avx2,fma"
#define EVEX          "avx2,fma,avx512f,avx512vl,avx512dq"
#define EXPANDED(...) IN_ASSEMBLY(__VA_ARGS__)
VECTORS(AVX, a, 2, 4, _mm)
VECTORS(AVX, a, 4, 8, _mm256)
EXPANDED(AVX, a, 2, 4, "x", SHORT_A)
EXPANDED(AVX, a, 4, 8, "x", LONG_A)
VECTORS(EVEX, e, 2, 4, _mm)
VECTORS(EVEX, e, 4, 8, _mm256)
VECTORS(EVEX, e, 8, 16, _mm512)
EXPANDED(EVEX, e, 2, 4, "x", SHORT_E)
EXPANDED(EVEX, e, 4, 8, "x", LONG_E)
EXPANDED(EVEX, e, 8, 16, "t", LONG_E)
#define SCATTERS(l8, l4)                                                                           \
    SCATTERED(EVEX, i64x##l8, "vpscatterqq %0, (%2,%1,8)%{%%k1%}")                                 \
    SCATTERED(EVEX, i32x##l4, "vpscatterdd %0, (%2,%1,4)%{%%k1%}")
SCATTERS(2, 4)
SCATTERS(4, 8)
SCATTERS(8, 16)

/* ---- rows ------------------------------------------------------------------------------------ */

#define ROW(op, t, isa)                                                                            \
    {                                                                                              \
#op "-" #t, op##_##t##isa##_chain, op##_##t##isa##_apart, NULL, LANES_APART                \
    }
#define ROW_BESIDE(op, t, isa, of)                                                                 \
    {                                                                                              \
#op "-" #t, op##_##t##isa##_chain, op##_##t##isa##_apart, of "-" #t, LANES_APART           \
    }
#define ROW_CONVERT(t, of, isa)                                                                    \
    {                                                                                              \
        "convert-" #t, convert_##of##isa##_chain, convert_##of##isa##_apart, NULL, 2 * LANES_APART \
    }
#define ROW_GATHER(t, of, isa)                                                                     \
    {                                                                                              \
        "gather-" #t, gather_##of##isa##_chain, gather_##of##isa##_apart, NULL, LANES_APART        \
    }
#define ROW_SCATTER(t, of)                                                                         \
    {                                                                                              \
        "scatter-" #t, NULL, scatter_##of##e_apart, NULL, LANES_APART                              \
    }
#define ROWS_ANY(t, isa)                                                                           \
    ROW(add, t, isa), ROW(sub, t, isa), ROW(mul, t, isa), ROW(logic, t, isa), ROW(min, t, isa),    \
        ROW(shuffle, t, isa), ROW_BESIDE(cmp, t, isa, "logic")
#define ROWS_REAL(t, isa) ROW(div, t, isa), ROW(fma, t, isa), ROW_BESIDE(sqrt, t, isa, "mul")
#define ROWS_OF(l8, l4, isa)                                                                       \
    ROWS_ANY(i64x##l8, isa), ROWS_ANY(i32x##l4, isa), ROWS_ANY(f64x##l8, isa),                     \
        ROWS_ANY(f32x##l4, isa), ROWS_REAL(f64x##l8, isa), ROWS_REAL(f32x##l4, isa),               \
        ROW(shift, i64x##l8, isa), ROW(shift, i32x##l4, isa),                                      \
        ROW_CONVERT(i64x##l8, f64x##l8, isa), ROW_CONVERT(f64x##l8, f64x##l8, isa),                \
        ROW_CONVERT(i32x##l4, f32x##l4, isa), ROW_CONVERT(f32x##l4, f32x##l4, isa),                \
        ROW_GATHER(i64x##l8, i64x##l8, isa), ROW_GATHER(f64x##l8, i64x##l8, isa),                  \
        ROW_GATHER(i32x##l4, i32x##l4, isa), ROW_GATHER(f32x##l4, i32x##l4, isa)
#define ROWS_SCATTER(l8, l4)                                                                       \
    ROW_SCATTER(i64x##l8, i64x##l8), ROW_SCATTER(f64x##l8, i64x##l8),                              \
        ROW_SCATTER(i32x##l4, i32x##l4), ROW_SCATTER(f32x##l4, i32x##l4)

static const struct htmt__host_row of_avx[] = {ROWS_OF(2, 4, a), ROWS_OF(4, 8, a)};
static const struct htmt__host_row of_evex[] = {ROWS_OF(2, 4, e),   ROWS_OF(4, 8, e),
                                                ROWS_OF(8, 16, e),  ROWS_SCATTER(2, 4),
                                                ROWS_SCATTER(4, 8), ROWS_SCATTER(8, 16)};

/* How many widths of vectors the processor has: those of 16 bytes, of 32, of 64. */
static unsigned widths(void)
{
    if (!__builtin_cpu_supports("fma") || !__builtin_cpu_supports("avx2"))
        return 0;
    return __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") ? 3 : 2;
}

const struct htmt__host_row *htmt__host_vector_row(unsigned i)
{
    const unsigned has = widths();
    const unsigned n = (unsigned)(has == 3   ? sizeof of_evex / sizeof *of_evex
                                  : has == 2 ? sizeof of_avx / sizeof *of_avx
                                             : 0);
    return i < n ? has == 3 ? &of_evex[i] : &of_avx[i] : NULL;
}

const char *htmt__host_vector_name(unsigned i)
{
    return i < htmt__host_vector_names() ? of_evex[i].name : NULL;
}

unsigned htmt__host_vector_names(void)
{
    return (unsigned)(sizeof of_evex / sizeof *of_evex);
}

#define FUSED_APART (8 * TIMES)
LOOPS_ON(ON("fma"), fma_f64, double, REAL, 1.7, 1, FUSED_64)
LOOPS_ON(ON("fma"), fma_f32, float, REAL, 1.7F, 1, FUSED_32)
static const struct htmt__host_row fused[] = {
    {"fma-f64", fma_f64_chain, fma_f64_apart, NULL, FUSED_APART},
    {"fma-f32", fma_f32_chain, fma_f32_apart, NULL, FUSED_APART}};

const struct htmt__host_row *htmt__host_fused_row(const char *name)
{
    for (unsigned i = 0; i < 2 && widths(); i++)
        if (strcmp(fused[i].name, name) == 0)
            return &fused[i];
    return NULL;
}

/* ---- accesses -------------------------------------------------------------------------------- */

#define ACCESSES(words, t)                                                                         \
    ON(words) static void load_##t(void *user, uint64_t n)                                         \
    {                                                                                              \
        const volatile t *from = user;                                                             \
        for (uint64_t turn = 0; turn < n; turn++)                                                  \
            for (unsigned i = 0; i < AREA / sizeof(t); i += 4)                                     \
                for (unsigned k = 0; k < 4; k++) {                                                 \
                    t v = from[i + k];                                                             \
                    KEEP("x", v);                                                                  \
                }                                                                                  \
    }                                                                                              \
    ON(words) static void store_##t(void *user, uint64_t n)                                        \
    {                                                                                              \
        t v = {0};                                                                                 \
        KEEP("x", v);                                                                              \
        for (uint64_t turn = 0; turn < n; turn++)                                                  \
            for (unsigned i = 0; i < AREA / sizeof(t); i += 4)                                     \
                for (unsigned k = 0; k < 4; k++)                                                   \
                    ((volatile t *)user)[i + k] = v;                                               \
    }
ACCESSES("avx", f64x2)
ACCESSES("avx", f64x4)
ACCESSES("avx512f", f64x8)

/* The middle of each lies where a line ends. */
typedef double f64x2_anywhere __attribute__((vector_size(16), aligned(8)));
#define LINE 64
static void load_across(void *user, uint64_t n)
{
    for (uint64_t turn = 0; turn < n; turn++)
        for (unsigned at = LINE - 8; at + 16 < AREA; at += LINE) {
            f64x2 v = *(const volatile f64x2_anywhere *)(const void *)((const char *)user + at);
            KEEP("x", v);
        }
}

static void store_across(void *user, uint64_t n)
{
    f64x2 v = {0};
    KEEP("x", v);
    for (uint64_t turn = 0; turn < n; turn++)
        for (unsigned at = LINE - 8; at + 16 < AREA; at += LINE)
            *(volatile f64x2_anywhere *)(void *)((char *)user + at) = v;
}
#define ACROSS (AREA / LINE - 1) /* of a turn */

void htmt__host_vector_accesses(struct htmt__host_clock *clock, struct htmt__host_figures *f,
                                unsigned round)
{
    static const struct {
        const char *load_name, *store_name;
        htmt__host_loop_fn *load, *store;
    } all[HTMT__HOST_WIDTHS] = {{"load-x2", "store-x2", load_f64x2, store_f64x2},
                                {"load-x4", "store-x4", load_f64x4, store_f64x4},
                                {"load-x8", "store-x8", load_f64x8, store_f64x8}};
    _Alignas(64) char room[AREA];
    memset(room, (int)round, sizeof room);
    const struct htmt__host_loop load = {"load-across", load_across, room, NULL},
                                 store = {"store-across", store_across, room, NULL};
    htmt__host_keep(&f->across, htmt__host_part_of(htmt__host_sample(clock, &load, LEAST), ACROSS));
    htmt__host_keep(&f->across_store,
                    htmt__host_part_of(htmt__host_sample(clock, &store, LEAST), ACROSS));
    for (unsigned k = 0; k < widths(); k++) {
        const double accesses = AREA / (16 << k);
        const struct htmt__host_loop of = {all[k].load_name, all[k].load, room, NULL},
                                     to = {all[k].store_name, all[k].store, room, NULL};
        htmt__host_keep(&f->wide[k],
                        htmt__host_part_of(htmt__host_sample(clock, &of, LEAST), accesses));
        htmt__host_keep(&f->wide_store[k],
                        htmt__host_part_of(htmt__host_sample(clock, &to, LEAST), accesses));
    }
}

void htmt__host_vector_gathers(struct htmt__host_figures *f)
{
    const struct htmt__host_figure load = f->level[0].latency;
    for (unsigned i = 0; i < f->rates; i++) {
        struct htmt__host_rate *r = &f->rate[i];
        if (strncmp(r->name, "gather-", strlen("gather-")) == 0)
            r->latency.value = r->latency.value > load.value + r->every.value
                                   ? r->latency.value - load.value
                                   : r->every.value;
    }
}
#else
const struct htmt__host_row *htmt__host_vector_row(unsigned i)
{
    (void)i;
    return NULL;
}

const char *htmt__host_vector_name(unsigned i)
{
    (void)i;
    return NULL;
}

unsigned htmt__host_vector_names(void)
{
    return 0;
}

const struct htmt__host_row *htmt__host_fused_row(const char *name)
{
    (void)name;
    return NULL;
}

void htmt__host_vector_accesses(struct htmt__host_clock *clock, struct htmt__host_figures *f,
                                unsigned round)
{
    (void)clock;
    (void)f;
    (void)round;
}

void htmt__host_vector_gathers(struct htmt__host_figures *f)
{
    (void)f;
}
#endif
