/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which operations share units, by pairs of them.
 *
 * Six operations of one kind and six of another, none of which waits for another one of the turn:
 * on units of their own they take as long as the slower six, on units that both need as long as all
 * twelve. What takes nearly as long as that shares: with one of two units in common six and six
 * take a third less, and go their own ways most of the time. By hand, additions and subtractions
 * that each begin twice a cycle: six of both take 6 cycles together, so they share; additions and
 * products take 3, so they do not. A slower kind that shares keeps the unit for longer: six roots
 * of 6 cycles and six quotients of 4 take 60 cycles together, and a conversion to an integer needs
 * two of the units that multiply, so that six of both take 9 cycles, not 6.
 *
 * Where the faster kind alone would take as long for all twelve, the slower one's units are a part
 * of the faster one's. By hand, logic begins three times a cycle and additions twice, and six of
 * both take 4 cycles: two of the three units add. Products are a part of the same three, so six
 * additions and six products take 4 cycles as well, although the two share but one unit.
 *
 * Of rates further apart the slower kind alone fills the time of six and six. So moves of elements
 * are timed four among twelve of another kind: these take as long as the twelve alone, or as
 * sixteen, where each move takes the place of one. By hand, one unit of three moves elements, two
 * add, that one among them, and all three do logic: four among twelve additions take 8 cycles, not
 * 6, and among twelve of logic 5.3, not 4. So moves are a part of those that add, and these, as six
 * and six say, of those of logic.
 *
 * A few of a kind that alone take longer than the many are joined with them where the times add up.
 * By hand, a gather takes all three vector units for 2.2 cycles, and logic begins three times a
 * cycle: four among twelve take 12.8 cycles, where gathers on units of their own would take 8.8.
 *
 * A result may be there sooner for an operation of the same units than for one of others: of two
 * kinds in turns, a chain then takes more than both latencies. This more belongs to the one or to
 * the other, which no chain of two tells, but several do. The kind whose middle pair takes the most
 * more gets that; it explains these pairs, and what is left of them is told of the next kind. By
 * hand, a sum takes a cycle more with products, quotients and changes of sign, and these take 0 and
 * 0.7 with each other. The sum gets a cycle, and nothing is left for the others.
 */
#include "emul/command/host/sample.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEAST   20e3 /* ns of a sample */
#define EACH    6    /* of a kind in a turn; as a chain, half as many */
#define ROUNDS  8
#define FEW_OF  4 /* a few of a kind in a turn, among many of another */
#define MANY_OF 12
#define ALIKE   1.9  /* most of the slower rate over the faster */
#define SURE    0.9  /* of the faster kind's time, on top of the slower one's, beyond that */
#define UNKNOWN 0.25 /* cycles; an onward latency above the other by less is none */
#define NEARLY                                                                                     \
    1.15 /* twelve of both and twelve of the faster kind, the longer over the shorter time */

#define ADD(v, c)   (v + c)
#define SUB(v, c)   (v - c)
#define MUL(v, c)   (v * c)
#define DIV(v, c)   (c / v)
#define XOR(v, c)   (v ^ c)
#define SHR(v, c)   (v >> 3)
#define SCALE(v, c) (c + (v << 3))
#define NEG(v, c)   (-v)
#define ROOT(v, c)  root_of(c)
#define ROOTF(v, c) root_of_float(c)

/* Of one number again and again: roots of their own results come to 1, whose root takes less. */
static inline double root_of(double v)
{
    KEEP(REAL, v);
    return sqrt(v);
}
static inline float root_of_float(float v)
{
    KEEP(REAL, v);
    return sqrtf(v);
}

#define STEP(OP, where, v, c)                                                                      \
    v = OP(v, c);                                                                                  \
    KEEP(where, v);
#define BOTH(OPA, wherea, a, ca, OPB, whereb, b, cb)                                               \
    STEP(OPA, wherea, a, ca) STEP(OPB, whereb, b, cb)
#define PAIR_ON(target, name, typea, wherea, firsta, OPA, typeb, whereb, firstb, OPB)              \
    target static void name##_together(void *user, uint64_t n)                                     \
    {                                                                                              \
        typea ca = firsta, a0 = ca, a1 = ca, a2 = ca, a3 = ca, a4 = ca, a5 = ca;                   \
        typeb cb = firstb, b0 = cb, b1 = cb, b2 = cb, b3 = cb, b4 = cb, b5 = cb;                   \
        (void)user;                                                                                \
        KEEP(wherea, ca);                                                                          \
        KEEP(whereb, cb);                                                                          \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            BOTH(OPA, wherea, a0, ca, OPB, whereb, b0, cb)                                         \
            BOTH(OPA, wherea, a1, ca, OPB, whereb, b1, cb)                                         \
            BOTH(OPA, wherea, a2, ca, OPB, whereb, b2, cb)                                         \
            BOTH(OPA, wherea, a3, ca, OPB, whereb, b3, cb)                                         \
            BOTH(OPA, wherea, a4, ca, OPB, whereb, b4, cb)                                         \
            BOTH(OPA, wherea, a5, ca, OPB, whereb, b5, cb)                                         \
        }                                                                                          \
    }
#define PAIR(name, typea, wherea, firsta, OPA, typeb, whereb, firstb, OPB)                         \
    PAIR_ON(, name, typea, wherea, firsta, OPA, typeb, whereb, firstb, OPB)

/* Three of each, in turns. */
#define CHAIN(name, OPA, OPB)                                                                      \
    static void name##_turns(void *user, uint64_t n)                                               \
    {                                                                                              \
        double c = 1, v = 1;                                                                       \
        (void)user;                                                                                \
        KEEP(REAL, c);                                                                             \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            BOTH(OPA, REAL, v, c, OPB, REAL, v, c)                                                 \
            BOTH(OPA, REAL, v, c, OPB, REAL, v, c)                                                 \
            BOTH(OPA, REAL, v, c, OPB, REAL, v, c)                                                 \
        }                                                                                          \
    }

#define OF_REALS(a, OPA, b, OPB)                                                                   \
    PAIR(a##_##b, double, REAL, 1, OPA, double, REAL, 1, OPB)                                      \
    CHAIN(a##_##b, OPA, OPB)
OF_REALS(sub, SUB, add, ADD)
OF_REALS(mul, MUL, add, ADD)
OF_REALS(div, DIV, add, ADD)
OF_REALS(div, DIV, mul, MUL)
#define OWN_ROOT(v, c) sqrt(v)
#define OF_ROOTS(b, OPB)                                                                           \
    PAIR(root_##b, double, REAL, 1.7, ROOT, double, REAL, 1, OPB)                                  \
    CHAIN(root_##b, OWN_ROOT, OPB)
OF_ROOTS(div, DIV)
OF_ROOTS(add, ADD)
OF_REALS(neg, NEG, add, ADD)
OF_REALS(neg, NEG, mul, MUL)
#define OF_WIDTHS(a, OPA)                                                                          \
    PAIR(a##_short, float, REAL, 1, OPA, double, REAL, 1, OPA)                                     \
    PAIR(a##_int, int32_t, WHOLE, 3, OPA, int64_t, WHOLE, 3, OPA)
OF_WIDTHS(add, ADD)
OF_WIDTHS(sub, SUB)
OF_WIDTHS(mul, MUL)
PAIR(div_short, float, REAL, 1, DIV, double, REAL, 1, DIV)
PAIR(root_short, float, REAL, 1.7F, ROOTF, float, REAL, 1, DIV)
PAIR(neg_short, float, REAL, 1, NEG, double, REAL, 1, NEG)
PAIR(xor_int, int32_t, WHOLE, 3, XOR, int64_t, WHOLE, 3, XOR)
PAIR(sub_whole, int64_t, WHOLE, 3, SUB, int64_t, WHOLE, 3, ADD)
PAIR(xor_whole, int64_t, WHOLE, 3, XOR, int64_t, WHOLE, 3, ADD)
PAIR(mul_whole, int64_t, WHOLE, 3, MUL, int64_t, WHOLE, 3, ADD)

PAIR(shift_int, uint32_t, WHOLE, 3, SHR, uint64_t, WHOLE, 3, SHR)
#ifdef CONDITION
#define ONE(v, c) CHOSEN(CHOOSE, v, c)
#define TWO(v, c) CHOSEN(CHOOSE_TWO, v, c)
PAIR(select_int, int32_t, WHOLE, 3, ONE, int64_t, WHOLE, 3, ONE)
PAIR(select_shift, int64_t, WHOLE, 3, ONE, uint64_t, WHOLE, 3, SHR)
PAIR(two_int, int32_t, WHOLE, 3, TWO, int64_t, WHOLE, 3, TWO)
PAIR(two_select, int64_t, WHOLE, 3, TWO, int64_t, WHOLE, 3, ONE)
#endif
PAIR(scale_int, uint32_t, WHOLE, 3, SCALE, uint64_t, WHOLE, 3, SCALE)

/* A few of one kind among three times as many of another. */
#define ONE_AMONG(where, OPA, a, OPB, x, y, z)                                                     \
    BOTH(OPA, where, a, c, OPB, where, x, c) STEP(OPB, where, y, c) STEP(OPB, where, z, c)
#define AMONG_ON(target, where, name, t, OPA, OPB)                                                 \
    target static void name##_together(void *user, uint64_t n)                                     \
    {                                                                                              \
        t c = (t){0}, a0 = c, a1 = c, a2 = c, a3 = c, b0 = c, b1 = c, b2 = c, b3 = c, b4 = c,      \
          b5 = c;                                                                                  \
        (void)user;                                                                                \
        KEEP(where, c);                                                                            \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            ONE_AMONG(where, OPA, a0, OPB, b0, b1, b2)                                             \
            ONE_AMONG(where, OPA, a1, OPB, b3, b4, b5)                                             \
            ONE_AMONG(where, OPA, a2, OPB, b0, b1, b2)                                             \
            ONE_AMONG(where, OPA, a3, OPB, b3, b4, b5)                                             \
        }                                                                                          \
    }
#define AMONG(words, name, t, OPA, OPB) AMONG_ON(ON(words), "x", name, t, OPA, OPB)
AMONG_ON(, WHOLE, few_shift, uint64_t, SHR, ADD)
AMONG_ON(, WHOLE, few_scale, uint64_t, SCALE, ADD)

#if defined __x86_64__
#define ON(words) __attribute__((target(words)))
/* Vectors of a width: doubles, floats, and integers as long. */
#define LANES_OF(bytes, l8, l4)                                                                    \
    typedef double f64x##l8 __attribute__((vector_size(bytes)));                                   \
    typedef float f32x##l4 __attribute__((vector_size(bytes)));                                    \
    typedef int64_t i64x##l8 __attribute__((vector_size(bytes)));                                  \
    typedef int32_t i32x##l4 __attribute__((vector_size(bytes)));
LANES_OF(16, 2, 4)
LANES_OF(32, 4, 8)
LANES_OF(64, 8, 16)
#define IN(text, v, c)                                                                             \
    __extension__({                                                                                \
        __typeof__(v) to_ = v;                                                                     \
        __asm__(text : "+x"(to_) : "x"(c));                                                        \
        to_;                                                                                       \
    })
/* Of c alone, so that nothing waits for the turn before: products take long. */
#define FROM(text, v, c)                                                                           \
    __extension__({                                                                                \
        __typeof__(v) to_;                                                                         \
        __asm__ volatile(text : "=x"(to_) : "x"(c));                                               \
        to_;                                                                                       \
    })
#define MULPD(v, c)   FROM("vmulpd %1, %1, %0", v, c)
#define MULLD(v, c)   FROM("vpmulld %1, %1, %0", v, c)
#define SHRD(v, c)    IN("vpsrld $3, %0, %0", v, c)
#define SHRQ(v, c)    IN("vpsrlq $3, %0, %0", v, c)
#define MINPD(v, c)   IN("vminpd %1, %0, %0", v, c)
#define MINPS(v, c)   IN("vminps %1, %0, %0", v, c)
#define MINSD(v, c)   IN("vpminsd %1, %0, %0", v, c)
#define TO_I32(v, c)  IN("vcvtps2dq %0, %0", v, c)
#define FMAPD(v, c)   IN("vfmadd213pd %1, %1, %0", v, c)
#define FMAPS(v, c)   IN("vfmadd213ps %1, %1, %0", v, c)
#define ROOTPD(v, c)  IN("vsqrtpd %1, %0", v, c)
#define ROOTPS(v, c)  IN("vsqrtps %1, %0", v, c)
#define SHUFQ_2(v, c) IN("vpermilpd $1, %0, %0", v, c)
#define SHUFD_2(v, c) IN("vpshufd $27, %0, %0", v, c)
#define SHUFS_2(v, c) IN("vpermilps $27, %0, %0", v, c)
#define SHUFS_4(v, c) IN("vpermps %0, %1, %0", v, c)
#define SHUFS_8(v, c) SHUFS_4(v, c)
#define SHUFQ_4(v, c) IN("vpermpd $27, %0, %0", v, c)
#define SHUFD_4(v, c) IN("vpermd %0, %1, %0", v, c)
#define SHUFQ_8(v, c) SHUFQ_4(v, c)
#define SHUFD_8(v, c) SHUFD_4(v, c)
#define MASKS         "avx512f,avx512dq,avx512vl"
#define MULLQ(v, c)   FROM("vpmullq %1, %1, %0", v, c)
#define MINSQ(v, c)   IN("vpminsq %1, %0, %0", v, c)
/* A mask, which nobody needs. */
#define COMPARE(v, c)                                                                              \
    __extension__({                                                                                \
        __asm__ volatile("vcmppd $1, %0, %0, %%k1" ::"x"(c) : "k1");                               \
        v;                                                                                         \
    })
/* The element 0 for each lane, whose mask is a register of its own or k1. */
#define GATHER(text, v, c, ...)                                                                    \
    __extension__({                                                                                \
        static const uint64_t zero;                                                                \
        __typeof__(v) to_ = {0}, mask_;                                                            \
        __asm__ volatile(text : "+&x"(to_), "=&x"(mask_) : "x"(c), "r"(&zero) : __VA_ARGS__);      \
        to_;                                                                                       \
    })
#define GATHER_A(b, s, v, c)                                                                       \
    GATHER("vpcmpeqd %1, %1, %1\n\tvpgather" b " %1, (%3,%2," s "), %0", v, c, "cc")
#define GATHER_E(b, s, v, c)                                                                       \
    GATHER("kxnorw %%k1, %%k1, %%k1\n\tvpgather" b " (%3,%2," s "), %0%{%%k1%}", v, c, "k1")
#define GATHERQ_2(v, c) GATHER_A("qq", "8", v, c)
#define GATHERQ_4(v, c) GATHERQ_2(v, c)
#define GATHERQ_8(v, c) GATHER_E("qq", "8", v, c)
#define GATHERD_2(v, c) GATHER_A("dd", "4", v, c)
#define GATHERD_4(v, c) GATHERD_2(v, c)
#define GATHERD_8(v, c) GATHER_E("dd", "4", v, c)
#define LANE_PAIR(words, name, ta, OPA, tb, OPB)                                                   \
    PAIR_ON(ON(words), name, ta, "x", (ta){0}, OPA, tb, "x", (tb){0}, OPB)
#define REAL_PAIR(words, name, ta, OPA, tb, OPB)                                                   \
    PAIR_ON(ON(words), name, ta, "x", (ta){0} + 1.7F, OPA, tb, "x", (tb){0} + 1, OPB)
#define OF_LANES(l8, l4, words)                                                                    \
    PAIR_ON(ON(words), add_x##l8, f64x##l8, "x", (f64x##l8){0} + 1, ADD, double, "x", 1, ADD)      \
    PAIR_ON(ON(words), mul_x##l8, f64x##l8, "x", (f64x##l8){0} + 1, MUL, double, "x", 1, MUL)      \
    PAIR_ON(ON(words), neg_x##l8, f64x##l8, "x", (f64x##l8){0} + 1, NEG, double, "x", 1, NEG)      \
    LANE_PAIR(words, fma_x##l8, f64x##l8, FMAPD, f64x##l8, MUL)                                    \
    LANE_PAIR(words, sub_x##l8, f64x##l8, SUB, f64x##l8, ADD)                                      \
    LANE_PAIR(words, min_x##l8, f64x##l8, MINPD, f64x##l8, MUL)                                    \
    LANE_PAIR(words, addf_x##l8, f32x##l4, ADD, f64x##l8, ADD)                                     \
    LANE_PAIR(words, subf_x##l8, f32x##l4, SUB, f64x##l8, ADD)                                     \
    LANE_PAIR(words, mulf_x##l8, f32x##l4, MUL, f64x##l8, MUL)                                     \
    LANE_PAIR(words, fmaf_x##l8, f32x##l4, FMAPS, f64x##l8, MUL)                                   \
    LANE_PAIR(words, minf_x##l8, f32x##l4, MINPS, f64x##l8, MUL)                                   \
    LANE_PAIR(words, negf_x##l8, f32x##l4, NEG, f64x##l8, NEG)                                     \
    LANE_PAIR(words, xorq_x##l8, i64x##l8, XOR, f64x##l8, NEG)                                     \
    LANE_PAIR(words, xord_x##l8, i32x##l4, XOR, i64x##l8, XOR)                                     \
    LANE_PAIR(words, addq_x##l8, i64x##l8, ADD, i64x##l8, XOR)                                     \
    LANE_PAIR(words, addd_x##l8, i32x##l4, ADD, i64x##l8, XOR)                                     \
    LANE_PAIR(words, subq_x##l8, i64x##l8, SUB, i64x##l8, ADD)                                     \
    LANE_PAIR(words, subd_x##l8, i32x##l4, SUB, i32x##l4, ADD)                                     \
    LANE_PAIR(words, mind_x##l8, i32x##l4, MINSD, f64x##l8, MUL)                                   \
    LANE_PAIR(words, cvt_x##l8, i32x##l4, TO_I32, f64x##l8, MUL)                                   \
    LANE_PAIR(words, shuff_x##l8, f32x##l4, SHUFS_##l8, f64x##l8, SHUFQ_##l8)                      \
    LANE_PAIR(words, shufq_x##l8, i64x##l8, SHUFD_##l8, f64x##l8, SHUFQ_##l8)                      \
    LANE_PAIR(words, shufd_x##l8, i32x##l4, SHUFD_##l8, f64x##l8, SHUFQ_##l8)                      \
    REAL_PAIR(words, divf_x##l8, f32x##l4, DIV, f64x##l8, DIV)                                     \
    REAL_PAIR(words, root_x##l8, f64x##l8, ROOTPD, f64x##l8, DIV)                                  \
    REAL_PAIR(words, rootf_x##l8, f32x##l4, ROOTPS, f32x##l4, DIV)                                 \
    AMONG(words, few_add_x##l8, f64x##l8, SHUFQ_##l8, ADD)                                         \
    AMONG(words, few_neg_x##l8, f64x##l8, SHUFQ_##l8, NEG)                                         \
    LANE_PAIR(words, shufi_x##l8, i32x##l4, SHUFD_##l8, i64x##l8, SHUFD_##l8)                      \
    AMONG(words, few_xor_x##l8, i32x##l4, SHUFD_##l8, XOR)                                         \
    LANE_PAIR(words, muld_x##l8, i32x##l4, MULLD, f64x##l8, MULPD)                                 \
    LANE_PAIR(words, shd_x##l8, i32x##l4, SHRD, f64x##l8, MULPD)                                   \
    LANE_PAIR(words, shq_x##l8, i64x##l8, SHRQ, i32x##l4, SHRD)                                    \
    AMONG(words, few_shm_x##l8, f64x##l8, SHRD, MULPD)                                             \
    AMONG(words, few_shx_x##l8, f64x##l8, SHRD, NEG)                                               \
    AMONG(words, few_gq_x##l8, i64x##l8, GATHERQ_##l8, XOR)                                        \
    AMONG(words, few_gd_x##l8, i32x##l4, GATHERD_##l8, XOR)
/* Of those that only AVX-512 has. */
#define OF_MASKS(l8, l4)                                                                           \
    LANE_PAIR(MASKS, mulq_x##l8, i64x##l8, MULLQ, f64x##l8, MULPD)                                 \
    LANE_PAIR(MASKS, minq_x##l8, i64x##l8, MINSQ, f64x##l8, MULPD)                                 \
    LANE_PAIR(MASKS, cmpf_x##l8, f64x##l8, COMPARE, f64x##l8, SHUFQ_##l8)
/* A conversion to an integer, of what the other kind multiplies by. */
#define TO_WHOLE(v, c)                                                                             \
    __extension__({                                                                                \
        __typeof__(v) to_;                                                                         \
        __asm__ volatile("cvttsd2si %1, %0" : "=r"(to_) : "x"(cb));                                \
        to_;                                                                                       \
    })
PAIR(to_i64, int64_t, WHOLE, 1, TO_WHOLE, double, REAL, 1, MUL)
PAIR(to_i32, int32_t, WHOLE, 1, TO_WHOLE, double, REAL, 1, MUL)
#define FUSED_64(v, c) IN("vfmadd213sd %1, %1, %0", v, c)
#define FUSED_32(v, c) IN("vfmadd213ss %1, %1, %0", v, c)
PAIR_ON(ON("fma"), fma_real, double, "x", 1, FUSED_64, double, "x", 1, MUL)
#define MINSD_1(v, c) IN("minsd %1, %0", v, c)
#define MINSS_1(v, c) IN("minss %1, %0", v, c)
PAIR(min_real, double, "x", 1, MINSD_1, double, "x", 1, MUL)
PAIR(min_short, float, "x", 1, MINSS_1, double, "x", 1, MUL)
PAIR_ON(ON("fma"), fma_short, float, "x", 1, FUSED_32, float, "x", 1, MUL)
OF_LANES(2, 4, "avx2,fma")
OF_LANES(4, 8, "avx2,fma")
OF_LANES(8, 16, "avx512f,avx512dq")
OF_MASKS(2, 4)
OF_MASKS(4, 8)
OF_MASKS(8, 16)
#endif

/* ---- the table ------------------------------------------------------------------------------- */

struct pair {
    const char *name[2];
    htmt__host_loop_fn *together, *turns; /* turns: NULL: not measured */
    bool few;                             /* of the first kind, among those of the second */
    bool masks;                           /* of AVX-512 */
};

#define REALS(a, nameof, b, other)                                                                 \
    {                                                                                              \
        {nameof "-f64", other "-f64"}, a##_##b##_together, a##_##b##_turns, false, false           \
    }
#define ALONE(a, first, second)                                                                    \
    {                                                                                              \
        {first, second}, a##_together, NULL, false, false                                          \
    }
#define FEW(a, first, second)                                                                      \
    {                                                                                              \
        {first, second}, a##_together, NULL, true, false                                           \
    }
#define MASKED(a, first, second)                                                                   \
    {                                                                                              \
        {first, second}, a##_together, NULL, false, true                                           \
    }
#define LANES(l8, l4)                                                                              \
    ALONE(add_x##l8, "add-f64x" #l8, "add-f64"), ALONE(mul_x##l8, "mul-f64x" #l8, "mul-f64"),      \
        ALONE(neg_x##l8, "logic-f64x" #l8, "logic-f64"),                                           \
        ALONE(fma_x##l8, "fma-f64x" #l8, "mul-f64x" #l8),                                          \
        ALONE(sub_x##l8, "sub-f64x" #l8, "add-f64x" #l8),                                          \
        ALONE(min_x##l8, "min-f64x" #l8, "mul-f64x" #l8),                                          \
        ALONE(addf_x##l8, "add-f32x" #l4, "add-f64x" #l8),                                         \
        ALONE(subf_x##l8, "sub-f32x" #l4, "add-f64x" #l8),                                         \
        ALONE(mulf_x##l8, "mul-f32x" #l4, "mul-f64x" #l8),                                         \
        ALONE(fmaf_x##l8, "fma-f32x" #l4, "mul-f64x" #l8),                                         \
        ALONE(minf_x##l8, "min-f32x" #l4, "mul-f64x" #l8),                                         \
        ALONE(negf_x##l8, "logic-f32x" #l4, "logic-f64x" #l8),                                     \
        ALONE(xorq_x##l8, "logic-i64x" #l8, "logic-f64x" #l8),                                     \
        ALONE(xord_x##l8, "logic-i32x" #l4, "logic-i64x" #l8),                                     \
        ALONE(addq_x##l8, "add-i64x" #l8, "logic-i64x" #l8),                                       \
        ALONE(addd_x##l8, "add-i32x" #l4, "logic-i64x" #l8),                                       \
        ALONE(subq_x##l8, "sub-i64x" #l8, "add-i64x" #l8),                                         \
        ALONE(subd_x##l8, "sub-i32x" #l4, "add-i32x" #l4),                                         \
        ALONE(mind_x##l8, "min-i32x" #l4, "mul-f64x" #l8),                                         \
        ALONE(cvt_x##l8, "convert-i32x" #l4, "mul-f64x" #l8),                                      \
        ALONE(cvt_x##l8, "convert-f32x" #l4, "mul-f64x" #l8),                                      \
        ALONE(shuff_x##l8, "shuffle-f32x" #l4, "shuffle-f64x" #l8),                                \
        ALONE(shufq_x##l8, "shuffle-i64x" #l8, "shuffle-f64x" #l8),                                \
        ALONE(shufd_x##l8, "shuffle-i32x" #l4, "shuffle-f64x" #l8),                                \
        ALONE(divf_x##l8, "div-f32x" #l4, "div-f64x" #l8),                                         \
        ALONE(root_x##l8, "sqrt-f64x" #l8, "div-f64x" #l8),                                        \
        ALONE(rootf_x##l8, "sqrt-f32x" #l4, "div-f32x" #l4),                                       \
        FEW(few_add_x##l8, "shuffle-f64x" #l8, "add-f64x" #l8),                                    \
        FEW(few_neg_x##l8, "shuffle-f64x" #l8, "logic-f64x" #l8),                                  \
        ALONE(shufi_x##l8, "shuffle-i32x" #l4, "shuffle-i64x" #l8),                                \
        FEW(few_xor_x##l8, "shuffle-i32x" #l4, "logic-i32x" #l4),                                  \
        ALONE(muld_x##l8, "mul-i32x" #l4, "mul-f64x" #l8),                                         \
        ALONE(shd_x##l8, "shift-i32x" #l4, "mul-f64x" #l8),                                        \
        ALONE(shq_x##l8, "shift-i64x" #l8, "shift-i32x" #l4),                                      \
        FEW(few_shm_x##l8, "shift-i32x" #l4, "mul-f64x" #l8),                                      \
        FEW(few_shx_x##l8, "shift-i32x" #l4, "logic-f64x" #l8),                                    \
        FEW(few_gq_x##l8, "gather-i64x" #l8, "logic-i64x" #l8),                                    \
        FEW(few_gq_x##l8, "gather-f64x" #l8, "logic-i64x" #l8),                                    \
        FEW(few_gd_x##l8, "gather-i32x" #l4, "logic-i32x" #l4),                                    \
        FEW(few_gd_x##l8, "gather-f32x" #l4, "logic-i32x" #l4),                                    \
        MASKED(mulq_x##l8, "mul-i64x" #l8, "mul-f64x" #l8),                                        \
        MASKED(minq_x##l8, "min-i64x" #l8, "mul-f64x" #l8),                                        \
        MASKED(cmpf_x##l8, "cmp-i64x" #l8, "shuffle-f64x" #l8),                                    \
        MASKED(cmpf_x##l8, "cmp-i32x" #l4, "shuffle-f64x" #l8),                                    \
        MASKED(cmpf_x##l8, "cmp-f64x" #l8, "shuffle-f64x" #l8),                                    \
        MASKED(cmpf_x##l8, "cmp-f32x" #l4, "shuffle-f64x" #l8)
static const struct pair pairs[] = {REALS(sub, "sub", add, "add"),
                                    REALS(mul, "mul", add, "add"),
                                    REALS(div, "div", add, "add"),
                                    REALS(div, "div", mul, "mul"),
                                    REALS(root, "sqrt", div, "div"),
                                    REALS(root, "sqrt", add, "add"),
                                    REALS(neg, "logic", add, "add"),
                                    REALS(neg, "logic", mul, "mul"),
                                    ALONE(add_short, "add-f32", "add-f64"),
                                    ALONE(sub_short, "sub-f32", "sub-f64"),
                                    ALONE(mul_short, "mul-f32", "mul-f64"),
                                    ALONE(div_short, "div-f32", "div-f64"),
                                    ALONE(root_short, "sqrt-f32", "div-f32"),
                                    ALONE(neg_short, "logic-f32", "logic-f64"),
                                    ALONE(sub_whole, "sub-i64", "add-i64"),
                                    ALONE(xor_whole, "logic-i64", "add-i64"),
                                    ALONE(mul_whole, "mul-i64", "add-i64"),
                                    ALONE(add_int, "add-i32", "add-i64"),
                                    ALONE(sub_int, "sub-i32", "sub-i64"),
                                    ALONE(xor_int, "logic-i32", "logic-i64"),
                                    ALONE(mul_int, "mul-i32", "mul-i64"),
                                    ALONE(shift_int, "shift-i32", "shift-i64"),
#ifdef CONDITION
                                    ALONE(select_int, "select-i32", "select-i64"),
                                    ALONE(select_shift, "select-i64", "shift-i64"),
                                    ALONE(two_int, "select-two-i32", "select-two-i64"),
                                    ALONE(two_select, "select-two-i64", "select-i64"),
#endif
                                    ALONE(scale_int, "shift-add-i32", "shift-add-i64"),
                                    FEW(few_shift, "shift-i64", "add-i64"),
                                    FEW(few_scale, "shift-add-i64", "add-i64"),
#if defined __x86_64__
                                    ALONE(to_i64, "convert-i64", "mul-f64"),
                                    ALONE(to_i32, "convert-i32", "mul-f64"),
                                    ALONE(fma_real, "fma-f64", "mul-f64"),
                                    ALONE(min_real, "min-f64", "mul-f64"),
                                    ALONE(min_short, "min-f32", "mul-f64"),
                                    ALONE(fma_short, "fma-f32", "mul-f32"),
                                    LANES(2, 4),
                                    LANES(4, 8),
                                    LANES(8, 16)
#endif
};
#define PAIRS (sizeof pairs / sizeof *pairs)

/* Whether the processor has the operations. */
static bool has(struct htmt__host_figures *f, const struct pair *p)
{
#if defined __x86_64__
    if (strncmp(p->name[0], "fma-", 4) == 0 && !__builtin_cpu_supports("fma"))
        return false;
    if (p->masks && !(__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")))
        return false;
#endif
    return htmt__host_rate_of(f, p->name[0]) != NULL;
}

/* ---- what they say --------------------------------------------------------------------------- */

/* Kinds of rates far apart get one number only where the sum of both times leaves no doubt: else
 * one of them can go where the other cannot. */
static bool share(const struct htmt__host_rate *a, const struct htmt__host_rate *b,
                  struct htmt__host_figure turn)
{
    const double x = EACH * a->every.value, y = EACH * b->every.value;
    const double more = turn.value - fmax(x, y), whole = fmin(x, y);
    const bool alike = fmax(x, y) < ALIKE * whole;
    return alike ? more > whole * 3 / 4 : more > whole * SURE && turn.value > NEARLY * fmax(x, y);
}

/* Both have the same number from now on, and so has who shares with either. */
static void join(struct htmt__host_figures *f, struct htmt__host_rate *a, struct htmt__host_rate *b,
                 unsigned *numbers)
{
    const unsigned old[] = {a->units, b->units};
    const unsigned number = old[0] ? old[0] : old[1] ? old[1] : ++*numbers;
    a->units = b->units = number;
    for (unsigned i = 0; i < f->rates; i++)
        if (f->rate[i].units && (f->rate[i].units == old[0] || f->rate[i].units == old[1]))
            f->rate[i].units = number;
}

static bool same_units(const struct htmt__host_rate *a, const struct htmt__host_rate *b)
{
    return a == b || (a->units && a->units == b->units);
}

/* The units of the slower kind are a part of the faster one's: all who share them are told. */
static void nest(struct htmt__host_figures *f, struct htmt__host_rate *a, struct htmt__host_rate *b,
                 struct htmt__host_figure turn, unsigned *numbers)
{
    struct htmt__host_rate *fast = a->every.value < b->every.value ? a : b,
                           *slow = fast == a ? b : a;
    const double alone = EACH * slow->every.value, all = 2 * EACH * fast->every.value;
    if (same_units(a, b) || slow->within || turn.value < NEARLY * alone ||
        fmax(turn.value, all) > NEARLY * fmin(turn.value, all))
        return;
    fast->units = fast->units ? fast->units : ++*numbers;
    for (unsigned i = 0; i < f->rates; i++)
        if (same_units(&f->rate[i], slow))
            f->rate[i].within = fast->units;
}

/* Of a comparison of reals and its branch, and another branch, three slots are taken where branches
 * and comparisons share; else two, or as long as the comparison takes. */
static void nest_comparisons(struct htmt__host_figures *f)
{
    static const char *const names[] = {"cmp-f32", "cmp-f64"};
    const double both = f->jump_compare.value, jump = f->jump.value;
    const struct htmt__host_rate *r = htmt__host_rate_of(f, names[1]);
    const double apart = r ? fmax(2 * jump, r->every.value) : 0;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        struct htmt__host_rate *to = htmt__host_rate_of(f, names[i]);
        if (to && !to->within && 3 * jump > NEARLY * apart && both > (apart + 3 * jump) / 2)
            to->within = HTMT__HOST_JUMP_UNITS;
    }
}

/* Where a shift and a branch take as long as both, shifts are made by the units of branches. */
static void join_shifts(struct htmt__host_figures *f)
{
    const struct htmt__host_rate *shift = htmt__host_rate_of(f, "shift-i64");
    const double jump = f->jump.value, apart = shift ? fmax(jump, shift->every.value) : 0;
    if (!shift || f->jump_shift.value < apart + fmin(jump, shift->every.value) / 2)
        return;
    for (unsigned i = 0, number = shift->units; i < f->rates; i++)
        if (&f->rate[i] == shift || (number && f->rate[i].units == number))
            f->rate[i].units = HTMT__HOST_JUMP_UNITS;
}

/* ---- onward ---------------------------------------------------------------------------------- */

/* What the pairs of one kind take more with others. */
struct mores {
    double value[PAIRS];
    unsigned count;
};

static struct mores mores_of(struct htmt__host_figures *f, const double *more,
                             const struct htmt__host_rate *r)
{
    struct mores m = {.count = 0};
    for (unsigned i = 0; i < PAIRS; i++) {
        const struct htmt__host_rate *a = htmt__host_rate_of(f, pairs[i].name[0]),
                                     *b = htmt__host_rate_of(f, pairs[i].name[1]);
        if (!pairs[i].turns || !a || !b || same_units(a, b) || same_units(a, r) == same_units(b, r))
            continue;
        unsigned k = m.count++;
        for (; k > 0 && m.value[k - 1] > more[i]; k--)
            m.value[k] = m.value[k - 1];
        m.value[k] = more[i];
    }
    return m;
}

/* The middle one, of an even number the lesser one. */
static double middle_of(const struct mores *m)
{
    return m->count ? m->value[(m->count - 1) / 2] : 0;
}

/* Few that take longer than all of the many share their units where the times of both add up, or
 * nearly so. */
static void join_slow(struct htmt__host_figures *f, struct htmt__host_rate *few,
                      struct htmt__host_rate *many, struct htmt__host_figure turn,
                      unsigned *numbers)
{
    const double alone = FEW_OF * few->every.value, beside = MANY_OF * many->every.value;
    if (alone > beside && turn.value > alone + beside / 2)
        join(f, few, many, numbers);
}

/* Whether a few take places of the many: neither alone would take as long as both. */
static void nest_few(struct htmt__host_figures *f, struct htmt__host_rate *few,
                     struct htmt__host_rate *many, struct htmt__host_figure turn, unsigned *numbers)
{
    const double all = (FEW_OF + MANY_OF) * many->every.value;
    const double alone = fmax(FEW_OF * few->every.value, MANY_OF * many->every.value);
    if (same_units(few, many) || few->within || alone * NEARLY > all ||
        turn.value < (alone + all) / 2)
        return;
    many->units = many->units ? many->units : ++*numbers;
    few->units = few->units ? few->units : ++*numbers;
    for (unsigned i = 0; i < f->rates; i++)
        if (same_units(&f->rate[i], few))
            f->rate[i].within = many->units;
}

static void find_onward(struct htmt__host_figures *f, const struct htmt__host_figure *turns)
{
    double more[PAIRS] = {0};
    for (unsigned i = 0; i < PAIRS; i++) {
        const struct htmt__host_rate *a = htmt__host_rate_of(f, pairs[i].name[0]),
                                     *b = htmt__host_rate_of(f, pairs[i].name[1]);
        if (pairs[i].turns && a && b)
            more[i] = turns[i].value / (EACH / 2) - a->latency.value - b->latency.value;
    }
    for (;;) {
        const struct htmt__host_rate *most = NULL;
        double value = UNKNOWN;
        for (unsigned i = 0; i < f->rates; i++) {
            const struct mores m = mores_of(f, more, &f->rate[i]);
            const double middle = middle_of(&m);
            if (f->rate[i].onward.value <= 0 && middle > value) {
                most = &f->rate[i];
                value = middle;
            }
        }
        if (!most)
            return;
        for (unsigned i = 0; i < PAIRS; i++) {
            const struct htmt__host_rate *a = htmt__host_rate_of(f, pairs[i].name[0]),
                                         *b = htmt__host_rate_of(f, pairs[i].name[1]);
            if (a && b && same_units(a, most) != same_units(b, most))
                more[i] -= value;
        }
        for (unsigned i = 0; i < f->rates; i++)
            if (same_units(&f->rate[i], most)) {
                f->rate[i].onward = f->rate[i].latency;
                f->rate[i].onward.value += value;
            }
    }
}

void htmt__host_pairs(struct htmt__host_clock *clock, struct htmt__host_figures *f,
                      htmt__host_progress_fn *progress, void *user)
{
    struct htmt__host_figure together[PAIRS] = {{0}}, turns[PAIRS] = {{0}};
    unsigned numbers = 0;
    char name[64];
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < PAIRS; i++) {
            const struct pair *p = &pairs[i];
            if (!has(f, p))
                continue;
            if (progress)
                progress(user, p->name[0]);
            snprintf(name, sizeof name, "%s %s %s", p->name[0], p->few ? "among" : "and",
                     p->name[1]);
            const struct htmt__host_loop both = {name, p->together, NULL, NULL};
            htmt__host_keep(&together[i], htmt__host_sample(clock, &both, LEAST));
            if (!p->turns)
                continue;
            snprintf(name, sizeof name, "%s then %s", p->name[0], p->name[1]);
            const struct htmt__host_loop in_turns = {name, p->turns, NULL, NULL};
            htmt__host_keep(&turns[i], htmt__host_sample(clock, &in_turns, LEAST));
        }
    for (unsigned i = 0; i < PAIRS; i++) {
        struct htmt__host_rate *a = htmt__host_rate_of(f, pairs[i].name[0]),
                               *b = htmt__host_rate_of(f, pairs[i].name[1]);
        if (a && b && pairs[i].few)
            join_slow(f, a, b, together[i], &numbers);
        else if (a && b && share(a, b, together[i]))
            join(f, a, b, &numbers);
    }
    for (unsigned i = 0; i < PAIRS; i++) {
        struct htmt__host_rate *a = htmt__host_rate_of(f, pairs[i].name[0]),
                               *b = htmt__host_rate_of(f, pairs[i].name[1]);
        if (a && b && together[i].value > 0 && pairs[i].few)
            nest_few(f, a, b, together[i], &numbers);
        else if (a && b && together[i].value > 0)
            nest(f, a, b, together[i], &numbers);
        if (pairs[i].together == mul_add_together) {
            f->flop = together[i];
            f->flop.value /= 2 * EACH;
        }
    }
    nest_comparisons(f);
    join_shifts(f);
    find_onward(f, turns);
}
